package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

// TestBetsOfTheLastRoundAreThoseOfWhoMayBet holds that the console offers the bets of the last
// round without those of a player who was excluded since, and places the others.
func TestBetsOfTheLastRoundAreThoseOfWhoMayBet(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	o := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	if _, err := s.people.AddUser(t.Context(), o, "ben", access.Player, password); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CageTransfer(t.Context(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ben", Amount: 1000 * money.Major}); err != nil {
		t.Fatal(err)
	}
	s.play(dealer, "T1", table.OpenBets{})
	for i, name := range []string{"ann", "ben"} {
		s.play(dealer, "T1", table.Bet{Box: i + 1, Player: name, Wager: rules.Ante, Amount: 10 * money.Major})
	}
	s.play(dealer, "T1", table.CloseBets{})
	s.play(dealer, "T1", table.Deal{})
	for i, name := range []string{"ann", "ben"} {
		by := access.Person{Name: name, Role: access.Player}
		s.play(by, "T1", table.Fold{Box: i + 1, Player: name})
	}
	s.play(dealer, "T1", table.Reveal{})
	s.play(dealer, "T1", table.Settle{})
	s.play(dealer, "T1", table.OpenBets{})
	dan := newSurfer(t, s.address)
	dan.signIn("dan", password)
	again := func() string {
		t.Helper()
		_, _, page := dan.open("/console/T1", nil)
		var all []string
		for _, form := range regexp.MustCompile(`(?s)<form.*?</form>`).FindAllString(page, -1) {
			if strings.Contains(form, `value="again"`) {
				all = append(all, form)
			}
		}
		return strings.Join(all, " ")
	}
	if page := again(); !strings.Contains(page, "ann") || !strings.Contains(page, "ben") {
		t.Fatalf("before, the page offers %s", page)
	}
	if err := s.Exclude(t.Context(), "", access.Person{Name: "pat", Role: access.PitSupervisor}, "ann", 182*dayMs, "asked for it"); err != nil {
		t.Fatal(err)
	}
	if page := again(); strings.Contains(page, "ann") || !strings.Contains(page, "ben") {
		t.Errorf("the page offers %s", page)
	}
	if _, status, page := dan.open("/console/T1/do", url.Values{"kind": {"again"}, "box": {"0"}}); status != http.StatusOK {
		t.Errorf("%d: %s", status, page)
	}
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ben"}); got >= 990*money.Major {
		t.Errorf("ben has %s", got.Display())
	}
}

// The bets of the last round are placed as a whole, also where the dealer's connection breaks after
// the first: a box that has a bet is offered no others.
func TestBetsOfTheLastRoundArePlacedWithoutTheDealer(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	bets := []table.Bet{{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}, {Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major}}
	s.play(dealer, "T1", table.OpenBets{})
	for _, bet := range bets {
		s.play(dealer, "T1", bet)
	}
	s.play(dealer, "T1", table.CloseBets{})
	s.play(dealer, "T1", table.Deal{})
	s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
	for _, do := range []table.Action{table.Reveal{}, table.Settle{}, table.OpenBets{}} {
		s.play(dealer, "T1", do)
	}
	dan := newSurfer(t, s.address)
	dan.signIn("dan", password)
	actAndLeave(t, &s.line, s.site, &dan.Client, s.address, "/console/T1/do", url.Values{"kind": {"again"}, "box": {"0"}, "key": {"one press"}}, "bet")
	state, err := housetest.Table(s, "T1")
	if err != nil {
		t.Fatal(err)
	}
	for _, bet := range bets {
		if got := state.Boxes[0].Bettors[0].Stakes[bet.Wager]; got != bet.Amount {
			t.Errorf("%s lie on the %s, want %s", got, bet.Wager, bet.Amount)
		}
	}
}

