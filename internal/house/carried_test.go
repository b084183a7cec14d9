package house_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/rules"
)

// A table goes over to a revision that gives a hand a part of the meter. It keeps the pays that
// it had, and so it plays for the same jackpot on.
func TestATableKeepsThePaysOfItsJackpot(t *testing.T) {
	first, second := twoRevisions()
	for i := range second.Wagers {
		if w := &second.Wagers[i]; w.Wager == rules.Progressive {
			w.Pays = slices.Clone(w.Pays)
			w.Pays[0].Rows = slices.Clone(w.Pays[0].Rows)
			w.Pays[0].Rows[1].Pay = rules.Pay{MeterPercent: 10}
		}
	}
	s := byProgram(t, first)
	s.find = program(second)
	s.restart()
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	status, err := s.Status("A")
	if err != nil {
		t.Fatal(err)
	}
	v := status.State.Variant()
	if v.Book != second || *v.Jackpot != *first.Standard().Jackpot {
		t.Errorf("the round is played by revision %d, for a jackpot with %+v", v.Book.Revision, *v.Jackpot)
	}
	for i, row := range first.Rule(rules.Progressive).Pays[0].Rows {
		if got := v.Pays[rules.Progressive].Rows[i].Pay; got != row.Pay {
			t.Errorf("%s: %+v is paid, and before %+v", row.Combo, got, row.Pay)
		}
	}
}

// A program without the book of a table shows the table, and says what it lacks.
func TestAProgramLacksTheBookOfATable(t *testing.T) {
	first, _ := twoRevisions()
	s := byProgram(t, first)
	s.find = func(string) (*rules.Book, error) { return nil, errNoBook }
	s.restart()
	if err := s.LaterBook(); !errors.Is(err, errNoBook) || !strings.Contains(err.Error(), "table A: ") {
		t.Errorf("the program can play at every table: %v", err)
	}
	if _, err := s.Status("A"); err != nil {
		t.Errorf("the table is not to be seen: %v", err)
	}
}

var errNoBook = errors.New("this program has no book")
