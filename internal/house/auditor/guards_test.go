package auditor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
)

// The rules of the record below, no more of them than an auditor reads.
const (
	book = `{"book":"rws-3cp","edition":"3","revision":1,"incidents":[{"incident":"unshuffled","cases":[{"then":"void","clause":"5.8.5"}]},` +
		`{"incident":"interruption","cases":[{"then":"continue","clause":"5.7"},{"then":"continue","clause":"5.7.1"},{"then":"void","clause":"5.7.2"}]}]}`
	otherBook = `{"book":"us-3cp","revision":2}`
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func termsOf(of, declaration, more string) string {
	return fmt.Sprintf(`{"book":%q,"book_hash":%q,"more":%q}`, of, hashOf(declaration), more)
}

// A record is lines of a stream, a kind and a body, each of them a transaction. These stand
// for the hashes and commitments in it.
var (
	terms, later, others = termsOf("rws-3cp@3", book, ""), termsOf("rws-3cp@3", book, "later"), termsOf("us-3cp", otherBook, "")
	filled               = strings.NewReplacer(
		"BOOK", hashOf(book), "TERMS", hashOf(terms), "LATER", hashOf(later), "OTHERS", hashOf(others), "OTHERBOOK", hashOf(otherBook),
		"SEED1", hashOf("trey commitment 1\nround 1\nseed 5eed\ntable V\n"),
		"SEED2", hashOf("trey commitment 1\nround 2\nseed 5eed\ntable V\n"),
	)
)

func quoted(text string) string { return fmt.Sprintf("%q", text) }

// A house with a table where cards are read, T, one that deals from seeds, V, and the
// jackpot of both.
var (
	declared  = `house book-declared {"book":"rws-3cp@3","revision":1,"book_hash":"BOOK","declaration":` + quoted(book) + `}`
	stated    = `house terms-stated {"book_hash":"BOOK","rules_hash":"TERMS","terms":` + quoted(terms) + `}`
	installed = `house table-installed {"table":"T","jackpot":"J","rules_hash":"TERMS","config":{"cards":"read"}}`
	virtual   = `house table-installed {"table":"V","jackpot":"J","rules_hash":"TERMS","config":{"cards":"virtual"}}`
	jackpot   = `jackpot:J opened {"terms":{"bet":500,"reset":1000,"ceiling":2000,"verify_from":1500,"rate":{"num":2,"den":5}},"meter":1000,"reserve":300}`
	floor     = []string{declared, stated, installed, virtual, jackpot}
)

// Pieces of rounds.
const (
	opened      = `table:T bets-opened {"round":1}`
	ante        = `table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}`
	progressive = `table:T bet-placed {"box":1,"player":"#1","wager":"progressive","amount":500}`
	put         = `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":200}`
	putMore     = `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":2,"stake":1000,"to_meter":400}`
	dealt       = `jackpot:J round-dealt {"round":{"table":"T","round":"1"},"dealt":{"at_ms":10}}`
	known       = `jackpot:J round-known {"round":{"table":"T","round":"1"}}`
	hit         = `jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":1},"dealt":{"at_ms":10}}`
	hit2        = `jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":2},"dealt":{"at_ms":10,"sequence":1}}`
	paid        = `jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":1200,"from_meter":1200,"reset_by_house":700,"reset_from_reserve":300}`
	// The same from 15.00 on, which two people have to verify.
	paidMore = `jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":1600,"from_meter":1600,"reset_by_house":700,"reset_from_reserve":300,"winner":"#1","held":true}`
	cards    = `table:T cards-dealt {"cards":[{"card":"As","place":"1"},{"card":"Kd","place":"1"},{"card":"??","place":"1"}]}`
	closed   = `table:T bets-closed {}`
	settled  = `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":1000,"returned":2000}]}`
	alone    = `table:T box-settled {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":1000,"returned":2000}]}`

	committed = `deal:V seed-committed {"round":1,"commitment":"SEED1"}`
	sealed    = `sealed:V seed-sealed {"round":1,"seed":"5eed"}`
	covered   = `deal:V commitment-covered {"round":1}`
)

// asked and agreed return a fill or a credit of $12.00 that is proposed and approved, with more
// in its body.
func asked(kind, more string) string {
	return `house proposed {"id":1,"kind":"` + kind + `/2","body":{"table":"T","amount":1200,` + more + `},"by":{"name":"#1","role":"shift-manager"}}`
}

func agreed(kind, more string) string {
	return `house approved {"id":1,"kind":"` + kind + `/2","body":{"table":"T","amount":1200,` + more + `},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`
}

// Chips that come to the amount are found nothing against, and a later version of a kind is
// followed as the first.
func TestChipsThatComeToTheAmount(t *testing.T) {
	for _, kind := range []string{"fill", "credit"} {
		for _, more := range []string{`"chips":[{"chip":200,"count":1},{"chip":500,"count":2}]`, `"note":"by amount"`} {
			lines := with(floor, asked(kind, more), agreed(kind, more))
			for _, what := range read(t, lines, nil)[int64(len(lines))] {
				if strings.Contains(what, "chips") {
					t.Errorf("%s, %s: %s", kind, more, what)
				}
			}
			if found := read(t, lines, nil)[int64(len(lines))]; !hasLike(found, "on rack:T, and the postings $0.00") {
				t.Errorf("%s, %s: nothing is moved: %q", kind, more, found)
			}
		}
	}
}

func with(lines []string, more ...string) []string {
	return append(append([]string(nil), lines...), more...)
}

var (
	playing = with(floor, opened, ante)
	waiting = with(floor, put, dealt, known, hit)   // a hit at a meter of 12.00
	held    = with(floor, put, putMore, hit)        // at 16.00
	won     = with(waiting, paid)                   // paid at once
	kept    = with(held, paidMore)                  // held until it is verified
	over    = with(playing, cards, closed, settled) // a round that is paid
	seeded  = with(floor, committed, sealed)        // a seed for round 1 of V
	onV     = with(seeded, `table:V bets-opened {"round":1}`)
)

// read follows a record and returns the findings by transaction.
func read(t *testing.T, lines []string, alter func(last *house.StoredTransaction)) map[int64][]string {
	t.Helper()
	a := auditor.New()
	versions := map[string]int64{}
	for i, line := range lines {
		stream, rest, _ := strings.Cut(filled.Replace(line), " ")
		kind, body, ok := strings.Cut(rest, " ")
		if !ok {
			t.Fatalf("%q is no event", line)
		}
		e := house.StoredTransaction{Seq: int64(i + 1), Cause: house.Cause{By: "#9", Role: "dealer", Kind: "drain", Body: []byte("{}")}}
		e.Parts = []house.StreamAppend{{Stream: stream, After: versions[stream], Events: []house.Event{{Kind: kind, Body: []byte(body)}}}}
		versions[stream]++
		agree(t, &e, versions)
		if alter != nil && i == len(lines)-1 {
			alter(&e)
		}
		a.Read(e)
	}
	found := map[int64][]string{}
	for _, f := range a.Findings() {
		found[f.Seq] = append(found[f.Seq], f.What)
	}
	return found
}

func hasLike(found []string, want string) bool {
	for _, what := range found {
		if strings.Contains(what, want) {
			return true
		}
	}
	return false
}

// Each guard of the auditor finds its one fault: the last transaction of a record is wrong in
// one place. The auditor finds nothing in the transactions before it. Of all of these it says
// that nothing was posted.
func TestEachGuardBites(t *testing.T) {
	for _, test := range []struct {
		want   string
		before []string
		last   string
	}{
		// Rules.
		{"has the hash", nil, strings.Replace(declared, "BOOK", "TERMS", 1)},
		{"is declared as rws-3cp@3, revision 2", nil, strings.Replace(declared, `"revision":1`, `"revision":2`, 1)},
		{"is declared as us-3cp@3", nil, strings.Replace(declared, `rws-3cp@3`, `us-3cp@3`, 1)},
		{"is recorded again", []string{declared}, declared},
		{"have the hash", []string{declared}, strings.Replace(stated, "TERMS", "LATER", 1)},
		{"which is not recorded before them", nil, stated},
		{"which is not recorded before them", []string{declared}, strings.Replace(stated, `"book_hash":"BOOK"`, `"book_hash":"OTHERBOOK"`, 1)},
		{"are recorded again", []string{declared, stated}, stated},
		{"which are not recorded before", []string{declared}, installed},
		{"is installed again", floor, installed},
		{"it is not on the floor", floor, `house rules-changed {"table":"X","from_round":1,"rules_hash":"TERMS","before":{"rules_hash":"TERMS"}}`},
		{"those in force are", floor, `house rules-changed {"table":"T","from_round":1,"rules_hash":"TERMS","before":{"rules_hash":"LATER"}}`},
		{"round 1 has begun", with(floor, opened), `house rules-changed {"table":"T","from_round":1,"rules_hash":"TERMS","before":{"rules_hash":"TERMS"}}`},
		{"and from round 2 by rules of us-3cp", with(floor,
			`house book-declared {"book":"us-3cp","revision":2,"book_hash":"OTHERBOOK","declaration":`+quoted(otherBook)+`}`,
			`house terms-stated {"book_hash":"OTHERBOOK","rules_hash":"OTHERS","terms":`+quoted(others)+`}`,
		), `house rules-changed {"table":"T","from_round":2,"rules_hash":"OTHERS","before":{"rules_hash":"TERMS"}}`},
		{"is carried over from", floor, `house rules-carried-over {"table":"T","from_round":1,"book_hash":"OTHERBOOK","rules_hash":"TERMS","before":{"book_hash":"BOOK","rules_hash":"TERMS"}}`},
		{"is carried over from", floor, `house rules-carried-over {"table":"T","from_round":1,"book_hash":"BOOK","rules_hash":"TERMS","before":{"book_hash":"OTHERBOOK","rules_hash":"TERMS"}}`},

		// What two people decide.
		{"nobody asked for this", floor, `house approved {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`},
		{"nobody asked for this", with(floor, `house proposed {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#1","role":"shift-manager"}}`), `house approved {"id":1,"kind":"fill","body":{"table":"T","amount":6},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`},
		{"nobody asked for this", with(floor, `house proposed {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#1","role":"shift-manager"}}`), `house approved {"id":1,"kind":"credit","body":{"table":"T","amount":5},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`},
		{"nobody asked for this", with(floor, `house proposed {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#1","role":"shift-manager"}}`), `house approved {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}`},
		{"who asked for it", with(floor, `house proposed {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#1","role":"shift-manager"}}`), `house approved {"id":1,"kind":"fill","body":{"table":"T","amount":5},"by":{"name":"#1","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`},
		{"moves $12.00 in chips of 1199 minor units", with(floor, asked("credit", `"chips":[{"chip":1,"count":199},{"chip":500,"count":2}]`)), agreed("credit", `"chips":[{"chip":1,"count":199},{"chip":500,"count":2}]`)},
		{"moves $12.00 in chips of 1201 minor units", with(floor, asked("fill", `"chips":[{"chip":1,"count":201},{"chip":500,"count":2}]`)), agreed("fill", `"chips":[{"chip":1,"count":201},{"chip":500,"count":2}]`)},
		{"has 0 chips of $1.00 after those of $0.00", with(floor, asked("credit", `"chips":[{"chip":100,"count":0},{"chip":600,"count":2}]`)), agreed("credit", `"chips":[{"chip":100,"count":0},{"chip":600,"count":2}]`)},
		{"has -2 chips of $1.00 after those of $0.00", with(floor, asked("fill", `"chips":[{"chip":100,"count":-2},{"chip":700,"count":2}]`)), agreed("fill", `"chips":[{"chip":100,"count":-2},{"chip":700,"count":2}]`)},
		{"has 1 chips of $6.00 after those of $6.00", with(floor, asked("credit", `"chips":[{"chip":600,"count":1},{"chip":600,"count":1}]`)), agreed("credit", `"chips":[{"chip":600,"count":1},{"chip":600,"count":1}]`)},
		{"is declined, and does not wait", floor, `house declined {"id":1,"by":{"name":"#2"}}`},
		{"nobody asked for this", with(floor, `house proposed {"id":1,"kind":"fill","body":{},"by":{"name":"#1","role":"shift-manager"}}`, `house declined {"id":1,"by":{"name":"#2","role":"shift-manager"}}`), `house approved {"id":1,"kind":"fill","body":{},"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`},

		// The course of rounds.
		{"was never installed", nil, opened},
		{"cannot be read", floor, `table:T bets-opened {"round":"one"}`},
		{"follows round 0", floor, `table:T bets-opened {"round":2}`},
		{"has no end", with(floor, opened), `table:T bets-opened {"round":2}`},
		{"the seed that is committed to is that of round 0", floor, `table:V bets-opened {"round":1}`},
		{"is placed when none is taken", floor, ante},
		{"is placed when none is taken", with(playing, closed), ante},
		{"$-10.00 is laid on box 1", playing, `table:T stake-found {"box":1,"player":"#1","wager":"ante","amount":-1000}`},
		{"is laid on box 1", with(playing, closed, alone), `table:T hand-raised {"box":1,"player":"#1","wager":"play","amount":1000}`},
		{"is closed with $10.00 on its layout", playing, `table:T table-closed {}`},
		{"progressive bets lie on table T in round 1, and 0 are in the jackpot", with(playing, progressive), closed},
		{"takes boxes out of the round", playing, `table:T reported {"report":{"incident":"x"},"outcome":"continue","boxes":[1]}`},
		{"whose bets did not go back", playing, `table:T reported {"report":{"incident":"x"},"outcome":"invalidate","boxes":[1]}`},
		{"that is not open", playing, `table:T question-answered {"key":"facts","by":{"name":"#2"}}`},
		{"and confirms the report", with(playing, `table:T question-asked {"question":{"key":"facts","by":{"name":"#2"}}}`), `table:T question-answered {"key":"facts","by":{"name":"#2"}}`},
		{"was interrupted", playing, `table:T reported {"report":{"incident":"interruption"},"outcome":"void","clause":"5.7.1"}`},
		// The outcome of another incident is no outcome of an interruption.
		{"was interrupted", playing, `table:T reported {"report":{"incident":"interruption"},"outcome":"void","clause":"5.8.5"}`},

		// Cards.
		{"is dealt twice", with(playing, cards), `table:T cards-dealt {"cards":[{"card":"As","place":"dealer"}]}`},
		{"a card that nobody knows", onV, `table:V cards-dealt {"cards":[{"card":"??","place":"1"}]}`},
		{"deals its own cards", with(onV, `table:V cards-dealt {"cards":[{"card":"As","place":"1","face_up":true}]}`), `table:V cards-exposed {"slots":[0],"cards":["Ks"],"corrected":true}`},
		{"lies open twice", with(playing, `table:T cards-dealt {"cards":[{"card":"As","place":"1","face_up":true},{"card":"Kd","place":"1","face_up":true}]}`), `table:T cards-exposed {"slots":[0],"cards":["Kd"],"corrected":true}`},
		{"lies face down, and is corrected", with(playing, cards), `table:T cards-exposed {"slots":[0],"cards":["2c"],"corrected":true}`},
		{"is As, and then 2c", with(playing, cards), `table:T cards-exposed {"slots":[0],"cards":["2c"]}`},
		{"a hand of 2 cards is turned", with(playing, cards), `table:T hand-shown {"place":"1","hand":["As","Kd"]}`},
		{"was never dealt", with(playing, cards), `table:T cards-moved {"moves":[{"slot":3,"to":"2"}]}`},
		{"was never dealt", playing, `table:T cards-exposed {"slots":[-1],"cards":["2c"]}`},

		// Lines.
		{"has a negative amount", playing, `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":-1,"returned":999}]}`},
		{"goes back on a line that says lose", playing, `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":1000,"returned":1}]}`},
		{"says push and pays", playing, `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"push","stake":1000,"pays":1,"returned":1001}]}`},
		{"a line takes $20.00 of ante", playing, `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":2000}]}`},
		{"and its line takes $5.00", playing, `table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":500}]}`},
		{"0 lines settle ante", playing, `table:T settled {"lines":[]}`},
		{"2 lines settle ante", playing, strings.Replace(settled, `[{`, `[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":1000},{`, 1)},
		{"is settled twice", with(playing, alone), settled},
		{"1 lines settle ante", with(playing, alone), settled},
		{"is settled, with a line of box 1", playing, strings.Replace(alone, `"box":1,"lines"`, `"box":2,"lines"`, 1)},
		{"is collected from box 1", playing, `table:T forfeits-collected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"returned":1000}]}`},
		{"is collected from box 1", playing, `table:T forfeits-collected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":400}]}`},
		{"is taken back on box 1", with(playing, `table:T forfeits-collected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":1000}]}`), `table:T hand-invalidated {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000,"reverses":1}]}`},
		{"is taken back on box 1", over, `table:T round-voided {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000,"reverses":2001}]}`},
		{"of $10.00 given back on box 1 of table T $9.00 arrives", playing, `table:T bets-returned {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":900}]}`},
		{"lies on the layout of table T, and its account holds", playing, `table:T bets-returned {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":900}]}`},
		{"the round on table T is given up", playing, `table:T round-voided {"lines":[]}`},
		{"the hand on table T is given up", playing, `table:T hand-invalidated {"box":1,"lines":[]}`},
		{"the round on table T is given up", over, `table:T round-voided {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000,"reverses":1999}]}`},
		{"corrects no payment", playing, `table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","pays":5,"returned":5}]}`},
		{"corrects no payment", over, `table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","pays":5,"returned":6}]}`},
		{"is awarded or collected", over, `table:T payment-corrected {"lines":[{"box":1,"player":"#2","wager":"ante","result":"win","pays":5,"returned":5}]}`},
		{"is collected on box 1", over, `table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":2001}]}`},
		{"is not settled, and its settlement is undone", playing, `table:T settlement-undone {"box":1,"lines":[],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}`},
		{"is taken back on box 1", with(playing, alone), `table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":2001}],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}`},
		{"is undone, and $0.01 of ante on box 1 stays", with(playing, alone), `table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":1999}],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}`},
		{"$9.00 of ante lies on box 1 of table T again", with(playing, alone), `table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":2000}],"stakes":[{"player":"#1","wager":"ante","amount":900}]}`},

		// Seeds.
		{"has a seed and was never installed", nil, committed},
		{"is committed to after that of round 0", floor, `deal:V seed-committed {"round":2,"commitment":"SEED2"}`},
		{"is committed to after that of round 1", seeded, `deal:V seed-committed {"round":2,"commitment":"SEED2"}`},
		{"the seed that is kept for round 1", with(floor, committed), `sealed:V seed-sealed {"round":1,"seed":"5eee"}`},
		{"the seed that is kept for round 2", with(floor, committed), `sealed:V seed-sealed {"round":2,"seed":"5eed"}`},
		{"the seed that is kept for round 1", with(floor, committed), `sealed:V seed-sealed {"round":1,"seed":"5eed","key":"k","cipher":"c"}`},
		{"which it does not need", floor, covered},
		{"which it does not need", with(seeded, covered), covered},
		{"which it does not need", seeded, `deal:V commitment-covered {"round":2}`},
		{"when none is taken", floor, `deal:V seed-added {"round":1}`},
		{"when none is taken", with(onV, `table:V bets-closed {}`), `deal:V seed-added {"round":1}`},
		{"is revealed in round 1", onV, `deal:V seed-revealed {"round":1,"seed":"5eed"}`},
		{"is not the one committed to", with(onV, `table:V table-closed {}`), `deal:V seed-revealed {"round":1,"seed":"5eee"}`},
		{"is not the one committed to", with(floor, committed, `table:V bets-opened {"round":1}`, `table:V table-closed {}`), `deal:V seed-revealed {"round":1,"seed":"5eed"}`},

		// The meter.
		{"has a rate of 1 in 0", nil, `jackpot:J opened {"terms":{"rate":{"num":1,"den":0}}}`},
		{"was never opened on terms", nil, put},
		{"under a ceiling of", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":6,"stake":3000,"to_meter":1200}`},
		{"under a ceiling of", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":100,"to_reserve":100}`},
		{"bets of jackpot J are", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":2,"stake":500,"to_meter":200}`},
		{"and 201 was moved", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":201}`},
		{"and 199 was moved", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":199}`},
		{"1 bets more are taken out", with(floor, put), `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":2,"from_meter":200}`},
		{"and its event says", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":200,"balance":{"meter":1201,"reserve":300}}`},
		{"and its event says", floor, `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":200,"balance":{"meter":1200,"reserve":299}}`},
		{"showed $10.00 when it failed", floor, `jackpot:J system-went-down {"registered":999}`},
		{"and an adjustment says", floor, `jackpot:J adjusted {"pot":"meter","before":999,"after":1100,"approvers":{"first":"#1","second":"#2"}}`},
		{"and an adjustment says", floor, `jackpot:J adjusted {"pot":"reserve","before":1000,"after":1100,"approvers":{"first":"#1","second":"#2"}}`},
		{"is adjusted by", floor, `jackpot:J adjusted {"pot":"meter","before":1000,"after":1100,"approvers":{"first":"#1","second":"#1"}}`},
		{"is adjusted by", floor, `jackpot:J adjusted {"pot":"meter","before":1000,"after":1100,"approvers":{"first":"#1"}}`},
		{"is adjusted by", floor, `jackpot:J adjusted {"pot":"meter","before":1000,"after":1100,"approvers":{"second":"#1"}}`},

		// Hits, in their order.
		{"a second time, or without a bet", floor, dealt},
		{"a second time, or without a bet", with(floor, put, dealt), dealt},
		{"and were not dealt", with(floor, put), known},
		{"does not know its hands", with(floor, put, dealt), `jackpot:J round-closed {"round":{"table":"T","round":"1"}}`},
		{"and box 1 waits for jackpot J", waiting, `jackpot:J round-closed {"round":{"table":"T","round":"1"}}`},
		{"is in the order of jackpot J already", waiting, hit},
		{"and was never taken out of it", floor, `jackpot:J hit-reinstated {"hit":{"table":"T","round":"1","box":1}}`},
		{"and was never taken out of it", with(waiting, `jackpot:J hit-forfeited {"hit":{"table":"T","round":"1","box":1}}`, hit), `jackpot:J hit-reinstated {"hit":{"table":"T","round":"1","box":1}}`},
		{"which does not wait for it", floor, strings.NewReplacer("1200", "1000").Replace(paid)},
		{"before box 1 of table T", with(waiting, hit2), strings.Replace(paid, `"box":1`, `"box":2`, 1)},
		{"before the hands of round 1 of table V are known", with(floor, put,
			`jackpot:J contributed {"round":{"table":"V","round":"1"},"bets":0,"stake":0}`,
			`jackpot:J round-dealt {"round":{"table":"V","round":"1"},"dealt":{"at_ms":9}}`, dealt, known, hit), paid},
		{"shows $12.00 and pays $12.01", waiting, strings.Replace(paid, `"amount":1200`, `"amount":1201`, 1)},
		{"of it from a meter of $12.00", waiting, strings.NewReplacer(`"from_meter":1200`, `"from_meter":1100,"from_house":100`).Replace(paid)},
		{"below $10.00", waiting, strings.Replace(paid, `"reset_by_house":700`, `"reset_by_house":699`, 1)},

		// Payments that two people verify.
		{"verified from $15.00 on", held, strings.Replace(paidMore, `,"winner":"#1","held":true`, ``, 1)},
		{"verified from $15.00 on", held, strings.Replace(paidMore, `,"held":true`, ``, 1)},
		{"verified from $15.00 on", waiting, strings.Replace(paid, `}`, `},"winner":"#1"`, 1)},
		{"are verified for #1 by", floor, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1600,"held":true,"approvers":{"first":"#2","second":"#3"}}`},
		{"are verified for #2 by", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#2","amount":1600,"held":true,"approvers":{"first":"#2","second":"#3"}}`},
		{"$16.01 of box 1", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1601,"held":true,"approvers":{"first":"#2","second":"#3"}}`},
		{"are verified for  by", floor, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"approvers":{"first":"#2","second":"#3"}}`},
		{"are verified for #1 by", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1600,"held":true,"approvers":{"first":"#2"}}`},
		{"are verified for #1 by", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1600,"held":true,"approvers":{"second":"#2"}}`},
		// At 15.00 it is due, and where a deck proves the hand nothing is held.
		{"verified from $15.00 on", with(waiting, `jackpot:J adjusted {"pot":"meter","before":1200,"after":1500,"approvers":{"first":"#1","second":"#2"}}`), strings.ReplaceAll(paid, "1200", "1500")},
		{"verified from $15.00 on", with(floor, `jackpot:J adjusted {"pot":"meter","before":1000,"after":1600,"approvers":{"first":"#1","second":"#2"}}`,
			strings.Replace(hit, `"table":"T"`, `"table":"V"`, 1)), strings.Replace(paidMore, `"table":"T"`, `"table":"V"`, 1)},
		{"are verified for #1 by", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1600,"approvers":{"first":"#2","second":"#3"}}`},
		{"are verified for #1 by", kept, `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":1600,"held":true,"approvers":{"first":"#2","second":"#2"}}`},
		{"is denied by", waiting, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"clause":"4.9","approvers":{"first":"#2","second":"#3"}}`},
		{"is denied by", kept, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1600,"to_meter":1600,"reset_to_house":700,"to_reserve":300,"clause":"4.9","payable":"#1","approvers":{"first":"#2"}}`},
		{"and holds it for", kept, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1600,"to_meter":1600,"reset_to_house":700,"to_reserve":300,"clause":"4.9","payable":"#4","approvers":{"first":"#2","second":"#3"}}`},
		{"and holds it for", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":700,"to_reserve":300,"payable":"#1"}`},

		// Payments that are collected again.
		{"which it has not paid", waiting, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200}`},
		{"and collects $12.00 and", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1199,"to_meter":1200,"reset_to_house":700,"to_reserve":300}`},
		{"and collects $11.99 and", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1199,"reset_to_house":700,"to_reserve":300}`},
		{
			"which it has not paid", with(won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":700,"to_reserve":300}`),
			`jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":700,"to_reserve":300}`,
		},
		{"and collects $11.99", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1199,"to_meter":1199,"reset_to_house":700,"to_reserve":300}`},
		{"and collects $12.00 and $0.01", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"to_house":1,"reset_to_house":700,"to_reserve":300}`},
		{"by the house, which takes $7.01 back", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":701,"to_reserve":300}`},
		{"of its reserve, which takes $3.01 back", won, `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":700,"to_reserve":301}`},
		{"and is left with less than $10.00", with(waiting, strings.Replace(paid, `"reset_by_house":700`, `"reset_by_house":2000`, 1)), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1200,"reset_to_house":2000,"to_reserve":700}`},
	} {
		t.Run(test.want, func(t *testing.T) {
			lines := with(test.before, test.last)
			found := read(t, lines, nil)
			for seq, all := range found {
				for _, what := range all {
					if seq < int64(len(lines)) && !strings.Contains(what, "and the postings") && !strings.Contains(what, "holds $-") {
						t.Errorf("transaction %d, %s, is found before: %s", seq, lines[seq-1], what)
					}
				}
			}
			if !hasLike(found[int64(len(lines))], test.want) {
				t.Errorf("%s\nis found to be %q, and nothing like %q", test.last, found[int64(len(lines))], test.want)
			}
		})
	}
}

// What does not stand in an event is guarded too: the number of a transaction, its key, its
// command and its postings.
func TestEachGuardOfATransactionBites(t *testing.T) {
	player, cash := ledger.Account{Kind: ledger.Player, Of: "#1"}, ledger.Account{Kind: ledger.Cash}
	commanded := func(kind, body string) func(*house.StoredTransaction) {
		return func(e *house.StoredTransaction) { e.Cause.Kind, e.Cause.Body = kind, []byte(body) }
	}
	for want, alter := range map[string]func(*house.StoredTransaction){
		"transaction 6 follows transaction 4":                        func(e *house.StoredTransaction) { e.Seq++ },
		"transaction 4 follows transaction 4":                        func(e *house.StoredTransaction) { e.Seq-- },
		"transaction 3 follows transaction 4":                        func(e *house.StoredTransaction) { e.Seq -= 2 },
		"and it follows 5":                                           func(e *house.StoredTransaction) { e.Parts[0].After = 5 },
		"and it follows 3":                                           func(e *house.StoredTransaction) { e.Parts[0].After = 3 },
		"the cause cannot be read":                                   commanded("drain", `{"more":1}`),
		"buy-in cannot be read":                                      commanded("buy-in", `{"player":"#1","amount":"5"}`),
		"player:#1 holds $-0.05":                                     commanded("cash-out", `{"player":"#1","amount":5}`),
		"the events move $0.05 on player:#1, and the postings $0.00": commanded("buy-in", `{"player":"#1","amount":5}`),
		"the events move $0.00 on cash, and the postings $0.05": func(e *house.StoredTransaction) {
			e.Postings = []ledger.Posting{{From: cash, To: player, Amount: 5, For: ledger.Reference{Reason: ledger.BuyIn}}}
		},
		"a posting moves $0.00": func(e *house.StoredTransaction) {
			e.Postings = []ledger.Posting{{From: cash, To: player, For: ledger.Reference{Reason: ledger.BuyIn}}}
		},
		"a posting moves $-0.05": func(e *house.StoredTransaction) {
			e.Postings = []ledger.Posting{{From: cash, To: player, Amount: -5, For: ledger.Reference{Reason: ledger.BuyIn}}}
		},
	} {
		t.Run(want, func(t *testing.T) {
			lines := with(floor[:4], `house drained {}`)
			if found := read(t, lines, nil); len(found) > 0 {
				t.Fatalf("as it is, %v is found", found)
			}
			all := read(t, lines, alter)
			if !hasLike(append(append(append(all[3], all[4]...), all[5]...), all[6]...), want) {
				t.Errorf("it finds %v, and nothing like %q", all, want)
			}
		})
	}
	t.Run("a key twice", func(t *testing.T) {
		a := auditor.New()
		for seq := range int64(2) {
			a.Read(house.StoredTransaction{Seq: seq + 1, Key: "k", Cause: house.Cause{Kind: "drain", Body: []byte("{}")}})
		}
		if found := a.Findings(); len(found) != 1 || found[0].What != "its key was used by transaction 1" {
			t.Errorf("found %v", found)
		}
	})
}

// An event that is not of its form is found, whichever it is, and never passed over.
func TestWhatCannotBeReadIsFound(t *testing.T) {
	for stream, kinds := range map[string]string{
		"house":     "table-installed book-declared terms-stated rules-changed rules-carried-over proposed approved declined restored",
		"table:T":   "bets-opened bet-placed hand-raised stake-found cards-dealt cards-moved cards-exposed hand-shown dealer-shown payment-corrected settlement-undone settled round-voided question-asked question-answered reported",
		"jackpot:J": "contributed adjusted round-determined order-determined",
		"deal:V":    "seed-committed",
		"sealed:V":  "seed-sealed",
	} {
		for kind := range strings.FieldsSeq(kinds) {
			body := "[]"
			if strings.HasSuffix(kind, "-determined") {
				body = `{"after":[]}`
			}
			lines := with(floor, stream+" "+kind+" "+body)
			if found := read(t, lines, nil); !hasLike(found[int64(len(lines))], kind+" of "+stream+" cannot be read") {
				t.Errorf("%s: found %v", kind, found)
			}
		}
	}
	for _, text := range []string{
		`house book-declared {"declaration":"no JSON"}`,
		`house terms-stated {"terms":"no JSON"}`,
	} {
		if found := read(t, []string{text}, nil); !hasLike(found[1], "cannot be read") {
			t.Errorf("%s: found %v", text, found)
		}
	}
	// What two people agreed upon moves money: it has to be read as well.
	lines := with(floor, `house proposed {"id":1,"kind":"fill","body":[],"by":{"name":"#1","role":"shift-manager"}}`, `house approved {"id":1,"kind":"fill","body":[],"by":{"name":"#2","role":"shift-manager"},"of":{"name":"#1","role":"shift-manager"}}`)
	if found := read(t, lines, nil); !hasLike(found[int64(len(lines))], "approved of house cannot be read") {
		t.Errorf("found %v", found)
	}
}

// Balances that somebody else keeps are held against the record, each and all together.
func TestComparedBalancesBite(t *testing.T) {
	for want, balances := range map[string]map[string]int64{
		"player:#1 holds $0.00 by the record, and $0.05 by the store": {"player:#1": 5, "player:#2": -5},
		"the accounts of the store are out of balance by $0.05":       {"player:#1": 5},
	} {
		a := auditor.New()
		a.Compare("the store", balances)
		var found []string
		for _, f := range a.Findings() {
			found = append(found, f.Error())
		}
		if !hasLike(found, want) {
			t.Errorf("found %q, and nothing like %q", found, want)
		}
	}
}

// A jackpot that is out of order pays what was registered.
func TestADownJackpotPaysWhatIsRegistered(t *testing.T) {
	lines := with(waiting, `jackpot:J system-went-down {"registered":1200}`, `jackpot:J adjusted {"pot":"meter","before":1200,"after":1100,"approvers":{"first":"#1","second":"#2"}}`)
	down := strings.NewReplacer(`"from_meter":1200`, `"from_meter":1100,"from_house":100`).Replace(paid)
	if found := read(t, with(lines, down), nil)[int64(len(lines)+1)]; hasLike(found, "and pays") {
		t.Errorf("found %q", found)
	}
	if found := read(t, with(lines, strings.ReplaceAll(paid, "1200", "1100")), nil)[int64(len(lines)+1)]; !hasLike(found, "shows $12.00 and pays $11.00") {
		t.Errorf("found %q", found)
	}
}

// At a table times go on, whatever the clock of a machine did: an earlier one would put a hand
// before another, or a deadline later.
func TestTimesGoOnAtATable(t *testing.T) {
	for atMs, want := range map[int64]int{20: 0, 21: 0, 19: 1} {
		a, versions := auditor.New(), map[string]int64{}
		for i, line := range with(floor, opened, closed) {
			e := transaction(t, int64(i+1), line, versions)
			if i >= len(floor) {
				e.AtMs = 20
			}
			if i == len(floor)+1 {
				e.AtMs = atMs
			}
			a.Read(e)
		}
		found := slices.DeleteFunc(a.Findings(), func(f auditor.Finding) bool { return !strings.Contains(f.What, "times go on") })
		if len(found) != want {
			t.Errorf("at %d ms after 20: found %v", atMs, found)
		}
	}
}
