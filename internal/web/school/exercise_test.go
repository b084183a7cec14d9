package school_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"testing"

	"trey/internal/web/school"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

func answer(e *school.Exercise) url.Values {
	form := url.Values{"answer": {e.Answer}}
	for i := range e.Due {
		due := &e.Due[i]
		form.Set("result."+due.Wager.String(), due.Result())
		form.Set("pays."+due.Wager.String(), due.Pays().String())
	}
	return form
}

// Whatever number an exercise has, there is one; it is the same twice, its own
// answer is right and is among those offered, and no other answer is.
func TestExercisesAreSound(t *testing.T) {
	for _, b := range books.All() {
		for _, kind := range school.Kinds() {
			answers := map[string]int{}
			for n := range 24 {
				id := fmt.Sprint("n", n)
				e, again := school.Draw(b, kind, id), school.Draw(b, kind, id)
				if e.Player != again.Player || e.Dealer != again.Dealer || e.Answer != again.Answer || !reflect.DeepEqual(e.Due, again.Due) || !slices.Equal(e.Options, again.Options) {
					t.Fatalf("%s, %s, %s is two exercises", b.ID, kind, id)
				}
				if verdict := e.Grade(answer(e)); !verdict.Right {
					t.Errorf("%s, %s, %s: its own answer is wrong", b.ID, kind, id)
				}
				answers[e.Answer]++
				if kind == school.Pay {
					checkPay(t, b, e)
					continue
				}
				if !slices.Contains(e.Options, e.Answer) || len(e.Options) < 2 {
					t.Errorf("%s, %s, %s: %q is not among %v", b.ID, kind, id, e.Answer, e.Options)
				}
				for _, option := range append([]string{""}, e.Options...) {
					if option != e.Answer && e.Grade(url.Values{"answer": {option}}).Right {
						t.Errorf("%s, %s, %s: %q is right too", b.ID, kind, id, option)
					}
				}
			}
			if kind != school.Pay && len(answers) < 3 {
				t.Errorf("%s, %s: two dozen exercises have the answers %v only", b.ID, kind, answers)
			}
		}
	}
}

func checkPay(t *testing.T, b *rules.Book, e *school.Exercise) {
	t.Helper()
	if len(e.Due) == 0 {
		t.Errorf("%s, %s: nothing is to be paid", b.ID, e.ID)
		return
	}
	staked := money.Amount(0)
	for i := range e.Due {
		staked += e.Due[i].Stake
	}
	if staked != e.Down.Stakes.Total() {
		t.Errorf("%s, %s: the lines stake %s, the box %s", b.ID, e.ID, staked, e.Down.Stakes.Total())
	}
	for i := range e.Due {
		form := answer(e)
		form.Set("pays."+e.Due[i].Wager.String(), (e.Due[i].Pays() + 1).String())
		verdict := e.Grade(form)
		for k, right := range verdict.Lines {
			if right == (k == i) {
				t.Errorf("%s, %s: a cent too much on line %d: line %d is right: %v", b.ID, e.ID, i, k, right)
			}
		}
		if verdict.Right {
			t.Errorf("%s, %s: a cent too much on line %d is right", b.ID, e.ID, i)
		}
	}
}

// A payment of nothing may be left empty; what is no amount is wrong, not an
// error.
func TestAmountsAsPeopleWriteThem(t *testing.T) {
	b := books.All()[0]
	for n := range 40 {
		e := school.Draw(b, school.Pay, fmt.Sprint("w", n))
		form := answer(e)
		for i := range e.Due {
			key := "pays." + e.Due[i].Wager.String()
			if e.Due[i].Pays() == 0 {
				form.Set(key, " ")
			} else {
				form.Set(key, "$"+e.Due[i].Pays().Display())
			}
		}
		if !e.Grade(form).Right {
			t.Errorf("%s: %v is wrong", e.ID, form)
		}
		form.Set("pays."+e.Due[0].Wager.String(), "lots")
		if e.Grade(form).Right {
			t.Errorf("%s: lots is right", e.ID)
		}
	}
}

// Irregularities are of many kinds, and what the engine did is told.
func TestIrregularitiesVary(t *testing.T) {
	for _, b := range books.All() {
		kinds := map[rules.Incident]bool{}
		for n := range 40 {
			e := school.Draw(b, school.Rule, fmt.Sprint("i", n))
			kinds[e.Incident.Report.Incident] = true
			if len(e.Incident.Told()) == 0 {
				t.Errorf("%s, %s: nothing is told", b.ID, e.ID)
			}
			if _, ok := b.Clause(e.Incident.Clause); !ok && e.Incident.Clause != "" {
				t.Errorf("%s, %s: no clause %q", b.ID, e.ID, e.Incident.Clause)
			}
		}
		if len(kinds) < 6 {
			t.Errorf("%s: only %v", b.ID, kinds)
		}
	}
}
