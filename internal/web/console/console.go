// Package console draws the pages on which staff run the house. Dealers run their tables,
// supervisors decide what the books leave to them, shift managers set rules and approve, and
// cashiers approve what is theirs. It shows what the engine allows now and asks the house for
// it; it decides nothing itself. Nobody sees a card here that they could not see at the table:
// not the dealer either.
package console

import (
	"context"
	"crypto/rand"
	"embed"
	"net/http"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/timeup"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/signin"
	"trey/internal/web/site"
)

//go:embed *.css *.js
var files embed.FS

// Config holds the parts of the house that the console needs.
type Config struct {
	House         *house.House
	Authenticator *signin.Authenticator
	// Record finds the beginnings of rounds.
	Record interface {
		Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
	}
	// Autodealer knows the automatic tables that need a person; nil where nobody runs
	// any.
	Autodealer interface{ Alerts() []autodealer.Alert }
	// NowMs is the house's clock.
	NowMs func() int64
	// People are the changes of users that wait for a second person, and the players.
	People People
	// Warnings are those that the players of a table get before their time ends.
	Warnings *timeup.Warnings
	// Taken are the alerts that somebody looks after.
	Taken *Taken
}

// handlers is the console.
type handlers struct{ Config }

// Section returns the console.
func Section(c Config) site.Section {
	d := &handlers{Config: c}
	return site.Section{
		Path: "/console", Files: files,
		Routes: map[string]site.Handler{
			"GET /console":                            d.floor,
			"GET /staff/events":                       d.floorEvents,
			"POST /staff/alerts":                      d.answering(4<<10, d.acknowledge, refused, access.DealTable),
			"POST /staff/jackpot-down":                d.answering(16<<10, d.jackpotDown, refused, onFloor...),
			"POST /staff/jackpot-up":                  d.answering(4<<10, d.jackpotUp, refused, access.SuspendProgressive),
			"POST /staff/cage":                        d.answering(16<<10, d.moveAtCage, refused, access.MoveAtCage),
			"POST /staff/proposals":                   d.answering(16<<10, d.propose, refused, onFloor...),
			"POST /staff/proposals/{id}":              d.deciding("console.", d.decideProposal, refused),
			"POST /staff/players":                     d.answering(16<<10, d.registerPlayer, refusedChange, access.RegisterPlayer),
			"POST /staff/user-changes/{id}":           d.deciding("console.change-", d.decideChange, refusedChange),
			"GET /console/{table}":                    d.table,
			"GET /console/{table}/events":             d.tableEvents,
			"POST /console/{table}/do":                d.do,
			"POST /console/{table}/time":              d.takeBackTime,
			"GET /console/{table}/report/{incident}":  d.report,
			"POST /console/{table}/report/{incident}": d.report,
			"GET /console/{table}/rules":              d.rules,
			"POST /console/{table}/rules":             d.changeRules,
			"POST /console/{table}/release":           d.release,
		},
	}
}

// onFloor is whoever works with tables or approves what is asked for.
var onFloor = []access.Permission{access.DealTable, access.SeeProposals}

// staff lets in who is on the floor.
func (d *handlers) staff(v *site.Visit) (identity.Session, bool, error) {
	return d.Authenticator.Staff(v, onFloor...)
}

// still does what staff does, for a page that stays open by itself.
func (d *handlers) still(v *site.Visit) (identity.Session, error) {
	s, ok := d.Authenticator.Peek(v)
	if !ok || !s.Role.Can(access.DealTable) && !s.Role.Can(access.SeeProposals) {
		return s, &site.Problem{Status: http.StatusUnauthorized, Text: v.T("sign.over")}
	}
	return s, nil
}

// key returns the idempotency key that came with a form. The page's module makes one for each
// press of a button, so that the press counts once however often it arrives.
func key(text string) string {
	if text == "" || len(text) > 64 {
		return "page " + rand.Text()
	}
	return "page " + text
}

func (d *handlers) floor(v *site.Visit) error {
	s, ok, err := d.staff(v)
	if !ok {
		return err
	}
	return d.showFloor(v, s, nil)
}

func (d *handlers) showFloor(v *site.Visit, s identity.Session, said *answer) error {
	f, err := d.floorOf(s)
	if err != nil {
		return err
	}
	return v.ShowAs(said.code(), site.Page{
		Title: v.T("console.title"), Modules: []string{"parts.js", "console.js", "float.js"}, Sheets: []string{pit.Sheet}, Wide: true,
		Body: floorPage(v, f, said),
	})
}

func (d *handlers) floorEvents(v *site.Visit) error {
	return live.Follow(v, live.Source{House: d.House, PauseMs: 200, Moved: d.Taken.Changed, Parts: func() ([]live.Part, error) {
		s, err := d.still(v)
		if err != nil {
			return nil, err
		}
		f, err := d.floorOf(s)
		if err != nil {
			return nil, err
		}
		return f.parts(v), nil
	}})
}

func (d *handlers) table(v *site.Visit) error {
	s, ok, err := d.staff(v)
	if !ok {
		return err
	}
	return d.showTable(v, s, nil, nil)
}

func (d *handlers) showTable(v *site.Visit, s identity.Session, said *answer, f *form) error {
	t, err := d.tableOf(v, s)
	if err != nil {
		return err
	}
	return v.ShowAs(said.code(), site.Page{
		Title: t.Name, Modules: []string{"parts.js", "console.js"}, Sheets: []string{pit.Sheet, "dealer.page.css"}, Wide: true,
		Body: tablePage(v, t, said, f),
	})
}

func (d *handlers) tableEvents(v *site.Visit) error {
	name := v.Request.PathValue("table")
	at, err := d.House.Status(name)
	if err != nil {
		return v.NotFound()
	}
	// Its head shows the jackpot, which other tables move too.
	return live.Follow(v, live.Source{House: d.House, Topic: house.Topic{Table: name, Jackpot: at.Jackpot}, Moved: d.Warnings.Changed, Parts: func() ([]live.Part, error) {
		s, err := d.still(v)
		if err != nil {
			return nil, err
		}
		t, err := d.tableOf(v, s)
		if err != nil {
			return nil, err
		}
		return t.parts(v), nil
	}})
}
