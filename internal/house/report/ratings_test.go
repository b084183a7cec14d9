package report_test

import (
	"context"
	"math/big"
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// twoBoxes plays rounds of two boxes with the same bets, a minute apart.
func (p *place) twoBoxes(rounds int, ante, pairPlus money.Amount) {
	p.Helper()
	do := func(by access.Person, a table.Action) {
		p.Helper()
		_, err := p.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: a})
		p.must(err)
	}
	for range rounds {
		p.nowMs += 60_000
		do(dealer, table.OpenBets{})
		for box, player := range guests[:2] {
			do(player, table.Bet{Box: box + 1, Player: player.Name, Wager: rules.Ante, Amount: ante})
			if pairPlus > 0 {
				do(player, table.Bet{Box: box + 1, Player: player.Name, Wager: rules.PairPlus, Amount: pairPlus})
			}
		}
		do(dealer, table.CloseBets{})
		do(dealer, table.Deal{})
		for box, player := range guests[:2] {
			do(player, table.Examine{Box: box + 1, Player: player.Name})
			if box == 0 {
				do(player, table.Raise{Box: 1, Player: player.Name})
			} else {
				do(player, table.Fold{Box: 2, Player: player.Name})
			}
		}
		do(dealer, table.Reveal{})
		do(dealer, table.Settle{})
	}
}

