package table

import (
	"fmt"
	"slices"
	"strings"

	"trey/card"
	"trey/rules"
	"trey/sentence"
)

// Text says in words what an event was, one sentence a line without a newline at
// the end. The state is the one after the event; it lends its book's names and
// clauses and nothing else, so that a redacted event tells no more than it
// holds.
func Text(e Event, s State) string {
	all := Sentences(e, s)
	text := make([]byte, 0, 64*len(all)) // bytes; about what they come to
	for i := range all {
		if i > 0 {
			text = append(text, '\n')
		}
		text = all[i].Append(text)
	}
	return string(text)
}

// Sentences returns the text of [Tell] as sentences with their values kept apart.
func Sentences(e Event, s State) []sentence.Sentence {
	t := eventSentences{book: s.book()}
	switch e := e.(type) {
	case Announced:
		t.add("Dealer: \"%s\"%s", e.Sentence(s), t.by(e.Clause))
	case TableOpened:
		t.add("The table is open.")
	case TableClosed:
		t.add("The table is closed%s.", t.by(e.Clause))
	case BetsOpened:
		t.add("Round %d begins.", e.Round)
	case BetPlaced:
		t.add("%s bets %s on %s at box %d%s.", e.Player, e.Amount, e.Wager, e.Box, t.placedBy(e))
	case BetsReturned:
		t.lines(e.Lines)
	case StakeFound:
		t.add("%s's %s at box %d is found to be %s%s.", e.Player, e.Wager, e.Box, e.Amount, t.by(e.Clause))
	case MinimumAdvised:
		t.add("%s is told that %s at box %d must be at least %s, or be taken back%s.",
			e.Player, e.Wager, e.Box, e.Minimum, t.by(e.Clause))
	case BetsClosed:
		t.add("The bets are closed.")
	case CardsDealt:
		t.add("Dealt: %s.", dealt(e.Cards))
	case CardsDrawn:
		t.add("Drawn together: %s. Their order is still to be decided.", listed(e.Cards))
	case DealFinished:
		if e.Hand != 0 {
			t.add("No more cards come to %s.", e.Hand.Sentence())
		} else {
			t.add("The deal ends as the cards lie.")
		}
	case HandExamined:
		t.add("%s examines the hand at box %d.", e.Player, e.Box)
	case HandRaised:
		t.add("%s plays box %d with %s on %s.", e.Player, e.Box, e.Amount, e.Wager)
	case HandFolded:
		t.add("%s's box %d is folded%s.", e.Player, e.Box, t.by(e.Clause))
	case ForfeitsCollected:
		t.add("The dealer collects the forfeited bets%s.", t.by(e.Clause))
		t.lines(e.Lines)
	case HandShown:
		t.add("%s shows %s: %s%s.", opening(e.Place), listed(e.Hand[:]), t.named(e.Hand), t.by(e.Clause))
	case HandKeptDown:
		t.add("The hand at box %d stays face down%s.", e.Box, t.by(e.Clause))
	case DealerShown:
		laid := Arranged(t.book, DealerHand, e.Hand)
		t.add("The dealer shows %s: %s%s.", listed(laid[:]), t.named(e.Hand), t.qualified(e.Qualifies))
	case Settled:
		t.lines(e.Lines)
		if e.Meter != 0 {
			t.add("The jackpot was paid from a meter of %s.", e.Meter)
		}
		t.add("The round is settled.")
	case BoxSettled:
		t.lines(e.Lines)
		if e.Meter != 0 {
			t.add("The jackpot was paid from a meter of %s.", e.Meter)
		}
		t.add("Box %d is settled.", e.Box)
	case SettlementUndone:
		t.add("The settlement of box %d is undone%s.", e.Box, t.by(e.Clause))
		for i := range e.Lines {
			t.corrected(&e.Lines[i])
		}
		for _, l := range e.Stakes {
			t.add("%s's %s of %s lies on box %d again.", l.Player, l.Wager, l.Amount, e.Box)
		}
	case Reported:
		if r := &e.Report; e.Outcome == rules.PayDifference {
			t.add("%s was given %s for %s on box %d, which brought %s.", r.Player, r.Amount, r.Wager, r.Box, e.Due)
		}
		t.add("Reported: %s. %s%s.", happened(&e.Report), sentence.Word(outcomeWords[e.Outcome]), t.by(e.Clause))
	case CardsExposed:
		if e.Corrected {
			t.add("Cards that lie open were entered wrongly: they are %s.", listed(e.Cards))
		} else {
			t.add("Everybody has seen %s.", listed(e.Cards))
		}
	case CardsMoved:
		if e.Clause == "" { // the record is put right, and no card is touched
			t.add("The record of where cards lie is corrected: %s.", moved(e.Moves))
		} else {
			t.add("Cards are moved to where they were meant to lie%s: %s.", t.by(e.Clause), moved(e.Moves))
		}
	case RoundVoided:
		t.add("The round is void%s.", t.by(e.Clause))
		t.lines(e.Lines)
	case HandInvalidated:
		t.add("The hand at box %d leaves the round%s.", e.Box, t.by(e.Clause))
		t.lines(e.Lines)
	case QuestionAsked:
		switch f := e.Question.Found; {
		case f == (Found{}):
		case t.book.Rule(f.Wager).Stake == rules.EqualToBasis:
			t.add("It is said that %s's %s at box %d was %s when the hand was played.", f.Player, f.Wager, f.Box, f.Amount)
		default:
			t.add("It is said that %s's %s at box %d was %s when the bets were closed.", f.Player, f.Wager, f.Box, f.Amount)
		}
		t.add("Question for the %s%s: %s%s", e.Question.Role, t.by(e.Question.Clause), sentence.Word(e.Question.Ask(t.book)), choices(e.Question.Answers))
	case QuestionAnswered:
		t.add("%s, %s, answers \"%s\"%s%s.", e.By.Name, e.By.Role, sentence.Word(e.Answer), numbered(e.Order), t.by(e.Clause))
		for i := range e.Remedies {
			t.remedy(i+1, &e.Remedies[i])
		}
	case DecisionRestored:
		t.add("Box %d of %s was %s by mistake and is undecided again%s.", e.Box, e.Player, sentence.Word(e.Was.String()), t.by(e.Clause))
		t.lines(e.Lines)
	case PaymentCorrected:
		for i := range e.Lines {
			t.corrected(&e.Lines[i])
		}
	case OffersMade:
		for i := range e.Offers {
			t.offer(&e.Offers[i])
		}
	case OfferAnswered:
		t.answered(e)
	case PlayerWarned:
		t.add("A bet of %s's below the minimum was settled this once; later ones go back%s.", e.Player, t.by(e.Clause))
	case PlayerRestricted:
		if e.Lift {
			t.add("%s may bet on several positions again%s.", e.Player, t.by(e.Clause))
		} else {
			t.add("%s is held to one position%s.", e.Player, t.by(e.Clause))
		}
	case AreasRestricted:
		if e.Max == 0 {
			t.add("A betting area takes as many wagers as the book permits again%s.", t.by(e.Clause))
		} else {
			t.add("A betting area takes %d at most%s.", e.Max, t.by(e.Clause))
		}
	case ProgressiveFailed:
		if e.Registered == 0 {
			t.add("The progressive is out of order at this table%s.", t.by(e.Clause))
		} else {
			t.add("The progressive is out of order; it had registered %s%s.", e.Registered, t.by(e.Clause))
		}
	case ProgressiveSuspended:
		t.add("While the progressive is out of order, %s%s.", suspended(e), t.by(e.Clause))
	case ProgressiveRestored:
		t.add("The progressive is in order again.")
	}
	return t.sentences
}

