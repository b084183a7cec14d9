package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// has holds what ann's account stands at.
func (s *staffed) has(t *testing.T, want money.Amount) {
	t.Helper()
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != want*money.Major {
		t.Errorf("ann has %s, want %d", got, want)
	}
}

// TestPayingInStepsAtTheConsole has a dealer pay box by box. A stake that lay there at the
// call and a payment that was too high are stated after the payment, and confirmed by a
// second person.
func TestPayingInStepsAtTheConsole(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	dan, pat := s.as(t, "dan"), s.as(t, "pat")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.Bet{Box: 2, Player: "ann", Wager: rules.Ante, Amount: 50 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 9)})
	s.play(dealer, "T2", table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Raise{Box: 2, Player: "ann"})
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 9c 2s")})
	s.play(dealer, "T2", table.Show{Box: 1, Hand: namedCards("Ac 7d 4h")})
	s.play(dealer, "T2", table.Show{Box: 2, Hand: namedCards("8c 6d 3h")})
	s.has(t, 1000-2*25-2*50)
	do(t, pat, chromedp.Navigate(s.address+"/console/T2"), still())
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T2"), still(), shows("#k-flow", "Settle box 1"),
		// By the keyboard alone: the focus goes on to the next step.
		chromedp.Focus(`//button[.="Settle box 1"]`, chromedp.BySearch), keyboard(kb.Enter), shows("#k-flow", "Settle box 2"),
		chromedp.Poll(`document.activeElement.closest("#k-flow") !== null`, nil, chromedp.WithPollingTimeout(patience)),
	)
	// The Ante and the Play of box 1 come back with as much again.
	s.has(t, 850+100)
	do(
		t, dan, chromedp.SendKeys("#found-player", "ann"), chromedp.SetValue("#found-wager", "pair-plus"), chromedp.SendKeys("#found-amount", "10"),
		chromedp.SetValue("#found-when", "yes"), button("State the chips"), shows("#k-ask", "Did this lie there"), shows("#k-flow", "A question has to be answered"),
	)
	if state, err := housetest.Table(s, "T2"); err != nil || state.Question == nil || state.Question.Key != table.ConfirmFacts {
		t.Fatalf("nobody is asked: %v", err)
	}
	do(
		t, pat, shows("#k-ask", "Pair Plus"), shows("#k-ask", "$10"), button("I confirm these facts"), shows("#answer", "done"),
		chromedp.WaitNotPresent("#k-ask form"),
	)
	// Ace high is no pair: the 10 are lost, and the rest of box 1 is as before.
	do(t, dan, shows("#k-lines", "Pair Plus"), shows("#k-flow", "Settle"))
	if state, err := housetest.Table(s, "T2"); err != nil {
		t.Fatal(err)
	} else if state.Boxes[0].Settled == false {
		do(t, dan, button("Settle box 1"), shows("#k-flow", "Settle box 2"))
	}
	s.has(t, 950-10)
	// 70 were handed over for the Ante, which brought 50 with its stake.
	do(
		t, dan, chromedp.Click("#k-incidents summary"), chromedp.Click(`//a[contains(@href, "/report/mispaid")]`, chromedp.BySearch), chromedp.WaitVisible("#report form"),
		chromedp.SetValue("#r-target", "1 ann"), chromedp.SetValue("#r-wager", "ante"), chromedp.SendKeys("#r-given", "70"),
		button("Show what follows"), chromedp.WaitVisible("#foreseen"), shows("#foreseen", "rws-3cp@3 1.18"),
		button("Confirm and record"), shows("#k-ask", "Do you confirm the facts"),
	)
	do(t, pat, shows("#k-ask", "$70 was given for it"), button("I confirm these facts"), shows("#k-told", "was given $70"))
	do(t, dan, button("Settle the rest"), shows("#k-head", "settled"))
	s.has(t, 940) // box 2 has lost, and a wrong payment changes no line
}

// large has ann take a jackpot, at a table where hits from $10,000 on are verified. The next
// round takes bets, so that the hit can be denied.
func (s *staffed) large(name string) {
	s.Helper()
	s.largeInRound(name)
	s.play(dealer, name, table.OpenBets{})
}

// largeInRound does what large does while the round of the hit is not closed.
func (s *staffed) largeInRound(name string) {
	s.Helper()
	b, err := books.Find("rws-3cp")
	if err != nil {
		s.Fatal(err)
	}
	of := house.Table{
		Name: name, Variant: b.Standard().Clone(), Mode: house.DealerRun, Jackpot: "large", VerifyFrom: 10_000 * money.Major,
		Config: table.Config{Device: b.Devices[0].Device, Cards: table.Unseen, Chips: true},
	}
	if err := s.Install(s.Context(), of, admin); err != nil {
		s.Fatal(err)
	}
	s.hit(name)
	s.play(dealer, name, table.Settle{})
}

