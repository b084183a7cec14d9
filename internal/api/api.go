package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/house/machines"
	"trey/internal/house/timeup"
	"trey/internal/ledger"
)

// Config holds the dependencies and settings of the API.
type Config struct {
	House    *house.House
	Identity Identity
	// Record reads the house's record for those who may read it.
	Record Record
	// Evidence is the same as its leaves commit to it, for auditors.
	Evidence Evidence
	// Last returns the number of the record's last transaction; nil where it is not known,
	// because another machine writes.
	Last func() int64
	// Autodealer runs the automatic tables; nil where there are none.
	Autodealer Autodealer
	// Machines lists the machines of the house; nil lists none.
	Machines machines.Lister
	// NowMs is the house's clock.
	NowMs func() int64
	// Name is the house's and Version the program's, as they stand on reports.
	Name, Version string
	// Log takes one line a request; nil is slog's default.
	Log *slog.Logger
	// Secure reports that clients connect by TLS, so that cookies require it.
	Secure bool
	// Admission says which requests are answered at all; nil is all.
	Admission *admission.Control
	// TimeUp holds the warnings that the players' time ends, with those of the page; nil is
	// warnings of the interface alone.
	TimeUp *timeup.Warnings
	// Limits bound what a client can ask for; the zero value is no limit.
	Limits Limits
	// Warnings returns what the operator should know although the house goes on; nil is
	// nothing. /readyz shows it.
	Warnings func() []string
	// Closing ends all streams when it is closed; nil is never.
	Closing <-chan struct{}
	// Registry collects the metrics; nil is a fresh one.
	Registry *prometheus.Registry
}

// Identity says who somebody is, and lets those who manage people change that. It
// is [identity.Directory], or that with something around it.
type Identity interface {
	Login(context.Context, identity.Credentials) (token string, s identity.Session, err error)
	Second(context.Context, identity.SecondCredentials) (token string, s identity.Session, err error)
	Guest(ctx context.Context, from netip.Addr, replaces string) (token string, s identity.Session, err error)
	Logout(ctx context.Context, token string) error
	Check(token string) (identity.Session, error)
	Peek(token string) (identity.Session, error)
	Machine(token string) (access.Person, error)
	// Ended returns a channel that is closed when a session or a token may have ended, other than by time.
	Ended() <-chan struct{}

	SignIns(name string) []identity.SignIn
	OpenSessions(token string) ([]identity.OpenSession, error)
	EndSession(ctx context.Context, token, id string) error

	IsPlayer(name string) bool
	Users() []identity.User
	User(name string) (identity.User, error)
	AddUser(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, password string) (identity.User, error)
	SetRole(ctx context.Context, o identity.ChangeRequest, name string, role access.Role) (identity.User, error)
	Disable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error)
	Enable(ctx context.Context, o identity.ChangeRequest, name string) (identity.User, error)
	SetPassword(ctx context.Context, o identity.ChangeRequest, name, password string) error
	ChangePassword(ctx context.Context, o identity.ChangeRequest, from netip.Addr, old, password string) error
	EndSessions(ctx context.Context, o identity.ChangeRequest, name string) error
	Tokens() []identity.Token
	AddToken(ctx context.Context, o identity.ChangeRequest, name string, role access.Role, endsMs int64) (t identity.Token, text string, err error)
	RevokeToken(ctx context.Context, o identity.ChangeRequest, id string) (identity.Token, error)
	Changes() []identity.PendingChange
	ProposeChange(ctx context.Context, o identity.ChangeRequest, asked identity.Change) (id int64, text string, err error)
	ApproveChange(ctx context.Context, o identity.ChangeRequest, id int64) error
	DeclineChange(ctx context.Context, o identity.ChangeRequest, id int64) error
}

// Autodealer runs automatic tables. It is [autodealer.Autodealer].
type Autodealer interface {
	Awaited(table string) (a autodealer.Awaited, ok bool)
	Ready(by access.Person, table string) error
	Alerts() []autodealer.Alert
}

