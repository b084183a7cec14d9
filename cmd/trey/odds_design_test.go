package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trey/internal/steady"
)

// The command that the designer suggests prints the figures that it lists,
// whatever flags the search was given.
func TestSuggestedCommandHasTheFiguresOfTheSearch(t *testing.T) {
	t.Parallel()
	if steady.Raced {
		t.Skip("one goroutine computes: nothing for the race detector, at ten times the cost")
	}
	file := filepath.Join(t.TempDir(), "an operator's.toml")
	text := "base = \"rws-3cp@3\"\nid = \"flat\"\npays.ante-bonus = \"4/3/1\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	type figures struct {
		HouseEdge    json.RawMessage `json:"house_edge"`
		HitFrequency json.RawMessage `json:"hit_frequency"`
		StdDev       string          `json:"std_dev"`
	}
	printed := func(args []string, into any) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := run(append(args, "--format", "json"), strings.NewReader(""), &stdout, &stderr); status != 0 {
			t.Fatalf("%q: status %d: %s", args, status, stderr.String())
		}
		if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	search := func(args ...string) []string { return append([]string{"odds", "design"}, args...) }
	tests := []struct {
		name, bet string
		args      []string
	}{
		{"the book", "pair-plus", search("rws-3cp", "--wager", "pair-plus", "--edge", "2%..4%", "--range", "straight=4..7")},
		{"bonus and others", "bonus", search("sm-3cp", "--wager", "bonus", "--bonus", "TCPB-04E", "--others", "6", "--edge", "15%..25%", "--range", "akq-suited=500..1500/100")},
		{"a ruling", "ante-play", search("rws-3cp", "--wager", "ante-bonus", "--ruling", "ante_bonus_on_standoff=not-paid", "--edge", "2%..5%", "--range", "straight-flush=3..8")},
		{"another wager's pays", "ante-play", search("us-3cp", "--wager", "ante-bonus", "--pay", "pair-plus=40/30/6/4/1", "--pay", "ante-bonus=5/4/1", "--edge", "2%..4%", "--range", "straight-flush=3..8")},
		{"a variant file", "ante-play", search("--variant", file, "--wager", "ante-bonus", "--edge", "2%..5%", "--range", "straight-flush=3..8")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var found struct {
				Tables  []figures
				Command string
			}
			printed(test.args, &found)
			if len(found.Tables) == 0 {
				t.Fatal("nothing is found")
			}
			words := unquoted(found.Command)
			if len(words) < 3 || words[0] != "trey" {
				t.Fatalf("the command is %q", found.Command)
			}
			var sheet struct{ Wagers map[string]figures }
			printed(words[1:], &sheet)
			got, want := sheet.Wagers[test.bet], found.Tables[0]
			if got.StdDev != want.StdDev || compact(t, got.HouseEdge) != compact(t, want.HouseEdge) || compact(t, got.HitFrequency) != compact(t, want.HitFrequency) {
				t.Errorf("%s\nprints %+v\nof the table with %+v", found.Command, got, want)
			}
		})
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unquoted splits a command as a shell does, as far as single quotes and
// backslashes go.
func unquoted(command string) []string {
	var words []string
	var word strings.Builder
	quoted, escaped := false, false
	for _, r := range command + " " {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && !quoted:
			escaped = true
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return words
}

// Numbers are those that people write, in no other base and no other form.
func TestNumbersArePlain(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"60": true, "2.5": true, ".5": true, "-3": true, "010": true,
		"": false, "0b11": false, "0o17": false, "0x1f": false, "1e3": false, "1_000": false, "60/2": false, "NaN": false, "1.2.3": false, "1p3": false,
	} {
		if _, ok := decimalNumber(text); ok != good {
			t.Errorf("%q is a number: %v", text, ok)
		}
	}
}
