package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/ledger"
)

// oneCashier are the limits of these tests: 1,000.00 at once and 2,500.00 within 24 hours.
var oneCashier = house.CageLimits{Each: 100_000, Day: 250_000}

// moves asks for a movement at the cage and holds how it is answered.
func (s *site) moves(want int, person, reason, player string, amount int64) {
	s.Helper()
	slug := ""
	if want != http.StatusOK {
		slug = map[int]string{http.StatusConflict: "not-now", http.StatusUnprocessableEntity: "invalid"}[want]
	}
	s.status(want, slug, person, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":%q,"player":%q,"amount":%d}`, reason, player, amount))
}

// movesByTwo has somebody propose a movement at the cage and returns its number.
func (s *site) movesByTwo(person, reason string, amount int64) int64 {
	s.Helper()
	r := s.status(http.StatusCreated, "", person, http.MethodPost, "/api/v1/proposals", fmt.Sprintf(`{"kind":"move-cash","body":{"reason":%q,"player":"ann","amount":%d}}`, reason, amount))
	var got struct{ ID int64 }
	r.into(s, &got)
	return got.ID
}

func (s *site) has(t *testing.T, player string, want int64) {
	t.Helper()
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: player}); int64(got) != want {
		t.Errorf("%s holds %d, want %d", player, got, want)
	}
}

// TestOneCashierMovesSoMuch holds the limits of a cashier to the cent, for money in and
// out, and that a second person goes beyond them and nobody else.
func TestOneCashierMovesSoMuch(t *testing.T) {
	s := newSiteWith(t, func(w *house.World) { w.Cage = oneCashier })
	s.moves(http.StatusConflict, "cas", "buy-in", "ann", 100_001)
	s.moves(http.StatusOK, "cas", "buy-in", "ann", 100_000)
	s.moves(http.StatusConflict, "cas", "cash-out", "ann", 100_001)
	s.moves(http.StatusOK, "cas", "cash-out", "ann", 40_000)
	s.moves(http.StatusOK, "cas", "buy-in", "ben", 100_000)
	s.moves(http.StatusConflict, "cas", "buy-in", "ben", 10_001)
	s.moves(http.StatusOK, "cas", "buy-in", "ben", 10_000)
	s.moves(http.StatusConflict, "cas", "cash-out", "ben", 1)
	s.has(t, "ann", 60_000)
	s.has(t, "ben", 110_000)

	id := s.movesByTwo("cas", "buy-in", 500_000)
	s.status(http.StatusForbidden, "refused", "cas", http.MethodPost, approvePath(id), "")
	for _, person := range []string{"pat", "adm", "eye"} {
		s.status(http.StatusForbidden, "denied", person, http.MethodPost, approvePath(id), "")
	}
	for _, person := range []string{"dan", "ann"} {
		s.status(http.StatusForbidden, "denied", person, http.MethodPost, "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"buy-in","player":"ann","amount":5}}`)
	}
	s.has(t, "ann", 60_000)
	s.status(http.StatusOK, "", "sue", http.MethodPost, approvePath(id), "")
	s.has(t, "ann", 560_000)

	// Another cashier is a second person, and has limits of their own.
	s.byTwo("adm", "sue", "kim", access.Cashier)
	s.status(http.StatusOK, "", "kim", http.MethodPost, approvePath(s.movesByTwo("cas", "cash-out", 300_000)), "")
	s.has(t, "ann", 260_000)
	s.moves(http.StatusOK, "kim", "cash-out", "ann", 100_000)
	s.moves(http.StatusConflict, "cas", "cash-out", "ann", 1)

	// Nothing is moved for nobody, by no other way, and no account is overdrawn.
	s.status(http.StatusNotFound, "not-found", "cas", http.MethodPost, "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"buy-in","player":"nobody","amount":5}}`)
	s.status(http.StatusNotFound, "not-found", "cas", http.MethodPost, "/api/v1/proposals", `{"kind":"adjust-account","body":{"player":"nobody","cause":"goodwill","change":5,"note":"a test"}}`)
	s.status(http.StatusUnprocessableEntity, "invalid", "cas", http.MethodPost, "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"fill","player":"ann","amount":5}}`)
	s.status(http.StatusConflict, "short", "cas", http.MethodPost, "/api/v1/proposals", `{"kind":"move-cash","body":{"reason":"cash-out","player":"ann","amount":160001}}`)
	s.has(t, "ann", 160_000)
}

// TestEveryAmountHasABound holds that a thousand million is the most that is moved at once,
// by one and by two.
func TestEveryAmountHasABound(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.install("T2", "rws-3cp")
	const most = 100_000_000_000 // in cents
	s.moves(http.StatusOK, "cas", "buy-in", "ann", most)
	s.moves(http.StatusUnprocessableEntity, "cas", "buy-in", "ann", most+1)
	for kind, body := range map[string]string{
		"move-cash":      `{"reason":"buy-in","player":"ann","amount":%d}`,
		"fill":           `{"table":"T1","amount":%d}`,
		"adjust-account": `{"player":"ann","cause":"goodwill","change":%d,"note":"a test"}`,
		"adjust-jackpot": `{"jackpot":"linked","pot":"reserve","cause":"malfunction","change":%d,"note":"a test"}`,
	} {
		person := "cas"
		if kind == "fill" || kind == "adjust-jackpot" {
			person = "pat"
		}
		for amount, want := range map[int64]int{most: http.StatusCreated, most + 1: http.StatusUnprocessableEntity, 1<<63 - 1: http.StatusUnprocessableEntity} {
			if r := s.ask(person, http.MethodPost, "/api/v1/proposals", `{"kind":"`+kind+`","body":`+fmt.Sprintf(body, amount)+`}`); r.StatusCode != want {
				t.Errorf("%s of %d: %s %s", kind, amount, r.Status, r.text)
			}
		}
	}
}

// TestTheLimitOfACashierUnderLoad holds that of 100 movements in one moment exactly as many are
// made as the limit has room for. A stop makes no room, and 24 hours do.
func TestTheLimitOfACashierUnderLoad(t *testing.T) {
	g := newGuardedSite(t, 0)
	g.cage = oneCashier
	g.open()
	const many, each, fit = 100, 9_000, 27 // 27 times 90.00 are 2,430.00
	var made atomic.Int64
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			switch r := g.deposit("ann", each); {
			case r.StatusCode == http.StatusOK:
				made.Add(1)
			case r.StatusCode != http.StatusConflict || !strings.HasSuffix(r.problem(t).Type, ":not-now"):
				t.Errorf("%s %s", r.Status, r.text)
			}
		})
	}
	all.Wait()
	if made.Load() != fit {
		t.Errorf("%d movements were made, and the limit has room for %d", made.Load(), fit)
	}
	g.has(t, "ann", fit*each)
	g.moves(http.StatusConflict, "cas", "buy-in", "ann", 7_001)
	g.pass(minuteMs)
	g.moves(http.StatusOK, "cas", "buy-in", "ann", 7_000)
	g.open()
	g.moves(http.StatusConflict, "cas", "cash-out", "ann", 1)
	g.pass(24*60*minuteMs - minuteMs - 1)
	g.moves(http.StatusConflict, "cas", "cash-out", "ann", 1)
	g.pass(1)
	g.moves(http.StatusConflict, "cas", "cash-out", "ann", 100_001)
	g.moves(http.StatusOK, "cas", "cash-out", "ann", 100_000)
	g.open() // and what is older than a day is not counted again
	g.moves(http.StatusOK, "cas", "cash-out", "ann", 100_000)
	g.moves(http.StatusConflict, "cas", "cash-out", "ann", 43_001)
	g.moves(http.StatusOK, "cas", "cash-out", "ann", 43_000)
}

