package surveillance

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"
	"sync"

	"trey/internal/house"
	"trey/internal/web/felt"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/table"
)

// result is the outcome of a round that has ended: its cards, and the net of each player.
type result struct {
	boxes  []boxResult
	dealer []felt.Face
	// house is the net of the house: what all players lost, less what they won.
	house money.Amount
	// theoretical is the win that the house could expect of the bets that were settled;
	// hasTheory is false where no bet has one.
	theoretical money.Amount
	hasTheory   bool
}

// boxResult is the outcome of a round for one box.
type boxResult struct {
	box     int
	faces   []felt.Face
	players []playerNet
}

// playerNet is the change of the money of a player by the bets on one box.
type playerNet struct {
	name string
	net  money.Amount
}

// bettor is a player at a box.
type bettor struct {
	box    int
	player string
}

// laidWager is a wager of a bettor.
type laidWager struct {
	bettor
	wager rules.Wager
}

// resultOf reads the outcome of a round. It refuses with [house.ErrRoundOpen] while the round
// is in play: its cards are nobody's to see.
func (r *handlers) resultOf(ctx context.Context, name string, round int) (*result, error) {
	nets, lies, settled := map[bettor]money.Amount{}, map[laidWager]money.Amount{}, map[laidWager]money.Amount{}
	var last table.State
	err := r.House.Ended(ctx, name, round, func(e *house.EndedStep) error {
		for _, event := range e.Events {
			does := table.EffectOf(event)
			if does.Bet.Use != 0 {
				at := laidWager{bettor{does.Bet.Box, does.Bet.Player}, does.Bet.Wager}
				more := does.Bet.More(lies[at])
				lies[at] += more
				nets[at.bettor] -= more
			}
			for i := range does.Lines {
				l := &does.Lines[i]
				at := laidWager{bettor{l.Box, l.Player}, l.Wager}
				nets[at.bettor] += l.Net()
				switch does.LineUse {
				case table.LinesSettle:
					if l.Result != rules.GivenBack {
						settled[at] = l.Stake - l.Excess
					}
					delete(lies, at)
				case table.LinesReturn, table.LinesCancel:
					delete(settled, at)
					delete(lies, at)
				case table.LinesUndo, table.LinesCorrect: // Stakes that lie again are below.
				}
			}
			for _, stake := range does.Relaid {
				at := laidWager{bettor{does.Reopens, stake.Player}, stake.Wager}
				lies[at] = stake.Amount
				delete(settled, at)
			}
		}
		last = e.State
		return nil
	})
	if err != nil {
		return nil, err
	}
	layout := felt.Example(&last)
	out := &result{dealer: layout.Dealer}
	for _, at := range slices.SortedFunc(maps.Keys(nets), func(a, b bettor) int {
		return cmp.Or(cmp.Compare(a.box, b.box), cmp.Compare(a.player, b.player))
	}) {
		if n := len(out.boxes); n == 0 || out.boxes[n-1].box != at.box {
			out.boxes = append(out.boxes, boxResult{box: at.box})
			if at.box >= 1 && at.box <= len(layout.Boxes) {
				out.boxes[n].faces = layout.Boxes[at.box-1].Faces
			}
		}
		of := &out.boxes[len(out.boxes)-1]
		of.players = append(of.players, playerNet{at.player, nets[at]})
		out.house -= nets[at]
	}
	return out, out.expect(last.Variant, settled)
}

// expect adds the theoretical win: house edge times each bet that was settled. Jackpot wagers
// have none, because their win is shared with the meter.
func (o *result) expect(v *rules.Variant, settled map[laidWager]money.Amount) error {
	staked := map[bettor]*rules.Stakes{}
	for at, amount := range settled {
		if staked[at.bettor] == nil {
			staked[at.bettor] = &rules.Stakes{}
		}
		staked[at.bettor][at.wager] = amount
	}
	sum := new(big.Rat)
	for _, x := range odds.ExposedBets(v) {
		var total money.Amount
		for _, stakes := range staked {
			total += x.Stake(stakes)
		}
		if total == 0 {
			continue
		}
		edge, err := edgeOf(v, x)
		if err != nil {
			return err
		}
		sum.Add(sum, edge.Mul(edge, new(big.Rat).SetInt64(int64(total))))
		o.hasTheory = true
	}
	nearest, _ := new(big.Int).SetString(sum.FloatString(0), 10)
	o.theoretical = money.Amount(nearest.Int64())
	return nil
}

// edges holds the house edges that were worked out, by the hash of the rules and the bet.
var edges sync.Map // of func() (*big.Rat, error)

// edgeOf returns the house edge of a bet.
func edgeOf(v *rules.Variant, x odds.ExposedBet) (*big.Rat, error) {
	type key struct {
		hash string
		bet  odds.ExposedBet
	}
	work, _ := edges.LoadOrStore(key{v.Hash(), x}, sync.OnceValues(func() (*big.Rat, error) {
		edge, err := odds.EdgeOf(v, x)
		return edge.Rat(), err
	}))
	edge, err := work.(func() (*big.Rat, error))()
	if err != nil {
		return nil, err
	}
	return new(big.Rat).Set(edge), nil
}
