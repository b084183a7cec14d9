package web_test

import (
	"context"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// watchMeter notes what the meter of T1 shows whenever the page has changed, with what it
// runs to.
const watchMeter = `(() => {
	const meter = () => document.querySelector("#table-T1 [data-meter], #pays [data-meter]");
	window.shownMeters = [];
	const note = () => shownMeters.push([meter().dataset.meter, meter().textContent]);
	new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`

// The meter on the wall runs up to what the jackpot stands at when bets are made,
// and ends there to the cent. So do those in the lobby and at the table, which shows
// it at once to who wants no motion.
func TestJackpotDisplayCounts(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sam := s.as(t, "sam")
	type meter struct {
		ctx          context.Context
		path, motion string
	}
	var meters []meter
	for _, of := range []struct{ name, path, motion string }{
		{"sue", "/", "no-preference"},
		{"dan", "/", "reduce"},
		{"cat", "/tables/T1", "reduce"},
		{"pat", "/tables/T1", "no-preference"},
	} {
		m := meter{s.as(t, of.name), of.path, of.motion}
		do(
			t, m.ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: m.motion}}),
			chromedp.Navigate(s.address+m.path), chromedp.Poll(`document.querySelector("[data-live]").textContent === "" && document.querySelector("[data-meter]")`, nil),
			chromedp.Evaluate(watchMeter, nil),
		)
		meters = append(meters, m)
	}
	do(
		t, sam, chromedp.EmulateViewport(1920, 1080), chromedp.Navigate(s.address+"/jackpots/linked"), shows("#j-meter", "$10,000.00"),
		chromedp.Poll(`document.querySelector("[data-live]").textContent === ""`, nil),
	)
	v, err := s.RulesAt("T1", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []rules.Wager{rules.Ante, rules.Progressive} {
		amount := v.Limits[w].Min
		if w == rules.Progressive {
			amount = v.Jackpot.Bet
		}
		if w == rules.Ante {
			s.play(dealer, "T1", table.OpenBets{})
			amount = 2500
		}
		s.play(ann, "T1", table.Bet{Box: 1, Player: "ann", Wager: w, Amount: amount})
	}
	s.play(dealer, "T1", table.CloseBets{})
	state, ok := s.Jackpot("linked")
	if !ok || state.Displayed() <= 1_000_000 {
		t.Fatalf("the jackpot stands at %s", state.Displayed())
	}
	// Of a bet of $5, 40 % are put on a meter of $10,000.
	for _, m := range meters {
		var figures [][2]string
		do(
			t, m.ctx, chromedp.Poll(`shownMeters.some(([to, text]) => to === "1000200" && text === "$10,002")`, nil),
			chromedp.Evaluate(`shownMeters.filter(([to]) => to === "1000200")`, &figures),
		)
		if first := figures[0][1]; m.motion == "reduce" && first != "$10,002" || m.motion != "reduce" && first != "$10,000" {
			t.Errorf("%s, motion %s: the meter that now stands at $10,002 begins with %s", m.path, m.motion, first)
		}
		for i := 1; i < len(figures); i++ {
			if figures[i][1] < figures[i-1][1] {
				t.Errorf("%s: the meter runs back from %s to %s", m.path, figures[i-1][1], figures[i][1])
			}
		}
	}
	var wide bool
	do(
		t, sam, shows("#j-meter .wall-meter", "$"+state.Displayed().Display()),
		chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide),
	)
	if wide {
		t.Error("the display is wider than the wall")
	}
}

// wallFaults lists what a reader ten metres away would miss on the wall. It is text smaller
// than 1.9 % of the width (on a screen two metres wide, capitals of 27 mm). It is also text
// outside of the screen or of its own line, and parts that lie over each other.
const wallFaults = `(() => {
	const found = [], wall = document.querySelector(".wall");
	if (document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth) {
		found.push("the page scrolls: " + document.documentElement.scrollWidth + "x" + document.documentElement.scrollHeight);
	}
	const walk = document.createTreeWalker(wall, NodeFilter.SHOW_TEXT);
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const parent = node.parentElement;
		if (!node.data.trim() || parent.closest("svg, .connection")) continue;
		const size = parseFloat(getComputedStyle(parent).fontSize), range = document.createRange();
		range.selectNodeContents(node);
		const box = range.getBoundingClientRect();
		if (size < innerWidth * 0.019) found.push(node.data.trim() + " is " + size + " px high");
		if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) found.push(node.data.trim() + " lies outside");
	}
	const parts = [".wall-head", "#j-meter", "#j-hits", "#j-pays", "#j-takes", "#j-paid"].map(s => [s, document.querySelector(s).getBoundingClientRect()]);
	parts.forEach(([a, p], i) => parts.slice(i + 1).forEach(([b, q]) => {
		if (p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1) found.push(a + " lies over " + b);
	}));
	return found;
})()`

