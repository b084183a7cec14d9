package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config determines the load.
type Config struct {
	// Address is where the house is: http, and an address of this machine.
	Address string
	// Doors are the addresses of further machines of the house, which take turns in having the
	// players; without any, all play at Address.
	Doors []string
	// Tables is how many of its automatic tables are played at, and Seats how many
	// players sit at each.
	Tables, Seats int
	Duration      time.Duration
	// Name and Password, or Token, are of somebody who may see all accounts, such
	// as surveillance. Without them each player's account is compared and no other.
	Name, Password, Token string
	// Seed decides what the players do.
	Seed uint64
	// Usage measures the process at Address, and DoorUsage those at Doors together; nil where
	// it is not known.
	Usage, DoorUsage func() (Usage, error)
	// Progress is called with each step of the work, unless it is nil.
	Progress func(what string)
}

// Usage is the processor time and memory that a process has used.
type Usage struct {
	// Memory is what it holds of the machine's memory, in bytes.
	Memory int64
	// Processor is how long it has computed.
	Processor time.Duration
}

// The bounds of a run: what one machine can do with itself.
const (
	MaxTables   = 2500
	MaxSeats    = 7
	MinDuration = 100 * time.Millisecond
	MaxDuration = 12 * time.Hour
)

// Check refuses what cannot be meant, or would not be fair to others than this
// machine.
func (c *Config) Check() error {
	switch {
	case c.Tables < 1 || c.Tables > MaxTables:
		return fmt.Errorf("%d tables: choose from 1 to %d", c.Tables, MaxTables)
	case c.Seats < 1 || c.Seats > MaxSeats:
		return fmt.Errorf("%d seats: a table has from 1 to %d", c.Seats, MaxSeats)
	case c.Duration < MinDuration || c.Duration > MaxDuration:
		return fmt.Errorf("a duration of %s: choose from %s to %s", c.Duration, MinDuration, MaxDuration)
	}
	for _, address := range append([]string{c.Address}, c.Doors...) {
		if address == "" {
			continue
		}
		if _, err := host(address); err != nil {
			return err
		}
	}
	return nil
}

// host returns the host and port of a house's address. Load is for one's own machine.
func host(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return "", fmt.Errorf("%q is no address of a house: write it such as http://127.0.0.1:8080", address)
	}
	name, port := u.Hostname(), u.Port()
	ip, err := netip.ParseAddr(name)
	if name != "localhost" && (err != nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("%s may be another machine: load is put on a house on this one only, such as http://127.0.0.1:8080", name)
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(name, port), nil
}

// run is one run.
type run struct {
	Config
	*connections
	doors   []string // host and port of each
	seats   int
	players []*player
	staff   struct{ cookie, bearer string }

	opened, measuring, closing atomic.Bool
	// acting counts the players who are about to bet or to decide.
	acting atomic.Int64

	// took counts how long the commands of this second took.
	took atomic.Pointer[latencies]
	// settled counts rounds, received the messages received.
	settled, received atomic.Int64
	lastReceived      atomic.Int64

	mu     sync.Mutex
	errors map[string]int
}

// atOnce bounds the requests in flight: those above it wait, and their waiting is
// counted.
const atOnce = 1024

// Run plays for the duration, lets the rounds in play be finished, and compares. An
// error means that it could not be played; what was found stands in the report.
func Run(ctx context.Context, c Config) (*Report, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	at, err := host(c.Address)
	if err != nil {
		return nil, err
	}
	r := &run{Config: c, connections: newConnections(at, atOnce), seats: c.Seats, errors: map[string]int{}}
	defer r.connections.close()
	for _, address := range c.Doors {
		door, err := host(address)
		if err != nil {
			return nil, err
		}
		r.doors = append(r.doors, door)
	}
	if r.Progress == nil {
		r.Progress = func(string) {}
	}
	if err := r.signIn(ctx); err != nil {
		return nil, err
	}
	places, err := r.places(ctx)
	if err != nil {
		return nil, err
	}
	report := &Report{Tables: len(places), Seats: len(places) * c.Seats, Doors: len(c.Doors), Differences: []string{}}
	before, _, err := r.usage()
	if err != nil {
		return nil, err
	}
	playing, leave := context.WithCancel(ctx)
	defer leave()
	var streams sync.WaitGroup
	if err := r.seat(playing, places, &streams); err != nil {
		return nil, err
	}
	if err := r.play(ctx, report, places, before); err != nil {
		return nil, err
	}
	r.Progress("comparing every account")
	if err := r.compare(ctx, report); err != nil {
		return nil, err
	}
	leave()
	streams.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	report.Errors = r.errors
	return report, ctx.Err()
}

