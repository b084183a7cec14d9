package web_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A round of seven boxes at a physical table, by hand. Each has an Ante of 10, and box 3 a
// Pair Plus of 5. The hands that are named beat King high or not by what anybody sees.
var (
	sevenPlayers = []string{"mei", "jonas", "anton", "bea", "chen", "dora", "emil"}
	sevenHands   = []string{"Ac 7d 4h", "8c 6d 3h", "Qh Qs 7c", "Jd 8s 3c", "Ah 5d 2h", "Jc 9h 6s", ""}
	// sevenNets holds the net of the round for each player. It is an Ante and a Play of 10 each
	// way, a pair at 1 to 1 for the 5, and the Ante of the folded hand.
	sevenNets = []money.Amount{20, -20, 25, -20, 20, -20, -10}
)

// seven opens a second round at T2, after one with the same bets that is over.
func (s *staffed) seven() {
	s.Helper()
	for _, player := range sevenPlayers {
		if _, err := s.CageTransfer(context.Background(), "", house.Lobby, posting.Transfer{Reason: ledger.BuyIn, Player: player, Amount: 1000 * money.Major}); err != nil {
			s.Fatal(err)
		}
	}
	s.play(dealer, "T2", table.OpenBets{})
	for i, player := range sevenPlayers {
		s.play(dealer, "T2", table.Bet{Box: i + 1, Player: player, Wager: rules.Ante, Amount: 10 * money.Major})
	}
	s.play(dealer, "T2", table.Bet{Box: 3, Player: "anton", Wager: rules.PairPlus, Amount: 5 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 24)})
	for i, player := range sevenPlayers {
		s.play(dealer, "T2", table.Fold{Box: i + 1, Player: player})
	}
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 9c 2s")})
	s.play(dealer, "T2", table.Settle{})
}

func (s *staffed) balances() (all []money.Amount) {
	for _, player := range sevenPlayers {
		all = append(all, s.Balance(ledger.Account{Kind: ledger.Player, Of: player}))
	}
	return all
}

// holdsSeven compares what the round has changed with what it should.
func (s *staffed) holdsSeven(t *testing.T, before []money.Amount) {
	t.Helper()
	for i, after := range s.balances() {
		if got := after - before[i]; got != sevenNets[i]*money.Major {
			t.Errorf("the round changes %s for %s at box %d, want %d", got, sevenPlayers[i], i+1, sevenNets[i])
		}
	}
	state, err := housetest.Table(s, "T2")
	if err != nil {
		t.Fatal(err)
	}
	if state.Phase != table.Paid {
		t.Errorf("the round is %s", state.Phase)
	}
}