// A dealer runs a table from the console and reports what the rules do not provide for, and a
// shift manager answers. A fill that a supervisor asks for is approved by another. Each of them
// sees what the others did without asking.
func TestConsole(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	dan, sue := s.as(t, "dan"), s.as(t, "sue")
	var seen, page string
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T1"), still(),
		button("Place your bets, please"), shows("#k-head", "betting"),
		// There is no next step before a bet lies there: the focus stays where one comes.
		shows("#k-flow", "Players place their bets"), chromedp.Poll(`document.activeElement?.closest("#k-flow")`, nil),
		chromedp.SetValue("#bet-player", "ann"), chromedp.SetValue("#bet-amount", "25"), button("Place the bet"), shows("#k-felt", "$25"),
		button("No more bets"), shows("#k-head", "dealing"),
		button("Deal"), shows("#k-head", "play or fold"),
	)
	s.play(ann, "T1", table.Examine{Box: 1, Player: "ann"})
	s.play(ann, "T1", table.Raise{Box: 1, Player: "ann"})
	do(
		t, dan, shows("#k-flow", "turn the dealer"), chromedp.OuterHTML("html", &page),
		chromedp.Click("#k-incidents summary"), chromedp.Click(`//a[.="Something that the rules do not provide for"]`),
		chromedp.WaitVisible("#report form"), chromedp.SendKeys("#r-note", "water on the cards"),
		button("Show what follows"), chromedp.WaitVisible("#foreseen"), chromedp.Text("#foreseen", &seen),
	)
	state, err := housetest.Table(s, "T1")
	if err != nil {
		t.Fatal(err)
	}
	for _, slot := range state.Slots {
		if strings.Contains(page, `role="img" aria-label="`+strings.ToLower(slot.Card.Rank().Name()+" of "+slot.Card.Suit().Name())) {
			t.Errorf("the page of the dealer shows %s, which lies face down", slot.Card)
		}
	}
	if !strings.Contains(seen, "A named person has to decide") || !strings.Contains(seen, "rws-3cp@3 5.23") {
		t.Errorf("before it is confirmed, the page says %q", seen)
	}
	if state.Question != nil {
		t.Fatal("it was reported before it was confirmed")
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), still(),
	)
	do(t, dan, button("Confirm and record"), shows("#k-ask", "question for the shift manager"), shows("#k-ask", "has to answer this"))
	do(
		t, sue, shows("#f-alerts", "T1"), button("Acknowledge"), shows("#f-alerts", "sue acknowledged this"),
		chromedp.Click(`//a[.="T1"]`), chromedp.WaitVisible("#k-ask form"), shows("#k-ask", "the round is void"),
		button("Continue the round"),
	)
	do(
		t, dan, shows("#k-flow", "turn the dealer"), button("Turn the dealer's hand"), shows("#k-head", "hand shown"),
		button("Settle"), shows("#k-head", "settled"), chromedp.WaitVisible("#k-lines table.lines"),
	)

	pat := s.as(t, "pat")
	do(
		t, pat, chromedp.Navigate(s.address+"/console"), still(),
		chromedp.Click(`//summary[.="Ask for a fill"]`), chromedp.SetValue("#fill-amount", "500"), button("Propose it"),
		shows("#answer", "waits for a second person"), shows("#f-waits", "take back"),
	)
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), shows("#f-waits", "Fill of $500 to T1"), button("Approve"),
		shows("#answer", "approved and done"), shows("#f-waits", "nothing waits"),
	)
	do(t, pat, shows("#f-waits", "nothing waits"))
	if len(s.Proposals()) != 0 {
		t.Error("the fill still waits")
	}
}

// A shift manager undoes a fold that was entered wrongly and returns a bet, by the form of the
// open question. A row that lacks something is reported, and nothing is done.
func TestRemediesAtTheConsole(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.betting("T1")
	s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
	s.play(dealer, "T1", table.Report{Incident: rules.Uncovered, Note: "the wrong button"})
	sue := s.as(t, "sue")
	do(
		t, sue, chromedp.Navigate(s.address+"/console/T1"), still(), chromedp.Click(`//summary[.="Decide what is done"]`),
		chromedp.SetValue("#m-do-0", "award"), chromedp.SetValue("#m-where-0", "1 ann"), chromedp.SetValue("#m-reason", "pressed by mistake"),
		button("Carry out the list"), shows("#answer", "Row 1: say which wager"),
		chromedp.SetValue("#m-do-0", "restore"), chromedp.SetValue("#m-decision-0", "played"),
		button("Carry out the list"), chromedp.WaitNotPresent("#k-ask form"),
	)
	state, err := housetest.Table(s, "T1")
	if err != nil {
		t.Fatal(err)
	}
	if b := state.Boxes[0]; b.Decision != table.Played || b.Bettors[0].Stakes[rules.Play] != b.Bettors[0].Stakes[rules.Ante] || state.Question != nil {
		t.Errorf("box 1 is %s with %v, and the question is %+v", b.Decision, b.Bettors[0].Stakes, state.Question)
	}
}

