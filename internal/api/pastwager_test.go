package api

import (
	"fmt"
	"net/http"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/money"
	"trey/table"
)

// dealCards returns the command that deals cards which a device has read.
func dealCards(t *testing.T, text string) string {
	t.Helper()
	cards, err := card.ParseList(text)
	if err != nil {
		t.Fatal(err)
	}
	list := ""
	for i, c := range cards {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"card":%q}`, c)
	}
	return `{"kind":"deal","body":{"cards":[` + list + `]}}`
}

// TestAnAdjustmentIsBoundedByItsWager holds through HTTP the bounds of an adjustment that rests
// on a wager of an earlier round. With all earlier adjustments, it gives no more than that
// wager could have brought and takes no more than it brought. An adjustment that rests on no
// wager has no such bound.
func TestAnAdjustmentIsBoundedByItsWager(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp", readTable)
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	round := func(end string) {
		t.Helper()
		s.done("dan", "T1", `{"kind":"open-bets"}`)
		for box, player := range []string{"ann", "ben"} {
			s.done(player, "T1", fmt.Sprintf(`{"kind":"bet","body":{"box":%d,"player":%q,"wager":"ante","amount":1000}}`, box+1, player))
			s.done(player, "T1", fmt.Sprintf(`{"kind":"bet","body":{"box":%d,"player":%q,"wager":"pair-plus","amount":500}}`, box+1, player))
		}
		s.done("dan", "T1", `{"kind":"close-bets"}`)
		s.done("dan", "T1", dealCards(t, "Qh Qd 2c Th 7c 4s Kd 9h 5c"))
		s.done("ann", "T1", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
		s.done("ben", "T1", `{"kind":"raise","body":{"box":2,"player":"ben"}}`)
		s.done("dan", "T1", `{"kind":"reveal"}`)
		s.done("dan", "T1", `{"kind":"settle"}`)
		if end == "void" {
			s.done("dan", "T1", `{"kind":"report","body":{"incident":"uncovered"}}`)
			s.done("sue", "T1", `{"kind":"answer","body":{"answer":"void"}}`)
		}
	}
	asks := func(player, cause string, change int, of string) *reply {
		t.Helper()
		if of != "" {
			of = `,"of":` + of
		}
		return s.ask("cas", http.MethodPost, "/api/v1/proposals", fmt.Sprintf(`{"kind":"adjust-account","body":{"player":%q,"cause":%q,"change":%d,"note":"the payment of that hand"%s}}`, player, cause, change, of))
	}
	of := func(round, box int, wager string) string {
		return fmt.Sprintf(`{"table":"T1","round":%d,"box":%d,"wager":%q}`, round, box, wager)
	}
	want := func(what string, r *reply, status int, kind string) {
		t.Helper()
		if r.StatusCode != status || kind != "" && r.problem(t).Type != "urn:trey:problem:"+kind {
			t.Errorf("%s: %s %s", what, r.Status, r.text)
		}
	}
	approved := func(r *reply, status int) {
		t.Helper()
		var made struct{ ID int64 }
		if r.StatusCode != http.StatusCreated {
			t.Fatal(r.Status, r.text)
		}
		r.into(s, &made)
		if r := s.ask("sue", http.MethodPost, approvePath(made.ID), ""); r.StatusCode != status {
			t.Errorf("approved with %s %s", r.Status, r.text)
		}
	}

	round("paid")
	want("the round can still be remedied", asks("ben", "entry-error", 1, of(1, 2, "ante")), http.StatusConflict, "not-now")
	round("void") // Bets of the next are open: the first is over.
	want("the round was never played", asks("ben", "entry-error", 1, of(9, 2, "ante")), http.StatusNotFound, "not-found")

	// Ben lost an Ante of 10: the most that it brings is the stake and as much again.
	want("a cent more than the Ante could have brought", asks("ben", "entry-error", 2001, of(1, 2, "ante")), http.StatusConflict, "not-now")
	want("an Ante of somebody else", asks("ann", "entry-error", 1, of(1, 2, "ante")), http.StatusNotFound, "not-found")
	want("a box that nobody bet on", asks("ben", "entry-error", 1, of(1, 3, "ante")), http.StatusNotFound, "not-found")
	want("a wager that was not placed", asks("ben", "entry-error", 1, of(1, 2, "progressive")), http.StatusNotFound, "not-found")
	want("goodwill that rests on a wager", asks("ben", "goodwill", 1, of(1, 2, "ante")), http.StatusUnprocessableEntity, "invalid")
	want("nothing was paid on the Ante", asks("ben", "entry-error", -1, of(1, 2, "ante")), http.StatusConflict, "not-now")
	// Pair Plus pays 40 to 1 at most in this book: 5 could have brought 205.
	want("a cent more than Pair Plus could have brought", asks("ben", "dispute", 20501, of(1, 2, "pair-plus")), http.StatusConflict, "not-now")
	s.has(t, "ben", 97_500+1_500-1_500)
	first, second := asks("ben", "entry-error", 1500, of(1, 2, "ante")), asks("ben", "entry-error", 501, of(1, 2, "ante"))
	approved(first, http.StatusOK)
	// What was given counts: the second was possible when it was asked for.
	approved(second, http.StatusConflict)
	approved(asks("ben", "entry-error", 500, of(1, 2, "ante")), http.StatusOK)
	want("all has been given", asks("ben", "entry-error", 1, of(1, 2, "ante")), http.StatusConflict, "not-now")
	s.has(t, "ben", 97_500+2_000)
	approved(asks("ben", "entry-error", -2000, of(1, 2, "ante")), http.StatusOK)
	want("all has been taken", asks("ben", "entry-error", -1, of(1, 2, "ante")), http.StatusConflict, "not-now")

	// Ann's pair won 10 on the Ante: 20 came back, and no more is taken.
	want("a cent more than it brought", asks("ann", "entry-error", -2001, of(1, 1, "ante")), http.StatusConflict, "not-now")
	approved(asks("ann", "entry-error", -2000, of(1, 1, "ante")), http.StatusOK)
	// Pair Plus of 5 paid 5: 10 came back, and 205 could have.
	want("a cent more than is left of Pair Plus", asks("ann", "dispute", 19501, of(1, 1, "pair-plus")), http.StatusConflict, "not-now")

	// In the void round the stakes of 10 went back. The Ante could have brought 10 more.
	want("a cent more than the void Ante could have brought", asks("ben", "dispute", 1001, of(2, 2, "ante")), http.StatusConflict, "not-now")
	want("what a void Ante could have brought", asks("ben", "dispute", 1000, of(2, 2, "ante")), http.StatusCreated, "")
	want("a cent more than came back", asks("ben", "dispute", -1001, of(2, 2, "ante")), http.StatusConflict, "not-now")

	// What rests on no wager is a matter of the cage.
	want("an adjustment without a wager", asks("ben", "dispute", 1_000_000, ""), http.StatusCreated, "")
}

// readTable configures a table whose cards a device reads.
func readTable(t *house.Table) {
	t.Config = table.Config{Device: t.Variant.Book.Devices[0].Device, Cards: table.Read, Chips: true}
}
