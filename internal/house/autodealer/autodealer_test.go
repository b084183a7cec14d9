package autodealer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/house/plan"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

var (
	admin   = access.Person{Name: "ada", Role: access.Administrator}
	cashier = access.Person{Name: "kim", Role: access.Cashier}
	manager = access.Person{Name: "sue", Role: access.ShiftManager}
	player  = access.Person{Name: "ann", Role: access.Player}
	other   = access.Person{Name: "ben", Role: access.Player}
)

// floor is a house in memory with an autodealer, on a clock that the test holds.
type floor struct {
	testing.TB
	disk  memory.Disk
	store *memory.Store
	clock atomic.Int64
	logs  strings.Builder
	// established is the ruling outcome_established of tables to come; zero is the
	// default.
	established rules.Choice
	*house.House
	*autodealer.Autodealer
}

func newFloor(t testing.TB) *floor {
	t.Helper()
	f := &floor{TB: t}
	f.clock.Store(1_000_000)
	f.enter()
	return f
}

// floorWithABet returns a house in which the player has bet at the automatic table A, and has all of
// the time for bets.
func floorWithABet(t testing.TB, book string) *floor {
	t.Helper()
	f := newFloor(t)
	f.install("A", book, pace, house.Automatic)
	f.buyIn(player)
	f.step(-1)
	f.bet("A", player, 1)
	f.step(20_000)
	return f
}

// enter opens the house with a new autodealer, as after a start.
func (f *floor) enter() []house.Interruption {
	f.Helper()
	var err error
	if f.store, err = f.disk.Open(memory.Faults{}); err != nil {
		f.Fatal(err)
	}
	world := house.World{NowMs: f.clock.Load, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh}
	var stops []house.Interruption
	if f.House, stops, err = house.Open(context.Background(), f.store, world); err != nil {
		f.Fatal(err)
	}
	f.Autodealer = autodealer.New(f.House, f.clock.Load, slog.New(slog.NewTextHandler(&f.logs, nil)))
	return stops
}

func (f *floor) install(name, book string, p house.Pace, mode house.Mode) {
	f.Helper()
	b, err := books.Find(book)
	if err != nil {
		f.Fatal(err)
	}
	v := b.Standard().Clone()
	if f.established != 0 {
		v.Choices[rules.OutcomeEstablished] = f.established
	}
	t := house.Table{Name: name, Variant: v, Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}, Mode: mode, Pace: p}
	if v.Jackpot != nil {
		t.Jackpot = "linked"
	}
	if err := f.Install(context.Background(), t, admin); err != nil {
		f.Fatal(err)
	}
}

func (f *floor) buyIn(person access.Person) {
	f.Helper()
	if _, err := f.CageTransfer(context.Background(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: person.Name, Amount: 10_000 * money.Major}); err != nil {
		f.Fatal(err)
	}
}

func (f *floor) do(name string, by access.Person, do table.Action) {
	f.Helper()
	if _, err := f.Do(context.Background(), house.CommandRequest{Table: name, By: by, Do: do}); err != nil {
		f.Fatalf("%s at %s: %v", record.Actions.Name(do), name, err)
	}
}

func (f *floor) bet(name string, person access.Person, box int) {
	f.Helper()
	s, err := housetest.Table(f, name)
	if err != nil {
		f.Fatal(err)
	}
	f.do(name, person, table.Bet{Box: box, Player: person.Name, Wager: first(&s), Amount: 5 * money.Major})
}

