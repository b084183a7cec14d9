package parsheet_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

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
		{"rws", "rws-3cp", odds.Options{}, nil},
		{"rws beside six at a meter", "rws-3cp", odds.Options{Others: 6, Meter: 8_500_000}, nil},
		{"us", "us-3cp", odds.Options{}, nil},
		{"sm beside six", "sm-3cp", odds.Options{Others: 6}, nil},
		{"pictures", "mbs-3pictures", odds.Options{Stake: 2500}, nil},
		{"nothing is paid", "rws-3cp", odds.Options{Bets: []odds.Bet{odds.PairPlus}}, []func(*rules.Variant) error{pays(rules.PairPlus, 0, 0, 0, 0, 0)}},
	}
	for _, test := range tests {
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
				for _, want := range []string{r.Book, r.Hash, testVersion} {
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
		"rws-3cp":       "Summary, Ante and Play, Pair Plus, Progressive Jackpot, Strategy, Meter, Rulings, Method",
		"us-3cp":        "Summary, Ante and Play, Pair Plus, Strategy, Rulings, Method",
		"sm-3cp":        "Summary, Ante and Play, Pair Plus, Bonus, Strategy, Rulings, Method",
		"mbs-3pictures": "Summary, Main, Tie, Royal Pictures, Rulings, Method",
	}
	for _, b := range books.All() {
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
