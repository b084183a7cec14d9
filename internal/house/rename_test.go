package house

import (
	"encoding/json"
	"strings"
	"testing"

	"trey/internal/ledger"
	"trey/money"
)

// A transaction that is given other names stays as it was, and all its persons have theirs.
func TestATransactionHasOtherNames(t *testing.T) {
	t.Parallel()
	accounts := []ledger.Account{{Kind: ledger.Player, Of: "ann"}, {Kind: ledger.Rack, Of: "ann"}, {Kind: ledger.Owed, Of: "ben"}, {Kind: ledger.Player, Of: "ben"}}
	tx := Transaction{Cause: Cause{By: "ann"}}
	for _, a := range accounts {
		tx.Changes = append(tx.Changes, ledger.Change{Account: a, By: money.Major})
	}
	renamed, err := rename(&tx, strings.ToUpper)
	if err != nil || renamed.Key != "" || renamed.Cause.By != "ANN" {
		t.Fatalf("%+v, %v", renamed, err)
	}
	for i, want := range []string{"ANN", "ann", "BEN", "BEN"} { // a rack is no person's
		if got := renamed.Changes[i].Account.Of; got != want {
			t.Errorf("%s is renamed to %s", accounts[i], got)
		}
		if tx.Changes[i].Account != accounts[i] {
			t.Errorf("%s was changed to %s", accounts[i], tx.Changes[i].Account)
		}
	}
}

// A text that is no JSON might name a person anywhere: nothing of the transaction is recorded.
func TestATextThatCannotBeRenamed(t *testing.T) {
	t.Parallel()
	no := json.RawMessage(`{"player":`)
	for name, tx := range map[string]*Transaction{
		"what was asked for": {Cause: Cause{Body: no}},
		"what came":          {Came: &Cause{Body: no}},
		"an event":           {Parts: []StreamAppend{{Events: []Event{{Kind: "k", Body: no}}}}},
	} {
		if renamed, err := rename(tx, strings.ToUpper); err == nil || renamed != nil {
			t.Errorf("%s: %+v, %v", name, renamed, err)
		}
	}
}
