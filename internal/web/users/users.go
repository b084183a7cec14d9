// Package users holds the pages on which an administrator manages the users and the machines'
// tokens: who may sign in and in which role, and which machine has a token.
//
// It decides nothing. What the house lets one person do is done at once, and what takes two is
// proposed; [identity.Directory.WayTo] says which, and what it refuses is not offered.
package users

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
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
	"trey/internal/web/signin"
	"trey/internal/web/site"
)

//go:embed *.css *.js
var files embed.FS

// People are the users and tokens, as [identity.Directory] keeps them.
type People interface {
	Users() []identity.User
	User(name string) (identity.User, error)
	Presence(name string) identity.Presence
	Tokens() []identity.Token
	TokenUsedMs(id string) int64
	Changes() []identity.PendingChange
	WayTo(by access.Person, asked identity.Change) (identity.Way, error)
	CheckDisable(by access.Person, name string) error
	Recorded(ctx context.Context, name, key string) (bool, error)

	ProposeChange(ctx context.Context, o identity.ChangeRequest, asked identity.Change) (id int64, text string, err error)
	AddUser(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, password string) (identity.User, error)
	SetRole(ctx context.Context, o identity.ChangeRequest, name string, role access.Role) (identity.User, error)
	SetPassword(ctx context.Context, o identity.ChangeRequest, name, password string) error
	Enable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error)
	Disable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error)
	EndSessions(ctx context.Context, o identity.ChangeRequest, name string) error
	AddToken(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, endsMs int64) (identity.Token, string, error)
	RevokeToken(ctx context.Context, o identity.ChangeRequest, id string) (identity.Token, error)
}

// Config holds the parts of the house that the page needs.
type Config struct {
	Authenticator *signin.Authenticator
	People        People
	// NowMs is the house's clock.
	NowMs func() int64
	// Redraw has the open pages of the floor show the changes that wait.
	Redraw func()
}

// Section holds the page.
func Section(c Config) site.Section {
	return site.Section{
		Path: "/users", Files: files,
		Routes: map[string]site.Handler{
			"GET /users": func(v *site.Visit) error {
				s, ok, err := c.Authenticator.Staff(v, managers...)
				if !ok {
					return err
				}
				return c.show(v, s, http.StatusOK, nil, nil)
			},
			"POST /users": c.change,
		},
	}
}

// sheets are the style sheets of its pages.
var sheets = []string{"users.page.css"}

// managers are the permissions of those whom the page is for.
var managers = []access.Permission{access.ManageUsers, access.ManageTokens}

// The acts beside those of [identity.ChangeKind]. One person does them alone.
const (
	disableUser = "disable-user"
	endSessions = "end-sessions"
	revokeToken = "revoke-token"
)

const dayMs = 24 * 60 * 60 * 1000

// errForm: a form was filled in wrongly.
var errForm = errors.New("the form was filled in wrongly")

// refusals are the errors that a person can bring about here.
var refusals = []error{
	errForm, identity.ErrInvalid, identity.ErrTaken, identity.ErrUnknown, identity.ErrAlready, identity.ErrOwnAccount, identity.ErrLast,
	identity.ErrFirstSecond, identity.ErrOutdated, identity.ErrNotDisabled, identity.ErrNoSession, identity.ErrNoPassword, identity.ErrBusy,
	house.ErrTakesTwo, house.ErrKeyReused, house.ErrOverloaded, house.ErrClosing, house.ErrUnread,
}

// change carries out a form of the page.
func (c Config) change(v *site.Visit) error {
	s, ok, err := c.Authenticator.Staff(v, managers...)
	if !ok {
		return err
	}
	form, err := v.Form(16 << 10)
	if err != nil {
		return err
	}
	o := identity.ChangeRequest{Key: keyOf(form), By: s.Person, Why: strings.TrimSpace(form.Get("why"))}
	did, token, err := c.carryOut(v.Context(), o, form)
	if err != nil {
		before, unknown := c.People.Recorded(v.Context(), s.Name, o.Key)
		switch {
		case unknown != nil:
			return unknown
		case before:
			did, err = c.before(o.By, form), nil
		}
	}
	c.Redraw()
	var denied *access.Denied
	switch {
	case errors.As(err, &denied):
		return c.show(v, s, http.StatusForbidden, err, form)
	case slices.ContainsFunc(refusals, func(known error) bool { return errors.Is(err, known) }):
		return c.show(v, s, http.StatusConflict, err, form)
	case err != nil:
		return err
	case form.Get("do") == identity.IssueToken.String():
		return v.Show(site.Page{Title: v.T("users.token"), Sheets: sheets, Secret: true, Once: true, Body: tokenPage(v, s, did, token)})
	}
	return v.Redirect("/users?" + did.query().Encode())
}

