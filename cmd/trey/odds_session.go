package main

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"trey/internal/parsheet"
	"trey/odds"
)

// oddsSessionCommand works out sessions.
type oddsSessionCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${books}."`

	Rounds *figure `placeholder:"N" help:"How many rounds are played."`
	stakeFlags
	Bankroll *figure `placeholder:"AMOUNT" help:"What the player brings; without it the player never runs out."`
	Meter    *figure `placeholder:"AMOUNT" help:"The displayed jackpot, the same in every round; the reset value if not given."`
	Pace     *figure `placeholder:"N/h" help:"Rounds an hour, such as 60/h, for the loss an hour."`
	Boxes    *figure `placeholder:"N" help:"How many such boxes the table has, for its win an hour; 1 if not given."`
	Strategy string  `placeholder:"RULE" help:"How hands are decided: optimal, always, never, or the least hand that is played, such as Q-6-4."`
	variantFlags
	output
}

// Help returns the long help of the command.
func (oddsSessionCommand) Help() string {
	return `It convolves the result of a round with itself, exactly: the chance to be ahead, the results to be expected, and with a bankroll the risk of ruin. A player whose money does not cover the next round is ruined and stops.

Without --stake it is $10 on the first wager of the book. Several stakes are played together each round.

With a Progressive stake the meter displays the same in every round. What the bet adds to the meter is a liability of the house: the win of the table is counted without it, and is the long-run figure.

Examples:

    $ trey odds session rws-3cp --rounds 100
    $ trey odds session rws-3cp --rounds 300 --stake ante-play=25 --stake pair-plus=5 --bankroll 1000 --pace 60/h
    $ trey odds session mbs-3pictures --rounds 80 --stake main=50 --pace 70/h --boxes 6`
}

// Run prints the session.
func (cmd *oddsSessionCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json")
	if err != nil {
		return err
	}
	if cmd.Rounds == nil {
		return usageError{fmt.Errorf("how many rounds? Say --rounds, such as --rounds 100")}
	}
	rounds, err := cmd.Rounds.wholeNumber("--rounds")
	if err != nil {
		return err
	}
	boxes, err := t.boxes(cmd.Boxes)
	if err != nil {
		return err
	}
	if cmd.Boxes != nil && cmd.Pace == nil {
		return usageError{fmt.Errorf("--boxes %d without --pace changes nothing: add --pace, such as --pace 60/h", boxes)}
	}
	first := odds.Bets(t.Variant)[0]
	if len(cmd.Stake) == 0 {
		cmd.Stake = []string{first.String() + "=" + usualStake(t, first).String()}
	}
	stakes, err := cmd.stakes(t)
	if err != nil {
		return err
	}
	var bankroll odds.Fraction
	if cmd.Bankroll != nil {
		sum, err := amount("--bankroll", cmd.Bankroll.text)
		if err != nil {
			return err
		}
		if sum == 0 {
			return usageError{fmt.Errorf("--bankroll 0 plays no round: write what the player brings, or leave it out")}
		}
		bankroll = odds.FractionOf(big.NewRat(int64(sum), 100))
	}
	pace, err := paceOf(cmd.Pace)
	if err != nil {
		return err
	}
	var o odds.Options
	if o.Rule, err = odds.ParseRule(cmd.Strategy); err != nil {
		return usageError{fmt.Errorf("--strategy: %w", err)}
	}
	if err := t.decides(cmd.Strategy, slices.Collect(maps.Keys(stakes))); err != nil {
		return err
	}
	if o.Meter, err = t.meter(cmd.Meter, slices.Collect(maps.Keys(stakes)), "--stake progressive=AMOUNT"); err != nil {
		return err
	}
	joint, err := odds.Together(t.Variant, stakes, o)
	if err != nil {
		return usageError{err}
	}
	session, err := joint.Sum.Session(rounds, bankroll)
	if errors.Is(err, odds.ErrTooLarge) {
		return usageError{fmt.Errorf("%w; take fewer rounds, or play them by chance with \"trey sim\"", err)}
	}
	if err != nil {
		return usageError{err}
	}
	report := parsheet.NewSession(t.Variant, joint, session, version(), t.remarks)
	report.Bankroll = bankroll
	if pace.Sign() > 0 {
		report.AtPace(pace, boxes)
	}
	return cmd.report(s, format, report)
}

// paceOf reads rounds an hour: "60/h" or "60". None given is zero.
func paceOf(f *figure) (odds.Fraction, error) {
	if f == nil {
		return odds.Fraction{}, nil
	}
	text := f.text
	number := strings.TrimSpace(strings.TrimSuffix(text, "/h"))
	r, ok := decimalNumber(number)
	if !ok || r.Sign() <= 0 || r.Cmp(big.NewRat(10_000, 1)) > 0 {
		return odds.Fraction{}, usageError{fmt.Errorf("--pace %s: write rounds an hour, above 0 and up to 10000, such as 60/h", text)}
	}
	return odds.FractionOf(r), nil
}
