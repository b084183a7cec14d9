package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/house/protection"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/table"
)

// Problem is the answer to an error: problem details after RFC 9457, with the members of
// a rule book's refusal beside them.
type Problem struct {
	Type     string   `json:"type" example:"urn:trey:problem:refused" doc:"What kind of problem it is. Programs tell problems apart by this and by reason, never by the words."`
	Title    string   `json:"title" example:"Not allowed by the rules now" doc:"The kind in words, always the same."`
	Status   int      `json:"status" example:"409" doc:"The HTTP status."`
	Detail   string   `json:"detail,omitempty" example:"bets are closed (rws-3cp@3 3.11)" doc:"What was wrong this time, and what can be done."`
	Instance string   `json:"instance,omitempty" example:"urn:trey:request:4f1d8a6c0b2e9d37" doc:"Names this request; the same as the header X-Request-Id."`
	Clause   string   `json:"clause,omitempty" example:"rws-3cp@3 3.11" doc:"The provision of the rule book that refuses."`
	Reason   string   `json:"reason,omitempty" example:"wrong-phase" doc:"The reason, from a closed list."`
	May      []string `json:"may,omitempty" example:"[\"pit-supervisor\",\"shift-manager\"]" doc:"The roles that may do it, where the person's role may not."`
	Errors   []Fault  `json:"errors,omitempty" doc:"What is wrong with the request, place by place."`
	// SecondStep is the second step of a sign-in, after the password.
	SecondStep *SecondStep `json:"second_step,omitempty" doc:"What a sign-in needs beside the password: send it to /api/v1/sessions/second."`

	retryAfterS int
}

// Fault is one thing wrong with a request.
type Fault struct {
	Location string `json:"location,omitempty" example:"body.amount" doc:"Where it stands."`
	Message  string `json:"message" doc:"What is wrong with it."`
}

