package web_test

import (
	"strings"
	"testing"
)

// TestLobbyShowsWhatIsWanted asks for the tables of one game: the others are not there, and the
// page says how many there are. The flagship is the first of all.
func TestLobbyShowsWhatIsWanted(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	v := f.visitor()
	v.get("/")
	page := v.received.String()
	if first, other := strings.Index(page, `action="/tables/classic-1/sit"`), strings.Index(page, `/sit"`); first < 0 || other < first {
		t.Error("classic-1 is not the first table of the lobby")
	}
	if waits, sit := strings.Index(page, "waits for its dealer"), strings.LastIndex(page, `action="/tables/classic-2/sit"`); waits < 0 || sit < 0 {
		t.Error("classic-2, whose dealer has not come, does not say so")
	}
	v.received.Reset()
	v.get("/?game=us-3cp&least=500&free=on")
	page = v.received.String()
	if strings.Count(page, "floor-table") != 1 || !strings.Contains(page, `action="/tables/vegas-1/sit"`) || !strings.Contains(page, "1 of ") {
		t.Errorf("of the tables of one game %d are shown", strings.Count(page, "floor-table"))
	}
}
