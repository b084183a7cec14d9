package identity

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
)

// A snapshot holds everybody the house knows, as of one of the events of [Stream], so that a
// start need not read every sign-in since the first day. It decides nothing: where it cannot be
// used, all events are read. The auditor holds it against the events.

// pace says after how many events the stream gets a snapshot; tests write more.
var pace = house.UsualPace

// keptEndingsMs is the time for which the end of a session counts: no session lasts that long.
const keptEndingsMs = 2 * dayMs

// ending is the end of a session by its holder.
type ending struct {
	Session string `json:"session"`
	AtMs    int64  `json:"at_ms"`
}

// snapshotForm is the form of a snapshot. Whoever changes what follows raises it: a snapshot of
// another form is not used, and the next one is of this form.
const snapshotForm = 1

// snapshot is the stored form. Names stand under the keys under which the record turns them
// into numbers. Lists are in an order of their own, which depends on the names.
type snapshot struct {
	Form      int            `json:"form"`
	Users     []keptUser     `json:"users,omitempty"`
	Tokens    []keptToken    `json:"tokens,omitempty"`
	Proposals []keptProposal `json:"proposals,omitempty"`
	Founded   bool           `json:"founded,omitempty"`
	Makers    []keptMaker    `json:"makers,omitempty"`
	Approvers []keptMaker    `json:"approvers,omitempty"`
	Endings   []ending       `json:"endings,omitempty"`
}

type keptUser struct {
	User
	Hash     string       `json:"hash,omitempty"`
	Factor   *keptFactor  `json:"factor,omitempty"`
	Handle   []byte       `json:"handle,omitempty"`
	Due      bool         `json:"due,omitempty"`
	Epoch    int64        `json:"epoch"`
	LostMs   int64        `json:"lost_ms,omitempty"`
	Roleless bool         `json:"roleless,omitempty"`
	SignIns  []SignIn     `json:"sign_ins,omitempty"`
	Erasure  *keptErasure `json:"erasure,omitempty"`
}

type keptFactor struct {
	Sealed   string        `json:"sealed,omitempty"`
	Passkeys []keptPasskey `json:"passkeys,omitempty"`
	Codes    []string      `json:"codes,omitempty"`
	LastStep int64         `json:"last_step,omitempty"`
}

type keptPasskey struct {
	ID         string     `json:"id"`
	Label      string     `json:"label,omitempty"`
	Host       string     `json:"host,omitempty"`
	SinceMs    int64      `json:"since_ms"`
	UsedMs     int64      `json:"used_ms,omitempty"`
	RefusedMs  int64      `json:"refused_ms,omitempty"`
	Credential credential `json:"credential"`
	Counter    uint32     `json:"counter,omitempty"`
}

// keptPerson is a person whose role may be unknown.
type keptPerson struct {
	Name    string      `json:"name"`
	Role    access.Role `json:"role,omitzero"`
	Machine bool        `json:"machine,omitempty"`
}

type keptErasure struct {
	By  keptPerson `json:"by"`
	And keptPerson `json:"and"`
	Why string     `json:"why"`
}

type keptToken struct {
	Token
	Hash      string `json:"hash"`
	Made      int64  `json:"made"`
	RevokedBy int64  `json:"revoked_by,omitempty"`
	RevokedMs int64  `json:"revoked_ms,omitempty"`
}

type keptProposal struct {
	ID      int64       `json:"id"`
	By      keptPerson  `json:"by"`
	AtMs    int64       `json:"at_ms"`
	Kind    ChangeKind  `json:"kind"`
	Name    string      `json:"name"`
	Role    access.Role `json:"role,omitzero"`
	EndsMs  int64       `json:"ends_ms,omitempty"`
	Why     string      `json:"why"`
	Hash    string      `json:"hash,omitempty"`
	Decided *decision   `json:"decided,omitempty"`
}

type keptMaker struct {
	Name    string `json:"name"`
	By      string `json:"by"`
	UntilMs int64  `json:"until_ms"`
}

