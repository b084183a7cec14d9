package table

import (
	"cmp"
	"slices"
	"strings"

	"trey/internal/enum"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// This file holds what a person can do to whom the text hands a matter that it does
// not provide for. A book declares the answer [rules.Remedy]; who gives it lists
// what is done, and the list is carried out whole or refused whole.

// RemedyKind is a kind of thing that such a person does. The list is closed.
type RemedyKind uint8

// The kinds of remedy. The zero value is none of them.
const (
	_ RemedyKind = iota
	// InvalidateHand takes the hand of a box out of the round; its bets go back.
	InvalidateHand
	// ReturnStake gives one wager back, or a part of it; once the round is settled,
	// the whole wager, with what was paid for it collected again.
	ReturnStake
	// RestoreDecision undoes a Play or a fold that was entered wrongly, and enters
	// the right one if it is named.
	RestoreDecision
	// KeepFirstThree makes the first three cards of a hand of more than three the
	// hand; the others leave the round.
	KeepFirstThree
	// AwardAmount has the house pay an amount on a settled wager.
	AwardAmount
	// CollectAmount has the player pay an amount back that a settled wager brought.
	CollectAmount
	numRemedyKinds
)

var remedyKeys = enum.New("a remedy", numRemedyKinds, []string{
	InvalidateHand: "invalidate", ReturnStake: "return", RestoreDecision: "restore",
	KeepFirstThree: "first-three", AwardAmount: "award", CollectAmount: "collect",
})

// String returns the kind's key, such as "first-three".
func (k RemedyKind) String() string { return remedyKeys.Key(k) }

// RemedyKinds lists every kind in the order of declaration.
func RemedyKinds() []RemedyKind { return remedyKeys.All() }

// ParseRemedyKind reads a kind's key.
func ParseRemedyKind(text string) (RemedyKind, error) { return remedyKeys.Parse(text) }

// MarshalText writes the kind's key.
func (k RemedyKind) MarshalText() ([]byte, error) { return remedyKeys.Marshal(k) }

// UnmarshalText reads a kind's key.
func (k *RemedyKind) UnmarshalText(text []byte) error { return remedyKeys.Unmarshal(k, text) }

// Remedy is one thing that is done by the answer [rules.Remedy].
type Remedy struct {
	Do RemedyKind
	// Box is the box concerned; zero is the dealer's hand, of which only the first
	// three cards can be kept.
	Box int
	// Player and Wager are whose wager is returned, awarded or collected on, and
	// which.
	Player string
	Wager  rules.Wager
	// Amount is how much; for a wager that is returned, zero is all of it.
	Amount money.Amount
	// Decision is what the hand's decision is after one is undone; undecided lets
	// its player decide anew.
	Decision Decision
	// Reason is why, in words of the staff. Whoever has the record of the round has them.
	Reason string
}

const (
	// maxRemedies is the length of a list of remedies: several for each box.
	maxRemedies = 64
	// maxReason is the length of a reason in bytes.
	maxReason = 500
)

// DecisionRestored makes a box undecided again; a Play bet goes back.
type DecisionRestored struct {
	Box    int
	Player string
	// Was is the decision that is undone.
	Was    Decision
	Clause string
	Lines  []Line
}

// PaymentCorrected awards or collects a difference after the settlement.
type PaymentCorrected struct {
	Clause string
	Lines  []Line
}

func (e DecisionRestored) apply(s *draft) error {
	if err := s.requireBox(e.Box); err != nil {
		return err
	}
	if was := s.box(e.Box).Decision; was == Undecided || was != e.Was {
		return broken("box %d was %s, and its being %s is undone", e.Box, was, e.Was)
	}
	// That the hand stays face down was said of a hand decided otherwise.
	b := s.change(e.Box)
	b.Decision, b.KeptDown = Undecided, false
	return s.takeLines(e.Lines)
}

func (e PaymentCorrected) apply(s *draft) error {
	for i := range e.Lines {
		l := &e.Lines[i]
		if err := s.requireBox(l.Box); err != nil {
			return err
		}
		if !s.box(l.Box).Settled {
			return broken("a payment is corrected on box %d, which is not settled", l.Box)
		}
		award := l.Result == rules.Win && l.Pays > 0 && l.Reverses == 0
		collection := l.Result == rules.GivenBack && l.Pays == 0 && l.Reverses > 0
		if l.Stake != 0 || l.Returned != l.Pays || !award && !collection {
			return broken("a correction on box %d neither awards nor collects", l.Box)
		}
	}
	s.addLines(e.Lines)
	return nil
}

// needRemedyList refuses an answer whose list of remedies cannot be read: none where
// the answer is that, some where it is not, or one that lacks something.
func (s *State) needRemedyList(a Answer, then rules.Outcome, clause string) *Refusal {
	if then != rules.Remedy {
		if len(a.Remedies) > 0 {
			return s.refuse(Malformed, clause, "only the answer remedy lists what is done")
		}
		return nil
	}
	if len(a.Remedies) == 0 || len(a.Remedies) > maxRemedies {
		return s.refuse(Malformed, clause, "list what is done, from 1 to %d remedies", maxRemedies)
	}
	for i := range a.Remedies {
		if r := s.needRemedyForm(&a.Remedies[i], clause); r != nil {
			return r
		}
	}
	return nil
}

// needRemedies refuses a list of remedies that cannot be carried out whole, or that
// leaves a round which cannot end. It tries them on a copy, one after the other.
func (s *State) needRemedies(a Answer, clause string) *Refusal {
	if len(a.Remedies) == 0 {
		return nil
	}
	trial := decisionOn(*s)
	defer decisions.Put(trial)
	var wrong []Place // What the book decides when it is reported.
	if s.dealToReport(s.Question) {
		wrong = s.wrongPlaces()
	}
	trial.s.Question = nil
	for i := range a.Remedies {
		rem := &a.Remedies[i]
		if r := trial.s.needRemedy(rem, clause); r != nil {
			return r
		}
		trial.remedy(rem, clause)
		if trial.err != nil {
			return s.refuse(NotApplicable, clause, "remedy %d cannot be carried out on this table", i+1)
		}
	}
	left := trial.s.wrongPlaces()
	if slices.ContainsFunc(wrong, func(p Place) bool { return !slices.Contains(left, p) }) {
		return s.refuseDeal(clause)
	}
	return trial.s.needEnd(clause)
}

// wrongPlaces lists the hands in the round, the dealer's included, that have a wrong
// number of cards on which the book has not been applied.
func (s *State) wrongPlaces() []Place {
	var places []Place
	if s.wrongCount(DealerHand) {
		places = append(places, DealerHand)
	}
	for _, box := range s.wrongHands() {
		places = append(places, Box(box))
	}
	return places
}

// needEnd refuses to leave a round without end: one whose deal is over while a hand
// in it has not its three cards.
func (s *State) needEnd(clause string) *Refusal {
	if s.Phase != Deciding && s.Phase != Showing && s.Phase != Dealing || len(s.waiting) > 0 {
		return nil
	}
	// While cards are still to come, too many at a place may yet be noticed.
	dealing := s.cardsToCome()
	short := func(p Place) *Refusal {
		if _, n := s.Hand(p); n != 3 && !(dealing && (n > 3 || s.comes(p))) {
			return s.refuse(Unfinished, clause, "the round could not end: %d cards would lie at %s, so put that hand right too or void the round", n, p.Sentence())
		}
		return nil
	}
	if r := short(DealerHand); r != nil {
		return r
	}
	for i, b := range s.Boxes {
		if b.Staked() && !b.Invalid {
			if r := short(Box(i + 1)); r != nil {
				return r
			}
		}
	}
	return nil
}

// needRemedy refuses one remedy that the table as it stands does not allow.
func (s *State) needRemedy(a *Remedy, clause string) *Refusal {
	return first(
		func() *Refusal {
			switch a.Do {
			case InvalidateHand, ReturnStake:
				return s.needPhase(clause, Betting, Dealing, Deciding, Showing, Paid)
			case RestoreDecision, KeepFirstThree:
				return s.needPhase(clause, Dealing, Deciding, Showing)
			case AwardAmount, CollectAmount:
				return s.needPhase(clause, Showing, Paid)
			}
			return nil
		},
		func() *Refusal {
			if a.Box == 0 {
				return nil
			}
			if r := s.needBox(a.Box); r != nil {
				return r
			}
			if b := s.box(a.Box); !b.Staked() || b.Invalid {
				return s.refuse(NoSuchBox, clause, "box %d takes no part in the round", a.Box)
			}
			return nil
		},
		func() *Refusal {
			switch a.Do {
			case InvalidateHand:
				if s.jackpotStands(a.Box) {
					return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid, and by the ruling of this house it stands")
				}
			case ReturnStake:
				return s.needReturnable(a, clause)
			case RestoreDecision:
				return s.needRestorable(a, clause)
			case KeepFirstThree:
				at := a.place()
				if _, n := s.Hand(at); n <= 3 {
					return s.refuse(NotApplicable, clause, "%d cards lie at %s: only of a hand of more than three the first three can be kept", n, at.Sentence())
				}
				if s.settlesStanding(s.beyondThree(at)) {
					return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid, and by the ruling of this house it stands")
				}
			case AwardAmount, CollectAmount:
				return s.needDifference(a, clause)
			}
			return nil
		},
	)
}

// place returns the hand that a remedy is about.
func (a *Remedy) place() Place {
	if a.Box == 0 {
		return DealerHand
	}
	return Box(a.Box)
}

// beyondThree returns the moves that leave the first three cards at a place.
func (s *State) beyondThree(at Place) (moves []Move) {
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place != at {
			continue
		}
		if n++; n > 3 {
			moves = append(moves, Move{Slot: i, To: Out})
		}
	}
	return moves
}

