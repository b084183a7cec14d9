package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"trey/internal/house/access"
	"trey/sentence"
)

// The errors of passkeys.
var (
	// ErrBadPasskey is wrapped, with one of the reasons below, where the answer of a passkey
	// is refused.
	ErrBadPasskey = errors.New("the passkey was not accepted")
	// ErrPasskeyUnknown: the passkey is none of the user's.
	ErrPasskeyUnknown = errors.New("it is not registered for you here, or was removed; use another passkey or a code")
	// ErrPasskeyOrigin: the answer was made on a page of another site.
	ErrPasskeyOrigin = errors.New("it was used on a page of another site; open the house by its own address, and tell an administrator if a page imitates it")
	// ErrPasskeyChallenge: the answer belongs to another attempt, or came before.
	ErrPasskeyChallenge = errors.New("its answer belongs to another attempt or was sent before; try again")
	// ErrPasskeyUnverified: the device did not check who uses it.
	ErrPasskeyUnverified = errors.New("the device did not check that it is you; set up a PIN, fingerprint or face on it, and try again")
	// ErrPasskeyCounter: the signature counter went back.
	ErrPasskeyCounter = errors.New("its counter went back, so it may have been copied; use another passkey or a code, remove this one, and tell an administrator")
	// ErrPasskeyInvalid: the answer is malformed, or its signature is wrong.
	ErrPasskeyInvalid = errors.New("its answer is not valid; try again, or use another passkey or a code")
	// ErrPasskeyTaken: the passkey is registered already.
	ErrPasskeyTaken = errors.New("it is registered already; use another device")

	// ErrNoPasskeys: passkeys do not work at the address of the page.
	ErrNoPasskeys = errors.New("passkeys do not work at this address, because they are bound to a host name: open the house by https under a name in hosts of house.toml, or by http://localhost on its own machine")
	// ErrPasskeyElsewhere: the user has no second factor that can be shown here.
	ErrPasskeyElsewhere = errors.New("your passkeys work at another address of the house: open it, and change your passkeys there")
	// ErrTooManyPasskeys: the user has as many as one may have.
	ErrTooManyPasskeys = errors.New("this is as many passkeys as one person may have: remove one that you do not use")
	// ErrLastFactor: nobody takes their only second factor away alone.
	ErrLastFactor = errors.New("this is your only second factor: add another passkey first, or ask two people to remove the second factor")
	// ErrNoAddition: a passkey is added or removed in steps, and the first one is missing.
	ErrNoAddition = errors.New("adding or removing the passkey took too long or failed too often, or your second factor has changed: begin again")
)

const (
	maxPasskeys  = 20
	maxLabel     = 60
	handleBytes  = 32
	minChallenge = 32
)

// Passkey is a passkey of a user, as its holder sees it.
type Passkey struct {
	// ID names the passkey to its holder. Nobody signs in by it.
	ID string
	// Label is the name that its holder gave it, and Host is the host name that it is bound to.
	Label, Host string
	// SinceMs is the time at which it was added, and UsedMs the one at which it was last used,
	// zero for never.
	SinceMs, UsedMs int64
	// RefusedMs is the time at which it was last refused because its counter went back, zero
	// for never.
	RefusedMs int64
}

// Factors are the second factors of a user.
type Factors struct {
	// Code reports whether an app of the user shows codes.
	Code     bool
	Passkeys []Passkey
}

// Removable reports whether the user may remove a passkey: not their only second factor.
func (f *Factors) Removable() bool { return f.Code || len(f.Passkeys) > 1 }

// credential is the stored form of a passkey.
type credential struct {
	// ID is the authenticator's name of the credential.
	ID []byte `json:"id"`
	// Key is the public key of the credential (COSE).
	Key []byte `json:"key"`
	// Handle stands for the user in the authenticator. It is random and the same in all
	// passkeys of a user.
	Handle []byte `json:"handle"`
	// Host is the host name that the passkey is bound to.
	Host       string   `json:"host"`
	Transports []string `json:"transports,omitempty"`
	// Synced reports whether the passkey may be copied to other devices of its holder.
	Synced bool `json:"synced,omitempty"`
}

