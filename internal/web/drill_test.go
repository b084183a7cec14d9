package web_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/steady"
)

// offline cuts the tab off from every network, or connects it again.
func offline(off bool) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		//nolint:staticcheck // the rule-based method that replaces it is newer than the browser
		return network.EmulateNetworkConditions(off, 0, -1, -1).Do(ctx)
	})
}

// drilled is a hand as the practice shows it, what it says of it, and the tally.
type drilled struct{ Name, Verdict, Tally, Focus string }

const shownDrill = `(() => {
	const text = (selector) => document.querySelector(selector)?.innerText.trim() ?? "";
	return { Name: text(".drill-name"), Verdict: text(".drill-verdict"), Tally: text(".drill-tally"), Focus: document.activeElement.id };
})()`

// isPlayed reports what the published best strategy says of a hand near the line: Q-6-4 and
// what is better is played.
func isPlayed(t *testing.T, name string) bool {
	t.Helper()
	ranks, ok := strings.CutPrefix(name, "High card ")
	if !ok {
		t.Fatalf("%q is not a hand near the line", name)
	}
	order := func(r string) int { return strings.Index("2 3 4 5 6 7 8 9 10J Q K A", r) }
	least := []string{"Q", "6", "4"}
	for i, r := range strings.Split(ranks, "-") {
		if order(r) != order(least[i]) {
			return order(r) > order(least[i])
		}
	}
	return true
}

// TestDrillNearTheLine opens the practice from the drawer on a telephone, loses the network,
// and decides hands by taps and by keys. The best choice is that of the published strategy, a
// mistake is shown with its cost, and the tally counts. Nothing of it is loaded before it is
// opened, and a round that waits meanwhile is not touched.
func TestDrillNearTheLine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	source := axe(t)
	do(t, ctx, chromedp.EmulateViewport(390, 844))
	sit(t, ctx, f, "classic-1")
	var loaded bool
	const isLoaded = `performance.getEntriesByType("resource").some((r) => r.name.endsWith("/hands.js"))`
	do(t, ctx, chromedp.Evaluate(isLoaded, &loaded))
	if loaded {
		t.Error("the practice is loaded before it is opened")
	}
	do(
		t, ctx, press("do-bet"), press("do-ready"), chromedp.WaitReady(`[id="do-examine:4"]`), press("do-examine:4"), chromedp.WaitReady(`[id="do-raise:4"]`),
		chromedp.Click("#menu"), chromedp.Click(`#drawer a[href="#drill-title"]`), chromedp.Click("[data-drill] > button"),
		chromedp.WaitVisible("#drill-play"), offline(true),
	)
	var now drilled
	look := func() {
		t.Helper()
		do(t, ctx, chromedp.Evaluate(shownDrill, &now))
	}
	near := map[string]bool{}
	for n := 1; n <= 12; n++ {
		look()
		near[now.Name] = true
		choice, key := "#drill-fold", "f"
		if isPlayed(t, now.Name) {
			choice, key = "#drill-play", "p"
		}
		if n%2 == 0 {
			do(t, ctx, chromedp.Click(choice))
		} else {
			do(t, ctx, keyboard(key))
		}
		look()
		if !strings.HasPrefix(now.Verdict, "The best choice") || !strings.Contains(now.Verdict, "Fold −1.0000") {
			t.Errorf("%s: the best choice is told as %q", now.Name, now.Verdict)
		}
		if want := fmt.Sprintf("%d of %d right, best run %d. Your mistakes would have cost 0.0000 of an Ante.", n, n, n); now.Tally != want || now.Focus != "drill-next" {
			t.Errorf("the tally is %q, want %q, and the focus is on %q", now.Tally, want, now.Focus)
		}
		if n%2 == 0 {
			do(t, ctx, chromedp.Click("#drill-next"))
		} else {
			do(t, ctx, keyboard(" "))
		}
	}
	if len(near) < 5 {
		t.Errorf("twelve hands in a row are only %v", near)
	}
	look()
	wrong := "p"
	if isPlayed(t, now.Name) {
		wrong = "f"
	}
	do(t, ctx, keyboard(wrong))
	if look(); !strings.HasPrefix(now.Verdict, "A mistake: it costs 0.") || !strings.HasPrefix(now.Tally, "12 of 13 right, best run 12. Your mistakes would have cost 0.") || strings.Contains(now.Tally, "0.0000") {
		t.Errorf("a mistake is told as %q, and counted as %q", now.Verdict, now.Tally)
	}
	var found, small []string
	do(
		t, ctx, chromedp.Evaluate(source+`;0`, nil), keyboard("n"), still(),
		chromedp.Evaluate(`axe.run(document, {preload: false, resultTypes: ["violations"]}).then(r => r.violations.map(v =>
			v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`, &found, await),
		chromedp.Evaluate(`[...document.querySelectorAll(".drill-acts button:not([hidden])")].filter((b) => b.offsetHeight < 44 || b.offsetWidth < 44).map((b) => b.id)`, &small),
	)
	if len(found)+len(small) > 0 {
		t.Errorf("the practice has %v, and these buttons are too small for a thumb: %v", found, small)
	}
	// The hand at the table still waits for its player.
	do(
		t, ctx, offline(false), keyboard(kb.Escape), chromedp.WaitReady(`[id="do-raise:4"]`),
		chromedp.Reload(), chromedp.WaitReady(`[id="do-raise:4"]`),
		chromedp.Click("#menu"), chromedp.Click(`#drawer a[href="#drill-title"]`), chromedp.Click("[data-drill] > button"), shows(".drill-tally", "12 of 13 right"),
	)
}

// TestDrillWithoutConnection asks for the practice without a network, and again with one.
func TestDrillWithoutConnection(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(
		t, ctx, chromedp.Navigate(f.address+"/mathematics/us-3cp/strategy"), chromedp.WaitVisible("[data-drill] > button"), offline(true),
		chromedp.Click("[data-drill] > button"), shows("[data-away]", "cannot be loaded now"),
		offline(false), chromedp.Click("[data-drill] > button"), chromedp.WaitVisible("#drill-play"), chromedp.Click("#drill-play"),
	)
	var now drilled
	do(t, ctx, chromedp.Evaluate(shownDrill, &now))
	if isPlayed(t, now.Name) != strings.HasPrefix(now.Verdict, "The best choice") || !strings.Contains(now.Tally, " of 1 right") {
		t.Errorf("%s is played: %q, %q", now.Name, now.Verdict, now.Tally)
	}
}

// TestNoDrillWithoutDecision holds that Royal Three Pictures has no drill: it has no decision
// once the cards are dealt.
func TestNoDrillWithoutDecision(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	v := f.visitor()
	for _, g := range games {
		v.received.Reset()
		v.get("/tables/" + g.name)
		offered := strings.Contains(v.received.String(), "data-drill")
		answer, err := v.Get(f.address + "/tables/" + g.name + "/drill")
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if offered != g.decides || (answer.StatusCode == http.StatusOK) != g.decides {
			t.Errorf("%s, where hands are decided about %t, offers a practice %t, and answers %s", g.name, g.decides, offered, answer.Status)
		}
	}
}
