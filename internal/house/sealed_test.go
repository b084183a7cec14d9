package house_test

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/sealing"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/table"
)

// drawing keeps the seeds that a house draws, in their order.
func (s *site) drawing() *[]shuffle.Seed {
	var drawn []shuffle.Seed
	s.seed = func() shuffle.Seed {
		drawn = append(drawn, shuffle.Fresh())
		return drawn[len(drawn)-1]
	}
	s.restart()
	return &drawn
}

// holds reports whether the bytes have a seed in them, as it is or as text.
func holds(text []byte, seed shuffle.Seed) bool {
	digits := hex.EncodeToString(seed[:])
	return bytes.Contains(text, seed[:]) || bytes.Contains(bytes.ToLower(text), []byte(digits)) ||
		bytes.Contains(text, []byte(base64.RawStdEncoding.EncodeToString(seed[:])))
}

// linesOf returns what the transactions of a record say, which its bytes do not show. It
// looks into a copy of the files: whoever closes them again would let go of their lock.
func linesOf(t *testing.T, path string) (all []byte) {
	t.Helper()
	dir := t.TempDir()
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "copy.db"+end), text, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was only read
	if err := db.QueryRow("SELECT coalesce(group_concat(unpacked(line), char(10)), '') FROM tx").Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// No file of an open record, and no copy of it, holds a seed whose round has not
// ended; those of rounds that have ended are in it.
func TestNoFileHoldsASeedInPlay(t *testing.T) {
	s := newSiteOnFile(t)
	s.apart = true
	drawn := s.drawing()
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 4)})
	if len(*drawn) != 2 {
		t.Fatalf("%d seeds were drawn for two rounds", len(*drawn))
	}
	dir := filepath.Dir(s.path)
	if err := sqlite.Copy(ctx(), s.path, filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		t.Helper()
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		revealed := 0
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(dir, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(file.Name()) == ".db" {
				text = append(text, linesOf(t, filepath.Join(dir, file.Name()))...)
			}
			if holds(text, (*drawn)[1]) {
				t.Errorf("%s: %s holds the seed of the round in play", when, file.Name())
			}
			if holds(text, (*drawn)[0]) {
				revealed++
			}
		}
		if revealed < 2 { // in the record and in its copy
			t.Errorf("%s: the seed of the round that has ended is in %d files", when, revealed)
		}
	}
	look("open")
	s.restart()
	look("opened again")
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	look("closed")
}

// A house is not opened without the key of a seed in play, and nothing is changed.
func TestTheKeyIsNeeded(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.install("B", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	if got, err := house.SealedWith(ctx(), s.store); err != nil || !reflect.DeepEqual(got.Names(), sealing.Numbered(1).Names()) {
		t.Errorf("sealed with %v, %v", got, err)
	}
	before := s.kinds("table:A") + s.kinds("deal:A") + s.kinds("sealed:A")
	for name, keys := range map[string]house.Sealer{"another key": sealing.Numbered(2), "none": nil} {
		w := s.world()
		w.Sealer = keys
		_, _, err := house.Open(ctx(), s.store, w)
		if err == nil || keys != nil && !errors.Is(err, fair.ErrNoKey) || errors.Is(err, house.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := s.kinds("table:A") + s.kinds("deal:A") + s.kinds("sealed:A"); after != before {
		t.Errorf("the record holds %s", after)
	}
	s.restart()
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	s.proven("A", 1)
}

// The keys are exchanged in mid-round. The round goes on, after a start too; the next
// one is sealed with the new key, and then the older one is needed no more.
func TestRotationUnderPlay(t *testing.T) {
	s := newSite(t)
	drawn := s.drawing()
	old := sealing.Numbered(1)
	ring := sealing.NewRing(old)
	s.sealer = ring
	s.restart()
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 3)})
	both, err := old.Rotated()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := sealing.Parse(bytes.Replace(both.Text(), old.Text()[bytes.LastIndex(old.Text(), []byte("trey-seal-key")):], nil, 1))
	if err != nil || len(fresh.Names()) != 1 {
		t.Fatalf("%v, %v", fresh, err)
	}
	ring.Set(both)
	s.restart()
	s.sealer = fresh
	if _, _, err := house.Open(ctx(), s.store, s.world()); !errors.Is(err, fair.ErrNoKey) {
		t.Errorf("in mid-round without the older key: %v", err)
	}
	s.sealer = ring
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	if got, err := house.SealedWith(ctx(), s.store); err != nil || !slices.Equal(got.Names(), fresh.Names()) {
		t.Errorf("sealed with %v, want %v, %v", got, fresh.Names(), err)
	}
	s.sealer = fresh
	s.restart()
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	// The decks follow from the seeds as ever.
	for round := 1; round <= 2; round++ {
		if got := s.revealed("A", round); got != (*drawn)[round-1] {
			t.Errorf("round %d: %x is revealed, and %x was drawn", round, got, (*drawn)[round-1])
		}
		s.proven("A", round)
	}
}

// A record from before seeds were encrypted is opened, and its next seed is encrypted.
func TestSeedsFromBeforeTheyWereEncrypted(t *testing.T) {
	s := newSiteOnFile(t)
	drawn := s.drawing()
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.bet("A")
	body := fmt.Sprintf(`json('[{"kind":"seed-sealed","body":{"round":1,"seed":"%x"}}]')`, (*drawn)[0])
	s.edit(reset("sealed:A", "$.events", body))
	s.open()
	if got, err := house.SealedWith(ctx(), s.store); err != nil || len(got.Names()) != 0 {
		t.Errorf("sealed with %v, %v", got, err)
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
	s.proven("A", 1)
	if got, err := house.SealedWith(ctx(), s.store); err != nil || len(got.Names()) != 1 {
		t.Errorf("then sealed with %v, %v", got, err)
	}
	s.restart()
}
