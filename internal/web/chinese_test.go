package web_test

import (
	"html"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/steady"
	"trey/rules/books"
)

var (
	// apart matches the parts of a page that nobody reads, and names that are the same in
	// every language: keys, files and places in the code.
	apart = regexp.MustCompile(`(?s)<(script|style|svg|code|option|textarea)[ >].*?</(script|style|svg|code|option|textarea)>|<!--.*?-->`)
	tags  = regexp.MustCompile(`<[^>]*>`)
	// spoken are the attributes that a screen reader reads.
	spoken = regexp.MustCompile(`(?:aria-label|title|placeholder|alt)="([^"]*)"`)
	// named are books, their clauses and rulings, names of tables and houses, cards and ranks,
	// file formats, the products of others, and what is typed as it stands.
	named = func() *regexp.Regexp {
		all := []string{
			`Trey`, `Shuffle Master`, `\bTCPB-[0-9E]+`, `\b(?:[2-9TJQKA]|10)[cdhs]\b`, `\b[AKQJ](?:-?[AKQJ0-9])*\b`, `\b[ABCFP]\b`,
			`\b(?:CSV|JSON|Excel|P/F)\b`, `[a-z0-9/]+\.go\b`, "`[^`]+`", `trey [a-z]+(?: round\.json)?`, `docs/[a-z]+\.md`,
			`3 to 2`, `100% of the meter`, `\bnone\b`, `“(?:bet|wager|House)”`, `练习 [0-9a-z]+；`, `\b\d+ MB`, `\bn\b`, `\{[a-z]+\}`,
			`裁定 *\w+`, `ruling\.[a-z_]+`, `“[a-z]+”不是规则书准许的答案`, `变体 *[a-z0-9]+\.toml`,
		}
		for _, b := range books.All() {
			// 裁定 stands before the name of a ruling, and before a clause by which something is ruled.
			all = append(all, `裁定 *`+regexp.QuoteMeta(b.Ref()), regexp.QuoteMeta(b.Ref()), regexp.QuoteMeta(b.ID))
			for _, c := range b.Clauses {
				if c.Title != "" { // in the language of the text, and marked so
					all = append(all, regexp.QuoteMeta(c.Title))
				}
				if strings.ContainsAny(c.ID, "abcdefghijklmnopqrstuvwxyz") {
					all = append(all, `\b`+regexp.QuoteMeta(c.ID)+`\b`)
				}
			}
		}
		slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // the longest name first
		return regexp.MustCompile(strings.Join(all, "|"))
	}()
	// guests are all who play or work in a scenario.
	guests = regexp.MustCompile(`(?i)\b(?:ann|ben|cai|dee|eli|eva|eve|fay|gus|hal|dora|dan|pat|pia|sue|tom)\b`)
	latin  = regexp.MustCompile(`[A-Za-z][A-Za-z'-]*`)
)

// english returns the first English words of a page's main part that are no names.
func english(page string) string {
	body := page[max(strings.Index(page, "<main"), 0):]
	body, _, _ = strings.Cut(body, "</main>")
	body = apart.ReplaceAllString(body, " ")
	for _, m := range spoken.FindAllStringSubmatch(body, -1) {
		body += " " + m[1]
	}
	body = html.UnescapeString(tags.ReplaceAllString(body, " "))
	body = guests.ReplaceAllString(named.ReplaceAllString(body, " "), " ")
	if at := latin.FindStringIndex(body); at != nil {
		return strings.Join(strings.Fields(body[max(at[0]-60, 0):min(at[1]+60, len(body))]), " ")
	}
	return ""
}

// Nothing on a page in Chinese is English but names: every kind of page, whole books, every
// clause of one of them, and scenarios of each.
func TestPagesAreChinese(t *testing.T) {
	t.Parallel()
	h := handler()
	var paths []string
	for _, p := range pages {
		paths = append(paths, p.path)
	}
	for _, b := range books.All() {
		paths = append(paths, "/rules/"+b.ID)
		for i, c := range b.Clauses {
			if i%7 == 0 && steady.Turn(i/7, 4) {
				paths = append(paths, "/rules/"+b.ID+"/"+c.ID)
			}
		}
		files, err := fs.Glob(os.DirFS("../../scenario/testdata"), b.ID+"/*.txtar")
		if err != nil || len(files) < 40 {
			t.Fatalf("%s has %d scenarios: %v", b.ID, len(files), err)
		}
		for i := 0; i < len(files); i += 9 {
			if !steady.Turn(i/9, 4) {
				continue
			}
			paths = append(paths, "/rules/"+b.ID+"/scenario/"+strings.TrimSuffix(path.Base(files[i]), ".txtar"))
		}
	}
	for _, p := range paths {
		page := text(t, get(t, h, p, "Cookie", "lang=zh-Hans"))
		if !strings.Contains(page, "<main") || !strings.Contains(page, `<html lang="zh-Hans"`) {
			t.Fatalf("%s is not a page in Chinese", p)
		}
		if left := english(page); left != "" {
			t.Errorf("%s says in English: %s", p, left)
		}
	}
}
