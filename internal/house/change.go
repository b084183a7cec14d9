package house

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trey/internal/house/access"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// Change is a change of a table's rules or running, from its next round on. A field that is
// left out stays as it is.
type Change struct {
	// Variant is another variant of the table's book: other limits, pays, rulings
	// or number of boxes.
	Variant *rules.Variant
	Mode    Mode
	Pace    *Pace
	// Configured says that whoever opens the house has written it into its
	// configuration, where the pay tables are theirs to choose.
	Configured bool
}

// The errors of a [Change].
var (
	// ErrNoChange: it asks for what is in force.
	ErrNoChange = errors.New("nothing to change: the table is already played like this")
	// ErrUnplayable: the table cannot be played so.
	ErrUnplayable = errors.New("the table cannot be played like this")
	// ErrOwnPays: one person in the house would have the house pay what they like.
	ErrOwnPays = errors.New("with real money, the house cannot give a table pays or a rounding of its own here: choose a pay table that the book offers, or have the operator write others into house.toml")
)

// leastMs is the shortest time that one person in the house gives players for a bet, a
// decision or an option, in milliseconds. With less, nobody can answer, and every Ante is
// folded by the clock.
const leastMs = 5_000

// ErrShort: one person would leave players no time.
var ErrShort = errors.New("with real money, the house cannot give players less than 5 seconds for a bet, a decision or an option: choose longer times, or have the operator write others into house.toml")

// playable refuses times in which nobody can bet or decide.
func (p *Pace) playable() error {
	if min(p.BettingMs, p.DecisionMs, p.OptionMs) < leastMs {
		return ErrShort
	}
	return nil
}

// rulesPeriod is a number of rounds of a table that are played and run alike.
type rulesPeriod struct {
	from int // the first round
	Table
}

// at returns how a round is played. Before the first round that is as the table
// was installed.
func (s *tableRunner) at(round int) *Table {
	periods := *s.periods.Load()
	for i := len(periods) - 1; i > 0; i-- {
		if periods[i].from <= round {
			return &periods[i].Table
		}
	}
	return &periods[0].Table
}

// last returns how the table is played from the last change on.
func (s *tableRunner) last() *rulesPeriod {
	periods := *s.periods.Load()
	return &periods[len(periods)-1]
}

// next returns what is in force from the next round on, nil if nothing changes.
func (s *tableRunner) next() *Table {
	if last := s.last(); last.from > s.state.Round {
		return &last.Table
	}
	return nil
}

// applyRules takes into account that a table is played otherwise, where it was recorded.
// It reports whether the event says so of this table.
func (s *tableRunner) applyRules(known *recordedRules, e OwnEvent) (of bool, err error) {
	after := s.last().Table
	fromRound, hash, name := 0, "", ""
	switch e := e.(type) {
	case RulesChanged:
		if e.Table != s.Name {
			return false, nil
		}
		fromRound, hash, name = e.FromRound, e.RulesHash, e.Variant
		after.Mode, after.Pace = e.Mode, e.Pace
	case RulesCarriedOver:
		if e.Table != s.Name {
			return false, nil
		}
		fromRound, hash, name = e.FromRound, e.RulesHash, e.Variant
	default:
		return false, nil
	}
	if fromRound < s.last().from {
		return false, nil // It is known, and so is what came after it.
	}
	if after.Variant, err = known.rules(hash, name); err != nil {
		return true, Corrupt(err, "table %s", s.Name)
	}
	s.from(fromRound, after)
	return true, nil
}

// from puts another period behind those that have begun: of two changes before a
// round the later counts.
func (s *tableRunner) from(round int, t Table) {
	periods := slices.Clone(*s.periods.Load())
	if last := len(periods) - 1; last > 0 && periods[last].from == round {
		periods = periods[:last]
	}
	periods = append(periods, rulesPeriod{round, t})
	s.periods.Store(&periods)
}

// evolve applies an event as [table.Evolve] does, for a table whose rules change with a round.
func (s *tableRunner) evolve(state table.State, e table.Event) (table.State, error) {
	if opened, ok := e.(table.BetsOpened); ok {
		if v := s.at(opened.Round).Variant; v != state.Variant {
			under, err := state.Under(v)
			if err != nil {
				return state, err
			}
			state = under
		}
	}
	return table.Evolve(state, e)
}

// stateFor returns the state upon which a command is decided: the next round
// begins under the rules that are in force for it. A table that is not ready for
// that is not ready to begin a round either, and says so itself. It stands until a
// command was carried out.
func (s *tableRunner) stateFor(do table.Action) *table.State {
	if _, ok := do.(table.OpenBets); !ok {
		return &s.state
	}
	if v := s.at(s.state.Round + 1).Variant; v != s.state.Variant {
		if under, err := s.state.Under(v); err == nil {
			return &under
		}
	}
	return &s.state
}

