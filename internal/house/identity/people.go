package identity

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/sentence"
)

// The errors of this package. A [*access.Denied] says that somebody's role may
// not do it.
var (
	// ErrBadLogin: the name or the password is wrong, or the user is shut out.
	ErrBadLogin = errors.New("the name or the password is wrong")
	// ErrNoSession: the token is of no session, or of one that has ended.
	ErrNoSession = errors.New("you are not logged in, or your session has ended: log in")
	// ErrNoToken: the token is of no machine, or has expired or been revoked.
	ErrNoToken = errors.New("this token is not known, has expired or was revoked: ask an administrator for a new one")
	// ErrBusy: too many are logging in at this moment.
	ErrBusy = errors.New("too many people are logging in: try again in a moment")
	// ErrNoGuests: the house takes no guests.
	ErrNoGuests = errors.New("this house takes no guests: log in")
	// ErrFull: there are as many guests as the house takes.
	ErrFull = errors.New("there are as many guests as the house takes: try again later, or log in")
	// ErrInvalid is wrapped where a name, a password or another value cannot be.
	ErrInvalid = errors.New("invalid value")
	// ErrTaken: there is a user or a machine of this name.
	ErrTaken = errors.New("this name is taken")
	// ErrUnknown: no user and no token has that name.
	ErrUnknown = errors.New("there is no such user or token")
	// ErrAlready is wrapped where a change would change nothing.
	ErrAlready = errors.New("nothing to change")
	// ErrOwnAccount is wrapped where people try to do to themselves what somebody
	// else has to do.
	ErrOwnAccount = errors.New("this concerns your own account: somebody else with the right to do so must make or approve this change")
	// ErrLast: there would be no administrator left.
	ErrLast = errors.New("the house would be left without an administrator: make another user one first")
)

// User is a user of the house.
type User struct {
	Name       string      `json:"name"`
	Role       access.Role `json:"role"`
	Disabled   bool        `json:"disabled,omitempty"`
	SinceMs    int64       `json:"since_ms"`
	PasswordMs int64       `json:"password_ms"` // when it was set
	// SecondFactor reports whether the user has one here, and Provider is the user's
	// name at an identity provider, empty for somebody who signs in with a password.
	SecondFactor bool   `json:"second_factor,omitempty"`
	Provider     string `json:"provider,omitempty"`
}

// Token is the credential of a machine, instead of a name and a password. Several may be of one
// name, so that one can be replaced without a gap.
type Token struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Role    access.Role `json:"role"`
	SinceMs int64       `json:"since_ms"`
	EndsMs  int64       `json:"ends_ms"`
	Revoked bool        `json:"revoked,omitempty"`
}

// lasts reports whether the token lets its machine in.
func (t *Token) lasts(nowMs int64) bool { return !t.Revoked && nowMs < t.EndsMs }

// Limit is the lifetime of a session: IdleMs without being used, and MostMs in all.
type Limit struct{ IdleMs, MostMs int64 }

// Limits are the lifetimes of sessions.
type Limits struct{ Users, Guests Limit }

const (
	minuteMs = 60 * 1000
	hourMs   = 60 * minuteMs
	dayMs    = 24 * hourMs
)

// StandardLimits end a user's session after half an hour without use and after a
// shift, and a guest's after an hour and a day.
var StandardLimits = Limits{
	Users:  Limit{IdleMs: 30 * minuteMs, MostMs: 12 * hourMs},
	Guests: Limit{IdleMs: hourMs, MostMs: dayMs},
}

