package house_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	file "trey/rules/variant"
	"trey/table"
)

// ownEvents reads the house's own stream, those events that are of a type.
func ownEvents[E house.OwnEvent](s *site) (found []E) {
	s.Helper()
	if err := house.Named(s.store).Read(ctx(), "house", 0, func(r house.StoredEvent) error {
		e, err := house.DecodeOwn(r.Event)
		if event, ok := e.(E); ok {
			found = append(found, event)
		}
		return err
	}); err != nil {
		s.Fatal(err)
	}
	return found
}

func TestADrainedHouseFinishesItsRounds(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.install("B", "us-3cp")
	s.install("C", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 5*money.Major))
	s.do("C", dealer, table.OpenBets{})
	for range 2 { // the second is nothing more
		if err := s.Drain(ctx(), "", manager); err != nil || !s.Draining() {
			t.Fatal(err)
		}
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "B", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrClosing) {
		t.Errorf("a round began: %v", err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "C", By: ann, Do: ante(ann, 1, 5*money.Major)}); !errors.Is(err, house.ErrClosing) {
		t.Errorf("the first bet of a round: %v", err)
	}
	s.do("A", ann, ante(ann, 1, 5*money.Major))
	for _, do := range []table.Action{table.CloseBets{}, table.Deal{}} {
		s.do("A", dealer, do)
	}
	s.do("A", ann, table.Fold{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrClosing) {
		t.Errorf("the next round began: %v", err)
	}
	if err := s.Undrain(ctx(), "k", manager); err != nil || s.Draining() {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	if err := s.CloseDown(ctx()); err != nil || !s.Draining() {
		t.Fatal(err)
	}
	if err := s.Undrain(ctx(), "k", manager); err != nil || !s.Draining() {
		t.Errorf("the same key did it once more: %v", err)
	}
	s.restart()
	if s.Draining() {
		t.Error("a house that is opened again still closes down")
	}
	s.do("B", dealer, table.OpenBets{})
	drained := ownEvents[house.Drained](s)
	if len(drained) != 2 || drained[0] != (house.Drained{By: "sue", Role: "shift-manager"}) || drained[1].By != "the house" || len(ownEvents[house.Resumed](s)) != 1 {
		t.Errorf("the record says %+v", drained)
	}
}

// A request that had nothing to do does nothing either when it arrives once more,
// whatever was decided in the meantime; and its key is taken.
func TestADrainThatChangedNothingIsNotDoneLater(t *testing.T) {
	s := newSite(t)
	for _, step := range []struct {
		key  string
		do   func(context.Context, string, access.Person) error
		want bool
	}{
		{"a", s.Drain, true},
		{"b", s.Drain, true},
		{"c", s.Undrain, false},
		{"b", s.Drain, false},
		{"a", s.Drain, false},
	} {
		if err := step.do(ctx(), step.key, manager); err != nil || s.Draining() != step.want {
			t.Errorf("key %s: the house drains: %t, %v", step.key, s.Draining(), err)
		}
	}
	if err := s.Undrain(ctx(), "b", manager); !errors.Is(err, house.ErrKeyReused) {
		t.Errorf("the key of another request: %v", err)
	}
	s.restart()
	if err := s.Drain(ctx(), "b", manager); err != nil || s.Draining() {
		t.Errorf("after a restart the house drains: %t, %v", s.Draining(), err)
	}
}

// sluggish is a store of which those who bet hear late that they are recorded.
type sluggish struct{ house.Store }

func (s *sluggish) Append(tx *house.Transaction) <-chan house.AppendResult {
	results := s.Store.Append(tx)
	if tx.Cause.Kind != "bet" {
		return results
	}
	late := make(chan house.AppendResult, 1)
	go func() {
		done := <-results
		time.Sleep(5 * time.Millisecond)
		late <- done
	}()
	return late
}

// Whoever closes a house sees every bet that it took before it took no more, and so
// whether a round is in play.
func TestWhoeverClosesSeesWhatIsInPlay(t *testing.T) {
	const tables = 32
	s := newSite(t)
	var err error
	if s.House, _, err = house.Open(ctx(), &sluggish{s.store}, s.world()); err != nil {
		t.Fatal(err)
	}
	s.buyIn("ann", 1000*money.Major)
	var names []string
	for i := range tables {
		names = append(names, fmt.Sprintf("T%d", i))
		s.install(names[i], "us-3cp")
		s.do(names[i], dealer, table.OpenBets{})
	}
	var all sync.WaitGroup
	took := make([]bool, tables)
	for i, name := range names {
		all.Go(func() {
			_, err := s.Do(ctx(), house.CommandRequest{Table: name, By: ann, Do: ante(ann, 1, 5*money.Major)})
			if took[i] = err == nil; err != nil && !errors.Is(err, house.ErrClosing) {
				t.Error(err)
			}
		})
	}
	time.Sleep(time.Millisecond) // for some of them to be taken
	if err := s.CloseDown(ctx()); err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, tables)
	for i, name := range names {
		state, err := housetest.Table(s, name)
		if err != nil {
			t.Fatal(err)
		}
		seen[i] = state.OnLayout() > 0
	}
	if all.Wait(); !slices.Equal(seen, took) {
		t.Fatalf("bets were taken at tables\n%v\nand when the house had closed down they lay on\n%v", took, seen)
	}
}

