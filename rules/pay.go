package rules

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"trey/money"
	"trey/sentence"
)

// Pay is the pay of one row of a pay table for a win. Exactly one of the fields is set:
// odds on the stake, a fixed sum, or a percentage of the displayed meter.
type Pay struct {
	Odds         money.Odds
	Fixed        money.Amount
	MeterPercent int
}

// ToOne pays n times the stake.
func ToOne(n int64) Pay { return Pay{Odds: money.Odds{To: n, For: 1}} }

// Dollars pays a fixed sum of whole currency units.
func Dollars(n int64) Pay { return Pay{Fixed: money.Amount(n) * money.Major} }

// String prints the pay as a rule book would: "40 to 1", "$1,250", "100 % of
// the meter".
func (p Pay) String() string {
	switch {
	case p.MeterPercent != 0:
		return fmt.Sprintf("%d %% of the meter", p.MeterPercent)
	case p.Fixed != 0:
		return "$" + p.Fixed.Display()
	}
	return p.Odds.String()
}

// PayRow is one row of a pay table.
type PayRow struct {
	Combo Combo
	Pay   Pay
	// Envy is the Envy Bonus that this hand brings to the other boxes with the
	// wager, zero for none.
	Envy   money.Amount
	Clause string
}

// PayTable lists what a wager pays, best hand first; the first row that the
// hand matches is the one that pays.
type PayTable struct {
	// Name is the table's own name where the text gives one, such as
	// "TCPB-03E"; empty otherwise.
	Name string
	Rows []PayRow
}

// Row returns the first row that a hand of these combinations matches. No table
// has no rows.
func (t *PayTable) Row(combos ComboSet) (*PayRow, bool) {
	if t == nil {
		return nil, false
	}
	for i := range t.Rows {
		if combos.Has(t.Rows[i].Combo) {
			return &t.Rows[i], true
		}
	}
	return nil, false
}

// HasEnvy reports whether any row brings an Envy Bonus.
func (t *PayTable) HasEnvy() bool {
	for i := range t.Rows {
		if t.Rows[i].Envy != 0 {
			return true
		}
	}
	return false
}

// SamePays reports whether two tables pay the same for every hand, Envy Bonuses
// included. No table is the same as no other.
func (t *PayTable) SamePays(as *PayTable) bool {
	return t != nil && as != nil && slices.EqualFunc(t.Rows, as.Rows, func(a, b PayRow) bool {
		return a.Combo == b.Combo && a.Pay == b.Pay && a.Envy == b.Envy
	})
}

// WithPays returns a copy of the table in which the rows pay the odds given,
// best hand first. A list shorter than the table drops its lowest rows, as an
// operator's "40/30/6" would; a longer one is refused. Rows that pay fixed sums
// or the meter cannot be overridden this way.
func (t *PayTable) WithPays(toOne []int64) (PayTable, error) {
	if len(toOne) == 0 {
		return PayTable{}, fmt.Errorf("the list of pays is empty: write for example 40/30/6/4/1")
	}
	if len(toOne) > len(t.Rows) {
		return PayTable{}, fmt.Errorf("%d pays for a table of %d rows (%s)", len(toOne), len(t.Rows), t.rowNames())
	}
	out := PayTable{Rows: make([]PayRow, len(toOne))}
	for i, n := range toOne {
		row := t.Rows[i]
		if row.Pay.Fixed != 0 || row.Pay.MeterPercent != 0 {
			return PayTable{}, fmt.Errorf("%s pays %s, which a list of odds cannot replace", row.Combo.Name(), row.Pay)
		}
		if n < 0 || n > MaxPay {
			return PayTable{}, fmt.Errorf("%s cannot pay %d to 1: pays are from 0 to %d", row.Combo.Name(), n, int64(MaxPay))
		}
		row.Pay = ToOne(n)
		out.Rows[i] = row
	}
	return out, nil
}

// Offered returns the table of the text with these rows and pays, or nil. The Envy
// Bonuses and clauses are then those of the text.
//
//clause:sm-3cp bonus.3
//clause:sm-3cp bonus.4
func (r *WagerRule) Offered(rows []PayRow) *PayTable {
	for i := range r.Pays {
		if slices.EqualFunc(r.Pays[i].Rows, rows, func(a, b PayRow) bool { return a.Combo == b.Combo && a.Pay == b.Pay }) {
			return &r.Pays[i]
		}
	}
	return nil
}

// MaxPay is the largest "to 1" a pay table may hold: far above any table in
// use, far below what could overflow a settlement.
const MaxPay = 10_000_000

func (t *PayTable) rowNames() string {
	names := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		names[i] = row.Combo.Name()
	}
	return strings.Join(names, ", ")
}

// Ways counts, over all 22,100 hands, how many each row pays for, in the order
// of the rows.
func (t *PayTable) Ways(order Ranking) []int {
	ways := make([]int, len(t.Rows))
	for combos, hands := range order.hands() {
		for i := range t.Rows {
			if combos.Has(t.Rows[i].Combo) {
				ways[i] += hands
				break
			}
		}
	}
	return ways
}

// check returns the mistake in a row: it must pay exactly one way, and no more than a
// settlement can carry.
func (r *PayRow) check() error {
	ways := 0
	for _, set := range [...]bool{r.Pay.Odds != money.Odds{}, r.Pay.Fixed != 0, r.Pay.MeterPercent != 0} {
		if set {
			ways++
		}
	}
	switch {
	case ways != 1:
		return sentence.Errorf("a row pays odds, a sum or part of the meter, exactly one of the three")
	case r.Pay.Odds != money.Odds{} && (!r.Pay.Odds.Valid() || r.Pay.Odds.To > MaxPay || r.Pay.Odds.For > MaxPay):
		return sentence.Errorf("%s is outside 0 to 1 and %d to 1", r.Pay.Odds.String(), int64(MaxPay))
	case r.Pay.Fixed < 0 || r.Pay.Fixed > MaxStake:
		return sentence.Errorf("a sum of $%s is outside $0 to $%s", r.Pay.Fixed.Display(), MaxStake.Display())
	case r.Pay.MeterPercent < 0 || r.Pay.MeterPercent > 100:
		return sentence.Errorf("%d %% of the meter is outside 1 to 100 %%", r.Pay.MeterPercent)
	case r.Envy < 0 || r.Envy > MaxStake:
		return sentence.Errorf("an Envy Bonus of $%s is outside $0 to $%s", r.Envy.Display(), MaxStake.Display())
	}
	return nil
}

// WholeMeter refuses a pay that is a part of the meter. A progressive pays a hit
// all that its meter displays and starts again from the reset value, and no book
// says where the rest of a part would stay.
func (p Pay) WholeMeter() error {
	if p.MeterPercent == 0 || p.MeterPercent == 100 {
		return nil
	}
	return sentence.Errorf("%d %% of the meter cannot be paid: a hit takes the whole meter, which then starts again at its reset value; write 100%% of the meter, or a sum such as $500", p.MeterPercent)
}

// FixedReturn returns the expected sum, in minor units, that the rows with fixed
// pays return for one bet, exactly.
func (t *PayTable) FixedReturn(order Ranking) *big.Rat {
	var sum int64
	for i, ways := range t.Ways(order) {
		sum += int64(ways) * int64(t.Rows[i].Pay.Fixed)
	}
	return big.NewRat(sum, 22_100)
}
