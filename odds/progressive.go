package odds

import (
	"errors"
	"fmt"
	"math/big"

	"trey/money"
	"trey/rules"
)

// Jackpot is the progressive as a function of its meter. Sums of money are in
// currency units. The reserve above the ceiling is not in these figures, except
// where it says so: under the demonstration terms a meter reaches its ceiling
// once in five thousand million jackpots.
type Jackpot struct {
	// Meter is the displayed value that the analysis is for.
	Meter money.Amount `json:"-"`
	// Fixed is what the rows with fixed pays return for one bet, Envy what the
	// Envy Bonuses of the other boxes bring, Stake what of the bet itself comes
	// back (ruling jackpot_stake).
	Fixed Fraction `json:"fixed"`
	Envy  Fraction `json:"envy"`
	Back  Fraction `json:"stake_back"`
	// PerUnit is what one currency unit on the meter adds to a bet's
	// expectation.
	PerUnit Fraction `json:"per_unit_of_meter"`
	// BreakEven is the meter at which the bet is fair, nil if none is: where no
	// row pays the meter. It may be negative: then the bet is always favourable.
	BreakEven *Fraction `json:"break_even,omitempty"`
	// AtReset is the return of one bet, as part of it, with the meter at the
	// reset value.
	AtReset Fraction `json:"return_at_reset"`
	// LongRun is the return over many cycles: what a bet gets at the reset
	// value, and its contribution, which comes back to some player in the end.
	LongRun Fraction `json:"return_long_run"`
	// Contribution is what one bet adds to the meter.
	Contribution Fraction `json:"contribution"`
	// BetsBetweenHits is the expected number of bets from one hit of the whole
	// meter to the next.
	BetsBetweenHits Fraction `json:"bets_between_hits"`
	// MeterAtHit is the expected displayed value when it is hit, the ceiling
	// taken into account, starting from the reset value. As a fraction it would
	// have millions of digits, so it is rounded to ten decimals.
	MeterAtHit Decimal `json:"meter_at_hit,omitempty"`

	reset, ceiling, bet Fraction
	hit                 Fraction // chance of one bet to take the meter
}

// jackpot works out the figures of the progressive from its analysis.
func (m *maker) jackpot(a *Analysis) (*Jackpot, error) {
	terms := m.v.Jackpot
	j := &Jackpot{
		Meter: m.o.meter(m.v), reset: dollars(terms.Reset), ceiling: dollars(terms.Ceiling), bet: dollars(terms.Bet),
	}
	j.Contribution = dollars(terms.Bet).mul(frac(terms.RateNum, terms.RateDen))
	table := m.v.Pays[rules.Progressive]
	for _, row := range a.Rows {
		pays := row.Pays.mul(row.Probability)
		switch pay, ok := table.Row(comboSet(row.Combo)); {
		case row.Wager == rules.Envy:
			j.Envy = j.Envy.add(pays)
			continue
		case row.Combo == 0 || !ok:
		case pay.Pay.MeterPercent == 0:
			j.Fixed = j.Fixed.add(pays)
		default:
			// The whole meter: Options.check refuses a part of it.
			j.PerUnit = j.PerUnit.add(row.Probability)
			j.hit = j.hit.add(row.Probability)
		}
		// What is beyond the winnings is stake that came back.
		j.Back = j.Back.add(row.Net.sub(row.Pays).add(j.bet).mul(row.Probability))
	}
	flat := j.Fixed.add(j.Envy).add(j.Back)
	if j.PerUnit.Sign() > 0 {
		even := j.bet.sub(flat).quo(j.PerUnit)
		j.BreakEven = &even
	}
	j.AtReset = flat.add(j.PerUnit.mul(j.reset)).quo(j.bet)
	j.LongRun = j.AtReset
	if j.hit.Sign() > 0 {
		j.LongRun = j.LongRun.add(j.Contribution.quo(j.bet))
		j.BetsBetweenHits = frac(1, 1).quo(j.hit)
		j.MeterAtHit = j.meterAtHit()
	}
	return j, nil
}

func comboSet(c rules.Combo) rules.ComboSet { return rules.ComboSet(1) << c }

