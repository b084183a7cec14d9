package house_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// heard takes what a follower has been handed so far.
func heard(f *house.Subscription) (notices []*house.Notice) {
	for {
		n, _ := f.Next()
		if n == nil {
			return notices
		}
		notices = append(notices, n)
	}
}

func TestASubscriberReceivesWhatWasDone(t *testing.T) {
	s := newSite(t)
	all := s.Subscribe(house.Topic{}, 100)
	later := s.Subscribe(house.Topic{Table: "A"}, 100)
	other := s.Subscribe(house.Topic{Table: "B"}, 100)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	bet := s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	meter := s.Subscribe(house.Topic{Jackpot: "linked"}, 100)
	both := s.Subscribe(house.Topic{Table: "A", Jackpot: "linked"}, 100)
	closed := s.do("A", dealer, table.CloseBets{})

	notices := heard(all)
	if len(notices) != 6 {
		t.Fatalf("%d transactions", len(notices))
	}
	install, cage, placed, last := notices[0], notices[1], notices[3], notices[5]
	if install.Table != "A" || install.Jackpot != "linked" || len(install.House) != 3 || install.State.None() || !housetest.Meter(install.Meter).Opened {
		t.Errorf("the installation is told as %+v", install)
	}
	if cage.Table != "" || cage.Cause.Kind != "buy-in" {
		t.Errorf("the buy-in is told as %+v", cage)
	}
	if placed.Seq != bet.Seq || placed.AtMs != bet.AtMs || placed.Round != 1 || placed.Jackpot != "" ||
		!reflect.DeepEqual(housetest.Events(placed.Events), housetest.Events(bet.Events)) || placed.State.OnLayout() != 10*money.Major || placed.Cause.By != "ann" {
		t.Errorf("the bet is told as %+v", placed)
	}
	if last.Seq != closed.Seq || last.Jackpot != "linked" || !reflect.DeepEqual(last.Moved, closed.Moved) || last.Meter.Shown().Meter != 10_002*money.Major {
		t.Errorf("the close of the betting is told as %+v", last)
	}
	if got := heard(later); len(got) != 5 || got[0] != install || got[4] != last {
		t.Errorf("table A heard %d notices", len(got))
	}
	if got := heard(other); len(got) != 0 {
		t.Errorf("table B heard %v", got)
	}
	for _, f := range []*house.Subscription{meter, both} {
		if got := heard(f); len(got) != 1 || got[0] != last {
			t.Errorf("the jackpot heard %d notices", len(got))
		}
	}
	for _, f := range []*house.Subscription{all, later, other, meter, both} {
		f.Close()
		f.Close()
		<-f.Ready()
		if n, open := f.Next(); n != nil || open || f.Err() != nil {
			t.Errorf("closed, and yet: %v, %v, %v", n, open, f.Err())
		}
	}
	s.do("A", dealer, table.Deal{})
}

// A subscriber of a house that was opened just now begins after the end of its record, also
// where nothing has happened since. By this number a stream says what it has left out.
func TestFollowersOfAnOpenedHouseBeginBehindItsRecord(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", money.Major)
	s.restart()
	from := s.Subscribe(house.Topic{}, 10).From()
	if want := s.store.Head().Size - 1; from < 1 || from > want {
		t.Errorf("they begin behind transaction %d, and the record ends with %d", from, want)
	}
	r := s.readFromNothing()
	s.takeAll(r)
	if got := r.Subscribe(house.Topic{}, 10).From(); got < from {
		t.Errorf("of a house that is read they begin behind transaction %d, and of the house behind %d", got, from)
	}
	followed := s.Subscribe(house.Topic{}, 10)
	s.buyIn("ann", money.Major)
	if got := heard(followed); len(got) != 1 || got[0].Seq <= from {
		t.Errorf("they hear %v", got)
	}
}

// Nobody waits for a reader who does not read, and the others miss nothing.
func TestASlowFollowerIsCutOff(t *testing.T) {
	s := newSite(t)
	slow, quick := s.Subscribe(house.Topic{}, 2), s.Subscribe(house.Topic{}, 20)
	for range 5 {
		s.buyIn("ann", money.Major)
	}
	if got := heard(slow); len(got) != 2 || !errors.Is(slow.Err(), house.ErrSubscriberSlow) {
		t.Errorf("the slow one has %d notices, %v", len(got), slow.Err())
	}
	slow.Close()
	if !errors.Is(slow.Err(), house.ErrSubscriberSlow) {
		t.Errorf("closed, it says %v", slow.Err())
	}
	if got := heard(quick); len(got) != 5 || quick.Err() != nil {
		t.Errorf("the quick one has %d notices, %v", len(got), quick.Err())
	}
}

