package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// decided reports what box 1 of a table has decided.
func (s *staffed) decided(name string) table.Decision {
	s.Helper()
	state, err := housetest.Table(s, name)
	if err != nil {
		s.Fatal(err)
	}
	return state.Boxes[0].Decision
}

// TestEnterForfeitsNothing has a dealer deal by the keyboard: what has the focus after the
// deal is nothing by which hands are folded, however often the dealer presses Enter. The
// dealer then warns the players, takes it back, and warns them again.
func TestEnterForfeitsNothing(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	dan, guest := s.as(t, "dan"), s.as(t, "ann")
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	enter := keyboard(kb.Enter)
	do(t, guest, chromedp.Navigate(s.address+"/tables/T2"), still())
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T2"), still(), shows("#k-flow", "6 cards are still to come"),
		chromedp.Focus("#k-flow input[data-cards]"), enter, shows("#k-hands", "plays"), shows("#k-time", "warn"),
		chromedp.Poll(`document.activeElement !== document.body`, nil, chromedp.WithPollingTimeout(patience)),
		enter, enter, chromedp.Evaluate(`0`, nil), shows("#k-time", "warn"),
	)
	var in bool
	do(t, dan, chromedp.Evaluate(`document.activeElement.closest("#k-time") !== null`, &in))
	if in || s.decided("T2") != table.Undecided {
		t.Fatalf("after the deal and two more presses of Enter the hand is %s, and the focus is where it folds: %v", s.decided("T2"), in)
	}
	do(
		t, dan, chromedp.Focus("#k-time button"), enter, shows("#k-time", "dan has warned the players"),
		chromedp.Poll(`document.activeElement.matches("[data-take-back]")`, nil, chromedp.WithPollingTimeout(patience)),
	)
	do(t, guest, shows("#clock", "Please decide now"))
	do(t, dan, enter, shows("#answer", "The warning is taken back"), shows("#k-time", "Warn:"))
	if s.decided("T2") != table.Undecided {
		t.Fatal("a warning that was taken back has folded the hand")
	}
	do(t, guest, chromedp.Poll(`!document.querySelector("#clock").innerText.includes("decide now")`, nil, chromedp.WithPollingTimeout(patience)))
	do(t, dan, button("Warn: five seconds left"), shows("#k-flow", "turn the dealer"))
	if s.decided("T2") != table.Folded {
		t.Error("five seconds after the warning the hand is not folded")
	}
}

// TestTimeEndsFiveSecondsAfterTheWarning sends the order by which the time ends as a
// program of an insider would: again and again, without waiting.
func TestTimeEndsFiveSecondsAfterTheWarning(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "dan", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	post := func(path string, form url.Values) int {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: "trey", Value: token})
		w := httptest.NewRecorder()
		s.server.Config.Handler.ServeHTTP(w, r)
		return w.Code
	}
	expire := url.Values{"kind": {"expire"}}
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	if got := post("/console/T2/do", expire); got != http.StatusConflict {
		t.Errorf("a warning while nothing is awaited: %d", got)
	}
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	if got := post("/console/T2/time", nil); got != http.StatusConflict {
		t.Errorf("a warning that nobody gave is taken back: %d", got)
	}
	if got := post("/console/T2/do", expire); got != http.StatusSeeOther {
		t.Errorf("the warning: %d", got)
	}
	s.aheadMs.Add(4_000)
	for range 3 {
		if got := post("/console/T2/do", expire); got != http.StatusConflict || s.decided("T2") != table.Undecided {
			t.Fatalf("four seconds after the warning: %d, the hand is %s", got, s.decided("T2"))
		}
	}
	// A warning that nobody carried out counts no longer: the next order warns anew.
	s.aheadMs.Add(60_000)
	if got := post("/console/T2/do", expire); got != http.StatusSeeOther || s.decided("T2") != table.Undecided {
		t.Fatalf("a minute after the warning: %d, the hand is %s", got, s.decided("T2"))
	}
	s.aheadMs.Add(5_000)
	if got := post("/console/T2/do", expire); got != http.StatusSeeOther || s.decided("T2") != table.Folded {
		t.Errorf("five seconds after the second warning: %d, the hand is %s", got, s.decided("T2"))
	}
}

// TestNoWarningIsOfferedThatWouldBeRefused holds that the console offers to end the time of
// players if the house would do it, and says why it would not.
func TestNoWarningIsOfferedThatWouldBeRefused(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	dan := signedIn(t, s.address, "dan")["dan"]
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	const warn, expire, reason = `data-key="warn"`, `data-key="expire"`, "ann is signed in and active: wait for the decision"
	look := func(when string, present bool, want ...string) {
		t.Helper()
		s.present.Store(present)
		_, _, page := dan.open("/console/T2", nil)
		for _, part := range []string{warn, expire, reason} {
			if got := strings.Contains(page, part); got != slices.Contains(want, part) {
				t.Errorf("%s: the page has %s: %t", when, part, got)
			}
		}
	}
	look("away", false, warn)
	look("at the page", true, reason)
	s.present.Store(false)
	dan.open("/console/T2/do", url.Values{"kind": {"expire"}})
	look("away after a warning", false, expire)
	look("back at the page after it", true, reason)
}
