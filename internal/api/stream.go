package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
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
	d  *door
	to outlet
	// out is what is to be written next, nil for nothing: a stream at which nothing
	// happens holds no buffer.
	out *bytes.Buffer
	// deadline is until when the connection may be written to, flushed when it was,
	// and busy says that it was since the last heartbeat.
	deadline time.Time
	busy     bool
	flushed  time.Time
}

// outlet is where a stream is written to: its connection, or the answer to its
// request where that cannot be taken over.
type outlet interface {
	Write(p []byte) (int, error)
	Flush() error
	SetWriteDeadline(until time.Time) error
}

type answerOutlet struct {
	http.ResponseWriter
	*http.ResponseController
}

type connOutlet struct{ net.Conn }

// Flush does nothing: what is written to a connection is on its way.
func (connOutlet) Flush() error { return nil }

// atOnce is how much is written at once at least where more is to come.
const atOnce = 16 << 10

// send sends one message, at the latest with the next flush. An error means that
// the reader has gone, or is too slow to be waited for.
func (s *stream) send(id int64, event string, v any) error {
	if err := writeMessage(s.buffer(), id, event, v); err != nil {
		return err
	}
	return s.sent()
}

// sendText sends a message that is written already.
func (s *stream) sendText(text []byte) error {
	s.buffer().Write(text)
	return s.sent()
}

func (s *stream) sent() error {
	if s.out.Len() >= atOnce {
		return s.flush()
	}
	return nil
}

func (s *stream) buffer() *bytes.Buffer {
	if s.out == nil {
		s.out = buffers.Get().(*bytes.Buffer)
	}
	return s.out
}

func writeMessage(out *bytes.Buffer, id int64, event string, v any) error {
	if id > 0 {
		out.WriteString("id: ")
		out.WriteString(strconv.FormatInt(id, 10))
		out.WriteByte('\n')
	}
	out.WriteString("event: ")
	out.WriteString(event)
	out.WriteString("\ndata: ")
	// JSON has no line break in it, and Encode puts one at its end.
	if err := json.NewEncoder(out).Encode(v); err != nil {
		return err
	}
	out.WriteByte('\n')
	return nil
}

// alive writes a comment, which readers leave out.
func (s *stream) alive() error {
	s.buffer().WriteString(": alive\n\n")
	return s.flush()
}

// flush writes what was sent.
func (s *stream) flush() error {
	if s.out == nil {
		return nil
	}
	now := time.Now() //nolint:forbidigo // the connection's clock
	// The deadline is set anew when a quarter of it has passed: doing so costs as
	// much as a third of writing.
	if limit := s.d.Limits.WriteTimeout; s.deadline.Sub(now) < limit-limit/4 {
		s.deadline = now.Add(limit)
		if err := s.to.SetWriteDeadline(s.deadline); err != nil {
			return err
		}
	}
	_, err := s.to.Write(s.out.Bytes())
	if s.out.Cap() <= maxKept {
		s.out.Reset()
		buffers.Put(s.out)
	}
	s.out, s.busy, s.flushed = nil, true, now
	if err != nil {
		return err
	}
	return s.to.Flush()
}

// shared are the messages of tables that were written last. All who follow a table
// without pictures are sent the same: what nobody may know is in none of them.
type shared [sharedMessages]atomic.Pointer[sharedMessage]

// sharedMessages is more than happens while the readers of a table are told.
const sharedMessages = 1024

type sharedMessage struct {
	seq   int64
	write sync.Once
	text  []byte
	err   error
}

// message is the message of a notice of a table for whoever may know least.
func (m *shared) message(n *house.Notice) ([]byte, error) {
	slot := &m[n.Seq%sharedMessages]
	is := slot.Load()
	if is == nil || is.seq != n.Seq {
		fresh := &sharedMessage{seq: n.Seq}
		if slot.CompareAndSwap(is, fresh) {
			is = fresh
		} else if is = slot.Load(); is.seq != n.Seq {
			is = fresh // The others have left it far behind.
		}
	}
	is.write.Do(func() {
		var out bytes.Buffer
		is.err = writeMessage(&out, n.Seq, "table", tableNotice(n, table.Viewer{}, false))
		is.text = out.Bytes()
	})
	return is.text, is.err
}

