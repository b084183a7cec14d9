package house_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/housetest"
	"trey/internal/house/journal"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/tree"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// proven writes the record of a round, reads it back and verifies it.
func (s *site) proven(name string, round int) *proof.Round {
	s.Helper()
	r, err := s.Round(ctx(), name, round)
	if err != nil {
		s.Fatal(err)
	}
	again, err := proof.Read(bytes.NewReader(r.Text))
	if err != nil {
		s.Fatalf("%v in\n%s", err, r.Text)
	}
	s.isCommitted(r)
	report := proof.Verify(again)
	for _, f := range report.Findings {
		if f.Check == proof.Commands && strings.Contains(f.Text, `"pit-manager" is not a role`) {
			return again // of the rule books' roles, this is none of the house's
		}
		if f.Result == proof.Failed && !(f.Check == proof.Cards && len(s.top) > 0) {
			s.Errorf("table %s, round %d: %s %s: %s", name, round, f.Check, f.Where, f.Text)
		}
	}
	if s.Failed() {
		s.Logf("%s", r.Text)
	}
	return again
}

// isCommitted holds that the leaf of the last transaction of a round commits to its
// record.
func (s *site) isCommitted(r *house.RoundRecord) {
	s.Helper()
	if s.store == nil {
		return // the record is in no store that the test holds
	}
	text := bytes.Split(r.Text, []byte(`,"names":{`))
	sum := sha256.Sum256(append(text[0], '}'))
	var found []string
	err := s.store.ReadAll(ctx(), r.Seq-1, "table:"+r.Table, func(e house.StoredTransaction) error {
		for _, p := range e.Parts {
			if p.Record != "" && e.Seq == r.Seq && p.Stream == "table:"+r.Table {
				found = append(found, fmt.Sprintf("%s of %d", p.Record, p.OfRound))
			}
		}
		return nil
	})
	if want := fmt.Sprintf("%x of %d", sum, r.Round); err != nil || len(found) != 1 || found[0] != want {
		s.Errorf("table %s, round %d: transaction %d commits to %v, %v; the record is %s", r.Table, r.Round, r.Seq, found, err, want)
	}
}

func TestARoundIsProven(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	for _, round := range []int{0, 1, -1} {
		if _, err := s.Round(ctx(), "A", round); !errors.Is(err, house.ErrNoRound) {
			t.Errorf("round %d before the first: %v", round, err)
		}
	}
	if _, err := s.Round(ctx(), "B", 1); !errors.Is(err, house.ErrNoTable) {
		t.Error(err)
	}
	if _, err := s.AddSeed(ctx(), "", ben, "A", 0, "<lucky> & \"7\""); err != nil {
		t.Fatal(err)
	}
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	if _, err := s.Round(ctx(), "A", 1); !errors.Is(err, house.ErrRoundOpen) {
		t.Errorf("in mid-round: %v", err)
	}
	s.finish("A")
	first := s.proven("A", 1)
	if len(first.Seed.Own) != 1 || first.Ended != "settled" {
		t.Errorf("%+v", first)
	}
	if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "for the next"); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", dealer, table.Report{Incident: rules.TechnicalInterruption, LastedMs: rules.DefaultGraceMs})
	if again := s.proven("A", 1); len(again.Steps) != len(first.Steps) {
		t.Errorf("the record has %d steps, and had %d", len(again.Steps), len(first.Steps))
	}
	if r := s.proven("A", 2); r.Ended != "void" || len(r.Seed.Own) != 1 {
		t.Errorf("%+v", r)
	}
	s.restart()
	s.proven("A", 1)
	s.proven("A", 2)
	// A table is closed before anybody has bet.
	s.do("A", dealer, table.OpenBets{})
	s.do("A", supervisor, table.CloseTable{})
	if r := s.proven("A", 3); r.Ended != "closed" {
		t.Errorf("%+v", r)
	}
	s.do("A", supervisor, table.OpenTable{})
	s.bet("A")
	if n, _, _, _ := s.Commitment("A"); n != 4 {
		t.Errorf("round %d is committed to", n)
	}
}

// A round in which the progressive is put back into service is proven also where
// another table has brought the jackpot up before.
func TestASecondRestorationIsProven(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	for _, name := range []string{"A", "B"} {
		s.bet(name)
		s.do(name, dealer, table.CloseBets{})
		s.do(name, dealer, table.Deal{})
		s.finish(name)
	}
	s.do("B", dealer, table.Report{Incident: rules.ProgressiveDown}) // at A as well
	for _, name := range []string{"A", "B"} {
		s.do(name, supervisor, table.RestoreProgressive{})
	}
	s.proven("A", 1)
	s.proven("B", 1)
}

