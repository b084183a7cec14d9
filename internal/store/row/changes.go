package row

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/tree"
	"trey/money"
)

// Changes returns by how much a transaction changed the accounts whose movements are kept, in
// the order of its postings. An error wraps [house.ErrCorrupt].
func Changes(leaf *house.Leaf) (changes []ledger.Change, err error) {
	all, err := allChanges(leaf)
	return slices.DeleteFunc(all, func(c ledger.Change) bool { return !house.Traced(c.Account.Kind) }), err
}

// allChanges returns by how much a transaction changed accounts, in the order of its postings.
func allChanges(leaf *house.Leaf) (changes []ledger.Change, err error) {
	if string(leaf.Line.Postings) == "[]" {
		return nil, nil
	}
	var postings []ledger.Posting
	if err := json.Unmarshal(leaf.Line.Postings, &postings); err != nil {
		return nil, fmt.Errorf("%w: transaction %d: %w", house.ErrCorrupt, leaf.Seq, err)
	}
	for i := range postings {
		for _, a := range []ledger.Account{postings[i].From, postings[i].To} {
			if slices.ContainsFunc(changes, func(c ledger.Change) bool { return c.Account == a }) {
				continue
			}
			by, err := ledger.Net(a, postings)
			if err != nil {
				return nil, fmt.Errorf("%w: transaction %d: %w", house.ErrCorrupt, leaf.Seq, err)
			}
			changes = append(changes, ledger.Change{Account: a, By: by})
		}
	}
	return slices.DeleteFunc(changes, func(c ledger.Change) bool { return c.By == 0 }), nil
}

// Kept counts the rows of a table that belong to the transactions so far.
type Kept struct {
	From  string // the table, with what of it
	What  string // the words for it
	Found int64  // how many were looked for, and are there
}

// Surplus says of which table more is kept than was recorded; empty is none. The function counts
// what is kept.
func Surplus(all []Kept, count func(from string) (int64, error)) (string, error) {
	for _, k := range all {
		kept, err := count(k.From)
		if err != nil {
			return "", err
		}
		if kept != k.Found {
			return fmt.Sprintf("up to it %d %s were recorded, and %d are kept", k.Found, k.What, kept), nil
		}
	}
	return "", nil
}

// Beside lists what both databases keep beside the transactions up to the last one.
func Beside(keys, parts, movements, last int64) []Kept {
	return []Kept{
		{"origin", "texts of leaf 0", 1},
		{"key", "idempotency keys", keys},
		{"part", "parts of streams", parts},
		{"movement", "movements of accounts", movements},
		{"node", "nodes of the tree", tree.Kept(last + 1)},
		{"name WHERE number < 1", "names without a number", 0}, // nobody reads those
	}
}

// Movements follows what the accounts hold whose movements are kept, and holds the movements
// that a store keeps against it.
type Movements struct {
	// Held is what the accounts hold after the transactions so far.
	Held map[ledger.Account]money.Amount
	// Found is the number of movements that were searched for and found.
	Found int64
	// last is by account the last transaction that changed it, also where no movements are kept.
	last map[string]int64
}

// NewMovements returns what follows a record from its first transaction on.
func NewMovements() *Movements {
	return &Movements{Held: map[ledger.Account]money.Amount{}, last: map[string]int64{}}
}

// See returns by how much the next transaction changed the accounts whose movements are kept,
// and takes note of all that it changed. An error wraps [house.ErrCorrupt].
func (m *Movements) See(leaf *house.Leaf) ([]ledger.Change, error) {
	changes, err := allChanges(leaf)
	for _, c := range changes {
		m.last[c.Account.String()] = leaf.Seq
	}
	return slices.DeleteFunc(changes, func(c ledger.Change) bool { return !house.Traced(c.Account.Kind) }), err
}

// Accounts says what is wrong with the numbers that are kept of the last transactions that
// changed accounts; empty is nothing.
func (m *Movements) Accounts(kept Rows) (fault string, err error) {
	found := 0
	err = kept(func(rows *sql.Rows) error {
		var name string
		var seq int64
		if err := rows.Scan(&name, &seq); err != nil {
			return err
		}
		found++
		if last, known := m.last[name]; fault == "" && (!known || last != seq) {
			fault = fmt.Sprintf("up to it transaction %d was the last to change %s, and %d is kept as that", last, name, seq)
		}
		return nil
	})
	if fault == "" && found != len(m.last) {
		fault = fmt.Sprintf("up to it %d accounts were changed, and %d are kept", len(m.last), found)
	}
	return fault, err
}

// Fault says what is wrong with the movements that are kept of a transaction, the next one; empty
// is nothing. The function returns the one that is kept of an account: the error is
// [sql.ErrNoRows] where there is none.
func (m *Movements) Fault(leaf *house.Leaf, kept func(ledger.Account) (delta, balance int64, err error)) (fault string, err error) {
	changes, err := m.See(leaf)
	if err != nil {
		return fmt.Sprintf("what it moved cannot be read: %v", err), nil
	}
	for _, c := range changes {
		m.Found++
		after := m.Held[c.Account] + c.By
		delta, balance, err := kept(c.Account)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			fault = fmt.Sprintf("it moved %s by %s, and that is not among its movements", c.Account, c.By.Display())
		case err != nil:
			return "", err
		case delta != int64(c.By) || balance != int64(after):
			fault = fmt.Sprintf("it moved %s by %s to %s, and its movements say by %s to %s",
				c.Account, c.By.Display(), after.Display(), money.Amount(delta).Display(), money.Amount(balance).Display())
			after = money.Amount(balance) // so that the next one is held to itself alone
		}
		m.Held[c.Account] = after
	}
	return fault, nil
}
