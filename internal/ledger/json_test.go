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
	written := 0
	rapid.Check(t, func(t *rapid.T) {
		account := func() ledger.Account {
			return ledger.Account{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Of: rapid.SampledFrom([]string{"", "ann", "änn:\"1\"", "T<1>"}).Draw(t, "of")}
		}
		reasons := reasons
		// Half of the lists hold nothing that cannot be written, so that what is written is seen.
		if rapid.Bool().Draw(t, "valid") {
			reasons = reasons[:4]
			account = func() ledger.Account {
				kind := rapid.SampledFrom(kinds[:4]).Draw(t, "kind")
				if kind == ledger.Cash || kind == ledger.House {
					return ledger.Account{Kind: kind}
				}
				return ledger.Account{Kind: kind, Of: rapid.SampledFrom([]string{"ann", "änn:\"1\"", "T<1>", "a\\b&c", "tab\t"}).Draw(t, "of")}
			}
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
		if err == nil && len(postings) > 1 {
			written++
		}
	})
	if written == 0 {
		t.Error("no list of several postings was written")
	}
}

// Each sign by itself, between letters and doubled, is written as encoding/json writes it.
func TestSignsAreWrittenAsJSON(t *testing.T) {
	for sign := range rune(0x100) {
		for _, text := range []string{string(sign), "a" + string(sign) + "b", string([]rune{sign, sign}), string([]byte{byte(sign)})} {
			want, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := ledger.AppendString([]byte("x"), text); string(got) != "x"+string(want) {
				t.Errorf("%q is written as %s, want %s", text, got[1:], want)
			}
		}
	}
}
