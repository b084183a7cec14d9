package house

import (
	"errors"

	"trey/internal/house/fair"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/table"
)

// The streams. There is one for the house. Each table has one, one for what everybody may know
// of the seeds of its deals, and one for the seeds before that. Each jackpot has one. Each is
// named by its kind and by what it is about.
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
var ErrCorrupt = errors.New("the record is corrupt")

// encode writes events as they are stored.
func encode[E any](t *stored.Table[E], events []E) (written []Event, err error) {
	written = make([]Event, len(events))
	for i, e := range events {
		if written[i], err = t.Write(e); err != nil {
			return nil, err
		}
	}
	return written, nil
}

// decode reads events that were stored.
func decode[E any](t *stored.Table[E], written []Event) ([]E, error) {
	if len(written) == 0 {
		return nil, nil // as the command that moved nothing was answered
	}
	events := make([]E, len(written))
	for i, e := range written {
		var err error
		if events[i], err = t.Read(e); err != nil {
			return nil, Corrupt(err, "")
		}
	}
	return events, nil
}

func encodeTable(events []table.Event) ([]Event, error) { return encode(record.TableEvents, events) }

func decodeTable(written []Event) ([]table.Event, error) {
	return decode(record.TableEvents, written)
}

func encodeJackpot(events []jackpot.Event) ([]Event, error) {
	return encode(record.JackpotEvents, events)
}

func decodeJackpot(written []Event) ([]jackpot.Event, error) {
	return decode(record.JackpotEvents, written)
}

func encodeOwn(events ...OwnEvent) ([]Event, error) { return encode(OwnEvents, events) }

func encodeFair(events []fair.Event) ([]Event, error) { return encode(fair.Events, events) }
