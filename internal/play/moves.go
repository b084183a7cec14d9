package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Sit chooses a game and opens the bets. It waits for the end of a round.
func (s *Session) Sit(book, payTable string) error {
	if s.Staked() > 0 || s.dealt() {
		return errMidRound
	}
	b, err := books.Find(book)
	if err != nil {
		return err
	}
	v, err := s.variantOf(b, payTable)
	if err != nil {
		return err
	}
	name, err := s.tableOf(v)
	if err != nil {
		return err
	}
	if s.state.Phase == table.Betting { // the others go along
		if err := s.withdrawAll(); err != nil {
			return err
		}
	}
	if err := s.takeSeat(name); err != nil {
		return err
	}
	s.others = min(s.host.Others, v.Boxes-1)
	if s.state.Phase != table.Betting {
		return s.open()
	}
	// Nobody else sits there: what lies there is left from an earlier session.
	if err := s.withdrawAll(); err != nil {
		return err
	}
	return s.betOthers()
}

// Next opens the bets of the next round, unless they are open.
func (s *Session) Next() error {
	switch {
	case s.table == "":
		return errNoGame
	case s.state.Phase == table.Betting:
		return nil
	}
	s.last = nil
	return s.open()
}

// open begins a round.
func (s *Session) open() error {
	if err := s.drive(table.OpenBets{}); err != nil {
		return err
	}
	return s.betOthers()
}

// Bet adds to a wager on a box. Between rounds it opens the bets first.
func (s *Session) Bet(box int, w rules.Wager, amount money.Amount) error {
	return s.place([]Stake{{box, w, amount}})
}

// place places bets, all of them or none. Between rounds it opens the bets first.
func (s *Session) place(bets []Stake) error {
	if s.table == "" {
		return errNoGame
	}
	if err := s.mayPlace(bets); err != nil {
		return err
	}
	s.last = nil
	if s.over() {
		if err := s.open(); err != nil {
			return err
		}
	}
	for _, b := range bets {
		if err := s.do(you, table.Bet{Box: b.Box, Player: Player, Wager: b.Wager, Amount: b.Amount}); err != nil {
			return err
		}
	}
	return nil
}

// mayPlace refuses bets that the table does not take or the balance does not cover. A hand
// that cannot be gone on with would have to be folded whatever its cards: so nobody bets
// an Ante here that leaves no Play bet.
func (s *Session) mayPlace(bets []Stake) error {
	state, atMs := s.state, s.host.NowMs()
	try := func(by table.Actor, do table.Action) ([]table.Event, error) {
		events, after, err := table.Step(state, table.Command{By: by, AtMs: atMs, Do: do})
		if err == nil {
			state = after
		}
		return events, err
	}
	if s.over() {
		if _, err := try(dealer, table.OpenBets{}); err != nil {
			return err
		}
		// The others will have bet by then, whatever it is.
		for _, b := range bets {
			if name := s.otherAt(b.Box); name != "" {
				w := s.Wagers()[0]
				_, _ = try(other(name).Actor(), table.Bet{Box: b.Box, Player: name, Wager: w, Amount: s.usualStake(w, 1)})
			}
		}
	}
	balance := s.Balance()
	for _, b := range bets {
		if _, err := try(you.Actor(), table.Bet{Box: b.Box, Player: Player, Wager: b.Wager, Amount: b.Amount}); err != nil {
			return err
		}
		later := toGoOn(&state)
		if balance < b.Amount+later {
			short := &Short{Needed: b.Amount + later, ForPlay: later, Balance: balance}
			if balance < b.Amount {
				short.Needed, short.ForPlay = b.Amount, 0
			}
			return short
		}
		balance -= b.Amount
	}
	return nil
}

// toGoOn returns the sum that Play bets on all boxes of the player may still take.
func toGoOn(s *table.State) (later money.Amount) {
	rule := s.Variant.Book.Decision
	if rule == nil {
		return 0
	}
	for _, b := range s.Boxes {
		for k := range b.Bettors {
			if b.Decision == table.Undecided && b.Bettors[k].Player == Player {
				later += b.Bettors[k].Stakes[rule.On]
			}
		}
	}
	return later
}

// TakeBack takes a whole wager back before the deal, and with it what cannot
// stand without it.
func (s *Session) TakeBack(box int, w rules.Wager) error {
	return s.move(you, table.Withdraw{Box: box, Player: Player, Wager: w})
}

// move carries out one command at the table.
func (s *Session) move(by access.Person, do table.Action) error {
	if s.table == "" {
		return errNoGame
	}
	s.last = nil
	return s.do(by, do)
}

// TakeAllBack takes every bet of the player back before the deal. Without bets it does
// nothing.
func (s *Session) TakeAllBack() error {
	if s.table == "" {
		return errNoGame
	}
	s.last = nil
	for i := range s.state.Boxes {
		if err := s.withdraw(you, i+1); err != nil {
			return err
		}
	}
	return nil
}

// withdraw takes the bets of a player on a box back.
func (s *Session) withdraw(by access.Person, box int) error {
	for _, rule := range s.state.Variant.Book.Wagers {
		// The wagers that go back with another are gone when their turn comes.
		if s.stakeOn(by.Name, box, rule.Wager) == 0 {
			continue
		}
		if err := s.do(by, table.Withdraw{Box: box, Player: by.Name, Wager: rule.Wager}); err != nil {
			return err
		}
	}
	return nil
}