// provenAll verifies every round that has ended.
func (s *site) provenAll() (rounds int) {
	s.Helper()
	for _, name := range s.Tables() {
		state, err := housetest.Table(s, name)
		if err != nil {
			s.Fatal(err)
		}
		last := state.Round
		if state.Phase.InRound() {
			last--
		}
		for n := 1; n <= last; n++ {
			s.proven(name, n)
			rounds++
		}
	}
	return rounds
}

// offersWithdrawal plays on table A until ann may take back a bet of $10, because of an
// interruption after the deal.
func (s *site) offersWithdrawal() {
	s.Helper()
	s.established = rules.FirstExposure // which offers the withdrawal after the deal
	s.install("A", "mbs-3pictures")
	s.buyIn("ann", 1000*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 10 * money.Major})
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.clock.Add(rules.DefaultGraceMs)
	s.restart()
}

var update = flag.Bool("update", false, "write the sample records anew")

// samples are rounds of real houses, played by seeds that follow from numbers:
// their records are the samples of package proof.
var samples = map[string]func(s *site){
	"settled": func(s *site) {
		s.install("A", "us-3cp")
		s.buyIn("ann", 1000*money.Major)
		s.buyIn("ben", 1000*money.Major)
		s.add("ann", "lucky number")
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major})
		s.do("A", ben, ante(ben, 2, 10*money.Major))
		s.add("ben", "7 <> 8")
		s.add("ann", "another number")
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", ben, table.Fold{Box: 2, Player: "ben"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{})
	},
	"jackpot": func(s *site) {
		s.install("A", "rws-3cp")
		s.install("B", "rws-3cp")
		s.buyIn("ann", 1000*money.Major)
		s.bet("B")
		s.do("B", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("B", dealer, table.CloseBets{})
		s.bet("A")
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.finish("A")
	},
	"void": func(s *site) {
		s.install("A", "rws-3cp")
		s.buyIn("ann", 1000*money.Major)
		s.bet("A")
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 4)})
		s.clock.Add(rules.DefaultGraceMs)
		s.restart()
	},
	// That the jackpot failed before the look is not confirmed: it failed after it.
	"failed": func(s *site) {
		s.readTable()
		s.buyIn("ann", 1000*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, dealOf(s, "Qh", "7d", "4c", "Kd", "9c", "2s"))
		s.do("A", ann, table.Examine{Box: 1, Player: "ann"})
		s.do("A", dealer, table.Report{Incident: rules.ProgressiveDown, BeforeLook: true})
		s.do("A", supervisor, table.Answer{Answer: "no"})
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{})
	},
	"withdrawn": func(s *site) {
		s.offersWithdrawal()
		s.do("A", ann, table.Choose{Player: "ann", Return: true})
	},
	"collected": func(s *site) {
		v := variant(s, "us-3cp")
		t := house.Table{Name: "A", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Unseen, Chips: true}}
		if err := s.Install(ctx(), t, admin); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ann", 1000*money.Major)
		s.buyIn("ben", 1000*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ben, ante(ben, 2, 5*money.Major))
		s.do("A", ben, table.Bet{Box: 2, Player: "ben", Wager: rules.PairPlus, Amount: 3 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 9)})
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", ben, table.Fold{Box: 2, Player: "ben"})
		s.do("A", dealer, table.Reveal{Hand: cards(s, "Kd", "9c", "4s")})
		s.do("A", dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4})
		s.do("A", supervisor, table.Answer{Answer: "yes"})
	},
	"held": func(s *site) {
		annHits(s, table.Read)
		s.do("A", dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
		s.do("A", supervisor, table.Answer{Answer: "yes"})
	},
	"remedies": func(s *site) {
		v := variant(s, "rws-3cp")
		t := house.Table{Name: "A", Variant: v, Config: table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true}, Jackpot: "linked"}
		if err := s.Install(ctx(), t, admin); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ann", 1000*money.Major)
		s.buyIn("ben", 1000*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major})
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", ben, ante(ben, 2, 10*money.Major))
		s.do("A", ben, ante(ben, 3, 10*money.Major))
		s.do("A", ben, ante(ben, 4, 20*money.Major))
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, dealOf(s, "Ac", "Kc", "4h", "9s", "9d", "2c", "8c", "6h", "3d", "Jc", "7h", "5s", "Kd", "8d", "2s"))
		s.do("A", ann, table.Fold{Box: 1, Player: "ann"})
		s.do("A", ben, table.Raise{Box: 2, Player: "ben"})
		s.do("A", ben, table.Raise{Box: 4, Player: "ben"})
		s.do("A", dealer, table.Report{Incident: rules.Uncovered, Note: "two buttons were crossed"})
		s.do("A", manager, table.Answer{Answer: "remedy", Remedies: []table.Remedy{
			{Do: table.RestoreDecision, Box: 1, Decision: table.Played, Reason: "pressed for box 2"},
			{Do: table.RestoreDecision, Box: 2, Reason: "pressed for box 1"},
			{Do: table.InvalidateHand, Box: 3, Reason: "a drink was spilt"},
			{Do: table.ReturnStake, Box: 4, Player: "ben", Wager: rules.Ante, Amount: 5 * money.Major, Reason: "a chip of another box"},
		}})
		s.do("A", ben, table.Fold{Box: 2, Player: "ben"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{})
		s.do("A", dealer, table.Report{Incident: rules.Uncovered})
		s.do("A", manager, table.Answer{Answer: "remedy", Remedies: []table.Remedy{
			{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 205 * money.Major, Reason: "the hand was misread"},
			{Do: table.CollectAmount, Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major, Reason: "paid by hand"},
			{Do: table.ReturnStake, Box: 4, Player: "ben", Wager: rules.Play, Reason: "as announced"},
		}})
	},
	"in-steps": func(s *site) {
		v := variant(s, "rws-3cp")
		t := house.Table{Name: "A", Variant: v, Config: table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true}, Jackpot: "linked"}
		if err := s.Install(ctx(), t, admin); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ann", 1000*money.Major)
		s.buyIn("ben", 1000*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", ben, ante(ben, 2, 10*money.Major))
		s.do("A", ben, table.Bet{Box: 2, Player: "ben", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", ben, ante(ben, 3, 25*money.Major))
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, dealOf(s, "Ah", "Kh", "Qh", "9s", "9d", "2c", "Ac", "6h", "3d", "Kd", "8d", "2s"))
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", ben, table.Raise{Box: 2, Player: "ben"})
		s.do("A", ben, table.Raise{Box: 3, Player: "ben"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{Box: 1})
		s.do("A", dealer, table.Settle{Box: 2})
		s.do("A", dealer, table.Found{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 20 * money.Major, AtCall: true})
		s.do("A", supervisor, table.Answer{Answer: "yes"})
		s.do("A", dealer, table.Settle{})
		s.do("A", dealer, table.Report{Incident: rules.LateBet, Box: 3, Player: "ben", Wager: rules.Ante, Amount: 15 * money.Major, Counted: true})
		s.do("A", supervisor, table.Answer{Answer: "yes"})
	},
	// The meter reaches its ceiling, and the rest goes to the reserve, from which it starts
	// again when it is paid. Then the round is void, and all of that goes back.
	"ceiling": func(s *site) {
		v := variant(s, "rws-3cp")
		v.Jackpot.Ceiling = v.Jackpot.Reset + money.Major
		t := house.Table{Name: "A", Variant: v, Config: table.Config{Device: rules.Shuffler, Cards: table.Read}, Jackpot: "linked"}
		if err := s.Install(ctx(), t, admin); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ann", 1000*money.Major)
		s.buyIn("ben", 1000*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", ben, ante(ben, 2, 10*money.Major))
		s.do("A", ben, table.Bet{Box: 2, Player: "ben", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, dealOf(s, "As", "Ks", "Qs", "9s", "9d", "2c", "Kd", "8d", "2s"))
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", ben, table.Raise{Box: 2, Player: "ben"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{Box: 1})
		s.do("A", dealer, table.Report{Incident: rules.ForeignCard})
		s.do("A", supervisor, table.Answer{Answer: "yes"})
	},
	"by-hand": func(s *site) {
		v := variant(s, "us-3cp")
		t := house.Table{Name: "A", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Unseen, Chips: true}}
		if err := s.Install(ctx(), t, admin); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ann", 1000*money.Major)
		s.bet("A")
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 6)})
		s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
		s.do("A", dealer, table.Reveal{Hand: cards(s, "Kd", "9c", "4s")})
		s.do("A", dealer, table.Show{Box: 1, Hand: cards(s, "8h", "8d", "2c")})
		s.do("A", dealer, table.Settle{})
		s.do("A", supervisor, table.Report{Incident: rules.ForeignCard})
	},
}

