package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// somebody is a person with a client of their own, who remembers their requests and the
// answers.
type somebody struct {
	name, role string
	// token is a machine's token or, for guests and the administrator, the cookie.
	token  string
	cookie bool
	client *http.Client
	rng    *rand.Rand
	// seen is the number that answers had, of all who tell each other what they saw; it goes
	// with each request. Nil is for whoever carries none.
	seen *atomic.Int64

	asked  []*request
	number int
}

// request is something that changes the house, asked for under a key of its own.
type request struct {
	by         *somebody
	key        string
	path, body string
	table      string
	fate       fate
	// What the answer said, for one that was carried out.
	seq  int64
	text string
	// player is whose account it changes by the amount, if it is carried out: at the
	// cage, or where a proposal is approved.
	player string
	amount int64
}

// fate is the outcome of a request, as far as its sender knows it.
type fate int

const (
	unheard fate = iota // nobody answered
	carriedOut
	refused
)

func (r *request) String() string {
	return fmt.Sprintf("%s asks %s %s with the key %s", r.by.name, r.path, r.body, r.key)
}

// stored is the key as the record has it.
func (r *request) stored() string { return fmt.Sprintf("%q %s", r.by.name, r.key) }

// newSomebody returns a person at an address of their own, as far as the machine has such: the
// house counts the requests of an address.
func newSomebody(name, role string, place int, rng *rand.Rand) *somebody {
	dialer := &net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(place+1))}}
	return &somebody{name: name, role: role, rng: rng, client: &http.Client{
		Timeout: patience,
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil && ctx.Err() == nil { // not every system has more than one address here
				return (&net.Dialer{Timeout: patience}).DialContext(ctx, network, address)
			}
			return c, err
		}},
	}}
}

// reply is an answer that arrived whole.
type reply struct {
	status int
	header http.Header
	text   string
	// again reports whether the request was sent before, and not answered.
	again bool
}

// ask sends a request; an error means that no answer came, or no whole one.
func (s *somebody) ask(ctx context.Context, url, method, path, body string, headers ...string) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	switch {
	case s.cookie && s.token != "":
		r.AddCookie(&http.Cookie{Name: "trey", Value: s.token})
	case s.token != "":
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if s.seen != nil && s.seen.Load() > 0 && r.Header.Get(seqHeader) == "" {
		r.Header.Set(seqHeader, strconv.FormatInt(s.seen.Load(), 10))
	}
	got, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, err
	}
	if seq, err := strconv.ParseInt(got.Header.Get(seqHeader), 10, 64); err == nil && s.seen != nil {
		for was := s.seen.Load(); seq > was && !s.seen.CompareAndSwap(was, seq); was = s.seen.Load() {
		}
	}
	if s.cookie {
		for _, c := range got.Cookies() {
			if c.Name == "trey" {
				s.token = c.Value
			}
		}
	}
	return &reply{status: got.StatusCode, header: got.Header, text: string(text)}, nil
}

// get reads a resource, and retries while the rate limit refuses it.
func (s *somebody) get(t testing.TB, url, path string, into any) {
	t.Helper()
	got := s.insist(t, url, http.MethodGet, path, "")
	if got.status != http.StatusOK {
		t.Fatalf("%s gets %s: %d %s", s.name, path, got.status, got.text)
	}
	if err := json.Unmarshal([]byte(got.text), into); err != nil {
		t.Fatalf("%s gets %s: %v in %s", s.name, path, err, got.text)
	}
}

// insist sends a request to a house that is there, and retries while the rate limit refuses it.
func (s *somebody) insist(t testing.TB, url, method, path, body string, headers ...string) *reply {
	t.Helper()
	got, err := s.askAgain(t.Context(), url, method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s asks %s: %v", s.name, path, err)
	}
	if got.status == http.StatusTooManyRequests {
		t.Fatalf("%s asks %s: the rate limit refuses it still: %s", s.name, path, got.text)
	}
	return got
}

