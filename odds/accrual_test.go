package odds

import (
	"math/big"
	"testing"

	"trey/money"
)

// The house's win on Ante and Play of $10 and a Progressive bet of $5, by hand:
// it keeps 686689/20358520 of the Ante; of the $5 it pays $2 to the meter, 30,050
// in 22,100 for the fixed pays and the reset value of $10,000 once in 22,100. What
// is displayed makes no difference to it, but to what the box loses.
func TestHouseWinIsWithoutTheMetersShare(t *testing.T) {
	v := mustVariant(t, "rws-3cp")
	ante := new(big.Rat).Mul(big.NewRat(686689, 20358520), big.NewRat(10, 1))
	win := new(big.Rat).Add(ante, big.NewRat(3, 1))
	win.Sub(win, big.NewRat(30_050+10_000, 22_100))
	for _, meter := range []int64{10_000, 54_200, 300_000} {
		j, err := Together(v, map[Bet]money.Amount{AntePlay: 10 * money.Major, Progressive: 5 * money.Major}, Options{Meter: money.Amount(meter) * money.Major})
		if err != nil {
			t.Fatal(err)
		}
		loss := new(big.Rat).Add(ante, big.NewRat(5, 1))
		loss.Sub(loss, big.NewRat(30_050+meter, 22_100))
		a := j.Accrual
		if a == nil || a.HouseWin.rat().Cmp(win) != 0 || j.Sum.Expectation.rat().Cmp(loss.Neg(loss)) != 0 ||
			a.ToMeter.Plain() != "2" || a.FromMeter.rat().Cmp(big.NewRat(meter-10_000, 22_100)) != 0 || a.Meter != money.Amount(meter)*money.Major {
			t.Errorf("meter %d: %+v, expectation %s; the house wins %s", meter, a, j.Sum.Expectation, win)
		}
	}
	// 60 rounds an hour at seven boxes.
	if hour := new(big.Rat).Mul(win, big.NewRat(420, 1)).FloatString(2); hour != "640.53" {
		t.Errorf("an hour: %s", hour)
	}
	if j, err := Together(v, map[Bet]money.Amount{AntePlay: money.Major}, Options{}); err != nil || j.Accrual != nil {
		t.Errorf("without a Progressive bet: %+v, %v", j.Accrual, err)
	}
}
