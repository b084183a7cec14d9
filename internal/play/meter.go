package play

import (
	"encoding/json"
	"slices"
	"strconv"

	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Tables whose progressives have the same terms share one, and it outlives them
// in the account. What a round means for it is package linked's affair.

// seat names the table of the round in progress to the jackpot: each round has a
// table of its own, and rounds are numbered for the whole life of the account.
func (d *draft) seat() string {
	return "home-" + strconv.FormatInt(d.account.Rounds+1, 10)
}

// connect gives the table its jackpot, a new one if the account has none on such
// terms, and none if the table has none.
func (d *draft) connect() error {
	d.meter = jackpot.State{}
	if d.variant.Jackpot == nil {
		return nil
	}
	m, err := d.account.jackpotOf(d.variant)
	if err != nil {
		return err
	}
	d.setMeter(m)
	return nil
}

// setMeter keeps the table's jackpot.
func (d *draft) setMeter(m jackpot.State) {
	d.meter = m
	if m.Opened {
		d.account.setJackpot(m)
	}
}

// closeTable puts the table of a round away that has ended: its result stands,
// and the jackpot need not hold its bets any longer.
func (d *draft) closeTable() error {
	done, err := linked.Step(d.seat(), d.state, d.meter, table.Command{By: boss, AtMs: d.host.NowMs(), Do: table.CloseTable{}})
	if err != nil {
		return err
	}
	d.setMeter(done.Meter)
	return nil
}

// jackpotOf returns the jackpot that a table plays for: the account's on the same
// terms, or else a new one.
func (a *Account) jackpotOf(v *rules.Variant) (jackpot.State, error) {
	if err := Fits(v); err != nil {
		return jackpot.State{}, err
	}
	terms, _ := linked.Terms(v)
	if known := a.like(terms); known != nil {
		return *known, nil
	}
	_, m, err := linked.Open(v, 0, 0)
	return m, err
}

// like returns the account's jackpot on certain terms, nil if there is none. It
// must not be changed.
func (a *Account) like(terms jackpot.Terms) *jackpot.State {
	if a.Jackpot != nil && a.Jackpot.Terms == terms {
		return a.Jackpot
	}
	for i := range a.Jackpots {
		if a.Jackpots[i].Terms == terms {
			return &a.Jackpots[i]
		}
	}
	return nil
}

// setJackpot puts a jackpot in the place of the one on its terms.
func (a *Account) setJackpot(m jackpot.State) {
	if a.Jackpot == nil || a.Jackpot.Terms == m.Terms {
		a.Jackpot = &m
		return
	}
	a.Jackpots = slices.Clone(a.Jackpots)
	if i := slices.IndexFunc(a.Jackpots, func(other jackpot.State) bool { return other.Terms == m.Terms }); i >= 0 {
		a.Jackpots[i] = m
		return
	}
	a.Jackpots = append(a.Jackpots, m)
}

// holds reports whether the account has a jackpot exactly so.
func (a *Account) holds(m *jackpot.State) bool {
	known := a.like(m.Terms)
	if known == nil {
		return false
	}
	was, err := json.Marshal(known)
	is, errOther := json.Marshal(m)
	return err == nil && errOther == nil && string(was) == string(is)
}

// Meter is what the jackpot displays; ok is false at a table without one.
func (s *Session) Meter() (shown money.Amount, ok bool) {
	return s.now.meter.Displayed(), s.now.meter.Opened
}
