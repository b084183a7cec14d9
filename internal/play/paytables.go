package play

import (
	"fmt"

	"trey/rules"
)

// PayLine is one line of the sheet that shows what a game pays.
type PayLine struct {
	// Head marks the title of a wager; its Pays are its limits.
	Head bool
	// Text is the wager or the hand, Pays what it pays or the limits, Clause
	// the full reference.
	Text, Pays, Clause string
}

// PaySheet lists the wagers of the rules in force with their limits and pay
// tables, and what the house chose where the book leaves it a choice.
func PaySheet(v *rules.Variant) []PayLine {
	b := v.Book
	var sheet []PayLine
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		w := rule.Wager
		if v.Jackpot == nil && rule.Stake == rules.Prescribed {
			continue // no progressive is connected
		}
		head := PayLine{Head: true, Text: w.Name(), Clause: b.ClauseRef(rule.Clauses.Place)}
		switch limit := v.Limits[w]; {
		case rule.Stake == rules.Prescribed:
			head.Pays = fmt.Sprintf("exactly $%s", Chips(limit.Max))
		case rule.Stake == rules.EqualToBasis:
			head.Pays = "as much as the " + rule.Basis.Name()
		case rule.Stake == rules.NoStake:
			head.Pays = "paid on the " + rule.Basis.Name()
		default:
			head.Pays = LimitWords(limit)
		}
		table := v.Pays[w]
		if table.Name != "" {
			head.Text += ", table " + table.Name
		}
		sheet = append(sheet, head)
		for k := range table.Rows {
			row := &table.Rows[k]
			text := row.Combo.Name()
			if row.Combo == rules.AnyHand {
				text = "Any winning hand"
				if k > 0 {
					text = "Any other winning hand"
				}
			}
			pays := row.Pay.String()
			if row.Envy != 0 {
				pays += ", envy $" + Chips(row.Envy)
			}
			sheet = append(sheet, PayLine{Text: text, Pays: pays, Clause: b.ClauseRef(row.Clause)})
		}
	}
	if q := b.Qualify; q != nil {
		sheet = append(sheet, PayLine{Head: true, Text: "The dealer plays with " + q.Words + " or better", Clause: b.ClauseRef(q.Clause)})
	}
	return sheet
}
