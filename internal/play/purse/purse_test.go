package purse_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/internal/play"
	"trey/internal/play/purse"
)

func keep(t *testing.T, f *purse.File, a play.Account) {
	t.Helper()
	if err := f.Keep(a); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsMadeAndReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "balance.json")
	f, a, notice, err := purse.Open(path)
	if err != nil || notice != "" || a.Balance != 100_000 {
		t.Fatalf("%v %q %s", err, notice, a.Balance)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening alone made a file")
	}
	a.Balance = 12_345
	keep(t, f, a)
	_, again, notice, err := purse.Open(path)
	if err != nil || notice != "" || again.Balance != 12_345 {
		t.Errorf("%v %q %s", err, notice, again.Balance)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file lie %v (%v)", entries, err)
	}
}

func TestDamagedFilesAreKeptAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "balance.json")
	for i, text := range []string{"", "{", "{\"version\":1,\"balance\":-5}", "hello"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, a, notice, err := purse.Open(path)
		if err != nil || a.Balance != 100_000 {
			t.Fatalf("%q: %v, balance %s", text, err, a.Balance)
		}
		aside := path + ".damaged"
		if i > 0 {
			aside += "-" + string(rune('1'+i))
		}
		if !strings.Contains(notice, aside) {
			t.Errorf("%q: the notice %q does not name %s", text, notice, aside)
		}
		if got, err := os.ReadFile(aside); err != nil || string(got) != text {
			t.Errorf("%q: kept as %q (%v)", text, got, err)
		}
		keep(t, f, a)
	}
}

func TestNewerFilesStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "balance.json")
	const text = `{"version":99,"balance":5}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := purse.Open(path); !errors.Is(err, play.ErrNewer) || !strings.Contains(err.Error(), "--balance") {
		t.Errorf("error %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file is now %q (%v)", got, err)
	}
}

func TestDirectoryIsNoFile(t *testing.T) {
	if _, _, _, err := purse.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "--balance") {
		t.Errorf("error %v", err)
	}
}

func TestTwoSessionsDoNotOverwriteEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "balance.json")
	one, a, _, err := purse.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, one, a)
	other, b, _, err := purse.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	b.Balance = 1
	keep(t, other, b)
	a.Balance = 2
	if err := one.Keep(a); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("error %v", err)
	}
	b.Balance = 3
	keep(t, other, b)
}

func TestFailureLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "balance.json")
	f, a, _, err := purse.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	keep(t, f, a)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A file where the directory should be: nothing can be written there, by
	// whomever.
	blocked, _, _, err := purse.Open(filepath.Join(path, "inside", "balance.json"))
	if err == nil {
		if err := blocked.Keep(a); err == nil {
			t.Error("written into a file as if it were a directory")
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(before) {
		t.Errorf("the file is now %q (%v)", now, err)
	}
}
