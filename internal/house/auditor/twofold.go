package auditor

import (
	"encoding/json"
	"slices"
	"strings"
)

// proposal is a proposed change that takes two people.
type proposal struct {
	ID     int64
	By, Of person
	Kind   string
	Body   json.RawMessage
}

// kind returns the kind without its version.
func (p *proposal) kind() string {
	kind, _, _ := strings.Cut(p.Kind, "/")
	return kind
}

// person is somebody as the record names them: by number, with the role that they had.
type person struct {
	Name, Role string
	Machine    bool
}

// roles are those who may ask for a kind of proposal, and those who may approve it
// (docs/roles.md).
type roles struct{ ask, approve []string }

var (
	onFloor   = roles{[]string{"pit-supervisor", "shift-manager"}, []string{"shift-manager", "cashier"}}
	atCage    = roles{[]string{"cashier"}, []string{"shift-manager", "cashier"}}
	ofAccount = roles{[]string{"shift-manager", "cashier"}, []string{"shift-manager"}}
	ofJackpot = roles{[]string{"pit-supervisor", "shift-manager", "administrator"}, []string{"shift-manager"}}
	mayDecide = map[string]roles{
		"fill": onFloor, "credit": onFloor, "move-cash": atCage, "adjust-account": ofAccount,
		"adjust-jackpot": ofJackpot, "change-terms": ofJackpot, "determine-order": ofJackpot,
		"verify-jackpot": ofJackpot, "deny-jackpot": ofJackpot,
	}
)

// aboutJackpots are the kinds of proposals that an event of a jackpot follows from.
var aboutJackpots = []string{"adjust-jackpot", "change-terms", "determine-order", "verify-jackpot", "deny-jackpot"}

// mayAsk holds whoever asked for something to what their role may ask for.
func (a *Auditor) mayAsk(p *proposal) {
	if !slices.Contains(mayDecide[p.kind()].ask, p.By.Role) {
		a.find("proposal %d for %s is by %s, a %s, who may not ask for it", p.ID, p.Kind, p.By.Name, p.By.Role)
	}
}

// mayApprove holds whoever approved something to what their role may approve: a person, and
// another one than asked for it.
func (a *Auditor) mayApprove(p *proposal) {
	if !slices.Contains(mayDecide[p.kind()].approve, p.By.Role) {
		a.find("proposal %d for %s is approved by %s, a %s, who may not approve it", p.ID, p.Kind, p.By.Name, p.By.Role)
	}
	if p.By.Machine {
		a.find("proposal %d is approved by a machine of %s", p.ID, p.By.Name)
	}
	if strings.EqualFold(p.By.Name, p.Of.Name) {
		a.find("proposal %d is approved by %s, who asked for it", p.ID, p.By.Name)
	}
}

// decision is an event of a jackpot that two people decided upon: which proposal has to be
// approved with it.
type decision struct {
	kind, jackpot string
	by            approvers
	// fits reports whether a proposal is about this.
	fits func(*jackpotBody) bool
}

// jackpotBody is the body of a proposal about a jackpot; each kind has some of the fields.
type jackpotBody struct {
	Jackpot, Pot, Clause string
	Change               int64
	Hit                  hitID
	Payment              int
	Place                place
	Terms                terms
}

// decide notes an event that takes an approved proposal in the same transaction.
func (a *Auditor) decide(kind string, p *jackpotAudit, by approvers, fits func(*jackpotBody) bool) {
	a.decided = append(a.decided, decision{kind, p.name, by, fits})
}

// matched checks what was decided about jackpots in a transaction against the proposals that
// were approved in it: each belongs to the other.
func (a *Auditor) matched() {
	left := slices.Clone(a.agreed)
	for _, d := range a.decided {
		i := slices.IndexFunc(left, func(p proposal) bool {
			body, err := read[jackpotBody](p.Body)
			return err == nil && p.kind() == d.kind && body.Jackpot == d.jackpot && d.fits(&body) && p.Of.Name == d.by.First && p.By.Name == d.by.Second
		})
		if i < 0 {
			a.find("%s of jackpot %s by %q and %q is no proposal of the one that the other has approved", d.kind, d.jackpot, d.by.First, d.by.Second)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, p := range left {
		if slices.Contains(aboutJackpots, p.kind()) {
			a.find("proposal %d for %s is approved, and does nothing", p.ID, p.Kind)
		}
	}
}