// Record is the part of [house.Store] that the API reads.
type Record interface {
	Read(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) error
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
	Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
	Movements(ctx context.Context, a ledger.Account, before int64, limit int, yield func(house.Movement) error) error
}

// Limits bound what clients can ask for. Zero is no limit, save where it says.
type Limits struct {
	// Streams of events that are open at once, of each person and in all.
	StreamsEach, Streams int
	// StreamBuffer is the number of events by which a subscriber may fall behind before
	// it is disconnected; zero is 256.
	StreamBuffer int
	// WriteTimeout is the longest time that one write to a reader may take; zero is 5 seconds.
	WriteTimeout time.Duration
	// Heartbeat is the interval between the heartbeats of an idle stream; zero is 15 seconds.
	Heartbeat time.Duration
}

// server is the handler of everything under it.
type server struct {
	Config
	mux     *http.ServeMux
	huma    huma.API
	origins *http.CrossOriginProtection
	streams *streamQuota
	// turns bounds the subscribers for whom the past is read at once: half of the processors
	// in all, so that the others are left to those who play. A reading takes the house a
	// thousand times as long as the request for it.
	turns        *admission.Turns
	broadcasters broadcasters
	metrics      *metrics
}

// New returns the API of a house.
func New(c Config) http.Handler { return newServer(c) }

func newServer(c Config) *server {
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Registry == nil {
		c.Registry = prometheus.NewRegistry()
	}
	if c.TimeUp == nil {
		c.TimeUp = timeup.New()
	}
	if c.Machines == nil {
		c.Machines = machines.None(c.NowMs)
	}
	c.Limits.StreamBuffer = cmp.Or(c.Limits.StreamBuffer, 256)
	c.Limits.WriteTimeout = cmp.Or(c.Limits.WriteTimeout, 5*time.Second)
	c.Limits.Heartbeat = cmp.Or(c.Limits.Heartbeat, 15*time.Second)
	d := &server{
		Config: c, mux: http.NewServeMux(), origins: http.NewCrossOriginProtection(),
		streams: newStreamQuota(c.Limits.StreamsEach, c.Limits.Streams), turns: admission.NewTurns(max(1, runtime.GOMAXPROCS(0)/2)),
	}
	d.broadcasters = broadcasters{server: d, all: map[house.Topic]*broadcaster{}}
	d.metrics = newMetrics(c.Registry, d)
	d.huma = humago.New(d.mux, document())
	d.sessions()
	d.users()
	d.userChanges()
	d.tables()
	d.commands()
	d.records()
	d.search()
	d.streamRoutes()
	d.jackpots()
	d.accounts()
	d.protection()
	d.journal()
	d.audits()
	d.houseRoutes()
	d.machines()
	d.proposals()
	d.reports()
	d.operations()
	d.mux.HandleFunc("/", d.unknownOperation)
	return d
}

// unknownOperation answers what no operation answers: with the methods that there are,
// where it is only the method that is wrong.
func (d *server) unknownOperation(w http.ResponseWriter, r *http.Request) {
	var may []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := d.mux.Handler(other); pattern != "/" {
			may = append(may, method)
		}
	}
	if len(may) == 0 {
		d.fail(w, r, kindNotFound.problem("there is nothing at this address: /openapi.json lists what there is"))
		return
	}
	w.Header().Set("Allow", strings.Join(may, ", "))
	d.fail(w, r, kindMethod.problem("this address answers "+strings.Join(may, " and ")))
}

