package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trey/internal/parsheet"
	"trey/money"
	"trey/odds"
)

// oddsJointCommand works out bets together.
type oddsJointCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${books}."`

	stakeFlags
	Boxes *figure `placeholder:"N" help:"How many boxes with these stakes play against the dealer; 1 if not given."`
	Blind *figure `placeholder:"N" help:"How many of them are played without being looked at."`
	Meter *figure `placeholder:"AMOUNT" help:"The displayed jackpot; the reset value if not given."`
	variantFlags
	output
}

// stakeFlags are stakes by bet.
type stakeFlags struct {
	Stake []string `sep:"none" placeholder:"WAGER=AMOUNT" help:"A stake: ante-play=10. May be repeated."`
}

// Help returns the long help of the command.
func (oddsJointCommand) Help() string {
	return `Bets on one hand depend on each other: a straight flush wins them all. This gives their covariances, correlations and the distribution of their sum, exactly. With --boxes it gives what several boxes come to that all play against one dealer.

Without --stake it is $10 on each wager, or the nearest sum that its limits permit.

Examples:

    $ trey odds joint rws-3cp --stake ante-play=10 --stake pair-plus=5
    $ trey odds joint rws-3cp --stake ante-play=10 --boxes 2 --blind 1
    $ trey odds joint mbs-3pictures --stake main=50 --boxes 3 --format json`
}

// Run prints the joint results.
func (cmd *oddsJointCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json")
	if err != nil {
		return err
	}
	stakes, err := cmd.stakes(t)
	if err != nil {
		return err
	}
	var o odds.Options
	if o.Meter, err = t.meter(cmd.Meter, slices.Collect(maps.Keys(stakes)), "--stake progressive=AMOUNT"); err != nil {
		return err
	}
	joint, err := odds.Together(t.Variant, stakes, o)
	if err != nil {
		return usageError{err}
	}
	boxes, err := cmd.boxes(t, stakes, o)
	if err != nil {
		return err
	}
	return cmd.report(s, format, parsheet.NewJoint(t.Variant, joint, boxes, version(), t.remarks))
}

// boxes works out several boxes, nil if one is meant.
func (cmd *oddsJointCommand) boxes(t *terms, stakes map[odds.Bet]money.Amount, o odds.Options) (*odds.Boxes, error) {
	if cmd.Boxes == nil && cmd.Blind == nil {
		return nil, nil
	}
	n, err := t.boxes(cmd.Boxes)
	if err != nil {
		return nil, err
	}
	blind := 0
	if cmd.Blind != nil {
		if blind, err = cmd.Blind.wholeNumber("--blind"); err != nil {
			return nil, err
		}
		switch {
		case blind < 0 || blind > n:
			return nil, usageError{fmt.Errorf("--blind %d: of %d boxes 0 to %d can be blind; --boxes says how many there are", blind, n, n)}
		case t.Book.Decision == nil:
			return nil, usageError{fmt.Errorf("--blind %d: %s has nothing to decide, so looking at a hand changes nothing; leave it out", blind, t.Book.Ref())}
		}
	}
	boxes, err := odds.AgainstOneDealer(t.Variant, stakes, o, n, blind)
	if err != nil {
		return nil, usageError{err}
	}
	return boxes, nil
}

// boxes reads a number of boxes of the table; not given is one.
func (t *terms) boxes(f *figure) (int, error) {
	if f == nil {
		return 1, nil
	}
	n, err := f.wholeNumber("--boxes")
	if err == nil && (n < 1 || n > t.Boxes) {
		err = usageError{fmt.Errorf("--boxes %d: the table has 1 to %d", n, t.Boxes)}
	}
	return n, err
}

// stakes reads the stakes.
func (f *stakeFlags) stakes(t *terms) (map[odds.Bet]money.Amount, error) {
	stakes := map[odds.Bet]money.Amount{}
	for _, text := range f.Stake {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("--stake %s: write WAGER=AMOUNT, such as ante-play=10", text)}
		}
		b, err := t.bet("--stake", key)
		if err != nil {
			return nil, err
		}
		if _, twice := stakes[b]; twice {
			return nil, usageError{fmt.Errorf("--stake %s: %s is given twice", text, b)}
		}
		if stakes[b], err = amount("--stake "+key, value); err != nil {
			return nil, err
		}
	}
	if len(f.Stake) > 0 {
		return stakes, nil
	}
	for _, b := range odds.Bets(t.Variant) {
		stakes[b] = usualStake(t, b)
	}
	return stakes, nil
}

// usualStake returns ten dollars, or the permitted stake that is nearest to it.
func usualStake(t *terms, b odds.Bet) money.Amount {
	if b == odds.Progressive {
		return t.Jackpot.Bet
	}
	limit := t.Limits[b.Wager()]
	stake := max(10*money.Major, limit.Min)
	if limit.Max > 0 {
		stake = min(stake, limit.Max)
	}
	return stake
}