func (s *site) add(name, text string) {
	s.Helper()
	if _, err := s.AddSeed(ctx(), "", access.Person{Name: name, Role: access.Player}, "A", 0, text); err != nil {
		s.Fatal(err)
	}
}

// royal returns seeds of which the first and the second make tables A and B deal
// the jackpot to box 1 and something to box 1.
func royal(t testing.TB) func() shuffle.Seed {
	want := card.NewSet(cards(t, "As", "Ks", "Qs")...)
	next := shuffle.Numbered(1)
	const others = 47_000 // that come before it and begin otherwise
	for range others {
		next()
	}
	for {
		seed := next()
		deck := fair.Deck(fair.Commit("A", 1, seed), seed, nil)
		if card.NewSet(deck[:3]...) == want {
			first := true
			return func() shuffle.Seed {
				if first {
					first = false
					return seed
				}
				return next()
			}
		}
	}
}

// A house writes the samples of package proof.
func TestSampleRecords(t *testing.T) {
	steady.Sequential(t)
	for name, play := range samples {
		t.Run(name, func(t *testing.T) {
			s, k := signedSite(t, 7)
			if name == "jackpot" {
				s.seed = royal(t)
				s.restart()
			}
			play(s)
			s.proven("A", 1)
			k.keysStand(*update)
			r, err := s.Round(ctx(), "A", 1)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Text
			file := filepath.Join("proof", "testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the house writes another record than %s; go test -run SampleRecords -update writes it anew:\n%s", file, got)
			}
		})
	}
}

