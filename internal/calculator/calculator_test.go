package calculator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/printable"
	_ "trey/internal/steady"
	"trey/rules"
	"trey/rules/books"
)

func calculatorFor(t testing.TB, id string) *Calculator {
	t.Helper()
	book, err := books.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return New(Terms(book))
}

// What these lines pay was worked out by hand from the rule books. Each wager
// is written "wager stake result pays/returned clause".
var golden = []struct {
	name, book, line string
	want             []string
	net              int64
}{
	{
		"3.15.1 higher hand", "rws-3cp", `{"player":"Ah Kd Jc","dealer":"Qh 9c 2s","wagers":{"ante":1000,"play":1000}}`,
		[]string{"ante 1000 win 1000/2000 3.15.1", "play 1000 win 1000/2000 3.15.1"},
		2000,
	},
	{
		"3.13 J-10-8 does not qualify", "rws-3cp", `{"player":"5h 3d 2c","dealer":"Jd 10c 8s","wagers":{"ante":1000,"play":1000}}`,
		[]string{"ante 1000 win 1000/2000 3.13", "play 1000 push 0/1000 3.13"},
		1000,
	},
	{
		"3.15.2 Q-3-2 qualifies", "rws-3cp", `{"player":"5h 4d 2c","dealer":"Qd 3c 2s","wagers":{"ante":1000,"play":1000}}`,
		[]string{"ante 1000 lose 0/0 3.15.2", "play 1000 lose 0/0 3.15.2"},
		-2000,
	},
	{
		"3.15.3 stand-off", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Qd 6c 4s","wagers":{"ante":1000,"play":1000,"pair-plus":500}}`,
		[]string{"ante 1000 push 0/1000 3.15.3", "play 1000 push 0/1000 3.15.3", "pair-plus 500 lose 0/0 1.11"},
		-500,
	},
	{
		"4.3 Ante Bonus on a stand-off", "rws-3cp", `{"player":"9h 8d 7c","dealer":"9d 8c 7s","wagers":{"ante":1000,"play":1000}}`,
		[]string{"ante 1000 push 0/1000 3.15.3", "play 1000 push 0/1000 3.15.3", "ante-bonus 0 win 1000/1000 4.3"},
		1000,
	},
	{
		"3.16 side bets whatever the dealer holds", "rws-3cp",
		`{"player":"5h 4h 3h","dealer":"Kd Qd Jd","wagers":{"ante":1000,"play":1000,"pair-plus":500,"progressive":500}}`,
		[]string{
			"ante 1000 lose 0/0 3.15.2", "play 1000 lose 0/0 3.15.2", "ante-bonus 0 win 5000/5000 4.3",
			"pair-plus 500 win 20000/20500 4.2", "progressive 500 win 17500/17500 4.4",
		},
		40_000,
	},
	{
		"3.12.1 fold", "rws-3cp",
		`{"player":"As Ks Qs","dealer":"Kd 9c 2s","wagers":{"ante":1000,"pair-plus":500,"progressive":500},"folded":true,"others":["Ad Qd Kc"]}`,
		[]string{"ante 1000 lose 0/0 3.12.1", "pair-plus 500 lose 0/0 3.12.1", "progressive 500 lose 0/0 3.12.1"},
		-2000,
	},
	{
		"3.12.1 fold loses the Envy Bonus", "rws-3cp",
		`{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000,"progressive":500},"folded":true,"others":["As Ks Qs"]}`,
		[]string{"ante 1000 lose 0/0 3.12.1", "progressive 500 lose 0/0 3.12.1"},
		-1500,
	},
	{
		"4.7 Envy Bonus for each hand", "rws-3cp",
		`{"player":"Qh 6d 4c","dealer":"Kh 9c 2s","wagers":{"ante":1000,"play":1000,"progressive":500},"others":["As Ks Qs","Qd Ad Kd","3h 3d 3c"]}`,
		[]string{
			"ante 1000 lose 0/0 3.15.2", "play 1000 lose 0/0 3.15.2", "progressive 500 lose 0/0 4.4",
			"envy 0 win 25000/25000 4.7", "envy 0 win 5000/5000 4.7",
		},
		27_500,
	},
	{
		"4.4 major", "rws-3cp", `{"player":"Ks As Qs","dealer":"Qh 9c 2s","wagers":{"ante":1000,"play":1000,"progressive":500},"meter":1234567}`,
		[]string{
			"ante 1000 win 1000/2000 3.15.1", "play 1000 win 1000/2000 3.15.1", "ante-bonus 0 win 5000/5000 4.3",
			"progressive 500 win 1234567/1234567 4.4",
		},
		1000 + 1000 + 5000 + 1_234_567 - 500,
	},
	{
		"4.4 minor needs no meter", "rws-3cp", `{"player":"Kh Ah Qh","dealer":"Jh 9c 2s","wagers":{"ante":1000,"play":1000,"progressive":100}}`,
		[]string{
			"ante 1000 win 1000/2000 3.13", "play 1000 push 0/1000 3.13", "ante-bonus 0 win 5000/5000 4.3",
			"progressive 100 win 125000/125000 4.4",
		},
		1000 + 5000 + 125_000 - 100,
	},
	{
		"3.14 Pair Plus alone", "rws-3cp", `{"player":"2h 2d 9c","dealer":"Kd 9h 2s","wagers":{"pair-plus":500}}`,
		[]string{"pair-plus 500 win 500/1000 4.2"},
		500,
	},
	{
		"5.3.1 Play above the Ante", "rws-3cp", `{"player":"Ah Kd Jc","dealer":"Qh 9c 2s","wagers":{"ante":1000,"play":1500}}`,
		[]string{"ante 1000 win 1000/2000 3.15.1", "play 1500 win 1000/2500 5.3.1"},
		2000,
	},
	{
		"5.3.2 Play below the Ante", "rws-3cp", `{"player":"Ah Kd Jc","dealer":"Qh 9c 2s","wagers":{"ante":1000,"play":400}}`,
		[]string{"ante 1000 win 1000/2000 3.15.1", "play 400 win 400/800 5.3.2"},
		1400,
	},
	{
		"5.4 Progressive without Ante", "rws-3cp", `{"player":"As Ks Qs","dealer":"Kd 9c 2s","wagers":{"progressive":500,"pair-plus":500},"others":["Ah Kh Qh"]}`,
		[]string{"pair-plus 500 win 20000/20500 4.2", "progressive 500 returned 0/500 5.4"},
		20_000,
	},
	{
		"pays of an operator", "rws-3cp", `{"player":"9h 8d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":500},"pay":{"pair-plus":"40/30/6/4/1"}}`,
		[]string{"pair-plus 500 win 3000/3500 4.2"},
		3000,
	},
	{
		"pays without the lowest rows", "rws-3cp", `{"player":"9h 9d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":500},"pay":{"pair-plus":"40/30/6"}}`,
		[]string{"pair-plus 500 lose 0/0 1.11"},
		-500,
	},
	{
		"dealing.7 Play first", "us-3cp", `{"player":"5h 4h 3h","dealer":"Jd 9c 2s","wagers":{"ante":1000,"play":1000,"pair-plus":1000}}`,
		[]string{
			"play 1000 push 0/1000 rules.8", "ante-bonus 0 win 4000/4000 pays.ante-bonus", "ante 1000 win 1000/2000 rules.8",
			"pair-plus 1000 win 40000/41000 pays.pair-plus",
		},
		45_000,
	},
	{
		"stakes above the table's limit", "us-3cp", `{"player":"Ah Kd Jc","dealer":"Qh 9c 2s","wagers":{"ante":5000,"play":5000}}`,
		[]string{"play 5000 win 5000/10000 rules.10", "ante 5000 win 5000/10000 rules.10"},
		10_000,
	},
	{
		"rules.4 fold", "us-3cp", `{"player":"2h 2d 9c","dealer":"Kd 9h 2s","wagers":{"ante":1000,"pair-plus":500},"folded":true}`,
		[]string{"ante 1000 lose 0/0 rules.4", "pair-plus 500 lose 0/0 dealing.4"},
		-1500,
	},
	{
		"pays.pair-plus flush", "us-3cp", `{"player":"Kh 9h 2h","dealer":"Kd 9c 2s","wagers":{"pair-plus":1000},"folded":false}`,
		[]string{"pair-plus 1000 win 3000/4000 pays.pair-plus"},
		3000,
	},
	{
		"ways.1, ways.3 a folded box keeps its Bonus", "sm-3cp", `{"player":"5h 4h 3h","dealer":"Kd 9c 2s","wagers":{"ante":1000,"pair-plus":500,"bonus":100},"folded":true}`,
		[]string{"ante 1000 lose 0/0 ways.1", "pair-plus 500 lose 0/0 ways.3", "bonus 100 win 10000/10100 bonus.3.TCPB-03E"},
		8500,
	},
	{
		"bonus.3 no row for a straight", "sm-3cp", `{"player":"9h 8d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":100,"bonus":100}}`,
		[]string{"pair-plus 100 win 600/700 ways.2", "bonus 100 lose 0/0 bonus.9a"},
		500,
	},
	{
		"bonus.4 TCPB-02", "sm-3cp", `{"player":"9h 8d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":100,"bonus":100},"bonus_table":"TCPB-02"}`,
		[]string{"pair-plus 100 win 600/700 ways.2", "bonus 100 win 700/800 bonus.4.TCPB-02"},
		1300,
	},
	{
		"bonus.10e Envy for each hand", "sm-3cp", `{"player":"9h 9d 7c","dealer":"Kd 9c 2s","wagers":{"ante":100,"play":100,"bonus":100},"others":["As Ks Qs","5h 4h 3h","Jh Jd Jc"]}`,
		[]string{
			"ante 100 win 100/200 ways.1", "play 100 win 100/200 ways.1", "bonus 100 lose 0/0 bonus.9a",
			"envy 0 win 10000/10000 bonus.10c", "envy 0 win 500/500 bonus.10c",
		},
		10_600,
	},
	{
		"bonus.4 has no Envy", "sm-3cp", `{"player":"9h 9d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":100,"bonus":100},"others":["As Ks Qs"],"bonus_table":"TCPB-01"}`,
		[]string{"pair-plus 100 win 100/200 ways.2", "bonus 100 lose 0/0 bonus.9a"},
		0,
	},
	{
		"Bonus pays of an operator", "sm-3cp", `{"player":"Ah Kh Qh","dealer":"Kd 9c 2s","wagers":{"pair-plus":100,"bonus":100},"pay":{"bonus":"4000/999/50/40/6","pair-plus":"35"},"bonus_table":"TCPB-04E"}`,
		[]string{"pair-plus 100 win 3500/3600 ways.2", "bonus 100 win 99900/100000 bonus.3.TCPB-04E"},
		103_400,
	},
	{
		"Bonus pays that only a longer table has rows for", "sm-3cp", `{"player":"9h 8d 7c","dealer":"Kd 9c 2s","wagers":{"pair-plus":100,"bonus":100},"pay":{"bonus":"4000/999/50/40/6"}}`,
		[]string{"pair-plus 100 win 600/700 ways.2", "bonus 100 win 600/700 bonus.3.TCPB-04E"},
		1200,
	},
	{
		"bonus.6 Bonus alone", "sm-3cp", `{"player":"Ah Kh Qh","dealer":"Kd 9c 2s","wagers":{"bonus":100}}`,
		[]string{"bonus 100 returned 0/100 bonus.6"},
		0,
	},
	{
		"4.1 half a cent to the player", "mbs-3pictures", `{"player":"Kh Qd 6c","dealer":"10c 5c 5d","wagers":{"main":1001}}`,
		[]string{"main 1001 win 501/1502 4.1"},
		501,
	},
	{
		"1.1.5 stand-off, and a Tie", "mbs-3pictures", `{"player":"9h Kd Qc","dealer":"9d Kc Jh","wagers":{"main":1000,"tie":200}}`,
		[]string{"main 1000 push 0/1000 1.1.5", "tie 200 win 1600/1800 3.19"},
		1600,
	},
	{
		"3.19 Three Pictures count zero", "mbs-3pictures", `{"player":"Kh Qd Jc","dealer":"10h 10d 10c","wagers":{"main":1000,"tie":200,"royal-pictures":200}}`,
		[]string{"main 1000 win 1000/2000 4.1", "tie 200 win 1600/1800 3.19", "royal-pictures 200 win 3600/3800 4.2"},
		6200,
	},
	{
		"3.5 Tie beside somebody else's main", "mbs-3pictures", `{"player":"9h Kd Qc","dealer":"8d Kc Jh","wagers":{"tie":200,"royal-pictures":100}}`,
		[]string{"tie 200 lose 0/0 1.1.6", "royal-pictures 100 win 100/200 4.2"},
		-100,
	},
	{
		"forms of writing", "rws-3cp", "\t{ \"wag\\u0065rs\" : { \"ante\" : 1000 , \"play\" : 1000 } , \"player\" : \"A♥,K♦, jC\" , \"dealer\" : \"\\u0051h 9C 2S\" , \"others\" : [ ] , \"pay\" : { } } \r",
		[]string{"ante 1000 win 1000/2000 3.15.1", "play 1000 win 1000/2000 3.15.1"},
		2000,
	},
}

