package odds

import (
	"testing"

	"trey/internal/steady"
	"trey/money"
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
		for i, b := range e.Bets {
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
					t.Errorf("%s: %s and %s on one hand: %s, want %s", name, e.Bets[i], e.Bets[k], e.Same[i][k], want)
				}
			}
		}
		if !same.times(10_000).Equal(two.Examined.Variance) || !other.times(10_000).Equal(two.Covariance) {
			t.Errorf("%s: %s and %s for two boxes, want %s and %s", name, same.times(10_000), other.times(10_000), two.Examined.Variance, two.Covariance)
		}
	}
}
