package house

import (
	"encoding/json"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/money"
)

// OwnEvent is something that was decided about the house itself: what stands in
// its own stream. The events are the structs in [OwnEvents] and no others.
type OwnEvent interface {
	// ownKind is the kind under which the event is stored.
	ownKind() string
	// redacted returns what those who read the log may see of it; text takes cards out of
	// what a program wrote.
	redacted(text func(string) string) OwnEvent
}

// TableInstalled puts a table on the floor, with everything that its rounds are
// played by.
type TableInstalled struct {
	Name string `json:"table"`
	// Variant is the name of the rules.
	Variant string `json:"variant"`
	// RulesHash is the hash of the rules: that of terms which were stated before.
	RulesHash string           `json:"rules_hash"`
	Config    record.Equipment `json:"config"`
	Jackpot   string           `json:"jackpot,omitempty"`
	Mode      Mode             `json:"mode"`
	Pace      Pace             `json:"pace,omitzero"`
}

// RulesChanged says how a table is played and run from a round on.
type RulesChanged struct {
	Table string `json:"table"`
	// FromRound is the first round of it.
	FromRound int           `json:"from_round"`
	By        access.Person `json:"by"`
	Variant   string        `json:"variant"`
	RulesHash string        `json:"rules_hash"`
	Mode      Mode          `json:"mode"`
	Pace      Pace          `json:"pace,omitzero"`
	// Before is the setting that would have been in force otherwise.
	Before Played `json:"before"`
}

// Played names how a table is played and run.
type Played struct {
	Variant   string `json:"variant"`
	RulesHash string `json:"rules_hash"`
	Mode      Mode   `json:"mode"`
	Pace      Pace   `json:"pace,omitzero"`
}

// TableStopped says that a table takes no commands. Its record or its money violates an
// invariant, which is a fault of the program and of nobody at the table.
type TableStopped struct {
	Table string `json:"table"`
	Round int    `json:"round"`
	AtMs  int64  `json:"at_ms"`
	// Fault is the invariant that is violated.
	Fault Fault `json:"fault"`
	// During is the command that found it.
	During Cause `json:"during"`
}

// TableReleased lets a table that was stopped play on.
type TableReleased struct {
	Table string        `json:"table"`
	By    access.Person `json:"by"`
	Why   string        `json:"why"`
}

// Drained says that no new rounds begin. By and Role are a person's, or those of
// the house itself where it closes down.
type Drained struct {
	By   string `json:"by"`
	Role string `json:"role"`
}

// Resumed says that rounds begin again.
type Resumed struct {
	By   string `json:"by"`
	Role string `json:"role"`
}

// Proposed says that somebody asked for what takes two people.
type Proposed struct {
	ID   int64           `json:"id"`
	By   access.Person   `json:"by"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	// Before are the balances of the accounts concerned when it was asked for.
	Before []Figure `json:"before,omitempty"`
}

// Approved says that somebody else agreed, and that it was done.
type Approved struct {
	ID   int64           `json:"id"`
	By   access.Person   `json:"by"`
	Of   access.Person   `json:"of"` // who asked for it
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	// Before are the balances of the accounts concerned when it was approved.
	Before []Figure `json:"before,omitempty"`
	// After are the balances of the same accounts once it was done.
	After []Figure `json:"after,omitempty"`
}

// Proposal returns what was asked for.
func (e Proposed) Proposal() (Proposal, error) { return readProposal(e.Kind, e.Body) }

// Proposal returns what was agreed.
func (e Approved) Proposal() (Proposal, error) { return readProposal(e.Kind, e.Body) }

// readProposal reads a proposal that was recorded. An error wraps [ErrCorrupt].
func readProposal(kind string, body []byte) (Proposal, error) {
	p, err := Proposals.Read(Event{Kind: kind, Body: body})
	if err != nil {
		return nil, Corrupt(err, "")
	}
	return p, nil
}

// Declined says that a proposal was turned down or taken back.
type Declined struct {
	ID  int64         `json:"id"`
	By  access.Person `json:"by"`
	Why string        `json:"why"`
}

// Figure is the balance of an account at a moment.
type Figure struct {
	Account ledger.Account `json:"account"`
	Holds   money.Amount   `json:"holds"`
}

func (TableInstalled) ownKind() string { return "table-installed" }
func (RulesChanged) ownKind() string   { return "rules-changed" }
func (TableStopped) ownKind() string   { return "table-stopped" }
func (TableReleased) ownKind() string  { return "table-released" }
func (Drained) ownKind() string        { return "drained" }
func (Resumed) ownKind() string        { return "resumed" }
func (Proposed) ownKind() string       { return "proposed" }
func (Approved) ownKind() string       { return "approved" }
func (Declined) ownKind() string       { return "declined" }
func (Restored) ownKind() string       { return "restored" }

// OwnEvents are the kinds of events of the house's own stream, which are stored as they
// are.
var OwnEvents = stored.NewTable(
	"event",
	eventKind[TableInstalled](),
	eventKind[RulesChanged](),
	eventKind[TableStopped](),
	eventKind[TableReleased](),
	eventKind[Drained](),
	eventKind[Resumed](),
	eventKind[Proposed](),
	eventKind[Approved](),
	eventKind[Declined](),
	eventKind[Restored](),
	stored.Own[OwnEvent, SoftwareChecked](SoftwareChecked{}.ownKind(), stored.From(softwareChecked1.next)),
	eventKind[ClockRefused](),
	eventKind[RecordFailed](),
	eventKind[StreamLate](),
	eventKind[BookDeclared](),
	eventKind[TermsStated](),
	eventKind[RulesCarriedOver](),
	eventKind[Moved](),
	eventKind[Arrived](),
	eventKind[SigningKeyReplaced](),
)

func eventKind[E OwnEvent]() stored.Kind[OwnEvent] {
	var e E
	return stored.Own[OwnEvent, E](e.ownKind())
}

// DecodeOwn reads an event of the house's own stream. An error wraps [ErrCorrupt].
func DecodeOwn(e Event) (OwnEvent, error) {
	read, err := OwnEvents.Read(e)
	if err != nil {
		return nil, Corrupt(err, "")
	}
	return read, nil
}

func (t *Table) installed() TableInstalled {
	return TableInstalled{
		Name: t.Name, Variant: t.Variant.ID, RulesHash: t.Variant.Hash(),
		Config: record.EquipmentOf(t.Config), Jackpot: t.Jackpot, Mode: t.Mode, Pace: t.Pace,
	}
}

// table returns the table with its rules, which are recorded before it.
func (e TableInstalled) table(known *recordedRules) (Table, error) {
	v, err := known.rules(e.RulesHash, e.Variant)
	if err != nil {
		return Table{}, Corrupt(err, "table %s", e.Name)
	}
	return Table{Name: e.Name, Variant: v, Config: e.Config.Engine(), Jackpot: e.Jackpot, Mode: e.Mode, Pace: e.Pace}, nil
}
