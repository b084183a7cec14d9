package house_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// The steps of a round end with it, whatever was played since.
func TestTheStepsOfARoundEndWithIt(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	for range 3 {
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	for n := 1; n <= 3; n++ {
		steps := 0
		if err := s.Ended(ctx(), "A", n, func(step *house.EndedStep) error {
			if steps++; step.State.Round != n {
				t.Errorf("step %d of round %d belongs to round %d", steps, n, step.State.Round)
			}
			return nil
		}); err != nil || steps < 8 {
			t.Errorf("round %d has %d steps, %v", n, steps, err)
		}
	}
}

// A round is proven from the record wherever the jackpot that it is played for was written down:
// before it, in it, and with its first or its last step.
func TestARoundIsReadWhereverTheJackpotIsWrittenDown(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 10_000*money.Major)
	for n := range house.EventsBetweenSnapshots {
		for range n % 4 {
			id := s.propose(supervisor, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustTransferIn, Change: money.Major, Note: "n"})
			if _, err := s.Approve(ctx(), "", manager, id); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	s.restart()
	if rounds := s.provenAll(); rounds != house.EventsBetweenSnapshots {
		t.Errorf("%d rounds were proven", rounds)
	}
}

// Of proposals that rest on no wager a house keeps the latest alone: its snapshot does not grow with
// each.
func TestDecidedProposalsAreLetGo(t *testing.T) {
	s := newSite(t)
	s.apart = true // that there were so many takes long to read
	s.buyIn("ann", money.Major)
	sizes := [2]int{}
	for i := range sizes {
		for range 120 {
			if _, err := s.Approve(ctx(), "", second, s.propose(manager, gift("ann"))); err != nil {
				t.Fatal(err)
			}
		}
		latest, err := s.store.Snapshot(ctx(), "house", -1)
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = len(latest.Body)
	}
	if sizes[1] > sizes[0]+sizes[0]/10 {
		t.Errorf("after 120 proposals the snapshot has %d bytes, and after 240 it has %d", sizes[0], sizes[1])
	}
}

// A transaction with a sealed seed that cannot be read is corrupt for whoever lists the keys.
func TestASealedSeedThatCannotBeRead(t *testing.T) {
	keys := house.SealedKeys{"A": "k"}
	tx := house.StoredTransaction{Parts: []house.StreamAppend{{Stream: "sealed:A", Events: []house.Event{{Kind: "sealed", Body: []byte(`{"key":1}`)}}}}}
	if err := keys.Take(&tx); !errors.Is(err, house.ErrCorrupt) || keys["A"] != "k" {
		t.Errorf("it is read as %q: %v", keys["A"], err)
	}
}

// A card that everybody has seen is tried out as the card that it is.
func TestACardThatWasSeenIsTriedOut(t *testing.T) {
	s := newSite(t)
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	s.annPlays("Kh", "9c", "5s", "Qd", "9h", "5d")
	for face, refused := range map[string]bool{"Qd": true, "9h": true, "2s": false} {
		misread := house.CommandRequest{Table: "A", By: dealer, Do: table.Report{
			Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.Box(1), Index: 1, Card: cards(t, face)[0]}},
		}}
		_, tried := s.DryRun(ctx(), misread)
		var refusal *table.Refusal
		if errors.As(tried, &refusal) != refused {
			t.Errorf("%s for a card of box 1 is tried out: %v", face, tried)
		}
		if refused {
			if _, err := s.Do(ctx(), misread); err == nil || tried == nil || err.Error() != tried.Error() {
				t.Errorf("%s for a card of box 1: %v, and tried out: %v", face, err, tried)
			}
		}
	}
}

// mismarked is a store that has the beginning of a round elsewhere, no snapshot, and events that
// nobody can read before a transaction.
type mismarked struct {
	house.Store
	begins  int64 // the transaction at which every round begins, zero where it is as recorded
	damaged int64 // the transaction before which each event of a table is damaged
}

func (m *mismarked) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return m.Store.Rounds(ctx, stream, before, limit, func(mark house.RoundMark) error {
		if stream == "table:A" {
			mark.Seq = cmp.Or(m.begins, mark.Seq)
		}
		return yield(mark)
	})
}

func (m *mismarked) Snapshot(context.Context, string, int64) (house.Snapshot, error) {
	return house.Snapshot{}, house.ErrNotFound
}

func (m *mismarked) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return m.Store.ReadAll(ctx, after, stream, func(e house.StoredTransaction) error {
		for k := range e.Parts {
			if e.Seq < m.damaged && streamKind(&e.Parts[k]) == "table" && len(e.Parts[k].Events) > 0 {
				return yield(*damagedEvent(&e, k, 0))
			}
		}
		return yield(e)
	})
}

// A round is not made of what begins at another transaction, of a record that cannot be read, or
// after events that cannot be read.
func TestARoundIsReadFromItsBeginning(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 500*money.Major)
	var begins []int64
	for range 3 {
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.store.Rounds(ctx(), "table:A", 0, 9, func(m house.RoundMark) error { begins = append(begins, m.Seq); return nil }); err != nil || len(begins) != 3 {
		t.Fatal(begins, err)
	}
	slices.Reverse(begins)
	other := &mismarked{Store: s.store}
	h, err := house.OpenReading(ctx(), other, s.world())
	if err != nil {
		t.Fatal(err)
	}
	read := func(n int) error {
		_, err := h.Round(ctx(), "A", n)
		return err
	}
	if err := read(2); err != nil {
		t.Errorf("as recorded: %v", err)
	}
	for what, test := range map[string]struct {
		begins int64
		round  int
	}{
		"before any round":       {begins[0] - 1, 2},
		"the round before":       {begins[0], 2},
		"the next round":         {begins[2], 2},
		"the end of the record":  {math.MaxInt64, 2},
		"before the first round": {begins[0] - 1, 1},
	} {
		other.begins = test.begins
		if err := read(test.round); !errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), "does not begin where it should") {
			t.Errorf("round %d begins with %s: %v", test.round, what, err)
		}
	}
	other.begins, other.damaged = 0, begins[1]
	if err := read(2); !errors.Is(err, house.ErrCorrupt) || strings.Contains(err.Error(), "does not begin where it should") {
		t.Errorf("an event of the round before is damaged: %v", err)
	}
	for n := 0; ; n++ {
		dies := &dying{Store: s.store, left: math.MaxInt}
		h, err := house.OpenReading(ctx(), dies, s.world())
		if err != nil {
			t.Fatal(err)
		}
		dies.left = n
		_, err = h.Round(ctx(), "A", 2)
		if dies.left >= 0 {
			if err != nil || n < 5 {
				t.Errorf("with %d reads: %v", n, err)
			}
			return
		}
		if err != nil && !errors.Is(err, errDied) {
			t.Fatalf("read %d has failed: %v", n, err)
		}
	}
}
