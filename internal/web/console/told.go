package console

import (
	"time"

	"trey/internal/house"
	"trey/internal/web/site"
	"trey/internal/web/telling"
	"trey/sentence"
	"trey/table"
)

// saying is something that happened, in words.
type saying struct {
	at string
	// aloud marks what the dealer or the table says.
	aloud bool
	words sentence.Sentence
}

// most is how many sayings a page holds.
const most = 60

// tell is what happened in the last round, the latest first.
func (d *desk) tell(v *site.Visit, is *house.Standing) ([]saying, error) {
	after := int64(-1)
	err := d.Record.Rounds(v.Context(), "table:"+is.Name, 0, 1, func(m house.RoundMark) error {
		after = m.Seq - 1
		return nil
	})
	if err != nil || after < 0 {
		return nil, err
	}
	var all []saying
	err = d.House.Since(v.Context(), house.Topic{Table: is.Name}, after, func(n *house.Notice) error {
		at := clock(n.AtMs)
		for _, e := range n.Events {
			all = append(all, say(at, table.Redact(e, n.State, table.Viewer{}), n.State)...)
		}
		return nil
	})
	if len(all) > most {
		all = all[len(all)-most:]
	}
	for i, k := 0, len(all)-1; i < k; i, k = i+1, k-1 {
		all[i], all[k] = all[k], all[i]
	}
	return all, err
}

// say is an event as somebody may know it, in words.
func say(at string, e table.Event, s table.State) (all []saying) {
	for _, said := range telling.Of(e, &s) {
		all = append(all, saying{at, said.Aloud, said.Words})
	}
	return all
}

// clock is a moment of the day in the house's own zone.
func clock(ms int64) string { return time.UnixMilli(ms).Format("15:04:05") }
