package main

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// clockFile names the variable with the file by which a test sets the clock of a machine. It holds
// by how many milliseconds the clock is ahead.
const clockFile = "TREY_TEST_CLOCK"

// clockOf returns a clock that is set by a file. What is no number leaves it as it is.
func clockOf(file string) func() time.Time {
	var ahead atomic.Int64
	read := func() {
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		if ms, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			ahead.Store(ms)
		}
	}
	read()
	go func() {
		// Rarely: a machine that wakes every few milliseconds takes a fifth of all that its test takes.
		for range time.Tick(100 * time.Millisecond) {
			read()
		}
	}()
	return func() time.Time { return time.Now().Add(time.Duration(ahead.Load()) * time.Millisecond) }
}

// setClock has the clock that follows a file be ahead by some time, or behind.
func setClock(file string, ahead time.Duration) error {
	// A file that is written over is empty for a moment.
	next := file + ".next"
	if err := os.WriteFile(next, []byte(strconv.FormatInt(ahead.Milliseconds(), 10)), 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// The clock by which tests set that of a machine jumps there and back.
func TestAClockIsSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clock")
	now := clockOf(file)
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour, 0} {
		if err := setClock(file, ahead); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(patience); (time.Until(now()) - ahead).Abs() > time.Minute; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the clock is ahead by %s, and was set to %s", time.Until(now()), ahead)
			}
		}
	}
}