// shot writes a picture of the page as it stands, if pictures are asked for.
func shot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if *pictures == "" || !strings.Contains(name, *only) {
		return
	}
	var picture []byte
	do(t, ctx, still(), chromedp.CaptureScreenshot(&picture))
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), picture, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestASevenBoxRoundByTaps has a dealer run a whole round on a tablet, and holds that
// each tap is in the lower half, on a key of 56 pixels or more.
func TestASevenBoxRoundByTaps(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.seven()
	before := s.balances()
	dan := s.as(t, "dan")
	const wide, high, least = 820, 1180, 56
	taps := 0
	tap := func(selector string) {
		t.Helper()
		var at struct{ X, Y, W, H float64 }
		find := fmt.Sprintf(`(() => {
			const all = [...document.querySelectorAll(".dealer-sheet button:not([disabled])")].filter((b) => b.getAttribute("aria-disabled") !== "true");
			const found = all.find((b) => b.matches(%[1]q) || b.textContent.trim().startsWith(%[1]q));
			if (!found) return null;
			const r = found.getBoundingClientRect();
			return {X: r.x, Y: r.y, W: r.width, H: r.height};
		})()`, selector)
		if err := chromedp.Run(dan, chromedp.Poll(find, &at, chromedp.WithPollingTimeout(patience))); err != nil {
			var page string
			do(t, dan, chromedp.Evaluate(`document.querySelector("main").innerText`, &page))
			shot(t, dan, "dealer-failed")
			t.Fatalf("nothing to tap for %s: %v: %s", selector, err, page)
		}
		if at.W < least || at.H < least {
			t.Errorf("the key %s is %.0f by %.0f", selector, at.W, at.H)
		}
		if at.Y < high/2 || at.Y+at.H > high {
			t.Errorf("the key %s lies from %.0f to %.0f, and the lower half is from %d to %d", selector, at.Y, at.Y+at.H, high/2, high)
		}
		taps++
		do(t, dan, chromedp.MouseClickXY(at.X+at.W/2, at.Y+at.H/2))
	}
	do(
		t, dan, chromedp.EmulateViewport(wide, high, chromedp.EmulateTouch, func(p1 *emulation.SetDeviceMetricsOverrideParams, p2 *emulation.SetTouchEmulationEnabledParams) {
			p1.Mobile = true
		}),
		chromedp.Navigate(s.address+"/console/T2"), still(), shows("#k-head", "settled"),
	)
	shot(t, dan, "dealer-before-820")
	// An irregularity is reported at any time: its key is with the others.
	reportable := func() {
		t.Helper()
		var at struct{ Y, H float64 }
		do(t, dan, chromedp.Poll(`document.querySelector("#k-incidents summary") !== null`, nil, chromedp.WithPollingTimeout(patience)), chromedp.Evaluate(`(() => {
			const r = document.querySelector("#k-incidents summary").getBoundingClientRect();
			return {Y: r.y, H: r.height};
		})()`, &at))
		if at.Y < high/2 || at.Y+at.H > high || at.H < least {
			t.Errorf("the key of irregularities lies from %.0f to %.0f", at.Y, at.Y+at.H)
		}
	}
	tap("Place your bets")
	do(t, dan, shows("#k-flow", "All as in the last round: $75"))
	shot(t, dan, "dealer-bets-820")
	tap("All as in the last round")
	do(t, dan, shows("#k-flow", "No more bets"), shows("#k-felt", "$5"))
	shot(t, dan, "dealer-bets2-820")
	tap("No more bets")
	do(t, dan, shows("#k-flow", "24 cards"))
	shot(t, dan, "dealer-deal-820")
	tap("Deal")
	do(t, dan, shows("#k-hands", "mei"))
	reportable()
	shot(t, dan, "dealer-decisions-820")
	for i := range sevenPlayers {
		key := "Plays"
		if sevenHands[i] == "" {
			key = "Folds"
		}
		tap(key)
		if i+1 < len(sevenPlayers) {
			do(t, dan, chromedp.Poll(fmt.Sprintf(`document.querySelector("#k-hands li .dealer-seat-number")?.textContent === "%d"`, i+2), nil, chromedp.WithPollingTimeout(patience)))
		}
	}
	do(t, dan, shows("#k-flow", "Next card to: Dealer"))
	key := func(hand string) {
		t.Helper()
		for n, c := range namedCards(hand) {
			tap(fmt.Sprintf(`[data-card=%q]`, c))
			// The card lies on the felt before the house has heard of it.
			do(t, dan, chromedp.Poll(fmt.Sprintf(`document.querySelectorAll(".slot-keyed").length === %d`, n+1), nil, chromedp.WithPollingTimeout(patience)))
		}
	}
	key("Kd 9c")
	tap(`[data-back]`)
	do(t, dan, chromedp.Poll(`document.querySelectorAll(".slot-keyed").length === 1`, nil, chromedp.WithPollingTimeout(patience)))
	taps -= 2 // a card that was keyed wrongly and taken back is no part of the round
	tap(`[data-card="9c"]`)
	tap(`[data-card="2s"]`)
	reportable()
	shot(t, dan, "dealer-reveal-820")
	tap("Turn the dealer")
	for box := 1; box <= len(sevenHands); box++ {
		if sevenHands[box-1] == "" {
			continue
		}
		do(t, dan, shows("#k-flow [data-to]", fmt.Sprintf("Next card to: Box %d, %s", box, sevenPlayers[box-1])), chromedp.Poll(`document.querySelector("[data-cards]").value === ""`, nil, chromedp.WithPollingTimeout(patience)))
		var refused bool
		do(t, dan, chromedp.Evaluate(`document.querySelector('[data-card="Kd"]').disabled`, &refused))
		if !refused {
			t.Error("the dealer's king can be keyed in again")
		}
		key(sevenHands[box-1])
		if box == 4 {
			shot(t, dan, "dealer-show-820")
		}
		reportable()
		tap("Turn the hand")
	}
	do(t, dan, shows("#k-pay", "left to right"))
	reportable()
	shot(t, dan, "dealer-pay-820")
	settled := 0
	for box := 1; box <= len(sevenHands); box++ {
		state, err := housetest.Table(s, "T2")
		if err != nil {
			t.Fatal(err)
		}
		if !state.Boxes[box-1].Staked() {
			continue // the Ante of the folded hand was collected
		}
		settled++
		do(t, dan, shows("#k-pay .payment-next", sevenPlayers[box-1]))
		if box == 3 {
			do(t, dan, shows("#k-pay .payment-next", "Pay $25"), shows("#k-pay .payment-next", "1 × $25"), shows("#k-pay .payment-next", "Pay Pair Plus"))
			shot(t, dan, "dealer-pay3-820")
		}
		tap("Settle")
		if box < len(sevenHands)-1 {
			do(t, dan, chromedp.Poll(fmt.Sprintf(`!document.querySelector("#k-pay .payment-next")?.innerText.includes(%q)`, sevenPlayers[box-1]), nil, chromedp.WithPollingTimeout(patience)))
		}
	}
	do(t, dan, shows("#k-head", "settled"))
	shot(t, dan, "dealer-settled-820")
	s.holdsSeven(t, before)
	t.Logf("%d taps for a round of seven boxes, 21 of them cards and %d payments", taps, settled)
	if taps > 21+28 {
		t.Errorf("a round takes %d taps", taps)
	}
}

