package jackpot_test

import (
	"errors"
	"fmt"

	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
)

// fixed is the return of the fixed pays of rws-3cp@3 4.4 for one bet.
var fixed = jackpot.FixedReturn{Num: 3_005_000, Den: 22_100}

// house folds commands into a State and panics on a refusal.
type house struct{ state jackpot.State }

func (h *house) do(commands ...jackpot.Command) {
	for _, c := range commands {
		events, err := jackpot.Decide(h.state, c)
		if err != nil {
			panic(err)
		}
		for _, e := range events {
			if h.state, err = jackpot.Evolve(h.state, e); err != nil {
				panic(err)
			}
		}
	}
}

// Two tables deal the Major hand at nearly the same time. Table B reports first,
// but its hand was dealt later: it is pending until table A's is settled, and
// is then paid what the meter displays after its reset.
func Example_twoTablesAtOnce() {
	terms := jackpot.Demonstration()
	a := jackpot.RoundID{Table: "A", Round: "117"}
	b := jackpot.RoundID{Table: "B", Round: "42"}
	hitA := jackpot.HitID{Table: "A", Round: "117", Box: 3}
	hitB := jackpot.HitID{Table: "B", Round: "42", Box: 1}

	var h house
	h.do(
		jackpot.Open{Terms: terms, FixedReturn: fixed, Meter: terms.Reset},
		jackpot.Contribute{Round: a, Bets: 5},
		jackpot.Contribute{Round: b, Bets: 7},
		jackpot.HandDealt{Hit: hitB, Place: jackpot.Place{DealtAtMs: 2_000}},
		jackpot.Confirm{Hit: hitB},
		jackpot.HandDealt{Hit: hitA, Place: jackpot.Place{DealtAtMs: 1_000}},
	)

	_, err := jackpot.Decide(h.state, jackpot.Pay{Hit: hitB})
	var refusal *jackpot.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Clause, refusal.Reason)
		fmt.Println(refusal.Detail)
	}

	h.do(
		jackpot.Confirm{Hit: hitA},
		jackpot.Pay{Hit: hitA},
		jackpot.Contribute{Round: jackpot.RoundID{Table: "C", Round: "9"}, Bets: 2},
		jackpot.Pay{Hit: hitB},
	)
	for _, id := range []jackpot.HitID{hitA, hitB} {
		hit, _ := h.state.Hit(id)
		fmt.Printf("%v: %v\n", id, hit.Paid)
	}
	fmt.Println("displayed:", h.state.Displayed())
	fmt.Println("audit:", h.state.Audit())
	// Output:
	// rws-3cp@3 4.9.1 earlier-hit
	// the hit of box 1, round 42 of table B is pending: box 3, round 117 of table A was dealt its hand earlier and is open; confirm and pay it, or forfeit it, first
	// box 3, round 117 of table A: 10024.00
	// box 1, round 42 of table B: 10004.00
	// displayed: 10000.00
	// audit: <nil>
}

// A bet below what the fixed pays return would favour the player even if the
// meter were empty.
func ExampleTerms_Check() {
	terms := jackpot.Demonstration()
	fmt.Println(terms.Check(fixed))
	terms.Bet = 1 * money.Major
	fmt.Println(terms.Check(fixed))
	// Output:
	// <nil>
	// jackpot: refused, terms (rws-3cp@3 3.3): a $1.00 bet favours the player at an empty meter: fixed pays return $1.3597 a bet; prescribe a larger bet or lower the fixed pays
}

// Events are stored as JSON beside their kind, and replayed.
func ExampleReplay() {
	terms := jackpot.Demonstration()
	events, err := jackpot.Decide(jackpot.State{}, jackpot.Open{Terms: terms, FixedReturn: fixed, Meter: terms.Reset})
	if err != nil {
		panic(err)
	}
	written, err := record.JackpotEvents.Write(events[0])
	if err != nil {
		panic(err)
	}
	fmt.Println(written.Kind, string(written.Body))
	read, err := record.JackpotEvents.Read(written)
	if err != nil {
		panic(err)
	}
	state, err := jackpot.Replay(read)
	fmt.Println(state.Displayed(), err)
	// Output:
	// opened {"terms":{"bet":500,"reset":1000000,"rate":{"num":40,"den":100},"ceiling":100000000,"overflow":"on-top"},"fixed_return":{"num":3005000,"den":22100},"meter":1000000,"reserve":0}
	// 10000.00 <nil>
}
