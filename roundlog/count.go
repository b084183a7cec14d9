package roundlog

import (
	"fmt"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Round is what one round came to.
type Round struct {
	Round int `json:"round"`
	// Ended says how: "settled", "void", or "open" if the log stops before.
	Ended string `json:"ended"`
	// Staked is all that was bet, Returned all that went to the players.
	Staked   money.Amount `json:"staked"`
	Returned money.Amount `json:"returned"`
	// Nets is what each player has won or lost.
	Nets map[string]money.Amount `json:"nets"`
	// Irregularities lists what was reported, in order.
	Irregularities []Irregularity `json:"irregularities,omitempty"`
}

// Irregularity is an incident and what the book made of it.
type Irregularity struct {
	Incident rules.Incident `json:"incident"`
	Outcome  rules.Outcome  `json:"outcome"`
	Clause   string         `json:"clause"`
}

// ledger follows chips and cards through a log from its events, apart from the
// engine's own books, and finds where either is not conserved.
type ledger struct {
	rounds []Round
	// lying is what lies on the layout, by whose wager it is.
	lying map[wagerOf]money.Amount
	// done are the boxes whose bets have left the layout.
	done  map[int]bool
	cards card.Set
	dealt int
}

type wagerOf struct {
	box    int
	player string
	wager  rules.Wager
}

func (l *ledger) book(e table.Event, s *table.State) error {
	if opened, ok := e.(table.BetsOpened); ok {
		if left := l.onLayout(); left != 0 {
			return fmt.Errorf("chips are not conserved: %s of the last round never left the layout", left.Display())
		}
		*l = ledger{rounds: append(l.rounds, Round{Round: opened.Round, Ended: "open", Nets: map[string]money.Amount{}})}
		l.lying, l.done = map[wagerOf]money.Amount{}, map[int]bool{}
		return nil
	}
	if len(l.rounds) == 0 {
		return nil
	}
	round := &l.rounds[len(l.rounds)-1]
	switch e := e.(type) {
	case table.BetPlaced:
		l.stake(round, wagerOf{e.Box, e.Player, e.Wager}, e.Amount)
	case table.HandRaised:
		l.stake(round, wagerOf{e.Box, e.Player, e.Wager}, e.Amount)
	case table.StakeFound:
		at := wagerOf{e.Box, e.Player, e.Wager}
		l.stake(round, at, e.Amount-l.lying[at])
	case table.BetsReturned:
		return l.lines(round, e.Lines)
	case table.ForfeitsCollected:
		err := l.lines(round, e.Lines)
		for i := range e.Lines {
			l.done[e.Lines[i].Box] = true
		}
		return err
	case table.BoxSettled:
		err := l.lines(round, e.Lines)
		l.done[e.Box] = true
		return err
	case table.SettlementUndone:
		for _, stake := range e.Stakes {
			l.lying[wagerOf{e.Box, stake.Player, stake.Wager}] += stake.Amount
		}
		l.done[e.Box], round.Ended = false, "open"
		return l.lines(round, e.Lines)
	case table.HandInvalidated:
		return l.lines(round, e.Lines)
	case table.DecisionRestored:
		return l.lines(round, e.Lines)
	case table.PaymentCorrected:
		return l.lines(round, e.Lines)
	case table.RoundVoided:
		err := l.lines(round, e.Lines)
		round.Ended = "void"
		return err
	case table.Settled:
		if err := l.lines(round, e.Lines); err != nil {
			return err
		}
		round.Ended = "settled"
		for i := range s.Boxes {
			l.done[i+1] = true
		}
		if left := l.onLayout(); left != 0 {
			return fmt.Errorf("chips are not conserved: %s was staked and not settled", left.Display())
		}
	case table.CardsDealt:
		for _, c := range e.Cards {
			if l.cards.Has(c.Card) {
				return fmt.Errorf("cards are not conserved: %s is dealt twice", c.Card)
			}
			l.cards = l.cards.With(c.Card)
		}
		if l.dealt += len(e.Cards); l.dealt != len(s.Slots) || l.dealt > card.Deck().Len() {
			return fmt.Errorf("cards are not conserved: %d were dealt, %d lie at the table", l.dealt, len(s.Slots))
		}
	case table.Reported:
		round.Irregularities = append(round.Irregularities, Irregularity{e.Report.Incident, e.Outcome, e.Clause})
	}
	return nil
}

func (l *ledger) stake(r *Round, at wagerOf, amount money.Amount) {
	l.lying[at] += amount
	r.Staked += amount
	r.Nets[at.player] -= amount
}

func (l *ledger) lines(r *Round, lines []table.Line) error {
	for i := range lines {
		line := &lines[i]
		at := wagerOf{line.Box, line.Player, line.Wager}
		// What is reversed after a settlement has left the layout before.
		if !l.done[line.Box] {
			if l.lying[at] -= line.Stake; l.lying[at] < 0 {
				return fmt.Errorf("chips are not conserved: %s of %s on box %d is taken twice", line.Wager.Name(), line.Player, line.Box)
			}
		}
		r.Returned += line.Net()
		r.Nets[line.Player] += line.Net()
	}
	return nil
}

func (l *ledger) onLayout() money.Amount {
	var sum money.Amount
	for _, amount := range l.lying {
		sum += amount
	}
	return sum
}

func (l *ledger) summary() []Round { return l.rounds }
