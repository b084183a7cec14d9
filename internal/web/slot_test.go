package web_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/rank/threecard"
	"trey/table"
)

// slotAt returns the place of the one slot of a table's page.
const slotAt = `(() => {
	const { x, y, width, height } = document.querySelector(".act-slot").getBoundingClientRect();
	return [x, y, width, height].map(Math.round).join();
})()`

// shifts adds up what the browser counts as moved without the reader having done anything.
const shifts = `new PerformanceObserver((list) => {
	for (const e of list.getEntries()) {
		window.shifted = (window.shifted ?? 0) + e.value;
		for (const s of e.sources) (window.shiftedBy ??= []).push((s.node?.id || s.node?.className || s.node?.nodeName) + " " + [s.previousRect, s.currentRect].map((r) => [r.x, r.y, r.width, r.height].map(Math.round).join()).join(" to "));
	}
}).observe({ type: "layout-shift", buffered: true })`

// countShown counts the results that begin to be shown.
const countShown = `window.shownResults = 0;
	new MutationObserver((all) => all.forEach((one) => window.shownResults += one.target.hasAttribute("data-showing")))
		.observe(document.querySelector(".at-table"), { attributes: true, attributeFilter: ["data-showing"] })`

// TestSlotNeverMoves plays two rounds by the one slot alone: a bet, the deal, a look, the Play
// bet, and the next round. That one begins at once, although the last one would be shown for
// ten minutes. The slot keeps its place and size in every phase, and nothing else moves either.
func TestSlotNeverMoves(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	for _, window := range [][2]int64{{390, 844}, {1440, 900}} {
		t.Run(fmt.Sprintf("%dx%d", window[0], window[1]), func(t *testing.T) {
			f := newFloor(t, unhurried, nil, "classic-1")
			ctx := guestTab(t, f)
			heard := listen(ctx, f.address)
			do(t, ctx, chromedp.EmulateViewport(window[0], window[1]), inMotion(false), chromedp.ActionFunc(func(ctx context.Context) error {
				_, err := cdpage.AddScriptToEvaluateOnNewDocument(shifts).Do(ctx)
				return err
			}))
			sit(t, ctx, f, "classic-1")
			var first, now string
			// From here on: a browser may paint a page of which it has read a part.
			do(t, ctx, still(), inMotion(false), chromedp.Evaluate("window.shifted = 0; window.shiftedBy = []", nil), chromedp.Evaluate(slotAt, &first), chromedp.Evaluate(countShown, nil))
			stands := func(when string) {
				t.Helper()
				if do(t, ctx, chromedp.Evaluate(slotAt, &now)); now != first {
					t.Errorf("%s the slot is at %s, and was at %s", when, now, first)
				}
				var twice string
				if do(t, ctx, chromedp.Evaluate(keysTwice, &twice)); twice != "" {
					t.Errorf("%s one key is named for several buttons: %s", when, twice)
				}
			}
			do(t, ctx, press("do-bet"), shows("#do-ready", "Deal $5"))
			stands("with a bet")
			do(t, ctx, press("do-ready"), phaseOf(f, "classic-1", table.Deciding), shows(".act-slot", "Look"))
			stands("with cards")
			do(t, ctx, press("do-examine:4"), shows(".act-slot", "Play $5"))
			stands("after the look")
			do(t, ctx, press("do-raise:4"), phaseOf(f, "classic-1", table.Paid), shows("#do-deal-again", "Rebet & deal $5"))
			stands("at the end")
			// A press anywhere goes on to the end of what is on its way, once it is: the page lays it out
			// first. Until then the gold button would do that and nothing else.
			do(
				t, ctx, chromedp.Poll("window.shownResults > 0", nil), chromedp.Evaluate(`document.querySelector(".felt-shape").click()`, nil),
				chromedp.Poll(`!document.querySelector(".at-table").hasAttribute("data-showing")`, nil),
			)
			var shifted float64
			do(t, ctx, still(), chromedp.Evaluate("window.shifted ?? 0", &shifted))
			if shifted > 0.02 {
				var by []string
				do(t, ctx, chromedp.Evaluate("window.shiftedBy", &by))
				t.Errorf("in the course of a round the layout has shifted by %.3f: %s", shifted, strings.Join(by, "; "))
			}
			var result string
			do(
				t, ctx, chromedp.Text("#result .strip-net", &result),
				press("do-deal-again"), phaseOf(f, "classic-1", table.Deciding), shows(".act-slot", "Look"),
			)
			stands("in the next round")
			if result == "" {
				t.Error("at the end of a round the strip names no result")
			}
			// The result of the first round stands until the second one ends, and so does why it
			// was so, with the clauses, the replay and the check.
			var why string
			do(
				t, ctx, shows("#result .strip-net", result), chromedp.Evaluate(`document.querySelector('[data-open="lines-title"]').click()`, nil),
				chromedp.Text("#lines", &why), chromedp.WaitVisible(`#lines a[href="/tables/classic-1/rounds/1"]`), chromedp.WaitVisible(`#lines a[href^="/check?"]`),
				chromedp.WaitVisible(`#lines a[href^="/rules/"]`), keyboard(kb.Escape),
			)
			if !strings.Contains(why, "Round 1") || !strings.Contains(why, result) {
				t.Errorf("while the second round is played, how the first one ended reads %q", why)
			}
			s, err := housetest.Table(f, "classic-1")
			if err != nil {
				t.Fatal(err)
			}
			if s.Round != 2 || s.OnLayout() != 5*money.Major {
				t.Errorf("round %d has %s on the layout, want round 2 and $5", s.Round, s.OnLayout())
			}
			for _, complaint := range heard() {
				t.Error(complaint)
			}
		})
	}
}

