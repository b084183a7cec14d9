package web_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/internal/web"
	"trey/money"
	"trey/rules/books"
	"trey/table"
)

// staffed is a house with its staff, a virtual table and a physical one that a
// dealer runs, and the page beside it.
type staffed struct {
	testing.TB
	*house.House
	people  *identity.Directory
	store   *memory.Store
	address string
	server  *httptest.Server
	site    http.Handler
	// aheadMs is the time by which the house's clock is ahead of the machine's.
	aheadMs atomic.Int64
	// present says that everybody is active at a page: nobody is until a test sets it.
	present atomic.Bool
	// line stands between the house and its record.
	line line
}

const password = "correct horse battery"

var (
	admin   = access.Person{Name: "ida", Role: access.Administrator}
	cashier = access.Person{Name: "cat", Role: access.Cashier}
	dealer  = access.Person{Name: "dan", Role: access.Dealer}
	ann     = access.Person{Name: "ann", Role: access.Player}
)

// openStaffed opens such a house and serves its pages.
func openStaffed(t testing.TB, change ...func(*web.Config)) *staffed {
	t.Helper()
	s := staffedHouse(t, change...)
	s.server = httptest.NewServer(s.site)
	s.address = s.server.URL
	t.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// staffedHouse opens one whose pages nobody serves.
func staffedHouse(t testing.TB, change ...func(*web.Config)) *staffed {
	t.Helper()
	ctx := context.Background()
	var disk memory.Disk
	s := &staffed{TB: t}
	var err error
	if s.store, err = disk.Open(memory.Faults{}); err != nil {
		t.Fatal(err)
	}
	now := func() int64 { return time.Now().UnixMilli() + s.aheadMs.Load() }
	active := func(string) bool { return s.present.Load() }
	seeds := shuffle.Numbered(11)
	s.line.Store = s.store
	if s.House, _, err = house.Open(ctx, &s.line, house.World{NowMs: now, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: seeds, Software: "trey, as tested", Active: active, Plays: func(name string) bool { return s.people.Plays(name) }}); err != nil {
		t.Fatal(err)
	}
	s.people, err = identity.Open(ctx, identity.World{
		Record: s.store, Sessions: s.store, NowMs: now, Random: rand.Reader, MaxGuests: 10, Deciding: s.Deciding, OnePerson: true,
		Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	order := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	for name, role := range map[string]access.Role{
		"dan": access.Dealer, "pat": access.PitSupervisor, "sue": access.ShiftManager, "cat": access.Cashier, "sam": access.Surveillance, "ann": access.Player,
	} {
		if _, err := s.people.AddUser(ctx, order, name, role, password); err != nil {
			t.Fatal(err)
		}
	}
	s.put("T1", table.Virtual)
	s.put("T2", table.Unseen)
	if _, err := s.CageTransfer(ctx, "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 1000 * money.Major}); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	c := web.Config{
		Version: "trey, as tested", Log: quiet, House: s.House, People: guestless{s.people}, Record: house.Named(s.store),
		Autodealer: autodealer.New(s.House, now, quiet), NowMs: now,
	}
	for _, f := range change {
		f(&c)
	}
	s.site = unsigned(web.New(c))
	return s
}

// guestless lets in people with a name only.
type guestless struct{ *identity.Directory }

// put puts a table of the book with a progressive on the floor.
func (s *staffed) put(name string, cards table.Sight) {
	s.Helper()
	s.putBook(name, "rws-3cp", cards)
}

// putBook puts a table of a book on the floor, with a progressive if it has one.
func (s *staffed) putBook(name, book string, cards table.Sight) {
	s.Helper()
	b, err := books.Find(book)
	if err != nil {
		s.Fatal(err)
	}
	t := house.Table{
		Name: name, Variant: b.Standard().Clone(), Mode: house.DealerRun,
		Config: table.Config{Device: b.Devices[0].Device, Cards: cards, Chips: cards == table.Unseen},
	}
	if t.Variant.Jackpot != nil {
		t.Jackpot = "linked"
	}
	if err := s.Install(context.Background(), t, admin); err != nil {
		s.Fatal(err)
	}
}

// play has somebody do something at a table, by another door.
func (s *staffed) play(by access.Person, name string, do table.Action) {
	s.Helper()
	if _, err := s.Do(context.Background(), house.CommandRequest{Table: name, By: by, Do: do}); err != nil {
		s.Fatal(err)
	}
}

// as opens a tab in which somebody is signed in, or skips the test.
func (s *staffed) as(t *testing.T, name string) context.Context {
	t.Helper()
	ctx := ownTab(t)
	heard := listen(ctx, s.address)
	t.Cleanup(func() {
		for _, complaint := range heard() {
			t.Errorf("%s: %s", name, complaint)
		}
	})
	if name == "" {
		return ctx
	}
	token, _, err := s.people.Login(context.Background(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	do(
		t, ctx, chromedp.EmulateViewport(1440, 1000), cookies(s.address, "lang", "en", "theme", "light", "deck", "two"),
		network.SetCookie("trey", token).WithURL(s.address).WithHTTPOnly(true),
	)
	return ctx
}

// button presses the button of that name, as soon as it is there.
func button(label string) chromedp.Action {
	return chromedp.Click(fmt.Sprintf(`//button[normalize-space(.)=%q and not(@disabled)]`, label), chromedp.BySearch, chromedp.NodeVisible)
}

// shows waits until an element holds a text.
func shows(selector, text string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		err := chromedp.Poll(fmt.Sprintf(`document.querySelector(%q)?.innerText.toLowerCase().includes(%q)`, selector, strings.ToLower(text)), nil, chromedp.WithPollingTimeout(patience)).Do(ctx)
		if err != nil {
			var page string
			_ = chromedp.Evaluate(`document.querySelector("main").innerText`, &page).Do(ctx)
			return fmt.Errorf("%s does not say %q (%w): %s", selector, text, err, page)
		}
		return nil
	})
}

// footOf returns the foot of a page, without its tags.
func footOf(page string) string {
	_, foot, _ := strings.Cut(page, `<footer`)
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<footer"+foot, " ")), " ")
}

// The foot of every page names the person who is signed in, and nobody who is signed in is
// asked to sign in. They leave by one form of the page, and not by two.
func TestThePageNamesWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	page := func(name, path string) string {
		t.Helper()
		cookie := ""
		if name != "" {
			token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
			if err != nil {
				t.Fatal(err)
			}
			cookie = "trey=" + token
		}
		return text(t, get(t, s.server.Config.Handler, path, "Cookie", cookie))
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	guest := f.visitor()
	guest.post("/tables/classic-1/sit", nil)
	guest.received.Reset()
	guest.get("/rules")
	for _, of := range []struct {
		person, page, foot string
		leaves             int
	}{
		{"a stranger", page("", "/rules"), `Sign in`, 0},
		{"a dealer", page("dan", "/rules"), `dan, dealer`, 1},
		{"a dealer at their tables", page("dan", "/console"), `dan, dealer`, 1},
		{"a dealer who signs in again", page("dan", "/sign-in"), `dan, dealer`, 1},
		{"somebody of surveillance", page("sam", "/surveillance"), `sam, surveillance`, 1},
		{"a player", page("ann", "/rules"), `ann, player`, 1},
		{"a guest", guest.received.String(), `Guest [A-Z2-7]{4}`, 1},
	} {
		foot := footOf(of.page)
		if !regexp.MustCompile(of.foot).MatchString(foot) || (of.leaves > 0 && strings.Contains(foot, "Sign in")) {
			t.Errorf("the foot says to %s: %s", of.person, foot)
		}
		if leaves := strings.Count(of.page, `action="/sign-out"`); leaves != of.leaves {
			t.Errorf("%s leaves by %d forms", of.person, leaves)
		}
	}
	if !strings.Contains(guest.received.String(), "cannot come back as this guest") || strings.Contains(page("ann", "/rules"), "as this guest") {
		t.Error("a guest alone is told what they leave behind")
	}
}
