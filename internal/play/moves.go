package play

import (
	"errors"
	"fmt"
	"slices"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Sit chooses a game and opens the bets. It waits for the end of a round.
func (s *Session) Sit(book, payTable string) error {
	return s.change(func(d *draft) error {
		if d.staked() > 0 || d.dealt() {
			return errMidRound
		}
		b, err := books.Find(book)
		if err != nil {
			return err
		}
		if d.game, d.variant, err = s.variantOf(b, payTable); err != nil {
			return err
		}
		if err := d.connect(); err != nil {
			return err
		}
		return d.open()
	})
}

// Next opens the bets of the next round.
func (s *Session) Next() error {
	return s.change(func(d *draft) error { return d.next() })
}

// next opens the bets unless they are open.
func (d *draft) next() error {
	switch {
	case d.variant == nil:
		return errNoGame
	case d.state.Phase == table.Betting:
		return nil
	}
	// The table of the last round says whether there may be another.
	if _, err := table.Decide(d.state, table.Command{By: staff, Do: table.OpenBets{}}); err != nil {
		return err
	}
	return d.open()
}

// Bet adds to a wager on a box. Between rounds it opens the bets first.
func (s *Session) Bet(box int, w rules.Wager, amount money.Amount) error {
	return s.change(func(d *draft) error {
		if d.state.Phase == table.Paid || d.state.Phase == table.Voided {
			if err := d.next(); err != nil {
				return err
			}
		}
		return d.bet(Stake{box, w, amount})
	})
}

func (d *draft) bet(b Stake) error {
	before := d.account.Balance
	if before > mostBalance/2 {
		return fmt.Errorf("you have won all the play money there is: $%s", before.Display())
	}
	if err := d.run(you, table.Bet{Box: b.Box, Player: Player, Wager: b.Wager, Amount: b.Amount}); err != nil {
		return err
	}
	// A hand that cannot be gone on with would have to be folded whatever its
	// cards: the house does not take an Ante that leaves no Play bet.
	if later := d.toGoOn(); d.account.Balance < later {
		return &Short{Needed: b.Amount + later, ForPlay: later, Balance: before}
	}
	return nil
}

// toGoOn is what Play bets on all boxes may still take.
func (d *draft) toGoOn() (later money.Amount) {
	rule := d.variant.Book.Decision
	if rule == nil {
		return 0
	}
	for i := range d.state.Boxes {
		b := d.state.Boxes[i]
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
	return s.change(func(d *draft) error {
		return d.run(you, table.Withdraw{Box: box, Player: Player, Wager: w})
	})
}

// TakeAllBack takes every bet back before the deal. Without bets it does nothing.
func (s *Session) TakeAllBack() error {
	return s.change(func(d *draft) error { return d.takeAllBack() })
}

func (d *draft) takeAllBack() error {
	if d.variant == nil {
		return errNoGame
	}
	for i := range d.state.Boxes {
		for _, rule := range d.variant.Book.Wagers {
			// The wagers that go back with another are gone when their turn comes.
			if d.stakeOn(i+1, rule.Wager) == 0 {
				continue
			}
			if err := d.run(you, table.Withdraw{Box: i + 1, Player: Player, Wager: rule.Wager}); err != nil {
				return err
			}
		}
	}
	return nil
}

// stakeOn is the player's own stake on a wager at a box.
func (m *moment) stakeOn(box int, w rules.Wager) money.Amount {
	for _, b := range m.state.Boxes[box-1].Bettors {
		if b.Player == Player {
			return b.Stakes[w]
		}
	}
	return 0
}

// Again returns the bets of the last round of this game, which Rebet would place.
func (s *Session) Again() []Stake {
	if s.now.variant == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.now.account.Bets[s.now.variant.Book.ID]), func(b Stake) bool {
		return b.Box > s.now.variant.Boxes
	})
}

