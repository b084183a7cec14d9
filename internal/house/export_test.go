package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/jackpot"
	"trey/money"
	"trey/table"
)

// Behind carries out a command that has passed the matrix: what is refused now
// is refused by the rules.
func (h *House) Behind(ctx context.Context, name string, by table.Actor, do table.Action) (Result, error) {
	return h.order(ctx, CommandRequest{Table: name, By: access.Person{Name: by.Name}, Do: do}, by, by.Role.String())
}

// Command returns the command as it was carried out.
func (r *Result) Command() table.Command { return r.command }

// Tamper changes a balance in memory, as no code of the house would.
func (h *House) Tamper(a ledger.Account, by money.Amount) {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	h.book[a] += by
}

// Rig puts another way from a seed to a deck in the place of the shuffle.
func (h *House) Rig(shuffle func(shuffle.Seed) [52]card.Card) { h.shuffle = shuffle }

// Halt stops a table by a fault.
func (h *House) Halt(name string, why error) {
	s, err := h.runner(name)
	if err != nil {
		panic(err)
	}
	s.Lock()
	defer s.Unlock()
	_ = h.refused(s, Cause{By: "ann", Role: "player", Kind: "bet"}, fmt.Errorf("%w: %w", ledger.ErrMalformed, why))
}

// Lend makes a player owe the amount that they are given, as the reversal of a round does.
func (h *House) Lend(name string, amount money.Amount) {
	tx := &Transaction{AtMs: h.world.NowMs(), Cause: Cause{By: keeper.Name, Role: keeperRole, Kind: "test"}}
	inLine, err := h.enqueue(tx, func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		move := ledger.Posting{
			From: ledger.Account{Kind: ledger.Owed, Of: name}, To: ledger.Account{Kind: ledger.Player, Of: name},
			Amount: amount, For: ledger.Reference{Reason: ledger.Unpaid},
		}
		changes, err := ledger.Post(on, move)
		return []ledger.Posting{move}, changes, err
	})
	if err == nil {
		_, err = h.awaitDurable(inLine, func(*Notice) {})
	}
	if err != nil {
		panic(err)
	}
}

// SnapshotRounds sets after how many rounds a table is written down, and returns
// what it was. Tests write every round, so that what is restored is tested by
// all that open a house again.
func SnapshotRounds(n int) (was int) {
	was, snapshotRounds = snapshotRounds, n
	return was
}

func init() { snapshotRounds, pace = 1, SnapshotPace{Events: EventsBetweenSnapshots} }

// EventsBetweenSnapshots is after how many events jackpots, the house's own stream and the
// protection of players are written down in tests.
const EventsBetweenSnapshots = 10

// Remembered returns the number of proposals that the house holds in memory.
func (h *House) Remembered() int {
	h.admin.Lock()
	defer h.admin.Unlock()
	return len(h.admin.proposals.open) + len(h.admin.proposals.decided)
}

// CountedPlayers returns the number of players who are counted, and of those of whom anything is
// kept in memory.
func (h *House) CountedPlayers() (counted, known int) {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	for _, p := range h.guard.players {
		if p.tally != nil {
			counted++
		}
	}
	if counted != h.guard.tallies {
		panic("the number of tallies is wrong")
	}
	return counted, len(h.guard.players)
}

// MayBet refuses a first bet of a player in the round at a table against their limits, as they are
// counted now.
func (h *House) MayBet(name, player string, amount money.Amount) error {
	state := h.tables[name].state
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	return h.mayBet(name, &state, &state, []table.Event{table.BetPlaced{Box: 1, Player: player, Amount: amount}}, h.world.NowMs())
}

// LeastRoom sets the number of players who are counted before any is let go.
func LeastRoom(n int) (was int) {
	was, leastRoom = leastRoom, n
	return was
}

// HoldTable locks a table, as a command at it does, until release is called.
func (h *House) HoldTable(name string) (release func()) {
	s := h.tables[name]
	s.Lock()
	return s.Unlock
}

// Known returns the state of a house, as text that can be compared: each line about one thing.
func (h *House) Known() (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for name, s := range inOrder(h.tables) {
		s.Lock()
		state, err := table.Snapshot(s.state)
		say("table %s: version %d, rules %s, %s, %v: %s %v", name, s.version, s.Variant.Hash(), s.Mode, s.Pace, state, err)
		for _, of := range *s.periods.Load() {
			say("table %s: from round %d: %s %s %v", name, of.from, of.Variant.Hash(), of.Mode, of.Pace)
		}
		status := s.published.Load()
		say("table %s: shown at version %d with %s on it, next %t, stopped %v", name, status.Version, status.State.OnLayout(), status.Next != nil, status.Stopped)
		if s.seeds != nil {
			say("table %s: seeds %+v, version %d of %d, shown %+v", name, s.seeds.state, s.seeds.version, s.seeds.committed, *s.seeds.published.Load())
		}
		s.Unlock()
	}
	for name, p := range inOrder(h.jackpots) {
		p.Lock()
		state, err := jackpot.Snapshot(p.state)
		say("jackpot %s: version %d, shown %d: %s %v", name, p.version, p.published.Load().version, state, err)
		p.Unlock()
	}
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	for account, held := range h.book {
		if held != 0 || h.durable[account] != 0 {
			say("%s holds %d and %d", account, held, h.durable[account])
		}
	}
	for name, g := range h.guard.players {
		p := &g.Player
		if kept, ok := p.Keep(name); ok {
			line, err := json.Marshal(kept)
			say("protection of %s: %s %v", name, line, err)
		}
	}
	for name, all := range h.guard.reserved {
		say("reserved at %s: %v", name, all)
	}
	for id, one := range h.admin.proposals.open {
		written, err := Proposals.Write(one.Proposal)
		say("proposal %d of %v at %d waits: %s %v %v", id, one.By, one.AtMs, written.Body, one.Before, err)
	}
	for id, how := range h.admin.proposals.decided {
		say("proposal %d was %s", id, how)
	}
	say("the last proposal is %d, adjusted %v", h.admin.proposals.last, h.admin.proposals.since)
	say("software %+v, late %+v, moved %+v", h.admin.software, h.admin.late, h.whereabouts.Moved)
	say("the house: version %d, protection %d", h.admin.stream.version, h.guard.version)
	slices.Sort(lines)
	return lines
}

// WaitingAt counts the commands that came to a table and are not answered.
func (h *House) WaitingAt(name string) int64 {
	s, err := h.runner(name)
	if err != nil {
		panic(err)
	}
	return s.waiting.Load()
}

// MostAtTable is the number of commands that may wait at one table.
const MostAtTable = mostAtTable

// NotApplied reports whether a house that is opened has nothing that it does with an event.
func (h *House) NotApplied(e OwnEvent) bool { return errors.Is(h.apply(e, 0), errNotApplied) }

// Undecided reports whether nobody has decided for how long an event of the house's own stream
// counts for a house that is opened again.
func Undecided(e OwnEvent) bool {
	var f ownFold
	f.add(Event{Kind: e.ownKind()}, e, 0)
	_, undecided := f.events[fmt.Sprintf("event %d", f.version)]
	return undecided
}

// Apply takes an event of the house's own stream into account, as a house that is opened does.
func (h *House) Apply(e OwnEvent) error { return h.apply(e, 0) }

// MovementOf returns what a transaction did to an account, as limits count it.
var MovementOf = movementOf
