package house_test

import (
	"errors"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// lostRound returns a site in whose table A ann had $100, and lost an Ante and a Play of $10 each.
func lostRound(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.annPlays("Jh", "7c", "3s", "Kd", "5d", "9h")
	return s
}

// adjust has two people change what a wager of ann's brought in the first round of table A.
func (s *site) adjust(wager rules.Wager, change money.Amount) error {
	s.Helper()
	id, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{
		Adjustment: posting.Adjustment{Player: "ann", Cause: posting.EntryError, Change: change, Note: "her hand was read wrongly"},
		Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: wager},
	})
	if err == nil {
		_, err = s.Approve(ctx(), "", manager, id)
	}
	return err
}

// What was adjusted on a wager still counts when the house is opened again.
func TestWhatWasAdjustedOnAWagerIsRemembered(t *testing.T) {
	s := lostRound(t)
	give := func(amount money.Amount) error { return s.adjust(rules.Ante, amount) }
	if err := give(1); !errors.Is(err, house.ErrRemediable) {
		t.Errorf("while the round can be remedied: %v", err)
	}
	s.do("A", dealer, table.OpenBets{})
	// An Ante of 10 brings 20 at most.
	if err := give(20*money.Major + 1); !errors.Is(err, house.ErrBeyondWager) {
		t.Errorf("a cent more than it could have brought: %v", err)
	}
	if err := give(15 * money.Major); err != nil {
		t.Fatal(err)
	}
	s.has("ann", 95*money.Major)
	for range 2 {
		if err := give(5*money.Major + 1); !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("a cent more than is left: %v", err)
		}
		s.restart()
	}
	if err := give(5 * money.Major); err != nil {
		t.Error(err)
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A wager that a person gave back when the round was settled was one at the call. It brought
// its stake, and it could have brought as much as before.
func TestAWagerThatWasGivenBackIsAdjusted(t *testing.T) {
	s := lostRound(t)
	s.do("A", dealer, table.Report{Incident: rules.Uncovered})
	s.do("A", manager, table.Answer{Answer: "remedy", Remedies: []table.Remedy{{
		Do: table.ReturnStake, Box: 1, Player: "ann", Wager: rules.Ante, Reason: "as agreed",
	}}})
	s.do("A", dealer, table.OpenBets{})
	for _, tt := range []struct {
		change money.Amount
		fits   bool
	}{{10*money.Major + 1, false}, {-10*money.Major - 1, false}, {10 * money.Major, true}} {
		_, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{
			Adjustment: posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: tt.change, Note: "her hand was read wrongly"},
			Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante},
		})
		if (err == nil) != tt.fits || err != nil && !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("%s on a wager that was given back: %v", tt.change, err)
		}
	}
}

// A share of the meter that was denied is nothing that its wager brought: another pay is given
// in its place, and taken again, within the bounds of the wager.
func TestADeniedJackpotBroughtNothing(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	s.do("A", dealer, table.OpenBets{})
	adjust := func(change money.Amount) error { return s.adjust(rules.Progressive, change) }
	if err := adjust(money.Major); !errors.Is(err, house.ErrBeyondWager) {
		t.Errorf("given beside the jackpot: %v", err)
	}
	if err := adjust(-1); !errors.Is(err, house.ErrBeyondWager) {
		t.Errorf("taken of the jackpot, which an invalid hand alone gives back: %v", err)
	}
	id := s.propose(supervisor, house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: "5.15", Note: "a card of another deck"})
	if _, err := s.Approve(ctx(), "", second, id); err != nil {
		t.Fatal(err)
	}
	s.has("ann", 155*money.Major)
	for range 2 {
		denied := house.DeniedJackpot{Round: 1, Box: hitOfAnn.Box, Player: "ann", Amount: 10_002 * money.Major}
		if all := s.DeniedJackpots("A"); !slices.Equal(all, []house.DeniedJackpot{denied}) {
			t.Errorf("%+v are denied", all)
		}
		if err := adjust(-1); !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("taken of what was denied: %v", err)
		}
		if err := adjust(1_000_000 * money.Major); !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("given more than any fixed pay: %v", err)
		}
		if err := adjust(100 * money.Major); err != nil {
			t.Errorf("given in place of the jackpot: %v", err)
		}
		s.restart()
		if err := adjust(-100*money.Major - 1); !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("taken more than was given: %v", err)
		}
		if err := adjust(-100 * money.Major); err != nil {
			t.Errorf("taken again: %v", err)
		}
	}
	s.has("ann", 155*money.Major)
	s.checked()
}

// What is given of goodwill and what is done about a debt rests on no wager. Everything else may.
func TestWhatRestsOnAWager(t *testing.T) {
	s := lostRound(t)
	s.do("A", dealer, table.OpenBets{})
	for cause, test := range map[posting.AdjustmentCause]struct {
		change money.Amount
		want   error
	}{
		posting.EntryError: {1, nil}, posting.Malfunction: {1, nil}, posting.Dispute: {1, nil}, posting.Regulator: {1, nil},
		posting.Goodwill: {1, ledger.ErrMalformed}, posting.DebtCollected: {-1, ledger.ErrMalformed}, posting.DebtForgiven: {-1, ledger.ErrMalformed},
	} {
		if _, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{
			Adjustment: posting.Adjustment{Player: "ann", Cause: cause, Change: test.change, Note: "her hand was read wrongly"},
			Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante},
		}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", cause, err)
		}
	}
}

