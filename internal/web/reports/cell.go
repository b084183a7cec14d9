package reports

import (
	"slices"

	"trey/internal/house/report"
	"trey/internal/stored"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
)

// Cell returns a value of a column as a page writes it.
func Cell(v *site.Visit, c report.Column, value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case money.Amount:
		return v.Money(value)
	case int64:
		if c.Unit == report.TimeMs {
			return site.Moment(value)
		}
		return v.Whole(int(value))
	case string:
		if !slices.Contains(worded, c.Key) {
			return value
		}
		return wordOf(v, c.Key, value)
	case report.Words:
		words, _ := v.Sentence(value.Sentence)
		return words
	default:
		return ""
	}
}

// Total returns a value of the row of totals, whose first one says what the row is.
func Total(v *site.Visit, s *report.Section, i int) string {
	if title, ok := s.Totals[i].(string); ok && i == 0 {
		return v.Term(title)
	}
	return Cell(v, s.Columns[i], s.Totals[i])
}

// worded are the columns of texts in which the program's words stand. What stands in the others is
// a name, a number or what somebody wrote, and it is the same in every language: a player may be
// called Ante.
var worded = []string{"account", "cause", "hand", "kind", "outcome", "role", "wager", "what"}

// named are the columns that say whose a row is, where they stand first.
var named = []string{"jackpot", "person", "player", "table"}

// groups are those of the messages that say what the keys in a column mean, by the key of the column.
var groups = map[string][]string{
	"role": {"role", "function"}, "what": {"incident"}, "outcome": {"outcome", "remedy"}, "cause": {"cause"}, "kind": {"significant"},
}

// recorded are the columns in which kinds of events and proposals stand, as the record names them.
var recorded = []string{"what", "kind"}

// wordOf returns the words for a text of a report. In some columns, files have the keys of the
// record, such as "pair-plus" for a wager, and people read words there.
func wordOf(v *site.Visit, column, text string) string {
	for _, group := range groups[column] {
		if words, ok := v.Lookup(group + "." + text); ok {
			return words
		}
	}
	if slices.Contains(recorded, column) {
		if words, ok := v.Script("kinds", stored.Name(text)); ok {
			return words
		}
	}
	if w, err := rules.ParseWager(text); err == nil && (column == "wager" || column == "outcome") {
		return v.Term(w.Name())
	}
	if c, err := rules.ParseCombo(text); err == nil && column == "hand" {
		return v.Term(c.Name())
	}
	return v.Term(text)
}
