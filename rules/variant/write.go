package variant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/money"
	"trey/rules"
)

// Example returns a complete variant file of the book, with every value that can
// be set at the book's own and with what each means. [Parse] accepts it.
func Example(b *rules.Book) []byte { return Write(b.Standard()) }

// Write returns the variant as a file, complete and with comments. [Parse] reads
// it back as a variant with the same [rules.Variant.Hash]. A variant that has no
// name but the book's is given one, for a file must not pass for the book.
func Write(v *rules.Variant) []byte {
	w := &writer{v: v}
	w.head()
	w.limits()
	w.pays()
	w.envy()
	w.rulings()
	w.progressive()
	return []byte(w.out.String())
}

type writer struct {
	v   *rules.Variant
	out strings.Builder
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.out, format+"\n", args...)
}

func (w *writer) head() {
	v := w.v
	id := v.ID
	if !goodID.MatchString(id) || id == v.Book.ID {
		id = v.Book.ID + "-variant"
	}
	w.line("# %s of %s", v.Book.Title, v.Book.House)
	w.line("base = %q", v.Book.Ref())
	w.line("# The name under which rounds are recorded, beside the hash of what stands here.")
	w.line("id = %q", id)
	w.line("# From %d to %d (%s).", v.Book.Boxes.Least(), v.Book.Boxes.Max, v.Book.ClauseRef(v.Book.Boxes.Clauses.Count))
	w.line("boxes = %d", v.Boxes)
	w.line("# The denominations in use, ascending; with none, any amount can be bet.")
	chips := make([]string, len(v.Chips))
	for i, chip := range v.Chips {
		chips[i] = strconv.Quote(sum(chip))
	}
	w.line("chips = [%s]", strings.Join(chips, ", "))
}

// sum writes an amount as a person would: whole units without decimals.
func sum(a money.Amount) string { return strings.TrimSuffix(a.String(), ".00") }

func (w *writer) limits() {
	for i := range w.v.Book.Wagers {
		rule := &w.v.Book.Wagers[i]
		if rule.Stake != rules.WithinLimits {
			continue
		}
		limit := w.v.Limits[rule.Wager]
		w.line("\n[limits.%s]", rule.Wager)
		w.line("min = %q", sumOrNone(limit.Min))
		w.line("max = %q", sumOrNone(limit.Max))
	}
}

func sumOrNone(a money.Amount) string {
	if a == 0 {
		return none
	}
	return sum(a)
}

// pays writes each table by its rows, with the table of the text from which it
// comes where there are several.
func (w *writer) pays() {
	for i := range w.v.Book.Wagers {
		rule := &w.v.Book.Wagers[i]
		table := w.v.Pays[rule.Wager]
		start := origin(rule, table)
		w.line("\n# %s", rule.Wager.Name())
		w.line("[pays.%s]", rule.Wager)
		if start.Name != "" {
			var names []string
			for k := range rule.Pays {
				names = append(names, rule.Pays[k].Name)
			}
			w.line("# The text offers %s; the rows below change the one chosen.", strings.Join(names, ", "))
			w.line("table = %q", start.Name)
		}
		for _, row := range table.Rows {
			w.line("%s = %q", row.Combo, written(row.Pay))
		}
		for _, row := range start.Rows {
			if !slices.ContainsFunc(table.Rows, func(r rules.PayRow) bool { return r.Combo == row.Combo }) {
				w.line("%s = %q", row.Combo, none)
			}
		}
	}
}

// origin returns the table of the text from which a table comes, which its rows
// tell by their clause.
func origin(rule *rules.WagerRule, table *rules.PayTable) *rules.PayTable {
	for i := range rule.Pays {
		if len(table.Rows) > 0 && rule.Pays[i].Rows[0].Clause == table.Rows[0].Clause {
			return &rule.Pays[i]
		}
	}
	return &rule.Pays[0]
}

func written(p rules.Pay) string {
	switch {
	case p.MeterPercent != 0:
		return strconv.Itoa(p.MeterPercent) + "% of the meter"
	case p.Fixed != 0:
		return "$" + sum(p.Fixed)
	}
	return p.Odds.String()
}

func (w *writer) envy() {
	rule := envyRule(w.v.Book)
	if rule == nil {
		return
	}
	w.line("\n# What a hand brings to the other boxes with a %s bet.", rule.Wager.Name())
	w.line("[envy]")
	for _, row := range w.v.Pays[rule.Wager].Rows {
		w.line("%s = %q", row.Combo, dollarsOrNone(row.Envy))
	}
}

func dollarsOrNone(a money.Amount) string {
	if a == 0 {
		return none
	}
	return "$" + sum(a)
}

func (w *writer) rulings() {
	w.line("\n# What the text leaves open: see docs/rulings.md. The first value is the default.")
	w.line("[rulings]")
	for _, r := range w.v.Book.Open() {
		rule := r.Rule()
		var values []string
		for _, c := range rule.Choices {
			values = append(values, c.String())
		}
		w.line("# %s (%s)", rule.Question, strings.Join(values, ", "))
		w.line("%s = %q", rule.Key, w.v.Choices[r])
	}
	w.line("# How long must a stop last to affect the round?")
	w.line("%s = %q", grace, duration(w.v.GraceMs))
	w.line("# To whom goes what cannot be paid: player, house, or a chip as the unit: chip 0.50, chip 0.50 house")
	w.line("%s = %q", rounding, roundingWords(w.v.Rounding))
}

func duration(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

func roundingWords(r money.Rounding) string {
	if r.Unit <= money.Minor {
		return r.Favour.String()
	}
	return "chip " + sum(r.Unit) + " " + r.Favour.String()
}

func (w *writer) progressive() {
	if w.v.Book.Rule(rules.Progressive) == nil {
		return
	}
	w.line("\n# The Progressive Jackpot; enabled = false takes no bets on it.")
	w.line("[progressive]")
	terms := w.v.Jackpot
	if terms == nil {
		w.line("enabled = false")
		return
	}
	w.line("enabled = true")
	w.line("bet = %q", sum(terms.Bet))
	w.line("reset = %q", sum(terms.Reset))
	w.line("# The part of each bet that goes to the meter: 40%% or 2/5.")
	if terms.RateDen == 100 {
		w.line(`rate = "%d%%"`, terms.RateNum)
	} else {
		w.line(`rate = "%d/%d"`, terms.RateNum, terms.RateDen)
	}
	w.line("ceiling = %q", sum(terms.Ceiling))
}
