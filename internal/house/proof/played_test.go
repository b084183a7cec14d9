package proof

import (
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// play returns the record of a round at a table without a progressive, where the cards are read,
// as far as it can be written without a house.
func play(t *testing.T, v *rules.Variant, commands ...table.Command) *Round {
	t.Helper()
	config := table.Config{Device: v.Book.Devices[0].Device, Cards: table.Read}
	s, err := table.Resume(v, config, 1, table.Carried{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Round{Head: Head{
		Type: Type, Version: Version, Table: "A", Round: 1, Ended: "settled",
		Book: v.Book.Ref(), Variant: v.ID, RulesHash: v.Hash(), Declaration: string(v.Book.Declaration()), Terms: string(v.Terms()),
		Config: record.Equipment(config),
	}}
	for i, c := range commands {
		c.AtMs = int64(i + 1)
		done, err := linked.Step(r.Table, s, jackpot.State{}, c)
		if err != nil {
			t.Fatalf("%+v: %v", c.Do, err)
		}
		step := Step{
			Seq: int64(i + 1), AtMs: c.AtMs, By: By{Name: c.By.Name, Role: c.By.Role.String()},
			Kind: record.Actions.Name(c.Do), Body: marshal(record.Actions.Stored(done.Command.Do)),
		}
		if i == len(commands)-1 {
			step.Seq = 0
		}
		for _, e := range done.Events {
			written, err := record.TableEvents.Write(e)
			if err != nil {
				t.Fatal(err)
			}
			step.Events = append(step.Events, written)
		}
		on := ledger.Book{{Kind: ledger.Layout, Of: r.Table}: s.OnLayout()}
		for _, name := range []string{"#1", "#2", "#3"} {
			on[ledger.Account{Kind: ledger.Player, Of: name}] = 1_000_000 * money.Major
		}
		if step.Postings, _, err = posting.Of(posting.Place{Table: r.Table}, &s, &done, on); err != nil {
			t.Fatal(err)
		}
		r.Steps, s = append(r.Steps, step), done.State
	}
	return r
}

// by returns commands of a person.
func by(name string, role rules.Role, all ...table.Action) (commands []table.Command) {
	for _, do := range all {
		commands = append(commands, table.Command{By: table.Actor{Name: name, Role: role}, Do: do})
	}
	return commands
}

func dealt(t *testing.T, cards string) table.Deal {
	t.Helper()
	all, err := card.ParseList(cards)
	if err != nil {
		t.Fatal(err)
	}
	var deal table.Deal
	for _, c := range all {
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	return deal
}

// A hand that brings an Envy Bonus pays it to each bet of a player, or once to the player on the
// first box that can claim it, as the house has ruled.
func TestAnEnvyBonusOnTwoBoxes(t *testing.T) {
	book, err := books.Find("sm-3cp")
	if err != nil {
		t.Fatal(err)
	}
	variant := func(choice rules.Choice) *rules.Variant {
		v := book.Standard().Clone()
		v.Choices[rules.EnvyTwoBets] = choice
		v.Choices[rules.BonusAfterFold] = rules.Lost
		for _, w := range []rules.Wager{rules.Ante, rules.Bonus} {
			v.Limits[w] = rules.Limit{Min: 100, Max: 5000}
		}
		return v
	}
	for _, test := range []struct {
		name   string
		choice rules.Choice
		folds  bool
		envy   int // lines, counted by hand
	}{
		// The straight flush on box 3 pays boxes 1 and 2, which are one player's.
		{"each bet", rules.PerBet, false, 2},
		{"once", rules.PerPlayer, false, 1},
		// Box 1 is folded and has lost its claim.
		{"each bet, one folded", rules.PerBet, true, 1},
		{"once, the first folded", rules.PerPlayer, true, 1},
	} {
		var commands []table.Command
		bet := func(box int, player string) []table.Command {
			return by(player, rules.Player,
				table.Bet{Box: box, Player: player, Wager: rules.Ante, Amount: 1000}, table.Bet{Box: box, Player: player, Wager: rules.Bonus, Amount: 100})
		}
		decides := func(box int, player string) []table.Command {
			if test.folds && box == 1 {
				return by(player, rules.Player, table.Fold{Box: box, Player: player})
			}
			return by(player, rules.Player, table.Raise{Box: box, Player: player})
		}
		for _, some := range [][]table.Command{
			by("#9", rules.Dealer, table.OpenBets{}),
			bet(1, "#1"), bet(2, "#1"), bet(3, "#2"),
			by("#9", rules.Dealer, table.CloseBets{}, dealt(t, "Kh 9d 4c Kc 7d 6c 9h 8h 7h Qd 9c 4h")),
			decides(1, "#1"), decides(2, "#1"), decides(3, "#2"),
			by("#9", rules.Dealer, table.Reveal{}, table.Settle{}),
		} {
			commands = append(commands, some...)
		}
		r := play(t, variant(test.choice), commands...)
		last := r.Steps[len(r.Steps)-1]
		envy := 0
		for _, e := range last.Events {
			envy += strings.Count(string(e.Body), `"wager":"envy"`)
		}
		if envy != test.envy {
			t.Errorf("%s: %d Envy Bonuses", test.name, envy)
		}
		for _, f := range Verify(r).Findings {
			if f.Result == Failed {
				t.Errorf("%s: %s %s: %s", test.name, f.Check, f.Where, f.Text)
			}
		}
	}
}

// The commands and phases that bring an event, where another event of the same step or another
// command of the same phase does not show it.
func TestWhatBringsAnEvent(t *testing.T) {
	for _, test := range []struct {
		do     table.Action
		phase  table.Phase
		event  table.Event
		brings bool
	}{
		{table.Found{}, table.Betting, table.MinimumAdvised{}, true},
		{table.Found{}, table.Dealing, table.MinimumAdvised{}, false},
		{table.Bet{}, table.Betting, table.MinimumAdvised{}, false},
		{table.Reveal{}, table.Deciding, table.ForfeitsCollected{}, true},
		{table.Reveal{}, table.Showing, table.ForfeitsCollected{}, false},
		{table.LayUp{}, table.Showing, table.HandShown{}, true},
		{table.Show{}, table.Showing, table.HandShown{}, true},
		{table.Reveal{}, table.Deciding, table.HandShown{}, true},
		{table.Settle{}, table.Showing, table.HandShown{}, true},
		{table.Answer{}, table.Showing, table.HandShown{}, true},
		{table.Deal{}, table.Dealing, table.HandShown{}, false},
		{table.AskWithdrawal{}, table.Deciding, table.QuestionAsked{}, true},
		{table.Deal{}, table.Dealing, table.QuestionAsked{}, true},
		{table.Found{}, table.Betting, table.QuestionAsked{}, true},
		{table.Answer{}, table.Deciding, table.QuestionAsked{}, true},
		{table.Raise{}, table.Deciding, table.QuestionAsked{}, false},
	} {
		s := table.State{Phase: test.phase, Variant: books.All()[0].Standard()}
		if why := unfounded(test.do, &s, []table.Event{test.event}); (why == "") != test.brings {
			t.Errorf("%T in the phase %s, and %T: %q", test.do, test.phase, test.event, why)
		}
	}
}

// A round of this table keeps its place in the order of hits, unless two people determined another.
func TestAPlaceThatNobodyDetermined(t *testing.T) {
	id := jackpot.RoundID{Table: "A", Round: "1"}
	dealt := func(at int64, determined bool) jackpot.State {
		return jackpot.State{Rounds: []jackpot.Round{{ID: id, Dealt: &jackpot.Place{DealtAtMs: at}, Determined: determined}}}
	}
	undealt := jackpot.State{Rounds: []jackpot.Round{{ID: id}}}
	determinedUndealt := jackpot.State{Rounds: []jackpot.Round{{ID: id, Determined: true}}}
	for _, test := range []struct {
		name       string
		was, given jackpot.State
		want       bool
	}{
		{"the same", dealt(5, false), dealt(5, false), true},
		{"another, determined", dealt(5, false), dealt(6, true), true},
		{"another, by nobody", dealt(5, false), dealt(6, false), false},
		{"dealt meanwhile", undealt, dealt(6, true), false},
		{"not dealt any more", dealt(5, false), determinedUndealt, false},
	} {
		r := &Round{}
		r.Table = "A"
		v := verification{r: r, meter: test.was}
		if got := v.ours(test.given); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// A box that cannot be settled is reported so, and nothing is said of its lines.
func TestABoxThatCannotBeSettled(t *testing.T) {
	v := books.All()[0].Standard()
	s, err := table.New(v, table.Config{Device: v.Book.Devices[0].Device, Cards: table.Read})
	if err != nil {
		t.Fatal(err)
	}
	cards, err := card.ParseList("As Ks Qs 9c 7d 2h")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cards {
		place := table.Box(1)
		if i >= 3 {
			place = table.DealerHand
		}
		s.Slots = append(s.Slots, table.Slot{Card: c, Place: place, Meant: place})
	}
	s.Boxes[0].Decision = table.Played
	s.Boxes[0].Bettors = []table.Bettor{{Player: "#1"}}
	c := newChips()
	for w, amount := range map[rules.Wager]money.Amount{rules.Ante: 1000, rules.Play: 1000, rules.Progressive: v.Jackpot.Bet} {
		c.lying[wagerOf{boxOf{1, "#1"}, w}] = amount
		s.Boxes[0].Bettors[0].Stakes[w] = amount
	}
	r := &Round{}
	r.Table = "A"
	verify := verification{r: r, variant: v, chips: c, report: &Report{}}
	lines := []table.Line{{Box: 1, Player: "#1", Line: rules.Line{Wager: rules.Ante, Stake: 1000, Result: rules.Lose}}}
	verify.settlement("steps[1].events[0]", &s, table.Settled{Lines: lines}, 0, nil)
	if found := verify.report.Findings; len(found) != 1 || !strings.Contains(found[0].Text, "box 1 of #1 cannot be settled") {
		t.Errorf("%+v", found)
	}
	// Whoever has nothing left on the box has no line there.
	s.Boxes[0].Bettors = append(s.Boxes[0].Bettors, table.Bettor{Player: "#2"})
	lines[0].Player, verify.report = "#2", &Report{}
	verify.settlement("steps[1].events[0]", &s, table.Settled{Lines: lines}, 0, nil)
	if found := verify.report.Findings; len(found) != 2 || found[1].Where != "steps[1].events[0].body.lines[0]" || found[1].Text != "#2 has no wager on box 1" {
		t.Errorf("%+v", found)
	}
}
