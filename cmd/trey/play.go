package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	Boxes   *int    `placeholder:"N" help:"The number of boxes at a table; 5 without it. A variant has its own."`
	Others  int     `placeholder:"N" help:"The number of other players at the table, who bet by chance and decide by the known strategy; none without it."`
	Seed    *uint64 `placeholder:"N" help:"Deal the cards that follow from this number, so that a session can be repeated."`
	Balance string  `type:"path" placeholder:"FILE" help:"The file of your play money; one in your configuration directory without it."`
	Log     string  `type:"path" placeholder:"DIR" xor:"log" help:"The directory for the logs of your rounds; one beside the file of your play money without it."`
	NoLog   bool    `xor:"log" help:"Write no logs of rounds."`
	Plain   bool    `help:"Play in lines of text, for screen readers and pipes."`
	GiveUp  bool    `help:"Give up a round in progress that cannot be taken up again: its bets are lost."`
}

// Help is the long help of the command.
func (playCommand) Help() string {
	return `You play with play money, $1,000.00 to begin with. If you leave in mid-round, by quit, by Ctrl-C twice or at the end of the input, you have walked away by the rule book: hands that you have not decided are folded, and the round is settled without you. You are warned once, with the amount at stake. Bets that are still open are taken back. If the program is killed, the terminal hangs up or the power fails, the round goes on at the next start, with the same cards and bets. A round that cannot be taken up again is an error and changes nothing; --give-up ends it.

With --others more players sit at the last boxes of the table, each with a name and a bet of their own, so that you see a full table and Envy Bonuses. They decide after you. Where --seed is given, their bets follow from it too.

With --variant the tables of that book are an operator's, with their own limits, pay tables and rulings; what must be said of them aloud is said first. A round that goes on keeps the terms it was dealt under, also when the file is gone, and so does its table until you choose a game.

Each round that ends, settled or void, is written to a log of its own, which trey replay checks and tells: round-000001.jsonl and so on, in a directory beside your balance file that is named like it, with .rounds, or in the one that --log names. None is ever overwritten or deleted. The command log, or L on the screen, says where the last one is.

On the screen the keys are always shown, and ? explains them. Where standard input or output is not a terminal, or the terminal cannot move its cursor, it is played in lines of text as with --plain. Set NO_COLOR for a screen without colour.

Examples:

    $ trey play
    $ trey play --book mbs-3pictures --boxes 3
    $ trey play --book sm-3cp --others 4
    $ trey play --variant high-limit.toml
    $ trey play --book rws-3cp --seed 42 --balance /tmp/trial.json
    $ trey play --log ~/rounds
    $ printf '%s\n' 'bet 1 ante 10' deal 'look 1' 'play 1' reveal | trey play --book rws-3cp --plain`
}

// Run plays until the player leaves.
func (cmd *playCommand) Run(s *streams) error {
	variant, aloud, err := cmd.variant()
	if err != nil {
		return err
	}
	boxes, err := cmd.boxes(variant)
	if err != nil {
		return misuse{err}
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
		NowMs:    func() int64 { return time.Now().UnixMilli() },
		Variant:  variant,
		Others:   cmd.Others,
		Software: version(),
	}
	// The bets of other players have the first seed of the session for their own:
	// how much chance they use changes none of the decks. Without them all seeds
	// are decks.
	var chance *rand.Rand
	host.Below = func(n int) int {
		if chance == nil {
			chance = rand.New(rand.NewChaCha8(seeds()))
		}
		return chance.IntN(n)
	}
	host.Deck = func() [52]card.Card { return shuffle.Shuffle(seeds()) }
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
	session, resumed, err := cmd.start(file, &account, host, boxes)
	if err != nil {
		return err
	}
	var notices []string
	if notice != "" {
		notices = append(notices, notice)
	}
	notices = append(notices, resumed...)
	if session.Variant() != nil && (book != "" || cmd.Boxes != nil || cmd.Others != 0) {
		notices = append(notices, "It is played at its own table. The game, boxes and other players that you asked for are there when you choose a game after it.")
	}
	notices = append(notices, aloud...)

	// Signals are taken from the moment that there is something to save.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	if in, out, ok := terminal(s); ok && !cmd.Plain {
		err = playOnScreen(session, book, notices, in, out, signals)
	} else {
		err = playInLines(session, book, notices, s, signals)
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

// boxes returns the number of boxes at each table, zero for the usual, after a
// look at whether the table asked for can be: with so many boxes in that book, and
// with a box left for the player.
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

// start begins the session. A round in progress that cannot be taken up again
// leaves everything as it is, unless it is given up.
func (cmd *playCommand) start(file *purse.File, account *play.Account, host play.Host, boxes int) (*play.Session, []string, error) {
	session, resumed, err := play.Start(*account, host, boxes)
	switch {
	case errors.Is(err, play.ErrRound) && cmd.GiveUp:
		given := account.GiveUp(host.NowMs())
		if err := file.Keep(*account); err != nil {
			return nil, nil, err
		}
		session, resumed, err = play.Start(*account, host, boxes)
		return session, append(given, resumed...), err
	case errors.Is(err, play.ErrRound):
		return nil, nil, fmt.Errorf("%s: %w. Nothing was changed. Start the trey that dealt it, or name another file with --balance, or give the round up with --give-up, which loses its bets of $%s",
			file.Path(), err, account.InRound().Display())
	case err == nil && cmd.GiveUp:
		return nil, nil, misuse{errors.New("--give-up is for a round that cannot be taken up again, and there is none: leave --give-up out")}
	}
	return session, resumed, err
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
	if out, isFile = s.rawOut.(*os.File); !isFile {
		return nil, nil, false
	}
	able := term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"
	return in, out, able
}

// lookInterval is how often the terminal of a screen is asked whether it is still
// there.
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
				if s == os.Interrupt {
					program.Send(screen.Interrupt{})
				} else {
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
				if s == os.Interrupt {
					call = plain.AskToLeave
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
