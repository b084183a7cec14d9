package significant

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/journal"
	"trey/internal/house/protection"
	"trey/internal/people"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

// Event is an entry of the register.
type Event struct {
	// Seq is the transaction, and Index the place of the entry among those of the
	// transaction, from 0: together they name it.
	Seq   int64 `json:"seq"`
	Index int   `json:"index"`
	AtMs  int64 `json:"at_ms"`
	Kind  Kind  `json:"kind"`
	// Event is the kind of the event in the record.
	Event string `json:"event"`
	// Where is the table or jackpot, empty for the house.
	Where string `json:"where,omitempty"`
	// By and Role are the person who asked for it.
	By   string `json:"by,omitempty"`
	Role string `json:"role,omitempty"`
	// Consequence says what it changed.
	Consequence string `json:"consequence,omitempty"`
}

// none is the decision that events of a kind are not significant.
const none Kind = 0

// decided are the decisions about the events of each group of streams, by the kind
// under which they are stored. Seeds prove themselves in the records of rounds.
var decided = map[string]map[string]Kind{
	"house": {
		"book-declared": none, "terms-stated": none, // a table that is played by them is significant
		"table-installed": RulesChanged, "rules-changed": RulesChanged, "rules-carried-over": RulesChanged,
		"table-stopped": Interruption, "table-released": Interruption,
		"drained": Floor, "resumed": Floor,
		"proposed": none, // its outcome is significant
		"approved": TwoPeople, "declined": TwoPeople,
		"restored": Restored,
		"moved":    Moved, "arrived": Moved,
		"signing-key-replaced": SigningKey,
		"software-checked":     Software,
		"clock-refused":        Clock, "record-failed": Disk, "stream-late": Delivery,
	},
	identity.Stream: {
		"login-failed": SignInRefused,
		"logged-in":    SignIn, "session-ended": SignIn, "sessions-ended": SignIn,
		"user-added": RoleGiven, "role-changed": RoleGiven, "token-added": RoleGiven,
		"password-set": AccountChanged, "user-disabled": AccountChanged, "user-enabled": AccountChanged, "token-revoked": AccountChanged,
		"second-factor-enrolled": AccountChanged, "second-factor-removed": AccountChanged,
		"second-factor-shown": none, // what it was shown for is significant
		"passkey-added":       AccountChanged, "passkey-removed": AccountChanged, "passkey-refused": SignInRefused,
		"change-proposed": none, "change-declined": TwoPeople, "erasure-agreed": AccountChanged,
	},
	house.NamesStream: {
		"person-numbered": none, // what the person does is significant
		"name-erased":     TwoPeople,
	},
	"protection": {
		"limit-changed": none, "reality-check-answered": none, // players' own affairs
		"time-out-begun": Exclusion, "player-excluded": Exclusion, "play-refused": LimitBroken,
	},
	"table": {
		"table-opened": Floor, "table-closed": Floor, "areas-restricted": Floor,
		"reported":     Interruption, // of those reports that are one
		"round-voided": Void, "hand-invalidated": Void,
		"question-answered": Ruling, "decision-restored": Ruling, "payment-corrected": Ruling, "settlement-undone": Ruling,
		"player-restricted": Exclusion, "player-warned": none,
		"progressive-failed": Meter, "progressive-suspended": Meter, "progressive-restored": Meter,
		"announced": none, "bets-opened": none, "bet-placed": none, "bets-returned": none, "stake-found": none, "minimum-advised": none,
		"bets-closed": none, "cards-dealt": none, "cards-drawn": none, "deal-finished": none, "hand-examined": none, "hand-raised": none,
		"hand-folded": none, "forfeits-collected": none, "hand-shown": none, "hand-kept-down": none, "dealer-shown": none, "settled": none, "box-settled": none,
		"cards-exposed": none, "cards-moved": none, "question-asked": none, "offers-made": none, "offer-answered": none,
	},
	"jackpot": {
		"opened": Meter, "terms-changed": Meter, "adjusted": Meter, "system-went-down": Meter, "system-came-up": Meter,
		"hit-paid": Jackpot, "hit-verified": Jackpot, "hit-reversed": Jackpot,
		"contributed": none, "contributions-reversed": none, "round-closed": none, "round-dealt": none, "round-known": none, "round-determined": none,
		// What is known of a hit before it is paid is for nobody.
		"hit-registered": none, "order-determined": none, "hit-confirmed": none, "hit-forfeited": none, "hit-reinstated": none,
	},
	"deal":   {"seed-committed": none, "commitment-covered": none, "seed-added": none, "seed-revealed": none},
	"sealed": {"seed-sealed": none},
}

