package rules_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
)

// documented is a row of docs/rulings.md.
type documented struct {
	section string
	cells   []string
}

// quoted finds the values, which the page writes in backquotes.
var quoted = regexp.MustCompile("`([^`]+)`")

func documentedRulings(t *testing.T) map[string]documented {
	t.Helper()
	page, err := os.ReadFile("../docs/rulings.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]documented{}
	section := ""
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(title)
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		key := quoted.FindStringSubmatch(cells[0])[1]
		if _, ok := rows[key]; ok {
			t.Errorf("%s stands twice in docs/rulings.md", key)
		}
		rows[key] = documented{section, cells}
	}
	return rows
}

// The page lists values under these headings; the others hold figures and
// readings without a choice.
const (
	figures  = "Figures that the variant states"
	readings = "Readings that leave no choice"
)

func TestRulingsAreDocumented(t *testing.T) {
	rows, seen := documentedRulings(t), map[string]bool{}
	for r := rules.Ruling(1); r.Rule().Key != ""; r++ {
		rule := r.Rule()
		row, ok := rows[rule.Key]
		delete(rows, rule.Key)
		if !ok || row.section == figures || row.section == readings || len(row.cells) != 6 {
			t.Errorf("docs/rulings.md has no row with a choice for %s", rule.Key)
			continue
		}
		byDefault, others := row.cells[3], row.cells[4]
		if first := quoted.FindString(byDefault); first != "`"+rule.Choices[0].String()+"`" {
			t.Errorf("%s: the page gives the default %s, the code %s", rule.Key, first, rule.Choices[0])
		}
		var values []string
		for _, found := range quoted.FindAllStringSubmatch(others, -1) {
			values = append(values, found[1])
		}
		var want []string
		for _, c := range rule.Choices[1:] {
			want = append(want, c.String())
		}
		if !slices.Equal(values, want) {
			t.Errorf("%s: the page gives the other values %v, the code %v", rule.Key, values, want)
		}
		for _, b := range books.All() {
			if book, _, _ := strings.Cut(b.ID, "-"); b.OpenRuling(r) != nil && !strings.Contains(row.cells[1], book) {
				t.Errorf("%s: the page does not say that %s leaves it open", rule.Key, b.ID)
			}
		}
	}
	for _, b := range books.All() {
		for _, reading := range b.Readings {
			section := readings
			if reading.Stated() {
				section = figures
			}
			if row, ok := rows[reading.Key]; ok && row.section != section {
				t.Errorf("%s stands under %q in docs/rulings.md, want %q", reading.Key, row.section, section)
			} else if ok {
				delete(rows, reading.Key)
				seen[reading.Key] = true
			} else if !seen[reading.Key] {
				t.Errorf("docs/rulings.md has no row for %s", reading.Key)
			}
			if reading.Answer(b.Standard()) == "" {
				t.Errorf("%s has no answer", reading.Key)
			}
			for _, clause := range reading.Clauses {
				if _, ok := b.Clause(clause); !ok {
					t.Errorf("%s: %s has no clause %q", reading.Key, b.Ref(), clause)
				}
			}
		}
	}
	for key := range rows {
		t.Errorf("docs/rulings.md has %s, which the code does not have", key)
	}
}

func TestParseRulingAndChoice(t *testing.T) {
	for r := rules.Ruling(1); r.Rule().Key != ""; r++ {
		if got, err := rules.ParseRuling(r.String()); err != nil || got != r {
			t.Errorf("ParseRuling(%q) = %v, %v", r, got, err)
		}
		for _, c := range r.Rule().Choices {
			if got, err := r.ParseChoice(c.String()); err != nil || got != c {
				t.Errorf("%s: ParseChoice(%q) = %v, %v", r, c, got, err)
			}
		}
	}
	if _, err := rules.ParseRuling("envy_whenever"); err == nil || !strings.Contains(err.Error(), "envy_when_folded") {
		t.Errorf("an unknown ruling gives %v", err)
	}
	if _, err := rules.EnvyPer.ParseChoice("box"); err == nil || !strings.Contains(err.Error(), "hand, round") {
		t.Errorf("an unknown value gives %v", err)
	}
}
