package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// Proposal is a request that a second person has to approve before it is carried out. The
// proposals are the structs of this package that have a kind, and no others.
type Proposal interface {
	// takes says what asking and what approving takes of a person.
	takes() (ask, approve access.Permission)
	// prepare says what is to be done, in the name of two people.
	prepare(h *House, by jackpot.Approvers) (proposalEffect, error)
}

// Fill brings float to a table.
type Fill struct {
	Table  string       `json:"table"`
	Amount money.Amount `json:"amount"`
	// Chips are the chips that come to the amount, the smallest first. Without any, only the
	// amount is known.
	Chips []posting.ChipCount `json:"chips,omitempty"`
	Note  string              `json:"note,omitempty"`
}

// Credit takes float back from a table.
type Credit struct {
	Table  string       `json:"table"`
	Amount money.Amount `json:"amount"`
	// Chips are the chips that come to the amount, the smallest first. Without any, only the
	// amount is known.
	Chips []posting.ChipCount `json:"chips,omitempty"`
	Note  string              `json:"note,omitempty"`
}

// AdjustAccount puts a player's account right, or settles a player's debt.
type AdjustAccount struct {
	posting.Adjustment
	// Of is the wager of an earlier round that it corrects, which bounds it. Nil is an
	// adjustment that rests on no wager.
	Of *RoundWager `json:"of,omitempty"`
}

// AdjustJackpot changes a jackpot's meter or reserve for a listed cause.
type AdjustJackpot struct {
	Jackpot string                  `json:"jackpot"`
	Pot     jackpot.Pot             `json:"pot"`
	Cause   jackpot.AdjustmentCause `json:"cause"`
	Change  money.Amount            `json:"change"`
	Note    string                  `json:"note"`
}

// ChangeTerms gives a jackpot terms that take effect at its next hit. The
// prescribed bet stays: it is part of the rules of the tables.
type ChangeTerms struct {
	Jackpot string        `json:"jackpot"`
	Terms   jackpot.Terms `json:"terms"`
	Note    string        `json:"note,omitempty"`
}

// DetermineOrder gives an unpaid hit the place in the order of payment that the
// house has conclusively determined (rws-3cp@3 4.9.1). Without a box it does so for all hands
// of a round that has been dealt and is not decided yet, such as one at a table that has
// stopped. Hits of other tables then no longer wait for it, or wait longer.
type DetermineOrder struct {
	Jackpot string        `json:"jackpot"`
	Hit     jackpot.HitID `json:"hit"`
	Place   jackpot.Place `json:"place"`
	Note    string        `json:"note"`
}

// VerifyJackpot says that hand, deck and meter of a paid hit were verified. A sum that
// is held for it goes to the winner.
type VerifyJackpot struct {
	Jackpot string        `json:"jackpot"`
	Hit     jackpot.HitID `json:"hit"`
	// Payment is the number of the payment that is meant. The house records that of the one that
	// stands where it is zero, so that the approval is not of another.
	Payment int64  `json:"payment,omitempty"`
	Note    string `json:"note"`
}

// DenyJackpot says that a hit whose payment is held does not stand, by a clause of the
// book of its table, such as 5.15. The sum goes back to the jackpot.
type DenyJackpot struct {
	Jackpot string        `json:"jackpot"`
	Hit     jackpot.HitID `json:"hit"`
	// Payment is the number of the payment that is meant, as in [VerifyJackpot].
	Payment int64  `json:"payment,omitempty"`
	Clause  string `json:"clause"`
	Note    string `json:"note"`
}

// Pending is a proposal that waits for a second person.
type Pending struct {
	ID       int64
	By       access.Person
	AtMs     int64
	Proposal Proposal
	// Before holds the balances of the accounts concerned when it was asked for, Now their
	// balances now. What is approved is decided upon what is then.
	Before, Now []Figure
	// recorded is the proposal as it was recorded. Its approval holds the same bytes, also
	// where a program approves it that writes a later version.
	recorded Event
}