// At a physical table the cards are keyed in as they are turned: typed, and from
// the pad with a finger or the keyboard alone.
func TestCardsAreKeyedIn(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan := s.as(t, "dan")
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T2"), still(),
		button("Place your bets, please"), shows("#k-head", "betting"),
		chromedp.SetValue("#bet-player", "ann"), chromedp.SetValue("#bet-amount", "25"), button("Place the bet"), shows("#k-felt", "$25"),
		button("No more bets"), shows("#k-flow", "6 cards are still to come"),
		button("Deal"), shows("#k-hands", "plays"), button("Plays"), shows("#k-flow", "turn the dealer"),
		chromedp.SendKeys("#cards-reveal", "qh10S"), button("Turn the dealer's hand"), chromedp.Poll(`document.querySelector("#cards-reveal").value === "qh 10S"`, nil),
		chromedp.WaitVisible(`#k-flow .keyed > .button[aria-disabled="true"]`),
		// The pad, and the keyboard for the rest.
		chromedp.Click(`[data-card="4c"]`), chromedp.Poll(`document.querySelector("#cards-reveal").value === "qh 10S 4c"`, nil),
		chromedp.Focus("#cards-reveal"), keyboard(kb.Enter), shows("#k-felt", "Q-10-4"),
	)
	state, err := housetest.Table(s, "T2")
	if err != nil {
		t.Fatal(err)
	}
	if h, n := state.Hand(table.DealerHand); n != 3 || h.String() != "Qh Ts 4c" {
		t.Errorf("the dealer has %s, want Qh Ts 4c", h)
	}
}

// Who is let in to what, and that nobody comes in by guessing.
// downAt says of each table that plays for a jackpot whether that is out of order.
func downAt(t *testing.T, s *staffed) map[string]bool {
	t.Helper()
	down := map[string]bool{}
	for _, name := range s.Tables() {
		status, err := s.Status(name)
		if err != nil {
			t.Fatal(err)
		}
		if status.Jackpot == "linked" {
			down[name] = status.State.Down()
		}
	}
	if len(down) == 0 {
		t.Fatal("no table plays for the jackpot")
	}
	return down
}

// TestNoProgressiveBetIsOfferedWithoutTheProgressive holds that the console offers to enter the bets
// that the table takes, and no others.
func TestNoProgressiveBetIsOfferedWithoutTheProgressive(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	dan := signedIn(t, s.address, "dan")["dan"]
	pat := access.Person{Name: "pat", Role: access.PitSupervisor}
	offered := func() bool {
		t.Helper()
		s.play(pat, "T1", table.OpenBets{})
		_, _, page := dan.open("/console/T1", nil)
		if !strings.Contains(page, `name="wager" value="ante"`) {
			t.Fatal("the page takes no Ante")
		}
		return strings.Contains(page, `name="wager" value="progressive"`)
	}
	if !offered() {
		t.Error("a Progressive bet cannot be entered")
	}
	s.play(pat, "T1", table.Report{Incident: rules.ProgressiveDown}) // the round is void
	s.play(pat, "T1", table.SuspendProgressive{Option: table.WithoutProgressive})
	if offered() {
		t.Error("a Progressive bet is offered where it is refused")
	}
}

