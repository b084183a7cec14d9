package house_test

import (
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/money"
)

// TestWhoseNameIsErased holds that no name is erased while its person has money, bets in a
// round, a proposal that waits, or an exclusion that lasts.
func TestWhoseNameIsErased(t *testing.T) {
	s := newSite(t)
	s.apart = true // whoever reads later knows no name that was erased
	s.install("A", "rws-3cp")
	refused := func(name, why string) {
		t.Helper()
		err := s.CheckErasable(name)
		if err == nil || !strings.Contains(err.Error(), "cannot be erased yet") || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want a refusal with %q", name, err, why)
		}
	}
	free := func(name string) {
		t.Helper()
		if err := s.CheckErasable(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	free("zoe")
	s.buyIn("ann", 10*money.Major)
	refused("ann", "player:ann holds $10.00")
	s.bet("A") // all of it, so that the account is empty
	s.holds(annHas, 0)
	refused("ann", "ann has bets in round 1 at A")

	s.buyIn("ben", money.Major)
	cashOut(s, "ben", money.Major)
	free("ben")
	id := s.propose(manager, house.Fill{Table: "A", Amount: money.Major})
	free("ben")
	refused(manager.Name, "is by")
	if err := s.Decline(ctx(), "", second, id, "no"); err != nil {
		t.Fatal(err)
	}
	free(manager.Name)
	adjust := s.propose(manager, house.AdjustAccount{Adjustment: posting.Adjustment{Player: "ben", Cause: posting.Goodwill, Change: money.Major, Note: "a gift"}})
	refused("ben", "or about them")
	if err := s.Decline(ctx(), "", second, adjust, "no"); err != nil {
		t.Fatal(err)
	}
	free("ben")
	if err := s.Exclude(ctx(), "", manager, "ben", protection.LeastExclusionMs, "a test"); err != nil {
		t.Fatal(err)
	}
	refused("ben", "is excluded from play until")
}

func cashOut(s *site, player string, amount money.Amount) {
	s.Helper()
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.CashOut, Player: player, Amount: amount}); err != nil {
		s.Fatal(err)
	}
}

// TestErasingKeepsTheRecord holds that erasing a name changes no existing leaf and no balance,
// and that the house opens by the number afterwards. A person who comes again gets another
// number.
func TestErasingKeepsTheRecord(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("zoe", 5*money.Major)
	cashOut(s, "zoe", 5*money.Major)
	before := lines(s)
	number := s.names()[0].Number
	for _, n := range s.names() {
		if n.Text == "zoe" {
			number = n.Number
		}
	}
	erased, err := house.RecordErasure(s.store, s.clock.Load()+1, "zoe", admin, manager, "the law says so")
	if err != nil || erased != number {
		t.Fatalf("number %d, want %d: %v", erased, number, err)
	}
	if _, err := house.RecordErasure(s.store, s.clock.Load()+1, "zoe", admin, manager, "once more"); err == nil {
		t.Error("a name is erased twice")
	}
	s.restart()
	after := lines(s)
	for i := range before {
		if after[i] != before[i] {
			t.Errorf("transaction %d was %s and is %s", i+1, before[i], after[i])
		}
	}
	last := after[len(after)-1]
	for _, want := range []string{`"kind":"name-erased"`, `"by":"the operator of the machine"`, `"why":"the law says so"`} {
		if !strings.Contains(last, want) {
			t.Errorf("the last transaction is %s, without %s", last, want)
		}
	}
	if strings.Contains(last, "zoe") || strings.Contains(last, "ida") {
		t.Errorf("the erasure has names: %s", last)
	}
	s.buyIn("zoe", money.Major)
	s.holds(ledger.Account{Kind: ledger.Player, Of: "zoe"}, money.Major)
	s.holds(ledger.Account{Kind: ledger.Player, Of: people.Token(number)}, 0)
	of := map[string]int64{}
	for _, n := range s.names() {
		of[n.Text] = n.Number
	}
	if of["zoe"] == number || of["zoe"] == 0 || of[""] != number {
		t.Errorf("the names have the numbers %v, and %d was erased", of, number)
	}
	s.restart()
	// Here no two users had agreed, which is all that there is to find.
	if found, err := auditor.CheckNames(ctx(), s.store); err != nil || len(found) != 1 || !strings.Contains(found[0].What, "no two people agreed so") {
		t.Errorf("the audit of the names finds %v, %v", found, err)
	}
}
