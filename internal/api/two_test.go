package api

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// status asks for something and holds that it is answered with a status and, of a problem,
// its kind.
func (s *site) status(want int, slug, person, method, path, body string, headers ...string) *reply {
	s.Helper()
	r := s.ask(person, method, path, body, headers...)
	if r.StatusCode != want || slug != "" && !strings.HasSuffix(r.problem(s).Type, ":"+slug) {
		s.Errorf("%s: %s %s %s: %s %s, want %d %s", person, method, path, body, r.Status, r.text, want, slug)
	}
	return r
}

// asks has somebody propose a change of users, and returns its number and the text of its
// token.
func (s *site) asks(person, body string) (id int64, text string) {
	s.Helper()
	r := s.status(http.StatusCreated, "", person, http.MethodPost, "/api/v1/user-changes", body)
	var got struct {
		ID   int64
		Text string
	}
	r.into(s, &got)
	return got.ID, got.Text
}

func changePath(id int64, how string) string {
	return fmt.Sprintf("/api/v1/user-changes/%d/%s", id, how)
}

// byTwo has two people make a user with a first password, who then has it changed.
func (s *site) byTwo(first, second, name string, role access.Role) {
	s.Helper()
	id, _ := s.asks(first, fmt.Sprintf(`{"kind":"add-user","name":%q,"role":%q,"password":"the first password","why":"a test"}`, name, role))
	s.status(http.StatusNoContent, "", second, http.MethodPost, changePath(id, "approve"), "")
	s.enters(name, "the first password", "a password of my own")
}

// enters has somebody sign in with a password that they were given, change it and sign in
// again.
func (s *site) enters(name, given, chosen string) {
	s.Helper()
	s.login(name, given)
	s.status(http.StatusNoContent, "", name, http.MethodPut, "/api/v1/me/password", fmt.Sprintf(`{"old":%q,"new":%q}`, given, chosen))
	s.login(name, chosen)
}

// fill has somebody propose a fill, and returns its number.
func (s *site) fill(person string) int64 {
	s.Helper()
	r := s.status(http.StatusCreated, "", person, http.MethodPost, "/api/v1/proposals", `{"kind":"fill","body":{"table":"T1","amount":5000}}`)
	var got struct{ ID int64 }
	r.into(s, &got)
	return got.ID
}

func approvePath(id int64) string { return fmt.Sprintf("/api/v1/proposals/%d/approve", id) }

// TestATokenApprovesNothing holds that a machine of every role that approves is refused,
// for money, for people and for the facts of a report, and that a person is not.
func TestATokenApprovesNothing(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	for _, role := range []access.Role{access.ShiftManager, access.Cashier, access.Administrator} {
		id, text := s.asks("adm", fmt.Sprintf(`{"kind":"issue-token","name":"bot-%s","role":%q,"ends_ms":%d,"why":"a test"}`, role, role, nowMs()+3_600_000))
		s.status(http.StatusUnauthorized, "not-signed-in", text, http.MethodGet, "/api/v1/me", "") // good for nothing yet
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
		s.tokens["bot-"+role.String()] = text
	}
	fill := s.fill("pat")
	for _, bot := range []string{"bot-shift-manager", "bot-cashier"} {
		s.status(http.StatusForbidden, "refused", bot, http.MethodPost, approvePath(fill), "")
	}
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(fill), "")

	change, _ := s.asks("adm", `{"kind":"add-user","name":"dot","role":"dealer","password":"the first password","why":"a test"}`)
	for _, bot := range []string{"bot-shift-manager", "bot-administrator"} {
		s.status(http.StatusForbidden, "refused", bot, http.MethodPost, changePath(change, "approve"), "")
	}
	if _, err := s.people.User("dot"); err == nil {
		t.Error("a machine has added a user")
	}
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(change, "approve"), "")

	// A machine proposes; whoever asked for its token does not approve that.
	change, _ = s.asks("bot-administrator", `{"kind":"add-user","name":"eva","role":"dealer","password":"the first password","why":"a test"}`)
	s.status(http.StatusForbidden, "refused", "adm", http.MethodPost, changePath(change, "approve"), "")
	s.status(http.StatusForbidden, "refused", "sue", http.MethodPost, changePath(change, "approve"), "") // who approved its token

	// The facts of a report.
	s.buyIn("ann", 1000*money.Major)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("dan", "T1", `{"kind":"report","body":{"incident":"walked-away","player":"ann"}}`)
	status, err := s.Status("T1")
	if err != nil || housetest.State(status.State).Question == nil || housetest.State(status.State).Question.Key != table.ConfirmFacts {
		t.Fatalf("nobody has to confirm the facts: %+v, %v", housetest.State(status.State).Question, err)
	}
	if r := s.order("bot-shift-manager", "T1", `{"kind":"answer","body":{"answer":"yes"}}`); r.StatusCode != http.StatusForbidden {
		t.Errorf("a machine confirms the facts: %s", r.text)
	}
	s.done("pat", "T1", `{"kind":"answer","body":{"answer":"yes"}}`)
}

