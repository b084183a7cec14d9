package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web"
)

// TestAUserIsDisabledOnThePage holds that an administrator alone shuts a user out on the page, whose
// session ends with it, and that nobody else does.
func TestAUserIsDisabledOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "sue", "dan", "pat", "cat")
	const path = "/staff/users/disable"
	shutOut := url.Values{"name": {"dan"}, "why": {"left the house"}}
	offeredTo(t, staff, path, shutOut, "ida")
	if u, err := people.User("dan"); err != nil || u.Disabled {
		t.Fatalf("%+v, %v", u, err)
	}
	if _, _, page := staff["dan"].open("/console", nil); !strings.Contains(page, "sign-out") {
		t.Fatal("dan is not signed in")
	}
	for name, form := range map[string]url.Values{
		"nobody":    {"name": {"zoe"}, "why": {"left"}},
		"themself":  {"name": {"ida"}, "why": {"left"}},
		"no reason": {"name": {"dan"}},
	} {
		if _, status, page := staff["ida"].open(path, form); status < 400 || strings.Contains(page, "is disabled: no session") {
			t.Errorf("%s: %d", name, status)
		}
	}
	if _, status, page := staff["ida"].open(path, shutOut); status != http.StatusOK {
		t.Fatalf("%d: %s", status, page)
	}
	if u, err := people.User("dan"); err != nil || !u.Disabled {
		t.Errorf("%+v, %v", u, err)
	}
	if _, _, page := staff["dan"].open("/console", nil); strings.Contains(page, "sign-out") {
		t.Error("the session of who was disabled goes on")
	}
	if _, status, page := staff["ida"].open(path, shutOut); status < 400 {
		t.Errorf("once more: %d: %s", status, page)
	}
}

// TestAPlayerIsRegisteredOnThePage holds that a cashier alone adds a player on the page, who can sign
// in then, and nobody who is more than that.
func TestAPlayerIsRegisteredOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "cat", "sue", "dan", "pat")
	const path = "/staff/players"
	kim := url.Values{"name": {"kim"}, "password": {password}, "role": {"shift-manager"}, "why": {"showed a passport"}}
	offeredTo(t, staff, path, kim, "cat", "ida")
	for name, form := range map[string]url.Values{
		"taken":        {"name": {"dan"}, "password": {password}, "why": {"x"}},
		"too short":    {"name": {"kim"}, "password": {"short"}, "why": {"x"}},
		"without name": {"password": {password}, "why": {"x"}},
	} {
		if _, status, page := staff["cat"].open(path, form); status < 400 || status >= 500 || strings.Contains(page, "The rules do not allow") {
			t.Errorf("%s: %d: %s", name, status, page)
		}
	}
	if _, err := people.User("kim"); err == nil {
		t.Fatal("kim is there before")
	}
	if _, status, page := staff["cat"].open(path, kim); status != http.StatusOK {
		t.Fatalf("%d: %s", status, page)
	}
	if u, err := people.User("kim"); err != nil || u.Role != access.Player {
		t.Errorf("%+v, %v", u, err)
	}
	newSurfer(t, s.address).signIn("kim", password)
}

