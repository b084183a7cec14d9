package house

import (
	"trey/internal/house/access"
	"trey/table"
)

// independent returns nil if one person may approve what the other asks for, as far as
// that depends on who made their accounts.
func (h *House) independent(first, second access.Person) error {
	if h.world.Independent == nil {
		return nil
	}
	return h.world.Independent(first, second)
}

// confirms refuses an answer that confirms the facts of a report and comes from a
// machine, or from an account that is not independent of the reporter's. The table
// itself holds that it comes from another person. The table is locked.
func (h *House) confirms(s *seat, o *Order) error {
	_, answers := o.Do.(table.Answer)
	q := s.state.Question
	if !answers || q == nil || q.Key != table.ConfirmFacts || o.By.Name == keeper.Name {
		return nil
	}
	if o.By.Machine {
		return access.ErrMachine
	}
	return h.independent(access.Person{Name: q.By.Name}, o.By)
}
