package protection

import (
	"fmt"

	"trey/internal/stored"
	"trey/money"
)

// Event is something that was decided about the protection of one player. The
// events are the structs of this file and no others.
type Event interface {
	// EventKind returns the kind under which the event is stored.
	EventKind() string
	// About returns the player's name.
	About() string
}

// LimitChanged says that a player has set, loosened or removed a limit.
type LimitChanged struct {
	Player string `json:"player"`
	Key
	// Before was in force, Most is asked for; nil is no limit.
	Before *int64 `json:"before"`
	Most   *int64 `json:"most"`
	// FromMs is the time at which it takes effect.
	FromMs int64 `json:"from_ms"`
}

// Sets reports whether the limit asked for is this one; nil is none.
func (e LimitChanged) Sets(most *int64) bool { return same(e.Most, most) }

// CheckAnswered records that a player has seen how long they have played and with what result,
// and goes on.
type CheckAnswered struct {
	Player    string       `json:"player"`
	SinceMs   int64        `json:"since_ms"`
	ElapsedMs int64        `json:"elapsed_ms"`
	Staked    money.Amount `json:"staked"`
	Net       money.Amount `json:"net"`
}

// TimeOutBegun says that a player takes a pause.
type TimeOutBegun struct {
	Player  string `json:"player"`
	UntilMs int64  `json:"until_ms"`
}

// PlayerExcluded says that a player is excluded from play, by the player or by a
// member of staff.
type PlayerExcluded struct {
	Player string `json:"player"`
	// By is the person who decided it: the player for a self-exclusion.
	By string `json:"by"`
	// UntilMs is the time at which it ends, zero for never.
	UntilMs int64  `json:"until_ms,omitempty"`
	Why     string `json:"why,omitempty"`
}

// PlayRefused says that a bet or a deposit of a player was refused: by a limit, a pause
// or an exclusion. Further ones for the same reason within 24 hours are not recorded.
type PlayRefused struct {
	Player string `json:"player"`
	Reason Reason `json:"reason"`
	// Limit is the limit that would have been broken, nil for none.
	Limit *Key `json:"limit,omitempty"`
}

// EventKind returns "limit-changed".
func (LimitChanged) EventKind() string { return "limit-changed" }

// EventKind returns "reality-check-answered".
func (CheckAnswered) EventKind() string { return "reality-check-answered" }

// EventKind returns "time-out-begun".
func (TimeOutBegun) EventKind() string { return "time-out-begun" }

// EventKind returns "player-excluded".
func (PlayerExcluded) EventKind() string { return "player-excluded" }

// EventKind returns "play-refused".
func (PlayRefused) EventKind() string { return "play-refused" }

// About returns the player.
func (e PlayRefused) About() string { return e.Player }

// About returns the player.
func (e LimitChanged) About() string { return e.Player }

// About returns the player.
func (e CheckAnswered) About() string { return e.Player }

// About returns the player.
func (e TimeOutBegun) About() string { return e.Player }

// About returns the player.
func (e PlayerExcluded) About() string { return e.Player }

// Events are the kinds of events of protection, which are stored as they are.
var Events = stored.NewTable(
	"event",
	eventKind[LimitChanged](),
	eventKind[CheckAnswered](),
	eventKind[TimeOutBegun](),
	eventKind[PlayerExcluded](),
	eventKind[PlayRefused](),
)

func eventKind[E Event]() stored.Kind[Event] {
	var e E
	return stored.Own[Event, E](e.EventKind())
}

// Read reads an event that was stored.
func Read(e stored.Event) (Event, error) {
	read, err := Events.Read(e)
	if err == nil && read.About() == "" {
		return nil, fmt.Errorf("%s names no player", e.Kind)
	}
	return read, err
}
