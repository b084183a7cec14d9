package play

import (
	"fmt"
	"strings"

	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Answer is what a player says to the option to take back his wagers, where a
// book offers it after an interruption.
type Answer uint8

// The answers. The zero value is none of them.
const (
	_ Answer = iota
	// Unanswered leaves it to the ruling option_unanswered.
	Unanswered
	// GoOn lets the wagers stand.
	GoOn
	// WithdrawAll takes all wagers back.
	WithdrawAll
)

// Leaving is what it would mean to leave now.
type Leaving struct {
	// Free says that nothing is at stake.
	Free bool
	// Choice says that the player has the option to take back all his wagers.
	Choice bool
	// Words says what the book makes of it, with the clause.
	Words string
}

// IfLeft says what it would mean to leave now. Nothing changes by it.
func (s *Session) IfLeft() Leaving {
	if s.now.state.OnLayout() == 0 {
		return Leaving{Free: true}
	}
	events, err := table.Decide(s.now.state, table.Command{By: staff, AtMs: s.host.NowMs(), Do: s.now.interruption()})
	if err != nil {
		return Leaving{Words: err.Error()}
	}
	l := Leaving{}
	for _, e := range events {
		if r, ok := e.(table.Reported); ok {
			l.Words = s.now.verdict(r)
			l.Choice = r.Outcome == rules.OfferWithdrawal
		}
	}
	return l
}

// interruption reports a stop that was longer than the grace of the table: a
// player who leaves, or whose program was ended, does not come back in time.
func (m *moment) interruption() table.Report {
	return table.Report{Incident: rules.TechnicalInterruption, LastedMs: m.variant.GraceMs + 1}
}

// verdict says what the book's clause on interruptions makes of this one.
func (m *moment) verdict(r table.Reported) string {
	ref := m.variant.Book.ClauseRef(r.Clause)
	switch r.Outcome {
	case rules.Void:
		return fmt.Sprintf("No bet has conclusively won or lost, so the round is void and all bets are returned (%s).", ref)
	case rules.OfferWithdrawal:
		return fmt.Sprintf("No wager has conclusively won or lost, so you may take back all your wagers; the round is then concluded (%s).", ref)
	default:
		return fmt.Sprintf("A bet has conclusively won or lost, so the round is concluded without you (%s).", ref)
	}
}

// Leave ends the round in progress as the book ends one that is interrupted, and
// says in sentences what became of it. The answer counts only where the book
// offers a choice. Without bets on the table there is nothing to say.
func (s *Session) Leave(answer Answer) (told []string, err error) {
	err = s.change(func(d *draft) error {
		if d.state.OnLayout() == 0 {
			d.account.Journal = nil
			return nil
		}
		told, err = d.conclude(answer)
		return err
	})
	if err != nil || len(told) == 0 {
		return nil, err
	}
	return s.withLogTrouble(told), nil
}

// conclude brings a round to its end by the book's clause on interruptions.
//
//clause:rws-3cp@3 5.5
//clause:rws-3cp@3 5.7.1
//clause:rws-3cp@3 5.7.2
//clause:mbs-3pictures@2 5.13.1
//clause:mbs-3pictures@2 5.13.2
func (d *draft) conclude(answer Answer) (told []string, err error) {
	from := len(d.last)
	d.interrupted = true
	number := d.account.Rounds + 1
	if err := d.run(staff, d.interruption()); err != nil {
		return nil, err
	}
	steps := []func() error{
		func() error { return d.answer(answer) },
		d.dealUndealt,
		d.foldUndecided,
		d.layUpAll,
		func() error {
			if d.state.Phase == table.Deciding {
				return d.run(staff, table.Reveal{})
			}
			return nil
		},
		func() error {
			if d.state.Phase == table.Showing {
				return d.run(staff, table.Settle{})
			}
			return nil
		},
	}
	for _, step := range steps {
		if d.state.OnLayout() == 0 {
			break
		}
		if err := step(); err != nil {
			return nil, err
		}
	}
	told = append(told, fmt.Sprintf("Round %d of %s was interrupted.", number, d.variant.Book.Title))
	told = append(told, d.tell(d.last[from:])...)
	if d.state.Phase == table.Betting {
		// Every wager was withdrawn before the bets were closed: the bets are
		// still open, and no round remains to be recorded.
		d.account.Journal = nil
		return told, nil
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	last := d.account.History[len(d.account.History)-1]
	return append(told, fmt.Sprintf("The round changed your balance by %s.", Signed(last.Net))), nil
}

// answer answers the option to withdraw, if the book offers it.
func (d *draft) answer(a Answer) error {
	if len(d.state.Offers) == 0 {
		return nil
	}
	switch a {
	case WithdrawAll:
		return d.run(you, table.Choose{Player: Player, Return: true})
	case GoOn:
		return d.run(you, table.Choose{Player: Player})
	case Unanswered:
	}
	return d.run(staff, table.Expire{})
}

func (d *draft) dealUndealt() error {
	if d.state.Phase == table.Betting {
		return d.deal()
	}
	return nil
}

// foldUndecided folds what the player has not decided: he is not there.
func (d *draft) foldUndecided() error {
	open := func() bool {
		rule := d.variant.Book.Decision
		if rule == nil || d.state.Phase != table.Deciding {
			return false
		}
		for i := range d.state.Boxes {
			b := d.state.Boxes[i]
			if b.Decision == table.Undecided && len(b.Bettors) > 0 && b.Bettors[0].Stakes[rule.On] != 0 {
				return true
			}
		}
		return false
	}
	if !open() {
		return nil
	}
	if err := d.run(staff, table.Report{Incident: rules.WalkedAway, Player: Player}); err != nil {
		return err
	}
	if open() { // under the ruling that a table waits for the absent
		return d.run(staff, table.Expire{})
	}
	return nil
}

// layUpAll has the dealer lay up the hand that the player looked at.
func (d *draft) layUpAll() error {
	if !d.variant.Book.Examine.ReturnFaceUp || d.state.Phase != table.Deciding {
		return nil
	}
	for i := range d.state.Boxes {
		if b := d.state.Boxes[i]; b.Examiner != "" && !b.Up {
			if err := d.run(staff, table.LayUp{Box: i + 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell says in sentences what became of an interrupted round.
func (d *draft) tell(events []table.Event) []string {
	var all []string
	for _, e := range events {
		words := ""
		switch e := e.(type) {
		case table.Reported:
			if e.Report.Incident == rules.TechnicalInterruption {
				words = d.verdict(e)
			}
		case table.OfferAnswered, table.HandFolded, table.HandInvalidated, table.BetsReturned,
			table.RoundVoided, table.HandShown, table.DealerShown, table.Settled:
			words = told(e, d.state)
		default:
		}
		if words != "" {
			all = append(all, strings.Split(words, "\n")...)
		}
	}
	return all
}

// recover takes up the round that the last session left in its journal, and
// concludes it.
func (d *draft) recover() (told []string, err error) {
	journal, kept := *d.account.Journal, d.account
	if err := d.replay(&journal); err != nil {
		d.account = kept
		return d.giveUp(&journal, err), nil
	}
	if d.state.OnLayout() > 0 {
		if told, err = d.conclude(Unanswered); err != nil {
			return nil, err
		}
	}
	d.account.Journal = nil
	// Whoever starts again chooses his game anew.
	d.moment = moment{account: d.account}
	return told, nil
}

// replay plays a journal to where it ends, by the terms that it holds. The
// balance and the jackpot follow from it.
func (d *draft) replay(j *Journal) error {
	v, err := rules.ParseVariantJSON(j.Terms, books.Find)
	if err != nil {
		return err
	}
	if v.Hash() != j.Rules || v.Book.Ref() != j.Book {
		return fmt.Errorf("the rules of %s are not those that the round began with", j.Book)
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

// giveUp goes back to before a round that cannot be taken up again: its bets are
// returned, and the jackpot is as if there had been none.
func (d *draft) giveUp(j *Journal, why error) []string {
	a := &d.account
	back := j.Before - a.Balance
	a.Balance = j.Before
	a.Rounds++
	a.Journal = nil
	if j.Jackpot != nil {
		a.setJackpot(*j.Jackpot)
	}
	d.moment = moment{account: d.account}
	return []string{
		fmt.Sprintf("Round %d was interrupted and cannot be taken up again (%v).", a.Rounds, why),
		fmt.Sprintf("It is void, and your bets of $%s are returned.", back.Display()),
	}
}
