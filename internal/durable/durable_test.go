package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"trey/internal/durable"
)

// holds reports whether a folder holds one file with this text, for its owner alone.
func holds(t *testing.T, path, want string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v", files, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("it holds %q, %v, want %q", text, err, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"one", "another", ""} {
		if err := durable.Write(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		holds(t, path, text)
	}
	if err := durable.Write(filepath.Join(path, "below"), nil, 0o600); err == nil {
		t.Error("a file is a folder")
	}
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := durable.Create(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.Create(path, []byte("yours"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("there is one already: %v", err)
	}
	holds(t, path, "mine")
}

// What cannot come to its place leaves nothing behind, and what was there stays.
func TestPlaceFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := durable.Write(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	why := errors.New("no")
	if err := durable.Place(path, []byte("after"), 0o600, func(string) error { return why }); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "before")
}
