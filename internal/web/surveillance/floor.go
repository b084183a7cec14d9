package surveillance

import (
	"context"
	"errors"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/web/felt"
	"trey/internal/web/live"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// floor is the house as whoever watches has it before him.
type floor struct {
	tables []watched
	alerts []alert
	down   money.Amount // on all layouts
	closes bool
}

// watched is one table of it.
type watched struct {
	house.Standing
	picture table.Picture
	alerts  []alert
	down    money.Amount
}

// alert is something at a table that a person has to see to.
type alert struct {
	table   string
	why     sentence.Sentence
	round   int
	sinceMs int64
}

func (r *room) floor(v *site.Visit) (*floor, error) {
	f := &floor{alerts: r.alerts(v), closes: r.House.Draining()}
	for _, name := range r.House.Tables() {
		is, err := r.House.Standing(name)
		if err != nil {
			return nil, err
		}
		w := watched{Standing: is, picture: table.View(is.State, table.Viewer{}), down: is.State.OnLayout()}
		w.alerts = slices.DeleteFunc(slices.Clone(f.alerts), func(a alert) bool { return a.table != name })
		if f.down, err = f.down.Add(w.down); err != nil {
			return nil, err
		}
		f.tables = append(f.tables, w)
	}
	return f, nil
}

// alerts are those of the croupier and those of the tables, in words without
// cards.
func (r *room) alerts(v *site.Visit) (all []alert) {
	if r.Croupier != nil {
		for _, a := range r.Croupier.Alerts() {
			why := a.Said
			if bare := journal.WithoutCards(a.Why); bare != a.Why {
				why = sentence.Of("%s", sentence.Word(bare))
			}
			all = append(all, alert{a.Table, why, a.Round, a.SinceMs})
		}
	}
	for _, name := range r.House.Tables() {
		is, err := r.House.Standing(name)
		if err != nil || slices.ContainsFunc(all, func(a alert) bool { return a.table == name }) {
			continue
		}
		switch {
		case is.Stopped != nil:
			all = append(all, alert{table: name, round: is.State.Round, why: sentence.Of("the table has stopped")})
		case is.State.Question != nil && is.State.Phase != table.Closed:
			all = append(all, alert{table: name, round: is.State.Round, why: sentence.Of("%s", sentence.Word(is.State.Question.Ask))})
		}
	}
	return all
}

func (f *floor) parts(v *site.Visit) []live.Part {
	parts := []live.Part{{ID: "w-sum", Body: floorSum(v, f)}}
	for i := range f.tables {
		parts = append(parts, live.Part{ID: f.tables[i].part(), Body: watchedTable(v, &f.tables[i])})
	}
	return parts
}

// part is the id of the table's part of the page: what happens at one table is sent
// without the others.
func (w *watched) part() string { return "w-table-" + w.Name }

// seats are the boxes with bets on them.
func (w *watched) seats() (all []table.BoxPicture) {
	for _, b := range w.picture.Boxes {
		if len(b.Bettors) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// laid is what a player has on a box.
func laid(b *table.BettorPicture) (sum money.Amount) {
	for _, amount := range b.Stakes {
		sum += amount
	}
	return sum
}

// post is one table as whoever watches it has it before him.
type post struct {
	watched
	who      identity.Session
	felt     felt.Table
	told     []told
	rounds   []house.RoundMark
	meter    money.Amount
	hasMeter bool
}

// listed is how many rounds stand beside a table.
const listed = 20

func (r *room) post(v *site.Visit, s identity.Session) (*post, error) {
	name := v.Request.PathValue("table")
	is, err := r.House.Standing(name)
	if errors.Is(err, house.ErrNoTable) {
		return nil, v.NotFound()
	}
	if err != nil {
		return nil, err
	}
	t := &post{watched: watched{Standing: is, picture: table.View(is.State, table.Viewer{}), down: is.State.OnLayout()}, who: s}
	t.felt = felt.Of(is.State.Variant, &t.picture)
	for _, a := range r.alerts(v) {
		if a.table == name {
			t.alerts = append(t.alerts, a)
		}
	}
	if is.Jackpot != "" {
		if pot, ok := r.House.Jackpot(is.Jackpot); ok {
			t.meter, t.hasMeter = pot.Displayed(), true
		}
	}
	if s.Role.May(access.SearchRounds) {
		if t.rounds, err = r.lastRounds(v.Context(), name); err != nil {
			return nil, err
		}
	}
	if is.State.Round > 0 {
		if t.told, err = r.latest(v, name, is.State.Round); err != nil && !errors.Is(err, house.ErrNoRound) {
			return nil, err
		}
	}
	return t, nil
}

func (r *room) lastRounds(ctx context.Context, name string) (all []house.RoundMark, err error) {
	err = r.Record.Rounds(ctx, "table:"+name, 0, listed, func(m house.RoundMark) error {
		all = append(all, m)
		return nil
	})
	return all, err
}

func (t *post) parts(v *site.Visit) []live.Part {
	return []live.Part{
		{ID: "s-head", Body: postHead(v, t)},
		{ID: "s-felt", Body: postFelt(v, t)},
		{ID: "s-told", Body: tellings(v, t.told)},
		{ID: "s-rounds", Body: postRounds(v, t)},
	}
}

// clauseLink is where a provision is shown in our words.
func clauseLink(b *rules.Book, clause string) string {
	if b == nil || clause == "" {
		return "/rules"
	}
	return "/rules/" + b.ID + "/" + clause
}
