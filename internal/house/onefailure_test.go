package house_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// request is one thing that people and the program ask of a house.
type request struct {
	what string
	// asks reports that it records nothing.
	asks bool
	// snapshot reports that it reads a snapshot, and events where that cannot be read.
	snapshot bool
	// do returns what it is answered with, if that matters.
	do func(h *house.House, key string) (answer any, err error)
}

// noticesOf reads the notices of a topic.
func noticesOf(h *house.House, topic house.Topic) (all []*house.Notice, err error) {
	err = h.EventsSince(ctx(), topic, 0, func(n *house.Notice) error { all = append(all, n); return nil })
	return all, err
}

// requests returns a house and requests to it, in an order in which all of them can be done.
func requests(t *testing.T) (*site, []request) {
	t.Helper()
	s := newSite(t)
	s.apart = true // what stopped table C is not in the record
	s.readTable()
	s.install("B", "us-3cp")
	s.install("C", "us-3cp")
	s.install("D", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	s.bet("A")
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.annPlays("As", "Ks", "Qs", "2c", "5d", "9h") // which the jackpot pays
	for _, name := range []string{"A", "B", "C"} {
		s.bet(name)
	}
	s.Halt("C", errors.New("a fault"))
	fill := house.Fill{Table: "A", Amount: 100 * money.Major}
	transfer := house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustTransferIn, Change: 500 * money.Major, Note: "from the old one"}
	filled, moved, declined := s.propose(supervisor, fill), s.propose(supervisor, transfer), s.propose(supervisor, fill)
	most := int64(900 * money.Major)
	all := []request{
		{"a round", true, true, func(h *house.House, _ string) (any, error) { return h.Round(ctx(), "A", 1) }},
		{"a round step by step", true, true, func(h *house.House, _ string) (any, error) {
			var all []house.EndedStep
			err := h.Ended(ctx(), "A", 1, func(step *house.EndedStep) error { all = append(all, *step); return nil })
			return all, err
		}},
		{"a round in play", true, true, func(h *house.House, _ string) (any, error) {
			var all []*house.Notice
			err := h.ThisRound(ctx(), "B", func(n *house.Notice) error { all = append(all, n); return nil })
			return all, err
		}},
		{"notices of a table", true, true, func(h *house.House, _ string) (any, error) {
			return noticesOf(h, house.Topic{Table: "A", Jackpot: "linked"})
		}},
		{"notices of the house", true, true, func(h *house.House, _ string) (any, error) { return noticesOf(h, house.Topic{}) }},
		{"paid hits", true, true, func(h *house.House, _ string) (any, error) { return h.PaidHits(ctx(), "linked") }},
		{"protection", true, true, func(h *house.House, _ string) (any, error) { return h.Protection(ctx(), "ben") }},
		{"a key", true, true, func(h *house.House, _ string) (any, error) { return h.Recorded(ctx(), "ann", "another key") }},
		{"a dry run", true, true, func(h *house.House, _ string) (any, error) {
			return h.DryRun(ctx(), house.CommandRequest{Table: "B", By: ben, Do: ante(ben, 2, 10*money.Major)})
		}},
		{"a table", false, false, func(h *house.House, _ string) (any, error) {
			v := variant(t, "us-3cp")
			return nil, h.Install(ctx(), house.Table{Name: "E", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual}}, admin)
		}},
		{"rules", false, false, func(h *house.House, key string) (any, error) {
			return h.Change(ctx(), key, manager, "B", house.Change{Variant: s.limits("B", 7*money.Major)})
		}},
		{"a seed", false, false, func(h *house.House, key string) (any, error) { return h.AddSeed(ctx(), key, ann, "B", 1, "luck") }},
		{"cash", false, false, func(h *house.House, key string) (any, error) {
			return h.CageTransfer(ctx(), key, cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: money.Major})
		}},
		{"a limit", false, false, func(h *house.House, key string) (any, error) {
			return nil, h.SetLimit(ctx(), key, ann, protection.Key{Kind: protection.Stake, Period: protection.Day}, &most)
		}},
		{"a proposal", false, false, func(h *house.House, key string) (any, error) { return h.Propose(ctx(), key, supervisor, transfer) }},
		{"a proposal upon a wager", false, true, func(h *house.House, key string) (any, error) {
			return h.Propose(ctx(), key, cashier, house.AdjustAccount{
				Adjustment: posting.Adjustment{Player: "ann", Cause: posting.EntryError, Change: -1, Note: "n"},
				Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante},
			})
		}},
		{"an approval that moves money", false, false, func(h *house.House, key string) (any, error) { return h.Approve(ctx(), key, manager, filled) }},
		{"an approval that moves a jackpot", false, false, func(h *house.House, key string) (any, error) { return h.Approve(ctx(), key, manager, moved) }},
		{"a proposal that is declined", false, false, func(h *house.House, key string) (any, error) {
			return nil, h.Decline(ctx(), key, manager, declined, "not now")
		}},
		{"a release", false, false, func(h *house.House, key string) (any, error) {
			return h.Release(ctx(), key, manager, "C", "looked into")
		}},
		{"a round that begins", false, false, func(h *house.House, key string) (any, error) {
			return h.Do(ctx(), house.CommandRequest{Key: key, Table: "D", By: dealer, Do: table.OpenBets{}})
		}},
		{"software", false, false, func(h *house.House, _ string) (any, error) {
			return h.CheckSoftware(ctx(), house.Software{Version: "2"}, house.Settings{"cage.day": "100"})
		}},
		{"a clock", false, false, func(h *house.House, _ string) (any, error) { return nil, h.NoteClock(ctx(), 3) }},
		{"a failure", false, false, func(h *house.House, _ string) (any, error) { return nil, h.NoteFailure(ctx(), 7) }},
		{"a late stream", false, false, func(h *house.House, _ string) (any, error) { return nil, h.NoteLateStream(ctx(), 3, 99) }},
		{"an exclusion", false, false, func(h *house.House, key string) (any, error) {
			return nil, h.Exclude(ctx(), key, manager, "cid", 0, "asked by the regulator")
		}},
		{"a time-out", false, false, func(h *house.House, key string) (any, error) {
			return nil, h.TakeTimeOut(ctx(), key, ben, protection.LeastTimeOutMs)
		}},
		{"no new rounds", false, false, func(h *house.House, key string) (any, error) { return nil, h.Drain(ctx(), key, manager) }},
		{"new rounds", false, false, func(h *house.House, key string) (any, error) { return nil, h.Undrain(ctx(), key, manager) }},
	}
	return s, all
}

