package books_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// words are the strings of a declaration that are no clause numbers.
var words = map[string]bool{
	"Book.ID": true, "Book.Edition": true, "Book.Title": true, "Book.House": true,
	"Qualification.Words": true, "PayTable.Name": true,
	"Question.Key": true, "Question.Ask": true, "Answer.Key": true,
}

// always are the clauses that may not be left out: every value that decides
// something names its own.
var always = map[string]bool{
	"PayRow.Clause": true, "Case.Clause": true, "Question.Clause": true, "Answer.Clause": true,
	"Qualification.Clause": true, "DeviceRule.Clause": true, "OrderRule.Clause": true,
	"DecisionRule.Play": true, "DecisionRule.Fold": true, "DecisionRule.Undecided": true,
	"BoxClauses.Count": true, "BoxClauses.PerArea": true, "BoxClauses.Others": true, "BoxClauses.Taken": true,
	"BoxClauses.Standing": true, "BoxClauses.Participate": true, "BoxClauses.OnBehalf": true,
	"ExamineClauses.May": true, "ExamineClauses.One": true, "ExamineClauses.Opened": true, "ExamineClauses.Showing": true,
	"BetRule.Open": true, "BetRule.Closed": true, "BetRule.Limits": true, "BetRule.LatePlace": true, "BetRule.LateWithdraw": true,
	"BetRule.NeedlessRide": true, "BetRule.Settle": true, "BetRule.Interrupted": true,
}

// TestEveryClauseExists walks over each declaration: every string in it that is
// not one of the words above is the number of a clause, and the register has it.
func TestEveryClauseExists(t *testing.T) {
	for _, b := range books.All() {
		found := 0
		walk(reflect.ValueOf(b).Elem(), "", func(field, text string) {
			switch {
			case words[field]:
			case text == "":
				if always[field] {
					t.Errorf("%s: a %s names no clause", b.Ref(), field)
				}
			default:
				found++
				if !b.Provides(text) {
					t.Errorf("%s: %s names the clause %q, which the register does not have", b.Ref(), field, text)
				}
			}
		})
		if found < 40 {
			t.Errorf("%s: only %d clauses found; the walk has missed the declaration", b.Ref(), found)
		}
	}
}

// walk visits every string of a value, with the name of its type and field. The
// register itself is left out.
func walk(v reflect.Value, field string, visit func(field, text string)) {
	switch v.Kind() {
	case reflect.String:
		visit(field, v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), field, visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), field, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if name != "Book.Clauses" && name != "Book.Readings" && name != "Book.Language" { // prose
				walk(v.Field(i), name, visit)
			}
		}
	default:
	}
}

// TestRulingsNameClausesThatExist holds the table of rulings against the
// registers, by each book's id.
func TestRulingsNameClausesThatExist(t *testing.T) {
	for r := rules.Ruling(1); r.Rule().Key != ""; r++ {
		rule := r.Rule()
		if rule.Ruling != r || rule.Question == "" || len(rule.Choices) < 2 {
			t.Errorf("%s: the row %+v is incomplete or out of place", rule.Key, rule)
		}
		open := false
		for _, b := range books.All() {
			point := b.OpenRuling(r)
			if point == nil {
				continue
			}
			open = true
			if len(point.Clauses) == 0 {
				t.Errorf("%s: %s leaves it open and names no clause", rule.Key, b.ID)
			}
			for _, clause := range point.Clauses {
				if _, ok := b.Clause(clause); !ok {
					t.Errorf("%s: %s has no clause %q", rule.Key, b.ID, clause)
				}
			}
		}
		if !open {
			t.Errorf("no book leaves %s open", rule.Key)
		}
	}
}

func TestDeclarationsAreWhole(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.Ref(), func(t *testing.T) {
			for i := range b.Wagers {
				checkWager(t, b, &b.Wagers[i])
			}
			checkOrder(t, b)
			checkIncidents(t, b)
			for i, chip := range b.Chips {
				if chip <= 0 || i > 0 && chip <= b.Chips[i-1] {
					t.Errorf("the chips %v are not ascending", b.Chips)
				}
			}
			if len(b.Devices) == 0 || b.Ranking == 0 || b.Boxes.Default < 1 || b.Boxes.Default > b.Boxes.Max || b.Boxes.PerArea < 1 {
				t.Errorf("devices %v, ranking %d or boxes %+v are not whole", b.Devices, b.Ranking, b.Boxes)
			}
			// A dealer and that many boxes of three cards, and a burn card.
			if cards := 3*(b.Boxes.Max+1) + 1; cards > 52 {
				t.Errorf("%d boxes need %d cards", b.Boxes.Max, cards)
			}
		})
	}
}

