package auditor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"trey/internal/house"
)

// jackpotAudit is the state of a jackpot: its money by its events, the bets in it, and the hands that
// wait to be paid.
type jackpotAudit struct {
	name           string
	meter, reserve int64
	down           bool
	registered     int64
	terms          *terms
	// due is the exact sum that all bets have put in and not taken out again; whole is the part
	// of it that was moved.
	due   *big.Rat
	moved int64
	// groups are the bets of each round, the last accepted last.
	groups map[roundID][]group
	hits   map[hitID]*hit
	paid   int
	// dealt are the rounds of which a hand is not known, by when they were dealt.
	dealt map[roundID]place
	// wins are the payments of rounds that are not closed.
	wins map[hitID]payout
	// back are those of them that were collected again, as that was done.
	back map[hitID]payout
	// verify are the payments that people have to verify.
	verify map[hitID]toVerify
	// forfeited are the hits that left the order or were collected again. They come back to
	// their places if the cause of that has been corrected.
	forfeited map[hitID]*hit
}

// payout is the payment of a hit: what the winner got, the house's part of it, and what the
// meter was given to start again with. A payment that kept the registered value takes nothing
// from it, so to collect it again gives nothing back to it.
type payout struct {
	amount, fromHouse, byHouse, byReserve int64
	keptRegistered                        bool
	// won is the hit's place, to which it comes back if it is collected again by
	// mistake.
	won *hit
}

// toVerify is a payment that people have to verify: whose it is, and whether the sum
// is held until then.
type toVerify struct {
	payout
	winner string
	held   bool
	// number counts the payments of the jackpot.
	number int
}

// lookedAt reports whether a proposal is about this payment of a hit. Those of the first version
// do not say which one they are about.
func (u *toVerify) lookedAt(of *jackpotBody) bool { return of.Payment == 0 || of.Payment == u.number }

type terms struct {
	Bet, Reset, Ceiling int64
	VerifyFrom          int64 `json:"verify_from"`
	Rate                struct{ Num, Den int64 }
}

// noTerms returns terms without contributions, for a record that has none.
func noTerms() (t terms) {
	t.Rate.Den = 1
	return t
}

type roundID struct{ Table, Round string }

type hitID struct {
	Table, Round string
	Box          int
}

// hit is a hand that waits for the meter.
type hit struct {
	id hitID
	place
}

// group is some bets at one rate.
type group struct{ bets, num, den, bet int64 }

// bets counts the bets of a round in the jackpot.
func (p *jackpotAudit) bets(table string, round int) (n int64) {
	for _, g := range p.groups[roundID{table, fmt.Sprint(round)}] {
		n += g.bets
	}
	return n
}

// displayed returns the amount that a winner is paid.
func (p *jackpotAudit) displayed() int64 {
	if p.down {
		return p.registered
	}
	return p.meter
}

// place is a place in the order of payment.
type place struct {
	AtMs     int64 `json:"at_ms"`
	Sequence int64 `json:"sequence"`
}

