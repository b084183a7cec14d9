package plan

import (
	"slices"

	"trey/internal/house"
	"trey/internal/tomldoc"
	"trey/money"
)

// StandardCage is the most that one cashier moves alone where the file states no limit.
var StandardCage = house.CageLimits{Each: 10_000 * money.Major, Day: 100_000 * money.Major}

var cageKeys = []string{"transaction", "day"}

// cage reads what one cashier moves alone.
func (r *reader) cage(e *tomldoc.Entry) {
	if !r.section(e, 2, `[cage] with transaction = "10000"`) {
		return
	}
	if !slices.Contains(cageKeys, e.Path[1]) {
		r.unknown(e, 1, cageKeys, "the cage has no")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	into := map[string]*money.Amount{"transaction": &r.plan.Cage.Each, "day": &r.plan.Cage.Day}[e.Path[1]]
	if e.Value.Kind == tomldoc.Text && e.Value.Text == none {
		*into = 0
		return
	}
	sum, ok := r.amount(e)
	switch {
	case !ok:
	case sum == 0:
		r.fail(e.Value.Pos, `%s is zero: write %q if there is no such limit`, key(e), none)
	default:
		*into = sum
	}
}