// passkey is a passkey in memory. p.mu guards it.
type passkey struct {
	Passkey
	credential credential
	counter    uint32
}

// ceremony is a challenge that waits for an answer.
type ceremony struct {
	party   *webauthn.WebAuthn
	session webauthn.SessionData
}

// holder is a user as the library sees one.
type holder struct {
	name        string
	handle      []byte
	credentials []webauthn.Credential
}

func (h *holder) WebAuthnID() []byte                         { return h.handle }
func (h *holder) WebAuthnName() string                       { return h.name }
func (h *holder) WebAuthnDisplayName() string                { return h.name }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

// refused returns the error of a refused passkey answer, with the reason.
func refused(why error) error { return sentence.Errorf("%s: %s", ErrBadPasskey, why) }

// BindsPasskeys reports whether passkeys can be bound to a host: to a full name, or to
// localhost, and to no IP address.
func BindsPasskeys(host string) bool { return protocol.ValidateRPID(host) == nil }

// party returns what verifies the answers of passkeys for a page of an origin, nil where
// passkeys do not work. An empty origin is the first one of the house.
func (p *Directory) party(origin string) (*webauthn.WebAuthn, error) {
	if origin == "" && len(p.world.Origins) > 0 {
		origin = p.world.Origins[0]
	}
	if !slices.Contains(p.world.Origins, origin) {
		return nil, nil
	}
	at, err := url.Parse(origin)
	if err != nil {
		return nil, fmt.Errorf("the origin %q: %w", origin, err)
	}
	name := p.world.Issuer
	if name == "" {
		name = "Trey"
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: at.Hostname(), RPDisplayName: name, RPOrigins: []string{origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys at %s: %w", origin, err)
	}
	return party, nil
}

// holderOf returns a user with the passkeys that are bound to a host name.
func (p *Directory) holderOf(name, host string) *holder {
	p.mu.RLock()
	defer p.mu.RUnlock()
	h := &holder{name: name}
	u := p.users[name]
	if u == nil {
		return h
	}
	h.handle = u.handle
	if u.factor == nil {
		return h
	}
	for _, k := range u.factor.passkeys {
		if k.Host != host {
			continue
		}
		c := webauthn.Credential{ID: k.credential.ID, PublicKey: k.credential.Key}
		c.Flags.BackupEligible = k.credential.Synced
		c.Authenticator.SignCount = k.counter
		for _, t := range k.credential.Transports {
			c.Transport = append(c.Transport, protocol.AuthenticatorTransport(t))
		}
		h.credentials = append(h.credentials, c)
	}
	return h
}

func (p *Directory) draw(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(p.world.Random, b); err != nil {
		return nil, fmt.Errorf("no randomness for a passkey: %w", err)
	}
	return b, nil
}

// challenge asks for one of a user's passkeys. The options are for
// navigator.credentials.get; they are nil if the user has none at this host.
func (p *Directory) challenge(party *webauthn.WebAuthn, name string) (*ceremony, json.RawMessage, error) {
	h := p.holderOf(name, party.Config.RPID)
	if len(h.credentials) == 0 {
		return nil, nil, nil
	}
	challenge, err := p.draw(minChallenge)
	if err != nil {
		return nil, nil, err
	}
	asked, session, err := party.BeginLogin(h, func(o *protocol.PublicKeyCredentialRequestOptions) error {
		o.Challenge, o.Timeout = challenge, ticketMs
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("a passkey cannot be asked for: %w", err)
	}
	options, err := json.Marshal(asked.Response)
	return &ceremony{party, *session}, options, err
}

// creation asks for a new passkey of a user. The options are for
// navigator.credentials.create.
func (p *Directory) creation(party *webauthn.WebAuthn, name string) (*ceremony, json.RawMessage, error) {
	h := p.holderOf(name, party.Config.RPID)
	challenge, err := p.draw(minChallenge)
	if err != nil {
		return nil, nil, err
	}
	if h.handle == nil {
		if h.handle, err = p.draw(handleBytes); err != nil {
			return nil, nil, err
		}
	}
	asked, session, err := party.BeginRegistration(
		h, webauthn.WithCredentialParameters(webauthn.CredentialParametersRecommendedL3()),
		webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge, o.Timeout = challenge, ticketMs
			return nil
		},
	)
	if err != nil {
		return nil, nil, fmt.Errorf("a passkey cannot be asked for: %w", err)
	}
	options, err := json.Marshal(asked.Response)
	return &ceremony{party, *session}, options, err
}

// explain returns why an answer that the library refused was refused.
func (c *ceremony) explain(client *protocol.CollectedClientData, device *protocol.AuthenticatorData) error {
	host := sha256.Sum256([]byte(c.party.Config.RPID))
	switch {
	case client.Challenge != c.session.Challenge:
		return refused(ErrPasskeyChallenge)
	case !slices.Contains(c.party.Config.RPOrigins, client.Origin) || client.CrossOrigin || !bytes.Equal(device.RPIDHash, host[:]):
		return refused(ErrPasskeyOrigin)
	case !device.Flags.HasUserVerified():
		return refused(ErrPasskeyUnverified)
	}
	return refused(ErrPasskeyInvalid)
}

// assert checks the answer of one of a user's passkeys, and returns what the record says
// of it. The passkey cannot be used with the same counter again.
func (p *Directory) assert(ctx context.Context, u *user, c *ceremony, answer []byte, from netip.Addr) (used change, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return used, refused(ErrPasskeyInvalid)
	}
	if c == nil {
		return used, refused(ErrPasskeyChallenge)
	}
	h := p.holderOf(u.Name, c.party.Config.RPID)
	if !slices.ContainsFunc(h.credentials, func(k webauthn.Credential) bool { return bytes.Equal(k.ID, parsed.RawID) }) {
		return used, refused(ErrPasskeyUnknown)
	}
	if _, err := c.party.ValidateLogin(h, c.session, parsed); err != nil {
		return used, c.explain(&parsed.Response.CollectedClientData, &parsed.Response.AuthenticatorData)
	}
	used = change{Method: "passkey", Counter: parsed.Response.AuthenticatorData.Counter}
	back := false
	p.mu.Lock()
	current := p.users[u.Name]
	k := current.passkey(func(k *passkey) bool { return bytes.Equal(k.credential.ID, parsed.RawID) })
	if k != nil {
		used.Passkey, used.Label = k.ID, k.Label
		// Two answers at once, of which both were right before the other counted, are
		// compared here. A device that does not count says zero every time.
		if back = used.Counter <= k.counter && (used.Counter != 0 || k.counter != 0); !back {
			k.counter = used.Counter
		}
	}
	p.mu.Unlock()
	switch {
	case k == nil:
		return used, refused(ErrPasskeyUnknown) // It was removed in this very moment.
	case back:
		used.Name, used.Role, used.Address = u.Name, u.Role, from.String()
		used.Because = becauseCounter
		if err := p.note(ctx, access.Person{Name: "the house", Role: access.Administrator}, passkeyRefused, used); err != nil {
			return used, err
		}
		return used, refused(ErrPasskeyCounter)
	}
	used.Label = ""
	return used, nil
}

