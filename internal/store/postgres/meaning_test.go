//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/money"
)

// explained reports an error that is there without what it means, or that begins with what the
// server says.
func explained(t *testing.T, what string, err, want error) {
	t.Helper()
	var refused *pgconn.PgError
	switch {
	case err == nil:
		t.Errorf("%s: no error", what)
	case !errors.Is(err, want):
		t.Errorf("%s: %v, want what wraps %v", what, err, want)
	case errors.As(err, &refused) && strings.HasPrefix(err.Error(), refused.Error()):
		t.Errorf("%s begins with what the server says: %v", what, err)
	case strings.Count(err.Error(), want.Error()) > 1, strings.Count(err.Error(), house.ErrFailed.Error()) > 1:
		t.Errorf("%s says twice what it means: %v", what, err)
	}
}

// conductAt carries out a statement on a connection of its own, by a superuser.
func conductAt(t *testing.T, address, text string) {
	t.Helper()
	if err := conduct(address, text); err != nil {
		t.Fatal(err)
	}
}

func conduct(address, text string) error {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	_, err = conn.Exec(ctx, text).ReadAll()
	return err
}

// with returns an address with another value of a parameter.
func with(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := u.Query()
	values.Set(name, value)
	u.RawQuery = values.Encode()
	return u.String()
}