// needRemedyForm refuses a remedy that lacks what its kind needs or says more.
func (s *State) needRemedyForm(a *Remedy, clause string) *Refusal {
	wager := a.Player != "" || a.Wager != 0 || a.Amount != 0
	wrong := ""
	switch {
	case a.Do == 0 || a.Do >= numRemedyKinds:
		wrong = "say what is done"
	case strings.TrimSpace(a.Reason) == "" || len(a.Reason) > maxReason:
		wrong = "give the reason in at most 500 bytes"
	case a.Box < 0 || a.Box == 0 && a.Do != KeepFirstThree:
		wrong = "say at which box"
	case a.Decision != Undecided && a.Do != RestoreDecision || a.Decision > Folded:
		wrong = "only a decision that is restored names one"
	}
	switch a.Do {
	case InvalidateHand, RestoreDecision, KeepFirstThree:
		if wrong == "" && wager {
			wrong = "this concerns a hand and no single wager or amount"
		}
	case ReturnStake, AwardAmount, CollectAmount:
		if wrong == "" && (a.Player == "" || s.book().Rule(a.Wager) == nil && a.Wager != rules.Envy) {
			wrong = "say whose wager, and which one of this game"
		}
		if wrong == "" && (a.Amount < 0 || a.Amount > rules.MaxStake*1000 || a.Amount == 0 && a.Do != ReturnStake) {
			wrong = "say how much"
		}
	}
	if wrong == "" {
		return nil
	}
	return s.refuse(Malformed, clause, "the remedy is incomplete: %s", sentence.Word(wrong))
}

