package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"trey/internal/house/access"
	"trey/rules"
	"trey/table"
)

// Restored says that the house goes on from a copy of its record, under a tree of its own. It
// does not have what the old record held beyond the copy.
type Restored struct {
	// By is the first of the two people who decided it.
	By access.Person `json:"by"`
	// And is the second of them.
	And access.Person `json:"and"`
	// Why is their reason.
	Why string `json:"why"`
	// Name is the tree that the copy belongs to.
	Name string `json:"tree"`
	// Through is the last transaction of that tree in the copy.
	Through int64 `json:"through"`
	// Known is the last transaction that is known to have been signed under that name, zero
	// if none is.
	Known int64 `json:"known,omitempty"`
	// Checkpoint is the signed checkpoint that covers it, empty if none is known.
	Checkpoint string `json:"checkpoint,omitempty"`
}

// ErrOnePerson refuses what takes two people.
var ErrOnePerson = errors.New("this takes two people: an administrator and a shift manager")

// Check refuses, with [ErrOnePerson], a decision of other people than these two.
func (r *Restored) Check() error {
	pair := map[access.Role]bool{r.By.Role: true, r.And.Role: true}
	if r.By.Name == r.And.Name || !pair[access.Administrator] || !pair[access.ShiftManager] {
		return ErrOnePerson
	}
	return nil
}

// manager returns the shift manager of the two.
func (r *Restored) manager() access.Person {
	if r.By.Role == access.ShiftManager {
		return r.By
	}
	return r.And
}

// restoration is the actor that ends everything with which a house that goes on from a copy
// must not go on.
var restoration = access.Person{Name: "the restoration", Role: access.ShiftManager}

// Restore records that the house goes on from a copy, before anybody is let in. What waits
// for a second person is declined. Every seed that is committed to is revealed and replaced by
// a new one where a player could still act on it. The old record may have revealed it already,
// after the copy was made. A round in which somebody can bet or decide is void then, under the
// book's clause for what it does not provide for. Any other round that was dealt has ended, or
// goes on, by its clause: [Open] has seen to that.
//
// Where the rules or a question to somebody else stand against it, the round is left as it is,
// and returned with the reason in Refused.
func (h *House) Restore(ctx context.Context, r Restored) (left []Interruption, err error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if err := h.recordRestoration(ctx, r); err != nil {
		return nil, err
	}
	// In what the copy lacks they may have been approved, and what was asked for was done.
	for _, asked := range h.Proposals() {
		if err := h.Decline(ctx, "", r.manager(), asked.ID, r.Why); err != nil {
			return nil, fmt.Errorf("decline proposal %d: %w", asked.ID, err)
		}
	}
	for name, s := range inOrder(h.tables) {
		err := h.replaceSeedOf(ctx, s, &r)
		var refusal *table.Refusal
		if errors.As(err, &refusal) {
			left = append(left, Interruption{Table: name, Round: s.state.Round, Phase: s.state.Phase, Refused: err})
		} else if err != nil {
			return nil, fmt.Errorf("replace the seed of %s: %w", name, err)
		}
	}
	return left, h.Fault()
}

// replaceSeedOf replaces the seed of a table. One that a fault had stopped is released for
// that, and stopped again: whoever releases it later plays on from a seed that nobody knows.
// Nobody else is there yet.
func (h *House) replaceSeedOf(ctx context.Context, s *tableRunner, r *Restored) error {
	if s.seeds == nil || s.stopped == nil {
		return h.replaceSeed(ctx, s, r)
	}
	by, stop := r.manager(), s.stopped.stop
	tx, _, err := h.begin(ctx, "", by, s.Name, ReleaseTable{Why: r.Why})
	if err != nil {
		return err
	}
	since, err := h.releaseTable(ctx, s, tx, TableReleased{Table: s.Name, By: by, Why: r.Why})
	if err != nil {
		return err
	}
	stop.AtMs = h.world.NowMs()
	if s.state.OnLayout() != 0 {
		if _, err := h.interrupt(ctx, s, max(0, stop.AtMs-since)); err != nil {
			return err
		}
	}
	replaced := h.replaceSeed(ctx, s, r)
	stop.Round = s.state.Round
	s.halt(stop, stop.Fault.Err())
	h.recordStop(s, stop)
	s.show()
	return cmp.Or(replaced, h.Fault())
}

func (h *House) recordRestoration(ctx context.Context, r Restored) error {
	tx, _, err := h.begin(ctx, "", r.By, "", Restore{})
	if err != nil {
		return err
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	return h.recordAdminEvent(tx, r, func(*Notice) {})
}

// replaceSeed reveals the seed that is committed to at a table where somebody could still bet
// or decide with it. It does so at the end of the round, or without a round, by a round in
// which nobody can bet. Nobody else is there yet.
func (h *House) replaceSeed(ctx context.Context, s *tableRunner, r *Restored) error {
	if s.seeds == nil {
		return nil
	}
	type step struct {
		by access.Person
		do table.Action
	}
	steps := []step{{restoration, table.CloseTable{Anew: true}}}
	void := step{r.manager(), table.Answer{Answer: "void"}}
	switch {
	case (s.state.Phase == table.Deciding || s.state.Phase == table.Showing) && s.state.Question == nil && len(s.state.Awaited()) == 0:
		return nil // its outcome stands
	case s.state.Question != nil:
		steps = []step{void}
	case s.state.OnLayout() != 0:
		steps = []step{{restoration, table.Report{Incident: rules.Uncovered}}, void}
	case s.state.Phase == table.Betting:
	case s.state.Phase == table.Closed:
		steps = []step{{restoration, table.OpenTable{}}, {restoration, table.OpenBets{}}, {restoration, table.CloseTable{}}}
	default:
		steps = []step{{restoration, table.OpenBets{}}, {restoration, table.CloseTable{Anew: true}}}
	}
	before := s.seeds.state.Commitment
	for _, next := range steps {
		if s.seeds.state.Commitment != before {
			break // a ruling has it void without a person
		}
		if _, err := h.continueAt(ctx, s, next.by.Actor(), next.by.Role.String(), next.do); err != nil {
			return err
		}
	}
	return nil
}
