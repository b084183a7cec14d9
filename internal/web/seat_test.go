package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// saysAll reports once an element says all of these words.
func saysAll(selector string, words ...string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for _, text := range words {
			if err := shows(selector, text).Do(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestClockFollowsADealer checks the line beside the clock at every phase of a round that a
// dealer runs, which has no time limits. It names the phase and the round, and before the first
// round no number.
func TestClockFollowsADealer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "rws-3cp", table.Read)
	ctx := s.as(t, "ann")
	var first string
	do(
		t, ctx, chromedp.Navigate(s.address+"/tables/T3"), shows("#clock", "Waiting for the dealer to open the bets"),
		chromedp.Text("#clock", &first),
	)
	if strings.Contains(first, "Round") {
		t.Errorf("before the first round the clock says %q", first)
	}
	s.play(dealer, "T3", table.OpenBets{})
	do(t, ctx, saysAll("#clock", "Round 1", "Place your bets, please"))
	s.play(ann, "T3", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	do(t, ctx, saysAll("#clock", "Round 1", "Place your bets, please"))
	s.play(dealer, "T3", table.CloseBets{})
	do(t, ctx, saysAll("#clock", "Round 1", "The cards are dealt"))
	s.play(dealer, "T3", table.Deal{Cards: read(t, "Qh 7c 2d 9c 9d 4s")})
	do(t, ctx, saysAll("#clock", "Round 1", "The hands are played"))
	s.play(ann, "T3", table.Examine{Box: 1, Player: "ann"})
	s.play(ann, "T3", table.Raise{Box: 1, Player: "ann"})
	do(t, ctx, saysAll("#clock", "Round 1", "The hands are played"))
	s.play(dealer, "T3", table.Reveal{})
	do(t, ctx, saysAll("#clock", "Round 1", "The dealer's hand is shown"))
	s.play(dealer, "T3", table.Settle{})
	do(t, ctx, saysAll("#clock", "Round 1", "The round is settled"))
}

// TestUnseenHandIsNeverGold has two hands of which a player may look at one. The look is gold
// first, then the Play bet of the hand that was seen; that of the other hand never is.
func TestUnseenHandIsNeverGold(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	do(
		t, ctx, press("a-3-ante"), press("a-4-ante"), chromedp.WaitReady(".has > #a-4-ante"), press("do-ready"), phaseOf(f, "classic-1", table.Deciding),
		shows(`[id="do-raise:3"]`, "Play blind $5"), chromedp.WaitNotPresent(`[id="do-raise:4"]`),
	)
	gold := func(when, want string) {
		t.Helper()
		var got string
		do(t, ctx, still(), chromedp.Evaluate(`[...document.querySelectorAll("#bar button")].filter((b) =>
			getComputedStyle(b).backgroundImage.includes("rgb(233, 191, 99)")).map((b) => b.id).join()`, &got))
		if got != want {
			t.Errorf("%s gold is %q, want %q", when, got, want)
		}
	}
	gold("before the look", "do-examine:3")
	do(
		t, ctx, press("do-examine:3"), chromedp.WaitReady("#box-3 .dealt.shown"), shows(`[id="do-raise:3"]`, "Play $5"),
	)
	gold("after it", "do-raise:3")
	do(t, ctx, press("do-raise:3"), shows(`[id="do-raise:4"]`, "Play blind $5"))
	gold("for the hand that may not be looked at", "")
}

// TestPlayThatCannotBePaidForIsOff has a guest with $1,000 lay Antes of $600 at three boxes:
// two hands of $200 can be played, and the third can only be folded.
func TestPlayThatCannotBePaidForIsOff(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	heard := listen(ctx, f.address)
	sit(t, ctx, f, "classic-1")
	off := func(box int, want bool) chromedp.Action {
		return chromedp.Poll(fmt.Sprintf(`document.getElementById("do-raise:%d")?.getAttribute("aria-disabled") === "%t"`, box, want), nil)
	}
	do(
		t, ctx, chromedp.Evaluate(`document.getElementById("chip-10000").click()`, nil),
		press("a-3-ante"), press("a-4-ante"), press("a-5-ante"), shows(":has(> #a-5-ante)", "$100"),
		press("do-double"), shows("#refusal", "you need $600, and you have $400 left"), press("do-sure"), shows(":has(> #a-5-ante)", "$200"),
		press("do-ready"), phaseOf(f, "classic-1", table.Deciding), off(3, false), shows("#do-raise-all", "Play all blind $600"),
		chromedp.Poll(`document.getElementById("do-raise-all").getAttribute("aria-disabled") === "true"`, nil),
		press("do-raise:3"), off(4, false), press("do-raise:4"),
		off(5, true), shows("#bar", "To play takes $200, and you have $0 left."), shows("#cover", "you need $200, and you have $0 left"),
		press("do-fold:5"), phaseOf(f, "classic-1", table.Paid),
	)
	for _, complaint := range heard() {
		t.Error(complaint)
	}
}

// TestCostOfPlayingOnIsInSight lays two Antes in every kind of window: what playing both hands
// takes is said where it can be read, once.
func TestCostOfPlayingOnIsInSight(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	const seen = `[...document.querySelectorAll(".to-play, .to-play-below")].filter((e) => e.getClientRects().length > 0 &&
		e.getBoundingClientRect().right <= innerWidth && e.getBoundingClientRect().bottom <= innerHeight).map((e) => e.textContent)`
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	do(t, ctx, press("a-3-ante"), press("a-4-ante"), chromedp.WaitReady(".has > #a-4-ante"), shows("#do-ready", "Deal $10"))
	for _, window := range [][2]int64{{360, 640}, {390, 844}, {820, 1180}, {640, 360}, {1024, 768}, {1440, 900}} {
		var texts []string
		do(t, ctx, chromedp.EmulateViewport(window[0], window[1]), still(), chromedp.Evaluate(seen, &texts))
		if !slices.Equal(texts, []string{"$10 to play all your hands"}) {
			t.Errorf("at %d by %d is said %q", window[0], window[1], texts)
		}
	}
}

// TestActiveBoxRises has three hands wait for their player: the one that is decided about next
// lies higher than the others, in a window that shows all of them.
func TestActiveBoxRises(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	for box := 3; box <= 5; box++ {
		do(t, ctx, press(fmt.Sprintf("a-%d-ante", box)), chromedp.WaitReady(fmt.Sprintf(".has > #a-%d-ante", box)))
	}
	do(t, ctx, press("do-ready"), phaseOf(f, "classic-1", table.Deciding), shows("#do-fold-all", "Fold all $15"), still())
	for _, active := range []int{3, 4} {
		var tops map[string]float64
		do(
			t, ctx, chromedp.WaitReady(fmt.Sprintf("#box-%d .large.active", active)),
			chromedp.Evaluate(`Object.fromEntries([3, 4, 5].map((n) => [n, document.querySelector("#box-" + n + " .large").getBoundingClientRect().top]))`, &tops),
		)
		for box, top := range tops {
			if rises := box == fmt.Sprint(active); rises != (top < tops["5"]) {
				t.Errorf("while box %d is decided about the boxes begin at %v", active, tops)
				break
			}
		}
		do(t, ctx, press(fmt.Sprintf("do-fold:%d", active)), still())
	}
}

// TestConsoleIsTheMirrorImage lists the boxes as the dealer has them before them: box 1 at the
// left hand.
func TestConsoleIsTheMirrorImage(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan := s.as(t, "dan")
	var order []string
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T2"), chromedp.WaitReady(".dealer-seats-row > li"),
		chromedp.Evaluate(`[...document.querySelectorAll(".dealer-seats-row > li")].sort((a, b) =>
			a.getBoundingClientRect().left - b.getBoundingClientRect().left).map((li) => li.querySelector(".dealer-seat-number").textContent)`, &order),
	)
	if want := []string{"1", "2", "3", "4", "5", "6", "7"}; !slices.Equal(order, want) {
		t.Errorf("from the left the dealer has the boxes %v", order)
	}
}

// TestBoxOneIsAtTheRightEnd compares where the boxes lie with how a dealer opposite deals,
// who begins at the left hand: that is the right end for a player.
func TestBoxOneIsAtTheRightEnd(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	var order []string
	do(
		t, ctx, chromedp.Navigate(f.address+"/tables/classic-1"), chromedp.WaitReady("#box-1"),
		chromedp.Evaluate(`[...document.querySelectorAll(".seat-in")].sort((a, b) =>
			b.getBoundingClientRect().left - a.getBoundingClientRect().left).map((s) => s.parentElement.id)`, &order),
	)
	if want := []string{"box-1", "box-2", "box-3", "box-4", "box-5", "box-6", "box-7"}; !slices.Equal(order, want) {
		t.Errorf("from the right the boxes are %v", order)
	}
}

// actAndLeave sends a form, and leaves when the first command of a kind is recorded.
func actAndLeave(t testing.TB, of *line, site http.Handler, by *http.Client, address, path string, form url.Values, kind string) {
	t.Helper()
	waits, leave := context.WithCancel(t.Context())
	defer leave()
	meet := func(tx *house.Transaction) {
		if tx.Cause.Kind == kind {
			leave()
		}
	}
	of.recorded.Store(&meet)
	defer of.recorded.Store(nil)
	r := httptest.NewRequestWithContext(waits, http.MethodPost, address+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Trey-Fragment", "1")
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range by.Jar.Cookies(at) {
		r.AddCookie(c)
	}
	site.ServeHTTP(httptest.NewRecorder(), r)
	if waits.Err() == nil {
		t.Fatalf("%v leads to no %s", form, kind)
	}
}

// actAndLeave sends a form of the table, and leaves when the first command of a kind is recorded.
func (v *visitor) actAndLeave(kind, what string) {
	v.Helper()
	actAndLeave(v, &v.floor.line, v.floor.server.Config.Handler, &v.Client, v.floor.address, "/tables/classic-1/do", url.Values{"do": {what}, "key": {what}}, kind)
}

// An act of several commands is done as a whole, also where its player leaves after the first.
// No part of the bets stays alone, and no hand is left to the clock.
func TestActsAreDoneWithoutTheirPlayer(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	ann.act("bet:1:ante", "500")
	ann.act("bet:2:ante", "500")
	ann.actAndLeave("bet", "double")
	for box, b := range f.await("classic-1", table.Betting).Boxes[:2] {
		if got := b.Bettors[0].Stakes[rules.Ante]; got != 1000 {
			t.Errorf("%s lie on box %d, want $10.00", got, box+1)
		}
	}
	ann.act("ready", "")
	f.await("classic-1", table.Deciding)
	ann.actAndLeave("raise", "raise-all")
	s, err := housetest.Table(f, "classic-1")
	if err != nil {
		t.Fatal(err)
	}
	for box, b := range s.Boxes[:2] {
		if b.Decision != table.Played {
			t.Errorf("box %d is %v", box+1, b.Decision)
		}
	}
}