// Heading returns what Sentences does without the settlement lines, for callers that show those in
// another way.
func Heading(e Event, s State) []sentence.Sentence {
	switch with := e.(type) {
	case BetsReturned:
		with.Lines = nil
		e = with
	case ForfeitsCollected:
		with.Lines = nil
		e = with
	case Settled:
		with.Lines = nil
		e = with
	case BoxSettled:
		with.Lines = nil
		e = with
	case SettlementUndone:
		with.Lines = nil
		e = with
	case RoundVoided:
		with.Lines = nil
		e = with
	case HandInvalidated:
		with.Lines = nil
		e = with
	case DecisionRestored:
		with.Lines = nil
		e = with
	default:
	}
	return Sentences(e, s)
}

// eventSentences gathers the sentences about one event.
type eventSentences struct {
	book      *rules.Book
	sentences []sentence.Sentence
}

func (t *eventSentences) add(form string, args ...any) {
	t.sentences = append(t.sentences, sentence.Of(form, args...))
}

// by cites a clause of the book or a ruling, or nothing.
func (t *eventSentences) by(clause string) sentence.Sentence {
	return cited(t.book.ClauseRef(clause))
}

// nothing is the empty part of a sentence.
var nothing sentence.Sentence

func cited(ref string) sentence.Sentence {
	if ref == "" {
		return nothing
	}
	_, id, _ := strings.Cut(ref, " ")
	if r, ruled := rules.CitedRuling(id); ruled {
		return sentence.Of(" (ruling %s)", r.String())
	}
	return sentence.Of(" (%s)", ref)
}

