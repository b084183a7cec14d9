package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// played leaves a record behind of a house in which much was played, with its key and a
// checkpoint of everything.
func played(t *testing.T) (db string) {
	t.Helper()
	db = signedHouse(t)
	ctx := t.Context()
	store, err := sqlite.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	keys, _, err := openKeys(ctx, store, keysBeside(db))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := notary.Open(ctx, signingBeside(db), store)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := house.Open(ctx, store, house.World{NowMs: newClock().nowMs, Sealer: keys, Seed: shuffle.Fresh, Notary: signed})
	if err != nil {
		t.Fatal(err)
	}
	ann, kim, max := access.Person{Name: "ann", Role: access.Player}, access.Person{Name: "kim", Role: access.Cashier}, access.Person{Name: "max", Role: access.ShiftManager}
	for i := range 360 {
		_, err := h.CageTransfer(ctx, fmt.Sprintf("cage %d", i), kim, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: money.Major})
		if err == nil && i%9 > 0 {
			continue // an audit takes longer for a round than for all of these
		}
		var at house.TableStatus
		if err == nil {
			at, err = h.Status("a")
		}
		if err == nil && at.State.Phase() != table.Betting {
			_, err = h.DoAsHouse(ctx, "", "a", table.OpenBets{})
		}
		if err == nil && at.State.OnLayout() == 0 { // ann has bet in the interrupted round
			_, err = h.Do(ctx, house.CommandRequest{Key: fmt.Sprintf("bet %d", i), Table: "a", By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}})
		}
		if err == nil {
			_, err = h.DoAsHouse(ctx, "", "a", table.Report{Incident: rules.Uncovered, Note: "a test"})
		}
		if err == nil {
			_, err = h.Do(ctx, house.CommandRequest{Key: fmt.Sprintf("void %d", i), Table: "a", By: max, Do: table.Answer{Answer: "void"}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	resign(t, db)
	return db
}

// archiveLater archives all that there is of a record, as if it were next year.
func archiveLater(t *testing.T, db, to string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	next := time.Now().AddDate(0, 1, 0)
	cmd := archiveCommand{DB: db, To: to, Before: next.Format("2006-01"), now: func() time.Time { return next.AddDate(1, 0, 0) }}
	err = cmd.Run(&streams{in: strings.NewReader(""), out: &out, err: io.Discard})
	return out.String(), err
}

// A house of which most was archived is audited, copied, and opened from its copy as
// before; what was archived is audited by itself.
func TestArchive(t *testing.T) {
	t.Parallel()
	db := played(t)
	rounds := func(path, archive string) (all []house.RoundMark, lines int) {
		t.Helper()
		store, err := sqlite.OpenWith(t.Context(), path, archive)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close() //nolint:errcheck // it was read only
		if err := store.Rounds(t.Context(), "table:a", 0, 1<<20, func(m house.RoundMark) error { all = append(all, m); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := store.ReadAll(t.Context(), 0, "", func(house.StoredTransaction) error { lines++; return nil }); err != nil {
			t.Fatal(err)
		}
		return all, lines
	}
	folder := filepath.Join(t.TempDir(), "kept")
	before, lines := rounds(db, folder)
	if lines < 512 {
		t.Fatalf("only %d transactions were recorded", lines)
	}
	out, err := archiveLater(t, db, folder)
	if err != nil || !strings.Contains(out, " holds transactions 1 to ") {
		t.Fatalf("%s%v", out, err)
	}
	after, linesAfter := rounds(db, folder)
	if len(before) == 0 || len(after) != len(before) || linesAfter != lines {
		t.Errorf("%d rounds and %d transactions are read, want %d and %d", len(after), linesAfter, len(before), lines)
	}
	if out, err := archiveLater(t, db, folder); err != nil || !strings.Contains(out, "nothing to archive") {
		t.Errorf("again: %s%v", out, err)
	}
	if status, out, logs := auditRun("--db", db, "--archive", folder); status != 0 || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("both: status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--archive", folder); status != 0 || !strings.Contains(out, "checkpoint   open") {
		t.Errorf("the archive alone: status %d: %s%s", status, out, logs)
	}
	key, err := os.ReadFile(filepath.Join(signingBeside(db), "signing.pub"))
	if err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--archive", folder, "--key", string(key)); status != 0 || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("the archive alone, with a key: status %d: %s%s", status, out, logs)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if status, out, logs := backup("--db", db, "--archive", folder, copied); status != 0 || !strings.Contains(out, "A house opens from it") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
	if status, _, logs := backup("--db", db, copied+"2"); status != exitFound || !strings.Contains(logs, "a part of the archive is not there") || !missing(copied+"2") {
		t.Errorf("a copy without its archive: status %d: %s", status, logs)
	}
	if status, _, logs := auditRun("--db", db); status != exitUsage || !strings.Contains(logs, "a part of the archive is not there") {
		t.Errorf("an audit without the archive: status %d: %s", status, logs)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the archive is %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(files[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--db", db, "--archive", folder}, {"--archive", folder}} {
		if status, out, logs := auditRun(args...); status != exitFound || !strings.Contains(logs, files[0]) {
			t.Errorf("a byte was altered, %v: status %d: %s%s", args, status, out, logs)
		}
	}
}

// What cannot be archived is refused, and says from when on it can be.
func TestArchivesThatAreNotMade(t *testing.T) {
	t.Parallel()
	db := signedHouse(t)
	month := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		cmd   archiveCommand
		after time.Duration
		want  string
	}{
		"no month":      {archiveCommand{DB: db, Before: "2031-13"}, 0, "is no month"},
		"a day early":   {archiveCommand{DB: db, Before: "2031-03"}, 29 * 24 * time.Hour, "can be archived from 2031-03-31 on"},
		"no record":     {archiveCommand{DB: db + "x", Before: "2031-03"}, 30 * 24 * time.Hour, "there is no record"},
		"no checkpoint": {archiveCommand{DB: db, Before: "2031-03", Signing: t.TempDir()}, 30 * 24 * time.Hour, "name the folder of its key"},
	} {
		test.cmd.now = func() time.Time { return month.Add(test.after) }
		if err := test.cmd.Run(&streams{out: io.Discard, err: io.Discard}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A house that is open keeps its record for itself.
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archiveLater(t, db, ""); err == nil || !strings.Contains(err.Error(), "the record is in use") {
		t.Errorf("an open record: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// A message about the archive names --archive, as the option is called elsewhere: trey archive takes it too.
func TestTheFolderOfAnArchiveHasOneName(t *testing.T) {
	t.Parallel()
	db := played(t)
	folder := filepath.Join(t.TempDir(), "kept")
	if out, err := archiveLater(t, db, folder); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, exitFound, "with --archive"},
		{[]string{"--archive", folder}, 0, "There is nothing to archive before 2020-01."},
		{[]string{"--to", folder}, 0, "There is nothing to archive before 2020-01."},
	} {
		var out, logs bytes.Buffer
		if status := run(append([]string{"archive", "--db", db, "--before", "2020-01"}, test.args...), strings.NewReader(""), &out, &logs); status != test.status || !strings.Contains(out.String()+logs.String(), test.want) {
			t.Errorf("%q: status %d: %s%s", test.args, status, out.String(), logs.String())
		}
	}
}

// TestTheSecondProgramVerifiesAnArchive holds that the verifier in another language proves
// what was archived, from the unpacked text alone, and finds each line that was changed,
// left out, or put elsewhere, and a header or a key of another house.
func TestTheSecondProgramVerifiesAnArchive(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	db, other := played(t), played(t)
	unpacked := func(db string) (text, key string) {
		t.Helper()
		folder := filepath.Join(t.TempDir(), "kept")
		if out, err := archiveLater(t, db, folder); err != nil {
			t.Fatal(out, err)
		}
		names, err := filepath.Glob(filepath.Join(folder, "*.jsonl.zst"))
		if err != nil || len(names) == 0 {
			t.Fatalf("segments %q, %v", names, err)
		}
		unpack, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer unpack.Close()
		for _, name := range names {
			packed, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := unpack.DecodeAll(packed, nil)
			if err != nil {
				t.Fatal(err)
			}
			text += string(plain)
		}
		public, err := os.ReadFile(filepath.Join(signingBeside(db), "signing.pub"))
		if err != nil {
			t.Fatal(err)
		}
		return text, strings.TrimSpace(string(public))
	}
	text, key := unpacked(db)
	theirs, otherKey := unpacked(other)
	verified := func(text, key string) (int, string) {
		t.Helper()
		return secondProgram(t, "--archive", write(t, text), "--key", key)
	}
	if status, out := verified(text, key); status != 0 || !strings.Contains(out, "proven; transactions 1 to ") || !strings.Contains(out, "signed by ") {
		t.Fatalf("status %d: %s", status, out)
	}
	lines := strings.SplitAfter(text, "\n")
	with := func(change func(all []string) []string) string { return strings.Join(change(slices.Clone(lines)), "") }
	for name, altered := range map[string]string{
		"an amount":           strings.Replace(text, `"amount":`, `"amount":1`, 1),
		"a time":              strings.Replace(text, `"at_ms":1`, `"at_ms":2`, 1),
		"a person":            strings.Replace(text, `"by":"#1"`, `"by":"#2"`, 1),
		"a line left out":     with(func(all []string) []string { return slices.Delete(all, 100, 101) }),
		"two lines exchanged": with(func(all []string) []string { all[7], all[8] = all[8], all[7]; return all }),
		"the end left out":    with(func(all []string) []string { return all[:300] }),
		"the header left out": with(func(all []string) []string { return all[1:] }),
		"a line of another":   with(func(all []string) []string { all[50] = strings.SplitAfter(theirs, "\n")[50]; return all }),
		"another's header":    with(func(all []string) []string { all[0] = strings.SplitAfter(theirs, "\n")[0]; return all }),
		"blanks":              strings.Replace(text, `"cause":{`, `"cause": {`, 1),
	} {
		if altered == text {
			t.Fatalf("%s: nothing is altered", name)
		}
		if status, out := verified(altered, key); status != 1 {
			t.Errorf("%s: status %d: %s", name, status, out)
		}
	}
	if status, out := verified(text, otherKey); status != 1 || !strings.Contains(out, "the key of the house did not sign it") {
		t.Errorf("by another house's key: status %d: %s", status, out)
	}
}

// TestAnAuditWithoutAFileOfTheArchive holds that a file of the archive which is not there is named, and
// that the record is not said to be changed.
func TestAnAuditWithoutAFileOfTheArchive(t *testing.T) {
	t.Parallel()
	db := played(t)
	folder := filepath.Join(t.TempDir(), "kept")
	if out, err := archiveLater(t, db, folder); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the archive is %q, %v", files, err)
	}
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(files[0], away); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--db", db, "--archive", folder}, {"--archive", folder}, {"--db", db, "--archive", folder, "--signing", t.TempDir()}} {
		status, out, logs := auditRun(args...)
		if status != exitUsage || strings.Contains(logs, "is corrupt") || !strings.Contains(logs, "no proof that somebody has changed the record") || !strings.Contains(logs, "run this again") {
			t.Errorf("%q: status %d: %s%s", args, status, out, logs)
		}
		if args[0] == "--db" && !strings.Contains(logs, files[0]) {
			t.Errorf("%q: the file is not named: %s", args, logs)
		}
	}
	text, err := os.ReadFile(away)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--db", db, "--archive", folder); status != exitFound || !strings.Contains(logs, "the archive is corrupt") || strings.Contains(logs, "the record is corrupt") {
		t.Errorf("a file that was cut: status %d: %s%s", status, out, logs)
	}
	// Nobody is sent to go on from a copy of the record, which takes the same files.
	if status, _, logs := backup("--db", db, "--archive", folder, filepath.Join(t.TempDir(), "copy.db")); status != exitFound || !strings.Contains(logs, "put a copy of the file back") || strings.Contains(logs, "Two people decide") {
		t.Errorf("a copy with a file that was cut: status %d: %s", status, logs)
	}
}
