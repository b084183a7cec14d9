package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"trey/internal/house/identity"
	"trey/internal/steady"
)

// standardCost is that of passwords in a house. Houses of tests hash by less: hundreds of hashes that
// no test looks at would take seconds.
var standardCost = identity.StandardCost

// smallProgram names the variable with the path of the file that houses of tests, in this process
// and in others, hash as their program's.
const smallProgram = "TREY_TEST_PROGRAM"

// cheapen makes the opening of a house, and a sign-in there, cheap, if smallProgram is set.
func cheapen() {
	file := os.Getenv(smallProgram)
	if file == "" {
		return
	}
	programFile = func() (string, error) { return file, nil }
	identity.StandardCost = identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}
}

// hashOf returns a hash of a password as a file of a house has it.
func hashOf(t testing.TB, password string) string {
	t.Helper()
	hash, err := identity.HashPassword(password, identity.StandardCost, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestMain(m *testing.M) {
	testscript.Main(withEnd{m}, map[string]func(){"trey": mainOfVersion, killedProgram: mainUntilKilled})
}

// withEnd are the tests, and what is to be done when all of them are over.
type withEnd struct{ *testing.M }

var ends struct {
	sync.Mutex
	all []func()
}

// atEnd has something done when all tests are over: what several of them share outlives each.
func atEnd(do func()) {
	ends.Lock()
	defer ends.Unlock()
	ends.all = append(ends.all, do)
}

// Run runs the tests.
func (m withEnd) Run() int {
	steady.Parallel(3)
	folder, err := os.MkdirTemp("", "trey-program-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is a folder of the machine's for such things
	file := filepath.Join(folder, "trey")
	if err := errors.Join(os.WriteFile(file, []byte("the program of the tests\n"), 0o600), os.Setenv(smallProgram, file)); err != nil {
		panic(err)
	}
	cheapen()
	code := m.M.Run()
	ends.Lock()
	defer ends.Unlock()
	for _, do := range ends.all {
		do()
	}
	return code
}

// TestScripts runs the real binary by the scripts under testdata/script. With
// TREY_UPDATE=1 in the environment it rewrites the golden output in them. A script asks
// by [steady.Raced] whether the race detector is on, and by [steady.Whole] whether all is looked at.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("TREY_UPDATE") != "",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			records, err := filepath.Abs("../../internal/house/proof/testdata")
			env.Setenv("RECORDS", records)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"unversioned": unversioned},
		Condition: func(name string) (bool, error) {
			switch name {
			case "raced":
				return steady.Raced, nil
			case "whole":
				return steady.Whole(), nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
	})
}

// versionGap matches the space before a version at the right margin.
var versionGap = regexp.MustCompile(`\s+VERSION\n`)

// unversioned writes what the last command printed to the file report, without
// the version of this very build, so that it can be compared.
func unversioned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: unversioned")
	}
	text := strings.ReplaceAll(ts.ReadFile("stdout"), version(), "VERSION")
	text = versionGap.ReplaceAllString(text, "  VERSION\n")
	ts.Check(os.WriteFile(ts.MkAbs("report"), []byte(text), 0o666))
}

// A file that is not there makes "$(cat witness.pub)" empty: no command asks for less because of
// that, and exits with 0.
func TestEmptyArguments(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"what comes after --witness is empty": {"verify", "round.json", "--witness", ""},
		"what comes after --key is empty":     {"audit", "--db", "copy.db", "--key", "", "--at", "http://house.example"},
		"the value of --key is empty":         {"significant", "--key=", "stored.txt"},
		"the value of --kept is empty":        {"audit", "--kept="},
		"argument 2 is empty":                 {"backup", ""},
		"argument 3 is empty":                 {"verify", "--", ""},
		"open --key=: no such file":           {"verify", "--", "--key="},
		"what comes after --config is empty":  {"serve", "--config", "", "--db", "none.db"},
		`"" is neither a key nor a file with`: {"verify", "--key", ",", "none.json"},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(args, strings.NewReader(""), &stdout, &stderr); got != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) || !strings.HasSuffix(stderr.String(), "Try \"trey "+args[0]+" --help\".\n") {
			t.Errorf("trey %q: status %d, %q is not said: %s%s", args, got, want, &stdout, &stderr)
		}
	}
}

