package plain_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/play"
	"trey/internal/play/plain"
	"trey/internal/shuffle"
)

var update = flag.Bool("update", false, "write the golden sessions anew")

func host(seed uint64) play.Host {
	seeds := shuffle.Numbered(seed)
	var now int64
	return play.Host{
		Keep:  func(play.Account) error { return nil },
		Deck:  func() [52]card.Card { return shuffle.Shuffle(seeds()) },
		NowMs: func() int64 { now++; return now },
	}
}

// TestSessions plays the typed commands of testdata/*.txt, which begin with
// "> ", and compares all that is said. The first line names book and seed. With
// -update the files are written anew, to be reviewed like code.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(golden), "\n")
			var book string
			var seed uint64
			if _, err := fmt.Sscanf(lines[0], "# book %s seed %d", &book, &seed); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			fmt.Fprintln(&out, lines[0])
			session, _, err := play.Start(play.NewAccount(), host(seed), 0)
			if err != nil {
				t.Fatal(err)
			}
			table := plain.New(session, &out)
			if book == "none" {
				book = ""
			}
			if err := table.Greet(book); err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				if typed, ok := strings.CutPrefix(line, "> "); ok {
					fmt.Fprintln(&out, line)
					table.Do(typed)
				}
			}
			fmt.Fprintln(&out, "# end of input")
			if err := table.Interrupt(); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if out.String() != string(golden) {
				t.Errorf("the session goes otherwise:\n%s", out.String())
			}
		})
	}
}

func TestEndOfInputIsAnInterruption(t *testing.T) {
	session, _, err := play.Start(play.NewAccount(), host(1), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table := plain.New(session, &out)
	if err := table.Greet("rws-3cp"); err != nil {
		t.Fatal(err)
	}
	if err := table.Run(strings.NewReader("bet 1 ante 10\ndeal\nlook 1"), nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "(rws-3cp@3 5.7.2)") || !strings.HasSuffix(s, "You leave with $1,000.00.\n") {
		t.Error(s)
	}
}

func TestStopIsAnInterruption(t *testing.T) {
	session, _, err := play.Start(play.NewAccount(), host(1), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table := plain.New(session, &out)
	if err := table.Greet("rws-3cp"); err != nil {
		t.Fatal(err)
	}
	table.Do("bet 1 ante 10")
	stop := make(chan struct{})
	close(stop)
	if err := table.Run(forever{}, stop); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "(rws-3cp@3 5.7.2)") {
		t.Error(s)
	}
}

// forever is an input from which nothing comes.
type forever struct{}

func (forever) Read([]byte) (int, error) { select {} }

func FuzzDo(f *testing.F) {
	for _, s := range []string{"bet 1 ante 10", "take 1 ante", "history 3", "clause 3.7", "game 2", "bet 99 tie -5", "look x", "quit"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		session, _, err := play.Start(play.NewAccount(), host(1), 0)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		table := plain.New(session, &out)
		table.Do("game 4")
		for range 2 {
			table.Do(text)
			table.Do("deal")
		}
		if session.Balance() < 0 || strings.Contains(out.String(), "fault of the program") {
			t.Errorf("%q: %s", text, out.String())
		}
	})
}