// A house that cannot be opened says what keeps it from that.
func TestOpeningNamesWhatAnErrorMeans(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	if err := openAt(t, at, patient).Close(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	conductAt(t, at, `CREATE ROLE "`+name+`_guest" LOGIN`)
	for what, test := range map[string]struct {
		address string
		want    error
	}{
		"no server":          {"postgres://trey@" + nobody + "/trey", postgres.ErrAway},
		"no database":        {strings.Replace(at, u.Path, u.Path+"x", 1), postgres.ErrNoDatabase},
		"no user":            {strings.Replace(at, "postgres@", "nobody_at_all@", 1), postgres.ErrNotLetIn},
		"no privilege":       {strings.Replace(at, "postgres@", name+"_guest@", 1), postgres.ErrForbidden},
		"it is only read":    {with(t, at, "default_transaction_read_only", "on"), postgres.ErrReadOnly},
		"a statement's time": {with(t, at, "statement_timeout", "1"), postgres.ErrGivenUp},
	} {
		s, err := postgres.Open(t.Context(), test.address, soon)
		if err == nil {
			if what == "a statement's time" {
				t.Log("the server was faster than a millisecond")
				_ = s.Close()
				continue
			}
			t.Fatalf("%s: it was opened", what)
		}
		explained(t, what, err, test.want)
		if what == "no server" || what == "no database" {
			_, err := postgres.Place(t.Context(), test.address)
			explained(t, what+", a place", err, test.want)
			_, err = postgres.Holds(t.Context(), test.address)
			explained(t, what+", what it holds", err, test.want)
			explained(t, what+", a dump", postgres.Dump(t.Context(), test.address, nil), test.want)
			_, err = postgres.OpenDoor(t.Context(), test.address, soon)
			explained(t, what+", a door", err, test.want)
		}
	}
}

// readsOf are all ways to read a record.
func readsOf(s *postgres.Store) map[string]func() error {
	ctx := context.Background()
	return map[string]func() error{
		"Find":     func() error { _, err := s.Find(ctx, "k"); return err },
		"Read":     func() error { return s.Read(ctx, "A", 0, func(house.StoredEvent) error { return nil }) },
		"Read on":  func() error { return s.Read(ctx, "A", 1, func(house.StoredEvent) error { return nil }) },
		"ReadAll":  func() error { return s.ReadAll(ctx, 0, "", func(house.StoredTransaction) error { return nil }) },
		"Rounds":   func() error { return s.Rounds(ctx, "A", 0, 9, func(house.RoundMark) error { return nil }) },
		"Snapshot": func() error { _, err := s.Snapshot(ctx, "A", -1); return err },
		"Movements": func() error {
			return s.Movements(ctx, ledger.Account{Kind: ledger.Player, Of: "#1"}, 0, 9, func(house.Movement) error { return nil })
		},
		"Balances": func() error {
			_, err := s.Balances(ctx, func(ledger.Account, money.Amount) error { return nil })
			return err
		},
		"Names":       func() error { return s.Names(ctx, 0, func(people.Name) error { return nil }) },
		"Nodes":       func() error { _, err := s.Nodes(ctx, 1, 0, 1); return err },
		"LeafTexts":   func() error { _, err := s.LeafTexts(ctx, 1, 1); return err },
		"Leaves":      func() error { return s.Leaves(ctx, 0, func(house.Leaf) error { return nil }) },
		"StillWriter": func() error { return s.StillWriter(ctx) },
		"Machines":    func() error { _, err := s.Machines(ctx); return err },
	}
}

// Every error of the server has a meaning for whoever reads and writes a record.
func TestReadsAndWritesNameWhatAnErrorMeans(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	for name, test := range map[string]struct {
		harm  string
		end   bool // whether the store is closed
		want  error
		write error
	}{
		"tables are missing": {
			harm: "ALTER TABLE key RENAME TO k1; ALTER TABLE tx RENAME TO t1; ALTER TABLE part RENAME TO p1; ALTER TABLE snapshot RENAME TO s1; ALTER TABLE movement RENAME TO m1; ALTER TABLE account RENAME TO a1; ALTER TABLE name RENAME TO n1; ALTER TABLE node RENAME TO n2; ALTER TABLE head RENAME TO h1",
			want: house.ErrCorrupt, write: house.ErrCorrupt,
		},
		"it is closed": {end: true, want: house.ErrFailed, write: house.ErrFailed},
	} {
		t.Run(name, func(t *testing.T) {
			at := newAddress(t)
			s := openAt(t, at, patient)
			if done := <-s.Append(said("A", 0)); done.Err != nil {
				t.Fatal(done.Err)
			}
			if test.harm != "" {
				conductAt(t, at, test.harm)
			}
			if test.end {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			for what, read := range readsOf(s) {
				explained(t, what, read(), test.want)
			}
			done := <-s.Append(said("A", 1))
			explained(t, "Append", done.Err, test.write)
			if !errors.Is(done.Err, house.ErrFailed) {
				t.Errorf("the store goes on: %v", done.Err)
			}
			_ = s.Close() // it was closed, or has failed
		})
	}
}

// A write that the server refuses ends the store, and says why. The server says each of these of
// itself: a full disk, two that wait for each other, data that it has found damaged.
func TestWritesNameWhatAnErrorMeans(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	if err := openAt(t, at, patient).Close(); err != nil {
		t.Fatal(err)
	}
	conductAt(t, at, `CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN END $$ LANGUAGE plpgsql;
		CREATE TRIGGER refuse BEFORE INSERT ON tx FOR EACH ROW EXECUTE FUNCTION refuse()`)
	for _, test := range []struct {
		name, code string
		want       error
	}{
		{"a full disk", "53100", postgres.ErrNoRoom},
		{"no memory", "53200", postgres.ErrNoRoom},
		{"a quota", "58030", postgres.ErrBrokenServer},
		{"a serialization failure", "40001", postgres.ErrContested},
		{"a deadlock", "40P01", postgres.ErrContested},
		{"a statement that took too long", "57014", postgres.ErrGivenUp},
		{"a lock that took too long", "55P03", postgres.ErrGivenUp},
		{"the end of the server", "57P01", postgres.ErrAway},
		{"a standby", "25006", postgres.ErrReadOnly},
		{"a privilege", "42501", postgres.ErrForbidden},
		{"a statement that a pooler lost", "26000", postgres.ErrPooled},
		{"a statement of another client of a pooler", "42P05", postgres.ErrPooled},
		{"damaged data", "XX001", house.ErrCorrupt},
		{"an index", "XX002", house.ErrCorrupt},
		{"a row that is there", "23505", postgres.ErrContested},
	} {
		t.Run(test.name, func(t *testing.T) {
			conductAt(t, at, `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'as a test has it' USING ERRCODE = '`+test.code+`'; END $$ LANGUAGE plpgsql`)
			s := openAt(t, at, patient)
			defer s.Close() //nolint:errcheck // it has failed
			done := <-s.Append(said("A", 0))
			explained(t, "Append", done.Err, test.want)
			if !errors.Is(done.Err, house.ErrFailed) {
				t.Errorf("the store goes on: %v", done.Err)
			}
			if n := query(t, at, "SELECT count(*) FROM tx"); n != 0 {
				t.Errorf("%d transactions are there", n)
			}
		})
	}
}
