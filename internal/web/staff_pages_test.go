package web_test

import (
	"context"
	"testing"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"trey/rules"
	"trey/table"
)

// The pages of the staff keep nobody out either, and fit on every screen.
func TestStaffPagesAreAccessible(t *testing.T) {
	s := openStaffed(t)
	sue := s.as(t, "sue")
	source := axe(t)
	s.settled("T1")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 2500})
	s.play(dealer, "T2", table.CloseBets{})
	do(t, sue, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdp.AddScriptToEvaluateOnNewDocument(source).Do(ctx)
		return err
	}))
	for i, path := range []string{"/console", "/console/T2", "/console/T2/rules", "/console/T2/report/deck-count", "/jackpots/linked", "/sign-in", "/surveillance", "/surveillance/tables/T1", "/surveillance/rounds?player=ann&least=x", "/surveillance/rounds?player=ann", "/surveillance/rounds/T1/1", "/surveillance/log", "/surveillance/balance"} {
		do(t, sue, cookies(s.address, "lang", []string{"en", "zh-Hans"}[i%2]), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+path), still(), chromedp.Evaluate(`document.querySelectorAll(".watch-log details").forEach((d, i) => { d.open = i < 3 })`, nil))
		var found []string
		for _, dark := range []string{"not all", "all"} {
			do(
				t, sue, chromedp.Evaluate(`document.querySelector("link[data-dark]").media = "`+dark+`"`, nil), still(),
				chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
					v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`, &found, await),
			)
			for _, violation := range found {
				t.Errorf("%s (dark: %s): %s", path, dark, violation)
			}
		}
		for _, width := range []int64{360, 768, 1920} {
			var wide bool
			do(
				t, sue, chromedp.EmulateViewport(width, 1000), still(),
				chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide),
			)
			if wide {
				t.Errorf("%s scrolls sideways at %d", path, width)
			}
		}
	}
}
