package house_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A player follows what moves their account, once each, and nothing else. No notice holds the
// command itself, which may name cards.
func TestAPlayerReceivesNoticesOfTheirAccount(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	anns, bens := s.Subscribe(house.Topic{Player: "ann"}, 100), s.Subscribe(house.Topic{Player: "ben"}, 100)
	all, tables := s.Subscribe(house.Topic{}, 100), s.Subscribe(house.Topic{Player: "A"}, 100)
	defer all.Close()
	defer tables.Close()
	defer anns.Close()
	defer bens.Close()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.buyIn("ben", 100*money.Major)
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Report{Incident: rules.Uncovered})
	s.do("A", manager, table.Answer{Answer: "void"})
	var kinds []string
	for _, n := range heard(anns) {
		kinds = append(kinds, n.Cause.Kind)
	}
	if len(kinds) != 3 || kinds[0] != "buy-in" || kinds[1] != "bet" || kinds[2] != "answer" {
		t.Errorf("ann hears of %v", kinds)
	}
	for _, n := range heard(all) {
		if n.Cause.Body != nil || n.Cause.Kind == "" {
			t.Errorf("everybody hears %s of %s", n.Cause.Body, n.Cause.Kind)
		}
	}
	if n := len(heard(tables)); n != 0 {
		t.Errorf("a player of the name of the table hears of %d movements", n)
	}
	if n := len(heard(bens)); n != 1 {
		t.Errorf("ben hears of %d movements", n)
	}
}

// Whoever reads the house beside it takes in how far a table has come.
func TestAReaderKnowsTheLastCommand(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	r := s.readFromNothing()
	s.takeAll(r)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	s.takeAll(r)
	want, err := s.Status("A")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Status("A"); err != nil || got.Seq != want.Seq || got.Version != want.Version || want.Seq == 0 {
		t.Errorf("the last command at the table is %d, and it is %d where the house is read, %v", want.Seq, got.Seq, err)
	}
}

// Whoever reads forgets the name of a person that was erased.
func TestAReaderForgetsAnErasedName(t *testing.T) {
	s := newSite(t)
	s.apart = true // whoever reads later knows no name that was erased
	s.buyIn("ann", 1)
	s.buyIn("ben", 1)
	r := s.readFromNothing()
	s.takeAll(r)
	if _, err := house.RecordErasure(s.store, s.clock.Load(), "ann", admin, manager, "ann has asked for it"); err != nil {
		t.Fatal(err)
	}
	s.takeAll(r)
	for name, want := range map[string]bool{"ann": false, "ben": true} {
		if _, known := r.names.Token(name); known != want {
			t.Errorf("%s is known: %t", name, known)
		}
	}
}

// Whoever reads takes in nothing that does not follow upon what they have of a stream: an event
// that is missing, or one that came twice.
func TestAReaderRefusesWhatDoesNotFollow(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
		t.Fatal(err)
	}
	s.propose(supervisor, house.Fill{Table: "A", Amount: 1})
	if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "mine"); err != nil {
		t.Fatal(err)
	}
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	var all []house.StoredTransaction
	if err := s.store.ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	altered := map[string]int{}
	for n := range all {
		for i := range all[n].Parts {
			kind, _, _ := strings.Cut(all[n].Parts[i].Stream, ":")
			if kind == "sealed" || kind == house.NamesStream {
				continue // nobody reads them here, or by another way
			}
			altered[kind]++
			for _, by := range []int64{-1, 1} {
				r, taken := s.readFromNothing(), 0
				_, err := housetest.TakeAll(ctx(), s.store, r.names, 0, func(e *house.StoredTransaction) error {
					if taken++; taken == n+1 {
						e.Parts = slices.Clone(e.Parts)
						e.Parts[i].After += by
					}
					if taken > n+1 {
						return nil
					}
					return r.Take(e)
				})
				if !errors.Is(err, house.ErrCorrupt) {
					t.Errorf("%s, %d after %d: %v", all[n].Parts[i].Stream, by, all[n].Parts[i].After, err)
				}
			}
		}
	}
	if len(altered) != 5 {
		t.Errorf("altered are %v", altered)
	}
}