// The errors of proposals, beside the refusals of the packages that carry them out.
var (
	// ErrNoProposal: no proposal has that number.
	ErrNoProposal = errors.New("there is no such proposal")
	// ErrDecided: it was approved or declined before.
	ErrDecided = errors.New("this proposal has been decided")
	// ErrSamePerson: whoever asks for something does not approve it.
	ErrSamePerson = errors.New("a second person has to approve this")
	// ErrOwnMoney: people move, propose and approve no money of an account in their own name.
	ErrOwnMoney = errors.New("this concerns your own money: another person must do it")
	// ErrNobody: money would come to an account that is nobody's.
	ErrNobody = errors.New("the record has no person of that name: check the spelling")
	// ErrTakesTwo: it is not done by one person.
	ErrTakesTwo = errors.New("this takes two people: propose it, and have somebody else approve it")
	// ErrFixedBet: the prescribed bet of a jackpot belongs to the rules of its tables.
	ErrFixedBet = errors.New("the prescribed bet belongs to the rules of the tables and does not change")
)

// proposals are those that were made: the open ones, and how the latest others
// ended. How all of them did stands in the record.
type proposals struct {
	last    int64
	open    map[int64]*Pending
	decided map[int64]sentence.Sentence
	// since holds the changes by approved proposals to the results of wagers.
	since map[wagerOf]broughtSince
	// denied are the shares of meters among them that were denied.
	denied deniedJackpots
}

// maxDecided is of how many proposals the house still says who decided them.
const maxDecided = 100

func (p *proposals) add(one *Pending) {
	if p.open == nil {
		p.open, p.decided = map[int64]*Pending{}, map[int64]sentence.Sentence{}
	}
	p.last = one.ID
	p.open[one.ID] = one
	maps.DeleteFunc(p.decided, func(id int64, _ sentence.Sentence) bool { return id <= one.ID-maxDecided })
}

func (p *proposals) decide(id int64, form string, by access.Person) {
	delete(p.open, id)
	if id > p.last-maxDecided {
		p.decided[id] = sentence.Of(form, by.Name)
	}
}

func (p *proposals) find(id int64) (*Pending, error) {
	if one := p.open[id]; one != nil {
		return one, nil
	}
	if how, ok := p.decided[id]; ok {
		return nil, sentence.Errorf("proposal %d was %s: %s", id, how, ErrDecided)
	}
	if id > 0 && id <= p.last {
		return nil, sentence.Errorf("proposal %d: %s", id, ErrDecided)
	}
	return nil, sentence.Errorf("proposal %d: %s", id, ErrNoProposal)
}

// apply takes what was recorded into account.
func (p *proposals) apply(e OwnEvent, atMs int64) error {
	switch e := e.(type) {
	case Proposed:
		proposal, err := e.Proposal()
		if err != nil {
			return err
		}
		if e.ID != p.last+1 {
			return fmt.Errorf("proposal %d follows proposal %d", e.ID, p.last)
		}
		p.add(&Pending{ID: e.ID, By: e.By, AtMs: atMs, Proposal: proposal, Before: e.Before, recorded: Event{Kind: e.Kind, Body: e.Body}})
	case Approved:
		if _, err := p.find(e.ID); err != nil {
			return err
		}
		p.decide(e.ID, "approved by %s", e.By)
		proposal, err := e.Proposal()
		if err != nil {
			return err
		}
		return p.carriedOut(&e, proposal)
	case Declined:
		if _, err := p.find(e.ID); err != nil {
			return err
		}
		p.decide(e.ID, "declined by %s", e.By)
	}
	return nil
}

// proposalEffect is the effect of a proposal: it moves money, or is a command to a jackpot.
type proposalEffect struct {
	at       string // the table or jackpot
	moves    []ledger.Posting
	accounts []ledger.Account
	jackpot  *jackpotRunner
	command  jackpot.Command
	// recorded is the recorded form where it names more than was asked for.
	recorded Proposal
}

func (Fill) takes() (ask, approve access.Permission) { return access.ProposeFill, access.ApproveFill }

func (p Fill) prepare(h *House, _ jackpot.Approvers) (proposalEffect, error) {
	d, err := h.transfer(posting.Transfer{Reason: ledger.Fill, Table: p.Table, Amount: p.Amount, Chips: p.Chips, Note: p.Note})
	if err == nil {
		err = h.inUse(p.Table, p.Chips)
	}
	return d, err
}

