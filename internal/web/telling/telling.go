// Package telling puts what happens at a table into the words of a language, for
// whoever watches over it. It tells what the event says that it is handed, and
// knows nobody who reads: whoever calls it has asked table.Redact what may be
// told.
package telling

import (
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/web/felt"
	"trey/internal/web/lang"
	"trey/rules"
	"trey/table"
)

// Saying is a sentence about what happened.
type Saying struct {
	Text string
	// Aloud marks what the dealer or the table says.
	Aloud bool
	// Clause is the provision behind it, without its book's name.
	Clause string
}

// Of tells an event. The state is the one after it; it lends its book and what the
// whole table has seen, and nothing else.
func Of(p lang.Printer, e table.Event, s *table.State) []Saying {
	say := func(clause, text string) []Saying { return []Saying{{Text: text, Clause: Bare(clause)}} }
	book := s.Variant.Book
	switch e := e.(type) {
	case table.Announced:
		return []Saying{{Text: Aloud(p, &e, s), Aloud: true, Clause: Bare(e.Clause)}}
	case table.TableOpened:
		return say("", p.T("tell.opened"))
	case table.TableClosed:
		return say(e.Clause, p.T("tell.closed"))
	case table.BetsOpened:
		return say("", p.T("told.opened", "round", e.Round))
	case table.BetPlaced:
		text := p.T("told.bets", "player", e.Player, "amount", p.Money(e.Amount), "wager", p.Term(e.Wager.Name()), "box", e.Box)
		if e.EnteredBy != "" {
			text = p.Sentences(text, p.T("tell.entered", "name", e.EnteredBy))
		}
		return say(e.Clause, text)
	case table.BetsReturned:
		return lines(p, e.Lines)
	case table.StakeFound:
		return say(e.Clause, p.T("tell.found", "player", e.Player, "amount", p.Money(e.Amount), "wager", p.Term(e.Wager.Name()), "box", e.Box))
	case table.MinimumAdvised:
		return say(e.Clause, p.T("tell.minimum", "player", e.Player, "amount", p.Money(e.Minimum), "wager", p.Term(e.Wager.Name()), "box", e.Box))
	case table.BetsClosed:
		return say("", p.T("tell.bets-closed"))
	case table.CardsDealt:
		return say("", p.T("tell.dealt", "cards", dealt(p, e.Cards)))
	case table.CardsDrawn:
		return say("", p.T("tell.drawn", "cards", listed(e.Cards)))
	case table.DealFinished:
		return say("", p.T("tell.deal-ends"))
	case table.HandExamined:
		return say("", p.T("told.examined", "player", e.Player, "box", e.Box))
	case table.HandRaised:
		return say("", p.T("told.plays", "player", e.Player, "box", e.Box, "amount", p.Money(e.Amount)))
	case table.HandFolded:
		return say(e.Clause, p.T("told.folds", "player", e.Player, "box", e.Box))
	case table.HandShown:
		return say(e.Clause, p.T("tell.shows", "place", place(p, e.Place), "cards", listed(e.Hand[:]), "hand", hand(p, book, e.Hand)))
	case table.DealerShown:
		clause := ""
		text := p.T("told.dealer", "cards", listed(e.Hand[:]), "hand", hand(p, book, e.Hand))
		if book.Qualify != nil {
			clause = book.Qualify.Clause
			qualifies := p.T("tell.qualifies-not")
			if e.Qualifies {
				qualifies = p.T("tell.qualifies")
			}
			text = p.Sentences(text, qualifies)
		}
		return say(clause, text)
	case table.Settled:
		all := lines(p, e.Lines)
		if e.Meter != 0 {
			all = append(all, Saying{Text: p.T("tell.meter", "amount", p.Money(e.Meter))})
		}
		return append(all, Saying{Text: p.T("tell.settled")})
	case table.Reported:
		return say(e.Clause, p.T("told.reported", "what", p.T("incident."+e.Report.Incident.String()), "then", p.T("outcome."+e.Outcome.String())))
	case table.CardsExposed:
		return say("", p.T("tell.seen", "cards", listed(e.Cards)))
	case table.CardsMoved:
		moves := make([]string, len(e.Moves))
		for i, m := range e.Moves {
			moves[i] = p.T("tell.move", "n", m.Slot+1, "place", place(p, m.To))
		}
		return say(e.Clause, p.T("tell.moved", "moves", strings.Join(moves, p.T("told.comma"))))
	case table.RoundVoided:
		return append(say(e.Clause, p.T("told.void")), lines(p, e.Lines)...)
	case table.HandInvalidated:
		return append(say(e.Clause, p.T("told.invalid", "box", e.Box)), lines(p, e.Lines)...)
	case table.QuestionAsked:
		return say(e.Question.Clause, p.T("tell.question", "role", p.T("function."+e.Question.Role.String()), "question", p.Term(e.Question.Ask)))
	case table.QuestionAnswered:
		return say(e.Clause, p.T("tell.answer", "name", e.By.Name, "role", p.T("function."+e.By.Role.String()), "answer", p.T("console.answer-"+e.Answer)))
	case table.OffersMade:
		var all []Saying
		for _, o := range e.Offers {
			text := p.T("tell.offer", "player", o.Player, "box", o.Box)
			switch {
			case o.Box == 0:
				text = p.T("tell.offer-all", "player", o.Player)
			case o.Restored:
				text = p.T("tell.offer-order", "player", o.Player, "box", o.Box)
			}
			all = append(all, say(o.Clause, text)...)
		}
		return all
	case table.OfferAnswered:
		text := p.T("tell.goes-on", "player", e.Player)
		if e.Return {
			text = p.T("tell.has-back", "player", e.Player)
		}
		if e.Unanswered {
			text = p.Sentences(p.T("tell.silent", "player", e.Player), text)
		}
		return say(e.Clause, text)
	case table.PlayerWarned:
		return say(e.Clause, p.T("tell.warned", "player", e.Player))
	case table.PlayerRestricted:
		if e.Lift {
			return say(e.Clause, p.T("tell.lifted", "player", e.Player))
		}
		return say(e.Clause, p.T("tell.restricted", "player", e.Player))
	case table.AreasRestricted:
		if e.Max == 0 {
			return say(e.Clause, p.T("tell.areas-book"))
		}
		return say(e.Clause, p.T("tell.areas", "n", e.Max))
	case table.ProgressiveFailed:
		return say(e.Clause, p.Sentences(p.T("told.progressive-failed"), p.T("tell.registered", "amount", p.Money(e.Registered))))
	case table.ProgressiveSuspended:
		return say(e.Clause, p.T("console.do-suspend-"+e.Option.String()))
	case table.ProgressiveRestored:
		return say("", p.T("told.progressive-restored"))
	default:
		return say("", table.Tell(e, *s)) // an event to come, in the words of its own
	}
}

