package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/row"
)

// A record that somebody has edited so that it does not end where its table head says is found by
// the start, which would fail at its first write again and again, and by whoever copies it for an
// audit: the table is in no copy.
func TestARecordEndsAtItsHead(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, soon)
	for n := range int64(3) {
		appended(t, s, said("a", n))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, edit, back string
		start, copied    string // empty is no fault
	}{
		{"nothing", "SELECT 1", "SELECT 1", "", ""},
		{"an earlier head", "UPDATE head SET seq = 2", "UPDATE head SET seq = 3", "tx ends with transaction 3, and its table head says 2", "tx ends with transaction 3, and its table head says 2"},
		{"a later head", "UPDATE head SET seq = 4", "UPDATE head SET seq = 3", "tx ends with transaction 3, and its table head says 4", "tx ends with transaction 3, and its table head says 4"},
		{"one more transaction", "INSERT INTO tx SELECT 4, at_ms, salt, line, mark FROM tx WHERE seq = 3", "DELETE FROM tx WHERE seq = 4", "tx ends with transaction 4, and its table head says 3", "tx ends with transaction 4, and its table head says 3"},
		{"one more part", "INSERT INTO part SELECT stream, 64, 3, 1, 0 FROM part WHERE id = 48", "DELETE FROM part WHERE id = 64", "the stream a has a part of transaction 4, and the last one is 3", ""},
		{"no head", "DELETE FROM head", "UPDATE head SET seq = 3", "tx ends with transaction 3, and its table head says 0", "its table head is empty"},
	} {
		execute(t, at, test.edit)
		err := postgres.Dump(t.Context(), at, func(row.Tables) error { return nil })
		check := func(of string, err error, want string) {
			t.Helper()
			if (err != nil) != (want != "") || err != nil && (!errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v; want %q", test.name, of, err, want)
			}
		}
		check("a copy", err, test.copied)
		opened, err := postgres.Open(context.Background(), at, soon)
		check("the start", err, test.start)
		if opened != nil {
			if err := opened.Close(); err != nil {
				t.Fatal(err)
			}
		}
		execute(t, at, test.back)
	}
}

// Where another process becomes the writer while one reads where the record ends, the record grows
// under it. That is told as it is, and is no fault of the record.
func TestARecordThatGrowsWhileItIsOpenedIsNotCorrupt(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	s := openAt(t, at, soon)
	appended(t, s, said("a", 0))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := query(t, at, "SELECT epoch FROM head")
	for _, other := range []bool{true, false} {
		locked := hold(t, at, "LOCK TABLE tx IN ACCESS EXCLUSIVE MODE")
		opened := make(chan error, 1)
		go func() {
			s, err := postgres.Open(context.Background(), at, soon)
			if s != nil {
				err = errors.Join(err, s.Close())
			}
			opened <- err
		}()
		steady.Await(t, "a writer that reads where the record ends", func() bool { return query(t, at, "SELECT epoch FROM head") > before })
		edit := "INSERT INTO tx SELECT seq + 1, at_ms, salt, line, mark FROM tx ORDER BY seq DESC LIMIT 1"
		if other { // as the next writer does, whose lease has ended by then
			edit += "; UPDATE head SET seq = seq + 1, epoch = epoch + 1, until = clock_timestamp()"
		}
		if _, err := locked.Exec(t.Context(), edit); err != nil {
			t.Fatal(err)
		}
		if err := locked.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := <-opened
		if errors.Is(err, house.ErrCorrupt) == other || errors.Is(err, house.ErrFailed) != other {
			t.Errorf("written to by another process: %t; %v", other, err)
		}
		execute(t, at, "DELETE FROM tx WHERE seq = (SELECT max(seq) FROM tx)")
		execute(t, at, "UPDATE head SET seq = (SELECT max(seq) FROM tx)")
		before = query(t, at, "SELECT epoch FROM head")
	}
}
