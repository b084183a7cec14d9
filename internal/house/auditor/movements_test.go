package auditor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/money"
)

// A whole record is transactions of lines: events as above or "cage KIND BODY" for a command
// of a cashier, and after "=>" what is posted, "from>to amount" each.

// transaction reads one of them.
func transaction(t *testing.T, seq int64, text string, versions map[string]int64) house.StoredTransaction {
	t.Helper()
	e := house.StoredTransaction{Seq: seq, Key: fmt.Sprint("key ", seq), Cause: house.Cause{By: "#9", Role: "dealer", Kind: "drain", Body: []byte("{}")}}
	for line := range strings.Lines(filled.Replace(text)) {
		line = strings.TrimSpace(line)
		if moves, ok := strings.CutPrefix(line, "=> "); ok {
			for move := range strings.SplitSeq(moves, ", ") {
				e.Postings = append(e.Postings, posting(t, move))
			}
			continue
		}
		stream, rest, _ := strings.Cut(line, " ")
		kind, body, ok := strings.Cut(rest, " ")
		switch {
		case !ok:
			t.Fatalf("%q is no event", line)
		case stream == "cage":
			e.Cause = house.Cause{By: "#9", Role: "cashier", Kind: kind, Body: []byte(body)}
			continue
		}
		event := house.Event{Kind: kind, Body: []byte(body)}
		if last := len(e.Parts) - 1; last >= 0 && e.Parts[last].Stream == stream {
			e.Parts[last].Events = append(e.Parts[last].Events, event)
		} else {
			e.Parts = append(e.Parts, house.StreamAppend{Stream: stream, After: versions[stream], Events: []house.Event{event}})
		}
		versions[stream]++
	}
	return e
}

func posting(t *testing.T, move string) ledger.Posting {
	t.Helper()
	sides, amount, _ := strings.Cut(move, " ")
	n, err := strconv.ParseInt(amount, 10, 64)
	if err != nil {
		t.Fatalf("%q is no posting: %v", move, err)
	}
	p := ledger.Posting{Amount: money.Amount(n)}
	from, to, _ := strings.Cut(sides, ">")
	for text, side := range map[string]*ledger.Account{from: &p.From, to: &p.To} {
		if *side, err = ledger.ParseAccount(text); err != nil {
			t.Fatalf("%q is no posting: %v", move, err)
		}
	}
	return p
}

// Pieces of whole records.
var (
	wholeFloor = []string{
		declared, stated, installed, virtual,
		`jackpot:J opened {"terms":{"bet":500,"reset":1000,"ceiling":2000,"verify_from":1500,"rate":{"num":2,"den":5}},"meter":1900,"reserve":300}
			=> house>meter:J 1900, house>reserve:J 300`,
		`cage buy-in {"player":"#1","amount":10000}
			=> cash>player:#1 10000`,
		`cage buy-in {"player":"#2","amount":10000}
			=> cash>player:#2 10000`,
		`table:T bets-opened {"round":1}`,
	}
	// #1 bets 10.00 and one bet in the jackpot.
	wholeBets = with(wholeFloor,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":600}
			=> player:#1>layout:T 600`,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":400}
			=> player:#1>layout:T 400`,
		`table:T bet-placed {"box":1,"player":"#1","wager":"progressive","amount":500}
			=> player:#1>layout:T 500`)
	// The meter reaches its ceiling, and the rest of the contribution goes to the reserve.
	wholeDeal = with(wholeBets,
		`table:T bets-closed {}
		jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":100,"to_reserve":100,"balance":{"meter":2000,"reserve":400}}
			=> win:T>meter:J 100, win:T>reserve:J 100`,
		`table:T cards-dealt {"cards":[{"card":"??","place":"1"},{"card":"??","place":"1"},{"card":"??","place":"1"}]}
		jackpot:J round-dealt {"round":{"table":"T","round":"1"},"dealt":{"at_ms":10}}`,
		`jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":1},"dealt":{"at_ms":10}}
		jackpot:J round-known {"round":{"table":"T","round":"1"}}`)
	// It is paid, starts again from the reserve, and the sum is held.
	wholeWin = with(wholeDeal,
		`table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":1000,"returned":2000},{"box":1,"player":"#1","wager":"progressive","result":"win","stake":500,"pays":2000,"returned":2000}]}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":2000,"from_meter":2000,"reset_by_house":1000,"reset_from_reserve":400,"winner":"#1","held":true,"balance":{"meter":1400,"reserve":0}}
			=> layout:T>win:T 1000, win:T>player:#1 2000, layout:T>win:T 500, win:T>player:#1 2000, meter:J>win:T 2000, house>meter:J 1000, reserve:J>meter:J 400, player:#1>payable:J 2000`)
	wholeVerified = with(wholeWin,
		`jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":2000,"held":true,"approvers":{"first":"#2","second":"#3"}}
			=> payable:J>player:#1 2000`)
)

// The whole round is void after that: all of it goes back.
const (
	wholeVoid = `table:T round-voided {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000,"reverses":2000},{"box":1,"player":"#1","wager":"progressive","result":"returned","stake":500,"returned":500,"reverses":2000}]}
		jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":1000,"to_reserve":400,PAYABLE"balance":{"meter":2000,"reserve":400}}
		jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":100,"from_reserve":100,"balance":{"meter":1900,"reserve":300}}
			=> player:#1>win:T 1000, player:#1>win:T 1500, win:T>meter:J 2000, meter:J>house 1000, meter:J>reserve:J 400, meter:J>win:T 100, reserve:J>win:T 100`
	onTop = `"amount":1200,"from_meter":1100,"from_house":100,"reset_by_house":1000`
)

