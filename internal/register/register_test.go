package register

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
	"trey/rules/sm3cp"
	"trey/trace"
)

var index = trace.Index{
	Code:      []trace.Citation{{Book: "rws-3cp@3", Clause: "4.4", File: "rules/rws3cp/book.go", Decl: "book.Wagers[Progressive]"}},
	Scenarios: []trace.Proof{{Book: "rws-3cp@3", Clause: "4.4", File: "scenario/testdata/rws-3cp/4.4_major.txtar"}},
}

func TestClauseText(t *testing.T) {
	v := rws3cp.Book().Standard()
	v.Choices[rules.JackpotStake] = rules.Returned
	c, err := Find(v, "4.4", &index)
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Text())
	for _, want := range []string{
		"rws-3cp@3 4.4  executable\n",
		"    jackpot_stake: Does the Progressive Jackpot stake come back with a win?\n        In force: returned\n        Other values: kept-by-house\n",
		"    rules/rws3cp/book.go: book.Wagers[Progressive]\n",
		"    scenario/testdata/rws-3cp/4.4_major.txtar\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "not yet whole") {
		t.Errorf("a clause with code and scenario is called incomplete:\n%s", text)
	}
}

func TestAnIncompleteClauseIsCalledSo(t *testing.T) {
	c, err := Find(rws3cp.Book().Standard(), "4.3", &index)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(c.Text()), "not yet whole") {
		t.Errorf("a clause without a scenario is not called incomplete:\n%s", c.Text())
	}
}

func TestNearestClauses(t *testing.T) {
	tests := []struct {
		book *rules.Book
		id   string
		want string // the first suggestion, "" for none
	}{
		{rws3cp.Book(), "5.8.66", "5.8.6"},
		{rws3cp.Book(), "5.88", "5.8"},
		{rws3cp.Book(), "4", "4.1"},
		{rws3cp.Book(), "3.1.3.a", "3.1.3a"},
		{sm3cp.Book(), "Bonus.9A", "bonus.9a"},
		{sm3cp.Book(), "bonus9a", "bonus.9a"},
		{sm3cp.Book(), "bonus.3.TCPB-3E", "bonus.3.TCPB-03E"},
		{sm3cp.Book(), "pineapple", ""},
		{sm3cp.Book(), strings.Repeat("x", 5000), ""},
	}
	for _, test := range tests {
		_, err := Find(test.book.Standard(), test.id, &index)
		if err == nil {
			t.Errorf("%s %q was found", test.book.ID, test.id)
			continue
		}
		want := "did you mean " + test.want
		if test.want == "" {
			want = "`trey rules " + test.book.ID + "` lists them"
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s %.20q: %.200q, want %q", test.book.ID, test.id, err, want)
		}
	}
}

func TestTextFitsAPlainTerminal(t *testing.T) {
	texts := []string{string(ListText(Books()))}
	for _, b := range books.All() {
		complete := Of(b.Standard(), &index)
		texts = append(texts, string(complete.Text()))
		for i := range complete.Clauses {
			texts = append(texts, string(complete.Clauses[i].Text()))
		}
	}
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

func TestJSONHasEveryClause(t *testing.T) {
	for _, b := range books.All() {
		text, err := json.Marshal(Of(b.Standard(), &index))
		if err != nil {
			t.Fatal(err)
		}
		var back Book
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if len(back.Clauses) != len(b.Clauses) || back.Ref != b.Ref() {
			t.Errorf("%s: %d of %d clauses", back.Ref, len(back.Clauses), len(b.Clauses))
		}
	}
}

// A ruling that names a clause which is not in the register would be shown
// beside nothing.
func TestRulingsConcernClausesThatExist(t *testing.T) {
	for _, b := range books.All() {
		check := func(key string, clauses []string) {
			for _, id := range clauses {
				if _, ok := b.Clause(id); !ok {
					t.Errorf("%s: %s has no clause %q", key, b.Ref(), id)
				}
			}
		}
		for _, r := range b.Open() {
			check(r.String(), b.OpenRuling(r).Clauses)
		}
		for _, r := range b.Readings {
			check(r.Key, r.Clauses)
			if r.Answer(b.Standard()) == "" || !strings.HasSuffix(r.Question, "?") {
				t.Errorf("%s: question %q, answer %q", r.Key, r.Question, r.Answer(b.Standard()))
			}
		}
	}
}

// What people read in docs/rulings.md and what the program knows are the same
// open points.
func TestRulingsAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/rulings.md")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)`").FindAllStringSubmatch(string(text), -1) {
		written = append(written, match[1])
	}
	known := map[string]bool{}
	for _, b := range books.All() {
		for _, r := range b.Open() {
			known[r.String()] = true
		}
		for _, r := range b.Readings {
			known[r.Key] = true
		}
	}
	for key := range known {
		if !slices.Contains(written, key) {
			t.Errorf("%s is not in docs/rulings.md", key)
		}
	}
	for _, key := range written {
		if !known[key] {
			t.Errorf("%s stands in docs/rulings.md, and `trey rules` shows it beside no clause", key)
		}
	}
}
