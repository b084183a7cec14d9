package rules_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/frp3c"
	"trey/rules/rws3cp"
)

func TestTermsAreWrittenAndRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t)
		v.Boxes = rapid.IntRange(v.Book.Boxes.Least(), v.Book.Boxes.Max).Draw(t, "boxes")
		v.GraceMs = rapid.Int64Range(0, 60_000).Draw(t, "grace")
		for i := range v.Book.Wagers {
			if w := v.Book.Wagers[i].Wager; w == rules.Progressive {
				v.Limits[w] = rules.Limit{Min: v.Jackpot.Bet, Max: v.Jackpot.Bet}
			} else if len(v.Chips) > 0 {
				v.Limits[w] = v.Book.Wagers[i].Limit
			}
		}
		if v.Check() != nil {
			t.Skip("not playable")
		}
		text := v.Terms()
		back, err := rules.ReadTerms(text, v.Book)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v.ID = back.ID
		if v.Rounding.Unit == money.Minor {
			v.Rounding.Unit = 0
		}
		if string(back.Terms()) != string(text) || back.Hash() != rules.HashOf(text) || !reflect.DeepEqual(back, v) {
			t.Fatalf("%+v is read as %+v from %s", v, back, text)
		}
	})
}

// Two rulings that may not be chosen together any more are read where a record has them (fr-p3c 21).
func TestTermsOfARecordAreRead(t *testing.T) {
	v := frp3c.Book().Standard()
	v.Choices[rules.EarlyLook], v.Choices[rules.PairPlusAfterFold] = rules.Lost, rules.Kept
	if v.Check() == nil {
		t.Fatal("both may be chosen, and the test shows nothing")
	}
	if back, err := rules.ReadTerms(v.Terms(), v.Book); err != nil || back.Hash() != v.Hash() {
		t.Errorf("the terms are not read: %v", err)
	}
}

func TestTermsThatAreRefused(t *testing.T) {
	book := rws3cp.Book()
	standard := string(book.Standard().Terms())
	for _, tt := range []struct{ was, becomes, want string }{
		{`trey terms 1`, `trey terms 2`, `the form "trey terms 2", and this program reads "trey terms 1": a later version of Trey`},
		{`"boxes":7`, `"boxes":99`, "outside 1 to"},
		{`"boxes":7`, `"boxes":7,"jokers":2`, `unknown field "jokers": a later version of Trey`},
		{`"boxes":7`, `"boxes": 7`, "not written in the one form"},
		{`"book":"rws-3cp@3"`, `"book":"rws-3cp@9"`, "the terms are of rws-3cp@9"},
		{fmt.Sprintf(`"revision":%d`, book.Revision), `"revision":99`, "revision 99"},
		{book.Hash(), strings.Repeat("0", 64), "with the hash 000"},
		{`"envy_per":"hand"`, `"envy_per":"foot"`, `this program knows no value of envy_per "foot"`},
		{`"envy_per":"hand"`, `"envy_per":"lost"`, "it cannot be lost"},
		{`"envy_per":"hand",`, ``, "leaves envy_per open, and they do not settle it"},
		{`"envy_per":"hand",`, `"envy_per":"hand","envy_why":"no",`, `"envy_why": a later version of Trey`},
		{`"favour":"player"`, `"favour":"me"`, `no favour "me"`},
		{`"wager":"ante","limit"`, `"wager":"tie","limit"`, `no wager of rws-3cp@3 "tie"`},
		{`"to":40,"for":1`, `"to":40,"for":1,"fixed":5`, "exactly one"},
		{`{"form"`, `[{"form"`, "no JSON"},
	} {
		text := strings.Replace(standard, tt.was, tt.becomes, 1)
		if text == standard {
			t.Fatalf("%s is not in %s", tt.was, standard)
		}
		if _, err := rules.ReadTerms([]byte(text), book); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s instead of %s: %v, want it to say %q", tt.becomes, tt.was, err, tt.want)
		}
	}
	if _, err := rules.ReadTerms([]byte(standard+"{}"), book); err == nil {
		t.Error("something after the terms is accepted")
	}
}

func FuzzReadTerms(f *testing.F) {
	for _, b := range books.All() {
		f.Add(b.Standard().Terms())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, b := range books.All() {
			if v, err := rules.ReadTerms(text, b); err == nil && string(v.Terms()) != string(text) {
				t.Errorf("%s is written again as %s", text, v.Terms())
			}
		}
	})
}

// revised returns the second revision of rws-3cp@3 as a later program might have it,
// and the first as this test has it: without the ruling envy_when_folded, which the
// second leaves open where the first had the box keep its claim.
func revised(t *testing.T, change func(second *rules.Book)) (first, second *rules.Book) {
	t.Helper()
	one, two := *rws3cp.Book(), *rws3cp.Book()
	two.Revision++
	two.Rulings = slices.Clone(two.OpenRulings())
	one.Rulings = slices.DeleteFunc(slices.Clone(two.Rulings), func(r rules.OpenRuling) bool { return r.Ruling == rules.EnvyWhenFolded })
	for i := range two.Rulings {
		if r := &two.Rulings[i]; r.Ruling == rules.EnvyWhenFolded {
			r.Since, r.Older = two.Revision, rules.Kept
		}
	}
	if change != nil {
		change(&two)
	}
	first, err := rules.ReadBook(one.Declaration(), func(string) (*rules.Book, error) { return &two, nil })
	if err != nil {
		t.Fatal(err)
	}
	return first, &two
}