// step lets the autodealer work, and checks when it wants to work next: in so many milliseconds,
// or never for a number below zero.
func (f *floor) step(wantMs int64) {
	f.Helper()
	nextMs, ok, err := f.Step(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	if ok != (wantMs >= 0) || ok && nextMs-f.clock.Load() != wantMs {
		f.Errorf("next in %d ms, %v; want %d", nextMs-f.clock.Load(), ok, wantMs)
	}
}

// pass lets time pass and the autodealer work at its end.
func (f *floor) pass(ms, wantMs int64) {
	f.Helper()
	f.clock.Add(ms)
	f.step(wantMs)
}

func (f *floor) expect(name string, phase table.Phase, round int) {
	f.Helper()
	s, err := housetest.Table(f, name)
	if err != nil {
		f.Fatal(err)
	}
	if s.Phase != phase || s.Round != round {
		f.Errorf("%s is %s in round %d, want %s in %d", name, s.Phase, s.Round, phase, round)
	}
}

// A whole round of every book by the clock, and the next one after it.
func TestARoundByTheClock(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			f := newFloor(t)
			f.install("A", b.ID, pace, house.Automatic)
			f.buyIn(player)
			f.step(-1)
			f.expect("A", table.Betting, 1)
			f.pass(3_600_000, -1) // an empty table waits
			f.bet("A", player, 1)
			f.step(20_000)
			f.pass(5_000, 15_000)
			f.bet("A", player, 1) // more money does not begin the time anew
			f.step(15_000)
			f.pass(14_999, 1)
			f.expect("A", table.Betting, 1)
			f.pass(1, 500) // half a pause: one player has all the bets
			f.expect("A", table.Dealing, 1)
			f.pass(500, 30_000)
			f.expect("A", table.Deciding, 1)
			if b.Decision != nil {
				f.do("A", player, table.Raise{Box: 1, Player: "ann"})
				f.step(500)
				f.pass(500, 500)
			} else {
				f.pass(30_000, 500)
			}
			f.expect("A", table.Showing, 1)
			f.pass(500, 5_000)
			f.expect("A", table.Paid, 1)
			f.pass(5_000, -1)
			f.expect("A", table.Betting, 2)
			if err := f.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
}

// With no clock at all a table goes as fast as its players act, and no faster.
func TestAtThePaceOfThePlayers(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			f := newFloor(t)
			f.install("A", b.ID, house.Pace{}, house.Automatic)
			f.buyIn(player)
			f.buyIn(other)
			for round := 1; round <= 3; round++ {
				f.step(-1)
				f.expect("A", table.Betting, round)
				f.bet("A", player, 1)
				f.bet("A", other, 2)
				f.pass(86_400_000, -1)
				if err := f.Ready(player, "A"); err != nil {
					t.Fatal(err)
				}
				f.step(-1)
				f.expect("A", table.Betting, round)
				if a, ok := f.Awaited("A"); !ok || a.Wait != autodealer.Bets || a.DueMs != 0 || !slices.Equal(a.Ready, []string{"ann"}) {
					t.Errorf("awaited: %+v, %v", a, ok)
				}
				if err := f.Ready(other, "A"); err != nil {
					t.Fatal(err)
				}
				f.step(-1)
				f.expect("A", table.Deciding, round)
				f.pass(86_400_000, -1)
				if b.Decision != nil {
					f.do("A", player, table.Fold{Box: 1, Player: "ann"})
					f.do("A", other, table.Raise{Box: 2, Player: "ben"})
				} else {
					f.do("A", player, table.Examine{Box: 1, Player: "ann"})
					f.do("A", player, table.LayUp{Box: 1})
					f.step(-1)
					if err := f.Ready(other, "A"); err != nil {
						t.Fatal(err)
					}
				}
			}
			f.step(-1)
			f.expect("A", table.Betting, 4)
		})
	}
}

