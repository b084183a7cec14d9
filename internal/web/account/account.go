// Package account draws the pages of a person's own account. Everybody with a name has second
// factors, sign-ins and sessions there. Players also have their time at play, its result, their
// limits and their pauses. For the staff who may exclude players it is the page on which they
// do.
//
// It decides nothing: what counts and what is refused stands in internal/house.
package account

import (
	"cmp"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
)

//go:embed *.css
var files embed.FS

// Config holds the parts of the house that the pages need.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
}

// Section holds the page of one's own account, and that on which players are excluded.
func Section(c Config) site.Section {
	return site.Section{
		Path: "/account", Files: files,
		Routes: map[string]site.Handler{
			"GET /account":            func(v *site.Visit) error { return c.ownPage(v, http.StatusOK, nil, nil) },
			"POST /account/limit":     c.change("limit", c.limit),
			"POST /account/check":     c.change("", c.check),
			"POST /account/time-out":  c.change("", c.timeOut),
			"POST /account/exclusion": c.change("", c.exclusion),
			"POST /account/sessions":  c.endSession,
			"GET /players":            func(v *site.Visit) error { return c.players(v, http.StatusOK, nil) },
			"POST /players":           c.exclude,

			"POST /account/passkeys/begin":  c.askPasskey,
			"POST /account/passkeys/prove":  c.provePasskey,
			"POST /account/passkeys":        c.addPasskey,
			"POST /account/passkeys/remove": c.askRemoval,
			// Whoever loads a step again begins again.
			"GET /account/passkeys":       toAccount,
			"GET /account/passkeys/begin": toAccount,
			"GET /account/passkeys/prove": toAccount,
		},
	}
}

func toAccount(v *site.Visit) error { return v.Redirect("/account") }

// ownPage is the content of the page of a user's own account.
type ownPage struct {
	session identity.Session
	factors identity.Factors
	// play, balance and owes are of a player.
	play     house.Protection
	balance  money.Amount
	owes     money.Amount
	signIns  []identity.SignIn
	sessions []identity.OpenSession
	// failed is the reason why the last request was refused, nil for none, and form its input.
	failed error
	form   url.Values
	// done names what the last request did, empty for nothing that the page has to say.
	done string
}

// doneNames are the changes that the page confirms after a request.
var doneNames = []string{"limit", "session"}

// holder returns whose visit it is. A visitor who has not come in has been answered.
func (c Config) holder(v *site.Visit) (identity.Session, bool, error) {
	s, ok := c.Authenticator.Session(v)
	if !ok {
		return s, false, v.Redirect("/sign-in?back=" + url.QueryEscape("/account"))
	}
	return s, true, nil
}

// player returns whose visit it is, if that person plays. Otherwise the visitor has
// been answered.
func (c Config) player(v *site.Visit) (identity.Session, bool, error) {
	s, ok, err := c.holder(v)
	if ok && !s.Role.Can(access.SeeOwnAccount) {
		return s, false, &site.Problem{Status: http.StatusForbidden, Text: v.T("account.players-only")}
	}
	return s, ok, err
}

func (c Config) ownPage(v *site.Visit, status int, failed error, form url.Values) error {
	s, ok, err := c.holder(v)
	if !ok {
		return err
	}
	page := &ownPage{session: s, failed: failed, form: form, factors: c.Authenticator.People.Factors(s.Name), signIns: c.Authenticator.People.SignIns(s.Name)}
	if page.sessions, err = c.Authenticator.Sessions(v); err != nil {
		return err
	}
	if name := v.Request.URL.Query().Get("done"); slices.Contains(doneNames, name) && failed == nil {
		page.done = name
	}
	if !s.Role.Can(access.SeeOwnAccount) {
		return v.ShowAs(status, site.Page{Title: v.T("account.staff"), Description: v.T("account.staff-about"), Body: staffBody(v, page)})
	}
	page.balance = c.House.Balance(ledger.Account{Kind: ledger.Player, Of: s.Name})
	page.owes = c.House.Balance(ledger.Account{Kind: ledger.Owed, Of: s.Name})
	if page.play, err = c.House.Protection(v.Context(), s.Name); err != nil {
		return err
	}
	return v.ShowAs(status, site.Page{Title: v.T("account.title"), Description: v.T("account.description"), Body: ownBody(v, page)})
}