// TestWhatIsDecidedOnAReportTakesTwo holds that once cards have been seen, a person who is
// independent of the reporter decides on a report, and no machine. Otherwise two tokens of one
// person could pay an award or undo a win.
func TestWhatIsDecidedOnAReportTakesTwo(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	for _, role := range []access.Role{access.Dealer, access.ShiftManager} {
		id, text := s.asks("adm", fmt.Sprintf(`{"kind":"issue-token","name":"bot-%s","role":%q,"ends_ms":%d,"why":"a test"}`, role, role, nowMs()+3_600_000))
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
		s.tokens["bot-"+role.String()] = text
	}
	s.byTwo("adm", "sue", "dot", access.Dealer)
	s.buyIn("ann", 100*money.Major)
	holds := func(want money.Amount) {
		t.Helper()
		if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != want {
			t.Errorf("ann has %s, want %s", got, want)
		}
	}
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"pair-plus","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.done("ann", "T1", `{"kind":"examine","body":{"box":1}}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
	holds(80 * money.Major)

	const (
		report   = `{"kind":"report","body":{"incident":"uncovered"}}`
		award    = `{"kind":"answer","body":{"answer":"remedy","remedies":[{"do":"award","box":1,"player":"ann","wager":"pair-plus","amount":20000,"reason":"why"}]}}`
		void     = `{"kind":"answer","body":{"answer":"void"}}`
		goOn     = `{"kind":"answer","body":{"answer":"continue"}}`
		commands = "/api/v1/tables/T1/commands"
	)
	for _, reporter := range []string{"bot-dealer", "dan"} {
		s.done(reporter, "T1", report)
		for _, answer := range []string{award, void} {
			s.status(http.StatusForbidden, "refused", "bot-shift-manager", http.MethodPost, commands, answer)
		}
		s.done("bot-shift-manager", "T1", goOn)
	}
	// Sue approved dot's account, and does not act as its second person for a day. Nothing
	// waits for a third person all the same.
	s.done("dot", "T1", report)
	s.status(http.StatusForbidden, "refused", "sue", http.MethodPost, commands, void)
	s.done("sue", "T1", goOn)
	// Facts that another person has confirmed are decided by no machine either.
	s.done("bot-shift-manager", "T1", report)
	s.done("pat", "T1", `{"kind":"answer","body":{"answer":"yes"}}`)
	s.status(http.StatusForbidden, "refused", "bot-shift-manager", http.MethodPost, commands, award)
	s.done("bot-shift-manager", "T1", goOn)
	holds(80 * money.Major)

	s.done("dan", "T1", report)
	s.done("sue", "T1", void)
	holds(100 * money.Major)
}

