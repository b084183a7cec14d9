package felt_test

import (
	"slices"
	"testing"

	"trey/internal/web/felt"
	"trey/money"
)

// TestChipsAreUsualOnes draws amounts in the chips of a United States house, which may have chips
// of $2 to $4: a stake of $2 lies there as two of $1.
func TestChipsAreUsualOnes(t *testing.T) {
	dollars := func(all ...money.Amount) []money.Amount {
		for i := range all {
			all[i] *= money.Major
		}
		return all
	}
	house := dollars(1, 2, 3, 4, 5, 25)
	tests := []struct {
		amount        money.Amount
		denominations []money.Amount
		want          []money.Amount
	}{
		{2 * money.Major, house, dollars(1, 1)},
		{4 * money.Major, house, dollars(1, 1, 1, 1)},
		{9 * money.Major, house, dollars(5, 1, 1, 1, 1)},
		{31 * money.Major, house, dollars(25, 5, 1)},
		{30 * money.Major, nil, dollars(25, 5)},
		{20_000 * money.Major, dollars(5000, 10_000), dollars(10_000, 10_000)},
		// No usual chip comes to this, so that those of the table do.
		{6 * money.Major, dollars(2, 5), dollars(5)},
		{4 * money.Major, dollars(2, 5), dollars(2, 2)},
		{50, []money.Amount{50, 1 * money.Major}, []money.Amount{50}},
	}
	for _, test := range tests {
		if got := felt.Chips(test.amount, test.denominations); !slices.Equal(got, test.want) {
			t.Errorf("%s in chips of %v: %v, want %v", test.amount, test.denominations, got, test.want)
		}
	}
}
