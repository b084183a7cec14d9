package identity_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/store/memory"
	"trey/internal/store/sqlite"
)

// store is all that the package needs of one.
type store interface {
	house.Store
	identity.SessionStore
	io.Closer
}

// cheap hashes fast and badly, so that the tests are of everything else.
var cheap = identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}

var (
	boss    = access.Person{Name: "the house", Role: access.Administrator}
	sue     = access.Person{Name: "sue", Role: access.Administrator}
	ann     = access.Person{Name: "ann", Role: access.Player}
	home    = netip.MustParseAddr("192.0.2.7")
	away    = netip.MustParseAddr("198.51.100.9")
	forSure = identity.ChangeRequest{By: boss, Why: "opening night"}
)

const (
	secret   = "correct horse battery"
	another  = "staple of another colour"
	minuteMs = 60_000
)

func ctx() context.Context { return context.Background() }

// desk is People on a clock that stands until it is moved.
type desk struct {
	testing.TB
	*identity.Directory
	world identity.World
	open  func() store
	store store
	now   atomic.Int64
}

func newDesk(t testing.TB, change func(*identity.World)) *desk {
	t.Helper()
	var disk memory.Disk
	return newDeskOn(t, change, func() store {
		s, err := disk.Open(memory.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func newDeskOn(t testing.TB, change func(*identity.World), open func() store) *desk {
	t.Helper()
	d := &desk{TB: t, open: open, world: identity.World{
		Random: rand.Reader, MaxGuests: 3, MaxGuestsAnAddress: 3, Cost: cheap, OnePerson: true,
	}}
	d.now.Store(1_000_000_000)
	d.world.NowMs = d.now.Load
	if change != nil {
		change(&d.world)
	}
	d.start()
	t.Cleanup(d.sameFromSnapshots)
	return d
}

func (d *desk) start() {
	d.Helper()
	d.store = d.open()
	d.world.Record, d.world.Sessions = d.store, d.store
	var err error
	if d.Directory, err = identity.Open(ctx(), d.world); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) restart() {
	d.Helper()
	if err := d.store.Close(); err != nil {
		d.Fatal(err)
	}
	d.start()
}

func (d *desk) add(p access.Person, password string) {
	d.Helper()
	if _, err := d.AddUser(ctx(), forSure, p.Name, p.Role, password); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) login(name, password string) (string, error) {
	token, s, err := d.Login(ctx(), identity.Credentials{Name: name, Password: password, From: home})
	if err == nil && s.Name != strings.ToLower(name) {
		d.Errorf("%s is let in as %s", name, s.Name)
	}
	return token, err
}

func (d *desk) in(name, password string) string {
	d.Helper()
	token, err := d.login(name, password)
	if err != nil {
		d.Fatalf("%s is not let in: %v", name, err)
	}
	return token
}

// holder tells who holds a token, without using it.
func (d *desk) holder(token string) access.Person {
	s, err := d.Peek(token)
	if err != nil && !errors.Is(err, identity.ErrNoSession) {
		d.Error(err)
	}
	return s.Person
}

func (d *desk) want(token string, person access.Person) {
	d.Helper()
	if got := d.holder(token); got != person {
		d.Errorf("the token is %v's, want %v", got, person)
	}
}

var nobody access.Person

func TestLogin(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	first := d.in("ann", secret)
	d.want(first, ann)
	second := d.in("Ann", secret) // a telephone writes names with a capital
	if first == second || len(first) != 43 {
		t.Errorf("tokens %q and %q", first, second)
	}
	d.want(first, ann)
	third, s, err := d.Login(ctx(), identity.Credentials{Name: "ann", Password: secret, From: home, Replaces: second})
	if err != nil || s.Person != ann || s.SinceMs != d.now.Load() {
		t.Fatalf("%+v, %v", s, err)
	}
	d.want(second, nobody)
	d.want(third, ann)
	for _, forged := range []string{
		"", "x", third[:42], third + "A", strings.ToLower(third), "trey_" + third, strings.Repeat("A", 43),
		strings.Repeat("A", 1<<20), third[:42] + "=", "\x00" + third[1:],
	} {
		if s, err := d.Check(forged); !errors.Is(err, identity.ErrNoSession) {
			t.Errorf("%.50q is %v's, %v", forged, s.Person, err)
		}
		if person, err := d.Machine(forged); !errors.Is(err, identity.ErrNoToken) {
			t.Errorf("%.50q is the machine %v, %v", forged, person, err)
		}
	}
	if err := errors.Join(d.Logout(ctx(), third), d.Logout(ctx(), third), d.Logout(ctx(), "x")); err != nil {
		t.Error(err)
	}
	d.want(third, nobody)
	d.want(first, ann)
	d.restart()
	d.want(third, nobody)
	d.want(second, nobody)
	d.want(first, ann)
}

// Nothing distinguishes a wrong password, an unknown name and a user who is shut out.
func TestBadLogins(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	d.add(access.Person{Name: "ben", Role: access.Player}, secret)
	if _, err := d.Disable(ctx(), forSure, "ben"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []identity.Credentials{
		{Name: "ann", Password: another},
		{Name: "ann"},
		{Name: "ann", Password: secret + " "},
		{Name: "ann", Password: strings.Repeat("x", 2000)},
		{Name: "zoe", Password: secret},
		{Name: "", Password: secret},
		{Name: "ben", Password: secret},
		{Name: "ben", Password: another},
		{Name: "the house", Password: ""},
		{Name: strings.Repeat("a", 1<<16), Password: secret},
		{Name: "ann\x00", Password: secret},
	} {
		c.From = home
		token, s, err := d.Login(ctx(), c)
		if err != identity.ErrBadLogin || token != "" || s != (identity.Session{}) {
			t.Errorf("%.20q: %q, %v, %v", c.Name, token, s, err)
		}
	}
}

// Each threshold is kept on both sides, to the millisecond.
func TestSessionsEnd(t *testing.T) {
	limits := identity.Limits{Users: identity.Limit{IdleMs: 1000, MostMs: 5000}, Guests: identity.Limit{IdleMs: 2000, MostMs: 3000}}
	d := newDesk(t, func(w *identity.World) { w.Limits = limits })
	d.add(ann, secret)
	token := d.in("ann", secret)
	guest, g, err := d.Guest(ctx(), home, "")
	if err != nil {
		t.Fatal(err)
	}
	begun := d.now.Load()
	at := func(ms int64) { d.now.Store(begun + ms) }

	at(999)
	d.want(token, ann) // looking is not using
	if s, err := d.Check(token); err != nil || s.IdleMs != begun+999+1000 || s.EndsMs != begun+5000 || s.SinceMs != begun {
		t.Errorf("%+v, %v", s, err)
	}
	at(1998)
	d.want(token, ann)
	at(1999)
	d.want(token, nobody)
	if _, err := d.Check(token); !errors.Is(err, identity.ErrNoSession) {
		t.Errorf("a session that has ended came back: %v", err)
	}
	d.want(guest, g.Person)
	if _, err := d.Check(guest); err != nil {
		t.Error(err)
	}
	at(2999)
	d.want(guest, g.Person)
	at(3000)
	d.want(guest, nobody)

	begun = d.now.Load()
	token = d.in("ann", secret)
	for ms := int64(0); ms < 5000; ms += 900 {
		at(ms)
		if _, err := d.Check(token); err != nil {
			t.Fatalf("after %d ms: %v", ms, err)
		}
	}
	at(4999)
	d.want(token, ann)
	at(5000)
	d.want(token, nobody)
}

// What ends a session ends it at once and for good.
func TestWhatEndsSessions(t *testing.T) {
	for name, end := range map[string]func(d *desk) error{
		"a password by somebody else": func(d *desk) error { return d.SetPassword(ctx(), forSure, "ann", another) },
		"a password of one's own": func(d *desk) error {
			return d.ChangePassword(ctx(), identity.ChangeRequest{By: ann}, home, secret, another)
		},
		"another role":            func(d *desk) error { _, err := d.SetRole(ctx(), forSure, "ann", access.Dealer); return err },
		"shut out":                func(d *desk) error { _, err := d.Disable(ctx(), forSure, "ann"); return err },
		"all ended by herself":    func(d *desk) error { return d.EndSessions(ctx(), identity.ChangeRequest{By: ann}, "ann") },
		"all ended by management": func(d *desk) error { return d.EndSessions(ctx(), forSure, "ann") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, nil)
			d.add(ann, secret)
			d.add(sue, secret)
			tokens := []string{d.in("ann", secret), d.in("ann", secret)}
			other := d.in("sue", secret)
			if err := end(d); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				for _, token := range tokens {
					d.want(token, nobody)
				}
				d.want(other, sue)
				d.restart()
			}
			if _, err := d.Enable(ctx(), forSure, "ann"); name == "shut out" != (err == nil) {
				t.Errorf("let in again: %v", err)
			}
			d.want(tokens[0], nobody)
			password := secret
			if strings.HasPrefix(name, "a password") {
				password = another
				if _, err := d.login("ann", secret); err != identity.ErrBadLogin {
					t.Errorf("the old password: %v", err)
				}
			}
			u, err := d.User("ann")
			if err != nil {
				t.Fatal(err)
			}
			d.want(d.in("ann", password), access.Person{Name: "ann", Role: u.Role})
			if left, err := d.Sweep(ctx()); err != nil || left != nil {
				t.Errorf("guests have left: %v, %v", left, err)
			}
			if users, guests := d.Count(); users != 2 || guests != 0 {
				t.Errorf("there are sessions of %d users and %d guests", users, guests)
			}
		})
	}
}

func TestSessionsOfOneUserAreBounded(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	first := d.in("ann", secret)
	d.now.Add(1)
	second := d.in("ann", secret)
	for range 31 {
		d.now.Add(1)
		d.in("ann", secret)
	}
	d.want(first, nobody)
	d.want(second, ann)
	if users, _ := d.Count(); users != 32 {
		t.Errorf("%d sessions", users)
	}
	d.restart()
	d.want(first, nobody)
	d.want(second, ann)
}

func TestThrottleByName(t *testing.T) {
	for _, name := range []string{"ann", "zoe"} { // one is known, the other not
		d := newDesk(t, nil)
		d.add(ann, secret)
		n := 0
		fail := func(want error) {
			t.Helper()
			n++
			// Each from somewhere else, so that only the name counts.
			from := netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})
			_, _, err := d.Login(ctx(), identity.Credentials{Name: name, Password: another, From: from})
			var slow *identity.Throttled
			if want == nil && !errors.As(err, &slow) || want != nil && err != want {
				t.Fatalf("%s, attempt %d: %v", name, n, err)
			}
		}
		for range 5 {
			fail(identity.ErrBadLogin)
		}
		for _, waitMs := range []int64{1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000} {
			fail(nil)
			d.now.Add(waitMs - 1)
			_, _, err := d.Login(ctx(), identity.Credentials{Name: name, Password: secret, From: away})
			var slow *identity.Throttled
			if !errors.As(err, &slow) || slow.WaitMs != 1 {
				t.Fatalf("a millisecond before %d: %v", waitMs, err)
			}
			d.now.Add(1)
			fail(identity.ErrBadLogin)
		}
		// An hour after the last failure all is forgotten.
		d.now.Add(60*minuteMs - 1)
		fail(identity.ErrBadLogin)
		fail(nil)
		d.now.Add(60 * minuteMs)
		for range 5 {
			fail(identity.ErrBadLogin)
		}
		fail(nil)
		d.now.Add(1000)
		if name == "ann" { // The right password is let in, and what was before is forgotten.
			d.in("ann", secret)
			for range 5 {
				fail(identity.ErrBadLogin)
			}
			fail(nil)
		}
	}
}

