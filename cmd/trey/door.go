package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"trey/internal/admission"
	"trey/internal/api"
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/plan"
	"trey/internal/notary"
	"trey/internal/store/postgres"
	"trey/internal/tree"
	"trey/internal/web"
	"trey/internal/web/signin"
)

// door is a house that this process reads while another one writes its record. It answers
// reads by itself.
type door struct {
	*postgres.Door
	*site
	handler http.Handler
	// closing ends the streams.
	closing context.CancelFunc
	// waiting bounds the requests that wait for a transaction, and awaitingSession those for a stream of
	// somebody whose session is not at the door yet.
	waiting, awaitingSession *admission.Places
}

// readings opens a house for reading again and again, until it ends or cannot go on.
type readings struct {
	*opening
	handover *handover
	// failed receives why the house cannot be read any more, if a person has to think of it.
	failed chan error
	end    context.CancelFunc
	over   sync.WaitGroup

	mu   sync.Mutex
	seen lastSeen // what was shown

	// keeping is held while what the writer signed is kept here, and writes is set when this
	// machine becomes the writer.
	keeping sync.Mutex
	writes  bool
}

// read begins to answer reads at a door.
func (o *opening) read(ctx context.Context, h *handover, seen lastSeen) *readings {
	ctx, end := context.WithCancel(ctx)
	r := &readings{opening: o, handover: h, failed: make(chan error, 1), end: end, seen: seen}
	r.over.Go(func() { r.run(ctx) })
	return r
}

// close ends the reading, and returns what was shown.
func (r *readings) close() lastSeen {
	r.end()
	r.over.Wait()
	return r.lastShown()
}

// lastShown returns what was shown so far.
func (r *readings) lastShown() lastSeen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

