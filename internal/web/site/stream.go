package site

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// Stream is an answer that goes on: messages to a page that stays open, as
// server-sent events.
type Stream struct {
	v       *Visit
	control *http.ResponseController
	out     bytes.Buffer
}

// retryMs is how soon a browser comes back whose stream has ended.
const retryMs = 500

// slowest is how long one message may take to a reader before he is given up.
const slowest = 5 * time.Second

// Stream begins to answer with messages.
func (v *Visit) Stream() (*Stream, error) {
	s := &Stream{v: v, control: http.NewResponseController(v.w)}
	// The server's time for a request does not hold for one that has no end.
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	v.sent = true
	v.w.WriteHeader(http.StatusOK)
	s.out.WriteString("retry: " + strconv.Itoa(retryMs) + "\n\n")
	return s, s.flush()
}

// Send writes one message, which must hold no line break. An error means that
// the reader has gone, or is too slow to be waited for.
func (s *Stream) Send(id int64, event string, data []byte) error {
	s.out.WriteString("id: " + strconv.FormatInt(id, 10) + "\nevent: " + event + "\ndata: ")
	s.out.Write(data)
	s.out.WriteString("\n\n")
	return s.flush()
}

// Alive says nothing, so that both sides find out whether the other is there.
func (s *Stream) Alive() error {
	s.out.WriteString(": alive\n\n")
	return s.flush()
}

func (s *Stream) flush() error {
	defer s.out.Reset()
	if err := s.control.SetWriteDeadline(time.Now().Add(slowest)); err != nil { //nolint:forbidigo // the connection's clock
		return err
	}
	if _, err := s.v.w.Write(s.out.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}
