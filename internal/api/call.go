package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/netip"

	"trey/internal/house/access"
)

// call is one request on its way through the house.
type call struct {
	id     string
	person access.Person // the zero value is an unknown person
	// unknown is the reason why the session or token identifies nobody, nil if there was
	// none or the person is known.
	unknown error
	// from is the address of the client.
	from   netip.Addr
	status int
	wrote  int64
	// session is the token of the session cookie, empty for none.
	session string
	// device is the token that the device keeps of an earlier sign-in, empty for none.
	device string
	// origin is that of the page that asks, empty for none.
	origin string
	// machine is the bearer token, empty for none.
	machine string
	// body is the body of the request; nil for none.
	body []byte
}

type callKey struct{}

// callOf returns the call of a context; one that came no way through ServeHTTP has no sender.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func (c *call) instance() string {
	if c.id == "" {
		return ""
	}
	return "urn:trey:request:" + c.id
}

const maxRequestID = 64

// requestID returns the one that the client gave, if it can be repeated in headers and logs as
// it is, or a new one.
func requestID(given string) string {
	if given != "" && len(given) <= maxRequestID && sane(given) {
		return given
	}
	var random [8]byte
	rand.Read(random[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(random[:])
}

func sane(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// answer records the status and the size of the answer.
type answer struct {
	http.ResponseWriter
	call *call
}

func (w *answer) WriteHeader(status int) {
	if w.call.status == 0 {
		w.call.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answer) Write(p []byte) (int, error) {
	if w.call.status == 0 {
		w.call.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.call.wrote += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] find the connection.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
