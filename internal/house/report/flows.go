package report

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
	"trey/sentence"
)

// flow holds the balance of an account when the period began, and the sums that came into
// it since and went out of it. A debit account is credited by what goes out of it.
type flow struct {
	opening, in, out money.Amount
}

func (f *flow) closing() (money.Amount, error) {
	held, err := f.opening.Add(f.in)
	if err == nil {
		held, err = held.Sub(f.out)
	}
	return held, err
}

// flows are those of all accounts. They are computed from the postings.
type flows map[ledger.Account]*flow

// side is an account that a posting touches; in says that the money comes to it.
type side struct {
	of ledger.Account
	in bool
}

// sides hands out both sides of each posting of a transaction.
func sides(e *house.StoredTransaction) iter.Seq2[*ledger.Posting, side] {
	return func(yield func(*ledger.Posting, side) bool) {
		for i := range e.Postings {
			p := &e.Postings[i]
			if !yield(p, side{p.From, false}) || !yield(p, side{p.To, true}) {
				return
			}
		}
	}
}

// debit reports whether an account stands on the side of what the house has: it
// grows when money is taken from it.
func debit(k ledger.Kind) bool { return k == ledger.Cash || k == ledger.Owed }

func (f flows) see(e *house.StoredTransaction, within bool) error {
	for p, side := range sides(e) {
		if err := f.move(side.of, p.Amount, side.in != debit(side.of.Kind), within); err != nil {
			return err
		}
	}
	return nil
}

// move lets an amount into an account or out of it.
func (f flows) move(a ledger.Account, amount money.Amount, in, within bool) (err error) {
	sums := at(f, a)
	switch {
	case !within && in:
		sums.opening, err = sums.opening.Add(amount)
	case !within:
		sums.opening, err = sums.opening.Sub(amount)
	case in:
		sums.in, err = sums.in.Add(amount)
	default:
		sums.out, err = sums.out.Add(amount)
	}
	return err
}

func (f flows) accounts() []ledger.Account {
	return slices.SortedFunc(maps.Keys(f), func(a, b ledger.Account) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Of, b.Of))
	})
}

// adder adds up, and records that something was too large to be added.
type adder struct{ err error }

func (a *adder) to(sum *money.Amount, amount money.Amount) {
	next, err := sum.Add(amount)
	if a.err = errors.Join(a.err, err); err == nil {
		*sum = next
	}
}

// less takes away.
func (a *adder) less(sum *money.Amount, amount money.Amount) {
	next, err := sum.Sub(amount)
	if a.err = errors.Join(a.err, err); err == nil {
		*sum = next
	}
}

// trialBalance shows every account. Those of players are one line for all.
type trialBalance struct{ flows }

func (t *trialBalance) sections() ([]Section, []Words, error) {
	s := Section{Title: "Accounts", Columns: []Column{
		{"account", "Account", Text},
		{"accounts", "Accounts", Count},
		{"opening", "Opening", Money},
		{"in", "In", Money},
		{"out", "Out", Money},
		{"debit", "Debit", Money},
		{"credit", "Credit", Money},
	}}
	var debits, credits money.Amount
	var add adder
	together := map[ledger.Kind]*flow{}
	number := map[ledger.Kind]int64{}
	line := func(name string, accounts int64, f *flow, kind ledger.Kind) {
		held, err := f.closing()
		add.err = errors.Join(add.err, err)
		if debit(kind) {
			add.to(&debits, held)
			s.add(name, accounts, f.opening, f.in, f.out, held, nil)
			return
		}
		add.to(&credits, held)
		s.add(name, accounts, f.opening, f.in, f.out, nil, held)
	}
	for _, a := range t.accounts() {
		f := t.flows[a]
		if a.Kind != ledger.Player && a.Kind != ledger.Owed {
			continue
		}
		all := at(together, a.Kind)
		number[a.Kind]++
		add.to(&all.opening, f.opening)
		add.to(&all.in, f.in)
		add.to(&all.out, f.out)
	}
	for _, kind := range []ledger.Kind{ledger.Player, ledger.Owed} {
		if all := together[kind]; all != nil {
			line(fmt.Sprintf("%s, all", kind), number[kind], all, kind)
		}
	}
	for _, a := range t.accounts() {
		if a.Kind != ledger.Player && a.Kind != ledger.Owed {
			line(a.String(), 1, t.flows[a], a.Kind)
		}
	}
	s.Totals = Row{"Total", nil, nil, nil, nil, debits, credits}
	var findings []Words
	if debits != credits {
		findings = append(findings, wordsOf(sentence.Of("The debits come to %s and the credits to %s.", debits, credits)))
	}
	return []Section{s}, findings, add.err
}

