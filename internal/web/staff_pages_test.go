package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// staffPages are the pages of the staff of a busy house, and those of the walls, with
// what is done on each before it is looked at. Those with a name have a picture.
var staffPages = []struct{ name, path, first string }{
	{"staff-sign-in", "/sign-in", ""},
	{"staff-floor", "/console", ""},
	{"staff-approvals", "/console", `document.querySelector("#waits").scrollIntoView()`},
	{"staff-jackpot", "/console", unfold + `; document.querySelector("#pots").scrollIntoView()`},
	{"staff-table", "/console/T1", ""},
	{"staff-report", "/console/T5/report/deck-count", `document.querySelector("#report [name=count]").value = "51";
		document.querySelector("#report form button").click();
		new Promise(done => { const look = setInterval(() => document.querySelector("#foreseen") && (clearInterval(look), done()), 50) })`},
	{"", "/console/T6/report/misdeal", ""},
	{"", "/console/T7", ""},
	{"staff-question", "/console/T4", ""},
	{"staff-limits", "/console/T1/rules", ""},
	{"jackpots", "/jackpots", ""},
	{"jackpot-wall", "/jackpots/linked", ""},
	{"", "/console", unfold},
	{"", "/console/T2", unfold},
	{"", "/console/T4", unfold},
	{"", "/surveillance", ""},
	{"", "/surveillance/tables/T1", ""},
	{"", "/surveillance/rounds?player=ann&least=x", ""},
	{"", "/surveillance/rounds?player=ann", ""},
	{"", "/surveillance/rounds/T3/1", ""},
	{"", "/surveillance/log", `document.querySelectorAll(".watch-log details").forEach((d, i) => { d.open = i < 3 })`},
	{"", "/surveillance/significant", ""},
	{"", "/surveillance/balance", ""},
	{"", "/players?name=ann", ""},
	{"", "/account", ""},
}

// unfold shows everything that a page holds.
const unfold = `document.querySelectorAll("main details").forEach(d => { d.open = true })`

// busy is a house on a good evening: a jackpot that was paid and two hands that wait
// for it, a table at play and one where somebody is asked, and all kinds of
// proposals.
func (s *staffed) busy() {
	s.Helper()
	for _, name := range []string{"T3", "T5"} {
		s.put(name, table.Unseen)
	}
	s.put("T4", table.Virtual)
	for _, name := range []string{"T6", "T7"} { // one to report a wrong deal at, one to confirm it at
		s.putBook(name, "us-3cp", table.Unseen)
		s.play(dealer, name, table.OpenBets{})
		s.play(dealer, name, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
		s.play(dealer, name, table.CloseBets{})
		s.play(dealer, name, table.Deal{Cards: make([]table.Drawn, 6)})
		s.play(dealer, name, table.Examine{Box: 1, Player: "ann"})
	}
	s.play(dealer, "T7", table.Report{Incident: rules.Misdeal, Lies: []table.Lying{{At: table.Box(1), Count: 4}}, Note: "two stuck together"})
	s.hit("T3")
	s.play(dealer, "T3", table.Settle{})
	s.hit("T2")
	s.hit("T5")
	for _, name := range []string{"T1", "T4"} {
		s.betting(name)
		s.play(ann, name, table.Examine{Box: 1, Player: "ann"})
	}
	s.play(dealer, "T4", table.Report{Incident: rules.Uncovered, Note: "water on the cards"})
	queue, err := s.PendingHits("linked")
	if err != nil || len(queue) != 2 {
		s.Fatalf("pending are %+v, %v", queue, err)
	}
	is, _ := s.Jackpot("linked")
	terms := is.Terms
	terms.Reset, terms.Rate = 25_000*money.Major, jackpot.Rate{Num: 1, Den: 3}
	before := queue[0].Place
	before.DealtAtMs--
	for _, p := range []house.Proposal{
		house.Fill{Table: "T1", Amount: 500 * money.Major, Note: "for the evening"},
		house.DetermineOrder{Jackpot: "linked", Hit: queue[1].ID, Place: before, Note: "by the recordings of both tables"},
		house.ChangeTerms{Jackpot: "linked", Terms: terms, Note: "for the winter"},
	} {
		if _, err := s.Propose(s.Context(), "", access.Person{Name: "pat", Role: access.PitSupervisor}, p); err != nil {
			s.Fatal(err)
		}
	}
}

// The pages of the staff keep nobody out either, and fit on every screen.
func TestStaffPagesAreAccessible(t *testing.T) {
	s := openStaffed(t)
	sue := s.as(t, "sue")
	source := axe(t)
	s.busy()
	do(t, sue, atStart(source))
	for i, p := range staffPages {
		path := p.path
		do(
			t, sue, cookies(s.address, "lang", []string{"en", "zh-Hans"}[i%2]), chromedp.EmulateViewport(1280, 900),
			chromedp.Navigate(s.address+path), still(), chromedp.Evaluate(p.first, nil, await), still(),
		)
		var found []string
		// In the dark, only the colours are other ones.
		for _, theme := range []struct{ dark, rules string }{{"not all", ""}, {"all", `runOnly: ["color-contrast", "link-in-text-block"], `}} {
			do(
				t, sue, chromedp.Evaluate(`document.querySelector("link[data-dark]").media = "`+theme.dark+`"`, nil), still(),
				chromedp.Evaluate(`axe.run(document, {`+theme.rules+`resultTypes: ["violations"]}).then(r => r.violations.map(v =>
					v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`, &found, await),
			)
			for _, violation := range found {
				t.Errorf("%s (dark: %s): %s", path, theme.dark, violation)
			}
		}
		for _, width := range []int64{360, 768, 1920} {
			var wide []string
			do(
				t, sue, chromedp.EmulateViewport(width, 1000), still(),
				chromedp.Evaluate(`document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
					[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth).slice(-3).map(e => e.outerHTML.slice(0, 120))`, &wide),
			)
			if len(wide) > 0 {
				t.Errorf("%s scrolls sideways at %d: %s", path, width, wide)
			}
		}
	}
}
