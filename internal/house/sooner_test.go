package house_test

import (
	"strings"
	"testing"

	"trey/internal/house"
	"trey/money"
	"trey/table"
)

// interrupted is a notary that has something else happen while the first checkpoint is signed.
type interrupted struct {
	signatures
	meanwhile func()
}

func (n *interrupted) Covering(seq int64) ([]byte, error) {
	if do := n.meanwhile; do != nil {
		n.meanwhile = nil
		do()
	}
	return n.signatures.Covering(seq)
}

// Whoever waits for a signature holds up nobody. If somebody else was sooner, one checkpoint is
// recorded. If the round has ended by then, the commitment of the next one is signed.
func TestSomebodyIsSoonerThanTheSignature(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile       func(s *site)
		asked, recorded int
		round           int // to which ann's seed is added
	}{
		"nothing happens": {func(*site) {}, 1, 1, 1},
		"ben adds a seed": {func(s *site) {
			if _, err := s.AddSeed(ctx(), "", ben, "A", 0, "ben's"); err != nil {
				s.Error(err)
			}
		}, 2, 1, 1},
		"ben plays a round": {func(s *site) {
			if err := s.round("A", ben); err != nil {
				s.Error(err)
			}
		}, 3, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			n := &interrupted{signatures: signatures{of: s}}
			s.notary = n
			s.restart()
			s.install("A", "rws-3cp")
			s.buyIn("ben", 1000*money.Major)
			n.meanwhile = func() { c.meanwhile(s) }
			if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "ann's"); err != nil {
				t.Fatal(err)
			}
			if len(n.asked) != c.asked || strings.Count(s.kinds("deal:A"), "commitment-covered") != c.recorded {
				t.Errorf("transactions %v were to be covered, and recorded is %s", n.asked, s.kinds("deal:A"))
			}
			round, _, playerSeeds, _ := s.Commitment("A")
			if round != c.round || len(playerSeeds) == 0 || playerSeeds[0].Player != "ann" {
				t.Errorf("the seeds of round %d are %v", round, playerSeeds)
			}
		})
	}
}

// A table whose cards are read commits to no deck, and so no bet there waits for a signature.
func TestATableOfReadCardsWaitsForNoSignature(t *testing.T) {
	s := newSite(t)
	n := &signatures{of: s}
	s.notary = n
	s.restart()
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	if len(n.asked) != 0 {
		t.Errorf("transactions %v were to be covered", n.asked)
	}
}

// A signature without a checkpoint is none. Who relied upon it may try again.
func TestASignatureWithoutACheckpoint(t *testing.T) {
	s := newSite(t)
	s.notary = coveringWith(func(int64) []byte { return nil })
	s.restart()
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	for range 2 {
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}); err == nil || !strings.Contains(err.Error(), "it names no checkpoint") {
			t.Errorf("a bet upon it: %v", err)
		}
	}
	s.has("ann", 100*money.Major)
}
