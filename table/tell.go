package table

import (
	"fmt"
	"strings"

	"trey/card"
	"trey/rules"
)

// Tell says in words what an event was, one sentence a line without a newline at
// the end. The state is the one after the event; it lends its book's names and
// clauses and nothing else, so that a redacted event tells no more than it
// holds.
func Tell(e Event, s State) string {
	t := teller{book: s.book()}
	switch e := e.(type) {
	case Announced:
		t.say("Dealer: %q%s", e.Text, cited(e.Clause))
	case TableOpened:
		t.say("The table is open.")
	case TableClosed:
		t.say("The table is closed%s.", t.by(e.Clause))
	case BetsOpened:
		t.say("Round %d begins.", e.Round)
	case BetPlaced:
		t.say("%s bets %s on %s at box %d%s.", e.Player, e.Amount.Display(), e.Wager.Name(), e.Box, t.placedBy(e))
	case BetsReturned:
		t.lines(e.Lines)
	case StakeFound:
		t.say("%s's %s at box %d is found to be %s%s.", e.Player, e.Wager.Name(), e.Box, e.Amount.Display(), t.by(e.Clause))
	case MinimumAdvised:
		t.say("%s is told that %s at box %d must be at least %s, or be taken back%s.",
			e.Player, e.Wager.Name(), e.Box, e.Minimum.Display(), t.by(e.Clause))
	case BetsClosed:
		t.say("The bets are closed.")
	case CardsDealt:
		t.say("Dealt: %s.", dealt(e.Cards))
	case CardsDrawn:
		t.say("Drawn together: %s. Their order is still to be decided.", listed(e.Cards))
	case DealFinished:
		t.say("The deal ends as the cards lie.")
	case HandExamined:
		t.say("%s examines the hand at box %d.", e.Player, e.Box)
	case HandRaised:
		t.say("%s plays box %d with %s on %s.", e.Player, e.Box, e.Amount.Display(), e.Wager.Name())
	case HandFolded:
		t.say("%s's box %d is folded%s.", e.Player, e.Box, t.by(e.Clause))
	case HandShown:
		t.say("%s shows %s: %s%s.", capital(e.Place.words()), e.Hand, t.named(e.Hand), t.by(e.Clause))
	case DealerShown:
		t.say("The dealer shows %s: %s%s.", e.Hand, t.named(e.Hand), t.qualified(e.Qualifies))
	case Settled:
		t.lines(e.Lines)
		if e.Meter != 0 {
			t.say("The jackpot was paid from a meter of %s.", e.Meter.Display())
		}
		t.say("The round is settled.")
	case Reported:
		t.say("Reported: %s. %s%s.", happened(&e.Report), outcomeWords[e.Outcome], t.by(e.Clause))
	case CardsExposed:
		t.say("Everybody has seen %s.", listed(e.Cards))
	case CardsMoved:
		t.say("Cards are moved to where they were meant to lie%s: %s.", t.by(e.Clause), moved(e.Moves))
	case RoundVoided:
		t.say("The round is void%s.", t.by(e.Clause))
		t.lines(e.Lines)
	case HandInvalidated:
		t.say("The hand at box %d leaves the round%s.", e.Box, t.by(e.Clause))
		t.lines(e.Lines)
	case QuestionAsked:
		t.say("Question for the %s%s: %s%s", e.Question.Role, t.by(e.Question.Clause), e.Question.Ask, choices(e.Question.Answers))
	case QuestionAnswered:
		t.say("%s, %s, answers %q%s%s.", e.By.Name, e.By.Role, e.Answer, numbered(e.Order), t.by(e.Clause))
	case OffersMade:
		for i := range e.Offers {
			t.offer(&e.Offers[i])
		}
	case OfferAnswered:
		t.answered(e)
	case PlayerWarned:
		t.say("A bet of %s's below the minimum was settled this once; later ones go back%s.", e.Player, t.by(e.Clause))
	case PlayerRestricted:
		if e.Lift {
			t.say("%s may bet on several positions again%s.", e.Player, t.by(e.Clause))
		} else {
			t.say("%s is held to one position%s.", e.Player, t.by(e.Clause))
		}
	case AreasRestricted:
		if e.Max == 0 {
			t.say("A betting area takes as many wagers as the book permits again%s.", t.by(e.Clause))
		} else {
			t.say("A betting area takes %d at most%s.", e.Max, t.by(e.Clause))
		}
	case ProgressiveFailed:
		t.say("The progressive is out of order; it had registered %s%s.", e.Registered.Display(), t.by(e.Clause))
	case ProgressiveSuspended:
		t.say("While the progressive is out of order, %s%s.", suspended(e), t.by(e.Clause))
	case ProgressiveRestored:
		t.say("The progressive is in order again.")
	}
	return strings.Join(t.told, "\n")
}

