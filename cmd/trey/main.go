// Command trey runs three-card table games by their approved rule books. This
// package is flags and wiring; what the commands do is in the packages they
// call.
//
// Each command is a struct in a file of its own with its flags as fields, a
// method Help with examples, and a method Run(*streams) error. It is added by
// one line in commands.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"trey/internal/printable"
	"trey/rules"
	"trey/rules/books"
)

// commands is the program: its flags and its commands, in the order in which
// help lists them.
type commands struct {
	PrintVersion kong.VersionFlag `name:"version" help:"Print the version and exit."`

	Play        playCommand        `cmd:"" help:"Play every game against the house, in this terminal."`
	Serve       serveCommand       `cmd:"" help:"Open a house: tables, accounts and a jackpot, over HTTP."`
	Health      healthCommand      `cmd:"" help:"Check that a running house accepts commands."`
	Backup      backupCommand      `cmd:"" help:"Copy the record of a house that may be open, and audit the copy."`
	Archive     archiveCommand     `cmd:"" help:"Put whole months of a record into files of their own, which the house still reads."`
	Move        moveCommand        `cmd:"" help:"Move the record of a house that is stopped from a file into a database, or back."`
	Keys        keysCommand        `cmd:"" help:"Rotate the keys that seal the seeds of rounds in play, or the key that signs for the record."`
	Restore     restoreCommand     `cmd:"" help:"Continue a house from a copy of its lost record, by decision of two people."`
	Recover     recoverCommand     `cmd:"" help:"Give one person access to a house whose people are all locked out."`
	EraseName   eraseNameCommand   `cmd:"" help:"Erase the name of a person from a record, as two people of the house have agreed."`
	Audit       auditCommand       `cmd:"" help:"Audit a record: its money, its tree, and the checkpoint that was signed."`
	Witness     witnessCommand     `cmd:"" help:"Run a witness: cosign the checkpoints of houses that continue the ones seen before."`
	Significant significantCommand `cmd:"" help:"Check what another machine has stored of the significant events of a house."`
	Rules       rulesCommand       `cmd:"" help:"Look up the rule books, clause by clause."`
	Odds        oddsCommand        `cmd:"" help:"Work out the exact mathematics of every bet: par sheets, strategies, sessions."`
	Sim         simCommand         `cmd:"" help:"Simulate random rounds and test them against the exact mathematics."`
	Settle      settleCommand      `cmd:"" help:"Settle rounds that were dealt elsewhere, one JSON object a line."`
	Variant     variantCommand     `cmd:"" help:"Check an operator's variants of the rule books, or start one."`
	Load        loadCommand        `cmd:"" help:"Simulate many players in a house, measure it, and compare every account."`
	Config      configCommand      `cmd:"" help:"Check the file of a house, or start one."`
	Scenario    scenarioCommand    `cmd:"" help:"Play incidents written as scenarios, and tell what happens."`
	Password    passwordCommand    `cmd:"" help:"Make the hash of a password, for a user of a house."`
	Replay      replayCommand      `cmd:"" help:"Replay the record of a round to check it, and describe the round in words."`
	Verify      verifyCommand      `cmd:"" help:"Verify the record of a round from itself alone: deck, deal, settlement and money."`
	Version     versionCommand     `cmd:"" help:"Print the version, or check the program and its books against a published list."`
	Completion  completionCommand  `cmd:"" help:"Print a script that completes trey commands in a shell."`
	Man         manCommand         `cmd:"" help:"Write a manual page for each command."`
	Help        helpCommand        `cmd:"" help:"Show help, of all commands or of one."`
}

const description = "Three-card table games, dealt and settled exactly by their rule books."

// The exit statuses beside 0.
const (
	exitFound = 1  // the command ran and found something wrong, or could not finish
	exitUsage = 2  // it was asked for something that there is not
	exitBug   = 70 // the program itself is at fault
)

// streams holds what a command reads from and writes to.
type streams struct {
	in io.Reader
	// out and err are for text. What comes from files, such as the names of players,
	// cannot act on a terminal through them.
	out, err io.Writer
	// rawOut and rawErr take bytes as they are: a workbook, and the codes of a screen
	// or progress bar that the program itself draws. Text from a file never goes there.
	rawOut, rawErr io.Writer
}

// newStreams returns the streams of a command, and what writes the rest of its text
// at its end.
func newStreams(stdin io.Reader, stdout, stderr io.Writer) (s *streams, flush func()) {
	out, err := printable.NewWriter(stdout), printable.NewWriter(stderr)
	return &streams{in: stdin, out: out, err: err, rawOut: stdout, rawErr: stderr}, func() {
		_, _ = out.Flush(), err.Flush()
	}
}

