package calculator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/rules"
	"trey/rules/books"
)

// What these tables pay was worked out by hand from the rule books. Each line is
// written "box: wager stake result pays/returned clause".
var goldenTables = []struct {
	name, book, line string
	want             []string
	nets             []int64
	net              int64
}{
	{
		// The first box has AKQ of hearts, a minor of $1,250.00 that brings $50.00 to
		// each other box that has not folded (3.12.1).
		"4.7 Envy between boxes", "rws-3cp",
		`{"dealer":"Kd 9c 2s","boxes":[
			{"player":"Ah Kh Qh","wagers":{"ante":1000,"play":1000,"progressive":500}},
			{"player":"Qs 6d 4c","wagers":{"ante":1000,"play":1000,"progressive":500}},
			{"player":"7h 5d 3c","wagers":{"ante":1000,"progressive":500},"folded":true},
			{"player":"8h 8d 3d","wagers":{"pair-plus":500}}]}`,
		[]string{
			"1: ante 1000 win 1000/2000 3.15.1", "1: play 1000 win 1000/2000 3.15.1", "1: ante-bonus 0 win 5000/5000 4.3",
			"1: progressive 500 win 125000/125000 4.4",
			"2: ante 1000 lose 0/0 3.15.2", "2: play 1000 lose 0/0 3.15.2", "2: progressive 500 lose 0/0 4.4", "2: envy 0 win 5000/5000 4.7",
			"3: ante 1000 lose 0/0 3.12.1", "3: progressive 500 lose 0/0 3.12.1",
			"4: pair-plus 500 win 500/1000 4.2",
		},
		[]int64{131_500, 2_500, -1_500, 500},
		133_000,
	},
	{
		// envy_own_boxes is "no" by default: only a box of somebody else brings it.
		"4.8 no Envy between boxes of one player", "rws-3cp",
		`{"dealer":"Kd 9c 2s","boxes":[
			{"player":"Ah Kh Qh","wagers":{"ante":1000,"play":1000,"progressive":500},"owner":"ann"},
			{"player":"Qs 6d 4c","wagers":{"ante":1000,"play":1000,"progressive":500},"owner":"ann"},
			{"player":"7h 5d 3c","wagers":{"ante":1000,"play":1000,"progressive":500},"owner":"ben"}]}`,
		[]string{
			"1: ante 1000 win 1000/2000 3.15.1", "1: play 1000 win 1000/2000 3.15.1", "1: ante-bonus 0 win 5000/5000 4.3",
			"1: progressive 500 win 125000/125000 4.4",
			"2: ante 1000 lose 0/0 3.15.2", "2: play 1000 lose 0/0 3.15.2", "2: progressive 500 lose 0/0 4.4",
			"3: ante 1000 lose 0/0 3.15.2", "3: play 1000 lose 0/0 3.15.2", "3: progressive 500 lose 0/0 4.4", "3: envy 0 win 5000/5000 4.7",
		},
		[]int64{131_500, -2_500, 2_500},
		131_500,
	},
	{
		// A straight flush brings $5.00, AKQ suited $25.00; both to the third box.
		"bonus.10e Envy for each hand", "sm-3cp",
		`{"id":"t","dealer":"Kd 9c 2s","boxes":[
			{"id":1,"player":"5h 4h 3h","wagers":{"ante":100,"play":100,"bonus":100}},
			{"id":"b","player":"Ac Kc Qc","wagers":{"ante":100,"play":100,"bonus":100}},
			{"player":"9h 9d 7c","wagers":{"ante":100,"play":100,"bonus":100}}]}`,
		[]string{
			"1: ante 100 win 100/200 ways.1", "1: play 100 win 100/200 ways.1", "1: ante-bonus 0 win 500/500 ways.1",
			"1: bonus 100 win 10000/10100 bonus.3.TCPB-03E", "1: envy 0 win 2500/2500 bonus.10c",
			"2: ante 100 win 100/200 ways.1", "2: play 100 win 100/200 ways.1", "2: ante-bonus 0 win 500/500 ways.1",
			"2: bonus 100 win 100000/100100 bonus.3.TCPB-03E", "2: envy 0 win 500/500 bonus.10c",
			"3: ante 100 win 100/200 ways.1", "3: play 100 win 100/200 ways.1", "3: bonus 100 lose 0/0 bonus.9a",
			"3: envy 0 win 500/500 bonus.10c", "3: envy 0 win 2500/2500 bonus.10c",
		},
		[]int64{13_200, 101_200, 3_100},
		117_500,
	},
	{
		"1.1 boxes of Royal Three Pictures", "mbs-3pictures",
		`{"dealer":"10c 5c 5d","boxes":[
			{"player":"Kh Qd 6c","wagers":{"main":1000,"tie":200}},
			{"player":"9h Kd Qc","wagers":{"main":1000}}]}`,
		[]string{"1: main 1000 win 500/1500 4.1", "1: tie 200 lose 0/0 1.1.6", "2: main 1000 win 1000/2000 4.1"},
		[]int64{300, 1_000},
		1_300,
	},
}