// stakesOf returns a player's wagers on a box that exists.
func (s *State) stakesOf(box int, player string) rules.Stakes {
	if i := s.box(box).bettor(player); i >= 0 {
		return s.box(box).Bettors[i].Stakes
	}
	return rules.Stakes{}
}

// carrier returns the wager whose stake a payment rests on: its own, or the one that it
// rides on.
func (s *State) carrier(w rules.Wager) rules.Wager {
	if w == rules.Envy {
		for i := range s.book().Wagers {
			if s.book().Wagers[i].Envy {
				return s.book().Wagers[i].Wager
			}
		}
		return 0
	}
	if rule := s.book().Rule(w); rule != nil && rule.Contest == rules.Riding {
		return rule.Basis
	}
	return w
}

func (s *State) needCarrier(a *Remedy, clause string) *Refusal {
	if stakes := s.stakesOf(a.Box, a.Player); stakes[s.carrier(a.Wager)] == 0 {
		return s.refuse(NotYours, clause, "%s has no %s on box %d", a.Player, a.Wager, a.Box)
	}
	return nil
}

func (s *State) needReturnable(a *Remedy, clause string) *Refusal {
	if a.Wager != s.carrier(a.Wager) {
		return s.refuse(NoSuchWager, clause, "%s has no stake of its own that could go back", a.Wager)
	}
	if r := s.needCarrier(a, clause); r != nil {
		return r
	}
	rule, stakes := s.book().Rule(a.Wager), s.stakesOf(a.Box, a.Player)
	stake := stakes[a.Wager]
	left := stake - cmp.Or(a.Amount, stake)
	switch {
	case s.box(a.Box).Collected:
		return s.refuseCollected(a.Box, clause)
	case a.Amount > stake:
		return s.refuse(StakeSize, clause, "%s of %s lies on box %d, and no more can go back", stake, a.Wager, a.Box)
	case rule.Stake == rules.EqualToBasis && left < stakes[rule.Basis] && !s.box(a.Box).Settled:
		// The hand would be played for less than it takes to play it.
		return s.refuse(StakeSize, clause, "a %s bet equals the %s, with which it goes back: undo the decision, or return that", a.Wager, rule.Basis)
	case a.Amount == 0 || a.Amount == stake:
		if a.Wager == rules.Progressive && s.paidMeter(a.Box) {
			return s.refuse(NotApplicable, clause, "box %d was paid a share of the meter, which only an invalid hand gives back", a.Box)
		}
	case s.box(a.Box).Settled:
		return s.refuse(WrongPhase, clause, "the wager is settled: it goes back whole, or an amount is collected")
	case rule.Stake == rules.Prescribed:
		return s.refuse(StakeSize, clause, "a %s bet has one size: it goes back whole", a.Wager)
	case !s.Variant.Payable(a.Amount) || !s.Variant.Payable(left):
		return s.refuse(NotChips, clause, "%s cannot be taken from %s with the chips in use", a.Amount, stake)
	}
	return nil
}

