package api

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/report"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/money"
)

const minuteMs = 60_000

// guardedSite is a house with a clock of its own that can be closed and opened again.
type guardedSite struct {
	*site
	clock atomic.Int64
	disk  memory.Disk
	// checkMs is the interval of the house's own reality checks.
	checkMs int64
	// cage is the limit of one cashier alone.
	cage house.CageLimits
}

func newGuardedSite(t *testing.T, checkMs int64) *guardedSite {
	t.Helper()
	g := &guardedSite{site: &site{TB: t, log: &logged{}}, checkMs: checkMs}
	g.clock.Store(1_800_000_000_000)
	g.open()
	g.tokens = map[string]string{}
	for name, person := range staff {
		o := identity.ChangeRequest{By: staff["adm"], Why: "a test"}
		_, text, err := g.people.AddToken(t.Context(), o, name, person.Role, g.clock.Load()+300*dayMs)
		if err != nil {
			t.Fatal(err)
		}
		g.tokens[name] = text
	}
	return g
}

// open opens the house from its record, as after a stop.
func (g *guardedSite) open() {
	g.Helper()
	t := g.TB
	if g.web != nil {
		g.web.Close()
		if err := g.store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	g.store = opened(t, &g.disk)
	if g.House, _, err = house.Open(t.Context(), g.store, house.World{NowMs: g.clock.Load, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh, RealityCheckMs: g.checkMs, Cage: g.cage}); err != nil {
		t.Fatal(err)
	}
	if g.people, err = identity.Open(t.Context(), identity.World{
		Record: g.store, Sessions: g.store, NowMs: g.clock.Load, Random: rand.Reader, MaxGuests: 10, Cost: fast, Deciding: g.House.Deciding, OnePerson: true,
	}); err != nil {
		t.Fatal(err)
	}
	g.server = newServer(Config{House: g.House, Identity: g.people, Record: house.Named(g.store), NowMs: g.clock.Load, Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewJSONHandler(g.log, nil))})
	g.web = httptest.NewServer(g.server)
	t.Cleanup(g.web.Close)
}

func (g *guardedSite) pass(ms int64) { g.clock.Add(ms) }

func (g *guardedSite) must(person, method, path, body string) Play {
	g.Helper()
	r := g.ask(person, method, path, body)
	if r.StatusCode != http.StatusOK {
		g.Fatalf("%s %s %s: %s %s", person, method, path, r.Status, r.text)
	}
	var p Play
	r.into(g, &p)
	return p
}

func (g *guardedSite) play(person string) Play {
	g.Helper()
	return g.must(person, http.MethodGet, "/api/v1/account/play", "")
}

func (g *guardedSite) setLimit(person, limit string, most int64) Play {
	g.Helper()
	return g.must(person, http.MethodPut, "/api/v1/account/limits/"+limit, fmt.Sprintf(`{"most":%d}`, most))
}

func (g *guardedSite) deposit(person string, amount int64) *reply {
	g.Helper()
	return g.ask("cas", http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, person, amount))
}

func (g *guardedSite) bet(person, at string, box int, wager string, amount int64) *reply {
	g.Helper()
	return g.order(person, at, fmt.Sprintf(`{"kind":"bet","body":{"box":%d,"wager":%q,"amount":%d}}`, box, wager, amount))
}

// refused holds that a request was refused for a reason of protection.
func (g *guardedSite) refused(r *reply, reason string) {
	g.Helper()
	if r.StatusCode != http.StatusConflict || r.problem(g.TB).Reason != reason {
		g.Fatalf("%s %s, want the reason %s", r.Status, r.text, reason)
	}
}

// withheld holds that a dealer's bet for a player is refused for a reason, tried out or not.
// The dealer learns neither what the player has set or played nor how long it lasts.
func (g *guardedSite) withheld(at, command, reason string) {
	g.Helper()
	for _, r := range []*reply{
		g.order("dan", at, command),
		g.ask("dan", http.MethodPost, "/api/v1/tables/"+at+"/commands?dry_run=true", command),
	} {
		g.refused(r, reason)
		if strings.ContainsAny(r.problem(g.TB).Detail, "0123456789") {
			g.Errorf("%s: the dealer is told %s", reason, r.problem(g.TB).Detail)
		}
	}
}

func (g *guardedSite) accepted(r *reply) {
	g.Helper()
	if r.StatusCode != http.StatusOK {
		g.Fatalf("%s %s", r.Status, r.text)
	}
}

