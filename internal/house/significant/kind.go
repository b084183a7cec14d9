// Package significant is the closed register of significant events: what somebody who
// was away, or who answers for the house to others, has to know of. The events follow
// from the record alone. Each kind of event that the record can hold is decided
// significant or not, and a kind that nobody has decided about is an error.
//
// Nothing in the register depends on a card that lies face down: an entry holds what may
// be read of its event while the round is in play.
package significant

import (
	"errors"
	"fmt"

	"trey/internal/enum"
)

// Kind is a group of significant events.
type Kind uint8

// The kinds. The zero value is none of them.
const (
	_ Kind = iota
	// SignInRefused is a wrong password, code or passkey, or an unknown name.
	SignInRefused
	// SignIn is a sign-in of a user, or the end of sessions.
	SignIn
	// RoleGiven is a new user or machine, or another role of a user.
	RoleGiven
	// AccountChanged is a change of a password, a second factor, a passkey or a token, and of
	// whether a user may sign in.
	AccountChanged
	// TwoPeople is a proposal that a second person approved or declined.
	TwoPeople
	// Exclusion is a player who may not play, or not everywhere.
	Exclusion
	// LimitBroken is a bet or a deposit that a limit, a pause or an exclusion refused.
	LimitBroken
	// RulesChanged is a new table, or other rules, another mode or pace of one.
	RulesChanged
	// Floor is a table or the house that was opened or closed.
	Floor
	// Interruption is a fault, or the end of one: a table that stopped, a technical
	// interruption.
	Interruption
	// Void is a round or a hand that does not count.
	Void
	// Ruling is a decision of a person at a table.
	Ruling
	// Jackpot is a jackpot that was paid, or taken back.
	Jackpot
	// Meter is a change of a meter or of its terms by hand, and a failure of its system.
	Meter
	// Software is a check of the program and of its books.
	Software
	// Clock is a reading of the machine's clock that could not be taken.
	Clock
	// Disk is a record that could not be written.
	Disk
	// Delivery is a register that could not be sent to another machine in time.
	Delivery
	// Restored is a house that goes on from a copy of its record.
	Restored
	// Moved is a house that goes on from its record in another store.
	Moved
	// SigningKey is another key that signs for the record.
	SigningKey
	numKinds
)

var kindKeys = enum.New("a kind of event", numKinds, []string{
	SignInRefused: "sign-in-refused", SignIn: "sign-in", RoleGiven: "role-given", AccountChanged: "account-changed", TwoPeople: "two-people",
	Exclusion: "exclusion", LimitBroken: "limit-broken", RulesChanged: "rules-changed", Floor: "floor", Interruption: "interruption",
	Void: "void", Ruling: "ruling", Jackpot: "jackpot", Meter: "meter", Software: "software", Clock: "clock", Disk: "disk", Delivery: "delivery", Restored: "restored", Moved: "moved", SigningKey: "signing-key",
})

// Kinds lists every kind.
func Kinds() []Kind { return kindKeys.All() }

// String returns the key, such as "sign-in-refused".
func (k Kind) String() string { return kindKeys.Key(k) }

// ErrKind is wrapped by the error about a kind that is not in the register.
var ErrKind = errors.New("the register has no such kind of event")

// ParseKind reads a key.
func ParseKind(text string) (Kind, error) {
	k, err := kindKeys.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrKind, err)
	}
	return k, nil
}

// MarshalText writes the key.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the key.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKind(string(text))
	return err
}
