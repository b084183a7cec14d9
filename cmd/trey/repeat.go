package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"trey/internal/api"
)

const (
	// keyHeader names the idempotency key of a command.
	keyHeader = "Idempotency-Key"
	// maxRepeated is the longest body of a command that a door keeps to send it again, in
	// bytes, and repeatTimeout the time for which it tries.
	maxRepeated   = 64 << 10
	repeatTimeout = 20 * time.Second
	// mostRepeating bounds the commands that a door keeps at once.
	mostRepeating = 1024
	// repeatInterval is the time between two attempts.
	repeatInterval = 100 * time.Millisecond
)

// keyedRoutes matches the requests of the interface that take an idempotency key.
var keyedRoutes = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, pattern := range api.KeyedRoutes() {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	return mux
})

// withKey gives a command that takes an idempotency key and has none one, and keeps its body.
// It reports whether the command may be sent again: then it is done once all the same.
func withKey(r *http.Request) (body []byte, again bool, err error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.ContentLength > maxRepeated {
		return nil, false, nil
	}
	_, pattern := keyedRoutes().Handler(r)
	form := strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
	if pattern == "" && !(form && keyedForm(r.URL.Path)) {
		return nil, false, nil
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxRepeated+1))
	if err != nil {
		return nil, false, err
	}
	rest := io.Reader(bytes.NewReader(text))
	if len(text) > maxRepeated {
		r.Body = io.NopCloser(io.MultiReader(rest, r.Body))
		return nil, false, nil
	}
	r.Body = io.NopCloser(rest)
	if pattern == "" {
		fields, err := url.ParseQuery(string(text))
		return text, err == nil && fields.Get("key") != "", nil
	}
	if _, sent := r.Header[keyHeader]; !sent { // an empty one is refused
		r.Header.Set(keyHeader, "door "+rand.Text())
	}
	return text, true, nil
}

// keyedForm reports whether the forms of a page carry idempotency keys, one for each press of
// a button.
func keyedForm(path string) bool {
	for _, begin := range []string{"/tables/", "/console/", "/staff/"} {
		if strings.HasPrefix(path, begin) {
			return true
		}
	}
	return false
}

// repeater sends a command to the writer until it is answered. If the connection is lost, the
// outcome of the command is unknown, so the repeater sends it again under its key to the process
// that is the writer then. That may be this one.
type repeater struct {
	to   *toWriter
	body []byte
}

// RoundTrip sends the command.
func (t *repeater) RoundTrip(r *http.Request) (*http.Response, error) {
	// It is ended whether this process stays a door or not.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), repeatTimeout)
	for lost := false; ; lost = true {
		got, err := t.once(ctx, r, lost)
		if err == nil {
			got.Body = &ended{got.Body, cancel}
			return got, nil
		}
		select {
		case <-ctx.Done():
			cancel()
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(repeatInterval):
		}
	}
}

// ended is a body that ends its request when it is closed.
type ended struct {
	io.ReadCloser
	end context.CancelFunc
}

func (e *ended) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

// errOpen: the answer to a command does not say what became of it.
var errOpen = errors.New("the process that was asked does not know whether the command was done")

// once sends the command one time. An error means that it is not known whether it was done; lost
// says so of an earlier attempt.
func (t *repeater) once(ctx context.Context, r *http.Request, lost bool) (*http.Response, error) {
	again := r.Clone(ctx)
	again.Body = io.NopCloser(bytes.NewReader(t.body))
	again.ContentLength = int64(len(t.body))
	got, err := t.send(again)
	if err != nil {
		return nil, err
	}
	open, err := leavesOpen(got, lost)
	if open || err != nil {
		_ = got.Body.Close() // nobody gets it
		return nil, errors.Join(errOpen, err)
	}
	return got, nil
}

// Problems by which the interface answers that a command was not carried out, although their status
// leaves that open: before the house reads the idempotency key, or after that.
var (
	notDone    = []string{"urn:trey:problem:busy", "urn:trey:problem:clock", "urn:trey:problem:draining"}
	notUnderIt = "urn:trey:problem:table-stopped"
	underWay   = "urn:trey:problem:key-busy"
)

// leavesOpen reports whether an answer leaves it open if a command was done. Where an earlier attempt
// was lost, a refusal that comes before the key is looked up says nothing of that attempt; and the house
// may still be carrying it out.
func leavesOpen(got *http.Response, lost bool) (bool, error) {
	switch {
	case got.StatusCode == http.StatusServiceUnavailable:
	case lost && (got.StatusCode == http.StatusTooManyRequests || got.StatusCode == http.StatusConflict):
	default:
		return false, nil
	}
	if strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") { // of a form
		return got.StatusCode != http.StatusConflict, nil
	}
	text, err := io.ReadAll(io.LimitReader(got.Body, maxRepeated))
	if err != nil {
		return true, err
	}
	_ = got.Body.Close() // it was read
	got.Body = io.NopCloser(bytes.NewReader(text))
	var problem struct{ Type string }
	switch err := json.Unmarshal(text, &problem); {
	case err != nil:
		return got.StatusCode != http.StatusConflict, nil
	case got.StatusCode == http.StatusConflict:
		return problem.Type == underWay, nil
	case problem.Type == notUnderIt:
		return false, nil
	}
	return lost || !slices.Contains(notDone, problem.Type), nil
}

// send sends the command to the writer.
func (t *repeater) send(r *http.Request) (*http.Response, error) {
	if local := t.to.local.Load(); local != nil {
		r.RequestURI = r.URL.RequestURI()
		r.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		out := &held{header: http.Header{}}
		(*local).ServeHTTP(out, r)
		return &http.Response{StatusCode: out.status, Header: out.header, Body: io.NopCloser(&out.body), ContentLength: int64(out.body.Len()), Request: r}, nil
	}
	writer, known := t.to.current()
	if !known {
		return nil, errNoWriter
	}
	r.URL.Host = writer.Address
	return handoverTransport.RoundTrip(r)
}

// held is an answer that is kept in memory.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *held) Header() http.Header { return a.header }

func (a *held) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *held) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}