func TestGolden(t *testing.T) {
	for _, test := range golden {
		t.Run(test.book+" "+test.name, func(t *testing.T) {
			c := calculatorFor(t, test.book)
			answer, good := c.AppendLine(nil, []byte(test.line), 1)
			if !good {
				t.Fatalf("refused: %s", answer)
			}
			var a refAnswer
			if err := json.Unmarshal(answer, &a); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range a.Lines {
				clause, found := strings.CutPrefix(l.Clause, c.variant.Book.Ref()+" ")
				if _, ok := c.variant.Book.Clause(clause); !found || !ok {
					t.Errorf("%q is no clause of the book", l.Clause)
				}
				got = append(got, fmt.Sprintf("%s %d %s %d/%d %s", l.Wager, l.Stake, l.Result, l.Pays, l.Returned, clause))
			}
			if !slices.Equal(got, test.want) || int64(a.Net) != test.net {
				t.Errorf("got net %d\n%s\nwant net %d\n%s", a.Net, strings.Join(got, "\n"), test.net, strings.Join(test.want, "\n"))
			}
			if (a.Qualifies != nil) != (c.variant.Book.Qualify != nil) {
				t.Errorf("%s: qualifies stands where the book has no qualification, or is missing", answer)
			}
		})
	}
}

func TestIDIsEchoedAsItCame(t *testing.T) {
	for _, id := range []string{`"7"`, `7`, `-1.50e+3`, `""`, `"a\u0041\"\\ é ♥"`, `123456789012345678901234567890`} {
		for _, rest := range []string{`"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"pair-plus":1}`, `"player":"Qh"`} {
			line := `{"id":` + id + `,` + rest + `}`
			answer, _ := calculatorFor(t, "us-3cp").AppendLine(nil, []byte(line), 1)
			if !bytes.HasPrefix(answer, []byte(`{"id":`+id+`,`)) {
				t.Errorf("%s answers %s", line, answer)
			}
		}
	}
}