// jackpot reads an event of a jackpot.
func (a *Auditor) jackpot(name string, event house.Event) error {
	e, err := read[struct {
		Terms            *terms
		After            json.RawMessage // what that is depends on the event
		Balance          *balance
		Meter, Reserve   int64
		Round            roundID
		Hit              hitID
		Dealt            place
		Bets, Stake      int64
		ToMeter          int64  `json:"to_meter"`
		ToReserve        int64  `json:"to_reserve"`
		FromMeter        int64  `json:"from_meter"`
		FromReserve      int64  `json:"from_reserve"`
		FromHouse        int64  `json:"from_house"`
		Amount           int64  `json:"amount"`
		ResetByHouse     int64  `json:"reset_by_house"`
		ResetFromReserve int64  `json:"reset_from_reserve"`
		NewTerms         *terms `json:"new_terms"`
		Registered       int64
		KeptRegistered   bool  `json:"kept_registered"`
		ToHouse          int64 `json:"to_house"`
		ResetToHouse     int64 `json:"reset_to_house"`
		Winner, Payable  string
		Held             bool
		Clause           string
		Approvers        approvers
	}](event.Body)
	if err != nil {
		return err
	}
	p := a.jackpots[name]
	if p == nil {
		p = &jackpotAudit{name: name, due: new(big.Rat), groups: map[roundID][]group{}, hits: map[hitID]*hit{}, wins: map[hitID]payout{}, back: map[hitID]payout{}, forfeited: map[hitID]*hit{}, dealt: map[roundID]place{}, verify: map[hitID]toVerify{}}
		a.jackpots[name] = p
	}
	meter, reserve := "meter:"+name, "reserve:"+name
	win := "win:" + e.Round.Table
	for _, t := range []*terms{e.Terms, e.NewTerms} {
		if t != nil && t.Rate.Den <= 0 {
			a.find("jackpot %s has a rate of %d in %d", name, t.Rate.Num, t.Rate.Den)
			*t = noTerms()
		}
	}
	if e.Terms == nil && p.terms == nil {
		a.find("jackpot %s was never opened on terms", name)
		none := noTerms()
		p.terms = &none
	}
	switch event.Kind {
	case "opened":
		if e.Terms == nil {
			e.Terms = p.terms
		}
		p.terms, p.meter, p.reserve = e.Terms, e.Meter, e.Reserve
		a.move("house", meter, e.Meter)
		a.move("house", reserve, e.Reserve)
	case "contributed":
		a.move(win, meter, e.ToMeter)
		a.move(win, reserve, e.ToReserve)
		p.meter, p.reserve = p.meter+e.ToMeter, p.reserve+e.ToReserve
		p.groups[e.Round] = append(p.groups[e.Round], group{e.Bets, p.terms.Rate.Num, p.terms.Rate.Den, p.terms.Bet})
		top := p.terms.Ceiling
		if p.down { // a bet that lay there at the call is found, and adds nothing to what was registered
			top = min(top, p.registered)
		}
		if p.meter > top || e.ToReserve > 0 && p.meter != top {
			a.find("jackpot %s is at %s under a ceiling of %s, and %s goes to its reserve", name, dollars(p.meter), dollars(top), dollars(e.ToReserve))
		}
		if e.Stake != e.Bets*p.terms.Bet {
			a.find("%d bets of jackpot %s are %s", e.Bets, name, dollars(e.Stake))
		}
		a.accrue(p, big.NewRat(e.Stake*p.terms.Rate.Num, p.terms.Rate.Den), e.ToMeter+e.ToReserve)
	case "contributions-reversed":
		a.move(meter, win, e.FromMeter)
		a.move(reserve, win, e.FromReserve)
		p.meter, p.reserve = p.meter-e.FromMeter, p.reserve-e.FromReserve
		a.accrue(p, new(big.Rat).Neg(a.takeBack(p, e.Round, e.Bets)), -e.FromMeter-e.FromReserve-e.FromHouse)
	case "round-dealt":
		if _, known := p.dealt[e.Round]; known || len(p.groups[e.Round]) == 0 {
			a.find("round %s of table %s is dealt for jackpot %s a second time, or without a bet", e.Round.Round, e.Round.Table, name)
		}
		p.dealt[e.Round] = e.Dealt
	case "round-known":
		if _, dealt := p.dealt[e.Round]; !dealt {
			a.find("the hands of round %s of table %s are known to jackpot %s, and were not dealt", e.Round.Round, e.Round.Table, name)
		}
		delete(p.dealt, e.Round)
	case "round-determined":
		after, err := read[place](e.After)
		p.dealt[e.Round] = after
		a.decide("determine-order", p, e.Approvers, func(of *jackpotBody) bool {
			return of.Hit == hitID{Table: e.Round.Table, Round: e.Round.Round} && of.Place == after
		})
		return err
	case "round-closed":
		if _, dealt := p.dealt[e.Round]; dealt {
			a.find("round %s of table %s is closed, and jackpot %s does not know its hands", e.Round.Round, e.Round.Table, name)
		}
		delete(p.groups, e.Round)
		for id := range p.hits {
			if id.Table == e.Round.Table && id.Round == e.Round.Round {
				a.find("round %s of table %s is closed, and box %d waits for jackpot %s", id.Round, id.Table, id.Box, name)
			}
		}
		forget(p.wins, e.Round)
		forget(p.back, e.Round)
		forget(p.forfeited, e.Round)
	case "hit-registered":
		if p.hits[e.Hit] != nil {
			a.find("box %d of table %s is in the order of jackpot %s already", e.Hit.Box, e.Hit.Table, name)
		}
		p.hits[e.Hit] = &hit{e.Hit, e.Dealt}
	case "hit-forfeited":
		p.forfeited[e.Hit] = p.hits[e.Hit]
		delete(p.hits, e.Hit)
	case "hit-reinstated":
		h := p.forfeited[e.Hit]
		if h == nil || p.hits[e.Hit] != nil {
			a.find("box %d of table %s comes back into the order of jackpot %s, and was never taken out of it", e.Hit.Box, e.Hit.Table, name)
			h = &hit{id: e.Hit}
		}
		delete(p.forfeited, e.Hit)
		p.hits[e.Hit] = h
	case "hit-paid":
		won, before := p.hits[e.Hit], p.meter
		again := a.pay(p, e.Hit, payout{amount: e.Amount, fromHouse: e.FromHouse, byHouse: e.ResetByHouse, byReserve: e.ResetFromReserve}, e.FromMeter)
		p.meter += e.ResetByHouse + e.ResetFromReserve - e.FromMeter
		// What is registered counts only while the system is down.
		if e.KeptRegistered {
			p.registered = max(p.registered, p.meter)
		} else {
			p.registered = max(p.registered+p.meter-before-e.FromHouse, p.meter)
		}
		p.wins[e.Hit] = payout{e.Amount, e.FromHouse, e.ResetByHouse, e.ResetFromReserve, e.KeptRegistered, won}
		a.hold(p, e.Hit, toVerify{p.wins[e.Hit], e.Winner, e.Held, p.paid})
		p.reserve -= e.ResetFromReserve
		a.move(meter, "win:"+e.Hit.Table, e.FromMeter)
		a.move("house", "win:"+e.Hit.Table, e.FromHouse)
		a.move("house", meter, e.ResetByHouse)
		a.move(reserve, meter, e.ResetFromReserve)
		if e.NewTerms != nil {
			p.terms = e.NewTerms
		}
		if p.meter < p.terms.Reset && !again {
			a.find("jackpot %s starts again at %s, below %s", name, dollars(p.meter), dollars(p.terms.Reset))
		}
	case "hit-verified":
		u, waits := p.verify[e.Hit]
		if !waits || u.winner != e.Winner || u.amount != e.Amount || u.held != e.Held || !e.Approvers.two() {
			a.find("jackpot %s: %s of box %d of table %s are verified for %s by %+v, and %+v waits for it", name, dollars(e.Amount), e.Hit.Box, e.Hit.Table, e.Winner, e.Approvers, u)
		}
		if u.held {
			a.move("payable:"+name, "player:"+u.winner, u.amount)
		}
		delete(p.verify, e.Hit)
		a.decide("verify-jackpot", p, e.Approvers, func(of *jackpotBody) bool { return of.Hit == e.Hit && u.lookedAt(of) })
		return nil
	case "hit-reversed":
		win := "win:" + e.Hit.Table
		switch u := p.verify[e.Hit]; {
		case e.Clause != "":
			// Denied by two: it never was the winner's.
			_, known := p.wins[e.Hit]
			if !u.held || known || !e.Approvers.two() {
				a.find("jackpot %s: box %d of table %s is denied by %+v, and %+v waits for it", name, e.Hit.Box, e.Hit.Table, e.Approvers, u)
			}
			p.wins[e.Hit], win = u.payout, "payable:"+name
			a.decide("deny-jackpot", p, e.Approvers, func(of *jackpotBody) bool {
				return of.Hit == e.Hit && u.lookedAt(of) && of.Clause != "" && strings.HasSuffix(e.Clause, of.Clause)
			})
		case u.held:
			a.move("payable:"+name, "player:"+u.winner, u.amount)
		}
		if u := p.verify[e.Hit]; u.held && e.Payable != u.winner || !u.held && e.Payable != "" {
			a.find("jackpot %s takes back what it holds for %q, and holds it for %q", name, e.Payable, u.winner)
		}
		delete(p.verify, e.Hit)
		kept := p.wins[e.Hit].keptRegistered
		if e.Clause == "" {
			p.forfeited[e.Hit] = p.wins[e.Hit].won
			p.back[e.Hit] = payout{amount: e.Amount, fromHouse: e.ToHouse, byHouse: e.ResetToHouse, byReserve: e.ToReserve}
		}
		a.collect(p, e.Hit, e.Amount, e.ToMeter, e.ToHouse, e.ResetToHouse, e.ToReserve)
		a.move(win, meter, e.ToMeter)
		a.move(win, "house", e.ToHouse)
		a.move(meter, "house", e.ResetToHouse)
		a.move(meter, reserve, e.ToReserve)
		before := p.meter
		p.meter += e.ToMeter - e.ResetToHouse - e.ToReserve
		p.reserve += e.ToReserve
		if p.down && kept {
			p.registered = max(p.meter, p.registered)
		} else if p.down {
			p.registered = max(p.meter, p.registered+p.meter-before+e.ToHouse)
		}
	case "adjusted":
		return a.adjusted(p, event)
	case "order-determined":
		after, err := read[place](e.After)
		if h := p.hits[e.Hit]; h != nil {
			h.place = after
		}
		a.decide("determine-order", p, e.Approvers, func(of *jackpotBody) bool { return of.Hit == e.Hit && of.Place == after })
		return err
	case "terms-changed":
		after, err := read[terms](e.After)
		a.decide("change-terms", p, e.Approvers, func(of *jackpotBody) bool {
			if of.Terms.VerifyFrom == 0 {
				of.Terms.VerifyFrom = after.VerifyFrom // it stays as it was
			}
			return of.Terms == after
		})
		return err
	case "system-went-down":
		p.down, p.registered = true, e.Registered
		if e.Registered != p.meter {
			a.find("jackpot %s showed %s when it failed, and %s is registered", name, dollars(p.meter), dollars(e.Registered))
		}
	case "system-came-up":
		p.down, p.registered = false, 0
	}
	return a.balanced(p, e.Balance)
}

