package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TestAProgramCannotForfeitAtOnce sends the order by which hands are folded as a program would.
// Nothing ends until five seconds after the players were warned, and in that time the warning
// can be taken back. A repeat under the same key gets the same answer.
func TestAProgramCannotForfeitAtOnce(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ben", 1000*money.Major)
	decided := func() table.Decision {
		t.Helper()
		at, err := s.Status("T1")
		if err != nil {
			t.Fatal(err)
		}
		return housetest.State(at.State).Boxes[0].Decision
	}
	expire := func(want int, slug string) *reply {
		t.Helper()
		r := s.ask("dan", http.MethodPost, "/api/v1/tables/T1/commands", `{"kind":"expire"}`, "Idempotency-Key", "time is up")
		switch {
		case r.StatusCode != want:
			t.Fatalf("expire: %s %s, want %d", r.Status, r.text, want)
		case slug != "" && r.problem(t).Type != "urn:trey:problem:"+slug:
			t.Fatalf("expire: %s, want %s", r.text, slug)
		}
		return r
	}
	back := func(person string, want int) {
		t.Helper()
		if r := s.ask(person, http.MethodDelete, "/api/v1/tables/T1/warning", ""); r.StatusCode != want {
			t.Errorf("%s takes the warning back: %s %s, want %d", person, r.Status, r.text, want)
		}
	}
	// A player who reads the table, or begins to follow it, sees a warning that stands.
	sees := func(want bool) {
		t.Helper()
		var read, followed struct {
			Warning *TimeWarning `json:"warning"`
		}
		s.get("ann", "/api/v1/tables/T1").into(t, &read)
		stream := s.listen("ann", "/api/v1/tables/T1/events", 0)
		defer stream.close()
		first, ok := stream.next()
		if err := json.Unmarshal([]byte(first.data), &followed); err != nil || !ok || first.event != "standing" {
			t.Fatalf("the stream begins with %+v: %v", first, err)
		}
		for from, warning := range map[string]*TimeWarning{"the table": read.Warning, "its stream": followed.Warning} {
			if (warning != nil) != want || want && (warning.DueMs != warning.AtMs+5_000 || warning.DueMs <= s.nowMs()) {
				t.Errorf("%s has the warning %+v, want one: %t", from, warning, want)
			}
		}
	}
	sees(false)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	bet := table.Bet{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major}
	if _, err := s.Do(s.Context(), house.CommandRequest{Table: "T1", By: staff["ben"], Do: bet}); err != nil {
		t.Fatal(err) // ben has bet, and no request of theirs has come
	}
	expire(http.StatusConflict, "refused") // nobody is awaited: nobody is warned
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	back("dan", http.StatusConflict)
	if r := expire(http.StatusConflict, "warned"); r.Header.Get("Retry-After") != "5" {
		t.Errorf("the warning says to come again after %q seconds", r.Header.Get("Retry-After"))
	}
	sees(true)
	s.aheadMs.Add(4_000)
	for range 3 {
		expire(http.StatusConflict, "warned")
	}
	back("ann", http.StatusForbidden)
	back("eye", http.StatusForbidden)
	sees(true)
	back("dan", http.StatusNoContent)
	sees(false)
	s.aheadMs.Add(4_000)
	expire(http.StatusConflict, "warned") // it warns anew
	// A warning that nobody carried out counts no longer.
	s.aheadMs.Add(61_000)
	sees(false)
	expire(http.StatusConflict, "warned")
	if decided() != table.Undecided {
		t.Fatalf("the hand is %s before the time has ended", decided())
	}
	s.aheadMs.Add(5_000)
	expire(http.StatusOK, "")
	if decided() != table.Folded {
		t.Errorf("five seconds after the warning the hand is %s", decided())
	}
	if r := expire(http.StatusOK, ""); r.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("an order that was carried out is not answered again under its key")
	}
	back("dan", http.StatusConflict)
	sees(false)
}

// What ends is the time that the players were warned of. Where the round is over and another one is
// dealt while the order is on its way, its players are warned first.
func TestTheTimeThatEndsIsTheOneThatWasWarnedOf(t *testing.T) {
	var s *site
	deal := func() {
		s.Helper()
		s.done("dan", "T1", `{"kind":"open-bets"}`)
		bet := table.Bet{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major}
		if _, err := s.Do(s.Context(), house.CommandRequest{Table: "T1", By: staff["ben"], Do: bet}); err != nil {
			t.Fatal(err)
		}
		s.done("dan", "T1", `{"kind":"close-bets"}`)
		s.done("dan", "T1", `{"kind":"deal"}`)
	}
	const expire = "/api/v1/tables/T1/commands"
	var meanwhile func()
	s = newSite(t, func(c *Config) {
		c.NowMs = func() int64 {
			if then := meanwhile; then != nil {
				meanwhile = nil
				then()
			}
			return s.nowMs()
		}
	})
	s.install("T1", "us-3cp")
	s.buyIn("ben", 1000*money.Major)
	deal()
	s.status(http.StatusConflict, "warned", "dan", http.MethodPost, expire, `{"kind":"expire"}`)
	s.aheadMs.Add(5_000)
	meanwhile = func() {
		if _, err := s.Do(s.Context(), house.CommandRequest{Table: "T1", By: staff["ben"], Do: table.Fold{Box: 1, Player: "ben"}}); err != nil {
			t.Error(err)
		}
		s.done("dan", "T1", `{"kind":"reveal"}`)
		s.done("dan", "T1", `{"kind":"settle"}`)
		deal()
	}
	s.status(http.StatusConflict, "warned", "dan", http.MethodPost, expire, `{"kind":"expire"}`)
	if state := s.state("T1"); state.Round != 2 || state.Boxes[0].Decision != table.Undecided {
		t.Errorf("in round %d, of which nobody was warned, the hand is %s", state.Round, state.Boxes[0].Decision)
	}
	s.aheadMs.Add(5_000)
	s.status(http.StatusOK, "", "dan", http.MethodPost, expire, `{"kind":"expire"}`)
	if state := s.state("T1"); state.Boxes[0].Decision != table.Folded {
		t.Errorf("five seconds after the warning the hand is %s", state.Boxes[0].Decision)
	}
}