// World holds the effects that the package needs: clock, chance and record.
type World struct {
	// Record stores the changes to users and tokens.
	Record   house.Store
	Sessions SessionStore
	// NowMs is the house's clock, in milliseconds.
	NowMs func() int64
	// InTime, unless it is nil, refuses the time of a transaction, such as
	// [house.House.InTime] does.
	InTime func(ms int64) error
	// Random is a source of cryptographic randomness, safe for many goroutines.
	Random io.Reader
	// MaxGuests is the largest number of guests at once; none, if it is zero.
	MaxGuests int
	// MaxGuestsAnAddress is the largest number of them from one address. Zero is half of all,
	// and 100 at most, so that one address never takes all places.
	MaxGuestsAnAddress int
	// SharedAddress says that people come from the address of something that
	// stands before the house: neither guests nor failures are counted by it then.
	SharedAddress bool
	// Deciding reports whether a person has something to decide at a table, so that
	// a sign-out waits; nil is nobody.
	Deciding func(name string) bool
	// SecondFactor are the roles that sign in with a second factor. Sealer encrypts the secrets
	// of codes, and Issuer is the name of the house in an app or a passkey.
	SecondFactor []access.Role
	Sealer       Sealer
	Issuer       string
	// Origins are those by which browsers reach the house under a host name, such as
	// https://trey.example: passkeys work there and nowhere else.
	Origins []string
	// OnePerson says that this is a demonstration, in which one person does what takes two
	// elsewhere.
	OnePerson bool
	// Reading says that another process writes the record and the sessions: nothing is
	// changed here, and [Directory.Take] takes in what they come to.
	Reading bool
	// Limits are StandardLimits if they are zero.
	Limits Limits
	// Cost is of new hashes, StandardCost if it is zero. Tests take less.
	Cost Cost
}

// Directory is everybody the house knows. It is safe for use by many goroutines.
type Directory struct {
	world             World
	hasher            *hasher
	byUser, byAddress *throttle
	misses            misses
	tickets           tickets

	// changing is held from the decision to change a user or a token until it is
	// durable, so memory is never ahead of the record. version is the stream's, and written
	// that of its latest snapshot.
	changing         sync.Mutex
	version, written int64

	mu       sync.RWMutex
	ending   chan struct{} // of [Directory.Ended], nil where nobody waits
	users    map[string]*user
	tokens   map[SessionID]*token
	byNumber map[string]*token
	sessions map[SessionID]*session
	byName   map[string]map[SessionID]*session
	guests   int
	guestsAt map[netip.Prefix]int
	left     []string // guests whose sessions have ended
	// endings are those of sessions that their holders ended lately, in order.
	endings []ending
	staff   staffWorld
}