// TestWhoIsShutOutAsksForNothing holds that money which somebody asked to have moved stays
// where it is once they are shut out, and that others may still decline it or ask anew.
func TestWhoIsShutOutAsksForNothing(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	rack := ledger.Account{Kind: ledger.Rack, Of: "T1"}
	before := s.Balance(rack)
	id, other := s.fill("pat"), s.fill("pat")
	s.status(http.StatusOK, "", "adm", http.MethodPatch, "/api/v1/users/pat", `{"disabled":true,"why":"a test"}`)
	r := s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(id), "")
	if !strings.Contains(r.text, "may not ask for it any more") || s.Balance(rack) != before {
		t.Errorf("%s; the rack holds %s, before it held %s", r.text, s.Balance(rack), before)
	}
	s.status(http.StatusNoContent, "", "cas", http.MethodPost, fmt.Sprintf("/api/v1/proposals/%d/decline", other), `{"why":"a test"}`)
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(s.fill("sue")), "")
	if got := s.Balance(rack) - before; got != 5000 {
		t.Errorf("a fill of 5,000 brings the rack %s", got)
	}
	// It stays outdated when they are let in again; what they ask for then does not.
	back, _ := s.asks("adm", `{"kind":"enable-user","name":"pat","why":"a test"}`)
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(back, "approve"), "")
	s.login("pat", password)
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(id), "")
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(s.fill("pat")), "")
	if got := s.Balance(rack) - before; got != 10_000 {
		t.Errorf("two fills of 5,000 bring the rack %s", got)
	}
}

// TestARoleThatComesBackBringsNoProposalsBack holds that what somebody asked for, money or
// users, is not approved once their role was another one meanwhile, also after the house was
// opened again.
func TestARoleThatComesBackBringsNoProposalsBack(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.byTwo("adm", "sue", "two", access.Administrator)
	s.byTwo("adm", "sue", "max", access.ShiftManager)
	s.aheadMs.Store(25 * 3_600_000) // nobody depends on anybody any more
	for _, person := range []string{"adm", "sue", "cas", "pat"} {
		s.login(person, password)
	}
	s.login("two", "a password of my own")
	s.login("max", "a password of my own")
	fill := s.fill("max")
	change, _ := s.asks("two", `{"kind":"add-user","name":"dot","role":"dealer","password":"the first password","why":"a test"}`)
	give := func(name string, role access.Role) {
		t.Helper()
		id, _ := s.asks("adm", fmt.Sprintf(`{"kind":"give-role","name":%q,"role":%q,"why":"a test"}`, name, role))
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
	}
	for name, role := range map[string]access.Role{"max": access.ShiftManager, "two": access.Administrator} {
		give(name, access.Dealer)
		give(name, role)
	}
	s.aheadMs.Store(50 * 3_600_000)
	for _, person := range []string{"sue", "cas"} {
		s.login(person, password)
	}
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(fill), "")
	s.status(http.StatusConflict, "not-now", "sue", http.MethodPost, changePath(change, "approve"), "")
	if _, err := s.people.User("dot"); err == nil {
		t.Error("somebody who was no administrator meanwhile has added a user")
	}
}

