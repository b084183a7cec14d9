// Package web is the house's page: rules, mathematics, a school for dealers, and
// whatever else people see in a browser. It joins the sections, each of which is
// a package below this one, on the ground that package site lays.
package web

//go:generate go tool templ generate -path ../..

import (
	"log/slog"
	"net/http"

	"trey/internal/web/felt"
	"trey/internal/web/lobby"
	"trey/internal/web/mathematics"
	"trey/internal/web/rulebook"
	"trey/internal/web/school"
	"trey/internal/web/site"
	"trey/trace"
)

// Config is what the page needs from whoever runs it.
type Config struct {
	// Version is the program's, shown at the foot of every page and on every
	// report that can be downloaded.
	Version string
	// Log is told what goes wrong here.
	Log *slog.Logger
}

// New returns the page. It answers at / and everything below it that no other
// handler takes: mount it beside the programming interface.
func New(c Config) http.Handler {
	index, err := trace.Embedded()
	if err != nil {
		panic("web: " + err.Error()) // it was built in
	}
	return site.New(
		c.Version, c.Log,
		site.Section{Files: felt.Files},
		lobby.Section(),
		rulebook.Section(&index),
		mathematics.Section(c.Version),
		school.Section(),
	)
}
