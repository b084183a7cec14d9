package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// message is one message of a stream. Its data is valid until the next one.
type message struct {
	id   int64 // zero for none
	kind string
	data []byte
}

// follow reads a stream of events until it ends, the context ends or hear returns
// an error.
func (c *connections) follow(ctx context.Context, q *request, hear func(*message) error) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()                                      //nolint:errcheck // nothing is lost with it
	defer context.AfterFunc(ctx, func() { conn.Close() })() //nolint:errcheck // it ends what waits
	head, err := conn.send(q, c.address)
	if err != nil {
		return err
	}
	defer head.Body.Close() //nolint:errcheck // the connection is closed
	if head.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(head.Body, 64<<10))
		return errors.Join(problemOf(&reply{status: head.StatusCode, header: head.Header, body: body}), err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return err
	}
	return read(bufio.NewReaderSize(head.Body, 2048), hear)
}

// read reads messages as server-sent events are written.
func read(in *bufio.Reader, hear func(*message) error) error {
	var m message
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return fmt.Errorf("the stream ended: %w", err)
		}
		text := bytes.TrimRight(line, "\r\n")
		switch {
		case len(text) == 0:
			if len(m.data) > 0 {
				if err := hear(&m); err != nil {
					return err
				}
			}
			m = message{data: m.data[:0]}
		case bytes.HasPrefix(text, []byte("data: ")):
			m.data = append(m.data, text[len("data: "):]...)
		case bytes.HasPrefix(text, []byte("id: ")):
			if m.id, err = strconv.ParseInt(string(text[len("id: "):]), 10, 64); err != nil {
				return fmt.Errorf("a message has no number for its id: %w", err)
			}
		case bytes.HasPrefix(text, []byte("event: ")):
			m.kind = string(text[len("event: "):])
		}
		if line = line[:0]; cap(line) > maxKept {
			line, m.data = nil, append([]byte(nil), m.data...)
		}
	}
}

// maxKept is how large a buffer may be to be kept for the next message: the first
// one of a stream is many times as long as those that follow.
const maxKept = 4096