// usage returns what the process that writes has used, and all doors.
func (r *run) usage() (house, doors Usage, err error) {
	if r.Usage != nil {
		house, err = r.Usage()
	}
	if r.DoorUsage != nil && err == nil {
		doors, err = r.DoorUsage()
	}
	return house, doors, err
}

// signIn lets the one in who may see the accounts.
func (r *run) signIn(ctx context.Context) error {
	r.staff.bearer = r.Token
	if r.Name == "" {
		return nil
	}
	body, err := json.Marshal(map[string]string{"name": r.Name, "password": r.Password})
	if err != nil {
		return err
	}
	answer, err := r.through(ctx, &request{method: http.MethodPost, path: "/api/v1/sessions", body: body})
	if err != nil {
		return fmt.Errorf("%s cannot sign in: %w", r.Name, err)
	}
	r.staff.cookie = answer.cookie
	return nil
}

// places chooses the tables.
func (r *run) places(ctx context.Context) ([]*place, error) {
	looker := &player{run: r}
	if err := looker.enter(ctx); err != nil {
		return nil, err
	}
	for end := time.Now().Add(settling); ; {
		places, open, err := r.free(ctx, looker)
		if err != nil || len(places) == r.Tables {
			return places, err
		}
		if open < r.Tables || time.Now().After(end) {
			return nil, fmt.Errorf("the house has %d automatic tables with %d free boxes, and %d are asked for: choose fewer with --tables", len(places), r.Seats, r.Tables)
		}
		if !pause(ctx, 50*time.Millisecond) {
			return nil, ctx.Err()
		}
	}
}

// settling is the time in which the rounds of those who played before come to their end, which
// frees their boxes.
const settling = 5 * time.Second

// free returns the tables that nobody plays at, no more than are asked for, and how many tables
// there would be if nobody played.
func (r *run) free(ctx context.Context, looker *player) (places []*place, open int, err error) {
	answer, err := r.through(ctx, &request{method: http.MethodGet, path: "/api/v1/tables", cookie: looker.cookie})
	if err != nil {
		return nil, 0, fmt.Errorf("the tables: %w", err)
	}
	var all struct {
		Tables []listed `json:"tables"`
	}
	if err := json.Unmarshal(answer.body, &all); err != nil {
		return nil, 0, fmt.Errorf("the tables: %w", err)
	}
	for i := range all.Tables {
		t := &all.Tables[i]
		if t.Mode != "automatic" || t.Boxes < r.Seats {
			continue
		}
		open++
		if t.Taken == 0 && len(places) < r.Tables {
			places = append(places, &place{listed: *t, path: "/api/v1/tables/" + url.PathEscape(t.Name)})
		}
	}
	return places, open, nil
}

// entering is the number of players that come in at once.
const entering = 128

