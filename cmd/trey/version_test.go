package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/plan"
	"trey/internal/house/sealing"
	"trey/internal/house/significant"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/internal/store/sqlite"
	"trey/rules/books"
)

// ownHash is the SHA-256 of this program, the test.
func ownHash(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// The hashes are printed as a list that agrees with the program, and any other list is
// found to differ.
func TestHashes(t *testing.T) {
	trey := func(args ...string) (status int, out, complaint string) {
		var stdout, stderr bytes.Buffer
		status = run(args, strings.NewReader(""), &stdout, &stderr)
		return status, stdout.String(), stderr.String()
	}
	status, list, _ := trey("version", "--verify")
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if status != 0 || len(lines) != 1+len(books.All()) || lines[0] != ownHash(t)+"  program" {
		t.Fatalf("%d, %q", status, list)
	}
	for i, b := range books.All() {
		if fields := strings.Fields(lines[i+1]); len(fields) != 2 || len(fields[0]) != 64 || fields[1] != b.Ref() {
			t.Errorf("line %d is %q", i+1, lines[i+1])
		}
	}
	other := strings.Repeat("0", 64)
	for name, test := range map[string]struct {
		list   string
		status int
		says   string
	}{
		"the same":              {list, 0, "program: agrees"},
		"for two platforms":     {"# approved\n" + other + "  program\n\n" + list, 0, "program: agrees"},
		"another program":       {strings.Replace(list, lines[0], other+"  program", 1), exitFound, "program: differs, published is " + other},
		"another book":          {strings.Replace(list, lines[2], strings.Repeat("f", 64)+"  us-3cp", 1), exitFound, "us-3cp: differs"},
		"a book that is not in": {strings.Replace(list, lines[4], "", 1), exitFound, "mbs-3pictures@2: is not in the list"},
		"no hash":               {"abc  program\n", exitFound, ":1: "},
		"three words":           {lines[0] + " more\n", exitFound, ":1: "},
		"nothing":               {"# nothing\n", exitFound, "the list is empty"},
	} {
		status, out, complaint := trey("version", "--compare", write(t, test.list))
		if status != test.status || !strings.Contains(out+complaint, test.says) {
			t.Errorf("%s: %d, %s%s", name, status, out, complaint)
		}
	}
}

// The version says what the linker or the compiler knows of the build, and never "(devel)".
func TestVersion(t *testing.T) {
	commitOf := func(main, revision, at string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		info.Main.Version = main
		if revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.time", Value: at}}
		}
		return info
	}
	built := " " + runtime.Version() + " " + runtime.GOOS + " " + runtime.GOARCH
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for _, test := range []struct {
		info                       *debug.BuildInfo
		released, commit, day, say string
	}{
		{info: commitOf("", "", ""), say: "trey unversioned"},
		{info: commitOf("(devel)", "", ""), say: "trey unversioned"},
		{info: commitOf("(devel)", hash, "2026-11-23T01:02:03Z"), say: "trey unversioned commit 0123456789ab of 2026-11-23"},
		{info: commitOf("v0.0.0-20261123010203-0123456789ab", hash, "2026-11-23T01:02:03Z"), say: "trey v0.0.0-20261123010203-0123456789ab commit 0123456789ab of 2026-11-23"},
		{info: commitOf("(devel)", "", ""), released: "v1.2.3", commit: hash, day: "2026-11-22", say: "trey v1.2.3 commit 0123456789ab of 2026-11-22"},
	} {
		released, commit, commitDate = test.released, test.commit, test.day
		if says := versionOf(test.info); says != test.say+built {
			t.Errorf("%+v: %q", test, says)
		}
	}
	released, commit, commitDate = "", "", ""
	for _, args := range [][]string{{"version"}, {"--version"}} {
		var stdout, stderr bytes.Buffer
		if status := run(args, strings.NewReader(""), &stdout, &stderr); status != 0 || stdout.String() != version()+"\n" || strings.Contains(stdout.String(), "(devel)") {
			t.Errorf("%q: %d, %q, %q", args, status, &stdout, &stderr)
		}
	}
}

// A house records at each start which program keeps it.
func TestServeRecordsItsSoftware(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "house.db")
	for range 2 {
		p := launchIn(t, []string{smallProgram + "="}, "--db", db)
		if !p.opened() {
			t.Fatalf("the house does not open:\n%s", p.logs)
		}
		p.signal(os.Interrupt)
		if status := p.status(); status != 0 {
			t.Fatalf("status %d:\n%s", status, p.logs)
		}
	}
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it is only read
	all, _, err := significant.Newest(t.Context(), store, significant.Software, 0, 10)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, e := range all {
		if e.By != "the house" || !strings.Contains(e.Consequence, "program "+ownHash(t)) || strings.Contains(e.Consequence, "changed") {
			t.Errorf("recorded is %+v", e)
		}
	}
}

// While a house runs its program is checked whenever it is time, and one that was
// replaced is recorded and told to the operator. So is a clock that jumped.
func TestAReplacedProgramIsASignificantEvent(t *testing.T) {
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	logs := &heard{lines: make(chan struct{}, 1), over: make(chan struct{})}
	s := &site{
		plan: &plan.Plan{}, log: slog.New(slog.NewTextHandler(logs, nil)), clock: newClock(), jumps: make(chan int64, 1),
		program: write(t, "the program that was approved"),
	}
	if s.house, _, err = house.Open(t.Context(), store, house.World{NowMs: s.clock.nowMs, Sealer: sealing.Numbered(1), Seed: shuffle.Numbered(1)}); err != nil {
		t.Fatal(err)
	}
	due := make(chan time.Time)
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.watchEvents(t.Context(), s.program, due)
	}()
	register := func() (all []string) {
		t.Helper()
		events, _, err := significant.Newest(t.Context(), store, 0, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range slices.Backward(events) {
			all = append(all, e.Kind.String()+" "+e.Consequence)
		}
		return all
	}
	until := func(events int) []string {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if all := register(); len(all) >= events {
				return all
			} else if time.Now().After(deadline) {
				t.Fatalf("recorded are %q, want %d", all, events)
			}
		}
	}
	due <- time.Time{}
	due <- time.Time{}
	if all := until(2); strings.Contains(strings.Join(all, ""), "changed") {
		t.Errorf("recorded are %q", all)
	}
	if err := os.WriteFile(s.program, []byte("another program"), 0o600); err != nil {
		t.Fatal(err)
	}
	due <- time.Time{}
	all := until(3)
	if want := fmt.Sprintf("program %x: changed: program", sha256.Sum256([]byte("another program"))); !strings.HasPrefix(all[2], "software ") || !strings.HasSuffix(all[2], want) {
		t.Errorf("recorded is %q, want %q", all[2], want)
	}
	logs.wait(t, "not those of the check before")
	s.jumped(77)
	if all := until(4); all[3] != "clock a reading of the machine's clock 77 ms ahead was not taken" {
		t.Errorf("recorded is %q", all[3])
	}
	// It is remembered over a stop.
	again, _, err := house.Open(t.Context(), store, house.World{NowMs: s.clock.nowMs, Sealer: sealing.Numbered(1), Seed: shuffle.Numbered(1)})
	if err != nil {
		t.Fatal(err)
	}
	software, err := softwareOf(s.program)
	if err != nil {
		t.Fatal(err)
	}
	software.Books["us-3cp"] = "another"
	if changed, err := again.CheckSoftware(t.Context(), software, s.plan.Settings()); err != nil || !slices.Equal(changed, []string{"us-3cp"}) {
		t.Errorf("changed are %v, %v", changed, err)
	}
}