// TestARoleThatTheProviderTookAway holds that sessions end once where the identity provider
// gives a person no role any more. They do not end at each attempt, which would fill the
// record. What such a person asked for before is not approved, even when they have the role
// again.
func TestARoleThatTheProviderTookAway(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	in := func(role access.Role) error {
		token, _, err := s.people.LoginBy(t.Context(), identity.External{Subject: "7", Name: "pia", Role: role})
		if err == nil {
			s.tokens["pia"] = token
		}
		return err
	}
	count := func(kind string) (n int) {
		t.Helper()
		err := house.Named(s.store).Read(t.Context(), identity.Stream, 0, func(r house.StoredEvent) error {
			if r.Event.Kind == kind && strings.Contains(string(r.Event.Body), `"name":"pia"`) {
				n++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := in(access.PitSupervisor); err != nil {
		t.Fatal(err)
	}
	fill := s.fill("pia")
	for range 3 {
		if err := in(0); !errors.Is(err, identity.ErrBadLogin) {
			t.Errorf("without a role: %v", err)
		}
	}
	if ended, failed := count("sessions-ended"), count("login-failed"); ended != 1 || failed != 3 {
		t.Errorf("three attempts without a role end the sessions %d times, and %d are written down", ended, failed)
	}
	s.status(http.StatusUnauthorized, "not-signed-in", "pia", http.MethodGet, "/api/v1/me", "")
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(fill), "")
	if err := in(access.PitSupervisor); err != nil {
		t.Fatal(err)
	}
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(fill), "")
	s.aheadMs.Add(1) // what is asked for in the moment of the loss is lost, too
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(s.fill("pia")), "")
	if err := in(0); !errors.Is(err, identity.ErrBadLogin) || count("sessions-ended") != 2 {
		t.Errorf("the role is taken away again: %v, the sessions ended %d times", err, count("sessions-ended"))
	}
}

// TestARevokedTokenAsksForNothing holds that nothing is approved that a machine asked for
// whose token was revoked since: money as little as users. Another token of the same
// machine goes on for it.
func TestARevokedTokenAsksForNothing(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	rack := ledger.Account{Kind: ledger.Rack, Of: "T1"}
	before := s.Balance(rack)
	issue := func(name string, role access.Role) {
		t.Helper()
		id, text := s.asks("adm", fmt.Sprintf(`{"kind":"issue-token","name":%q,"role":%q,"ends_ms":%d,"why":"a test"}`, name, role, nowMs()+3_600_000))
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
		s.tokens[name] = text
	}
	revoke := func(name string, most int) {
		t.Helper()
		for _, token := range s.people.Tokens() {
			if token.Name == name && !token.Revoked && most > 0 {
				s.status(http.StatusOK, "", "adm", http.MethodDelete, "/api/v1/tokens/"+token.ID+"?why=test", "")
				most--
			}
		}
	}
	issue("bot-pit", access.PitSupervisor)
	issue("bot-adm", access.Administrator)
	fill := s.fill("bot-pit")
	change, _ := s.asks("bot-adm", `{"kind":"add-user","name":"dot","role":"dealer","password":"the first password","why":"a test"}`)
	issue("bot-pit", access.PitSupervisor)
	revoke("bot-pit", 1)
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(fill), "") // the other token lasts
	if got := s.Balance(rack) - before; got != 5000 {
		t.Errorf("a fill of 5,000 brings the rack %s", got)
	}
	fill = s.fill("bot-pit")
	revoke("bot-pit", 1)
	revoke("bot-adm", 1)
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(fill), "")
	s.aheadMs.Add(10)
	// A new token after a gap lets the machine in, and brings nothing of that back.
	issue("bot-pit", access.PitSupervisor)
	s.status(http.StatusConflict, "not-now", "cas", http.MethodPost, approvePath(fill), "")
	s.byTwo("adm", "sue", "max", access.ShiftManager)
	s.aheadMs.Store(25 * 3_600_000) // max depends on nobody any more
	s.login("max", "a password of my own")
	s.status(http.StatusConflict, "not-now", "max", http.MethodPost, changePath(change, "approve"), "")
	if _, err := s.people.User("dot"); err == nil {
		t.Error("a machine without a token has added a user")
	}
	if got := s.Balance(rack) - before; got != 5000 {
		t.Errorf("the rack has got %s", got)
	}
}