func TestFollowersEndWithTheHouse(t *testing.T) {
	s := newSite(t)
	store := &failing{Store: s.store}
	var err error
	if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
		t.Fatal(err)
	}
	before := s.Subscribe(house.Topic{}, 10)
	s.buyIn("ann", money.Major)
	store.lost = true
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 1}); !errors.Is(err, house.ErrStopped) {
		t.Fatal(err)
	}
	after := s.Subscribe(house.Topic{}, 10)
	for f, want := range map[*house.Subscription]int{before: 1, after: 0} {
		if got := heard(f); len(got) != want {
			t.Errorf("%d notices, want %d", len(got), want)
		}
		<-f.Ready()
		if _, open := f.Next(); open || !errors.Is(f.Err(), house.ErrStopped) {
			t.Errorf("open %v, %v", open, f.Err())
		}
	}
}

// Many tables, one jackpot and the cage at once: every subscriber receives everything that
// concerns it, in the order of the record, once.
func TestSubscribersReceiveInOrder(t *testing.T) {
	const tables, rounds = 6, 4
	s := newSite(t)
	name := func(i int) string { return fmt.Sprintf("T%d", i) }
	followers := map[house.Topic]*house.Subscription{}
	for i := range tables {
		s.install(name(i), "rws-3cp")
		followers[house.Topic{Table: name(i)}] = s.Subscribe(house.Topic{Table: name(i)}, 1000)
	}
	for _, topic := range []house.Topic{{}, {Jackpot: "linked"}} {
		followers[topic] = s.Subscribe(topic, 10_000)
	}
	var seqs [tables][]int64
	var meter sync.Map
	var all sync.WaitGroup
	for i := range tables {
		all.Go(func() {
			person := access.Person{Name: "player of " + name(i), Role: access.Player}
			s.buyIn(person.Name, 1000*money.Major)
			for range rounds {
				for _, do := range []table.Action{
					table.OpenBets{},
					ante(person, 1, 10*money.Major),
					table.Bet{Box: 1, Player: person.Name, Wager: rules.Progressive, Amount: 5 * money.Major},
					table.CloseBets{},
					table.Deal{},
					table.Raise{Box: 1, Player: person.Name},
					table.Reveal{},
					table.Settle{},
				} {
					by := dealer
					switch do.(type) {
					case table.Bet, table.Raise:
						by = person
					}
					r, err := s.Do(ctx(), house.CommandRequest{Table: name(i), By: by, Do: do})
					if err != nil {
						t.Error(record.Actions.Name(do), err)
						return
					}
					seqs[i] = append(seqs[i], r.Seq)
					if len(r.Moved) > 0 {
						meter.Store(r.Seq, nil)
					}
				}
			}
		})
	}
	all.Wait()
	for i := range tables {
		got := map[int64]bool{}
		for _, n := range ordered(t, heard(followers[house.Topic{Table: name(i)}])) {
			got[n.Seq] = true
			if n.Table != name(i) {
				t.Errorf("%s heard of %s", name(i), n.Table)
			}
		}
		for _, seq := range seqs[i] {
			if !got[seq] {
				t.Errorf("%s did not hear of %d", name(i), seq)
			}
		}
	}
	var state jackpot.State
	for i, n := range ordered(t, heard(followers[house.Topic{Jackpot: "linked"}])) {
		if i > 0 {
			var err error
			for _, e := range housetest.JackpotEvents(n.Moved) {
				if state, err = jackpot.Evolve(state, e); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(state, housetest.Meter(n.Meter)) {
				t.Fatalf("after %d the jackpot is %+v, want %+v", n.Seq, housetest.Meter(n.Meter), state)
			}
		}
		state = housetest.Meter(n.Meter)
		meter.Delete(n.Seq)
	}
	meter.Range(func(seq, _ any) bool {
		t.Errorf("the jackpot did not hear of %v", seq)
		return true
	})
	// The installations came before, the buy-ins are among them.
	if total := len(ordered(t, heard(followers[house.Topic{}]))); total != tables*(1+8*rounds) {
		t.Errorf("%d notices of everything, want %d", total, tables*(1+8*rounds))
	}
}

func ordered(t *testing.T, notices []*house.Notice) []*house.Notice {
	t.Helper()
	for i := 1; i < len(notices); i++ {
		if notices[i].Seq <= notices[i-1].Seq {
			t.Errorf("%d comes after %d", notices[i].Seq, notices[i-1].Seq)
		}
	}
	return notices
}