// headers are on every answer: nothing of it is a page, and nothing of it is kept
// by anybody on the way.
var headers = http.Header{
	"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":       {"nosniff"},
	"X-Frame-Options":              {"DENY"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Cache-Control":                {"no-store"},
}

// maxBody is the most that a request body may hold.
const maxBody = 64 << 10

// ServeHTTP handles a request: it gives the request a number and its sender a name, and writes
// the headers of the answer and a line of the log.
func (d *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now() //nolint:forbidigo // how long it took is not the house's time
	c := &call{id: requestID(r.Header.Get("X-Request-Id")), from: d.Admission.From(r)}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	out := &answer{ResponseWriter: w, call: c}
	h := w.Header()
	for name, values := range headers {
		h[name] = values
	}
	h["X-Request-Id"] = []string{c.id}
	if d.Secure {
		h["Strict-Transport-Security"] = []string{"max-age=31536000"}
	}
	defer func() {
		if fault := recover(); fault != nil {
			if fault == http.ErrAbortHandler { //nolint:errorlint // it is panicked with as it is
				panic(fault)
			}
			d.Log.LogAttrs(r.Context(), slog.LevelError, "a request broke", slog.String("request", c.id),
				slog.String("stack", journal.Stack()))
			if c.status == 0 {
				d.fail(out, r, kindUnexpected.problem(unexpected))
			}
		}
		d.logged(r, c, time.Since(start))
	}()
	if err := d.admit(out, r, c); err != nil {
		d.fail(out, r, err)
		return
	}
	r = r.WithContext(admission.For(r.Context(), c.person.Name))
	d.mux.ServeHTTP(out, r)
}

// logged writes the line of a request: who asked for what, and how it went. It
// holds no body and no query.
func (d *server) logged(r *http.Request, c *call, took time.Duration) {
	level := slog.LevelInfo
	if c.status >= http.StatusInternalServerError && c.status != http.StatusServiceUnavailable {
		level = slog.LevelError
	}
	d.metrics.requests.WithLabelValues(class(c.status)).Inc()
	if !d.Log.Enabled(r.Context(), level) {
		return
	}
	route := r.Pattern
	if route == "" {
		route = r.Method
	}
	d.Log.LogAttrs(
		r.Context(), level, "request", slog.String("request", c.id),
		slog.String("person", c.person.Name), slog.String("role", c.person.Role.String()),
		slog.String("from", c.from.String()), slog.String("route", route), slog.String("path", journal.WithoutCards(r.URL.Path)),
		slog.Int("status", c.status), slog.Int64("bytes", c.wrote), slog.Duration("took", took),
	)
}

// admit reads a request to its end and identifies the person who sends it, and refuses the
// request if it exceeds a limit. What breaks off, or is too large, asks for nothing.
func (d *server) admit(w http.ResponseWriter, r *http.Request, c *call) (err error) {
	if !d.Admission.Serves(r) && r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
		return kindHost.problem("the house is not reached by this host name: use the address that its operator names, or name it in hosts of house.toml")
	}
	if wait := d.Admission.Address(c.from); wait > 0 {
		return tooMany(wait)
	}
	if err := d.origins.Check(r); err != nil {
		return kindForeign.problem("a page of another site sent this request: it must come from the house's own pages or from a program")
	}
	if c.body, err = admission.Body(w, r, maxBody); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return err
		}
		return kindMalformed.problem("the request broke off before its end: send it again")
	}
	d.recognise(r, c)
	if c.person.Name != "" {
		if wait := d.Admission.Person(c.person.Name); wait > 0 {
			return tooMany(wait)
		}
	}
	return cmp.Or(checkQuery(r), checkGuards(r), d.checkVersion(r), checkKeys(c.body))
}

// checkVersion refuses If-Match with what changes something and does not ask for a version: it
// would be done whatever the version is.
func (d *server) checkVersion(r *http.Request) error {
	if r.Header.Get("If-Match") == "" || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	if _, pattern := d.mux.Handler(r); pattern == "POST "+commandPath || pattern == "/" {
		return nil
	}
	p := kindInvalid.problem("If-Match is for commands to a table: this is done whatever its version is, so leave the header out")
	p.Errors = []Fault{{"header.If-Match", "it guards nothing here"}}
	return p
}

func tooMany(waitS int) *Problem {
	p := kindTooMany.problem("rate limit exceeded: retry after the number of seconds in Retry-After")
	p.retryAfterS = waitS
	return p
}