func TestThrottleByAddress(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	n := 0
	from := func(a netip.Addr) error {
		n++
		_, _, err := d.Login(ctx(), identity.Credentials{Name: fmt.Sprintf("u%d", n), Password: secret, From: a})
		return err
	}
	home6 := func(last byte) netip.Addr {
		return netip.AddrFrom16([16]byte{0: 0x20, 1: 1, 2: 0xd, 3: 0xb8, 15: last})
	}
	// Those who get in are no failures, however many.
	for range 50 {
		d.in("ann", secret)
	}
	for i := range 20 {
		if err := errors.Join(from(home), from(home6(byte(i)))); errors.As(err, new(*identity.Throttled)) {
			t.Fatalf("attempt %d: %v", i, err)
		}
	}
	mapped := netip.AddrFrom16(home.As16())
	for _, a := range []netip.Addr{home, mapped, home6(99), home6(99).WithZone("eth0")} {
		var slow *identity.Throttled
		if err := from(a); !errors.As(err, &slow) || slow.WaitMs != 1000 {
			t.Errorf("%s: %v", a, err)
		}
	}
	if _, err := d.login("ann", secret); !errors.As(err, new(*identity.Throttled)) {
		t.Errorf("the address is not slowed down: %v", err)
	}
	if err := from(away); err != identity.ErrBadLogin {
		t.Errorf("another address: %v", err)
	}
	d.now.Add(1000)
	// A user who knows the password does not undo the failures of others.
	d.in("ann", secret)
	if err := from(home); err != identity.ErrBadLogin {
		t.Error(err)
	}
	if err := from(home); !errors.As(err, new(*identity.Throttled)) {
		t.Error(err)
	}
	// No address is one address.
	for range 20 {
		if err := from(netip.Addr{}); err != identity.ErrBadLogin {
			t.Fatal(err)
		}
	}
	if err := from(netip.Addr{}); !errors.As(err, new(*identity.Throttled)) {
		t.Error(err)
	}
}

// An hour after the last failure all is forgotten, also where people who know their
// passwords have come in from there meanwhile.
func TestThrottleByAddressIsForgotten(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	fail := func(n int) (err error) {
		for i := range n {
			_, _, failed := d.Login(ctx(), identity.Credentials{Name: fmt.Sprintf("u%d", i), Password: secret, From: home})
			if errors.As(failed, new(*identity.Throttled)) {
				err = fmt.Errorf("attempt %d: %w", i, failed)
			}
		}
		d.now.Add(60 * minuteMs / 4)
		return err
	}
	if err := fail(19); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		d.in("ann", secret)
		d.now.Add(60 * minuteMs / 4)
	}
	if err := fail(20); err != nil {
		t.Error(err)
	}
	if err := fail(2); err == nil {
		t.Error("within the hour failures are forgotten")
	}
}

