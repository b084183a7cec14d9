package identity

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
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
	// ErrNoTicket: the first step of the sign-in is not known, or too long ago.
	ErrNoTicket = errors.New("the sign-in took too long or failed too often: begin again with name and password")
)

// Sealer encrypts the secrets of second factors, so that whoever reads the record learns
// none. What is sealed about one thing is opened about no other.
type Sealer interface {
	SealText(about string, secret []byte) (string, error)
	OpenText(about, sealed string) ([]byte, error)
}

// SecondStep is the answer to a right password where a second factor is needed. The
// ticket stands for the password in [People.Second].
type SecondStep struct {
	Ticket string
	// EndsMs is until when the ticket is good.
	EndsMs int64
	// Enrol is the new second factor of somebody who has none, or has lost it. It counts
	// as soon as one of its codes is shown.
	Enrol *Enrolment
}

// Error says what is asked for.
func (s *SecondStep) Error() string {
	if s.Enrol != nil {
		return "the password is right; add the secret to an app that shows codes, and send the code that it shows"
	}
	return "the password is right; send the code that your app shows, or a recovery code"
}

// Enrolment is what an app that shows codes needs to know (RFC 6238).
type Enrolment struct {
	// Secret is in base32, and URI holds it for a QR code.
	Secret, URI string
}

// SecondCredentials are what somebody shows after the password.
type SecondCredentials struct {
	Ticket string
	// Code is the one that an app shows, or a recovery code.
	Code string
	// From and Replaces are as in [Credentials].
	From     netip.Addr
	Replaces string
}

// factor is the second factor of a user.
type factor struct {
	// sealed is the secret, sealed.
	sealed string
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
	maxTickets    = 1000
)

