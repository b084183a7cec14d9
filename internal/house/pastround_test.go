package house_test

import (
	"errors"
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
