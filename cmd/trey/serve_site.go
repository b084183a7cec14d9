package main

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"trey/internal/admission"
	"trey/internal/api"
	"trey/internal/drill"
	"trey/internal/forward"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/plan"
	"trey/internal/house/sealing"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/web"
	"trey/rules"
)

// site is a house that is open.
type site struct {
	plan  *plan.Plan
	log   *slog.Logger
	store recordStore
	// record is the store, as it is read.
	record house.Store
	// notary is nil where the record is only read.
	notary *notary.Notary
	// witnesses are asked to cosign what is signed.
	witnesses  []*notary.Peer
	clock      *clock
	keys       *sealing.Ring
	house      *house.House
	people     *identity.Directory
	lobby      *lobby.Lobby
	autodealer *autodealer.Autodealer
	// metrics is where the metrics are served without a token; nil is nowhere.
	metrics *endpoint
	// maxGapMs and acceptClock are those of [house.World].
	maxGapMs    int64
	acceptClock bool
	// forwarder sends the significant events to another machine; nil sends them nowhere.
	forwarder *forward.Forwarder
	// reopens reports whether the house is opened again when its record takes no more, and
	// confirmedAt then returns when its database last confirmed that this process is the writer.
	reopens     bool
	confirmedAt func() time.Time
	// durability says why the database may lose what it has acknowledged.
	durability durability
	// unsigned says that what is recorded cannot be signed, or its checkpoint not kept.
	unsigned atomic.Bool
	// node names this process among those of the house, and epoch counts the changes of
	// the writer up to it.
	node  string
	epoch int64
	// applied are the steps by which the house was brought to its plan. Some may wait until
	// another machine is upgraded.
	applied []plan.Step
	// aliveMs is that of [house.World].
	aliveMs int64
	// secret is that of the machines, nil where there is one; notes are what pages keep that
	// is in no record.
	secret *sharedSecret
	notes  *web.Notes
	// failures are those that other machines have reported and that are recorded.
	failures struct {
		sync.Mutex
		noted map[failure]bool
	}
	// program is the program's own file.
	program string
	// port is where the house listens.
	port int
	// jumps are readings of the clock that were not taken, by how far they were ahead.
	jumps chan int64
	// demonstration reports whether one person is enough for what takes two in a house with
	// a configuration of its own.
	demonstration bool
}

// open opens the house from its record and brings it to its plan.
func (s *site) open(ctx context.Context, out io.Writer, source string) error {
	if s.demonstration {
		if err := identity.CheckDemonstration(ctx, s.store); err != nil {
			return err
		}
	}
	h, stops, err := house.Open(ctx, s.store, house.World{
		NowMs: s.clock.nowMs, AliveMs: s.aliveMs, NotBefore: s.notBefore, MaxGapMs: s.maxGapMs, AcceptClock: s.acceptClock,
		Seed: shuffle.Fresh, Sealer: s.keys, Active: s.active, Plays: s.plays, Independent: s.independent, Acts: s.acts, Software: version(), RealityCheckMs: s.plan.RealityCheckMs,
		Cage: s.cage(), PlayMoney: s.plan.PlayMoney, Notary: s.notary, Unread: s.unread(),
	})
	if err != nil {
		return err
	}
	s.house = h
	if err := h.CheckMoney(); err != nil {
		return err
	}
	for _, stop := range stops {
		fmt.Fprintln(out, s.interruptionWords(&stop))
	}
	s.people, err = identity.Open(ctx, identity.World{
		Record: s.store, Sessions: s.store, NowMs: s.clock.nowMs, InTime: h.InTime, Random: rand.Reader,
		SecondFactor: s.plan.SecondFactor, Sealer: s.keys, Issuer: s.plan.Name, Origins: s.plan.Origins(s.port),
		MaxGuests: s.plan.Guests.Max, SharedAddress: s.plan.SharedAddress(), Deciding: h.Deciding,
		OnePerson: s.demonstration,
	})
	if err != nil {
		return err
	}
	var initial []identity.Initial
	for _, u := range s.plan.Users {
		initial = append(initial, identity.Initial(u))
	}
	added, unknown, err := s.people.Ensure(ctx, source, initial)
	if err != nil {
		return err
	}
	for _, name := range added {
		fmt.Fprintf(out, "User %s is added.\n", name)
	}
	for _, name := range unknown {
		fmt.Fprintf(out, "User %s of %s is not added: the file names the users of a new house only; two people of the house add others (docs/roles.md).\n", name, source)
	}
	s.lobby = lobby.New(s.people, h, s.plan.Guests.Money)
	first := len(h.Tables()) == 0
	steps, err := s.plan.Apply(ctx, h)
	s.applied = steps
	for _, step := range steps {
		if !first { // a new house says it once, below
			fmt.Fprintf(out, "Table %s %s.\n", step.Table, step.Did)
		}
	}
	if err != nil {
		return err
	}
	s.autodealer = autodealer.New(h, s.clock.nowMs, s.log)
	if err := s.noteFailure(ctx); err != nil {
		return err
	}
	if err := s.openForwarder(); err != nil {
		return err
	}
	return s.checkSoftware(ctx, s.program)
}

