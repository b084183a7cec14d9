package house_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/housetest"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// read returns the events of a stream.
func (s *site) read(stream string) []house.StoredEvent {
	s.Helper()
	var all []house.StoredEvent
	if err := house.Named(s.store).Read(ctx(), stream, 0, func(r house.StoredEvent) error { all = append(all, r); return nil }); err != nil {
		s.Fatal(err)
	}
	return all
}

func (s *site) kinds(stream string) string {
	var kinds []string
	for _, r := range s.read(stream) {
		kinds = append(kinds, r.Kind)
	}
	return strings.Join(kinds, " ")
}

// revealed returns the seed that was revealed for a round.
func (s *site) revealed(name string, round int) shuffle.Seed {
	s.Helper()
	for _, r := range s.read("deal:" + name) {
		var e fair.Revealed
		if r.Kind == e.Kind() && json.Unmarshal(r.Body, &e) == nil && e.Round == round {
			return e.Seed
		}
	}
	s.Fatalf("the seed of round %d is not revealed", round)
	return shuffle.Seed{}
}

func (s *site) bet(name string) {
	s.Helper()
	s.do(name, dealer, table.OpenBets{})
	s.do(name, ann, ante(ann, 1, 10*money.Major))
}

func (s *site) finish(name string) house.Result {
	s.Helper()
	s.do(name, ann, table.Raise{Box: 1, Player: "ann"})
	s.do(name, dealer, table.Reveal{})
	return s.do(name, dealer, table.Settle{})
}

func dealt(s *table.State) []card.Card {
	all := make([]card.Card, len(s.Slots))
	for i := range s.Slots {
		all[i] = s.Slots[i].Card
	}
	return all
}

// The cards of a round come from a deck that was committed to before its bets. The deck follows
// from the seeds as docs/fair-dealing.md describes.
func TestTheDeckIsCommittedTo(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	heard := s.Subscribe(house.Topic{Table: "A"}, 100)
	defer heard.Close()
	for round := 1; round <= 3; round++ {
		n, hash, playerSeeds, ok := s.Commitment("A")
		if !ok || n != round || len(playerSeeds) != 0 {
			t.Fatalf("round %d: committed to round %d with %v", round, n, playerSeeds)
		}
		var lines []string
		if round > 1 {
			if _, err := s.AddSeed(ctx(), "", ben, "A", 0, "before the bets"); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("own 2 %s 15 before the bets\n", s.token("ben")))
		}
		s.bet("A")
		if round > 2 {
			if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "sieben ♣"); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("own 2 %s 10 sieben ♣\n", s.token("ann")))
		}
		if still, hash2, _, _ := s.Commitment("A"); still != round || hash2 != hash {
			t.Fatalf("round %d: now it is committed to %d %s", round, still, hash2)
		}
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 2)})
		s.restart() // within the grace: the round goes on
		s.do("A", dealer, table.Deal{})
		r := s.finish("A")
		seed := s.revealed("A", round)
		if got := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %x\ntable A\n", round, seed[:])); got != hash {
			t.Errorf("round %d: the seed revealed is not the one committed to", round)
		}
		deck := shuffle.Shuffle(sha256.Sum256(fmt.Appendf(nil, "trey deck 1\ncommitment %x\nseed %x\n%s", hash[:], seed[:], strings.Join(slices.Sorted(slices.Values(lines)), ""))))
		state := housetest.State(r.State)
		if got := dealt(&state); len(got) < 6 || !reflect.DeepEqual(got, deck[:len(got)]) {
			t.Errorf("round %d: dealt were %v, and the deck is %v", round, got, deck)
		}
	}
	if got, want := s.kinds("deal:A"), "seed-committed seed-revealed seed-committed seed-added seed-revealed seed-committed seed-added seed-added seed-revealed seed-committed"; got != want {
		t.Errorf("the stream holds %s, want %s", got, want)
	}
	if got := s.kinds("sealed:A"); got != "seed-sealed seed-sealed seed-sealed seed-sealed" {
		t.Errorf("sealed are %s", got)
	}
}