// askAgain sends a request again while the rate limit refuses it, and gives up after a while.
func (s *somebody) askAgain(ctx context.Context, url, method, path, body string, headers ...string) (*reply, error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, err := s.ask(ctx, url, method, path, body, headers...)
		if err != nil || got.status != http.StatusTooManyRequests || time.Now().After(deadline) {
			return got, err
		}
	}
}

// order is a new request to change something.
func (s *somebody) order(path string, body any) *request {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	s.number++
	return &request{by: s, key: fmt.Sprintf("%s-%d", s.name, s.number), path: path, body: string(text)}
}

// command is a request to a table.
func (s *somebody) command(table string, m move) *request {
	r := s.order("/api/v1/tables/"+table+"/commands", m)
	r.table = table
	return r
}

// send sends a request and notes its outcome. It reports false if the house is not there any
// more, or has stopped.
func (s *somebody) send(ctx context.Context, url string, r *request) (there bool, err error) {
	got, err := s.ask(ctx, url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key)
	if err != nil {
		s.asked = append(s.asked, r)
		return false, nil
	}
	if got.status == http.StatusTooManyRequests {
		time.Sleep(10 * time.Millisecond)
		return true, nil // it came no further than the door
	}
	s.asked = append(s.asked, r)
	return r.hear(got)
}

// hear takes down an answer to a request that was unheard of so far.
func (r *request) hear(got *reply) (there bool, err error) {
	switch {
	case got.status < 300:
		var said struct{ Seq int64 }
		if got.text != "" {
			if err := json.Unmarshal([]byte(got.text), &said); err != nil {
				return false, fmt.Errorf("%s: %w in %s", r, err, got.text)
			}
		}
		r.fate, r.seq, r.text = carriedOut, said.Seq, got.text
		return true, nil
	case got.status == http.StatusServiceUnavailable:
		return !strings.Contains(got.text, ":stopped"), nil
	case got.status >= 500:
		return false, fmt.Errorf("%s: %d %s", r, got.status, got.text)
	case got.status == http.StatusUnauthorized, got.status == http.StatusBadRequest, got.status == http.StatusUnsupportedMediaType:
		return false, fmt.Errorf("%s: %d %s", r, got.status, got.text)
	}
	r.fate = refused
	return true, nil
}

// move is a command to a table.
type move struct {
	Kind string         `json:"kind"`
	Body map[string]any `json:"body"`
}

// moves returns the moves that a person may make at a table; there is false if the house is
// gone.
func (s *somebody) moves(ctx context.Context, url, table string) (all []move, there bool) {
	got, err := s.ask(ctx, url, http.MethodGet, "/api/v1/tables/"+table+"/moves", "")
	if err != nil {
		return nil, false
	}
	if got.status != http.StatusOK {
		time.Sleep(5 * time.Millisecond)
		return nil, true
	}
	var said struct{ Moves []move }
	if err := json.Unmarshal([]byte(got.text), &said); err != nil {
		return nil, false
	}
	return said.Moves, true
}

// draw draws one of the moves, its kind by its weight.
func (s *somebody) draw(all []move, weights map[string]int) (move, bool) {
	byKind := map[string][]move{}
	for _, m := range all {
		byKind[m.Kind] = append(byKind[m.Kind], m)
	}
	var kinds []string
	for _, m := range all {
		if len(kinds) == 0 || !slices.Contains(kinds, m.Kind) {
			for range weights[m.Kind] {
				kinds = append(kinds, m.Kind)
			}
		}
	}
	if len(kinds) == 0 {
		return move{}, false
	}
	of := byKind[kinds[s.rng.IntN(len(kinds))]]
	return of[s.rng.IntN(len(of))], true
}

// What people do at a table, by weight; what is not named they leave.
var (
	asPlayer = map[string]int{"bet": 8, "withdraw": 1, "examine": 3, "raise": 12, "fold": 2, "choose": 10}
	asDealer = map[string]int{"open-bets": 10, "close-bets": 2, "deal": 10, "finish-deal": 10, "lay-up": 10, "reveal": 10, "settle": 10, "expire": 1}
)

