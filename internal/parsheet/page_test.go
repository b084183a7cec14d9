package parsheet_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"trey/internal/parsheet"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

var made map[string]*parsheet.Report

// reports are one of each kind, the degenerate ones among them. They are made
// once.
func reports(t *testing.T) map[string]*parsheet.Report {
	t.Helper()
	if made != nil {
		return made
	}
	all := map[string]*parsheet.Report{}
	for _, b := range books.All() {
		all[b.ID] = report(t, b.ID, odds.Options{})
		all[b.ID+" beside six"] = report(t, b.ID, odds.Options{Others: 6})
	}
	all["nothing is paid"] = report(t, "rws-3cp", odds.Options{}, pays(rules.PairPlus, 0, 0, 0, 0, 0), pays(rules.AnteBonus, 0, 0, 0), pays(rules.Ante, 0), pays(rules.Play, 0))
	all["one row"] = report(t, "rws-3cp", odds.Options{}, pays(rules.PairPlus, 1))
	most := int64(rules.MaxPay)
	all["millions are paid"] = report(t, "rws-3cp", odds.Options{}, pays(rules.PairPlus, most, most, most, most, most), pays(rules.AnteBonus, most, most, most))
	all["meter at its ceiling"] = report(t, "rws-3cp", odds.Options{Others: 6, Meter: 100_000_000})
	all["no contribution reaches a ceiling"] = report(t, "rws-3cp", odds.Options{}, func(v *rules.Variant) error {
		v.Jackpot.Ceiling = v.Jackpot.Reset
		return v.Check()
	})
	all["royal bonus of millions"] = report(t, "sm-3cp", odds.Options{Others: 6}, pays(rules.Bonus, most, most, most, most))
	all["always"] = report(t, "us-3cp", odds.Options{Rule: odds.Always()})
	all["odd bet"] = report(t, "mbs-3pictures", odds.Options{Stake: 333})
	made = all
	return all
}

func TestTextFitsEightyColumns(t *testing.T) {
	for name, r := range reports(t) {
		text := r.Text()
		if !utf8.Valid(text) || len(text) == 0 {
			t.Errorf("%s: no text", name)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: line %d has %d columns: %s", name, i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %d ends in spaces: %q", name, i+1, line)
			}
			for _, nonsense := range []string{"NaN", "Inf", "%!", "<nil>", "unknown"} {
				if strings.Contains(line, nonsense) {
					t.Errorf("%s: line %d: %s", name, i+1, line)
				}
			}
		}
		if !strings.Contains(string(text), testVersion) {
			t.Errorf("%s: no version", name)
		}
	}
}

// The page is well-formed, asks for nothing outside itself, and its charts have
// a title, a description and a table with their figures.
func TestPageStandsAlone(t *testing.T) {
	for name, r := range reports(t) {
		text, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for _, outside := range []string{"http://", "https://", "<script", "@import", "url(", "srcset", "<iframe", "<img", "NaN", "Inf", "ZgotmplZ", "%!"} {
			if bytes.Contains(text, []byte(outside)) {
				t.Errorf("%s: the page contains %q", name, outside)
			}
		}
		page := parse(t, name, text)
		charts, tables := page.count["svg"], page.count["table"]
		if charts < 2 || page.count["title"] != charts+1 || page.count["desc"] != charts || page.role["img"] != charts {
			t.Errorf("%s: %d charts, %d titles, %d descriptions, %d images", name, charts, page.count["title"], page.count["desc"], page.role["img"])
		}
		if tables < charts {
			t.Errorf("%s: %d tables for %d charts", name, tables, charts)
		}
		if !strings.Contains(string(text), testVersion) {
			t.Errorf("%s: no version", name)
		}
	}
}

type parsed struct {
	count, role map[string]int
}

// parse walks the elements; what is opened must be closed, and whatever is
// referred to must be there, once.
func parse(t *testing.T, name string, text []byte) parsed {
	t.Helper()
	p := parsed{map[string]int{}, map[string]int{}}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false
	d.AutoClose = []string{"meta", "link"}
	d.Entity = xml.HTMLEntity
	ids, refs := map[string]int{}, []string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		p.count[start.Name.Local]++
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "id":
				ids[a.Value]++
			case "role":
				p.role[a.Value]++
			case "aria-labelledby":
				refs = append(refs, strings.Fields(a.Value)...)
			case "href", "src":
				if target, local := strings.CutPrefix(a.Value, "#"); local {
					refs = append(refs, target)
				} else if a.Value != "data:," {
					t.Errorf("%s: %s refers to %s", name, start.Name.Local, a.Value)
				}
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%s: the id %s stands %d times", name, id, n)
		}
	}
	for _, ref := range refs {
		if ids[ref] == 0 {
			t.Errorf("%s: nothing has the id %s", name, ref)
		}
	}
	return p
}

func TestProgressiveIsDrawnAgainstItsMeter(t *testing.T) {
	text, err := report(t, "rws-3cp", odds.Options{}).HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"expectation of one bet against the meter", "break-even $80,450.00"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// The CSV has the same ways as the analysis, and its contributions add up.
func TestCSVAddsUp(t *testing.T) {
	for name, r := range reports(t) {
		text, err := r.CSV()
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		column := map[string]int{}
		for i, key := range records[0] {
			column[key] = i
		}
		ways, total, chance := map[string]*big.Int{}, map[string]string{}, map[string]*big.Rat{}
		for _, record := range records[1:] {
			at := func(key string) string { return record[column[key]] }
			if at("kind") != "net" {
				continue
			}
			w := at("wager")
			if ways[w] == nil {
				ways[w], chance[w] = new(big.Int), new(big.Rat)
			}
			n, ok := new(big.Int).SetString(at("ways"), 10)
			p, ok2 := new(big.Rat).SetString(at("num") + "/" + at("den"))
			if !ok || !ok2 {
				t.Fatalf("%s: %v", name, record)
			}
			ways[w].Add(ways[w], n)
			chance[w].Add(chance[w], p)
			total[w] = at("total")
		}
		for w := range ways {
			if ways[w].String() != total[w] || chance[w].Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("%s %s: %s ways of %s, chances %s", name, w, ways[w], total[w], chance[w].RatString())
			}
		}
	}
}

func TestTablesThatFavourThePlayerAreMarked(t *testing.T) {
	r := report(t, "rws-3cp", odds.Options{Meter: 10_000_000}, pays(rules.PairPlus, 50, 30, 7, 4, 1))
	text := string(r.Text())
	for _, want := range []string{"! Pair Plus favours the player by 3.11 %", "! Progressive Jackpot favours the player by 17.69 % with the meter at"} {
		head, _, _ := strings.Cut(text, "\nANTE AND PLAY")
		if !strings.Contains(head, want) {
			t.Errorf("the head of the text does not say %q:\n%s", want, head)
		}
	}
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte(`role="note">Pair Plus favours the player by 3.11 %`)) {
		t.Error("the page does not say it")
	}
}
