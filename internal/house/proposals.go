package house

import (
	"fmt"
	"slices"
	"strings"

	"trey/internal/house/posting"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
)

// Proposals are the kinds of proposals, as they are stored and as programs send them.
var Proposals = stored.NewTable(
	"proposal",
	stored.Own[Proposal, Fill]("fill", stored.From(func(s storedFill1) Fill { return Fill{Table: s.Table, Amount: s.Amount, Note: s.Note} })),
	stored.Own[Proposal, Credit]("credit", stored.From(func(s storedCredit1) Credit { return Credit{Table: s.Table, Amount: s.Amount, Note: s.Note} })),
	stored.Own[Proposal, MoveCash]("move-cash"),
	stored.Of[Proposal]("adjust-account", adjustAccountOf, storedAdjustAccount.proposal),
	stored.Own[Proposal, AdjustJackpot]("adjust-jackpot"),
	stored.Of[Proposal]("change-terms", changeTermsOf, storedChangeTerms.proposal),
	stored.Of[Proposal]("determine-order", determineOrderOf, storedDetermineOrder.proposal),
	stored.Of[Proposal]("verify-jackpot", verifyJackpotOf, storedVerifyJackpot.proposal, stored.From(storedVerifyJackpot1.next)),
	stored.Of[Proposal]("deny-jackpot", denyJackpotOf, storedDenyJackpot.proposal, stored.From(storedDenyJackpot1.next)),
)

// ProposalKind returns a proposal's kind, such as "adjust-account"; empty for nil.
func ProposalKind(p Proposal) string { return Proposals.Name(p) }

// ProposalKinds lists the kinds of all proposals in order.
func ProposalKinds() []string { return slices.Sorted(slices.Values(Proposals.Names())) }

// DecodeProposal reads a proposal of a kind. Unknown fields are an error.
func DecodeProposal(kind string, body []byte) (Proposal, error) {
	if !slices.Contains(Proposals.Names(), kind) {
		return nil, fmt.Errorf("%q is not a kind of proposal: choose from %s", kind, strings.Join(ProposalKinds(), ", "))
	}
	return Proposals.Parse(kind, body)
}

// storedFill1 brings float to a table. Its chips are not known.
type storedFill1 struct {
	Table  string       `json:"table"`
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty"`
}

// storedCredit1 takes float back from a table. Its chips are not known.
type storedCredit1 struct {
	Table  string       `json:"table"`
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty"`
}

// storedAdjustAccount adjusts a player's account, or settles a debt.
type storedAdjustAccount struct {
	Player string                  `json:"player"`
	Cause  posting.AdjustmentCause `json:"cause"`
	// Change is the amount that it adds to the player's account; a negative one is taken. For a
	// debt it is the change of the debt, which gets less.
	Change money.Amount `json:"change"`
	Note   string       `json:"note"`
	// Of is the wager of an earlier round that it rests on.
	Of *storedWager `json:"of,omitempty"`
}

// storedWager names a wager of a round that is over.
type storedWager struct {
	Table string      `json:"table"`
	Round int         `json:"round"`
	Box   int         `json:"box"`
	Wager rules.Wager `json:"wager"`
}

func adjustAccountOf(p AdjustAccount) storedAdjustAccount {
	return storedAdjustAccount{Player: p.Player, Cause: p.Cause, Change: p.Change, Note: p.Note, Of: (*storedWager)(p.Of)}
}

func (s storedAdjustAccount) proposal() AdjustAccount {
	return AdjustAccount{
		Adjustment: posting.Adjustment{Player: s.Player, Cause: s.Cause, Change: s.Change, Note: s.Note},
		Of:         (*RoundWager)(s.Of),
	}
}

// storedChangeTerms changes the terms of a jackpot from its next hit on.
type storedChangeTerms struct {
	Jackpot string       `json:"jackpot"`
	Terms   record.Terms `json:"terms"`
	Note    string       `json:"note,omitempty"`
}

