package api

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/money"
	"trey/table"
)

// readable says for each operation that reads by which permission it is read: zero for everybody
// who is signed in, and nothing for everybody.
var readable = map[string][]access.Permission{
	"own-account": {access.SeeOwnAccount}, "own-movements": {access.SeeOwnAccount}, "own-play": {access.SeeOwnAccount}, "own-rounds": {access.SeeOwnAccount},
	"own-sessions": {0}, "me": {0}, "get-house": {0},
	"list-accounts": {access.SeeAccounts}, "get-account": {access.SeeAccounts}, "list-movements": {access.SeeAccounts},
	"list-alerts":    {access.SeeProposals},
	"audit-balances": {access.AuditRecord}, "audit-names": {access.AuditRecord}, "audit-transactions": {access.AuditRecord},
	"list-books": nil, "get-book": nil,
	"floor-events": {access.SeeFloor}, "jackpot-events": {access.SeeFloor}, "table-events": {access.SeeTable},
	"list-jackpots": {access.SeeFloor}, "get-jackpot": {access.SeeFloor}, "list-hits": {access.SeeFloor},
	"log": {access.ReadLog}, "list-machines": {access.SeeMetrics}, "player-play": {access.ExcludePlayer},
	"list-proposals": {access.SeeProposals}, "list-reports": {access.ReadReports}, "report": {access.ReadReports}, "search-rounds": {access.SearchRounds},
	"list-tables": {access.SeeFloor}, "get-table": {access.SeeTable}, "legal-moves": {access.SeeTable}, "list-rounds": {access.SeeTable},
	"get-round":   {access.SearchRounds},
	"list-tokens": {access.ManageTokens}, "list-users": {access.ManageUsers}, "list-user-changes": {access.SeeProposals},
}

// Every operation that reads answers those whose role has the permission for it, and nobody else;
// whoever is nobody is asked to sign in. What there is not is not found by those who may look.
func TestWhoReadsWhat(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.settled("T1", s.rich("ann"))
	fill := strings.NewReplacer("{table}", "T1", "{jackpot}", "linked", "{account}", "player:ann", "{name}", "ann", "{round}", "1", "{kind}", "pit", "{book}", "rws-3cp")
	none := strings.NewReplacer("{table}", "T9", "{jackpot}", "none", "{name}", "nobody", "{round}", "9", "{kind}", "none", "{book}", "none")
	for path, item := range s.server.huma.OpenAPI().Paths {
		if item.Get == nil {
			continue
		}
		id := item.Get.OperationID
		by, listed := readable[id]
		if !listed {
			t.Errorf("%s %s is not listed: say by which permission it is read", id, path)
			continue
		}
		method := http.MethodGet
		if strings.HasSuffix(path, "/events") {
			method = http.MethodHead // without waiting for what happens
		}
		status := func(person, path string) int { return s.ask(person, method, path, "").StatusCode }
		for name, person := range staff {
			want := http.StatusForbidden
			if by == nil || slices.ContainsFunc(by, func(p access.Permission) bool { return p == 0 || person.Role.Can(p) }) || id == "get-round" && name == "ann" {
				want = http.StatusOK
			}
			if got := status(name, fill.Replace(path)); got != want {
				t.Errorf("%s, %s, reads %s: %d, want %d", name, person.Role, id, got, want)
			}
			if gone := none.Replace(path); gone != path && !strings.Contains(gone, "{") && want == http.StatusOK {
				if got := status(name, gone); got != http.StatusNotFound {
					t.Errorf("%s reads %s: %d, want %d", name, gone, got, http.StatusNotFound)
				}
			}
		}
		if got := status("", fill.Replace(path)); by != nil && got != http.StatusUnauthorized || by == nil && got != http.StatusOK {
			t.Errorf("nobody reads %s: %d", id, got)
		}
	}
}

// rich gives a player money and returns the name.
func (s *site) rich(player string) string {
	s.Helper()
	s.buyIn(player, 1000*money.Major)
	return player
}

