package rules_test

import (
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// The most that a wager can bring is what it brings by the best of all hands, found
// by settling every one of the 22,100 against a dealer of each kind.
func TestMostReturnedIsTheBestOfAllHands(t *testing.T) {
	// Dealers that do not qualify, that lose to a good hand, and that have each point
	// total, with and without pictures.
	var dealers []card.Hand
	for _, text := range []string{
		"7s 5h 2d", "Qs 6h 2d", "Ts 9h 2d", "Ts Kh 2d", "Ts Th Td", "Js Qh Kd", "As 2h 3d", "2s 2h 4d", "9s 9h Td", "Ts Kh 9d",
		"Ts 3h Td", "Ts 4h Td", "Ts 5h Td", "Ts 6h Td", "Ts 7h Td",
	} {
		cards, err := card.ParseFaces(text)
		if err != nil {
			t.Fatal(err)
		}
		dealers = append(dealers, card.Hand(cards))
	}
	for _, b := range books.All() {
		v := b.Standard()
		stakes := rules.Stakes{}
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			switch {
			case rule.Stake == rules.NoStake || rule.Stake == rules.Prescribed:
			case rule.Stake == rules.EqualToBasis:
				stakes[rule.Wager] = stakes[rule.Basis]
			default:
				stakes[rule.Wager] = max(v.Limits[rule.Wager].Min, 2*money.Major)
			}
		}
		best := map[rules.Wager]money.Amount{}
		var lines []rules.Line
		for player := range card.Deck().Hands() {
			for _, dealer := range dealers {
				var err error
				lines, err = v.Settle(lines[:0], &rules.Showdown{Player: player, Dealer: dealer, Stakes: stakes})
				if err != nil {
					t.Fatal(err)
				}
				for k := range lines {
					best[lines[k].Wager] = max(best[lines[k].Wager], lines[k].Returned)
				}
			}
		}
		for w, want := range best {
			if got, err := v.MostReturned(w, &stakes, 0); err != nil || got != want {
				t.Errorf("%s: %s brings at most %s, not %s (%v)", b.Ref(), w, want, got, err)
			}
		}
	}
}

// The bounds of the Envy Bonus and of the jackpot, reckoned by hand: four suited
// A-K-Q lie in a deck, one of them of spades; a share of the meter is never awarded.
func TestMostReturnedOfEnvyAndJackpot(t *testing.T) {
	for _, tt := range []struct {
		book         string
		bonus        string
		wager        rules.Wager
		others       int
		carrier      rules.Wager
		stake, wants money.Amount
	}{
		{"rws-3cp", "", rules.Envy, 1, rules.Progressive, 500, 25000},
		{"rws-3cp", "", rules.Envy, 4, rules.Progressive, 500, 25000 + 3*5000},
		{"rws-3cp", "", rules.Envy, 6, rules.Progressive, 500, 25000 + 3*5000},
		{"rws-3cp", "round", rules.Envy, 6, rules.Progressive, 500, 25000},
		{"rws-3cp", "", rules.Envy, 6, rules.Ante, 1000, 0},
		{"us-3cp", "", rules.Envy, 6, rules.PairPlus, 500, 0},
		{"rws-3cp", "", rules.Progressive, 0, rules.Progressive, 500, 125000},
		{"sm-3cp", "TCPB-03E", rules.Envy, 6, rules.Bonus, 100, 10000 + 3*2500 + 2*500},
		{"sm-3cp", "TCPB-03E", rules.Bonus, 0, rules.Bonus, 100, 400100},
	} {
		b, err := books.Find(tt.book)
		if err != nil {
			t.Fatal(err)
		}
		v := b.Standard().Clone()
		if tt.bonus == "round" {
			v.Choices[rules.EnvyPer] = rules.PerRound
		} else if tt.bonus != "" {
			if err := v.UsePayTable(rules.Bonus, tt.bonus); err != nil {
				t.Fatal(err)
			}
		}
		stakes := rules.Stakes{}
		stakes[tt.carrier] = tt.stake
		if got, err := v.MostReturned(tt.wager, &stakes, tt.others); err != nil || got != tt.wants {
			t.Errorf("%s: %s with %d other hands brings at most %s, not %s (%v)", tt.book, tt.wager, tt.others, tt.wants, got, err)
		}
	}
}
