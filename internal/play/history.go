package play

import (
	"context"
	"errors"
	"slices"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/journal"
	"trey/internal/house/solo"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/money"
	"trey/table"
)

// keptRounds is the number of past rounds that are shown.
const keptRounds = 50

// Summary is a round that came to an end, as its player saw it.
type Summary struct {
	// Table and Round name it.
	Table string
	Round int
	Game
	// Ended is "settled" or "void", and Left reports whether the player left before.
	Ended      string
	Left       bool
	Dealer     []card.Card
	DealerRank string
	Hands      []HandSummary
	Lines      []table.Line
	Said       []Said
	// Net is what the round changed, Balance what it left.
	Net, Balance money.Amount
}

// HandSummary is one box of a round.
type HandSummary struct {
	Box int
	// Player is another player whose box it was, empty for the player's own.
	Player   string
	Cards    []card.Card
	Rank     string
	Decision string
}

// History returns the last rounds, the latest last. It must not be changed.
func (s *Session) History() ([]Summary, error) {
	if s.read {
		return s.history, nil
	}
	ctx := context.Background()
	q := journal.Query{Player: Player, Limit: keptRounds}
	var all []Summary
	for {
		page, err := (&journal.Journal{House: s.house, Record: s.host.Store}).Rounds(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Rounds {
			found := &page.Rounds[i]
			if found.Ended == "" || len(all) == keptRounds {
				continue
			}
			summary, err := s.summaryOf(found)
			if err != nil {
				return nil, err
			}
			all = append(all, summary)
		}
		if q.Before = page.Next; q.Before == 0 || len(all) == keptRounds {
			break
		}
	}
	slices.Reverse(all)
	s.history, s.read = all, true
	return all, nil
}

// remember adds a round to the history, and drops the oldest ones if there are too many.
func (s *Session) remember(r Summary) {
	if n := len(s.history); n > 0 && s.history[n-1].Table == r.Table && s.history[n-1].Round == r.Round {
		return
	}
	s.history = append(slices.Clone(s.history[max(0, len(s.history)-keptRounds+1):]), r)
}

// summaryOf reads a round that has ended.
func (s *Session) summaryOf(found *journal.FoundRound) (Summary, error) {
	c, state, lastSeq, err := s.follow(found.Table, found.Round, found.Seq)
	if err != nil {
		return Summary{}, err
	}
	var balance money.Amount
	err = s.host.Store.Movements(context.Background(), ledger.Account{Kind: ledger.Player, Of: Player}, lastSeq+1, 1, func(m house.Movement) error {
		balance = m.After
		return nil
	})
	return s.summary(found.Table, &state, &c, balance), err
}

// courseOf reads the round in progress at a table.
func (s *Session) courseOf(name string, round int) (course, error) {
	page, err := (&journal.Journal{House: s.house, Record: s.host.Store}).Rounds(context.Background(), journal.Query{Table: name, Limit: 1})
	if err != nil || len(page.Rounds) == 0 {
		return course{}, err
	}
	c, _, _, err := s.follow(name, round, page.Rounds[0].Seq)
	return c, err
}

// errOver ends the reading of a round.
var errOver = errors.New("the round is over")

// follow reads a round from the transaction that began it, and returns how the table
// stood after it and the number of its last transaction.
func (s *Session) follow(name string, round int, began int64) (c course, state table.State, lastSeq int64, err error) {
	withdrawal := record.Actions.Name(table.Withdraw{})
	err = s.house.EventsSince(context.Background(), house.Topic{Table: name}, began-1, func(n *house.Notice) error {
		if n.Round > round {
			return errOver
		}
		state, lastSeq = solo.State(n.State), n.Seq
		c.follow(solo.Events(n.Events), &state, n.Cause.Kind == withdrawal)
		return nil
	})
	if errors.Is(err, errOver) {
		err = nil
	}
	return c, state, lastSeq, err
}

// summary returns a round that has ended.
func (s *Session) summary(name string, state *table.State, c *course, balance money.Amount) Summary {
	r := Summary{
		Table: name, Round: state.Round, Game: gameOf(state.Variant), Ended: state.Phase.String(), Left: c.left,
		Lines: c.lines, Said: c.said, Net: net(c.lines), Balance: balance,
	}
	picture := table.View(*state, table.Viewer{Player: Player})
	if r.DealerRank = picture.DealerRank; r.DealerRank != "" {
		r.Dealer = picture.Dealer
	}
	for i := range picture.Boxes {
		b := &picture.Boxes[i]
		if len(b.Bettors) == 0 {
			continue
		}
		hand := HandSummary{Box: b.Box, Player: otherOn(state.Boxes[i]), Cards: b.Cards, Rank: b.Rank}
		if b.Decision != table.Undecided {
			hand.Decision = b.Decision.String()
		}
		r.Hands = append(r.Hands, hand)
	}
	return r
}
