package entry

import (
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// Sessions returns the open sessions of the visitor, the newest first.
func (d *Desk) Sessions(v *site.Visit) ([]identity.OpenSession, error) {
	return d.People.OpenSessions(d.token(v))
}

// EndSession ends one of the visitor's sessions.
func (d *Desk) EndSession(v *site.Visit, id string) error {
	return d.People.EndSession(v.Context(), d.token(v), id)
}
