package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/steady"
	"trey/internal/web"
)

// TestUsersAreManagedOnThePage holds that the page of the users is the administrators' alone,
// and that it does at once what one person may do alone. A user is shut out, signed out
// everywhere, let in again where the role gives no power, and added. A token is issued and
// revoked.
func TestUsersAreManagedOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "sue", "dan", "pat", "cat", "sam")
	const path = "/users"
	why := func(form url.Values) url.Values { form.Set("why", "left the house"); return form }
	shutOut := why(url.Values{"do": {"disable-user"}, "name": {"dan"}})
	for name, browser := range staff {
		_, status, page := browser.open(path, nil)
		_, _, console := browser.open("/console", nil)
		if may := name == "ida"; (status == http.StatusOK) != may || strings.Contains(page, `value="disable-user"`) != may || strings.Contains(console, `href="/users"`) != may {
			t.Errorf("%s sees the page: %d", name, status)
		}
		if name == "ida" {
			continue
		}
		if _, status, _ := browser.open(path, shutOut); status < 400 {
			t.Errorf("%s shuts somebody out: %d", name, status)
		}
	}
	ida := staff["ida"]
	in := func(name string) bool {
		t.Helper()
		_, _, page := staff[name].open("/account", nil)
		return strings.Contains(page, "sign-out")
	}
	do := func(form url.Values, says string) string {
		t.Helper()
		at, status, page := ida.open(path, why(form))
		if status != http.StatusOK || !strings.Contains(page, `id="done"`) || !strings.Contains(page, says) {
			t.Fatalf("%v: %s, %d: %s", form, at, status, page)
		}
		return page
	}
	for name, form := range map[string]url.Values{
		"nobody":      why(url.Values{"do": {"disable-user"}, "name": {"zoe"}}),
		"themself":    why(url.Values{"do": {"disable-user"}, "name": {"ida"}}),
		"own role":    why(url.Values{"do": {"give-role"}, "name": {"ida"}, "role": {"dealer"}}),
		"no reason":   {"do": {"disable-user"}, "name": {"dan"}},
		"no act":      why(url.Values{"do": {"promote"}, "name": {"dan"}}),
		"no role":     why(url.Values{"do": {"give-role"}, "name": {"dan"}, "role": {"king"}}),
		"no days":     why(url.Values{"do": {"issue-token"}, "name": {"shoe"}, "role": {"dealer"}, "days": {"soon"}}),
		"for ever":    why(url.Values{"do": {"issue-token"}, "name": {"shoe"}, "role": {"auditor"}, "days": {"900"}}),
		"no token":    why(url.Values{"do": {"revoke-token"}, "id": {"t999"}}),
		"no password": why(url.Values{"do": {"add-user"}, "name": {"kim"}, "role": {"player"}, "password": {"short"}}),
	} {
		if _, status, page := ida.open(path, form); status < 400 || status >= 500 || !strings.Contains(page, `id="failed"`) {
			t.Errorf("%s: %d", name, status)
		}
	}
	if !in("dan") || !in("sam") {
		t.Fatal("somebody is out before")
	}
	do(url.Values{"do": {"end-sessions"}, "name": {"sam"}}, "sam is signed out everywhere")
	if in("sam") {
		t.Error("a session of sam goes on")
	}
	do(shutOut, "dan is disabled")
	if u, err := people.User("dan"); err != nil || !u.Disabled || in("dan") {
		t.Errorf("%+v, %v", u, err)
	}
	if _, status, _ := ida.open(path, shutOut); status < 400 {
		t.Errorf("once more: %d", status)
	}
	do(url.Values{"do": {"disable-user"}, "name": {"sam"}}, "sam is disabled")
	do(url.Values{"do": {"enable-user"}, "name": {"sam"}}, "sam may sign in again")
	do(url.Values{"do": {"enable-user"}, "name": {"dan"}}, "waits for a second person")
	if u, _ := people.User("dan"); !u.Disabled {
		t.Error("one person has let a dealer in again")
	}
	do(url.Values{"do": {"add-user"}, "name": {"kim"}, "role": {"player"}, "password": {password}}, "kim is added")
	do(url.Values{"do": {"give-role"}, "name": {"kim"}, "role": {"auditor"}}, "auditor")
	newSurfer(t, s.address).signIn("kim", password)
	text := regexp.MustCompile(`trey_[A-Za-z0-9_-]{43}`).FindString(do(url.Values{"do": {"issue-token"}, "name": {"camera"}, "role": {"surveillance"}, "days": {"30"}}, "in force"))
	if _, _, page := ida.open(path, nil); !strings.Contains(page, "not used since the start") || strings.Contains(page, text) {
		t.Error("a token that was not used is wrong on the page")
	}
	if person, err := people.Machine(text); err != nil || person.Role != access.Surveillance {
		t.Fatalf("%+v, %v", person, err)
	}
	_, _, page := ida.open(path, nil)
	id := regexp.MustCompile(`name="id" value="(t[0-9]+)"`).FindStringSubmatch(page)
	if id == nil || strings.Contains(page, "not used since the start") || !strings.Contains(page, "last used") {
		t.Fatalf("the page says of the token: %s", page)
	}
	do(url.Values{"do": {"revoke-token"}, "id": {id[1]}}, "is revoked")
	if _, err := people.Machine(text); err == nil {
		t.Error("a token is good after it was revoked")
	}
	// What an address says was done, the house bears out.
	for _, q := range []string{"did=disable-user&of=pat", "did=proposed&of=999", "did=revoke-token&of=t999", "did=fired&of=pat", "did=add-user&of=nobody"} {
		if _, status, page := ida.open(path+"?"+q, nil); status != http.StatusOK || strings.Contains(page, `id="done"`) {
			t.Errorf("%s: %d says that it was done", q, status)
		}
	}
}

