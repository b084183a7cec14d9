package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/api"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/plan"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/money"
)

// shaky is a network on which every connection breaks after a short time, whatever
// goes over it. Some hold longer than others, and all of them longer the more there
// have been, so that a slow machine comes through.
type shaky struct {
	net.Listener
	conns atomic.Int64
}

func (s *shaky) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err == nil {
		n := s.conns.Add(1)
		holds := time.Duration(1+n%8+n/50) * 50 * time.Millisecond
		time.AfterFunc(holds, func() { conn.Close() }) //nolint:errcheck // it is broken all the same
	}
	return conn, err
}

// open opens the house of the demonstration at the pace of machines, behind a
// network that breaks all the time.
func open(t *testing.T) (h *house.House, people *identity.Directory, address string, conns *atomic.Int64) {
	t.Helper()
	nowMs := func() int64 { return time.Now().UnixMilli() }
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // nobody reads it again
	if h, _, err = house.Open(t.Context(), store, house.World{NowMs: nowMs, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh}); err != nil {
		t.Fatal(err)
	}
	people, err = identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: nowMs, Random: rand.Reader, MaxGuests: 10})
	if err != nil {
		t.Fatal(err)
	}
	demonstration := plan.Demonstration()
	for i := range demonstration.Tables {
		// A clock is there and never needed: a round goes on when everybody has acted.
		demonstration.Tables[i].Pace = house.Pace{BettingMs: 600_000, DecisionMs: 600_000, OptionMs: 600_000}
	}
	if _, err := demonstration.Apply(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	c := autodealer.New(h, nowMs, nil)
	driving, rest := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		if err := c.Run(driving); err != nil {
			t.Error(err)
		}
	})
	door := api.New(api.Config{House: h, Identity: lobby.New(people, h, 1000*money.Major), Record: house.Named(store), Evidence: store, Autodealer: c, NowMs: nowMs, Log: slog.New(slog.DiscardHandler)})
	web := httptest.NewUnstartedServer(door)
	listener := &shaky{Listener: web.Listener}
	web.Listener = listener
	web.Start()
	t.Cleanup(func() {
		web.Close()
		rest()
		work.Wait()
	})
	return h, people, web.URL, &listener.conns
}

// The bot plays every game, over connections that break. Its money is what the house
// says, and each deck is the one that was committed to, with a seed of the bot's.
func TestTheBotPlays(t *testing.T) {
	h, people, address, conns := open(t)
	const rounds = 8
	for _, table := range []string{"vegas-1", "classic-1", "bonus-1", "pictures-1", "paris-1"} {
		t.Run(table, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var out bytes.Buffer
			if err := run(ctx, &out, address, "", table, rounds); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if got := strings.Count(out.String(), "and the house says the same"); got != rounds {
				t.Errorf("%d rounds of %d:\n%s", got, rounds, out.String())
			}
			if got := strings.Count(out.String(), "from the deck that was committed to, with my seed in it"); got != rounds {
				t.Errorf("the decks of %d rounds of %d are proven with a seed of the bot:\n%s", got, rounds, out.String())
			}
			status, err := h.Table(table)
			if err != nil || status.Round() < rounds {
				t.Errorf("the table is in round %d, %v", status.Round(), err)
			}
		})
	}
	if conns.Load() < 16 {
		t.Errorf("%d connections: none of them broke", conns.Load())
	}
	// As a machine, with money that is not a guest's.
	o := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	_, token, err := people.AddToken(t.Context(), o, "robot", access.Player, time.Now().Add(time.Hour).UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &bytes.Buffer{}, address, token, "vegas-1", 1); err == nil || !strings.Contains(err.Error(), "not enough to play on") {
		t.Errorf("without money: %v", err)
	}
	if h.Balance(ledger.Account{Kind: ledger.Player, Of: "robot"}) != 0 {
		t.Error("it played without money")
	}
}

func TestTheBotReportsWhyNot(t *testing.T) {
	_, _, address, _ := open(t)
	for _, test := range []struct{ house, token, table, want string }{
		{address, "", "classic-2", "a dealer runs table classic-2"},
		{address, "", "nowhere", "there is no such table"},
		{address, "trey_nonsense", "vegas-1", "ask an administrator for a new one"},
		{"nowhere", "", "vegas-1", "-house"},
	} {
		err := run(t.Context(), &bytes.Buffer{}, test.house, test.token, test.table, 1)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// What is played and what is folded, by the definition: Queen, six and four or
// better.
func TestQueenSixFour(t *testing.T) {
	for hand, want := range map[string]bool{
		"Qh 6d 4c": true, "Qh 6d 3c": false, "Qh 5d 4c": false, "Qs 7d 2c": true, "Jh Td 8c": false, "Kh 3d 2c": true,
		"2h 2d 3c": true, "2h 4h 7h": true, "4c 2d 3h": true, "Ac 2d 3h": true, "9h Td 8c": true, "?? ?? ??": false, "": false,
	} {
		if got := worthPlaying(strings.Fields(hand)); got != want {
			t.Errorf("%q: %t", hand, got)
		}
	}
}
