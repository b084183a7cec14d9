package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
	"mvdan.cc/gofumpt/format"

	"trey/internal/steady"
	"trey/internal/web"
	"trey/rules/books"
	"trey/table"
	"trey/trace"
)

// handler is the site, the same for all tests: it keeps nothing.
var handler = sync.OnceValue(func() http.Handler {
	return web.New(web.Config{Version: "trey, as tested", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
})

// get answers a request with these headers, in pairs.
func get(t *testing.T, h http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Nothing that a page holds needs the policy to be any weaker: no script or
// style stands in it, and everything it loads is ours.
func TestPagesKeepToThePolicy(t *testing.T) {
	t.Parallel()
	h := handler()
	foreign := regexp.MustCompile(`(?i)(<style|\sstyle=|\son[a-z]+=|javascript:|(src|href|action)="(https?:)?//)`)
	described := regexp.MustCompile(`<meta name="description" content="[^"]{8}`)
	inline := regexp.MustCompile(`(?i)<script(?:[^>]*)>\s*[^<\s]`)
	for _, p := range pages {
		for _, tag := range []string{"en", "zh-Hans"} {
			answer := get(t, h, p.path, "Cookie", "lang="+tag)
			body := text(t, answer)
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %s", p.path, answer.Status)
			}
			for _, word := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
				if !strings.Contains(answer.Header.Get("Content-Security-Policy"), word) {
					t.Errorf("%s: the policy lacks %s", p.path, word)
				}
			}
			if found := foreign.FindString(body) + inline.FindString(body); found != "" {
				t.Errorf("%s holds %q, which the policy forbids", p.path, found)
			}
			if !described.MatchString(body) {
				t.Errorf("%s has no description for who finds it", p.path)
			}
			if !strings.Contains(body, `<html lang="`+tag+`"`) {
				t.Errorf("%s does not say that it is in %s", p.path, tag)
			}
		}
	}
}

var linked = regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)

// Whatever a page links to is there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	h := handler()
	seen := map[string]bool{}
	queue := []string{"/"}
	alike, each := map[int]int{}, 32
	if slow {
		each = 80
	} else if steady.Whole() {
		each = 8
	}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		// Hundreds of clauses and scenarios are made alike: every eighth is looked at, by
		// default one of 32, and fewer under the race detector.
		if n := strings.Count(path, "/"); strings.HasPrefix(path, "/rules/") && n > 2 {
			if alike[n]++; alike[n]%each != 1 {
				continue
			}
		}
		answer := get(t, h, path)
		if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: %s", path, answer.Status)
			continue
		}
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(text(t, answer), -1) {
			queue = append(queue, strings.ReplaceAll(m[1], "&amp;", "&"))
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %d addresses found", len(seen))
	}
}

func TestAssetsAreKeptForEver(t *testing.T) {
	h := handler()
	address := regexp.MustCompile(`/assets/[0-9a-f]+/style\.css`).FindString(text(t, get(t, h, "/")))
	if address == "" {
		t.Fatal("the page has no style sheet")
	}
	plain := get(t, h, address)
	if got := plain.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("Cache-Control is %q", got)
	}
	packed := get(t, h, address, "Accept-Encoding", "br, gzip;q=0.8")
	if packed.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal("it is not compressed")
	}
	unpacked, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != text(t, plain) {
		t.Error("what is compressed is not what is plain")
	}
	old := get(t, h, "/assets/000000000000/style.css")
	if old.StatusCode != http.StatusOK || strings.Contains(old.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("an old address: %s, %q", old.Status, old.Header.Get("Cache-Control"))
	}
	if got := get(t, h, "/assets/000000000000/site.css").StatusCode; got != http.StatusNotFound {
		t.Errorf("a file that is not offered: %d", got)
	}
}

func TestWhatIsNotThereIsAPage(t *testing.T) {
	h := handler()
	for _, path := range []string{"/nowhere", "/rules/nowhere", "/rules/rws-3cp/99.9", "/mathematics/nowhere", "/mathematics/mbs-3pictures/strategy", "/rules/rws-3cp/scenario/nowhere", "/assets/x"} {
		answer := get(t, h, path)
		body := text(t, answer)
		if answer.StatusCode != http.StatusNotFound || !strings.Contains(body, "There is no such page") {
			t.Errorf("%s: %s, %.80q", path, answer.Status, body)
		}
	}
}