// No round begins after the event that no round begins.
func TestNoRoundBeginsBehindTheDrain(t *testing.T) {
	s := newSite(t)
	names := []string{"A", "B", "C", "D", "E", "F", "G", "H"}
	for _, name := range names {
		s.install(name, "us-3cp")
	}
	everything := s.Subscribe(house.Topic{}, 100)
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			_, err := s.Do(ctx(), house.CommandRequest{Table: name, By: dealer, Do: table.OpenBets{}})
			if err != nil && !errors.Is(err, house.ErrClosing) {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if err := s.Drain(ctx(), "", admin); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	everything.Close()
	drained := false
	for _, n := range heard(everything) {
		drained = drained || n.Cause.Kind == "drain"
		if drained && len(n.Events) > 0 {
			t.Errorf("transaction %d begins round %d behind the drain", n.Seq, n.Round)
		}
	}
	if !drained {
		t.Error("nobody heard of the drain")
	}
}

// A table that a fault stopped stays stopped, whoever opens the house again, until
// somebody answers for it; and the round that lay there ends by its clause.
func TestAStoppedTableIsReleasedBySomebody(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	release := func() (*house.Interruption, error) {
		return s.Release(ctx(), "", manager, "A", "memory was tampered with; the record holds")
	}
	if _, err := release(); !errors.Is(err, house.ErrNotStopped) {
		t.Errorf("a table that runs was released: %v", err)
	}
	s.Tamper(ledger.Account{Kind: ledger.Layout, Of: "A"}, 1)
	follower := s.Subscribe(house.Topic{Table: "A"}, 10)
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 5*money.Major)}); !errors.Is(err, house.ErrStopped) {
		t.Fatal(err)
	}
	follower.Close()
	if n, _ := follower.Next(); n == nil || len(n.House) != 1 || n.State.Round() != 1 {
		t.Errorf("who follows the table heard %+v", n)
	}
	stops := ownEvents[house.TableStopped](s)
	if len(stops) != 1 || stops[0].Table != "A" || stops[0].Round != 1 || stops[0].During.By != "ann" || stops[0].During.Kind != "bet" || stops[0].Fault != house.MoneyFault {
		t.Errorf("the record says %+v", stops)
	}
	status, err := s.Status("A")
	if err != nil || !errors.Is(status.Stopped, house.ErrStopped) {
		t.Errorf("the table shows %v, %v", status.Stopped, err)
	}
	if _, err := release(); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("released though its account does not hold what lies there: %v", err)
	}
	for range 2 {
		s.clock.Add(60_000)
		interrupted := s.restart()
		if len(interrupted) != 1 || !errors.Is(interrupted[0].Refused, house.ErrStopped) {
			t.Fatalf("opened again: %+v", interrupted)
		}
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 5*money.Major)}); !errors.Is(err, house.ErrStopped) {
			t.Fatalf("it runs again by itself: %v", err)
		}
		if _, err := s.Change(ctx(), "", manager, "A", house.Change{Mode: house.Automatic}); !errors.Is(err, house.ErrStopped) {
			t.Fatalf("its rules were changed: %v", err)
		}
	}
	s.do("B", dealer, table.OpenBets{})
	if _, err := s.Release(ctx(), "", manager, "A", " "); !errors.Is(err, house.ErrNoReason) {
		t.Errorf("released for no reason: %v", err)
	}
	found, err := release()
	if err != nil || found == nil || found.Phase != table.Voided || found.LastedMs != 120_000 || found.Clause != "rws-3cp@3 5.7.2" && found.Clause == "" {
		t.Fatalf("released: %+v, %v", found, err)
	}
	s.has("ann", 100*money.Major)
	s.restart()
	s.do("A", dealer, table.OpenBets{})
	released := ownEvents[house.TableReleased](s)
	if len(released) != 1 || released[0].By != manager || !strings.Contains(released[0].Why, "tampered") {
		t.Errorf("the record says %+v", released)
	}
}