// inUse refuses to bring chips to a table that are not in use there, now or from the next
// round on. A credit takes back whatever chips there are.
func (h *House) inUse(table string, chips []posting.ChipCount) error {
	status, err := h.Status(table)
	if err != nil {
		return err
	}
	all := status.Variant.Chips
	if status.Next != nil {
		all = append(slices.Clone(all), status.Next.Variant.Chips...)
	}
	for _, c := range chips {
		if len(all) > 0 && !slices.Contains(all, c.Chip) {
			return sentence.Errorf("table %s has no chips of $%s: %s", table, c.Chip.Display(), ledger.ErrMalformed)
		}
	}
	return nil
}

func (Credit) takes() (ask, approve access.Permission) { return access.ProposeFill, access.ApproveFill }

func (p Credit) prepare(h *House, _ jackpot.Approvers) (proposalEffect, error) {
	return h.transfer(posting.Transfer{Reason: ledger.Credit, Table: p.Table, Amount: p.Amount, Chips: p.Chips, Note: p.Note})
}

// transfer returns the effect of a fill or a credit.
func (h *House) transfer(t posting.Transfer) (proposalEffect, error) {
	if _, err := h.runner(t.Table); err != nil {
		return proposalEffect{}, err
	}
	move, err := t.Posting()
	return proposalEffect{at: t.Table}.moving(move), err
}

// moving returns the effect, which moves money.
func (d proposalEffect) moving(move ledger.Posting) proposalEffect {
	d.moves, d.accounts = []ledger.Posting{move}, []ledger.Account{move.From, move.To}
	return d
}

func (AdjustAccount) takes() (ask, approve access.Permission) {
	return access.ProposeAdjustment, access.ApproveAdjustment
}

func (p AdjustAccount) prepare(h *House, _ jackpot.Approvers) (proposalEffect, error) {
	move, err := p.Posting()
	if err == nil && p.Of != nil {
		err = p.Of.check(p.Cause)
	}
	if err == nil {
		err = nameable(p.Player)
	}
	if _, known := h.PersonNumber(p.Player); err == nil && !known {
		err = sentence.Errorf("player %q: %s", p.Player, ErrNobody)
	}
	return proposalEffect{}.moving(move), err
}

func (AdjustJackpot) takes() (ask, approve access.Permission) {
	return access.ProposeJackpot, access.ApproveJackpot
}

func (p AdjustJackpot) prepare(h *House, by jackpot.Approvers) (proposalEffect, error) {
	d, err := h.onJackpot(p.Jackpot, jackpot.Adjust{Pot: p.Pot, Cause: p.Cause, Change: p.Change, Approvers: by})
	if err == nil && strings.TrimSpace(p.Note) == "" {
		err = sentence.Errorf("an adjustment of a jackpot: %s", ErrNoReason)
	}
	if err == nil {
		err = posting.Bounded(p.Change)
	}
	d.accounts = []ledger.Account{
		{Kind: ledger.Meter, Of: p.Jackpot}, {Kind: ledger.Reserve, Of: p.Jackpot}, {Kind: ledger.House},
	}
	return d, err
}

func (ChangeTerms) takes() (ask, approve access.Permission) {
	return access.ProposeJackpot, access.ApproveJackpot
}

func (p ChangeTerms) prepare(h *House, by jackpot.Approvers) (proposalEffect, error) {
	d, err := h.onJackpot(p.Jackpot, nil)
	if err != nil {
		return d, err
	}
	state := d.jackpot.inLine()
	if state.Terms.Bet != p.Terms.Bet {
		return d, sentence.Errorf("jackpot %s, a bet of $%s: %s", p.Jackpot, state.Terms.Bet.Display(), ErrFixedBet)
	}
	// The house puts it into the meter after each hit.
	if err := posting.Bounded(p.Terms.Reset); err != nil {
		return d, err
	}
	if p.Terms.VerifyFrom == 0 {
		p.Terms.VerifyFrom = state.Terms.VerifyFrom // It is raised or lowered, and never left out.
		if state.NextTerms != nil {
			p.Terms.VerifyFrom = state.NextTerms.VerifyFrom
		}
	}
	d.command = jackpot.ChangeTerms{Terms: p.Terms, FixedReturn: h.fixedReturn(d.jackpot), Approvers: by}
	return d, nil
}

