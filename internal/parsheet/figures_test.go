package parsheet_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"trey/internal/parsheet"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

const testVersion = "trey v1.2.3 go1.26 linux amd64"

// report analyses a book as the command does, with a change to the variant.
func report(t testing.TB, book string, o odds.Options, change ...func(*rules.Variant) error) *parsheet.Report {
	t.Helper()
	b, err := books.Find(book)
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard().Clone()
	for _, f := range change {
		if err := f(v); err != nil {
			t.Fatal(err)
		}
	}
	s, err := odds.Analyse(v, o)
	if err != nil {
		t.Fatal(err)
	}
	return parsheet.NewReport(v, s, testVersion, nil)
}

func pays(w rules.Wager, toOne ...int64) func(*rules.Variant) error {
	return func(v *rules.Variant) error { return v.OverridePays(w, toOne) }
}

func table(name string) func(*rules.Variant) error {
	return func(v *rules.Variant) error { return v.UsePayTable(rules.Bonus, name) }
}

// fraction is a fraction as programs read it in a report.
type fraction struct{ Num, Den, Decimal string }

func (f fraction) percent(decimals int) string {
	r, ok := new(big.Rat).SetString(f.Num + "/" + f.Den)
	if !ok {
		return "no fraction"
	}
	return r.Mul(r, big.NewRat(100, 1)).FloatString(decimals)
}

// reportJSON is the documented shape, declared apart from the package.
type reportJSON struct {
	Book    string
	Version string
	Hash    string
	Rulings []struct {
		Ruling  string
		InForce string `json:"in_force"`
	}
	Remarks []string
	Wagers  map[string]struct {
		HouseEdge     fraction `json:"house_edge"`
		ElementOfRisk fraction `json:"element_of_risk"`
		HitFrequency  fraction `json:"hit_frequency"`
		Variance      fraction
		StdDev        string   `json:"std_dev"`
		AverageWager  fraction `json:"average_wager"`
		NetWin        fraction `json:"p_net_win"`
		Distribution  []struct{ Net, Ways string }
		Total         string
		Strategy      *struct {
			Rule  string
			Exact bool
		}
		Jackpot *struct {
			BreakEven fraction `json:"break_even"`
			Fixed     fraction
		}
	}
}

func read(t *testing.T, r *parsheet.Report) *reportJSON {
	t.Helper()
	text, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var out reportJSON
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	if out.Version != testVersion || len(out.Hash) != 64 || len(out.Rulings) == 0 || out.Remarks == nil {
		t.Errorf("%s: version %q, hash %q, %d rulings, remarks %v", out.Book, out.Version, out.Hash, len(out.Rulings), out.Remarks)
	}
	return &out
}

func TestJSONHasThePrintedFigures(t *testing.T) {
	r := read(t, report(t, "rws-3cp", odds.Options{}))
	ante := r.Wagers["ante-play"]
	if r.Book != "rws-3cp@3" || ante.HouseEdge != (fraction{"686689", "20358520", "0.0337298094"}) {
		t.Errorf("%s: house edge %v", r.Book, ante.HouseEdge)
	}
	for name, pair := range map[string][2]string{
		"element of risk":    {ante.ElementOfRisk.percent(4), "2.0147"},
		"net win":            {ante.NetWin.percent(4), "44.9127"},
		"standard deviation": {ante.StdDev, "1.6392527541"},
		"total":              {ante.Total, "407170400"},
		"lowest result":      {ante.Distribution[0].Net + ": " + ante.Distribution[0].Ways, "-2: 91126832"},
		"rule":               {ante.Strategy.Rule, "Q-6-4 or better"},
		"progressive":        {r.Wagers["progressive"].Jackpot.Fixed.Decimal[:6], "1.3597"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, want %s", name, pair[0], pair[1])
		}
	}
	if !ante.Strategy.Exact {
		t.Error("the rule is optimal on every hand")
	}
	if even := r.Wagers["progressive"].Jackpot.BreakEven; even.Num != "80450" || even.Den != "1" {
		t.Errorf("break-even meter %v: (5 - 30050/22100) x 22100 is 80450", even)
	}
}

