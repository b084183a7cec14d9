package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/record"
	"trey/internal/strict"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// The form in which accounts are written.
const (
	// version 2 has other players at the table, and rounds that were left.
	version     = 2
	openingSum  = 1_000 * money.Major
	keptRecords = 50
	// mostBalance is far above what anybody wins, and far below what a sum holds.
	mostBalance = 100_000 * rules.MaxStake
)

// ErrNewer is wrapped where an account was written by a later program: it is
// sound, and must be left alone.
var ErrNewer = errors.New("written by a newer version of trey")

// Account is everything that outlives a session, as it is kept in a file.
// Amounts are minor units.
type Account struct {
	Version int `json:"version"`
	// Balance is the play money that is not on a table.
	Balance money.Amount `json:"balance"`
	// Rounds counts the rounds that were played to an end, void ones too.
	Rounds int64 `json:"rounds"`
	// Given counts the times that the house gave new play money.
	Given int64 `json:"given,omitempty"`
	// Jackpot is the first progressive that was met, nil until then; Jackpots are
	// those of tables that give theirs other terms.
	Jackpot  *jackpot.State  `json:"jackpot,omitempty"`
	Jackpots []jackpot.State `json:"jackpots,omitempty"`
	// Bets are the last bets of each book, by its id, to be placed again.
	Bets map[string][]Stake `json:"bets,omitempty"`
	// History holds the last rounds, the latest last.
	History []Record `json:"history,omitempty"`
	// Journal is the round in progress, nil between rounds.
	Journal *Journal `json:"journal,omitempty"`
}

// Stake is one wager on a box.
type Stake struct {
	Box    int          `json:"box"`
	Wager  rules.Wager  `json:"wager"`
	Amount money.Amount `json:"amount"`
}

// Record is a round that came to an end, as its player saw it.
type Record struct {
	Number int64 `json:"number"`
	Game
	// AtMs is when it ended, in milliseconds of the Unix clock.
	AtMs int64 `json:"at_ms"`
	// Ended is "settled", "void" or [GivenUp].
	Ended string `json:"ended"`
	// Left says that the player left before its end. Interrupted says that an
	// interruption brought it to its end, as only version 1 had it.
	Left        bool         `json:"left,omitempty"`
	Interrupted bool         `json:"interrupted,omitempty"`
	Dealer      []card.Card  `json:"dealer,omitempty"`
	DealerRank  string       `json:"dealer_rank,omitempty"`
	Hands       []HandRecord `json:"hands,omitempty"`
	Lines       []table.Line `json:"lines,omitempty"`
	Said        []Said       `json:"said,omitempty"`
	// Net is what the round changed, Balance what it left.
	Net     money.Amount `json:"net"`
	Balance money.Amount `json:"balance"`
}

// Said is an announcement as its player heard it.
type Said struct {
	Key    string `json:"key"`
	Clause string `json:"clause,omitempty"`
	Text   string `json:"text"`
}

// GivenUp is how a round ended that could not be taken up again.
const GivenUp = "given up"

// HandRecord is one box of a recorded round.
type HandRecord struct {
	Box int `json:"box"`
	// Player is another player whose box it was, empty for the player's own.
	Player   string      `json:"player,omitempty"`
	Cards    []card.Card `json:"cards,omitempty"`
	Rank     string      `json:"rank,omitempty"`
	Decision string      `json:"decision,omitempty"`
}

// Journal is a round in progress: enough to play it again to where it stood.
// It holds cards that its player has not seen.
type Journal struct {
	Game
	// Declaration and Terms are the rules in force, Named what they are called and Rules
	// the hash of the terms, so that a round is never taken up again under others.
	Named       string `json:"named"`
	Declaration string `json:"declaration"`
	Terms       string `json:"terms"`
	Rules       string `json:"rules"`
	// Before is the balance when the round began, with nothing staked, and Jackpot
	// the progressive of the table, if it has one.
	Before   money.Amount   `json:"before"`
	Jackpot  *jackpot.State `json:"jackpot,omitempty"`
	Commands []Entry        `json:"commands"`
}

