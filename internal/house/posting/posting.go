// Package posting is the one place that says what an event moves between
// accounts: bets and settlement lines of a table, contributions, payments and
// resets of its jackpot.
//
// The lines that a table shows are the money that it moves. [Of] checks its own result. The
// postings must give each player what the events say. The layout's account must hold the chips
// on the boxes, and the accounts of the jackpot its meter and its reserve. Where one of them
// differs it returns [*Mismatch], which stops the table, and nothing has moved.
package posting

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// Place says whose accounts are meant.
type Place struct {
	// Table is the table's name; Jackpot the jackpot's, empty for none.
	Table, Jackpot string
}

func player(name string) ledger.Account { return ledger.Account{Kind: ledger.Player, Of: name} }
func owed(name string) ledger.Account   { return ledger.Account{Kind: ledger.Owed, Of: name} }

func (p Place) layout() ledger.Account  { return ledger.Account{Kind: ledger.Layout, Of: p.Table} }
func (p Place) win() ledger.Account     { return ledger.Account{Kind: ledger.Win, Of: p.Table} }
func (p Place) meter() ledger.Account   { return ledger.Account{Kind: ledger.Meter, Of: p.Jackpot} }
func (p Place) payable() ledger.Account { return ledger.Account{Kind: ledger.Payable, Of: p.Jackpot} }

func (p Place) reserve() ledger.Account { return ledger.Account{Kind: ledger.Reserve, Of: p.Jackpot} }

var house = ledger.Account{Kind: ledger.House}

// Mismatch is money that does not follow what was shown. It is a fault of ours,
// never of whoever gave the command: the table must stop.
type Mismatch struct {
	Place Place
	// What differs, what was shown and what would move.
	What         string
	Shown, Moves money.Amount
}

// Error says what differs.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("table %s must stop: %s: %s is shown and %s moves", m.Place.Table, m.What, m.Shown.Display(), m.Moves.Display())
}

// Of returns the postings of one command at a table, and what they change.
// Before is the table before it. A [*ledger.Short] is a player's account that
// does not cover a bet; a [*Mismatch] is a fault.
func Of(at Place, before *table.State, done *linked.Outcome, on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
	f := follower{
		at: at, before: before, variant: done.State.Variant, jackpot: effects(done.Moved),
		round: before.Round, line: len(before.Lines),
	}
	for i, b := range before.Boxes {
		if b.Settled {
			f.taken = f.taken.With(i + 1)
		}
	}
	for _, e := range done.Events {
		if err := f.event(e); err != nil {
			return nil, nil, err
		}
	}
	for i := range f.jackpot {
		if err := f.moved(&f.jackpot[i]); err != nil {
			return nil, nil, err
		}
	}
	if f.toPay != 0 {
		return nil, nil, &Mismatch{at, "what the meter pays", f.toPay, 0}
	}
	if f.toCollect != 0 {
		return nil, nil, &Mismatch{at, "what the meter takes back", f.toCollect, 0}
	}
	f.lend(on)
	changes, err := ledger.Post(on, f.postings...)
	if err != nil {
		return nil, nil, err
	}
	if err := f.check(done, changes, on); err != nil {
		return nil, nil, err
	}
	return f.postings, changes, nil
}

// Moved returns the postings of what happens to a jackpot apart from any table:
// its opening and its adjustments.
func Moved(name string, meter jackpot.State, events []jackpot.Event, on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
	f := follower{at: Place{Jackpot: name}, jackpot: effects(events)}
	for i := range f.jackpot {
		if err := f.moved(&f.jackpot[i]); err != nil {
			return nil, nil, err
		}
	}
	changes, err := ledger.Post(on, f.postings...)
	if err != nil {
		return nil, nil, err
	}
	return f.postings, changes, f.checkJackpot(meter, changes, on)
}

// follower turns the events of one command into postings, in order.
type follower struct {
	at      Place
	before  *table.State
	variant *rules.Variant
	// jackpot holds the accounts of its events.
	jackpot  []jackpot.Effect
	postings []ledger.Posting
	// round is the round of the next event, line the last settlement line.
	round, line int
	// taken are the boxes whose bets have left the layout.
	taken table.BoxSet
	// collects are the players from whom a reversed settlement takes back.
	collects []string
	// toCollect is the sum that lines have collected again of payments from the meter, and that
	// the jackpot's own events must still take back, or the reverse.
	toCollect money.Amount
	// counted are the boxes whose share of the meter is in toCollect.
	counted table.BoxSet
	// toPay is the sum that settlement lines have been paid from the meter, and that the
	// jackpot's own events must still pay, or the reverse.
	toPay money.Amount
}