// TestLinesFitTheDrawer has a hand paid on each of its wagers, with the longest words of a
// result, and opens the lines of the round. With their clauses they are no wider than the
// drawer.
func TestLinesFitTheDrawer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	pays := func(deck []card.Card) bool {
		return threecard.OfCards(deck[0], deck[1], deck[2]).Category() == threecard.StraightFlush
	}
	f := newFloor(t, unhurried, seedWhere(t, "classic-1", pays), "classic-1")
	ctx := guestTab(t, f)
	sitInMotion(t, ctx, f, true)
	do(
		t, ctx, press("do-bet"), press("a-4-pair-plus"), press("a-4-progressive"), chromedp.WaitReady(".has > #a-4-progressive"),
		press("do-ready"), press("do-examine:4"), press("do-raise:4"), phaseOf(f, "classic-1", table.Paid), shows("#lines", "Straight flush"),
	)
	for _, window := range [][2]int64{{360, 640}, {390, 844}, {1024, 768}, {1440, 900}} {
		var rows, wide, room int
		do(
			t, ctx, chromedp.EmulateViewport(window[0], window[1]), chromedp.Evaluate(`document.querySelectorAll("#lines tbody tr").length`, &rows),
			chromedp.Evaluate(`document.querySelector("#lines table").offsetWidth`, &wide), chromedp.Evaluate(`document.getElementById("lines").clientWidth`, &room),
		)
		if rows != 5 || room < 250 || wide > room {
			t.Errorf("at %dx%d the %d lines of a hand paid on all its wagers take %d of %d px", window[0], window[1], rows, wide, room)
		}
	}
}

// underTheDrawer names the buttons of what is done that something else lies over.
const underTheDrawer = `[...document.querySelectorAll(".rail :is(button, label)")].filter((b) => {
	const { x, y, width, height } = b.getBoundingClientRect();
	const top = document.elementFromPoint(x + width / 2, y + height / 2);
	return width > 0 && !b.contains(top) && !top?.closest(".rail");
}).map((b) => b.id || b.innerText || b.className).join()`