// Each figure was printed by somebody else: the rule books or the literature.
func TestHouseEdgesThatArePublished(t *testing.T) {
	envy := odds.Options{Others: 6}
	tests := []struct {
		name, book, wager string
		options           odds.Options
		change            func(*rules.Variant) error
		edge, hit         string
		decimals          int
	}{
		{"40-30-6-4-1", "rws-3cp", "pair-plus", odds.Options{}, pays(rules.PairPlus, 40, 30, 6, 4, 1), "2.32", "", 2},
		{"40-30-6-3-1", "rws-3cp", "pair-plus", odds.Options{}, pays(rules.PairPlus, 40, 30, 6, 3, 1), "7.28", "", 2},
		{"TCPB-01", "sm-3cp", "bonus", odds.Options{}, table("TCPB-01"), "19.46", "0.45", 2},
		{"TCPB-02", "sm-3cp", "bonus", odds.Options{}, table("TCPB-02"), "20.45", "3.71", 2},
		{"TCPB-03E", "sm-3cp", "bonus", envy, table("TCPB-03E"), "19.59", "0.45", 2},
		{"TCPB-04E", "sm-3cp", "bonus", envy, table("TCPB-04E"), "19.50", "3.71", 2},
		{"the text's 5-4-1", "sm-3cp", "ante-play", odds.Options{}, pays(rules.AnteBonus, 5, 4, 1), "3.3730", "", 4},
		{"zero", "mbs-3pictures", "tie", odds.Options{}, nil, "10.0088", "", 4},
		{"apart", "mbs-3pictures", "tie", odds.Options{}, func(v *rules.Variant) error {
			v.Choices[rules.TiePointTotal] = rules.PicturesApart
			return nil
		}, "11.7750", "", 4},
		{"not paid on a stand-off", "rws-3cp", "ante-play", odds.Options{}, func(v *rules.Variant) error {
			v.Choices[rules.AnteBonusOnStandoff] = rules.NotPaid
			return nil
		}, "3.3776", "", 4},
	}
	for _, test := range tests {
		t.Run(test.book+" "+test.name, func(t *testing.T) {
			changes := []func(*rules.Variant) error{}
			if test.change != nil {
				changes = append(changes, test.change)
			}
			w := read(t, report(t, test.book, test.options, changes...)).Wagers[test.wager]
			if got := w.HouseEdge.percent(test.decimals); got != test.edge {
				t.Errorf("house edge %s %%, want %s %%", got, test.edge)
			}
			if got := w.HitFrequency.percent(2); test.hit != "" && got != test.hit {
				t.Errorf("hit frequency %s %%, want %s %%", got, test.hit)
			}
		})
	}
}

// Fractions are in lowest terms with ten decimals, wherever they stand, and the
// ways of every distribution add up to the total.
func TestJSONIsWellFormedEverywhere(t *testing.T) {
	for _, b := range books.All() {
		r := report(t, b.ID, odds.Options{Others: 2})
		text, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		fractions := 0
		var walk func(path string, x any)
		walk = func(path string, x any) {
			switch x := x.(type) {
			case []any:
				for _, y := range x {
					walk(path+"[]", y)
				}
			case map[string]any:
				if num, ok := x["num"].(string); ok {
					fractions++
					checkFraction(t, path, num, x["den"].(string), x["decimal"].(string))
				}
				for key, y := range x {
					walk(path+"."+key, y)
				}
			}
		}
		walk(b.ID, decoded)
		if fractions < 20 {
			t.Errorf("%s: only %d fractions", b.ID, fractions)
		}
		for key, w := range read(t, r).Wagers {
			sum := new(big.Int)
			for _, out := range w.Distribution {
				ways, ok := new(big.Int).SetString(out.Ways, 10)
				if !ok {
					t.Fatalf("%s %s: ways %q", b.ID, key, out.Ways)
				}
				sum.Add(sum, ways)
			}
			if sum.String() != w.Total {
				t.Errorf("%s %s: the ways add up to %s of %s", b.ID, key, sum, w.Total)
			}
		}
	}
}

func checkFraction(t *testing.T, path, num, den, decimal string) {
	t.Helper()
	n, ok1 := new(big.Int).SetString(num, 10)
	d, ok2 := new(big.Int).SetString(den, 10)
	if !ok1 || !ok2 || d.Sign() <= 0 {
		t.Errorf("%s: %s/%s", path, num, den)
		return
	}
	if gcd := new(big.Int).GCD(nil, nil, new(big.Int).Abs(n), d); n.Sign() != 0 && gcd.Cmp(big.NewInt(1)) != 0 || n.Sign() == 0 && den != "1" {
		t.Errorf("%s: %s/%s is not in lowest terms", path, num, den)
	}
	_, digits, _ := strings.Cut(decimal, ".")
	if want := new(big.Rat).SetFrac(n, d).FloatString(10); len(digits) != 10 || decimal != want {
		t.Errorf("%s: %s/%s is written %s, want %s", path, num, den, decimal, want)
	}
}