// teller gathers the sentences about one event.
type teller struct {
	book *rules.Book
	told []string
}

func (t *teller) say(format string, args ...any) {
	t.told = append(t.told, fmt.Sprintf(format, args...))
}

// by cites a clause of the book, or nothing.
func (t *teller) by(clause string) string { return cited(t.book.ClauseRef(clause)) }

func cited(ref string) string {
	if ref == "" {
		return ""
	}
	return " (" + ref + ")"
}

func (t *teller) placedBy(e BetPlaced) string {
	words := ""
	if e.Standing {
		words = ", standing"
	}
	if e.EnteredBy != "" {
		words += ", placed for the player by " + e.EnteredBy + t.by(e.Clause)
	}
	return words
}

func (t *teller) named(h card.Hand) string {
	if !h.Valid() {
		return "not known"
	}
	return t.book.Ranking.Describe(h)
}

func (t *teller) qualified(qualifies bool) string {
	switch {
	case t.book.Qualify == nil:
		return ""
	case qualifies:
		return ", which qualifies" + t.by(t.book.Qualify.Clause)
	}
	return ", which does not qualify" + t.by(t.book.Qualify.Clause)
}

// lines tells how wagers ended, one a line.
func (t *teller) lines(lines []Line) {
	for i := range lines {
		t.line(&lines[i])
	}
}

func (t *teller) line(l *Line) {
	stake := ""
	if l.Stake != 0 {
		stake = " " + l.Stake.Display()
	}
	combo := ""
	if l.Combo > rules.AnyHand {
		combo = " with " + l.Combo.Name()
	}
	ending := ""
	switch l.Result {
	case rules.Win:
		ending = " wins " + l.Pays.Display() + combo + whatReturns(l)
	case rules.Lose:
		ending = " loses" + whatReturns(l)
	case rules.Push:
		ending = " stands off and goes back"
	case rules.GivenBack:
		ending = " goes back"
	}
	if l.Reverses != 0 {
		ending += ", and the " + l.Reverses.Display() + " paid for it is collected again"
	}
	t.say("Box %d, %s: %s%s%s%s.", l.Box, l.Player, l.Wager.Name(), stake, ending, t.by(l.Clause))
}

// whatReturns tells of a stake that does not go the usual way: one that the
// house keeps though the wager won, or a part that was never at risk.
func whatReturns(l *Line) string {
	switch {
	case l.Excess != 0:
		return fmt.Sprintf("; %s of the stake lay above what counts and goes back", l.Excess.Display())
	case l.Result == rules.Win && l.Stake != 0 && l.Returned == l.Pays:
		return "; the house keeps the stake"
	}
	return ""
}

func (t *teller) offer(o *Offer) {
	switch {
	case o.Box == 0:
		t.say("%s may take all his wagers back%s.", o.Player, t.by(o.Clause))
	case o.Restored:
		t.say("%s may go on with the hand at box %d, its cards put in order, or have the bets back%s.", o.Player, o.Box, t.by(o.Clause))
	default:
		t.say("%s may go on with the hand at box %d or have the bets back%s.", o.Player, o.Box, t.by(o.Clause))
	}
}

func (t *teller) answered(e OfferAnswered) {
	who := e.Player
	if e.Unanswered {
		who += " does not answer and so"
	}
	switch {
	case e.Return && e.Box == 0:
		t.say("%s takes all wagers back%s.", who, t.by(e.Clause))
	case e.Return:
		t.say("%s has the bets at box %d back%s.", who, e.Box, t.by(e.Clause))
	case e.Box == 0:
		t.say("%s goes on%s.", who, t.by(e.Clause))
	default:
		t.say("%s goes on with box %d%s.", who, e.Box, t.by(e.Clause))
	}
}

// dealt lists cards in the order in which they came, those to one place
// together: "box 1 Qh 6d 4c, dealer Kd 9c 2s".
func dealt(cards []Dealt) string {
	var b strings.Builder
	for i, c := range cards {
		if i == 0 || cards[i-1].Place != c.Place {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(c.Place.String())
		}
		b.WriteString(" " + c.Card.String())
		if c.FaceUp {
			b.WriteString(" face up")
		}
		if c.Meant != c.Place {
			b.WriteString(" (meant for " + c.Meant.words() + ")")
		}
	}
	return b.String()
}

func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func listed(cards []card.Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = c.String()
	}
	return strings.Join(words, " ")
}

