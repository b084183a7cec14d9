package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/money"
)

// disk reads a record, and one kind of reading fails at its end.
type disk struct {
	Record
	Evidence
	fails string // which kind of reading; empty for none
	tried int    // how often it was read in that kind
}

var errGone = errors.New("the disk is gone")

// end is the error of a reading. What ends it is wrapped, as a store may do.
func (d *disk) end(kind string, err error) error {
	if kind == d.fails {
		d.tried++
		return errGone
	}
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

func (d *disk) Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error {
	return d.end("a stream", d.Record.Read(ctx, stream, after, yield))
}

func (d *disk) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return d.end("transactions", d.Record.ReadAll(ctx, after, stream, yield))
}

func (d *disk) Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return d.end("rounds", d.Record.Rounds(ctx, stream, before, limit, yield))
}

func (d *disk) Movements(ctx context.Context, a ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return d.end("movements", d.Record.Movements(ctx, a, before, limit, yield))
}

func (d *disk) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return d.end("leaves", d.Evidence.Leaves(ctx, after, yield))
}

func (d *disk) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	seq, err := d.Evidence.Balances(ctx, yield)
	return seq, d.end("balances", err)
}

func (d *disk) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	return d.end("names", d.Evidence.Names(ctx, after, yield))
}

// Nothing is answered from a reading of the record that failed, however much of it was read: a
// part would be taken for all there is. A page that is full is no failure. The log hides more
// where it cannot find out which rounds have ended.
func TestWhatCouldNotBeReadIsNotAnswered(t *testing.T) {
	d := &disk{}
	s := newSite(t, func(c *Config) {
		d.Record, d.Evidence = c.Record, c.Evidence
		c.Record, c.Evidence = d, d
	})
	s.install("T1", "rws-3cp")
	s.install("T2", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.settled("T2", "ann")
	s.settled("T1", "ann")
	s.done("dan", "T2", `{"kind":"open-bets"}`)
	s.dealt("T1", "ann")
	kinds := []string{"transactions", "rounds", "movements", "leaves", "balances", "names"}
	failed := map[string]bool{}
	for _, ask := range [][2]string{
		{"eye", "/api/v1/log"},
		{"eye", "/api/v1/log?limit=1"},
		{"eye", "/api/v1/rounds"},
		{"eye", "/api/v1/tables/T1/rounds"},
		{"eye", "/api/v1/tables/T2/rounds/1"},
		{"sue", "/api/v1/reports/pit"},
		{"sue", "/api/v1/accounts/player:ann/movements"},
		{"ann", "/api/v1/tables/T2/rounds/1"},
		{"ann", "/api/v1/account/movements"},
		{"ann", "/api/v1/account/movements?limit=1"},
		{"ann", "/api/v1/account/rounds"},
		{"ann", "/api/v1/account/rounds?before=1000"},
		{"ann", "/api/v1/account/rounds?limit=1"},
		{"aud", "/api/v1/audit/transactions"},
		{"aud", "/api/v1/audit/transactions?limit=1"},
		{"aud", "/api/v1/audit/balances"},
		{"aud", "/api/v1/audit/names"},
		{"aud", "/api/v1/audit/names?limit=1"},
	} {
		person, path := ask[0], ask[1]
		d.fails = ""
		hidden := strings.Count(s.get(person, path).text, "??")
		for _, kind := range append(slices.Clone(kinds), "") {
			d.fails, d.tried = kind, 0
			want := http.StatusOK
			r := s.get(person, path)
			if kind == "rounds" && strings.HasPrefix(path, "/api/v1/log") {
				if now := strings.Count(r.text, "??"); now < hidden || d.tried > 0 && now == hidden {
					t.Errorf("%s hides %d cards, and %d where the rounds cannot be read", path, hidden, now)
				}
			} else if d.tried > 0 {
				want, failed[kind] = http.StatusInternalServerError, true
			}
			if r.StatusCode != want || want != http.StatusOK && r.problem(t).Type != kindUnexpected.problem("").Type {
				t.Errorf("%s asks for %s, and reading %q fails: %s %s", person, path, kind, r.Status, r.text)
			}
		}
	}
	for _, kind := range kinds {
		if !failed[kind] {
			t.Errorf("nothing reads %s", kind)
		}
	}
}

// A report to all tables of a jackpot is a repetition if every table that took it answers again.
func TestARepetitionAtEachTableIsOne(t *testing.T) {
	refused := house.TableReport{Table: "T1", Refused: house.ErrStopped}
	again := house.TableReport{Table: "T2", Result: house.Result{Repeated: true}}
	done := house.TableReport{Table: "T3"}
	for _, c := range []struct {
		name    string
		reports []house.TableReport
		want    string
	}{
		{"no tables", nil, ""},
		{"all again", []house.TableReport{again, again}, "true"},
		{"one refuses, one again", []house.TableReport{refused, again}, "true"},
		{"one again, one now", []house.TableReport{again, done}, ""},
		{"one now, one again", []house.TableReport{done, again}, ""},
		{"one refuses, one now", []house.TableReport{refused, done}, ""},
	} {
		var why []string
		tables, replayed := atTables(c.reports, func(r *house.TableReport, refused string) string {
			why = append(why, refused)
			return r.Table
		})
		if replayed != c.want || len(tables) != len(c.reports) {
			t.Errorf("%s: %v, again %q, want %q", c.name, tables, replayed, c.want)
		}
		for i, r := range c.reports {
			if (why[i] != "") != (r.Refused != nil) || tables[i] != r.Table {
				t.Errorf("%s: %s is refused for %q", c.name, tables[i], why[i])
			}
		}
	}
}

// How deep JSON is nested is counted outside of its strings, and no deeper than any command.
func TestTheDepthOfARequestIsCounted(t *testing.T) {
	nested := func(n int, inside string) string {
		var text []byte
		for range n {
			text = append(text, '[')
		}
		text = append(text, inside...)
		for range n {
			text = append(text, ']')
		}
		return string(text)
	}
	open := nested(maxDepth+1, "")[:maxDepth+1] // only the opening ones
	for text, deep := range map[string]bool{
		nested(maxDepth, ""):                       false,
		nested(maxDepth+1, ""):                     true,
		nested(maxDepth, "{}"):                     true,
		"[" + nested(maxDepth-1, "") + ",[[]],{}]": false, // what was closed does not count
		"[" + nested(maxDepth-1, "[]") + "]":       true,
		`"` + open + `"`:                           false,
		`"\"` + open + `"`:                         false, // the string goes on behind a quoted quote
		`"\\"` + open:                              true,  // and has ended behind a quoted backslash
		`\` + open:                                 true,  // which means nothing outside of a string
		nested(maxDepth-1, "{},{}"):                false, // nor do objects
		`{"a":"` + open + `","b":` + open + `}`:    true,
	} {
		if err := checkDepth([]byte(text)); (err != nil) != deep {
			t.Errorf("%s: %v, too deep %t", text, err, deep)
		}
	}
}

// A house whose clock is far behind its record is not ready.
func TestAHouseWhoseClockIsWrongIsNotReady(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", money.Major)
	s.aheadMs.Store(maxGapMs + 1000)
	if p := s.get("", "/readyz").problem(t); p.Status != http.StatusServiceUnavailable || p.Type != kindClock.problem("").Type {
		t.Errorf("%+v", p)
	}
	s.aheadMs.Store(0)
	if r := s.get("", "/readyz"); r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, r.text)
	}
}

// full is a store that writes nothing any more.
type full struct{ house.Store }

func (full) Append(*house.Transaction) <-chan house.AppendResult {
	done := make(chan house.AppendResult, 1)
	done <- house.AppendResult{Err: house.ErrFailed}
	return done
}

// A house that cannot write has stopped: it is not ready, and lives.
func TestAHouseThatCannotWriteIsNotReady(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.line.Store = full{s.line.Store}
	for what, r := range map[string]*reply{"a command": s.order("dan", "T1", `{"kind":"open-bets"}`), "/readyz": s.get("", "/readyz")} {
		if p := r.problem(t); p.Status != http.StatusServiceUnavailable || p.Type != kindStopped.problem("").Type {
			t.Errorf("%s: %+v", what, p)
		}
	}
	if r := s.get("", "/healthz"); r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, r.text)
	}
}

// lasting is an [Identity] that ends no sessions.
type lasting struct{ Identity }

func (lasting) EndSessions(context.Context, identity.ChangeRequest, string) error { return errGone }

// Sessions that could not be ended go on, and the person is told.
func TestSessionsThatCouldNotBeEndedGoOn(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Identity = lasting{c.Identity} })
	r := s.ask("adm", http.MethodDelete, "/api/v1/sessions", "")
	if r.StatusCode != http.StatusInternalServerError || r.Header.Get("Set-Cookie") != "" {
		t.Errorf("%s %v", r.Status, r.Header)
	}
}

// People are told of their session, and machines have none.
func TestASessionIsReported(t *testing.T) {
	s := newSite(t)
	for name, session := range map[string]bool{"adm": true, "ann": false} {
		var me CurrentUser
		s.get(name, "/api/v1/me").into(t, &me)
		if (me.Session != nil) != session || me.Name != name || me.Session != nil && me.Session.EndsMs <= me.Session.SinceMs {
			t.Errorf("%s: %+v %+v", name, me, me.Session)
		}
	}
}

// A message before the first transaction has no number: whoever comes back is sent everything.
func TestAMessageBeforeTheFirstHasNoNumber(t *testing.T) {
	for id, want := range map[int64]string{0: "event: standing\ndata: 1\n\n", 7: "id: 7\nevent: standing\ndata: 1\n\n"} {
		var out bytes.Buffer
		if err := writeMessage(&out, id, "standing", 1); err != nil || out.String() != want {
			t.Errorf("%d: %q, %v", id, out.String(), err)
		}
	}
}

// A stream over what is no connection is refused, and gives its place back.
func TestAStreamNeedsAConnection(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamsEach = 1 })
	for range 2 {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/floor/events", nil)
		s.sign(r, "ann")
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r)
		if w.Code != http.StatusInternalServerError || w.Body.Len() == 0 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	s.held(0)
}

// What there is not is not found, for those who may change it.
func TestWhatThereIsNotIsNotChanged(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct{ person, method, path, body string }{
		{"adm", http.MethodDelete, "/api/v1/tokens/none?why=a+test", ""},
		{"adm", http.MethodPatch, "/api/v1/users/nobody", `{"disabled":true,"why":"a test"}`},
		{"adm", http.MethodDelete, "/api/v1/users/nobody/sessions?why=a+test", ""},
		{"sue", http.MethodPost, "/api/v1/tables/T9/release", `{"why":"a test"}`},
		{"sue", http.MethodPost, "/api/v1/proposals/9/approve", ""},
		{"sue", http.MethodPost, "/api/v1/proposals/9/decline", `{"why":"a test"}`},
		{"cas", http.MethodPost, "/api/v1/players/nobody/exclusion", `{"days":1,"why":"a test"}`},
		{"cas", http.MethodGet, "/api/v1/players/nobody/play", ""},
	} {
		s.status(http.StatusNotFound, "not-found", c.person, c.method, c.path, c.body)
	}
}
