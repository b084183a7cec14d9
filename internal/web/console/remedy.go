package console

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// answerOfRemedies is the answer that lists what is done: the form has a row for
// each thing, and those that are left empty are none.
const answerOfRemedies = "remedy"

// remedyRows returns the number of rows in one answer of the page: one for each box, and a few
// at small tables.
func (t *tableView) remedyRows() int { return max(4, t.State.Boxes()) }

// remedyTargets returns the hands and bettors that a remedy can be about: the box, or the box
// with a name behind it.
func (t *tableView) remedyTargets(v *site.Visit) (all []target) {
	for box := 1; box <= t.State.Boxes(); box++ {
		for _, bettor := range t.State.Bettors(box) {
			player := bettor.Player
			all = append(all, target{itoa(box) + " " + player, v.T("felt.box", "n", box) + " · " + player})
		}
	}
	return append(all, target{"dealer", v.T("felt.dealer")})
}

// paidWagers returns the wagers that a settlement has lines for.
func (t *tableView) paidWagers() []rules.Wager { return t.State.Variant().Book.Order.Lines }

// readRemedies reads the rows of the form.
func readRemedies(v *site.Visit, form url.Values) ([]table.Remedy, *answer) {
	var all []table.Remedy
	at := func(name string, row int) string {
		if values := form[name]; row < len(values) {
			return strings.TrimSpace(values[row])
		}
		return ""
	}
	for row := range form["do"] {
		if at("do", row) == "" {
			continue
		}
		r := table.Remedy{Reason: strings.TrimSpace(form.Get("reason"))}
		var err error
		if r.Do, err = table.ParseRemedyKind(at("do", row)); err != nil {
			return nil, malformed(v, v.T("problem.form"))
		}
		box, player, named := strings.Cut(at("where", row), " ")
		if box != "dealer" {
			if r.Box, err = strconv.Atoi(box); err != nil || !named {
				return nil, malformed(v, v.T("console.remedy-where", "n", row+1))
			}
		}
		if slices.Contains([]table.RemedyKind{table.ReturnStake, table.AwardAmount, table.CollectAmount}, r.Do) {
			r.Player = player
			if r.Wager, err = rules.ParseWager(at("wager", row)); err != nil {
				return nil, malformed(v, v.T("console.remedy-wager", "n", row+1))
			}
			if text := at("amount", row); text != "" {
				if r.Amount, err = money.Parse(text); err != nil {
					return nil, malformed(v, v.T("console.amount-wrong"))
				}
			}
		}
		if r.Do == table.RestoreDecision {
			if err = r.Decision.UnmarshalText([]byte(at("decision", row))); err != nil {
				return nil, malformed(v, v.T("problem.form"))
			}
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, malformed(v, v.T("console.remedy-none"))
	}
	return all, nil
}