// Theoretical win and band are held against the mathematics of two boxes against one
// dealer, which comes to them in another way, and the rest against what was played.
func TestPitAndRatingsOfKnownRounds(t *testing.T) {
	p := open(t, 5)
	p.install("A", "us-3cp")
	for _, player := range guests[:2] {
		p.cage(ledger.BuyIn, player.Name, 10_000*money.Major)
	}
	p.twoBoxes(4, 5*money.Major, 5*money.Major)
	p.twoBoxes(3, 8*money.Major, 0)
	// A round that is void, and one that has not been settled, are rated by nobody.
	for _, void := range []bool{true, false} {
		_, err := p.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}})
		p.must(err)
		_, err = p.Do(ctx(), house.CommandRequest{Table: "A", By: guests[0], Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}})
		p.must(err)
		if void {
			_, err = p.Do(ctx(), house.CommandRequest{Table: "A", By: supervisor, Do: table.Report{Incident: rules.Uncovered, Note: "water"}})
			p.must(err)
			_, err = p.Do(ctx(), house.CommandRequest{Table: "A", By: manager, Do: table.Answer{Answer: "void"}})
			p.must(err)
		}
	}
	b, err := books.Find("us-3cp")
	p.must(err)
	v := b.Standard()
	mean, variance := new(big.Rat), new(big.Rat)
	for _, played := range []struct {
		rounds int64
		stakes map[odds.Bet]money.Amount
	}{
		{4, map[odds.Bet]money.Amount{odds.AntePlay: 5 * money.Major, odds.PairPlus: 5 * money.Major}},
		{3, map[odds.Bet]money.Amount{odds.AntePlay: 8 * money.Major}},
	} {
		two, err := odds.AgainstOneDealer(v, played.stakes, odds.Options{}, 2, 0)
		p.must(err)
		n := big.NewRat(played.rounds, 1)
		mean.Sub(mean, new(big.Rat).Mul(n, two.Sum.Expectation.Rat()))
		variance.Add(variance, new(big.Rat).Mul(n, two.Sum.Variance.Rat()))
	}
	cents := func(r *big.Rat) money.Amount {
		a, err := money.Parse(r.FloatString(2))
		p.must(err)
		return a
	}
	theo := cents(mean)
	// The root by halving, up to a tenth of a cent.
	low, high := new(big.Rat), big.NewRat(1_000_000, 1)
	for range 60 {
		middle := new(big.Rat).Add(low, high)
		middle.Mul(middle, big.NewRat(1, 2))
		if square := new(big.Rat).Mul(middle, middle); square.Cmp(variance) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	half := cents(high.Mul(high, big.NewRat(196, 100)))

	pit := p.report(report.Query{Kind: report.Pit, Rules: p}).Sections[0]
	performance := p.report(report.Query{Kind: report.TablePerformance}).Sections
	for _, key := range []string{"settled", "drop", "handle", "win", "fills", "credits"} {
		if got, want := value(t, &pit, "A", key), value(t, &performance[0], "A", key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	titles := map[string]string{}
	for _, c := range performance[0].Columns {
		titles[c.Key] = c.Title
	}
	for _, c := range pit.Columns {
		if other := titles[c.Key]; other != "" && other != c.Title {
			t.Errorf("the column %s is called %q in one report and %q in the other", c.Key, c.Title, other)
		}
	}
	if got := value(t, &pit, "A", "settled"); got != int64(7) {
		t.Errorf("%v rounds were settled, want 7", got)
	}
	// Seven rounds end six minutes after the first one did: the seventh, a minute each.
	if got := value(t, &pit, "A", "pace"); got != int64(60) {
		t.Errorf("the pace is %v rounds an hour, want 60", got)
	}
	if got := value(t, &pit, "A", "rated_win"); got != value(t, &pit, "A", "win") {
		t.Errorf("without a jackpot wager the win is %v", got)
	}
	for _, name := range []string{"A", "Total"} {
		if got := value(t, &pit, name, "theo"); got != theo {
			t.Errorf("%s: a theoretical win of %v, want %s", name, got, theo)
		}
		for key, want := range map[string]money.Amount{"low": theo - half, "high": theo + half} {
			if off := value(t, &pit, name, key).(money.Amount) - want; off < -1 || off > 1 {
				t.Errorf("%s: the band goes %s %v, want %s", name, key, value(t, &pit, name, key), want)
			}
		}
	}

	ratings := p.report(report.Query{Kind: report.PlayerRatings, Rules: p}).Sections[0]
	for _, player := range []string{"ann", "ben"} {
		// Four rounds with 10, three with 8.
		for key, want := range map[string]any{"rounds": int64(7), "bets": 64 * money.Major, "average_bet": money.Amount(914), "theo": cents(new(big.Rat).Mul(mean, big.NewRat(1, 2)))} {
			if got := value(t, &ratings, player, key); got != want {
				t.Errorf("%s: %s is %v, want %v", player, key, got, want)
			}
		}
	}
	if ann, ben := value(t, &ratings, "ann", "handle"), value(t, &ratings, "ben", "handle"); ann != 108*money.Major || ben != 64*money.Major {
		t.Errorf("ann, who plays on, has a handle of %v, and ben, who folds, of %v", ann, ben)
	}
	if sum, win := value(t, &ratings, "Total", "win"), value(t, &pit, "A", "win"); sum != win {
		t.Errorf("the house won %v from the players and %v at the table", sum, win)
	}
	if one := p.report(report.Query{Kind: report.PlayerRatings, Rules: p, Player: "ben"}).Sections[0]; len(one.Rows) != 1 || one.Rows[0][0] != "ben" {
		t.Errorf("the rating of ben is %v", one.Rows)
	}
	if none := p.report(report.Query{Kind: report.PlayerRatings, Rules: p, Table: "B"}); !none.NoActivity {
		t.Errorf("the ratings of another table are %v", none.Sections)
	}
}

// An Ante beside a Bonus bet has a house edge of its own where the ruling has the Ante paid
// even money then, and the theoretical wins have it.
func TestTheoreticalWinBesideABonusBet(t *testing.T) {
	p := open(t, 6)
	b, err := books.Find("fr-p3c")
	p.must(err)
	v := b.Standard()
	v.ID = "one-bonus"
	v.Choices[rules.AnteBesideBonus] = rules.No
	p.must(p.Install(ctx(), house.Table{Name: "A", Variant: v, Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}}, admin))
	bets := map[string]map[odds.Bet]money.Amount{
		"ann": {odds.AntePlay: 500 * money.Major, odds.Bonus: 300 * money.Major},
		"ben": {odds.AntePlay: 500 * money.Major},
	}
	do := func(by access.Person, a table.Action) {
		t.Helper()
		_, err := p.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: a})
		p.must(err)
	}
	do(dealer, table.OpenBets{})
	want := map[string]money.Amount{}
	for box, player := range guests[:2] {
		p.cage(ledger.BuyIn, player.Name, 10_000*money.Major)
		stakes := bets[player.Name]
		for _, bet := range odds.Bets(v) {
			if amount := stakes[bet]; amount > 0 {
				do(player, table.Bet{Box: box + 1, Player: player.Name, Wager: bet.Wager(), Amount: amount})
			}
		}
		joint, err := odds.Together(v, stakes, odds.Options{})
		p.must(err)
		loss := joint.Sum.Expectation.Rat()
		want[player.Name], err = money.Parse(loss.Neg(loss).FloatString(2))
		p.must(err)
	}
	do(dealer, table.CloseBets{})
	do(dealer, table.Deal{})
	for box, player := range guests[:2] {
		do(player, table.Examine{Box: box + 1, Player: player.Name})
		do(player, table.Raise{Box: box + 1, Player: player.Name})
	}
	do(dealer, table.Reveal{})
	do(dealer, table.Settle{})
	ratings := p.report(report.Query{Kind: report.PlayerRatings, Rules: p}).Sections[0]
	for player, theo := range want {
		if got := value(t, &ratings, player, "theo"); got != theo {
			t.Errorf("%s: a theoretical win of %v, want %s", player, got, theo)
		}
	}
	pit := p.report(report.Query{Kind: report.Pit, Rules: p}).Sections[0]
	if got, both := value(t, &pit, "A", "theo").(money.Amount), want["ann"]+want["ben"]; got-both > 1 || both-got > 1 {
		t.Errorf("a theoretical win of %s at the table, want %s", got, both)
	}
}

