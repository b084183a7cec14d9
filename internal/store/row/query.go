package row

import (
	"database/sql"
	"errors"
	"fmt"
	"math"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/tree"
	"trey/money"
)

// Rows runs a query and hands each of its rows to a function. It ends with the first error of
// that function and returns it.
type Rows func(one func(*sql.Rows) error) error

// FromNewest returns the bound below which a query hands out the newest first: a number above all
// others where zero asks for the newest.
func FromNewest(before int64) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return before
}

// FirstAfter returns the least number below high from which on a stream has events after a version,
// and high where there is none. At returns the first place of the stream from a number on: its
// number, and the version at its end. Versions rise with numbers, so what is left is halved.
func FirstAfter(version, high int64, at func(from int64) *sql.Row) (int64, error) {
	low := int64(0) // all before it ends at that version or earlier
	for low < high {
		middle := low + (high-low)/2
		var n, ends int64
		err := at(middle).Scan(&n, &ends)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			high = middle
		case err != nil:
			return 0, err
		case ends <= version:
			low = n + 1
		default:
			high = middle
		}
	}
	return low, nil
}

// ReadRounds hands out where rounds begin, of rows: round, number of the transaction, time and
// version of the stream before it.
func ReadRounds(rows Rows, yield func(house.RoundMark) error) error {
	return rows(func(rows *sql.Rows) error {
		var m house.RoundMark
		if err := rows.Scan(&m.Round, &m.Seq, &m.AtMs, &m.Version); err != nil {
			return err
		}
		return yield(m)
	})
}

// ReadMovements hands out what moved an account, of rows: a transaction, what it moved and what the
// account held then.
func ReadMovements(rows Rows, of ledger.Account, yield func(house.Movement) error) error {
	return rows(func(rows *sql.Rows) error {
		var m house.Movement
		var found Row
		if err := rows.Scan(append(found.Fields(), &m.Delta, &m.After)...); err != nil {
			return err
		}
		e, err := found.Entry()
		if err != nil {
			return err
		}
		m.Seq, m.AtMs, m.Cause, m.Postings = e.Seq, e.AtMs, e.Cause, house.Touching(of, e.Postings)
		return yield(m)
	})
}

// ReadBalances hands out what accounts hold, of rows: name, sum and the last transaction, which it
// returns.
func ReadBalances(rows Rows, yield func(ledger.Account, money.Amount) error) (seq int64, err error) {
	err = rows(func(rows *sql.Rows) error {
		var name string
		var held int64
		if err := rows.Scan(&name, &held, &seq); err != nil {
			return err
		}
		a, err := ledger.ParseAccount(name)
		if err != nil {
			return fmt.Errorf("%w: %w", house.ErrCorrupt, err)
		}
		return yield(a, money.Amount(held))
	})
	return seq, err
}

// Sessions is the query for [ReadSessions].
const Sessions = "SELECT id, name, guest, epoch, since_ms, seen_ms FROM session"

// ReadSessions hands out the sessions of rows. They are no part of the record: one with an ID that
// no browser can have is over, and stops no house.
func ReadSessions(rows Rows, yield func(identity.KeptSession) error) error {
	return rows(func(rows *sql.Rows) error {
		var kept identity.KeptSession
		var id []byte
		if err := rows.Scan(&id, &kept.Name, &kept.Guest, &kept.Epoch, &kept.SinceMs, &kept.SeenMs); err != nil {
			return err
		}
		if len(id) != len(kept.ID) {
			return nil
		}
		kept.ID = identity.SessionID(id)
		return yield(kept)
	})
}

// ReadNames hands out the names of persons of rows: number, salt and name.
func ReadNames(rows Rows, yield func(people.Name) error) error {
	return rows(func(rows *sql.Rows) error {
		var n people.Name
		var salt []byte
		var text sql.NullString
		if err := rows.Scan(&n.Number, &salt, &text); err != nil {
			return err
		}
		if copy(n.Salt[:], salt); len(salt) != len(n.Salt) && len(salt) > 0 {
			n.Salt = people.Salt{1} // one of another length is none that was drawn
		}
		n.Text = text.String
		return yield(n)
	})
}

// errGap ends a reading in which a row does not follow the one before it.
var errGap = errors.New("a row is missing")

// ReadNodes returns so many hashes of one level of the tree, from one on, of rows with their
// number and hash in the order of the numbers. The error wraps [house.ErrCorrupt] where one is
// missing.
func ReadNodes(rows Rows, level int, first int64, count int) ([]tree.Hash, error) {
	found := make([]tree.Hash, 0, count)
	err := rows(func(rows *sql.Rows) error {
		var n int64
		var hash []byte
		if err := rows.Scan(&n, &hash); err != nil {
			return err
		}
		if n != first+int64(len(found)) || len(hash) != len(tree.Hash{}) {
			return errGap
		}
		found = append(found, tree.Hash(hash))
		return nil
	})
	if errors.Is(err, errGap) || err == nil && len(found) < count {
		err = fmt.Errorf("%w: node %d of level %d of its tree is missing", house.ErrCorrupt, first+int64(len(found)), level)
	}
	return found, err
}

// ReadLeafTexts appends the texts of leaves to those found from one on, until there are so
// many, of rows with [Columns] in the order of the transactions. The error wraps
// [house.ErrCorrupt] where one is missing.
func ReadLeafTexts(rows Rows, found [][]byte, first int64, count int) ([][]byte, error) {
	err := rows(func(rows *sql.Rows) error {
		var r Row
		if err := rows.Scan(r.Fields()...); err != nil {
			return err
		}
		if r.Seq != first+int64(len(found)) {
			return errGap
		}
		leaf, err := r.Leaf()
		if err != nil {
			return err
		}
		found = append(found, leaf.Text())
		return nil
	})
	if errors.Is(err, errGap) || err == nil && len(found) < count {
		err = fmt.Errorf("%w: transaction %d is missing", house.ErrCorrupt, first+int64(len(found)))
	}
	return found, err
}

// LeafHashes returns the hashes of leaves, which are the nodes of level 0.
func LeafHashes(texts [][]byte, err error) ([]tree.Hash, error) {
	found := make([]tree.Hash, 0, len(texts))
	for _, text := range texts {
		found = append(found, tree.LeafHash(text))
	}
	return found, err
}