func TestWhoChangesHisBetsIsNotReady(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", house.Pace{}, house.Automatic)
	f.buyIn(player)
	f.step(-1)
	if err := f.Ready(player, "A"); !errors.Is(err, autodealer.ErrNothingToWaitFor) {
		t.Errorf("ready without a bet: %v", err)
	}
	// The autodealer has not heard of the bet when its player is ready.
	f.bet("A", player, 1)
	if err := f.Ready(player, "A"); err != nil {
		t.Fatal(err)
	}
	f.bet("A", player, 1)
	f.step(-1)
	f.expect("A", table.Betting, 1)
	if err := f.Ready(player, "A"); err != nil {
		t.Fatal(err)
	}
	f.step(-1)
	f.expect("A", table.Deciding, 1)
	if err := f.Ready(player, "A"); !errors.Is(err, autodealer.ErrNothingToWaitFor) {
		t.Errorf("ready instead of a decision: %v", err)
	}
	if err := f.Ready(player, "B"); !errors.Is(err, house.ErrNoTable) || strings.Count(err.Error(), `"B"`) != 1 {
		t.Errorf("ready nowhere: %v", err)
	}
	var denied *access.Denied
	if err := f.Ready(manager, "A"); !errors.As(err, &denied) {
		t.Errorf("a manager is ready: %v", err)
	}
}

// An idle table can be closed, and goes on when it is opened again; one with bets
// on it cannot.
func TestAnIdleTableIsClosed(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", pace, house.Automatic)
	f.buyIn(player)
	f.step(-1)
	f.do("A", manager, table.CloseTable{})
	f.pass(60_000, -1)
	f.expect("A", table.Closed, 1)
	if a, ok := f.Awaited("A"); !ok || a.Wait != autodealer.Nothing {
		t.Errorf("awaited: %+v, %v", a, ok)
	}
	slower := pace
	slower.BettingMs = 90_000
	if _, err := f.Change(context.Background(), "", manager, "A", house.Change{Pace: &slower}); err != nil {
		t.Fatal(err)
	}
	f.do("A", manager, table.OpenTable{})
	f.step(-1)
	f.expect("A", table.Betting, 2)
	f.bet("A", player, 1)
	f.step(90_000)
	var refusal *table.Refusal
	_, err := f.Do(context.Background(), house.CommandRequest{Table: "A", By: manager, Do: table.CloseTable{}})
	if !errors.As(err, &refusal) || refusal.Reason != table.WrongPhase {
		t.Errorf("closed over a bet: %v", err)
	}
	f.pass(90_000, 500)
	f.pass(1_000, 30_000)
	f.do("A", player, table.Fold{Box: 1, Player: "ann"})
	f.pass(0, 500)
	f.pass(1_000, 500)
	f.pass(1_000, 5_000)
	f.expect("A", table.Paid, 2)
	if err := f.Audit(); err != nil {
		t.Error(err)
	}
}

// A house that closes finishes its rounds and begins no more.
func TestTheHouseCloses(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", house.Pace{}, house.Automatic)
	f.install("B", "us-3cp", house.Pace{}, house.Automatic)
	f.buyIn(player)
	f.step(-1)
	f.bet("A", player, 1)
	if err := f.CloseDown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(player, "A"); err != nil {
		t.Fatal(err)
	}
	f.step(-1)
	// Where nobody has bet there is nothing to finish, and nothing begins.
	idle := house.CommandRequest{Table: "B", By: player, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 5 * money.Major}}
	if _, err := f.Do(context.Background(), idle); !errors.Is(err, house.ErrClosing) {
		t.Errorf("the first bet of a round: %v", err)
	}
	if _, err := f.DryRun(context.Background(), idle); !errors.Is(err, house.ErrClosing) {
		t.Errorf("the same, tried: %v", err)
	}
	f.do("A", player, table.Fold{Box: 1, Player: "ann"})
	f.step(2_000)
	f.expect("A", table.Paid, 1)
	if a := f.Alerts(); len(a) != 0 {
		t.Errorf("closing is no alert: %+v", a)
	}
	if err := f.Undrain(context.Background(), "", manager); err != nil {
		t.Fatal(err)
	}
	f.pass(2_000, -1)
	f.expect("A", table.Betting, 2)
}

func TestATableOfADealerIsLeftAlone(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", pace, house.DealerRun)
	f.step(-1)
	f.expect("A", table.Ready, 0)
	f.buyIn(player)
	if err := f.Ready(player, "A"); !errors.Is(err, autodealer.ErrNotDriven) {
		t.Errorf("got %v", err)
	}
	if _, ok := f.Awaited("A"); ok {
		t.Error("it is awaited")
	}
}

