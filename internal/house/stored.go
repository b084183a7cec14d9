package house

import (
	"encoding/json"
	"errors"
	"fmt"

	"trey/internal/house/fair"
	"trey/jackpot"
	"trey/table"
)

// The streams: one for the house; one for each table, one for what everybody may
// know of the seeds of its deals, one for the seeds before that; and one for each
// jackpot. Each is named by its kind and by what it is about.
const (
	houseStream = "house"
	tableKind   = "table"
	dealKind    = "deal"
	sealedKind  = "sealed"
	jackpotKind = "jackpot"
)

func tableStream(name string) string   { return tableKind + ":" + name }
func dealStream(name string) string    { return dealKind + ":" + name }
func sealedStream(name string) string  { return sealedKind + ":" + name }
func jackpotStream(name string) string { return jackpotKind + ":" + name }

// ErrCorrupt is wrapped where the record cannot be what the house wrote.
var ErrCorrupt = errors.New("the record does not hold")

// encode writes events as they are stored.
func encode[E any](events []E, kind func(E) string, write func(E) ([]byte, error)) ([]Event, error) {
	stored := make([]Event, len(events))
	for i, e := range events {
		body, err := write(e)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", kind(e), err)
		}
		stored[i] = Event{Kind: kind(e), Body: body}
	}
	return stored, nil
}

// decode reads events that were stored.
func decode[E any](stored []Event, read func(Event) (E, error)) ([]E, error) {
	if len(stored) == 0 {
		return nil, nil // as the command that moved nothing was answered
	}
	events := make([]E, len(stored))
	for i, e := range stored {
		var err error
		if events[i], err = read(e); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return events, nil
}

func asJSON[E any](e E) ([]byte, error) { return json.Marshal(e) }

func encodeTable(events []table.Event) ([]Event, error) {
	return encode(events, table.EventKind, asJSON)
}

func decodeTable(stored []Event) ([]table.Event, error) {
	return decode(stored, func(e Event) (table.Event, error) { return table.DecodeEvent(e.Kind, e.Body) })
}

func encodeJackpot(events []jackpot.Event) ([]Event, error) {
	return encode(events, jackpot.Event.EventType, jackpot.EncodeEvent)
}

func decodeJackpot(stored []Event) ([]jackpot.Event, error) {
	return decode(stored, func(e Event) (jackpot.Event, error) { return jackpot.DecodeEvent(e.Body) })
}

func encodeOwn(events ...OwnEvent) ([]Event, error) {
	return encode(events, OwnEvent.ownKind, asJSON)
}

func encodeFair(events []fair.Event) ([]Event, error) {
	return encode(events, fair.Event.Kind, asJSON)
}