// A record in which the system fails at a meter of 12.00, of which 1.00 is taken out by two.
var wholeDown = []string{
	declared, stated, installed,
	`jackpot:J opened {"terms":{"bet":500,"reset":1000,"ceiling":2000,"rate":{"num":2,"den":5}},"meter":1000,"reserve":300}
		=> house>meter:J 1000, house>reserve:J 300`,
	`cage buy-in {"player":"#1","amount":10000}
		=> cash>player:#1 10000`,
	`table:T bets-opened {"round":1}`,
	`table:T bet-placed {"box":1,"player":"#1","wager":"progressive","amount":500}
		=> player:#1>layout:T 500`,
	`table:T bets-closed {}
	jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_meter":200,"balance":{"meter":1200,"reserve":300}}
		=> win:T>meter:J 200`,
	`jackpot:J system-went-down {"registered":1200}`,
	`jackpot:J adjusted {"pot":"meter","before":1200,"after":1100,"approvers":{"first":"#2","second":"#3"}}
		=> meter:J>house 100`,
	`jackpot:J adjusted {"pot":"reserve","before":300,"after":350,"approvers":{"first":"#2","second":"#3"}}
		=> house>reserve:J 50`,
	`jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":1},"dealt":{"at_ms":10}}`,
}

// wholeRecords are records against which nothing speaks.
var wholeRecords = map[string][]string{
	"a ceiling, and a payment that is verified": with(wholeVerified,
		`cage cash-out {"player":"#1","amount":12500}
			=> player:#1>cash 12500`),
	"a payment from the reserve that is denied": with(wholeWin,
		`jackpot:J round-closed {"round":{"table":"T","round":"1"}}`,
		`jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":1000,"to_reserve":400,"clause":"rws-3cp@3 4.9","payable":"#1","approvers":{"first":"#2","second":"#3"},"balance":{"meter":2000,"reserve":400}}
			=> payable:J>meter:J 2000, meter:J>house 1000, meter:J>reserve:J 400`),
	"a payment that is collected when it was verified": with(wholeVerified, strings.Replace(wholeVoid, "PAYABLE", "", 1),
		`table:T table-closed {}
		jackpot:J round-closed {"round":{"table":"T","round":"1"}}`),
	"a payment that is collected while it is held": with(wholeWin, strings.NewReplacer("PAYABLE", `"payable":"#1",`, "=> ", "=> payable:J>player:#1 2000, ").Replace(wholeVoid)),
	"a payment that comes back into the order": with(wholeVerified,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"returned","reverses":2000}]}
		jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":1000,"to_reserve":400,"balance":{"meter":2000,"reserve":400}}
			=> player:#1>win:T 2000, win:T>meter:J 2000, meter:J>house 1000, meter:J>reserve:J 400`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"win","pays":2000,"returned":2000}]}
		jackpot:J hit-reinstated {"hit":{"table":"T","round":"1","box":1}}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":2000,"from_meter":2000,"reset_by_house":1000,"reset_from_reserve":400,"winner":"#1","held":true,"new_terms":{"bet":500,"reset":1400,"ceiling":1500,"rate":{"num":1,"den":5}},"balance":{"meter":1400,"reserve":0}}
			=> win:T>player:#1 2000, meter:J>win:T 2000, house>meter:J 1000, reserve:J>meter:J 400, player:#1>payable:J 2000`,
		// From then on the new terms count: a fifth of each bet, up to 15.00.
		`jackpot:J round-closed {"round":{"table":"T","round":"1"}}`,
		`jackpot:J contributed {"round":{"table":"T","round":"2"},"bets":2,"stake":1000,"to_meter":100,"to_reserve":100,"balance":{"meter":1500,"reserve":100}}
			=> win:T>meter:J 100, win:T>reserve:J 100`),
	// The house makes good what the meter lacks of the sum that was registered. What is
	// collected again goes back to both, and the same sum is due once more.
	"a payment while the system is down": with(wholeDown,
		`table:T box-settled {"box":1,"lines":[{"box":1,"player":"#1","wager":"progressive","result":"win","stake":500,"pays":1200,"returned":1200}]}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},`+onTop+`,"balance":{"meter":1000,"reserve":350}}
			=> layout:T>win:T 500, win:T>player:#1 1200, meter:J>win:T 1100, house>win:T 100, house>meter:J 1000`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"returned","reverses":1200}]}
		jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1100,"to_house":100,"reset_to_house":1000,"balance":{"meter":1100,"reserve":350}}
			=> player:#1>win:T 1200, win:T>meter:J 1100, win:T>house 100, meter:J>house 1000`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"win","pays":1200,"returned":1200}]}
		jackpot:J hit-reinstated {"hit":{"table":"T","round":"1","box":1}}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},`+onTop+`,"balance":{"meter":1000,"reserve":350}}
			=> win:T>player:#1 1200, meter:J>win:T 1100, house>win:T 100, house>meter:J 1000`,
		`jackpot:J system-came-up {}`),
	// A payment that left the registered value as it was leaves it so when it is collected.
	"a second payment of what was registered": with(wholeDown,
		`jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":2},"dealt":{"at_ms":10,"sequence":1}}`,
		`table:T box-settled {"box":1,"lines":[{"box":1,"player":"#1","wager":"progressive","result":"win","stake":500,"pays":1200,"returned":1200}]}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},`+onTop+`,"kept_registered":true,"balance":{"meter":1000,"reserve":350}}
			=> layout:T>win:T 500, win:T>player:#1 1200, meter:J>win:T 1100, house>win:T 100, house>meter:J 1000`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"returned","reverses":1200}]}
		jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":1200,"to_meter":1100,"to_house":100,"reset_to_house":1000,"balance":{"meter":1100,"reserve":350}}
			=> player:#1>win:T 1200, win:T>meter:J 1100, win:T>house 100, meter:J>house 1000`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"win","pays":1200,"returned":1200}]}
		jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":2},`+onTop+`,"balance":{"meter":1000,"reserve":350}}
			=> win:T>player:#1 1200, meter:J>win:T 1100, house>win:T 100, house>meter:J 1000`),

	// Bets that lie, are changed, go back and are collected.
	"bets that are found, raised and given back": with(wholeFloor,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}
			=> player:#1>layout:T 1000`,
		`table:T stake-found {"box":1,"player":"#1","wager":"ante","amount":700}
			=> layout:T>player:#1 300`,
		`table:T bet-placed {"box":1,"player":"#1","wager":"pair-plus","amount":200}
			=> player:#1>layout:T 200`,
		`table:T bets-closed {}`,
		`table:T bets-returned {"lines":[{"box":1,"player":"#1","wager":"pair-plus","result":"returned","stake":150,"returned":150}]}
			=> layout:T>player:#1 150`,
		`table:T hand-raised {"box":1,"player":"#1","wager":"play","amount":700}
			=> player:#1>layout:T 700`,
		`table:T round-voided {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":700,"returned":700},{"box":1,"player":"#1","wager":"pair-plus","result":"returned","stake":50,"returned":50},{"box":1,"player":"#1","wager":"play","result":"returned","stake":700,"returned":700}]}
			=> layout:T>player:#1 700, layout:T>player:#1 50, layout:T>player:#1 700`,
		`table:T bets-opened {"round":2}`),
	"bets that are collected and given back": with(wholeFloor,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}
			=> player:#1>layout:T 1000`,
		`table:T bet-placed {"box":1,"player":"#1","wager":"pair-plus","amount":500}
			=> player:#1>layout:T 500`,
		`table:T bets-closed {}`,
		// Of the ante 4.00 were never at risk.
		`table:T forfeits-collected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"lose","stake":1000,"returned":400,"excess":400},{"box":1,"player":"#1","wager":"pair-plus","result":"lose","stake":500}]}
			=> layout:T>win:T 1000, win:T>player:#1 400, layout:T>win:T 500`,
		`table:T decision-restored {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":600,"returned":600}]}
			=> win:T>player:#1 600`,
		`table:T hand-invalidated {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":400,"returned":400,"reverses":400},{"box":1,"player":"#1","wager":"pair-plus","result":"returned","stake":500,"returned":500}]}
			=> win:T>player:#1 500`),
	"boxes that are settled alone, undone and settled again": with(wholeFloor,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}
			=> player:#1>layout:T 1000`,
		`table:T bet-placed {"box":2,"player":"#2","wager":"ante","amount":800}
			=> player:#2>layout:T 800`,
		`table:T bets-closed {}`,
		`table:T box-settled {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":3000,"returned":4000}]}
			=> layout:T>win:T 1000, win:T>player:#1 4000`,
		`table:T settled {"lines":[{"box":2,"player":"#2","wager":"ante","result":"lose","stake":800},{"box":2,"player":"#2","wager":"envy","result":"win","pays":70,"returned":70}]}
			=> layout:T>win:T 800, win:T>player:#2 70`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":1000}]}
			=> player:#1>win:T 1000`,
		`table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","pays":250,"returned":250}]}
			=> win:T>player:#1 250`,
		// Of a round that was settled the Envy Bonuses of others go back too.
		`table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":3250},{"box":2,"player":"#2","wager":"envy","result":"returned","reverses":70}],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}
			=> player:#1>win:T 3250, player:#2>win:T 70, win:T>layout:T 1000`,
		`table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"push","stake":1000,"returned":1000}]}
			=> layout:T>win:T 1000, win:T>player:#1 1000`,
		`table:T hand-invalidated {"box":2,"lines":[{"box":2,"player":"#2","wager":"ante","result":"returned","stake":800,"returned":800}]}
			=> win:T>player:#2 800`,
		`table:T bets-opened {"round":2}`),
	// A player from whom more is collected than they have is lent the rest.
	"a player who owes": with(wholeFloor,
		`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}
			=> player:#1>layout:T 1000`,
		`table:T settled {"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":1000,"returned":2000}]}
			=> layout:T>win:T 1000, win:T>player:#1 2000`,
		`cage cash-out {"player":"#1","amount":10900}
			=> player:#1>cash 10900`,
		`table:T settlement-undone {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","reverses":2000}],"stakes":[{"player":"#1","wager":"ante","amount":1000}]}
			=> player:#1>win:T 2000, win:T>layout:T 1000, owed:#1>player:#1 1900`,
		`table:T round-voided {"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000}]}
			=> layout:T>player:#1 1000`,
		`house proposed {"id":1,"kind":"adjust-account","body":{"player":"#1","cause":"debt-collected","change":-900},"by":{"name":"#3","role":"shift-manager"}}`,
		`house approved {"id":1,"kind":"adjust-account","body":{"player":"#1","cause":"debt-collected","change":-900},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}
			=> player:#1>owed:#1 900`,
		`house proposed {"id":2,"kind":"adjust-account","body":{"player":"#1","cause":"debt-forgiven","change":-1000},"by":{"name":"#3","role":"shift-manager"}}`,
		`house approved {"id":2,"kind":"adjust-account","body":{"player":"#1","cause":"debt-forgiven","change":-1000},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}
			=> house>owed:#1 1000`,
		`house proposed {"id":3,"kind":"adjust-account","body":{"player":"#1","cause":"goodwill","change":50},"by":{"name":"#3","role":"shift-manager"}}`,
		`house approved {"id":3,"kind":"adjust-account","body":{"player":"#1","cause":"goodwill","change":50},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}
			=> house>player:#1 50`),
	"what two people move": with(wholeFloor,
		`house proposed {"id":1,"kind":"fill","body":{"table":"T","amount":700},"by":{"name":"#3","role":"shift-manager"}}`,
		`house approved {"id":1,"kind":"fill","body":{"table":"T","amount":700},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}
			=> house>rack:T 700`,
		`house proposed {"id":2,"kind":"credit","body":{"table":"T","amount":200},"by":{"name":"#3","role":"shift-manager"}}`,
		`house approved {"id":2,"kind":"credit","body":{"table":"T","amount":200},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"shift-manager"}}
			=> rack:T>house 200`,
		`house proposed {"id":3,"kind":"move-cash","body":{"player":"#1","reason":"buy-in","amount":900},"by":{"name":"#3","role":"cashier"}}`,
		`house approved {"id":3,"kind":"move-cash","body":{"player":"#1","reason":"buy-in","amount":900},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"cashier"}}
			=> cash>player:#1 900`,
		`house proposed {"id":4,"kind":"move-cash","body":{"player":"#1","reason":"cash-out","amount":300},"by":{"name":"#3","role":"cashier"}}`,
		`house approved {"id":4,"kind":"move-cash","body":{"player":"#1","reason":"cash-out","amount":300},"by":{"name":"#4","role":"shift-manager"},"of":{"name":"#3","role":"cashier"}}
			=> player:#1>cash 300`,
		`house proposed {"id":5,"kind":"fill","body":{"table":"T","amount":1},"by":{"name":"#3","role":"shift-manager"}}`,
		`house declined {"id":5,"by":{"name":"#4"}}`),
}

