package house_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/auditor"
	"trey/internal/house/proof"
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
	head, err := tree.NodesOf(ctx(), s.of.store).At(seq + 1)
	return fmt.Appendf(nil, "%s\n\u2014 trey-house/test c2lnbmVk\n", tree.CheckpointText("trey-house/test", head)), cmp.Or(s.fails, err)
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
	if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "mine"); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a seed without a signature: %v", err)
	}
	if after := s.kinds("table:A") + s.kinds("deal:A"); after != before {
		t.Errorf("refused, and recorded: %s, before %s", after, before)
	}
	s.has("ann", 1000*money.Major)

	n.fails, n.asked = nil, nil
	if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "mine"); err != nil {
		t.Fatal(err)
	}
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.restart() // what is covered stays so
	if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "mine again"); err != nil {
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

// coveringWith is a notary that hands out what it is told to for the checkpoint over the
// commitment.
type coveringWith func(seq int64) []byte

func (c coveringWith) Covering(seq int64) ([]byte, error) { return c(seq), nil }

// The audit compares each checkpoint that was to hold a commitment with the tree of the record.
// A house could show the players of a round a tree of their own. Each case is a house that
// writes one other thing into its record, or the right one.
func TestTheAuditHoldsTheCheckpointBeforeTheBets(t *testing.T) {
	for name, c := range map[string]struct {
		head   func(head tree.Head) tree.Head                      // what is signed
		origin func(name string) string                            // whose tree it is to be
		text   func(signed []byte) []byte                          // what is recorded of it
		then   func(s *site)                                       // what is done after a round
		want   string                                              // what is found, "" for nothing
		counts func(a *auditor.Audit, known *auditor.Audit) string // what is wrong with what is counted
	}{
		"the right one": {counts: func(a, known *auditor.Audit) string {
			if a.Covered != 1 || a.Unsigned != 1 || known.Unsigned != 0 || a.Uncovered != 0 || a.Earlier {
				return fmt.Sprintf("%+v, %+v", a, known)
			}
			return ""
		}},
		"another root": {
			head: func(h tree.Head) tree.Head { h.Root[0]++; return h },
			want: "is of another tree: its ",
		},
		"a tree without the commitment": {
			head: func(h tree.Head) tree.Head { h.Size--; return h },
			want: " leaves, and it was committed to in transaction ",
		},
		"a tree that was signed later": {
			head: func(h tree.Head) tree.Head { h.Size += 9; return h },
			want: "and relied upon in transaction ",
		},
		"no checkpoint": {
			text: func([]byte) []byte { return []byte("later") },
			want: `is none: "later"`,
		},
		"a checkpoint that nobody signed": {
			text: func(signed []byte) []byte { text, _, _ := strings.Cut(string(signed), "\n\n"); return []byte(text) },
			want: "is none: ",
		},
		"a false signature": {
			text: func(signed []byte) []byte {
				letter := &signed[len(signed)-9]
				*letter = map[bool]byte{true: 'B', false: 'A'}[*letter == 'A']
				return signed
			},
			want: "has a wrong signature: ",
		},
		"the tree of another house": {
			origin: func(string) string { return "trey-house/other" },
			want:   "a commitment is held by a checkpoint of trey-house/other, and this tree is ",
		},
		"the tree before a copy": {
			origin: func(string) string { return "trey-house/other" },
			then: func(s *site) {
				manager := access.Person{Name: "max", Role: access.ShiftManager}
				if _, err := s.Restore(ctx(), house.Restored{By: access.Person{Name: "ada", Role: access.Administrator}, And: manager, Why: "the disk failed", Name: "trey-house/other", Through: s.store.Head().Size - 1}); err != nil {
					t.Fatal(err)
				}
			},
			counts: func(a, _ *auditor.Audit) string {
				if a.Covered != 0 || !a.Earlier {
					return fmt.Sprintf("%+v", a)
				}
				return ""
			},
		},
		"none for the next round": {
			then: func(s *site) {
				s.notary = nil
				s.restart()
				s.bet("A")
			},
			want: "somebody relies upon the commitment of round 2 of table A, which no signed checkpoint held before",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			origin := tree.Name(s.store.Origin())
			if c.origin != nil {
				origin = c.origin(origin)
			}
			private, public, err := note.GenerateKey(nil, origin)
			if err != nil {
				t.Fatal(err)
			}
			signer, err := note.NewSigner(private)
			if err != nil {
				t.Fatal(err)
			}
			s.notary = coveringWith(func(seq int64) []byte {
				head, err := tree.NodesOf(ctx(), s.store).At(seq + 1)
				if err != nil {
					t.Error(err)
				}
				if c.head != nil {
					head = c.head(head)
				}
				signed, err := note.Sign(&note.Note{Text: tree.CheckpointText(origin, head)}, signer)
				if err != nil {
					t.Error(err)
				}
				if c.text != nil {
					signed = c.text(signed)
				}
				return signed
			})
			s.restart()
			s.install("A", "us-3cp")
			s.buyIn("ann", 1000*money.Major)
			s.bet("A")
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, table.Deal{})
			s.finish("A")
			if c.then != nil {
				c.then(s)
			}
			keys, err := proof.Houses(public)
			if err != nil {
				t.Fatal(err)
			}
			a, err := auditor.Run(ctx(), s.store, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			known, err := auditor.Run(ctx(), s.store, nil, keys)
			if err != nil {
				t.Fatal(err)
			}
			if c.counts != nil {
				if wrong := c.counts(a, known); wrong != "" {
					t.Error(wrong)
				}
			}
			if c.want == "" {
				if len(known.Found) > 0 {
					t.Errorf("found %v", known.Found)
				}
				return
			}
			if !slices.ContainsFunc(known.Found, func(f auditor.Finding) bool { return strings.Contains(f.What, c.want) }) {
				t.Errorf("found %v, and nothing like %q", known.Found, c.want)
			}
		})
	}
}

// A record in which no checkpoint held any commitment says how many rounds that were: nobody has
// signed for it then.
func TestTheAuditCountsWhatNoCheckpointHeld(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.bet("A")
	a, err := auditor.Run(ctx(), s.store, nil, nil)
	if err != nil || len(a.Found) > 0 || a.Uncovered != 1 || a.Covered != 0 {
		t.Errorf("%v: found %v, %d held by none and %d by one", err, a.Found, a.Uncovered, a.Covered)
	}
}
