package protection

import (
	"time"

	"trey/internal/enum"
	"trey/sentence"
)

// Reason names the cause of a refusal: a closed list.
type Reason uint8

// The reasons. The zero value is none of them.
const (
	_ Reason = iota
	// Invalid: there is no such limit, or it cannot have this value.
	Invalid
	// NoChange: it is in force already, or would be shortened.
	NoChange
	// LimitReached: a limit of the player would be broken.
	LimitReached
	// CheckDue: a reality check has to be answered first.
	CheckDue
	// TimeOut: the player takes a pause.
	TimeOut
	// Excluded: the player is excluded from play.
	Excluded
	// DecisionOpen: the player has a hand or an option to decide first.
	DecisionOpen
	numReasons
)

var reasonKeys = enum.New("a reason", numReasons, []string{
	Invalid: "invalid-limit", NoChange: "no-change", LimitReached: "limit-reached", CheckDue: "reality-check-due",
	TimeOut: "time-out", Excluded: "excluded", DecisionOpen: "decision-open",
})

// String returns the reason's key, such as "limit-reached".
func (r Reason) String() string { return reasonKeys.Key(r) }

// MarshalText writes the reason's key.
func (r Reason) MarshalText() ([]byte, error) { return reasonKeys.Marshal(r) }

// UnmarshalText reads a reason's key.
func (r *Reason) UnmarshalText(text []byte) error { return reasonKeys.Unmarshal(r, text) }

// Refusal says why a deposit, a bet or a wish of a player is refused. It is a
// normal answer, and nothing has changed.
type Refusal struct {
	Reason Reason
	Player string
	// Key is the limit concerned, zero for none.
	Key    Key
	detail sentence.Sentence
}

// Error says what was refused and why.
func (r *Refusal) Error() string { return r.Sentence().String() }

// Sentence returns Error with its words and what goes into them kept apart.
func (r *Refusal) Sentence() sentence.Sentence { return r.detail }

// Undecided returns the refusal of what has to wait until a player has decided.
func Undecided(name string) *Refusal {
	return &Refusal{Reason: DecisionOpen, Player: name, detail: sentence.Of("%s has a hand or an option to decide: decide it first", name)}
}

var limitWords = [numKinds]sentence.Word{
	Deposit: sentence.Word("deposits"), Loss: sentence.Word("losses"), Stake: sentence.Word("stakes"),
	Time: sentence.Word("minutes at play"), Check: sentence.Word("minutes between reality checks"),
}

var periodWords = [numPeriods]sentence.Word{
	Day: sentence.Word("in 24 hours"), Week: sentence.Word("in 7 days"), Month: sentence.Word("in 30 days"),
	Round: sentence.Word("in a round"), Session: sentence.Word("in a session"),
}

// broken returns the refusal of what would break a limit.
func broken(name string, k Key, most, used, more int64) error {
	r := &Refusal{Reason: LimitReached, Player: name, Key: k}
	what, over := limitWords[k.Kind], periodWords[k.Period]
	if k.Kind == Time {
		r.detail = sentence.Of("the limit of %s is %s %s %s, and %s are used", name, k.amount(most), what, over, k.amount(used))
		return r
	}
	r.detail = sentence.Of("the limit of %s is %s for %s %s: %s are used, and %s would come to it", name, k.amount(most), what, over, k.amount(used), k.amount(more))
	return r
}

// Withheld returns the refusal for a person who may not see what the player has set and played.
// It names what keeps the player from betting, but neither how much of it is used nor when it
// ends.
func (r *Refusal) Withheld() *Refusal {
	out := &Refusal{Reason: r.Reason, Player: r.Player}
	switch r.Reason {
	case LimitReached:
		out.detail = sentence.Of("this would break a limit of %s", r.Player)
	case CheckDue:
		out.detail = sentence.Of("%s has a reality check to answer first", r.Player)
	case TimeOut:
		out.detail = sentence.Of("%s takes a time-out. Money can be paid out", r.Player)
	case Excluded:
		out.detail = sentence.Of("%s is excluded from play. Money can be paid out", r.Player)
	default:
		return r
	}
	return out
}

// when writes a time of the house's clock for people.
func when(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }
