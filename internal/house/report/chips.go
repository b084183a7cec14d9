package report

import (
	"cmp"
	"maps"
	"slices"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/money"
)

// chipsMoved holds the fills and credits of tables in chips of one denomination, or where the
// denomination is zero, those of which only the amount is known.
type chipsMoved struct {
	filled, credited int64 // chips
	fills, credits   money.Amount
}

type chipAt struct {
	table string
	chip  money.Amount
}

// chipsOf notes the chips of the fills and credits that were approved in a transaction.
func (p *performance) chipsOf(e *house.StoredTransaction) error {
	return ownEvents(e, func(event house.OwnEvent) error {
		approved, ok := event.(house.Approved)
		if !ok {
			return nil
		}
		proposal, err := approved.Proposal()
		if err != nil {
			return err
		}
		switch proposal := proposal.(type) {
		case house.Fill:
			p.moved(proposal.Table, proposal.Amount, proposal.Chips, func(m *chipsMoved) (*int64, *money.Amount) { return &m.filled, &m.fills })
		case house.Credit:
			p.moved(proposal.Table, proposal.Amount, proposal.Chips, func(m *chipsMoved) (*int64, *money.Amount) { return &m.credited, &m.credits })
		}
		return p.add.err
	})
}

func (p *performance) moved(table string, amount money.Amount, chips []posting.ChipCount, side func(*chipsMoved) (*int64, *money.Amount)) {
	if p.only != "" && p.only != table {
		return
	}
	of := func(chip money.Amount) (*int64, *money.Amount) {
		return side(at(p.chips, chipAt{table, chip}))
	}
	if len(chips) == 0 {
		_, sum := of(0)
		p.add.to(sum, amount)
	}
	for _, c := range chips {
		count, sum := of(c.Chip)
		*count += c.Count
		p.add.to(sum, money.Amount(c.Count)*c.Chip) // at most the amount, which was checked
	}
}

// chipSections lists fills and credits by denomination, of each table and of all together. A
// row without a denomination has those of which only the amount is known.
func (p *performance) chipSections() []Section {
	columns := []Column{
		{"chip", "Chip", Money},
		{"fill_chips", "Chips filled", Count},
		{"fills", "Fills", Money},
		{"credit_chips", "Chips credited", Count},
		{"credits", "Credits", Money},
	}
	each := Section{Title: "Fills and credits by denomination", Columns: append([]Column{{"table", "Table", Text}}, columns...)}
	together := Section{Title: "Fills and credits of all tables by denomination", Columns: columns}
	keys := slices.SortedFunc(maps.Keys(p.chips), func(a, b chipAt) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.chip, b.chip))
	})
	var all chipsMoved
	sums := map[money.Amount]*chipsMoved{}
	for _, key := range keys {
		m, sum := p.chips[key], at(sums, key.chip)
		sum.filled += m.filled
		sum.credited += m.credited
		for _, into := range []*chipsMoved{sum, &all} {
			p.add.to(&into.fills, m.fills)
			p.add.to(&into.credits, m.credits)
		}
		each.add(append([]any{key.table}, m.row(key.chip)...)...)
	}
	for _, chip := range slices.Sorted(maps.Keys(sums)) {
		together.add(sums[chip].row(chip)...)
	}
	each.Totals = Row{"Total", nil, nil, all.fills, nil, all.credits}
	together.Totals = Row{nil, nil, all.fills, nil, all.credits}
	return []Section{each, together}
}

// row returns the values of chips of one denomination. How many there were is not known
// without it.
func (m *chipsMoved) row(chip money.Amount) []any {
	if chip == 0 {
		return []any{nil, nil, m.fills, nil, m.credits}
	}
	return []any{chip, m.filled, m.fills, m.credited, m.credits}
}
