package house

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trey/internal/house/internal/opaque"
	"trey/internal/house/proof"
	"trey/internal/people"
	"trey/internal/record"
	"trey/internal/tree"
	"trey/jackpot"
	"trey/sentence"
	"trey/table"
)

// The errors of [House.Round].
var (
	// ErrNoRound: the table has not played that round.
	ErrNoRound = errors.New("there is no such round")
	// ErrRoundOpen: the round is being played, and what it is dealt from is not
	// known to anybody.
	ErrRoundOpen = errors.New("the round is being played: its record can be had when it has ended")
)

// RoundRecord is the record of a round as it is handed out.
type RoundRecord struct {
	proof.Head
	// Seq is the transaction whose leaf commits to it: the last of the round.
	Seq int64
	// Text is the document.
	Text []byte
}

// Round returns the record of a round that has ended, which can be verified apart
// from the house. Errors of the last round can still be found until the next one
// begins; its record then has more steps.
//
// It holds the names of all who played and every card of the round, whoever saw
// it: the seed that it reveals tells them anyway.
func (h *House) Round(ctx context.Context, name string, n int) (*RoundRecord, error) {
	s, err := h.runner(name)
	if err != nil {
		return nil, err
	}
	open := sentence.Errorf("table %s, round %d: %s", name, n, ErrRoundOpen)
	if status := s.published.Load(); status.State.Round() == n && status.State.Phase().InRound() {
		return nil, open
	}
	s.Lock()
	f, err := s.fold(h.rules)
	s.Unlock()
	if err != nil {
		return nil, err
	}
	t, err := h.readText(ctx, reader{h.raw, itself}, f, n, true)
	if err != nil {
		return nil, err
	}
	if t.head.Ended == "" {
		return nil, open
	}
	committed, err := t.text()
	if err != nil {
		return nil, err
	}
	proven, err := h.proofOf(ctx, t.seq)
	if err != nil {
		return nil, fmt.Errorf("table %s, round %d: the proof of its record: %w", name, n, err)
	}
	names, err := h.namesIn(committed)
	if err != nil {
		return nil, err
	}
	text, err := proof.Finish(committed, names, h.world.Software, proven)
	return &RoundRecord{Head: t.head, Seq: t.seq, Text: text}, err
}

// proofOf returns the proof that the leaf of a transaction which commits to a record is in
// the log, empty where nothing is signed. Where no signed checkpoint holds it yet, one is
// signed.
func (h *House) proofOf(ctx context.Context, seq int64) (string, error) {
	if h.world.Notary == nil {
		return "", nil
	}
	signed, err := h.world.Notary.Covering(seq)
	if err != nil {
		return "", err
	}
	p := tree.Proof{Leaf: seq, Note: string(signed)}
	_, head, err := p.Checkpoint()
	if err != nil {
		return "", err
	}
	err = h.store.Leaves(ctx, seq-1, func(leaf Leaf) error {
		opening, ok := leaf.Line.Opening(leaf.Salt)
		if !ok || leaf.Seq != seq {
			return fmt.Errorf("%w: transaction %d does not commit to the record of a round", ErrCorrupt, seq)
		}
		p.Extra = opening.Extra()
		return errPageFull
	})
	if !errors.Is(err, errPageFull) {
		return "", err
	}
	if p.Hashes, err = tree.NodesOf(ctx, h.store).Inclusion(seq, head.Size); err != nil {
		return "", err
	}
	return p.String(), nil
}

// namesIn returns the names of the persons in a text by their numbers, those that were not
// erased.
func (h *House) namesIn(text []byte) (map[string]string, error) {
	names := map[string]string{}
	_, err := people.Rename(text, func(token string) string {
		if name := h.store.Directory().Name(token); name != token {
			names[token] = name
		}
		return token
	})
	return names, err
}

