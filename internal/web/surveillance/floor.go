package surveillance

import (
	"context"
	"errors"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/felt"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/site"
	"trey/money"
	"trey/table"
)

// floor holds all tables for those who watch them.
type floor struct {
	tables []tableCard
	alerts []pit.Alert
	down   money.Amount // on all layouts
	closes bool
}

// tableCard is one table of the floor.
type tableCard struct {
	house.TableStatus
	picture table.Picture
	alerts  []pit.Alert
	down    money.Amount
}

func (r *handlers) floor() (*floor, error) {
	tables, err := pit.Tables(r.House)
	if err != nil {
		return nil, err
	}
	f := &floor{alerts: pit.Alerts(tables, r.Autodealer), closes: r.House.Draining()}
	for _, status := range tables {
		w := watch(status, f.alerts)
		if f.down, err = f.down.Add(w.down); err != nil {
			return nil, err
		}
		f.tables = append(f.tables, w)
	}
	return f, nil
}

// watch returns a table as everybody there sees it, with its own alerts.
func watch(status house.TableStatus, alerts []pit.Alert) tableCard {
	return tableCard{TableStatus: status, picture: status.State.View(table.Viewer{}), down: status.State.OnLayout(), alerts: pit.At(status.Name, alerts)}
}

func (f *floor) parts(v *site.Visit) []live.Part {
	parts := []live.Part{{ID: "w-sum", Body: floorSum(v, f)}}
	for i := range f.tables {
		parts = append(parts, live.Part{ID: f.tables[i].part(), Body: watchedTable(v, &f.tables[i])})
	}
	return parts
}

// part returns the id of the table's part of the page. A change at one table is sent without
// the others.
func (w *tableCard) part() string { return "w-table-" + w.Name }

// seats returns the boxes with bets on them: those that [table.State.OnLayout] adds up.
func (w *tableCard) seats() (all []table.BoxPicture) {
	if !w.picture.Phase.InRound() {
		return nil
	}
	for _, b := range w.picture.Boxes {
		if len(b.Bettors) > 0 && !b.Settled {
			all = append(all, b)
		}
	}
	return all
}

// laid returns the sum of the bets of a player on a box.
func laid(b *table.BettorPicture) (sum money.Amount) {
	for _, amount := range b.Stakes {
		sum += amount
	}
	return sum
}

// tableWatch holds one table for those who watch it.
type tableWatch struct {
	tableCard
	person   identity.Session
	felt     felt.Table
	events   []pit.TimedLine
	rounds   []house.RoundMark
	meter    money.Amount
	hasMeter bool
}

// listed is the number of rounds beside a table.
const listed = 20

func (r *handlers) post(v *site.Visit, s identity.Session) (*tableWatch, error) {
	name := v.Request.PathValue("table")
	status, err := r.House.Status(name)
	if errors.Is(err, house.ErrNoTable) {
		return nil, v.NotFound()
	}
	if err != nil {
		return nil, err
	}
	t := &tableWatch{tableCard: watch(status, pit.Alerts([]house.TableStatus{status}, r.Autodealer)), person: s}
	t.felt = felt.Of(status.State.Variant(), &t.picture)
	if status.Jackpot != "" {
		if state, ok := r.House.Jackpot(status.Jackpot); ok {
			t.meter, t.hasMeter = state.Displayed(), true
		}
	}
	if s.Role.Can(access.SearchRounds) {
		if t.rounds, err = r.lastRounds(v.Context(), name); err != nil {
			return nil, err
		}
	}
	t.events, err = pit.Latest(v.Context(), r.House, r.Record, name)
	return t, err
}

func (r *handlers) lastRounds(ctx context.Context, name string) (all []house.RoundMark, err error) {
	err = r.Record.Rounds(ctx, "table:"+name, 0, listed, func(m house.RoundMark) error {
		all = append(all, m)
		return nil
	})
	return all, err
}

func (t *tableWatch) parts(v *site.Visit) []live.Part {
	return []live.Part{
		{ID: "s-head", Body: postHead(v, t)},
		{ID: "s-felt", Body: pit.Felt(v, t.State.Variant().Book, t.felt)},
		{ID: "s-told", Body: pit.TimedLines(v, t.events)},
		{ID: "s-rounds", Body: postRounds(v, t)},
	}
}