// passkey returns the passkey of a user that a condition finds, nil for none. p.mu is
// held.
func (u *user) passkey(matches func(*passkey) bool) *passkey {
	if u == nil || u.factor == nil {
		return nil
	}
	if i := slices.IndexFunc(u.factor.passkeys, matches); i >= 0 {
		return u.factor.passkeys[i]
	}
	return nil
}

// created checks a new passkey, and returns what the record says of it.
func (c *ceremony) created(name, label string, answer []byte) (made change, err error) {
	if label, err = checkLabel(label); err != nil {
		return made, err
	}
	if c == nil {
		return made, refused(ErrPasskeyChallenge)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return made, refused(ErrPasskeyInvalid)
	}
	h := &holder{name: name, handle: c.session.UserID}
	k, err := c.party.CreateCredential(h, c.session, parsed)
	if err != nil {
		return made, c.explain(&parsed.Response.CollectedClientData, &parsed.Response.AttestationObject.AuthData)
	}
	stored := &credential{ID: k.ID, Key: k.PublicKey, Handle: h.handle, Host: c.party.Config.RPID, Synced: k.Flags.BackupEligible}
	for _, t := range k.Transport {
		stored.Transports = append(stored.Transports, string(t))
	}
	return change{Name: name, Label: label, Credential: stored, Counter: k.Authenticator.SignCount}, nil
}

