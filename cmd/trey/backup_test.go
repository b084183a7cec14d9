package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"trey/internal/house/sealing"
	"trey/internal/notary"
	"trey/internal/store/sqlite"
)

func backup(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(append([]string{"backup"}, args...), strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

var upTo = regexp.MustCompile(`up to transaction (\d+): (\d+) rounds, and every account agrees`)

// A house that is played in is copied as it plays: what was acknowledged before is in
// the copy, and the copy agrees with itself. A house opens from one that lacks nothing
// that was signed, and from no other.
func TestBackup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quickFolder(t))
	w.start()
	leave := w.crowd()
	cashier := newSomebody("kim", "", 98, w.rng) // in another place than the one who is busy
	cashier.token, cashier.cookie = w.lives["kim"].token, w.lives["kim"].cookie
	cashier.number = 1_000_000
	var last string
	for i := range 3 {
		r := cashier.order("/api/v1/cage", map[string]any{"reason": "buy-in", "player": "ann", "amount": 1})
		r.player, r.amount = "ann", 1
		for r.fate == unheard {
			if there, err := cashier.send(t.Context(), w.house.url, r); !there || err != nil {
				t.Fatalf("the house is not there: %v", err)
			}
		}
		last = filepath.Join(w.folder, fmt.Sprintf("backup-%d.db", i))
		status, out, logs := backup("--config", w.config, last)
		found := upTo.FindStringSubmatch(out)
		if status != 0 || found == nil || logs != "" {
			t.Fatalf("status %d: %s%s", status, out, logs)
		}
		if through, err := strconv.ParseInt(found[1], 10, 64); err != nil || through < r.seq || r.seq == 0 {
			t.Errorf("transaction %d was acknowledged, and the copy goes up to %s", r.seq, found[1])
		}
	}
	// What is signed now is more than any copy holds.
	through, err := sqlite.Open(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	size := through.Head().Size
	if err := through.Close(); err != nil {
		t.Fatal(err)
	}
	// What was signed by then lies beside it.
	key, err := notary.KeyIn(signingBeside(w.record()))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := checkpointBeside(last, []string{key}); err != nil || c.Size < 2 || c.Size > size {
		t.Errorf("beside the copy of %d leaves lies %+v, %v", size, c, err)
	}
	for enough := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := notary.LastIn(signingBeside(w.record()))
		if err == nil && c.Size > size {
			break
		}
		if time.Now().After(enough) {
			t.Fatalf("nothing beyond %d leaves is signed: %+v, %v", size, c, err)
		}
	}
	leave()
	w.house.kill()
	// The record of the house that was killed is whole, and so is its copy.
	w.lives["a cashier"] = cashier
	w.ended()
	crashed := filepath.Join(w.folder, "crashed.db")
	if status, out, logs := backup("--db", w.record(), crashed); status != 0 || !strings.Contains(out, fmt.Sprintf("up to transaction %d:", w.auditor.Seq())) {
		t.Errorf("status %d: %s%s; the record goes up to %d", status, out, logs, w.auditor.Seq())
	}
	for pattern, want := range map[string]int{"backup-*": 6, "backup-*.checkpoint": 3, "crashed*": 2} {
		if there, err := filepath.Glob(filepath.Join(w.folder, pattern)); err != nil || len(there) != want {
			t.Errorf("the copies are %v, %v", there, err)
		}
	}
	keys := filepath.Join(w.folder, "copied.signing")
	copyFolder(t, signingBeside(w.record()), keys)
	p := launch(t, "--config", w.config, "--db", last, "--signing", keys)
	if p.opened() || !strings.Contains(p.logs.String(), "the record does not continue what was signed last") {
		t.Errorf("a copy that lacks what was signed is gone on with:\n%s\n%s", p.out, p.logs)
	}
	p = launch(t, "--config", w.config, "--db", crashed, "--signing", keys)
	if !p.opened() {
		t.Fatalf("the copy does not open:\n%s\n%s", p.out, p.logs)
	}
	p.signal(syscall.SIGTERM) // A round that a dealer runs would wait for somebody.
	p.signal(os.Interrupt)
	// The second signal may meet a program that has closed its house and listens no more.
	if status := p.status(); status != exitInterrupted && status != 0 && !p.killed() {
		t.Errorf("%s: status %d\n%s\n%s", crashed, status, p.out, p.logs)
	}
	p.sound()
	w.live(closed, 0)
	w.ended()
}

