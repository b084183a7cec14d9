package report

import (
	"maps"
	"slices"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
)

// cash shows what each person took in and paid out at the cage. The account of cash is one for
// all: a drawer that was counted is held against what its cashier recorded. What a second person
// approved was taken in or paid out by the cashier who asked for it.
type cash struct{ of map[string]*cashier }

// cashier sums up what one person recorded.
type cashier struct {
	buyIns, cashOuts    int64
	boughtIn, cashedOut money.Amount
}

func (c *cash) see(e *house.StoredTransaction, within bool) error {
	if !within {
		return nil
	}
	by := e.Cause.By
	err := ownEvents(e, func(event house.OwnEvent) error {
		if approved, ok := event.(house.Approved); ok {
			by = approved.Of.Name
		}
		return nil
	})
	if err != nil {
		return err
	}
	var add adder
	for post, side := range sides(e) {
		if side.of.Kind != ledger.Cash {
			continue
		}
		sums := at(c.of, by)
		if side.in {
			sums.cashOuts++
			add.to(&sums.cashedOut, post.Amount)
		} else {
			sums.buyIns++
			add.to(&sums.boughtIn, post.Amount)
		}
	}
	return add.err
}

func (c *cash) sections() ([]Section, []Words, error) {
	s := Section{Title: "Persons", Columns: []Column{
		{"person", "Person", Text},
		{"buy_ins", "Buy-ins", Count},
		{"bought_in", "Bought in", Money},
		{"cash_outs", "Cash-outs", Count},
		{"cashed_out", "Cashed out", Money},
		{"cash", "Cash", Money},
	}}
	row := func(name string, of *cashier) Row {
		return Row{name, of.buyIns, of.boughtIn, of.cashOuts, of.cashedOut, of.boughtIn - of.cashedOut}
	}
	var add adder
	var all cashier
	for _, name := range slices.Sorted(maps.Keys(c.of)) {
		of := c.of[name]
		s.add(row(name, of)...)
		all.buyIns += of.buyIns
		all.cashOuts += of.cashOuts
		add.to(&all.boughtIn, of.boughtIn)
		add.to(&all.cashedOut, of.cashedOut)
	}
	s.Totals = row("Total", &all)
	return []Section{s}, nil, add.err
}
