package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"trey/internal/durable"
	"trey/internal/play"
	"trey/internal/play/plain"
	"trey/internal/play/screen"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/rules"
)

// playCommand plays against the house in the terminal.
type playCommand struct {
	Book      bookRef `placeholder:"BOOK" help:"The game to begin with: ${books}. Without it you choose."`
	Variant   string  `placeholder:"FILE" help:"A variant file: its book is played as the variant has it, and you begin with it. See trey variant --help."`
	Boxes     *int    `placeholder:"N" help:"The number of boxes at a table; 5 without it. A variant has its own."`
	Others    int     `placeholder:"N" help:"The number of other players at the table, who bet by chance and decide by the known strategy; none without it."`
	Seed      *uint64 `placeholder:"N" help:"Deal the cards that follow from this number, so that a session with a new file can be repeated."`
	Balance   string  `type:"path" placeholder:"FILE" help:"The file of your play money, which is the record of your house; one in your configuration directory without it."`
	Records   string  `type:"path" placeholder:"DIR" xor:"records" help:"The directory for the records of your rounds; one beside the file of your play money without it."`
	NoRecords bool    `xor:"records" help:"Write no records of rounds."`
	Plain     bool    `help:"Play in lines of text, for screen readers and pipes."`
}

// Help returns the long help of the command.
func (playCommand) Help() string {
	return `You play with play money, $1,000.00 to begin with, in a house of your own: it keeps money, jackpots and rounds in one file as a house that trey serve opens does, and plays by the same engine. If you leave in mid-round, by quit, by Ctrl-C twice or at the end of the input, you have walked away by the rule book: hands that you have not decided are folded, and the round is settled without you. You are warned once, with the amount at stake. Bets that are still open are taken back. If the program is killed, the terminal hangs up or the power fails, the round goes on at the next start, with the same cards and bets: the time of your house stands still while you do not play, so that the stop is a brief interruption by the book.

With --others more players sit at the last boxes of the table, each with a name and a bet of their own, so that you see a full table and Envy Bonuses. They decide after you. Where --seed is given, their bets follow from it too.

The deck of a round is committed to before its bets, so the first round after a start is dealt from what the session before committed to, whatever --seed says; the rounds after it follow from the number, and in a new file all of them do.

With --variant the tables of that book are an operator's, with their own limits, pay tables and rulings; warnings about them are printed first. A round that goes on keeps the terms it was dealt under, also when the file is gone, and so does its table until you choose a game.

Each round that ends, settled or void, is written to a record of its own, which trey replay checks and prints in words, and trey verify checks: rws-3cp-000001.json and so on, by table and round, in a directory beside the file of your play money that is named like it, with .rounds, or in the one that --records names. None is ever overwritten or deleted. The command record, or L on the screen, says where the last one is.

On the screen the keys are always shown, and ? explains them. Where standard input or output is not a terminal, or the terminal cannot move its cursor, it is played in lines of text as with --plain. Set NO_COLOR for a screen without colour.

Examples:

    $ trey play
    $ trey play --book mbs-3pictures --boxes 3
    $ trey play --book sm-3cp --others 4
    $ trey play --variant high-limit.toml
    $ trey play --book rws-3cp --seed 42 --balance /tmp/trial.db
    $ trey play --records ~/rounds
    $ printf '%s\n' 'bet 1 ante 10' deal 'look 1' 'play 1' reveal | trey play --book rws-3cp --plain`
}