// checkFactors refuses a record with second factors that cannot be opened: their holders
// could not come in.
func (p *People) checkFactors() error {
	if len(p.world.SecondFactor) > 0 && p.world.Sealer == nil {
		return errors.New("second factors are asked for, and there is no key to seal them with")
	}
	for _, u := range p.users {
		if u.factor == nil {
			continue
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
	// replaces says that a recovery code was shown, so that the new factor may take the
	// place of the lost one.
	replaces bool
	endsMs   int64
	tries    int
}

// tickets are the sign-ins of which the second step is still to come. They end with
// the process.
type tickets struct {
	sync.Mutex
	all map[SessionID]*ticket
}

// needsSecond reports whether a user signs in with a second factor.
func (p *People) needsSecond(u *user) bool {
	return u.factor != nil || p.mustHaveSecond(u)
}

// mustHaveSecond reports whether a user's role requires a second factor here. Whoever
// comes by an identity provider has it there.
func (p *People) mustHaveSecond(u *user) bool {
	return u.Provider == "" && slices.Contains(p.world.SecondFactor, u.Role)
}

// ask returns the second step for a user whose password was right.
func (p *People) ask(u *user, d *device) error {
	t := &ticket{name: u.Name, epoch: u.epoch, device: d, endsMs: p.world.NowMs() + ticketMs}
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
	for other, old := range p.tickets.all {
		if old.endsMs <= p.world.NowMs() {
			delete(p.tickets.all, other)
		}
	}
	if len(p.tickets.all) >= maxTickets {
		return ErrBusy
	}
	p.tickets.all[id] = t
	return p.step(text, t)
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

// step is what is asked of the holder of a ticket.
func (p *People) step(text string, t *ticket) *SecondStep {
	s := &SecondStep{Ticket: text, EndsMs: t.endsMs}
	if t.secret != nil {
		secret := plainBase32.EncodeToString(t.secret)
		issuer := p.world.Issuer
		if issuer == "" {
			issuer = "Trey"
		}
		to := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + t.name, RawQuery: url.Values{"secret": {secret}, "issuer": {issuer}}.Encode()}
		s.Enrol = &Enrolment{Secret: secret, URI: to.String()}
	}
	return s
}

// hold returns the ticket of a text and counts an attempt with it.
func (p *People) hold(text string) (id SessionID, t ticket, u user, err error) {
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
	is := p.users[known.name]
	if is == nil || is.Disabled || is.epoch != known.epoch {
		delete(p.tickets.all, id)
		return id, t, u, ErrNoTicket
	}
	return id, *known, *is, nil
}

// Second ends a sign-in that [People.Login] answered with a [*SecondStep]. A recovery
// code leads to another one, with a new second factor in the place of the lost one; the
// first code of a new factor brings new recovery codes with the session. It answers
// [ErrBadCode] to a wrong code, a [*Throttled] after too many, and [ErrNoTicket] to a
// ticket that has ended.
func (p *People) Second(ctx context.Context, c SecondCredentials) (token string, s Session, err error) {
	id, t, u, err := p.hold(c.Ticket)
	if err != nil {
		return "", Session{}, err
	}
	key := "second factor of " + u.Name
	counted, waitMs := p.byUser.begin(key, p.world.NowMs())
	if waitMs > 0 {
		return "", Session{}, &Throttled{WaitMs: waitMs}
	}
	in := change{Method: "code"}
	var recovery []string
	switch {
	case t.secret != nil:
		in.Step = p.matches(t.secret, c.Code, 0)
		if in.Step == 0 {
			break
		}
		if recovery, err = p.enrol(ctx, &t, &u, in.Step); err != nil {
			p.byUser.undo(counted)
			return "", Session{}, err
		}
	case slices.Contains(u.factor.codes, recoveryHash(c.Code)):
		p.byUser.passed(key)
		return "", Session{}, p.replace(id, c.Ticket)
	default:
		if in.Step, err = p.use(&u, c.Code); err != nil {
			p.byUser.undo(counted)
			return "", Session{}, err
		}
	}
	if in.Step == 0 {
		if err := p.failedBy(ctx, &u, c.From, "the code of the second factor is wrong"); !errors.Is(err, ErrBadLogin) {
			return "", Session{}, err
		}
		return "", Session{}, ErrBadCode
	}
	p.byUser.passed(key)
	p.tickets.Lock()
	delete(p.tickets.all, id)
	p.tickets.Unlock()
	token, s, err = p.start(ctx, &u, Credentials{From: c.From, Replaces: c.Replaces}, in, t.device)
	s.Recovery = strings.Join(recovery, " ")
	return token, s, err
}

// matches returns the period of which a code is, if it comes after another one; zero
// if it is none of this moment.
func (p *People) matches(secret []byte, code string, after int64) int64 {
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

// aboutFactor is what the secret of a user's second factor is sealed about.
func aboutFactor(name string) string { return "second factor of " + name }

// use uses a code of a user's second factor up, and returns its period, or zero if it is
// wrong.
func (p *People) use(u *user, code string) (int64, error) {
	secret, err := p.world.Sealer.OpenText(aboutFactor(u.Name), u.factor.sealed)
	if err != nil {
		return 0, fmt.Errorf("the second factor of %s cannot be read: %w", u.Name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	is := p.users[u.Name]
	if is == nil || is.factor == nil {
		return 0, ErrNoTicket
	}
	period := p.matches(secret, code, is.factor.lastStep)
	is.factor.lastStep = max(is.factor.lastStep, period)
	return period, nil
}

// replace has the holder of a recovery code enrol a new factor by the same ticket.
func (p *People) replace(id SessionID, text string) error {
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
	return p.step(text, t)
}

// enrol records the new factor of a ticket, ends the user's sessions, and returns the
// recovery codes that come with it. The user is then as after that.
func (p *People) enrol(ctx context.Context, t *ticket, u *user, step int64) (recovery []string, err error) {
	sealed, err := p.world.Sealer.SealText(aboutFactor(u.Name), t.secret)
	if err != nil {
		return nil, err
	}
	c := change{Name: u.Name, Secret: sealed, Step: step}
	for range recoveryCodes {
		var b [recoveryBytes]byte
		if _, err := io.ReadFull(p.world.Random, b[:]); err != nil {
			return nil, fmt.Errorf("no randomness for recovery codes: %w", err)
		}
		text := strings.ToLower(plainBase32.EncodeToString(b[:]))
		code := strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-")
		recovery, c.Codes = append(recovery, code), append(c.Codes, recoveryHash(code))
	}
	why := "enrolled at the sign-in"
	if t.replaces {
		why = "enrolled in the place of a lost one, by a recovery code"
	}
	_, err = p.commit(ctx, Order{By: access.Person{Name: u.Name, Role: u.Role}, Why: why}, factorEnrolled, c, func(*change) error {
		if is := p.users[u.Name]; is == nil || is.epoch != t.epoch || is.factor != nil && !t.replaces {
			return ErrNoTicket // Somebody else was quicker, or it was taken away meanwhile.
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	p.mu.RLock()
	*u = *p.users[u.Name]
	p.mu.RUnlock()
	return recovery, nil
}

// recoveryHash is what is kept of a recovery code. It has 80 bits, so no salt or cost
// is needed against guessing.
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