func TestDisplaySettingsAreKept(t *testing.T) {
	h := handler()
	post := func(form url.Values, headers ...string) *http.Response {
		r := httptest.NewRequest(http.MethodPost, "/display", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	answer := post(url.Values{"lang": {"zh-Hans"}, "deck": {"four"}, "back": {"/rules"}})
	if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/rules" {
		t.Fatalf("%s to %q", answer.Status, answer.Header.Get("Location"))
	}
	var cookies []string
	for _, c := range answer.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	if want := []string{"lang=zh-Hans", "deck=four"}; !slices.Equal(cookies, want) {
		t.Errorf("the cookies are %v, want %v", cookies, want)
	}
	body := text(t, get(t, h, "/", "Cookie", strings.Join(cookies, "; ")))
	for _, want := range []string{`<html lang="zh-Hans"`, `data-deck="four"`, "大厅"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}

	for _, back := range foreignPaths {
		if got := post(url.Values{"theme": {"dark"}, "back": {back}}); got.StatusCode != http.StatusBadRequest || got.Header.Get("Location") != "" || len(got.Cookies()) != 0 {
			t.Errorf("back to %q: %s to %q", back, got.Status, got.Header.Get("Location"))
		}
	}
	for back, want := range map[string]string{"": "/", "/": "/", "/rules?q=a+b&x=%2F%2F": "/rules?q=a+b&x=%2F%2F", "/规则": "/%e8%a7%84%e5%88%99"} {
		if got := post(url.Values{"theme": {"dark"}, "back": {back}}); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != want {
			t.Errorf("back to %q: %s to %q", back, got.Status, got.Header.Get("Location"))
		}
	}
	if got := post(url.Values{"theme": {"pink"}}).StatusCode; got != http.StatusBadRequest {
		t.Errorf("a theme that there is not: %d", got)
	}
	if got := post(url.Values{"theme": {"dark"}}, "Sec-Fetch-Site", "cross-site").StatusCode; got != http.StatusForbidden {
		t.Errorf("a form from elsewhere: %d", got)
	}
}

// foreignPaths are paths that a form may send to go on to, and that a browser takes for another
// site or for another path than is written.
var foreignPaths = []string{
	"https://example.com/", "//example.com/", "/\\example.com", `/\/example.com`, "/\t/example.com", "/\r\n/example.com", "/\x00", "/\x7f",
	"rules", "javascript:alert(1)", "/rules//example.com", "/rules/..//example.com", "/./rules", "/%2F%2Fexample.com", "/%5Cexample.com", "/%09/example.com",
	"/%2e%2e/rules", "/rules?\\", "/rules\u0085", "/%zz", " /rules",
}

// The Go code beside each template is the one generated from it.
func TestTemplatesAreGenerated(t *testing.T) {
	if slow {
		t.Skip("one goroutine reads files: nothing for the race detector, at ten times the cost")
	}
	t.Parallel()
	version := regexp.MustCompile(`// templ: version: (\S+)`)
	count := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".templ" {
			return err
		}
		count++
		parsed, err := parser.Parse(name)
		if err != nil {
			return err
		}
		have, err := os.ReadFile(strings.TrimSuffix(name, ".templ") + "_templ.go")
		if err != nil {
			return err
		}
		m := version.FindSubmatch(have)
		if m == nil {
			return fmt.Errorf("%s: its Go code names no version of templ", name)
		}
		var out bytes.Buffer
		_, err = generator.Generate(parsed, &out, generator.WithVersion(string(m[1])), generator.WithFileName("internal/web/"+filepath.ToSlash(name)))
		if err != nil {
			return err
		}
		want, err := format.Source(out.Bytes(), format.Options{LangVersion: "go1.26", ModulePath: "trey"})
		if err != nil {
			return err
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s has changed since its Go code was generated: run `go generate ./internal/web`", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Error("there are no templates")
	}
}

// styleSheets returns the text of each style sheet by its path.
func styleSheets(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("*/*.css")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d style sheets are found: %v", len(paths), err)
	}
	sheets := map[string]string{}
	for _, path := range paths {
		css, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sheets[path] = string(css)
	}
	return sheets
}

// All style sheets are one in the browser. A class that a page's sheet styles is its
// own, or that of a sheet that all pages stand on: else two pages style each other.
func TestSheetsKeepToTheirClasses(t *testing.T) {
	shared := []string{"site", "felt", "live", "pit"}
	comment, rule := regexp.MustCompile(`(?s)/\*.*?\*/`), regexp.MustCompile(`([^{}]+)\{`)
	class := regexp.MustCompile(`^[a-z0-9]*\.([a-zA-Z][\w-]*)`)
	whose := map[string]string{}
	for sheet, css := range styleSheets(t) {
		page := filepath.Dir(sheet)
		if slices.Contains(shared, page) {
			continue
		}
		for _, m := range rule.FindAllStringSubmatch(comment.ReplaceAllString(css, ""), -1) {
			for selector := range strings.SplitSeq(m[1], ",") {
				name := class.FindStringSubmatch(strings.TrimSpace(selector))
				if name == nil {
					continue
				}
				if other, ok := whose[name[1]]; ok && other != page {
					t.Errorf("%s styles .%s, which is a class of %s: give it another name", sheet, name[1], other)
				}
				whose[name[1]] = page
			}
		}
	}
}