// Where an address tells nobody apart, as behind something that speaks https, nobody
// is kept out by what others have failed: only the name counts. The machine's own address
// counts failures as any other, and no guests.
func TestSharedAddresses(t *testing.T) {
	for name, test := range map[string]struct {
		shared bool
		from   netip.Addr
	}{
		"this machine":     {false, netip.MustParseAddr("127.0.0.1")},
		"this machine, v6": {false, netip.MustParseAddr("::1")},
		"something before": {true, home},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, func(w *identity.World) {
				w.SharedAddress, w.MaxGuests, w.MaxGuestsAnAddress = test.shared, 5, 2
			})
			d.add(ann, secret)
			login := func(name, password string) error {
				_, _, err := d.Login(ctx(), identity.Credentials{Name: name, Password: password, From: test.from})
				return err
			}
			for i := range 40 {
				err := login(fmt.Sprintf("u%d", i), secret)
				if waits := errors.As(err, new(*identity.Throttled)); waits != (!test.shared && i >= 20) || !waits && err != identity.ErrBadLogin {
					t.Fatalf("attempt %d: %v", i, err)
				}
			}
			if !test.shared {
				d.now.Add(60 * minuteMs)
			}
			if err := login("ann", secret); err != nil {
				t.Errorf("ann is kept out by others: %v", err)
			}
			for range 5 {
				if err := login("ann", another); err != identity.ErrBadLogin {
					t.Error(err)
				}
			}
			if err := login("ann", another); !errors.As(err, new(*identity.Throttled)) {
				t.Errorf("a sixth guess at one name: %v", err)
			}
			for i := range 5 {
				if _, _, err := d.Guest(ctx(), test.from, ""); err != nil {
					t.Errorf("guest %d: %v", i, err)
				}
			}
		})
	}
}

// Attempts made at once are as many as attempts made one after the other, and a
// clock that is set back makes nobody wait for long.
func TestThrottleAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	var tried atomic.Int64
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := d.login("ann", another); err == identity.ErrBadLogin {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if tried.Load() != 5 {
		t.Errorf("%d guesses were made at once", tried.Load())
	}
	d.now.Add(-10 * 24 * 60 * minuteMs)
	var slow *identity.Throttled
	if _, err := d.login("ann", secret); err != nil && (!errors.As(err, &slow) || slow.WaitMs > 5*minuteMs) {
		t.Errorf("after the clock was set back: %v", err)
	}
	d.now.Add(5 * minuteMs)
	d.in("ann", secret)
}

// gate is randomness that can be held up, and counts who waits for it.
type gate struct {
	open chan struct{}
	held atomic.Int64
}

func (g *gate) Read(p []byte) (int, error) {
	g.held.Add(1)
	<-g.open
	return rand.Read(p)
}