func moved(moves []Move) string {
	words := make([]string, len(moves))
	for i, m := range moves {
		words[i] = fmt.Sprintf("card %d to %s", m.Slot+1, m.To.words())
	}
	return strings.Join(words, ", ")
}

func choices(answers []rules.Answer) string {
	if len(answers) == 0 {
		return ""
	}
	words := make([]string, len(answers))
	for i := range answers {
		words[i] = answers[i].Key
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func numbered(order []int) string {
	if len(order) == 0 {
		return ""
	}
	return ", in the order " + positions(order)
}

func suspended(e ProgressiveSuspended) string {
	switch e.Option {
	case CloseTableOption:
		return "the table is closed"
	case WithoutBoxes:
		return "no bets are taken on " + countedBoxes("box", "boxes", e.Boxes)
	case WithoutProgressive:
		return "no Progressive Jackpot bets are accepted or paid"
	}
	return "nothing is decided"
}

var incidentWords = map[rules.Incident]string{
	rules.ForeignCard:           "a card that does not belong to the deck",
	rules.DeckCount:             "the deck was counted",
	rules.InsufficientCards:     "too few cards to complete the round",
	rules.Unshuffled:            "the cards were not shuffled",
	rules.CardExposed:           "a card was exposed by mistake",
	rules.CardFaceUp:            "a card lay face up in the device",
	rules.DrawnTogether:         "cards were drawn together",
	rules.DealtIncorrectly:      "cards were dealt to the wrong places",
	rules.WrongCount:            "a hand has a wrong number of cards",
	rules.BurnMissed:            "the burn card was not discarded",
	rules.DealingError:          "an error in the deal",
	rules.CountDoubted:          "the number of cards is doubted",
	rules.SecondHand:            "a player examined an additional hand",
	rules.WalkedAway:            "a player walked away",
	rules.LateBet:               "a bet was placed or increased too late",
	rules.LateWithdrawal:        "a bet was taken back too late",
	rules.ProgressiveDown:       "the progressive is out of order",
	rules.TechnicalInterruption: "a technical interruption",
	rules.Uncovered:             "something that the rules do not provide for",
}

var outcomeWords = map[rules.Outcome]string{
	rules.Continue:           "The round goes on",
	rules.Void:               "The round is to be void",
	rules.TurnDown:           "The card is turned face down and the round goes on",
	rules.MoveHands:          "Whole hands are moved to where they belong",
	rules.Invalidate:         "The hand leaves the round",
	rules.OfferAffected:      "The players concerned may choose",
	rules.OfferAll:           "Every player may choose",
	rules.OfferWithdrawal:    "Every player may take his wagers back",
	rules.Ask:                "Somebody has to decide",
	rules.FoldUndecidedHands: "Hands not yet decided are folded, all other bets are settled",
	rules.KeepRegistered:     "The round goes on, with the jackpot as it was registered",
	rules.CountCards:         "The cards are counted",
	rules.RestoreAndOfferAll: "The cards are put in order and every player may choose",
	rules.NotHonoured:        "The bet is not honoured",
	rules.TakeBack:           "The player takes his wagers back",
	rules.Stands:             "Bets and results stand as they are",
}

// happened says what a report reports, with the particulars that it gives.
func happened(r *Report) string {
	words := []string{incidentWords[r.Incident]}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if r.Round != 0 {
		add("in round %d", r.Round)
	}
	if r.Dealer {
		add("at the dealer's hand")
	}
	if r.Box != 0 {
		add("at box %d", r.Box)
	}
	if len(r.Boxes) > 0 {
		add("at %s", countedBoxes("box", "boxes", r.Boxes))
	}
	if r.Player != "" {
		add("by %s", r.Player)
	}
	if r.Wager != 0 {
		add("on %s", r.Wager.Name())
	}
	if r.Amount != 0 {
		add("of %s", r.Amount.Display())
	}
	for _, c := range r.Cards {
		if c.At == 0 {
			add("%s", c.Card)
		} else {
			add("%s at %s", c.Card, c.At.words())
		}
	}
	if r.Count != 0 {
		add("%d cards", r.Count)
	}
	if r.OrderLost {
		add("in an order that is not known")
	}
	if r.LastedMs != 0 {
		add("for %s s", seconds(r.LastedMs))
	}
	if r.Meter != 0 {
		add("with the jackpot at %s", r.Meter.Display())
	}
	if r.Note != "" {
		add("note: %s", r.Note)
	}
	return strings.Join(words, ", ")
}

func seconds(ms int64) string {
	// Milliseconds to seconds without a float, as thousandths.
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", ms/1000, ms%1000), "0"), ".")
}
