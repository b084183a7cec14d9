package rules

import (
	"fmt"
	"slices"

	"trey/money"
	"trey/sentence"
)

// Reading is an open point of the text that has no list of values. Either the variant states a
// figure or picks a table, or a close reading leaves one answer. It is documented beside the
// rulings, and not in code alone.
type Reading struct {
	// Key is the point's name, such as "jackpot_terms".
	Key string
	// Clauses are those of the book that the point concerns.
	Clauses []string
	// Question is what the text leaves open.
	Question string
	// Fixed is the one answer; empty where the variant states it.
	Fixed string
}

// Stated reports whether the variant states the answer; otherwise it is fixed.
func (r Reading) Stated() bool { return r.Fixed == "" }

// Answer returns what is in force, in words.
func (r Reading) Answer(v *Variant) string { return r.Sentence(v).String() }

// Sentence returns the answer as a sentence.
func (r Reading) Sentence(v *Variant) sentence.Sentence {
	if answer := stated[r.Key]; answer != nil {
		return answer(v)
	}
	return sentence.Sentence{Form: r.Fixed}
}

// Read returns a reading that any book can have, by its key, with the clauses of the book
// that it concerns. A reading of one book alone is written out there.
func Read(key string, clauses ...string) Reading {
	i := slices.IndexFunc(readings, func(r Reading) bool { return r.Key == key })
	if i < 0 {
		panic("rules: there is no reading " + key + ": write it out in the book, or add it to the readings that books share")
	}
	r := readings[i]
	r.Clauses = clauses
	return r
}

// readings are those that books share, and those whose answer a variant states.
var readings = []Reading{
	{Key: "jackpot_terms", Question: "What are the bet, the reset value, the rate of contribution and the ceiling of the Progressive Jackpot?"},
	{Key: "interruption_grace", Question: "How long must a stop last to affect the round?"},
	{Key: "six_pays_half_rounding", Question: "What does 1 to 2 pay on an odd amount?"},
	{Key: "sm_pay_tables", Question: "The tables of Ante Bonus and Pair Plus are announced as attached and are not there. Which are they?"},
	{Key: "sm_bonus_table", Question: "Four Bonus tables are printed. Which is in force?"},
	{Key: "boxes", Question: "How many boxes has the table?"},
	{
		Key:      "final_decision",
		Question: "May a player take back a fold or a Play bet?",
		Fixed:    "no: the decision stands once it is taken, and the shift manager can undo one that was entered by mistake",
	},
	{
		Key:      "play_unseen",
		Question: "May a player play a hand without looking at it?",
		Fixed:    "yes: the player may look, and need not",
	},
	{
		Key:      "withdrawn_after_the_call",
		Question: "A bet is taken back after the bets were closed, and the text does not say what becomes of it: is it still in the round?",
		Fixed:    "yes: it wins or loses as it lay at the call",
	},
	{
		Key:      "left_while_betting",
		Question: "A player leaves while bets are open and comes back before the call: is the box still folded?",
		Fixed:    "yes: it is folded once the dealer reports that the player has left, unless the house waits for such a player",
	},
	{
		Key:      "pairplus_after_fold",
		Question: "Does folding lose Pair Plus?",
		Fixed:    "yes",
	},
	{
		Key:      "ante_bonus_after_fold",
		Question: "Does a folded straight or better keep its Ante Bonus?",
		Fixed:    "no: the bonus is a payment on the Ante, and folding gives up the Ante and the cards",
	},
	{
		Key:      "moved_hands",
		Question: "Does the dealer's hand count among the complete hands that may be moved to put a wrong deal right?",
		Fixed:    "yes: it is complete, nobody has seen it, and whoever is passed over shifts it by one place",
	},
	{
		Key:      "standing_players",
		Question: "May a player who does not sit at a box bet on it?",
		Fixed:    "no: a box is one player's, who looks at its cards and decides",
	},
	{
		Key:      "earlier_round",
		Question: "An error of an earlier round is noticed when bets for the next are open: what of that round?",
		Fixed:    "it stands: the text names nobody who decides it",
	},
	{
		Key:      "advised_low_bet",
		Question: "A player was told that a bet is too low, and neither raises nor withdraws it before betting closes: what of it?",
		Fixed:    "it goes back to the player: every bet has to lie within the limits, and this one was noticed in time",
	},
	{
		Key:      "order_of_boxes",
		Question: "The text does not say with which box the payment begins. In which order are the boxes paid?",
		Fixed:    "from the dealer's left, as the cards are dealt",
	},
	{
		Key:      "unequal_play",
		Question: "A Play bet is found at the payment that does not equal the Ante: what of it?",
		Fixed:    "the ruling silent_irregularity decides: the text wants it equal and says nothing of one that is not, and no command makes one",
	},
}

// stated says what a variant has in force, by the key of the reading.
var stated = map[string]func(*Variant) sentence.Sentence{
	"jackpot_terms": func(v *Variant) sentence.Sentence {
		t := v.Jackpot
		if t == nil {
			return sentence.Of("no progressive is connected")
		}
		return sentence.Of("a bet of $%s, a reset value of $%s, %d/%d of each bet to the meter, a ceiling of $%s",
			t.Bet, t.Reset, t.RateNum, t.RateDen, t.Ceiling)
	},
	"interruption_grace": func(v *Variant) sentence.Sentence {
		if v.GraceMs%1000 == 0 {
			return sentence.Of("%d seconds", v.GraceMs/1000)
		}
		return sentence.Of("%d milliseconds", v.GraceMs)
	},
	"six_pays_half_rounding": func(v *Variant) sentence.Sentence {
		unit := max(v.Rounding.Unit, money.Minor)
		return sentence.Of("it is paid to %s, and what is less than that goes to the %s", unit, sentence.Word(v.Rounding.Favour.String()))
	},
	"sm_pay_tables": func(v *Variant) sentence.Sentence {
		return sentence.Of("%s %s, %s %s", AnteBonus, v.Pays[AnteBonus].oddsList(), PairPlus, v.Pays[PairPlus].oddsList())
	},
	"sm_bonus_table": func(v *Variant) sentence.Sentence {
		if name := v.Pays[Bonus].Name; name != "" {
			return sentence.Of("%s", sentence.Word(name))
		}
		return sentence.Of("%s", v.Pays[Bonus].oddsList())
	},
	"boxes": func(v *Variant) sentence.Sentence { return sentence.Of("%d", v.Boxes) },
}

// oddsList writes the pays of a table that pays odds, best hand first, such as
// "5-4-1".
func (t *PayTable) oddsList() string {
	list := ""
	for i := range t.Rows {
		if i > 0 {
			list += "-"
		}
		list += fmt.Sprint(t.Rows[i].Pay.Odds.To)
	}
	return list
}