// TestNobodyAloneGivesATableItsPays holds that nobody who may change rules has a table pay
// what its book does not offer where the money is real, and that the configuration does.
func TestNobodyAloneGivesATableItsPays(t *testing.T) {
	for _, playMoney := range []bool{false, true} {
		s := newSiteWith(t, func(w *house.World) { w.PlayMoney = playMoney })
		s.install("T1", "us-3cp")
		s.install("T2", "sm-3cp")
		s.install("T3", "mbs-3pictures@2")
		s.install("T4", "rws-3cp@3")
		for _, test := range []struct {
			name, variant string
			offered       bool
		}{
			{"T1", "base = \"us-3cp\"\nid = \"a\"\n[pays.ante]\nany-hand = \"1000 to 1\"\n", false},
			{"T1", "base = \"us-3cp\"\nid = \"b\"\n[pays]\npair-plus = \"40/30/6/4/2\"\n", false},
			{"T3", "base = \"mbs-3pictures@2\"\nid = \"c\"\n[rulings]\nsix_pays_half_rounding = \"chip 10000\"\n", false},
			{"T4", "base = \"rws-3cp@3\"\nid = \"d\"\n[pays.progressive]\npair = \"100% of the meter\"\n", false},
			{"T1", "base = \"us-3cp\"\nid = \"e\"\n[limits.ante]\nmax = \"9\"\n", true},
			{"T2", "base = \"sm-3cp\"\nid = \"f\"\n[pays]\nbonus = \"TCPB-04E\"\n", true},
		} {
			body, err := json.Marshal(map[string]string{"variant": test.variant})
			if err != nil {
				t.Fatal(err)
			}
			for _, person := range []string{"adm", "sue"} {
				before, err := s.Status(test.name)
				if err != nil {
					t.Fatal(err)
				}
				r := s.ask(person, http.MethodPut, "/api/v1/tables/"+test.name+"/rules", string(body))
				after, err := s.Status(test.name)
				if err != nil {
					t.Fatal(err)
				}
				if !test.offered && !playMoney {
					if r.StatusCode != http.StatusConflict || !strings.Contains(r.text, "house.toml") || after.Next != before.Next {
						t.Errorf("%s gives %s %s: %s %s", person, test.name, test.variant, r.Status, r.text)
					}
					continue
				}
				if r.StatusCode != http.StatusOK && !strings.Contains(r.text, house.ErrNoChange.Error()) {
					t.Errorf("play money %t: %s gives %s %s: %s %s", playMoney, person, test.name, test.variant, r.Status, r.text)
				}
			}
		}
		status, err := s.Status("T1")
		if err != nil {
			t.Fatal(err)
		}
		dearer := status.Variant.Clone()
		dearer.ID = "own"
		pays := *dearer.Pays[rules.Ante]
		pays.Rows = slices.Clone(pays.Rows)
		pays.Rows[0].Pay = rules.ToOne(2)
		dearer.Pays[rules.Ante] = &pays
		if _, err := s.Change(t.Context(), "", staff["sue"], "T1", house.Change{Variant: dearer, Configured: true}); err != nil {
			t.Errorf("the configuration: %v", err)
		}
	}
}