// emptyField waits until the focus is in the empty field in which cards are keyed in.
func emptyField() chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		err := chromedp.Poll(`document.activeElement.matches("[data-cards]") && document.activeElement.value === ""`, nil, chromedp.WithPollingTimeout(patience)).Do(ctx)
		if err != nil {
			var seen string
			_ = chromedp.Evaluate(`document.activeElement.outerHTML.slice(0, 300) + " | " + document.querySelector("[data-cards]")?.value + " | " + matchMedia("(pointer: coarse)").matches + " | " + document.querySelector("main").innerText`, &seen).Do(ctx)
			return fmt.Errorf("the focus is not in the empty field of cards (%w): %s", err, seen)
		}
		return nil
	})
}

// TestASevenBoxRoundByKeys has a dealer run the same round on a keyboard, without the mouse.
func TestASevenBoxRoundByKeys(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.seven()
	before := s.balances()
	dan := s.as(t, "dan")
	keys := 0
	press := func(key string) {
		t.Helper()
		keys += len([]rune(key))
		do(t, dan, keyboard(key))
	}
	do(t, dan, chromedp.Navigate(s.address+"/console/T2"), still(), shows("#k-head", "settled"))
	press(" ")
	do(t, dan, shows("#k-flow", "All as in the last round: $75"))
	press(" ")
	do(t, dan, shows("#k-flow", "No more bets"))
	press(" ")
	do(t, dan, shows("#k-flow", "24 cards"))
	press(" ")
	for i := range sevenPlayers {
		do(t, dan, chromedp.Poll(fmt.Sprintf(`document.querySelector("#k-hands li .dealer-seat-number")?.textContent === "%d"`, i+1), nil, chromedp.WithPollingTimeout(patience)))
		if sevenHands[i] == "" {
			press("f")
		} else {
			press("p")
		}
	}
	name := func(place, hand string) {
		t.Helper()
		do(t, dan, shows("#k-flow [data-to]", place), emptyField())
		press(strings.ToLower(strings.ReplaceAll(hand, " ", "")))
		do(t, dan, shows("#k-flow [data-to]", "All cards are keyed in"))
		press(" ")
	}
	do(t, dan, shows("#k-flow [data-to]", "Dealer"), emptyField())
	// What is out already is refused before the house is asked.
	press("kdkd")
	do(t, dan, shows("#k-flow [data-wrong]", "King of diamonds is keyed in twice"), keyboard(" "))
	for range 6 {
		do(t, dan, keyboard(kb.Backspace))
	}
	keys -= 4
	shot(t, dan, "dealer-keys-1440")
	if *pictures != "" {
		do(t, dan, chromedp.EmulateViewport(390, 844))
		shot(t, dan, "dealer-keys-390")
		do(t, dan, chromedp.EmulateViewport(1440, 900))
	}
	name("Dealer", "Kd 9c 2s")
	for box := 1; box <= len(sevenHands); box++ {
		if sevenHands[box-1] != "" {
			name(fmt.Sprintf("Box %d, %s", box, sevenPlayers[box-1]), sevenHands[box-1])
		}
	}
	for box := 1; box <= len(sevenHands); box++ {
		state, err := housetest.Table(s, "T2")
		if err != nil {
			t.Fatal(err)
		}
		if !state.Boxes[box-1].Staked() {
			continue
		}
		do(t, dan, shows("#k-pay .payment-next", sevenPlayers[box-1]))
		press(" ")
	}
	do(t, dan, shows("#k-head", "settled"))
	s.holdsSeven(t, before)
	t.Logf("%d keys for a round of seven boxes, 42 of them name cards", keys)
}

