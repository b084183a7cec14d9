package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/house/sealing"
	"trey/internal/steady"
	"trey/internal/web"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// staffPages are the pages of the staff of a busy house, and those of the walls, with
// what is done on each before it is looked at. Those with a name have a picture.
var staffPages = []page{
	{"/sign-in", "staff-sign-in", ""},
	{"/console", "staff-floor", ""},
	{"/console", "staff-approvals", `document.querySelector("#waits").scrollIntoView()`},
	{"/console", "staff-jackpot", unfold + `; document.querySelector("#pots").scrollIntoView()`},
	{"/console/T1", "staff-table", ""},
	{"/console/T5/report/deck-count", "staff-report", `document.querySelector("#report [name=count]").value = "51";
		document.querySelector("#report form button").click();
		new Promise(done => { const look = setInterval(() => document.querySelector("#foreseen") && (clearInterval(look), done()), 50) })`},
	{"/console/T6/report/misdeal", "", ""},
	{"/console/T7", "", ""},
	{"/console/T4", "staff-question", ""},
	{"/console/T1/rules", "staff-limits", ""},
	{"/pit", "pit", ""},
	{"/pit/players?from=", "", ""},
	{"/jackpots", "jackpots", ""},
	{"/jackpots/linked", "jackpot-wall", ""},
	{"/console", "", unfold},
	{"/console/T2", "", unfold},
	{"/console/T4", "", unfold},
	{"/surveillance", "", ""},
	{"/surveillance/tables/T1", "", ""},
	{"/surveillance/rounds?player=ann&least=x", "", ""},
	{"/surveillance/rounds?player=ann", "", ""},
	{"/surveillance/rounds/T3/1", "", ""},
	{"/surveillance/log", "", `document.querySelectorAll(".watch-log details").forEach((d, i) => { d.open = i < 3 })`},
	{"/surveillance/significant", "", ""},
	{"/surveillance/balance", "", ""},
	{"/surveillance/machines", "", ""},
	{"/players?name=ann", "", ""},
	{"/account", "", ""},
}

// unfold shows everything that a page holds.
const unfold = `document.querySelectorAll("main details").forEach(d => { d.open = true })`

// busy returns a house on a good evening. It has a jackpot that was paid and two hands that
// wait for it, a table in play, one with an open question, and all kinds of proposals.
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
	state, _ := s.Jackpot("linked")
	terms := state.Terms
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
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t, withMachines)
	sue := s.as(t, "sue")
	source := axe(t)
	s.busy()
	for i, p := range staffPages {
		path := p.path
		do(
			t, sue, cookies(s.address, "lang", []string{"en", "zh-Hans"}[i%2]), chromedp.EmulateViewport(1280, 900),
			chromedp.Navigate(s.address+path), still(), chromedp.Evaluate(p.first, nil, await), still(),
		)
		accessible(t, sue, source, path)
	}
}

// audited holds that axe-core finds nothing on the page as it stands, in either theme.
func audited(t *testing.T, ctx context.Context, source, what string) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(`window.axe ? 0 : (() => { `+source+` })(); 0`, nil))
	// Without the loading of style sheets and sounds a second time, which no rule that runs here needs.
	// In the dark, only the colours are other ones.
	for _, theme := range []struct{ dark, rules string }{{"all", `runOnly: ["color-contrast", "link-in-text-block"], `}, {"not all", ""}} {
		var found []string
		do(
			t, ctx, chromedp.Evaluate(`document.querySelector("link[data-dark]").media = "`+theme.dark+`"`, nil), still(),
			chromedp.Evaluate(`axe.run(document, {`+theme.rules+`preload: false, resultTypes: ["violations"]}).then(r => r.violations.map(v =>
				v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")))`, &found, await),
		)
		for _, violation := range found {
			t.Errorf("%s (dark: %s): %s", what, theme.dark, violation)
		}
	}
}

