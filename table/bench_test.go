package table_test

import (
	"slices"
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

var (
	house = table.Actor{Name: "house", Role: rules.Dealer}
	names = [...]string{"ann", "ben", "cai", "dee", "eva", "fay", "gus"}
)

func packets(hands ...string) table.Deal {
	var d table.Deal
	for _, text := range hands {
		h, err := card.ParseHand(text)
		if err != nil {
			panic(err)
		}
		for _, c := range h {
			d.Cards = append(d.Cards, table.Drawn{Card: c})
		}
	}
	return d
}

// roundOf returns the commands of one whole round with seven boxes and every
// wager there is, in which each player examines and some fold.
func roundOf() []table.Command {
	var commands []table.Command
	by := func(a table.Actor, do table.Action) {
		commands = append(commands, table.Command{By: a, AtMs: 1, Do: do})
	}
	player := func(i int) table.Actor { return table.Actor{Name: names[i], Role: rules.Player} }
	by(house, table.OpenBets{})
	for i := range names {
		by(player(i), table.Bet{Box: i + 1, Player: names[i], Wager: rules.Ante, Amount: 10 * money.Major})
		by(player(i), table.Bet{Box: i + 1, Player: names[i], Wager: rules.PairPlus, Amount: 5 * money.Major})
		by(player(i), table.Bet{Box: i + 1, Player: names[i], Wager: rules.Progressive, Amount: 5 * money.Major})
	}
	by(house, table.CloseBets{})
	by(house, packets("As Ks Qs", "Qd 6s 4c", "2c 3c 4d", "9h 9d 9s", "Ah Kh Qh", "7d 7c 2h", "Jd 8h 3s", "Kd Tc 5s"))
	for i := range names {
		by(player(i), table.Examine{Box: i + 1, Player: names[i]})
		if i == 6 {
			by(player(i), table.Fold{Box: i + 1, Player: names[i]})
			continue
		}
		by(player(i), table.Raise{Box: i + 1, Player: names[i]})
	}
	by(house, table.Reveal{})
	by(house, table.Settle{Meter: 1_234_567})
	return commands
}

func TestWholeRound(t *testing.T) {
	s, err := table.New(rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range roundOf() {
		events, err := table.Decide(s, c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if s, err = table.Evolve(s, events...); err != nil {
			t.Fatal(err)
		}
	}
	if s.Phase != table.Paid {
		t.Fatalf("phase %s", s.Phase)
	}
	net := map[string]money.Amount{}
	for _, l := range s.Lines {
		net[l.Player] += l.Returned - l.Stake
		t.Logf("%d %s %+v", l.Box, l.Player, l.Line)
	}
	// Dealer K-10-5 plays. ann: ante and play win 20, bonus 50, pair plus 200,
	// jackpot 12,345.67 less the stake 5, envy of eva's hand 50.
	for player, want := range map[string]money.Amount{
		"ann": 2000 + 5000 + 20000 + 1_234_567 - 500 + 5000,
		"ben": -2000 - 500 - 500 + 25000 + 5000, // Q-6-4 loses
		"cai": 2000 + 1000 + 2500 + 1500 - 500 + 30000,
		"dee": 2000 + 4000 + 15000 + 15000 - 500 + 30000,
		"eva": 2000 + 5000 + 20000 + 125_000 - 500 + 25000,
		"fay": 2000 + 500 - 500 + 30000,
		"gus": -1000 - 500 - 500, // folded: no envy by default
	} {
		if net[player] != want {
			t.Errorf("%s: net %s, want %s", player, net[player], want)
		}
	}
}

func BenchmarkRound(b *testing.B) {
	start, err := table.New(rws3cp.Book().Standard(), table.Config{Device: rules.Shuffler, Cards: table.Virtual})
	if err != nil {
		b.Fatal(err)
	}
	commands := roundOf()
	b.ReportAllocs()
	for b.Loop() {
		s := start
		for _, c := range commands {
			events, err := table.Decide(s, c)
			if err != nil {
				b.Fatal(err)
			}
			if s, err = table.Evolve(s, events...); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkYardstick sorts a thousand numbers. A round is stated as a multiple of
// it in docs/performance.md, because machines differ and are busy at times.
func BenchmarkYardstick(b *testing.B) {
	mixed := make([]int, 1000)
	for i := range mixed {
		mixed[i] = i * 7919 % 1009
	}
	sorted := make([]int, len(mixed))
	for b.Loop() {
		copy(sorted, mixed)
		slices.Sort(sorted)
	}
}