// TestRolesAndPasswordsTakeTwo holds, from every role, what nobody can do alone and two people
// can. It is to give a role that moves money or rules, to set another person's password, to let
// a person in again, and to issue such a token.
func TestRolesAndPasswordsTakeTwo(t *testing.T) {
	s := newSite(t)
	takesTwo := []string{"dealer", "pit-supervisor", "shift-manager", "cashier", "administrator"}
	for _, role := range []string{"player", "dealer", "pit-supervisor", "shift-manager", "cashier", "surveillance", "administrator"} {
		want, slug := http.StatusCreated, ""
		if slices.Contains(takesTwo, role) {
			want, slug = http.StatusConflict, "not-now"
		}
		s.status(want, slug, "adm", http.MethodPost, "/api/v1/users", fmt.Sprintf(`{"name":"new-%s","role":%q,"password":"the first password","why":"a test"}`, role, role))
		s.status(want, slug, "adm", http.MethodPost, "/api/v1/tokens", fmt.Sprintf(`{"name":"bot-%s","role":%q,"ends_ms":%d,"why":"a test"}`, role, role, nowMs()+3_600_000))
		if slug != "" {
			s.status(want, slug, "adm", http.MethodPatch, "/api/v1/users/new-player", fmt.Sprintf(`{"role":%q,"why":"a test"}`, role))
		}
	}
	for _, name := range []string{"new-player", "dan", "sue"} {
		s.status(http.StatusConflict, "not-now", "adm", http.MethodPatch, "/api/v1/users/"+name, `{"password":"the second password","why":"a test"}`)
	}
	s.status(http.StatusOK, "", "adm", http.MethodPatch, "/api/v1/users/dan", `{"disabled":true,"why":"a test"}`)
	s.status(http.StatusConflict, "not-now", "adm", http.MethodPatch, "/api/v1/users/dan", `{"disabled":false,"why":"a test"}`)

	// Nobody without the role asks or approves.
	add := `{"kind":"add-user","name":"kim","role":"cashier","password":"the first password","why":"a test"}`
	id, _ := s.asks("adm", add)
	for _, person := range []string{"ann", "pat", "cas", "eye", ""} {
		want := http.StatusForbidden
		if person == "" {
			want = http.StatusUnauthorized
		}
		s.status(want, "", person, http.MethodPost, "/api/v1/user-changes", add)
		s.status(want, "", person, http.MethodPost, changePath(id, "approve"), "")
		s.status(want, "", person, http.MethodPost, changePath(id, "decline"), `{"why":"a test"}`)
	}
	s.status(http.StatusForbidden, "denied", "ann", http.MethodGet, "/api/v1/user-changes", "")
	s.status(http.StatusForbidden, "refused", "adm", http.MethodPost, changePath(id, "approve"), "") // who asked for it
	if _, err := s.people.User("kim"); err == nil {
		t.Fatal("one person has added a cashier")
	}

	// What waits is seen, without the password.
	list := s.status(http.StatusOK, "", "eye", http.MethodGet, "/api/v1/user-changes", "")
	if !strings.Contains(list.text, `"name":"kim"`) || strings.Contains(list.text, "argon2") || strings.Contains(list.text, "first password") {
		t.Errorf("what waits is shown as %s", list.text)
	}
	log := s.status(http.StatusOK, "", "eye", http.MethodGet, "/api/v1/log?stream=people", "")
	if !strings.Contains(log.text, "change-proposed") || strings.Contains(log.text, "argon2") {
		t.Errorf("the log has %s", log.text)
	}

	// Approved once, under its key as often as one likes.
	for range 2 {
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "", "Idempotency-Key", "once")
	}
	s.status(http.StatusConflict, "not-now", "sue", http.MethodPost, changePath(id, "approve"), "")
	s.status(http.StatusNotFound, "not-found", "sue", http.MethodPost, changePath(id+100, "approve"), "")

	// The password was chosen by somebody else: nothing else is allowed.
	s.login("kim", "the first password")
	for _, path := range []string{"/api/v1/tables", "/api/v1/proposals", "/api/v1/accounts", "/api/v1/users", "/api/v1/jackpots"} {
		s.status(http.StatusForbidden, "password-due", "kim", http.MethodGet, path, "")
	}
	s.status(http.StatusForbidden, "password-due", "kim", http.MethodPost, "/api/v1/cage", `{"reason":"buy-in","player":"ann","amount":100}`)
	if me := s.status(http.StatusOK, "", "kim", http.MethodGet, "/api/v1/me", ""); !strings.Contains(me.text, `"password_due":true`) {
		t.Errorf("kim is told %s", me.text)
	}
	s.status(http.StatusUnprocessableEntity, "invalid", "kim", http.MethodPut, "/api/v1/me/password", `{"old":"the first password","new":"the first password"}`)
	s.enters("kim", "the first password", "a password of my own")
	s.status(http.StatusOK, "", "kim", http.MethodGet, "/api/v1/accounts", "")

	// A role, and a password.
	id, _ = s.asks("adm", `{"kind":"give-role","name":"cas","role":"shift-manager","why":"a test"}`)
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
	if u, err := s.people.User("cas"); err != nil || u.Role != access.ShiftManager {
		t.Errorf("%+v, %v", u, err)
	}
	id, _ = s.asks("adm", `{"kind":"give-password","name":"sue","password":"the second password","why":"a test"}`)
	s.status(http.StatusForbidden, "refused", "sue", http.MethodPost, changePath(id, "approve"), "") // whom it concerns
	s.status(http.StatusNoContent, "", "adm", http.MethodPost, changePath(id, "decline"), `{"why":"a mistake"}`)
	s.status(http.StatusConflict, "not-now", "sue", http.MethodPost, changePath(id, "approve"), "")
	id, _ = s.asks("adm", `{"kind":"enable-user","name":"dan","why":"a test"}`)
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
	s.login("dan", password)
	s.status(http.StatusOK, "", "dan", http.MethodGet, "/api/v1/tables", "")
}

