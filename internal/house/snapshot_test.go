package house_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/internal/stored"
	"trey/money"
	"trey/table"
)

// gift returns goodwill for a player.
func gift(player string) house.AdjustAccount {
	return house.AdjustAccount{Adjustment: posting.Adjustment{Player: player, Cause: posting.Goodwill, Change: money.Major, Note: "a gift"}}
}

// limit sets the limit of a player's stakes.
func (s *site) limit(period protection.Period, most int64) error {
	return s.SetLimit(ctx(), "", ann, protection.Key{Kind: protection.Stake, Period: period}, &most)
}

// busy returns a house with every event of its own stream and of its protection of players that
// a start has to read. It has more events after each than between two snapshots.
func busy(t *testing.T) *site {
	t.Helper()
	s := newSiteOnFile(t)
	s.apart = true // what stopped the tables is not in the record
	for _, name := range []string{"A", "B", "C"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", money.Major)
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		_, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: s.limits("A", money.Amount(7+i)*money.Major)})
		do(err)
		if i%2 == 0 {
			do(s.round("A", ann)) // two changes before one round, and one before the next
		}
	}
	_, err := s.CheckSoftware(ctx(), house.Software{Version: "1", Books: map[string]string{"rws-3cp@3": "x"}}, nil)
	do(err)
	_, err = s.CheckSoftware(ctx(), house.Software{Version: "2"}, house.Settings{"cage.day": "100"})
	do(err, s.NoteLateStream(ctx(), 3, 99), s.NoteFailure(ctx(), 7))
	s.Halt("B", errors.New("a fault"))
	s.Halt("C", errors.New("a fault"))
	if _, err := s.Release(ctx(), "", manager, "C", "looked into"); err != nil {
		t.Fatal(err)
	}
	waits := s.propose(manager, gift("ben"))
	for i := range 120 {
		id := s.propose(manager, gift("ann"))
		if i%2 == 0 {
			do(s.Decline(ctx(), "", manager, id, "not now"))
			continue
		}
		_, err := s.Approve(ctx(), "", second, id)
		do(err)
	}
	late := s.propose(manager, gift("ben"))
	do(s.Decline(ctx(), "", manager, waits, "after many others"))
	if late != waits+121 {
		t.Fatalf("proposal %d", late)
	}
	do(s.limit(protection.Day, 500_000), s.limit(protection.Week, 900_000), s.limit(protection.Day, 700_000))
	bet := func(amount money.Amount) error {
		_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, amount)})
		return err
	}
	s.do("A", dealer, table.OpenBets{})
	do(s.limit(protection.Round, 1))
	if err := bet(30 * money.Major); err == nil {
		t.Fatal("a bet beyond a limit was taken")
	}
	do(
		s.TakeTimeOut(ctx(), "", ann, protection.LeastTimeOutMs),
		s.Exclude(ctx(), "", ben, "ben", protection.LeastExclusionMs, ""),
		s.Exclude(ctx(), "", manager, "cid", 0, "asked by the regulator"),
	)
	if err := bet(30 * money.Major); err == nil {
		t.Fatal("a bet within a time-out was taken")
	}
	for i := range 2 * int64(house.EventsBetweenSnapshots) {
		do(s.limit(protection.Month, 5_000_000-i))
	}
	return s
}

// streamCounting counts the events of each stream that a start reads.
type streamCounting struct {
	house.Store
	events map[string]int
}

func (c *streamCounting) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return c.Store.Read(ctx, stream, after, func(r house.StoredEvent) error {
		c.events[stream]++
		return yield(r)
	})
}

// A house is the same from the snapshots of its own stream and of the protection of players as
// from all their events. One that is damaged, of another event, of another form or that leads
// nowhere is left alone.
func TestAHouseIsReadFromItsSnapshots(t *testing.T) {
	steady.Sequential(t)
	s := busy(t)
	s.all = true
	s.restart() // what was found of a fault is not recorded, but that there was one
	want := s.Known()
	opened := func(all bool) map[string]int {
		t.Helper()
		if err := s.store.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if s.store, err = sqlite.Open(ctx(), s.path); err != nil {
			t.Fatal(err)
		}
		store := &streamCounting{Store: s.store, events: map[string]int{}}
		w := s.world()
		w.ReplayAll = all
		if s.House, _, err = house.Open(ctx(), store, w); err != nil {
			t.Fatal(err)
		}
		if got := s.Known(); !slices.Equal(got, want) {
			for i, line := range got {
				if i >= len(want) || line != want[i] {
					t.Fatalf("all %t: the house knows\n%s\nand knew\n%s", all, line, strings.Join(want[min(i, len(want)-1):], "\n"))
				}
			}
			t.Fatalf("all %t: the house knows less than\n%s", all, strings.Join(want, "\n"))
		}
		return store.events
	}
	streams := []string{"house", "protection"}
	every := opened(true)
	for _, stream := range streams {
		if every[stream] < 2*house.EventsBetweenSnapshots {
			t.Fatalf("%s has %d events only", stream, every[stream])
		}
	}
	least := opened(false)
	for _, stream := range streams {
		if least[stream] > house.EventsBetweenSnapshots {
			t.Errorf("of the %d events of %s a start reads %d", every[stream], stream, least[stream])
		}
	}
	for what, change := range map[string]func(body string) string{
		"no JSON":         func(string) string { return "{" },
		"of another form": func(body string) string { return strings.Replace(body, `"form":`, `"form":1`, 1) },
		"a kind that is not known": func(body string) string {
			return strings.NewReplacer(`"kind":"table-installed"`, `"kind":"table-found"`, `"kind":"stake"`, `"kind":"steak"`).Replace(body)
		},
	} {
		for _, stream := range streams {
			s.reseal(stream, change)
			if read := opened(false); read[stream] < every[stream] {
				t.Errorf("%s, %s: %d of %d events are read", what, stream, read[stream], every[stream])
			}
		}
	}
	// It holds together, and leads nowhere: a table has rules that were never stated.
	s.reseal("house", func(body string) string {
		return strings.Replace(strings.Replace(body, `"form":1`, `"form":`, 1), `"kind":"terms-stated"`, `"kind":"drained"`, 1)
	})
	opened(false)
}