// textFor returns the text of a table's rounds so far, which is read where it is not
// known. The table is locked.
func (h *House) textFor(ctx context.Context, s *tableRunner, do table.Action) (written *roundText, err error) {
	if s.text != nil {
		return s.text, nil
	}
	defer func() {
		if errors.Is(err, ErrFailed) {
			err = h.fail(err) // it was read before anything was in line, so nobody else says so
		}
	}()
	f, err := s.fold(h.rules)
	if err != nil {
		return nil, err
	}
	from := reader{h.store, h.token}
	if _, opens := do.(table.OpenBets); s.state.Round == 0 || opens && !s.state.Phase.InRound() {
		// Nothing is corrected of a round before: only what the next one has to do with so
		// far is read.
		return h.readText(ctx, from, f, s.state.Round+1, false)
	}
	s.text, err = h.readText(ctx, from, f, s.state.Round, true)
	return s.text, err
}

// EndedStep is a complete transaction of a round that has ended. By then the seed of the round,
// or the cards that were read, are open to everybody who may search for rounds.
type EndedStep struct {
	Seq, AtMs         int64
	By, Role, Command string
	Events            []table.Event
	State             table.State // after them
}

// Ended hands out the transactions of a round that has ended, in order. It refuses with
// [ErrRoundOpen] while the round is in play.
func (h *House) Ended(ctx context.Context, name string, round int, yield func(*EndedStep) error) error {
	s, err := h.runner(name)
	if err != nil {
		return err
	}
	begins, err := h.mark(ctx, name, tableStream(name), round)
	if err != nil {
		return err
	}
	if now := s.published.Load().State; now.Round() < round || now.Round() == round && now.Phase().InRound() {
		return sentence.Errorf("table %s, round %d: %s", name, round, ErrRoundOpen)
	}
	err = h.EventsSince(ctx, Topic{Table: name}, begins.Seq-1, func(n *Notice) error {
		if n.Round != round {
			return errNextRound
		}
		return yield(&EndedStep{
			Seq: n.Seq, AtMs: n.AtMs, By: n.Cause.By, Role: n.Cause.Role, Command: n.Cause.Kind,
			Events: opaque.RawEvents(n.Events), State: *opaque.Raw(n.State),
		})
	})
	if errors.Is(err, errNextRound) {
		return nil
	}
	return err
}

// errNextRound ends the reading of a round.
var errNextRound = errors.New("the next round begins")

// reader is from where a text is read: a store, and what stands in the record for whoever
// stands in the store.
type reader struct {
	Store
	token func(name string) string
}

// itself returns a person's token unchanged, for a store that is read as it is recorded.
func itself(token string) string { return token }

// readText reads the text of a round of a table, given as a fold at its beginning. Where
// the round has not begun, it reads what it has to do with so far.
func (h *House) readText(ctx context.Context, store reader, f *tableFold, n int, begun bool) (*roundText, error) {
	of := &f.of.Table
	reading := textReading{store: store, text: newRoundText(of, store.token), jackpot: &jackpotFold{name: of.Jackpot}}
	from := int64(0)
	if begun {
		mark, err := h.mark(ctx, of.Name, tableStream(of.Name), n)
		if err != nil {
			return nil, err
		}
		if err := f.through(ctx, store, mark.Seq, n); err != nil {
			return nil, err
		}
		reading.begun, from = &f.state, mark.Seq
	}
	if of.seeded() {
		mark, err := h.mark(ctx, of.Name, dealStream(of.Name), n)
		if err != nil {
			return nil, err
		}
		if !begun || mark.Seq < from {
			from = mark.Seq
		}
	} else if !begun {
		return reading.text, nil
	}
	// The round is read first, because the text needs the jackpot as it was read too. A read
	// within a read holds one connection of the store and takes a second. With as many of them
	// at once as there are connections, all would wait for each other, and everybody else for
	// them.
	var round []StoredTransaction
	err := store.ReadAll(ctx, from-1, tableStream(of.Name), func(e StoredTransaction) error {
		if beginsAfter(&e, n) {
			return errNextRound
		}
		round = append(round, e)
		return nil
	})
	if err != nil && !errors.Is(err, errNextRound) {
		return nil, err
	}
	for i := range round {
		if err := reading.add(ctx, &round[i]); err != nil {
			return nil, err
		}
	}
	return reading.text, nil
}

