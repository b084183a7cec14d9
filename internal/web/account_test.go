package web_test

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// post sends a form as somebody and returns the status and the page.
func (s *staffed) post(name, path string, form url.Values) (int, string) {
	s.Helper()
	token, _, err := s.people.Login(s.Context(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		s.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(&http.Cookie{Name: identity.CookieName(false), Value: token})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	page, err := io.ReadAll(got.Body)
	if err != nil {
		s.Fatal(err)
	}
	return got.StatusCode, string(page)
}

// TestAPlayerLimitsTheirPlayInABrowser holds that a player sets a limit on the page, and is
// refused at the table because of it. The player answers a reality check there, sees and ends a
// session, and takes a time-out.
func TestAPlayerLimitsTheirPlayInABrowser(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	ctx := s.as(t, "ann")
	s.play(dealer, "T1", table.OpenBets{})
	var limit, refused, leads string
	do(
		t, ctx, chromedp.Navigate(s.address+"/account"), still(),
		chromedp.SetValue("#limit", "loss/day"), chromedp.SetValue("#most", "1"), chromedp.Click(`button[name="do"][value="set"]`),
		// The page before lists the limit too, with nothing beside it: what the change led to says that it was made.
		chromedp.WaitVisible("#done"), chromedp.Text(`tr[data-limit="loss/day"]`, &limit),
		chromedp.Navigate(s.address+"/tables/T1"), still(), press("a-1-ante"), chromedp.WaitVisible("#refusal a"),
		chromedp.Text("#refusal", &refused), chromedp.AttributeValue("#refusal a", "href", &leads, nil),
	)
	if !strings.Contains(limit, "$1") || !strings.Contains(refused, "losses in 24 hours") || leads != "/account" {
		t.Errorf("the limit is shown as %q, and refused is %q, which leads to %q", limit, refused, leads)
	}

	// The limit is taken away, and a day later it is gone: too late for this session,
	// so it is the other one that goes on.
	key := protection.Key{Kind: protection.Check, Period: protection.Session}
	minutes := int64(5)
	if err := s.SetLimit(t.Context(), "", ann, key, &minutes); err != nil {
		t.Fatal(err)
	}
	if err := s.SetLimit(t.Context(), "", ann, protection.Key{Kind: protection.Loss, Period: protection.Day}, nil); err != nil {
		t.Fatal(err)
	}
	s.aheadMs.Add(24 * 60 * 60 * 1000)
	ctx = s.as(t, "ann")
	other := s.client("ann") // another session
	do(t, ctx, chromedp.Navigate(s.address+"/tables/T1"), still(), press("a-1-ante"), chromedp.WaitReady(".has > #a-1-ante"))
	s.aheadMs.Add(6 * 60 * 1000)
	var figures, where string
	do(
		t, ctx, press("a-1-ante"), chromedp.WaitVisible("#refusal a"),
		chromedp.Navigate(s.address+"/tables/T1"), chromedp.WaitVisible("[data-reality-check]"),
		chromedp.Text("[data-reality-check]", &figures),
		chromedp.Click("[data-reality-check] button"), chromedp.WaitNotPresent("[data-reality-check]"), chromedp.WaitReady("#play"), chromedp.Location(&where),
		press("a-2-ante"), chromedp.WaitReady(".has > #a-2-ante"),
	)
	if !strings.Contains(figures, "6 min") || !strings.HasSuffix(where, "/tables/T1") {
		t.Errorf("the check says %q, and its answer leads to %s", figures, where)
	}

	if code, _ := other("/account"); code != http.StatusOK {
		t.Fatalf("another session: %d", code)
	}
	var last string
	do(
		t, ctx, chromedp.Navigate(s.address+"/account"), still(), chromedp.Text("[data-last-sign-in]", &last),
		chromedp.Click(`button[name="end"]`), chromedp.WaitNotPresent(`button[name="end"]`),
	)
	if !strings.Contains(last, "127.0.0.1") {
		t.Errorf("the last sign-in is told as %q", last)
	}
	if code, page := other("/account"); code == http.StatusOK && strings.Contains(page, "account-figures") {
		t.Error("the session that was ended still shows the page")
	}

	var pause string
	do(
		t, ctx, chromedp.Click(`form[action="/account/time-out"] input[name="sure"]`), chromedp.Click(`form[action="/account/time-out"] button`),
		chromedp.WaitVisible("[data-time-out]"), chromedp.Text("[data-time-out]", &pause),
		chromedp.Navigate(s.address+"/tables/T1"), still(), press("a-3-ante"), chromedp.WaitVisible("#refusal a"), chromedp.Text("#refusal", &refused),
	)
	if !strings.Contains(pause, "You take a time-out until") || !strings.Contains(refused, "time-out") {
		t.Errorf("the pause is told as %q, and refused is %q", pause, refused)
	}
}

// TestWhatAPlayerOwesIsOnThePages holds that a debt is told to its player, and to whoever pays the
// player out and may see accounts.
func TestWhatAPlayerOwesIsOnThePages(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	owes := func() (readers []string) {
		for _, name := range []string{"ann", "cat", "sue", "pat"} {
			path := "/players?name=ann"
			if name == "ann" {
				path = "/account"
			}
			if _, page := s.client(name)(path); strings.Contains(page, "data-owes") {
				readers = append(readers, name)
				if !strings.Contains(page, "the house $100,") {
					t.Errorf("%s is told another sum", name)
				}
			}
		}
		return readers
	}
	s.play(dealer, "T2", table.OpenBets{})
	s.play(dealer, "T2", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 25 * money.Major})
	s.play(dealer, "T2", table.CloseBets{})
	s.play(dealer, "T2", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T2", table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, "T2", table.Reveal{Hand: namedCards("Kd 9c 2s")})
	s.play(dealer, "T2", table.Show{Box: 1, Hand: namedCards("Ac 7d 4h")})
	s.play(dealer, "T2", table.Settle{})
	s.has(t, 1050)
	if _, err := s.CageTransfer(t.Context(), "", cashier, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 1050 * money.Major}); err != nil {
		t.Fatal(err)
	}
	if readers := owes(); readers != nil {
		t.Errorf("before, a debt is told to %v", readers)
	}
	s.play(dealer, "T2", table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.Box(1), Index: 1, Card: namedCards("5c")[0]}}})
	s.play(access.Person{Name: "sue", Role: access.ShiftManager}, "T2", table.Answer{Answer: "yes"})
	if readers := owes(); !slices.Equal(readers, []string{"ann", "cat", "sue"}) {
		t.Errorf("a debt is told to %v", readers)
	}
}

