package journal

import (
	"encoding/json"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/record"
	"trey/jackpot"
	"trey/table"
)

// Nothing can be read of an event about which there is no decision. That is an event of an
// unknown stream, or of a kind or a field that its stream does not know.
func TestNothingIsReadOfWhatNobodyDecidedAbout(t *testing.T) {
	secret := json.RawMessage(`{"type":"vault-opened","body":{"code":"Qh"},"code":"Qh"}`)
	for _, stream := range []string{"vault:A", "vault", "", "table:A", "jackpot:linked", "deal:A", "sealed:A", "house", "protection", "tables:A"} {
		for _, inPlay := range []bool{true, false} {
			got := (&Redaction{}).event(stream, inPlay, house.Event{Kind: "vault-opened", Body: secret})
			if got.Kind != "withheld" || strings.Contains(string(got.Body), "Qh") {
				t.Errorf("of an unknown event in %q is shown %s %s", stream, got.Kind, got.Body)
			}
		}
	}
	if got := (&Redaction{}).event(identity.Stream, false, house.Event{Kind: "vault-opened", Body: secret}); strings.Contains(string(got.Body), "Qh") {
		t.Errorf("of an unknown event of people is shown %s", got.Body)
	}
	known := record.TableEvents.Name(table.BetsOpened{})
	got := (&Redaction{}).event("table:A", true, house.Event{Kind: known, Body: json.RawMessage(`{"round":1,"first_card":"Qh"}`)})
	if strings.Contains(string(got.Body), "Qh") {
		t.Errorf("a field that nobody knows is shown: %s", got.Body)
	}
}

// What is known is shown: each stream has its events, and only the seeds that are not
// revealed stay sealed.
func TestWhatIsKnownCanBeRead(t *testing.T) {
	closed, err := record.JackpotEvents.Write(jackpot.RoundKnown{Round: jackpot.RoundID{Table: "A", Round: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, v any) house.Event {
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return house.Event{Kind: kind, Body: body}
	}
	for stream, e := range map[string]house.Event{
		"table:A": write("bets-opened", record.BetsOpened{Round: 1}), "jackpot:linked": closed,
		"deal:A": write(fair.Committed{}.Kind(), fair.Committed{Round: 1}), "house": write("drained", house.Drained{By: "sue", Role: "shift-manager"}),
	} {
		if got := (&Redaction{}).event(stream, true, e); got.Kind != e.Kind || string(got.Body) != string(e.Body) {
			t.Errorf("of %s in %s is shown %s %s", e.Body, stream, got.Kind, got.Body)
		}
	}
	sealed := write(fair.Sealed{}.Kind(), fair.Sealed{Round: 1})
	for _, stream := range []string{"sealed:A", "deal:A"} {
		if got := (&Redaction{}).event(stream, false, sealed); got.Kind != "withheld" {
			t.Errorf("a sealed seed is shown in %s as %s %s", stream, got.Kind, got.Body)
		}
	}
}