// TestATableDisplaysThatNoProgressiveBetIsAccepted holds that whoever comes to a table reads a notice
// while it takes no Progressive bets (rws-3cp@3 5.17.2c), beside a jackpot that is displayed there.
func TestATableDisplaysThatNoProgressiveBetIsAccepted(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	ann := s.client("ann")
	pat := access.Person{Name: "pat", Role: access.PitSupervisor}
	displayed := func(want bool, when string) {
		t.Helper()
		_, page := ann("/tables/T1")
		if !strings.Contains(page, "data-meter=") {
			t.Fatal("the page displays no jackpot")
		}
		if strings.Contains(page, "no Progressive bets") != want {
			t.Errorf("%s: a notice is displayed: %t, want %t", when, !want, want)
		}
	}
	displayed(false, "in order")
	s.play(pat, "T1", table.OpenBets{})
	s.play(pat, "T1", table.Report{Incident: rules.ProgressiveDown}) // the round is void
	displayed(true, "failed")
	s.play(pat, "T1", table.SuspendProgressive{Option: table.WithoutProgressive})
	s.play(pat, "T1", table.OpenBets{})
	s.play(access.Person{Name: "ann", Role: access.Player}, "T1", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(pat, "T1", table.CloseBets{})
	displayed(true, "a round without the progressive is dealt")
}

// TestTheFactsNameWhenAStakeLayThere holds that whoever confirms a stake that was found reads of the
// time at which it counts: a Play bet is placed after the call (rws-3cp@3 3.12.2).
func TestTheFactsNameWhenAStakeLayThere(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	pat := s.client("pat")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T2", table.Examine{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Raise{Box: 1, Player: "ann"})
	for found, want := range map[table.Found]string{
		{Box: 1, Player: "ann", Wager: rules.Play, Amount: 20 * money.Major}:               "stated which chips were on the layout when the hand was played.",
		{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 20 * money.Major, AtCall: true}: "stated which chips were on the layout at “No more bets”.",
	} {
		s.play(dealer, "T2", found)
		if _, page := pat("/console/T2"); !strings.Contains(page, want) {
			t.Errorf("%s is found, and the page does not say that somebody %s", found.Wager, want)
		}
		if _, page := pat("/console/T2"); strings.Count(page, "The wager counts as it was stated") != 1 || strings.Count(page, "The round goes on as it is") != 1 {
			t.Errorf("%s is found, and the page does not say what follows each answer", found.Wager)
		}
		s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T2", table.Answer{Answer: "no"})
	}
}

// TestWhoConfirmsACardReadsWhatFollows holds that the answers to a card that was entered wrongly
// say different things: the one undoes payments, and with the other the round goes on as it is.
func TestWhoConfirmsACardReadsWhatFollows(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	pat := s.client("pat")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T2", table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 4s 2h")})
	s.play(dealer, "T2", table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.DealerHand, Index: 1, Card: namedCards("Jd")[0]}}})
	_, page := pat("/console/T2")
	for _, words := range []string{"The card is corrected", "The round goes on as it is"} {
		if strings.Count(page, words) != 1 {
			t.Errorf("the page says %d times %q", strings.Count(page, words), words)
		}
	}
}

// TestAnErrorOfTheLastRoundIsReported holds that a payment that turns out wrong when the next round
// has begun can be reported, of whoever had the bet (rws-3cp@3 5.19).
func TestAnErrorOfTheLastRoundIsReported(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	pat := s.client("pat")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	if _, page := pat("/console/T2"); strings.Contains(page, "Of an earlier round") || strings.Contains(page, `"/console/T2/report/mispaid"`) {
		t.Error("in the first round there is an earlier one")
	}
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T2", table.Fold{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 4s 2h")})
	s.play(dealer, "T2", table.Settle{})
	s.play(dealer, "T2", table.OpenBets{})
	if _, page := pat("/console/T2"); strings.Count(page, "Of an earlier round") != 1 || strings.Count(page, `"/console/T2/report/mispaid"`) != 1 {
		t.Error("in the second round nothing of the first one can be reported")
	}
	_, form := pat("/console/T2/report/mispaid")
	for _, want := range []string{`<option value="1 ann"`, `name="round" value="1"`} {
		if !strings.Contains(form, want) {
			t.Errorf("the form of a payment in the last round has no %s", want)
		}
	}
}

