package drill_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"testing"

	"trey/internal/drill"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

func answer(e *drill.Exercise) url.Values {
	form := url.Values{"answer": {e.Answer}}
	for i := range e.Due {
		due := &e.Due[i]
		form.Set("result."+due.Key(), due.Result())
		form.Set("pays."+due.Key(), due.Pays().String())
	}
	return form
}

// Whatever number an exercise has, there is one; it is the same twice, its own
// answer is right and is among those offered, and no other answer is.
func TestExercisesAreSound(t *testing.T) {
	for _, b := range books.All() {
		for _, kind := range drill.Kinds() {
			answers := map[string]int{}
			for n := range 24 {
				id := fmt.Sprint("n", n)
				e, again := drill.Draw(b, kind, id), drill.Draw(b, kind, id)
				if e.Player != again.Player || e.Dealer != again.Dealer || e.Answer != again.Answer || !reflect.DeepEqual(e.Due, again.Due) || !slices.Equal(e.Options, again.Options) {
					t.Fatalf("%s, %s, %s is two exercises", b.ID, kind, id)
				}
				if verdict := e.Grade(answer(e)); !verdict.Right {
					t.Errorf("%s, %s, %s: its own answer is wrong", b.ID, kind, id)
				}
				answers[e.Answer]++
				if kind == drill.Pay {
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
			if kind != drill.Pay && len(answers) < 3 {
				t.Errorf("%s, %s: two dozen exercises have the answers %v only", b.ID, kind, answers)
			}
		}
	}
}

func checkPay(t *testing.T, b *rules.Book, e *drill.Exercise) {
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
		form.Set("pays."+e.Due[i].Key(), (e.Due[i].Pays() + 1).String())
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
		e := drill.Draw(b, drill.Pay, fmt.Sprint("w", n))
		form := answer(e)
		for i := range e.Due {
			key := "pays." + e.Due[i].Key()
			if e.Due[i].Pays() == 0 {
				form.Set(key, " ")
			} else {
				form.Set(key, "$"+e.Due[i].Pays().Display())
			}
		}
		if !e.Grade(form).Right {
			t.Errorf("%s: %v is wrong", e.ID, form)
		}
		form.Set("pays."+e.Due[0].Key(), "lots")
		if verdict := e.Grade(form); verdict.Right || len(verdict.Errors) != 1 || verdict.Errors[0] != drill.WrongAmount {
			t.Errorf("%s: lots is right: %+v", e.ID, verdict)
		}
		form.Set("result."+e.Due[0].Key(), "misplaced")
		if verdict := e.Grade(form); verdict.Right || len(verdict.Errors) != 1 || verdict.Errors[0] != drill.WrongResult {
			t.Errorf("%s: a wrong result is %+v", e.ID, verdict)
		}
	}
}

// Irregularities are of many kinds, and what the engine did is told.
func TestIrregularitiesVary(t *testing.T) {
	for _, b := range books.All() {
		kinds := map[rules.Incident]bool{}
		for n := range 40 {
			e := drill.Draw(b, drill.Rule, fmt.Sprint("i", n))
			kinds[e.Incident.Report.Incident] = true
			if len(e.Incident.Told()) == 0 {
				t.Errorf("%s, %s: nothing is told", b.ID, e.ID)
			}
			if !b.Provides(e.Incident.Clause) && e.Incident.Clause != "" {
				t.Errorf("%s, %s: no clause %q", b.ID, e.ID, e.Incident.Clause)
			}
		}
		if len(kinds) < 6 {
			t.Errorf("%s: only %v", b.ID, kinds)
		}
	}
}

// What each hand beside the box brings it, worked out from the texts (rws 4.4, 4.7,
// 4.8; sm bonus.10) and not from the engine: sums by hand, and who has a claim.
func TestEnvyIsAsked(t *testing.T) {
	type texts struct {
		bet rules.Wager
		// spades, suited and straight are what an A-K-Q of spades, one of another
		// suit and another straight flush bring, in dollars.
		spades, suited, straight money.Amount
		// ante says that a hand without an Ante brings nothing, fold that a folded
		// box has no claim.
		ante, fold bool
	}
	for id, says := range map[string]texts{
		"rws-3cp": {rules.Progressive, 250, 50, 0, true, true},
		"sm-3cp":  {rules.Bonus, 100, 25, 5, false, false},
	} {
		b, err := books.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		brought, came := map[money.Amount]bool{}, map[string]bool{}
		for n := range 400 {
			e := drill.Draw(b, drill.Pay, fmt.Sprint("e", n))
			asked := 0
			for i := range e.Due {
				due := &e.Due[i]
				if due.Wager != rules.Envy {
					continue
				}
				asked++
				beside := e.Beside[slices.IndexFunc(e.Beside, func(b drill.Beside) bool { return b.Box == due.Box })]
				if beside.Folded && beside.Stakes[b.Decision.On] == 0 {
					t.Errorf("%s, exercise e%d: box %d is folded, and has nothing to play or fold", id, n, beside.Box)
				}
				ranks, suits := map[byte]bool{}, map[string]bool{}
				for _, c := range beside.Hand {
					ranks[c.String()[0]], suits[c.String()[1:]] = true, true
				}
				want := money.Amount(0)
				switch court := ranks['A'] && ranks['K'] && ranks['Q']; {
				case len(suits) > 1:
				case court && suits["s"]:
					want = says.spades * money.Major
				case court:
					want = says.suited * money.Major
				case b.Ranking.Combos(beside.Hand).Has(rules.StraightFlush):
					want = says.straight * money.Major
				}
				hand := want
				for why, none := range map[string]bool{
					"the same player":               beside.Same,
					"no Ante beside":                says.ante && beside.Stakes[rules.Ante] == 0,
					"without the bet":               e.Down.Stakes[says.bet] == 0,
					"folded, and the claim with it": says.fold && e.Down.Folded,
				} {
					if none {
						want = 0
						came[why] = came[why] || hand > 0
					}
				}
				if beside.Folded && want > 0 {
					came["from a folded hand"] = true
				}
				if due.Pays() != want {
					t.Errorf("%s, %s, box %d: %s is paid, want %s", id, e.ID, due.Box, due.Pays(), want)
				}
				brought[want] = true
			}
			if asked != len(e.Beside) {
				t.Errorf("%s, %s: %d of %d hands are asked for", id, e.ID, asked, len(e.Beside))
			}
			// All together they come to what the engine pays the box.
			lines, err := b.Standard().Settle(nil, &e.Down)
			if err != nil {
				t.Fatal(err)
			}
			var envy, due money.Amount
			for i := range lines {
				if lines[i].Wager == rules.Envy {
					envy += lines[i].Pays
				}
			}
			for i := range e.Due {
				if e.Due[i].Wager == rules.Envy {
					due += e.Due[i].Pays()
				}
			}
			if envy != due {
				t.Errorf("%s, %s: the engine pays %s, the lines come to %s", id, e.ID, envy, due)
			}
		}
		if !brought[0] || !brought[says.spades*money.Major] || !brought[says.suited*money.Major] || !came["the same player"] || !came["without the bet"] || !came["from a folded hand"] || says.ante && !came["no Ante beside"] || says.fold && !came["folded, and the claim with it"] {
			t.Errorf("%s: 400 exercises bring %v, and nothing for %v", id, brought, came)
		}
	}
}
