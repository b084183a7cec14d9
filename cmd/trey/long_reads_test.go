package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
)

// recordOfOne returns a record with one transaction.
func recordOfOne(ctx context.Context, t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // nothing is written after this
	tx := &house.Transaction{
		AtMs: 1, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet", Body: []byte("{}")},
		Parts: []house.StreamAppend{{Stream: "A", Events: []house.Event{{Kind: "bet", Body: []byte("{}")}}}},
	}
	if r := <-store.Append(tx); r.Err != nil {
		t.Fatal(r.Err)
	}
	return store
}

// TestLongReadsLeaveRoomForCommands holds that a command finds its key while more people read all of
// the record than the store has connections, and that they read it in turns.
func TestLongReadsLeaveRoomForCommands(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store := recordOfOne(ctx, t)
	record, reading, goOn := newLongReads(store), make(chan struct{}), make(chan struct{})
	const many = 8
	ended := make(chan error, many)
	for i := range many {
		go func() {
			ended <- record.ReadAll(admission.For(ctx, fmt.Sprint("person ", i)), 0, "", func(house.StoredTransaction) error {
				reading <- struct{}{}
				<-goOn
				return nil
			})
		}()
	}
	for range longReadsAtOnce {
		<-reading
	}
	short, end := context.WithTimeout(ctx, 20*time.Second)
	defer end()
	if _, err := store.Find(short, "a key"); !errors.Is(err, house.ErrNotFound) {
		t.Errorf("a command finds of its key: %v", err)
	}
	left, leave := context.WithCancel(ctx)
	leave()
	if err := record.ReadAll(left, 0, "", func(house.StoredTransaction) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("somebody who has left: %v", err)
	}
	go func() {
		for range many - longReadsAtOnce {
			<-reading
		}
	}()
	close(goOn)
	for range many {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestLongReadsAreFairToPersons holds that somebody who asks for many reports at once reads for one
// of them at a time, and that another who comes later does not wait for them.
func TestLongReadsAreFairToPersons(t *testing.T) {
	t.Parallel()
	store := recordOfOne(t.Context(), t)
	record, goOn := newLongReads(store), make(chan struct{})
	var now atomic.Int32
	read := func(person string, meanwhile func()) error {
		return record.ReadAll(admission.For(t.Context(), person), 0, "", func(house.StoredTransaction) error {
			meanwhile()
			return nil
		})
	}
	const many = 50
	ended := make(chan error, many)
	for range many {
		go func() {
			ended <- read("ann", func() {
				now.Add(1)
				<-goOn
				now.Add(-1)
			})
		}()
	}
	steady.Await(t, "the first is read for", func() bool { return now.Load() > 0 })
	later := make(chan error, 1)
	go func() { later <- read("ben", func() {}) }()
	select {
	case err := <-later:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("somebody waits for all that another asked for")
	}
	if now := now.Load(); now != 1 {
		t.Errorf("the record is read %d times at once for one person", now)
	}
	close(goOn)
	for range many {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
