package tables

import (
	"slices"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/felt"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

type wagerKey = rules.Wager

// reader is somebody who looks at a table, and how.
type reader struct {
	lang.Printer
	// person has no name where it only looks on.
	person access.Person
	// coach says when the reader is shown what each choice is worth.
	coach coaching
}

// plays reports whether the reader may bet at all.
func (r *reader) plays() bool { return r.person.Name != "" && r.person.Role.Can(access.Play) }

// viewer returns the reader as the table knows them.
func (r *reader) viewer() table.Viewer {
	if r.plays() {
		return table.Viewer{Player: r.person.Name}
	}
	return table.Viewer{}
}

// view describes a table as one reader may see it, and what that reader may do. Everything on
// the page is made of this.
type view struct {
	reader
	name    string
	variant *rules.Variant
	jackpot string
	picture table.Picture
	seats   []seat
	dealer  []felt.Face
	burn    []felt.Face
	meter   money.Amount
	// metered says that the table plays for a jackpot.
	metered bool
	stopped bool
	// virtual says that the house itself deals, from decks that it has committed to.
	virtual bool
	nets    []money.Amount // of the picture's lines
	// heldLines are the lines that have not been undone, heldNets the net amount of each.
	heldLines []table.Line
	heldNets  []money.Amount
	wins      []win
	// again lists the reader's bets in their last round here, undoes reports whether there is
	// something to undo, and down is the sum of the reader's bets on the layout.
	again  []stake
	undoes bool
	down   money.Amount
	// denied are the jackpots of the table that were denied after their rounds.
	denied denials
	// balance is the reader's money beside that. Only the frame of their own knows it.
	balance money.Amount
	// renewal is the new play money that a reader without any may ask for, zero for none.
	renewal money.Amount
	// options are the withdrawals for which the reader may ask.
	options []option
	// ownBoxes are the boxes that are drawn large, in order, and active the one of them that
	// waits for its player, or takes the next bet.
	ownBoxes []int
	active   int
}

// seat is one box of the layout.
type seat struct {
	table.BoxPicture
	faces []felt.Face
	areas []area
	mine  bool
	// What the reader may do with it now.
	mayLook, mayPlay, mayFold, mayLayUp bool
	// play is the cost of going on.
	play money.Amount
	// ended says that the round is over for its bettors, and net what it changed for the
	// reader, or for all bettors where the reader is none of them.
	ended  bool
	net    money.Amount
	advice *advice
}

// area is one betting area of a box.
type area struct {
	wager rules.Wager
	piles []felt.Area
	// least is the smallest amount that the reader may add to it, zero for nothing.
	least money.Amount
	mine  money.Amount
	back  bool // the reader may take it back
	lines []table.Line
	nets  []money.Amount // of the lines
}

// win describes a payment that the whole table is shown: a share of the jackpot, or an Envy
// Bonus.
type win struct {
	line table.Line
	envy bool
	// lost says that its player gets back no more in the round than they staked: no cause
	// to celebrate.
	lost bool
}

// option describes a question to the reader about their bets.
type option struct {
	offer table.Offer
	// ask says that the reader may ask for their bets back without an offer.
	ask bool
}

// viewOf makes the reader's view of a moment.
func viewOf(m *moment, r *reader, h *handlers) *view {
	v := &view{
		reader: *r, name: m.inForce.Name, variant: m.state.Variant(), picture: m.state.View(r.viewer()),
		jackpot: m.inForce.Jackpot, meter: m.meter, metered: m.hasMeter, stopped: m.stopped, denied: m.denied, virtual: m.inForce.Config.Cards == table.Virtual,
	}
	// What was taken back while bets were open is nobody's result.
	v.picture.Lines = settled(v.picture.Lines, m.linesFrom)
	v.nets = felt.Nets(v.picture.Lines)
	v.heldLines, v.heldNets = felt.Held(v.picture.Lines)
	v.dealer, v.burn = felt.Up(v.picture.Dealer...), felt.Up(v.picture.Burn...)
	for i := range v.picture.Boxes {
		v.seats = append(v.seats, v.seat(&v.picture.Boxes[i]))
	}
	if r.plays() {
		v.allow(m)
		v.again = m.again(r.person.Name)
	}
	v.lay()
	for _, l := range v.heldLines {
		if l.Combo == 0 {
			continue // an award of the staff: no hand brought it, and no jackpot paid it
		}
		if l.Wager == rules.Envy && l.Returned > 0 || l.Wager == rules.Progressive && l.Result == rules.Win {
			net, _ := netIn(v.picture.Lines, l.Player)
			v.wins = append(v.wins, win{line: l, envy: l.Wager == rules.Envy, lost: net <= 0})
		}
	}
	if r.coach != uncoached {
		h.advise(m, v)
	}
	return v
}

// placed lists the betting areas of a box: the wagers that are laid on it.
func placed(v *rules.Variant) []*rules.WagerRule {
	var all []*rules.WagerRule
	for i := range v.Book.Wagers {
		w := &v.Book.Wagers[i]
		if w.Stake == rules.NoStake || w.Stake == rules.Prescribed && v.Jackpot == nil {
			continue
		}
		all = append(all, w)
	}
	return all
}

// laidOut returns the betting areas of a box in their order on the layout. Those against the
// dealer are in the middle, with a Play bet at the right of its Ante, and the progressive at
// the end.
func laidOut(v *rules.Variant) []*rules.WagerRule {
	all := placed(v)
	if v.Book.Decision != nil {
		slices.SortStableFunc(all, func(a, b *rules.WagerRule) int {
			last := func(w *rules.WagerRule) int {
				switch {
				case w.Stake == rules.Prescribed:
					return 2
				case w.Contest == rules.AgainstDealer:
					return 1
				}
				return 0
			}
			return last(a) - last(b)
		})
	}
	return all
}

// ridesOn returns the area at which a payment without a stake is shown.
func ridesOn(v *rules.Variant, w rules.Wager) rules.Wager {
	if rule := v.Book.Rule(w); rule != nil && rule.Stake == rules.NoStake {
		return rule.Basis
	}
	if w == rules.Envy {
		for i := range v.Book.Wagers {
			if v.Book.Wagers[i].Envy {
				return v.Book.Wagers[i].Wager
			}
		}
	}
	return w
}

func (v *view) seat(p *table.BoxPicture) seat {
	s := seat{BoxPicture: *p, faces: felt.Up(p.Cards...)}
	for _, rule := range laidOut(v.variant) {
		a := area{wager: rule.Wager}
		for _, bettor := range p.Bettors {
			amount := bettor.Stakes[rule.Wager]
			if amount != 0 {
				a.piles = append(a.piles, felt.Area{Player: bettor.Player, Wager: rule.Wager, Amount: amount, Chips: felt.Chips(amount, v.variant.Chips)})
			}
			if v.plays() && bettor.Player == v.person.Name {
				a.mine, s.mine = amount, true
				v.down += amount
			}
		}
		for i, l := range v.heldLines {
			if l.Box == p.Box && ridesOn(v.variant, l.Wager) == rule.Wager {
				a.lines, a.nets = append(a.lines, l), append(a.nets, v.heldNets[i])
			}
		}
		s.areas = append(s.areas, a)
	}
	if v.picture.Phase == table.Paid || v.picture.Phase == table.Voided {
		bet := slices.ContainsFunc(v.picture.Lines, func(l table.Line) bool { return l.Box == p.Box && v.plays() && l.Player == v.person.Name })
		for i := range v.picture.Lines {
			l := &v.picture.Lines[i]
			if l.Box == p.Box && (!bet || l.Player == v.person.Name) {
				s.ended = true
				s.net += v.nets[i]
			}
		}
		s.mine = s.mine || bet
	}
	return s
}

// allow notes what the reader may do now, which the table alone says.
func (v *view) allow(m *moment) {
	asked := map[int]bool{}
	for _, a := range m.state.Legal(v.person.Actor()) {
		if v.person.CheckAction(a) != nil {
			continue
		}
		switch a := a.(type) {
		case table.Bet:
			if at := v.area(a.Box, a.Wager); at != nil {
				at.least = a.Amount
			}
		case table.Withdraw:
			if at := v.area(a.Box, a.Wager); at != nil {
				at.back = true
			}
		case table.Examine:
			v.seats[a.Box-1].mayLook = true
		case table.Raise:
			s := &v.seats[a.Box-1]
			s.mayPlay = true
			if d := v.variant.Book.Decision; d != nil {
				if on := v.area(a.Box, d.On); on != nil {
					s.play = on.mine
				}
			}
		case table.Fold:
			v.seats[a.Box-1].mayFold = true
		case table.LayUp:
			// Cards that only the player has seen are named by the dealer, once they lie face up.
			v.seats[a.Box-1].mayLayUp = len(a.Hand) == 0
		case table.AskWithdrawal:
			asked[a.Box] = true
		}
	}
	for _, o := range v.picture.Offers {
		if o.Player == v.person.Name {
			v.options = append(v.options, option{offer: o})
			delete(asked, o.Box)
		}
	}
	for i := range v.seats {
		if asked[i+1] {
			v.options = append(v.options, option{offer: table.Offer{Box: i + 1, Player: v.person.Name}, ask: true})
		}
	}
}

func (v *view) area(box int, w rules.Wager) *area {
	if box < 1 || box > len(v.seats) {
		return nil
	}
	for i := range v.seats[box-1].areas {
		if a := &v.seats[box-1].areas[i]; a.wager == w {
			return a
		}
	}
	return nil
}

// rank names the hand of a box, empty while the reader does not know it.
func (s *seat) rank() string { return s.BoxPicture.Rank }

// unseen reports whether the hand of a box has not been seen. At a table whose cards the page
// does not know, the player may have looked at it all the same.
func (s *seat) unseen() bool { return s.rank() == "" && !s.Examined }

// mayDecide reports whether there is something to do with the hand of a box.
func (s *seat) mayDecide() bool { return s.mayLook || s.mayPlay || s.mayFold || s.mayLayUp }

// again lists what a player bet in the last of their rounds that is over, as far as bets are
// placed before the deal.
func (m *moment) again(player string) []stake {
	states := make([]house.State, 0, kept+1)
	if !m.state.Phase().InRound() {
		states = append(states, m.state)
	}
	for i := range m.past {
		states = append(states, m.past[i].state)
	}
	for _, s := range states {
		var all []stake
		for _, rule := range placed(s.Variant()) {
			if rule.Stake == rules.EqualToBasis {
				continue
			}
			lines, _ := felt.Held(s.Lines())
			for i := range lines {
				l := &lines[i]
				if l.Player == player && l.Wager == rule.Wager && l.Stake > 0 && s.Phase() == table.Paid && l.Result != rules.GivenBack {
					all = append(all, stake{l.Box, l.Wager, l.Stake})
				}
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// netOf returns what a round changed for a player; ok is false where the player had no part in
// it.
func netOf(s house.State, player string) (net money.Amount, ok bool) {
	return netIn(s.Lines(), player)
}

// netIn returns the reader's result of a round that is over; ok is false where they had no part in it.
func (v *view) netIn(e *ended) (net money.Amount, ok bool) {
	net, ok = netOf(e.state, v.person.Name)
	return net - v.deniedIn(e), ok
}

// deniedIn returns the jackpot that was denied to the reader after a round, zero for none and for no round.
func (v *view) deniedIn(e *ended) money.Amount {
	if e == nil {
		return 0
	}
	return v.denied.of(e.round, v.person.Name)
}

func netIn(lines []table.Line, player string) (net money.Amount, ok bool) {
	nets := felt.Nets(lines)
	for i := range lines {
		if lines[i].Player == player {
			net += nets[i]
			ok = true
		}
	}
	return net, ok
}

// onLayout lists what a player has on the layout now, in the order in which a
// book's wagers can be placed.
func onLayout(s house.State, player string) []stake {
	var all []stake
	for _, rule := range placed(s.Variant()) {
		for box := 1; box <= s.Boxes(); box++ {
			for _, bettor := range s.Bettors(box) {
				if amount := bettor.Stakes[rule.Wager]; bettor.Player == player && amount != 0 {
					all = append(all, stake{box, rule.Wager, amount})
				}
			}
		}
	}
	return all
}

// undecided lists what a player has on boxes whose hands wait for a decision, or will.
func undecided(s house.State, player string) (bets []stake) {
	boxes := s.View(table.Viewer{Player: player}).Boxes
	for _, b := range onLayout(s, player) {
		if boxes[b.box-1].Decision == table.Undecided {
			bets = append(bets, b)
		}
	}
	return bets
}

// dealerShown returns the dealer's hand once all know it.
func dealerShown(s house.State) (h card.Hand, ok bool) {
	p := s.View(table.Viewer{})
	if len(p.Dealer) != 3 {
		return h, false
	}
	h = card.Hand{p.Dealer[0], p.Dealer[1], p.Dealer[2]}
	return h, h.Valid()
}