// Entry is one command of a journal.
type Entry struct {
	By   table.Actor     `json:"by"`
	AtMs int64           `json:"at_ms"`
	Kind string          `json:"kind"`
	Do   json.RawMessage `json:"do"`
}

// NewAccount returns the account of somebody who has never played.
func NewAccount() Account { return Account{Version: version, Balance: openingSum} }

// Encode writes an account as JSON that a person can read.
func (a *Account) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write the account: %w", err)
	}
	return append(text, '\n'), nil
}

// DecodeAccount reads what Encode wrote. An error that wraps [ErrNewer] is about
// a sound account of another version; any other about a damaged one.
func DecodeAccount(text []byte) (Account, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Account{}, fmt.Errorf("it is not a balance file: %w", err)
	}
	if head.Version > version {
		return Account{}, fmt.Errorf("form %d, this program knows %d: %w", head.Version, version, ErrNewer)
	}
	var a Account
	if err := strict.Read(text, &a); errors.Is(err, strict.ErrMore) {
		return Account{}, errors.New("something stands after its end")
	} else if err != nil {
		return Account{}, fmt.Errorf("it cannot be read: %w", err)
	}
	if name := strict.Doubled(text); name != "" {
		return Account{}, fmt.Errorf("it says %q twice, so that nobody can know which holds", name)
	}
	if a.Version < 1 {
		return Account{}, fmt.Errorf("it has the form %d, which there never was", a.Version)
	}
	// What version 2 added is absent from version 1, and means nothing there.
	a.Version = version
	return a, a.check()
}

// remember adds a round to the history, and forgets the oldest where there are
// too many.
func (a *Account) remember(r Record) {
	if len(a.History) >= keptRecords {
		a.History = slices.Clone(a.History[len(a.History)-keptRecords+1:])
	}
	a.History = append(a.History, r)
}

// check refuses an account that no session can have left.
func (a *Account) check() error {
	switch {
	case a.Balance < 0 || a.Balance > mostBalance:
		return fmt.Errorf("a balance of %s is impossible", a.Balance.Display())
	case a.Rounds < 0 || a.Given < 0 || len(a.History) > keptRecords:
		return errors.New("its counts are impossible")
	}
	meters := slices.Clone(a.Jackpots)
	if a.Jackpot != nil {
		meters = append(meters, *a.Jackpot)
	}
	if a.Journal != nil && a.Journal.Jackpot != nil {
		meters = append(meters, *a.Journal.Jackpot)
	}
	for i := range meters {
		if err := meters[i].Audit(); err != nil {
			return fmt.Errorf("its jackpot does not add up: %w", err)
		}
	}
	if j := a.Journal; j != nil && (j.Before < a.Balance || j.Before > mostBalance) {
		return fmt.Errorf("its round began with %s and the balance is now %s: money cannot come back before the round ends",
			j.Before.Display(), a.Balance.Display())
	}
	return nil
}

// newJournal begins the journal of a round.
func newJournal(d *draft) *Journal {
	v := d.variant
	j := &Journal{
		Game: d.game, Named: v.ID, Declaration: string(v.Book.Declaration()), Terms: string(v.Terms()), Rules: v.Hash(),
		Before: d.account.Balance,
	}
	if d.meter.Opened {
		m := d.meter
		j.Jackpot = &m
	}
	return j
}

func entry(c table.Command) (Entry, error) {
	do, err := record.Actions.Write(c.Do)
	if err != nil {
		return Entry{}, err
	}
	return Entry{By: c.By, AtMs: c.AtMs, Kind: do.Kind, Do: do.Body}, nil
}

func (e *Entry) command() (table.Command, error) {
	do, err := record.Actions.Parse(e.Kind, e.Do)
	return table.Command{By: e.By, AtMs: e.AtMs, Do: do}, err
}