// follow reads a whole record. The alteration of a transaction is made before it is read.
func follow(t *testing.T, lines []string, alter func(e *house.StoredTransaction)) *auditor.Auditor {
	t.Helper()
	a, versions := auditor.New(), map[string]int64{}
	for i, line := range lines {
		e := transaction(t, int64(i+1), line, versions)
		agree(t, &e, versions)
		if alter != nil {
			alter(&e)
		}
		a.Read(e)
	}
	return a
}

// agree adds to a transaction in which two people decide about a jackpot what one of them has
// asked for and the other has approved.
func agree(t *testing.T, e *house.StoredTransaction, versions map[string]int64) {
	t.Helper()
	part := house.StreamAppend{Stream: "house", After: versions["house"]}
	for i := range e.Parts {
		for k, event := range e.Parts[i].Events {
			var of struct {
				Pot, Clause   string
				Before, After json.RawMessage
				Hit, Round    map[string]any
				Approvers     *struct{ First, Second string }
			}
			if json.Unmarshal(event.Body, &of) != nil || of.Approvers == nil {
				continue
			}
			kind, body := "", map[string]any{"jackpot": "J"}
			switch event.Kind {
			case "adjusted":
				before, _ := strconv.Atoi(string(of.Before))
				after, _ := strconv.Atoi(string(of.After))
				kind, body["pot"], body["change"] = "adjust-jackpot", of.Pot, after-before
			case "order-determined":
				kind, body["hit"], body["place"] = "determine-order", of.Hit, of.After
			case "round-determined":
				kind, body["hit"], body["place"] = "determine-order", of.Round, of.After
			case "terms-changed":
				kind, body["terms"] = "change-terms", of.After
			case "hit-verified":
				kind, body["hit"] = "verify-jackpot", of.Hit
			case "hit-reversed":
				kind, body["hit"], body["clause"] = "deny-jackpot", of.Hit, strings.TrimPrefix(of.Clause, "rws-3cp@3 ") // who asks names no book
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			about := fmt.Sprintf(`"id":%d,"kind":%q,"body":%s`, 100*e.Seq+int64(k), kind, text)
			asked := fmt.Sprintf(`{"name":%q,"role":"administrator"}`, of.Approvers.First)
			part.Events = append(
				part.Events,
				house.Event{Kind: "proposed", Body: fmt.Appendf(nil, `{%s,"by":%s}`, about, asked)},
				house.Event{Kind: "approved", Body: fmt.Appendf(nil, `{%s,"by":{"name":%q,"role":"shift-manager"},"of":%s}`, about, of.Approvers.Second, asked)},
			)
		}
	}
	if len(part.Events) > 0 {
		e.Parts = append(e.Parts, part)
		versions["house"] += int64(len(part.Events))
	}
}

// Each event moves what was posted, to the cent and in its direction. The auditor finds nothing
// in the records, and finds each posting that is different or missing.
func TestWhatEventsMove(t *testing.T) {
	for name, lines := range wholeRecords {
		t.Run(name, func(t *testing.T) {
			for _, f := range follow(t, lines, nil).Findings() {
				t.Errorf("%v, in\n%s", f, lines[f.Seq-1])
			}
			for seq := range int64(len(lines)) {
				for k := range transaction(t, seq+1, lines[seq], map[string]int64{}).Postings {
					for what, alter := range map[string]func(e *house.StoredTransaction){
						"left out":         func(e *house.StoredTransaction) { e.Postings = slices.Delete(e.Postings, k, k+1) },
						"one cent more":    func(e *house.StoredTransaction) { e.Postings[k].Amount++ },
						"the other way":    func(e *house.StoredTransaction) { p := &e.Postings[k]; p.From, p.To = p.To, p.From },
						"to another place": func(e *house.StoredTransaction) { e.Postings[k].To = ledger.Account{Kind: ledger.Player, Of: "#7"} },
					} {
						found := follow(t, lines, func(e *house.StoredTransaction) {
							if e.Seq == seq+1 {
								alter(e)
							}
						}).Findings()
						if !slices.ContainsFunc(found, func(f auditor.Finding) bool { return f.Seq == seq+1 && strings.Contains(f.What, "the events move") }) {
							t.Errorf("posting %d of transaction %d, %s: found %v", k+1, seq+1, what, found)
						}
					}
				}
			}
		})
	}
}

// What the records come to is worked out by hand.
func TestWhatRecordsComeTo(t *testing.T) {
	for name, want := range map[string]map[string]int64{
		"a ceiling, and a payment that is verified":              {"player:#1": 0, "player:#2": 10000, "meter:J": 1400, "reserve:J": 0, "payable:J": 0, "house": -3200, "win:T": -700, "cash": 7500},
		"a payment from the reserve that is denied":              {"player:#1": 10500, "meter:J": 2000, "reserve:J": 400, "payable:J": 0, "house": -2200, "win:T": -700, "cash": 20000},
		"a payment that is collected when it was verified":       {"player:#1": 10000, "meter:J": 1900, "reserve:J": 300, "house": -2200, "win:T": 0, "cash": 20000},
		"a payment while the system is down":                     {"player:#1": 10700, "meter:J": 1000, "reserve:J": 350, "house": -2350, "win:T": 300, "cash": 10000},
		"a player who owes":                                      {"player:#1": 150, "owed:#1": 0, "house": -3250, "win:T": 0, "cash": 9100},
		"what two people move":                                   {"player:#1": 10600, "rack:T": 500, "house": -2700, "cash": 20600},
		"boxes that are settled alone, undone and settled again": {"player:#1": 10000, "player:#2": 10000, "win:T": 0, "layout:T": 0},
	} {
		a := follow(t, wholeRecords[name], nil)
		for account, held := range want {
			if got := a.Held(account); got != held {
				t.Errorf("%s: %s holds %d, want %d", name, account, got, held)
			}
		}
		if seq, ok := a.Transaction("key 5"); !ok || seq != 5 || a.Keys() != len(wholeRecords[name]) || a.Seq() != int64(a.Keys()) {
			t.Errorf("%s: transaction %d has key 5, %v; %d have a key, the last is %d", name, seq, ok, a.Keys(), a.Seq())
		}
	}
	down := follow(t, wholeRecords["a payment while the system is down"], nil)
	if down.Paid() != 2 || down.Rounds() != 1 {
		t.Errorf("%d hits are paid in %d rounds, want 2 in 1", down.Paid(), down.Rounds())
	}
	// What lies on a layout is interrupted by a stop, and nothing else.
	lines := wholeRecords["boxes that are settled alone, undone and settled again"]
	for at, want := range map[string]map[string]int{
		"bets-opened": {}, "bet-placed": {"T": 1}, "box-settled": {"T": 1}, `settled {"lines":[{"box":2`: {}, "settlement-undone": {"T": 1}, "push": {},
	} {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, at) })
		if got := follow(t, lines[:i+1], nil).Interrupted(); !maps.Equal(got, want) {
			t.Errorf("after %s a stop interrupts %v, want %v", at, got, want)
		}
	}
}