// recognise finds out whose request it is. What was shown and is no good is
// remembered for those who ask who it was: whoever has an old cookie can still
// sign in.
func (d *server) recognise(r *http.Request, c *call) {
	c.origin = r.Header.Get("Origin")
	if bearer := r.Header.Get("Authorization"); bearer != "" {
		scheme, token, _ := strings.Cut(bearer, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			c.unknown = kindUnauthenticated.problem("send a token as Authorization: Bearer, or a session cookie")
			return
		}
		c.machine = strings.TrimSpace(token)
		c.person, c.unknown = d.Identity.Machine(c.machine)
		return
	}
	if cookie, err := r.Cookie(identity.DeviceCookieName(d.Secure)); err == nil {
		c.device = cookie.Value
	}
	if cookie, err := r.Cookie(identity.CookieName(d.Secure)); err == nil {
		c.session = cookie.Value
		s, err := d.Identity.Check(cookie.Value)
		c.person, c.unknown = s.Person, err
	}
}

// fail answers with a problem.
func (d *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := d.problem(r.Context(), err)
	h := w.Header()
	for name, values := range p.GetHeaders() {
		h[name] = values
	}
	h["Content-Type"] = []string{problemJSON}
	writeJSON(w, p.Status, p)
}

// problem returns the answer to an error. It logs a fault of the house for the operator.
func (d *server) problem(ctx context.Context, err error) *Problem {
	found := *problemOf(err)
	found.Instance = callOf(ctx).instance()
	why := func() []slog.Attr {
		return []slog.Attr{slog.String("request", callOf(ctx).id), slog.String("error", journal.WithoutCards(err.Error()))}
	}
	switch {
	case found.isFault():
		d.Log.LogAttrs(ctx, slog.LevelError, "a fault of the house", why()...)
	case house.Unsure(err):
		// Whoever opens the house again tells the operator once, and not with each request.
		d.Log.LogAttrs(ctx, slog.LevelWarn, "a request came while the record was away", why()...)
	}
	return &found
}

// authenticated returns the person who sends the request. The error is a problem if they are not
// signed in.
func authenticated(ctx context.Context) (access.Person, error) {
	c := callOf(ctx)
	switch {
	case c.unknown != nil:
		return c.person, c.unknown
	case c.person.Name == "":
		return c.person, kindUnauthenticated.problem("sign in first: POST /api/v1/sessions, or POST /api/v1/guests to play for play money")
	}
	return c.person, nil
}

// requirePermission returns the person who sends the request. The error is a problem if they are not
// signed in or lack the permission.
func requirePermission(ctx context.Context, p access.Permission) (access.Person, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return person, err
	}
	return person, person.Check(p)
}

// serve registers an operation of huma whose errors are those of the house.
func serve[I, O any](d *server, op huma.Operation, handle func(context.Context, *I) (*O, error)) {
	op.MaxBodyBytes = maxBody
	// The request is there. A deadline for reading would end its context while it is carried
	// out, and the server would answer nothing.
	op.BodyReadTimeout = -1
	op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	if _, takesBody := reflect.TypeFor[I]().FieldByName("Body"); takesBody {
		op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		op.Middlewares = append(op.Middlewares, d.takeJSON)
	}
	huma.Register(d.huma, op, func(ctx context.Context, in *I) (*O, error) {
		ctx, replayed := house.NoteReplay(ctx)
		out, err := handle(ctx, in)
		if err != nil {
			return nil, d.problem(ctx, err)
		}
		// Known only now: a request of the same key may have been carried out meanwhile.
		if answer, ok := any(out).(interface{ setReplayed(bool) }); ok {
			answer.setReplayed(replayed.Load())
		}
		return out, nil
	})
}

// takeJSON refuses a body that is not said to be JSON. huma would take one that is said to be
// nothing, and one of any type whose name ends in +json.
func (d *server) takeJSON(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	if len(callOf(r.Context()).body) > 0 {
		if !isJSON(r.Header.Get("Content-Type")) {
			d.fail(w, r, errMedia)
			return
		}
		r.Header.Set("Content-Type", "application/json") // which huma compares letter by letter
	}
	next(ctx)
}