// approvers are the two who decided about a jackpot.
type approvers struct{ First, Second string }

func (by approvers) two() bool {
	return by.First != "" && by.Second != "" && !strings.EqualFold(strings.TrimSpace(by.First), strings.TrimSpace(by.Second))
}

// hold notes a payment that people have to verify. It is held wherever no deck to
// which the house had committed proves the hand.
func (a *Auditor) hold(p *jackpotAudit, id hitID, paid toVerify) {
	due := p.terms.VerifyFrom > 0 && paid.amount >= p.terms.VerifyFrom
	virtual := a.tables[id.Table] != nil && a.tables[id.Table].virtual
	if due != (paid.winner != "") || paid.held != (due && !virtual) {
		a.find("jackpot %s pays %s to box %d of table %s, verified from %s on: %+v", p.name, dollars(paid.amount), id.Box, id.Table, dollars(p.terms.VerifyFrom), paid)
	}
	if paid.winner != "" {
		p.verify[id] = paid
	}
	if paid.held {
		a.move("player:"+paid.winner, "payable:"+p.name, paid.amount)
	}
}

// accrue holds what was moved to the exact share of the bets: never a cent more
// than has accrued, and never a whole cent less.
func (a *Auditor) accrue(p *jackpotAudit, share *big.Rat, moved int64) {
	p.due.Add(p.due, share)
	p.moved += moved
	quotient := new(big.Int).Div(p.due.Num(), p.due.Denom())
	if quotient.Int64() != p.moved {
		a.find("the bets in jackpot %s have put %s into it, and %s was moved", p.name, p.due.FloatString(4), fmt.Sprint(p.moved))
		p.moved = quotient.Int64()
	}
}

