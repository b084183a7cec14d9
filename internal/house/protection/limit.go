package protection

import (
	"slices"
	"strconv"

	"trey/internal/enum"
	"trey/money"
)

const (
	minuteMs = 60_000
	hourMs   = 60 * minuteMs
	dayMs    = 24 * hourMs
)

// LoosenAfterMs is the time until a looser limit takes effect.
const LoosenAfterMs = 24 * hourMs

// Kind names the quantity that a limit bounds.
type Kind uint8

// The kinds. The zero value is none of them.
const (
	_ Kind = iota
	// Deposit bounds the money that a player brings in.
	Deposit
	// Loss bounds the net loss. A stake counts as lost until it comes back.
	Loss
	// Stake bounds the money that a player bets.
	Stake
	// Time bounds the time at play, in minutes.
	Time
	// Check is the interval between two reality checks, in minutes.
	Check
	numKinds
)

var kindKeys = enum.New("a kind of limit", numKinds, []string{Deposit: "deposit", Loss: "loss", Stake: "stake", Time: "time", Check: "reality-check"})

// String returns the kind's key, such as "deposit".
func (k Kind) String() string { return kindKeys.Key(k) }

// MarshalText writes the kind's key.
func (k Kind) MarshalText() ([]byte, error) { return kindKeys.Marshal(k) }

// UnmarshalText reads a kind's key.
func (k *Kind) UnmarshalText(text []byte) error { return kindKeys.Unmarshal(k, text) }

// InMinutes reports whether limits of the kind are counted in minutes, and not in
// minor units of money.
func (k Kind) InMinutes() bool { return k == Time || k == Check }

// Period is the time over which a limit counts.
type Period uint8

// The periods. The zero value is none of them.
const (
	_ Period = iota
	// Day is the last 24 hours.
	Day
	// Week is the last 7 days.
	Week
	// Month is the last 30 days.
	Month
	// Round is one round at one table.
	Round
	// Session is one session of play: see [Tally.Session].
	Session
	numPeriods
)

var periodKeys = enum.New("a period of a limit", numPeriods, []string{Day: "day", Week: "week", Month: "month", Round: "round", Session: "session"})

// String returns the period's key, such as "day".
func (p Period) String() string { return periodKeys.Key(p) }

// MarshalText writes the period's key.
func (p Period) MarshalText() ([]byte, error) { return periodKeys.Marshal(p) }

// UnmarshalText reads a period's key.
func (p *Period) UnmarshalText(text []byte) error { return periodKeys.Unmarshal(p, text) }

// ms returns the length of a rolling period, zero for the others.
func (p Period) ms() int64 {
	switch p {
	case Day:
		return dayMs
	case Week:
		return 7 * dayMs
	case Month:
		return 30 * dayMs
	case Round, Session:
		return 0
	}
	return 0
}

// Key names one limit of a player.
type Key struct {
	Kind   Kind   `json:"kind"`
	Period Period `json:"period"`
}

// Keys lists every limit that a player can have, in order.
func Keys() []Key {
	var all []Key
	for k := Deposit; k < Check; k++ {
		for p := Day; p <= Month; p++ {
			all = append(all, Key{k, p})
		}
		if k == Stake {
			all = append(all, Key{Stake, Round})
		}
	}
	return append(all, Key{Check, Session})
}

// The bounds of a limit.
const (
	mostAmount = int64(1) << 59
	// LeastCheckMinutes is the shortest interval between two reality checks.
	LeastCheckMinutes = 5
	mostCheckMinutes  = 24 * 60
)

// valid reports whether there is such a limit and it can be set to a value.
func (k Key) valid(most *int64) bool {
	if !slices.Contains(Keys(), k) {
		return false
	}
	switch {
	case most == nil:
		return true
	case k.Kind == Check:
		return *most >= LeastCheckMinutes && *most <= mostCheckMinutes
	case k.Kind == Time:
		return *most >= 0 && *most <= k.Period.ms()/minuteMs
	}
	return *most >= 0 && *most <= mostAmount
}

// amount returns a limit's value as it is said: money, or minutes.
func (k Key) amount(value int64) any {
	if k.Kind.InMinutes() {
		return strconv.FormatInt(value, 10)
	}
	return money.Amount(value)
}

// Setting is one limit as a player has set it.
type Setting struct {
	// Most is the limit in force, in minor units or in minutes by its kind; nil is
	// no limit.
	Most *int64 `json:"most"`
	// Next is a looser limit that the player has asked for; nil for none.
	Next *Change `json:"next,omitempty"`
}

// Change is a limit that takes effect later.
type Change struct {
	Most   *int64 `json:"most"`
	FromMs int64  `json:"from_ms"`
}

// At returns the limit in force at a time, nil for none.
func (s Setting) At(nowMs int64) *int64 {
	if s.Next != nil && nowMs >= s.Next.FromMs {
		return s.Next.Most
	}
	return s.Most
}

// Standing returns the setting as it stands at a time: a change that has taken effect
// is no change to come any more.
func (s Setting) Standing(nowMs int64) Setting {
	if s.Next != nil && nowMs >= s.Next.FromMs {
		return Setting{Most: s.Next.Most}
	}
	return s
}

// looser reports whether a limit allows more than another.
func looser(a, than *int64) bool {
	switch {
	case than == nil:
		return false
	case a == nil:
		return true
	}
	return *a > *than
}

func same(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
