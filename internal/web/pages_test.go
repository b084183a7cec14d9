package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/drill"
	"trey/internal/steady"
	"trey/rules"
	"trey/rules/books"
)

// No page is wider than the screen, on a telephone, a tablet or a wall.
func TestNoPageScrollsSideways(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	for _, p := range pages {
		do(t, ctx, cookies(address, "lang", "en", "theme", "light", "deck", "two"), chromedp.EmulateViewport(360, 760), chromedp.Navigate(address+p.path))
		for _, width := range []int64{360, 768, 1920} {
			var wide string
			do(
				t, ctx, chromedp.EmulateViewport(width, 1000), still(),
				chromedp.Evaluate(`(() => {
					const root = document.documentElement;
					if (root.scrollWidth <= root.clientWidth) return "";
					const beyond = [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > root.clientWidth && !e.closest(".scroll, nav"));
					return root.scrollWidth + " wide: " + beyond.slice(0, 3).map(e => e.tagName + "." + e.getAttribute("class")).join(", ");
				})()`, &wide),
			)
			if wide != "" {
				t.Errorf("%s scrolls sideways at %d: %s", p.path, width, wide)
			}
		}
	}
}

// axe returns the source of axe-core, which the repository does not hold.
func axe(t *testing.T) string {
	t.Helper()
	name := os.Getenv("TREY_AXE")
	if name == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skip("axe-core is not here: there is no cache folder, so name axe.min.js in TREY_AXE")
		}
		name = filepath.Join(cache, "trey", "axe", "node_modules", "axe-core", "axe.min.js")
	}
	source, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("axe-core is not here: `npm install --prefix ~/.cache/trey/axe axe-core` fetches it, or name axe.min.js in TREY_AXE (%v)", err)
	}
	return string(source)
}

// atStart has the pages of a tab begin with a script of the test's.
func atStart(script string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := cdp.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	})
}

// Nobody is kept out: axe-core finds nothing on any page, in either theme, in
// either language, and with a verdict on it.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	ctx, address := tab(t)
	source := axe(t)
	do(t, ctx, atStart(source))
	check := func(what, rules string, parts ...string) {
		within := "document"
		if len(parts) > 0 && !steady.Whole() { // the page around them has been looked at
			within = quoted(parts[0])
		}
		var found []string
		do(t, ctx, chromedp.Evaluate(`axe.run(`+within+`, {`+rules+`preload: false, resultTypes: ["violations"]}).then(r => r.violations.map(v =>
			v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`, &found, await))
		for _, violation := range found {
			t.Errorf("%s: %s", what, violation)
		}
	}
	for i, p := range pages {
		if !steady.Turn(i, 7) {
			continue
		}
		tag := []string{"en", "zh-Hans"}[i%2]
		do(
			t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", tag, "theme", "light", "deck", "four"),
			chromedp.Navigate(address+p.path), still(),
		)
		check(p.path+", "+tag, "")
		if !steady.Turn(i/7, 3) {
			continue
		}
		// In the dark, only the colours are other ones.
		do(t, ctx, chromedp.Evaluate(`document.querySelector("link[data-dark]").media = "all"`, nil), still())
		check(p.path+", dark", `runOnly: ["color-contrast"], `)
	}
	do(t, ctx, chromedp.Click(".looks summary"), chromedp.WaitVisible(".looks form"))
	check("the menu of looks", "", ".looks")
	do(
		t, ctx, chromedp.Navigate(address+"/school/us-3cp/pay/axe"), still(),
		chromedp.Evaluate(`(async () => { // one field after the other
			const form = document.querySelector("form[data-exercise]");
			while (!document.querySelector(".verdict")) {
				for (const select of form.querySelectorAll("select")) {
					select.selectedIndex ||= 1;
				}
				for (const amount of form.querySelectorAll("input")) {
					amount.value ||= "0";
				}
				form.requestSubmit();
				await new Promise((done) => { setTimeout(done, 20) });
			}
		})()`, nil, await), chromedp.WaitVisible(".verdict"),
	)
	check("a verdict", "")
	if !steady.Whole() { // a round that is proven is one of the pages
		return
	}
	do(t, ctx, chromedp.Navigate(address+"/mathematics/rws-3cp?boxes=99"), still())
	check("a mistake in the designer", "")
	do(t, ctx, chromedp.Navigate(address+"/check?sample"), still(), chromedp.WaitVisible("#check-verdict[data-proven=true]"))
	check("a round that is proven", "")
	do(
		t, ctx, chromedp.Evaluate(`document.getElementById("check-text").value = document.getElementById("check-text").value.replaceAll("1000,", "2000,")`, nil),
		chromedp.Click("[data-paste] button"), chromedp.WaitVisible("#check-verdict[data-proven=false]"),
	)
	check("a round that is not", "")
}

