package main

import (
	"bufio"
	"bytes"
	"errors"
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
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
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

// ends waits for the end of the program, and of what it says.
func (p *player) ends() {
	p.t.Helper()
	for range p.lines {
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Error(err)
	}
}

// left holds the files and output that the program left behind.
type left struct {
	balance, staked money.Amount
	history         []play.Summary
}

// leftIn opens a house that the program has left, as its next start would.
func leftIn(t *testing.T, file string) (l left) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, _, err := play.Start(play.Host{Store: store, Seed: shuffle.Fresh, NowMs: newClock().nowMs, Below: func(int) int { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	l.balance, l.staked = s.Balance(), s.Staked()
	if l.history, err = s.History(); err != nil {
		t.Fatal(err)
	}
	return l
}

// Each round is killed at each of its moments, by a kill and by signals that a
// hang-up or a shutdown sends. The next start goes on with the same cards, bets and
// decisions; the round ends as it does where nothing was killed.
func TestKilledRoundsGoOn(t *testing.T) {
	t.Parallel()
	rws := []string{"bet 1 ante 10", "bet 1 pair-plus 5", "bet 1 jackpot", "bet 2 ante 5", "deal", "look 1", "play 1", "fold 2", "reveal"}
	us := []string{"bet 1 ante 10", "bet 2 ante 5", "deal", "look 1", "fold 1", "play 2", "reveal"}
	mbs := []string{"bet 1 main 10", "bet 1 tie 5", "bet 2 main 5", "deal", "look 2", "lay 2", "reveal"}
	signals := []os.Signal{os.Kill, syscall.SIGTERM, syscall.SIGHUP}
	for i, play := range []struct {
		book     string
		commands []string
	}{{"rws-3cp", rws}, {"us-3cp", us}, {"sm-3cp", us}, {"mbs-3pictures", mbs}} {
		t.Run(play.book, func(t *testing.T) {
			t.Parallel()
			book, commands := play.book, play.commands
			dir := t.TempDir()
			args := []string{"--book", book, "--others", "2"}
			p := sit(t, filepath.Join(dir, "calm.db"), args...)
			p.types(append(slices.Clone(commands), "quit")...)
			p.hears("You leave with")
			p.ends()
			calm := leftIn(t, filepath.Join(dir, "calm.db")).history

			for n := 1; n < len(commands); n++ {
				if !steady.Turn(i+n, 3) { // of the same commands other books have their turn
					continue
				}
				file := filepath.Join(dir, fmt.Sprintf("after-%d.db", n))
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
				if killed := leftIn(t, file); killed.staked == 0 || len(killed.history) != 0 {
					t.Fatalf("after %s, %s: %+v", commands[n-1], signal, killed)
				}
				// Another seed: if a card were drawn anew, it would be another.
				p = sit(t, file, "--others", "2", "--seed", "8")
				p.hears("goes on where it stood")
				p.types(commands[n:]...)
				p.types("quit")
				p.hears("You leave with")
				p.ends()
				if got := leftIn(t, file).history; !reflect.DeepEqual(got, calm) {
					t.Errorf("after %s, %s, it ended as\n%+v, want\n%+v", commands[n-1], signal, got, calm)
				}
				var stdout, stderr bytes.Buffer
				record := filepath.Join(strings.TrimSuffix(file, ".db")+".rounds", book+"-000001.json")
				if status := run([]string{"replay", record}, strings.NewReader(""), &stdout, &stderr); status != 0 {
					t.Errorf("replay: %d, %s", status, stderr.String())
				}
			}
		})
	}
}

// A hand that was looked at cannot be left with its bets back: by quit twice, at
// the end of the input, or by Ctrl-C twice.
func TestExaminingAndLeavingCosts(t *testing.T) {
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
			file := filepath.Join(t.TempDir(), "balance.db")
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
			if l := leftIn(t, file); l.balance != 98_500 || l.staked != 0 || !l.history[0].Left {
				t.Errorf("balance %s", l.balance)
			}
		})
	}
}

