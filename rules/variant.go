package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"trey/money"
)

// Variant is a book as one table plays it: the book with the pay tables,
// limits and rulings in force. A book without changes is its own standard
// variant. A Variant does not change once a table plays by it.
type Variant struct {
	Book *Book
	// ID is the operator's name for it; the book's own reference if unchanged.
	ID string
	// Boxes is the number of boxes on the layout.
	Boxes int
	// Pays holds the pay table of each wager that has one.
	Pays [numWagers]*PayTable
	// Limits holds the permitted stakes.
	Limits [numWagers]Limit
	// Chips lists the denominations in use, ascending; empty for any amount.
	Chips []money.Amount
	// Choices holds the rulings in force.
	Choices Choices
	// Rounding says how a payment that is no whole number of minor units, or
	// of chips, is paid (ruling six_pays_half_rounding).
	Rounding money.Rounding
	// GraceMs is how long a stop must last to affect a round, in milliseconds
	// (ruling interruption_grace).
	GraceMs int64
	// Jackpot holds the terms of the progressive (ruling jackpot_terms); nil
	// where none is connected.
	Jackpot *JackpotTerms
}

// JackpotTerms are what the text leaves to the house to prescribe for the
// Progressive Jackpot (rws-3cp@3 1.15, 3.3).
type JackpotTerms struct {
	Bet     money.Amount `json:"bet"`
	Reset   money.Amount `json:"reset"`
	RateNum int64        `json:"rate_num"`
	RateDen int64        `json:"rate_den"`
	Ceiling money.Amount `json:"ceiling"`
}

// DefaultGraceMs is the default of the ruling interruption_grace.
const DefaultGraceMs = 15_000

// DemonstrationJackpot is the demonstration house's progressive: $5 bets, a
// reset value of $10,000, 40 % of each bet, a ceiling of $1,000,000.
func DemonstrationJackpot() *JackpotTerms {
	return &JackpotTerms{
		Bet: 5 * money.Major, Reset: 10_000 * money.Major,
		RateNum: 40, RateDen: 100, Ceiling: 1_000_000 * money.Major,
	}
}

// Standard returns the book unchanged: its first pay tables, the limits that
// the text itself states, every ruling at its default, and the demonstration
// terms where it has a progressive.
func (b *Book) Standard() *Variant {
	v := &Variant{
		Book: b, ID: b.Ref(), Boxes: b.Boxes.Default,
		Choices: DefaultChoices(), GraceMs: DefaultGraceMs,
	}
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		if len(rule.Pays) > 0 {
			v.Pays[rule.Wager] = &rule.Pays[0]
		}
		v.Limits[rule.Wager] = rule.Limit
		if rule.Stake == Prescribed {
			v.Jackpot = DemonstrationJackpot()
			v.Limits[rule.Wager] = Limit{v.Jackpot.Bet, v.Jackpot.Bet}
		}
	}
	v.Chips = b.Chips
	return v
}

// Clone returns a copy that can be changed without touching the original.
func (v *Variant) Clone() *Variant {
	c := *v
	c.Chips = slices.Clone(v.Chips)
	if v.Jackpot != nil {
		terms := *v.Jackpot
		c.Jackpot = &terms
	}
	return &c
}

// Is reports whether a ruling has the value.
func (v *Variant) Is(r Ruling, c Choice) bool { return v.Choices[r] == c }

// UsePayTable picks one of the pay tables that the text offers by its name.
func (v *Variant) UsePayTable(w Wager, name string) error {
	rule := v.Book.Rule(w)
	if rule == nil {
		return fmt.Errorf("%s has no wager %s", v.Book.Ref(), w)
	}
	names := make([]string, 0, len(rule.Pays))
	for i := range rule.Pays {
		if rule.Pays[i].Name == name {
			v.Pays[w] = &rule.Pays[i]
			return nil
		}
		names = append(names, rule.Pays[i].Name)
	}
	return fmt.Errorf("%s has no pay table %q for %s: choose from %v", v.Book.Ref(), name, w, names)
}

// OverridePays replaces the pays of a wager's table, best hand first.
func (v *Variant) OverridePays(w Wager, toOne []int64) error {
	if v.Pays[w] == nil {
		return fmt.Errorf("%s has no pay table for %s", v.Book.Ref(), w)
	}
	table, err := v.Pays[w].WithPays(toOne)
	if err != nil {
		return fmt.Errorf("%s: %w", w, err)
	}
	v.Pays[w] = &table
	return nil
}

// Burns reports whether the first card of a deal from the device is burnt.
func (v *Variant) Burns(d Device) bool {
	rule, ok := v.Book.Device(d)
	if !ok {
		return false
	}
	if rule.BurnRuling != 0 {
		return v.Is(rule.BurnRuling, Yes)
	}
	return rule.Burn
}

