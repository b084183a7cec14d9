package tables

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/web/account"
	"trey/internal/web/lang"
	"trey/internal/web/live"
	"trey/internal/web/site"
	"trey/table"
)

// class names the readers who see the same of a table.
type class struct {
	language lang.Language
	coach    coaching
	// player is empty for all who only look on.
	player string
}

func (r *reader) class() class {
	c := class{language: r.Language, coach: r.coach}
	if r.plays() {
		c.player = r.person.Name
	}
	return c
}

// frames draws the table and its clock once for all who see the same.
func (h *handlers) frames(now *moment, at *clock, r *reader) (live.Drawing, error) {
	of, err := now.pages.Of(r.class(), func() []live.Part { return partsOf(h, now, r) })
	if err != nil {
		return nil, err
	}
	waits, err := at.pages.Of(r.class(), func() []live.Part { return []live.Part{{ID: "clock", Body: clockPart(r, now, at)}} })
	return live.Drawing{of, waits}, err
}

// drawing returns everything that a page shows.
func (h *handlers) drawing(v *site.Visit, s *stage, now *moment, at *clock, r *reader) (live.Drawing, error) {
	all, err := h.frames(now, at, r)
	if err != nil {
		return nil, err
	}
	if session, ok := h.Authenticator.Peek(v); ok && r.plays() {
		frame, err := h.ownFrame(v, s, r, now, at, &session)
		if err != nil {
			return nil, err
		}
		all = append(all, frame)
	}
	return all, nil
}

// ownFrame draws what the reader alone sees: their money, and a reality check that is due.
func (h *handlers) ownFrame(v *site.Visit, s *stage, r *reader, now *moment, at *clock, session *identity.Session) (*live.Frame, error) {
	down := now.state.OnLayout()
	if down != 0 {
		down = 0
		for _, s := range onLayout(now.state, r.person.Name) {
			down += s.amount
		}
	}
	p, err := h.purse(v.Context(), session, down)
	if err != nil {
		return nil, err
	}
	play, err := h.House.Protection(v.Context(), r.person.Name)
	if err != nil {
		return nil, err
	}
	var cover templ.Component = templ.NopComponent
	if phase := now.state.Phase(); phase == table.Betting || phase == table.Deciding {
		if needed := toPlay(now.state, undecided(now.state, r.person.Name)); needed > p.balance {
			cover = coverPart(v, &uncovered{needed, p.balance})
		}
	}
	mine := viewOf(now, r, h)
	mine.undoes, mine.balance = slices.Contains(h.Undo.players(s.name, now.state.Round()), r.person.Name), p.balance
	if h.Renewal != nil {
		mine.renewal = h.Renewal.Renewal()
	}
	return live.Draw([]live.Part{
		{ID: "bar", Body: barPart(mine, now, at)},
		{ID: "purse", Body: pursePart(r, &p)},
		{ID: "stats", Body: statsPart(r, statisticsOf(now, r, session.SinceMs))},
		{ID: "cover", Body: cover},
		{ID: "reality", Body: account.CheckPanel(v, &play, address(now.inForce.Name))},
	})
}

// live sends what changes, for as long as the page is open.
func (h *handlers) live(v *site.Visit) error {
	if err := h.Authenticator.CheckSeeFloor(v); err != nil {
		return err
	}
	stage, release, err := h.stage(v.Context(), v.Request.PathValue("table"))
	if err != nil {
		return found(v, err)
	}
	defer release()
	r := h.reader(v)
	session, known := h.Authenticator.Peek(v)
	var lastClock *clock
	var ownFrame, last *live.Frame // the reader's own frame belongs to the last one of the table
	var account *house.Subscription
	var ownMoved <-chan struct{}
	if known && r.plays() {
		const buffer = 256
		account = h.House.Subscribe(house.Topic{Player: r.person.Name}, buffer)
		defer account.Close()
		ownMoved = account.Ready()
	}
	return live.Follow(v, live.Shared{
		NowMs: h.NowMs,
		Own:   ownMoved,
		Still: func() bool {
			_, ok := h.Authenticator.Peek(v)
			return ok == known
		},
		Current: func() (live.Drawing, <-chan struct{}, error) {
			now, at, moved, err := stage.current()
			if err != nil {
				return nil, nil, err
			}
			all, err := h.frames(now, at, &r)
			if err != nil || !known || !r.plays() {
				return all, moved, err
			}
			// Their money moves at other tables and at the cage too.
			money, err := takeAll(account)
			if err != nil {
				return nil, nil, err
			}
			if all[0] != last || at != lastClock || money {
				if ownFrame, err = h.ownFrame(v, stage, &r, now, at, &session); err != nil {
					return nil, nil, err
				}
				last, lastClock = all[0], at
			}
			return append(all, ownFrame), moved, nil
		},
	})
}

// takeAll takes all notices that wait for a follower, and reports whether there were any.
func takeAll(f *house.Subscription) (some bool, err error) {
	select {
	case <-f.Ready(): // for what is taken now
	default:
	}
	for {
		n, open := f.Next()
		switch {
		case !open:
			return some, f.Err()
		case n == nil:
			return some, nil
		}
		some = true
	}
}

func address(name string) string { return "/tables/" + url.PathEscape(name) }

func roundAddress(name string, round int) string {
	return address(name) + "/rounds/" + strconv.Itoa(round)
}
