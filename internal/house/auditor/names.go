package auditor

import (
	"context"
	"encoding/hex"
	"fmt"

	"trey/internal/house"
	"trey/internal/people"
)

// Names hands out the names of persons in the order of their numbers: a [house.Store] does.
type Names interface {
	Names(ctx context.Context, after int64, yield func(people.Name) error) error
}

// numbered is a number that the record gives to a person.
type numbered struct {
	seq        int64
	commitment string
	erased     bool
}

// CheckNames checks the names of persons against the numbers in the record. Each number is
// given once and in order, and each name is the one that was committed to. A missing name was
// erased, as two people had agreed. An error says that the record cannot be read.
func CheckNames(ctx context.Context, n interface {
	Leaves
	Names
},
) (found []Finding, err error) {
	check := newNameCheck()
	if err := n.Leaves(ctx, 0, func(leaf house.Leaf) error { check.add(&leaf); return nil }); err != nil {
		return nil, fmt.Errorf("read the numbers of persons: %w", err)
	}
	if err := check.compare(ctx, n); err != nil {
		return nil, err
	}
	return check.found, nil
}

// nameCheck follows the numbers that a record gives to persons.
type nameCheck struct {
	given  []numbered
	agreed map[string][2]string // by person: who asked for the erasure, and who approved it
	found  []Finding
}

func newNameCheck() *nameCheck { return &nameCheck{agreed: map[string][2]string{}} }

func (c *nameCheck) find(seq int64, format string, args ...any) {
	c.found = append(c.found, Finding{Seq: seq, What: fmt.Sprintf(format, args...)})
}

// add takes in the next transaction. Events that are not shown are no agreements.
func (c *nameCheck) add(leaf *house.Leaf) {
	for i := range leaf.Line.Parts {
		p := &leaf.Line.Parts[i]
		if p.Withheld || p.Stream != house.NamesStream && p.Stream != "people" {
			continue
		}
		events, err := read[[]house.Event](p.Events)
		for k := range events {
			switch {
			case err != nil:
			case p.Stream == house.NamesStream:
				err = c.event(leaf.Seq, events[k])
			default:
				err = agree(c.agreed, events[k])
			}
		}
		if err != nil {
			c.find(leaf.Seq, "what it says of names cannot be read: %v", err)
		}
	}
}

// event takes in an event of names.
func (c *nameCheck) event(seq int64, r house.Event) error {
	switch r.Kind {
	case "person-numbered":
		e, err := read[struct {
			Number     int64
			Commitment string
		}](r.Body)
		if err != nil {
			return err
		}
		if want := int64(len(c.given)) + 1; e.Number != want {
			c.find(seq, "the number %d is given to a person where %d is next", e.Number, want)
		}
		c.given = append(c.given, numbered{seq: seq, commitment: e.Commitment})
	case "name-erased":
		e, err := read[struct {
			Number  int64
			By, And struct{ Name string }
		}](r.Body)
		if err != nil {
			return err
		}
		if by := [2]string{e.By.Name, e.And.Name}; by[0] == by[1] || c.agreed[people.Token(e.Number)] != by {
			c.find(seq, "the name of number %d is erased by %s and %s, and no two people agreed so", e.Number, by[0], by[1])
		}
		if e.Number < 1 || e.Number > int64(len(c.given)) || c.given[e.Number-1].erased {
			c.find(seq, "the name of number %d is erased, and there is none", e.Number)
			return nil
		}
		c.given[e.Number-1].erased = true
	default:
		c.find(seq, "%s is no event of names", r.Kind)
	}
	return nil
}

// compare checks the names that are kept against the numbers that were given.
func (c *nameCheck) compare(ctx context.Context, n Names) error {
	there, of := map[int64]bool{}, map[string]string{}
	err := n.Names(ctx, 0, func(name people.Name) error {
		token := people.Token(name.Number)
		if name.Number < 1 || name.Number > int64(len(c.given)) {
			c.find(0, "the table of names has %q as %s, which the record gives to nobody", name.Text, token)
			return nil
		}
		there[name.Number] = true
		if before := of[name.Text]; before != "" && name.Text != "" {
			c.find(0, "the table of names has %q as %s and as %s: nobody has two numbers", name.Text, before, token)
		}
		of[name.Text] = token
		numbered := c.given[name.Number-1]
		commitment := name.Commitment()
		switch {
		case name.Text == "" && !numbered.erased:
			c.find(numbered.seq, "the name of %s is not in the table of names, and nobody erased it", token)
		case name.Text != "" && numbered.erased:
			c.find(numbered.seq, "the name of %s was erased, and the table of names has %q", token, name.Text)
		case numbered.erased && name.Salt != people.Salt{}:
			c.find(numbered.seq, "the name of %s was erased, and the table of names has its salt, with which names can be tried", token)
		case name.Text != "" && hex.EncodeToString(commitment[:]) != numbered.commitment:
			c.find(numbered.seq, "the table of names has %q as %s, and that is not the name to which the number was given", name.Text, token)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the names: %w", err)
	}
	for i, numbered := range c.given {
		if number := int64(i) + 1; !there[number] {
			c.find(numbered.seq, "the table of names does not have %s", people.Token(number))
		}
	}
	return nil
}

// agree notes what two people agree about the name of a user: it lapses when the user is
// let in again.
func agree(agreed map[string][2]string, r house.Event) error {
	switch r.Kind {
	case "erasure-agreed", "user-enabled":
	default:
		return nil
	}
	e, err := read[struct {
		Name    string
		By      string
		AskedBy string `json:"asked_by"`
	}](r.Body)
	if err != nil {
		return err
	}
	if r.Kind == "user-enabled" {
		delete(agreed, e.Name)
		return nil
	}
	agreed[e.Name] = [2]string{e.AskedBy, e.By}
	return nil
}
