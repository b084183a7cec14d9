package main

import (
	"context"
	"os"
	"time"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/machines"
	"trey/internal/house/plan"
	"trey/internal/house/protection"
	forms "trey/internal/record"
	"trey/internal/store/postgres"
	"trey/rules/books"
)

// programTables are the tables of the database with which this program works; nil are those
// of package postgres. A test has those of another version.
var programTables *postgres.Tables

// earlierFirst is for how long this program leaves the place of the writer to an earlier one; zero
// is the time of package postgres.
var earlierFirst time.Duration

// programReads returns what this program reads of what other machines write. The store adds
// the version of the tables.
func programReads() machines.Reads {
	reads := machines.Reads{Books: map[string]int{}, Forms: map[string]int{}}
	for _, b := range books.All() {
		reads.Books[b.Ref()] = b.Revision
	}
	for of, versions := range recordedForms() {
		for kind, version := range versions {
			reads.Forms[of+":"+kind] = version
		}
	}
	return reads
}

// recordedForms returns the latest version of each kind of event and command in a record, by what
// they are of. A test has those of another version of the program.
var recordedForms = func() map[string]map[string]int {
	return map[string]map[string]int{
		"table": forms.TableEvents.Versions(), "action": forms.Actions.Versions(), "jackpot": forms.JackpotEvents.Versions(),
		"house": house.OwnEvents.Versions(), "command": house.Commands.Versions(), "proposal": house.Proposals.Versions(), "name": house.NameEvents.Versions(),
		"people": identity.Events.Versions(), "people-command": identity.Commands.Versions(), "protection": protection.Events.Versions(), "deal": fair.Events.Versions(),
	}
}

// machines returns what lists the machines of the house: its database, or this one alone.
func (s *site) machines() machines.Lister {
	if database, ok := s.record.(interface {
		Machines(ctx context.Context) (machines.House, error)
	}); ok {
		return database.Machines
	}
	node, _ := os.Hostname() // it is for people
	return func(context.Context) (machines.House, error) {
		return machines.Alone(machines.Machine{
			Node: node, Address: s.node, Version: version(), Reads: programReads(), Seq: s.record.Head().Size - 1, SeenMs: s.clock.nowMs(),
		}), nil
	}
}

// unread returns what names the machines that do not read a revision of a book, nil where
// there is one machine.
func (s *site) unread() func(ref string, revision int) []string {
	if database, ok := s.store.(*postgres.Store); ok {
		return database.Unread
	}
	return nil
}

// beginInterval is the time between two attempts to begin what waits for other machines.
const beginInterval = time.Second

// beginWaiting begins what waits until every machine of the house reads it: tables go over to
// the revisions of their books that this program has, and to the configuration.
func (s *site) beginWaiting(ctx context.Context) {
	ticker := time.NewTicker(beginInterval)
	defer ticker.Stop()
	for logged := ""; ; {
		waits, err := s.house.CarryOver(ctx)
		if err == nil && waits == nil && plan.Waiting(s.applied) {
			s.applied, err = s.plan.ApplyWaiting(ctx, s.house, s.applied)
		}
		switch {
		case err != nil:
			if why := err.Error(); why != logged && ctx.Err() == nil {
				logged = why
				s.log.Error("tables cannot go over to the rules of this program", "why", why)
			}
		case waits != nil:
			if why := waits.Error(); why != logged {
				logged = why
				s.log.Warn("tables keep the rules that they have until the other machines are upgraded", "why", why)
			}
		case !plan.Waiting(s.applied):
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