// accessible holds that axe-core finds nothing on the page, and that it fits on every screen.
func accessible(t *testing.T, ctx context.Context, source, what string) {
	t.Helper()
	audited(t, ctx, source, what)
	for _, width := range []int64{360, 390, 768, 1920, 1280} {
		var wide []string
		do(
			t, ctx, chromedp.EmulateViewport(width, 1000), still(),
			chromedp.Evaluate(`document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
				[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth).slice(-3).map(e => e.outerHTML.slice(0, 120))`, &wide),
		)
		if len(wide) > 0 {
			t.Errorf("%s scrolls sideways at %d: %s", what, width, wide)
		}
	}
}

// TestPagesOfTwoPeopleAreAccessible holds the same of what two people decide, of the
// second factor and of the pages on which players limit their play.
func TestPagesOfTwoPeopleAreAccessible(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	source := axe(t)
	if browser == nil {
		t.Skip(why)
	}
	people := twoPeopleIn(t, func(w *identity.World) {
		w.SecondFactor, w.Sealer, w.Issuer = []access.Role{access.Cashier}, sealing.Numbered(1), "The Grand"
	})
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	s.people = people
	s.large("L1")
	s.play(dealer, "T2", table.OpenBets{})
	for box := 1; box <= 2; box++ {
		s.play(dealer, "T2", table.Bet{Box: box, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	}
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 9)})
	s.play(dealer, "T2", table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Raise{Box: 2, Player: "ann"})
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 9c 2s")})
	s.play(dealer, "T2", table.Show{Box: 1, Hand: namedCards("Ac 7d 4h")})
	s.play(dealer, "T2", table.Show{Box: 2, Hand: namedCards("8c 6d 3h")})
	s.play(dealer, "T2", table.Settle{Box: 1})
	hit := jackpot.HitID{Table: "L1", Round: "1", Box: 1}
	if _, err := s.Propose(t.Context(), "", access.Person{Name: "pat", Role: access.PitSupervisor}, house.VerifyJackpot{Jackpot: "large", Hit: hit, Note: "in order"}); err != nil {
		t.Fatal(err)
	}
	o := identity.ChangeRequest{By: access.Person{Name: "ida", Role: access.Administrator}, Why: "the night shift"}
	if _, _, err := people.ProposeChange(t.Context(), o, identity.Change{Kind: identity.AddUser, Name: "kim", Role: access.Cashier, Password: "the first password"}); err != nil {
		t.Fatal(err)
	}
	for i, p := range []struct{ name, path, first string }{
		{"sue", "/console", unfold},
		{"ida", "/console", unfold},
		{"ida", "/users", unfold},
		{"dan", "/console/T2", unfold},
		{"dan", "/console/T2/report/mispaid", ""},
		{"ida", "/password", ""},
	} {
		ctx := s.as(t, p.name)
		do(
			t, ctx, cookies(s.address, "lang", []string{"zh-Hans", "en"}[i%2]), chromedp.EmulateViewport(1280, 900),
			chromedp.Navigate(s.address+p.path), still(), chromedp.Evaluate(p.first, nil, await), still(),
		)
		accessible(t, ctx, source, p.name+" at "+p.path)
	}
	s.play(dealer, "T2", table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10 * money.Major, AtCall: true})
	pat := s.as(t, "pat")
	do(t, pat, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+"/console/T2"), still(), chromedp.WaitVisible("#k-ask form"))
	accessible(t, pat, source, "facts to be confirmed")

	// The second factor.
	var secret string
	cat := s.as(t, "")
	s.in(t, cat, "cat", password)
	do(t, cat, chromedp.WaitVisible("svg.qr"), secretOf(&secret), chromedp.SetValue("#code", "nonsense"), chromedp.Click(`form[action="/sign-in/second"] button`), chromedp.WaitVisible("#wrong"))
	accessible(t, cat, source, "a second factor is set up")
	do(
		t, cat, chromedp.SetValue("#code", codeAt(t, secret, time.Now().UnixMilli())), chromedp.Click(`form[action="/sign-in/second"] button`),
		chromedp.WaitVisible(".codes"),
	)
	accessible(t, cat, source, "recovery codes")
	s.in(t, cat, "cat", password)
	do(t, cat, chromedp.WaitVisible("#code"))
	accessible(t, cat, source, "a code is asked for")
}