// active reports whether a person is signed in and active. While the house is being
// opened nobody is.
func (s *site) active(name string) bool { return s.people != nil && s.people.Active(name) }

// plays reports whether somebody of a name can come in and play.
func (s *site) plays(name string) bool { return s.people != nil && s.people.Plays(name) }

// independent reports why one person may not approve what the other asked for at a time.
// While the house is being opened nobody approves anything.
func (s *site) independent(first access.Person, askedMs int64, second access.Person) error {
	if s.people == nil {
		return nil
	}
	return s.people.Independent(first, askedMs, second)
}

// acts reports why a person may not act any more. While the house is being opened nobody acts.
func (s *site) acts(by access.Person) error {
	if s.people == nil {
		return nil
	}
	return s.people.Acts(by)
}

// cage returns what one cashier moves alone. A demonstration has no limits.
func (s *site) cage() house.CageLimits {
	if s.demonstration {
		return house.CageLimits{}
	}
	return s.plan.Cage
}

// notBefore puts the clock on to the time of the record, if it is behind it.
func (s *site) notBefore(ms int64) {
	if by := s.clock.notBefore(ms); by > 0 {
		s.log.Warn("the record was written by a clock that was ahead of this one: the house goes on from its time", "ahead", time.Duration(by)*time.Millisecond)
	}
}

// jumped logs and records that the machine's clock jumped ahead.
func (s *site) jumped(byMs int64) {
	s.log.Error("the machine's clock jumped too far ahead: the house goes on from its own time; set the machine's clock, or start the house again if it is right", "ahead", time.Duration(byMs)*time.Millisecond)
	select {
	case s.jumps <- byMs: // whoever reads the clock may hold locks of the house
	default: // one waits to be recorded already
	}
}

// interruptionWords says what became of a round that a stop interrupted.
func (s *site) interruptionWords(i *house.Interruption) string {
	words := fmt.Sprintf("Table %s: round %d was interrupted for %s", i.Table, i.Round, time.Duration(i.LastedMs)*time.Millisecond)
	if i.Refused != nil {
		return words + ", and waits: " + i.Refused.Error()
	}
	clause := ""
	if v, err := s.house.RulesAt(i.Table, i.Round); err == nil && i.Clause != "" {
		clause = " (" + v.Book.ClauseRef(i.Clause) + ")"
	}
	switch i.Outcome {
	case rules.Void:
		return words + ", and is void" + clause + ": all bets went back."
	case rules.Continue:
		return words + ", and goes on" + clause + "."
	case rules.OfferWithdrawal:
		return words + ", and goes on" + clause + "; first its players may take their bets back."
	default:
		return words + ": " + i.Outcome.String() + clause + "."
	}
}

// staffNames returns the users of a demonstration, one for each function.
func staffNames() []string {
	var names []string
	for _, role := range access.Roles() {
		if role != access.Guest && role != access.Player {
			names = append(names, role.String())
		}
	}
	return names
}