func (DetermineOrder) takes() (ask, approve access.Permission) {
	return access.ProposeJackpot, access.ApproveJackpot
}

func (p DetermineOrder) prepare(h *House, by jackpot.Approvers) (proposalEffect, error) {
	var c jackpot.Command = jackpot.DetermineOrder{Hit: p.Hit, Place: p.Place, Approvers: by}
	if p.Hit.Box == 0 {
		c = jackpot.DetermineRound{Round: p.Hit.RoundID(), Place: p.Place, Approvers: by}
	}
	d, err := h.onJackpot(p.Jackpot, c)
	if err != nil {
		return d, err
	}
	if strings.TrimSpace(p.Note) == "" {
		err = sentence.Errorf("an order of hits that the house determines: %s", ErrNoReason)
	}
	return d, err
}

func (VerifyJackpot) takes() (ask, approve access.Permission) {
	return access.ProposeJackpot, access.ApproveJackpot
}

func (p VerifyJackpot) prepare(h *House, by jackpot.Approvers) (proposalEffect, error) {
	d, payment, err := h.onHit(p.Jackpot, p.Hit, p.Payment, p.Note)
	p.Payment = payment
	d.recorded, d.command = p, jackpot.Verify{Hit: p.Hit, Payment: payment, Approvers: by}
	return d, err
}

func (DenyJackpot) takes() (ask, approve access.Permission) {
	return access.ProposeJackpot, access.ApproveJackpot
}

func (p DenyJackpot) prepare(h *House, by jackpot.Approvers) (proposalEffect, error) {
	round, err := strconv.Atoi(p.Hit.Round)
	if err != nil {
		return proposalEffect{}, sentence.Errorf("round %q: %s", p.Hit.Round, ErrBadName)
	}
	v, err := h.RulesAt(p.Hit.Table, round)
	if err != nil {
		return proposalEffect{}, err
	}
	id := strings.TrimPrefix(strings.TrimSpace(p.Clause), v.Book.Ref()+" ")
	if _, known := v.Book.Clause(id); !known {
		return proposalEffect{}, sentence.Errorf("a jackpot is denied by a clause of %s, and %q is none of them: %s", v.Book.Ref(), id, ErrNoReason)
	}
	d, payment, err := h.onHit(p.Jackpot, p.Hit, p.Payment, p.Note)
	p.Payment = payment
	d.recorded, d.command = p, jackpot.Deny{Hit: p.Hit, Payment: payment, Clause: v.Book.ClauseRef(id), Approvers: by}
	return d, err
}

// onHit returns an effect on a paid hit, with the balances of the accounts concerned. It also
// returns the number of the hit's payment: the one that is named, or the one that stands.
func (h *House) onHit(name string, hit jackpot.HitID, named int64, note string) (d proposalEffect, payment int64, err error) {
	if d, err = h.onJackpot(name, nil); err != nil {
		return d, 0, err
	}
	if strings.TrimSpace(note) == "" {
		return d, 0, sentence.Errorf("the verification of a jackpot: %s", ErrNoReason)
	}
	d.accounts = []ledger.Account{{Kind: ledger.Payable, Of: name}, {Kind: ledger.Meter, Of: name}}
	state := d.jackpot.inLine()
	for i := range state.Unverified {
		if u := &state.Unverified[i]; u.Hit == hit {
			d.accounts = append(d.accounts, ledger.Account{Kind: ledger.Player, Of: u.Winner})
			payment = u.Payment.Number
		}
	}
	return d, cmp.Or(named, payment), nil
}

// inLine returns the present state of a jackpot, durable or not.
func (p *jackpotRunner) inLine() jackpot.State {
	p.Lock()
	defer p.Unlock()
	return p.state
}

// onJackpot returns the effect of a command to a jackpot.
func (h *House) onJackpot(name string, c jackpot.Command) (proposalEffect, error) {
	p := h.jackpotNamed(name)
	if p == nil {
		return proposalEffect{}, sentence.Errorf("jackpot %q: %s", name, ErrNoJackpot)
	}
	return proposalEffect{at: name, jackpot: p, command: c}, nil
}