// errInput: a form was filled in wrongly.
var errInput = errors.New("the form was filled in wrongly")

// change carries out a form of the player's page. What is refused is said on it, and what
// was done, if that has a name.
func (c Config) change(name string, do func(*site.Visit, identity.Session, url.Values) error) site.Handler {
	return func(v *site.Visit) error {
		form, err := v.Form(4 << 10)
		if err != nil {
			return err
		}
		back, err := v.Back(form.Get("back"))
		if err != nil {
			return err
		}
		s, ok, err := c.player(v)
		if !ok {
			return err
		}
		err = do(v, s, form)
		var refusal *protection.Refusal
		switch {
		case errors.Is(err, errInput):
			return c.ownPage(v, http.StatusUnprocessableEntity, err, form)
		case errors.As(err, &refusal):
			return c.ownPage(v, http.StatusConflict, err, form)
		case err != nil:
			return err
		}
		home := "/account"
		if name != "" {
			home += "?done=" + name
		}
		return v.Redirect(cmp.Or(back, home))
	}
}

func (c Config) limit(v *site.Visit, s identity.Session, form url.Values) error {
	kind, period, _ := strings.Cut(form.Get("limit"), "/")
	var k protection.Key
	if k.Kind.UnmarshalText([]byte(kind)) != nil || k.Period.UnmarshalText([]byte(period)) != nil {
		return errInput
	}
	if form.Get("do") == "remove" {
		return c.House.SetLimit(v.Context(), "", s.Person, k, nil)
	}
	text := strings.TrimSpace(form.Get("most"))
	var most int64
	if k.Kind.InMinutes() {
		minutes, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return errInput
		}
		most = minutes
	} else {
		amount, err := money.Parse(text)
		if err != nil {
			return errInput
		}
		most = int64(amount)
	}
	return c.House.SetLimit(v.Context(), "", s.Person, k, &most)
}

func (c Config) check(v *site.Visit, s identity.Session, _ url.Values) error {
	return c.House.AnswerCheck(v.Context(), "", s.Person)
}

func (c Config) timeOut(v *site.Visit, s identity.Session, form url.Values) error {
	lastsMs, err := days(form)
	if err != nil || form.Get("sure") == "" {
		return errInput
	}
	return c.House.TakeTimeOut(v.Context(), "", s.Person, lastsMs)
}

func (c Config) exclusion(v *site.Visit, s identity.Session, form url.Values) error {
	lastsMs, err := days(form)
	if err != nil || form.Get("sure") == "" {
		return errInput
	}
	return c.House.Exclude(v.Context(), "", s.Person, s.Name, lastsMs, "")
}

// endSession ends another session of the visitor.
func (c Config) endSession(v *site.Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	if _, ok, err := c.holder(v); !ok {
		return err
	}
	switch err := c.Authenticator.EndSession(v, form.Get("end")); {
	case errors.Is(err, identity.ErrDeciding), errors.Is(err, identity.ErrUnknown):
		return c.ownPage(v, http.StatusConflict, err, form)
	case err != nil:
		return err
	}
	return v.Redirect("/account?done=session")
}

// days reads a number of days, zero for no end.
func days(form url.Values) (ms int64, err error) {
	n, err := strconv.ParseInt(strings.TrimSpace(form.Get("days")), 10, 64)
	if err != nil || n < 0 || n > mostDays {
		return 0, errInput
	}
	return n * 24 * 60 * 60 * 1000, nil
}

const mostDays = 7300

