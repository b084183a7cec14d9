package lobby

import (
	"trey/card"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
)

// scene is a round of a game as the lobby shows it in ten seconds. One player on one box places
// the main bet, plays on it where there is a decision, and wins.
type scene struct {
	player, dealer card.Hand
	// wagers are those on which the player lays the same, in order: the main one, and where there
	// is something to decide the one that is played on it.
	wagers []rules.Wager
	// lines settle them by the rules.
	lines []rules.Line
	// order is that of the game's hands.
	order rules.Ranking
}

// sceneBet is the stake of each wager of a scene.
const sceneBet = 25 * money.Major

// sceneOf settles the scene of a game by its standard rules.
func sceneOf(b *rules.Book) (*scene, error) {
	player, dealer := "9h 5h 2h", "Kd Kc 6s"
	if b.Ranking == rules.PictureOrder {
		player, dealer = "Kh Qc Js", "9d 8c Th"
	}
	main := b.Wagers[0].Wager
	s := &scene{wagers: []rules.Wager{main}, order: b.Ranking}
	var err error
	if s.player, err = card.ParseHand(player); err != nil {
		return nil, err
	}
	if s.dealer, err = card.ParseHand(dealer); err != nil {
		return nil, err
	}
	for i := range b.Wagers {
		if rule := &b.Wagers[i]; rule.Stake == rules.EqualToBasis && rule.Basis == main {
			s.wagers = append(s.wagers, rule.Wager)
		}
	}
	at := rules.Showdown{Player: s.player, Dealer: s.dealer}
	for _, w := range s.wagers {
		at.Stakes[w] = sceneBet
	}
	s.lines, err = b.Standard().Settle(nil, &at)
	return s, err
}

// won returns what the player wins.
func (s *scene) won() (sum money.Amount) {
	for i := range s.lines {
		sum += s.lines[i].Net()
	}
	return sum
}

// wonOn returns what the player wins with a wager.
func (s *scene) wonOn(w rules.Wager) (sum money.Amount) {
	for i := range s.lines {
		if s.lines[i].Wager == w {
			sum += s.lines[i].Net()
		}
	}
	return sum
}

// steps returns the sentences of the scene, one for each step.
func (s *scene) steps(p lang.Printer) []string {
	steps := []string{
		p.T("lobby.scene-bet", "amount", p.Money(sceneBet), "wager", p.Term(s.wagers[0].Name())),
		p.T("lobby.scene-deal"),
	}
	if len(s.wagers) > 1 {
		steps = append(steps, p.T("lobby.scene-play", "amount", p.Money(sceneBet)))
	} else {
		steps = append(steps, p.T("lobby.scene-look"))
	}
	return append(steps,
		p.T("lobby.scene-dealer", "hand", p.Hand(s.order, s.dealer)),
		p.T("lobby.scene-end", "hand", p.Hand(s.order, s.player), "amount", p.Money(s.won())))
}