// box1 is a box that is good.
const box1 = `"player":"7h 5d 3c","wagers":{"ante":1000},"folded":true`

// valid is the middle of a line that each case below spoils or adds to.
const valid = `"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000,"play":1000}`

var refused = []struct{ name, book, line, want string }{
	{"empty", "rws-3cp", ``, "the line is empty"},
	{"blank", "rws-3cp", " \t\r", "the line is empty"},
	{"a list", "rws-3cp", `[1]`, "column 1: a line is one JSON object"},
	{"a NUL", "rws-3cp", "\x00", "column 1: a line is one JSON object"},
	{"not UTF-8", "rws-3cp", "{\"id\":\"\xff\"}", "not UTF-8"},
	{"cut short", "rws-3cp", `{` + valid, "a comma or } must follow"},
	{"cut in a string", "rws-3cp", `{"id":"7`, "column 7: the string is not closed"},
	{"cut after a backslash", "rws-3cp", `{"id":"7\`, "the string is not closed"},
	{"cut after a comma", "rws-3cp", `{"id":"7",`, "column 11: a key in double quotes"},
	{"comma before the end", "rws-3cp", `{` + valid + `,}`, "a key in double quotes"},
	{"no comma", "rws-3cp", `{"id":7 "player":"x"}`, "column 9: a comma or }"},
	{"no colon", "rws-3cp", `{"id" 7}`, `column 7: a colon must follow the key "id"`},
	{"two objects", "rws-3cp", `{` + valid + `}{}`, "something follows the object"},
	{"text behind", "rws-3cp", `{` + valid + `} x`, "something follows the object"},
	{"control character", "rws-3cp", "{\"id\":\"a\tb\"}", "control character"},
	{"unknown escape", "rws-3cp", `{"player":"\q"}`, "a backslash that JSON does not know"},
	{"unknown key", "rws-3cp", `{` + valid + `,"folds":true}`, `there is no key "folds": the keys are id, player`},
	{"key in capitals", "rws-3cp", `{"Player":"Qh 6d 4c"}`, `there is no key "Player"`},
	{"key twice", "rws-3cp", `{"id":1,"id":2}`, `the key "id" stands twice`},
	{"key twice, once escaped", "rws-3cp", `{"id":1,"\u0069d":2}`, `the key "id" stands twice`},
	{"id null", "rws-3cp", `{"id":null}`, "id must be a string or a number"},
	{"id no number", "rws-3cp", `{"id":01}`, `"01" is not a number`},
	{"player missing", "rws-3cp", `{"dealer":"Kd 9c 2s","wagers":{"pair-plus":1}}`, `"player" is missing`},
	{"dealer missing", "rws-3cp", `{"player":"Kd 9c 2s","wagers":{"pair-plus":1}}`, `"dealer" is missing`},
	{"player a number", "rws-3cp", `{"player":7}`, "player must be a string"},
	{"wrong card", "rws-3cp", `{"player":"Qh 6d 4x","dealer":"Kd 9c 2s","wagers":{"pair-plus":1}}`, `player: "4x" is not a card`},
	{"two cards", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c","wagers":{"pair-plus":1}}`, `dealer: "Kd 9c" is 2 cards`},
	{"four cards", "rws-3cp", `{"player":"Qh 6d 4c 3c","dealer":"Kd 9c 2s","wagers":{"pair-plus":1}}`, "is 4 cards"},
	{"a very long hand", "rws-3cp", `{"player":"` + strings.Repeat("Qh ", 1000) + `","dealer":"Kd 9c 2s"}`, "is too long for a hand"},
	{"a card twice in a hand", "rws-3cp", `{"player":"Qh Qh 4c","dealer":"Kd 9c 2s"}`, "player: Qh appears twice"},
	{"a card in both hands", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Qh 9c 2s"}`, "Qh is in the player's hand and in the dealer's"},
	{"a card with the player", "rws-3cp", `{` + valid + `,"others":["As Ks Qs","Qh 2d 3d"]}`, "Qh is in hand 2 of the others and in the player's"},
	{"a card with the dealer", "rws-3cp", `{` + valid + `,"others":["2s 2d 3d"]}`, "2s is in hand 1 of the others and in the dealer's"},
	{"a card in two others", "rws-3cp", `{` + valid + `,"others":["As Ks Qs","As 2d 3d"]}`, "As is in hand 2 of the others and in hand 1"},
	{"cards of two hands in an other", "rws-3cp", `{` + valid + `,"others":["As 9c 6d"]}`, "6d is in hand 1 of the others and in the player's: a deck"},
	{"two cards with the dealer", "rws-3cp", `{` + valid + `,"others":["2s 9c As"]}`, "2s 9c are in hand 1 of the others and in the dealer's: a deck"},
	{"two cards in both hands", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Qh 6d 2s"}`, "6d Qh are in the player's hand and in the dealer's"},
	{"no fold, said of Royal Three Pictures", "mbs-3pictures", `{"folded":false}`, `the key "folded" means nothing here: mbs-3pictures@2 has nothing to fold; leave the key out`},
	{"a meter without a progressive", "us-3cp", `{` + valid + `,"meter":1}`, `the key "meter" means nothing here: us-3cp has no progressive; leave the key out`},
	{"a meter in Royal Three Pictures", "mbs-3pictures", `{"meter":1}`, `the key "meter" means nothing here: mbs-3pictures@2`},
	{"a meter beside a Bonus", "sm-3cp", `{"meter":1}`, `the key "meter" means nothing here: sm-3cp`},
	{"others without Envy", "us-3cp", `{` + valid + `,"others":[]}`, `the key "others" means nothing here: us-3cp has no Envy Bonus; leave the key out`},
	{"others in Royal Three Pictures", "mbs-3pictures", `{"others":[]}`, `the key "others" means nothing here: mbs-3pictures@2 has no Envy Bonus`},
	{"a Bonus table without a Bonus", "rws-3cp", `{"bonus_table":"TCPB-01"}`, `the key "bonus_table" means nothing here: rws-3cp@3 has no Bonus bet`},
	{"an owner of the one box", "rws-3cp", `{"owner":"ann"}`, `the key "owner" stands in a box of "boxes", and nowhere else`},
	{"an owner without Envy", "us-3cp", `{"dealer":"Kd 9c 2s","boxes":[{"owner":"ann"}]}`, `box 1: the key "owner" means nothing here: us-3cp pays nothing for another box of the same player`},
	{"boxes no list", "rws-3cp", `{"boxes":{}}`, `"boxes" must be a list`},
	{"boxes empty", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[]}`, "boxes: the list is empty"},
	{"boxes twice", "rws-3cp", `{"boxes":[{}],"boxes":[{}]}`, `the key "boxes" stands twice`},
	{"a box no object", "rws-3cp", `{"boxes":[7]}`, "box 1: column 11: a box is an object"},
	{"a box's unknown key", "rws-3cp", `{"boxes":[{"dealer":"Kd 9c 2s"}]}`, `box 1: a box has no key "dealer": its keys are id, player, wagers, folded, owner`},
	{"a box's key twice", "rws-3cp", `{"boxes":[{"id":1,"id":2}]}`, `box 1: the key "id" stands twice`},
	{"a box without cards", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{"wagers":{"pair-plus":1}}]}`, `box 1: "player" is missing`},
	{"boxes without a dealer", "rws-3cp", `{"boxes":[{` + box1 + `}]}`, `"dealer" is missing`},
	{"a box without wagers", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{` + box1 + `},{"player":"Ah Kh Qh"}]}`, "box 2: there is no wager"},
	{"a box neither played nor folded", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{"player":"Ah Kh Qh","wagers":{"ante":1000}}]}`, "box 1: the ante is neither played nor folded"},
	{"player beside boxes", "rws-3cp", `{"player":"Ah Kh Qh","dealer":"Kd 9c 2s","boxes":[{` + box1 + `}]}`, `"player" beside "boxes": with "boxes" it stands in each box`},
	{"wagers beside boxes", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{` + box1 + `}],"wagers":{"ante":1}}`, `"wagers" beside "boxes"`},
	{"others beside boxes", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{` + box1 + `}],"others":["Ah Kh Qh"]}`, `the boxes are the others of each other; leave "others" out`},
	{"a card in two boxes", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{` + box1 + `},{"player":"Ah Kh Qh","wagers":{"pair-plus":1}},{"player":"2h 3h Qh","wagers":{"pair-plus":1}}]}`, "Qh is in box 3 and in box 2: a deck"},
	{"a card of a box with the dealer", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{` + box1 + `},{"player":"Ah Kd 2s","wagers":{"pair-plus":1}}]}`, "2s Kd are in box 2 and in the dealer's hand: a deck"},
	{"more boxes than a table has", "mbs-3pictures", `{"dealer":"Kd 9c 2s","boxes":[` + strings.Repeat(`{"player":"Ah Kh Qh","wagers":{"main":1}},`, 16) + `{}]}`, "boxes: a table of mbs-3pictures@2 has at most "},
	{"boxes that are not closed", "rws-3cp", `{"boxes":[{"id":1}`, "a comma or ] must follow"},
	{"a stake of a box", "rws-3cp", `{"boxes":[{"wagers":{"ante":0}}]}`, "box 1: column 29: ante is 0"},
	{"a meter that a box needs", "rws-3cp", `{"dealer":"Kd 9c 2s","boxes":[{"player":"As Ks Qs","wagers":{"ante":1000,"play":1000,"progressive":500}}]}`, "box 1: progressive: AKQ of spades takes 100 % of the meter"},
	{"wrong other", "rws-3cp", `{` + valid + `,"others":["As Ks"]}`, "others, hand 1:"},
	{"others no list", "rws-3cp", `{` + valid + `,"others":"As Ks Qs"}`, `"others" must be a list`},
	{"an other no string", "rws-3cp", `{` + valid + `,"others":[7]}`, "others must be a string"},
	{"too many others", "rws-3cp", `{` + valid + `,"others":[` + strings.Repeat(`"As Ks Qs",`, 15) + `"As Ks Qs"]}`, "at most 15 hands"},
	{"no wagers", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s"}`, "there is no wager"},
	{"wagers empty", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{}}`, "there is no wager"},
	{"wagers a list", "rws-3cp", `{"wagers":[]}`, `"wagers" must be an object`},
	{"wager of another book", "rws-3cp", `{"wagers":{"main":1000}}`, `rws-3cp@3 has no wager "main": its wagers are ante, play, pair-plus, progressive`},
	{"unknown wager", "mbs-3pictures", `{"wagers":{"royal":1000}}`, `no wager "royal": its wagers are main, tie, royal-pictures`},
	{"ante bonus as a wager", "rws-3cp", `{"wagers":{"ante-bonus":1000}}`, "ante-bonus takes no stake, it is paid on the ante"},
	{"envy as a wager", "rws-3cp", `{"wagers":{"envy":1000}}`, "envy takes no stake"},
	{"wager twice", "rws-3cp", `{"wagers":{"ante":1000,"ante":1000}}`, "ante stands twice"},
	{"stake zero", "rws-3cp", `{"wagers":{"ante":0}}`, "ante is 0"},
	{"stake negative", "rws-3cp", `{"wagers":{"ante":-5}}`, "ante is negative (-5)"},
	{"stake negative zero", "rws-3cp", `{"wagers":{"ante":-0}}`, "ante is negative"},
	{"stake with decimals", "rws-3cp", `{"wagers":{"ante":10.50}}`, "ante is 10.50: amounts are whole minor units"},
	{"stake with an exponent", "rws-3cp", `{"wagers":{"ante":1e3}}`, "ante is 1e3: amounts are whole minor units"},
	{"stake with a leading zero", "rws-3cp", `{"wagers":{"ante":010}}`, "ante must be a whole number"},
	{"stake with a sign", "rws-3cp", `{"wagers":{"ante":+10}}`, "ante must be a whole number"},
	{"stake in quotes", "rws-3cp", `{"wagers":{"ante":"1000"}}`, "without quotes"},
	{"stake null", "rws-3cp", `{"wagers":{"ante":null}}`, "ante must be a whole number"},
	{"stake above the largest", "rws-3cp", `{"wagers":{"ante":100000000001}}`, "more than 100000000000, the largest"},
	{"stake beyond 64 bits", "rws-3cp", `{"wagers":{"ante":99999999999999999999}}`, "more than 100000000000, the largest"},
	{"stake of a mebibyte", "rws-3cp", `{"wagers":{"ante":` + strings.Repeat("9", 1000) + `}}`, "999..., which is more than"},
	{"neither played nor folded", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000}}`, `neither played nor folded: add a play stake of 1000, or "folded":true`},
	{"played and folded", "rws-3cp", `{` + valid + `,"folded":true}`, "a folded hand has none"},
	{"fold without ante", "rws-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"pair-plus":1000},"folded":true}`, "without an ante there is nothing to fold"},
	{"play without ante", "us-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"play":1000}}`, "a play stake without an ante: play needs one beside it (us-3cp rules.5)"},
	{"play unlike ante", "us-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000,"play":999}}`, "must be equal (us-3cp rules.5)"},
	{"fold in Royal Three Pictures", "mbs-3pictures", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"main":1000},"folded":true}`, `the key "folded" means nothing here: mbs-3pictures@2 has nothing to fold`},
	{"folded no boolean", "rws-3cp", `{"folded":"yes"}`, "folded must be true or false"},
	{"folded with a tail", "rws-3cp", `{"folded":trueish}`, "a comma or } must follow"},
	{"meter needed", "rws-3cp", `{"player":"As Ks Qs","dealer":"Kd 9c 2s","wagers":{"ante":1000,"play":1000,"progressive":500}}`, `the displayed meter must be given; add it as "meter"`},
	{"meter zero", "rws-3cp", `{` + valid + `,"meter":0}`, "meter is 0"},
	{"pay no object", "rws-3cp", `{"pay":"40/30/6/4/1"}`, `"pay" must be an object`},
	{"pay of a misspelt wager", "us-3cp", `{` + valid + `,"pay":{"pairplus":"1"}}`, `us-3cp has no pay table for "pairplus": did you mean pair-plus?`},
	{"misspelt wager", "us-3cp", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"pairplus":1000}}`, `us-3cp has no wager "pairplus": did you mean pair-plus?`},
	{"pay of another book's wager", "us-3cp", `{` + valid + `,"pay":{"bonus":"1"}}`, `us-3cp has no pay table for "bonus": it has them for ante, play, ante-bonus, pair-plus`},
	{"pay twice", "us-3cp", `{"pay":{"ante":"1","ante":"1"}}`, "pay: ante stands twice"},
	{"pay a number", "us-3cp", `{"pay":{"ante":1}}`, "ante must be a string"},
	{"pay empty", "rws-3cp", `{` + valid + `,"pay":{"pair-plus":""}}`, `"" is not a list of pays`},
	{"pay with spaces", "rws-3cp", `{` + valid + `,"pay":{"pair-plus":"40/ 30"}}`, "is not a list of pays"},
	{"pay negative", "rws-3cp", `{` + valid + `,"pay":{"pair-plus":"40/-30"}}`, "is not a list of pays"},
	{"pay too large", "rws-3cp", `{` + valid + `,"pay":{"pair-plus":"10000001"}}`, "Straight flush cannot pay 10000001 to 1"},
	{"pay with too many rows", "rws-3cp", `{` + valid + `,"pay":{"pair-plus":"40/30/6/4/1/1"}}`, "6 pays for a table of 5 rows"},
	{"pay of fixed sums", "rws-3cp", `{` + valid + `,"pay":{"progressive":"40"}}`, "AKQ of spades pays 100 % of the meter"},
	{"pay without a row that a win needs", "mbs-3pictures", `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"main":1000},"pay":{"main":"1"}}`, "1 pays for a table of 2 rows"},
	{"pay with more rows than any table", "sm-3cp", `{` + valid + `,"pay":{"bonus":"6/5/4/3/2/1"}}`, "6 pays for a table of 5 rows"},
	{"pay with more rows than the table picked", "sm-3cp", `{` + valid + `,"pay":{"bonus":"5/4/3/2/1"},"bonus_table":"TCPB-03E"}`, "5 pays for a table of 4 rows"},
	{"unknown bonus table", "sm-3cp", `{` + valid + `,"bonus_table":"TCPB-03"}`, `no pay table "TCPB-03" for bonus: choose from TCPB-03E, TCPB-04E`},
	{"bonus table of another book", "us-3cp", `{` + valid + `,"bonus_table":"TCPB-01"}`, `the key "bonus_table" means nothing here: us-3cp has no Bonus bet`},
}