func TestDisplaySettingsChangeInThePage(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	var theme, deck, tag, title string
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", "en", "theme", "light", "deck", "two"),
		chromedp.Navigate(address+"/rules"), still(),
		chromedp.Click(".looks summary"), chromedp.WaitVisible(".looks form"),
		chromedp.Click(`.looks input[name="theme"][value="dark"]`),
		chromedp.Click(`.looks input[name="deck"][value="four"]`),
		chromedp.AttributeValue("html", "data-theme", &theme, nil),
		chromedp.AttributeValue("html", "data-deck", &deck, nil),
	)
	if theme != "dark" || deck != "four" {
		t.Errorf("at once: theme %s, deck %s", theme, deck)
	}
	do(
		t, ctx,
		chromedp.Poll(`document.cookie.length >= 0 && performance.getEntriesByName(location.origin + "/display").length >= 2`, nil),
		chromedp.Click(`.looks input[name="lang"][value="zh-Hans"]`),
		chromedp.WaitReady(`html[lang="zh-Hans"]`), still(),
		chromedp.AttributeValue("html", "data-theme", &theme, nil),
		chromedp.AttributeValue("html", "lang", &tag, nil),
		chromedp.Text("h1", &title),
	)
	if theme != "dark" || tag != "zh-Hans" || title != "规则" {
		t.Errorf("after loading again: theme %s, language %s, title %s", theme, tag, title)
	}
}

// The designer follows every keystroke, says what is wrong where it is wrong, and
// its address leads back to what it shows.
func TestDesigner(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	edge := `document.querySelector('[data-edge="Pair Plus"]')?.textContent`
	field := "#f-pays-pair-plus-flush"
	retype := func(text string) chromedp.Tasks {
		return chromedp.Tasks{chromedp.Focus(field), chromedp.Evaluate(`document.activeElement.select()`, nil), keyboard(text)}
	}
	var where, why, spoken, value string
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", "en", "theme", "light"),
		chromedp.Navigate(address+"/mathematics/rws-3cp"), still(),
		chromedp.Poll(edge+` === "5.5747\u00a0%"`, nil),
		// 40/30/5/3/1: each of 1,096 flushes in 22,100 hands pays one less.
		retype("3"), chromedp.Poll(edge+` === "10.5339\u00a0%"`, nil),
		chromedp.Location(&where),
		chromedp.Text("[data-spoken]", &spoken, chromedp.NodeReady),
	)
	if !strings.HasSuffix(where, "?pays.pair-plus.flush=3") {
		t.Errorf("the address is %s", where)
	}
	if !strings.Contains(spoken, "Pair Plus 10.5339\u00a0%") {
		t.Errorf("a screen reader hears %q", spoken)
	}
	do(
		t, ctx,
		retype("three"), chromedp.Poll(`document.querySelector("`+field+`").getAttribute("aria-invalid") === "true"`, nil),
		chromedp.Text(`[data-why="pays.pair-plus.flush"]`, &why),
		chromedp.Poll(edge+` === "5.5747\u00a0%"`, nil),
	)
	if !strings.Contains(why, "odds") {
		t.Errorf("what is wrong is said as %q", why)
	}
	do(
		t, ctx,
		chromedp.Navigate(where), chromedp.Poll(edge+` === "10.5339\u00a0%"`, nil),
		chromedp.Value(field, &value),
	)
	if value != "3" {
		t.Errorf("the address leads back to a flush that pays %s", value)
	}
	do(
		t, ctx,
		chromedp.Navigate(address+"/mathematics/sm-3cp"), still(),
		chromedp.SetValue("#f-pays-bonus-table", "TCPB-04E"),
		chromedp.WaitReady(`#f-pays-bonus-table option[selected][value="TCPB-04E"]`),
		chromedp.Location(&where),
	)
	if !strings.HasSuffix(where, "?pays.bonus.table=TCPB-04E") {
		t.Errorf("another table is at %s", where)
	}
}

// An exercise is answered with the keyboard alone, and its score is kept.
func TestSchoolByKeyboard(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	var focused, score string
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", "en"),
		chromedp.Navigate(address+"/school/rws-3cp/compare/keys"), still(),
		keyboard(kb.Tab), keyboard(kb.Enter), // over the bar to the content
	)
	reach(t, func() bool {
		do(t, ctx, keyboard(kb.Tab), chromedp.Evaluate(`document.activeElement.name ?? ""`, &focused))
		return focused == "answer"
	})
	do(
		t, ctx, keyboard(" "), keyboard(kb.ArrowDown), keyboard(kb.Enter),
		chromedp.WaitVisible(".verdict"),
		chromedp.Evaluate(`document.activeElement.id`, &focused),
		chromedp.Text("[data-score]", &score),
	)
	if focused != "verdict" {
		t.Errorf("the verdict is not where the focus is, but %q", focused)
	}
	if !strings.Contains(score, "of 1 right") {
		t.Errorf("the score is %q", score)
	}
	do(
		t, ctx, chromedp.Navigate(address+"/school/rws-3cp"), still(),
		chromedp.WaitVisible(`[data-score="rws-3cp/compare"]`), chromedp.Text(`[data-score="rws-3cp/compare"]`, &score),
	)
	if !strings.Contains(score, "of 1 right") {
		t.Errorf("the score is forgotten: %q", score)
	}
}

