package web_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/drill"
	"trey/internal/notary"
	"trey/internal/steady"
	"trey/internal/web"
	"trey/rules"
	"trey/rules/books"
)

// sittingAt returns the sitting of an address.
func sittingAt(t *testing.T, b *rules.Book, address string) *drill.Sitting {
	t.Helper()
	m := regexp.MustCompile(`/rounds/([a-z0-9]+)-([0-9])-[0-9]+-[0-9a-f]+$`).FindStringSubmatch(address)
	if m == nil {
		t.Fatalf("%s is no sitting", address)
	}
	return drill.Sit(b, m[1], int(m[2][0]-'0'))
}

// handsIn takes a sitting from its first field to its last by the keyboard alone, with one
// wrong answer about the dealer's first hand, and hands it in.
func handsIn(t *testing.T, ctx context.Context, s *drill.Sitting, name string) {
	t.Helper()
	field := func(want string) {
		t.Helper()
		var focused string
		var rounds int
		do(t, ctx, chromedp.Evaluate(`document.activeElement.name`, &focused),
			chromedp.Evaluate(`[...document.querySelectorAll("[data-round]")].filter((r) => r.offsetParent).length`, &rounds))
		if focused != want || rounds != 1 {
			t.Fatalf("the focus is on %q with %d rounds on the screen, want %q with one", focused, rounds, want)
		}
	}
	choose := func(value string) {
		do(t, ctx, chromedp.Evaluate(fmt.Sprintf(`document.activeElement.value = %q; document.activeElement.dispatchEvent(new Event("input", {bubbles: true}))`, value), nil))
	}
	do(t, ctx, chromedp.WaitVisible("[data-clock]"), chromedp.Focus("[data-round] select"))
	enter := keyboard(kb.Enter)
	for n, r := range s.Rounds {
		for i := range r.Tasks {
			task := &r.Tasks[i]
			last := n == len(s.Rounds)-1 && i == len(r.Tasks)-1
			if task.Due == nil {
				field(drill.Field(n, task, "answer"))
				answer := task.Answer
				if n == 0 && i == 0 {
					for _, option := range task.Options {
						if option != task.Answer {
							answer = option
						}
					}
				}
				choose(answer)
				do(t, ctx, enter)
				continue
			}
			field(drill.Field(n, task, "result"))
			choose(task.Due.Result())
			if task.Due.Result() == rules.Win.String() {
				do(t, ctx, enter)
				field(drill.Field(n, task, "pays"))
				do(t, ctx, keyboard(strings.ReplaceAll(task.Due.Pays().Display(), ",", "")))
			}
			if last && name != "" {
				do(t, ctx, chromedp.SetValue("[name=name]", name, chromedp.ByQuery))
			}
			do(t, ctx, enter)
		}
	}
	do(t, ctx, chromedp.WaitVisible(".verdict[data-wrong]"))
}

