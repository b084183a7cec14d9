package console

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// People are the users and tokens: what takes two people, and what one person does alone. It is
// [identity.Directory], or that with something around it.
type People interface {
	Changes() []identity.PendingChange
	ProposeChange(ctx context.Context, o identity.ChangeRequest, asked identity.Change) (id int64, text string, err error)
	ApproveChange(ctx context.Context, o identity.ChangeRequest, id int64) error
	DeclineChange(ctx context.Context, o identity.ChangeRequest, id int64) error
	AddUser(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, password string) (identity.User, error)
	Disable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error)
}

// dayMs is a day in milliseconds.
const dayMs = 24 * 60 * 60 * 1000

// mayApproveChange reports whether somebody may decide about a change of users as the
// second person, as far as the page knows: who made which account, the house knows.
func mayApproveChange(s identity.Session, c *identity.PendingChange) bool {
	return c.By.Name != s.Name && c.Name != s.Name && s.Role.Can(access.ApproveUser)
}

// changeKinds are the changes of users that somebody may propose.
func changeKinds(s identity.Session) []identity.ChangeKind {
	return slices.DeleteFunc(identity.ChangeKinds(), func(k identity.ChangeKind) bool { return !s.Role.Can(k.Needs()) })
}

// hasRole, hasPassword and hasEnd report what the form of a change asks for beside a name.
func hasRole(k identity.ChangeKind) bool {
	return k == identity.AddUser || k == identity.GiveRole || k == identity.IssueToken
}

func hasPassword(k identity.ChangeKind) bool {
	return k == identity.AddUser || k == identity.GivePassword
}

func hasEnd(k identity.ChangeKind) bool { return k == identity.IssueToken }

// givenRoles are the roles that a user or a machine may have.
func givenRoles() []access.Role {
	return slices.DeleteFunc(access.Roles(), func(r access.Role) bool { return r == access.Guest })
}

// changeWords say what a change of users is.
func changeWords(v *site.Visit, c *identity.PendingChange) string {
	role := ""
	if c.Role != 0 {
		role = v.T("role." + c.Role.String())
	}
	return v.T("console.change-"+c.Kind.String()+"-of", "name", c.Name, "role", role)
}

func (d *handlers) proposeChange(v *site.Visit) error {
	s, ok, err := d.Desk.Staff(v, access.ManageUsers, access.ManageTokens)
	if !ok {
		return err
	}
	form, err := v.Form(16 << 10)
	if err != nil {
		return err
	}
	asked, said := d.readChange(v, form)
	if said != nil {
		return d.answerFloor(v, s, said)
	}
	id, text, err := d.People.ProposeChange(v.Context(), changeRequest(s, form), asked)
	d.Taken.Redraw()
	switch {
	case err != nil:
		if said, err = refusedChange(v, err); err != nil {
			return err
		}
	case text != "":
		said = done(v, v.T("console.change-proposed", "n", id))
		said.text = v.T("console.token-text", "text", text)
		return said.give(v, "", func() error { return d.showFloor(v, s, said) }) // it is shown this once
	default:
		said = done(v, v.T("console.change-proposed", "n", id))
	}
	return d.answerFloor(v, s, said)
}

// disableUser shuts a user out at once and ends their sessions.
func (d *handlers) disableUser(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	user, err := d.People.Disable(v.Context(), changeRequest(s, form), strings.TrimSpace(form.Get("name")))
	return done(v, v.T("console.user-disabled", "name", user.Name)), err
}

// registerPlayer adds somebody who can play.
func (d *handlers) registerPlayer(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	user, err := d.People.AddUser(v.Context(), changeRequest(s, form), strings.TrimSpace(form.Get("name")), access.Player, form.Get("password"))
	return done(v, v.T("console.player-registered", "name", user.Name)), err
}

// changeRequest says who asks for a change of users, and why.
func changeRequest(s identity.Session, form url.Values) identity.ChangeRequest {
	return identity.ChangeRequest{Key: key(form.Get("key")), By: s.Person, Why: strings.TrimSpace(form.Get("why"))}
}

func (d *handlers) readChange(v *site.Visit, form url.Values) (asked identity.Change, said *answer) {
	asked.Name, asked.Password = strings.TrimSpace(form.Get("name")), form.Get("password")
	err := asked.Kind.UnmarshalText([]byte(form.Get("kind")))
	if err == nil && hasRole(asked.Kind) {
		err = asked.Role.UnmarshalText([]byte(form.Get("role")))
	}
	if err == nil && hasEnd(asked.Kind) {
		var days int64
		days, err = strconv.ParseInt(strings.TrimSpace(form.Get("days")), 10, 32)
		asked.EndsMs = d.NowMs() + days*dayMs
	}
	if err != nil {
		return asked, malformed(v, v.T("problem.form"))
	}
	return asked, nil
}

// decideChange approves a change of users or declines it.
func (d *handlers) decideChange(ctx context.Context, o identity.ChangeRequest, id int64, approve bool) error {
	defer d.Taken.Redraw()
	if approve {
		return d.People.ApproveChange(ctx, o, id)
	}
	return d.People.DeclineChange(ctx, o, id)
}

// refusedChange is refused for what is said of users.
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
