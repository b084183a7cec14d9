package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// request is one thing asked of the house.
type request struct {
	method, path string
	// at is the host and port that is asked, empty for the usual one.
	at string
	// key is the idempotency key, as the other two empty for none.
	key, cookie, bearer string
	body                []byte
	// after is the id of the last message that was received from a stream.
	after int64
}

// reply is its answer.
type reply struct {
	status int
	// cookie is what the client is to send from now on, empty for nothing.
	cookie      string
	retryAfterS int
	body        []byte
}

// answerTimeout bounds the wait for an answer, and of a stream for its head.
const answerTimeout = 30 * time.Second

// connections are the connections to a house. Each stream has one to itself. Requests
// share others: where a kept one turns out to be closed, net/http sends a request that
// does no harm when it is repeated over a new one.
type connections struct {
	address string
	client  http.Client
	room    chan struct{} // one value for each request in flight
}

func newConnections(address string, most int) *connections {
	dialer := net.Dialer{Timeout: answerTimeout}
	return &connections{
		address: address,
		room:    make(chan struct{}, most),
		client: http.Client{
			Transport: &http.Transport{
				DialContext: dialer.DialContext, DisableCompression: true,
				MaxIdleConnsPerHost: most, ResponseHeaderTimeout: answerTimeout,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (c *connections) close() { c.client.CloseIdleConnections() }

// ask asks one thing.
func (c *connections) ask(ctx context.Context, q *request) (*reply, error) {
	select {
	case c.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.room }()
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := c.send(ctx, q)
	if err != nil {
		return nil, err
	}
	return readReply(answer)
}

// send sends a request and returns its answer, of which the head has come.
func (c *connections) send(ctx context.Context, q *request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, "http://"+cmp.Or(q.at, c.address)+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	field := func(name, value string) {
		if value != "" {
			r.Header.Set(name, value)
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
	if len(q.body) > 0 {
		field("Content-Type", "application/json")
	}
	answer, err := c.client.Do(r)
	if err != nil {
		// The address would make an error of each table one of its own.
		if at := (*url.Error)(nil); errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("there is no answer: %w", err)
	}
	return answer, nil
}

// readReply reads an answer to its end.
func readReply(answer *http.Response) (*reply, error) {
	defer answer.Body.Close() //nolint:errcheck // nothing is lost with it
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("an answer broke off: %w", err)
	}
	r := &reply{status: answer.StatusCode, body: body}
	var cookies []string
	for _, cookie := range answer.Cookies() {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	r.cookie = strings.Join(cookies, "; ")
	r.retryAfterS, _ = strconv.Atoi(answer.Header.Get("Retry-After")) //nolint:errcheck // zero for none
	return r, nil
}
