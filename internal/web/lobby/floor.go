package lobby

import (
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"trey/internal/house"
	"trey/internal/web/lang"
	"trey/internal/web/live"
	"trey/internal/web/signin"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Floor is the tables of a house, for the lobby.
type Floor struct {
	House         *house.House
	Authenticator *signin.Authenticator
	Log           *slog.Logger

	mu       sync.Mutex
	users    int
	followed bool
	now      *floorState
	moved    chan struct{} // nil where nobody follows
}

// line is a table in the lobby.
type line struct {
	name    string
	book    *rules.Book
	limits  rules.Limit
	boxes   int
	taken   int
	phase   table.Phase
	mode    house.Mode
	pace    house.Pace
	jackpot string
	meter   money.Amount
}

// lines returns all tables, those that can be played at once first.
func (f *Floor) lines() []line {
	var all []line
	for _, name := range f.House.Tables() {
		status, err := f.House.Status(name)
		if err != nil {
			continue // it was there a moment ago
		}
		in, s := status.InForce(), status.State
		main := in.Variant.Book.Wagers[0].Wager
		l := line{
			name: name, book: in.Variant.Book, limits: in.Variant.Limits[main], boxes: in.Variant.Boxes,
			phase: s.Phase(), mode: in.Mode, pace: in.Pace, jackpot: in.Jackpot,
		}
		for box := 1; box <= s.Boxes(); box++ {
			if s.Staked(box) {
				l.taken++
			}
		}
		if pot, ok := f.House.Jackpot(in.Jackpot); ok {
			l.meter = pot.Displayed()
		}
		all = append(all, l)
	}
	inOrder(all)
	return all
}

func address(l *line) string { return "/tables/" + url.PathEscape(l.name) }

func (l *line) limit(p lang.Printer) string {
	switch {
	case l.limits == rules.Limit{}:
		return p.T("tables.limit-none")
	case l.limits.Max == 0:
		return p.T("tables.limit-from", "min", p.Money(l.limits.Min))
	}
	return p.Money(l.limits.Min) + "–" + p.Money(l.limits.Max)
}

func (l *line) paceWords(p lang.Printer) string {
	switch {
	case l.waitsForDealer():
		return p.T("lobby.no-dealer")
	case l.mode != house.Automatic:
		return p.T("lobby.dealer-run")
	case l.pace.BettingMs == 0:
		return p.T("lobby.unhurried")
	}
	return p.T("lobby.seconds", "n", l.pace.BettingMs/1000)
}

// pollInterval is the time between two reads of the floor while something changes there.
const pollInterval = 200 * time.Millisecond

// current returns how the floor was shown last; moved is closed when it is shown
// otherwise.
func (f *Floor) current() (now *floorState, moved <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, f.moved
}

// join has the floor followed until its reader leaves.
func (f *Floor) join() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users++
	if !f.followed {
		f.followed, f.moved = true, make(chan struct{})
		go f.follow()
	}
}

func (f *Floor) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.users--
}

// follow reads the floor as long as a page of it is open. Where it ends by itself, because the
// house has stopped or by a fault of ours, so do the pages that read.
func (f *Floor) follow() {
	if f.poll() == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followed = false
	close(f.moved)
	f.moved = nil
}

// poll reads the floor whenever something has changed there, but not more often than anybody
// can read. It returns nil when nobody reads any more.
func (f *Floor) poll() (err error) {
	defer live.Recover(f.Log, &err)
	subscription := f.House.Subscribe(house.Topic{}, 1024)
	defer func() { subscription.Close() }()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	f.show()
	stale := false
	for {
		select {
		case <-subscription.Ready():
			stale = true
			n, open := subscription.Next()
			for n != nil {
				n, open = subscription.Next()
			}
			if open {
				continue
			}
			if !errors.Is(subscription.Err(), house.ErrSubscriberSlow) {
				return errStopped
			}
			subscription = f.House.Subscribe(house.Topic{}, 1024)
		case <-ticker.C:
			f.mu.Lock()
			over := f.users == 0
			if over {
				f.followed, f.now = false, nil
			}
			f.mu.Unlock()
			if over {
				return nil
			}
			if stale {
				f.show()
				stale = false
			}
		}
	}
}

// class is of the readers who see the same: in a language, tables by their names.
type class struct {
	language lang.Language
	tables   string
}

// liveAddress returns the address of the stream of changes at the tables that a page shows.
// Pages that show the same tables have the same address, in whatever order they show them.
func liveAddress(tables []line) string {
	names := make([]string, len(tables))
	for i := range tables {
		names[i] = tables[i].name
	}
	slices.Sort(names)
	return "/lobby/live?" + url.Values{"tables": {strings.Join(names, ",")}}.Encode()
}

// of returns those of all tables that the class sees.
func (c class) of(all []line) []line {
	names := strings.Split(c.tables, ",")
	return slices.DeleteFunc(slices.Clone(all), func(l line) bool { return !slices.Contains(names, l.name) })
}

// floorState is the floor at a moment.
type floorState struct {
	lines []line
	pages live.Frames[class]
}

func (f *Floor) show() {
	current := &floorState{lines: f.lines(), pages: live.NewFrames[class]()}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = current
	close(f.moved)
	f.moved = make(chan struct{})
}

// drawn draws the tables for the lobby.
func drawn(p lang.Printer, lines []line) []live.Part {
	parts := make([]live.Part, len(lines))
	for i := range lines {
		parts[i] = live.Part{ID: "table-" + lines[i].name, Body: state(p, &lines[i])}
	}
	return parts
}

// errStopped ends the live lobby of a house that has stopped.
var errStopped = errors.New("the house has stopped")

// live sends what changes on the floor, for as long as the page is open.
func (f *Floor) live(v *site.Visit) error {
	if err := f.Authenticator.CheckSeeFloor(v); err != nil {
		return err
	}
	f.join()
	defer f.leave()
	c := class{v.Language, v.Request.URL.Query().Get("tables")}
	return live.Follow(v, live.Shared{Current: func() (live.Drawing, <-chan struct{}, error) {
		now, moved := f.current()
		if moved == nil {
			return nil, nil, errStopped
		}
		if now == nil { // this reader is the first, before the floor was read for all
			frame, err := live.Draw(drawn(v.Printer, c.of(f.lines())))
			return live.Drawing{frame}, moved, err
		}
		frame, err := now.pages.Of(c, func() []live.Part { return drawn(v.Printer, c.of(now.lines)) })
		return live.Drawing{frame}, moved, err
	}})
}
