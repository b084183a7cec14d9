package house_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A card that was entered wrongly is corrected after the settlement: what was lost stands off. The
// stakes were played, however they came back, and a limit counts them.
func TestALossThatBecomesAStandOffWasPlayed(t *testing.T) {
	for _, pairPlus := range []money.Amount{0, 5 * money.Major} {
		s := newSite(t)
		s.readTable()
		s.buyIn("ann", 100*money.Major)
		if err := s.limit(protection.Day, int64(50*money.Major)); err != nil {
			t.Fatal(err)
		}
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		if pairPlus > 0 {
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: pairPlus})
		}
		s.annPlays("2h", "2c", "5s", "Td", "Th", "5d")
		s.has("ann", 80*money.Major+pairPlus)
		// Each hand has K-9-5.
		report := table.Report{Incident: rules.CardMisread}
		for i, c := range cards(t, "Kh", "9c", "Kd", "9h") {
			at := []table.Place{table.Box(1), table.DealerHand}[i/2]
			report.Cards = append(report.Cards, table.Exposed{At: at, Index: i%2 + 1, Card: c})
		}
		s.do("A", dealer, report)
		s.do("A", supervisor, table.Answer{Answer: "yes"})
		s.do("A", dealer, table.Settle{})
		s.has("ann", 100*money.Major-pairPlus)
		for range 2 {
			p, err := s.Protection(ctx(), "ann")
			if used := p.Used[protection.Key{Kind: protection.Stake, Period: protection.Day}]; err != nil || used != int64(20*money.Major+pairPlus) {
				t.Errorf("with %s on Pair Plus, %s of 50.00 is used, %v", pairPlus, money.Amount(used), err)
			}
			s.restart()
		}
	}
}

// A stake that comes back beside a payment was played where that is of its box, or collects the
// payment of its wager once more.
func TestAStakeWasPlayedByItsOwnPayment(t *testing.T) {
	const atMs, stake = 7, 10 * money.Major
	ann, felt, win := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Layout, Of: "A"}, ledger.Account{Kind: ledger.Win}
	back := ledger.Posting{From: felt, To: ann, Amount: stake, For: ledger.Reference{Reason: ledger.StakeReturned, Box: 1, Wager: rules.Ante}}
	for _, test := range []struct {
		what   string
		other  ledger.Posting
		from   ledger.Account // of the stake
		played bool
	}{
		{"the box wins", ledger.Posting{From: win, To: ann, For: ledger.Reference{Reason: ledger.Winnings, Box: 1, Wager: rules.PairPlus}}, felt, true},
		{"another box wins", ledger.Posting{From: win, To: ann, For: ledger.Reference{Reason: ledger.Winnings, Box: 2, Wager: rules.Ante}}, felt, false},
		{"the jackpot pays the box", ledger.Posting{From: win, To: ann, For: ledger.Reference{Reason: ledger.JackpotPaid, Box: 1}}, felt, true},
		{"the jackpot pays another box", ledger.Posting{From: win, To: ann, For: ledger.Reference{Reason: ledger.JackpotPaid, Box: 2}}, felt, false},
		{"its payment is collected", ledger.Posting{From: ann, To: felt, For: ledger.Reference{Reason: ledger.Collected, Box: 1, Wager: rules.Ante}}, felt, true},
		{"its payment is collected, and it comes from the house", ledger.Posting{From: ann, To: felt, For: ledger.Reference{Reason: ledger.Collected, Box: 1, Wager: rules.Ante}}, win, false},
		{"the payment of another wager is collected", ledger.Posting{From: ann, To: felt, For: ledger.Reference{Reason: ledger.Collected, Box: 1, Wager: rules.PairPlus}}, felt, false},
		{"the payment of another box is collected", ledger.Posting{From: ann, To: felt, For: ledger.Reference{Reason: ledger.Collected, Box: 2, Wager: rules.Ante}}, felt, false},
		{"another stake comes back", ledger.Posting{From: felt, To: ann, For: ledger.Reference{Reason: ledger.StakeReturned, Box: 1, Wager: rules.PairPlus}}, felt, false},
	} {
		back.From = test.from
		test.other.Amount = money.Major
		got := house.MovementOf(ann, atMs, "answer", []ledger.Posting{back, test.other})
		want := stake
		if test.played {
			want = 0
		}
		if test.other.For.Reason == ledger.StakeReturned {
			want += money.Major
		}
		if got.Back != want || got.Stake != 0 {
			t.Errorf("%s: %s of the stakes came back and %s were laid, want %s and none", test.what, got.Back, got.Stake, want)
		}
	}
}