// Of returns the entries of a transaction. An error wraps [house.ErrCorrupt].
func Of(e *house.StoredTransaction) ([]Event, error) {
	var all []Event
	for i := range e.Parts {
		group, name, _ := strings.Cut(e.Parts[i].Stream, ":")
		for _, written := range e.Parts[i].Events {
			kind, known := decided[group][stored.Name(written.Kind)]
			if !known {
				return nil, fmt.Errorf("%w: the register of significant events has no decision about %s in %s", house.ErrCorrupt, written.Kind, e.Parts[i].Stream)
			}
			if kind == none {
				continue
			}
			entry := Event{Seq: e.Seq, Index: len(all), AtMs: e.AtMs, Kind: kind, Event: stored.Name(written.Kind), Where: name, By: e.Cause.By, Role: e.Cause.Role}
			listed, err := entry.fill(group, written)
			if err != nil {
				return nil, house.Corrupt(err, "%s in %s", written.Kind, e.Parts[i].Stream)
			}
			if listed {
				entry.Consequence = journal.WithoutCards(entry.Consequence)
				all = append(all, entry)
			}
		}
	}
	return all, nil
}

// fill says what an event changed. It reports whether this event is listed.
func (e *Event) fill(group string, stored house.Event) (listed bool, err error) {
	switch group {
	case "house":
		event, err := house.DecodeOwn(stored)
		if err != nil {
			return false, err
		}
		e.ofHouse(house.RedactOwn(event, journal.WithoutCards))
		return true, nil
	case identity.Stream:
		return true, e.ofPeople(identity.Redact(identity.Stream, stored))
	case house.NamesStream:
		event, err := house.NameEvents.Read(stored)
		if erased, ok := event.(house.NameErased); ok {
			e.setConsequence("the name of %s was erased, by %s and %s: %s", people.Token(erased.Number), erased.By.Name, erased.And.Name, erased.Why)
		}
		return true, err
	case "protection":
		event, err := protection.Read(stored)
		if err == nil {
			e.ofPlayer(event)
		}
		return true, err
	case "table":
		event, err := record.TableEvents.Read(stored)
		if err != nil {
			return false, err
		}
		return e.ofTable(table.Redact(event, table.State{}, table.Viewer{})), nil
	case "jackpot":
		event, err := record.JackpotEvents.Read(stored)
		if err != nil {
			return false, err
		}
		event = jackpot.Redact(event, jackpot.LogReader)
		if event == nil {
			return false, nil
		}
		e.ofJackpot(event)
		return true, nil
	}
	return false, nil
}

func (e *Event) setConsequence(format string, args ...any) {
	e.Consequence = fmt.Sprintf(format, args...)
}

