// Package linked is where a table and the progressive jackpot meet: one command
// at the table together with all that it means for the meter, as one step.
//
// Bets contribute when the betting closes and are taken back when they are
// returned. A round with such bets takes its place in the order of the deals when its
// first hand is dealt, whatever its hands are. A hand that wins a share of the meter
// is registered when the whole table has seen it, at the place that its deal gives
// it, and is paid at the settlement when every round that was dealt before it is
// known. So nothing that the jackpot records or refuses tells of a hand that lies
// face down. While the system is down, tables play by the value registered before.
//
// Like the two packages it joins it is pure: whoever drives many tables on one
// meter gives each step the meter as it stands, and keeps both results or none.
package linked

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Outcome is the result of a command.
type Outcome struct {
	// Command is the command as it was carried out, with the displayed value
	// where it needs one.
	Command table.Command
	Events  []table.Event
	State   table.State
	// Moved is what happened to the jackpot, Meter the jackpot after it.
	Moved []jackpot.Event
	Meter jackpot.State
	// Read says that the command depended on what the jackpot holds, so that it
	// stands for that meter alone.
	Read bool
}

// Terms returns the terms that a variant gives a jackpot; ok is false where it
// has none.
func Terms(v *rules.Variant) (terms jackpot.Terms, ok bool) {
	if v.Jackpot == nil {
		return jackpot.Terms{}, false
	}
	return jackpot.Terms{
		Bet: v.Jackpot.Bet, Reset: v.Jackpot.Reset,
		Rate:    jackpot.Rate{Num: v.Jackpot.RateNum, Den: v.Jackpot.RateDen},
		Ceiling: v.Jackpot.Ceiling, Overflow: jackpot.OverflowOnTop,
	}, true
}

// Open puts a jackpot into service by the terms of a variant that has one. A
// meter of zero is the reset value. People verify hits from verifyFrom on, none if it
// is zero.
func Open(v *rules.Variant, meter, verifyFrom money.Amount) ([]jackpot.Event, jackpot.State, error) {
	terms, ok := Terms(v)
	if !ok {
		return nil, jackpot.State{}, fmt.Errorf("%s has no progressive", v.ID)
	}
	if meter == 0 {
		meter = terms.Reset
	}
	terms.VerifyFrom = verifyFrom
	fixed := new(big.Rat).Set(v.Pays[rules.Progressive].FixedReturn(v.Book.Ranking))
	m := movement{}
	err := m.do(jackpot.Open{
		Terms: terms, FixedReturn: jackpot.FixedReturn{Num: fixed.Num().Int64(), Den: fixed.Denom().Int64()}, Meter: meter,
	})
	return m.events, m.meter, err
}

// ErrUnlike is wrapped where a table cannot share a jackpot.
var ErrUnlike = errors.New("this table cannot play for this jackpot")

// Check refuses a table that cannot play for a jackpot: one whose bet is of
// another size, or whose pay table gives a hand a part of the meter. The meter
// pays all that is displayed and starts again.
func Check(v *rules.Variant, m jackpot.State) error {
	terms, ok := Terms(v)
	if !ok {
		return nil
	}
	if terms.Bet != m.Terms.Bet {
		return fmt.Errorf("%w: its bet is $%s and the jackpot's $%s", ErrUnlike, terms.Bet.Display(), m.Terms.Bet.Display())
	}
	for _, row := range v.Pays[rules.Progressive].Rows {
		if err := row.Pay.WholeMeter(); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnlike, row.Combo, err)
		}
	}
	return nil
}

// Step carries out one command at a table, together with what it means for the
// jackpot. A table without a progressive leaves the jackpot as it is, and the
// zero State will do for it. Errors are those of [table.Step] and
// [jackpot.Decide]; nothing has changed then.
func Step(name string, s table.State, m jackpot.State, c table.Command) (Outcome, error) {
	if settle, ok := c.Do.(table.Settle); ok {
		settle.Pending = false // That the jackpot waits, only the jackpot knows.
		c.Do = settle
	}
	if !m.Opened {
		events, after, err := table.Step(s, c)
		if err != nil {
			return Outcome{}, err
		}
		return Outcome{Command: c, Events: events, State: after, Meter: m}, nil
	}
	step := movement{name: name, before: s, meter: m}
	step.round, _ = roundOf(name, m)
	c, err := step.prepare(c)
	if err != nil {
		return Outcome{}, err
	}
	events, after, err := table.Step(s, c)
	if err != nil {
		return Outcome{}, err
	}
	if err := step.follow(events, &after); err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Command: c, Events: events, State: after, Moved: step.events, Meter: step.meter,
		Read: step.read || len(step.events) > 0,
	}, nil
}