// What is wrong in a whole record is found in its last transaction, and what only looks so is
// not: nothing is wanted of it.
func TestWholeRecordsAreGuarded(t *testing.T) {
	const (
		forfeited   = `jackpot:J hit-forfeited {"hit":{"table":"T","round":"1","box":1}}`
		reinstated  = `jackpot:J hit-reinstated {"hit":{"table":"T","round":"1","box":1}}`
		closed      = `jackpot:J round-closed {"round":{"table":"T","round":"1"}}`
		closedLater = `jackpot:J round-closed {"round":{"table":"T","round":"2"}}`
		closedOther = `jackpot:J round-closed {"round":{"table":"V","round":"1"}}`
		corrected   = `table:T payment-corrected {"lines":[{"box":1,"player":"#1","wager":"progressive","result":"returned","reverses":2000}]}
			=> player:#1>win:T 2000`
		reversed = `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":1000,"to_reserve":400,"balance":{"meter":2000,"reserve":400}}
			=> win:T>meter:J 2000, meter:J>house 1000, meter:J>reserve:J 400`
		denied = `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":1000,"to_reserve":400,"clause":"rws-3cp@3 4.9","payable":"#1","approvers":{"first":"#2","second":"#3"},"balance":{"meter":2000,"reserve":400}}
			=> payable:J>meter:J 2000, meter:J>house 1000, meter:J>reserve:J 400`
		verified = `jackpot:J hit-verified {"hit":{"table":"T","round":"1","box":1},"winner":"#1","amount":2000,"held":true,"approvers":{"first":"#2","second":"#3"}}
			=> payable:J>player:#1 2000`
		paidFromMeter = `jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":2000,"from_meter":2000,"reset_by_house":1000,"reset_from_reserve":400,"winner":"#1","held":true}
			=> meter:J>win:T 2000, house>meter:J 1000, reserve:J>meter:J 400, player:#1>payable:J 2000`
		otherDealt = `jackpot:J contributed {"round":{"table":"V","round":"1"},"bets":0,"stake":0}
			jackpot:J round-dealt {"round":{"table":"V","round":"1"},"dealt":{"at_ms":12}}`
	)
	// The player has been paid by a line, so that the sum can be held.
	lined := with(wholeDeal, `table:T box-settled {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"win","stake":1000,"pays":1000,"returned":2000},{"box":1,"player":"#1","wager":"progressive","result":"win","stake":500,"pays":2000,"returned":2000}]}
		=> layout:T>win:T 1000, win:T>player:#1 2000, layout:T>win:T 500, win:T>player:#1 2000`)
	for _, test := range []struct {
		name, want string
		before     []string
		last       string
	}{
		{"a hit that comes back is paid", "", with(lined, forfeited, reinstated), paidFromMeter},
		{"a hit that is out is not paid", "which does not wait for it", with(lined, forfeited), paidFromMeter},
		{"a hit comes back once", "and was never taken out of it", with(lined, forfeited, reinstated, paidFromMeter), reinstated},
		{"a hit that nobody had comes back", "and was never taken out of it", with(wholeFloor, forfeited), reinstated},
		{"a hit of a closed round comes back", "and was never taken out of it", with(lined, forfeited, closed), reinstated},
		{"a hit comes back when another round is closed", "", with(lined, forfeited, closedLater), reinstated},
		{"a hit comes back when another table's is closed", "", with(lined, forfeited, closedOther), reinstated},
		{"a hit that was denied comes back", "and was never taken out of it", with(wholeWin, closed, denied), reinstated},
		{"a hit waits when another round is closed", "", lined, closedLater},
		{"a hit waits when another table's is closed", "", lined, closedOther},
		{"a payment is collected when another round is closed", "", with(wholeVerified, corrected, closedLater), reversed},
		{"a payment is collected when another table's is closed", "", with(wholeVerified, corrected, closedOther), reversed},
		{"a payment of a closed round is collected", "which it has not paid", with(wholeVerified, corrected, closed), reversed},
		{"a payment is denied before its round is closed", "is denied by", wholeWin, denied},
		{"a payment that nobody holds is denied", "is denied by", with(wholeVerified, closed), denied},
		{"a payment is denied by one person", "is denied by", with(wholeWin, closed), strings.Replace(denied, `"second":"#3"`, `"second":"#2"`, 1)},
		{"a payment is denied by one person, written otherwise", "is denied by", with(wholeWin, closed), strings.Replace(denied, `"second":"#3"`, `"second":" #2 "`, 1)},
		{"a payment is denied twice", "is denied by", with(wholeWin, closed, denied), denied},
		{"a payment is verified twice", "are verified for #1 by", wholeVerified, verified},
		{"a payment is verified when it was denied", "are verified for #1 by", with(wholeWin, closed, denied), verified},
		{"a payment is verified when it was collected", "are verified for #1 by", with(wholeWin, corrected, strings.NewReplacer(`"balance"`, `"payable":"#1","balance"`, "=> ", "=> payable:J>player:#1 2000, ").Replace(reversed)), verified},
		{"bets of a closed round are taken out", "1 bets more are taken out", with(lined, forfeited, closed), `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":200}
			=> meter:J>win:T 200`},
		{"the house makes good what is taken out", "", wholeDeal, `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":50,"from_reserve":100,"from_house":50,"balance":{"meter":1950,"reserve":300}}
			=> meter:J>win:T 50, reserve:J>win:T 100`},
		{"more is taken out than was put in", "and -1 was moved", wholeDeal, `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":101,"from_reserve":100}
			=> meter:J>win:T 101, reserve:J>win:T 100`},
		{"bets are taken out twice", "1 bets more are taken out", with(wholeDeal, `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":100,"from_reserve":100}
			=> meter:J>win:T 100, reserve:J>win:T 100`), `jackpot:J contributions-reversed {"round":{"table":"T","round":"1"},"bets":1,"from_meter":100}
			=> meter:J>win:T 100`},
		{"the house makes good less than is paid", "shows $12.00 and pays $12.00", wholeDown, `jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":1200,"from_meter":1100,"from_house":99,"reset_by_house":1000}
			=> meter:J>win:T 1100, house>win:T 99, house>meter:J 1000`},
		{"what the meter holds is paid when the system is up again", "", with(wholeDown, `jackpot:J system-came-up {}`), `jackpot:J hit-paid {"hit":{"table":"T","round":"1","box":1},"amount":1100,"from_meter":1100,"reset_by_house":1000}
			=> meter:J>win:T 1100, house>meter:J 1000`},
		{"a hand that was dealt later is not known", "", with(lined, otherDealt), paidFromMeter},
		{
			"a hand that was dealt earlier, as two people found, is not known", "before the hands of round 1 of table V are known",
			with(lined, otherDealt, `jackpot:J round-determined {"round":{"table":"V","round":"1"},"after":{"at_ms":9},"approvers":{"first":"#2","second":"#3"}}`), paidFromMeter,
		},
		{"two people put a hit behind another", "before box 2 of table T", with(lined,
			`jackpot:J hit-registered {"hit":{"table":"T","round":"1","box":2},"dealt":{"at_ms":10,"sequence":1}}`,
			`jackpot:J order-determined {"hit":{"table":"T","round":"1","box":1},"after":{"at_ms":10,"sequence":2},"approvers":{"first":"#2","second":"#3"}}`), paidFromMeter},
		{"less is taken back than was reset", "", with(wholeVerified, corrected), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":400}
			=> win:T>meter:J 2000, meter:J>house 400`},
		{"the house takes nothing back, and gives", "which takes $-0.01 back", with(wholeVerified, corrected), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"reset_to_house":-1}
			=> win:T>meter:J 2000, house>meter:J 1`},
		{"the reserve takes nothing back, and gives", "which takes $-0.01 back", with(wholeVerified, corrected), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"to_reserve":-1}
			=> win:T>meter:J 2000, reserve:J>meter:J 1`},
		// What lies above the ceiling afterwards goes to the reserve, and no more.
		{"what lies above the ceiling goes to the reserve", "", with(wholeVerified, corrected), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"to_reserve":1400,"balance":{"meter":2000,"reserve":1400}}
			=> win:T>meter:J 2000, meter:J>reserve:J 1400`},
		{"more than lies above the ceiling goes to the reserve", "which takes $14.01 back", with(wholeVerified, corrected), `jackpot:J hit-reversed {"hit":{"table":"T","round":"1","box":1},"amount":2000,"to_meter":2000,"to_reserve":1401}
			=> win:T>meter:J 2000, meter:J>reserve:J 1401`},

		// The asker may not approve, and an approved proposal is closed.
		{"a proposal is approved twice", "nobody asked for this", wholeRecords["what two people move"][:10], wholeRecords["what two people move"][9]},
		{"nobody proposed it, in no name", "nobody asked for this", wholeFloor, `house approved {"id":9,"by":{"name":"#4"}}`},
		// A report takes a box out once.
		{"a hand that was taken out is out", "", with(wholeFloor,
			`table:T bet-placed {"box":1,"player":"#1","wager":"ante","amount":1000}
				=> player:#1>layout:T 1000`,
			`table:T reported {"report":{"incident":"x"},"outcome":"invalidate","boxes":[1]}
			table:T hand-invalidated {"box":1,"lines":[{"box":1,"player":"#1","wager":"ante","result":"returned","stake":1000,"returned":1000}]}
				=> layout:T>player:#1 1000`), `table:T bets-closed {}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := with(test.before, test.last)
			last := int64(len(lines))
			var found []string
			for _, f := range follow(t, lines, nil).Findings() {
				if f.Seq < last && test.before[f.Seq-1] != forfeited {
					t.Errorf("%v is found before, in\n%s", f, lines[f.Seq-1])
				}
				if f.Seq == last {
					found = append(found, f.What)
				}
			}
			if test.want == "" && len(found) > 0 || test.want != "" && !hasLike(found, test.want) {
				t.Errorf("%s\nis found to be %q, want %q", test.last, found, test.want)
			}
		})
	}
}

// Terms that are none are found, and what follows under them is read all the same.
func TestTermsThatAreNoneAreNotCountedWith(t *testing.T) {
	for _, opened := range []string{`jackpot:J opened {"terms":{"bet":500,"rate":{"num":1,"den":0}}}`, `jackpot:J opened {"meter":1000}`} {
		found := read(t, []string{opened, put, paid}, nil)
		if len(found[1]) == 0 || len(found[2]) == 0 || len(found[3]) == 0 {
			t.Errorf("%s: found %v", opened, found)
		}
	}
}

// What is not shown to an auditor is said, and is not taken for what is missing.
func TestWhatIsNotShown(t *testing.T) {
	e := func(seq, after int64, stream string, withheld bool) house.StoredTransaction {
		return house.StoredTransaction{
			Seq: seq, Cause: house.Cause{Kind: "drain", Body: []byte("{}")},
			Parts: []house.StreamAppend{{Stream: stream, After: after, Withheld: withheld}},
		}
	}
	for name, test := range map[string]struct {
		read []house.StoredTransaction
		want []string
	}{
		"the cause": {[]house.StoredTransaction{{Seq: 1, Withheld: true}}, []string{"who asked for what is not shown"}},
		"the cause of a command about users, which others check": {[]house.StoredTransaction{e(1, 0, "people", true)}, nil},
		"users":   {[]house.StoredTransaction{e(1, 0, "people", true), e(2, 3, "people", false)}, nil},
		"a table": {[]house.StoredTransaction{e(1, 0, "table:X", true)}, []string{"what happened in table:X is not shown, and nothing of it is known"}},
		// There is one event at least in what is not shown, and may be more.
		"fewer events than one": {[]house.StoredTransaction{e(1, 0, "people", true), e(2, 0, "people", false)}, []string{"people has 1 events, and it follows 0"}},
		"a seed of no table":    {[]house.StoredTransaction{e(1, 0, "sealed:X", true)}, nil},
		"more than was shown":   {[]house.StoredTransaction{e(1, 0, "people", false), e(2, 3, "people", false)}, []string{"people has 0 events, and it follows 3"}},
	} {
		a := auditor.New()
		for _, e := range test.read {
			if e.Parts != nil && e.Parts[0].Stream == "people" {
				e.Cause = house.Cause{Kind: "of users"}
			}
			a.Read(e)
		}
		var found []string
		for _, f := range a.Findings() {
			found = append(found, f.What)
		}
		if !slices.Equal(found, test.want) {
			t.Errorf("%s: found %q, want %q", name, found, test.want)
		}
	}
	// A seed that is kept and not shown is revealed as any other.
	for withheld, want := range map[bool]int{true: 0, false: 1} {
		a, versions := auditor.New(), map[string]int64{}
		for i, line := range with(wholeFloor[:4], committed, sealed, `table:V bets-opened {"round":1}`, `table:V table-closed {}
			deal:V seed-revealed {"round":1,"seed":"5eed"}`) {
			e := transaction(t, int64(i+1), line, versions)
			if line == sealed {
				e.Parts[0].Withheld, e.Parts[0].Events = withheld, nil
			}
			a.Read(e)
		}
		if got := len(a.Findings()); got != want {
			t.Errorf("a seed that is kept, not shown %v: %v", withheld, a.Findings())
		}
	}
}

// wholeRecord is a record whose transactions and balances are there.
type wholeRecord struct {
	transactions []house.StoredTransaction
	balances     map[string]int64
	err, missing error
}

func (r *wholeRecord) ReadAll(_ context.Context, _ int64, _ string, yield func(house.StoredTransaction) error) error {
	for _, e := range r.transactions {
		if err := yield(e); err != nil {
			return err
		}
	}
	return r.err
}

func (r *wholeRecord) Balances(_ context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	for name, held := range r.balances {
		account, err := ledger.ParseAccount(name)
		if err := errors.Join(err, yield(account, money.Amount(held))); err != nil {
			return 0, err
		}
	}
	return int64(len(r.transactions)), r.missing
}

// A record is checked against its balances and, when all is read, each table against its
// jackpot. A contribution after the bets were closed has no event of the table beside it.
func TestARecordIsCheckedToItsEnd(t *testing.T) {
	lines, versions := wholeRecords["what two people move"], map[string]int64{}
	var moved wholeRecord
	for i, line := range lines {
		moved.transactions = append(moved.transactions, transaction(t, int64(i+1), line, versions))
	}
	moved.balances = map[string]int64{"player:#1": 10600, "player:#2": 10000, "rack:T": 500, "house": -2700, "cash": 20600, "meter:J": 1900, "reserve:J": 300}
	var late wholeRecord
	versions = map[string]int64{}
	for i, line := range with(wholeDeal[:12], `jackpot:J contributed {"round":{"table":"T","round":"1"},"bets":1,"stake":500,"to_reserve":200}
		=> win:T>reserve:J 200`) {
		late.transactions = append(late.transactions, transaction(t, int64(i+1), line, versions))
	}
	for name, test := range map[string]struct {
		record wholeRecord
		alter  func(*wholeRecord)
		want   string
	}{
		"as it is":                    {moved, func(*wholeRecord) {}, ""},
		"another balance":             {moved, func(r *wholeRecord) { r.balances["rack:T"]++ }, "rack:T holds $5.00 by the record, and $5.01 by the store"},
		"a balance that is missing":   {moved, func(r *wholeRecord) { delete(r.balances, "rack:T") }, "the accounts of the store are out of balance by $-5.00"},
		"a contribution that is late": {late, func(*wholeRecord) {}, "1 progressive bets lie on table T in round 1, and 2 are in the jackpot"},
	} {
		record := test.record
		record.balances = maps.Clone(record.balances)
		test.alter(&record)
		a, err := auditor.Check(t.Context(), &record)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var found []string
		for _, f := range a.Findings() {
			found = append(found, f.What)
		}
		if test.want == "" && len(found) > 0 || test.want != "" && !hasLike(found, test.want) {
			t.Errorf("%s: found %q, want %q", name, found, test.want)
		}
		record.missing = errors.New("no balances")
		if _, err := auditor.Check(t.Context(), &record); !errors.Is(err, record.missing) {
			t.Errorf("%s: without balances it is read: %v", name, err)
		}
		record.missing, record.err = nil, errors.New("no more")
		if _, err := auditor.Check(t.Context(), &record); !errors.Is(err, record.err) {
			t.Errorf("%s: without its end it is read: %v", name, err)
		}
	}
}

// A finding names its transaction, or is of the record as a whole.
func TestFindingsNameTheirTransaction(t *testing.T) {
	for want, f := range map[string]auditor.Finding{
		"it is wrong": {What: "it is wrong"}, "transaction 1: it is wrong": {Seq: 1, What: "it is wrong"},
	} {
		if f.Error() != want {
			t.Errorf("%+v says %q, want %q", f, f.Error(), want)
		}
	}
}
