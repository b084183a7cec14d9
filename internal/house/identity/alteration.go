package identity

import "trey/internal/house"

// Alteration names what an event of [Stream] does to an account that a copy of the record from
// before it would undo.
type Alteration uint8

const (
	// Unaltered leaves the account as it was.
	Unaltered Alteration = iota
	// Altered changes by what somebody signs in, or makes the account.
	Altered
	// RoleAltered gives the user another role.
	RoleAltered
	// ShutOut shuts the user out.
	ShutOut
	// LetIn lets a user in again who was shut out.
	LetIn
)

// alterations say what each kind of event does; a kind that is not here is unknown.
var alterations = map[string]Alteration{
	userAdded: Altered, roleChanged: RoleAltered, passwordSet: Altered, userDisabled: ShutOut, userEnabled: LetIn,
	factorEnrolled: Altered, factorRemoved: Altered, passkeyAdded: Altered, passkeyRemoved: Altered,
	// A recovery code that was used up would be good again.
	loggedIn: Unaltered, factorShown: Unaltered,
	// Sign-ins end and tokens are revoked where a house goes on from a copy, and proposals are declined.
	sessionsEnded: Unaltered, sessionEnded: Unaltered, tokenAdded: Unaltered, tokenRevoked: Unaltered,
	changeProposed: Unaltered, changeDeclined: Unaltered,
	loginFailed: Unaltered, passkeyRefused: Unaltered,
	// The name is erased by an event of its own.
	erasureAgreed: Unaltered,
}

// AlterationBy returns what an event of [Stream] does to an account, and to whose: a name, or
// what stands for it in the record. An error wraps [house.ErrCorrupt].
func AlterationBy(e house.Event) (name string, a Alteration, err error) {
	c, err := Events.Read(e)
	if err != nil {
		return "", Unaltered, err
	}
	a = alterations[e.Kind]
	if a == Unaltered && len(c.Codes) > 0 {
		a = Altered
	}
	return c.Name, a, nil
}