func (f *follower) post(from, to ledger.Account, amount money.Amount, ref ledger.Reference) {
	if amount == 0 {
		return
	}
	f.postings = append(f.postings, ledger.Posting{From: from, To: to, Amount: amount, For: ref})
}

func (f *follower) event(e table.Event) error {
	ref := ledger.Reference{Table: f.at.Table, Round: f.round}
	does := table.EffectOf(e)
	if does.Begins != 0 {
		f.round, f.line, f.taken = does.Begins, 0, 0
	}
	f.bet(&does.Bet, ref)
	if does.LineUse == table.LinesSettle {
		f.postings = slices.Grow(f.postings, 2*len(does.Lines))
	}
	for i := range does.Lines {
		l := &does.Lines[i]
		switch does.LineUse {
		case table.LinesSettle:
			if err := f.settle(l, ref); err != nil {
				return err
			}
		case table.LinesReturn, table.LinesCancel, table.LinesUndo:
			f.giveBack(l, ref)
		case table.LinesCorrect:
			f.correct(l, ref)
		default:
			return &Mismatch{f.at, fmt.Sprintf("a line of box %d without a use", l.Box), l.Net(), 0}
		}
	}
	f.taken |= does.Clears
	ref.Reason, ref.Box, ref.Clause = ledger.Relaid, does.Reopens, does.RelaidBy
	for _, l := range does.Relaid {
		ref.Wager = l.Wager
		f.post(f.at.win(), f.at.layout(), l.Amount, ref)
	}
	f.taken = f.taken.Without(does.Reopens)
	return nil
}

// bet lays a wager, or changes what lies there to what it is found or raised to be. An
// event without a bet changes nothing.
func (f *follower) bet(b *table.BetEffect, ref ledger.Reference) {
	ref.Reason, ref.Box, ref.Wager, ref.Clause = ledger.Bet, b.Box, b.Wager, b.Clause
	if b.Use == table.BetFound {
		ref.Reason = ledger.Found
	}
	f.lay(b.Player, b.More(stake(f.before, b.Box, b.Player, b.Wager)), ref)
}

// stake returns the stake on a wager. An event that sets one is the first of its command,
// so that the table before the command has it.
func stake(s *table.State, box int, name string, w rules.Wager) money.Amount {
	if box < 1 {
		return 0
	}
	bettors := s.Boxes[box-1].Bettors
	for i := range bettors {
		if bettors[i].Player == name {
			return bettors[i].Stakes[w]
		}
	}
	return 0
}

// lay puts more on the layout, or takes some of it off.
func (f *follower) lay(name string, more money.Amount, ref ledger.Reference) {
	if more < 0 {
		f.post(f.at.layout(), player(name), -more, ref)
		return
	}
	f.post(player(name), f.at.layout(), more, ref)
}

func (f *follower) named(l *table.Line, ref ledger.Reference) ledger.Reference {
	f.line++
	ref.Box, ref.Wager, ref.Line, ref.Clause = l.Box, l.Wager, f.line, l.Clause
	return ref
}

// settle carries out a line of the settlement: of the stake a part goes back
// and the rest is won by the house, and the winnings are paid on top.
func (f *follower) settle(l *table.Line, ref ledger.Reference) error {
	ref = f.named(l, ref)
	back := l.Returned - l.Pays
	ref.Reason = ledger.StakeReturned
	f.post(f.at.layout(), player(l.Player), back, ref)
	ref.Reason = ledger.StakeWon
	f.post(f.at.layout(), f.at.win(), l.Stake-back, ref)
	if !f.fromMeter(l) {
		ref.Reason = ledger.Winnings
		f.post(f.at.win(), player(l.Player), l.Pays, ref)
		return nil
	}
	for i := range f.jackpot {
		does := &f.jackpot[i]
		if does.Hits <= 0 || does.Hit.Box != l.Box { // one of another table is refused below
			continue
		}
		if does.Paid != l.Pays {
			return &Mismatch{f.at, fmt.Sprintf("the jackpot of box %d", l.Box), l.Pays, does.Paid}
		}
		ref.Jackpot = f.at.Jackpot
		for k := range does.Moves {
			if m := &does.Moves[k]; m.Use == jackpot.MovePays {
				ref.Reason = reason(m)
				f.post(f.purse(m.From, ""), player(l.Player), m.Amount, ref)
			}
		}
		f.toPay -= l.Pays
		return nil
	}
	return &Mismatch{f.at, fmt.Sprintf("the jackpot of box %d", l.Box), l.Pays, 0}
}

