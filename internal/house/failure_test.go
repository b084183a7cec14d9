package house_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// One report reaches every table of the jackpot, each by its own phase, and no table
// of another game. The value registered is that of the moment of the failure, whatever
// table is reached first.
func TestAJackpotFailsAtAllItsTables(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		s.install(name, "rws-3cp")
	}
	s.install("U", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	for _, name := range []string{"A", "B", "C"} {
		s.do(name, dealer, table.OpenBets{})
		s.do(name, ann, ante(ann, 1, 10*money.Major))
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	}
	for _, name := range []string{"A", "B"} {
		s.do(name, dealer, table.CloseBets{})
		s.do(name, dealer, table.Deal{})
	}
	s.do("B", ann, table.Examine{Box: 1, Player: "ann"})
	s.do("E", supervisor, table.CloseTable{})

	var denied *access.Denied
	if _, err := s.ReportJackpotDown(ctx(), "", ann, "linked", ""); !errors.As(err, &denied) {
		t.Errorf("a player reports it: %v", err)
	}
	if _, err := s.ReportJackpotDown(ctx(), "", dealer, "other", ""); !errors.Is(err, house.ErrNoJackpot) {
		t.Errorf("a jackpot that there is not: %v", err)
	}
	want := []struct {
		table  string
		then   rules.Outcome
		clause string
	}{
		{"A", rules.Void, "5.16"},
		{"B", rules.KeepRegistered, "5.17.1"},
		{"C", rules.Void, "5.16"},
		{"D", rules.Continue, "5.17.2"},
		{"E", rules.Continue, "5.17.2"},
	}
	var seqs []int64
	for again := range 2 {
		reports, err := s.ReportJackpotDown(ctx(), "key", dealer, "linked", "the server does not answer")
		if err != nil || len(reports) != len(want) {
			t.Fatalf("%d reports, %v", len(reports), err)
		}
		for i := range reports {
			then, clause := reports[i].Outcome()
			if r := &reports[i]; r.Table != want[i].table || then != want[i].then || clause != want[i].clause || r.Refused != nil || r.Result.Repeated != (again == 1) {
				t.Errorf("%s: %s under %s, %v; want %+v", r.Table, then, clause, r.Refused, want[i])
			}
			seqs = append(seqs, reports[i].Result.Seq)
			state, err := housetest.Table(s, want[i].table)
			if err != nil || !state.Down {
				t.Errorf("%s is in order, %v", want[i].table, err)
			}
		}
	}
	for i := range want {
		if seqs[i] != seqs[i+len(want)] {
			t.Errorf("%s was reported twice, as %d and %d", want[i].table, seqs[i], seqs[i+len(want)])
		}
	}
	// Two bets of $5 were closed, 40 % of each: what B is paid by includes A's, whose
	// round was voided at the same report.
	state, _ := s.Jackpot("linked")
	if got, want := state.Displayed(), 10_004*money.Major; !state.Down || got != want {
		t.Errorf("%s is displayed, want %s", got, want)
	}
	// Under another key every table has it already.
	var refusal *table.Refusal
	if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); !errors.As(err, &refusal) || refusal.Reason != table.AlreadyDone {
		t.Errorf("reported twice: %v", err)
	}
	s.has("ann", 1000*money.Major-15*money.Major)
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	s.restart()
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A failure of the system that is reported at one table is one at all of its tables. A round
// that nobody has looked at is void wherever it is played. That of a box's device is one at its
// own table alone.
func TestASystemReportedAtOneTableFailsAtAll(t *testing.T) {
	for _, test := range []struct {
		what   string
		boxes  []int
		others [3]table.Phase
		down   bool
	}{
		{"the system", nil, [3]table.Phase{table.Voided, table.Deciding, table.Closed}, true},
		{"the device of box 1", []int{1}, [3]table.Phase{table.Dealing, table.Deciding, table.Closed}, false},
	} {
		t.Run(test.what, func(t *testing.T) {
			s := newSite(t)
			for _, name := range []string{"A", "B", "C", "D"} {
				s.install(name, "rws-3cp")
			}
			s.buyIn("ann", 1000*money.Major)
			for _, name := range []string{"A", "B", "C"} {
				s.do(name, dealer, table.OpenBets{})
				s.do(name, ann, ante(ann, 1, 10*money.Major))
				s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
				s.do(name, dealer, table.CloseBets{})
			}
			s.do("C", dealer, table.Deal{})
			s.do("C", ann, table.Examine{Box: 1, Player: "ann"})
			s.do("D", supervisor, table.CloseTable{})
			o := house.CommandRequest{Key: "k", Table: "A", By: dealer, Do: table.Report{Incident: rules.ProgressiveDown, Boxes: test.boxes, Note: "no answer"}}
			var end int64
			for again := range 2 {
				done, err := s.Do(ctx(), o)
				if err != nil || done.Repeated != (again == 1) {
					t.Fatalf("repeated %t, %v", done.Repeated, err)
				}
				if size := s.store.Head().Size; again == 0 {
					end = size
				} else if size != end {
					t.Errorf("repeated, it adds %d transactions", size-end)
				}
				for i, name := range []string{"B", "C", "D"} {
					state, err := housetest.Table(s, name)
					if err != nil || state.Down != test.down || state.Phase != test.others[i] {
						t.Errorf("%s: %s, out of order: %t, %v; want %s, %t", name, state.Phase, state.Down, err, test.others[i], test.down)
					}
				}
			}
			// As if the house had ended before it came to E: the same key carries it on.
			s.install("E", "rws-3cp")
			if _, err := s.Do(ctx(), o); err != nil {
				t.Fatal(err)
			}
			if state, err := housetest.Table(s, "E"); err != nil || state.Down != test.down {
				t.Errorf("E is out of order: %t, %v", state.Down, err)
			}
			if state, err := housetest.Table(s, "A"); err != nil || !state.Down || state.Phase != table.Voided {
				t.Errorf("A: %s, out of order: %t, %v", state.Phase, state.Down, err)
			}
			s.restart()
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
}

// By the ruling device_failure = displayed, devices that fail at one table stop no other: its hit
// is paid what the bets of both have made of the meter. The system, when it fails and is put back,
// does not answer for those devices.
func TestDevicesThatFailConcernTheirTableAlone(t *testing.T) {
	s := newSite(t)
	displayed := func(t *house.Table) {
		t.Variant.Choices[rules.DeviceFailure] = rules.DisplayedValue
	}
	s.readTable(displayed)
	s.readTable(displayed, func(t *house.Table) { t.Name = "B" })
	s.buyIn("ann", 1000*money.Major)
	bet := func(at string) {
		t.Helper()
		s.bet(at)
		s.do(at, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do(at, dealer, table.CloseBets{})
	}
	down := func(want ...string) {
		t.Helper()
		var got []string
		for _, name := range s.Tables() {
			if state, err := housetest.Table(s, name); err != nil || state.Down {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("out of order are %q, want %q", got, want)
		}
	}
	bet("A")
	s.do("A", dealer, dealOf(t, "As", "Ks", "Qs", "Kd", "9c", "2s"))
	s.do("A", ann, table.Examine{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Report{Incident: rules.ProgressiveDown, Boxes: []int{2}})
	down("A")
	before, _ := s.Jackpot("linked")
	bet("B")
	state, _ := s.Jackpot("linked")
	if state.Down || state.Meter <= before.Meter {
		t.Errorf("the jackpot is down: %t, and B's bet has made %s of %s", state.Down, state.Meter, before.Meter)
	}
	s.restart()
	s.finish("A")
	if paid, _ := s.Jackpot("linked"); paid.Totals.PaidFromMeter != state.Meter || paid.Totals.PaidByHouse != 0 {
		t.Errorf("%s and %s of the house were paid, and %s was displayed", paid.Totals.PaidFromMeter, paid.Totals.PaidByHouse, state.Meter)
	}

	// What puts the jackpot back answers for no device.
	var refusal *table.Refusal
	if _, err := s.RestoreJackpot(ctx(), "", supervisor, "linked"); !errors.As(err, &refusal) || refusal.Reason != table.NotApplicable {
		t.Errorf("the jackpot, which works, is restored: %v", err)
	}
	// The system fails besides, at a round of B that somebody has seen: it stays down when A goes on
	// without the box.
	s.do("B", dealer, dealOf(t, "Ac", "7s", "4h", "2c", "5d", "9h"))
	s.do("B", ann, table.Examine{Box: 1, Player: "ann"})
	s.do("B", dealer, table.Report{Incident: rules.ProgressiveDown})
	if state, _ := s.Jackpot("linked"); !state.Down {
		t.Error("the system has failed, and the jackpot works")
	}
	s.finish("B")
	down("A", "B")
	if reports, err := s.RestoreJackpot(ctx(), "", supervisor, "linked"); err != nil || len(reports) != 2 {
		t.Errorf("%+v, %v", reports, err)
	}
	down()

	// Devices alone, and the choice for the rounds to come.
	s.do("A", dealer, table.Report{Incident: rules.ProgressiveDown, Boxes: []int{2}})
	s.do("A", supervisor, table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{2}})
	bet("A")
	s.restart()
	s.provenAll()
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// The other tables record what the first was told of the failure, and what a report of another
// kind says concerns none of them.
func TestOtherTablesRecordTheReportOfTheFirst(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	for range 2 {
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	report := func(r table.Report) {
		t.Helper()
		r.Incident = rules.ProgressiveDown
		if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: supervisor, Do: r}); err != nil {
			t.Fatal(err)
		}
	}
	notes := func() (notes []string) {
		t.Helper()
		all, err := noticesOf(s.House, house.Topic{Table: "B"})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range all {
			for _, e := range housetest.Events(n.Events) {
				if e, ok := e.(table.Reported); ok {
					notes = append(notes, e.Report.Note)
				}
			}
		}
		return notes
	}
	report(table.Report{Round: 1, Note: "the meter that round 1 was paid is disputed"})
	if got := notes(); got != nil {
		t.Errorf("of a round that has ended at A, B records %q", got)
	}
	report(table.Report{Note: "no answer"})
	if got := notes(); !slices.Equal(got, []string{"no answer"}) {
		t.Errorf("B records %q", got)
	}
}

// Where every other table refuses the report of a failure, or has stopped, the first is answered,
// and a copy of its report that arrives when all are in order changes none of them. By the ruling
// device_failure = displayed nor does one that arrives when only devices of the first have failed.
func TestAReportThatNoOtherTableTakes(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		s := newSite(t)
		s.apart = true // what stopped a table is not in the record
		devices := table.Report{Incident: rules.ProgressiveDown, Boxes: []int{1}}
		for _, name := range []string{"A", "B"} {
			s.readTable(func(t *house.Table) {
				t.Name = name
				if stopped {
					t.Variant.Choices[rules.DeviceFailure] = rules.DisplayedValue
				}
			})
		}
		if stopped {
			s.Halt("B", errors.New("a fault"))
		} else {
			s.do("B", dealer, devices)
		}
		o := house.CommandRequest{Key: "k", Table: "A", By: dealer, Do: table.Report{Incident: rules.ProgressiveDown}}
		if _, err := s.Do(ctx(), o); err != nil {
			t.Fatalf("B has stopped: %t; %v", stopped, err)
		}
		s.do("A", supervisor, table.RestoreProgressive{})
		if stopped {
			if _, err := s.Release(ctx(), "", manager, "B", "looked into"); err != nil {
				t.Fatal(err)
			}
		} else {
			s.do("B", supervisor, table.RestoreProgressive{})
		}
		copyArrives := func(when string) {
			t.Helper()
			if done, err := s.Do(ctx(), o); err != nil || !done.Repeated {
				t.Errorf("%s: repeated %t, %v", when, done.Repeated, err)
			}
			if state, err := housetest.Table(s, "B"); err != nil || state.Down {
				t.Errorf("%s, and a copy of the report has B out of order, %v", when, err)
			}
		}
		copyArrives("all are in order")
		if stopped {
			s.do("A", dealer, devices)
			copyArrives("devices of A have failed")
		}
	}
}

// What a person has begun at one table is ended at the others, whatever becomes of their access
// meanwhile.
func TestWhatIsBegunIsEndedForAPersonWhoIsGone(t *testing.T) {
	errGone := errors.New("signed out")
	for what, report := range map[string]func(s *site) error{
		"at a table": func(s *site) error {
			_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.Report{Incident: rules.ProgressiveDown}})
			return err
		},
		"of the jackpot": func(s *site) error { _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); return err },
	} {
		s := newSite(t)
		names := []string{"A", "B", "C"}
		for _, name := range names {
			s.install(name, "rws-3cp")
		}
		gone := true
		s.reopen(func(w *house.World) {
			w.Acts = func(by access.Person) error {
				if by.Name != dealer.Name {
					return nil
				}
				if gone {
					return errGone
				}
				gone = true
				return nil
			}
		})
		down := func(want bool) {
			t.Helper()
			for _, name := range names {
				if state, err := housetest.Table(s, name); err != nil || state.Down != want {
					t.Errorf("%s, %s: out of order %t, %v", what, name, state.Down, err)
				}
			}
		}
		if err := report(s); !errors.Is(err, errGone) {
			t.Errorf("%s, by a person who was gone before: %v", what, err)
		}
		down(false)
		gone = false
		if err := report(s); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		down(true)
	}
}

// A report that is not recorded at another table is answered with that error, and carried on under
// its key.
func TestAReportThatEndsAtAnotherTableIsCarriedOn(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.do("A", dealer, table.OpenBets{}) // the dealer has a number
	store := &ending{Store: s.store, left: 1}
	var err error
	if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
		t.Fatal(err)
	}
	o := house.CommandRequest{Key: "k", Table: "A", By: dealer, Do: table.Report{Incident: rules.ProgressiveDown}}
	if _, err := s.Do(ctx(), o); !errors.Is(err, house.ErrFailed) && !errors.Is(err, house.ErrStopped) {
		t.Errorf("B has not recorded it: %v", err)
	}
	s.restart()
	if done, err := s.Do(ctx(), o); err != nil || !done.Repeated {
		t.Errorf("carried on: repeated %t, %v", done.Repeated, err)
	}
	for _, name := range []string{"A", "B"} {
		if state, err := housetest.Table(s, name); err != nil || !state.Down {
			t.Errorf("%s is in order, %v", name, err)
		}
	}
}