func (e *Event) ofHouse(event house.OwnEvent) {
	switch event := event.(type) {
	case house.TableInstalled:
		e.Where = event.Name
		e.setConsequence("%s (%s), %s", event.Variant, rules.ShortHash(event.RulesHash), event.Mode)
	case house.RulesChanged:
		e.Where = event.Table
		next, before := house.Played{Variant: event.Variant, RulesHash: event.RulesHash, Mode: event.Mode, Pace: event.Pace}, event.Before
		paced := next.Pace != before.Pace
		e.setConsequence("from round %d: %s; before: %s", event.FromRound, played(next, paced), played(before, paced))
	case house.RulesCarriedOver:
		e.Where = event.Table
		e.setConsequence("from round %d: %s (%s), as this program declares the book (%s); before: %s, by the declaration %s", event.FromRound, event.Variant,
			rules.ShortHash(event.RulesHash), rules.ShortHash(event.BookHash), rules.ShortHash(event.Before.RulesHash), rules.ShortHash(event.Before.BookHash))
	case house.BookDeclared, house.TermsStated:
	case house.TableStopped:
		e.Where = event.Table
		e.setConsequence("in round %d, during %s: %s", event.Round, event.During.Kind, event.Fault.Err())
	case house.TableReleased:
		e.Where = event.Table
		e.setConsequence("%s", event.Why)
	case house.Drained:
		e.setConsequence("no new rounds begin")
	case house.Resumed:
		e.setConsequence("rounds begin again")
	case house.Restored:
		e.setConsequence("from transaction %d of %s, of which %d were signed, by %s and %s: %s", event.Through, event.Name, event.Known, event.By.Name, event.And.Name, event.Why)
	case house.Moved:
		e.setConsequence("the house leaves this record, and goes on in a %s: %s", event.Store, event.Why)
	case house.Arrived:
		e.setConsequence("the house goes on in this %s", event.Store)
	case house.SigningKeyReplaced:
		e.setConsequence("the key %s signs from here on; before: %s", event.Key, event.Before)
	case house.Approved:
		e.setConsequence("proposal %d, %s, of %s: approved", event.ID, stored.Name(event.Kind), event.Of.Name)
	case house.Declined:
		e.setConsequence("proposal %d: declined", event.ID)
		if event.Why != "" {
			e.Consequence += ": " + event.Why
		}
	case house.SoftwareChecked:
		e.setConsequence("%s, program %s", event.Version, event.Program)
		if len(event.Changed) > 0 {
			e.Consequence += ": changed: " + strings.Join(event.Changed, ", ")
		}
		for _, changed := range event.Changed {
			if name, of := strings.CutPrefix(changed, "setting "); of {
				e.Consequence += fmt.Sprintf("; %s is now %q", name, event.Settings[name])
			}
		}
	case house.ClockRefused:
		e.setConsequence("a reading of the machine's clock %d ms ahead was not taken", event.AheadMs)
	case house.RecordFailed:
		at := "at a time that is not known"
		if event.FailedMs != 0 {
			at = "at " + time.UnixMilli(event.FailedMs).UTC().Format(time.RFC3339)
		}
		e.setConsequence("%s the record could not be written, and the house closed", at)
	case house.StreamLate:
		e.setConsequence("events wait since %s to be sent to another machine, which has taken those up to transaction %d", time.UnixMilli(event.SinceMs).UTC().Format(time.RFC3339), event.Through)
	case house.Proposed:
	}
}

// played says how a table is played and run, and at which pace if that is asked for.
func played(p house.Played, paced bool) string {
	text := fmt.Sprintf("%s (%s), %s", p.Variant, rules.ShortHash(p.RulesHash), p.Mode)
	if paced {
		text += fmt.Sprintf(", betting %d ms, decisions %d ms, options %d ms, deal %d ms, show %d ms",
			p.Pace.BettingMs, p.Pace.DecisionMs, p.Pace.OptionMs, p.Pace.DealMs, p.Pace.ShowMs)
	}
	return text
}