// play is a player's evening: they go from table to table.
func (s *somebody) play(ctx context.Context, url string, tables []string) error {
	at := tables[s.rng.IntN(len(tables))]
	for ctx.Err() == nil {
		if s.rng.IntN(6) == 0 {
			at = tables[s.rng.IntN(len(tables))]
		}
		all, there := s.moves(ctx, url, at)
		if !there {
			return nil
		}
		m, ok := s.draw(all, asPlayer)
		if !ok {
			time.Sleep(time.Duration(1+s.rng.IntN(4)) * time.Millisecond)
			continue
		}
		if there, err := s.send(ctx, url, s.command(at, m)); !there {
			return err
		}
		if s.rng.IntN(4) == 0 {
			if _, err := s.ask(ctx, url, http.MethodPost, "/api/v1/tables/"+at+"/ready", ""); err != nil {
				return nil
			}
		}
	}
	return nil
}

// deal runs a table as its dealer.
func (s *somebody) deal(ctx context.Context, url, at string) error {
	for ctx.Err() == nil {
		all, there := s.moves(ctx, url, at)
		if !there {
			return nil
		}
		if m, ok := s.draw(all, asDealer); ok {
			if there, err := s.send(ctx, url, s.command(at, m)); !there {
				return err
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}

// cage takes money in and pays it out.
func (s *somebody) cage(ctx context.Context, url string, players []string) error {
	for ctx.Err() == nil {
		if there, err := s.send(ctx, url, s.transfer(players)); !there {
			return err
		}
		if there, err := s.decide(ctx, url, "fill"); !there {
			return err
		}
		time.Sleep(time.Duration(s.rng.IntN(10)) * time.Millisecond)
	}
	return nil
}

func (s *somebody) transfer(players []string) *request {
	player, amount, reason := players[s.rng.IntN(len(players))], int64(100*(1+s.rng.IntN(20_000))), "buy-in"
	if s.rng.IntN(3) == 0 {
		reason = "cash-out"
	}
	r := s.order("/api/v1/cage", map[string]any{"reason": reason, "player": player, "amount": amount})
	r.player, r.amount = player, amount
	if reason == "cash-out" {
		r.amount = -amount
	}
	return r
}

// propose asks for what takes two people.
func (s *somebody) propose(ctx context.Context, url string, players []string) error {
	for ctx.Err() == nil {
		amount := int64(s.rng.IntN(4000) - 2000)
		var r *request
		switch s.rng.IntN(3) {
		case 0:
			r = s.order("/api/v1/proposals", map[string]any{"kind": "adjust-account", "body": map[string]any{
				"player": players[s.rng.IntN(len(players))], "cause": "goodwill", "change": max(1, amount), "note": "as promised",
			}})
		case 1:
			r = s.order("/api/v1/proposals", map[string]any{"kind": "fill", "body": map[string]any{"table": "dealt", "amount": 500_00}})
		default:
			r = s.order("/api/v1/proposals", map[string]any{"kind": "adjust-jackpot", "body": map[string]any{
				"jackpot": "linked", "pot": "meter", "cause": "malfunction", "change": cmp.Or(amount, 1), "note": "counted",
			}})
		}
		if there, err := s.send(ctx, url, r); !there {
			return err
		}
		time.Sleep(time.Duration(10+s.rng.IntN(20)) * time.Millisecond)
	}
	return nil
}

// approve decides what others have proposed.
func (s *somebody) approve(ctx context.Context, url string) error {
	for ctx.Err() == nil {
		if there, err := s.decide(ctx, url, ""); !there {
			return err
		}
		time.Sleep(time.Duration(5+s.rng.IntN(20)) * time.Millisecond)
	}
	return nil
}

// decide approves or declines one proposal of a kind, of any if it is empty.
func (s *somebody) decide(ctx context.Context, url, kind string) (there bool, err error) {
	got, err := s.ask(ctx, url, http.MethodGet, "/api/v1/proposals", "")
	if err != nil {
		return false, nil
	}
	if got.status != http.StatusOK {
		return true, nil
	}
	var said struct {
		Proposals []struct {
			ID       int64
			Proposal struct {
				Kind string
				Body struct {
					Player string
					Change int64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(got.text), &said); err != nil {
		return false, err
	}
	for _, p := range said.Proposals {
		if kind != "" && kind != p.Proposal.Kind {
			continue
		}
		path := "/api/v1/proposals/" + strconv.FormatInt(p.ID, 10)
		if s.rng.IntN(5) == 0 {
			return s.send(ctx, url, s.order(path+"/decline", map[string]string{"why": "not needed"}))
		}
		r := s.order(path+"/approve", nil)
		r.body = ""
		r.player, r.amount = p.Proposal.Body.Player, p.Proposal.Body.Change
		return s.send(ctx, url, r)
	}
	return true, nil
}

// listener follows one table over all lives of the house by the stream of its
// events.
type listener struct {
	*somebody
	table string

	mu   sync.Mutex
	last int64
	// heard are the transactions in order, each with its command and who gave it,
	// and moved what they came to for each player.
	heard []string
	seqs  []int64
	moved map[string]int64
	// stakes is what lies on each wager in the round.
	stakes map[string]int64
	fault  error
}

// line is a settlement line or a wager, as the stream describes it.
type line struct {
	Box                        int
	Player, Wager              string
	Amount, Returned, Reverses int64
	Lines                      []line
}

// listen follows the table until the stream ends.
func (l *listener) listen(ctx context.Context, url string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/tables/"+l.table+"/events", nil)
	if err != nil {
		l.fault = err
		return
	}
	r.Header.Set("Authorization", "Bearer "+l.token)
	l.mu.Lock()
	r.Header.Set("Last-Event-ID", strconv.FormatInt(l.last, 10))
	l.mu.Unlock()
	got, err := l.client.Do(r)
	if err != nil {
		return
	}
	defer got.Body.Close() //nolint:errcheck // it was read as far as it came
	in := bufio.NewReader(got.Body)
	var id int64
	var kind string
	var data []byte
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return // what did not come whole did not come
		}
		field, value, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(": "))
		switch string(field) {
		case "id":
			id, err = strconv.ParseInt(string(value), 10, 64)
		case "event":
			kind = string(value)
		case "data":
			data = value
		case "":
			if kind == "table" {
				err = l.take(id, data)
			}
			id, kind, data = 0, "", nil
		}
		if err != nil {
			l.mu.Lock()
			l.fault = err
			l.mu.Unlock()
			return
		}
	}
}

// take takes in one transaction.
func (l *listener) take(id int64, data []byte) error {
	var n struct {
		Seq         int64
		By, Command string
		Events      []struct {
			Kind  string
			Event line
		}
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return fmt.Errorf("%w in %s", err, data)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if id != n.Seq || id <= l.last {
		return fmt.Errorf("table %s: message %d with transaction %d comes after %d", l.table, id, n.Seq, l.last)
	}
	l.last = id
	l.seqs, l.heard = append(l.seqs, id), append(l.heard, n.By+" "+n.Command)
	for _, e := range n.Events {
		event := e.Event
		wager := fmt.Sprint(event.Box, event.Player, event.Wager)
		switch e.Kind {
		case "bets-opened":
			l.stakes = map[string]int64{}
		case "bet-placed":
			l.moved[event.Player] -= event.Amount
			l.stakes[wager] += event.Amount
		case "hand-raised", "stake-found":
			l.moved[event.Player] -= event.Amount - l.stakes[wager]
			l.stakes[wager] = event.Amount
		}
		for _, each := range event.Lines {
			l.moved[each.Player] += each.Returned - each.Reverses
		}
	}
	return nil
}

func (l *listener) movedOf(player string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.moved[player]
}
