package scenario_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/internal/steady"
	"trey/rules/books"
	"trey/scenario"
)

// TestEveryValueOfARulingIsTested holds that for each ruling that a book leaves open
// the scenarios tell its values apart. For each value beside the default one that sets
// it comes out otherwise without it; and for the default one that leaves it alone comes
// out otherwise under the other value.
func TestEveryValueOfARulingIsTested(t *testing.T) {
	if steady.Raced {
		t.Skip("one goroutine plays scenarios again and again")
	}
	texts := map[string]map[string]string{} // by book and file
	for _, name := range files(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		book := filepath.Base(filepath.Dir(name))
		if texts[book] == nil {
			texts[book] = map[string]string{}
		}
		texts[book][name] = string(text)
	}
	// differs plays a scenario and reports whether it comes out otherwise than written, at
	// another line than one that opens a table.
	place := regexp.MustCompile(`\.txtar:(\d+):`)
	differs := func(t *testing.T, name, text string) bool {
		s, err := scenario.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err = s.Run(new(scenario.Pure), io.Discard); err == nil {
			return false
		}
		at := place.FindStringSubmatch(err.Error())
		if at == nil {
			return false
		}
		n, _ := strconv.Atoi(at[1])
		return !strings.HasPrefix(strings.Split(text, "\n")[n-1], "open ")
	}
	number := 0
	opens := regexp.MustCompile(`(?m)^open [^#\n]*$`)
	for _, b := range books.All() {
		names := []string{}
		for name := range texts[b.ID] {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, r := range b.Open() {
			if number++; !steady.Turn(number, 3) {
				continue
			}
			t.Run(b.ID+"/"+r.String(), func(t *testing.T) {
				t.Parallel()
				sets := " ruling." + r.String() + "="
				for _, choice := range r.Rule().Choices[1:] {
					set := regexp.MustCompile(sets + choice.String() + `\b`)
					tells := func(name string) bool {
						text := texts[b.ID][name]
						without := set.ReplaceAllString(text, "")
						return without != text && differs(t, name, without)
					}
					if !slices.ContainsFunc(names, tells) {
						t.Errorf("no scenario comes out otherwise without the value %s", choice)
					}
					// Those whose names are like the name of one that sets the ruling come first.
					like := map[string]bool{}
					for _, name := range names {
						if strings.Contains(texts[b.ID][name], r.String()) {
							for _, word := range wordsOf(name) {
								like[word] = true
							}
						}
					}
					alike := func(name string) (n int) {
						for _, word := range wordsOf(name) {
							if like[word] {
								n++
							}
						}
						return n
					}
					order := slices.Clone(names)
					slices.SortStableFunc(order, func(x, y string) int { return alike(y) - alike(x) })
					under := func(name string) bool {
						text := texts[b.ID][name]
						if strings.Contains(text, sets+choice.String()) {
							return false
						}
						text = regexp.MustCompile(sets+r.Rule().Choices[0].String()+`\b`).ReplaceAllString(text, "")
						return differs(t, name, opens.ReplaceAllString(text, "$0"+sets+choice.String()))
					}
					if !slices.ContainsFunc(order, under) {
						t.Errorf("no scenario of the default %s comes out otherwise under %s", r.Rule().Choices[0], choice)
					}
				}
			})
		}
	}
}

// wordsOf are the words and numbers of the name of a scenario.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(r rune) bool { return r == '_' || r == '.' })
}
