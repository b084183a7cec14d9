//go:build unix

package main

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wire is the network on the way to a server. What is sent may come late, or is held back in one
// direction or both for a while. As by TCP it arrives then, unless the connections are broken.
type wire struct {
	net.Listener
	server      atomic.Pointer[string]
	there, back atomic.Bool // whether what is sent is held back on the way there and back
	delay       atomic.Int64
	over        chan struct{} // closed at the end

	mu      sync.Mutex
	passing map[net.Conn]bool
}

// newWire returns a wire that leads nowhere yet.
func newWire(t testing.TB) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &wire{Listener: listener, over: make(chan struct{}), passing: map[net.Conn]bool{}}
	t.Cleanup(func() {
		close(l.over)
		_ = listener.Close()
		l.broken()
	})
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go l.connect(in)
		}
	}()
	return l
}

// wiresTo returns a wire to each server of a database, and the address of the database by them.
func wiresTo(t testing.TB, database string) (all []*wire, address string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for server := range strings.SplitSeq(u.Host, ",") {
		l := newWire(t)
		l.server.Store(&server)
		all, hosts = append(all, l), append(hosts, l.Addr().String())
	}
	u.Host = strings.Join(hosts, ",")
	return all, u.String()
}

// connect passes one connection on.
func (l *wire) connect(in net.Conn) {
	defer in.Close() //nolint:errcheck // it is over
	l.await(&l.there)
	server := l.server.Load()
	if server == nil {
		return
	}
	out, err := net.Dial("tcp", *server)
	if err != nil {
		return
	}
	defer out.Close() //nolint:errcheck // it is over
	l.mu.Lock()
	l.passing[in], l.passing[out] = true, true
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { l.pass(in, out, &l.there) })
	both.Go(func() { l.pass(out, in, &l.back) })
	both.Wait()
	l.mu.Lock()
	delete(l.passing, in)
	delete(l.passing, out)
	l.mu.Unlock()
}

// await waits while what is sent is held back.
func (l *wire) await(held *atomic.Bool) {
	for held.Load() {
		select {
		case <-l.over:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// pass passes on what comes from one side, and its end.
func (l *wire) pass(from, to net.Conn, held *atomic.Bool) {
	defer to.Close() //nolint:errcheck // this side is gone
	text := make([]byte, 32<<10)
	for {
		n, err := from.Read(text)
		time.Sleep(time.Duration(l.delay.Load()))
		l.await(held)
		if err != nil {
			return
		}
		if _, err := to.Write(text[:n]); err != nil {
			return
		}
	}
}

// broken breaks all connections: what was held back is lost.
func (l *wire) broken() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.passing {
		_ = c.Close() // it may be closed
	}
}
