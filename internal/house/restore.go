package house

import (
	"context"
	"errors"
	"fmt"

	"trey/internal/house/access"
	"trey/rules"
	"trey/table"
)

// Restored says that the house goes on from a copy of its record, under a tree of its
// own: what the record before it held beyond the copy is not in it.
type Restored struct {
	// By and And are the two people who decided it, and Why is their reason.
	By  access.Person `json:"by"`
	And access.Person `json:"and"`
	Why string        `json:"why"`
	// Name is the tree that the copy belongs to, and Through its last transaction in
	// the copy.
	Name    string `json:"tree"`
	Through int64  `json:"through"`
	// Known is the last transaction that is known to have been signed under that name,
	// and Checkpoint the signed checkpoint; zero and empty where none is known.
	Known      int64  `json:"known,omitempty"`
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
// for a second person is declined. Every
// seed that is committed to and that no card was dealt from is revealed and replaced by
// a new one: in what the copy lacks it may have been revealed already. A round with
// bets on it is void then, under the book's clause for what it does not provide for. A
// round that was dealt has ended, or goes on, by its clause: [Open] has seen to that.
func (h *House) Restore(ctx context.Context, r Restored) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := h.recordRestoration(ctx, r); err != nil {
		return err
	}
	// In what the copy lacks they may have been approved, and what was asked for was done.
	for _, asked := range h.Proposals() {
		if err := h.Decline(ctx, "", r.manager(), asked.ID, r.Why); err != nil {
			return fmt.Errorf("decline proposal %d: %w", asked.ID, err)
		}
	}
	for name, s := range inOrder(h.tables) {
		if err := h.replaceSeed(ctx, s, &r); err != nil {
			return fmt.Errorf("replace the seed of %s: %w", name, err)
		}
	}
	return h.Fault()
}

func (h *House) recordRestoration(ctx context.Context, r Restored) error {
	cause, err := causeOf(r.By, "", Restore{})
	if err != nil {
		return err
	}
	tx, _, err := h.claim(ctx, "", cause)
	if err != nil {
		return err
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	if err := h.appendAdminEvent(tx, r); err != nil {
		return err
	}
	inLine, err := h.enqueue(tx, nothingMoves)
	if err != nil {
		return err
	}
	_, err = h.awaitAdminEvent(inLine, func(*Notice) {})
	return err
}

// replaceSeed reveals the seed that is committed to at a table where no card has been
// dealt from it: by the end of the round, or where there is none, by a round in which
// nobody can bet. Nobody else is there yet.
func (h *House) replaceSeed(ctx context.Context, s *tableRunner, r *Restored) error {
	type step struct {
		by access.Person
		do table.Action
	}
	steps := []step{{restoration, table.CloseTable{Anew: true}}}
	switch {
	case s.seeds == nil || s.stopped != nil || s.state.Phase.InRound() && len(s.state.Slots) > 0:
		return nil
	case s.state.OnLayout() != 0:
		steps = []step{{restoration, table.Report{Incident: rules.Uncovered}}, {r.manager(), table.Answer{Answer: "void"}}}
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
		if _, err := h.goOn(ctx, s, next.by.Actor(), next.by.Role.String(), next.do); err != nil {
			return err
		}
	}
	return nil
}
