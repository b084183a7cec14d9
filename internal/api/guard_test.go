package api

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/money"
)

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What cannot be meant is refused with a clear problem, and the house plays on.
func TestBadInput(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	bet := func(amount string) string {
		return `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":` + amount + `}}`
	}
	for _, test := range []struct {
		name, body string
		status     int
		headers    []string
	}{
		{"nothing", "", 415, nil},
		{"nothing as JSON", " ", 400, nil},
		{"no JSON", "bet on box 1", 400, nil},
		{"half a command", `{"kind":"bet","body":{`, 400, nil},
		{"two commands", bet("500") + bet("500"), 422, nil},
		{"a list", `[` + bet("500") + `]`, 422, nil},
		{"no kind", `{"body":{}}`, 422, nil},
		{"an unknown kind", `{"kind":"cheat"}`, 422, nil},
		{"an unknown field", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500,"lucky":true}}`, 422, nil},
		{"an unknown field outside", `{"kind":"open-bets","lucky":true}`, 422, nil},
		{"a box in words", `{"kind":"bet","body":{"box":"one","player":"ann","wager":"ante","amount":500}}`, 422, nil},
		{"an unknown wager", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"lucky","amount":500}}`, 422, nil},
		{"a fraction", bet("500.5"), 422, nil},
		{"an exponent", bet("5e2"), 422, nil},
		{"nothing at stake", bet("0"), 422, nil},
		{"less than nothing", bet("-500"), 422, nil},
		{"the least number", bet("-9223372036854775808"), 422, nil},
		{"the greatest number", bet("9223372036854775807"), 422, nil},
		{"more than a number", bet("9223372036854775808"), 422, nil},
		{"a number without end", bet(strings.Repeat("9", 5000)), 422, nil},
		{"a box far away", `{"kind":"bet","body":{"box":9999999999,"player":"ann","wager":"ante","amount":500}}`, 409, nil},
		{"deeper than anything", strings.Repeat(`{"kind":`, 5000), 400, nil},
		{"larger than anything", `{"kind":"` + strings.Repeat("x", maxBody) + `"}`, 413, nil},
		{"as a form", bet("500"), 415, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"as text", bet("500"), 415, []string{"Content-Type", "text/plain"}},
		{"a key without end", bet("500"), 422, []string{"Idempotency-Key", strings.Repeat("k", 500)}},
		{"a version in words", bet("500"), 422, []string{"If-Match", "now"}},
		{"a version below none", bet("500"), 422, []string{"If-Match", `"-1"`}},
	} {
		r := s.order("ann", "T1", test.body, test.headers...)
		if p := r.problem(t); p.Status != test.status || p.Detail == "" || p.Instance == "" {
			t.Errorf("%s: %d %s, want %d", test.name, p.Status, r.text, test.status)
		}
	}
	for _, query := range []string{"?dry_run=perhaps", "?lucky=true"} {
		if p := s.ask("ann", http.MethodPost, "/api/v1/tables/T1/commands"+query, bet("500")).problem(t); p.Status != 422 {
			t.Errorf("%s: %+v", query, p)
		}
	}
	if p := s.order("ann", "T9", bet("500")).problem(t); p.Status != 404 {
		t.Errorf("no such table: %+v", p)
	}
	for path, status := range map[string]int{
		"/api/v1/tables?lucky=1": 422, "/api/v1/account/movements?limit=100000": 422, "/api/v1/account/movements?before=-1": 422,
		"/api/v1/nothing": 404, "/api/v1/tables/T9": 404, "/api/v1/jackpots/none": 404, "/api/v1/tables/T9/events": 404,
	} {
		if p := s.get("ann", path).problem(t); p.Status != status {
			t.Errorf("%s: %+v", path, p)
		}
	}
	for body, status := range map[string]int{
		`{"reason":"buy-in","player":"ann","amount":-5}`:                  422,
		`{"reason":"buy-in","player":"ann","amount":1.5}`:                 422,
		`{"reason":"buy-in","player":"ann","amount":9223372036854775807}`: 422,
		`{"reason":"gift","player":"ann","amount":5}`:                     422,
		`{"reason":"fill","table":"T1","amount":5}`:                       422,
		`{"reason":"buy-in","player":"ann","amount":5,"lucky":true}`:      422,
		`{"reason":"buy-in","amount":5}`:                                  422,
		`{"reason":"buy-in","player":"anne","amount":5}`:                  404,
		`{"reason":"buy-in","player":"sue","amount":5}`:                   404,
		`{"reason":"buy-in","player":"cas","amount":5}`:                   403,
		`{`: 400,
	} {
		if p := s.ask("cas", http.MethodPost, "/api/v1/cage", body).problem(t); p.Status != status {
			t.Errorf("%s: %+v", body, p)
		}
	}
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != 1000*money.Major {
		t.Errorf("ann has %s after nothing but nonsense", got)
	}
	s.done("ann", "T1", bet("500"))
}

