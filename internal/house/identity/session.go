package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"trey/internal/house/access"
)

// SessionID is the stored form of a token: its SHA-256. A person who reads it cannot come back
// as the token's holder.
type SessionID [sha256.Size]byte

func parseID(text string) (id SessionID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%q is no SHA-256", text)
	}
	return SessionID(b), nil
}

// KeptSession is a session as it is kept.
type KeptSession struct {
	ID    SessionID
	Name  string
	Guest bool
	// Epoch is which period of its user the session belongs to.
	Epoch int64
	// SinceMs is the time at which it began, and SeenMs that of its latest recorded use: not
	// every use is recorded.
	SinceMs, SeenMs int64
}

// SessionWrite is a change of the stored sessions: all of it or nothing is written.
type SessionWrite struct {
	Put []KeptSession
	// Seen sets when sessions were used. One that is not there stays away.
	Seen []SessionSeen
	// Drop deletes sessions, also such as are not there.
	Drop []SessionID
}

// SessionSeen holds the time at which a session was used.
type SessionSeen struct {
	ID     SessionID
	SeenMs int64
}

// SessionStore keeps sessions while the house is closed. It is safe for use by
// many goroutines.
type SessionStore interface {
	// WriteSessions queues a change and returns at once. The channel has room for the one value
	// that it receives, when the change is durable or when it never will be, so nobody has to
	// wait for it. Changes are made in the order of the calls.
	WriteSessions(w SessionWrite) <-chan error
	// ReadSessions hands out all sessions, in no order, and stops at the first
	// error of yield, which it returns.
	ReadSessions(ctx context.Context, yield func(KeptSession) error) error
}

// Session is somebody's session.
type Session struct {
	access.Person
	// SinceMs is the time at which it began. It ends at EndsMs, or before that at IdleMs if it
	// is not used until then.
	SinceMs, IdleMs, EndsMs int64
	// Device is the token that the person's device keeps and sends with the next sign-in. It is
	// empty in all sessions but one that has just begun.
	Device string
	// Recovery holds the recovery codes of a second factor that was just enrolled, with
	// blanks between them. They are shown once.
	Recovery string
	// PasswordDue reports whether the holder has to change their password before anything
	// else.
	PasswordDue bool
}

// session is a session in memory.
type session struct {
	KeptSession
	seenMs, savedMs atomic.Int64
	watchedMs       atomic.Int64 // when an open page of it was last served
	at              netip.Prefix // whence a guest came
}

const (
	tokenBytes   = 32
	tokenLength  = 43 // of base64 without padding
	machineMark  = "trey_"
	guestMark    = "guest-"
	maxPerUser   = 32
	maxDropWrite = 1000
)

// newSecret draws a token of 256 bits, and what is kept of it.
func newSecret(random io.Reader, mark string) (string, SessionID, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", SessionID{}, fmt.Errorf("no randomness for a token: %w", err)
	}
	text := mark + base64.RawURLEncoding.EncodeToString(b[:])
	return text, sha256.Sum256([]byte(text)), nil
}

// idOf returns what is kept of a token, unless it cannot be one.
func idOf(text, mark string) (id SessionID, ok bool) {
	if len(text) != len(mark)+tokenLength || !strings.HasPrefix(text, mark) {
		return id, false
	}
	return sha256.Sum256([]byte(text)), true
}

// Credentials are the name and the password of a person who signs in.
type Credentials struct {
	Name, Password string
	// From is the address of the request.
	From netip.Addr
	// Replaces is the token of the session that the new one replaces, if there is one. A person
	// who knew the old token is not let in with the user.
	Replaces string
	// Device is the [Session.Device] of an earlier sign-in from the same device, empty
	// for none.
	Device string
	// Origin is that of the page that asks, as its browser says it, so that a passkey may be
	// asked for; empty for the first of [World.Origins].
	Origin string
}

// Login begins a session for a user who knows the password. It answers [ErrBadLogin] to a wrong
// password, an unknown name and a disabled user alike, a [*Throttled] after too many failures,
// and [ErrBusy] while too many others are logging in. The token is returned once and never
// again.
func (p *Directory) Login(ctx context.Context, c Credentials) (token string, s Session, err error) {
	name := strings.ToLower(c.Name)
	if len(name) > maxName {
		name = name[:maxName+1] // No user has such a name; failures are counted all the same.
	}
	if err := p.mayReplace(c.Replaces, name); err != nil {
		return "", Session{}, err
	}
	device := p.deviceOf(name, c.Device)
	u, err := p.authenticate(ctx, name, c.Password, c.From, device.key())
	if err != nil {
		return "", Session{}, err
	}
	if device == nil {
		if device, err = newDevice(p.world.Random); err != nil {
			return "", Session{}, err
		}
	}
	if p.needsSecond(&u) {
		return "", Session{}, p.ask(&u, device, c.Origin)
	}
	return p.start(ctx, &u, c, change{}, device)
}