func (t *eventSentences) placedBy(e BetPlaced) sentence.Sentence {
	standing := nothing
	if e.Standing {
		standing = sentence.Of(", standing")
	}
	if e.EnteredBy == "" {
		return standing
	}
	return sentence.Of("%s, placed for the player by %s%s", standing, e.EnteredBy, t.by(e.Clause))
}

// named returns the name of a hand: "High card Q-6-4", "Double Picture Nine".
func (t *eventSentences) named(h card.Hand) sentence.Sentence {
	if !h.Valid() {
		return sentence.Of("not known")
	}
	name := t.book.Ranking.Describe(h)
	if at := strings.LastIndexByte(name, ' '); at >= 0 && strings.ContainsRune(name[at:], '-') {
		return sentence.Of("%s %s", sentence.Word(name[:at]), name[at+1:])
	}
	return sentence.Of("%s", sentence.Word(name))
}

func (t *eventSentences) qualified(qualifies bool) sentence.Sentence {
	switch {
	case t.book.Qualify == nil:
		return nothing
	case qualifies:
		return sentence.Of(", which qualifies%s", t.by(t.book.Qualify.Clause))
	}
	return sentence.Of(", which does not qualify%s", t.by(t.book.Qualify.Clause))
}

// lines adds the results of wagers, one a line.
func (t *eventSentences) lines(lines []Line) {
	t.sentences = slices.Grow(t.sentences, len(lines)+1) // and what is said behind them
	for i := range lines {
		t.line(&lines[i])
	}
}

func (t *eventSentences) line(l *Line) {
	stake, combo, ending, again := nothing, nothing, nothing, nothing
	if l.Stake != 0 {
		stake = sentence.Of(" %s", l.Stake)
	}
	if l.Combo > rules.AnyHand {
		combo = sentence.Of(" with %s", l.Combo)
	}
	switch l.Result {
	case rules.Win:
		ending = sentence.Of(" wins %s%s%s", l.Pays, combo, whatReturns(l))
	case rules.Lose:
		ending = sentence.Of(" loses%s", whatReturns(l))
	case rules.Push:
		ending = sentence.Of(" neither wins nor loses and goes back")
	case rules.GivenBack:
		ending = sentence.Of(" goes back")
	}
	if l.Reverses != 0 {
		again = sentence.Of(", and the %s paid for it is collected again", l.Reverses)
	}
	t.add("Box %d, %s: %s%s%s%s%s.", l.Box, l.Player, l.Wager, stake, ending, again, t.by(l.Clause))
}

// corrected adds the difference that was awarded or collected.
func (t *eventSentences) corrected(l *Line) {
	if l.Reverses != 0 {
		t.add("Box %d, %s: %s of what %s brought is collected again%s.", l.Box, l.Player, l.Reverses, l.Wager, t.by(l.Clause))
		return
	}
	t.add("Box %d, %s: %s on %s is awarded%s.", l.Box, l.Player, l.Pays, l.Wager, t.by(l.Clause))
}

// remedy adds the decision of a person; the events after it say how it was carried out.
func (t *eventSentences) remedy(n int, a *Remedy) {
	why := nothing
	if a.Reason != "" {
		why = sentence.Of(": %s", a.Reason)
	}
	switch a.Do {
	case InvalidateHand:
		t.add("%d. The hand at box %d is taken out of the round%s.", n, a.Box, why)
	case ReturnStake:
		if a.Amount == 0 {
			t.add("%d. %s's %s at box %d is given back%s.", n, a.Player, a.Wager, a.Box, why)
		} else {
			t.add("%d. %s of %s's %s at box %d is given back%s.", n, a.Amount, a.Player, a.Wager, a.Box, why)
		}
	case RestoreDecision:
		t.add("%d. The decision of box %d is put right: %s%s.", n, a.Box, sentence.Word(a.Decision.String()), why)
	case KeepFirstThree:
		t.add("%d. The first three cards at %s are the hand%s.", n, a.place().Sentence(), why)
	case AwardAmount:
		t.add("%d. %s is awarded to %s on %s at box %d%s.", n, a.Amount, a.Player, a.Wager, a.Box, why)
	case CollectAmount:
		t.add("%d. %s is collected from %s on %s at box %d%s.", n, a.Amount, a.Player, a.Wager, a.Box, why)
	}
}