// TestCardsDrawnTogetherAreNamed holds that whoever decides on the order of cards that were drawn
// together reads which number is which card, where one of them lies open (rws-3cp@3 5.14).
func TestCardsDrawnTogetherAreNamed(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	pat := s.client("pat")
	err := s.Install(context.Background(), house.Table{
		Name: "T9", Variant: rws3cp.Book().Standard().Clone(), Mode: house.DealerRun, Jackpot: "linked",
		Config: table.Config{Device: rules.Shoe, Cards: table.Unseen, Chips: true},
	}, admin)
	if err != nil {
		t.Fatal(err)
	}
	s.play(dealer, "T9", table.OpenBets{})
	s.play(dealer, "T9", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T9", table.CloseBets{})
	s.play(dealer, "T9", table.Report{Incident: rules.DrawnTogether, Cards: []table.Exposed{{}, {Card: namedCards("Ks")[0]}}})
	if _, page := pat("/console/T9"); !strings.Contains(strings.Join(strings.Fields(page), ""), "<li>acardfacedown</li><li>kingofspades</li>") {
		t.Error("the page does not say which card is which")
	}
}

// TestNobodyLaysUpCardsThatThePageDoesNotKnow has a player at a table whose cards only the player
// sees: the page asks for no press that is refused, because the dealer names the cards.
func TestNobodyLaysUpCardsThatThePageDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T8", "mbs-3pictures", table.Unseen)
	ann := s.client("ann")
	s.play(dealer, "T8", table.OpenBets{})
	s.play(dealer, "T8", table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 25 * money.Major})
	s.play(dealer, "T8", table.CloseBets{})
	s.play(dealer, "T8", table.Deal{Cards: make([]table.Drawn, 6)})
	if _, page := ann("/tables/T8"); !strings.Contains(page, `value="examine:1"`) || strings.Contains(page, "drag over them") {
		t.Error("the page does not let its player say that the cards are taken up, or speaks of cards on the page")
	}
	s.play(dealer, "T8", table.Examine{Box: 1, Player: "ann"})
	if _, page := ann("/tables/T8"); strings.Contains(page, `value="lay-up:1"`) {
		t.Error("the page asks its player to lay up cards that it does not know")
	}
	if _, page := ann("/tables/T8"); !strings.Contains(page, "In play $25") {
		t.Error("the page does not say what is in play")
	}
	s.play(dealer, "T8", table.LayUp{Box: 1, Hand: namedCards("Kd 4s 2h")})
	s.play(dealer, "T8", table.Reveal{Hand: namedCards("9c 9d 2s")})
	s.play(dealer, "T8", table.Settle{})
	if _, page := ann("/tables/T8"); strings.Contains(page, "In play") {
		t.Error("once the round is settled, the page says that something is in play")
	}
}

