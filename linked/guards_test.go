package linked_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"trey/card"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

var sue = table.Actor{Name: "sue", Role: rules.ShiftManager}

func player(name string) table.Actor { return table.Actor{Name: name, Role: rules.Player} }

// add opens another table on the floor.
func (f *floor) add(name string, v *rules.Variant, c table.Config) {
	f.t.Helper()
	s, err := table.New(v, c)
	if err != nil {
		f.t.Fatal(err)
	}
	f.tables[name] = s
}

// plain3 opens table C and has it play a round without a hit up to the dealer's hand.
func (f *floor) plain3(dealtAtMs int64) {
	f.t.Helper()
	f.add("C", rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Read})
	f.plain("C", dealtAtMs)
}

// drawn are cards in the order of a deal.
func drawn(t *testing.T, texts ...string) table.Deal {
	t.Helper()
	var deal table.Deal
	for _, text := range texts {
		c, err := card.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	return deal
}

// moves reports whether the jackpot recorded an event of a kind.
func moves[E jackpot.Event](moved []jackpot.Event) (e E, ok bool) {
	for _, m := range moved {
		if e, ok = m.(E); ok {
			return e, true
		}
	}
	return e, false
}

// waiting is a floor on which B's hit is known and waits for A.
func waiting(t *testing.T) *floor {
	f := newFloor(t)
	f.plain("A", 1_000)
	f.royal("B", 2_000)
	f.do("B", 3_000, dealer, table.Settle{})
	if len(f.meter.Queue()) != 1 {
		t.Fatalf("%+v wait", f.meter.Queue())
	}
	return f
}

// A hit that waits stays as it is whatever else happens at its table, also when its hand had
// a card too many or too few and was put right (rws-3cp@3 5.10.2).
func TestAHitWaitsWhileItsHandIsPutRight(t *testing.T) {
	f := waiting(t)
	if done := f.do("B", 4_000, dealer, table.Report{Incident: rules.ProgressiveDown}); len(done.Moved) != 1 {
		t.Errorf("the failure moves %+v", done.Moved)
	}
	for _, count := range []int{4, 2} {
		f = waiting(t)
		f.do("B", 4_000, dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: count})
		if done := f.do("B", 4_000, supervisor, table.Answer{Answer: "yes"}); len(done.Moved) != 0 || len(f.meter.Queue()) != 1 {
			t.Errorf("a hand of %d cards moves %+v", count, done.Moved)
		}
	}
}

// A hit that was forfeited by a fold comes back with the Play, and is paid in its turn.
func TestAForfeitedHitComesBack(t *testing.T) {
	f := waiting(t)
	for _, to := range []table.Decision{table.Folded, table.Played} {
		f.do("B", 4_000, dealer, table.Report{Incident: rules.Uncovered})
		done := f.do("B", 4_000, sue, table.Answer{Answer: "remedy", Remedies: []table.Remedy{{Do: table.RestoreDecision, Box: 1, Decision: to, Reason: "as agreed"}}})
		if _, forfeited := moves[jackpot.HitForfeited](done.Moved); forfeited != (to == table.Folded) || len(f.meter.Queue()) == 1 == forfeited {
			t.Errorf("%s: the jackpot moves %+v", to, done.Moved)
		}
	}
	f.do("A", 5_000, dealer, table.Settle{})
	if got, want := paid(f.do("B", 5_000, dealer, table.Settle{}).Moved), 10_004*money.Major; got != want {
		t.Errorf("it is paid %s, want %s", got, want)
	}
}