// TestTwoPeopleChangeUsersOnThePage holds that an administrator proposes every kind of
// change on the page, that only another person who may approves it there, and that the
// page shows no password.
func TestTwoPeopleChangeUsersOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "sue", "dan", "pat", "cat", "sam")
	propose := func(form url.Values) (id int64, page string) {
		t.Helper()
		form.Set("why", "the night shift")
		_, status, page := staff["ida"].open("/staff/user-changes", form)
		if status != http.StatusOK {
			t.Fatalf("%v: %d %s", form, status, page)
		}
		waits := people.Changes()
		return waits[len(waits)-1].ID, page
	}
	decide := func(name string, id int64, how string) int {
		t.Helper()
		_, status, _ := staff[name].open(fmt.Sprintf("/staff/user-changes/%d", id), url.Values{"decide": {how}, "why": {"a test"}})
		return status
	}
	for _, language := range []string{"en", "zh-Hans"} {
		r, _ := url.Parse(s.address)
		staff["ida"].Jar.SetCookies(r, []*http.Cookie{{Name: "lang", Value: language}})
		_, _, page := staff["ida"].open("/console", nil)
		if forms := strings.Count(page, `action="/staff/user-changes"`); forms != len(identity.ChangeKinds()) || strings.Contains(page, "console.change") {
			t.Errorf("in %s the page has %d forms for %d kinds of change", language, forms, len(identity.ChangeKinds()))
		}
		staff["ida"].Jar.SetCookies(r, []*http.Cookie{{Name: "lang", Value: "en"}})
	}
	id, page := propose(url.Values{"kind": {"add-user"}, "name": {"kim"}, "role": {"cashier"}, "password": {"the first password"}})
	if strings.Contains(page, "first password\"") || !strings.Contains(page, "New user kim, cashier") {
		t.Errorf("the page of the administrator: %s", page)
	}
	button := `value="approve"`
	for name, may := range map[string]bool{"sue": true, "ida": false, "pat": false, "cat": false, "sam": false} {
		_, _, page := staff[name].open("/console", nil)
		item := page[strings.Index(page, "New user kim"):]
		item = item[:strings.Index(item, "</li>")]
		if strings.Contains(item, button) != may {
			t.Errorf("%s may approve on the page: %t", name, !may)
		}
	}
	if _, _, page := staff["dan"].open("/console", nil); strings.Contains(page, "kim") {
		t.Error("a dealer sees who is to become a cashier")
	}
	for _, name := range []string{"ida", "dan", "pat", "cat", "sam"} {
		if status := decide(name, id, "approve"); status < 400 {
			t.Errorf("%s approves: %d", name, status)
		}
	}
	if _, err := people.User("kim"); err == nil {
		t.Fatal("one person has added a cashier")
	}
	for _, name := range []string{"sue", "dan", "pat", "cat", "sam"} {
		if _, status, _ := staff[name].open("/staff/user-changes", url.Values{"kind": {"give-role"}, "name": {"dan"}, "role": {"cashier"}, "why": {"x"}}); status < 400 {
			t.Errorf("%s proposes a role: %d", name, status)
		}
	}
	if status := decide("sue", id, "approve"); status != http.StatusOK {
		t.Errorf("sue approves: %d", status)
	}
	if u, err := people.User("kim"); err != nil || u.Role != access.Cashier {
		t.Errorf("%+v, %v", u, err)
	}
	id, _ = propose(url.Values{"kind": {"give-role"}, "name": {"dan"}, "role": {"pit-supervisor"}})
	if decide("sue", id, "approve") != http.StatusOK {
		t.Error("no role")
	}
	if u, _ := people.User("dan"); u.Role != access.PitSupervisor {
		t.Errorf("dan is %s", u.Role)
	}
	id, _ = propose(url.Values{"kind": {"give-password"}, "name": {"pat"}, "password": {"the second password"}})
	if decide("ida", id, "decline") != http.StatusOK || len(people.Changes()) != 0 {
		t.Error("the administrator did not take a proposal back")
	}
	_, page = propose(url.Values{"kind": {"issue-token"}, "name": {"shoe-1"}, "role": {"dealer"}, "days": {"30"}})
	text := regexp.MustCompile(`trey_[A-Za-z0-9_-]{43}`).FindString(page)
	if text == "" {
		t.Fatalf("no token is shown: %s", page)
	}
	if _, err := people.Machine(text); err == nil {
		t.Error("a token is good before it is approved")
	}
	if decide("sue", people.Changes()[0].ID, "approve") != http.StatusOK {
		t.Error("no token")
	}
	if person, err := people.Machine(text); err != nil || !person.Machine || person.Role != access.Dealer {
		t.Errorf("%+v, %v", person, err)
	}
	// What cannot be is said in the visitor's language.
	for language, want := range map[string]string{"en": "this name is taken", "zh-Hans": "此名称已被使用"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/staff/user-changes",
			strings.NewReader(url.Values{"kind": {"add-user"}, "name": {"kim"}, "role": {"dealer"}, "password": {"the first password"}, "why": {"x"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: "lang", Value: language})
		for _, c := range staff["ida"].Jar.Cookies(r.URL) {
			if c.Name != "lang" {
				r.AddCookie(c)
			}
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer := readAll(t, got)
		if !strings.Contains(answer, want) {
			t.Errorf("in %s: %d %s", language, got.StatusCode, answer)
		}
	}
}
