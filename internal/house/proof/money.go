package proof

import (
	"fmt"
	"maps"
	"slices"

	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/table"
)

type boxOf struct {
	box    int
	player string
}

type wagerOf struct {
	boxOf
	wager rules.Wager
}

// chips follows the bets of the round through its events, and the postings beside them. Its
// only rule is that a bet lies where it was placed until a line takes it away. As the house
// does, it reads from [table.EffectOf] what an event lays and takes. It works out by itself
// what lies on the layout then, and shares nothing with the engine's books or with those of the
// house.
type chips struct {
	lying map[wagerOf]money.Amount
	// was holds the wagers of the boxes whose bets have left the layout, done which boxes these
	// are.
	was  map[wagerOf]money.Amount
	done table.BoxSet
	// layout is the sum that the postings have laid on it.
	layout  money.Amount
	players map[string]*played
}

// played holds the sums that a player laid and got back, and the sum that the postings moved.
type played struct{ laid, back, moved money.Amount }

func newChips() chips {
	return chips{lying: map[wagerOf]money.Amount{}, was: map[wagerOf]money.Amount{}, players: map[string]*played{}}
}

func (c *chips) player(name string) *played {
	if c.players[name] == nil {
		c.players[name] = &played{}
	}
	return c.players[name]
}

// stakes returns the stakes of a player on a box, or those when it was settled.
func (c *chips) stakes(at boxOf) (s rules.Stakes) {
	all := c.lying
	if c.done.Has(at.box) {
		all = c.was
	}
	for w, amount := range all {
		if w.boxOf == at && int(w.wager) < len(s) {
			s[w.wager] = amount
		}
	}
	return s
}

func (c *chips) onLayout() (sum money.Amount) {
	for _, amount := range c.lying {
		sum += amount
	}
	return sum
}

// lay puts a wager on the layout, more or less than there was.
func (c *chips) lay(box int, name string, w rules.Wager, more money.Amount, net map[string]money.Amount) {
	c.lying[wagerOf{boxOf{box, name}, w}] += more
	c.player(name).laid += more
	net[name] -= more
}

// follow notes an event and adds to what each player should gain or lose.
func (c *chips) follow(e table.Event, net map[string]money.Amount) error {
	does := table.EffectOf(e)
	for _, l := range does.Relaid {
		at := wagerOf{boxOf{does.Reopens, l.Player}, l.Wager}
		c.lying[at] += l.Amount
		if c.was[at] -= l.Amount; c.was[at] != 0 {
			return fmt.Errorf("another stake of %s of %s lies on box %d again than was settled", l.Wager.Name(), l.Player, does.Reopens)
		}
	}
	c.done = c.done.Without(does.Reopens)
	if b := &does.Bet; b.Use != 0 {
		lies := c.lying[wagerOf{boxOf{b.Box, b.Player}, b.Wager}]
		c.lay(b.Box, b.Player, b.Wager, b.More(lies), net)
	}
	for i := range does.Lines {
		l := &does.Lines[i]
		if l.Pays < 0 || l.Returned < 0 {
			return fmt.Errorf("a line of %s on box %d pays less than nothing", l.Player, l.Box)
		}
		at := wagerOf{boxOf{l.Box, l.Player}, l.Wager}
		from, where := c.lying, "is taken from the layout than lies there"
		if c.done.Has(l.Box) {
			from, where = c.was, "goes back than was settled"
		}
		if from[at] -= l.Stake; from[at] < 0 {
			return fmt.Errorf("more of %s of %s on box %d %s", l.Wager.Name(), l.Player, l.Box, where)
		}
		if does.LineUse == table.LinesSettle {
			// These lie again if they are undone.
			c.was[at] += l.Stake
		}
		c.player(l.Player).back += l.Net()
		net[l.Player] += l.Net()
	}
	c.done |= does.Clears
	return nil
}