// A round that is void, or after which the table was closed, is not remedied at the table any
// more: what a wager of it brought is adjusted, also before the next round.
func TestTheLastRoundIsAdjustedWhereNobodyRemediesIt(t *testing.T) {
	for name, ends := range map[string]func(*site){
		"void": func(s *site) {
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, table.Report{Incident: rules.Uncovered})
			s.do("A", manager, table.Answer{Answer: "void"})
		},
		"closed": func(s *site) {
			s.annPlays("Jh", "7c", "3s", "Kd", "5d", "9h")
			s.do("A", supervisor, table.CloseTable{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.readTable()
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			if err := s.adjust(rules.Ante, 1); !errors.Is(err, house.ErrRoundOpen) {
				t.Errorf("in the round: %v", err)
			}
			ends(s)
			had := s.Balance(annHas)
			if err := s.adjust(rules.Ante, 1); err != nil {
				t.Error(err)
			}
			s.has("ann", had+1)
			if err := s.adjust(rules.PairPlus, 1); !errors.Is(err, house.ErrNoWager) {
				t.Errorf("a wager that was none: %v", err)
			}
		})
	}
}

// A denial names a table, a round, a clause of that table's book, a jackpot and a reason.
func TestDenialsThatAreRefused(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	s.do("A", dealer, table.OpenBets{})
	deny := house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: " 5.15 ", Note: "a card of another deck"}
	for name, test := range map[string]struct {
		change func(*house.DenyJackpot)
		want   error
	}{
		"no table":              {func(p *house.DenyJackpot) { p.Hit.Table = "Z" }, house.ErrNoTable},
		"no number of a round":  {func(p *house.DenyJackpot) { p.Hit.Round = "one" }, house.ErrBadName},
		"no clause":             {func(p *house.DenyJackpot) { p.Clause = "" }, house.ErrNoReason},
		"no clause of the book": {func(p *house.DenyJackpot) { p.Clause = "99.9" }, house.ErrNoReason},
		"a clause of another":   {func(p *house.DenyJackpot) { p.Clause = "us-3cp 5.15" }, house.ErrNoReason},
		"no jackpot":            {func(p *house.DenyJackpot) { p.Jackpot = "other" }, house.ErrNoJackpot},
		"no reason":             {func(p *house.DenyJackpot) { p.Note = " " }, house.ErrNoReason},
	} {
		p := deny
		test.change(&p)
		if _, err := s.Propose(ctx(), "", supervisor, p); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, clause := range []string{deny.Clause, "rws-3cp@3 5.15"} {
		p := deny
		p.Clause = clause
		s.propose(supervisor, p)
	}
}

// An adjustment that is refused of itself is refused on a wager too.
func TestAMalformedAdjustmentOfAWager(t *testing.T) {
	s := lostRound(t)
	s.do("A", dealer, table.OpenBets{})
	for name, test := range map[string]struct {
		a    posting.Adjustment
		want error
	}{
		"of nothing":     {posting.Adjustment{Player: "ann", Cause: posting.Dispute, Note: "n"}, ledger.ErrMalformed},
		"without a note": {posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: 1}, ledger.ErrMalformed},
		"of nobody":      {posting.Adjustment{Player: "anm", Cause: posting.Dispute, Change: 1, Note: "n"}, house.ErrNobody},
	} {
		of := &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante}
		_, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{Adjustment: test.a, Of: of})
		_, alone := test.a.Posting()
		if !errors.Is(err, test.want) || alone != nil && err.Error() != alone.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Two adjustments of one wager that fit each alone and not together are not both carried out.
func TestAdjustmentsThatFitEachAlone(t *testing.T) {
	s := lostRound(t)
	s.do("A", dealer, table.OpenBets{})
	// An Ante of 10 brings 20 at most.
	var ids []int64
	for range 2 {
		ids = append(ids, s.propose(cashier, house.AdjustAccount{
			Adjustment: posting.Adjustment{Player: "ann", Cause: posting.EntryError, Change: 15 * money.Major, Note: "her hand was read wrongly"},
			Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante},
		}))
	}
	if _, err := s.Approve(ctx(), "", manager, ids[0]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Approve(ctx(), "", manager, ids[1]); !errors.Is(err, house.ErrBeyondWager) {
			t.Errorf("the second of two: %v", err)
		}
		s.has("ann", 95*money.Major)
		s.restart()
	}
}

// The sum from which a hit is verified is the one that is named, or stays where none is: that of
// the terms to come, if there are any.
func TestTheSumFromWhichAHitIsVerified(t *testing.T) {
	s := newSite(t)
	s.readTable(func(t *house.Table) { t.VerifyFrom = 10_002 * money.Major })
	for i, step := range []struct{ named, want money.Amount }{
		{0, 10_002 * money.Major}, {11_000 * money.Major, 11_000 * money.Major}, {0, 11_000 * money.Major}, {9_000 * money.Major, 9_000 * money.Major},
	} {
		pot, _ := s.Jackpot("linked")
		terms := pot.Terms
		terms.VerifyFrom = step.named
		terms.Ceiling += money.Amount(i+1) * money.Major // so that something changes each time
		if _, err := s.Approve(ctx(), "", second, s.propose(manager, house.ChangeTerms{Jackpot: "linked", Terms: terms})); err != nil {
			t.Fatal(err)
		}
		if pot, _ = s.Jackpot("linked"); pot.NextTerms == nil || pot.NextTerms.VerifyFrom != step.want {
			t.Errorf("%s was named: the next terms are %+v", step.named, pot.NextTerms)
		}
	}
}
