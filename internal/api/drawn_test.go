package api

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/housetest"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Two cards that came out of the shoe together lie nowhere yet, face down. Whoever
// reports it names them, and nobody is told: rws-3cp@3 5.14.
func TestCardsDrawnTogetherAreNotDisclosed(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp", func(t *house.Table) {
		t.Config = table.Config{Device: rules.Shoe, Cards: table.Read, Chips: true}
	})
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	readers := []string{"ann", "ben", "dan", "pat", "sue", "eye", "adm"}
	streams := map[string]*reader{}
	for _, person := range readers {
		streams[person] = s.listen(person, "/api/v1/tables/T1/events?picture=true", 0)
		defer streams[person].close()
		if m, ok := streams[person].next(); !ok || m.event != "standing" {
			t.Fatalf("%s: %+v", person, m)
		}
	}
	status, err := s.Status("T1")
	if err != nil {
		t.Fatal(err)
	}
	var report table.Report
	for _, a := range status.State.Legal(staff["dan"].Actor()) {
		if r, ok := a.(table.Report); ok && r.Incident == rules.DrawnTogether {
			report = r
		}
	}
	if len(report.Cards) < 2 {
		t.Fatalf("the report is %+v", report)
	}
	drawn := []string{"9c", "Qd", "4h", "7s"}[:len(report.Cards)]
	var hidden card.Set
	for i := range report.Cards {
		if err := report.Cards[i].Card.UnmarshalText([]byte(drawn[i])); err != nil {
			t.Fatal(err)
		}
		hidden = hidden.With(report.Cards[i].Card)
	}
	report.Note = "the " + drawn[0] + " may have been first"
	body, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	hides := func(person, what, text string) {
		t.Helper()
		if found := leaks(text, hidden); len(found) > 0 {
			t.Errorf("%s is told of %v by %s: %s", person, found, what, text)
		}
	}
	hides("dan", "the answer", s.order("dan", "T1", fmt.Sprintf(`{"kind":"report","body":%s}`, body)).text)
	after, err := s.Status("T1")
	if err != nil || housetest.State(after.State).Question == nil {
		t.Fatalf("nobody is asked: %+v, %v", after.State, err)
	}
	for _, person := range readers {
		m, ok := streams[person].next()
		if !ok || !strings.Contains(m.data, "question-asked") {
			t.Errorf("%s hears %+v", person, m)
		}
		hides(person, "the stream", m.data)
		for _, path := range []string{"/api/v1/tables/T1", "/api/v1/tables/T1/moves", "/api/v1/log?limit=500", "/api/v1/alerts", "/api/v1/reports/irregularities?table=T1"} {
			hides(person, path, s.get(person, path).text)
		}
	}
	hides("the operator", "the log", s.log.take())
}

// The seed that a round is dealt from tells of every card in it. Until the round
// has ended nobody is sent it, by no way.
func TestTheSealedSeedStaysSealed(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	var seed, cipher string
	if err := s.store.ReadAll(t.Context(), 0, "sealed:T1", func(e house.StoredTransaction) error {
		for _, p := range e.Parts {
			var sealed fair.Sealed
			if p.Stream != "sealed:T1" {
				continue
			}
			if err := json.Unmarshal(p.Events[0].Body, &sealed); err != nil {
				return err
			}
			if sealed.Round == 1 {
				opened, err := sealing.Numbered(1).Open("T1", sealed)
				if err != nil {
					return err
				}
				seed, cipher = hex.EncodeToString(opened[:]), sealed.Cipher
			}
		}
		return nil
	}); err != nil || len(seed) != 64 {
		t.Fatalf("the seed is %q: %v", seed, err)
	}
	hides := func(person, what, text string) {
		t.Helper()
		if strings.Contains(strings.ToLower(text), seed) || strings.Contains(text, cipher) {
			t.Errorf("%s is sent the sealed seed by %s: %s", person, what, text)
		}
	}
	readers := []string{"ann", "ben", "dan", "pat", "sue", "cas", "eye", "adm", "aud"}
	heard := map[string]*reader{}
	for _, person := range readers {
		heard[person] = s.listen(person, "/api/v1/tables/T1/events?picture=true", 1)
		defer heard[person].close()
	}
	commands := []struct{ by, text string }{
		{"dan", `{"kind":"open-bets"}`},
		{"ann", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}}`},
		{"dan", `{"kind":"close-bets"}`},
		{"dan", `{"kind":"deal"}`},
	}
	var last int64
	for _, c := range commands {
		r := s.order(c.by, "T1", c.text)
		var done struct{ Seq int64 }
		r.into(t, &done)
		last = done.Seq
		hides(c.by, c.text, r.text)
		for _, person := range readers {
			for _, path := range []string{
				"/api/v1/tables/T1", "/api/v1/tables/T1/moves", "/api/v1/tables/T1/seeds", "/api/v1/tables/T1/rounds", "/api/v1/tables/T1/rounds/1",
				"/api/v1/log?limit=500", "/api/v1/log?limit=500&stream=sealed:T1", "/api/v1/log?limit=500&stream=deal:T1", "/api/v1/reports/significant-events", "/api/v1/audit/transactions?limit=1000",
			} {
				hides(person, path, s.get(person, path).text)
			}
		}
	}
	for _, person := range readers {
		for {
			m, ok := heard[person].next()
			if !ok {
				t.Fatalf("the stream of %s ended before %d", person, last)
			}
			hides(person, "the stream", m.data)
			if m.id >= last {
				break
			}
		}
	}
	// When the round has ended everybody may have it.
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	if status, err := s.Status("T1"); err != nil || status.State.Phase().InRound() {
		t.Fatal(status.State.Phase(), err)
	}
	if text := s.get("eye", "/api/v1/log?limit=500&stream=deal:T1").text; !strings.Contains(text, seed) {
		t.Errorf("the seed is not revealed: %s", text)
	}
}

// One key is sent many times at once with two contents. One of them is carried out once and all
// its senders get the same answer. The senders of the other get an error.
func TestOneKeyWithTwoContents(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	for _, wager := range []string{"ante", "pair-plus"} {
		key := "the " + wager
		texts := [2]string{
			fmt.Sprintf(`{"kind":"bet","body":{"box":1,"player":"ann","wager":%q,"amount":500}}`, wager),
			fmt.Sprintf(`{"kind":"bet","body":{"box":1,"player":"ann","wager":%q,"amount":700}}`, wager),
		}
		before := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"})
		var answers [20]*reply
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = s.order("ann", "T1", texts[i%2], "Idempotency-Key", key) })
		}
		all.Wait()
		won, first := -1, ""
		for i, r := range answers {
			if r.StatusCode == http.StatusOK {
				won, first = i%2, r.text
				break
			}
		}
		if won < 0 {
			t.Fatalf("nobody is answered: %s", answers[0].text)
		}
		for i, r := range answers {
			switch {
			case r.StatusCode == http.StatusOK && i%2 == won && r.text == first:
			case r.StatusCode == http.StatusConflict && r.problem(t).Type == "urn:trey:problem:key-busy":
			case r.StatusCode == http.StatusUnprocessableEntity && i%2 != won:
			default:
				t.Errorf("%s %s, and content %d was carried out: %s", r.Status, r.text, won, first)
			}
		}
		want := before - []money.Amount{500, 700}[won]
		if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != want {
			t.Errorf("ann has %s, and has to have %s", got, want)
		}
	}
}