// checkLabel returns what a passkey is called, without blanks around it.
func checkLabel(label string) (string, error) {
	label = strings.TrimSpace(label)
	if label == "" || !utf8.ValidString(label) || utf8.RuneCountInString(label) > maxLabel || strings.ContainsFunc(label, unicode.IsControl) {
		return "", sentence.Errorf("%s: a passkey has a name of at most %d letters and signs", ErrInvalid, maxLabel)
	}
	return label, nil
}

// recordPasskey records a new passkey of a user. A first one, or one in the place of a lost
// factor, ends the user's sessions and has recovery codes, which are returned. may
// refuses it while p.mu is held.
func (p *Directory) recordPasskey(ctx context.Context, by access.Person, made change, first bool, may func() error) (done change, recovery []string, err error) {
	if first {
		if recovery, made.Codes, err = p.drawRecovery(); err != nil {
			return made, nil, err
		}
	}
	done, err = p.commit(ctx, ChangeRequest{By: by}, passkeyAdded, made, func(c *change) error {
		if err := may(); err != nil {
			return err
		}
		for _, u := range p.users {
			if u.passkey(func(k *passkey) bool { return bytes.Equal(k.credential.ID, c.Credential.ID) }) != nil {
				return refused(ErrPasskeyTaken)
			}
		}
		c.Passkey = fmt.Sprintf("k%d", p.version+1)
		return nil
	}, nil)
	if err != nil {
		return made, nil, err
	}
	return done, recovery, nil
}

// enrolPasskey records a passkey as the new factor of a ticket, as enrol does with the
// secret of an app.
func (p *Directory) enrolPasskey(ctx context.Context, t *ticket, u *user, c *SecondCredentials) (used change, recovery []string, err error) {
	made, err := t.ceremony.created(u.Name, c.Label, c.Passkey)
	if err != nil {
		return used, nil, err
	}
	done, recovery, err := p.recordPasskey(ctx, access.Person{Name: u.Name, Role: u.Role}, made, true, func() error { return p.enrollable(t, u.Name) })
	if err != nil {
		return used, nil, err
	}
	p.mu.RLock()
	*u = *p.users[u.Name]
	p.mu.RUnlock()
	return change{Method: "passkey", Passkey: done.Passkey, Counter: done.Counter}, recovery, nil
}

// Factors returns the second factors of a user.
func (p *Directory) Factors(name string) (f Factors) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if u := p.users[name]; u != nil {
		return u.factors()
	}
	return f
}

func (u *user) factors() (f Factors) {
	if u.factor == nil {
		return f
	}
	f.Code = u.factor.sealed != ""
	for _, k := range u.factor.passkeys {
		f.Passkeys = append(f.Passkeys, k.Passkey)
	}
	return f
}

// Addition is the question to a person who adds a passkey to their account, or removes one.
type Addition struct {
	// Password, Code and Passkey say what shows that it is the holder who asks: the password
	// of somebody without a second factor; otherwise a code, or the options for
	// navigator.credentials.get.
	Password, Code bool
	Passkey        json.RawMessage
	// Create holds the options for navigator.credentials.create, the next step.
	Create json.RawMessage
	// Removes is the name of the passkey to remove, empty where one is added, and Removed
	// reports whether it was.
	Removes string
	Removed bool
	// Wrong is the reason why the last attempt failed, nil for the first one.
	Wrong error
}

