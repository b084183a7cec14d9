package load

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

// message is one message of a stream. What it says is valid until the next one.
type message struct {
	id         int64 // zero for none
	kind, data []byte
}

// follow reads a stream of events until it ends, the context ends or hear returns
// an error.
func (c *connections) follow(ctx context.Context, q *request, hear func(*message) error) error {
	answer, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		refused, err := readReply(answer)
		if err == nil {
			err = problemOf(refused)
		}
		return cmp.Or(err, fmt.Errorf("the house answers %d to a stream", answer.StatusCode))
	}
	defer answer.Body.Close() //nolint:errcheck // nothing is lost with it
	return read(answer.Body, hear)
}

// usual is the size of the buffer of a stream in bytes: larger than nearly all messages.
// The first one of a stream is many times as long.
const usual = 8 << 10

// read reads messages as server-sent events are written. Each is read where it lies
// when it has come as a whole.
func read(in io.Reader, hear func(*message) error) error {
	buf := make([]byte, 0, usual)
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, cap(buf))
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		rest := buf
		for {
			var m message
			after, complete, broken := m.read(rest)
			if broken != nil {
				return broken
			}
			if !complete {
				break
			}
			rest = after
			if len(m.data) > 0 {
				if err := hear(&m); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return fmt.Errorf("the stream ended: %w", err)
		}
		if cap(buf) > usual && len(rest) < usual {
			buf = make([]byte, 0, usual)
		}
		buf = append(buf[:0], rest...)
	}
}

// read reads the message at the beginning of a text, and returns what comes after it;
// whole is false where its end has not come yet.
func (m *message) read(text []byte) (after []byte, complete bool, err error) {
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return nil, false, nil
		}
		line := text[:end]
		if text = text[end+1:]; len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
		if len(line) == 0 {
			return text, true, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":")) // A comment has no name.
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if m.data != nil {
				value = slices.Concat(m.data, []byte("\n"), value)
			}
			m.data = value
		case "id":
			if m.id, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return nil, false, fmt.Errorf("a message has no number for its id: %w", err)
			}
		case "event":
			m.kind = value
		}
	}
}