// outputWriter writes the output of a command line by line. It keeps the first error and
// writes nothing after it, so that the command checks for one once, at its end.
type outputWriter struct {
	out io.Writer
	err error
}

func (t *outputWriter) Write(p []byte) (n int, err error) {
	if t.err == nil {
		n, t.err = t.out.Write(p)
	}
	return n, t.err
}

// usageError is an error in what was asked for, not in what was found.
type usageError struct{ error }

func (m usageError) Unwrap() error { return m.error }

// errReported says that the command found something wrong and has already reported
// everything about it.
var errReported = errors.New("something wrong was found")

// exit leaves the flag parser, which prints help or the version and then wants
// the process to end, without ending it.
type exit int

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exit:
			status = int(p)
		default:
			status = exitBug
			fmt.Fprintf(stderr, "trey: this is a fault of the program, not yours: %v\nPlease report it with what you did and this version: %s\n", p, version())
		}
	}()

	help := len(args) == 0
	if help { // nothing was asked for: say what there is
		args, stdout = []string{"--help"}, stderr
	}
	s, flush := newStreams(stdin, stdout, stderr)
	defer flush()
	stderr = s.err
	var cli commands
	parserOut := &outputWriter{out: s.out} // help and version, which the parser prints
	parser, err := kong.New(
		&cli,
		kong.Name("trey"),
		kong.Description(description),
		kong.Vars{
			"version":        version(),
			"books":          bookList(func(*rules.Book) bool { return true }),
			"deciding_books": bookList(func(b *rules.Book) bool { return b.Decision != nil }),
		},
		kong.Writers(parserOut, s.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 80}),
		kong.Exit(func(code int) {
			if help {
				code = exitUsage
			}
			if parserOut.err != nil {
				code = complain(stderr, parserOut.err, nil)
			}
			panic(exit(code))
		}),
	)
	if err != nil {
		panic(err)
	}
	ctx, err := parser.Parse(args)
	if parserOut.err != nil {
		return complain(stderr, parserOut.err, ctx)
	}
	if err := given(args); err != nil {
		return complain(stderr, usageError{err}, ctx)
	}
	if err != nil {
		return complain(stderr, usageError{err}, ctx)
	}
	if err := ctx.Run(s); err != nil {
		return complain(stderr, err, ctx)
	}
	return 0
}

// given refuses an argument that is empty. It comes from a variable that is not set, or from a
// file that is not there, as in --witness "$(cat witness.pub)": it would ask for less than was
// meant, as if the flag had been left out.
func given(args []string) error {
	flags := true
	for i, arg := range args {
		flags = flags && arg != "--"
		if flag, ok := strings.CutSuffix(arg, "="); ok && flags && strings.HasPrefix(arg, "--") && !strings.Contains(flag, "=") {
			return fmt.Errorf("the value of %s is empty: give one, or leave the flag out", flag)
		}
		switch {
		case arg != "":
		case i > 0 && flags && strings.HasPrefix(args[i-1], "--"):
			return fmt.Errorf("what comes after %s is empty: give a value, or leave the flag out", args[i-1])
		default:
			return fmt.Errorf("argument %d is empty: give a value, or leave it out", i+1)
		}
	}
	return nil
}

// bookList returns the ids of the books that are counted, as a help text lists them.
func bookList(counts func(*rules.Book) bool) string {
	var ids []string
	for _, b := range books.All() {
		if counts(b) {
			ids = append(ids, b.ID)
		}
	}
	last := len(ids) - 1
	return strings.Join(ids[:last], ", ") + " or " + ids[last]
}

// argumentMark matches the name of an argument with which kong begins an error about it.
var argumentMark = regexp.MustCompile(`^\[?<[a-z]+>\]?: `)

// complain prints an error and returns the exit status that belongs to it.
func complain(stderr io.Writer, err error, ctx *kong.Context) int {
	var wrong usageError
	isUsage := errors.As(err, &wrong)
	switch {
	case errors.Is(err, errReported) && isUsage:
		return exitUsage
	case errors.Is(err, errReported):
		return exitFound
	}
	if errors.Is(err, errInterrupted) {
		return exitInterrupted
	}
	command := "trey"
	var parsing *kong.ParseError
	if errors.As(err, &parsing) {
		ctx = parsing.Context
	}
	if ctx != nil && ctx.Selected() != nil {
		command = ctx.Selected().FullPath()
	}
	found := argumentMark.ReplaceAllString(err.Error(), "")
	if missing, ok := strings.CutPrefix(found, "expected "); ok && parsing != nil {
		found = missing + " is missing after " + command
	}
	fmt.Fprintf(stderr, "trey: %s\n", found)
	if !isUsage {
		return exitFound
	}
	fmt.Fprintf(stderr, "Try %q.\n", command+" --help")
	return exitUsage
}