// A question for staff is awaited, and the table goes on when they have answered.
func TestAQuestionIsForStaff(t *testing.T) {
	f := floorWithABet(t, "rws-3cp")
	f.pass(20_000, 500)
	f.pass(1_000, 30_000)
	f.do("A", manager, table.Report{Incident: rules.Uncovered, Note: "a glass was spilled"})
	f.pass(600_000, -1)
	alerts := f.Alerts()
	if len(alerts) != 1 || alerts[0].Table != "A" || alerts[0].Round != 1 || !strings.Contains(alerts[0].Why.String(), "has to answer") {
		t.Errorf("alerts: %+v", alerts)
	}
	if !strings.Contains(f.logs.String(), "a table needs a person") {
		t.Errorf("the log says nothing: %s", f.logs.String())
	}
	s, err := housetest.Table(f, "A")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Question.Answers {
		if a.Then == rules.Continue {
			f.do("A", manager, table.Answer{Answer: a.Key})
		}
	}
	f.step(30_000) // the players have their time again
	if len(f.Alerts()) != 0 {
		t.Errorf("alerts: %+v", f.Alerts())
	}
}

// A hit that was dealt later waits for the earlier one, and is paid when that one is.
func TestALaterHitWaits(t *testing.T) {
	f := newFloor(t)
	refused := &jackpot.Refusal{Reason: jackpot.ReasonEarlierHit, Detail: "another table first"}
	slow := &behind{House: f.House, refuse: refused}
	c := autodealer.New(slow, f.clock.Load, slog.New(slog.DiscardHandler))
	f.install("A", "rws-3cp", house.Pace{}, house.Automatic)
	f.install("B", "rws-3cp", house.Pace{}, house.Automatic)
	f.buyIn(player)
	f.buyIn(other)
	step := func(wantMs int64) {
		t.Helper()
		nextMs, ok, err := c.Step(context.Background())
		if err != nil || ok != (wantMs >= 0) || ok && nextMs-f.clock.Load() != wantMs {
			t.Fatalf("next in %d ms, %v, %v; want %d", nextMs-f.clock.Load(), ok, err, wantMs)
		}
	}
	play := func(name string, person access.Person) {
		t.Helper()
		f.bet(name, person, 1)
		f.do(name, person, table.Bet{Box: 1, Player: person.Name, Wager: rules.Progressive, Amount: 5 * money.Major})
		if err := c.Ready(person, name); err != nil {
			t.Fatal(err)
		}
		step(-1)
		f.do(name, person, table.Raise{Box: 1, Player: person.Name})
	}
	step(-1)
	play("A", player)
	slow.settleAt = "A"
	step(2_000)
	f.expect("A", table.Showing, 1)
	if len(c.Alerts()) != 0 {
		t.Errorf("waiting for a turn is no alert: %+v", c.Alerts())
	}
	slow.settleAt = ""
	step(2_000) // nothing has moved
	f.bet("B", other, 1)
	f.do("B", other, table.Bet{Box: 1, Player: "ben", Wager: rules.Progressive, Amount: 5 * money.Major})
	if err := c.Ready(other, "B"); err != nil {
		t.Fatal(err)
	}
	step(-1) // the contribution of B moves the jackpot
	f.expect("A", table.Betting, 2)
	f.expect("B", table.Deciding, 1)
}

// behind is a house whose jackpot has to pay another table first.
type behind struct {
	*house.House
	refuse   error
	settleAt string
}

func (b *behind) DoAsHouse(ctx context.Context, key, name string, do table.Action) (house.Result, error) {
	if _, settles := do.(table.Settle); settles && name == b.settleAt {
		return house.Result{}, b.refuse
	}
	return b.House.DoAsHouse(ctx, key, name, do)
}

