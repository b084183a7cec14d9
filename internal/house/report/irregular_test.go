package report_test

import (
	"maps"
	"testing"

	"trey/internal/house"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/money"
)

// A stake that was found to be another stands among what went wrong, with what the player had to lay
// for it or got back.
func TestAStakeThatWasFoundIsTold(t *testing.T) {
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