func (g *guardedSite) holds(person string) money.Amount {
	return g.Balance(ledger.Account{Kind: ledger.Player, Of: person})
}

func limitOf(t testing.TB, p Play, kind, period string) PlayerLimit {
	t.Helper()
	for _, l := range p.Limits {
		if l.Kind == kind && l.Period == period {
			return l
		}
	}
	t.Fatalf("no limit %s per %s in %+v", kind, period, p.Limits)
	return PlayerLimit{}
}

// foldRound plays a round in which a player loses an Ante by folding.
func (g *guardedSite) foldRound(person, at string, ante int64) {
	g.Helper()
	g.done("dan", at, `{"kind":"open-bets"}`)
	g.accepted(g.bet(person, at, 1, "ante", ante))
	g.done("dan", at, `{"kind":"close-bets"}`)
	g.done("dan", at, `{"kind":"deal"}`)
	g.done(person, at, `{"kind":"fold","body":{"box":1}}`)
	g.finish(at)
}

// finish takes a decided round to its settlement.
func (g *guardedSite) finish(at string) {
	g.Helper()
	g.order("dan", at, `{"kind":"reveal"}`) // refused where every hand was folded
	g.done("dan", at, `{"kind":"settle"}`)
}

// TestDepositsAtTheEdgeOfALimit holds that of 100 deposits in one moment exactly as
// many are taken as the limit has room for.
func TestDepositsAtTheEdgeOfALimit(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.accepted(g.deposit("ann", 1_000))
	g.setLimit("ann", "deposit/week", 10_000)
	g.setLimit("ann", "deposit/day", 20_000)
	// 9,000 are left: 25 deposits of 350 come to 8,750, and another would break it.
	const many, each, fit = 100, 350, 25
	var taken, other atomic.Int64
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			switch r := g.deposit("ann", each); {
			case r.StatusCode == http.StatusOK:
				taken.Add(1)
			case r.StatusCode != http.StatusConflict || r.problem(t).Reason != "limit-reached":
				other.Add(1)
				t.Errorf("%s %s", r.Status, r.text)
			}
		})
	}
	all.Wait()
	if taken.Load() != fit || g.holds("ann") != 1_000+fit*each {
		t.Errorf("%d deposits were taken and ann holds %s", taken.Load(), g.holds("ann"))
	}
	g.refused(g.deposit("ann", 251), "limit-reached")
	g.accepted(g.deposit("ann", 250))
	g.refused(g.deposit("ann", 1), "limit-reached")
	// It is the same house after a stop, and money paid out makes no room.
	g.open()
	g.refused(g.deposit("ann", 1), "limit-reached")
	g.accepted(g.ask("cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":5000}`))
	g.refused(g.deposit("ann", 1), "limit-reached")
	g.accepted(g.deposit("ben", 100_000))
	// What was deposited a week ago makes room again.
	g.pass(7*dayMs + minuteMs)
	g.accepted(g.deposit("ann", 10_000))
	g.refused(g.deposit("ann", 1), "limit-reached")
}

// TestLowerAtOnceHigherAfterADay holds when a change of a limit takes effect, also
// over a stop of the house.
func TestLowerAtOnceHigherAfterADay(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.setLimit("ann", "deposit/day", 500)
	g.refused(g.deposit("ann", 501), "limit-reached")
	p := g.setLimit("ann", "deposit/day", 5_000)
	if l := limitOf(t, p, "deposit", "day"); l.Most == nil || *l.Most != 500 || l.Next == nil || *l.Next.Most != 5_000 || l.Next.FromMs != g.clock.Load()+dayMs {
		t.Fatalf("a higher limit is %+v", l)
	}
	g.refused(g.deposit("ann", 501), "limit-reached")
	g.pass(dayMs - 1)
	g.open()
	g.refused(g.deposit("ann", 501), "limit-reached")
	g.pass(1)
	g.accepted(g.deposit("ann", 501))
	// Lower again, at once: what was deposited counts.
	g.setLimit("ann", "deposit/day", 600)
	g.refused(g.deposit("ann", 100), "limit-reached")
	g.accepted(g.deposit("ann", 99))
	// To remove one is to raise it. Whoever lowers it meanwhile waits anew.
	g.must("ann", http.MethodDelete, "/api/v1/account/limits/deposit/day", "")
	g.pass(dayMs / 2)
	p = g.setLimit("ann", "deposit/day", 550)
	if l := limitOf(t, p, "deposit", "day"); l.Next != nil || *l.Most != 550 {
		t.Fatalf("a limit that was lowered while it was to be removed is %+v", l)
	}
	g.pass(dayMs)
	g.refused(g.deposit("ann", 551), "limit-reached")
	g.must("ann", http.MethodDelete, "/api/v1/account/limits/deposit/day", "")
	g.pass(dayMs)
	g.accepted(g.deposit("ann", 1_000_000))
	for _, bad := range []string{"deposit/round", "time/session", "loss/session"} {
		if r := g.ask("ann", http.MethodPut, "/api/v1/account/limits/"+bad, `{"most":10}`); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s %s", bad, r.Status, r.text)
		}
	}
	if r := g.ask("ann", http.MethodPut, "/api/v1/account/limits/time/day", `{"most":1441}`); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("more minutes than a day has: %s", r.Status)
	}
}

// TestAnAnteCountsTwice holds that a bet is refused unless the Play that it may need
// is within the limits too, at all tables together, and that a Play is never refused.
func TestAnAnteCountsTwice(t *testing.T) {
	for _, limit := range []string{"stake/day", "loss/week", "stake/month", "loss/day"} {
		g := newGuardedSite(t, 0)
		g.install("T1", "rws-3cp")
		g.install("T2", "rws-3cp")
		g.accepted(g.deposit("ann", 100_000))
		g.setLimit("ann", limit, 5_000)
		g.done("dan", "T1", `{"kind":"open-bets"}`)
		g.done("dan", "T2", `{"kind":"open-bets"}`)
		// An Ante of 2,500 and its Play are 5,000; 2,505 would be 5,010.
		g.refused(g.bet("ann", "T1", 1, "ante", 2_600), "limit-reached")
		if r := g.ask("ann", http.MethodPost, "/api/v1/tables/T1/commands?dry_run=true", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":2600}}`); r.problem(t).Reason != "limit-reached" {
			t.Errorf("%s: a dry run foresees %s", limit, r.text)
		}
		// Dry runs do not count, however many.
		for range 5 {
			g.accepted(g.ask("ann", http.MethodPost, "/api/v1/tables/T1/commands?dry_run=true", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":2000}}`))
		}
		g.accepted(g.bet("ann", "T1", 1, "ante", 2_000)) // 4,000 with its Play
		g.refused(g.bet("ann", "T2", 1, "ante", 600), "limit-reached")
		g.refused(g.bet("ann", "T2", 1, "pair-plus", 1_500), "limit-reached")
		g.accepted(g.bet("ann", "T2", 1, "ante", 500)) // 5,000
		g.refused(g.order("dan", "T2", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"pair-plus","amount":500}}`), "limit-reached")
		// What is taken back before the deal was not staked.
		g.done("ann", "T2", `{"kind":"withdraw","body":{"box":1,"wager":"ante"}}`)
		g.accepted(g.bet("ann", "T2", 1, "ante", 500))
		g.refused(g.bet("ann", "T2", 2, "ante", 500), "limit-reached")
		for _, at := range []string{"T1", "T2"} {
			g.done("dan", at, `{"kind":"close-bets"}`)
			g.done("dan", at, `{"kind":"deal"}`)
			g.done("ann", at, `{"kind":"raise","body":{"box":1}}`)
			g.finish(at)
		}
		if used := limitOf(t, g.play("ann"), "stake", "day").Used; used != 5_000 {
			t.Errorf("%s: two Antes of 2,000 and 500 with their Plays are %d", limit, used)
		}
		if used := limitOf(t, g.play("ann"), "loss", "day").Used; used != int64(100_000-g.holds("ann")) {
			t.Errorf("%s: the loss is %d, and ann holds %s of 100,000", limit, used, g.holds("ann"))
		}
	}
}

// TestStakeOfARound holds the limit of what a player lays in one round.
func TestStakeOfARound(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	g.accepted(g.deposit("ann", 100_000))
	g.setLimit("ann", "stake/round", 3_000)
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.refused(g.bet("ann", "T1", 1, "ante", 1_600), "limit-reached")
	g.accepted(g.bet("ann", "T1", 1, "ante", 1_000))
	g.refused(g.bet("ann", "T1", 1, "pair-plus", 1_100), "limit-reached")
	g.accepted(g.bet("ann", "T1", 1, "pair-plus", 1_000))
	g.refused(g.bet("ann", "T1", 2, "pair-plus", 500), "limit-reached")
}

// TestABetTakenBackMakesNoRoomADayLater holds that a bet which was taken back makes no room
// when it leaves the period before its taking back does. With bets at two tables at that
// moment, a player would have staked, or lost, twice the limit.
func TestABetTakenBackMakesNoRoomADayLater(t *testing.T) {
	for _, kind := range []string{"stake", "loss"} {
		g := newGuardedSite(t, 0)
		for _, at := range []string{"T1", "T2"} {
			g.install(at, "us-3cp")
			g.done("dan", at, `{"kind":"open-bets"}`)
		}
		g.accepted(g.deposit("ann", 10_000))
		g.setLimit("ann", kind+"/day", 1_000)
		g.accepted(g.bet("ann", "T1", 1, "pair-plus", 1_000))
		g.pass(5 * 60_000)
		g.refused(g.bet("ann", "T2", 1, "pair-plus", 500), "limit-reached")
		g.done("ann", "T1", `{"kind":"withdraw","body":{"box":1,"wager":"pair-plus"}}`)
		g.accepted(g.bet("ann", "T2", 1, "pair-plus", 500)) // it makes room at once
		// The bet is older than a day now, and taking it back is not.
		g.pass(dayMs - 4*60_000)
		g.accepted(g.bet("ann", "T1", 1, "pair-plus", 500))
		g.refused(g.bet("ann", "T2", 1, "pair-plus", 500), "limit-reached")
		g.pass(2 * 60_000 * 60)
		if used := limitOf(t, g.play("ann"), kind, "day").Used; used != 500 {
			t.Errorf("%s: in the last day ann has bet 5.00, and %d count", kind, used)
		}
	}
}

// TestALossLimitFollowsTheRecord holds that losses count to the cent, are the same
// after a stop, and leave the period.
func TestALossLimitFollowsTheRecord(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	g.accepted(g.deposit("ann", 100_000))
	for range 3 {
		g.foldRound("ann", "T1", 1_000)
		g.pass(20 * minuteMs)
	}
	// They were lost before the limit was set, and count.
	p := g.setLimit("ann", "loss/day", 5_000)
	if l := limitOf(t, p, "loss", "day"); l.Used != 3_000 || g.holds("ann") != 97_000 {
		t.Fatalf("after three lost Antes: %+v", l)
	}
	check := func() {
		g.Helper()
		g.done("dan", "T1", `{"kind":"open-bets"}`)
		g.refused(g.bet("ann", "T1", 1, "ante", 1_100), "limit-reached")
		g.accepted(g.bet("ann", "T1", 1, "ante", 1_000))
		g.done("ann", "T1", `{"kind":"withdraw","body":{"box":1,"wager":"ante"}}`)
	}
	check()
	g.open()
	// Nothing lay on the layout, so the round goes on.
	g.refused(g.bet("ann", "T1", 1, "ante", 1_100), "limit-reached")
	g.accepted(g.bet("ann", "T1", 1, "ante", 1_000))
	g.done("dan", "T1", `{"kind":"close-bets"}`)
	g.done("dan", "T1", `{"kind":"deal"}`)
	g.done("ann", "T1", `{"kind":"fold","body":{"box":1}}`)
	g.finish("T1")
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.refused(g.bet("ann", "T1", 1, "ante", 600), "limit-reached")
	g.pass(dayMs - 20*minuteMs) // the first two left the day
	g.accepted(g.bet("ann", "T1", 1, "ante", 1_500))
}

// TestTimeAtPlay holds the limit of the time at play: from the first bet on, and
// breaks of a quarter of an hour do not count.
func TestTimeAtPlay(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	g.accepted(g.deposit("ann", 100_000))
	g.setLimit("ann", "time/day", 30)
	g.foldRound("ann", "T1", 500)
	g.pass(10 * minuteMs)
	g.foldRound("ann", "T1", 500) // 10 minutes
	g.pass(60 * minuteMs)
	g.foldRound("ann", "T1", 500) // a break of an hour
	g.pass(14 * minuteMs)
	g.foldRound("ann", "T1", 500) // 24 minutes
	g.pass(6*minuteMs - 1)
	g.open()
	g.foldRound("ann", "T1", 500)
	g.pass(1)
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.refused(g.bet("ann", "T1", 1, "ante", 500), "limit-reached")
	if p := g.play("ann"); limitOf(t, p, "time", "day").Used != 30 || p.Session.ElapsedMs != 20*minuteMs || p.Session.Staked != 1_500 || p.Session.Net != -1_500 {
		t.Errorf("after 30 minutes: %+v", p)
	}
	g.pass(dayMs)
	g.accepted(g.bet("ann", "T1", 1, "ante", 500))
}

// TestARoundIsPlayedOut holds that an exclusion, a time-out and a limit hold from the
// next bet on at every table, and take nothing from a round with a bet in it.
func TestARoundIsPlayedOut(t *testing.T) {
	stops := map[string]func(g *guardedSite){
		"time-out": func(g *guardedSite) {
			g.must("ann", http.MethodPost, "/api/v1/account/time-out", `{"days":1}`)
		},
		"excluded": func(g *guardedSite) {
			g.must("ann", http.MethodPost, "/api/v1/account/exclusion", `{"days":null}`)
		},
		"excluded ": func(g *guardedSite) {
			g.must("sue", http.MethodPost, "/api/v1/players/ann/exclusion", `{"days":7,"why":"asked for by her family"}`)
		},
		"limit-reached": func(g *guardedSite) { g.setLimit("ann", "loss/day", 0) },
	}
	for reason, stop := range stops {
		g := newGuardedSite(t, 0)
		g.install("T1", "rws-3cp")
		g.install("T2", "mbs-3pictures@2")
		g.accepted(g.deposit("ann", 100_000))
		g.done("dan", "T1", `{"kind":"open-bets"}`)
		g.done("dan", "T2", `{"kind":"open-bets"}`)
		g.accepted(g.bet("ann", "T1", 1, "ante", 1_000))
		g.accepted(g.bet("ann", "T1", 2, "ante", 1_000))
		g.accepted(g.bet("ann", "T1", 2, "pair-plus", 500))
		stop(g)
		if reason == "excluded " {
			reason = "excluded"
		}
		g.refused(g.bet("ann", "T1", 1, "pair-plus", 500), reason)
		g.refused(g.bet("ann", "T2", 1, "main", 1_000), reason)
		g.withheld("T2", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"main","amount":1000}}`, reason)
		if reason != "limit-reached" {
			g.refused(g.deposit("ann", 1), reason)
		}
		if got := g.holds("ann"); got != 97_500 {
			t.Errorf("%s: ann holds %s: something was returned", reason, got)
		}
		g.done("dan", "T1", `{"kind":"close-bets"}`)
		g.done("dan", "T1", `{"kind":"deal"}`)
		g.done("ann", "T1", `{"kind":"examine","body":{"box":1}}`)
		g.done("ann", "T1", `{"kind":"raise","body":{"box":1}}`)
		g.done("ann", "T1", `{"kind":"fold","body":{"box":2}}`)
		g.finish("T1")
		g.open()
		g.done("dan", "T1", `{"kind":"open-bets"}`)
		p := g.play("ann")
		if p.Session.Staked != 3_500 || p.Session.Net != g.holds("ann")-100_000 {
			t.Errorf("%s: the record tells of %+v, and ann holds %s", reason, p.Session, g.holds("ann"))
		}
		if reason != "limit-reached" {
			g.refused(g.bet("ann", "T1", 1, "ante", 500), reason)
			g.accepted(g.ask("cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":100}`))
		}
		if reason == "time-out" {
			g.refused(g.ask("ann", http.MethodPost, "/api/v1/account/time-out", `{"days":1}`), "no-change")
			g.pass(dayMs)
			g.accepted(g.bet("ann", "T1", 1, "ante", 500))
		}
		g.accepted(g.ask("ben", http.MethodGet, "/api/v1/account/play", ""))
	}
}

// TestExclusionsAreNotShortened holds who excludes whom, and that nobody ends it.
func TestExclusionsAreNotShortened(t *testing.T) {
	g := newGuardedSite(t, 0)
	const path, body = "/api/v1/players/ann/exclusion", `{"days":30,"why":"the house decided it"}`
	for _, person := range []string{"ann", "ben", "dan", "eye", "adm"} {
		if r := g.ask(person, http.MethodPost, path, body); r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s excluded ann: %s %s", person, r.Status, r.text)
		}
		if r := g.get(person, "/api/v1/players/ann/play"); r.StatusCode == http.StatusOK {
			t.Errorf("%s sees what ann plays", person)
		}
	}
	if r := g.ask("pat", http.MethodPost, "/api/v1/players/nobody/exclusion", body); r.StatusCode != http.StatusNotFound {
		t.Errorf("somebody unknown was excluded: %s", r.Status)
	}
	g.must("pat", http.MethodPost, path, body)
	g.refused(g.ask("sue", http.MethodPost, path, `{"days":29,"why":"shorter"}`), "no-change")
	if p := g.must("cas", http.MethodGet, "/api/v1/players/ann/play", ""); p.Excluded == nil || p.Excluded.Own || p.Excluded.UntilMs != g.clock.Load()+30*dayMs {
		t.Errorf("the exclusion is %+v", p.Excluded)
	}
	for of, lost := range map[string]string{"account": `{}`, "players/ben": `{"why":"the house decided it"}`} {
		if r := g.ask("pat", http.MethodPost, "/api/v1/"+of+"/exclusion", lost); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("an exclusion without a word on its end: %s", r.Status)
		}
	}
	g.must("ann", http.MethodPost, "/api/v1/account/exclusion", `{"days":null}`)
	g.refused(g.ask("sue", http.MethodPost, path, body), "no-change")
	g.refused(g.ask("ann", http.MethodPost, "/api/v1/account/exclusion", `{"days":200}`), "no-change")
	g.pass(200 * dayMs)
	g.open()
	g.refused(g.deposit("ann", 100), "excluded")
	// The same request again is answered and not done again.
	first := g.ask("ben", http.MethodPost, "/api/v1/account/time-out", `{"days":2}`, "Idempotency-Key", "k")
	again := g.ask("ben", http.MethodPost, "/api/v1/account/time-out", `{"days":2}`, "Idempotency-Key", "k")
	g.accepted(first)
	g.accepted(again)
	if again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the second answer has the headers %v", again.Header)
	}
}

// TestARealityCheck holds that it comes due by the house's interval or the player's shorter
// one, and waits for decisions. It is answered before the next bet at every table, and agrees
// with the record.
func TestARealityCheck(t *testing.T) {
	g := newGuardedSite(t, 30*minuteMs)
	g.install("T1", "rws-3cp")
	g.install("T2", "rws-3cp")
	g.accepted(g.deposit("ann", 100_000))
	if r := g.ask("ann", http.MethodPost, "/api/v1/account/reality-check", `{}`); r.StatusCode != http.StatusConflict {
		t.Errorf("a check was answered that is not due: %s", r.Status)
	}
	g.foldRound("ann", "T1", 1_000)
	g.pass(10 * minuteMs)
	g.foldRound("ann", "T1", 1_000)
	g.pass(10 * minuteMs)
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.done("dan", "T2", `{"kind":"open-bets"}`)
	g.accepted(g.bet("ann", "T1", 1, "ante", 1_000))
	g.done("dan", "T1", `{"kind":"close-bets"}`)
	g.done("dan", "T1", `{"kind":"deal"}`)
	g.pass(10*minuteMs - 1)
	if p := g.play("ann"); p.Check.Due || p.Check.NextMs != g.clock.Load()+1 || p.Check.EveryMs != 30*minuteMs {
		t.Errorf("a moment before: %+v", p.Check)
	}
	g.pass(1)
	p := g.play("ann")
	if !p.Check.Due || !p.Check.Waits || p.Session.ElapsedMs != 30*minuteMs || p.Session.Staked != 3_000 || p.Session.Net != -3_000 {
		t.Errorf("after 30 minutes, with a hand to decide: %+v", p)
	}
	g.refused(g.bet("ann", "T2", 1, "ante", 500), "reality-check-due")
	g.withheld("T2", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":500}}`, "reality-check-due")
	g.refused(g.ask("ann", http.MethodPost, "/api/v1/account/reality-check", `{}`), "decision-open")
	g.done("ann", "T1", `{"kind":"raise","body":{"box":1}}`)
	g.finish("T1")
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.refused(g.bet("ann", "T1", 1, "ante", 500), "reality-check-due")
	// A stop, or a break, answers nothing.
	g.open()
	g.pass(60 * minuteMs)
	g.refused(g.bet("ann", "T1", 1, "ante", 500), "reality-check-due")
	if p = g.play("ann"); p.Session.Staked != 4_000 || p.Session.Net != g.holds("ann")-100_000 {
		t.Errorf("the check says %+v, and ann holds %s", p.Session, g.holds("ann"))
	}
	if p = g.must("ann", http.MethodPost, "/api/v1/account/reality-check", `{}`); p.Check.Due {
		t.Errorf("after the answer: %+v", p.Check)
	}
	g.accepted(g.bet("ann", "T1", 1, "ante", 500))
	// The player's own interval is shorter, and holds at once.
	g.setLimit("ann", "reality-check/session", 5)
	g.pass(5 * minuteMs)
	g.refused(g.bet("ann", "T2", 1, "ante", 500), "reality-check-due")
	g.must("ann", http.MethodPost, "/api/v1/account/reality-check", `{}`)
	g.accepted(g.bet("ann", "T2", 1, "ante", 500))
	g.accepted(g.deposit("ben", 1_000))
	g.accepted(g.bet("ben", "T2", 2, "ante", 500))
}

// TestGuestsSeeTheirPlay holds that guests with play money see and limit it too.
func TestGuestsSeeTheirPlay(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	token, s, err := g.people.Guest(t.Context(), netip.MustParseAddr("192.0.2.1"), "")
	if err != nil {
		t.Fatal(err)
	}
	g.tokens["guest"] = token
	g.accepted(g.deposit(s.Name, 10_000))
	g.setLimit("guest", "loss/day", 1_000)
	g.foldRound("guest", "T1", 500)
	g.pass(minuteMs)
	if p := g.play("guest"); p.Session.ElapsedMs != minuteMs || p.Session.Net != -500 {
		t.Errorf("a guest's play: %+v", p.Session)
	}
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.refused(g.bet("guest", "T1", 1, "ante", 500), "limit-reached")
}

// user adds a player who signs in with a password.
func (g *guardedSite) user(name string) {
	g.Helper()
	o := identity.ChangeRequest{By: staff["adm"], Why: "a test"}
	if _, err := g.people.AddUser(g.Context(), o, name, access.Player, password); err != nil {
		g.Fatal(err)
	}
}

// signIn signs a player in over HTTP and returns the session's token.
func (g *guardedSite) signIn(name string) string {
	g.Helper()
	r := g.ask("", http.MethodPost, "/api/v1/sessions", fmt.Sprintf(`{"name":%q,"password":%q}`, name, password))
	for _, c := range r.Cookies() {
		if r.StatusCode == http.StatusCreated && c.Name == identity.CookieName(false) {
			return c.Value
		}
	}
	g.Fatalf("%s does not come in: %s %s", name, r.Status, r.text)
	return ""
}

type sessionsBody struct {
	SignIns  []identity.SignIn      `json:"sign_ins"`
	Sessions []identity.OpenSession `json:"sessions"`
}

func (g *guardedSite) sessionsOf(token string) (s sessionsBody) {
	g.Helper()
	r := g.get(token, "/api/v1/account/sessions")
	if r.StatusCode != http.StatusOK {
		g.Fatalf("%s %s", r.Status, r.text)
	}
	r.into(g, &s)
	return s
}

// TestPlayersSeeAndEndTheirSessions holds that a player sees each sign-in and session
// with the address, ends one of them and no other person's, also over a stop.
func TestPlayersSeeAndEndTheirSessions(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.user("amy")
	g.user("bob")
	firstMs := g.clock.Load()
	first := g.signIn("amy")
	g.pass(minuteMs)
	second := g.signIn("amy")
	foreign := g.sessionsOf(g.signIn("bob")).Sessions[0].ID
	g.open()
	s := g.sessionsOf(second)
	if len(s.SignIns) != 2 || s.SignIns[1].AtMs != firstMs || s.SignIns[0].AtMs != firstMs+minuteMs {
		t.Fatalf("the sign-ins are %+v", s.SignIns)
	}
	if len(s.Sessions) != 2 || !s.Sessions[0].Current || s.Sessions[1].Current || s.Sessions[1].SinceMs != firstMs {
		t.Fatalf("the sessions are %+v", s.Sessions)
	}
	for _, one := range s.Sessions {
		if one.Address != "127.0.0.1" {
			t.Errorf("a session of %q", one.Address)
		}
	}
	end := func(id string) int {
		return g.ask(second, http.MethodDelete, "/api/v1/account/sessions/"+id, "").StatusCode
	}
	if code := end(foreign); code != http.StatusNotFound {
		t.Errorf("amy ended a session of bob: %d", code)
	}
	if code := end(s.Sessions[1].ID); code != http.StatusNoContent {
		t.Fatalf("amy did not end a session: %d", code)
	}
	for range 2 {
		if r := g.get(first, "/api/v1/me"); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("the session that was ended goes on: %s", r.text)
		}
		if s := g.sessionsOf(second); len(s.Sessions) != 1 || !s.Sessions[0].Current {
			t.Errorf("left are %+v", s.Sessions)
		}
		g.open()
	}
	if r := g.get("ann", "/api/v1/account/sessions"); r.StatusCode != http.StatusOK {
		t.Errorf("a machine: %s %s", r.Status, r.text)
	}
}

