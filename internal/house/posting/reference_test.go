package posting_test

import (
	"errors"
	"slices"
	"testing"

	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// The accounts of the cases below, as short as they are often written.
var (
	ann               = player("ann")
	layout, win       = ledger.Account{Kind: ledger.Layout, Of: "A"}, ledger.Account{Kind: ledger.Win, Of: "A"}
	meter, reserve    = ledger.Account{Kind: ledger.Meter, Of: "linked"}, ledger.Account{Kind: ledger.Reserve, Of: "linked"}
	payable, ownMoney = ledger.Account{Kind: ledger.Payable, Of: "linked"}, ledger.Account{Kind: ledger.House}
)

// line returns a line of ann at box 1.
func line(w rules.Wager, stake, returned, pays money.Amount, result rules.Result, clause string) table.Line {
	l := table.Line{Box: 1, Player: "ann"}
	l.Line = rules.Line{Wager: w, Stake: stake, Returned: returned, Pays: pays, Result: result, Clause: clause}
	return l
}

func move(from, to ledger.Account, amount money.Amount, ref ledger.Reference) ledger.Posting {
	return ledger.Posting{From: from, To: to, Amount: amount, For: ref}
}

// An event's postings, each with all that it says: whoever reads the ledger finds the
// line, the box, the wager and the provision by it. The events are those that a table may have
// recorded; each case says what the table and the jackpot must hold after them.
func TestPostingsNameWhatTheyAreFor(t *testing.T) {
	at := func(reason ledger.Reason, number int, w rules.Wager, clause string) ledger.Reference {
		return ledger.Reference{Reason: reason, Table: "A", Round: 1, Box: 1, Wager: w, Line: number, Clause: clause}
	}
	hit := jackpot.HitID{Table: "A", Round: "1", Box: 1}
	jackpotWon := line(rules.Progressive, 5, 90, 90, rules.Win, "4.9")
	jackpotWon.Combo = rules.AKQSpades
	ofJackpot := func(ref ledger.Reference) ledger.Reference { ref.Jackpot = "linked"; return ref }
	pot := func(reason ledger.Reason) ledger.Reference {
		return ledger.Reference{Reason: reason, Table: "A", Round: 1, Jackpot: "linked"}
	}
	undone := line(rules.Ante, 10, 10, 0, rules.GivenBack, "5.21")
	undone.Reverses = 25
	collected := table.Line{Box: 1, Player: "ann", Reverses: 7}
	collected.Line = rules.Line{Wager: rules.PairPlus, Clause: "5.22"}

	tests := []struct {
		name    string
		settled bool // box 1
		lies    map[rules.Wager]money.Amount
		events  []table.Event
		moved   []jackpot.Event
		left    map[rules.Wager]money.Amount
		meter   jackpot.State
		want    []ledger.Posting
	}{
		{
			name:   "bets, raised and found",
			lies:   map[rules.Wager]money.Amount{rules.Ante: 10},
			events: []table.Event{table.BetPlaced{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5, Clause: "3.1"}},
			left:   map[rules.Wager]money.Amount{rules.Ante: 10, rules.PairPlus: 5},
			want:   []ledger.Posting{move(ann, layout, 5, at(ledger.Bet, 0, rules.PairPlus, "3.1"))},
		},
		{
			name:   "a raise",
			lies:   map[rules.Wager]money.Amount{rules.Play: 4},
			events: []table.Event{table.HandRaised{Box: 1, Player: "ann", Wager: rules.Play, Amount: 10}},
			left:   map[rules.Wager]money.Amount{rules.Play: 10},
			want:   []ledger.Posting{move(ann, layout, 6, at(ledger.Bet, 0, rules.Play, ""))},
		},
		{
			name:   "less found than lies there",
			lies:   map[rules.Wager]money.Amount{rules.Ante: 10},
			events: []table.Event{table.StakeFound{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 4, Clause: "3.2"}},
			left:   map[rules.Wager]money.Amount{rules.Ante: 4},
			want:   []ledger.Posting{move(layout, ann, 6, at(ledger.Found, 0, rules.Ante, "3.2"))},
		},
		{
			name: "lines of a settlement, numbered", lies: map[rules.Wager]money.Amount{rules.Ante: 10, rules.PairPlus: 5, rules.Play: 10},
			events: []table.Event{table.Settled{Lines: []table.Line{
				line(rules.Ante, 10, 25, 15, rules.Win, "4.1"), line(rules.PairPlus, 5, 0, 0, rules.Lose, "4.2"), line(rules.Play, 10, 10, 0, rules.Push, "4.3"),
			}}},
			want: []ledger.Posting{
				move(layout, ann, 10, at(ledger.StakeReturned, 1, rules.Ante, "4.1")), move(win, ann, 15, at(ledger.Winnings, 1, rules.Ante, "4.1")),
				move(layout, win, 5, at(ledger.StakeWon, 2, rules.PairPlus, "4.2")),
				move(layout, ann, 10, at(ledger.StakeReturned, 3, rules.Play, "4.3")),
			},
		},
		{
			name: "a box settled, and undone in the same step", lies: map[rules.Wager]money.Amount{rules.Ante: 10},
			events: []table.Event{
				table.BoxSettled{Box: 1, Lines: []table.Line{line(rules.Ante, 10, 25, 15, rules.Win, "4.1")}},
				table.SettlementUndone{Box: 1, Clause: "5.21", Lines: []table.Line{undone}, Stakes: []table.LaidStake{{Player: "ann", Wager: rules.Ante, Amount: 10}}},
				table.BetsReturned{Clause: "5.23", Lines: []table.Line{line(rules.Ante, 10, 10, 0, rules.GivenBack, "5.23")}},
			},
			want: []ledger.Posting{
				move(layout, ann, 10, at(ledger.StakeReturned, 1, rules.Ante, "4.1")), move(win, ann, 15, at(ledger.Winnings, 1, rules.Ante, "4.1")),
				move(win, ann, 10, at(ledger.StakeReturned, 2, rules.Ante, "5.21")), move(ann, win, 25, at(ledger.Collected, 2, rules.Ante, "5.21")),
				move(win, layout, 10, at(ledger.Relaid, 0, rules.Ante, "5.21")),
				move(layout, ann, 10, at(ledger.StakeReturned, 3, rules.Ante, "5.23")),
			},
		},
		{
			name: "the lines of the next round begin at one", settled: true,
			events: []table.Event{
				table.PaymentCorrected{Lines: []table.Line{collected}},
				table.BetsOpened{Round: 2},
				table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10},
				table.BetsReturned{Lines: []table.Line{line(rules.Ante, 10, 10, 0, rules.GivenBack, "5.1")}},
			},
			want: []ledger.Posting{
				move(ann, win, 7, at(ledger.Collected, 1, rules.PairPlus, "5.22")),
				{From: ann, To: layout, Amount: 10, For: ledger.Reference{Reason: ledger.Bet, Table: "A", Round: 2, Box: 1, Wager: rules.Ante}},
				{From: layout, To: ann, Amount: 10, For: ledger.Reference{Reason: ledger.StakeReturned, Table: "A", Round: 2, Box: 1, Wager: rules.Ante, Line: 1, Clause: "5.1"}},
			},
		},
		{
			name: "a sum awarded", settled: true,
			events: []table.Event{table.PaymentCorrected{Lines: []table.Line{line(rules.PairPlus, 0, 8, 8, rules.Win, "5.22")}}},
			want:   []ledger.Posting{move(win, ann, 8, at(ledger.Awarded, 1, rules.PairPlus, "5.22"))},
		},
		{
			name: "a jackpot, and what the house adds", lies: map[rules.Wager]money.Amount{rules.Progressive: 5},
			events: []table.Event{table.Settled{Lines: []table.Line{jackpotWon}}},
			moved: []jackpot.Event{jackpot.HitPaid{
				Hit: hit, Amount: 90, FromMeter: 70, FromHouse: 20, ResetByHouse: 60, ResetFromReserve: 10, Winner: "ann", Held: true,
			}},
			meter: jackpot.State{Meter: 100, Reserve: 30, Unverified: []jackpot.Unverified{{Held: true, Amount: 90}}},
			want: []ledger.Posting{
				move(layout, win, 5, at(ledger.StakeWon, 1, rules.Progressive, "4.9")),
				move(meter, ann, 70, ofJackpot(at(ledger.JackpotPaid, 1, rules.Progressive, "4.9"))),
				move(ownMoney, ann, 20, ofJackpot(at(ledger.MadeGood, 1, rules.Progressive, "4.9"))),
				move(ownMoney, meter, 60, pot(ledger.Reseed)), move(reserve, meter, 10, pot(ledger.Reseed)),
				move(ann, payable, 90, ofJackpot(at(ledger.Held, 0, rules.Progressive, ""))),
			},
		},
		{
			name:  "contributions and their return",
			moved: []jackpot.Event{jackpot.Contributed{ToMeter: 3, ToReserve: 2}, jackpot.ContributionsReversed{FromMeter: 1, FromReserve: 1}},
			meter: jackpot.State{Meter: 102, Reserve: 41},
			want: []ledger.Posting{
				move(win, meter, 3, pot(ledger.Contribution)), move(win, reserve, 2, pot(ledger.Overflow)),
				move(meter, win, 1, pot(ledger.ContributionReturned)), move(reserve, win, 1, pot(ledger.ContributionReturned)),
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before, book := oneTable(t)
			before.Boxes[0] = boxWith(test.lies, test.settled)
			for _, amount := range test.lies {
				book[layout] += amount
			}
			book[meter], book[reserve] = 100, 40
			after := *before
			after.Boxes = slices.Clone(before.Boxes)
			after.Boxes[0] = boxWith(test.left, false)
			got, _, err := posting.Of(posting.Place{Table: "A", Jackpot: "linked"}, before, &linked.Outcome{Events: test.events, State: after, Moved: test.moved, Meter: test.meter}, book)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%+v, want\n%+v", got, test.want)
			}
		})
	}
}

