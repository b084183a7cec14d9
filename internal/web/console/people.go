package console

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// People are the changes of users that wait for a second person, and the players who are
// registered. It is [identity.Directory], or that with something around it.
type People interface {
	Changes() []identity.PendingChange
	ApproveChange(ctx context.Context, o identity.ChangeRequest, id int64) error
	DeclineChange(ctx context.Context, o identity.ChangeRequest, id int64) error
	AddUser(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, password string) (identity.User, error)
}

// mayApproveChange reports whether somebody may decide about a change of users as the
// second person, as far as the page knows: who made which account, the house knows.
func mayApproveChange(s identity.Session, c *identity.PendingChange) bool {
	return c.By.Name != s.Name && c.Name != s.Name && s.Role.Can(access.ApproveUser)
}

// registerPlayer adds somebody who can play.
func (d *handlers) registerPlayer(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	user, err := d.People.AddUser(v.Context(), changeRequest(s, form), strings.TrimSpace(form.Get("name")), access.Player, form.Get("password"))
	return done(v.T("console.player-registered", "name", user.Name)), err
}

// changeRequest says who asks for a change of users, and why.
func changeRequest(s identity.Session, form url.Values) identity.ChangeRequest {
	return identity.ChangeRequest{Key: key(form.Get("key")), By: s.Person, Why: strings.TrimSpace(form.Get("why"))}
}

// decideChange approves a change of users or declines it.
func (d *handlers) decideChange(ctx context.Context, o identity.ChangeRequest, id int64, approve bool) error {
	defer d.Taken.Redraw()
	if approve {
		return d.People.ApproveChange(ctx, o, id)
	}
	return d.People.DeclineChange(ctx, o, id)
}

// refusedChange does what refused does, for a change of users.
func refusedChange(v *site.Visit, err error) (*answer, error) {
	for _, known := range []error{
		identity.ErrInvalid, identity.ErrTaken, identity.ErrUnknown, identity.ErrAlready, identity.ErrOwnAccount, identity.ErrLast,
		identity.ErrFirstSecond, identity.ErrOutdated, identity.ErrNotDisabled, identity.ErrNoSession, identity.ErrBusy, house.ErrTakesTwo, house.ErrKeyReused,
	} {
		if errors.Is(err, known) {
			said := malformed(v, "")
			said.title, said.why = v.T("console.not-done"), err
			return said, nil
		}
	}
	return refused(v, err)
}