// TestASignOutWaitsForDecisions holds that the last session of a player with a hand to decide
// does not end before the decision. Neither a sign-out, nor another person's sign-in in its
// place, nor its own end can end it.
func TestASignOutWaitsForDecisions(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	g.user("amy")
	g.tokens["amy"] = g.signIn("amy")
	g.accepted(g.deposit("amy", 10_000))
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	g.accepted(g.bet("amy", "T1", 1, "ante", 1_000))
	other := g.signIn("amy")
	if r := g.ask(other, http.MethodDelete, "/api/v1/sessions/current", ""); r.StatusCode != http.StatusNoContent {
		t.Fatalf("one of two sessions: %s %s", r.Status, r.text)
	}
	g.done("dan", "T1", `{"kind":"close-bets"}`)
	g.done("dan", "T1", `{"kind":"deal"}`)
	id := g.sessionsOf("amy").Sessions[0].ID
	for _, path := range []string{"/api/v1/sessions/current", "/api/v1/sessions", "/api/v1/account/sessions/" + id} {
		if r := g.ask("amy", http.MethodDelete, path, ""); r.StatusCode != http.StatusConflict {
			t.Errorf("%s with a hand to decide: %s %s", path, r.Status, r.text)
		}
	}
	g.user("bea")
	if r := g.ask("amy", http.MethodPost, "/api/v1/sessions", fmt.Sprintf(`{"name":"bea","password":%q}`, password)); r.StatusCode != http.StatusConflict {
		t.Errorf("bea signs in where amy has a hand to decide: %s %s", r.Status, r.text)
	}
	// Half an hour without use ends a session, and not with a hand to decide.
	g.pass(identity.StandardLimits.Users.IdleMs)
	g.done("amy", "T1", `{"kind":"raise","body":{"box":1}}`)
	g.finish("T1")
	if r := g.ask("amy", http.MethodDelete, "/api/v1/sessions/current", ""); r.StatusCode != http.StatusNoContent {
		t.Errorf("after the decision: %s %s", r.Status, r.text)
	}
	if r := g.get("amy", "/api/v1/me"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session goes on: %s", r.text)
	}
}

