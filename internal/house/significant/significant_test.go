package significant_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/house/significant"
	"trey/internal/record"
	"trey/jackpot"
	"trey/rules"
)

// kinds returns the events that each stream of a record can hold.
func kinds() map[string][]string {
	return map[string][]string{
		"house": house.OwnEvents.Names(), identity.Stream: identity.Events.Names(), "table:A": record.TableEvents.Names(), "jackpot:linked": record.JackpotEvents.Names(),
		"deal:A":     {fair.Committed{}.Kind(), fair.Covered{}.Kind(), fair.Added{}.Kind(), fair.Revealed{}.Kind()},
		"sealed:A":   {fair.Sealed{}.Kind()},
		"protection": protection.Events.Names(),
		"names":      house.NameEvents.Names(),
	}
}

func of(stream string, e house.Event) ([]significant.Event, error) {
	return significant.Of(&house.StoredTransaction{Seq: 7, AtMs: 1000, Cause: house.Cause{By: "sue", Role: "shift-manager"}, Parts: []house.StreamAppend{{Stream: stream, Events: []house.Event{e}}}})
}

func stored(t *testing.T, kind string, v any) house.Event {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return house.Event{Kind: kind, Body: body}
}

// Every kind of event that a record can hold is decided significant or not, and there
// is no decision about a kind that does not exist.
func TestEveryKindIsDecided(t *testing.T) {
	groups := map[string]bool{}
	for stream, known := range kinds() {
		group, _, _ := strings.Cut(stream, ":")
		groups[group] = true
		decided := significant.Decided(group)
		for _, kind := range known {
			if !slices.Contains(decided, kind) {
				t.Errorf("nobody has decided whether %s is significant: add it to %q of decided in significant.go, with its kind or none", kind, group)
			}
		}
		for _, kind := range decided {
			if !slices.Contains(known, kind) {
				t.Errorf("decided in significant.go names %s in %q, and there is no such event", kind, group)
			}
		}
	}
	for _, group := range significant.Groups() {
		if !groups[group] {
			t.Errorf("decisions are about %s, which no record has", group)
		}
	}
}

// wordless are the events whose kind says everything.
var wordless = map[string]bool{"table-opened": true, "progressive-restored": true}

// Each event of the house, its tables and its jackpots that is significant says what it
// changed, and one that names its table says where it was.
func TestEveryEntryNamesWhatItChanged(t *testing.T) {
	examples, err := housetest.Examples("../../record/testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, example := range examples {
		if !slices.Contains(significant.Groups(), example.Group) || !slices.Contains(significant.Decided(example.Group), example.Kind) {
			continue // a command, or an earlier version
		}
		all, err := of(example.Group, example.Event())
		if err != nil {
			t.Errorf("%s: %v", example.Kind, err)
		}
		for _, e := range all {
			listed++
			if e.Consequence == "" && !wordless[e.Event] {
				t.Errorf("the entry of %s does not say what it changed: add the event to fill in significant.go, or to the functions that it calls", e.Event)
			}
			if e.Where == "" && example.Group == "house" && bytes.Contains(example.Body, []byte(`"table":`)) {
				t.Errorf("the entry of %s does not say at which table it was", e.Event)
			}
		}
	}
	if listed < 40 {
		t.Errorf("only %d examples are in the register", listed)
	}
}

// An event that nobody has decided about is an error and not silence.
func TestAnUndecidedEventIsAnError(t *testing.T) {
	for _, stream := range []string{"house", "people", "protection", "table:A", "jackpot:linked", "deal:A", "sealed:A", "vault", ""} {
		if all, err := of(stream, house.Event{Kind: "vault-opened", Body: []byte(`{}`)}); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("of %q: %v, %v", stream, all, err)
		}
	}
}

