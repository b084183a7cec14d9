package house

import (
	"errors"

	"trey/internal/enum"
	"trey/internal/house/fair"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/table"
)

// Fault is the reason for which a table stopped. The sender of the command, and the log of the
// program, get the fault in words; the record has its kind and the command that found it.
type Fault uint8

// The faults. The zero value is none of them.
const (
	_ Fault = iota
	// EngineFault: the engine broke a rule of its own.
	EngineFault
	// MoneyFault: what would have moved is not what was shown.
	MoneyFault
	// MeterFault: the events of the jackpot do not agree with its amounts.
	MeterFault
	// AccountFault: a posting is impossible.
	AccountFault
	// DeckFault: the cards do not fit the seed.
	DeckFault
	numFaults
)

var faultKeys = enum.New("a fault of a table", numFaults, []string{
	EngineFault: "engine", MoneyFault: "money", MeterFault: "meter", AccountFault: "account", DeckFault: "deck",
})

var faultErrors = [numFaults]error{
	EngineFault:  errors.New("the engine broke a rule of its own"),
	MoneyFault:   errors.New("the money that would have moved is not what was shown"),
	MeterFault:   errors.New("the jackpot's amounts do not agree with its events"),
	AccountFault: errors.New("a posting is impossible"),
	DeckFault:    errors.New("the cards do not fit the seed"),
}

// faultOf returns the kind of fault of an error, zero for one that is none.
func faultOf(err error) Fault {
	var broke *table.Broken
	var mismatch *posting.Mismatch
	switch {
	case errors.As(err, &broke):
		return EngineFault
	case errors.As(err, &mismatch):
		return MoneyFault
	case errors.Is(err, jackpot.ErrCorrupt):
		return MeterFault
	case errors.Is(err, ledger.ErrMalformed):
		return AccountFault
	case errors.Is(err, fair.ErrMisfit):
		return DeckFault
	default:
		return 0
	}
}

// Err returns the fault in words.
func (f Fault) Err() error {
	if f == 0 || f >= numFaults {
		return errors.New("a fault of an unknown kind")
	}
	return faultErrors[f]
}

// String returns the key, such as "money".
func (f Fault) String() string { return faultKeys.Key(f) }

// MarshalText writes the key.
func (f Fault) MarshalText() ([]byte, error) { return faultKeys.Marshal(f) }

// UnmarshalText reads a key.
func (f *Fault) UnmarshalText(text []byte) error { return faultKeys.Unmarshal(f, text) }
