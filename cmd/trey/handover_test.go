package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

// What a machine answers where nobody answers for the house is a problem of the interface, whatever
// stands in its detail.
func TestWhatIsNotServedIsAProblem(t *testing.T) {
	h := newHandover(slog.New(slog.DiscardHandler))
	for _, answer := range []func(w http.ResponseWriter){
		h.away, h.ready,
		func(w http.ResponseWriter) { h.refuse(w, errStranger.Error()+` "牌"`+"\x01") },
	} {
		w := httptest.NewRecorder()
		answer(w)
		var problem struct {
			Type, Title, Detail string
			Status              int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Type != "urn:trey:problem:stopped" || problem.Title == "" || problem.Detail == "" || problem.Status != w.Code || w.Code != http.StatusServiceUnavailable || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d %v %s: %v", w.Code, w.Header(), w.Body, err)
		}
	}
}