// What keeps being refused is said once, and tried again.
func TestAnOrderThatIsRefused(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", house.Pace{}, house.Automatic)
	f.buyIn(player)
	stuck := &behind{House: f.House, refuse: errors.New("the table has stopped"), settleAt: "A"}
	c := autodealer.New(stuck, f.clock.Load, slog.New(slog.NewTextHandler(&f.logs, nil)))
	if _, _, err := c.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.bet("A", player, 1)
	if err := c.Ready(player, "A"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.do("A", player, table.Fold{Box: 1, Player: "ann"})
	for range 5 {
		if nextMs, ok, err := c.Step(context.Background()); err != nil || !ok || nextMs != f.clock.Load()+2_000 {
			t.Fatalf("next at %d, %v, %v", nextMs, ok, err)
		}
		f.clock.Add(2_000)
	}
	if n := strings.Count(f.logs.String(), "a table is held up"); n != 1 {
		t.Errorf("it was said %d times: %s", n, f.logs.String())
	}
	if a := c.Alerts(); len(a) != 1 || a[0].Why.String() != "the table has stopped" {
		t.Errorf("alerts: %+v", a)
	}
	stuck.settleAt = ""
	if _, _, err := c.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.expect("A", table.Betting, 2)
	if a := c.Alerts(); len(a) != 0 {
		t.Errorf("alerts: %+v", a)
	}
}

// Rounds that a stop interrupted end by themselves at automatic tables: players
// have the time for their options first.
func TestInterruptedRoundsEnd(t *testing.T) {
	f := newFloor(t)
	f.established = rules.FirstExposure
	for i, b := range books.All() {
		name := fmt.Sprint("table ", i)
		f.install(name, b.ID, pace, house.Automatic)
	}
	f.buyIn(player)
	f.step(-1)
	for i := range books.All() {
		f.bet(fmt.Sprint("table ", i), player, 1)
	}
	f.step(20_000)
	f.pass(20_000, 500)
	f.pass(1_000, 30_000)
	f.store.Crash(0)
	f.clock.Add(rules.DefaultGraceMs)
	if stops := f.enter(); len(stops) != len(books.All()) {
		t.Fatalf("interrupted: %+v", stops)
	}
	f.step(5_000) // three are void, and the next rounds follow
	for i, b := range books.All() {
		if b.Offer.Withdraw == "" || b.ID != "mbs-3pictures" {
			f.expect(fmt.Sprint("table ", i), table.Voided, 1)
			continue
		}
		if a, ok := f.Awaited(fmt.Sprint("table ", i)); !ok || a.Wait != autodealer.Options || a.DueMs != f.clock.Load()+45_000 {
			t.Errorf("awaited: %+v, %v", a, ok)
		}
	}
	f.pass(5_000, 40_000)
	f.pass(40_000, 30_000) // the hand may still be looked at
	f.pass(30_000, 500)
	f.pass(1_000, 5_000)
	f.expect("table 3", table.Paid, 1)
	f.pass(5_000, -1)
	if err := f.Audit(); err != nil {
		t.Error(err)
	}
}

// A stop of 17 seconds gives nobody a free look. A player who has seen a hand gets no bet back,
// and has the full time for the decision once more.
func TestNoFreeLook(t *testing.T) {
	f := newFloor(t)
	all := books.All()
	for i := range all {
		f.install(fmt.Sprint("table ", i), all[i].ID, pace, house.Automatic)
	}
	f.buyIn(player)
	f.step(-1)
	for i := range all {
		f.bet(fmt.Sprint("table ", i), player, 1)
	}
	f.step(20_000)
	f.pass(20_000, 500)
	f.pass(1_000, 30_000)
	for i := range all {
		f.do(fmt.Sprint("table ", i), player, table.Examine{Box: 1, Player: player.Name})
	}
	f.pass(25_000, 5_000)
	f.store.Crash(0)
	f.clock.Add(17_000)
	stops := f.enter()
	if len(stops) != len(all) {
		t.Fatalf("interrupted: %+v", stops)
	}
	for _, stop := range stops {
		if stop.Outcome != rules.Continue || stop.Phase != table.Deciding || stop.LastedMs < 17_000 {
			t.Errorf("table %s: %+v", stop.Table, stop)
		}
	}
	f.step(30_000)
	f.pass(29_999, 1)
	for i, b := range all {
		name := fmt.Sprint("table ", i)
		f.expect(name, table.Deciding, 1)
		if b.Decision != nil {
			f.do(name, player, table.Fold{Box: 1, Player: player.Name})
		}
	}
	// $5 at each table: folded where there is something to fold, at stake elsewhere.
	want := (10_000 - money.Amount(5*len(all))) * money.Major
	if held := f.Balance(ledger.Account{Kind: ledger.Player, Of: player.Name}); held != want {
		t.Errorf("the player holds %s, want %s", held.Display(), want.Display())
	}
	f.pass(1, 499)
	for range 3 { // the last hand is laid up, the dealer's turned, the bets settled
		f.clock.Add(1_000)
		if _, _, err := f.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for i := range all {
		f.expect(fmt.Sprint("table ", i), table.Paid, 1)
	}
	if err := f.Audit(); err != nil {
		t.Error(err)
	}
}

// An autodealer that goes on with a house, or only shows it, has the deadlines of the one
// before. Players whose time ran out while nobody ran the table have all of it again.
func TestADeadlineFollowsFromTheRecord(t *testing.T) {
	f := floorWithABet(t, "us-3cp")
	dueMs := f.clock.Load() + 20_000
	f.clock.Add(5_000)
	next := func() *autodealer.Autodealer {
		return autodealer.New(f.House, f.clock.Load, slog.New(slog.DiscardHandler))
	}
	observer := next()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- observer.Observe(ctx) }()
	var awaited autodealer.Awaited
	for deadline := time.Now().Add(time.Minute); awaited.Wait == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		awaited, _ = observer.Awaited("A")
	}
	if awaited.Wait != autodealer.Bets || awaited.DueMs != dueMs || awaited.SinceMs != dueMs-20_000 {
		t.Errorf("who only looks on awaits %+v, want bets until %d", awaited, dueMs)
	}
	f.Autodealer = next()
	f.step(15_000)
	f.clock.Add(30_000)
	f.Autodealer = next()
	f.step(20_000)
	// The record does not say so: the notes do.
	observer.TakeNotes(f.Notes())
	if awaited, _ := observer.Awaited("A"); awaited.DueMs != f.clock.Load()+20_000 {
		t.Errorf("who only looks on awaits %+v, want it until %d", awaited, f.clock.Load()+20_000)
	}
	f.pass(20_000, 500)
	f.expect("A", table.Dealing, 1)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// interrupted is a house in which something happens right after a round was read from the record.
type interrupted struct {
	*house.House
	meanwhile func()
}

func (i *interrupted) ThisRound(ctx context.Context, name string, yield func(*house.Notice) error) error {
	err := i.House.ThisRound(ctx, name, yield)
	if i.meanwhile != nil {
		i.meanwhile()
		i.meanwhile = nil
	}
	return err
}

// What happens at a table while its past is read has its own time: players who bet anew do not
// inherit what is left of the time before.
func TestADeadlineIsOfWhatStands(t *testing.T) {
	f := floorWithABet(t, "us-3cp")
	f.clock.Add(15_000)
	f.Autodealer = autodealer.New(&interrupted{f.House, func() {
		f.do("A", player, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante})
		f.bet("A", player, 1)
	}}, f.clock.Load, slog.New(slog.DiscardHandler))
	f.step(20_000)
	f.pass(20_000, 500)
	f.expect("A", table.Dealing, 1)
}

