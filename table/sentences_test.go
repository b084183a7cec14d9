package table_test

import (
	"strings"
	"testing"

	"trey/card"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

func ready(t *testing.T) table.State {
	t.Helper()
	s, err := table.New(rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asks is the question by which a second person confirms a stake that was found.
func asks(w rules.Wager, clause string) table.Event {
	return table.QuestionAsked{Question: table.OpenQuestion{
		Key: table.ConfirmFacts, Role: rules.PitSupervisor, Clause: clause,
		Found:   table.Found{Box: 2, Player: "ann", Wager: w, Amount: 500},
		Answers: []rules.Answer{rules.Reply("yes", rules.Continue, clause), rules.Reply("no", rules.Continue, clause)},
	}}
}

func TestSentencesOfEvents(t *testing.T) {
	line := table.Line{Box: 2, Player: "ann", Line: rules.Line{
		Wager: rules.PairPlus, Stake: 500, Result: rules.Win, Pays: 20000, Returned: 20500, Clause: "4.2", Combo: rules.StraightFlush,
	}}
	kept := table.Line{Box: 2, Player: "ann", Line: rules.Line{
		Wager: rules.Progressive, Stake: 500, Result: rules.Win, Pays: 1500, Returned: 1500, Clause: "4.4", Combo: rules.Straight,
	}}
	for _, tt := range []struct {
		event table.Event
		want  string
	}{
		{
			table.Announced{Key: "no-more-bets", Clause: "3.9"},
			`Dealer: "No more bets." (rws-3cp@3 3.9)`,
		},
		{
			table.BetPlaced{Box: 2, Player: "ann", Wager: rules.Ante, Amount: 125_000 * money.Minor, EnteredBy: "mia", Clause: "5.22"},
			"ann bets 1,250.00 on Ante at box 2, placed for the player by mia (rws-3cp@3 5.22).",
		},
		{
			table.CardsDealt{Cards: []table.Dealt{
				{Card: card.None, Place: table.BurnPile, Meant: table.BurnPile},
				{Card: card.New(card.Queen, card.Hearts), Place: table.Box(1), Meant: table.Box(1)},
				{Card: card.New(card.Ten, card.Spades), Place: table.Box(1), Meant: table.DealerHand, FaceUp: true},
			}},
			"Dealt: burn ??, box 1 Qh Ts face up (meant for the dealer).",
		},
		{
			table.Settled{Lines: []table.Line{line, kept}},
			"Box 2, ann: Pair Plus 5.00 wins 200.00 with Straight flush (rws-3cp@3 4.2).\n" +
				"Box 2, ann: Progressive Jackpot 5.00 wins 15.00 with Straight; the house keeps the stake (rws-3cp@3 4.4).\n" +
				"The round is settled.",
		},
		{
			// Against a dealer who does not qualify it goes back, and is no stand-off (1.21).
			table.Settled{Lines: []table.Line{{Box: 2, Player: "ann", Line: rules.Line{
				Wager: rules.Play, Stake: 500, Result: rules.Push, Returned: 500, Clause: "3.13",
			}}}},
			"Box 2, ann: Play 5.00 neither wins nor loses and goes back (rws-3cp@3 3.13).\n" +
				"The round is settled.",
		},
		{
			asks(rules.Play, "5.3.2"),
			"It is said that ann's Play at box 2 was 5.00 when the hand was played.\n" +
				"Question for the pit supervisor (rws-3cp@3 5.3.2): Did this lie there when the hand was played? (yes, no)",
		},
		{
			asks(rules.Ante, "5.20"),
			"It is said that ann's Ante at box 2 was 5.00 when the bets were closed.\n" +
				"Question for the pit supervisor (rws-3cp@3 5.20): Did this lie there when the bets were closed? (yes, no)",
		},
		{
			table.Reported{
				Report: table.Report{Incident: rules.TechnicalInterruption, LastedMs: 15_500}, Outcome: rules.Void, Clause: "5.7.2",
			},
			"Reported: a technical interruption, for 15.5 s. The round is to be void (rws-3cp@3 5.7.2).",
		},
		{
			table.OfferAnswered{Box: 3, Player: "ben", Return: true, Unanswered: true, Clause: "5.10.3"},
			"ben does not answer and so has the bets at box 3 back (rws-3cp@3 5.10.3).",
		},
	} {
		if got := table.Text(tt.event, ready(t)); got != tt.want {
			t.Errorf("%#v is told as\n%s\nwant\n%s", tt.event, got, tt.want)
		}
	}
}

// Every kind of event, incident and outcome has words.
func TestSentencesLeaveNothingOut(t *testing.T) {
	s := ready(t)
	lists := map[string]string{"bets-returned": `{"lines":[{}]}`, "offers-made": `{"offers":[{}]}`, "payment-corrected": `{"lines":[{}]}`}
	for _, kind := range record.TableEvents.Names() {
		body := lists[kind]
		if body == "" {
			body = "{}"
		}
		e, err := record.TableEvents.Parse(kind, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if table.Text(e, s) == "" {
			t.Errorf("%s is not told", kind)
		}
	}
	for _, incident := range rules.Incidents() {
		text := table.Text(table.Reported{Report: table.Report{Incident: incident}}, s)
		if strings.HasPrefix(text, "Reported: .") {
			t.Errorf("%s has no words", incident)
		}
	}
	for outcome := rules.Continue; outcome.String() != "unknown"; outcome++ {
		text := table.Text(table.Reported{Report: table.Report{Incident: rules.ForeignCard}, Outcome: outcome}, s)
		if strings.HasSuffix(text, ". .") {
			t.Errorf("%s has no words", outcome)
		}
	}
}
