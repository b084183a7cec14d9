package rulebook_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"trey/internal/web/lang"
	"trey/rules/books"
	"trey/scenario"
	"trey/sentence"
	"trey/table"
)

// Every scenario, told in Chinese: each event, each announcement, each refusal. What
// is not Chinese in it is a name, a provision or a rank.
func TestScenariosAreToldInChinese(t *testing.T) {
	chinese := lang.Printer{Language: lang.Chinese}
	files, err := fs.Glob(os.DirFS("../../.."), "scenario/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	told := map[string]bool{}
	walk := func(t *testing.T, file string) {
		script, err := scenario.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := script.Steps()
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		say := func(s sentence.Sentence) {
			words, whole := chinese.Say(s)
			mu.Lock()
			told[s.Form] = true
			mu.Unlock()
			if left := foreign(words, names); !whole || left != "" {
				t.Errorf("%q is told as %q, with %q", s, words, left)
			}
		}
		for _, step := range steps {
			for _, m := range people.FindAllStringSubmatch(step.Text, -1) {
				for _, word := range latin.FindAllString(m[1]+m[2], -1) {
					names[word] = true
				}
			}
			names[step.Table] = true
			if r, ok := step.Refusal.(interface{ Said() sentence.Sentence }); ok {
				say(r.Said())
			} else if step.Refusal != nil {
				t.Errorf("%v cannot be told in another language", step.Refusal)
			}
			for _, result := range step.Results {
				names[result.Command.By.Name] = true
				for _, e := range result.Events {
					for _, s := range table.Telling(e, result.State) {
						say(s)
					}
					if e, ok := e.(table.Announced); ok {
						say(e.Said(result.State))
					}
				}
			}
			for _, s := range step.Jackpot {
				say(s)
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimPrefix(file, "scenario/testdata/"), func(t *testing.T) {
				t.Parallel()
				walk(t, file)
			})
		}
	})
	if len(files) < 400 || len(told) < 150 {
		t.Errorf("%d scenarios tell %d kinds of sentences: the walk is broken", len(files), len(told))
	}
}

var (
	// provisions are books and what they are cited by: "rws-3cp@3 5.8.6", "us-3cp dealing.6".
	provisions = func() *regexp.Regexp {
		var refs []string
		for _, b := range books.All() {
			refs = append(refs, regexp.QuoteMeta(b.Ref())+`( [0-9A-Za-z.-]+)?`)
		}
		return regexp.MustCompile(strings.Join(refs, "|"))
	}()
	latin = regexp.MustCompile(`[A-Za-z][A-Za-z-]*`)
	// people are names, and what people write and answer, in a line of a scenario.
	people = regexp.MustCompile(`(?:=|answer )(?:'([^']*)'|([^' ]+))`)
)

// foreign is the first Latin word in a Chinese text that is neither a name, a
// provision nor the rank of a card.
func foreign(words string, names map[string]bool) string {
	for _, word := range latin.FindAllString(provisions.ReplaceAllString(words, ""), -1) {
		if len(word) == 1 && strings.Contains("AKQJ", word) || names[word] {
			continue
		}
		if strings.Trim(word, "AKQJ-") == "" {
			continue
		}
		return word
	}
	return ""
}
