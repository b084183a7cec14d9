package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/strict"
	"trey/money"
	"trey/rules"
)

// snapshot is everything in a State but its rules, as it is written down. It decides
// nothing: what cannot be read is made again from the events. So types of the engine
// stand in it as they are. Lists
// are written even when they are empty: what is restored is equal to what was
// written, and an empty list is not equal to none.
type snapshot struct {
	Config       Config          `json:"config"`
	Phase        Phase           `json:"phase"`
	Round        int             `json:"round"`
	Boxes        []boxSnapshot   `json:"boxes"`
	Slots        []slotSnapshot  `json:"slots"`
	Lines        []Line          `json:"lines"`
	Question     *OpenQuestion   `json:"question,omitempty"`
	Waiting      []OpenQuestion  `json:"waiting,omitempty"`
	Offers       []Offer         `json:"offers"`
	Counting     bool            `json:"counting,omitempty"`
	Down         bool            `json:"down,omitempty"`
	Registered   money.Amount    `json:"registered,omitempty"`
	DownOption   DownOption      `json:"down_option,omitempty"`
	AreaMax      int             `json:"area_max,omitempty"`
	Schedule     []Place         `json:"schedule"`
	Served       int             `json:"served,omitempty"`
	Laid         int             `json:"laid,omitempty"`
	Revealed     bool            `json:"revealed,omitempty"`
	Drawn        []card.Card     `json:"drawn"`
	Disputed     int             `json:"disputed,omitempty"`
	Heard        []AskWithdrawal `json:"heard"`
	Touched      []Touch         `json:"touched,omitempty"`
	Accidental   []int           `json:"accidental,omitempty"`
	Warned       []string        `json:"warned"`
	Restricted   []string        `json:"restricted"`
	WarnedBefore int             `json:"warned_before,omitempty"`
}

type boxSnapshot struct {
	Bettors   []bettorSnapshot `json:"bettors"`
	Decision  Decision         `json:"decision"`
	Examiner  string           `json:"examiner,omitempty"`
	Up        bool             `json:"up,omitempty"`
	KeptDown  bool             `json:"kept_down,omitempty"`
	Shown     bool             `json:"shown,omitempty"`
	Collected bool             `json:"collected,omitempty"`
	// Settled is the line with which the settlement of the box begins, from 1.
	Settled   int  `json:"settled,omitempty"`
	Invalid   bool `json:"invalid,omitempty"`
	Suspended bool `json:"suspended,omitempty"`
}

type bettorSnapshot struct {
	Player   string                       `json:"player"`
	Standing bool                         `json:"standing,omitempty"`
	Stakes   map[rules.Wager]money.Amount `json:"stakes,omitempty"`
	Order    int                          `json:"order,omitempty"`
	Gone     bool                         `json:"gone,omitempty"`
	Advised  []rules.Wager                `json:"advised,omitempty"`
}

type slotSnapshot struct {
	Card     card.Card `json:"card"`
	Place    Place     `json:"place"`
	Meant    Place     `json:"meant"`
	Mistaken bool      `json:"mistaken,omitempty"`
	// Ruled is about the place of the card, TurnRuled about its having been turned. One
	// word for both is not read.
	Ruled     bool `json:"place_ruled,omitempty"`
	TurnRuled bool `json:"turn_ruled,omitempty"`
	// TurnedLate says that a player had looked by then.
	TurnedLate bool  `json:"turned_late,omitempty"`
	Counted    uint8 `json:"counted,omitempty"`
	// Table says that the whole table has seen the card, Boxes which boxes'
	// examiners have.
	Table     bool  `json:"table,omitempty"`
	Boxes     []int `json:"boxes,omitempty"`
	DealtAtMs int64 `json:"dealt_at_ms,omitempty"`
}