// A file that is not the record of a house stays as it is, and so does one that is in use.
func TestFilesThatAreNoHouse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.db")
	start := func() (int, string) {
		var stdout, stderr bytes.Buffer
		return run([]string{"play", "--plain", "--balance", file}, strings.NewReader("quit\n"), &stdout, &stderr), stderr.String()
	}
	text := []byte(`{"version":2,"balance":500,"rounds":3,"balance":90000000}`)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, complaint := start(); status != exitFound || !strings.Contains(complaint, "name another file with --balance") {
		t.Errorf("status %d, %s", status, complaint)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
		t.Errorf("the file was changed (%v)", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p := sit(t, file, "--book", "us-3cp")
	p.hears("Place your bets")
	if status, complaint := start(); status != exitFound || !strings.Contains(complaint, "in use") {
		t.Errorf("status %d, %s", status, complaint)
	}
}

// What a variant must say aloud is said first, and a round goes on by it when
// the program was killed and the file is gone.
func TestVariantIsPlayed(t *testing.T) {
	dir := t.TempDir()
	file, terms := filepath.Join(dir, "balance.db"), filepath.Join(dir, "generous.toml")
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
	p.hears("Round 1 at us-3cp, us-3cp, variant generous, settled")
	p.types("quit")
	p.hears("You leave with")
	p.ends()
	if h := leftIn(t, file).history; len(h) != 1 || h[0].By != "generous" || h[0].Ended != "settled" {
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

// A session of the real program leaves records that replay accepts and tells, and an
// altered one is refused with the place and the reason.
func TestPlayedRoundsAreReplayed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "balance.db")
	records := filepath.Join(dir, "balance.rounds")
	p := sit(t, file, "--book", "rws-3cp")
	p.types("record")
	p.hears("Each round is recorded when it ends, in " + records)
	p.types("bet 1 ante 10", "bet 1 jackpot", "bet 2 ante 5", "deal", "look 1", "play 1", "fold 2", "reveal", "record")
	p.hears("trey replay " + filepath.Join(records, "rws-3cp-000001.json"))
	p.types("game mbs-3pictures", "bet 1 main 10", "deal", "reveal", "game us-3cp", "bet 1 ante 10", "deal", "quit", "quit")
	p.hears("To check the record of round 1 and print it in words: trey replay " + filepath.Join(records, "us-3cp-000001.json"))
	if err := p.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	replay := func(path string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		status := run([]string{"replay", path}, strings.NewReader(""), &stdout, &stderr)
		return status, stdout.String(), stderr.String()
	}
	history := leftIn(t, file).history
	if len(history) != 3 {
		t.Fatalf("%+v", history)
	}
	for _, r := range history {
		status, output, complaint := replay(filepath.Join(records, fmt.Sprintf("%s-%06d.json", r.Table, r.Round)))
		won := "and won " + r.Net.Display()
		if r.Net < 0 {
			won = "and lost " + (-r.Net).Display()
		}
		if status != 0 || !strings.Contains(output, "The record is sound") || r.Net != 0 && !strings.Contains(output, won) {
			t.Errorf("%s of net %s: status %d, %s%s", r.Table, r.Net, status, output, complaint)
		}
	}
	sound, err := os.ReadFile(filepath.Join(records, "rws-3cp-000001.json"))
	if err != nil {
		t.Fatal(err)
	}
	for was, changed := range map[string]string{`"amount":1000`: `"amount":1100`, `"kind":"fold"`: `"kind":"raise"`, `"type":"round-record"`: `"type":"diary"`} {
		bad := bytes.Replace(sound, []byte(was), []byte(changed), 1)
		path := filepath.Join(dir, "altered.json")
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, complaint := replay(path); bytes.Equal(bad, sound) || status != exitFound || !strings.Contains(complaint, "altered.json") {
			t.Errorf("%s for %s: status %d, %s", changed, was, status, complaint)
		}
	}
}

// Where no record can be written, that is said and the money is right. None is ever
// overwritten.
func TestRecordsThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "balance.db")
	p := sit(t, file, "--book", "us-3cp", "--records", filepath.Join(file, "below"))
	p.types("bet 1 ante 10", "deal", "fold 1", "reveal", "record")
	p.hears("The record of round 1 could not be written: ")
	p.types("quit")
	p.hears("You leave with $990.00.")
	p.ends()
	if l := leftIn(t, file); l.balance != 99_000 || len(l.history) != 1 {
		t.Errorf("balance %s after %d rounds", l.balance, len(l.history))
	}
	p = sit(t, file, "--book", "us-3cp", "--no-records")
	p.types("record", "bet 1 ante 10", "deal", "fold 1", "reveal", "quit")
	p.hears("No records of rounds are written")
	p.hears("You leave with $980.00.")
	p.ends()
	records := strings.TrimSuffix(file, ".db") + ".rounds"
	if _, err := os.Stat(records); err == nil {
		t.Error("records are written with --no-records")
	}
	taken := filepath.Join(records, "us-3cp-000003.json")
	if err := errors.Join(os.Mkdir(records, 0o700), os.WriteFile(taken, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	p = sit(t, file, "--book", "us-3cp")
	p.types("bet 1 ante 10", "deal", "fold 1", "reveal", "record")
	p.hears("trey replay " + filepath.Join(records, "us-3cp-000003-2.json"))
	if text, err := os.ReadFile(taken); err != nil || string(text) != "mine" {
		t.Errorf("overwritten with %q (%v)", text, err)
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
		all := append([]string{"play", "--plain", "--balance", filepath.Join(t.TempDir(), "b.db")}, strings.Fields(args)...)
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
		p := sit(t, filepath.Join(t.TempDir(), "balance.db"), "--book", "rws-3cp", "--boxes", "2", "--others", others)
		p.types("bet 1 ante 10", "deal", "look 1", "play 1", "reveal", "rebet", "deal", "look 1", "fold 1", "reveal", "quit")
		p.hears("You leave with")
		heard[i] = p.heard.String()
	}
	if heard[0] != heard[1] {
		t.Errorf("the same seed was played twice and went otherwise:\n%s\n%s", heard[0], heard[1])
	}
}