// TestAFormOfUsersThatArrivesTwiceIsDoneOnce holds that a form of the page of the users is
// carried out once under its key, also when it arrives several times at once. Each time the
// answer says that it is done. The text of a token is shown once. A form that was filled in
// anew is another one.
func TestAFormOfUsersThatArrivesTwiceIsDoneOnce(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	ida := signedIn(t, s.address, "ida")["ida"]
	text := regexp.MustCompile(`trey_[A-Za-z0-9_-]{43}`)
	token := url.Values{"do": {"issue-token"}, "name": {"camera"}, "role": {"surveillance"}, "days": {"30"}}
	proposal := url.Values{"do": {"issue-token"}, "name": {"shoe"}, "role": {"dealer"}, "days": {"30"}}
	user := url.Values{"do": {"add-user"}, "name": {"kim"}, "role": {"player"}, "password": {password}}
	const atOnce = 3
	for _, c := range []struct {
		form        url.Values
		says        string
		texts       int
		users, more int // by how many users, tokens and proposals there are more than before
	}{
		{token, "", 1, 0, 1},
		{proposal, "", 1, 0, 1},
		{user, "kim is added", 0, 1, 0},
		{url.Values{"do": {"add-user"}, "name": {"lee"}, "role": {"cashier"}, "password": {password}}, "waits for a second person", 0, 0, 1},
		{url.Values{"do": {"give-role"}, "name": {"kim"}, "role": {"auditor"}}, "kim has another role", 0, 0, 0},
		{url.Values{"do": {"give-role"}, "name": {"dan"}, "role": {"pit-supervisor"}}, "waits for a second person", 0, 0, 1},
		{url.Values{"do": {"disable-user"}, "name": {"sam"}}, "sam is disabled", 0, 0, 0},
		{url.Values{"do": {"enable-user"}, "name": {"sam"}}, "sam may sign in again", 0, 0, 0},
	} {
		count := func() (users, more int) { return len(people.Users()), len(people.Tokens()) + len(people.Changes()) }
		c.form.Set("why", "a test")
		c.form.Set("key", "of "+c.form.Get("do")+c.form.Get("name"))
		users, more := count()
		pages := make(chan string, atOnce+1)
		send := func() {
			_, status, page := ida.open("/users", c.form)
			if status != http.StatusOK || !strings.Contains(page, `id="done"`) || !strings.Contains(page, c.says) {
				t.Errorf("%v: %d: %s", c.form, status, page)
			}
			pages <- page
		}
		var work sync.WaitGroup
		for range atOnce {
			work.Go(send)
		}
		work.Wait()
		send()
		close(pages)
		texts := 0
		for page := range pages {
			texts += len(text.FindAllString(page, -1))
		}
		usersNow, moreNow := count()
		if texts != c.texts || usersNow-users != c.users || moreNow-more != c.more {
			t.Errorf("%v: %d texts, %d users and %d others more", c.form, texts, usersNow-users, moreNow-more)
		}
	}
	// The key alone does not make a form the same.
	token.Set("days", "31")
	if _, status, page := ida.open("/users", token); status != http.StatusOK || len(text.FindAllString(page, -1)) != 1 || len(people.Tokens()) != 2 {
		t.Errorf("another end: %d, %d tokens", status, len(people.Tokens()))
	}
	user.Set("password", "another "+password)
	if _, status, page := ida.open("/users", user); status != http.StatusConflict || !strings.Contains(page, `id="failed"`) {
		t.Errorf("another password: %d", status)
	}
}

