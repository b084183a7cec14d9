package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/jackpot"
	"trey/table"
)

// TableNotice is what a stream of a table sends: one transaction.
type TableNotice struct {
	Seq     int64          `json:"seq"`
	AtMs    int64          `json:"at_ms"`
	Table   string         `json:"table"`
	Round   int            `json:"round"`
	Phase   table.Phase    `json:"phase"`
	By      string         `json:"by" doc:"Who asked for it."`
	Role    string         `json:"role"`
	Command string         `json:"command" doc:"The kind of command that it was."`
	Events  []Event        `json:"events,omitempty"`
	Jackpot []MeterEvent   `json:"jackpot,omitempty"`
	Seeds   []house.Event  `json:"seeds,omitempty" doc:"Seeds committed to, added by players and revealed."`
	House   []string       `json:"house,omitempty" doc:"The kinds of what was decided about the table, such as rules-changed."`
	Picture *table.Picture `json:"picture,omitempty" doc:"The table after it as you may see it, where it was asked for."`
}

// MeterNotice is what a stream of a jackpot sends.
type MeterNotice struct {
	Seq     int64        `json:"seq"`
	AtMs    int64        `json:"at_ms"`
	Events  []MeterEvent `json:"events"`
	Jackpot Meter        `json:"jackpot" doc:"The jackpot after it."`
}

// stream is a reader's side of what happens.
type stream struct {
	d       *door
	w       http.ResponseWriter
	control *http.ResponseController
	out     bytes.Buffer
}

// send writes one message. An error means that the reader has gone, or is too
// slow to be waited for.
func (s *stream) send(id int64, event string, v any) error {
	s.out.Reset()
	if id > 0 {
		s.out.WriteString("id: ")
		s.out.WriteString(strconv.FormatInt(id, 10))
		s.out.WriteByte('\n')
	}
	s.out.WriteString("event: ")
	s.out.WriteString(event)
	s.out.WriteString("\ndata: ")
	// JSON has no line break in it, and Encode puts one at its end.
	if err := json.NewEncoder(&s.out).Encode(v); err != nil {
		return err
	}
	s.out.WriteByte('\n')
	return s.flush()
}

// alive writes a comment, which readers leave out.
func (s *stream) alive() error {
	s.out.Reset()
	s.out.WriteString(": alive\n\n")
	return s.flush()
}

func (s *stream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.d.Limits.WriteTimeout)); err != nil { //nolint:forbidigo // the connection's clock
		return err
	}
	if _, err := s.w.Write(s.out.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}

