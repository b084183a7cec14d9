package row

import (
	"database/sql"
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
)

// The movements that are kept of a transaction are held to its postings, and those after one
// that is wrong to themselves alone.
func TestMovementsAreHeldToThePostings(t *testing.T) {
	ann := ledger.Account{Kind: ledger.Player, Of: "#1"}
	text, err := ledger.AppendJSON(nil, []ledger.Posting{
		{From: ann, To: ledger.Account{Kind: ledger.Layout, Of: "A"}, Amount: 500, For: ledger.Reference{Reason: ledger.Bet, Table: "A", Round: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	leaf := &house.Leaf{Seq: 2, Line: house.Line{Postings: text}}
	noDisk := errors.New("the disk does not answer")
	for _, test := range []struct {
		name           string
		delta, balance int64
		err, want      error
		fault          string
		held           money.Amount
	}{
		{"as it was", -500, 1500, nil, nil, "", 1500},
		{"another sum", 500, 1500, nil, nil, "it moved player:#1 by -5.00 to 15.00, and its movements say by 5.00 to 15.00", 1500},
		{"another balance", -500, 9500, nil, nil, "it moved player:#1 by -5.00 to 15.00, and its movements say by -5.00 to 95.00", 9500},
		{"none", 0, 0, sql.ErrNoRows, nil, "it moved player:#1 by -5.00, and that is not among its movements", 1500},
		{"not to be read", 0, 0, noDisk, noDisk, "", 2000},
	} {
		m := NewMovements()
		m.Held[ann] = 2000
		fault, err := m.Fault(leaf, func(account ledger.Account) (int64, int64, error) {
			if account != ann {
				t.Errorf("%s: the movement of %s is looked for", test.name, account)
			}
			return test.delta, test.balance, test.err
		})
		if fault != test.fault || !errors.Is(err, test.want) || m.Held[ann] != test.held || m.Found != 1 {
			t.Errorf("%s: %q, %v; %v held, %d found", test.name, fault, err, m.Held[ann], m.Found)
		}
	}
	m := NewMovements()
	if fault, err := m.Fault(&house.Leaf{Line: house.Line{Postings: []byte(`[{"from":"nobody"}]`)}}, nil); fault == "" || err != nil {
		t.Errorf("postings that are none: %q, %v", fault, err)
	}
}
