package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trey/internal/play"
)

// player drives the real program in lines, as somebody at a pipe would.
type player struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	heard strings.Builder
}

// sit starts the program, which TestMain has put in the path, with a balance file.
func sit(t *testing.T, file string, args ...string) *player {
	t.Helper()
	p := &player{t: t, lines: make(chan string, 1000)}
	p.cmd = exec.Command("trey", append([]string{"play", "--plain", "--seed", "7", "--balance", file}, args...)...)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	return p
}

func (p *player) types(commands ...string) {
	p.t.Helper()
	for _, c := range commands {
		if _, err := io.WriteString(p.in, c+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// hears waits until the program says something.
func (p *player) hears(part string) {
	p.t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("%q was never said:\n%s", part, p.heard.String())
			}
			p.heard.WriteString(line + "\n")
			if strings.Contains(line, part) {
				return
			}
		case <-late:
			p.t.Fatalf("%q was not said in time:\n%s", part, p.heard.String())
		}
	}
}

// account reads what the program left behind.
func account(t *testing.T, file string) play.Account {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := play.DecodeAccount(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return a
}

// Each round is killed at each of its moments, by a kill and by signals that a
// hang-up or a shutdown sends. The next start goes on with the same cards, bets and
// decisions; the round ends as it does where nothing was killed.
func TestKilledRoundsGoOn(t *testing.T) {
	rws := []string{"bet 1 ante 10", "bet 1 pair-plus 5", "bet 1 jackpot", "bet 2 ante 5", "deal", "look 1", "play 1", "fold 2", "reveal"}
	us := []string{"bet 1 ante 10", "bet 2 ante 5", "deal", "look 1", "fold 1", "play 2", "reveal"}
	mbs := []string{"bet 1 main 10", "bet 1 tie 5", "bet 2 main 5", "deal", "look 2", "lay 2", "reveal"}
	signals := []os.Signal{os.Kill, syscall.SIGTERM, syscall.SIGHUP}
	for book, commands := range map[string][]string{"rws-3cp": rws, "us-3cp": us, "sm-3cp": us, "mbs-3pictures": mbs} {
		t.Run(book, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := []string{"--book", book, "--others", "2"}
			p := sit(t, filepath.Join(dir, "calm.json"), args...)
			p.types(append(slices.Clone(commands), "quit")...)
			p.hears("You leave with")
			calm := account(t, filepath.Join(dir, "calm.json")).History[0]

			for n := 1; n < len(commands); n++ {
				file := filepath.Join(dir, fmt.Sprintf("after-%d.json", n))
				p := sit(t, file, args...)
				p.types(commands[:n]...)
				p.types("clause 3.1", "clause dealing.1", "clause bonus.6")
				p.hears("has no clause") // whatever the book, at least one is not in it
				signal := signals[n%len(signals)]
				if err := p.cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				if signal != os.Kill {
					p.hears("stays as it is, with $")
				}
				for range p.lines { // to the end
				}
				_ = p.cmd.Wait()
				killed := account(t, file)
				if killed.Journal == nil || len(killed.History) != 0 {
					t.Fatalf("after %s, %s: %+v", commands[n-1], signal, killed)
				}
				// Another seed: if a card were drawn anew, it would be another.
				again := []string{"--others", "2"}
				if dealt := slices.Contains(commands[:n], "deal"); dealt {
					again = append(again, "--seed", "8")
				}
				p = sit(t, file, again...)
				p.hears("goes on where it stood")
				p.types(commands[n:]...)
				p.types("quit")
				p.hears("You leave with")
				for range p.lines {
				}
				if err := p.cmd.Wait(); err != nil {
					t.Error(err)
				}
				a := account(t, file)
				if len(a.History) != 1 || a.Journal != nil {
					t.Fatalf("after %s: %+v", commands[n-1], a)
				}
				got := a.History[0]
				if !slices.Contains(commands[:n], "deal") {
					// The deck follows from the seed, and no card was drawn yet; but the
					// others have taken the first seed in the first session.
					if got.Left || got.Interrupted || a.Balance != 100_000+got.Net {
						t.Errorf("after %s: %+v", commands[n-1], got)
					}
					continue
				}
				got.AtMs, calm.AtMs = 0, 0
				if !reflect.DeepEqual(got, calm) {
					t.Errorf("after %s, %s, it ended as\n%+v, want\n%+v", commands[n-1], signal, got, calm)
				}
				var stdout, stderr bytes.Buffer
				log := filepath.Join(strings.TrimSuffix(file, ".json")+".rounds", "round-000001.jsonl")
				if status := run([]string{"replay", log}, strings.NewReader(""), &stdout, &stderr); status != 0 {
					t.Errorf("replay: %d, %s", status, stderr.String())
				}
			}
		})
	}
}