// What a table without the jackpot's figure does carries none: a report of something else,
// a settlement without a hit. Where one hit is paid, there is no list of figures.
func TestOnlyWhatNeedsAFigureHasOne(t *testing.T) {
	f := newFloor(t)
	f.plain("A", 1_000)
	done := f.do("A", 2_000, dealer, table.Report{Incident: rules.Uncovered})
	if report := done.Command.Do.(table.Report); report.Meter != 0 || done.Read {
		t.Errorf("a report carries %s, read: %t", report.Meter, done.Read)
	}
	f = newFloor(t)
	f.plain("A", 1_000)
	if settle := f.do("A", 2_000, dealer, table.Settle{}).Command.Do.(table.Settle); settle.Meter != 0 || settle.Meters != nil {
		t.Errorf("a settlement without a hit carries %s, %v", settle.Meter, settle.Meters)
	}
	f = newFloor(t)
	f.royal("A", 1_000)
	if settle := f.do("A", 2_000, dealer, table.Settle{}).Command.Do.(table.Settle); settle.Meter != 10_002*money.Major || settle.Meters != nil {
		t.Errorf("a settlement with a hit carries %s, %v", settle.Meter, settle.Meters)
	}
	if done := f.do("A", 3_000, dealer, table.OpenBets{}); collected(done.Moved) != 0 {
		t.Errorf("the next round collects what the last one paid: %+v", done.Moved)
	}
	// What is registered twice moves nothing, and depends on the meter.
	f = newFloor(t)
	f.do("A", 1, dealer, table.Report{Incident: rules.ProgressiveDown})
	if done := f.do("B", 2, dealer, table.Report{Incident: rules.ProgressiveDown}); len(done.Moved) != 0 || !done.Read || done.Command.Do.(table.Report).Meter != 10_000*money.Major {
		t.Errorf("the second report moves %+v, read: %t", done.Moved, done.Read)
	}
}

// A table whose jackpot is not in service plays for what is given, and moves nothing.
func TestATableWithoutAJackpotInService(t *testing.T) {
	f := newFloor(t)
	f.meter = jackpot.State{}
	f.refused("A", dealer, table.Settle{}, table.WrongPhase, "")
	f.plain("A", 1_000)
	if done := f.do("A", 2_000, dealer, table.Settle{}); done.Read || len(done.Moved) != 0 || f.meter.Opened {
		t.Errorf("it moves %+v", done.Moved)
	}
}

// A hand that is dealt after a hit that is known, and waits itself, waits for it: it is
// turned before it is refused.
func TestAHitWaitsForAnEarlierHit(t *testing.T) {
	f := newFloor(t)
	f.plain3(500)
	f.royal("A", 1_000)
	f.royal("B", 2_000)
	f.do("A", 3_000, dealer, table.Settle{})
	f.do("C", 3_000, dealer, table.Settle{})
	if len(f.meter.Dealt()) != 1 || len(f.meter.Queue()) != 1 {
		t.Fatalf("before B's hand is turned, %+v wait and %+v are dealt", f.meter.Queue(), f.meter.Dealt())
	}
	if done := f.do("B", 4_000, dealer, table.Settle{}); done.State.Phase != table.Showing || paid(done.Moved) != 0 || len(f.meter.Queue()) != 2 {
		t.Errorf("B's settlement moves %+v", done.Moved)
	}
	// Whoever may not settle is told that, and not what waits.
	f.refused("B", player("ann"), table.Settle{}, table.NotPermitted, "")
	if got, want := paid(f.do("A", 5_000, dealer, table.Settle{}).Moved), 10_006*money.Major; got != want {
		t.Errorf("A is paid %s, want %s", got, want)
	}
	if got, want := paid(f.do("B", 5_000, dealer, table.Settle{}).Moved), 10_000*money.Major; got != want {
		t.Errorf("B is paid %s, want %s", got, want)
	}
}

// A hit that another table was paid stays paid while this one plays on.
func TestAnotherTablesHitIsNotCollected(t *testing.T) {
	f := newFloor(t)
	f.royal("A", 1_000)
	f.do("B", 1, dealer, table.OpenBets{})
	for _, w := range []rules.Wager{rules.Ante, rules.Progressive} {
		amount := map[rules.Wager]money.Amount{rules.Ante: 10 * money.Major, rules.Progressive: 5 * money.Major}[w]
		f.do("B", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: w, Amount: amount})
	}
	f.do("B", 1, dealer, table.CloseBets{})
	f.do("B", 2_000, dealer, drawn(t, "Ac", "7s", "4h", "2c", "5d", "9h"))
	f.do("A", 3_000, dealer, table.Settle{})
	if done := f.do("B", 3_000, ann(), table.Raise{Box: 1, Player: "ann"}); len(done.Moved) != 0 {
		t.Errorf("B's raise moves %+v", done.Moved)
	}
}

