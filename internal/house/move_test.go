package house

import (
	"errors"
	"testing"
)

// A record that the house has left is gone on with nowhere but where it has arrived, or by two
// people from a copy.
func TestWhereTheHouseGoesOn(t *testing.T) {
	to := Moved{Store: "database", Place: "trey at one", Why: "more machines"}
	var w Whereabouts
	for _, step := range []struct {
		event OwnEvent
		left  bool
	}{
		{Drained{}, false},
		{to, true},
		{Drained{}, true},
		{Arrived{Store: to.Store, Place: to.Place}, false},
		{to, true},
		{Restored{}, false},
	} {
		w.apply(step.event)
		w.Version++
		w.LastMs += 10
		if w.Moved != nil != step.left || step.left && *w.Moved != to {
			t.Errorf("after %T it is %+v", step.event, w.Moved)
		}
		leaving, err := w.Leaving(w.LastMs+1, to)
		if errors.Is(err, ErrElsewhere) != step.left || (err == nil) == step.left {
			t.Errorf("leaving after %T: %v", step.event, err)
		}
		arriving, err := w.Arriving(w.LastMs - 1)
		if (err == nil) != step.left {
			t.Errorf("arriving after %T: %v", step.event, err)
		}
		tx, atMs, want := leaving, w.LastMs+1, OwnEvent(to)
		if step.left { // The clock was set back, and record time is not.
			tx, atMs, want = arriving, w.LastMs, Arrived{Store: to.Store, Place: to.Place}
		}
		if tx == nil || tx.AtMs != atMs || tx.Cause.By != operator || len(tx.Parts) != 1 || tx.Parts[0].Stream != houseStream || tx.Parts[0].After != w.Version {
			t.Fatalf("after %T the transaction is %+v", step.event, tx)
		}
		if e, err := DecodeOwn(tx.Parts[0].Events[0]); err != nil || e != want {
			t.Errorf("after %T the event is %+v, %v", step.event, e, err)
		}
	}
}

// An answer to a key that the record has nothing for is none.
func TestAnAnswerThatTheRecordLacks(t *testing.T) {
	written, err := OwnEvents.Write(Drained{By: "sue", Role: "shift-manager"})
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]StreamAppend{
		"nothing":           nil,
		"of another kind":   {{Stream: houseStream, Events: []Event{written}}},
		"of another stream": {{Stream: "table:a", Events: []Event{written}}},
	} {
		if _, err := ownOf[RulesChanged](&Receipt{Parts: parts}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	found, err := ownOf[Drained](&Receipt{Parts: []StreamAppend{{Stream: "table:a"}, {Stream: houseStream, Events: []Event{written}}}})
	if err != nil || found.By != "sue" {
		t.Errorf("what stands there is %+v, %v", found, err)
	}
}
