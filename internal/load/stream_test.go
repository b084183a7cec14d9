package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// Messages are the same wherever a stream is cut into what comes at once, and one
// that has not come as a whole is none.
func TestMessagesAreRead(t *testing.T) {
	long := strings.Repeat("x", 5*usual)
	text := ": alive\n\nevent: standing\ndata: " + long + "\n\nid: 7\nevent: table\ndata: {}\n\n" +
		":alive\n\nid: 8\r\nevent:table\r\ndata:one\r\ndata: two\r\n\r\nid: 9\n\nretry: 5\ndata: " + long + "\nevent: table\n\nid: 10\nevent: table\ndata: {}\n"
	want := []string{"0 standing " + long, "7 table {}", "8 table one\ntwo", "0 table " + long}
	for how, in := range map[string]io.Reader{
		"at once":      strings.NewReader(text),
		"byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		"by halves":    iotest.HalfReader(strings.NewReader(text)),
		"with its end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		var heard []string
		err := read(in, func(m *message) error {
			heard = append(heard, fmt.Sprintf("%d %s %s", m.id, m.kind, m.data))
			return nil
		})
		if !slices.Equal(heard, want) || !errors.Is(err, io.EOF) {
			t.Errorf("%s: heard %d messages, %v: %.100q", how, len(heard), err, heard)
		}
	}
}

func TestNoMessageIsMadeUp(t *testing.T) {
	heard := 0
	count := func(*message) error { heard++; return nil }
	if err := read(strings.NewReader("id: seven\ndata: {}\n\n"), count); err == nil || heard != 0 || errors.Is(err, io.EOF) {
		t.Errorf("an id that is no number: %d heard, %v", heard, err)
	}
	if err := read(iotest.ErrReader(io.ErrClosedPipe), count); !errors.Is(err, io.ErrClosedPipe) || heard != 0 {
		t.Errorf("a connection that breaks: %d heard, %v", heard, err)
	}
	enough := errors.New("enough")
	err := read(strings.NewReader("data: 1\n\ndata: 2\n\n"), func(*message) error { heard++; return enough })
	if !errors.Is(err, enough) || heard != 1 {
		t.Errorf("whoever had enough heard %d more, %v", heard, err)
	}
}

// A stream is heard in chunks too, as it comes through a proxy, and a refusal of one
// is told as such.
func TestStreamsAreFollowed(t *testing.T) {
	house := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "41" {
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"type":"urn:trey:problem:denied","status":403}`) //nolint:errcheck // the client fails
			return
		}
		for i := range 3 {
			fmt.Fprintf(w, "id: %d\nda", 42+i)
			http.NewResponseController(w).Flush() //nolint:errcheck // the client fails
			fmt.Fprint(w, "ta: {}\n\n")
		}
	}))
	defer house.Close()
	c := newConnections(house.Listener.Addr().String(), 1)
	var ids []int64
	hear := func(m *message) error { ids = append(ids, m.id); return nil }
	err := c.follow(context.Background(), &request{method: http.MethodGet, path: "/", after: 41}, hear)
	if !slices.Equal(ids, []int64{42, 43, 44}) || !errors.Is(err, io.EOF) {
		t.Errorf("heard %d, %v", ids, err)
	}
	var p *Problem
	if err := c.follow(context.Background(), &request{method: http.MethodGet, path: "/"}, hear); !errors.As(err, &p) || p.kind() != "denied" || len(ids) != 3 {
		t.Errorf("heard %d, %v", ids, err)
	}
}
