package api

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/house/posting"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/table"
)

// Every error of the house has the status that was decided on for it, here once
// more and independently.
func TestEveryErrorHasItsStatus(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		slug   string
	}{
		{house.ErrNoTable, 404, "not-found"},
		{house.ErrNoJackpot, 404, "not-found"},
		{house.ErrNoRound, 404, "not-found"},
		{house.ErrRoundOpen, 409, "not-now"},
		{house.ErrTableStopped, 503, "table-stopped"},
		{house.ErrStopped, 503, "stopped"},
		{house.ErrKeyReused, 422, "key-other-input"},
		{house.ErrKeyBusy, 409, "key-busy"},
		{house.ErrVersionMismatch, 412, "moved-on"},
		{house.ErrBadName, 422, "invalid"},
		{house.ErrBadKey, 422, "invalid"},
		{house.ErrIncomplete, 422, "invalid"},
		{house.ErrNotAutomatic, 409, "not-now"},
		{house.ErrSubscriberSlow, 500, "unexpected"}, // of streams: it never gets that far
		{house.ErrClosing, 503, "draining"},
		{house.ErrOverloaded, 503, "busy"},
		{house.ErrOldRules, 409, "not-now"},
		{house.ErrOldProgram, 409, "not-now"},
		{house.ErrUnread, 409, "not-now"},
		{house.ErrNoChange, 409, "not-now"},
		{house.ErrUnplayable, 422, "invalid"},
		{house.ErrUnattended, 422, "invalid"},
		{house.ErrNoClock, 422, "invalid"},
		{house.ErrShort, 422, "invalid"},
		{house.ErrNotStopped, 409, "not-now"},
		{house.ErrNoReason, 422, "invalid"},
		{house.ErrUncounted, 503, "busy"},
		{house.ErrNoProposal, 404, "not-found"},
		{house.ErrDecided, 409, "not-now"},
		{house.ErrSamePerson, 403, "refused"},
		{house.ErrOwnMoney, 403, "refused"},
		{house.ErrTakesTwo, 409, "not-now"},
		{house.ErrNobody, 404, "not-found"},
		{house.ErrNoPlayer, 404, "not-found"},
		{house.ErrOwnPays, 409, "not-now"},
		{house.ErrNoWager, 404, "not-found"},
		{house.ErrBeyondWager, 409, "not-now"},
		{house.ErrRemediable, 409, "not-now"},
		{house.ErrOnePerson, 500, "unexpected"}, // of trey restore: it never gets that far
		{house.ErrCageLimit, 409, "not-now"},
		{house.ErrFixedBet, 422, "refused"},
		{house.ErrClock, 503, "clock"},
		{house.ErrConflict, 500, "unexpected"},
		{house.ErrKeyUsed, 500, "unexpected"},
		{house.ErrNotFound, 404, "not-found"},
		{house.ErrFailed, 503, "stopped"},
		{house.ErrCorrupt, 500, "unexpected"},
		{identity.ErrBadLogin, 401, "bad-login"},
		{identity.ErrNoPassword, 409, "not-now"},
		{identity.ErrOtherAccount, 409, "not-now"},
		{identity.ErrBadCode, 401, "bad-code"},
		{identity.ErrNoTicket, 401, "no-ticket"},
		{identity.ErrBadPasskey, 401, "bad-passkey"},
		{identity.ErrPasskeyUnknown, 401, "bad-passkey"},
		{identity.ErrPasskeyOrigin, 401, "bad-passkey"},
		{identity.ErrPasskeyChallenge, 401, "bad-passkey"},
		{identity.ErrPasskeyUnverified, 401, "bad-passkey"},
		{identity.ErrPasskeyCounter, 401, "bad-passkey"},
		{identity.ErrPasskeyInvalid, 401, "bad-passkey"},
		{identity.ErrPasskeyTaken, 401, "bad-passkey"},
		{identity.ErrNoPasskeys, 409, "not-now"},
		{identity.ErrPasskeyElsewhere, 409, "not-now"},
		{identity.ErrTooManyPasskeys, 409, "not-now"},
		{identity.ErrLastFactor, 409, "not-now"},
		{identity.ErrNoAddition, 409, "not-now"},
		{&identity.SecondStep{Ticket: "t"}, 401, "second-factor"},
		{identity.ErrNoSession, 401, "not-signed-in"},
		{identity.ErrNoToken, 401, "not-signed-in"},
		{identity.ErrBusy, 503, "busy"},
		{identity.ErrDeciding, 409, "not-now"},
		{identity.ErrNoGuests, 403, "no-guests"},
		{identity.ErrFull, 503, "busy"},
		{identity.ErrInvalid, 422, "invalid"},
		{identity.ErrTaken, 409, "not-now"},
		{identity.ErrUnknown, 404, "not-found"},
		{identity.ErrAlready, 409, "not-now"},
		{identity.ErrOwnAccount, 403, "refused"},
		{identity.ErrLast, 409, "not-now"},
		{identity.ErrDependent, 403, "refused"},
		{identity.ErrFirstSecond, 409, "not-now"},
		{identity.ErrOutdated, 409, "not-now"},
		{identity.ErrNotDisabled, 409, "not-now"},
		{identity.ErrPasswordDue, 403, "password-due"},
		{access.ErrMachine, 403, "refused"},
		{&identity.Throttled{WaitMs: 1500}, 429, "too-many"},
		{autodealer.ErrNotDriven, 409, "not-now"},
		{autodealer.ErrNothingToWaitFor, 409, "not-now"},
		{report.ErrQuery, 422, "invalid"},
		{journal.ErrQuery, 422, "invalid"},
		{fair.ErrText, 422, "invalid"},
		{fair.ErrMisfit, 500, "unexpected"},
		{identity.ErrNoFactor, 500, "unexpected"},        // trey restore alone returns it
		{house.ErrElsewhere, 500, "unexpected"},          // no house is open then
		{house.ErrOtherMoney, 500, "unexpected"},         // no house is open then
		{identity.ErrNoDemonstration, 500, "unexpected"}, // nor then
		{house.ErrOtherForm, 500, "unexpected"},          // a start reads the record instead
		{linked.ErrUnlike, 422, "refused"},
		{ledger.ErrMalformed, 422, "invalid"},
		{&ledger.Short{Account: ledger.Account{Kind: ledger.Player, Of: "ann"}}, 409, "short"},
		{money.ErrOverflow, 422, "invalid"},
		{&access.Denied{Person: access.Person{Name: "ann", Role: access.Player}, Need: access.DealTable}, 403, "denied"},
		{&table.Broken{Detail: "the Qh was dealt twice"}, 500, "unexpected"},
		{&posting.Mismatch{What: "ann"}, 500, "unexpected"},
		{jackpot.ErrCorrupt, 500, "unexpected"},
		{&http.MaxBytesError{Limit: 5}, 413, "too-large"},
		{context.Canceled, 503, "given-up"},
		{context.DeadlineExceeded, 503, "given-up"},
		{errors.New("the Qh fell on the floor"), 500, "unexpected"},
	} {
		for _, err := range []error{test.err, fmt.Errorf("wrapped: %w", test.err)} {
			p := problemOf(err)
			if p.Status != test.status || p.Type != "urn:trey:problem:"+test.slug {
				t.Errorf("%v: %d %s, want %d %s", err, p.Status, p.Type, test.status, test.slug)
			}
			if p.Title == "" || p.Detail == "" {
				t.Errorf("%v says nothing: %+v", err, p)
			}
			if strings.Contains(p.Detail, "Qh") {
				t.Errorf("%v leaves the house: %s", err, p.Detail)
			}
		}
	}
}

