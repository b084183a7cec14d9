package house_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// round plays a round of one box with a Progressive bet.
func (s *site) round(name string, person access.Person) error {
	for _, o := range []struct {
		by access.Person
		do table.Action
	}{
		{dealer, table.OpenBets{}},
		{person, ante(person, 1, 10*money.Major)},
		{person, table.Bet{Box: 1, Player: person.Name, Wager: rules.Progressive, Amount: 5 * money.Major}},
		{dealer, table.CloseBets{}},
		{dealer, table.Deal{}},
		{person, table.Raise{Box: 1, Player: person.Name}},
		{dealer, table.Reveal{}},
		{dealer, table.Settle{}},
	} {
		if _, err := s.Do(ctx(), house.CommandRequest{Table: name, By: o.by, Do: o.do}); err != nil {
			return fmt.Errorf("%s at %s: %w", record.Actions.Name(o.do), name, err)
		}
	}
	return nil
}

// since reads the past of a topic.
func (s *site) since(topic house.Topic, after int64) (notices []*house.Notice) {
	s.Helper()
	if err := s.EventsSince(ctx(), topic, after, func(n *house.Notice) error { notices = append(notices, n); return nil }); err != nil {
		s.Fatal(err)
	}
	return notices
}

// asPast returns a notice as the past hands it to the readers of a topic.
func asPast(n house.Notice, topic house.Topic) house.Notice {
	if topic.Table == "" || n.Table != topic.Table {
		n.State = house.State{}
		if topic != (house.Topic{}) { // whoever follows all tables is told the round of each
			n.Round = 0
		}
		n.Events = housetest.EventsOf(housetest.Events(n.Events))
	}
	if topic.Jackpot == "" || n.Jackpot != topic.Jackpot {
		n.Meter = house.Meter{}
	}
	return n
}

// A subscriber receives the same as a later reader of the past, from any number on, in this
// house and in the next one on the same record.
func TestThePastIsWhatSubscribersReceived(t *testing.T) {
	steady.Sequential(t)
	s := newSite(t)
	topics := []house.Topic{{}, {Table: "A"}, {Table: "B"}, {Jackpot: "linked"}, {Table: "A", Jackpot: "linked"}, {Table: "no such"}}
	followers := make([]*house.Subscription, len(topics))
	for i, topic := range topics {
		followers[i] = s.Subscribe(topic, 10_000)
	}
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 10_000*money.Major)
	s.buyIn("ben", 10_000*money.Major)
	const rounds = 36 // more transactions than are read at once
	for n := range rounds {
		for name, person := range map[string]access.Person{"A": ann, "B": ben} {
			if n == 20 && name == "A" {
				small := variant(t, "rws-3cp")
				small.Boxes = 3
				if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: small}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.AddSeed(ctx(), "", person, name, 0, "mine"); err != nil {
				t.Fatal(err)
			}
			if err := s.round(name, person); err != nil {
				t.Fatal(err)
			}
		}
	}
	received := make([][]*house.Notice, len(topics))
	for i, f := range followers {
		f.Close()
		received[i] = heard(f)
	}
	for range 2 {
		for i, topic := range topics {
			past := s.since(topic, 0)
			if len(past) != len(received[i]) {
				t.Fatalf("%+v: the past has %d notices, heard were %d", topic, len(past), len(received[i]))
			}
			for k, n := range past {
				if want := asPast(*received[i][k], topic); !reflect.DeepEqual(*n, want) {
					t.Fatalf("%+v: the past tells\n%+v, heard was\n%+v", topic, *n, want)
				}
			}
			for k := 0; k < len(past); k += 1 + len(past)/pastSteps {
				if rest := s.since(topic, past[k].Seq); !reflect.DeepEqual(rest, past[k+1:]) && len(rest)+len(past[k+1:]) > 0 {
					t.Fatalf("%+v: after %d the past tells otherwise", topic, past[k].Seq)
				}
			}
		}
		s.restart()
	}
	if n := len(received[1]); n != 1+rounds*9+1 {
		t.Errorf("table A was told of %d times", n)
	}
	enough := errors.New("enough")
	if err := s.EventsSince(ctx(), house.Topic{}, 0, func(*house.Notice) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("stopped by its reader: %v", err)
	}
	over, cancel := context.WithCancel(ctx())
	cancel()
	for _, topic := range topics[:5] {
		if err := s.EventsSince(over, topic, 0, func(*house.Notice) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, for somebody who left: %v", topic, err)
		}
	}
}

