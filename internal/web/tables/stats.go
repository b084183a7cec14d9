package tables

import (
	"math/big"
	"slices"
	"sync"

	"trey/card"
	"trey/internal/house"
	"trey/internal/web/felt"
	"trey/internal/web/lang"
	"trey/money"
	"trey/odds"
	"trey/rank/pictures"
	"trey/rank/threecard"
	"trey/rules"
	"trey/table"
)

// countedRounds bounds the rounds of a table that its statistics count. They are read from the
// record when the table is first opened.
const countedRounds = 200

// counted holds the figures of a round that is over.
type counted struct {
	round int
	// endedMs is the time at which its result stood.
	endedMs int64
	// dealer is the class of the dealer's hand, dealt says that it was shown, and qualified that
	// it qualified.
	dealer           int
	dealt, qualified bool
	players          []playerRound
}

// playerRound holds the figures of a round for one player whose bets were settled in it.
type playerRound struct {
	player      string
	staked, net money.Amount
	// hands are the classes of those of the player's boxes, as far as the player knows them.
	hands []int
}

// count returns the figures of a round that is over. A bet that was given back is none of it.
func count(s house.State, endedMs int64) counted {
	c := counted{round: s.Round(), endedMs: endedMs}
	book := s.Variant().Book
	if hand, ok := dealerShown(s); ok {
		c.dealer, c.dealt, c.qualified = classOf(book.Ranking, hand), true, book.Qualifies(hand)
	}
	type wagerAt struct {
		player string
		box    int
		wager  wagerKey
	}
	stakes := map[wagerAt]money.Amount{}
	var players []string
	for _, l := range s.Lines() {
		if !slices.Contains(players, l.Player) {
			players = append(players, l.Player)
		}
	}
	held, _ := felt.Held(s.Lines())
	for i := range held {
		if l := &held[i]; l.Result != rules.GivenBack {
			stakes[wagerAt{l.Player, l.Box, l.Wager}] += l.Stake
		}
	}
	for _, name := range players {
		p := playerRound{player: name}
		p.net, _ = netOf(s, name)
		var boxes table.BoxSet
		for at, stake := range stakes {
			if at.player == name && stake != 0 {
				p.staked += stake
				boxes = boxes.With(at.box)
			}
		}
		if p.staked == 0 {
			continue
		}
		for _, box := range s.View(table.Viewer{Player: name}).Boxes {
			if cards := valid(box.Cards); boxes.Has(box.Box) && len(cards) == 3 {
				p.hands = append(p.hands, classOf(book.Ranking, card.Hand(cards)))
			}
		}
		c.players = append(c.players, p)
	}
	return c
}

// counts returns the figures of the rounds that the statistics count, the earliest first.
func (m *moment) counts() []counted {
	if !m.over() {
		return m.counted
	}
	return append(slices.Clip(m.counted), count(m.state, m.endedMs))
}

// statistics are the figures of the last rounds of a table, and of a player in them.
type statistics struct {
	// rounds is the number of rounds that are counted. dealt is the number of them in which the
	// dealer's hand was shown, and qualified the number in which it qualified.
	rounds, dealt, qualified int
	// chance is the dealer's to qualify; qualifies says that the game asks for it.
	chance    odds.Fraction
	qualifies bool
	// plays says that the figures of a player's session follow, and complete that all rounds of
	// the session are among those that are counted.
	plays, complete bool
	// betIn is the number of rounds that the player bet in, hands the number of their hands
	// that they know, and best their best round.
	betIn, hands                int
	staked, returned, net, best money.Amount
	classes                     []classCount
}

// classCount is a class of hands with how often the player and the dealer had it.
type classCount struct {
	handClass
	player, dealer int
}

// statisticsOf counts the rounds of a moment, those of the reader from a time on.
func statisticsOf(m *moment, r *reader, sinceMs int64) *statistics {
	book := m.state.Variant().Book
	all := m.counts()
	s := &statistics{rounds: len(all), plays: r.plays()}
	s.complete = len(all) < countedRounds || all[0].endedMs < sinceMs
	_, s.chance, s.qualifies = odds.Qualification(book)
	for _, c := range classesOf(book.Ranking) {
		s.classes = append(s.classes, classCount{handClass: c})
	}
	for i := range all {
		c := &all[i]
		if c.dealt {
			s.dealt++
			s.classes[c.dealer].dealer++
		}
		if c.qualified {
			s.qualified++
		}
		for k := range c.players {
			if p := &c.players[k]; s.plays && c.endedMs >= sinceMs && p.player == r.person.Name {
				s.add(p, m.denied.of(c.round, p.player))
			}
		}
	}
	return s
}

// add counts a round of the player, less what was denied of it afterwards.
func (s *statistics) add(p *playerRound, denied money.Amount) {
	net := p.net - denied
	s.betIn++
	s.staked += p.staked
	s.net += net
	s.returned += p.staked + net
	s.best = max(s.best, net)
	s.hands += len(p.hands)
	for _, class := range p.hands {
		s.classes[class].player++
	}
}

// share writes a part of a number in percent, a dash for a part of none.
func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return odds.FractionOf(big.NewRat(int64(n), int64(of))).Percent(1) + " %"
}

// handClass is a class of hands in the order of a game.
type handClass struct {
	// name is in English; a class without one is of this many points.
	name   string
	points int
	// ways is the number of the 22,100 hands that are in it.
	ways int
}

func (c handClass) words(p lang.Printer) string {
	if c.name != "" {
		return p.Term(c.name)
	}
	return p.N("tables.points", c.points)
}

// classesOf lists the classes of an order, the highest first.
func classesOf(order rules.Ranking) []handClass {
	if order == rules.PictureOrder {
		return pictureClasses()
	}
	return pokerClasses()
}

var pokerClasses = sync.OnceValue(func() (all []handClass) {
	for c := threecard.StraightFlush; c.Valid(); c-- {
		all = append(all, handClass{name: c.String()})
	}
	return counting(rules.PokerOrder, all)
})

var pictureClasses = sync.OnceValue(func() []handClass {
	all := []handClass{{name: pictures.ThreePictures.String()}}
	for points := 9; points >= 0; points-- {
		all = append(all, handClass{points: points})
	}
	return counting(rules.PictureOrder, all)
})

// counting counts the hands of each class.
func counting(order rules.Ranking, all []handClass) []handClass {
	for h := range card.Hands() {
		all[classOf(order, h)].ways++
	}
	return all
}

// classOf returns the place of a hand's class among those of classesOf.
func classOf(order rules.Ranking, h card.Hand) int {
	if order != rules.PictureOrder {
		return int(threecard.StraightFlush - threecard.Of(h).Category())
	}
	if r := pictures.Of(h); r != pictures.ThreePictures {
		return 10 - r.Points()
	}
	return 0
}