// meterAtHit returns the mean of min(ceiling, reset + N c) for a geometric number N
// of bets with mean 1/p, the winning one among them, that each add c. With K
// whole contributions below the ceiling, E[min(N, K)] = (1 - (1-p)^K) / p, and
// the part of a contribution that still fits is added with chance (1-p)^K.
func (j *Jackpot) meterAtHit() Decimal {
	if j.Contribution.Sign() == 0 {
		return Decimal(j.reset.Decimal(decimals))
	}
	room := j.ceiling.sub(j.reset).quo(j.Contribution).rat()
	k := new(big.Int).Quo(room.Num(), room.Denom())
	if !k.IsInt64() || k.Int64() > maxBets {
		k.SetInt64(maxBets)
	}
	miss := missAll(j.hit, k.Int64())
	fits := frac(1, 1).sub(miss).quo(j.hit).mul(j.Contribution)
	rest := j.ceiling.sub(j.reset).sub(Fraction{new(big.Rat).SetInt(k)}.mul(j.Contribution))
	if k.Int64() == maxBets {
		rest = Fraction{}
	}
	return Decimal(j.reset.add(fits).add(miss.mul(rest)).Decimal(decimals))
}

// maxBets bounds the number of bets looked at between two hits; the chance of
// more is below 10^-900 for the books here.
const maxBets = 50_000_000

// precision is the number of bits of a power that is too long for exact integers. Its
// relative error stays below 2^-200.
const precision = 256

// missAll returns (1-p)^n to sixty decimals; the exact value has millions.
func missAll(p Fraction, n int64) Fraction {
	if p.Cmp(frac(1, 1)) >= 0 {
		return Fraction{}
	}
	base := new(big.Float).SetPrec(precision).SetRat(frac(1, 1).sub(p).rat())
	power := new(big.Float).SetPrec(precision).SetInt64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			power.Mul(power, base)
		}
		base.Mul(base, base)
	}
	scaled, _ := power.Mul(power, new(big.Float).SetPrec(precision).SetInt(tenTo(missDecimals))).Int(nil)
	return fracInt(scaled, tenTo(missDecimals))
}

// missDecimals is to how many decimals the chance of a long wait is kept.
const missDecimals = 60

// Expect returns the average net result of one bet, in currency, at that meter.
func (j *Jackpot) Expect(meter money.Amount) Fraction {
	return j.Fixed.add(j.Envy).add(j.Back).add(j.PerUnit.mul(dollars(meter))).sub(j.bet)
}

// RoundsBetweenHits returns the expected number of rounds from one hit to the next
// with that many progressive bets in each: exact, for only one box a round can
// hold the one hand that takes the meter.
func (j *Jackpot) RoundsBetweenHits(bets int) Fraction {
	if bets < 1 {
		return Fraction{}
	}
	return j.BetsBetweenHits.over(int64(bets))
}

// HitWithin returns the chance that the meter is hit within that many bets, to sixty
// decimals; the meter at that hit is at most the reset value and as many
// contributions.
func (j *Jackpot) HitWithin(bets int64) Fraction {
	if bets < 1 || j.hit.Sign() == 0 {
		return Fraction{}
	}
	return frac(1, 1).sub(missAll(j.hit, bets))
}

// Quantile returns the least number of bets within which the meter is hit with
// at least the chance q, and the displayed value then. q is between 0 and 1,
// both excluded.
func (j *Jackpot) Quantile(q Fraction) (bets int64, meter Fraction, err error) {
	if q.Sign() <= 0 || q.Cmp(frac(1, 1)) >= 0 {
		return 0, Fraction{}, fmt.Errorf("a chance of %s: give one between 0 and 1", q.Plain())
	}
	if j.hit.Sign() == 0 {
		return 0, Fraction{}, errors.New("no hand takes the whole meter, so it is never hit")
	}
	left := frac(1, 1).sub(q)
	low, high := int64(0), int64(maxBets) // missAll(low) > left >= missAll(high)
	if left.Cmp(missAll(j.hit, high)) < 0 {
		return 0, Fraction{}, fmt.Errorf("a chance of %s needs more than %d bets: %w", q.Plain(), maxBets, ErrTooLarge)
	}
	for high-low > 1 {
		middle := (low + high) / 2
		if left.Cmp(missAll(j.hit, middle)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	meter = j.reset.add(j.Contribution.times(high))
	if j.ceiling.Cmp(meter) < 0 {
		meter = j.ceiling
	}
	return high, meter, nil
}
