package ledger_test

import (
	"encoding/json"
	"testing"

	"trey/internal/ledger"
	"trey/rules"
)

// Postings are written in these bytes, which leaves of the record commit to.
func TestPostingsAreWrittenAsJSON(t *testing.T) {
	player := ledger.Account{Kind: ledger.Player, Of: "ann<1>"}
	for _, test := range []struct {
		postings []ledger.Posting
		want     string
	}{
		{nil, `[]`},
		{[]ledger.Posting{}, `[]`},
		{
			[]ledger.Posting{
				{From: ledger.Account{Kind: ledger.Cash}, To: player, Amount: 100, For: ledger.Reference{Reason: ledger.BuyIn, Note: `"a"`}},
				{From: player, To: ledger.Account{Kind: ledger.Layout, Of: "A"}, Amount: -1, For: ledger.Reference{
					Reason: ledger.Bet, Table: "A", Round: 3, Box: 2, Wager: rules.PairPlus, Line: 1, Clause: "rws-3cp@3 5.4", Jackpot: "linked",
				}},
			},
			`[{"from":"cash","to":"player:ann\u003c1\u003e","amount":100,"for":{"reason":"buy-in","note":"\"a\""}},` +
				`{"from":"player:ann\u003c1\u003e","to":"layout:A","amount":-1,"for":{"reason":"bet","table":"A","round":3,"box":2,` +
				`"wager":"pair-plus","line":1,"clause":"rws-3cp@3 5.4","jackpot":"linked"}}]`,
		},
	} {
		if got, err := ledger.AppendJSON([]byte("x"), test.postings); err != nil || string(got) != "x"+test.want {
			t.Errorf("written as\n%s, %v, want\nx%s", got, err, test.want)
		}
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