// Too many at once are sent away, and neither they nor one who gives up waiting
// have failed.
func TestLoginsAreBounded(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	g := &gate{open: make(chan struct{})}
	close(g.open)
	d.world.Random = g
	d.restart()
	g.open = make(chan struct{})
	g.held.Store(0)

	// Passwords that wait for their salt take all turns, and logins wait for one.
	var all sync.WaitGroup
	turns := max(1, runtime.GOMAXPROCS(0)/2)
	for i := range turns {
		all.Go(func() {
			if _, err := d.AddUser(ctx(), forSure, fmt.Sprintf("u%d", i), access.Player, secret); err != nil {
				t.Error(err)
			}
		})
	}
	for g.held.Load() < int64(turns) {
		runtime.Gosched()
	}
	waits, giveUp := context.WithCancel(ctx())
	var gaveUp, busy atomic.Int64
	for i := range 300 {
		all.Go(func() {
			from := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
			_, _, err := d.Login(waits, identity.Credentials{Name: fmt.Sprintf("x%d", i), Password: secret, From: from})
			switch {
			case err == identity.ErrBusy:
				busy.Add(1)
			case errors.Is(err, context.Canceled):
				gaveUp.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	for busy.Load() == 0 {
		runtime.Gosched()
	}
	// One more at the same name comes last, and is sent away.
	from := netip.AddrFrom4([4]byte{10, 1, 0, 0})
	if _, _, err := d.Login(ctx(), identity.Credentials{Name: "x0", Password: secret, From: from}); err != identity.ErrBusy {
		t.Errorf("one more: %v", err)
	}
	giveUp()
	close(g.open)
	all.Wait()
	if gaveUp.Load() == 0 || gaveUp.Load()+busy.Load() != 300 {
		t.Errorf("%d gave up and %d were sent away", gaveUp.Load(), busy.Load())
	}
	d.in("ann", secret)
	for range 40 {
		if _, _, err := d.Login(waits, identity.Credentials{Name: "ann", Password: secret, From: home}); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	d.in("ann", secret)
}

func TestGuests(t *testing.T) {
	d := newDesk(t, func(w *identity.World) { w.MaxGuests, w.MaxGuestsAnAddress = 4, 2 })
	guest := func(from netip.Addr, replaces string) (string, access.Person, error) {
		token, s, err := d.Guest(ctx(), from, replaces)
		return token, s.Person, err
	}
	names := map[string]bool{}
	var tokens []string
	for range 2 {
		token, person, err := guest(home, "")
		if err != nil || person.Role != access.Guest || !strings.HasPrefix(person.Name, "guest-") || len(person.Name) != 22 || names[person.Name] {
			t.Fatalf("%v, %v", person, err)
		}
		d.want(token, person)
		names[person.Name] = true
		tokens = append(tokens, token)
	}
	if _, _, err := guest(home, ""); !errors.Is(err, identity.ErrFull) {
		t.Errorf("a third from one address: %v", err)
	}
	// In place of the guest that left, another may come.
	was := d.holder(tokens[0])
	again, person, err := guest(home, tokens[0])
	if err != nil || person == was {
		t.Errorf("%v, %v", person, err)
	}
	d.want(tokens[0], nobody)
	loop := netip.MustParseAddr("127.0.0.1")
	for _, a := range []netip.Addr{loop, loop, loop} {
		_, _, err = guest(a, "")
	}
	if !errors.Is(err, identity.ErrFull) {
		t.Errorf("a fifth: %v", err)
	}
	if left, err := d.Sweep(ctx()); err != nil || !slices.Equal(left, []string{was.Name}) {
		t.Errorf("%v have left, %v; want %s", left, err, was.Name)
	}
	if err := d.Logout(ctx(), again); err != nil {
		t.Fatal(err)
	}
	d.restart()
	d.want(tokens[1], d.holder(tokens[1]))
	if users, guests := d.Count(); users != 0 || guests != 3 {
		t.Errorf("%d users and %d guests", users, guests)
	}
	d.now.Add(60 * minuteMs)
	left, err := d.Sweep(ctx())
	if _, guests := d.Count(); err != nil || len(left) != 3 || guests != 0 {
		t.Errorf("%v have left, and %d are there: %v", left, guests, err)
	}
	if left, err = d.Sweep(ctx()); err != nil || len(left) != 0 {
		t.Errorf("%v have left again, %v", left, err)
	}
	d.restart()
	if _, guests := d.Count(); guests != 0 {
		t.Errorf("%d guests are back", guests)
	}

	// A guest who logs in is not a guest any more.
	d.add(ann, secret)
	token, person, err := guest(home, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Login(ctx(), identity.Credentials{Name: "ann", Password: secret, From: home, Replaces: token}); err != nil {
		t.Fatal(err)
	}
	d.want(token, nobody)
	if left, err = d.Sweep(ctx()); err != nil || !slices.Equal(left, []string{person.Name}) {
		t.Errorf("%v have left, %v", left, err)
	}

	// A house that takes guests no more has none.
	token, _, err = guest(home, "")
	if err != nil {
		t.Fatal(err)
	}
	d.world.MaxGuests = 0
	d.restart()
	d.want(token, nobody)
	if _, _, err := guest(home, ""); !errors.Is(err, identity.ErrNoGuests) {
		t.Error(err)
	}
}

func TestUsers(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	d.add(ann, secret)
	since := d.now.Load()
	d.now.Add(5)
	bySue := identity.ChangeRequest{By: sue, Why: "a new hand"}
	ben, err := d.AddUser(ctx(), bySue, "ben", access.Dealer, secret)
	if err != nil || ben != (identity.User{Name: "ben", Role: access.Dealer, SinceMs: since + 5, PasswordMs: since + 5}) {
		t.Errorf("%+v, %v", ben, err)
	}
	d.now.Add(5)
	if err := d.SetPassword(ctx(), bySue, "ben", another); err != nil {
		t.Fatal(err)
	}
	if _, err = d.SetRole(ctx(), bySue, "ben", access.PitSupervisor); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		want := []identity.User{
			{Name: "ann", Role: access.Player, SinceMs: since, PasswordMs: since},
			{Name: "ben", Role: access.PitSupervisor, SinceMs: since + 5, PasswordMs: since + 10},
			{Name: "sue", Role: access.Administrator, SinceMs: since, PasswordMs: since},
		}
		if got := d.Users(); !slices.Equal(got, want) {
			t.Errorf("users %v, want %v", got, want)
		}
		d.restart()
	}

	long := strings.Repeat("a", 65)
	refused := map[string]struct {
		do   func() error
		want error
	}{
		"a name twice":     {func() error { _, err := d.AddUser(ctx(), bySue, "ann", access.Player, secret); return err }, identity.ErrTaken},
		"a guest's name":   {func() error { _, err := d.AddUser(ctx(), bySue, "guest-1", access.Player, secret); return err }, identity.ErrInvalid},
		"a capital":        {func() error { _, err := d.AddUser(ctx(), bySue, "Bea", access.Player, secret); return err }, identity.ErrInvalid},
		"the house itself": {func() error { _, err := d.AddUser(ctx(), bySue, "the house", access.Player, secret); return err }, identity.ErrInvalid},
		"a long name":      {func() error { _, err := d.AddUser(ctx(), bySue, long, access.Player, secret); return err }, identity.ErrInvalid},
		"no name":          {func() error { _, err := d.AddUser(ctx(), bySue, "", access.Player, secret); return err }, identity.ErrInvalid},
		"a line":           {func() error { _, err := d.AddUser(ctx(), bySue, "bea\n", access.Player, secret); return err }, identity.ErrInvalid},
		"a guest":          {func() error { _, err := d.AddUser(ctx(), bySue, "bea", access.Guest, secret); return err }, identity.ErrInvalid},
		"no role":          {func() error { _, err := d.AddUser(ctx(), bySue, "bea", 0, secret); return err }, identity.ErrInvalid},
		"a short password": {func() error { _, err := d.AddUser(ctx(), bySue, "bea", access.Player, "elevenchars"); return err }, identity.ErrInvalid},
		"no reason": {func() error {
			_, err := d.AddUser(ctx(), identity.ChangeRequest{By: sue}, "bea", access.Player, secret)
			return err
		}, identity.ErrInvalid},
		"role of nobody":    {func() error { _, err := d.SetRole(ctx(), bySue, "bea", access.Player); return err }, identity.ErrUnknown},
		"the same role":     {func() error { _, err := d.SetRole(ctx(), bySue, "ann", access.Player); return err }, identity.ErrAlready},
		"one's own role":    {func() error { _, err := d.SetRole(ctx(), bySue, "sue", access.ShiftManager); return err }, identity.ErrOwnAccount},
		"oneself shut out":  {func() error { _, err := d.Disable(ctx(), bySue, "sue"); return err }, identity.ErrOwnAccount},
		"one's own by rank": {func() error { return d.SetPassword(ctx(), bySue, "sue", another) }, identity.ErrOwnAccount},
		"let in who is in":  {func() error { _, err := d.Enable(ctx(), bySue, "ann"); return err }, identity.ErrAlready},
		"nobody's password": {func() error { return d.SetPassword(ctx(), bySue, "bea", another) }, identity.ErrUnknown},
		"nobody's sessions": {func() error { return d.EndSessions(ctx(), bySue, "bea") }, identity.ErrUnknown},
		"a wrong old one": {func() error {
			return d.ChangePassword(ctx(), identity.ChangeRequest{By: ann}, home, another, another)
		}, identity.ErrBadLogin},
		"a new one too short": {func() error {
			return d.ChangePassword(ctx(), identity.ChangeRequest{By: ann}, home, secret, "short")
		}, identity.ErrInvalid},
	}
	before := d.Users()
	for name, test := range refused {
		if err := test.do(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	// Nobody without the permission, whatever name they use.
	for _, r := range access.Roles() {
		if r == access.Administrator {
			continue
		}
		o := identity.ChangeRequest{By: access.Person{Name: "tom", Role: r}, Why: "because"}
		_, add := d.AddUser(ctx(), o, "bea", access.Dealer, secret)
		_, role := d.SetRole(ctx(), o, "ann", access.Dealer)
		_, out := d.Disable(ctx(), o, "ann")
		_, again := d.Enable(ctx(), o, "ann")
		_, _, token := d.AddToken(ctx(), o, "bot", access.Player, d.now.Load()+1)
		_, revoke := d.RevokeToken(ctx(), o, "t1")
		for what, err := range map[string]error{
			"add": add, "role": role, "out": out, "in": again, "token": token, "revoke": revoke,
			"password": d.SetPassword(ctx(), o, "ann", another), "end": d.EndSessions(ctx(), o, "ann"),
		} {
			if !errors.As(err, new(*access.Denied)) {
				t.Errorf("%s by %s: %v", what, r, err)
			}
		}
	}
	if got := d.Users(); !slices.Equal(got, before) {
		t.Errorf("something changed: %v", got)
	}

	// Nobody, a machine included, takes the last administrator away.
	bot := identity.ChangeRequest{By: access.Person{Name: "bot", Role: access.Administrator}, Why: "rebellion"}
	_, out := d.Disable(ctx(), bot, "sue")
	_, role := d.SetRole(ctx(), bot, "sue", access.Player)
	if !errors.Is(out, identity.ErrLast) || !errors.Is(role, identity.ErrLast) {
		t.Errorf("%v, %v", out, role)
	}

	// A person who was an administrator when they were let in, and is none now.
	d.add(access.Person{Name: "tom", Role: access.Administrator}, secret)
	if _, err := d.Disable(ctx(), bySue, "tom"); err != nil {
		t.Fatal(err)
	}
	byTom := identity.ChangeRequest{By: access.Person{Name: "tom", Role: access.Administrator}, Why: "revenge"}
	if _, err := d.Disable(ctx(), byTom, "sue"); !errors.Is(err, identity.ErrNoSession) {
		t.Errorf("a user who is shut out shuts others out: %v", err)
	}
	if _, err := d.Disable(ctx(), bot, "sue"); !errors.Is(err, identity.ErrLast) {
		t.Errorf("one who is shut out counts: %v", err)
	}
	if _, err := d.Enable(ctx(), bot, "tom"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Disable(ctx(), bot, "sue"); err != nil {
		t.Errorf("there are two: %v", err)
	}
}

func TestPasswords(t *testing.T) {
	for password, ok := range map[string]bool{
		"twelve chars": true, "eleven chrs": false, "éééééééééééé": false, "ééééééééééèè": true, "éèàùôîûçäöü": false,
		"aaaaaaaaaaaaaaaa": false, "password of ANN x": false, "\xff\xfe aaaa bbbb cccc": false,
		strings.Repeat("ab", 512): true, strings.Repeat("ab", 512) + "a": false, "": false,
	} {
		if err := identity.CheckPassword("ann", password); (err == nil) != ok || err != nil && !errors.Is(err, identity.ErrInvalid) {
			t.Errorf("%.40q: %v", password, err)
		}
	}
}

func TestHashes(t *testing.T) {
	made, err := identity.HashPassword(secret, identity.StandardCost, rand.Reader)
	if err != nil || identity.CheckHash(made) != nil || !strings.HasPrefix(made, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%s: %v, %v", made, err, identity.CheckHash(made))
	}
	salt, sum := strings.Split(made, "$")[4], strings.Split(made, "$")[5]
	with := func(cost string) string { return "$argon2id$v=19$" + cost + "$" + salt + "$" + sum }
	for text, ok := range map[string]bool{
		with("m=7168,t=5,p=1"): true, with("m=7167,t=5,p=1"): false, with("m=262144,t=1,p=16"): true,
		with("m=262145,t=1,p=1"): false, with("m=19456,t=17,p=1"): false, with("m=19456,t=2,p=17"): false,
		with("m=19456,t=2,p=0"): false, with("m=19456,t=0,p=1"): false, with("m=019456,t=2,p=1"): false,
		with("m=19456,t=2,p=1,x=1"): false, with("m=4294967297,t=2,p=1"): false, made + "$": false, made[1:]: false, " " + made: false,
		made[:len(made)-2]: false, strings.Replace(made, "argon2id", "argon2i", 1): false, "": false, secret: false,
		strings.Replace(made, "v=19", "v=16", 1): false,
	} {
		if err := identity.CheckHash(text); (err == nil) != ok || err != nil && !errors.Is(err, identity.ErrInvalid) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A hash that another program made opens the door: this one is of the reference
// implementation's own test.
func TestHashMadeElsewhere(t *testing.T) {
	const made = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if err := identity.CheckHash(made); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, nil)
	added, _, err := d.Ensure(ctx(), "house.toml", []identity.Initial{{Name: "ann", Role: access.Player, Hash: made}})
	if err != nil || !slices.Equal(added, []string{"ann"}) {
		t.Fatal(added, err)
	}
	d.want(d.in("ann", "password"), ann)
}

func TestEnsure(t *testing.T) {
	d := newDesk(t, nil)
	hash, err := identity.HashPassword(secret, cheap, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	initial := []identity.Initial{{"sue", access.Administrator, hash}, {"ann", access.Player, hash}}
	for want := 2; want >= 0; want -= 2 {
		added, _, err := d.Ensure(ctx(), "house.toml", initial)
		if err != nil || len(added) != want {
			t.Fatalf("added %v, %v", added, err)
		}
		d.restart()
	}
	d.want(d.in("sue", secret), sue)
	// What was changed in the house stays changed.
	if err := d.SetPassword(ctx(), identity.ChangeRequest{By: sue, Why: "forgotten"}, "ann", another); err != nil {
		t.Fatal(err)
	}
	d.restart()
	// Nobody comes in by an edit of the file.
	later := append(initial, identity.Initial{Name: "eve", Role: access.Administrator, Hash: hash})
	if added, unknown, err := d.Ensure(ctx(), "house.toml", later); err != nil || added != nil || !slices.Equal(unknown, []string{"eve"}) {
		t.Fatal(added, unknown, err)
	}
	if _, err := d.User("eve"); !errors.Is(err, identity.ErrUnknown) {
		t.Errorf("a user who was named later: %v", err)
	}
	d.in("ann", another)
	for _, bad := range []identity.Initial{{"x y", access.Player, hash}, {"bea", 0, hash}, {"bea", access.Player, "secret"}} {
		if _, _, err := d.Ensure(ctx(), "house.toml", []identity.Initial{bad}); !errors.Is(err, identity.ErrInvalid) || !strings.Contains(err.Error(), "house.toml") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestTokens(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	bySue := identity.ChangeRequest{By: sue, Why: "metrics"}
	ends := d.now.Load() + 1000
	one, text, err := d.AddToken(ctx(), bySue, "prometheus", access.Surveillance, ends)
	if err != nil || !strings.HasPrefix(text, "trey_") || one.EndsMs != ends {
		t.Fatalf("%+v, %q, %v", one, text, err)
	}
	two, next, err := d.AddToken(ctx(), bySue, "prometheus", access.Surveillance, ends+1000)
	if err != nil || next == text || one.ID == two.ID {
		t.Fatalf("%+v, %v", two, err)
	}
	machine := access.Person{Name: "prometheus", Role: access.Surveillance, Machine: true}
	wantPerson := func(text string, want access.Person) {
		t.Helper()
		person, err := d.Machine(text)
		if person != want || (err == nil) != (want != nobody) || err != nil && !errors.Is(err, identity.ErrNoToken) {
			t.Errorf("it is %v, %v; want %v", person, err, want)
		}
	}
	for range 2 {
		wantPerson(text, machine)
		wantPerson(next, machine)
		d.restart()
	}
	wantPerson(text[:len(text)-1], nobody)
	wantPerson(text[5:], nobody)
	wantPerson(text+"x", nobody)
	wantPerson("TREY_"+text[5:], nobody)
	wantPerson("trey_"+strings.Repeat("A", 43), nobody)
	if _, err := d.Check(text); !errors.Is(err, identity.ErrNoSession) {
		t.Error("a machine's token is a session")
	}
	d.now.Store(ends - 1)
	wantPerson(text, machine)
	d.now.Store(ends)
	wantPerson(text, nobody)
	wantPerson(next, machine)
	if got, err := d.RevokeToken(ctx(), bySue, two.ID); err != nil || !got.Revoked {
		t.Errorf("%+v, %v", got, err)
	}
	wantPerson(next, nobody)
	d.restart()
	wantPerson(next, nobody)
	if all := d.Tokens(); len(all) != 2 || all[0].ID != one.ID || !all[1].Revoked || all[0].Revoked {
		t.Errorf("%+v", all)
	}
	now := d.now.Load()
	year := int64(366 * 24 * 60 * minuteMs)
	for name, test := range map[string]struct {
		name string
		role access.Role
		ends int64
		want error
	}{
		"now":                    {"bot", access.Player, now, identity.ErrInvalid},
		"in a moment":            {"bot", access.Player, now + 1, nil},
		"in a year":              {"bot", access.Player, now + year, nil},
		"later":                  {"bot", access.Player, now + year + 1, identity.ErrInvalid},
		"a user's name":          {"sue", access.Administrator, now + 1, identity.ErrTaken},
		"another role":           {"prometheus", access.Cashier, now + 1, identity.ErrTaken},
		"a guest":                {"bot2", access.Guest, now + 1, identity.ErrInvalid},
		"a name that cannot be":  {"the house", access.Dealer, now + 1, identity.ErrInvalid},
		"a name that looks like": {"guest-x", access.Player, now + 1, identity.ErrInvalid},
	} {
		if _, text, err := d.AddToken(ctx(), bySue, test.name, test.role, test.ends); !errors.Is(err, test.want) || (err == nil) != (text != "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.AddUser(ctx(), bySue, "prometheus", access.Surveillance, secret); !errors.Is(err, identity.ErrTaken) {
		t.Errorf("a user of a machine's name: %v", err)
	}
	if _, err := d.RevokeToken(ctx(), bySue, two.ID); !errors.Is(err, identity.ErrAlready) {
		t.Error(err)
	}
	if _, err := d.RevokeToken(ctx(), bySue, "t999"); !errors.Is(err, identity.ErrUnknown) {
		t.Error(err)
	}
}

// A command repeated under its key is done once.
func TestKeys(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	o := identity.ChangeRequest{Key: "k1", By: sue, Why: "a new player"}
	add := func(password string) error {
		_, err := d.AddUser(ctx(), o, "ann", access.Player, password)
		return err
	}
	for range 2 {
		if err := add(secret); err != nil {
			t.Fatal(err)
		}
		if err := add(another); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("with another password: %v", err)
		}
		if _, err := d.AddUser(ctx(), o, "ben", access.Player, secret); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("another user: %v", err)
		}
		if _, err := d.SetRole(ctx(), o, "ann", access.Dealer); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("another command: %v", err)
		}
		d.restart()
	}
	o.Key = "k2"
	for range 2 {
		if u, err := d.SetRole(ctx(), o, "ann", access.Dealer); err != nil || u.Role != access.Dealer {
			t.Errorf("%+v, %v", u, err)
		}
	}
	o.Key = "k3"
	first, text, err := d.AddToken(ctx(), o, "bot", access.Player, d.now.Load()+1000)
	if err != nil || text == "" {
		t.Fatal(err)
	}
	if again, text, err := d.AddToken(ctx(), o, "bot", access.Player, first.EndsMs); err != nil || text != "" || again != first {
		t.Errorf("%+v, %q, %v", again, text, err)
	}
	if _, err := d.Machine(text); err != nil {
		t.Error(err)
	}
	o.Key = strings.Repeat("k", 201)
	if _, err := d.Disable(ctx(), o, "ann"); !errors.Is(err, identity.ErrInvalid) {
		t.Errorf("a long key: %v", err)
	}
	if n := len(d.Tokens()); n != 1 {
		t.Errorf("%d tokens", n)
	}
}

// What is recorded says who did what and why, and what is read of it holds no
// password, no token and no hash.
func TestRecordAndRedaction(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	bySue := identity.ChangeRequest{By: sue, Why: "as asked for"}
	_, text, err := d.AddToken(ctx(), bySue, "bot", access.Player, d.now.Load()+1000)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.AddUser(ctx(), bySue, "ann", access.Player, secret)
	_, role := d.SetRole(ctx(), bySue, "ann", access.Dealer)
	_, out := d.Disable(ctx(), bySue, "ann")
	_, in := d.Enable(ctx(), bySue, "ann")
	_, revoked := d.RevokeToken(ctx(), bySue, "t2")
	if err := errors.Join(err, role, out, in, revoked, d.SetPassword(ctx(), bySue, "ann", another), d.EndSessions(ctx(), bySue, "ann")); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = house.Named(d.store).Read(ctx(), identity.Stream, 0, func(r house.StoredEvent) error {
		seen := identity.Redact(identity.Stream, r.Event)
		got = append(got, seen.Kind+" "+string(seen.Body))
		if strings.Contains(string(seen.Body), "hash") || strings.Contains(string(seen.Body), "argon") || strings.Contains(string(r.Body), text[5:]) {
			t.Errorf("%s", seen.Body)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`user-added {"name":"sue","role":"administrator","by":"the house","why":"opening night"}`,
		`token-added {"name":"bot","role":"player","token":"t2","ends_ms":1000001000,"by":"sue","why":"as asked for"}`,
		`user-added {"name":"ann","role":"player","by":"sue","why":"as asked for"}`,
		`role-changed {"name":"ann","role":"dealer","from":"player","by":"sue","why":"as asked for"}`,
		`user-disabled {"name":"ann","by":"sue","why":"as asked for"}`,
		`user-enabled {"name":"ann","by":"sue","why":"as asked for"}`,
		`token-revoked {"name":"bot","token":"t2","by":"sue","why":"as asked for"}`,
		`password-set {"name":"ann","by":"sue","why":"as asked for"}`,
		`sessions-ended {"name":"ann","by":"sue","why":"as asked for"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the record reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// What cannot be read is not shown, and other streams are left alone.
	odd := house.Event{Kind: "user-added", Body: json.RawMessage(`{"name":"x","hash":"h","more":{"hash":"h"}}`)}
	if e := identity.Redact(identity.Stream, odd); string(e.Body) != "{}" || e.Kind != odd.Kind {
		t.Errorf("%s", e.Body)
	}
	if e := identity.Redact("table:A", odd); string(e.Body) != string(odd.Body) {
		t.Errorf("%s", e.Body)
	}
}

// A record that does not hold is not opened.
func TestDamagedRecord(t *testing.T) {
	for _, e := range []house.Event{
		{Kind: "user-added", Body: json.RawMessage(`{"name":"ann","role":"player","by":"x","why":"y"}`)},
		{Kind: "role-changed", Body: json.RawMessage(`{"name":"zoe","role":"player","by":"x","why":"y"}`)},
		{Kind: "token-revoked", Body: json.RawMessage(`{"name":"zoe","token":"t9","by":"x","why":"y"}`)},
		{Kind: "token-added", Body: json.RawMessage(`{"name":"zoe","token":"t9","hash":"00","by":"x","why":"y"}`)},
		{Kind: "user-praised", Body: json.RawMessage(`{"name":"ann","by":"x","why":"y"}`)},
		{Kind: "user-disabled", Body: json.RawMessage(`{"name":"ann","more":1}`)},
	} {
		d := newDesk(t, nil)
		d.add(ann, secret)
		tx := &house.Transaction{Cause: house.Cause{Kind: "x"}, Parts: []house.StreamAppend{{Stream: identity.Stream, After: 1, Events: []house.Event{e}}}}
		if res := <-d.store.Append(tx); res.Err != nil {
			t.Fatal(res.Err)
		}
		if _, err := identity.Open(ctx(), d.world); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("%s %s: %v", e.Kind, e.Body, err)
		}
	}
}

// On the real store: what was acknowledged is there again, and a hall full of
// guests gets in. It runs beside everything else, for the race detector.
func TestOnSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	const crowd = 2000
	d := newDeskOn(t, func(w *identity.World) { w.MaxGuests, w.MaxGuestsAnAddress = crowd, crowd }, func() store {
		s, err := sqlite.Open(ctx(), path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	d.add(ann, secret)
	d.add(sue, secret)
	d.add(access.Person{Name: "ben", Role: access.Player}, secret)
	token := d.in("ann", secret)
	bens := d.in("ben", secret)
	tokens := make([]string, crowd)
	var all sync.WaitGroup
	for w := range 50 {
		all.Go(func() {
			for i := w; i < crowd; i += 50 {
				var err error
				if tokens[i], _, err = d.Guest(ctx(), away, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		for range 200 {
			d.now.Add(minuteMs / 20)
			if _, err := d.Check(token); err != nil {
				t.Error(err)
			}
			d.Check(bens) //nolint:errcheck // it ends in the middle
			d.Users()
			d.Count()
		}
	})
	all.Go(func() {
		if err := d.EndSessions(ctx(), forSure, "ben"); err != nil {
			t.Error(err)
		}
		for range 5 {
			if left, err := d.Sweep(ctx()); err != nil || left != nil {
				t.Error(left, err)
			}
		}
	})
	all.Wait()
	d.restart()
	if users, guests := d.Count(); users != 1 || guests != crowd {
		t.Errorf("%d users and %d guests are back", users, guests)
	}
	d.want(token, ann)
	d.want(bens, nobody)
	for _, guest := range tokens {
		if person := d.holder(guest); person.Role != access.Guest {
			t.Fatalf("a guest is %v", person)
		}
	}
	d.in("sue", secret)
	if len(d.Users()) != 3 {
		t.Error(d.Users())
	}
	// It was used ten minutes after it began; that is remembered, nearly.
	s, err := d.Peek(token)
	if used := s.IdleMs - identity.StandardLimits.Users.IdleMs - s.SinceMs; err != nil || used < 10*minuteMs-identity.StandardLimits.Users.IdleMs/8 || used > 10*minuteMs {
		t.Errorf("it was used %d ms after it began, %v", used, err)
	}
}

// When the store fails nothing counts that was not kept.
func TestStoreThatFails(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	token := d.in("ann", secret)
	if err := d.store.Close(); err != nil {
		t.Fatal(err)
	}
	if token, err := d.login("ann", secret); err == nil {
		t.Errorf("let in: %q", token)
	}
	if token, _, err := d.Guest(ctx(), home, ""); err == nil {
		t.Errorf("let in: %q", token)
	}
	if _, err := d.AddUser(ctx(), forSure, "ben", access.Player, secret); err == nil {
		t.Error("added")
	}
	if _, err := d.User("ben"); !errors.Is(err, identity.ErrUnknown) {
		t.Error("a user who is not recorded is known")
	}
	if users, guests := d.Count(); users != 1 || guests != 0 {
		t.Errorf("%d users and %d guests", users, guests)
	}
	d.want(token, ann)
	if err := d.Logout(ctx(), token); err == nil {
		t.Error("logged out for good, said a store that keeps nothing")
	}
	d.want(token, nobody)
}

func TestNoRandomness(t *testing.T) {
	d := newDesk(t, nil)
	d.world.Random = strings.NewReader("too little")
	if _, err := identity.Open(ctx(), d.world); err == nil {
		t.Error("opened without randomness")
	}
}

func FuzzCheckHash(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=0,t=0,p=0$$")
	f.Fuzz(func(t *testing.T, text string) {
		if err := identity.CheckHash(text); err == nil && !strings.HasPrefix(text, "$argon2id$v=19$m=") {
			t.Errorf("%q is a hash", text)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	d := newDesk(b, nil)
	d.add(ann, secret)
	token := d.in("ann", secret)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := d.Check(token); err != nil {
				b.Error(err)
			}
		}
	})
}

// entered tells what the record says of those who tried to come in.
func (d *desk) entered() (entries []string) {
	d.Helper()
	err := house.Named(d.store).Read(ctx(), identity.Stream, 0, func(r house.StoredEvent) error {
		if r.Kind != "login-failed" && r.Kind != "logged-in" {
			return nil
		}
		var entry struct {
			Name, Address, Because string
			Unrecorded             int
		}
		if err := json.Unmarshal(identity.Redact(identity.Stream, r.Event).Body, &entry); err != nil {
			return err
		}
		line := fmt.Sprintf("%s %s from %s: %s", r.Kind, entry.Name, entry.Address, entry.Because)
		if entry.Unrecorded > 0 {
			line += fmt.Sprint(" ", entry.Unrecorded)
		}
		entries = append(entries, strings.TrimSpace(line))
		return nil
	})
	if err != nil {
		d.Fatal(err)
	}
	return entries
}

// Failed attempts stand in the record, and who of the staff came in. What was typed
// for a name that is nobody's does not, for it may be a password.
func TestWhoTriedToComeInIsWrittenDown(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	d.add(ann, secret)
	for _, bad := range [][2]string{{"SUE", another}, {another, "sue"}, {"ann", another}} {
		if _, err := d.login(bad[0], bad[1]); !errors.Is(err, identity.ErrBadLogin) {
			t.Errorf("%s: %v", bad[0], err)
		}
	}
	d.in("sue", secret)
	d.in("ann", secret)
	if _, err := d.Disable(ctx(), forSure, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.login("ann", secret); !errors.Is(err, identity.ErrBadLogin) {
		t.Error(err)
	}
	want := []string{
		"login-failed sue from 192.0.2.7: wrong-password",
		"login-failed  from 192.0.2.7: unknown-name",
		"login-failed ann from 192.0.2.7: wrong-password",
		"logged-in sue from 192.0.2.7:",
		"logged-in ann from 192.0.2.7:",
		"login-failed ann from 192.0.2.7: shut-out",
	}
	if got := d.entered(); !slices.Equal(got, want) {
		t.Errorf("the record says\n%s", strings.Join(got, "\n"))
	}
	token := d.in("sue", secret)
	d.restart() // and is read back
	d.want(token, sue)
}

// A flood of attempts fills no disk, and how many there were is told all the same.
func TestAFloodOfAttemptsIsCounted(t *testing.T) {
	d := newDesk(t, nil)
	try := func(n int) {
		t.Helper()
		from := netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})
		c := identity.Credentials{Name: fmt.Sprintf("nobody-%d", n), Password: secret, From: from}
		if _, _, err := d.Login(ctx(), c); !errors.Is(err, identity.ErrBadLogin) {
			t.Fatal(err)
		}
	}
	for n := range 625 {
		try(n)
	}
	if got := d.entered(); len(got) != 600 {
		t.Errorf("%d attempts are written down", len(got))
	}
	d.now.Add(60 * minuteMs)
	try(1000)
	if got := d.entered(); len(got) != 601 || !strings.HasSuffix(got[600], "unknown-name 25") {
		t.Errorf("of %d the last is %s", len(got), got[len(got)-1])
	}
}

// The cage adds players, and nobody else.
func TestACashierRegistersPlayers(t *testing.T) {
	d := newDesk(t, nil)
	cat := identity.ChangeRequest{By: access.Person{Name: "cat", Role: access.Cashier}, Why: "a new patron"}
	if u, err := d.AddUser(ctx(), cat, "ann", access.Player, secret); err != nil || u.Role != access.Player {
		t.Fatal(u, err)
	}
	d.in("ann", secret)
	for _, role := range access.Roles() {
		var denied *access.Denied
		if role == access.Guest || role == access.Player {
			continue
		}
		if _, err := d.AddUser(ctx(), cat, "eve", role, secret); !errors.As(err, &denied) || denied.Need != access.ManageUsers {
			t.Errorf("%s: %v", role, err)
		}
	}
	for what, err := range map[string]error{
		"a password":   d.SetPassword(ctx(), cat, "ann", another),
		"all sessions": d.EndSessions(ctx(), cat, "ann"),
		"by a dealer": func() error {
			_, err := d.AddUser(ctx(), identity.ChangeRequest{By: access.Person{Name: "dan", Role: access.Dealer}, Why: "x"}, "bob", access.Player, secret)
			return err
		}(),
		"another role": func() error { _, err := d.SetRole(ctx(), cat, "ann", access.Dealer); return err }(),
		"shutting out": func() error { _, err := d.Disable(ctx(), cat, "ann"); return err }(),
		"letting in":   func() error { _, err := d.Enable(ctx(), cat, "ann"); return err }(),
	} {
		if !errors.As(err, new(*access.Denied)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWhoPlays(t *testing.T) {
	d := newDesk(t, nil)
	d.add(sue, secret)
	d.add(ann, secret)
	d.add(access.Person{Name: "out", Role: access.Player}, secret)
	_, err := d.Disable(ctx(), forSure, "out")
	_, _, bot := d.AddToken(ctx(), forSure, "bot", access.Player, d.now.Load()+1000)
	_, _, eye := d.AddToken(ctx(), forSure, "eye", access.Surveillance, d.now.Load()+1000)
	stays, here, guest := d.Guest(ctx(), home, "")
	leaves, gone, other := d.Guest(ctx(), home, "")
	if err := errors.Join(err, bot, eye, guest, other, d.Logout(ctx(), leaves)); err != nil {
		t.Fatal(err)
	}
	_, _, err = d.AddToken(ctx(), forSure, "twice", access.Player, d.now.Load()+1000)
	off, _, err2 := d.AddToken(ctx(), forSure, "twice", access.Player, d.now.Load()+2000)
	revoked, _, err3 := d.AddToken(ctx(), forSure, "revoked", access.Player, d.now.Load()+2000)
	_, err4 := d.RevokeToken(ctx(), forSure, off.ID)
	_, err5 := d.RevokeToken(ctx(), forSure, revoked.ID)
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	d.want(stays, here.Person)
	for name, want := range map[string]bool{
		"ann": true, "bot": true, here.Name: true, "twice": true, "revoked": false,
		"sue": false, "out": false, "eye": false, gone.Name: false, "nobody": false, "": false,
	} {
		if got := d.Plays(name); got != want {
			t.Errorf("%s plays: %t", name, got)
		}
	}
	d.now.Add(1000)
	if d.Plays("bot") || d.Plays("twice") {
		t.Error("a machine plays whose tokens have ended")
	}
	for name, want := range map[string]bool{gone.Name: true, here.Name: false, "ann": false, "nobody": false, "guest-": true} {
		if got := d.HasLeft(name); got != want {
			t.Errorf("%s has left: %t", name, got)
		}
	}
}

// TestWhoIsActive holds that a person is active for a minute after a request or a look
// of any session or token of theirs, to the millisecond.
func TestWhoIsActive(t *testing.T) {
	d := newDesk(t, nil)
	d.add(ann, secret)
	begun := d.now.Load()
	active := func(ms int64, name string, want bool) {
		t.Helper()
		d.now.Store(begun + ms)
		if got := d.Active(name); got != want {
			t.Errorf("%s after %d ms: active %t", name, ms, got)
		}
	}
	active(0, "ann", false) // known, and not signed in
	token := d.in("ann", secret)
	active(59_999, "ann", true)
	active(60_000, "ann", false)
	if _, err := d.Check(token); err != nil { // a request
		t.Fatal(err)
	}
	active(119_999, "ann", true)
	active(120_000, "ann", false)
	if _, err := d.Peek(token); err != nil { // a page that stays open
		t.Fatal(err)
	}
	active(179_999, "ann", true)
	if err := d.Logout(ctx(), token); err != nil {
		t.Fatal(err)
	}
	active(179_999, "ann", false)

	machine := identity.ChangeRequest{By: access.Person{Name: "root", Role: access.Administrator}, Why: "a program that plays"}
	made, text, err := d.AddToken(ctx(), machine, "bot", access.Player, begun+3_600_000)
	if err != nil {
		t.Fatal(err)
	}
	active(200_000, "bot", false)
	if _, err := d.Machine(text); err != nil {
		t.Fatal(err)
	}
	active(259_999, "bot", true)
	active(260_000, "bot", false)
	if _, err := d.Machine(text); err != nil {
		t.Fatal(err)
	}
	if _, err := d.RevokeToken(ctx(), machine, made.ID); err != nil {
		t.Fatal(err)
	}
	active(260_000, "bot", false)
}

// Nobody takes the place of a person who has a hand to decide. The person themselves may sign
// in anew. Anybody may when nothing is left to decide or another session of the person goes on.
func TestNoSignInTakesAHandAway(t *testing.T) {
	deciding := map[string]bool{}
	d := newDesk(t, func(w *identity.World) { w.Deciding = func(name string) bool { return deciding[name] } })
	d.add(access.Person{Name: "ann", Role: access.Player}, secret)
	d.add(access.Person{Name: "ben", Role: access.Player}, secret)
	instead := func(name, replaces string) (string, error) {
		token, _, err := d.Login(ctx(), identity.Credentials{Name: name, Password: secret, From: home, Replaces: replaces})
		return token, err
	}
	guest, s, err := d.Guest(ctx(), home, "")
	if err != nil {
		t.Fatal(err)
	}
	deciding[s.Name] = true
	if _, err := instead("ann", guest); !errors.Is(err, identity.ErrDeciding) {
		t.Errorf("ann takes the place of a guest who has to decide: %v", err)
	}
	if _, _, err := d.Guest(ctx(), home, guest); !errors.Is(err, identity.ErrDeciding) {
		t.Errorf("another guest takes the place of one who has to decide: %v", err)
	}
	d.want(guest, s.Person)
	deciding[s.Name] = false
	ann, err := instead("ann", guest)
	if err != nil {
		t.Fatal(err)
	}
	d.want(guest, nobody)
	deciding["ann"] = true
	if _, err := instead("ben", ann); !errors.Is(err, identity.ErrDeciding) {
		t.Errorf("ben takes the place of ann, who has to decide: %v", err)
	}
	if _, _, err := d.Guest(ctx(), home, ann); !errors.Is(err, identity.ErrDeciding) {
		t.Errorf("a guest takes the place of ann, who has to decide: %v", err)
	}
	if ann, err = instead("ann", ann); err != nil {
		t.Errorf("ann signs in anew: %v", err)
	}
	d.in("ann", secret) // at another machine
	if _, err := instead("ben", ann); err != nil {
		t.Errorf("ben takes the place of ann, who is signed in elsewhere: %v", err)
	}
	if _, err := instead("ben", "no token"); err != nil {
		t.Errorf("ben takes nobody's place: %v", err)
	}
}
