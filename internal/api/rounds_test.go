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
	status := func(person, path string, want int, says string) {
		t.Helper()
		r := s.get(person, path)
		if r.StatusCode != want || !strings.Contains(r.problem(t).Detail, says) {
			t.Errorf("%s, %s: %s %s\nwant %d and %q", person, path, r.Status, r.text, want, says)
		}
	}
	status("ann", path, http.StatusNotFound, "no such round")
	s.dealt("T1", "ann")
	status("ann", path, http.StatusConflict, "is being played")
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	for _, person := range []string{"ann", "pat", "sue", "eye"} {
		r := s.get(person, path)
		round, err := proof.Read(strings.NewReader(r.text))
		if err != nil {
			t.Fatalf("%s: %s %s: %v", person, r.Status, r.text, err)
		}
		if found := proof.Verify(round); !found.Sound {
			t.Errorf("%s: %+v", person, found)
		}
	}
	for _, person := range []string{"ben", "dan", "cas", "adm"} {
		status(person, path, http.StatusForbidden, "for those who bet in it")
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

// A record includes the jackpot meter, and thus discloses which hands have hit it. It is
// withheld while hands that lay there then still lie face down, hit or not.
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
	for _, person := range []string{"ann", "sue"} {
		r := s.get(person, "/api/v1/tables/T1/rounds/1")
		if r.StatusCode != http.StatusConflict || !strings.Contains(r.problem(t).Detail, "at table T2") || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %s %s", person, r.Status, r.text)
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

// Rounds are found by those who look into them, each with what it was found for.
func TestSearchOfRounds(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.install("T2", "rws-3cp")
	for _, person := range []string{"ann", "ben"} {
		s.buyIn(person, 1000*money.Major)
	}
	s.settled("T1", "ann")
	s.settled("T2", "ben")
	s.dealt("T1", "ann")
	search := func(query string) (found struct {
		Rounds []struct {
			Table   string
			Round   int
			Ended   string
			Players []string
			Laid    int
			Matches []struct {
				Event, Player, Clause string
				Amount                int
			}
		}
		Next int64
	},
	) {
		t.Helper()
		s.get("eye", "/api/v1/rounds"+query).into(t, &found)
		return found
	}
	if all := search(""); len(all.Rounds) != 3 || all.Rounds[0].Table != "T1" || all.Rounds[0].Round != 2 || all.Rounds[0].Ended != "" || all.Rounds[1].Ended != "settled" {
		t.Errorf("everything is %+v", all)
	}
	// An Ante of $10 and a Play bet that equals it.
	ofBen := search("?player=ben")
	if len(ofBen.Rounds) != 1 || ofBen.Rounds[0].Laid != 2000 || fmt.Sprint(ofBen.Rounds[0].Players) != "[ben]" || len(ofBen.Rounds[0].Matches) == 0 {
		t.Errorf("the rounds of ben are %+v", ofBen)
	}
	if one := search("?player=ann&limit=1"); len(one.Rounds) != 1 || one.Next == 0 {
		t.Errorf("the first page is %+v", one)
	} else if two := search(fmt.Sprintf("?player=ann&limit=1&before=%d", one.Next)); len(two.Rounds) != 1 || two.Rounds[0].Round != 1 {
		t.Errorf("the second page is %+v", two)
	}
	if much := search("?at_least=1001"); len(much.Rounds) > 2 {
		t.Errorf("nobody staked more than $10, and %+v are found", much)
	}
	for person, want := range map[string]int{"ann": 403, "dan": 403, "cas": 403, "adm": 403, "": 401, "pat": 200, "sue": 200, "eye": 200} {
		if r := s.get(person, "/api/v1/rounds"); r.StatusCode != want {
			t.Errorf("%q: %s, want %d", person, r.Status, want)
		}
	}
	if r := s.get("eye", "/api/v1/rounds?from_ms=5&to_ms=5"); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a period without time: %s", r.Status)
	}
}
