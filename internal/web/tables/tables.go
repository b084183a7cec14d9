// Package tables is the place where people play. It has a page for each open table, which shows
// the round as its reader may see it and lets them do what the table allows.
//
// Everything on it is made here from table.View of the reader; the page in the
// browser puts what it is sent in its place, and holds no rule. What happens
// comes as server-sent events: the parts of the page that changed, rendered once
// for all who see the same.
package tables

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/timeup"
	"trey/internal/ledger"
	"trey/internal/web/practice"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
	"trey/odds"
)

//go:embed *.css *.js
var files embed.FS

// Config holds what the tables need of the house.
type Config struct {
	House         *house.House
	Record        Record
	Autodealer    Autodealer
	Authenticator *signin.Authenticator
	// NowMs is the house's clock.
	NowMs func() int64
	Log   *slog.Logger
	// Warnings are those that a dealer gives before the players' time ends.
	Warnings *timeup.Warnings
	// Undo holds the changes that players can undo.
	Undo *Undo
	// Renewal gives new play money to a player who has none left; nil is a house that gives
	// none.
	Renewal Renewal
}

// Renewal gives play money away. It is [lobby.Lobby].
type Renewal interface {
	// Renewal returns the sum, zero for none.
	Renewal() money.Amount
	Renew(ctx context.Context, key string, by access.Person, bet money.Amount) error
}

// Record reads the part of the record that the tables need: a part of [house.Store].
type Record interface {
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
	Movements(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error
}

// Autodealer runs automatic tables. It is [autodealer.Autodealer].
type Autodealer interface {
	Awaited(table string) (a autodealer.Awaited, ok bool)
	Ready(by access.Person, table string) error
}

// handlers is all tables as people see them.
type handlers struct {
	Config
	trainer trainer
	purses  purses

	mu     sync.Mutex
	stages map[string]*stage
}

// Section returns the pages of the tables.
func Section(c Config) site.Section {
	h := &handlers{Config: c, stages: map[string]*stage{}}
	return site.Section{
		Path: "/tables", Files: files,
		Routes: map[string]site.Handler{
			"GET /tables/{table}":                h.page,
			"GET /tables/{table}/live":           h.live,
			"POST /tables/{table}/sit":           h.sit,
			"POST /tables/{table}/do":            h.do,
			"POST /tables/{table}/trainer":       h.train,
			"GET /tables/{table}/drill":          h.drill,
			"GET /tables/{table}/rounds/{round}": h.replay,
		},
	}
}

// trainerCookie keeps when a player wants to see the value of each choice.
const trainerCookie = "trainer"

// coaching says when a player is told what choices are worth. Its values are those of the
// cookie and of the form.
type coaching string

const (
	uncoached   coaching = "off"
	coachBefore coaching = "on"
	coachAfter  coaching = "after"
)

// reader returns the person who looks at a table.
func (h *handlers) reader(v *site.Visit) reader {
	r := reader{Printer: v.Printer, coach: uncoached}
	if s, ok := h.Authenticator.Peek(v); ok {
		r.person = s.Person
	}
	if c, err := v.Request.Cookie(trainerCookie); err == nil && r.plays() {
		r.coach = coachingOf(c.Value)
	}
	return r
}

// found turns an error of the house about a name into a page that is not there.
func found(v *site.Visit, err error) error {
	if errors.Is(err, house.ErrNoTable) || errors.Is(err, house.ErrNoRound) {
		return v.NotFound()
	}
	return err
}

func (h *handlers) page(v *site.Visit) error {
	if err := h.Authenticator.CheckSeeFloor(v); err != nil {
		return err
	}
	stage, release, err := h.stage(v.Context(), v.Request.PathValue("table"))
	if err != nil {
		return found(v, err)
	}
	defer release()
	now, at, _, err := stage.current()
	if err != nil {
		return err
	}
	if latest := stage.wait(now); !latest.equal(at) {
		at = latest // without scripts nobody is sent the next one
	}
	r := h.reader(v)
	if s, ok := h.Authenticator.Session(v); ok {
		r.person = s.Person // being here keeps the session
	}
	parts, err := h.drawing(v, stage, now, at, &r)
	if err != nil {
		return err
	}
	b := now.state.Variant().Book
	return v.Show(site.Page{
		Title: now.inForce.Name + " · " + v.Term(b.Title), Description: v.T("tables.description", "game", v.Term(b.Title), "house", v.Term(b.House)),
		Section: "lobby", Modules: []string{"parts.js", "table.js", "motion.js", "seed.js", "opener.js"}, Sheets: []string{"table.page.css"}, Full: true,
		Body: tablePage(v, &r, now, parts, h.NowMs()),
	})
}

// sit lets a guest in, and leads to the table.
func (h *handlers) sit(v *site.Visit) error {
	name := v.Request.PathValue("table")
	if _, err := h.House.Table(name); err != nil {
		return found(v, err)
	}
	if _, err := h.Authenticator.Guest(v); err != nil {
		return err
	}
	return v.Redirect(address(name))
}

// coachingOf reads a value of the cookie or of the form; another one is none.
func coachingOf(value string) coaching {
	switch c := coaching(value); c {
	case coachBefore, coachAfter:
		return c
	default:
		return uncoached
	}
}

// train sets when the trainer speaks.
func (h *handlers) train(v *site.Visit) error {
	form, err := v.Form(1 << 10)
	if err != nil {
		return err
	}
	value := string(coachingOf(form.Get("on")))
	v.SetCookie(&http.Cookie{
		Name: trainerCookie, Value: value, Path: "/tables/", MaxAge: 365 * 24 * 3600,
		SameSite: http.SameSiteLaxMode, Secure: h.Authenticator.Secure, HttpOnly: true,
	})
	if v.Wants(site.FragmentHeader) {
		return v.Done()
	}
	return v.Redirect(address(v.Request.PathValue("table")))
}

// drill answers with hands near the line between play and fold, by the rules of the table.
func (h *handlers) drill(v *site.Visit) error {
	if err := h.Authenticator.CheckSeeFloor(v); err != nil {
		return err
	}
	s, err := h.House.Table(v.Request.PathValue("table"))
	if err != nil {
		return found(v, err)
	}
	variant := s.Variant()
	var strategy *odds.Strategy
	if sheet := h.trainer.edges(variant); sheet != nil {
		strategy = sheet.Wagers[odds.Bets(variant)[0]].Strategy
	}
	return practice.Answer(v, variant, strategy)
}
