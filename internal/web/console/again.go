package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/web/site"
	"trey/money"
	"trey/table"
)

// errFound ends a search of the record.
var errFound = errors.New("found")

// lastBets returns the bets of the round before the one in which bets are placed now, as they
// lay at "No more bets". It leaves out those at boxes that have bets already and those of
// players who may not bet.
func (d *handlers) lastBets(ctx context.Context, t *tableView) (all []table.Bet, err error) {
	last, err := d.lastClosed(ctx, t)
	if err != nil || last == nil {
		return nil, err
	}
	wagers := t.offered()
	for box := 1; box <= min(last.Boxes(), t.State.Boxes()); box++ {
		if t.State.Staked(box) {
			continue
		}
		for _, bettor := range last.Bettors(box) {
			for _, w := range wagers {
				if amount := bettor.Stakes[w]; amount > 0 {
					all = append(all, table.Bet{Box: box, Player: bettor.Player, Wager: w, Amount: amount, Standing: bettor.Standing})
				}
			}
		}
	}
	return d.ofWhoMayBet(ctx, t, all), nil
}

// lastClosed returns the state of the round before this one at "No more bets"; nil if its bets
// were never closed.
func (d *handlers) lastClosed(ctx context.Context, t *tableView) (last *house.State, err error) {
	var marks []house.RoundMark
	err = d.Record.Rounds(ctx, "table:"+t.Name, 0, 2, func(m house.RoundMark) error {
		marks = append(marks, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(marks, func(m house.RoundMark) bool { return m.Round == t.State.Round()-1 })
	if i < 0 {
		return nil, nil
	}
	err = d.House.EventsSince(ctx, house.Topic{Table: t.Name}, marks[i].Seq-1, func(n *house.Notice) error {
		if n.Round != marks[i].Round {
			return errFound
		}
		closed := slices.ContainsFunc(n.Events, func(e house.TableEvent) bool {
			_, ok := e.For(table.Viewer{}).(table.BetsClosed)
			return ok
		})
		if !closed {
			return nil
		}
		last = &n.State
		return errFound
	})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	return last, nil
}

// ofWhoMayBet leaves out the bets of players whose first bet is refused because they are
// excluded, at a limit or without the money. What the rules of the table refuse is left in: it
// may depend on the bets before it.
func (d *handlers) ofWhoMayBet(ctx context.Context, t *tableView, all []table.Bet) []table.Bet {
	refused := map[string]bool{}
	for _, bet := range all {
		if _, asked := refused[bet.Player]; asked {
			continue
		}
		bet.Standing = false // a player who stands waits for the bet of the box
		_, err := d.House.DryRun(ctx, house.CommandRequest{Table: t.Name, By: t.person.Person, Do: bet})
		var protects *protection.Refusal
		var short *ledger.Short
		refused[bet.Player] = errors.As(err, &protects) || errors.As(err, &short)
	}
	return slices.DeleteFunc(all, func(bet table.Bet) bool { return refused[bet.Player] })
}

// againKey returns the idempotency key of one of the bets that a button places once more, for
// which the form has one key. A hash of everything that distinguishes two bets is short enough
// for a key.
func againKey(base string, bet *table.Bet) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %s %q", base, bet.Box, bet.Wager, bet.Player))
	return key(hex.EncodeToString(sum[:]))
}

// betAgain places the bets of the last round once more: those of a box, or all for zero.
// It stops at the first that is refused, and says which. What was begun is ended whether the dealer
// waits for the answer or not: a box that has a bet is offered no others of the last round.
func (d *handlers) betAgain(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	t, err := d.tableOf(v, s)
	if err != nil {
		return nil, err
	}
	box, err := strconv.Atoi(form.Get("box"))
	if err != nil {
		return malformed(v, v.T("problem.form")), nil
	}
	ctx := context.WithoutCancel(v.Context())
	base, placed := form.Get("key"), 0
	for _, bet := range t.last {
		if box != 0 && bet.Box != box {
			continue
		}
		o := house.CommandRequest{Key: key(""), Table: t.Name, By: s.Person, Do: bet}
		if base != "" {
			o.Key = againKey(base, &bet)
		}
		if _, err := d.House.Do(ctx, o); err != nil {
			said, err := refused(v, err)
			if err != nil {
				return nil, err
			}
			said.text = v.N("console.again-stopped", placed, "box", bet.Box, "player", bet.Player, "wager", v.Term(bet.Wager.Name()))
			return said, nil
		}
		placed++
	}
	if placed == 0 {
		return &answer{status: 409, title: v.T("console.refused"), text: v.T("console.again-none")}, nil
	}
	return done(v.N("console.again-placed", placed)), nil
}

// lastOf is the bet at a box in the last round.
type lastOf struct {
	box    int
	player string
	amount money.Amount
}

// lastBoxes sums the bets of the last round, box by box.
func (t *tableView) lastBoxes() (all []lastOf) {
	for _, bet := range t.last {
		if i := slices.IndexFunc(all, func(l lastOf) bool { return l.box == bet.Box }); i >= 0 {
			all[i].amount += bet.Amount
			continue
		}
		all = append(all, lastOf{bet.Box, bet.Player, bet.Amount})
	}
	return all
}

// lastSum returns the sum of the bets in the last round.
func (t *tableView) lastSum() (sum money.Amount) {
	for _, bet := range t.last {
		sum += bet.Amount
	}
	return sum
}
