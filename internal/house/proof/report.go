package proof

import (
	"fmt"
	"slices"

	"trey/internal/enum"
)

// Check is the subject of a finding.
type Check uint8

// The checks, in the order of a report. The zero value is none of them.
const (
	_ Check = iota
	// Rules: the rules in force match their names and hash.
	Rules
	// Course: the record is one round, whole and in order.
	Course
	// Commitment: the seed is the one committed to before the bets.
	Commitment
	// Cards: those dealt are the committed deck's, in its order.
	Cards
	// Commands: the engine accepts each, and exactly these events follow.
	Commands
	// Settlement: every wager is settled by the rules and the cards.
	Settlement
	// Money: the postings move what was bet and what the lines show.
	Money
	// Jackpot: its meter moved as its events show.
	Jackpot
	// Log: the record is in the log of a house, which signed it.
	Log
	numChecks
)

var checkKeys = enum.New("a check", numChecks, []string{
	Rules: "rules", Course: "course", Commitment: "commitment", Cards: "cards", Commands: "commands",
	Settlement: "settlement", Money: "money", Jackpot: "jackpot", Log: "log",
})

// String returns the key, such as "commitment".
func (c Check) String() string { return checkKeys.Key(c) }

// MarshalText writes the key.
func (c Check) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Result is the result of a check.
type Result uint8

// The results. The zero value is none of them.
const (
	_ Result = iota
	// Proven: it is as the record says.
	Proven
	// Failed: it is not.
	Failed
	// Open: this record cannot show it.
	Open
	// Otherwise: this program would decide otherwise than the record, which declares the book
	// otherwise.
	Otherwise
	numResults
)

var resultKeys = enum.New("a result", numResults, []string{Proven: "proven", Failed: "failed", Open: "open", Otherwise: "otherwise"})

// String returns the key, such as "proven".
func (r Result) String() string { return resultKeys.Key(r) }

// MarshalText writes the key.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Finding is one line of a report.
type Finding struct {
	Check  Check  `json:"check"`
	Result Result `json:"result"`
	// Where is the place in the record, such as steps[3].events[0].
	Where string `json:"where,omitempty"`
	// Text says it in words.
	Text string `json:"text"`
}

// Report holds the findings about a record that was verified.
type Report struct {
	Table string `json:"table"`
	Round int    `json:"round"`
	// Sound says that nothing failed, and Proven that nothing is open either.
	Sound    bool      `json:"sound"`
	Proven   bool      `json:"proven"`
	Findings []Finding `json:"findings"`
}

// Open lists the checks that the record leaves open.
func (r *Report) Open() (open []Check) {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == Open && !slices.Contains(open, f.Check) {
			open = append(open, f.Check)
		}
	}
	return open
}

func (r *Report) add(c Check, result Result, where, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{c, result, where, fmt.Sprintf(format, args...)})
}

// otherwise reports whether this program would decide otherwise in what a check is about.
func (r *Report) otherwise(c Check) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Check == c && f.Result == Otherwise })
}

// failed reports whether a check has failed so far.
func (r *Report) failed(c Check) bool {
	for i := range r.Findings {
		if r.Findings[i].Check == c && r.Findings[i].Result == Failed {
			return true
		}
	}
	return false
}