// Error says why the last attempt failed.
func (a *Addition) Error() string { return a.Wrong.Error() }

// Unwrap returns why the last attempt failed.
func (a *Addition) Unwrap() error { return a.Wrong }

// Proof shows that the request comes from the holder of a session: one of these.
type Proof struct {
	Password, Code string
	Passkey        []byte
	From           netip.Addr
}

// addition is a passkey that somebody in a session is about to add, or to remove.
type addition struct {
	epoch  int64
	first  bool // the user had no second factor
	proved bool
	// removes is the number of the passkey to remove, empty for one to add, and label is its
	// name.
	removes, label string

	ceremony *ceremony
	origin   string
	endsMs   int64
}

// owner returns the user of a session, who may manage their own passkeys.
func (p *Directory) owner(token string) (id SessionID, s Session, u user, err error) {
	if s, err = p.Check(token); err != nil {
		return id, s, u, err
	}
	id, _ = idOf(token, "")
	p.mu.RLock()
	defer p.mu.RUnlock()
	current := p.users[s.Name]
	switch {
	case current == nil:
		return id, s, u, ErrNoSession // a guest has no account
	case current.Provider != "":
		return id, s, u, fmt.Errorf("%s: %w", s.Name, ErrNoPassword)
	}
	return id, s, *current, nil
}

// AskPasskey begins to add a passkey to the account of a session, on a page of an origin. It
// returns what first proves that the holder asks. It answers [ErrNoPasskeys] where passkeys do
// not work, and [ErrTooManyPasskeys] to somebody who has enough.
func (p *Directory) AskPasskey(token, origin string) (*Addition, error) {
	id, _, u, err := p.owner(token)
	if err != nil {
		return nil, err
	}
	factors := p.Factors(u.Name)
	if len(factors.Passkeys) >= maxPasskeys {
		return nil, ErrTooManyPasskeys
	}
	return p.beginAddition(id, &u, &addition{first: u.factor == nil, origin: origin})
}

// AskRemoval begins to remove a passkey from the account of a session, by the name that
// [Directory.Factors] gives it, on a page of an origin. It returns what first proves that the
// holder asks: a session left open is not enough. It answers [ErrLastFactor] to somebody who
// has no other second factor.
func (p *Directory) AskRemoval(token, origin, passkey string) (*Addition, error) {
	id, _, u, err := p.owner(token)
	if err != nil {
		return nil, err
	}
	p.mu.RLock()
	label, err := p.removable(u.Name, passkey)
	p.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	return p.beginAddition(id, &u, &addition{removes: passkey, label: label, origin: origin})
}

// removable returns what a passkey is called that a user may remove. p.mu is held.
func (p *Directory) removable(name, id string) (label string, err error) {
	u := p.users[name]
	k := u.passkey(func(k *passkey) bool { return k.ID == id })
	if k == nil {
		return "", sentence.Errorf("%.70q: %s", id, ErrUnknown)
	}
	if f := u.factors(); !f.Removable() {
		return "", ErrLastFactor
	}
	return k.Label, nil
}

// beginAddition keeps what the holder of a session is about to add or to remove, and returns
// what is asked first.
func (p *Directory) beginAddition(id SessionID, u *user, begun *addition) (*Addition, error) {
	nowMs := p.world.NowMs()
	begun.epoch, begun.endsMs = u.epoch, nowMs+ticketMs
	step, err := p.prove(u, begun, nil)
	if err != nil {
		return nil, err
	}
	if !step.Password && !step.Code && step.Passkey == nil {
		return nil, ErrPasskeyElsewhere
	}
	p.tickets.Lock()
	defer p.tickets.Unlock()
	for other, old := range p.tickets.additions {
		if old.endsMs <= nowMs {
			delete(p.tickets.additions, other)
		}
	}
	p.tickets.additions[id] = begun // one a session, so that their number is bounded
	return step, nil
}