// TestPaymentsWaitForHiddenCards holds that the list of payments tells nothing of a folded
// hand that the house knows and the table does not: whether it brings an Envy Bonus.
func TestPaymentsWaitForHiddenCards(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.putBook("S1", "sm-3cp", table.Virtual)
	for _, do := range []table.Action{
		table.OpenBets{},
		table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major},
		table.Bet{Box: 2, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major},
		table.CloseBets{},
		table.Deal{},
	} {
		s.play(dealer, "S1", do)
	}
	s.play(ann, "S1", table.Raise{Box: 1, Player: "ann"})
	s.play(ann, "S1", table.Fold{Box: 2, Player: "ann"})
	s.play(dealer, "S1", table.Reveal{})
	state, err := housetest.Table(s, "S1")
	if err != nil {
		t.Fatal(err)
	}
	if _, envy := state.Variant.EnvyCarrier(); !envy {
		t.Fatal("the book knows no Envy Bonus: the test shows nothing")
	}
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "dan", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	page := text(t, get(t, s.server.Config.Handler, "/console/S1", "Cookie", "trey="+token))
	hidden := false
	for i := range state.Slots {
		hidden = hidden || !state.Slots[i].Exposed()
	}
	if listed := strings.Contains(page, `class="payments"`); state.Phase != table.Showing || !hidden || listed {
		t.Errorf("the round is %s, a card lies face down: %v, and the payments are listed: %v", state.Phase, hidden, listed)
	}
}

// TestCardsLieWithinTheirBox has a dealer with seven boxes on a small screen: the places of a hand
// that is still to be dealt do not reach into the next box.
func TestCardsLieWithinTheirBox(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan := s.as(t, "dan")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 3, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	var out int
	do(
		t, dan, chromedp.EmulateViewport(1366, 768), chromedp.Navigate(s.address+"/console/T2"), still(), chromedp.WaitVisible(".slot-empty"),
		chromedp.Evaluate(`[...document.querySelectorAll(".dealer-seat .slot")].filter((slot) => {
			const at = slot.getBoundingClientRect(), box = slot.closest(".dealer-seat").getBoundingClientRect();
			return at.left < box.left - 1 || at.right > box.right + 1;
		}).length`, &out),
	)
	if out != 0 {
		t.Errorf("%d places lie outside of their box", out)
	}
}