// Run plays until the player leaves.
func (cmd *playCommand) Run(s *streams) (err error) {
	variant, aloud, err := cmd.variant()
	if err != nil {
		return err
	}
	boxes, err := cmd.boxes(variant)
	if err != nil {
		return usageError{err}
	}
	book := ""
	if cmd.Book.Book != nil {
		book = cmd.Book.ID
	}
	if variant != nil {
		book = variant.Book.ID
	}
	path := cmd.Balance
	if path == "" {
		if path, err = usualBalance(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return fmt.Errorf("your play money cannot be opened: %w; name another file with --balance", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	host := cmd.host(store, variant, boxes)
	if !cmd.NoRecords {
		records := cmd.Records
		if records == "" {
			records = strings.TrimSuffix(path, filepath.Ext(path)) + ".rounds"
		}
		host.Record, host.RecordsIn = recordsIn(records), records
	}
	session, notices, err := play.Start(host)
	if err != nil {
		return fmt.Errorf("your house in %s cannot be opened: %w; name another file with --balance", path, err)
	}
	if session.Variant() != nil && (book != "" || cmd.Boxes != nil || cmd.Others != 0) {
		notices = append(notices, "It is played at its own table. The game, boxes and other players that you asked for are there when you choose a game after it.")
	}
	notices = append(notices, aloud...)

	// Signals are taken from the moment that there is something to save.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, append([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, resumed...)...)
	defer signal.Stop(signals)

	if in, out, ok := terminal(s); ok && !cmd.Plain {
		err = playOnScreen(session, book, notices, in, out, signals)
	} else {
		err = playInLines(session, book, notices, s, signals)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Your balance is kept in %s.\n", path)
	if session.Recorded().Path != "" {
		fmt.Fprintln(s.out, session.WhereRecorded())
	}
	return nil
}

// host returns what a session needs of the world, but for its records.
func (cmd *playCommand) host(store *sqlite.Store, v *rules.Variant, boxes int) play.Host {
	seeds := shuffle.Fresh
	if cmd.Seed != nil {
		seeds = shuffle.Numbered(*cmd.Seed)
	}
	// The bets of other players follow from the first seed that is drawn when they are
	// needed: how much chance they use changes none of the decks.
	var chance *rand.Rand
	return play.Host{
		Store: store, Seed: seeds, NowMs: newClock().nowMs, Variant: v, Boxes: boxes, Others: cmd.Others, Software: version(),
		Below: func(n int) int {
			if chance == nil {
				chance = rand.New(rand.NewChaCha8(seeds()))
			}
			return chance.IntN(n)
		},
	}
}

// usualBalance returns the path of the play money unless another is named.
func usualBalance() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for your balance (%w): name a file with --balance", err)
	}
	return filepath.Join(dir, "trey", "play.db"), nil
}

// recordsIn writes records of rounds into a directory, which is made with the first one.
// Nothing is ever overwritten: where there is a record of that name, as of another house,
// the name gets a number more.
func recordsIn(dir string) func(table string, round int, text []byte) (path string, err error) {
	return func(table string, round int, text []byte) (path string, err error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		name := filepath.Join(dir, fmt.Sprintf("%s-%06d", table, round))
		path = name + ".json"
		for n := 2; ; n++ {
			if err = durable.Create(path, text, 0o600); !errors.Is(err, fs.ErrExist) {
				return path, err
			}
			path = fmt.Sprintf("%s-%d.json", name, n)
		}
	}
}

// boxes returns the number of boxes at each table, zero for the usual. It refuses a number that the
// book does not have, and one that leaves no box for the player.
func (cmd *playCommand) boxes(v *rules.Variant) (int, error) {
	at, boxes := play.UsualBoxes, 0
	if cmd.Boxes != nil {
		at, boxes = *cmd.Boxes, *cmd.Boxes
		if boxes < 1 || boxes > rules.MaxBoxes {
			return 0, fmt.Errorf("a table has 1 to %d boxes, not %d", rules.MaxBoxes, boxes)
		}
	}
	switch {
	case v != nil:
		at = v.Boxes
	case cmd.Book.Book != nil:
		if _, err := (play.Game{Book: cmd.Book.ID, Boxes: boxes}).Variant(); err != nil {
			return 0, err
		}
	}
	switch {
	case cmd.Others >= 0 && cmd.Others < at:
		return boxes, nil
	case at == 1:
		return 0, fmt.Errorf("a table with one box is yours alone: --others is 0 there, not %d", cmd.Others)
	}
	return 0, fmt.Errorf("a table with %d boxes has 0 to %d other players, not %d: one box is yours", at, at-1, cmd.Others)
}

// variant returns the variant asked for, nil if none is, and what is to be said of
// it aloud.
func (cmd *playCommand) variant() (v *rules.Variant, aloud []string, err error) {
	if cmd.Variant == "" {
		return nil, nil, nil
	}
	v, remarks, err := (&gameFlag{Book: cmd.Book, Variant: cmd.Variant}).load()
	if err != nil {
		return nil, nil, err
	}
	if cmd.Boxes != nil {
		return nil, nil, usageError{fmt.Errorf("%s has %d boxes at its tables: leave --boxes out, or change it there", cmd.Variant, v.Boxes)}
	}
	if err := play.Fits(v); err != nil {
		return nil, nil, usageError{fmt.Errorf("%s: %w", cmd.Variant, err)}
	}
	for _, remark := range remarks {
		aloud = append(aloud, "Warning about this table: "+remark.String()+".")
	}
	return v, aloud, nil
}

// terminal returns the files of a terminal that a screen can be drawn on.
func terminal(s *streams) (in, out *os.File, ok bool) {
	in, isFile := s.in.(*os.File)
	if !isFile {
		return nil, nil, false
	}
	if out, isFile = s.rawOut.(*os.File); !isFile {
		return nil, nil, false
	}
	able := term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"
	return in, out, able
}

// lookInterval is the time between two checks whether the terminal is still there.
const lookInterval = time.Second

func playOnScreen(session *play.Session, book string, notices []string, in, out *os.File, signals <-chan os.Signal) error {
	if book != "" && session.Variant() == nil {
		if err := session.Sit(book, ""); err != nil {
			return err
		}
	}
	model := screen.New(session, notices)
	program := tea.NewProgram(model, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	over := make(chan struct{})
	defer close(over)
	go func() {
		// A terminal that hangs up without a signal reads as one on which nobody
		// types: only asking for it finds out.
		looks := time.NewTicker(lookInterval)
		defer looks.Stop()
		for {
			select {
			case s := <-signals:
				switch {
				case s == os.Interrupt:
					program.Send(screen.Interrupt{})
				case slices.Contains(resumed, s):
					program.Send(screen.Resume{Raw: func() { _, _ = term.MakeRaw(int(in.Fd())) }}) // it may have hung up
				default:
					program.Send(screen.Stop{})
				}
			case <-looks.C:
				if !term.IsTerminal(int(in.Fd())) {
					program.Send(screen.Stop{})
					return
				}
			case <-over:
				return
			}
		}
	}()
	if _, err := program.Run(); err != nil {
		// The screen failed, and nobody has left: the round stays as it is.
		fmt.Fprintln(out, strings.Join(session.Suspend(), "\n"))
		return err
	}
	for _, words := range model.Farewell() {
		fmt.Fprintln(out, words)
	}
	fmt.Fprintf(out, "You leave with $%s.\n", session.Balance().Display())
	return nil
}

func playInLines(session *play.Session, book string, notices []string, s *streams, signals <-chan os.Signal) error {
	table := plain.New(session, s.out)
	for _, words := range notices {
		fmt.Fprintln(s.out, words)
	}
	if err := table.Greet(book); err != nil {
		return err
	}
	calls := make(chan plain.Call, 2)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case s := <-signals:
				call := plain.Stop
				switch {
				case s == os.Interrupt:
					call = plain.AskToLeave
				case slices.Contains(resumed, s): // lines are read in any mode
					continue
				}
				select {
				case calls <- call:
				case <-over:
					return
				}
			case <-over:
				return
			}
		}
	}()
	return table.Run(typed(s.in), calls)
}

// typed returns the input of a player in lines. Where that is a terminal, its end
// is the player's (Ctrl-D) only while the terminal is there: one that has hung up
// reads as ended too, and is no longer a terminal to whoever asks.
func typed(in io.Reader) io.Reader {
	file, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return in
	}
	return &lineFile{file}
}

type lineFile struct{ *os.File }

func (f *lineFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err != nil && !term.IsTerminal(int(f.Fd())) {
		return n, plain.ErrHungUp
	}
	return n, err
}