// A learner deals a round of each book by the keyboard, with one error, and gets a result that
// the house has signed. The page that checks says whose it is, also of the saved file, and finds
// a changed character.
func TestWholeRoundsAreSigned(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	for _, b := range books.All() {
		var at, wrong, signed string
		do(
			t, ctx, chromedp.Navigate(f.address+"/school/"+b.ID), still(), chromedp.Click(".kind-rounds a", chromedp.ByQuery), still(),
			chromedp.WaitVisible(".sitting-begin"), chromedp.SetValue("[name=rounds]", "1", chromedp.ByQuery), chromedp.Click(".sitting-begin button", chromedp.ByQuery),
			chromedp.WaitVisible("form[data-sitting]"), still(), chromedp.Location(&at),
		)
		s := sittingAt(t, b, at)
		handsIn(t, ctx, s, "Ann Lee")
		do(
			t, ctx, chromedp.AttributeValue(".verdict", "data-wrong", &wrong, nil), shows(".lapses", "hand misnamed: 1"),
			chromedp.Value("#signed", &signed, chromedp.ByID),
		)
		if wrong != "1" {
			t.Errorf("%s: one answer was wrong, and %s are", b.ID, wrong)
		}
		key, err := notary.KeyIn(f.signing)
		if err != nil {
			t.Fatal(err)
		}
		tree, lines, err := notary.ReadStatement([]byte(signed), drill.Purpose, key)
		if err != nil {
			t.Fatalf("%s: the result is signed by nobody: %v\n%s", b.ID, err, signed)
		}
		result, err := drill.ParseResult(lines)
		if err != nil {
			t.Fatal(err)
		}
		if result.Book != b.Ref() || result.Declaration != b.Hash() || result.Seed != s.Seed || result.Rounds != 1 || result.Wrong() != 1 || result.Errors["hand"] != 1 || result.Typed != "Ann Lee" || result.Person != 0 || result.TookMs < 1 {
			t.Errorf("%s: the result is %s", b.ID, lines)
		}
		do(
			t, ctx, chromedp.Click("[data-check]", chromedp.ByQuery), chromedp.WaitVisible("#check-verdict[data-proven]"), still(), shows("#check-says", "This house has signed this result"),
			shows("[data-counts]", tree), shows(".check-facts", "Ann Lee"), shows(".check-facts", "hand misnamed: 1"), shows(".check-facts", s.Seed),
			// One error fewer would be a better result.
			chromedp.Evaluate(`{
				const text = document.getElementById("check-text");
				text.value = text.value.replace('{"hand":1}', '{}');
				document.querySelector("[data-paste] button").click();
			}`, nil), shows("#check-says", "The signature is wrong"),
		)
	}
	// Once more, by way of the file that a browser saves.
	var at, name string
	do(
		t, ctx, chromedp.Navigate(f.address+"/school/us-3cp/rounds"), still(), chromedp.WaitVisible(".sitting-begin"), chromedp.SetValue("[name=rounds]", "1", chromedp.ByQuery), chromedp.Click(".sitting-begin button", chromedp.ByQuery),
		chromedp.WaitVisible("form[data-sitting]"), still(), chromedp.Location(&at),
	)
	us, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	handsIn(t, ctx, sittingAt(t, us, at), "")
	var saved string
	do(
		t, ctx, chromedp.AttributeValue("#signed", "data-name", &name, nil, chromedp.ByID),
		// What the browser writes into the file.
		chromedp.Evaluate(`new Promise((done) => {
			const make = URL.createObjectURL;
			URL.createObjectURL = (blob) => { blob.text().then(done); return make.call(URL, blob); };
			document.querySelector("[data-save]").click();
		})`, &saved, await),
	)
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(saved), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(f.address+"/check"), still(), chromedp.SetUploadFiles("#check-file", []string{file}), chromedp.WaitVisible("#check-verdict[data-proven]"), shows("#check-says", "This house has signed this result"))
}

// The result of somebody who is signed in has their number in the record; that of a guest has
// none.
func TestAResultNamesByNumberWhoWasSignedIn(t *testing.T) {
	t.Parallel()
	var key string
	s := openStaffed(t, func(c *web.Config) {
		n, err := notary.Begin(filepath.Join(t.TempDir(), "keys"), c.Record)
		if err != nil {
			t.Fatal(err)
		}
		key = n.Verifier()
		c.SignResult = func(lines string) ([]byte, error) { return n.SignStatement(drill.Purpose, lines) }
	})
	result := func(to string, answers url.Values, post func(path string, form url.Values) (int, string)) *drill.Result {
		t.Helper()
		status, page := post(to, answers)
		m := regexp.MustCompile(`(?s)<textarea id="signed"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page)
		if status != http.StatusOK || m == nil {
			t.Fatalf("handing in: %d", status)
		}
		_, lines, err := notary.ReadStatement([]byte(html.UnescapeString(m[1])), drill.Purpose, key)
		if err != nil {
			t.Fatal(err)
		}
		r, err := drill.ParseResult(lines)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	plain := func(path string, form url.Values) (*http.Response, string) {
		t.Helper()
		got, err := client.PostForm(s.address+path, form)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close() //nolint:errcheck // it was read
		page, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return got, string(page)
	}
	begun := func() string {
		got, _ := plain("/school/us-3cp/rounds", url.Values{"rounds": {"1"}})
		return got.Header.Get("Location")
	}
	number, ok := s.PersonNumber("dan")
	if _, known := s.PersonNumber("nobody"); !ok || number < 1 || known {
		t.Fatalf("dan is number %d, %v", number, ok)
	}
	if r := result(begun(), url.Values{}, func(path string, form url.Values) (int, string) { return s.post("dan", path, form) }); r.Person != number || r.Typed != "" {
		t.Errorf("dan's result is %+v", r)
	}
	if r := result(begun(), url.Values{"name": {"Dan"}}, func(path string, form url.Values) (int, string) {
		got, page := plain(path, form)
		return got.StatusCode, page
	}); r.Person != 0 || r.Typed != "Dan" {
		t.Errorf("the result of somebody who is not signed in is %+v", r)
	}
}

// In a book without a qualifying hand nobody is asked whether the dealer plays.
func TestTheSchoolAsksWhatTheBookHas(t *testing.T) {
	for _, b := range books.All() {
		body := text(t, get(t, handler(), "/school/"+b.ID, "Cookie", "lang=en"))
		if asked := strings.Contains(body, "does the dealer play at all?"); asked != (b.Qualify != nil) {
			t.Errorf("%s: asked whether the dealer plays: %v", b.ID, asked)
		}
	}
}