// MaxBoxes is how many boxes a deck of 52 can serve beside the dealer and a
// burn card.
const MaxBoxes = 16

// Check returns everything that makes the variant unusable, joined, or nil.
func (v *Variant) Check() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if v.Boxes < 1 || v.Boxes > v.Book.Boxes.Max {
		fail("boxes: %d is outside 1 to %d (%s)", v.Boxes, v.Book.Boxes.Max, v.Book.ClauseRef(v.Book.Boxes.Clauses.Count))
	}
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		limit := v.Limits[w]
		if limit.Min < 0 || limit.Max < 0 || (limit.Max > 0 && limit.Min > limit.Max) {
			fail("limits of %s: the minimum %s is above the maximum %s or one is negative", w, limit.Min, limit.Max)
		}
		if limit.Max > MaxStake {
			fail("limits of %s: the maximum %s is above %s, the largest stake there is", w, limit.Max, MaxStake)
		}
		if table := v.Pays[w]; table != nil {
			for _, row := range table.Rows {
				if row.Pay.Odds.To < 0 || row.Pay.Fixed < 0 || row.Envy < 0 {
					fail("pays of %s: %s pays less than nothing", w, row.Combo.Name())
				}
			}
		}
	}
	for _, r := range v.Book.Open() {
		if !slices.Contains(r.Rule().Choices, v.Choices[r]) {
			fail("ruling %s cannot be %s", r, v.Choices[r])
		}
	}
	if err := v.checkChips(); err != nil {
		errs = append(errs, err)
	}
	if v.GraceMs < 0 {
		fail("interruption_grace: %d ms is negative", v.GraceMs)
	}
	if err := v.checkJackpot(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// MaxStake is the largest single stake that any variant may permit, one
// thousand million currency units: far from overflowing any settlement.
const MaxStake money.Amount = 1_000_000_000 * money.Major

// checkJackpot refuses terms under which the fixed pays alone are worth more
// than the bet: such a game favours the player before the meter pays a cent.
func (v *Variant) checkJackpot() error {
	terms := v.Jackpot
	rule := v.Book.Rule(Progressive)
	if terms == nil {
		return nil
	}
	if rule == nil {
		return fmt.Errorf("progressive: %s has no progressive", v.Book.Ref())
	}
	switch {
	case terms.Bet <= 0 || terms.Reset < 0 || terms.RateNum < 0 || terms.RateDen <= 0:
		return fmt.Errorf("progressive: the bet and the rate must be positive and the reset value not negative")
	case terms.RateNum > terms.RateDen:
		return fmt.Errorf("progressive: a rate of %d/%d puts more than the whole bet on the meter", terms.RateNum, terms.RateDen)
	case terms.Ceiling < terms.Reset:
		return fmt.Errorf("progressive: the ceiling $%s is below the reset value $%s", terms.Ceiling.Display(), terms.Reset.Display())
	}
	fixed := v.Pays[Progressive].FixedReturn(v.Book.Ranking)
	perBet := fixed.Quo(fixed, big.NewRat(int64(money.Major), 1))
	if perBet.Cmp(big.NewRat(int64(terms.Bet), int64(money.Major))) > 0 {
		return fmt.Errorf("progressive: a bet of $%s favours the player at an empty meter, because the fixed pays alone return $%s for each bet (%s); prescribe a larger bet",
			terms.Bet.Display(), perBet.FloatString(4), v.Book.ClauseRef("4.4"))
	}
	return nil
}

// Hash returns the first 16 hexadecimal digits of the SHA-256 of everything
// that can change how a round is played or paid. Two variants with the same
// hash play alike.
func (v *Variant) Hash() string {
	type wagerTerms struct {
		Wager Wager
		Limit Limit
		Pays  *PayTable
	}
	canonical := struct {
		Book     string
		Boxes    int
		Wagers   []wagerTerms
		Chips    []money.Amount
		Rulings  map[string]string
		Rounding money.Rounding
		GraceMs  int64
		Jackpot  *JackpotTerms
	}{
		Book: v.Book.Ref(), Boxes: v.Boxes, Chips: v.Chips, Rulings: map[string]string{},
		Rounding: v.Rounding, GraceMs: v.GraceMs, Jackpot: v.Jackpot,
	}
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		canonical.Wagers = append(canonical.Wagers, wagerTerms{w, v.Limits[w], v.Pays[w]})
	}
	for _, r := range v.Book.Open() {
		canonical.Rulings[r.String()] = v.Choices[r].String()
	}
	text, err := json.Marshal(canonical)
	if err != nil {
		// Only plain values and keys that exist are marshalled.
		panic("rules: a variant cannot be written as JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
