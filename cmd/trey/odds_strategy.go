package main

import (
	"fmt"

	"trey/internal/parsheet"
	"trey/odds"
)

// oddsStrategyCommand lists the strategy.
type oddsStrategyCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: rws-3cp, us-3cp or sm-3cp."`

	By string `default:"hand" placeholder:"hand|rank" help:"One line for each of the 22,100 hands, or for each of the 741 ranks."`
	variantFlags
	output
}

// Help is the long help of the command.
func (oddsStrategyCommand) Help() string {
	return `What playing and folding are worth for every hand, and what the mistake costs, exactly, in units of the Ante. The table is CSV; as text there is the rule, the hands around its threshold, and what simpler rules cost.

Examples:

    $ trey odds strategy rws-3cp
    $ trey odds strategy rws-3cp --format csv > strategy.csv
    $ trey odds strategy us-3cp --by rank --out ranks.csv`
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
		return misuse{fmt.Errorf("--by %s: %s", cmd.By, meant(cmd.By, []string{"hand", "rank"}))}
	}
	if t.Book.Decision == nil {
		return misuse{fmt.Errorf("%s has nothing to decide, so it has no strategy", t.Book.Ref())}
	}
	sheet, err := odds.Analyse(t.Variant, odds.Options{Bets: []odds.Bet{odds.AntePlay}})
	if err != nil {
		return misuse{err}
	}
	report := parsheet.NewStrategy(t.Variant, sheet, version(), t.remarks)
	if format == "csv" {
		text, err := report.CSV(cmd.By == "rank")
		if err != nil {
			return err
		}
		return cmd.write(s, text, format)
	}
	return cmd.write(s, report.Text(), format)
}

// oddsSeenCommand works out what knowledge is worth.
type oddsSeenCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: rws-3cp, us-3cp or sm-3cp."`
	variantFlags
	output
}

// Help is the long help of the command.
func (oddsSeenCommand) Help() string {
	return `What it is worth to a player of Ante and Play to know one, two or all cards of the dealer, or the hand of one other box, if he decides best; and how to play against a dealer one of whose cards was shown by mistake and the round goes on (rws-3cp@3 5.12). All of it is exact.

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
		return misuse{err}
	}
	return cmd.report(s, format, parsheet.NewSeen(t.Variant, know, version(), t.remarks))
}
