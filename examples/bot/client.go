package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strconv"
	"strings"
	"time"
)

// client asks a house. Its session is a cookie or a token.
type client struct {
	house, token string
	http         http.Client
}

func newClient(house, token string) (*client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &client{house: strings.TrimSuffix(house, "/"), token: token, http: http.Client{Jar: jar}}, nil
}

// problem is a refusal.
type problem struct {
	Type   string `json:"type"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`
	Clause string `json:"clause"`
}

func (p *problem) Error() string { return p.Detail }

// hasKind reports whether an error is a problem of that type.
func hasKind(err error, kind string) bool {
	var p *problem
	return errors.As(err, &p) && p.Type == "urn:trey:problem:"+kind
}

// patience bounds the wait for an answer; streams have no end.
const patience = 30 * time.Second

func (c *client) get(ctx context.Context, path string, answer any) error {
	return c.again(ctx, func() error { return c.once(ctx, http.MethodGet, path, nil, "", answer) })
}

// post sends a request under a key of its own, so that it can be sent again where
// the answer was lost, and is not done twice.
func (c *client) post(ctx context.Context, path string, body, answer any) error {
	key := rand.Text()
	return c.again(ctx, func() error { return c.once(ctx, http.MethodPost, path, body, key, answer) })
}

// again repeats what could not be answered at that moment, with longer and longer
// pauses.
func (c *client) again(ctx context.Context, ask func() error) error {
	pause := 100 * time.Millisecond
	for tries := 1; ; tries++ {
		err := ask()
		var p *problem
		var broken *lost
		switch {
		case errors.As(err, &broken) && (ctx.Err() != nil || tries == 8):
			return broken.error // no stream has broken in which this may be asked
		case err == nil, ctx.Err() != nil, tries == 8:
			return err
		case errors.As(err, &p) && p.Status != http.StatusTooManyRequests && p.Status != http.StatusServiceUnavailable && !hasKind(err, "key-busy"):
			return err
		case p == nil && broken == nil:
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (c *client) once(ctx context.Context, method, path string, body any, key string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	r, err := c.request(ctx, method, path, &text)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	got, err := c.http.Do(r)
	if err != nil {
		return &lost{err}
	}
	defer got.Body.Close() //nolint:errcheck // it has been read
	if err := refusal(got); err != nil || answer == nil {
		return err
	}
	said, err := io.ReadAll(got.Body)
	if err != nil {
		return &lost{err}
	}
	return json.Unmarshal(said, answer)
}

func (c *client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.house+"/api/v1/"+path, body)
	if err == nil && c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r, err
}

// refusal holds the problem of an answer that is an error.
func refusal(got *http.Response) error {
	if got.StatusCode < 300 {
		return nil
	}
	said, err := io.ReadAll(got.Body)
	if err != nil {
		return &lost{err}
	}
	p := &problem{Status: got.StatusCode}
	if err := json.Unmarshal(said, p); err != nil {
		return fmt.Errorf("%s %s: %s", got.Request.Method, got.Request.URL.Path, got.Status)
	}
	return p
}

// message is one server-sent event.
type message struct {
	event string
	data  []byte
}

// follow hands over every message of a stream, in order, each once. It comes back
// with the last id that it has seen when the connection breaks, and ends when
// handle returns an error, or when the house refuses.
func (c *client) follow(ctx context.Context, path string, handle func(message) error) error {
	var last string
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		before := last
		err := c.stream(ctx, path, &last, handle)
		var broken *lost
		if !errors.As(err, &broken) {
			return err
		}
		if last != before {
			pause = 100 * time.Millisecond // it was a good connection
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// lost is a connection that broke.
type lost struct{ error }

func (c *client) stream(ctx context.Context, path string, last *string, handle func(message) error) error {
	r, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if *last != "" {
		r.Header.Set("Last-Event-ID", *last)
	}
	got, err := c.http.Do(r)
	if err != nil {
		return &lost{err}
	}
	defer got.Body.Close() //nolint:errcheck // it is read no further
	if err := refusal(got); err != nil {
		if got.StatusCode >= http.StatusInternalServerError || got.StatusCode == http.StatusTooManyRequests {
			return &lost{err}
		}
		return err
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 4<<20)
	var m message
	id := ""
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			m.event = value
		case "data":
			m.data = []byte(value)
		case "":
			if m.event == "" {
				continue // a comment: the house is alive
			}
			if err := handle(m); err != nil {
				return err
			}
			if _, err := strconv.ParseInt(id, 10, 64); err == nil {
				*last = id
			}
			m, id = message{}, ""
		}
	}
	err = lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return &lost{err}
}
