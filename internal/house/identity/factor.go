package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"trey/internal/house/access"
)

// The errors of a second factor. A [*SecondStep] says that one is asked for.
var (
	// ErrBadCode: the code is none of the second factor at this moment, or was used.
	ErrBadCode = errors.New("the code is wrong or was used already: wait for the next one, and check the clock of the device that shows it")
	// ErrNoFactor: the role takes a second factor, and the user has none.
	ErrNoFactor = errors.New("the role takes a second factor, and there is none: name somebody who has one")
	// ErrNoTicket: the first step of the sign-in is not known, or too long ago.
	ErrNoTicket = errors.New("the sign-in took too long or failed too often: begin again with name and password")
)

// Sealer encrypts the secrets of second factors, so that whoever reads the record learns
// none. What is sealed about one thing is opened about no other.
type Sealer interface {
	SealText(about string, secret []byte) (string, error)
	OpenText(about, sealed string) ([]byte, error)
}

// SecondStep is the answer to a right password where a second factor is needed, and to a
// second factor that was wrong. The ticket stands for the password in [Directory.Second].
type SecondStep struct {
	Ticket string
	// EndsMs is until when the ticket is good.
	EndsMs int64
	// Enrol is the new second factor of somebody who has none, or has lost it. It counts
	// as soon as one of its codes is shown.
	Enrol *Enrolment
	// Code reports whether an app of the user shows codes.
	Code bool
	// Passkey holds the options for navigator.credentials: for create in an enrolment, and
	// otherwise for get. It is nil where the user's passkeys do not work, and the challenge
	// in it is good for one answer.
	Passkey json.RawMessage
	// Elsewhere is the address at which the user's passkeys work, if that is another one.
	Elsewhere string
	// Wrong is the reason why the last attempt failed, nil for the first one.
	Wrong error
}

// Error says what is asked for, or why the last attempt failed.
func (s *SecondStep) Error() string {
	switch {
	case s.Wrong != nil:
		return s.Wrong.Error()
	case s.Enrol != nil && s.Passkey != nil:
		return "the password is right; add the secret to an app that shows codes, and send the code that it shows, or create a passkey"
	case s.Enrol != nil:
		return "the password is right; add the secret to an app that shows codes, and send the code that it shows"
	case s.Passkey != nil && s.Code:
		return "the password is right; use your passkey, or send the code that your app shows or a recovery code"
	case s.Passkey != nil:
		return "the password is right; use your passkey, or send a recovery code"
	case s.Elsewhere != "" && !s.Code:
		return "the password is right; your passkeys work at " + s.Elsewhere + " only: sign in there, or send a recovery code"
	}
	return "the password is right; send the code that your app shows, or a recovery code"
}

// Unwrap returns why the last attempt failed.
func (s *SecondStep) Unwrap() error { return s.Wrong }

// Enrolment holds the setup of an app that shows codes (RFC 6238).
type Enrolment struct {
	// Secret is in base32, and URI holds it for a QR code.
	Secret, URI string
}

// SecondCredentials are the second factor that a person shows after the password.
type SecondCredentials struct {
	Ticket string
	// Code is the one that an app shows, or a recovery code.
	Code string
	// Passkey is, in the place of a code, what navigator.credentials answered, as JSON.
	// Label is the name of a new passkey.
	Passkey []byte
	Label   string
	// From and Replaces are as in [Credentials].
	From     netip.Addr
	Replaces string
}

// factor is the second factor of a user.
type factor struct {
	// sealed is the secret of an app, sealed; empty for none.
	sealed string
	// passkeys are in the order in which they were added.
	passkeys []*passkey
	// codes are the hashes of the recovery codes.
	codes []string
	// lastStep is the period of the last code that was used: none is used twice.
	lastStep int64
}

const (
	periodS       = 30
	skewPeriods   = 1
	secretBytes   = 20
	recoveryCodes = 10
	recoveryBytes = 10
	ticketMs      = 5 * minuteMs
	ticketTries   = 5
	maxTickets    = 8 // of one user
)

