package main

import (
	"errors"
	"fmt"
	"io"

	"trey/scenario"
)

// scenarioCommand plays scenarios and prints what happens.
type scenarioCommand struct {
	Files []string `arg:"" name:"file" help:"The scenarios to play."`
	Quiet bool     `short:"q" help:"Print no transcript, only what fails."`
}

// Help returns the long help of the command.
func (scenarioCommand) Help() string {
	return `A scenario is an incident at a table, written one command a line; docs/scenarios.md describes the language. Each is played through the engine, and what happens is printed in words: who did what, what the book makes of it, and every settlement line with its clause.

Examples:

    $ trey scenario scenario/testdata/rws-3cp/5.8.6_void_unseen.txtar

    $ trey scenario --quiet scenario/testdata/*/*.txtar

For each scenario that does not come out as written, the first such line is printed with what was expected and what was found; the exit status is then 1. A file that cannot be read as a scenario makes it 2.`
}

// Run plays the files, each on tables of its own.
func (cmd *scenarioCommand) Run(s *streams) error {
	failed := 0
	transcript := &outputWriter{out: s.out}
	for i, name := range cmd.Files {
		text, err := readFile(name, "a scenario", scenario.MaxScript)
		if err != nil {
			return usageError{err}
		}
		script, err := scenario.Parse(name, text)
		if err != nil {
			return usageError{err}
		}
		var out io.Writer
		if !cmd.Quiet {
			out = transcript
			if i > 0 {
				fmt.Fprintln(out)
			}
		}
		err = script.Run(new(scenario.Pure), out)
		var failure *scenario.Failure
		switch {
		case err == nil:
		case errors.As(err, &failure):
			failed++
			fmt.Fprintf(s.err, "%v\n", failure)
		default:
			return usageError{err}
		}
	}
	if failed > 0 {
		fmt.Fprintf(s.err, "trey: %d of %d scenarios did not come out as written\n", failed, len(cmd.Files))
		return errReported
	}
	return transcript.err
}
