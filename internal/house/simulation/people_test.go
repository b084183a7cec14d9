package simulation

import (
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// step lets some time pass and some people do something.
func (w *world) step() {
	w.Helper()
	w.nowMs += int64(w.rng.IntN(1500))
	w.drive()
	switch {
	case w.one(1500):
		w.restart(0)
		return
	case w.one(60):
		w.send(w.cage())
		return
	case w.one(50):
		w.send(w.proposal())
		return
	case w.one(25):
		w.door()
		return
	case w.one(300), w.house.Draining() && w.one(10):
		w.send(w.office())
		return
	}
	free := map[*floorTable]bool{}
	for range 1 + w.rng.IntN(3) {
		free[pick(w, w.floor)] = true
	}
	requests, asked := w.again(free), false
	for _, f := range w.floor {
		if !free[f] {
			continue
		}
		status, err := w.house.Status(f.name)
		if err != nil {
			w.fail("%v", err)
		}
		s := housetest.State(status.State)
		if status.Stopped != nil {
			if w.one(8) {
				requests = append(requests, w.request(manager, release{}, f))
			}
			continue
		}
		if w.one(40) {
			requests = append(requests, w.request(pick(w, w.players).person(), addSeed{fmt.Sprint("lucky ", w.rng.IntN(100))}, f))
			continue
		}
		if w.one(30) {
			if r := w.visitor(f); r != nil {
				requests = append(requests, r)
			}
			continue
		}
		asked = asked || s.Question != nil
		by, do := w.next(f, &s)
		if status.InForce().Mode == house.Automatic && by == dealer && !w.one(20) {
			if p := pick(w, w.players); w.autodealer.Ready(p.person(), f.name) == nil {
				w.outcomes["ready"]++
			}
			continue // the house does what a dealer would
		}
		if do != nil {
			requests = append(requests, w.request(by, do, f))
		}
	}
	w.send(requests...)
	if asked && w.one(20) { // before the question has been answered, at times
		w.restart(0)
	}
}

// stopped reports whether a fault has stopped a table.
func (w *world) stopped(f *floorTable) bool {
	w.Helper()
	status, err := w.house.Status(f.name)
	if err != nil {
		w.fail("%v", err)
	}
	return status.Stopped != nil
}

// cage returns a person's errand at the cage.
func (w *world) cage() *request {
	p := pick(w, w.players)
	t := posting.Transfer{Reason: ledger.BuyIn, Player: p.name, Amount: money.Amount(1+w.rng.IntN(400)) * money.Major}
	if p.temper == poor {
		t.Amount = money.Amount(10+w.rng.IntN(30)) * money.Major
	}
	if w.one(3) {
		t.Reason = ledger.CashOut
	}
	return w.request(cashier, t, nil)
}

// proposal draws a request of one of the staff, or the decision of another.
func (w *world) proposal() *request {
	if waiting := w.house.Proposals(); len(waiting) > 0 && !w.one(3) {
		by := pick(w, []access.Person{manager, deputy, cashier})
		if w.one(5) {
			return w.request(by, decline{pick(w, waiting).ID}, nil)
		}
		return w.request(by, approve{pick(w, waiting).ID}, nil)
	}
	by := pick(w, []access.Person{manager, supervisor, cashier})
	j, _ := w.house.Jackpot(jackpotName)
	if len(j.Unverified) > 0 && w.one(2) {
		hit := pick(w, j.Unverified).Hit
		if w.one(3) {
			return w.request(by, house.DenyJackpot{Jackpot: jackpotName, Hit: hit, Clause: "5.15", Note: "a foreign card"}, nil)
		}
		return w.request(by, house.VerifyJackpot{Jackpot: jackpotName, Hit: hit, Note: "hand, deck and meter are right"}, nil)
	}
	change := money.Amount(1+w.rng.IntN(200)) * pick(w, []money.Amount{1, -1})
	switch w.rng.IntN(6) {
	case 0:
		return w.request(by, house.Fill{Table: pick(w, w.floor).name, Amount: 500 * money.Major, Chips: []posting.ChipCount{{Chip: 5 * money.Major, Count: 20}, {Chip: 25 * money.Major, Count: 16}}}, nil)
	case 1:
		return w.request(by, house.Credit{Table: pick(w, w.floor).name, Amount: 100 * money.Major, Chips: []posting.ChipCount{{Chip: 25 * money.Major, Count: 4}}}, nil)
	case 2:
		a := posting.Adjustment{Player: pick(w, w.players).name, Cause: posting.Dispute, Change: change, Note: "as agreed"}
		for _, p := range w.players {
			if owes := w.house.Balance(ledger.Account{Kind: ledger.Owed, Of: p.name}); owes > 0 {
				a.Player, a.Change = p.name, -owes
				a.Cause = pick(w, []posting.AdjustmentCause{posting.DebtCollected, posting.DebtForgiven})
			}
		}
		return w.request(by, house.AdjustAccount{Adjustment: a}, nil)
	case 3:
		terms := j.Terms
		terms.Rate = jackpot.Rate{Num: int64(1 + w.rng.IntN(60)), Den: []int64{99, 100, 420}[w.rng.IntN(3)]}
		terms.Overflow = []jackpot.Overflow{jackpot.OverflowOnTop, jackpot.OverflowFirst}[w.rng.IntN(2)]
		return w.request(by, house.ChangeTerms{Jackpot: jackpotName, Terms: terms}, nil)
	case 4:
		for _, h := range j.Hits {
			if h.Unpaid() {
				place := h.Place
				place.DealtAtMs -= int64(w.rng.IntN(3_000))
				return w.request(by, house.DetermineOrder{Jackpot: jackpotName, Hit: h.ID, Place: place, Note: "seen on the film"}, nil)
			}
		}
		fallthrough
	default:
		return w.request(by, house.AdjustJackpot{
			Jackpot: jackpotName, Pot: pick(w, []jackpot.Pot{jackpot.PotMeter, jackpot.PotReserve}),
			Cause: jackpot.AdjustMalfunction, Change: change, Note: "counted",
		}, nil)
	}
}

// office draws a decision about tables: other limits, a pause.
func (w *world) office() *request {
	if w.house.Draining() {
		return w.request(manager, undrain{}, nil)
	}
	if w.one(4) {
		return w.request(manager, drain{}, nil)
	}
	f := pick(w, w.floor)
	change := house.Change{Variant: w.variant(f.variant.Book.ID)}
	if f.config.Cards == table.Virtual && w.one(2) {
		pace := w.pace()
		change = house.Change{Mode: pick(w, house.Modes()), Pace: &pace}
	}
	return w.request(manager, newRules{change}, f)
}

func (p *player) person() access.Person { return access.Person{Name: p.name, Role: access.Player} }

// next draws the next person and action at a table.
func (w *world) next(f *floorTable, s *table.State) (access.Person, table.Action) {
	if s.Question != nil && !w.one(5) {
		staff := manager
		if s.Question.Role == rules.PitSupervisor && !w.one(4) {
			staff = supervisor
		}
		if s.Question.By.Name == staff.Name { // who reports does not answer
			staff = deputy
		}
		return staff, w.detail(f, s, w.legal(s, staff, func(kind string) int {
			if kind == "answer" {
				return 20
			}
			return 1
		}))
	}
	if len(s.Offers) > 0 && !w.one(4) {
		p := access.Person{Name: pick(w, s.Offers).Player, Role: access.Player}
		return p, w.legal(s, p, func(kind string) int {
			if kind == "choose" {
				return 20
			}
			return 1
		})
	}
	if w.one(25) { // something out of the ordinary
		staff := pick(w, []access.Person{dealer, supervisor, manager})
		return staff, w.detail(f, s, w.legal(s, staff, func(kind string) int {
			switch kind {
			case "report":
				return 12
			case "close-table", "restrict-areas", "restrict-player":
				return 1
			}
			return 3
		}))
	}
	switch s.Phase {
	case table.Closed:
		return supervisor, table.OpenTable{}
	case table.Ready, table.Paid, table.Voided:
		if s.Down && !w.one(3) {
			return supervisor, table.RestoreProgressive{}
		}
		if s.Phase == table.Paid && w.one(8) { // a payment that was not as it should be
			return dealer, table.Report{Incident: rules.Uncovered}
		}
		return dealer, table.OpenBets{}
	case table.Betting:
		if w.one(14) && s.OnLayout() > 0 || w.one(60) {
			return dealer, table.CloseBets{}
		}
		p := pick(w, w.players)
		if w.one(2) { // a player adds to a bet
			for _, b := range s.Boxes {
				for _, other := range w.players {
					if b.Player() == other.name && w.one(3) {
						p = other
					}
				}
			}
		}
		return p.person(), w.bet(p, f, s)
	case table.Dealing:
		if len(s.ToCome()) == 0 && w.one(2) {
			return dealer, table.FinishDeal{}
		}
		return dealer, w.detail(f, s, table.Deal{Cards: make([]table.Drawn, len(s.ToCome()))})
	case table.Deciding, table.Showing:
		if len(s.MajorHits()) > 0 && s.Phase == table.Showing && !w.verified(f) {
			return dealer, nil
		}
		if p := w.deciding(s); p != nil && (p.temper != absent || w.one(3)) && !w.one(40) {
			return p.person(), w.legal(s, p.person(), func(kind string) int {
				switch {
				case kind == "fold" && p.temper == bold:
					return 0
				case kind == "raise":
					return 16
				case kind == "examine":
					return 6
				}
				return 2
			})
		}
		if w.one(8) {
			p := pick(w, w.players)
			if a := w.legal(s, p.person(), func(string) int { return 1 }); a != nil {
				return p.person(), a
			}
		}
		return dealer, w.detail(f, s, w.legal(s, dealer, func(kind string) int {
			switch kind {
			case "reveal", "settle", "lay-up", "show":
				return 20
			case "expire":
				return 6
			}
			return 0
		}))
	default:
		return dealer, nil
	}
}

// verified reports whether a dealer with a hit on the table goes on now. It takes its time, and
// longest for a hit that is first in the order of payment and has none behind it. While it lies
// there another table may deal one. Whoever has that one tries to pay it soon, though it is not
// its turn.
func (w *world) verified(f *floorTable) bool {
	j, _ := w.house.Jackpot(jackpotName)
	var unpaid []jackpot.Hit
	for _, h := range j.Hits {
		if h.Unpaid() {
			unpaid = append(unpaid, h)
		}
	}
	here := func(h jackpot.Hit) bool { return h.ID.Table == f.name }
	switch {
	case len(unpaid) == 0: // it is not registered
		return w.one(8)
	case !here(unpaid[0]):
		return w.one(2)
	case slices.ContainsFunc(unpaid, func(h jackpot.Hit) bool { return !here(h) }):
		return w.one(40)
	default:
		return w.one(100)
	}
}

// deciding returns a player who has still to play or fold, or to lay a hand up; nil
// for nobody.
func (w *world) deciding(s *table.State) *player {
	var waiting []*player
	for _, b := range s.Boxes {
		if !b.Staked() || b.Invalid || b.Decision != 0 && b.Decision != table.Undecided || b.Up {
			continue
		}
		for _, p := range w.players {
			if p.name == b.Player() {
				waiting = append(waiting, p)
			}
		}
	}
	if len(waiting) == 0 || s.Phase != table.Deciding {
		return nil
	}
	return pick(w, waiting)
}

// bet draws a bet of a player, or one that is taken back.
func (w *world) bet(p *player, f *floorTable, s *table.State) table.Action {
	if p.temper == restless && w.one(3) {
		return w.legal(s, p.person(), func(kind string) int {
			if kind == "withdraw" {
				return 10
			}
			return 1
		})
	}
	var bets, jackpots []table.Bet
	for _, a := range table.Legal(*s, p.person().Actor()) {
		if b, ok := a.(table.Bet); ok && b.Wager == rules.Progressive {
			jackpots = append(jackpots, b)
		} else if ok {
			bets = append(bets, b)
		}
	}
	if len(jackpots) > 0 && !w.one(4) {
		bets = jackpots // it is what this house is about
	}
	if len(bets) == 0 {
		return nil
	}
	b := pick(w, bets)
	most := f.variant.Limits[b.Wager].Max
	switch p.temper {
	case bold:
		b.Amount *= money.Amount(1 + w.rng.IntN(5))
	case poor:
		b.Amount *= money.Amount(1 + w.rng.IntN(9))
	default:
	}
	if most > 0 && !w.one(20) {
		b.Amount = min(b.Amount, most)
	}
	b.Standing = w.one(12)
	return b
}

// legal draws one of the things that somebody may do, its kind by its weight.
func (w *world) legal(s *table.State, by access.Person, weight func(kind string) int) table.Action {
	byKind := map[string][]table.Action{}
	for _, a := range table.Legal(*s, by.Actor()) {
		byKind[record.Actions.Name(a)] = append(byKind[record.Actions.Name(a)], a)
	}
	var kinds []string
	for kind := range byKind {
		for range weight(kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	slices.Sort(kinds)
	return pick(w, byKind[pick(w, kinds)])
}

// unused returns cards that the round has not used, shuffled.
func (w *world) unused(s *table.State) []card.Card {
	free := card.Deck()
	for _, slot := range s.Slots {
		free = free.Without(slot.Card)
	}
	cards := free.Cards()
	w.rng.Shuffle(len(cards), func(i, k int) { cards[i], cards[k] = cards[k], cards[i] })
	return cards
}

// turned returns a hand as the person who turns it names it.
func (w *world) turned(s *table.State, hand []card.Card) []card.Card {
	named, fresh := slices.Clone(hand), w.unused(s)
	for i := range named {
		if named[i] != card.None {
			named[i] = fresh[i]
		}
	}
	return named
}

// detail fills in what an action leaves open: cards, and what went wrong.
func (w *world) detail(f *floorTable, s *table.State, a table.Action) table.Action {
	switch a := a.(type) {
	case table.Deal:
		return w.deal(f, s, a)
	case table.LayUp:
		a.Hand = w.turned(s, a.Hand)
		return a
	case table.Show:
		a.Hand = w.turned(s, a.Hand)
		return a
	case table.Reveal:
		a.Hand = w.turned(s, a.Hand)
		return a
	case table.Settle:
		a.Meter = 0 // the house knows what is displayed
		return a
	case table.Found:
		a.Amount = money.Amount([]int64{0, 100, 500, 1000, 4000}[w.rng.IntN(5)])
		return a
	case table.Answer:
		w.rng.Shuffle(len(a.Order), func(i, k int) { a.Order[i], a.Order[k] = a.Order[k], a.Order[i] })
		return a
	case table.Report:
		switch a.Incident {
		case rules.TechnicalInterruption:
			a.LastedMs = []int64{0, 14_999, 15_000, 60_000}[w.rng.IntN(4)]
		case rules.DeckCount:
			a.Count = 51 + w.rng.IntN(3)
		case rules.DrawnTogether:
			for i, c := range w.unused(s)[:len(a.Cards)] {
				a.Cards[i].Card = c
			}
		case rules.ProgressiveDown:
			a.Meter = 0
		case rules.Misdeal, rules.DealtIncorrectly:
			if places := w.covered(s); len(places) > 0 && w.one(2) { // the record lacks something
				a.Lies = []table.Lying{{At: pick(w, places), Count: 1 + w.rng.IntN(4)}}
			}
		case rules.Uncovered, rules.DealingError:
			a.Box = w.rng.IntN(len(s.Boxes) + 1)
			a.Note = "the Qh lay there"
		default:
		}
		if s.Round > 1 && w.one(12) {
			a.Round = 1 + w.rng.IntN(s.Round)
		}
		return a
	}
	return a
}

// covered returns the hands that cards have been dealt to.
func (w *world) covered(s *table.State) (places []table.Place) {
	for i := range s.Slots {
		if p := s.Slots[i].Place; (p.IsBox() || p == table.DealerHand) && !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places
}

// deal returns a deal of some or all cards; by hand sometimes a wrong one.
func (w *world) deal(f *floorTable, s *table.State, a table.Deal) table.Action {
	if len(a.Cards) > 1 && w.one(6) {
		a.Cards = a.Cards[:1+w.rng.IntN(len(a.Cards)-1)]
	}
	a.Cards = slices.Clone(a.Cards)
	cards := w.unused(s)
	wrong := f.config.Cards != table.Virtual && w.one(6)
	for i := range a.Cards {
		c := &a.Cards[i]
		c.Card = card.None
		if f.config.Cards == table.Read {
			c.Card = cards[i]
		}
		if !wrong || !w.one(6) {
			continue
		}
		switch w.rng.IntN(3) {
		case 0:
			c.To = table.Place(1 + w.rng.IntN(len(s.Boxes)))
		case 1:
			c.To = pick(w, []table.Place{table.DealerHand, table.BurnPile, table.Out})
		default:
			c.FaceUp, c.Card = true, cards[i]
		}
	}
	if wrong && w.one(3) && len(a.Cards) > 1 {
		a.SkipBurn, a.Cards = true, a.Cards[1:]
	}
	return a
}

// enacted receives each action that was carried out, to count them.
func (w *world) enacted(r *request) {
	if report, ok := r.what.(table.Report); ok {
		w.outcomes["report: "+report.Incident.String()]++
	}
}