// locked is a sealer that may lose its key.
type locked struct {
	house.Sealer
	lost bool
}

var errLocked = errors.New("the key is lost")

func (l *locked) Seal(name string, round int, seed shuffle.Seed) (fair.Sealed, error) {
	if l.lost {
		return fair.Sealed{}, errLocked
	}
	return l.Sealer.Seal(name, round, seed)
}

// No round ends whose next seed cannot be sealed: nobody could go on from the record.
func TestARoundEndsWithASealedSeed(t *testing.T) {
	s := newSite(t)
	sealer := &locked{Sealer: sealing.Numbered(1)}
	s.sealer = sealer
	s.restart()
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Fold{Box: 1})
	s.do("A", dealer, table.Reveal{})
	before, _, _, _ := s.Commitment("A")
	sealer.lost = true
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.Settle{}}); !errors.Is(err, errLocked) {
		t.Errorf("settled without a seed: %v", err)
	}
	if err := s.Install(ctx(), house.Table{Name: "B", Variant: variant(t, "us-3cp"), Config: table.Config{Device: variant(t, "us-3cp").Book.Devices[0].Device, Cards: table.Virtual}}, admin); !errors.Is(err, errLocked) {
		t.Errorf("installed without a seed: %v", err)
	}
	if after, _, _, _ := s.Commitment("A"); after != before {
		t.Errorf("round %d is committed to", after)
	}
	sealer.lost = false
	s.do("A", dealer, table.Settle{})
	s.has("ann", 90*money.Major)
	if after, _, _, _ := s.Commitment("A"); after != before+1 {
		t.Errorf("round %d is committed to", after)
	}
}

// What nobody has decided is not decided: a pause of no time, or of one that is no player.
func TestAPauseThatIsNone(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100)
	if err := s.TakeTimeOut(ctx(), "", ann, 0); err == nil {
		t.Error("a pause of no time began")
	}
	var denied *access.Denied
	if err := s.TakeTimeOut(ctx(), "", dealer, protection.LeastExclusionMs); !errors.As(err, &denied) {
		t.Errorf("a pause of a dealer: %v", err)
	}
	if err := s.moveCash(cashier, ledger.BuyIn, 1); err != nil {
		t.Error(err)
	}
}

// Staff do nothing for players at a table that runs by itself, and what they are shown says so
// too. At a table with a dealer they do.
func TestWhatIsDoneForOthers(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	do := table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante}
	for _, automatic := range []bool{false, true} {
		if automatic {
			if _, err := s.Change(ctx(), "", admin, "A", house.Change{Mode: house.Automatic}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.DoAsHouse(ctx(), "", "A", table.OpenBets{}); err != nil {
				t.Fatal(err)
			}
		} else {
			s.do("A", dealer, table.OpenBets{})
		}
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		status, err := s.Status("A")
		if err != nil {
			t.Fatal(err)
		}
		_, done := s.Do(ctx(), house.CommandRequest{Table: "A", By: supervisor, Do: do})
		for what, err := range map[string]error{"shown": status.CheckBehalf(supervisor, do), "done": done} {
			var refusal *table.Refusal
			if errors.As(err, &refusal) != automatic || automatic && refusal.Reason != table.NotPermitted {
				t.Errorf("automatic %t, %s: %v", automatic, what, err)
			}
		}
		if err := status.CheckBehalf(ann, do); err != nil {
			t.Errorf("automatic %t, by the player: %v", automatic, err)
		}
		if !automatic {
			s.do("A", supervisor, table.CloseTable{})
			s.do("A", supervisor, table.OpenTable{})
		}
	}
}