// TestAVariantsOwnTerms holds that a calculator of a variant settles as its table
// does: above the maximum by the clause for it, and no bets on a progressive
// that is not there.
func TestAVariantsOwnTerms(t *testing.T) {
	const line = `{"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":1000,"play":1000,"progressive":500}}`
	book, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := book.Standard().Clone()
	v.Limits[rules.Ante].Max = 600
	answer, good := New(v).AppendLine(nil, []byte(line), 1)
	if want := `{"wager":"ante","stake":1000,"result":"lose","pays":0,"returned":400,"clause":"rws-3cp@3 5.1.1"}`; !good || !strings.Contains(string(answer), want) {
		t.Errorf("%s\nwant %s", answer, want)
	}
	v.ID, v.Jackpot, v.Limits[rules.Progressive] = "dry", nil, rules.Limit{}
	answer, good = New(v).AppendLine(nil, []byte(line), 1)
	if want := "dry takes no Progressive Jackpot bets, for no progressive is connected: leave the stake out"; good || !strings.Contains(string(answer), want) {
		t.Errorf("%s\nwant %s", answer, want)
	}
}

func TestRefused(t *testing.T) {
	for _, test := range refused {
		t.Run(test.name, func(t *testing.T) {
			answer, good := calculatorFor(t, test.book).AppendLine([]byte("before\n"), []byte(test.line), 12)
			if good {
				t.Fatalf("accepted: %s", answer)
			}
			rest, found := bytes.CutPrefix(answer, []byte("before\n"))
			var a struct {
				Error string
				Line  int
			}
			if err := json.Unmarshal(rest, &a); err != nil || !found {
				t.Fatalf("%s: %v", answer, err)
			}
			if !strings.Contains(a.Error, test.want) || a.Line != 12 || len(a.Error) > 400 {
				t.Errorf("answer %s\nwant line 12, error %q", rest, test.want)
			}
		})
	}
}

