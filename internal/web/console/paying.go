package console

import (
	"cmp"
	"slices"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/web/felt"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// payment is the part of the settlement that concerns one box: what the dealer takes and pays.
type payment struct {
	box   int
	lines []paidLine
	// done says that it has been taken and paid.
	done bool
	// held says that what the jackpot pays is not handed out: two people verify the hit first.
	held bool
}

// paidLine is a line of a payment and what it changes for the player.
type paidLine struct {
	table.Line
	net money.Amount
}

// holds reports whether a line is of the sum that is not handed out.
func (p *payment) holds(l *paidLine) bool { return p.held && l.Wager == rules.Progressive }

// payments returns the payments of the round in the book's order: those settled, and those
// still due by the house's dry run. While that depends on a card that not everybody has seen,
// it is the payment of the next box, and nothing if that depends on one too.
func (d *handlers) payments(v *site.Visit, t *tableView) ([]payment, error) {
	if !slices.ContainsFunc(t.flow, func(a act) bool { return a.kind == "settle" }) {
		return nil, nil
	}
	var all []payment
	add := func(l paidLine, done bool) {
		i := slices.IndexFunc(all, func(p payment) bool { return p.box == l.Box })
		if i < 0 {
			i = len(all)
			all = append(all, payment{box: l.Box})
		}
		all[i].lines = append(all[i].lines, l)
		all[i].done = done
	}
	lines, nets := felt.Held(t.picture.Lines)
	for i, l := range lines {
		if t.picture.Boxes[l.Box-1].Settled {
			add(paidLine{l, nets[i]}, true)
		}
	}
	moved, events, err := d.foreseen(v, t, table.Settle{})
	if events == nil && err == nil && t.paysNext() {
		moved, events, err = d.foreseen(v, t, table.Settle{Box: t.nextBox})
	}
	if events == nil || err != nil {
		return nil, err
	}
	for _, e := range events {
		does := table.EffectOf(e.For(table.Viewer{}))
		if does.LineUse == table.LinesSettle {
			for i := range does.Lines {
				add(paidLine{does.Lines[i], does.Lines[i].Line.Net()}, false)
			}
		}
	}
	held := heldBoxes(t, moved, d.House)
	for i := range all {
		all[i].held = slices.Contains(held, all[i].box)
	}
	fromRight := t.State.Variant().Book.Order.FromRight
	slices.SortStableFunc(all, func(a, b payment) int {
		if a.done != b.done {
			return map[bool]int{true: -1, false: 1}[a.done]
		}
		if fromRight {
			return cmp.Compare(b.box, a.box)
		}
		return cmp.Compare(a.box, b.box)
	})
	return all, nil
}

// foreseen returns the events of a settlement and its movements of the jackpot by a dry run;
// nothing where the settlement is refused or depends on unknown cards.
func (d *handlers) foreseen(v *site.Visit, t *tableView, do table.Settle) (moved []house.JackpotEvent, events []house.TableEvent, err error) {
	tried, err := d.House.DryRun(v.Context(), house.CommandRequest{Table: t.Name, By: t.person.Person, Do: do})
	if err != nil {
		_, err = refused(v, err)
		return nil, nil, err // the step itself says what is in its way
	}
	if events, complete := tried.Foreseen(); complete {
		return tried.Moved, events, nil
	}
	return nil, nil, nil
}

// heldBoxes returns the boxes of the round whose hit is verified before its winner has the sum:
// of those that are settled, and of those that would be.
func heldBoxes(t *tableView, moved []house.JackpotEvent, h *house.House) (boxes []int) {
	state, _ := h.Jackpot(t.Jackpot)
	for _, u := range state.HeldIn(jackpot.RoundID{Table: t.Name, Round: itoa(t.State.Round())}) {
		boxes = append(boxes, u.Hit.Box)
	}
	for _, e := range moved {
		if paid, ok := e.For(jackpot.LogReader).(jackpot.HitPaid); ok && paid.Held && paid.Hit.Table == t.Name {
			boxes = append(boxes, paid.Hit.Box)
		}
	}
	return boxes
}

// paid returns what is paid to the box and taken from it. A stake that only goes back is
// neither.
func (p *payment) paid() (pays, takes money.Amount) {
	for i := range p.lines {
		l := &p.lines[i]
		if p.holds(l) {
			continue
		}
		if l.net > 0 {
			pays += l.net
		} else {
			takes -= l.net
		}
	}
	return pays, takes
}

// sum says the whole of it in a few words.
func (p *payment) sum(v *site.Visit) string {
	pays, takes := p.paid()
	switch {
	case pays > 0 && takes > 0:
		return v.T("console.take-and-pay", "taken", v.Money(takes), "paid", v.Money(pays))
	case pays > 0:
		return v.T("console.pay-sum", "amount", v.Money(pays))
	case takes > 0:
		return v.T("console.take-sum", "amount", v.Money(takes))
	}
	return v.T("console.leave-sum")
}

// lineWords says what is done with one wager.
func (p *payment) lineWords(v *site.Visit, l *paidLine) string {
	wager := v.Term(l.Wager.Name())
	switch {
	case p.holds(l):
		return v.T("console.hold-wager", "wager", wager)
	case l.net > 0:
		return v.T("console.pay-wager", "wager", wager)
	case l.net < 0:
		return v.T("console.take-wager", "wager", wager)
	}
	return v.T("console.leave-wager", "wager", wager)
}

// usualChips are the chips of a rack where the table names none.
var usualChips = []money.Amount{1 * money.Major, 5 * money.Major, 25 * money.Major, 100 * money.Major, 500 * money.Major, 1000 * money.Major}

// denominations returns the chips in the rack of the table, the largest last.
func (t *tableView) denominations() []money.Amount { return denominationsOf(t.State.Variant()) }

func denominationsOf(v *rules.Variant) []money.Amount {
	if len(v.Chips) > 0 {
		return v.Chips
	}
	return usualChips
}

// inChips returns an amount in chips, the largest first, and what no chip is small enough
// for.
func inChips(amount money.Amount, denominations []money.Amount) (all []posting.ChipCount, rest money.Amount) {
	for _, chip := range slices.Backward(denominations) {
		if n := int64(amount / chip); n > 0 {
			all = append(all, posting.ChipCount{Chip: chip, Count: n})
			amount -= money.Amount(n) * chip
		}
	}
	return all, amount
}
