package register

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
	"trey/rules/sm3cp"
)

func TestABookIsItsOwnVariant(t *testing.T) {
	for _, b := range books.All() {
		v := b.Standard()
		d := DescribeVariant(v)
		if !d.SameAsBook || d.Hash != v.Hash() || len(d.Edges) == 0 {
			t.Errorf("%s: same as the book %t, hash %s, %d house edges", b.Ref(), d.SameAsBook, d.Hash, len(d.Edges))
		}
		for _, e := range d.Edges {
			if e.Problem != "" || e.HouseEdge.Sign() <= 0 {
				t.Errorf("%s: %s has the house edge %s %s", b.Ref(), e.Name, e.HouseEdge, e.Problem)
			}
		}
		for _, w := range d.Wagers {
			for _, p := range w.Pays {
				if w.Changed || w.Chosen || p.Pays != p.BookPays || p.Envy != p.BookEnvy {
					t.Errorf("%s: %s differs from itself: %+v", b.Ref(), w.Name, p)
				}
			}
		}
		for _, r := range d.Rulings {
			if r.Differs() || r.InForce == "" {
				t.Errorf("%s: the ruling %+v differs from its default", b.Ref(), r)
			}
		}
		if favours := Favours(v); len(favours) != 0 {
			t.Errorf("%s favours the player: %v", b.Ref(), favours)
		}
		short := string(d.Text(true))
		if !strings.Contains(short, "As in the book: ") || strings.Contains(short, "(the book:") || !strings.Contains(short, "    none\n") {
			t.Errorf("%s differs from itself:\n%s", b.Ref(), short)
		}
		text, err := json.Marshal(d)
		var back Variant
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back.Hash != d.Hash || len(back.Wagers) != len(b.Wagers) {
			t.Errorf("%s as JSON: %v, %+v", b.Ref(), err, back)
		}
	}
}

func TestVariantTextFitsAPlainTerminal(t *testing.T) {
	for _, b := range books.All() {
		v := b.Standard().Clone()
		v.ID = strings.Repeat("n", 60)
		for i := range b.Wagers {
			w := b.Wagers[i].Wager
			table := *v.Pays[w]
			table.Rows = append([]rules.PayRow{}, table.Rows...)
			for k := range table.Rows {
				table.Rows[k].Pay = rules.Pay{Fixed: rules.MaxStake}
				table.Rows[k].Envy = rules.MaxStake
			}
			v.Pays[w] = &table
			v.Limits[w] = rules.Limit{Min: 1, Max: rules.MaxStake}
		}
		for chip := money.Amount(1); len(v.Chips) < 40; chip *= 2 {
			v.Chips = append(v.Chips[:len(v.Chips):len(v.Chips)], chip)
		}
		d := DescribeVariant(v)
		for _, short := range []bool{true, false} {
			for line := range strings.SplitSeq(string(d.Text(short)), "\n") {
				if n := utf8.RuneCountInString(line); n > columns {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		}
	}
}

// What these are worth was worked out by hand: of the 22,100 hands 48 are a
// straight flush, 52 three of a kind and 720 a straight, and each of them is
// played; A-K-Q of spades is one.
func TestFavours(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(v *rules.Variant) error
		want   string
		field  string
	}{
		// -0.033730 + (48 x 4 + 52 x 4 + 720 x 1) / 22,100
		{
			"Ante Bonus 9/8/2", func(v *rules.Variant) error { return v.OverridePays(rules.AnteBonus, []int64{9, 8, 2}) },
			"Ante and Play favour the player who plays best: +1.69 % of each Ante", "pays.ante-bonus",
		},
		// -0.033730 + (48 + 52 + 720 x 0) / 22,100
		{"Ante Bonus 6/5/1", func(v *rules.Variant) error { return v.OverridePays(rules.AnteBonus, []int64{6, 5, 1}) }, "", ""},
		// (80,450 / 22,100 + 1.3597...) / 5 = 1
		{"a reset value at which the bet is fair", func(v *rules.Variant) error { v.Boxes, v.Jackpot.Reset = 1, 8_045_000; return nil }, "", ""},
		{
			"a cent more", func(v *rules.Variant) error { v.Boxes, v.Jackpot.Reset = 1, 8_045_001; return nil },
			"Progressive Jackpot favours the player at the reset value $80,450.01 already: +0.00 % of each bet", "progressive.reset",
		},
		{
			"a reset value beyond", func(v *rules.Variant) error { v.Jackpot.Reset = 9_150_000; return nil },
			"Progressive Jackpot favours the player at the reset value $91,500.00 already: +10.00 % of each bet", "progressive.reset",
		},
		{"no progressive", func(v *rules.Variant) error {
			v.Jackpot, v.Limits[rules.Progressive] = nil, rules.Limit{}
			return nil
		}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := rws3cp.Book().Standard().Clone()
			if err := tt.change(v); err != nil {
				t.Fatal(err)
			}
			if err := v.Check(); err != nil {
				t.Fatal(err)
			}
			got := Favours(v)
			switch {
			case tt.want == "" && len(got) == 0:
			case len(got) != 1 || got[0].Text != tt.want || got[0].Fields[0] != tt.field:
				t.Errorf("got %v, want %q", got, tt.want)
			}
		})
	}
}

func TestWhereTheProgressiveTurns(t *testing.T) {
	v := rws3cp.Book().Standard().Clone()
	for _, tt := range []struct {
		reset, ceiling money.Amount
		want           string
	}{
		{1_000_000, 100_000_000, "above a meter of $80,450.00"},
		{1_000_000, 8_000_000, "at no meter up to the ceiling"},
		{9_000_000, 100_000_000, "from the reset value on"},
	} {
		v.Jackpot.Reset, v.Jackpot.Ceiling = tt.reset, tt.ceiling
		d := DescribeVariant(v)
		if want := "Favours the player  " + tt.want + "\n"; !strings.Contains(string(d.Text(true)), want) {
			t.Errorf("reset %s, ceiling %s: want %q in\n%s", tt.reset, tt.ceiling, want, d.Text(true))
		}
	}
}

func TestATableOfTheText(t *testing.T) {
	v := sm3cp.Book().Standard().Clone()
	if err := v.UsePayTable(rules.Bonus, "TCPB-01"); err != nil {
		t.Fatal(err)
	}
	d := DescribeVariant(v)
	if text := string(d.Text(true)); !strings.Contains(text, "    Bonus, table TCPB-01\n    As in the book") || d.SameAsBook {
		t.Errorf("a table picked by name is not shown as that:\n%s", text)
	}
}

// A variant's rulings are those of the register, by its name.
func TestRegisterOfAVariant(t *testing.T) {
	v := rws3cp.Book().Standard().Clone()
	v.ID, v.Choices[rules.EnvyWhenFolded] = "high-limit", rules.Kept
	complete := Of(v, &index)
	if complete.Variant != "high-limit" || complete.Hash != v.Hash() || !strings.Contains(string(complete.Text()), "Rulings as the variant high-limit has them, hash "+rules.ShortHash(v.Hash())+"\n") {
		t.Errorf("the register does not say whose rulings are in force:\n%.300s", complete.Text())
	}
	c, err := Find(v, "3.12.1", &index)
	if err != nil || !strings.Contains(string(c.Text()), "\nRulings that concern it, as high-limit has them\n") {
		t.Errorf("%v\n%s", err, c.Text())
	}
	if book := Of(rws3cp.Book().Standard(), &index); book.Variant != "" || book.Hash != "" {
		t.Errorf("the book passes for the variant %q", book.Variant)
	}
}
