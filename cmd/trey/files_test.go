package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file that is too long is refused before it fills the memory: this one says that it
// has a tebibyte.
func TestLongFilesAreRefusedUnread(t *testing.T) {
	name := filepath.Join(t.TempDir(), "long.toml")
	if err := os.WriteFile(name, []byte("base = 'us-3cp'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skipf("no file of holes here: %v", err)
	}
	for _, test := range []struct{ args, want string }{
		{"variant check FILE", "the most that a variant has"},
		{"variant show FILE", "the most that a variant has"},
		{"odds --variant FILE", "the most that a variant has"},
		{"settle --variant FILE --jsonl", "the most that a variant has"},
		{"rules --variant FILE", "the most that a variant has"},
		{"play --plain --variant FILE", "the most that a variant has"},
		{"scenario FILE", "the most that a scenario has"},
		{"config check FILE", "the most that a house.toml has"},
		{"serve --config FILE", "the most that a house.toml has"},
		{"verify FILE", "longer than 16777216 bytes"},
		{"replay FILE", "longer than 16777216 bytes"},
		{"play --plain --balance FILE", "not a record of this program"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var stdout, stderr bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(test.args, "FILE", name))
		if got := run(args, strings.NewReader(""), &stdout, &stderr); got == 0 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: status %d, %.300q", test.args, got, stderr.String())
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 512<<20 {
			t.Errorf("%s takes %d bytes", test.args, used)
		}
	}
}

// So is standard input.
func TestLongInputIsRefused(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"verify -", "longer than 16777216 bytes"},
		{"replay -", "longer than 16777216 bytes"},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(strings.Fields(test.args), endless{}, &stdout, &stderr); got == 0 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: status %d, %.300q", test.args, got, stderr.String())
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A key with 100,000 dots and lists inside lists are refused at once.
func TestDeepKeysAreRefusedQuickly(t *testing.T) {
	for _, deep := range []string{
		strings.Repeat("a.", 100_000) + "a = 1",
		"[" + strings.Repeat("a.", 100_000) + "a]",
		"a = " + strings.Repeat("[", 300_000),
	} {
		name := filepath.Join(t.TempDir(), "deep.toml")
		if err := os.WriteFile(name, []byte("base = 'us-3cp'\n"+deep+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"variant check ", "odds --variant ", "config check ", "settle --jsonl --variant "} {
			var stdout, stderr bytes.Buffer
			got := run(strings.Fields(args+name), strings.NewReader(""), &stdout, &stderr)
			if got == 0 || stderr.Len() > 1000 || !strings.Contains(stderr.String(), "more than 32 ") {
				t.Errorf("%s: status %d, %.400q", args, got, stderr.String())
			}
		}
	}
}