// takeBack takes bets out of a round, the last accepted first, and returns their
// exact share.
func (a *Auditor) takeBack(p *jackpotAudit, round roundID, bets int64) *big.Rat {
	share, groups := new(big.Rat), p.groups[round]
	for bets > 0 && len(groups) > 0 {
		last := &groups[len(groups)-1]
		n := min(bets, last.bets)
		share.Add(share, big.NewRat(n*last.bet*last.num, last.den))
		bets, last.bets = bets-n, last.bets-n
		if last.bets == 0 {
			groups = groups[:len(groups)-1]
		}
	}
	if bets > 0 {
		a.find("%d bets more are taken out of jackpot %s than round %s of table %s has in it", bets, p.name, round.Round, round.Table)
	}
	p.groups[round] = groups
	return share
}

// forget deletes the state of the hits of a round.
func forget[V any](hits map[hitID]V, round roundID) {
	maps.DeleteFunc(hits, func(id hitID, _ V) bool { return id.Table == round.Table && id.Round == round.Round })
}

// pay holds a payment to the order and to what was displayed; or, if it is that of a hit
// whose payment was collected, to what it was paid. It reports whether it is.
func (a *Auditor) pay(p *jackpotAudit, id hitID, paid payout, fromMeter int64) (again bool) {
	p.paid++
	if h := p.hits[id]; h == nil {
		a.find("jackpot %s pays box %d of table %s, which does not wait for it", p.name, id.Box, id.Table)
	} else if next := slices.MinFunc(slices.Collect(maps.Values(p.hits)), compareHits); next.id != id {
		a.find("jackpot %s pays box %d of table %s before box %d of table %s", p.name, id.Box, id.Table, next.id.Box, next.id.Table)
	}
	if h := p.hits[id]; h != nil {
		for round, at := range p.dealt {
			if round != (roundID{id.Table, id.Round}) && comparePlaces(at, h.place) < 0 {
				a.find("jackpot %s pays box %d of table %s before the hands of round %s of table %s are known", p.name, id.Box, id.Table, round.Round, round.Table)
			}
		}
	}
	delete(p.hits, id)
	back, collected := p.back[id]
	delete(p.back, id)
	adds := paid.amount == fromMeter+paid.fromHouse
	if collected && paid.amount == back.amount {
		// What is not in the meter any more the house pays, and only then. The meter gets no more
		// than was taken out of it, and what bets have added since stays there.
		short := max(0, back.amount-back.fromHouse-p.meter)
		if !adds || fromMeter != back.amount-back.fromHouse-short || paid.byHouse != max(0, back.byHouse-short) && p.meter-fromMeter+paid.byHouse != p.terms.Ceiling || paid.byReserve > back.byReserve {
			a.find("jackpot %s collected %+v from box %d of table %s, and pays it again as %+v from a meter of %s", p.name, back, id.Box, id.Table, paid, dollars(p.meter))
		}
		return true
	}
	for other := range p.back {
		// It goes with all that the meter holds, and the house owes it.
		p.back[other] = payout{amount: p.back[other].amount, fromHouse: p.back[other].amount}
	}
	if !adds || paid.amount != p.displayed() || fromMeter != p.meter {
		a.find("jackpot %s shows %s and pays %s, %s of it from a meter of %s", p.name, dollars(p.displayed()), dollars(paid.amount), dollars(fromMeter), dollars(p.meter))
	}
	return false
}