// A key that stands twice is refused, also where the two differ in capital letters or in a
// letter that JSON readers take for another. Otherwise the document's bounds would hold for one
// of the values, and the house would carry out the other one.
func TestAKeyStandsOnce(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	propose := `{"kind":"move-cash","body":{"reason":"buy-in","player":"ann","amount":500}}`
	s.status(http.StatusCreated, "", "cas", http.MethodPost, "/api/v1/proposals", propose)
	for _, test := range []struct{ person, path, body, where string }{
		{"cas", "/api/v1/cage", `{"reason":"buy-in","player":"ben","amount":500,"amount":70000}`, "body.amount"},
		{"cas", "/api/v1/cage", `{"reason":"buy-in","player":"ben","amount":500,"Player":"ann"}`, "body.Player"},
		{"cas", "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"buy-in","player":"ann","amount":500,"amount":70000}}`, "body.body.amount"},
		{"sue", "/api/v1/proposals/1/decline", `{"why":"it is wrong","WHY":"` + strings.Repeat("y", 50_000) + `"}`, "body.WHY"},
		{"cas", "/api/v1/players/ben/exclusion", `{"days":1,"dayſ":213503982335,"why":"a test"}`, "body.dayſ"},
		{"dan", "/api/v1/tables/T1/commands", `{"kind":"open-bets","Kind":"open-bets"}`, "body.Kind"},
	} {
		p := s.status(http.StatusUnprocessableEntity, "invalid", test.person, http.MethodPost, test.path, test.body).problem(t)
		if len(p.Errors) != 1 || p.Errors[0].Location != test.where {
			t.Errorf("%.100s: %+v, want %s", test.body, p.Errors, test.where)
		}
	}
	s.has(t, "ann", 0)
	s.has(t, "ben", 0)
}

// A key is written as the document has it, at every operation. With readers of JSON that ignore
// capital letters, two programs could read two things in one request.
func TestAKeyIsSpelled(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const table = "/api/v1/tables/T1/"
	for _, test := range []struct{ person, path, body, where string }{
		{"ann", table + "commands", `{"Kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`, "body.Kind"},
		{"ann", table + "commands", `{"kind":"bet","BODY":{"box":1,"wager":"ante","amount":1000}}`, "body.BODY"},
		{"ann", table + "commands", `{"kind":"bet","body":{"box":1,"wager":"ante","Amount":1000}}`, "body.body.Amount"},
		{"ann", table + "commands", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000,"size":1}}`, "body.body.size"},
		{"dan", table + "commands", `{"kind":"report","body":{"incident":"dealt-incorrectly","lies":[{"place":"1","Count":4}]}}`, "body.body.lies[0].Count"},
		{"ann", table + "seeds", `{"Text":"my lucky number"}`, "body.Text"},
		{"cas", "/api/v1/cage", `{"reason":"buy-in","player":"ann","Amount":500}`, "body.Amount"},
		{"cas", "/api/v1/proposals", `{"kind":"move-cash","Body":{"reason":"buy-in","player":"ann","amount":500}}`, "body"},
		{"cas", "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"buy-in","player":"ann","Amount":500}}`, "body.body.Amount"},
	} {
		p := s.status(http.StatusUnprocessableEntity, "invalid", test.person, http.MethodPost, test.path, test.body).problem(t)
		if !slices.ContainsFunc(p.Errors, func(f Fault) bool { return f.Location == test.where }) {
			t.Errorf("%s: %+v, want %s", test.body, p, test.where)
		}
	}
	// A value of the wrong type is at its place too.
	p := s.status(http.StatusUnprocessableEntity, "invalid", "ann", http.MethodPost, table+"commands", `{"kind":"bet","body":{"box":"1"}}`).problem(t)
	if len(p.Errors) != 1 || p.Errors[0].Location != "body.body.box" {
		t.Errorf("a box that is no number: %+v", p.Errors)
	}
	s.has(t, "ann", int64(1000*money.Major))
}

// Nobody comes in with what is forged, cut short, of another kind or ended.
func TestForgedSessionsAndTokens(t *testing.T) {
	s := newSite(t)
	token, cookie := s.tokens["ann"], s.tokens["adm"]
	for _, header := range [][2]string{
		{"Authorization", "Bearer " + token[:len(token)-1]},
		{"Authorization", "Bearer " + token + "x"},
		{"Authorization", "Bearer " + strings.ToUpper(token)},
		{"Authorization", "Bearer " + cookie},
		{"Authorization", "Bearer "},
		{"Authorization", "Basic YW5uOmFubg=="},
		{"Cookie", "trey=" + cookie[:len(cookie)-1]},
		{"Cookie", "trey=" + cookie + "x"},
		{"Cookie", "trey=" + token},
		{"Cookie", "trey="},
		{"Cookie", "__Host-trey=" + cookie},
		{"X-Person", "ann"},
	} {
		r := s.get("", "/api/v1/me", header[0], header[1])
		if p := r.problem(t); p.Status != 401 || r.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %.12s...: %+v", header[0], header[1], p)
		}
	}
	// With an old cookie one can still sign in, and gets another.
	login := fmt.Sprintf(`{"name":"adm","password":%q}`, password)
	r := s.ask("", http.MethodPost, "/api/v1/sessions", login, "Cookie", "trey=old")
	if r.StatusCode != http.StatusCreated || len(r.Cookies()) != 2 {
		t.Fatal(r.Status, r.text)
	}
	for _, c := range r.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.MaxAge <= 0 || c.Value == cookie {
			t.Errorf("the cookie: %+v", c)
		}
	}
	c := r.Cookies()[0]
	s.tokens["adm"] = c.Value
	if got := s.get("adm", "/api/v1/me"); got.StatusCode != http.StatusOK || !strings.Contains(got.text, `"administrator"`) {
		t.Error(got.Status, got.text)
	}
	if got := s.ask("adm", http.MethodDelete, "/api/v1/sessions/current", ""); got.StatusCode != http.StatusNoContent || got.Cookies()[0].MaxAge >= 0 {
		t.Error(got.Status, got.Header)
	}
	if p := s.get("adm", "/api/v1/me").problem(t); p.Status != 401 {
		t.Errorf("after signing out: %+v", p)
	}
	wrong := s.ask("", http.MethodPost, "/api/v1/sessions", `{"name":"adm","password":"wrong horse"}`)
	if p := wrong.problem(t); p.Status != 401 || p.Type != "urn:trey:problem:bad-login" {
		t.Errorf("a wrong password: %+v", p)
	}
	if log := s.log.take(); strings.Contains(log, "horse") || strings.Contains(log, cookie) || strings.Contains(log, token) {
		t.Error("the log holds what is secret")
	}
}