// TestTheDrawerLeavesTheActsFree opens the drawer at wide windows of each layout, while a bet
// can be placed and while a hand is to be decided. It lies over felt, and everything can be
// done beside it.
func TestTheDrawerLeavesTheActsFree(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(t, ctx, inMotion(true))
	sit(t, ctx, f, "classic-1")
	look := func(when string) {
		t.Helper()
		for _, window := range [][2]int64{{1920, 1080}, {1440, 900}, {1280, 720}, {1024, 768}, {1366, 640}, {844, 390}, {640, 360}} {
			var over string
			var open bool
			do(
				t, ctx, chromedp.EmulateViewport(window[0], window[1]), chromedp.Evaluate(`document.getElementById("menu").click()`, nil), chromedp.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil, await),
				chromedp.Evaluate(`document.querySelector(".drawer.open").getBoundingClientRect().width > 300`, &open),
				chromedp.Evaluate(underTheDrawer, &over), chromedp.Evaluate(`document.getElementById("menu").click()`, nil),
			)
			if !open || over != "" {
				t.Errorf("%s at %dx%d the drawer is open (%t) and lies over %s", when, window[0], window[1], open, over)
			}
		}
	}
	look("before a bet")
	do(t, ctx, press("do-bet"), shows("#do-ready", "Deal $5"), press("do-ready"), phaseOf(f, "classic-1", table.Deciding), shows(".act-slot", "Look"))
	look("with cards")
	do(t, ctx, press("do-examine:4"), shows(".act-slot", "Play $5"))
	look("after the look")
}