func (r *readings) run(ctx context.Context) {
	for complained := ""; ctx.Err() == nil; {
		err := r.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case !passing(err):
			r.failed <- err
			return
		case err.Error() != complained:
			complained = err.Error()
			r.log.Warn("the record cannot be read at the moment: requests are handed on", "why", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
	}
}

// errNoTouch: the database has not answered for too long.
var errNoTouch = errors.New("the database does not confirm that this door is in touch")

// once reads the house until it loses touch with the database. All that follow it end then:
// they ask at another machine.
func (r *readings) once(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	store, err := postgres.OpenDoor(ctx, r.plan.Database, postgres.Options{
		Node: r.node, Address: r.reach, Version: version(), Reads: programReads(), DoorOnly: r.onlyDoor, Tables: programTables,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	d, err := r.openDoor(ctx, store)
	if err != nil {
		return err
	}
	at, err := house.FindWhereabouts(ctx, store)
	if err != nil {
		return err
	}
	needs := &needs{book: d.house.LaterBook(), signing: at.SigningKey}
	if needs.sealed, err = house.SealedWith(ctx, store); err != nil {
		return err
	}
	var missing error // of what was shown
	if seen := r.lastShown(); seen.Size > 0 {
		missing = notary.Continues(ctx, store, notary.Checkpoint{Name: seen.name, Head: seen.Head})
	}
	if missing == nil {
		missing = notary.ContinuesIn(ctx, r.plan.Signing, store)
	}
	// Only a commit shows that this is no former server, which may lack what was shown.
	if err := store.Loaded(ctx); err != nil {
		return err
	}
	if missing != nil {
		return missing
	}
	r.needs.Store(needs)
	var work sync.WaitGroup
	defer func() {
		r.handover.door.CompareAndSwap(d, nil)
		d.closing()
		d.house.EndReading(errors.Join(errNoTouch, err))
	}()
	defer work.Wait()
	work.Go(func() { r.watch(ctx, d, cancel) })
	work.Go(func() {
		if err := d.autodealer.Observe(ctx); err != nil {
			cancel(err)
		}
	})
	work.Go(func() { r.followNotes(ctx, d) })
	work.Go(func() { r.followSigned(ctx, d) })
	work.Go(func() { r.reportFailures(ctx) })
	defer cancel(nil)
	err = store.Follow(ctx, func(news *postgres.News) error { return errors.Join(needs.take(news), d.take(news)) })
	return errors.Join(err, context.Cause(ctx))
}

// openDoor opens the house for reading.
func (r *readings) openDoor(ctx context.Context, store *postgres.Door) (*door, error) {
	p := r.plan
	s := &site{plan: p, log: r.log, record: store, clock: newClock(), port: r.port, secret: r.secret, notes: web.NewNotes()}
	d := &door{Door: store, site: s, waiting: placesOf(p, mostWaiting), awaitingSession: placesOf(p, mostWaiting)}
	var err error
	if s.house, err = house.OpenReading(ctx, store, house.World{
		NowMs: s.clock.nowMs, RealityCheckMs: p.RealityCheckMs, PlayMoney: p.PlayMoney, Cage: p.Cage, Software: version(),
	}); err != nil {
		return nil, err
	}
	if err := s.house.CheckMoney(); err != nil {
		return nil, err
	}
	if s.people, err = identity.Open(ctx, identity.World{
		Record: store, Sessions: store, NowMs: s.clock.nowMs, Random: rand.Reader, Reading: true,
		SecondFactor: p.SecondFactor, Issuer: p.Name, Origins: p.Origins(r.port),
		MaxGuests: p.Guests.Max, SharedAddress: p.SharedAddress(), Deciding: s.house.Deciding,
	}); err != nil {
		return nil, err
	}
	s.lobby = lobby.New(s.people, s.house, p.Guests.Money)
	s.autodealer = autodealer.New(s.house, s.clock.nowMs, r.log) // which runs at the writer
	var streams context.Context
	streams, d.closing = context.WithCancel(ctx)
	d.handler, _ = s.door(streams.Done())
	return d, nil
}

// take takes in what the record comes to.
func (d *door) take(news *postgres.News) error {
	for i := range news.Transactions {
		e := &news.Transactions[i]
		d.clock.notBefore(e.AtMs)
		if err := d.house.Take(e); err != nil {
			return err
		}
		if err := d.people.Take(e); err != nil {
			return err
		}
		if slices.ContainsFunc(e.Parts, func(p house.StreamAppend) bool { return p.Stream == identity.Stream }) {
			d.site.notes.RedrawFloor()
		}
	}
	d.people.TakeSessions(news.Sessions, news.Ended, news.AllSessions)
	return nil
}

const (
	// watchInterval is the time between two looks at whether a door is in touch, and
	// usesInterval that between two reports of which sessions were used there.
	watchInterval = 100 * time.Millisecond
	usesInterval  = 15 * time.Second
)

// watch opens the door when it is in touch with the database, and ends the reading when it
// no longer is.
func (r *readings) watch(ctx context.Context, d *door, end context.CancelCauseFunc) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	reported, opened := time.Now(), time.Now()
	sinceMs := d.clock.nowMs()
	for open := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		switch {
		case d.inTouch():
			if !open {
				open = true
				r.handover.door.Store(d)
			}
			r.mu.Lock()
			r.seen.name, r.seen.Head = tree.Name(d.Origin()), d.Head()
			r.mu.Unlock()
		case open || time.Since(opened) > openTimeout:
			end(errNoTouch)
			return
		}
		if time.Since(reported) >= usesInterval {
			reported = time.Now()
			nowMs := d.clock.nowMs()
			if r.report(ctx, d.people.Uses(sinceMs)) {
				sinceMs = nowMs
			}
		}
	}
}

// openTimeout is the time that a door may take to come in touch with the database.
const openTimeout = 10 * time.Second

// inTouch reports whether the database has proven lately that the door has all that counts.
func (d *door) inTouch() bool { return time.Since(d.Touched()) <= outOfTouch }

// atWriter matches the paths whose GET only the writer answers. It signs the record, and with that
// what proves the record of a round; and it keeps what a sign-in by a provider has come to.
// Everything else that reads follows from the record or from the writer's notes.
var atWriter = func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, pattern := range []string{"/log/", api.RecordPath, "/sign-in/provider", signin.ProviderPath} {
		mux.Handle(pattern, http.NotFoundHandler())
	}
	return mux
}()

// reads reports whether a door answers a request by itself.
func reads(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, pattern := atWriter.Handler(r)
	return pattern == ""
}

