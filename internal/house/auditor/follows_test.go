package auditor_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
)

// What an event says holds for those after it: the last one of each record is found, or is not, by
// what came before it.
func TestWhatFollowsFromEarlierEvents(t *testing.T) {
	const (
		moved    = `table:T cards-moved {"moves":[{"slot":2,"to":"2"}]}`
		two      = `table:T hand-shown {"place":"1","hand":["As","Kd"]}`
		three    = `table:T hand-shown {"place":"1","hand":["As","Kd","Qd"]}`
		dealer   = `table:T cards-dealt {"cards":[{"card":"2h","place":"dealer"},{"card":"3h","place":"dealer"},{"card":"??","place":"dealer"}]}`
		open     = `table:T cards-dealt {"cards":[{"card":"As","place":"1","face_up":true},{"card":"Kd","place":"1","face_up":true}]}`
		ended    = `table:V table-closed {}`
		revealed = `deal:V seed-revealed {"round":1,"seed":"5eed"}`
	)
	undone := func(more string) string {
		return `table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":2000}` + more + `],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}`
	}
	for _, test := range []struct {
		name   string
		before []string
		last   string
		what   string
		found  bool
	}{
		{"two cards are left after one was moved", with(playing, cards, moved), two, "is turned", false},
		{"three are not", with(playing, cards, moved), three, "is turned", true},
		{"three are before", with(playing, cards), three, "is turned", false},
		{"a card that was turned has its name", with(playing, cards, three), `table:T cards-dealt {"cards":[{"card":"Qd","place":"dealer"}]}`, "Qd is dealt twice", true},
		{"a card that was not turned has none", with(playing, cards), `table:T cards-dealt {"cards":[{"card":"Qd","place":"dealer"}]}`, "is dealt twice", false},
		{"the dealer's hand is not that of a box", with(playing, cards, dealer), `table:T dealer-shown {"hand":["2h","3h","4h"]}`, "and then", false},
		{"a card is corrected beside another", with(playing, open), `table:T cards-exposed {"slots":[0],"cards":["2c"],"corrected":true}`, "lies open twice", false},
		{"the next round begins with an empty box", with(over, `table:T bets-opened {"round":2}`), ante, "is laid on", false},
		{"the round itself does not", with(playing, alone), ante, "is laid on", true},
		{"a question ends with its round", with(playing, `table:T question-asked {"question":{"key":"k","by":{"name":"#2"}}}`, settled, `table:T bets-opened {"round":2}`), `table:T question-answered {"key":"k","by":{"name":"#3"}}`, "that is not open", true},
		{"what a box was paid goes back to the house", with(playing, alone), `table:T hand-invalidated {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000,"reverses":2000}]}`, "the events move $-10.00 on player:#1", true},
		{"what was paid is taken back", with(playing, alone), undone(""), "is taken back", false},
		{"nothing is taken back by a line", with(playing, alone), undone(`,{"box":1,"player":"#1","wager":"pair-plus","result":"returned"}`), "$0.00 is taken back on box 1", true},
		{"a seed before its round", seeded, revealed, "is revealed in round 0", true},
		{"a seed after its round", with(onV, ended), revealed, "seed", false},
		{"a seed twice", with(onV, ended, revealed), revealed, "is not the one committed to", true},
	} {
		lines := with(test.before, test.last)
		if found := read(t, lines, nil)[int64(len(lines))]; hasLike(found, test.what) != test.found {
			t.Errorf("%s: %q, with %q: %t", test.name, found, test.what, test.found)
		}
	}
}

// A transaction is known by its key, and an unknown key is none's.
func TestTransactionsByTheirKeys(t *testing.T) {
	a := auditor.New()
	a.Read(house.StoredTransaction{Seq: 1, Key: "k", Cause: house.Cause{Kind: "drain", Body: []byte("{}")}})
	for key, want := range map[string]int64{"k": 1, "other": 0, "": 0} {
		if seq, ok := a.Transaction(key); seq != want || ok != (want != 0) {
			t.Errorf("%q: %d, %t", key, seq, ok)
		}
	}
}
