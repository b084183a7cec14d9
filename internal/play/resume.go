package play

import (
	"errors"
	"fmt"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// ErrRound is wrapped where the round in progress of an account cannot be taken
// up again: it is damaged, or was played by something that this program does not
// have. Nothing of the account has changed.
var ErrRound = errors.New("the round in progress cannot be taken up again")

// resume takes up the round that the last session left in its journal, as it
// stood: the cards are those of the journal, and none is drawn anew. However the
// last session ended, that is no interruption of the round: its rules have not
// been touched, and a hand that was looked at is still the player's to decide.
func (s *Session) resume() (said []string, err error) {
	d := &draft{moment: s.now, host: s.host}
	if err := d.replay(d.account.Journal); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRound, err)
	}
	if !d.state.Phase.InRound() {
		return nil, fmt.Errorf("%w: its commands go on after its end", ErrRound)
	}
	if !d.dealt() && d.staked() == 0 {
		// Nothing has happened but that the bets were opened.
		return nil, s.change(func(d *draft) error {
			d.account.Journal = nil
			return nil
		})
	}
	d.last = nil
	s.now = d.moment
	return []string{fmt.Sprintf("Round %d of %s goes on where it stood, with the same cards and bets: $%s is at stake.",
		s.Round(), d.variant.Book.Title, d.staked().Display())}, nil
}

// replay plays a journal to where it ends, by the terms that it holds. The
// balance and the jackpot follow from it.
func (d *draft) replay(j *Journal) error {
	v, err := rules.ReadRules(j.Named, []byte(j.Declaration), []byte(j.Terms), books.Find)
	if err != nil {
		return err
	}
	if v.Hash() != j.Rules || v.Book.Ref() != j.Book {
		return fmt.Errorf("the rules of %s are not those that the round began with", j.Book)
	}
	if j.Others < 0 || j.Others >= v.Boxes {
		return fmt.Errorf("there are no %d other players at a table with %d boxes", j.Others, v.Boxes)
	}
	kept := d.account
	d.game, d.variant, d.account.Balance = j.Game, v, j.Before
	if j.Jackpot != nil {
		d.account.setJackpot(*j.Jackpot)
	}
	if err := d.connect(); err != nil {
		return err
	}
	if d.state, err = table.New(v, equipment); err != nil {
		return err
	}
	for i := range j.Commands {
		c, err := j.Commands[i].command()
		if err == nil {
			_, err = d.step(c)
		}
		if err != nil {
			return fmt.Errorf("command %d: %w", i+1, err)
		}
	}
	if d.account.Balance != kept.Balance {
		return fmt.Errorf("its commands leave %s, and the balance says %s", d.account.Balance.Display(), kept.Balance.Display())
	}
	if d.meter.Opened && !kept.holds(&d.meter) {
		return fmt.Errorf("its commands leave the jackpot at %s, and the account has another", d.meter.Displayed().Display())
	}
	return nil
}

// InRound returns what lies on the table in the round in progress, zero without
// one.
func (a *Account) InRound() money.Amount {
	if a.Journal == nil {
		return 0
	}
	return a.Journal.Before - a.Balance
}

// GiveUp ends a round that cannot be taken up again. Its bets are lost: if they
// came back, a file could be spoiled to be rid of a bad hand. The jackpot is as
// if there had been no round. It says in sentences what it did.
func (a *Account) GiveUp(nowMs int64) []string {
	j := a.Journal
	if j == nil {
		return nil
	}
	lost := a.InRound()
	if j.Jackpot != nil {
		a.setJackpot(*j.Jackpot)
	}
	a.Rounds++
	a.remember(Record{Number: a.Rounds, Game: j.Game, AtMs: nowMs, Ended: GivenUp, Net: -lost, Balance: a.Balance})
	a.Journal = nil
	return []string{fmt.Sprintf("Round %d is given up, and your bets of $%s are lost.", a.Rounds, lost.Display())}
}
