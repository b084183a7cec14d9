package account

import (
	"errors"
	"net/http"
	"net/url"

	"trey/internal/house/identity"
	"trey/internal/web/signin"
	"trey/internal/web/site"
)

// member returns the form of somebody with an account of a name. Otherwise the visitor
// has been answered.
func (c Config) member(v *site.Visit) (form url.Values, ok bool, err error) {
	if form, err = v.Form(64 << 10); err != nil {
		return nil, false, err
	}
	if _, ok = c.Authenticator.Member(v); !ok {
		return nil, false, v.Redirect("/sign-in?back=" + url.QueryEscape("/account"))
	}
	return form, true, nil
}

// refusedPasskey says on the page of the account why a passkey was not added or removed.
func (c Config) refusedPasskey(v *site.Visit, err error) error {
	for _, known := range []error{
		identity.ErrNoPasskeys, identity.ErrPasskeyElsewhere, identity.ErrTooManyPasskeys, identity.ErrLastFactor, identity.ErrNoAddition,
		identity.ErrBadPasskey, identity.ErrNoPassword, identity.ErrUnknown, identity.ErrBusy,
	} {
		if errors.Is(err, known) {
			return c.ownPage(v, http.StatusConflict, err, nil)
		}
	}
	if errors.Is(err, identity.ErrInvalid) {
		return c.ownPage(v, http.StatusUnprocessableEntity, err, nil)
	}
	return err
}

// askPasskey begins to add a passkey: first the visitor shows that it is they who ask.
func (c Config) askPasskey(v *site.Visit) error {
	if _, ok, err := c.member(v); !ok {
		return err
	}
	step, err := c.Authenticator.AskPasskey(v)
	if err != nil {
		return c.refusedPasskey(v, err)
	}
	return c.showStep(v, http.StatusOK, step, "")
}

func (c Config) showStep(v *site.Visit, status int, step *identity.Addition, wrong string) error {
	title := v.T("passkey.add")
	if step.Removes != "" {
		title = v.T("passkey.remove-title")
	}
	return v.ShowAs(status, site.Page{
		Title: title, Secret: true, Modules: []string{signin.PasskeyModule}, Body: stepBody(v, title, step, wrong),
	})
}

func (c Config) provePasskey(v *site.Visit) error {
	form, ok, err := c.member(v)
	if !ok {
		return err
	}
	step, err := c.Authenticator.ProvePasskey(v, form)
	var again *identity.Addition
	switch {
	case errors.As(err, &again):
		status, wrong := signin.Wrong(v, again.Wrong)
		return c.showStep(v, status, again, wrong)
	case err != nil:
		return c.refusedPasskey(v, err)
	case step.Removed:
		return v.Redirect("/sign-in?removed=1")
	}
	return c.showStep(v, http.StatusOK, step, "")
}

func (c Config) addPasskey(v *site.Visit) error {
	form, ok, err := c.member(v)
	if !ok {
		return err
	}
	recovery, err := c.Authenticator.AddPasskey(v, form)
	switch {
	case err != nil:
		return c.refusedPasskey(v, err)
	case len(recovery) > 0: // All sessions have ended: from now on the passkey is asked for.
		return signin.ShowRecovery(v, recovery, "/sign-in?back="+url.QueryEscape("/account"))
	}
	return v.Redirect("/account")
}

// askRemoval begins to remove a passkey: first the visitor shows that it is they who ask.
func (c Config) askRemoval(v *site.Visit) error {
	form, ok, err := c.member(v)
	if !ok {
		return err
	}
	step, err := c.Authenticator.AskRemoval(v, form.Get("remove"))
	if err != nil {
		return c.refusedPasskey(v, err)
	}
	return c.showStep(v, http.StatusOK, step, "")
}
