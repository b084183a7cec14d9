package load

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// settlement is a message as a house sends it, in which ann gets back 1,000 and 2,000,
// 300 are taken from ann again, and the bets of 500, 500 and 1,000 end; ben, of whom
// nobody asks, loses.
const settlement = `{"seq":277,"at_ms":1795322543138,"table":"load-0006","round":3,"phase":"settled","by":"the house","role":"house","command":"settle",` +
	`"events":[{"kind":"hand-shown","event":{"place":"7","hand":["8c","8h","2h"],"clause":"dealing.7"},"told":"Box 7 shows \"8c\" {[ 8h \\"},` +
	`{"kind":"settled","event":{"lines":[{"box":6,"player":"ben","wager":"ante","stake":500,"result":"lose","pays":0,"returned":0,"clause":"rules.4"},` +
	`{"box":4,"player":"ann","wager":"ante","stake":500,"result":"win","pays":500,"returned":1000},` +
	`{"box":4,"player":"ann","wager":"pair-plus","stake":500,"result":"lose","pays":0,"returned":0},` +
	`{ "reverses" : 300 , "returned":2000,"stake":1000, "x": [null,true,false,-1.5e3,{"y":{}},[]], "player":"\u0061nn"}]}},` +
	`{"kind":"bets-returned","event":{"lines":null}}],"seeds":[{"kind":"seed-revealed","body":{"round":1}}]}`

func TestMoneyIsTakenDown(t *testing.T) {
	p := &player{run: &run{}, name: "ann", balance: 10_000, laid: 2000}
	m := message{id: 277, kind: []byte("table"), data: []byte(settlement)}
	if err := p.receive(t.Context(), &m, func() {}); err != nil {
		t.Fatal(err)
	}
	// 10,000 + 1,000 + 0 + 2,000 - 300, and 2,000 - 500 - 500 - 1,000.
	if p.balance != 12_700 || p.laid != 0 || p.round != 3 || p.phase != "settled" {
		t.Errorf("the player has %d, laid %d, in round %d, %s", p.balance, p.laid, p.round, p.phase)
	}
	if err := p.receive(t.Context(), &m, func() {}); err == nil || p.balance != 12_700 {
		t.Errorf("a message received twice is taken: the player has %d, %v", p.balance, err)
	}
}

// A message that broke off, or in which a bracket is missing, moves no money.
func TestMoneyOfBrokenMessages(t *testing.T) {
	if !json.Valid([]byte(settlement)) {
		t.Fatal("the message itself is broken")
	}
	p := &player{run: &run{}, name: "ann"}
	for n := range len(settlement) {
		texts := []string{settlement[:n]}
		if c := settlement[n]; strings.IndexByte(`{}[]`, c) >= 0 {
			texts = append(texts, settlement[:n]+"x"+settlement[n+1:], settlement[:n]+settlement[n+1:])
		}
		for _, text := range texts {
			if json.Valid([]byte(text)) {
				continue // In a string they mean nothing.
			}
			if _, _, err := p.money([]byte(text)); err == nil || p.balance != 0 || p.laid != 0 {
				t.Fatalf("broken at %d it is read: %d, %d, %v", n, p.balance, p.laid, err)
			}
		}
	}
	for _, text := range []string{
		``, `[]`, `7`, `{}{}`, `{"round":1,}`, `{"round":"1"}`, `{"round":1.5}`, `{"round":99999999999999999999}`, `{"round":nil}`,
		`{"phase":7}`, `{"phase":"\x"}`, `{"events":{}}`, `{"events":[{"event":{"lines":[7]}}]}`, `{"events":[{},]}`, `{"events":[{} {}]}`, `{"round":01x}`, `{"a":}`, `{a:1}`,
	} {
		if _, _, err := p.money([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// What a command says is what is meant, and what is answered is taken down.
func TestCommandsAreWritten(t *testing.T) {
	for want, got := range map[string][]byte{
		`{"kind":"bet","body":{"box":7,"wager":"pair-plus","amount":1500}}`: command("bet", 7, "pair-plus", 1500),
		`{"kind":"examine","body":{"box":1}}`:                               command("examine", 1, "", 0),
	} {
		if string(got) != want {
			t.Errorf("%s, and %s is right", got, want)
		}
	}
}

func TestCardsOfABox(t *testing.T) {
	const picture = `{"book":"us-3cp","boxes":[{"box":1,"bettors":[{"player":"ann","stakes":{"ante":500}}],"cards":["??","??","??"]},{"box":2,"cards":["9s","Js","9h"],"rank":"Pair 9-9-J"}],"dealer":["??","??","??"]}`
	for box, want := range map[int][]string{1: {"??", "??", "??"}, 2: {"9s", "Js", "9h"}, 3: nil} {
		in := text{source: []byte(picture)}
		if got := in.cards(box); !slices.Equal(got, want) || in.finish() != nil {
			t.Errorf("box %d has %q, %v", box, got, in.finish())
		}
	}
}

// The cost of a message to its receiver: one in thirty is a settlement, and most are of
// others' bets.
func BenchmarkReceive(b *testing.B) {
	lines := strings.Repeat(`{"box":6,"player":"guest-y6737u7hnw5geqxs","wager":"ante","stake":500,"result":"lose","pays":0,"returned":0,"clause":"rules.4"},`, 14)
	for name, data := range map[string]string{
		"settlement": strings.Replace(settlement, `"lines":[`, `"lines":[`+lines, 1),
		"bet":        `{"seq":400,"at_ms":1795322543223,"table":"load-0005","round":2,"phase":"betting","by":"guest-wuny4i7zz2xohh3u","role":"guest","command":"bet","events":[{"kind":"bet-placed","event":{"box":1,"player":"guest-wuny4i7zz2xohh3u","wager":"ante","amount":1500},"told":"guest-wuny4i7zz2xohh3u bets 15.00 on Ante at box 1."}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			p := &player{run: &run{}, name: "ann"}
			m := message{kind: []byte("table"), data: []byte(data)}
			b.ReportAllocs()
			for b.Loop() {
				m.id++
				if err := p.receive(b.Context(), &m, func() {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