// prove returns what is asked first, with a new challenge.
func (p *Directory) prove(u *user, a *addition, wrong error) (*Addition, error) {
	party, err := p.party(a.origin)
	if err != nil {
		return nil, err
	}
	step := &Addition{Password: a.first, Code: p.Factors(u.Name).Code, Removes: a.label, Wrong: wrong}
	switch {
	case party != nil:
		a.ceremony, step.Passkey, err = p.challenge(party, u.Name)
	case a.removes == "":
		return nil, ErrNoPasskeys
	}
	return step, err
}

// takeAddition takes the addition of a session out, so that each challenge is answered
// once. It answers [ErrNoAddition] if there is none, or the user has another second
// factor since.
func (p *Directory) takeAddition(id SessionID, u *user) (*addition, error) {
	p.tickets.Lock()
	defer p.tickets.Unlock()
	a := p.tickets.additions[id]
	delete(p.tickets.additions, id)
	if a == nil || a.endsMs <= p.world.NowMs() || a.epoch != u.epoch {
		return nil, ErrNoAddition
	}
	return a, nil
}

func (p *Directory) keepAddition(id SessionID, a *addition) {
	p.tickets.Lock()
	defer p.tickets.Unlock()
	p.tickets.additions[id] = a
}

// ProvePasskey takes the proof that the holder of a session adds or removes a passkey. To add
// one, it returns the options to create it. To remove one, it removes it and ends all sessions
// of the user, because one of them may have begun by it. It answers an [*Addition] to what is
// wrong, with a new challenge, and [ErrNoAddition] if neither [Directory.AskPasskey] nor
// [Directory.AskRemoval] was called before.
func (p *Directory) ProvePasskey(ctx context.Context, token string, evidence Proof) (*Addition, error) {
	id, s, u, err := p.owner(token)
	if err != nil {
		return nil, err
	}
	a, err := p.takeAddition(id, &u)
	if err != nil {
		return nil, err
	}
	used, wrong, err := p.shows(ctx, &u, a, evidence)
	if err != nil {
		return nil, err
	}
	if wrong != nil {
		step, err := p.prove(&u, a, wrong)
		if err != nil {
			return nil, err
		}
		p.keepAddition(id, a)
		return nil, step
	}
	used.Name, used.Role = u.Name, u.Role
	if err := p.note(ctx, s.Person, factorShown, used); err != nil {
		return nil, err
	}
	if a.removes != "" {
		return &Addition{Removes: a.label, Removed: true}, p.removePasskey(ctx, s.Person, a)
	}
	party, err := p.party(a.origin)
	if err != nil || party == nil {
		return nil, errors.Join(err, ErrNoPasskeys)
	}
	step := &Addition{}
	if a.ceremony, step.Create, err = p.creation(party, u.Name); err != nil {
		return nil, err
	}
	a.proved = true
	p.keepAddition(id, a)
	return step, nil
}

// shows checks what the holder of a session shows, and returns what the record says of
// it, or what is wrong with it. Attempts are slowed down like those of a sign-in.
func (p *Directory) shows(ctx context.Context, u *user, a *addition, evidence Proof) (used change, wrong, err error) {
	if a.first {
		_, err := p.authenticate(ctx, u.Name, evidence.Password, evidence.From, "own password "+u.Name)
		var throttled *Throttled
		if errors.Is(err, ErrBadLogin) || errors.As(err, &throttled) {
			return used, err, nil
		}
		return change{Method: "password"}, nil, err
	}
	key := "second factor of " + u.Name
	counted, waitMs := p.byUser.begin(key, p.world.NowMs())
	if waitMs > 0 {
		return used, &Throttled{WaitMs: waitMs}, nil
	}
	if len(evidence.Passkey) > 0 {
		used, err = p.assert(ctx, u, a.ceremony, evidence.Passkey, evidence.From)
	} else {
		used, err = p.code(u, evidence.Code)
	}
	if wrong, err = p.judge(ctx, u, evidence.From, counted, err); err == nil && wrong == nil {
		p.byUser.passed(key)
	}
	return used, wrong, err
}

