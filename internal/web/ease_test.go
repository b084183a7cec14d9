package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"trey/internal/house/housetest"
	"trey/internal/steady"
	"trey/table"
)

// thumbed presses a button of the page by a tap at its middle, which has to be in the lower half
// of the window and not under anything else.
func thumbed(selector string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		if err := chromedp.Poll(fmt.Sprintf(`document.querySelector(%q)?.getAttribute("aria-disabled") !== "true" && document.querySelector(%q) !== null`, selector, selector), nil, chromedp.WithPollingTimeout(patience)).Do(ctx); err != nil {
			return fmt.Errorf("%s is not offered: %w", selector, err)
		}
		var at struct {
			X, Y   float64
			Height float64
			Hit    bool
		}
		find := fmt.Sprintf(`(() => {
			const button = document.querySelector(%q), { x, y, width, height } = button.getBoundingClientRect();
			const middle = { X: x + width / 2, Y: y + height / 2 };
			const top = document.elementFromPoint(middle.X, middle.Y);
			return { ...middle, Height: innerHeight, Hit: top === button || button.contains(top) || Boolean(top?.closest("label")?.contains(button)) };
		})()`, selector)
		if err := chromedp.Evaluate(find, &at).Do(ctx); err != nil {
			return err
		}
		if at.Y < at.Height/2 || !at.Hit {
			return fmt.Errorf("%s is at %.0f of %.0f (to be hit: %t), where no thumb gets to", selector, at.Y, at.Height, at.Hit)
		}
		return chromedp.MouseClickXY(at.X, at.Y).Do(ctx)
	})
}

// TestRoundByThumb plays two rounds on a telephone by taps in the lower half of the window, a
// chip and both decisions among them.
func TestRoundByThumb(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(t, ctx, chromedp.EmulateViewport(390, 844))
	sit(t, ctx, f, "classic-1")
	do(
		t, ctx, thumbed("#chip-2500"), thumbed("#do-bet"), thumbed("#do-ready"), phaseOf(f, "classic-1", table.Deciding),
		thumbed(`[id="do-examine:4"]`), thumbed(`[id="do-raise:4"]`), phaseOf(f, "classic-1", table.Paid),
		thumbed("#do-deal-again"), phaseOf(f, "classic-1", table.Deciding), thumbed(`[id="do-fold:4"]`), phaseOf(f, "classic-1", table.Paid),
	)
	if s, err := housetest.Table(f, "classic-1"); err != nil || s.Round != 2 {
		t.Errorf("two rounds by thumb have led to round %d (%v)", s.Round, err)
	}
}

// pressable waits until a button of the page may be pressed: a key that comes sooner does nothing.
func pressable(id string) chromedp.Action {
	return chromedp.Poll(fmt.Sprintf(`document.getElementById(%q)?.getAttribute("aria-disabled") === "false"`, id), nil, chromedp.WithPollingTimeout(patience))
}

