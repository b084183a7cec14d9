package access

import (
	"strings"

	"trey/sentence"
	"trey/table"
)

// Person is somebody whose name and role the house knows.
type Person struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Machine reports whether they came in by a token. A machine approves nothing.
	Machine bool `json:"machine,omitempty"`
}

// Actor returns the person as a table sees them.
func (p Person) Actor() table.Actor { return table.Actor{Name: p.Name, Role: p.Role.AtTable()} }

// Check returns nil if the person has a permission, and otherwise a [*Denied].
func (p Person) Check(need Permission) error {
	if p.Role.Can(need) {
		return nil
	}
	return &Denied{Person: p, Need: need}
}

// CheckAction returns nil if the person may ask for an action at a table, and
// otherwise a [*Denied]. Whether the table allows it now, the table says.
func (p Person) CheckAction(a table.Action) error { return p.Check(ForAction(p, a)) }

// Own returns an action as the person means it: a player who names no player means themselves.
// An action of staff stays as it is, for they act for others.
func (p Person) Own(a table.Action) table.Action {
	if !p.Role.Can(Play) {
		return a
	}
	forPlayer := func(player *string) {
		if *player == "" {
			*player = p.Name
		}
	}
	switch a := a.(type) {
	case table.Bet:
		forPlayer(&a.Player)
		return a
	case table.Withdraw:
		forPlayer(&a.Player)
		return a
	case table.Examine:
		forPlayer(&a.Player)
		return a
	case table.Raise:
		forPlayer(&a.Player)
		return a
	case table.Fold:
		forPlayer(&a.Player)
		return a
	case table.Choose:
		forPlayer(&a.Player)
		return a
	case table.AskWithdrawal:
		forPlayer(&a.Player)
		return a
	}
	return a
}

// ForAction returns the permission that a person needs for an action at a table. A player who
// acts for themselves plays; staff who act for them do not. No staff role may play: a dealer
// who names themselves as the player asks for what players do.
func ForAction(by Person, a table.Action) Permission {
	self := func(player string) bool { return player != "" && strings.EqualFold(player, by.Name) }
	onBox := func(player string, staff Permission) Permission {
		if by.Role.Can(Play) || self(player) {
			return Play
		}
		return staff
	}
	switch a := a.(type) {
	case table.Bet:
		return onBox(a.Player, EnterBets)
	case table.Withdraw:
		return onBox(a.Player, EnterBets)
	case table.Examine:
		return onBox(a.Player, EnterBets)
	case table.Raise:
		return onBox(a.Player, EnterBets)
	case table.Fold:
		return onBox(a.Player, EnterBets)
	case table.Choose:
		return onBox(a.Player, EnterBets)
	case table.AskWithdrawal:
		return onBox(a.Player, EnterBets)
	case table.LayUp:
		// It names no player: the hand is with whoever examined it.
		return onBox("", DealTable)
	case table.Found:
		if !by.Role.Can(Play) && self(a.Player) {
			return Play // Chips of their own are a bet of their own, however it is entered.
		}
		return DealTable
	case table.OpenBets, table.CloseBets, table.Deal, table.FinishDeal,
		table.Show, table.KeepDown, table.Reveal, table.Settle, table.Expire:
		return DealTable
	case table.Report:
		return ReportIrregularity
	case table.Answer:
		return AnswerQuestion
	case table.RestrictPlayer, table.RestrictAreas:
		return RestrictPlay
	case table.SuspendProgressive, table.RestoreProgressive:
		return SuspendProgressive
	case table.OpenTable, table.CloseTable:
		return OpenTable
	}
	return 0
}

// Denied reports that a person's role may not do what they asked for. It is a normal answer,
// and nothing has changed.
type Denied struct {
	Person Person
	Need   Permission
}

// Error says who may not do what, and who may.
func (d *Denied) Error() string { return d.Sentence().String() }

// Sentence returns the text of Error, with its words and their arguments kept apart.
func (d *Denied) Sentence() sentence.Sentence {
	word := func(r Role) sentence.Word { return sentence.Word(r.Words()) }
	role, what := sentence.Of("%s", word(d.Person.Role)), sentence.Word(d.Need.Words())
	if d.Person.Name != "" {
		role = sentence.Of("%s, %s,", d.Person.Name, word(d.Person.Role))
	}
	holders := d.Need.Holders()
	n := len(holders)
	if n == 0 {
		return sentence.Of("%s may not %s: nobody may", role, what)
	}
	words := make([]sentence.Word, n)
	for i, r := range holders {
		words[i] = word(r)
	}
	may := sentence.Of("%s", words[n-1])
	if n > 1 {
		may = sentence.Of("%s or %s", sentence.Some(", ", words[:n-1]), words[n-1])
	}
	return sentence.Of("%s may not %s: that takes %s", role, what, may)
}