// A stranger who fails in somebody's name keeps that person out neither of the session
// nor of the device that they signed in from before; elsewhere everybody waits.
func TestStrangersKeepNobodyOut(t *testing.T) {
	s := newSite(t)
	login := func(name, password, device string) *reply {
		t.Helper()
		body := fmt.Sprintf(`{"name":%q,"password":%q}`, name, password)
		return s.ask("", http.MethodPost, "/api/v1/sessions", body, "Cookie", "trey-device="+device)
	}
	cookies := func(r *reply) (session, device string) {
		t.Helper()
		if r.StatusCode != http.StatusCreated || len(r.Cookies()) != 2 {
			t.Fatal(r.Status, r.text)
		}
		return r.Cookies()[0].Value, r.Cookies()[1].Value
	}
	if _, err := s.people.AddUser(t.Context(), identity.ChangeRequest{By: staff["adm"], Why: "a test"}, "mallory", access.Player, password); err != nil {
		t.Fatal(err)
	}
	session, device := cookies(login("adm", password, ""))
	_, others := cookies(login("mallory", password, ""))
	for n := range 6 {
		if r := login("adm", "a wrong guess", ""); n < 5 && r.StatusCode != http.StatusUnauthorized {
			t.Fatalf("guess %d: %s", n, r.Status)
		}
	}
	for what, text := range map[string]string{
		"no device": "", "a device of somebody else": others, "a device with a wrong proof": device[:len(device)-4] + "AAAA",
		"half of a device": strings.Split(device, ".")[0], "a device of no form": "....",
	} {
		if r := login("adm", password, text); r.StatusCode != http.StatusTooManyRequests {
			t.Errorf("with %s: %s %s", what, r.Status, r.text)
		}
	}
	if r := s.get(session, "/api/v1/users"); r.StatusCode != http.StatusOK {
		t.Errorf("the session from before: %s", r.Status)
	}
	_, again := cookies(login("adm", password, device))
	if again != device {
		t.Error("the device that is known got another name: its attempts begin anew with every sign-in")
	}
	// Who has the device guesses there no faster than elsewhere.
	for n := range 5 {
		if r := login("adm", "a wrong guess", device); r.StatusCode != http.StatusUnauthorized {
			t.Fatalf("guess %d at the device: %s", n, r.Status)
		}
	}
	if r := login("adm", password, device); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("after five wrong passwords at the device: %s", r.Status)
	}
	// The password is changed in the session, and devices are forgotten with it.
	const fresh = "another horse in the field"
	if r := s.ask(session, http.MethodPut, "/api/v1/me/password", fmt.Sprintf(`{"old":%q,"new":%q}`, password, fresh)); r.StatusCode != http.StatusNoContent {
		t.Errorf("changing the password in the session: %s %s", r.Status, r.text)
	}
	if r := login("adm", fresh, device); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a device from before the password was changed: %s", r.Status)
	}
}

// A clock that reads a time far ahead moves nothing there. Commands, sign-ins and changes of
// users are refused, and the operator gets a message. The house goes on when the clock is right
// again, also when it is opened anew.
func TestAClockFarAheadIsRefused(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const bet = `{"kind":"bet","body":{"box":1,"wager":"ante","amount":500}}`
	var err error
	lasts := identity.ChangeRequest{By: staff["adm"], Why: "a token that lasts"}
	if _, s.tokens["ann"], err = s.people.AddToken(t.Context(), lasts, "ann", access.Player, nowMs()+11*maxGapMs); err != nil {
		t.Fatal(err)
	}
	newest := func() (seq, atMs int64) {
		t.Helper()
		err := s.store.ReadAll(t.Context(), 0, "", func(e house.StoredTransaction) error { seq, atMs = e.Seq, max(atMs, e.AtMs); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return seq, atMs
	}
	before, _ := newest()
	s.log.take()
	s.aheadMs.Store(10 * maxGapMs)
	login := fmt.Sprintf(`{"name":"adm","password":%q}`, password)
	for what, r := range map[string]*reply{
		"a bet": s.order("ann", "T1", bet), "a sign-in of staff": s.ask("", http.MethodPost, "/api/v1/sessions", login),
		"ready": s.get("", "/readyz"),
	} {
		if p := r.problem(t); p.Status != http.StatusServiceUnavailable || p.Type != "urn:trey:problem:clock" || strings.Contains(p.Detail, "20") {
			t.Errorf("%s at a time ten months ahead: %s %s", what, r.Status, r.text)
		}
	}
	if log := s.log.take(); !strings.Contains(log, "too far ahead") || !strings.Contains(log, "--accept-clock") {
		t.Errorf("the operator is told %s", log)
	}
	if after, atMs := newest(); after != before || atMs > nowMs() {
		t.Errorf("the record goes to %d at %d, and was at %d", after, atMs, before)
	}
	s.aheadMs.Store(maxGapMs - 60_000) // a house in which nothing happened for a month
	if _, _, err := house.Open(t.Context(), s.store, house.World{NowMs: s.nowMs, Sealer: sealing.Numbered(1), MaxGapMs: maxGapMs}); err != nil {
		t.Errorf("opened a month later: %v", err)
	}
	s.aheadMs.Store(maxGapMs + 3_600_000)
	if _, _, err := house.Open(t.Context(), s.store, house.World{NowMs: s.nowMs, Sealer: sealing.Numbered(1), MaxGapMs: maxGapMs}); !errors.Is(err, house.ErrClock) {
		t.Errorf("opened by a clock that is ahead: %v", err)
	}
	if _, _, err := house.Open(t.Context(), s.store, house.World{NowMs: s.nowMs, Sealer: sealing.Numbered(1), MaxGapMs: maxGapMs, AcceptClock: true}); err != nil {
		t.Errorf("opened by a clock that its operator accepts: %v", err)
	}
	s.aheadMs.Store(0)
	if r := s.get("", "/readyz"); r.StatusCode != http.StatusOK {
		t.Errorf("when the clock is right again: %s", r.Status)
	}
	s.done("ann", "T1", bet)
	if _, atMs := newest(); atMs > nowMs() {
		t.Errorf("the bet is dated %d, and it is %d", atMs, nowMs())
	}
}

// Nobody is let in, and nothing is done, by a request that breaks off or is too
// large, also where nothing of it is read.
func TestHalfARequestAsksForNothing(t *testing.T) {
	s := newSite(t)
	sessions := func() int {
		t.Helper()
		n := 0
		if err := s.store.ReadSessions(t.Context(), func(identity.KeptSession) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := sessions()
	for _, path := range []string{"/api/v1/guests", "/api/v1/house/drain"} {
		connection, err := net.Dial("tcp", s.web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: house\r\nCookie: trey=%s\r\nContent-Length: 10\r\n\r\n{}", path, s.tokens["sue"])
		if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if p := (&reply{answer, string(text)}).problem(t); p.Status != http.StatusBadRequest || p.Type != "urn:trey:problem:malformed" {
			t.Errorf("half a request to %s is answered %+v", path, p)
		}
		_ = connection.Close()
		if p := s.ask("sue", http.MethodPost, path, strings.Repeat(" ", maxBody+1)).problem(t); p.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("too large a request to %s is answered %+v", path, p)
		}
	}
	if after := sessions(); after != before || s.Draining() {
		t.Errorf("there were %d sessions and are %d, and the house is draining: %t", before, after, s.Draining())
	}
	if r := s.ask("", http.MethodPost, "/api/v1/guests", "{}"); r.StatusCode != http.StatusCreated || sessions() != before+1 {
		t.Errorf("a guest is answered %s, and there are %d sessions", r.Status, sessions())
	}
}

// deadlines notes until when a handler lets the server read.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// A request that was read has no deadline for reading: that would end it while the record is slow.
func TestNoDeadlineEndsWhatIsCarriedOut(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/api/v1/cage", "/api/v1/proposals", "/api/v1/tables"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"reason":"buy-in","player":"ann","amount":100}`))
		r.Header.Set("Content-Type", "application/json")
		r.Host = "house"
		s.sign(r, "cas")
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		s.web.Config.Handler.ServeHTTP(w, r)
		for _, at := range w.set {
			if !at.IsZero() {
				t.Errorf("%s is answered %d, and was to be read until %s", path, w.Code, at)
			}
		}
	}
}

// Whoever is shut out while the rest of a request is on its way sends that in vain.
func TestShutOutBeforeTheEndOfARequest(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	for _, test := range []struct {
		person, path, body string
		shutOut            func() error
	}{
		{"cas", "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":70000}`, func() error {
			_, err := s.people.Disable(t.Context(), identity.ChangeRequest{By: staff["adm"], Why: "caught"}, "cas")
			return err
		}},
		{"ann", "/api/v1/tables/T1/commands", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`, func() error {
			i := slices.IndexFunc(s.people.Tokens(), func(k identity.Token) bool { return k.Name == "ann" })
			_, err := s.people.RevokeToken(t.Context(), identity.ChangeRequest{By: staff["adm"], Why: "lost"}, s.people.Tokens()[i].ID)
			return err
		}},
	} {
		body, rest := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+test.path, body)
		if err != nil {
			t.Fatal(err)
		}
		s.sign(r, test.person)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = int64(len(test.body))
		answered := make(chan *http.Response, 1)
		go func() {
			got, err := s.web.Client().Do(r)
			if err != nil {
				t.Error(err)
			}
			answered <- got
		}()
		_, _ = io.WriteString(rest, test.body[:10]) // a pipe that is read takes it
		for range 20 {                              // the head is there long before the answers to these
			s.get("sue", "/api/v1/me")
		}
		if err := test.shutOut(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(rest, test.body[10:])
		got := <-answered
		if got == nil {
			t.FailNow()
		}
		if _ = got.Body.Close(); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s is shut out, and what was under way to %s is answered %s", test.person, test.path, got.Status)
		}
	}
	if has := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); has != 1000*money.Major {
		t.Errorf("ann has $%s", has.Display())
	}
}

