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
	if err := os.Mkdir(signing, 0o700); err != nil {
		t.Fatal(err)
	}
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