// follow streams a topic until the reader goes or is cut off. Standing sends what a
// reader begins with who has seen nothing yet, under the number up to which that is,
// which is from at least; send sends one notice. Whoever comes back is sent what he has missed.
func (d *door) follow(w http.ResponseWriter, r *http.Request, topic house.Topic, name string, standing func(s *stream, from int64) (upTo int64, err error), send func(*stream, *house.Notice) error) {
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
	d.metrics.streams.WithLabelValues(name).Inc()
	h := w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["X-Accel-Buffering"] = []string{"no"}
	if r.Method == http.MethodHead {
		d.streams.leave(who)
		w.WriteHeader(http.StatusOK)
		return
	}
	f := &following{topic: topic, last: last, resumed: resumed, standing: standing, send: send}
	control := http.NewResponseController(w)
	conn, err := takeOver(control, h)
	switch {
	case err == nil:
		c := *callOf(r.Context())
		c.body = nil // all that a server keeps for a request would stay with it
		callOf(r.Context()).status = http.StatusOK
		d.alone(conn, &c, f)
		return
	case !errors.Is(err, http.ErrNotSupported):
		d.streams.leave(who) // The reader has gone in this very moment.
		return
	}
	defer d.streams.leave(who)
	// The server's time for a request does not hold for one that has no end.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		d.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
	s := &stream{d: d, to: answerOutlet{w, control}}
	if err = d.begin(r.Context(), s, f); err == nil {
		err = d.live(r.Context(), s, f)
	}
	d.ended(r.Context(), s, f, err)
}

// following is what somebody follows.
type following struct {
	topic house.Topic
	// last is the last notice that was sent; resumed says that the reader had seen
	// it before he came.
	last     int64
	resumed  bool
	standing func(s *stream, from int64) (upTo int64, err error)
	send     func(*stream, *house.Notice) error
	follower *house.Follower
}