// AddPasskey adds the passkey that a browser made for the holder of a session, after
// [Directory.ProvePasskey]. The first second factor of an account ends all its sessions and
// has recovery codes, which are returned and not shown again. An answer that is refused
// wraps [ErrBadPasskey]; a passkey is then added from the beginning.
func (p *Directory) AddPasskey(ctx context.Context, token, label string, answer []byte) (recovery []string, err error) {
	id, s, u, err := p.owner(token)
	if err != nil {
		return nil, err
	}
	a, err := p.takeAddition(id, &u)
	if err != nil {
		return nil, err
	}
	if !a.proved {
		return nil, ErrNoAddition
	}
	made, err := a.ceremony.created(u.Name, label, answer)
	if errors.Is(err, ErrInvalid) {
		p.keepAddition(id, a) // for another name
	}
	if err != nil {
		return nil, err
	}
	_, recovery, err = p.recordPasskey(ctx, s.Person, made, a.first, func() error {
		current := p.users[u.Name]
		switch {
		case current == nil || current.epoch != a.epoch || (current.factor == nil) != a.first:
			return ErrNoAddition
		case !a.first && len(current.factor.passkeys) >= maxPasskeys:
			return ErrTooManyPasskeys
		}
		return nil
	})
	return recovery, err
}

// removePasskey takes a passkey of a user away who has shown that it is they who ask.
func (p *Directory) removePasskey(ctx context.Context, by access.Person, a *addition) error {
	_, err := p.commit(ctx, ChangeRequest{By: by}, passkeyRemoved, change{Name: by.Name, Passkey: a.removes}, func(c *change) (err error) {
		if u := p.users[by.Name]; u == nil || u.epoch != a.epoch {
			return ErrNoAddition
		}
		c.Label, err = p.removable(by.Name, a.removes)
		return err
	}, nil)
	return err
}

// followPasskey carries out an event about a passkey. It reports whether the sessions of
// the user end, and whether the event can have happened. p.mu is held.
func (u *user) followPasskey(kind string, c *change, atMs int64) (ends, ok bool) {
	named := u.passkey(func(k *passkey) bool { return k.ID == c.Passkey })
	switch kind {
	case passkeyAdded:
		if c.Credential == nil || c.Passkey == "" || named != nil || len(c.Codes) == 0 && u.factor == nil {
			return false, false
		}
		if len(c.Codes) > 0 {
			u.factor, u.SecondFactor, ends = &factor{codes: c.Codes}, true, true
		}
		u.handle = c.Credential.Handle
		u.factor.passkeys = append(u.factor.passkeys, &passkey{
			Passkey:    Passkey{ID: c.Passkey, Label: c.Label, Host: c.Credential.Host, SinceMs: atMs},
			credential: *c.Credential, counter: c.Counter,
		})
		return ends, true
	case passkeyRemoved:
		if named == nil || u.factor.sealed == "" && len(u.factor.passkeys) == 1 {
			return false, false
		}
		u.factor.passkeys = slices.DeleteFunc(u.factor.passkeys, func(k *passkey) bool { return k == named })
		return true, true
	case passkeyRefused:
		if named != nil {
			named.RefusedMs = atMs
		}
		return false, true
	}
	return false, false
}

// noteFactor takes a second factor into account that a user has shown. p.mu is held.
func (u *user) noteFactor(c *change, atMs int64) {
	if u.factor == nil {
		return
	}
	u.factor.lastStep = max(u.factor.lastStep, c.Step)
	if len(c.Codes) > 0 {
		u.factor.codes = slices.DeleteFunc(slices.Clone(u.factor.codes), func(code string) bool { return slices.Contains(c.Codes, code) })
	}
	if k := u.passkey(func(k *passkey) bool { return c.Passkey != "" && k.ID == c.Passkey }); k != nil {
		k.counter, k.UsedMs = max(k.counter, c.Counter), atMs
	}
}