// start begins a session for a user who has shown who they are. In says how.
func (p *Directory) start(ctx context.Context, u *user, c Credentials, in change, device *device) (token string, s Session, err error) {
	if err := p.mayReplace(c.Replaces, u.Name); err != nil {
		return "", Session{}, err
	}
	nowMs := p.world.NowMs()
	token, id, err := newSecret(p.world.Random, "")
	if err != nil {
		return "", Session{}, err
	}
	in.Name, in.Role, in.Address, in.Session = u.Name, u.Role, c.From.String(), id.public()
	if err := p.note(ctx, access.Person{Name: u.Name, Role: u.Role}, loggedIn, in); err != nil {
		return "", Session{}, err
	}
	begun := &session{KeptSession: KeptSession{ID: id, Name: u.Name, Epoch: u.epoch, SinceMs: nowMs, SeenMs: nowMs}}
	begun.seenMs.Store(nowMs)
	begun.savedMs.Store(nowMs)
	w := SessionWrite{Put: []KeptSession{begun.KeptSession}}
	p.mu.Lock()
	if old, ok := idOf(c.Replaces, ""); ok && p.sessions[old] != nil {
		p.remove(old)
		w.Drop = append(w.Drop, old)
	}
	for len(p.byName[u.Name]) >= maxPerUser {
		oldest := p.oldest(u.Name)
		p.remove(oldest)
		w.Drop = append(w.Drop, oldest)
	}
	p.mu.Unlock()
	token, s, err = p.begin(begun, w, token)
	s.Device = device.text(u)
	return token, s, err
}

// Confirmed is a user who has shown that it is they, without a session.
type Confirmed struct {
	User
	// used is the second factor that was shown; its Method is empty for none.
	used change
}

// Confirm returns the user of a name and a password, without a session: for what people
// decide at the machine itself. Where the user signs in with a second factor, code asks for
// a code of an app or a recovery code: a passkey needs a browser. An error is as of
// [Directory.Login], [ErrBadCode] or [ErrNoFactor]. [Directory.NoteConfirmed] uses the code up.
func (p *Directory) Confirm(ctx context.Context, name, password string, code func() (string, error)) (c Confirmed, err error) {
	u, err := p.authenticate(ctx, name, password, netip.IPv6Loopback(), "")
	c.User = u.User
	switch {
	case err != nil:
		return c, err
	case u.due:
		return c, ErrPasswordDue
	case !p.needsSecond(&u):
		return c, nil
	case u.factor == nil:
		return c, fmt.Errorf("%s: %w", u.Name, ErrNoFactor)
	}
	text, err := code()
	if err != nil {
		return c, err
	}
	if hash := recoveryHash(text); slices.Contains(u.factor.codes, hash) {
		c.used = change{Method: "recovery-code", Codes: []string{hash}}
	} else if c.used, err = p.code(&u, text); err != nil {
		return c, err
	}
	c.used.Name, c.used.Role = u.Name, u.Role
	return c, nil
}

// NoteConfirmed records what somebody has shown to [Directory.Confirm], so that it is good for
// nothing else. It is for the record that comes of what was decided.
func (p *Directory) NoteConfirmed(ctx context.Context, c Confirmed) error {
	if c.used.Method == "" {
		return nil
	}
	return p.note(ctx, access.Person{Name: c.Name, Role: c.Role}, factorShown, c.used)
}

