package signin

import (
	"cmp"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/site"
)

//go:embed *.css *.js
var files embed.FS

// Section returns the page on which people with a name sign in.
func (d *Authenticator) Section() site.Section {
	section := site.Section{
		Path: "/sign-in", Presence: d.presence, Files: files,
		Routes: map[string]site.Handler{
			"GET /sign-in":         func(v *site.Visit) error { return d.showSignIn(v, http.StatusOK, "", "") },
			"POST /sign-in":        d.signIn,
			"GET /sign-in/second":  func(v *site.Visit) error { return v.Redirect("/sign-in") },
			"POST /sign-in/second": d.second,
			"POST /sign-out":       d.signOut,
			"GET /password":        func(v *site.Visit) error { return d.showPassword(v, http.StatusOK, "") },
			"POST /password":       d.changePassword,
		},
	}
	if d.Provider != nil {
		section.Routes["GET /sign-in/provider"] = d.toProvider
		section.Routes["GET "+ProviderPath] = d.fromProvider
	}
	return section
}

// ProviderPath is the path to which the identity provider sends people back.
const ProviderPath = "/sign-in/provider/done"

// presence returns the visitor's name and the way out, on every page; or the way in.
func (d *Authenticator) presence(v *site.Visit) site.Presence {
	s, ok := d.Peek(v)
	if !ok && !s.PasswordDue {
		return site.Presence{Foot: d.foot(v, comeIn(v))}
	}
	return site.Presence{Person: s.Name, Name: Called(v.Printer, s.Name), Foot: d.foot(v, visitorName(v, s)), Leave: signOut(v, s)}
}

// isIn says who has come in: guests are that by their name.
func isIn(v *site.Visit, s identity.Session) string {
	name := Called(v.Printer, s.Name)
	if s.Role == access.Guest {
		return name
	}
	return name + ", " + v.T("role."+s.Role.String())
}

// Staff returns the visitor's session if they may do what the page is for, and whether to go
// on. If they may not, the visitor has been answered: they are sent to sign in, or shown which
// roles may.
func (d *Authenticator) Staff(v *site.Visit, need ...access.Permission) (s identity.Session, ok bool, err error) {
	s, ok = d.Session(v)
	if ok {
		for _, p := range need {
			if s.Role.Can(p) {
				return s, true, nil
			}
		}
	}
	page := !v.Wants(site.FragmentHeader) && v.Request.Method == http.MethodGet
	switch {
	case s.PasswordDue && page:
		return s, false, v.Redirect(passwordPath)
	case s.PasswordDue:
		return s, false, dueProblem(v)
	case !page:
		return s, false, &site.Problem{Status: http.StatusUnauthorized, Text: v.T("sign.over")}
	}
	if !ok || s.Role == access.Guest {
		return s, false, v.Redirect("/sign-in?back=" + url.QueryEscape(v.Request.URL.RequestURI()))
	}
	return s, false, &site.Problem{Status: http.StatusForbidden, Text: v.T("sign.not-yours", "name", s.Name, "role", v.T("role."+s.Role.String()))}
}

// Home returns the page on which a person of a role begins.
func Home(r access.Role) string {
	switch {
	case r.Can(access.DealTable):
		return "/console"
	case r.Can(access.SearchRounds):
		return "/surveillance"
	case r.Can(access.SeeProposals):
		return "/console"
	}
	return "/"
}

func (d *Authenticator) showSignIn(v *site.Visit, status int, name, wrong string) error {
	back, err := v.Back(v.Request.FormValue("back"))
	if err != nil {
		return err
	}
	s, _ := d.Peek(v)
	return v.ShowAs(status, site.Page{
		Title: v.T("sign.title"), Description: v.T("sign.description"),
		Body: signInPage(v, d, s, name, back, wrong),
	})
}

func (d *Authenticator) signIn(v *site.Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	back, err := v.Back(form.Get("back"))
	if err != nil {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	token, s, err := d.People.Login(v.Context(), identity.Credentials{
		Name: name, Password: form.Get("password"), From: d.Admission.From(v.Request), Replaces: d.token(v), Device: v.Cookie(identity.DeviceCookieName(d.Secure)), Origin: origin(v),
	})
	var wait *identity.Throttled
	var step *identity.SecondStep
	switch {
	case errors.As(err, &step):
		return d.askSecond(v, step, back)
	case errors.As(err, &wait):
		return d.showSignIn(v, http.StatusTooManyRequests, name, v.N("sign.wait", int(wait.WaitMs/1000+1)))
	case errors.Is(err, identity.ErrBadLogin), errors.Is(err, identity.ErrInvalid):
		return d.showSignIn(v, http.StatusUnauthorized, name, v.T("sign.wrong"))
	case errors.Is(err, identity.ErrBusy):
		return d.showSignIn(v, http.StatusServiceUnavailable, name, v.T("sign.busy"))
	case errors.Is(err, identity.ErrDeciding):
		return d.showSignIn(v, http.StatusConflict, name, v.T("sign.decide-in"))
	case err != nil:
		return err
	}
	d.enter(v, token, s)
	if s.PasswordDue {
		return v.Redirect(passwordPath)
	}
	return v.Redirect(cmp.Or(back, Home(s.Role)))
}

func (d *Authenticator) signOut(v *site.Visit) error {
	if token := d.token(v); token != "" {
		switch err := d.People.Logout(v.Context(), token); {
		case errors.Is(err, identity.ErrDeciding):
			return &site.Problem{Status: http.StatusConflict, Text: v.T("sign.decide")}
		case err != nil && !errors.Is(err, identity.ErrNoSession):
			return err
		}
	}
	d.keep(v, "", -1)
	return v.Redirect("/sign-in")
}
