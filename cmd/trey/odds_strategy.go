package main

import (
	"fmt"
	"maps"
	"slices"

	"trey/internal/parsheet"
	"trey/money"
	"trey/odds"
)

// oddsStrategyCommand lists the strategy.
type oddsStrategyCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${deciding_books}."`

	By string `default:"hand" placeholder:"hand|rank" help:"One line for each of the 22,100 hands, or for each of the 741 ranks."`
	stakeFlags
	Others *figure `placeholder:"N" help:"How many other boxes are in the round, for the Envy Bonus that folding may lose."`
	Meter  *figure `placeholder:"AMOUNT" help:"The displayed jackpot; the reset value if not given."`
	variantFlags
	output
}

// Help returns the long help of the command.
func (oddsStrategyCommand) Help() string {
	return `What playing and folding are worth for every hand, and what the mistake costs, exactly, in units of the Ante. The table is CSV; as text there is the rule, the hands around its threshold, and what simpler rules cost.

Without --stake the strategy is for the Ante alone. With stakes it is for all of them together, and with --others it counts the Envy Bonuses that folding loses.

Examples:

    $ trey odds strategy rws-3cp
    $ trey odds strategy rws-3cp --format csv > strategy.csv
    $ trey odds strategy us-3cp --by rank --out ranks.csv
    $ trey odds strategy rws-3cp --stake ante-play=5 --stake progressive=5 --others 6`
}

// Run prints the strategy.
func (cmd *oddsStrategyCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "csv")
	if err != nil {
		return err
	}
	if cmd.By != "hand" && cmd.By != "rank" {
		return usageError{fmt.Errorf("--by %s: %s", cmd.By, meant(cmd.By, []string{"hand", "rank"}))}
	}
	if t.Book.Decision == nil {
		return usageError{fmt.Errorf("%s has nothing to decide, so it has no strategy", t.Book.Ref())}
	}
	report, err := cmd.strategy(t)
	if err != nil {
		return err
	}
	if format == "csv" {
		text, err := report.CSV(cmd.By == "rank")
		if err != nil {
			return err
		}
		if len(cmd.Stake) > 0 { // the table has no place for them
			fmt.Fprintf(s.err, "trey: note: the strategy is for %s\n", report.For())
		}
		return cmd.write(s, text, format)
	}
	return cmd.write(s, report.Text(), format)
}

// strategy works out the strategy for the Ante alone, or for the stakes given.
func (cmd *oddsStrategyCommand) strategy(t *terms) (*parsheet.Strategy, error) {
	if len(cmd.Stake) == 0 {
		switch {
		case cmd.Others != nil:
			return nil, usageError{fmt.Errorf("--others %s: for the Ante alone the other boxes change nothing; add the stakes, such as --stake ante-play=10 --stake progressive=5", cmd.Others.text)}
		case cmd.Meter != nil:
			return nil, usageError{fmt.Errorf("--meter %s: for the Ante alone the meter changes nothing; add the stakes, such as --stake ante-play=10 --stake progressive=5", cmd.Meter.text)}
		}
		sheet, err := odds.Analyse(t.Variant, odds.Options{Bets: []odds.Bet{odds.AntePlay}})
		if err != nil {
			return nil, usageError{err}
		}
		return parsheet.NewStrategy(t.Variant, sheet, version(), t.remarks), nil
	}
	stakes, err := cmd.stakes(t)
	if err != nil {
		return nil, err
	}
	displayed := slices.Collect(maps.Keys(stakes))
	var o odds.Options
	if o.Others, err = othersOf(t, cmd.Others, displayed); err != nil {
		return nil, err
	}
	meter := money.Amount(0)
	if t.Jackpot != nil {
		meter = t.Jackpot.Reset
	}
	if cmd.Meter != nil {
		if meter, err = t.meter(cmd.Meter, displayed, "--stake progressive=AMOUNT"); err != nil {
			return nil, err
		}
	}
	o.Meter = meter
	s, err := odds.StrategyFor(t.Variant, stakes, o)
	if err != nil {
		return nil, usageError{err}
	}
	return parsheet.NewStrategyFor(t.Variant, s, stakes, o.Others, meter, version(), t.remarks), nil
}

// oddsSeenCommand works out what knowledge is worth.
type oddsSeenCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${deciding_books}."`
	variantFlags
	output
}

// Help returns the long help of the command.
func (oddsSeenCommand) Help() string {
	return `What it is worth to a player of Ante and Play to know one, two or all cards of the dealer, or the hand of one other box, if the player decides best; and how to play against a dealer one of whose cards was shown by mistake and the round goes on (rws-3cp@3 5.12). All of it is exact.

Examples:

    $ trey odds seen rws-3cp
    $ trey odds seen us-3cp --format json`
}

// Run prints the worth of knowledge.
func (cmd *oddsSeenCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json")
	if err != nil {
		return err
	}
	know, err := odds.Know(t.Variant, odds.Options{})
	if err != nil {
		return usageError{err}
	}
	return cmd.report(s, format, parsheet.NewSeen(t.Variant, know, version(), t.remarks))
}
