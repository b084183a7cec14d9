package screen

import (
	"strings"

	"trey/card"
	"trey/internal/play"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// chipFor returns the amount that Enter would bet on the wager under the cursor.
func (m *Model) chipFor() money.Amount {
	return m.stake(m.session.Wagers()[m.wager])
}

// stake returns the amount bet on a wager at a time: the chip in hand, or the one amount
// that the wager takes.
func (m *Model) stake(w rules.Wager) money.Amount {
	if amount, only := play.OnlyStake(m.session.Variant(), w); only {
		return amount
	}
	return m.session.Chips()[m.chip]
}

// signed writes a change with its sign, whole dollars without cents.
func signed(a money.Amount) string {
	if a > 0 {
		return "+" + play.Chips(a)
	}
	return play.Chips(a)
}

// bettorOf returns the bettor whose stakes a box shows: the player, or else the
// first; nil if there is none.
func bettorOf(b *table.BoxPicture) *table.BettorPicture {
	for i := range b.Bettors {
		if b.Bettors[i].Player == play.Player {
			return &b.Bettors[i]
		}
	}
	if len(b.Bettors) == 0 {
		return nil
	}
	return &b.Bettors[0]
}

// mine reports whether the player has a bet on a box.
func mine(b *table.BoxPicture) bool {
	bettor := bettorOf(b)
	return bettor != nil && bettor.Player == play.Player
}

// sumOf returns the net result of one player by the lines of a box.
func sumOf(lines []table.Line, box int, player string) (net money.Amount) {
	for i := range lines {
		if lines[i].Box == box && lines[i].Player == player {
			net += lines[i].Returned - lines[i].Stake
		}
	}
	return net
}

// symbols writes a hand on one line, as wide as the widest.
func symbols(cards []card.Card) string {
	var b strings.Builder
	for _, c := range cards {
		text := "░░"
		if c.Valid() {
			text = c.Symbols() + c.Suit().String()
		}
		b.WriteString(fit(text, 5))
	}
	return fit(b.String(), 15)
}

// emblem returns the hand that wins the jackpot.
func emblem() []card.Card {
	return []card.Card{
		card.New(card.Ace, card.Spades), card.New(card.King, card.Spades), card.New(card.Queen, card.Spades),
	}
}