// TestNextRoundWaitsForOthers has two players in a round of whom one asks for the next: it
// does not begin until the other one does so too.
func TestNextRoundWaitsForOthers(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann, ben := f.visitor(), f.visitor()
	for i, v := range []*visitor{ann, ben} {
		v.post("/tables/classic-1/sit", nil)
		v.act(fmt.Sprintf("bet:%d:ante", i+1), "500")
	}
	ann.act("ready", "")
	ben.act("ready", "")
	await := func(want table.Phase) {
		t.Helper()
		if err := phaseOf(f, "classic-1", want).Do(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	await(table.Deciding)
	ann.act("fold-all", "")
	ben.act("raise-all", "")
	await(table.Paid)
	ann.act("ready", "")
	if s, err := housetest.Table(f, "classic-1"); err != nil || s.Phase != table.Paid || s.Round != 1 {
		t.Fatalf("one of two is ready, and the table stands at %s of round %d (%v)", s.Phase, s.Round, err)
	}
	ben.act("deal-again", "")
	await(table.Deciding)
	s, err := housetest.Table(f, "classic-1")
	if err != nil || s.Round != 2 || s.OnLayout() != 5*money.Major {
		t.Errorf("round %d has %s on the layout, want round 2 and the $5 of the one who bet again (%v)", s.Round, s.OnLayout(), err)
	}
	// Who had no part in it reads the lines of the second round as those of the second round.
	ben.act("raise-all", "")
	await(table.Paid)
	ann.received.Reset()
	ann.get("/tables/classic-1")
	lines := regexp.MustCompile(`(?s) id="lines".*?class="round-links">.*?</p>`).FindString(ann.received.String())
	if !strings.Contains(lines, "Round 2") || !strings.Contains(lines, `"/tables/classic-1/rounds/2"`) || strings.Contains(lines, "/check?") {
		t.Errorf("the lines of round 2 begin with %q", lines)
	}
}

// TestThePageHasWhatItsReaderDid lays a bet and takes it away again and again without scripts:
// the page that is fetched after each shows it.
func TestThePageHasWhatItsReaderDid(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	late := 0
	for i := range 200 {
		do, want := "bet:1:ante", true
		if i%2 == 1 {
			do, want = "clear", false
		}
		ann.act(do, "500")
		ann.received.Reset()
		ann.get("/tables/classic-1")
		if strings.Contains(ann.received.String(), "Box 1, Ante, You $5") != want {
			late++
		}
	}
	if late > 0 {
		t.Errorf("%d of 200 pages do not show what their reader did before", late)
	}
}

// TestNewPlayMoney has guests who lost everything. Where the house plays for play money the one
// slot offers another $1,000, once; where it plays for real money it offers nothing, and refuses.
func TestNewPlayMoney(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	for _, real := range []bool{false, true} {
		t.Run(fmt.Sprintf("real money %t", real), func(t *testing.T) {
			f := newFloor(t, unhurried, nil, "classic-1")
			if real {
				f.kill()
				f.realMoney = true
				f.open(strings.TrimPrefix(f.address, "http://"))
			}
			ctx := guestTab(t, f)
			sit(t, ctx, f, "classic-1")
			var name string
			for account, held := range f.Book() {
				if account.Kind == ledger.Player && held == 1000*money.Major {
					name = account.Of
				}
			}
			purse := ledger.Account{Kind: ledger.Player, Of: name}
			// Everything but $4.99: the least bet here is $5.
			lost := posting.Transfer{Reason: ledger.CashOut, Player: name, Amount: 1000*money.Major - 499}
			if _, err := f.CageTransfer(t.Context(), "", house.Lobby, lost); err != nil {
				t.Fatal(err)
			}
			if real {
				do(t, ctx, shows("#purse .balance", "$4.99"), chromedp.WaitReady("#do-bet"))
				var answer string
				do(t, ctx, chromedp.Evaluate(`fetch("/tables/classic-1/do", {method: "POST", headers: {"Trey-Fragment": "1"}, body: new URLSearchParams({do: "renew"})}).then((a) => a.text())`, &answer, await))
				if !strings.Contains(answer, "This house gives no money away") || f.Balance(purse) != 499 {
					t.Errorf("with real money the house answers %q, and the player has %s", answer, f.Balance(purse))
				}
				return
			}
			do(t, ctx, shows("#do-renew", "New $1,000"), press("do-renew"), shows("#purse .balance", "$1,004.99"), chromedp.WaitReady("#do-bet"))
			var answer string
			do(t, ctx, chromedp.Evaluate(`fetch("/tables/classic-1/do", {method: "POST", headers: {"Trey-Fragment": "1"}, body: new URLSearchParams({do: "renew"})}).then((a) => a.text())`, &answer, await))
			if !strings.Contains(answer, "You still have enough for a bet") || f.Balance(purse) != 1000*money.Major+499 {
				t.Errorf("asked a second time the house answers %q, and the player has %s", answer, f.Balance(purse))
			}
			// What lies on the layout may yet win: all of it on the table is no empty purse.
			do(t, ctx, press("do-bet"), shows("#do-ready", "Deal $5"))
			rest := posting.Transfer{Reason: ledger.CashOut, Player: name, Amount: f.Balance(purse)}
			if _, err := f.CageTransfer(t.Context(), "", house.Lobby, rest); err != nil {
				t.Fatal(err)
			}
			do(t, ctx, chromedp.Evaluate(`fetch("/tables/classic-1/do", {method: "POST", headers: {"Trey-Fragment": "1"}, body: new URLSearchParams({do: "renew"})}).then((a) => a.text())`, &answer, await))
			if !strings.Contains(answer, "bets in play") || f.Balance(purse) != 0 {
				t.Errorf("with a bet on the layout the house answers %q, and the player has %s", answer, f.Balance(purse))
			}
		})
	}
}

// TestFeltIsOfTheBook compares the colours of the felts: each game has its own.
func TestFeltIsOfTheBook(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	seen := map[string]string{}
	for _, g := range games {
		var felt string
		var pays int
		do(
			t, ctx, chromedp.Navigate(f.address+"/tables/"+g.name), chromedp.WaitReady("#pays tr"),
			chromedp.Evaluate(`getComputedStyle(document.querySelector(".felt-shape")).backgroundImage`, &felt),
			chromedp.Evaluate(`document.querySelectorAll("#pays tbody tr").length`, &pays),
		)
		if other, ok := seen[felt]; ok {
			t.Errorf("%s has the felt of %s", g.name, other)
		}
		if seen[felt] = g.name; pays < 3 {
			t.Errorf("on the felt of %s %d pays are printed", g.name, pays)
		}
	}
}

// keysTwice evaluates to the keys that are named for more than one button that can be pressed.
const keysTwice = `(() => {
	const keys = [...document.querySelectorAll('button[aria-keyshortcuts]:not([aria-disabled="true"])')].map((b) => b.getAttribute("aria-keyshortcuts"));
	return keys.filter((key, i) => keys.indexOf(key) !== i).join(" ");
})()`
