package rules

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"trey/money"
	"trey/sentence"
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

// JackpotTerms are the terms of the Progressive Jackpot that the text leaves to the house
// (rws-3cp@3 1.15, 3.3).
type JackpotTerms struct {
	Bet     money.Amount `json:"bet"`
	Reset   money.Amount `json:"reset"`
	RateNum int64        `json:"rate_num"`
	RateDen int64        `json:"rate_den"`
	Ceiling money.Amount `json:"ceiling"`
}

// DefaultGraceMs is the default of the ruling interruption_grace.
const DefaultGraceMs = 15_000

// demonstrationJackpot returns the demonstration house's progressive: $5 bets, a
// reset value of $10,000, 40 % of each bet, a ceiling of $1,000,000.
func demonstrationJackpot() *JackpotTerms {
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
		Choices: b.choices(), GraceMs: DefaultGraceMs,
	}
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		if len(rule.Pays) > 0 {
			v.Pays[rule.Wager] = &rule.Pays[0]
		}
		v.Limits[rule.Wager] = rule.Limit
		if rule.Stake == Prescribed {
			v.Jackpot = demonstrationJackpot()
			v.Limits[rule.Wager] = Limit{v.Jackpot.Bet, v.Jackpot.Bet}
		}
	}
	v.Chips = b.Chips
	return v
}

// CarryLimits gives each wager that equals another one the other's limits, where the
// text has limits for it and none are stated for this wager itself.
func (v *Variant) CarryLimits(stated ...Wager) {
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		if rule.Stake == EqualToBasis && rule.Limit != (Limit{}) && !slices.Contains(stated, rule.Wager) {
			v.Limits[rule.Wager] = v.Limits[rule.Basis]
		}
	}
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
	return fmt.Errorf("%s has no pay table %q for %s: choose from %s", v.Book.Ref(), name, w, strings.Join(names, ", "))
}

// TableWith returns the pay table that a list of so many pays is meant for: the
// one in force or, where it has fewer rows, the first that the text offers with
// enough of them, else its longest. It is nil for a wager without pays.
func (v *Variant) TableWith(w Wager, rows int) *PayTable {
	table := v.Pays[w]
	if table == nil || len(table.Rows) >= rows {
		return table
	}
	rule := v.Book.Rule(w)
	for i := range rule.Pays {
		if len(rule.Pays[i].Rows) > len(table.Rows) {
			table = &rule.Pays[i]
		}
		if len(table.Rows) >= rows {
			break
		}
	}
	return table
}

