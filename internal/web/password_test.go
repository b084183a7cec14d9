package web_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/store/memory"
	"trey/internal/web"
	"trey/internal/web/site"
)

// twoPeople returns the people of a house in which nobody manages users alone: ida and moe,
// administrators, sue, a shift manager, and those of the other functions.
func twoPeople(t *testing.T) *identity.Directory {
	t.Helper()
	return twoPeopleIn(t, func(*identity.World) {})
}

// twoPeopleIn returns those people in another world.
func twoPeopleIn(t *testing.T, change func(*identity.World)) *identity.Directory {
	t.Helper()
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // nobody reads it again
	cost := identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}
	world := identity.World{
		Record: store, Sessions: store, NowMs: func() int64 { return time.Now().UnixMilli() }, Random: rand.Reader,
		MaxGuests: 10, MaxGuestsAnAddress: 10, Cost: cost,
	}
	change(&world)
	people, err := identity.Open(t.Context(), world)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := identity.HashPassword(password, cost, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var first []identity.Initial
	for name, role := range map[string]access.Role{
		"ida": access.Administrator, "moe": access.Administrator, "sue": access.ShiftManager, "dan": access.Dealer, "pat": access.PitSupervisor,
		"cat": access.Cashier, "sam": access.Surveillance,
	} {
		first = append(first, identity.Initial{Name: name, Role: role, Hash: hash})
	}
	if _, _, err := people.Ensure(t.Context(), "the test", first); err != nil {
		t.Fatal(err)
	}
	return people
}

// surfer is a browser without scripts.
type surfer struct {
	testing.TB
	http.Client
	address string
	// origin is that of the page that sends a form, as browsers say it; empty for none.
	origin string
	// fragments says that a form is sent as a page's module sends it, and answered with a fragment.
	fragments bool
}

func newSurfer(t testing.TB, address string) *surfer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &surfer{TB: t, Client: http.Client{Jar: jar}, address: address}
}

// open follows an address, and sends a form there if there is one. It returns where that
// led to, its status and the page.
func (s *surfer) open(path string, form url.Values) (at string, status int, page string) {
	s.Helper()
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	r, err := http.NewRequestWithContext(context.Background(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if s.origin != "" {
			r.Header.Set("Origin", s.origin)
		}
		if s.fragments {
			r.Header.Set(site.FragmentHeader, "1")
		}
	}
	got, err := s.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(got.Body)
	if err != nil {
		s.Fatal(err)
	}
	return got.Request.URL.Path, got.StatusCode, string(text)
}

func (s *surfer) signIn(name, password string) (at string) {
	s.Helper()
	at, status, page := s.open("/sign-in", url.Values{"name": {name}, "password": {password}})
	if status != http.StatusOK {
		s.Fatalf("%s does not come in: %d %s", name, status, page)
	}
	return at
}

// signedIn returns a browser for each of the staff.
func signedIn(t testing.TB, address string, names ...string) map[string]*surfer {
	t.Helper()
	all := map[string]*surfer{}
	for _, name := range names {
		all[name] = newSurfer(t, address)
		all[name].signIn(name, password)
	}
	return all
}

// offeredTo holds that the console offers a form to those named and to nobody else of the staff, of
// whom it is not taken either.
func offeredTo(t testing.TB, staff map[string]*surfer, path string, form url.Values, names ...string) {
	t.Helper()
	for name, s := range staff {
		may := slices.Contains(names, name)
		if _, _, page := s.open("/console", nil); strings.Contains(page, path) != may {
			t.Errorf("the page of %s has the form of %s: %t", name, path, !may)
		}
		if may {
			continue
		}
		if _, status, _ := s.open(path, form); status < 400 {
			t.Errorf("%s sends the form of %s: %d", name, path, status)
		}
	}
}

// TestTheFirstPasswordIsChangedOnThePage holds that somebody whose password was chosen by
// another gets no page but the one that changes it, and no session of a guest instead.
func TestTheFirstPasswordIsChangedOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People, c.Guests = guestless{people}, true })
	ida, sue := access.Person{Name: "ida", Role: access.Administrator}, access.Person{Name: "sue", Role: access.ShiftManager}
	id, _, err := people.ProposeChange(t.Context(), identity.ChangeRequest{By: ida, Why: "a test"}, identity.Change{
		Kind: identity.AddUser, Name: "kim", Role: access.Cashier, Password: "the first password",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := people.ApproveChange(t.Context(), identity.ChangeRequest{By: sue}, id); err != nil {
		t.Fatal(err)
	}
	kim := newSurfer(t, s.address)
	if at := kim.signIn("kim", "the first password"); at != "/password" {
		t.Errorf("kim comes in at %s", at)
	}
	for _, path := range []string{"/console", "/surveillance", "/console/T1"} {
		if at, _, _ := kim.open(path, nil); at != "/password" {
			t.Errorf("%s leads to %s", path, at)
		}
	}
	for path, form := range map[string]url.Values{
		"/tables/T1/sit": {}, "/staff/proposals": {"kind": {"fill"}, "table": {"T1"}, "amount": {"5"}}, "/tables/T1": nil, "/": nil,
	} {
		if _, status, page := kim.open(path, form); status == http.StatusOK && path != "/" || strings.Contains(page, "guest-") {
			t.Errorf("%s answers %d", path, status)
		}
	}
	change := func(old, first, again string) (string, int) {
		at, status, _ := kim.open("/password", url.Values{"old": {old}, "new": {first}, "again": {again}})
		return at, status
	}
	for _, wrong := range [][3]string{
		{"the first password", "the first password", "the first password"},
		{"the first password", "a password of my own", "a password of my sister"},
		{"the first password", "short", "short"},
		{"another password", "a password of my own", "a password of my own"},
	} {
		if at, status := change(wrong[0], wrong[1], wrong[2]); at != "/password" || status < 400 {
			t.Errorf("%q: %s %d", wrong, at, status)
		}
	}
	if at, status := change("the first password", "a password of my own", "a password of my own"); at != "/sign-in" || status != http.StatusOK {
		t.Errorf("changed: %s %d", at, status)
	}
	if at := kim.signIn("kim", "a password of my own"); at != "/console" {
		t.Errorf("kim comes in at %s", at)
	}
	if _, status, page := newSurfer(t, s.address).open("/password", nil); status != http.StatusOK || !strings.Contains(page, `action="/sign-in"`) {
		t.Errorf("a stranger at /password: %d", status)
	}
}

// TestADemonstrationNamesWhatItLeavesOut holds that every page of a house in which one
// person is enough says so, and no page of another house.
func TestADemonstrationNamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		s := openStaffed(t, func(c *web.Config) { c.OnePerson = alone })
		dan := newSurfer(t, s.address)
		dan.signIn("dan", password)
		for _, path := range []string{"/console", "/console/T1", "/rules", "/jackpots"} {
			if _, _, page := dan.open(path, nil); strings.Contains(page, "Demonstration with play money: one person") != alone {
				t.Errorf("%s, a demonstration: %t", path, alone)
			}
		}
		if _, _, page := newSurfer(t, s.address).open("/sign-in", nil); strings.Contains(page, "Demonstration with play money: one person") != alone {
			t.Errorf("the sign-in, a demonstration: %t", alone)
		}
	}
}

func readAll(t testing.TB, r *http.Response) string {
	t.Helper()
	defer r.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
