package odds

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
)

func mustHand(t *testing.T, text string) card.Hand {
	t.Helper()
	h, err := card.ParseHand(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The queen of hearts, a six and a three lose 1/392 of the Ante more by playing
// than by folding, and leave the ace, king and queen of spades ($250) and of two
// other suits ($50 each) to each other box: $350 in 18,424. So playing is better
// below an Ante of 350 x 392 / 18,424 = 350/47 = $7.4468 for each other box.
func TestClaimToAnEnvyBonus(t *testing.T) {
	v := mustVariant(t, "rws-3cp")
	for _, others := range []int{0, 1, 6} {
		s, err := Analyse(v, Options{Bets: []Bet{AntePlay}, Others: others})
		if err != nil {
			t.Fatal(err)
		}
		beside := max(others, 1)
		want := frac(350*int64(beside), 47)
		got := s.Wagers[AntePlay].Strategy.Claim
		if got == nil || got.Bet != Progressive || got.Others != beside || got.Rank != "Q-6-3" || !got.Ante.Equal(want) {
			t.Fatalf("%d others: %+v, want Q-6-3 below $%s", others, got, want)
		}
		if !s.Wagers[AntePlay].Strategy.Exact {
			t.Error("for the Ante alone the rule is optimal")
		}
	}
	for name, change := range map[string]func(*rules.Variant){
		"kept":           func(v *rules.Variant) { v.Choices[rules.EnvyWhenFolded] = rules.Kept },
		"no progressive": func(v *rules.Variant) { v.Jackpot = nil },
	} {
		v := v.Clone()
		change(v)
		s, err := Analyse(v, Options{Bets: []Bet{AntePlay}})
		if err != nil {
			t.Fatal(err)
		}
		if c := s.Wagers[AntePlay].Strategy.Claim; c != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A Bonus bet whose claim cannot be worked out does not stop the analysis of the
// Ante: no stake pays 1 to each of three large primes without a fraction.
func TestClaimThatCannotBeWorkedOut(t *testing.T) {
	v := mustVariant(t, "sm-3cp").Clone()
	v.Choices[rules.BonusAfterFold] = rules.Lost
	s, err := Analyse(v, Options{Bets: []Bet{AntePlay}})
	if err != nil || s.Wagers[AntePlay].Strategy.Claim == nil {
		t.Fatalf("lost with a fold: %v", err)
	}
	table := *v.Pays[rules.Bonus]
	table.Rows = slices.Clone(table.Rows)
	for i, prime := range []int64{9_999_991, 9_999_973, 9_999_971} {
		table.Rows[i].Pay = rules.Pay{Odds: money.Odds{To: 1, For: prime}}
	}
	v.Pays[rules.Bonus] = &table
	if _, err := Analyse(v, Options{Bets: []Bet{Bonus}}); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("the Bonus bet: %v", err)
	}
	if s, err = Analyse(v, Options{Bets: []Bet{AntePlay}}); err != nil || s.Wagers[AntePlay].Strategy.Claim != nil {
		t.Errorf("the Ante: %v", err)
	}
}

// The strategy for an Ante with a Progressive bet, from below the threshold, at it
// and above: $44.68 beside six boxes is 6 x $7.4468, rounded up. With the queen of
// spades only three hands are left that bring $50: $19.15 beside six.
func TestStrategyWithAClaim(t *testing.T) {
	tests := []struct {
		ante   money.Amount
		others int
		per    rules.Choice
		hand   string
		play   bool
	}{
		{744, 1, rules.PerHand, "Qh 6d 3c", true},
		{745, 1, rules.PerHand, "Qh 6d 3c", false},
		{4468, 6, rules.PerHand, "Qh 6d 3c", true},
		{4469, 6, rules.PerHand, "Qh 6d 3c", false},
		{4469, 6, rules.PerHand, "Qh 6d 4c", true},
		{1914, 6, rules.PerHand, "Qs 6d 3c", true},
		{1915, 6, rules.PerHand, "Qs 6d 3c", false},
		{744, 0, rules.PerHand, "Qh 6d 3c", false},
		// The best one a round: a little less than each of six.
		{4460, 6, rules.PerRound, "Qh 6d 3c", true},
		{4468, 6, rules.PerRound, "Qh 6d 3c", false},
	}
	for _, test := range tests {
		v := mustVariant(t, "rws-3cp").Clone()
		v.Choices[rules.EnvyPer] = test.per
		s, err := StrategyFor(v, map[Bet]money.Amount{AntePlay: test.ante, Progressive: 500}, Options{Others: test.others})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Plays(mustHand(t, test.hand)); got != test.play {
			t.Errorf("%s with an Ante of %s beside %d, %s: play %t", test.hand, test.ante, test.others, test.per, got)
		}
		played, none := int64(0), test.others == 0
		for c := range s.Hands() {
			if c.Play != s.Plays(c.Hand) {
				t.Fatalf("%s: %+v", c.Hand, c)
			}
			if c.Play {
				played++
			}
		}
		if played != s.Played || (none && (s.Played != 14_900 || !s.Exact)) || (!none && s.Played < 14_900) {
			t.Errorf("%+v: %d hands are played, exact %t", test, s.Played, s.Exact)
		}
		if s.Exact != (s.Cost.Sign() == 0) {
			t.Errorf("%+v: exact %t at a cost of %s", test, s.Exact, s.Cost)
		}
	}
}

// What a claim is worth, by settling the box against every pair of hands on two
// other boxes of which one brings something.
func TestClaimsByEnumeration(t *testing.T) {
	if testing.Short() || bruteStep > 1 {
		t.Skip("a quarter of a million settlements")
	}
	for per, text := range map[rules.Choice]string{rules.PerHand: "Ks Qh 2c", rules.PerRound: "Qh 6d 3c"} {
		v := mustVariant(t, "rws-3cp").Clone()
		v.Choices[rules.EnvyPer] = per
		stakes := map[Bet]money.Amount{AntePlay: 1000, Progressive: 500}
		bringing := suitedAKQ()
		s, err := StrategyFor(v, stakes, Options{Others: 2})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := StrategyFor(v, stakes, Options{})
		if err != nil {
			t.Fatal(err)
		}
		worth := func(s *Strategy, hand card.Hand) Fraction {
			for c := range s.Hands() {
				if c.Hand.Sorted() == hand.Sorted() {
					return c.Played
				}
			}
			t.Fatal("no such hand")
			return Fraction{}
		}
		hand := mustHand(t, text)
		left := card.Deck().Minus(card.NewSet(hand[:]...))
		dealer := mustHand(t, "9c 8d 7h") // whatever the dealer has
		var stakesOf rules.Stakes
		stakesOf[rules.Ante], stakesOf[rules.Progressive] = 1000, 500
		sum, ways := int64(0), int64(0)
		settle := func(a, b card.Hand) {
			down := rules.Showdown{Player: hand, Dealer: dealer, Stakes: stakesOf, Meter: 1_000_000}
			down.Stakes[rules.Play] = 1000
			for _, h := range []card.Hand{a, b} {
				down.Others = append(down.Others, rules.Other{Is: v.Book.Ranking.Combos(h), Stakes: &stakesOf})
			}
			lines, err := v.Settle(nil, &down)
			if err != nil {
				t.Fatal(err)
			}
			for i := range lines {
				if lines[i].Wager == rules.Envy {
					sum += int64(lines[i].Pays)
				}
			}
		}
		for a := range left.Hands() {
			ways += 46 * 45 * 44 / 6
			brings := v.BringsEnvy(v.Book.Ranking.Combos(a))
			rest := left.Minus(card.NewSet(a[:]...))
			if brings {
				for b := range rest.Hands() {
					settle(a, b)
				}
				continue
			}
			for _, b := range bringing {
				if set := card.NewSet(b[:]...); set.Intersect(rest) == set {
					settle(a, b)
				}
			}
		}
		want := big.NewRat(sum, ways*1000) // of the Ante
		if got := worth(s, hand).sub(worth(alone, hand)); got.rat().Cmp(want) != 0 {
			t.Errorf("%s, one for each %s: the claim is worth %s of the Ante, counted %s", text, per, got.Decimal(12), want.FloatString(12))
		}
	}
}

func suitedAKQ() []card.Hand {
	var all []card.Hand
	for h := range card.Hands() {
		if suit := h[0].Suit(); h[1].Suit() == suit && h[2].Suit() == suit {
			sorted := h.Sorted()
			if sorted[0].Rank() == card.Ace && sorted[1].Rank() == card.King && sorted[2].Rank() == card.Queen {
				all = append(all, h)
			}
		}
	}
	return all
}

// Stakes that bring no decision have no strategy.
func TestStrategyForRefuses(t *testing.T) {
	for name, try := range map[string]struct {
		book   string
		stakes map[Bet]money.Amount
	}{
		"nothing to decide": {"mbs-3pictures", map[Bet]money.Amount{Main: 1000}},
		"no Ante":           {"rws-3cp", map[Bet]money.Amount{PairPlus: 1000}},
		"nothing staked":    {"rws-3cp", nil},
	} {
		if s, err := StrategyFor(mustVariant(t, try.book), try.stakes, Options{}); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
