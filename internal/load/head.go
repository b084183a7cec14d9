package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
)

// head holds the parts of an answer's head that are needed.
type head struct {
	status int
	// length is that of the body in bytes, or negative where it is not said: then the
	// body is in chunks, or goes on until the connection ends.
	length  int64
	chunked bool
	// last says that no other answer will come over this connection.
	last bool
	// cookie is what the client is to send from now on, empty for nothing.
	cookie      string
	retryAfterS int
}

// readHead reads the head of an answer up to its body. net/http reads one too, with
// all its fields, and takes longer than what is then made of the body.
func readHead(in *bufio.Reader) (head, error) {
	h := head{length: -1}
	text, err := headLine(in)
	if err != nil {
		return h, err
	}
	rest, ok := bytes.CutPrefix(text, []byte("HTTP/1.1 "))
	if h.status, err = strconv.Atoi(string(rest[:min(3, len(rest))])); !ok || err != nil || h.status < 200 || h.status > 599 {
		return h, fmt.Errorf("%q is no answer of a house", text)
	}
	for {
		text, err := headLine(in)
		if err != nil {
			return h, err
		}
		if len(text) == 0 {
			break
		}
		if err := h.take(text); err != nil {
			return h, err
		}
	}
	switch {
	case h.status == http.StatusNoContent || h.status == http.StatusNotModified:
		h.length, h.chunked = 0, false
	case h.chunked:
		h.length = -1
	case h.length < 0:
		h.last = true
	}
	return h, nil
}

// take takes a line of a head down.
func (h *head) take(line []byte) (err error) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return fmt.Errorf("%q is no line of an answer's head", line)
	}
	value = bytes.TrimSpace(value)
	named := func(what string) bool { return len(name) == len(what) && bytes.EqualFold(name, []byte(what)) }
	switch {
	case named("Content-Length"):
		if h.length, err = strconv.ParseInt(string(value), 10, 32); err != nil || h.length < 0 {
			return fmt.Errorf("an answer cannot be %q bytes long", value)
		}
	case named("Transfer-Encoding"):
		if h.chunked = bytes.EqualFold(value, []byte("chunked")); !h.chunked {
			return fmt.Errorf("an answer comes as %q, which nobody asked for", value)
		}
	case named("Connection"):
		h.last = bytes.EqualFold(value, []byte("close"))
	case named("Set-Cookie"):
		one, _, _ := strings.Cut(string(value), ";")
		if h.cookie != "" {
			one = h.cookie + "; " + one
		}
		h.cookie = one
	case named("Retry-After"):
		h.retryAfterS, _ = strconv.Atoi(string(value)) //nolint:errcheck // zero for none
	}
	return nil
}

// headLine reads a line of a head, without its end. It is valid until the next one.
func headLine(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("a line of an answer's head is longer than %d bytes", in.Size())
	case errors.Is(err, io.EOF) && len(text) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	return bytes.TrimRight(text, "\r\n"), nil
}

// readBody reads what follows a head.
func readBody(in *bufio.Reader, h *head) ([]byte, error) {
	if h.length >= 0 {
		body := make([]byte, h.length)
		_, err := io.ReadFull(in, body)
		return body, err
	}
	if !h.chunked {
		return io.ReadAll(in)
	}
	body, err := io.ReadAll(httputil.NewChunkedReader(in))
	if err != nil {
		return nil, err
	}
	// No field of a trailer was asked for: an empty line ends it.
	if end, err := headLine(in); err != nil || len(end) > 0 {
		return nil, errors.Join(fmt.Errorf("%q comes after the last chunk of an answer", end), err)
	}
	return body, nil
}