// TestRoundByThreeKeys plays two rounds by the space bar, which presses the gold button, a digit
// for a chip and F.
func TestRoundByThreeKeys(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	pace := unhurried
	pace.DecisionMs = 2 * patience.Milliseconds() // no clock folds instead of a key
	f := newFloor(t, pace, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	key := func(key, id string) chromedp.Action {
		return chromedp.Tasks{pressable(id), still(), keyboard(key)}
	}
	// The space bar presses what is gold: to play unseen is offered before the look, and is not.
	space := func(id string) chromedp.Action {
		return chromedp.Tasks{chromedp.WaitReady(fmt.Sprintf(`.pill.strong-button[id="%s"]`, id)), key(" ", id)}
	}
	do(
		t, ctx, keyboard("3"), space("do-bet"), space("do-ready"), space("do-examine:4"), space("do-raise:4"),
		phaseOf(f, "classic-1", table.Paid), space("do-deal-again"), key("f", "do-fold:4"), phaseOf(f, "classic-1", table.Paid),
	)
	if s, err := housetest.Table(f, "classic-1"); err != nil || s.Round != 2 {
		t.Errorf("two rounds by three keys have led to round %d (%v)", s.Round, err)
	}
}

// TestTableAtTwiceTheSize plays a round at 1280 by 720 with a zoom of 200 %, where the page has
// 640 by 360: nothing is covered and nothing scrolls.
func TestTableAtTwiceTheSize(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(t, ctx, chromedp.EmulateViewport(640, 360, chromedp.EmulateScale(2)))
	f.through(t, ctx, 0, func(phase string) {
		var found []string
		if do(t, ctx, still(), chromedp.Evaluate(covered, &found)); len(found) > 0 {
			t.Errorf("%s: %s", phase, strings.Join(found, ", "))
		}
	})
}

// feltContrasts lists the texts on a felt, or on its rail, with less contrast to a colour of
// their ground than the guidelines ask for: 4.5, and 3 for large print.
const feltContrasts = `(() => {
	const page = document.querySelector(".at-table"), style = getComputedStyle(page);
	const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
	const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
	const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const over = (top, ground, alpha) => top.slice(0, 3).map((v, i) => v * alpha + ground[i] * (1 - alpha));
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + .05) / (y + .05); };
	const found = [];
	let seen = 0;
	const measure = (selector, grounds) => {
		for (const e of document.querySelectorAll(selector)) {
			if (!e.textContent.trim() || !e.getClientRects().length || e.closest(".lit")) continue;
			seen++;
			const s = getComputedStyle(e);
			let alpha = 1;
			for (let at = e; at && at !== page; at = at.parentElement) alpha *= Number(getComputedStyle(at).opacity);
			const large = parseFloat(s.fontSize) >= 24 || parseFloat(s.fontSize) >= 18.66 && Number(s.fontWeight) >= 700;
			for (const name of grounds) {
				const ground = rgb(style.getPropertyValue(name)), is = ratio(over(rgb(s.color), ground, alpha), ground);
				if (is < (large ? 3 : 4.5)) found.push(selector + " on " + name + ": " + is.toFixed(2));
			}
		}
	};
	const felt = ["--felt-light", "--felt", "--felt-deep"], rail = ["--rail-top", "--rail-mid", "--rail-low"];
	for (const selector of [".ring-name", ".printed-pays caption", ".printed-pays th", ".printed-pays td", ".seat-rank", ".logo-rule", ".logo-line > span", ".box-number", ".plus"]) measure(selector, felt);
	for (const selector of [".awaits strong", ".awaits span:not(:empty)", ".info span"]) measure(selector, rail);
	return seen < 20 ? ["only " + seen + " texts are found"] : [...new Set(found)];
})()`

// TestFeltsHaveContrast measures all five felts in both themes.
func TestFeltsHaveContrast(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	for _, name := range []string{"classic-1", "vegas-1", "bonus-1", "pictures-1", "paris-1"} {
		ctx := guestTab(t, f)
		do(t, ctx, chromedp.EmulateViewport(1440, 900))
		sit(t, ctx, f, name)
		for _, theme := range []string{"light", "dark"} {
			var found []string
			do(
				t, ctx, cookies(f.address, "theme", theme), chromedp.Reload(), chromedp.WaitReady(".chips-rail"), still(),
				// Without the hint of a first visit, which stands in the place of the print.
				chromedp.Evaluate(`document.getElementById("hint").hidden = true`, nil), chromedp.Evaluate(feltContrasts, &found),
			)
			for _, what := range found {
				t.Errorf("%s, %s: %s", name, theme, what)
			}
		}
	}
}

// namesOf lists what a screen reader finds on the page, in its order.
func namesOf(t *testing.T, ctx context.Context) string {
	t.Helper()
	type text struct{ Value any }
	type node struct {
		NodeID     string `json:"nodeId"`
		Ignored    bool
		Role, Name text
		ChildIDs   []string `json:"childIds"`
	}
	var tree struct{ Nodes []node }
	do(t, ctx, chromedp.ActionFunc(func(ctx context.Context) error {
		var raw json.RawMessage // Chromium says more of a node than its package knows
		if err := cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &raw); err != nil {
			return err
		}
		return json.Unmarshal(raw, &tree)
	}))
	byID := map[string]*node{}
	for i := range tree.Nodes {
		byID[tree.Nodes[i].NodeID] = &tree.Nodes[i]
	}
	var all []string
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil {
			return
		}
		if !n.Ignored && n.Name.Value != nil {
			all = append(all, fmt.Sprint(n.Role.Value, " ", n.Name.Value))
		}
		for _, child := range n.ChildIDs {
			walk(byID[child])
		}
	}
	walk(&tree.Nodes[0])
	return strings.Join(all, "\n")
}