// Whatever stops a table is written down by its kind, and read back: nothing of its words.
func TestAnyFaultIsWrittenDown(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.Halt("A", errors.New(strings.Repeat("\xff€", 3000)))
	stops := ownEvents[house.TableStopped](s)
	if len(stops) != 1 || stops[0].Fault != house.AccountFault {
		t.Fatalf("the record says %+v", stops)
	}
	s.restart()
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrStopped) {
		t.Error(err)
	}
	if stop, err := s.Release(ctx(), "k", manager, "A", "looked into"); err != nil || stop != nil {
		t.Errorf("nothing lay there: %+v, %v", stop, err)
	}
	if stop, err := s.Release(ctx(), "k", manager, "A", "looked into"); err != nil || stop != nil {
		t.Errorf("with the same key: %+v, %v", stop, err)
	}
	s.do("A", dealer, table.OpenBets{})
}

func (s *site) limits(name string, least money.Amount) *rules.Variant {
	s.Helper()
	status, err := s.Status(name)
	if err != nil {
		s.Fatal(err)
	}
	v := status.Variant.Clone()
	v.ID = "changed"
	v.Limits[rules.Ante] = rules.Limit{Min: least, Max: 1000 * money.Major}
	// As a file, so that what follows from the Ante follows.
	if v, _, err = file.Parse(name, file.Write(v), books.Find); err != nil {
		s.Fatal(err)
	}
	return v
}