// collect compares a collection with the payment: it must be complete, and each part goes back
// to its source. The meter gives back no more than it received for the hit and what lies above
// its ceiling.
func (a *Auditor) collect(p *jackpotAudit, id hitID, amount, toMeter, toHouse, resetToHouse, toReserve int64) {
	paid, known := p.wins[id]
	delete(p.wins, id)
	switch {
	case !known:
		a.find("jackpot %s collects from box %d of table %s, which it has not paid", p.name, id.Box, id.Table)
	case amount != paid.amount || toHouse != paid.fromHouse || toMeter != paid.amount-paid.fromHouse:
		a.find("jackpot %s paid box %d of table %s %s, %s of it by the house, and collects %s and %s", p.name, id.Box, id.Table, dollars(paid.amount), dollars(paid.fromHouse), dollars(toMeter), dollars(toHouse))
	case resetToHouse < 0 || resetToHouse > paid.byHouse:
		a.find("jackpot %s was reset with %s by the house, which takes %s back", p.name, dollars(paid.byHouse), dollars(resetToHouse))
	case toReserve < 0 || toReserve > paid.byReserve && p.meter+toMeter-resetToHouse-toReserve != p.terms.Ceiling:
		a.find("jackpot %s was reset with %s of its reserve, which takes %s back", p.name, dollars(paid.byReserve), dollars(toReserve))
	}
	if resetToHouse+toReserve > 0 && p.meter+toMeter-resetToHouse-toReserve < p.terms.Reset {
		a.find("jackpot %s gives %s back and is left with less than %s", p.name, dollars(resetToHouse+toReserve), dollars(p.terms.Reset))
	}
}

// balance is a jackpot's own statement of its meter and reserve.
type balance struct{ Meter, Reserve int64 }

// balanced holds the jackpot to what its event says it holds.
func (a *Auditor) balanced(p *jackpotAudit, says *balance) error {
	if says == nil {
		return nil
	}
	if says.Meter != p.meter || says.Reserve != p.reserve {
		a.find("jackpot %s holds %s and %s in reserve, and its event says %s and %s", p.name, dollars(p.meter), dollars(p.reserve), dollars(says.Meter), dollars(says.Reserve))
	}
	return nil
}

// adjusted reads an adjustment of a jackpot by people.
func (a *Auditor) adjusted(p *jackpotAudit, event house.Event) error {
	e, err := read[struct {
		Pot           string
		Before, After int64
		Approvers     approvers
	}](event.Body)
	if err != nil {
		return err
	}
	account, holds := "meter:"+p.name, &p.meter
	if e.Pot == "reserve" {
		account, holds = "reserve:"+p.name, &p.reserve
	}
	if e.Before != *holds {
		a.find("%s holds %s, and an adjustment says %s", account, dollars(*holds), dollars(e.Before))
	}
	if !e.Approvers.two() {
		a.find("%s is adjusted by %q and %q alone", account, e.Approvers.First, e.Approvers.Second)
	}
	a.decide("adjust-jackpot", p, e.Approvers, func(of *jackpotBody) bool { return of.Pot == e.Pot && of.Change == e.After-e.Before })
	a.move("house", account, e.After-*holds)
	*holds = e.After
	return nil
}
