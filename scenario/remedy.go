package scenario

import (
	"cmp"
	"fmt"
	"strings"

	"trey/money"
	"trey/rules"
	"trey/table"
)

// remedies reads what an answer lists: each quoted, 'return box=1 wager=ante', with
// why='...' for all of them.
func (r *run) remedies(a *args) ([]table.Remedy, error) {
	reason := cmp.Or(a.text("why"), "as decided")
	if a.flag("no-reason") {
		reason = ""
	}
	var all []table.Remedy
	for _, text := range a.bares() {
		words := strings.Fields(text)
		if len(words) == 0 {
			return nil, fmt.Errorf("say what is done: 'award box=1 wager=ante amount=5'")
		}
		rem := table.Remedy{Reason: reason}
		var err error
		if rem.Do, err = table.ParseRemedyKind(words[0]); err != nil {
			return nil, err
		}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "box":
				rem.Box, err = parseCount(value)
			case "dealer":
				rem.Box = 0
			case "player":
				rem.Player = value
			case "wager":
				rem.Wager, err = rules.ParseWager(value)
			case "amount":
				rem.Amount, err = money.Parse(value)
			case "decision":
				err = rem.Decision.UnmarshalText([]byte(value))
			default:
				err = fmt.Errorf("%q has no meaning in a remedy", word)
			}
			if err != nil {
				return nil, err
			}
		}
		if s := r.state(); rem.Wager != 0 && rem.Player == "" && rem.Box >= 1 && rem.Box <= len(s.Boxes) {
			rem.Player = s.Boxes[rem.Box-1].Player()
		}
		all = append(all, rem)
	}
	return all, nil
}