// seat lets all players in and waits until each has seen the table.
func (r *run) seat(ctx context.Context, places []*place, streams *sync.WaitGroup) error {
	r.Progress(fmt.Sprintf("seating %d players", len(places)*r.Seats))
	for t, at := range places {
		for box := 1; box <= r.Seats; box++ {
			p := &player{
				run: r, place: at, first: box == 1, box: box,
				random: rand.New(&turns{source: rand.NewPCG(r.Seed, uint64(t*MaxSeats+box))}), //nolint:gosec // what players fancy is no secret
			}
			if len(r.doors) > 0 {
				p.at = r.doors[len(r.players)%len(r.doors)]
			}
			r.players = append(r.players, p)
		}
	}
	return each(r.players, func(p *player) error {
		if err := p.enter(ctx); err != nil {
			return err
		}
		seated := make(chan struct{})
		saw := sync.OnceFunc(func() { close(seated) })
		streams.Go(func() { p.watch(ctx, saw) })
		select {
		case <-seated:
			return nil
		case <-time.After(time.Minute):
			return errors.New("a player has received nothing from the table within a minute")
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// each does something for all players, many at once, and returns the first error.
func each(players []*player, do func(*player) error) error {
	var all sync.WaitGroup
	room := make(chan struct{}, entering)
	var failed atomic.Pointer[error]
	for _, p := range players {
		room <- struct{}{}
		if failed.Load() != nil {
			<-room
			break
		}
		all.Go(func() {
			defer func() { <-room }()
			if err := do(p); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// warming is the time of play before anything is counted.
const warming = 2 * time.Second

// play lets the players play and measures.
func (r *run) play(ctx context.Context, report *Report, places []*place, before Usage) error {
	start := time.Now()
	for _, at := range places {
		at.from = start
	}
	pace := r.players[0].hasIt
	report.Pace = "full"
	if pace.betting > 0 {
		report.Pace = pace.betting.String()
		spread := rand.New(rand.NewPCG(r.Seed, 0)) //nolint:gosec // see above
		for _, at := range places {
			at.from = start.Add(time.Duration(spread.Int64N(int64(pace.betting + pace.decision))))
		}
	}
	r.opened.Store(true)
	for _, p := range r.players {
		p.act(ctx) // The bets of the first round were open when the player sat down.
	}
	if pace.betting > 0 {
		r.Progress("beginning at one table after the other")
	}
	runtime.GC() // not while they play: it would take a processor from the house
	if !pause(ctx, warming+pace.betting+pace.decision) {
		return ctx.Err()
	}
	r.Progress(fmt.Sprintf("playing for %s", r.Duration))
	first, received := r.lastReceived.Load(), r.received.Load()
	begun, err := r.moment()
	if err != nil {
		return err
	}
	var seconds []second
	for last, end := begun, begun.at.Add(r.Duration); ctx.Err() == nil && time.Now().Before(end); {
		sample := second{took: &latencies{}}
		r.took.Store(sample.took)
		r.measuring.Store(true)
		pause(ctx, min(time.Second, time.Until(end)))
		if sample.until, err = r.moment(); err != nil {
			return err
		}
		sample.machine = sample.until.since(last)
		sample.lasted, last = sample.until.at.Sub(last.at), sample.until
		seconds = append(seconds, sample)
	}
	r.measuring.Store(false)
	ended, most := begun, begun.Memory
	all := latencies{}
	for _, sample := range seconds {
		all.join(sample.took)
		ended, most = sample.until, max(most, sample.until.Memory)
	}
	took := ended.at.Sub(begun.at).Seconds()
	report.Seconds = took
	report.Transactions = r.lastReceived.Load() - first
	report.Rounds, report.Messages = r.settled.Load(), r.received.Load()-received
	report.LatencyMs, report.Commands = all.latency()
	report.CommandsPerSecond, report.RoundsPerSecond = float64(report.Commands)/took, float64(report.Rounds)/took
	report.TransactionsPerSecond, report.MessagesPerSecond = float64(report.Transactions)/took, float64(report.Messages)/took
	report.LoadProcessors = (ended.load - begun.load).Seconds() / took
	if r.Usage != nil {
		report.HouseProcessors = (ended.Processor - begun.Processor).Seconds() / took
		report.DoorProcessors = (ended.doors - begun.doors).Seconds() / took
		report.Memory = &Memory{Before: before.Memory, Most: most, PerSeat: (most - before.Memory) / int64(len(r.players))}
		report.Machine = ended.since(begun)
		report.Alone = alone(seconds)
	}
	r.Progress("finishing the rounds in play")
	r.closing.Store(true)
	return r.finish(ctx, 5*(pace.betting+pace.decision))
}

// patience bounds the time of the last rounds, beside the time of their clocks.
const patience = 20 * time.Second

// finish waits until nobody has a bet on a layout or one on its way there: a command that was
// begun before the end may be carried out after it.
func (r *run) finish(ctx context.Context, clocks time.Duration) error {
	for end := time.Now().Add(patience + clocks); time.Now().Before(end); {
		laid := r.acting.Load() // first: whoever acts no more lays nothing any more
		for _, p := range r.players {
			p.mu.Lock()
			if p.laid != 0 {
				laid++
			}
			p.mu.Unlock()
		}
		if laid == 0 {
			return nil
		}
		if !pause(ctx, 50*time.Millisecond) {
			return ctx.Err()
		}
	}
	return nil // The comparison tells whose they are.
}

// attempts bounds the attempts of a request that gets no answer.
const attempts = 8

// through asks until there is an answer: again with the same key where the house
// was busy or the connection broke. A problem is returned as an error.
func (r *run) through(ctx context.Context, q *request) (*reply, error) {
	for try := 1; ; try++ {
		answer, err := r.ask(ctx, q)
		if err == nil {
			if err = problemOf(answer); err == nil {
				return answer, nil
			}
		}
		var p *Problem
		again := errors.As(err, &p) && (p.Status == http.StatusTooManyRequests || p.kind() == "key-busy") || p == nil && q.key != ""
		if !again || try == attempts || ctx.Err() != nil {
			return nil, err
		}
		r.failed(fmt.Errorf("asked again: %w", err))
		wait := 50 * time.Millisecond << try
		if p != nil && p.retryAfterS > 0 {
			wait = time.Duration(p.retryAfterS) * time.Second
		}
		pause(ctx, wait)
	}
}

// failed counts an error by its kind.
func (r *run) failed(err error) {
	var p *Problem
	kind := err.Error()
	if errors.As(err, &p) {
		what, _, _ := strings.Cut(kind, ":")
		kind = what + ": " + p.kind()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) < maxKinds || r.errors[kind] > 0 {
		r.errors[kind]++
	} else {
		r.errors["others"]++
	}
}

// maxKinds bounds how many kinds of errors are counted apart.
const maxKinds = 100