// roundOf returns the round of a table whose bets the jackpot holds.
func roundOf(name string, m jackpot.State) (*jackpot.RoundID, int64) {
	for i := range m.Rounds {
		if m.Rounds[i].ID.Table == name {
			id := m.Rounds[i].ID
			return &id, m.Rounds[i].Held()
		}
	}
	return nil, 0
}

// movement is the jackpot's side of one command, tried on a copy: nothing is
// kept unless the whole command succeeds.
type movement struct {
	name   string
	before table.State
	round  *jackpot.RoundID
	meter  jackpot.State
	events []jackpot.Event
	read   bool
}

func (m *movement) do(commands ...jackpot.Command) error {
	for _, c := range commands {
		events, err := jackpot.Decide(m.meter, c)
		if err != nil {
			return err
		}
		for _, e := range events {
			if m.meter, err = jackpot.Evolve(m.meter, e); err != nil {
				return err
			}
		}
		m.events = append(m.events, events...)
	}
	return nil
}

// hitsOf lists the boxes that win the meter in a round that is being played, as far
// as the whole table has seen their hands.
func hitsOf(s *table.State) []int {
	if !s.Phase.InRound() {
		return nil
	}
	return slices.DeleteFunc(s.MajorHits(), func(box int) bool { return !s.Open(table.Box(box)) })
}

func (m *movement) hit(box int) jackpot.HitID {
	return jackpot.HitID{Table: m.round.Table, Round: m.round.Round, Box: box}
}

// prepare puts the displayed value into a command that needs it, and pays the
// hits of a round that is about to be settled.
func (m *movement) prepare(c table.Command) (table.Command, error) {
	switch do := c.Do.(type) {
	case table.Report:
		if do.Incident == rules.ProgressiveDown {
			if err := m.show(&do.Meter); err != nil {
				return c, err
			}
			c.Do = do
		}
	case table.Settle:
		return m.settle(c, do)
	}
	return c, nil
}

// settle pays the hits of a round that is about to be settled. Where one has to wait
// for a hand that was dealt earlier at another table, the hands are turned first: a
// refusal before that would tell that one of them is a hit.
func (m *movement) settle(c table.Command, do table.Settle) (table.Command, error) {
	if m.round == nil {
		if n := m.before.ProgressiveBets(); n > 0 && m.before.Phase == table.Showing {
			return c, fmt.Errorf("%w: round %d of table %s has %d Progressive bets, and the jackpot holds none of them", jackpot.ErrCorrupt, m.before.Round, m.name, n)
		}
		return c, nil
	}
	hits := m.due(do.Box)
	do.Meters = nil // what follows the first payment, only the jackpot knows
	if given := do.Meter != 0; given || len(hits) > 0 {
		// Whether a figure is given for nothing is not said before the hands are turned.
		if err := m.show(&do.Meter); err != nil {
			return c, err
		}
	}
	c.Do = do
	if len(hits) == 0 {
		return c, nil
	}
	// The table speaks first: a settlement that is refused pays nobody.
	_, err := table.Decide(m.before, c)
	if err != nil {
		return c, err
	}
	meter, events := m.meter, m.events
	do.Meters, err = m.pay(hits)
	if waits(err) && slices.ContainsFunc(hits, func(box int) bool { return !m.before.Open(table.Box(box)) }) {
		m.meter, m.events = meter, events
		do.Meter, do.Meters, do.Pending, err = 0, nil, true, nil
	}
	if len(do.Meters) == 1 && do.Meters[0] == do.Meter {
		do.Meters = nil
	}
	c.Do = do
	return c, err
}

