package house_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/people"
	"trey/internal/store/memory"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// reading is a house that is read beside the one that takes commands.
type reading struct {
	*house.House
	names *people.Directory
	seq   int64
}

// readFrom opens a house for reading on a record.
func (s *site) readFrom(store house.Store) *reading {
	s.Helper()
	w := s.world()
	h, err := house.OpenReading(ctx(), store, w)
	if err != nil {
		s.Fatal(err)
	}
	return &reading{House: h, names: store.Directory(), seq: store.Head().Size - 1}
}

// readFromNothing opens a house for reading before anything was recorded.
func (s *site) readFromNothing() *reading {
	s.Helper()
	store, err := new(memory.Disk).Open(memory.Faults{})
	if err != nil {
		s.Fatal(err)
	}
	return s.readFrom(store)
}

// readFromHere opens a house for reading on the record as it is now.
func (s *site) readFromHere() *reading {
	s.Helper()
	at := filepath.Join(folder(s), "copy.db")
	if err := sqlite.Copy(ctx(), s.path, at); err != nil {
		s.Fatal(err)
	}
	store, err := sqlite.Open(ctx(), at)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { store.Close() }) //nolint:errcheck // it was read
	return s.readFrom(store)
}

// takeAll takes in what the record has come to.
func (s *site) takeAll(r *reading) {
	s.Helper()
	var err error
	if r.seq, err = housetest.TakeAll(ctx(), s.store, r.names, r.seq, r.Take); err != nil {
		s.Fatal(err)
	}
}

// alike checks what a house knows that is read against what the other knows.
func (s *site) alike(r *reading) {
	s.Helper()
	want, got := s.Known(), r.Known()
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			s.Fatalf("whoever reads knows\n%s\nand the house\n%s", strings.Join(got[min(i, len(got)):], "\n"), want[i])
		}
	}
	if len(got) > len(want) {
		s.Fatalf("whoever reads knows more: %v", got[len(want):])
	}
}

// readApart compares, at the end of a test, a house that has read the record beside it from the
// beginning with the house itself, if that still runs.
func (s *site) readApart() {
	if s.Failed() || s.Fault() != nil || s.apart {
		return
	}
	r := s.readFromNothing()
	s.takeAll(r)
	s.alike(r)
}

// A house that is read from the beginning, from the middle of its rounds or from the end has
// the same state as the house that takes the commands. Its subscribers receive the same
// notices.
func TestReadingIsWhatTheHouseKnows(t *testing.T) {
	s := newSiteOnFile(t)
	readers := []*reading{s.readFromNothing()}
	followed := s.Subscribe(house.Topic{}, 10_000)
	heardApart := readers[0].Subscribe(house.Topic{}, 10_000)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 10_000*money.Major)
	s.buyIn("ben", 10_000*money.Major)
	for n := range 14 {
		for name, person := range map[string]access.Person{"A": ann, "B": ben} {
			if n == 6 && name == "A" {
				small := variant(t, "rws-3cp")
				small.Boxes = 3
				if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: small}); err != nil {
					t.Fatal(err)
				}
			}
			if n%3 == 0 {
				if _, err := s.AddSeed(ctx(), "", person, name, 0, "mine"); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.round(name, person); err != nil {
				t.Fatal(err)
			}
		}
		if n%5 == 2 {
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			readers = append(readers, s.readFromHere())
			s.do("A", dealer, table.CloseBets{})
			readers = append(readers, s.readFromHere())
			s.do("A", dealer, table.Deal{})
			s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
			s.do("A", dealer, table.Reveal{})
			s.do("A", dealer, table.Settle{})
		}
	}
	if err := s.Drain(ctx(), "", manager); err != nil {
		t.Fatal(err)
	}
	for _, r := range readers {
		if r.Draining() {
			t.Error("it is known that no rounds begin, before it is decided")
		}
		s.takeAll(r)
		s.alike(r)
		if !r.Draining() {
			t.Error("it is not known that no rounds begin")
		}
	}
	want, got := heard(followed), heard(heardApart)
	if len(want) < 200 || len(got) != len(want) {
		t.Fatalf("%d transactions were heard, and %d where the house is read", len(want), len(got))
	}
	for i := range want {
		if got[i].Seq != want[i].Seq || !reflect.DeepEqual(*got[i], *want[i]) {
			t.Fatalf("where the house is read\n%+v\nis heard, and not\n%+v", *got[i], *want[i])
		}
	}
}