// money checks what a step moved against what its events show, and settles once
// more what they settle, on the table as it lies then.
func (v *verification) money(i int, logged events, before *table.State, done *linked.Outcome) {
	s, c := &v.r.Steps[i], &v.chips

	net, lies := map[string]money.Amount{}, *before
	for k, e := range logged.events {
		where := at(i, fmt.Sprintf(".events[%d]", k))
		switch e := e.(type) {
		case table.Settled:
			if done != nil {
				v.settlement(where, &lies, e, 0, logged.moved)
			}
		case table.BoxSettled:
			if done != nil {
				v.settlement(where, &lies, table.Settled{Lines: e.Lines, Meter: e.Meter}, e.Box, logged.moved)
			}
		}
		if err := c.follow(e, net); err != nil {
			v.fail(Money, where, "%v", err)
		}
		if done == nil {
			continue
		}
		var err error
		if lies, err = table.Evolve(lies, e); err != nil {
			v.fail(Commands, where, "%v", err)
			done = nil
		}
	}
	var pots, jackpots jackpotMoves
	for k := range s.Postings {
		v.posted(at(i, fmt.Sprintf(".postings[%d]", k)), &s.Postings[k], net, &pots)
	}
	for _, name := range slices.Sorted(maps.Keys(net)) {
		if left := net[name]; left != 0 {
			v.fail(Money, at(i, ".postings"), "%s is shown %s more than the postings move", name, left.Display())
		}
	}
	if sum := c.onLayout(); sum != c.layout {
		v.fail(Money, at(i, ".postings"), "%s lies on the layout, and %s was posted to it", sum.Display(), c.layout.Display())
	}
	for _, e := range logged.moved {
		jackpots.follow(e)
	}
	if pots != jackpots {
		v.fail(Jackpot, at(i, ".postings"), "its events move %s, and the postings %s", jackpots, pots)
	}
	v.paid.add(jackpots)
	if done == nil {
		return
	}
	due, _, err := posting.Of(posting.Place{Table: v.r.Table, Jackpot: v.r.Jackpot}, before, done, v.balances(s, before))
	if err != nil {
		v.fail(Money, at(i, ".postings"), "%v", err)
		return
	}
	for k := range min(len(due), len(s.Postings)) {
		if due[k] != s.Postings[k] {
			_, why := compare(marshal(s.Postings[k]), due[k])
			v.fail(Money, at(i, fmt.Sprintf(".postings[%d]", k)), "this is not what the rules of the books post: %s", why)
			return
		}
	}
	if len(due) != len(s.Postings) {
		v.fail(Money, at(i, ".postings"), "there are %d, and the rules of the books make %d", len(s.Postings), len(due))
	}
}

// posted notes a posting, and takes what it moves from what is due to players.
func (v *verification) posted(where string, p *ledger.Posting, net map[string]money.Amount, pots *jackpotMoves) {
	if p.Amount <= 0 || p.From == p.To {
		v.fail(Money, where, "it moves nothing")
	}
	if p.For.Table != v.r.Table || p.For.Round != v.r.Round {
		v.fail(Money, where, "it is for round %d of table %s", p.For.Round, p.For.Table)
	}
	for _, side := range [2]struct {
		of   ledger.Account
		into money.Amount
	}{{p.From, -p.Amount}, {p.To, p.Amount}} {
		of := side.of
		held := p.For.Reason == ledger.Held || p.For.Reason == ledger.Released
		switch of.Kind {
		case ledger.Player:
			if held {
				continue // What is held for a winner is shown as the winner's.
			}
			net[of.Of] -= side.into
			v.chips.player(of.Of).moved += side.into
		case ledger.Owed:
			// Lent where it is collected: the player neither gains nor loses.
			net[of.Of] -= side.into
			v.chips.player(of.Of).moved += side.into
		case ledger.Layout:
			v.chips.layout += side.into
		case ledger.Meter:
			pots.meter += side.into
		case ledger.Reserve:
			pots.reserve += side.into
		case ledger.Payable:
			if !held {
				v.fail(Money, where, "%s moves, and nothing is held or released", of)
			}
		case ledger.Win, ledger.House:
		default:
			v.fail(Money, where, "no round moves money of %s", of)
		}
		table := of.Kind == ledger.Layout || of.Kind == ledger.Win
		pot := of.Kind == ledger.Meter || of.Kind == ledger.Reserve || of.Kind == ledger.Payable
		if table && of.Of != v.r.Table || pot && of.Of != v.r.Jackpot {
			v.fail(Money, where, "%s has no part in this round", of)
		}
	}
	if p.For.Reason == ledger.JackpotPaid || p.For.Reason == ledger.MadeGood {
		pots.paid += p.Amount
	}
	if p.For.Reason == ledger.Collected && p.For.Jackpot != "" {
		pots.paid -= p.Amount
	}
}

