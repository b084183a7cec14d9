package report_test

import (
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// layOut returns a house with a table of chips. The staff bets there for players, takes back,
// finds other stakes than were entered, and decides for them.
func layOut(t testing.TB, seed uint64) *place {
	t.Helper()
	p := open(t, seed)
	b, err := books.Find("rws-3cp")
	p.must(err)
	config := table.Config{Device: b.Devices[0].Device, Cards: table.Virtual, Chips: true}
	p.must(p.Install(ctx(), house.Table{Name: "A", Variant: b.Standard(), Config: config, Jackpot: "linked"}, admin))
	p.cage(ledger.BuyIn, "ann", 1000*money.Major)
	p.cage(ledger.BuyIn, "ben", 1000*money.Major)
	do := func(by access.Person, a table.Action) {
		t.Helper()
		p.nowMs += 1000
		_, err := p.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: a})
		p.must(err)
	}
	ben := guests[1]
	do(dealer, table.OpenBets{})
	do(dealer, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 20 * money.Major})
	do(dealer, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante})
	do(dealer, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 20 * money.Major})
	do(supervisor, table.Bet{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 50 * money.Major})
	do(ben, table.Bet{Box: 3, Player: "ben", Wager: rules.Ante, Amount: 40 * money.Major})
	do(ben, table.Bet{Box: 3, Player: "ben", Wager: rules.PairPlus, Amount: 10 * money.Major})
	do(ben, table.Withdraw{Box: 3, Player: "ben", Wager: rules.PairPlus})
	do(dealer, table.Found{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	do(dealer, table.Found{Box: 2, Player: "ben", Wager: rules.Ante, Amount: 20 * money.Major})
	do(dealer, table.CloseBets{})
	do(dealer, table.Deal{})
	do(dealer, table.Raise{Box: 1, Player: "ann"})
	do(dealer, table.Fold{Box: 2, Player: "ben"})
	do(ben, table.Examine{Box: 3, Player: "ben"})
	do(ben, table.Fold{Box: 3, Player: "ben"})
	return p
}

// What the staff enters, takes back and changes for players is told by table, person and player, and
// what players do themselves is not.
func TestWhatTheStaffEnteredForPlayers(t *testing.T) {
	p := layOut(t, 3)
	from := p.nowMs
	major := func(n int64) money.Amount { return money.Amount(n) * money.Major }
	none := money.Amount(0)
	dan := report.Row{"A", "dan", "dealer", int64(2), major(40), int64(1), major(25), int64(1), int64(0), int64(1), major(20), int64(2), major(5), major(30)}
	pat := report.Row{"A", "pat", "pit-supervisor", int64(1), major(50), int64(0), none, int64(0), int64(0), int64(0), none, int64(0), none, none}
	total := report.Row{"Total", nil, nil, int64(3), major(90), int64(1), major(25), int64(1), int64(0), int64(1), major(20), int64(2), major(5), major(30)}
	all := p.report(report.Query{Kind: report.StaffBets})
	if got := all.Sections[0]; !reflect.DeepEqual(got.Rows, []report.Row{dan, pat}) || !reflect.DeepEqual(got.Totals, total) {
		t.Errorf("by table and person: %v, %v", got.Rows, got.Totals)
	}
	ofAnn := report.Row{"ann", "dan", "dealer", int64(2), major(40), int64(1), major(25), int64(0), int64(0), int64(1), major(20), int64(1), major(5), none}
	ofBen := report.Row{"ben", "dan", "dealer", int64(0), none, int64(0), none, int64(1), int64(0), int64(0), none, int64(1), none, major(30)}
	if got := all.Sections[1]; len(got.Rows) != 3 || !reflect.DeepEqual(got.Rows[0], ofAnn) || !reflect.DeepEqual(got.Rows[1], ofBen) || !reflect.DeepEqual(got.Totals, total) {
		t.Errorf("by player and person: %v, %v", got.Rows, got.Totals)
	}
	changes := all.Sections[2].Rows
	want := []report.Row{
		{"ann", "bets-returned", "ante", major(20), none},
		{"ann", "stake-found", "ante", major(20), major(25)},
		{"ben", "stake-found", "ante", major(50), major(20)},
	}
	for i, row := range changes {
		if len(changes) != len(want) || !reflect.DeepEqual(row[5:10], want[i]) || row[2] != "A" || row[3] != int64(1) || row[11] != "dan" {
			t.Errorf("change %d: %v", i, row)
		}
	}
	if one := p.report(report.Query{Kind: report.StaffBets, Player: "ann", Table: "A"}).Sections; len(one[0].Rows) != 1 || !reflect.DeepEqual(one[1].Rows, []report.Row{ofAnn}) || len(one[2].Rows) != 2 {
		t.Errorf("of ann alone: %v", one)
	}
	for what, q := range map[string]report.Query{"another table": {Table: "B"}, "later": {FromMs: from + 1, ToMs: from + 2}} {
		q.Kind = report.StaffBets
		if r := p.report(q); !r.NoActivity {
			t.Errorf("%s: %v", what, r.Sections)
		}
	}
}
