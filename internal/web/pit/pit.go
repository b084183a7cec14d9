// Package pit is what those who run tables and those who watch them have before them
// of each: how it stands, what there needs a person, and what happened in its round.
// The pages of both draw it by this package.
//
// Nobody learns more here than the whole table knows.
package pit

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/croupier"
	"trey/internal/house/journal"
	"trey/internal/web/telling"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

//go:embed *.css
var Files embed.FS

// Alert is something at a table that a person has to see to.
type Alert struct {
	// ID tells it from every other, and from the same thing in another round.
	ID, Table string
	Round     int
	// SinceMs is since when, zero if nobody has noted it.
	SinceMs int64
	// Why says it, in words without cards.
	Why sentence.Sentence
	// By is who looks after it since AtMs, empty for nobody.
	By   string
	AtMs int64
}

// Alerts are those of the croupier, which may be nil, and of the tables themselves.
func Alerts(tables []house.TableStatus, c interface{ Alerts() []croupier.Alert }) (all []Alert) {
	add := func(what string, a Alert) {
		a.ID = fmt.Sprint(a.Table, " ", a.Round, " ", what)
		all = append(all, a)
	}
	if c != nil {
		for _, a := range c.Alerts() {
			why, said := a.Why, a.Why.String()
			bare := journal.WithoutCards(said)
			if bare != said {
				why = sentence.Of("%s", sentence.Word(bare))
			}
			add(bare, Alert{Table: a.Table, Round: a.Round, SinceMs: a.SinceMs, Why: why})
		}
	}
	for i := range tables {
		is := &tables[i]
		if At(is.Name, all) != nil {
			continue
		}
		switch {
		case is.Stopped != nil:
			add("stopped", Alert{Table: is.Name, Round: is.State.Round(), Why: sentence.Of("the table has stopped")})
		case is.State.Phase() == table.Closed:
		default:
			if asked := is.State.Question(table.Actor{}); asked != nil {
				add(asked.Key, Alert{Table: is.Name, Round: is.State.Round(), Why: sentence.Of("%s", sentence.Word(asked.Ask(is.State.Variant().Book)))})
			}
		}
	}
	return all
}

// At are the alerts of one table.
func At(name string, all []Alert) (at []Alert) {
	for i := range all {
		if all[i].Table == name {
			at = append(at, all[i])
		}
	}
	return at
}

// Tables are all tables of a house as they stand.
func Tables(h *house.House) (all []house.TableStatus, err error) {
	for _, name := range h.Tables() {
		is, err := h.Status(name)
		if err != nil {
			return nil, err
		}
		all = append(all, is)
	}
	return all, nil
}

// Told is a sentence about a round with the time of it, zero for none.
type Told struct {
	telling.Saying
	AtMs int64
}

// Tell is an event in words, told by the rules in force. What is told of it is what was
// asked for: see [house.TableEvent].
func Tell(e table.Event, by *rules.Variant, atMs int64) (all []Told) {
	for _, said := range telling.Of(e, &table.State{Variant: by}) {
		all = append(all, Told{said, atMs})
	}
	return all
}

// most is how many sentences stand beside a table.
const most = 60

// Record tells where rounds begin: a part of [house.Store].
type Record interface {
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
}

// Latest tells of the last round at a table, the last thing first, as the whole table
// knows it: also when the round is over.
func Latest(ctx context.Context, h *house.House, record Record, name string) (all []Told, err error) {
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
			all = append(all, Tell(e.For(table.Viewer{}), n.State.Variant(), n.AtMs)...)
		}
		return nil
	})
	all = all[max(0, len(all)-most):]
	slices.Reverse(all)
	return all, err
}

// Clock is a time of the day in the house's own zone.
func Clock(ms int64) string { return time.UnixMilli(ms).Format("15:04:05") }

// ClauseLink is the page of a provision, given with its book or without; where it has no
// page of its own, the book's.
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
func asked(is *house.TableStatus) bool { return is.State.Question(table.Actor{}) != nil }