// Snapshot writes a state down, complete but for the variant that it is played
// by: [Restore] is given that again. Nothing in it is redacted.
func Snapshot(s State) ([]byte, error) {
	written := snapshot{
		Config: s.Config, Phase: s.Phase, Round: s.Round, Lines: s.Lines, Question: s.Question, Waiting: s.waiting, Offers: s.Offers,
		Counting: s.Counting,
		Down:     s.Down, Registered: s.Registered, DownOption: s.DownOption, AreaMax: s.AreaMax,
		Schedule: s.schedule, Served: s.served, Laid: s.laid, Revealed: s.revealed, Drawn: s.drawn,
		Disputed: s.disputed, Heard: s.heard, Touched: s.touched, Accidental: s.accidental, Warned: s.warned, Restricted: s.restricted, WarnedBefore: s.warnedBefore,
		Boxes: make([]boxSnapshot, len(s.Boxes)), Slots: each(s.Slots, writeSlot),
	}
	for i, b := range s.Boxes {
		written.Boxes[i] = boxSnapshot{
			Bettors: each(b.Bettors, writeBettor), Decision: b.Decision, Examiner: b.Examiner,
			Up: b.Up, KeptDown: b.KeptDown, Shown: b.wasFaceUp, Collected: b.Collected, Invalid: b.Invalid, Suspended: b.Suspended,
		}
		if b.Settled {
			written.Boxes[i].Settled = b.settledFrom + 1
		}
	}
	text, err := json.Marshal(written)
	if err != nil {
		return nil, fmt.Errorf("write a table down: %w", err)
	}
	return text, nil
}

// each turns a list into one of another kind; none stays none.
func each[A, B any](list []A, turn func(*A) B) []B {
	if list == nil {
		return nil
	}
	turned := make([]B, len(list))
	for i := range list {
		turned[i] = turn(&list[i])
	}
	return turned
}

func writeBettor(b *Bettor) bettorSnapshot {
	written := bettorSnapshot{Player: b.Player, Standing: b.Standing, Order: b.order, Gone: b.gone}
	for w, amount := range b.Stakes {
		if amount != 0 {
			if written.Stakes == nil {
				written.Stakes = map[rules.Wager]money.Amount{}
			}
			written.Stakes[rules.Wager(w)] = amount
		}
		if b.advised&(1<<w) != 0 {
			written.Advised = append(written.Advised, rules.Wager(w))
		}
	}
	return written
}

func writeSlot(s *Slot) slotSnapshot {
	written := slotSnapshot{Card: s.Card, Place: s.Place, Meant: s.Meant, Mistaken: s.mistaken, Ruled: s.ruled, TurnRuled: s.turnRuled, TurnedLate: s.turnedLate, Counted: s.counted, Table: s.Exposed(), DealtAtMs: s.dealtAtMs}
	for box := 1; box <= rules.MaxBoxes; box++ {
		if s.seen&seenAt(box) != 0 {
			written.Boxes = append(written.Boxes, box)
		}
	}
	return written
}

