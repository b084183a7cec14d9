package variant

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"trey/internal/tomldoc"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// payChange is the change that a file makes in the pay table of one wager.
type payChange struct {
	line int
	// name picks one of the tables that the text offers.
	name string
	// toOne replaces the pays from the best hand down, if given.
	toOne []int64
	rows  []rowChange
}

// rowChange changes, adds or removes one row.
type rowChange struct {
	line   int
	combo  rules.Combo
	pay    rules.Pay
	remove bool
}

// envyChange changes or removes the Envy Bonus of one row.
type envyChange struct {
	line  int
	combo rules.Combo
	envy  money.Amount
}

func comboKeys() []string {
	var keys []string
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		keys = append(keys, c.String())
	}
	return keys
}

func (r *reader) pay(e *tomldoc.Entry, pays map[rules.Wager]*payChange) {
	const example = `[pays] with lines such as pair-plus = "40/30/6/4/1"`
	if !r.section(e, 2, example) {
		return
	}
	w, ok := r.wager(e, func(*rules.WagerRule) string { return "" })
	if !ok {
		return
	}
	change := pays[w]
	if change == nil {
		change = &payChange{line: e.Line}
		pays[w] = change
	}
	if len(e.Path) == 2 {
		if e.Value.Kind == tomldoc.Table {
			return
		}
		change.line = e.Line
		r.wholeTable(e, r.book.Rule(w), change)
		return
	}
	if !r.leaf(e, 3) {
		return
	}
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Line, `%s is %s: write the pay in quotes, such as "5 to 1", "$15" or %q`, strings.Join(e.Path, "."), sentence.Word(e.Value.Kind.String()), none)
		return
	}
	if e.Path[2] == "table" {
		r.tableName(e, r.book.Rule(w), change)
		return
	}
	combo, err := rules.ParseCombo(e.Path[2])
	if err != nil {
		r.unknown(e, 2, append(comboKeys(), "table"), "there is no combination")
		return
	}
	row := rowChange{line: e.Line, combo: combo, remove: isNone(&e.Value)}
	if !row.remove {
		if row.pay, err = parsePay(e.Value.Text); err != nil {
			r.fail(e.Line, "%s: %s", strings.Join(e.Path, "."), err)
			return
		}
	}
	change.rows = append(change.rows, row)
}

// wholeTable reads "40/30/6/4/1" or the name of a table.
func (r *reader) wholeTable(e *tomldoc.Entry, rule *rules.WagerRule, change *payChange) {
	key := strings.Join(e.Path, ".")
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Line, `%s is %s: write the pays in quotes, best hand first, such as "40/30/6/4/1"`, key, sentence.Word(e.Value.Kind.String()))
		return
	}
	parts := strings.Split(e.Value.Text, "/")
	if len(parts) == 1 && strings.Trim(parts[0], " 0123456789") != "" {
		r.tableName(e, rule, change)
		return
	}
	for _, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			r.fail(e.Line, `%s: %q in %q is no pay; write whole numbers "to 1", such as 40/30/6/4/1, or a table with a line for each row`, key, part, e.Value.Text)
			return
		}
		change.toOne = append(change.toOne, n)
	}
	if _, err := r.v.TableWith(rule.Wager, len(change.toOne)).WithPays(change.toOne); err != nil {
		r.fail(e.Line, "%s: %s", key, err)
		change.toOne = nil
	}
}

// tableName picks one of the tables that the text offers.
func (r *reader) tableName(e *tomldoc.Entry, rule *rules.WagerRule, change *payChange) {
	var names []string
	for i := range rule.Pays {
		if rule.Pays[i].Name == e.Value.Text && e.Value.Text != "" {
			change.name = e.Value.Text
			return
		}
		if rule.Pays[i].Name != "" {
			names = append(names, rule.Pays[i].Name)
		}
	}
	key := strings.Join(e.Path, ".")
	switch near := rules.Nearest(e.Value.Text, names); {
	case near != "":
		r.fail(e.Line, "%s: there is no pay table %q: did you mean %s?", key, e.Value.Text, near)
	case len(names) > 0:
		r.fail(e.Line, "%s: there is no pay table %q: choose from %s, or write pays such as 40/30/6/4/1", key, e.Value.Text, strings.Join(names, ", "))
	default:
		r.fail(e.Line, "%s: %q is no list of pays: write one such as 40/30/6/4/1, best hand first", key, e.Value.Text)
	}
}