func TestGoldenTables(t *testing.T) {
	for _, test := range goldenTables {
		t.Run(test.book+" "+test.name, func(t *testing.T) {
			c := calculatorFor(t, test.book)
			line := strings.NewReplacer("\n", "", "\t", "").Replace(test.line)
			answer, good := c.AppendLine(nil, []byte(line), 1)
			if !good {
				t.Fatalf("refused: %s", answer)
			}
			var a refTable
			if err := json.Unmarshal(answer, &a); err != nil {
				t.Fatal(err)
			}
			var got []string
			var nets []int64
			for i, b := range a.Boxes {
				for _, l := range b.Lines {
					clause, _ := strings.CutPrefix(l.Clause, c.variant.Book.Ref()+" ")
					got = append(got, fmt.Sprintf("%d: %s %d %s %d/%d %s", i+1, l.Wager, l.Stake, l.Result, l.Pays, l.Returned, clause))
				}
				nets = append(nets, int64(b.Net))
			}
			if !slices.Equal(got, test.want) || !slices.Equal(nets, test.nets) || int64(a.Net) != test.net {
				t.Errorf("got %v, %d\n%s\nwant %v, %d\n%s", nets, a.Net, strings.Join(got, "\n"), test.nets, test.net, strings.Join(test.want, "\n"))
			}
			if err := sameAsReference(c.variant, []byte(line), answer); err != nil {
				t.Error(err)
			}
		})
	}
}

// The ids of a table and of its boxes are repeated as they came.
func TestATablesIDs(t *testing.T) {
	line := strings.NewReplacer("\n", "", "\t", "").Replace(goldenTables[2].line)
	answer, good := calculatorFor(t, "sm-3cp").AppendLine(nil, []byte(line), 1)
	for _, want := range []string{`{"id":"t","dealer_rank":"High card K-9-2","qualifies":true,"boxes":[{"id":1,"player_rank":"`, `,{"id":"b","player_rank":"`, `,{"player_rank":"Pair`} {
		if !good || !strings.Contains(string(answer), want) {
			t.Errorf("%s\nlacks %s", answer, want)
		}
	}
}

// Two hands that win from one meter cannot be paid from what it displayed once.
func TestTwoWinnersOfTheMeter(t *testing.T) {
	book, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := book.Standard().Clone()
	rows := slices.Clone(v.Pays[rules.Progressive].Rows)
	for i := range rows {
		if rows[i].Combo == rules.AKQSuited {
			rows[i].Pay = rules.Pay{MeterPercent: 10}
		}
	}
	v.ID, v.Pays[rules.Progressive] = "tenth", &rules.PayTable{Rows: rows}
	const one = `{"player":"Ah Kh Qh","wagers":{"ante":1000,"play":1000,"progressive":500}}`
	const two = `{"player":"Ac Kc Qc","wagers":{"ante":1000,"play":1000,"progressive":500}}`
	answer, good := New(v).AppendLine(nil, []byte(`{"dealer":"Kd 9c 2s","meter":1000000,"boxes":[`+one+`]}`), 1)
	if !good || !strings.Contains(string(answer), `"pays":100000,`) {
		t.Errorf("one winner: %s", answer)
	}
	answer, good = New(v).AppendLine(nil, []byte(`{"dealer":"Kd 9c 2s","meter":1000000,"boxes":[`+one+`,`+two+`]}`), 1)
	if good || !strings.Contains(string(answer), "boxes 1 and 2 both win a part of the meter") {
		t.Errorf("two winners: %s", answer)
	}
}

