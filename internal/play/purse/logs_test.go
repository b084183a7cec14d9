package purse_test

import (
	"os"
	"path/filepath"
	"testing"

	"trey/internal/play/purse"
)

func TestLogsAreNeverOverwritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "rounds")
	logs, err := purse.NewLogs(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"round-000007.jsonl", "round-000007-2.jsonl", "round-000007-3.jsonl"} {
		path, err := logs.Write(7, []byte{byte('a' + i)})
		if err != nil || path != filepath.Join(dir, want) {
			t.Fatalf("%s, %v, want %s", path, err, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "round-000007.jsonl")); err != nil || string(text) != "a" {
		t.Errorf("the first says %q, %v", text, err)
	}
}

func TestLogsThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rounds")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	logs, err := purse.NewLogs(file)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := logs.Write(1, nil); err == nil || path != "" {
		t.Errorf("written to %q below a file", path)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}
