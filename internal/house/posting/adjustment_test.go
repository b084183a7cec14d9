package posting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
)

// Each cause moves money one way, between a player and the house or off a debt.
func TestAdjustments(t *testing.T) {
	player, owed := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Owed, Of: "ann"}
	house := ledger.Account{Kind: ledger.House}
	for _, test := range []struct {
		cause    posting.AdjustmentCause
		change   money.Amount
		from, to ledger.Account // none where it is refused
		reason   ledger.Reason
	}{
		{posting.EntryError, 100, house, player, ledger.Adjusted},
		{posting.EntryError, -100, player, house, ledger.Adjusted},
		{posting.Malfunction, -100, player, house, ledger.Adjusted},
		{posting.Dispute, 100, house, player, ledger.Adjusted},
		{posting.Regulator, -100, player, house, ledger.Adjusted},
		{posting.Goodwill, 100, house, player, ledger.Adjusted},
		{posting.Goodwill, -100, ledger.Account{}, ledger.Account{}, 0},
		{posting.DebtCollected, -100, player, owed, ledger.DebtCollected},
		{posting.DebtCollected, 100, ledger.Account{}, ledger.Account{}, 0},
		{posting.DebtForgiven, -100, house, owed, ledger.DebtForgiven},
		{posting.Dispute, 0, ledger.Account{}, ledger.Account{}, 0},
		{posting.Dispute, math.MinInt64, ledger.Account{}, ledger.Account{}, 0},
		{posting.Goodwill, 0, ledger.Account{}, ledger.Account{}, 0},
		{posting.DebtCollected, 0, ledger.Account{}, ledger.Account{}, 0},
		{posting.Dispute, posting.MaxTransfer + 1, ledger.Account{}, ledger.Account{}, 0},
		{posting.Dispute, -posting.MaxTransfer - 1, ledger.Account{}, ledger.Account{}, 0},
		{0, 100, ledger.Account{}, ledger.Account{}, 0},
		{posting.DebtForgiven + 1, 100, ledger.Account{}, ledger.Account{}, 0},
	} {
		move, err := posting.Adjustment{Player: "ann", Cause: test.cause, Change: test.change, Note: "table 4, 21:10"}.Posting()
		if test.reason == 0 {
			if !errors.Is(err, ledger.ErrMalformed) {
				t.Errorf("%s of %s: %+v, %v", test.cause, test.change, move, err)
			}
			continue
		}
		want := ledger.Posting{From: test.from, To: test.to, Amount: 100, For: ledger.Reference{
			Reason: test.reason, Note: "table 4, 21:10",
		}}
		if err != nil || move != want {
			t.Errorf("%s of %s: %+v, %v", test.cause, test.change, move, err)
		}
	}
	if _, err := (posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: 1}).Posting(); !errors.Is(err, ledger.ErrMalformed) {
		t.Errorf("without a note: %v", err)
	}
}

func TestTheLargestAdjustmentIsMade(t *testing.T) {
	for _, change := range []money.Amount{posting.MaxTransfer, -posting.MaxTransfer} {
		move, err := posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: change, Note: "table 4"}.Posting()
		if err != nil || move.Amount != posting.MaxTransfer {
			t.Errorf("%s: %+v, %v", change, move, err)
		}
	}
}

func TestAdjustmentCausesAreWrittenAndRead(t *testing.T) {
	names := []string{"entry-error", "malfunction", "dispute", "goodwill", "regulator", "debt-collected", "debt-forgiven"}
	if got := fmt.Sprint(posting.AdjustmentCauses()); got != fmt.Sprint(names) {
		t.Errorf("the causes are %s, want %s", got, names)
	}
	last := posting.AdjustmentCause(len(names))
	for i, want := range map[posting.AdjustmentCause]string{0: "unknown", 1: names[0], last: names[len(names)-1], last + 1: "unknown", 255: "unknown"} {
		if got := i.String(); got != want {
			t.Errorf("cause %d is called %s, want %s", uint8(i), got, want)
		}
		if text, err := i.MarshalText(); (err != nil) != (want == "unknown") {
			t.Errorf("cause %d is written %s, %v", uint8(i), text, err)
		}
	}
	for _, cause := range posting.AdjustmentCauses() {
		text, err := json.Marshal(cause)
		if err != nil {
			t.Fatal(err)
		}
		var again posting.AdjustmentCause
		if err := json.Unmarshal(text, &again); err != nil || again != cause {
			t.Errorf("%s came back as %s, %v", text, again, err)
		}
	}
	for _, text := range []string{`""`, `"gift"`, `"unknown"`} {
		var c posting.AdjustmentCause
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s is %s", text, c)
		}
	}
	if _, err := json.Marshal(posting.AdjustmentCause(0)); err == nil {
		t.Error("no cause is written")
	}
}
