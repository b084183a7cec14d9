package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// request is one thing asked of the house.
type request struct {
	method, path string
	// key is the idempotency key, as the other two empty for none.
	key, cookie, bearer string
	body                []byte
	// after is the id of the last message that was heard of a stream.
	after int64
}

// reply is its answer.
type reply struct {
	head
	body []byte
}

// answerTimeout bounds the wait for an answer before the connection is closed.
const answerTimeout = 30 * time.Second

// connections are those that are kept for the next request. A request is written
// and its answer read by whoever asks: nothing is handed to another goroutine, so
// that the load costs the machine little beside the house that it measures.
type connections struct {
	address string
	room    chan struct{} // one value for each that is in use

	mu   sync.Mutex
	free []*connection
}

type connection struct {
	net.Conn
	in  *bufio.Reader
	out []byte
}

func newConnections(address string, most int) *connections {
	return &connections{address: address, room: make(chan struct{}, most)}
}

func (c *connections) dial(ctx context.Context) (*connection, error) {
	d := net.Dialer{Timeout: answerTimeout}
	conn, err := d.DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, in: bufio.NewReaderSize(conn, 4096)}, nil
}

// take returns a connection, and whether it was used before.
func (c *connections) take(ctx context.Context) (conn *connection, used bool, err error) {
	c.mu.Lock()
	if n := len(c.free); n > 0 {
		conn, c.free = c.free[n-1], c.free[:n-1]
		c.mu.Unlock()
		return conn, true, nil
	}
	c.mu.Unlock()
	conn, err = c.dial(ctx)
	return conn, false, err
}

func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.free {
		_ = conn.Close() // nothing is lost with it
	}
	c.free = nil
}

// ask asks one thing. Where a kept connection turns out to be closed it is asked
// once more over a new one, if that does no harm.
func (c *connections) ask(ctx context.Context, q *request) (*reply, error) {
	select {
	case c.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.room }()
	conn, used, err := c.take(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := c.over(conn, q)
	if err != nil && used && (q.key != "" || q.method == http.MethodGet) {
		if conn, err = c.dial(ctx); err != nil {
			return nil, err
		}
		answer, err = c.over(conn, q)
	}
	return answer, err
}

// over asks over a connection and keeps it for the next request.
func (c *connections) over(conn *connection, q *request) (*reply, error) {
	h, err := conn.send(q, c.address)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	answer := &reply{head: h}
	if answer.body, err = readBody(conn.in, &h); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if answer.last {
		return answer, conn.Close()
	}
	c.mu.Lock()
	c.free = append(c.free, conn)
	c.mu.Unlock()
	return answer, nil
}

// send writes a request and reads the head of its answer.
func (c *connection) send(q *request, host string) (head, error) {
	out := append(c.out[:0], q.method...)
	out = append(append(append(out, ' '), q.path...), " HTTP/1.1\r\nHost: "...)
	out = append(append(out, host...), "\r\n"...)
	field := func(name, value string) {
		if value != "" {
			out = append(append(append(append(out, name...), ": "...), value...), "\r\n"...)
		}
	}
	field("Idempotency-Key", q.key)
	field("Cookie", q.cookie)
	if q.bearer != "" {
		field("Authorization", "Bearer "+q.bearer)
	}
	if q.after > 0 {
		field("Last-Event-ID", strconv.FormatInt(q.after, 10))
	}
	if q.method != http.MethodGet {
		if len(q.body) > 0 {
			field("Content-Type", "application/json")
		}
		field("Content-Length", strconv.Itoa(len(q.body)))
	}
	out = append(append(out, "\r\n"...), q.body...)
	c.out = out
	if err := c.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return head{}, err
	}
	if _, err := c.Write(out); err != nil {
		return head{}, fmt.Errorf("the request could not be sent: %w", err)
	}
	h, err := readHead(c.in)
	if err != nil {
		return head{}, fmt.Errorf("there is no answer: %w", err)
	}
	return h, nil
}
