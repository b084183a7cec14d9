package admission

import (
	"bytes"
	"io"
	"net/http"
)

// Body reads what a request holds to its end and returns it; whoever reads the request's
// body after that reads it from memory. It is read before anybody asks whose the request
// is: a person who is shut out while the rest is on its way sends that in vain. The error
// is a [*http.MaxBytesError] if it is longer than mostBytes, and else says that the request
// broke off.
func Body(w http.ResponseWriter, r *http.Request, mostBytes int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	var text bytes.Buffer
	_, err := text.ReadFrom(http.MaxBytesReader(w, r.Body, mostBytes))
	r.Body = io.NopCloser(bytes.NewReader(text.Bytes()))
	return text.Bytes(), err
}