// The house says in the record what it has found: another program, a clock that jumped, a record
// that could not be written, and a delay, which is one as long as nothing more was taken.
func TestWhatTheHouseHasFound(t *testing.T) {
	s := newSite(t)
	one := house.Software{Version: "1", Program: "aa", Books: map[string]string{"b@1": "1", "c@1": "1"}}
	for _, step := range []struct {
		by   house.Software
		want string
	}{
		{one, ""},
		{house.Software{Version: "2", Program: "aa", Books: one.Books}, "version"},
		{house.Software{Version: "2", Program: "ab", Books: one.Books}, "program"},
		{house.Software{Version: "2", Program: "ab", Books: map[string]string{"b@1": "1", "c@1": "2"}}, "c@1"},
	} {
		changed, err := s.CheckSoftware(ctx(), step.by, nil)
		if err != nil || len(changed) > 1 || len(changed) == 1 && changed[0] != step.want || len(changed) == 0 && step.want != "" {
			t.Errorf("changed are %v, %v; want %q", changed, err, step.want)
		}
	}
	if err := errors.Join(s.NoteClock(ctx(), 7), s.NoteFailure(ctx(), 8), s.NoteLateStream(ctx(), 9, 1), s.NoteLateStream(ctx(), 9, 2), s.NoteLateStream(ctx(), 10, 3)); err != nil {
		t.Fatal(err)
	}
	if clocks := ownEvents[house.ClockRefused](s); len(clocks) != 1 || clocks[0].AheadMs != 7 {
		t.Errorf("recorded is %+v", clocks)
	}
	if failures := ownEvents[house.RecordFailed](s); len(failures) != 1 || failures[0].FailedMs != 8 {
		t.Errorf("recorded is %+v", failures)
	}
	if late := ownEvents[house.StreamLate](s); len(late) != 2 || late[0] != (house.StreamLate{Through: 9, SinceMs: 1}) || late[1] != (house.StreamLate{Through: 10, SinceMs: 3}) {
		t.Errorf("recorded is %+v", late)
	}
}

// A machine does not answer what takes a second person, and neither does somebody whose account
// depends on the first: they may let the round go on as it is, unless facts are to be confirmed.
func TestWhoAnswersAsASecondPerson(t *testing.T) {
	depends := errors.New("the one made the account of the other")
	friend := access.Person{Name: "fay", Role: access.ShiftManager}
	robot := access.Person{Name: "robot", Role: access.ShiftManager, Machine: true}
	open := func() *site {
		s := newSite(t)
		s.reopen(func(w *house.World) {
			w.Independent = func(first access.Person, _ int64, second access.Person) error {
				if first.Name != dealer.Name || second.Name != friend.Name {
					return nil
				}
				return depends
			}
		})
		return s
	}
	answers := func(s *site, by access.Person, answer string, want error) {
		t.Helper()
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: table.Answer{Answer: answer}}); !errors.Is(err, want) {
			t.Errorf("%s answers %s: %v", by.Name, answer, err)
		}
	}
	// Something that the book does not provide for, when everybody has seen the cards.
	for _, by := range []access.Person{manager, friend, robot} {
		s := open()
		annHits(s, table.Read)
		var none *table.Refusal
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: table.Answer{Answer: "void"}}); !errors.As(err, &none) {
			t.Errorf("%s answers nothing: %v", by.Name, err)
		}
		s.do("A", dealer, table.Report{Incident: rules.Uncovered})
		answers(s, robot, "void", access.ErrMachine)
		answers(s, friend, "void", depends)
		var refusal *table.Refusal
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: friend, Do: table.CloseTable{}}); !errors.As(err, &refusal) {
			t.Errorf("what is no answer: %v", err)
		}
		if by == manager {
			answers(s, by, "void", nil)
		} else {
			answers(s, by, "continue", nil)
		}
	}
	// The same before anybody has seen a card takes one person, who may be any.
	for _, by := range []access.Person{friend, robot} {
		s := open()
		s.readTable()
		s.buyIn("ann", 100*money.Major)
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Report{Incident: rules.Uncovered})
		answers(s, by, "void", nil)
		s.has("ann", 100*money.Major)
	}
	// A bet that one person has found: both answers say what the facts are.
	s := open()
	s.readTable(func(t *house.Table) { t.Config.Chips = true })
	s.buyIn("ann", 100*money.Major)
	s.buyIn("ben", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ben, ante(ben, 1, 10*money.Major))
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, dealOf(t, "Jh", "Jc", "3s", "Kd", "5d", "9h"))
	s.do("A", ben, table.Examine{Box: 1, Player: "ben"})
	s.do("A", dealer, table.Found{Box: 2, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major, AtCall: true})
	for _, answer := range []string{"yes", "no"} {
		answers(s, robot, answer, access.ErrMachine)
		answers(s, friend, answer, depends)
	}
	answers(s, manager, "no", nil)
	s.has("ann", 100*money.Major)
}