// pair is a table A that pays the meter for a flush, with the Progressive bet of each
// player, in the order in which they lie: boxes 1 and 2 are dealt a flush each.
func pair(t *testing.T, change func(*rules.Variant)) *floor {
	t.Helper()
	v := rws3cp.Book().Standard()
	pays := *v.Pays[rules.Progressive]
	pays.Rows = []rules.PayRow{{Combo: rules.Flush, Pay: rules.Pay{MeterPercent: 100}, Clause: "4.4"}}
	v.Pays[rules.Progressive] = &pays
	if change != nil {
		change(v)
	}
	f := newFloor(t)
	f.add("A", v, table.Config{Device: rules.Shuffler, Cards: table.Read})
	return f
}

// bets2 has two players bet at table A.
func (f *floor) bets2() {
	f.t.Helper()
	f.do("A", 1, dealer, table.OpenBets{})
	for box, name := range []string{"ann", "ben"} {
		f.do("A", 1, player(name), table.Bet{Box: box + 1, Player: name, Wager: rules.Ante, Amount: 10 * money.Major})
		f.do("A", 1, player(name), table.Bet{Box: box + 1, Player: name, Wager: rules.Progressive, Amount: 5 * money.Major})
	}
	f.do("A", 1, dealer, table.CloseBets{})
}

// flushes2 deals both players a flush.
func flushes2(t *testing.T) table.Deal {
	return drawn(t, "2s", "9s", "Qs", "3h", "7h", "Jh", "Kc", "8d", "4s")
}

// raise2 has both players play on, up to the dealer's hand.
func (f *floor) raise2(atMs int64) {
	f.t.Helper()
	f.do("A", atMs, player("ann"), table.Raise{Box: 1, Player: "ann"})
	f.do("A", atMs, player("ben"), table.Raise{Box: 2, Player: "ben"})
	f.do("A", atMs, dealer, table.Reveal{})
}

// flush2 plays table A up to the dealer's hand.
func (f *floor) flush2(dealtAtMs int64) {
	f.t.Helper()
	f.bets2()
	f.do("A", dealtAtMs, dealer, flushes2(f.t))
	f.raise2(dealtAtMs)
}

// Of two hits of one round that wait, the settlement of a box pays its own, and the lower
// box comes first also where the higher one's hand was exposed before (rws-3cp@3 5.12).
func TestOneOfTwoWaitingHitsIsPaid(t *testing.T) {
	f := pair(t, nil)
	f.plain("B", 500)
	f.bets2()
	f.do("A", 1_000, dealer, flushes2(f.t))
	exposed := table.Report{Incident: rules.CardExposed}
	for i := range 3 {
		exposed.Cards = append(exposed.Cards, table.Exposed{At: table.Box(2), Index: i + 1})
	}
	f.do("A", 1_000, dealer, exposed)
	if len(f.meter.Queue()) != 1 {
		t.Fatalf("the hand that lies open is %+v", f.meter.Queue())
	}
	f.raise2(1_000)
	f.do("A", 2_000, dealer, table.Settle{})
	queue := f.meter.Queue()
	if len(queue) != 2 || queue[0].ID.Box != 1 || queue[1].ID.Box != 2 {
		t.Fatalf("%+v wait", queue)
	}
	f.do("B", 3_000, dealer, table.Settle{})
	if _, err := f.try("A", 3_000, dealer, table.Settle{Box: 2}); err == nil {
		t.Error("the second hit is paid before the first")
	}
	// Three bets put $2 each on the meter.
	for box, want := range []money.Amount{10_006 * money.Major, 10_000 * money.Major} {
		if got := paid(f.do("A", 3_000, dealer, table.Settle{Box: box + 1}).Moved); got != want {
			t.Errorf("box %d is paid %s, want %s", box+1, got, want)
		}
	}
}