// fixedReturn returns the largest return of fixed pays among the tables of a jackpot, as they
// play and as they will.
func (h *House) fixedReturn(p *jackpotRunner) jackpot.FixedReturn {
	h.floor.RLock()
	defer h.floor.RUnlock()
	most := new(big.Rat)
	consider := func(v *rules.Variant) {
		if returned := v.Pays[rules.Progressive].FixedReturn(v.Book.Ranking); returned.Cmp(most) > 0 {
			most = returned
		}
	}
	for _, s := range h.tables {
		if s.jackpot != p {
			continue
		}
		status := s.published.Load()
		consider(status.Variant)
		if status.Next != nil {
			consider(status.Next.Variant)
		}
	}
	return jackpot.FixedReturn{Num: most.Num().Int64(), Den: most.Denom().Int64()}
}

// figures returns the balances of accounts, in the order given.
func figures(on ledger.Balances, accounts []ledger.Account) []Figure {
	all := make([]Figure, len(accounts))
	for i, a := range accounts {
		all[i] = Figure{Account: a, Holds: on.Balance(a)}
	}
	return all
}

// figuresNow returns the balances of accounts at this moment, durable or not.
func (h *House) figuresNow(accounts []ledger.Account) []Figure {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	return figures(h.book, accounts)
}

