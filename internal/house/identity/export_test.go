package identity

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"trey/internal/house"
)

// Tests write a snapshot with every event.
func init() { pace = house.SnapshotPace{Events: 1} }

// SnapshotEvents sets after how many events people are written down, and returns after how
// many it was.
func SnapshotEvents(n int64) (was int64) {
	was, pace.Events = pace.Events, n
	return was
}

// CompareSnapshots reads the people of a record from its snapshots and without any, and says
// where the two differ. It has every snapshot checked as an audit does, and returns how many
// there are. A record that cannot be read has none.
func CompareSnapshots(ctx context.Context, record house.Store) (snapshots int, err error) {
	full, checker := newFold(), NewChecker()
	if err := house.Named(record).Read(ctx, Stream, 0, func(r house.StoredEvent) error {
		full.version = r.Version
		return full.follow(r.Version, r.AtMs, r.Event)
	}); err != nil {
		return 0, nil
	}
	from := newFold()
	from.world.Record = house.Named(record)
	if err := from.load(ctx); err != nil {
		return 0, err
	}
	if err := sameFold(from, full); err != nil {
		return 0, err
	}
	if from.written == 0 && full.version > 0 {
		return 0, fmt.Errorf("no snapshot of %d events is found", full.version)
	}
	err = record.ReadAll(ctx, 0, Stream, func(e house.StoredTransaction) error {
		for i := range e.Parts {
			if e.Parts[i].Stream != Stream {
				continue
			}
			if err := checker.Follow(&e.Parts[i], e.AtMs); err != nil {
				return err
			}
			s, err := record.Snapshot(ctx, Stream, e.Seq)
			if err != nil || s.Seq != e.Seq {
				continue
			}
			snapshots++
			if err := checker.CheckSnapshot(s); err != nil {
				return err
			}
		}
		return nil
	})
	return snapshots, err
}

// sameFold says where what people come to from a snapshot is another than from all events.
func sameFold(from, full *Directory) error {
	for _, of := range []struct {
		what      string
		got, want any
	}{
		{"version", from.version, full.version},
		{"users", from.users, full.users},
		{"tokens", from.byNumber, full.byNumber},
		{"hashes of tokens", from.tokens, full.tokens},
		{"dual approval", from.staff, full.staff},
		{"endings", slices.Clone(from.endings), slices.Clone(full.endings)},
	} {
		if !reflect.DeepEqual(of.got, of.want) {
			return fmt.Errorf("after event %d the %s are %+v by the snapshot, want %+v", full.version, of.what, of.got, of.want)
		}
	}
	return nil
}
