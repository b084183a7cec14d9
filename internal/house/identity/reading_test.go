package identity_test

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/people"
	"trey/internal/store/memory"
)

// A reading holds the people of a house at a process that does not write.
type reading struct {
	*identity.Directory
	names  *people.Directory
	store  house.Store
	houses *house.House
	seq    int64
}

// read opens the people of a record for reading, before anything was recorded.
func (d *desk) read() *reading {
	d.Helper()
	store, err := new(memory.Disk).Open(memory.Faults{})
	if err != nil {
		d.Fatal(err)
	}
	w := d.world
	w.Record, w.Sessions, w.Reading = store, store, true
	p, err := identity.Open(ctx(), w)
	if err != nil {
		d.Fatal(err)
	}
	h, err := house.OpenReading(ctx(), store, house.World{NowMs: d.now.Load})
	if err != nil {
		d.Fatal(err)
	}
	return &reading{Directory: p, names: store.Directory(), store: store, houses: h}
}

// takeAll takes in what the record has come to, and all sessions.
func (d *desk) takeAll(r *reading) {
	d.Helper()
	var err error
	if r.seq, err = housetest.TakeAll(ctx(), d.store, r.names, r.seq, func(e *house.StoredTransaction) error {
		if err := r.houses.Take(e); err != nil {
			return err
		}
		return r.Take(e)
	}); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) kept() (all []identity.KeptSession) {
	d.Helper()
	if err := d.store.ReadSessions(ctx(), func(k identity.KeptSession) error { all = append(all, k); return nil }); err != nil {
		d.Fatal(err)
	}
	return all
}

// A reading house knows who is signed in and who no longer is. It knows that by the record of
// users, by the sessions that have ended, or because they are not among the existing ones.
func TestReadingKnowsWhoIsSignedIn(t *testing.T) {
	for what, end := range map[string]func(d *desk, r *reading, token string) error{
		"shut out": func(d *desk, _ *reading, _ string) error {
			_, err := d.Disable(ctx(), forSure, "ann")
			return err
		},
		"all ended by herself": func(d *desk, _ *reading, _ string) error {
			return d.EndSessions(ctx(), identity.ChangeRequest{By: ann}, "ann")
		},
		"ended by its name": func(d *desk, _ *reading, token string) error {
			all, err := d.OpenSessions(token)
			if err != nil {
				return err
			}
			return d.EndSession(ctx(), token, all[0].ID)
		},
		"signed out": func(d *desk, r *reading, token string) error {
			before := d.kept()
			err := d.Logout(ctx(), token)
			r.TakeSessions(nil, []identity.SessionID{before[0].ID}, false)
			return err
		},
		"not there any more": func(d *desk, r *reading, token string) error {
			err := d.Logout(ctx(), token)
			r.TakeSessions(d.kept(), nil, true)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			d := newDesk(t, nil)
			r := d.read()
			d.add(ann, secret)
			token := d.in("ann", secret)
			d.takeAll(r)
			if r.HasSession(token) {
				t.Error("a session is known before it was taken in")
			}
			r.TakeSessions(d.kept(), nil, false)
			if s, err := r.Check(token); err != nil || s.Person != ann || !r.HasSession(token) {
				t.Fatalf("the session is %v's, %v", s.Person, err)
			}
			if err := end(d, r, token); err != nil {
				t.Fatal(err)
			}
			d.takeAll(r)
			if s, err := r.Check(token); err == nil || r.HasSession(token) {
				t.Errorf("the session is still %v's", s.Person)
			}
			if _, err := r.AddUser(ctx(), forSure, "eve", ann.Role, secret); err == nil {
				t.Error("whoever reads adds a user")
			}
		})
	}
}

// A session that its holder has ended by its name is over for the record. Where the process
// failed before it was dropped, whoever reads all sessions leaves it out, and the next process
// that writes drops it.
func TestASessionThatOutlivedItsEnd(t *testing.T) {
	d := newDesk(t, nil)
	r := d.read()
	d.add(ann, secret)
	token, other := d.in("ann", secret), d.in("ann", secret)
	d.takeAll(r)
	rows := d.kept()
	r.TakeSessions(rows, nil, true)
	all, err := d.OpenSessions(other)
	if err != nil || len(all) != 2 {
		t.Fatalf("open are %+v, %v", all, err)
	}
	for _, s := range all {
		if !s.Current {
			if err := d.EndSession(ctx(), other, s.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	d.takeAll(r)
	r.TakeSessions(rows, nil, true)
	if r.HasSession(token) || !r.HasSession(other) {
		t.Errorf("the session that was ended is known: %t, the other one: %t", r.HasSession(token), r.HasSession(other))
	}
	if err := <-d.store.WriteSessions(identity.SessionWrite{Put: rows}); err != nil {
		t.Fatal(err)
	}
	d.restart()
	if kept := d.kept(); len(kept) != 1 || d.holder(token) != (access.Person{}) || d.holder(other) != ann {
		t.Errorf("%d sessions are kept, %v has the one that was ended and %v the other", len(kept), d.holder(token), d.holder(other))
	}
}

// A session that is used where the house is read is kept, and its holder counts as active where
// the record is written. Its use makes no session last longer than its limit.
func TestUsesElsewhereCount(t *testing.T) {
	d := newDesk(t, nil)
	r := d.read()
	d.add(ann, secret)
	token := d.in("ann", secret)
	d.takeAll(r)
	r.TakeSessions(d.kept(), nil, true)
	began := d.now.Load()
	idle := identity.StandardLimits.Users.IdleMs
	d.now.Add(idle - 1)
	if _, err := r.Check(token); err != nil {
		t.Fatal(err)
	}
	if d.Active("ann") {
		t.Error("ann is active, and nobody has said so")
	}
	uses := r.Uses(began)
	if len(uses) != 1 || uses[0].SeenMs != d.now.Load() {
		t.Fatalf("the uses are %+v", uses)
	}
	d.NoteUses(append(uses, identity.SessionUse{ID: identity.SessionID{1}, SeenMs: d.now.Load()}))
	if !d.Active("ann") {
		t.Error("ann is not active, with a session that is used elsewhere")
	}
	if seen := d.kept()[0].SeenMs; seen != d.now.Load() {
		t.Errorf("it is kept that the session was used at %d, and it was at %d", seen, d.now.Load())
	}
	d.now.Add(idle - 1)
	d.want(token, ann)
	// A time that is still to come is now.
	d.NoteUses([]identity.SessionUse{{ID: uses[0].ID, SeenMs: d.now.Load() + 1000*idle, WatchedMs: d.now.Load() + 1000*idle}})
	d.now.Add(idle + 1)
	d.want(token, nobody)
	d.NoteUses([]identity.SessionUse{{ID: uses[0].ID, SeenMs: d.now.Load()}})
	d.want(token, nobody)
	if again := r.Uses(d.now.Load()); len(again) != 0 {
		t.Errorf("the uses since now are %+v", again)
	}
}