// keyOf returns the idempotency key of a form; empty for none. The page's module puts a random
// text into each form, so that it is done once however often it arrives. The key depends on all that
// was filled in as well: a form that the visitor goes back to and fills in anew is another one.
func keyOf(form url.Values) string {
	if form.Get("key") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(form.Encode())) // The text is recorded nowhere, so a password is not guessed at by the sum.
	return "page " + hex.EncodeToString(sum[:])
}

// before names what a form had done when it arrived before.
func (c Config) before(by access.Person, form url.Values) done {
	name, act := strings.TrimSpace(form.Get("name")), form.Get("do")
	for _, change := range slices.Backward(c.People.Changes()) {
		if change.By.Name == by.Name && change.Kind.String() == act && change.Name == name {
			return done{proposed, strconv.FormatInt(change.ID, 10)}
		}
	}
	return done{act, name}
}

// done names what a form has done: the act, and whom it is about or, of what waits for a second
// person, the number of the change.
type done struct{ act, of string }

// proposed is the act of a change that waits for a second person.
const proposed = "proposed"

func (d done) query() url.Values { return url.Values{"did": {d.act}, "of": {d.of}} }

// carryOut makes the change of a form, or proposes it where the house wants two people. Of a
// new token it returns the text, which is shown once: it is empty where the form arrived before.
func (c Config) carryOut(ctx context.Context, o identity.ChangeRequest, form url.Values) (did done, token string, err error) {
	name, act := strings.TrimSpace(form.Get("name")), form.Get("do")
	did = done{act, name}
	switch act {
	case disableUser:
		_, err = c.People.Disable(ctx, o, name)
		return did, "", err
	case endSessions:
		return did, "", c.People.EndSessions(ctx, o, name)
	case revokeToken:
		did.of = form.Get("id")
		_, err = c.People.RevokeToken(ctx, o, did.of)
		return did, "", err
	}
	asked, err := c.read(form)
	if err != nil {
		return did, "", err
	}
	way, err := c.People.WayTo(o.By, asked)
	if err != nil {
		return did, "", err
	}
	if way == identity.WithSecond {
		id, text, err := c.People.ProposeChange(ctx, o, asked)
		return done{proposed, strconv.FormatInt(id, 10)}, text, err
	}
	switch asked.Kind {
	case identity.AddUser:
		_, err = c.People.AddUser(ctx, o, asked.Name, asked.Role, asked.Password)
	case identity.GiveRole:
		_, err = c.People.SetRole(ctx, o, asked.Name, asked.Role)
	case identity.GivePassword:
		err = c.People.SetPassword(ctx, o, asked.Name, asked.Password)
	case identity.EnableUser:
		_, err = c.People.Enable(ctx, o, asked.Name)
	case identity.IssueToken:
		_, token, err = c.People.AddToken(ctx, o, asked.Name, asked.Role, asked.EndsMs)
	case identity.RemoveFactor, identity.EraseName: // which always take two
	}
	return did, token, err
}

// read reads the change of a form.
func (c Config) read(form url.Values) (asked identity.Change, err error) {
	asked.Name, asked.Password = strings.TrimSpace(form.Get("name")), form.Get("password")
	if err := asked.Kind.UnmarshalText([]byte(form.Get("do"))); err != nil {
		return asked, errForm
	}
	switch asked.Kind {
	case identity.AddUser, identity.GiveRole, identity.IssueToken:
		if err := asked.Role.UnmarshalText([]byte(form.Get("role"))); err != nil {
			return asked, errForm
		}
	case identity.GivePassword, identity.EnableUser, identity.RemoveFactor, identity.EraseName:
	}
	if asked.Kind == identity.IssueToken {
		days, err := strconv.ParseInt(strings.TrimSpace(form.Get("days")), 10, 16)
		if err != nil {
			return asked, errForm
		}
		asked.EndsMs = c.NowMs() + days*dayMs
	}
	return asked, nil
}

