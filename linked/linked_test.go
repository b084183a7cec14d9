package linked_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/record"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/rules/us3cp"
	"trey/table"
)

var (
	dealer     = table.Actor{Name: "dan", Role: rules.Dealer}
	supervisor = table.Actor{Name: "pat", Role: rules.PitSupervisor}
)

// floor is two tables on one jackpot.
type floor struct {
	t      *testing.T
	tables map[string]table.State
	meter  jackpot.State
}

func newFloor(t *testing.T) *floor {
	v := rws3cp.Book().Standard()
	_, meter, err := linked.Open(v, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &floor{t: t, tables: map[string]table.State{}, meter: meter}
	for _, name := range []string{"A", "B"} {
		s, err := table.New(v, table.Config{Device: rules.Shuffler, Cards: table.Read})
		if err != nil {
			t.Fatal(err)
		}
		f.tables[name] = s
	}
	return f
}

func (f *floor) try(name string, atMs int64, by table.Actor, do table.Action) (linked.Outcome, error) {
	done, err := linked.Step(name, f.tables[name], f.meter, table.Command{By: by, AtMs: atMs, Do: do})
	if err == nil {
		f.tables[name], f.meter = done.State, done.Meter
	}
	return done, err
}

func (f *floor) do(name string, atMs int64, by table.Actor, do table.Action) linked.Outcome {
	f.t.Helper()
	done, err := f.try(name, atMs, by, do)
	if err != nil {
		f.t.Fatalf("%s at %s: %v", record.Actions.Name(do), name, err)
	}
	if len(done.Moved) > 0 && !done.Read {
		f.t.Errorf("%s at %s moves the jackpot and did not read it: %+v", record.Actions.Name(do), name, done.Moved)
	}
	return done
}

func ann() table.Actor { return table.Actor{Name: "ann", Role: rules.Player} }

// royal plays a round up to the dealer's hand, in which box 1 is dealt the
// jackpot at a time; in plain it is dealt nothing.
func (f *floor) royal(name string, dealtAtMs int64) {
	f.t.Helper()
	f.play(name, dealtAtMs, "As", "Ks", "Qs")
}

func (f *floor) plain(name string, dealtAtMs int64) {
	f.t.Helper()
	f.play(name, dealtAtMs, "Ac", "7s", "4h")
}

func (f *floor) play(name string, dealtAtMs int64, hand ...string) (moved [][]jackpot.Event) {
	f.t.Helper()
	f.do(name, 1, dealer, table.OpenBets{})
	f.do(name, 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do(name, 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do(name, 1, dealer, table.CloseBets{})
	var deal table.Deal
	for _, text := range append(hand, "2c", "5d", "9h") {
		c, err := card.Parse(text)
		if err != nil {
			f.t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	moved = append(moved, f.do(name, dealtAtMs, dealer, deal).Moved)
	moved = append(moved, f.do(name, dealtAtMs, ann(), table.Raise{Box: 1, Player: "ann"}).Moved)
	return append(moved, f.do(name, dealtAtMs, dealer, table.Reveal{}).Moved)
}

// Until a hand is turned, a round in which it hits the jackpot leaves nothing there
// that another does not: no event, and no other answer to anybody.
func TestNothingDisclosesAHitBeforeItIsTurned(t *testing.T) {
	floors := map[string]*floor{"a hit": newFloor(t), "none": newFloor(t)}
	moved := map[string][][]jackpot.Event{}
	for name, f := range floors {
		f.plain("B", 1_000)
		hand := []string{"As", "Ks", "Qs"}
		if name == "none" {
			hand = []string{"Ac", "7s", "4h"}
		}
		moved[name] = f.play("A", 2_000, hand...)
		f.do("B", 2_500, dealer, table.Report{Incident: rules.ProgressiveDown})
	}
	if hit, none := moved["a hit"], moved["none"]; !reflect.DeepEqual(hit, none) {
		t.Errorf("with a hit the jackpot records %+v, without %+v", hit, none)
	}
	if hit, none := floors["a hit"].meter, floors["none"].meter; !reflect.DeepEqual(hit, none) || len(hit.Dealt()) != 2 {
		t.Errorf("with a hit the jackpot is %+v, without %+v", hit, none)
	}
	for _, do := range []table.Action{
		table.RestoreProgressive{}, table.Settle{Meter: 1}, table.Settle{Meters: []money.Amount{1}}, table.Settle{Meters: []money.Amount{1, 2}},
	} {
		at := "A"
		if record.Actions.Name(do) == "restore-progressive" {
			at = "B"
		}
		answers := map[string]string{}
		for name, f := range floors {
			_, err := linked.Step(at, f.tables[at], f.meter, table.Command{By: supervisor, AtMs: 3_000, Do: do})
			answers[name] = fmt.Sprint(err)
		}
		if answers["a hit"] != answers["none"] {
			t.Errorf("%s: with a hit %s, without %s", record.Actions.Name(do), answers["a hit"], answers["none"])
		}
	}
}

// The place that the house has determined for a round whose hands are not known holds
// for the hit that it proves to have (rws-3cp@3 4.9.1).
func TestADeterminedRoundGivesItsHitsItsPlace(t *testing.T) {
	f := newFloor(t)
	f.royal("A", 1_000)
	f.royal("B", 2_000)
	events, err := jackpot.Decide(f.meter, jackpot.DetermineRound{Round: jackpot.RoundID{Table: "A", Round: "1"}, Place: jackpot.Place{DealtAtMs: 3_000}, Approvers: jackpot.Approvers{First: "pat", Second: "kim"}})
	if err != nil {
		t.Fatal(err)
	}
	if f.meter, err = jackpot.Evolve(f.meter, events[0]); err != nil {
		t.Fatal(err)
	}
	if turned := f.do("A", 4_000, dealer, table.Settle{}); paid(turned.Moved) != 0 || f.meter.Queue()[0].Place.DealtAtMs != 3_000 {
		t.Fatalf("A is paid first, at %+v", f.meter.Queue())
	}
	if got, want := paid(f.do("B", 4_000, dealer, table.Settle{}).Moved), 10_004*money.Major; got != want {
		t.Errorf("B is paid %s, want the meter with both bets, %s", got, want)
	}
	if got, want := paid(f.do("A", 4_000, dealer, table.Settle{}).Moved), 10_000*money.Major; got != want {
		t.Errorf("A is paid %s, want the reset value %s", got, want)
	}
}

func paid(events []jackpot.Event) (sum money.Amount) {
	for _, e := range events {
		if e, ok := e.(jackpot.HitPaid); ok {
			sum += e.Amount
		}
	}
	return sum
}

// The hand dealt first is paid first, whichever table settles first: rws-3cp@3
// 4.9.1. The second winner takes what is displayed after the reset.
func TestHitsArePaidInTheOrderOfTheDeal(t *testing.T) {
	f := newFloor(t)
	f.royal("B", 2_000)
	f.royal("A", 1_000)
	var refusal *jackpot.Refusal
	// B's hand is turned, and waits: nobody is told before that it is a hit.
	if turned := f.do("B", 3_000, dealer, table.Settle{}); turned.State.Phase != table.Showing || len(f.meter.Queue()) != 1 || paid(turned.Moved) != 0 {
		t.Fatalf("B settled before A: %+v", turned.Moved)
	}
	if _, err := f.try("B", 3_000, dealer, table.Settle{}); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonEarlierRound {
		t.Fatalf("B settled before A: %v", err)
	}
	first := f.do("A", 3_000, dealer, table.Settle{})
	if got, want := paid(first.Moved), 10_004*money.Major; got != want {
		t.Errorf("A is paid %s, want the meter with both bets, %s", got, want)
	}
	second := f.do("B", 4_000, dealer, table.Settle{})
	if got, want := paid(second.Moved), 10_000*money.Major; got != want {
		t.Errorf("B is paid %s, want the reset value %s", got, want)
	}
	for _, done := range []linked.Outcome{first, second} {
		i := slices.IndexFunc(done.State.Lines, func(l table.Line) bool { return l.Wager == rules.Progressive })
		if i < 0 || done.State.Lines[i].Pays != paid(done.Moved) {
			t.Errorf("the lines %+v do not pay what the meter paid, %s", done.State.Lines, paid(done.Moved))
		}
	}
	f.do("A", 5_000, dealer, table.OpenBets{})
	f.do("B", 5_000, supervisor, table.CloseTable{})
	if len(f.meter.Rounds) != 0 {
		t.Errorf("rounds that cannot be corrected any more are still open: %v", f.meter.Rounds)
	}
}

func TestAMeterThatIsNotDisplayedIsRefused(t *testing.T) {
	f := newFloor(t)
	f.royal("A", 1_000)
	var refusal *table.Refusal
	if _, err := f.try("A", 2_000, dealer, table.Settle{Meter: 1}); !errors.As(err, &refusal) || refusal.Reason != table.MeterUnknown {
		t.Errorf("a meter of one cent: %v", err)
	}
	if done := f.do("A", 2_000, dealer, table.Settle{Meter: f.meter.Displayed()}); !done.Read {
		t.Error("the settlement did not depend on the meter")
	}
}

func TestAVoidRoundTakesItsContributionsBack(t *testing.T) {
	f := newFloor(t)
	f.royal("A", 1_000)
	f.do("A", 2_000, dealer, table.Report{Incident: rules.DeckCount, Count: 51})
	done := f.do("A", 2_000, supervisor, table.Answer{Answer: "yes"})
	if done.State.Phase != table.Voided {
		t.Fatalf("the round is %s", done.State.Phase)
	}
	if f.meter.Meter != 10_000*money.Major || len(f.meter.Queue()) != 0 {
		t.Errorf("after a void round the meter holds %s, with %v to pay", f.meter.Meter, f.meter.Queue())
	}
}

// A bet before the close does not concern the jackpot: other tables may move it
// meanwhile.
func TestBettingDoesNotReadTheMeter(t *testing.T) {
	f := newFloor(t)
	f.do("A", 1, dealer, table.OpenBets{})
	done := f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	if done.Read || len(done.Moved) != 0 {
		t.Errorf("a bet moved the jackpot: %+v", done.Moved)
	}
}

func TestCheck(t *testing.T) {
	f := newFloor(t)
	otherBet := rws3cp.Book().Standard()
	otherBet.Jackpot.Bet = 10 * money.Major
	part := rws3cp.Book().Standard()
	pays := *part.Pays[rules.Progressive]
	pays.Rows = slices.Clone(pays.Rows)
	pays.Rows[0].Pay.MeterPercent = 50
	part.Pays[rules.Progressive] = &pays
	for _, test := range []struct {
		name string
		v    *rules.Variant
		want error
	}{
		{"the same terms", rws3cp.Book().Standard(), nil},
		{"no progressive", us3cp.Book().Standard(), nil},
		{"another bet", otherBet, linked.ErrUnlike},
		{"half of the meter", part, linked.ErrUnlike},
	} {
		if err := linked.Check(test.v, f.meter); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// A jackpot that was paid for a hand of a wrong number is collected again, with the
// meter as it was before and the contribution taken back. The other table's bet, laid
// since, is still in it: $2 of $5.
func TestAPaidJackpotIsCollectedAgain(t *testing.T) {
	f := newFloor(t)
	f.royal("A", 1_000)
	f.do("A", 2_000, dealer, table.Settle{})
	f.do("B", 2_500, dealer, table.OpenBets{})
	f.do("B", 2_500, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("B", 2_500, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do("B", 2_500, dealer, table.CloseBets{})
	if f.meter.Meter != 10_002*money.Major {
		t.Fatalf("before it is collected the meter holds %s", f.meter.Meter)
	}
	f.do("A", 3_000, dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
	done := f.do("A", 3_000, supervisor, table.Answer{Answer: "yes"})
	if got, want := collected(done.Moved), 10_002*money.Major; got != want {
		t.Errorf("%s is collected, want all that was paid, %s", got, want)
	}
	// 10,002 lay in it before the hit; A's $2 leave it and B's $2 stay.
	if f.meter.Meter != 10_002*money.Major || f.meter.Totals.MadeGoodByHouse != 0 {
		t.Errorf("the meter holds %s, with %s made good by the house", f.meter.Meter, f.meter.Totals.MadeGoodByHouse)
	}
	i := slices.IndexFunc(done.State.Lines, func(l table.Line) bool { return l.Wager == rules.Progressive && l.Reverses != 0 })
	if i < 0 || done.State.Lines[i].Reverses != collected(done.Moved) {
		t.Errorf("the lines %+v do not bring what the meter collects, %s", done.State.Lines, collected(done.Moved))
	}
	f.do("A", 5_000, dealer, table.OpenBets{})
	if n := len(f.meter.Rounds); n != 1 {
		t.Errorf("%d rounds are open, want B's alone", n)
	}
}

// A table that goes on with fewer boxes after a jackpot was paid leaves the payment as
// it is.
func TestFewerBoxesAfterAPaidJackpot(t *testing.T) {
	f := newFloor(t)
	f.do("A", 1, dealer, table.OpenBets{})
	f.do("A", 1, ann(), table.Bet{Box: 7, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, ann(), table.Bet{Box: 7, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do("A", 1, dealer, table.CloseBets{})
	var deal table.Deal
	for _, text := range []string{"As", "Ks", "Qs", "2c", "5d", "9h"} {
		c, err := card.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	f.do("A", 2, dealer, deal)
	f.do("A", 2, ann(), table.Raise{Box: 7, Player: "ann"})
	f.do("A", 2, dealer, table.Reveal{})
	f.do("A", 2, dealer, table.Settle{})
	fewer := rws3cp.Book().Standard().Clone()
	fewer.Boxes = 2
	next, err := f.tables["A"].Under(fewer)
	if err != nil {
		t.Fatal(err)
	}
	f.tables["A"] = next
	f.do("A", 3, dealer, table.Report{Incident: rules.ProgressiveDown})
	f.do("A", 3, supervisor, table.SuspendProgressive{Option: table.WithoutProgressive})
	f.do("A", 3, dealer, table.OpenBets{})
	if f.meter.Totals.RecoveredToMeter != 0 || len(f.meter.Rounds) != 0 {
		t.Errorf("%s was collected again, and %d rounds are open", f.meter.Totals.RecoveredToMeter, len(f.meter.Rounds))
	}
}

func collected(events []jackpot.Event) (sum money.Amount) {
	for _, e := range events {
		if e, ok := e.(jackpot.HitReversed); ok {
			sum += e.Amount
		}
	}
	return sum
}

// Where an operator's jackpot can be won by two hands of one round, the first in
// the order of payment takes what is displayed and the next what is displayed
// then, also if the house has determined another order than that of the deal.
func TestTwoHitsOfOneRoundStartFromTheirOwnMeters(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		f := newFloor(t)
		v := rws3cp.Book().Standard()
		pays := *v.Pays[rules.Progressive]
		pays.Rows = []rules.PayRow{{Combo: rules.Flush, Pay: rules.Pay{MeterPercent: 100}, Clause: "4.4"}}
		v.Pays[rules.Progressive] = &pays
		var err error
		if f.tables["A"], err = table.New(v, table.Config{Device: rules.Shuffler, Cards: table.Virtual}); err != nil {
			t.Fatal(err)
		}
		f.plain("B", 999)
		f.do("A", 1, dealer, table.OpenBets{})
		for box := 1; box <= 3; box++ {
			f.do("A", 1, ann(), table.Bet{Box: box, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
			f.do("A", 1, ann(), table.Bet{Box: box, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		}
		f.do("A", 1, dealer, table.CloseBets{})
		var deal table.Deal
		for _, text := range []string{"2s", "9s", "Qs", "2c", "5d", "9h", "3h", "7h", "Jh", "Kc", "8d", "4s"} {
			c, err := card.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			deal.Cards = append(deal.Cards, table.Drawn{Card: c})
		}
		f.do("A", 1_000, dealer, deal)
		first, second := 1, 3
		for _, box := range []int{1, 2, 3} {
			f.do("A", 1_000, ann(), table.Raise{Box: box, Player: "ann"})
		}
		f.do("A", 1_000, dealer, table.Reveal{})
		f.do("A", 1_500, dealer, table.Settle{})
		if len(f.meter.Queue()) != 2 {
			t.Fatalf("the hands that wait are not registered: %+v", f.meter.Queue())
		}
		f.do("B", 1_600, dealer, table.Settle{})
		if reversed {
			first, second = 3, 1
			place := f.meter.Queue()[0].Place
			place.DealtAtMs--
			events, err := jackpot.Decide(f.meter, jackpot.DetermineOrder{Hit: f.meter.Queue()[1].ID, Place: place, Approvers: jackpot.Approvers{First: "pat", Second: "kim"}})
			if err != nil {
				t.Fatal(err)
			}
			if f.meter, err = jackpot.Evolve(f.meter, events[0]); err != nil {
				t.Fatal(err)
			}
		}
		done := f.do("A", 2_000, dealer, table.Settle{})
		// Three bets of $5, and B's, put $2 each on a meter of $10,000.
		want := map[int]money.Amount{first: 10_008 * money.Major, second: 10_000 * money.Major}
		for _, l := range done.State.Lines {
			if l.Wager == rules.Progressive && l.Pays != want[l.Box] {
				t.Errorf("reversed %t: box %d is paid %s, want %s", reversed, l.Box, l.Pays, want[l.Box])
			}
		}
		if got, want := paid(done.Moved), 20_008*money.Major; got != want {
			t.Errorf("reversed %t: the jackpot paid %s, want %s", reversed, got, want)
		}
		var refusal *table.Refusal
		given := table.Settle{Meter: 1, Meters: []money.Amount{1}}
		if _, err := table.Decide(f.tables["A"], table.Command{By: dealer, Do: given}); !errors.As(err, &refusal) {
			t.Errorf("settled twice: %v", err)
		}
	}
}

// Each table of a failed jackpot is put back into service by its own command, and
// the first of them brings the jackpot up. The others move nothing, and that they
// do not is because of what the jackpot holds.
func TestASecondRestorationReadsTheMeter(t *testing.T) {
	for name, restore := range map[string]table.Action{
		"restored": table.RestoreProgressive{},
		"boxes":    table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFloor(t)
			for _, at := range []string{"A", "B"} {
				f.do(at, 1, dealer, table.Report{Incident: rules.ProgressiveDown})
			}
			if first := f.do("A", 2, supervisor, restore); len(first.Moved) != 1 || !first.Read {
				t.Errorf("the first brings the jackpot up: it moved %+v, read: %t", first.Moved, first.Read)
			}
			if second := f.do("B", 3, supervisor, restore); len(second.Moved) != 0 || !second.Read {
				t.Errorf("the second finds it up: it moved %+v, read: %t", second.Moved, second.Read)
			}
		})
	}
}

// A box that was paid the jackpot is settled anew: what it was paid goes back, and its
// hit comes back at its place when the hand wins it again.
func TestAHitWhoseSettlementIsUndone(t *testing.T) {
	f := newFloor(t)
	ben := table.Actor{Name: "ben", Role: rules.Player}
	sue := table.Actor{Name: "sue", Role: rules.ShiftManager}
	f.do("A", 1, dealer, table.OpenBets{})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do("A", 1, ben, table.Bet{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, dealer, table.CloseBets{})
	var deal table.Deal
	for _, text := range []string{"As", "Ks", "Qs", "Ad", "7d", "4h", "Kd", "9c", "2s"} {
		c, err := card.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	f.do("A", 1_000, dealer, deal)
	f.do("A", 1_000, ann(), table.Raise{Box: 1, Player: "ann"})
	f.do("A", 1_000, ben, table.Raise{Box: 2, Player: "ben"})
	f.do("A", 1_000, dealer, table.Reveal{})
	before := f.meter.Displayed()
	hit := func() jackpot.Hit {
		t.Helper()
		h, ok := f.meter.Hit(jackpot.HitID{Table: "A", Round: "1", Box: 1})
		if !ok {
			t.Fatal("no hit is registered")
		}
		return h
	}
	if f.do("A", 1_000, dealer, table.Settle{Box: 1}); hit().Paid != before || f.meter.Displayed() == before {
		t.Fatalf("the hit is paid %s of %s", hit().Paid, before)
	}
	restore := func(to table.Decision) {
		t.Helper()
		f.do("A", 1_000, dealer, table.Report{Incident: rules.Uncovered})
		f.do("A", 1_000, sue, table.Answer{Answer: "remedy", Remedies: []table.Remedy{{Do: table.RestoreDecision, Box: 1, Decision: to, Reason: "as agreed"}}})
	}
	if restore(table.Folded); hit().Status != jackpot.StatusReversed || f.meter.Displayed() != before {
		t.Errorf("the hit is %v, and the meter at %s, was %s", hit().Status, f.meter.Displayed(), before)
	}
	if restore(table.Played); !hit().Unpaid() {
		t.Errorf("the hand wins again, and its hit is %v", hit().Status)
	}
	if f.do("A", 1_000, dealer, table.Settle{}); hit().Status != jackpot.StatusPaid || hit().Paid != before {
		t.Errorf("the hit is %v with %s, want %s", hit().Status, hit().Paid, before)
	}
}

// refused gives a command that the table must refuse for a reason, in words, and returns
// the provision.
func (f *floor) refused(name string, by table.Actor, do table.Action, reason table.Reason, words string) {
	f.t.Helper()
	before, meter := f.tables[name], f.meter
	done, err := f.try(name, 5_000, by, do)
	var refusal *table.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != reason || !strings.Contains(err.Error(), words) {
		f.t.Fatalf("%s at %s: %v, want a refusal with %q", record.Actions.Name(do), name, err, words)
	}
	if !reflect.DeepEqual(done, linked.Outcome{}) || !reflect.DeepEqual(f.tables[name], before) || !reflect.DeepEqual(f.meter, meter) {
		f.t.Fatalf("%s at %s is refused, and has an outcome: %+v", record.Actions.Name(do), name, done)
	}
}

// A jackpot that failed does not work again while a round goes on that would be paid what
// was registered before: first a round whose hands are not known, then a hit that waits
// (rws-3cp@3 5.17.1).
func TestAFailedJackpotWaitsForTheRoundsOfItsTime(t *testing.T) {
	for name, restore := range map[string]table.Action{
		"restored": table.RestoreProgressive{},
		"boxes":    table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFloor(t)
			b := rws3cp.Book().Standard()
			idle, err := table.New(b, table.Config{Device: rules.Shuffler, Cards: table.Read})
			if err != nil {
				t.Fatal(err)
			}
			f.tables["C"] = idle
			f.plain("A", 1_000)
			f.royal("B", 2_000)
			f.do("B", 3_000, dealer, table.Settle{}) // turned, and waits for A
			f.do("C", 3_000, dealer, table.Report{Incident: rules.ProgressiveDown})
			f.refused("C", supervisor, restore, table.Unfinished, "first box 1 of table B has to be settled")
			f.do("A", 4_000, dealer, table.Settle{})
			f.refused("C", supervisor, restore, table.Unfinished, "first box 1 of table B has to be settled")
			f.do("B", 4_000, dealer, table.Settle{})
			if done := f.do("C", 5_000, supervisor, restore); len(done.Moved) != 1 || f.meter.Down {
				t.Errorf("nothing is left to pay, and the jackpot does not work: %+v", done.Moved)
			}
			// What works is put out of service and back at any time.
			f.do("A", 6_000, dealer, table.OpenBets{})
			f.plainIn("A", 6_000)
			f.do("C", 6_000, dealer, table.Report{Incident: rules.ProgressiveDown})
			f.refused("C", supervisor, restore, table.Unfinished, "first round 2 of table A has to end")
		})
	}
}

// plainIn deals a round whose bets are open, in which nobody hits.
func (f *floor) plainIn(name string, atMs int64) {
	f.t.Helper()
	f.do(name, atMs, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do(name, atMs, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do(name, atMs, dealer, table.CloseBets{})
	var deal table.Deal
	for _, text := range []string{"Ac", "7s", "4h", "2c", "5d", "9h"} {
		c, err := card.Parse(text)
		if err != nil {
			f.t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	f.do(name, atMs, dealer, deal)
}

// Who gives a command does not say that the jackpot waits: it settles.
func TestNoCommandStatesThatTheJackpotWaits(t *testing.T) {
	f := newFloor(t)
	f.plain("A", 1_000)
	if done := f.do("A", 2_000, dealer, table.Settle{Pending: true}); done.State.Phase != table.Paid {
		t.Errorf("the round is %s", done.State.Phase)
	}
	without, err := table.New(us3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Read})
	if err != nil {
		t.Fatal(err)
	}
	f.tables["U"] = without
	f.do("U", 1, dealer, table.OpenBets{})
	meter := f.meter
	done := f.do("U", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	if done.Read || len(done.Moved) != 0 || !reflect.DeepEqual(done.Meter, meter) {
		t.Errorf("a table without a progressive read the jackpot: %+v", done)
	}
	f.refused("U", dealer, table.Settle{}, table.WrongPhase, "")
}

func TestOpen(t *testing.T) {
	v := rws3cp.Book().Standard()
	for _, test := range []struct {
		name              string
		v                 *rules.Variant
		meter, verifyFrom money.Amount
		want              money.Amount // 0 where it is refused
	}{
		{"at the reset value", v, 0, 0, v.Jackpot.Reset},
		{"at another value", v, v.Jackpot.Reset + 1, 500, v.Jackpot.Reset + 1},
		{"below the reset value", v, v.Jackpot.Reset - 1, 0, 0},
		{"verified from less than nothing", v, 0, -1, 0},
		{"without a progressive", us3cp.Book().Standard(), 0, 0, 0},
	} {
		events, meter, err := linked.Open(test.v, test.meter, test.verifyFrom)
		if test.want == 0 {
			if err == nil || len(events) != 0 || meter.Opened {
				t.Errorf("%s: %+v, %+v", test.name, events, meter)
			}
			continue
		}
		if err != nil || len(events) != 1 || meter.Meter != test.want || meter.Terms.VerifyFrom != test.verifyFrom {
			t.Errorf("%s: %+v, %v", test.name, meter, err)
		}
	}
}

// What is forfeited and taken back names its cause.
func TestCausesOfWhatIsTakenBack(t *testing.T) {
	ended := func(moved []jackpot.Event) (forfeited jackpot.ForfeitCause, reversed jackpot.ReversalCause) {
		for _, e := range moved {
			switch e := e.(type) {
			case jackpot.HitForfeited:
				forfeited = e.Cause
			case jackpot.HitReversed:
				forfeited = e.Cause
			case jackpot.ContributionsReversed:
				reversed = e.Cause
			}
		}
		return forfeited, reversed
	}
	waiting := func() *floor { // B's hit is known, and waits for A
		f := newFloor(t)
		f.plain("A", 1_000)
		f.royal("B", 2_000)
		f.do("B", 3_000, dealer, table.Settle{})
		if len(f.meter.Queue()) != 1 {
			t.Fatalf("%+v wait", f.meter.Queue())
		}
		return f
	}
	f := waiting()
	f.do("B", 4_000, dealer, table.Report{Incident: rules.DeckCount, Count: 51})
	if forfeited, reversed := ended(f.do("B", 4_000, supervisor, table.Answer{Answer: "yes"}).Moved); forfeited != jackpot.ForfeitRoundVoided || reversed != jackpot.ReversedRoundVoided {
		t.Errorf("a void round forfeits by %s and takes back by %s", forfeited, reversed)
	}
	f = newFloor(t)
	f.royal("A", 1_000)
	f.do("A", 2_000, dealer, table.Settle{})
	f.do("A", 3_000, dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
	if collects, reversed := ended(f.do("A", 3_000, supervisor, table.Answer{Answer: "yes"}).Moved); collects != jackpot.ForfeitHandInvalidated || reversed != jackpot.ReversedHandInvalidated {
		t.Errorf("a hand that is invalid collects by %s and takes back by %s", collects, reversed)
	}
	f = waiting()
	sue := table.Actor{Name: "sue", Role: rules.ShiftManager}
	f.do("B", 4_000, dealer, table.Report{Incident: rules.Uncovered})
	if forfeited, reversed := ended(f.do("B", 4_000, sue, table.Answer{Answer: "remedy", Remedies: []table.Remedy{{Do: table.RestoreDecision, Box: 1, Decision: table.Folded, Reason: "as agreed"}}}).Moved); forfeited != jackpot.ForfeitFolded || reversed != 0 {
		t.Errorf("a hand that is folded forfeits by %s and takes back by %s", forfeited, reversed)
	}
}

// flushes is a floor whose table A pays the meter for a flush, to any of two boxes that
// both have one, with a hit of box 1 for $1 verified by people if said so.
func flushes(t *testing.T, cards table.Sight, verifyFrom money.Amount) *floor {
	t.Helper()
	v := rws3cp.Book().Standard()
	pays := *v.Pays[rules.Progressive]
	pays.Rows = []rules.PayRow{{Combo: rules.Flush, Pay: rules.Pay{MeterPercent: 100}, Clause: "4.4"}}
	v.Pays[rules.Progressive] = &pays
	_, meter, err := linked.Open(v, 0, verifyFrom)
	if err != nil {
		t.Fatal(err)
	}
	f := &floor{t: t, tables: map[string]table.State{}, meter: meter}
	if f.tables["A"], err = table.New(v, table.Config{Device: rules.Shuffler, Cards: cards, Chips: cards == table.Read}); err != nil {
		t.Fatal(err)
	}
	f.do("A", 1, dealer, table.OpenBets{})
	for box, player := range map[int]string{1: "ann", 2: "ben"} {
		by := table.Actor{Name: player, Role: rules.Player}
		f.do("A", 1, by, table.Bet{Box: box, Player: player, Wager: rules.Ante, Amount: 10 * money.Major})
		f.do("A", 1, by, table.Bet{Box: box, Player: player, Wager: rules.Progressive, Amount: 5 * money.Major})
	}
	f.do("A", 1, dealer, table.CloseBets{})
	var deal table.Deal
	for _, text := range []string{"2s", "9s", "Qs", "3h", "7h", "Jh", "Kc", "8d", "4s"} {
		c, err := card.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	f.do("A", 1_000, dealer, deal)
	for box, player := range map[int]string{1: "ann", 2: "ben"} {
		f.do("A", 1_000, table.Actor{Name: player, Role: rules.Player}, table.Raise{Box: box, Player: player})
	}
	f.do("A", 1_000, dealer, table.Reveal{})
	return f
}

// A settlement of one box pays its hit alone; what is settled already is not paid again.
// Two bets put $2 each on the meter of $10,000. Each winner is named where people verify
// the hit, and has the sum at once where the deck proves the hand.
func TestEachBoxIsPaidItsOwnHit(t *testing.T) {
	for cards, held := range map[table.Sight]bool{table.Read: true, table.Virtual: false} {
		f := flushes(t, cards, 1)
		first := 1
		if s := f.tables["A"]; slices.ContainsFunc(table.Legal(s, dealer), func(a table.Action) bool { settle, ok := a.(table.Settle); return ok && settle.Box == 2 }) &&
			!slices.ContainsFunc(table.Legal(s, dealer), func(a table.Action) bool { settle, ok := a.(table.Settle); return ok && settle.Box == 1 }) {
			first = 2
		}
		winners := map[int]string{1: "ann", 2: "ben"}
		for i, want := range []struct {
			do     table.Settle
			box    int
			amount money.Amount
		}{{table.Settle{Box: first}, first, 10_004 * money.Major}, {table.Settle{}, 3 - first, 10_000 * money.Major}} {
			var hits []jackpot.HitPaid
			for _, e := range f.do("A", 2_000, dealer, want.do).Moved {
				if e, ok := e.(jackpot.HitPaid); ok {
					hits = append(hits, e)
				}
			}
			if len(hits) != 1 || hits[0].Hit.Box != want.box || hits[0].Amount != want.amount || hits[0].Winner != winners[want.box] || hits[0].Held != held {
				t.Errorf("settlement %d pays %+v, want box %d %s, held %t", i, hits, want.box, want.amount, held)
			}
		}
	}
}

// Of two bets one is taken back, and of bets that are found only those that are new are
// put on the meter.
func TestTheMeterHoldsWhatIsInTheRound(t *testing.T) {
	f := flushes(t, table.Read, 0)
	f.do("A", 2_000, dealer, table.Settle{})
	f.do("A", 3_000, dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
	done := f.do("A", 3_000, supervisor, table.Answer{Answer: "yes"})
	i := slices.IndexFunc(done.Moved, func(e jackpot.Event) bool { _, ok := e.(jackpot.ContributionsReversed); return ok })
	if i < 0 || done.Moved[i].(jackpot.ContributionsReversed).Bets != 1 {
		t.Errorf("one of two hands left the round, and the jackpot moved %+v", done.Moved)
	}

	f = newFloor(t)
	v := rws3cp.Book().Standard()
	chips, err := table.New(v, table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true})
	if err != nil {
		t.Fatal(err)
	}
	f.tables["A"] = chips
	ben := table.Actor{Name: "ben", Role: rules.Player}
	f.do("A", 1, dealer, table.OpenBets{})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do("A", 1, ben, table.Bet{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, dealer, table.CloseBets{})
	done = f.do("A", 1, dealer, table.Found{Box: 2, Player: "ben", Wager: rules.Progressive, Amount: 5 * money.Major, AtCall: true})
	if len(done.Moved) != 1 || done.Moved[0].(jackpot.Contributed).Bets != 1 || f.meter.Meter != 10_004*money.Major {
		t.Errorf("a second bet is found, and the jackpot moved %+v", done.Moved)
	}
}

// The figure of a screen is compared wherever it is given, and what follows from it has
// read the meter.
func TestAFigureOfTheScreenIsCompared(t *testing.T) {
	f := newFloor(t)
	f.plain("A", 1_000)
	f.refused("A", dealer, table.Settle{Meter: 1}, table.MeterUnknown, "the screen shows 10,002.00")
	if done := f.do("A", 2_000, dealer, table.Settle{Meter: f.meter.Displayed()}); !done.Read {
		t.Error("a settlement with a figure did not read the meter")
	}
	f.refused("B", dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 1}, table.MeterUnknown, "the screen shows 10,002.00")
	if done := f.do("B", 2_000, dealer, table.Report{Incident: rules.ProgressiveDown}); !done.Read || done.State.Registered != 10_002*money.Major || f.meter.Registered != 10_002*money.Major {
		t.Errorf("%s is registered", done.State.Registered)
	}
	f.do("A", 3_000, dealer, table.OpenBets{})
	f.refused("A", ann(), table.Settle{}, table.NotPermitted, "")
}

// Of rounds that were dealt in one instant the one that was dealt first is paid first.
func TestRoundsOfOneInstantArePaidInTheirOrder(t *testing.T) {
	f := newFloor(t)
	f.royal("B", 1_000)
	f.royal("A", 1_000)
	if turned := f.do("A", 2_000, dealer, table.Settle{}); paid(turned.Moved) != 0 {
		t.Fatalf("A is paid first: %+v", turned.Moved)
	}
	if got, want := paid(f.do("B", 2_000, dealer, table.Settle{}).Moved), 10_004*money.Major; got != want {
		t.Errorf("B is paid %s, want the meter with both bets, %s", got, want)
	}
	if got, want := paid(f.do("A", 2_000, dealer, table.Settle{}).Moved), 10_000*money.Major; got != want {
		t.Errorf("A is paid %s, want the reset value %s", got, want)
	}
}