// waits reports whether a hit cannot be paid because of a hand that was dealt earlier.
func waits(err error) bool {
	var refusal *jackpot.Refusal
	return errors.As(err, &refusal) && (refusal.Reason == jackpot.ReasonEarlierHit || refusal.Reason == jackpot.ReasonEarlierRound)
}

// due returns the hits that a settlement of a box, or of all that are left, pays.
func (m *movement) due(box int) []int {
	return slices.DeleteFunc(m.before.MajorHits(), func(hit int) bool {
		return box != 0 && hit != box || m.before.Boxes[hit-1].Settled
	})
}

// pay registers and confirms the hits of the round and pays them in the order in
// which they wait. It returns what each is paid, in the order of the boxes: what the meter
// displayed, which starts again after every payment, or what a hit was paid before that was
// collected again.
//
//clause:rws-3cp@3 4.9.1
func (m *movement) pay(hits []int) (meters []money.Amount, err error) {
	for _, box := range hits {
		if err := m.register(&m.before, box); err != nil {
			return nil, err
		}
	}
	for _, box := range hits {
		if err := m.do(jackpot.Confirm{Hit: m.hit(box)}); err != nil {
			return nil, err
		}
	}
	paid := map[int]money.Amount{}
	for _, h := range m.meter.Queue() {
		if h.ID.RoundID() == *m.round && slices.Contains(hits, h.ID.Box) {
			paid[h.ID.Box] = m.meter.Due(h.ID)
			// While the system is down, the second of two is paid by a ruling.
			keep := m.before.Variant.Is(rules.SecondHitDown, rules.RegisteredValue)
			pay := jackpot.Pay{
				Hit: h.ID, KeepRegistered: keep,
				Winner: winner(&m.before, h.ID.Box), Proven: m.before.Config.Cards == table.Virtual,
			}
			if err := m.do(pay); err != nil {
				return nil, err
			}
		}
	}
	for _, box := range hits {
		meters = append(meters, paid[box])
	}
	return meters, nil
}

// winner returns the player whose Progressive bet lies on a box.
func winner(s *table.State, box int) string {
	for i := range s.Boxes[box-1].Bettors {
		if b := &s.Boxes[box-1].Bettors[i]; b.Stakes[rules.Progressive] != 0 {
			return b.Player
		}
	}
	return ""
}

// show puts the displayed value where none is given. One that is given has to
// be what is displayed: a payment follows the screen, not the memory of a dealer.
func (m *movement) show(given *money.Amount) error {
	m.read = true
	displayed := m.meter.Displayed()
	if *given != 0 && *given != displayed {
		return table.Refuse(table.MeterUnknown, "", "the screen shows %s, not %s", displayed, *given)
	}
	*given = displayed
	return nil
}

// follow does what the events of a command ask of the jackpot.
func (m *movement) follow(events []table.Event, after *table.State) error {
	hits := hitsOf(after)
	for _, h := range m.meter.Hits {
		if m.round == nil || h.ID.RoundID() != *m.round || !h.Unpaid() {
			continue
		}
		if slices.Contains(hits, h.ID.Box) {
			continue
		}
		if err := m.do(jackpot.Forfeit{Hit: h.ID, Cause: forfeitCause(after, h.ID.Box)}); err != nil {
			return err
		}
	}
	if err := m.collect(after); err != nil {
		return err
	}
	for _, e := range events {
		if err := m.mayWork(e); err != nil {
			return err
		}
		if err := m.do(m.asked(e, after)...); err != nil {
			return err
		}
	}
	if err := m.balance(events, after); err != nil {
		return err
	}
	if m.round == nil {
		return nil
	}
	for _, box := range hits {
		if err := m.register(after, box); err != nil {
			return err
		}
	}
	return m.order(after)
}

// register puts a hit into the order of payment, at the place that its deal gives it.
func (m *movement) register(s *table.State, box int) error {
	h, known := m.meter.Hit(m.hit(box))
	switch {
	case !known:
		return m.do(jackpot.HandDealt{Hit: m.hit(box), Place: m.place(s, box)})
	case h.Status == jackpot.StatusForfeited, h.Status == jackpot.StatusReversed:
		// The cause of the forfeit or of the collection has been corrected.
		return m.do(jackpot.Reinstate{Hit: h.ID})
	}
	return nil
}

