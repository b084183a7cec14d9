package plain_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/internal/play"
	"trey/internal/play/plain"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
)

var update = flag.Bool("update", false, "write the golden sessions anew")

func host(seed uint64) play.Host {
	h := hostOn(new(memory.Disk))
	h.Seed = shuffle.Numbered(seed)
	return h
}

func hostOn(disk *memory.Disk) play.Host {
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		panic(err)
	}
	var now int64
	return play.Host{Store: store, NowMs: func() int64 { now++; return now }}
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
			session, _, err := play.Start(host(seed))
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
			if err := table.InputEnded(); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if out.String() != string(golden) {
				t.Errorf("the session goes otherwise; if it should, go test ./internal/play/plain -update writes it anew:\n%s", out.String())
			}
		})
	}
}

// begin sits down at a book with what is typed so far.
func begin(t *testing.T, book string, typed ...string) (*plain.Table, *play.Session, *bytes.Buffer) {
	t.Helper()
	session, _, err := play.Start(host(1))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table := plain.New(session, &out)
	if err := table.Greet(book); err != nil {
		t.Fatal(err)
	}
	for _, line := range typed {
		table.Do(line)
	}
	return table, session, &out
}

// Nobody can be asked at the end of the input: the player has walked away, and the
// hand that was looked at is folded.
func TestEndOfInputIsLeaving(t *testing.T) {
	table, _, out := begin(t, "rws-3cp")
	if err := table.Run(strings.NewReader("bet 1 ante 10\ndeal\nlook 1"), nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "box 1 is folded (rws-3cp@3 5.5)") || !strings.HasSuffix(s, "You leave with $990.00.\n") {
		t.Error(s)
	}
}

// Before the deal the bets are still the player's to take back.
func TestEndOfInputTakesOpenBetsBack(t *testing.T) {
	table, _, out := begin(t, "rws-3cp")
	if err := table.Run(strings.NewReader("bet 1 ante 10\n"), nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.HasSuffix(s, "your bets of $10.00 are taken back.\nYou leave with $1,000.00.\n") {
		t.Error(s)
	}
}

// A terminal that hangs up is nobody's choice, and neither is a signal: the round
// stays as it is.
func TestStopAndHangUpLeaveTheRound(t *testing.T) {
	for name, run := range map[string]func(*plain.Table) error{
		"stop": func(table *plain.Table) error {
			calls := make(chan plain.Call, 1)
			calls <- plain.Stop
			return table.Run(forever{}, calls)
		},
		"hung up": func(table *plain.Table) error { return table.Run(hungUp{}, nil) },
		"both at once": func(table *plain.Table) error {
			calls := make(chan plain.Call, 1)
			calls <- plain.Stop
			return table.Run(strings.NewReader(""), calls)
		},
	} {
		t.Run(name, func(t *testing.T) {
			table, session, out := begin(t, "rws-3cp", "bet 1 ante 10", "deal", "look 1")
			if err := run(table); err != nil {
				t.Fatal(err)
			}
			if s := out.String(); !strings.HasSuffix(s, "Round 1 stays as it is, with $10.00 at stake. Start trey play again to go on with it.\n") {
				t.Error(s)
			}
			if past, err := session.History(); session.Staked() != 1000 || err != nil || len(past) != 0 {
				t.Errorf("staked %s", session.Staked())
			}
		})
	}
}

// Ctrl-C warns once with the amount, and another command in between means that
// it warns again.
func TestAskingToLeave(t *testing.T) {
	table, session, out := begin(t, "us-3cp", "bet 1 ante 10", "deal")
	calls := make(chan plain.Call)
	over := make(chan error)
	lines, typed := io.Pipe()
	go func() { over <- table.Run(lines, calls) }()
	calls <- plain.AskToLeave
	fmt.Fprintln(typed, "balance")
	fmt.Fprintln(typed, "") // it is read when the line before it has been taken
	calls <- plain.AskToLeave
	calls <- plain.AskToLeave
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	s := out.String()
	if n := strings.Count(s, "$10.00 is at stake. If you leave, box 1 is folded and the $10.00 on it is lost (us-3cp rules.3)."); n != 2 {
		t.Errorf("warned %d times:\n%s", n, s)
	}
	if !strings.HasSuffix(s, "You leave with $990.00.\n") || session.Staked() != 0 {
		t.Error(s)
	}
}

// A line that is far too long is refused, and is not the end of the input.
func TestLongLines(t *testing.T) {
	table, _, out := begin(t, "us-3cp")
	if err := table.Run(strings.NewReader("bet 1 ante 10\n"+strings.Repeat("deal ", 40_000)+"\nbalance\n"), nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, "too long") || !strings.Contains(s, "$10.00 is on the table.\nThe bets were still open") {
		t.Error(s)
	}
}

// A round that goes on is described where it stands.
func TestRoundThatGoesOnIsDescribed(t *testing.T) {
	var disk memory.Disk
	h := hostOn(&disk)
	h.Seed, h.Others, h.Boxes, h.Below = shuffle.Numbered(1), 1, 2, func(int) int { return 0 }
	session, _, err := play.Start(h)
	if err != nil {
		t.Fatal(err)
	}
	var first bytes.Buffer
	table := plain.New(session, &first)
	if err := table.Greet("sm-3cp"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Ann sits at box 2.", "Box 2: Ann Ante 5.00, Pair Plus 5.00, Bonus 1.00."} {
		if !strings.Contains(first.String(), part) {
			t.Errorf("%q is not in\n%s", part, first.String())
		}
	}
	for _, line := range []string{"bet 1 ante 10", "deal", "look 1"} {
		table.Do(line)
	}
	if err := h.Store.(*memory.Store).Close(); err != nil {
		t.Fatal(err)
	}
	h = hostOn(&disk)
	h.Seed = shuffle.Numbered(2)
	session, _, err = play.Start(h)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	table = plain.New(session, &out)
	if err := table.Greet("us-3cp"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"(sm-3cp)", "Ann sits at box 2.", "Box 1: Ante 10.00. ", "Box 2: Ann Ante 5.00", "Play or fold. Decide on box 1."} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is not in\n%s", part, out.String())
		}
	}
	if strings.Count(out.String(), "Three cards face down.") != 2 { // the dealer's and Ann's
		t.Error(out.String())
	}
}

// hungUp is an input whose terminal is gone.
type hungUp struct{}

func (hungUp) Read([]byte) (int, error) { return 0, plain.ErrHungUp }

// forever is an input from which nothing comes.
type forever struct{}

func (forever) Read([]byte) (int, error) { select {} }

func FuzzDo(f *testing.F) {
	for _, s := range []string{"bet 1 ante 10", "take 1 ante", "history 3", "history rws-3cp 3", "record", "clause 3.7", "game 2", "bet 99 tie -5", "look x", "quit"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		session, _, err := play.Start(host(1))
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
		if session.Balance() < 0 || strings.Contains(out.String(), "stopped") {
			t.Errorf("%q: %s", text, out.String())
		}
	})
}