// TestScreenReaderFollowsARound compares the accessibility tree with the script of a round. Its
// order is the game, the money, the dealer's side, the pays, the boxes, the result, and last
// the possible acts. What is said at the table is heard without opening the drawer, which is
// not in the tree while it is closed.
func TestScreenReaderFollowsARound(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	do(t, ctx, chromedp.Evaluate(`window.heard = []; new MutationObserver(() => window.heard.push(document.getElementById("say").textContent)).observe(document.getElementById("say"), { childList: true, characterData: true, subtree: true }); 0`, nil))
	reads := func(when string, script ...string) {
		t.Helper()
		tree := namesOf(t, ctx)
		rest := strings.ToLower(tree) // the printed names are in capitals
		for _, words := range script {
			i := strings.Index(rest, strings.ToLower(words))
			if i < 0 {
				t.Errorf("%s, %q is not read in its place:\n%s", when, words, tree)
				return
			}
			rest = rest[i+len(words):]
		}
		if strings.Contains(tree, "Fair deal") {
			t.Errorf("%s, the closed drawer is read", when)
		}
	}
	reads("betting", "heading 3 Card Poker", "Balance", "$1,000", "Dealer", "Progressive Jackpot", "Pair Plus", "Straight flush", "40 to 1", "Box 4", "button Box 4, Ante", "radio", "button Bet $5 on Ante")
	do(t, ctx, press("do-bet"), press("do-ready"), phaseOf(f, "classic-1", table.Deciding), chromedp.WaitReady(`[id="do-examine:4"]`))
	reads("deciding", "Dealer", "a card face down", "Box 4", "Ante, You $5", "a card face down", "button Look")
	do(t, ctx, press("do-examine:4"), press("do-raise:4"), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#do-deal-again"))
	s, err := housetest.Table(f, "classic-1")
	if err != nil {
		t.Fatal(err)
	}
	script := append([]string{"Dealer"}, strings.Split(cardsOn(&s, table.DealerHand), ",")...)
	script = append(append(script, "Box 4"), strings.Split(cardsOn(&s, 4), ",")...)
	reads("settled", append(script, "Why", "button Rebet & deal $5")...)
	var heard []string
	do(t, ctx, chromedp.Evaluate("window.heard", &heard))
	rest := strings.Join(heard, " ")
	for _, words := range []string{"No more bets.", "Your hand on box 4:", "Box 4: you play with", "The dealer shows", "The round changed your balance by"} {
		i := strings.Index(rest, words)
		if i < 0 {
			t.Fatalf("a screen reader does not hear %q in its place: %q", words, heard)
		}
		rest = rest[i:]
	}
}

// TestHintsGoAwayForGood has a first visit: each hint stands until its act was done once, and no
// longer after that, on this page or the next.
func TestHintsGoAwayForGood(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	silent := chromedp.Poll(`document.getElementById("hint").hidden`, nil)
	do(
		t, ctx, shows("#hint", "Choose a chip"), press("do-bet"), chromedp.WaitReady("#do-ready"), silent,
		press("do-ready"), chromedp.WaitReady(`[id="do-examine:4"]`), shows("#hint", "Press to look"), press("do-examine:4"), chromedp.WaitReady(`.pill[id="do-raise:4"]`),
		shows("#hint", "Play to go on"), press("do-raise:4"), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#do-deal-again"), silent,
		press("do-deal-again"), chromedp.WaitReady(`[id="do-examine:4"]`), silent, chromedp.Reload(), chromedp.WaitReady(`[id="do-examine:4"]`), silent,
		press("do-examine:4"), chromedp.WaitReady(`.pill[id="do-raise:4"]`), silent,
	)
}

// TestDotsFollowTheBoxes has a telephone, where one box is in the middle: the dot of the box is
// marked, and follows when another is scrolled there. Box 7 is at the left end.
func TestDotsFollowTheBoxes(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(t, ctx, chromedp.EmulateViewport(390, 844))
	sit(t, ctx, f, "classic-1")
	marked := func(want string) chromedp.Action {
		return chromedp.Poll(`[...document.querySelectorAll(".box-dots span")].map((s) => Number(s.classList.contains("at"))).join("") === "`+want+`" && document.querySelector(".box-dots").getClientRects().length === 1`, nil)
	}
	do(t, ctx, marked("0001000"), chromedp.Evaluate(`document.querySelector(".seats").scrollLeft = 0`, nil), marked("1000000"))
}

// hintFaults lists what is wrong with the hint of a first visit and with the title beside it.
const hintFaults = `(() => {
	const found = [];
	const title = document.querySelector(".table-bar h1"), hint = document.getElementById("hint");
	if (title.scrollWidth > title.clientWidth + 1 || title.scrollHeight > title.clientHeight + 1) found.push("the title is cut");
	const read = hint.getBoundingClientRect();
	if (read.height < 20 || read.left < 0 || read.right > innerWidth || hint.scrollHeight > hint.clientHeight + 1) found.push("the hint is cut");
	for (let e = hint.parentElement; e && !e.matches(".play"); e = e.parentElement) {
		const { top, bottom } = e.getBoundingClientRect();
		if (getComputedStyle(e).overflowY !== "visible" && (read.top < top || read.bottom > bottom)) found.push("the hint is cut by " + e.className);
	}
	const meter = document.querySelector(".meter-name");
	if (meter && !meter.checkVisibility()) found.push("the sum of the jackpot has no name");
	for (const e of document.querySelectorAll(".dealer-hand :is(.card, .spot), .area, .ring-name, .meter, .printed-pays tr, .bubble, .box-dots span, .large .seat-foot > *, .clock-part > *, .rail button, .chip-choice, .awaits")) {
		const at = e.getBoundingClientRect();
		if (e.checkVisibility({ visibilityProperty: true }) && at.top < read.bottom - 1 && read.top < at.bottom - 1 && at.left < read.right && read.left < at.right) found.push("the hint covers " + (e.id || e.className));
	}
	return found;
})()`

// TestHintsAreWholeOnTelephones has a first visit at the table with the most on its felt: each
// hint is read to its end, and stands on nothing that is read or touched.
func TestHintsAreWholeOnTelephones(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	for _, window := range [][2]int64{{320, 568}, {360, 640}, {360, 780}, {390, 844}, {820, 1180}} {
		ctx := guestTab(t, f)
		do(t, ctx, chromedp.EmulateViewport(window[0], window[1]))
		sit(t, ctx, f, "classic-1")
		look := func(words string) {
			var faults []string
			do(t, ctx, shows("#hint", words), still(), chromedp.Evaluate(hintFaults, &faults))
			for _, fault := range faults {
				t.Errorf("%d by %d, %q: %s", window[0], window[1], words, fault)
			}
		}
		look("Choose a chip")
		do(t, ctx, press("do-bet"), chromedp.WaitReady("#do-ready"), press("do-ready"), chromedp.WaitReady(`.pill[id^="do-examine:"]`))
		look("Press to look")
		do(t, ctx, chromedp.Click(`.pill[id^="do-examine:"]`), chromedp.WaitReady(`.pill[id^="do-raise:"]`))
		look("Play to go on")
		do(t, ctx, chromedp.Click(`.pill[id^="do-raise:"]`), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#do-ready"), press("do-ready"), phaseOf(f, "classic-1", table.Betting))
		f.awaitBets("classic-1")
	}
}

// TestDrawerLeavesRoomToRead has a telephone that lies on its side: where one goes in the drawer
// is a line above what is read, and its last place can be reached.
func TestDrawerLeavesRoomToRead(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(t, ctx, chromedp.EmulateViewport(568, 320))
	sit(t, ctx, f, "classic-1")
	var part float64
	var closes bool
	do(
		t, ctx, chromedp.Click("#menu"), still(),
		chromedp.Evaluate(`document.querySelector(".drawer-head").offsetHeight / document.getElementById("drawer").offsetHeight`, &part),
		chromedp.Evaluate(`(() => {
			const close = document.querySelector(".drawer-close"), { left, top, width, height } = close.getBoundingClientRect();
			return document.elementFromPoint(left + width / 2, top + height / 2) === close;
		})()`, &closes),
		chromedp.Click(`#drawer a[href="#sound-title"]`), chromedp.Click("#drawer [data-sound]"),
	)
	if part > .25 {
		t.Errorf("the head of the drawer takes %.2f of its height", part)
	}
	if !closes {
		t.Error("something lies over what closes the drawer")
	}
}

// TestBarFitsBeforeAnybodySitsDown has visitors who look on, by telephone: they see the name of
// the game, and reach everything in the bar.
func TestBarFitsBeforeAnybodySitsDown(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "bonus-1")
	for _, window := range [][2]int64{{320, 568}, {390, 844}, {568, 320}} {
		ctx := guestTab(t, f)
		var faults []string
		do(
			t, ctx, chromedp.EmulateViewport(window[0], window[1]), chromedp.Navigate(f.address+"/tables/bonus-1"), still(),
			chromedp.Evaluate(`[...document.querySelectorAll(".table-bar > :is(h1, a, button), .table-bar summary, .sit button, .pill")].filter((e) => {
				const { left, right, width } = e.getBoundingClientRect();
				return e.checkVisibility() && (left < 0 || right > innerWidth || width < 30 || e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
			}).map((e) => e.id || e.className || e.localName)`, &faults),
		)
		if len(faults) > 0 {
			t.Errorf("%d by %d: cut or out of the window: %s", window[0], window[1], strings.Join(faults, ", "))
		}
	}
}

// TestTelephoneShowsTitleHintAndSound holds that the longest name of a game is not cut on the
// smallest telephone. A hint of the first visit can be read there and covers nothing that is
// tapped. The sound can be switched, in the drawer and in the bar of a tablet.
func TestTelephoneShowsTitleHintAndSound(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "pictures-1")
	ctx := guestTab(t, f)
	do(t, ctx, chromedp.EmulateViewport(360, 640))
	sit(t, ctx, f, "pictures-1")
	do(t, ctx, chromedp.WaitVisible("#hint"))
	var faults []string
	do(t, ctx, still(), chromedp.Evaluate(hintFaults, &faults))
	for _, fault := range faults {
		t.Error(fault)
	}
	var without []string
	do(
		t, ctx, chromedp.EmulateViewport(390, 844), still(),
		chromedp.Evaluate(`[...document.querySelectorAll(".printed-pays")].filter((e) => !e.checkVisibility()).map((e) => e.caption.textContent.trim())`, &without),
		chromedp.EmulateViewport(360, 640),
	)
	if len(without) > 0 {
		t.Errorf("on a telephone that has room for them, the pays are not printed of %q", without)
	}
	var on string
	do(
		t, ctx, chromedp.Click("#menu"), chromedp.Click(`#drawer a[href="#sound-title"]`), chromedp.Click("#drawer [data-sound]"),
		chromedp.Evaluate(`localStorage.getItem("trey-sound") ?? ""`, &on),
		chromedp.EmulateViewport(820, 1180), chromedp.WaitVisible(".bar-sound"),
	)
	if on != "on" {
		t.Errorf("once its switch was touched, the sound is %q", on)
	}
}
