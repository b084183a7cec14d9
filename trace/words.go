package trace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// WordsFile is the page of the language of scenarios. One section of it is
// generated.
const WordsFile = "docs/scenarios.md"

const (
	wordsBegin = "<!-- begin of what `go generate ./trace` writes -->\n"
	wordsEnd   = "<!-- end of what `go generate ./trace` writes -->\n"
)

// WithWords returns the page of the language of scenarios with its generated
// section written anew. The error says that the page has no place for it.
func WithWords(page []byte) ([]byte, error) {
	before, rest, began := bytes.Cut(page, []byte(wordsBegin))
	_, after, ended := bytes.Cut(rest, []byte(wordsEnd))
	if !began || !ended {
		return nil, fmt.Errorf("%s has no place for its words: put back the lines %q and %q", WordsFile, strings.TrimSpace(wordsBegin), strings.TrimSpace(wordsEnd))
	}
	return slices.Concat(before, []byte(wordsBegin), words(), []byte(wordsEnd), after), nil
}

// asked is a question by its key, as the books put it.
type asked struct {
	key     string
	books   []string
	role    rules.Role
	answers []rules.Answer
}

// words returns every word that an incident, an outcome, a refusal, a question, an
// answer and the end of a wager can have.
func words() []byte {
	var b bytes.Buffer
	b.WriteString("\n### Incidents\n\n| `report` | what happened |\n| --- | --- |\n")
	for _, i := range rules.Incidents() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", i, cell(table.IncidentWords(i)))
	}
	b.WriteString("\n### Outcomes\n\n| `want outcome` | what it means |\n| --- | --- |\n")
	for o := rules.Continue; o.String() != "unknown"; o++ {
		fmt.Fprintf(&b, "| `%s` | %s |\n", o, cell(table.OutcomeWords(o)))
	}
	b.WriteString("\n### Reasons for a refusal\n\nIn their order of precedence, for `want refused reason=`: ")
	for r := table.Malformed; r.String() != "unknown"; r++ {
		if r != table.Malformed {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s`", r)
	}
	b.WriteString(".\n\n### Questions and answers\n\n| `want question key=` | where | who answers | `answer`: what follows |\n| --- | --- | --- | --- |\n")
	fmt.Fprintf(&b, "| `%s` | every book | `%s` or above | `yes`: what the case leads to<br>`no`: %s |\n",
		table.ConfirmFacts, rules.PitSupervisor, table.OutcomeWords(rules.Continue))
	for _, q := range questions() {
		var answers []string
		for _, a := range q.answers {
			answers = append(answers, fmt.Sprintf("`%s`: %s", a.Key, table.OutcomeWords(a.Then)))
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` or above | %s |\n", q.key, strings.Join(q.books, ", "), q.role, cell(strings.Join(answers, "<br>")))
	}
	b.WriteString("\n### Options, results and phases\n\nAn option is answered by `choose` with `continue` or `return`. ")
	b.WriteString("A wager ends as ")
	for r := rules.Win; r.String() != "unknown"; r++ {
		if r != rules.Win {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s`", r)
	}
	b.WriteString(". The phases are ")
	for p := table.Ready; p.String() != "unknown"; p++ {
		if p != table.Ready {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "`%s`", p)
	}
	b.WriteString(".\n\n")
	return b.Bytes()
}

// questions lists every question that a book puts, once for each key, role and list
// of answers.
func questions() []asked {
	var all []asked
	put := func(b *rules.Book, q *rules.Question) {
		if q == nil {
			return
		}
		same := func(o asked) bool {
			return o.key == q.Key && o.role == q.Role && slices.EqualFunc(o.answers, q.Answers, func(x, y rules.Answer) bool {
				return x.Key == y.Key && x.Then == y.Then
			})
		}
		at := slices.IndexFunc(all, same)
		if at < 0 {
			at, all = len(all), append(all, asked{key: q.Key, role: q.Role, answers: q.Answers})
		}
		if !slices.Contains(all[at].books, b.ID) {
			all[at].books = append(all[at].books, b.ID)
		}
	}
	for _, b := range books.All() {
		for k := range b.Incidents {
			for i := range b.Incidents[k].Cases {
				put(b, b.Incidents[k].Cases[i].Question)
			}
		}
		put(b, b.Offer.Question)
	}
	return all
}
