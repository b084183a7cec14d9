package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/tree"
)

// watching is a witness that runs in this process.
type watching struct {
	*heard
	address, key, folder string
	stop                 func()
}

func startWitness(t *testing.T, folder, listen string) *watching {
	t.Helper()
	w := &watching{heard: &heard{lines: make(chan struct{}, 1), over: make(chan struct{})}, folder: folder}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		s, flush := newStreams(strings.NewReader(""), w.heard, w.heard)
		cmd := witnessCommand{Folder: folder, Name: "witness.example/w1", Listen: listen}
		err := cmd.serve(ctx, s)
		flush()
		if err != nil {
			fmt.Fprintln(w.heard, err)
		}
		over <- err
		close(w.heard.over)
	}()
	w.address = w.wait(t, `listens at (http://\S+)`)
	w.key = w.wait(t, `Key +(\S+)`)
	w.stop = func() {
		t.Helper()
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}
	return w
}

// knows has the witness know a house by its key.
func (w *watching) knows(t *testing.T, key string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, "houses"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
}

// until asks a house until an answer fits.
func (o *opened) until(t *testing.T, path string, fits func(status int, body string) bool) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		status, body := o.get(t, path)
		if fits(status, body) {
			return body
		}
		if time.Now().After(end) {
			t.Fatalf("%s is %d %s in the end", path, status, body)
		}
	}
}

// One line that is no key keeps a witness from cosigning for any house: whoever runs it sees that
// at the start and while it runs.
func TestWitnessReportsWhatKeepsIt(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "witness")
	w := startWitness(t, folder, "127.0.0.1:0")
	w.knows(t, "<html>\x1b[31m\n")
	answer, err := http.Post(w.address+"/add-checkpoint", "text/plain", strings.NewReader("old 0\n\nhouse.example/a\n")) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusInternalServerError {
		t.Errorf("%d, %v", answer.StatusCode, err)
	}
	w.wait(t, `the witness cosigns nothing now: .*houses:1: this is no key`)
	w.stop()
	w = startWitness(t, folder, "127.0.0.1:0")
	w.wait(t, `the witness cosigns nothing now: .*houses:1: this is no key`)
	w.stop()
}

// A second witness does not begin in the folder of one that runs: with one key and one memory for both
// they could cosign two records of a house.
func TestOneWitnessHasAFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nobody is kept out on this system")
	}
	folder := filepath.Join(t.TempDir(), "witness")
	w := startWitness(t, folder, "127.0.0.1:0")
	over, cancel := context.WithCancel(t.Context())
	cancel() // in case it begins all the same
	s, flush := newStreams(strings.NewReader(""), io.Discard, io.Discard)
	second := witnessCommand{Folder: folder, Listen: "127.0.0.1:0"}
	if err := second.serve(over, s); !errors.Is(err, errFolderHeld) {
		t.Errorf("a second witness: %v", err)
	}
	flush()
	w.stop()
	w = startWitness(t, folder, "127.0.0.1:0")
	w.stop()
}

// A house is cosigned as it goes on, goes on without its witness, and is stopped where
// its owner puts record and key of an earlier day back: the witness alone knows then.
func TestWitnessOfAHouse(t *testing.T) {
	t.Parallel()
	witnessFolder := filepath.Join(t.TempDir(), "witness")
	w := startWitness(t, witnessFolder, "127.0.0.1:0")
	folder := t.TempDir()
	config := filepath.Join(folder, "house.toml")
	text := fmt.Sprintf("%s\n[witnesses.w]\nurl = %q\nkey = %q\n", quick, w.address, w.key)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config})
	if status, body := o.get(t, "/log/witnessed"); status != http.StatusNotFound {
		t.Errorf("cosigned by a witness that does not know it: %d %s", status, body)
	}
	o.logs.wait(t, `goes on without a witness`)
	_, key := o.get(t, "/log/key")
	w.knows(t, key)
	v, err := tree.ParseCosignatureVerifier(w.key)
	if err != nil {
		t.Fatal(err)
	}
	house, err := note.NewVerifier(strings.TrimSpace(key))
	if err != nil {
		t.Fatal(err)
	}
	cosigned := func(status int, body string) bool {
		opened, err := note.Open([]byte(body), note.VerifierList(v, house))
		return status == http.StatusOK && err == nil && len(opened.Sigs) == 2
	}
	first := o.until(t, "/log/checkpoint", cosigned) // nothing has happened since
	o.logs.wait(t, `the witness cosigns again`)
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	earlier := filepath.Join(t.TempDir(), "earlier")
	if err := os.CopyFS(earlier, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	// The next day: more happens, and is cosigned.
	o = start(t, serveCommand{Config: config})
	o.until(t, "/log/witnessed", func(status int, body string) bool {
		return cosigned(status, body) && leaves(t, body) > leaves(t, first)
	})
	w.stop()
	if err := o.stop(t); err != nil { // the house closes without its witness
		t.Fatal(err)
	}
	w = startWitness(t, witnessFolder, strings.TrimPrefix(w.address, "http://"))
	o = start(t, serveCommand{Config: config})
	_, now := o.get(t, "/log/checkpoint")
	o.until(t, "/log/witnessed", func(status int, body string) bool {
		return cosigned(status, body) && leaves(t, body) >= leaves(t, now)
	})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(earlier, "house.keys"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--config", config, "--checkpoint", filepath.Join(folder, "house.signing", "witnessed"), "--key", key, "--witness", w.key); status != 0 || !strings.Contains(out, "witness      proven: witness.example/w1 saw it at 20") {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
	if status, _, logs := auditRun("--config", config, "--witness", strings.Replace(w.key, "w1", "w2", 1)); status != exitUsage || !strings.Contains(logs, "not the key of a witness") {
		t.Errorf("audit with no key: status %d: %s", status, logs)
	}
	// Everything on the machine is put back. The house itself cannot know.
	o = start(t, serveCommand{Config: filepath.Join(earlier, "house.toml")})
	if err := o.ended(t); err == nil || !strings.Contains(err.Error(), "a witness does not cosign the record") || !strings.Contains(err.Error(), "Keep the record") {
		t.Errorf("the house closes with %v", err)
	}
	// The newest record goes on from what the witness saw, and proves it.
	o = start(t, serveCommand{Config: config})
	_, now = o.get(t, "/log/checkpoint")
	o.until(t, "/log/witnessed", func(status int, body string) bool {
		return cosigned(status, body) && leaves(t, body) >= leaves(t, now)
	})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	w.stop()
}

// leaves returns the size of the tree of a checkpoint.
func leaves(t *testing.T, checkpoint string) int64 {
	t.Helper()
	text, _, _ := strings.Cut(checkpoint, "\n\n")
	head, err := tree.ParseCheckpoint(text + "\n")
	if err != nil {
		t.Fatalf("%q: %v", checkpoint, err)
	}
	return head.Size
}
