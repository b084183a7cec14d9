package web

import (
	"trey/internal/house/autodealer"
	"trey/internal/web/account"
	"trey/internal/web/console"
	"trey/internal/web/display"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/reports"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/internal/web/surveillance"
	"trey/internal/web/tables"
	"trey/internal/web/users"
)

// staff returns the pages of those who run the house or watch over it.
func staff(c Config, authenticator *signin.Authenticator) []site.Section {
	return []site.Section{
		{Files: live.Files},
		pit.Section(pit.Config{House: c.House, Authenticator: authenticator, Record: c.Record, Autodealer: c.Autodealer, NowMs: c.NowMs, Version: c.Version}),
		reports.Section(reports.Config{House: c.House, Authenticator: authenticator, Record: c.Record, NowMs: c.NowMs, Name: c.Name, Version: c.Version}),
		authenticator.Section(),
		console.Section(console.Config{House: c.House, Authenticator: authenticator, People: c.People, Record: c.Record, Autodealer: c.Autodealer, NowMs: c.NowMs, Warnings: c.Notes.warnings, Taken: c.Notes.taken}),
		surveillance.Section(surveillance.Config{House: c.House, Authenticator: authenticator, Record: c.Record, Autodealer: c.Autodealer, Machines: c.Machines, NowMs: c.NowMs, Version: c.Version}),
		account.Section(account.Config{House: c.House, Authenticator: authenticator}),
		users.Section(users.Config{Authenticator: authenticator, People: c.People, NowMs: c.NowMs, Redraw: c.Notes.taken.Redraw}),
		display.Section(display.Config{House: c.House, Authenticator: authenticator, NowMs: c.NowMs}),
	}
}

// Autodealer is the part of the house's own autodealer that the pages need.
type Autodealer interface {
	tables.Autodealer
	// Alerts is [autodealer.Autodealer.Alerts].
	Alerts() []autodealer.Alert
}
