package main

import (
	"context"
	"os"

	"trey/internal/house/machines"
	"trey/rules/books"
)

// programReads returns what this program reads of what other machines write. The store adds
// the version of the tables.
func programReads() machines.Reads {
	reads := machines.Reads{Books: map[string]int{}}
	for _, b := range books.All() {
		reads.Books[b.Ref()] = b.Revision
	}
	return reads
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