// authenticate returns the user of a name and a password. Every attempt is
// slowed down and worked at alike. Attempts are counted by the name and by the address, also
// the machine's own, where anybody can use them up. With a proof of the name's holder, such as
// a device, they are counted by the proof, so that nobody else keeps the holder out.
func (p *Directory) authenticate(ctx context.Context, name, password string, from netip.Addr, proof string) (user, error) {
	nowMs := p.world.NowMs()
	key := cmp.Or(proof, name)
	undo, of := func() {}, asker{keys: []string{key}, known: proof != ""}
	if proof == "" && !p.world.SharedAddress {
		address := network(from).String()
		of.keys = append(of.keys, address)
		there, waitMs := p.byAddress.begin(address, nowMs)
		if waitMs > 0 {
			return user{}, &Throttled{WaitMs: waitMs}
		}
		undo = func() { p.byAddress.undo(there) }
	}
	counted, waitMs := p.byUser.begin(key, nowMs)
	if waitMs > 0 {
		undo()
		return user{}, &Throttled{WaitMs: waitMs}
	}
	p.mu.RLock()
	var u user
	if known := p.users[name]; known != nil {
		u = *known
	}
	p.mu.RUnlock()
	hash := u.hash
	if u.Provider != "" {
		hash = "" // They come by the provider, and no password of the house lets them in.
	}
	ok, err := p.hasher.matches(ctx, of, password, hash)
	switch {
	case err != nil:
		undo()
		p.byUser.undo(counted)
		return user{}, err
	case !ok || u.Disabled:
		// Whether there is such a user does not show in how long this takes.
		return user{}, p.failed(ctx, &u, from)
	}
	undo()
	p.byUser.passed(key)
	return u, nil
}

// recordedAnHour is the number of failed attempts recorded in an hour, each by itself: a flood
// of them must not fill a disk.
const recordedAnHour = 600

// misses counts failed attempts.
type misses struct {
	sync.Mutex
	sinceMs       int64 // when the hour began
	n, unrecorded int64
}

// failed writes a failed attempt down and returns how it is answered. A name that
// is nobody's is left out: it may be a password.
func (p *Directory) failed(ctx context.Context, u *user, from netip.Addr) error {
	why := becauseWrongPassword
	switch {
	case u.Name == "":
		why = becauseUnknownName
	case u.Disabled:
		why = becauseShutOut
	}
	return p.failedBy(ctx, u, from, why)
}

// failedBy records a failed attempt as failed does, with a reason.
func (p *Directory) failedBy(ctx context.Context, u *user, from netip.Addr, why because) error {
	c := change{Name: u.Name, Role: u.Role, Address: from.String(), Because: why}
	nowMs := p.world.NowMs()
	p.misses.Lock()
	if nowMs < p.misses.sinceMs || nowMs-p.misses.sinceMs >= hourMs {
		p.misses.sinceMs, p.misses.n = nowMs, 0
	}
	if p.misses.n >= recordedAnHour {
		p.misses.unrecorded++
		p.misses.Unlock()
		return ErrBadLogin
	}
	p.misses.n++
	c.Unrecorded, p.misses.unrecorded = p.misses.unrecorded, 0
	p.misses.Unlock()
	return cmp.Or(p.note(ctx, access.Person{Name: "the house", Role: access.Administrator}, loginFailed, c), ErrBadLogin)
}

// note records an attempt to sign in or a use of a second factor.
func (p *Directory) note(ctx context.Context, by access.Person, kind string, c change) error {
	_, err := p.commit(ctx, ChangeRequest{By: by}, kind, c, func(*change) error { return nil }, nil)
	return err
}

// distinguishes reports whether an address tells one guest from another. The machine's own does not: programs
// that try the house out play from there by the thousand.
func (p *Directory) distinguishes(from netip.Addr) bool {
	return !p.world.SharedAddress && !from.Unmap().IsLoopback()
}

// network returns the part of an address that counts as one address: a home gets as many
// addresses of the longer kind as it likes.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	n, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address at all
	}
	return n
}

// Guest begins a session for somebody without a name, who gets one that nobody
// can guess. It answers [ErrNoGuests] where the house takes none, and [ErrFull] when all places
// are taken, altogether or for one address, where that tells people apart. It answers
// [ErrDeciding] where it would replace the last session of a person who has a hand to decide.
func (p *Directory) Guest(_ context.Context, from netip.Addr, replaces string) (token string, s Session, err error) {
	if p.world.MaxGuests == 0 {
		return "", Session{}, ErrNoGuests
	}
	var b [10]byte
	if _, err := io.ReadFull(p.world.Random, b[:]); err != nil {
		return "", Session{}, fmt.Errorf("no randomness for a guest's name: %w", err)
	}
	token, id, err := newSecret(p.world.Random, "")
	if err != nil {
		return "", Session{}, err
	}
	name := guestMark + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
	if err := p.mayReplace(replaces, name); err != nil {
		return "", Session{}, err
	}
	nowMs, at := p.world.NowMs(), network(from)
	begun := &session{KeptSession: KeptSession{ID: id, Name: name, Guest: true, SinceMs: nowMs, SeenMs: nowMs}, at: at}
	begun.seenMs.Store(nowMs)
	begun.savedMs.Store(nowMs)
	w := SessionWrite{Put: []KeptSession{begun.KeptSession}}
	p.mu.Lock()
	old, _ := idOf(replaces, "")
	here, all := p.guestsAt[at], p.guests
	if was := p.sessions[old]; was != nil {
		if was.Guest { // The guest makes room for the new session.
			all--
			if was.at == at {
				here--
			}
		}
		w.Drop = append(w.Drop, old)
	}
	if all >= p.world.MaxGuests || p.distinguishes(from) && here >= p.world.MaxGuestsAnAddress {
		p.mu.Unlock()
		return "", Session{}, ErrFull
	}
	for _, id := range w.Drop {
		p.remove(id)
	}
	p.place(begun, 1)
	p.mu.Unlock()
	token, s, err = p.begin(begun, w, token)
	if err != nil {
		p.mu.Lock()
		p.place(begun, -1)
		p.mu.Unlock()
	}
	return token, s, err
}

