//go:build unix

package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"trey/internal/steady"
)

// The record could not be written at one machine, and another has become the writer meanwhile:
// that is in the record all the same, once.
func TestAFailureIsRecordedByAnotherMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	former, next := nodes[0], nodes[1]
	w.admit()
	eye := w.lives["eye"]
	former.signal(syscall.SIGSTOP)
	next.becomes("writer")
	former.signal(syscall.SIGCONT)
	former.becomes("door")
	failures := func() int {
		got := eye.insist(t, next.url, http.MethodGet, "/api/v1/reports/significant-events?event=disk", "")
		if got.status != http.StatusOK {
			t.Fatalf("the report of significant events: %d %s", got.status, got.text)
		}
		return strings.Count(got.text, "record-failed")
	}
	for deadline := time.Now().Add(patience); failures() == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is not recorded")
		}
	}
	steady.Await(t, "a file that is removed, so that it is not recorded again", func() bool { return missing(filepath.Join(former.signing, failureFile)) })
	if n := failures(); n != 1 {
		t.Errorf("it is recorded %d times", n)
	}
}