// TestARecordThatIsAwayIsNoFault holds that the log takes no request for a fault of the house that came
// while the database failed over: the house is opened again by itself. What a person has to see to is one.
func TestARecordThatIsAwayIsNoFault(t *testing.T) {
	for err, level := range map[error]string{
		house.ErrFailed: "WARN", house.ErrStopped: "WARN", house.ErrCorrupt: "ERROR", house.ErrClock: "ERROR", house.ErrNoTable: "",
	} {
		var log strings.Builder
		d := server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		d.problem(t.Context(), fmt.Errorf("as it is read: %w", err))
		if text := log.String(); strings.Contains(text, "level="+level) != (level != "") || (text == "") != (level == "") {
			t.Errorf("%v is logged as %q, want %q", err, text, level)
		}
	}
}

// A request that is sent again after the seconds of Retry-After is not refused for the wait.
func TestARepeatMayComeAfterTheWait(t *testing.T) {
	for err, want := range map[error]string{
		&identity.Throttled{WaitMs: 1}:    "1",
		&identity.Throttled{WaitMs: 1000}: "1",
		&identity.Throttled{WaitMs: 1001}: "2",
		house.ErrOverloaded:               "1",
		identity.ErrFull:                  "60",
		house.ErrStopped:                  "10",
		house.ErrNoRound:                  "",
	} {
		if got := problemOf(fmt.Errorf("asked: %w", err)).GetHeaders().Get("Retry-After"); got != want {
			t.Errorf("%v: Retry-After is %q, want %q", err, got, want)
		}
	}
}

