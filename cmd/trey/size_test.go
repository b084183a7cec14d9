package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"trey/internal/steady"
	"trey/internal/store/sqlite"
)

// A round with seven players, who bet on two wagers and decide, takes at most 8 KB in the
// record and 3 KB in the archive. With a bet of each on the progressive too, which is seven
// transactions more, it takes at most 9 and 3 KB.
func TestSizeOfARound(t *testing.T) {
	for i, of := range []struct {
		book                             string
		transactions, recorded, archived int64
	}{
		{"rws-3cp", 33, 9 << 10, 3 << 10},
		{"us-3cp", 26, 8 << 10, 3 << 10},
	} {
		if !steady.Turn(i, 2) {
			continue
		}
		t.Run(of.book, func(t *testing.T) {
			t.Parallel()
			sizeOfARound(t, of.book, of.transactions, of.recorded, of.archived)
		})
	}
}

func sizeOfARound(t *testing.T, book string, transactions, mostRecorded, mostArchived int64) {
	t.Helper()
	const tables, few, many = 2, 8, 48
	m := newManyHouse(t, quickFolder(t), time.Minute.Milliseconds(), tables, book)
	m.fullTable, m.players = true, 1
	sizeAfter := func(each int) (size, recorded int64) {
		t.Helper()
		s, _ := m.open()
		recorded = s.store.Head().Size
		m.play(s, each)
		recorded = s.store.Head().Size - recorded
		m.close(s)
		// A copy has no empty pages.
		copied := filepath.Join(t.TempDir(), "copy.db")
		m.must(sqlite.Copy(t.Context(), s.plan.Database, copied))
		info, err := os.Stat(copied)
		m.must(err)
		return info.Size(), recorded
	}
	before, _ := sizeAfter(few)
	after, made := sizeAfter(many - few)
	const rounds = tables * (many - few)
	if made < rounds*transactions {
		t.Fatalf("%d transactions a round", made/rounds)
	}
	recorded := (after - before) / rounds
	db := filepath.Join(filepath.Dir(m.config), "house.db")
	folder := t.TempDir()
	if out, err := archiveLater(t, db, folder); err != nil {
		t.Fatal(out, err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	m.must(err)
	archived := int64(0)
	for _, file := range files {
		info, err := os.Stat(file)
		m.must(err)
		archived += info.Size()
	}
	archived /= tables * many
	t.Logf("a round takes %d bytes in the record and %d in the archive", recorded, archived)
	if recorded > mostRecorded || recorded < 1<<10 {
		t.Errorf("a round takes %d bytes in the record", recorded)
	}
	if archived > mostArchived || archived < 500 {
		t.Errorf("a round takes %d bytes in the archive", archived)
	}
}
