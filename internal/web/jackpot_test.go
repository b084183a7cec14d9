package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/steady"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// hit deals a table whose cards nobody sees before they are turned, until a hand of
// ann's lies open that takes the jackpot.
func (s *staffed) hit(name string) {
	s.Helper()
	named := func(text string) (all []card.Card) {
		for word := range strings.FieldsSeq(text) {
			c, err := card.Parse(word)
			if err != nil {
				s.Fatal(err)
			}
			all = append(all, c)
		}
		return all
	}
	s.play(dealer, name, table.OpenBets{})
	s.play(dealer, name, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, name, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.play(dealer, name, table.CloseBets{})
	s.play(dealer, name, table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, name, table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, name, table.Reveal{Hand: named("Kd 9c 2s")})
	s.play(dealer, name, table.Show{Box: 1, Hand: named("As Ks Qs")})
}

// first returns the table whose hit is paid first.
func (s *staffed) first() string {
	s.Helper()
	queue, err := s.PendingHits("linked")
	if err != nil || len(queue) != 2 {
		s.Fatalf("pending are %+v, %v", queue, err)
	}
	return queue[0].ID.Table
}

// Two hands wait for the jackpot. A supervisor asks for another order of payment, and the shift
// manager sees its effect and approves it. The wall shows who is paid and with what the meter
// begins again.
func TestTheOrderOfPaymentIsDetermined(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.put("T3", table.Unseen)
	pat, sue, wall := s.as(t, "pat"), s.as(t, "sue"), s.as(t, "sam")
	s.hit("T2")
	do(t, wall, chromedp.Navigate(s.address+"/jackpots/linked"), shows("#j-hits", "table T2, box 1"))
	s.hit("T3")
	if s.first() != "T2" {
		t.Fatal("the hand that was dealt first is not paid first")
	}
	do(t, sue, chromedp.Navigate(s.address+"/console"), still(), shows("#f-pots", "table T3, round 1, box 1"), shows("#f-pots", "dealt at"))
	do(
		t, pat, chromedp.Navigate(s.address+"/console"), still(),
		chromedp.Click(`//summary[.="Determine the order: table T3, round 1, box 1"]`),
		chromedp.SetValue("#order-note-linked1", "by the recordings of both tables"),
		chromedp.Click(`//form[.//input[@value="T3"]]//button[.="Propose it"]`), shows("#answer", "waits for a second person"),
	)
	do(
		t, sue, shows("#f-waits", "Order of payment of table T3, round 1, box 1"), shows("#f-waits", "by the recordings"),
		chromedp.Poll(`[...document.querySelectorAll("#f-waits ol")].map(l => [...l.children].map(h => h.innerText.match(/T\d/)[0]).join()).join(" then ") === "T2,T3 then T3,T2"`, nil),
	)
	if s.first() != "T2" {
		t.Error("it was done before it was approved")
	}
	do(
		t, sue, button("Approve"), shows("#answer", "approved and done"), shows("#f-waits", "nothing waits"),
		chromedp.Poll(`/T3[^]*T2/.test(document.querySelector("#f-pots ol").innerText)`, nil),
	)
	do(t, pat, chromedp.Poll(`/T3[^]*T2/.test(document.querySelector("#f-pots ol").innerText)`, nil))
	if s.first() != "T3" {
		t.Error("the order is as it was")
	}
	// Two bets of $5 put $2 each on the $10,000.
	s.play(dealer, "T3", table.Settle{})
	s.play(dealer, "T2", table.Settle{})
	do(
		t, wall, shows("#j-hits", "$10,000 won at table T2, box 1"), shows("#j-hits", "begins again with $10,000"),
		shows("#j-paid", "$10,004"), shows("#j-paid", "table T3, box 1"), shows("#j-meter .wall-meter", "$10,000.00"),
	)
	var page string
	do(t, wall, chromedp.Text("main", &page))
	if strings.Contains(page, "ann") {
		t.Errorf("the wall says who won: %s", page)
	}
}

// The terms of a jackpot are changed by two people, who see each value before and
// after; they hold from the next hit on.
func TestTheTermsOfAJackpotAreChanged(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	pat, sue := s.as(t, "pat"), s.as(t, "sue")
	do(t, sue, chromedp.Navigate(s.address+"/console"), still(), shows("#f-pots", "linked"))
	next := func() *jackpot.Terms {
		state, _ := s.Jackpot("linked")
		return state.NextTerms
	}
	propose := func(reset string) {
		t.Helper()
		do(
			t, pat, chromedp.Navigate(s.address+"/console"), still(), chromedp.Click(`//summary[.="Change the terms of linked"]`),
			chromedp.SetValue("#terms-reset-linked", reset), chromedp.SetValue("#terms-overflow-linked", "first"), chromedp.SetValue("#terms-note-linked", "for the winter"),
			chromedp.Click(`//form[.//input[@value="change-terms"]]//button[.="Propose it"]`), shows("#answer", "waits for a second person"),
		)
	}
	propose("20,000")
	do(
		t, sue, shows("#f-waits", "New terms for linked"), shows("#f-waits", "takes effect at the next hit"),
		chromedp.Poll(`[...document.querySelectorAll("#f-waits .pot-terms strong")].map(x => x.innerText).join() === "$20,000,pays for the next reset first"`, nil),
		chromedp.SetValue("#f-waits input[name=why]", "too much"), button("Decline"), shows("#f-waits", "nothing waits"),
	)
	if next() != nil {
		t.Fatal("terms that were declined wait for the next hit")
	}
	propose("15000")
	do(t, sue, shows("#f-waits", "$15,000"), button("Approve"), shows("#answer", "approved and done"))
	state, _ := s.Jackpot("linked")
	want := state.Terms
	want.Reset, want.Overflow = 15_000*money.Major, jackpot.OverflowFirst
	if got := next(); got == nil || *got != want || state.Terms.Reset != 10_000*money.Major {
		t.Errorf("the terms are %+v, and from the next hit on %+v", state.Terms, got)
	}
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T1", table.CloseTable{})
	do(t, pat, chromedp.Navigate(s.address+"/console"), still(), chromedp.Click(`//summary[.="Change the terms of linked"]`), shows(".pot-terms", "From the next hit, as decided"))
}

// The dealer is not told to hand out a jackpot that two people have to verify first: the sum and
// its chips are those of the rest of the box.
func TestTheDealerHandsOutNoJackpotThatIsHeld(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	for name, verifyFrom := range map[string]money.Amount{"J1": 1, "J2": 100_000_000 * money.Major} {
		of := house.Table{
			Name: name, Variant: b.Standard().Clone(), Mode: house.DealerRun, Jackpot: "of " + name, VerifyFrom: verifyFrom,
			Config: table.Config{Device: b.Devices[0].Device, Cards: table.Unseen, Chips: true},
		}
		of.Variant.Jackpot.Reset = 100 * money.Major // less than the bet could have brought otherwise
		if err := s.Install(t.Context(), of, admin); err != nil {
			t.Fatal(err)
		}
		s.hit(name)
		_, page := s.client("dan")("/console/" + name)
		// Ante and Play bring 25 each, and the straight flush 5 to 1.
		rest := strings.Contains(page, "Pay $175") && strings.Contains(page, "Do not hand out Progressive Jackpot yet")
		if held := verifyFrom == 1; rest != held {
			t.Errorf("%s: what the dealer is told to pay is wrong", name)
		}
		// Nor is the winner told that it is theirs already.
		s.play(dealer, name, table.Settle{})
		_, page = s.client("ann")("/tables/" + name)
		if held := verifyFrom == 1; strings.Contains(page, "of it goes to your account once") != held || strings.Contains(page, "The round changed your balance by") == held {
			t.Errorf("%s: what the winner is told is wrong", name)
		}
		// What the staff award no hand has brought, and no jackpot has paid.
		s.play(dealer, name, table.Report{Incident: rules.Uncovered, Box: 1, Note: "a drink was spilled"})
		s.play(access.Person{Name: "sue", Role: access.ShiftManager}, name, table.Answer{Answer: "remedy", Remedies: []table.Remedy{
			{Do: table.AwardAmount, Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 20 * money.Major, Reason: "for the wait"},
		}})
		if _, page = s.client("ann")("/tables/" + name); !strings.Contains(page, "The round changed your balance by +$20.") || strings.Count(page, `class="win-banner`) != 1 {
			t.Errorf("%s: what the winner is told of an award is wrong", name)
		}
		// A round that is over says the same.
		s.play(dealer, name, table.OpenBets{})
		_, page = s.client("ann")("/tables/" + name + "/rounds/1")
		if held := verifyFrom == 1; strings.Contains(page, "of it goes to your account once") != held {
			t.Errorf("%s: what the winner is told of a round that is over is wrong", name)
		}
	}
}

// TestADeniedJackpotIsNoResult holds that a jackpot which two people denied after its round is no part of
// what a page says of the winner's result, where the page is open, and where it is read from the record.
func TestADeniedJackpotIsNoResult(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	ann := s.client("ann")
	s.large("L1")
	const denied = "Two people of the house denied the jackpot of $10,002 after the round: it did not go to your account."
	// The Ante and the Play win 25 each, the bonus for a straight flush is 5 to 1, and the Progressive
	// wager takes the meter of 10,002 for its 5.
	says := func(when, net string, words bool) {
		t.Helper()
		status, page := ann("/tables/L1")
		_, replay := ann("/tables/L1/rounds/1")
		for part, want := range map[string]string{
			"result": net, "rounds": net, "lines": "You in this round: " + net, "stats": "Net " + net + " Best round " + net,
		} {
			if text := partText(page, part); status != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s: %d, %s lacks %q: %s", when, status, part, want, text)
			}
		}
		if strings.Contains(partText(page, "lines"), denied) != words || strings.Contains(replay, denied) != words {
			t.Errorf("%s: that the jackpot was denied has to be said: %t", when, words)
		}
	}
	says("while it is held", "+$10,172", false)
	id, err := s.Propose(t.Context(), "", access.Person{Name: "pat", Role: access.PitSupervisor}, house.DenyJackpot{
		Jackpot: "large", Hit: jackpot.HitID{Table: "L1", Round: "1", Box: 1}, Clause: "5.15", Note: "a card of another deck",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Approve(t.Context(), "", access.Person{Name: "sue", Role: access.ShiftManager}, id); err != nil {
		t.Fatal(err)
	}
	says("at a page that was open", "+$170", true)
	s.play(dealer, "L1", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	says("in the next round", "+$170", true)
}
