package sim

import (
	"context"
	"fmt"
	"strconv"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Shuffler puts a deck into the order that a seed decides.
type Shuffler func(seed [32]byte) [52]card.Card

// engineBlock is the number of rounds that the engine plays in one go, some milliseconds.
const engineBlock = 256

// Engine plays whole rounds through the engine: bets are opened, placed and closed, the
// deck is shuffled and dealt, players examine their hands and play or fold by the
// strategy, the dealer's hand is shown, and everything is settled. Every box belongs to a
// player of its own, who makes every bet that the variant offers; so each bet is met by
// the Envy Bonuses of the other boxes.
//
// Round r is shuffled by the SHA-256 of a text, the seed and r. One box of each
// round, the next one every time, goes into the counts that are tested; all of
// them go into the mean.
//
// The error is an [Unplayable], or a command that the engine refuses, which none
// should be. An interruption through the context is no error, as with [Kernel].
func Engine(ctx context.Context, v *rules.Variant, shuffle Shuffler, o Options) (*Report, error) {
	p, err := plan(v, &o, true)
	if err != nil {
		return nil, err
	}
	start, err := table.New(v, table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual})
	if err != nil {
		return nil, err
	}
	seats := make([]*seated, o.Workers)
	for i := range seats {
		seats[i] = p.seat(shuffle)
	}
	played, err := share(ctx, &o, engineBlock, func(worker int, block, rounds int64) error {
		s := start
		for r := block * engineBlock; r < block*engineBlock+rounds; r++ {
			var err error
			if s, err = seats[worker].round(s, r); err != nil {
				return fmt.Errorf("round %d of seed %d: %w", r+1, o.Seed, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, other := range seats[1:] {
		for i, t := range other.tallies {
			seats[0].tallies[i].add(t)
		}
	}
	return p.report(seats[0].tallies, played), nil
}

// seated is the players of one table, their dealer, and what is counted of
// them.
type seated struct {
	p       *planned
	shuffle Shuffler
	dealer  table.Actor
	players []table.Actor
	// open are the commands of a round up to the deal.
	open []table.Command
	// betOf is the number of the bet to which a line of a wager belongs.
	betOf    map[rules.Wager]int
	tallies  []*tally
	cards    []table.Drawn
	sums     []int64
	ownLines []rules.Line
}

func (p *planned) seat(shuffle Shuffler) *seated {
	s := &seated{
		p: p, shuffle: shuffle, dealer: table.Actor{Name: "dealer", Role: rules.Dealer},
		betOf: map[rules.Wager]int{}, sums: make([]int64, len(p.bets)),
	}
	for box := 1; box <= p.o.Boxes; box++ {
		s.players = append(s.players, table.Actor{Name: "player " + strconv.Itoa(box), Role: rules.Player})
	}
	s.open = append(s.open, table.Command{By: s.dealer, Do: table.OpenBets{}})
	for i, by := range s.players {
		for k := range p.bets {
			b := &p.bets[k]
			s.open = append(s.open, table.Command{By: by, Do: table.Bet{
				Box: i + 1, Player: by.Name, Wager: b.bet.Wager(), Amount: b.stake,
			}})
		}
	}
	s.open = append(s.open, table.Command{By: s.dealer, Do: table.CloseBets{}})
	for k := range p.bets {
		stake := p.bets[k].bet.Wager()
		for i := range p.v.Book.Wagers {
			rule := &p.v.Book.Wagers[i]
			if rule.Wager == stake || rule.Basis == stake {
				s.betOf[rule.Wager] = k
			}
			if rule.Wager == stake && rule.Envy {
				s.betOf[rules.Envy] = k
			}
		}
		s.tallies = append(s.tallies, newTally())
	}
	return s
}

// round plays one round on the table and counts it.
func (s *seated) round(state table.State, number int64) (table.State, error) {
	var err error
	do := func(by table.Actor, a table.Action) {
		if err == nil {
			_, state, err = table.Step(state, table.Command{By: by, Do: a})
		}
	}
	for _, c := range s.open {
		do(c.By, c.Do)
	}
	if err != nil {
		return state, err
	}
	deck := s.shuffle(numbered("trey simulated round\n", s.p.o.Seed, number))
	s.cards = s.cards[:0]
	for _, c := range deck[:len(state.ToCome())] {
		s.cards = append(s.cards, table.Drawn{Card: c})
	}
	do(s.dealer, table.Deal{Cards: s.cards})
	if s.p.v.Book.Decision != nil {
		for i, by := range s.players {
			do(by, table.Examine{Box: i + 1, Player: by.Name})
			hand, _ := state.Hand(table.Box(i + 1))
			if s.p.plays(hand) {
				do(by, table.Raise{Box: i + 1, Player: by.Name})
			} else {
				do(by, table.Fold{Box: i + 1, Player: by.Name})
			}
		}
	}
	do(s.dealer, table.Reveal{})
	do(s.dealer, table.Settle{Meter: s.meter()})
	if err != nil {
		return state, err
	}
	s.count(&state, int(number%int64(s.p.o.Boxes))+1)
	return state, nil
}

func (s *seated) meter() money.Amount {
	if s.p.v.Jackpot == nil {
		return 0
	}
	return s.p.o.Meter
}

// count adds a settled round: the lines of one box to the tested counts, those
// of all boxes to the sums.
func (s *seated) count(state *table.State, box int) {
	clear(s.sums)
	folded := state.Boxes[box-1].Decision == table.Folded
	for k := range s.tallies {
		s.ownLines = s.ownLines[:0]
		for i := range state.Lines {
			l := &state.Lines[i]
			if s.betOf[l.Wager] != k {
				continue
			}
			s.sums[k] += int64(l.Line.Net())
			if l.Box == box {
				s.ownLines = append(s.ownLines, l.Line)
			}
		}
		s.tallies[k].count(s.p, s.p.bets[k].bet, s.ownLines, folded, 1)
		s.tallies[k].sums[s.sums[k]]++
	}
}
