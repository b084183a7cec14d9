package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// A switch over an enum of another package lists every member or has a default, and the checks of
// staticcheck are made.
func TestMistakesAreFound(t *testing.T) {
	for folder, want := range map[string][]string{
		"light": nil, // a counter is no member
		"lists": nil,
		"lacks": {"lacks.go:10:2: missing cases in expression switch: light.Green (exhaustive)", "lacks.go:17:6: func forgotten is unused (U1000)"},
	} {
		status, text := found(t, "./testdata/"+folder)
		if got := regexp.MustCompile(`[^/\n]+\)\n`).FindAllString(text, -1); status != min(1, len(want)) || !slices.EqualFunc(got, want, func(got, want string) bool { return got == want+"\n" }) {
			t.Errorf("%s: status %d:\n%s\nand not:\n%s", folder, status, text, want)
		}
	}
}

// found returns the status and what is printed of a package.
func found(t *testing.T, folder string) (status int, text string) {
	t.Helper()
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it is read by its name
	os.Stdout = file
	status = lint([]string{folder})
	all, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return status, string(all)
}
