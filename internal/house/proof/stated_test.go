package proof

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/record"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Where this program would decide otherwise, the recorded events count; they must still
// say what the command itself states. Each case is a command, the event that it leads to,
// and events that say one thing else. One of none, or two, is something else too where the
// command leads to exactly one.
func TestEventsMatchWhatTheirCommandStates(t *testing.T) {
	ann, ben := table.Actor{Name: "ann", Role: rules.Player}, table.Actor{Name: "ben", Role: rules.Player}
	remedy := table.Remedy{Do: table.RestoreDecision, Box: 1, Decision: table.Folded, Reason: "agreed"}
	report := table.Report{Incident: rules.WrongCount, Box: 1, Count: 4}
	aces := []table.Drawn{{Card: card.New(card.Ace, card.Spades)}, {Card: card.New(card.Ace, card.Hearts)}}
	dealt := func(drawn ...table.Drawn) table.Event {
		var e table.CardsDealt
		for _, d := range drawn {
			e.Cards = append(e.Cards, table.Dealt{Card: d.Card, Place: 1})
		}
		return e
	}
	for _, test := range []struct {
		do     table.Action
		event  table.Event
		others []table.Event
		// any says that there may be none of the event, or several.
		any bool
	}{
		{
			do:    table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10, Standing: true},
			event: table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10, Standing: true},
			others: []table.Event{
				table.BetPlaced{Box: 2, Player: "ann", Wager: rules.Ante, Amount: 10, Standing: true},
				table.BetPlaced{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 10, Standing: true},
				table.BetPlaced{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10, Standing: true},
				table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 11, Standing: true},
				table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10},
			},
		},
		{
			do: table.Examine{Box: 1, Player: "ann"}, event: table.HandExamined{Box: 1, Player: "ann"},
			others: []table.Event{table.HandExamined{Box: 2, Player: "ann"}, table.HandExamined{Box: 1, Player: "ben"}},
		},
		{
			do: table.Raise{Box: 1, Player: "ann"}, event: table.HandRaised{Box: 1, Player: "ann"},
			others: []table.Event{table.HandRaised{Box: 2, Player: "ann"}, table.HandRaised{Box: 1, Player: "ben"}},
		},
		{
			do: table.Fold{Box: 1, Player: "ann"}, event: table.HandFolded{Box: 1, Player: "ann"},
			others: []table.Event{table.HandFolded{Box: 2, Player: "ann"}, table.HandFolded{Box: 1, Player: "ben"}},
		},
		{
			do: table.RestrictPlayer{Player: "ann", Lift: true}, event: table.PlayerRestricted{Player: "ann", Lift: true},
			others: []table.Event{table.PlayerRestricted{Player: "ben", Lift: true}, table.PlayerRestricted{Player: "ann"}},
		},
		{
			do: table.RestrictAreas{Max: 2}, event: table.AreasRestricted{Max: 2},
			others: []table.Event{table.AreasRestricted{Max: 3}},
		},
		{
			do:    table.Answer{Answer: "remedy", Order: []int{1, 2}, Remedies: []table.Remedy{remedy}},
			event: table.QuestionAnswered{Answer: "remedy", By: ann, Order: []int{1, 2}, Remedies: []table.Remedy{remedy}},
			others: []table.Event{
				table.QuestionAnswered{Answer: "void", By: ann, Order: []int{1, 2}, Remedies: []table.Remedy{remedy}},
				table.QuestionAnswered{Answer: "remedy", By: ben, Order: []int{1, 2}, Remedies: []table.Remedy{remedy}},
				table.QuestionAnswered{Answer: "remedy", By: ann, Order: []int{2, 1}, Remedies: []table.Remedy{remedy}},
				table.QuestionAnswered{Answer: "remedy", By: ann, Order: []int{1, 2}},
			},
		},
		{
			do: table.Choose{Box: 1, Player: "ann", Return: true}, event: table.OfferAnswered{Box: 1, Player: "ann", Return: true}, any: true,
			others: []table.Event{
				table.OfferAnswered{Box: 2, Player: "ann", Return: true}, table.OfferAnswered{Box: 1, Player: "ben", Return: true}, table.OfferAnswered{Box: 1, Player: "ann"},
			},
		},
		{
			do: table.Choose{Player: "ann", Return: true}, event: table.OfferAnswered{Box: 2, Player: "ann", Return: true}, any: true,
			others: []table.Event{table.OfferAnswered{Box: 2, Player: "ben", Return: true}},
		},
		{
			do:    table.Found{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10},
			event: table.StakeFound{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10}, any: true,
			others: []table.Event{
				table.StakeFound{Box: 2, Player: "ann", Wager: rules.Ante, Amount: 10},
				table.StakeFound{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 10},
				table.StakeFound{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10},
				table.StakeFound{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 11},
			},
		},
		{
			do: report, event: table.Reported{Report: report}, any: true,
			others: []table.Event{table.Reported{Report: table.Report{Incident: rules.WrongCount, Box: 1, Count: 2}}},
		},
		{
			do: table.Deal{Cards: aces}, event: dealt(aces...),
			others: []table.Event{dealt(aces[1], aces[0]), dealt(aces[0]), dealt(append(slices.Clone(aces), aces[0])...), table.CardsDrawn{Cards: []card.Card{aces[0].Card}}},
		},
	} {
		beside := table.Announced{Key: "no-more-bets"}
		if why := contradicted(test.do, ann, []table.Event{beside, test.event, beside}); why != "" {
			t.Errorf("%+v and %+v: %s", test.do, test.event, why)
		}
		for _, e := range test.others {
			if contradicted(test.do, ann, []table.Event{beside, e}) == "" {
				t.Errorf("%+v is taken for what follows from %+v", e, test.do)
			}
		}
		for _, events := range [][]table.Event{{beside}, {test.event, test.event}} {
			if why := contradicted(test.do, ann, events); (why == "") != test.any {
				t.Errorf("%+v leads to %d events: %q", test.do, len(events), why)
			}
		}
	}
	// Cards that wait for their order are cards that were dealt.
	drawn := []table.Event{table.CardsDrawn{Cards: []card.Card{aces[0].Card, aces[1].Card}}}
	if why := contradicted(table.Deal{Cards: aces}, ann, drawn); why != "" {
		t.Error(why)
	}
}

