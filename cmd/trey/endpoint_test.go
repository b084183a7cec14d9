package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func openEndpoint(t *testing.T) *endpoint {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := newEndpoint(listener, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *endpoint) address() string { return "http://" + e.Addr().String() }

// Commands that are sent over connections that stay are all answered, however often the handler
// changes meanwhile: a command without a key is not sent again by itself.
func TestEveryRequestIsAnsweredWhileTheHandlerChanges(t *testing.T) {
	t.Parallel()
	e := openEndpoint(t)
	var answered atomic.Int64
	stop := make(chan struct{})
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				got, err := client.Post(e.address(), "text/plain", strings.NewReader("a command"))
				if err != nil {
					t.Errorf("after %d answers: %v", answered.Load(), err)
					return
				}
				text, err := io.ReadAll(got.Body)
				_ = got.Body.Close() // it was read
				if got.StatusCode != http.StatusOK || string(text) != "a command" || err != nil {
					t.Errorf("it is answered %s %q, %v", got.Status, text, err)
					return
				}
				answered.Add(1)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	for range 200 {
		end := e.serve(t.Context(), echo)
		for before, deadline := answered.Load(), time.Now().Add(patience); answered.Load() < before+4 && !t.Failed(); time.Sleep(100 * time.Microsecond) {
			if time.Now().After(deadline) {
				t.Fatal("the commands are answered no more")
			}
		}
		end()
	}
	end := e.serve(t.Context(), echo)
	close(stop)
	work.Wait()
	end()
}

// The end of a handler cancels the requests that it answers and waits for them, and the next request
// is answered by the next handler.
func TestAHandlerEndsWithItsRequests(t *testing.T) {
	t.Parallel()
	e := openEndpoint(t)
	begun := make(chan struct{})
	var over atomic.Bool
	end := e.serve(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		over.Store(true)
		w.WriteHeader(http.StatusGone)
	}))
	status := make(chan string, 2)
	get := func() {
		got, err := http.Get(e.address())
		if err != nil {
			status <- err.Error()
			return
		}
		_ = got.Body.Close()
		status <- got.Status
	}
	go get()
	<-begun
	end()
	if !over.Load() {
		t.Error("the handler has ended before its request")
	}
	if got := <-status; got != "410 Gone" {
		t.Error(got)
	}
	go get() // nobody answers it yet
	defer e.serve(t.Context(), http.NotFoundHandler())()
	if got := <-status; got != "404 Not Found" {
		t.Error(got)
	}
}

// A request that no handler came for is told so when the endpoint closes.
func TestAClosedEndpointIsReported(t *testing.T) {
	t.Parallel()
	e := openEndpoint(t)
	e.serve(t.Context(), http.NotFoundHandler())()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := make(chan error, 2)
	ask := func(ctx context.Context, want int) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.address(), http.NoBody)
		if err != nil {
			said <- err
			return
		}
		got, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = got.Body.Close()
			if got.StatusCode != want {
				err = fmt.Errorf("it is answered %s, not %d", got.Status, want)
			}
		}
		said <- err
	}
	go ask(ctx, 0)
	cancel()
	if err := <-said; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w := &held{header: http.Header{}}
	var work sync.WaitGroup
	work.Go(func() {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, e.address(), http.NoBody)
		e.ServeHTTP(w, r)
	})
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	work.Wait()
	if w.status != http.StatusServiceUnavailable || w.header.Get("Retry-After") != "1" {
		t.Errorf("it is answered %d %v", w.status, w.header)
	}
}

// A connection that cannot be accepted ends the house.
func TestAnEndpointThatFailsIsReported(t *testing.T) {
	t.Parallel()
	e := openEndpoint(t)
	if err := e.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	defer e.serve(t.Context(), http.NotFoundHandler())()
	if err := <-e.failed; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