// TestRefusedPlayIsInTheRegister holds that a bet or a deposit that a limit or an exclusion
// refuses is a significant event. It is one once in 24 hours for each of them, however often it
// is tried, and over a stop of the house.
func TestRefusedPlayIsInTheRegister(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.install("T1", "rws-3cp")
	listed := func() (consequences []string) {
		t.Helper()
		r := g.get("eye", "/api/v1/reports/significant-events?event=limit-broken")
		g.accepted(r)
		var made report.Report
		r.into(t, &made)
		for _, row := range made.Sections[0].Rows {
			if row[2] != "limit-broken" || row[4] != "play-refused" {
				t.Errorf("listed is %v", row)
			}
			consequences = append(consequences, row[5].(string))
		}
		return consequences
	}
	holds := func(want ...string) {
		t.Helper()
		if got := listed(); !slices.Equal(got, want) {
			t.Errorf("listed are %q, want %q", got, want)
		}
	}
	g.accepted(g.deposit("ann", 100_000))
	g.setLimit("ann", "stake/round", 3_000)
	g.setLimit("ann", "deposit/day", 100_000)
	g.done("dan", "T1", `{"kind":"open-bets"}`)
	holds()
	const stake = "a bet or a deposit of ann was refused: limit-reached (stake, round)"
	for range 5 {
		g.refused(g.bet("ann", "T1", 1, "ante", 1_600), "limit-reached")
	}
	holds(stake)
	g.refused(g.deposit("ann", 1), "limit-reached")
	const deposit = "a bet or a deposit of ann was refused: limit-reached (deposit, day)"
	holds(stake, deposit)
	g.open()
	g.refused(g.deposit("ann", 1), "limit-reached")
	holds(stake, deposit)
	g.pass(dayMs)
	g.setLimit("ann", "deposit/week", 100_000)
	g.refused(g.deposit("ann", 1), "limit-reached")
	holds(stake, deposit, "a bet or a deposit of ann was refused: limit-reached (deposit, week)")
	g.must("pat", http.MethodPost, "/api/v1/players/ben/exclusion", `{"days":30,"why":"the house decided it"}`)
	g.refused(g.deposit("ben", 1), "excluded")
	g.refused(g.deposit("ben", 2), "excluded")
	if got := listed(); len(got) != 4 || got[3] != "a bet or a deposit of ben was refused: excluded" {
		t.Errorf("listed are %q", got)
	}
	if r := g.get("eye", "/api/v1/reports/significant-events?event=weather"); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a kind that there is not: %s", r.Status)
	}
}