// Rebet places the bets of the last round of this game again, all of them or
// none. Between rounds it opens the bets first.
func (s *Session) Rebet() error {
	again := s.Again()
	return s.change(func(d *draft) error {
		if d.variant == nil {
			return errNoGame
		}
		if len(again) == 0 {
			return fmt.Errorf("there are no earlier bets of %s to place again: bet on a box first", d.variant.Book.Title)
		}
		if d.state.Phase == table.Paid || d.state.Phase == table.Voided {
			if err := d.next(); err != nil {
				return err
			}
		}
		if d.staked() > 0 && d.state.Phase == table.Betting {
			return fmt.Errorf("bets lie on the table already: take them back to place the earlier ones")
		}
		for _, b := range again {
			if err := d.bet(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// Deal closes the bets and deals.
func (s *Session) Deal() error {
	return s.change(func(d *draft) error { return d.deal() })
}

func (d *draft) deal() error {
	// The others would be dealt to without the player, whose session it is.
	if d.state.Phase == table.Betting && d.staked() == 0 && d.state.OnLayout() > 0 {
		return errors.New("you have no bet in this round: bet on a box first")
	}
	var bets []Stake
	for i := range d.state.Boxes {
		for k := range d.state.Boxes[i].Bettors {
			if d.state.Boxes[i].Bettors[k].Player != Player {
				continue
			}
			for w, amount := range d.state.Boxes[i].Bettors[k].Stakes {
				if amount != 0 {
					bets = append(bets, Stake{i + 1, rules.Wager(w), amount})
				}
			}
		}
	}
	if err := d.run(staff, table.CloseBets{}); err != nil {
		return err
	}
	if d.account.Bets == nil {
		d.account.Bets = map[string][]Stake{}
	}
	d.account.Bets[d.variant.Book.ID] = bets
	cards := 3
	for i := range d.state.Boxes {
		if d.state.Boxes[i].Staked() {
			cards += 3
		}
	}
	if d.variant.Burns(d.state.Config.Device) {
		cards++
	}
	deck := d.host.Deck()
	deal := table.Deal{Cards: make([]table.Drawn, cards)}
	for i := range deal.Cards {
		deal.Cards[i].Card = deck[i]
	}
	if err := d.run(staff, deal); err != nil {
		return err
	}
	return d.decideOthers()
}

// Look examines the hand on a box.
func (s *Session) Look(box int) error {
	return s.change(func(d *draft) error {
		return d.run(you, table.Examine{Box: box, Player: Player})
	})
}

// Play goes on with a box: its Play bet is placed.
func (s *Session) Play(box int) error {
	return s.change(func(d *draft) error {
		if err := d.run(you, table.Raise{Box: box, Player: Player}); err != nil {
			return err
		}
		return d.decideOthers()
	})
}

// Fold gives the hand on a box up.
func (s *Session) Fold(box int) error {
	return s.change(func(d *draft) error {
		if err := d.run(you, table.Fold{Box: box, Player: Player}); err != nil {
			return err
		}
		return d.decideOthers()
	})
}

// LayUp lays an examined hand face up.
func (s *Session) LayUp(box int) error {
	return s.change(func(d *draft) error {
		return d.run(you, table.LayUp{Box: box})
	})
}

// Reveal turns the dealer's hand and settles the round.
func (s *Session) Reveal() error {
	return s.change(func(d *draft) error { return d.reveal() })
}

func (d *draft) reveal() error {
	if err := d.run(staff, table.Reveal{}); err != nil {
		return err
	}
	if err := d.run(staff, table.Settle{}); err != nil {
		return err
	}
	return d.finish()
}

// Refill gives somebody new play money who can no longer pay the least bet of
// any kind.
func (s *Session) Refill() error {
	return s.change(func(d *draft) error {
		if !d.broke() {
			return fmt.Errorf("new play money is for those who have less than $%s and nothing on the table", d.least().Display())
		}
		d.account.Balance = max(openingSum, enough*d.least())
		d.account.Given++
		if d.account.Journal != nil {
			d.account.Journal.Before = d.account.Balance
		}
		return nil
	})
}

// The least sum that plays a hand at a table of the home game, an Ante of $5 and
// its Play bet, and how many hands new play money is for at the least.
const (
	leastAtHome = 10 * money.Major
	enough      = 20
)

// least is the sum below which no hand can be played at the table.
func (m *moment) least() money.Amount {
	if m.variant == nil {
		return leastAtHome
	}
	first := Placed(m.variant.Book)[0]
	sum := m.variant.Limits[first].Min
	if rule := m.variant.Book.Decision; rule != nil && rule.On == first {
		sum *= 2
	}
	return max(sum, leastAtHome)
}

// broke reports whether the player may have new play money.
func (m *moment) broke() bool { return m.account.Balance < m.least() && m.staked() == 0 }