// roles are those that somebody may give, by whether they give them alone.
type roles struct{ alone, withSecond []access.Role }

func (r *roles) none() bool { return len(r.alone)+len(r.withSecond) == 0 }

// rolesFor returns the roles that a person may give by a change.
func (c Config) rolesFor(by access.Person, asked identity.Change) (r roles) {
	for _, asked.Role = range access.Roles() {
		if asked.Role == access.Guest {
			continue
		}
		switch way, err := c.People.WayTo(by, asked); {
		case err != nil:
		case way == identity.Alone:
			r.alone = append(r.alone, asked.Role)
		default:
			r.withSecond = append(r.withSecond, asked.Role)
		}
	}
	return r
}

// account is a user with what the visitor may do.
type account struct {
	identity.User
	identity.Presence
	// ofVisitor says that it is the visitor's account, and open that it is the one that a refused form was about.
	ofVisitor, open bool
	// alone and withSecond are the acts that need nothing but a reason.
	alone, withSecond []string
	roles             roles
	password          identity.Way
}

// idle reports whether the visitor may do nothing about the user.
func (a *account) idle() bool {
	return len(a.alone)+len(a.withSecond) == 0 && a.roles.none() && a.password == identity.Refused
}

// plain are the changes of a user that need nothing but a reason.
var plain = []identity.ChangeKind{identity.EnableUser, identity.RemoveFactor, identity.EraseName}

func (c Config) accountOf(s identity.Session, u *identity.User) (a account) {
	a = account{User: *u, Presence: c.People.Presence(u.Name), ofVisitor: u.Name == s.Name}
	if a.ofVisitor || !s.Role.Can(access.ManageUsers) {
		return a
	}
	if a.Sessions > 0 {
		a.alone = append(a.alone, endSessions)
	}
	if c.People.CheckDisable(s.Person, u.Name) == nil {
		a.alone = append(a.alone, disableUser)
	}
	for _, kind := range plain {
		switch way, err := c.People.WayTo(s.Person, identity.Change{Kind: kind, Name: u.Name}); {
		case err != nil:
		case way == identity.Alone:
			a.alone = append(a.alone, kind.String())
		default:
			a.withSecond = append(a.withSecond, kind.String())
		}
	}
	a.roles = c.rolesFor(s.Person, identity.Change{Kind: identity.GiveRole, Name: u.Name})
	a.password, _ = c.People.WayTo(s.Person, identity.Change{Kind: identity.GivePassword, Name: u.Name})
	return a
}

// machine is a token with when it was used.
type machine struct {
	identity.Token
	usedMs int64
	lasts  bool
}

// pageSize is the number of users, and of tokens that are over, that the page shows at once.
const pageSize = 50

// view holds the content of the page.
type view struct {
	person      identity.Session
	accounts    []account
	total, from int
	find        string
	role        access.Role // zero is every role
	changes     []identity.PendingChange
	tokens      []machine
	over        []machine // the latest of those that have ended or were revoked
	newUser     roles
	newToken    roles
	noSecond    error // why changes that take two people are not made yet
	did         string
	failed      error
	form        url.Values // which was refused
}

