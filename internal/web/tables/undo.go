package tables

import (
	"maps"
	"slices"
	"sync"
)

// mostUndo bounds the changes of bets that can be undone.
const mostUndo = 50

// Undo holds how the bets of players lay before each change of them, in the round of each
// table. It is in no record: a restart loses it. Use [NewUndo].
type Undo struct {
	mu     sync.Mutex
	tables map[string]*undoRound
}

type undoRound struct {
	round  int
	before map[string][][]stake
	// elsewhere are the players who can undo something at another process.
	elsewhere []string
}

// Undoable are the players who can undo a change of their bets in a round.
type Undoable struct {
	Round   int      `json:"round"`
	Players []string `json:"players"`
}

// NewUndo returns an Undo in which nothing was changed yet.
func NewUndo() *Undo { return &Undo{tables: map[string]*undoRound{}} }

// remember records a player's bets in a round.
func (u *Undo) remember(table, player string, round int, was []stake) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.tables[table]
	if of == nil || of.round != round {
		of = &undoRound{round: round, before: map[string][][]stake{}}
		u.tables[table] = of
	}
	all := of.before[player]
	of.before[player] = append(all[max(0, len(all)-mostUndo):], was)
}

// forget returns a player's bets before their last change, and deletes them from the list.
func (u *Undo) forget(table, player string, round int) (was []stake, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.tables[table]
	if of == nil || of.round != round || len(of.before[player]) == 0 {
		return nil, false
	}
	all := of.before[player]
	of.before[player] = all[:len(all)-1]
	return all[len(all)-1], true
}

// players returns who can undo something at a table in a round, in order.
func (u *Undo) players(table string, round int) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.tables[table]
	if of == nil || of.round != round {
		return nil
	}
	return of.players()
}

func (r *undoRound) players() []string {
	if r.elsewhere != nil {
		return r.elsewhere
	}
	var all []string
	for _, player := range slices.Sorted(maps.Keys(r.before)) {
		if len(r.before[player]) > 0 {
			all = append(all, player)
		}
	}
	return all
}

// All returns who can undo something, by table.
func (u *Undo) All() map[string]Undoable {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := map[string]Undoable{}
	for name, of := range u.tables {
		if players := of.players(); len(players) > 0 {
			all[name] = Undoable{of.round, players}
		}
	}
	return all
}

// Take takes in who can undo something, as another process holds it.
func (u *Undo) Take(all map[string]Undoable) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.tables = map[string]*undoRound{}
	for name, of := range all {
		u.tables[name] = &undoRound{round: of.Round, elsewhere: of.Players}
	}
}