// A copy of what has restored a jackpot restores no table when the jackpot has failed again.
func TestACopyOfARestorationRestoresNothing(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	fail := func() {
		t.Helper()
		if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); err != nil {
			t.Fatal(err)
		}
	}
	fail()
	s.do("B", supervisor, table.SuspendProgressive{Option: table.WithoutProgressive})
	s.bet("B")
	for again := range 2 {
		if reports, err := s.RestoreJackpot(ctx(), "key", supervisor, "linked"); err != nil || len(reports) != 2-again {
			t.Fatalf("%+v, %v", reports, err)
		}
		if again == 0 {
			fail()
			s.do("B", dealer, table.CloseBets{})
			s.do("B", dealer, table.Deal{})
			s.finish("B")
		}
	}
	for _, name := range []string{"A", "B"} {
		if state, err := housetest.Table(s, name); err != nil || !state.Down {
			t.Errorf("%s is in order, and the jackpot is not, %v", name, err)
		}
	}
}

// What keeps one table from the report keeps no other from it, and the answer of the first
// table stands.
func TestATableThatIsDownAlreadyHoldsUpNoOther(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"A", "B", "C"} {
		s.install(name, "rws-3cp")
	}
	down := func(boxes ...int) table.Report { return table.Report{Incident: rules.ProgressiveDown, Boxes: boxes} }
	s.do("B", dealer, down(1))
	s.do("A", dealer, down())
	if state, err := housetest.Table(s, "C"); err != nil || !state.Down {
		t.Errorf("C is in order, %v", err)
	}
	var refusal *table.Refusal
	o := house.CommandRequest{Key: "k", Table: "A", By: dealer, Do: down()}
	if _, err := s.Do(ctx(), o); !errors.As(err, &refusal) || refusal.Reason != table.AlreadyDone {
		t.Errorf("reported twice: %v", err)
	}
	// A copy of a report that arrives when all is in order again changes nothing.
	restore := func(names ...string) {
		for _, name := range names {
			s.do(name, supervisor, table.RestoreProgressive{})
		}
	}
	restore("A", "B", "C")
	s.do("B", dealer, down(1))
	if _, err := s.Do(ctx(), o); err != nil {
		t.Fatal(err)
	}
	restore("A", "B", "C")
	if done, err := s.Do(ctx(), o); err != nil || !done.Repeated {
		t.Errorf("repeated: %t, %v", done.Repeated, err)
	}
	inOrder := func() {
		t.Helper()
		for _, name := range []string{"A", "B", "C"} {
			if state, err := housetest.Table(s, name); err != nil || state.Down {
				t.Errorf("%s is out of order, %v", name, err)
			}
		}
	}
	inOrder()
	// So does a copy of a report for the whole jackpot, which one table had refused.
	s.do("B", dealer, down(1))
	if reports, err := s.ReportJackpotDown(ctx(), "all", dealer, "linked", ""); err != nil || len(reports) != 3 || reports[1].Refused == nil {
		t.Fatalf("%+v, %v", reports, err)
	}
	restore("A", "B", "C")
	if reports, err := s.ReportJackpotDown(ctx(), "all", dealer, "linked", ""); err != nil || len(reports) != 2 || !reports[0].Result.Repeated {
		t.Errorf("%+v, %v", reports, err)
	}
	inOrder()
}

