package posting_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/ledger"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

func player(name string) ledger.Account { return ledger.Account{Kind: ledger.Player, Of: name} }

// wagerAt is a wager of a player at a table.
type wagerAt struct {
	table, player string
	box           int
	wager         rules.Wager
}

// accounts holds the balances that follow from the accounts of the events alone: no
// posting is asked, and no state. What leaves a player and does not lie on the layout has
// gone to the table's win, the only account that is not stated by an event.
type accounts struct {
	of      map[ledger.Account]money.Amount
	lies    map[wagerAt]money.Amount
	settled map[string]table.BoxSet
	// events and jackpots return the accounts: those of the engine, or broken ones.
	events   func(table.Event) table.Effect
	jackpots func(jackpot.Event) jackpot.Effect
}

func newAccounts() accounts {
	return accounts{
		of: map[ledger.Account]money.Amount{}, lies: map[wagerAt]money.Amount{}, settled: map[string]table.BoxSet{},
		events: table.EffectOf, jackpots: jackpot.EffectOf,
	}
}

func (a *accounts) follow(name string, events []table.Event) {
	layout, win := ledger.Account{Kind: ledger.Layout, Of: name}, ledger.Account{Kind: ledger.Win, Of: name}
	for _, e := range events {
		does := a.events(e)
		if does.Begins != 0 {
			a.settled[name] = 0
			maps.DeleteFunc(a.lies, func(at wagerAt, _ money.Amount) bool { return at.table == name })
		}
		if b := &does.Bet; b.Use != 0 {
			at := wagerAt{name, b.Player, b.Box, b.Wager}
			more := b.More(a.lies[at])
			a.lies[at] += more
			a.of[layout] += more
			a.of[player(b.Player)] -= more
		}
		for i := range does.Lines {
			l := &does.Lines[i]
			if !a.settled[name].Has(l.Box) {
				a.lies[wagerAt{name, l.Player, l.Box, l.Wager}] -= l.Stake
				a.of[layout] -= l.Stake
				a.of[win] += l.Stake
			}
			a.of[win] -= l.Net()
			a.of[player(l.Player)] += l.Net()
		}
		a.settled[name] = (a.settled[name] | does.Clears).Without(does.Reopens)
		for _, l := range does.Relaid {
			a.lies[wagerAt{name, l.Player, does.Reopens, l.Wager}] += l.Amount
			a.of[layout] += l.Amount
			a.of[win] -= l.Amount
		}
	}
}

// moved follows the jackpot. Its table's lines have given a winner the sum, from the win.
func (a *accounts) moved(name string, events []jackpot.Event) {
	for _, e := range events {
		does := a.jackpots(e)
		purses := map[jackpot.Purse]ledger.Account{
			jackpot.HousePurse:   {Kind: ledger.House},
			jackpot.WinPurse:     {Kind: ledger.Win, Of: name},
			jackpot.MeterPurse:   {Kind: ledger.Meter, Of: jackpotName},
			jackpot.ReservePurse: {Kind: ledger.Reserve, Of: jackpotName},
			jackpot.PayablePurse: {Kind: ledger.Payable, Of: jackpotName},
			jackpot.WinnerPurse:  player(does.Winner),
		}
		for _, m := range does.Moves {
			to := purses[m.To]
			if m.Use == jackpot.MovePays {
				to = purses[jackpot.WinPurse]
			}
			a.of[purses[m.From]] -= m.Amount
			a.of[to] += m.Amount
		}
	}
}

// differ returns the first account that the books keep otherwise, empty if there is none.
// A debt is a player's, below zero, and cash is the money that players brought.
func (a *accounts) differ(book ledger.Book) string {
	kept := map[ledger.Account]money.Amount{}
	for of, amount := range book {
		switch of.Kind {
		case ledger.Cash:
		case ledger.Owed:
			kept[player(of.Of)] -= amount
		default:
			kept[of] += amount
		}
	}
	for of := range a.of {
		kept[of] += 0
	}
	for of, amount := range kept {
		if sum := a.of[of]; sum != amount {
			return fmt.Sprintf("%s holds %s by the accounts of the events, and %s by the books", of, sum.Display(), amount.Display())
		}
	}
	return ""
}

