package mathematics_test

import (
	"bytes"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"trey/internal/web/lang"
	"trey/internal/web/mathematics"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
)

func book(t *testing.T, id string) *rules.Book {
	t.Helper()
	b, err := books.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A form that says nothing is the book, and so is one that says everything as
// the book has it: what a browser without our script sends.
func TestUnchangedFormIsTheBook(t *testing.T) {
	for _, b := range books.All() {
		empty := mathematics.ReadDesign(b, nil)
		form := url.Values{}
		for _, g := range empty.Groups {
			for _, r := range g.Rows {
				for _, f := range r.Fields {
					form.Set(f.Key, f.Value)
				}
			}
		}
		for name, d := range map[string]*mathematics.Design{"empty": empty, "whole": mathematics.ReadDesign(b, form)} {
			if d.Variant.Hash() != b.Standard().Hash() || len(d.Faults) > 0 || len(d.Query) > 0 {
				t.Errorf("%s, %s form: faults %v, query %v", b.ID, name, d.Faults, d.Query)
			}
		}
	}
}

// Every field of every book can be changed, and the file made of it is read back
// as the same variant.
func TestEveryFieldChangesItsTerm(t *testing.T) {
	for _, b := range books.All() {
		for _, g := range mathematics.ReadDesign(b, nil).Groups {
			for _, r := range g.Rows {
				for _, f := range r.Fields {
					if f.Key == "others" || f.Key == "meter" || f.Key == "stake" {
						continue
					}
					value := other(&f)
					if f.Key == "boxes" {
						value = strconv.Itoa(b.Boxes.Least())
					}
					d := mathematics.ReadDesign(b, url.Values{f.Key: {value}})
					if len(d.Faults) > 0 {
						t.Errorf("%s, %s=%s: %v", b.ID, f.Key, value, d.Faults)
						continue
					}
					if d.Variant.Hash() == b.Standard().Hash() {
						t.Errorf("%s, %s=%s changes nothing", b.ID, f.Key, value)
					}
					again, _, err := variant.Parse("again.toml", variant.Write(d.Variant), books.Find)
					if err != nil || again.Hash() != d.Variant.Hash() {
						t.Errorf("%s, %s=%s: its file is another variant: %v", b.ID, f.Key, value, err)
					}
				}
			}
		}
	}
}

// other returns a value that a field may have beside its standard one.
func other(f *mathematics.Field) string {
	switch {
	case len(f.Choices) > 0:
		for _, c := range f.Choices {
			if c != f.Standard {
				return c
			}
		}
	case f.Key == "boxes":
		return "2"
	case f.Key == "chips":
		return "0.50, 1, 2, 3, 4, 5, 25"
	case f.Key == "progressive.rate":
		return "1/2"
	case strings.HasPrefix(f.Key, "progressive."):
		return "20000"
	case strings.HasSuffix(f.Standard, "of the meter"):
		return "$5000"
	case strings.HasPrefix(f.Standard, "$"):
		return "$77"
	case strings.HasPrefix(f.Key, "limits.") && strings.HasSuffix(f.Key, ".min"):
		return "3"
	case strings.HasPrefix(f.Key, "limits."):
		return "8"
	}
	return "2 to 3"
}

func TestPaysChangeTheEdge(t *testing.T) {
	// 40/30/6/4/1 is the table with a house edge of 2.32 %, 40/30/6/3/1 that of 7.28 %.
	b := book(t, "rws-3cp")
	for _, test := range []struct{ straight, flush, want string }{{"6", "4", "2.3167"}, {"6", "3", "7.2760"}} {
		d := mathematics.ReadDesign(b, url.Values{"pays.pair-plus.straight": {test.straight}, "pays.pair-plus.flush": {test.flush}})
		sheet, err := odds.Analyse(d.Variant, d.Options)
		if err != nil {
			t.Fatal(err)
		}
		if got := sheet.Wagers[odds.PairPlus].HouseEdge.Percent(4); got != test.want {
			t.Errorf("straight %s, flush %s: %s %%, want %s %%", test.straight, test.flush, got, test.want)
		}
	}
}

func TestOptionsOfTheAnalysis(t *testing.T) {
	d := mathematics.ReadDesign(book(t, "rws-3cp"), url.Values{"others": {"6"}, "meter": {"85,000"}, "stake": {"25"}})
	if len(d.Faults) > 0 || d.Options.Others != 6 || d.Options.Meter != 85_000*money.Major || d.Options.Stake != 25*money.Major {
		t.Errorf("%+v, faults %v", d.Options, d.Faults)
	}
}

var (
	chinese = lang.Printer{Language: lang.Chinese}
	latin   = regexp.MustCompile(`[A-Za-z]+`)
	// typed matches text that stands unchanged in a file or a form: quotations, keys,
	// clauses and pays.
	typed = regexp.MustCompile(`"(?:\\.|[^"\\])*"|[a-z-]+\.[a-z_.-]+|rws-3cp@3 [0-9.a-z]+|boxes|chips|\d+ to \d+|of the meter|none|hand, round`)
)

// Remarks are said in Chinese too.
func TestRemarksInChinese(t *testing.T) {
	d := mathematics.ReadDesign(book(t, "us-3cp"), url.Values{
		"chips": {"0.50, 1, 2, 3, 4, 5, 25"}, "limits.ante.max": {"50"}, "pays.pair-plus.pair": {"0"},
	})
	if len(d.Remarks) < 3 {
		t.Fatalf("only %d remarks: %v", len(d.Remarks), d.Remarks)
	}
	for _, r := range d.Remarks {
		if words, complete := chinese.Sentence(r); !complete || latin.MatchString(strings.ReplaceAll(words, "us-3cp amounts.ante", "")) {
			t.Errorf("%q is %q in Chinese", r, words)
		}
	}
}

// What cannot be used is said at its field, and the rest is worked out.
func TestFaultsStandAtTheirFields(t *testing.T) {
	b := book(t, "rws-3cp")
	tests := []struct{ key, value, want string }{
		{"pays.pair-plus.straight", "six", "odds"},
		{"pays.pair-plus.straight", "", ""}, // a row without a pay is a row less
		{"boxes", "99", "outside 1 to 16"},
		{"boxes", "many", "boxes"},
		{"boxes", "-1", ""},
		{"limits.ante.min", "12.345", "decimals"},
		{"chips", "5, five", "five"},
		{"rulings.envy_per", "sometimes", "envy_per"},
		{"progressive.rate", "7/5", "more than the whole bet"},
		{"others", "7", "0 to 6"},
		{"others", "-1", "0 to 6"},
		{"meter", "0", "$0.01"},
		{"stake", "a lot", "amount"},
		{"pays.pair-plus.straight", "\x00\"\n[x]", "odds"},
		{"pays.pair-plus.straight", "5\" \nid = \"other", "odds"},
	}
	for _, test := range tests {
		d := mathematics.ReadDesign(b, url.Values{test.key: {test.value}, "pays.pair-plus.flush": {"3"}})
		got := d.Faults[test.key]
		if test.want != "" && !strings.Contains(got.String(), test.want) {
			t.Errorf("%s=%q: %q, want something with %q", test.key, test.value, got, test.want)
		}
		said, complete := chinese.Sentence(got)
		if left := latin.FindString(typed.ReplaceAllString(said, "")); !complete || left != "" {
			t.Errorf("%s=%q is %q in Chinese, with %q", test.key, test.value, said, left)
		}
		for key := range d.Faults {
			if key != test.key {
				t.Errorf("%s=%q puts a fault at %s: %s", test.key, test.value, key, d.Faults[key])
			}
		}
		row, ok := d.Variant.Pays[rules.PairPlus].Row(rules.PokerOrder.Combos(flush))
		if !ok || row.Pay != rules.ToOne(3) {
			t.Errorf("%s=%q: the flush pays %v, want 3 to 1", test.key, test.value, row)
		}
		if d.Variant.ID != "rws-3cp-variant" {
			t.Errorf("%s=%q: the variant is called %q", test.key, test.value, d.Variant.ID)
		}
	}
}

// Whatever a form says, there is a variant that can be played.
func FuzzReadDesign(f *testing.F) {
	f.Add("pays.bonus.table=TCPB-04E&pays.bonus.pair=2&others=6")
	f.Add("boxes=0&chips=,&limits.ante.min=5&limits.ante.max=1")
	f.Add("pays.pair-plus.pair=none&pays.pair-plus.flush=%22%0Aid%3D1")
	f.Fuzz(func(t *testing.T, query string) {
		form, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		for _, b := range books.All() {
			d := mathematics.ReadDesign(b, form)
			if err := d.Variant.Check(); err != nil {
				t.Fatalf("%s, %q: %v", b.ID, query, err)
			}
			if d.Variant.Book != b || !bytes.Contains([]byte(d.Variant.ID), []byte(b.ID)) {
				t.Fatalf("%s, %q: it is %s of %s", b.ID, query, d.Variant.ID, d.Variant.Book.Ref())
			}
		}
	})
}
