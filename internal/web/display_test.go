package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"trey/rules"
	"trey/table"
)

// The meter on the wall runs up to what the jackpot stands at when bets are made,
// and ends there to the cent.
func TestJackpotDisplayCounts(t *testing.T) {
	s := openStaffed(t)
	sam := s.as(t, "sam")
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
	var wide bool
	do(
		t, sam, shows("#j-meter .wall-meter", "$"+pot.Displayed().Display()),
		chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide),
	)
	if wide {
		t.Error("the display is wider than the wall")
	}
}