// follow streams a topic until the reader goes or is cut off. Standing sends what a
// reader begins with who has seen nothing yet, and says up to which number that
// is; send sends one notice. Whoever comes back is sent what he has missed.
func (d *door) follow(w http.ResponseWriter, r *http.Request, topic house.Topic, name string, standing func(*stream) (upTo int64, err error), send func(*stream, *house.Notice) error) {
	last, resumed, err := lastEventID(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	who := callOf(r.Context()).person.Name
	if !d.streams.take(who) {
		d.metrics.cut.WithLabelValues("no-room").Inc()
		p := kindTooMany.problem("too many streams are open: close one, or follow the floor instead of each table")
		p.retryAfterS = 5
		d.fail(w, r, p)
		return
	}
	defer d.streams.leave(who)
	d.metrics.streams.WithLabelValues(name).Inc()
	h := w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["X-Accel-Buffering"] = []string{"no"}
	s := &stream{d: d, w: w, control: http.NewResponseController(w)}
	// The server's time for a request does not hold for one that has no end.
	if err := s.control.SetReadDeadline(time.Time{}); err != nil {
		d.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
	if err := d.stream(r.Context(), s, topic, last, resumed, standing, send); err != nil && r.Context().Err() == nil {
		d.metrics.cut.WithLabelValues(cutFor(err)).Inc()
	}
}

// stream sends everything, without a gap and nothing twice: whoever comes back
// hears the past first, and what happens meanwhile waits in the follower's buffer.
func (d *door) stream(ctx context.Context, s *stream, topic house.Topic, last int64, resumed bool, standing func(*stream) (int64, error), send func(*stream, *house.Notice) error) error {
	past := func() error {
		return d.House.Since(ctx, topic, last, func(n *house.Notice) error {
			last = n.Seq
			return send(s, n)
		})
	}
	if resumed {
		// Once before following, so that a long past does not fill the buffer.
		if err := past(); err != nil {
			return err
		}
	}
	follower := d.House.Follow(topic, d.Limits.StreamBuffer)
	defer follower.Close()
	var err error
	if resumed {
		err = past()
	} else {
		last, err = standing(s)
	}
	if err != nil {
		return err
	}
	return d.live(ctx, s, follower, last, send)
}

// live sends what comes until it ends.
func (d *door) live(ctx context.Context, s *stream, f *house.Follower, last int64, send func(*stream, *house.Notice) error) error {
	beat := time.NewTicker(d.Limits.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			if !d.still(ctx) {
				return errSignedOut
			}
			if err := s.alive(); err != nil {
				return err
			}
		case n, ok := <-f.C:
			if !ok {
				return f.Err()
			}
			if n.Seq <= last {
				continue
			}
			if err := send(s, n); err != nil {
				return err
			}
		}
	}
}

// errSignedOut ends the streams of a session that has ended.
var errSignedOut = errors.New("signed out")

// still reports whether whoever follows is still let in.
func (d *door) still(ctx context.Context) bool {
	c := callOf(ctx)
	var err error
	if c.machine != "" {
		_, err = d.Identity.Machine(c.machine)
	} else {
		_, err = d.Identity.Peek(c.session)
	}
	return err == nil
}

func cutFor(err error) string {
	switch {
	case errors.Is(err, errSignedOut):
		return "signed-out"
	case errors.Is(err, house.ErrSlow):
		return "slow"
	case errors.Is(err, house.ErrStopped):
		return "stopped"
	}
	return "gone"
}

// lastEventID is the last message that a reader has seen; resumed says that he
// has seen one. Who cannot set a header says it after the question mark.
func lastEventID(r *http.Request) (last int64, resumed bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, false, nil
	}
	last, err = strconv.ParseInt(text, 10, 64)
	if err != nil || last < 0 {
		return 0, false, kindInvalid.problem("Last-Event-ID is the id of the last message that you have seen")
	}
	return last, true, nil
}

func (d *door) streamRoutes() {
	d.mux.HandleFunc("GET /api/v1/tables/{table}/events", d.tableEvents)
	d.describeStream("table-events", "/api/v1/tables/{table}/events", "Follow a table",
		"Everything that happens at the table, from the moment of the request on, or from the message on that Last-Event-ID names. The first message, standing, is the table as GET shows it, and is left out where you come back; each other, table, is one transaction as you may know it.",
		[]*huma.Param{
			{Name: "table", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}, Description: "The table's name.", Example: "T1"},
			{Name: "picture", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean}, Description: "Send with each message the table as you may see it after it."},
		},
		map[string]reflect.Type{"standing": reflect.TypeFor[Table](), "table": reflect.TypeFor[TableNotice]()})
	d.mux.HandleFunc("GET /api/v1/jackpots/{jackpot}/events", d.jackpotEvents)
	d.describeStream("jackpot-events", "/api/v1/jackpots/{jackpot}/events", "Follow a jackpot",
		"What moves the jackpot. The first message, standing, is the jackpot as GET shows it; each one after it, jackpot, is one transaction and the jackpot after it.",
		[]*huma.Param{{Name: "jackpot", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}, Description: "The jackpot's name.", Example: "linked"}},
		map[string]reflect.Type{"standing": reflect.TypeFor[Meter](), "jackpot": reflect.TypeFor[MeterNotice]()})
	d.mux.HandleFunc("GET /api/v1/floor/events", d.floorEvents)
	d.describeStream("floor-events", "/api/v1/floor/events", "Follow the floor",
		"Where the rounds of all tables stand: a message when a round comes a step further, when a jackpot is paid or changed, and when something is decided about the house. The first message, standing, lists the tables as GET does.",
		nil, map[string]reflect.Type{"standing": reflect.TypeFor[standingFloor](), "floor": reflect.TypeFor[FloorNotice]()})
}

func (d *door) jackpotEvents(w http.ResponseWriter, r *http.Request) {
	if _, err := need(r.Context(), access.SeeFloor); err != nil {
		d.fail(w, r, err)
		return
	}
	name := r.PathValue("jackpot")
	if _, ok := d.House.Jackpot(name); !ok {
		d.fail(w, r, house.ErrNoJackpot)
		return
	}
	d.follow(w, r, house.Topic{Jackpot: name}, "jackpot", func(s *stream) (int64, error) {
		is, ok := d.House.Jackpot(name)
		if !ok {
			return 0, house.ErrNoJackpot
		}
		return 0, s.send(0, "standing", meterOf(name, &is))
	}, func(s *stream, n *house.Notice) error {
		events := moved(n.Moved)
		if len(events) == 0 {
			return nil
		}
		return s.send(n.Seq, "jackpot", &MeterNotice{Seq: n.Seq, AtMs: n.AtMs, Events: events, Jackpot: meterOf(name, &n.Meter)})
	})
}

