package house_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house"
	_ "trey/internal/steady"
)

// The hand-written encoder writes the same as encoding/json.
func TestTransactionsAreWrittenAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := func() json.RawMessage {
			text, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "body"))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		events := []house.Event{}
		for range rapid.IntRange(0, 3).Draw(t, "events") {
			events = append(events, house.Event{Kind: rapid.String().Draw(t, "kind"), Body: body()})
		}
		cause := house.Cause{
			By: rapid.String().Draw(t, "by"), Role: rapid.String().Draw(t, "role"),
			At: rapid.String().Draw(t, "at"), Kind: rapid.String().Draw(t, "kind"),
		}
		if rapid.Bool().Draw(t, "body") {
			cause.Body = body()
		}
		for _, of := range []struct {
			value any
			text  func() ([]byte, error)
		}{
			{events, func() ([]byte, error) { return house.AppendEvents(nil, events) }},
			{cause, func() ([]byte, error) { return house.AppendCause(nil, &cause), nil }},
		} {
			want, err := json.Marshal(of.value)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := of.text(); err != nil || string(got) != string(want) {
				t.Fatalf("got\n%s, %v, want\n%s", got, err, want)
			}
		}
	})
	if _, err := house.AppendEvents(nil, []house.Event{{Kind: "said"}}); err == nil {
		t.Error("an event without a body was written")
	}
}