// Whoever is nobody is asked to sign in, by every operation that changes something and is not
// there to begin a session.
func TestNobodyChangesAnything(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	bodies := map[string]string{
		"exclude-yourself": `{"days":null}`, "set-limit": `{"most":1}`, "take-time-out": `{"days":1}`,
		"cage": `{"reason":"buy-in","player":"ann","amount":1}`, "report-jackpot-down": `{}`, "change-password": `{"old":"a","new":"b"}`,
		"exclude-player": `{"days":1,"why":"a test"}`, "propose": `{"kind":"fill","body":{}}`, "decline": `{"why":"a test"}`,
		"command": `{"kind":"open-bets"}`, "release-table": `{"why":"a test"}`, "change-rules": `{}`, "add-seed": `{"text":"a"}`,
		"add-token":           fmt.Sprintf(`{"name":"a","role":"dealer","ends_ms":%d,"why":"a test"}`, nowMs()+1000),
		"propose-user-change": `{"kind":"add-user","name":"a","role":"dealer","password":"the first password","why":"a test"}`, "decline-user-change": `{"why":"a test"}`,
		"add-user": `{"name":"a","role":"dealer","password":"the first password","why":"a test"}`, "change-user": `{"disabled":true,"why":"a test"}`,
	}
	fill := strings.NewReplacer("{table}", "T1", "{jackpot}", "linked", "{name}", "ann", "{kind}", "deposit", "{period}", "day", "{id}", "1")
	open := []string{"guest", "login", "login-second", "logout", "end-session"}
	for path, item := range s.server.huma.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete} {
			if op == nil || slices.Contains(open, op.OperationID) {
				continue
			}
			path := fill.Replace(path)
			if method == http.MethodDelete {
				path += map[bool]string{true: "?why=a+test"}[slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "why" })]
			}
			if r := s.ask("", method, path, bodies[op.OperationID]); r.StatusCode != http.StatusUnauthorized {
				t.Errorf("nobody asks for %s: %s %s", op.OperationID, r.Status, r.text)
			}
		}
	}
}

// A page has as many entries as it is asked for.
func TestAPageHasItsLength(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.settled("T1", s.rich("ann"))
	s.settled("T1", s.rich("ann"))
	for path, person := range map[string]string{
		"/api/v1/log?": "eye", "/api/v1/audit/names?": "aud", "/api/v1/audit/transactions?": "aud", "/api/v1/tables/T1/rounds?": "pat",
		"/api/v1/account/movements?": "ann", "/api/v1/account/rounds?": "ann", "/api/v1/accounts/player:ann/movements?": "sue", "/api/v1/rounds?": "eye",
	} {
		for _, limit := range []int{1, 2} {
			var page map[string]any
			s.get(person, fmt.Sprintf("%slimit=%d", path, limit)).into(t, &page)
			entries := -1
			for _, v := range page {
				if list, ok := v.([]any); ok {
					entries = len(list)
				}
			}
			if entries != limit {
				t.Errorf("%s: %d entries, want %d", path, entries, limit)
			}
		}
	}
}

// Players see the cards of their own hands once they have looked at them, and nobody else does.
func TestAPlayerSeesTheirOwnHand(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.dealt("T1", s.rich("ann"))
	s.done("ann", "T1", `{"kind":"examine","body":{"box":1,"player":"ann"}}`)
	for name := range staff {
		r := s.get(name, "/api/v1/tables/T1")
		var seen card.Set
		for _, text := range leaks(r.text, card.Deck()) {
			c, err := card.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			seen = seen.With(c)
		}
		if want := map[bool]int{true: 3}[name == "ann"]; seen.Len() != want {
			t.Errorf("%s sees %s, want %d cards: %s", name, seen, want, r.text)
		}
	}
}

// What a deck is committed to is seen by everybody from before the bets on, with the seeds that
// players add, and the next one when the round is over.
func TestTheCommitmentIsSeen(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.install("T2", "us-3cp", func(t *house.Table) { t.Config.Cards = table.Read })
	s.rich("ann")
	seen := func(person, name string) *Commitment {
		t.Helper()
		var at struct{ Commitment *Commitment }
		s.get(person, "/api/v1/tables/"+name).into(t, &at)
		return at.Commitment
	}
	first := seen("ben", "T1")
	if first == nil || first.Round != 1 || len(first.Seeds) != 0 {
		t.Fatalf("before the first round: %+v", first)
	}
	if none := seen("ben", "T2"); none != nil {
		t.Errorf("where people deal their own cards: %+v", none)
	}
	s.status(http.StatusOK, "", "ann", http.MethodPost, "/api/v1/tables/T1/seeds", `{"text":"seven"}`)
	if now := seen("ben", "T1"); now == nil || now.Hash != first.Hash || len(now.Seeds) != 1 || now.Seeds[0].Text != "seven" {
		t.Errorf("with a seed of ann: %+v", now)
	}
	s.settled("T1", "ann")
	_, hash, _, _ := s.Commitment("T1")
	if next := seen("dan", "T1"); next == nil || next.Round != 2 || next.Hash == first.Hash || next.Hash != hash {
		t.Errorf("after the round: %+v", next)
	}
}

