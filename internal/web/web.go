// Package web is the house's page: rules, mathematics, a school for dealers, and
// whatever else people see in a browser. It joins the sections, each of which is
// a package below this one, on the ground that package site lays.
package web

//go:generate go tool templ generate -path ../..
//go:generate sh -c "go tool gofumpt -w */*_templ.go"

import (
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/machines"
	"trey/internal/house/timeup"
	"trey/internal/web/check"
	"trey/internal/web/console"
	"trey/internal/web/felt"
	"trey/internal/web/lobby"
	"trey/internal/web/mathematics"
	"trey/internal/web/practice"
	"trey/internal/web/rulebook"
	"trey/internal/web/school"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/internal/web/tables"
	"trey/internal/web/users"
	"trey/trace"
)

// Config holds the parts that the page needs from its caller.
type Config struct {
	// Name is the house's, as it stands on reports; it may be empty.
	Name string
	// Version is the program's, shown at the foot of every page and on every
	// report that can be downloaded.
	Version string
	// Log receives the errors of the pages.
	Log *slog.Logger

	// House is the house in which people play. Without one the page holds rules, mathematics
	// and the school alone, and what stands below is not needed.
	House  *house.House
	People interface {
		signin.People
		console.People
		users.People
	}
	Record     house.Store
	Autodealer Autodealer
	// Machines lists the machines of the house; nil lists none.
	Machines machines.Lister
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
	// Provider lets people in beside the house's own passwords, and ProviderName is its name;
	// nil is none.
	Provider     signin.Provider
	ProviderName string
	// Admission says which requests are answered at all; nil is all.
	Admission *admission.Control
	// Notes are those that the pages keep beside the record; nil is none yet.
	Notes *Notes
	// SignResult signs results of the dealer school; nil is a house that signs none here.
	SignResult func(lines string) ([]byte, error)
	// Streams is the largest number of live pages of the house at once, zero for any number.
	Streams int
}

// Notes holds the state of the pages that is in no record, and that a restart loses. It is the
// warnings of dealers, the person who looks after an alert, and the changes of bets that can be
// undone. Use [NewNotes].
type Notes struct {
	warnings *timeup.Warnings
	taken    *console.Taken
	undo     *tables.Undo
}

// NewNotes returns notes with nothing in them.
func NewNotes() *Notes { return &Notes{timeup.New(), console.NewTaken(), tables.NewUndo()} }

// Warnings returns the warnings of dealers, which the programming interface gives too.
func (n *Notes) Warnings() *timeup.Warnings { return n.warnings }

// KeptNotes are notes as one process of a house hands them to another.
type KeptNotes struct {
	Warnings map[string]timeup.Warning    `json:"warnings,omitempty"`
	Taken    map[string]console.Caretaker `json:"taken,omitempty"`
	Undo     map[string]tables.Undoable   `json:"undo,omitempty"`
}

// Kept returns the notes as they are now, of the process that runs the house.
func (n *Notes) Kept(h *house.House, c *autodealer.Autodealer) KeptNotes {
	n.taken.ForgetEnded(h, c)
	return KeptNotes{n.warnings.All(), n.taken.All(), n.undo.All()}
}

// Take takes in the notes of another process.
func (n *Notes) Take(kept *KeptNotes) {
	n.warnings.Take(kept.Warnings)
	n.taken.Take(kept.Taken)
	n.undo.Take(kept.Undo)
}

// RedrawFloor has the open pages of the floor drawn anew, for a change of the users that another
// process has made.
func (n *Notes) RedrawFloor() { n.taken.Redraw() }

// New returns the page. It answers at / and everything below it that no other
// handler takes: mount it beside the programming interface.
func New(c Config) http.Handler {
	return site.New(site.Config{Version: c.Version, PlayMoney: c.House == nil || c.House.PlayMoney(), Log: c.Log, Streams: c.Streams, Admission: c.Admission, Unsure: house.Unsure, SignedOut: identity.SignedOut}, sections(c)...)
}

// Routes lists the patterns that [New] answers, as http.ServeMux has them.
func Routes(c Config) (all []string) {
	for _, section := range sections(c) {
		all = slices.AppendSeq(all, maps.Keys(section.Routes))
	}
	slices.Sort(all)
	return all
}

// ruleBooks is the section of the rules: the same on every site, and dear to make.
var ruleBooks = sync.OnceValue(func() site.Section {
	index, err := trace.Embedded()
	if err != nil {
		panic("web: " + err.Error()) // it was built in
	}
	return rulebook.Section(&index)
})

func sections(c Config) []site.Section {
	all := []site.Section{{Files: felt.Files}, {Files: practice.Files}}
	learning := school.Config{NowMs: c.NowMs, Sign: c.SignResult}
	if learning.NowMs == nil {
		learning.NowMs = func() int64 { return time.Now().UnixMilli() } // without a house there is no house clock
	}
	if c.House == nil {
		all = append(all, lobby.Section(nil))
	} else {
		if c.Notes == nil {
			c.Notes = NewNotes()
		}
		if c.Machines == nil {
			c.Machines = machines.None(c.NowMs)
		}
		authenticator := &signin.Authenticator{People: c.People, NowMs: c.NowMs, Secure: c.Secure, Guests: c.Guests, OnePerson: c.OnePerson, Admission: c.Admission, Provider: c.Provider, ProviderName: c.ProviderName}
		all = append(
			all,
			lobby.Section(&lobby.Floor{House: c.House, Authenticator: authenticator, Log: c.Log}),
			tables.Section(tables.Config{House: c.House, Record: c.Record, Autodealer: c.Autodealer, Authenticator: authenticator, NowMs: c.NowMs, Log: c.Log, Warnings: c.Notes.warnings, Undo: c.Notes.undo, Renewal: c.Renewal}),
		)
		all = append(all, staff(c, authenticator)...)
		learning.Person = func(v *site.Visit) int64 {
			s, ok := authenticator.Session(v)
			if !ok || s.Role == access.Guest {
				return 0
			}
			number, _ := c.House.PersonNumber(s.Name)
			return number
		}
	}
	return append(
		all,
		ruleBooks(),
		mathematics.Section(c.Version),
		school.Section(learning),
		check.Section(),
	)
}