// snapshot returns what the events so far have come to. p.mu is held, or nobody else has p.
func (p *Directory) snapshot() ([]byte, error) {
	s := snapshot{Form: snapshotForm, Founded: p.staff.founded, Endings: p.endings}
	for _, u := range p.users {
		kept := keptUser{
			User: u.User, Hash: u.hash, Handle: u.handle, Due: u.due, Epoch: u.epoch, LostMs: u.lostMs, Roleless: u.roleless,
			SignIns: u.signIns,
		}
		if e := u.erasure; e != nil {
			kept.Erasure = &keptErasure{keptPerson(e.By), keptPerson(e.And), e.Why}
		}
		if f := u.factor; f != nil {
			kept.Factor = &keptFactor{Sealed: f.sealed, Codes: f.codes, LastStep: f.lastStep}
			for _, k := range f.passkeys {
				kept.Factor.Passkeys = append(kept.Factor.Passkeys, keptPasskey{
					k.ID, k.Label, k.Host, k.SinceMs, k.UsedMs, k.RefusedMs, k.credential, k.counter,
				})
			}
		}
		s.Users = append(s.Users, kept)
	}
	for _, t := range p.byNumber {
		s.Tokens = append(s.Tokens, keptToken{t.Token, hex.EncodeToString(t.hash[:]), t.made, t.revoked, t.revokedMs})
	}
	for _, asked := range p.staff.proposals {
		s.Proposals = append(s.Proposals, keptProposal{
			asked.ID, keptPerson(asked.By), asked.AtMs, asked.Kind, asked.Name, asked.Role, asked.EndsMs, asked.Why, asked.hash, asked.decided,
		})
	}
	s.Makers, s.Approvers = makersOf(p.staff.makers), makersOf(p.staff.approvers)
	s.sort()
	return json.Marshal(s)
}

func makersOf(all map[string]map[string]int64) (kept []keptMaker) {
	for name, others := range all {
		for by, untilMs := range others {
			kept = append(kept, keptMaker{name, by, untilMs})
		}
	}
	return kept
}

// sort puts the lists in order.
func (s *snapshot) sort() {
	slices.SortFunc(s.Users, func(a, b keptUser) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(s.Tokens, func(a, b keptToken) int { return cmp.Compare(a.Made, b.Made) })
	slices.SortFunc(s.Proposals, func(a, b keptProposal) int { return cmp.Compare(a.ID, b.ID) })
	for _, makers := range [][]keptMaker{s.Makers, s.Approvers} {
		slices.SortFunc(makers, func(a, b keptMaker) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.By, b.By)) })
	}
}

// readSnapshot returns the people of a snapshot at a version of the stream.
func readSnapshot(version int64, body []byte) (*Directory, error) {
	var s snapshot
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, err
	}
	if s.Form != snapshotForm {
		return nil, fmt.Errorf("%w: %d", house.ErrOtherForm, s.Form)
	}
	p := newFold()
	p.version, p.written, p.endings, p.staff.founded = version, version, s.Endings, s.Founded
	for i := range s.Users {
		kept := &s.Users[i]
		u := &user{
			User: kept.User, hash: kept.Hash, handle: kept.Handle, due: kept.Due, epoch: kept.Epoch, lostMs: kept.LostMs, roleless: kept.Roleless,
			signIns: kept.SignIns,
		}
		if e := kept.Erasure; e != nil {
			u.erasure = &Erasure{access.Person(e.By), access.Person(e.And), e.Why}
		}
		if f := kept.Factor; f != nil {
			u.factor = &factor{sealed: f.Sealed, codes: f.Codes, lastStep: f.LastStep}
			for _, k := range f.Passkeys {
				u.factor.passkeys = append(u.factor.passkeys, &passkey{
					Passkey:    Passkey{ID: k.ID, Label: k.Label, Host: k.Host, SinceMs: k.SinceMs, UsedMs: k.UsedMs, RefusedMs: k.RefusedMs},
					credential: k.Credential, counter: k.Counter,
				})
			}
		}
		p.users[u.Name] = u
	}
	for i := range s.Tokens {
		kept := &s.Tokens[i]
		hash, err := parseID(kept.Hash)
		if err != nil {
			return nil, err
		}
		t := &token{Token: kept.Token, hash: hash, made: kept.Made, revoked: kept.RevokedBy, revokedMs: kept.RevokedMs}
		p.byNumber[t.ID], p.tokens[hash] = t, t
	}
	for i := range s.Proposals {
		kept := &s.Proposals[i]
		p.staff.proposals[kept.ID] = &proposal{hash: kept.Hash, decided: kept.Decided, PendingChange: PendingChange{
			ID: kept.ID, By: access.Person(kept.By), AtMs: kept.AtMs, Kind: kept.Kind, Name: kept.Name, Role: kept.Role, EndsMs: kept.EndsMs, Why: kept.Why,
		}}
		p.staff.last = max(p.staff.last, kept.ID)
	}
	for _, m := range s.Makers {
		keep(p.staff.makers, m.Name, m.By, m.UntilMs)
	}
	for _, m := range s.Approvers {
		keep(p.staff.approvers, m.Name, m.By, m.UntilMs)
	}
	return p, nil
}