// A reader who subscribes first and asks for the past then misses nothing and receives nothing
// twice, whenever they come.
func TestFollowingAndThePastFitTogether(t *testing.T) {
	const tables, readers = 3, 8
	rounds := steady.Tries(6, 12)
	s := newSite(t)
	name := func(i int) string { return fmt.Sprintf("T%d", i) }
	topics := []house.Topic{{}, {Jackpot: "linked"}}
	for i := range tables {
		s.install(name(i), "rws-3cp")
		topics = append(topics, house.Topic{Table: name(i)})
	}
	var reached atomic.Int64
	var playing, reading sync.WaitGroup
	end := make(chan struct{})
	for i := range tables {
		playing.Go(func() {
			person := access.Person{Name: fmt.Sprintf("p%d", i), Role: access.Player}
			s.buyIn(person.Name, 10_000*money.Major)
			for range rounds {
				if err := s.round(name(i), person); err != nil {
					t.Error(err)
					return
				}
				reached.Add(1)
			}
		})
	}
	type reader struct {
		topic house.Topic
		after int64
		seqs  []int64
	}
	var mu sync.Mutex
	var all []*reader
	for i := range readers {
		reading.Go(func() {
			for n := 0; ; n++ {
				r := &reader{topic: topics[(i+n)%len(topics)], after: int64(7 * i)}
				f := s.Subscribe(r.topic, 10_000)
				last := r.after
				if err := s.EventsSince(ctx(), r.topic, r.after, func(n *house.Notice) error {
					r.seqs, last = append(r.seqs, n.Seq), n.Seq
					return nil
				}); err != nil {
					t.Error(err)
				}
				over := false
				select {
				case <-end:
					over = true
				default:
				}
				f.Close()
				for _, n := range heard(f) {
					if n.Seq > last {
						r.seqs = append(r.seqs, n.Seq)
					}
				}
				mu.Lock()
				all = append(all, r)
				mu.Unlock()
				if over {
					return
				}
			}
		})
	}
	playing.Wait()
	close(end)
	reading.Wait()
	type place struct {
		topic house.Topic
		after int64
	}
	pasts := map[place][]*house.Notice{} // The house stands still: each is read once.
	for _, r := range all {
		from := place{r.topic, r.after}
		if _, read := pasts[from]; !read {
			pasts[from] = s.since(r.topic, r.after)
		}
		complete := pasts[from]
		if len(r.seqs) > len(complete) {
			t.Fatalf("%+v after %d: heard %d, there are %d", r.topic, r.after, len(r.seqs), len(complete))
		}
		for i, seq := range r.seqs {
			if complete[i].Seq != seq {
				t.Fatalf("%+v after %d: heard %v, there is %d at place %d", r.topic, r.after, r.seqs, complete[i].Seq, i)
			}
		}
	}
	if reached.Load() != int64(tables*rounds) || len(all) < readers {
		t.Errorf("%d rounds, %d readers", reached.Load(), len(all))
	}
}

// A snapshot that is damaged, of another record or of other rules costs time and
// nothing else.
func TestADamagedSnapshotIsDoneWithout(t *testing.T) {
	for name, statement := range map[string]string{
		"none":                  "DELETE FROM snapshot",
		"empty":                 "UPDATE snapshot SET body = x''",
		"cut":                   "UPDATE snapshot SET body = substr(body, 1, length(body) - 1)",
		"an amount":             `UPDATE snapshot SET body = CAST(replace(CAST(body AS TEXT), '"round":', '"round":1') AS BLOB)`,
		"another's":             "UPDATE snapshot SET stream = (SELECT other.id FROM stream AS whose, stream AS other WHERE whose.id = stream AND whose.name LIKE 'table:%' AND other.name LIKE 'table:%' AND other.id != whose.id) WHERE stream IN (SELECT id FROM stream WHERE name LIKE 'table:%')",
		"another moment's":      "UPDATE snapshot SET version = version - 1",
		"of an earlier moment":  "UPDATE snapshot SET id = id - 16",
		"without a transaction": "UPDATE snapshot SET id = id + 16000",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSiteOnFile(t)
			s.install("A", "rws-3cp")
			s.install("B", "rws-3cp")
			s.buyIn("ann", 1000*money.Major)
			s.buyIn("ben", 1000*money.Major)
			for range 2 {
				if err := errors.Join(s.round("A", ann), s.round("B", ben)); err != nil {
					t.Fatal(err)
				}
			}
			s.do("A", dealer, table.OpenBets{})
			var before []table.State
			for _, name := range s.Tables() {
				state, err := housetest.Table(s, name)
				if err != nil {
					t.Fatal(err)
				}
				before = append(before, state)
			}
			s.edit(statement)
			s.open()
			for i, name := range s.Tables() {
				state, err := housetest.Table(s, name)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(state, before[i]) {
					t.Errorf("table %s is\n%+v, and was\n%+v", name, state, before[i])
				}
				if n := len(s.since(house.Topic{Table: name}, 0)); n < 17 {
					t.Errorf("the past of table %s has %d notices", name, n)
				}
			}
			if err := errors.Join(s.Audit(), s.round("B", ben)); err != nil {
				t.Error(err)
			}
		})
	}
}

// A jackpot is written down from time to time, and read from there.
func TestAJackpotIsReadFromItsSnapshot(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100_000*money.Major)
	for range 60 {
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.store.Snapshot(ctx(), "jackpot:linked", -1); err != nil {
		t.Fatal(err)
	}
	before, _ := s.Jackpot("linked")
	for range 2 {
		s.restart()
		if after, _ := s.Jackpot("linked"); !reflect.DeepEqual(after, before) {
			t.Errorf("all %t: the jackpot is\n%+v, and was\n%+v", s.all, after, before)
		}
		s.all = true
	}
	if err := s.round("A", ann); err != nil {
		t.Error(err)
	}
}
