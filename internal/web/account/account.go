// Package account is what players see and limit of their own play: how long they have
// played and what came of it, their limits, pauses, sign-ins and sessions. For the
// staff who may exclude players it is the page on which they do.
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

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/web/entry"
	"trey/internal/web/site"
	"trey/money"
)

//go:embed *.css
var files embed.FS

// Config is what the pages need of the house.
type Config struct {
	House *house.House
	Desk  *entry.Desk
}

// Section is the page of a player, and that of the staff.
func Section(c Config) site.Section {
	return site.Section{
		Path: "/account", Files: files,
		Routes: map[string]site.Handler{
			"GET /account":            func(v *site.Visit) error { return c.own(v, http.StatusOK, nil) },
			"POST /account/limit":     c.change(c.limit),
			"POST /account/check":     c.change(c.check),
			"POST /account/time-out":  c.change(c.timeOut),
			"POST /account/exclusion": c.change(c.exclusion),
			"POST /account/sessions":  c.change(c.endSession),
			"GET /players":            func(v *site.Visit) error { return c.players(v, http.StatusOK, nil) },
			"POST /players":           c.exclude,
		},
	}
}

// ownPage is what stands on a player's page.
type ownPage struct {
	session  identity.Session
	play     house.Protection
	balance  money.Amount
	signIns  []identity.SignIn
	sessions []identity.OpenSession
	// failed is why the last request was refused, nil for none.
	failed error
}

// player returns whose visit it is, if that person plays. Otherwise the visitor has
// been answered.
func (c Config) player(v *site.Visit) (identity.Session, bool, error) {
	s, ok := c.Desk.Who(v)
	switch {
	case !ok:
		return s, false, v.Redirect("/sign-in?back=" + url.QueryEscape("/account"))
	case !s.Role.May(access.SeeOwnAccount):
		return s, false, &site.Problem{Status: http.StatusForbidden, Text: v.T("account.players-only")}
	}
	return s, true, nil
}

func (c Config) own(v *site.Visit, status int, failed error) error {
	s, ok, err := c.player(v)
	if !ok {
		return err
	}
	page := &ownPage{session: s, failed: failed, balance: c.House.Balance(ledger.Account{Kind: ledger.Player, Of: s.Name})}
	if page.play, err = c.House.Protection(v.Context(), s.Name); err != nil {
		return err
	}
	page.signIns = c.Desk.People.SignIns(s.Name)
	if page.sessions, err = c.Desk.Sessions(v); err != nil {
		return err
	}
	return v.ShowAs(status, site.Page{Title: v.T("account.title"), Description: v.T("account.description"), Body: ownBody(v, page)})
}

// errInput: a form was filled in wrongly.
var errInput = errors.New("the form was filled in wrongly")

// change carries out a form of the player's page. What is refused is said on it.
func (c Config) change(do func(*site.Visit, identity.Session, url.Values) error) site.Handler {
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
			return c.own(v, http.StatusUnprocessableEntity, err)
		case errors.As(err, &refusal), errors.Is(err, identity.ErrDeciding), errors.Is(err, identity.ErrUnknown):
			return c.own(v, http.StatusConflict, err)
		case err != nil:
			return err
		}
		return v.Redirect(cmp.Or(back, "/account"))
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

func (c Config) endSession(v *site.Visit, _ identity.Session, form url.Values) error {
	return c.Desk.EndSession(v, form.Get("end"))
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

// playersPage is what stands on the page of the staff.
type playersPage struct {
	session identity.Session
	name    string
	// play is of the player of that name, nil for none.
	play   *house.Protection
	failed error
}

func (c Config) players(v *site.Visit, status int, failed error) error {
	s, ok, err := c.Desk.Staff(v, access.ExcludePlayer)
	if !ok {
		return err
	}
	page := &playersPage{session: s, name: strings.TrimSpace(v.Request.FormValue("name")), failed: failed}
	if page.name != "" {
		if !c.Desk.People.Plays(page.name) {
			page.failed, status = errNobody, http.StatusNotFound
		} else {
			play, err := c.House.Protection(v.Context(), page.name)
			if err != nil {
				return err
			}
			page.play = &play
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
	s, ok, err := c.Desk.Staff(v, access.ExcludePlayer)
	if !ok {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	if !c.Desk.People.Plays(name) {
		return c.players(v, http.StatusNotFound, errNobody)
	}
	lastsMs, err := days(form)
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

// shown lists the limits that a page shows: all for their owner, those in force for
// the staff.
func shown(p *house.Protection, all bool) []protection.Key {
	return slices.DeleteFunc(protection.Keys(), func(k protection.Key) bool {
		s := p.Limits[k].Standing(p.AtMs)
		return !all && s.Most == nil && s.Next == nil
	})
}