// ofPeople says whom a change of users concerned. The event holds nothing secret.
func (e *Event) ofPeople(stored house.Event) error {
	var about struct {
		Name    string `json:"name"`
		Role    string `json:"role"`
		From    string `json:"from"`
		Address string `json:"address"`
		AskedBy string `json:"asked_by"`
		Passkey string `json:"passkey"`
		Label   string `json:"label"`
		Why     string `json:"why"`
		Because string `json:"because"`
		// Unrecorded is the number of failures before it that are not recorded.
		Unrecorded int64 `json:"unrecorded"`
	}
	if err := json.Unmarshal(stored.Body, &about); err != nil {
		return err
	}
	parts := []string{about.Name, about.Role}
	if about.From != "" {
		parts = append(parts, "before "+about.From)
	}
	if about.Label != "" {
		parts = append(parts, fmt.Sprintf("passkey %s %q", about.Passkey, about.Label))
	}
	if about.Address != "" {
		parts = append(parts, "from "+about.Address)
	}
	if about.Unrecorded > 0 {
		parts = append(parts, fmt.Sprintf("%d before it are not recorded", about.Unrecorded))
	}
	if about.AskedBy != "" {
		parts = append(parts, "asked for by "+about.AskedBy)
	}
	e.Consequence = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
	if reason := cmp.Or(about.Why, identity.Reason(about.Because)); reason != "" {
		e.Consequence += ": " + reason
	}
	return nil
}

func (e *Event) ofPlayer(event protection.Event) {
	switch event := event.(type) {
	case protection.TimeOutBegun:
		e.setConsequence("%s: a time-out of %d minutes", event.Player, (event.UntilMs-e.AtMs)/60_000)
	case protection.PlayerExcluded:
		e.setConsequence("%s: excluded by %s", event.Player, event.By)
		if event.Why != "" {
			e.Consequence += ": " + event.Why
		}
	case protection.PlayRefused:
		e.setConsequence("a bet or a deposit of %s was refused: %s", event.Player, event.Reason)
		if event.Limit != nil {
			e.Consequence += fmt.Sprintf(" (%s, %s)", event.Limit.Kind, event.Limit.Period)
		}
	case protection.LimitChanged, protection.CheckAnswered:
	}
}

func (e *Event) ofTable(event table.Event) (listed bool) {
	switch event := event.(type) {
	case table.Reported:
		if event.Report.Incident != rules.TechnicalInterruption && event.Report.Incident != rules.ProgressiveDown {
			return false
		}
		e.setConsequence("%s: %s (%s)", event.Report.Incident, event.Outcome, event.Clause)
	case table.TableClosed:
		e.setConsequence("%s", event.Clause)
	case table.RoundVoided:
		e.setConsequence("the round is void (%s)", event.Clause)
	case table.HandInvalidated:
		e.setConsequence("the hand of box %d does not count (%s)", event.Box, event.Clause)
	case table.QuestionAnswered:
		e.setConsequence("%s: %s (%s)", event.Key, event.Answer, event.Clause)
	case table.DecisionRestored:
		e.setConsequence("the decision of box %d is undone (%s)", event.Box, event.Clause)
	case table.PaymentCorrected:
		e.setConsequence("a payment is corrected (%s)", event.Clause)
		for i := range event.Lines {
			l := &event.Lines[i]
			if l.Reverses != 0 {
				e.Consequence += fmt.Sprintf("; %s for %s at box %d is collected from %s", l.Reverses.Display(), l.Wager, l.Box, l.Player)
			} else {
				e.Consequence += fmt.Sprintf("; %s for %s at box %d is awarded to %s", l.Pays.Display(), l.Wager, l.Box, l.Player)
			}
		}
	case table.SettlementUndone:
		e.setConsequence("the settlement of box %d is undone (%s)", event.Box, event.Clause)
	case table.PlayerRestricted:
		e.setConsequence("%s, lifted: %t (%s)", event.Player, event.Lift, event.Clause)
	case table.AreasRestricted:
		e.setConsequence("to %d wagers (%s)", event.Max, event.Clause)
	case table.ProgressiveFailed:
		if event.Registered == 0 {
			e.setConsequence("devices of this table (%s)", event.Clause)
		} else {
			e.setConsequence("registered %s (%s)", event.Registered.Display(), event.Clause)
		}
	case table.ProgressiveSuspended:
		e.setConsequence("%s (%s)", event.Option, event.Clause)
	}
	return true
}

