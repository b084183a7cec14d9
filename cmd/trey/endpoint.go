package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// The bounds of a connection that no handler sets for itself.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 2 * time.Minute // streams set their own
	idleTimeout   = 2 * time.Minute
	closeTimeout  = 5 * time.Second
	maxHeader     = 32 << 10
)

// endpoint answers the requests to one address, by one handler after another. The
// connections stay when the handler changes: a server that ended with its handler would close them,
// and a client that was just sending a command over one would not learn what became of it.
type endpoint struct {
	net.Listener
	server *http.Server
	failed chan error // receives why no connection is accepted any more

	mu      sync.Mutex
	current *serving      // nil between two handlers
	changed chan struct{} // closed when current is set or the endpoint is closed
	closed  bool
	begin   sync.Once // accepts connections when there is a handler for the first time
}

// serving is the time of one handler.
type serving struct {
	http.Handler
	ctx  context.Context // ends the requests
	busy sync.WaitGroup  // the requests that are being answered
}

func newEndpoint(l net.Listener, log *slog.Logger) *endpoint {
	e := &endpoint{Listener: l, failed: make(chan error, 1), changed: make(chan struct{})}
	e.server = &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return e
}

// serve answers requests by a handler until the function that it returns is called. That cancels
// those under way and waits until they have ended, closeTimeout at most. Requests that come later
// wait for the next handler.
func (e *endpoint) serve(ctx context.Context, handler http.Handler) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	s := &serving{Handler: handler, ctx: ctx}
	e.mu.Lock()
	e.current = s
	e.wake()
	e.mu.Unlock()
	e.begin.Do(func() {
		go func() {
			if err := e.server.Serve(e.Listener); !errors.Is(err, http.ErrServerClosed) {
				e.failed <- err
			}
		}()
	})
	return sync.OnceFunc(func() {
		e.mu.Lock()
		if e.current == s {
			e.current = nil
		}
		e.mu.Unlock()
		cancel()
		ended := make(chan struct{})
		go func() {
			s.busy.Wait()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(closeTimeout):
		}
	})
}

// wake makes the waiting requests check their condition again. e.mu must be held.
func (e *endpoint) wake() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// ServeHTTP answers a request by the current handler, and waits until there is one.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for {
		e.mu.Lock()
		s, changed, closed := e.current, e.changed, e.closed
		if s != nil {
			s.busy.Add(1)
		}
		e.mu.Unlock()
		switch {
		case s != nil:
			s.answer(w, r)
			return
		case closed:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "the house is closed", http.StatusServiceUnavailable)
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// answer answers a request, whose context ends with the handler's time.
func (s *serving) answer(w http.ResponseWriter, r *http.Request) {
	done := sync.OnceFunc(s.busy.Done)
	defer done()
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), outlasting{}, done))
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	s.ServeHTTP(w, r.WithContext(ctx))
}

// outlasting is the key of what [outlast] calls.
type outlasting struct{}

// outlast has the next handler not wait until a request is answered that outlasts the time of its own.
func outlast(r *http.Request) {
	if done, ok := r.Context().Value(outlasting{}).(func()); ok {
		done()
	}
}

// Close answers what still waits and ends the address.
func (e *endpoint) Close() error {
	e.mu.Lock()
	e.closed = true
	e.wake()
	e.mu.Unlock()
	closing, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := e.server.Shutdown(closing)
	if err != nil {
		err = e.server.Close() // the time for open requests is over
	}
	_ = e.Listener.Close() // the server has closed it, if it was begun
	return err
}