// Who is ready is in the notes, for the moment of the round in which it was said.
func TestNotesOfWhoIsReady(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", pace, house.Automatic)
	f.buyIn(player)
	f.buyIn(other)
	f.step(-1)
	f.bet("A", player, 1)
	f.bet("A", other, 2)
	f.step(20_000)
	if err := f.Ready(other, "A"); err != nil {
		t.Fatal(err)
	}
	notes := f.Notes()
	observer := autodealer.New(f.House, f.clock.Load, slog.New(slog.DiscardHandler))
	if _, _, err := observer.Step(t.Context()); err != nil { // nothing is due: it reads how the table stands
		t.Fatal(err)
	}
	if awaited, _ := observer.Awaited("A"); len(awaited.Ready) != 0 {
		t.Errorf("before the notes: %v", awaited.Ready)
	}
	observer.TakeNotes(notes)
	if awaited, _ := observer.Awaited("A"); !slices.Equal(awaited.Ready, []string{"ben"}) {
		t.Errorf("after the notes: %v", awaited.Ready)
	}
	late := slices.Clone(notes)
	late[0].Round++
	observer.TakeNotes(late)
	if awaited, _ := observer.Awaited("A"); len(awaited.Ready) != 0 {
		t.Errorf("notes of another round: %v", awaited.Ready)
	}
}