// What a table would not have taken is refused where that is asked for, and settled
// where it is not.
func TestLimits(t *testing.T) {
	book, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := book.Standard().Clone()
	v.ID, v.Boxes, v.Chips = "limited", 2, nil
	v.Limits[rules.Ante] = rules.Limit{Min: 1000, Max: 5000}
	v.Limits[rules.PairPlus] = rules.Limit{Min: 500}
	chips := v.Clone()
	chips.Chips = append(chips.Chips, 500, 2500)
	us, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		v      *rules.Variant
		wagers string
		want   string // of the refusal; empty for none
	}{
		{"below the minimum", v, `"ante":999,"play":999`, "ante is 999: the minimum is 1000 (rws-3cp@3 "},
		{"at the minimum", v, `"ante":1000,"play":1000`, ""},
		{"at the maximum", v, `"ante":5000,"play":5000`, ""},
		{"above the maximum", v, `"ante":5001,"play":5001`, "ante is 5001: the maximum is 5000 (rws-3cp@3 "},
		{"a Play bet above its Ante", v, `"ante":5000,"play":6000`, ""},
		{"no maximum", v, `"pair-plus":100000000`, ""},
		{"a side bet below the minimum", v, `"ante":1000,"play":1000,"pair-plus":499`, "pair-plus is 499: the minimum is 500"},
		{"the size of the progressive", v, `"ante":1000,"play":1000,"progressive":500`, ""},
		{"another size", v, `"ante":1000,"play":1000,"progressive":400`, "progressive is 400: the bet has one size, 500"},
		{"what chips make", chips, `"ante":3000,"play":3000`, ""},
		{"what chips do not make", chips, `"ante":1100,"play":1100`, "ante is 1100: the chips in use cannot make it"},
		{"the text's own limits", Terms(us), `"ante":1100,"play":1100`, "ante is 1100: the maximum is 1000 (us-3cp amounts.ante)"},
		{"the text's own chips", Terms(us), `"ante":250,"play":250`, "ante is 250: the chips in use cannot make it (us-3cp amounts.ante)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for line, where := range map[string]string{
				`{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{` + tt.wagers + `}}`:             "",
				`{"dealer":"Kd 9c 2s","boxes":[{"player":"Qh 6d 4c","wagers":{` + tt.wagers + `}}]}`: "box 1: ",
			} {
				if answer, good := New(tt.v).AppendLine(nil, []byte(line), 1); !good {
					t.Errorf("without limits: %s", answer)
				}
				c := New(tt.v)
				if err := c.CheckLimits(); err != nil {
					t.Fatal(err)
				}
				answer, good := c.AppendLine(nil, []byte(line), 1)
				if good != (tt.want == "") || !strings.Contains(string(answer), tt.want) || !good && !strings.Contains(string(answer), where+strings.Fields(tt.want)[0]) {
					t.Errorf("%s answers %s", line, answer)
				}
			}
		})
	}
	three := `{"dealer":"Kd 9c 2s","boxes":[{"player":"Qh 6d 4c","wagers":{"pair-plus":500}},{"player":"Qs 6h 4s","wagers":{"pair-plus":500}},{"player":"Qd 6c 4h","wagers":{"pair-plus":500}}]}`
	c := New(v)
	if answer, good := c.AppendLine(nil, []byte(three), 1); !good {
		t.Errorf("without limits: %s", answer)
	}
	if err := c.CheckLimits(); err != nil {
		t.Fatal(err)
	}
	if answer, good := c.AppendLine(nil, []byte(three), 1); good || !strings.Contains(string(answer), "there are 3 boxes, and the table has 2") {
		t.Errorf("with limits: %s", answer)
	}
	if err := New(Terms(book)).CheckLimits(); !errors.Is(err, ErrNoLimits) {
		t.Errorf("a book without limits: %v", err)
	}
}

// Any table that a game can produce is settled as rules.Settle does box for box.
func TestTablesEqualSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book := rapid.SampledFrom(books.All()).Draw(t, "book")
		v := Terms(book)
		deck := make([]card.Card, 52)
		for i := range deck {
			deck[i] = card.FromIndex(i)
		}
		deck = rapid.Permutation(deck).Draw(t, "deck")
		hand := func(i int) string { return card.NewHand(deck[3*i], deck[3*i+1], deck[3*i+2]).String() }
		line := map[string]any{"dealer": hand(0)}
		if book.Rule(rules.Progressive) != nil {
			line["meter"] = rapid.Int64Range(1, int64(rules.MaxStake)).Draw(t, "meter")
		}
		var boxes []map[string]any
		for i := range rapid.IntRange(1, min(book.Boxes.Max, maxHands-1)).Draw(t, "boxes") {
			wagers, b := map[string]int64{}, map[string]any{"player": hand(1 + i)}
			b["wagers"] = wagers
			side := func(w rules.Wager) {
				if book.Rule(w) != nil && rapid.Bool().Draw(t, w.String()) {
					wagers[w.String()] = rapid.Int64Range(1, 100_000).Draw(t, "stake")
				}
			}
			if book.Decision == nil {
				wagers["main"] = 1000
			} else {
				wagers["ante"] = 1000
				if rapid.Bool().Draw(t, "folded") {
					b["folded"] = true
				} else {
					wagers["play"] = 1000
				}
			}
			for _, w := range []rules.Wager{rules.PairPlus, rules.Progressive, rules.Bonus, rules.Tie, rules.RoyalPictures} {
				side(w)
			}
			if book.Envy.Clause != "" {
				b["owner"] = rapid.SampledFrom([]string{"", "ann", "ben"}).Draw(t, "owner")
			}
			boxes = append(boxes, b)
		}
		line["boxes"] = boxes
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		answer, good := New(v).AppendLine(nil, text, 1)
		if !good {
			t.Fatalf("%s is refused: %s", text, answer)
		}
		if err := sameAsReference(v, text, answer); err != nil {
			t.Fatalf("%s:\n%v", text, err)
		}
	})
}

// A table allocates nothing either, once the calculator has seen one of its size.
func TestATableAllocatesNothing(t *testing.T) {
	for _, test := range goldenTables {
		c := calculatorFor(t, test.book)
		line, dst := []byte(strings.ReplaceAll(test.line, "\n", "")), make([]byte, 0, 8192)
		c.AppendLine(dst, line, 1)
		if n := testing.AllocsPerRun(10, func() { c.AppendLine(dst, line, 1) }); n != 0 {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}
