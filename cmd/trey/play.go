package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"

	"trey/card"
	"trey/internal/play"
	"trey/internal/play/plain"
	"trey/internal/play/purse"
	"trey/internal/play/screen"
	"trey/internal/shuffle"
	"trey/rules"
)

// playCommand plays against the house in the terminal.
type playCommand struct {
	Book    bookRef `placeholder:"BOOK" help:"The game to begin with: rws-3cp, us-3cp, sm-3cp or mbs-3pictures. Without it you choose."`
	Variant string  `placeholder:"FILE" help:"A variant file: its book is played as the variant has it, and you begin with it. See trey variant --help."`
	Boxes   int     `placeholder:"N" help:"The number of boxes at a table; 5 without it. A variant has its own."`
	Seed    *uint64 `placeholder:"N" help:"Deal the cards that follow from this number, so that a session can be repeated."`
	Balance string  `type:"path" placeholder:"FILE" help:"The file of your play money; one in your configuration directory without it."`
	Log     string  `type:"path" placeholder:"DIR" xor:"log" help:"The directory for the logs of your rounds; one beside the file of your play money without it."`
	NoLog   bool    `xor:"log" help:"Write no logs of rounds."`
	Plain   bool    `help:"Play in lines of text, for screen readers and pipes."`
}

// Help is the long help of the command.
func (playCommand) Help() string {
	return `You play with play money, $1,000.00 to begin with. Whatever ends the program, your money is safe: a round in progress is concluded or void by the clause of its rule book on interruptions, at once or, after a kill, at the next start.

With --variant the tables of that book are an operator's, with his limits, pay tables and rulings; what must be said of them aloud is said first. An interrupted round ends by the terms it was dealt under, also when the file is gone.

Each round that ends, settled or void, is written to a log of its own, which trey replay checks and tells: round-000001.jsonl and so on, in a directory beside your balance file that is named like it, with .rounds, or in the one that --log names. None is ever overwritten or deleted. The command log, or L on the screen, says where the last one is.

On the screen the keys are always shown, and ? explains them. Where standard input or output is not a terminal, or the terminal cannot move its cursor, it is played in lines of text as with --plain. Set NO_COLOR for a screen without colour.

Examples:

    $ trey play
    $ trey play --book mbs-3pictures --boxes 3
    $ trey play --variant high-limit.toml
    $ trey play --book rws-3cp --seed 42 --balance /tmp/trial.json
    $ trey play --log ~/rounds
    $ printf '%s\n' 'bet 1 ante 10' deal 'look 1' 'play 1' reveal | trey play --book rws-3cp --plain`
}

// Run plays until the player leaves.
func (cmd *playCommand) Run(s *streams) error {
	book := ""
	if cmd.Book.Book != nil {
		book = cmd.Book.ID
		if _, err := (play.Game{Book: book, Boxes: cmd.Boxes}).Variant(); err != nil {
			return misuse{err}
		}
	}
	variant, told, err := cmd.variant()
	if err != nil {
		return err
	}
	if variant != nil {
		book = variant.Book.ID
	}
	if cmd.Boxes < 0 || cmd.Boxes > rules.MaxBoxes {
		return misuse{fmt.Errorf("a table has 1 to %d boxes, not %d", rules.MaxBoxes, cmd.Boxes)}
	}
	path := cmd.Balance
	if path == "" {
		var err error
		if path, err = purse.Usual(); err != nil {
			return err
		}
	}
	file, account, notice, err := purse.Open(path)
	if err != nil {
		return err
	}
	seeds := shuffle.Fresh
	if cmd.Seed != nil {
		seeds = shuffle.Numbered(*cmd.Seed)
	}
	host := play.Host{
		Keep:     file.Keep,
		Deck:     func() [52]card.Card { return shuffle.Shuffle(seeds()) },
		NowMs:    func() int64 { return time.Now().UnixMilli() },
		Variant:  variant,
		Software: version(),
	}
	if !cmd.NoLog {
		dir := cmd.Log
		if dir == "" {
			dir = file.LogsDir()
		}
		logs, err := purse.NewLogs(dir)
		if err != nil {
			return err
		}
		host.Log, host.LogsIn = logs.Write, logs.Dir()
	}
	session, recovered, err := play.Start(account, host, cmd.Boxes)
	if err != nil {
		return err
	}
	told = append(recovered, told...)
	if notice != "" {
		told = append([]string{notice}, told...)
	}

	// Signals are taken from the moment that there is something to save.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	if in, out, ok := terminal(s); ok && !cmd.Plain {
		err = playOnScreen(session, book, told, in, out, signals)
	} else {
		err = playInLines(session, book, told, s, signals)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Your balance is kept in %s.\n", file.Path())
	if session.Logged().Path != "" {
		fmt.Fprintln(s.out, session.LogWords())
	}
	return nil
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
	if cmd.Boxes != 0 {
		return nil, nil, misuse{fmt.Errorf("%s has %d boxes at its tables: leave --boxes out, or change it there", cmd.Variant, v.Boxes)}
	}
	if err := play.Fits(v); err != nil {
		return nil, nil, misuse{fmt.Errorf("%s: %w", cmd.Variant, err)}
	}
	for _, remark := range remarks {
		aloud = append(aloud, "To be said aloud of this table: "+remark.String()+".")
	}
	return v, aloud, nil
}

// terminal returns the files of a terminal that a screen can be drawn on.
func terminal(s *streams) (in, out *os.File, ok bool) {
	in, isFile := s.in.(*os.File)
	if !isFile {
		return nil, nil, false
	}
	if out, isFile = s.out.(*os.File); !isFile {
		return nil, nil, false
	}
	able := term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"
	return in, out, able
}

func playOnScreen(session *play.Session, book string, told []string, in, out *os.File, signals <-chan os.Signal) error {
	if book != "" {
		if err := session.Sit(book, ""); err != nil {
			return err
		}
	}
	model := screen.New(session, told)
	program := tea.NewProgram(model, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-signals:
				program.Send(screen.Interrupt{})
			case <-over:
				return
			}
		}
	}()
	if _, err := program.Run(); err != nil {
		// The screen failed, the session did not: end the round properly.
		if farewell, leaveErr := session.Leave(play.Unanswered); leaveErr != nil {
			err = errors.Join(err, leaveErr)
		} else {
			fmt.Fprintln(out, strings.Join(farewell, "\n"))
		}
		return err
	}
	for _, words := range model.Farewell() {
		fmt.Fprintln(out, words)
	}
	fmt.Fprintf(out, "You leave with $%s.\n", session.Balance().Display())
	return nil
}

func playInLines(session *play.Session, book string, told []string, s *streams, signals <-chan os.Signal) error {
	table := plain.New(session, s.out)
	for _, words := range told {
		fmt.Fprintln(s.out, words)
	}
	if err := table.Greet(book); err != nil {
		return err
	}
	stop := make(chan struct{})
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-signals:
			close(stop)
		case <-over:
		}
	}()
	return table.Run(s.in, stop)
}
