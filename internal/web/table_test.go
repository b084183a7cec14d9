package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// ownSeeds has a page take its player's seeds by number, so that a test is dealt the same cards
// each time. A seed has 16 bytes; the keys of commands, which have 12, stay random.
const ownSeeds = `{
	const random = crypto.getRandomValues.bind(crypto);
	let seeds = 0;
	crypto.getRandomValues = (bytes) => bytes.length === 16 ? bytes.fill(++seeds) : random(bytes);
}`

// guestTab returns a tab of its own, with no cookies of others, on a floor.
func guestTab(t *testing.T, f *floor) context.Context {
	t.Helper()
	ctx := ownTab(t)
	// What moves on its way has its own tests (motion_test.go): the others see what has arrived.
	do(t, ctx, atStart(ownSeeds), chromedp.EmulateViewport(1280, 900), inMotion(true), cookies(f.address, "lang", "en", "theme", "light", "deck", "two"))
	return ctx
}

// sit takes a seat at a table as the button in the lobby does. It spares the browser the lobby: a
// picture is enough of a page to ask from.
func sit(t *testing.T, ctx context.Context, f *floor, name string) {
	t.Helper()
	do(
		t, ctx, chromedp.Navigate(f.address+"/favicon.ico"),
		chromedp.Evaluate(`fetch("/tables/`+name+`/sit", {method: "POST"}).then((answer) => { if (!answer.ok) throw Error(answer.status); })`, nil, await),
		chromedp.Navigate(f.address+"/tables/"+name),
		chromedp.WaitVisible("#purse .balance"),
		chromedp.Poll(`document.querySelector("[data-live]").textContent === "" && document.querySelector(".chips-rail")`, nil),
	)
}

// A page at which nothing happens changes nothing. Each text that is set, even the same again,
// has the whole page laid out and drawn anew, four times a second by the page's clock.
func TestAnIdlePageChangesNothing(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	var changes []string
	do(
		t, ctx, chromedp.WaitVisible("#log-check[data-result]"), still(),
		chromedp.Evaluate(`window.changes = []; new MutationObserver((all) => {
			for (const { type, target } of all) {
				window.changes.push(type + " of " + (target.outerHTML ?? target.parentNode?.outerHTML));
			}
		}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); 0`, nil),
		chromedp.Sleep(700*time.Millisecond), chromedp.Evaluate("window.changes", &changes),
	)
	if len(changes) > 0 {
		t.Errorf("a page at which nothing happens changes %d times: %v", len(changes), changes)
	}
}

// press waits until a button may be pressed, and presses it.
func press(id string) chromedp.Action {
	once := fmt.Sprintf(`(() => {
		const button = document.getElementById(%q);
		if (button?.getAttribute("aria-disabled") !== "false") return false;
		button.click();
		return true;
	})()`, id)
	return chromedp.ActionFunc(func(ctx context.Context) error {
		if err := chromedp.Poll(once, nil, chromedp.WithPollingTimeout(patience)).Do(ctx); err != nil {
			var visible string
			_ = chromedp.Evaluate(`document.getElementById("refusal").innerText + " | " + document.querySelector(".rail").innerText`, &visible).Do(ctx)
			return fmt.Errorf("%s cannot be pressed (%w): %s", id, err, visible)
		}
		return nil
	})
}

func phaseOf(f *floor, name string, want table.Phase) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			s, err := housetest.Table(f, name)
			if err != nil || s.Phase == want {
				return err
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s stands at %s, not at %s: %w", name, s.Phase, want, ctx.Err())
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
}

// games are the automatic tables of the demonstration, one of each book. Each has the first bet
// and the others beside it, and says whether there is a decision and whether a player may have
// a second box. It also says whether the tests play that one blind or fold it unseen.
var games = []struct {
	name, wager, extra     string
	decides, second, blind bool
}{
	{"classic-1", "ante", "pair-plus", true, true, false},
	{"vegas-1", "ante", "pair-plus", true, false, false},
	{"bonus-1", "ante", "bonus", true, true, true},
	{"pictures-1", "main", "tie", false, true, false},
	{"paris-1", "ante", "bonus", true, false, false},
}

