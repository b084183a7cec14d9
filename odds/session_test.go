package odds

import (
	"errors"
	"math/big"
	"testing"

	"trey/rules"
)

// coin is a fair bet of one unit.
func coin() *Analysis {
	return &Analysis{
		Unit: Stakes, Total: big.NewInt(2), Variance: frac(1, 1),
		Distribution: []Outcome{{frac(-1, 1), big.NewInt(1)}, {frac(1, 1), big.NewInt(1)}},
	}
}

// By the reflection principle a walk reaches -3 within five steps in
// P(S <= -3) + P(S < -3) = 6/32 + 1/32 of all cases.
func TestRuinOfAFairCoin(t *testing.T) {
	s, err := coin().Session(5, frac(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Ruin.Exact() || !s.Ruin.Low.Equal(frac(7, 32)) {
		t.Errorf("ruin %s to %s, want 7/32", s.Ruin.Low, s.Ruin.High)
	}
	// Above zero: 1, 3 or 5 without having been at -3, and only 1 can have
	// been, never: it takes three down and four up.
	if !s.Ahead.Low.Equal(frac(1, 2)) {
		t.Errorf("ahead %s, want 1/2", s.Ahead.Low)
	}
	s, err = coin().Session(1000, Fraction{})
	if err != nil {
		t.Fatal(err)
	}
	even := new(big.Int).Binomial(1000, 500)
	want := fracInt(even, new(big.Int).Lsh(big.NewInt(1), 1000))
	if s.Even.Low.Cmp(want) > 0 || s.Even.High.Cmp(want) < 0 || s.Even.High.sub(s.Even.Low).Decimal(12) != "0.000000000000" {
		t.Errorf("even after 1000: %s to %s, want %s", s.Even.Low.Decimal(15), s.Even.High.Decimal(15), want.Decimal(15))
	}
	if s.StdDev != "31.6227766017" {
		t.Errorf("standard deviation %s", s.StdDev)
	}
}

// By Wald's identity, a player who stops has lost the mean of a round times the mean
// number of rounds played. A fair coin with a bankroll of 2 for three rounds: after two
// it is gone in a quarter of all cases, so 1 + 1 + 3/4 rounds are played.
func TestMeanOfAStoppedSession(t *testing.T) {
	s, err := coin().Session(3, frac(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if s.Stopped == nil || s.Stopped.Low.Sign() != 0 || s.Stopped.High.Sign() != 0 || !s.Played.Low.Equal(frac(11, 4)) || !s.Played.High.Equal(frac(11, 4)) {
		t.Errorf("a fair coin: %+v after %+v rounds, want 0 after 11/4", s.Stopped, s.Played)
	}
	for _, bet := range []Bet{AntePlay, Progressive} {
		a := mustAnalyse(t, "rws-3cp", bet)
		for _, rounds := range []int{20, 400} {
			s, err := a.Session(rounds, frac(20, 1))
			if err != nil {
				t.Fatal(err)
			}
			if s.Ruin.Low.Sign() <= 0 || s.Stopped == nil {
				t.Fatalf("%s: nobody is ruined in %d rounds", bet, rounds)
			}
			// The expectation is below zero, so that the most rounds lose most.
			least, most := a.Expectation.mul(s.Played.High), a.Expectation.mul(s.Played.Low)
			if least.Cmp(s.Stopped.High) > 0 || most.Cmp(s.Stopped.Low) < 0 {
				t.Errorf("%s, %d rounds: the mean is %s to %s, by the rounds played %s to %s", bet, rounds,
					s.Stopped.Low.Decimal(12), s.Stopped.High.Decimal(12), least.Decimal(12), most.Decimal(12))
			}
			if s.Stopped.High.sub(s.Stopped.Low).Decimal(5) != "0.00000" || s.Stopped.Low.Cmp(s.Expectation) <= 0 {
				t.Errorf("%s, %d rounds: %s to %s of %s", bet, rounds, s.Stopped.Low.Decimal(12), s.Stopped.High.Decimal(12), s.Expectation.Decimal(12))
			}
		}
	}
	if s, err := coin().Session(3, Fraction{}); err != nil || s.Stopped != nil || s.Played != nil {
		t.Errorf("without a bankroll: %+v, %v", s, err)
	}
}

// The two ways of working a session out agree, within the error that the second
// one states, with and without ruin.
func TestSessionsAgree(t *testing.T) {
	a := mustAnalyse(t, "rws-3cp", AntePlay)
	for _, bankroll := range []Fraction{{}, frac(10, 1), frac(21, 2)} {
		var exact, nearly Session
		for _, run := range []struct {
			s *Session
			f func(*walk, *Session)
		}{
			{&exact, func(w *walk, s *Session) { w.exactly(s, 20) }},
			{&nearly, func(w *walk, s *Session) {
				if err := w.nearly(s, 20); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			w := &walk{}
			if err := w.lattice(a); err != nil {
				t.Fatal(err)
			}
			if bankroll.Sign() > 0 {
				if err := w.bank(a, bankroll); err != nil {
					t.Fatal(err)
				}
			}
			run.f(w, run.s)
		}
		for _, pair := range []struct {
			name string
			x, y Chance
		}{
			{"ahead", exact.Ahead, nearly.Ahead},
			{"even", exact.Even, nearly.Even},
			{"behind", exact.Behind, nearly.Behind},
			{"ruin", exact.Ruin, nearly.Ruin},
		} {
			if pair.x.Low.Cmp(pair.y.Low) < 0 || pair.x.Low.Cmp(pair.y.High) > 0 || pair.y.High.sub(pair.y.Low).Decimal(14) != "0.00000000000000" {
				t.Errorf("bankroll %s, %s: %s, and between %s and %s", bankroll.Plain(), pair.name,
					pair.x.Low.Decimal(18), pair.y.Low.Decimal(18), pair.y.High.Decimal(18))
			}
		}
		sum := exact.Ahead.Low.add(exact.Even.Low).add(exact.Behind.Low)
		if !sum.Equal(frac(1, 1)) {
			t.Errorf("the chances add up to %s", sum)
		}
	}
}

func TestSessionOfOneRoundIsTheBet(t *testing.T) {
	a := mustAnalyse(t, "rws-3cp", AntePlay)
	s, err := a.Session(1, Fraction{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Ahead.Low.Equal(a.NetWin) || !s.Even.Low.Equal(a.Push) || len(s.Ends) != len(a.Distribution) {
		t.Errorf("ahead %s, even %s, %d ends", s.Ahead.Low, s.Even.Low, len(s.Ends))
	}
}

func TestSessionsRefused(t *testing.T) {
	a := mustAnalyse(t, "rws-3cp", AntePlay)
	for name, try := range map[string]struct {
		rounds   int
		bankroll Fraction
	}{
		"no rounds":                {0, Fraction{}},
		"too many rounds":          {maxRounds + 1, Fraction{}},
		"less than a round's cost": {10, frac(1, 1)},
		"a debt":                   {10, frac(-5, 1)},
	} {
		if _, err := a.Session(try.rounds, try.bankroll); err == nil {
			t.Errorf("%s: a session", name)
		}
	}
	wild := mustVariant(t, "rws-3cp")
	if err := wild.OverridePays(rules.PairPlus, []int64{rules.MaxPay, 1, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	sheet, err := Analyse(wild, Options{Bets: []Bet{PairPlus}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sheet.Wagers[PairPlus].Session(100, Fraction{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("results ten million apart: %v", err)
	}
	always := &Analysis{Total: big.NewInt(1), Distribution: []Outcome{{Fraction{}, big.NewInt(1)}}}
	if s, err := always.Session(100, Fraction{}); err != nil || s.Even.High.Decimal(10) != "1.0000000000" {
		t.Errorf("a bet that always pushes: %+v, %v", s, err)
	}
}

// The rare great win of the progressive does not make a long session too long.
func TestLongSessionOfTheProgressive(t *testing.T) {
	s, err := mustAnalyse(t, "rws-3cp", Progressive).Session(2000, frac(5000, 1))
	if err != nil {
		t.Fatal(err)
	}
	if s.Ahead.High.sub(s.Ahead.Low).Decimal(9) != "0.000000000" || s.Ahead.Low.Sign() <= 0 || s.Ruin.Low.Sign() <= 0 {
		t.Errorf("ahead %s to %s, ruined %s", s.Ahead.Low.Decimal(12), s.Ahead.High.Decimal(12), s.Ruin.Low.Decimal(12))
	}
}