// stakeOn returns the stake of a player on a wager at a box.
func (s *Session) stakeOn(player string, box int, w rules.Wager) money.Amount {
	for _, b := range s.state.Boxes[box-1].Bettors {
		if b.Player == player {
			return b.Stakes[w]
		}
	}
	return 0
}

// Again returns the bets of the last round of this game, which Rebet would place.
func (s *Session) Again() []Stake {
	if s.table == "" {
		return nil
	}
	history, err := s.History()
	if err != nil {
		return nil // whoever looks at the history is told
	}
	placed := s.Wagers()
	for i := range slices.Backward(history) {
		r := &history[i]
		if r.Book != s.Game().Book {
			continue
		}
		var bets []Stake
		for _, l := range r.Lines {
			if l.Player == Player && l.Box <= len(s.state.Boxes) && slices.Contains(placed, l.Wager) {
				bets = append(bets, Stake{l.Box, l.Wager, l.Stake})
			}
		}
		// As they were placed: what another wager needs comes first.
		slices.SortStableFunc(bets, func(a, b Stake) int {
			return cmp.Or(cmp.Compare(a.Box, b.Box), cmp.Compare(slices.Index(placed, a.Wager), slices.Index(placed, b.Wager)))
		})
		return bets
	}
	return nil
}

// Rebet places the bets of the last round of this game again, all of them or
// none. Between rounds it opens the bets first.
func (s *Session) Rebet() error {
	again := s.Again()
	switch {
	case s.table == "":
		return errNoGame
	case len(again) == 0:
		return fmt.Errorf("there are no earlier bets of %s to place again: bet on a box first", s.state.Variant.Book.Title)
	case s.Staked() > 0 && s.state.Phase == table.Betting:
		return errors.New("bets lie on the table already: take them back to place the earlier ones")
	}
	return s.place(again)
}

// Deal closes the bets and deals.
func (s *Session) Deal() error {
	// The others would be dealt to without the player, whose session it is.
	if s.state.Phase == table.Betting && s.Staked() == 0 && s.state.OnLayout() > 0 {
		return errors.New("you have no bet in this round: bet on a box first")
	}
	if s.table == "" {
		return errNoGame
	}
	s.last = nil
	if err := s.drive(table.CloseBets{}); err != nil {
		return err
	}
	if err := s.dealCards(); err != nil {
		return err
	}
	return s.decideOthers()
}

// dealCards deals what is to be dealt.
func (s *Session) dealCards() error {
	for s.state.Phase == table.Dealing {
		var do table.Action = table.Deal{}
		if len(s.state.ToCome()) == 0 {
			do = table.FinishDeal{}
		}
		if err := s.drive(do); err != nil {
			return err
		}
	}
	return nil
}

// Look examines the hand on a box.
func (s *Session) Look(box int) error {
	return s.move(you, table.Examine{Box: box, Player: Player})
}

// Play goes on with a box: its Play bet is placed.
func (s *Session) Play(box int) error { return s.decide(table.Raise{Box: box, Player: Player}) }

// Fold gives the hand on a box up.
func (s *Session) Fold(box int) error { return s.decide(table.Fold{Box: box, Player: Player}) }

func (s *Session) decide(do table.Action) error {
	if err := s.move(you, do); err != nil {
		return err
	}
	return s.decideOthers()
}

// LayUp lays an examined hand face up.
func (s *Session) LayUp(box int) error { return s.move(you, table.LayUp{Box: box}) }

// Reveal turns the dealer's hand and settles the round.
func (s *Session) Reveal() error {
	if s.table == "" {
		return errNoGame
	}
	s.last = nil
	if err := s.drive(table.Reveal{}); err != nil {
		return err
	}
	return s.settle()
}

func (s *Session) settle() error {
	if err := s.drive(table.Settle{}); err != nil {
		return err
	}
	s.finish()
	return nil
}

// Refill gives somebody new play money who can no longer pay the least bet of
// any kind.
func (s *Session) Refill() error {
	if !s.Broke() {
		return fmt.Errorf("new play money is for those who have less than $%s and nothing on the table", s.least().Display())
	}
	s.last = nil
	amount := max(openingSum, enough*s.least()) - s.Balance()
	_, err := s.house.CageTransfer(context.Background(), "", house.Lobby, posting.Transfer{Reason: ledger.BuyIn, Player: Player, Amount: amount})
	return err
}

// The least sum that plays a hand at a table of the home game, an Ante of $5 and
// its Play bet, and how many hands new play money is for at the least.
const (
	leastAtHome = 10 * money.Major
	enough      = 20
)

// least returns the sum below which no hand can be played at the table.
func (s *Session) least() money.Amount {
	if s.table == "" {
		return leastAtHome
	}
	first := Placed(s.state.Variant.Book)[0]
	sum := s.state.Variant.Limits[first].Min
	if rule := s.state.Variant.Book.Decision; rule != nil && rule.On == first {
		sum *= 2
	}
	return max(sum, leastAtHome)
}

// Broke reports whether the player may have new play money.
func (s *Session) Broke() bool { return s.Balance() < s.least() && s.Staked() == 0 }