// A stop that a person reports while the house runs begins the players' time anew.
func TestTimeAfterAReportedStop(t *testing.T) {
	f := floorWithABet(t, "us-3cp")
	f.pass(20_000, 500)
	f.pass(1_000, 30_000)
	f.pass(25_000, 5_000)
	f.do("A", manager, table.Report{Incident: rules.TechnicalInterruption, LastedMs: 17_000})
	f.step(30_000)
	f.expect("A", table.Deciding, 1)
}

// An autodealer who was cut off finds everything as it stands.
func TestCutOff(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", house.Pace{}, house.Automatic)
	f.buyIn(player)
	f.step(-1)
	f.bet("A", player, 1)
	for range 2_200 { // two notices each
		f.do("A", player, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 2 * money.Major})
		f.do("A", player, table.Withdraw{Box: 1, Player: "ann", Wager: rules.PairPlus})
	}
	if err := f.Ready(player, "A"); err != nil {
		t.Fatal(err)
	}
	f.step(-1)
	f.expect("A", table.Deciding, 1)
	if !strings.Contains(f.logs.String(), "fell behind") {
		t.Errorf("log: %s", f.logs.String())
	}
}

// absent is a house whose autodealer is called away the first time that it has subscribed, and
// can remember one notice meanwhile.
type absent struct {
	*house.House
	away func()
	hear []*house.Subscription
}

func (a *absent) Subscribe(topic house.Topic, buffer int) *house.Subscription {
	if len(a.hear) == 0 {
		buffer = 1
	}
	a.hear = append(a.hear, a.House.Subscribe(topic, buffer))
	return a.hear[len(a.hear)-1]
}

func (a *absent) Tables() []string {
	if len(a.hear) == 1 {
		a.away()
	}
	return a.House.Tables()
}

// An autodealer that was cut off and subscribed anew unsubscribes when it ends.
func TestACroupierUnsubscribesWhenItEnds(t *testing.T) {
	f := newFloor(t)
	ctx, stop := context.WithCancel(context.Background())
	a := &absent{House: f.House, away: func() {
		f.buyIn(player)
		f.buyIn(player)
	}}
	c := autodealer.New(a, func() int64 {
		if len(a.hear) == 2 {
			stop()
		}
		return f.clock.Load()
	}, slog.New(slog.DiscardHandler))
	if err := c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	f.buyIn(other)
	for i, h := range a.hear {
		heard := 0
		for range 3 {
			switch n, open := h.Next(); {
			case n != nil:
				heard++
			case open:
				t.Errorf("follower %d of %d is still open, and heard %d", i+1, len(a.hear), heard)
			}
		}
	}
	if len(a.hear) != 2 {
		t.Errorf("the dealer subscribed %d times", len(a.hear))
	}
}