// The gold button is the expected next act: to look at a hand that was not looked at, and
// to play one that was. A chip below the least bet is raised to it, and the page says so.
func TestTheNextActIsGold(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	gold := func() (label string) {
		do(t, ctx, chromedp.Evaluate(`[...document.querySelectorAll("#bar .strong-button")].map((b) => b.textContent.trim()).join("|")`, &label))
		return label
	}
	var chips, notice, blind string
	do(
		t, ctx, chromedp.Evaluate(`[...document.querySelectorAll("#bar [name=chip]")].map((c) => c.value).join()`, &chips),
		chromedp.Click("#chip-100", chromedp.ByQuery), press("a-3-ante"), chromedp.WaitReady(".has > #a-3-ante"),
		chromedp.WaitVisible("#refusal .note"), chromedp.Text("#refusal .note", &notice),
		press("do-ready"), phaseOf(f, "classic-1", table.Deciding), chromedp.WaitReady(`[id="do-examine:3"]`),
	)
	if chips != "100,500,2500,10000,back" {
		t.Errorf("the chips are %s", chips)
	}
	if !strings.Contains(notice, "Raised to $") {
		t.Errorf("a chip of $1 was laid as more, and the page says %q", notice)
	}
	if label := gold(); !strings.HasPrefix(label, "Look") || strings.Contains(label, "|") {
		t.Errorf("before the player looks, %q is gold", label)
	}
	do(t, ctx, chromedp.Text(`[id="do-raise:3"]`, &blind), press("do-examine:3"), chromedp.WaitReady("#box-3 .dealt.shown"))
	if !strings.HasPrefix(blind, "Play blind $") {
		t.Errorf("to play an unseen hand is called %q", blind)
	}
	do(t, ctx, chromedp.Poll(`document.querySelector("#bar .strong-button")?.id === "do-raise:3"`, nil))
	if label := gold(); !strings.HasPrefix(label, "Play $") || strings.Contains(label, "|") {
		t.Errorf("after the player has looked, %q is gold", label)
	}
	// At the house of the United States chips of $2 to $4 are permitted, and none is offered.
	sit(t, ctx, f, "vegas-1")
	do(t, ctx, chromedp.Evaluate(`[...document.querySelectorAll("#bar [name=chip]")].map((c) => c.value).join()`, &chips))
	if chips != "100,500,back" {
		t.Errorf("the chips of vegas-1 are %s", chips)
	}
	var spoken string
	do(t, ctx, chromedp.AttributeValue("#a-3-ante", "aria-label", &spoken, nil))
	if strings.Contains(spoken, "0.01") {
		t.Errorf("an area is called %q", spoken)
	}
}

