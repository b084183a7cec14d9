// Package pit draws the tables of a house for the people who run them and those who watch them.
// It shows the state of each, what there needs a person, and the events of its round. It also
// holds the page of all tables with their figures, and the page with the ratings of players.
//
// The pages show no more than the whole table knows, and change nothing.
package pit

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/journal"
	"trey/internal/web/narration"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

//go:embed *.css
var Files embed.FS

// Sheet is the style of what is drawn here.
const Sheet = "pit.page.css"

// Alert is a matter at a table that a person has to see to.
type Alert struct {
	// ID differs from that of every other alert, also of the same matter in another round.
	ID, Table string
	Round     int
	// SinceMs is the moment it began, zero if that was not noted.
	SinceMs int64
	// Why describes it without cards.
	Why sentence.Sentence
	// By is the name of the person who looks after it since AtMs, empty for nobody.
	By   string
	AtMs int64
}

// Alerts returns the alerts of the autodealer, which may be nil, and of the tables themselves.
func Alerts(tables []house.TableStatus, c interface{ Alerts() []autodealer.Alert }) (all []Alert) {
	add := func(what string, a Alert) {
		a.ID = fmt.Sprint(a.Table, " ", a.Round, " ", what)
		all = append(all, a)
	}
	if c != nil {
		for _, a := range c.Alerts() {
			why, words := a.Why, a.Why.String()
			bare := journal.WithoutCards(words)
			if bare != words {
				why = sentence.Of("%s", sentence.Word(bare))
			}
			add(bare, Alert{Table: a.Table, Round: a.Round, SinceMs: a.SinceMs, Why: why})
		}
	}
	for i := range tables {
		status := &tables[i]
		if At(status.Name, all) != nil {
			continue
		}
		switch {
		case status.Stopped != nil:
			add("stopped", Alert{Table: status.Name, Round: status.State.Round(), Why: sentence.Of("the table has stopped")})
		case status.State.Phase() == table.Closed:
		default:
			if asked := status.State.Question(table.Actor{}); asked != nil {
				add(asked.Key, Alert{Table: status.Name, Round: status.State.Round(), Why: sentence.Of("%s", sentence.Word(asked.Ask(status.State.Variant().Book)))})
			}
		}
	}
	return all
}

// At returns the alerts of one table.
func At(name string, all []Alert) (at []Alert) {
	for i := range all {
		if all[i].Table == name {
			at = append(at, all[i])
		}
	}
	return at
}

// Tables returns the status of every table of a house.
func Tables(h *house.House) (all []house.TableStatus, err error) {
	for _, name := range h.Tables() {
		status, err := h.Status(name)
		if err != nil {
			return nil, err
		}
		all = append(all, status)
	}
	return all, nil
}

// TimedLine is a sentence about a round, with its time, zero for none.
type TimedLine struct {
	narration.Line
	AtMs int64
}

// Narrate returns the sentences about an event by the rules in force. They say no more than the
// event does: see [house.TableEvent].
func Narrate(e table.Event, by *rules.Variant, atMs int64) (all []TimedLine) {
	for _, line := range narration.Of(e, &table.State{Variant: by}) {
		all = append(all, TimedLine{line, atMs})
	}
	return all
}

// most is the number of sentences beside a table.
const most = 60

// Record says where rounds begin: a part of [house.Store].
type Record interface {
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
}

// Latest returns the sentences about the last round of a table, the last one first, as the
// whole table knows it: also when the round is over.
func Latest(ctx context.Context, h *house.House, record Record, name string) (all []TimedLine, err error) {
	first := int64(-1)
	err = record.Rounds(ctx, "table:"+name, 0, 1, func(m house.RoundMark) error {
		first = m.Seq
		return nil
	})
	if err != nil || first < 0 {
		return nil, err
	}
	err = h.EventsSince(ctx, house.Topic{Table: name}, first-1, func(n *house.Notice) error {
		for _, e := range n.Events {
			all = append(all, Narrate(e.For(table.Viewer{}), n.State.Variant(), n.AtMs)...)
		}
		return nil
	})
	all = all[max(0, len(all)-most):]
	slices.Reverse(all)
	return all, err
}

// ClauseLink returns the address of the page of a provision, given with its book or without;
// where the provision has no page, that of the book.
func ClauseLink(b *rules.Book, clause string) templ.SafeURL {
	if b == nil {
		return "/rules"
	}
	if _, id, ok := strings.Cut(clause, " "); ok {
		clause = id
	}
	if _, ok := b.Clause(clause); ok {
		return templ.SafeURL("/rules/" + b.ID + "/" + clause)
	}
	return templ.SafeURL("/rules/" + b.ID)
}

// asked reports whether a question is open at a table.
func asked(status *house.TableStatus) bool { return status.State.Question(table.Actor{}) != nil }