// Propose asks for what takes two people, and returns the number under which
// somebody else approves or declines it. What could not be done now is refused
// as it would be then.
func (h *House) Propose(ctx context.Context, key string, by access.Person, p Proposal) (id int64, err error) {
	defer func() { h.noteRefused(ctx, err) }()
	if p == nil {
		return 0, sentence.Errorf("nothing: %s", ErrNoProposal)
	}
	ask, _ := p.takes()
	if err := by.Check(ask); err != nil {
		return 0, err
	}
	d, err := p.prepare(h, jackpot.Approvers{First: by.Name, Second: "somebody besides " + by.Name})
	if err != nil {
		return 0, err
	}
	if err := disinterested(by, d.accounts...); err != nil {
		return 0, err
	}
	most, err := h.boundOf(ctx, p)
	if err != nil {
		return 0, err
	}
	cause, err := causeOf(by, d.at, p)
	if err != nil {
		return 0, err
	}
	if d.recorded != nil {
		p = d.recorded
	}
	written, err := Proposals.Write(p)
	if err != nil {
		return 0, incomplete(ProposalKind(p), err)
	}
	tx, repeated, err := h.claim(ctx, key, by, cause)
	if err != nil {
		return 0, err
	}
	if repeated != nil {
		e, err := ownOf[Proposed](repeated)
		return e.ID, err
	}
	defer h.release(tx.Key)
	if err := h.comesIn(ctx, d.moves...); err != nil {
		return 0, err
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	if err := h.possible(d, tx.AtMs); err != nil {
		return 0, err
	}
	if err := h.admin.proposals.within(most, p); err != nil {
		return 0, err
	}
	e := Proposed{ID: h.admin.proposals.last + 1, By: by, Kind: written.Kind, Body: written.Body, Before: h.figuresNow(d.accounts)}
	if err := h.recordAdminEvent(tx, e, func(*Notice) {
		h.admin.proposals.add(&Pending{ID: e.ID, By: by, AtMs: tx.AtMs, Proposal: p, Before: e.Before, recorded: written})
	}); err != nil {
		return 0, err
	}
	return e.ID, nil
}

// possible refuses an effect that could not come about at this moment.
func (h *House) possible(d proposalEffect, nowMs int64) error {
	if d.jackpot != nil {
		d.jackpot.Lock()
		defer d.jackpot.Unlock()
		_, err := jackpot.Decide(d.jackpot.state, d.command)
		return err
	}
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	if _, err := ledger.Post(h.book, d.moves...); err != nil {
		return err
	}
	return h.mayDeposit(d.moves, nowMs)
}

// Approve carries out what somebody else proposed, and returns the number of the
// transaction. What was possible when it was proposed and is not any more is
// refused; the proposal stays open then.
func (h *House) Approve(ctx context.Context, key string, by access.Person, id int64) (seq int64, err error) {
	defer func() { h.noteRefused(ctx, err) }()
	tx, repeated, err := h.onProposal(ctx, key, by, ApproveProposal{ID: id})
	if err != nil {
		return 0, err
	}
	if repeated != nil {
		return repeated.Seq, nil
	}
	defer h.release(tx.Key)
	// The record of a round is read before anybody else has to wait.
	most, err := h.boundOf(ctx, h.admin.proposal(id))
	if err != nil {
		return 0, sentence.Errorf("proposal %d: %s", id, err)
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	one, err := h.admin.proposals.find(id)
	if err != nil {
		return 0, err
	}
	_, approve := one.Proposal.takes()
	if err := by.CheckSecond(approve); err != nil {
		return 0, err
	}
	if SamePerson(one.By, by) {
		return 0, sentence.Errorf("proposal %d is by %s: %s", id, one.By.Name, ErrSamePerson)
	}
	if err := h.independent(one.By, one.AtMs, by); err != nil {
		return 0, err
	}
	d, err := one.Proposal.prepare(h, jackpot.Approvers{First: one.By.Name, Second: by.Name})
	if err != nil {
		return 0, sentence.Errorf("proposal %d: %s", id, err)
	}
	if err := disinterested(by, d.accounts...); err != nil {
		return 0, sentence.Errorf("proposal %d: %s", id, err)
	}
	if err := h.comesIn(ctx, d.moves...); err != nil {
		return 0, sentence.Errorf("proposal %d: %s", id, err)
	}
	if err := h.admin.proposals.within(most, one.Proposal); err != nil {
		return 0, sentence.Errorf("proposal %d: %s", id, err)
	}
	tx.Cause.At = d.at
	e := Approved{ID: id, By: by, Of: one.By, Kind: one.recorded.Kind, Body: one.recorded.Body}
	inLine, moved, err := h.perform(tx, d, &e)
	if err != nil {
		return 0, sentence.Errorf("proposal %d cannot be carried out as things stand: %s", id, err)
	}
	return h.awaitAdminEvent(inLine, func(n *Notice) {
		h.admin.proposals.decide(id, "approved by %s", by)
		if err := h.admin.proposals.carriedOut(&e, one.Proposal); err != nil {
			_ = h.stop(err) // the jackpot has read the round before
		}
		if n.Moved = opaque.JackpotEventsOf(moved.events); len(moved.events) > 0 {
			n.Meter = opaque.MeterOf(&moved.meter)
			d.jackpot.show(moved.meter, moved.version)
		}
	})
}

// SamePerson reports whether two people have one name, as package jackpot compares its
// approvers.
func SamePerson(a, b access.Person) bool {
	return strings.EqualFold(strings.TrimSpace(a.Name), strings.TrimSpace(b.Name))
}

// disinterested refuses to let people decide about money of an account in their own name: what
// they have as a player, or owe. Somebody who has become staff may have such an account.
func disinterested(by access.Person, accounts ...ledger.Account) error {
	for _, a := range accounts {
		if (a.Kind == ledger.Player || a.Kind == ledger.Owed) && SamePerson(by, access.Person{Name: a.Of}) {
			return sentence.Errorf("%s: %s", a.Of, ErrOwnMoney)
		}
	}
	return nil
}

// onProposal begins what is done about a proposal. Who may see proposals may ask.
func (h *House) onProposal(ctx context.Context, key string, by access.Person, command any) (*Transaction, *Receipt, error) {
	if err := by.Check(access.SeeProposals); err != nil {
		return nil, nil, err
	}
	return h.begin(ctx, key, by, "", command)
}

// motion is the effect of a proposal on a jackpot.
type motion struct {
	events []jackpot.Event
	// meter is the jackpot after it, at that version.
	meter   jackpot.State
	version int64
}

// perform queues the effect of a proposal, with its event and the balances of the accounts
// before and after it. h.admin is locked.
func (h *House) perform(tx *Transaction, d proposalEffect, e *Approved) (inLine ticket, done motion, err error) {
	move := func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		changes, err := ledger.Post(on, d.moves...)
		return d.moves, changes, err
	}
	if d.jackpot != nil {
		d.jackpot.Lock()
		defer d.jackpot.Unlock()
		if done, err = d.jackpot.move(d.command); err != nil {
			return inLine, done, err
		}
		part, err := d.jackpot.part(done.events, &done.meter)
		if err != nil {
			return inLine, done, err
		}
		tx.Parts = []StreamAppend{part}
		move = func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
			return posting.Moved(d.jackpot.name, done.meter, done.events, on)
		}
	}
	inLine, err = h.enqueue(tx, func(on ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		moves, changes, err := move(on)
		if err != nil {
			return nil, nil, err
		}
		e.Before, e.After = figures(on, d.accounts), figures(after{on, changes}, d.accounts)
		return moves, changes, h.appendAdminEvent(tx, *e)
	})
	if err == nil && d.jackpot != nil {
		d.jackpot.state = done.meter
		d.jackpot.version += int64(len(done.events))
		done.version = d.jackpot.version
	}
	return inLine, done, err
}