// TestALaterRulingDefinesWhatOlderRecordsMean reads terms of a declaration without a ruling
// that the program has: they mean the value that is stated at the ruling, which is not
// its default.
func TestALaterRulingDefinesWhatOlderRecordsMean(t *testing.T) {
	first, second := revised(t, nil)
	v := first.Standard()
	if v.Choices[rules.EnvyWhenFolded] != rules.Kept || second.Standard().Choices[rules.EnvyWhenFolded] != rules.Lost {
		t.Errorf("older rounds have %s, new ones %s", v.Choices[rules.EnvyWhenFolded], second.Standard().Choices[rules.EnvyWhenFolded])
	}
	back, err := rules.ReadTerms(v.Terms(), first)
	if err != nil || back.Choices[rules.EnvyWhenFolded] != rules.Kept {
		t.Fatalf("read as %v, %v", back, err)
	}
	if strings.Contains(string(v.Terms()), "envy_when_folded") {
		t.Error("terms of the first revision name a ruling of the second")
	}
	if !strings.Contains(string(second.Declaration()), fmt.Sprintf(`{"ruling":"envy_when_folded","values":["lost","kept"],"since":%d,"older":"kept"}`, second.Revision)) {
		t.Errorf("the second revision declares %s", second.Declaration())
	}
}

func TestTermsCarriedToARevision(t *testing.T) {
	first, second := revised(t, func(b *rules.Book) {
		b.Wagers = slices.Clone(b.Wagers)
		for i := range b.Wagers {
			if b.Wagers[i].Wager == rules.PairPlus {
				table := b.Wagers[i].Pays[0]
				table.Rows = slices.Clone(table.Rows)
				table.Rows[0].Pay, table.Rows[4].Clause = rules.ToOne(50), "4.2.1"
				b.Wagers[i].Pays = []rules.PayTable{table}
			}
		}
	})
	v := first.Standard()
	v.ID, v.Boxes, v.Limits[rules.Ante] = "high", 3, rules.Limit{Min: 1000, Max: 5000}
	v.Choices[rules.EnvyPer] = rules.PerRound
	c, err := v.CarriedTo(second)
	if err != nil {
		t.Fatal(err)
	}
	rows := c.Pays[rules.PairPlus].Rows
	if c.Book != second || c.ID != "high" || c.Boxes != 3 || c.Limits != v.Limits || c.Choices[rules.EnvyPer] != rules.PerRound ||
		c.Choices[rules.EnvyWhenFolded] != rules.Kept || *c.Jackpot != *v.Jackpot {
		t.Errorf("carried over it is %+v", c)
	}
	if rows[0].Pay != rules.ToOne(40) || rows[4].Clause != "4.2.1" {
		t.Errorf("carried over it pays %+v", rows)
	}
	if back, err := rules.ReadTerms(c.Terms(), second); err != nil || back.Hash() != c.Hash() || c.Hash() == v.Hash() {
		t.Errorf("its terms are read as %v, %v", back, err)
	}
}

func TestTermsThatCannotBeCarried(t *testing.T) {
	without := func(of rules.Ruling) func(*rules.Book) {
		return func(b *rules.Book) {
			b.Rulings = slices.DeleteFunc(b.Rulings, func(r rules.OpenRuling) bool { return r.Ruling == of })
		}
	}
	for name, tt := range map[string]struct {
		change func(*rules.Book)
		want   string
	}{
		"a ruling is gone": {without(rules.EnvyPer), "the ruling envy_per is gone"},
		"a value is gone": {func(b *rules.Book) {
			for i := range b.Rulings {
				if b.Rulings[i].Ruling == rules.EnvyPer {
					b.Rulings[i].Values = []rules.Choice{rules.PerRound}
				}
			}
		}, "the ruling envy_per no longer has the value hand"},
		"nothing is said of what was before": {func(b *rules.Book) {
			for i := range b.Rulings {
				b.Rulings[i].Since, b.Rulings[i].Older = 0, 0
			}
		}, "the ruling envy_when_folded was added, and nothing says"},
		"a wager is gone": {func(b *rules.Book) {
			b.Wagers = slices.DeleteFunc(slices.Clone(b.Wagers), func(w rules.WagerRule) bool { return w.Wager == rules.PairPlus })
		}, "the wager pair-plus is gone"},
		"a wager is added": {func(b *rules.Book) {
			tie := b.Wagers[2]
			tie.Wager = rules.Tie
			b.Wagers = append(slices.Clone(b.Wagers), tie)
		}, "the wager tie was added"},
		"fewer boxes":     {func(b *rules.Book) { b.Boxes.Max = 5 }, "7 is outside 1 to 5"},
		"another edition": {func(b *rules.Book) { b.Edition = "4" }, "rws-3cp@4 in its place"},
	} {
		first, _ := revised(t, nil)
		_, second := revised(t, func(b *rules.Book) {
			if b.Edition == "3" { // the first is read with prose of the unchanged book
				tt.change(b)
			}
		})
		if _, err := first.Standard().CarriedTo(second); !errors.Is(err, rules.ErrNotCarried) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}
