package trey_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
