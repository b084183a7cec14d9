package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
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

// keyedRoutes knows which requests of the interface take an idempotency key.
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

// repeater sends a command to the writer until it is answered: when the connection is lost,
// what became of the command is not known, and it is asked again under its key, of whichever
// process is the writer then. That may be this one.
type repeater struct {
	h    *handover
	body []byte
}

// RoundTrip sends the command.
func (t *repeater) RoundTrip(r *http.Request) (*http.Response, error) {
	// It is ended whether this process stays a door or not.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), repeatTimeout)
	for {
		got, err := t.once(ctx, r)
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

// errOpening: the process that was asked cannot say what became of a command.
var errOpening = errors.New("the house is being opened")

// once sends the command one time. An error means that it is not known whether it was done.
func (t *repeater) once(ctx context.Context, r *http.Request) (*http.Response, error) {
	again := r.Clone(ctx)
	again.Body = io.NopCloser(bytes.NewReader(t.body))
	again.ContentLength = int64(len(t.body))
	got, err := t.send(again)
	if err != nil {
		return nil, err
	}
	if got.StatusCode != http.StatusServiceUnavailable {
		return got, nil
	}
	// A house that has stopped does not know what became of it; one that is full says so, and
	// did nothing.
	text, err := io.ReadAll(io.LimitReader(got.Body, maxRepeated))
	_ = got.Body.Close() // it was read
	if err != nil || bytes.Contains(text, []byte("urn:trey:problem:stopped")) {
		return nil, errors.Join(errOpening, err)
	}
	got.Body = io.NopCloser(bytes.NewReader(text))
	return got, nil
}

// send sends the command to the writer.
func (t *repeater) send(r *http.Request) (*http.Response, error) {
	if local := t.h.local.Load(); local != nil {
		r.RequestURI = r.URL.RequestURI()
		r.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
		out := &held{header: http.Header{}}
		(*local).ServeHTTP(out, r)
		return &http.Response{StatusCode: out.status, Header: out.header, Body: io.NopCloser(&out.body), ContentLength: int64(out.body.Len()), Request: r}, nil
	}
	writer, known := t.h.current()
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
