package scenario_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/rules/books"
	"trey/scenario"
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
	for _, name := range files(t) {
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
		{"unknown verb", "# b 1: what\nopen rws-3cp\nbte box=1\n", `t:3: "bte" is nothing that can be done`},
		{"unknown want", top + "want luck\n", `t:4: "luck" is nothing that can be wanted`},
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
		{"no file", "# b 1: what\nopen rws-3cp variant=x.toml\n", `t:2: the archive holds no file x.toml`},
		{"want refused to be refused", top + "! want phase betting\n", `t:4: want is not something that is refused`},
		{"two at once refused", top + "! bet box=1 ante=10 pair-plus=5 player=ben\n", `t:4: a line that is refused does one thing`},
		{"too few cards", top + "close\ndeal box=1 'Qh 6d'\n", `t:5: the box 1 is still to get 3 cards, and 2 are given`},
		{"undealt box", top + "close\ndeal box=2 'Qh 6d 4c'\n", `t:5: the box 2 is still to get 0 cards`},
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
		s, err := scenario.Parse("fuzz", text)
		if err != nil {
			var wrong *scenario.SyntaxError
			if !errors.As(err, &wrong) || wrong.Line < 1 {
				t.Errorf("%v is no syntax error with a line", err)
			}
			return
		}
		// Whatever can be read can be played, to its end or to an error that
		// names a line; a fault of the engine would be neither.
		if err := s.Run(new(scenario.Pure), nil); err != nil {
			var wrong *scenario.SyntaxError
			var failed *scenario.Failure
			if !errors.As(err, &wrong) && !errors.As(err, &failed) {
				t.Errorf("%v names no line", err)
			}
			if failed != nil && strings.Contains(failed.Got, "does not hold") {
				t.Errorf("a fault of the engine: %v", err)
			}
		}
	})
}
