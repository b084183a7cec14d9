package simulation

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
)

// doors are the servers that people use: the state that the house keeps of them, and their own.
type doors struct {
	people *identity.Directory
	random *rand.ChaCha8
	// users are as whoever manages them believes, by name; machines by their token.
	users    map[string]*user
	machines map[string]*machine
	visits   []*visit
}

// user is a person with a password. Epoch counts the changes that ended the user's sessions;
// unsure says that no answer came to the last change.
type user struct {
	access.Person
	password string
	disabled bool
	epoch    int
	unsure   bool
}

type machine struct {
	access.Person
	id      string
	endsMs  int64
	revoked bool
	unsure  bool
}

// visit is a session as whoever holds it knows it. It was used at usedMs for the last
// time, and this is written down at least up to savedMs.
type visit struct {
	access.Person
	token                    string
	epoch                    int
	sinceMs, usedMs, savedMs int64
	gone, unsure             bool
}

var (
	anAddress = netip.MustParseAddr("192.0.2.7")
	founder   = identity.ChangeRequest{By: admin, Why: "the evening begins"}
)

// openDoors opens the doors over the record as it is, and holds what they know against
// what those know who were let in.
func (w *world) openDoors() {
	w.Helper()
	if w.doors == nil {
		var seed [32]byte
		seed[0], seed[1] = byte(w.seed), byte(w.seed>>8)
		w.doors = &doors{random: rand.NewChaCha8(seed), users: map[string]*user{}, machines: map[string]*machine{}}
	}
	d := w.doors
	for attempt := 0; ; attempt++ {
		var err error
		d.people, err = identity.Open(ctx(), identity.World{
			Record: w.line, Sessions: w.store, NowMs: func() int64 { return w.nowMs }, Random: d.random, MaxGuests: 5, OnePerson: true,
			Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
		})
		if err == nil {
			break
		}
		if !errors.Is(err, errBadSector) || attempt > 100 {
			w.fail("the doors cannot be opened: %v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.users)) {
		u := d.users[name]
		user, err := d.people.User(name)
		switch {
		case u.unsure && errors.Is(err, identity.ErrUnknown):
			delete(d.users, name)
			continue
		case err != nil:
			w.fail("user %s was added, and there is none: %v", name, err)
		case u.unsure && user.Disabled != u.disabled:
			u.disabled = user.Disabled
			u.epoch++
		}
		u.unsure = false
		if user.Role != u.Role || user.Disabled != u.disabled {
			w.fail("user %s is %s, shut out %t, and was made %s, shut out %t", name, user.Role, user.Disabled, u.Role, u.disabled)
		}
	}
	// Where nothing else was heard the session was last used when that was written down.
	for _, v := range d.visits {
		w.present(v)
	}
}

// may returns whether a session has to be let in, and whether it has to be refused;
// neither is for the moment that nobody knows.
func (w *world) may(v *visit) (must, never bool) {
	idle, most := identity.StandardLimits.Users.IdleMs, identity.StandardLimits.Users.MostMs
	if v.Role == access.Guest {
		idle, most = identity.StandardLimits.Guests.IdleMs, identity.StandardLimits.Guests.MostMs
	} else {
		u := w.doors.users[v.Name]
		if u == nil || u.disabled || u.epoch != v.epoch {
			return false, true
		}
		if u.unsure {
			return false, false
		}
	}
	switch {
	case v.gone || w.nowMs >= v.sinceMs+most || w.nowMs >= v.usedMs+idle:
		return false, true
	case v.unsure:
		return false, false
	}
	return w.nowMs < v.savedMs+idle, false
}

// present shows a token at the door, as every request does.
func (w *world) present(v *visit) (access.Person, bool) {
	w.Helper()
	must, never := w.may(v)
	s, err := w.doors.people.Check(v.token)
	switch {
	case err == nil && never:
		w.fail("%s is let in by a session that has ended: %+v, %+v", v.Name, v, w.doors.users[v.Name])
	case err != nil && must:
		w.fail("%s is refused: %v: %+v, %+v", v.Name, err, v, w.doors.users[v.Name])
	case err == nil && (s.Name != v.Name || s.Role != v.Role):
		w.fail("%s, a %s, is taken for %+v", v.Name, v.Role, s)
	case err != nil:
		w.outcomes["doors: refused"]++
		if u := w.doors.users[v.Name]; u != nil && u.disabled {
			w.outcomes["doors: refused, shut out"]++
		}
		v.gone = true // A session that has ended does not come back.
		return access.Person{}, false
	}
	v.usedMs, v.unsure = w.nowMs, false
	// It is written down now and then: an eighth of its time is at most not there.
	idle := identity.StandardLimits.Users.IdleMs
	if v.Role == access.Guest {
		idle = identity.StandardLimits.Guests.IdleMs
	}
	v.savedMs = max(v.savedMs, w.nowMs-idle/8)
	return s.Person, true
}

// door has somebody come or go, or somebody else decide who may.
func (w *world) door() {
	w.Helper()
	d := w.doors
	if len(d.users) == 0 {
		w.newUser(admin.Name, access.Administrator)
		w.newUser("dov", access.Dealer)
		w.newUser("mia", access.PitSupervisor)
		return
	}
	names := []string{"dov", "mia", "ned", "ola"}
	name := pick(w, names)
	u := d.users[name]
	by := identity.ChangeRequest{By: admin, Why: "it is decided"}
	switch w.rng.IntN(12) {
	case 0:
		if u == nil {
			w.newUser(name, pick(w, []access.Role{access.Dealer, access.PitSupervisor, access.Cashier}))
		}
	case 1, 2:
		if u == nil || u.unsure {
			return
		}
		change, what := d.people.Disable, "shut out"
		if u.disabled {
			change, what = d.people.Enable, "let in again"
		}
		_, err := change(ctx(), by, name)
		if w.changed(u, err) {
			if u.disabled = !u.disabled; u.disabled {
				u.epoch++
			}
			w.outcomes["doors: "+what]++
		}
	case 3:
		if u == nil || u.unsure {
			return
		}
		// Who may not decide it changes nothing.
		_, err := d.people.Disable(ctx(), identity.ChangeRequest{By: dealer, Why: "disabled by a dealer"}, name)
		var denied *access.Denied
		if !errors.As(err, &denied) {
			w.fail("a dealer shuts %s out: %v", name, err)
		}
	case 4:
		if u == nil || u.unsure {
			return
		}
		password := fmt.Sprint("the word of the day ", w.rng.IntN(1000))
		// Until the answer arrives, perhaps after a crash, either password may hold, and
		// the user's sessions may have ended or not.
		u.password = ""
		for _, v := range d.visits {
			v.unsure = v.unsure || v.Name == name
		}
		if err := d.people.SetPassword(ctx(), by, name, password); w.changed(u, err) {
			u.password, u.epoch = password, u.epoch+1
			w.outcomes["doors: a new password"]++
		}
	case 5, 6, 7:
		w.login(u)
	case 8:
		w.guest()
	case 9:
		if len(d.visits) > 0 {
			v := pick(w, d.visits)
			must, _ := w.may(v)
			if err := d.people.Logout(ctx(), v.token); err != nil {
				v.unsure = true
				w.doorsFail(err)
			} else if v.gone = true; must {
				w.outcomes["doors: signed out"]++
			}
		}
	case 10:
		w.sweep()
	default:
		w.machine(by)
	}
}

// changed receives the result of a change of a user: made, or unknown.
func (w *world) changed(u *user, err error) bool {
	w.Helper()
	if err == nil {
		return true
	}
	u.unsure = true
	w.doorsFail(err)
	return false
}

// doorsFail takes an error that no request has caused: the store has ended.
func (w *world) doorsFail(err error) {
	w.Helper()
	if errors.Is(err, errBadSector) {
		return
	}
	if !errors.Is(err, house.ErrFailed) {
		w.fail("at the doors: %v", err)
	}
	w.outcomes["crashes"]++
	w.restart(0)
}

func (w *world) newUser(name string, role access.Role) {
	w.Helper()
	u := &user{Person: access.Person{Name: name, Role: role}, password: "a word to begin with"}
	w.doors.users[name] = u
	if _, err := w.doors.people.AddUser(ctx(), founder, name, role, u.password); w.changed(u, err) {
		w.outcomes["doors: a new user"]++
	}
}

// login signs a user in, with the right password or, now and then, another one.
func (w *world) login(u *user) {
	w.Helper()
	if u == nil || u.unsure || u.password == "" {
		return
	}
	right := !w.one(6)
	c := identity.Credentials{Name: u.Name, Password: u.password, From: anAddress}
	if !right {
		c.Password = "not the word of the day"
	}
	token, s, err := w.doors.people.Login(ctx(), c)
	var throttled *identity.Throttled
	switch {
	case errors.As(err, &throttled):
		w.outcomes["doors: slowed down"]++
	case errors.Is(err, identity.ErrBadLogin):
		if right && !u.disabled {
			w.fail("%s is not known by the password", u.Name)
		}
		w.outcomes["doors: not let in"]++
	case err != nil:
		w.doorsFail(err)
	case !right || u.disabled:
		w.fail("%s comes in, the password right %t, shut out %t", u.Name, right, u.disabled)
	default:
		w.outcomes["doors: let in"]++
		w.enter(s, token, u.epoch)
	}
}

func (w *world) enter(s identity.Session, token string, epoch int) *visit {
	v := &visit{Person: s.Person, token: token, epoch: epoch, sinceMs: w.nowMs, usedMs: w.nowMs, savedMs: w.nowMs}
	if w.doors.visits = append(w.doors.visits, v); len(w.doors.visits) > 20 {
		w.doors.visits = w.doors.visits[1:]
	}
	return v
}

// guest lets a guest in, who gets money as at a house with play money.
func (w *world) guest() {
	w.Helper()
	token, s, err := w.doors.people.Guest(ctx(), anAddress, "")
	switch {
	case errors.Is(err, identity.ErrFull):
		w.outcomes["doors: no room for a guest"]++
		w.sweep()
		return
	case err != nil:
		w.doorsFail(err)
		return
	}
	w.outcomes["doors: a guest"]++
	w.enter(s, token, 0)
	w.send(w.request(cashier, posting.Transfer{Reason: ledger.BuyIn, Player: s.Name, Amount: 100 * money.Major}, nil))
}

// sweep forgets who has left, and clears the accounts of guests.
func (w *world) sweep() {
	w.Helper()
	left, err := w.doors.people.Sweep(ctx())
	for _, name := range slices.Sorted(slices.Values(left)) {
		for _, v := range w.doors.visits {
			if must, _ := w.may(v); v.Name == name && must {
				w.fail("guest %s is said to have left", name)
			}
		}
		if w.doors.people.Plays(name) || !w.doors.people.HasLeft(name) {
			w.fail("guest %s has left, and may play", name)
		}
		w.outcomes["doors: a guest has left"]++
		if has := w.house.Balance(ledger.Account{Kind: ledger.Player, Of: name}); has > 0 {
			w.send(w.request(cashier, posting.Transfer{Reason: ledger.CashOut, Player: name, Amount: has}, nil))
		}
	}
	if err != nil {
		w.doorsFail(err)
	}
}

// machine makes a token, uses one or ends it.
func (w *world) machine(by identity.ChangeRequest) {
	w.Helper()
	d := w.doors
	for _, text := range slices.Sorted(maps.Keys(d.machines)) {
		m := d.machines[text]
		user, err := d.people.Machine(text)
		if ended := m.revoked || w.nowMs >= m.endsMs; !m.unsure && (err == nil) == ended || err == nil && user != m.Person {
			w.fail("machine %s, ended %t, is taken for %+v: %v", m.Name, ended, user, err)
		}
		if m.unsure && err != nil {
			m.revoked, m.unsure = true, false
		}
		if !m.revoked && w.one(3) {
			if _, err := d.people.RevokeToken(ctx(), by, m.id); err != nil {
				m.unsure = true
				w.doorsFail(err)
				return
			}
			m.revoked = true
			w.outcomes["doors: a token is ended"]++
		}
	}
	if len(d.machines) > 8 {
		return
	}
	token, text, err := d.people.AddToken(ctx(), by, "bot", access.Player, w.nowMs+7_200_000)
	if err != nil {
		w.doorsFail(err)
		return
	}
	d.machines[text] = &machine{Person: access.Person{Name: token.Name, Role: token.Role, Machine: true}, id: token.ID, endsMs: token.EndsMs}
	w.outcomes["doors: a token"]++
}

// visitor has somebody who came in by a door do something at a table: whoever is
// refused at the door does nothing.
func (w *world) visitor(f *floorTable) *request {
	w.Helper()
	if len(w.doors.visits) == 0 {
		return nil
	}
	visitor, in := w.present(pick(w, w.doors.visits))
	if !in {
		return nil
	}
	s, err := housetest.Table(w.house, f.name)
	if err != nil {
		w.fail("%v", err)
	}
	action := w.legal(&s, visitor, func(kind string) int {
		switch kind {
		case "close-table", "report", "restrict-areas", "restrict-player":
			return 0
		}
		return 3
	})
	if action == nil {
		return nil
	}
	w.outcomes["doors: at a table"]++
	return w.request(visitor, w.detail(f, &s, action), f)
}