// Both parameters of a command are read, in whatever order: a trial that was asked for is none
// that is carried out.
func TestATrialWithAPictureIsATrial(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	for range 20 { // in one order or the other
		for _, query := range []string{"dry_run=true&picture=true", "picture=true&dry_run=true"} {
			r := s.ask("dan", http.MethodPost, "/api/v1/tables/T1/commands?"+query, `{"kind":"open-bets"}`)
			if r.StatusCode != http.StatusOK || !strings.Contains(r.text, `"dry_run":true`) {
				t.Fatalf("%s: %s %s", query, r.Status, r.text)
			}
		}
	}
	if r := s.ask("dan", http.MethodPost, "/api/v1/tables/T1/commands?dry_run=false&picture=true", `{"kind":"open-bets"}`); strings.Contains(r.text, `"dry_run"`) || !strings.Contains(r.text, `"picture":{`) {
		t.Errorf("%s %s", r.Status, r.text)
	}
}

// A statement says which round is still in play.
func TestAStatementNamesTheOpenRound(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.settled("T1", s.rich("ann"))
	s.dealt("T1", "ann")
	open := func() (rounds string) {
		t.Helper()
		var page struct{ Rounds []PlayedRound }
		s.get("ann", "/api/v1/account/rounds").into(t, &page)
		for _, r := range page.Rounds {
			rounds += fmt.Sprintf("%d %t;", r.Round, r.Open)
		}
		return rounds
	}
	if got := open(); got != "2 true;1 false;" {
		t.Errorf("in play: %s", got)
	}
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	if got := open(); got != "2 false;1 false;" {
		t.Errorf("afterwards: %s", got)
	}
}

// Of the postings of a player those count for a round that name a table and a round.
func TestWhichPostingsBelongToARound(t *testing.T) {
	ann, layout := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Layout, Of: "T1"}
	post := func(from, to ledger.Account, amount money.Amount, reason ledger.Reason, table string, round int) ledger.Posting {
		return ledger.Posting{From: from, To: to, Amount: amount, For: ledger.Reference{Reason: reason, Table: table, Round: round}}
	}
	rounds := playedIn(ann, &house.Movement{Postings: []ledger.Posting{
		post(ann, layout, 500, ledger.Bet, "T1", 1),
		post(layout, ann, 900, ledger.Winnings, "T1", 1),
		post(ann, layout, 100, ledger.Collected, "T1", 1),
		post(ann, layout, 70, ledger.Bet, "T1", 0),
		post(ann, layout, 60, ledger.Bet, "", 1),
		post(layout, ledger.Account{Kind: ledger.Player, Of: "ben"}, 50, ledger.Winnings, "T1", 2),
	}})
	if r := rounds[roundKey{"T1", 1}]; len(rounds) != 1 || r.Staked != 500 || r.Back != 800 {
		t.Errorf("%+v", rounds)
	}
}

// A bet that goes back before the cards is not staked, whether a player withdraws it, less lies
// there than was entered, or the bet that it needs is missing. What goes back later came back.
func TestWhatIsTakenBackIsNotStaked(t *testing.T) {
	ann, layout := ledger.Account{Kind: ledger.Player, Of: "ann"}, ledger.Account{Kind: ledger.Layout, Of: "T1"}
	for _, c := range []struct {
		command      string
		reason       ledger.Reason
		staked, back money.Amount
	}{
		{"withdraw", ledger.StakeReturned, -300, 0},
		{"close-bets", ledger.StakeReturned, -300, 0},
		{"found", ledger.Found, -300, 0},
		{"settle", ledger.StakeReturned, 0, 300},
		{"settle", ledger.Winnings, 0, 300},
	} {
		m := house.Movement{Cause: house.Cause{Kind: c.command}, Postings: []ledger.Posting{
			{From: layout, To: ann, Amount: 300, For: ledger.Reference{Reason: c.reason, Table: "T1", Round: 1}},
		}}
		if r := playedIn(ann, &m)[roundKey{"T1", 1}]; r.Staked != c.staked || r.Back != c.back {
			t.Errorf("%s, %s: staked %s and back %s, want %s and %s", c.command, c.reason, r.Staked, r.Back, c.staked, c.back)
		}
	}
}

