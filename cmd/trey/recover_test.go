package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/notary"
	"trey/internal/store/sqlite"
)

// TestRecover holds that whoever owns the machine lets somebody in by a password that is
// changed first, that the record says so, and that two accounts of theirs are one person.
func TestRecover(t *testing.T) {
	folder := t.TempDir()
	db := filepath.Join(folder, "house.db")
	cost := identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}
	open := func() (*sqlite.Store, *identity.Directory) {
		t.Helper()
		store, err := sqlite.Open(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		people, err := identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader, Cost: cost})
		if err != nil {
			t.Fatal(err)
		}
		return store, people
	}
	store, people := open()
	if _, err := notary.Open(t.Context(), signingBeside(db), store); err != nil {
		t.Fatal(err)
	}
	hash, err := identity.HashPassword("a password that is lost", cost, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := people.Ensure(t.Context(), "house.toml", []identity.Initial{
		{Name: "ada", Role: access.Administrator, Hash: hash}, {Name: "sam", Role: access.ShiftManager, Hash: hash},
	}); err != nil {
		t.Fatal(err)
	}
	ada := identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "a test"}
	if _, err := people.Disable(t.Context(), ada, "sam"); err != nil {
		t.Fatal(err)
	}
	recovered := func(password string, args ...string) (int, string) {
		var out, logs bytes.Buffer
		status := run(append([]string{"recover"}, args...), strings.NewReader(password+"\n"), &out, &logs)
		return status, out.String() + logs.String()
	}
	if status, said := recovered("the first password", "ada", "--db", db, "--why", "a test"); status == 0 {
		t.Errorf("an open house is recovered: %s", said)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][]string{
		{"the first password", "ada", "--db", db},
		{"the first password", "ada", "--why", "a test"},
		{"the first password", "ada", "--db", filepath.Join(folder, "other.db"), "--why", "a test"},
		{"the first password", "sam", "--db", db, "--signing", filepath.Join(folder, "none"), "--why", "a test"},
		{"the first password", "max", "--role", "king", "--db", db, "--why", "a test"},
		{"short", "ada", "--db", db, "--why", "a test"},
	} {
		if status, said := recovered(wrong[0], wrong[1:]...); status == 0 {
			t.Errorf("%q: %s", wrong, said)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "other.db")); err == nil {
		t.Error("a record was made where there was none")
	}
	signing := filepath.Join(folder, "elsewhere")
	copyFolder(t, signingBeside(db), signing)
	if status, said := recovered("the first password", "nobody", "--db", db, "--why", "a test"); status != exitUsage || !strings.Contains(said, "say with --role") {
		t.Errorf("somebody whom the house does not know: %d %s", status, said)
	}
	for _, right := range [][]string{
		{"the first password", "sam", "--db", db, "--signing", signing, "--why", "locked out"},
		{"the first password", "max", "--role", "administrator", "--db", db, "--why", "locked out"},
	} {
		if status, said := recovered(right[0], right[1:]...); status != 0 || !strings.Contains(said, "changes the password first") {
			t.Fatalf("%q: %d %s", right, status, said)
		}
	}
	if altered, err := alteredIn(signing); err != nil || len(altered.People) == 0 {
		t.Errorf("what a copy lacks is said beside the key as %+v, %v", altered, err)
	}
	store, people = open()
	defer store.Close() //nolint:errcheck // it was read
	for name, role := range map[string]access.Role{"sam": access.ShiftManager, "max": access.Administrator} {
		token, s, err := people.Login(t.Context(), identity.Credentials{Name: name, Password: "the first password"})
		if err != nil || s.Role != role || !s.PasswordDue {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if _, err := people.Check(token); !errors.Is(err, identity.ErrPasswordDue) {
			t.Errorf("%s goes on with the password that somebody else chose: %v", name, err)
		}
	}
	sam, second := access.Person{Name: "sam", Role: access.ShiftManager}, access.Person{Name: "max", Role: access.Administrator}
	if err := people.Independent(second, 0, sam); !errors.Is(err, identity.ErrDependent) {
		t.Errorf("two accounts that one person recovered: %v", err)
	}
	if err := people.Independent(ada.By, 0, sam); err != nil {
		t.Errorf("one of them and somebody else: %v", err)
	}
	kinds := map[string]int{}
	if err := store.Read(t.Context(), identity.Stream, 0, func(r house.StoredEvent) error {
		if strings.Contains(string(r.Body), `"by":"the operator of the machine","why":"locked out"`) {
			kinds[r.Kind]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if kinds["user-enabled"] != 1 || kinds["password-set"] != 1 || kinds["user-added"] != 1 || len(kinds) != 3 {
		t.Errorf("the record has %v", kinds)
	}
}

// Into an older copy that somebody has put in the place of the record nothing is written: no house
// would open from it.
func TestNothingIsWrittenIntoAnOlderCopy(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	text, err := os.ReadFile(l.copied)
	if err == nil {
		err = os.WriteFile(l.db, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"recover", "ada", "--config", l.config, "--why", "a test"},
		{"erase-name", "ann", "--config", l.config},
	} {
		var out, logs bytes.Buffer
		if status := run(args, strings.NewReader("the first password\n"), &out, &logs); status != exitFound || !strings.Contains(logs.String(), "open the newest record") {
			t.Errorf("%s: status %d: %s%s", args[0], status, out.String(), logs.String())
		}
	}
	store, err := sqlite.Open(t.Context(), l.db)
	if err != nil {
		t.Fatal(err)
	}
	if got := store.Head().Size - 1; got != l.through {
		t.Errorf("the copy goes up to %d, and went up to %d", got, l.through)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// TestNothingIsWrittenWithoutTheKey holds that what writes into a record takes the key that signs for
// it: where the folder of another key is named, or one without a key or without what was signed last,
// nothing is recorded, no key is made, nothing is written into that folder, and it is said what to do.
func TestNothingIsWrittenWithoutTheKey(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	lost := l.db + ".lost"
	if err := os.Rename(lost, l.db); err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(t.TempDir(), "before")
	copyFolder(t, signingBeside(l.db), before)
	rotated(t, l.db)
	const named, copied = "name the folder of", "Copy the folder of the key"
	folders := map[string]struct {
		make func(folder string)
		says string
	}{
		"no key": {func(string) {}, named},
		"a key without a checkpoint": {func(folder string) {
			copyFolder(t, signingBeside(l.db), folder)
			if err := os.Remove(filepath.Join(folder, "checkpoint")); err != nil {
				t.Fatal(err)
			}
		}, "whether it is the newest cannot be told"},
		"a checkpoint without a key": {func(folder string) {
			copyFolder(t, signingBeside(l.db), folder)
			if err := os.Remove(filepath.Join(folder, "signing.key")); err != nil {
				t.Fatal(err)
			}
		}, named},
		"a key that was replaced": {func(folder string) { copyFolder(t, before, folder) }, copied},
		"a key of another record": {func(folder string) { copyFolder(t, signingBeside(signedHouse(t)), folder) }, "Name the folder that belongs to this record"},
	}
	recorded := func() (size int64) {
		t.Helper()
		store, err := sqlite.Open(t.Context(), l.db)
		if err != nil {
			t.Fatal(err)
		}
		size = store.Head().Size
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		return size
	}
	size := recorded()
	for what, folder := range folders {
		for _, args := range [][]string{
			{"recover", "kim", "--config", l.config, "--why", "a test"},
			{"erase-name", "ann", "--config", l.config},
			{"keys", "rotate-signing", "--config", l.config},
		} {
			signing := t.TempDir()
			folder.make(signing)
			was := textsIn(t, signing)
			var out, logs bytes.Buffer
			status := run(append(args, "--signing", signing), strings.NewReader("the first password\n"), &out, &logs)
			if said := strings.ToLower(logs.String()); status == 0 || !strings.Contains(said, strings.ToLower(folder.says)) {
				t.Errorf("%s with %s: status %d: %s%s", args[0], what, status, &out, &logs)
			}
			if textsIn(t, signing) != was {
				t.Errorf("%s with %s has changed the folder", args[0], what)
			}
		}
	}
	if now := recorded(); now != size {
		t.Errorf("the record had %d leaves, and has %d", size, now)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"recover", "kim", "--db", l.db, "--signing", file, "--why", "a test"},
		{"archive", "--before", "2020-01", "--db", l.db, "--signing", file},
		{"audit", "--db", l.db, "--signing", file},
		{"backup", filepath.Join(t.TempDir(), "copy.db"), "--db", l.db, "--signing", file},
		{"recover", "kim", "--db", "postgres://trey@127.0.0.1:1/none", "--why", "a test"},
		{"move", "--from", "postgres://trey@127.0.0.1:1/none", "--to", "postgres://trey@127.0.0.1:1/other", "--why", "a test"},
	} {
		var out, logs bytes.Buffer
		if status := run(args, strings.NewReader("the first password\n"), &out, &logs); status != exitUsage || !strings.Contains(logs.String(), "with --signing") {
			t.Errorf("%q: status %d: %s%s", args, status, &out, &logs)
		}
	}
	// Whose disk is not there at the moment has an empty folder in its place.
	if err := os.Rename(l.db, lost); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	status, out, logs := l.restore(both, l.copied, "--signing", empty, "--by", "sam", "--and", "ada", "--why", "the disk failed")
	if status != exitUsage || !strings.Contains(logs, "name the folder of the house's key with --signing; if the key is lost, move "+empty+" away") || !missing(l.db) {
		t.Errorf("restore: status %d: %s%s", status, out, logs)
	}
	if left := textsIn(t, empty); left != "" {
		t.Errorf("restore has left %s", left)
	}
	status, out, logs = l.restore(both, l.copied, "--signing", signingBeside(signedHouse(t)), "--by", "sam", "--and", "ada", "--why", "the disk failed")
	if status != exitFound || !strings.Contains(logs, "or the folder of the key of that one with --signing") || !missing(l.db) {
		t.Errorf("restore with the key of another record: status %d: %s%s", status, out, logs)
	}
}