func TestSecureCookies(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Secure = true })
	r := s.ask("", http.MethodPost, "/api/v1/guests", "")
	c := r.Cookies()[0]
	if c.Name != "__Host-trey" || !c.Secure || c.Path != "/" || c.Domain != "" || r.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%+v", r.Header)
	}
}

// A page of another site cannot have a browser do anything, whoever is signed in.
func TestOtherSitesAreTurnedAway(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
	} {
		for _, person := range []string{"adm", "dan", ""} {
			r := s.ask(person, http.MethodPost, "/api/v1/house/drain", "", headers...)
			if p := r.problem(t); p.Status != 403 || p.Type != "urn:trey:problem:cross-origin" {
				t.Errorf("%v: %+v", headers, p)
			}
		}
	}
	if s.Draining() {
		t.Error("another site has drained the house")
	}
	if r := s.ask("adm", http.MethodPost, "/api/v1/house/drain", "", "Sec-Fetch-Site", "same-origin", "Origin", s.web.URL); r.StatusCode != http.StatusNoContent {
		t.Error(r.Status, r.text)
	}
}

func TestEveryAnswerHasItsHeaders(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/healthz", "/api/v1/tables", "/api/v1/nothing", "/openapi.json", "/metrics"} {
		for _, person := range []string{"", "ann"} {
			h := s.get(person, path, "X-Request-Id", "mine-7").Header
			for name, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
				"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Request-Id": "mine-7",
			} {
				if got := h.Get(name); got != want {
					t.Errorf("%s: %s: %q, want %q", path, name, got, want)
				}
			}
		}
	}
	if id := s.get("", "/healthz", "X-Request-Id", "not sane\"").Header.Get("X-Request-Id"); len(id) != 16 {
		t.Errorf("a request id that is not sane became %q", id)
	}
}

// Whoever asks too often has to wait, and nobody else.
func TestRatesAreLimited(t *testing.T) {
	var clock atomic.Int64
	clock.Store(1_000_000)
	s := newSite(t, func(c *Config) {
		c.NowMs = clock.Load
		c.Admission = admission.New(admission.Config{Person: admission.Rate{PerSecond: 2, Burst: 3}, NowMs: clock.Load})
	})
	for range 3 {
		if r := s.get("ann", "/api/v1/me"); r.StatusCode != http.StatusOK {
			t.Fatal(r.Status)
		}
	}
	r := s.get("ann", "/api/v1/me")
	if p := r.problem(t); p.Status != 429 || r.Header.Get("Retry-After") != "1" {
		t.Fatalf("%+v %v", p, r.Header)
	}
	if r := s.get("ben", "/api/v1/me"); r.StatusCode != http.StatusOK {
		t.Errorf("ben waits for ann: %s", r.Status)
	}
	clock.Add(500)
	if r := s.get("ann", "/api/v1/me"); r.StatusCode != http.StatusOK {
		t.Errorf("after half a second: %s", r.Status)
	}
}

