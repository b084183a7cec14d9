package house

import (
	"errors"
	"fmt"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/sentence"
)

// operator is the owner of the machine, who carries out what two people agreed.
const operator = "the operator of the machine"

// errErasable is wrapped where a name cannot be erased as things stand.
var errErasable = errors.New("the name cannot be erased yet")

// EraseName erases the name of a person from the record, as two people have agreed.
type EraseName struct {
	Name string `json:"name"`
}

// CheckErasable refuses to erase the name of a person who has money, a bet in a round or a
// prize that is held. It also refuses while a proposal by or about the person is open, and
// during an exclusion or time-out, which nobody could enforce without the name.
func (h *House) CheckErasable(name string) error {
	for _, f := range h.figuresNow([]ledger.Account{{Kind: ledger.Player, Of: name}, {Kind: ledger.Owed, Of: name}}) {
		if f.Holds != 0 {
			return sentence.Errorf("%s holds $%s: pay it out or settle it first: %s", f.Account.String(), f.Holds.Display(), errErasable)
		}
	}
	for at, s := range inOrder(h.tables) {
		s.Lock()
		laid, round := laidBy(&s.state, name), s.state.Round
		s.Unlock()
		if laid != 0 {
			return sentence.Errorf("%s has bets in round %d at %s: let it end first: %s", name, round, at, errErasable)
		}
	}
	for at, p := range inOrder(h.jackpots) {
		state := p.inLine()
		for i := range state.Unverified {
			if state.Unverified[i].Winner == name {
				return sentence.Errorf("a hit of %s in jackpot %s is not verified: verify or deny it first: %s", name, at, errErasable)
			}
		}
	}
	for _, one := range h.Proposals() {
		if one.By.Name == name || concerns(one.Proposal, name) {
			return sentence.Errorf("proposal %d is by %s or about them: approve or decline it first: %s", one.ID, name, errErasable)
		}
	}
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	if err := h.guard.of(name).Barred(name, h.world.NowMs()); err != nil {
		return sentence.Errorf("%s: %s", err, errErasable)
	}
	return nil
}

// concerns reports whether a proposal names a person.
func concerns(p Proposal, name string) (found bool) {
	written, err := Proposals.Write(p)
	if err == nil {
		_, err = people.Rename(written.Body, func(other string) string {
			found = found || other == name
			return other
		})
	}
	return found || err != nil
}

// RecordErasure erases the name of a person from a record that no house has open, with the two
// people who agreed to it. It returns the number that remains of the person. The operator of
// the machine carries it out. [House.CheckErasable] says whether the name may be erased.
func RecordErasure(s Store, atMs int64, name string, by, and access.Person, why string) (number int64, err error) {
	n := Named(s).(*named)
	token, known := n.directory.Token(name)
	number, given := people.Number(token)
	if !known || !given {
		return 0, fmt.Errorf("%.70q has no number in the record: nothing there is to be erased", name)
	}
	cause, err := causeOf(access.Person{Name: operator, Role: access.Administrator}, "", EraseName{Name: name})
	if err != nil {
		return 0, err
	}
	e, err := NameEvents.Write(NameErased{Number: number, By: by, And: and, Why: why})
	if err != nil {
		return 0, err
	}
	// Those who agreed may have no number yet.
	n.token(by.Name, atMs)
	n.token(and.Name, atMs)
	done := <-n.Append(&Transaction{
		AtMs: atMs, Cause: cause,
		Parts: []StreamAppend{{Stream: NamesStream, After: n.directory.Recorded(), Events: []Event{e}}},
		Erase: []int64{number},
	})
	if done.Err != nil {
		return 0, fmt.Errorf("the erasure of the name was not recorded: %w", done.Err)
	}
	n.directory.Forget(number)
	return number, nil
}