// place returns the place of a hand in the order of payment, by the time at which it was dealt. At
// the same time, the round that was dealt first comes first, and in a round the lower box. The
// place that the house has determined for a round holds for all of its hands.
//
//clause:rws-3cp@3 4.9.1
func (m *movement) place(s *table.State, box int) jackpot.Place {
	at := jackpot.Place{DealtAtMs: dealtAt(s, box)}
	if r, _ := m.meter.Round(*m.round); r.Dealt != nil {
		if r.Determined {
			at.DealtAtMs = r.Dealt.DealtAtMs
		}
		at.Sequence = r.Dealt.Sequence
	}
	at.Sequence += int64(box)
	return m.meter.FreeFrom(at)
}

// dealtAt returns when a hand was complete, by the reference clock of the jackpot. That of
// a jackpot begins at one, and a clock of commands may begin at zero.
func dealtAt(s *table.State, box int) int64 { return max(1, s.DealtAtMs(box)) }

// order keeps the round in the order of the deals as long as a hand that could win
// the meter is not known to the whole table, whatever it is.
//
//clause:rws-3cp@3 4.9.1
func (m *movement) order(after *table.State) error {
	r, _ := m.meter.Round(*m.round)
	boxes := after.Undisclosed()
	switch {
	case len(boxes) > 0 && r.Dealt == nil:
		first := dealtAt(after, boxes[0])
		for _, box := range boxes {
			first = min(first, dealtAt(after, box))
		}
		return m.do(jackpot.DealRound{Round: r.ID, Place: m.meter.FreeFrom(jackpot.Place{DealtAtMs: first, Sequence: m.sequence()})})
	case len(boxes) == 0 && r.Dealt != nil:
		return m.do(jackpot.KnowRound{Round: r.ID})
	}
	return nil
}

// collect takes back what was paid for hands that have left the round since, or whose
// settlement was undone, as the lines of the table do.
//
//clause:rws-3cp@3 5.8.7
//clause:rws-3cp@3 5.15
func (m *movement) collect(after *table.State) error {
	if s := &m.before; m.round == nil || after.Round != s.Round || !s.Phase.InRound() && s.Phase != table.Paid {
		return nil // Between rounds nothing is corrected; the next one may have other boxes.
	}
	for _, h := range m.meter.Hits {
		if h.ID.RoundID() != *m.round || h.Status != jackpot.StatusPaid {
			continue
		}
		b := after.Boxes[h.ID.Box-1]
		if after.Phase != table.Voided && !b.Invalid && b.Settled {
			continue
		}
		if err := m.do(jackpot.Reverse{Hit: h.ID, Cause: forfeitCause(after, h.ID.Box)}); err != nil {
			return err
		}
	}
	return nil
}

// works reports whether an event says that the jackpot works: it has been repaired, or only
// boxes of this table are out of use. Of a table at which nothing but its devices was out of
// order, neither says anything of the jackpot.
func (m *movement) works(e table.Event) bool {
	suspended, _ := e.(table.ProgressiveSuspended)
	_, restored := e.(table.ProgressiveRestored)
	return (restored || suspended.Option == table.WithoutBoxes) && !m.before.DevicesDown()
}

// asked returns the jackpot command that one event of the table, which is in the state after
// then, requires.
func (m *movement) asked(e table.Event, after *table.State) []jackpot.Command {
	switch e := e.(type) {
	case table.BetsOpened, table.TableClosed:
		// Until here an error of the settled round could still be found.
		if m.round != nil {
			return []jackpot.Command{jackpot.CloseRound{Round: *m.round}} // its hands are known since it ended
		}
	case table.ProgressiveFailed:
		if !m.meter.Down && !after.DevicesDown() {
			return []jackpot.Command{jackpot.SystemDown{}}
		}
	case table.ProgressiveSuspended, table.ProgressiveRestored:
		if m.works(e) {
			return m.up()
		}
	}
	return nil
}

