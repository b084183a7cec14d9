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

// IncidentsFile is the page of the incidents, by its path in the repository.
const IncidentsFile = "docs/incidents.md"

// Incident is one table of a book's irregularities, for people: what is reported,
// while what is going on, and what follows from which facts.
type Incident struct {
	Of rules.Incident
	// Entrances are the everyday words under which it may be reported as well.
	Entrances []rules.Incident
	// Phases are those in which it can be reported.
	Phases []table.Phase
	Rows   []Row
	// Earlier is the clause by which it changes nothing in an earlier round, EarlierAsk
	// the question that is put then.
	Earlier    string
	EarlierAsk *rules.Question
}

// Row is one case: the first whose facts all hold decides.
type Row struct {
	// When are the facts, each as part of a sentence; none: otherwise.
	When []string
	// Ruling and Choice are the value on which the case depends; zero: none.
	Ruling rules.Ruling
	Choice rules.Choice
	Then   rules.Outcome
	Clause string
	// Question is what is asked, of whom and with which answers; nil for nothing.
	Question *rules.Question
	// SecondPerson says who confirms the facts.
	SecondPerson string
}

// Outcome returns the outcome of the case, in words.
func (r *Row) Outcome() string { return table.OutcomeWords(r.Then) }

// Incidents returns the tables of a book in its order.
func Incidents(b *rules.Book) []Incident {
	var all []Incident
	for k := range b.Incidents {
		rule := &b.Incidents[k]
		in := Incident{Of: rule.Incident, Phases: table.ReportPhases(rule.Incident)}
		in.Earlier, in.EarlierAsk = b.OfEarlier(rule.Incident)
		for _, i := range rules.Incidents() {
			if i != rule.Incident && i.Table() == rule.Incident {
				in.Entrances = append(in.Entrances, i)
			}
		}
		for i := range rule.Cases {
			c := &rule.Cases[i]
			row := Row{
				Ruling: c.Ruling, Choice: c.Choice, Then: c.Then, Clause: c.Clause, Question: c.Question,
				SecondPerson: table.SecondPerson(rule.Incident, c),
			}
			for _, w := range c.When {
				row.When = append(row.When, table.ConditionWords(w))
			}
			in.Rows = append(in.Rows, row)
		}
		all = append(all, in)
	}
	return all
}

// Unlisted returns the incidents for which a book declares nothing: they are
// treated as uncovered.
func Unlisted(b *rules.Book) []rules.Incident {
	return slices.DeleteFunc(rules.Incidents(), func(i rules.Incident) bool {
		return slices.ContainsFunc(b.Incidents, func(r rules.IncidentRule) bool { return r.Incident == i.Table() })
	})
}

// Option is an answer that a player may give to an option, with its clause.
type Option struct{ Words, Clause string }

// Options returns the choices of a player where a case offers them.
func Options(b *rules.Book) []Option {
	all := []Option{
		{"go on with the hand as it is", b.Offer.Continue},
		{"go on with the hand put right", b.Offer.Restored},
		{"have the bets back", b.Offer.Return},
		{"take all wagers back", b.Offer.Withdraw},
		{"ask for the wager as a dissatisfied player", b.Offer.Dissatisfied},
	}
	return slices.DeleteFunc(all, func(o Option) bool { return o.Clause == "" })
}

// Provision returns a provision as a reader sees it: the number of a clause, or the
// name of a ruling.
func Provision(id string) string {
	if r, cites := rules.CitedRuling(id); cites {
		return "ruling `" + r.String() + "`"
	}
	return id
}

// IncidentsMarkdown returns the page of all books, as docs/incidents.md holds it.
func IncidentsMarkdown() []byte {
	var b bytes.Buffer
	b.WriteString(`# Incidents: which facts lead to what

Written by ` + "`go generate ./trace`" + ` from the declarations of the books; not edited
by hand. docs/decisions/0013-facts-decide.md explains the rules behind it.

A report adds facts to the record of the table. In each table below, the first row
whose facts all hold decides. Several everyday words lead to the one table of a wrong
deal, and none of them changes the outcome. A row with a ruling holds only under that
value; the rulings are in docs/rulings.md.

- At a virtual table the program deals cards that it has shuffled. A report about
  cards in the wrong place, or about the deck, is refused there.
- A report that contradicts the table's own record is always put to a second person,
  a pit supervisor or somebody above who did not report it.
- "A card has been seen" means that it was examined or exposed.
- An open question bars no emergency: a foreign card, a count, too few cards,
  unshuffled cards, a failed jackpot or an interruption can still be reported.
`)
	for _, book := range books.All() {
		fmt.Fprintf(&b, "\n## %s, %s (`%s`)\n", book.Title, book.House, book.Ref())
		for _, in := range Incidents(book) {
			in.write(&b)
		}
		if unlisted := Unlisted(book); len(unlisted) > 0 {
			fmt.Fprintf(&b, "\nThe text provides nothing for %s: they are treated as `uncovered`.\n", keysOf(unlisted))
		}
		b.WriteString("\nWhat a player may choose where it is offered: ")
		for i, o := range Options(book) {
			if i > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(&b, "%s (%s)", o.Words, Provision(o.Clause))
		}
		b.WriteString(".\n")
	}
	return b.Bytes()
}

func keysOf[T fmt.Stringer](all []T) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = "`" + one.String() + "`"
	}
	return strings.Join(words, ", ")
}

func (in *Incident) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### `%s`: %s\n\n", in.Of, table.IncidentWords(in.Of))
	if len(in.Entrances) > 0 {
		fmt.Fprintf(b, "Also reported as: %s. ", keysOf(in.Entrances))
	}
	fmt.Fprintf(b, "Reported while the table is: %s.", keysOf(in.Phases))
	if late := table.LatePhases(in.Of); late != nil {
		fmt.Fprintf(b, " If it came before the look (`before-look`), also while it is: %s.", keysOf(late))
	}
	if in.Of == rules.Misdeal {
		fmt.Fprintf(b, " A wrong number of cards can also be reported while it is `%s`.", table.Paid)
	}
	if in.Earlier != "" {
		fmt.Fprintf(b, " In an earlier round: bets and results stand (%s).", Provision(in.Earlier))
	}
	if q := in.EarlierAsk; q != nil {
		fmt.Fprintf(b, " In an earlier round: the %s decides (%s):", q.Role.Name(), Provision(q.Clause))
		for i, a := range q.Answers {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(b, " `%s`", a.Key)
		}
		b.WriteString(".")
	}
	b.WriteString("\n\n| | facts | outcome | clause | who decides, and how | who confirms the facts |\n| --- | --- | --- | --- | --- | --- |\n")
	for i := range in.Rows {
		r := &in.Rows[i]
		when := strings.Join(r.When, "; ")
		switch ruled := fmt.Sprintf("under `%s` = `%s`", r.Ruling, r.Choice); {
		case r.Ruling != 0 && when == "":
			when = ruled
		case r.Ruling != 0:
			when += "; " + ruled
		case when == "" && i == 0:
			when = "whatever else is the case"
		case when == "":
			when = "otherwise"
		}
		asks := ""
		if q := r.Question; q != nil {
			asks = fmt.Sprintf("%s: %s", q.Role.Name(), q.Ask)
			for _, a := range q.Answers {
				asks += fmt.Sprintf("<br>`%s`: %s (%s)", a.Key, table.OutcomeWords(a.Then), Provision(a.Clause))
			}
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s |\n", i+1, cell(when), cell(r.Outcome()), cell(Provision(r.Clause)), cell(asks), cell(r.SecondPerson))
	}
}
