package console

import (
	"errors"
	"net/http"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/table"
)

// answer is the outcome of a request from the console.
type answer struct {
	status int
	// title is a short text and text a longer one, in the visitor's language. why is the
	// house's error, and clause the provision by which it refused.
	title, text, clause string
	why                 error
	// done says that it was done.
	done bool
}

func (a *answer) code() int {
	if a == nil {
		return http.StatusOK
	}
	return a.status
}

func done(text string) *answer {
	return &answer{status: http.StatusOK, title: text, done: true}
}

// give answers a form: by itself to the page's module, else with a page. What was
// done is shown by the page of home, if there is one, so that it is not sent again.
func (a *answer) give(v *site.Visit, home string, page func() error) error {
	switch {
	case v.Wants(site.FragmentHeader):
		return v.Fragment(saidAnswer(v, a)) // a refusal is no fault of the page
	case a.done && home != "":
		return v.Redirect(home)
	}
	return page()
}

// refused answers a request that may not be carried out. An error that is none of those that a
// person can bring about comes back as it is.
func refused(v *site.Visit, err error) (*answer, error) {
	a := &answer{status: http.StatusConflict, title: v.T("console.not-done"), why: err}
	var rule *table.Refusal
	var refusal *jackpot.Refusal
	var denied *access.Denied
	var short *ledger.Short
	var protects *protection.Refusal
	switch {
	case errors.As(err, &rule):
		a.title, a.why, a.clause = v.T("console.refused"), rule, rule.Clause
	case errors.As(err, &refusal):
		a.title, a.why, a.clause = v.T("console.refused"), refusal, refusal.Clause
	case errors.As(err, &denied):
		a.status, a.title = http.StatusForbidden, v.T("console.denied")
	case errors.As(err, &short):
		a.title = v.T("console.short")
	case errors.As(err, &protects):
	case errors.Is(err, house.ErrVersionMismatch):
		a.status, a.title, a.why = http.StatusPreconditionFailed, v.T("console.moved"), nil
	case errors.Is(err, house.ErrOverloaded), errors.Is(err, house.ErrClosing), errors.Is(err, house.ErrOldRules), errors.Is(err, house.ErrOldProgram), errors.Is(err, house.ErrUnread), errors.Is(err, house.ErrNoProposal), errors.Is(err, house.ErrDecided),
		errors.Is(err, house.ErrSamePerson), errors.Is(err, house.ErrOwnMoney), errors.Is(err, house.ErrNoChange), errors.Is(err, house.ErrUnplayable), errors.Is(err, house.ErrOwnPays),
		errors.Is(err, house.ErrUnattended), errors.Is(err, house.ErrNoClock), errors.Is(err, house.ErrShort),
		errors.Is(err, house.ErrNotStopped), errors.Is(err, house.ErrNoReason), errors.Is(err, house.ErrFixedBet),
		errors.Is(err, house.ErrBadName), errors.Is(err, house.ErrNobody), errors.Is(err, house.ErrNoPlayer), errors.Is(err, house.ErrNoJackpot), errors.Is(err, ledger.ErrMalformed),
		errors.Is(err, house.ErrTableStopped), errors.Is(err, house.ErrCageLimit), errors.Is(err, house.ErrTakesTwo), errors.Is(err, access.ErrMachine),
		errors.Is(err, identity.ErrDependent), errors.Is(err, identity.ErrOutdated), errors.Is(err, identity.ErrNoSession), errors.Is(err, house.ErrNoWager), errors.Is(err, house.ErrBeyondWager),
		errors.Is(err, house.ErrRemediable), errors.Is(err, house.ErrNoRound), errors.Is(err, house.ErrRoundOpen):
	case errors.Is(err, house.ErrNoTable):
		return nil, v.NotFound()
	default:
		return nil, err
	}
	return a, nil
}

// malformed answers a form that was filled in wrongly.
func malformed(v *site.Visit, text string) *answer {
	return &answer{status: http.StatusUnprocessableEntity, title: v.T("console.unclear"), text: text}
}

// reference returns the page of a provision, given with its book: "rws-3cp@3 5.8.6".
func reference(clause string) string {
	book, id, _ := strings.Cut(clause, " ")
	name, _, _ := strings.Cut(book, "@")
	return "/rules/" + name + "/" + id
}
