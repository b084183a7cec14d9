package identity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/stored"
)

// Stream is the stream of users and tokens in the record.
const Stream = "people"

// The kinds of its events.
const (
	userAdded     = "user-added"
	roleChanged   = "role-changed"
	passwordSet   = "password-set"
	userDisabled  = "user-disabled"
	userEnabled   = "user-enabled"
	sessionsEnded = "sessions-ended"
	tokenAdded    = "token-added"
	tokenRevoked  = "token-revoked"
	loggedIn      = "logged-in"
	loginFailed   = "login-failed"
	sessionEnded  = "session-ended"

	factorEnrolled = "second-factor-enrolled"
	factorRemoved  = "second-factor-removed"
	factorShown    = "second-factor-shown"

	passkeyAdded   = "passkey-added"
	passkeyRemoved = "passkey-removed"
	passkeyRefused = "passkey-refused"

	changeProposed = "change-proposed"
	changeDeclined = "change-declined"

	erasureAgreed = "erasure-agreed"
)

// Events are the kinds of events of [Stream]; no other is recorded. All of them are of
// one type, and stored as they are.
var Events = stored.NewTable(
	"event",
	eventKind(userAdded), eventKind(roleChanged), eventKind(passwordSet), eventKind(userDisabled), eventKind(userEnabled), eventKind(sessionsEnded),
	eventKind(tokenAdded), eventKind(tokenRevoked), eventKind(loggedIn), eventKind(loginFailed), eventKind(sessionEnded),
	eventKind(factorEnrolled), eventKind(factorRemoved), eventKind(factorShown), eventKind(passkeyAdded), eventKind(passkeyRemoved), eventKind(passkeyRefused),
	eventKind(changeProposed), eventKind(changeDeclined), eventKind(erasureAgreed),
)

func eventKind(kind string) stored.Kind[change] { return stored.Own[change, change](kind) }

// change is an event of the stream. Not every kind uses every field.
type change struct {
	Name string      `json:"name"`
	Role access.Role `json:"role,omitzero"`
	// From is the role before.
	From access.Role `json:"from,omitzero"`
	// Hash is of the password or the token.
	Hash string `json:"hash,omitempty"`
	// Token is the number of a token.
	Token string `json:"token,omitempty"`
	// EndsMs is the time at which the token ends.
	EndsMs int64 `json:"ends_ms,omitempty"`
	// Address is the address of a sign-in or an attempt.
	Address string `json:"address,omitempty"`
	// Unrecorded is the number of attempts before it that are not recorded.
	Unrecorded int64 `json:"unrecorded,omitempty"`
	// Session names the session that began or was ended.
	Session string `json:"session,omitempty"`
	// Secret is the secret of a second factor, sealed.
	Secret string `json:"secret,omitempty"`
	// Codes are the hashes of recovery codes.
	Codes []string `json:"codes,omitempty"`
	// Step is the period of the code that was shown.
	Step int64 `json:"step,omitempty"`
	// Passkey is the number of a passkey.
	Passkey string `json:"passkey,omitempty"`
	// Label is the name that its holder gave the passkey.
	Label string `json:"label,omitempty"`
	// Credential is a new passkey.
	Credential *credential `json:"credential,omitempty"`
	// Counter is the count of the passkey when it was used.
	Counter uint32 `json:"counter,omitempty"`
	// Method is the second method of a sign-in beside the password: "code", "passkey" or
	// "provider". Of other proofs it is also "password", or "recovery-code" with the one of
	// the codes that is used up.
	Method string `json:"method,omitempty"`
	// Provider identifies a user at an identity provider.
	Provider string `json:"provider,omitempty"`
	By       string `json:"by"`
	// Why is the reason that a person gives.
	Why string `json:"why,omitempty"`
	// Because is the reason why the house did it by itself.
	Because because `json:"because,omitzero"`

	// Proposal is the number of a change that takes two people, in its proposal and in its
	// outcome.
	Proposal int64 `json:"proposal,omitempty"`
	// Change is the kind of that change.
	Change ChangeKind `json:"change,omitzero"`
	// ByRole is the role of the proposer, in the proposal alone.
	ByRole access.Role `json:"by_role,omitzero"`
	// ByMachine says that the proposer is a machine, in the proposal alone.
	ByMachine bool `json:"by_machine,omitempty"`
	// AskedBy is the proposer of a change that somebody approved.
	AskedBy string `json:"asked_by,omitempty"`
	// MustChange says that somebody else chose the password, so that its holder changes it
	// before anything else.
	MustChange bool `json:"must_change,omitempty"`
	// Alone says that nobody was there yet who could have approved it.
	Alone bool `json:"alone,omitempty"`
}