// parsePay reads "100% of the meter", "$15", "5 to 1", "1:2" or "5".
func parsePay(s string) (rules.Pay, error) {
	if percent, ok := strings.CutSuffix(s, "of the meter"); ok {
		digits, ok := strings.CutSuffix(strings.TrimSpace(percent), "%")
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if !ok || err != nil || n < 1 || n > 100 {
			return rules.Pay{}, sentence.Errorf("%q is no share of the meter: write 100%% of the meter", s)
		}
		return rules.Pay{MeterPercent: n}, nil
	}
	if strings.HasPrefix(s, "$") {
		sum, err := money.Parse(s)
		switch {
		case err != nil:
			return rules.Pay{}, err
		case sum == 0:
			return rules.Pay{}, sentence.Errorf("%s pays nothing: write %q to drop the row, or 0 to 1 to return the stake", s, none)
		}
		return rules.Pay{Fixed: sum}, nil
	}
	odds, err := money.ParseOdds(s)
	if err != nil {
		return rules.Pay{}, sentence.Errorf("%s; a sum is written $15, a jackpot 100%% of the meter, no row %s", err, none)
	}
	return rules.Pay{Odds: odds}, nil
}

// place orders rows from the best hand down: combinations are declared in that
// order, and what matches every hand comes last.
func place(c rules.Combo) int {
	if c == rules.AnyHand {
		return math.MaxInt
	}
	return int(c)
}

// buildPays makes the wager's table: the text's own, or the one picked, with the
// pays replaced and then the rows changed.
func (r *reader) buildPays(rule *rules.WagerRule, change *payChange) {
	w := rule.Wager
	var err error
	switch {
	case change.name != "":
		err = r.v.UsePayTable(w, change.name)
	case change.toOne != nil:
		err = r.v.OverridePays(w, change.toOne)
	}
	if err != nil {
		r.fail(change.line, "pays.%s", err)
		return
	}
	rows := slices.Clone(r.v.Pays[w].Rows)
	clause := rows[0].Clause
	for _, c := range change.rows {
		at := slices.IndexFunc(rows, func(row rules.PayRow) bool { return row.Combo == c.combo })
		switch {
		case c.remove && at < 0:
			r.fail(c.line, "pays.%s has no row %s to drop", w.String(), c.combo.String())
		case c.remove:
			rows = slices.Delete(rows, at, at+1)
		case at < 0:
			rows = append(rows, rules.PayRow{Combo: c.combo, Pay: c.pay, Clause: clause})
		default:
			rows[at].Pay = c.pay
		}
	}
	slices.SortStableFunc(rows, byPlace)
	if offered := rule.Offered(rows); offered != nil {
		r.v.Pays[w] = offered
		return
	}
	r.useRows(rule, rows)
}

// byPlace compares rows from the best hand down.
func byPlace(a, b rules.PayRow) int { return cmp.Compare(place(a.Combo), place(b.Combo)) }

// useRows sets a wager's table. One that is the text's own keeps its name, so
// that a file that repeats the book is the book.
func (r *reader) useRows(rule *rules.WagerRule, rows []rules.PayRow) {
	slices.SortStableFunc(rows, byPlace)
	for i := range rule.Pays {
		if slices.Equal(rule.Pays[i].Rows, rows) {
			r.v.Pays[rule.Wager] = &rule.Pays[i]
			return
		}
	}
	r.v.Pays[rule.Wager] = &rules.PayTable{Rows: rows}
}

// envyRule returns the wager whose holders receive the Envy Bonus, or nil.
func envyRule(b *rules.Book) *rules.WagerRule {
	for i := range b.Wagers {
		if b.Wagers[i].Envy {
			return &b.Wagers[i]
		}
	}
	return nil
}

func (r *reader) envy(e *tomldoc.Entry, changes *[]envyChange) {
	if envyRule(r.book) == nil {
		r.broken["envy"] = true
		r.fail(e.Line, "%s has no Envy Bonus: remove this section", r.book.Ref())
		return
	}
	if !r.section(e, 2, `[envy] with lines such as akq-spades = "$250"`) {
		return
	}
	combo, err := rules.ParseCombo(e.Path[1])
	if err != nil {
		r.unknown(e, 1, comboKeys(), "there is no combination")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	sum := money.Amount(0)
	if !isNone(&e.Value) {
		var ok bool
		if sum, ok = r.amount(e, &e.Value); !ok {
			return
		}
	}
	*changes = append(*changes, envyChange{e.Line, combo, sum})
}

func (r *reader) buildEnvy(changes []envyChange) {
	if len(changes) == 0 {
		return
	}
	rule := envyRule(r.book)
	rows := slices.Clone(r.v.Pays[rule.Wager].Rows)
	for _, c := range changes {
		at := slices.IndexFunc(rows, func(row rules.PayRow) bool { return row.Combo == c.combo })
		if at < 0 {
			r.fail(c.line, "envy.%s: the pay table of %s has no such row; add it to [pays.%s] first", c.combo.String(), rule.Wager.String(), rule.Wager.String())
			continue
		}
		rows[at].Envy = c.envy
	}
	r.useRows(rule, rows)
}