// fromMeter reports whether a line pays what the jackpot displays.
func (f *follower) fromMeter(l *table.Line) bool {
	if l.Wager != rules.Progressive || l.Pays == 0 {
		return false
	}
	for _, row := range f.variant.Pays[rules.Progressive].Rows {
		if row.Combo == l.Combo {
			return row.Pay.MeterPercent != 0
		}
	}
	return false
}

// giveBack carries out a line that returns a stake. If the box was settled, or
// the bet collected before, the stake had gone to the house, and what was paid for
// it is collected again.
func (f *follower) giveBack(l *table.Line, ref ledger.Reference) {
	ref = f.named(l, ref)
	ref.Reason = ledger.StakeReturned
	if !f.taken.Has(l.Box) {
		f.post(f.at.layout(), player(l.Player), l.Returned, ref)
		return
	}
	f.post(f.at.win(), player(l.Player), l.Returned, ref)
	ref.Reason = ledger.Collected
	f.post(player(l.Player), f.at.win(), l.Reverses, ref)
	if l.Wager == rules.Progressive && l.Reverses > 0 && !f.counted.Has(l.Box) {
		// What was awarded on the wager beside it is collected by a line of its own.
		f.counted = f.counted.With(l.Box)
		f.toCollect += f.before.MeterPaid(l.Box)
	}
	if l.Reverses > 0 && !slices.Contains(f.collects, l.Player) {
		f.collects = append(f.collects, l.Player)
	}
}

// correct carries out a line that awards or collects a difference. Nothing is lent
// for it: a collection that the player's account does not cover is refused.
func (f *follower) correct(l *table.Line, ref ledger.Reference) {
	ref = f.named(l, ref)
	ref.Reason = ledger.Awarded
	f.post(f.at.win(), player(l.Player), l.Pays, ref)
	ref.Reason = ledger.Collected
	f.post(player(l.Player), f.at.win(), l.Reverses, ref)
}

// lend records as a debt what a reversed settlement takes back beyond the player's
// balance: the account is not below zero, and the debt is on record.
func (f *follower) lend(on ledger.Balances) {
	for _, name := range f.collects {
		missing := -on.Balance(player(name))
		for i := range f.postings {
			switch p := &f.postings[i]; player(name) {
			case p.From:
				missing += p.Amount
			case p.To:
				missing -= p.Amount
			}
		}
		if missing > 0 {
			f.post(owed(name), player(name), missing, ledger.Reference{
				Reason: ledger.Unpaid, Table: f.at.Table, Round: f.round,
			})
		}
	}
}

// moved carries out an event of the jackpot. The lines have carried out what it pays.
func (f *follower) moved(does *jackpot.Effect) error {
	if does.ByLines {
		if does.Hit.Table != f.at.Table {
			if does.Hits < 0 {
				return &Mismatch{f.at, "a jackpot collected again without its lines", 0, -does.Paid}
			}
			return &Mismatch{f.at, "a jackpot paid without its settlement", 0, does.Paid}
		}
		if does.Hits < 0 {
			f.toCollect += does.Paid
		} else {
			f.toPay += does.Paid
		}
	}
	for i := range does.Moves {
		m := &does.Moves[i]
		if m.Use == jackpot.MovePays {
			continue
		}
		ref := ledger.Reference{Reason: reason(m), Jackpot: f.at.Jackpot, Table: f.at.Table, Round: f.round, Clause: does.Clause}
		if m.OfHit {
			// Two people decide about a hit when its table plays on or is closed: the hit says of
			// which round it is.
			round, err := strconv.Atoi(does.Hit.Round)
			if err != nil {
				return fmt.Errorf("round %q of a hit of %s is no number: %w", does.Hit.Round, f.at.Jackpot, err)
			}
			ref.Table, ref.Round, ref.Box, ref.Wager = does.Hit.Table, round, does.Hit.Box, rules.Progressive
		}
		f.post(f.purse(m.From, does.Winner), f.purse(m.To, does.Winner), m.Amount, ref)
	}
	return nil
}

