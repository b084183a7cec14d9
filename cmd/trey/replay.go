package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"

	"trey/internal/house/proof"
	"trey/internal/printable"
	"trey/linked"
	"trey/table"
)

// replayCommand checks the record of a round and prints it in words.
type replayCommand struct {
	File string `arg:"" help:"The record of a round, or - for standard input."`
}

// Help returns the long help of the command.
func (replayCommand) Help() string {
	return `The record of a round holds the rules a table played by, the seeds of its deck and every command with what followed; docs/round-record.md describes it. A house gives out one of each round that has ended, and trey play leaves them beside the file of your play money. Replaying does every command again and checks all that trey verify checks.

What happened is told in words: bets, cards, announcements, decisions, irregularities with their clause and what they led to, and each settlement line, and then what everybody won or lost.

Examples:

    $ trey replay ~/.config/trey/play.rounds/rws-3cp-000001.json

    $ trey replay internal/house/proof/testdata/settled.json

    $ curl -s -b session.cookies http://127.0.0.1:8080/api/v1/tables/vegas-1/rounds/7 | trey replay -

A record that fails is described up to the first command that fails. The place and the reason are then printed, and the exit status is 1.`
}

// numbered is a person as a record names them.
var numbered = regexp.MustCompile(`#[0-9]+`)

// Run replays the file.
func (cmd *replayCommand) Run(s *streams) error {
	r, err := record(s, cmd.File)
	var fault *proof.Fault
	if errors.As(err, &fault) {
		fmt.Fprintf(s.err, noRecord, cmd.File, printable.Escape(fault.Error()))
		return errReported
	} else if err != nil {
		return err
	}
	out := &outputWriter{out: s.out}
	// People stand in a record by numbers, which no name begins like.
	say := func(text string) {
		fmt.Fprintln(out, printable.Escape(numbered.ReplaceAllStringFunc(text, func(number string) string {
			return cmp.Or(r.Names[number], number)
		})))
	}
	fmt.Fprintf(out, "Table %s, round %d: %s, variant %s.\nDealt from a %s, cards %s. Recorded by %s.\n\n",
		printable.Escape(r.Table), r.Round, printable.Escape(r.Book), printable.Escape(r.Variant), r.Config.Device, r.Config.Cards, printable.Escape(r.Software))
	by := proof.Verifier{Each: func(_ table.State, done *linked.Outcome) {
		for _, e := range done.Events {
			for _, sentence := range table.Sentences(e, done.State) {
				say(sentence.String())
			}
		}
	}}
	report := by.Verify(r)
	fmt.Fprintln(out)
	for _, f := range report.Findings {
		switch {
		case f.Result == proof.Failed:
			fmt.Fprintf(s.err, "trey: %s: the record is refused: %s: %s\n", cmd.File, printable.Escape(f.Where), printable.Escape(f.Text))
		case f.Check == proof.Money && report.Sound:
			say(f.Text + ".")
		}
	}
	if !report.Sound {
		return errReported
	}
	fmt.Fprintln(out, "The record is sound: trey verify says what was checked, and what it leaves open.")
	return out.err
}
