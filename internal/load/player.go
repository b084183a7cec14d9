package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// place is a table that is played at.
type place struct {
	listed
	path string
	// from is when its players begin, so that tables with a clock do not all do
	// the same thing at the same moment.
	from time.Time

	mu sync.Mutex
	// At a table without a clock the players say that they are ready when all of
	// them have bet: whoever said so before would close the round to the others.
	round, bet int
	waiting    []func()
}

// haveBet counts a player who bets no more in a round. After the last one, all of them
// report that they are ready.
func (p *place) haveBet(round, seats int, ready func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if round > p.round {
		p.round, p.bet, p.waiting = round, 0, nil
	}
	if round < p.round {
		return
	}
	p.bet++
	p.waiting = append(p.waiting, ready)
	if p.bet == seats {
		for _, ready := range p.waiting {
			go ready()
		}
		p.waiting = nil
	}
}

// player sits at one table and bets on one box.
type player struct {
	*run
	*place
	name, cookie string
	first        bool // of the table
	box          int
	random       *rand.Rand
	at           string   // the machine of the house that the player asks, empty for the usual one
	promises     promises // of a table's first player, who holds the house to them

	// Used by the goroutine that receives events.
	seq   int64
	hasIt struct{ betting, decision time.Duration } // the table's pace

	mu    sync.Mutex
	round int
	phase string
	lays  int // the last round in which bets were considered
	// begun is the opening balance, balance the one by the player's own account, and laid
	// the bets whose end has not been received.
	begun, balance, laid int64
	turn                 int // counts the commands, for their keys
}

// enter lets the player in as a guest and notes the opening balance.
func (p *player) enter(ctx context.Context) error {
	answer, err := p.through(ctx, p.asks(request{method: http.MethodPost, path: "/api/v1/guests"}))
	if err != nil {
		return fmt.Errorf("a player was not let in: %w", err)
	}
	var guest struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(answer.body, &guest); err != nil {
		return fmt.Errorf("a player was let in without a name: %w", err)
	}
	p.name, p.cookie = guest.Name, answer.cookie
	has, err := p.account(ctx)
	p.begun, p.balance = has.Balance, has.Balance
	return err
}

// asks returns a request as this player makes it.
func (p *player) asks(q request) *request {
	q.at, q.cookie = p.at, p.cookie
	return &q
}

// account returns the balance that the house states.
func (p *player) account(ctx context.Context) (has account, err error) {
	answer, err := p.through(ctx, p.asks(request{method: http.MethodGet, path: "/api/v1/account"}))
	if err != nil {
		return has, err
	}
	return has, json.Unmarshal(answer.body, &has)
}

// watch follows the table until the context ends, and acts.
func (p *player) watch(ctx context.Context, seated func()) {
	for ctx.Err() == nil {
		q := p.asks(request{method: http.MethodGet, path: p.path + "/events", after: p.seq})
		err := p.connections.follow(ctx, q, func(m *message) error {
			p.received.Add(1)
			return p.receive(ctx, m, seated)
		})
		if ctx.Err() != nil {
			return
		}
		p.failed(fmt.Errorf("stream: %w", err))
		pause(ctx, 200*time.Millisecond)
	}
}

// receive handles a message of the stream.
func (p *player) receive(ctx context.Context, m *message, seated func()) error {
	switch string(m.kind) {
	case "standing":
		var state standing
		if err := json.Unmarshal(m.data, &state); err != nil {
			return fmt.Errorf("a table cannot be read: %w", err)
		}
		p.hasIt.betting = time.Duration(state.Pace.Betting) * time.Millisecond
		p.hasIt.decision = time.Duration(state.Pace.Decision) * time.Millisecond
		p.seq = max(p.seq, state.Seq)
		if p.first {
			p.promises.table, p.promises.name = p.place.Name, p.name
			p.promises.begin(state.Commitment.Round, state.Commitment.Hash)
		}
		seated()
		p.turned(ctx, state.Picture.Round, []byte(state.Picture.Phase))
	case "table":
		if m.id <= p.seq {
			return fmt.Errorf("message %d came after %d", m.id, p.seq)
		}
		p.seq = m.id
		for last := p.lastReceived.Load(); last < m.id && !p.lastReceived.CompareAndSwap(last, m.id); last = p.lastReceived.Load() {
		}
		round, phase, err := p.money(m.data)
		if err != nil {
			return fmt.Errorf("message %d cannot be read: %w", m.id, err)
		}
		if p.first {
			if err := p.promises.receive(m.data); err != nil {
				return fmt.Errorf("message %d cannot be read: %w", m.id, err)
			}
		}
		p.turned(ctx, round, phase)
	}
	return nil
}

