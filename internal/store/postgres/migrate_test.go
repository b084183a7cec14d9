//go:build unix

package postgres_test

import (
	"database/sql"
	"fmt"
	"os"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"github.com/pressly/goose/v3"

	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// Tables of each earlier version are brought up, with the record that lies in them, and a
// house goes on from it.
func TestTablesOfEachEarlierVersionAreBroughtUp(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	files, err := os.ReadDir("migrations")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for version := range len(files) + 1 {
		t.Run(fmt.Sprint("from version ", version), func(t *testing.T) {
			at := newAddress(t)
			leaf := tree.Origin([32]byte{1, 2, 3}, "")
			if version > 0 {
				db, err := sql.Open("pgx", at)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close() //nolint:errcheck // it was used
				provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations"))
				if err == nil {
					_, err = provider.UpTo(t.Context(), int64(version))
				}
				if err == nil {
					_, err = db.ExecContext(t.Context(), "INSERT INTO origin (leaf) VALUES ($1)", leaf)
				}
				if err == nil {
					_, err = db.ExecContext(t.Context(), "INSERT INTO head (seq, epoch, node, address, until) VALUES (0, 7, 'n1', '', clock_timestamp())")
				}
				if err == nil && version > 1 {
					_, err = db.ExecContext(t.Context(), "INSERT INTO machine (address, node, seq, at) VALUES ('10.0.0.9:80', 'n9', 0, clock_timestamp() - interval '2 minutes')")
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			s := openAt(t, at, patient)
			if version > 0 && (string(s.Origin()) != string(leaf) || s.Epoch() != 8) {
				t.Errorf("the record is %q in epoch %d", s.Origin(), s.Epoch())
			}
			if h, err := s.Machines(t.Context()); err != nil || version > 1 && (len(h.Machines) != 1 || h.Machines[0].Reads.Tables != 0) {
				t.Errorf("the machines are %+v, %v", h.Machines, err)
			}
			if done := <-s.Append(said("A", 0)); done.Err != nil || done.Seq != 1 {
				t.Fatalf("it does not go on: %+v", done)
			}
			if n := query(t, at, "SELECT max(version_id) FROM goose_db_version WHERE is_applied"); n != int64(len(files)) {
				t.Errorf("the tables have version %d, and there are %d", n, len(files))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := postgres.Dump(t.Context(), at, func(row.Tables) error { return nil }); err != nil {
				t.Errorf("it cannot be copied: %v", err)
			}
		})
	}
}
