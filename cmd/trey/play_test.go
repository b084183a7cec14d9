package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// Each round is killed at each of its moments; the next start says what became
// of it, by the clause, and no money is lost.
func TestKilledRoundsAreRecovered(t *testing.T) {
	rws := []string{"bet 1 ante 10", "bet 1 pair-plus 5", "bet 1 jackpot", "bet 2 ante 5", "deal", "look 1", "play 1", "fold 2"}
	mbs := []string{"bet 1 main 10", "bet 1 tie 5", "bet 2 main 5", "deal", "look 2", "lay 2"}
	void, conclude := "(rws-3cp@3 5.7.2)", "(rws-3cp@3 5.7.1)"
	tests := []struct {
		book     string
		commands []string
		says     string
		ended    string
	}{
		{"rws-3cp", rws[:1], void, "void"},
		{"rws-3cp", rws[:4], void, "void"},
		{"rws-3cp", rws[:5], void, "void"},
		{"rws-3cp", rws[:6], void, "void"},
		{"rws-3cp", rws[:7], void, "void"},
		{"rws-3cp", rws[:8], conclude, "settled"},
		{"mbs-3pictures", mbs[:3], "(mbs-3pictures@2 5.13.1)", "settled"},
		{"mbs-3pictures", mbs[:5], "(mbs-3pictures@2 5.13.1)", "settled"},
		{"mbs-3pictures", mbs[:6], "(mbs-3pictures@2 5.13.2)", "settled"},
	}
	for _, test := range tests {
		t.Run(test.book+" after "+test.commands[len(test.commands)-1], func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "balance.json")
			p := sit(t, file, "--book", test.book)
			p.types(test.commands...)
			p.types("clause 3.1")
			p.hears(" 3.1: ")
			if err := p.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = p.cmd.Wait()
			killed := account(t, file)
			if killed.Journal == nil || killed.Balance >= killed.Journal.Before {
				t.Fatalf("killed with a balance of %s and the journal %+v", killed.Balance, killed.Journal)
			}

			p = sit(t, file, "--book", test.book)
			p.hears("was interrupted")
			p.hears(test.says)
			p.hears("Place your bets, please")
			recovered := account(t, file)
			if len(recovered.History) != 1 {
				t.Fatalf("history %+v", recovered.History)
			}
			last := recovered.History[0]
			if last.Ended != test.ended || !last.Interrupted || last.Balance != 100_000+last.Net || test.ended == "void" && last.Net != 0 {
				t.Errorf("ended %s, interrupted %t, net %s, balance %s", last.Ended, last.Interrupted, last.Net, last.Balance)
			}
			p.types("quit")
			p.hears("Your balance is kept in " + file)
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
			if a := account(t, file); a.Balance != last.Balance || a.Journal != nil {
				t.Errorf("balance %s, journal %+v", a.Balance, a.Journal)
			}
		})
	}
}

func TestSignalsEndTheRoundInWords(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "balance.json")
			p := sit(t, file, "--book", "us-3cp")
			p.types("bet 1 ante 10", "bet 2 ante 5", "deal", "fold 1")
			p.hears("box 1 is folded")
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			p.hears("(us-3cp irregularities.2)")
			p.hears("box 2 is folded")
			p.hears("You leave with $985.00.")
			if err := p.cmd.Wait(); err != nil {
				t.Error(err)
			}
			if a := account(t, file); a.Balance != 98_500 || a.Journal != nil {
				t.Errorf("balance %s", a.Balance)
			}
		})
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
	if err := p.in.Close(); err != nil { // the end of the input is an interruption
		t.Fatal(err)
	}
	p.hears("(rws-3cp@3 5.7.2)")
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
	p.hears("(us-3cp irregularities.2)")
	p.types("history")
	p.hears("Round 1, us-3cp, variant generous, settled")
	p.types("quit")
	p.hears("You leave with")
	if h := account(t, file).History; len(h) != 1 || h[0].By != "generous" || h[0].Ended != "settled" {
		t.Errorf("history %+v", h)
	}

	for args, want := range map[string]string{
		"--variant " + terms:                             "no such file",
		"--boxes 3 --variant ../../scenario/testdata":    "cannot be read",
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
	var heard [2]string
	for i := range heard {
		p := sit(t, filepath.Join(t.TempDir(), "balance.json"), "--book", "rws-3cp", "--boxes", "2")
		p.types("bet 1 ante 10", "deal", "look 1", "play 1", "reveal", "rebet", "deal", "look 1", "fold 1", "reveal", "quit")
		p.hears("You leave with")
		heard[i] = p.heard.String()
	}
	if heard[0] != heard[1] {
		t.Errorf("the same seed was played twice and went otherwise:\n%s\n%s", heard[0], heard[1])
	}
}
