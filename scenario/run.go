package scenario

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"trey/card"
	"trey/jackpot"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// Failure says which line of a scenario did not come out as written.
type Failure struct {
	File string
	Line int
	// Text is the line as it stands in the file.
	Text string
	// Want and Got say what was expected and what was found.
	Want, Got string
}

// Error prints the place, the line, and what was expected and found.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s:%d: %s\n\texpected: %s\n\tfound:    %s", f.File, f.Line, f.Text, f.Want, f.Got)
}

// mismatch holds the expected and the actual value of a line, before its place is known.
type mismatch struct{ want, got string }

func (m *mismatch) Error() string { return "expected " + m.want + ", found " + m.got }

func differ(want, got any) error { return &mismatch{fmt.Sprint(want), fmt.Sprint(got)} }

// unsound returns the error of a check that is made in every scenario and that failed.
func unsound(what, format string, args ...any) error {
	return &mismatch{what, fmt.Sprintf(format, args...)}
}

// Run plays the scenario on an engine that has no tables yet, and writes what
// happens, in words, to out; nil is nowhere. The error is a [*Failure] for the
// first line that does not come out as written, or a [*SyntaxError] for a line
// that means nothing at this table.
func (s *Script) Run(e Engine, out io.Writer) error { return s.play(e, out, nil) }

// Step is one line of a scenario as it was played.
type Step struct {
	// Line is its number in the file, Text the line as it stands there.
	Line int
	Text string
	// Verb and Words are what Text is made of, without a "!" before them.
	Verb  string
	Words []Word
	// Notes are the comments before the line.
	Notes []string
	// Checks says that the line only checks what is true.
	Checks bool
	// Results are what the line's commands came to, in order; none if it was
	// refused.
	Results []Result
	// Refusal is what a command was refused for, nil if none was.
	Refusal error
	// Table names the table of the line, and State is that table after it.
	Table string
	State table.State
	// Jackpot is what happened to the progressive, in words.
	Jackpot []sentence.Sentence
}

// Lines returns the lines of the scenario without playing it: what of a [Step] stands
// in the file.
func (s *Script) Lines() []Step {
	steps := make([]Step, len(s.lines))
	for i := range s.lines {
		steps[i] = s.lines[i].step()
	}
	return steps
}

func (l *line) step() Step {
	return Step{Line: l.number, Text: l.text, Verb: l.verb, Words: l.words, Notes: l.notes, Checks: l.verb == "want"}
}

// Steps plays the scenario as Run does, in memory, and returns its lines one by
// one, for whoever shows what happens.
func (s *Script) Steps() ([]Step, error) {
	var steps []Step
	err := s.play(&Pure{}, io.Discard, func(step Step) { steps = append(steps, step) })
	return steps, err
}

func (s *Script) play(e Engine, out io.Writer, watch func(Step)) error {
	if out == nil {
		out = io.Discard
	}
	r := &run{script: s, engine: e, out: out, tables: map[string]*seat{}, mentioned: s.cards()}
	fmt.Fprintf(out, "%s\n%s: %s\n", s.Name, s.Book+" "+strings.Join(s.Clauses, ", "), s.What)
	for i := range s.lines {
		l := &s.lines[i]
		r.results = nil
		if err := r.line(l); err != nil {
			return r.place(err, l)
		}
		if watch != nil {
			watch(r.step(l))
		}
	}
	last := &s.lines[len(s.lines)-1]
	for _, name := range slices.Sorted(maps.Keys(r.tables)) {
		if err := r.tables[name].replay(); err != nil {
			return r.place(err, last)
		}
	}
	if err := r.replayProgressive(); err != nil {
		return r.place(err, last)
	}
	return nil
}

func (r *run) place(err error, l *line) error {
	var m *mismatch
	if errors.As(err, &m) {
		return &Failure{File: r.script.Name, Line: l.number, Text: l.text, Want: m.want, Got: m.got}
	}
	if elsewhere := (*SyntaxError)(nil); errors.As(err, &elsewhere) {
		return elsewhere
	}
	return &SyntaxError{File: r.script.Name, Line: l.number, Why: err.Error()}
}

// run is one playing of a script.
type run struct {
	script *Script
	engine Engine
	out    io.Writer
	tables map[string]*seat
	at     *seat
	clock  int64 // milliseconds
	// mentioned are the cards that the script names anywhere: cards that it
	// leaves open are filled in from the others.
	mentioned card.Set
	// refusal is what the last command was refused for, nil if it was not.
	refusal error
	// results are what the commands of this line came to.
	results []Result
	// first and moved are the progressive as it was opened, and since.
	first *jackpot.State
	moved []jackpot.Event
}

// seat is one table as the runner follows it.
type seat struct {
	name         string
	start, state table.State
	log          []Result
	round        []table.Event // since the bets were opened
	books        ledger
	cards        sight
	legal        options // in state
}