// move decides upon a jackpot. It is locked.
func (p *jackpotRunner) move(c jackpot.Command) (done motion, err error) {
	if done.events, err = jackpot.Decide(p.state, c); err != nil {
		return done, err
	}
	done.meter = p.state
	for _, e := range done.events {
		if done.meter, err = jackpot.Evolve(done.meter, e); err != nil {
			return done, err
		}
	}
	return done, nil
}

// after holds the balances of accounts after changes.
type after struct {
	ledger.Balances
	changes []ledger.Change
}

// Balance returns what an account will hold.
func (a after) Balance(of ledger.Account) money.Amount {
	for i := range a.changes {
		if a.changes[i].Account == of {
			return a.changes[i].After
		}
	}
	return a.Balances.Balance(of)
}

// Decline turns a proposal down, or takes one's own back; why says so to others.
func (h *House) Decline(ctx context.Context, key string, by access.Person, id int64, why string) error {
	tx, repeated, err := h.onProposal(ctx, key, by, DeclineProposal{ID: id, Why: why})
	if err != nil || repeated != nil {
		return err
	}
	defer h.release(tx.Key)
	h.admin.Lock()
	defer h.admin.Unlock()
	one, err := h.admin.proposals.find(id)
	if err != nil {
		return err
	}
	if _, approve := one.Proposal.takes(); !SamePerson(one.By, by) && !by.Role.Can(approve) {
		return by.Check(approve)
	}
	return h.recordAdminEvent(tx, Declined{ID: id, By: by, Why: why}, func(*Notice) {
		h.admin.proposals.decide(id, "declined by %s", by)
	})
}

// ofHouse returns the figures of the accounts that are no player's.
func ofHouse(all []Figure) []Figure {
	kept := make([]Figure, 0, len(all))
	for _, f := range all {
		if f.Account.Kind != ledger.Player && f.Account.Kind != ledger.Owed {
			kept = append(kept, f)
		}
	}
	return kept
}

// ProposalsFor lists what waits for a second person as somebody may see it, the oldest first: without
// what players have and owe, unless the person may see accounts.
func (h *House) ProposalsFor(by access.Person) []Pending {
	all := h.Proposals()
	if !by.Role.Can(access.SeeAccounts) {
		for i := range all {
			all[i].Before, all[i].Now = ofHouse(all[i].Before), ofHouse(all[i].Now)
		}
	}
	return all
}

// Proposals lists what waits for a second person, the oldest first. It is for the house itself:
// people are shown [House.ProposalsFor].
func (h *House) Proposals() []Pending {
	h.admin.Lock()
	defer h.admin.Unlock()
	all := make([]Pending, 0, len(h.admin.proposals.open))
	for _, one := range h.admin.proposals.open {
		pending := *one
		pending.Now = make([]Figure, len(one.Before))
		for i := range one.Before {
			pending.Now[i] = Figure{Account: one.Before[i].Account, Holds: h.Balance(one.Before[i].Account)}
		}
		all = append(all, pending)
	}
	slices.SortFunc(all, func(a, b Pending) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
