package house

import (
	"context"
	"fmt"
	"slices"

	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/house/proof"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/money"
)

// Commands are the commands of the house itself: those that people give it and those that
// it gives itself. They stand as causes, beside [record.Actions], the commands at a table.
// Where the event says everything, the command has no fields.
var Commands = stored.NewTable("command", slices.Concat([]stored.Kind[any]{
	command[InstallTable]("install-table"),
	command[ChangeRules]("change-rules"),
	command[CarryOverRules]("carry-over-rules"),
	command[StopTable]("stop-table"),
	command[ReleaseTable]("release-table"),
	command[Drain]("drain"),
	command[Undrain]("undrain"),
	command[BuyIn]("buy-in"),
	command[CashOut]("cash-out"),
}, stored.Prefixed(proposingKind(""), Proposals), []stored.Kind[any]{
	command[ApproveProposal]("approve"),
	command[DeclineProposal]("decline"),
	command[proof.AddSeed](proof.AddSeedKind),
	command[SetLimit]("set-limit"),
	command[TakeTimeOut]("take-time-out"),
	command[ExcludePlayer]("exclude-player"),
	command[AnswerCheck]("answer-reality-check"),
	command[NoteRefusal]("note-refusal"),
	command[Restore]("restore"),
	command[CheckSoftware]("check-software"),
	command[NoteClock]("note-clock"),
	command[NoteFailure]("note-failure"),
	command[NoteLateStream]("note-late-stream"),
	command[NumberPerson](numberPerson),
	command[EraseName]("erase-name"),
	command[Move]("move"),
	command[Arrive]("arrive"),
	command[ReplaceSigningKey]("replace-signing-key"),
})...)

// command is a kind of command that is stored as it is.
func command[C any](kind string) stored.Kind[any] { return stored.Own[any, C](kind) }

// proposingKind returns the kind of the command by which a proposal of a kind is made.
func proposingKind(kind string) string { return "propose-" + kind }

// NumberPerson gives a person a number.
type NumberPerson struct{}

// InstallTable puts a table on the floor.
type InstallTable struct{}

// ChangeRules changes how a table is played or run; what is left out stays as it is.
type ChangeRules struct {
	Variant   string `json:"variant,omitempty"`
	RulesHash string `json:"rules_hash,omitempty"`
	Mode      Mode   `json:"mode,omitzero"`
	Pace      *Pace  `json:"pace,omitempty"`
}

// CarryOverRules takes a table over to the declaration of another program.
type CarryOverRules struct{}

// StopTable stops a table that a fault was found at.
type StopTable struct{}

// ReleaseTable lets a table play on that was stopped.
type ReleaseTable struct {
	Why string `json:"why"`
}

// Drain lets no new rounds begin.
type Drain struct{}

// Undrain lets rounds begin again.
type Undrain struct{}

// BuyIn takes a player's money in at the cage.
type BuyIn struct {
	Player string       `json:"player"`
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty"`
}

// CashOut pays a player's money out at the cage.
type CashOut struct {
	Player string       `json:"player"`
	Amount money.Amount `json:"amount"`
	Note   string       `json:"note,omitempty"`
}

// transferring returns the command that a movement of one person at the cage is.
func transferring(t posting.Transfer) (any, error) {
	switch t.Reason {
	case ledger.BuyIn:
		return BuyIn{Player: t.Player, Amount: t.Amount, Note: t.Note}, nil
	case ledger.CashOut:
		return CashOut{Player: t.Player, Amount: t.Amount, Note: t.Note}, nil
	case ledger.Fill, ledger.Credit:
		return nil, fmt.Errorf("a %s: %w", t.Reason, ErrTakesTwo)
	default:
		return nil, fmt.Errorf("%w: one person at the cage moves nothing as %s", ledger.ErrMalformed, t.Reason)
	}
}

// ApproveProposal approves what somebody else has proposed.
type ApproveProposal struct {
	ID int64 `json:"id"`
}

// DeclineProposal declines a proposal, or takes one's own back.
type DeclineProposal struct {
	ID  int64  `json:"id"`
	Why string `json:"why,omitempty"`
}

// SetLimit sets a limit of the player who asks, or removes it.
type SetLimit struct {
	protection.Key
	Most *int64 `json:"most"`
}

// TakeTimeOut begins a pause of the player who asks.
type TakeTimeOut struct {
	// LastsMs is for how long.
	LastsMs int64 `json:"lasts_ms"`
}

// ExcludePlayer excludes a player from play.
type ExcludePlayer struct {
	Player string `json:"player"`
	// LastsMs is for how long, zero for without an end.
	LastsMs int64  `json:"lasts_ms,omitempty"`
	Why     string `json:"why,omitempty"`
}

// AnswerCheck answers the reality check that is due.
type AnswerCheck struct{}

// NoteRefusal records that a bet or a deposit was refused for the protection of its player.
type NoteRefusal struct{}

// Restore lets the house go on from a copy of its record.
type Restore struct{}

// CheckSoftware records which program keeps the house.
type CheckSoftware struct{}

// NoteClock records that a reading of the machine's clock was not taken.
type NoteClock struct{}

// NoteFailure records that an earlier house could not write its record.
type NoteFailure struct{}

// NoteLateStream records that significant events wait to be sent.
type NoteLateStream struct{}

// causeOf returns a command as the cause of a transaction, at a table or a jackpot if it
// concerns one.
func causeOf(by access.Person, at string, command any) (Cause, error) {
	written, err := Commands.Write(command)
	if err != nil {
		return Cause{}, incomplete(Commands.Name(command), err)
	}
	return Cause{By: by.Name, Role: by.Role.String(), At: at, Kind: written.Kind, Body: written.Body}, nil
}

// begin does what [House.claim] does for a command that a person gives the house, at a table or
// a jackpot if it concerns one.
func (h *House) begin(ctx context.Context, key string, by access.Person, at string, command any) (*Transaction, *Receipt, error) {
	cause, err := causeOf(by, at, command)
	if err != nil {
		return nil, nil, err
	}
	return h.claim(ctx, key, by, cause)
}

// ownCause returns a command that the house gives itself as the cause of a transaction.
func ownCause(at string, command any) (Cause, error) {
	cause, err := causeOf(access.Person{}, at, command)
	cause.By, cause.Role = keeper.Name, keeperRole
	return cause, err
}

// CheckCause refuses a cause of the house or of a table that is not stored as this
// program stores it, with an error that says what would read it.
func CheckCause(c *Cause) (err error) {
	written := Event{Kind: c.Kind, Body: c.Body}
	if record.Actions.Has(c.Kind) {
		_, err = record.Actions.Read(written)
	} else {
		_, err = Commands.Read(written)
	}
	return err
}