// place counts a guest in or out. p.mu is held.
func (p *Directory) place(s *session, by int) {
	p.guests += by
	if p.guestsAt[s.at] += by; p.guestsAt[s.at] == 0 {
		delete(p.guestsAt, s.at)
	}
}

// begin waits until a session is durable and lets it count.
func (p *Directory) begin(s *session, w SessionWrite, token string) (string, Session, error) {
	if err := <-p.world.Sessions.WriteSessions(w); err != nil {
		return "", Session{}, fmt.Errorf("the session was not kept: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enter(s)
	live, _, ok := p.live(s, s.SinceMs)
	if !ok {
		return "", Session{}, ErrBadLogin // The user was shut out in this very moment.
	}
	return token, live, nil
}

// enter puts a session into memory. p.mu is held.
func (p *Directory) enter(s *session) {
	p.sessions[s.ID] = s
	if p.byName[s.Name] == nil {
		p.byName[s.Name] = map[SessionID]*session{}
	}
	p.byName[s.Name][s.ID] = s
}

// remove takes a session out of memory. p.mu is held.
func (p *Directory) remove(id SessionID) {
	defer p.end()
	s := p.sessions[id]
	delete(p.sessions, id)
	delete(p.byName[s.Name], id)
	if len(p.byName[s.Name]) == 0 {
		delete(p.byName, s.Name)
	}
	if s.Guest {
		p.place(s, -1)
		p.left = append(p.left, s.Name)
	}
}

// oldest returns the session of a user that was not used for longest. p.mu is held.
func (p *Directory) oldest(name string) (id SessionID) {
	first := int64(-1)
	for key, s := range p.byName[name] {
		if seen := s.seenMs.Load(); first < 0 || seen < first {
			first, id = seen, key
		}
	}
	return id
}

// live returns a session as it is at a time, and how long it may be idle, unless
// it has ended. p.mu is held, for reading at least.
func (p *Directory) live(s *session, nowMs int64) (session Session, idleMs int64, ok bool) {
	person, limit, due := access.Person{Name: s.Name, Role: access.Guest}, p.world.Limits.Guests, false
	if s.Guest {
		if p.world.MaxGuests == 0 {
			return Session{}, 0, false
		}
	} else {
		u := p.users[s.Name]
		if u == nil || u.Disabled || u.epoch != s.Epoch || u.factor == nil && p.mustHaveSecond(u) {
			return Session{}, 0, false
		}
		person.Role, limit, due = u.Role, p.world.Limits.Users, u.due
	}
	session = Session{Person: person, SinceMs: s.SinceMs, IdleMs: s.seenMs.Load() + limit.IdleMs, EndsMs: s.SinceMs + limit.MostMs, PasswordDue: due}
	ends := min(session.IdleMs, session.EndsMs)
	// A session that runs out while its holder has to decide lasts a little longer.
	ok = nowMs < ends || nowMs < ends+decideMs && p.world.Deciding != nil && p.world.Deciding(s.Name)
	return session, limit.IdleMs, ok
}

// Check returns the session of a token and notes that it is used. It answers
// [ErrNoSession] to a token that is of none, or of one that has ended. To one whose
// holder has to change their password first it answers [ErrPasswordDue], with the session.
func (p *Directory) Check(token string) (Session, error) { return p.find(token, true) }

// Peek checks as Check does, without counting as a use: a page that stays open does not keep a
// session from ending.
func (p *Directory) Peek(token string) (Session, error) { return p.find(token, false) }

func (p *Directory) find(token string, use bool) (found Session, err error) {
	id, ok := idOf(token, "")
	if !ok {
		return Session{}, ErrNoSession
	}
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	s := p.sessions[id]
	if s == nil {
		return Session{}, ErrNoSession
	}
	live, idleMs, ok := p.live(s, nowMs)
	if !ok {
		return Session{}, ErrNoSession
	}
	found = live
	if found.PasswordDue {
		err = ErrPasswordDue
	}
	if !use {
		advance(&s.watchedMs, nowMs)
		return found, err
	}
	advance(&s.seenMs, nowMs)
	found.IdleMs = s.seenMs.Load() + idleMs
	// To record it from time to time is enough: after a restart a session has been idle for an
	// eighth of the time longer at most.
	if saved := s.savedMs.Load(); !p.world.Reading && nowMs-saved >= idleMs/8 && s.savedMs.CompareAndSwap(saved, nowMs) {
		p.world.Sessions.WriteSessions(SessionWrite{Seen: []SessionSeen{{ID: id, SeenMs: nowMs}}})
	}
	return found, err
}

// advance sets a time forward, never back.
func advance(ms *atomic.Int64, nowMs int64) {
	for was := ms.Load(); nowMs > was && !ms.CompareAndSwap(was, nowMs); was = ms.Load() {
	}
}

// activeMs is the time for which a person counts as active after their last request.
const activeMs = minuteMs

// Active reports whether a person is signed in and was active within the last minute. A session
// or a token of theirs must have made a request, or keep a page or a stream open.
func (p *Directory) Active(name string) bool {
	nowMs := p.world.NowMs()
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, s := range p.byName[name] {
		if live, _, ok := p.live(s, nowMs); ok && !live.PasswordDue && nowMs-max(s.seenMs.Load(), s.watchedMs.Load()) < activeMs {
			return true
		}
	}
	for _, t := range p.tokens {
		if t.Name == name && t.lasts(nowMs) && nowMs-t.usedMs.Load() < activeMs {
			return true
		}
	}
	return false
}

// Logout ends the session of a token. One that has ended is no error.
func (p *Directory) Logout(_ context.Context, token string) error {
	id, ok := idOf(token, "")
	if !ok {
		return nil
	}
	if err := p.mayLeave(id); err != nil {
		return err
	}
	return p.drop(id)
}

// guestSessions returns the sessions of a name that is a guest's.
func (p *Directory) guestSessions(name string) (all []SessionID) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for id, s := range p.byName[name] {
		if s.Guest {
			all = append(all, id)
		}
	}
	return all
}

// Plays reports whether a person of that name can come in and play. That is a player who is not
// shut out, a machine that plays and has a token, or a guest who is here.
func (p *Directory) Plays(name string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if u := p.users[name]; u != nil {
		return u.Role == access.Player && !u.Disabled
	}
	nowMs := p.world.NowMs()
	for _, t := range p.byNumber {
		if t.Name == name && t.Role == access.Player && t.lasts(nowMs) {
			return true
		}
	}
	return strings.HasPrefix(name, guestMark) && len(p.byName[name]) > 0
}

// IsPlayer reports whether the house knows a player of that name, who may be shut out: an
// exclusion lasts also when they are let in again. Nobody whose name is erased is: the number
// in its place is no name.
func (p *Directory) IsPlayer(name string) bool {
	u, err := p.User(name)
	return err == nil && CheckName(name) == nil && u.Role == access.Player || p.Plays(name)
}

// HasLeft reports whether a name was a guest's who is here no more: nobody can come
// back under it. It is false for all who are no guests.
func (p *Directory) HasLeft(name string) bool {
	if !strings.HasPrefix(name, guestMark) {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.byName[name]) == 0
}

// Sweep discards the sessions that have ended, and returns the names of the guests who have
// left since the last time. Nobody can come back under them, so the house may clear their
// accounts. Call it every minute or so.
func (p *Directory) Sweep(_ context.Context) (left []string, err error) {
	nowMs := p.world.NowMs()
	p.mu.Lock()
	var over []SessionID
	for id, s := range p.sessions {
		if _, _, ok := p.live(s, nowMs); !ok {
			over = append(over, id)
			p.remove(id)
		}
	}
	left, p.left = p.left, nil
	p.mu.Unlock()
	for len(over) > 0 {
		n := min(len(over), maxDropWrite)
		if failed := <-p.world.Sessions.WriteSessions(SessionWrite{Drop: over[:n]}); failed != nil {
			return left, fmt.Errorf("ended sessions were not deleted: %w", failed)
		}
		over = over[n:]
	}
	return left, nil
}

// Count returns how many sessions of users and of guests there are, those that
// have ended and are not yet swept included.
func (p *Directory) Count() (users, guests int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.sessions) - p.guests, p.guests
}
