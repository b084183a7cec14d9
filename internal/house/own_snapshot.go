package house

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// ownForm is the form of the snapshots of the house's own stream. Whoever changes which events
// count raises it.
const ownForm = 2

// ownFold holds those events of the house's own stream that still count, as they are recorded.
// A later event about the same thing takes the place of an earlier one.
type ownFold struct {
	version int64
	written int64 // the version of the latest snapshot
	events  map[string]countingEvent
	// last is the latest proposal.
	last int64
}

// countingEvent is an event of the house's own stream that still counts.
type countingEvent struct {
	Version int64 `json:"version"`
	AtMs    int64 `json:"at_ms"`
	Event
}

// ownSnapshot is the stored form.
type ownSnapshot struct {
	Form   int             `json:"form"`
	Events []countingEvent `json:"events"`
}

// add takes in the next event.
func (f *ownFold) add(stored Event, e OwnEvent, atMs int64) {
	f.version++
	f.put(countingEvent{f.version, atMs, stored}, e)
}

// put has an event count as long as nothing later says otherwise.
func (f *ownFold) put(of countingEvent, e OwnEvent) {
	about, firstCounts := "", false
	var outdated int64 // the proposal to drop if it was decided
	switch e := e.(type) {
	case BookDeclared:
		about, firstCounts = "book "+e.BookHash, true
	case TermsStated:
		about, firstCounts = "terms "+e.RulesHash, true
	case TableInstalled:
		about = "table " + e.Name
	case RulesChanged:
		about = fmt.Sprintf("rules of %q from %d", e.Table, e.FromRound)
	case RulesCarriedOver:
		// One that changes the mode of the table from that round on counts too.
		about = fmt.Sprintf("book of %q from %d", e.Table, e.FromRound)
	case TableStopped:
		about = "stop of " + e.Table
	case TableReleased:
		about = "stop of " + e.Table
	case Moved, Arrived, Restored:
		about = "whereabouts"
	case SigningKeyReplaced:
		about = "signing key"
	case SoftwareChecked:
		about = "software"
	case StreamLate:
		about = "late"
	case Drained, Resumed, ClockRefused, RecordFailed:
		return // a house that is opened begins rounds
	case Proposed:
		about, f.last, outdated = fmt.Sprintf("proposal %d", e.ID), e.ID, e.ID-maxDecided
	case Approved:
		about, outdated = f.decision(e.ID)
		if p, err := e.Proposal(); err == nil {
			if changesWager(p) {
				about, outdated = fmt.Sprintf("adjustment %d", e.ID), 0 // it counts for ever
			}
		}
	case Declined:
		about, outdated = f.decision(e.ID)
	default:
		about = fmt.Sprintf("event %d", of.Version) // until somebody says for how long it counts
	}
	if f.events == nil {
		f.events = map[string]countingEvent{}
	}
	if _, known := f.events[about]; known && firstCounts {
		return // others have named it since
	}
	f.events[about] = of
	f.forget(outdated)
}

// decision names the decision about a proposal; outdated is that proposal if nobody is told any
// more how it was decided, else 0.
func (f *ownFold) decision(id int64) (about string, outdated int64) {
	if id <= f.last-maxDecided {
		outdated = id
	}
	return decisionOf(id), outdated
}

func decisionOf(id int64) string { return fmt.Sprintf("decision %d", id) }

// forget drops a proposal that was decided.
func (f *ownFold) forget(id int64) {
	decision := decisionOf(id)
	if _, decided := f.events[decision]; decided {
		delete(f.events, decision)
		delete(f.events, fmt.Sprintf("proposal %d", id))
	}
}

// inOrder returns the events that count, in the order of the record.
func (f *ownFold) inOrder() []countingEvent {
	return slices.SortedFunc(maps.Values(f.events), func(a, b countingEvent) int { return cmp.Compare(a.Version, b.Version) })
}

// snapshot writes down what counts.
func (f *ownFold) snapshot() ([]byte, error) {
	return json.Marshal(ownSnapshot{Form: ownForm, Events: f.inOrder()})
}

// readOwnSnapshot returns what a snapshot of a version holds.
func readOwnSnapshot(version int64, body []byte) (*ownFold, error) {
	var s ownSnapshot
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	if s.Form != ownForm {
		return nil, fmt.Errorf("%w: %d", ErrOtherForm, s.Form)
	}
	f := &ownFold{}
	for _, of := range s.Events {
		e, err := DecodeOwn(of.Event)
		if err != nil {
			return nil, err
		}
		f.put(of, e)
	}
	f.version, f.written = version, version
	return f, nil
}

// check checks a snapshot against what counts.
func (f *ownFold) check(s Snapshot) error {
	return CheckSnapshot(houseStream, s, f.version, f, (*ownFold).snapshot, readOwnSnapshot)
}

// part returns the appended part of the stream, with a snapshot if it is time for one.
func (f *ownFold) part(recorded []OwnEvent, atMs int64) (part StreamAppend, err error) {
	part = StreamAppend{Stream: houseStream, After: f.version}
	if part.Events, err = encodeOwn(recorded...); err != nil {
		return part, err
	}
	if !pace.Due(f.version+int64(len(recorded))-f.written, int64(len(f.events))) {
		return part, nil
	}
	then := *f
	then.events = maps.Clone(f.events)
	for i, e := range recorded {
		then.add(part.Events[i], e, atMs)
	}
	// A state that has no snapshot is recorded all the same, by its events.
	if body, err := then.snapshot(); err == nil {
		part.seal(body)
	}
	return part, nil
}

// took takes in what was recorded.
func (f *ownFold) took(tx *Transaction) error {
	for i := range tx.Parts {
		part := &tx.Parts[i]
		if part.Stream != houseStream {
			continue
		}
		for _, stored := range part.Events {
			e, err := DecodeOwn(stored)
			if err != nil {
				return err
			}
			f.add(stored, e, tx.AtMs)
		}
		if part.Snapshot != nil {
			f.written = f.version
		}
	}
	return nil
}

// readOwn hands out those events of the house's own stream that count: those of the latest
// snapshot, unless all is to be read, and each one after it. kept says that an event is one of
// the snapshot. It returns what the stream has come to.
func readOwn(ctx context.Context, store Store, all bool, last *recordPosition, yield func(e OwnEvent, of *countingEvent, kept bool) error) (*ownFold, error) {
	f := &ownFold{}
	if !all {
		f = cmp.Or(latest(ctx, store, houseStream, last, readOwnSnapshot), f)
	}
	for _, of := range f.inOrder() {
		e, err := DecodeOwn(of.Event)
		if err == nil {
			err = yield(e, &of, true)
		}
		if err != nil {
			return nil, err
		}
	}
	err := store.Read(ctx, houseStream, f.version, func(r StoredEvent) error {
		last.saw(r.Seq, r.AtMs)
		e, err := DecodeOwn(r.Event)
		if err != nil {
			return err
		}
		f.add(r.Event, e, r.AtMs)
		return yield(e, &countingEvent{r.Version, r.AtMs, r.Event}, false)
	})
	return f, err
}
