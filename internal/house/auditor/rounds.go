package auditor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"trey/internal/house"
)

// CheckRounds makes the record of every round once more from the transactions. It compares it
// with the commitment of the leaf that ends the round, and of each leaf that corrects it
// afterwards. This is done by the house's own code. Then it verifies the record, as whoever is
// given it does. Where there are snapshots, it holds them against what the transactions come
// to. An error says that the record cannot be read.
func CheckRounds(ctx context.Context, l Leaves) (found []Finding, err error) {
	check := newRoundCheck(l, nil)
	defer check.close()
	err = l.Leaves(ctx, 0, func(leaf house.Leaf) error {
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err != nil {
			return check.fault(leaf.Seq, err)
		}
		return check.add(ctx, &e)
	})
	if err != nil {
		return nil, err
	}
	if err := check.end(ctx); err != nil {
		return nil, err
	}
	return check.found, nil
}

// Users checks what is recorded about users and machines, such as identity.Checker does. It is
// given the parts of their stream in order, and a snapshot after the part that left it.
type Users interface {
	CheckCause(*house.Cause) error
	Follow(part *house.StreamAppend, atMs int64) error
	CheckSnapshot(house.Snapshot) error
}

// usersStream is the stream of users and machines.
const usersStream = "people"

// roundCheck makes the records of rounds once more, and verifies them.
type roundCheck struct {
	texts    *house.RoundTexts
	verified *verifying
	written  *snapshots
	found    []Finding
	close    func()
}

// newRoundCheck begins a check. Where the record has snapshots, they are checked too, those of
// users if there is somebody to do it.
func newRoundCheck(record any, users Users) *roundCheck {
	texts := house.NewRoundTexts()
	c := &roundCheck{texts: texts, verified: newVerifying(), written: &snapshots{texts: texts, users: users, last: map[string]int64{}}}
	c.close = sync.OnceFunc(func() { c.found = append(c.found, c.verified.end()...) })
	c.written.of, _ = record.(snapshotReader)
	return c
}

// add takes in the next transaction.
func (c *roundCheck) add(ctx context.Context, e *house.StoredTransaction) error {
	err := c.texts.Add(e)
	if text := c.texts.Committed(); text != nil {
		c.verified.add(e.Seq, text)
	}
	if err == nil {
		err = c.written.check(ctx, e)
	}
	return c.fault(e.Seq, err)
}

// fault notes what is wrong with a transaction, and returns any other error.
func (c *roundCheck) fault(seq int64, err error) error {
	var fault *house.RoundFault
	if errors.As(err, &fault) || errors.Is(err, house.ErrCorrupt) {
		c.found = append(c.found, Finding{Seq: seq, What: err.Error()})
		return nil
	}
	return err
}

// end waits for the verifications in progress, and searches for snapshots that stand where none
// is written.
func (c *roundCheck) end(ctx context.Context) error {
	c.close()
	for stream, last := range c.written.last {
		s, err := c.written.at(ctx, stream, -1)
		if err != nil {
			return err
		}
		if s != nil && s.Seq != last {
			c.found = append(c.found, Finding{Seq: s.Seq, What: strayed(stream)})
		}
	}
	return nil
}

// snapshotReader is a record that has snapshots.
type snapshotReader interface {
	Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error)
}

// snapshots are those of a record, checked while its transactions are followed.
type snapshots struct {
	of    snapshotReader
	texts *house.RoundTexts
	users Users            // nil for nobody
	last  map[string]int64 // the transaction of the last snapshot of each stream, so far
}

// check checks the snapshots that a transaction left against what its streams have come to.
// Those of a table are written where a round begins.
func (s *snapshots) check(ctx context.Context, e *house.StoredTransaction) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		check := func(stored house.Snapshot) error { return s.texts.CheckSnapshot(p.Stream, stored) }
		switch kind, _, _ := strings.Cut(p.Stream, ":"); kind {
		case usersStream:
			if s.users == nil || s.of == nil {
				continue
			}
			check = s.users.CheckSnapshot
			if err := s.users.Follow(p, e.AtMs); err != nil {
				s.users = nil // what follows is of no use
				return err
			}
		case "table":
			if _, known := s.last[p.Stream]; known && p.Round == 0 {
				continue
			}
		case "jackpot", "house", "protection":
		default:
			continue
		}
		stored, err := s.at(ctx, p.Stream, e.Seq)
		switch {
		case err != nil:
			return err
		case stored == nil:
			s.last[p.Stream] = 0
		case stored.Seq == e.Seq:
			last := s.last[p.Stream]
			s.last[p.Stream] = e.Seq
			if err := check(*stored); err != nil {
				return err
			}
			// Behind one that is as it should be, another could stand between the two.
			before, err := s.at(ctx, p.Stream, e.Seq-1)
			if err != nil {
				return err
			}
			if before != nil && before.Seq != last {
				return fmt.Errorf("%w: %s", house.ErrCorrupt, strayed(p.Stream))
			}
		case stored.Seq != s.last[p.Stream]:
			s.last[p.Stream] = stored.Seq
			return fmt.Errorf("%w: %s", house.ErrCorrupt, strayed(p.Stream))
		}
	}
	return nil
}

// at returns the latest snapshot of a stream up to a transaction, or nil.
func (s *snapshots) at(ctx context.Context, stream string, atMost int64) (*house.Snapshot, error) {
	if s.of == nil {
		return nil, nil
	}
	snapshot, err := s.of.Snapshot(ctx, stream, atMost)
	if errors.Is(err, house.ErrNotFound) {
		return nil, nil
	}
	return &snapshot, err
}

func strayed(stream string) string {
	return "a snapshot of " + stream + " stands where none is written, or is missing"
}
