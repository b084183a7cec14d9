package signin

import (
	"errors"
	"net/http"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// passwordPath is the page on which people change their own password.
const passwordPath = "/password"

// holder returns whose visit it is, also of somebody who has to change their password
// before anything else.
func (d *Authenticator) holder(v *site.Visit) (s identity.Session, ok bool) {
	s, err := d.People.Check(d.token(v))
	return s, (err == nil || errors.Is(err, identity.ErrPasswordDue)) && s.Role != access.Guest
}

// passwordDue reports whether the visitor has to change their password before anything
// else.
func (d *Authenticator) passwordDue(v *site.Visit) bool {
	_, err := d.People.Peek(d.token(v))
	return errors.Is(err, identity.ErrPasswordDue)
}

// dueProblem answers somebody who has to change their password first.
func dueProblem(v *site.Visit) error {
	return &site.Problem{Status: http.StatusForbidden, Text: v.T("password.first")}
}

func (d *Authenticator) showPassword(v *site.Visit, status int, wrong string) error {
	s, ok := d.holder(v)
	if !ok {
		return v.Redirect("/sign-in?back=" + passwordPath)
	}
	return v.ShowAs(status, site.Page{Title: v.T("password.title"), Body: passwordPage(v, s, wrong)})
}

// changePassword changes the password of the visitor, whose sessions all end, and has
// them sign in again.
func (d *Authenticator) changePassword(v *site.Visit) error {
	form, err := v.Form(8 << 10)
	if err != nil {
		return err
	}
	s, ok := d.holder(v)
	if !ok {
		return v.Redirect("/sign-in?back=" + passwordPath)
	}
	if form.Get("new") != form.Get("again") {
		return d.showPassword(v, http.StatusUnprocessableEntity, v.T("password.unlike"))
	}
	o := identity.ChangeRequest{By: s.Person}
	err = d.People.ChangePassword(v.Context(), o, d.Admission.From(v.Request), form.Get("old"), form.Get("new"))
	var wait *identity.Throttled
	switch {
	case errors.As(err, &wait):
		return d.showPassword(v, http.StatusTooManyRequests, v.N("sign.wait", int(wait.WaitMs/1000+1)))
	case errors.Is(err, identity.ErrBadLogin):
		return d.showPassword(v, http.StatusForbidden, v.T("password.wrong"))
	case errors.Is(err, identity.ErrInvalid):
		return d.showPassword(v, http.StatusUnprocessableEntity, v.T("password.form"))
	case errors.Is(err, identity.ErrBusy):
		return d.showPassword(v, http.StatusServiceUnavailable, v.T("sign.busy"))
	case err != nil:
		return err
	}
	d.keep(v, "", -1)
	return v.Redirect("/sign-in?changed=1")
}