// newFold returns the people of a stream without events.
func newFold() *Directory {
	return &Directory{users: map[string]*user{}, tokens: map[SessionID]*token{}, byNumber: map[string]*token{}, staff: newStaffWorld()}
}

// add takes in events of the stream. p.mu is held, or nobody else has p.
func (p *Directory) add(events []house.Event, atMs int64) error {
	for _, e := range events {
		p.version++
		if err := p.follow(p.version, atMs, e); err != nil {
			return err
		}
	}
	return nil
}

// load reads the people from the record: those of the latest snapshot that can be used, and
// the events after it.
func (p *Directory) load(ctx context.Context) error {
	fold := newFold()
	found, err := house.LatestSnapshot(ctx, p.world.Record, Stream)
	if err == nil {
		if restored, err := readSnapshot(found.Version, found.Body); err == nil {
			fold = restored
		}
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	p.version, p.written, p.endings, p.staff = fold.version, fold.written, fold.endings, fold.staff
	p.users, p.tokens, p.byNumber = fold.users, fold.tokens, fold.byNumber
	return p.world.Record.Read(ctx, Stream, p.version, func(r house.StoredEvent) error {
		p.version = r.Version
		return p.follow(r.Version, r.AtMs, r.Event)
	})
}

// append records events of the stream, with a snapshot if it is time for one, and takes them
// in when they are durable. p.changing is held.
func (p *Directory) append(tx *house.Transaction, events []house.Event) error {
	part := house.StreamAppend{Stream: Stream, After: p.version, Events: events}
	version, written := p.version+int64(len(events)), p.written
	size := int64(len(p.users) + len(p.byNumber) + len(p.staff.proposals) + len(p.endings))
	if pace.Due(version-written, size) {
		// A state that has no snapshot is recorded all the same, by its events.
		if body, err := p.snapshotAfter(events, tx.AtMs); err == nil {
			part.Snapshot, written = body, version
		}
	}
	tx.Parts = []house.StreamAppend{part}
	if res := <-p.world.Record.Append(tx); res.Err != nil {
		return res.Err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written = written
	return p.add(events, tx.AtMs)
}

// snapshotAfter returns what events that are not recorded yet will come to.
func (p *Directory) snapshotAfter(events []house.Event, atMs int64) ([]byte, error) {
	p.mu.RLock()
	body, err := p.snapshot()
	p.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	fold, err := readSnapshot(p.version, body)
	if err != nil {
		return nil, err
	}
	if err := fold.add(events, atMs); err != nil {
		return nil, err
	}
	if body, err = fold.snapshot(); err != nil {
		return nil, err
	}
	return house.SealSnapshot(Stream, fold.version, body), nil
}

// Checker follows [Stream] for an audit, from its first event on.
type Checker struct{ fold *Directory }

// NewChecker returns a checker that has followed nothing.
func NewChecker() *Checker { return &Checker{newFold()} }

// CheckCause refuses the cause of a transaction about users and machines, as [CheckCause]
// does.
func (*Checker) CheckCause(c *house.Cause) error { return CheckCause(c) }

// Follow takes in the next part of the stream.
func (c *Checker) Follow(part *house.StreamAppend, atMs int64) error {
	if part.After != c.fold.version {
		return fmt.Errorf("%w: event %d of %s follows event %d", house.ErrCorrupt, part.After+1, Stream, c.fold.version)
	}
	return c.fold.add(part.Events, atMs)
}

// CheckSnapshot checks a snapshot of the part that was followed last against what the events
// come to.
func (c *Checker) CheckSnapshot(stored house.Snapshot) error {
	return house.CheckSnapshot(Stream, stored, c.fold.version, c.fold, (*Directory).snapshot, readSnapshot)
}