// TestWhoRegistersAPlayerDoesNotPlayAsThem holds that the first password of a player is
// changed before the player does anything.
func TestWhoRegistersAPlayerDoesNotPlayAsThem(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.status(http.StatusCreated, "", "cas", http.MethodPost, "/api/v1/users", `{"name":"pia","role":"player","password":"the first password","why":"a test"}`)
	s.login("pia", "the first password")
	s.status(http.StatusForbidden, "password-due", "pia", http.MethodGet, "/api/v1/account", "")
	s.status(http.StatusForbidden, "password-due", "pia", http.MethodPost, "/api/v1/tables/T1/commands", `{"do":"bet","with":{"box":1,"wager":"ante","amount":1000}}`)
	s.enters("pia", "the first password", "a password of my own")
	s.status(http.StatusOK, "", "pia", http.MethodGet, "/api/v1/account", "")
}

// TestMadeAccountsApproveNothing walks the loops in which one administrator makes the
// second person: an account of theirs, and two accounts of theirs.
func TestMadeAccountsApproveNothing(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.byTwo("adm", "sue", "max", access.ShiftManager)
	s.byTwo("adm", "sue", "pit", access.PitSupervisor)

	// What the administrator asks for, the account does not approve, and not the other
	// way about; nor one of the accounts what another one asks for.
	change, _ := s.asks("adm", `{"kind":"add-user","name":"tom","role":"cashier","password":"the first password","why":"a test"}`)
	s.status(http.StatusForbidden, "refused", "max", http.MethodPost, changePath(change, "approve"), "")
	fill := s.fill("pit")
	s.status(http.StatusForbidden, "refused", "max", http.MethodPost, approvePath(fill), "")
	s.status(http.StatusForbidden, "refused", "sue", http.MethodPost, approvePath(fill), "") // who approved the account
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(fill), "")               // a third person
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(change, "approve"), "")

	// Old accounts that were taken over: a new password, another role.
	for _, body := range []string{
		`{"kind":"give-password","name":"cas","password":"the second password","why":"a test"}`,
		`{"kind":"give-role","name":"dan","role":"pit-supervisor","why":"a test"}`,
	} {
		change, _ = s.asks("adm", body)
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(change, "approve"), "")
	}
	s.enters("cas", "the second password", "a password of my own")
	s.login("dan", password)
	// What dan asked for in the millisecond of the change counts as asked for before it.
	for changed := nowMs(); nowMs() == changed; {
		runtime.Gosched()
	}
	s.status(http.StatusForbidden, "refused", "cas", http.MethodPost, approvePath(s.fill("dan")), "")
	s.status(http.StatusOK, "", "cas", http.MethodPost, approvePath(s.fill("pat")), "")

	// A chain: an administrator made by an administrator makes the second person.
	s.byTwo("adm", "sue", "ida", access.Administrator)
	change, _ = s.asks("ida", `{"kind":"add-user","name":"joe","role":"shift-manager","password":"the first password","why":"a test"}`)
	for _, person := range []string{"adm", "max"} {
		s.status(http.StatusForbidden, "refused", person, http.MethodPost, changePath(change, "approve"), "")
	}
	if got := s.people.Changes(); len(got) != 1 {
		t.Errorf("%d changes wait, want the one that nobody independent approved", len(got))
	}
}

// newPeople puts people of their own before a house, by a clock of the test.
func newPeople(t *testing.T, initial ...access.Person) (s *site, people *identity.Directory, now *atomic.Int64) {
	t.Helper()
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) //nolint:errcheck // nobody reads it again
	now = &atomic.Int64{}
	now.Store(nowMs())
	people, err = identity.Open(t.Context(), identity.World{
		Record: store, Sessions: store, NowMs: now.Load, Random: rand.Reader, Cost: fast,
		Limits: identity.Limits{Users: identity.Limit{IdleMs: 1 << 40, MostMs: 1 << 40}, Guests: identity.StandardLimits.Guests},
	})
	if err != nil {
		t.Fatal(err)
	}
	hash, err := identity.HashPassword(password, fast, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var first []identity.Initial
	for _, p := range initial {
		first = append(first, identity.Initial{Name: p.Name, Role: p.Role, Hash: hash})
	}
	if _, _, err := people.Ensure(t.Context(), "the test", first); err != nil {
		t.Fatal(err)
	}
	s = newSite(t, func(c *Config) { c.Identity = people })
	s.people = people
	for _, p := range initial {
		s.login(p.Name, password)
	}
	return s, people, now
}

