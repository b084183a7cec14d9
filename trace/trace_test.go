package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trey/rules/books"
)

// TestTree holds the promise of the repository: every clause that decides
// something has code and a scenario, and what people read about it is true.
func TestTree(t *testing.T) {
	index, err := Scan(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("no holes", func(t *testing.T) {
		if holes := index.Check(); len(holes) > 0 {
			t.Errorf("%d holes:\n%s", len(holes), strings.Join(holes, "\n"))
		}
	})
	t.Run("no drift", func(t *testing.T) {
		text, err := index.JSON()
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile("../" + WordsFile)
		if err != nil {
			t.Fatal(err)
		}
		if page, err = WithWords(page); err != nil {
			t.Fatal(err)
		}
		for file, want := range map[string][]byte{WordsFile: page, IndexFile: text, MatrixFile: index.Markdown(), IncidentsFile: IncidentsMarkdown()} {
			got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
			if err != nil {
				t.Errorf("%v: run `go generate ./trace`", err)
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s is not what the tree says: run `go generate ./trace`", file)
			}
		}
	})
	t.Run("embedded", func(t *testing.T) {
		built, err := Embedded()
		if err != nil {
			t.Fatal(err)
		}
		for i := range index.Code {
			index.Code[i].Line = 0 // not embedded
		}
		if !slices.Equal(built.Code, index.Code) || !slices.Equal(built.Scenarios, index.Scenarios) {
			t.Errorf("the embedded index is not that of the tree: run `go generate ./trace`")
		}
	})
}

// tree makes a repository of files.
func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestScanNamesTheCode(t *testing.T) {
	const source = `package table

import "trey/rules"

//clause:rws-3cp@3 5.8.6
//clause:rws-3cp@3 5.8.3

// void gives the bets back.
func (s *State) void() {
	//clause:rws-3cp@3 5.21
	s.give()
}

//clause:us-3cp rules.9
const (
	HighCard = iota + 1
	//clause:us-3cp rules.7
	Pair
)

//clause:us-3cp wagers
type Stack[T any] struct{}

//clause:us-3cp rules.1
func (s Stack[T]) Push() {}

var book = &rules.Book{
	//clause:us-3cp dealing.1d
	Boxes: rules.BoxRule{
		Default: 7,
	},
	Wagers: []rules.WagerRule{
		{
			//clause:us-3cp rules.4
			Wager: rules.Ante, Contest: rules.AgainstDealer,
			//clause:us-3cp rules.8
			Clauses: rules.Outcomes{Win: "1"},
		},
	},
	Bets: rules.BetRule{
		//clause:us-3cp dealing.2
		LatePlace: "a", LateWithdraw: "b",
	},
	Incidents: []rules.IncidentRule{
		//clause:us-3cp irregularities.2
		rules.Provide(rules.WrongCount, rules.Then(rules.Void)),
		table(
			"TCPB-01",
			//clause:us-3cp dealing.7
			1,
		),
	},
}
`
	index, err := Scan(tree(map[string]string{"table/state.go": source}))
	if err != nil {
		t.Fatal(err)
	}
	if len(index.malformed) > 0 {
		t.Errorf("malformed: %v", index.malformed)
	}
	var got []string
	for _, c := range index.Code {
		got = append(got, fmt.Sprintf("%s %s:%d %s", c.Clause, c.File, c.Line, c.Decl))
	}
	want := []string{
		"5.8.3 table/state.go:9 State.void",
		"5.8.6 table/state.go:9 State.void",
		"5.21 table/state.go:11 State.void",
		"rules.1 table/state.go:25 Stack.Push",
		"rules.4 table/state.go:35 book.Wagers[Ante]",
		"rules.7 table/state.go:18 Pair",
		"rules.8 table/state.go:37 book.Wagers[Ante].Clauses",
		"rules.9 table/state.go:15 HighCard",
		"dealing.1d table/state.go:29 book.Boxes",
		"dealing.2 table/state.go:42 book.Bets.LatePlace",
		"dealing.7 table/state.go:50 book.Incidents[TCPB-01]",
		"irregularities.2 table/state.go:46 book.Incidents[WrongCount]",
		"wagers table/state.go:22 Stack",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScanReadsScenarios(t *testing.T) {
	index, err := Scan(tree(map[string]string{
		"scenario/testdata/rws-3cp/5.8.6_void_unseen.txtar": "# a deal gone wrong\n\n# proves: 5.8.2 5.12\n#proves: 5.21, 5.8.6\nopen rws-3cp\n-- proves --\n# proves: 9.9\n",
		"scenario/testdata/sm-3cp/bonus.10d_own.txtar":      "open sm-3cp\n",
		"scenario/testdata/sm-3cp/notes.md":                 "# proves: 9.9\n",
		// Tests cite what they test, and that is no code.
		"table/state_test.go":           "package table\n\n//clause:rws-3cp@3 9.9\nvar x int\n",
		"table/testdata/x.go":           "package broken {",
		".cache/x.go":                   "package broken {",
		"docs/code.md":                  "//clause:rws-3cp@3 9.9\n",
		"scenario/scenario.go":          "package scenario\n\n// Write it as //clause:BOOK ID above the code.\nvar x = \"//clause:rws-3cp@3 9.9\"\n",
		"scenario/testdata/fuzz/Fuzz/x": "go test fuzz v1\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range index.Scenarios {
		got = append(got, p.Book+" "+p.Clause+" "+p.Name())
	}
	want := []string{
		"rws-3cp@3 5.8.2 5.8.6_void_unseen",
		"rws-3cp@3 5.8.6 5.8.6_void_unseen",
		"rws-3cp@3 5.12 5.8.6_void_unseen",
		"rws-3cp@3 5.21 5.8.6_void_unseen",
		"sm-3cp bonus.10d bonus.10d_own",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(index.Code) > 0 || len(index.malformed) > 0 {
		t.Errorf("code %v, malformed %v: want neither", index.Code, index.malformed)
	}
}

// Every hole is found: a check that finds nothing would look like a whole chain.
func TestCheckBites(t *testing.T) {
	const at = "scenario/testdata/"
	tests := []struct {
		name, file, text string
		want             string
	}{
		{"unknown clause in code", "a/a.go", "package a\n\n//clause:rws-3cp@3 9.9\nvar x int\n", `a/a.go:4: rws-3cp@3 has no clause "9.9"`},
		{"unknown book in code", "a/a.go", "package a\n\n//clause:rws-4cp 1.1\nvar x int\n", `a/a.go:4: there is no book "rws-4cp"`},
		{"book without its edition", "a/a.go", "package a\n\n//clause:rws-3cp 1.1\nvar x int\n", `a/a.go:4: the book is cited as rws-3cp@3, not "rws-3cp"`},
		{"two clauses in one comment", "a/a.go", "package a\n\n//clause:rws-3cp@3 1.1 1.2\nvar x int\n", "a/a.go:3: \"//clause:rws-3cp@3 1.1 1.2\" is no citation"},
		{"citation behind code", "a/a.go", "package a\n\nvar x int //clause:rws-3cp@3 1.1\n", "a/a.go:3:"},
		{"unknown clause of a scenario", at + "us-3cp/rules.99_x.txtar", "", `rules.99_x.txtar: us-3cp has no clause "rules.99"`},
		{"unknown clause at its head", at + "us-3cp/rules.9_x.txtar", "# proves: rules.98\n", `rules.9_x.txtar: us-3cp has no clause "rules.98"`},
		{"a range", at + "us-3cp/rules.9_x.txtar", "# proves: rules.1-rules.9\n", `no clause "rules.1-rules.9"`},
		{"proves below the head", at + "us-3cp/rules.9_x.txtar", "open us-3cp\n# proves: rules.8\n", "rules.9_x.txtar:2: what a scenario proves stands at its head"},
		{"unknown book of a scenario", at + "rws3cp/5.1_x.txtar", "", "the folder must be the id of a book"},
		{"scenario without a book", at + "5.1_x.txtar", "", "the folder must be the id of a book"},
		{"scenario without a what", at + "us-3cp/rules.9.txtar", "", "name it by clause and what it shows"},
		{"scenario with an empty what", at + "us-3cp/rules.9_.txtar", "", "name it by clause and what it shows"},
		{"no code", "a/a.go", "package a\n", "us-3cp rules.9: no code cites"},
		{"no scenario", "a/a.go", "package a\n\n//clause:us-3cp rules.9\nvar x int\n", "us-3cp rules.9: no scenario proves this executable clause: write scenario/testdata/us-3cp/rules.9_"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			index, err := Scan(tree(map[string]string{test.file: test.text}))
			if err != nil {
				t.Fatal(err)
			}
			holes := index.Check()
			if !slices.ContainsFunc(holes, func(hole string) bool { return strings.Contains(hole, test.want) }) {
				t.Errorf("no hole says %q; they are\n%s", test.want, strings.Join(holes, "\n"))
			}
		})
	}
}

func TestCheckIsSilentWhereNothingIsMissing(t *testing.T) {
	var code strings.Builder
	code.WriteString("package table\n\n")
	files := map[string]string{}
	for _, b := range books.All() {
		for _, c := range b.Clauses {
			fmt.Fprintf(&code, "//clause:%s %s\n", b.Ref(), c.ID)
			files["scenario/testdata/"+b.ID+"/"+c.ID+"_shown.txtar"] = "open " + b.ID + "\n"
		}
	}
	code.WriteString("var x int\n")
	files["table/table.go"] = code.String()
	index, err := Scan(tree(files))
	if err != nil {
		t.Fatal(err)
	}
	if holes := index.Check(); len(holes) > 0 {
		t.Errorf("%d holes:\n%s", len(holes), strings.Join(holes, "\n"))
	}
}

func TestScanRefusesWhatIsNotGo(t *testing.T) {
	if _, err := Scan(tree(map[string]string{"a/a.go": "package {"})); err == nil || !strings.Contains(err.Error(), "a/a.go:1") {
		t.Errorf("error %v: want the file and line", err)
	}
}
