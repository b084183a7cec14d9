package web_test

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/steady"
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

// TestLobbyReceivesWhatItShows follows the address that a page of one game names: it is sent how
// that game's table stands, and nothing of tables that it has no place for.
func TestLobbyReceivesWhatItShows(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	v := f.visitor()
	v.get("/?game=us-3cp")
	_, address, found := strings.Cut(v.received.String(), `data-live="`)
	address, _, closed := strings.Cut(address, `"`)
	if !found || !closed {
		t.Fatal("the lobby names no address")
	}
	if sent := v.firstParts(html.UnescapeString(address), ""); !slices.Equal(sent, []string{"table-vegas-1"}) {
		t.Errorf("a page that shows vegas-1 is sent %v", sent)
	}
}

// TestWhatCannotBeDrawnStopsNothing has a message fail while it is drawn: the next one is drawn.
func TestWhatCannotBeDrawnStopsNothing(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(
		t, ctx, chromedp.Navigate(f.address+"/"), shows("#table-classic-1", "0 of 7 taken"),
		chromedp.Poll(`document.querySelector("[data-live]").textContent === ""`, nil),
		chromedp.Evaluate(`const dispatch = EventTarget.prototype.dispatchEvent;
			EventTarget.prototype.dispatchEvent = function (event) {
				if (event.type === "part" && !window.failed) {
					window.failed = true;
					throw new Error("the test");
				}
				return dispatch.call(this, event);
			}; 0`, nil),
	)
	f.awaitBets("classic-1")
	for box := 1; box <= 2; box++ {
		v := f.visitor()
		v.post("/tables/classic-1/sit", nil)
		v.act(fmt.Sprintf("bet:%d:ante", box), "500")
		do(t, ctx, chromedp.Poll("window.failed", nil))
	}
	do(t, ctx, shows("#table-classic-1", "2 of 7 taken"))
}
