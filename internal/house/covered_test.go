package house_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/tree"
	"trey/money"
	"trey/table"
)

// signatures is a notary whose signature is a word, under a checkpoint of the record.
type signatures struct {
	of *site
	sync.Mutex
	fails error
	asked []int64 // the transactions that were to be covered
}

func (s *signatures) Covering(seq int64) ([]byte, error) {
	s.Lock()
	defer s.Unlock()
	s.asked = append(s.asked, seq)
	head, err := tree.Nodes(func(level int, from int64, count int) ([]tree.Hash, error) {
		return s.of.store.Nodes(ctx(), level, from, count)
	}).At(seq + 1)
	return fmt.Appendf(nil, "%s\n\u2014 trey-house/test signed\n", tree.CheckpointText("trey-house/test", head)), cmp.Or(s.fails, err)
}

// Nobody bets upon a commitment, and nobody adds a seed, before it is signed; the first
// who does has the checkpoint recorded, and the record of the round carries it.
func TestNoBetBeforeTheCommitmentIsSigned(t *testing.T) {
	s := newSite(t)
	n := &signatures{of: s, fails: errors.New("the disk is full")}
	s.notary = n
	s.restart()
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.do("A", dealer, table.OpenBets{})
	before := s.kinds("table:A") + s.kinds("deal:A")
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a bet without a signature: %v", err)
	}
	if _, err := s.AddSeed(ctx(), "", ann, "A", "mine"); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a seed without a signature: %v", err)
	}
	if after := s.kinds("table:A") + s.kinds("deal:A"); after != before {
		t.Errorf("refused, and recorded: %s, before %s", after, before)
	}
	s.has("ann", 1000*money.Major)

	n.fails, n.asked = nil, nil
	if _, err := s.AddSeed(ctx(), "", ann, "A", "mine"); err != nil {
		t.Fatal(err)
	}
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.restart() // what is covered stays so
	if _, err := s.AddSeed(ctx(), "", ann, "A", "mine again"); err != nil {
		t.Fatal(err)
	}
	if len(n.asked) != 1 {
		t.Errorf("one round, and transactions %v were to be covered", n.asked)
	}
	if kinds := s.kinds("deal:A"); strings.Count(kinds, "commitment-covered") != 1 {
		t.Errorf("recorded: %s", kinds)
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	asked := slices.Clone(n.asked)
	r := s.proven("A", 1)
	if want := fmt.Sprintf("trey-house/test\n%d\n", r.Seed.Committed.Seq+1); !strings.HasPrefix(r.Seed.Checkpoint, want) {
		t.Errorf("the record has the checkpoint %q, want %q", r.Seed.Checkpoint, want)
	}

	// The next commitment is another's to be covered.
	n.asked = nil // the record of the round asks for its own
	s.bet("A")
	if asked = append(asked, n.asked...); len(asked) != 2 || asked[0] >= asked[1] {
		t.Errorf("two rounds, and transactions %v were to be covered", asked)
	}
}

// Many who bet at the same moment have one checkpoint.
func TestOneCheckpointForAllWhoBet(t *testing.T) {
	s := newSite(t)
	s.notary = &signatures{of: s}
	s.restart()
	s.install("A", "us-3cp")
	var people []access.Person
	for i := range 7 {
		people = append(people, access.Person{Name: fmt.Sprint("p", i), Role: access.Player})
		s.buyIn(people[i].Name, 100*money.Major)
	}
	s.do("A", dealer, table.OpenBets{})
	var all sync.WaitGroup
	for i, p := range people {
		all.Go(func() {
			if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: p, Do: ante(p, i+1, 10*money.Major)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if kinds := s.kinds("deal:A"); strings.Count(kinds, "commitment-covered") != 1 {
		t.Errorf("recorded: %s", kinds)
	}
}
