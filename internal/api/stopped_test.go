package api

import (
	"encoding/json"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/table"
)

// A fault that stops a table may be described by cards, and by the command with
// which they were dealt. Whoever follows the table or the floor hears that it
// stopped and nothing else, and the log shows the stop without them.
func TestAStopDisclosesNoCards(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	body, err := json.Marshal(house.TableStopped{
		Table: "T1", Round: 1, Fault: house.EngineFault,
		During: house.Cause{By: "dan", Role: "dealer", At: "T1", Kind: "deal", Body: json.RawMessage(`{"cards":[{"card":"Kd"},{"card":"Qs"},{"card":"9h"}]}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	stop := house.Event{Kind: "table-stopped", Body: body}
	state, err := housetest.Table(s, "T1")
	if err != nil {
		t.Fatal(err)
	}
	n := &house.Notice{Seq: 9, Table: "T1", Round: 1, State: housetest.Of(state), House: []string{stop.Kind}, Cause: house.Cause{By: "the house", Role: "house", At: "T1", Kind: stop.Kind}}
	entry := house.StoredTransaction{Seq: 9, Cause: n.Cause, Parts: []house.StreamAppend{{Stream: "house", Events: []house.Event{stop}}, {Stream: "table:T1"}}}
	logged := s.server.read().Redaction().Entry(t.Context(), &entry)
	for what, detail := range map[string]any{
		"the table's stream":        tableNotice(n, table.Viewer{Player: "ann"}, false),
		"the table's with pictures": tableNotice(n, table.Viewer{}, true),
		"the floor's stream":        floorNotice(n),
		"the log":                   entryOf(&logged),
	} {
		text, err := json.Marshal(detail)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "table-stopped") {
			t.Errorf("%s does not tell of the stop: %s", what, text)
		}
		for _, card := range []string{"Kd", "Qs", "Q♠", "9h"} {
			if strings.Contains(string(text), card) {
				t.Errorf("%s tells of %s: %s", what, card, text)
			}
		}
		if strings.Contains(string(text), "dan") != (what == "the log") {
			t.Errorf("%s: %s", what, text)
		}
	}
}
