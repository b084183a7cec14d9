package house

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/shuffle"
	"trey/table"
)

// seeds are those of a virtual table: the one that is committed to and what is
// recorded of it. They change with the table, under its lock.
type seeds struct {
	state fair.State
	// secret is the seed of the round that is committed to.
	secret shuffle.Seed
	// version and sealed are those of the two streams, and committed is the transaction
	// that published the commitment.
	version, sealed, committed int64
	// published is the state as it was last recorded, for those who only look.
	published atomic.Pointer[fair.State]
}

// seedChange is the change that a transaction makes to the seeds of its table.
type seedChange struct {
	state  fair.State
	secret shuffle.Seed
	public []fair.Event
	sealed []fair.Event
}

// after returns the change of the seeds that follows from the given state. At the end of a
// round its seed is revealed, and the same transaction commits to that of the next one. A
// commitment is thus public before bets can be placed. It returns nil otherwise.
func (h *House) after(s *tableRunner, to *table.State) (*seedChange, error) {
	if s.seeds == nil || s.seeds.state.Round > to.Round || to.Phase.InRound() {
		return nil, nil
	}
	return h.nextSeed(s.seeds.state, s.seeds.secret)
}

// nextSeed reveals the seed of a round, if there was one, and commits to the next.
func (h *House) nextSeed(of fair.State, secret shuffle.Seed) (*seedChange, error) {
	next := &seedChange{state: of, secret: h.world.Seed()}
	if of.Open {
		next.public = append(next.public, fair.Revealed{Round: of.Round, Seed: secret})
	}
	round := of.Round + 1
	next.public = append(next.public, fair.Committed{Round: round, Commitment: fair.Commit(of.Table, round, next.secret)})
	sealed, err := h.world.Sealer.Seal(of.Table, round, next.secret)
	if err != nil {
		return nil, err
	}
	next.sealed = []fair.Event{sealed}
	for _, e := range next.public {
		if next.state, err = fair.Evolve(next.state, e); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// record puts the events of the change into a transaction.
func (n *seedChange) record(tx *Transaction, d *seeds) error {
	if n == nil {
		return nil
	}
	name := n.state.Table
	for _, of := range []struct {
		stream string
		after  int64
		events []fair.Event
	}{{dealStream(name), d.version, n.public}, {sealedStream(name), d.sealed, n.sealed}} {
		if len(of.events) == 0 {
			continue
		}
		part := StreamAppend{Stream: of.stream, After: of.after}
		if len(n.sealed) > 0 {
			part.Round = n.state.Round // it is found by the round that it commits to
		}
		var err error
		if part.Events, err = encodeFair(of.events); err != nil {
			return err
		}
		tx.Parts = append(tx.Parts, part)
	}
	return nil
}

// relies reports whether somebody who asks for this relies upon the deck's being fixed.
func relies(do table.Action) bool {
	switch do.(type) {
	case table.Bet, table.Found:
		return true
	default:
		return false
	}
}

// lockCovered locks a table. If somebody is to rely upon the commitment to its deck, it first
// waits for a signed checkpoint that holds the commitment, and returns it for the table to
// record. The house cannot claim later that it committed to another. Nobody waits for it under
// the lock.
func (h *House) lockCovered(s *tableRunner, relied bool) (*seedChange, error) {
	for {
		s.Lock()
		if s.seeds == nil || !relied || h.world.Notary == nil || s.seeds.state.Covered {
			return nil, nil
		}
		round, committed := s.seeds.state.Round, s.seeds.committed
		s.Unlock()
		note, err := h.world.Notary.Covering(committed)
		if err != nil {
			return nil, fmt.Errorf("no bet and no seed is taken before the commitment of round %d is signed: %w", round, err)
		}
		s.Lock()
		if s.seeds.state.Round != round || s.seeds.state.Covered {
			s.Unlock()
			continue // somebody else was sooner
		}
		e := fair.Covered{Round: round, Checkpoint: string(note)}
		covered := &seedChange{secret: s.seeds.secret, public: []fair.Event{e}}
		if covered.state, err = fair.Evolve(s.seeds.state, e); err != nil {
			s.Unlock()
			return nil, err
		}
		return covered, nil
	}
}

// follow takes over what was recorded by a transaction.
func (d *seeds) follow(n *seedChange, seq int64) {
	if n == nil {
		return // of a table without seeds, too
	}
	if n.state.Round != d.state.Round {
		d.committed = seq
	}
	d.state, d.secret = n.state, n.secret
	d.version += int64(len(n.public))
	d.sealed += int64(len(n.sealed))
	d.published.Store(&n.state)
}

// deal puts cards into a deal at a virtual table: those of the deck that was
// committed to, in its order.
func (h *House) deal(s *tableRunner, do table.Action) (table.Action, error) {
	deal, ok := do.(table.Deal)
	if !ok || s.seeds == nil {
		return do, nil
	}
	of := &s.seeds.state
	return fill(&s.state, deal, func(dealt card.Set, n int) []card.Card {
		return fair.Next(h.shuffle(fair.DeckSeed(of.Commitment, s.seeds.secret, h.numbered(of.Own))), dealt, n)
	})
}

// numbered returns the seeds of players as they are recorded, with the numbers of the players.
// The deck thus follows from the record, and not from names that can be erased.
func (h *House) numbered(playerSeeds []fair.Own) []fair.Own {
	recorded := slices.Clone(playerSeeds)
	for i := range recorded {
		recorded[i].Player, _ = h.store.Directory().Token(playerSeeds[i].Player)
	}
	return recorded
}

// fill puts cards into a deal at a virtual table, the next ones of those that have
// not been dealt.
func fill(s *table.State, deal table.Deal, next func(dealt card.Set, n int) []card.Card) (table.Action, error) {
	n := len(deal.Cards)
	for i := range deal.Cards {
		if deal.Cards[i].Card != card.None {
			return nil, &table.Refusal{Reason: table.WrongCards, Detail: "the house deals the cards at this table: say only how many"}
		}
	}
	if n == 0 {
		n = len(s.ToCome())
	}
	var dealt card.Set
	for i := range s.Slots {
		dealt = dealt.With(s.Slots[i].Card)
	}
	drawn := make([]table.Drawn, n)
	copy(drawn, deal.Cards)
	for i, c := range next(dealt, n) {
		drawn[i].Card = c
	}
	deal.Cards = drawn
	return deal, nil
}

// AddSeed adds a player's own seed to the round of a virtual table that is committed to, or
// replaces the player's last one. Any player can do so until the bets of that round are closed,
// with a bet or without. Where all places are taken, players who have bet take them from those
// who have not. A seed that names its round comes into the deck of that round or of none,
// however late the request arrives; zero stands for the round whose deck comes next. An
// [*access.Denied] says that the person does not play, a [*table.Refusal] why it cannot be
// done, as where [fair.CheckText] refuses the text; otherwise the number of the transaction is
// reported.
func (h *House) AddSeed(ctx context.Context, key string, by access.Person, name string, round int, text string) (seq int64, err error) {
	if err := by.Check(access.Play); err != nil {
		return 0, err
	}
	s, err := h.runner(name)
	if err != nil {
		return 0, err
	}
	if err := nameable(by.Name); err != nil {
		return 0, err
	}
	// A text that cannot be recorded unchanged must not come into the hash of the command
	// either.
	if err := fair.CheckText(text); err != nil {
		return 0, &table.Refusal{Reason: table.Malformed, Detail: err.Error()}
	}
	tx, repeated, err := h.begin(ctx, key, by, name, proof.AddSeed{Text: text})
	if err != nil {
		return 0, err
	}
	if repeated != nil {
		return repeated.Seq, nil
	}
	defer h.release(tx.Key)
	covered, err := h.lockCovered(s, true)
	if err != nil {
		return 0, err
	}
	defer s.Unlock()
	if err := h.checkRunning(s); err != nil {
		return 0, err
	}
	next, err := s.add(by.Name, round, text, covered)
	if err != nil {
		return 0, err
	}
	// An empty part says that the table is concerned.
	tx.Parts = []StreamAppend{{Stream: tableStream(name), After: s.version}}
	if err := next.record(tx, s.seeds); err != nil {
		return 0, err
	}
	tx.AtMs = h.world.NowMs()
	written, err := h.textFor(ctx, s, nil)
	if err != nil {
		return 0, err
	}
	if written, err = written.with(&StoredTransaction{AtMs: tx.AtMs, Cause: tx.Cause, Parts: tx.Parts}, outcome{}); err != nil {
		return 0, err
	}
	inLine, err := h.enqueue(tx, nothingMoves)
	if err != nil {
		return 0, err
	}
	return h.awaitDurable(inLine, func(n *Notice) {
		written.number(n.Seq)
		s.text = written
		s.seeds.follow(next, n.Seq)
		s.describe(n)
	})
}

// add decides upon a player's seed, which comes behind what is said of the commitment if
// that is new.
func (s *tableRunner) add(player string, round int, text string, covered *seedChange) (*seedChange, error) {
	switch {
	case s.seeds == nil:
		return nil, &table.Refusal{Reason: table.NotInGame, Detail: "the cards of this table are dealt by hand: no seed decides about them"}
	case round != 0 && round != s.seeds.state.Round:
		return nil, &table.Refusal{Reason: table.WrongPhase, Detail: fmt.Sprintf("the seed is for round %d, and the next deck is that of round %d: add another one to that round", round, s.seeds.state.Round)}
	case s.state.Phase.InRound() && s.state.Phase != table.Betting:
		return nil, &table.Refusal{Reason: table.WrongPhase, Detail: "the bets are closed, and with them the deck: add a seed to the next round when this one has ended"}
	}
	e, err := s.seeds.state.Add(player, text, s.state.HasBet)
	switch {
	case errors.Is(err, fair.ErrFull):
		return nil, &table.Refusal{Reason: table.AreaFull, Detail: err.Error()}
	case errors.Is(err, fair.ErrChanges):
		return nil, &table.Refusal{Reason: table.AlreadyDone, Detail: err.Error()}
	case err != nil:
		return nil, err
	}
	next := covered
	if next == nil {
		next = &seedChange{state: s.seeds.state, secret: s.seeds.secret}
	}
	next.public = append(next.public, e)
	next.state, err = fair.Evolve(next.state, e)
	return next, err
}

// Commitment returns the public facts about the seed of the next deal of a virtual table: the
// round, its commitment, and the seeds that players have added. It is that of the round in
// play, or else of the next one; ok is false at a table that has none.
func (h *House) Commitment(name string) (round int, hash fair.Hash, playerSeeds []fair.Own, ok bool) {
	s, err := h.runner(name)
	if err != nil || s.seeds == nil {
		return 0, fair.Hash{}, nil, false
	}
	seeds := s.seeds.published.Load()
	return seeds.Round, seeds.Commitment, seeds.Own, true
}

// readSeeds reads the events of a stream of seeds: all of them, or those from the
// latest commitment on. begin has what came before it: the round and the version.
func readSeeds(ctx context.Context, store Store, stream string, last *recordPosition, all bool, begin func(round int, version int64), add func(seq int64, e Event) error) error {
	var latest RoundMark
	if !all {
		if err := store.Rounds(ctx, stream, 0, 1, func(m RoundMark) error { latest = m; return nil }); err != nil {
			return err
		}
	}
	begin(max(0, latest.Round-1), latest.Version)
	return store.ReadAll(ctx, max(0, latest.Seq-1), stream, func(e StoredTransaction) error {
		last.saw(e.Seq, e.AtMs)
		for i := range e.Parts {
			if e.Parts[i].Stream != stream {
				continue
			}
			for _, event := range e.Parts[i].Events {
				if err := add(e.Seq, event); err != nil {
					return Corrupt(err, "%s, transaction %d", stream, e.Seq)
				}
			}
		}
		return nil
	})
}

// loadSeeds reads the seeds of a table back and checks them against the table. A round goes on
// with the deck that was committed to, and no other.
func (s *tableRunner) loadSeeds(ctx context.Context, store Store, sealer Sealer, last *recordPosition, all bool) error {
	if s.seeds == nil {
		return nil
	}
	d, past := s.seeds, 0
	err := readSeeds(ctx, store, dealStream(s.Name), last, all, func(round int, version int64) {
		d.state.Round, d.version, past = round, version, round
	}, func(seq int64, stored Event) error {
		d.version++
		e, err := fair.Events.Read(stored)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case fair.Revealed:
			if e.Round == past {
				return nil // of the round before, of which nothing else was read
			}
		case fair.Committed:
			d.committed = seq
		}
		d.state, err = fair.Evolve(d.state, e)
		return err
	})
	if err != nil {
		return err
	}
	due := s.state.Round
	if !s.state.Phase.InRound() {
		due++
	}
	if !d.state.Open || d.state.Round != due {
		return fmt.Errorf("%w: table %s needs the seed of round %d, and round %d is committed to", ErrCorrupt, s.Name, due, d.state.Round)
	}
	seeds := d.state
	d.published.Store(&seeds)
	if sealer == nil {
		return nil // whoever reads the house deals nothing
	}
	sealed := fair.Sealed{}
	err = readSeeds(ctx, store, sealedStream(s.Name), last, all, func(_ int, version int64) {
		d.sealed = version
	}, func(_ int64, stored Event) error {
		d.sealed++
		e, err := fair.Events.Read(stored)
		if err != nil {
			return err
		}
		var ok bool
		if sealed, ok = e.(fair.Sealed); !ok {
			return fmt.Errorf("%s is no sealed seed", stored.Kind)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if d.secret, err = opened(sealer, s.Name, sealed); err != nil {
		return err
	}
	if sealed.Round != due || fair.Commit(s.Name, due, d.secret) != d.state.Commitment {
		return fmt.Errorf("%w: the sealed seed of table %s is not the one committed to for round %d", ErrCorrupt, s.Name, due)
	}
	return nil
}

// opened returns the seed that was sealed. Before seeds were encrypted, the record
// kept them as they are.
func opened(sealer Sealer, name string, sealed fair.Sealed) (shuffle.Seed, error) {
	if sealed.Cipher == "" && sealed.Key == "" {
		return sealed.Seed, nil
	}
	seed, err := sealer.Open(name, sealed)
	switch {
	case errors.Is(err, fair.ErrNoKey):
		return seed, fmt.Errorf("the seed of round %d of table %s cannot be opened: %w", sealed.Round, name, err)
	case err != nil:
		return seed, Corrupt(err, "the seed of round %d of table %s", sealed.Round, name)
	}
	return seed, nil
}

// SealedKeys names, by table, the keys with which the seeds of rounds that have not ended are
// sealed. The name is empty for a seed from before seeds were encrypted.
type SealedKeys map[string]string

// SealedWith returns the keys with which the seeds of rounds that have not ended are
// sealed. A house can be opened with these and no fewer.
func SealedWith(ctx context.Context, store Store) (SealedKeys, error) {
	keys := SealedKeys{}
	_, err := readOwn(ctx, store, false, new(recordPosition), func(e OwnEvent, _ *countingEvent, _ bool) error {
		if t, ok := e.(TableInstalled); ok {
			keys[t.Name] = ""
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	tables := slices.Sorted(maps.Keys(keys))
	found := make([]string, len(tables))
	if err := sideBySide(store, len(tables), func(i int) error {
		if err := readSeeds(ctx, store, sealedStream(tables[i]), new(recordPosition), false, func(int, int64) {}, func(_ int64, stored Event) error {
			var err error
			found[i], err = sealedKey(stored)
			return err
		}); err != nil {
			return Corrupt(err, "the sealed seeds of table %s", tables[i])
		}
		return nil
	}); err != nil {
		return nil, err
	}
	for i, name := range tables {
		keys[name] = found[i]
	}
	return keys, nil
}

// sealedKey returns the name of the key by which an event seals a seed, empty where it seals none.
func sealedKey(stored Event) (string, error) {
	e, err := fair.Events.Read(stored)
	if err != nil {
		return "", err
	}
	sealed, _ := e.(fair.Sealed)
	return sealed.Key, nil
}

// Take takes in the seeds that the next transaction of the record seals.
func (k SealedKeys) Take(e *StoredTransaction) error {
	for i := range e.Parts {
		kind, name, _ := strings.Cut(e.Parts[i].Stream, ":")
		if kind != sealedKind {
			continue
		}
		for _, stored := range e.Parts[i].Events {
			key, err := sealedKey(stored)
			if err != nil {
				return Corrupt(err, "the sealed seeds of table %s", name)
			}
			k[name] = key
		}
	}
	return nil
}

// Names lists the names of the keys, each once and in order.
func (k SealedKeys) Names() []string {
	names := slices.Compact(slices.Sorted(maps.Values(k)))
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
