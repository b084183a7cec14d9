package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/store/sqlite"
)

// The hold on a record lies on the record: whoever removes the files beside it opens
// no second house, by its name or another, and the first one plays on.
func TestOneHouseWhateverIsRemovedBesideItsRecord(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	record := filepath.Join(folder, "house.db")
	o := start(t, serveCommand{DB: record})
	if err := os.Remove(record + ".lock"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	other := filepath.Join(folder, "linked.db")
	if err := os.Link(record, other); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{record, other} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		second := exec.CommandContext(ctx, "trey", "serve", "--listen", "127.0.0.1:0", "--db", path)
		text, err := second.CombinedOutput()
		cancel()
		if err == nil || !strings.Contains(string(text), "Another trey has it open") {
			t.Errorf("a second house on %s: %v\n%s", path, err, text)
		}
		if store, err := sqlite.Open(t.Context(), path); !errors.Is(err, sqlite.ErrInUse) {
			t.Errorf("the process of the house opened %s again: %v, %v", path, store, err)
		}
	}
	// The attempts took nothing from the first house: it still writes, and another
	// process still finds it there.
	answer, err := http.Post(o.address+"/api/v1/guests", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close() //nolint:errcheck // nothing is read
	if answer.StatusCode != http.StatusCreated {
		t.Errorf("a guest: %s", answer.Status)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
	again := start(t, serveCommand{DB: record})
	if err := again.stop(t); err != nil {
		t.Error(err)
	}
}
