package house

import (
	"encoding/json"
	"errors"
	"fmt"

	"trey/jackpot"
	"trey/rules/books"
	"trey/rules/variant"
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

// installed is the house's own event: a table that was put on the floor, with
// everything that its rounds are played by.
type installed struct {
	Name    string       `json:"name"`
	Variant string       `json:"variant"` // its name
	Hash    string       `json:"hash"`
	Rules   string       `json:"rules"` // the variant as a file
	Config  table.Config `json:"config"`
	Jackpot string       `json:"jackpot,omitempty"`
	Mode    Mode         `json:"mode"`
	Pace    Pace         `json:"pace,omitzero"`
}

const installedKind = "table-installed"

func (t Table) installed() installed {
	return installed{
		Name: t.Name, Variant: t.Variant.ID, Hash: t.Variant.Hash(), Rules: string(variant.Write(t.Variant)),
		Config: t.Config, Jackpot: t.Jackpot, Mode: t.Mode, Pace: t.Pace,
	}
}

// table reads the event back. That the rules are still the same is not taken on
// trust: a program whose book says something else must not go on with the round.
func (e installed) table() (Table, error) {
	v, _, err := variant.Parse(e.Name, []byte(e.Rules), books.Find)
	if err != nil {
		return Table{}, fmt.Errorf("%w: the rules of table %s: %w", ErrCorrupt, e.Name, err)
	}
	if v.Hash() != e.Hash {
		return Table{}, fmt.Errorf("%w: table %s was played by rules %s, and this program reads them as %s", ErrCorrupt, e.Name, e.Hash, v.Hash())
	}
	v.ID = e.Variant
	return Table{Name: e.Name, Variant: v, Config: e.Config, Jackpot: e.Jackpot, Mode: e.Mode, Pace: e.Pace}, nil
}

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
	events := make([]jackpot.Event, len(stored))
	for i, e := range stored {
		var err error
		if events[i], err = jackpot.DecodeEvent(e.Body); err != nil {
			return nil, err
		}
	}
	return events, nil
}