// takeOver takes the connection of a request over and writes the head of its
// answer. A stream lasts for hours and needs none of what a server keeps for a
// request: without that a reader takes a third of the memory.
func takeOver(control *http.ResponseController, h http.Header) (net.Conn, error) {
	conn, _, err := control.Hijack()
	if err != nil {
		return nil, err
	}
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	h.Write(&head) //nolint:errcheck // a buffer takes everything
	// It ends with the connection.
	head.WriteString("Date: " + time.Now().UTC().Format(http.TimeFormat) + "\r\nConnection: close\r\n\r\n") //nolint:forbidigo // the connection's clock
	if err := conn.SetWriteDeadline(time.Now().Add(firstWrite)); err != nil {                               //nolint:forbidigo // see above
		return nil, errors.Join(err, conn.Close())
	}
	if _, err := conn.Write(head.Bytes()); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// firstWrite is how long the head of a stream may take to be written.
const firstWrite = 5 * time.Second

// alone serves a stream on a connection of its own. It returns when the reader has
// what he begins with, so that the goroutine and all else that the server has for a
// request can go.
func (d *door) alone(conn net.Conn, c *call, f *following) {
	ctx, gone := context.WithCancel(context.WithValue(context.Background(), callKey{}, c))
	s := &stream{d: d, to: connOutlet{conn}}
	end := func(err error) {
		d.ended(ctx, s, f, err)
		gone()
		_ = conn.Close() // nothing is lost with it
		d.streams.leave(c.person.Name)
	}
	if err := d.begin(ctx, s, f); err != nil {
		end(err)
		return
	}
	go func() {
		// A reader sends nothing; when he goes this ends.
		var b [16]byte
		for {
			if _, err := conn.Read(b[:]); err != nil {
				gone()
				return
			}
		}
	}()
	go func() {
		var err error
		defer func() {
			if fault := recover(); fault != nil {
				d.Log.LogAttrs(ctx, slog.LevelError, "a stream broke", slog.String("request", c.id), slog.String("stack", journal.WithoutCards(string(debug.Stack()))))
			}
			end(err)
		}()
		err = d.live(ctx, s, f)
	}()
}

// ended gives back what a stream held, and counts why it ended where the reader
// did not go by himself.
func (d *door) ended(ctx context.Context, s *stream, f *following, err error) {
	if f.follower != nil {
		f.follower.Close()
	}
	s.release()
	if err != nil && ctx.Err() == nil {
		d.metrics.cut.WithLabelValues(cutFor(err)).Inc()
	}
}

// begin follows, and sends what a reader begins with, without a gap and nothing
// twice: whoever comes back hears the past first, and what happens meanwhile waits
// in the follower's buffer.
func (d *door) begin(ctx context.Context, s *stream, f *following) error {
	past := func() error {
		return d.House.Since(ctx, f.topic, f.last, func(n *house.Notice) error {
			f.last = n.Seq
			return f.send(s, n)
		})
	}
	if f.resumed {
		// Once before following, so that a long past does not fill the buffer.
		if err := past(); err != nil {
			return err
		}
	}
	f.follower = d.House.Follow(f.topic, d.Limits.StreamBuffer)
	var err error
	if f.resumed {
		err = past()
	} else {
		f.last, err = f.standing(s, f.follower.From())
	}
	if err != nil {
		return err
	}
	return s.flush()
}

// release gives back what was not written.
func (s *stream) release() {
	if s.out != nil {
		s.out.Reset()
		buffers.Put(s.out)
		s.out = nil
	}
}

// between is how long a stream is not written to after it was: what happens in that
// time goes together, because to write once costs more than all that is written.
// People do not see it, and where little happens nothing waits.
const between = 20 * time.Millisecond

// live sends what comes until it ends.
func (d *door) live(ctx context.Context, s *stream, f *following) error {
	beats := d.pulses.join(d.Limits.Heartbeat)
	defer beats.leave()
	var later *time.Timer // what was sent is flushed when it fires
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.Closing:
			return s.flush()
		case <-beats.next():
			if !d.still(ctx) {
				return errSignedOut
			}
			if was := s.busy; was {
				s.busy = false
				continue
			}
			if err := s.alive(); err != nil {
				return err
			}
		case <-due:
			due = nil
			if err := s.flush(); err != nil {
				return err
			}
		case <-f.follower.Woken():
			open, err := f.pass(s)
			if err != nil {
				return err
			}
			if !open {
				return errors.Join(s.flush(), f.follower.Err())
			}
			if due != nil || s.out == nil {
				continue
			}
			wait := between - time.Since(s.flushed)
			if wait <= 0 {
				if err := s.flush(); err != nil {
					return err
				}
				continue
			}
			if later == nil {
				later = time.NewTimer(wait)
				defer later.Stop()
			} else {
				later.Reset(wait)
			}
			due = later.C
		}
	}
}

// pass sends everything that waits for the reader and that he has not seen. It is not
// open any more when nothing will come.
func (f *following) pass(s *stream) (open bool, err error) {
	for {
		n, open := f.follower.Next()
		if n == nil {
			return open, nil
		}
		if n.Seq <= f.last {
			continue
		}
		if err := f.send(s, n); err != nil {
			return false, err
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
	d.follow(w, r, house.Topic{Jackpot: name}, "jackpot", func(s *stream, from int64) (int64, error) {
		is, ok := d.House.Jackpot(name)
		if !ok {
			return 0, house.ErrNoJackpot
		}
		return from, s.send(from, "standing", meterOf(name, &is))
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
	d.follow(w, r, house.Topic{}, "floor", func(s *stream, from int64) (int64, error) {
		return from, s.send(from, "standing", &standingFloor{d.listed()})
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
	d.follow(w, r, house.Topic{Table: name}, "table", func(s *stream, from int64) (int64, error) {
		is, err := d.House.Standing(name)
		if err != nil {
			return 0, err
		}
		upTo := max(is.Seq, from)
		return upTo, s.send(upTo, "standing", d.tableFor(&is, who))
	}, func(s *stream, n *house.Notice) error {
		if !pictures {
			text, err := d.shared.message(n)
			return errors.Join(err, s.sendText(text))
		}
		return s.send(n.Seq, "table", tableNotice(n, v, true))
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