// The progressive is put back into service at all tables of a jackpot by one act: at once where no
// round is in play, and else at its end. Boxes whose own devices have failed stay out of use.
func TestAJackpotIsRestoredAtAllItsTables(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"between", "closed", "in play", "devices", "fails again"} {
		s.install(name, "rws-3cp")
	}
	v := variant(t, "rws-3cp")
	idle := house.Table{
		Name: "idle", Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual},
		Jackpot: "linked", Mode: house.Automatic, Pace: house.Pace{BettingMs: 15_000},
	}
	if err := s.Install(ctx(), idle, admin); err != nil {
		t.Fatal(err)
	}
	s.buyIn("ann", 1000*money.Major)
	var refusal *table.Refusal
	if _, err := s.RestoreJackpot(ctx(), "", supervisor, "linked"); !errors.As(err, &refusal) || refusal.Reason != table.NotApplicable {
		t.Errorf("restored while it works: %v", err)
	}
	s.do("devices", dealer, table.Report{Incident: rules.ProgressiveDown, Boxes: []int{1}})
	s.do("devices", supervisor, table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{1}})
	if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); err != nil {
		t.Fatal(err)
	}
	s.do("closed", supervisor, table.SuspendProgressive{Option: table.CloseTableOption})
	for _, name := range []string{"in play", "fails again", "idle"} {
		s.do(name, supervisor, table.SuspendProgressive{Option: table.WithoutProgressive})
	}
	for _, name := range []string{"in play", "fails again"} {
		s.bet(name)
	}
	if _, err := s.DoAsHouse(ctx(), "", "idle", table.OpenBets{}); err != nil {
		t.Fatal(err)
	}
	s.do("devices", supervisor, table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{1}})

	down := func(want ...string) {
		t.Helper()
		var got []string
		for _, name := range s.Tables() {
			state, err := housetest.Table(s, name)
			if err != nil {
				t.Fatal(err)
			}
			if state.Down {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("out of order are %q, want %q", got, want)
		}
	}
	down("between", "closed", "devices", "fails again", "idle", "in play")
	var denied *access.Denied
	if _, err := s.RestoreJackpot(ctx(), "", dealer, "linked"); !errors.As(err, &denied) {
		t.Errorf("a dealer restores it: %v", err)
	}
	if _, err := s.RestoreJackpot(ctx(), "", supervisor, "other"); !errors.Is(err, house.ErrNoJackpot) {
		t.Errorf("a jackpot that there is not: %v", err)
	}
	for again := range 2 {
		reports, err := s.RestoreJackpot(ctx(), "key", supervisor, "linked")
		if err != nil {
			t.Fatal(err)
		}
		var at, later []string
		for i := range reports {
			r := &reports[i]
			switch {
			case r.Refused != nil:
				t.Errorf("%s refuses: %v", r.Table, r.Refused)
			case r.Later:
				later = append(later, r.Table)
			case r.Result.Repeated == (again == 1):
				at = append(at, r.Table)
			}
		}
		wantLater := []string{"fails again", "idle", "in play"}
		if again == 1 {
			wantLater = []string{"fails again", "in play"} // whose round was ended for it is in order
		}
		if !slices.Equal(at, []string{"between", "closed"}) || !slices.Equal(later, wantLater) {
			t.Errorf("restored at once are %q, later %q", at, later)
		}
		down("devices", "fails again", "in play")
	}
	if state, _ := s.Jackpot("linked"); state.Down {
		t.Error("the jackpot is out of order")
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "fails again", By: dealer, Do: table.Report{Incident: rules.ProgressiveDown}}); !errors.As(err, &refusal) || refusal.Reason != table.AlreadyDone {
		t.Fatalf("reported where it is out of order: %v", err)
	}
	for _, name := range []string{"in play", "fails again"} {
		s.do(name, dealer, table.CloseBets{})
		s.do(name, dealer, table.Deal{})
		s.finish(name)
	}
	down("devices", "fails again")
	s.do("in play", dealer, table.OpenBets{})
	s.do("in play", ann, ante(ann, 1, 10*money.Major))
	s.do("in play", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.restart()
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// Whoever has the progressive put back at the end of a round has it back, whatever else is asked for
// until then and refused.
func TestARefusalForgetsNoRestoration(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 1000*money.Major)
	passed := int64(1)
	refused := map[string]house.CommandRequest{
		"a choice during the round": {By: supervisor, Do: table.SuspendProgressive{Option: table.WithoutProgressive}},
		"a report of another state": {By: dealer, Do: table.Report{Incident: rules.ProgressiveDown}, Expect: &passed},
		"a report of a box":         {By: dealer, Do: table.Report{Incident: rules.ProgressiveDown, Boxes: []int{99}}},
		"a report of a player":      {By: ann, Do: table.Report{Incident: rules.ProgressiveDown}},
	}
	for name := range refused {
		s.install(name, "rws-3cp")
	}
	if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); err != nil {
		t.Fatal(err)
	}
	for name := range refused {
		s.do(name, supervisor, table.SuspendProgressive{Option: table.WithoutProgressive})
		s.bet(name)
	}
	if reports, err := s.RestoreJackpot(ctx(), "", supervisor, "linked"); err != nil || len(reports) != len(refused) || !reports[0].Later {
		t.Fatalf("%+v, %v", reports, err)
	}
	for name, o := range refused {
		o.Table = name
		if _, err := s.Do(ctx(), o); err == nil {
			t.Errorf("%s is taken", name)
		}
		s.do(name, dealer, table.CloseBets{})
		s.do(name, dealer, table.Deal{})
		s.finish(name)
		if state, err := housetest.Table(s, name); err != nil || state.Down {
			t.Errorf("after %s, which was refused, the progressive stays out of service: %v", name, err)
		}
	}
}