// public returns the change without what nobody may read.
func (c change) public() change {
	// What is not named is not shown.
	return change{
		Name: c.Name, Role: c.Role, From: c.From, Token: c.Token, EndsMs: c.EndsMs, Address: c.Address,
		Unrecorded: c.Unrecorded, Session: c.Session, Step: c.Step, Method: c.Method, Provider: c.Provider,
		Passkey: c.Passkey, Label: c.Label, Counter: c.Counter,
		By: c.By, Why: c.Why, Because: c.Because,
	}
}

// Redact takes out of an event what nobody may read: the hashes in those of
// [Stream]. Events of other streams are returned as they are. An event of this
// stream that cannot be read keeps nothing but its kind.
func Redact(stream string, e house.Event) house.Event {
	if stream != Stream {
		return e
	}
	c, err := Events.Parse(e.Kind, e.Body)
	if err != nil {
		return house.Event{Kind: e.Kind, Body: json.RawMessage("{}")}
	}
	body, err := json.Marshal(c.public())
	if err != nil {
		body = json.RawMessage("{}")
	}
	return house.Event{Kind: e.Kind, Body: body}
}

// Auditable reports whether an auditor may read an event of [Stream] as it is recorded. Such an
// event holds only what every reader of the log may read, and who proposed what.
func Auditable(e house.Event) bool {
	c, err := Events.Parse(e.Kind, e.Body)
	if err != nil {
		return false
	}
	public := c.public()
	public.Proposal, public.Change, public.ByRole, public.ByMachine, public.AskedBy = c.Proposal, c.Change, c.ByRole, c.ByMachine, c.AskedBy
	public.MustChange, public.Alone = c.MustChange, c.Alone
	body, err := json.Marshal(public)
	return err == nil && bytes.Equal(body, e.Body)
}

// user is a user with what nobody else sees.
type user struct {
	User
	hash string
	// factor is nil for a user without a second one.
	factor *factor
	// handle stands for the user in passkeys, nil before the first one.
	handle []byte
	// due reports whether the password has to be changed first.
	due bool
	// epoch is the number of the event that last ended the user's sessions: those that began
	// under another are over.
	epoch int64
	// lostMs is the time at which the user was last shut out or given another role, or had none
	// by the identity provider, zero for never.
	lostMs int64
	// roleless reports whether the identity provider gave the user no role at the last
	// sign-in, so that no session is left.
	roleless bool
	// signIns are the latest sign-ins, the newest last.
	signIns []SignIn
	// erasure is the agreement of two people about the name, nil without one.
	erasure *Erasure
}

// token is a machine's token with its hash.
type token struct {
	Token
	hash SessionID
	// made is the number of the event that made it, and revoked of the one that revoked it
	// at revokedMs, zero if none did.
	made, revoked, revokedMs int64
	// usedMs is the time at which the machine last showed it to this process.
	usedMs atomic.Int64
}

// overMs returns the time at which the token ceased, or will cease, to let its machine in.
func (t *token) overMs() int64 {
	if t.Revoked {
		return min(t.revokedMs, t.EndsMs)
	}
	return t.EndsMs
}

