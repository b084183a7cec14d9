package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// Posting moves an amount: From is debited, To is credited.
type Posting struct {
	From   Account      `json:"from"`
	To     Account      `json:"to"`
	Amount money.Amount `json:"amount"`
	For    Reference    `json:"for"`
}

// Reference names the cause of a posting. A posting for a round names its table, round
// and box, and the wager where it is about one; one for a settlement line also names the
// line.
type Reference struct {
	Reason Reason      `json:"reason"`
	Table  string      `json:"table,omitempty"`
	Round  int         `json:"round,omitempty"`
	Box    int         `json:"box,omitempty"`
	Wager  rules.Wager `json:"wager,omitzero"`
	// Line counts the settlement lines of the round from 1.
	Line   int    `json:"line,omitempty"`
	Clause string `json:"clause,omitempty"`
	// Jackpot is the jackpot concerned.
	Jackpot string `json:"jackpot,omitempty"`
	// Note is for what the other fields cannot say.
	Note string `json:"note,omitempty"`
}

// ErrMalformed is wrapped by the error of [Post] about a posting that cannot be.
var ErrMalformed = errors.New("no such posting is possible")

// Short is the error of [Post] where an account that never falls below zero
// would: nothing has moved.
type Short struct {
	Account Account
	// Balance is what it holds, Needed what it takes.
	Balance, Needed money.Amount
	// Withheld says that Balance is left out: the account is not of whoever reads this.
	Withheld bool
}

// Error names the account and the sum that is missing.
func (e *Short) Error() string { return e.Sentence().String() }

// Sentence returns the text of Error as a sentence with its values kept apart. It names the account as
// people call it.
func (e *Short) Sentence() sentence.Sentence {
	of, holds, needed := e.Account.Of, e.Balance.Display(), e.Needed.Display()
	if e.Withheld {
		return sentence.Of("%s does not have the $%s that this takes", of, needed)
	}
	switch e.Account.Kind {
	case Player:
		return sentence.Of("%s has $%s, and this takes $%s", of, holds, needed)
	case Layout:
		return sentence.Of("$%s lies on table %s, and this takes $%s", holds, of, needed)
	case Meter:
		return sentence.Of("the meter of jackpot %s is at $%s, and this takes $%s", of, holds, needed)
	case Reserve:
		return sentence.Of("the reserve of jackpot %s is $%s, and this takes $%s", of, holds, needed)
	case Owed:
		return sentence.Of("%s owes $%s, and this takes $%s", of, holds, needed)
	case Payable:
		return sentence.Of("$%s of jackpot %s waits to be handed out, and this takes $%s", holds, of, needed)
	case Rack, Win, House, Cash: // These fall below zero.
	}
	return sentence.Of("%s holds $%s, and this takes $%s", e.Account.String(), holds, needed)
}

// check refuses a posting that moves nothing, or from or to nowhere.
func (p *Posting) check() error {
	switch {
	case !p.From.Valid() || !p.To.Valid():
		return fmt.Errorf("%w: from %s to %s", ErrMalformed, p.From, p.To)
	case p.From == p.To:
		return fmt.Errorf("%w: from %s to itself", ErrMalformed, p.From)
	case p.Amount <= 0:
		return fmt.Errorf("%w: an amount of %s", ErrMalformed, p.Amount)
	case p.For.Reason == 0 || p.For.Reason >= numReasons:
		return fmt.Errorf("%w: it gives no reason", ErrMalformed)
	}
	return nil
}

// Change is the change of one account by a transaction.
type Change struct {
	Account Account      `json:"account"`
	By      money.Amount `json:"by"`
	After   money.Amount `json:"after"`
}

// Balances returns the sum that each account holds; an account that was never used holds
// nothing.
type Balances interface {
	Balance(a Account) money.Amount
}

// Post returns the changes by all the postings together, in the order of the accounts. It
// refuses an invalid posting with [ErrMalformed], an account that would fall below zero
// with [*Short], and amounts that no account can hold with [money.ErrOverflow]; nothing
// is changed by it in any case.
func Post(on Balances, postings ...Posting) ([]Change, error) {
	changes := make([]Change, 0, min(2*len(postings), 8))
	at := func(a Account) *Change {
		for i := range changes {
			if changes[i].Account == a {
				return &changes[i]
			}
		}
		changes = append(changes, Change{Account: a})
		return &changes[len(changes)-1]
	}
	for i := range postings {
		p := &postings[i]
		if err := p.check(); err != nil {
			return nil, err
		}
		for _, side := range [2]struct {
			account Account
			amount  money.Amount
		}{{p.From, -p.Amount}, {p.To, p.Amount}} {
			amount := side.amount
			if side.account.Kind.debit() {
				amount = -amount
			}
			c, err := at(side.account), error(nil)
			if c.By, err = c.By.Add(amount); err != nil {
				return nil, err
			}
		}
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return c.By == 0 })
	for i := range changes {
		c, before, err := &changes[i], on.Balance(changes[i].Account), error(nil)
		if c.After, err = before.Add(c.By); err != nil {
			return nil, err
		}
		if c.After < 0 && c.Account.Kind.floor() {
			return nil, &Short{Account: c.Account, Balance: before, Needed: -c.By}
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return compare(a.Account, b.Account) })
	return changes, nil
}

// Net returns by how much postings change what an account holds. An error wraps
// [money.ErrOverflow].
func Net(a Account, postings []Posting) (net money.Amount, err error) {
	for i := range postings {
		p := &postings[i]
		amount := p.Amount
		if a.Kind.debit() {
			amount = -amount
		}
		if p.From == a {
			if net, err = net.Add(-amount); err != nil {
				return 0, err
			}
		}
		if p.To == a {
			if net, err = net.Add(amount); err != nil {
				return 0, err
			}
		}
	}
	return net, nil
}

func compare(a, b Account) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Of, b.Of)) }

// Book is the balance of every account.
type Book map[Account]money.Amount

// Balance returns the sum that an account holds.
func (b Book) Balance(a Account) money.Amount { return b[a] }

// Apply makes changes that [Post] returned for this book.
func (b Book) Apply(changes []Change) {
	for i := range changes {
		b[changes[i].Account] = changes[i].After
	}
}

// Clone returns a copy.
func (b Book) Clone() Book { return maps.Clone(b) }

// Trial is a trial balance.
type Trial struct {
	// Debits is what lies in the cage and is owed; Credits is everything else.
	Debits, Credits money.Amount
}

// Balanced reports whether both sides are equal.
func (t Trial) Balanced() bool { return t.Debits == t.Credits }

// Trial adds up all accounts. An error says which account holds what it cannot;
// whether the sides are equal is for the caller to ask.
func (b Book) Trial() (Trial, error) {
	var t Trial
	for a, held := range b {
		if !a.Valid() || a.Kind.floor() && held < 0 {
			return t, fmt.Errorf("ledger: %s holds %s", a, held)
		}
		side, err := &t.Credits, error(nil)
		if a.Kind.debit() {
			side = &t.Debits
		}
		if *side, err = side.Add(held); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Accounts lists the accounts of the book in order.
func (b Book) Accounts() []Account { return slices.SortedFunc(maps.Keys(b), compare) }