// From the place where rounds of a period can be rated, a report says the same as if all of the
// record had been read. The results of tables and players add up, by periods and by players,
// whatever is undone and corrected at the tables.
func TestRatingsOfPeriodsAddUp(t *testing.T) {
	p := open(t, 4)
	names := []string{"T1", "T2"}
	for i, book := range []string{"rws-3cp", "us-3cp"} {
		p.install(names[i], book)
	}
	for _, player := range guests {
		p.cage(ledger.BuyIn, player.Name, 20_000*money.Major)
	}
	p.play(names, steady.Share(200, 400))
	middle := p.nowMs + 1
	p.play(names, steady.Share(250, 500))
	p.must(p.Audit())
	for _, kind := range []report.Kind{report.Pit, report.PlayerRatings} {
		late := report.Query{Kind: kind, FromMs: middle, Rules: p}
		quick := p.report(late)
		slow, err := report.Make(ctx(), source{house.Named(p.store)}, late, "test", p.nowMs)
		p.must(err)
		if !reflect.DeepEqual(quick, slow) {
			t.Errorf("%s: %v\nwithout marks %v", kind, quick.Sections, slow.Sections)
		}
	}
	// Cuts in the middle of rounds, and between a settlement and what puts it right.
	for _, kind := range []report.Kind{report.Pit, report.PlayerRatings} {
		periods := int64(steady.Share(20, 60))
		sums := map[string]map[string]int64{}
		first := int64(1_000_000)
		for i := range periods {
			q := report.Query{Kind: kind, Rules: p, FromMs: first + (p.nowMs-first)*i/periods, ToMs: first + (p.nowMs-first)*(i+1)/periods}
			if i == periods-1 {
				q.ToMs = p.nowMs + 1
			}
			add(sums, &p.report(q).Sections[0])
		}
		total := map[string]map[string]int64{}
		add(total, &p.report(report.Query{Kind: kind, Rules: p}).Sections[0])
		for name, want := range total {
			for key, amount := range want {
				off := sums[name][key] - amount
				if key == "theo" && off <= periods && off >= -periods {
					continue // each is rounded
				}
				if off != 0 {
					t.Errorf("%s: %s of %s is %d, and the periods come to %d", kind, key, name, amount, sums[name][key])
				}
			}
		}
	}
	all := p.report(report.Query{Kind: report.Pit, Rules: p}).Sections[0]
	performance := p.report(report.Query{Kind: report.TablePerformance}).Sections
	for _, name := range names {
		want := map[string]money.Amount{}
		for _, row := range performance[1].Rows {
			if w, err := rules.ParseWager(row[1].(string)); row[0] == name && (err != nil || w != rules.Progressive && w != rules.Envy) {
				want["rated_win"] += row[4].(money.Amount)
			}
		}
		if got := value(t, &all, name, "rated_win"); got != want["rated_win"] {
			t.Errorf("%s won %v without jackpots, and its wagers come to %s", name, got, want["rated_win"])
		}
		if low, theo, high := value(t, &all, name, "low").(money.Amount), value(t, &all, name, "theo").(money.Amount), value(t, &all, name, "high").(money.Amount); low > theo || theo > high || low == high && value(t, &all, name, "handle") != money.Amount(0) {
			t.Errorf("%s: a theoretical win of %s from %s to %s", name, theo, low, high)
		}
	}
}

// add adds up what adds up over periods, by the names of rows and the keys of columns.
func add(sums map[string]map[string]int64, s *report.Section) {
	for _, row := range s.Rows {
		name := row[0].(string)
		if sums[name] == nil {
			sums[name] = map[string]int64{}
		}
		for i, c := range s.Columns {
			switch c.Key {
			case "pace", "low", "high", "average_bet":
				continue
			default:
			}
			switch v := row[i].(type) {
			case int64:
				sums[name][c.Key] += v
			case money.Amount:
				sums[name][c.Key] += int64(v)
			default:
			}
		}
	}
}

// source is a record of which nothing but transactions can be read.
type source struct{ of report.Source }

func (s source) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return s.of.ReadAll(ctx, after, stream, yield)
}