// Whatever is asked while nothing more can wait to be recorded is refused, and the house is as it
// was before.
func TestWhatFindsNoRoomChangesNothing(t *testing.T) {
	s, all := requests(t)
	s.reopen(func(w *house.World) { w.MostInLine = 1 }) // and half of it for what is not in a round in play
	for _, r := range all {
		before, head := s.Known(), s.store.Head()
		if _, err := r.do(s.House, "k "+r.what); r.asks != (err == nil) || !r.asks && !errors.Is(err, house.ErrOverloaded) {
			t.Errorf("%s: %v", r.what, err)
		}
		if !slices.Equal(s.Known(), before) || s.store.Head() != head {
			t.Errorf("%s: the house knows\n%s\nand knew\n%s", r.what, s.Known(), before)
		}
	}
}

// Whatever is asked while the record cannot be read at the moment ends with that error, at
// whichever of its reads it happens, and the house is as it was before. Asked again with the same
// key, it is done.
func TestAReadThatFailsChangesNothing(t *testing.T) {
	s, all := requests(t)
	var dies *dying
	open := func() {
		t.Helper()
		if err := s.store.Close(); err != nil {
			t.Fatal(err)
		}
		store, err := s.disk.Open(memory.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		s.store, dies = store, &dying{Store: store, left: math.MaxInt, once: true}
		if s.House, _, err = house.Open(ctx(), dies, s.world()); err != nil {
			t.Fatal(err)
		}
	}
	open()
	answers, beside := map[string]any{}, s.readFrom(s.store) // which has read nothing for an answer
	for _, r := range all {
		if r.asks {
			var err error
			if answers[r.what], err = r.do(beside.House, ""); err != nil {
				t.Fatalf("%s: %v", r.what, err)
			}
		}
	}
	failed := 0
	for _, r := range all {
		for n := 0; ; n++ {
			before, head := s.Known(), s.store.Head()
			dies.left = n
			answer, err := r.do(s.House, "k "+r.what)
			died := dies.left < 0
			dies.left = math.MaxInt
			if !died {
				if err != nil {
					t.Errorf("%s: %v", r.what, err)
				}
				break
			}
			failed++
			switch {
			case err == nil && r.snapshot && (!r.asks || reflect.DeepEqual(answer, answers[r.what])):
				continue
			case !errors.Is(err, errDied):
				t.Fatalf("%s: read %d has failed: %v, %+v", r.what, n, err, answer)
			case s.Fault() != nil:
				open() // it has ended with the store, and the program opens both again
				continue
			}
			if !slices.Equal(s.Known(), before) || s.store.Head() != head {
				t.Fatalf("%s: read %d has failed, and the house knows\n%s\nand knew\n%s", r.what, n, s.Known(), before)
			}
		}
	}
	if failed < 50 {
		t.Errorf("%d reads have failed", failed)
	}
	s.restart()
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A house is not opened past a read that fails once: it ends with that error. Only where a snapshot
// was not read, all events are, and the house is as any other.
func TestAReadThatFailsOnceIsNotPassedOver(t *testing.T) {
	s, all := requests(t)
	for _, r := range all {
		if _, err := r.do(s.House, ""); !r.asks && err != nil {
			t.Fatalf("%s: %v", r.what, err)
		}
	}
	s.restart()
	want := s.Known()
	// opened opens the house once for each of its reads, and returns at how many that failed.
	opened := func() (passed, failed int) {
		for n := 0; ; n++ {
			dies := &dying{Store: s.store, left: n, once: true}
			h, err := house.OpenReading(ctx(), dies, s.world())
			switch {
			case dies.left >= 0:
				if err != nil {
					t.Error(err)
				}
				return passed, failed
			case err == nil:
				passed++
				if got := h.Known(); !slices.Equal(got, want) {
					t.Fatalf("read %d was passed over, and the house knows\n%s\ninstead of\n%s", n, got, want)
				}
			case errors.Is(err, errDied) && !errors.Is(err, house.ErrCorrupt):
				failed++
			default:
				t.Errorf("read %d has failed: %v", n, err)
			}
		}
	}
	if passed, failed := opened(); passed == 0 || failed < 30 {
		t.Errorf("from the snapshots: %d reads have failed, and %d were passed over", failed, passed)
	}
	s.all = true
	if passed, failed := opened(); passed > 0 || failed < 80 {
		t.Errorf("from all events: %d reads have failed, and %d were passed over", failed, passed)
	}
}