func boxWith(stakes map[rules.Wager]money.Amount, settled bool) *table.BoxState {
	b := &table.BoxState{Settled: settled}
	if len(stakes) > 0 {
		bettor := table.Bettor{Player: "ann"}
		for w, amount := range stakes {
			bettor.Stakes[w] = amount
		}
		b.Bettors = []table.Bettor{bettor}
	}
	return b
}

// The events of a jackpot apart from any table: a sum that was held is released, or denied by a
// provision. They name the table, the round and the box at which it was hit.
func TestPostingsApartFromATableNameWhatTheyAreFor(t *testing.T) {
	hit := jackpot.HitID{Table: "A", Round: "7", Box: 3}
	at := func(reason ledger.Reason, clause string) ledger.Reference {
		return ledger.Reference{Reason: reason, Table: "A", Round: 7, Box: 3, Wager: rules.Progressive, Jackpot: "linked", Clause: clause}
	}
	for _, test := range []struct {
		name  string
		event jackpot.Event
		meter jackpot.State
		want  []ledger.Posting
	}{
		{
			"opened",
			jackpot.Opened{Meter: 50, Reserve: 5},
			jackpot.State{Meter: 150, Reserve: 45, Unverified: []jackpot.Unverified{{Held: true, Amount: 90}}},
			[]ledger.Posting{
				move(ownMoney, meter, 50, ledger.Reference{Reason: ledger.Reseed, Jackpot: "linked"}),
				move(ownMoney, reserve, 5, ledger.Reference{Reason: ledger.Reseed, Jackpot: "linked"}),
			},
		},
		{
			"verified",
			jackpot.HitVerified{Hit: hit, Winner: "ann", Amount: 90, Held: true},
			jackpot.State{Meter: 100, Reserve: 40},
			[]ledger.Posting{move(payable, ann, 90, at(ledger.Released, ""))},
		},
		{
			"verified, and handed out before",
			jackpot.HitVerified{Hit: hit, Winner: "ann", Amount: 90},
			jackpot.State{Meter: 100, Reserve: 40, Unverified: []jackpot.Unverified{{Held: true, Amount: 90}}},
			nil,
		},
		{
			"denied",
			jackpot.HitReversed{Hit: hit, Amount: 90, ToMeter: 60, ToHouse: 30, ResetToHouse: 20, ToReserve: 10, Payable: "ann", Clause: "rws-3cp@3 5.15"},
			jackpot.State{Meter: 130, Reserve: 50},
			[]ledger.Posting{
				move(payable, meter, 60, at(ledger.Collected, "rws-3cp@3 5.15")), move(payable, ownMoney, 30, at(ledger.Collected, "rws-3cp@3 5.15")),
				move(meter, ownMoney, 20, at(ledger.Reseed, "rws-3cp@3 5.15")), move(meter, reserve, 10, at(ledger.Reseed, "rws-3cp@3 5.15")),
			},
		},
		{
			"the reserve lowered",
			jackpot.Adjusted{Pot: jackpot.PotReserve, Before: 40, After: 15},
			jackpot.State{Meter: 100, Reserve: 15, Unverified: []jackpot.Unverified{{Held: true, Amount: 90}}},
			[]ledger.Posting{move(reserve, ownMoney, 25, ledger.Reference{Reason: ledger.MeterAdjusted, Jackpot: "linked"})},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			book := ledger.Book{meter: 100, reserve: 40, payable: 90, ownMoney: -140}
			got, _, err := posting.Moved("linked", test.meter, []jackpot.Event{test.event}, book)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got\n%+v, %v, want\n%+v", got, err, test.want)
			}
			// A jackpot that shows something else than its accounts hold is refused.
			for _, wrong := range []func(*jackpot.State){
				func(s *jackpot.State) { s.Meter++ }, func(s *jackpot.State) { s.Reserve-- },
				func(s *jackpot.State) { s.Unverified = append(s.Unverified, jackpot.Unverified{Held: true, Amount: 1}) },
			} {
				state := test.meter
				wrong(&state)
				var mismatch *posting.Mismatch
				if _, _, err := posting.Moved("linked", state, []jackpot.Event{test.event}, book); !errors.As(err, &mismatch) {
					t.Errorf("%+v is held against %+v: %v", state, test.event, err)
				}
			}
		})
	}
	// An account that does not cover what leaves it is refused, and so is an event of a
	// table: its lines are not there.
	for _, event := range []jackpot.Event{
		jackpot.HitVerified{Hit: hit, Winner: "ann", Amount: 91, Held: true},
		jackpot.HitPaid{Hit: hit, Amount: 10, FromMeter: 10},
		jackpot.HitReversed{Hit: hit, Amount: 10, ToMeter: 10},
	} {
		if got, changes, err := posting.Moved("linked", jackpot.State{Meter: 100, Reserve: 40}, []jackpot.Event{event}, ledger.Book{meter: 100, reserve: 40, payable: 90, ownMoney: -140}); err == nil || got != nil || changes != nil {
			t.Errorf("%+v: %+v, %+v, %v", event, got, changes, err)
		}
	}
}

