// Package surveillance shows a house to those who watch it: the tables, every round that was
// played, the log and the accounts.
//
// It changes nothing and has no form that does. Nobody sees a card that lies face down in a
// round in play, as nobody at the table does.
package surveillance

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/house/machines"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/reports"
	"trey/internal/web/signin"
	"trey/internal/web/site"
)

//go:embed *.css
var files embed.FS

// Config holds what the pages need from their caller.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
	// Record is the record of the house.
	Record Record
	// Autodealer knows the automatic tables that need a person; nil where nobody runs
	// any.
	Autodealer interface{ Alerts() []autodealer.Alert }
	// Machines lists the machines of the house.
	Machines machines.Lister
	// NowMs is the house's clock.
	NowMs func() int64
	// Version is the program's.
	Version string
}

// Record reads the record itself: a part of [house.Store].
type Record interface {
	Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
}

// sheets are the styles of the pages.
var sheets = []string{pit.Sheet, reports.Sheet, "surveillance.page.css"}

// handlers serves the pages of surveillance.
type handlers struct {
	Config
	journal *journal.Journal
}

// Section returns the pages.
func Section(c Config) site.Section {
	r := &handlers{c, &journal.Journal{House: c.House, Record: c.Record}}
	return site.Section{
		Path: "/surveillance", Files: files,
		Routes: map[string]site.Handler{
			"GET /surveillance":                        r.watch,
			"GET /surveillance/events":                 r.watchEvents,
			"GET /surveillance/tables/{table}":         r.table,
			"GET /surveillance/tables/{table}/events":  r.tableEvents,
			"GET /surveillance/rounds":                 r.search,
			"GET /surveillance/rounds/{table}/{round}": r.replay,
			"GET /surveillance/log":                    r.log,
			"GET /surveillance/balance":                r.balance,
			"GET /surveillance/significant":            r.register,
			"GET /surveillance/machines":               r.machines,
			"GET /surveillance/machines/events":        r.machineEvents,
		},
	}
}

// watchers are the permissions of those who may see all tables at once.
var watchers = []access.Permission{access.SearchRounds, access.ReadLog}

// still returns the session of a page that stays open by itself.
func (r *handlers) still(v *site.Visit) (identity.Session, error) {
	s, ok := r.Authenticator.Peek(v)
	for _, p := range watchers {
		if ok && s.Role.Can(p) {
			return s, nil
		}
	}
	return s, &site.Problem{Status: http.StatusUnauthorized, Text: v.T("sign.over")}
}

// tab is a link to one of the pages.
type tab struct{ key, path string }

// tabs lists the pages that a person may see.
func tabs(s identity.Session) []tab {
	all := []tab{{"tables", "/surveillance"}}
	if s.Role.Can(access.SearchRounds) {
		all = append(all, tab{"rounds", "/surveillance/rounds"})
	}
	if s.Role.Can(access.ReadLog) {
		all = append(all, tab{"log", "/surveillance/log"})
	}
	if s.Role.Can(access.ReadReports) {
		all = append(all, tab{"significant", "/surveillance/significant"}, tab{"balance", "/surveillance/balance"})
	}
	if s.Role.Can(access.SeeMetrics) {
		all = append(all, tab{"machines", "/surveillance/machines"})
	}
	return all
}

func (r *handlers) watch(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, watchers...)
	if !ok {
		return err
	}
	f, err := r.floor()
	if err != nil {
		return err
	}
	now, err := live.Draw(f.parts(v))
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("watch.title"), Modules: []string{"parts.js"}, Sheets: sheets, Wide: true, Body: watchPage(v, s, f, live.Drawing{now}),
	})
}

func (r *handlers) watchEvents(v *site.Visit) error {
	return live.Follow(v, live.Source{House: r.House, PauseMs: 300, Parts: func() ([]live.Part, error) {
		if _, err := r.still(v); err != nil {
			return nil, err
		}
		f, err := r.floor()
		if err != nil {
			return nil, err
		}
		return f.parts(v), nil
	}})
}

func (r *handlers) table(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, watchers...)
	if !ok {
		return err
	}
	t, err := r.post(v, s)
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: t.Name + " · " + v.T("watch.title"), Modules: []string{"parts.js"}, Sheets: sheets, Wide: true, Body: postPage(v, t),
	})
}

func (r *handlers) tableEvents(v *site.Visit) error {
	name := v.Request.PathValue("table")
	at, err := r.House.Status(name)
	if err != nil {
		return v.NotFound()
	}
	// Its head shows the jackpot, which other tables move too.
	return live.Follow(v, live.Source{House: r.House, Topic: house.Topic{Table: name, Jackpot: at.Jackpot}, PauseMs: 50, Parts: func() ([]live.Part, error) {
		s, err := r.still(v)
		if err != nil {
			return nil, err
		}
		t, err := r.post(v, s)
		if err != nil {
			return nil, err
		}
		return t.parts(v), nil
	}})
}

func itoa(n int) string { return strconv.Itoa(n) }

func tablePath(name string) templ.SafeURL {
	return templ.SafeURL("/surveillance/tables/" + url.PathEscape(name))
}

// roundPath returns the address at which a round is shown step by step.
func roundPath(name string, round int) templ.SafeURL {
	return templ.SafeURL("/surveillance/rounds/" + url.PathEscape(name) + "/" + itoa(round))
}

// checkPath returns the address at which a visitor's own browser checks a round.
func checkPath(name string, round int) templ.SafeURL {
	return templ.SafeURL("/check?" + url.Values{"table": {name}, "round": {itoa(round)}}.Encode())
}