// TestASeedNamesItsRound sends seeds for a round before, in and after the one whose deck comes
// next. A request that was long on its way reaches no other deck than the one it names.
func TestASeedNamesItsRound(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	late := func(round int) {
		t.Helper()
		var refused *table.Refusal
		_, err := s.AddSeed(ctx(), "", ann, "A", round, "for another")
		if !errors.As(err, &refused) || refused.Reason != table.WrongPhase || !strings.Contains(refused.Detail, fmt.Sprintf("for round %d", round)) {
			t.Errorf("a seed for round %d: %v", round, err)
		}
	}
	for round := 1; round <= 2; round++ {
		late(round + 1)
		s.bet("A")
		seq, err := s.AddSeed(ctx(), fmt.Sprint("k", round), ann, "A", round, "mine")
		if err != nil {
			t.Fatal(err)
		}
		s.do("A", dealer, table.CloseBets{})
		if _, err := s.AddSeed(ctx(), "", ann, "A", round, "mine"); err == nil || !strings.Contains(err.Error(), "the bets are closed") {
			t.Errorf("after the bets of round %d: %v", round, err)
		}
		s.do("A", dealer, table.Deal{})
		s.finish("A")
		late(round)
		// What was done is answered again, whichever round it is now.
		if again, err := s.AddSeed(ctx(), fmt.Sprint("k", round), ann, "A", round, "mine"); err != nil || again != seq {
			t.Errorf("asked again: %d, %v, want %d", again, err, seq)
		}
		if r := s.proven("A", round); len(r.Seed.Own) != 1 || r.Seed.Own[0].Text != "mine" {
			t.Errorf("round %d has the seeds %+v", round, r.Seed.Own)
		}
	}
}

// Everybody hears of commitments and seeds, and of none that is still sealed.
func TestNoticesOfSeeds(t *testing.T) {
	s := newSite(t)
	follower := s.Subscribe(house.Topic{}, 100)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	if _, err := s.AddSeed(ctx(), "", ben, "A", 0, "x"); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	var kinds []string
	follower.Close()
	for _, n := range heard(follower) {
		for _, e := range n.Deal {
			kinds = append(kinds, n.Cause.Kind+" "+e.Kind)
			if n.Table != "A" {
				t.Errorf("%s is of table %q", e.Kind, n.Table)
			}
		}
		for _, e := range n.Deal {
			if e.Kind == "seed-sealed" {
				t.Error("a sealed seed is handed out")
			}
		}
	}
	want := []string{"install-table seed-committed", "add-seed seed-added", "settle seed-revealed", "settle seed-committed"}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("heard was %q, want %q", kinds, want)
	}
}

// A round that is void, by a stop or by a report, has its seed revealed too; and
// an error found after the settlement reveals nothing twice.
func TestEverySeedIsRevealedOnce(t *testing.T) {
	void := table.Report{Incident: rules.TechnicalInterruption, LastedMs: rules.DefaultGraceMs}
	for name, end := range map[string]func(s *site){
		"in mid-deal": func(s *site) {
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 2)})
			s.do("A", dealer, void)
		},
		"before the deal": func(s *site) { s.do("A", dealer, void) },
		"by a stop of the house": func(s *site) {
			s.clock.Add(rules.DefaultGraceMs)
			if stops := s.restart(); len(stops) != 1 || stops[0].Outcome != rules.Void {
				s.Fatalf("interrupted: %+v", stops)
			}
		},
		"after the settlement": func(s *site) {
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, table.Deal{})
			s.finish("A")
			s.do("A", supervisor, table.Report{Incident: rules.Uncovered, Note: "the layout was not that of this table"})
			r := s.do("A", manager, table.Answer{Answer: "void"})
			if r.State.Phase() != table.Voided {
				s.Fatalf("the round is %s", r.State.Phase())
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.install("A", "rws-3cp")
			s.buyIn("ann", 100*money.Major)
			_, hash, _, _ := s.Commitment("A")
			s.bet("A")
			end(s)
			if got := s.kinds("deal:A"); got != "seed-committed seed-revealed seed-committed" {
				t.Errorf("the stream holds %s", got)
			}
			if fair.Commit("A", 1, s.revealed("A", 1)) != hash {
				t.Error("the seed revealed is not the one committed to")
			}
			s.restart()
			if n, _, _, ok := s.Commitment("A"); !ok || n != 2 {
				t.Errorf("then round %d is committed to", n)
			}
			s.bet("A")
		})
	}
}

