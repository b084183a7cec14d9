package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/notary"
	"trey/internal/people"
	"trey/internal/strict"
)

// alteredForm is the form of the file of altered accounts.
const alteredForm = "trey altered v1"

// alteredPeople lists whose account was altered, and when. An older copy of the record has the
// account as it was, with the old password and a role that was taken away since. The file lies
// beside the key that signs, so it is not lost with the record. It has numbers of persons and no
// names.
type alteredPeople struct {
	Form string `json:"form"`
	// Through is the transaction up to which the record was read when the file was written.
	Through int64 `json:"through"`
	// People are by what stands for the person in the record.
	People map[string]alteration `json:"people"`

	path string
	// read is the transaction up to which the record was read, and there says that the file is.
	read  int64
	there bool
}

// alteration holds the latest transactions that altered something of a person, zero for none.
type alteration struct {
	// Account is of the password, the second factor, the role or the account itself, and Role of
	// the role alone.
	Account int64 `json:"account,omitempty"`
	Role    int64 `json:"role,omitempty"`
	// ShutOut is of when the user was shut out, zero for one who may sign in.
	ShutOut int64 `json:"shut_out,omitempty"`
	// Protection is of limits, pauses and exclusions.
	Protection int64 `json:"protection,omitempty"`
	// Erased is of when the name was erased.
	Erased int64 `json:"erased,omitempty"`
}

// alteredIn returns what the file in the folder of a key says; an error wraps [fs.ErrNotExist]
// where there is none.
func alteredIn(signing string) (*alteredPeople, error) {
	a := &alteredPeople{path: filepath.Join(signing, notary.AlteredFile)}
	text, err := os.ReadFile(a.path)
	if err != nil {
		return nil, err
	}
	if err = strict.Read(text, a); err == nil && a.Form != alteredForm {
		err = fmt.Errorf("its form is %q, and this program reads %q", a.Form, alteredForm)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", a.path, err)
	}
	if a.People == nil {
		a.People = map[string]alteration{}
	}
	a.read, a.there = a.Through, true
	return a, nil
}

// keepAltered returns what is done before a checkpoint is kept: the file of altered accounts is
// brought up to the record. One that is missing, or cannot be read, is made anew from all of it.
func keepAltered(ctx context.Context, signing string, store house.Store) func() error {
	a, err := alteredIn(signing)
	if err != nil {
		a = &alteredPeople{Form: alteredForm, People: map[string]alteration{}, path: filepath.Join(signing, notary.AlteredFile)}
	}
	return func() error { return a.follow(ctx, store) }
}

// noteAltered updates the file of altered accounts after a command has written to the record of a
// closed house. A house that signs does so with its next checkpoint, and the record may be lost
// before that.
func noteAltered(ctx context.Context, signing string, store recordStore) error {
	if err := keepAltered(ctx, signing, store)(); err != nil {
		return fmt.Errorf("it is recorded, but what trey restore has to know of it is not written beside the key: open the house once, which writes it: %w", err)
	}
	return nil
}

// follow reads on in the record, and writes the file if it has to say more.
func (a *alteredPeople) follow(ctx context.Context, store house.Store) error {
	through := store.Head().Size - 1
	more := !a.there
	for stream, take := range map[string]func(seq int64, e house.Event) (bool, error){
		identity.Stream: a.account, house.ProtectionStream: a.protection, house.NamesStream: a.name,
	} {
		err := store.ReadAll(ctx, a.read, stream, func(tx house.StoredTransaction) error {
			for i := range tx.Parts {
				if tx.Parts[i].Stream != stream {
					continue
				}
				for _, e := range tx.Parts[i].Events {
					said, err := take(tx.Seq, e)
					if err != nil {
						return fmt.Errorf("transaction %d: %w", tx.Seq, err)
					}
					more = more || said
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if more {
		a.Through = through
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := durable.Write(a.path, append(text, '\n'), 0o600); err != nil {
			return err
		}
		a.there = true
	}
	a.read = through
	return nil
}

func (a *alteredPeople) account(seq int64, e house.Event) (bool, error) {
	person, what, err := identity.AlterationBy(e)
	if err != nil || what == identity.Unaltered {
		return false, err
	}
	now := a.People[person]
	now.Account = seq
	switch what {
	case identity.RoleAltered:
		now.Role = seq
	case identity.ShutOut:
		now.ShutOut = seq
	case identity.LetIn:
		now.ShutOut = 0
	case identity.Unaltered, identity.Altered: // the account alone
	}
	a.People[person] = now
	return true, nil
}

func (a *alteredPeople) protection(seq int64, e house.Event) (bool, error) {
	read, err := protection.Read(e)
	if err != nil {
		return false, err
	}
	switch read.(type) {
	case protection.LimitChanged, protection.TimeOutBegun, protection.PlayerExcluded:
	default: // what was only shown or refused
		return false, nil
	}
	now := a.People[read.About()]
	now.Protection = seq
	a.People[read.About()] = now
	return true, nil
}

func (a *alteredPeople) name(seq int64, e house.Event) (bool, error) {
	read, err := house.NameEvents.Read(e)
	if err != nil {
		return false, err
	}
	erased, ok := read.(house.NameErased)
	if !ok {
		return false, nil
	}
	token := people.Token(erased.Number)
	now := a.People[token]
	now.Erased = seq
	a.People[token] = now
	return true, nil
}

// alteredPerson is a person of whom a copy has something as it was before.
type alteredPerson struct {
	// number stands for the person in the record, and name is what the copy has for it, the
	// number where it has none.
	number, name string
	alteration
}

// words returns, in words, what was altered after a transaction.
func (p *alteredPerson) words(after int64) string {
	account := p.Account
	if account == p.ShutOut || account == p.Role {
		account = 0 // the other word says more
	}
	var all []string
	for _, said := range []struct {
		at    int64
		words string
	}{
		{p.ShutOut, "shut out"},
		{p.Role, "given another role"},
		{account, "changed in the account"},
		{p.Protection, "given other limits, a pause or an exclusion"},
		{p.Erased, "erased by name"},
	} {
		if said.at > after {
			all = append(all, fmt.Sprintf("%s (transaction %d)", said.words, said.at))
		}
	}
	return strings.Join(all, ", ")
}

// since returns the persons of whom something was altered after a transaction, by number.
func (a *alteredPeople) since(through int64, known *people.Directory) (all []alteredPerson) {
	for number, what := range a.People {
		if max(what.Account, what.Role, what.ShutOut, what.Protection, what.Erased) > through {
			all = append(all, alteredPerson{number, known.Name(number), what})
		}
	}
	slices.SortFunc(all, func(p, q alteredPerson) int {
		n, _ := people.Number(p.number)
		m, _ := people.Number(q.number)
		return cmp.Or(cmp.Compare(n, m), strings.Compare(p.number, q.number))
	})
	return all
}

// whyNoAlterations says why nobody can be named.
func whyNoAlterations(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "the file that says so is not beside the key"
	}
	return err.Error()
}
