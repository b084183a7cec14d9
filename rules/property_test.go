package rules_test

import (
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
)

// drawVariant draws a book with any rulings, rounding, pay table and maxima.
func drawVariant(t *rapid.T) *rules.Variant {
	b := rapid.SampledFrom(books.All()).Draw(t, "book")
	v := b.Standard().Clone()
	sampled.Rulings(t, "", v)
	v.Rounding = money.Rounding{
		Unit:   rapid.SampledFrom([]money.Amount{0, 1, 50, 100}).Draw(t, "unit"),
		Favour: rapid.SampledFrom([]money.Favour{money.Player, money.House}).Draw(t, "favour"),
	}
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		v.Pays[rule.Wager] = &rule.Pays[rapid.IntRange(0, len(rule.Pays)-1).Draw(t, "table")]
		if rapid.Bool().Draw(t, "has a maximum") {
			v.Limits[rule.Wager] = rules.Limit{Max: money.Amount(rapid.Int64Range(1, 2000).Draw(t, "maximum"))}
		}
	}
	return v
}

// drawShowdown draws hands and stakes, among them chips as no system would take
// them: a Play bet of any size, a stake above its maximum.
func drawShowdown(t *rapid.T, v *rules.Variant, largest int64) rules.Showdown {
	deck := rapid.Permutation(card.Deck().Cards()).Draw(t, "deck")
	down := rules.Showdown{Player: card.Hand(deck[:3]), Dealer: card.Hand(deck[3:6]), Meter: 1_000_000}
	if v.Book.Decision != nil {
		down.Folded = rapid.Bool().Draw(t, "folded")
	}
	for i := range v.Book.Wagers {
		if rule := &v.Book.Wagers[i]; rule.Stake != rules.NoStake && rapid.Bool().Draw(t, "bets") {
			down.Stakes[rule.Wager] = money.Amount(rapid.Int64Range(0, largest).Draw(t, rule.Wager.String()))
		}
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "others") {
		theirs := rules.Stakes{rules.Ante: money.Amount(rapid.IntRange(0, 1).Draw(t, "their ante"))}
		down.Others = append(down.Others, rules.Other{
			Is:         v.Book.Ranking.Combos(card.Hand(deck[6+3*i : 9+3*i])),
			SamePlayer: rapid.Bool().Draw(t, "same player"), Folded: rapid.Bool().Draw(t, "they folded"),
			Stakes: &theirs,
		})
	}
	return down
}

func TestLinesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		down := drawShowdown(t, v, 5000)
		lines, err := v.Settle(nil, &down)
		if err != nil {
			t.Fatal(err)
		}
		var staked rules.Stakes
		for _, l := range lines {
			rule := v.Book.Rule(l.Wager)
			rides := rule == nil || rule.Stake == rules.NoStake
			switch {
			case l.Pays < 0 || l.Returned < 0 || l.Excess < 0 || l.Stake < 0:
				t.Fatalf("%+v has a sum below zero", l)
			case l.Returned > l.Stake+l.Pays:
				t.Fatalf("%+v returns more than the stake and its winnings", l)
			case l.Excess > l.Stake || l.Returned < l.Excess:
				t.Fatalf("%+v keeps what was never at risk", l)
			case l.Result != rules.Win && l.Pays != 0:
				t.Fatalf("%+v pays without a win", l)
			case l.Result == rules.Lose && l.Returned != l.Excess:
				t.Fatalf("%+v loses and returns", l)
			case l.Result == rules.Push && l.Returned != l.Stake:
				t.Fatalf("%+v pushes and keeps", l)
			case rides && (l.Stake != 0 || l.Result != rules.Win):
				t.Fatalf("%+v rides and has a stake or no win", l)
			case l.Clause == "":
				t.Fatalf("%+v names no clause", l)
			}
			if _, ok := v.Book.Clause(l.Clause); !ok {
				t.Fatalf("%+v names a clause that %s does not have", l, v.Book.Ref())
			}
			staked[l.Wager] += l.Stake
		}
		if staked != down.Stakes {
			t.Fatalf("lines answer for stakes %v, laid were %v", staked, down.Stakes)
		}
	})
}

// TestOverflowIsAnError draws stakes up to the largest amount there is: either
// the settlement adds up, or it is refused; no sum ever wraps.
func TestOverflowIsAnError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		down := drawShowdown(t, v, 1<<63-1)
		lines, err := v.Settle(nil, &down)
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Pays < 0 || l.Returned < 0 || l.Excess < 0 || (l.Result == rules.Win && l.Returned < l.Pays) {
				t.Fatalf("%+v has wrapped", l)
			}
		}
	})
}

// TestPermittedStakesNeverOverflow holds that no stake up to MaxStake fails at
// the printed tables.
func TestPermittedStakesNeverOverflow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		down := drawShowdown(t, v, int64(rules.MaxStake))
		if _, err := v.Settle(nil, &down); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOtherBoxesTouchEnvyAlone holds that what lies on other boxes changes no
// line but the Envy Bonus.
func TestOtherBoxesTouchEnvyAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		down := drawShowdown(t, v, 5000)
		with, err := v.Settle(nil, &down)
		if err != nil {
			t.Fatal(err)
		}
		down.Others = nil
		without, err := v.Settle(nil, &down)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range with {
			if l.Wager == rules.Envy {
				continue
			}
			if n >= len(without) || l != without[n] {
				t.Fatalf("with others %v, without %v", with, without)
			}
			n++
		}
		if n != len(without) {
			t.Fatalf("with others %v, without %v", with, without)
		}
	})
}

// The rows of a variant stand in the order of the constants, and the first that a hand is pays: a
// combination whose hands all are another one too stands before that one, or its row never pays.
// Any hand is the last row of every table.
func TestNarrowerCombinationsComeFirst(t *testing.T) {
	pairs := 0
	for _, ranking := range []rules.Ranking{rules.PokerOrder, rules.PictureOrder} {
		hands, both := map[rules.Combo]int{}, map[[2]rules.Combo]int{}
		for h := range card.Hands() {
			var held []rules.Combo
			set := ranking.Combos(h)
			for c := rules.AnyHand + 1; c.Name() != "Unknown"; c++ {
				if set.Has(c) {
					held = append(held, c)
				}
			}
			for _, a := range held {
				hands[a]++
				for _, b := range held {
					both[[2]rules.Combo{a, b}]++
				}
			}
		}
		for a, n := range hands {
			for b := range hands {
				if a == b || both[[2]rules.Combo{a, b}] != n {
					continue
				}
				pairs++
				if a > b {
					t.Errorf("every %s is a %s, and stands behind it", a, b)
				}
			}
		}
	}
	if pairs < 3 {
		t.Errorf("only %d combinations are part of another", pairs)
	}
}
