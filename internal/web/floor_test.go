package web_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/card"
	"trey/internal/api"
	"trey/internal/drill"
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/plan"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/internal/web"
	"trey/money"
)

// floor is a house that is open, as `trey serve` opens one, on a record in memory:
// it can be killed and opened again at the same address.
type floor struct {
	testing.TB
	disk    memory.Disk
	plan    *plan.Plan
	address string
	// first is the seed of the first round of the first table, if it is chosen.
	first *shuffle.Seed
	seeds func() shuffle.Seed
	// streams is the largest number of live pages, zero for any number.
	streams int
	// realMoney says that the next house plays for real money.
	realMoney bool
	// aheadMs is by how much the next house's clock is ahead of the real one.
	aheadMs int64
	// line stands between the next house and its record.
	line line

	*house.House
	autodealer *autodealer.Autodealer
	server     *httptest.Server
	signing    string // the folder of its key
	kill       func()
}

// line is a store whose transactions a test meets when they are recorded, before the house hears of
// it. It also meets whoever reads next, before anything is read.
type line struct {
	house.Store
	recorded atomic.Pointer[func(*house.Transaction)]
	reading  atomic.Pointer[func()]
}

func (l *line) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	if meet := l.reading.Swap(nil); meet != nil {
		(*meet)()
	}
	return l.Store.ReadAll(ctx, after, stream, yield)
}

func (l *line) Append(tx *house.Transaction) <-chan house.AppendResult {
	done := l.Store.Append(tx)
	meet := l.recorded.Load()
	if meet == nil {
		return done
	}
	late := make(chan house.AppendResult, 1)
	go func() {
		result := <-done
		(*meet)(tx)
		late <- result
	}()
	return late
}

// unhurried is a pace at which a round goes on when those concerned have acted, and
// stands still long enough to be looked at.
var unhurried = house.Pace{BettingMs: 60_000, DecisionMs: 60_000, OptionMs: 60_000, DealMs: 20, ShowMs: 600_000}

func newFloor(t testing.TB, pace house.Pace, first *shuffle.Seed, names ...string) *floor {
	t.Helper()
	f := &floor{TB: t, signing: t.TempDir(), plan: plan.Demonstration(), first: first, seeds: shuffle.Numbered(5)}
	f.plan.Tables = slices.DeleteFunc(f.plan.Tables, func(settings house.Table) bool { return len(names) > 0 && !slices.Contains(names, settings.Name) })
	for i := range f.plan.Tables {
		f.plan.Tables[i].Pace = pace
	}
	f.open("127.0.0.1:0")
	t.Cleanup(func() { f.kill() })
	return f
}

func nowMs() int64 { return time.Now().UnixMilli() }

