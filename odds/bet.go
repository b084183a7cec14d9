package odds

import (
	"trey/internal/enum"
	"trey/rules"
)

// Bet is a wager as it is analysed. Ante, Play and Ante Bonus are one, for
// none of them is made alone and one decision settles all three.
type Bet uint8

// The bets of all books. The zero value is none of them.
const (
	_ Bet = iota
	AntePlay
	PairPlus
	Progressive
	Bonus
	Main
	Tie
	RoyalPictures
	numBets
)

var betKeys = enum.New("a bet", numBets, []string{
	AntePlay: "ante-play", PairPlus: "pair-plus", Progressive: "progressive", Bonus: "bonus",
	Main: "main", Tie: "tie", RoyalPictures: "royal-pictures",
})

// betRules says of each bet how it is called and which wager holds its stake.
var betRules = [numBets]struct {
	name  string
	stake rules.Wager
}{
	AntePlay:      {"Ante and Play", rules.Ante},
	PairPlus:      {"Pair Plus", rules.PairPlus},
	Progressive:   {"Progressive Jackpot", rules.Progressive},
	Bonus:         {"Bonus", rules.Bonus},
	Main:          {"Main", rules.Main},
	Tie:           {"Tie", rules.Tie},
	RoyalPictures: {"Royal Pictures", rules.RoyalPictures},
}

// betOf returns the bet to which a settlement line belongs. Envy has none of its own:
// it is part of the bet whose holders receive it.
var betOf = map[rules.Wager]Bet{
	rules.Ante: AntePlay, rules.Play: AntePlay, rules.AnteBonus: AntePlay,
	rules.PairPlus: PairPlus, rules.Progressive: Progressive, rules.Bonus: Bonus,
	rules.Main: Main, rules.Tie: Tie, rules.RoyalPictures: RoyalPictures,
}

// String returns the bet's key, such as "ante-play".
func (b Bet) String() string { return betKeys.Key(b) }

// Name returns the bet's name for people, such as "Ante and Play".
func (b Bet) Name() string {
	if b == 0 || b >= numBets {
		return "Unknown bet"
	}
	return betRules[b].name
}

// Wager returns the wager that holds the bet's stake: Ante for AntePlay.
func (b Bet) Wager() rules.Wager {
	if b >= numBets {
		return 0
	}
	return betRules[b].stake
}

// ParseBet reads a bet's key. The error lists the keys there are.
func ParseBet(s string) (Bet, error) { return betKeys.Parse(s) }

// MarshalText writes the bet's key, so that a map by bets has the keys of the
// JSON report.
func (b Bet) MarshalText() ([]byte, error) { return betKeys.Marshal(b) }

// UnmarshalText reads a bet's key.
func (b *Bet) UnmarshalText(text []byte) error { return betKeys.Unmarshal(b, text) }

// Decided reports whether every hand on which the bet lies is played or folded: the decision
// is about this stake, or the bet needs that stake beside it. Pair Plus that may be bet alone
// is not decided, for a hand with nothing else is never folded.
func (b Bet) Decided(v *rules.Variant) bool {
	decision, rule := v.Book.Decision, v.Book.Rule(b.Wager())
	return decision != nil && rule != nil && (rule.Wager == decision.On || v.Needs(rule).Wager == decision.On)
}

// Bets lists the bets that a variant offers, in the order of its book. A
// progressive without terms is not offered.
func Bets(v *rules.Variant) []Bet {
	var bets []Bet
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		if w == rules.Progressive && v.Jackpot == nil {
			continue
		}
		for b := AntePlay; b < numBets; b++ {
			if betRules[b].stake == w {
				bets = append(bets, b)
			}
		}
	}
	return bets
}