func changeTermsOf(p ChangeTerms) storedChangeTerms {
	return storedChangeTerms{Jackpot: p.Jackpot, Terms: record.TermsOf(p.Terms), Note: p.Note}
}

func (s storedChangeTerms) proposal() ChangeTerms {
	return ChangeTerms{Jackpot: s.Jackpot, Terms: s.Terms.Engine(), Note: s.Note}
}

// storedDetermineOrder gives an unpaid hit its place in the order of payment. Where the
// box is 0 it does so for all hands of a round.
type storedDetermineOrder struct {
	Jackpot string           `json:"jackpot"`
	Hit     record.HitID     `json:"hit"`
	Place   record.DealPlace `json:"place"`
	Note    string           `json:"note"`
}

func determineOrderOf(p DetermineOrder) storedDetermineOrder {
	return storedDetermineOrder{Jackpot: p.Jackpot, Hit: record.HitID(p.Hit), Place: record.DealPlace(p.Place), Note: p.Note}
}

func (s storedDetermineOrder) proposal() DetermineOrder {
	return DetermineOrder{Jackpot: s.Jackpot, Hit: jackpot.HitID(s.Hit), Place: jackpot.Place(s.Place), Note: s.Note}
}

// storedVerifyJackpot1 says that a paid hit was verified. Which of its payments is not known.
type storedVerifyJackpot1 struct {
	Jackpot string       `json:"jackpot"`
	Hit     record.HitID `json:"hit"`
	Note    string       `json:"note"`
}

func (s storedVerifyJackpot1) next() storedVerifyJackpot {
	return storedVerifyJackpot{Jackpot: s.Jackpot, Hit: s.Hit, Note: s.Note}
}

// storedVerifyJackpot says that a payment of a hit was verified.
type storedVerifyJackpot struct {
	Jackpot string       `json:"jackpot"`
	Hit     record.HitID `json:"hit"`
	// Payment is the number of the payment of the jackpot that is meant; without it, the one that
	// stands when the proposal is approved.
	Payment int64  `json:"payment,omitempty"`
	Note    string `json:"note"`
}

func verifyJackpotOf(p VerifyJackpot) storedVerifyJackpot {
	return storedVerifyJackpot{Jackpot: p.Jackpot, Hit: record.HitID(p.Hit), Payment: p.Payment, Note: p.Note}
}

func (s storedVerifyJackpot) proposal() VerifyJackpot {
	return VerifyJackpot{Jackpot: s.Jackpot, Hit: jackpot.HitID(s.Hit), Payment: s.Payment, Note: s.Note}
}

// storedDenyJackpot1 says that a hit whose payment is held does not stand, by a clause. Which
// payment is not known.
type storedDenyJackpot1 struct {
	Jackpot string       `json:"jackpot"`
	Hit     record.HitID `json:"hit"`
	Clause  string       `json:"clause"`
	Note    string       `json:"note"`
}

func (s storedDenyJackpot1) next() storedDenyJackpot {
	return storedDenyJackpot{Jackpot: s.Jackpot, Hit: s.Hit, Clause: s.Clause, Note: s.Note}
}

// storedDenyJackpot says that a hit whose payment is held does not stand, by a clause.
type storedDenyJackpot struct {
	Jackpot string       `json:"jackpot"`
	Hit     record.HitID `json:"hit"`
	// Payment is the number of the payment of the jackpot that is meant; without it, the one that
	// stands when the proposal is approved.
	Payment int64  `json:"payment,omitempty"`
	Clause  string `json:"clause"`
	Note    string `json:"note"`
}

func denyJackpotOf(p DenyJackpot) storedDenyJackpot {
	return storedDenyJackpot{Jackpot: p.Jackpot, Hit: record.HitID(p.Hit), Payment: p.Payment, Clause: p.Clause, Note: p.Note}
}

func (s storedDenyJackpot) proposal() DenyJackpot {
	return DenyJackpot{Jackpot: s.Jackpot, Hit: jackpot.HitID(s.Hit), Payment: s.Payment, Clause: s.Clause, Note: s.Note}
}