// paidMeter reports whether a box has been settled with a share of the meter.
func (s *State) paidMeter(box int) bool { return s.MeterPaid(box) != 0 }

// MeterPaid returns the share of the meter with which a box stands settled; zero for none.
func (s *State) MeterPaid(box int) (sum money.Amount) {
	b := s.box(box)
	if !b.Settled {
		return 0
	}
	for i := b.settledFrom; i < len(s.Lines); i++ {
		if l := &s.Lines[i]; l.Box == box && s.fromMeter(l) {
			sum += l.Pays
		}
	}
	return sum
}

// refuseCollected refuses to take up a box whose forfeited bets the dealer has taken
// in: they lie there no more, so no single one goes back and none is played on.
func (s *State) refuseCollected(box int, clause string) *Refusal {
	return s.refuse(NotApplicable, clause, "the forfeited bets of box %d have been taken in: invalidate its hand, or award a difference after the settlement", box)
}

func (s *State) needRestorable(a *Remedy, clause string) *Refusal {
	d := s.book().Decision
	if d == nil {
		return s.refuse(NotInGame, clause, "there is no decision to play or fold in %s", s.book().Ref())
	}
	b := s.box(a.Box)
	switch {
	case !b.has(d.On):
		return s.refuse(NeedsOther, clause, "box %d has no %s bet, so there is nothing to decide", a.Box, d.On)
	case b.Collected:
		return s.refuseCollected(a.Box, clause)
	case s.jackpotStands(a.Box):
		return s.refuse(NotApplicable, clause, "the jackpot of this round has been paid, and by the ruling of this house it stands")
	case b.Settled && s.corrected(a.Box):
		return s.refuse(NotApplicable, clause, "a person has corrected what box %d was paid, which a new settlement would undo: award or collect the difference", a.Box)
	case b.Decision == Undecided:
		return s.refuse(NotApplicable, clause, "box %d has not been decided yet", a.Box)
	case b.Decision == a.Decision:
		return s.refuse(AlreadyDone, clause, "box %d has been %s", a.Box, sentence.Word(b.Decision.String()))
	case s.wasRevealed() && a.Decision == Undecided:
		return s.refuse(WrongPhase, clause, "the dealer's hand is shown and box %d cannot decide any more: say whether it is played or folded", a.Box)
	case s.Phase == Dealing && a.Decision != Undecided:
		return s.refuse(WrongPhase, clause, "box %d decides when its cards are dealt", a.Box)
	}
	return nil
}

