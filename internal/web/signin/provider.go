package signin

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// Provider is the operator's own identity provider.
type Provider interface {
	// Begin returns the address to send a visitor to, and what their browser keeps until
	// they come back.
	Begin(ctx context.Context, back string) (to, state string, err error)
	// Finish returns who has come back. The role is zero if the provider names none.
	Finish(ctx context.Context, kept, state, code string) (external External, back string, err error)
}

// External is the identity that the provider states.
type External struct {
	Subject, Name string
	Role          access.Role
}

var (
	// ErrProvider is wrapped where the provider let nobody in.
	ErrProvider = errors.New("the identity provider refused the sign-in")
	// ErrProviderAway is wrapped where the provider does not answer.
	ErrProviderAway = errors.New("the identity provider does not answer, so nobody can sign in by it")
)

// stateCookie keeps that a sign-in at the provider was begun in this browser. It is sent
// along when the provider, which is another site, sends the visitor back.
func (d *Authenticator) stateCookie(state string, seconds int) *http.Cookie {
	c := identity.Cookie(d.Secure, state, seconds)
	c.Name, c.SameSite = identity.CookieName(d.Secure)+"-provider", http.SameSiteLaxMode
	return &c
}

// toProvider sends a visitor to the identity provider.
func (d *Authenticator) toProvider(v *site.Visit) error {
	back, err := v.Back(v.Request.FormValue("back"))
	if err != nil {
		return err
	}
	to, state, err := d.Provider.Begin(v.Context(), back)
	switch {
	case errors.Is(err, ErrProviderAway):
		return d.showSignIn(v, http.StatusServiceUnavailable, "", v.T("provider.away"))
	case err != nil:
		return err
	}
	const seconds = 10 * 60
	v.SetCookie(d.stateCookie(state, seconds))
	return v.Leave(to)
}

// fromProvider lets in whom the identity provider sends back. It answers with a page and
// does not redirect: browsers leave the cookie of the session out while a visit still
// comes from another site.
func (d *Authenticator) fromProvider(v *site.Visit) error {
	query := v.Request.URL.Query()
	kept := v.Cookie(d.stateCookie("", 0).Name)
	v.SetCookie(d.stateCookie("", -1))
	external, back, err := d.Provider.Finish(v.Context(), kept, query.Get("state"), query.Get("code"))
	if errors.Is(err, ErrProvider) {
		return d.showSignIn(v, http.StatusUnauthorized, "", v.T("provider.refused"))
	}
	if errors.Is(err, ErrProviderAway) {
		return d.showSignIn(v, http.StatusServiceUnavailable, "", v.T("provider.away"))
	}
	if err != nil {
		return err
	}
	token, s, err := d.People.LoginBy(v.Context(), identity.External{
		Subject: external.Subject, Name: external.Name, Role: external.Role, From: d.Admission.From(v.Request), Replaces: d.token(v),
	})
	switch {
	case errors.Is(err, identity.ErrBadLogin):
		return d.showSignIn(v, http.StatusForbidden, "", v.T("provider.no-role"))
	case errors.Is(err, identity.ErrOtherAccount), errors.Is(err, identity.ErrInvalid), errors.Is(err, identity.ErrTaken):
		return d.showSignIn(v, http.StatusForbidden, "", v.T("provider.other-account"))
	case errors.Is(err, identity.ErrDeciding):
		return d.showSignIn(v, http.StatusConflict, "", v.T("sign.decide-in"))
	case err != nil:
		return err
	}
	d.keep(v, token, int((s.EndsMs-d.NowMs())/1000))
	to := cmp.Or(back, Home(s.Role))
	v.GoOn(to)
	return v.Show(site.Page{Title: v.T("provider.in"), Secret: true, Body: arrivedPage(v, to)})
}