// TestPaymentsAreAskedForFieldByField pays a box by the keyboard, one field at a time and
// against the clock; one amount is wrong. The browser keeps the time and the kind of error.
func TestPaymentsAreAskedForFieldByField(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	b, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	// An exercise in which something is paid.
	var e *drill.Exercise
	paid := 0
	for n := 0; paid == 0; n++ {
		e = drill.Draw(b, drill.Pay, fmt.Sprint("field", n))
		for i := range e.Due {
			if e.Due[i].Result() == rules.Win.String() && e.Due[i].Pays() > 0 {
				paid++
			}
		}
	}
	const visible = `[...document.querySelectorAll(".dues select, .dues input")].filter(f => f.offsetParent)`
	var fields int
	var label string
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", "en"),
		chromedp.Navigate(address+"/school/us-3cp/pay/"+e.ID), still(), chromedp.WaitVisible("[data-clock]"),
		chromedp.Focus(".dues select"),
	)
	asked := func(want string) {
		t.Helper()
		var name string
		do(
			t, ctx, chromedp.Evaluate(visible+`.length`, &fields), chromedp.Evaluate(`document.activeElement.name`, &name),
			chromedp.Text("form[data-exercise] [data-step]", &label),
		)
		if name != want {
			t.Fatalf("%s has the focus, want %s", name, want)
		}
	}
	enter := keyboard(kb.Enter)
	wrong := false
	for i := range e.Due {
		due := &e.Due[i]
		asked("result." + due.Key())
		if fields != i+1+paidBefore(e, i) {
			t.Errorf("at %s %d fields are visible, want %d", due.Key(), fields, i+1+paidBefore(e, i))
		}
		// A result is chosen as the keyboard does it, and Enter goes on.
		do(t, ctx, chromedp.Evaluate(fmt.Sprintf(`document.activeElement.value = %q; document.activeElement.dispatchEvent(new Event("input", {bubbles: true}))`, due.Result()), nil), enter)
		if due.Result() != rules.Win.String() {
			continue
		}
		asked("pays." + due.Key())
		amount := due.Pays()
		if !wrong && amount > 0 {
			amount, wrong = amount+1, true
		}
		do(t, ctx, keyboard(strings.ReplaceAll(amount.Display(), ",", "")), enter)
	}
	var took, later string
	do(
		t, ctx, chromedp.WaitVisible(".verdict"), shows(".lapses", "wrong amount: 1"), shows(".lapses", "s on average"),
		chromedp.Text("[data-clock]", &took), chromedp.Sleep(1200*time.Millisecond), chromedp.Text("[data-clock]", &later),
	)
	if took != later {
		t.Errorf("the clock runs on after the answer: %s, then %s", took, later)
	}
	do(t, ctx, chromedp.Navigate(address+"/school/us-3cp"), still(), shows(`[data-lapses="us-3cp/pay"]`, "wrong amount: 1"))
}

// paidBefore returns the number of lines before one for which an amount is asked.
func paidBefore(e *drill.Exercise, line int) (n int) {
	for i := range line {
		if e.Due[i].Result() == rules.Win.String() {
			n++
		}
	}
	return n
}

// reach repeats a step until it has arrived, but not for ever.
func reach(t *testing.T, step func() bool) {
	t.Helper()
	for range 30 {
		if step() {
			return
		}
	}
	t.Fatal("the keyboard does not get there")
}

func TestRulesAreFoundAndPlayed(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	var found, status, focused string
	var visible int
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", "en"),
		chromedp.Navigate(address+"/rules/rws-3cp"), still(),
		chromedp.WaitVisible("#search"), chromedp.SendKeys("#search", "envy folded"),
		chromedp.Text("[data-found]", &found),
		chromedp.Evaluate(`[...document.querySelectorAll(".clause")].filter(c => !c.hidden).length`, &visible),
	)
	if visible == 0 || visible > 12 || found != fmt.Sprintf("%d found", visible) {
		t.Errorf("%d clauses are shown, and it says %q", visible, found)
	}
	do(
		t, ctx, chromedp.Navigate(address+"/rules/rws-3cp/scenario/5.8.6_whole_hands_moved"), still(),
		chromedp.WaitVisible("[data-player]"),
		keyboard(kb.ArrowRight), keyboard(kb.ArrowRight), keyboard(kb.ArrowLeft),
		chromedp.Text("[data-status]", &status),
		chromedp.Evaluate(`document.activeElement.id`, &focused),
	)
	if status != "Step 2 of 12" || focused != "step-2" {
		t.Errorf("it is at %q, with the focus at %q", status, focused)
	}
}

// TestARuleBookHasTheChaptersOfItsText holds that a text whose paragraphs are only counted has
// no chapter for each of them.
func TestARuleBookHasTheChaptersOfItsText(t *testing.T) {
	t.Parallel()
	read := openStaffed(t).client("ann")
	for path, want := range map[string]int{"/rules/fr-p3c": 0, "/rules/mbs-3pictures": 6} {
		_, page := read(path)
		if n := strings.Count(page, ">Part "); n != want {
			t.Errorf("%s has %d numbered chapters, want %d", path, n, want)
		}
		if !strings.Contains(page, `id="c5`) {
			t.Errorf("%s lists no clause 5", path)
		}
	}
}