// playersPage is the content of the page of the staff.
type playersPage struct {
	session identity.Session
	name    string
	// play is of the player of that name, nil for none.
	play *house.Protection
	// balance is the player's money, for readers who may see accounts, and owes the player's
	// debt.
	balance *money.Amount
	owes    money.Amount
	failed  error
}

func (c Config) players(v *site.Visit, status int, failed error) error {
	s, ok, err := c.Authenticator.Staff(v, access.ExcludePlayer)
	if !ok {
		return err
	}
	page := &playersPage{session: s, name: strings.TrimSpace(v.Request.FormValue("name")), failed: failed}
	if page.name != "" {
		if !c.Authenticator.People.IsPlayer(page.name) {
			page.failed, status = errNobody, http.StatusNotFound
		} else {
			play, err := c.House.Protection(v.Context(), page.name)
			if err != nil {
				return err
			}
			page.play = &play
			if s.Role.Can(access.SeeAccounts) {
				balance := c.House.Balance(ledger.Account{Kind: ledger.Player, Of: page.name})
				page.balance, page.owes = &balance, c.House.Balance(ledger.Account{Kind: ledger.Owed, Of: page.name})
			}
		}
	}
	return v.ShowAs(status, site.Page{Title: v.T("account.players"), Description: v.T("account.players-about"), Body: playersBody(v, page)})
}

// errNobody: the house knows no player of this name.
var errNobody = errors.New("there is no player of this name")

func (c Config) exclude(v *site.Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	s, ok, err := c.Authenticator.Staff(v, access.ExcludePlayer)
	if !ok {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	if !c.Authenticator.People.IsPlayer(name) {
		return c.players(v, http.StatusNotFound, errNobody)
	}
	lastsMs, err := days(form)
	if err == nil && form.Get("sure") == "" {
		err = errInput
	}
	if err == nil {
		err = c.House.Exclude(v.Context(), "", s.Person, name, lastsMs, form.Get("why"))
	}
	var refusal *protection.Refusal
	switch {
	case errors.As(err, &refusal), errors.Is(err, errInput):
		return c.players(v, http.StatusConflict, err)
	case err != nil:
		return err
	}
	return v.Redirect("/players?name=" + url.QueryEscape(name))
}

func when(v *site.Visit, ms int64) string { return v.Time(time.UnixMilli(ms).UTC()) + " UTC" }

func minutes(v *site.Visit, ms int64) string { return v.T("account.minutes", "n", ms/60_000) }

func limitKey(k protection.Key) string { return k.Kind.String() + "/" + k.Period.String() }

func limitName(v *site.Visit, k protection.Key) string {
	return v.T("account.limit-of", "kind", v.T("account.kind-"+k.Kind.String()), "period", v.T("account.period-"+k.Period.String()))
}

// value writes a limit, or how much of it is used.
func value(v *site.Visit, k protection.Key, n int64) string {
	if k.Kind.InMinutes() {
		return v.T("account.minutes", "n", n)
	}
	return v.Money(money.Amount(n))
}

func most(v *site.Visit, k protection.Key, n *int64) string {
	if n == nil {
		return v.T("account.no-limit")
	}
	return value(v, k, *n)
}

// used writes how much of a limit is used; a limit of a round begins anew with each.
func used(v *site.Visit, p *house.Protection, k protection.Key) string {
	if k.Period == protection.Round {
		return "–"
	}
	return value(v, k, max(0, p.Used[k]))
}

// limitKeys lists the limits that a page shows: all for their owner, those in force for
// the staff.
func limitKeys(p *house.Protection, all bool) []protection.Key {
	return slices.DeleteFunc(protection.Keys(), func(k protection.Key) bool {
		s := p.Limits[k].Standing(p.AtMs)
		return !all && s.Most == nil && s.Next == nil
	})
}

// wrong marks a field of the form that was refused, which is known by the name of
// another field or its own.
func (p *ownPage) wrong(field string) templ.Attributes {
	if p.failed == nil || !p.form.Has(field) {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "failed"}
}
