package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"trey/money"
)

// The paper on which a report is printed: A4 or letter at 12 characters to the inch
// and 6 lines to the inch, with a margin.
const (
	// PaperColumns is the greatest width of a line, in columns of a fixed pitch.
	PaperColumns = 92
	// PaperLines is the greatest number of lines of a page, its header among them.
	PaperLines = 60
)

const (
	gap     = 2  // columns between two columns of a table
	hanging = 4  // how far the further lines of a row are indented
	widest  = 36 // the widest column of text; what is longer goes on below
)

// Paper writes the report as it is printed: pages of [PaperLines] lines at most, no
// line wider than [PaperColumns], with a form feed between two pages. Each page begins
// with the house, the report, its period and filters, the program's version, when it
// was made, and which page it is of how many. A table that is too wide is set with several
// lines to the row. The end of a page splits no row, and the next page repeats the heads of the
// columns. The last line says that the report ends there, and how much there was of it.
func (r *Report) Paper(to io.Writer) error {
	head := r.paperHead()
	room := PaperLines - len(head) - 2
	p := &pageWriter{room: room}
	for _, f := range r.Findings {
		p.block(wrapped("Does not agree: "+f.String(), PaperColumns))
	}
	if len(r.Findings) > 0 {
		p.blank()
	}
	if r.NoActivity {
		p.block([]string{"No activity in this period."})
		p.blank()
	}
	rows := 0
	for i := range r.Sections {
		r.Sections[i].print(p)
		rows += len(r.Sections[i].Rows)
	}
	// The end stands on a page with something before it, and its own number counts.
	const lines = 2
	p.need(lines)
	pages := len(p.pages)
	p.block([]string{
		strings.Repeat("=", PaperColumns),
		fmt.Sprintf("End of the report: %s, %s, %s.", counted(len(r.Sections), "table"), counted(rows, "row"), counted(pages, "page")),
	})
	for i, page := range p.pages {
		var text strings.Builder
		if i > 0 {
			text.WriteByte('\f')
		}
		number := fmt.Sprintf("page %d of %d", i+1, pages)
		text.WriteString(beside(head[0], number) + "\n")
		for _, line := range head[1:] {
			text.WriteString(line + "\n")
		}
		text.WriteString(strings.Repeat("=", PaperColumns) + "\n\n")
		for _, line := range page {
			text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		if _, err := io.WriteString(to, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// paperHead returns the beginning of every page. The number of the page comes beside the first
// line.
func (r *Report) paperHead() []string {
	house := r.House
	if house == "" {
		house = "A house without a name"
	}
	from := moment(r.FromMs)
	if from == "" {
		from = "the beginning"
	}
	// The first line shares its room with the number of the page.
	head := append(shortened(house, PaperColumns-len("  page 99999 of 99999")), r.Title)
	head = append(head, wrapped("Period: from "+from+" to before "+moment(r.ToMs), PaperColumns)...)
	head = append(head, wrapped(fmt.Sprintf("Made: %s, from the record up to transaction %d", moment(r.GeneratedMs), r.ThroughSeq), PaperColumns)...)
	head = append(head, shortened("Program: "+r.Version, PaperColumns)...)
	narrowed := "everything"
	if len(r.Filters) > 0 {
		var by []string
		for _, f := range r.Filters {
			by = append(by, f.Name+" "+f.Value)
		}
		narrowed = "only " + strings.Join(by, ", ")
	}
	return append(head, shortened("Shows: "+narrowed, PaperColumns)...)
}

// shortened sets a text in a few lines, and says so where that is not all of it.
func shortened(text string, columns int) []string {
	const most = 4
	lines := wrapped(text, columns)
	if len(lines) > most {
		lines = append(lines[:most-1], "and so on")
	}
	return lines
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// pageWriter sets lines in pages.
type pageWriter struct {
	room  int
	pages [][]string
	// again is the beginning of a page that goes on with a table.
	again []string
}

// need begins a page where the one begun has no room for as many lines.
func (p *pageWriter) need(lines int) {
	if len(p.pages) > 0 && len(p.pages[len(p.pages)-1])+lines <= p.room {
		return
	}
	if last := len(p.pages) - 1; last >= 0 {
		for n := len(p.pages[last]); n > 0 && p.pages[last][n-1] == ""; n-- {
			p.pages[last] = p.pages[last][:n-1]
		}
	}
	p.pages = append(p.pages, append([]string{}, p.again...))
}

// block sets lines that belong together on one page, if a page holds them.
func (p *pageWriter) block(lines []string) {
	p.need(min(len(lines), p.room-len(p.again)))
	for _, line := range lines {
		p.need(1)
		p.set(line)
	}
}

func (p *pageWriter) set(line string) {
	last := len(p.pages) - 1
	p.pages[last] = append(p.pages[last], line)
}

// blank sets an empty line, unless the page ends there.
func (p *pageWriter) blank() {
	if last := len(p.pages) - 1; last >= 0 && len(p.pages[last]) > 0 && len(p.pages[last]) < p.room {
		p.set("")
	}
}

// print sets a table.
func (s *Section) print(p *pageWriter) {
	cells := make([][]string, 0, len(s.Rows)+1)
	for _, row := range s.Rows {
		cells = append(cells, s.cells(row))
	}
	var totals []string
	if s.Totals != nil {
		totals = s.cells(s.Totals)
		cells = append(cells, totals)
	}
	titles := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		titles[i] = c.Title
	}
	t := s.typeset(append(cells, titles))
	head, rule := t.row(titles), strings.Repeat("-", t.wide)
	title := wrapped(s.Title, PaperColumns)
	if len(s.Rows) == 0 {
		p.block(append(title, "No activity.", ""))
		return
	}
	// A title stands with its head and a row at least.
	first := append(append(append([]string{}, title...), head...), rule)
	p.need(min(len(first)+len(t.row(cells[0])), p.room))
	p.block(first)
	p.again = append(append(wrapped(s.Title+", continued", PaperColumns), head...), rule)
	for i := range s.Rows {
		p.block(t.row(cells[i]))
	}
	if s.LeftOut > 0 {
		p.block(wrapped(fmt.Sprintf("and %d more, which the totals count", s.LeftOut), PaperColumns))
	}
	if totals != nil {
		p.block(append([]string{rule}, t.row(totals)...))
	}
	p.again = nil
	p.blank()
}

// cells returns the values of a row as they are printed. Paper needs no protection from
// formulas, and characters that would control the printer are left out.
func (s *Section) cells(row Row) []string {
	text := make([]string, len(row))
	for i := range row {
		if amount, ok := row[i].(money.Amount); ok {
			text[i] = amount.Display()
		} else {
			text[i] = printable(s.written(i, row[i]))
		}
	}
	return text
}

// printable puts a blank where a text has what is no mark on paper, such as the end of
// a line or of a page.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text))
}

// typeset is the layout of the columns of a table.
type typeset struct {
	columns []Column
	widths  []int
	lines   [][]int // the columns on each line of a row
	wide    int
}

// typeset makes room for the widest value of each column, and begins a further line of
// the row where the page is not wide enough.
func (s *Section) typeset(rows [][]string) *typeset {
	t := &typeset{columns: s.Columns, widths: make([]int, len(s.Columns))}
	for _, row := range rows {
		for i, cell := range row {
			t.widths[i] = max(t.widths[i], wide(cell))
		}
	}
	at, line := 0, []int{}
	for i := range t.columns {
		if t.columns[i].Unit == Text {
			t.widths[i] = min(t.widths[i], widest)
		}
		if at > 0 && at+gap+t.widths[i] > PaperColumns {
			t.lines, line = append(t.lines, line), []int{}
			at = hanging
		} else if at > 0 {
			at += gap
		}
		at += t.widths[i]
		line, t.wide = append(line, i), max(t.wide, at)
	}
	t.lines = append(t.lines, line)
	return t
}

// row sets one row: each of its lines as deep as its deepest cell.
func (t *typeset) row(cells []string) []string {
	var out []string
	for n, line := range t.lines {
		deep := 1
		parts := make([][]string, len(line))
		for k, i := range line {
			parts[k] = wrapped(cells[i], t.widths[i])
			deep = max(deep, len(parts[k]))
		}
		for d := range deep {
			var b strings.Builder
			if n > 0 {
				b.WriteString(strings.Repeat(" ", hanging))
			}
			for k, i := range line {
				if k > 0 {
					b.WriteString(strings.Repeat(" ", gap))
				}
				cell := ""
				if d < len(parts[k]) {
					cell = parts[k][d]
				}
				blank := strings.Repeat(" ", max(t.widths[i]-wide(cell), 0))
				if t.columns[i].Unit.Right() {
					b.WriteString(blank + cell)
				} else {
					b.WriteString(cell + blank)
				}
			}
			out = append(out, strings.TrimRight(b.String(), " "))
		}
	}
	return out
}

// Right reports whether values stand at the right of their column, as numbers do, on paper and
// on a page.
func (u Unit) Right() bool { return u == Count || u == Money || u == Percent }

// wrapped sets a text in lines of a width: between words where it can, and through a
// word that is longer than a line. There is one line at least.
func wrapped(text string, columns int) []string {
	var out []string
	line, at := "", 0
	for word := range strings.FieldsSeq(printable(text)) {
		if wordColumns := wide(word); at > 0 && at+1+wordColumns <= columns {
			line, at = line+" "+word, at+1+wordColumns
			continue
		}
		if at > 0 {
			out, line, at = append(out, line), "", 0
		}
		for _, r := range word {
			width := wideRune(r)
			if at+width > columns && at > 0 {
				out, line, at = append(out, line), "", 0
			}
			line, at = line+string(r), at+width
		}
	}
	return append(out, line)
}

// beside puts one text at the left of a line and another at its right.
func beside(left, right string) string {
	return left + strings.Repeat(" ", max(PaperColumns-wide(left)-wide(right), gap)) + right
}

// wide returns the number of columns that a text takes.
func wide(text string) (columns int) {
	for _, r := range text {
		columns += wideRune(r)
	}
	return columns
}

func wideRune(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default: // what is narrow, ambiguous or said to be neither
		return 1
	}
}
