package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"trey/internal/forward"
	"trey/internal/notary"
	"trey/internal/printable"
)

// significantCommand checks a stored stream of significant events.
type significantCommand struct {
	Files      []string `arg:"" name:"file" help:"The files in which the batches were stored, in their order, or - for standard input."`
	Key        []string `required:"" placeholder:"KEY" help:"The key of the house, as it shows it at /log/key, or a file with it. May be given several times, because a house that goes on from a copy has another one."`
	Succession []string `type:"existingfile" placeholder:"FILE" help:"The notes by which each key of the house named the one after it, from /log/succession. May be given several times."`
	After      int64    `placeholder:"N" help:"The files begin after this transaction. Without it, they are to hold everything."`
}

// Help returns the long help of the command.
func (significantCommand) Help() string {
	return `A house sends its significant events to another machine, in signed batches that follow one another (docs/house.md). This command checks what that machine has stored, with nothing but the house's key:

    signature    each batch is as the house signed it, with every line in its place
    order        every transaction of the house is covered by a batch, and none is missing
    repetitions  what was sent more than once says the same each time

Store each batch as it came, one after the other in one file or in several; of syslog messages store the message part, one a line.

Examples:

    $ curl -s https://house.example/log/key > house.pub
    $ trey significant --key "$(cat house.pub)" stored.txt

    $ trey significant --key "$(cat house.pub)" --after 88120 october.txt november.txt

What is wrong is printed as file:line. The exit status is 0 if everything holds, 1 if something does not, and 2 if there is nothing to check.`
}

// Run checks the files.
func (cmd *significantCommand) Run(s *streams) error {
	keys, err := cmd.keys()
	if err != nil {
		return err
	}
	if cmd.After < 0 {
		return usageError{fmt.Errorf("--after is %d: name a transaction from 0 on", cmd.After)}
	}
	checker := forward.NewChecker(cmd.After, keys...)
	for _, name := range cmd.Files {
		if err := readStream(s, checker, name); err != nil {
			return err
		}
	}
	findings, checked := checker.Findings(), checker.Streams()
	for _, f := range findings {
		fmt.Fprintln(s.err, printable.Escape(f.String()))
	}
	out := &outputWriter{out: s.out}
	later := 0 // streams that go on after cmd.After
	for _, one := range checked {
		if one.Through < one.From {
			fmt.Fprintf(out, "%s: nothing after transaction %d.\n", one.Tree, cmd.After)
			continue
		}
		later++
		fmt.Fprintf(out, "%s: %s in %s, of transactions %d to %d.\n", one.Tree,
			counted(one.Events, "event", "events"), counted(one.Batches, "batch", "batches"), one.From, one.Through)
		fmt.Fprintf(out, "    checkpoint  %d leaves, root %s\n", one.Head.Size, one.Head.Root)
	}
	switch {
	case out.err != nil:
		return out.err
	case len(findings) > 0:
		fmt.Fprintf(s.err, "trey: the stream is not what the house signed: %s\n", counted(len(findings), "finding", "findings"))
		return errReported
	case len(checked) == 0:
		return usageError{errors.New("the files hold no batch: name those in which the other machine stored them")}
	}
	if later == 0 {
		return usageError{fmt.Errorf("the files hold nothing after transaction %d: give --after the last transaction of the files before these", cmd.After)}
	}
	_, err = fmt.Fprintln(out, "Everything is as the house signed it, and nothing is missing up to there.")
	return err
}

// keys returns the keys that are given, and those that they named.
func (cmd *significantCommand) keys() ([]string, error) {
	return followed(cmd.Key, cmd.Succession)
}

// followed returns the keys that are given, and those that they named by the notes in files.
func followed(given, files []string) (all []string, err error) {
	var succession []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError{err}
		}
		if len(succession) > 0 {
			succession = append(succession, notary.Separator...)
		}
		succession = append(succession, text...)
	}
	follow := false
	for _, given := range given {
		key, err := keyLine(given)
		if err != nil {
			return nil, err
		}
		keys, err := notary.Successors(key, succession)
		if err != nil {
			return nil, usageError{fmt.Errorf("--key: %w; give the line that the house shows at /log/key", err)}
		}
		follow = follow || len(keys) > 1
		for _, key := range keys {
			if !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	if !follow && len(bytes.TrimSpace(succession)) > 0 {
		return nil, usageError{errors.New("--succession: no note there is signed by a key that --key gives: give what the house shows at /log/succession, and the key from before")}
	}
	return all, nil
}

// readStream has a file checked.
func readStream(s *streams, c *forward.Checker, name string) error {
	file, err := openInput(s, name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	return c.Read(name, file)
}