// A hit that is paid by the ruling that keeps what was registered is kept only while the
// system is down.
func TestTheSecondHitIsKeptOnlyWhileTheSystemIsDown(t *testing.T) {
	for _, down := range []bool{false, true} {
		f := pair(t, func(v *rules.Variant) { v.Choices[rules.SecondHitDown] = rules.RegisteredValue })
		f.bets2()
		f.do("A", 1_000, dealer, flushes2(t))
		f.do("A", 1_500, player("ann"), table.Examine{Box: 1, Player: "ann"})
		want := 10_004*money.Major + 10_000*money.Major
		if down {
			f.do("A", 2_000, dealer, table.Report{Incident: rules.ProgressiveDown})
			want = 2 * 10_004 * money.Major
		}
		f.raise2(2_500)
		if got := paid(f.do("A", 3_000, dealer, table.Settle{}).Moved); got != want {
			t.Errorf("down %t: paid is %s, want %s", down, got, want)
		}
	}
}

// The rounds of one instant leave room for each other's hits: the box of a hit does not
// carry it behind a round that was dealt later, nor does that it is known already.
func TestHitsOfOneInstantStayInTheOrderOfTheirRounds(t *testing.T) {
	for _, known := range []bool{false, true} {
		f := newFloor(t)
		f.plain3(500)
		f.do("A", 1, dealer, table.OpenBets{})
		f.do("A", 1, ann(), table.Bet{Box: 3, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
		f.do("A", 1, ann(), table.Bet{Box: 3, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		f.do("A", 1, dealer, table.CloseBets{})
		f.do("A", 1_000, dealer, drawn(t, "As", "Ks", "Qs", "2c", "5d", "9h"))
		f.do("A", 1_000, ann(), table.Raise{Box: 3, Player: "ann"})
		f.do("A", 1_000, dealer, table.Reveal{})
		if known {
			f.do("A", 1_000, dealer, table.Settle{}) // turned, and waits for C
		}
		f.royal("B", 1_000)
		f.do("C", 2_000, dealer, table.Settle{})
		if done := f.do("B", 2_000, dealer, table.Settle{}); paid(done.Moved) != 0 {
			t.Errorf("known %t: B, dealt second, is paid first: %+v", known, done.Moved)
		}
		if got, want := paid(f.do("A", 2_000, dealer, table.Settle{}).Moved), 10_006*money.Major; got != want {
			t.Errorf("known %t: A is paid %s, want %s", known, got, want)
		}
		if got, want := paid(f.do("B", 2_000, dealer, table.Settle{}).Moved), 10_000*money.Major; got != want {
			t.Errorf("known %t: B is paid %s, want %s", known, got, want)
		}
	}
}

// A round takes the place of its first hand, in whichever order its boxes are dealt.
func TestARoundHasThePlaceOfItsFirstHand(t *testing.T) {
	f := pair(t, nil)
	f.bets2()
	for i, texts := range [][]string{{"2s", "9s", "Qs"}, {"3h", "7h", "Jh"}, {"Kc", "8d", "4s"}} {
		f.do("A", int64(1+i)*1_000, dealer, drawn(t, texts...))
	}
	dealt := f.meter.Dealt()
	if len(dealt) != 1 || dealt[0].Dealt.DealtAtMs != 1_000 {
		t.Fatalf("the round is dealt at %+v", dealt)
	}
	f.raise2(4_000)
	for _, e := range f.do("A", 5_000, dealer, table.Settle{}).Moved {
		if e, ok := e.(jackpot.HitRegistered); ok && e.Place.DealtAtMs != int64(e.Hit.Box)*1_000 {
			t.Errorf("the hit of box %d has the place %+v", e.Hit.Box, e.Place)
		}
	}
}

// An option that leaves the jackpot out of service needs nothing to have ended, and does
// not bring it up; once it works, every table may come back while rounds go on.
func TestTheJackpotComesUpByItsOwnOptions(t *testing.T) {
	f := waiting(t)
	f.add("C", rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Read})
	f.do("C", 4_000, dealer, table.Report{Incident: rules.ProgressiveDown})
	if done := f.do("C", 4_000, supervisor, table.SuspendProgressive{Option: table.WithoutProgressive}); len(done.Moved) != 0 || !f.meter.Down {
		t.Errorf("without the Progressive the jackpot moves %+v", done.Moved)
	}

	f = newFloor(t)
	f.plain3(1)
	f.do("C", 2, dealer, table.Settle{})
	for _, at := range []string{"A", "B"} {
		f.do(at, 3, dealer, table.Report{Incident: rules.ProgressiveDown})
	}
	f.do("A", 4, supervisor, table.RestoreProgressive{})
	f.do("C", 5, dealer, table.OpenBets{})
	f.plainIn("C", 6)
	if len(f.meter.Dealt()) != 1 {
		t.Fatalf("dealt are %+v", f.meter.Dealt())
	}
	if done := f.do("B", 7, supervisor, table.RestoreProgressive{}); len(done.Moved) != 0 {
		t.Errorf("the second restoration moves %+v", done.Moved)
	}
}

// A refusal to bring the jackpot up cites the provision by which rounds are paid what was
// registered.
func TestWhatWaitsForTheJackpotCitesItsProvision(t *testing.T) {
	f := waiting(t)
	f.add("C", rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Read})
	f.do("C", 4_000, dealer, table.Report{Incident: rules.ProgressiveDown})
	_, err := f.try("C", 4_000, supervisor, table.RestoreProgressive{})
	var refusal *table.Refusal
	if !errors.As(err, &refusal) || refusal.Clause != "rws-3cp@3 5.17.1" {
		t.Errorf("refused by %+v", refusal)
	}
}

// misread reports that the third card of box 1 is another.
func (f *floor) misread(name, card string) linked.Outcome {
	f.t.Helper()
	face := drawn(f.t, card).Cards[0].Card
	f.do(name, 6_000, dealer, table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.Box(1), Index: 3, Card: face}}})
	return f.do(name, 6_000, supervisor, table.Answer{Answer: "yes"})
}

