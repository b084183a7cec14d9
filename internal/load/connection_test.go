package load

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
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
		answer     reply
		came       int64
	}{
		{"/short", "short", reply{status: 200, cookie: "session=abc; device=def"}, 1},
		{"/chunks", long, reply{status: 200}, 1},
		{"/nothing", "", reply{status: 204}, 1},
		{"/later", "", reply{status: 429, retryAfterS: 3}, 1},
		{"/last", "last", reply{status: 200}, 1},
		{"/short", "short", reply{status: 200, cookie: "session=abc; device=def"}, 2},
	} {
		state, err := c.ask(context.Background(), &request{method: http.MethodGet, path: want.path})
		if err != nil {
			t.Fatalf("%s: %v", want.path, err)
		}
		body := string(state.body)
		state.body = nil
		if !reflect.DeepEqual(*state, want.answer) || body != want.body || came.Load() != want.came {
			t.Errorf("%s: %+v with %.20q over %d connections", want.path, *state, body, came.Load())
		}
	}
}
