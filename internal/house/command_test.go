package house_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/money"
	"trey/table"
)

// Whatever is the cause of a transaction is a command of one of the tables of kinds, in the
// bytes that these write. The audit refuses every other, and says what would read it.
func TestEveryCauseIsAStoredCommand(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp@3")
	s.buyIn("ann", 1000*money.Major)
	if _, err := s.CageTransfer(ctx(), "out", cashier, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 5}); err != nil {
		t.Fatal(err)
	}
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	s.restart()
	if err := s.CloseDown(ctx()); err != nil {
		t.Fatal(err)
	}
	var entries []house.StoredTransaction
	if err := s.store.ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { entries = append(entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	check := func(alter func(c *house.Cause)) (findings []string) {
		a := auditor.New()
		for _, e := range entries {
			alter(&e.Cause)
			a.Read(e)
		}
		for _, f := range a.Findings() {
			findings = append(findings, f.What)
		}
		return findings
	}
	kinds := map[string]bool{}
	if found := check(func(c *house.Cause) {
		kinds[c.Kind] = true
		if record.Actions.Has(c.Kind) == house.Commands.Has(c.Kind) {
			t.Errorf("%s is a kind of two tables or of none", c.Kind)
		}
	}); len(found) != 0 {
		t.Errorf("found %q", found)
	}
	for _, kind := range []string{"install-table", "buy-in", "cash-out", "bet", "settle", "drain"} {
		if !kinds[kind] {
			t.Errorf("nothing was caused by %s", kind)
		}
	}
	for name, alter := range map[string]struct{ kind, body, as, want string }{
		"a kind that there is not":       {"drain", `{}`, "sleep", `"sleep": this version of Trey does not know it; a later version of Trey reads it`},
		"a version that there is not":    {"buy-in", `{"player":"ann","amount":100000}`, "buy-in/2", `"buy-in/2": this version of Trey does not know it; a later version of Trey reads it`},
		"no body":                        {"drain", ``, "drain", "the cause cannot be read"},
		"a field that there is not":      {"cash-out", `{"player":"ann","amount":5,"more":1}`, "cash-out", "the cause cannot be read"},
		"a field that says nothing":      {"cash-out", `{"player":"ann","amount":5,"note":""}`, "cash-out", "it is not written as Trey writes it"},
		"a command at a table, in words": {"settle", `{"when":"now"}`, "settle", "the cause cannot be read"},
	} {
		found := check(func(c *house.Cause) {
			if c.Kind == alter.kind {
				c.Kind, c.Body = alter.as, json.RawMessage(alter.body)
			}
		})
		if !slices.ContainsFunc(found, func(what string) bool { return strings.Contains(what, alter.want) }) {
			t.Errorf("%s: found %q", name, found)
		}
	}
}
