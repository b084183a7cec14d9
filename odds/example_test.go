package odds_test

import (
	"fmt"
	"log"
	"math/big"

	"trey/card"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
)

func Example() {
	sheet, err := odds.Analyse(rws3cp.Book().Standard(), odds.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, bet := range sheet.Order {
		a := sheet.Wagers[bet]
		fmt.Printf("%-19s edge %s %%, standard deviation %s\n", bet.Name(), a.HouseEdge.Percent(4), a.StdDev)
	}
	fmt.Println(sheet.Wagers[odds.AntePlay].Strategy.Rule)
	// Output:
	// Ante and Play       edge 3.3730 %, standard deviation 1.6392527541
	// Pair Plus           edge 5.5747 %, standard deviation 2.8479676026
	// Progressive Jackpot edge 63.7557 %, standard deviation 69.6774795968
	// Q-6-4 or better
}

// A variant is analysed like its book. Here three Queens pay 150.
func ExampleAnalyse() {
	v := mbs3pictures.Book().Standard()
	if err := v.OverridePays(rules.RoyalPictures, []int64{188, 150, 88, 18, 8, 1}); err != nil {
		log.Fatal(err)
	}
	sheet, err := odds.Analyse(v, odds.Options{Bets: []odds.Bet{odds.RoyalPictures}})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range sheet.Wagers[odds.RoyalPictures].Rows {
		if row.Combo == rules.ThreeQueens {
			fmt.Println(row.Ways, "ways pay", row.Pays.Plain(), "and contribute", row.Contribution.Decimal(6))
		}
	}
	fmt.Println(sheet.Wagers[odds.RoyalPictures].HouseEdge)
	// Output:
	// 4 ways pay 150 and contribute 0.027149
	// 288/5525
}

func ExampleAdvise() {
	hand, err := card.ParseHand("Qh 6d 3c")
	if err != nil {
		log.Fatal(err)
	}
	a, err := odds.Advise(rws3cp.Book().Standard(), hand, odds.Seen{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Describes, "play:", a.Play)
	fmt.Println("played", a.Played.Decimal(6), "folded", a.Folded.Plain(), "a mistake costs", a.Mistake.Decimal(6))
	// Output:
	// High card Q-6-3 play: false
	// played -1.002551 folded -1 a mistake costs 0.002551
}

func ExampleTogether() {
	j, err := odds.Together(rws3cp.Book().Standard(), map[odds.Bet]money.Amount{
		odds.AntePlay: 10 * money.Major, odds.PairPlus: 5 * money.Major,
	}, odds.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("correlation", j.Correlation[0][1])
	fmt.Println("standard deviation of the sum", j.Sum.StdDev)
	// Output:
	// correlation 0.4827299831
	// standard deviation of the sum 26.3979603067
}

func ExampleAnalysis_Session() {
	sheet, err := odds.Analyse(rws3cp.Book().Standard(), odds.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ante := sheet.Wagers[odds.AntePlay]
	bankroll := odds.FractionOf(big.NewRat(50, 1))
	s, err := ante.Session(200, bankroll)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ahead", s.Ahead.Low.Percent(4), "%, ruined", s.Ruin.Low.Percent(4), "%")
	fmt.Println("at $10 and 50 rounds an hour it costs $", ante.LossPerHour(10*money.Major, odds.FractionOf(big.NewRat(50, 1))).Decimal(2))
	// Output:
	// ahead 37.5673 %, ruined 5.8541 %
	// at $10 and 50 rounds an hour it costs $ 16.86
}

func ExampleDesigns() {
	percent := func(n int64) odds.Fraction { return odds.FractionOf(big.NewRat(n, 100)) }
	tables, err := odds.Designs(rws3cp.Book().Standard(), odds.Target{
		Wager: rules.PairPlus,
		Rows:  []odds.Range{{From: 40, To: 40}, {From: 25, To: 35, Step: 5}, {From: 5, To: 6, Step: 1}, {From: 3, To: 4, Step: 1}, {From: 1, To: 1}},
		// The nearest to the middle, 4 %, comes first.
		MinEdge: percent(2), MaxEdge: percent(6),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range tables {
		fmt.Println(d.Pays, d.HouseEdge.Percent(4))
	}
	// Output:
	// [40 35 5 4 1] 4.3982
	// [40 25 6 4 1] 3.4932
	// [40 30 5 4 1] 5.5747
	// [40 30 6 4 1] 2.3167
}