// A card that was misread makes a hit of a hand that was settled without, and none of one
// that waits (rws-3cp@3 1.18).
func TestAMisreadCardDecidesAboutTheHit(t *testing.T) {
	f := newFloor(t)
	f.play("A", 1_000, "As", "Ks", "Js")
	f.do("A", 2_000, dealer, table.Settle{})
	done := f.misread("A", "Qs")
	if e, ok := moves[jackpot.HitRegistered](done.Moved); !ok || e.Place.DealtAtMs != 1_000 {
		t.Errorf("the hand that is a hit moves %+v", done.Moved)
	}
	if got, want := paid(f.do("A", 7_000, dealer, table.Settle{}).Moved), 10_002*money.Major; got != want {
		t.Errorf("it is paid %s, want %s", got, want)
	}
	f = waiting(t)
	done = f.misread("B", "Qc")
	if e, ok := moves[jackpot.HitForfeited](done.Moved); !ok || e.Cause != jackpot.ForfeitMisreported {
		t.Errorf("the hand that is no hit moves %+v", done.Moved)
	}
}

// A Progressive bet is not taken while the system is down, whichever table reported that.
func TestNoBetIsTakenWhileTheSystemIsDown(t *testing.T) {
	f := newFloor(t)
	f.do("A", 1, dealer, table.OpenBets{})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	f.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	f.do("B", 2, dealer, table.Report{Incident: rules.ProgressiveDown})
	done, err := f.try("A", 3, dealer, table.CloseBets{})
	var refusal *jackpot.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonSystemDown || len(done.Events) != 0 {
		t.Errorf("the bets are closed with %+v, %v", done.Moved, err)
	}
}

// Every hit of a round that becomes void is collected again.
func TestAllHitsOfAVoidRoundAreCollected(t *testing.T) {
	f := pair(t, nil)
	f.flush2(1_000)
	f.do("A", 2_000, dealer, table.Settle{})
	f.do("A", 3_000, dealer, table.Report{Incident: rules.WrongCount, Dealer: true, Count: 4, OrderLost: true})
	done := f.do("A", 3_000, supervisor, table.Answer{Answer: "yes"})
	// $10,004 for the first, $10,000 for the second; their two bets leave the meter.
	if got, want := collected(done.Moved), 20_004*money.Major; got != want || f.meter.Meter != 10_000*money.Major {
		t.Errorf("%s is collected, want %s, and the meter holds %s", got, want, f.meter.Meter)
	}
}

