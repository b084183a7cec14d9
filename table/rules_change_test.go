package table_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/frp3c"
	"trey/rules/sampled"
	"trey/table"
)

// otherRules draws other rules of the same book.
func otherRules(t *rapid.T, v *rules.Variant) *rules.Variant {
	other := v.Clone()
	other.Boxes = rapid.IntRange(v.Book.Boxes.Least(), v.Book.Boxes.Max).Draw(t, "other boxes")
	for i := range v.Book.Wagers {
		if rule := &v.Book.Wagers[i]; rule.Stake == rules.WithinLimits {
			other.Limits[rule.Wager] = rules.Limit{Min: money.Amount(rapid.Int64Range(1, 5).Draw(t, "least")) * 100, Max: 5000}
		}
	}
	other.CarryLimits()
	sampled.Rulings(t, "other ", other)
	return other
}

// A table goes on by two rulings that may not be chosen together any more (fr-p3c 21).
func TestRecordedRulesGoOn(t *testing.T) {
	v := frp3c.Book().Standard()
	v.Choices[rules.EarlyLook], v.Choices[rules.PairPlusAfterFold] = rules.Lost, rules.Kept
	if v.Check() == nil {
		t.Fatal("both may be chosen, and the test shows nothing")
	}
	if _, err := table.New(v, table.Config{Device: rules.HandDeal, Cards: table.Virtual}); err != nil {
		t.Errorf("the table does not go on: %v", err)
	}
}

// Rules change between rounds and never in one; under the same rules the next
// round begins as if nothing had been said, and under others it can be played.
func TestAnyTableUnderOtherRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyTable(t)
		for n := range rapid.IntRange(20, 80).Draw(t, "commands") {
			if do := anyLegal(t, &s, rapid.SampledFrom(people).Draw(t, "by")); do != nil {
				for _, by := range people {
					events, after, err := table.Step(s, table.Command{By: by, AtMs: int64(n), Do: do})
					if err == nil {
						_, s = events, after
						break
					}
				}
			}
			before := table.Fingerprint(s)
			same, err := s.Under(s.Variant)
			if table.Fingerprint(s) != before {
				t.Fatalf("the old state was written to:\n%s\n%s", before, table.Fingerprint(s))
			}
			rest := !s.Phase.InRound() && s.Question == nil && len(s.Offers) == 0
			if rest != (err == nil) {
				t.Fatalf("rules change in %s: %v", s.Phase, err)
			}
			var refusal *table.Refusal
			if !rest && !errors.As(err, &refusal) {
				t.Fatalf("not a refusal: %v", err)
			}
			if !rest {
				continue
			}
			opened := table.BetsOpened{Round: s.Round + 1}
			one, err := table.Evolve(s, opened)
			two, err2 := table.Evolve(same, opened)
			if err != nil || err2 != nil || !reflect.DeepEqual(one, two) {
				t.Fatalf("under the same rules, %v, %v:\n%s\n%s", err, err2, table.Fingerprint(one), table.Fingerprint(two))
			}
			if rapid.IntRange(0, 3).Draw(t, "change") > 0 {
				continue
			}

			v := otherRules(t, s.Variant)
			other, err := s.Under(v)
			if err != nil {
				t.Fatal(err)
			}
			if other.Variant != v || len(other.Boxes) != v.Boxes || other.Round != s.Round || (other.Phase == table.Closed) != (s.Phase == table.Closed) ||
				other.Down != s.Down || other.AreaMax != s.AreaMax || other.OnLayout() != 0 || len(other.Lines)+len(other.Slots) != 0 {
				t.Fatalf("%s became %s", table.Fingerprint(s), table.Fingerprint(other))
			}
			s = other
		}
	})
}

// What lasts beyond a round lasts beyond the rules that it was said under.
func TestWhatStaysUnderOtherRules(t *testing.T) {
	rws, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	g := play(t, rws, rules.Shuffler, table.Virtual)
	g.do("dan", table.Report{Incident: rules.ProgressiveDown, Meter: 10_000_00})
	g.do("sue", table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{1, 3}})
	v := g.s.Variant.Clone()
	for _, test := range []struct {
		boxes int
		want  []int
	}{{2, []int{1}}, {3, []int{1, 3}}, {5, []int{1, 3}}} {
		v := v.Clone()
		v.Boxes = test.boxes
		s, err := g.s.Under(v)
		if err != nil {
			t.Fatal(err)
		}
		var out []int
		for i, b := range s.Boxes {
			if b.Suspended {
				out = append(out, i+1)
			}
		}
		if !s.Down || s.DownOption != table.WithoutBoxes || !slices.Equal(out, test.want) {
			t.Errorf("of %d boxes %v are out of use, want %v", test.boxes, out, test.want)
		}
	}
	unlinked := v.Clone()
	unlinked.Jackpot = nil
	s, err := g.s.Under(unlinked)
	if err != nil || s.Down || s.Boxes[0].Suspended {
		t.Errorf("without a progressive nothing is out of order: %v, %v", s.Down, err)
	}

	mbs, err := books.Find("mbs-3pictures")
	if err != nil {
		t.Fatal(err)
	}
	g = play(t, mbs, rules.Shoe, table.Virtual)
	g.do("max", table.RestrictAreas{Max: 1})
	g.do("max", table.RestrictPlayer{Player: "ann"})
	if g.s, err = g.s.Under(g.s.Variant.Clone()); err != nil {
		t.Fatal(err)
	}
	if g.s.AreaMax != 1 {
		t.Errorf("the areas take %d", g.s.AreaMax)
	}
	g.do("dan", table.OpenBets{})
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 1000})
	g.refused("ann", table.Bet{Box: 2, Player: "ann", Wager: rules.Main, Amount: 1000}, table.BoxTaken)
}

func TestRulesThatATableCannotGoOnUnder(t *testing.T) {
	rws, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	us, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	g := play(t, rws, rules.Shuffler, table.Virtual)
	broken := rws.Standard()
	broken.Boxes = 0
	var refusal *table.Refusal
	for name, v := range map[string]*rules.Variant{"none": nil, "another book": us.Standard(), "no boxes": broken} {
		if after, err := g.s.Under(v); err == nil || errors.As(err, &refusal) || after.Variant != g.s.Variant {
			t.Errorf("%s: %v", name, err)
		}
	}
	g.bets("ann")
	if _, err := g.s.Under(rws.Standard()); !errors.As(err, &refusal) || refusal.Reason != table.WrongPhase || refusal.Detail == "" {
		t.Errorf("in a round: %v", err)
	}
}