// A page arrives in pieces, and the browser shows those that are there. So what a sheet says of the
// frame, which comes first, does not depend on what comes further down: all would move then.
func TestFrameIsNotStyledByWhatFollows(t *testing.T) {
	ofFrame := regexp.MustCompile(`(^|[{},>+~\s])(html|body|main|\.page)\b[^{},]*:has\(`)
	for _, text := range []string{"body:has(.wall) > .top { display: none; }", "a { b: c; } html[lang]:has(.wall) { d: e; }", "main:has(> .dealer) {}"} {
		if !ofFrame.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
	for sheet, css := range styleSheets(t) {
		for _, found := range ofFrame.FindAllString(css, -1) {
			t.Errorf("%s: %s…) styles the frame by what follows: say it without :has in the sheet of that page alone, or by a field of site.Page", sheet, strings.TrimSpace(found))
		}
	}
}

// A par sheet on the page names the game, each chance as 1 in N, and what the claim
// to Envy Bonuses changes. 15,380 of 22,100 hands qualify.
func TestParSheetNamesTheGame(t *testing.T) {
	h := handler()
	for _, test := range []struct {
		path string
		want []string
	}{
		{"/mathematics/rws-3cp?others=6&meter=25000", []string{
			"<dt>The dealer qualifies</dt><dd>69.5928 %</dd>", "<dt>The dealer qualifies, 1 in</dt><dd>1.4369</dd>",
			"<dt>Meter</dt><dd>$25,000.00</dd>", "<dt>Reset value</dt><dd>$10,000.00</dd>", `<th scope="col">1 in</th>`,
			"expected number, not a probability", "For the Ante alone that is optimal on every one of the 22,100 hands.",
			"beside 6 other boxes, Q-6-3 is worth playing with an Ante below $44.68.",
		}},
		{"/mathematics/rws-3cp/strategy", []string{"beside one other box, Q-6-3 is worth playing with an Ante below $7.45."}},
		{"/mathematics/mbs-3pictures", []string{"won, six points", "won, other hands"}},
	} {
		body := text(t, get(t, h, test.path))
		for _, want := range test.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q", test.path, want)
			}
		}
	}
}

// TestLossesHaveTheSignOfMathematics holds that the figures of the mathematics are written with a
// minus, and those in files with the hyphen that programs read.
func TestLossesHaveTheSignOfMathematics(t *testing.T) {
	t.Parallel()
	h := handler()
	hyphen := regexp.MustCompile(`[^<>]*(?:>|title=")-[$\d][^<>]*`)
	for _, path := range []string{"/mathematics", "/mathematics/rws-3cp?meter=200000", "/mathematics/us-3cp/strategy"} {
		page := text(t, get(t, h, path))
		if found := hyphen.FindString(page); found != "" {
			t.Errorf("%s has a loss with a hyphen: %s", path, found)
		}
		if path != "/mathematics" && !strings.Contains(page, ">−") {
			t.Errorf("%s has no loss", path)
		}
	}
	if file := text(t, get(t, h, "/mathematics/us-3cp/strategy?csv=1")); !strings.Contains(file, ",-0.") || strings.Contains(file, "−") {
		t.Error("the file of a strategy has other figures than programs read")
	}
}

// The page of a book says all that docs/incidents.md does of when an incident can be reported.
func TestIncidentsThatAreReportedLate(t *testing.T) {
	for _, b := range books.All() {
		body := html.UnescapeString(text(t, get(t, handler(), "/rules/"+b.ID, "Cookie", "lang=en")))
		for _, in := range trace.Incidents(b) {
			if table.LatePhases(in.Of) == nil {
				continue
			}
			_, about, _ := strings.Cut(body, `id="incident-`+in.Of.String()+`"`)
			about, _, _ = strings.Cut(about, "</p>")
			if !strings.Contains(about, "also while the round is: ") {
				t.Errorf("%s: %s can be reported later, and the page does not say so", b.ID, in.Of)
			}
		}
	}
}
