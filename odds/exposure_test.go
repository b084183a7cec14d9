package odds

import (
	"testing"

	"trey/internal/steady"
	"trey/money"
	"trey/rules"
)

// The exposure comes to the edges of the par sheet, to the covariances of several bets on
// one box and to those of two boxes against one dealer, which are worked out and tested
// apart from it.
func TestExposureIsThatOfThePars(t *testing.T) {
	if !Whole {
		t.Skip("one goroutine: nothing for the race detector, at ten times the cost")
	}
	for i, name := range []string{"rws-3cp", "mbs-3pictures"} {
		if !steady.Turn(i, 2) {
			continue
		}
		v := mustVariant(t, name)
		e, err := ExposureOf(v)
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := Analyse(v, Options{})
		if err != nil {
			t.Fatal(err)
		}
		stakes := map[Bet]money.Amount{}
		for i, exposed := range e.Bets {
			b := exposed.Bet
			if b == Progressive {
				t.Errorf("%s: the progressive has an exposure", name)
			}
			a := sheet.Wagers[b]
			if !e.Edge[i].Equal(a.HouseEdge) || !e.Same[i][i].Equal(a.Variance) {
				t.Errorf("%s, %s: an edge of %s and a variance of %s, want %s and %s", name, b, e.Edge[i], e.Same[i][i], a.HouseEdge, a.Variance)
			}
			stakes[b] = 100 * money.Major
		}
		// With 100 on each bet the pays are whole, and the sum of all covariances is that
		// of two boxes. No hand is decided otherwise because of the other bets.
		two, err := AgainstOneDealer(v, stakes, Options{}, 2, 0)
		if err != nil {
			t.Fatal(err)
		}
		joint, err := Together(v, stakes, Options{})
		if err != nil {
			t.Fatal(err)
		}
		same, other := frac(0, 1), frac(0, 1)
		for i := range e.Bets {
			for k := range e.Bets {
				same, other = same.add(e.Same[i][k]), other.add(e.Other[i][k])
				if want := joint.Covariance[i][k].over(10_000); !e.Same[i][k].Equal(want) {
					t.Errorf("%s: %s and %s on one hand: %s, want %s", name, e.Bets[i].Bet, e.Bets[k].Bet, e.Same[i][k], want)
				}
			}
		}
		if !same.times(10_000).Equal(two.Examined.Variance) || !other.times(10_000).Equal(two.Covariance) {
			t.Errorf("%s: %s and %s for two boxes, want %s and %s", name, same.times(10_000), other.times(10_000), two.Examined.Variance, two.Covariance)
		}
	}
}

// Where a ruling has a bet paid less beside another one, it is a bet of its own there, whose
// edge and covariances are those of both bets on one box.
func TestExposureBesideAnotherBet(t *testing.T) {
	if !Whole {
		t.Skip("one goroutine: nothing for the race detector, at ten times the cost")
	}
	v := mustVariant(t, "fr-p3c")
	v.Choices[rules.AnteBesideBonus] = rules.No
	e, err := ExposureOf(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, bonus := range []money.Amount{0, 100 * money.Major} {
		stakes := map[Bet]money.Amount{AntePlay: 100 * money.Major, PairPlus: 200 * money.Major, Bonus: bonus}
		box := rules.Stakes{rules.Ante: 100 * money.Major, rules.PairPlus: 200 * money.Major, rules.Bonus: bonus}
		two, err := AgainstOneDealer(v, stakes, Options{}, 2, 0)
		if err != nil {
			t.Fatal(err)
		}
		win, same, other := frac(0, 1), frac(0, 1), frac(0, 1)
		for i, x := range e.Bets {
			on := int64(x.Stake(&box))
			win = win.add(e.Edge[i].times(on))
			if edge, err := EdgeOf(v, x); err != nil || !edge.Equal(e.Edge[i]) {
				t.Errorf("%+v: an edge of %s, want %s: %v", x, edge, e.Edge[i], err)
			}
			for k, y := range e.Bets {
				beside := on * int64(y.Stake(&box))
				same, other = same.add(e.Same[i][k].times(beside)), other.add(e.Other[i][k].times(beside))
			}
		}
		square := int64(money.Major) * int64(money.Major)
		if want := two.Examined.Expectation.neg(); !win.over(int64(money.Major)).Equal(want) {
			t.Errorf("a Bonus bet of %s: an expected win of %s, want %s", bonus, win.over(int64(money.Major)), want)
		}
		if !same.over(square).Equal(two.Examined.Variance) || !other.over(square).Equal(two.Covariance) {
			t.Errorf("a Bonus bet of %s: %s and %s for two boxes, want %s and %s", bonus, same.over(square), other.over(square), two.Examined.Variance, two.Covariance)
		}
	}
}