// whatReturns describes a stake that does not go the usual way: one that the house
// keeps though the wager won, or a part that was never at risk.
func whatReturns(l *Line) sentence.Sentence {
	switch {
	case l.Excess != 0:
		return sentence.Of("; %s of the stake lay above what counts and goes back", l.Excess)
	case l.Result == rules.Win && l.Stake != 0 && l.Returned == l.Pays:
		return sentence.Of("; the house keeps the stake")
	}
	return nothing
}

func (t *eventSentences) offer(o *Offer) {
	switch {
	case o.Box == 0:
		t.add("%s may take all wagers back%s.", o.Player, t.by(o.Clause))
	case o.Restored:
		t.add("%s may go on with the hand at box %d, its cards put in order, or have the bets back%s.", o.Player, o.Box, t.by(o.Clause))
	default:
		t.add("%s may go on with the hand at box %d or have the bets back%s.", o.Player, o.Box, t.by(o.Clause))
	}
}

func (t *eventSentences) answered(e OfferAnswered) {
	player := sentence.Of("%s", e.Player)
	if e.Unanswered {
		player = sentence.Of("%s does not answer and so", e.Player)
	}
	switch {
	case e.Return && e.Box == 0:
		t.add("%s takes all wagers back%s.", player, t.by(e.Clause))
	case e.Return:
		t.add("%s has the bets at box %d back%s.", player, e.Box, t.by(e.Clause))
	case e.Box == 0:
		t.add("%s goes on%s.", player, t.by(e.Clause))
	default:
		t.add("%s goes on with box %d%s.", player, e.Box, t.by(e.Clause))
	}
}

// dealt lists cards in the order in which they came, those to one place
// together: "box 1 Qh 6d 4c, dealer Kd 9c 2s".
func dealt(cards []Dealt) sentence.Sentence {
	all := nothing
	for i := 0; i < len(cards); {
		place := cards[i].Place
		here := sentence.List{Between: " "}
		for ; i < len(cards) && cards[i].Place == place; i++ {
			here.Items = append(here.Items, oneDealt(cards[i]))
		}
		all = and(all, sentence.Of("%s %s", placeWord(place), here))
	}
	return all
}

func oneDealt(c Dealt) sentence.Sentence {
	one := sentence.Of("%s", c.Card)
	if c.FaceUp {
		one = sentence.Of("%s face up", one)
	}
	if c.Meant != c.Place {
		one = sentence.Of("%s (meant for %s)", one, c.Meant)
	}
	return one
}

// and adds to an enumeration.
func and(all, next sentence.Sentence) sentence.Sentence {
	if all.IsZero() {
		return next
	}
	return sentence.Of("%s, %s", all, next)
}

func listed(cards []card.Card) sentence.List { return sentence.Some(" ", cards) }

func moved(moves []Move) sentence.Sentence {
	all := nothing
	for _, m := range moves {
		all = and(all, sentence.Of("card %d to %s", m.Slot+1, m.To))
	}
	return all
}

func choices(answers []rules.Answer) sentence.Sentence {
	if len(answers) == 0 {
		return nothing
	}
	return sentence.Of(" (%s)", answerKeys(answers))
}

// answerKeys returns the answers by which a question can be answered.
func answerKeys(answers []rules.Answer) sentence.List {
	keys := make([]sentence.Word, len(answers))
	for i := range answers {
		keys[i] = sentence.Word(answers[i].Key)
	}
	return sentence.Some(", ", keys)
}

func numbered(order []int) sentence.Sentence {
	if len(order) == 0 {
		return nothing
	}
	return sentence.Of(", in the order %s", positions(order))
}

func suspended(e ProgressiveSuspended) sentence.Sentence {
	switch e.Option {
	case CloseTableOption:
		return sentence.Of("the table is closed")
	case WithoutBoxes:
		return sentence.Of("no bets are taken on %s", countedBoxes("box %s", "boxes %s", e.Boxes))
	case WithoutProgressive:
		return sentence.Of("no Progressive Jackpot bets are accepted or paid")
	}
	return sentence.Of("nothing is decided")
}

