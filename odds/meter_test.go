package odds_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/internal/steady"
	"trey/jackpot"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// meterRows changes what rows of the progressive's pay table pay.
func meterRows(t *testing.T, percents map[rules.Combo]int) *rules.Variant {
	t.Helper()
	v := variant(t, "rws-3cp", nil)
	table := *v.Pays[rules.Progressive]
	table.Rows = slices.Clone(table.Rows)
	for i := range table.Rows {
		if percent, ok := percents[table.Rows[i].Combo]; ok {
			table.Rows[i].Pay = rules.Pay{MeterPercent: percent}
		}
	}
	v.Pays[rules.Progressive] = &table
	return v
}

// Package jackpot pays a hit all that is displayed and resets the meter, so no
// return of a row that pays a part of it would be that of a table. Every
// analysis refuses the row and says what to write.
func TestPartOfTheMeterIsRefused(t *testing.T) {
	v := meterRows(t, map[rules.Combo]int{rules.AKQSpades: 50})
	stakes := map[odds.Bet]money.Amount{odds.AntePlay: 1000, odds.Progressive: 500}
	for name, work := range map[string]func() error{
		"sheet":   func() error { _, err := odds.Analyse(v, odds.Options{}); return err },
		"joint":   func() error { _, err := odds.Together(v, stakes, odds.Options{}); return err },
		"boxes":   func() error { _, err := odds.AgainstOneDealer(v, stakes, odds.Options{}, 2, 0); return err },
		"no part": func() error { _, err := odds.Analyse(meterRows(t, nil), odds.Options{}); return err },
	} {
		err := work()
		if name == "no part" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "50 % of the meter cannot be paid") || !strings.Contains(err.Error(), "write 100% of the meter") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The long-run return and the mean meter at a hit are those that package jackpot
// comes to: thousands of jackpots are won, and each is paid by it. The seed is fixed.
func TestLongRunOfTheMeterInTheJackpot(t *testing.T) {
	for _, test := range []struct {
		name     string
		percents map[rules.Combo]int
		hits     int     // of 22,100 hands
		fixed    float64 // dollars in 22,100 hands, by hand
	}{
		{"one row", nil, 1, 3*1250 + 44*175 + 52*150 + 720*15},
		{"two rows", map[rules.Combo]int{rules.AKQSuited: 100}, 4, 44*175 + 52*150 + 720*15},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := meterRows(t, test.percents)
			s, err := odds.Analyse(v, odds.Options{Bets: []odds.Bet{odds.Progressive}})
			if err != nil {
				t.Fatal(err)
			}
			j := s.Wagers[odds.Progressive].Jackpot
			terms := jackpot.Demonstration()
			var state jackpot.State
			do := func(commands ...jackpot.Command) (paid money.Amount) {
				for _, c := range commands {
					events, err := jackpot.Decide(state, c)
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range events {
						if state, err = jackpot.Evolve(state, e); err != nil {
							t.Fatal(err)
						}
						if hit, ok := e.(jackpot.HitPaid); ok {
							paid = hit.Amount
						}
					}
				}
				return paid
			}
			do(jackpot.Open{Terms: terms, FixedReturn: jackpot.FixedReturn{Num: int64(test.fixed) * 100, Den: 22_100}, Meter: terms.Reset})
			random := rand.New(rand.NewPCG(3, 52))
			cycles := steady.Share(10_000, 40_000)
			p := float64(test.hits) / 22_100
			bets, meters := make([]float64, cycles), make([]float64, cycles)
			var allBets, allPaid float64
			round := jackpot.RoundID{Table: "A", Round: "1"}
			hit := jackpot.HitID{Table: "A", Round: "1", Box: 1}
			for i := range cycles {
				// The number of bets up to and with the first that takes the meter.
				n := int64(math.Ceil(math.Log(1-random.Float64()) / math.Log(1-p)))
				n = max(n, 1)
				paid := do(
					jackpot.Contribute{Round: round, Bets: n},
					jackpot.HandDealt{Hit: hit, Place: jackpot.Place{DealtAtMs: int64(i + 1)}},
					jackpot.Confirm{Hit: hit}, jackpot.Pay{Hit: hit}, jackpot.CloseRound{Round: round},
				)
				bets[i], meters[i] = float64(n), float64(paid)/100
				allBets += bets[i]
				allPaid += meters[i]
			}
			n := float64(cycles)
			mean := allPaid / n
			rate := allPaid / allBets // dollars a bet from the meter
			var spread, residual float64
			for i := range cycles {
				spread += (meters[i] - mean) * (meters[i] - mean)
				residual += (meters[i] - rate*bets[i]) * (meters[i] - rate*bets[i])
			}
			const sigmas = 4
			deviation := math.Sqrt(spread/n) / math.Sqrt(n)
			if got := float(t, j.MeterAtHit); math.Abs(got-mean) > sigmas*deviation {
				t.Errorf("mean meter at a hit: %.2f, the jackpot paid %.2f ± %.2f", got, mean, deviation)
			}
			want := (test.fixed/22_100 + rate) / 5
			deviation = math.Sqrt(residual/n) / math.Sqrt(n) / (allBets / n) / 5
			if got := j.LongRun.Float64(); math.Abs(got-want) > sigmas*deviation {
				t.Errorf("return in the long run: %.6f, the jackpot returned %.6f ± %.6f", got, want, deviation)
			}
		})
	}
}

func float(t *testing.T, d odds.Decimal) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(string(d), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