func (f *floor) open(at string) {
	f.Helper()
	store, err := f.disk.Open(memory.Faults{})
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ahead := f.aheadMs
	nowMs := func() int64 { return nowMs() + ahead }
	seed := func() shuffle.Seed {
		if f.first != nil {
			s := *f.first
			f.first = nil
			return s
		}
		return f.seeds()
	}
	var mutex sync.Mutex
	signed, err := notary.Open(ctx, f.signing, store)
	if err != nil {
		f.Fatal(err)
	}
	f.line.Store = store
	if f.House, _, err = house.Open(ctx, &f.line, house.World{NowMs: nowMs, Software: "trey, as tested", PlayMoney: !f.realMoney, Notary: signed, Sealer: sealing.Numbered(1), Seed: func() shuffle.Seed {
		mutex.Lock()
		defer mutex.Unlock()
		return seed()
	}}); err != nil {
		f.Fatal(err)
	}
	people, err := identity.Open(ctx, identity.World{
		Record: store, Sessions: store, NowMs: nowMs, Random: rand.Reader, MaxGuests: 1000,
		Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := f.plan.Apply(ctx, f.House); err != nil {
		f.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	c := autodealer.New(f.House, nowMs, quiet)
	f.autodealer = c
	var work sync.WaitGroup
	work.Go(func() { _ = c.Run(ctx) }) // it ends with the house
	listener, err := net.Listen("tcp", at)
	if err != nil {
		f.Fatal(err)
	}
	guests := lobby.New(people, f.House, f.plan.Guests.Money)
	mux := http.NewServeMux()
	mux.Handle("/", web.New(web.Config{
		Version: "trey, as tested", Log: quiet, House: f.House, People: guests,
		Record: house.Named(store), Autodealer: c, NowMs: nowMs, Guests: true, Streams: f.streams, Renewal: guests,
		SignResult: func(lines string) ([]byte, error) { return signed.SignStatement(drill.Purpose, lines) },
	}))
	mux.Handle("/log/", signed.Handler("/log/"))
	mux.Handle("/api/", api.New(api.Config{
		House: f.House, Identity: guests, Record: house.Named(store), Evidence: store, Autodealer: c, NowMs: nowMs, Name: "trey", Version: "trey, as tested", Log: quiet,
	}))
	f.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	f.server.Start()
	f.address = f.server.URL
	f.kill = func() {
		// As the end of a process would: nothing is finished.
		cancel()
		f.server.CloseClientConnections()
		_ = f.server.Listener.Close()
		work.Wait()
		store.Crash(0)
		f.kill = func() {}
	}
}

// patience is far beyond what anything takes: it turns waiting in vain into a failure.
const patience = time.Minute

// awaitBets returns when a table that the house runs waits for its first bet, and
// nothing will happen there before it.
func (f *floor) awaitBets(name string) {
	f.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		if at, ok := f.autodealer.Awaited(name); ok && at.Wait == autodealer.FirstBet {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Fatalf("%s does not open its bets", name)
}

// seedFor finds a seed by which the first round of a table begins with these
// cards, in any order.
func seedFor(t testing.TB, name string, cards ...card.Card) *shuffle.Seed {
	t.Helper()
	return seedWhere(t, name, func(deck []card.Card) bool {
		return !slices.ContainsFunc(deck[:len(cards)], func(c card.Card) bool { return !slices.Contains(cards, c) })
	})
}

// seedWhere finds a seed by which the first round of a table has a deck of this kind.
func seedWhere(t testing.TB, name string, wanted func(deck []card.Card) bool) *shuffle.Seed {
	t.Helper()
	next := shuffle.Numbered(1)
	for range 400_000 {
		seed := next()
		deck := shuffle.Shuffle(fair.DeckSeed(fair.Commit(name, 1, seed), seed, nil))
		if wanted(deck[:]) {
			return &seed
		}
	}
	t.Fatal("no seed deals this")
	return nil
}

// Where money is real, no page says that it is not.
func TestTheFootNamesWhatIsPlayedFor(t *testing.T) {
	t.Parallel()
	for _, real := range []bool{false, true} {
		f := newFloor(t, unhurried, nil, "classic-1")
		if real {
			f.kill()
			f.realMoney = true
			f.open(strings.TrimPrefix(f.address, "http://"))
		}
		_, _, page := newSurfer(t, f.address).open("/", nil)
		if !strings.Contains(page, "by their rule books.") || strings.Contains(page, "Play money only.") == real {
			t.Errorf("real money %t: the foot is wrong", real)
		}
	}
}

// TestACashierMovesMoneyOnThePage holds that a cashier takes money in and pays it out on the page,
// and is told what the player has then; and that nobody else moves any.
func TestACashierMovesMoneyOnThePage(t *testing.T) {
	t.Parallel()
	s := openStaffed(t) // in which ann has 1,000
	staff := signedIn(t, s.address, "cat", "sue", "pat", "dan", "sam")
	const path = "/staff/cage"
	buyIn := url.Values{"reason": {"buy-in"}, "player": {"ann"}, "amount": {"250.50"}}
	has := func() money.Amount { return s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}) }
	offeredTo(t, staff, path, buyIn, "cat")
	for name, form := range map[string]url.Values{
		"more than there is": {"reason": {"cash-out"}, "player": {"ann"}, "amount": {"1000.01"}},
		"nothing":            {"reason": {"buy-in"}, "player": {"ann"}, "amount": {"0"}},
		"less than nothing":  {"reason": {"cash-out"}, "player": {"ann"}, "amount": {"-5"}},
		"no amount":          {"reason": {"buy-in"}, "player": {"ann"}, "amount": {"five"}},
		"no player":          {"reason": {"buy-in"}, "player": {"zoe"}, "amount": {"5"}},
		"another reason":     {"reason": {"fill"}, "player": {"ann"}, "amount": {"5"}},
	} {
		if _, status, page := staff["cat"].open(path, form); status < 400 || status >= 500 {
			t.Errorf("%s: %d: %s", name, status, page)
		}
	}
	if got := has(); got != 1000*money.Major {
		t.Fatalf("ann has %s", got)
	}
	staff["cat"].fragments = true
	for _, step := range []struct {
		form url.Values
		want money.Amount
		says string
	}{
		{buyIn, 125050, "$250.50 of ann taken in: $1,250.50 on their account."},
		{url.Values{"reason": {"cash-out"}, "player": {"ann"}, "amount": {"1250.50"}}, 0, "$1,250.50 to pay to ann: $0 left on their account."},
	} {
		step.form.Set("key", fmt.Sprint("one press ", step.want))
		for range 2 { // a press that is sent twice moves money once
			_, status, page := staff["cat"].open(path, step.form)
			if got := has(); status != http.StatusOK || got != step.want || !strings.Contains(page, step.says) {
				t.Errorf("%v: %d, ann has %s: %s", step.form, status, got, page)
			}
		}
	}
}
