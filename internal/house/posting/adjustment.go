package posting

import (
	"fmt"
	"strings"

	"trey/internal/enum"
	"trey/internal/ledger"
	"trey/money"
)

// AdjustmentCause is the cause for which a player's account is corrected by hand. The
// list is closed.
type AdjustmentCause uint8

// The causes. The zero value is none of them.
const (
	_ AdjustmentCause = iota
	// EntryError corrects what was entered wrongly at the cage or at a table.
	EntryError
	// Malfunction makes good, or takes back, what a malfunction made of a round.
	Malfunction
	// Dispute carries out what a dispute with the player came to.
	Dispute
	// Goodwill gives a player something that has no claim to it.
	Goodwill
	// Regulator carries out a written order of the regulator.
	Regulator
	// DebtCollected takes a debt from its player's account.
	DebtCollected
	// DebtForgiven pays a debt with the house's money.
	DebtForgiven
	numAdjustmentCauses
)

var adjustmentCauseKeys = enum.New("a cause of an adjustment", numAdjustmentCauses, []string{
	EntryError: "entry-error", Malfunction: "malfunction", Dispute: "dispute", Goodwill: "goodwill",
	Regulator: "regulator", DebtCollected: "debt-collected", DebtForgiven: "debt-forgiven",
})

// AdjustmentCauses lists every cause.
func AdjustmentCauses() []AdjustmentCause { return adjustmentCauseKeys.All() }

// String returns the cause's key, such as "dispute".
func (c AdjustmentCause) String() string { return adjustmentCauseKeys.Key(c) }

// MarshalText writes the cause's key.
func (c AdjustmentCause) MarshalText() ([]byte, error) { return adjustmentCauseKeys.Marshal(c) }

// UnmarshalText reads a cause's key.
func (c *AdjustmentCause) UnmarshalText(text []byte) error {
	return adjustmentCauseKeys.Unmarshal(c, text)
}

// Adjustment corrects a player's account by hand, or settles a debt.
type Adjustment struct {
	Player string          `json:"player"`
	Cause  AdjustmentCause `json:"cause"`
	// Change is the amount that it adds to the player's account; a negative one is taken. For a
	// debt it is the change of the debt, which gets less.
	Change money.Amount `json:"change"`
	// Note describes the incident.
	Note string `json:"note"`
}

// Posting returns the adjustment as a posting. An error wraps
// [ledger.ErrMalformed].
func (a Adjustment) Posting() (ledger.Posting, error) {
	move := ledger.Posting{From: house, To: player(a.Player), Amount: a.Change, For: ledger.Reference{
		Reason: ledger.Adjusted, Note: a.Note,
	}}
	if a.Change < 0 {
		move.From, move.To, move.Amount = move.To, move.From, -a.Change
	}
	wrong := func(why string) (ledger.Posting, error) {
		return ledger.Posting{}, fmt.Errorf("%w: %s", ledger.ErrMalformed, why)
	}
	switch {
	case a.Cause == 0 || a.Cause >= numAdjustmentCauses:
		return wrong("an adjustment needs a cause of the list: " + strings.Join(adjustmentCauseKeys.List(), ", "))
	case strings.TrimSpace(a.Note) == "":
		return wrong("an adjustment needs a note that says what happened")
	case move.Amount <= 0: // the least of all amounts has no opposite
		return wrong("an adjustment of " + a.Change.Display() + " changes nothing that can be changed")
	}
	if move.Amount > MaxTransfer {
		return ledger.Posting{}, tooMuch(move.Amount)
	}
	switch a.Cause {
	case EntryError, Malfunction, Dispute, Regulator:
	case Goodwill:
		if a.Change < 0 {
			return wrong("goodwill takes nothing from a player")
		}
	case DebtCollected, DebtForgiven:
		if a.Change > 0 {
			return wrong("a debt gets less: give what is settled of it as an amount below zero")
		}
		move.To, move.For.Reason = owed(a.Player), ledger.DebtCollected
		if a.Cause == DebtForgiven {
			move.From, move.For.Reason = house, ledger.DebtForgiven
		}
	}
	return move, nil
}
