package rules

import (
	"trey/internal/enum"
	"trey/money"
)

// Wager names one betting area of a layout, or one kind of payment that rides
// on another wager's stake (AnteBonus, Envy).
type Wager uint8

// The wagers of all books. The zero value is none of them.
const (
	_ Wager = iota
	Ante
	Play
	PairPlus
	AnteBonus
	Progressive
	Bonus
	Main
	Tie
	RoyalPictures
	Envy
	numWagers
)

var wagerKeys = enum.New("a wager", numWagers, []string{
	Ante: "ante", Play: "play", PairPlus: "pair-plus", AnteBonus: "ante-bonus",
	Progressive: "progressive", Bonus: "bonus", Main: "main", Tie: "tie",
	RoyalPictures: "royal-pictures", Envy: "envy",
})

var wagerNames = [numWagers]string{
	Ante: "Ante", Play: "Play", PairPlus: "Pair Plus", AnteBonus: "Ante Bonus",
	Progressive: "Progressive Jackpot", Bonus: "Bonus", Main: "Main", Tie: "Tie",
	RoyalPictures: "Royal Pictures", Envy: "Envy Bonus",
}

// String returns the wager's key in files and on the wire, such as "pair-plus".
func (w Wager) String() string { return wagerKeys.Key(w) }

// Name returns the wager's name as a layout shows it, such as "Pair Plus".
func (w Wager) Name() string {
	if w == 0 || w >= numWagers {
		return "Unknown wager"
	}
	return wagerNames[w]
}

// Wagers lists every wager in the order of declaration.
func Wagers() []Wager { return wagerKeys.All() }

// ParseWager reads a wager's key. The error lists the keys there are.
func ParseWager(s string) (Wager, error) { return wagerKeys.Parse(s) }

// MarshalText writes the wager's key.
func (w Wager) MarshalText() ([]byte, error) { return wagerKeys.Marshal(w) }

// UnmarshalText reads a wager's key.
func (w *Wager) UnmarshalText(text []byte) error { return wagerKeys.Unmarshal(w, text) }

// Stakes holds one amount for each wager, indexed by Wager; zero is no stake.
type Stakes [numWagers]money.Amount

// Total returns the sum of the stakes in minor units.
func (s *Stakes) Total() money.Amount {
	var total money.Amount
	for _, amount := range s {
		total += amount
	}
	return total
}

// None reports whether there is no stake at all.
func (s *Stakes) None() bool { return *s == Stakes{} }

// Contest is the comparison that decides a wager.
type Contest uint8

// The contests. The zero value is none of them.
const (
	_ Contest = iota
	// AgainstDealer wagers are won by the higher hand. Where the book has a
	// qualification, a dealer who does not reach it loses Ante wagers and
	// leaves Play wagers as they are.
	AgainstDealer
	// OnHand wagers look at the player's own hand alone: the first row of the
	// pay table that the hand matches pays, no row loses.
	OnHand
	// EqualPoints wagers win when player and dealer have the same point total.
	EqualPoints
	// Riding payments have no stake: they are paid on another wager's stake
	// and never lose (the Ante Bonus).
	Riding
	numContests
)

// StakeRule determines the size of a stake.
type StakeRule uint8

// The stake rules. The zero value is none of them.
const (
	_ StakeRule = iota
	// WithinLimits stakes are chosen by the player between the displayed limits.
	WithinLimits
	// EqualToBasis stakes must equal the stake of the basis wager (Play = Ante).
	EqualToBasis
	// Prescribed stakes have one displayed size (the Progressive Jackpot).
	Prescribed
	// NoStake belongs to payments that ride on another wager.
	NoStake
	numStakeRules
)

// Scope determines whose wager another wager needs beside it.
type Scope uint8

// The scopes. The zero value is no need at all.
const (
	_ Scope = iota
	// SamePlayer needs the other wager placed by the same player on the box.
	SamePlayer
	// SameBox needs the other wager on the box, by whomever.
	SameBox
	numScopes
)

// Need is a wager's condition on another wager: on Wager, or on Or where that
// is set and serves as well.
type Need struct {
	Wager Wager
	Or    Wager
	// OrRuling decides whether Or serves; zero: it does.
	OrRuling Ruling
	Scope    Scope
	Clause   string
}

// Needs returns the wager that another one needs beside it, under the rulings in force.
//
//clause:sm-3cp bonus.6
func (v *Variant) Needs(rule *WagerRule) Need {
	need := rule.Needs
	if need.OrRuling != 0 && !v.Is(need.OrRuling, Yes) {
		need.Or = 0
	}
	return need
}

// Limit is the permitted range of one stake in minor units. A zero Max is no
// maximum; a zero Min is any positive amount.
type Limit struct {
	Min, Max money.Amount
}

// WagerRule declares one wager of a book.
type WagerRule struct {
	Wager   Wager
	Contest Contest
	Stake   StakeRule
	// Basis is the wager whose stake this one must equal (EqualToBasis) or
	// rides on (NoStake).
	Basis Wager
	// Needs is the condition on another wager, if any.
	Needs Need
	// PaidUnqualified says that a dealer without a qualifying hand pays this
	// wager (Ante) rather than returning it (Play).
	PaidUnqualified bool
	// FoldRuling decides whether folding forfeits the wager; zero forfeits it.
	FoldRuling Ruling
	// StakeRuling decides whether the stake comes back with a win; zero
	// returns it.
	StakeRuling Ruling
	// EvenUnqualified says that a dealer without a qualifying hand pays the wager by the
	// row [AnyHand], whatever the hand is.
	EvenUnqualified bool
	// EvenBeside is a wager beside which a win is paid by the row [AnyHand] where that one
	// pays for the same hand, if the ruling EvenRuling has the value no.
	EvenBeside Wager
	EvenRuling Ruling
	// Envy marks the wager whose holders receive the Envy column of its table.
	Envy bool
	// Pays lists the pay tables that the text offers, the standard one first.
	Pays []PayTable
	// Limit is what the text itself permits; zero where it leaves the limits
	// to the table's display.
	Limit Limit
	// Clauses names the provision behind each result.
	Clauses Outcomes
}

// Outcomes names, for one wager, the clause behind each way it can end.
type Outcomes struct {
	Place   string // who may place it
	Size    string // its limits or prescribed size
	Fold    string // the box folded
	Unqual  string // the dealer does not qualify
	Win     string // the higher hand, or equal points; empty: the clause of the row that pays
	Lose    string // the lower hand, or no row of the table
	Push    string // the same rank
	EnvyWin string // the Envy Bonus is paid
	// Unclaimed is for a hand that nobody claimed where [ExamineClauses.Claim] asks for
	// it; empty: as Unrevealed.
	Unclaimed string
}