// TestIrregularitiesAreFoundAndTouched has a dealer look an irregularity up by a word, and
// state the facts by touching the felt: which card was turned over.
func TestIrregularitiesAreFoundAndTouched(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.play(dealer, "T2", table.OpenBets{})
	for box := 1; box <= 2; box++ {
		s.play(dealer, "T2", table.Bet{Box: box, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	}
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 9)})
	dan := s.as(t, "dan")
	var labels []string
	visible := `[...document.querySelectorAll("#k-incidents li")].filter((li) => li.checkVisibility()).map((li) => li.textContent.trim())`
	do(
		t, dan, chromedp.EmulateViewport(820, 1180), chromedp.Navigate(s.address+"/console/T2"), still(),
		chromedp.Click("#k-incidents summary"), chromedp.WaitVisible("#find-incident"), chromedp.Evaluate(visible, &labels),
	)
	shot(t, dan, "dealer-irregularity-820")
	if len(labels) < 8 || !strings.Contains(labels[0], "second hand") && !strings.Contains(strings.ToLower(labels[0]), "hand") {
		t.Errorf("offered are %q, and what usually happens while players decide is not the first", labels)
	}
	do(
		t, dan, chromedp.SendKeys("#find-incident", "EXPOSED"), chromedp.Evaluate(visible, &labels),
		chromedp.Click(`#k-incidents a[href$="/report/card-exposed"]`), chromedp.WaitVisible("#report form"),
		chromedp.Click(`[data-slot="2/2"]`), chromedp.Poll(`document.querySelector("#r-at-0").value === "2"`, nil, chromedp.WithPollingTimeout(patience)),
		chromedp.SendKeys("#r-face-0", "Qh"),
	)
	shot(t, dan, "dealer-report-820")
	if len(labels) == 0 || len(labels) > 4 {
		t.Errorf("a word finds %q", labels)
	}
	do(
		t, dan, button("Show what follows"), chromedp.WaitVisible("#foreseen"), button("Confirm and record"),
		chromedp.Poll(`document.querySelector('[data-place="2"] .slot [aria-label="queen of hearts" i]')`, nil, chromedp.WithPollingTimeout(patience)),
	)
}

// TestSheetOfIrregularitiesIsClosedByItsKey has a dealer without a keyboard open the sheet and
// close it again by the key that opened it, with nothing reported.
func TestSheetOfIrregularitiesIsClosedByItsKey(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	dan := s.as(t, "dan")
	for _, window := range [][2]int64{{1440, 900}, {820, 1180}, {390, 844}} {
		var open, covered bool
		do(
			t, dan, chromedp.EmulateViewport(window[0], window[1]), chromedp.Navigate(s.address+"/console/T2"), still(),
			chromedp.Click("#k-incidents summary"), chromedp.WaitVisible("#find-incident"),
			chromedp.Evaluate(`(() => {
				const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
				const read = [...document.querySelectorAll("#k-incidents summary, .incidents-sheet :is(p.soft, label, input, h3, a)")].map((e) => {
					const range = document.createRange();
					range.selectNodeContents(e);
					return e.matches("input, summary") ? e.getBoundingClientRect() : range.getBoundingClientRect();
				});
				return read.some((a, i) => read.slice(i + 1).some((b) => over(a, b)));
			})()`, &covered),
			chromedp.Click("#k-incidents summary"), still(),
			chromedp.Evaluate(`document.querySelector("#find-incident").checkVisibility()`, &open),
		)
		if open || covered {
			t.Errorf("%d by %d: once its key is pressed, the sheet is open: %v; one thing stands on another: %v", window[0], window[1], open, covered)
		}
	}
}