// unread is a store of which one kind of reading fails.
type unread struct {
	house.Store
	all, one bool
}

var errUnread = errors.New("the record cannot be read")

func (u *unread) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	if u.all {
		return errUnread
	}
	return u.Store.ReadAll(ctx, after, stream, yield)
}

func (u *unread) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	if u.one {
		return errUnread
	}
	return u.Store.Read(ctx, stream, after, yield)
}

// Where a house goes on is read from its record, with how far the record has come.
func TestWhereaboutsAreReadFromTheRecord(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.clock.Add(10)
	s.buyIn("ann", 1)
	w, err := house.FindWhereabouts(ctx(), s.store)
	if n := int64(len(s.read("house"))); err != nil || w != (house.Whereabouts{Version: n, LastMs: s.clock.Load()}) {
		t.Errorf("after event %d: %+v, %v", n, w, err)
	}
	to := house.Moved{Store: "database", Place: "trey at one", Why: "more machines"}
	next := func(tx *house.Transaction, err error) {
		t.Helper()
		if err == nil {
			err = (<-house.Named(s.store).Append(tx)).Err
		}
		if err != nil {
			t.Fatal(err)
		}
		if w, err = house.FindWhereabouts(ctx(), s.store); err != nil {
			t.Fatal(err)
		}
	}
	next(w.Leaving(s.clock.Load(), to))
	if _, _, err := house.Open(ctx(), s.store, s.world()); w.Moved == nil || *w.Moved != to || !errors.Is(err, house.ErrElsewhere) {
		t.Errorf("the house has left by %+v, and is opened: %v", w.Moved, err)
	}
	next(w.Arriving(s.clock.Load()))
	if _, _, err := house.Open(ctx(), s.store, s.world()); w.Moved != nil || err != nil {
		t.Errorf("the house has arrived, is away by %+v, and is opened: %v", w.Moved, err)
	}
	s.apart = true
	for _, store := range []*unread{{s.store, true, false}, {s.store, false, true}} {
		if _, err := house.FindWhereabouts(ctx(), store); !errors.Is(err, errUnread) {
			t.Errorf("a record that cannot be read: %v", err)
		}
	}
}

// A wager of a past round is one of that round, from however far back its table is read; and none
// where the round cannot be read to its end.
func TestAPastWagerIsOfItsRound(t *testing.T) {
	defer house.SnapshotRounds(house.SnapshotRounds(1000))
	s := newSite(t)
	store := &unread{Store: s.store}
	var err error
	if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
		t.Fatal(err)
	}
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	for round := range 2 {
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		if round == 0 {
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major})
		}
		s.annPlays("Jh", "7c", "3s", "Kd", "5d", "9h")
	}
	s.do("A", dealer, table.OpenBets{})
	adjusts := func(round int, wager rules.Wager, want error) {
		t.Helper()
		if _, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{
			Adjustment: posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: 1, Note: "n"},
			Of:         &house.RoundWager{Table: "A", Round: round, Box: 1, Wager: wager},
		}); !errors.Is(err, want) {
			t.Errorf("%s in round %d: %v", wager, round, err)
		}
	}
	adjusts(1, rules.PairPlus, nil)
	adjusts(2, rules.PairPlus, house.ErrNoWager)
	adjusts(2, rules.Ante, nil)
	store.all = true
	adjusts(2, rules.Ante, errUnread)
	store.all = false
}