// checkFactors refuses a record with second factors that cannot be opened: their holders
// could not come in.
func (p *Directory) checkFactors() error {
	if len(p.world.SecondFactor) > 0 && p.world.Sealer == nil {
		return errors.New("second factors are required, but there is no key to seal them with")
	}
	for _, u := range p.users {
		if u.factor == nil || u.factor.sealed == "" {
			continue // Passkeys are public keys, and nothing of them is sealed.
		}
		if p.world.Sealer == nil {
			return fmt.Errorf("the second factor of %s cannot be opened: there is no key", u.Name)
		}
		if _, err := p.world.Sealer.OpenText(aboutFactor(u.Name), u.factor.sealed); err != nil {
			return fmt.Errorf("the second factor of %s cannot be opened: %w; put the file of seal keys back that it was sealed with", u.Name, err)
		}
	}
	return nil
}

// ticket stands for a password that was right.
type ticket struct {
	name   string
	epoch  int64
	device *device
	// secret is a new factor's, nil for somebody who has one.
	secret []byte
	// origin is that of the page, and ceremony a challenge that waits for a passkey.
	origin   string
	ceremony *ceremony
	// replaces says that a recovery code was shown, so that the new factor may take the
	// place of the lost one.
	replaces bool
	endsMs   int64
	tries    int
}

// tickets are the sign-ins of which the second step is still to come, and by their
// session those who add a passkey. They end with the process.
type tickets struct {
	sync.Mutex
	all       map[SessionID]*ticket
	additions map[SessionID]*addition
}

// needsSecond reports whether a user signs in with a second factor.
func (p *Directory) needsSecond(u *user) bool {
	return u.factor != nil || p.mustHaveSecond(u)
}

// mustHaveSecond reports whether a user's role requires a second factor here. Whoever
// comes by an identity provider has it there.
func (p *Directory) mustHaveSecond(u *user) bool {
	return u.Provider == "" && slices.Contains(p.world.SecondFactor, u.Role)
}

// ask returns the second step for a user whose password was right.
func (p *Directory) ask(u *user, d *device, origin string) error {
	t := &ticket{name: u.Name, epoch: u.epoch, device: d, origin: origin, endsMs: p.world.NowMs() + ticketMs}
	if u.factor == nil {
		if err := t.renew(p.world.Random); err != nil {
			return err
		}
	}
	text, id, err := newSecret(p.world.Random, "")
	if err != nil {
		return err
	}
	p.tickets.Lock()
	defer p.tickets.Unlock()
	// Only the tickets of this user make room, so nobody takes the places of others.
	var theirs []SessionID
	for other, old := range p.tickets.all {
		switch {
		case old.endsMs <= p.world.NowMs():
			delete(p.tickets.all, other)
		case old.name == u.Name:
			theirs = append(theirs, other)
		}
	}
	if len(theirs) >= maxTickets {
		delete(p.tickets.all, slices.MinFunc(theirs, func(a, b SessionID) int {
			return cmp.Compare(p.tickets.all[a].endsMs, p.tickets.all[b].endsMs)
		}))
	}
	p.tickets.all[id] = t
	return p.step(text, t, nil)
}

// renew draws the secret of a new factor.
func (t *ticket) renew(random io.Reader) error {
	t.secret = make([]byte, secretBytes)
	if _, err := io.ReadFull(random, t.secret); err != nil {
		return fmt.Errorf("no randomness for a second factor: %w", err)
	}
	return nil
}

var plainBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// step returns the next question to the holder of a ticket, after a wrong attempt unless wrong
// is nil. A passkey is asked for by a new challenge. p.tickets is locked.
func (p *Directory) step(text string, t *ticket, wrong error) error {
	s := &SecondStep{Ticket: text, EndsMs: t.endsMs, Wrong: wrong}
	party, err := p.party(t.origin)
	if err != nil {
		return err
	}
	if t.secret == nil {
		factors := p.Factors(t.name)
		s.Code = factors.Code
		if party != nil {
			if t.ceremony, s.Passkey, err = p.challenge(party, t.name); err != nil {
				return err
			}
		}
		if s.Passkey == nil && len(factors.Passkeys) > 0 {
			s.Elsewhere = p.addressOf(factors.Passkeys[0].Host)
		}
		return s
	}
	secret := plainBase32.EncodeToString(t.secret)
	issuer := p.world.Issuer
	if issuer == "" {
		issuer = "Trey"
	}
	to := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + t.name, RawQuery: url.Values{"secret": {secret}, "issuer": {issuer}}.Encode()}
	s.Enrol = &Enrolment{Secret: secret, URI: to.String()}
	if party != nil {
		if t.ceremony, s.Passkey, err = p.creation(party, t.name); err != nil {
			return err
		}
	}
	return s
}

