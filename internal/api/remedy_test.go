package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house/auditor"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/money"
)

// A shift manager decides by HTTP. Awards and collections reach the accounts to the cent, and
// an uncovered collection is refused with the amount. Reasons stay with the staff, and the
// auditor finds no fault in the record.
func TestRemediesByHTTP(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 20*money.Major)
	s.buyIn("ben", 100*money.Major)
	stream := s.listen("ben", "/api/v1/tables/T1/events", 0)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("ben", "T1", `{"kind":"bet","body":{"box":2,"player":"ben","wager":"ante","amount":1000}}`)
	s.done("ben", "T1", `{"kind":"bet","body":{"box":2,"player":"ben","wager":"pair-plus","amount":500}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("ben", "T1", `{"kind":"fold","body":{"box":2,"player":"ben"}}`)
	holds := func(ann, ben money.Amount) {
		t.Helper()
		for name, want := range map[string]money.Amount{"ann": ann, "ben": ben} {
			if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: name}); got != want {
				t.Errorf("%s has %s, want %s", name, got, want)
			}
		}
	}
	holds(1000, 8500)
	remedy := func(person, list string, want int, says string) {
		t.Helper()
		r := s.order(person, "T1", `{"kind":"answer","body":{"answer":"remedy","remedies":[`+list+`]}}`)
		if r.StatusCode != want || !strings.Contains(r.text, says) {
			t.Errorf("%s: %s is answered %s %s", person, list, r.Status, r.text)
		}
	}
	s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
	const restore = `{"do":"restore","box":1,"reason":"a secret of the staff"}`
	remedy("pat", restore, http.StatusForbidden, "not-permitted")
	remedy("ann", restore, http.StatusForbidden, "")
	remedy("sue", `{"do":"restore","box":1}`, http.StatusUnprocessableEntity, "")
	remedy("sue", `{"do":"restore","box":1,"reason":""}`, http.StatusUnprocessableEntity, "malformed")
	remedy("sue", `{"do":"melt","box":1,"reason":"why"}`, http.StatusUnprocessableEntity, "melt")
	remedy("sue", restore+`,{"do":"return","box":2,"player":"ben","wager":"pair-plus","reason":"as agreed"}`, http.StatusOK, "decision-restored")
	holds(1000, 9000)
	s.done("ann", "T1", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	after := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"})

	s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
	// Ben's Ante was folded: it could have brought 20 and its Bonus 40.
	remedy("sue", `{"do":"award","box":2,"player":"ben","wager":"ante","amount":2001,"reason":"misread"}`, http.StatusUnprocessableEntity, "20.00")
	remedy("sue", `{"do":"award","box":2,"player":"ben","wager":"ante-bonus","amount":4001,"reason":"misread"}`, http.StatusUnprocessableEntity, "40.00")
	remedy("sue", `{"do":"award","box":2,"player":"ben","wager":"ante","amount":2000,"reason":"misread"}`, http.StatusOK, "payment-corrected")
	holds(after, 11000)
	// Ben takes nearly all of it away, and the rest is not enough.
	if r := s.ask("cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ben","amount":10500}`); r.StatusCode != http.StatusOK {
		t.Fatal(r.text)
	}
	s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
	remedy("sue", `{"do":"collect","box":2,"player":"ben","wager":"ante","amount":2001,"reason":"misread"}`, http.StatusUnprocessableEntity, "20.00")
	remedy("sue", `{"do":"collect","box":2,"player":"ben","wager":"ante","amount":501,"reason":"misread"}`, http.StatusConflict, "5.01")
	holds(after, 500)
	remedy("sue", `{"do":"collect","box":2,"player":"ben","wager":"ante","amount":500,"reason":"a secret of the staff"}`, http.StatusOK, "payment-corrected")
	holds(after, 0)

	// A void round takes an award on a bet that had been taken in back with the rest.
	s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
	remedy("sue", `{"do":"award","box":2,"player":"ben","wager":"ante","amount":300,"reason":"misread"}`, http.StatusOK, "payment-corrected")
	holds(after, 300)
	s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
	if r := s.order("sue", "T1", `{"kind":"answer","body":{"answer":"void"}}`); r.StatusCode != http.StatusOK {
		t.Fatal(r.text)
	}
	// Ann has the 20 back. Ben came with 100 and has taken 105 away: 5 are owed.
	holds(2000, 0)
	if owed := s.Balance(ledger.Account{Kind: ledger.Owed, Of: "ben"}); owed != -500 && owed != 500 {
		t.Errorf("ben owes %s, want 5.00", owed)
	}

	for {
		m, ok := stream.next()
		if !ok {
			t.Fatal("the stream ends before the last remedy")
		}
		if strings.Contains(m.data, "secret") {
			t.Errorf("ben is told why: %s", m.data)
		}
		if strings.Contains(m.data, `"reverses":500`) {
			break
		}
	}
	r := s.get("sue", "/api/v1/reports/"+report.Irregularities.String()+"?table=T1", "Accept", "text/plain")
	for _, want := range []string{"restore", "awarded", "collected", "a secret of the staff"} {
		if !strings.Contains(r.text, want) {
			t.Errorf("the report has no %q:\n%s", want, r.text)
		}
	}
	a, err := auditor.Check(context.Background(), s.store)
	if err != nil || len(a.Findings()) > 0 {
		t.Errorf("the auditor finds %v, %v", a.Findings(), err)
	}
}