// happened returns the incident of a report in words, with the particulars that it gives.
func happened(r *Report) sentence.Sentence {
	all := sentence.Of("%s", sentence.Word(incidentWords[r.Incident]))
	add := func(form string, args ...any) { all = and(all, sentence.Of(form, args...)) }
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
		add("at %s", countedBoxes("box %s", "boxes %s", r.Boxes))
	}
	if r.Player != "" && r.Incident == rules.Mispaid {
		add("to %s", r.Player)
	} else if r.Player != "" {
		add("by %s", r.Player)
	}
	if r.Wager != 0 {
		add("on %s", r.Wager)
	}
	if r.Amount != 0 {
		add("of %s", r.Amount)
	}
	for _, c := range r.Cards {
		if c.At == 0 {
			add("%s", c.Card)
		} else {
			add("%s at %s", c.Card, c.At)
		}
	}
	if r.Count != 0 {
		add("%d cards", r.Count)
	}
	if r.Turned {
		add("turned over after it was dealt")
	}
	if r.OrderLost {
		add("in an order that is not known")
	}
	if r.OrderKnown {
		add("in the order named")
	}
	switch {
	case !r.BeforeLook:
	case r.Incident == rules.HandTouched:
		add("before the deal was over")
	case r.Incident == rules.HandsDiscussed:
		add("before the dealer's hand was turned")
	default:
		add("before any player had looked")
	}
	if r.Looked {
		add("who looked at the cards")
	}
	if r.LastedMs != 0 {
		add("for %s s", seconds(r.LastedMs))
	}
	if r.Meter != 0 {
		add("with the jackpot at %s", r.Meter)
	}
	if r.Note != "" {
		add("note: %s", r.Note)
	}
	return all
}

func seconds(ms int64) string {
	// Milliseconds to seconds without a float, as thousandths.
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", ms/1000, ms%1000), "0"), ".")
}

// opening names a place at the beginning of a sentence.
func opening(p Place) sentence.Sentence {
	if p.IsBox() {
		return sentence.Of("Box %d", int(p))
	}
	return sentence.Of("The dealer")
}

// placeWord returns a place in a list, as [Place.String] has it.
func placeWord(p Place) any {
	if p.IsBox() {
		return p
	}
	return sentence.Word(p.String())
}

// Sentence returns the announcement of the dealer, with the words and what goes into them
// kept apart. The state lends its book. A key that the engine does not announce is said
// as it is.
func (a Announced) Sentence(s State) sentence.Sentence {
	switch a.Key {
	case "place-your-bets":
		return sentence.Of("Place your bets, please.")
	case "no-progressive":
		return sentence.Of("No Progressive Jackpot bets are accepted or paid.")
	case "no-more-bets":
		return sentence.Of("No more bets.")
	case "no-pair-plus":
		return sentence.Of("No Pair Plus, %s.", countedBoxes("position %s", "positions %s", a.Boxes))
	case "one-hand-only":
		return sentence.Of("%s may examine one hand only; the others are played blind.", a.Player)
	case "void":
		return sentence.Of("The round is void. All bets are returned.")
	case "bank-wins":
		return sentence.Of("The bank wins.")
	case "bonus-paid":
		return sentence.Of("Bonus paid, %s.", countedBoxes("position %s", "positions %s", a.Boxes))
	case "count-cards":
		return sentence.Of("The dealer counts the cards.")
	case "jackpot-pending":
		return sentence.Of("The jackpot is paid after the hands that were dealt earlier at other tables.")
	case "dealer-hand":
		if a.Hand.Valid() {
			return dealersHand(s.book(), a.Hand)
		}
	case "result":
		hand := sentence.Word("")
		if a.Hand.Valid() {
			hand = sentence.Word(s.book().Ranking.Spoken(a.Hand))
		}
		switch a.Result {
		case rules.Win:
			if hand != "" {
				return sentence.Of("Position %s has won with %s.", positions(a.Boxes), hand)
			}
			return sentence.Of("Position %s has won.", positions(a.Boxes))
		case rules.Lose:
			if hand != "" {
				return sentence.Of("Position %s has lost to %s.", positions(a.Boxes), hand)
			}
			return sentence.Of("Position %s has lost.", positions(a.Boxes))
		case rules.Push:
			return sentence.Of("Position %s is a standoff.", positions(a.Boxes))
		case rules.GivenBack:
		}
	}
	return sentence.Of("%s", sentence.Word(a.Key))
}

// dealersHand returns the announcement of the dealer about the hand that was shown.
func dealersHand(b *rules.Book, h card.Hand) sentence.Sentence {
	hand := sentence.Word(b.Ranking.Spoken(h))
	switch {
	case b.Qualify == nil:
		return sentence.Of("Dealer has %s.", hand)
	case b.Qualifies(h):
		return sentence.Of("Dealer plays with %s.", hand)
	}
	return sentence.Of("Dealer doesn't play.")
}