// A list of nothing is empty, and no null.
func TestAnEmptyListIsAList(t *testing.T) {
	s := newSite(t)
	for path, person := range map[string]string{
		"/api/v1/account/sessions": "ben", "/api/v1/account/movements": "ben", "/api/v1/account/rounds": "ben", "/api/v1/proposals": "pat",
		"/api/v1/tables": "ben", "/api/v1/jackpots": "ben", "/api/v1/user-changes": "adm", "/api/v1/alerts": "pat", "/api/v1/rounds": "pat",
	} {
		if r := s.get(person, path); r.StatusCode != http.StatusOK || strings.Contains(r.text, "null") || !strings.Contains(r.text, "[]") {
			t.Errorf("%s: %s %s", path, r.Status, r.text)
		}
	}
}

// HEAD asks whether a stream may be followed, and takes no place.
func TestHeadTakesNoPlace(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamsEach = 1 })
	s.install("T1", "us-3cp")
	for range 3 {
		if r := s.ask("ann", http.MethodHead, "/api/v1/tables/T1/events", ""); r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s %v", r.Status, r.Header)
		}
	}
	s.held(0)
	s.listen("ann", "/api/v1/tables/T1/events", 0).close()
}

// What a connection takes at once leaves nobody behind, however many messages it is.
func TestWhatIsTakenAtOnceIsNotBehind(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamBuffer = 1 })
	s.install("T1", "us-3cp")
	defer s.listen("ann", "/api/v1/tables/T1/events", 0).close()
	s.each(func(r *subscriber) {
		if err := r.send([]byte(": one\n\n: two\n\n"), 2); err != nil || r.waiting != 0 || r.writing {
			t.Errorf("%v, and %d wait", err, r.waiting)
		}
	})
}

// A write that the peer does not take in time ends the stream: a part of it is lost.
func TestAWriteThatIsNotTakenIsAnError(t *testing.T) {
	srv := &server{}
	srv.Limits.WriteTimeout = time.Millisecond
	here, there := net.Pipe()
	defer here.Close() //nolint:errcheck // nobody reads it
	s := &subscriber{broadcaster: &broadcaster{server: srv}, conn: there}
	if err := s.write(net.Buffers{[]byte("message")}); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// timed is a connection that keeps the deadline of its writes.
type timed struct {
	net.Conn
	until time.Time
}

func (c *timed) Write(p []byte) (int, error) { return len(p), nil }

func (c *timed) SetWriteDeadline(until time.Time) error { c.until = until; return nil }

// A write that was taken leaves no deadline behind, at which the next one would fail.
func TestADeadlineIsOfOneWrite(t *testing.T) {
	srv := &server{}
	srv.Limits.WriteTimeout = time.Hour
	conn := &timed{}
	s := &subscriber{broadcaster: &broadcaster{server: srv}, conn: conn}
	if err := s.write(net.Buffers{[]byte("message")}); err != nil || !conn.until.IsZero() {
		t.Errorf("%v, and the next write has time until %s", err, conn.until)
	}
}

// The metrics say why streams were disconnected and how sign-ins went.
func TestTheReasonsInTheMetrics(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("ended: %w", errSignedOut), "signed-out"},
		{fmt.Errorf("ended: %w", house.ErrSubscriberSlow), "slow"},
		{fmt.Errorf("write: %w", os.ErrDeadlineExceeded), "slow"},
		{fmt.Errorf("ended: %w", house.ErrStopped), "stopped"},
		{fmt.Errorf("ended: %w", errBroken), "broken"},
		{errClosing, ""},
		{net.ErrClosed, ""},
		{nil, ""},
	} {
		if got := disconnectReason(c.err); got != c.want {
			t.Errorf("%v is counted as %q, want %q", c.err, got, c.want)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "in"},
		{&identity.Throttled{}, "throttled"},
		{&identity.SecondStep{}, "second-step"},
		{&identity.SecondStep{Wrong: identity.ErrBadCode}, "wrong"},
		{fmt.Errorf("sign in: %w", identity.ErrBadLogin), "wrong"},
		{fmt.Errorf("sign in: %w", identity.ErrBadPasskey), "wrong"},
		{fmt.Errorf("sign in: %w", identity.ErrNoTicket), "wrong"},
		{errGone, "failed"},
	} {
		if got := loginResult(c.err); got != c.want {
			t.Errorf("%v is counted as %q, want %q", c.err, got, c.want)
		}
	}
}
