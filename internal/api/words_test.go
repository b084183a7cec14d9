package api

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"trey/money"
)

// Every name in the path of an operation reaches it: one that is not in the
// document is not read either.
func TestEveryPlaceInAPathIsRead(t *testing.T) {
	d := newServer(Config{NowMs: nowMs})
	names := regexp.MustCompile(`\{(\w+)\}`)
	for path, item := range d.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			read := map[string]bool{}
			for _, p := range op.Parameters {
				read[p.In+" "+p.Name] = true
			}
			for _, found := range names.FindAllStringSubmatch(path, -1) {
				if !read["path "+found[1]] {
					t.Errorf("%s does not read %s of %s", op.OperationID, found[1], path)
				}
			}
		}
	}
}

// The list of the accounts says what both sides come to: ann's 300.00 were paid in cash.
func TestTheAccountsAddUp(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100*money.Major)
	s.buyIn("ann", 200*money.Major)
	var list struct {
		Accounts []struct {
			Account string
			Balance int64
		}
		Debits, Credits int64
	}
	s.get("sue", "/api/v1/accounts").into(t, &list)
	balances := map[string]int64{}
	for _, a := range list.Accounts {
		balances[a.Account] = a.Balance
	}
	if list.Debits != 30_000 || list.Credits != 30_000 || balances["player:ann"] != 30_000 || balances["cash"] != 30_000 {
		t.Errorf("debits %d, credits %d, balances %v", list.Debits, list.Credits, balances)
	}
}

// What takes a part of the path and more beside it.
func TestHistoriesAndDeclining(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.buyIn("ann", 200*money.Major)
	r := s.get("sue", "/api/v1/accounts/player:ann/movements?limit=1")
	var page struct {
		Account   string
		Movements []struct{ Delta, After int64 }
		Next      int64
	}
	r.into(t, &page)
	if page.Account != "player:ann" || len(page.Movements) != 1 || page.Movements[0].Delta != 20_000 || page.Movements[0].After != 30_000 || page.Next == 0 {
		t.Errorf("%s %s", r.Status, r.text)
	}
	if r := s.ask("pat", http.MethodPost, "/api/v1/proposals", `{"kind":"fill","body":{"table":"T1","amount":5000}}`); r.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", r.Status, r.text)
	}
	if r := s.ask("cas", http.MethodPost, "/api/v1/proposals/1/decline", `{"why":"the rack is full"}`); r.StatusCode != http.StatusNoContent {
		t.Errorf("%s %s", r.Status, r.text)
	}
	if r := s.get("pat", "/api/v1/proposals"); r.text != `{"proposals":[]}`+"\n" {
		t.Errorf("after it was declined: %s", r.text)
	}
}

// What is wrong with a request is told in words of the field, and where.
func TestWrongRequestsAreExplained(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	const commands = "/api/v1/tables/T1/commands"
	tests := []struct {
		person, method, path, body string
		status                     int
		want                       string // in detail or in an error
	}{
		{"ann", "POST", commands, `{"kind":"bet","body":{"amount":1.5}}`, 422, "body.amount: it is a number 1.5 and has to be a whole number, not too large"},
		{"ann", "POST", commands, `{"kind":"bet","body":{"player":["ann"]}}`, 422, "body.player: it is a list and has to be a string"},
		{"ann", "POST", commands, `{"kind":"bet","body":[]}`, 422, "body: it is a list and has to be an object"},
		{"ann", "POST", commands, `{"kind":"bet","body":{"standing":"yes"}}`, 422, "body.standing: it is a string and has to be true or false"},
		{"ann", "POST", commands, `{"kind":"bet","body":{"amont":5}}`, 422, `command bet: unknown field "amont"`},
		{"ann", "POST", commands, `{"kind":"bet","body":{"box":1,"amount":500}}`, 422, "bet: a required field is missing or has an unknown value: wager: "},
		{"ann", "GET", commands, "", 405, "this address answers POST"},
		{"ann", "DELETE", "/api/v1/tables/T1", "", 405, "this address answers GET"},
		{"ann", "PUT", "/api/v1/nowhere", "", 404, "/openapi.json lists what there is"},
		{"cas", "POST", "/api/v1/cage", `{"reason":"buy-in","amount":500}`, 422, "body: expected required property player to be present"},
		{"adm", "POST", "/api/v1/users", `{"name":"eva","role":"pit-boss","password":"the first password","why":"new"}`, 422, `body.role: expected value to be one of "guest, player, dealer, pit-supervisor,`},
		{"ann", "POST", commands, `{"kind":"bett"}`, 422, `"bett" is not a kind of command: choose from answer, `},
		{"ann", "POST", commands, `{}`, 422, `the command has no kind: choose from answer, `},
		{"pat", "GET", "/api/v1/reports/pit?from=1", ``, 422, `there is no query parameter "from" here: a report takes from_ms, `},
		{"pat", "GET", "/api/v1/reports/pitt", ``, 404, `invalid report request: `},
		{"pat", "POST", "/api/v1/proposals", `{"kind":"fil"}`, 422, `"fil" is not a kind of proposal: choose from`},
		{"pat", "POST", "/api/v1/proposals", `{"kind":"fill","body":{"tabel":"T1"}}`, 422, `proposal fill: unknown field "tabel"`},
		{"ann", "GET", "/api/v1/tables?x=1", "", 422, "errors says what is wrong"},
	}
	for _, test := range tests {
		r := s.ask(test.person, test.method, test.path, test.body)
		p := r.problem(t)
		said := p.Detail
		for _, e := range p.Errors {
			said += "\n" + e.Location + ": " + e.Message
		}
		if r.StatusCode != test.status || !strings.Contains(said, test.want) {
			t.Errorf("%s %s %s: %d, %s\nwant %d, %s", test.method, test.path, test.body, r.StatusCode, said, test.status, test.want)
		}
		if (r.Header.Get("Allow") != "") != (test.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s %s: Allow is %q", test.method, test.path, r.Header.Get("Allow"))
		}
	}
}

// A command of a player who names nobody is for that player; staff name the player.
func TestPlayersMayLeaveTheirNamesOut(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	const bet = `{"kind":"bet","body":{"box":1,"wager":"ante","amount":500}}`
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", bet, "Idempotency-Key", "one")
	if r := s.order("ann", "T1", bet, "Idempotency-Key", "one"); r.Header.Get("Idempotency-Replayed") != "true" || !strings.Contains(r.text, `"player":"ann"`) {
		t.Errorf("%s %s", r.Status, r.text)
	}
	s.done("ann", "T1", `{"kind":"withdraw","body":{"box":1,"wager":"ante"}}`)
	s.done("ann", "T1", bet)
	if r := s.order("ann", "T1", `{"kind":"bet","body":{"box":2,"player":"ben","wager":"ante","amount":500}}`); r.StatusCode != http.StatusForbidden {
		t.Errorf("for somebody else: %s %s", r.Status, r.text)
	}
	if r := s.order("dan", "T1", `{"kind":"bet","body":{"box":2,"wager":"ante","amount":500}}`); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("by the dealer for nobody: %s %s", r.Status, r.text)
	}
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("ann", "T1", `{"kind":"examine","body":{"box":1}}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1}}`)
	if r := s.get("ann", "/api/v1/account"); !strings.Contains(r.text, `"balance":9500`) {
		t.Errorf("%s", r.text)
	}
}