// The wall fills a screen without the frame of the site, and shows the pay of each hand and
// which takes the jackpot. It can be read at ten metres at both resolutions of a wall.
func TestJackpotWallFillsTheScreen(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	s.put("T8", table.Unseen)
	s.hit("T8")
	sam := s.as(t, "sam")
	for _, size := range [][2]int64{{1920, 1080}, {3840, 2160}} {
		for _, tag := range []string{"en", "zh-Hans"} {
			var framed bool
			var pays, faults []string
			var meterPx float64
			do(
				t, sam, cookies(s.address, "lang", tag), chromedp.EmulateViewport(size[0], size[1]), chromedp.Navigate(s.address+"/jackpots/linked"), still(),
				chromedp.Evaluate(`[...document.querySelectorAll(".top, .foot")].some(e => e.checkVisibility())`, &framed),
				chromedp.Evaluate(`[...document.querySelectorAll("#j-pays tr")].map(r => r.cells[0].innerText + ": " + r.cells[1].innerText)`, &pays),
				chromedp.Evaluate(`parseFloat(getComputedStyle(document.querySelector(".wall-meter")).fontSize)`, &meterPx),
				chromedp.Evaluate(wallFaults, &faults),
			)
			if framed {
				t.Errorf("%d, %s: the frame of the site stands around the wall", size, tag)
			}
			// As table 4.4 of the rule book has them.
			want := []string{"AKQ of spades: the meter", "AKQ suited: $1,250", "Straight flush: $175", "Three of a kind: $150", "Straight: $15"}
			if tag == "en" && !slices.Equal(pays, want) {
				t.Errorf("%d: the wall pays %q, not %q", size, pays, want)
			}
			if meterPx < float64(size[0])/10 {
				t.Errorf("%d, %s: the meter is %.0f px high", size, tag, meterPx)
			}
			for _, fault := range faults {
				t.Errorf("%d, %s: %s", size, tag, fault)
			}
		}
	}
	var hand string
	do(
		t, sam, cookies(s.address, "lang", "en"), chromedp.Navigate(s.address+"/jackpots/linked"),
		shows("#j-takes", "AKQ of spades takes the whole meter"), shows("#j-hits", "2 more hits are waiting"), shows("#j-paid", "$10,002"), shows("#j-paid", "1 in all"),
		chromedp.Evaluate(`[...document.querySelectorAll("#j-takes .card")].map(c => c.getAttribute("aria-label")).join(", ")`, &hand),
		chromedp.Click(".wall-brand", chromedp.ByQuery), chromedp.WaitVisible("ul.jackpots", chromedp.ByQuery),
	)
	if hand != "ace of spades, king of spades, queen of spades" {
		t.Errorf("the hand that takes the jackpot is shown as %s", hand)
	}
}

// A meter of any length fits on the wall, with the frame around it.
func TestLongMetersFitOnTheWall(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	for name, reset := range map[string]money.Amount{"hundred": 888_888 * money.Major, "million": 88_888_888 * money.Major} {
		at := house.Table{
			Name: "of-" + name, Variant: b.Standard().Clone(), Mode: house.DealerRun, Jackpot: name,
			Config: table.Config{Device: b.Devices[0].Device, Cards: table.Unseen, Chips: true},
		}
		at.Variant.Jackpot.Reset, at.Variant.Jackpot.Ceiling = reset, 2*reset
		if err := s.Install(t.Context(), at, admin); err != nil {
			t.Fatal(err)
		}
		sam := s.as(t, "sam")
		for _, width := range []int64{1920, 390, 3840} {
			var faults []string
			var left, right float64
			do(
				t, sam, chromedp.EmulateViewport(width, width*9/16), chromedp.Navigate(s.address+"/jackpots/"+name), still(), shows(".wall-meter", "$"+reset.Display()),
				chromedp.Evaluate(`document.querySelector(".wall-meter").getBoundingClientRect().left`, &left),
				chromedp.Evaluate(`innerWidth - document.querySelector(".wall-meter").getBoundingClientRect().right`, &right),
			)
			if width > 390 {
				do(t, sam, chromedp.Evaluate(wallFaults, &faults))
			}
			if left < 0 || right < 0 || len(faults) > 0 {
				t.Errorf("%s at %d: %.0f and %.0f px beside the meter, %q", name, width, left, right, faults)
			}
		}
	}
}

// TestWhatAScriptDoesIsThereFromTheStart holds that the parts that only a script can use are on
// their page before the script has come, so that nothing moves then. Without scripts they are
// invisible.
func TestWhatAScriptDoesIsThereFromTheStart(t *testing.T) {
	t.Parallel()
	steady.Detail(t)
	ctx, address := tab(t)
	for path, part := range map[string]string{
		"/rules/us-3cp": ".filter", "/school/rws-3cp/pay/three": ".lesson-clock",
		"/school/us-3cp/rounds/abc-3-9999999999999-00000000000000000000000000000000": ".lesson-clock",
	} {
		for _, off := range []bool{true, false} {
			var hidden, visible bool
			do(
				t, ctx, emulation.SetScriptExecutionDisabled(off), chromedp.Navigate(address+path),
				chromedp.Evaluate(`document.querySelector("`+part+`").hidden`, &hidden),
				chromedp.Evaluate(`document.querySelector("`+part+`").checkVisibility()`, &visible),
			)
			if hidden || visible == off {
				t.Errorf("%s, with scripts: %t: %s is there: %t, and visible: %t", path, !off, part, !hidden, visible)
			}
		}
	}
}