// addressOf returns the address at which the house is reached by a host name.
func (p *Directory) addressOf(host string) string {
	for _, origin := range p.world.Origins {
		if at, err := url.Parse(origin); err == nil && at.Hostname() == host {
			return origin
		}
	}
	return host
}

// again asks the holder of a ticket once more, after an attempt that was wrong.
func (p *Directory) again(id SessionID, text string, wrong error) error {
	p.tickets.Lock()
	defer p.tickets.Unlock()
	t := p.tickets.all[id]
	if t == nil {
		return ErrNoTicket
	}
	return p.step(text, t, wrong)
}

// hold returns the ticket of a text and counts an attempt with it. The challenge of the
// ticket is answered by this attempt or never.
func (p *Directory) hold(text string) (id SessionID, t ticket, u user, err error) {
	id, ok := idOf(text, "")
	if !ok {
		return id, t, u, ErrNoTicket
	}
	p.tickets.Lock()
	defer p.tickets.Unlock()
	known := p.tickets.all[id]
	if known == nil || known.endsMs <= p.world.NowMs() {
		return id, t, u, ErrNoTicket
	}
	if known.tries++; known.tries > ticketTries {
		delete(p.tickets.all, id)
		return id, t, u, ErrNoTicket
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	current := p.users[known.name]
	if current == nil || current.Disabled || current.epoch != known.epoch {
		delete(p.tickets.all, id)
		return id, t, u, ErrNoTicket
	}
	t = *known
	known.ceremony = nil
	return id, t, *current, nil
}

// Second ends a sign-in that [Directory.Login] answered with a [*SecondStep]. A recovery
// code leads to another one, with a new second factor in the place of the lost one; a new
// factor brings new recovery codes with the session. It answers a [*SecondStep] that
// wraps [ErrBadCode] or [ErrBadPasskey] to a wrong factor, and a [*Throttled] after too
// many; and [ErrNoTicket] to a ticket that has ended.
func (p *Directory) Second(ctx context.Context, c SecondCredentials) (token string, s Session, err error) {
	id, t, u, err := p.hold(c.Ticket)
	if err != nil {
		return "", Session{}, err
	}
	key := "second factor of " + u.Name
	counted, waitMs := p.byUser.begin(key, p.world.NowMs())
	if waitMs > 0 {
		return "", Session{}, p.again(id, c.Ticket, &Throttled{WaitMs: waitMs})
	}
	var in change
	var recovery []string
	switch {
	case len(c.Passkey) > 0 && t.secret != nil:
		in, recovery, err = p.enrolPasskey(ctx, &t, &u, &c)
	case len(c.Passkey) > 0:
		in, err = p.assert(ctx, &u, t.ceremony, c.Passkey, c.From)
	case t.secret != nil:
		in.Method = "code"
		if in.Step = p.matches(t.secret, c.Code, 0); in.Step == 0 {
			err = ErrBadCode
			break
		}
		recovery, err = p.enrol(ctx, &t, &u, in.Step)
	case slices.Contains(u.factor.codes, recoveryHash(c.Code)):
		p.byUser.passed(key)
		return "", Session{}, p.replace(id, c.Ticket)
	default:
		in, err = p.code(&u, c.Code)
	}
	wrong, err := p.judge(ctx, &u, c.From, counted, err)
	switch {
	case err != nil:
		return "", Session{}, err
	case wrong != nil:
		return "", Session{}, p.again(id, c.Ticket, wrong)
	}
	p.byUser.passed(key)
	p.tickets.Lock()
	delete(p.tickets.all, id)
	p.tickets.Unlock()
	token, s, err = p.start(ctx, &u, Credentials{From: c.From, Replaces: c.Replaces}, in, t.device)
	s.Recovery = strings.Join(recovery, " ")
	return token, s, err
}

// judge separates a wrong second factor from other errors. It writes a wrong one down, and
// takes the attempt back where something else went wrong.
func (p *Directory) judge(ctx context.Context, u *user, from netip.Addr, counted attempt, err error) (wrong, other error) {
	var why because
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, ErrPasskeyCounter):
		return err, nil // It stands in the record by an event of its own.
	case errors.Is(err, ErrBadPasskey):
		why = becausePasskey(err)
	case errors.Is(err, ErrBadCode):
		why = becauseWrongCode
	case errors.Is(err, ErrInvalid):
		p.byUser.undo(counted)
		return err, nil
	default:
		p.byUser.undo(counted)
		return nil, err
	}
	if other := p.failedBy(ctx, u, from, why); !errors.Is(other, ErrBadLogin) {
		return nil, other
	}
	return err, nil
}