// One act restores the progressive at all tables, also where rounds of several tables are still
// paid what was registered. With the last of these rounds every table has it back.
func TestOneActRestoresTheJackpotAfterTheLastRound(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 1000*money.Major)
	all := []string{"A", "B", "idle"}
	for _, name := range all {
		s.install(name, "rws-3cp")
	}
	for _, name := range all[:2] {
		s.bet(name)
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do(name, dealer, table.CloseBets{})
		s.do(name, dealer, table.Deal{})
		s.do(name, ann, table.Examine{Box: 1, Player: "ann"})
	}
	if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); err != nil {
		t.Fatal(err)
	}
	reports, err := s.RestoreJackpot(ctx(), "", supervisor, "linked")
	if err != nil || len(reports) != len(all) {
		t.Fatalf("%+v, %v", reports, err)
	}
	for i := range reports {
		if r := &reports[i]; !r.Later || r.Refused != nil {
			t.Errorf("%s: later %t, %v", r.Table, r.Later, r.Refused)
		}
	}
	for i, want := range []bool{true, false} {
		s.finish(all[i])
		state, _ := s.Jackpot("linked")
		if state.Down != want {
			t.Errorf("after the round of %s the jackpot is out of order: %t", all[i], state.Down)
		}
		for _, name := range all {
			if state, err := housetest.Table(s, name); err != nil || state.Down != want {
				t.Errorf("after the round of %s the progressive of %s is out of order: %t, %v", all[i], name, state.Down, err)
			}
		}
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A copy of the act that arrives when the jackpot has failed again puts nothing into service.
func TestARepeatedRestorationRestoresNothingAnew(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	for range 2 {
		if _, err := s.ReportJackpotDown(ctx(), "", dealer, "linked", ""); err != nil {
			t.Fatal(err)
		}
		if reports, err := s.RestoreJackpot(ctx(), "key", supervisor, "linked"); err != nil || len(reports) != 2 {
			t.Fatalf("%+v, %v", reports, err)
		}
	}
	for _, name := range []string{"A", "B"} {
		if state, err := housetest.Table(s, name); err != nil || !state.Down {
			t.Errorf("%s is back in service by an act before it failed, %v", name, err)
		}
	}
}

// openBehind closes the record and opens the house on it again, behind another store. Whoever is
// done with the house closes the store that it returns.
func (s *site) openBehind(wrap func(house.Store) house.Store) (*house.House, *sqlite.Store) {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Fatal(err)
	}
	store, err := sqlite.Open(ctx(), s.path)
	if err != nil {
		s.Fatal(err)
	}
	h, _, err := house.Open(ctx(), wrap(store), s.world())
	if err != nil {
		s.Fatal(err)
	}
	return h, store
}