// balances returns accounts on which the postings of a step can be made: those of table and
// jackpot as they stand, and players who have enough. A player to whom the house had to lend
// had no more than that.
func (v *verification) balances(s *Step, before *table.State) ledger.Book {
	const enough = 1_000_000_000_000 * money.Major
	book := ledger.Book{{Kind: ledger.Layout, Of: v.r.Table}: before.OnLayout()}
	if v.r.Jackpot != "" {
		book[ledger.Account{Kind: ledger.Meter, Of: v.r.Jackpot}] = v.was.Meter
		book[ledger.Account{Kind: ledger.Reserve, Of: v.r.Jackpot}] = v.was.Reserve
		book[ledger.Account{Kind: ledger.Payable, Of: v.r.Jackpot}] = v.was.Payable()
	}
	for i := range s.Postings {
		for _, of := range []ledger.Account{s.Postings[i].From, s.Postings[i].To} {
			if of.Kind == ledger.Player {
				book[of] = enough
			}
		}
	}
	for i := range s.Postings {
		if p := &s.Postings[i]; p.For.Reason == ledger.Unpaid && p.To.Kind == ledger.Player {
			book[p.To] = 0
			for k := range s.Postings {
				switch o := &s.Postings[k]; p.To {
				case o.From:
					book[p.To] += o.Amount
				case o.To:
					book[p.To] -= o.Amount
				}
			}
		}
	}
	return book
}

// jackpotMoves holds the sums that move the meter and the reserve of a jackpot, and the sum that
// is paid to its winners.
type jackpotMoves struct{ meter, reserve, paid money.Amount }

func (m jackpotMoves) String() string {
	return fmt.Sprintf("%s in the meter and %s in the reserve, with %s paid", m.meter.Display(), m.reserve.Display(), m.paid.Display())
}

func (m *jackpotMoves) add(n jackpotMoves) {
	m.meter += n.meter
	m.reserve += n.reserve
	m.paid += n.paid
}

// follow adds what an event of the jackpot moves.
func (m *jackpotMoves) follow(e jackpot.Event) {
	does := jackpot.EffectOf(e)
	m.add(jackpotMoves{does.Into(jackpot.MeterPurse), does.Into(jackpot.ReservePurse), does.Paid})
}

// settleUp says what the round came to for everybody.
func (v *verification) settleUp() {
	c := &v.chips
	if c.layout != 0 { // What lies there is what was posted: each step has shown it, or failed.
		v.fail(Money, "steps", "at the end %s lies on the layout, and its account holds %s", c.onLayout().Display(), c.layout.Display())
	}
	for _, name := range slices.Sorted(maps.Keys(c.players)) {
		p := c.players[name]
		if net := p.back - p.laid; net != p.moved {
			v.fail(Money, "steps", "%s should come out at %s, and the postings move %s", name, net.Display(), p.moved.Display())
		}
	}
	if !v.report.failed(Money) {
		for _, name := range slices.Sorted(maps.Keys(c.players)) {
			p := c.players[name]
			v.proven(Money, "%s bet %s, got %s back and %s, as was posted", name, p.laid.Display(), p.back.Display(), signed(p.back-p.laid))
		}
		v.proven(Money, "nothing is left on the layout")
	}
	switch {
	case v.r.Jackpot == "":
	case v.paid == (jackpotMoves{}):
		v.proven(Jackpot, "the round did not move %s", v.r.Jackpot)
	default:
		v.proven(Jackpot, "%s: %s, as its events show", v.r.Jackpot, v.paid)
	}
}

func signed(a money.Amount) string {
	if a > 0 {
		return "won " + a.Display()
	}
	if a < 0 {
		return "lost " + (-a).Display()
	}
	return "neither won nor lost"
}
