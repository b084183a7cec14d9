package web_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"trey/rules"
	"trey/table"
)

// watchMeter notes what the meter of T1 shows whenever the page has changed, with what it
// runs to.
const watchMeter = `(() => {
	const meter = () => document.querySelector("#table-T1 [data-meter], #dealer [data-meter]");
	window.shownMeters = [];
	const note = () => shownMeters.push([meter().dataset.meter, meter().textContent]);
	new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`

// The meter on the wall runs up to what the jackpot stands at when bets are made,
// and ends there to the cent. So do those in the lobby and at the table, which shows
// it at once to who wants no motion.
func TestJackpotDisplayCounts(t *testing.T) {
	s := openStaffed(t)
	sam := s.as(t, "sam")
	type meter struct {
		ctx          context.Context
		path, motion string
	}
	var meters []meter
	for who, path := range map[string]string{"sue": "/", "pat": "/tables/T1", "dan": "/", "cat": "/tables/T1"} {
		m := meter{s.as(t, who), path, "no-preference"}
		if who == "dan" || who == "cat" {
			m.motion = "reduce"
		}
		do(
			t, m.ctx, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: m.motion}}),
			chromedp.Navigate(s.address+path), chromedp.Poll(`document.querySelector("[data-live]").textContent === "" && document.querySelector("[data-meter]")`, nil),
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
	pot, ok := s.Jackpot("linked")
	if !ok || pot.Displayed() <= 1_000_000 {
		t.Fatalf("the jackpot stands at %s", pot.Displayed())
	}
	// Of a bet of $5, 40 % are put on a meter of $10,000.
	for _, m := range meters {
		var shown [][2]string
		do(
			t, m.ctx, chromedp.Poll(`shownMeters.some(([to, text]) => to === "1000200" && text === "$10,002")`, nil),
			chromedp.Evaluate(`shownMeters.filter(([to]) => to === "1000200")`, &shown),
		)
		if first := shown[0][1]; m.motion == "reduce" && first != "$10,002" || m.motion != "reduce" && first != "$10,000" {
			t.Errorf("%s, motion %s: the meter that now stands at $10,002 begins with %s", m.path, m.motion, first)
		}
		for i := 1; i < len(shown); i++ {
			if shown[i][1] < shown[i-1][1] {
				t.Errorf("%s: the meter runs back from %s to %s", m.path, shown[i-1][1], shown[i][1])
			}
		}
	}
	var wide bool
	do(
		t, sam, shows("#j-meter .wall-meter", "$"+pot.Displayed().Display()),
		chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide),
	)
	if wide {
		t.Error("the display is wider than the wall")
	}
}