func TestExitStatus(t *testing.T) {
	const good = `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":100,"play":100}}` + "\n"
	tests := []struct {
		name   string
		args   string
		stdin  string
		want   int
		stderr string // part of what is said
	}{
		{"nothing asked", "", "", exitUsage, "Usage: trey <command>"},
		{"help", "--help", "", 0, ""},
		{"help of a command", "settle --help", "", 0, ""},
		{"version", "--version", "", 0, ""},
		{"unknown command", "settel", "", exitUsage, `did you mean "settle"?`},
		{"unknown flag", "settle --bok us-3cp", "", exitUsage, `did you mean "--book"?`},
		{"unknown book", "settle --book rws-3pc --jsonl", "", exitUsage, "did you mean rws-3cp?"},
		{"unknown edition", "settle --book rws-3cp@2 --jsonl", "", exitUsage, "use rws-3cp@3"},
		{"no book", "settle --jsonl", "", exitUsage, "one of rws-3cp, us-3cp"},
		{"no format", "settle --book us-3cp", "", exitUsage, "say --jsonl"},
		{"no lines", "settle --book us-3cp --jsonl", "", 0, ""},
		{"good lines", "settle --book us-3cp --jsonl", good + good, 0, ""},
		{"a bad line", "settle --book us-3cp --jsonl", good + "{}\n" + good, exitFound, "1 of 3 lines"},
		{"a bad last line", "settle --book us-3cp --jsonl", good + "{", exitFound, "1 of 2 lines"},
		{"books", "rules", "", 0, ""},
		{"register", "rules sm-3cp", "", 0, ""},
		{"register as JSON", "rules sm-3cp --json", "", 0, ""},
		{"clause", "rules rws-3cp@3 5.8.6 --json", "", 0, ""},
		{"unknown book of rules", "rules mbs-3picture", "", exitUsage, "did you mean mbs-3pictures?"},
		{"unknown clause", "rules rws-3cp 5.8.66", "", exitUsage, "did you mean 5.8.6,"},
		{"an unknown book as an argument", "odds rws", "", exitUsage, `trey: there is no book "rws": did you mean rws-3cp?`},
		{"too little", "backup", "", exitUsage, `"<file>" is missing after trey backup`},
		{"no command of two words", "keys", "", exitUsage, `one of "rotate", "rotate-signing" is missing after trey keys`},
		{"a list that is not there", "version --compare none.txt", "", exitUsage, "the list cannot be read: "},
		{"no record to recover in", "recover ada --why x --db none.db", "", exitUsage, "none.db: name it with --db"},
		{"no keys to rotate", "keys rotate --keys none.keys", "", exitFound, "none.keys: name it with --keys"},
		{"no record whose key is rotated", "keys rotate-signing --db none.db", "", exitUsage, "none.db: name it with --db"},
		{"a succession without a key", "audit --db none.db --succession main.go", "", exitUsage, "--succession needs --key"},
		{"a witness without a name for it", "witness none --name a+b", "", exitUsage, `"a+b" cannot be the name of a witness: `},
		{"too much", "rules rws-3cp 5.8.6 5.8.7", "", exitUsage, "unexpected argument 5.8.7"},
		{"part of a book's name", "rules rws", "", exitUsage, "did you mean rws-3cp?"},
		{"a clause without its book", "rules 5.8.6", "", exitUsage, "say `trey rules rws-3cp 5.8.6`"},
		{"a clause of two books", "rules ways.1", "", exitUsage, "say `trey rules us-3cp ways.1` or `trey rules sm-3cp ways.1`"},
		{"the word help", "help", "", 0, ""},
		{"the word help and a command", "help settle", "", 0, ""},
		{"the word help and two words", "help odds hand", "", 0, ""},
		{"help of no command", "help settel", "", exitUsage, `did you mean "settle"?`},
		{"an unknown format of a par sheet", "odds rws-3cp --format yaml", "", exitUsage, "--format yaml: there is no such format here: choose from text, json, csv, xlsx, html"},
		{"an unknown format of a strategy", "odds strategy rws-3cp --format yaml", "", exitUsage, "choose from text, csv"},
		{"an unknown format of a session", "odds session rws-3cp --rounds 9 --format yaml", "", exitUsage, "choose from text, json"},
		{"an unknown format by the name of a file", "odds rws-3cp --out par.yaml", "", exitUsage, "no format is named yaml: say --format and one of text, json, csv, xlsx, html"},
		{"an unknown format of a verification", "verify --format yaml x", "", exitUsage, `must be one of "text","json"`},
		{"an unknown format of a load", "load --format yaml", "", exitUsage, `must be one of "text","json"`},
		{"no boxes together", "odds joint rws-3cp --boxes 0", "", exitUsage, "--boxes 0: the table has 1 to 7"},
		{"no boxes of a session", "odds session rws-3cp --rounds 9 --boxes 0", "", exitUsage, "--boxes 0: the table has 1 to 7"},
		{"no boxes of a simulation", "sim rws-3cp --engine --rounds 9 --boxes 0", "", exitUsage, "--boxes 0: the table has 1 to 7"},
		{"no boxes of one", "sim rws-3cp --rounds 9 --boxes 0", "", exitUsage, "--boxes 0: without --engine one box plays"},
		{"no boxes to play at", "play --boxes 0", "", exitUsage, "a table has 1 to 16 boxes, not 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			got := run(strings.Fields(test.args), strings.NewReader(test.stdin), &stdout, &stderr)
			if got != test.want || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("trey %s: status %d, stderr %q; want %d, %q", test.args, got, stderr.String(), test.want, test.stderr)
			}
			if test.want == 0 && stderr.Len() > 0 {
				t.Errorf("trey %s: said %q though nothing is wrong", test.args, stderr.String())
			}
		})
	}
}