// liability gathers the sums that the operator owes at the end of the period.
type liability struct{ flows }

func (l *liability) sections() ([]Section, []Words, error) {
	s := Section{Title: "Owed to players", Columns: []Column{
		{"what", "What", Text}, {"accounts", "Accounts", Count}, {"amount", "Amount", Money},
	}}
	owed := Section{Title: "Owed by players", Columns: s.Columns}
	var total money.Amount
	var add adder
	for _, of := range []struct {
		kind  ledger.Kind
		title string
		to    *Section
	}{
		{ledger.Player, "Player accounts", &s},
		{ledger.Layout, "Bets on layouts", &s},
		{ledger.Meter, "Jackpot meters", &s},
		{ledger.Reserve, "Jackpot reserves", &s},
		{ledger.Payable, "Jackpots paid and not verified", &s},
		{ledger.Owed, "Settlements reversed and not yet paid back", &owed},
	} {
		var sum money.Amount
		accounts := int64(0)
		for a, f := range l.flows {
			held, err := f.closing()
			add.err = errors.Join(add.err, err)
			if a.Kind == of.kind && held != 0 {
				add.to(&sum, held)
				accounts++
			}
		}
		if accounts == 0 {
			continue
		}
		of.to.add(of.title, accounts, sum)
		if of.to == &s {
			add.to(&total, sum)
		}
	}
	s.Totals = Row{"Total", nil, total}
	return []Section{s, owed}, nil, add.err
}

// players shows the movements of each player's money.
type players struct {
	only string
	of   map[string]*player
}

type player struct {
	account, owed                                   flow
	boughtIn, cashedOut, staked, returned, adjusted money.Amount
	active                                          bool
}

func (p *players) see(e *house.StoredTransaction, within bool) error {
	var add adder
	for post, side := range sides(e) {
		if side.of.Kind != ledger.Player && side.of.Kind != ledger.Owed || p.only != "" && side.of.Of != p.only {
			continue
		}
		sums := at(p.of, side.of.Of)
		account, in := &sums.account, side.in
		if side.of.Kind == ledger.Owed {
			account, in = &sums.owed, !side.in
		}
		held := flows{side.of: account}
		if err := held.move(side.of, post.Amount, in, within); err != nil {
			return err
		}
		if sums.active = sums.active || within; within && side.of.Kind == ledger.Player {
			sums.count(&add, post.For.Reason, post.Amount, side.in)
		}
	}
	return add.err
}

// count puts a movement of the player's account where it belongs.
func (p *player) count(add *adder, why ledger.Reason, amount money.Amount, in bool) {
	to := &p.returned
	switch why {
	case ledger.BuyIn:
		to = &p.boughtIn
	case ledger.CashOut:
		to, in = &p.cashedOut, !in
	case ledger.Bet, ledger.Found:
		to, in = &p.staked, !in
	case ledger.Adjusted, ledger.DebtCollected, ledger.Unpaid:
		to = &p.adjusted
	default:
	}
	if in {
		add.to(to, amount)
	} else {
		add.less(to, amount)
	}
}

func (p *players) sections() ([]Section, []Words, error) {
	s := Section{Title: "Players", Columns: []Column{
		{"player", "Player", Text},
		{"opening", "Opening", Money},
		{"bought_in", "Bought in", Money},
		{"cashed_out", "Cashed out", Money},
		{"staked", "Staked", Money},
		{"returned", "Returned and won", Money},
		{"adjusted", "Adjusted and lent", Money},
		{"closing", "Closing", Money},
		{"owes", "Owes", Money},
	}}
	var add adder
	var sums [8]money.Amount
	var findings []Words
	for _, name := range slices.Sorted(maps.Keys(p.of)) {
		moved := p.of[name]
		closing, err := moved.account.closing()
		owes, err2 := moved.owed.closing()
		if add.err = errors.Join(add.err, err, err2); add.err != nil {
			return nil, nil, add.err
		}
		if !moved.active && closing == 0 && owes == 0 {
			continue
		}
		values := [8]money.Amount{moved.account.opening, moved.boughtIn, moved.cashedOut, moved.staked, moved.returned, moved.adjusted, closing, owes}
		row := Row{name}
		for i, v := range values {
			row = append(row, v)
			add.to(&sums[i], v)
		}
		if came := moved.account.opening + moved.boughtIn - moved.cashedOut - moved.staked + moved.returned + moved.adjusted; came != closing {
			findings = append(findings, wordsOf(sentence.Of("What moved the account of %s comes to %s, and it holds %s.", name, came, closing)))
		}
		s.add(row...)
	}
	s.Totals = Row{"Total"}
	for _, v := range sums {
		s.Totals = append(s.Totals, v)
	}
	return []Section{s}, findings, add.err
}