// A jackpot is paid by the event of its own table and box, and only from a line that pays
// what the meter displays.
func TestAJackpotIsPaidByItsOwnHit(t *testing.T) {
	paid := func(at string, box int, amount money.Amount) jackpot.Event {
		return jackpot.HitPaid{Hit: jackpot.HitID{Table: at, Round: "1", Box: box}, Amount: amount, FromMeter: amount}
	}
	won := line(rules.Progressive, 5, 90, 90, rules.Win, "4.9")
	won.Combo = rules.AKQSpades
	fixed, unlisted, least, lost := won, won, won, line(rules.Progressive, 5, 0, 0, rules.Lose, "4.9")
	fixed.Combo, unlisted.Combo, lost.Combo = rules.StraightFlush, 0, rules.AKQSpades
	least.Returned, least.Pays = 1, 1
	verified := jackpot.HitVerified{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Amount: 90}
	for _, test := range []struct {
		name  string
		line  table.Line
		moved []jackpot.Event
		want  []ledger.Reason // none where the table must stop
	}{
		{"its own", won, []jackpot.Event{paid("A", 1, 90)}, []ledger.Reason{ledger.StakeWon, ledger.JackpotPaid}},
		{"after that of another box", won, []jackpot.Event{paid("A", 2, 90), paid("A", 1, 90)}, nil}, // of which no line speaks
		{"another box", won, []jackpot.Event{paid("A", 2, 90)}, nil},
		{"another table", won, []jackpot.Event{paid("B", 1, 90)}, nil},
		{"a hit collected again", won, []jackpot.Event{jackpot.HitReversed{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Amount: 90, ToMeter: 90}}, nil},
		{"a hit verified before", won, []jackpot.Event{verified, paid("A", 1, 90)}, []ledger.Reason{ledger.StakeWon, ledger.JackpotPaid}},
		{"the least sum", least, []jackpot.Event{paid("A", 1, 1)}, []ledger.Reason{ledger.StakeWon, ledger.JackpotPaid}},
		{"its hand, and nothing paid", lost, nil, []ledger.Reason{ledger.StakeWon}},
		{"a hand without a row", unlisted, nil, []ledger.Reason{ledger.StakeWon, ledger.Winnings}},
		{"a sum of the pay table", fixed, nil, []ledger.Reason{ledger.StakeWon, ledger.Winnings}},
		{"a sum of the pay table, and a hit", fixed, []jackpot.Event{paid("A", 1, 90)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, book := oneTable(t)
			before.Boxes[0] = boxWith(map[rules.Wager]money.Amount{rules.Progressive: 5}, false)
			after := *before
			after.Boxes = slices.Clone(before.Boxes)
			after.Boxes[0] = boxWith(nil, false)
			book[layout], book[meter] = 5, 100
			state := jackpot.State{}
			for _, e := range test.moved {
				does := jackpot.EffectOf(e)
				state.Meter = 100 - max(0, does.Paid)
			}
			got, _, err := posting.Of(posting.Place{Table: "A", Jackpot: "linked"}, before,
				&linked.Outcome{Events: []table.Event{table.Settled{Lines: []table.Line{test.line}}}, State: after, Moved: test.moved, Meter: state}, book)
			var reasons []ledger.Reason
			for i := range got {
				reasons = append(reasons, got[i].For.Reason)
			}
			if (err != nil) != (test.want == nil) || !slices.Equal(reasons, test.want) {
				t.Errorf("got %v, %v, want %v", reasons, err, test.want)
			}
		})
	}
}
