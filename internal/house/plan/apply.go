package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/table"
)

// Step is one change to a table that brings a house to its plan, or one that a person still has
// to make.
type Step struct {
	Table string
	// Did says it in words; it follows the name of the table.
	Did string
	// Waits reports whether it is made when every machine of the house reads the rules.
	Waits bool
}

// Waiting reports whether one of the steps waits for a machine.
func Waiting(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Waits })
}

// The writer of the plan acts in two functions: one puts tables on the floor, the other opens,
// closes and changes them. The record names the configuration.
var (
	installs = access.Person{Name: "the configuration", Role: access.Administrator}
	manages  = access.Person{Name: "the configuration", Role: access.ShiftManager}
)

// Apply brings the tables of a house to the plan. It opens new tables. Tables with other rules,
// mode or pace change from the next round on. Tables that the plan no longer has are closed,
// never removed. It is for a house that nobody plays in yet, before its autodealer begins. The
// equipment and the jackpot of a table never change, and neither do a jackpot's terms: another
// value in the plan is an error. The other tables are brought to the plan all the same.
func (p *Plan) Apply(ctx context.Context, h *house.House) ([]Step, error) {
	there := h.Tables()
	steps, errs := p.bringTables(ctx, h, func(string) bool { return true })
	for _, name := range there {
		if slices.ContainsFunc(p.Tables, func(t house.Table) bool { return t.Name == name }) {
			continue
		}
		did, err := retire(ctx, h, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("table %s: %w", name, err))
		}
		steps = append(steps, Step{Table: name, Did: did})
	}
	return steps, errors.Join(errs...)
}

// ApplyWaiting brings those tables to the plan that waited before.
func (p *Plan) ApplyWaiting(ctx context.Context, h *house.House, before []Step) ([]Step, error) {
	steps, errs := p.bringTables(ctx, h, func(name string) bool {
		return slices.ContainsFunc(before, func(s Step) bool { return s.Waits && s.Table == name })
	})
	return steps, errors.Join(errs...)
}

// bringTables puts the tables of the plan that are asked for on the floor, or changes them.
func (p *Plan) bringTables(ctx context.Context, h *house.House, asked func(name string) bool) (steps []Step, errs []error) {
	there := h.Tables()
	for i := range p.Tables {
		t := &p.Tables[i]
		if !asked(t.Name) {
			continue
		}
		did := "is put on the floor"
		var err error
		if slices.Contains(there, t.Name) {
			did, err = bring(ctx, h, t)
		} else {
			err = h.Install(ctx, *t, installs)
		}
		switch {
		case errors.Is(err, house.ErrUnread):
			steps = append(steps, Step{Table: t.Name, Did: "is not brought to the configuration yet: " + err.Error(), Waits: true})
		case err != nil:
			errs = append(errs, fmt.Errorf("tables.%s: %w", t.Name, err))
		case did != "":
			steps = append(steps, Step{Table: t.Name, Did: did})
		}
	}
	return steps, errs
}

// bring changes a table that is on the floor to what the plan has.
func bring(ctx context.Context, h *house.House, t *house.Table) (did string, err error) {
	s, err := h.Status(t.Name)
	if err != nil {
		return "", err
	}
	config := s.Table
	if s.Next != nil {
		config = *s.Next
	}
	switch {
	case config.Variant.Book.Ref() != t.Variant.Book.Ref():
		return "", fmt.Errorf("it plays %s, and a table keeps its book: give the one that plays %s another name", config.Variant.Book.Ref(), t.Variant.Book.Ref())
	case config.Config != t.Config:
		return "", errors.New("it has other equipment, which a table keeps: give the one with this equipment another name")
	case config.Jackpot != t.Jackpot:
		return "", fmt.Errorf("it plays for %s, and a table keeps its jackpot: give the one that plays for %s another name", words(config.Jackpot), words(t.Jackpot))
	}
	var c house.Change
	if config.Variant.Hash() != t.Variant.Hash() || config.Variant.ID != t.Variant.ID {
		c.Variant = t.Variant
	}
	if config.Mode != t.Mode {
		c.Mode = t.Mode
	}
	if config.Pace != t.Pace {
		c.Pace = &t.Pace
	}
	if c == (house.Change{}) {
		if s.State.Phase() == table.Closed {
			return "is closed: a pit supervisor opens it", nil
		}
		return "", nil
	}
	c.Configured = true
	from, err := h.Change(ctx, "", manages, t.Name, c)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("is changed from round %d on", from), nil
}

func words(jackpot string) string {
	if jackpot == "" {
		return "no jackpot"
	}
	return jackpot
}

// retire closes a table that the plan does not have. One with a round in play
// finishes it, and then begins no other by itself.
func retire(ctx context.Context, h *house.House, name string) (did string, err error) {
	s, err := h.Status(name)
	switch {
	case err != nil:
		return "", err
	case s.State.Phase() == table.Closed:
		return "is not in the configuration, and closed", nil
	}
	err = do(ctx, h, name, table.CloseTable{})
	var refusal *table.Refusal
	if err == nil {
		return "is not in the configuration any more: it is closed, and its record stays", nil
	}
	if !errors.As(err, &refusal) {
		return "is not in the configuration any more, and cannot be closed", err
	}
	if _, err := h.Change(ctx, "", manages, name, house.Change{Mode: house.DealerRun}); err != nil && !errors.Is(err, house.ErrNoChange) {
		return "is not in the configuration any more", err
	}
	return "is not in the configuration any more, and has a round in play: it is finished, and then a pit supervisor closes the table", nil
}

func do(ctx context.Context, h *house.House, name string, what table.Action) error {
	_, err := h.Do(ctx, house.CommandRequest{Table: name, By: manages, Do: what})
	return err
}
