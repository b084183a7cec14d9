package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"trey/internal/house/proof"
	"trey/internal/printable"
)

// verifyCommand checks records of rounds.
type verifyCommand struct {
	Files  []string `arg:"" name:"file" help:"Records of rounds, or - for standard input."`
	Format string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"The form of the report: text or json."`
}

// Help is the long help of the command.
func (verifyCommand) Help() string {
	return `A house gives out the record of each round that has ended: its rules, the seeds that its deck came from, every command with what followed, and the money that moved. docs/round-record.md describes it. Verifying takes nothing but the record:

    rules        are they what their name and hash say
    course       is it one round, whole, from its opening to its end
    commitment   is the seed the one that was committed to before the bets
    cards        are they the top of the deck of these seeds, in its order
    commands     decided once more, do exactly these events follow
    settlement   is every wager settled by the rules and the cards
    money        did each player lay and get what moved on his account
    jackpot      did its meter move by what was contributed and paid

Each is proven, failed, or open where a record cannot tell, such as the order of cards that a dealer dealt by hand. A commitment proves something to whoever saw it before the bets: compare it with the one that you noted. How to check the cards without this program says docs/fair-dealing.md.

Examples:

    $ trey verify round-7.json

    $ trey verify --format json round-*.json

    $ curl -s -b session.cookies http://127.0.0.1:8080/api/v1/tables/vegas-1/rounds/7 | trey verify -

The exit status is 0 if all rounds are proven, 1 if one is not or is no record, and 2 if there is nothing to read.`
}

// verified is what became of one file.
type verified struct {
	File string `json:"file"`
	// Fault is why the file was not read as a record.
	Fault string `json:"fault,omitempty"`
	*proof.Report
}

// Run verifies each file.
func (cmd *verifyCommand) Run(s *streams) error {
	all, bad := []verified{}, false
	for _, name := range cmd.Files {
		r, err := record(s, name)
		var fault *proof.Fault
		switch {
		case errors.As(err, &fault):
			all, bad = append(all, verified{File: name, Fault: fault.Error()}), true
		case err != nil:
			return err
		default:
			report := proof.Verify(r)
			all, bad = append(all, verified{File: name, Report: report}), bad || !report.Proven
		}
	}
	if err := cmd.tell(s, all); err != nil {
		return err
	}
	if bad {
		return errReported
	}
	return nil
}

func record(s *streams, name string) (*proof.Round, error) {
	if name == "-" {
		return proof.Read(s.in)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, misuse{err}
	}
	defer file.Close() //nolint:errcheck // it is only read
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, misuse{fmt.Errorf("%s is a directory: name the records in it", name)}
	}
	return proof.Read(file)
}

func (cmd *verifyCommand) tell(s *streams, all []verified) error {
	if cmd.Format == "json" {
		encoder := json.NewEncoder(s.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(all)
	}
	out := &teller{out: s.out}
	for i := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if v := &all[i]; v.Fault != "" {
			fmt.Fprintf(s.err, "trey: %s is no record of a round that can be verified: %s\n", v.File, printable.Escape(v.Fault))
		} else {
			tellReport(out, v.File, v.Report)
		}
	}
	return out.err
}

func tellReport(out io.Writer, name string, r *proof.Report) {
	verdict := "proven"
	if !r.Proven {
		verdict = "NOT PROVEN"
	}
	fmt.Fprintf(out, "%s: table %s, round %d: %s\n", name, printable.Escape(r.Table), r.Round, verdict)
	for _, f := range r.Findings {
		text := f.Text
		if f.Where != "" {
			text = f.Where + ": " + text
		}
		fmt.Fprintf(out, "  %-9s %-11s %s\n", f.Result, f.Check, printable.Escape(text))
	}
}