// Many tables in real time, with players at full speed: every round ends, and
// Run ends with its context.
func TestRun(t *testing.T) {
	f := newFloor(t)
	const tables, rounds = 24, 4
	all := books.All()
	f.buyIn(player)
	for i := range tables {
		f.install(fmt.Sprintf("table %02d", i), all[i%len(all)].ID, house.Pace{}, house.Automatic)
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- f.Run(ctx) }()
	var players sync.WaitGroup
	for i := range tables {
		name := fmt.Sprintf("table %02d", i)
		players.Go(func() {
			heard := f.Subscribe(house.Topic{Table: name}, 1000)
			defer heard.Close()
			for {
				s, err := housetest.Table(f, name)
				if err != nil || s.Round > rounds {
					return
				}
				do := func(a table.Action) {
					var refusal *table.Refusal
					if _, err := f.Do(ctx, house.CommandRequest{Table: name, By: player, Do: a}); err != nil && !errors.As(err, &refusal) {
						t.Errorf("%s at %s: %v", record.Actions.Name(a), name, err)
					}
				}
				switch {
				case s.Phase == table.Betting && s.OnLayout() == 0:
					do(table.Bet{Box: 1, Player: "ann", Wager: first(&s), Amount: 10 * money.Major})
					if err := f.Ready(player, name); err != nil {
						t.Error(err)
					}
				case s.Phase == table.Deciding && s.Variant.Book.Decision != nil && s.Boxes[0].Decision == table.Undecided:
					do(table.Fold{Box: 1, Player: "ann"})
				case s.Phase == table.Deciding && s.Variant.Book.Decision == nil:
					if err := f.Ready(player, name); err != nil && !errors.Is(err, autodealer.ErrNothingToWaitFor) {
						t.Error(err)
					}
				}
				select {
				case <-heard.Ready():
				case <-time.After(time.Minute):
					t.Errorf("nothing happens at %s, which is %s", name, s.Phase)
					return
				}
			}
		})
	}
	players.Wait()
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if err := f.Audit(); err != nil {
		t.Error(err)
	}
}

// A house that stops ends its autodealer with the reason.
func TestTheHouseStops(t *testing.T) {
	f := newFloor(t)
	f.install("A", "us-3cp", house.Pace{}, house.Automatic)
	f.store.Crash(0)
	if err := f.Run(context.Background()); !errors.Is(err, house.ErrStopped) {
		t.Errorf("got %v", err)
	}
}

// TestPausesOfARoundAlone adds up the pauses of a round that one player plays at the usual
// pace, from the end of the betting to the end of the round. A player who taps through has the
// next bet before them within three seconds. Where two play, each pause is the house's.
func TestPausesOfARoundAlone(t *testing.T) {
	for players, mostMs := range map[int]int64{1: 2_000, 2: 4_000} {
		f := newFloor(t)
		f.install("A", "rws-3cp", plan.StandardPace, house.Automatic)
		f.buyIn(player)
		f.step(-1)
		f.bet("A", player, 1)
		if players == 2 {
			f.buyIn(other)
			f.bet("A", other, 2)
		}
		var pausesMs int64
		wait := func() {
			f.Helper()
			nextMs, ok, err := f.Step(context.Background())
			if err != nil || !ok {
				t.Fatalf("nothing is due: %v", err)
			}
			pausesMs += nextMs - f.clock.Load()
			f.clock.Store(nextMs)
		}
		f.step(plan.StandardPace.BettingMs)
		f.clock.Add(plan.StandardPace.BettingMs)
		wait() // the deal
		if _, _, err := f.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		f.do("A", player, table.Fold{Box: 1, Player: player.Name})
		if players == 2 {
			f.do("A", other, table.Fold{Box: 2, Player: other.Name})
		}
		wait() // the dealer's hand
		wait() // the settlement
		f.step(plan.StandardPace.ShowMs)
		f.expect("A", table.Paid, 1)
		if pausesMs == 0 || pausesMs > mostMs || players == 2 && pausesMs != 3*plan.StandardPace.DealMs {
			t.Errorf("%d players wait for %d ms", players, pausesMs)
		}
	}
}
