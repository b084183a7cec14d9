package proof

import (
	"encoding/json"

	"trey/internal/house/fair"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
)

// The type and the version of the document that this package writes and reads.
const (
	Type    = "round-record"
	Version = 1
)

// Round is the record of one round. docs/round-record.md describes it field by
// field, and a schema stands beside it.
type Round struct {
	Head
	// Steps are the transactions of the round in their order: those of the table
	// from the opening of the bets on, and those that added a seed to it.
	Steps []Step `json:"steps"`
	// Names are the names of people whom the record has by a number, as far as they may be
	// disclosed. This and what follows is in no leaf.
	Names map[string]string `json:"names"`
	// Software names what wrote the record.
	Software string `json:"software"`
	// Proof is the text of a [tree.Proof] that the record is in the log of the house, empty
	// where nothing is signed.
	Proof string `json:"proof"`

	// committed is the text that the leaf commits to, as it was read.
	committed []byte
}

// Head is the part of a record before the steps of the round.
type Head struct {
	Type    string `json:"type"`
	Version int    `json:"version"`
	Table   string `json:"table"`
	Round   int    `json:"round"`
	// Ended is the phase in which the round ended: settled or void, or closed where
	// nobody had bet.
	Ended string `json:"ended"`
	// Book, Variant and RulesHash name the rules. Declaration and Terms are the book and the
	// terms that the table had in force, as the bytes that the house recorded. RulesHash is the
	// hash of the terms, and they name the hash of the declaration.
	Book        string           `json:"book"`
	Variant     string           `json:"variant"`
	RulesHash   string           `json:"rules_hash"`
	Declaration string           `json:"declaration"`
	Terms       string           `json:"terms"`
	Config      record.Equipment `json:"config"`
	// Jackpot names the progressive that the table plays for.
	Jackpot string `json:"jackpot,omitempty"`
	// Carried is the state that the round took over from those before it.
	Carried record.Carried `json:"carried"`
	// Seed is the source of the deck; nil where cards are dealt by hand.
	Seed *Seed `json:"seed,omitempty"`
}

// Seed is the source of a round's deck.
type Seed struct {
	// Commitment was published in the transaction Committed.
	Commitment fair.Hash `json:"commitment"`
	Committed  Moment    `json:"committed"`
	// Checkpoint is the signed checkpoint that held the commitment before the first bet
	// and the first seed of a player; empty where none was signed.
	Checkpoint string `json:"checkpoint,omitempty"`
	// Seed was revealed when the round had ended.
	Seed shuffle.Seed `json:"seed"`
	// Own are the seeds of players that counted, in the order of their names.
	Own []fair.Own `json:"own,omitempty"`
}

// Moment is a transaction: its number and its time in milliseconds of the Unix
// clock.
type Moment struct {
	Seq  int64 `json:"seq"`
	AtMs int64 `json:"at_ms"`
}

// Step is one transaction.
type Step struct {
	// Seq is the number of the transaction, and AtMs its time in milliseconds of the Unix
	// clock. The last step has no number: it is that of the leaf which commits to the
	// record.
	Seq  int64 `json:"seq,omitempty"`
	AtMs int64 `json:"at_ms"`
	By   By    `json:"by"`
	// Kind and Body are the command as it was carried out.
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	// Meter is the jackpot before the command, where the command depended on it
	// and it had moved since the step before: as [Reduced] leaves it.
	Meter *record.Meter `json:"meter,omitempty"`
	// Events are those of the table, Moved those of the jackpot, Seeds those of
	// the seed of this round.
	Events   []Event          `json:"events,omitempty"`
	Moved    []Event          `json:"moved,omitempty"`
	Seeds    []Event          `json:"seeds,omitempty"`
	Postings []ledger.Posting `json:"postings,omitempty"`
}

// By names the person who gave a command, and the role. The house itself has the role
// KeeperRole.
type By struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// KeeperRole is the role in which the house itself acts, where it runs a table or
// reports that it was stopped.
const KeeperRole = "house"

// Event is an event as the record of the house has it.
type Event = stored.Event

// AddSeedKind is the kind of a command by which a player adds a seed; its body
// is an [AddSeed].
const AddSeedKind = "add-seed"

// AddSeed is the body of a command by which a player adds a seed.
type AddSeed struct {
	Text string `json:"text"`
}

// Reduced returns a jackpot as far as it concerns one table. It leaves out the bets of rounds
// at other tables for which no hit waits and in which none is paid. Its totals begin here,
// since nothing of a round depends on them.
func Reduced(m jackpot.State, name string) jackpot.State {
	var rounds []jackpot.Round
	// A payment that is collected again brings back what had overflowed before it.
	overflow := m.OverflowSinceHit
	for i := range m.Hits {
		if paid := m.Hits[i].Payment; m.Hits[i].Status == jackpot.StatusPaid {
			overflow += paid.Overflow
		}
	}
	t := jackpot.Totals{
		OpeningMeter: m.Meter, OpeningReserve: max(0, m.Reserve-overflow),
		Contributions: overflow, Overflow: overflow,
	}
	t.ReserveAdjustments = m.Reserve - overflow - t.OpeningReserve
	for _, r := range m.Rounds {
		hit := r.Dealt != nil
		for i := range m.Hits {
			hit = hit || m.Hits[i].ID.RoundID() == r.ID
		}
		if r.ID.Table != name && !hit {
			continue
		}
		rounds = append(rounds, r)
		for _, g := range r.Bets {
			t.Stakes += g.Bet * money.Amount(g.Count)
		}
	}
	m.Rounds, m.Totals = rounds, t
	// Whose hits of other tables wait to be verified is nobody's business here.
	var unverified []jackpot.Unverified
	for i := range m.Unverified {
		if m.Unverified[i].Hit.Table == name {
			unverified = append(unverified, m.Unverified[i])
		}
	}
	m.Unverified = unverified
	return m
}
