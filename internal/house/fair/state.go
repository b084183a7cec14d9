package fair

import (
	"errors"
	"fmt"
	"slices"

	"trey/internal/shuffle"
	"trey/internal/stored"
)

// Event is something that happened to the seed of a table. The events are the
// structs of this file and no others.
type Event interface {
	// Kind returns the key under which the event is stored, such as
	// "seed-revealed".
	Kind() string
	apply(s *State) error
}

// Committed publishes the commitment to the seed of a round that has not begun.
type Committed struct {
	Round      int  `json:"round"`
	Commitment Hash `json:"commitment"`
}

// Added is a seed that a player added, or the one that replaces it.
type Added struct {
	Round int `json:"round"`
	Own
	// Instead names the player without a bet whose seed gives way to this one; it
	// is empty where there was room.
	Instead string `json:"instead,omitempty"`
}

// Covered says which signed checkpoint of the record held the commitment before anybody
// bet upon it or added a seed.
type Covered struct {
	Round int `json:"round"`
	// Checkpoint is the signed note, with the cosignatures that it had.
	Checkpoint string `json:"checkpoint"`
}

// Revealed makes the seed of a round known that has ended.
type Revealed struct {
	Round int          `json:"round"`
	Seed  shuffle.Seed `json:"seed"`
}

// Sealed keeps the seed of a round for the house alone. It is recorded apart
// from the others, which are for everybody, and never leaves the record.
type Sealed struct {
	Round int `json:"round"`
	// Seed is the seed itself, in records from before seeds were encrypted.
	Seed shuffle.Seed `json:"seed,omitzero"`
	// Key names the key with which Cipher, the seed, is encrypted.
	Key    string `json:"key,omitempty"`
	Cipher string `json:"cipher,omitempty"`
}

// ErrNoKey: a sealed seed cannot be opened, for its key is not there.
var ErrNoKey = errors.New("the key of a sealed seed is not there")

// Kind returns "seed-committed".
func (Committed) Kind() string { return "seed-committed" }

// Kind returns "seed-added".
func (Added) Kind() string { return "seed-added" }

// Kind returns "commitment-covered".
func (Covered) Kind() string { return "commitment-covered" }

// Kind returns "seed-revealed".
func (Revealed) Kind() string { return "seed-revealed" }

// Kind returns "seed-sealed".
func (Sealed) Kind() string { return "seed-sealed" }

// State is the public part of a table's seed. It is a value: Evolve returns a new one and
// leaves the old unchanged.
type State struct {
	Table string
	// Round is the round of the latest commitment, zero for none.
	Round      int
	Commitment Hash
	// Open says that the seed is not revealed yet.
	Open bool
	// Covered says that a signed checkpoint is known that holds the commitment.
	Covered bool
	// Own are the seeds of the players, in the order of their names.
	Own []Own

	changes map[string]int // the number of times that each player has set a seed
}

// ErrMisfit is wrapped where an event cannot have happened.
var ErrMisfit = errors.New("the event cannot have happened")

// Evolve returns the state after an event; an error wraps ErrMisfit, and the state
// is then the one given.
func Evolve(s State, e Event) (State, error) {
	next := s
	if err := e.apply(&next); err != nil {
		return s, fmt.Errorf("%s: %w: %w", e.Kind(), ErrMisfit, err)
	}
	return next, nil
}

func (e Committed) apply(s *State) error {
	if s.Open || e.Round != s.Round+1 {
		return fmt.Errorf("round %d is committed to after round %d", e.Round, s.Round)
	}
	*s = State{Table: s.Table, Round: e.Round, Commitment: e.Commitment, Open: true}
	return nil
}

func (e Added) apply(s *State) error {
	if err := s.mayAdd(e.Own, e.Instead); err != nil {
		return err
	}
	if e.Round != s.Round {
		return fmt.Errorf("a seed is added to round %d, and round %d is committed to", e.Round, s.Round)
	}
	changes := map[string]int{e.Player: 1}
	for name, n := range s.changes {
		changes[name] += n
	}
	playerSeeds := slices.DeleteFunc(slices.Clone(s.Own), func(o Own) bool { return o.Player == e.Instead })
	i, there := slices.BinarySearchFunc(playerSeeds, e.Own, byPlayer)
	if there {
		playerSeeds[i] = e.Own
	} else {
		playerSeeds = slices.Insert(playerSeeds, i, e.Own)
	}
	s.Own, s.changes = playerSeeds, changes
	return nil
}

func (e Covered) apply(s *State) error {
	switch {
	case !s.Open || e.Round != s.Round:
		return fmt.Errorf("a checkpoint covers the commitment of round %d, and round %d is committed to", e.Round, s.Round)
	case s.Covered:
		return errors.New("a checkpoint covers it already")
	case e.Checkpoint == "":
		return errors.New("it names no checkpoint")
	}
	s.Covered = true
	return nil
}

func (e Revealed) apply(s *State) error {
	switch {
	case !s.Open || e.Round != s.Round:
		return fmt.Errorf("the seed of round %d is revealed, and round %d is committed to", e.Round, s.Round)
	case Commit(s.Table, e.Round, e.Seed) != s.Commitment:
		return fmt.Errorf("the seed revealed for round %d is not the one committed to", e.Round)
	}
	s.Open = false
	return nil
}

func (e Sealed) apply(*State) error { return errors.New("a sealed seed must not be shown") }

// mayAdd refuses a seed for which there is no room, or that takes the place of
// another without need.
func (s *State) mayAdd(o Own, instead string) error {
	has := func(player string) bool {
		_, there := slices.BinarySearchFunc(s.Own, Own{Player: player}, byPlayer)
		return there
	}
	full := len(s.Own) >= MaxPlayers && !has(o.Player)
	switch {
	case !s.Open:
		return ErrNoCommitment
	case o.Player == "":
		return errors.New("a seed needs a player")
	case full && instead == "":
		return ErrFull
	case instead != "" && (!full || !has(instead)):
		return fmt.Errorf("the seed of %s cannot give way to one of %s", instead, o.Player)
	case s.changes[o.Player] >= MaxChanges:
		return ErrChanges
	}
	return CheckText(o.Text)
}

// Add returns the event by which a player adds a seed to the round that is
// committed to, or why that cannot be done. The places are kept for players who have bet, which
// hasBet reports. Where all are taken, the seed of a player with a bet replaces that of the
// first player, by name, without one. Whether bets are still open is for the caller to know.
func (s *State) Add(player, text string, hasBet func(player string) bool) (Added, error) {
	e := Added{Round: s.Round, Own: Own{Player: player, Text: text}}
	err := s.mayAdd(e.Own, "")
	if errors.Is(err, ErrFull) && hasBet(player) {
		if i := slices.IndexFunc(s.Own, func(o Own) bool { return !hasBet(o.Player) }); i >= 0 {
			e.Instead = s.Own[i].Player
			err = s.mayAdd(e.Own, e.Instead)
		}
	}
	return e, err
}

// Events are the kinds of events of a seed, which are stored as they are.
var Events = stored.NewTable(
	"event",
	stored.Own[Event, Committed](Committed{}.Kind()),
	stored.Own[Event, Added](Added{}.Kind()),
	stored.Own[Event, Covered](Covered{}.Kind()),
	stored.Own[Event, Revealed](Revealed{}.Kind()),
	stored.Own[Event, Sealed](Sealed{}.Kind()),
)
