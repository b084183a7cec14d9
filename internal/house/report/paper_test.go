package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house/report"
	_ "trey/internal/steady"
	"trey/money"
)

func paper(t interface{ Fatal(...any) }, r *report.Report) string {
	var text strings.Builder
	if err := r.Paper(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// What a report looks like on paper: numbers at the right of their column, text at the
// left, a total under the rule, and what cannot be printed left out.
func TestPaper(t *testing.T) {
	r := &report.Report{
		Kind: report.Adjustments, Title: "Adjustments", House: "The Grand", Version: "v1.2", FromMs: 1_700_000_000_000, ToMs: 1_700_000_600_000, GeneratedMs: 1_700_000_700_000, ThroughSeq: 41,
		Filters: []report.Filter{{Name: "player", Value: "ann"}},
		Sections: []report.Section{
			{
				Title: "Made", Columns: []report.Column{
					{Key: "at", Title: "At", Unit: report.TimeMs},
					{Key: "seq", Title: "Transaction", Unit: report.Count},
					{Key: "what", Title: "What", Unit: report.Text},
					{Key: "amount", Title: "Amount", Unit: report.Money},
					{Key: "note", Title: "Note", Unit: report.Text},
				},
				Rows: []report.Row{
					{int64(1_700_000_000_000), int64(7), "fill", money.Amount(123_456_00), "=1+1"},
					{int64(1_700_000_000_001), int64(12), "陳先生", money.Amount(-5), "a\fb\nc"},
				},
				Totals: report.Row{"Total", nil, nil, money.Amount(123_455_95), nil}, LeftOut: 3,
			},
			{Title: "Declined", Columns: []report.Column{{Key: "what", Title: "What", Unit: report.Text}}, Rows: []report.Row{}},
		},
	}
	line := strings.Repeat("=", 92)
	want := `The Grand                                                                        page 1 of 1
Adjustments
Period: from 2023-11-14T22:13:20.000Z to before 2023-11-14T22:23:20.000Z
Made: 2023-11-14T22:25:00.000Z, from the record up to transaction 41
Program: v1.2
Shows: only player ann
` + line + `

Made
At                        Transaction  What        Amount  Note
----------------------------------------------------------------
2023-11-14T22:13:20.000Z            7  fill    123,456.00  =1+1
2023-11-14T22:13:20.001Z           12  陳先生       -0.05  a b c
and 3 more, which the totals count
----------------------------------------------------------------
Total                                          123,455.95

Declined
No activity.

` + line + `
End of the report: 2 tables, 2 rows, 1 page.
`
	if got := paper(t, r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Numbers of every kind stand at the right, percentages among them: paper and pages ask the unit.
func TestNumbersStandAtTheRight(t *testing.T) {
	for unit, want := range map[report.Unit]bool{
		report.Text: false, report.Count: true, report.Money: true, report.TimeMs: false, report.Percent: true,
	} {
		if got := unit.Right(); got != want {
			t.Errorf("%s at the right: %t, want %t", unit, got, want)
		}
	}
}

// A table that is wider than the page has several lines to the row, each column under
// its head.
func TestPaperWiderThanThePage(t *testing.T) {
	s := report.Section{Title: "Wide", Rows: []report.Row{{}}}
	for i := range 12 {
		s.Columns = append(s.Columns, report.Column{Key: "c", Title: fmt.Sprintf("Column-%02d", i), Unit: report.Text})
		s.Rows[0] = append(s.Rows[0], fmt.Sprintf("value-%02d", i))
	}
	s.Rows[0][11] = strings.Repeat("word ", 12) // 59 columns, and 36 is the widest
	got := paper(t, &report.Report{Title: "Wide", Sections: []report.Section{s}})
	var want strings.Builder
	// 9 columns wide each and 2 between: eight on a line, 86 columns; the rest below.
	for _, word := range []string{"Column", "value"} {
		if word == "value" {
			want.WriteString(strings.Repeat("-", 8*9+7*2) + "\n")
		}
		first := make([]string, 8)
		for i := range first {
			first[i] = fmt.Sprintf("%-9s", fmt.Sprintf("%s-%02d", word, i))
		}
		want.WriteString(strings.TrimRight(strings.Join(first, "  "), " ") + "\n")
		fmt.Fprintf(&want, "    %-9s  %-9s  %-9s  ", word+"-08", word+"-09", word+"-10")
		if word == "Column" {
			want.WriteString("Column-11\n")
			continue
		}
		want.WriteString("word word word word word word word\n")
		want.WriteString(strings.Repeat(" ", 4+3*11) + "word word word word word\n")
	}
	if !strings.Contains(got, want.String()) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want.String())
	}
}

var pageNumber = regexp.MustCompile(`  page (\d+) of (\d+)$`)

// However long a report and whatever its content, every page has its head and its number of as
// many as there are. No page is longer or wider than the paper. Every row is there once, in
// order and on one page. Every page that goes on with a table repeats its columns, and the last
// line counts the rows.
func TestPaperHasAllOfTheReportOnNumberedPages(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abc xyz 陳\f\n\t\x1b|é")), 0, 90, -1)
	rapid.Check(t, func(t *rapid.T) {
		r := &report.Report{Title: "A title", House: letters.Draw(t, "house"), Version: "v0", ToMs: 1, GeneratedMs: 1, ThroughSeq: 1}
		for range rapid.IntRange(0, 3).Draw(t, "filters") {
			r.Filters = append(r.Filters, report.Filter{Name: "player", Value: strings.Repeat(letters.Draw(t, "filter"), 9)})
		}
		for range rapid.IntRange(0, 70).Draw(t, "findings") {
			r.Findings = append(r.Findings, report.TextOf("finding "+letters.Draw(t, "finding")))
		}
		n, wants := 0, []string{}
		for i := range rapid.IntRange(0, 4).Draw(t, "sections") {
			s := report.Section{Title: fmt.Sprintf("TABLE%d", i)}
			s.Columns = []report.Column{{Key: "id", Title: "HEAD", Unit: report.Text}}
			for range rapid.IntRange(0, 14).Draw(t, "columns") {
				s.Columns = append(s.Columns, report.Column{Key: "c", Title: "t", Unit: rapid.SampledFrom([]report.Unit{report.Text, report.Count, report.Money, report.TimeMs}).Draw(t, "unit")})
			}
			s.Columns = append(s.Columns, report.Column{Key: "end", Title: "LAST", Unit: report.Text})
			cells := letters.Draw(t, "cells")
			for range rapid.SampledFrom([]int{0, 1, 40, 60, 130}).Draw(t, "rows") {
				row := report.Row{fmt.Sprintf("ROW%dX", n)}
				for _, c := range s.Columns[1 : len(s.Columns)-1] {
					switch c.Unit {
					case report.Text:
						row = append(row, cells)
					case report.Money:
						row = append(row, money.Amount(n*1000))
					default:
						row = append(row, int64(n))
					}
				}
				s.Rows = append(s.Rows, append(row, fmt.Sprintf("END%dX", n)))
				wants = append(wants, fmt.Sprintf("ROW%dX", n), fmt.Sprintf("END%dX", n))
				n++
			}
			if len(s.Rows) > 0 && rapid.Bool().Draw(t, "totals") {
				s.Totals = make(report.Row, len(s.Columns))
				s.Totals[0] = fmt.Sprintf("SUM%dX", i)
				wants = append(wants, fmt.Sprintf("SUM%dX", i))
			}
			r.Sections = append(r.Sections, s)
		}
		text := paper(t, r)
		pages := strings.Split(text, "\f")
		marks := regexp.MustCompile(`(ROW|END|SUM)\d+X`)
		var got []string
		table := ""
		for i, page := range pages {
			lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
			if len(lines) > report.PaperLines {
				t.Fatalf("page %d has %d lines", i+1, len(lines))
			}
			for _, line := range lines {
				columns := 0
				for _, r := range line {
					columns++
					if r == '陳' {
						columns++
					}
					if r < ' ' {
						t.Fatalf("%q would move the printer", line)
					}
				}
				if columns > report.PaperColumns {
					t.Fatalf("%d columns: %s", columns, line)
				}
			}
			number := pageNumber.FindStringSubmatch(lines[0])
			if number == nil || number[1] != strconv.Itoa(i+1) || number[2] != strconv.Itoa(len(pages)) || !slices.Contains(lines[1:5], "A title") {
				t.Fatalf("page %d of %d begins with %q, %q", i+1, len(pages), lines[0], lines[1])
			}
			// Each mark stands in a table whose head is on the same page.
			headed := false
			for _, line := range lines {
				if name := regexp.MustCompile(`^TABLE\d`).FindString(line); name != "" {
					if headed = false; name == table && !strings.HasSuffix(line, ", continued") {
						t.Fatalf("table %s begins twice", name)
					}
					table = name
				}
				headed = headed || strings.HasPrefix(line, "HEAD")
				if marks.MatchString(line) && !headed {
					t.Fatalf("page %d has rows of %s under no head:\n%s", i+1, table, page)
				}
			}
			of := marks.FindAllString(page, -1)
			for _, mark := range of {
				if row, found := strings.CutPrefix(mark, "ROW"); found && !slices.Contains(of, "END"+row) {
					t.Fatalf("%s is torn", mark)
				}
			}
			got = append(got, of...)
		}
		if !slices.Equal(got, wants) {
			t.Fatalf("the rows are\n%v\nwant\n%v", got, wants)
		}
		if findings := strings.Count(strings.ReplaceAll(text, "\n", " "), "Does not agree: finding"); findings != len(r.Findings) {
			t.Fatalf("%d findings of %d", findings, len(r.Findings))
		}
		plural := func(n int) string {
			if n == 1 {
				return ""
			}
			return "s"
		}
		end := fmt.Sprintf("\nEnd of the report: %d table%s, %d row%s, %d page%s.\n", len(r.Sections), plural(len(r.Sections)), n, plural(n), len(pages), plural(len(pages)))
		if !strings.HasSuffix(text, end) {
			t.Fatalf("it ends with %q, want %q", text[len(text)-80:], end)
		}
	})
}