// Open reads users, tokens and sessions from the record. There is one People for
// a record.
func Open(ctx context.Context, w World) (*Directory, error) {
	if err := house.CheckNames(ctx, w.Record); err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	w.Record = house.Named(w.Record)
	w.Limits = cmp.Or(w.Limits, StandardLimits)
	w.Cost = cmp.Or(w.Cost, StandardCost)
	w.MaxGuestsAnAddress = cmp.Or(w.MaxGuestsAnAddress, min(100, max(1, w.MaxGuests/2)))
	p := &Directory{
		world:    w,
		sessions: map[SessionID]*session{}, byName: map[string]map[SessionID]*session{}, guestsAt: map[netip.Prefix]int{},
		tickets: tickets{all: map[SessionID]*ticket{}, additions: map[SessionID]*addition{}},
	}
	var errs [3]error
	p.hasher, errs[0] = newHasher(w.Cost, w.Random)
	p.byUser, errs[1] = newThrottle(freeByName, mostByNameMs, w.Random)
	p.byAddress, errs[2] = newThrottle(freeByAddress, mostByAddrMs, w.Random)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if err := p.load(ctx); err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	if !w.Reading {
		if err := p.checkFactors(); err != nil {
			return nil, err
		}
	}
	ended := p.ended()
	var outlived SessionWrite // its end was recorded, and the process failed before it was dropped
	err := w.Sessions.ReadSessions(ctx, func(kept KeptSession) error {
		if ended[kept.ID.public()] {
			outlived.Drop = append(outlived.Drop, kept.ID)
			return nil
		}
		s := &session{KeptSession: kept}
		s.seenMs.Store(kept.SeenMs)
		s.savedMs.Store(kept.SeenMs)
		p.enter(s)
		if s.Guest {
			p.place(s, 1)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the sessions: %w", err)
	}
	if len(outlived.Drop) > 0 && !w.Reading {
		if err := <-w.Sessions.WriteSessions(outlived); err != nil {
			return nil, fmt.Errorf("drop sessions that have ended: %w", err)
		}
	}
	return p, nil
}

// ended returns the sessions that their holders have ended, by the names that the record has
// for them. p.mu is held, or nobody else has p.
func (p *Directory) ended() map[string]bool {
	ended := make(map[string]bool, len(p.endings))
	for _, e := range p.endings {
		ended[e.Session] = true
	}
	return ended
}

// maxName is the longest name of a user or a machine, in bytes.
const maxName = 64

// Names are such that no two look alike, and none is the house's own.
var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._@-]*$`)

// CheckName refuses what cannot be the name of a user or a machine, with an error
// that wraps [ErrInvalid].
func CheckName(name string) error {
	switch {
	case len(name) > maxName || !nameForm.MatchString(name):
		return sentence.Errorf("%s: a name has at most %d of a-z, 0-9 and . _ @ -, and begins with a letter or a digit", ErrInvalid, maxName)
	case strings.HasPrefix(name, guestMark):
		return sentence.Errorf("%s: names that begin with %s are for guests", ErrInvalid, guestMark)
	}
	return nil
}

func checkMember(name string, role access.Role) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if !role.Valid() || role == access.Guest {
		return sentence.Errorf("%s: a user or a machine has a role, and is no guest", ErrInvalid)
	}
	return nil
}

const maxWhy = 500

// CheckWhy refuses what cannot be the reason of something that is recorded, with an error that
// wraps [ErrInvalid].
func CheckWhy(why string) error {
	if strings.TrimSpace(why) == "" || len(why) > maxWhy || !utf8.ValidString(why) {
		return sentence.Errorf("%s: say why, in at most %d bytes: it stands in the log", ErrInvalid, maxWhy)
	}
	return nil
}

// Users lists the users in order of their names.
func (p *Directory) Users() []User {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make([]User, 0, len(p.users))
	for _, u := range p.users {
		all = append(all, u.User)
	}
	slices.SortFunc(all, func(a, b User) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// User returns a user, or [ErrUnknown].
func (p *Directory) User(name string) (User, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if u := p.users[name]; u != nil {
		return u.User, nil
	}
	return User{}, sentence.Errorf("%.70q: %s", name, ErrUnknown)
}

// ChangeRequest is a request to change users or tokens.
type ChangeRequest struct {
	// Key is the idempotency key, empty for none. Keys are each person's own.
	Key string
	By  access.Person
	// Why stands in the log.
	Why string
}

// storedKey returns the key under which a person's idempotency key is recorded, apart from
// those of the house.
func storedKey(name, key string) string { return fmt.Sprintf("people %q %s", name, key) }

// Recorded reports whether a change is recorded under an idempotency key of a person. A
// repeated request then gets its answer, and the change is not made again.
func (p *Directory) Recorded(ctx context.Context, name, key string) (bool, error) {
	if key == "" {
		return false, nil
	}
	_, err := p.world.Record.Find(ctx, storedKey(name, key))
	if errors.Is(err, house.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// maxKey is the longest idempotency key, in bytes, as in the house.
const maxKey = 200

// commit records one change. It takes the change, a check whether it may be made now, and the
// answer if the same was done before under its key. It returns the event that stands in the
// record for it.
func (p *Directory) commit(ctx context.Context, o ChangeRequest, kind string, c change, may func(*change) error, again func(change) error) (change, error) {
	c.By, c.Why = o.By.Name, o.Why
	cause, err := causeOf(o.By, kind, c.asked())
	if err != nil {
		return c, err
	}
	tx := &house.Transaction{Cause: cause}
	p.changing.Lock()
	defer p.changing.Unlock()
	if o.Key != "" {
		if len(o.Key) > maxKey || !utf8.ValidString(o.Key) {
			return c, fmt.Errorf("%w: an idempotency key is text of at most %d bytes", ErrInvalid, maxKey)
		}
		// The keys of the house begin with a quotation mark: these are others.
		tx.Key = storedKey(o.By.Name, o.Key)
		receipt, err := p.world.Record.Find(ctx, tx.Key)
		if err == nil {
			house.Replayed(ctx)
			return repeated(receipt, &cause, again)
		}
		if !errors.Is(err, house.ErrNotFound) {
			return c, err
		}
	}
	p.mu.RLock()
	err = p.acts(o.By)
	if err == nil {
		err = may(&c)
	}
	p.mu.RUnlock()
	if err != nil {
		return c, err
	}
	if kind == tokenAdded {
		c.Token = fmt.Sprintf("t%d", p.version+1)
	}
	e, err := Events.WriteAs(kind, c)
	if err != nil {
		return c, err
	}
	tx.AtMs = p.world.NowMs()
	if p.world.InTime != nil {
		if err := p.world.InTime(tx.AtMs); err != nil {
			return c, err
		}
	}
	if err := p.append(tx, []house.Event{e}); err != nil {
		return c, fmt.Errorf("%s was not recorded: %w", kind, err)
	}
	return c, nil
}

// repeated answers a change whose key was used before.
func repeated(r *house.Receipt, cause *house.Cause, again func(change) error) (change, error) {
	if err := r.Answers(cause); err != nil {
		return change{}, err
	}
	if len(r.Parts) != 1 || len(r.Parts[0].Events) != 1 {
		return change{}, fmt.Errorf("%w: transaction %d is no change of a user", house.ErrCorrupt, r.Seq)
	}
	c, err := Events.Read(r.Parts[0].Events[0])
	if err != nil {
		return change{}, house.Corrupt(err, "")
	}
	if again != nil {
		err = again(c)
	}
	return c, err
}

// SignedOut reports whether an error says that somebody may not act any more: their session has ended,
// or their token, or they lost their role.
func SignedOut(err error) bool { return errors.Is(err, ErrNoSession) || errors.Is(err, ErrNoToken) }

// Acts returns an error that wraps [ErrNoSession] if the house has shut a person out or given
// them another role since they were let in. For a machine without a token any more, it wraps
// [ErrNoToken].
func (p *Directory) Acts(by access.Person) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.acts(by)
}

// acts refuses a person whom the house has shut out, or given another role, since they were
// let in, and a machine without a token. p.mu is held.
func (p *Directory) acts(by access.Person) error {
	if by.Machine {
		nowMs := p.world.NowMs()
		for _, t := range p.byNumber {
			if t.Name == by.Name && t.Role == by.Role && t.lasts(nowMs) {
				return nil
			}
		}
		return sentence.Errorf("%s: %s", by.Name, ErrNoToken)
	}
	if u := p.users[by.Name]; u != nil && (u.Disabled || u.Role != by.Role) {
		return sentence.Errorf("%s: %s", by.Name, ErrNoSession)
	}
	return nil
}

// Demonstration lets the staff of a demonstration in, and gives no reason.
var Demonstration = access.Person{Name: "the demonstration", Role: access.Administrator}

// ErrNoDemonstration: a record has users of its own.
var ErrNoDemonstration = errors.New("this is the record of a house with users of its own, and no demonstration")

// CheckDemonstration refuses, with [ErrNoDemonstration], a record whose first user the
// demonstration did not add. In a demonstration one person does what takes two.
func CheckDemonstration(ctx context.Context, record house.Store) error {
	found := errors.New("somebody was added")
	first := Demonstration.Name
	err := house.Named(record).Read(ctx, Stream, 0, func(r house.StoredEvent) error {
		if r.Kind != userAdded {
			return nil
		}
		c, err := Events.Read(r.Event)
		if err != nil {
			return house.Corrupt(err, "")
		}
		first = c.By
		return found
	})
	switch {
	case err != nil && !errors.Is(err, found):
		return fmt.Errorf("read the users: %w", err)
	case first != Demonstration.Name:
		return ErrNoDemonstration
	}
	return nil
}

// manage carries out a change by a person who manages others.
func (p *Directory) manage(ctx context.Context, o ChangeRequest, need access.Permission, kind string, c change, may func(*change) error, again func(change) error) (change, error) {
	if err := o.By.Check(need); err != nil {
		return c, err
	}
	if o.By != Demonstration {
		if err := CheckWhy(o.Why); err != nil {
			return c, err
		}
	}
	return p.commit(ctx, o, kind, c, may, again)
}

// free refuses a name that is a user's or, in another role, a machine's. p.mu is
// held.
func (p *Directory) free(name string, role access.Role, machine bool) error {
	if p.users[name] != nil {
		return sentence.Errorf("%s: %s", name, ErrTaken)
	}
	for _, t := range p.byNumber {
		if t.Name == name && (!machine || t.Role != role) {
			return sentence.Errorf("%s is a machine, %s: %s", name, sentence.Word(t.Role.Words()), ErrTaken)
		}
	}
	return nil
}

// AddUser adds a user with a password. Repeated under its key, it needs the same
// password. A player can be added by whoever registers players.
func (p *Directory) AddUser(ctx context.Context, o ChangeRequest, name string, role access.Role, password string) (User, error) {
	need := access.ManageUsers
	if role == access.Player {
		need = access.RegisterPlayer
	}
	if err := o.By.Check(need); err != nil {
		return User{}, err
	}
	if err := errors.Join(checkMember(name, role), CheckPassword(name, password)); err != nil {
		return User{}, err
	}
	hash, err := p.hasher.hash(ctx, o.By.Name, password)
	if err != nil {
		return User{}, err
	}
	_, err = p.manage(ctx, o, need, userAdded, change{Name: name, Role: role, Hash: hash}, func(c *change) error {
		if err := p.oneIsEnough(AddUser, role, c); err != nil {
			return err
		}
		return p.free(name, role, false)
	}, p.samePassword(ctx, o.By.Name, password))
	if err != nil {
		return User{}, err
	}
	return p.User(name)
}

// samePassword holds a repeated command to the password of the first time: the
// password stands in no record that the input could be compared with.
func (p *Directory) samePassword(ctx context.Context, by, password string) func(change) error {
	return func(before change) error {
		same, err := p.hasher.matches(ctx, inSession(by), password, before.Hash)
		if err == nil && !same {
			err = house.ErrKeyReused
		}
		return err
	}
}

// known refuses a change of a user whom there is not, or of oneself. p.mu is held.
func (p *Directory) known(o ChangeRequest, name string) (*user, error) {
	u := p.users[name]
	if u == nil || CheckName(name) != nil { // The number of a name that was erased is nobody any more.
		return nil, sentence.Errorf("%.70q: %s", name, ErrUnknown)
	}
	if o.By.Name == name {
		return nil, sentence.Errorf("%s: %s", name, ErrOwnAccount)
	}
	return u, nil
}

// last refuses to take away the last administrator who is a user: machines may
// act as one, and their tokens end. p.mu is held.
func (p *Directory) last(u *user) error {
	if u.Role != access.Administrator || u.Disabled {
		return nil
	}
	for _, other := range p.users {
		if other != u && other.Role == access.Administrator && !other.Disabled {
			return nil
		}
	}
	return sentence.Errorf("%s: %s", u.Name, ErrLast)
}

// SetRole gives a user another role and ends their sessions. Nobody changes their own.
func (p *Directory) SetRole(ctx context.Context, o ChangeRequest, name string, role access.Role) (User, error) {
	if err := checkMember(name, role); err != nil {
		return User{}, err
	}
	_, err := p.manage(ctx, o, access.ManageUsers, roleChanged, change{Name: name, Role: role}, func(c *change) error {
		if err := p.possible(GiveRole, o.By, c); err != nil {
			return err
		}
		return p.oneIsEnough(GiveRole, role, c)
	}, nil)
	if err != nil {
		return User{}, err
	}
	return p.User(name)
}

// Disable shuts a user out and ends their sessions. Nobody disables themselves, and the last
// administrator stays, so there is always somebody who can let others in.
func (p *Directory) Disable(ctx context.Context, o ChangeRequest, name string) (User, error) {
	return p.setDisabled(ctx, o, name, true)
}

// Enable lets a user in again who was shut out.
func (p *Directory) Enable(ctx context.Context, o ChangeRequest, name string) (User, error) {
	return p.setDisabled(ctx, o, name, false)
}

func (p *Directory) setDisabled(ctx context.Context, o ChangeRequest, name string, disabled bool) (User, error) {
	kind := userEnabled
	if disabled {
		kind = userDisabled
	}
	_, err := p.manage(ctx, o, access.ManageUsers, kind, change{Name: name}, func(c *change) error {
		if disabled {
			return p.mayBeDisabled(o.By, name)
		}
		u, err := p.known(o, name)
		if err == nil && !u.Disabled {
			err = sentence.Errorf("%s: %s", name, ErrAlready)
		}
		if err == nil {
			err = p.oneIsEnough(EnableUser, u.Role, c)
		}
		return err
	}, nil)
	if err != nil {
		return User{}, err
	}
	return p.User(name)
}

// mayBeDisabled refuses to shut out who is, oneself, and the last administrator. p.mu is held.
func (p *Directory) mayBeDisabled(by access.Person, name string) error {
	u, err := p.known(ChangeRequest{By: by}, name)
	switch {
	case err != nil:
		return err
	case u.Disabled:
		return sentence.Errorf("%s: %s", name, ErrAlready)
	}
	return p.last(u)
}

// SetPassword gives a user a new password and ends their sessions, for a user who has forgotten
// theirs. A user changes their own by [Directory.ChangePassword].
func (p *Directory) SetPassword(ctx context.Context, o ChangeRequest, name, password string) error {
	if err := o.By.Check(access.ManageUsers); err != nil {
		return err
	}
	if err := CheckPassword(name, password); err != nil {
		return err
	}
	hash, err := p.hasher.hash(ctx, o.By.Name, password)
	if err != nil {
		return err
	}
	_, err = p.manage(ctx, o, access.ManageUsers, passwordSet, change{Name: name, Hash: hash}, func(c *change) error {
		u, err := p.known(o, name)
		if err != nil {
			return err
		}
		if u.Provider != "" {
			return fmt.Errorf("%s: %w", name, ErrNoPassword)
		}
		return p.oneIsEnough(GivePassword, u.Role, c)
	}, p.samePassword(ctx, o.By.Name, password))
	return err
}

// ChangePassword changes one's own password and ends all of one's sessions. The
// old one is asked for, and guessing it is slowed down like a login.
func (p *Directory) ChangePassword(ctx context.Context, o ChangeRequest, from netip.Addr, old, password string) error {
	name := o.By.Name
	if err := CheckPassword(name, password); err != nil {
		return err
	}
	// Only a session of theirs comes here, so nobody else uses these attempts up.
	before, err := p.authenticate(ctx, name, old, from, "own password "+name)
	if err != nil {
		return err
	}
	if password == old {
		return sentence.Errorf("%s: the new password is the old one: choose another", ErrInvalid)
	}
	hash, err := p.hasher.hash(ctx, o.By.Name, password)
	if err != nil {
		return err
	}
	_, err = p.commit(ctx, o, passwordSet, change{Name: name, Hash: hash}, func(*change) error {
		if u := p.users[name]; u == nil || u.epoch != before.epoch {
			return ErrBadLogin // It was changed by somebody else meanwhile.
		}
		return nil
	}, p.samePassword(ctx, o.By.Name, password))
	return err
}

// EndSessions ends all sessions of a user: one's own, or as somebody who manages
// users. A guest's own one ends without a word in the record, as by [Directory.Logout].
func (p *Directory) EndSessions(ctx context.Context, o ChangeRequest, name string) error {
	if o.By.Name != name {
		if err := o.By.Check(access.ManageUsers); err != nil {
			return err
		}
	}
	if o.By.Name != name {
		if err := CheckWhy(o.Why); err != nil {
			return err
		}
	}
	if all := p.guestSessions(name); o.By.Name == name && len(all) > 0 {
		var errs []error
		for _, id := range all {
			errs = append(errs, p.drop(id))
		}
		return errors.Join(errs...)
	}
	_, err := p.commit(ctx, o, sessionsEnded, change{Name: name}, func(*change) error {
		if p.users[name] == nil {
			return sentence.Errorf("%.70q: %s", name, ErrUnknown)
		}
		return nil
	}, nil)
	return err
}

// maxTokenMs is the longest lifetime of a token.
const maxTokenMs = 366 * dayMs

// checkEnd refuses an end of a token that is past or too far away.
func (p *Directory) checkEnd(endsMs int64) error {
	if nowMs := p.world.NowMs(); endsMs <= nowMs || endsMs > nowMs+maxTokenMs {
		return sentence.Errorf("%s: a token ends in the future, within a year", ErrInvalid)
	}
	return nil
}

// AddToken makes a token for a machine, and returns its text, once: repeated under its key it
// is empty.
func (p *Directory) AddToken(ctx context.Context, o ChangeRequest, name string, role access.Role, endsMs int64) (Token, string, error) {
	if err := checkMember(name, role); err != nil {
		return Token{}, "", err
	}
	if err := p.checkEnd(endsMs); err != nil {
		return Token{}, "", err
	}
	text, id, err := newSecret(p.world.Random, machineMark)
	if err != nil {
		return Token{}, "", err
	}
	c := change{Name: name, Role: role, Hash: hex.EncodeToString(id[:]), EndsMs: endsMs}
	done, err := p.manage(ctx, o, access.ManageTokens, tokenAdded, c,
		func(c *change) error {
			if err := p.oneIsEnough(IssueToken, role, c); err != nil {
				return err
			}
			return p.free(name, role, true)
		},
		func(change) error { text = ""; return nil })
	if err != nil {
		return Token{}, "", err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byNumber[done.Token].Token, text, nil
}

// RevokeToken ends a machine's token.
func (p *Directory) RevokeToken(ctx context.Context, o ChangeRequest, id string) (Token, error) {
	p.mu.RLock()
	t := p.byNumber[id]
	p.mu.RUnlock()
	if t == nil {
		if err := o.By.Check(access.ManageTokens); err != nil {
			return Token{}, err
		}
		return Token{}, sentence.Errorf("%.70q: %s", id, ErrUnknown)
	}
	_, err := p.manage(ctx, o, access.ManageTokens, tokenRevoked, change{Name: t.Name, Token: id}, func(*change) error {
		if t.Revoked {
			return sentence.Errorf("%s: %s", id, ErrAlready)
		}
		return nil
	}, nil)
	if err != nil {
		return Token{}, err
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return t.Token, nil
}

// Tokens lists the tokens, also those that have ended, in the order in which they
// were made.
func (p *Directory) Tokens() []Token {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := make([]Token, 0, len(p.byNumber))
	for _, t := range p.byNumber {
		all = append(all, t.Token)
	}
	slices.SortFunc(all, func(a, b Token) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Machine returns who a token is of, or [ErrNoToken].
func (p *Directory) Machine(text string) (access.Person, error) {
	id, ok := idOf(text, machineMark)
	if !ok {
		return access.Person{}, ErrNoToken
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	t, nowMs := p.tokens[id], p.world.NowMs()
	if t == nil || !t.lasts(nowMs) {
		return access.Person{}, ErrNoToken
	}
	advance(&t.usedMs, nowMs)
	return access.Person{Name: t.Name, Role: t.Role, Machine: true}, nil
}

// Initial is a user that a configuration names.
type Initial struct {
	Name string
	Role access.Role
	// Hash is of the user's password, as trey password prints it.
	Hash string
}

// Ensure adds the initial users to a house that has no users yet, all of them or none,
// and returns the names of those whom the house does not know. After that, users are
// managed in the house and not in its configuration: whoever edits the file adds nobody.
func (p *Directory) Ensure(ctx context.Context, source string, initial []Initial) (added, unknown []string, err error) {
	for _, one := range initial {
		_, malformed := parseHash(one.Hash)
		if err := errors.Join(checkMember(one.Name, one.Role), malformed); err != nil {
			return nil, nil, fmt.Errorf("user %.70q of %s: %w", one.Name, source, err)
		}
	}
	p.changing.Lock()
	defer p.changing.Unlock()
	p.mu.RLock()
	for _, one := range initial {
		if p.users[one.Name] == nil {
			unknown = append(unknown, one.Name)
		}
	}
	first := len(p.users) == 0
	p.mu.RUnlock()
	if !first || len(unknown) == 0 {
		return nil, unknown, nil
	}
	cause, err := causeOf(access.Person{Name: founder, Role: access.Administrator}, addFirstUsers, asked{})
	if err != nil {
		return nil, nil, err
	}
	var events []house.Event
	for _, one := range initial {
		if slices.Contains(added, one.Name) {
			return nil, nil, fmt.Errorf("user %s of %s: %w", one.Name, source, ErrTaken)
		}
		added = append(added, one.Name)
		e, err := Events.WriteAs(userAdded, change{Name: one.Name, Role: one.Role, Hash: one.Hash, By: founder, Because: becauseConfigured})
		if err != nil {
			return nil, nil, err
		}
		events = append(events, e)
	}
	if err := p.append(&house.Transaction{AtMs: p.world.NowMs(), Cause: cause}, events); err != nil {
		return nil, nil, fmt.Errorf("the first users were not recorded: %w", err)
	}
	return added, nil, nil
}