func TestStaffSignIn(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, path, cookie string, form url.Values) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, s.address+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: "trey", Value: cookie})
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() }) //nolint:errcheck // nothing is written
		return answer
	}
	if got := ask("GET", "/console/T1", "", nil); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/sign-in?back=%2Fconsole%2FT1" {
		t.Errorf("a stranger at the console: %s to %q", got.Status, got.Header.Get("Location"))
	}
	if got := ask("POST", "/sign-in", "", url.Values{"name": {"dan"}, "password": {"guessed it is"}}); got.StatusCode != http.StatusUnauthorized || len(got.Cookies()) != 0 {
		t.Errorf("a wrong password: %s", got.Status)
	}
	for _, back := range foreignPaths {
		got := ask("POST", "/sign-in", "", url.Values{"name": {"dan"}, "password": {password}, "back": {back}})
		if got.StatusCode != http.StatusBadRequest || got.Header.Get("Location") != "" || len(got.Cookies()) != 0 {
			t.Errorf("signing in with a way back to %q: %s to %q", back, got.Status, got.Header.Get("Location"))
		}
		if got := ask("GET", "/sign-in?back="+url.QueryEscape(back), "", nil); got.StatusCode != http.StatusBadRequest {
			t.Errorf("the page with a way back to %q: %s", back, got.Status)
		}
	}
	in := ask("POST", "/sign-in", "", url.Values{"name": {"dan"}, "password": {password}})
	if in.StatusCode != http.StatusSeeOther || in.Header.Get("Location") != "/console" || len(in.Cookies()) != 2 {
		t.Fatalf("signing in: %s to %q", in.Status, in.Header.Get("Location"))
	}
	cookie := in.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v", cookie)
	}
	dan := cookie.Value
	if got := ask("GET", "/console/T1", dan, nil).StatusCode; got != http.StatusOK {
		t.Errorf("dan at the console: %d", got)
	}
	for _, path := range []string{"/", "/rules", "/console", "/console/T1", "/console/none", "/sign-in"} {
		if got := ask("GET", path, dan, nil).Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s of somebody who has signed in may be kept: Cache-Control is %q", path, got)
		}
		if got := ask("GET", path, "", nil).Header.Get("Cache-Control"); got == "no-store" {
			t.Errorf("%s of nobody is no-store: the test above shows nothing", path)
		}
	}
	if got := ask("GET", "/console/T1/rules", dan, nil).StatusCode; got != http.StatusForbidden {
		t.Errorf("a dealer at the limits: %d", got)
	}
	if got := ask("POST", "/console/T1/do", dan, url.Values{"kind": {"close-table"}}).StatusCode; got != http.StatusForbidden {
		t.Errorf("a dealer closes the table: %d", got)
	}
	if got := ask("POST", "/staff/proposals", dan, url.Values{"kind": {"fill"}, "table": {"T1"}, "amount": {"5"}}).StatusCode; got != http.StatusForbidden {
		t.Errorf("a dealer asks for a fill: %d", got)
	}
	if got := ask("POST", "/staff/jackpot-down", dan, url.Values{"jackpot": {"linked"}, "note": {"the server does not answer"}}).StatusCode; got != http.StatusSeeOther {
		t.Errorf("a dealer reports that the jackpot has failed: %d", got)
	}
	if state, _ := s.Jackpot("linked"); !state.Down {
		t.Error("the jackpot works, and was reported to have failed")
	}
	for name, down := range downAt(t, s) {
		if !down {
			t.Errorf("the jackpot of table %s has failed, and it plays on", name)
		}
	}
	if got := ask("POST", "/staff/jackpot-down", dan, url.Values{"jackpot": {"linked"}}).StatusCode; got != http.StatusConflict {
		t.Errorf("a failure that was reported already: %d", got)
	}
	up, staff := url.Values{"jackpot": {"linked"}}, signedIn(t, s.address, "dan", "pat", "sue", "cat", "sam")
	offeredTo(t, staff, "/staff/jackpot-up", up, "pat", "sue")
	if _, status, page := staff["pat"].open("/staff/jackpot-up", up); status != http.StatusOK {
		t.Errorf("a pit supervisor puts the jackpot back into service: %d %s", status, page)
	}
	for name, down := range downAt(t, s) {
		if down {
			t.Errorf("the jackpot works again, and not at table %s", name)
		}
	}
	if _, status, page := staff["pat"].open("/staff/jackpot-up", up); status != http.StatusConflict {
		t.Errorf("put back into service while it works: %d %s", status, page)
	}
	offeredTo(t, staff, "/staff/jackpot-up", up)
	ask("POST", "/sign-out", dan, nil)
	if got := ask("GET", "/console/T1", dan, nil).StatusCode; got != http.StatusSeeOther {
		t.Errorf("dan at the console after leaving: %d", got)
	}
	player := ask("POST", "/sign-in", "", url.Values{"name": {"ann"}, "password": {password}}).Cookies()[0].Value
	if got := ask("GET", "/console", player, nil).StatusCode; got != http.StatusForbidden {
		t.Errorf("a player at the console: %d", got)
	}
	r := httptest.NewRequest("POST", "/console/T1/do", strings.NewReader("kind=open-bets"))
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	s.server.Config.Handler.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("a form from elsewhere: %d", w.Code)
	}
}

// Whoever is shut out while the rest of a form is on its way sends that in vain.
func TestShutOutBeforeTheEndOfAForm(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "dan", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	const form = "kind=open-bets"
	body, rest := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/console/T1/do", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(&http.Cookie{Name: identity.CookieName(false), Value: token})
	r.ContentLength = int64(len(form))
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		if _ = got.Body.Close(); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("dan is shut out, and the form is answered %s", got.Status)
		}
	}()
	_, _ = io.WriteString(rest, form[:4]) // a pipe that is read takes it
	ask := s.client("sue")
	for range 20 { // the head is there long before the answers to these
		ask("/console/T1")
	}
	if _, err := s.people.Disable(t.Context(), identity.ChangeRequest{By: access.Person{Name: "ida", Role: access.Administrator}, Why: "caught"}, "dan"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(rest, form[4:])
	<-answered
	if status, err := s.Status("T1"); err != nil || status.State.Phase() == table.Betting {
		t.Errorf("dan has opened the bets (%v)", err)
	}
}