// received returns the sum that a player got for a wager by the settlement of the round
// and its corrections since.
func (s *State) received(box int, player string, w rules.Wager) (sum money.Amount) {
	for i := s.box(box).settledFrom; i < len(s.Lines); i++ {
		if l := &s.Lines[i]; l.Box == box && l.Player == player && l.Wager == w {
			sum += l.Net()
		}
	}
	return sum
}

// envyHands counts the hands that could have brought a player an Envy Bonus.
func (s *State) envyHands(box int, player string) (n int) {
	envy := &s.book().Envy
	for i, b := range s.Boxes {
		ownBox := b.Player() == player && !s.Variant.Is(rules.EnvyOwnBoxes, rules.Yes)
		if i+1 != box && b.Staked() && !b.Invalid && !ownBox && (envy.Needs == 0 || b.has(envy.Needs)) {
			n++
		}
	}
	return n
}

// most returns the most that a wager could have brought a player in this round.
func (s *State) most(box int, player string, w rules.Wager) (money.Amount, error) {
	stakes := s.stakesOf(box, player)
	return s.Variant.MostReturned(w, &stakes, s.envyHands(box, player))
}

// needDifference refuses an award above what the wager could have brought in this
// round, and a collection of more than it was paid.
func (s *State) needDifference(a *Remedy, clause string) *Refusal {
	if r := s.needCarrier(a, clause); r != nil {
		return r
	}
	if !s.box(a.Box).Settled {
		return s.refuse(WrongPhase, clause, "box %d is not settled yet: a difference is awarded or collected after that", a.Box)
	}
	if a.Wager == rules.Envy && s.Phase != Paid {
		return s.refuse(WrongPhase, clause, "the Envy Bonus is settled with the last box: a difference is awarded or collected after that")
	}
	received := s.received(a.Box, a.Player, a.Wager)
	if a.Do == CollectAmount {
		switch {
		case a.Wager == rules.Progressive && s.paidMeter(a.Box):
			return s.refuse(NotApplicable, clause, "box %d was paid a share of the meter, which only an invalid hand gives back", a.Box)
		case a.Amount > received:
			return s.refuse(StakeSize, clause, "%s brought %s on box %d in this round, and no more can be collected", a.Wager, max(received, 0), a.Box)
		}
		return nil
	}
	most, err := s.most(a.Box, a.Player, a.Wager)
	if left := max(most-received, 0); err != nil || a.Amount > left {
		return s.refuse(StakeSize, clause, "%s on box %d could have brought %s in this round and brought %s: at most %s can be awarded", a.Wager, a.Box, most, received, left)
	}
	return nil
}

