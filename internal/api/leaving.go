package api

import (
	"context"
	"net/netip"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// leaving is an [Identity] that has the streams of a session or a token end as soon as that has
// ended by a request. Of what ends otherwise, by time, by a page or at another machine, the
// streams end with the next message or heartbeat.
type leaving struct {
	Identity
	// left looks for streams whose session or token has ended.
	left func()
}

// Logout ends the session.
func (l leaving) Logout(ctx context.Context, token string) error {
	defer l.left()
	return l.Identity.Logout(ctx, token)
}

// EndSession ends one of the person's sessions.
func (l leaving) EndSession(ctx context.Context, token, id string) error {
	defer l.left()
	return l.Identity.EndSession(ctx, token, id)
}

// EndSessions ends a user's sessions.
func (l leaving) EndSessions(ctx context.Context, o identity.ChangeRequest, name string) error {
	defer l.left()
	return l.Identity.EndSessions(ctx, o, name)
}

// SetRole gives a user another role, which ends the sessions in the old one.
func (l leaving) SetRole(ctx context.Context, o identity.ChangeRequest, name string, role access.Role) (identity.User, error) {
	defer l.left()
	return l.Identity.SetRole(ctx, o, name, role)
}

// Disable shuts a user out.
func (l leaving) Disable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error) {
	defer l.left()
	return l.Identity.Disable(ctx, o, name)
}

// SetPassword sets a user's password, which ends the sessions of the old one.
func (l leaving) SetPassword(ctx context.Context, o identity.ChangeRequest, name, password string) error {
	defer l.left()
	return l.Identity.SetPassword(ctx, o, name, password)
}

// ChangePassword changes the person's own password, which ends their other sessions.
func (l leaving) ChangePassword(ctx context.Context, o identity.ChangeRequest, from netip.Addr, old, password string) error {
	defer l.left()
	return l.Identity.ChangePassword(ctx, o, from, old, password)
}

// RevokeToken ends a machine's token.
func (l leaving) RevokeToken(ctx context.Context, o identity.ChangeRequest, id string) (identity.Token, error) {
	defer l.left()
	return l.Identity.RevokeToken(ctx, o, id)
}

// ApproveChange carries out what another person asked for about a user or a token.
func (l leaving) ApproveChange(ctx context.Context, o identity.ChangeRequest, id int64) error {
	defer l.left()
	return l.Identity.ApproveChange(ctx, o, id)
}
