package ledger

import "trey/internal/enum"

// Reason is the cause of a movement of money. The list is closed.
type Reason uint8

// The reasons. The zero value is none of them.
const (
	_ Reason = iota
	// BuyIn brings a player's money into the house.
	BuyIn
	// CashOut takes it out again.
	CashOut
	// Fill brings float to a table.
	Fill
	// Credit takes float back from a table.
	Credit
	// Bet lays a stake on the layout.
	Bet
	// Found corrects a stake to what lies on the layout.
	Found
	// StakeReturned takes a stake, or a part of it, off the layout and gives it
	// back.
	StakeReturned
	// StakeWon takes a stake, or a part of it, off the layout for the house.
	StakeWon
	// Winnings pays what a wager won.
	Winnings
	// JackpotPaid pays a jackpot from its meter.
	JackpotPaid
	// MadeGood is house money where a meter holds less than it must pay.
	MadeGood
	// Collected takes back what a reversed settlement had paid.
	Collected
	// Unpaid records as owed what could not be collected.
	Unpaid
	// Contribution puts a part of a bet on a jackpot's meter.
	Contribution
	// Overflow puts it into the reserve, above the ceiling.
	Overflow
	// ContributionReturned takes a contribution back.
	ContributionReturned
	// Reseed gives a meter its value to start from.
	Reseed
	// MeterAdjusted changes a meter or a reserve for a listed cause.
	MeterAdjusted
	// Adjusted puts a player's account right by hand, for a listed cause.
	Adjusted
	// DebtCollected settles a debt of a player from the player's account.
	DebtCollected
	// DebtForgiven settles it with the house's money.
	DebtForgiven
	// Awarded pays what a person awarded after a settlement.
	Awarded
	// Relaid lays a stake on the layout again whose settlement is undone.
	Relaid
	// Held keeps a jackpot that was paid until people have verified it.
	Held
	// Released hands it out, or ends that it is held because it is collected again.
	Released
	numReasons
)

var reasonKeys = enum.New("a reason for a posting", numReasons, []string{
	BuyIn: "buy-in", CashOut: "cash-out", Fill: "fill", Credit: "credit", Bet: "bet", Found: "found",
	StakeReturned: "stake-returned", StakeWon: "stake-won", Winnings: "winnings",
	JackpotPaid: "jackpot-paid", MadeGood: "made-good", Collected: "collected", Unpaid: "unpaid",
	Contribution: "contribution", Overflow: "overflow", ContributionReturned: "contribution-returned",
	Reseed: "reseed", MeterAdjusted: "meter-adjusted", Adjusted: "adjusted",
	DebtCollected: "debt-collected", DebtForgiven: "debt-forgiven",
	Awarded: "awarded", Relaid: "relaid", Held: "held", Released: "released",
})

// String returns the reason's key, such as "stake-won".
func (r Reason) String() string { return reasonKeys.Key(r) }

// MarshalText writes the reason's key.
func (r Reason) MarshalText() ([]byte, error) { return reasonKeys.Marshal(r) }

// UnmarshalText reads a reason's key.
func (r *Reason) UnmarshalText(text []byte) error { return reasonKeys.Unmarshal(r, text) }