// Each kind of the register has its key, and at least one event leads to it.
func TestTheRegisterIsClosed(t *testing.T) {
	used := map[significant.Kind]bool{}
	for _, group := range significant.Groups() {
		for _, kind := range significant.KindsOf(group) {
			used[kind] = true
		}
	}
	for _, kind := range significant.Kinds() {
		text, err := kind.MarshalText()
		again, parseErr := significant.ParseKind(string(text))
		if err != nil || parseErr != nil || again != kind || kind.String() == "unknown" {
			t.Errorf("%d is %s and is read as %v, %v, %v", kind, text, again, err, parseErr)
		}
		if !used[kind] {
			t.Errorf("nothing leads to %s", kind)
		}
	}
	if _, err := significant.ParseKind("vault"); !errors.Is(err, significant.ErrKind) {
		t.Errorf("a kind that there is not is read: %v", err)
	}
}

// An entry says when, who, where and what follows, and nothing that is secret.
func TestEntries(t *testing.T) {
	sue := access.Person{Name: "sue", Role: access.ShiftManager}
	written := func(e jackpot.Event) house.Event {
		t.Helper()
		event, err := record.JackpotEvents.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		return event
	}
	hit := jackpot.HitID{Table: "A", Round: "3", Box: 2}
	two := jackpot.Approvers{First: "pat", Second: "sue"}
	terms := jackpot.Demonstration()
	terms.VerifyFrom = 777_00
	paid := written(jackpot.HitPaid{Hit: hit, Amount: 1_234_500, After: jackpot.Balance{Meter: 1_000_000}})
	held := written(jackpot.HitPaid{Hit: hit, Amount: 1_234_500, Winner: "ann", Held: true, NewTerms: &terms, After: jackpot.Balance{Meter: 1_000_000}})
	denied := written(jackpot.HitReversed{
		Hit: hit, Cause: jackpot.ForfeitMisreported, Amount: 1_234_500, ToMeter: 1_234_500, ResetToHouse: 1_000_000,
		Payable: "ann", Clause: "rws-3cp@3 5.15", Approvers: two, After: jackpot.Balance{Meter: 1_234_700},
	})
	changed := written(jackpot.TermsChanged{Before: jackpot.Demonstration(), After: terms, FixedReturn: jackpot.FixedReturn{Num: 1, Den: 1}, Approvers: two})
	for _, test := range []struct {
		stream string
		event  house.Event
		kind   significant.Kind
		where  string
		has    []string
	}{
		{"people", stored(t, "login-failed", map[string]any{"address": "192.0.2.7", "by": "", "because": "wrong-password", "unrecorded": 25}), significant.SignInRefused, "", []string{"192.0.2.7", "the password is wrong", "25 before"}},
		{"people", stored(t, "user-added", map[string]string{"name": "zoe", "role": "dealer", "hash": "$argon2id$x", "by": "sue", "why": "new"}), significant.RoleGiven, "", []string{"zoe", "dealer"}},
		{"names", stored(t, "name-erased", house.NameErased{Number: 17, By: sue, And: access.Person{Name: "ada", Role: access.Administrator}, Why: "as asked for"}), significant.TwoPeople, "", []string{"#17", "sue", "ada", "as asked for"}},
		{"protection", stored(t, "player-excluded", protection.PlayerExcluded{Player: "ann", By: "ann"}), significant.Exclusion, "", []string{"ann"}},
		{"protection", stored(t, "play-refused", protection.PlayRefused{Player: "ann", Reason: protection.LimitReached, Limit: &protection.Key{Kind: protection.Loss, Period: protection.Week}}), significant.LimitBroken, "", []string{"ann", "limit-reached", "loss", "week"}},
		{"protection", stored(t, "time-out-begun", protection.TimeOutBegun{Player: "ann", UntilMs: 1000 + 90*60_000}), significant.Exclusion, "", []string{"ann", "90 minutes"}},
		{"house", stored(t, "rules-changed", house.RulesChanged{Table: "A", FromRound: 3, By: sue, Variant: "v", RulesHash: "h2", Mode: house.Automatic, Before: house.Played{Variant: "v", RulesHash: "h1", Mode: house.Automatic}}), significant.RulesChanged, "A", []string{"round 3", "h1", "h2"}},
		{"house", stored(t, "table-stopped", house.TableStopped{Table: "A", Round: 7, Fault: house.DeckFault, During: house.Cause{Kind: "deal", Body: []byte(`{}`)}}), significant.Interruption, "A", []string{"round 7", "do not fit"}},
		{"house", stored(t, "restored", house.Restored{By: sue, And: access.Person{Name: "ada", Role: access.Administrator}, Why: "the disk", Through: 9}), significant.Restored, "", []string{"9", "sue", "ada", "the disk"}},
		{"house", stored(t, "software-checked/2", house.SoftwareChecked{Software: house.Software{Version: "v2", Program: "abc"}, Changed: []string{"program"}}), significant.Software, "", []string{"v2", "abc", "changed: program"}},
		{"house", stored(t, "software-checked/2", house.SoftwareChecked{
			Software: house.Software{Version: "v2", Program: "abc"}, Settings: house.Settings{"cage.day": "9000000", "money": "real"}, Changed: []string{"setting cage.day", "setting guests.max"},
		}), significant.Software, "", []string{"changed: setting cage.day, setting guests.max", `cage.day is now "9000000"`, `guests.max is now ""`}},
		{"house", stored(t, "clock-refused", house.ClockRefused{AheadMs: 99}), significant.Clock, "", []string{"99"}},
		{"house", stored(t, "record-failed", house.RecordFailed{FailedMs: 1000}), significant.Disk, "", []string{"1970-01-01T00:00:01Z", "closed"}},
		{"house", stored(t, "moved", house.Moved{Store: "database", Place: "p", Why: "more machines"}), significant.Moved, "", []string{"database", "more machines"}},
		{"house", stored(t, "signing-key-replaced", house.SigningKeyReplaced{Key: "h+2+k", Before: "h+1+k"}), significant.SigningKey, "", []string{"h+2+k signs", "before: h+1+k"}},
		{"house", stored(t, "arrived", house.Arrived{Store: "database", Place: "p"}), significant.Moved, "", []string{"goes on", "database"}},
		{"house", stored(t, "stream-late", house.StreamLate{Through: 7041, SinceMs: 60_000}), significant.Delivery, "", []string{"1970-01-01T00:01:00Z", "transaction 7041"}},
		{"table:A", stored(t, "round-voided", record.RoundVoided{Clause: "5.8.6"}), significant.Void, "A", []string{"5.8.6"}},
		{"table:A", stored(t, "payment-corrected", record.PaymentCorrected{Clause: "1.18", Lines: []record.Line{
			{Box: 3, Player: "ann", Wager: rules.Ante, Result: rules.GivenBack, Reverses: 1250, Clause: "1.18"},
			{Box: 4, Player: "ben", Wager: rules.PairPlus, Result: rules.Win, Pays: 500, Returned: 500, Clause: "1.18"},
		}}), significant.Ruling, "A", []string{"(1.18); ", "12.50 for ante at box 3 is collected from ann; ", "5.00 for pair-plus at box 4 is awarded to ben"}},
		{"table:A", stored(t, "reported", record.Reported{Report: record.Report{Incident: rules.TechnicalInterruption, Note: "Qh lay face up"}, Outcome: rules.Void, Clause: "5.8.6"}), significant.Interruption, "A", []string{"5.8.6"}},
		{"jackpot:linked", paid, significant.Jackpot, "linked", []string{"12,345", "10,000"}},
		{"jackpot:linked", held, significant.Jackpot, "linked", []string{"held until two people", "from now on reset 10,000.00, rate 40/100", "verified from 777.00"}},
		{"jackpot:linked", denied, significant.Jackpot, "linked", []string{"denied (rws-3cp@3 5.15) by pat and sue", "the meter shows 12,347.00"}},
		{"jackpot:linked", changed, significant.Meter, "linked", []string{"from the next hit on reset 10,000.00", "ceiling 1,000,000.00, overflow on-top", "verified from 777.00"}},
	} {
		all, err := of(test.stream, test.event)
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", test.event.Kind, all, err)
			continue
		}
		e := all[0]
		if e.Kind != test.kind || e.Where != test.where || e.Event != strings.TrimSuffix(test.event.Kind, "/2") || e.Seq != 7 || e.AtMs != 1000 || e.By != "sue" || e.Role != "shift-manager" {
			t.Errorf("%s: %+v", test.event.Kind, e)
		}
		for _, part := range test.has {
			if !strings.Contains(e.Consequence, part) {
				t.Errorf("%s says %q, without %q", test.event.Kind, e.Consequence, part)
			}
		}
		for _, secret := range []string{"argon2id", "Qh"} {
			if strings.Contains(fmt.Sprintf("%+v", e), secret) {
				t.Errorf("%s says %+v", test.event.Kind, e)
			}
		}
	}
	for why, want := range map[string]string{"": "proposal 8: declined", "too much": "proposal 8: declined: too much"} {
		if all, err := of("house", stored(t, "declined", house.Declined{ID: 8, By: sue, Why: why})); err != nil || len(all) != 1 || all[0].Consequence != want {
			t.Errorf("declined because of %q: %+v, %v", why, all, err)
		}
	}
	other := stored(t, "reported", record.Reported{Report: record.Report{Incident: rules.Uncovered}, Outcome: rules.Void})
	if all, err := of("table:A", other); err != nil || len(all) != 0 {
		t.Errorf("an incident of the game is listed: %v, %v", all, err)
	}
}

