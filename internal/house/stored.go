package house

import (
	"encoding/json"
	"errors"
	"fmt"

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

func encodeTable(events []table.Event) ([]Event, error) {
	stored := make([]Event, len(events))
	for i, e := range events {
		body, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", table.EventKind(e), err)
		}
		stored[i] = Event{Kind: table.EventKind(e), Body: body}
	}
	return stored, nil
}

func decodeTable(stored []Event) ([]table.Event, error) {
	if len(stored) == 0 {
		return nil, nil // as the command that moved nothing was answered
	}
	events := make([]table.Event, len(stored))
	for i, e := range stored {
		var err error
		if events[i], err = table.DecodeEvent(e.Kind, e.Body); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
	}
	return events, nil
}

func encodeJackpot(events []jackpot.Event) ([]Event, error) {
	stored := make([]Event, len(events))
	for i, e := range events {
		body, err := jackpot.EncodeEvent(e)
		if err != nil {
			return nil, err
		}
		stored[i] = Event{Kind: e.EventType(), Body: body}
	}
	return stored, nil
}

func decodeJackpot(stored []Event) ([]jackpot.Event, error) {
	if len(stored) == 0 {
		return nil, nil // as the command that moved nothing was answered
	}
	events := make([]jackpot.Event, len(stored))
	for i, e := range stored {
		var err error
		if events[i], err = jackpot.DecodeEvent(e.Body); err != nil {
			return nil, err
		}
	}
	return events, nil
}
