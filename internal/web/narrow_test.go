package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/steady"
)

// unread lists the texts of a page that cannot be read. They are names that are cut off, an
// amount whose sign and figures are on two lines, and Chinese words in a table with one
// character to a line. It also says if the page scrolls sideways.
const unread = `(() => {
	const found = [], root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) {
		const wide = [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > root.clientWidth && !e.closest(".scroll")).pop();
		found.push("the page scrolls sideways: " + wide?.outerHTML.slice(0, 120));
	}
	for (const name of document.querySelectorAll(".dealer-seat-player")) {
		if (name.checkVisibility() && name.scrollWidth > name.clientWidth) found.push("cut off: " + name.textContent);
	}
	const lines = (node, from, to) => {
		const range = document.createRange();
		range.setStart(node, from);
		range.setEnd(node, to);
		return new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top))).size;
	};
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		if (!node.parentElement.checkVisibility()) continue;
		for (const amount of node.textContent.matchAll(/[−+]\$[\d,.]*\d/g)) {
			if (lines(node, amount.index, amount.index + amount[0].length) > 1) found.push("broken: " + amount[0]);
		}
		if (!node.parentElement.closest("td, th")) continue;
		for (const word of node.textContent.matchAll(/\p{Script=Han}{2,}/gu)) {
			if (lines(node, word.index, word.index + word[0].length) >= word[0].length) found.push("one character to a line: " + word[0]);
		}
	}
	return [...new Set(found)].slice(0, 8);
})()`

// TestStaffPagesCanBeRead holds that the pages of the staff can be read on the narrowest
// telephone and on a small computer, in either language.
func TestStaffPagesCanBeRead(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t, withMachines)
	sue := s.as(t, "sue")
	s.busy()
	o := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	if _, err := s.people.AddUser(t.Context(), o, "ida", access.Administrator, password); err != nil {
		t.Fatal(err)
	}
	ida := s.as(t, "ida")
	pages := append([]page{{"/surveillance/tables/T3", "", ""}, {"/users", "", unfold}}, staffPages...)
	for _, language := range []string{"en", "zh-Hans"} {
		for _, p := range pages {
			by := sue
			if p.path == "/users" {
				by = ida
			}
			do(
				t, by, cookies(s.address, "lang", language), chromedp.EmulateViewport(1280, 900),
				chromedp.Navigate(s.address+p.path), still(), chromedp.Evaluate(p.first, nil, await),
			)
			for _, width := range []int64{1280, 320} {
				var found []string
				do(t, by, chromedp.EmulateViewport(width, 900), still(), chromedp.Evaluate(unread, &found))
				for _, f := range found {
					t.Errorf("%s in %s, %d wide: %s", p.path, language, width, f)
				}
			}
		}
	}
}

// brokenPercents lists the figures of a page that are on another line than their percent sign.
const brokenPercents = `(() => {
	const found = [], texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	let seen = 0;
	for (let node = texts.nextNode(); node; node = texts.nextNode()) {
		if (!node.parentElement.checkVisibility()) continue;
		for (const figure of node.textContent.matchAll(/[\d.,]*\d\s%/g)) {
			const range = document.createRange();
			range.setStart(node, figure.index);
			range.setEnd(node, figure.index + figure[0].length);
			seen++;
			if (new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top))).size > 1) found.push(figure[0]);
		}
	}
	return { Seen: seen, Found: [...new Set(found)] };
})()`

// TestPercentSignsStayWithTheirFigures holds that the mathematics can be read on a telephone.
// No figure is on one line with its percent sign on the next, and the name of a hand is on one
// line.
func TestPercentSignsStayWithTheirFigures(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := tab(t)
	for _, path := range []string{"/mathematics", "/mathematics/rws-3cp", "/mathematics/us-3cp/strategy"} {
		for _, language := range []string{"en", "zh-Hans"} {
			do(t, ctx, cookies(address, "lang", language), chromedp.EmulateViewport(390, 844), chromedp.Navigate(address+path), still())
			var tall []string
			do(t, ctx, chromedp.Evaluate(`[...document.querySelectorAll(".around tbody th")].filter((e) => e.offsetHeight > 40).map((e) => e.textContent.trim())`, &tall))
			if len(tall) > 0 {
				t.Errorf("%s in %s: the names of hands are broken: %q", path, language, tall)
			}
			for _, width := range []int64{360, 390} {
				var all struct {
					Seen  int
					Found []string
				}
				do(t, ctx, chromedp.EmulateViewport(width, 844), still(), chromedp.Evaluate(brokenPercents, &all))
				if all.Seen == 0 || len(all.Found) > 0 {
					t.Errorf("%s in %s, %d wide: of %d figures are on two lines: %q", path, language, width, all.Seen, all.Found)
				}
			}
		}
	}
}