func (c Config) show(v *site.Visit, s identity.Session, status int, failed error, form url.Values) error {
	p := &view{person: s, failed: failed, form: form}
	q := v.Request.URL.Query()
	if failed == nil {
		p.did = c.confirmation(v, done{q.Get("did"), q.Get("of")})
	}
	for _, change := range c.People.Changes() {
		if s.Role.Can(change.Kind.Needs()) {
			p.changes = append(p.changes, change)
		}
	}
	if s.Role.Can(access.ManageUsers) {
		p.find, p.from = strings.TrimSpace(q.Get("find")), number(q.Get("from"))
		_ = p.role.UnmarshalText([]byte(q.Get("role"))) // another word is every role
		c.list(p)
		p.newUser = c.rolesFor(s.Person, identity.Change{Kind: identity.AddUser})
		if _, err := c.People.WayTo(s.Person, identity.Change{Kind: identity.AddUser, Role: access.Dealer}); errors.Is(err, identity.ErrFirstSecond) {
			p.noSecond = err
		}
	}
	if s.Role.Can(access.ManageTokens) {
		p.newToken = c.rolesFor(s.Person, identity.Change{Kind: identity.IssueToken})
		nowMs := c.NowMs()
		for _, t := range c.People.Tokens() {
			one := machine{t, c.People.TokenUsedMs(t.ID), !t.Revoked && nowMs < t.EndsMs}
			if one.lasts {
				p.tokens = append(p.tokens, one)
			} else {
				p.over = append(p.over, one)
			}
		}
		p.over = p.over[max(0, len(p.over)-pageSize):]
		slices.Reverse(p.over)
	}
	return v.ShowAs(status, site.Page{Title: v.T("users.title"), Sheets: sheets, Modules: []string{"users.js"}, Wide: true, Body: usersPage(v, p)})
}

// list fills in the users of the page: the staff before those who play.
func (c Config) list(p *view) {
	all := slices.DeleteFunc(c.People.Users(), func(u identity.User) bool {
		erased := identity.CheckName(u.Name) != nil
		return erased || p.role != 0 && u.Role != p.role || !strings.Contains(u.Name, strings.ToLower(p.find))
	})
	plays := func(u *identity.User) int {
		if u.Role.Can(access.Play) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b identity.User) int { return cmp.Compare(plays(&a), plays(&b)) })
	p.total = len(all)
	if p.from >= len(all) {
		p.from = 0
	}
	for _, u := range all[p.from:min(len(all), p.from+pageSize)] {
		a := c.accountOf(p.person, &u)
		a.open = p.failed != nil && p.form.Get("name") == u.Name
		p.accounts = append(p.accounts, a)
	}
}

// further returns the address of the users from a place of the list on.
func (p *view) further(from int) string {
	q := url.Values{"from": {strconv.Itoa(from)}}
	if p.find != "" {
		q.Set("find", p.find)
	}
	if p.role != 0 {
		q.Set("role", p.role.String())
	}
	return "/users?" + q.Encode()
}

// refilled returns what a field of a refused form held, if the form was of this act.
func (p *view) refilled(act, field string) string {
	if p.failed == nil || p.form.Get("do") != act {
		return ""
	}
	return p.form.Get(field)
}

// confirmation says what a form has done, as far as the house bears it out; an address that somebody
// made up says nothing.
func (c Config) confirmation(v *site.Visit, d done) string {
	switch d.act {
	case proposed:
		for _, change := range c.People.Changes() {
			if strconv.FormatInt(change.ID, 10) == d.of {
				return v.T("users.did-proposed", "n", change.ID, "what", ChangeWords(v, &change))
			}
		}
		return ""
	case revokeToken:
		for _, t := range c.People.Tokens() {
			if t.ID == d.of && t.Revoked {
				return v.T("users.did-revoke-token", "name", t.Name, "id", t.ID)
			}
		}
		return ""
	}
	u, err := c.People.User(d.of)
	if err != nil || u.Disabled != (d.act == disableUser) {
		return ""
	}
	switch d.act {
	case disableUser, endSessions, identity.AddUser.String(), identity.GiveRole.String(), identity.GivePassword.String(), identity.EnableUser.String():
		return v.T("users.did-"+d.act, "name", u.Name, "role", v.T("role."+u.Role.String()))
	}
	return ""
}

// ChangeWords says what a change of users is, in the language of a visitor.
func ChangeWords(v *site.Visit, c *identity.PendingChange) string {
	role := ""
	if c.Role != 0 {
		role = v.T("role." + c.Role.String())
	}
	return v.T("console.change-"+c.Kind.String()+"-of", "name", c.Name, "role", role)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return max(0, n)
}

func when(v *site.Visit, ms int64) string { return v.Time(time.UnixMilli(ms).UTC()) + " UTC" }