// SecondStep is the second step of a sign-in, after the password.
type SecondStep struct {
	Ticket string `json:"ticket" doc:"Stands for the password in the second step."`
	EndsMs int64  `json:"ends_ms" doc:"Until when the ticket is good."`
	// Secret and URI are of a new second factor.
	Secret string `json:"secret,omitempty" doc:"A new second factor in base32, for an app that shows codes (RFC 6238). It counts as soon as one of its codes was sent."`
	URI    string `json:"uri,omitempty" doc:"The same for a QR code."`
	// Passkey and NewPasskey are for a browser.
	Passkey    map[string]any `json:"passkey,omitempty" doc:"Options for navigator.credentials.get (PublicKeyCredentialRequestOptionsJSON), for somebody with a passkey. Its challenge is good for one answer."`
	NewPasskey map[string]any `json:"new_passkey,omitempty" doc:"Options for navigator.credentials.create (PublicKeyCredentialCreationOptionsJSON): a passkey in the place of the secret."`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers that go with the problem.
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfterS > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retryAfterS))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="trey"`)
	}
	return h
}

// ContentType returns the media type of problem details.
func (p *Problem) ContentType(string) string { return problemJSON }

const problemJSON = "application/problem+json"

// kind is a kind of problem: its name at the end of the type, its status and its
// title.
type kind struct {
	slug   string
	status int
	title  string
}

// The kinds of problems. The list is closed; docs/api.md explains each.
var (
	kindMalformed       = kind{"malformed", http.StatusBadRequest, "Malformed request"}
	kindInvalid         = kind{"invalid", http.StatusUnprocessableEntity, "Invalid request"}
	kindUnauthenticated = kind{"not-signed-in", http.StatusUnauthorized, "Sign-in required"}
	kindBadLogin        = kind{"bad-login", http.StatusUnauthorized, "Wrong name or password"}
	kindSecond          = kind{"second-factor", http.StatusUnauthorized, "Second factor required"}
	kindBadCode         = kind{"bad-code", http.StatusUnauthorized, "Wrong code"}
	kindBadPasskey      = kind{"bad-passkey", http.StatusUnauthorized, "Passkey not accepted"}
	kindNoTicket        = kind{"no-ticket", http.StatusUnauthorized, "Sign-in must be started again"}
	kindNoGuests        = kind{"no-guests", http.StatusForbidden, "No guests admitted"}
	kindBusy            = kind{"busy", http.StatusServiceUnavailable, "Too busy"}
	kindDenied          = kind{"denied", http.StatusForbidden, "Not allowed for this role"}
	kindDue             = kind{"password-due", http.StatusForbidden, "Password change required"}
	kindForeign         = kind{"cross-origin", http.StatusForbidden, "Cross-origin request"}
	kindHost            = kind{"host", http.StatusMisdirectedRequest, "Unknown host name"}
	kindNotFound        = kind{"not-found", http.StatusNotFound, "Not found"}
	kindMethod          = kind{"method", http.StatusMethodNotAllowed, "Method not allowed"}
	kindRefused         = kind{"refused", http.StatusConflict, "Not allowed by the rules now"}
	kindImpossible      = kind{"refused", http.StatusUnprocessableEntity, "Never allowed by the rules"}
	kindNotYours        = kind{"refused", http.StatusForbidden, "Not allowed for this person"}
	kindShort           = kind{"short", http.StatusConflict, "Insufficient balance"}
	kindKeyBusy         = kind{"key-busy", http.StatusConflict, "Request with this key in progress"}
	kindOtherInput      = kind{"key-other-input", http.StatusUnprocessableEntity, "Idempotency key reused"}
	kindMoved           = kind{"moved-on", http.StatusPreconditionFailed, "Version mismatch"}
	kindTooLarge        = kind{"too-large", http.StatusRequestEntityTooLarge, "Request too large"}
	kindMedia           = kind{"media-type", http.StatusUnsupportedMediaType, "Unsupported media type"}
	kindTooMany         = kind{"too-many", http.StatusTooManyRequests, "Too many requests"}
	kindTableStopped    = kind{"table-stopped", http.StatusServiceUnavailable, "Table stopped"}
	kindStopped         = kind{"stopped", http.StatusServiceUnavailable, "Stopped"}
	kindClock           = kind{"clock", http.StatusServiceUnavailable, "House clock wrong"}
	kindDraining        = kind{"draining", http.StatusServiceUnavailable, "Shutting down"}
	kindCanceled        = kind{"given-up", http.StatusServiceUnavailable, "Request canceled"}
	kindUnexpected      = kind{"unexpected", http.StatusInternalServerError, "Internal error"}
	kindProtected       = kind{"protected", http.StatusConflict, "Refused by a limit or a pause"}
	kindWarned          = kind{"warned", http.StatusConflict, "Players warned"}
	kindNotNow          = kind{"not-now", http.StatusConflict, "Not allowed in the current state"}
)

func (k kind) problem(detail string) *Problem {
	return &Problem{Type: "urn:trey:problem:" + k.slug, Title: k.title, Status: k.status, Detail: detail}
}

// refusals says for each reason of the engine what kind of problem it is.
var refusals = map[table.Reason]kind{
	table.Malformed:     kindImpossible,
	table.NotInGame:     kindImpossible,
	table.NotPermitted:  kindNotYours,
	table.WrongPhase:    kindRefused,
	table.QuestionOpen:  kindRefused,
	table.OfferOpen:     kindRefused,
	table.NoSuchBox:     kindRefused,
	table.NoSuchWager:   kindImpossible,
	table.Suspended:     kindRefused,
	table.NotSeated:     kindRefused,
	table.BoxTaken:      kindRefused,
	table.AreaFull:      kindRefused,
	table.NeedsOther:    kindRefused,
	table.StakeSize:     kindImpossible,
	table.NotChips:      kindImpossible,
	table.NotYours:      kindNotYours,
	table.OneHandOnly:   kindRefused,
	table.NeverExamined: kindRefused,
	table.AlreadyDone:   kindRefused,
	table.Unfinished:    kindRefused,
	table.WrongCards:    kindRefused,
	table.NotApplicable: kindRefused,
	table.MeterUnknown:  kindRefused,
}

// jackpotRefusals says the same for the reasons of a jackpot.
var jackpotRefusals = map[jackpot.Reason]kind{
	jackpot.ReasonMalformed:        kindImpossible,
	jackpot.ReasonNotOpened:        kindRefused,
	jackpot.ReasonAlreadyOpened:    kindRefused,
	jackpot.ReasonApprovers:        kindNotYours,
	jackpot.ReasonTerms:            kindImpossible,
	jackpot.ReasonSystemDown:       kindRefused,
	jackpot.ReasonSystemUp:         kindRefused,
	jackpot.ReasonUnknownRound:     kindRefused,
	jackpot.ReasonDuplicateRound:   kindRefused,
	jackpot.ReasonDuplicateHit:     kindRefused,
	jackpot.ReasonUnknownHit:       kindRefused,
	jackpot.ReasonHitSettled:       kindRefused,
	jackpot.ReasonAlreadyConfirmed: kindRefused,
	jackpot.ReasonBetsNotHeld:      kindRefused,
	jackpot.ReasonBetHoldsHit:      kindRefused,
	jackpot.ReasonSamePlace:        kindRefused,
	jackpot.ReasonHitUnpaid:        kindRefused,
	jackpot.ReasonEarlierHit:       kindRefused,
	jackpot.ReasonEarlierRound:     kindRefused,
	jackpot.ReasonRoundOpen:        kindRefused,
	jackpot.ReasonNotConfirmed:     kindRefused,
	jackpot.ReasonOutOfBounds:      kindImpossible,
	jackpot.ReasonTooLarge:         kindImpossible,
}

// knownErrors are the errors that have a problem of their own, by the error that they wrap, in
// this order. A detail of its own stands where the error's words are not for everybody.
var knownErrors = []struct {
	err         error
	kind        kind
	detail      string
	retryAfterS int
}{
	{err: house.ErrVersionMismatch, kind: kindMoved},
	{err: house.ErrKeyReused, kind: kindOtherInput},
	{err: house.ErrBadKey, kind: kindInvalid},
	{err: house.ErrIncomplete, kind: kindInvalid},
	{err: house.ErrClock, kind: kindClock, detail: "nothing is recorded until the clock of the house is right; the operator has been alerted", retryAfterS: 30},
	{err: house.ErrKeyBusy, kind: kindKeyBusy, retryAfterS: 1},
	{err: house.ErrNoTable, kind: kindNotFound},
	{err: house.ErrNoJackpot, kind: kindNotFound},
	{err: house.ErrNobody, kind: kindNotFound},
	{err: house.ErrNoPlayer, kind: kindNotFound},
	{err: house.ErrNoRound, kind: kindNotFound},
	{err: house.ErrRoundOpen, kind: kindNotNow},
	{err: house.ErrNotFound, kind: kindNotFound},
	{err: house.ErrBadName, kind: kindInvalid},
	{err: house.ErrFixedBet, kind: kindImpossible},
	{err: house.ErrTakesTwo, kind: kindNotNow},
	{err: house.ErrOwnPays, kind: kindNotNow},
	{err: house.ErrCageLimit, kind: kindNotNow},
	{err: house.ErrNoWager, kind: kindNotFound},
	{err: house.ErrBeyondWager, kind: kindNotNow},
	{err: house.ErrRemediable, kind: kindNotNow},
	{err: house.ErrNoProposal, kind: kindNotFound},
	{err: house.ErrDecided, kind: kindNotNow},
	{err: house.ErrSamePerson, kind: kindNotYours},
	{err: house.ErrOwnMoney, kind: kindNotYours},
	{err: house.ErrNotAutomatic, kind: kindNotNow},
	{err: house.ErrClosing, kind: kindDraining, retryAfterS: 30},
	{err: house.ErrOverloaded, kind: kindBusy, retryAfterS: 1},
	{err: house.ErrOldRules, kind: kindNotNow},
	{err: house.ErrOldProgram, kind: kindNotNow},
	{err: house.ErrUnread, kind: kindNotNow},
	{err: house.ErrNoChange, kind: kindNotNow},
	{err: house.ErrUnplayable, kind: kindInvalid},
	{err: house.ErrUnattended, kind: kindInvalid},
	{err: house.ErrNoClock, kind: kindInvalid},
	{err: house.ErrShort, kind: kindInvalid},
	{err: house.ErrNotStopped, kind: kindNotNow},
	{err: house.ErrNoReason, kind: kindInvalid},
	{err: house.ErrUncounted, kind: kindBusy, retryAfterS: 1},
	{err: linked.ErrUnlike, kind: kindImpossible},
	{err: ledger.ErrMalformed, kind: kindInvalid},
	{err: money.ErrOverflow, kind: kindInvalid, detail: "no account can hold that much"},
	{err: identity.ErrBadLogin, kind: kindBadLogin},
	{err: identity.ErrNoPassword, kind: kindNotNow},
	{err: identity.ErrOtherAccount, kind: kindNotNow},
	{err: identity.ErrBadCode, kind: kindBadCode},
	{err: identity.ErrBadPasskey, kind: kindBadPasskey},
	{err: identity.ErrPasskeyUnknown, kind: kindBadPasskey},
	{err: identity.ErrPasskeyOrigin, kind: kindBadPasskey},
	{err: identity.ErrPasskeyChallenge, kind: kindBadPasskey},
	{err: identity.ErrPasskeyUnverified, kind: kindBadPasskey},
	{err: identity.ErrPasskeyCounter, kind: kindBadPasskey},
	{err: identity.ErrPasskeyInvalid, kind: kindBadPasskey},
	{err: identity.ErrPasskeyTaken, kind: kindBadPasskey},
	{err: identity.ErrNoPasskeys, kind: kindNotNow},
	{err: identity.ErrPasskeyElsewhere, kind: kindNotNow},
	{err: identity.ErrTooManyPasskeys, kind: kindNotNow},
	{err: identity.ErrLastFactor, kind: kindNotNow},
	{err: identity.ErrNoAddition, kind: kindNotNow},
	{err: identity.ErrNoTicket, kind: kindNoTicket},
	{err: identity.ErrNoSession, kind: kindUnauthenticated},
	{err: identity.ErrNoToken, kind: kindUnauthenticated},
	{err: identity.ErrBusy, kind: kindBusy, retryAfterS: 2},
	{err: identity.ErrNoGuests, kind: kindNoGuests},
	{err: identity.ErrFull, kind: kindBusy, retryAfterS: 60},
	{err: identity.ErrInvalid, kind: kindInvalid},
	{err: identity.ErrTaken, kind: kindNotNow},
	{err: identity.ErrUnknown, kind: kindNotFound},
	{err: identity.ErrAlready, kind: kindNotNow},
	{err: identity.ErrOwnAccount, kind: kindNotYours},
	{err: identity.ErrLast, kind: kindNotNow},
	{err: identity.ErrDeciding, kind: kindNotNow},
	{err: identity.ErrDependent, kind: kindNotYours},
	{err: identity.ErrFirstSecond, kind: kindNotNow},
	{err: identity.ErrOutdated, kind: kindNotNow},
	{err: identity.ErrNotDisabled, kind: kindNotNow},
	{err: identity.ErrPasswordDue, kind: kindDue},
	{err: access.ErrMachine, kind: kindNotYours},
	{err: fair.ErrText, kind: kindInvalid},
	{err: report.ErrQuery, kind: kindInvalid},
	{err: journal.ErrQuery, kind: kindInvalid},
	{err: autodealer.ErrNotDriven, kind: kindNotNow},
	{err: autodealer.ErrNothingToWaitFor, kind: kindNotNow},
	// What stopped it may hold cards, and is for those who read the log.
	{err: house.ErrTableStopped, kind: kindTableStopped, detail: "the table has stopped: nothing of this command was done. Ask a shift manager to release the table, then send the command again", retryAfterS: 10},
	{err: house.ErrStopped, kind: kindStopped, detail: "the house has stopped and takes no commands: a shift manager has to look. Send the command again with the same Idempotency-Key to learn its result", retryAfterS: 10},
	{err: house.ErrFailed, kind: kindStopped, detail: "the record cannot be written until the server has opened it again. Send a command again with the same Idempotency-Key to learn its result", retryAfterS: 10},
	{err: house.ErrConflict, kind: kindUnexpected},
	{err: house.ErrKeyUsed, kind: kindUnexpected},
	{err: house.ErrCorrupt, kind: kindUnexpected},
	{err: context.Canceled, kind: kindCanceled, detail: "the request was canceled before it was carried out"},
	{err: context.DeadlineExceeded, kind: kindCanceled, detail: "the request took too long: send it again with the same Idempotency-Key"},
}

// problemOf returns the problem for an error. An unknown error is a fault of ours, and
// its text stays in the house.
func problemOf(err error) *Problem {
	var already *Problem
	var refusal *table.Refusal
	var unpaid *jackpot.Refusal
	var protected *protection.Refusal
	var denied *access.Denied
	var short *ledger.Short
	var throttled *identity.Throttled
	var second *identity.SecondStep
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &refusal):
		p := kindOr(refusals, refusal.Reason).problem(refusal.Error())
		p.Clause, p.Reason = refusal.Clause, refusal.Reason.String()
		return p
	case errors.As(err, &unpaid):
		p := kindOr(jackpotRefusals, unpaid.Reason).problem(strings.TrimPrefix(unpaid.Error(), "jackpot: "))
		p.Clause, p.Reason = unpaid.Clause, unpaid.Reason.String()
		return p
	case errors.As(err, &protected):
		k := kindProtected
		if protected.Reason == protection.Invalid {
			k = kindInvalid
		}
		p := k.problem(protected.Error())
		p.Reason = protected.Reason.String()
		return p
	case errors.As(err, &denied):
		p := kindDenied.problem(denied.Error())
		p.Reason = denied.Need.String()
		for _, r := range denied.Need.Holders() {
			p.May = append(p.May, r.String())
		}
		return p
	case errors.As(err, &short):
		p := kindShort.problem(short.Error())
		p.Reason = "short"
		return p
	case errors.As(err, &second):
		p := kindSecond.problem(second.Error())
		if second.Wrong != nil {
			p = problemOf(second.Wrong)
		}
		p.SecondStep = secondStep(second)
		return p
	case errors.As(err, &throttled):
		p := kindTooMany.problem(throttled.Error())
		p.retryAfterS = int((throttled.WaitMs + 999) / 1000)
		return p
	case errors.As(err, &large):
		return kindTooLarge.problem("a request body is at most " + strconv.FormatInt(large.Limit, 10) + " bytes")
	}
	for i := range knownErrors {
		if k := &knownErrors[i]; errors.Is(err, k.err) {
			detail := k.detail
			switch {
			case detail == "" && k.kind == kindUnexpected:
				detail = unexpected
			case detail == "":
				detail = err.Error()
			}
			p := k.kind.problem(detail)
			p.retryAfterS = k.retryAfterS
			return p
		}
	}
	return kindUnexpected.problem(unexpected)
}

// secondStep says what a sign-in needs beside the password.
func secondStep(of *identity.SecondStep) *SecondStep {
	step := &SecondStep{Ticket: of.Ticket, EndsMs: of.EndsMs}
	var options map[string]any
	if len(of.Passkey) > 0 {
		_ = json.Unmarshal(of.Passkey, &options) // it was written as an object
	}
	if e := of.Enrol; e != nil {
		step.Secret, step.URI, step.NewPasskey = e.Secret, e.URI, options
	} else {
		step.Passkey = options
	}
	return step
}

// isFault reports whether the problem is a fault of the house that its operator has to
// know. A house that is closing, or is opened again, has none.
func (p *Problem) isFault() bool {
	return p.Status == http.StatusInternalServerError || p.Type == kindClock.problem("").Type
}

const unexpected = "this is a fault of the house, not of the request: tell its staff the request id"

func kindOr[R comparable](kinds map[R]kind, r R) kind {
	if k, ok := kinds[r]; ok {
		return k
	}
	return kindRefused
}

func init() {
	// A key in capital letters is another key, as it is in commands.
	huma.ValidateStrictCasing = true
	// huma asks for its errors by these two functions, so that a program can give them another
	// form.
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return foundByHuma(status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		p := foundByHuma(status, message, errs)
		p.Instance = callOf(ctx.Context()).instance()
		return p
	}
}

// foundByHuma returns a problem that huma found while it read a request. The values found are
// not repeated: they may be passwords.
func foundByHuma(status int, message string, errs []error) *Problem {
	k := kindUnexpected
	switch status {
	case http.StatusBadRequest:
		k = kindMalformed
	case http.StatusUnprocessableEntity:
		k = kindInvalid
	case http.StatusRequestEntityTooLarge:
		k = kindTooLarge
	case http.StatusUnsupportedMediaType:
		k = kindMedia
	case http.StatusRequestTimeout:
		k = kindCanceled
	}
	switch {
	case k == kindUnexpected:
		message = unexpected
	case message == "validation failed":
		message = "the request is not as the document describes it: errors says what is wrong, and where"
	}
	p := k.problem(message)
	for _, err := range errs {
		var detailed huma.ErrorDetailer
		if errors.As(err, &detailed) {
			d := detailed.ErrorDetail()
			p.Errors = append(p.Errors, Fault{d.Location, d.Message})
		} else if err != nil && k != kindUnexpected {
			p.Errors = append(p.Errors, Fault{"", err.Error()})
		}
	}
	return p
}