// Before a bet that leaves too little to play all hands a player is asked, and is told as
// long as it is so.
func TestUncoveredBetsAreAskedTwice(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	do(t, ctx, chromedp.Click("#chip-10000", chromedp.ByQuery))
	// Five Antes of $100 of $1,000 leave what it costs to play the five hands.
	for box := 1; box <= 5; box++ {
		do(t, ctx, press(fmt.Sprintf("a-%d-ante", box)), chromedp.WaitReady(fmt.Sprintf(".has > #a-%d-ante", box)))
	}
	text := func(of string) (text string) {
		do(t, ctx, chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q).innerText`, of), &text))
		return text
	}
	if said := text("#cover"); said != "" {
		t.Errorf("all hands can be played, and the page says %q", said)
	}
	const words = "To play all your hands you need $600, and you have $400 left."
	do(t, ctx, press("a-6-ante"), chromedp.WaitVisible("#do-sure"))
	if said := text("#refusal"); !strings.Contains(said, words) {
		t.Errorf("before the sixth bet the page says %q", said)
	}
	if s, err := housetest.Table(f, "classic-1"); err != nil || len(s.Boxes[5].Bettors) != 0 {
		t.Fatalf("the sixth bet was laid before the player was asked: %v", err)
	}
	// It is the bet of the question that is laid, whichever chip is chosen by then.
	do(t, ctx, chromedp.Click("#chip-100", chromedp.ByQuery), press("do-sure"), chromedp.WaitReady(".has > #a-6-ante"), chromedp.Poll(`document.querySelector("#cover").innerText.includes("$600")`, nil))
	if said := text("#cover"); !strings.Contains(said, words) {
		t.Errorf("after the sixth bet the page says %q", said)
	}
	// What is taken back is covered again.
	do(t, ctx, press("do-undo"), chromedp.WaitNotPresent(".has > #a-6-ante"), chromedp.Poll(`document.querySelector("#cover").innerText === ""`, nil))
}

// A guest plays a round of each game to its end: examined hands and blind ones, and plays and
// gives up both. The page shows the money that the house holds for the guest.
func TestGuestPlaysEveryGame(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	for i, g := range games {
		if !steady.Turn(i+1, 3) { // by default where a hand is played blind and one is given up
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			ctx := guestTab(t, f)
			heard := listen(ctx, f.address)
			sit(t, ctx, f, g.name)
			do(t, ctx, press("a-3-"+g.wager), press("a-3-"+g.extra))
			if g.second {
				do(t, ctx, press("a-4-"+g.wager), chromedp.WaitReady(".has > #a-4-"+g.wager))
			}
			do(
				t, ctx,
				press("do-double"), press("do-undo"),
				press("do-ready"), phaseOf(f, g.name, table.Deciding),
				press("do-examine:3"), chromedp.WaitReady("#box-3 .dealt.shown"),
			)
			switch {
			case !g.decides:
				do(t, ctx, press("do-lay-up:3"))
			case g.blind:
				do(t, ctx, press("do-fold:3"), press("do-raise:4"))
			case g.second:
				do(t, ctx, press("do-raise:3"), press("do-fold:4"))
			default:
				do(t, ctx, press("do-fold:3"))
			}
			var balance, net, name, unknown string
			do(
				t, ctx, phaseOf(f, g.name, table.Paid),
				chromedp.WaitReady("#lines .total strong"), chromedp.WaitReady("#rounds tbody tr"),
				chromedp.Poll(`document.querySelector("#lines tbody tr a").getAttribute("href").startsWith("/rules/")`, nil),
				chromedp.AttributeValue("[data-balance]", "data-balance", &balance, nil),
				chromedp.Text("#lines .total strong", &net),
				chromedp.Evaluate(`[...document.querySelectorAll("#box-4 .card")].map(c => c.getAttribute("aria-label")).join()`, &unknown),
			)
			s, err := housetest.Table(f, g.name)
			if err != nil {
				t.Fatal(err)
			}
			var staked, returned money.Amount
			for _, l := range s.Lines {
				name = l.Player
				staked += l.Stake
				returned += l.Returned
			}
			held := f.Balance(ledger.Account{Kind: ledger.Player, Of: name})
			if balance != fmt.Sprint(int64(held)) || held != 1000*money.Major+returned-staked {
				t.Errorf("%s is shown, the house holds %s, and %s of %s came back", balance, held, returned, staked)
			}
			changed := "Even"
			if returned != staked {
				changed = lang.Printer{Language: lang.English}.Change(returned - staked)
			}
			if net != changed {
				t.Errorf("the round is told to have changed %s, not %s", net, changed)
			}
			want := "a card face down,a card face down,a card face down"
			if g.blind {
				want = cardsOn(&s, 4)
			}
			if g.decides && g.second && unknown != want {
				t.Errorf("the hand that nobody looked at is shown as %s, not as %s", unknown, want)
			}
			for _, complaint := range heard() {
				t.Error(complaint)
			}
		})
	}
}

// cardsOn names the cards of a box, as somebody hears of them who cannot see them.
func cardsOn(s *table.State, box table.Place) string {
	var names []string
	for _, slot := range s.Slots {
		if slot.Place == box {
			names = append(names, strings.ToLower(slot.Card.Rank().Name()+" of "+slot.Card.Suit().Name()))
		}
	}
	return strings.Join(names, ",")
}

// All players are shown a jackpot that one wins, and those who have the bet as well get their
// Envy Bonus.
func TestJackpotIsWonBeforeTwoBrowsers(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	spades := func(r card.Rank) card.Card { return card.New(r, card.Spades) }
	f := newFloor(t, unhurried, seedFor(t, "classic-1", spades(card.Ace), spades(card.King), spades(card.Queen)), "classic-1")
	ann, ben := guestTab(t, f), guestTab(t, f)
	for i, ctx := range []context.Context{ann, ben} {
		// A seed of the browser would make it another deck.
		do(t, ctx, chromedp.Navigate(f.address+"/rules"), chromedp.Evaluate(`localStorage.setItem("trey-seed-off", "1")`, nil))
		sit(t, ctx, f, "classic-1")
		box := fmt.Sprint(i + 1)
		do(t, ctx, press("a-"+box+"-ante"), press("a-"+box+"-progressive"), chromedp.WaitReady(".has > #a-"+box+"-progressive"))
	}
	do(t, ann, press("do-ready"))
	do(t, ben, press("do-ready"), phaseOf(f, "classic-1", table.Deciding))
	do(t, ann, press("do-examine:1"), chromedp.Poll(`document.querySelector("#box-1 .seat-rank")?.innerText.includes("Straight flush A-K-Q")`, nil), press("do-raise:1"))
	do(t, ben, press("do-raise:2"))
	for i, ctx := range []context.Context{ann, ben} {
		var visible string
		do(t, ctx, chromedp.WaitReady("#wins .win-banner.envy"), chromedp.Text("#wins", &visible))
		// Two bets of $5 have put 40 % of each on a meter of $10,000.
		winner, envious := "You", "Guest"
		if i == 1 {
			winner, envious = "Guest", "You"
		}
		for _, want := range []string{"Jackpot! " + winner, "AKQ of spades, $10,004", "Envy Bonus: " + envious, "$250"} {
			if !strings.Contains(visible, want) {
				t.Errorf("browser %d shows %q, without %q", i+1, visible, want)
			}
		}
	}
}

// A page finds its way back when the house was killed in the middle of a round, and
// the round goes on.
func TestPageComesBackInTheMiddleOfARound(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	do(
		t, ctx, press("a-2-ante"), chromedp.WaitReady(".has > #a-2-ante"), press("do-ready"),
		phaseOf(f, "classic-1", table.Deciding), press("do-examine:2"), chromedp.WaitReady("#box-2 .dealt.shown"),
	)
	var before, after string
	cards := `[...document.querySelectorAll("#box-2 .card")].map(c => c.getAttribute("aria-label")).join()`
	do(t, ctx, chromedp.Evaluate(cards, &before))
	f.kill()
	do(t, ctx, chromedp.Poll(`document.querySelector("[data-live]").textContent !== ""`, nil))
	f.open(strings.TrimPrefix(f.address, "http://"))
	do(
		t, ctx, chromedp.Poll(`document.querySelector("[data-live]").textContent === ""`, nil), chromedp.Evaluate(cards, &after),
		press("do-raise:2"), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#lines .total strong"),
	)
	if after != before || strings.Contains(before, "face down") {
		t.Errorf("the hand was %s and is %s", before, after)
	}
}

// keyTo moves the focus to an element by the keyboard.
func keyTo(id string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for range 90 {
			if err := keyboard(kb.Tab).Do(ctx); err != nil {
				return err
			}
			var focused string
			if err := chromedp.Evaluate(`document.activeElement.id`, &focused).Do(ctx); err != nil || focused == id {
				return err
			}
		}
		return fmt.Errorf("the keyboard does not get to %s", id)
	})
}

// keyed presses a button by the keyboard alone, as soon as it may be pressed.
func keyed(id string) chromedp.Action { return keyedBy(kb.Enter, id) }

// keyedBy presses a button by a key.
func keyedBy(key, id string) chromedp.Action {
	return chromedp.Tasks{
		chromedp.Poll(`document.getElementById("`+id+`")?.getAttribute("aria-disabled") === "false"`, nil),
		keyTo(id), keyboard(key),
	}
}

// The keyboard alone plays a round of each game, and the focus stays where it was.
func TestRoundByKeyboard(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil)
	for _, g := range games {
		t.Run(g.name, func(t *testing.T) {
			ctx := guestTab(t, f)
			sit(t, ctx, f, g.name)
			stays := func(id string) chromedp.Action {
				return chromedp.ActionFunc(func(ctx context.Context) error {
					var focused string
					err := chromedp.Evaluate(`document.activeElement.id`, &focused).Do(ctx)
					if focused != id {
						t.Errorf("the focus has gone from %s to %q", id, focused)
					}
					return err
				})
			}
			area := "a-1-" + g.wager
			do(
				t, ctx, keyed(area), chromedp.WaitReady(".has > #"+area), stays(area),
				keyed("do-ready"), phaseOf(f, g.name, table.Deciding),
				keyed("do-examine:1"), chromedp.WaitReady("#box-1 .dealt.shown"))
			want := []string{"Place your bets, please.", "No more bets.", "Your hand on box 1:"}
			if g.decides {
				do(t, ctx, keyedBy(" ", "do-raise:1"))
				want = append(want, "Box 1: you play with")
			} else {
				do(t, ctx, keyed("do-lay-up:1"))
			}
			want = append(want, "The dealer shows", "The round changed your balance by")
			var heard string
			do(t, ctx, phaseOf(f, g.name, table.Paid), chromedp.WaitReady("#lines .total strong"), chromedp.Text("#told", &heard))
			at := 0
			for _, words := range want {
				i := strings.Index(heard[at:], words)
				if i < 0 {
					t.Errorf("a screen reader does not hear %q in its place: %q", words, heard)
					continue
				}
				at += i
			}
		})
	}
}

// A player can play by keys alone: a chip, the bets of the last round again, twice as much, and
// the decision; unless the keys are switched off.
func TestRoundByShortcuts(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	pace := unhurried
	pace.ShowMs = 1
	f := newFloor(t, pace, nil, "classic-1")
	ctx := guestTab(t, f)
	sit(t, ctx, f, "classic-1")
	may := func(id string) chromedp.Action {
		return chromedp.Poll(`document.getElementById("`+id+`")?.getAttribute("aria-disabled") === "false"`, nil)
	}
	lies := func(amount string) chromedp.Action { return shows(":has(> #a-3-ante)", amount) }
	do(
		t, ctx, keyboard("3"), press("a-3-ante"), lies("$25"), may("do-clear"), keyboard("c"), chromedp.WaitReady(":not(.has) > #a-3-ante"),
		keyboard("2"), press("a-3-ante"), lies("$5"), may("do-ready"), keyboard("n"),
		phaseOf(f, "classic-1", table.Deciding), may("do-fold:3"), keyboard("f"),
		phaseOf(f, "classic-1", table.Betting), may("do-again"), keyboard("r"), lies("$5"),
		may("do-double"), keyboard("D"), lies("$10"), may("do-undo"), keyboard("u"), lies("$5"),
	)
	do(
		t, ctx, chromedp.Evaluate(`document.getElementById("keys").click()`, nil), keyboard("d"), keyboard("c"),
		chromedp.Reload(), chromedp.WaitReady("#keys"), keyboard("c"), chromedp.Evaluate(`document.getElementById("keys").click()`, nil),
		may("do-double"), keyboard("d"), lies("$10"),
	)
	if s, err := housetest.Table(f, "classic-1"); err != nil || s.OnLayout() != 10*money.Major {
		t.Errorf("%s lies on the layout, want $10: a key that was switched off has done something (%v)", s.OnLayout(), err)
	}
}

// read returns cards as a device reads them when they are dealt.
func read(t *testing.T, names string) (all []table.Drawn) {
	t.Helper()
	for name := range strings.FieldsSeq(names) {
		c, err := card.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, table.Drawn{Card: c})
	}
	return all
}

// At a table of a dealer an irregularity leaves a player the choice to go on or to have the
// bets back. The player chooses by the keyboard alone, and the clause is beside it.
func TestPlayerAnswersAnOffer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "rws-3cp", table.Read)
	ctx := s.as(t, "ann")
	do(t, ctx, chromedp.Navigate(s.address+"/tables/T3"))
	s.play(dealer, "T3", table.OpenBets{})
	do(t, ctx, keyed("a-2-ante"), chromedp.WaitReady(".has > #a-2-ante"), keyed("a-4-ante"), chromedp.WaitReady(".has > #a-4-ante"))
	s.play(dealer, "T3", table.CloseBets{})
	s.play(dealer, "T3", table.Deal{Cards: read(t, "Qh 7c 2d 9c 9d 4s Kd 5d 3s")})
	do(t, ctx, keyed("do-examine:2"), chromedp.WaitReady("#box-2 .dealt.shown"))
	s.play(dealer, "T3", table.Report{Incident: rules.DealingError})
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T3", table.Answer{Answer: "yes"}) // cards have been seen
	var asked, clause string
	do(
		t, ctx, chromedp.WaitVisible(`[id="do-take-back:2"]`), chromedp.Evaluate(`document.getElementById("bar").textContent`, &asked),
		chromedp.AttributeValue("#bar .decide-head a", "href", &clause, nil),
	)
	if !strings.Contains(asked, "Go on") || clause != "/rules/rws-3cp/5.10" {
		t.Errorf("ann is asked %q, by %s", asked, clause)
	}
	do(
		t, ctx, keyed("do-take-back:2"), chromedp.WaitNotPresent(`[id="do-take-back:2"]`),
		chromedp.Poll(`document.querySelector("#bar").contains(document.activeElement)`, nil),
		keyed("do-go-on:4"), keyed("do-raise:4"), chromedp.WaitNotPresent(`[id="do-raise:4"]`),
	)
	s.play(dealer, "T3", table.Reveal{})
	s.play(dealer, "T3", table.Settle{})
	var lines string
	do(t, ctx, chromedp.WaitReady("#lines .total strong"), chromedp.Text("#lines", &lines))
	state, err := housetest.Table(s, "T3")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range state.Lines {
		if l.Box == 2 && (l.Returned != l.Stake || l.Clause != "5.10.3") {
			t.Errorf("what was taken back is settled as %+v", l)
		}
	}
	if !strings.Contains(lines, "5.10.3") {
		t.Errorf("the lines do not name the clause: %s", lines)
	}
}

// A player who is not content with a wrong deal that was played on asks for the bets back, and
// a supervisor allows it.
func TestPlayerAsksForHisBetsBack(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "mbs-3pictures", table.Read)
	ctx := s.as(t, "ann")
	do(t, ctx, chromedp.Navigate(s.address+"/tables/T3"))
	s.play(dealer, "T3", table.OpenBets{})
	do(t, ctx, keyed("a-1-main"), chromedp.WaitReady(".has > #a-1-main"))
	s.play(dealer, "T3", table.CloseBets{})
	s.play(dealer, "T3", table.Deal{Cards: read(t, "Qh 7c 2d Kd 5d 3s")})
	do(t, ctx, keyed("do-examine:1"), chromedp.WaitReady("#box-1 .dealt.shown"))
	// A card of the dealer's lies on the box, and one of the box with the dealer.
	s.play(dealer, "T3", table.Report{Incident: rules.DealtIncorrectly, Lies: []table.Lying{
		{At: table.Box(1), Count: 1, Meant: table.DealerHand}, {At: table.DealerHand, Count: 1, Meant: table.Box(1)},
	}})
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T3", table.Answer{Answer: "yes"})
	do(t, ctx, keyed("do-ask:1"), shows("#bar", "waits until the staff have answered"))
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T3", table.Answer{Answer: "yes"})
	var lines string
	do(t, ctx, chromedp.WaitReady("#lines tbody tr"), chromedp.Text("#lines", &lines))
	state, err := housetest.Table(s, "T3")
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Lines) != 1 || state.Lines[0].Returned != state.Lines[0].Stake || !strings.Contains(lines, "5.7") {
		t.Errorf("the bets end as %+v, and the page says %q", state.Lines, lines)
	}
}

// After a house was killed in mid-round, a player with bets there is asked whether to go on,
// where the book gives the choice.
func TestPlayerTakesHisBetsBackAfterAnInterruption(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "pictures-1")
	// At a committed deck nothing goes back after the deal, unless the house has chosen so.
	standing, err := f.Status("pictures-1")
	if err != nil {
		t.Fatal(err)
	}
	v := standing.Variant.Clone()
	v.ID, v.Choices[rules.OutcomeEstablished] = "offers", rules.FirstExposure
	if _, err := f.Change(t.Context(), "", access.Person{Name: "sue", Role: access.ShiftManager}, "pictures-1", house.Change{Variant: v}); err != nil {
		t.Fatal(err)
	}
	ctx := guestTab(t, f)
	sit(t, ctx, f, "pictures-1")
	do(
		t, ctx, keyed("a-2-main"), chromedp.WaitReady(".has > #a-2-main"), keyed("do-ready"),
		phaseOf(f, "pictures-1", table.Deciding), keyed("do-examine:2"), chromedp.WaitReady("#box-2 .dealt.shown"),
	)
	f.kill()
	f.aheadMs = 5 * 60_000 // it is no brief one
	f.open(strings.TrimPrefix(f.address, "http://"))
	var clause, net string
	do(
		t, ctx, chromedp.WaitVisible(`[id="do-take-back:0"]`), chromedp.AttributeValue("#bar .decide-head a", "href", &clause, nil),
		keyed("do-take-back:0"), phaseOf(f, "pictures-1", table.Paid),
		chromedp.WaitReady("#lines .total strong"), chromedp.Text("#lines .total strong", &net),
	)
	if clause != "/rules/mbs-3pictures/5.13.1" || net != "Even" {
		t.Errorf("the player is asked by %s, and the round has changed the balance by %s", clause, net)
	}
}

// A table is as wide as the screen, and keeps nobody out, in the course of a round.
func TestTablesAreAccessible(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1", "pictures-1")
	ctx := guestTab(t, f)
	source := axe(t)
	check := func(what string) {
		for _, width := range []int64{360, 768, 1920} {
			var wide bool
			do(t, ctx, chromedp.EmulateViewport(width, 900), still(), chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
			if wide {
				t.Errorf("%s scrolls sideways at %d", what, width)
			}
		}
		do(t, ctx, chromedp.EmulateViewport(1280, 900))
		audited(t, ctx, source, what)
	}
	do(t, ctx, chromedp.Navigate(f.address+"/tables/pictures-1"))
	check("a table looked on at")
	sit(t, ctx, f, "classic-1")
	do(t, ctx, press("a-2-ante"), press("a-2-pair-plus"), chromedp.WaitReady(".has > #a-2-pair-plus"))
	check("betting")
	do(t, ctx, press("do-ready"), phaseOf(f, "classic-1", table.Deciding), press("do-examine:2"), chromedp.WaitReady("#box-2 .dealt.shown"))
	check("deciding")
	do(t, ctx, press("do-raise:2"), phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#lines .total strong"))
	check("settled")
	do(t, ctx, chromedp.Navigate(f.address+"/tables/classic-1/rounds/1"), chromedp.WaitVisible("[data-player]"))
	check("replay")
}

// through plays a round of a game in a tab to its end, at two boxes where the game has them. It
// stops for a check while bets are open, when hands are decided about and when all is settled.
func (f *floor) through(t *testing.T, ctx context.Context, of int, look func(phase string)) {
	t.Helper()
	g := games[of]
	sit(t, ctx, f, g.name)
	do(t, ctx, press("a-3-"+g.wager), press("a-3-"+g.extra), chromedp.WaitReady(".has > #a-3-"+g.extra))
	if g.second {
		do(t, ctx, press("a-4-"+g.wager), chromedp.WaitReady(".has > #a-4-"+g.wager))
	}
	look("betting")
	do(t, ctx, press("do-ready"), phaseOf(f, g.name, table.Deciding), chromedp.WaitReady(`[id="do-examine:3"]`))
	look("unseen")
	do(t, ctx, press("do-examine:3"), chromedp.WaitReady("#box-3 .dealt.shown"))
	look("deciding")
	switch {
	case !g.decides:
		do(t, ctx, press("do-lay-up:3"))
	case g.second:
		do(t, ctx, press("do-raise:3"), press("do-raise:4"))
	default:
		do(t, ctx, press("do-raise:3"))
	}
	do(t, ctx, phaseOf(f, g.name, table.Paid), chromedp.WaitReady("#lines .total strong"))
	look("settled")
}

// covered returns the parts of a table's page that lie under something else, or out of sight.
// It checks the dealer's cards, the player's active box with its areas, cards and foot, and
// every button. Nothing is scrolled in order to play, neither the window nor the felt.
const covered = `(() => {
	const all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
	const at = (selector) => all(selector).map((e) => e.getBoundingClientRect());
	const hidden = (e) => {
		const box = e.getBoundingClientRect();
		const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
		return !top || !(e === top || e.contains(top) || top.closest("label, button")?.contains(e));
	};
	const out = (e) => e.left < -1 || e.top < -1 || e.right > innerWidth + 1 || e.bottom > innerHeight + 1;
	const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
	const found = [];
	const root = document.documentElement;
	if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) found.push("the window scrolls, and a part of it");
	for (const e of all(".rail button, .rail label, .table-bar > a, .table-bar > button, .table-bar summary")) {
		const name = e.id || e.className || e.tagName;
		if (hidden(e)) found.push(name);
		if (out(e.getBoundingClientRect())) found.push(name + " by the window");
	}
	const buttons = all(".act-slot, .seconds button, .chip-choice");
	for (const [i, a] of buttons.entries()) for (const b of buttons.slice(i + 1)) {
		if (over(a.getBoundingClientRect(), b.getBoundingClientRect())) found.push((a.id || a.className) + " by " + (b.id || b.className));
	}
	if (all(".dealer-hand .card").some(hidden)) found.push("a card of the dealer");
	if (at(".call").some(out)) found.push("the dealer's call");
	const seats = document.querySelector(".seats").getBoundingClientRect(), title = document.querySelector(".table-bar h1");
	for (const e of all(".large.active :is(.ring-name, .area, .card, .seat-foot > *)")) {
		const { left, right } = e.getBoundingClientRect();
		if (left < seats.left - 1 || right > seats.right + 1) found.push("the player's box by the others: " + e.className);
	}
	for (const e of all(".rail .second:not(:has(.second-sign))")) {
		const words = document.createRange();
		words.selectNodeContents(e);
		if (new Set([...words.getClientRects()].filter((r) => r.width > 2).map((r) => Math.round(r.top / 8))).size > 2) found.push("the lines of " + e.textContent.trim());
	}
	if (title.scrollWidth > title.clientWidth + 1 || title.scrollHeight > title.clientHeight + 1) found.push("the title");
	for (const e of at(".seconds button:only-child .second-words")) if (e.width < 2) found.push("the word of the only button");
	for (const pill of all(".pill:has(+ .to-play-below)")) {
		const words = document.createRange();
		words.selectNodeContents(pill);
		if (at(".to-play-below").some((b) => over(b, words.getBoundingClientRect()))) found.push("what a pill says");
	}
	for (const e of all(".large.active :is(.area, .card, .seat-foot)")) {
		const name = e.id || e.className;
		if (e.matches(".area, .card") && hidden(e)) found.push("the player's box: " + name);
		if (out(e.getBoundingClientRect())) found.push("the player's box by the window: " + name);
		if (at(".act-slot, .seconds button, .chip-choice, .strip, .awaits").some((b) => over(b, e.getBoundingClientRect()))) found.push("the player's box by the rail: " + name);
	}
	if (at(".seat-net").some((net) => at(".seat .card").some((card) => over(net, card)))) found.push("a card by a net");
	for (const e of at("button, .bar-button, .chip-choice")) if (e.right > 0 && e.left < innerWidth && (e.width < 24 || e.height < 24)) found.push("a button of " + e.width + " by " + e.height);
	return found;
})()`

// windows are telephones and tablets held both ways, and the screens of computers.
var windows = [][2]int64{
	{320, 568},
	{360, 640},
	{360, 740},
	{390, 844},
	{412, 915},
	{600, 960},
	{768, 1024},
	{820, 1180},
	{568, 320},
	{667, 375},
	{740, 360},
	{844, 390},
	{960, 600},
	{1024, 600},
	{1024, 768},
	{1280, 640},
	{1280, 800},
	{1280, 832},
	{1366, 768},
	{1440, 900},
	{1920, 1080},
}

// Whatever the size of the window, nothing of the table lies under anything else, and a player
// sees their box, the decision and its buttons without scrolling.
func TestNothingOfTheTableIsCovered(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil)
	for i, g := range games {
		t.Run(g.name, func(t *testing.T) {
			ctx := guestTab(t, f)
			phases := 0
			f.through(t, ctx, i, func(phase string) {
				phases++
				for k, window := range windows {
					if k > 0 && (k+phases+i)%steady.Tries(18, 3) != 0 {
						continue // seen at this game in another phase, or in this one at another game
					}
					var found []string
					do(t, ctx, chromedp.EmulateViewport(window[0], window[1]))
					// What is still on its way, on a slow machine, covers nothing for long.
					for range 10 {
						if do(t, ctx, still(), chromedp.Evaluate(covered, &found)); len(found) == 0 {
							break
						}
						time.Sleep(300 * time.Millisecond)
					}
					for _, what := range found {
						t.Errorf("%s, at %d by %d: %s is covered", phase, window[0], window[1], what)
					}
				}
			})
		})
	}
}

// Pictures of the tables in the course of a round:
//
//	go test ./internal/web -run TestTablePictures -pictures=../../docs/pictures
func TestTablePictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	// A table has the same felt by day and by night.
	looks := []struct {
		name, phase   string
		width, height int64
	}{
		{"desktop", "settled", 1440, 900},
		{"phone", "deciding", 390, 844},
	}
	shoot := func(name string) chromedp.Action {
		return chromedp.Tasks{
			chromedp.Sleep(100 * time.Millisecond), still(),
			chromedp.ActionFunc(func(ctx context.Context) error {
				if err := emulation.SetScrollbarsHidden(true).Do(ctx); err != nil {
					return err
				}
				picture, err := cdpage.CaptureScreenshot().WithFormat(cdpage.CaptureScreenshotFormatWebp).WithQuality(82).Do(ctx)
				if err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(*pictures, name+".webp"), picture, 0o666)
			}),
		}
	}
	// A straight that beats the dealer, at the one box of a guest: the first picture of all.
	king, queen, jack := card.New(card.King, card.Diamonds), card.New(card.Queen, card.Spades), card.New(card.Jack, card.Hearts)
	for _, look := range looks {
		if !strings.Contains("table-straight", *only) {
			break
		}
		f := newFloor(t, unhurried, seedFor(t, "classic-1", king, queen, jack), "classic-1")
		ctx := guestTab(t, f)
		do(
			t, ctx, chromedp.EmulateViewport(look.width, look.height), cookies(f.address, "lang", "en"),
			// A seed of the browser would make it another deck.
			chromedp.Navigate(f.address+"/rules"), chromedp.Evaluate(`localStorage.setItem("trey-seed-off", "1")`, nil),
		)
		sit(t, ctx, f, "classic-1")
		do(
			t, ctx, chromedp.Evaluate(`document.getElementById("chip-2500").click()`, nil),
			press("do-bet"), press("a-4-pair-plus"), press("a-4-progressive"), chromedp.WaitReady(".has > #a-4-progressive"),
			press("do-ready"), phaseOf(f, "classic-1", table.Deciding), press("do-examine:4"), press("do-raise:4"),
			phaseOf(f, "classic-1", table.Paid), chromedp.WaitReady("#lines .total strong"), shoot("table-straight-"+look.name),
		)
	}
	// Several hands of one player: their bets, the decision, and how the round before ended.
	if strings.Contains("table-hands", *only) {
		f := newFloor(t, unhurried, nil, "classic-1")
		ctx := guestTab(t, f)
		do(
			t, ctx, chromedp.EmulateViewport(820, 1180), cookies(f.address, "lang", "en"), chromedp.Navigate(f.address+"/"),
			chromedp.Evaluate(`localStorage.setItem("trey-hints", "bet examine raise")`, nil),
		)
		sit(t, ctx, f, "classic-1")
		for box := 3; box <= 5; box++ {
			do(t, ctx, press(fmt.Sprintf("a-%d-ante", box)), chromedp.WaitReady(fmt.Sprintf(".has > #a-%d-ante", box)))
		}
		do(
			t, ctx, shoot("table-hands-betting-tablet"), chromedp.EmulateViewport(1440, 900),
			press("do-ready"), phaseOf(f, "classic-1", table.Deciding), press("do-examine:3"), chromedp.WaitReady("#box-3 .dealt.shown"), shoot("table-hands-deciding-desktop"),
			press("do-raise-all"), phaseOf(f, "classic-1", table.Paid), press("do-deal-again"), phaseOf(f, "classic-1", table.Deciding), still(),
			chromedp.Evaluate(`document.querySelector('[data-open="lines-title"]').click()`, nil), shoot("table-hands-why-desktop"),
		)
	}
	for i, g := range games {
		if !strings.Contains("table-"+g.name, *only) {
			continue
		}
		for _, look := range looks {
			f := newFloor(t, unhurried, nil)
			ctx := guestTab(t, f)
			do(
				t, ctx, chromedp.EmulateViewport(look.width, look.height), cookies(f.address, "lang", "en"),
				chromedp.Navigate(f.address+"/"), still(),
				// The hints of a first visit were seen.
				chromedp.Evaluate(`localStorage.setItem("trey-hints", "bet examine raise")`, nil),
			)
			f.through(t, ctx, i, func(phase string) {
				// One phase on each: what is decided on a telephone, and how it ends on a wide screen.
				if phase == look.phase {
					do(t, ctx, shoot("table-"+g.name+"-"+phase+"-"+look.name))
				}
			})
		}
	}
}