// follow carries out an event of the record. p.mu is held, or nobody else has p.
func (p *Directory) follow(version, atMs int64, e house.Event) error {
	c, err := Events.Read(e)
	if err != nil {
		return house.Corrupt(err, "")
	}
	corrupt := func() error {
		return fmt.Errorf("%w: %s of %s cannot have happened", house.ErrCorrupt, e.Kind, c.Name)
	}
	if !p.apply(e.Kind, &c, atMs) {
		return corrupt()
	}
	defer p.found()
	defer p.end()
	u := p.users[c.Name]
	switch e.Kind {
	case userAdded:
		if u != nil {
			return corrupt()
		}
		p.users[c.Name] = &user{
			User: User{Name: c.Name, Role: c.Role, SinceMs: atMs, PasswordMs: atMs, Provider: c.Provider},
			hash: c.Hash, due: c.MustChange, epoch: version,
		}
		return nil
	case tokenAdded:
		hash, err := parseID(c.Hash)
		if err != nil || p.byNumber[c.Token] != nil {
			return corrupt()
		}
		t := &token{Token: Token{ID: c.Token, Name: c.Name, Role: c.Role, SinceMs: atMs, EndsMs: c.EndsMs}, hash: hash, made: version}
		p.byNumber[t.ID], p.tokens[hash] = t, t
		return nil
	case loggedIn:
		if u != nil {
			u.roleless = false
			u.remember(SignIn{AtMs: atMs, Address: c.Address, Session: c.Session})
			u.noteFactor(&c, atMs)
		}
		return nil
	case factorShown:
		if u == nil {
			return corrupt()
		}
		u.noteFactor(&c, atMs)
		return nil
	case passkeyAdded, passkeyRemoved, passkeyRefused:
		if u == nil {
			return corrupt()
		}
		ends, ok := u.followPasskey(e.Kind, &c, atMs)
		if !ok {
			return corrupt()
		}
		if ends {
			u.epoch = version
		}
		return nil
	case sessionEnded:
		// It is dropped when the sessions are read, should it have outlived its end.
		for len(p.endings) > 0 && p.endings[0].AtMs < atMs-keptEndingsMs {
			p.endings = p.endings[1:]
		}
		p.endings = append(p.endings, ending{c.Session, atMs})
		return nil
	case loginFailed, changeProposed, changeDeclined:
		return nil // No user or token is another by it.
	case tokenRevoked:
		t := p.byNumber[c.Token]
		if t == nil {
			return corrupt()
		}
		t.Revoked, t.revoked, t.revokedMs = true, version, atMs
		return nil
	case erasureAgreed:
		if u == nil || !u.Disabled || c.Proposal == 0 {
			return corrupt()
		}
		u.erasure = p.agreed(&c)
		return nil
	case roleChanged, passwordSet, userDisabled, userEnabled, sessionsEnded, factorEnrolled, factorRemoved:
	default:
		return fmt.Errorf("%w: %q is no event of people", house.ErrCorrupt, e.Kind)
	}
	if u == nil {
		return corrupt()
	}
	switch e.Kind {
	case roleChanged:
		u.Role, u.lostMs = c.Role, atMs
	case passwordSet:
		u.hash, u.PasswordMs, u.due = c.Hash, atMs, c.MustChange
	case factorEnrolled:
		u.factor, u.SecondFactor = &factor{sealed: c.Secret, codes: c.Codes, lastStep: c.Step}, true
	case factorRemoved:
		u.factor, u.SecondFactor = nil, false
	case sessionsEnded:
		if c.Because == becauseNoRole {
			u.roleless, u.lostMs = true, atMs
		}
	case userDisabled:
		u.Disabled, u.lostMs = true, atMs
	case userEnabled:
		u.Disabled, u.erasure = false, nil
	}
	u.epoch = version
	return nil
}