// Restore reads what [Snapshot] wrote of a table that is played by the variant,
// and returns a state equal to the one that was written. It refuses what no table
// with these rules can be; that it is the right one, only its record can tell.
func Restore(v *rules.Variant, text []byte) (State, error) {
	var read snapshot
	if err := strict.Read(text, &read); err != nil {
		return State{}, fmt.Errorf("read a table back: %w", err)
	}
	s, err := New(v, read.Config)
	if err != nil {
		return State{}, fmt.Errorf("read a table back: %w", err)
	}
	if len(read.Boxes) != len(s.Boxes) {
		return State{}, fmt.Errorf("read a table back: it has %d boxes, and its rules give it %d", len(read.Boxes), len(s.Boxes))
	}
	for i := range read.Boxes {
		b := &read.Boxes[i]
		*s.Boxes[i] = BoxState{
			Bettors: each(b.Bettors, readBettor), Decision: b.Decision, Examiner: b.Examiner,
			Up: b.Up, KeptDown: b.KeptDown, wasFaceUp: b.Shown, Collected: b.Collected, Invalid: b.Invalid, Suspended: b.Suspended,
			Settled: b.Settled != 0, settledFrom: max(b.Settled-1, 0),
		}
	}
	s.Phase, s.Round, s.Lines, s.Question, s.Offers = read.Phase, read.Round, read.Lines, read.Question, read.Offers
	s.Counting = read.Counting
	s.Down, s.Registered, s.DownOption, s.AreaMax = read.Down, read.Registered, read.DownOption, read.AreaMax
	s.schedule, s.served, s.laid, s.drawn = read.Schedule, read.Served, read.Laid, read.Drawn
	s.disputed, s.heard, s.warned, s.restricted, s.warnedBefore = read.Disputed, read.Heard, read.Warned, read.Restricted, read.WarnedBefore
	s.touched, s.accidental, s.revealed = read.Touched, read.Accidental, read.Revealed
	s.Slots, s.waiting = each(read.Slots, readSlot), read.Waiting
	if err := s.coherent(); err != nil {
		return State{}, fmt.Errorf("read a table back: %w", err)
	}
	// What is left out where one of a list has to stand, such as an outcome, cannot be written.
	if _, err := Snapshot(s); err != nil {
		return State{}, fmt.Errorf("read a table back: %w", err)
	}
	return s, nil
}

// coherent refuses figures by which the engine would reach beyond its lists.
func (s *State) coherent() error {
	boxless := func(p Place) bool { return p.IsBox() && int(p) > len(s.Boxes) }
	switch {
	case s.Phase == 0:
		return errors.New("it is in no phase")
	case s.served < 0 || s.served > len(s.schedule) || s.laid < 0 || s.laid > len(s.schedule):
		return fmt.Errorf("of %d cards to be dealt %d are", len(s.schedule), max(s.served, s.laid))
	case slices.ContainsFunc(s.Boxes, func(b *BoxState) bool { return b.settledFrom < 0 || b.settledFrom > len(s.Lines) }):
		return fmt.Errorf("a settlement begins beyond its %d lines", len(s.Lines))
	case slices.ContainsFunc(s.Boxes, func(b *BoxState) bool {
		return !b.Settled && (b.Collected || s.Phase == Paid && b.Staked() && !b.Invalid)
	}):
		return errors.New("it is settled, and a box of it is not")
	case s.warnedBefore < 0 || s.warnedBefore > len(s.warned):
		return fmt.Errorf("of %d warnings %d are older than the round", len(s.warned), s.warnedBefore)
	case slices.ContainsFunc(s.touched, func(t Touch) bool { return t.Box < 1 || t.Box > len(s.Boxes) }):
		return errors.New("a hand was touched on a box that it does not have")
	case slices.ContainsFunc(s.schedule, boxless), slices.ContainsFunc(s.Slots, func(c Slot) bool { return boxless(c.Place) || boxless(c.Meant) }):
		return errors.New("cards lie on a box that it does not have")
	}
	return nil
}

func readBettor(b *bettorSnapshot) Bettor {
	read := Bettor{Player: b.Player, Standing: b.Standing, order: b.Order, gone: b.Gone}
	for w, amount := range b.Stakes {
		read.Stakes[w] = amount
	}
	for _, w := range b.Advised {
		read.advised |= 1 << w
	}
	return read
}

func readSlot(s *slotSnapshot) Slot {
	read := Slot{Card: s.Card, Place: s.Place, Meant: s.Meant, mistaken: s.Mistaken, ruled: s.Ruled, turnRuled: s.TurnRuled, turnedLate: s.TurnedLate, counted: s.Counted, dealtAtMs: s.DealtAtMs}
	if s.Table {
		read.seen |= seenByTable
	}
	for _, box := range s.Boxes {
		read.seen |= seenAt(box)
	}
	return read
}
