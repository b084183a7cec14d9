package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/proof"
	"trey/money"
	"trey/table"
)

// settled plays a round at a dealer's table up to its settlement.
func (s *site) settled(name, player string) {
	s.Helper()
	s.dealt(name, player)
	s.done(player, name, `{"kind":"examine","body":{"box":1,"player":"`+player+`"}}`)
	s.done(player, name, `{"kind":"raise","body":{"box":1,"player":"`+player+`"}}`)
	s.done("dan", name, `{"kind":"reveal"}`)
	s.done("dan", name, `{"kind":"settle"}`)
}

// dealt plays a round at a dealer's table until the cards lie.
func (s *site) dealt(name, player string) {
	s.Helper()
	s.done("dan", name, `{"kind":"open-bets"}`)
	s.done(player, name, `{"kind":"bet","body":{"box":1,"player":"`+player+`","wager":"ante","amount":1000}}`)
	s.done("dan", name, `{"kind":"close-bets"}`)
	s.done("dan", name, `{"kind":"deal"}`)
}

// The record of a round is proven by what was answered alone, and is had by those
// who bet in it and by those who look into rounds.
func TestRecordsOfRounds(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	const path = "/api/v1/tables/T1/rounds/1"
	status := func(who, path string, want int, says string) {
		t.Helper()
		r := s.get(who, path)
		if r.StatusCode != want || !strings.Contains(r.problem(t).Detail, says) {
			t.Errorf("%s, %s: %s %s\nwant %d and %q", who, path, r.Status, r.text, want, says)
		}
	}
	status("ann", path, http.StatusNotFound, "no such round")
	s.dealt("T1", "ann")
	status("ann", path, http.StatusConflict, "is being played")
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	for _, who := range []string{"ann", "pat", "sue", "eye"} {
		r := s.get(who, path)
		round, err := proof.Read(strings.NewReader(r.text))
		if err != nil {
			t.Fatalf("%s: %s %s: %v", who, r.Status, r.text, err)
		}
		if found := proof.Verify(round); !found.Proven {
			t.Errorf("%s: %+v", who, found)
		}
	}
	for _, who := range []string{"ben", "dan", "cas", "adm"} {
		status(who, path, http.StatusForbidden, "for those who bet in it")
	}
	status("", path, http.StatusUnauthorized, "")
	status("ann", "/api/v1/tables/T1/rounds/2", http.StatusNotFound, "no such round")
	status("ann", "/api/v1/tables/T1/rounds/0", http.StatusUnprocessableEntity, "")
	status("ann", "/api/v1/tables/T9/rounds/1", http.StatusNotFound, "no such table")
}

// Where cards were dealt by hand a player does not learn from the record what was
// never shown.
func TestRecordsOfCardsDealtByHand(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp", func(t *house.Table) { t.Config.Cards = table.Read })
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	var cards []string
	for _, c := range []string{"2c", "7d", "9h", "Kc", "4s", "5d"} {
		cards = append(cards, fmt.Sprintf(`{"card":%q}`, c))
	}
	s.done("dan", "T1", `{"kind":"deal","body":{"cards":[`+strings.Join(cards, ",")+`]}}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	if r := s.get("ann", "/api/v1/tables/T1/rounds/1"); r.StatusCode != http.StatusForbidden || strings.Contains(r.text, `"2c"`) {
		t.Errorf("%s %s", r.Status, r.text)
	}
	if r := s.get("pat", "/api/v1/tables/T1/rounds/1"); r.StatusCode != http.StatusOK || !strings.Contains(r.text, `"2c"`) {
		t.Errorf("%s %s", r.Status, r.text)
	}
}

// A record tells how the jackpot stood, and with it which hands have hit it: it is
// kept back while hands that lay there then lie face down still, hit or not.
func TestRecordsWaitForOtherTables(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"T1", "T2", "T3"} {
		s.install(name, "rws-3cp")
	}
	s.install("U1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	s.done("dan", "T3", `{"kind":"open-bets"}`) // without cards, it hides nothing
	s.dealt("U1", "ben")                        // it has no part in the jackpot
	s.dealt("T2", "ben")
	s.settled("T1", "ann")
	for _, who := range []string{"ann", "sue"} {
		r := s.get(who, "/api/v1/tables/T1/rounds/1")
		if r.StatusCode != http.StatusConflict || !strings.Contains(r.problem(t).Detail, "at table T2") || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s %s", who, r.Status, r.text)
		}
	}
	s.done("ben", "T2", `{"kind":"fold","body":{"box":1,"player":"ben"}}`)
	s.done("dan", "T2", `{"kind":"reveal"}`)
	s.done("dan", "T2", `{"kind":"settle"}`)
	s.dealt("T2", "ben") // began after the round had ended
	if r := s.get("ann", "/api/v1/tables/T1/rounds/1"); r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, r.text)
	}
}