// matches returns the period of which a code is, if it comes after another one; zero
// if it is none of this moment.
func (p *Directory) matches(secret []byte, code string, after int64) int64 {
	now := p.world.NowMs() / 1000 / periodS
	for period := now - skewPeriods; period <= now+skewPeriods; period++ {
		ok, err := hotp.ValidateCustom(
			strings.ReplaceAll(code, " ", ""), uint64(max(period, 0)), plainBase32.EncodeToString(secret),
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1},
		)
		if err == nil && ok && period > after {
			return period
		}
	}
	return 0
}

// aboutFactor returns the subject to which the secret of a user's second factor is sealed.
func aboutFactor(name string) string { return "second factor of " + name }

// code uses a code of a user's second factor up, and returns what the record says of it.
func (p *Directory) code(u *user, code string) (used change, err error) {
	if u.factor.sealed == "" {
		return used, ErrBadCode // It is no recovery code either.
	}
	secret, err := p.world.Sealer.OpenText(aboutFactor(u.Name), u.factor.sealed)
	if err != nil {
		return used, fmt.Errorf("the second factor of %s cannot be read: %w", u.Name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	current := p.users[u.Name]
	if current == nil || current.factor == nil {
		return used, ErrNoTicket
	}
	period := p.matches(secret, code, current.factor.lastStep)
	current.factor.lastStep = max(current.factor.lastStep, period)
	if period == 0 {
		return used, ErrBadCode
	}
	return change{Method: "code", Step: period}, nil
}

// replace has the holder of a recovery code enrol a new factor by the same ticket.
func (p *Directory) replace(id SessionID, text string) error {
	p.tickets.Lock()
	defer p.tickets.Unlock()
	t := p.tickets.all[id]
	if t == nil {
		return ErrNoTicket
	}
	t.replaces, t.tries = true, 0
	if t.secret == nil {
		if err := t.renew(p.world.Random); err != nil {
			return err
		}
	}
	return p.step(text, t, nil)
}

// enrol records the new factor of a ticket, ends the user's sessions, and returns the
// recovery codes that come with it. The user is then as after that.
func (p *Directory) enrol(ctx context.Context, t *ticket, u *user, step int64) (recovery []string, err error) {
	sealed, err := p.world.Sealer.SealText(aboutFactor(u.Name), t.secret)
	if err != nil {
		return nil, err
	}
	c := change{Name: u.Name, Secret: sealed, Step: step, Because: t.because()}
	if recovery, c.Codes, err = p.drawRecovery(); err != nil {
		return nil, err
	}
	o := ChangeRequest{By: access.Person{Name: u.Name, Role: u.Role}}
	_, err = p.commit(ctx, o, factorEnrolled, c, func(*change) error { return p.enrollable(t, u.Name) }, nil)
	if err != nil {
		return nil, err
	}
	p.mu.RLock()
	*u = *p.users[u.Name]
	p.mu.RUnlock()
	return recovery, nil
}

// enrollable refuses a new factor by a ticket if somebody else was quicker, or it was
// taken away meanwhile. p.mu is held.
func (p *Directory) enrollable(t *ticket, name string) error {
	if current := p.users[name]; current == nil || current.epoch != t.epoch || current.factor != nil && !t.replaces {
		return ErrNoTicket
	}
	return nil
}

// because returns the reason for a new factor that takes the place of another.
func (t *ticket) because() because {
	if t.replaces {
		return becauseRecovered
	}
	return 0
}

// drawRecovery draws recovery codes, and returns them with their hashes.
func (p *Directory) drawRecovery() (codes, hashes []string, err error) {
	for range recoveryCodes {
		var b [recoveryBytes]byte
		if _, err := io.ReadFull(p.world.Random, b[:]); err != nil {
			return nil, nil, fmt.Errorf("no randomness for recovery codes: %w", err)
		}
		text := strings.ToLower(plainBase32.EncodeToString(b[:]))
		code := strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-")
		codes, hashes = append(codes, code), append(hashes, recoveryHash(code))
	}
	return codes, hashes, nil
}

// recoveryHash returns the stored form of a recovery code. The code has 80 bits, so no salt or
// cost is needed against guessing.
func recoveryHash(code string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(code)))
	sum := sha256.Sum256([]byte("recovery code " + plain))
	return hex.EncodeToString(sum[:])
}
