package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"trey/internal/store/sqlite"
)

// A round with seven players, who bet on two wagers and decide, takes at most 8 KB in the
// record and 3 KB in the archive.
func TestSizeOfARound(t *testing.T) {
	const tables, few, many = 2, 8, 48
	m := newManyHouse(t, quickFolder(t), time.Minute.Milliseconds(), tables, "us-3cp")
	m.fullTable, m.players = true, 1
	sizeAfter := func(each int) int64 {
		t.Helper()
		s, _ := m.open()
		m.play(s, each)
		m.close(s)
		// A copy has no empty pages.
		copied := filepath.Join(t.TempDir(), "copy.db")
		m.must(sqlite.Copy(t.Context(), s.plan.Database, copied))
		info, err := os.Stat(copied)
		m.must(err)
		return info.Size()
	}
	before := sizeAfter(few)
	recorded := (sizeAfter(many-few) - before) / (tables * (many - few))
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
	if recorded > 8<<10 || recorded < 1<<10 {
		t.Errorf("a round takes %d bytes in the record", recorded)
	}
	if archived > 3<<10 || archived < 500 {
		t.Errorf("a round takes %d bytes in the archive", archived)
	}
}