// TestThePagesOfProtection holds who sees them and may use them, what a wrong form is
// answered, and that they are in the reader's language.
func TestThePagesOfProtection(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	for name, plays := range map[string]bool{"ann": true, "dan": false, "sue": false} {
		if code, page := s.client(name)("/account"); code != http.StatusOK || strings.Contains(page, "/account/limit") != plays || !strings.Contains(page, "/account/passkeys/begin") {
			t.Errorf("%s, /account: %d", name, code)
		}
	}
	for _, path := range []string{"/account/limit", "/account/time-out", "/account/exclusion", "/account/check"} {
		if code, _ := s.post("dan", path, url.Values{"limit": {"loss/day"}, "most": {"1"}, "days": {"7"}, "sure": {"1"}}); code != http.StatusForbidden {
			t.Errorf("a dealer, %s: %d", path, code)
		}
	}
	for name, want := range map[string]int{"cat": http.StatusOK, "pat": http.StatusOK, "sue": http.StatusOK, "ann": http.StatusForbidden, "dan": http.StatusForbidden, "sam": http.StatusForbidden} {
		if code, _ := s.client(name)("/players?name=ann"); code != want {
			t.Errorf("%s, /players: %d", name, code)
		}
	}
	for name, sees := range map[string]bool{"cat": true, "sue": true, "pat": false} {
		if _, page := s.client(name)("/players?name=ann"); strings.Contains(page, "Balance: $1,000") != sees {
			t.Errorf("%s sees ann's balance: %t", name, !sees)
		}
	}
	exclusion := url.Values{"name": {"ann"}, "days": {"30"}, "why": {"asked for at the desk"}, "sure": {"1"}}
	for _, name := range []string{"ann", "dan", "sam"} {
		if code, _ := s.post(name, "/players", exclusion); code != http.StatusForbidden && code != http.StatusUnauthorized {
			t.Errorf("%s excluded ann: %d", name, code)
		}
	}
	for path, forms := range map[string][]url.Values{
		"/account/limit":     {{"limit": {"loss/day"}, "most": {"much"}}, {"limit": {"loss"}}, {"limit": {"time/day"}, "most": {"1.5"}}},
		"/account/time-out":  {{"days": {"7"}}, {"days": {"x"}, "sure": {"1"}}},
		"/account/exclusion": {{"days": {"0"}}},
	} {
		for _, form := range forms {
			if code, page := s.post("ann", path, form); code != http.StatusUnprocessableEntity || !strings.Contains(page, `id="failed"`) {
				t.Errorf("%s with %v: %d", path, form, code)
			}
		}
	}
	if code, _ := s.post("ann", "/account/check", url.Values{"back": {"//example.com"}}); code != http.StatusBadRequest {
		t.Errorf("a way to another site: %d", code)
	}
	// Nobody can end an exclusion, so that whoever excludes a player says that they know it.
	if code, page := s.post("cat", "/players", url.Values{"name": {"ann"}, "days": {"0"}, "why": {"a slip"}}); code != http.StatusConflict || !strings.Contains(page, `id="failed"`) {
		t.Errorf("an exclusion of which nobody is sure: %d", code)
	}
	if code, _ := s.post("cat", "/players", exclusion); code != http.StatusSeeOther {
		t.Fatalf("a cashier does not exclude: %d", code)
	}
	o := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	if _, err := s.people.AddUser(t.Context(), o, "eve", access.Player, password); err != nil {
		t.Fatal(err)
	}
	if _, err := s.people.Disable(t.Context(), o, "eve"); err != nil {
		t.Fatal(err)
	}
	if code, _ := s.post("cat", "/players", url.Values{"name": {"eve"}, "days": {"30"}, "why": {"before she is let in again"}, "sure": {"1"}}); code != http.StatusSeeOther {
		t.Errorf("a player who is shut out is not excluded: %d", code)
	}
	if code, page := s.post("cat", "/players", url.Values{"name": {"ann"}, "days": {"29"}, "why": {"less"}, "sure": {"1"}}); code != http.StatusConflict || !strings.Contains(page, "cannot be shortened") {
		t.Errorf("shorter: %d", code)
	}
	if code, _ := s.post("cat", "/players", url.Values{"name": {"nobody"}, "days": {"29"}, "why": {"x"}}); code != http.StatusNotFound {
		t.Errorf("nobody: %d", code)
	}
	if code, page := s.client("ann")("/account"); code != http.StatusOK || !strings.Contains(page, "data-excluded") {
		t.Errorf("the excluded player's page: %d", code)
	}
	names := regexp.MustCompile(`\b(?:ann|UTC)\b`)
	for name, path := range map[string]string{"ann": "/account", "cat": "/players?name=ann"} {
		token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		page := text(t, get(t, s.server.Config.Handler, path, "Cookie", "lang=zh-Hans; trey="+token))
		if left := english(names.ReplaceAllString(page, "")); left != "" {
			t.Errorf("%s says in English: %s", path, left)
		}
	}
}