// PastWager is a wager of a round that is over.
type PastWager struct {
	// Most is the most that it could have brought its bettor, and Brought what it did.
	Most, Brought money.Amount
	// Meter says that it was paid a share of the meter.
	Meter bool
}

// PastRound follows a round to its end, to say afterwards what its wagers brought and
// could have brought. See is called with the table after each change, in their order.
type PastRound struct {
	// lay is the table as each box was last in the round, by its number.
	lay map[int]*State
	// before is the number of lines that bets had when they were closed.
	before int
	end    *State
}

// See takes a change of the round into account.
func (p *PastRound) See(s State) {
	switch s.Phase {
	case Betting:
		*p = PastRound{}
	case Dealing, Deciding, Showing:
		if p.lay == nil {
			p.lay, p.before = map[int]*State{}, len(s.Lines)
		}
		for i, b := range s.Boxes {
			if b.Staked() && !b.Invalid {
				p.lay[i+1] = &s
			}
		}
	case Paid, Voided:
		p.end = &s
	case Ready, Closed: // A table that was closed since.
	}
}

// Wager returns the actual and the possible results of a wager of the round; ok is false
// where the player had none there when bets were closed.
func (p *PastRound) Wager(box int, player string, w rules.Wager) (past PastWager, ok bool, err error) {
	s := p.lay[box]
	if p.end == nil || s == nil {
		return past, false, nil
	}
	lines := p.end.Lines[min(p.before, len(p.end.Lines)):]
	if b := p.end.box(box); p.end.Phase == Paid && b.Settled && !b.Invalid {
		s, lines = p.end, p.end.Lines[b.settledFrom:]
		past.Meter = w == rules.Progressive && s.paidMeter(box)
	}
	stakes := s.stakesOf(box, player)
	if stakes[s.carrier(w)] == 0 {
		// A person may have given it back since.
		s = p.lay[box]
		stakes = s.stakesOf(box, player)
	}
	if stakes[s.carrier(w)] == 0 {
		return past, false, nil
	}
	for i := range lines {
		if l := &lines[i]; l.Box == box && l.Player == player && l.Wager == w {
			past.Brought += l.Net()
		}
	}
	past.Most, err = s.most(box, player, w)
	return past, true, err
}

// remedy carries out one remedy that needRemedy allows.
func (d *decision) remedy(a *Remedy, clause string) {
	switch a.Do {
	case InvalidateHand:
		d.invalidate(a.Box, clause)
	case ReturnStake:
		d.returnStake(a, clause)
	case RestoreDecision:
		d.restoreDecision(a, clause)
	case KeepFirstThree:
		d.move(CardsMoved{Clause: clause, Moves: d.s.beyondThree(a.place()), Ruled: true})
	case AwardAmount:
		d.emit(PaymentCorrected{Clause: clause, Lines: []Line{{Box: a.Box, Player: a.Player, Line: rules.Line{
			Wager: a.Wager, Result: rules.Win, Pays: a.Amount, Returned: a.Amount, Clause: clause,
		}}}})
	case CollectAmount:
		line := givenBack(a.Box, a.Player, a.Wager, 0, clause)
		line.Reverses = a.Amount
		d.emit(PaymentCorrected{Clause: clause, Lines: []Line{line}})
	}
}

// returnStake gives a wager back, or a part of it. A Play bet follows its Ante, and
// while the round goes on so do the wagers that need the one returned.
func (d *decision) returnStake(a *Remedy, clause string) {
	if d.s.box(a.Box).Settled {
		d.emit(BetsReturned{Clause: clause, Lines: d.s.stakeBack(a.Box, a.Player, a.Wager, clause)})
		return
	}
	stakes := d.s.stakesOf(a.Box, a.Player)
	amount := a.Amount
	if amount == 0 {
		amount = stakes[a.Wager]
	}
	lines := []Line{givenBack(a.Box, a.Player, a.Wager, amount, clause)}
	if rule := d.s.book().Decision; rule != nil && rule.On == a.Wager {
		if over := stakes[rule.Raise] - (stakes[rule.On] - amount); stakes[rule.Raise] != 0 && over > 0 {
			lines = append(lines, givenBack(a.Box, a.Player, rule.Raise, over, clause))
		}
	}
	d.changeStake(a.Box, BetsReturned{Clause: clause, Lines: lines})
	if d.err == nil && d.s.Phase != Betting && !d.s.box(a.Box).Staked() {
		d.invalidate(a.Box, clause)
	}
}

