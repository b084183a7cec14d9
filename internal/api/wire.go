package api

import (
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/fair"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Event is something that happened at a table, as its reader may know it.
type Event struct {
	Kind string `json:"kind"`
	// Event holds its fields, as they are stored.
	Event any `json:"event"`
	// Told is the event in a sentence; empty for an event that has none.
	Told string `json:"told,omitempty"`
}

// MeterEvent is something that happened to a jackpot.
type MeterEvent struct {
	Kind  string `json:"kind"`
	Event any    `json:"event"`
}

// eventsFor returns the events as a reader may know them, in the words of the rules in force.
func eventsFor(events []house.TableEvent, by *rules.Variant, v table.Viewer) []Event {
	out := make([]Event, len(events))
	for i := range events {
		e := events[i].For(v)
		out[i] = Event{record.TableEvents.Name(e), record.TableEvents.Stored(e), table.Text(e, table.State{Variant: by})}
	}
	return out
}

// meterEventsOf returns the events of a jackpot that everybody may know.
func meterEventsOf(events []house.JackpotEvent) []MeterEvent {
	out := make([]MeterEvent, 0, len(events))
	for i := range events {
		if e := events[i].For(jackpot.Everybody); e != nil {
			out = append(out, MeterEvent{record.JackpotEvents.Name(e), record.JackpotEvents.Stored(e)})
		}
	}
	return out
}

// Meter is a jackpot as everybody may see it.
type Meter struct {
	Name      string         `json:"name"`
	Displayed money.Amount   `json:"displayed" doc:"What the next hit is paid, in minor units."`
	Meter     money.Amount   `json:"meter"`
	Reserve   money.Amount   `json:"reserve" doc:"What was contributed above the ceiling."`
	Terms     jackpot.Terms  `json:"terms"`
	NextTerms *jackpot.Terms `json:"next_terms,omitempty" doc:"The terms that take effect at the next hit."`
	Down      bool           `json:"down,omitempty" doc:"The progressive system is out of order."`
	HitsPaid  int64          `json:"hits_paid" doc:"How many hits were paid, without those whose payment was collected again."`
	Totals    jackpot.Totals `json:"totals"`
}

func meterOf(name string, s *jackpot.State) Meter {
	return Meter{
		Name: name, Displayed: s.Displayed(), Meter: s.Meter, Reserve: s.Reserve, Terms: s.Terms,
		NextTerms: s.NextTerms, Down: s.Down, HitsPaid: s.HitsKept(), Totals: s.Totals,
	}
}

// Move is a command that the table would accept now.
type Move struct {
	Kind string `json:"kind" example:"raise"`
	Body any    `json:"body"`
}

// movesOf returns legal actions as commands. Cards that the engine fills in for a device or a
// person to name are taken out: they would disclose which ones are in the round. So are the
// values of a meter: the house knows what is displayed.
func movesOf(actions []table.Action) []Move {
	moves := make([]Move, 0, len(actions))
	for _, a := range actions {
		a = table.RedactAction(a)
		moves = append(moves, Move{record.Actions.Name(a), record.Actions.Stored(a)})
	}
	return moves
}

// Table is a table as its reader may see it.
type Table struct {
	Name       string         `json:"name" example:"T1"`
	Book       string         `json:"book" example:"rws-3cp@3"`
	Game       string         `json:"game" example:"Three Card Poker"`
	Mode       house.Mode     `json:"mode"`
	Pace       house.Pace     `json:"pace"`
	Equipment  table.Config   `json:"equipment"`
	Jackpot    string         `json:"jackpot,omitempty" doc:"The jackpot it plays for."`
	Version    int64          `json:"version" doc:"Counts what happened at the table; for If-Match."`
	Seq        int64          `json:"seq,omitempty" doc:"The number of the last command that is in the picture."`
	Rules      *rules.Variant `json:"rules" doc:"Limits, pay tables, rulings and terms in force."`
	RulesHash  string         `json:"rules_hash"`
	Picture    table.Picture  `json:"picture"`
	Stopped    bool           `json:"stopped,omitempty" doc:"A fault was found: it takes no commands until a shift manager has released it."`
	Awaited    *Awaited       `json:"awaited,omitempty" doc:"What an automatic table waits for."`
	Warning    *TimeWarning   `json:"warning,omitempty" doc:"Staff have warned the players that their time ends."`
	Next       *NextRules     `json:"next,omitempty" doc:"How it is played from the next round on, where that changes."`
	Commitment *Commitment    `json:"commitment,omitempty"`
}

// Awaited names the next step of an automatic table and its time.
type Awaited struct {
	For     autodealer.Wait `json:"for" example:"bets"`
	SinceMs int64           `json:"since_ms,omitempty" doc:"Since when, in milliseconds of the Unix clock."`
	DueMs   int64           `json:"due_ms,omitempty" doc:"When the house goes on by itself; absent where no clock runs."`
	Ready   []string        `json:"ready,omitempty" doc:"The players who have said that they will do no more."`
}

// TimeWarning is a warning that the players' time ends.
type TimeWarning struct {
	AtMs  int64 `json:"at_ms" doc:"When it was given, in milliseconds of the Unix clock."`
	DueMs int64 `json:"due_ms" doc:"When the time may end at the earliest. Until then, and until it is ended, the warning can be taken back."`
}

// Commitment is the house's promise of a deck.
type Commitment struct {
	Round int        `json:"round"`
	Hash  fair.Hash  `json:"hash" doc:"SHA-256, in hexadecimal digits, of the seed that the round is dealt from."`
	Seeds []fair.Own `json:"seeds,omitempty" doc:"The seeds that players have added to it."`
}

// NextRules holds the rules of a table from its next round on.
type NextRules struct {
	Mode      house.Mode     `json:"mode"`
	Pace      house.Pace     `json:"pace"`
	Rules     *rules.Variant `json:"rules"`
	RulesHash string         `json:"rules_hash"`
}