func TestWhoMayAddASeed(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	v := variant(t, "us-3cp")
	byHand := house.Table{Name: "B", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Read, Chips: true}}
	if err := s.Install(ctx(), byHand, admin); err != nil {
		t.Fatal(err)
	}
	if _, _, _, ok := s.Commitment("B"); ok {
		t.Error("cards dealt by hand are committed to")
	}
	if _, _, _, ok := s.Commitment("C"); ok {
		t.Error("a table that is not there commits to something")
	}
	s.buyIn("ann", 100*money.Major)
	guest := access.Person{Name: "gus", Role: access.Guest}
	add := func(by access.Person, name, text string) error {
		_, err := s.AddSeed(ctx(), "", by, name, 0, text)
		return err
	}
	reason := func(want table.Reason, by access.Person, name, text string) {
		t.Helper()
		var refusal *table.Refusal
		if err := add(by, name, text); !errors.As(err, &refusal) || refusal.Reason != want {
			t.Errorf("%s adds %q: %v", by.Name, text, err)
		}
	}
	for _, by := range []access.Person{dealer, supervisor, manager, cashier, admin, {Name: "sid", Role: access.Surveillance}, {Name: "ann"}} {
		var denied *access.Denied
		if err := add(by, "A", "x"); !errors.As(err, &denied) {
			t.Errorf("%s: %v", by.Role, err)
		}
	}
	reason(table.NotInGame, ann, "B", "x")
	if err := add(ann, "C", "x"); !errors.Is(err, house.ErrNoTable) {
		t.Error(err)
	}
	if err := add(access.Person{Name: strings.Repeat("x", 201), Role: access.Player}, "A", "x"); !errors.Is(err, house.ErrBadName) {
		t.Error(err)
	}
	for _, bad := range []string{"", "\xff", "a\nb", strings.Repeat("x", 65)} {
		reason(table.Malformed, ann, "A", bad)
	}
	if err := add(guest, "A", "x"); err != nil {
		t.Error(err)
	}
	for n := range fair.MaxChanges {
		if err := add(ann, "A", fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	reason(table.AlreadyDone, ann, "A", "x")
	// The limit of changes is the same after a restart, and so are the seeds.
	s.restart()
	reason(table.AlreadyDone, ann, "A", "x")
	_, _, playerSeeds, _ := s.Commitment("A")
	if want := []fair.Own{{Player: "ann", Text: "7"}, {Player: "gus", Text: "x"}}; !reflect.DeepEqual(playerSeeds, want) {
		t.Errorf("the seeds are %v, want %v", playerSeeds, want)
	}
	s.bet("A")
	for n := len(playerSeeds); n < fair.MaxPlayers; n++ {
		if err := add(access.Person{Name: fmt.Sprint("p", n), Role: access.Player}, "A", "x"); err != nil {
			t.Fatal(err)
		}
	}
	reason(table.AreaFull, ben, "A", "x")
	// Those who have bet have a place before those who have not.
	s.buyIn("ben", 100*money.Major)
	s.do("A", ben, ante(ben, 2, 10*money.Major))
	if err := add(ben, "A", "mine"); err != nil {
		t.Fatal(err)
	}
	s.restart()
	_, _, playerSeeds, _ = s.Commitment("A")
	names := map[string]bool{}
	for _, o := range playerSeeds {
		names[o.Player] = true
	}
	if len(playerSeeds) != fair.MaxPlayers || !names["ann"] || !names["ben"] || names["gus"] {
		t.Errorf("then the seeds are %v", playerSeeds)
	}
	for _, do := range []table.Action{table.CloseBets{}, table.Deal{}} {
		s.do("A", dealer, do)
		reason(table.WrongPhase, guest, "A", "y")
	}
	s.do("A", ben, table.Raise{Box: 2, Player: "ben"})
	s.finish("A")
	if err := add(guest, "A", "y"); err != nil {
		t.Error(err)
	}
}

func TestASeedUnderItsKey(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	first, err := s.AddSeed(ctx(), "k", ann, "A", 0, "x")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if seq, err := s.AddSeed(ctx(), "k", ann, "A", 0, "x"); err != nil || seq != first {
			t.Errorf("again: %d instead of %d, %v", seq, first, err)
		}
		if _, err := s.AddSeed(ctx(), "k", ann, "A", 0, "y"); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("the key with another seed: %v", err)
		}
		s.restart()
	}
	if got := s.kinds("deal:A"); got != "seed-committed seed-added" {
		t.Errorf("the stream holds %s", got)
	}
	// A round's end is answered as it was, too.
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	order := house.CommandRequest{Key: "k", Table: "A", By: dealer, Do: table.Settle{}}
	r, err := s.Do(ctx(), order)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Do(ctx(), order); err != nil || !again.Repeated || !reflect.DeepEqual(again.Events, r.Events) || len(again.Moved) != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}
