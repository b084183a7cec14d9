package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/steady"
)

// TestWideScreensAreInOrder opens the pages of the staff on the screens of a desk. The cells of
// a column begin at one place, and the head of a table takes one line.
func TestWideScreensAreInOrder(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sue := s.as(t, "sue")
	s.busy()
	for _, p := range []struct {
		path       string
		width      int64
		want, what string
	}{
		{"/pit", 1920, `Math.abs(left(".brand") - left("h1")) < 1 && Math.abs(left(".foot p") - left("h1")) < 1`, "the bar, the page and its foot begin at one place"},
		{"/account", 1920, `Math.abs(left(".brand") - left("h1")) < 1 && Math.abs(left(".foot p") - left("h1")) < 1`, "the bar, the page and its foot begin at one place"},
		{"/console/T4", 1920, `Math.abs(left(".brand") - left(".dealer-back")) < 1`, "the bar and the table begin at one place"},
		{"/console/T4", 1440, `at(".dealer-head .tag, .dealer-back, .dealer-menu summary").every((r, _, all) => r.top < all[0].bottom && r.bottom > all[0].top)`, "the head of the table is one line"},
		{"/surveillance/log", 1920, `new Set(at(".watch-log summary > .watch-kinds").map((r) => r.left)).size === 1 && at(".watch-log time").every((r) => r.height < 30)`, "the columns of the log begin at one place each"},
		{"/players?name=ann", 1920, `at(".account-figures")[0].top - at("#player-title")[0].bottom > 8 && at(".account-figures + p")[0].top - at(".account-figures")[0].bottom > 8`, "the figures of a player stand apart from what is above and below"},
	} {
		var right bool
		do(
			t, sue, chromedp.EmulateViewport(p.width, 1080), chromedp.Navigate(s.address+p.path), still(),
			chromedp.Evaluate(`(() => {
				const at = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect());
				const left = (selector) => at(selector)[0].left;
				return `+p.want+`;
			})()`, &right),
		)
		if !right {
			t.Errorf("%s, %d wide: it is not so that %s", p.path, p.width, p.what)
		}
	}
	var alerts string
	do(t, sue, chromedp.Navigate(s.address+"/pit"), chromedp.Text("#p-alerts", &alerts))
	if !strings.Contains(alerts, "T4, Round 1: ") {
		t.Errorf("an alert begins otherwise than with its table and round: %s", alerts)
	}
}

// TestChineseHasRoomBesideFigures holds that a figure stands a little apart from the Chinese around
// it, where the browser can do so.
func TestChineseHasRoomBesideFigures(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	for _, test := range []struct{ language, want string }{{"zh-Hans", "normal"}, {"en", "no-autospace"}} {
		var room string
		do(
			t, ctx, cookies(address, "lang", test.language), chromedp.Navigate(address+"/rules"),
			chromedp.Evaluate(`CSS.supports("text-autospace", "normal") ? getComputedStyle(document.querySelector("h1")).textAutospace : ""`, &room),
		)
		if room != "" && room != test.want {
			t.Errorf("the page in %s has %s", test.language, room)
		}
	}
}

// TestChineseIsNotSlanted holds that what English sets in italics, the notes of a scenario and what
// the dealer says, is upright in Chinese.
func TestChineseIsNotSlanted(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	for language, want := range map[string]string{"zh-Hans": "normal", "en": "italic"} {
		var styles []string
		do(
			t, ctx, cookies(address, "lang", language), chromedp.Navigate(address+"/rules/rws-3cp/scenario/1.12_play_equals_ante"),
			chromedp.Evaluate(`[".scene-note", ".speech"].map(s => getComputedStyle(document.querySelector(s)).fontStyle)`, &styles),
		)
		if !slices.Equal(styles, []string{want, want}) {
			t.Errorf("the page in %s has %v, want %s", language, styles, want)
		}
	}
}
