package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/money"
)

// A dealer pays box by box by HTTP, in the book's order, and nobody else does. A void in the
// middle returns everybody's money to the cent, and the auditor finds no fault in the record.
func TestPayingInStepsByHTTP(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.buyIn("ben", 100*money.Major)
	step := func(person, body string, want int, says string) {
		t.Helper()
		r := s.order(person, "T1", body)
		if r.StatusCode != want || !strings.Contains(r.text, says) {
			t.Errorf("%s: %s is answered %s %s", person, body, r.Status, r.text)
		}
	}
	laid := func() money.Amount { return s.Balance(ledger.Account{Kind: ledger.Layout, Of: "T1"}) }
	for _, void := range []bool{true, false} {
		s.done("dan", "T1", `{"kind":"open-bets"}`)
		s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"pair-plus","amount":500}}`)
		s.done("ben", "T1", `{"kind":"bet","body":{"box":2,"player":"ben","wager":"pair-plus","amount":300}}`)
		s.done("dan", "T1", `{"kind":"close-bets"}`)
		s.done("dan", "T1", `{"kind":"deal"}`)
		s.done("dan", "T1", `{"kind":"reveal"}`)
		step("ann", `{"kind":"settle","body":{"box":2}}`, http.StatusForbidden, "")
		step("dan", `{"kind":"settle","body":{"box":1}}`, http.StatusConflict, "first settle box 2")
		step("dan", `{"kind":"report","body":{"incident":"mispaid","box":2,"player":"ben","wager":"pair-plus","amount":100000}}`, http.StatusConflict, "not settled yet")
		if r := s.get("dan", "/api/v1/tables/T1"); !strings.Contains(r.text, `"settle_next":2`) {
			t.Errorf("the table does not say that box 2 is settled next: %s", r.text)
		}
		step("dan", `{"kind":"settle","body":{"box":2}}`, http.StatusOK, "box-settled")
		if laid() != 500 {
			t.Errorf("%s lies there after box 2 is settled, want 5.00", laid())
		}
		step("dan", `{"kind":"report","body":{"incident":"mispaid","box":2,"player":"ben","wager":"pair-plus","amount":100000}}`, http.StatusOK, "question-asked")
		step("dan", `{"kind":"answer","body":{"answer":"yes"}}`, http.StatusForbidden, "")
		step("pat", `{"kind":"answer","body":{"answer":"yes"}}`, http.StatusOK, "pay-difference")
		if !void {
			step("dan", `{"kind":"settle"}`, http.StatusOK, `"settled"`)
			break
		}
		s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
		step("sue", `{"kind":"answer","body":{"answer":"void"}}`, http.StatusOK, "round-voided")
		for _, name := range []string{"ann", "ben"} {
			if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: name}); got != 100*money.Major {
				t.Errorf("%s has %s after the void, want 100.00", name, got)
			}
		}
	}
	if laid() != 0 {
		t.Errorf("%s lies there after the last box", laid())
	}
	a, err := auditor.Check(context.Background(), s.store)
	if err != nil || len(a.Findings()) > 0 {
		t.Errorf("the auditor finds %v, %v", a.Findings(), err)
	}
}