func (r *run) line(l *line) error {
	if l.verb == "want" {
		err := r.want(l)
		if err == nil {
			fmt.Fprintf(r.out, "    ok  %s\n", l.text)
		}
		return err
	}
	fmt.Fprintf(r.out, "\n%s\n", l.text)
	r.refusal = nil
	return verbs[l.verb](r, l)
}

// step returns the result of the line that has just been played.
func (r *run) step(l *line) Step {
	step := l.step()
	step.Results, step.Table, step.State = r.results, r.at.name, r.at.state
	if !step.Checks {
		step.Refusal = r.refusal
	}
	for i := range r.results {
		for _, e := range r.results[i].Jackpot {
			step.Jackpot = append(step.Jackpot, jackpot.EventSentence(e))
		}
	}
	return step
}

// state returns the table at which the next command is given.
func (r *run) state() *table.State { return &r.at.state }

func (r *run) book() *rules.Book { return r.at.state.Variant.Book }

// send gives commands to the engine, each after the one before.
func (r *run) send(l *line, a *args, by table.Actor, actions ...table.Action) error {
	by, err := a.actor(by)
	if err != nil {
		return err
	}
	r.clock += 1000
	if text := a.text("at"); text != "" {
		if r.clock, err = parseSeconds(text); err != nil {
			return err
		}
	}
	if err := a.rest(); err != nil {
		return err
	}
	if l.refuse && len(actions) != 1 {
		return errors.New("a line that is refused does one thing: write one line for each")
	}
	for _, do := range actions {
		if err := r.command(l, table.Command{By: by, AtMs: r.clock, Do: do}); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) command(l *line, c table.Command) error {
	before := r.at.state
	result, err := r.engine.Do(r.at.name, c)
	if err != nil {
		clause, reason, detail, refused := refusalOf(err)
		switch {
		case !refused:
			return unsound("an engine without fault", "%v", err)
		case !l.refuse:
			if clause != "" {
				clause = " (" + clause + ")"
			}
			return differ("that it is carried out", fmt.Sprintf("refused, %s: %s%s", reason, detail, clause))
		}
		r.refusal = err
		if clause != "" {
			clause += ", "
		}
		fmt.Fprintf(r.out, "    refused: %s (%s%s)\n", detail, clause, reason)
		return nil
	}
	for _, e := range result.Events {
		if words := table.Text(e, result.State); words != "" {
			fmt.Fprintf(r.out, "    %s\n", strings.ReplaceAll(words, "\n", "\n    "))
		}
	}
	for _, e := range result.Jackpot {
		fmt.Fprintf(r.out, "    %s\n", jackpot.EventSentence(e))
	}
	if l.refuse {
		return differ("that it is refused", "it was carried out")
	}
	r.at.state = result.State
	r.at.log = append(r.at.log, result)
	r.results = append(r.results, result)
	r.moved = append(r.moved, result.Jackpot...)
	for _, e := range result.Events {
		if _, ok := e.(table.BetsOpened); ok {
			r.at.round = nil
		}
		r.at.round = append(r.at.round, e)
	}
	return r.check(before, result)
}

// cards returns all cards that the script names.
func (s *Script) cards() card.Set {
	var set card.Set
	for i := range s.lines {
		for _, w := range s.lines[i].words {
			for _, text := range strings.FieldsFunc(w.Value, func(c rune) bool { return strings.ContainsRune(" ,:/", c) }) {
				if c, err := card.Parse(text); err == nil {
					set = set.With(c)
				}
			}
		}
	}
	return set
}

// fillers are the cards with which hands that the script leaves open are
// filled: threes that are worth nothing, and singles for the burn.
var (
	fillers = func() []card.Hand {
		var all []card.Hand
		for _, suits := range []string{"cdh", "dhs", "hsc", "scd"} {
			for _, ranks := range []string{"27J", "38Q", "49K", "5TA"} {
				var h card.Hand
				for i := range h {
					c, err := card.Parse(ranks[i:i+1] + suits[i:i+1])
					if err != nil {
						panic(err)
					}
					h[i] = c
				}
				all = append(all, h)
			}
		}
		return all
	}()
	sixes = []string{"6c", "6d", "6h", "6s"}
)

// fill returns n cards that are neither used nor avoided; if there are not
// enough of those, of cards that are not used.
func fill(n int, used, avoid card.Set) []card.Card {
	if n == 3 {
		for _, h := range fillers {
			if set := card.NewSet(h[:]...); set.Intersect(used.Union(avoid)).Len() == 0 {
				return h[:]
			}
		}
	}
	var cards []card.Card
	take := func(c card.Card, not card.Set) {
		if len(cards) < n && !not.Has(c) && !slices.Contains(cards, c) {
			cards = append(cards, c)
		}
	}
	for _, not := range []card.Set{used.Union(avoid), used} {
		for _, text := range sixes {
			if c, err := card.Parse(text); err == nil {
				take(c, not)
			}
		}
		for _, c := range card.Deck().Cards() {
			take(c, not)
		}
	}
	return cards
}
