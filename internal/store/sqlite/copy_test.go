package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/store/sqlite"
)

func event(stream string, after int64) *house.Transaction {
	return &house.Transaction{Parts: []house.StreamAppend{{Stream: stream, After: after, Events: []house.Event{{Kind: "k", Body: []byte(`{}`)}}}}}
}

// counted returns the number of transactions in a record, which have to follow each other.
func counted(t *testing.T, path string) (n int64) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it was read
	err = s.ReadAll(t.Context(), 0, "", func(e house.StoredTransaction) error {
		if n++; e.Seq != n {
			return fmt.Errorf("transaction %d follows %d", e.Seq, n-1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Copies of a record that is being written hold everything that was acknowledged
// before they were asked for, and are records of their own: without a log, for their
// owner alone, and open to be written to. The record goes on.
func TestCopiesOfAnOpenRecord(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "house.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var written int64
	var mu sync.Mutex
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	defer writing.Wait()
	defer stop()
	writing.Go(func() {
		for n := int64(0); ctx.Err() == nil; n++ {
			if done := <-s.Append(event("house", n)); done.Err != nil {
				t.Error(done.Err)
				return
			}
			mu.Lock()
			written = n + 1
			mu.Unlock()
		}
	})
	soFar := func() int64 {
		mu.Lock()
		defer mu.Unlock()
		return written
	}
	for i := range 5 {
		for soFar() < int64(20*i) {
			if ctx.Err() != nil || t.Failed() {
				t.FailNow()
			}
		}
		before := soFar()
		to := filepath.Join(folder, fmt.Sprintf("copy %d?.db", i))
		if err := sqlite.Copy(ctx, path, to); err != nil {
			t.Fatal(err)
		}
		after := soFar()
		info, err := os.Stat(to)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		// Another transaction may have been written and not told yet.
		if n := counted(t, to); n < before || n > after+1 {
			t.Errorf("the copy holds %d transactions; %d were written before it and %d after", n, before, after)
		}
		if err := sqlite.Copy(ctx, path, to); !errors.Is(err, sqlite.ErrThere) {
			t.Errorf("a copy takes the place of another: %v", err)
		}
	}
	stop()
	writing.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := counted(t, path); n != soFar() {
		t.Errorf("the record holds %d of %d transactions", n, soFar())
	}
	left, err := filepath.Glob(filepath.Join(folder, "*.part*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// What a crash has left is copied with what lies in its log, and stays as it is for
// the house.
func TestACopyOfWhatACrashLeft(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, err := sqlite.Open(t.Context(), filepath.Join(folder, "first.db"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(3) {
		if done := <-s.Append(event("house", n)); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	path := filepath.Join(folder, "house.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(filepath.Join(folder, "first.db") + end)
		if err == nil {
			err = os.WriteFile(path+end, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Copy(t.Context(), path, filepath.Join(folder, "copy.db")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"copy.db", "house.db", "copy.db"} {
		if n := counted(t, filepath.Join(folder, name)); n != 3 {
			t.Errorf("%s holds %d transactions", name, n)
		}
	}
}

func TestCopiesThatAreRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(folder, "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadFile(filepath.Join(folder, "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(folder, "house.db")
	for name, test := range map[string]struct {
		from, to string
		want     error
	}{
		"no record":           {filepath.Join(folder, "none.db"), "", os.ErrNotExist},
		"noise":               {file("noise.db", strings.Repeat("noise ", 2000)), "", sqlite.ErrOtherFile},
		"empty":               {file("empty.db", ""), "", sqlite.ErrOtherFile},
		"its log is missing":  {file("alone.db", string(open)), "", sqlite.ErrGone},
		"no such folder":      {good, filepath.Join(folder, "none", "copy.db"), os.ErrNotExist},
		"into itself":         {good, good, sqlite.ErrThere},
		"into something else": {good, file("letter.txt", "Dear Ann"), sqlite.ErrThere},
		"beside a log":        {good, strings.TrimSuffix(file("lost.db-wal", "written last"), "-wal"), sqlite.ErrThere},
	} {
		to := test.to
		if to == "" {
			to = filepath.Join(folder, name+".copy")
		}
		if err := sqlite.Copy(t.Context(), test.from, to); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(to); test.to == "" && err == nil {
			t.Errorf("%s: something is there", name)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, "letter.txt")); err != nil || string(text) != "Dear Ann" {
		t.Errorf("%q, %v", text, err)
	}
}

// A record is copied from where nothing can be written: an auditor has it on a disk that is
// only read, or in the folder of somebody else. Nothing can be written beside it here because
// the names of what SQLite keeps there point to a folder that is not there.
func TestCopyFromWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(3) {
		if done := <-s.Append(event("house", n)); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Nor is anything written beside it where it could be.
	if err := sqlite.Copy(t.Context(), path, filepath.Join(t.TempDir(), "to.db")); err != nil {
		t.Fatal(err)
	}
	if beside, err := os.ReadDir(filepath.Dir(path)); err != nil || len(beside) != 1 {
		t.Errorf("beside the record lie %v, %v", beside, err)
	}
	put := func(log []byte) (at string) {
		at = filepath.Join(t.TempDir(), "copy.db")
		nowhere := filepath.Join(t.TempDir(), "none", "file")
		if err := errors.Join(os.WriteFile(at, data, 0o400), os.Symlink(nowhere, at+"-shm")); err != nil {
			t.Skip(err)
		}
		if log == nil {
			err = os.Symlink(nowhere, at+"-wal")
		} else {
			err = os.WriteFile(at+"-wal", log, 0o400)
		}
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	to := filepath.Join(t.TempDir(), "to.db")
	if err := sqlite.Copy(t.Context(), put(nil), to); err != nil {
		t.Fatal(err)
	}
	if n := counted(t, to); n != 3 {
		t.Errorf("the copy holds %d of 3 transactions", n)
	}

	// What was written last lies in a log that cannot be read there.
	to = filepath.Join(t.TempDir(), "to.db")
	err = sqlite.Copy(t.Context(), put([]byte("what was written last")), to)
	if err == nil || !strings.Contains(err.Error(), "copy both files into another folder") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a copy without the log: %v", err)
	}
}

func TestCopyOfAFolder(t *testing.T) {
	t.Parallel()
	err := sqlite.Copy(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "to.db"))
	if !errors.Is(err, sqlite.ErrOtherFile) || !strings.Contains(err.Error(), "directory") {
		t.Errorf("%v", err)
	}
}