// effects returns the accounts of events.
func effects(events []jackpot.Event) []jackpot.Effect {
	if len(events) == 0 {
		return nil
	}
	all := make([]jackpot.Effect, len(events))
	for i, e := range events {
		all[i] = jackpot.EffectOf(e)
	}
	return all
}

// purse returns the account of a purse.
func (f *follower) purse(p jackpot.Purse, winner string) ledger.Account {
	return [...]ledger.Account{
		jackpot.HousePurse: house, jackpot.WinPurse: f.at.win(), jackpot.MeterPurse: f.at.meter(),
		jackpot.ReservePurse: f.at.reserve(), jackpot.PayablePurse: f.at.payable(), jackpot.WinnerPurse: player(winner),
	}[p]
}

// reason returns the reason under which a movement is posted.
func reason(m *jackpot.Move) ledger.Reason {
	switch m.Use {
	case jackpot.MoveContributes:
		if m.To == jackpot.ReservePurse {
			return ledger.Overflow
		}
		return ledger.Contribution
	case jackpot.MoveReturns:
		return ledger.ContributionReturned
	case jackpot.MovePays:
		if m.From == jackpot.HousePurse {
			return ledger.MadeGood
		}
		return ledger.JackpotPaid
	case jackpot.MoveReseeds:
		return ledger.Reseed
	case jackpot.MoveHolds:
		return ledger.Held
	case jackpot.MoveReleases:
		return ledger.Released
	case jackpot.MoveCollects:
		return ledger.Collected
	case jackpot.MoveAdjusts:
		return ledger.MeterAdjusted
	}
	return 0
}

// check checks the postings against what was shown.
func (f *follower) check(done *linked.Outcome, changes []ledger.Change, on ledger.Balances) error {
	moves := map[string]money.Amount{}
	for i := range changes {
		switch a := changes[i].Account; a.Kind {
		case ledger.Player:
			moves[a.Of] += changes[i].By
		case ledger.Owed:
			moves[a.Of] -= changes[i].By
		default:
		}
	}
	// What is held for winners is shown as theirs.
	for i := range f.postings {
		switch p := &f.postings[i]; p.For.Reason {
		case ledger.Held:
			moves[p.From.Of] += p.Amount
		case ledger.Released:
			moves[p.To.Of] -= p.Amount
		default:
		}
	}
	maps.DeleteFunc(moves, func(_ string, amount money.Amount) bool { return amount == 0 })
	lines := Shown(f.before, done.Events)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if lines[name] != moves[name] {
			return &Mismatch{f.at, "the money of " + name, lines[name], moves[name]}
		}
		delete(moves, name)
	}
	for name, amount := range moves {
		return &Mismatch{f.at, "the money of " + name, 0, amount}
	}
	if lies, holds := done.State.OnLayout(), after(f.at.layout(), changes, on); lies != holds {
		return &Mismatch{f.at, "what lies on the layout", lies, holds}
	}
	return f.checkJackpot(done.Meter, changes, on)
}

// checkJackpot checks the postings against the jackpot after them.
func (f *follower) checkJackpot(state jackpot.State, changes []ledger.Change, on ledger.Balances) error {
	if len(f.jackpot) == 0 {
		return nil
	}
	meter, reserve := after(f.at.meter(), changes, on), after(f.at.reserve(), changes, on)
	payable := after(f.at.payable(), changes, on)
	switch {
	case meter != state.Meter:
		return &Mismatch{f.at, "the meter of " + f.at.Jackpot, state.Meter, meter}
	case reserve != state.Reserve:
		return &Mismatch{f.at, "the reserve of " + f.at.Jackpot, state.Reserve, reserve}
	case payable != state.Payable():
		return &Mismatch{f.at, "what is held of " + f.at.Jackpot, state.Payable(), payable}
	}
	return nil
}

func after(a ledger.Account, changes []ledger.Change, on ledger.Balances) money.Amount {
	for i := range changes {
		if changes[i].Account == a {
			return changes[i].After
		}
	}
	return on.Balance(a)
}

// Shown returns the sum that each player gains or loses by the events of one command. Its only
// rule is that bets leave a player and lines bring their net. Players without a change are left
// out.
func Shown(before *table.State, events []table.Event) map[string]money.Amount {
	net := map[string]money.Amount{}
	for _, e := range events {
		does := table.EffectOf(e)
		if b := &does.Bet; b.Use != 0 {
			net[b.Player] -= b.More(stake(before, b.Box, b.Player, b.Wager))
		}
		for i := range does.Lines {
			net[does.Lines[i].Player] += does.Lines[i].Net()
		}
	}
	maps.DeleteFunc(net, func(_ string, amount money.Amount) bool { return amount == 0 })
	return net
}

