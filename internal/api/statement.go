package api

import (
	"cmp"
	"context"
	"math"
	"slices"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/money"
	"trey/table"
)

// PlayedRound is the result of a round for a player.
type PlayedRound struct {
	Table  string       `json:"table"`
	Round  int          `json:"round"`
	AtMs   int64        `json:"at_ms" doc:"The time of the last movement of the player's money by it."`
	Staked money.Amount `json:"staked" doc:"The sum of the bets, less those taken back or returned by the time the bets were closed."`
	Back   money.Amount `json:"back" doc:"The sum that came back: stakes returned and winnings."`
	Net    money.Amount `json:"net" doc:"The net result; a loss if it is below zero."`
	After  money.Amount `json:"after" doc:"The balance after it."`
	Open   bool         `json:"open,omitempty" doc:"The round is still in play."`

	seq  int64 // of the last movement
	held bool  // a jackpot was held, and may have been handed out after the round
}

type statement struct {
	Body struct {
		Account ledger.Account `json:"account"`
		Rounds  []PlayedRound  `json:"rounds"`
		Next    int64          `json:"next,omitempty" doc:"Ask with before= this for the page before; absent on the last."`
	}
}

// roundKey names a round of a table.
type roundKey struct {
	table string
	round int
}

// chunk is the number of movements read at a time: nothing else is asked of the record
// while it is being read.
const chunk = 500

// movementsBefore reads one chunk of an account's movements.
func (d *server) movementsBefore(ctx context.Context, a ledger.Account, before int64) ([]house.Movement, error) {
	var all []house.Movement
	err := d.Record.Movements(ctx, a, before, chunk, func(m house.Movement) error {
		all = append(all, m)
		return nil
	})
	return all, err
}

// statementOf returns a page of the rounds that an account was played from. A round is listed
// on the page of its last movement, with all of its movements. The page is therefore read on to
// the beginning of its first round. A jackpot that was held may move the account long after its
// round. The round is then on an earlier page, and this page has a round less.
func (d *server) statementOf(ctx context.Context, a ledger.Account, in *Page) (*statement, error) {
	out := &statement{}
	out.Body.Account, out.Body.Rounds = a, []PlayedRound{}
	page := map[roundKey]*PlayedRound{}
	elsewhere := map[roundKey]bool{} // rounds that stand on another page
	lowest, last, full := int64(math.MaxInt64), int64(math.MaxInt64), false
	for at := in.Before; ; {
		all, err := d.movementsBefore(ctx, a, at)
		if err != nil {
			return nil, err
		}
		for i := range all {
			m := &all[i]
			if full && m.Seq < lowest {
				all = nil
				break
			}
			for key, of := range playedIn(a, m) {
				if page[key] == nil && !elsewhere[key] {
					begin, end, open, err := d.spanOf(ctx, key)
					if err != nil {
						return nil, err
					}
					full = full || len(page) == in.Limit // and stays so when a jackpot takes a round from it
					elsewhere[key] = full
					if !elsewhere[key] && in.Before > 0 && end > in.Before {
						if elsewhere[key], err = d.movedLater(ctx, a, key, in.Before, end); err != nil {
							return nil, err
						}
					}
					if !elsewhere[key] {
						page[key] = &PlayedRound{Table: key.table, Round: key.round, AtMs: m.AtMs, After: m.After, Open: open, seq: m.Seq}
						lowest, last = min(lowest, begin), m.Seq
					}
				}
				if page[key] != nil && of.held && in.Before > 0 {
					later, err := d.movedLater(ctx, a, key, in.Before, math.MaxInt64)
					if err != nil {
						return nil, err
					}
					if later {
						delete(page, key)
						elsewhere[key] = true
					}
				}
				if r := page[key]; r != nil {
					r.Staked += of.Staked
					r.Back += of.Back
					r.Net = r.Back - r.Staked
				}
			}
		}
		if len(all) < chunk {
			break
		}
		at = all[len(all)-1].Seq
	}
	for _, r := range page {
		out.Body.Rounds = append(out.Body.Rounds, *r)
	}
	slices.SortFunc(out.Body.Rounds, func(a, b PlayedRound) int { return cmp.Compare(b.seq, a.seq) })
	if full {
		out.Body.Next = last
	}
	return out, nil
}

// takesBack are the commands by which a bet goes back to its player before the cards are dealt.
var takesBack = map[string]bool{record.Actions.Name(table.Withdraw{}): true, record.Actions.Name(table.CloseBets{}): true}

// playedIn returns the rounds in which a movement is of an account's play.
func playedIn(a ledger.Account, m *house.Movement) map[roundKey]PlayedRound {
	rounds := map[roundKey]PlayedRound{}
	for i := range m.Postings {
		p := &m.Postings[i]
		key := roundKey{p.For.Table, p.For.Round}
		if key.table == "" || key.round == 0 {
			continue
		}
		r := rounds[key]
		switch {
		case p.From == a && (p.For.Reason == ledger.Bet || p.For.Reason == ledger.Found):
			r.Staked += p.Amount
		case p.To == a && (p.For.Reason == ledger.Found || p.For.Reason == ledger.StakeReturned && takesBack[m.Cause.Kind]):
			r.Staked -= p.Amount
		case p.From == a:
			r.Back -= p.Amount // a settlement that was reversed, or a jackpot that is held
			r.held = r.held || p.For.Reason == ledger.Held
		case p.To == a:
			r.Back += p.Amount
		default:
			continue
		}
		rounds[key] = r
	}
	return rounds
}

// spanOf returns the first and the last transaction of a round; open reports that no other
// round has begun after it.
func (d *server) spanOf(ctx context.Context, key roundKey) (begin, end int64, open bool, err error) {
	end = math.MaxInt64
	err = d.Record.Rounds(ctx, "table:"+key.table, key.round+2, 2, func(m house.RoundMark) error {
		switch m.Round {
		case key.round:
			begin = m.Seq
		case key.round + 1:
			end = m.Seq
		}
		return nil
	})
	if err != nil {
		return begin, end, open, err
	}
	t, err := d.House.Table(key.table)
	if err == nil {
		open = t.Round() == key.round && t.Phase().InRound()
	}
	return begin, end, open, err
}

// movedLater reports whether a round moved an account between two numbers.
func (d *server) movedLater(ctx context.Context, a ledger.Account, key roundKey, from, to int64) (bool, error) {
	for at := to; ; {
		if at == math.MaxInt64 {
			at = 0 // the newest
		}
		all, err := d.movementsBefore(ctx, a, at)
		if err != nil {
			return false, err
		}
		for i := range all {
			if all[i].Seq < from {
				return false, nil
			}
			if _, there := playedIn(a, &all[i])[key]; there {
				return true, nil
			}
		}
		if len(all) < chunk {
			return false, nil
		}
		at = all[len(all)-1].Seq
	}
}