// reseal changes the latest snapshot of a stream, and its hash with it.
func (s *site) reseal(stream string, change func(body string) string) {
	s.Helper()
	found, err := s.store.Snapshot(ctx(), stream, -1)
	if err != nil {
		s.Fatal(err)
	}
	_, body, _ := bytes.Cut(found.Body, []byte("\n"))
	other := house.SealSnapshot(stream, found.Version, []byte(change(string(body))))
	s.edit("UPDATE snapshot SET body = ? WHERE stream = (SELECT id FROM stream WHERE name = ?) AND id = (SELECT max(s.id) FROM snapshot s WHERE s.stream = snapshot.stream)", other, stream)
	if s.store, err = sqlite.Open(ctx(), s.path); err != nil {
		s.Fatal(err)
	}
}

// An audit holds every snapshot of the house's own stream and of the protection of players
// against what the events come to.
func TestAnAuditChecksTheSnapshotsOfAHouse(t *testing.T) {
	steady.Sequential(t)
	s := busy(t)
	found := func() (all []string) {
		t.Helper()
		list, err := auditor.CheckRounds(ctx(), s.store)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list {
			all = append(all, one.What)
		}
		return all
	}
	if all := found(); len(all) > 0 {
		t.Fatalf("before any change: %s", strings.Join(all, "\n"))
	}
	for _, edit := range []struct{ stream, from, to string }{
		{"house", `"kind":"table-stopped"`, `"kind":"drained"`},
		{"house", `"through":3`, `"through":4`},
		{"house", `{"version":1,`, `{"version":2,`},
		{"protection", `"most":700000`, `"most":7000000`},
		{"protection", `,"excluded":{`, `,"expelled":{`},
		{"protection", `"refused":[{`, `"refuted":[{`},
		{"protection", `"player":"#`, `"player":"#9`},
	} {
		was := ""
		s.reseal(edit.stream, func(body string) string { was = body; return strings.Replace(body, edit.from, edit.to, 1) })
		if !strings.Contains(was, edit.from) {
			t.Fatalf("%s is not in %s", edit.from, was)
		}
		all := found()
		if !slices.ContainsFunc(all, func(what string) bool { return strings.Contains(what, fmt.Sprintf("the snapshot of %s ", edit.stream)) }) {
			t.Errorf("%s for %s in %s: %s", edit.to, edit.from, edit.stream, strings.Join(all, "\n"))
		}
		s.reseal(edit.stream, func(string) string { return was })
	}
	if all := found(); len(all) > 0 {
		t.Errorf("after all changes were taken back: %s", strings.Join(all, "\n"))
	}
}

// Of each kind of event of the house's own stream somebody has decided for how long it counts.
// One without a decision would be kept for ever, and read whenever a house is opened. Of each kind
// a house that is opened knows what it changes.
func TestOwnEventsCountAsDecided(t *testing.T) {
	examples, err := housetest.Examples("../record/testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	decided := map[string]bool{}
	for _, example := range examples {
		if example.Group != "house" {
			continue
		}
		e, err := house.DecodeOwn(example.Event())
		if err != nil {
			t.Fatal(err)
		}
		decided[stored.Name(example.Kind)] = true
		if house.Undecided(e) {
			t.Errorf("nobody has decided for how long %s counts: add it to ownFold.put in own_snapshot.go", example.Kind)
		}
		s := newSite(t)
		s.apart = true // it knows what does not stand in its record
		if s.NotApplied(e) {
			t.Errorf("a house that is opened does nothing with %s: add it to House.apply in recover.go", example.Kind)
		}
	}
	for _, kind := range house.OwnEvents.Names() {
		if !decided[kind] {
			t.Errorf("there is no example of %s: go test ./internal/record -update adds it", kind)
		}
	}
}
