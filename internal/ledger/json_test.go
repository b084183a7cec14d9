package ledger_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/ledger"
	_ "trey/internal/steady"
	"trey/money"
	"trey/rules"
)

// What is written by hand is what encoding/json writes.
func TestPostingsAreWrittenAsJSON(t *testing.T) {
	reasons := []ledger.Reason{ledger.Bet, ledger.StakeWon, ledger.DebtForgiven, ledger.BuyIn, 0, 250}
	kinds := []ledger.Kind{ledger.Player, ledger.Layout, ledger.Cash, ledger.House, 0, 99}
	rapid.Check(t, func(t *rapid.T) {
		account := func() ledger.Account {
			return ledger.Account{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Of: rapid.SampledFrom([]string{"", "ann", "änn:\"1\"", "T<1>"}).Draw(t, "of")}
		}
		postings := rapid.SliceOf(rapid.Custom(func(t *rapid.T) ledger.Posting {
			return ledger.Posting{From: account(), To: account(), Amount: money.Amount(rapid.Int64().Draw(t, "amount")), For: ledger.Reference{
				Reason: rapid.SampledFrom(reasons).Draw(t, "reason"), Table: rapid.String().Draw(t, "table"),
				Round: rapid.IntRange(-1, 3).Draw(t, "round"), Box: rapid.IntRange(0, 9).Draw(t, "box"),
				Wager: rules.Wager(rapid.Uint8Range(0, 11).Draw(t, "wager")), Line: rapid.IntRange(0, 2).Draw(t, "line"),
				Clause: rapid.String().Draw(t, "clause"), Jackpot: rapid.String().Draw(t, "jackpot"), Note: rapid.String().Draw(t, "note"),
			}}
		})).Draw(t, "postings")
		if rapid.Bool().Draw(t, "none") {
			postings = nil
		}
		want, wantErr := json.Marshal(append([]ledger.Posting{}, postings...))
		got, err := ledger.AppendJSON(nil, postings)
		if (err == nil) != (wantErr == nil) || string(got) != string(want) {
			t.Fatalf("got\n%s, %v, want\n%s, %v", got, err, want, wantErr)
		}
	})
}
