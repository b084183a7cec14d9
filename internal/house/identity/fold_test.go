package identity

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
)

// everyState returns events after which each field of a person's state was set.
func everyState(t *testing.T) (events []house.Event) {
	t.Helper()
	hash := hex.EncodeToString(bytes.Repeat([]byte{7}, len(SessionID{})))
	c := change{By: "ada", Why: "a test"}
	add := func(kind string, set func(*change)) {
		next := c
		set(&next)
		e, err := Events.WriteAs(kind, next)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	user := func(name string, role access.Role) {
		add(userAdded, func(c *change) {
			c.Name, c.Role, c.Hash, c.MustChange, c.Provider = name, role, "$hash", true, "subject of "+name
		})
	}
	user("ada", access.Administrator)
	user("sam", access.ShiftManager)
	user("ann", access.Player)
	add(factorEnrolled, func(c *change) {
		c.Name, c.Secret, c.Codes, c.Step = "ann", "sealed", []string{"one", "two", "three"}, 7
	})
	add(factorShown, func(c *change) { c.Name, c.Step, c.Codes, c.Method = "ann", 9, []string{"two"}, "recovery-code" })
	add(passkeyAdded, func(c *change) {
		c.Name, c.Passkey, c.Label, c.Counter = "ann", "k6", "her phone", 3
		c.Credential = &credential{ID: []byte{1}, Key: []byte{2}, Handle: []byte{3}, Host: "trey.example", Transports: []string{"usb"}, Synced: true}
	})
	add(loggedIn, func(c *change) { c.Name, c.Address, c.Session, c.Passkey, c.Counter = "ann", "10.0.0.1", "s7", "k6", 5 })
	add(passkeyRefused, func(c *change) { c.Name, c.Passkey = "ann", "k6" })
	add(sessionEnded, func(c *change) { c.Name, c.Session = "ann", "s7" })
	add(sessionsEnded, func(c *change) { c.Name, c.Because = "ann", becauseNoRole })
	add(loginFailed, func(c *change) { c.Name, c.Address, c.Unrecorded = "ann", "10.0.0.2", 4 })
	ask := func(id int64, kind ChangeKind, name string) {
		add(changeProposed, func(c *change) {
			c.Name, c.Role, c.Hash, c.EndsMs, c.Proposal, c.Change, c.ByRole, c.ByMachine = name, access.Dealer, "$asked", 99, id, kind, access.Administrator, true
		})
	}
	ask(1, AddUser, "dan")
	add(userAdded, func(c *change) {
		c.Name, c.Role, c.Hash, c.Proposal, c.AskedBy, c.By = "dan", access.Dealer, "$asked", 1, "ada", "sam"
	})
	ask(2, GiveRole, "dan")
	add(changeDeclined, func(c *change) { c.Name, c.Proposal, c.By = "dan", 2, "sam" })
	add(userDisabled, func(c *change) { c.Name = "dan" })
	ask(3, EraseName, "dan")
	add(erasureAgreed, func(c *change) { c.Name, c.Proposal, c.AskedBy, c.By = "dan", 3, "ada", "sam" })
	ask(4, GivePassword, "ann")
	add(tokenAdded, func(c *change) { c.Name, c.Role, c.Hash, c.Token, c.EndsMs = "bot", access.Dealer, hash, "t21", 1000 })
	add(tokenRevoked, func(c *change) { c.Name, c.Token = "bot", "t21" })
	return events
}

// The state of people is the same from a snapshot after any event and from all events. No field
// is left out of the snapshot: each one is set by one of the events.
func TestSnapshotOfPeopleIsWhole(t *testing.T) {
	events := everyState(t)
	set := map[string]bool{}
	for i := range events {
		full := newFold()
		if err := full.add(events[:i+1], 5_000); err != nil {
			t.Fatalf("event %d, %s: %v", i+1, events[i].Kind, err)
		}
		body, err := full.snapshot()
		if err != nil {
			t.Fatal(err)
		}
		from, err := readSnapshot(full.version, body)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameFold(from, full); err != nil {
			t.Fatalf("after event %d, %s: %v", i+1, events[i].Kind, err)
		}
		rest, all := from, newFold()
		for _, p := range []*Directory{rest, all} {
			behind := events[i+1:]
			if p == all {
				behind = events
			}
			if err := p.add(behind, 5_000); err != nil {
				t.Fatal(err)
			}
		}
		if err := sameFold(rest, all); err != nil {
			t.Fatalf("from event %d to the end: %v", i+1, err)
		}
		for _, u := range full.users {
			fieldsSet(set, reflect.ValueOf(u))
		}
		for _, k := range full.byNumber {
			fieldsSet(set, reflect.ValueOf(k))
		}
		fieldsSet(set, reflect.ValueOf(&full.staff))
		for _, asked := range full.staff.proposals {
			fieldsSet(set, reflect.ValueOf(asked))
		}
		for i := range full.endings {
			fieldsSet(set, reflect.ValueOf(&full.endings[i]))
		}
	}
	for name, seen := range set {
		if !seen && name != "token.usedMs" { // of this process, and of no event
			t.Errorf("no event sets %s", name)
		}
	}
}

// fieldsSet notes which fields of a struct have a value, and of those that it points to.
func fieldsSet(set map[string]bool, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[user]().PkgPath() && v.Type() != reflect.TypeFor[access.Person]() {
			return
		}
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			set[name] = set[name] || !v.Field(i).IsZero()
			fieldsSet(set, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			fieldsSet(set, v.Index(i))
		}
	default:
	}
}