// TestAHitIsDeniedWhenItsRoundIsClosed holds that the console offers to deny a hit when the house
// does so, and says before what it waits for.
func TestAHitIsDeniedWhenItsRoundIsClosed(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.largeInRound("L1")
	pat := s.client("pat")
	forms := func() (deny, later bool) {
		_, page := pat("/console")
		return strings.Contains(page, `value="deny-jackpot"`), strings.Contains(page, "when its round is closed")
	}
	if deny, later := forms(); deny || !later {
		t.Errorf("in the round the form is there: %t; what it waits for: %t", deny, later)
	}
	s.play(dealer, "L1", table.OpenBets{})
	if deny, later := forms(); !deny || later {
		t.Errorf("after the round the form is there: %t; what it waits for: %t", deny, later)
	}
}

// TestALargeJackpotAtTheConsole has two people verify one jackpot and deny another. The
// person who proposes it gets no button to approve it.
func TestALargeJackpotAtTheConsole(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	pat, sue := s.as(t, "pat"), s.as(t, "sue")
	held := func() money.Amount { return s.Balance(ledger.Account{Kind: ledger.Payable, Of: "large"}) }
	summary := func(words string) chromedp.Action {
		return chromedp.Click(`//*[@id="f-pots"]//summary[starts-with(normalize-space(.), "`+words+`")]`, chromedp.BySearch)
	}
	form := func(kind string) string { return `#f-pots form:has(input[value="` + kind + `"])` }
	s.large("L1")
	// Of a Progressive bet of 5, 2 go to the meter of 10,000. The Ante and the Play win 25
	// each, and the bonus for a straight flush is 5 to 1.
	s.has(t, 1000-5+25+25+125)
	if held() != 10_002*money.Major {
		t.Fatalf("%s is held", held())
	}
	do(
		t, pat, chromedp.Navigate(s.address+"/console"), still(), shows("#f-pots", "$10,002 is payable to ann and not handed out"),
		summary("Verify:"), chromedp.SendKeys(form("verify-jackpot")+" input[name=note]", "hand, deck and meter are in order"),
		chromedp.Click(form("verify-jackpot")+" button"), shows("#answer", "waits for a second person"), shows("#f-waits", "Verified: table L1"),
		shows("#f-waits", "$10,002 is payable to ann"),
	)
	var approve int
	do(t, pat, chromedp.Evaluate(`document.querySelectorAll('#f-waits button[value="approve"]').length`, &approve))
	if approve != 0 {
		t.Error("the proposer may approve it")
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), still(), shows("#f-waits", "hand, deck and meter are in order"),
		chromedp.Focus(`#f-waits button[value="approve"]`), keyboard(kb.Enter), shows("#answer", "approved and done"), shows("#f-waits", "Nothing waits"),
		// The button is gone, so the focus is on the message about the result.
		chromedp.Poll(`document.activeElement.id === "answer"`, nil, chromedp.WithPollingTimeout(patience)),
	)
	s.has(t, 1170+10_002)

	s.large("L2")
	s.has(t, 1170+10_002+170)
	do(t, pat, shows("#f-pots", "table L2, round 1, box 1"), summary("Deny:"), chromedp.SendKeys(form("deny-jackpot")+" input[name=clause]", "77.7"),
		chromedp.SendKeys(form("deny-jackpot")+" input[name=note]", "a card of another deck"), chromedp.Click(form("deny-jackpot")+" button"), chromedp.WaitVisible("#answer .alarm"))
	do(
		t, pat, chromedp.SetValue(form("deny-jackpot")+" input[name=clause]", "5.15"), chromedp.Click(form("deny-jackpot")+" button"),
		shows("#answer", "waits for a second person"),
	)
	// The answer to the first approval is still there and says the same.
	do(t, sue, shows("#f-waits", "Denied under"), shows("#f-waits", "a card of another deck"), button("Approve"), shows("#f-waits", "Nothing waits"), shows("#answer", "approved and done"))
	s.has(t, 1170+10_002+170)
	if held() != 0 {
		t.Errorf("%s is still held", held())
	}
	do(t, pat, chromedp.Poll(`!document.querySelector("#f-pots").innerText.includes("L2, round 1")`, nil, chromedp.WithPollingTimeout(patience)))
	if _, wall := s.client("sam")("/jackpots/large"); !strings.Contains(wall, "Last hits, 1 in all") {
		t.Error("the display counts a hit that was denied")
	}
}