// TestPagesOfPlayersAreAccessible holds the same of the page on which players limit their
// play: with limits, a form that was refused, a reality check and pauses.
func TestPagesOfPlayersAreAccessible(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	source := axe(t)
	s := openStaffed(t)
	for key, most := range map[protection.Key]int64{
		{Kind: protection.Check, Period: protection.Session}: 5, {Kind: protection.Loss, Period: protection.Day}: 20_000,
	} {
		if err := s.SetLimit(t.Context(), "", ann, key, &most); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SetLimit(t.Context(), "", ann, protection.Key{Kind: protection.Loss, Period: protection.Day}, nil); err != nil {
		t.Fatal(err)
	}
	s.play(dealer, "T1", table.OpenBets{})
	s.play(ann, "T1", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	s.aheadMs.Add(6 * 60 * 1000)
	ctx := s.as(t, "ann")
	_ = s.client("ann") // another session
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+"/account"), still(), chromedp.WaitVisible("[data-reality-check]"), chromedp.SetValue("#most", "fifty"),
		chromedp.Click(`button[name="do"][value="set"]`), chromedp.WaitVisible("#failed"),
	)
	accessible(t, ctx, source, "a limit that was refused")
	if err := s.AnswerCheck(t.Context(), "", ann); err != nil {
		t.Fatal(err)
	}
	if err := s.TakeTimeOut(t.Context(), "", ann, dayMs); err != nil {
		t.Fatal(err)
	}
	if err := s.Exclude(t.Context(), "", ann, "ann", 182*dayMs, ""); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, cookies(s.address, "lang", "zh-Hans"), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+"/account?done=limit"), still(), chromedp.WaitVisible("#done"))
	accessible(t, ctx, source, "pauses")
	sue := s.as(t, "sue")
	do(t, sue, chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+"/players?name=ann"), still())
	accessible(t, sue, source, "the player as the staff sees them")
}

const dayMs = 24 * 60 * 60 * 1000

// Staff look at a table and are offered no seat there, since the house gives them none.
func TestStaffAreOfferedNoSeat(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	seat := `action="/tables/T1/sit"`
	if _, page := s.client("pat")("/tables/T1"); strings.Contains(page, seat) {
		t.Error("a supervisor is offered a seat")
	}
}

// A change of users is declined with a reason: the page asks for it. To approve one takes none.
func TestAChangeIsDeclinedWithAReason(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	o := identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "new"}
	if _, _, err := s.people.ProposeChange(t.Context(), o, identity.Change{Kind: identity.AddUser, Name: "eve", Role: access.Dealer, Password: password}); err != nil {
		t.Fatal(err)
	}
	_, page := s.client("sue")("/console")
	_, form, _ := strings.Cut(page, `action="/staff/user-changes/1"`)
	form, _, _ = strings.Cut(form, "</form>")
	if !strings.Contains(form, `value="approve" formnovalidate`) || !strings.Contains(form, " required ") {
		t.Errorf("the form is %s", form)
	}
}

// Where nobody comes in without a name, the page of the sign-in says nothing of guests.
func TestTheSignInSpeaksOfGuestsWhereThereAreSome(t *testing.T) {
	t.Parallel()
	for _, guests := range []bool{false, true} {
		s := openStaffed(t, func(c *web.Config) { c.Guests = guests })
		if _, _, page := newSurfer(t, s.address).open("/sign-in", nil); strings.Contains(page, "Guests need no name") != guests {
			t.Errorf("guests %t: the page is wrong", guests)
		}
	}
}