// A page of another site that has its own name lead here gets nothing, whatever it asks
// for; only whether the house is alive is told by any name.
func TestOtherHostsAreRefused(t *testing.T) {
	s := newSite(t, func(c *Config) {
		c.Admission = admission.New(admission.Config{Hosts: []string{admission.Loopback}})
	})
	for path, want := range map[string]int{
		"/api/v1/tables": http.StatusMisdirectedRequest, "/metrics": http.StatusMisdirectedRequest,
		"/openapi.json": http.StatusMisdirectedRequest, "/healthz": http.StatusOK, "/readyz": http.StatusOK,
	} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "rebound.example:8080"
		s.sign(r, "eye")
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s by another name: %d, want %d", path, w.Code, want)
		}
		if want == http.StatusMisdirectedRequest && !strings.Contains(w.Body.String(), "urn:trey:problem:host") {
			t.Errorf("%s by another name: %s", path, w.Body)
		}
	}
	if r := s.get("eye", "/api/v1/tables"); r.StatusCode != http.StatusOK {
		t.Errorf("by its own address: %s", r.Status)
	}
}

// A command under a key is done once, however often and at how many doors it is
// knocked, and each time answered the same.
func TestTheSameKeyAgain(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const bet = `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}}`
	first := s.order("ann", "T1", bet, "Idempotency-Key", "k1")
	if first.StatusCode != http.StatusOK || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatal(first.Status, first.text)
	}
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	again := s.order("ann", "T1", bet, "Idempotency-Key", "k1")
	if again.text != first.text || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Etag") != first.Header.Get("Etag") {
		t.Errorf("repeated:\n%s\n%s", first.text, again.text)
	}
	other := s.order("ann", "T1", strings.Replace(bet, "500", "600", 1), "Idempotency-Key", "k1")
	if p := other.problem(t); p.Status != 422 || p.Type != "urn:trey:problem:key-other-input" {
		t.Errorf("other content: %+v", p)
	}
	// The cage keeps the same promise.
	const buyIn = `{"reason":"buy-in","player":"ben","amount":700}`
	var texts []string
	for i := range 3 {
		r := s.ask("cas", http.MethodPost, "/api/v1/cage", buyIn, "Idempotency-Key", "c1")
		if r.StatusCode != http.StatusOK || (r.Header.Get("Idempotency-Replayed") == "true") != (i > 0) {
			t.Fatal(i, r.Status, r.text)
		}
		texts = append(texts, r.text)
	}
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ben"}); got != 700 || texts[0] != texts[2] {
		t.Errorf("ben has %d; %v", got, texts)
	}
	if p := s.ask("cas", http.MethodPost, "/api/v1/cage", strings.Replace(buyIn, "700", "800", 1), "Idempotency-Key", "c1").problem(t); p.Status != 422 {
		t.Errorf("other content at the cage: %+v", p)
	}
}

// A guest signs out everywhere as anybody else does.
func TestAGuestSignsOutEverywhere(t *testing.T) {
	s := newSite(t)
	_, guest, _ := strings.Cut(s.status(http.StatusCreated, "", "", http.MethodPost, "/api/v1/guests", "").Header.Get("Set-Cookie"), "=")
	guest, _, _ = strings.Cut(guest, ";")
	s.status(http.StatusOK, "", guest, http.MethodGet, "/api/v1/me", "")
	s.status(http.StatusNoContent, "", guest, http.MethodDelete, "/api/v1/sessions", "")
	s.status(http.StatusUnauthorized, "not-signed-in", guest, http.MethodGet, "/api/v1/me", "")
}

// A limit of zero differs from no limit, and a pace without clocks from no pace. A key that
// came with one of them is not answered for the other.
func TestNothingIsNotZeroUnderAKey(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp", func(t *house.Table) { t.Pace = house.Pace{BettingMs: 20_000, DecisionMs: 30_000, OptionMs: 45_000} })
	ask := func(want int, person, method, path, body, key string) {
		t.Helper()
		slug := ""
		if want != http.StatusOK {
			slug = "key-other-input"
		}
		s.status(want, slug, person, method, path, body, "Idempotency-Key", key)
	}
	const day, week = "/api/v1/account/limits/loss/day", "/api/v1/account/limits/loss/week"
	ask(200, "ann", http.MethodPut, day, `{"most":0}`, "zero")
	ask(200, "ann", http.MethodPut, day, `{"most":0}`, "zero")
	ask(422, "ann", http.MethodDelete, day, "", "zero")
	ask(200, "ann", http.MethodPut, week, `{"most":500}`, "some")
	ask(200, "ann", http.MethodDelete, week, "", "none")
	ask(200, "ann", http.MethodDelete, week, "", "none")
	ask(422, "ann", http.MethodPut, week, `{"most":0}`, "none")

	const rules = "/api/v1/tables/T1/rules"
	const unpaced = `{"mode":"automatic","pace":{"betting_ms":0,"decision_ms":0,"option_ms":0,"deal_ms":0,"show_ms":0}}`
	ask(200, "sue", http.MethodPut, rules, `{"mode":"automatic"}`, "run")
	ask(422, "sue", http.MethodPut, rules, unpaced, "run")
	ask(200, "sue", http.MethodPut, rules, strings.Replace(unpaced, "automatic", "dealer", 1), "stop")
	ask(200, "sue", http.MethodPut, rules, strings.Replace(unpaced, "automatic", "dealer", 1), "stop")
	ask(422, "sue", http.MethodPut, rules, `{"mode":"dealer"}`, "stop")
}

