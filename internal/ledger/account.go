package ledger

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"trey/internal/enum"
)

// Kind is the purpose of an account. The list is closed.
type Kind uint8

// The kinds of account. The zero value is none of them.
const (
	_ Kind = iota
	// Player is the balance of a player: money that the house holds for them, not at
	// stake.
	Player
	// Layout holds the bets that lie on a table in a round.
	Layout
	// Rack is the float entrusted to a table by fills, less what credits took
	// back. With the table's Win it is what a count of the rack must find.
	Rack
	// Win is the result of a table: stakes won, less winnings paid and less what its bets
	// put into a jackpot, which is no revenue.
	Win
	// Meter is a jackpot's meter.
	Meter
	// Reserve is the money of a jackpot above its ceiling.
	Reserve
	// House is the house's own money outside the tables. It pays the reset
	// values of jackpots and makes good what they cannot.
	House
	// Cash is the money that came in at the cage and has not gone out: the one place from
	// which money enters the house, so it stands on the other side.
	Cash
	// Owed is the debt of a player to the house: a settled round was reversed after its
	// pay had been spent. It stands on the other side too.
	Owed
	// Payable is the money that a jackpot has paid and people have not verified: it
	// belongs to the winners, who do not have it yet.
	Payable
	numKinds
)

var kindKeys = enum.New("a kind of account", numKinds, []string{
	Player: "player", Layout: "layout", Rack: "rack", Win: "win", Meter: "meter",
	Reserve: "reserve", House: "house", Cash: "cash", Owed: "owed",
	Payable: "payable",
})

// String returns the kind's key, such as "player".
func (k Kind) String() string { return kindKeys.Key(k) }

// debit reports whether the account grows when it is debited: what others owe
// the house and what lies in its cage.
func (k Kind) debit() bool { return k == Cash || k == Owed }

// floor reports whether the account never falls below zero. A table's rack and
// win, the house's own money and its cash may: they say what was lost or lent.
func (k Kind) floor() bool {
	switch k {
	case Player, Layout, Meter, Reserve, Owed, Payable:
		return true
	case Rack, Win, House, Cash:
		return false
	default:
		return true
	}
}

// shared reports whether there is one account of the kind and it has no owner.
func (k Kind) shared() bool { return k == House || k == Cash }

// Account is one account: its kind, and the player, table or jackpot it is kept
// for. House and Cash are kept for nobody in particular.
type Account struct {
	Kind Kind
	Of   string
}

// maxName is the longest name of an owner, in bytes.
const maxName = 200

// Valid reports whether there can be such an account.
func (a Account) Valid() bool {
	if a.Kind == 0 || a.Kind >= numKinds {
		return false
	}
	if a.Kind.shared() {
		return a.Of == ""
	}
	return a.Of != "" && len(a.Of) <= maxName && utf8.ValidString(a.Of)
}

// String returns the account as it is written down: "player:ann", "cash".
func (a Account) String() string {
	if a.Kind.shared() {
		return a.Kind.String()
	}
	return a.Kind.String() + ":" + a.Of
}

// ParseAccount reads what String writes.
func ParseAccount(text string) (Account, error) {
	key, of, _ := strings.Cut(text, ":")
	if k, err := kindKeys.Parse(key); err == nil {
		if a := (Account{k, of}); a.Valid() && a.String() == text {
			return a, nil
		}
	}
	return Account{}, fmt.Errorf("%q is not an account: write it such as player:ann, win:A or cash", text)
}

// MarshalText writes the account.
func (a Account) MarshalText() ([]byte, error) {
	if !a.Valid() {
		return nil, fmt.Errorf("ledger: there is no account %v", a)
	}
	return []byte(a.String()), nil
}

// UnmarshalText reads the account.
func (a *Account) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAccount(string(text))
	return err
}
