package school

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"trey/internal/drill"
	"trey/internal/web/site"
	"trey/rules/books"
)

// testSchool is a school with a clock of its own.
type testSchool struct {
	*testing.T
	nowMs  int64
	fails  error
	signed []string
	site   http.Handler
}

func openSchool(t *testing.T) *testSchool {
	d := &testSchool{T: t, nowMs: 1_795_359_509_258}
	d.site = site.New(site.Config{Log: slog.New(slog.DiscardHandler)}, Section(Config{
		NowMs: func() int64 { return d.nowMs },
		Sign: func(lines string) ([]byte, error) {
			if d.fails != nil {
				return nil, d.fails
			}
			d.signed = append(d.signed, lines)
			return []byte(fmt.Sprint("signed ", len(d.signed))), nil
		},
	}))
	return d
}

func (d *testSchool) post(path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept-Language", "en")
	w := httptest.NewRecorder()
	d.site.ServeHTTP(w, r)
	return w
}

func (d *testSchool) begin(book string) string {
	d.Helper()
	w := d.post("/school/"+book+"/rounds", url.Values{"rounds": {"2"}})
	if w.Code != http.StatusSeeOther {
		d.Fatalf("beginning: %d", w.Code)
	}
	return w.Header().Get("Location")
}

// expect holds that handing in has a status, and that so many results have been signed by then.
func (d *testSchool) expect(what, path string, form url.Values, status, signed int) string {
	d.Helper()
	w := d.post(path, form)
	if w.Code != status || len(d.signed) != signed {
		d.Errorf("%s: %d with %d results signed, want %d with %d", what, w.Code, len(d.signed), status, signed)
	}
	return w.Body.String()
}

// A sitting is graded once: the same answers come to the same result, and others to none. This
// process drew its beginning, seed, length and book, and its time is bounded.
func TestASittingIsGradedOnce(t *testing.T) {
	d := openSchool(t)
	to := d.begin("us-3cp")
	d.nowMs += 61_500
	answers := url.Values{"name": {" Ann <Lee> "}}
	d.fails = errors.New("no key")
	d.expect("not signed", to, answers, http.StatusInternalServerError, 0)
	d.fails = nil
	first := d.expect("signed", to, answers, http.StatusOK, 1)
	r, err := drill.ParseResult(d.signed[0])
	if err != nil {
		t.Fatal(err)
	}
	us, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	want := drill.Sit(us, r.Seed, 2)
	if r.Typed != "Ann <Lee>" || r.BeganMs != d.nowMs-61_500 || r.TookMs != 61_500 || r.Rounds != 2 || r.Tasks != want.Grade(nil).Tasks || r.Wrong() != r.Tasks || !strings.Contains(to, "/"+r.Seed+"-2-") {
		t.Errorf("%s comes to %+v", to, r)
	}
	d.nowMs += 5000
	if again := d.expect("the same again", to, answers, http.StatusOK, 1); again != first {
		t.Error("the same answers come to another result")
	}
	d.expect("other answers", to, url.Values{"name": {"Ben"}}, http.StatusConflict, 1)

	to = d.begin("us-3cp")
	digits := regexp.MustCompile(`^(.*/rounds/)([a-z0-9]+)-2-([0-9]+)-([0-9a-f]+)$`).FindStringSubmatch(to)
	for what, other := range map[string]string{
		"another book":      strings.Replace(to, "us-3cp", "sm-3cp", 1),
		"another seed":      digits[1] + "abc-2-" + digits[3] + "-" + digits[4],
		"fewer rounds":      digits[1] + digits[2] + "-1-" + digits[3] + "-" + digits[4],
		"a later beginning": digits[1] + digits[2] + "-2-" + fmt.Sprint(d.nowMs+1) + "-" + digits[4],
		"another code":      digits[1] + digits[2] + "-2-" + digits[3] + "-" + strings.Repeat("0", 32),
	} {
		d.expect(what, other, answers, http.StatusConflict, 1)
	}
	d.expect("another process", openSchool(t).begin("us-3cp"), answers, http.StatusConflict, 1)
	for what, path := range map[string]string{"no sitting": "/school/us-3cp/rounds/abc", "too many rounds": strings.Replace(to, "-2-", "-9-", 1), "no book": strings.Replace(to, "us-3cp", "none", 1)} {
		d.expect(what, path, answers, http.StatusNotFound, 1)
	}
	d.expect("a long name", to, url.Values{"name": {strings.Repeat("n", drill.MostTyped+1)}}, http.StatusUnprocessableEntity, 1)
	d.expect("a name of two lines", to, url.Values{"name": {"a\nb"}}, http.StatusUnprocessableEntity, 1)
	d.nowMs += sittingMs - 1
	d.expect("in time", to, answers, http.StatusOK, 2)
	to = d.begin("us-3cp")
	d.nowMs += sittingMs
	d.expect("too late", to, answers, http.StatusConflict, 2)
	for _, rounds := range []string{"0", "6", "", "x"} {
		if w := d.post("/school/us-3cp/rounds", url.Values{"rounds": {rounds}}); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q rounds: %d", rounds, w.Code)
		}
	}
}

// So many sittings are remembered, and what could not be finished any more makes room.
func TestFinishedSittingsAreForgotten(t *testing.T) {
	d := openSchool(t)
	h := newSittings(Config{NowMs: func() int64 { return d.nowMs }})
	for n := range mostFinished {
		h.finished[fmt.Sprint(n)] = &finished{overMs: d.nowMs + 1000}
	}
	us, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	d.site = site.New(site.Config{Log: slog.New(slog.DiscardHandler)}, site.Section{Files: files, Routes: map[string]site.Handler{"POST /school/{book}/rounds/{sitting}": h.finish}})
	drawn := fmt.Sprintf("abc-1-%d", d.nowMs)
	to := "/school/us-3cp/rounds/" + drawn + "-" + h.code(us, drawn)
	d.expect("full", to, nil, http.StatusConflict, 0)
	d.nowMs += 1000
	d.expect("room again", to, nil, http.StatusOK, 0)
	if len(h.finished) != 1 {
		t.Errorf("%d are remembered", len(h.finished))
	}
}

// TestEveryChoiceIsRightSomewhere holds that a line offers no result that is right in no exercise:
// the text of a book may mean by it what another choice says.
func TestEveryChoiceIsRightSomewhere(t *testing.T) {
	t.Parallel()
	right := map[string]bool{}
	for _, b := range books.All() {
		for n := range 300 {
			e := drill.Draw(b, drill.Pay, fmt.Sprint(n))
			for i := range e.Due {
				right[e.Due[i].Result()] = true
			}
		}
	}
	for _, result := range results {
		if !right[result] {
			t.Errorf("%q can be chosen and is never right", result)
		}
		delete(right, result)
	}
	if len(right) > 0 {
		t.Errorf("cannot be chosen: %v", right)
	}
}