// stakeBack returns the lines that give a whole wager back, with what was paid for it
// and for what rides on it collected again.
func (s *State) stakeBack(box int, player string, w rules.Wager, clause string) []Line {
	with := []rules.Wager{w}
	for i := range s.book().Wagers {
		rule := &s.book().Wagers[i]
		if rule.Contest == rules.Riding && rule.Basis == w {
			with = append(with, rule.Wager)
		}
		if rule.Wager == w && rule.Envy {
			with = append(with, rules.Envy)
		}
	}
	return slices.DeleteFunc(s.linesOf(box, player, clause), func(l Line) bool { return !slices.Contains(with, l.Wager) })
}

// restoreDecision undoes a decision, and enters the one that is named instead.
func (d *decision) restoreDecision(a *Remedy, clause string) {
	d.undo(a.Box, clause)
	rule, b := d.s.book().Decision, d.s.box(a.Box)
	was, player := b.Decision, b.Player()
	restored := DecisionRestored{Box: a.Box, Player: player, Was: was, Clause: clause}
	if stakes := d.s.stakesOf(a.Box, player); was == Played && stakes[rule.Raise] != 0 {
		restored.Lines = []Line{givenBack(a.Box, player, rule.Raise, stakes[rule.Raise], clause)}
	}
	d.emit(restored)
	switch {
	case d.err != nil:
	case a.Decision == Played:
		d.emit(HandRaised{Box: a.Box, Player: player, Wager: rule.Raise, Amount: d.s.stake(a.Box, player, rule.On)})
	case a.Decision == Folded:
		d.emit(HandFolded{Box: a.Box, Player: player, Clause: clause})
	}
}

// withoutReasons returns remedies as people outside the staff see them.
func withoutReasons(remedies []Remedy) []Remedy {
	if len(remedies) == 0 {
		return nil
	}
	visible := make([]Remedy, len(remedies))
	for i, r := range remedies {
		visible[i] = Remedy{Do: r.Do, Box: r.Box, Player: r.Player, Wager: r.Wager, Amount: r.Amount, Decision: r.Decision}
	}
	return visible
}

// awarded reports whether the line pays what a person awarded after the settlement.
func (l *Line) awarded() bool {
	return l.Result == rules.Win && l.Stake == 0 && l.Combo == 0
}

// possibleRemedies returns, for [Legal], answers with one remedy each: a person may list several,
// with other amounts and reasons.
func (s *State) possibleRemedies() []Action {
	var all []Action
	add := func(r Remedy) {
		r.Reason = "as decided"
		all = append(all, Answer{Answer: rules.Remedy.String(), Remedies: []Remedy{r}})
	}
	add(Remedy{Do: KeepFirstThree})
	for i, b := range s.Boxes {
		box := i + 1
		add(Remedy{Do: InvalidateHand, Box: box})
		add(Remedy{Do: KeepFirstThree, Box: box})
		for _, to := range []Decision{Undecided, Played, Folded} {
			add(Remedy{Do: RestoreDecision, Box: box, Decision: to})
		}
		for j := range b.Bettors {
			of := Remedy{Box: box, Player: b.Bettors[j].Player}
			for _, of.Wager = range s.book().Order.Lines {
				of.Do, of.Amount = ReturnStake, 0
				add(of)
				of.Do, of.Amount = AwardAmount, money.Minor
				add(of)
				of.Do = CollectAmount
				add(of)
			}
		}
	}
	return all
}
