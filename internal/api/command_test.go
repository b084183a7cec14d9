package api

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
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

// TestAnActivePlayerIsNotFoldedOnOneWord holds that a report of a player who is signed
// in and active waits for a second person, who may deny it. A player who is not
// signed in is folded at once.
func TestAnActivePlayerIsNotFoldedOnOneWord(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
	bet := table.Bet{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major}
	if _, err := s.Do(s.Context(), house.CommandRequest{Table: "T1", By: staff["ben"], Do: bet}); err != nil {
		t.Fatal(err) // ben has bet, and no request of theirs has come
	}
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	kinds := func(d Done) (all string) {
		for _, e := range d.Events {
			all += e.Kind + " "
		}
		return strings.TrimSpace(all)
	}
	left := func(person string) string {
		return `{"kind":"report","body":{"incident":"walked-away","player":"` + person + `"}}`
	}
	if got := kinds(s.done("dan", "T1", left("ben"))); got != "reported hand-folded" {
		t.Errorf("a player who is not signed in: %s", got)
	}
	if got := kinds(s.done("dan", "T1", left("ann"))); got != "question-asked" {
		t.Fatalf("an active player: %s", got)
	}
	at, err := s.Status("T1")
	if err != nil {
		t.Fatal(err)
	}
	q := housetest.State(at.State).Question
	if q.Key != table.ConfirmFacts || !q.Report.Active || housetest.State(at.State).Boxes[0].Decision == table.Folded {
		t.Errorf("asked is %+v, and the hand is %v", q, housetest.State(at.State).Boxes[0].Decision)
	}
	if r := s.order("dan", "T1", `{"kind":"answer","body":{"answer":"yes"}}`); r.StatusCode == http.StatusOK {
		t.Error("the dealer confirmed the report")
	}
	s.done("pat", "T1", `{"kind":"answer","body":{"answer":"no"}}`)
	// Nor does anybody end the time of such a player, who would be folded by it.
	for _, person := range []string{"dan", "pat", "sue"} {
		if r := s.order(person, "T1", `{"kind":"expire"}`); r.StatusCode != http.StatusConflict || !strings.Contains(r.text, "signed in and active") {
			t.Errorf("%s ends the time: %s %s", person, r.Status, r.text)
		}
	}
	s.done("ann", "T1", `{"kind":"raise","body":{"box":1}}`)
}

// TestWhatOnlyTheHouseStates holds that a client can state neither that a player is
// active nor that its own command is automatic.
func TestWhatOnlyTheHouseStates(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp", func(t *house.Table) { // where a stop after the deal gives bets back
		t.Variant.Choices[rules.OutcomeEstablished] = rules.FirstExposure
	})
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("ann", "T1", `{"kind":"examine","body":{"box":1}}`)
	const report = `{"kind":"report","body":{"incident":"interruption","lasted_ms":60000`
	for _, body := range []string{
		report + `,"automatic":true}}`,
		report + `},"automatic":true}`,
		report + `},"by":{"name":"the house","role":"dealer","automatic":true}}`,
		report + `,"by":{"automatic":true}}}`,
		`{"kind":"report","body":{"incident":"walked-away","player":"ann","active":true}}`,
		`{"kind":"report","body":{"incident":"interruption","lasted_ms":60000,"active":true}}`,
	} {
		for _, query := range []string{"", "?dry_run=true"} {
			r := s.ask("pat", http.MethodPost, "/api/v1/tables/T1/commands"+query, body)
			if r.StatusCode != http.StatusBadRequest && r.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s: %s %s", body, r.Status, r.text)
			}
		}
	}
	// What a person reports of a stop is confirmed: only the house measures one.
	if got := s.done("pat", "T1", report+`}}`); len(got.Events) != 1 || got.Events[0].Kind != "question-asked" {
		t.Errorf("a person's report of a stop: %+v", got.Events)
	}
}

// A command that is tried out without a version is not told that the table has moved on, also while
// another is being recorded; one that names a version is.
func TestADryRunOfNoVersionIsOfTheTableAsItIs(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	version := s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`).Version
	for _, c := range []struct {
		headers []string
		status  int
	}{{nil, http.StatusOK}, {[]string{"If-Match", etag(version)}, http.StatusPreconditionFailed}} {
		s.line.hold()
		var all sync.WaitGroup
		all.Go(func() {
			s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"pair-plus","amount":1000}}`)
		})
		steady.Await(t, "the bet is in line", func() bool { return s.line.length() == 1 })
		var tried *reply
		all.Go(func() {
			tried = s.ask("ann", http.MethodPost, "/api/v1/tables/T1/commands?dry_run=true", `{"kind":"withdraw","body":{"box":1,"wager":"ante"}}`, c.headers...)
		})
		time.Sleep(50 * time.Millisecond) // for the dry run to come to the table
		s.line.release()
		all.Wait()
		if tried.StatusCode != c.status {
			t.Errorf("a dry run with %q beside a bet: %s %s", c.headers, tried.Status, tried.text)
		}
		s.done("ann", "T1", `{"kind":"withdraw","body":{"box":1,"wager":"pair-plus"}}`)
	}
}
