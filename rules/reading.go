package rules

import (
	"fmt"

	"trey/money"
	"trey/sentence"
)

// Reading is an open point of the text that has no list of values: either the
// variant states a figure or picks a table, or a close reading leaves one
// answer. It stands beside the rulings so that nobody has to look for it in
// code.
type Reading struct {
	// Key is the point's name, such as "jackpot_terms".
	Key string
	// Books maps the id of each book concerned to the clauses concerned.
	Books map[string][]string
	// Question is what the text leaves open.
	Question string
	// Stated tells that the variant states the answer; otherwise it is fixed.
	Stated bool
	answer func(*Variant) sentence.Sentence
}

// Answer says in words what is in force.
func (r *Reading) Answer(v *Variant) string { return r.answer(v).String() }

// Said is the answer as a sentence.
func (r *Reading) Said(v *Variant) sentence.Sentence { return r.answer(v) }

// always is the answer where there is no other.
func always(words string) func(*Variant) sentence.Sentence {
	return func(*Variant) sentence.Sentence { return sentence.Sentence{Form: words} }
}

var readings = []Reading{
	{
		"jackpot_terms",
		map[string][]string{"rws-3cp": {"1.15", "3.3"}},
		"What are the bet, the reset value, the rate of contribution and the ceiling of the Progressive Jackpot?",
		true,
		func(v *Variant) sentence.Sentence {
			t := v.Jackpot
			if t == nil {
				return sentence.Of("no progressive is connected")
			}
			return sentence.Of("a bet of $%s, a reset value of $%s, %d/%d of each bet to the meter, a ceiling of $%s",
				t.Bet, t.Reset, t.RateNum, t.RateDen, t.Ceiling)
		},
	},
	{
		"interruption_grace",
		map[string][]string{"rws-3cp": {"5.7"}, "mbs-3pictures": {"5.13"}},
		"How long must a stop last to affect the round?",
		true,
		func(v *Variant) sentence.Sentence {
			if v.GraceMs%1000 == 0 {
				return sentence.Of("%d seconds", v.GraceMs/1000)
			}
			return sentence.Of("%d milliseconds", v.GraceMs)
		},
	},
	{
		"six_pays_half_rounding",
		map[string][]string{"mbs-3pictures": {"4.1"}},
		"What does 1 to 2 pay on an odd amount?",
		true,
		func(v *Variant) sentence.Sentence {
			unit := max(v.Rounding.Unit, money.Minor)
			return sentence.Of("it is paid to %s, and what is less than that goes to the %s", unit, sentence.Word(v.Rounding.Favour.String()))
		},
	},
	{
		"sm_pay_tables",
		map[string][]string{"sm-3cp": {"ways.1", "ways.2"}},
		"The tables of Ante Bonus and Pair Plus are announced as attached and are not there. Which are they?",
		true,
		func(v *Variant) sentence.Sentence {
			return sentence.Of("%s %s, %s %s", AnteBonus, v.Pays[AnteBonus].oddsList(), PairPlus, v.Pays[PairPlus].oddsList())
		},
	},
	{
		"sm_bonus_table",
		map[string][]string{"sm-3cp": {"bonus.3", "bonus.4"}},
		"Four Bonus tables are printed. Which is in force?",
		true,
		func(v *Variant) sentence.Sentence {
			if name := v.Pays[Bonus].Name; name != "" {
				return sentence.Of("%s", sentence.Word(name))
			}
			return sentence.Of("%s", v.Pays[Bonus].oddsList())
		},
	},
	{
		"boxes",
		map[string][]string{"rws-3cp": {"2.1.1a"}, "mbs-3pictures": {"appendix.A"}},
		"How many boxes has the table?",
		true,
		func(v *Variant) sentence.Sentence { return sentence.Of("%d", v.Boxes) },
	},
	{
		"short_dealer_hand",
		map[string][]string{"sm-3cp": {"ways.1", "ways.2", "bonus.8"}},
		"The dealer's hand has fewer than three cards and gets no more: what can the shift manager decide?",
		false, always("a void round only: it cannot be shown or compared, and a card given later would not come from the deal"),
	},
	{
		"final_decision",
		map[string][]string{"us-3cp": {"rules.3", "rules.4", "dealing.4"}, "sm-3cp": {"ways.1"}},
		"May a player take back a fold or a Play bet?",
		false, always("no: the decision stands once it is taken, and the shift manager can undo one that was entered by mistake"),
	},
	{
		"play_unseen",
		map[string][]string{"us-3cp": {"rules.2", "rules.3"}, "sm-3cp": {"ways.1"}},
		"May a player play a hand without looking at it?",
		false, always("yes: the player may look, and need not"),
	},
	{
		"withdrawn_after_the_call",
		map[string][]string{"us-3cp": {"dealing.2"}, "sm-3cp": {"bonus.8"}},
		"A bet is taken back after the bets were closed, of which the text says only that no more are placed: is it still in the round?",
		false, always("yes: it wins or loses as it lay at the call"),
	},
	{
		"forfeit_per_box",
		map[string][]string{"us-3cp": {"dealing.1d", "dealing.4"}},
		"A player has two boxes and folds one: does the other forfeit its bets as well?",
		false, always("no: each box has its own decision"),
	},
	{
		"restricted_later",
		map[string][]string{"mbs-3pictures": {"3.8", "3.9.1"}},
		"The Pit Manager restricts a player or the wagers on an area when more lie there already: do those stand?",
		false, always("yes: they were permitted when they were placed, and the restriction holds for what comes after"),
	},
	{
		"low_wager_noticed_late",
		map[string][]string{"mbs-3pictures": {"3.4", "5.10"}},
		"A wager below the minimum is noticed after the call and before the outcome: does it stand?",
		false, always("yes: it is settled this one time, as if it had been noticed with the outcome"),
	},
	{
		"no_hand_at_a_wager",
		map[string][]string{"mbs-3pictures": {"5.6", "6.1"}},
		"A position with a wager got no hand, and cards have been handled: how is the round concluded?",
		false, always("the shift manager decides about that position: without cards it cannot be played to a conclusion"),
	},
	{
		"reconstructable_by_fact",
		map[string][]string{"rws-3cp": {"1.17", "5.8.7", "5.15"}},
		"Who says whether the cards of a wrong number can be put back?",
		false, always("the report, as a fact: unless it says that the order is lost, the order in which the cards were recorded holds"),
	},
	{
		"play_beside_excess",
		map[string][]string{"rws-3cp": {"1.12", "3.12.2", "5.1.1", "5.3.1"}},
		"An Ante above the maximum is found once the bets are closed, and the player plays: how much is the Play bet?",
		false, always("as much as lies on the Ante: of each the part above the maximum comes back"),
	},
	{
		"left_while_betting",
		map[string][]string{"rws-3cp": {"5.5"}, "us-3cp": {"rules.3", "dealing.2"}, "sm-3cp": {"ways.1"}},
		"A player leaves while bets are open and comes back before the call: is the box still folded?",
		false, always("yes: it is folded once the dealer reports that the player has left, unless the house waits for such a player"),
	},
	{
		"envy_pairplus_only",
		map[string][]string{"rws-3cp": {"4.8"}},
		"Does a box with Pair Plus alone ever bring an Envy Bonus?",
		false, always("no, by the text"),
	},
	{
		"short_play",
		map[string][]string{"rws-3cp": {"1.12", "5.3.2"}},
		"What of a Play bet found at settlement to be smaller than the Ante?",
		false, always("it is settled at its own size, where chips are found so on a physical layout; a Play bet made through the system always equals the Ante"),
	},
	{
		"excess_play",
		map[string][]string{"rws-3cp": {"1.12", "5.3.1"}},
		"What of a Play bet found to be larger than the Ante?",
		false, always("the part above the Ante goes back, and the rest counts up to the maximum"),
	},
	{
		"pairplus_after_fold",
		map[string][]string{"rws-3cp": {"3.12.1"}, "us-3cp": {"dealing.4"}, "sm-3cp": {"ways.3"}},
		"Does folding lose Pair Plus?",
		false, always("yes"),
	},
	{
		"ante_bonus_after_fold",
		map[string][]string{
			"rws-3cp": {"1.2", "3.12.1", "3.16"}, "us-3cp": {"rules.13"}, "sm-3cp": {"ways.1", "ways.3"},
		},
		"Does a folded straight or better keep its Ante Bonus?",
		false, always("no: the bonus is a payment on the Ante, and folding gives up the Ante and the cards"),
	},
	{
		"blind_box_undecided",
		map[string][]string{"rws-3cp": {"3.7", "5.5"}},
		"What of a second box that its player neither saw nor played?",
		false, always("it is folded"),
	},
	{
		"single_exposed_card",
		map[string][]string{"rws-3cp": {"5.8.2", "5.10", "5.12"}},
		"The dealer shows one card by mistake and nobody has looked at their own: which clause is it?",
		false, always("5.10: its options go to the players affected, for 5.8.2 wants two cards and 5.12 a player who has looked"),
	},
	{
		"seen_means_examined",
		map[string][]string{"rws-3cp": {"5.8.2", "5.8.6", "5.9", "5.12", "5.16"}},
		`When has a player "seen the cards distributed" to them?`,
		false, always("when somebody has examined a hand dealt to them, or a whole hand lies face up before its player; while cards are being dealt, one that was exposed to all does not count, or 5.8.2 would never apply"),
	},
	{
		"moved_hands",
		map[string][]string{"rws-3cp": {"5.8.6"}, "mbs-3pictures": {"5.4"}},
		"Does the dealer's hand count among the complete hands that may be moved to put a wrong deal right?",
		false, always("yes: it is complete, nobody has seen it, and whoever is passed over shifts it by one place"),
	},
	{
		"equal_hands",
		map[string][]string{"sm-3cp": {"ways.1"}},
		"What of hands of equal rank, when the dealer plays?",
		false, always("Ante and Play go back: they win or lose only where one hand beats the other"),
	},
	{
		"standing_players",
		map[string][]string{"us-3cp": {"dealing.1"}, "sm-3cp": {"bonus.6"}},
		"May a player who does not sit at a box bet on it?",
		false, always("no: a box is one player's, who looks at its cards and decides"),
	},
	{
		"earlier_round",
		map[string][]string{"us-3cp": {"irregularities.2"}, "sm-3cp": {"bonus.8"}},
		"An error of an earlier round is noticed when bets for the next are open: what of that round?",
		false, always("it stands: the text names nobody who decides it"),
	},
	{
		"picture_pair",
		map[string][]string{"mbs-3pictures": {"1.1.4.1"}},
		"What is a pair of picture cards?",
		false, always("two of the same rank: any other reading would leave nothing for 1.1.4.2.2 and 1.1.4.2.3"),
	},
	{
		"us_ranking",
		map[string][]string{"us-3cp": {"rules.9"}},
		"The order of hands is announced and is not there. Which is it?",
		false, always("that of the other two poker books"),
	},
	{
		"wrong_count",
		map[string][]string{"us-3cp": {"irregularities.1", "irregularities.2"}},
		"What of a hand with a wrong number of cards, any hand and any number?",
		false, always("every hand is void and the cards are reshuffled"),
	},
	{
		"dealer_wrong_count",
		map[string][]string{"mbs-3pictures": {"5.5", "5.6", "5.9"}},
		"The dealer's hand is found to have too few or too many cards after a player has looked at their own: what of the round?",
		false, always("it is void under 5.9: without a dealer's hand of three no wager can be decided, and 5.6 plays out only a deal that can be"),
	},
	{
		"blind_wrong_count",
		map[string][]string{"mbs-3pictures": {"5.5", "6.1"}},
		"A hand that nobody has looked at is found to have too few or too many cards, while another player has looked at theirs: what of it?",
		false, always("the shift manager decides: 5.5 speaks only of a hand that its player has viewed, or has open before them"),
	},
	{
		"reset_with_reserve",
		map[string][]string{"rws-3cp": {"1.15"}},
		"After a win, does what was kept above the ceiling replace part of the reset value or add to it?",
		false, always("it adds to it: the house pays in the whole reset value, and the reserve goes on top as far as the ceiling allows"),
	},
	{
		"returned_bet_contribution",
		map[string][]string{"rws-3cp": {"1.15", "5.4", "5.21"}},
		"What becomes of the contribution of a Progressive Jackpot bet that goes back to its player?",
		false, always("it is taken back, first from what overflowed since the last win, then from the meter, which never falls below the reset value for it; the house makes good the rest, and the whole if the jackpot was paid since"),
	},
	{
		"advised_low_bet",
		map[string][]string{
			"rws-3cp": {"5.2", "5.2.1"}, "us-3cp": {"amounts.ante"}, "sm-3cp": {"ways.3"}, "mbs-3pictures": {"3.4", "5.10"},
		},
		"A player was told that a bet is too low, and neither raises nor withdraws it before betting closes: what of it?",
		false, always("it goes back to the player: a low bet is settled only where the dealer did not notice it in time"),
	},
	{
		"low_wager_once",
		map[string][]string{"mbs-3pictures": {"5.10"}},
		"The round of a wager below the minimum is void, its hand is removed or it is withdrawn: was that the one time that it is settled?",
		false, always("no: 5.10 speaks of an outcome, and what went back had none"),
	},
	{
		"wrong_deal_after_payment",
		map[string][]string{"mbs-3pictures": {"1.1.3", "5.4", "5.6", "5.8"}},
		"Hands of three that were dealt to the wrong places, or a card that was exposed, are noticed after the payment: does the round stand?",
		false, always("yes: these clauses say how a round goes on, and the payment ends it; only a wrong number of cards reaches further"),
	},
	{
		"low_main_returned",
		map[string][]string{"mbs-3pictures": {"3.5", "5.10"}},
		"The only main wager of a position goes back under 5.10 at the settlement: what of the Tie and Royal Pictures wagers there?",
		false, always("they are settled: the position held a main wager when they were placed and while the hand was played"),
	},
	{
		"turned_over_later",
		map[string][]string{"mbs-3pictures": {"5.8", "5.8.1"}},
		"The first card from the shoe came out face down and was turned over by mistake later: is the round void?",
		false, always("no: 5.8.1 speaks of a card that is dealt exposed, so this one is turned back and the deal goes on, as 5.8 has it"),
	},
	{
		"sm_envy_hands",
		map[string][]string{"sm-3cp": {"bonus.3", "bonus.10c"}},
		"Which hands bring an Envy Bonus, and how much?",
		false, always("the three rows that have a sum in the printed table, at that sum whatever the bet"),
	},
	{
		"play_limits",
		map[string][]string{"us-3cp": {"amounts.ante", "amounts.play", "rules.5"}},
		"May the limits of Ante and Play differ?",
		false, always("no: a Play bet equals the Ante exactly, so the limits of the Ante are those of the Play bet"),
	},
	{
		"unequal_play",
		map[string][]string{"us-3cp": {"rules.5", "ways.3"}, "sm-3cp": {"ways.1", "ways.3"}},
		"A Play bet is found at the payment that does not equal the Ante: what of it?",
		false, always("the ruling silent_irregularity decides: the text wants it equal and says nothing of one that is not, and no command makes one"),
	},
	{
		"late_wrong_count",
		map[string][]string{"us-3cp": {"irregularities.2"}},
		"Until when does a wrong number of cards void the round?",
		false, always("until the bets of the next round are opened: the text sets no limit, and an error found after that changes nothing"),
	},
	{
		"collected_bets",
		map[string][]string{"us-3cp": {"dealing.5", "irregularities.2"}},
		"A wrong number of cards is found after the forfeited bets were collected: what of them?",
		false, always("they go back as well: all hands are void, and a folded hand is one of them"),
	},
	{
		"exposed_card",
		map[string][]string{"us-3cp": {"dealing.3", "irregularities.2"}},
		"A card is exposed by mistake, such as the bottom card: what of the round?",
		false, always("the ruling silent_irregularity decides: the text forbids it and attaches nothing to it"),
	},
	{
		"foreign_card",
		map[string][]string{"us-3cp": {"equipment.cards"}},
		"A card of the other deck, or any foreign card, is found: what of the round?",
		false, always("the ruling silent_irregularity decides: the text names the two decks and no consequence"),
	},
	{
		"dealing_device",
		map[string][]string{"us-3cp": {"dealing.2", "dealing.3"}},
		"What are the cards dealt from?",
		false, always("a shuffler, or the dealer's hand, in packets of three: the text names no device and has stacks dispensed, which a shoe does not do"),
	},
	{
		"card_irregularities",
		map[string][]string{"sm-3cp": {"intro", "bonus.8"}},
		"A hand has a wrong number of cards, a card is exposed, dealt wrongly or foreign: what of the round?",
		false, always("the ruling silent_irregularity decides: bonus.8 refers to the house's procedures, and the text has none of them"),
	},
	{
		"envy_without_bonus",
		map[string][]string{"sm-3cp": {"bonus.10b", "bonus.10c"}},
		"Does a hand without a Bonus bet bring the others an Envy Bonus?",
		false, always("yes: bonus.10c asks for the bet only of the players who are paid"),
	},
	{
		"lammer_without_envy",
		map[string][]string{"sm-3cp": {"bonus.4", "bonus.7"}},
		"Is an Envy lammer placed under a pay table without Envy Bonus?",
		false, always("no: it marks a claim to an Envy Bonus, and these tables pay none"),
	},
	{
		"envy_lammer",
		map[string][]string{"sm-3cp": {"bonus.7", "bonus.9a"}},
		"What is the marker beside a Bonus bet here?",
		false, always("a mark on the screen beside the bet until every Bonus bet is settled"),
	},
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

// Readings lists the open points of the book that have no list of values.
func (b *Book) Readings() []*Reading {
	var open []*Reading
	for i := range readings {
		if _, ok := readings[i].Books[b.ID]; ok {
			open = append(open, &readings[i])
		}
	}
	return open
}
