package house

import "encoding/json"

// RedactOwn returns an event of the house's own stream as those may see it who read the
// log, field by field; what is not named is not shown. A new kind does not compile
// before somebody has decided about it. Text takes the cards out of what a fault says.
func RedactOwn(e OwnEvent, text func(string) string) OwnEvent { return e.redacted(text) }

func (e TableInstalled) redacted(func(string) string) OwnEvent {
	return TableInstalled{
		Name: e.Name, Variant: e.Variant, RulesHash: e.RulesHash, Config: e.Config,
		Jackpot: e.Jackpot, Mode: e.Mode, Pace: e.Pace,
	}
}

func (e RulesChanged) redacted(func(string) string) OwnEvent {
	return RulesChanged{
		Table: e.Table, FromRound: e.FromRound, By: e.By, Variant: e.Variant, RulesHash: e.RulesHash,
		Mode: e.Mode, Pace: e.Pace, Before: e.Before,
	}
}

func (e BookDeclared) redacted(func(string) string) OwnEvent {
	return BookDeclared{Book: e.Book, Revision: e.Revision, BookHash: e.BookHash, Declaration: e.Declaration}
}

func (e TermsStated) redacted(func(string) string) OwnEvent {
	return TermsStated{BookHash: e.BookHash, RulesHash: e.RulesHash, Terms: e.Terms}
}

func (e RulesCarriedOver) redacted(func(string) string) OwnEvent {
	return RulesCarriedOver{
		Table: e.Table, FromRound: e.FromRound, Variant: e.Variant, BookHash: e.BookHash, RulesHash: e.RulesHash, Before: e.Before,
	}
}

func (e TableStopped) redacted(text func(string) string) OwnEvent {
	during := e.During
	during.Body = json.RawMessage(text(string(e.During.Body)))
	return TableStopped{Table: e.Table, Round: e.Round, AtMs: e.AtMs, Fault: e.Fault, During: during}
}

func (e TableReleased) redacted(func(string) string) OwnEvent {
	return TableReleased{Table: e.Table, By: e.By, Why: e.Why}
}

func (e Drained) redacted(func(string) string) OwnEvent {
	return Drained{By: e.By, Role: e.Role}
}

func (e Resumed) redacted(func(string) string) OwnEvent {
	return Resumed{By: e.By, Role: e.Role}
}

func (e Proposed) redacted(func(string) string) OwnEvent {
	return Proposed{ID: e.ID, By: e.By, Kind: e.Kind, Body: e.Body, Before: e.Before}
}

func (e Approved) redacted(func(string) string) OwnEvent {
	return Approved{ID: e.ID, By: e.By, Of: e.Of, Kind: e.Kind, Body: e.Body, Before: e.Before, After: e.After}
}

func (e Declined) redacted(func(string) string) OwnEvent {
	return Declined{ID: e.ID, By: e.By, Why: e.Why}
}

func (e Restored) redacted(func(string) string) OwnEvent {
	return Restored{By: e.By, And: e.And, Why: e.Why, Name: e.Name, Through: e.Through, Known: e.Known, Checkpoint: e.Checkpoint}
}