// Where this program would decide otherwise, an event has to follow from a command that can bring
// it, in a phase in which it can. Each case is one that no rules bring.
func TestEventsFollowFromCommandsThatBringThem(t *testing.T) {
	report := table.Reported{Report: table.Report{Incident: rules.WrongCount, Box: 1}}
	moved := table.CardsMoved{}
	queenHigh := card.Hand{card.New(card.Queen, card.Spades), card.New(card.Nine, card.Hearts), card.New(card.Six, card.Clubs)}
	for _, test := range []struct {
		do     table.Action
		phase  table.Phase
		events []table.Event
		brings bool
	}{
		{table.Bet{}, table.Betting, []table.Event{table.BetPlaced{}}, true},
		{table.Bet{}, table.Dealing, []table.Event{table.BetPlaced{}}, false},
		{table.Bet{}, table.Showing, []table.Event{table.BetPlaced{}}, false},
		{table.Found{}, table.Betting, []table.Event{table.BetPlaced{}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.HandRaised{}}, true},
		{table.Raise{}, table.Showing, []table.Event{table.HandRaised{}}, false},
		{table.Fold{}, table.Deciding, []table.Event{table.HandFolded{}}, true},
		{table.Fold{}, table.Showing, []table.Event{table.HandFolded{}}, false},
		{table.Expire{}, table.Deciding, []table.Event{table.HandFolded{}}, true},
		{table.Answer{}, table.Showing, []table.Event{table.HandRaised{}, table.HandFolded{}, table.DecisionRestored{}}, true},
		{table.Show{}, table.Showing, []table.Event{table.HandRaised{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.DecisionRestored{}}, false},
		{table.Report{}, table.Deciding, []table.Event{report, moved}, true},
		{table.Report{}, table.Deciding, []table.Event{moved}, false},
		{table.Report{}, table.Deciding, []table.Event{table.QuestionAsked{}}, true},
		{table.Answer{}, table.Deciding, []table.Event{moved, table.CardsExposed{}}, true},
		{table.Deal{}, table.Dealing, []table.Event{moved}, false},
		{table.Deal{}, table.Dealing, []table.Event{table.CardsExposed{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.PaymentCorrected{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.SettlementUndone{}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.HandRaised{}, table.CardsDealt{}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.CardsDrawn{}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.HandExamined{}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.DealerShown{}}, false},
		{table.Reveal{}, table.Deciding, []table.Event{table.ForfeitsCollected{}, table.DealerShown{}}, true},
		{table.Reveal{}, table.Showing, []table.Event{table.DealerShown{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.ForfeitsCollected{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.HandKeptDown{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.RoundVoided{}}, false},
		{table.Deal{}, table.Dealing, []table.Event{table.RoundVoided{}}, true},
		{table.Settle{}, table.Showing, []table.Event{table.StakeFound{}}, false},
		{table.Deal{}, table.Betting, []table.Event{table.BetsClosed{}}, false},
		{table.Deal{}, table.Betting, []table.Event{table.BetsOpened{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.Announced{}}, true},
		{table.Settle{}, table.Showing, []table.Event{table.BetsReturned{}}, false},
		{table.Withdraw{}, table.Betting, []table.Event{table.BetsReturned{}}, true},
		{table.Withdraw{}, table.Showing, []table.Event{table.BetsReturned{}}, false},
		{table.Found{}, table.Showing, []table.Event{table.BetsReturned{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.HandInvalidated{}}, false},
		{table.Choose{}, table.Deciding, []table.Event{table.OfferAnswered{}, table.HandInvalidated{}, table.BetsReturned{}, table.Settled{}}, true},
		{table.Settle{}, table.Showing, []table.Event{table.Settled{}}, true},
		{table.Settle{}, table.Paid, []table.Event{table.Settled{}}, false},
		{table.Settle{}, table.Deciding, []table.Event{table.BoxSettled{}}, false},
		{table.Fold{}, table.Deciding, []table.Event{table.HandFolded{Box: 1}}, true},
		{table.Fold{}, table.Deciding, []table.Event{table.HandFolded{Box: 2}}, false},
		{table.Expire{}, table.Deciding, []table.Event{table.HandFolded{Box: 2}}, false},
		{table.Expire{}, table.Showing, []table.Event{table.HandFolded{Box: 1}}, false},
		{table.Raise{}, table.Deciding, []table.Event{table.HandRaised{Box: 2}}, false},
		{table.Report{}, table.Deciding, []table.Event{report, table.HandFolded{Box: 2}}, true},
		{table.Settle{}, table.Showing, []table.Event{table.QuestionAnswered{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.QuestionAsked{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.Reported{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.OffersMade{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.ProgressiveFailed{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.PlayerRestricted{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.AreasRestricted{}}, false},
		{table.Settle{}, table.Showing, []table.Event{table.DealFinished{}}, false},
		{table.Reveal{}, table.Deciding, []table.Event{table.DealerShown{Hand: queenHigh, Qualifies: true}}, true},
		{table.Reveal{}, table.Deciding, []table.Event{table.DealerShown{Hand: queenHigh}}, false},
	} {
		s := table.State{Phase: test.phase, Variant: books.All()[0].Standard()}
		for range 2 {
			s.Boxes = append(s.Boxes, &table.BoxState{Invalid: true}) // nobody waits for it
		}
		s.Boxes[1].Decision = table.Played
		if why := unfounded(test.do, &s, test.events); (why == "") != test.brings {
			t.Errorf("%T in the phase %s, and %+v: %q", test.do, test.phase, test.events, why)
		}
	}
}

// What the engine makes of a command is never taken for what no command brings.
func TestWhatTheEngineDecidesIsFounded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	steps := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			continue // a schema
		}
		by := Verifier{Each: func(before table.State, done *linked.Outcome) {
			steps++
			if why := cmp.Or(unfounded(done.Command.Do, &before, done.Events), misplaced(done.Command.Do, &before, done.Events)); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}}
		by.Verify(r)
	}
	if steps < 100 {
		t.Errorf("%d steps", steps)
	}
}

// With another declaration too, the cards of a committed deck lie where the order of the deal
// sends them. The dealer's hand comes when every hand is played or folded.
func TestTheOrderOfTheDealIsThatOfTheRecord(t *testing.T) {
	text, err := os.ReadFile("testdata/settled.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	dealt, waited := false, false
	by := Verifier{Each: func(before table.State, done *linked.Outcome) {
		for _, e := range done.Events {
			if e, ok := e.(table.CardsDealt); ok && len(e.Cards) > 1 {
				dealt = true
				cards := slices.Clone(e.Cards)
				cards[0].Place, cards[1].Place = table.DealerHand, table.DealerHand
				if misplaced(done.Command.Do, &before, []table.Event{table.CardsDealt{Cards: cards}}) == "" {
					t.Errorf("%+v are dealt, the first two to the dealer", e.Cards)
				}
			}
		}
		if does[table.Raise](done.Command.Do) {
			waited = true
			if unfounded(table.Reveal{}, &before, []table.Event{table.DealerShown{}}) == "" {
				t.Error("the dealer's hand is shown before a hand is played")
			}
		}
	}}
	by.Verify(r)
	if !dealt || !waited {
		t.Errorf("dealt %t, waited %t", dealt, waited)
	}
}

// A stake under the minimum that is given back is taken out of what is settled again, and
// nothing else is.
func TestWhatIsTooLow(t *testing.T) {
	found := false
	for _, b := range books.All() {
		v := b.Standard()
		under, wager := b.Bets.UnderOnce, b.Wagers[0].Wager
		limit := v.Limits[wager]
		limit.Min = 500
		v = v.Clone()
		v.Limits[wager] = limit
		const low = 499
		line := func(change func(*table.Line)) table.Line {
			l := table.Line{Box: 1, Player: "ann"}
			l.Line = rules.Line{Wager: wager, Stake: low, Returned: low, Result: rules.GivenBack, Clause: under}
			change(&l)
			return l
		}
		for name, test := range map[string]struct {
			line  table.Line
			stake money.Amount
			want  bool
		}{
			"as the book has it":   {line(func(*table.Line) {}), low, under != ""},
			"by another provision": {line(func(l *table.Line) { l.Clause = "9.9" }), low, false},
			"by none":              {line(func(l *table.Line) { l.Clause = "" }), low, false},
			"lost":                 {line(func(l *table.Line) { l.Result = rules.Lose }), low, false},
			"at the minimum":       {line(func(l *table.Line) { l.Stake, l.Returned = low+1, low+1 }), low + 1, false},
			"another stake":        {line(func(l *table.Line) { l.Stake = low - 1 }), low, false},
			"less returned":        {line(func(l *table.Line) { l.Returned = low - 1 }), low, false},
			"and paid":             {line(func(l *table.Line) { l.Pays = 1 }), low, false},
			"nothing at stake":     {line(func(l *table.Line) { l.Stake, l.Returned = 0, 0 }), 0, false},
		} {
			verify := verification{variant: v}
			var stakes rules.Stakes
			stakes[wager] = test.stake
			if got := verify.tooLow(&test.line, &stakes); got != test.want || (stakes[wager] == 0) != (got || test.stake == 0) {
				t.Errorf("%s, %s: %t, and %s is left", b.ID, name, got, stakes[wager])
			}
			found = found || test.want
		}
	}
	if !found {
		t.Error("no book gives a stake under the minimum back")
	}
}

// Bets lie where they were placed until a line takes them. A line that takes more, or pays less
// than nothing, is refused, and so is a stake that lies again and was not settled.
func TestChipsLieWhereTheyWereLaid(t *testing.T) {
	line := func(stake, returned, pays money.Amount) table.Line {
		l := table.Line{Box: 1, Player: "ann"}
		l.Line = rules.Line{Wager: rules.Ante, Stake: stake, Returned: returned, Pays: pays, Result: rules.Win}
		return l
	}
	bet := table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10}
	settled := func(l table.Line) table.Event { return table.BoxSettled{Box: 1, Lines: []table.Line{l}} }
	again := func(amount money.Amount) table.Event {
		undone := line(0, 0, 0)
		undone.Reverses = 20
		return table.SettlementUndone{Box: 1, Lines: []table.Line{undone}, Stakes: []table.LaidStake{{Player: "ann", Wager: rules.Ante, Amount: amount}}}
	}
	for _, test := range []struct {
		name   string
		events []table.Event
		want   string // of the last event
	}{
		{"settled", []table.Event{bet, settled(line(10, 20, 10))}, ""},
		{"more than lies there", []table.Event{bet, settled(line(11, 20, 10))}, "is taken from the layout than lies there"},
		{"pays less than nothing", []table.Event{bet, settled(line(10, 20, -1))}, "pays less than nothing"},
		{"returns less than nothing", []table.Event{bet, settled(line(10, -1, 0))}, "pays less than nothing"},
		{"more than was settled", []table.Event{bet, settled(line(10, 20, 10)), table.BetsReturned{Lines: []table.Line{line(11, 11, 0)}}}, "goes back than was settled"},
		{"lies again", []table.Event{bet, settled(line(10, 20, 10)), again(10)}, ""},
		{"lies again with less", []table.Event{bet, settled(line(10, 20, 10)), again(9)}, "lies on box 1 again than was settled"},
		{"lies again with more", []table.Event{bet, settled(line(10, 20, 10)), again(11)}, "lies on box 1 again than was settled"},
	} {
		c := newChips()
		for i, e := range test.events {
			err := c.follow(e, map[string]money.Amount{})
			if want := test.want; i < len(test.events)-1 || want == "" {
				if err != nil {
					t.Errorf("%s: event %d: %v", test.name, i, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", test.name, err, want)
			}
		}
	}
}

// What a jackpot holds between two steps can rise by what others bet, and start again by what they
// hit. That it fell otherwise is said, so that a hit in this round is not taken for paid in full.
func TestAJackpotThatFellIsReported(t *testing.T) {
	rws := books.All()[0].Standard()
	_, opened, err := linked.Open(rws, 12_000*money.Major, 0)
	if err != nil {
		t.Fatal(err)
	}
	was := Reduced(opened, "A")
	for _, test := range []struct {
		what string
		hits int64
		then money.Amount
		open bool
	}{
		{"others bet", 0, 12_000*money.Major + 2, false},
		{"it fell by a cent", 0, 12_000*money.Major - 1, true},
		{"it fell to a cent", 0, 1, true},
		{"it was hit and starts again", 1, rws.Jackpot.Reset, false},
		{"it was hit and holds a cent less", 1, rws.Jackpot.Reset - 1, true},
	} {
		given := was
		given.HitsPaid, given.Meter, given.LatestPaid = test.hits, test.then, jackpot.Place{DealtAtMs: test.hits, Sequence: test.hits}
		given = Reduced(given, "A")
		meter := record.MeterOf(given)
		r := &Round{Steps: []Step{{Meter: &meter}}}
		r.Table = "A"
		report := &Report{}
		v := verification{r: r, variant: rws, meter: was, metered: true, report: report}
		if !v.takeMeter(0) || slices.Contains(report.Open(), Jackpot) != test.open || report.failed(Commands) {
			t.Errorf("%s: %+v", test.what, report.Findings)
		}
	}
	if why := unexplained(jackpot.State{HitsPaid: 2}, jackpot.State{HitsPaid: 1}); why == "" {
		t.Error("hits that were paid are not paid any more, and nothing is said")
	}
}

func TestChecksAndResultsHaveNames(t *testing.T) {
	for c, want := range map[Check]string{0: "unknown", Rules: "rules", Log: "log", numChecks: "unknown", 255: "unknown"} {
		if c.String() != want {
			t.Errorf("check %d is called %s", uint8(c), c)
		}
	}
	for r, want := range map[Result]string{0: "unknown", Proven: "proven", Failed: "failed", numResults: "unknown", 255: "unknown"} {
		if r.String() != want {
			t.Errorf("result %d is called %s", uint8(r), r)
		}
	}
	for amount, want := range map[money.Amount]string{0: "neither won nor lost", 150: "won 1.50", -150: "lost 1.50"} {
		if got := signed(amount); got != want {
			t.Errorf("%d: %s", amount, got)
		}
	}
}

// The commitment is in the checkpoint that was signed before a bet or a seed was accepted:
// whatever relies on the seed comes behind it.
func TestWhatReliesOnTheSeedComesBehindTheCheckpoint(t *testing.T) {
	const signed = "house.example\n8\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— house.example AAAAAAA=\n"
	step := func(kind string, seq int64) Step { return Step{Kind: kind, Seq: seq} }
	for _, test := range []struct {
		name       string
		checkpoint string
		committed  int64
		kind       string
		seq        int64
		want       string // empty if it holds
	}{
		{"a bet behind it", signed, 7, "bet", 8, ""},
		{"a bet in it", signed, 7, "bet", 7, "bet is leaf 7, and the checkpoint was signed over 8 leaves"},
		{"a bet found in it", signed, 7, "found", 7, "found is leaf 7"},
		{"a seed in it", signed, 7, AddSeedKind, 7, "is leaf 7"},
		{"the opening in it", signed, 7, "open-bets", 7, ""},
		{"the commitment behind it", signed, 8, "bet", 9, "it holds 8 leaves, and the commitment is leaf 8"},
		{"none", "", 7, "bet", 7, "no checkpoint from before the bets holds it"},
		{"without a signature", "house.example\n8\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", 7, "bet", 8, "it is not a signed checkpoint"},
		{"with more behind it", signed + "more", 7, "bet", 8, "it is not a signed checkpoint"},
		{"no checkpoint, signed", "house.example\nmany\n\n— house.example AAAAAAA=\n", 7, "bet", 8, "it is not a signed checkpoint"},
	} {
		r := Round{Steps: []Step{step(test.kind, test.seq), step(test.kind, 0)}} // the last has no number
		r.Seed, r.Proof = &Seed{Checkpoint: test.checkpoint}, "signed"
		r.Seed.Committed.Seq = test.committed
		report := &Report{}
		verify := verification{r: &r, report: report}
		words := verify.covered()
		var found []string
		for i := range report.Findings {
			found = append(found, report.Findings[i].Text)
		}
		if test.want == "" && len(found) != 0 || test.want != "" && (len(found) != 1 || !strings.Contains(found[0], test.want)) {
			t.Errorf("%s: %q, want %q", test.name, found, test.want)
		}
		if holds := test.checkpoint == signed && test.committed < 8; holds != (words == " and covered by the checkpoint of house.example over 8 leaves") || !holds && words != "" {
			t.Errorf("%s: %q", test.name, words)
		}
	}
}