// oneRead is a store that refuses a read within a read. A store has few connections, and a read
// holds one while it hands out its results. Reads that wait for a second one wait for each
// other.
type oneRead struct {
	house.Store
	watching, reading bool
}

var errWithin = errors.New("a read within a read")

func (s *oneRead) read(do func() error) error {
	if s.watching && s.reading {
		return errWithin
	}
	before := s.reading
	s.reading = true
	defer func() { s.reading = before }()
	return do()
}

func (s *oneRead) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return s.read(func() error { return s.Store.Read(ctx, stream, after, yield) })
}

func (s *oneRead) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return s.read(func() error { return s.Store.ReadAll(ctx, after, stream, yield) })
}

func (s *oneRead) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return s.read(func() error { return s.Store.Rounds(ctx, stream, before, limit, yield) })
}

func (s *oneRead) Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return s.read(func() error { return s.Store.Movements(ctx, of, before, limit, yield) })
}

func (s *oneRead) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return s.read(func() error { return s.Store.Leaves(ctx, after, yield) })
}

func (s *oneRead) Snapshot(ctx context.Context, stream string, atMost int64) (found house.Snapshot, err error) {
	err = s.read(func() error { found, err = s.Store.Snapshot(ctx, stream, atMost); return err })
	return found, err
}

func (s *oneRead) Find(ctx context.Context, key string) (found *house.Receipt, err error) {
	err = s.read(func() error { found, err = s.Store.Find(ctx, key); return err })
	return found, err
}

func (s *oneRead) Nodes(ctx context.Context, level int, from int64, count int) (found []tree.Hash, err error) {
	err = s.read(func() error { found, err = s.Store.Nodes(ctx, level, from, count); return err })
	return found, err
}

// What is read of a house for a request is not read within another read.
func TestNothingIsReadWithinARead(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	for range 2 {
		s.bet("A")
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.finish("A")
	}
	watched := &oneRead{}
	h, store := s.openBehind(func(of house.Store) house.Store { watched.Store = of; return watched })
	s.House, s.store = h, store
	watched.watching = true
	j := &journal.Journal{House: h, Record: house.Named(watched)}
	for what, read := range map[string]func() error{
		"the record of a round":  func() error { _, err := h.Round(ctx(), "A", 1); return err },
		"the record of the last": func() error { _, err := h.Round(ctx(), "A", 2); return err },
		"the steps of a round":   func() error { return h.Ended(ctx(), "A", 1, func(*house.EndedStep) error { return nil }) },
		"the notices of a table": func() error {
			return h.EventsSince(ctx(), house.Topic{Table: "A"}, 0, func(*house.Notice) error { return nil })
		},
		"the notices of a jackpot": func() error {
			return h.EventsSince(ctx(), house.Topic{Jackpot: "linked"}, 0, func(*house.Notice) error { return nil })
		},
		"the notices of the house":   func() error { return h.EventsSince(ctx(), house.Topic{}, 0, func(*house.Notice) error { return nil }) },
		"the notices of this round":  func() error { return h.ThisRound(ctx(), "A", func(*house.Notice) error { return nil }) },
		"the hits of a jackpot":      func() error { _, err := h.PaidHits(ctx(), "linked"); return err },
		"rounds that are looked for": func() error { _, err := j.Rounds(ctx(), journal.Query{Player: "ann"}); return err },
		"the log":                    func() error { _, err := j.Log(ctx(), journal.LogQuery{}); return err },
	} {
		if err := read(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// The first command at a table after the house was opened reads the text of the round so far.
	s.do("A", dealer, table.OpenBets{})
}