// The file of a house that is open, copied by itself, is refused and not taken for a
// house that is new: what was acknowledged last is not in it.
func TestTheFileAloneOfAnOpenHouse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quickFolder(t))
	w.start()
	text, err := os.ReadFile(w.record())
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "alone.db")
	if err := os.WriteFile(alone, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := launch(t, "--config", w.config, "--db", alone)
	if p.opened() {
		t.Fatalf("it opens:\n%s", p.out)
	}
	if status := p.status(); status != exitFound || !strings.Contains(p.logs.String(), "a file is copied alone only when the house is closed") || !strings.Contains(p.logs.String(), "trey restore") {
		t.Errorf("status %d: %s", status, p.logs)
	}
	if status, _, logs := backup("--db", alone, alone+".copy"); status != exitFound || !strings.Contains(logs, "a file is copied alone only when the house is closed") {
		t.Errorf("status %d: %s", status, logs)
	}
}

// written is a writer that forgets what it takes, and says that there was something.
type written func()

func (w written) Write(text []byte) (int, error) {
	w()
	return len(text), nil
}

func TestBackupsThatAreNotMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	record := filepath.Join(dir, "house.db")
	config := file("house.toml", quick)
	interruptedHouse(t, record, config)
	altered := filepath.Join(dir, "altered.db")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(altered, text, 0o600); err != nil {
		t.Fatal(err)
	}
	alterPosting(t, altered)
	otherKeys, err := sealing.New()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args string
		want int
		says string
	}{
		"no record":              {"--db " + filepath.Join(dir, "none.db"), exitUsage, "there is no record at "},
		"no record is named":     {"--config " + file("nowhere.toml", "[tables.a]\nbook = \"us-3cp\"\n"), exitUsage, "name it with --db"},
		"noise":                  {"--db " + file("noise.db", strings.Repeat("noise ", 1000)), exitFound, "not a record of this program"},
		"a posting was altered":  {"--db " + altered, exitFound, "the copy is not kept"},
		"the record of a config": {"--config " + config, 0, ""},
		"no folder of its key":   {"--db " + record + " --signing " + filepath.Join(dir, "none.signing"), exitUsage, "name the folder of the house's key"},
		"no keys":                {"--db " + record + " --keys " + filepath.Join(dir, "none.keys"), exitFound, "no house opens from it: the seeds of rounds in play cannot be opened"},
		"other keys":             {"--db " + record + " --keys " + file("other.keys", string(otherKeys.Text())), exitFound, "no house opens from it: the seeds of rounds in play cannot be opened"},
	} {
		to := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".copy")
		status, _, logs := backup(append(strings.Fields(test.args), to)...)
		if status != test.want || !strings.Contains(logs, test.says) {
			t.Errorf("%s: status %d: %s", name, status, logs)
		}
		if missing(to) != (test.want != 0) {
			t.Errorf("%s: it is there: %t", name, !missing(to))
		}
		if left, err := filepath.Glob(to + "?*"); err != nil || len(left) > 0 && (test.want != 0 || len(left) > 1 || left[0] != to+checkpointSuffix) {
			t.Errorf("%s: %v is left, %v", name, left, err)
		}
	}
	// Whoever ends it during the audit leaves no file that looks like a copy.
	early := filepath.Join(dir, "early.copy")
	said := written(func() {
		if !missing(early) {
			t.Error("the copy has its name before it was audited")
		}
	})
	if status := run([]string{"backup", "--db", altered, early}, strings.NewReader(""), said, said); status != exitFound {
		t.Errorf("status %d", status)
	}
	before, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, logs := backup("--db", record, config); status != exitUsage || !strings.Contains(logs, "there is a file already") {
		t.Errorf("status %d: %s", status, logs)
	}
	if after, err := os.ReadFile(record); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the record is another one: %v", err)
	}
}

