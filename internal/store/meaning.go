// Package store has what the stores of a house share: the error by which each says what an error of
// its database means.
package store

import "fmt"

// Meaning is an error of a database with what it means for the record of a house.
type Meaning struct {
	// Means is the error that the store documents, and Why that of the database.
	Means, Why error
	// More says what else is so, or what to do about it; empty where Why says enough.
	More string
}

// Error says what it means and more of that, and at the end what the database says.
func (m *Meaning) Error() string {
	if m.More != "" {
		return fmt.Sprintf("%v: %s: %v", m.Means, m.More, m.Why)
	}
	return fmt.Sprintf("%v: %v", m.Means, m.Why)
}

// Unwrap returns what it means and what the database says.
func (m *Meaning) Unwrap() []error { return []error{m.Means, m.Why} }
