package scenario_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/steady"
	"trey/rules"
	"trey/rules/books"
	"trey/scenario"
	"trey/table"
	"trey/trace"
)

var transcript = flag.Bool("transcript", false, "print the transcript of every scenario")

// files lists the scenarios.
func files(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir("testdata", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".txtar" {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return names
}

// TestScenarios plays every scenario through the pure engine, and holds its file
// name against its first line.
func TestScenarios(t *testing.T) {
	for i, name := range files(t) {
		if steady.Raced && i%8 != 0 {
			continue
		}
		dir, file := filepath.Split(name)
		t.Run(filepath.Base(dir)+"/"+strings.TrimSuffix(file, ".txtar"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := scenario.Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			book, err := books.Find(filepath.Base(dir))
			if err != nil {
				t.Fatal(err)
			}
			clause, _, _ := strings.Cut(file, "_")
			if s.Book != book.Ref() || s.Clauses[0] != clause {
				t.Errorf("%s begins with %s %s: the folder and the name say %s %s", name, s.Book, s.Clauses[0], book.Ref(), clause)
			}
			for _, id := range s.Clauses {
				if _, ok := book.Clause(id); !ok {
					t.Errorf("%s has no clause %s", book.Ref(), id)
				}
			}
			var out bytes.Buffer
			if err := s.Run(new(scenario.Pure), &out); err != nil {
				t.Error(err)
			}
			if *transcript {
				t.Log(out.String())
			}
		})
	}
}

// TestFailuresAreFound plays scripts that are wrong and expects to be told so: a
// runner that finds nothing would look like an engine without fault.
func TestFailuresAreFound(t *testing.T) {
	const top = "# rws-3cp@3 3.5: what\nopen rws-3cp boxes=2\nbet box=1 ante=10 player=ann\n"
	tests := []struct{ name, script, want string }{
		{"refused", top + "bet box=1 ante=10 player=ben\n", "t:4: bet box=1 ante=10 player=ben\n\texpected: that it is carried out\n\tfound:    refused, box-taken"},
		{"not refused", top + "! bet box=2 ante=10 player=ben\n", "expected: that it is refused"},
		{"wrong reason", top + "! bet box=1 ante=10 player=ben\nwant refused reason=stake-size\n", "expected: reason=stake-size\n\tfound:    reason=box-taken"},
		{"wrong clause", top + "! bet box=1 ante=10 player=ben\nwant refused clause=3.6\n", "expected: clause 3.6\n\tfound:    clause rws-3cp@3 3.5"},
		{"nothing refused", top + "want refused\n", "expected: a refusal"},
		{"wrong phase", top + "want phase dealing\n", "found:    phase betting"},
		{"wrong amount", top + "withdraw box=1 ante\nwant returned ann=9.99\n", "found:    returned ann=10.00"},
		{"unknown verb", "# b 1: what\nopen rws-3cp\nbte box=1\n", `t:3: "bte" is nothing that can be done: did you mean bet?`},
		{"no verb near", "# b 1: what\nopen rws-3cp\nsurrender box=1\n", `t:3: "surrender" is nothing that can be done: the verbs are answer, `},
		{"misspelt wager", top + "bet box=1 antte=5 player=ann\n", `t:4: "antte" is not a wager: choose from ante, `},
		{"no wager", top + "bet box=1 player=ann\n", `t:4: say how much on what`},
		{"cards before the deal", top + "deal box=1 'Qh 6d 4c'\n", "found:    refused, wrong-phase"},
		{"cards given twice", top + "close\ndeal box=1 'Qh 6d 4c' box=1 'Kh 6c 4d'\n", `t:5: box 1 is given cards twice`},
		{"no such incident", top + "report earthquake\n", `t:4: "earthquake" is not an incident: choose from foreign-card, `},
		{"unknown want", top + "want luck\n", `t:4: "luck" is not an assertion: choose from announced, `},
		{"misspelt want", top + "want vod\n", `t:4: "vod" is not an assertion: did you mean void?`},
		{"unknown word", top + "close twice\n", `t:4: "twice" has no meaning here`},
		{"unknown key", top + "close wager=ante\n", `t:4: wager= has no meaning here`},
		{"no head", "open rws-3cp\n", `t:1: begin with`},
		{"no script", "# b 1: what\n", `t:1: there is nothing to play`},
		{"no table", "# b 1: what\nbet box=1 ante=1 player=a\n", `t:2: a script begins with open`},
		{"late proves", top + "# proves: 3.6\n", `t:4: what a scenario proves stands at its head`},
		{"open quote", top + "deal box=1 'Qh\n", `t:4: a quote is not closed`},
		{"no such book", "# b 1: what\nopen rws-3pc\n", `t:2: there is no book "rws-3pc": did you mean rws-3cp`},
		{"bad ruling", "# b 1: what\nopen rws-3cp ruling.envy_per=day\n", `t:2: ruling.envy_per: envy_per cannot be "day"`},
		{"bad variant", "# b 1: what\nopen rws-3cp boxes=0\n", `t:2: boxes: 0 is outside`},
		{"limits of Play apart", "# b 1: what\nopen us-3cp limit.ante=2..25 limit.play=2..10\n", `t:2: limits.play: Play always equals Ante`},
		{"limits of Play alone", "# b 1: what\nopen sm-3cp limit.play=2..10\n", `t:2: limits.play: Play always equals Ante`},
		{"no file", "# b 1: what\nopen rws-3cp variant=x.toml\n", `t:2: the archive holds no file x.toml`},
		{"want refused to be refused", top + "! want phase betting\n", `t:4: want is not something that is refused`},
		{"two at once refused", top + "! bet box=1 ante=10 pair-plus=5 player=ben\n", `t:4: a line that is refused does one thing`},
		{"too few cards", top + "close\ndeal box=1 'Qh 6d'\n", `t:5: box 1 is still to get 3 cards, and 2 are given`},
		{"undealt box", top + "close\ndeal box=2 'Qh 6d 4c'\n", `t:5: box 2 is still to get 0 cards`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenario.Parse("t", []byte(test.script))
			if err == nil {
				err = s.Run(new(scenario.Pure), nil)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestRefusalWithoutClause: what no clause refuses is told without an empty
// pair of brackets.
func TestRefusalWithoutClause(t *testing.T) {
	const script = "# rws-3cp@3 3.5: what\nopen rws-3cp boxes=2\nBET box=1 ante=-5 player=ann\n"
	for _, test := range []struct{ bet, want string }{
		{"bet", "refused, malformed: a bet needs a player and an amount above zero"},
		{"! bet", "refused: a bet needs a player and an amount above zero (malformed)"},
	} {
		s, err := scenario.Parse("t", []byte(strings.Replace(script, "BET", test.bet, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := s.Run(new(scenario.Pure), &text); err != nil {
			fmt.Fprintln(&text, err)
		}
		if !strings.Contains(text.String(), test.want+"\n") {
			t.Errorf("%s: told\n%s\nwant a line that ends with %q", test.bet, text.String(), test.want)
		}
	}
}

// TestScriptOfAnyEditor: a byte order mark and line ends of two bytes mean
// nothing.
func TestScriptOfAnyEditor(t *testing.T) {
	s, err := scenario.Parse("t", []byte("\ufeff# rws-3cp@3 3.5: what\r\nopen rws-3cp boxes=2\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(new(scenario.Pure), nil); err != nil {
		t.Error(err)
	}
}

// liar is an engine that spoils what a true one says.
type liar struct {
	scenario.Pure
	spoil func(r *scenario.Result)
}

func (e *liar) Do(name string, c table.Command) (scenario.Result, error) {
	r, err := e.Pure.Do(name, c)
	if err == nil {
		e.spoil(&r)
	}
	return r, err
}

// TestLiesAreFound spoils an engine in one way at a time: what no scenario asks
// for must be noticed all the same.
func TestLiesAreFound(t *testing.T) {
	const script = `# rws-3cp@3 3.15: what
open rws-3cp boxes=2 meter=50000
bet box=1 ante=10 progressive=5 player=ann
bet box=2 ante=10 player=ben
close
deal box=1 'As Ks Qs' box=2 'Qc 6d 4c' dealer='Kd 9c 2s'
play box=1
play box=2
reveal
settle
`
	settled := func(change func(lines []table.Line) []table.Line) func(r *scenario.Result) {
		return func(r *scenario.Result) {
			for i, e := range r.Events {
				if e, ok := e.(table.Settled); ok {
					e.Lines = change(slices.Clone(e.Lines))
					r.Events[i] = e
				}
			}
		}
	}
	tests := []struct {
		name  string
		spoil func(r *scenario.Result)
		want  string
	}{
		{"truth", func(*scenario.Result) {}, ""},
		{"a line is lost", settled(func(lines []table.Line) []table.Line { return lines[1:] }), "expected: money conserved"},
		{"a line stands twice", settled(func(lines []table.Line) []table.Line { return append(lines, lines[0]) }), "expected: money conserved"},
		{"a line pays without clause", settled(func(lines []table.Line) []table.Line { lines[0].Clause = ""; return lines }), "names its clause"},
		{"a loser is paid", settled(func(lines []table.Line) []table.Line {
			last := &lines[len(lines)-1]
			last.Returned = last.Stake
			return lines
		}), "adds up"},
		{"the jackpot pays less", settled(func(lines []table.Line) []table.Line {
			for i := range lines {
				if lines[i].Combo == rules.AKQSpades && lines[i].Wager == rules.Progressive {
					lines[i].Pays, lines[i].Returned = lines[i].Pays-1, lines[i].Returned-1
				}
			}
			return lines
		}), "expected: the meter to pay"},
		{"a card changes", func(r *scenario.Result) {
			for i, e := range r.Events {
				if e, ok := e.(table.DealerShown); ok {
					e.Hand = card.NewHand(card.FromIndex(0), card.FromIndex(1), card.FromIndex(2))
					r.Events[i] = e
				}
			}
		}, "expected: a card to keep its face"},
		{"a card is shown", func(r *scenario.Result) {
			for i, e := range r.Events {
				if e, ok := e.(table.CardsDealt); ok {
					e.Cards = slices.Clone(e.Cards)
					e.Cards[0].FaceUp = true
					r.Events[i] = e
				}
			}
		}, "expected: the log of commands to give the same events"},
		{"the state runs ahead", func(r *scenario.Result) { r.State.AreaMax++ }, "to lead to the same state"},
		{"something is said without a clause", func(r *scenario.Result) {
			for i, e := range r.Events {
				if e, ok := e.(table.Announced); ok {
					e.Clause = ""
					r.Events[i] = e
				}
			}
		}, "an announcement by a provision of rws-3cp@3"},
		{"a bet is not recorded", func(r *scenario.Result) {
			if _, ok := r.Events[0].(table.BetPlaced); ok {
				r.Events = r.Events[:0]
			}
		}, "expected: money conserved"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenario.Parse("t", []byte(script))
			if err != nil {
				t.Fatal(err)
			}
			err = s.Run(&liar{spoil: test.spoil}, nil)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range files(f) {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("# b 1: what\nopen x 'a''b' c=d=e # rest\n! bet\n-- f --\ntext"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := scenario.Parse("fuzz", text)
		var wrong *scenario.SyntaxError
		if err != nil && (!errors.As(err, &wrong) || wrong.Line < 1) {
			t.Errorf("%v is no syntax error with a line", err)
		}
	})
}

// FuzzPlay plays whatever can be read, to its end or to an error that names a
// line. What the engine calls a fault of its own is found here too.
func FuzzPlay(f *testing.F) {
	for _, name := range []string{"5.8.6_void_unseen", "3.5_one_player_a_box", "5.14_order_decided", "4.9.1_two_tables", "5.9_burn_missed"} {
		text, err := os.ReadFile(filepath.Join("testdata", "rws-3cp", name+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scenario.Parse("fuzz", text)
		if err != nil {
			return
		}
		if err := s.Run(new(scenario.Pure), nil); err != nil {
			var wrong *scenario.SyntaxError
			var failed *scenario.Failure
			if !errors.As(err, &wrong) && !errors.As(err, &failed) {
				t.Errorf("%v names no line", err)
			}
			if failed != nil && strings.Contains(failed.Got, "is corrupt") {
				t.Errorf("a fault of the engine: %v", err)
			}
		}
	})
}

// A scenario that the program was built with plays step by step, and each of its
// lines is one step. One in ten is enough, one in thirty by default: that they all play is tested above.
func TestSteps(t *testing.T) {
	index, err := trace.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range slices.Compact(filesOf(&index)) {
		if i%10 != 0 || !steady.Turn(i/10, 3) {
			continue
		}
		script, err := scenario.Load(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		steps, err := script.Steps()
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for i, step := range steps {
			if i > 0 && step.Line <= steps[i-1].Line || step.Text == "" || step.Table == "" {
				t.Errorf("%s: step %d is line %d, %q at table %q", file, i+1, step.Line, step.Text, step.Table)
			}
			if strings.HasPrefix(step.Text, "!") != (step.Refusal != nil) {
				t.Errorf("%s:%d: %s: refused for %v", file, step.Line, step.Text, step.Refusal)
			}
			if strings.HasPrefix(step.Text, "want") != step.Checks {
				t.Errorf("%s:%d: %s: checks is %v", file, step.Line, step.Text, step.Checks)
			}
		}
	}
	for _, file := range []string{"", "scenario/testdata/rws-3cp/none.txtar", "scenario/../go.mod", "testdata/rws-3cp/5.8.6_seen.txtar"} {
		if _, err := scenario.Load(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load(%q): %v, want that there is none", file, err)
		}
	}
}

func filesOf(index *trace.Index) []string {
	var files []string
	for _, proof := range index.Scenarios {
		files = append(files, proof.File)
	}
	slices.Sort(files)
	return files
}
