package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// printed returns what a command prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, strings.NewReader(""), &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Fatalf("trey %q: status %d, %s", args, status, &stderr)
	}
	return stdout.String()
}

// Each shell that is here completes the same words.
func TestCompletion(t *testing.T) {
	cases := []struct {
		words []string // the last is completed
		want  string   // the words, or none
	}{
		{[]string{"trey", "verif"}, "verify"},
		{[]string{"trey", "odds", "han"}, "hand"},
		{[]string{"trey", "serve", "--log-f"}, "--log-format"},
		{[]string{"trey", "serve", "--log-format", ""}, "text json"},
		{[]string{"trey", "completion", "z"}, "zsh"},
		{[]string{"trey", "--db", "x", "archive", "--bef"}, "--before"},
		{[]string{"trey", "serve", "--nothing-such"}, ""},
	}
	shells := map[string]func(script string, words []string) string{
		"bash": func(script string, words []string) string {
			return script + "\nCOMP_WORDS=('" + strings.Join(words, "' '") + "')\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_trey\necho ${COMPREPLY[@]}\n"
		},
		"fish": func(script string, words []string) string {
			return script + "\ncomplete -C '" + strings.Join(words, " ") + "' | string split -f1 \\t | string join ' '\ntrue\n"
		},
	}
	for shell, ask := range shells {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			script := printed(t, "completion", shell)
			for _, test := range cases {
				command := exec.Command(path)
				command.Dir = t.TempDir() // without files that it could name
				command.Env = append(os.Environ(), "HOME="+command.Dir)
				command.Stdin = strings.NewReader(ask(script, test.words))
				out, err := command.CombinedOutput()
				if got := strings.TrimSpace(string(out)); err != nil || !sameWords(got, test.want) {
					t.Errorf("%q: %q, %v; want %q", test.words, got, err, test.want)
				}
			}
		})
	}
}

func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, word := range strings.Fields(a) {
		count[word]++
	}
	for _, word := range strings.Fields(b) {
		count[word]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// There is a manual page of each command that help lists, and groff reads it without a
// warning.
func TestManualPages(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	printed(t, "man", folder)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, page := range pages {
		there[strings.TrimSuffix(filepath.Base(page), ".1")] = true
	}
	listed := 0
	for line := range strings.Lines(printed(t, "--help")) {
		if words := strings.Fields(line); strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") && words[0][0] != '-' {
			if listed++; !there["trey-"+words[0]] {
				t.Errorf("there is no page of %s", words[0])
			}
		}
	}
	if listed < 20 || !there["trey"] || !there["trey-odds-hand"] {
		t.Fatalf("%d commands are listed, the pages are %v", listed, there)
	}
	text, err := os.ReadFile(filepath.Join(folder, "trey-archive.1"))
	if err != nil || !strings.Contains(string(text), `\-\-before=MONTH`) || !strings.Contains(string(text), "\n$ trey archive") {
		t.Errorf("%v, %s", err, text)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: nothing else has read the pages")
	}
	out, err := exec.Command(groff, append([]string{"-man", "-ww", "-z", "-Tutf8", "-K", "utf8"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