// Aloud is what the dealer says. The engine says it in English; another language
// says it by what it is about.
func Aloud(p lang.Printer, e *table.Announced, s *table.State) string {
	if p.Language == lang.English {
		return e.Text
	}
	var boxes []string
	for _, b := range e.Boxes {
		boxes = append(boxes, p.Whole(b))
	}
	list := strings.Join(boxes, p.T("told.comma"))
	switch e.Key {
	case "place-your-bets", "no-more-bets", "no-progressive", "void", "count-cards":
		return p.T("said." + e.Key)
	case "one-hand-only":
		return p.T("said.one-hand-only", "player", e.Player)
	case "no-pair-plus":
		return p.T("said.no-pair-plus", "boxes", list)
	case "dealer-hand":
		h, ok := DealerShown(s)
		switch {
		case !ok:
		case !s.Variant.Book.Qualifies(h):
			return p.T("said.dealer-not", "hand", p.Hand(s.Variant.Book.Ranking, h))
		default:
			return p.T("said.dealer-plays", "hand", p.Hand(s.Variant.Book.Ranking, h))
		}
	case "result":
		for _, word := range results {
			if strings.Contains(e.Text, word.english) {
				return p.T("said."+word.key, "boxes", list)
			}
		}
	}
	return e.Text
}

// results are how the dealer announces the end of a wager at a position.
var results = []struct{ english, key string }{{"standoff", "stand-off"}, {"has lost", "lost"}, {"has won", "won"}}

// DealerShown is the dealer's hand once all know it.
func DealerShown(s *table.State) (h card.Hand, ok bool) {
	p := table.View(*s, table.Viewer{})
	if len(p.Dealer) != 3 {
		return h, false
	}
	h = card.Hand{p.Dealer[0], p.Dealer[1], p.Dealer[2]}
	return h, h.Valid()
}

// Bare is a clause without its book's name.
func Bare(ref string) string {
	if i := strings.LastIndexByte(ref, ' '); i >= 0 {
		return ref[i+1:]
	}
	return ref
}

func lines(p lang.Printer, all []table.Line) []Saying {
	nets := felt.Nets(all)
	out := make([]Saying, len(all))
	for i := range all {
		l := &all[i]
		out[i] = Saying{Clause: Bare(l.Clause), Text: p.T(
			"told.line", "box", l.Box, "player", l.Player, "wager", p.Term(l.Wager.Name()), "ended", felt.Ended(p, &l.Line), "net", p.Change(nets[i]),
		)}
	}
	return out
}

func hand(p lang.Printer, b *rules.Book, h card.Hand) string {
	if !h.Valid() {
		return p.T("tell.not-known")
	}
	return p.Hand(b.Ranking, h)
}

// dealt lists cards in the order in which they came, those to one place together.
func dealt(p lang.Printer, cards []table.Dealt) string {
	var b strings.Builder
	for i, c := range cards {
		if i == 0 || cards[i-1].Place != c.Place {
			if i > 0 {
				b.WriteString(p.T("told.comma"))
			}
			b.WriteString(place(p, c.Place))
		}
		b.WriteString(" " + c.Card.String())
		if c.FaceUp {
			b.WriteString(" " + p.T("tell.face-up"))
		}
		if c.Meant != c.Place {
			b.WriteString(" " + p.T("tell.meant", "place", place(p, c.Meant)))
		}
	}
	return b.String()
}

func place(p lang.Printer, at table.Place) string {
	switch {
	case at.IsBox():
		return p.T("felt.box", "n", strconv.Itoa(int(at)))
	case at == table.DealerHand:
		return p.T("felt.dealer")
	case at == table.BurnPile:
		return p.T("felt.burn")
	}
	return p.T("check.place-out")
}

func listed(cards []card.Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = c.String()
	}
	return strings.Join(words, " ")
}