// staff lets the staff of a demonstration in, with a password that nobody knew
// before. A house of its own has its own.
func (s *site) staff(ctx context.Context, demonstration bool) (password string, err error) {
	if !demonstration {
		return "", nil
	}
	var random [10]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	letters := strings.ToLower(base32.StdEncoding.EncodeToString(random[:]))
	password = strings.Join([]string{letters[:4], letters[4:8], letters[8:12], letters[12:]}, "-")
	by := identity.ChangeRequest{By: identity.Demonstration}
	for _, name := range staffNames() {
		role, err := access.ParseRole(name)
		if err != nil {
			return "", err
		}
		if _, err = s.people.User(name); errors.Is(err, identity.ErrUnknown) {
			_, err = s.people.AddUser(ctx, by, name, role, password)
		} else if err == nil {
			err = s.people.SetPassword(ctx, by, name, password)
		}
		if err != nil {
			return "", err
		}
	}
	return password, nil
}

// door returns what answers requests: the interface for programs, and beside it the
// page for people. Both count what one address and one person ask for together. The
// second handler serves the metrics without a token.
func (s *site) door(closing <-chan struct{}) (all, metrics http.Handler) {
	registry := prometheus.NewRegistry()
	admitted := admissionOf(s.plan, s.clock.nowMs)
	var last func() int64
	if s.store != nil {
		last = s.last
	}
	evidence := newLongReads(s.record)
	record := house.Named(evidence)
	programs := api.New(api.Config{
		House: s.house, Identity: s.lobby, Record: record, Evidence: evidence, Last: last, Autodealer: s.autodealer, Machines: s.machines(),
		NowMs: s.clock.nowMs, Name: s.plan.Name, Version: version(), Log: s.log, Secure: s.plan.HTTPS, Closing: closing, Warnings: s.warnings,
		Admission: admitted, Limits: api.Limits{Streams: s.plan.Requests.Streams, StreamsEach: s.plan.Requests.StreamsEach}, Registry: registry, TimeUp: s.notes.Warnings(),
	})
	if s.forwarder != nil {
		registry.MustRegister(s.forwarder.Collectors()...)
	}
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/openapi.yaml"} {
		mux.Handle(path, programs)
	}
	if s.notary != nil {
		mux.Handle("/log/", admitted.Handler(s.notary.Handler("/log/")))
	}
	signResult := func(lines string) ([]byte, error) { return s.notary.SignStatement(drill.Purpose, lines) }
	if s.notary == nil { // a door shows what a sitting is; the writer grades it
		signResult = func(string) ([]byte, error) { return nil, errors.New("a machine that does not write signs no result") }
	}
	mux.Handle("/", web.New(web.Config{
		SignResult: signResult,
		Name:       s.plan.Name,
		Version:    version(), Log: s.log, House: s.house, People: s.lobby, Record: record, Autodealer: s.autodealer, Machines: s.machines(),
		NowMs: s.clock.nowMs, Notes: s.notes, Secure: s.plan.HTTPS, Guests: s.plan.Guests.Max > 0, Renewal: s.lobby, OnePerson: s.demonstration, Streams: s.plan.Requests.Streams, Admission: admitted,
		Provider: providerOf(s.plan, s.clock.nowMs, s.log), ProviderName: s.plan.Provider.Name,
	}))
	return mux, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// admissionOf returns which requests the plan admits: twice as many may come at once as
// in the long run.
func admissionOf(p *plan.Plan, nowMs func() int64) *admission.Control {
	hosts, literals := p.Reached()
	rate := func(perSecond int) admission.Rate { return admission.Rate{PerSecond: perSecond, Burst: 2 * perSecond} }
	return admission.New(admission.Config{
		Address: rate(p.Requests.Address), Person: rate(p.Requests.Person), NowMs: nowMs,
		Hosts: hosts, LiteralHosts: literals, Proxies: p.Proxies,
	})
}
