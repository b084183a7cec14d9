package house

import (
	"errors"
	"fmt"
	"time"

	"trey/internal/enum"
)

// Mode says who runs the rounds of a table.
type Mode uint8

// The modes. The zero value is none of them.
const (
	_ Mode = iota
	// Automatic tables are run by the house itself, by the clock of their pace.
	Automatic
	// DealerRun tables are run by a person.
	DealerRun
	numModes
)

var modeKeys = enum.New("a mode of a table", numModes, []string{Automatic: "automatic", DealerRun: "dealer"})

// String returns the key, such as "automatic".
func (m Mode) String() string { return modeKeys.Key(m) }

// Modes lists every mode in the order of declaration.
func Modes() []Mode { return modeKeys.All() }

// ParseMode reads a key.
func ParseMode(text string) (Mode, error) { return modeKeys.Parse(text) }

// MarshalText writes the key.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads the key.
func (m *Mode) UnmarshalText(text []byte) error { return modeKeys.Unmarshal(m, text) }

// Pace is the clock of an automatic table, in milliseconds.
//
// The first three are the times that the house waits for players. Zero is no clock: the round
// goes on the moment that everybody concerned has acted, and not before. The last two are
// pauses in which people can follow what happens; zero is none.
type Pace struct {
	// BettingMs runs from the first bet of a round to "No more bets".
	BettingMs int64 `json:"betting_ms"`
	// DecisionMs is the time to look at a hand, and to play or fold.
	DecisionMs int64 `json:"decision_ms"`
	// OptionMs is the time to answer an option, such as taking bets back after an
	// interruption.
	OptionMs int64 `json:"option_ms"`
	// DealMs is the pause before each step that people can see: the deal, the
	// reveal, the settlement. It is half as long where one player has all the bets.
	DealMs int64 `json:"deal_ms"`
	// ShowMs is the time for which the end of a round is shown before the next one begins.
	ShowMs int64 `json:"show_ms"`
}

// MaxPaceMs bounds every time of a pace: a day is no pace.
const MaxPaceMs = int64(24 * time.Hour / time.Millisecond)

// Check returns everything that is wrong with a pace, joined, or nil.
func (p Pace) Check() error {
	var errs []error
	for _, one := range []struct {
		name string
		ms   int64
	}{{"betting", p.BettingMs}, {"decision", p.DecisionMs}, {"option", p.OptionMs}, {"deal", p.DealMs}, {"show", p.ShowMs}} {
		if one.ms < 0 || one.ms > MaxPaceMs {
			errs = append(errs, fmt.Errorf("pace.%s is %d ms: choose from 0 to a day", one.name, one.ms))
		}
	}
	return errors.Join(errs...)
}