// fullDisk is where nothing can be written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatIsLostIsNoSuccess(t *testing.T) {
	const line = `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":100,"play":100}}` + "\n"
	for _, args := range []string{
		"rules",
		"rules us-3cp rules.1 --json",
		"settle --book us-3cp --jsonl",
		"scenario ../../scenario/testdata/rws-3cp/5.8.6_void_unseen.txtar",
		"replay ../../internal/house/proof/testdata/settled.json",
		"variant init us-3cp",
		"variant show us-3cp",
		"odds us-3cp --wager pair-plus",
		"sim us-3cp --rounds 1000 --seed 1",
		"help",
		"help odds hand",
		"settle --help",
		"--version",
	} {
		t.Run(args, func(t *testing.T) {
			var stderr bytes.Buffer
			got := run(strings.Fields(args), strings.NewReader(line), fullDisk{}, &stderr)
			if got != exitFound || !strings.Contains(stderr.String(), "no space left") {
				t.Errorf("trey %s: status %d, stderr %q; want %d and why nothing was written", args, got, stderr.String(), exitFound)
			}
		})
	}
}

// brokenReader stands for any fault of ours.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { panic("index out of range") }

func TestFaultOfTheProgramIsReportedShortly(t *testing.T) {
	var stdout, stderr bytes.Buffer
	got := run([]string{"settle", "--book", "us-3cp", "--jsonl"}, brokenReader{}, &stdout, &stderr)
	if got != exitBug {
		t.Errorf("status %d, want %d", got, exitBug)
	}
	if s := stderr.String(); strings.Contains(s, "goroutine") || !strings.Contains(s, "report it") || !strings.Contains(s, "trey") {
		t.Errorf("stderr %q: want a short request to report it, and no stack trace", s)
	}
}

// The word help says what the flag says.
func TestHelpIsAWordToo(t *testing.T) {
	for _, command := range []string{"", "settle", "odds hand", "config check"} {
		var word, flag, stderr bytes.Buffer
		run(strings.Fields("help "+command), strings.NewReader(""), &word, &stderr)
		run(strings.Fields(command+" --help"), strings.NewReader(""), &flag, &stderr)
		if word.Len() == 0 || word.String() != flag.String() || stderr.Len() > 0 {
			t.Errorf("trey help %s prints\n%s%s", command, word.String(), stderr.String())
		}
	}
}

// A file that gives a table no boxes is told how many there may be.
func TestNoBoxesInAFile(t *testing.T) {
	for _, test := range []struct{ args, text, want string }{
		{"variant check", "base = \"mbs-3pictures\"\nboxes = 0\n", ":2: boxes: 0 is outside 1 to 8 (mbs-3pictures@2 "},
		{"config check", "[tables.a]\nbook = \"us-3cp\"\nboxes = 0\n", " 1 to 16"},
		{"scenario", "# us-3cp rules.1: no box\nopen us-3cp boxes=0\n", ":2: boxes: 0 is outside 1 to 16 (us-3cp "},
	} {
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if got := run(append(strings.Fields(test.args), name), strings.NewReader(""), &stdout, &stderr); got == 0 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: status %d, %s", test.args, got, stderr.String())
		}
	}
}
