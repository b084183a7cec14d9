package access

import "errors"

// ErrMachine reports that a machine tried to be the second person.
var ErrMachine = errors.New("a token approves nothing: a person has to sign in and approve this")

// CheckSecond returns nil if the person may approve what takes a permission, and
// otherwise a [*Denied], or [ErrMachine] where it is a machine.
func (p Person) CheckSecond(need Permission) error {
	if err := p.Check(need); err != nil {
		return err
	}
	if p.Machine {
		return ErrMachine
	}
	return nil
}

// harmless are the permissions that move no money, decide nothing at a table and change
// no rules and no people. Every other permission, also one to come, takes two people to
// be given.
var harmless = [numPermissions]bool{
	SeeFloor: true, SeeTable: true, Play: true, SeeOwnAccount: true, SeeProposals: true,
	SeeAccounts: true, ReadReports: true, SeeRatings: true, SearchRounds: true, ReadLog: true, AuditRecord: true, SeeMetrics: true,
}

// TakesTwo reports whether giving the role takes two people: whether it has a permission
// to move money, to decide at a table, or to change rules or people.
func (r Role) TakesTwo() bool {
	for _, p := range Permissions() {
		if r.Can(p) && !harmless[p] {
			return true
		}
	}
	return false
}
