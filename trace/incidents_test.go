package trace

import (
	"os"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Every condition and outcome that a book can name has words, and every case of
// every book stands in the page, with all that can be answered.
func TestIncidentsAreWhole(t *testing.T) {
	for _, i := range rules.Incidents() {
		if table.IncidentWords(i) == "" {
			t.Errorf("%s has no words", i)
		}
	}
	for c := rules.NobodyLooked; c.String() != "unknown"; c++ {
		if table.ConditionWords(c) == "" {
			t.Errorf("%s has no words", c)
		}
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		if table.OutcomeWords(o) == "" {
			t.Errorf("%s has no words", o)
		}
	}
	page := string(IncidentsMarkdown())
	for _, b := range books.All() {
		_, part, found := strings.Cut(page, "(`"+b.Ref()+"`)\n")
		if !found {
			t.Fatalf("%s is not in the page", b.Ref())
		}
		part, _, _ = strings.Cut(part, "\n## ")
		cases := 0
		for _, rule := range b.Incidents {
			_, section, found := strings.Cut(part, "### `"+rule.Incident.String()+"`:")
			if !found {
				t.Errorf("%s: %s has no table", b.Ref(), rule.Incident)
			}
			section, _, _ = strings.Cut(section, "\n### ")
			cases += len(rule.Cases)
			for _, c := range rule.Cases {
				if !strings.Contains(section, "| "+Provision(c.Clause)+" |") {
					t.Errorf("%s: the table of %s does not name %s", b.Ref(), rule.Incident, c.Clause)
				}
				if c.Ruling != 0 && !strings.Contains(section, "under `"+c.Ruling.String()+"` = `"+c.Choice.String()+"`") {
					t.Errorf("%s: the table of %s does not name %s", b.Ref(), rule.Incident, c.Ruling)
				}
				if c.Question == nil {
					continue
				}
				for _, a := range c.Question.Answers {
					if !strings.Contains(section, "`"+a.Key+"`: ") {
						t.Errorf("%s: the table of %s has no answer %s", b.Ref(), rule.Incident, a.Key)
					}
				}
			}
		}
		if rows := strings.Count(part, "\n| ") - 2*len(b.Incidents); rows != cases {
			t.Errorf("%s: %d rows for %d cases", b.Ref(), rows, cases)
		}
	}
}

// An incident that no book declares anything for is among the unlisted, and a word
// for a wrong deal is listed where the table of the wrong deal is.
func TestUnlistedIncidents(t *testing.T) {
	for _, b := range books.All() {
		unlisted := map[rules.Incident]bool{}
		for _, i := range Unlisted(b) {
			unlisted[i] = true
		}
		for _, i := range rules.Incidents() {
			if same := b.Incident(i) == b.Incident(rules.Uncovered); same != (unlisted[i] || i == rules.Uncovered) {
				t.Errorf("%s: %s is treated as uncovered: %t, and listed so: %t", b.Ref(), i, same, unlisted[i])
			}
		}
	}
}

// The page of the language of scenarios lists each word that a report, an outcome, a
// refusal, a question and an answer can have.
func TestEveryWordIsListed(t *testing.T) {
	page, err := os.ReadFile("../" + WordsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(page), wordsBegin)
	if !found {
		t.Fatal("the page has no list of words")
	}
	want := []string{"facts", "yes", "no", "continue", "return", "win", "lose", "push", "returned", "settled", "void"}
	for _, i := range rules.Incidents() {
		want = append(want, i.String())
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		want = append(want, o.String())
	}
	for r := table.Malformed; r.String() != "unknown"; r++ {
		want = append(want, r.String())
	}
	asks := 0
	for _, b := range books.All() {
		for _, rule := range b.Incidents {
			for _, c := range rule.Cases {
				if c.Question == nil {
					continue
				}
				asks++
				want = append(want, c.Question.Key)
				for _, a := range c.Question.Answers {
					want = append(want, a.Key)
				}
			}
		}
	}
	if asks < 5 {
		t.Errorf("only %d cases ask something: the walk is broken", asks)
	}
	for _, word := range want {
		if !strings.Contains(list, "`"+word+"`") {
			t.Errorf("%s does not list %q", WordsFile, word)
		}
	}
}

// A page that has lost its place for the words is not written.
func TestWordsNeedTheirPlace(t *testing.T) {
	for _, page := range []string{"", "# Scenarios\n", wordsBegin, wordsEnd + wordsBegin} {
		if got, err := WithWords([]byte(page)); err == nil {
			t.Errorf("%q becomes %q", page, got)
		}
	}
	once, err := WithWords([]byte("a\n" + wordsBegin + "stale\n" + wordsEnd + "z\n"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := WithWords(once)
	if err != nil || string(again) != string(once) || strings.Contains(string(once), "stale") || !strings.HasPrefix(string(once), "a\n") || !strings.HasSuffix(string(once), "z\n") {
		t.Errorf("%q, %v", again, err)
	}
}
