package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/record"
	"trey/jackpot"
	"trey/table"
)

// TableNotice is a message of a table's stream: one transaction.
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

// MeterNotice is a message of a jackpot's stream.
type MeterNotice struct {
	Seq     int64        `json:"seq"`
	AtMs    int64        `json:"at_ms"`
	Events  []MeterEvent `json:"events"`
	Jackpot Meter        `json:"jackpot" doc:"The jackpot after it."`
}

// noticeEncoder encodes the notices of a stream. Forms are compared: all subscribers of a topic
// with the same form receive the same bytes, which are encoded once.
type noticeEncoder interface {
	// topic returns the label of the stream in the metrics.
	topic() string
	// write encodes a notice, or writes nothing if the form leaves it out.
	write(out *bytes.Buffer, n *house.Notice) error
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

// follow streams a topic until the peer goes or is disconnected. standing returns the
// snapshot for a new subscriber and its sequence number, which is >= from. A subscriber
// that comes back receives the notices that it has missed.
func (d *server) follow(w http.ResponseWriter, r *http.Request, topic house.Topic, in noticeEncoder, standing func(from int64) (upTo int64, first any, err error)) {
	last, resumed, err := lastEventID(r, in.topic() == "table")
	if err == nil && resumed {
		err = d.checkReached(last)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	person := callOf(r.Context()).person.Name
	if !d.streams.take(person) && (d.broadcasters.endClosed(person) == 0 || !d.streams.take(person)) {
		d.metrics.cut.WithLabelValues("no-room").Inc()
		p := kindTooMany.problem("too many streams are open: close one, or follow the floor instead of each table")
		p.retryAfterS = 5
		d.fail(w, r, p)
		return
	}
	d.metrics.streams.WithLabelValues(in.topic()).Inc()
	h := w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["X-Accel-Buffering"] = []string{"no"}
	if r.Method == http.MethodHead {
		d.streams.leave(person)
		w.WriteHeader(http.StatusOK)
		return
	}
	conn, err := takeOver(http.NewResponseController(w), h)
	if err != nil {
		d.streams.leave(person)
		if errors.Is(err, http.ErrNotSupported) {
			d.fail(w, r, err)
		} // Or else the reader has gone in this very moment.
		return
	}
	c := *callOf(r.Context())
	c.body = nil // all that a server keeps for a request would stay with it
	callOf(r.Context()).status = http.StatusOK
	s := &subscriber{broadcaster: d.broadcasters.enter(topic), call: &c, encoder: in, last: last, conn: conn, raw: rawOf(conn)}
	err = errBroken // unless it comes so far as to say otherwise
	defer func() {
		if err != nil {
			s.end(err)
		}
	}()
	if resumed {
		standing = nil
	}
	err = s.join(r.Context(), standing)
}

// takeOver takes the connection of a request over and writes the head of its
// answer. A stream lasts for hours and needs none of what a server keeps for a
// request.
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
	if err := conn.SetDeadline(time.Now().Add(firstWrite)); err != nil {                                    //nolint:forbidigo // see above
		return nil, errors.Join(err, conn.Close())
	}
	if _, err := conn.Write(head.Bytes()); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// firstWrite bounds the time for writing the head of a stream.
const firstWrite = 5 * time.Second

// lastEventID returns the number of the last message that the subscriber has seen, and
// whether it has seen one. A client that cannot set a header uses the query parameter
// after. It refuses every other parameter but picture, where there is one: whoever
// misspells one would be sent something else than they asked for.
func lastEventID(r *http.Request, pictured bool) (last int64, resumed bool, err error) {
	for name := range r.URL.Query() {
		if name != "after" && (name != "picture" || !pictured) {
			return 0, false, kindInvalid.problem("there is no query parameter " + strconv.Quote(name) + " here: a stream takes after, and that of a table picture")
		}
	}
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

// checkReached refuses a message that the record does not reach. A house that went on from an older copy
// would send nothing until it does, and leave out what happened until then.
func (d *server) checkReached(last int64) error {
	if d.Last == nil {
		return nil
	}
	if end := d.Last(); last > end {
		return kindInvalid.problem(fmt.Sprintf("Last-Event-ID is %d and the record ends at %d: it is not the record that you followed, or it went on from an older copy; connect again without Last-Event-ID", last, end))
	}
	return nil
}

func (d *server) streamRoutes() {
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

func (d *server) jackpotEvents(w http.ResponseWriter, r *http.Request) {
	if _, err := requirePermission(r.Context(), access.SeeFloor); err != nil {
		d.fail(w, r, err)
		return
	}
	name := r.PathValue("jackpot")
	if _, ok := d.House.Jackpot(name); !ok {
		d.fail(w, r, house.ErrNoJackpot)
		return
	}
	d.follow(w, r, house.Topic{Jackpot: name}, meterEncoder{}, func(from int64) (int64, any, error) {
		status, _ := d.House.Jackpot(name) // a jackpot that there is stays
		return from, meterOf(name, &status), nil
	})
}

// meterEncoder encodes the movements of a jackpot.
type meterEncoder struct{}

func (meterEncoder) topic() string { return "jackpot" }

func (meterEncoder) write(out *bytes.Buffer, n *house.Notice) error {
	events := meterEventsOf(n.Moved)
	if len(events) == 0 {
		return nil
	}
	meter := n.Meter.Shown()
	return writeMessage(out, n.Seq, "jackpot", &MeterNotice{Seq: n.Seq, AtMs: n.AtMs, Events: events, Jackpot: meterOf(n.Jackpot, &meter)})
}

// FloorNotice is a message of the floor's stream: a step of a round at a table, or a
// decision about the house.
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
		if kind := record.TableEvents.Name(e.For(table.Viewer{})); steps[kind] {
			out.Steps = append(out.Steps, kind)
		}
	}
	for _, e := range meterEventsOf(n.Moved) {
		switch e.Event.(type) {
		case jackpot.Contributed, jackpot.ContributionsReversed: // With every round.
		default:
			out.Jackpot = n.Jackpot
		}
	}
	out.House = n.House
	if len(out.Steps) == 0 && out.Jackpot == "" && len(out.House) == 0 {
		return nil
	}
	return out
}

// standingFloor is the snapshot of the floor.
type standingFloor struct {
	Tables []ListedTable `json:"tables"`
}

func (d *server) floorEvents(w http.ResponseWriter, r *http.Request) {
	if _, err := requirePermission(r.Context(), access.SeeFloor); err != nil {
		d.fail(w, r, err)
		return
	}
	d.follow(w, r, house.Topic{}, floorEncoder{}, func(from int64) (int64, any, error) {
		return from, &standingFloor{d.listed()}, nil
	})
}

// floorEncoder encodes the steps of the rounds at all tables.
type floorEncoder struct{}

func (floorEncoder) topic() string { return "floor" }

func (floorEncoder) write(out *bytes.Buffer, n *house.Notice) error {
	step := floorNotice(n)
	if step == nil {
		return nil
	}
	return writeMessage(out, n.Seq, "floor", step)
}

func (d *server) tableEvents(w http.ResponseWriter, r *http.Request) {
	person, err := requirePermission(r.Context(), access.SeeTable)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	name := r.PathValue("table")
	if _, err := d.House.Table(name); err != nil {
		d.fail(w, r, err)
		return
	}
	in := tableEncoder{}
	if picture := r.URL.Query()["picture"]; picture != nil {
		if in.pictures, err = readFlag("picture", picture[0]); err != nil {
			d.fail(w, r, err)
			return
		}
	}
	if in.pictures {
		in.as = viewer(person)
	}
	d.follow(w, r, house.Topic{Table: name}, in, func(from int64) (int64, any, error) {
		status, err := d.House.Status(name)
		if err != nil {
			return 0, nil, err
		}
		return max(status.Seq, from), d.tableFor(&status, person), nil
	})
}

// tableEncoder encodes the events of a table. Without pictures a message holds only what
// everybody may know; with them each is for one viewer.
type tableEncoder struct {
	pictures bool
	as       table.Viewer
}

func (tableEncoder) topic() string { return "table" }

func (f tableEncoder) write(out *bytes.Buffer, n *house.Notice) error {
	return writeMessage(out, n.Seq, "table", tableNotice(n, f.as, f.pictures))
}

// tableNotice returns a notice of a table as a reader may know it.
func tableNotice(n *house.Notice, v table.Viewer, pictures bool) *TableNotice {
	out := &TableNotice{
		Seq: n.Seq, AtMs: n.AtMs, Table: n.Table, Round: n.State.Round(), Phase: n.State.Phase(),
		By: n.Cause.By, Role: n.Cause.Role, Command: n.Cause.Kind, Jackpot: meterEventsOf(n.Moved),
	}
	out.Events, out.Seeds = eventsFor(n.Events, n.State.Variant(), v), n.Deal
	out.House = n.House
	if pictures {
		picture := n.State.View(v)
		out.Picture = &picture
	}
	return out
}