// TestARefusalNamesWhoIsShort holds that a refusal says what a player has as people say it,
// and not by the key of an account.
func TestARefusalNamesWhoIsShort(t *testing.T) {
	s := newSite(t)
	r := s.status(http.StatusConflict, "short", "cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":1250}`)
	if p := r.problem(t); p.Detail != "ann has $0.00, and this takes $12.50" {
		t.Errorf("%q", p.Detail)
	}
}

// TestWhatTwoBringInIsHeldToTheSame holds that a buy-in by two people is refused like one that
// a cashier makes alone, both when it is asked for and when it is approved. It is refused by a
// limit of the player, which is in the register, and for a person who may not come in.
func TestWhatTwoBringInIsHeldToTheSame(t *testing.T) {
	s := newSite(t)
	const proposals = "/api/v1/proposals"
	buyIn := func(player string, amount int64) string {
		return fmt.Sprintf(`{"kind":"move-cash","body":{"reason":"buy-in","player":%q,"amount":%d}}`, player, amount)
	}
	limit := func(most string) {
		t.Helper()
		s.status(http.StatusOK, "", "ann", http.MethodPut, "/api/v1/account/limits/deposit/day", `{"most":`+most+`}`)
	}
	noted := func() bool {
		t.Helper()
		return strings.Contains(s.get("eye", "/api/v1/reports/significant-events?event=limit-broken").text, "deposit of ann was refused")
	}
	limit("100000")
	id := s.movesByTwo("cas", "buy-in", 90_000)
	limit("80000")
	if r := s.ask("sue", http.MethodPost, approvePath(id), ""); r.StatusCode != http.StatusConflict || r.problem(t).Reason != "limit-reached" {
		t.Errorf("approved beyond a limit: %s %s", r.Status, r.text)
	}
	if !noted() {
		t.Error("the refusal does not stand in the register")
	}
	if r := s.ask("cas", http.MethodPost, proposals, buyIn("ann", 90_000)); r.StatusCode != http.StatusConflict || r.problem(t).Reason != "limit-reached" {
		t.Errorf("proposed beyond a limit: %s %s", r.Status, r.text)
	}
	o := identity.ChangeRequest{By: staff["adm"], Why: "a test"}
	if _, err := s.people.AddUser(t.Context(), o, "zoe", access.Player, "a long pass phrase"); err != nil {
		t.Fatal(err)
	}
	r := s.status(http.StatusCreated, "", "cas", http.MethodPost, proposals, buyIn("zoe", 5))
	var got struct{ ID int64 }
	r.into(t, &got)
	if _, err := s.people.Disable(t.Context(), o, "zoe"); err != nil {
		t.Fatal(err)
	}
	s.status(http.StatusNotFound, "not-found", "sue", http.MethodPost, approvePath(got.ID), "")
	s.has(t, "ann", 0)
	s.has(t, "zoe", 0)
}
