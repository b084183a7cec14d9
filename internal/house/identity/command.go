package identity

import (
	"fmt"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/stored"
)

// The kinds of commands that are not named by the one event that they come to.
const (
	addFirstUsers = "add-first-users"
	recoverAccess = "recover"
)

// Commands are the kinds of commands about users and machines, which stand as causes. Each
// is named by the event that it comes to; two come to several events. All of them are of
// one type, and stored as they are.
var Commands = stored.NewTable(
	"command",
	asks(userAdded), asks(roleChanged), asks(passwordSet), asks(userDisabled), asks(userEnabled), asks(sessionsEnded),
	asks(tokenAdded), asks(tokenRevoked), asks(loggedIn), asks(loginFailed), asks(sessionEnded),
	asks(factorEnrolled), asks(factorRemoved), asks(factorShown), asks(passkeyAdded), asks(passkeyRemoved), asks(passkeyRefused),
	asks(changeProposed), asks(changeDeclined), asks(erasureAgreed),
	asks(addFirstUsers), asks(recoverAccess),
)

func asks(kind string) stored.Kind[asked] { return stored.Own[asked, asked](kind) }

// asked holds the arguments of a change to a user or a machine. Not every kind uses every
// field.
type asked struct {
	Name string      `json:"name,omitempty"`
	Role access.Role `json:"role,omitzero"`
	// EndsMs is the time at which the token ends.
	EndsMs int64 `json:"ends_ms,omitempty"`
	// Token is the token's number.
	Token string `json:"token,omitempty"`
	// Session names the session to end.
	Session string `json:"session,omitempty"`
	// Passkey is the number of a passkey.
	Passkey string `json:"passkey,omitempty"`
	Label   string `json:"label,omitempty"`
	// Proposal is the number of a change that takes two people.
	Proposal int64      `json:"proposal,omitempty"`
	Change   ChangeKind `json:"change,omitzero"`
	Why      string     `json:"why,omitempty"`
}

// asked returns what of a change was asked for.
func (c *change) asked() asked {
	return asked{
		Name: c.Name, Role: c.Role, EndsMs: c.EndsMs, Token: c.Token, Session: c.Session, Passkey: c.Passkey, Label: c.Label,
		Proposal: c.Proposal, Change: c.Change, Why: c.Why,
	}
}

// CheckCause refuses the cause of a transaction about users and machines that is not
// stored as this program stores it, with an error that says what would read it.
func CheckCause(c *house.Cause) error {
	_, err := Commands.Read(house.Event{Kind: c.Kind, Body: c.Body})
	return err
}

// causeOf returns a command as the cause of a transaction.
func causeOf(by access.Person, kind string, a asked) (house.Cause, error) {
	written, err := Commands.WriteAs(kind, a)
	if err != nil {
		return house.Cause{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return house.Cause{By: by.Name, Role: by.Role.String(), Kind: written.Kind, Body: written.Body}, nil
}