// A shift manager changes the limits, and they hold from the next round on.
func TestLimitsAreChanged(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sue := s.as(t, "sue")
	do(
		t, sue, chromedp.Navigate(s.address+"/console/T1/rules"), still(),
		chromedp.SetValue(`input[name="ante.min"]`, "25"), chromedp.SetValue(`input[name="ante.max"]`, "250"), button("Change limits and pace"),
		shows("#answer", "in force from round 1 on"),
	)
	s.play(access.Person{Name: "sue", Role: access.ShiftManager}, "T1", table.OpenBets{})
	v, err := s.RulesAt("T1", 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Limits[rules.Ante]; got.Min != 25*money.Major || got.Max != 250*money.Major {
		t.Errorf("the limits are %v", got)
	}
}

// Where the book has limits for Play too, they go with those of Ante, which the page asks for.
func TestLimitsOfPlayGoWithThoseOfAnte(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "us-3cp", table.Virtual)
	form := url.Values{"ante.min": {"3"}, "ante.max": {"50"}, "pair-plus.min": {"2"}, "pair-plus.max": {"10"}}
	if status, page := s.post("sue", "/console/T3/rules", form); status != http.StatusOK {
		t.Fatalf("%d: %s", status, page)
	}
	status, err := s.Status("T3")
	if err != nil {
		t.Fatal(err)
	}
	want := rules.Limit{Min: 3 * money.Major, Max: 50 * money.Major}
	if v := status.InForce().Variant; v.Limits[rules.Ante] != want || v.Limits[rules.Play] != want {
		t.Errorf("the limits are %v and %v", v.Limits[rules.Ante], v.Limits[rules.Play])
	}
	// What is no number of seconds is refused as what was typed.
	if status, page := s.post("sue", "/console/T3/rules", url.Values{"ante.min": {"3"}, "pace.show": {"NaN"}}); status != http.StatusUnprocessableEntity || !strings.Contains(page, "“NaN” is no number") {
		t.Errorf("NaN: %d", status)
	}
}

// TestFactsAreConfirmed has a supervisor state how the cards lie, and a shift manager
// confirm it from what the page says. The person who reported gets no buttons.
func TestFactsAreConfirmed(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	pat, sue := s.as(t, "pat"), s.as(t, "sue")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T2", table.Examine{Box: 1, Player: "ann"})
	do(
		t, pat, chromedp.Navigate(s.address+"/console/T2/report/misdeal"), still(), chromedp.WaitVisible("#report form"),
		chromedp.SendKeys("#r-lies-1", "4"), chromedp.Click(`#report [name="order-lost"]`),
		button("Show what follows"), chromedp.WaitVisible("#foreseen"), button("Confirm and record"),
		shows("#k-ask", "Do you confirm the facts"), shows("#k-ask", "You reported this"),
	)
	var asked string
	var buttons int
	do(
		t, pat, chromedp.Evaluate(`document.querySelectorAll("#k-ask button").length`, &buttons),
	)
	if buttons != 0 {
		t.Errorf("the person who reported has %d buttons", buttons)
	}
	before, err := housetest.Table(s, "T2")
	if err != nil {
		t.Fatal(err)
	}
	if before.Question == nil || before.Question.Key != table.ConfirmFacts || len(before.Slots) != 6 {
		t.Fatalf("before the confirmation the question is %+v, with %d cards", before.Question, len(before.Slots))
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/console/T2"), still(), chromedp.WaitVisible("#k-ask form"), chromedp.Text("#k-ask .facts", &asked),
		button("I confirm these facts"), shows("#answer", "done"),
	)
	for _, fact := range []string{"pat, pit supervisor, reported: The cards were dealt wrongly", "Box 1: 4 cards lie there", "order in which the cards came is not known"} {
		if !strings.Contains(asked, fact) {
			t.Errorf("the facts do not say %q: %s", fact, asked)
		}
	}
	// rws-3cp@3 5.15: the hand cannot be put right, so it is out and its bets go back.
	after, err := housetest.Table(s, "T2")
	if err != nil {
		t.Fatal(err)
	}
	if after.Question != nil || after.OnLayout() != 0 || s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}) != 1000*money.Major {
		t.Errorf("after the confirmation: question %v, %s on the layout", after.Question, after.OnLayout())
	}
}