// money notes the movements of the player's money by settlement lines, and returns the
// progress of the round.
func (p *player) money(data []byte) (round int, phase []byte, err error) {
	var back, ended int64
	t := text{source: data}
	for t.open('{'); t.more('}'); {
		switch string(t.name()) {
		case "round":
			round = int(t.number())
		case "phase":
			phase = t.word()
		case "events":
			t.events(func(l line) {
				if string(l.player) == p.name {
					back += l.returned - l.reverses
					ended += l.stake
				}
			}, func(event) {})
		default:
			t.skip()
		}
	}
	if err := t.finish(); err != nil {
		return 0, nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.balance += back
	p.laid -= ended
	return round, phase, nil
}

// turned acts where the round has come a step further.
func (p *player) turned(ctx context.Context, round int, phase []byte) {
	p.mu.Lock()
	same := round == p.round && string(phase) == p.phase
	if !same {
		p.round, p.phase = round, string(phase)
	}
	p.mu.Unlock()
	if same {
		return
	}
	if p.first && string(phase) == "settled" && p.measuring.Load() {
		p.settled.Add(1)
	}
	p.act(ctx)
}

// act does what there is to do at this point of the round, once all players are
// there.
func (p *player) act(ctx context.Context) {
	if !p.opened.Load() {
		return
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.phase == "betting" && p.lays != p.round:
		p.lays = p.round
		if now.Before(p.from) {
			now = p.from
		}
		round := p.round
		p.acts(func() { p.bet(ctx, round, now) })
	case p.phase == "deciding":
		p.acts(func() { p.decide(ctx, now) })
	}
}

// acts does something beside the player's answers to messages.
func (p *player) acts(do func()) {
	p.acting.Add(1)
	go func() {
		defer p.acting.Add(-1)
		do()
	}()
}

// turns is a source of chance that a player's bets and decisions draw from at the
// same time.
type turns struct {
	mu     sync.Mutex
	source rand.Source
}

// Uint64 draws the next number.
func (t *turns) Uint64() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.source.Uint64()
}

// after returns a random moment at which the player has thought: between low and high times the
// span from now.
func (p *player) after(now time.Time, span time.Duration, low, high float64) time.Time {
	return now.Add(time.Duration(float64(span) * (low + (high-low)*p.random.Float64())))
}

// side are the wagers that can be laid beside the first one.
var side = []string{"pair-plus", "progressive", "bonus", "tie", "royal-pictures"}

// unit is the smallest bet where a table posts no limit, in cents.
const unit = 500

// bet lays the bets of a round. At the end of the run it lays none, and counts the player
// as done.
func (p *player) bet(ctx context.Context, round int, now time.Time) {
	if !pauseUntil(ctx, p.from) {
		return
	}
	at := p.after(now, p.hasIt.betting, 0.05, 0.5)
	laid := false
	for _, w := range p.wagers() {
		if p.closing.Load() {
			break
		}
		l := p.Limits[w]
		amount := max(l.Min, unit)
		if most := amount * (1 + p.random.Int64N(3)); l.Max == 0 || most <= l.Max {
			amount = most
		}
		if w == "progressive" {
			amount = l.Min
		}
		_, err := p.command(ctx, at, "bet", w, amount)
		if err != nil {
			break
		}
		laid = true
		at = p.after(at, p.hasIt.betting, 0.02, 0.1)
	}
	if laid && p.first {
		p.addSeed(ctx, round)
	}
	if p.hasIt.betting == 0 {
		p.haveBet(round, p.seats, func() {
			if laid {
				p.ready(ctx)
			}
		})
	}
}

// wagers returns the wagers that the player lays this time.
func (p *player) wagers() []string {
	these := []string{"ante"}
	if _, ok := p.Limits["main"]; ok {
		these[0] = "main"
	}
	for _, w := range side {
		if _, ok := p.Limits[w]; ok && p.random.IntN(2) == 0 {
			these = append(these, w)
		}
	}
	return these
}