// Rules change with a round: what lies on the layout is settled as it was accepted,
// and every round is told by its own rules for good.
func TestRulesChangeFromTheNextRound(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	first, err := s.RulesAt("A", 1)
	if err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	v := s.limits("A", 50*money.Major)
	v.Boxes = first.Boxes - 2
	pace := house.Pace{BettingMs: 9000}
	for range 2 {
		from, err := s.Change(ctx(), "k", manager, "A", house.Change{Variant: v, Mode: house.Automatic, Pace: &pace})
		if err != nil || from != 2 {
			t.Fatal(from, err)
		}
		if _, err := s.Change(ctx(), "k", manager, "A", house.Change{Mode: house.Automatic}); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("the key with another change: %v", err)
		}
	}
	look := func() house.TableStatus {
		t.Helper()
		status, err := s.Status("A")
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	now := func(when string, hash string, mode house.Mode) {
		t.Helper()
		status := look()
		if in := status.InForce(); in.Variant.Hash() != hash || in.Mode != mode {
			t.Errorf("%s: %s and %s are in force", when, in.Variant.ID, in.Mode)
		}
	}
	now("in the round", first.Hash(), house.DealerRun)
	s.do("A", ann, ante(ann, 7, 10*money.Major)) // below the new limit, on a box that goes away
	s.restart()
	now("opened again", first.Hash(), house.DealerRun)
	for _, do := range []table.Action{table.CloseBets{}, table.Deal{}} {
		s.do("A", dealer, do)
	}
	s.do("A", ann, table.Fold{Box: 7, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	r := s.do("A", dealer, table.Settle{})
	if r.State.Variant().Hash() != first.Hash() || r.State.Phase() != table.Paid {
		t.Errorf("the round was settled by %s", r.State.Variant().ID)
	}
	now("between rounds", v.Hash(), house.Automatic)
	s.restart()
	now("between rounds, opened again", v.Hash(), house.Automatic)
	if status := look(); status.State.Variant().Hash() != first.Hash() || len(status.State.Lines()) == 0 {
		t.Error("the settled round is no more to be seen as it was played")
	}
	if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
		t.Fatal(err)
	}
	now("in the next round", v.Hash(), house.Automatic)
	var refusal *table.Refusal
	for _, bad := range []table.Bet{ante(ann, 1, 10*money.Major), ante(ann, 7, 50*money.Major)} {
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: bad}); !errors.As(err, &refusal) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	s.do("A", ann, ante(ann, 1, 50*money.Major))
	s.restart()
	now("in the next round, opened again", v.Hash(), house.Automatic)
	for round, hash := range map[int]string{0: first.Hash(), 1: first.Hash(), 2: v.Hash(), 3: v.Hash()} {
		if at, err := s.RulesAt("A", round); err != nil || at.Hash() != hash {
			t.Errorf("round %d is played by %s, %v", round, at.ID, err)
		}
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	s.install("A", "us-3cp") // as it was put there, which is no change
	changes := ownEvents[house.RulesChanged](s)
	if len(changes) != 1 || changes[0].FromRound != 2 || changes[0].By != manager || changes[0].Before.RulesHash != first.Hash() || changes[0].Pace != pace {
		t.Errorf("the record says %+v", changes)
	}
}

// An automatic table on which nobody has bet would wait with its old rules until
// somebody has: it begins the next round at once. With a bet on it it does not.
func TestAnIdleTableBeginsUnderChangedRulesAtOnce(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	if _, err := s.Change(ctx(), "", admin, "A", house.Change{Mode: house.Automatic}); err != nil {
		t.Fatal(err)
	}
	open := func() {
		t.Helper()
		if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
			t.Fatal(err)
		}
	}
	open()
	v := s.limits("A", 50*money.Major)
	gone, cancel := context.WithCancel(ctx()) // who asked goes as soon as it is recorded
	follower := s.Subscribe(house.Topic{Table: "A"}, 16)
	defer follower.Close()
	go func() {
		<-follower.Ready()
		cancel()
	}()
	for range 2 {
		if from, err := s.Change(gone, "k", admin, "A", house.Change{Variant: v}); err != nil && !errors.Is(err, context.Canceled) || err == nil && from != 2 {
			t.Fatal(from, err)
		}
	}
	status, err := s.Status("A")
	if err != nil || status.State.Phase() != table.Ready || status.InForce().Variant.Hash() != v.Hash() || status.InForce().Mode != house.Automatic {
		t.Fatalf("it stands %s, with %s: %v", status.State.Phase(), status.InForce().Variant.ID, err)
	}
	if r := s.proven("A", 1); r.Ended != table.Closed.String() {
		t.Errorf("the round that nobody bet in ended as %s", r.Ended)
	}
	s.restart()
	open()
	s.do("A", ann, ante(ann, 1, 50*money.Major))
	pace := house.Pace{BettingMs: 9000}
	if from, err := s.Change(ctx(), "", manager, "A", house.Change{Pace: &pace}); err != nil || from != 3 {
		t.Fatal(from, err)
	}
	if status, err = s.Status("A"); err != nil || status.State.Phase() != table.Betting || status.State.OnLayout() != 50*money.Major {
		t.Errorf("a round with a bet goes on: %s, %v", status.State.Phase(), err)
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// The house may stop anywhere while rules are changed at an idle automatic table. When it is
// opened again, the table stands as before or is open under the changed rules, and is never
// closed. A change that is recorded is never left waiting for a bet.
func TestAStopWhileAnIdleTableBeginsAnew(t *testing.T) {
	for _, fate := range []memory.Fate{memory.Refused, memory.Unheard} {
		for write := 1; write <= 3; write++ {
			t.Run(fmt.Sprintf("write %d, %s", write, fate), func(t *testing.T) {
				var disk memory.Disk
				s := &site{TB: t, seed: shuffle.Fresh, sealer: sealing.Numbered(1)}
				s.clock.Store(1_000_000)
				written, end := 0, 0
				open := func() *memory.Store {
					t.Helper()
					store, err := disk.Open(memory.Faults{Write: func(n int, _ *house.Transaction) memory.Fate {
						if written = n; n == end {
							return fate
						}
						return memory.Recorded
					}})
					if err != nil {
						t.Fatal(err)
					}
					if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
						t.Fatal(err)
					}
					return store
				}
				store := open()
				s.install("A", "us-3cp")
				if _, err := s.Change(ctx(), "", admin, "A", house.Change{Mode: house.Automatic}); err != nil {
					t.Fatal(err)
				}
				if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
					t.Fatal(err)
				}
				before, err := s.Status("A")
				if err != nil {
					t.Fatal(err)
				}
				v := s.limits("A", 50*money.Major)
				end = written + write
				from, err := s.Change(ctx(), "k", admin, "A", house.Change{Variant: v})
				if done := write > 1; (err == nil) != done {
					t.Fatal(from, err)
				}
				store.Crash(0)
				end = 0
				open()
				after, err := s.Status("A")
				if err != nil {
					t.Fatal(err)
				}
				recorded := write > 1 || fate == memory.Unheard
				switch {
				case !recorded && (after.State.Phase() != table.Betting || after.Version != before.Version || after.InForce().Variant.Hash() != before.Variant.Hash()):
					t.Errorf("nothing was recorded, and it stands %s at version %d by %s", after.State.Phase(), after.Version, after.InForce().Variant.ID)
				case recorded && (after.State.Phase() != table.Ready || after.InForce().Variant.Hash() != v.Hash()):
					t.Errorf("the change is recorded, and it stands %s by %s", after.State.Phase(), after.InForce().Variant.ID)
				}
				if recorded {
					s.proven("A", 1)
				}
				for range 2 { // whoever asks once more is answered, and nothing is done twice
					if from, err := s.Change(ctx(), "k", admin, "A", house.Change{Variant: v}); err != nil || from != 2 {
						t.Fatal(from, err)
					}
				}
				if status, err := s.Status("A"); err != nil || recorded && status.Version != after.Version || status.State.Phase() != table.Ready {
					t.Errorf("asked once more, it stands %s at version %d, and was at %d: %v", status.State.Phase(), status.Version, after.Version, err)
				}
				if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
					t.Error(err)
				}
				if err := s.Audit(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Of two changes before a round the later counts, and one may take the other back.
func TestChangesBeforeOneRound(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	first, err := s.RulesAt("A", 0)
	if err != nil {
		t.Fatal(err)
	}
	change := func(c house.Change) {
		t.Helper()
		if from, err := s.Change(ctx(), "", admin, "A", c); err != nil || from != 1 {
			t.Fatal(from, err)
		}
	}
	change(house.Change{Variant: s.limits("A", 50*money.Major)})
	change(house.Change{Variant: s.limits("A", 75*money.Major)})
	change(house.Change{Mode: house.Automatic}) // and the limits stay
	for range 2 {
		at, err := s.RulesAt("A", 1)
		if err != nil || at.Limits[rules.Ante].Min != 75*money.Major {
			t.Errorf("the least is %s, %v", at.Limits[rules.Ante].Min, err)
		}
		s.restart()
	}
	change(house.Change{Variant: first, Mode: house.DealerRun})
	s.do("A", dealer, table.OpenBets{})
	s.buyIn("ann", 100*money.Major)
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.restart()
	if status, _ := s.Status("A"); status.Variant.Hash() != first.Hash() || status.Next != nil || status.Mode != house.DealerRun {
		t.Errorf("it stands at %+v", status.Table)
	}
}

func TestChangesThatAreRefused(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("U", "us-3cp")
	rws := func(change func(*rules.Variant)) *rules.Variant {
		v := variant(t, "rws-3cp")
		change(v)
		return v
	}
	late := house.Pace{ShowMs: -1}
	for name, test := range map[string]struct {
		table string
		c     house.Change
		want  error
	}{
		"nothing":             {"A", house.Change{}, house.ErrNoChange},
		"what is in force":    {"A", house.Change{Variant: variant(t, "rws-3cp"), Mode: house.DealerRun}, house.ErrNoChange},
		"no such table":       {"Z", house.Change{Mode: house.Automatic}, house.ErrNoTable},
		"another book":        {"A", house.Change{Variant: variant(t, "us-3cp")}, house.ErrUnplayable},
		"no boxes":            {"A", house.Change{Variant: rws(func(v *rules.Variant) { v.Boxes = 0 })}, house.ErrUnplayable},
		"a pace below zero":   {"A", house.Change{Pace: &late}, house.ErrUnplayable},
		"a mode of nobody":    {"A", house.Change{Mode: 9}, house.ErrUnplayable},
		"no jackpot any more": {"A", house.Change{Variant: rws(func(v *rules.Variant) { v.Jackpot = nil })}, house.ErrUnplayable},
		"another bet": {"A", house.Change{Variant: rws(func(v *rules.Variant) {
			v.Jackpot.Bet *= 2
			v.Limits[rules.Progressive] = rules.Limit{Min: v.Jackpot.Bet, Max: v.Jackpot.Bet}
		})}, house.ErrUnplayable},
		"another reset value": {"A", house.Change{Variant: rws(func(v *rules.Variant) { v.Jackpot.Reset *= 2 })}, house.ErrUnplayable},
		"limits that no file can hold": {"U", house.Change{Variant: func() *rules.Variant {
			v := variant(t, "us-3cp")
			v.Limits[rules.Play] = rules.Limit{Min: 1, Max: 2}
			return v
		}()}, house.ErrUnplayable},
		"half a meter": {"A", house.Change{Variant: rws(func(v *rules.Variant) {
			pays := *v.Pays[rules.Progressive]
			pays.Rows = append([]rules.PayRow{}, pays.Rows...)
			for i := range pays.Rows {
				if pays.Rows[i].Pay.MeterPercent != 0 {
					pays.Rows[i].Pay.MeterPercent = 50
				}
			}
			v.Pays[rules.Progressive] = &pays
		})}, house.ErrUnplayable},
	} {
		if from, err := s.Change(ctx(), "", manager, test.table, test.c); !errors.Is(err, test.want) {
			t.Errorf("%s: from round %d, %v", name, from, err)
		}
	}
	if changes := ownEvents[house.RulesChanged](s); len(changes) != 0 {
		t.Errorf("the record says %+v", changes)
	}
	var denied *access.Denied
	if _, err := s.Change(ctx(), "", dealer, "A", house.Change{Mode: house.Automatic}); !errors.As(err, &denied) {
		t.Error(err)
	}
}

// The money that lies in a round cannot be cashed out, whoever asks when.
func TestNobodyCashesOutWhatLiesInARound(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	for range 20 {
		if missing := 100*money.Major - s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); missing > 0 {
			s.buyIn("ann", missing)
		}
		s.do("A", dealer, table.OpenBets{})
		out := posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 95 * money.Major}
		var bet, paid error
		var all sync.WaitGroup
		all.Go(func() {
			_, bet = s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)})
		})
		all.Go(func() { _, paid = s.CageTransfer(ctx(), "", cashier, out) })
		all.Wait()
		if (bet == nil) == (paid == nil) {
			t.Fatalf("the bet: %v; the payment: %v", bet, paid)
		}
		if bet == nil {
			s.has("ann", 90*money.Major)
			var short *ledger.Short
			if _, err := s.CageTransfer(ctx(), "", cashier, out); !errors.As(err, &short) || short.Balance != 90*money.Major {
				t.Fatalf("money that lies in a round was paid out: %v", err)
			}
			s.do("A", ann, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante})
		}
		s.do("A", supervisor, table.Report{Incident: rules.Uncovered, Note: "to be done with the round"})
		s.do("A", manager, table.Answer{Answer: "void"})
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// Everything that is decided about the house at once, over tables at play: nobody
// waits for ever, and opened again the house stands where it stood.
func TestDecisionsAtOnce(t *testing.T) {
	s := newSiteOnFile(t)
	names := []string{"A", "B", "C"}
	for _, name := range names {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 10_000*money.Major)
	tolerated := func(err error) {
		var refusal *table.Refusal
		var short *ledger.Short
		for _, normal := range []error{house.ErrClosing, house.ErrStopped, house.ErrNotStopped, house.ErrNoChange, house.ErrDecided} {
			if errors.Is(err, normal) {
				return
			}
		}
		if err != nil && !errors.As(err, &refusal) && !errors.As(err, &short) {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			for range 15 {
				for _, do := range []table.Action{
					table.OpenBets{},
					ante(ann, 1, 10*money.Major),
					table.CloseBets{},
					table.Deal{},
					table.Fold{Box: 1, Player: "ann"},
					table.Reveal{},
					table.Settle{},
				} {
					by := dealer
					switch do.(type) {
					case table.Bet, table.Fold:
						by = ann
					}
					_, err := s.Do(ctx(), house.CommandRequest{Table: name, By: by, Do: do})
					tolerated(err)
				}
			}
		})
		all.Go(func() {
			for n := range 8 {
				_, err := s.Change(ctx(), "", manager, name, house.Change{Variant: s.limits(name, money.Amount(1+n%3)*5*money.Major)})
				tolerated(err)
			}
		})
		all.Go(func() {
			for range 8 {
				id, err := s.Propose(ctx(), "", manager, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustMalfunction, Change: money.Major, Note: "again"})
				tolerated(err)
				_, err = s.Approve(ctx(), "", second, id)
				tolerated(err)
				_, err = s.Propose(ctx(), "", supervisor, house.Fill{Table: name, Amount: money.Major})
				tolerated(err)
				s.Proposals()
			}
		})
		all.Go(func() {
			for range 4 {
				if i == 0 {
					s.Halt(name, errors.New("a fault"))
				}
				_, err := s.Release(ctx(), "", manager, name, "looked into")
				tolerated(err)
				tolerated(s.Drain(ctx(), "", manager))
				tolerated(s.Undrain(ctx(), "", manager))
				s.install(name, "rws-3cp")
			}
		})
	}
	all.Wait()
	tolerated(s.Undrain(ctx(), "", manager))
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
	waits, book := s.Proposals(), s.Book()
	if len(waits) != 24 || len(ownEvents[house.Approved](s)) != 24 {
		t.Errorf("%d wait and %d are approved", len(waits), len(ownEvents[house.Approved](s)))
	}
	before := map[string]house.TableStatus{}
	for _, name := range names {
		before[name], _ = s.Status(name)
	}
	s.restart() // within the grace: rounds go on
	if !reflect.DeepEqual(s.Proposals(), waits) || !reflect.DeepEqual(s.Book(), book) {
		t.Error("opened again other things wait or other sums are held")
	}
	for name, was := range before {
		status, err := s.Status(name)
		if err != nil || status.State.Round() != was.State.Round() || status.Stopped != nil || status.Variant.Hash() != was.Variant.Hash() || (status.Next == nil) != (was.Next == nil) {
			t.Errorf("table %s was %+v and is %+v, %v", name, was, status, err)
		}
	}
}

