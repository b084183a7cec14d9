package web

import (
	"trey/internal/house/croupier"
	"trey/internal/web/account"
	"trey/internal/web/console"
	"trey/internal/web/display"
	"trey/internal/web/entry"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/site"
	"trey/internal/web/surveillance"
	"trey/internal/web/tables"
)

// staff are the pages of those who run the house or watch over it.
func staff(c Config, desk *entry.Authenticator) []site.Section {
	return []site.Section{
		{Files: live.Files},
		pit.Section(pit.Config{House: c.House, Desk: desk, Record: c.Record, Croupier: c.Croupier, NowMs: c.NowMs, Version: c.Version}),
		desk.Section(),
		console.Section(console.Config{House: c.House, Desk: desk, People: c.People, Record: c.Record, Croupier: c.Croupier, NowMs: c.NowMs, Warnings: c.Notes.warnings, Taken: c.Notes.taken}),
		surveillance.Section(surveillance.Config{House: c.House, Desk: desk, Record: c.Record, Croupier: c.Croupier, Machines: c.Machines, NowMs: c.NowMs, Version: c.Version}),
		account.Section(account.Config{House: c.House, Desk: desk}),
		display.Section(display.Config{House: c.House, Desk: desk, NowMs: c.NowMs}),
	}
}

// Croupier is the part of the house's own croupier that the pages need.
type Croupier interface {
	tables.Croupier
	// Alerts is [croupier.Croupier.Alerts].
	Alerts() []croupier.Alert
}
