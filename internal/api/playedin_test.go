package api

import (
	"bytes"
	"fmt"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
)

// A transaction that holds a jackpot may move the winner's money again after it. The round
// then still counts as one whose jackpot was held.
func TestHeldBesideOtherPostings(t *testing.T) {
	player := ledger.Account{Kind: ledger.Player, Of: "ann"}
	of := func(reason ledger.Reason) ledger.Posting {
		p := ledger.Posting{From: player, To: ledger.Account{Kind: ledger.House}, Amount: 5}
		p.For.Table, p.For.Round, p.For.Reason = "T1", 7, reason
		return p
	}
	m := &house.Movement{}
	m.Postings = []ledger.Posting{of(ledger.Held), of(ledger.Winnings)}
	if r := playedIn(player, m)[roundKey{"T1", 7}]; !r.held || r.Back != -10 {
		t.Errorf("held %v and %d back, want held and -10", r.held, r.Back)
	}
}

// A notice that moves no jackpot sends no message to those who follow one.
func TestNoMessageWithoutMovement(t *testing.T) {
	var out bytes.Buffer
	if err := (meterEncoder{}).write(&out, &house.Notice{Seq: 3}); err != nil || out.Len() > 0 {
		t.Errorf("%q and %v, want neither a message nor an error", out.String(), err)
	}
}

// An error with a detail of its own for the answer is answered with that, however it is wrapped.
func TestDetailOfKnownErrors(t *testing.T) {
	for i := range knownErrors {
		k := &knownErrors[i]
		if k.detail == "" {
			continue
		}
		if got := problemOf(fmt.Errorf("at table T1: %w", k.err)).Detail; got != k.detail {
			t.Errorf("%v: detail %q, want %q", k.err, got, k.detail)
		}
	}
}