// answers reports whether the door answers a request: it is one that reads, of somebody
// whose session or token the door has. The writer may have one that began in this moment.
func (d *door) answers(h *handover, r *http.Request) bool {
	return reads(r) && (d.hasSession(r) || isStream(r) && d.awaitSession(h, r))
}

// hasSession reports whether the door has the session or token of a request.
func (d *door) hasSession(r *http.Request) bool {
	if bearer := r.Header.Get("Authorization"); bearer != "" {
		_, token, _ := strings.Cut(bearer, " ")
		_, err := d.people.Machine(strings.TrimSpace(token))
		return err == nil
	}
	cookie, err := r.Cookie(identity.CookieName(d.plan.HTTPS))
	return err != nil || d.people.HasSession(cookie.Value)
}

// isStream reports whether a request is for a stream of events.
func isStream(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/events") || strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// awaitSessionTimeout is the time for which a request for a stream waits until the door has the session of
// its sender.
const awaitSessionTimeout = 5 * time.Second

// awaitSession waits until the door has the session of the person who asks for a stream, and reports
// whether it has. A stream that was handed on would stay at the writer for as long as it lasts, and
// send what reads at this door do not find yet.
func (d *door) awaitSession(h *handover, r *http.Request) bool {
	giveBack := d.awaitingSession.Take(h.admission.From(r))
	if giveBack == nil {
		return false
	}
	defer giveBack()
	over := time.After(awaitSessionTimeout)
	for {
		arrived := d.Arrived()
		if d.hasSession(r) {
			return true
		}
		select {
		case <-arrived:
		case <-over:
			return false
		case <-r.Context().Done():
			return false
		}
	}
}

const (
	// seqHeader names the number of a transaction. Nothing in an answer is later, and a
	// request that carries it back is answered with at least as much. Browsers carry it back
	// as a cookie.
	seqHeader = api.SeqHeader
	seqCookie = "trey-seq"
	// mostWaiting bounds the requests that wait for a transaction or until they are known, and
	// waitTimeout how long one waits for a transaction.
	mostWaiting = 1024
	waitTimeout = time.Second
)

// placesOf returns a number of places for requests of a house. If the address tells people apart,
// one address gets a quarter of them: requests that wait are not admitted yet, and most come from
// people who are not signed in.
func placesOf(p *plan.Plan, most int) *admission.Places {
	each := most / 4
	if p.SharedAddress() {
		each = most
	}
	return admission.NewPlaces(most, each)
}

// asked returns the number that a request carries, zero for none: for a stream of the interface also
// that of the last message that its reader has. Of a header that is no number
// it asks for nothing: the interface refuses the request.
func asked(r *http.Request) int64 {
	seq, _ := strconv.ParseInt(r.Header.Get(seqHeader), 10, 64)
	if cookie, err := r.Cookie(seqCookie); err == nil {
		kept, _ := strconv.ParseInt(cookie.Value, 10, 64)
		seq = max(seq, kept)
	}
	if isStream(r) && strings.HasPrefix(r.URL.Path, "/api/") {
		last, _ := strconv.ParseInt(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")), 10, 64)
		seq = max(seq, last)
	}
	return seq
}

// serve answers a request that reads.
func (d *door) serve(h *handover, w http.ResponseWriter, r *http.Request) {
	if seq := asked(r); seq > d.Seq() {
		giveBack := d.waiting.Take(h.admission.From(r))
		if giveBack == nil {
			h.away(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), waitTimeout)
		err := d.Await(ctx, seq)
		cancel()
		giveBack()
		if err != nil {
			h.away(w, r)
			return
		}
	}
	if !d.inTouch() {
		h.away(w, r)
		return
	}
	answerNumbered(w, r, d.handler, d.Through, "", false)
}

// last returns the number of the last transaction that the writer has recorded.
func (s *site) last() int64 { return s.store.Head().Size - 1 }

// numbered puts numbers on the answers of the writer.
func (s *site) numbered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie := seqCookie
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			cookie = ""
		}
		answerNumbered(w, r, next, s.last, cookie, s.plan.HTTPS)
	})
}