// TestChipsAreStated has a dealer state that chips lay on the layout when the bets were
// closed, after a card was seen: a second person is asked. The button that ends a deal
// is there once only the last hand lacks cards.
func TestChipsAreStated(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan := s.as(t, "dan")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 2)})
	var early, late string
	do(t, dan, chromedp.Navigate(s.address+"/console/T2"), still(), chromedp.Text("#k-flow", &early))
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 3)})
	do(t, dan, shows("#k-flow", "End the deal as the cards lie"), chromedp.Text("#k-flow", &late))
	if strings.Contains(early, "End the deal as the cards lie") || !strings.Contains(late, "End the deal as the cards lie") {
		t.Errorf("the button to end the deal: %q, then %q", early, late)
	}
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 1)})
	s.play(dealer, "T2", table.Examine{Box: 1, Player: "ann"})
	do(
		t, dan, shows("#k-hands", "plays"), chromedp.SendKeys("#found-player", "ann"), chromedp.SetValue("#found-wager", "pair-plus"),
		chromedp.SendKeys("#found-amount", "10"), chromedp.SetValue("#found-when", "yes"), button("State the chips"), shows("#answer", "Done"),
	)
	at, err := housetest.Table(s, "T2")
	if err != nil {
		t.Fatal(err)
	}
	want := table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10 * money.Major, AtCall: true}
	if at.Question == nil || at.Question.Key != table.ConfirmFacts || at.Question.Found != want {
		t.Errorf("asked is %+v, want the facts of %+v", at.Question, want)
	}
}

// TestAPressThatDoesNotArriveIsReported presses a button of the console while the house cannot be
// reached: the page says so, and the same press later is carried out once.
func TestAPressThatDoesNotArriveIsReported(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan := s.as(t, "dan")
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T1"), still(),
		// The request fails as it does without a connection, once before it arrives and once
		// after that.
		chromedp.Evaluate(`{
			const real = globalThis.fetch.bind(globalThis);
			let presses = 0;
			globalThis.fetch = async (...request) => {
				if (request[1]?.method !== "POST" || ++presses > 2) {
					return real(...request);
				}
				if (presses === 2) {
					await real(...request);
				}
				throw new TypeError("Failed to fetch");
			};
		}`, nil),
		button("Place your bets, please"), shows("#answer", "cannot be reached"),
	)
	if at, err := s.Status("T1"); err != nil || at.State.Round() != 0 {
		t.Fatalf("a press that did not arrive has begun round %d, %v", at.State.Round(), err)
	}
	// It arrives, its answer does not; and pressed a third time it is the same request.
	do(t, dan, chromedp.Evaluate(`{
		const form = document.querySelector("#k-flow button").form, again = form.cloneNode(true);
		globalThis.pressTwice = async () => {
			form.requestSubmit();
			while (form.dataset.busy) {
				await new Promise((done) => { setTimeout(done, 20) });
			}
			again.press = form.press;
			document.querySelector("main").append(again);
			again.requestSubmit();
		};
		pressTwice();
	}`, nil), shows("#answer", "done"), shows("#k-head, .pit-head", "betting"))
	if at, err := s.Status("T1"); err != nil || at.State.Round() != 1 {
		t.Fatalf("a press that arrived has begun round %d, %v", at.State.Round(), err)
	}
}

// received keeps the text of a stream that a reader has been sent.
type received struct {
	mu     sync.Mutex
	text   strings.Builder
	header http.Header
}

func (r *received) Header() http.Header { return r.header }

func (r *received) WriteHeader(int) {}

func (r *received) Flush() {}

func (r *received) SetReadDeadline(time.Time) error { return nil }

func (r *received) SetWriteDeadline(time.Time) error { return nil }

func (r *received) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *received) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestOpenPagesReceiveTheirJackpot holds that the heads of a console and of surveillance's page
// of a table show the jackpot meter as soon as a bet at another table has moved it. They do not
// wait until they are drawn anew for other reasons. Time is that of the bubble: it goes on when
// all wait.
func TestOpenPagesReceiveTheirJackpot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := staffedHouse(t)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		pages := map[string]*received{"dan /console/T2/events": {header: http.Header{}}, "sam /surveillance/tables/T2/events": {header: http.Header{}}}
		for page, sent := range pages {
			name, path, _ := strings.Cut(page, " ")
			token, _, err := s.people.Login(ctx, identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
			r.AddCookie(&http.Cookie{Name: "trey", Value: token})
			go s.site.ServeHTTP(sent, r)
			synctest.Wait()
			if !strings.Contains(sent.String(), "Jackpot $10,000") {
				t.Fatalf("%s begins with %s", page, sent)
			}
		}
		s.play(dealer, "T1", table.OpenBets{})
		s.play(ann, "T1", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
		s.play(ann, "T1", table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.play(dealer, "T1", table.CloseBets{})
		time.Sleep(time.Second)
		for page, sent := range pages {
			if !strings.Contains(sent.String(), "Jackpot $10,002") {
				t.Errorf("a bet has moved the jackpot, and %s is sent %s", page, sent)
			}
		}
	})
}
