package signin

import (
	"net/url"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// Sessions returns the open sessions of the visitor, the newest first.
func (d *Authenticator) Sessions(v *site.Visit) ([]identity.OpenSession, error) {
	return d.People.OpenSessions(d.token(v))
}

// Member returns whose visit it is, if that person has an account with a name.
func (d *Authenticator) Member(v *site.Visit) (s identity.Session, ok bool) {
	s, ok = d.Session(v)
	return s, ok && s.Role != access.Guest
}

// origin returns the origin of the page that a request comes from, as browsers say it
// with every form that they send; empty for none.
func origin(v *site.Visit) string { return v.Request.Header.Get("Origin") }

// AskPasskey begins to add a passkey to the visitor's account.
func (d *Authenticator) AskPasskey(v *site.Visit) (*identity.Addition, error) {
	return d.People.AskPasskey(d.token(v), origin(v))
}

// ProvePasskey takes from a form what shows that the visitor adds or removes a passkey. Once
// one is removed, all their sessions end.
func (d *Authenticator) ProvePasskey(v *site.Visit, form url.Values) (*identity.Addition, error) {
	step, err := d.People.ProvePasskey(v.Context(), d.token(v), identity.Proof{
		Password: form.Get("password"), Code: form.Get("code"), Passkey: []byte(form.Get("passkey")), From: d.Admission.From(v.Request),
	})
	if err == nil && step.Removed {
		d.keep(v, "", -1)
	}
	return step, err
}

// AddPasskey adds the passkey of a form to the visitor's account, and returns recovery
// codes if they are new.
func (d *Authenticator) AddPasskey(v *site.Visit, form url.Values) (recovery []string, err error) {
	return d.People.AddPasskey(v.Context(), d.token(v), form.Get("label"), []byte(form.Get("passkey")))
}

// AskRemoval begins to remove a passkey from the visitor's account.
func (d *Authenticator) AskRemoval(v *site.Visit, passkey string) (*identity.Addition, error) {
	return d.People.AskRemoval(d.token(v), origin(v), passkey)
}

// ShowRecovery shows recovery codes, once. The visitor goes on to a path of this site.
func ShowRecovery(v *site.Visit, codes []string, to string) error {
	return v.Show(site.Page{Title: v.T("second.recovery"), Secret: true, Once: true, Body: recoveryPage(v, codes, to)})
}

// EndSession ends one of the visitor's sessions.
func (d *Authenticator) EndSession(v *site.Visit, id string) error {
	return d.People.EndSession(v.Context(), d.token(v), id)
}