// Many players reach for one box at once: each of them gets yes or no, and those who got
// yes have their bets on the layout.
func TestManyPlayersAtOneBox(t *testing.T) {
	const many = 40
	s := newSite(t)
	s.install("T1", "us-3cp")
	for i := range many {
		name := fmt.Sprintf("p%d", i)
		s.machine(access.Person{Name: name, Role: access.Player})
		s.buyIn(name, 100*money.Major)
	}
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	var all sync.WaitGroup
	yes := make([]bool, many)
	for i := range many {
		all.Go(func() {
			name := fmt.Sprintf("p%d", i)
			bet := fmt.Sprintf(`{"kind":"bet","body":{"box":1,"player":%q,"wager":"ante","amount":500}}`, name)
			for range 3 { // each of them impatient
				r := s.order(name, "T1", bet, "Idempotency-Key", "mine")
				switch r.StatusCode {
				case http.StatusOK:
					yes[i] = true
				case http.StatusConflict:
				default:
					t.Errorf("%s: %s %s", name, r.Status, r.text)
				}
			}
		})
	}
	all.Wait()
	status, err := s.Status("T1")
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]money.Amount{}
	for _, b := range housetest.State(status.State).Boxes[0].Bettors {
		on[b.Player] = b.Stakes.Total()
	}
	accepted := 0
	for i := range many {
		name := fmt.Sprintf("p%d", i)
		held := s.Balance(ledger.Account{Kind: ledger.Player, Of: name})
		if yes[i] {
			accepted++
		}
		if want := map[bool]money.Amount{true: 500}[yes[i]]; on[name] != want || held != 100*money.Major-want {
			t.Errorf("%s was told %t, has %s on the box and %s left", name, yes[i], on[name], held)
		}
	}
	if accepted == 0 || accepted == many {
		t.Errorf("%d of %d have the box", accepted, many)
	}
}