// OverridePays replaces the pays of a wager's table, best hand first. Where the
// text offers several tables, the number of pays tells which rows are meant: see
// [Variant.TableWith]. Pays that are exactly one of these tables are that table,
// with its name and its Envy Bonuses or none. Whoever has picked a table by its name, and means its rows
// and no others, uses [PayTable.WithPays].
func (v *Variant) OverridePays(w Wager, toOne []int64) error {
	if v.Pays[w] == nil {
		return fmt.Errorf("%s has no pay table for %s", v.Book.Ref(), w)
	}
	table, err := v.TableWith(w, len(toOne)).WithPays(toOne)
	if err != nil {
		return fmt.Errorf("%s: %w", w, err)
	}
	if offered := v.Book.Rule(w).Offered(table.Rows); offered != nil {
		v.Pays[w] = offered
		return nil
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

// MaxBoxes is the number of boxes that a deck of 52 can serve beside the dealer and a
// burn card.
const MaxBoxes = 16

// MaxStake is the largest single stake that any variant may permit, one
// thousand million currency units: far from overflowing any settlement.
const MaxStake money.Amount = 1_000_000_000 * money.Major

// maxRateDen keeps the fraction of a contribution readable.
const maxRateDen = 1_000_000

// Fault is one reason why a variant cannot be played.
type Fault struct {
	// Field is what is at fault, as a variant file names it: "boxes", "chips",
	// "limits.ante", "pays.bonus", "pays.bonus.straight", "rulings.envy_per",
	// "progressive.bet".
	Field string
	// Reason says what is wrong, and what to write where that is not plain.
	Reason sentence.Sentence
}

// Error returns the field and the reason.
func (f *Fault) Error() string { return f.Field + ": " + f.Reason.String() }

// Check returns everything that makes the variant unusable, joined, or nil.
func (v *Variant) Check() error { return joined(v.Faults()) }

// CheckRecorded checks a variant of a record. It accepts values that may no longer be chosen
// together, so that every record stays readable.
func (v *Variant) CheckRecorded() error { return joined(v.malformed()) }

func joined(faults []Fault) error {
	errs := make([]error, len(faults))
	for i := range faults {
		errs[i] = &faults[i]
	}
	return errors.Join(errs...)
}

// faultList gathers faults in the order in which they are found.
type faultList []Fault

func (l *faultList) fault(field, form string, args ...any) {
	*l = append(*l, Fault{Field: field, Reason: sentence.Of(form, args...)})
}

// Faults returns everything that makes the variant unusable, one by one; Check
// is the same as an error.
func (v *Variant) Faults() []Fault {
	found := v.malformed()
	v.checkVoidHands(&found)
	return found
}

// malformed returns what no variant can be read or played with.
func (v *Variant) malformed() faultList {
	var found faultList
	if least := v.Book.Boxes.Least(); v.Boxes < least || v.Boxes > v.Book.Boxes.Max {
		found.fault("boxes", "%d is outside %d to %d (%s)", v.Boxes, least, v.Book.Boxes.Max, v.Book.ClauseRef(v.Book.Boxes.Clauses.Count))
	}
	if err := v.checkChips(); err != nil {
		found.fault("chips", "%s", err)
	}
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		v.checkLimit(&found, rule)
		v.checkPays(&found, rule)
	}
	for _, r := range v.Book.OpenRulings() {
		if c := v.Choices[r.Ruling]; !slices.Contains(r.Values, c) {
			found.fault("rulings."+r.Ruling.String(), "it cannot be %s", sentence.Word(c.String()))
		}
	}
	if !v.Rounding.Valid() || v.Rounding.Unit > MaxStake {
		found.fault("rulings.six_pays_half_rounding", "the unit %s in favour of the %s is no rounding", v.Rounding.Unit.String(), sentence.Word(v.Rounding.Favour.String()))
	}
	if v.GraceMs < 0 {
		found.fault("rulings.interruption_grace", "%d ms is negative", v.GraceMs)
	}
	v.checkJackpot(&found)
	return found
}

// checkVoidHands refuses to let a wager outlast a fold where a hand that is void counts as
// folded: a void hand would be paid for what it holds.
//
//clause:fr-p3c@2007 21
func (v *Variant) checkVoidHands(found *faultList) {
	rule := v.Book.Incident(HandTouched)
	if rule == nil {
		return
	}
	for i := range rule.Cases {
		c := &rule.Cases[i]
		if c.Then != FoldUndecidedHands || c.Ruling == 0 || !v.Is(c.Ruling, c.Choice) {
			continue
		}
		for k := range v.Book.Wagers {
			if of := v.Book.Wagers[k].FoldRuling; of != 0 && v.Is(of, Kept) {
				found.fault("rulings."+of.String(), "a hand that is void would be paid, because by the ruling %s it counts as folded (%s): choose another value of one of the two", c.Ruling, v.Book.ClauseRef(c.Clause))
			}
		}
	}
}

// checkLimit refuses limits within which no stake could ever lie.
func (v *Variant) checkLimit(found *faultList, rule *WagerRule) {
	limit, field := v.Limits[rule.Wager], "limits."+rule.Wager.String()
	switch {
	case limit.Min < 0 || limit.Max < 0:
		found.fault(field, "a limit is below zero")
		return
	case limit.Max > 0 && limit.Min > limit.Max:
		found.fault(field, "the minimum $%s is above the maximum $%s", limit.Min.Display(), limit.Max.Display())
		return
	case limit.Min > MaxStake || limit.Max > MaxStake:
		found.fault(field, "a limit is above $%s, the largest stake there is", MaxStake.Display())
		return
	case rule.Stake == EqualToBasis && limit != Limit{} && limit != v.Limits[rule.Basis]:
		// The ruling play_limits: within other limits no stake would ever be checked.
		found.fault(field, "%s always equals %s, whose limits are the ones that hold: state limits for %s only, or the same for both", rule.Wager, rule.Basis, rule.Basis)
		return
	}
	if v.checkChips() != nil {
		return // Whether an amount can be laid cannot be asked.
	}
	switch {
	case limit.Min > 0 && !v.Payable(limit.Min):
		found.fault(field, "$%s cannot be laid in the table's chips: %s", limit.Min.Display(), v.chipList())
	case limit.Min == 0 && limit.Max > 0 && len(v.Chips) > 0 && limit.Max < v.Chips[0]:
		found.fault(field, "the maximum $%s is below the smallest chip: %s", limit.Max.Display(), v.chipList())
	}
}

func (v *Variant) chipList() string {
	chips := make([]string, len(v.Chips))
	for i, chip := range v.Chips {
		chips[i] = "$" + chip.Display()
	}
	return strings.Join(chips, ", ")
}

// checkPays refuses a table under which some hand could not be settled.
func (v *Variant) checkPays(found *faultList, rule *WagerRule) {
	table, field := v.Pays[rule.Wager], "pays."+rule.Wager.String()
	if table == nil || len(table.Rows) == 0 {
		found.fault(field, "there is no pay table")
		return
	}
	var seen ComboSet
	for i := range table.Rows {
		row := &table.Rows[i]
		name := field + "." + row.Combo.String()
		switch {
		case row.Combo == 0 || row.Combo >= numCombos:
			found.fault(field, "row %d names no combination", i+1)
			continue
		case seen.Has(row.Combo):
			found.fault(name, "the row stands twice")
		}
		seen |= bit(row.Combo)
		if err := row.check(); err != nil {
			found.fault(name, "%s", err)
		}
		if row.Pay.MeterPercent != 0 && rule.Stake != Prescribed {
			found.fault(name, "no meter belongs to %s: write odds such as 5 to 1", rule.Wager)
		}
		if row.Envy != 0 && !rule.Envy {
			found.fault(name, "%s brings no Envy Bonus in %s", rule.Wager, v.Book.Ref())
		}
	}
	if (rule.Contest == AgainstDealer || rule.Contest == EqualPoints) && !seen.Has(AnyHand) {
		found.fault(field, "every winning hand must be paid, so the table needs a row %s", AnyHand.String())
	}
}

// checkJackpot refuses terms that contradict themselves, and terms under which
// the fixed pays alone are worth more than the bet: such a game favours the
// player before the meter pays a cent.
func (v *Variant) checkJackpot(found *faultList) {
	terms, rule := v.Jackpot, v.Book.Rule(Progressive)
	switch {
	case terms == nil:
		return
	case rule == nil:
		found.fault("progressive", "%s has no progressive", v.Book.Ref())
		return
	case terms.Bet <= 0 || terms.Bet > MaxStake:
		found.fault("progressive.bet", "$%s is outside $0.01 to $%s", terms.Bet.Display(), MaxStake.Display())
		return
	case v.Limits[Progressive] != Limit{Min: terms.Bet, Max: terms.Bet}:
		found.fault("limits.progressive", "the bet has one size, $%s: set it as progressive.bet", terms.Bet.Display())
	}
	if terms.Reset < 0 || terms.Reset > MaxStake {
		found.fault("progressive.reset", "$%s is outside $0 to $%s", terms.Reset.Display(), MaxStake.Display())
	}
	switch {
	case terms.RateDen <= 0 || terms.RateDen > maxRateDen || terms.RateNum <= 0:
		found.fault("progressive.rate", "%d/%d of each bet is no contribution: a jackpot increases with each bet (%s)",
			terms.RateNum, terms.RateDen, v.Book.ClauseRef("1.15"))
	case terms.RateNum > terms.RateDen:
		found.fault("progressive.rate", "%d/%d puts more than the whole bet on the meter", terms.RateNum, terms.RateDen)
	}
	switch {
	case terms.Ceiling < terms.Reset:
		found.fault("progressive.ceiling", "$%s is below the reset value $%s", terms.Ceiling.Display(), terms.Reset.Display())
	case terms.Ceiling > MaxStake:
		found.fault("progressive.ceiling", "$%s is above $%s", terms.Ceiling.Display(), MaxStake.Display())
	}
	table := v.Pays[Progressive]
	if table == nil || len(table.Rows) == 0 {
		return
	}
	perBet := table.FixedReturn(v.Book.Ranking)
	var stakes sentence.Sentence
	if rule.StakeRuling != 0 && !v.Is(rule.StakeRuling, KeptByHouse) {
		var wins int64
		for _, ways := range table.Ways(v.Book.Ranking) {
			wins += int64(ways)
		}
		perBet.Add(perBet, new(big.Rat).Mul(big.NewRat(wins, 22_100), big.NewRat(int64(terms.Bet), 1)))
		stakes = sentence.Of(" and the stakes that come back")
	}
	if perBet.Cmp(big.NewRat(int64(terms.Bet), 1)) > 0 {
		perBet.Quo(perBet, big.NewRat(int64(money.Major), 1))
		found.fault("progressive.bet", "a bet of $%s favours the player at an empty meter, because the fixed pays%s alone return $%s for each bet (%s); prescribe a larger bet",
			terms.Bet.Display(), stakes, perBet.FloatString(4), v.Book.ClauseRef(table.Rows[0].Clause))
	}
}