// Whoever reads decides nothing, and takes in each transaction once and in its order.
func TestReadingDecidesNothing(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	r := s.readFromHere()
	if _, err := r.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrStopped) {
		t.Errorf("a command is answered %v", err)
	}
	if err := r.Drain(ctx(), "", manager); !errors.Is(err, house.ErrStopped) {
		t.Errorf("the end of rounds is answered %v", err)
	}
	if r.Fault() != nil {
		t.Errorf("it has stopped: %v", r.Fault())
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	var all []house.StoredTransaction
	if err := s.store.ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	next := slices.IndexFunc(all, func(e house.StoredTransaction) bool { return e.Seq == r.seq+1 })
	for _, wrong := range []house.StoredTransaction{all[next-1], all[next+1]} {
		if err := s.readFromHere().Take(&wrong); err == nil {
			t.Errorf("transaction %d is taken anywhere", wrong.Seq)
		}
		if err := r.Take(&wrong); err == nil {
			t.Errorf("transaction %d is taken behind %d", wrong.Seq, r.seq)
		}
	}
	s.takeAll(r)
	s.alike(r)
	f := r.Subscribe(house.Topic{}, 1)
	r.EndReading(errors.New("the database is away"))
	if _, open := f.Next(); open || !errors.Is(f.Err(), house.ErrStopped) || r.Fault() == nil {
		t.Errorf("whoever follows is not told that it has ended: %v", f.Err())
	}
}

// sideBySide is a store that answers several reads at once, and holds each of tables up until another
// one has come.
type sideBySide struct {
	house.Store
	meet  chan struct{}
	alone atomic.Bool
	lost  map[string]bool // the streams that cannot be read
}

var errLost = errors.New("the stream cannot be read")

func (s *sideBySide) ReadsAtOnce() int { return 2 }

func (s *sideBySide) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	if s.lost[stream] {
		return fmt.Errorf("%w: %s", errLost, stream)
	}
	return s.Store.ReadAll(ctx, after, stream, yield)
}

// Snapshot counts its calls: there is one for each table.
func (s *sideBySide) Snapshot(ctx context.Context, stream string, atMost int64) (house.Snapshot, error) {
	if strings.HasPrefix(stream, "table:") && s.meet != nil {
		select { // two that are read at the same time let each other go on
		case s.meet <- struct{}{}:
		case <-s.meet:
		case <-time.After(time.Minute):
			s.alone.Store(true)
		}
	}
	return s.Store.Snapshot(ctx, stream, atMost)
}

// Tables are read side by side from a store that allows that: the house knows the same. Of several that
// cannot be read the first one is named.
func TestTablesAreReadSideBySide(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 10_000*money.Major)
	for name := range strings.SplitSeq("A C D", " ") {
		for _, step := range []struct {
			by access.Person
			do table.Action
		}{{dealer, table.OpenBets{}}, {ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}}} {
			if _, err := s.Do(ctx(), house.CommandRequest{Table: name, By: step.by, Do: step.do}); err != nil {
				t.Fatal(err)
			}
		}
	}
	several := &sideBySide{Store: s.store, meet: make(chan struct{})}
	r := s.readFrom(several)
	several.meet = nil
	if several.alone.Load() {
		t.Error("tables are read one after the other")
	}
	s.alike(r)
	for range 20 {
		lost := &sideBySide{Store: s.store, lost: map[string]bool{"table:C": true, "table:D": true, "table:F": true}}
		if _, err := house.OpenReading(ctx(), lost, s.world()); !errors.Is(err, errLost) || !strings.Contains(err.Error(), "table:C") {
			t.Fatalf("the first of three tables that cannot be read is not named: %v", err)
		}
	}
}

// A reading house knows whether rounds begin, by the record and by the writer's word. No event
// says that the house was opened again and begins them.
func TestADrainIsKnownWhereTheHouseIsRead(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	early, before := s.readFromHere(), s.DrainState()
	if err := s.Drain(ctx(), "", manager); err != nil {
		t.Fatal(err)
	}
	late := s.readFromHere()
	late.NoteDrain(s.DrainState())
	s.takeAll(early)
	early.NoteDrain(before) // it was said before the drain, and is heard after it
	if !early.Draining() || !late.Draining() {
		t.Errorf("the house drains, and is read as draining: %t, and %t by who came during the drain", early.Draining(), late.Draining())
	}
	slow := s.readFromHere()
	s.restart()
	slow.NoteDrain(s.DrainState())
	if early.NoteDrain(s.DrainState()); early.Draining() || slow.Draining() {
		t.Errorf("the house was opened again, and is read as draining: %t and %t", early.Draining(), slow.Draining())
	}
	if err := errors.Join(s.Drain(ctx(), "", manager), s.Undrain(ctx(), "", manager)); err != nil {
		t.Fatal(err)
	}
	if s.takeAll(early); early.Draining() {
		t.Error("rounds begin again, and it is not known")
	}
}
