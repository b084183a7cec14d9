package parsheet_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"trey/internal/parsheet"
	"trey/internal/steady"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

func open(t *testing.T, text []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Every formula comes to the value that is stored with it, and those values are
// the exact ones.
func TestWorkbookFormulasComeToTheirValues(t *testing.T) {
	tests := []struct {
		name    string
		book    string
		options odds.Options
		change  []func(*rules.Variant) error
	}{
		{"rws beside six at a meter", "rws-3cp", odds.Options{Others: 6, Meter: 8_500_000}, nil},
		{"rws", "rws-3cp", odds.Options{}, nil},
		{"sm beside six", "sm-3cp", odds.Options{Others: 6}, nil},
		{"us", "us-3cp", odds.Options{}, nil},
		{"pictures", "mbs-3pictures", odds.Options{Stake: 2500}, nil},
		{"nothing is paid", "rws-3cp", odds.Options{Bets: []odds.Bet{odds.PairPlus}}, []func(*rules.Variant) error{pays(rules.PairPlus, 0, 0, 0, 0, 0)}},
	}
	for i, test := range tests {
		if !steady.Turn(i, 2) {
			continue // of the same sheets
		}
		t.Run(test.name, func(t *testing.T) {
			r := report(t, test.book, test.options, test.change...)
			text, err := r.Workbook()
			if err != nil {
				t.Fatal(err)
			}
			f := open(t, text)
			formulas := 0
			for _, sheet := range f.GetSheetList() {
				rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
				if err != nil {
					t.Fatal(err)
				}
				head := fmt.Sprint(rows[0], rows[1], rows[2])
				for _, want := range []string{r.Book, rules.ShortHash(r.Hash), testVersion} {
					if !strings.Contains(head, want) {
						t.Errorf("%s: the head %q has no %q", sheet, head, want)
					}
				}
				for y := range rows {
					if sheet == "Strategy" && y > 20 && y%25 != 0 {
						continue // the 741 ranks have all the same formula
					}
					for x := range rows[y] {
						formulas += checkFormula(t, f, sheet, x+1, y+1)
					}
				}
			}
			if formulas < 20 {
				t.Errorf("only %d formulas", formulas)
			}
			for bet, a := range r.Wagers {
				checkFigures(t, f, bet, a)
			}
		})
	}
}

// checkFormula recalculates one cell; it returns how many formulas it found.
func checkFormula(t *testing.T, f *excelize.File, sheet string, x, y int) int {
	t.Helper()
	cell, err := excelize.CoordinatesToCellName(x, y)
	if err != nil {
		t.Fatal(err)
	}
	formula, err := f.GetCellFormula(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	if formula == "" {
		return 0
	}
	raw := excelize.Options{RawCellValue: true}
	cached, err := f.GetCellValue(sheet, cell, raw)
	if err != nil {
		t.Fatal(err)
	}
	calculated, err := f.CalcCellValue(sheet, cell, raw)
	if err != nil {
		t.Errorf("%s!%s =%s: %v", sheet, cell, formula, err)
		return 1
	}
	if !near(cached, calculated) {
		t.Errorf("%s!%s =%s is %s, stored as %s", sheet, cell, formula, calculated, cached)
	}
	return 1
}

// near compares two cells: equal as text, or as numbers to what a spreadsheet
// keeps of them after a dozen operations.
func near(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	return math.Abs(x-y) <= 1e-11*max(1, math.Abs(x), math.Abs(y))
}

// checkFigures compares the figures of a wager's sheet with the exact ones.
func checkFigures(t *testing.T, f *excelize.File, bet odds.Bet, a *odds.Analysis) {
	t.Helper()
	want := map[string]string{
		"Expectation": a.Expectation.Decimal(17), "Variance": a.Variance.Decimal(17), "House edge": a.HouseEdge.Decimal(17),
		"Element of risk": a.ElementOfRisk.Decimal(17), "Net win": a.NetWin.Decimal(17), "Push": a.Push.Decimal(17),
		"Net loss": a.NetLoss.Decimal(17), "Hit frequency": a.HitFrequency.Decimal(17), "Average total wager": a.AverageWager.Decimal(17),
		"Standard deviation": string(a.StdDev), "Pay table less distribution": "0",
	}
	rows, err := f.GetRows(bet.Name(), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for i, row := range rows {
		if len(row) < 2 || want[row[0]] == "" || found[row[0]] {
			continue
		}
		found[row[0]] = true
		if !near1e9(row[1], want[row[0]]) {
			t.Errorf("%s row %d: %s is %s, exactly %s", bet.Name(), i+1, row[0], row[1], want[row[0]])
		}
	}
	for name := range want {
		if !found[name] {
			t.Errorf("%s has no %s", bet.Name(), name)
		}
	}
}

// near1e9 allows for roots, which are rounded in the tenth decimal.
func near1e9(a, b string) bool {
	x, _ := strconv.ParseFloat(a, 64)
	y, err := strconv.ParseFloat(b, 64)
	return err == nil && math.Abs(x-y) <= 1e-10*max(1, math.Abs(y))
}

func TestWorkbookHasTheSheetsALaboratoryExpects(t *testing.T) {
	want := map[string]string{
		"rws-3cp":       "Summary, Game, Ante and Play, Pair Plus, Progressive Jackpot, Strategy, Meter, Rulings, Method",
		"us-3cp":        "Summary, Game, Ante and Play, Pair Plus, Strategy, Rulings, Method",
		"sm-3cp":        "Summary, Game, Ante and Play, Pair Plus, Bonus, Strategy, Rulings, Method",
		"fr-p3c":        "Summary, Game, Ante and Play, Pair Plus, Bonus, Strategy, Rulings, Method",
		"mbs-3pictures": "Summary, Game, Main, Tie, Royal Pictures, Rulings, Method",
	}
	for _, b := range books.All() {
		if want[b.ID] == "" {
			t.Errorf("say here which sheets %s has", b.ID)
			continue
		}
		text, err := report(t, b.ID, odds.Options{}).Workbook()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(open(t, text).GetSheetList(), ", "); got != want[b.ID] {
			t.Errorf("%s: %s, want %s", b.ID, got, want[b.ID])
		}
	}
}

// A workbook of the same variant is the same file, so that two can be compared.
func TestWorkbookIsTheSameEachTime(t *testing.T) {
	first, err := report(t, "rws-3cp", odds.Options{Others: 2}).Workbook()
	if err != nil {
		t.Fatal(err)
	}
	second, err := report(t, "rws-3cp", odds.Options{Others: 2}).Workbook()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("two workbooks of the same variant differ")
	}
}

// What looks like an input is one: some formula depends on it. The sizes and
// numbers that nothing follows from are text.
func TestWorkbookInputsAreInputs(t *testing.T) {
	text, err := report(t, "rws-3cp", odds.Options{Others: 6}).Workbook()
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, text)
	raw := excelize.Options{RawCellValue: true}
	type cell struct{ sheet, name string }
	var inputs, formulas []cell
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet, raw)
		if err != nil {
			t.Fatal(err)
		}
		for y := range rows {
			for x := range rows[y] {
				name, err := excelize.CoordinatesToCellName(x+1, y+1)
				if err != nil {
					t.Fatal(err)
				}
				id, err := f.GetCellStyle(sheet, name)
				if err != nil {
					t.Fatal(err)
				}
				style, err := f.GetStyle(id)
				if err != nil {
					t.Fatal(err)
				}
				if style.Font != nil && style.Font.Color == parsheet.InputFont {
					inputs = append(inputs, cell{sheet, name})
				}
				if formula, _ := f.GetCellFormula(sheet, name); formula != "" && (sheet == "Summary" || sheet == "Meter") {
					formulas = append(formulas, cell{sheet, name})
				}
			}
		}
	}
	// Pays: 6 of Ante and Play, 5 of Pair Plus, 4 fixed ones of the Progressive and
	// 2 Envy Bonuses; five terms of the meter and the meters of its table.
	if len(inputs) < 6+5+4+2+5+3 {
		t.Errorf("only %d inputs", len(inputs))
	}
	values := func() string {
		var all strings.Builder
		for _, c := range formulas {
			value, err := f.CalcCellValue(c.sheet, c.name, raw)
			if err != nil {
				t.Fatalf("%s!%s: %v", c.sheet, c.name, err)
			}
			all.WriteString(value + " ")
		}
		return all.String()
	}
	before := values()
	for _, c := range inputs {
		text, err := f.GetCellValue(c.sheet, c.name, raw)
		if err != nil {
			t.Fatal(err)
		}
		was, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s!%s holds %q", c.sheet, c.name, text)
		}
		set := func(x float64) {
			if err := f.SetCellValue(c.sheet, c.name, x); err != nil {
				t.Fatal(err)
			}
		}
		set(was/2 + 1000)
		if values() == before {
			t.Errorf("nothing depends on %s!%s", c.sheet, c.name)
		}
		set(was)
	}
	if values() != before {
		t.Fatal("the inputs are not as they were")
	}
	for _, sheet := range []string{"Summary", "Ante and Play", "Pair Plus"} {
		rows, err := f.GetRows(sheet, raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if len(row) > 1 && row[0] == "Size of the bet" && row[1] != "$1.00" {
				t.Errorf("%s: the size of the bet is %q, want text", sheet, row[1])
			}
			if len(row) > 1 && row[0] == "Other boxes" {
				t.Errorf("%s: a number of other boxes that nothing depends on", sheet)
			}
		}
	}
	// One more for each of 1,096 flushes of 22,100 hands; $1,000 more on the meter,
	// which one hand of 22,100 takes, for a bet of $5.
	for _, test := range []struct {
		sheet, row string
		column     string
		more       float64
		edge       string // the row of the Summary
		change     float64
	}{
		{"Pair Plus", "Pair Plus: Flush", "D", 1, "Pair Plus", -1096.0 / 22_100},
		{"Meter", "Meter", "B", 1000, "Progressive Jackpot", -1000.0 / 22_100 / 5},
	} {
		at := find(t, f, test.sheet, test.row)
		edge := find(t, f, "Summary", test.edge)
		number := func(sheet, name string) float64 {
			text, err := f.CalcCellValue(sheet, name, raw)
			if err != nil {
				t.Fatal(err)
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		input, figure := fmt.Sprint(test.column, at), fmt.Sprint("C", edge)
		was, first := number(test.sheet, input), number("Summary", figure)
		if err := f.SetCellValue(test.sheet, input, was+test.more); err != nil {
			t.Fatal(err)
		}
		if got := number("Summary", figure) - first; math.Abs(got-test.change) > 1e-12 {
			t.Errorf("%s: the house edge changes by %v, want %v", test.row, got, test.change)
		}
	}
}

// find returns the row of a sheet that begins with a text.
func find(t *testing.T, f *excelize.File, sheet, text string) int {
	t.Helper()
	rows, err := f.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if len(row) > 1 && row[0] == text {
			return i + 1
		}
	}
	t.Fatalf("%s has no row %q", sheet, text)
	return 0
}
