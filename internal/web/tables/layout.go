package tables

import (
	"fmt"
	"slices"

	"trey/internal/house/autodealer"
	"trey/internal/web/felt"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// lay decides which boxes are drawn large, in the middle of the felt, and which of them waits
// for its player. They are the reader's own boxes, or those of the last round while the reader
// has no bet. Without any, it is the free box that is nearest to the middle.
func (v *view) lay() {
	for i := range v.seats {
		if v.seats[i].mine {
			v.ownBoxes = append(v.ownBoxes, i+1)
		}
	}
	if len(v.ownBoxes) == 0 {
		for _, s := range v.again {
			if !slices.Contains(v.ownBoxes, s.box) && s.box <= len(v.seats) {
				v.ownBoxes = append(v.ownBoxes, s.box)
			}
		}
		slices.Sort(v.ownBoxes)
	}
	if len(v.ownBoxes) == 0 {
		v.ownBoxes = []int{v.home()}
	}
	v.active = v.ownBoxes[0]
	// A hand that was seen comes before one that may still be looked at.
	for _, unseen := range []bool{true, false} {
		for _, box := range slices.Backward(v.ownBoxes) {
			if s := &v.seats[box-1]; s.mayDecide() && s.Decision == table.Undecided && s.unseen() == unseen {
				v.active = box
			}
		}
	}
	if v.down == 0 && v.picture.Phase == table.Betting {
		v.active = v.home()
		if len(v.again) > 0 {
			v.active = v.again[0].box
		}
	}
}

// home returns the free box that is nearest to the middle, or the middle one of a full table.
func (v *view) home() int {
	middle := (len(v.seats) + 1) / 2
	for away := range len(v.seats) {
		for _, box := range []int{middle - away, middle + away} {
			if box >= 1 && box <= len(v.seats) && len(v.seats[box-1].Bettors) == 0 {
				return box
			}
		}
	}
	return middle
}

func (v *view) large(box int) bool { return slices.Contains(v.ownBoxes, box) }

// place returns the place of a box as classes. The large ones are in a row in the middle, the
// others on the arc to their left and right, the nearest first. Box 1 is at the right end.
func (v *view) place(box int) string {
	n := len(v.ownBoxes)
	if i := slices.Index(v.ownBoxes, box); i >= 0 {
		return fmt.Sprintf("mid-%d of-%d", n-i, n)
	}
	side, nth := "right", 0
	first, last := v.ownBoxes[0], v.ownBoxes[n-1]
	if box > first && (box > last || last-box < box-first) {
		side = "left"
	}
	for other := 1; other <= len(v.seats); other++ {
		if v.large(other) || other == box {
			continue
		}
		otherLeft := other > first && (other > last || last-other < other-first)
		if otherLeft == (side == "left") && (other < box) == (side == "left") {
			nth++
		}
	}
	return fmt.Sprintf("%s-%d of-%d", side, nth+1, n)
}

func (v *view) seatOf(box int) *seat {
	if box < 1 || box > len(v.seats) {
		return nil
	}
	return &v.seats[box-1]
}

// main returns the area of the wager that a box is played by.
func (s *seat) main(v *rules.Variant) *area {
	wager := placed(v)[0].Wager
	for i := range s.areas {
		if s.areas[i].wager == wager {
			return &s.areas[i]
		}
	}
	return nil
}

// hot reports whether an area is that of the expected next bet.
func (v *view) hot(s *seat, a *area) bool {
	if !v.plays() || s.Box != v.active {
		return false
	}
	if v.picture.Phase == table.Betting {
		return a.wager == placed(v.variant)[0].Wager && a.mine == 0 && a.least > 0
	}
	return s.mayPlay && !s.unseen() && !isPlaced(v, a.wager)
}

// open returns the reader's boxes whose hands wait for a decision.
func (v *view) open() (boxes []int) {
	for i := range v.seats {
		if v.seats[i].mine && v.seats[i].mayDecide() {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// toPlay returns the cost of going on with all of them.
func (v *view) toPlay() (sum money.Amount) {
	for _, box := range v.open() {
		sum += v.seats[box-1].play
	}
	return sum
}

// givenUp returns the bets on the main wager that folding all of them loses.
func (v *view) givenUp() (sum money.Amount) {
	for _, box := range v.open() {
		if main := v.seats[box-1].main(v.variant); main != nil {
			sum += main.mine
		}
	}
	return sum
}

// needs returns the cost of going on with all hands that have a bet now.
func (v *view) needs() (sum money.Amount) {
	if d := v.variant.Book.Decision; d != nil {
		for i := range v.seats {
			if on := v.area(i+1, d.On); on != nil {
				sum += on.mine
			}
		}
	}
	return sum
}

// leastMain returns the least bet that a box is played by.
func leastMain(v *rules.Variant) money.Amount { return v.Limits[placed(v)[0].Wager].Min }

// broke reports whether the reader has no bet on the layout and too little left for one, in
// a house that gives new play money.
func (v *view) broke() bool {
	return v.renewal > 0 && v.down == 0 && v.balance < leastMain(v.variant)
}

// affordable reports whether the reader can lay the bets of their last round again.
func (v *view) affordable() bool { return len(v.again) > 0 && total(v.again) <= v.balance }

func total(bets []stake) (sum money.Amount) {
	for _, b := range bets {
		sum += b.amount
	}
	return sum
}

// printed returns the pay tables on the felt, at the left and at the right.
func (v *view) printed() (left, right []paid) {
	for _, p := range paying(v.variant) {
		switch {
		case p.wager == rules.Envy:
		case p.wager == rules.Progressive || len(left) == 0 && !v.metered:
			left = append(left, p)
		default:
			right = append(right, p)
		}
	}
	return left, right
}

// lit reports whether a row of a pay table has paid the reader in this round.
func (v *view) lit(w rules.Wager, c rules.Combo) bool {
	for i := range v.heldLines {
		l := &v.heldLines[i]
		if v.plays() && l.Player == v.person.Name && l.Wager == w && l.Combo == c && l.Result == rules.Win {
			return true
		}
	}
	return false
}

// wonChips returns the chips that the wagers of an area have paid.
func (v *view) wonChips(a *area) []money.Amount {
	var won money.Amount
	for _, net := range a.nets {
		won += max(net, 0)
	}
	if won == 0 {
		return nil
	}
	return felt.Chips(won, v.variant.Chips)
}

// celebrated names the sound of a round that is over. A round that gave back no more than was
// staked has none, whatever single wagers have won.
func (v *view) celebrated(e *ended) string {
	var staked, net money.Amount
	hit := false
	lines, nets := felt.Held(e.state.Lines())
	for i := range lines {
		l := &lines[i]
		if l.Player != v.person.Name {
			continue
		}
		staked, net = staked+l.Stake, net+nets[i]
		hit = hit || l.Wager == rules.Progressive && l.Result == rules.Win && ofMeter(e.state.Variant(), l.Combo)
	}
	return celebration(net, staked, hit)
}

// middling multiplies the stake: a win above the product is a large one.
const middling = 5

func celebration(net, staked money.Amount, jackpot bool) string {
	switch {
	case net <= 0:
		return ""
	case jackpot:
		return "jackpot"
	case net <= staked:
		return "win-small"
	case net <= middling*staked:
		return "win-middle"
	}
	return "win-large"
}

// big reports whether a box of the reader has won a large sum in a round that is over. The
// reader must take more from the round than was staked in it.
func (v *view) big(s *seat) bool {
	var staked, net, changed money.Amount
	for i := range v.heldLines {
		l := &v.heldLines[i]
		if l.Player != v.person.Name {
			continue
		}
		changed += v.heldNets[i]
		if l.Box == s.Box {
			staked, net = staked+l.Stake, net+v.heldNets[i]
		}
	}
	return v.picture.Phase == table.Paid && changed > 0 && celebration(net, staked, false) == "win-large"
}

// ofMeter reports whether a hand is paid a part of the meter.
func ofMeter(v *rules.Variant, c rules.Combo) bool {
	pays := v.Pays[rules.Progressive]
	return pays != nil && slices.ContainsFunc(pays.Rows, func(row rules.PayRow) bool { return row.Combo == c && row.Pay.MeterPercent != 0 })
}

// stakesName returns the words of a screen reader for the bets on a box of others.
func stakesName(v *view, s *seat) string {
	text := v.T("felt.box", "n", s.Box)
	for i := range s.areas {
		for _, p := range s.areas[i].piles {
			text += v.T("told.comma") + v.called(p.Player) + " " + v.Term(s.areas[i].wager.Name()) + " " + v.Money(p.Amount)
		}
	}
	return text
}

// waitingWords returns the text for a time in which nothing is asked of a player.
func waitingWords(v *view, m *moment, c *clock) string {
	if isReady(&v.reader, c) && v.picture.Phase == table.Betting {
		return v.T("tables.is-ready")
	}
	if c.driven && c.Wait != autodealer.Step {
		return waitWords(&v.reader, m, c)
	}
	return v.T("phase." + v.picture.Phase.String())
}

// ownRound returns the last round that is over and in which the reader had a part.
func (v *view) ownRound(m *moment) *ended {
	if !v.plays() {
		return nil
	}
	rounds := m.rounds()
	for i := range rounds {
		if _, ok := netOf(rounds[i].state, v.person.Name); ok {
			return &rounds[i]
		}
	}
	return nil
}

// outcome says in a sentence how a round ended for the reader.
func (v *view) outcome(e *ended) string {
	p := e.state.View(v.viewer())
	if p.Phase == table.Voided {
		return v.T("tables.round-void")
	}
	main := placed(e.state.Variant())[0].Wager
	var lines []*table.Line
	held, _ := felt.Held(p.Lines)
	for i := range held {
		if l := &held[i]; l.Player == v.person.Name && l.Wager == main && l.Result != rules.GivenBack && l.Stake != 0 {
			lines = append(lines, l)
		}
	}
	if len(lines) != 1 {
		won := 0
		for _, l := range lines {
			if l.Result == rules.Win {
				won++
			}
		}
		return v.T("tables.hands-won", "won", won, "n", len(lines))
	}
	l := lines[0]
	box := p.Boxes[l.Box-1]
	if box.Decision == table.Folded {
		return v.T("tables.you-folded")
	}
	if h, ok := dealerShown(e.state); ok && !e.state.Variant().Book.Qualifies(h) {
		return v.T("tables.dealer-out", "dealer", v.Shape(p.DealerRank))
	}
	if box.Rank == "" || p.DealerRank == "" {
		return felt.EndedLine(v.Printer, l)
	}
	hand, dealer := v.Shape(box.Rank), v.Shape(p.DealerRank)
	switch l.Result {
	case rules.Win:
		return v.T("tables.beats", "winner", hand, "loser", dealer)
	case rules.Lose:
		return v.T("tables.beats", "winner", dealer, "loser", hand)
	default:
		return v.T("tables.stands-off", "hand", hand, "dealer", dealer)
	}
}
