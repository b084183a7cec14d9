package house

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
)

// A snapshot is the state of a stream at one of its versions, so that a start need not read the
// stream from its beginning. It saves time and decides nothing: one that cannot be used is left
// alone. All streams that grow have snapshots: tables, jackpots, the house's own stream, the
// protection of players, and users. They are sealed, found and checked here; what stands in one
// is up to its stream.

// snapshotRounds is the number of rounds of a table after which it gets a snapshot. A start
// reads half of that many rounds of each table on average. Tests write more.
var snapshotRounds = 4

// pace is that of all streams of this package but tables. Tests write more.
var pace = UsualPace

// UsualPace is the pace of snapshots outside of tests.
var UsualPace = SnapshotPace{Events: 1000, Share: 2}

// SnapshotPace says after how many events a stream gets a snapshot: Events at least, and Share
// for each thing that the snapshot holds. What is written thus grows with the events only.
type SnapshotPace struct{ Events, Share int64 }

// Due reports whether it is time for a snapshot of so many things, after so many events
// without one.
func (p SnapshotPace) Due(events, size int64) bool { return events >= max(p.Events, p.Share*size) }

var (
	errUnsealed = errors.New("the snapshot is damaged, or not of this record")
	// ErrOtherForm is wrapped where a snapshot was written by a program that writes another
	// form: neither a start nor an audit uses it.
	ErrOtherForm = errors.New("the snapshot has another form")
)

// SealSnapshot returns the state of a stream at a version in its stored form. A hash of it and
// of its place comes first, because nothing else would reveal a damaged record.
func SealSnapshot(stream string, version int64, body []byte) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", stream, version, body))
	return fmt.Appendf(nil, "%x\n%s", sum, body)
}

// seal puts what the stream has come to after the events into the part.
func (p *StreamAppend) seal(body []byte) {
	p.Snapshot = SealSnapshot(p.Stream, p.After+int64(len(p.Events)), body)
}

// OpenSnapshot returns what [SealSnapshot] was given. An error says that it is damaged, or of
// another stream or version.
func OpenSnapshot(stream string, s Snapshot) ([]byte, error) {
	_, body, _ := bytes.Cut(s.Body, []byte("\n"))
	if !bytes.Equal(SealSnapshot(stream, s.Version, body), s.Body) {
		return nil, errUnsealed
	}
	return body, nil
}

// foundSnapshot is a snapshot as it is found, opened, and the time of its transaction.
type foundSnapshot struct {
	Snapshot
	atMs int64
}

// from returns the number of the transaction behind which to read on; nil is no snapshot.
func (f *foundSnapshot) from() int64 {
	if f == nil {
		return 0
	}
	return f.Seq
}

// findSnapshot returns the latest snapshot of a stream up to a transaction, if that, which
// is read too, brought the stream to its version.
func findSnapshot(ctx context.Context, store Store, stream string, atMost int64) (*foundSnapshot, error) {
	s, err := store.Snapshot(ctx, stream, atMost)
	if err != nil {
		return nil, err
	}
	found := &foundSnapshot{Snapshot: s}
	if found.Body, err = OpenSnapshot(stream, s); err != nil {
		return nil, err
	}
	err = store.ReadAll(ctx, s.Seq-1, stream, func(e StoredTransaction) error {
		found.atMs = e.AtMs
		for i := range e.Parts {
			if p := &e.Parts[i]; e.Seq == s.Seq && p.Stream == stream && p.After+int64(len(p.Events)) == s.Version {
				return errPageFull
			}
		}
		return errUnsealed
	})
	if !errors.Is(err, errPageFull) {
		return nil, errors.Join(errUnsealed, err)
	}
	return found, nil
}

// latest returns the state that the latest snapshot of a stream holds; nil where there is none
// that can be used.
func latest[S any](
	ctx context.Context, store Store, stream string, last *recordPosition, read func(version int64, body []byte) (*S, error),
) *S {
	found, err := findSnapshot(ctx, store, stream, -1)
	if err != nil {
		return nil
	}
	state, err := read(found.Version, found.Body)
	if err != nil {
		return nil
	}
	last.saw(found.Seq, found.atMs)
	return state
}

// LatestSnapshot returns the latest snapshot of a stream, with what [SealSnapshot] was given.
// An error says why there is none that can be used: the stream is then read from its
// beginning.
func LatestSnapshot(ctx context.Context, store Store, stream string) (Snapshot, error) {
	found, err := findSnapshot(ctx, store, stream, -1)
	if err != nil {
		return Snapshot{}, err
	}
	return found.Snapshot, nil
}

// CheckSnapshot compares a snapshot of a stream with the state that its events give at a
// version. write encodes a state, and read reads the snapshot, which is then encoded once more,
// because its order may depend on names. A snapshot of another form ([ErrOtherForm]) is left
// alone.
func CheckSnapshot[S any](
	stream string, stored Snapshot, version int64, state S, write func(S) ([]byte, error), read func(version int64, body []byte) (S, error),
) error {
	body, err := OpenSnapshot(stream, stored)
	if err == nil && stored.Version != version {
		err = errUnsealed
	}
	if err != nil {
		return Corrupt(err, "the snapshot of %s after event %d", stream, version)
	}
	due, err := write(state)
	if err != nil || bytes.Equal(body, due) {
		return err
	}
	var found []byte
	restored, err := read(version, body)
	if err == nil {
		found, err = write(restored)
	}
	switch {
	case errors.Is(err, ErrOtherForm):
		return nil
	case err != nil:
		return Corrupt(err, "the snapshot of %s after event %d is not what these events come to", stream, version)
	case !bytes.Equal(found, due):
		return fmt.Errorf("%w: the snapshot of %s after event %d is not what these events come to", ErrCorrupt, stream, version)
	}
	return nil
}
