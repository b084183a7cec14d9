package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"trey/card"
	"trey/internal/shuffle"
	"trey/odds"
	"trey/sim"
)

// simCommand plays rounds by chance.
type simCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${books}."`
	variantFlags

	Rounds   *figure `placeholder:"N" help:"How many rounds: 1e9, 10_000_000 or 1000000. Without it 1e8, with --engine 1e5."`
	Strategy string  `placeholder:"RULE" help:"Which hands are played: optimal, always, never, or the least one, such as Q-6-4 or pair."`
	Seed     *figure `placeholder:"N" help:"The seed that decides all cards. Without it one is chosen, and printed."`
	Workers  *figure `placeholder:"N" help:"Number of CPUs to use (default: all). The result is the same."`
	Engine   bool    `help:"Play whole rounds through the engine with the real shuffler."`
	Boxes    *figure `placeholder:"N" help:"How many boxes play, with --engine."`
	Meter    *figure `placeholder:"AMOUNT" help:"What the jackpot displays in every round. Without it the reset value."`
	JSON     bool    `name:"json" help:"Print JSON instead of text."`
}

// Help returns the long help of the command.
func (simCommand) Help() string {
	return `Every wager of the book is simulated and compared with its exact figures: the mean with its 95 % interval, every row with how often it was seen and should have been, a chi-square for each table, and a verdict over all of them. Fair cards are called inconsistent less than once in a thousand runs.

Without --engine the hands are drawn and looked up, hundreds of millions a second, each bet alone on one box. With --engine whole rounds are bet, shuffled, dealt, played and settled, all wagers together on every box.

The same seed and number of rounds give the same result on any machine. Ctrl-C prints what was reached: it is the result of that many rounds.

Examples:

    $ trey sim rws-3cp --rounds 1e9
    $ trey sim us-3cp --rounds 1e8 --strategy always --seed 7
    $ trey sim rws-3cp --engine --boxes 7 --rounds 200_000
    $ trey sim sm-3cp --bonus TCPB-01 --json

The exit status is 0 if the result is consistent with the exact figures, 1 if it is not, 2 if the arguments are invalid, and 130 after Ctrl-C.`
}

// exitInterrupted is the exit status that a shell expects after Ctrl-C.
const exitInterrupted = 130

// errInterrupted says that a command was interrupted and has printed what it
// had until then.
var errInterrupted = errors.New("interrupted")

// The rounds that are played if nothing is said: about a second of them.
const (
	usualRounds       = 100_000_000
	usualEngineRounds = 100_000
)

// engineGCPercent costs some 60 MB and saves a third of the time.
const engineGCPercent = 400

