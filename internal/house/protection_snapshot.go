package house

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"trey/internal/house/protection"
)

// protectionForm is the form of the snapshots of the protection of players.
const protectionForm = 1

// protectionSnapshot is the stored form, with the players in the order of their names.
type protectionSnapshot struct {
	Form    int               `json:"form"`
	Players []protection.Kept `json:"players"`
}

// snapshotProtection writes down the protection of all players.
func snapshotProtection(players iter.Seq2[string, *protection.Player]) ([]byte, error) {
	s := protectionSnapshot{Form: protectionForm}
	for name, p := range players {
		if kept, ok := p.Keep(name); ok {
			s.Players = append(s.Players, kept)
		}
	}
	slices.SortFunc(s.Players, func(a, b protection.Kept) int { return cmp.Compare(a.Player, b.Player) })
	return json.Marshal(s)
}

// protectionFold is the protection of all players as the events of its stream make it.
type protectionFold struct {
	version int64
	players map[string]*protection.Player
}

// evolve takes in the next event.
func (f *protectionFold) evolve(stored Event, atMs int64) error {
	e, err := protection.Read(stored)
	if err != nil {
		return Corrupt(err, "event %d of %s", f.version+1, ProtectionStream)
	}
	f.version++
	if f.players == nil {
		f.players = map[string]*protection.Player{}
	}
	p := f.players[e.About()]
	if p == nil {
		p = &protection.Player{}
		f.players[e.About()] = p
	}
	*p = p.Evolve(e, atMs)
	return nil
}

// add takes in the next part of the stream.
func (f *protectionFold) add(part *StreamAppend, atMs int64) error {
	f.version = part.After
	for _, stored := range part.Events {
		if err := f.evolve(stored, atMs); err != nil {
			return err
		}
	}
	return nil
}

func (f *protectionFold) snapshot() ([]byte, error) { return snapshotProtection(maps.All(f.players)) }

// readProtectionSnapshot returns what a snapshot of a version holds.
func readProtectionSnapshot(version int64, body []byte) (*protectionFold, error) {
	var s protectionSnapshot
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	if s.Form != protectionForm {
		return nil, fmt.Errorf("%w: %d", ErrOtherForm, s.Form)
	}
	f := &protectionFold{version: version, players: map[string]*protection.Player{}}
	for i := range s.Players {
		p := s.Players[i].Restored()
		f.players[s.Players[i].Player] = &p
	}
	return f, nil
}

// check checks a snapshot against what the events come to.
func (f *protectionFold) check(s Snapshot) error {
	return CheckSnapshot(ProtectionStream, s, f.version, f, (*protectionFold).snapshot, readProtectionSnapshot)
}

// loadProtection reads the protection of all players from the record.
func (h *House) loadProtection(ctx context.Context, last *recordPosition) error {
	for name, s := range h.tables {
		h.guard.reserve(name, reservations(&s.state))
	}
	f := &protectionFold{}
	if !h.world.ReplayAll {
		f = cmp.Or(latest(ctx, h.store, ProtectionStream, last, readProtectionSnapshot), f)
	}
	h.guard.written = f.version
	err := h.store.Read(ctx, ProtectionStream, f.version, func(r StoredEvent) error {
		last.saw(r.Seq, r.AtMs)
		return f.evolve(r.Event, r.AtMs)
	})
	if err != nil {
		return err
	}
	h.guard.version = f.version
	for name, p := range f.players {
		h.guard.of(name).Player = *p
	}
	return nil
}

// part returns the appended part of the stream, with the event that it takes in and a snapshot
// if it is time for one. The books are locked.
func (g *guard) part(e protection.Event, atMs int64) (part StreamAppend, err error) {
	written, err := protection.Events.Write(e)
	if err != nil {
		return part, err
	}
	part = StreamAppend{Stream: ProtectionStream, After: g.version, Events: []Event{written}}
	g.version++
	p := g.of(e.About())
	p.Player = p.Evolve(e, atMs)
	if !pace.Due(g.version-g.written, int64(len(g.players))) {
		return part, nil
	}
	body, err := snapshotProtection(func(yield func(string, *protection.Player) bool) {
		for name, p := range g.players {
			if !yield(name, &p.Player) {
				return
			}
		}
	})
	if err == nil { // without a snapshot the events are recorded all the same
		g.written = g.version
		part.seal(body)
	}
	return part, nil
}
