package house

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"trey/internal/house/access"
)

// Software names a program and the books that it plays, by their hashes.
type Software struct {
	Version string `json:"version"`
	// Program is the SHA-256 of the program's file, in hexadecimal digits.
	Program string `json:"program"`
	// Books are the hashes of the books' declarations, by their references.
	Books map[string]string `json:"books"`
}

// Differences names what two programs differ in, in order: "version", "program" and
// the references of books.
func (s *Software) Differences(than *Software) []string {
	var all []string
	if s.Version != than.Version {
		all = append(all, "version")
	}
	if s.Program != than.Program {
		all = append(all, "program")
	}
	return append(all, differing(s.Books, than.Books)...)
}

// differing lists the names under which two maps hold different texts, in order. What only one
// of them has differs.
func differing(one, other map[string]string) []string {
	names := map[string]bool{}
	for _, m := range []map[string]string{one, other} {
		for name := range m {
			if one[name] != other[name] {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Settings is a part of the operator's configuration, house.toml: what it says of money and of
// who may do what, by the names that it has there. What is not set has no name.
type Settings map[string]string

// Differences names what two configurations differ in, in order: each name behind the word
// "setting".
func (s Settings) Differences(than Settings) []string {
	all := differing(s, than)
	for i, name := range all {
		all[i] = "setting " + name
	}
	return all
}

// The setting of whether money is real, and its values. The house states it itself, by
// [World.PlayMoney].
const (
	moneySetting = "money"
	realMoney    = "real"
	playMoney    = "play"
)

// moneyOf returns the value of the setting.
func moneyOf(w *World) string {
	if w.PlayMoney {
		return playMoney
	}
	return realMoney
}

// SoftwareChecked says which program keeps the house, and by which settings: at its start, and
// every day.
type SoftwareChecked struct {
	Software
	// Settings are those of the operator's configuration; nil in a check of which they are not
	// known.
	Settings Settings `json:"settings,omitempty"`
	// Changed names what differs from the check before, empty at the first one.
	Changed []string `json:"changed,omitempty"`
}

// softwareChecked1 says which program keeps the house. By which settings is not known.
type softwareChecked1 struct {
	Version string `json:"version"`
	// Program is the SHA-256 of the program's file, in hexadecimal digits.
	Program string `json:"program"`
	// Books are the hashes of the books' declarations, by their references.
	Books map[string]string `json:"books"`
	// Changed names what differs from the check before, empty at the first one.
	Changed []string `json:"changed,omitempty"`
}

func (e softwareChecked1) next() SoftwareChecked {
	return SoftwareChecked{Software: Software{Version: e.Version, Program: e.Program, Books: e.Books}, Changed: e.Changed}
}

// ClockRefused says that the machine's clock jumped too far ahead for the house to
// follow it.
type ClockRefused struct {
	AheadMs int64 `json:"ahead_ms"`
}

// RecordFailed says that the record could not be written, which ended the house: it is
// recorded by the next one.
type RecordFailed struct {
	FailedMs int64 `json:"failed_ms"`
}

// StreamLate says that significant events could not be sent to another machine for longer
// than the operator allows.
type StreamLate struct {
	// Through is the last transaction that the other machine has taken.
	Through int64 `json:"through"`
	// SinceMs is from when on events have waited.
	SinceMs int64 `json:"since_ms"`
}

func (SoftwareChecked) ownKind() string { return "software-checked" }
func (ClockRefused) ownKind() string    { return "clock-refused" }
func (RecordFailed) ownKind() string    { return "record-failed" }
func (StreamLate) ownKind() string      { return "stream-late" }

func (e SoftwareChecked) redacted(func(string) string) OwnEvent {
	return SoftwareChecked{Software: Software{Version: e.Version, Program: e.Program, Books: e.Books}, Settings: e.Settings, Changed: e.Changed}
}

func (e ClockRefused) redacted(func(string) string) OwnEvent { return ClockRefused{AheadMs: e.AheadMs} }

func (e RecordFailed) redacted(func(string) string) OwnEvent {
	return RecordFailed{FailedMs: e.FailedMs}
}

func (e StreamLate) redacted(func(string) string) OwnEvent {
	return StreamLate{Through: e.Through, SinceMs: e.SinceMs}
}

// CheckSoftware records which program keeps the house and by which settings, and returns what
// has changed since the check before, in this record. That its money is real or not is added to
// the settings.
func (h *House) CheckSoftware(ctx context.Context, software Software, settings Settings) (changed []string, err error) {
	stated := Settings{}
	maps.Copy(stated, settings)
	stated[moneySetting] = moneyOf(&h.world)
	return changed, h.note(ctx, CheckSoftware{}, func() OwnEvent {
		if before := h.admin.software; before != nil {
			changed = software.Differences(&before.Software)
			if before.Settings != nil {
				changed = append(changed, stated.Differences(before.Settings)...)
			}
		}
		return SoftwareChecked{Software: software, Settings: stated, Changed: changed}
	})
}

// ErrOtherMoney: a record of play money is opened as a house with real money, or the other way
// round. In a house with play money what players have was given to them, and one person does
// there what takes two where money is real.
var ErrOtherMoney = errors.New("real or play money is set when a record begins and cannot change")

// CheckMoney refuses, with [ErrOtherMoney], to go on with a record whose money is of the other
// kind, by the last check of the software. A record that says nothing of it may be either.
func (h *House) CheckMoney() error {
	h.admin.Lock()
	defer h.admin.Unlock()
	if h.admin.software == nil {
		return nil
	}
	recorded, configured := h.admin.software.Settings[moneySetting], moneyOf(&h.world)
	if recorded == "" || recorded == configured {
		return nil
	}
	return fmt.Errorf("this is the record of a house with %s money, and its configuration says %s money: %w", recorded, configured, ErrOtherMoney)
}

// NoteClock records that a reading of the machine's clock was not taken.
func (h *House) NoteClock(ctx context.Context, aheadMs int64) error {
	e := ClockRefused{AheadMs: aheadMs}
	return h.note(ctx, NoteClock{}, func() OwnEvent { return e })
}

// NoteFailure records that an earlier house ended because it could not write its record.
func (h *House) NoteFailure(ctx context.Context, failedMs int64) error {
	e := RecordFailed{FailedMs: failedMs}
	return h.note(ctx, NoteFailure{}, func() OwnEvent { return e })
}

// NoteLateStream records that significant events wait to be sent to another machine since
// a moment. It records nothing if it has recorded the same delay already: it is one delay
// as long as nothing more was taken.
func (h *House) NoteLateStream(ctx context.Context, through, sinceMs int64) error {
	e := StreamLate{Through: through, SinceMs: sinceMs}
	h.admin.Lock()
	noted := h.admin.late
	h.admin.Unlock()
	if noted != nil && noted.Through == through {
		return nil
	}
	return h.note(ctx, NoteLateStream{}, func() OwnEvent { return e })
}

// note records an event that the house itself found. makeEvent is called while h.admin is
// locked.
func (h *House) note(ctx context.Context, command any, makeEvent func() OwnEvent) error {
	cause, err := ownCause("", command)
	if err != nil {
		return err
	}
	tx, _, err := h.claim(ctx, "", access.Person{}, cause)
	if err != nil {
		return err
	}
	h.admin.Lock()
	defer h.admin.Unlock()
	e := makeEvent()
	if err := h.recordAdminEvent(tx, e, func(*Notice) {}); err != nil {
		return err
	}
	h.admin.apply(e)
	return nil
}

// apply takes in what the house has found about itself. It is locked, or nobody
// else has it yet.
func (o *adminState) apply(e OwnEvent) {
	switch e := e.(type) {
	case SoftwareChecked:
		o.software = &e
	case StreamLate:
		o.late = &e
	}
}
