package site

import (
	"bytes"
	"net/http"
	"time"
)

// Stream is an answer that goes on: messages to a page that stays open, as
// server-sent events.
type Stream struct {
	v       *Visit
	control *http.ResponseController
	out     bytes.Buffer
}

// slowest bounds the time of one message to a reader, who is disconnected after it.
const slowest = 5 * time.Second

// Stream begins to answer with messages. It must be closed.
func (v *Visit) Stream() (*Stream, error) {
	s := &Stream{v: v, control: http.NewResponseController(v.w)}
	if open := v.site.open.Add(1); v.site.streams > 0 && open > int64(v.site.streams) {
		v.site.open.Add(-1)
		return nil, &Problem{http.StatusServiceUnavailable, v.T("live.full")}
	}
	// The server's time limit for a request does not suit one without an end.
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		s.Close()
		return nil, err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	v.sent = true
	v.w.WriteHeader(http.StatusOK)
	if err := s.Alive(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close makes room for another one. The end of the answer is still to be written, and the time
// for the last message may be over. A browser would take an answer without an end for a fault.
func (s *Stream) Close() {
	s.v.site.open.Add(-1)
	_ = s.control.SetWriteDeadline(time.Now().Add(slowest)) //nolint:forbidigo,errcheck // the connection's clock; if it is gone, nobody reads the end
}

// Send writes one message, which must hold no line break. An error means that
// the reader has gone, or is too slow to be waited for.
func (s *Stream) Send(event string, data []byte) error {
	s.out.WriteString("event: " + event + "\ndata: ")
	s.out.Write(data)
	s.out.WriteString("\n\n")
	return s.flush()
}

// Alive sends an event without content, so that both sides find out whether the other is
// there. A page receives events, and no comments.
func (s *Stream) Alive() error { return s.Send("alive", []byte("0")) }

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
