package api

import (
	"net/http"
	"testing"

	"trey/money"
)

func TestARoundByHTTP(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("ann", "T1", `{"kind":"examine","body":{"box":1,"player":"ann"}}`)
	s.done("ann", "T1", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	got := s.done("dan", "T1", `{"kind":"settle"}`)
	r := s.get("ann", "/api/v1/tables/T1")
	var at struct {
		Version int64
		Picture struct{ Phase string }
	}
	r.into(t, &at)
	if r.StatusCode != http.StatusOK || at.Picture.Phase != "settled" || at.Version != got.Version || r.Header.Get("Etag") != etag(got.Version) {
		t.Fatalf("after the round: %s %s", r.Status, r.text)
	}
}
