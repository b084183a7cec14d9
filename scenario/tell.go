package scenario

import (
	"fmt"
	"strings"

	"trey/card"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

// Tell says an event in words, one sentence or settlement line each, for people
// who read what happened at a table. It says all that the event holds: what a
// player may not know must be redacted before.
func Tell(e table.Event) []string {
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch e := e.(type) {
	case table.Announced:
		return one("%q%s", e.Text, inBrackets(e.Clause))
	case table.TableOpened:
		return one("The table is open.")
	case table.TableClosed:
		return one("The table is closed%s.", inBrackets(e.Clause))
	case table.BetsOpened:
		return one("Round %d begins.", e.Round)
	case table.BetPlaced:
		by := ""
		if e.EnteredBy != "" {
			by = ", placed by " + e.EnteredBy + inBrackets(e.Clause)
		}
		return one("Box %d: %s bets %s on %s%s.", e.Box, e.Player, e.Amount, e.Wager.Name(), by)
	case table.BetsReturned:
		return tellLines("Bets go back"+inBrackets(e.Clause)+":", e.Lines)
	case table.StakeFound:
		return one("Box %d: %s of %s is found on %s%s.", e.Box, e.Amount, e.Player, e.Wager.Name(), inBrackets(e.Clause))
	case table.MinimumAdvised:
		return one("Box %d: %s is told that the minimum on %s is %s%s.", e.Box, e.Player, e.Wager.Name(), e.Minimum, inBrackets(e.Clause))
	case table.BetsClosed:
		return one("Betting is closed.")
	case table.CardsDealt:
		return tellDealt(e)
	case table.CardsDrawn:
		return one("Drawn at once: %s.", faces(e.Cards))
	case table.DealFinished:
		return one("The deal ends as it lies.")
	case table.HandExamined:
		return one("Box %d: %s examines the hand.", e.Box, e.Player)
	case table.HandRaised:
		return one("Box %d: %s plays for %s.", e.Box, e.Player, e.Amount)
	case table.HandFolded:
		return one("Box %d: %s folds%s.", e.Box, e.Player, inBrackets(e.Clause))
	case table.HandShown:
		return one("%s is turned: %s%s.", capital(e.Place.String()), e.Hand, inBrackets(e.Clause))
	case table.DealerShown:
		word := "qualifies"
		if !e.Qualifies {
			word = "does not qualify"
		}
		return one("The dealer turns %s, which %s.", e.Hand, word)
	case table.Settled:
		if len(e.Lines) == 0 {
			return one("Nothing is left to settle.")
		}
		return tellLines("The round is settled:", e.Lines)
	case table.Reported:
		return one("Reported: %s%s. Outcome: %s%s.", e.Report.Incident, reportWords(&e.Report), e.Outcome, inBrackets(e.Clause))
	case table.CardsExposed:
		return one("The table has seen %s.", faces(e.Cards))
	case table.CardsMoved:
		return one("%d cards are put where they belong%s.", len(e.Moves), inBrackets(e.Clause))
	case table.RoundVoided:
		return tellLines("The round is void"+inBrackets(e.Clause)+":", e.Lines)
	case table.HandInvalidated:
		return tellLines(fmt.Sprintf("The hand on box %d leaves the round%s:", e.Box, inBrackets(e.Clause)), e.Lines)
	case table.QuestionAsked:
		var keys []string
		for _, a := range e.Question.Answers {
			keys = append(keys, a.Key)
		}
		return one("To the %s: %s %s%s", e.Question.Role, e.Question.Ask, strings.Join(keys, ", "), inBrackets(e.Question.Clause))
	case table.QuestionAnswered:
		return one("%s answers %s%s.", e.By.Name, e.Answer, inBrackets(e.Clause))
	case table.OffersMade:
		var all []string
		for _, o := range e.Offers {
			where := ""
			if o.Box != 0 {
				where = fmt.Sprintf(" on box %d", o.Box)
			}
			all = append(all, fmt.Sprintf("%s%s may go on or take the bets back%s.", o.Player, where, inBrackets(o.Clause)))
		}
		return all
	case table.OfferAnswered:
		word := "goes on"
		if e.Return {
			word = "takes the bets back"
		}
		if e.Unanswered {
			word += ", for want of an answer"
		}
		return one("%s %s%s.", e.Player, word, inBrackets(e.Clause))
	case table.PlayerWarned:
		return one("%s's low bet was settled this once%s.", e.Player, inBrackets(e.Clause))
	case table.PlayerRestricted:
		if e.Lift {
			return one("%s may bet on several positions again%s.", e.Player, inBrackets(e.Clause))
		}
		return one("%s is held to one position%s.", e.Player, inBrackets(e.Clause))
	case table.AreasRestricted:
		if e.Max == 0 {
			return one("Betting areas take as many wagers as the book permits%s.", inBrackets(e.Clause))
		}
		return one("Betting areas take %d wagers each%s.", e.Max, inBrackets(e.Clause))
	case table.ProgressiveFailed:
		return one("The progressive is out of order with %s registered%s.", e.Registered, inBrackets(e.Clause))
	case table.ProgressiveSuspended:
		return one("While it is out of order: %s %v%s.", e.Option, e.Boxes, inBrackets(e.Clause))
	case table.ProgressiveRestored:
		return one("The progressive is in order again.")
	}
	return one("%s", table.EventKind(e))
}

func inBrackets(clause string) string {
	if clause == "" {
		return ""
	}
	return " (" + clause + ")"
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func reportWords(r *table.Report) string {
	var words []string
	if r.Box != 0 {
		words = append(words, fmt.Sprintf("box %d", r.Box))
	}
	if r.Dealer {
		words = append(words, "the dealer's hand")
	}
	if r.Player != "" {
		words = append(words, r.Player)
	}
	if r.Count != 0 {
		words = append(words, fmt.Sprintf("%d cards", r.Count))
	}
	if r.Note != "" {
		words = append(words, r.Note)
	}
	if words == nil {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}

// tellDealt says what each place received, in the order of the first cards.
func tellDealt(e table.CardsDealt) []string {
	var order []table.Place
	got := map[table.Place][]card.Card{}
	for _, c := range e.Cards {
		if got[c.Place] == nil {
			order = append(order, c.Place)
		}
		got[c.Place] = append(got[c.Place], c.Card)
	}
	var all []string
	for _, p := range order {
		all = append(all, fmt.Sprintf("%s: %s", capital(p.String()), faces(got[p])))
	}
	return all
}

// tellLines says a title and each line with its clause.
func tellLines(title string, lines []table.Line) []string {
	all := []string{title}
	for i := range lines {
		l := &lines[i]
		text := fmt.Sprintf("  box %d  %-8s %-20s", l.Box, l.Player, l.Wager.Name())
		switch l.Result {
		case rules.Win:
			text += fmt.Sprintf("wins %s", l.Pays)
			if l.Combo != 0 {
				text += " with " + l.Combo.Name()
			}
		case rules.Lose:
			text += fmt.Sprintf("loses %s", l.Stake-l.Excess)
		case rules.Push:
			text += fmt.Sprintf("stands off, %s back", l.Returned)
		case rules.GivenBack:
			text += fmt.Sprintf("%s back", l.Returned)
		}
		if l.Reverses != 0 {
			text += fmt.Sprintf(", %s collected again", l.Reverses)
		}
		all = append(all, text+inBrackets(l.Clause))
	}
	return all
}

func tellJackpot(e jackpot.Event) string {
	switch e := e.(type) {
	case jackpot.Contributed:
		return fmt.Sprintf("Progressive: %d bets, the meter shows %s.", e.Bets, e.After.Meter)
	case jackpot.ContributionsReversed:
		return fmt.Sprintf("Progressive: %d bets taken back, the meter shows %s.", e.Bets, e.After.Meter)
	case jackpot.HitRegistered:
		return fmt.Sprintf("Progressive: the hand of %s takes its place in the order of payment.", e.Hit)
	case jackpot.HitConfirmed:
		return fmt.Sprintf("Progressive: the hand of %s stands.", e.Hit)
	case jackpot.HitForfeited:
		return fmt.Sprintf("Progressive: the hand of %s is not paid, %s.", e.Hit, e.Cause)
	case jackpot.HitPaid:
		return fmt.Sprintf("Progressive: %s is paid %s, the meter shows %s.", e.Hit, e.Amount, e.After.Meter)
	}
	return "Progressive: " + e.EventType()
}