// Whoever sent a bad line learns which it was, wherever its id stands.
func TestBadLinesKeepTheirID(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"folds":{"id":1,"x":[2]},"id":"7"}`, `{"id":"7","error"`},
		{`{"id":"7","folds":1}`, `{"id":"7","error"`},
		{`{"folds":1,"id":{"a":1}}`, `{"error"`},
		{`{"folds":1,"id":"7"`, `{"id":"7","error"`},
		{`{"folds":1 "id":"7"}`, `{"error"`},
		{`{"folds":{"id":"7"}}`, `{"error"`},
		{`["id","7"]`, `{"error"`},
	}
	for _, test := range tests {
		answer, _ := calculatorFor(t, "us-3cp").AppendLine(nil, []byte(test.line), 1)
		if !bytes.HasPrefix(answer, []byte(test.want)) {
			t.Errorf("%s answers %s, want %s...", test.line, answer, test.want)
		}
	}
}

// One line must not show in the answer to another.
func TestLinesAreIndependent(t *testing.T) {
	shared := map[string]*Calculator{}
	for range 2 {
		for _, test := range golden {
			if shared[test.book] == nil {
				shared[test.book] = calculatorFor(t, test.book)
			}
			got, _ := shared[test.book].AppendLine(nil, []byte(test.line), 1)
			want, _ := calculatorFor(t, test.book).AppendLine(nil, []byte(test.line), 1)
			if !bytes.Equal(got, want) {
				t.Errorf("%s: after other lines %s, alone %s", test.name, got, want)
			}
			for _, bad := range refused[:20] {
				shared[test.book].AppendLine(nil, []byte(bad.line), 1)
			}
		}
	}
}

func TestManyPayListsAreBounded(t *testing.T) {
	c := calculatorFor(t, "rws-3cp")
	for i := range 3 * maxTables {
		line := fmt.Sprintf(`{"player":"2h 2d 9c","dealer":"Kd 9h 2s","wagers":{"pair-plus":100},"pay":{"pair-plus":"40/30/6/4/%d"}}`, i)
		answer, good := c.AppendLine(nil, []byte(line), 1)
		if want := fmt.Sprintf(`"net":%d}`, 100*i); !good || !bytes.Contains(answer, []byte(want)) {
			t.Fatalf("%s answers %s, want %s", line, answer, want)
		}
	}
	kept := 0
	for _, tables := range c.tables {
		kept += len(tables)
	}
	if kept > maxTables {
		t.Errorf("%d pay tables are kept", kept)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, test := range golden {
		if strings.Contains(test.name, "forms of writing") || strings.Contains(test.line, "bonus_table") {
			continue // symbols, backslashes and named tables take the slower way
		}
		c := calculatorFor(t, test.book)
		line, dst := []byte(test.line), make([]byte, 0, 4096)
		if n := testing.AllocsPerRun(10, func() { c.AppendLine(dst, line, 1) }); n != 0 {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}

// sameAsReference compares the answer to a good line with the one made by
// encoding/json and rules.Settle, byte for byte.
func sameAsReference(v *rules.Variant, line, answer []byte) error {
	if bytes.Contains(answer, []byte(`"result":"returned"`)) {
		return nil // the reference knows nothing of a wager without the one it needs
	}
	var request refRequest
	if err := json.Unmarshal(line, &request); err != nil {
		return fmt.Errorf("encoding/json cannot read an accepted line: %w", err)
	}
	request.ID = printable.Append(nil, []byte(request.ID))
	var want any
	var err error
	if request.Boxes != nil {
		want, err = request.settleTable(v)
	} else {
		want, err = request.settle(v)
	}
	if err != nil {
		return fmt.Errorf("the reference refuses an accepted line: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(want); err != nil {
		return err
	}
	if !bytes.Equal(b.Bytes(), answer) {
		return fmt.Errorf("got  %swant %s", answer, b.Bytes())
	}
	return nil
}

// Every line that a game can produce is accepted, and settled as rules.Settle
// does.
func TestCalculatorEqualsSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book := rapid.SampledFrom(books.All()).Draw(t, "book")
		deck := make([]card.Card, 52)
		for i := range deck {
			deck[i] = card.FromIndex(i)
		}
		deck = rapid.Permutation(deck).Draw(t, "deck")
		hand := func(i int) string { return card.NewHand(deck[3*i], deck[3*i+1], deck[3*i+2]).String() }
		wagers := map[string]int64{}
		stake := func(key string) {
			if rapid.Bool().Draw(t, key) {
				wagers[key] = rapid.Int64Range(1, int64(rules.MaxStake)).Draw(t, key+" stake")
			}
		}
		line := map[string]any{"player": hand(0), "dealer": hand(1), "wagers": wagers}
		if book.Decision != nil {
			stake("pair-plus")
			if len(wagers) == 0 || rapid.Bool().Draw(t, "ante") {
				wagers["ante"] = rapid.Int64Range(1, int64(rules.MaxStake)).Draw(t, "ante stake")
				if folded := rapid.Bool().Draw(t, "folded"); folded {
					line["folded"] = true
				} else {
					wagers["play"] = wagers["ante"]
				}
				if book.Rule(rules.Progressive) != nil {
					stake("progressive")
				}
			}
			if rule := book.Rule(rules.Bonus); rule != nil {
				stake("bonus")
			}
			if rule := book.Rule(rules.Bonus); rule != nil && len(rule.Pays) > 1 {
				line["bonus_table"] = rapid.SampledFrom([]string{"TCPB-01", "TCPB-02", "TCPB-03E", "TCPB-04E"}).Draw(t, "table")
			}
		} else {
			wagers["main"] = rapid.Int64Range(1, int64(rules.MaxStake)).Draw(t, "main stake")
			stake("tie")
			stake("royal-pictures")
		}
		if book.Rule(rules.Progressive) != nil {
			line["meter"] = rapid.Int64Range(1, int64(rules.MaxStake)).Draw(t, "meter")
		}
		others := []string{}
		for i := range rapid.IntRange(0, maxOthers).Draw(t, "others") {
			others = append(others, hand(2+i))
		}
		if book.ID == "rws-3cp" || book.ID == "sm-3cp" {
			line["others"] = others
		}
		if book.Rule(rules.PairPlus) != nil && rapid.Bool().Draw(t, "override") {
			line["pay"] = map[string]string{"pair-plus": rapid.StringMatching(`[1-9][0-9]{0,6}(/[1-9]){0,4}`).Draw(t, "pays")}
		}
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		v := Terms(book)
		answer, good := New(v).AppendLine(nil, text, 1)
		if !good {
			t.Fatalf("%s is refused: %s", text, answer)
		}
		if err := sameAsReference(v, text, answer); err != nil {
			t.Fatalf("%s:\n%v", text, err)
		}
	})
}

// FuzzLine holds that no line whatever brings the calculator down, that every
// answer is one line of JSON, and that what is accepted is settled as
// encoding/json and rules.Settle would have it.
func FuzzLine(f *testing.F) {
	for _, test := range golden {
		f.Add(test.book, []byte(test.line))
	}
	for _, test := range refused {
		f.Add(test.book, []byte(test.line))
	}
	for _, test := range goldenTables {
		f.Add(test.book, []byte(strings.ReplaceAll(test.line, "\n", "")))
	}
	calculators := map[string]*Calculator{}
	for _, b := range books.All() {
		calculators[b.ID] = New(Terms(b))
	}
	f.Fuzz(func(t *testing.T, id string, line []byte) {
		c := calculators[id]
		if c == nil {
			c = calculators["sm-3cp"]
		}
		answer, good := c.AppendLine(nil, line, 1)
		body, found := bytes.CutSuffix(answer, []byte("\n"))
		if !found || !json.Valid(body) {
			t.Fatalf("%q answers %q, which is not a line of JSON", line, answer)
		}
		if good {
			if err := sameAsReference(c.variant, line, answer); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}

// In the French book all flushes with an ace are equal, and each has its own name all the same.
func TestEqualFlushesHaveTheirNames(t *testing.T) {
	c := calculatorFor(t, "fr-p3c")
	for _, hands := range [][4]string{
		{"Ah Kh 9h", "Ac 4c 2c", "Flush A-K-9", "Flush A-4-2"},
		{"Ad Jd 2d", "As Ks 9s", "Flush A-J-2", "Flush A-K-9"},
	} {
		answer, good := c.AppendLine(nil, []byte(`{"player":"`+hands[0]+`","dealer":"`+hands[1]+`","wagers":{"ante":1000,"play":1000}}`), 1)
		if want := `{"player_rank":"` + hands[2] + `","dealer_rank":"` + hands[3] + `"`; !good || !strings.HasPrefix(string(answer), want) || !strings.Contains(string(answer), `"push"`) {
			t.Errorf("%s, want %s and a stand-off", answer, want)
		}
	}
}
