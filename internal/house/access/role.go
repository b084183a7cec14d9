package access

import (
	"fmt"

	"trey/internal/enum"
	"trey/rules"
)

// Role is the function of a person in the house.
type Role uint8

// The roles. The zero value is none of them, and may do nothing.
const (
	_ Role = iota
	// Guest plays for play money and has no name of their own.
	Guest
	// Player plays with an account of their own.
	Player
	// Dealer runs tables.
	Dealer
	// PitSupervisor watches over tables and decides what the books leave to the supervisor.
	PitSupervisor
	// ShiftManager is the highest authority on the floor, and the second person
	// for what takes two.
	ShiftManager
	// Cashier takes money in and pays it out.
	Cashier
	// Surveillance sees everything exposed and the whole log, and changes
	// nothing. It is also the role of a regulator and of a machine that watches.
	Surveillance
	// Administrator installs and configures the house and manages its users, and does not
	// play, deal or move money.
	Administrator
	// Auditor proves the record of a running house from its transactions, reads what is
	// looked at afterwards, and changes nothing.
	Auditor
	numRoles
)

var roleKeys = enum.New("a role", numRoles, []string{
	Guest: "guest", Player: "player", Dealer: "dealer", PitSupervisor: "pit-supervisor",
	ShiftManager: "shift-manager", Cashier: "cashier", Surveillance: "surveillance",
	Administrator: "administrator", Auditor: "auditor",
})

var roleWords = [numRoles]string{
	Guest: "a guest", Player: "a player", Dealer: "a dealer", PitSupervisor: "a pit supervisor",
	ShiftManager: "a shift manager", Cashier: "a cashier", Surveillance: "surveillance",
	Administrator: "an administrator", Auditor: "an auditor",
}

// Roles lists every role.
func Roles() []Role { return roleKeys.All() }

// Valid reports whether there is such a role.
func (r Role) Valid() bool { return roleKeys.Has(r) }

// String returns the role's key, such as "pit-supervisor".
func (r Role) String() string { return roleKeys.Key(r) }

// Words names the role in a sentence, such as "a pit supervisor".
func (r Role) Words() string {
	if !r.Valid() {
		return "nobody known"
	}
	return roleWords[r]
}

// ParseRole reads a role's key.
func ParseRole(text string) (Role, error) {
	r, err := roleKeys.Parse(text)
	if err == nil {
		return r, nil
	}
	if meant := rules.Nearest(text, roleKeys.List()); meant != "" {
		return 0, fmt.Errorf("%w; did you mean %s?", err, meant)
	}
	return 0, err
}

// MarshalText writes the role's key.
func (r Role) MarshalText() ([]byte, error) { return roleKeys.Marshal(r) }

// UnmarshalText reads a role's key.
func (r *Role) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRole(string(text))
	return err
}

// AtTable returns the function in which the role acts at a table, zero if it has none there. A
// guest is a player like any other.
func (r Role) AtTable() rules.Role {
	switch r {
	case Guest, Player:
		return rules.Player
	case Dealer:
		return rules.Dealer
	case PitSupervisor:
		return rules.PitSupervisor
	case ShiftManager:
		return rules.ShiftManager
	case Cashier, Surveillance, Administrator, Auditor:
		return 0
	default:
		return 0
	}
}
