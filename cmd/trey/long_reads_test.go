package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/store/sqlite"
)

// TestLongReadsLeaveRoomForCommands holds that a command finds its key while more requests read all of
// the record than the store has connections, and that they read it in turns.
func TestLongReadsLeaveRoomForCommands(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // nothing is written after this
	tx := &house.Transaction{
		AtMs: 1, Cause: house.Cause{By: "ann", Role: "player", Kind: "bet", Body: []byte("{}")},
		Parts: []house.StreamAppend{{Stream: "A", Events: []house.Event{{Kind: "bet", Body: []byte("{}")}}}},
	}
	if r := <-store.Append(tx); r.Err != nil {
		t.Fatal(r.Err)
	}
	record, reading, goOn := newLongReads(store), make(chan struct{}), make(chan struct{})
	const many = 8
	ended := make(chan error, many)
	for range many {
		go func() {
			ended <- record.ReadAll(ctx, 0, "", func(house.StoredTransaction) error {
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