// RulesAt returns the variant by which a round of a table is or was played. For zero it is the
// one that the table was installed with. For a round to come it is the one that would apply as
// of now. It takes no lock: it is asked while h.admin is locked, which is locked after a table
// and never before one.
func (h *House) RulesAt(name string, round int) (*rules.Variant, error) {
	s, err := h.runner(name)
	if err != nil {
		return nil, err
	}
	return s.at(round).Variant, nil
}

// Change changes how a table is played or run, from its next round on, and returns the number
// of that round. Bets on the layout are settled by the rules under which they were accepted. A
// table between rounds may still find out about its last one. The number of boxes may change as
// well: at the beginning of a round nobody has one. A table that runs by itself and waits for
// the first bet of a round begins the next one at once. Otherwise it would wait with its old
// limits, maybe for hours. At other tables the dealer announces the rounds. The book, the
// equipment and the connection to a jackpot stay. So do the terms of the jackpot, which are
// changed by a proposal and not by one table.
func (h *House) Change(ctx context.Context, key string, by access.Person, name string, c Change) (fromRound int, err error) {
	if err := by.Check(access.ChangeRules); err != nil {
		return 0, err
	}
	s, err := h.runner(name)
	if err != nil {
		return 0, err
	}
	asked := ChangeRules{Mode: c.Mode, Pace: c.Pace}
	if c.Variant != nil {
		asked.Variant, asked.RulesHash = c.Variant.ID, c.Variant.Hash()
	}
	tx, repeated, err := h.begin(ctx, key, by, name, asked)
	if err != nil {
		return 0, err
	}
	if repeated != nil {
		e, err := ownOf[RulesChanged](repeated)
		if err == nil && !e.pacedBy(c.Pace) {
			err = ErrKeyReused // A pace without clocks and none are one thing to InputOf.
		}
		return e.FromRound, err
	}
	defer h.release(tx.Key)
	s.Lock()
	defer s.Unlock()
	if err := h.checkRunning(s); err != nil {
		return 0, err
	}
	before := s.at(s.state.Round + 1)
	after, err := s.changed(before, c)
	if err == nil {
		err = after.attended(h.world.PlayMoney)
	}
	if err == nil && !h.world.PlayMoney && !c.Configured && after.Mode == Automatic && (after.Pace != before.Pace || after.Mode != before.Mode) {
		err = after.Pace.playable()
	}
	if err == nil && !h.world.PlayMoney && !c.Configured && !paysAsOffered(before.Variant, after.Variant) {
		err = ErrOwnPays
	}
	if err == nil && after.Variant != before.Variant {
		err = h.ownBook(after.Variant, before.Variant)
	}
	if err != nil {
		return 0, sentence.Errorf("table %s: %s", name, err)
	}
	installed, was := after.installed(), before.installed()
	e := RulesChanged{
		Table: name, FromRound: s.state.Round + 1, By: by,
		Variant: installed.Variant, RulesHash: installed.RulesHash, Mode: installed.Mode, Pace: installed.Pace,
		Before: Played{Variant: was.Variant, RulesHash: was.RulesHash, Mode: was.Mode, Pace: was.Pace},
	}
	if err := h.changeTable(s, tx, e, e.FromRound, after); err != nil {
		return e.FromRound, err
	}
	h.beginAnew(ctx, s)
	return e.FromRound, nil
}

// pacedBy reports whether the change came of this pace; nil leaves the pace as it was.
func (e *RulesChanged) pacedBy(p *Pace) bool {
	if p == nil {
		return e.Pace == e.Before.Pace
	}
	return e.Pace == *p
}

// changes is the actor that ends a round without bets, so that changed rules come into force.
// Opening and closing tables is for people of the pit, and the person who changed the rules
// stands in the record right before it.
var changes = access.Person{Name: "the change of rules", Role: access.ShiftManager}

// beginAnew ends the round of an automatic table that is idle in it, so that the next
// one can begin by changed rules. The table is locked, or nobody else is there yet. The
// change itself is recorded already, so whatever is in the way is no error: it comes
// into force with the next round then.
func (h *House) beginAnew(ctx context.Context, s *tableRunner) {
	if s.next() != nil && s.idle() {
		_, _ = h.continueAt(ctx, s, changes.Actor(), changes.Role.String(), table.CloseTable{Anew: true})
	}
}

// idle reports whether an automatic table waits for the first bet of a round that has begun.
func (s *tableRunner) idle() bool {
	return s.Mode == Automatic && s.state.Phase == table.Betting && s.state.OnLayout() == 0
}