// TestWhatIsOfferedOnThePageOfUsersIsDone holds that no button or role that the page offers is
// refused, and that the page says before whether one person is enough.
func TestWhatIsOfferedOnThePageOfUsersIsDone(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "sam")
	o := identity.ChangeRequest{By: access.Person{Name: "moe", Role: access.Administrator}, Why: "a test"}
	if _, err := people.Disable(t.Context(), o, "pat"); err != nil {
		t.Fatal(err)
	}
	if _, err := people.AddUser(t.Context(), o, "ann", access.Player, password); err != nil {
		t.Fatal(err)
	}
	if _, _, err := people.ProposeChange(t.Context(), o, identity.Change{Kind: identity.GiveRole, Name: "cat", Role: access.Dealer}); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, name := range []string{"ida", "moe", "sue", "dan", "pat", "cat", "sam", "ann"} {
		_, _, page := staff["ida"].open("/users?find="+name, nil)
		item := regexp.MustCompile(`(?s)<details[^>]*>\s*<summary>\s*<strong>` + name + `</strong>.*?</details>`).FindString(page)
		if item == "" {
			t.Fatalf("%s is not on the page", name)
		}
		for _, form := range strings.Split(item, "<form")[1:] {
			form, _, _ = strings.Cut(form, "</form>")
			for _, act := range regexp.MustCompile(`name="do" value="([a-z-]+)"`).FindAllStringSubmatch(form, -1) {
				asked := url.Values{"do": {act[1]}, "name": {name}, "why": {"a test"}, "password": {"another " + password}}
				if act[1] == "end-sessions" || act[1] == "disable-user" {
					// Alone; each is tried below, because it changes what else is possible.
					if !strings.Contains(form, "You alone, at once") {
						t.Errorf("%s of %s is not said to be done at once", act[1], name)
					}
					continue
				}
				values := []string{""}
				if act[1] == "give-role" {
					values = nil
					for _, role := range regexp.MustCompile(`<option value="([a-z-]+)"`).FindAllStringSubmatch(form, -1) {
						values = append(values, role[1])
					}
				}
				for _, role := range values {
					asked.Set("role", role)
					alone := strings.Contains(form, "You alone, at once") && !strings.Contains(form, "Takes a second person")
					if role != "" {
						before, _, _ := strings.Cut(form, `<option value="`+role+`"`)
						alone = strings.LastIndex(before, "You alone, at once") > strings.LastIndex(before, "Takes a second person")
					}
					if alone {
						continue // it would change what else is offered
					}
					tried++
					at, status, answer := staff["ida"].open("/users", asked)
					if status != http.StatusOK || !strings.Contains(answer, "waits for a second person:") {
						t.Errorf("%s %s of %s is offered as what takes two: %s, %d", act[1], role, name, at, status)
					}
				}
			}
		}
		if name == "ida" && strings.Contains(item, "<form") {
			t.Error("ida is offered a change of the same account")
		}
		if name == "cat" && strings.Contains(item, `<option value="dealer"`) {
			t.Error("what waits for a second person is offered once more")
		}
	}
	if tried < 20 {
		t.Errorf("only %d changes were tried", tried)
	}
	for _, name := range []string{"sam", "moe", "sue", "dan", "cat", "ann"} {
		if _, status, page := staff["ida"].open("/users", url.Values{"do": {"disable-user"}, "name": {name}, "why": {"a test"}}); status != http.StatusOK || !strings.Contains(page, name+" is disabled") {
			t.Errorf("%s is not shut out: %d", name, status)
		}
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

// TestTwoPeopleChangeUsersOnThePage holds that an administrator proposes what takes two people
// on the page, that only another person who may approves it there, and that the
// page shows no password.
func TestTwoPeopleChangeUsersOnThePage(t *testing.T) {
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	staff := signedIn(t, s.address, "ida", "sue", "dan", "pat", "cat", "sam")
	propose := func(form url.Values) (id int64, page string) {
		t.Helper()
		form.Set("why", "the night shift")
		_, status, page := staff["ida"].open("/users", form)
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
	id, page := propose(url.Values{"do": {"add-user"}, "name": {"kim"}, "role": {"cashier"}, "password": {"the first password"}})
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
		if _, status, _ := staff[name].open("/users", url.Values{"do": {"give-role"}, "name": {"dan"}, "role": {"cashier"}, "why": {"x"}}); status < 400 {
			t.Errorf("%s proposes a role: %d", name, status)
		}
	}
	if status := decide("sue", id, "approve"); status != http.StatusOK {
		t.Errorf("sue approves: %d", status)
	}
	if u, err := people.User("kim"); err != nil || u.Role != access.Cashier {
		t.Errorf("%+v, %v", u, err)
	}
	id, _ = propose(url.Values{"do": {"give-role"}, "name": {"dan"}, "role": {"pit-supervisor"}})
	if decide("sue", id, "approve") != http.StatusOK {
		t.Error("no role")
	}
	if u, _ := people.User("dan"); u.Role != access.PitSupervisor {
		t.Errorf("dan is %s", u.Role)
	}
	id, _ = propose(url.Values{"do": {"give-password"}, "name": {"pat"}, "password": {"the second password"}})
	if decide("ida", id, "decline") != http.StatusOK || len(people.Changes()) != 0 {
		t.Error("the administrator did not take a proposal back")
	}
	_, page = propose(url.Values{"do": {"issue-token"}, "name": {"shoe-1"}, "role": {"dealer"}, "days": {"30"}})
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
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/users",
			strings.NewReader(url.Values{"do": {"add-user"}, "name": {"kim"}, "role": {"dealer"}, "password": {"the first password"}, "why": {"x"}}.Encode()))
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

// TestADoubleClickIssuesOneToken holds that a browser sends a form of the page of the users
// once when its button is pressed twice. The text of the issued token is thus on the page.
func TestADoubleClickIssuesOneToken(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	people := twoPeople(t)
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{people} })
	s.people = people
	ida := s.as(t, "ida")
	var text string
	do(
		t, ida, chromedp.Navigate(s.address+"/users"), still(), chromedp.Evaluate(unfold, nil),
		chromedp.SetValue("#token-name", "camera"), chromedp.SetValue("#token-role", "surveillance"), chromedp.SetValue("#token-why", "a test"),
		chromedp.DoubleClick("#issue-token .button"), chromedp.Text(".users-token", &text, chromedp.ByQuery),
	)
	if person, err := people.Machine(text); err != nil || person.Name != "camera" || len(people.Tokens()) != 1 {
		t.Errorf("%q is of %+v, %v, of %d tokens", text, person, err, len(people.Tokens()))
	}
}