// late hands the result of one transaction on when the gate opens: whoever waits for it wakes up
// late.
type late struct {
	house.Store
	holds func(*house.Transaction) bool
	gate  chan struct{}
}

func (l *late) Append(tx *house.Transaction) <-chan house.AppendResult {
	done := l.Store.Append(tx)
	if !l.holds(tx) {
		return done
	}
	held := make(chan house.AppendResult, 1)
	go func() {
		res := <-done
		<-l.gate
		held <- res
	}()
	return held
}

// A person who gets an answer may read everything that was recorded before it. A bet can be
// read when a buy-in that was recorded after it is answered, also where the player's own answer
// is late.
func TestWhatWasRecordedBeforeAnAnswerIsSeen(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	bets := func(tx *house.Transaction) bool { return tx.Cause.By == s.token("ann") }
	slow := &late{holds: bets, gate: make(chan struct{})}
	h, store := s.openBehind(func(store house.Store) house.Store { slow.Store = store; return slow })
	bet, paid := make(chan error, 1), make(chan error, 1)
	end := store.Head().Size
	go func() {
		_, err := h.Do(ctx(), house.CommandRequest{Table: "A", By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major}})
		bet <- err
	}()
	steady.Await(t, "the bet in the record", func() bool {
		select {
		case err := <-bet:
			t.Fatalf("the bet is answered before it is recorded: %v", err)
		default:
		}
		return store.Head().Size > end
	})
	go func() {
		_, err := h.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100})
		paid <- err
	}()
	select {
	case err := <-paid:
		close(slow.gate)
		t.Fatalf("a buy-in is answered while nobody sees the bet before it: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(slow.gate)
	if err := errors.Join(<-bet, <-paid); err != nil {
		t.Fatal(err)
	}
	_ = store.Close() // it was looked at
	s.open()
}

// blind finds no key, as a connection that leads to a former server may find none.
type blind struct{ house.Store }

func (blind) Find(context.Context, string) (*house.Receipt, error) { return nil, house.ErrNotFound }

// What is decided while a transaction waits in line counts on it. Where the record refuses it,
// nothing behind it is recorded: nobody holds more than was acknowledged.
func TestNothingIsRecordedBehindARefusal(t *testing.T) {
	s := newSiteOnFile(t)
	s.apart = true
	in := func(h *house.House, key string) error {
		_, err := h.CageTransfer(ctx(), key, cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100})
		return err
	}
	if err := in(s.House, "k"); err != nil {
		t.Fatal(err)
	}
	h, store := s.openBehind(func(store house.Store) house.Store { return blind{store} })
	var done atomic.Int64
	var work sync.WaitGroup
	for i := range 60 {
		work.Go(func() {
			key := ""
			if i == 20 {
				key = "k"
			}
			if in(h, key) == nil {
				done.Add(1)
			}
		})
	}
	work.Wait()
	if h.Fault() == nil {
		t.Error("the house goes on")
	}
	_ = store.Close() // it has failed
	s.open()
	if has := s.Balance(annHas); has != money.Amount(100*(1+done.Load())) {
		t.Errorf("ann has %d, and %d times 100 was acknowledged", has, 1+done.Load())
	}
}

// A failure of a jackpot that is begun to be reported reaches all of its tables, also where nobody
// waits for the answer any more.
func TestAFailureReachesAllTablesWithoutWhoReportsIt(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	waits, gone := context.WithCancel(ctx())
	defer gone()
	leaves := &late{holds: func(tx *house.Transaction) bool {
		if tx.Cause.Kind == "report" {
			gone()
		}
		return false
	}}
	h, store := s.openBehind(func(store house.Store) house.Store { leaves.Store = store; return leaves })
	if _, err := h.ReportJackpotDown(waits, "", dealer, "linked", "the server does not answer"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"A", "B"} {
		if state, err := housetest.Table(h, name); err != nil || !state.Down {
			t.Errorf("%s plays on with a jackpot that has failed, %v", name, err)
		}
	}
	_ = store.Close() // it was looked at
	s.open()
}
