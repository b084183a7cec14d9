package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"trey/internal/house/proof"
	"trey/internal/printable"
	"trey/internal/tree"
)

// verifyCommand checks records of rounds, and signed results of the dealer school.
type verifyCommand struct {
	Files      []string `arg:"" name:"file" help:"Records of rounds, or signed results of the dealer school; - for standard input."`
	Key        []string `placeholder:"KEY" help:"A key of the house, as it shows it at /log/key, or a file with it; may be given several times, where a house has changed its key."`
	Succession []string `type:"existingfile" placeholder:"FILE" help:"The notes by which each key of the house named the one after it, from /log/succession: keys that follow from those of --key are known too. May be given several times."`
	Witness    []string `placeholder:"KEY" help:"The key of a witness who must have cosigned, as the witness prints it, or a file with it; may be given several times."`
	Format     string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"The form of the report: text or json."`
}

// Help returns the long help of the command.
func (verifyCommand) Help() string {
	return `A house gives out the record of each round that has ended: its rules, the seeds that its deck came from, every command with what followed, and the money that moved. docs/round-record.md describes it. Verifying takes nothing but the record:

    rules        they match their name and their hash
    course       it is one complete round, from its opening to its end
    commitment   the seed is the one that was committed to before the bets
    cards        they are the top of the deck of these seeds, in its order
    commands     decided once more, they lead to exactly these events
    settlement   every wager is settled by the rules and the cards
    money        each player staked and received what moved on their account
    jackpot      its meter moved by what was contributed and paid
    log          the house recorded and signed it, and the witnesses named cosigned it

A file may also be the signed result of a learner in the dealer school. Then the key of the house says whose signature it is; without a key that is open.

Each is proven, failed or open. It is open where it cannot be checked, such as the order of cards that a dealer dealt by hand, or who signed where you name no house. A round is proven if nothing failed and nothing is open. A commitment proves something to whoever saw it before the bets: compare it with the one that you noted. docs/fair-dealing.md describes how to check the cards without this program.

Examples:

    $ trey verify round-7.json

    $ curl -s http://127.0.0.1:8080/log/key > house.pub
    $ trey verify round-7.json --key house.pub --witness witness.pub

    $ curl -s http://127.0.0.1:8080/log/succession > succession
    $ trey verify round-7.json --key house-of-last-year.pub --succession succession

    $ trey verify --format json round-*.json

    $ trey verify trey-school-3yq2.txt --key house.pub

    $ curl -s -b session.cookies http://127.0.0.1:8080/api/v1/tables/vegas-1/rounds/7 | trey verify -

The exit status is 0 if nothing failed, 1 if something did or a file is no record, and 2 if there is nothing to read.`
}

// verified is the result of one file.
type verified struct {
	File string `json:"file"`
	// Fault is why the file was not read as a record.
	Fault string `json:"fault,omitempty"`
	fault string // the form of the sentence that says so
	*proof.Report
	// School is a result of the dealer school, where the file is one.
	School *schoolResult `json:"school,omitempty"`

	names map[string]string
}

// Run verifies each file.
func (cmd *verifyCommand) Run(s *streams) error {
	by, err := cmd.verifier()
	if err != nil {
		return err
	}
	all, bad := []verified{}, false
	for _, name := range cmd.Files {
		in, err := openInput(s, name)
		if err != nil {
			return err
		}
		text := bufio.NewReader(in)
		if isSchoolResult(text) {
			result, err := cmd.schoolResult(text)
			if err != nil {
				all, bad = append(all, verified{File: name, Fault: err.Error(), fault: noResult}), true
			} else {
				all = append(all, verified{File: name, School: result})
			}
			_ = in.Close() // it was only read
			continue
		}
		r, err := proof.Read(text)
		_ = in.Close() // it was only read
		var fault *proof.Fault
		switch {
		case errors.As(err, &fault):
			all, bad = append(all, verified{File: name, Fault: fault.Error(), fault: noRecord}), true
		case err != nil:
			return err
		default:
			report := by.Verify(r)
			all, bad = append(all, verified{File: name, Report: report, names: r.Names}), bad || !report.Sound
		}
	}
	if err := cmd.print(s, all); err != nil {
		return err
	}
	if bad {
		return errReported
	}
	return nil
}

// verifier returns a verifier with the keys that were given.
func (cmd *verifyCommand) verifier() (*proof.Verifier, error) {
	var by proof.Verifier
	keys, err := followed(cmd.Key, cmd.Succession)
	if err != nil {
		return nil, err
	}
	for _, line := range keys {
		houses, err := proof.Houses(line)
		if err != nil {
			return nil, usageError{fmt.Errorf("--key: %w: give the line that the house shows at /log/key, or a file with it", err)}
		}
		by.Houses = append(by.Houses, houses...)
	}
	for _, given := range cmd.Witness {
		line, err := keyLine(given)
		if err != nil {
			return nil, err
		}
		v, err := tree.ParseCosignatureVerifier(line)
		if err != nil {
			return nil, usageError{fmt.Errorf("--witness %q: %w", line, err)}
		}
		by.Witnesses = append(by.Witnesses, v)
	}
	return &by, nil
}

// keyLine returns a key that is given as itself, or by a file with it.
func keyLine(given string) (string, error) {
	if strings.Contains(given, "+") {
		return strings.TrimSpace(given), nil
	}
	text, err := readFile(given, "a key", mostKey)
	if err != nil {
		return "", usageError{fmt.Errorf("%q is neither a key nor a file with one: %w", given, err)}
	}
	line := strings.TrimSpace(string(text))
	if line == "" {
		return "", usageError{fmt.Errorf("the file %s has no key: it is empty", given)}
	}
	return line, nil
}

// mostKey is the most bytes that a file with a key has: it is a line.
const mostKey = 4096

// noRecord says that a file is not read as a record of a round, and noResult that it is not
// read as a result of the dealer school.
const (
	noRecord = "trey: %s is no record of a round that can be verified: %s\n"
	noResult = "trey: %s is no result of the dealer school that can be verified: %s\n"
)

// record reads the record of a round from a file that is named on the command line.
func record(s *streams, name string) (*proof.Round, error) {
	in, err := openInput(s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it is only read
	return proof.Read(in)
}

// openInput opens a file that is named on the command line.
func openInput(s *streams, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.in), nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, usageError{err}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close() // it was only opened
		return nil, usageError{fmt.Errorf("%s is a directory: name the files in it", name)}
	}
	return file, nil
}

func (cmd *verifyCommand) print(s *streams, all []verified) error {
	if cmd.Format == "json" {
		encoder := json.NewEncoder(s.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(all)
	}
	out := &outputWriter{out: s.out}
	for i := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if v := &all[i]; v.Fault != "" {
			fmt.Fprintf(s.err, v.fault, v.File, printable.Escape(v.Fault))
		} else if v.School != nil {
			v.School.print(out, v.File)
		} else {
			printReport(out, v.File, v.Report, v.names)
		}
	}
	return out.err
}

// printReport prints what a record came to. Names stand beside the numbers of persons, which
// are what is proven.
func printReport(out io.Writer, name string, r *proof.Report, names map[string]string) {
	verdict := "proven"
	switch open := r.Open(); {
	case !r.Sound:
		verdict = "NOT PROVEN"
	case len(open) > 0:
		checks := make([]string, len(open))
		for i, c := range open {
			checks[i] = c.String()
		}
		verdict = "nothing is wrong; open: " + strings.Join(checks, ", ")
	}
	fmt.Fprintf(out, "%s: table %s, round %d: %s\n", name, printable.Escape(r.Table), r.Round, verdict)
	for _, f := range r.Findings {
		text := f.Text
		if f.Where != "" {
			text = f.Where + ": " + text
		}
		text = numbered.ReplaceAllStringFunc(text, func(number string) string {
			if name := names[number]; name != "" {
				return name + " (" + number + ")"
			}
			return number
		})
		fmt.Fprintf(out, "  %-9s %-11s %s\n", f.Result, f.Check, printable.Escape(text))
	}
}
