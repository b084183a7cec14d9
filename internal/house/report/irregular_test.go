package report_test

import (
	"maps"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A stake that was found to be another stands among what went wrong, with what the player had to lay
// for it or got back.
func TestAStakeThatWasFoundIsReported(t *testing.T) {
	p := layOut(t, 3)
	list := p.report(report.Query{Kind: report.Irregularities}).Sections[1]
	if len(list.Rows) != 2 || list.Totals[8] != 25*money.Major {
		t.Fatalf("%v, %v", list.Rows, list.Totals)
	}
	for i, want := range []struct {
		box      int64
		returned money.Amount
		player   string
	}{{1, -5 * money.Major, "ann"}, {2, 30 * money.Major, "ben"}} {
		row := list.Rows[i]
		if row[4] != "stake-found" || row[5] != want.box || row[6] != "ante" || row[8] != want.returned || row[9] != "dan" || row[10] != "dealer" || row[11] != want.player {
			t.Errorf("row %d: %v", i, row)
		}
	}
}

// What irregularities gave to players and took from them, a second time: from the movements of
// money, by the commands that caused them.
func TestWhatIrregularitiesReturnedIsWhatMoved(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(2) {
		p, names := busy(t, seed)
		p.play(names, 600)
		list := p.report(report.Query{Kind: report.Irregularities}).Sections[1]
		rows := map[int64]money.Amount{}
		for _, row := range list.Rows {
			seen[row[4].(string)] = true
			if returned, ok := row[8].(money.Amount); ok {
				rows[row[1].(int64)] += returned
			}
		}
		moved := map[int64]money.Amount{}
		p.must(p.store.ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error {
			switch e.Cause.Kind {
			case "report", "answer", "found", "choose", "ask-withdrawal":
			default:
				return nil
			}
			for _, post := range e.Postings {
				switch post.For.Reason {
				case ledger.StakeReturned, ledger.Awarded, ledger.Collected, ledger.Found, ledger.Bet, ledger.Relaid, ledger.Winnings, ledger.StakeWon, ledger.JackpotPaid, ledger.MadeGood:
				default:
					continue
				}
				if post.To.Kind == ledger.Player {
					moved[e.Seq] += post.Amount
				}
				if post.From.Kind == ledger.Player {
					moved[e.Seq] -= post.Amount
				}
			}
			return nil
		}))
		maps.DeleteFunc(moved, func(_ int64, a money.Amount) bool { return a == 0 })
		maps.DeleteFunc(rows, func(_ int64, a money.Amount) bool { return a == 0 })
		for seq, a := range moved {
			if rows[seq] != a {
				t.Errorf("seed %d, transaction %d: %s went to players, and the report says %s", seed, seq, a, rows[seq])
			}
		}
	}
	for _, what := range []string{"bets-returned", "round-voided"} {
		if !seen[what] {
			t.Errorf("nothing is told of %s: %v", what, seen)
		}
	}
}

// A settlement that was undone took from players what it had paid them, and the later payment
// of the box is a part of the irregularity. The total is the excess over the earlier payment.
func TestASettlementThatIsUndoneIsReportedWithItsSums(t *testing.T) {
	line := func(box int, w rules.Wager, returned, reverses money.Amount) table.Line {
		return table.Line{Box: box, Player: "ann", Line: rules.Line{Wager: w, Result: rules.Win, Returned: returned}, Reverses: reverses}
	}
	undone := table.SettlementUndone{Box: 1, Clause: "5.20", Lines: []table.Line{line(1, rules.Ante, 0, 2_000), line(2, rules.Envy, 0, 5_000)}}
	both := table.Settled{Lines: []table.Line{line(1, rules.Ante, 2_000, 0), line(2, rules.Ante, 2_000, 0), line(2, rules.Envy, 5_000, 0)}}
	type row struct {
		what     string
		box      int64
		returned money.Amount
	}
	for name, c := range map[string]struct {
		events []table.Event
		want   []row
		total  money.Amount
	}{
		"settled once":   {[]table.Event{both}, nil, 0},
		"undone alone":   {[]table.Event{both, undone}, []row{{"settlement-undone", 1, -7_000}}, -7_000},
		"settled anew":   {[]table.Event{both, undone, table.Settled{Lines: []table.Line{line(1, rules.Ante, 3_000, 0)}}}, []row{{"settlement-undone", 1, -7_000}, {"box-settled", 1, 3_000}}, -4_000},
		"and the others": {[]table.Event{both, undone, both}, []row{{"settlement-undone", 1, -7_000}, {"box-settled", 1, 2_000}, {"box-settled", 2, 7_000}}, 2_000},
		"while boxes are paid": {
			[]table.Event{table.BoxSettled{Box: 1, Lines: both.Lines[:1]}, undone, both},
			[]row{{"settlement-undone", 1, -7_000}, {"box-settled", 1, 2_000}},
			-5_000,
		},
		"the next round": {[]table.Event{both, undone, table.BetsOpened{Round: 2}, both}, []row{{"settlement-undone", 1, -7_000}}, -7_000},
	} {
		r, err := report.Make(ctx(), entries{
			{Seq: 1, AtMs: 10, Parts: []house.StreamAppend{tablePart(t, "A", append([]table.Event{table.BetsOpened{Round: 1}}, c.events...)...)}},
		}, report.Query{Kind: report.Irregularities}, "test", 50)
		if err != nil {
			t.Fatal(err)
		}
		var got []row
		for _, r := range r.Sections[1].Rows {
			got = append(got, row{r[4].(string), r[5].(int64), r[8].(money.Amount)})
			if r[7] != "5.20" {
				t.Errorf("%s: by %v", name, r[7])
			}
		}
		if total := r.Sections[1].Totals; !slices.Equal(got, c.want) || total != nil && total[8] != c.total {
			t.Errorf("%s: %v, in all %v, want %v, %v", name, got, total, c.want, c.total)
		}
	}
}