// FloorNotice is what the stream of the floor sends: that a round has come a step
// further at a table, or that something was decided about the house.
type FloorNotice struct {
	Seq     int64    `json:"seq"`
	AtMs    int64    `json:"at_ms"`
	Table   string   `json:"table,omitempty"`
	Round   int      `json:"round,omitempty"`
	Steps   []string `json:"steps,omitempty" doc:"The kinds of what happened, such as bets-opened or settled."`
	Jackpot string   `json:"jackpot,omitempty" doc:"The jackpot that was paid or changed."`
	House   []string `json:"house,omitempty" doc:"The kinds of what was decided about the house, such as drained."`
}

// steps are the events by which a round comes from one phase to another, or by
// which somebody is needed.
var steps = map[string]bool{
	"table-opened": true, "table-closed": true, "bets-opened": true, "bets-closed": true, "deal-finished": true,
	"dealer-shown": true, "settled": true, "round-voided": true, "question-asked": true, "question-answered": true,
	"progressive-failed": true, "progressive-suspended": true, "progressive-restored": true,
}

func floorNotice(n *house.Notice) *FloorNotice {
	out := &FloorNotice{Seq: n.Seq, AtMs: n.AtMs, Table: n.Table, Round: n.Round}
	for _, e := range n.Events {
		if kind := table.EventKind(e); steps[kind] {
			out.Steps = append(out.Steps, kind)
		}
	}
	for _, e := range moved(n.Moved) {
		switch e.Event.(type) {
		case jackpot.Contributed, jackpot.ContributionsReversed: // With every round.
		default:
			out.Jackpot = n.Jackpot
		}
	}
	for _, e := range n.House {
		out.House = append(out.House, e.Kind)
	}
	if len(out.Steps) == 0 && out.Jackpot == "" && len(out.House) == 0 {
		return nil
	}
	return out
}

// standingFloor is what a reader of the floor begins with.
type standingFloor struct {
	Tables []ListedTable `json:"tables"`
}

func (d *door) floorEvents(w http.ResponseWriter, r *http.Request) {
	if _, err := need(r.Context(), access.SeeFloor); err != nil {
		d.fail(w, r, err)
		return
	}
	d.follow(w, r, house.Topic{}, "floor", func(s *stream) (int64, error) {
		return 0, s.send(0, "standing", &standingFloor{d.listed()})
	}, func(s *stream, n *house.Notice) error {
		if step := floorNotice(n); step != nil {
			return s.send(n.Seq, "floor", step)
		}
		return nil
	})
}

func (d *door) tableEvents(w http.ResponseWriter, r *http.Request) {
	who, err := need(r.Context(), access.SeeTable)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	name := r.PathValue("table")
	if _, err := d.House.Table(name); err != nil {
		d.fail(w, r, err)
		return
	}
	pictures := r.URL.Query().Get("picture") == "true"
	v := viewer(who)
	d.follow(w, r, house.Topic{Table: name}, "table", func(s *stream) (int64, error) {
		is, err := d.House.Standing(name)
		if err != nil {
			return 0, err
		}
		return is.Seq, s.send(is.Seq, "standing", d.tableFor(&is, who))
	}, func(s *stream, n *house.Notice) error {
		return s.send(n.Seq, "table", tableNotice(n, v, pictures))
	})
}

// tableNotice is a notice of a table as a reader may know it.
func tableNotice(n *house.Notice, v table.Viewer, pictures bool) *TableNotice {
	out := &TableNotice{
		Seq: n.Seq, AtMs: n.AtMs, Table: n.Table, Round: n.State.Round, Phase: n.State.Phase,
		By: n.Cause.By, Role: n.Cause.Role, Command: n.Cause.Kind, Jackpot: moved(n.Moved),
	}
	out.Events, out.Seeds = eventsFor(n.Events, &n.State, v), n.Deal
	for _, e := range n.House {
		out.House = append(out.House, e.Kind)
	}
	if pictures {
		picture := table.View(n.State, v)
		out.Picture = &picture
	}
	return out
}