func checkWager(t *testing.T, b *rules.Book, rule *rules.WagerRule) {
	w := rule.Wager
	if rule.Contest == 0 || rule.Stake == 0 || len(rule.Pays) == 0 {
		t.Errorf("%s has no contest, stake rule or pay table", w)
	}
	if rides := rule.Contest == rules.Riding; rides != (rule.Stake == rules.NoStake) {
		t.Errorf("%s rides: %t, but its stake rule is %d", w, rides, rule.Stake)
	}
	if based := rule.Stake == rules.EqualToBasis || rule.Stake == rules.NoStake; based != (rule.Basis != 0) || based && b.Rule(rule.Basis) == nil {
		t.Errorf("%s: basis %s with stake rule %d", w, rule.Basis, rule.Stake)
	}
	if need := rule.Needs; need.Wager != 0 && (b.Rule(need.Wager) == nil || need.Scope == 0 || need.Clause == "") {
		t.Errorf("%s: need %+v is not whole", w, need)
	}
	// What can happen to the wager has its clause.
	o := rule.Clauses
	switch rule.Contest {
	case rules.AgainstDealer:
		if o.Win == "" && slices.ContainsFunc(rule.Pays[0].Rows, func(row rules.PayRow) bool { return row.Clause == "" }) || o.Lose == "" || o.Push == "" || (b.Qualify != nil) != (o.Unqual != "") {
			t.Errorf("%s: outcomes %+v are not whole", w, o)
		}
	case rules.OnHand, rules.EqualPoints:
		if o.Lose == "" {
			t.Errorf("%s: nothing is said of losing", w)
		}
	case rules.Riding:
		if o != (rules.Outcomes{}) {
			t.Errorf("%s rides and cannot end in %+v", w, o)
		}
		return
	}
	if o.Place == "" || o.Size == "" || (b.Decision != nil) != (o.Fold != "") || rule.Envy != (o.EnvyWin != "") {
		t.Errorf("%s: outcomes %+v are not whole", w, o)
	}
	names := map[string]bool{}
	for k := range rule.Pays {
		table := &rule.Pays[k]
		if len(rule.Pays) > 1 && (table.Name == "" || names[table.Name]) {
			t.Errorf("%s: table %q has no name of its own: where the text offers several, give each one", w, table.Name)
		}
		names[table.Name] = true
		if table.HasEnvy() && !rule.Envy {
			t.Errorf("%s pays an Envy Bonus that nobody receives", w)
		}
		for i, ways := range table.Ways(b.Ranking) {
			row := table.Rows[i]
			if ways == 0 {
				t.Errorf("%s: no hand is paid for %s", w, row.Combo)
			}
			set := 0
			for _, yes := range []bool{row.Pay.Odds != (money.Odds{}), row.Pay.Fixed != 0, row.Pay.MeterPercent != 0} {
				if yes {
					set++
				}
			}
			if set != 1 || row.Pay.Fixed < 0 || row.Envy < 0 || row.Pay.MeterPercent < 0 || row.Pay.MeterPercent > 100 {
				t.Errorf("%s: %s pays %+v", w, row.Combo, row.Pay)
			}
		}
	}
}

func checkOrder(t *testing.T, b *rules.Book) {
	seen := map[rules.Wager]bool{}
	for _, w := range b.Order.Lines {
		if seen[w] || w != rules.Envy && b.Rule(w) == nil {
			t.Errorf("the order of payment has %s twice, or the book does not have it", w)
		}
		seen[w] = true
	}
	hasEnvy := false
	for i := range b.Wagers {
		hasEnvy = hasEnvy || b.Wagers[i].Envy
		if !seen[b.Wagers[i].Wager] {
			t.Errorf("%s is never paid", b.Wagers[i].Wager)
		}
	}
	if hasEnvy != seen[rules.Envy] || hasEnvy != (b.Envy.Clause != "") {
		t.Errorf("the Envy Bonus is in one of wagers, order and rule, and not in all")
	}
}

func checkIncidents(t *testing.T, b *rules.Book) {
	seen := map[rules.Incident]bool{}
	for _, rule := range b.Incidents {
		if seen[rule.Incident] {
			t.Errorf("%s stands twice", rule.Incident)
		}
		seen[rule.Incident] = true
		if n := len(rule.Cases); n == 0 || len(rule.Cases[n-1].When) != 0 || rule.Cases[n-1].Ruling != 0 {
			t.Errorf("%s: the last case does not catch what is left", rule.Incident)
		}
		for i, c := range rule.Cases {
			if c.Then == 0 || (c.Then == rules.Ask) != (c.Question != nil) {
				t.Errorf("%s: case %d is not whole: %+v", rule.Incident, i+1, c)
			}
			if len(c.When) == 0 && c.Ruling == 0 && i < len(rule.Cases)-1 {
				t.Errorf("%s: case %d hides those after it", rule.Incident, i+1)
			}
			if q := c.Question; q != nil && (!q.Role.AtLeast(rules.PitSupervisor) || !strings.HasSuffix(q.Ask, "?") || len(q.Answers) == 0) {
				t.Errorf("%s: the question %+v is not whole", rule.Incident, q)
			}
		}
	}
	asked := map[string]string{}
	for q := range b.Questions() {
		if words, there := asked[q.Key]; there && words != q.Ask {
			t.Errorf("the question %s is %q and %q: a record keeps its key alone", q.Key, words, q.Ask)
		}
		asked[q.Key] = q.Ask
		if got := b.Question(q.Key); got == nil || got.Ask != q.Ask {
			t.Errorf("the question %s is found as %+v", q.Key, got)
		}
	}
	if !seen[rules.Uncovered] {
		t.Error("nothing is provided for what the text does not cover")
	}
}