// TestABackupIsKilled holds that a backup which is killed leaves no copy, or one with its checkpoint;
// that the next one names what was left, and that one removes it when nobody can be at work with it.
func TestABackupIsKilled(t *testing.T) {
	t.Parallel()
	db := signedHouse(t)
	for _, step := range []string{"written", "proved", "named"} {
		t.Run(step, func(t *testing.T) {
			folder := t.TempDir()
			to := filepath.Join(folder, "copy.db")
			if out, err := killAfter(t, step, "", "backup", "--db", db, to); err == nil {
				t.Fatalf("it was not killed: %s", out)
			}
			parts, err := sqlite.Parts(folder)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, p := range parts {
				if p.Of != to {
					t.Errorf("%s would become %s", p.Path, p.Of)
				}
				left = append(left, p.Path)
			}
			if step == "proved" {
				left = append(left, to+checkpointSuffix)
			}
			switch step {
			case "named":
				if missing(to) || missing(to+checkpointSuffix) || len(left) > 0 {
					t.Errorf("there is %s", folderFiles(t, folder))
				}
			default:
				if !missing(to) || len(left) == 0 || missing(to+checkpointSuffix) != (step == "written") {
					t.Errorf("there is %s", folderFiles(t, folder))
				}
			}
			// Another one may be at work in the folder.
			other := filepath.Join(folder, "other.db")
			if status, out, logs := backup("--db", db, other); status != 0 || strings.Contains(logs, "is removed") || step != "named" && !strings.Contains(logs, left[0]+" is of a backup that was killed, or of one that is being made") {
				t.Errorf("at once: status %d: %s%s", status, out, logs)
			}
			for _, path := range left {
				if missing(path) {
					t.Errorf("%s is gone at once", path)
				}
				long := time.Now().Add(-leftAfter - time.Minute)
				if err := os.Chtimes(path, long, long); err != nil {
					t.Fatal(err)
				}
			}
			status, out, logs := backup("--db", db, filepath.Join(folder, "third.db"))
			if status != 0 {
				t.Errorf("later: status %d: %s%s", status, out, logs)
			}
			for _, path := range left {
				if !missing(path) || !strings.Contains(logs, path+" is removed") {
					t.Errorf("%s is there: %t: %s", path, !missing(path), logs)
				}
			}
			if status, _, logs := backup("--db", db, to); (status == 0) != (step != "named") || strings.Contains(logs, "part") {
				t.Errorf("the same once more: status %d: %s", status, logs)
			}
			if got := folderFiles(t, folder); got != "copy.db copy.db.checkpoint other.db other.db.checkpoint third.db third.db.checkpoint" {
				t.Errorf("there is %s", got)
			}
		})
	}
}

// TestWhatIsNotLeftStays holds that of what lies in the folder of a copy nothing else is removed: not the
// checkpoint of a copy that was moved away, and no file of another program.
func TestWhatIsNotLeftStays(t *testing.T) {
	t.Parallel()
	db, folder := signedHouse(t), t.TempDir()
	long := time.Now().Add(-2 * leftAfter)
	for name, at := range map[string]time.Time{
		"away.db.1.trey.part": long, "away.db.checkpoint": long.Add(-time.Hour), "film.1.part": long, "x.trey.part": long,
		"there.db": long, "there.db.checkpoint": long.Add(time.Hour), "there.db.2.trey.part-journal": long,
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if status, out, logs := backup("--db", db, filepath.Join(folder, "copy.db")); status != 0 {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
	if got := folderFiles(t, folder); got != "away.db.checkpoint copy.db copy.db.checkpoint film.1.part there.db there.db.checkpoint x.trey.part" {
		t.Errorf("there is %s", got)
	}
}