// A jackpot that contradicts the table, as no record of one house has it, is an error and
// never a round without it: what the table pays, the jackpot moves.
func TestAJackpotThatContradictsTheTable(t *testing.T) {
	settled := func() (before, after table.State, open, paid jackpot.State) {
		f := newFloor(t)
		f.royal("A", 1_000)
		before, open = f.tables["A"], f.meter
		f.do("A", 2_000, dealer, table.Settle{})
		return before, f.tables["A"], open, f.meter
	}
	before, after, open, paidOnce := settled()
	fresh := newFloor(t).meter
	two := pair(t, nil)
	two.flush2(1_000)
	one := newFloor(t)
	one.plain("A", 1_000)
	for _, test := range []struct {
		name  string
		s     table.State
		meter jackpot.State
		by    table.Actor
		do    table.Action
	}{
		{"a hit that was paid", before, paidOnce, dealer, table.Settle{}},
		{"more hits than bets", two.tables["A"], one.meter, dealer, table.Settle{}},
		{"a round that nobody knows", before, fresh, dealer, table.Settle{}},
		{"a round that still waits", after, open, dealer, table.OpenBets{}},
	} {
		done, err := linked.Step("A", test.s, test.meter, table.Command{By: test.by, AtMs: 9_000, Do: test.do})
		if err == nil || len(done.Moved) != 0 || done.Meter.Opened {
			t.Errorf("%s: %v, and the jackpot moves %+v", test.name, err, done.Moved)
		}
	}
	betting := newFloor(t)
	betting.do("A", 1, dealer, table.OpenBets{})
	for _, w := range []rules.Wager{rules.Ante, rules.Progressive} {
		betting.do("A", 1, ann(), table.Bet{Box: 1, Player: "ann", Wager: w, Amount: map[rules.Wager]money.Amount{rules.Ante: 10 * money.Major, rules.Progressive: 5 * money.Major}[w]})
	}
	betting.refused("A", dealer, table.Settle{}, table.WrongPhase, "")
	if !slices.ContainsFunc(after.Lines, func(l table.Line) bool { return l.Wager == rules.Progressive && l.Pays == 10_002*money.Major }) {
		t.Errorf("the round that was settled paid %+v", after.Lines)
	}
}

// Whatever place the house determines for a hit, hands that are dealt later find one behind it:
// the last one that it can determine holds up no table (rws-3cp@3 4.9.1).
func TestAPlaceIsLeftBehindTheLastThatIsDetermined(t *testing.T) {
	two := jackpot.Approvers{First: "pat", Second: "kim"}
	f := waiting(t)
	hit := f.meter.Queue()[0]
	determine := func(sequence int64) error {
		at := jackpot.Place{DealtAtMs: hit.Place.DealtAtMs, Sequence: sequence}
		events, err := jackpot.Decide(f.meter, jackpot.DetermineOrder{Hit: hit.ID, Place: at, Approvers: two})
		if err == nil {
			f.meter, err = jackpot.Evolve(f.meter, events[0])
		}
		return err
	}
	var refusal *jackpot.Refusal
	if err := determine(math.MaxInt64); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonMalformed {
		t.Errorf("a place without another behind it: %v", err)
	}
	if err := determine(1 << 53); err != nil {
		t.Fatal(err)
	}
	f.plain3(4_000) // its bet of $5 is the third on the $10,000: $2 of each
	f.do("A", 5_000, dealer, table.Settle{})
	settled := f.do("B", 6_000, dealer, table.Settle{})
	if paid, _ := moves[jackpot.HitPaid](settled.Moved); paid.Hit != hit.ID || paid.Amount != 10_006*money.Major {
		t.Errorf("%+v, want %s paid", settled.Moved, hit.ID)
	}
	f.do("C", 7_000, dealer, table.Settle{})
	f.plain("A", 8_000)
	f.do("A", 9_000, dealer, table.Settle{})
}