// beginsAfter reports whether a round of the table later than n begins with a transaction.
func beginsAfter(e *StoredTransaction, n int) bool {
	return slices.ContainsFunc(e.Parts, func(p StreamAppend) bool {
		kind, _, _ := strings.Cut(p.Stream, ":")
		return kind == tableKind && p.Round > n
	})
}

// ThisRound passes on the notices of the round that a table is in or was in last, in their
// order: none where there was no round yet.
func (h *House) ThisRound(ctx context.Context, name string, yield func(*Notice) error) error {
	first := int64(-1)
	err := h.store.Rounds(ctx, tableStream(name), 0, 1, func(m RoundMark) error {
		first = m.Seq
		return nil
	})
	if err != nil || first < 0 {
		return err
	}
	return h.EventsSince(ctx, Topic{Table: name}, first-1, yield)
}

// mark finds where a round begins in a stream of a table.
func (h *House) mark(ctx context.Context, name, stream string, n int) (found RoundMark, err error) {
	err = h.store.Rounds(ctx, stream, n+1, 1, func(m RoundMark) error { found = m; return nil })
	if err == nil && (found.Round != n || n < 1) {
		err = sentence.Errorf("table %s, round %d: %s", name, n, ErrNoRound)
	}
	return found, err
}

// through takes the fold from the beginning to the transaction that opens a round.
func (f *tableFold) through(ctx context.Context, store Store, seq int64, n int) error {
	found := f.restore(ctx, store, seq)
	err := store.ReadAll(ctx, found.from(), tableStream(f.of.Name), func(e StoredTransaction) error {
		if e.Seq > seq {
			return errNextRound
		}
		_, err := f.add(&e)
		return err
	})
	if err != nil && !errors.Is(err, errNextRound) {
		return err
	}
	if f.state.Round != n {
		return fmt.Errorf("%w: table %s, round %d does not begin where it should", ErrCorrupt, f.of.Name, n)
	}
	return nil
}

// seeded reports whether the house deals the cards of the table from seeds.
func (t *Table) seeded() bool { return t.Config.Cards == table.Virtual }

// textReading feeds the text of one round from a store.
type textReading struct {
	store Store
	text  *roundText
	// begun is the table when the bets of the round were opened.
	begun   *table.State
	jackpot *jackpotFold
	read    bool // the jackpot was
}

// add takes in the next transaction of the table.
func (r *textReading) add(ctx context.Context, e *StoredTransaction) error {
	led := outcome{state: r.begun}
	for i := range e.Parts {
		p := &e.Parts[i]
		if kind, _, _ := strings.Cut(p.Stream, ":"); kind == jackpotKind {
			if r.text.head.Round == 0 && !beginsAfter(e, 0) {
				continue // of the round before
			}
			was, err := r.jackpotAt(ctx, e.Seq, p.After)
			if err != nil {
				return err
			}
			meter, err := r.jackpotAt(ctx, e.Seq, p.After+int64(len(p.Events)))
			if err != nil {
				return err
			}
			led.was, led.meter = &was, &meter
		}
	}
	text, err := r.text.with(e, led)
	if err == nil {
		err = text.post(e.Postings)
	}
	if err != nil {
		return err
	}
	text.number(e.Seq)
	r.text = text
	return nil
}

// jackpotAt returns the jackpot as it was at a version of its stream, which a transaction of
// that number read.
func (r *textReading) jackpotAt(ctx context.Context, seq, version int64) (jackpot.State, error) {
	if !r.read {
		r.jackpot.restore(ctx, r.store, seq-1)
		r.read = true
	}
	err := r.jackpot.advance(ctx, r.store, version)
	return r.jackpot.state, err
}

// advance takes a jackpot on to a version of its stream.
func (f *jackpotFold) advance(ctx context.Context, store Store, to int64) error {
	if f.version >= to {
		return nil
	}
	err := store.Read(ctx, jackpotStream(f.name), f.version, func(r StoredEvent) error {
		e, err := record.JackpotEvents.Read(r.Event)
		if err == nil {
			f.state, err = jackpot.Evolve(f.state, e)
		}
		if f.version = r.Version; err == nil && f.version == to {
			err = errPageFull
		}
		return err
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return Corrupt(err, "jackpot %s, event %d", f.name, f.version)
	}
	return nil
}