// A hand that was looked at cannot be left with its bets back: by quit twice, at
// the end of the input, or by Ctrl-C twice.
func TestLookingAndLeavingCosts(t *testing.T) {
	for name, leave := range map[string]func(*player) error{
		"quit": func(p *player) error {
			p.types("quit")
			p.hears("$15.00 is at stake. If you leave, boxes 1 and 2 are folded and the $15.00 on them is lost (us-3cp rules.3).")
			p.types("quit")
			return nil
		},
		"end of input": func(p *player) error { return p.in.Close() },
		"Ctrl-C": func(p *player) error {
			if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
				return err
			}
			p.hears("$15.00 is at stake.")
			return p.cmd.Process.Signal(os.Interrupt)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "balance.json")
			p := sit(t, file, "--book", "us-3cp")
			p.types("bet 1 ante 10", "bet 2 ante 5", "deal", "look 1")
			p.hears("Box 1: ")
			if err := leave(p); err != nil {
				t.Fatal(err)
			}
			p.hears("box 2 is folded (us-3cp rules.3)")
			p.hears("You leave with $985.00.")
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
			if a := account(t, file); a.Balance != 98_500 || a.Journal != nil || !a.History[0].Left {
				t.Errorf("balance %s", a.Balance)
			}
		})
	}
}

// A round that cannot be taken up again is an error that changes no byte, until it
// is given up.
func TestRoundThatCannotGoOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.json")
	p := sit(t, file, "--book", "rws-3cp")
	p.types("bet 1 ante 10", "deal", "look 1")
	p.hears("Box 1: ")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		all := append([]string{"play", "--plain", "--balance", file}, args...)
		return run(all, strings.NewReader("quit\n"), &stdout, &stderr), stdout.String(), stderr.String()
	}
	if status, _, complaint := start("--give-up"); status != exitUsage || !strings.Contains(complaint, "leave --give-up out") {
		t.Errorf("a sound round is given up: %d, %s", status, complaint)
	}
	damaged := bytes.Replace(sound, []byte(`"kind": "deal"`), []byte(`"kind": "look"`), 1)
	if err := os.WriteFile(file, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, complaint := start()
	for _, part := range []string{file, "cannot be taken up again", "Nothing was changed", "--give-up, which loses its bets of $10.00"} {
		if status != exitFound || !strings.Contains(complaint, part) {
			t.Errorf("status %d, %q is not in %s", status, part, complaint)
		}
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the file was changed (%v)", err)
	}
	status, said, complaint := start("--give-up")
	if status != 0 || !strings.Contains(said, "your bets of $10.00 are lost") || account(t, file).Balance != 99_000 {
		t.Errorf("given up: %d, %s%s", status, said, complaint)
	}
}

