package load

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// What the server of the house says is read as it is meant, one answer after the
// other over the same connection.
func TestAnswersAreRead(t *testing.T) {
	long := strings.Repeat("0123456789", 10_000)
	house := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/short":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "abc", HttpOnly: true})
			http.SetCookie(w, &http.Cookie{Name: "device", Value: "def", HttpOnly: true})
			io.WriteString(w, "short") //nolint:errcheck // the client fails
		case "/chunks":
			io.WriteString(w, long) //nolint:errcheck // the client fails
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/later":
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/last":
			w.Header().Set("Connection", "close")
			io.WriteString(w, "last") //nolint:errcheck // the client fails
		}
	}))
	var came atomic.Int64
	house.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			came.Add(1)
		}
	}
	house.Start()
	defer house.Close()
	c := newConnections(house.Listener.Addr().String(), 1)
	defer c.close()
	for _, want := range []struct {
		path, body string
		head       head
		came       int64
	}{
		{"/short", "short", head{status: 200, length: 5, cookie: "session=abc; device=def"}, 1},
		{"/chunks", long, head{status: 200, length: -1, chunked: true}, 1},
		{"/nothing", "", head{status: 204}, 1},
		{"/later", "", head{status: 429, retryAfterS: 3}, 1},
		{"/last", "last", head{status: 200, length: 4, last: true}, 1},
		{"/short", "short", head{status: 200, length: 5, cookie: "session=abc; device=def"}, 2},
	} {
		state, err := c.ask(context.Background(), &request{method: http.MethodGet, path: want.path})
		if err != nil {
			t.Fatalf("%s: %v", want.path, err)
		}
		if state.head != want.head || string(state.body) != want.body || came.Load() != want.came {
			t.Errorf("%s: %+v with %.20q over %d connections", want.path, state.head, state.body, came.Load())
		}
	}
}

// What no house says is not taken for an answer, and what comes in pieces is.
func TestAnswersThatAreNone(t *testing.T) {
	const good = "HTTP/1.1 200 OK\r\n"
	for text, want := range map[string]string{
		good + "Content-Length: 2\r\n\r\n{}":          "{}",
		"HTTP/1.1 404 \r\ncontent-length:2\r\n\r\n{}": "{}",
		good + "\r\n{}": "{}", // up to the end of the connection
		good + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n": "{}",

		"":                                     "",
		"HTTP/1.1 200 OK":                      "",
		good:                                   "",
		good + "Content-Length: 2\r\n":         "",
		good + "Content-Length: 3\r\n\r\n{}":   "",
		good + "Content-Length: -2\r\n\r\n{}":  "",
		good + "Content-Length: two\r\n\r\n{}": "",
		good + "Content-Length: 9999999999\r\n\r\n{}":                                "",
		good + "nothing\r\n\r\n{}":                                                   "",
		good + "Long: " + strings.Repeat("x", 5000) + "\r\n\r\n{}":                   "",
		"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}":                             "",
		"HTTP/1.1 20\r\nContent-Length: 2\r\n\r\n{}":                                 "",
		"HTTP/1.1 100 Continue\r\n\r\n":                                              "",
		"HTTP/1.1 +20 OK\r\nContent-Length: 2\r\n\r\n{}":                             "",
		good + "Transfer-Encoding: gzip\r\n\r\n{}":                                   "",
		good + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n":              "",
		good + "Transfer-Encoding: chunked\r\n\r\nx\r\n{\r\n":                        "",
		good + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nTrailer: 1\r\n\r\n": "",
	} {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			var body []byte
			reader := bufio.NewReader(in)
			h, err := readHead(reader)
			if err == nil {
				body, err = readBody(reader, &h)
			}
			if (err == nil) != (want != "") || err == nil && string(body) != want {
				t.Errorf("%.80q %s: %q, %v", text, how, body, err)
			}
		}
	}
}