// Run plays, and prints the report.
func (cmd *simCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	o, err := cmd.options(t)
	if err != nil {
		return err
	}
	for _, remark := range t.remarks {
		fmt.Fprintln(s.err, remark)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// The first Ctrl-C asks for what was reached; a second one ends at once.
	defer context.AfterFunc(ctx, stop)()

	bar := newBar(s.rawErr, o.Rounds)
	o.Progress = bar.draw
	var r *sim.Report
	if cmd.Engine {
		// Rounds leave much behind and keep nothing: with so small a heap the
		// collector would run all the time.
		debug.SetGCPercent(engineGCPercent)
		deal := func(seed [32]byte) [52]card.Card { return shuffle.Shuffle(seed) }
		r, err = sim.Engine(ctx, t.Variant, deal, o)
	} else {
		r, err = sim.Kernel(ctx, t.Variant, o)
	}
	bar.clear()
	if err != nil {
		if errors.As(err, new(*sim.Unplayable)) {
			return usageError{err}
		}
		return err
	}
	if err := cmd.print(s, r); err != nil {
		return err
	}
	switch {
	case !r.Complete():
		return errInterrupted
	case !r.Verdict.Consistent:
		return errReported
	}
	return nil
}

// options reads what the flags mean. What contradicts itself is a misuse.
func (cmd *simCommand) options(t *terms) (sim.Options, error) {
	o := sim.Options{Rounds: usualRounds}
	if cmd.Engine {
		o.Rounds = usualEngineRounds
	}
	if cmd.Rounds != nil {
		var n roundCount
		if err := n.UnmarshalText([]byte(cmd.Rounds.text)); err != nil {
			return o, usageError{fmt.Errorf("--rounds: %w", err)}
		}
		o.Rounds = int64(n)
	}
	var err error
	if cmd.Workers != nil {
		if o.Workers, err = cmd.Workers.wholeNumber("--workers"); err != nil {
			return o, err
		}
		if o.Workers < 1 {
			return o, usageError{fmt.Errorf("--workers %d: at least one has to work; without --workers all processors do", o.Workers)}
		}
	}
	if cmd.Boxes != nil {
		if !cmd.Engine {
			return o, usageError{fmt.Errorf("--boxes %s: without --engine one box plays; add --engine, or leave --boxes out", cmd.Boxes.text)}
		}
		if o.Boxes, err = t.boxes(cmd.Boxes); err != nil {
			return o, err
		}
	}
	if cmd.Strategy != "" {
		if t.Book.Decision == nil {
			return o, usageError{fmt.Errorf("--strategy %s: %s has nothing to decide; leave it out", cmd.Strategy, t.Book.Ref())}
		}
		rule, err := odds.ParseRule(cmd.Strategy)
		if err != nil {
			return o, usageError{fmt.Errorf("--strategy: %w", err)}
		}
		o.Rule = rule
	}
	if cmd.Meter != nil {
		meter, err := t.meter(cmd.Meter, odds.Bets(t.Variant), "")
		if err != nil {
			return o, err
		}
		o.Meter = meter
	}
	if cmd.Seed != nil {
		if o.Seed, err = strconv.ParseUint(cmd.Seed.text, 0, 64); err != nil {
			return o, usageError{fmt.Errorf("--seed %s: write a whole number from 0 to %d", cmd.Seed.text, uint64(math.MaxUint64))}
		}
	} else {
		o.Seed = uint64(rand.Uint32()) // short enough to be typed again
	}
	return o, nil
}

func (cmd *simCommand) print(s *streams, r *sim.Report) error {
	if !cmd.JSON {
		_, err := s.out.Write(r.Text())
		return err
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// roundCount is a number of rounds as people write large numbers.
type roundCount int64

// UnmarshalText reads 1000000, 10_000_000, 1e9 or 2.5e6.
func (n *roundCount) UnmarshalText(text []byte) error {
	wrong := fmt.Errorf("%q is not a number of rounds: write a whole number from 1 to 1e15, such as 1e9, 10_000_000 or 1000000", text)
	digits := strings.ReplaceAll(string(text), "_", "")
	if digits == "" || strings.Trim(digits, "0123456789.eE+") != "" {
		return wrong
	}
	// Every whole number up to 1e15 is a float64 exactly.
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || x != math.Trunc(x) || x < 1 || x > sim.MaxRounds {
		return wrong
	}
	*n = roundCount(x)
	return nil
}

// bar shows on a terminal how far a simulation is. Anywhere else it is silent,
// so that what is kept in a file or sent on is the result alone.
type bar struct {
	to           io.Writer // nil for silence
	total        int64
	begun, drawn time.Time
	now          func() time.Time
}

func newBar(to io.Writer, total int64) *bar {
	b := &bar{total: total, now: time.Now}
	if file, ok := to.(*os.File); ok && isTerminal(file) && os.Getenv("TERM") != "dumb" {
		b.to = to
	}
	b.begun = b.now()
	return b
}

// barEvery is the time between two drawings of the bar: short enough to look alive, and long
// enough to be read.
const barEvery = 200 * time.Millisecond

// draw draws the bar, if it is time to.
func (b *bar) draw(played int64) {
	if b.to == nil {
		return
	}
	now := b.now()
	if now.Sub(b.drawn) < barEvery {
		return
	}
	b.drawn = now
	const width = 24
	share := float64(played) / float64(b.total)
	done := int(share * width)
	rate := float64(played) / max(now.Sub(b.begun).Seconds(), 1e-9)
	left := time.Duration(float64(b.total-played) / rate * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(b.to, "\r\x1b[K%5.1f %% [%s%s] %s rounds/s, %s left", 100*share,
		strings.Repeat("=", done), strings.Repeat(" ", width-done), metric(rate), left)
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.to != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}

// metric writes a rate in three digits or so: 312 million, 14.2 thousand.
func metric(rate float64) string {
	switch {
	case rate >= 1e6:
		return strconv.FormatFloat(rate/1e6, 'f', 1, 64) + " million"
	case rate >= 1e3:
		return strconv.FormatFloat(rate/1e3, 'f', 1, 64) + " thousand"
	}
	return strconv.FormatFloat(rate, 'f', 0, 64)
}