func (e *Event) ofJackpot(event jackpot.Event) {
	switch event := event.(type) {
	case jackpot.Opened:
		e.setConsequence("the meter shows %s", event.Meter.Display())
	case jackpot.TermsChanged:
		e.setConsequence("from the next hit on %s, approved by %s and %s", termsText(&event.After), event.Approvers.First, event.Approvers.Second)
	case jackpot.Adjusted:
		e.setConsequence("%s: %s to %s, for %s, approved by %s and %s", event.Pot, event.Before.Display(), event.After.Display(), event.Cause, event.Approvers.First, event.Approvers.Second)
	case jackpot.SystemWentDown:
		e.setConsequence("the meter shows %s", event.Registered.Display())
	case jackpot.SystemCameUp:
		e.setConsequence("the meter shows %s", event.Displayed.Display())
	case jackpot.HitPaid:
		e.setConsequence("paid %s to %s; the meter shows %s", event.Amount.Display(), event.Hit, event.After.Meter.Display())
		if event.Held {
			e.Consequence += "; the sum is held until two people have verified the hit"
		}
		if event.NewTerms != nil {
			e.Consequence += "; from now on " + termsText(event.NewTerms)
		}
	case jackpot.HitVerified:
		e.setConsequence("%s of %s verified by %s and %s", event.Amount.Display(), event.Hit, event.Approvers.First, event.Approvers.Second)
	case jackpot.HitReversed:
		if event.Clause != "" {
			e.setConsequence("%s of %s denied (%s) by %s and %s; the meter shows %s", event.Amount.Display(), event.Hit, event.Clause, event.Approvers.First, event.Approvers.Second, event.After.Meter.Display())
			return
		}
		e.setConsequence("%s of %s taken back: %s; the meter shows %s", event.Amount.Display(), event.Hit, event.Cause, event.After.Meter.Display())
	}
}

// termsText names the figures of a jackpot's terms that can change.
func termsText(t *jackpot.Terms) string {
	verified := "no hit verified"
	if t.VerifyFrom > 0 {
		verified = "hits verified from " + t.VerifyFrom.Display()
	}
	return fmt.Sprintf("reset %s, rate %d/%d, ceiling %s, overflow %s, %s",
		t.Reset.Display(), t.Rate.Num, t.Rate.Den, t.Ceiling.Display(), t.Overflow, verified)
}

// Record is the record. A house's store is one.
type Record interface {
	// ReadAll hands out whole transactions in the order of their numbers, those
	// after a number; see [house.Store].
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
}

// Newest returns the newest entries of a kind, or of all for zero, the newest first. They are
// from before the given transaction, or from the newest if it is zero. It returns as many as
// the limit, and completes each transaction. It reports whether there are older ones.
func Newest(ctx context.Context, record Record, kind Kind, before int64, limit int) (newest []Event, more bool, err error) {
	var kept [][]Event // of each transaction
	count := 0
	err = record.ReadAll(ctx, 0, "", func(e house.StoredTransaction) error {
		if before != 0 && e.Seq >= before {
			return nil
		}
		all, err := Of(&e)
		if err != nil {
			return err
		}
		if kind != 0 {
			all = slices.DeleteFunc(all, func(e Event) bool { return e.Kind != kind })
		}
		if len(all) > 0 {
			kept, count = append(kept, all), count+len(all)
		}
		for len(kept) > 1 && count-len(kept[0]) >= limit {
			count, kept, more = count-len(kept[0]), kept[1:], true
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, false, err
	}
	newest = slices.Concat(kept...)
	slices.Reverse(newest)
	return newest, more, nil
}