// list is a record.
type list []house.StoredTransaction

func (l list) ReadAll(_ context.Context, after int64, _ string, yield func(house.StoredTransaction) error) error {
	for _, e := range l {
		if e.Seq > after {
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Going back from the newest, page by page, meets every entry once, and whole
// transactions only.
func TestNewest(t *testing.T) {
	var record list
	var want []string
	for seq := int64(1); seq <= 200; seq++ {
		e := house.StoredTransaction{Seq: seq, Parts: []house.StreamAppend{{Stream: "house"}}}
		for i := range int(seq % 4) {
			event := [...]house.OwnEvent{house.Drained{}, house.Proposed{By: access.Person{Name: "sue", Role: access.ShiftManager}, Kind: "fill", Body: []byte("{}")}, house.Resumed{}}[i]
			written, err := house.OwnEvents.Write(event)
			if err != nil {
				t.Fatal(err)
			}
			e.Parts[0].Events = append(e.Parts[0].Events, written)
		}
		record = append(record, e)
		switch seq % 4 { // the second event of a transaction is a proposal
		case 1, 2:
			want = append(want, fmt.Sprint(seq, " drained"))
		case 3:
			want = append(want, fmt.Sprint(seq, " drained"), fmt.Sprint(seq, " resumed"))
		}
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 2, 3, 7, 50, 1000} {
		var got []string
		for before, more := int64(0), true; more; {
			var page []significant.Event
			var err error
			if page, more, err = significant.Newest(t.Context(), record, 0, before, limit); err != nil || more && len(page) == 0 {
				t.Fatal(page, err)
			}
			for _, e := range page {
				got = append(got, fmt.Sprint(e.Seq, " ", e.Event))
			}
			if more {
				before = page[len(page)-1].Seq
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages of %d:\n%v, want\n%v", limit, got, want)
		}
	}
	only, _, err := significant.Newest(t.Context(), record, significant.Restored, 0, 10)
	if err != nil || len(only) != 0 {
		t.Errorf("of a kind that did not happen: %v, %v", only, err)
	}
}
