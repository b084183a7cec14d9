package web_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/steady"
	"trey/internal/web"
	"trey/table"
)

// codeAt returns the code of a secret at a time, computed by RFC 4226 and RFC 6238 and not by
// the library that the house uses.
func codeAt(t testing.TB, secret string, ms int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	binary.Write(mac, binary.BigEndian, uint64(ms/30_000)) //nolint:errcheck // a hash takes everything
	sum := mac.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// secretOf reads the secret of a second factor from the page that shows it in groups. The
// secret stands behind the QR code, and may arrive later than it.
func secretOf(secret *string) chromedp.Action {
	return chromedp.Poll(`document.readyState === "complete" && document.querySelector('form:has(svg.qr) code')?.textContent.replaceAll(" ", "")`, secret, chromedp.WithPollingTimeout(patience))
}

// in fills in the page on which somebody signs in.
func (s *staffed) in(t *testing.T, ctx context.Context, name, with string) {
	t.Helper()
	do(
		t, ctx, cookies(s.address, "lang", "en", "theme", "light"), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(s.address+"/sign-in"), still(),
		chromedp.SendKeys("#name", name), chromedp.SendKeys("#password", with), chromedp.Click(`form[action="/sign-in"] button`), chromedp.WaitNotPresent("#name"),
	)
}

// TestSecondFactorInABrowser enrols a second factor, signs in with a code and with a
// recovery code, and has two people take a lost one away.
func TestSecondFactorInABrowser(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	var nowMs atomic.Int64
	nowMs.Store(time.Now().UnixMilli())
	people := twoPeopleIn(t, func(w *identity.World) {
		w.NowMs = nowMs.Load
		w.SecondFactor, w.Sealer, w.Issuer = []access.Role{access.ShiftManager}, sealing.Numbered(1), "The Grand"
	})
	s := openStaffed(t, func(c *web.Config) { c.People, c.NowMs = guestless{people}, nowMs.Load })
	s.people = people
	sue := s.as(t, "")
	code := func(ctx context.Context, text string) {
		t.Helper()
		do(t, ctx, chromedp.SetValue("#code", text), chromedp.Click(`form[action="/sign-in/second"] button`))
	}
	var secret, codes, lead string
	s.in(t, sue, "sue", password)
	do(t, sue, chromedp.WaitVisible("svg.qr"), secretOf(&secret))
	code(sue, "nonsense")
	do(t, sue, chromedp.WaitVisible("#wrong"), chromedp.Poll(`document.activeElement?.id === "code"`, nil, chromedp.WithPollingTimeout(patience)))
	code(sue, codeAt(t, secret, nowMs.Load()))
	do(t, sue, chromedp.WaitVisible(".codes"), chromedp.Text(".codes", &codes), chromedp.Click(".sign-in a.button"), chromedp.WaitVisible("#waits"))
	recovery := strings.Fields(codes)
	if len(recovery) < 8 {
		t.Fatalf("the recovery codes are %q", codes)
	}

	// With a code of the device, and not with one that was used.
	again := s.as(t, "")
	s.in(t, again, "sue", password)
	do(t, again, chromedp.WaitVisible("#code"), chromedp.WaitNotPresent("svg.qr"))
	code(again, codeAt(t, secret, nowMs.Load()))
	do(t, again, chromedp.WaitVisible("#wrong"))
	nowMs.Add(60_000)
	code(again, codeAt(t, secret, nowMs.Load()))
	do(t, again, chromedp.WaitVisible("#waits"))

	// With a recovery code, which leads to another factor.
	third := s.as(t, "")
	var other string
	s.in(t, third, "sue", password)
	do(t, third, chromedp.WaitVisible("#code"))
	code(third, recovery[0])
	do(t, third, chromedp.WaitVisible("svg.qr"), chromedp.Text(".sign-in .head p", &lead), secretOf(&other))
	if other == secret || !strings.Contains(lead, "The recovery code is right") {
		t.Errorf("after a recovery code the page says %q", lead)
	}
	nowMs.Add(60_000)
	code(third, codeAt(t, other, nowMs.Load()))
	do(t, third, chromedp.WaitVisible(".codes"))

	// Two others take it away, which ends the sessions, and the next sign-in begins with a
	// new one.
	do(t, sue, chromedp.Navigate("about:blank"))
	do(t, again, chromedp.Navigate("about:blank"))
	ida, moe := s.as(t, "ida"), s.as(t, "moe")
	do(t, moe, chromedp.Navigate(s.address+"/console"), still(), shows("#f-changes", "No change of users waits"))
	do(
		t, ida, chromedp.Navigate(s.address+"/users"), still(), chromedp.Click(`//summary[strong="sue"]`, chromedp.BySearch),
		chromedp.SendKeys("#second-sue-why", "the telephone is lost"), chromedp.Click(`form:has(#second-sue-why) button[value="remove-second-factor"]`),
		chromedp.WaitVisible("#done"), shows("#done", "waits for a second person"), shows("section:has(#waits)", "Removal of the second factor of sue"),
	)
	do(
		t, moe, shows("#f-changes", "the telephone is lost"),
		chromedp.Focus(`#f-changes button[value="approve"]`), keyboard(kb.Enter), shows("#answer", "is made"), shows("#f-changes", "No change of users waits"),
	)
	fourth := s.as(t, "")
	nowMs.Add(60_000)
	s.in(t, fourth, "sue", password)
	var last string
	do(t, fourth, chromedp.WaitVisible("svg.qr"), secretOf(&last))
	if last == secret || last == other {
		t.Error("the factor that was taken away is offered again")
	}
}

// TestUsersAreChangedByTwoInABrowser has an administrator propose changes, a second person
// approve them, and somebody refused whose account the proposer has made.
func TestUsersAreChangedByTwoInABrowser(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	s.people = people
	ida, sue := s.as(t, "ida"), s.as(t, "sue")
	do(t, sue, chromedp.Navigate(s.address+"/console"), still())
	var name, word string
	var approve int
	do(
		t, ida, chromedp.Navigate(s.address+"/users"), still(), chromedp.Click("#add-user summary"),
		chromedp.SendKeys("#add-name", "mia"), chromedp.SetValue("#add-role", "shift-manager"), chromedp.SendKeys("#add-password", "the first password"),
		chromedp.SendKeys("#add-why", "the night shift"), chromedp.Click("#add-user button"),
		chromedp.WaitVisible("#done"), shows("#done", "waits for a second person"), shows("section:has(#waits)", "New user mia, shift manager"),
		chromedp.Evaluate(`document.querySelector("#add-name").value`, &name), chromedp.Evaluate(`document.querySelector("#add-password").value`, &word),
		chromedp.Navigate(s.address+"/console"), still(), shows("#f-changes", "New user mia, shift manager"),
		chromedp.Evaluate(`document.querySelectorAll('#f-changes button[value="approve"]').length`, &approve),
	)
	if approve != 0 || name != "" || word != "" {
		t.Errorf("the proposer has %d buttons to approve it, and the form still holds %q and %d characters", approve, name, len(word))
	}
	do(t, sue, shows("#f-changes", "New user mia"), button("Approve"), shows("#answer", "is made"), shows("#f-changes", "No change of users waits"))
	do(t, ida, shows("#f-changes", "No change of users waits"))

	mia := s.as(t, "")
	s.in(t, mia, "mia", "the first password")
	do(
		t, mia, chromedp.SendKeys("input[name=old]", "the first password"), chromedp.SendKeys("input[name=new]", "a password of my own"),
		chromedp.SendKeys("input[name=again]", "a password of my own"), chromedp.Click(`form[action="/password"] button`), chromedp.WaitVisible("#name"),
	)
	s.in(t, mia, "mia", "a password of my own")
	do(
		t, ida, chromedp.Navigate(s.address+"/users"), still(), chromedp.Click(`//summary[strong="dan"]`, chromedp.BySearch),
		chromedp.SetValue("#role-dan-role", "pit-supervisor"), chromedp.SendKeys("#role-dan-why", "from Monday on"),
		chromedp.Click(`form:has(#role-dan-role) button`), chromedp.WaitVisible("#done"), shows("section:has(#waits)", "Role pit supervisor for dan"),
	)
	do(t, mia, chromedp.Navigate(s.address+"/console"), still(), shows("#f-changes", "from Monday on"), button("Approve"), shows("#answer", "a third person has to approve this"))
	if u, err := people.User("dan"); err != nil || u.Role != access.Dealer {
		t.Errorf("dan is %s, %v", u.Role, err)
	}
	do(t, sue, shows("#f-changes", "from Monday on"), button("Approve"), shows("#f-changes", "No change of users waits"))
	if u, err := people.User("dan"); err != nil || u.Role != access.PitSupervisor {
		t.Errorf("dan is %s, %v", u.Role, err)
	}
}

// TestAPlayerExcludesThemselvesInABrowser sends a form that is wrong, which keeps what was
// typed, sets a limit, ends another session and excludes the player, after which no table
// takes a bet.
func TestAPlayerExcludesThemselvesInABrowser(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	ctx := s.as(t, "ann")
	other := s.client("ann") // another session
	var chosen, typed, notice, refused string
	do(
		t, ctx, chromedp.Navigate(s.address+"/account"), still(), chromedp.SetValue("#limit", "stake/week"), chromedp.SendKeys("#most", "fifty"),
		chromedp.Click(`button[name="do"][value="set"]`), chromedp.WaitVisible("#failed"),
		chromedp.Value("#limit", &chosen), chromedp.Value("#most", &typed),
	)
	if chosen != "stake/week" || typed != "fifty" {
		t.Errorf("the form that was refused comes back with %q and %q", chosen, typed)
	}
	do(
		t, ctx, chromedp.SetValue("#most", "50"), chromedp.Click(`button[name="do"][value="set"]`), chromedp.WaitVisible("#done"),
		chromedp.Text("#done", &notice), shows(`tr[data-limit="stake/week"]`, "$50"),
	)
	if !strings.Contains(notice, "Your limits are changed") {
		t.Errorf("the page says %q", notice)
	}
	if code, _ := other("/account"); code != 200 {
		t.Fatalf("another session: %d", code)
	}
	do(t, ctx, chromedp.Click(`button[name="end"]`), chromedp.WaitNotPresent(`button[name="end"]`), still(), shows("#done", "session is ended"))
	if code, page := other("/account"); code == 200 && strings.Contains(page, "account-figures") {
		t.Error("the session that was ended goes on")
	}
	do(
		t, ctx, chromedp.SetValue("#exclusion", "182"), chromedp.Click(`form[action="/account/exclusion"] input[name="sure"]`),
		chromedp.Click(`form[action="/account/exclusion"] button`), chromedp.WaitVisible("[data-excluded]"),
	)
	s.play(dealer, "T1", table.OpenBets{})
	do(t, ctx, chromedp.Navigate(s.address+"/tables/T1"), still(), press("a-1-ante"), chromedp.WaitVisible("#refusal"), chromedp.Text("#refusal", &refused))
	if !strings.Contains(refused, "excluded") {
		t.Errorf("an excluded player is told %q", refused)
	}
}
