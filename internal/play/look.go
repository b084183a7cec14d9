package play

import (
	"strings"

	"trey/card"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Game returns the game that is played; its Book is empty before one is chosen.
func (s *Session) Game() Game { return gameOf(s.state.Variant) }

// Table returns the name of the table in the record, empty before a game is chosen.
func (s *Session) Table() string { return s.table }

// Variant returns the rules in force, nil before a game is chosen. They must not
// be changed.
func (s *Session) Variant() *rules.Variant { return s.state.Variant }

// Phase returns where the round stands; zero before a game is chosen.
func (s *Session) Phase() table.Phase { return s.state.Phase }

// Balance returns the play money that is not on the table.
func (s *Session) Balance() money.Amount {
	return s.house.Balance(ledger.Account{Kind: ledger.Player, Of: Player})
}

// Staked returns the player's money on the table.
func (s *Session) Staked() money.Amount { return staked(&s.state, Player) }

// Round returns the number of the round in progress at the table, or of the one that just
// ended.
func (s *Session) Round() int { return s.state.Round }

// Picture returns the table as the player may see it.
func (s *Session) Picture() table.Picture {
	return table.View(s.state, table.Viewer{Player: Player})
}

// Said returns the announcements of the round so far.
func (s *Session) Said() []Said { return s.round.said }

// Lines returns the settlement lines of the round so far, those of other players
// too.
func (s *Session) Lines() []table.Line { return s.round.lines }

// Net returns the change of the balance by the round that just ended.
func (s *Session) Net() money.Amount { return net(s.round.lines) }

// May reports whether the rules allow the player an action now.
func (s *Session) May(do table.Action) bool {
	if s.state.Variant == nil {
		return false
	}
	_, err := table.Decide(s.state, table.Command{By: you.Actor(), Do: do})
	return err == nil
}

// MayReveal reports whether nothing is left for the player to do before the
// dealer shows the hand.
func (s *Session) MayReveal() bool {
	if s.state.Variant == nil {
		return false
	}
	_, err := table.Decide(s.state, table.Command{By: dealer, Do: table.Reveal{}})
	return err == nil
}

// Told returns sentences about the last change, with what the player may know of it. It leaves out
// the begin and end of betting, dealt cards and examined hands, which the announcements and the
// table show.
func (s *Session) Told() []string {
	var all []string
	for _, e := range s.last {
		switch e.(type) {
		case table.BetsOpened, table.BetsClosed, table.CardsDealt, table.HandExamined:
			continue // the announcements and the table itself tell these
		default:
		}
		e = table.Redact(e, s.state, table.Viewer{Player: Player})
		words := spoken(e, s.state)
		if words != "" {
			all = append(all, strings.Split(words, "\n")...)
		}
	}
	return all
}

// spoken returns an event in words, with cards named in full, for those who listen.
func spoken(e table.Event, s table.State) string {
	words := table.Text(e, s)
	var hand card.Hand
	switch e := e.(type) {
	case table.HandShown:
		hand = e.Hand
	case table.DealerShown:
		hand = table.Arranged(s.Variant.Book, table.DealerHand, e.Hand)
	default:
		return words
	}
	words = strings.Replace(words, hand.String(), Spoken(hand[:]), 1)
	return strings.Replace(words, "The box", "Box", 1)
}

// Step is the next step of the player.
type Step struct {
	// Title names the step, Todo says what there is to do.
	Title, Todo string
	// Clause is the full reference of the provision behind it, Summary what it
	// says in our words.
	Clause, Summary string
}

// Step returns the step of the round.
func (s *Session) Step() Step {
	if s.state.Variant == nil {
		return Step{Title: "Choose a game", Todo: "Each game is dealt by its own rule book."}
	}
	b := s.state.Variant.Book
	step, clause := s.step()
	if clause != "" {
		step.Clause = b.ClauseRef(clause)
		if c, ok := b.Clause(clause); ok {
			step.Summary = c.Summary
		}
	}
	return step
}

func (s *Session) step() (step Step, clause string) {
	b := s.state.Variant.Book
	switch s.state.Phase {
	case table.Betting:
		step = Step{Title: "Place your bets, please", Todo: "Choose a box and a wager, and put chips on it."}
		if s.Staked() > 0 {
			step.Todo = "Bet on, or have the cards dealt."
		}
		return step, b.Bets.Open
	case table.Deciding:
		return s.decidingStep()
	case table.Paid:
		return Step{Title: "The round is settled", Todo: "Play another round, with the same bets or with others."}, b.Bets.Settle
	case table.Voided:
		return Step{Title: "The round is void", Todo: "All bets are returned. Play another round."}, b.Bets.VoidReturns
	default:
		return Step{Title: "The cards are dealt"}, b.Bets.Closed
	}
}

func (s *Session) decidingStep() (step Step, clause string) {
	b := s.state.Variant.Book
	var look, decide, up []int
	examined := false
	for i := range s.state.Boxes {
		box := i + 1
		if s.May(table.Examine{Box: box, Player: Player}) {
			look = append(look, box)
		}
		if s.May(table.Fold{Box: box, Player: Player}) {
			decide = append(decide, box)
		}
		if s.May(table.LayUp{Box: box}) {
			up = append(up, box)
		}
		examined = examined || s.state.Boxes[i].Examiner != ""
	}
	switch {
	case len(up) > 0:
		return Step{Title: "Lay your hand up", Todo: "The hand that you looked at goes back face up."}, b.Examine.Clauses.Return
	case len(decide) > 0 && len(look) > 0 && !examined:
		todo := "Look at your hand, then play or fold."
		if len(decide) > 1 {
			todo = "Look at a hand; play or fold each box."
			if b.Examine.OnePerPlayer {
				todo = "Look at one hand; play or fold each box."
			}
		}
		return Step{Title: "Play or fold", Todo: todo}, b.Examine.Clauses.May
	case len(decide) > 0:
		step = Step{Title: "Play or fold", Todo: "Decide on " + list(decide) + "."}
		if b.Examine.OnePerPlayer && len(look) == 0 && len(decide) > 0 {
			for _, box := range decide {
				if s.state.Boxes[box-1].Examiner == "" {
					step.Todo = "Decide on " + list(decide) + ", blind where unseen."
					return step, b.Examine.Clauses.One
				}
			}
		}
		return step, b.Decision.Play
	case len(look) > 0 && !examined && b.Decision == nil:
		return Step{Title: "Look, or reveal", Todo: "You may look at one hand; then the dealer shows."}, b.Examine.Clauses.May
	}
	return Step{Title: "No more decisions", Todo: "The dealer can show the hands."}, b.Examine.Clauses.Showing
}

// list names boxes as people do: "boxes 2, 3 and 5". Many of them are counted.
func list(boxes []int) string {
	switch {
	case len(boxes) == 1:
		return "box " + itoa(boxes[0])
	case len(boxes) > 5:
		return itoa(len(boxes)) + " boxes"
	}
	var b strings.Builder
	for i, n := range boxes {
		switch {
		case i == 0:
			b.WriteString("boxes ")
		case i == len(boxes)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(itoa(n))
	}
	return b.String()
}
