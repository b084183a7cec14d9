package rules_test

import (
	"errors"
	"slices"
	"testing"

	"trey/rules"
	"trey/rules/books"
)

// A variant that goes over to a declaration with the same provisions is the same variant,
// with each pay table that the text offers: its rows cite the clause of that table.
func TestWhatStaysTheSameIsCarried(t *testing.T) {
	for _, b := range books.All() {
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			for k := range rule.Pays {
				v := b.Standard()
				if name := rule.Pays[k].Name; name != "" {
					if err := v.UsePayTable(rule.Wager, name); err != nil {
						t.Fatal(err)
					}
				}
				c, err := v.CarriedTo(b)
				if err != nil || c.Hash() != v.Hash() || c.Pays[rule.Wager].Name != v.Pays[rule.Wager].Name {
					t.Errorf("%s: %s by %q is carried over as %+v, %v", b.Ref(), rule.Wager, v.Pays[rule.Wager].Name, c.Pays[rule.Wager], err)
				}
			}
		}
	}
}

// Pays of the house stay with the clause of the table that they are of.
func TestPaysOfTheHouseAreCarried(t *testing.T) {
	v := standard(t, "sm-3cp").Clone()
	if err := v.OverridePays(rules.Bonus, []int64{2000, 200, 90, 30}); err != nil {
		t.Fatal(err)
	}
	c, err := v.CarriedTo(v.Book)
	if err != nil || c.Hash() != v.Hash() || c.Pays[rules.Bonus].Rows[0].Clause != "bonus.3.TCPB-03E" {
		t.Errorf("carried over it pays %+v, %v", c.Pays[rules.Bonus], err)
	}
}

// A variant without a pay table is refused.
func TestWhatHasNoTableIsNotCarried(t *testing.T) {
	v := standard(t, "sm-3cp").Clone()
	v.Pays[rules.Bonus] = nil
	if _, err := v.CarriedTo(v.Book); !errors.Is(err, rules.ErrNotCarried) {
		t.Errorf("it is carried over: %v", err)
	}
}

// Where another revision has given a table another clause, its rows cite that one, and
// those of the tables beside it stay.
func TestATableOfAnotherClauseIsCarried(t *testing.T) {
	v := standard(t, "sm-3cp").Clone()
	if err := v.UsePayTable(rules.Bonus, "TCPB-04E"); err != nil {
		t.Fatal(err)
	}
	later := *v.Book
	later.Wagers = slices.Clone(later.Wagers)
	for i := range later.Wagers {
		rule := &later.Wagers[i]
		rule.Pays = slices.Clone(rule.Pays)
		for k := range rule.Pays {
			if rule.Pays[k].Name == "TCPB-04E" {
				rule.Pays[k].Rows = slices.Clone(rule.Pays[k].Rows)
				for n := range rule.Pays[k].Rows {
					rule.Pays[k].Rows[n].Clause = "bonus.2"
				}
			}
		}
	}
	c, err := v.CarriedTo(&later)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range c.Pays[rules.Bonus].Rows {
		if row.Clause != "bonus.2" {
			t.Errorf("%s cites %s", row.Combo.Name(), row.Clause)
		}
	}
	if c.Pays[rules.Bonus].Name != "TCPB-04E" {
		t.Errorf("its table is %q", c.Pays[rules.Bonus].Name)
	}
}
