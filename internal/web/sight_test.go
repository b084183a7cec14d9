package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/steady"
	"trey/table"
)

// TestAFirstVisitorSitsDownAtOnce opens the first page on a telephone, a tablet and a desk, and
// presses its gold button without scrolling: it leads to the flagship, with money to bet.
func TestAFirstVisitorSitsDownAtOnce(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1", "vegas-1")
	for i, window := range [][2]int64{{360, 640}, {820, 1180}, {1440, 900}} {
		if !steady.Turn(i, 3) {
			continue
		}
		ctx := guestTab(t, f)
		var seen string
		do(
			t, ctx, chromedp.EmulateViewport(window[0], window[1]), chromedp.Navigate(f.address+"/"), still(),
			chromedp.Evaluate(`(() => {
				const { left, right, top, bottom, height } = document.querySelector(".hero-sit").getBoundingClientRect();
				return scrollY === 0 && left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && height >= 44 ? "" : [left, right, top, bottom].join();
			})()`, &seen),
			chromedp.Click(".hero-sit"), chromedp.WaitVisible("#purse .balance"), shows("#purse .balance", "$1,000"), chromedp.WaitReady("#do-bet"),
		)
		if seen != "" {
			t.Errorf("in a window of %d by %d the gold button of the first page is at %s", window[0], window[1], seen)
		}
	}
}

// overlaid lists what covers something beside it that is read or tapped. Examples are the last
// result and the chips, the net of a bet and the name of a spot, the dots and the name of a
// hand.
const overlaid = `(() => {
	const at = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility({ visibilityProperty: true })).map((e) => e.getBoundingClientRect());
	const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
	const found = [];
	let seen = 0;
	for (const [one, other] of [[".strip", ".chip-choice .chip"], [".strip", ".awaits > :not(:empty)"], [".strip", ".pill"], [".outcome", ".ring-name"], [".outcome", ".seat-cards .card"], [".box-dots span", ".large .seat-foot > *"], [".dealer-hand .card", ".meter"]]) {
		for (const a of at(one)) for (const b of at(other)) {
			seen++;
			if (over(a, b)) found.push(one + " on " + other);
		}
	}
	return { Seen: seen, Found: [...new Set(found)] };
})()`

// TestNothingStandsOnWhatIsRead plays a round and goes on to the next one, with the result of
// the last in sight.
func TestNothingStandsOnWhatIsRead(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	for _, window := range [][2]int64{{360, 640}, {390, 844}, {820, 1180}, {1440, 900}} {
		ctx := guestTab(t, f)
		seen := 0
		look := func(phase string) {
			var drawn struct {
				Seen  int
				Found []string
			}
			if do(t, ctx, still(), chromedp.Evaluate(overlaid, &drawn)); len(drawn.Found) > 0 {
				t.Errorf("%d by %d, %s: %s", window[0], window[1], phase, strings.Join(drawn.Found, ", "))
			}
			seen += drawn.Seen
		}
		do(t, ctx, chromedp.EmulateViewport(window[0], window[1]))
		f.through(t, ctx, 0, look)
		do(t, ctx, press("do-ready"), phaseOf(f, "classic-1", table.Betting), chromedp.WaitReady(".strip"), chromedp.WaitReady(".chips-rail"))
		look("the next round")
		if seen < 10 {
			t.Errorf("%d by %d: only %d pairs are compared", window[0], window[1], seen)
		}
		f.awaitBets("classic-1")
	}
}
