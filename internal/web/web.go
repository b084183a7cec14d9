// Package web is the house's page: rules, mathematics, a school for dealers, and
// whatever else people see in a browser. It joins the sections, each of which is
// a package below this one, on the ground that package site lays.
package web

//go:generate go tool templ generate -path ../..

import (
	"log/slog"
	"net/http"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/timeup"
	"trey/internal/web/check"
	"trey/internal/web/console"
	"trey/internal/web/entry"
	"trey/internal/web/felt"
	"trey/internal/web/lobby"
	"trey/internal/web/mathematics"
	"trey/internal/web/rulebook"
	"trey/internal/web/school"
	"trey/internal/web/site"
	"trey/internal/web/tables"
	"trey/trace"
)

// Config holds the parts that the page needs from its caller.
type Config struct {
	// Version is the program's, shown at the foot of every page and on every
	// report that can be downloaded.
	Version string
	// Log is told what goes wrong here.
	Log *slog.Logger

	// House is where people play. Without one the page holds rules, mathematics
	// and the school alone, and what stands below is not needed.
	House  *house.House
	People interface {
		entry.People
		console.People
	}
	Record   house.Store
	Croupier Croupier
	// NowMs is the house's clock.
	NowMs func() int64
	// Secure says that visitors reach the page by TLS, Guests that the house lets
	// in people without a name.
	Secure, Guests bool
	// OnePerson says that this is a demonstration, in which one person does what takes two
	// elsewhere.
	OnePerson bool
	// Renewal gives players new play money; nil is a house that gives none.
	Renewal tables.Renewal
	// Provider lets people in beside the house's own passwords, and ProviderName is what
	// it is called; nil is none.
	Provider     entry.Provider
	ProviderName string
	// Admission says which requests are answered at all; nil is all.
	Admission *admission.Control
	// Warnings holds the warnings that the players' time ends, with those of the programming
	// interface; nil is those of the page alone.
	Warnings *timeup.Warnings
	// Streams is how many pages of the house may be open at once that are kept as it
	// stands, zero for any number.
	Streams int
}

// New returns the page. It answers at / and everything below it that no other
// handler takes: mount it beside the programming interface.
func New(c Config) http.Handler {
	index, err := trace.Embedded()
	if err != nil {
		panic("web: " + err.Error()) // it was built in
	}
	sections := []site.Section{{Files: felt.Files}}
	if c.House == nil {
		sections = append(sections, lobby.Section(nil))
	} else {
		warnings := c.Warnings
		if warnings == nil {
			warnings = timeup.New()
		}
		desk := &entry.Authenticator{People: c.People, NowMs: c.NowMs, Secure: c.Secure, Guests: c.Guests, OnePerson: c.OnePerson, Admission: c.Admission, Provider: c.Provider, ProviderName: c.ProviderName}
		sections = append(
			sections,
			lobby.Section(&lobby.Floor{House: c.House, Desk: desk}),
			tables.Section(tables.Config{House: c.House, Record: c.Record, Croupier: c.Croupier, Desk: desk, NowMs: c.NowMs, Log: c.Log, Warnings: warnings, Renewal: c.Renewal}),
		)
		sections = append(sections, staff(c, desk, warnings)...)
	}
	sections = append(
		sections,
		rulebook.Section(&index),
		mathematics.Section(c.Version),
		school.Section(),
		check.Section(),
	)
	return site.New(site.Config{Version: c.Version, Log: c.Log, Streams: c.Streams, Admission: c.Admission}, sections...)
}