// finds reports whether any of the random rounds shows what was broken.
func finds(t *testing.T, breaks func(*floor)) (found bool) {
	// Few rounds collect a jackpot again, so that there are many of them until one has.
	const rounds = 10
	rapid.Check(t, func(t *rapid.T) {
		for range rounds {
			if found {
				return
			}
			f := anyFloor(t)
			f.broken = true
			breaks(f)
			f.play(t)
			found = f.wrong != ""
		}
	})
	return found
}

// TestWrongPostingIsFound leaves the postings of one reason after another out: the
// property above has to see each of them.
func TestWrongPostingIsFound(t *testing.T) {
	for _, reason := range []ledger.Reason{
		ledger.Bet, ledger.Found, ledger.StakeReturned, ledger.StakeWon, ledger.Winnings, ledger.Collected, ledger.Relaid,
		ledger.JackpotPaid, ledger.Contribution, ledger.Overflow, ledger.ContributionReturned, ledger.Reseed, ledger.Held,
	} {
		t.Run(reason.String(), func(t *testing.T) {
			if !finds(t, func(f *floor) {
				f.breaks = func(all []ledger.Posting) []ledger.Posting {
					return slices.DeleteFunc(slices.Clone(all), func(p ledger.Posting) bool { return p.For.Reason == reason })
				}
			}) {
				t.Errorf("no round of any book shows that the postings as %s are left out", reason)
			}
		})
	}
}

// TestWrongAccountIsFound breaks the account of one thing after another: the books differ
// from it then.
func TestWrongAccountIsFound(t *testing.T) {
	for name, wrong := range map[string]func(*table.Effect){
		"a bet that adds what it raises to": func(e *table.Effect) {
			if e.Bet.Use == table.BetRaises || e.Bet.Use == table.BetFound {
				e.Bet.Use = table.BetAdds
			}
		},
		"a bet of another player":    func(e *table.Effect) { e.Bet.Player += "n" },
		"lines of which one is lost": func(e *table.Effect) { e.Lines = e.Lines[:max(0, len(e.Lines)-1)] },
		"a box that stays":           func(e *table.Effect) { e.Clears = 0 },
		"a box that does not open":   func(e *table.Effect) { e.Relaid = nil },
	} {
		t.Run(name, func(t *testing.T) {
			if !finds(t, func(f *floor) {
				f.sums.events = func(e table.Event) table.Effect {
					does := table.EffectOf(e)
					wrong(&does)
					return does
				}
			}) {
				t.Errorf("no round of any book shows that the account has %s", name)
			}
		})
	}
	// Each movement of money, by its use and where it goes.
	for _, move := range []jackpot.Move{
		{Use: jackpot.MoveContributes, To: jackpot.MeterPurse},
		{Use: jackpot.MoveContributes, To: jackpot.ReservePurse},
		{Use: jackpot.MoveReturns, To: jackpot.WinPurse},
		{Use: jackpot.MovePays, To: jackpot.WinnerPurse},
		{Use: jackpot.MoveReseeds, To: jackpot.MeterPurse},
		{Use: jackpot.MoveReseeds, To: jackpot.HousePurse},
		{Use: jackpot.MoveHolds, To: jackpot.PayablePurse},
		{Use: jackpot.MoveReleases, To: jackpot.WinnerPurse},
		{Use: jackpot.MoveCollects, To: jackpot.MeterPurse},
		{Use: jackpot.MoveAdjusts, To: jackpot.MeterPurse},
		{Use: jackpot.MoveAdjusts, To: jackpot.HousePurse},
	} {
		t.Run(fmt.Sprintf("%s to %s", move.Use, move.To), func(t *testing.T) {
			if !finds(t, func(f *floor) {
				f.sums.jackpots = func(e jackpot.Event) jackpot.Effect {
					does := jackpot.EffectOf(e)
					does.Moves = slices.DeleteFunc(does.Moves, func(m jackpot.Move) bool { return m.Use == move.Use && m.To == move.To })
					return does
				}
			}) {
				t.Errorf("no round of any book shows that the account leaves out what %s to the %s", move.Use, move.To)
			}
		})
	}
}
