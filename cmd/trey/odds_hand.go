package main

import (
	"fmt"
	"strings"

	"trey/card"
	"trey/internal/parsheet"
	"trey/odds"
)

// oddsHandCommand says what to do with one hand.
type oddsHandCommand struct {
	Book bookRef  `arg:"" optional:"" help:"The rule book: ${books}."`
	Hand []string `arg:"" optional:"" help:"The three cards, such as \"Qh 6d 4c\"."`

	Seen   []string `sep:"none" placeholder:"CARDS" help:"Cards seen elsewhere: in other boxes, or burnt face up."`
	Dealer []string `sep:"none" placeholder:"CARDS" help:"Cards of the dealer that are known, at most three."`
	variantFlags
	output
}

// Help returns the long help of the command.
func (oddsHandCommand) Help() string {
	return `It goes through every hand that the dealer may hold for all that is known, and compares what playing and folding are worth. Side bets do not count. Where folding loses a claim to Envy Bonuses, "trey odds strategy" with --stake and --others counts it. Royal Three Pictures has no decision; there it says what the hand's chances are.

Examples:

    $ trey odds hand rws-3cp "Qh 6d 4c"
    $ trey odds hand rws-3cp "Qh 6d 3c" --seen "Kd Ks"
    $ trey odds hand us-3cp Js 9d 4c --dealer 7h
    $ trey odds hand mbs-3pictures "Kh Qd 6c" --format json`
}

// Run prints the advice.
func (cmd *oddsHandCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json")
	if err != nil {
		return err
	}
	if len(cmd.Hand) == 0 {
		return usageError{fmt.Errorf("which hand? Write its three cards, such as \"Qh 6d 4c\"")}
	}
	hand, err := card.ParseHand(strings.Join(cmd.Hand, " "))
	if err != nil {
		return usageError{err}
	}
	var seen odds.Seen
	if seen.Others, err = card.ParseList(strings.Join(cmd.Seen, " ")); err != nil {
		return usageError{fmt.Errorf("--seen: %w", err)}
	}
	if seen.Dealer, err = card.ParseList(strings.Join(cmd.Dealer, " ")); err != nil {
		return usageError{fmt.Errorf("--dealer: %w", err)}
	}
	advice, err := odds.Advise(t.Variant, hand, seen)
	if err != nil {
		return usageError{err}
	}
	report, err := parsheet.NewHand(t.Variant, advice, seen, version(), t.remarks)
	if err != nil {
		return err
	}
	return cmd.report(s, format, report)
}

// texter is a report for people.
type texter interface{ Text() []byte }

// report writes a report as text or JSON.
func (o *output) report(s *streams, format string, report texter) error {
	text := report.Text()
	if format == "json" {
		var err error
		if text, err = parsheet.JSON(report); err != nil {
			return err
		}
	}
	return o.write(s, text, format)
}