// up asks that the jackpot works again. Another table may have seen to it before:
// that nothing moves then depends on what the jackpot holds.
func (m *movement) up() []jackpot.Command {
	m.read = true
	if !m.meter.Down {
		return nil
	}
	return []jackpot.Command{jackpot.SystemUp{}}
}

// mayWork refuses to put the jackpot into service again while a round in play has a hand that could
// still be paid what was registered before the failure. That is a hit that waits, or any hand that
// is not known yet.
//
//clause:rws-3cp@3 5.17.1
func (m *movement) mayWork(e table.Event) error {
	if !m.works(e) || !m.meter.Down {
		return nil
	}
	for _, h := range m.meter.Queue() {
		return table.Refuse(table.Unfinished, m.registeredBy(),
			"first box %d of table %s has to be settled: its hand is paid what the jackpot registered before it failed", h.ID.Box, h.ID.Table)
	}
	for _, r := range m.meter.Dealt() {
		return table.Refuse(table.Unfinished, m.registeredBy(),
			"first round %s of table %s has to end: a hit in it would be paid what the jackpot registered before it failed", r.ID.Round, r.ID.Table)
	}
	return nil
}

// registeredBy returns the provision by which a round is paid what was registered.
func (m *movement) registeredBy() string {
	book := m.before.Variant.Book
	for _, c := range book.Incident(rules.ProgressiveDown).Cases {
		if c.Then == rules.KeepRegistered {
			return book.ClauseRef(c.Clause)
		}
	}
	return ""
}

// sequence returns the place of the next round among those of one instant. It leaves room
// for the hits of the rounds before it, whether there are any or not.
func (m *movement) sequence() int64 {
	last := m.meter.LatestPaid.Sequence
	for i := range m.meter.Hits {
		last = max(last, m.meter.Hits[i].Place.Sequence)
	}
	for i := range m.meter.Rounds {
		if at := m.meter.Rounds[i].Dealt; at != nil {
			last = max(last, at.Sequence+rules.MaxBoxes)
		}
	}
	return last + 1
}

// balance makes the meter hold the contributions of exactly the Progressive bets
// that are in the round: from the close of the betting until the next round.
func (m *movement) balance(events []table.Event, after *table.State) error {
	if after.Phase < table.Dealing || after.Phase == table.Closed {
		return nil
	}
	_, held := roundOf(m.name, m.meter)
	due := int64(after.ProgressiveBets())
	switch {
	case due > held:
		m.round = &jackpot.RoundID{Table: m.name, Round: strconv.Itoa(after.Round)}
		return m.do(jackpot.Contribute{Round: *m.round, Bets: due - held, AtCall: lay(events)})
	case due < held:
		return m.do(jackpot.ReverseContributions{Round: *m.round, Bets: held - due, Cause: reversalCause(events)})
	}
	return nil
}

// lay reports whether events enter chips that lay on the layout when the betting was closed,
// as nothing else can that is entered later. At a table that took no Progressive bets then,
// the table refuses them.
//
//clause:rws-3cp@3 5.17.1
//clause:rws-3cp@3 5.20
func lay(events []table.Event) bool {
	return slices.ContainsFunc(events, func(e table.Event) bool {
		_, found := e.(table.StakeFound)
		return found
	})
}

func reversalCause(events []table.Event) jackpot.ReversalCause {
	cause := jackpot.ReversedNoAnte
	for _, e := range events {
		switch e.(type) {
		case table.RoundVoided:
			return jackpot.ReversedRoundVoided
		case table.HandInvalidated:
			cause = jackpot.ReversedHandInvalidated
		}
	}
	return cause
}

func forfeitCause(s *table.State, box int) jackpot.ForfeitCause {
	switch {
	case s.Phase == table.Voided:
		return jackpot.ForfeitRoundVoided
	case s.Boxes[box-1].Invalid:
		return jackpot.ForfeitHandInvalidated
	case s.Boxes[box-1].Decision == table.Folded:
		return jackpot.ForfeitFolded
	}
	return jackpot.ForfeitMisreported
}