// A key that stands twice in the balance file makes it a damaged one: it is kept,
// and neither value is taken.
func TestDoubledKeyInBalance(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.json")
	text := `{"version":2,"balance":500,"rounds":3,"balance":90000000}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, file)
	p.hears(`The balance file was damaged: it says "balance" twice`)
	p.hears("$1,000.00")
	if kept, err := os.ReadFile(file + ".damaged"); err != nil || string(kept) != text {
		t.Errorf("kept aside: %q (%v)", kept, err)
	}
}

func TestDamagedBalanceIsKeptAside(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.json")
	if err := os.WriteFile(file, []byte(`{"version":1,"balance":12`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, file)
	p.hears("The balance file was damaged")
	p.hears("$1,000.00")
	p.types("game 1", "bet 1 ante 5")
	p.hears("bets 5.00")
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	p.hears("your bets of $5.00 are taken back")
	if text, err := os.ReadFile(file + ".damaged"); err != nil || !strings.HasSuffix(string(text), "12") {
		t.Errorf("kept aside: %q (%v)", text, err)
	}
}

// What a variant must say aloud is said first, and a round goes on by it when
// the program was killed and the file is gone.
func TestVariantIsPlayed(t *testing.T) {
	dir := t.TempDir()
	file, terms := filepath.Join(dir, "balance.json"), filepath.Join(dir, "generous.toml")
	if err := os.WriteFile(terms, []byte("base = \"us-3cp\"\nboxes = 2\n[pays]\npair-plus = \"40/30/6/4/3\"\n[rulings]\nadjacent_boxes = \"yes\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := sit(t, file, "--variant", terms)
	p.hears("generous.toml:4: Pair Plus favours the player")
	p.hears("in the variant generous, hash ")
	p.types("bet 1 ante 10", "bet 2 ante 10", "bet 2 pair-plus 5", "deal", "fold 1", "play 2")
	p.hears("plays box 2")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	if err := os.Remove(terms); err != nil {
		t.Fatal(err)
	}
	p = sit(t, file)
	p.hears("goes on where it stood")
	p.hears("in the variant generous, hash ")
	p.types("reveal", "history")
	p.hears("Round 1, us-3cp, variant generous, settled")
	p.types("quit")
	p.hears("You leave with")
	if h := account(t, file).History; len(h) != 1 || h[0].By != "generous" || h[0].Ended != "settled" {
		t.Errorf("history %+v", h)
	}

	for args, want := range map[string]string{
		"--variant " + terms:                             "no such file",
		"--boxes 3 --variant ../../scenario/testdata":    "cannot be read",
		"--boxes 0 --variant ../../scenario/testdata":    "cannot be read",
		"--book us-3cp --variant testdata/nothing.toml ": "no such file",
	} {
		var stdout, stderr bytes.Buffer
		if got := run(append([]string{"play", "--plain", "--balance", file}, strings.Fields(args)...), strings.NewReader(""), &stdout, &stderr); got != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s", args, got, stderr.String())
		}
	}
}

// A session of the real program leaves logs that replay accepts and tells, and an
// altered byte is refused with its line and the reason.
func TestPlayedRoundsAreReplayed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "balance.json")
	logs := filepath.Join(dir, "balance.rounds")
	p := sit(t, file, "--book", "rws-3cp")
	p.types("log")
	p.hears("Each round is logged when it ends, in " + logs)
	p.types("bet 1 ante 10", "bet 1 jackpot", "bet 2 ante 5", "deal", "look 1", "play 1", "fold 2", "reveal", "log")
	p.hears("trey replay " + filepath.Join(logs, "round-000001.jsonl"))
	p.types("game mbs-3pictures", "bet 1 main 10", "deal", "reveal", "game us-3cp", "bet 1 ante 10", "deal", "quit", "quit")
	p.hears("The log of round 3 is checked and told by: trey replay " + filepath.Join(logs, "round-000003.jsonl"))
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	replay := func(name string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		status := run([]string{"replay", filepath.Join(logs, name)}, strings.NewReader(""), &stdout, &stderr)
		return status, stdout.String(), stderr.String()
	}
	for round, r := range account(t, file).History {
		status, told, complaint := replay(fmt.Sprintf("round-%06d.jsonl", round+1))
		if status != 0 || !strings.Contains(told, "The log is sound") || !strings.Contains(told, "Player "+play.Signed(r.Net)+".") {
			t.Errorf("round %d of net %s: status %d, %s%s", round+1, r.Net, status, told, complaint)
		}
	}
	path := filepath.Join(logs, "round-000001.jsonl")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 50; i < len(sound); i += 97 {
		bad := bytes.Clone(sound)
		if bad[i] == '\n' {
			continue
		}
		bad[i] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("round-000001.jsonl:%d: the log is refused: ", 1+bytes.Count(sound[:i], []byte("\n")))
		if status, _, complaint := replay("round-000001.jsonl"); status != exitFound || !strings.Contains(complaint, line) {
			t.Fatalf("byte %d altered: status %d, %s", i, status, complaint)
		}
	}
}

// Where no log can be written, that is said and the money is right.
func TestLogsThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.json")
	p := sit(t, file, "--book", "us-3cp", "--log", filepath.Join(file, "below"))
	p.types("bet 1 ante 10", "deal", "fold 1", "reveal", "log")
	p.hears("The log of round 1 could not be written: ")
	p.types("quit")
	p.hears("You leave with $990.00.")
	if a := account(t, file); a.Balance != 99_000 || a.Rounds != 1 {
		t.Errorf("balance %s after %d rounds", a.Balance, a.Rounds)
	}
	p = sit(t, file, "--book", "us-3cp", "--no-log")
	p.types("log", "bet 1 ante 10", "deal", "fold 1", "reveal", "quit")
	p.hears("No logs of rounds are written")
	p.hears("You leave with $980.00.")
	if _, err := os.Stat(strings.TrimSuffix(file, ".json") + ".rounds"); err == nil {
		t.Error("logs are written with --no-log")
	}
}

func TestPlayIsAskedForWrongly(t *testing.T) {
	for args, want := range map[string]string{
		"--book rws-3pc":                 "did you mean rws-3cp?",
		"--boxes 99":                     "1 to 16 boxes",
		"--boxes 0":                      "a table has 1 to 16 boxes, not 0",
		"--boxes 0 --book us-3cp":        "a table has 1 to 16 boxes, not 0",
		"--boxes=-1":                     "a table has 1 to 16 boxes, not -1",
		"--others 5":                     "a table with 5 boxes has 0 to 4 other players, not 5",
		"--others=-1":                    "a table with 5 boxes has 0 to 4 other players, not -1",
		"--boxes 3 --others 3":           "a table with 3 boxes has 0 to 2 other players, not 3",
		"--boxes 1 --others 1":           "a table with one box is yours alone",
		"--boxes 9 --book mbs-3pictures": "1 to 8 boxes, not 9 (mbs-3pictures@2 appendix.A)",
	} {
		var stdout, stderr bytes.Buffer
		all := append([]string{"play", "--plain", "--balance", filepath.Join(t.TempDir(), "b.json")}, strings.Fields(args)...)
		if got := run(all, strings.NewReader(""), &stdout, &stderr); got != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s", args, got, stderr.String())
		}
	}
}

func TestSameSeedSameCards(t *testing.T) {
	for _, others := range []string{"0", "1"} {
		sameSeedSameCards(t, others)
	}
}

func sameSeedSameCards(t *testing.T, others string) {
	t.Helper()
	var heard [2]string
	for i := range heard {
		p := sit(t, filepath.Join(t.TempDir(), "balance.json"), "--book", "rws-3cp", "--boxes", "2", "--others", others)
		p.types("bet 1 ante 10", "deal", "look 1", "play 1", "reveal", "rebet", "deal", "look 1", "fold 1", "reveal", "quit")
		p.hears("You leave with")
		heard[i] = p.heard.String()
	}
	if heard[0] != heard[1] {
		t.Errorf("the same seed was played twice and went otherwise:\n%s\n%s", heard[0], heard[1])
	}
}
