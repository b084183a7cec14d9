package tables

import (
	"slices"
	"testing"

	"trey/internal/house/access"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// The dealer addresses whoever looks, and calls others as the felt does.
func TestAnnouncementsAddressTheReader(t *testing.T) {
	const name = "guest-abcdwxyz"
	said := table.Announced{Key: "one-hand-only", Player: name}
	for _, of := range []struct {
		language lang.Language
		reader   string
		want     string
	}{
		{lang.English, name, "You may examine one hand only; the others are played blind."},
		{lang.English, "ann", "Guest ABCD may examine one hand only; the others are played blind."},
		{lang.Chinese, name, "您只可看一手牌，其余盲打。"},
		{lang.Chinese, "ann", "访客 ABCD 只可看一手牌，其余盲打。"},
	} {
		v := &view{reader: reader{Printer: lang.Printer{Language: of.language}, person: access.Person{Name: of.reader, Role: access.Guest}}}
		if got := v.announced(&said, nil); got != of.want {
			t.Errorf("%s hears %q, want %q", of.reader, got, of.want)
		}
	}
	if said.Player != name || said.Sentence(table.State{}).Args[0] != name {
		t.Error("what was said has changed")
	}
}

// A line that gives a bet back changes its player's result by what the earlier lines made of
// the bet. That is nothing before the settlement, and the settlement's opposite after it.
func TestWhatIsGivenBackIsShownAgainstTheLinesBefore(t *testing.T) {
	line := func(box int, returned, reverses money.Amount, result rules.Result) table.Line {
		l := table.Line{Box: box, Player: "ann", Reverses: reverses}
		l.Line = rules.Line{Wager: rules.Ante, Stake: 1000, Returned: returned, Result: result}
		return l
	}
	won, lost := line(1, 2000, 0, rules.Win), line(1, 0, 0, rules.Lose)
	for _, test := range []struct {
		name   string
		before []table.Line
		line   table.Line
		want   string
	}{
		{"not settled", nil, line(1, 1000, 0, rules.GivenBack), "$0"},
		{"another box settled", []table.Line{line(2, 2000, 0, rules.Win)}, line(1, 1000, 0, rules.GivenBack), "$0"},
		{"won", []table.Line{won}, line(1, 1000, 2000, rules.GivenBack), "−$10"},
		{"lost", []table.Line{lost}, line(1, 1000, 0, rules.GivenBack), "+$10"},
	} {
		v := &view{reader: reader{Printer: lang.Printer{Language: lang.English}, person: access.Person{Name: "ann", Role: access.Player}}}
		all := v.settled(&occurrence{before: test.before}, []table.Line{test.line})
		if len(all) != 2 || all[0].text != "Box 1, You, Ante: given back, "+test.want+"." {
			t.Errorf("%s: told %+v, want %s", test.name, all, test.want)
		}
	}
}

// The page shows a jackpot that is held to its winner at its own box. It does not show it at
// boxes that are settled before or after, nor with awards of the staff. Where the jackpot is
// taken back, the page says that it was no part of the balance.
func TestAJackpotThatIsHeldIsShownAtItsBox(t *testing.T) {
	line := func(box int, combo rules.Combo, returned, reverses money.Amount) table.Line {
		l := table.Line{Box: box, Player: "ann", Reverses: reverses}
		l.Line = rules.Line{Wager: rules.Progressive, Stake: 500, Pays: returned, Returned: returned, Result: rules.Win, Combo: combo}
		return l
	}
	award := line(1, 0, 2000, 0)
	award.Stake = 0
	won := line(1, rules.AKQSpades, 100_000, 0)
	const held = "$1,000 of it goes to your account once two people of the house have verified the hit."
	for _, test := range []struct {
		name       string
		occurrence occurrence
		line       table.Line
		want       []string
	}{
		{"held", occurrence{held: map[int]money.Amount{1: 100_000}}, won, []string{"Your result of the round: +$995.", held}},
		{"another box", occurrence{held: map[int]money.Amount{1: 100_000}}, line(2, rules.Straight, 1500, 0), []string{"The round changed your balance by +$10."}},
		{"an award", occurrence{before: []table.Line{won}, held: map[int]money.Amount{1: 100_000}}, award, []string{"The round changed your balance by +$20."}},
		{"handed out", occurrence{}, won, []string{"The round changed your balance by +$995."}},
		{"taken back", occurrence{before: []table.Line{won}, held: map[int]money.Amount{1: -100_000}}, line(1, 0, 0, 100_000), []string{"Your result of the round: −$1,000."}},
	} {
		v := &view{reader: reader{Printer: lang.Printer{Language: lang.English}, person: access.Person{Name: "ann", Role: access.Player}}}
		var got []string
		for _, l := range v.settled(&test.occurrence, []table.Line{test.line})[1:] {
			got = append(got, l.text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: told %q, want %q", test.name, got, test.want)
		}
	}
}

// Chinese names the stake first: one that is paid 40 to 1 is 1赔40, and 1 to 2 pays less than
// the stake.
func TestPaysNameTheStakeAsTheLanguageDoes(t *testing.T) {
	half := rules.Pay{Odds: money.Odds{To: 1, For: 2}}
	for _, of := range []struct {
		language lang.Language
		pay      rules.Pay
		want     string
	}{
		{lang.English, rules.ToOne(40), "40 to 1"},
		{lang.English, half, "1 to 2"},
		{lang.Chinese, rules.ToOne(40), "1赔40"},
		{lang.Chinese, half, "2赔1"},
	} {
		if got := payWords(lang.Printer{Language: of.language}, of.pay); got != of.want {
			t.Errorf("%v is %q, want %q", of.pay, got, of.want)
		}
	}
	if got := (handClass{points: 1}).words(lang.Printer{Language: lang.English}); got != "1 point" {
		t.Errorf("a hand of one point is %q", got)
	}
}