// The detail of a fault says nothing of the record. Any other error is its own detail.
func TestAFaultShowsNothingOfTheRecord(t *testing.T) {
	for err, want := range map[error]string{
		house.ErrCorrupt:      unexpected,
		house.ErrConflict:     unexpected,
		errors.New("a fault"): unexpected,
		house.ErrOverloaded:   "asked: " + house.ErrOverloaded.Error(),
	} {
		if got := problemOf(fmt.Errorf("asked: %w", err)).Detail; got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// No error that the house declares is forgotten here.
func TestNoErrorIsForgotten(t *testing.T) {
	text := source(t, "problem_test.go")
	for _, pkg := range []string{"house", "house/identity", "house/autodealer", "house/report"} {
		//lint:ignore SA1019 no build tags are in the way
		files, err := parser.ParseDir(token.NewFileSet(), "../"+pkg, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range files {
			ast.Inspect(p, func(n ast.Node) bool {
				v, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				for _, name := range v.Names {
					if strings.HasPrefix(name.Name, "Err") && !strings.HasSuffix(p.Name, "_test") &&
						!strings.Contains(text, p.Name+"."+name.Name+",") {
						t.Errorf("%s.%s has no row in TestEveryErrorHasItsStatus", p.Name, name.Name)
					}
				}
				return true
			})
		}
	}
}

func TestEveryRefusalHasItsStatus(t *testing.T) {
	want := map[int][]string{
		403: {"not-permitted", "not-yours"},
		422: {"malformed", "not-in-game", "no-such-wager", "stake-size", "not-chips"},
		409: {
			"wrong-phase", "question-open", "offer-open", "no-such-box", "suspended", "not-seated", "box-taken", "area-full",
			"needs-other", "one-hand-only", "never-examined", "already-done", "unfinished", "wrong-cards", "not-applicable", "meter-unknown",
		},
	}
	for r := table.Reason(1); r.String() != "unknown"; r++ {
		p := problemOf(&table.Refusal{Reason: r, Clause: "rws-3cp@3 1.1", Detail: "no"})
		if _, ok := refusals[r]; !ok {
			t.Errorf("refusals in problem.go has no kind for the reason %s", r)
		}
		if !slices.Contains(want[p.Status], r.String()) {
			t.Errorf("the reason %s is answered with %d: decide on its status, and list it above", r, p.Status)
		}
		if p.Reason != r.String() || p.Clause != "rws-3cp@3 1.1" || p.Detail != "no (rws-3cp@3 1.1)" {
			t.Errorf("%s: %+v", r, p)
		}
	}
	for r := jackpot.ReasonMalformed; r.String() != "unknown"; r++ {
		if _, ok := jackpotRefusals[r]; !ok {
			t.Errorf("jackpotRefusals in problem.go has no kind for the reason %s", r)
		}
		p := problemOf(&jackpot.Refusal{Reason: r, Detail: "box 3, round 7 of table T1 has Ah Kh Qh"})
		if p.Status != 409 && p.Status != 422 && p.Status != 403 || p.Reason != r.String() {
			t.Errorf("%s: %+v", r, p)
		}
	}
}

// docs/api.md explains each kind of problem, with the status that it has.
func TestTheGuideExplainsEachProblem(t *testing.T) {
	guide := source(t, "../../docs/api.md")
	kinds := regexp.MustCompile(`= kind\{("[a-z-]+"), http\.(Status\w+),`).FindAllStringSubmatch(source(t, "problem.go"), -1)
	if len(kinds) < 30 {
		t.Fatalf("found %d kinds", len(kinds))
	}
	for _, k := range kinds {
		slug := strings.Trim(k[1], `"`)
		status := 0
		for code := 400; code < 600; code++ {
			if name := strings.ReplaceAll(http.StatusText(code), " ", ""); name != "" && k[2] == "Status"+name {
				status = code
			}
		}
		if row := regexp.MustCompile(fmt.Sprintf("(?m)^\\|[^|]*`%s`[^|]*\\| %d \\|", slug, status)); !row.MatchString(guide) {
			t.Errorf("docs/api.md has no row for the problem %s with the status %d (%s)", slug, status, k[2])
		}
	}
}

func TestDenialsNameWhoMay(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	p := s.order("ann", "T1", `{"kind":"close-bets"}`).problem(t)
	want := []string{"dealer", "pit-supervisor", "shift-manager"}
	if p.Status != http.StatusForbidden || !slices.Equal(p.May, want) || p.Reason != "deal-table" {
		t.Errorf("%+v", p)
	}
}
