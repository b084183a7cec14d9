package trey_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"trey/rules"
	rulebooks "trey/rules/books"
)

var testDeclared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// docs/threats.md says by which test each thing is shown: each of them must be there.
func TestThreatsNameTests(t *testing.T) {
	text, err := os.ReadFile("docs/threats.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	err = filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		code, err := os.ReadFile(name)
		for _, match := range testDeclared.FindAllSubmatch(code, -1) {
			there[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 20 {
		t.Errorf("docs/threats.md names %d tests", len(named))
	}
	for _, match := range named {
		if !there[match[1]] {
			t.Errorf("docs/threats.md names %s, and there is no such test", match[1])
		}
	}
}

// README.md lists every book with the number of its clauses.
func TestReadmeListsTheBooks(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range rulebooks.All() {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\| .* \\| %d \\|$", regexp.QuoteMeta(b.Ref()), len(b.Clauses)))
		if !row.Match(text) {
			t.Errorf("README.md has no row of %s that ends in its number of clauses, %d", b.Ref(), len(b.Clauses))
		}
	}
}

// docs/declaration.md says what each condition and outcome of an incident is.
func TestConditionsAndOutcomesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/declaration.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| ").FindAllStringSubmatch(string(text), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			named[strings.Trim(name, "`")]++
		}
	}
	keys := map[string]bool{}
	for c := rules.Condition(1); c.String() != rules.Condition(0).String(); c++ {
		keys[c.String()] = true
	}
	for o := rules.Outcome(1); o.String() != rules.Outcome(0).String(); o++ {
		keys[o.String()] = true
	}
	if len(keys) < 40 {
		t.Errorf("only %d are there", len(keys))
	}
	for key := range keys {
		if named[key] == 0 {
			t.Errorf("docs/declaration.md does not say what %s is", key)
		}
	}
}

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinksLead follows every link between our own documents, to its heading too.
func TestLinksLead(t *testing.T) {
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() && name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.') {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ".md") {
			text, err := os.ReadFile(name)
			pages[name] = fenced.ReplaceAllString(string(text), "")
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for name, text := range pages {
		for _, link := range linked.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") || strings.HasPrefix(link[1], "mailto:") {
				continue
			}
			links++
			if broken := follow(name, link[1], pages); broken != "" {
				t.Errorf("%s: the link %s leads nowhere: %s", name, link[1], broken)
			}
		}
	}
	if links < 100 {
		t.Errorf("found %d links", links)
	}

	example := map[string]string{"docs/a.md": "# Errors and `If-Match`\n", "README.md": "# Trey\n"}
	for link, broken := range map[string]bool{
		"docs/a.md": false, "docs/a.md#errors-and-if-match": false, "#trey": false, "go.mod": false,
		"docs/a.md#errors": true, "#nowhere": true, "docs/none.md": true, "go.mod#x": true,
	} {
		if got := follow("README.md", link, example); (got != "") != broken {
			t.Errorf("the link %s: got %q, want broken %t", link, got, broken)
		}
	}
}

// follow returns why a link of a page leads nowhere, or nothing if it leads somewhere.
func follow(page, link string, pages map[string]string) string {
	file, anchor, _ := strings.Cut(link, "#")
	target := page
	if file != "" {
		target = filepath.Join(filepath.Dir(page), file)
	}
	text, ok := pages[target]
	if !ok {
		if _, err := os.Stat(target); err != nil {
			return err.Error()
		}
	}
	if anchor == "" {
		return ""
	}
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		if slug(match[1]) == anchor {
			return ""
		}
	}
	return target + " has no such heading"
}

// slug returns the anchor that is made of a heading: lower case, without punctuation,
// and with a hyphen for each space.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// TestGeneratedFilesAreMarked holds .gitattributes against the files: each that says in its first
// lines that it is written by a tool is marked, and no line is left over from a file that is gone.
func TestGeneratedFilesAreMarked(t *testing.T) {
	text, err := os.ReadFile(".gitattributes")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // the patterns, and whether a file has come
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == "linguist-generated" {
			used[fields[0]] = false
		}
	}
	seen := 0
	err = filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if base := entry.Name(); err != nil || entry.IsDir() {
			if err == nil && name != "." && (base == "node_modules" || base == ".git") {
				return fs.SkipDir
			}
			return err
		}
		marked := false
		for pattern := range used {
			against := name
			if !strings.Contains(pattern, "/") {
				against = entry.Name()
			}
			if ok, err := filepath.Match(pattern, against); err != nil {
				t.Errorf(".gitattributes: %s: %v", pattern, err)
			} else if ok {
				used[pattern], marked = true, true
			}
		}
		says, err := saysGenerated(name)
		if says {
			seen++
		}
		if says && !marked {
			t.Errorf("%s says that a tool writes it: add it to .gitattributes as linguist-generated", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for pattern, matched := range used {
		if !matched {
			t.Errorf(".gitattributes marks %s, and there is no such file", pattern)
		}
	}
	if seen < 20 {
		t.Errorf("%d files say that a tool writes them: is it still looked for by the right words?", seen)
	}
}

// generatedBy matches the line by which a file says that a tool writes it.
var generatedBy = regexp.MustCompile("(?m)^(// Code generated |Generated by `|Written by `go generate)")

func saysGenerated(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	return generatedBy.Match(head[:n]), nil
}

// TestCIRunsTheWholeOfEachTest holds that .ci/run runs the whole of each test that runs a part by default.
func TestCIRunsTheWholeOfEachTest(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, end, found := strings.Cut(string(script), "\nexport TREY_WHOLE=1\n")
	if !found || !strings.HasSuffix(end, "\ngo test ./...\n") {
		t.Error(".ci/run does not end with all tests and TREY_WHOLE=1")
	}
}