// A table that is released goes on with what was interrupted, whoever waits for it:
// the first that happens there is the report.
func TestNothingComesBetweenReleaseAndReport(t *testing.T) {
	store, err := new(memory.Disk).Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, seed: shuffle.Fresh, sealer: sealing.Numbered(1)}
	s.clock.Store(1_000_000)
	w, there := s.world(), &watched{Store: store}
	var waits sync.WaitGroup
	w.NowMs = func() int64 {
		if there.released.CompareAndSwap(true, false) {
			// The clock is asked for how long the table stood: a bet comes at this moment.
			// It has time to come between, or else it waits for the lock.
			in := make(chan struct{})
			waits.Go(func() {
				defer close(in)
				_, _ = s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10 * money.Major}})
			})
			select {
			case <-in:
			case <-time.After(50 * time.Millisecond):
			}
		}
		return s.clock.Load()
	}
	if s.House, _, err = house.Open(ctx(), there, w); err != nil {
		t.Fatal(err)
	}
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.Halt("A", errors.New("a fault"))
	if _, err := s.Release(ctx(), "", manager, "A", "looked into"); err != nil {
		t.Fatal(err)
	}
	waits.Wait()
	var kinds []string
	if err := store.Read(ctx(), "table:A", 0, func(r house.StoredEvent) error { kinds = append(kinds, r.Kind); return nil }); err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(kinds, "bet-placed"); i < 0 || len(kinds) < i+2 || kinds[i+1] != "reported" {
		t.Errorf("the table's record is %v", kinds)
	}
}

// watched is a store that notices when a table is released.
type watched struct {
	house.Store
	released atomic.Bool
}

func (w *watched) Append(tx *house.Transaction) <-chan house.AppendResult {
	if tx.Cause.Kind == "release-table" {
		w.released.Store(true)
	}
	return w.Store.Append(tx)
}
