package house

import (
	"slices"

	"trey/internal/house/access"
	"trey/rules"
	"trey/table"
)

// independent returns nil if one person may approve what the other asked for at a time, as
// [World.Independent] does.
func (h *House) independent(first access.Person, askedMs int64, second access.Person) error {
	if h.world.Independent == nil {
		return nil
	}
	return h.world.Independent(first, askedMs, second)
}

// mayAct returns an error where a person has lost their role or access since they gave a command,
// as [World.Acts] does.
func (h *House) mayAct(by access.Person) error {
	if h.world.Acts == nil || by.Name == "" || by.Name == keeper.Name {
		return nil
	}
	return h.world.Acts(by)
}

// confirms refuses an answer that takes a second person and comes from a machine, or from
// an account that is not independent of the reporter's. It lets a round go on as it is by
// anybody who may answer, so that no table waits for a third person. The table itself
// holds that the answer comes from another person. The table is locked.
func (h *House) confirms(s *tableRunner, o *CommandRequest) error {
	a, answers := o.Do.(table.Answer)
	q := s.state.Question
	if !answers || q == nil || o.By.Name == keeper.Name {
		return nil
	}
	goesOn := slices.ContainsFunc(q.Answers, func(answer rules.Answer) bool {
		return answer.Key == a.Answer && answer.Then == rules.Continue && len(a.Order) == 0
	})
	second := s.state.SecondAnswers()
	switch {
	case q.Key != table.ConfirmFacts && goesOn, !second && !q.Confirmed:
		return nil
	case o.By.Machine:
		return access.ErrMachine
	case !second || q.By.Name == o.By.Name:
		return nil
	}
	return h.independent(access.Person{Name: q.By.Name}, 0, o.By)
}