// MaxTransfer bounds what one transfer, fill, credit or adjustment moves, also by two
// people: no sum that a house means is larger, and many of them fit into an account.
const MaxTransfer = 1_000_000_000 * money.Major

// Transfer is a posting of the cage: money that moves by nobody's bet.
type Transfer struct {
	Reason ledger.Reason `json:"reason"`
	// Player is the owner of the money, for a buy-in or a cash-out; Table is the table, for a
	// fill or a credit.
	Player string       `json:"player,omitempty"`
	Table  string       `json:"table,omitempty"`
	Amount money.Amount `json:"amount"`
	// Chips are those of a fill or a credit, none where only the amount is known.
	Chips []ChipCount `json:"chips,omitempty"`
	Note  string      `json:"note,omitempty"`
}

// ChipCount is a number of chips of one denomination.
type ChipCount struct {
	// Chip is the denomination.
	Chip money.Amount `json:"chip"`
	// Count is the number of chips.
	Count int64 `json:"count"`
}

// inChips refuses chips that do not come to an amount, and those that are not listed as they
// are recorded: each denomination once, the smallest first.
func inChips(amount money.Amount, chips []ChipCount) error {
	last, rest := money.Amount(0), amount
	for _, c := range chips {
		switch {
		case c.Chip <= last:
			return sentence.Errorf("a chip of $%s after one of $%s, where each denomination is named once and the smallest first: %s", c.Chip.Display(), last.Display(), ledger.ErrMalformed)
		case c.Count <= 0:
			return sentence.Errorf("%d chips of $%s, where there has to be at least one: %s", c.Count, c.Chip.Display(), ledger.ErrMalformed)
		case c.Count > int64(rest/c.Chip):
			return sentence.Errorf("the chips come to more than $%s, count them again: %s", amount.Display(), ledger.ErrMalformed)
		}
		last, rest = c.Chip, rest-money.Amount(c.Count)*c.Chip
	}
	if len(chips) > 0 && rest != 0 {
		return sentence.Errorf("the chips come to $%s and the amount is $%s, count them again: %s", (amount - rest).Display(), amount.Display(), ledger.ErrMalformed)
	}
	return nil
}

// Posting returns the transfer as a posting. An error wraps
// [ledger.ErrMalformed]: the cage moves money for four reasons only, and chips come to the
// amount.
func (t Transfer) Posting() (ledger.Posting, error) {
	cash, rack := ledger.Account{Kind: ledger.Cash}, ledger.Account{Kind: ledger.Rack, Of: t.Table}
	sides, ok := map[ledger.Reason][2]ledger.Account{
		ledger.BuyIn:   {cash, player(t.Player)},
		ledger.CashOut: {player(t.Player), cash},
		ledger.Fill:    {house, rack},
		ledger.Credit:  {rack, house},
	}[t.Reason]
	if !ok {
		return ledger.Posting{}, fmt.Errorf("%w: the cage moves nothing as %s", ledger.ErrMalformed, t.Reason)
	}
	if t.Amount > MaxTransfer {
		return ledger.Posting{}, tooMuch(t.Amount)
	}
	if t.Table == "" && len(t.Chips) > 0 {
		return ledger.Posting{}, sentence.Errorf("chips are named for a fill or a credit only: %s", ledger.ErrMalformed)
	}
	if err := inChips(t.Amount, t.Chips); err != nil {
		return ledger.Posting{}, err
	}
	return ledger.Posting{From: sides[0], To: sides[1], Amount: t.Amount, For: ledger.Reference{
		Reason: t.Reason, Table: t.Table, Note: t.Note,
	}}, nil
}

// Bounded refuses a change of more than [MaxTransfer], up or down.
func Bounded(change money.Amount) error {
	if change > MaxTransfer || change < -MaxTransfer {
		return tooMuch(change)
	}
	return nil
}

func tooMuch(a money.Amount) error {
	return fmt.Errorf("%w: $%s is more than the $%s that may be moved at once: check the amount", ledger.ErrMalformed, a.Display(), MaxTransfer.Display())
}
