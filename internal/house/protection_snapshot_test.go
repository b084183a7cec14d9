package house

import (
	"testing"

	"trey/internal/house/protection"
)

// A snapshot has the players who have anything to protect, in the order of their names. So it is
// the same text, in whatever order they are found.
func TestASnapshotOfProtectionHasPlayersInOrder(t *testing.T) {
	t.Parallel()
	const want = `{"form":1,"players":[{"player":"#1","time_out_ms":7},{"player":"#2","time_out_ms":8}]}`
	players := map[string]*protection.Player{"#1": {TimeOutMs: 7}, "#2": {TimeOutMs: 8}, "#3": {}}
	for _, order := range [][]string{{"#1", "#2", "#3"}, {"#3", "#2", "#1"}} {
		body, err := snapshotProtection(func(yield func(string, *protection.Player) bool) {
			for _, name := range order {
				if !yield(name, players[name]) {
					return
				}
			}
		})
		if err != nil || string(body) != want {
			t.Errorf("of %v: %s, %v", order, body, err)
		}
	}
}