// decide examines the hand and plays or folds it.
func (p *player) decide(ctx context.Context, now time.Time) {
	p.mu.Lock()
	plays := p.laid > 0
	p.mu.Unlock()
	if !plays {
		return
	}
	at := p.after(now, p.hasIt.decision, 0.05, 0.3)
	if _, decides := p.Limits["play"]; !decides && p.Limits["ante"] == (limit{}) {
		// There is nothing to decide, so half of the players examine their hand.
		if p.random.IntN(2) == 0 {
			if _, err := p.command(ctx, at, "examine", "", 0); err != nil {
				return
			}
		}
		if pauseUntil(ctx, p.after(at, p.hasIt.decision, 0.05, 0.3)) {
			p.ready(ctx)
		}
		return
	}
	cards, err := p.command(ctx, at, "examine", "", 0)
	if err != nil {
		return
	}
	kind := "fold"
	if plays3(cards) {
		kind = "raise"
	}
	_, _ = p.command(ctx, p.after(at, p.hasIt.decision, 0.1, 0.4), kind, "", 0) // counted where it fails
}

// plays3 reports whether a hand is played: Q-6-4 or better, by which every one of
// the games with a decision is played best or nearly so.
func plays3(cards []string) bool {
	if len(cards) != 3 {
		return false
	}
	var ranks []int
	suits := map[byte]bool{}
	for _, c := range cards {
		if len(c) < 2 {
			return false
		}
		rank := strings.Index("23456789TJQKA", c[:1])
		if rank < 0 {
			return false
		}
		ranks = append(ranks, rank)
		suits[c[len(c)-1]] = true
	}
	slices.SortFunc(ranks, func(a, b int) int { return b - a })
	const six, four, queen = 4, 2, 10
	straight := ranks[0] == ranks[1]+1 && ranks[1] == ranks[2]+1
	paired := ranks[0] == ranks[1] || ranks[1] == ranks[2]
	return straight || paired || len(suits) == 1 || slices.Compare(ranks, []int{queen, six, four}) >= 0
}

// ready reports that the player will do no more in this phase. It does no harm if it is
// late: the round has gone on by itself.
func (p *player) ready(ctx context.Context) {
	_, err := p.through(ctx, p.asks(request{method: http.MethodPost, path: p.path + "/ready"}))
	if err != nil && p.kindOf(err) != "not-now" {
		p.failed(fmt.Errorf("ready: %w", err))
	}
}

// command sends a command to the table at a moment, and notes what was acknowledged. A
// player who examines a hand gets its cards. The time is counted from that moment on,
// however long the command waited.
func (p *player) command(ctx context.Context, at time.Time, kind, wager string, amount int64) (cards []string, err error) {
	if !pauseUntil(ctx, at) {
		return nil, ctx.Err()
	}
	began := time.Now()
	if p.hasIt.betting > 0 {
		began = at
	}
	p.mu.Lock()
	p.turn++
	key := strconv.Itoa(p.turn)
	p.mu.Unlock()
	path := p.path + "/commands"
	if kind == "examine" {
		path += "?picture=true"
	}
	answer, err := p.through(ctx, p.asks(request{method: http.MethodPost, path: path, key: key, body: command(kind, p.box, wager, amount)}))
	if err != nil {
		p.failed(fmt.Errorf("%s: %w", kind, err))
		return nil, err
	}
	if p.measuring.Load() {
		p.took.Load().add(time.Since(began))
	}
	var bet int64
	t := text{source: answer.body}
	for t.open('{'); t.more('}'); {
		switch string(t.name()) {
		case "events":
			t.events(func(line) {}, func(e event) {
				if kind := string(e.kind); (kind == "bet-placed" || kind == "hand-raised") && string(e.player) == p.name {
					bet += e.amount
				}
			})
		case "picture":
			cards = t.cards(p.box)
		default:
			t.skip()
		}
	}
	if err := t.finish(); err != nil {
		err = fmt.Errorf("the answer to %s cannot be read: %w", kind, err)
		p.failed(err)
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.balance -= bet
	p.laid += bet
	return cards, nil
}

// pauseUntil waits for a moment; it returns false when the context has ended.
func pauseUntil(ctx context.Context, at time.Time) bool { return pause(ctx, time.Until(at)) }

func pause(ctx context.Context, span time.Duration) bool {
	if span <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// kindOf returns the kind under which an error is counted.
func (r *run) kindOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.kind()
	}
	return err.Error()
}