// A bet in the very moment of "No more bets" is on the layout before it or
// refused after it, and the log says the same as the answer.
func TestBetsInTheMomentOfTheClose(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 100_000*money.Major)
	s.buyIn("ben", 100_000*money.Major)
	accepted, refused := 0, 0
	for round := 1; round <= 30; round++ {
		s.done("dan", "T1", `{"kind":"open-bets"}`)
		s.done("ben", "T1", `{"kind":"bet","body":{"box":2,"player":"ben","wager":"ante","amount":500}}`)
		var both sync.WaitGroup
		var bet *reply
		both.Go(func() {
			time.Sleep(time.Duration(round%5) * 100 * time.Microsecond)
			bet = s.order("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}}`)
		})
		both.Go(func() { s.done("dan", "T1", `{"kind":"close-bets"}`) })
		both.Wait()
		inLog := 0
		err := s.EventsSince(t.Context(), house.Topic{Table: "T1"}, 0, func(n *house.Notice) error {
			if n.Round == round && n.Cause.Kind == "bet" && n.Cause.By == "ann" {
				inLog++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case bet.StatusCode == http.StatusOK && inLog == 1:
			accepted++
		case bet.StatusCode == http.StatusConflict && bet.problem(t).Reason == "wrong-phase" && inLog == 0:
			refused++
		default:
			t.Fatalf("round %d: %s %s, and the log has %d", round, bet.Status, bet.text, inLog)
		}
		s.done("dan", "T1", `{"kind":"report","body":{"incident":"interruption","lasted_ms":60000}}`)
		status, err := s.Status("T1")
		if err != nil || status.State.Phase().InRound() {
			t.Fatal(status.State.Phase(), err)
		}
	}
	t.Logf("%d bets were accepted and %d refused", accepted, refused)
}

// A version that the table has left is refused, in a header and in the command.
func TestExpectedVersions(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	opened := s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.buyIn("ann", 1000*money.Major)
	const bet = `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}%s}`
	old := etag(opened.Version - 1)
	if p := s.order("ann", "T1", fmt.Sprintf(bet, ""), "If-Match", old).problem(t); p.Status != http.StatusPreconditionFailed {
		t.Errorf("%+v", p)
	}
	if p := s.order("ann", "T1", fmt.Sprintf(bet, `,"version":0`)).problem(t); p.Status != http.StatusPreconditionFailed {
		t.Errorf("%+v", p)
	}
	if p := s.order("ann", "T1", fmt.Sprintf(bet, `,"version":0`), "If-Match", old).problem(t); p.Status != 400 {
		t.Errorf("two versions: %+v", p)
	}
	s.done("ann", "T1", fmt.Sprintf(bet, ""), "If-Match", etag(opened.Version))
}

func TestReadiness(t *testing.T) {
	s := newSite(t)
	if r := s.get("", "/readyz"); r.StatusCode != http.StatusOK {
		t.Error(r.Status, r.text)
	}
	if r := s.ask("sue", http.MethodPost, "/api/v1/house/drain", ""); r.StatusCode != http.StatusNoContent {
		t.Error(r.Status, r.text)
	}
	if p := s.get("", "/readyz").problem(t); p.Status != 503 || p.Type != "urn:trey:problem:draining" {
		t.Errorf("while draining: %+v", p)
	}
	if r := s.get("", "/healthz"); r.StatusCode != http.StatusOK {
		t.Error(r.Status, r.text)
	}
}

// The metrics count what was done, and only those see them who may.
func TestMetricsCount(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.order("ann", "T1", `{"kind":"close-bets"}`)
	s.order("ann", "T1", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
	s.order("ann", "T1", `nonsense`)
	text := s.get("eye", "/metrics").text
	for _, line := range []string{
		`trey_commands_total{kind="open-bets",result="done"} 1`, `trey_commands_total{kind="close-bets",result="denied"} 1`,
		`trey_commands_total{kind="raise",result="refused"} 1`, `trey_commands_total{kind="unread",result="refused"} 1`,
		`trey_command_seconds_count 1`, `trey_rounds_total 1`, `trey_commands_waiting 0`, `trey_streams_open 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s:\n%s", line, text)
		}
	}
	for person, status := range map[string]int{"": 401, "ann": 403, "eye": 200} {
		// The test asks from loopback, as everybody does behind a proxy.
		if r := s.get(person, "/metrics"); r.StatusCode != status {
			t.Errorf("%q: %s, want %d", person, r.Status, status)
		}
	}
}

// Every command with nothing in it, or with less than it takes, is answered as what it
// is: nothing of it is a fault of the house.
func TestCommandsWithNothingInThem(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	check := func(person, path, body string) {
		t.Helper()
		if r := s.ask(person, http.MethodPost, path, body); r.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%s asks %s %s: %s", person, path, body, r.text)
		}
	}
	for _, person := range []string{"ann", "dan", "pat", "sue"} {
		for _, kind := range record.Actions.Names() {
			for _, body := range []string{"{}", `{"box":1}`, `{"box":1,"amount":1000}`, `{"incident":"late-bet"}`, `{"note":"n"}`} {
				check(person, "/api/v1/tables/T1/commands", `{"kind":"`+kind+`","body":`+body+`}`)
				check(person, "/api/v1/tables/T1/commands?dry_run=true", `{"kind":"`+kind+`","body":`+body+`}`)
			}
		}
	}
	for _, person := range []string{"sue", "cas", "pat"} {
		for _, kind := range house.ProposalKinds() {
			for _, body := range []string{"{}", `{"jackpot":"linked"}`, `{"table":"T1"}`, `{"jackpot":"linked","change":1,"note":"n"}`, `{"player":"ann","change":1,"note":"n"}`} {
				check(person, "/api/v1/proposals", `{"kind":"`+kind+`","body":`+body+`}`)
			}
		}
	}
	for _, body := range []string{"{}", `{"reason":"buy-in"}`, `{"player":"ann","amount":1}`} {
		check("cas", "/api/v1/cage", body)
	}
	if log := s.log.take(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the log: %.2000s", log)
	}
}

// A key that is none is the fault of whoever sent it, and nothing is done.
func TestKeysThatAreNone(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	for name, key := range map[string]string{"too long": strings.Repeat("k", 201), "no text": "k\xff"} {
		for path, body := range map[string]string{
			"/api/v1/tables/T1/commands": `{"kind":"open-bets"}`, "/api/v1/cage": `{"reason":"buy-in","player":"ann","amount":100}`, "/api/v1/house/drain": "",
		} {
			person := map[string]string{"/api/v1/tables/T1/commands": "dan", "/api/v1/cage": "cas", "/api/v1/house/drain": "sue"}[path]
			r := s.ask(person, http.MethodPost, path, body, "Idempotency-Key", key)
			if p := r.problem(t); p.Status != http.StatusUnprocessableEntity && p.Status != http.StatusBadRequest {
				t.Errorf("%s, a key that is %s: %s", path, name, r.text)
			}
		}
	}
	if status, err := housetest.Table(s, "T1"); err != nil || status.Round != 0 || s.Draining() || s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}) != 0 {
		t.Errorf("something was done: %v", err)
	}
	if log := s.log.take(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the log: %s", log)
	}
}

// A safeguard of a command that cannot be understood is refused. A dry run that was not read as
// one would be carried out, and an empty key keeps nothing from being done twice.
func TestWhatGuardsACommandIsUnderstood(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const at, bet = "/api/v1/tables/T1/commands", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`
	for _, c := range []struct{ path, header, value, location string }{
		{at + "?dry_run=true;picture=true", "", "", ""},
		{at + "?dry_run=true%zz", "", "", ""},
		{at + "?dry_run=true&dry_run=false", "", "", "query.dry_run"},
		{at, "Idempotency-Key", "", "header.Idempotency-Key"},
		{at, "Idempotency-Key", "a", "header.Idempotency-Key"},
		{at, "If-Match", "", "header.If-Match"},
		{at, "Trey-Seq", "", "header.Trey-Seq"},
		{at, "Trey-Seq", "17", "header.Trey-Seq"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+c.path, strings.NewReader(bet))
		if err != nil {
			t.Fatal(err)
		}
		s.sign(r, "ann")
		r.Header.Set("Content-Type", "application/json")
		if c.header != "" {
			r.Header[c.header] = []string{c.value}
			if c.value != "" {
				r.Header.Add(c.header, "another")
			}
		}
		got, err := s.web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var p Problem
		err = json.NewDecoder(got.Body).Decode(&p)
		if err := errors.Join(err, got.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if p.Status != http.StatusUnprocessableEntity || (c.location == "") != (len(p.Errors) == 0) || c.location != "" && p.Errors[0].Location != c.location {
			t.Errorf("%s with %s %q: %+v", c.path, c.header, c.value, p)
		}
	}
	if balance := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); balance != 1000*money.Major {
		t.Errorf("ann has %v", balance)
	}
}

// A version guards a command, written as an ETag has it; what is done without a look at the version
// refuses one instead of doing it all the same.
func TestAVersionGuardsOrIsRefused(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const path, bet = "/api/v1/tables/T1/", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`
	version := s.get("ann", "/api/v1/tables/T1").Header.Get("ETag")
	for _, value := range []string{`""` + version, `"+1"`, `"-1"`, `W/` + version, version + ", " + version, "x"} {
		r := s.order("ann", "T1", bet, "If-Match", value)
		if r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("If-Match: %s: %s %s", value, r.Status, r.text)
		}
	}
	for _, guarded := range [][2]string{{"seeds", `{"text":"a"}`}, {"ready", ""}, {"release", `{"why":"a test"}`}} {
		p := s.ask("sue", http.MethodPost, path+guarded[0], guarded[1], "If-Match", version).problem(t)
		if p.Status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Location != "header.If-Match" {
			t.Errorf("%s: %+v", guarded[0], p)
		}
	}
	s.done("ann", "T1", bet, "If-Match", version)
	if r := s.order("ann", "T1", bet, "If-Match", version); r.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("of a version that is over: %s %s", r.Status, r.text)
	}
}

// What an answer has to include is a number: of anything else it would include nothing in particular.
func TestWhatAnAnswerIncludesIsANumber(t *testing.T) {
	s := newSite(t)
	for value, status := range map[string]int{"0": 200, "17": 200, "seventeen": 422, "-1": 422, "+1": 422, "1.5": 422, " 17x": 422, "9223372036854775808": 422} {
		r := s.get("ann", "/api/v1/tables", "Trey-Seq", value)
		if r.StatusCode != status || status == 422 && r.problem(t).Errors[0].Location != "header.Trey-Seq" {
			t.Errorf("Trey-Seq: %s: %s %s", value, r.Status, r.text)
		}
	}
}

// A body has the type that its header says, whichever operation takes it.
func TestABodyHasTheTypeOfItsHeader(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	for media, status := range map[string]int{
		"application/json": 200, "Application/JSON": 200, "application/json; charset=utf-8": 200,
		"": 415, "text/plain": 415, "application/problem+json": 415, "application/merge-patch+json": 415,
	} {
		if r := s.ask("ann", http.MethodPost, "/api/v1/tables/T1/seeds", `{"text":"a"}`, "Content-Type", media); r.StatusCode != status {
			t.Errorf("a seed as %q: %s %s", media, r.Status, r.text)
		}
	}
}

// A stream takes what the document names and nothing else: whoever misspells "after" would be sent
// no past, and believe that there was none.
func TestAStreamTakesNoOtherParameters(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	for path, status := range map[string]int{
		"tables/T1/events?picture=perhaps": 422, "tables/T1/events?afer=1": 422, "tables/T1/events?picture=true&x=1": 422,
		"floor/events?picture=true": 422, "jackpots/linked/events?picture=true": 422,
		"tables/T1/events?picture=true&after=1": 200, "floor/events?after=1": 200,
	} {
		if r := s.ask("ann", http.MethodHead, "/api/v1/"+path, ""); r.StatusCode != status {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}

// A number that is written otherwise than the house writes it is refused in words, and not in those
// of the program.
func TestANumberOfAnotherForm(t *testing.T) {
	s := newSite(t)
	for _, amount := range []string{"1000.0", "1e3", "1e400"} {
		p := s.ask("cas", http.MethodPost, "/api/v1/cage", `{"reason":"buy-in","player":"ann","amount":`+amount+`}`).problem(t)
		if len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, "it is a number "+amount+" and has to be") || strings.Contains(p.Errors[0].Message, "Go ") {
			t.Errorf("%s: %+v", amount, p)
		}
	}
}

// A machine has no sessions, and ending all of them is no fault of its.
func TestAMachineEndsItsSessions(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/api/v1/sessions/current", "/api/v1/sessions"} {
		s.status(http.StatusNoContent, "", "eye", http.MethodDelete, path, "")
	}
	if r := s.get("eye", "/api/v1/me"); r.StatusCode != http.StatusOK {
		t.Errorf("the token: %s", r.Status)
	}
}

// Whoever is shut out, or whose token is revoked, between their command and the decision does nothing
// any more, and what was proposed to them waits for somebody else.
func TestWhoIsShutOutMeanwhileDoesNothing(t *testing.T) {
	const proposed = `{"kind":"adjust-account","body":{"player":"ann","cause":"goodwill","change":500,"note":"a test"}}`
	for _, test := range []struct{ person, method, path, body string }{
		{"dan", http.MethodPost, "tables/T1/commands", `{"kind":"open-bets"}`},
		{"ann", http.MethodPost, "tables/T2/commands", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`},
		{"ann", http.MethodPost, "tables/T2/seeds", `{"round":1,"text":"seven"}`},
		{"ann", http.MethodPut, "account/limits/loss/day", `{"most":0}`},
		{"cas", http.MethodPost, "cage", `{"reason":"buy-in","player":"ann","amount":700}`},
		{"cas", http.MethodPost, "proposals", proposed},
		{"sue", http.MethodPost, "proposals/1/approve", ""},
		{"sue", http.MethodPost, "house/drain", ""},
		{"pat", http.MethodPost, "jackpots/linked/down", `{"note":"the server does not answer"}`},
	} {
		t.Run(test.person+" "+test.path, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.install("T1", "rws-3cp")
			s.install("T2", "us-3cp")
			s.buyIn("ann", 1000*money.Major)
			s.done("dan", "T2", `{"kind":"open-bets"}`)
			s.status(http.StatusCreated, "", "cas", http.MethodPost, "/api/v1/proposals", proposed)
			var head int64
			s.line.asked = sync.OnceFunc(func() { head = s.shutOut(test.person) })
			s.status(http.StatusUnauthorized, "not-signed-in", test.person, test.method, "/api/v1/"+test.path, test.body, "Idempotency-Key", "k")
			if got := s.store.Head().Size; head == 0 || got != head {
				t.Errorf("the record went on from %d to %d", head, got)
			}
			if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != 1000*money.Major {
				t.Errorf("ann has %s", got)
			}
			if all := s.Proposals(); len(all) != 1 {
				t.Errorf("%d proposals wait", len(all))
			}
		})
	}
}

// Whoever is shut out once the failure of a jackpot stands in the record of one table has begun to
// report it at all: no other plays on with it.
func TestWhatWasBegunIsEndedWithoutItsGiver(t *testing.T) {
	for name, path := range map[string]string{"at the jackpot": "jackpots/linked/down", "at one table": "tables/T2/commands"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := newSiteWith(t, func(w *house.World) {
				w.Acts = func(by access.Person) error {
					if by.Name != "pat" {
						return nil
					}
					if asked++; asked > 1 {
						return identity.ErrNoSession
					}
					return nil
				}
			})
			for _, name := range []string{"T1", "T2", "T3"} {
				s.install(name, "rws-3cp")
			}
			body := `{"note":"the server does not answer"}`
			if name == "at one table" {
				body = `{"kind":"report","body":{"incident":"progressive-down"}}`
			}
			s.status(http.StatusOK, "", "pat", http.MethodPost, "/api/v1/"+path, body)
			for _, at := range []string{"T1", "T2", "T3"} {
				if state := s.state(at); !state.Down {
					t.Errorf("%s plays on", at)
				}
			}
			s.status(http.StatusUnauthorized, "not-signed-in", "pat", http.MethodPost, "/api/v1/tables/T1/commands", `{"kind":"restore-progressive"}`)
		})
	}
}

// shutOut takes from a person whatever they come in by, and returns how long the record is then.
func (s *site) shutOut(name string) int64 {
	s.Helper()
	by := identity.ChangeRequest{By: staff["adm"], Why: "caught"}
	_, err := s.people.Disable(s.Context(), by, name)
	for _, token := range s.people.Tokens() {
		if token.Name == name {
			_, err = s.people.RevokeToken(s.Context(), by, token.ID)
		}
	}
	if err != nil {
		s.Error(err)
	}
	return s.store.Head().Size
}