// TestAHouseWithOneAdministrator holds that a house that begins with one person is not
// locked out: they add the second one alone, and nothing else, once.
func TestAHouseWithOneAdministrator(t *testing.T) {
	s, people, now := newPeople(t, access.Person{Name: "ada", Role: access.Administrator})
	user := func(name, role string) string {
		return fmt.Sprintf(`{"name":%q,"role":%q,"password":"the first password","why":"a test"}`, name, role)
	}
	for _, role := range []string{"dealer", "pit-supervisor", "cashier"} {
		s.status(http.StatusConflict, "not-now", "ada", http.MethodPost, "/api/v1/users", user("eve", role))
	}
	s.status(http.StatusConflict, "not-now", "ada", http.MethodPost, "/api/v1/tokens", fmt.Sprintf(`{"name":"bot","role":"shift-manager","ends_ms":%d,"why":"a test"}`, now.Load()+1000))
	s.status(http.StatusCreated, "", "ada", http.MethodPost, "/api/v1/users", user("bob", "shift-manager"))
	for _, role := range []string{"shift-manager", "administrator", "cashier"} {
		s.status(http.StatusConflict, "not-now", "ada", http.MethodPost, "/api/v1/users", user("eve", role))
	}
	s.enters("bob", "the first password", "a password of my own")
	id, _ := s.asks("ada", `{"kind":"add-user","name":"eve","role":"cashier","password":"the first password","why":"a test"}`)
	// For a day they are one person in two accounts.
	now.Add(24*3600*1000 - 1)
	s.status(http.StatusForbidden, "refused", "bob", http.MethodPost, changePath(id, "approve"), "")
	now.Add(1)
	s.status(http.StatusNoContent, "", "bob", http.MethodPost, changePath(id, "approve"), "")
	// Whoever shuts the second person out is not alone again.
	s.status(http.StatusOK, "", "ada", http.MethodPatch, "/api/v1/users/bob", `{"disabled":true,"why":"a test"}`)
	s.status(http.StatusConflict, "not-now", "ada", http.MethodPost, "/api/v1/users", user("max", "shift-manager"))
	if _, err := people.User("max"); err == nil {
		t.Error("an administrator has made the second person twice")
	}
}

// TestFillsNameTheirChips holds that a fill has the chips that it was asked for with, under
// the name of its kind, and that an amount alone stays valid.
func TestFillsNameTheirChips(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	propose := func(want int, kind, body string) *reply {
		t.Helper()
		return s.status(want, "", "pat", http.MethodPost, "/api/v1/proposals", `{"kind":"`+kind+`","body":`+body+`}`)
	}
	propose(http.StatusCreated, "fill", `{"chips":[{"count":3,"chip":500},{"chip":2500,"count":2}],"table":"T1","amount":6500}`)
	s.fill("pat")
	for kind, body := range map[string]string{
		"fill":   `{"table":"T1","amount":6501,"chips":[{"chip":500,"count":3},{"chip":2500,"count":2}]}`,
		"credit": `{"table":"T1","amount":6500,"chips":[{"chip":2500,"count":2},{"chip":500,"count":3}]}`,
		"fill/2": `{"table":"T1","amount":6500}`,
	} {
		propose(http.StatusUnprocessableEntity, kind, body)
	}
	text := s.get("cas", "/api/v1/proposals").text
	for _, want := range []string{`"proposal":{"kind":"fill","body":{"table":"T1","amount":6500,"chips":[{"chip":500,"count":3},{"chip":2500,"count":2}]}}`, `"proposal":{"kind":"fill","body":{"table":"T1","amount":5000}}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}