// answerNumbered has a handler answer with the number of the last transaction that may be
// in the answer, and with a cookie of it if that is named. A stream has the number from
// which it begins.
func answerNumbered(w http.ResponseWriter, r *http.Request, next http.Handler, seq func() int64, cookie string, secure bool) {
	w.Header().Set(seqHeader, strconv.FormatInt(seq(), 10))
	next.ServeHTTP(&numberedAnswer{ResponseWriter: w, seq: seq, cookie: cookie, secure: secure}, r)
}

// numberedAnswer puts a number on an answer when that is written.
type numberedAnswer struct {
	http.ResponseWriter
	seq     func() int64
	cookie  string
	secure  bool
	written bool
}

func (a *numberedAnswer) WriteHeader(status int) {
	if !a.written {
		a.written = true
		seq := strconv.FormatInt(a.seq(), 10)
		a.Header().Set(seqHeader, seq)
		if a.cookie != "" {
			http.SetCookie(a.ResponseWriter, &http.Cookie{Name: a.cookie, Value: seq, Path: "/", MaxAge: 60, HttpOnly: true, Secure: a.secure, SameSite: http.SameSiteLaxMode})
		}
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *numberedAnswer) Write(p []byte) (int, error) {
	if !a.written {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] find the connection.
func (a *numberedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// readiness is the answer of /readyz by a process of a house in a database.
type readiness struct {
	Status  string `json:"status"`
	Machine string `json:"machine"` // door or writer
	Node    string `json:"node,omitempty"`
	Writer  string `json:"writer,omitempty"`
	Seq     int64  `json:"seq"`
	// Behind and BehindMs are how many transactions a door lacks, and how long ago it was
	// known to lack none.
	Behind   int64 `json:"behind"`
	BehindMs int64 `json:"behind_ms"`
	// Epoch is the number of changes of the writer, and LeaseMs how long no other process
	// takes its place.
	Epoch   int64 `json:"epoch,omitempty"`
	LeaseMs int64 `json:"lease_ms,omitempty"`
	// DoorOnly says why a door never becomes the writer, empty if it may.
	DoorOnly string `json:"door_only,omitempty"`
	// Warnings say what the operator should know although the house goes on.
	Warnings []string `json:"warnings,omitempty"`
}

// ready answers /readyz at a door.
func (h *handover) ready(w http.ResponseWriter, r *http.Request) {
	writer, known := h.current()
	if !known {
		writer.Node = "" // the name of one that stopped
	}
	d := h.door.Load()
	if d == nil || !d.inTouch() {
		h.away(w, r) // what comes all the same is handed on: streams too, for as long as they last
		return
	}
	if h.stranger.Load() {
		h.refuse(w, "the writer refuses what this machine hands on: "+errStranger.Error())
		return
	}
	text, err := json.Marshal(readiness{
		Status: "ready", Machine: "door", Node: h.node, Writer: writer.Node, DoorOnly: h.onlyDoor(),
		Seq: d.Seq(), Behind: d.Behind(), BehindMs: time.Since(d.Touched()).Milliseconds(),
		Warnings: h.warnings(),
	})
	if err != nil {
		h.away(w, r)
		return
	}
	h.respond(w, http.StatusOK, "application/json", string(text))
}

// ready answers /readyz at the writer, if the house takes commands.
func (s *site) ready(w http.ResponseWriter, r *http.Request, next http.Handler) {
	found := &status{header: http.Header{}}
	if next.ServeHTTP(found, r); found.status != 0 && found.status != http.StatusOK {
		next.ServeHTTP(w, r)
		return
	}
	since := time.Since(s.confirmedAt())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(readiness{
		Status: "ready", Machine: "writer", Node: s.node, Writer: s.node, Seq: s.last(),
		BehindMs: since.Milliseconds(), Epoch: s.epoch, LeaseMs: max(0, (postgres.DefaultLease - since).Milliseconds()),
		Warnings: s.warnings(),
	}) // whoever asked may have left
}

// status is an answer of which only the status counts.
type status struct {
	header http.Header
	status int
}

func (s *status) Header() http.Header         { return s.header }
func (s *status) WriteHeader(status int)      { s.status = status }
func (s *status) Write(p []byte) (int, error) { return len(p), nil }
