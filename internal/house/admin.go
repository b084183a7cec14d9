package house

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/table"
)

// adminState holds what is decided about the house itself. Its lock guards the
// house's own stream and is held until a decision is durable. Whoever needs the
// lock of a table too takes that first; those of jackpots and books come after.
type adminState struct {
	sync.Mutex
	// stream is the house's own stream.
	stream    ownFold
	proposals proposals
	// software is the result of the latest check, nil before the first one.
	software *SoftwareChecked
	// late is the delay of the stream of significant events that was recorded last.
	late *StreamLate
	// drain is [House.draining] as it was last recorded; nil is the zero value.
	drain atomic.Pointer[DrainState]
}

// appendAdminEvent puts an event of the house's own stream into a transaction, before the
// parts that it has. h.admin is locked.
func (h *House) appendAdminEvent(tx *Transaction, recorded ...OwnEvent) error {
	part, err := h.admin.stream.part(recorded, tx.AtMs)
	if err != nil {
		return err
	}
	tx.Parts = append([]StreamAppend{part}, tx.Parts...)
	return nil
}

// awaitAdminEvent waits for a transaction with an event of the house's own stream.
// h.admin is locked.
func (h *House) awaitAdminEvent(inLine ticket, show func(*Notice)) (int64, error) {
	return h.awaitDurable(inLine, func(n *Notice) {
		if err := h.admin.stream.took(inLine.tx); err != nil {
			_ = h.stop(err) // it was read before it was recorded
		}
		h.addRecorded(n.ownEvents)
		show(n)
	})
}

// recordAdminEvent records an event of the house's own stream that moves no money. h.admin is
// locked; show is that of [House.awaitDurable].
func (h *House) recordAdminEvent(tx *Transaction, e OwnEvent, show func(*Notice)) error {
	if err := h.appendAdminEvent(tx, e); err != nil {
		return err
	}
	inLine, err := h.enqueue(tx, nothingMoves)
	if err != nil {
		return err
	}
	_, err = h.awaitAdminEvent(inLine, show)
	return err
}

// ErrClosing: the house begins no new rounds, and takes no bet in one that nobody
// has bet in yet.
var ErrClosing = errors.New("the house is closing: rounds in play are finished, and no new ones begin")

// begins reports whether a command begins something that a closing house would have to wait
// for. It is a round, or the first bet in a round.
func begins(s *table.State, do table.Action) bool {
	switch do.(type) {
	case table.OpenBets:
		return true
	case table.Bet, table.Found:
		return s.Phase == table.Betting && s.OnLayout() == 0
	default:
		return false
	}
}

// Drain lets no new rounds begin. Those in play go on to their end. It is for a
// planned stop and holds until [House.Undrain], or until the house is opened again.
func (h *House) Drain(ctx context.Context, key string, by access.Person) error {
	if err := by.Check(access.DrainHouse); err != nil {
		return err
	}
	return h.drain(ctx, key, true, by, by.Role.String())
}

// Undrain lets rounds begin again.
func (h *House) Undrain(ctx context.Context, key string, by access.Person) error {
	if err := by.Check(access.DrainHouse); err != nil {
		return err
	}
	return h.drain(ctx, key, false, by, by.Role.String())
}

// CloseDown drains the house as [House.Drain] does, in the name of the house itself: the
// program was asked to stop.
func (h *House) CloseDown(ctx context.Context) error {
	return h.drain(ctx, "", true, access.Person{Name: keeper.Name}, keeperRole)
}

// Draining reports whether it is recorded that no new rounds begin.
func (h *House) Draining() bool { return h.DrainState().Draining }

// DrainState says whether new rounds begin, and as of which event of the house's own stream.
type DrainState struct {
	Draining bool  `json:"draining"`
	Version  int64 `json:"version"`
}

// DrainState returns whether it is recorded that no new rounds begin. A house that is opened
// begins rounds, whatever was recorded before.
func (h *House) DrainState() DrainState {
	if s := h.admin.drain.Load(); s != nil {
		return *s
	}
	return DrainState{}
}

// NoteDrain takes in what the process that writes says, at a house that [OpenReading] opened:
// no event says that the writer was opened anew. What is read here already counts, if it is
// newer.
func (h *House) NoteDrain(s DrainState) {
	for {
		before := h.admin.drain.Load()
		if before != nil && before.Version > s.Version || h.admin.drain.CompareAndSwap(before, &s) {
			return
		}
	}
}

// drain lets no new rounds begin, or where to is false lets them begin again.
func (h *House) drain(ctx context.Context, key string, to bool, by access.Person, role string) error {
	var command any = Undrain{}
	var e OwnEvent = Resumed{By: by.Name, Role: role}
	if to {
		command, e = Drain{}, Drained{By: by.Name, Role: role}
	}
	cause, err := causeOf(by, "", command)
	if err != nil {
		return err
	}
	cause.Role = role
	tx, repeated, err := h.claim(ctx, key, by, cause)
	if err != nil || repeated != nil {
		return err
	}
	defer h.release(tx.Key)
	h.admin.Lock()
	defer h.admin.Unlock()
	if h.Draining() == to {
		return h.nothing(tx)
	}
	state := DrainState{to, h.admin.stream.version + 1}
	if err := h.appendAdminEvent(tx, e); err != nil {
		return err
	}
	inLine, err := h.enqueue(tx, func(ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		// At this place in the record, so that no round begins behind it.
		h.draining = to
		return nil, nil, nil
	})
	if err != nil {
		return err
	}
	_, err = h.awaitAdminEvent(inLine, func(*Notice) { h.admin.drain.Store(&state) })
	return err
}

// nothing records a request about the house itself that had no effect. It must still have none
// when it arrives again, whatever has been decided since. h.admin is locked.
func (h *House) nothing(tx *Transaction) error {
	if tx.Key == "" {
		return nil // It cannot arrive again.
	}
	tx.Parts = []StreamAppend{{Stream: houseStream, After: h.admin.stream.version}}
	inLine, err := h.enqueue(tx, nothingMoves)
	if err != nil {
		return err
	}
	_, err = h.awaitDurable(inLine, func(*Notice) {})
	return err
}