// mostTakenBack is the number of bets that are taken back in a round of an automatic table
// upon which no other bet lies. No clock ends such a round, and each of them is part of every
// picture of the table. One player who bets and takes the bet back without end would make it
// too large for everybody.
const mostTakenBack = 500

// emptying is the actor that ends a round without bets from which many were taken back.
var emptying = access.Person{Name: "the end of an idle round", Role: access.ShiftManager}

// endIdle ends the round of an automatic table that is idle after many bets were taken back,
// so that the next one begins. The table is locked. What is in the way is no error: the next
// bet that is taken back tries again.
func (h *House) endIdle(ctx context.Context, s *tableRunner) {
	if s.idle() && len(s.state.Lines) >= mostTakenBack {
		_, _ = h.continueAt(ctx, s, emptying.Actor(), emptying.Role.String(), table.CloseTable{Anew: true})
	}
}

// paysAsOffered reports whether a change leaves each wager a pay table that is in force or that
// the book offers, and does not change the rounding.
func paysAsOffered(before, after *rules.Variant) bool {
	rounding, was := after.Rounding, before.Rounding
	if rounding.Favour != was.Favour || max(rounding.Unit, money.Minor) != max(was.Unit, money.Minor) {
		return false
	}
	for _, w := range rules.Wagers() {
		pays := after.Pays[w]
		if pays == before.Pays[w] || pays.SamePays(before.Pays[w]) {
			continue
		}
		rule := after.Book.Rule(w)
		if rule == nil || !slices.ContainsFunc(rule.Pays, func(offered rules.PayTable) bool { return pays.SamePays(&offered) }) {
			return false
		}
	}
	return true
}

// changed returns a table with a change, or why it cannot be played so.
func (s *tableRunner) changed(before *Table, c Change) (Table, error) {
	after := *before
	if c.Variant != nil && (c.Variant.Hash() != before.Variant.Hash() || c.Variant.ID != before.Variant.ID) {
		after.Variant = c.Variant
	}
	if c.Mode != 0 {
		after.Mode = c.Mode
	}
	if c.Pace != nil {
		after.Pace = *c.Pace
	}
	if after == *before {
		return after, ErrNoChange
	}
	if err := after.Pace.Check(); err != nil {
		return after, sentence.Errorf("%s: %s", ErrUnplayable, err)
	}
	if after.Mode >= numModes {
		return after, sentence.Errorf("%s: there is no such mode", ErrUnplayable)
	}
	if after.Variant == before.Variant {
		return after, nil
	}
	was, variant := before.Variant, after.Variant
	if variant.Book.Ref() != was.Book.Ref() {
		return after, sentence.Errorf("%s: it stays with %s, and %s is played at another table", ErrUnplayable, was.Book.Ref(), variant.Book.Ref())
	}
	if _, err := table.New(variant, s.Config); err != nil {
		return after, sentence.Errorf("%s: %s", ErrUnplayable, err)
	}
	switch {
	case (variant.Jackpot == nil) != (was.Jackpot == nil):
		return after, sentence.Errorf("%s: whether a progressive is connected does not change", ErrUnplayable)
	case variant.Jackpot != nil && *variant.Jackpot != *was.Jackpot:
		return after, sentence.Errorf("%s: the terms of jackpot %s are changed by a proposal, for all its tables", ErrUnplayable, s.Jackpot)
	case variant.Jackpot == nil:
		return after, nil
	}
	// Nobody has to lock h.admin for this: what is compared of the jackpot is its
	// prescribed bet, which no proposal changes.
	s.jackpot.Lock()
	defer s.jackpot.Unlock()
	if err := linked.Check(variant, s.jackpot.state); err != nil {
		return after, sentence.Errorf("%s: %s", ErrUnplayable, err)
	}
	return after, nil
}

// ownOf finds an event of the house's own stream in what was recorded under a key.
func ownOf[E OwnEvent](r *Receipt) (E, error) {
	found, ok, err := ownIn[E](r.Parts)
	if err == nil && !ok {
		err = fmt.Errorf("%w: transaction %d holds no %s", ErrCorrupt, r.Seq, strings.TrimPrefix(fmt.Sprintf("%T", found), "house."))
	}
	return found, err
}

// ownIn finds the first event of a type in the house's own stream among the parts of a transaction.
func ownIn[E OwnEvent](parts []StreamAppend) (found E, ok bool, err error) {
	for i := range parts {
		if parts[i].Stream != houseStream {
			continue
		}
		for _, stored := range parts[i].Events {
			e, err := DecodeOwn(stored)
			if err != nil {
				return found, false, err
			}
			if found, ok = e.(E); ok {
				return found, true, nil
			}
		}
	}
	return found, false, nil
}
