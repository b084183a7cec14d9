package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"trey/internal/printable"
	"trey/money"
	"trey/roundlog"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// replayCommand checks a round log and tells it in words.
type replayCommand struct {
	File string `arg:"" help:"The round log, or - for standard input."`
	JSON bool   `name:"json" help:"Print a summary of the checked log as JSON, and no words."`
}

// Help is the long help of the command.
func (replayCommand) Help() string {
	return `A round log holds the rules a table played by and every command with what followed; docs/round-log.md describes it, and trey play leaves one of each round. Replaying does every command again and compares: the hash of each line, each event, the chips and the cards.

What happened is then told in words: bets, cards, announcements, decisions, irregularities with their clause and what they led to, each settlement line, and what everybody won or lost.

Examples:

    $ trey replay ~/.config/trey/balance.rounds/round-000001.jsonl

    $ trey replay roundlog/testdata/example.jsonl

    $ trey replay --json table-7.jsonl

A log that was altered, cut, put in another order or written by another version is refused with the line and the reason; the exit status is then 1.`
}

// Run replays the file.
func (cmd *replayCommand) Run(s *streams) error {
	in := s.in
	if cmd.File != "-" {
		file, err := os.Open(cmd.File)
		if err != nil {
			return misuse{err}
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return misuse{fmt.Errorf("%s is a directory: name the log itself", cmd.File)}
		}
		in = file
	}
	out := &teller{out: s.out}
	if cmd.JSON {
		out.out = io.Discard
	}
	log, err := replay(in, out)
	var fault *roundlog.Fault
	if errors.As(err, &fault) {
		fmt.Fprintf(s.err, "trey: %s:%d: the log is refused: %s\n", cmd.File, fault.Line, printable.Escape(fault.Reason))
		return errReported
	}
	if err != nil {
		return err
	}
	if cmd.JSON {
		return writeSummary(s.out, log)
	}
	fmt.Fprintf(out, "\nThe log is sound: %d lines, the last with the hash\n%s.\n", log.Lines(), log.Hash())
	return out.err
}

// replay checks a log to its end and tells each step as soon as it is checked.
func replay(in io.Reader, out io.Writer) (*roundlog.Reader, error) {
	log, err := roundlog.NewReader(in, books.Find)
	if err != nil {
		return nil, err
	}
	v := log.Variant
	fmt.Fprintf(out, "%s, %s, variant %s (%s).\nDealt from a %s, cards %s. Logged by %s.\n",
		v.Book.Title, v.Book.Ref(), printable.Escape(v.ID), rules.ShortHash(log.Header.RulesHash),
		log.Header.Config.Device, log.Header.Config.Cards, printable.Escape(log.Header.Software))
	for {
		step, err := log.Next()
		if errors.Is(err, io.EOF) {
			return log, nil
		} else if err != nil {
			return nil, err
		}
		tellStep(out, &step, log)
	}
}

// tellStep tells what one command did and, when a round has ended by it or was
// changed after its end, what everybody has won or lost.
func tellStep(out io.Writer, step *roundlog.Step, log *roundlog.Reader) {
	for _, e := range step.Events {
		if _, ok := e.(table.BetsOpened); ok {
			fmt.Fprintln(out)
		}
		for _, sentence := range table.Telling(e, step.After) {
			fmt.Fprintln(out, printable.Escape(sentence.String()))
		}
	}
	ended := step.After.Phase == table.Paid || step.After.Phase == table.Voided
	if !ended || len(step.After.Lines) == len(step.Before.Lines) && step.Before.Phase == step.After.Phase {
		return
	}
	rounds := log.Rounds()
	round := &rounds[len(rounds)-1]
	var nets []string
	for _, player := range slices.Sorted(maps.Keys(round.Nets)) {
		nets = append(nets, printable.Escape(player)+" "+signed(round.Nets[player]))
	}
	fmt.Fprintf(out, "Round %d: %s.\n", round.Round, strings.Join(nets, ", "))
}

func signed(a money.Amount) string {
	if a > 0 {
		return "+" + a.Display()
	}
	return a.Display()
}

func writeSummary(out io.Writer, log *roundlog.Reader) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Book      string           `json:"book"`
		Variant   string           `json:"variant"`
		RulesHash string           `json:"rules_hash"`
		Config    table.Config     `json:"config"`
		Software  string           `json:"software"`
		Lines     int              `json:"lines"`
		Hash      string           `json:"hash"`
		Rounds    []roundlog.Round `json:"rounds"`
	}{
		log.Header.Book, log.Variant.ID, log.Header.RulesHash, log.Header.Config,
		log.Header.Software, log.Lines(), log.Hash(), append([]roundlog.Round{}, log.Rounds()...),
	})
}
