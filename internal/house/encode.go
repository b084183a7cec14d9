package house

import (
	"errors"
	"slices"

	"trey/internal/ledger"
)

// A command is encoded as JSON several times on its way into the record, and the queue at the
// store waits meanwhile. These functions write the same bytes as encoding/json, without reading
// bodies again that they have written themselves.

var errNoBody = errors.New("an event without a body cannot be recorded")

// AppendEvents appends events as json.Marshal writes them; none are an empty list.
func AppendEvents(text []byte, events []Event) ([]byte, error) {
	size := 2
	for i := range events {
		size += len(events[i].Kind) + len(events[i].Body) + 24
	}
	text = append(slices.Grow(text, size), '[')
	for i := range events {
		e := &events[i]
		if len(e.Body) == 0 {
			return nil, errNoBody
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = ledger.AppendString(append(text, `{"kind":`...), e.Kind)
		text = append(append(append(text, `,"body":`...), e.Body...), '}')
	}
	return append(text, ']'), nil
}

// AppendCause appends a cause as json.Marshal writes it.
func AppendCause(text []byte, c *Cause) []byte {
	text = slices.Grow(text, len(c.By)+len(c.Role)+len(c.At)+len(c.Kind)+len(c.Body)+64)
	text = ledger.AppendString(append(text, `{"by":`...), c.By)
	text = ledger.AppendString(append(text, `,"role":`...), c.Role)
	if c.At != "" {
		text = ledger.AppendString(append(text, `,"at":`...), c.At)
	}
	text = ledger.AppendString(append(text, `,"kind":`...), c.Kind)
	if len(c.Body) > 0 {
		text = append(append(text, `,"body":`...), c.Body...)
	}
	return append(text, '}')
}
