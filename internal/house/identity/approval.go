package identity

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"trey/internal/enum"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/sentence"
)

// The errors of changes that take two people, beside [house.ErrTakesTwo],
// [house.ErrSamePerson], [house.ErrNoProposal], [house.ErrDecided] and
// [access.ErrMachine].
var (
	// ErrDependent: one of two accounts was made by the holder of the other, or both by
	// the same person, too short a time ago.
	ErrDependent = errors.New("a third person has to approve this: within the last 24 hours one of these accounts was added, enabled or given its password or role by the other, or both by the same person, or one is a machine of the other")
	// ErrFirstSecond: a house with one person who may manage users adds the second one
	// before anything else.
	ErrFirstSecond = errors.New("nobody else can approve this yet: first add a second person, as administrator or shift manager")
	// ErrPasswordDue: somebody else chose the password.
	ErrPasswordDue = errors.New("somebody else chose your password: change it first, by PUT /api/v1/me/password or on the page /password")
)

// ChangeKind is a kind of change that one person asks for and another approves.
type ChangeKind uint8

// The kinds. The zero value is none of them.
const (
	_ ChangeKind = iota
	// AddUser adds a user with a password that they change first.
	AddUser
	// GiveRole gives a user another role.
	GiveRole
	// GivePassword gives a user a new password that they change first.
	GivePassword
	// EnableUser lets a user in again who was shut out.
	EnableUser
	// IssueToken gives a machine a token.
	IssueToken
	// RemoveFactor takes the second factor of somebody away who has lost it and all
	// recovery codes, so that they enrol another one at the next sign-in.
	RemoveFactor
	// EraseName agrees that the name of a user who is shut out is erased from the record,
	// which is done while the house is stopped.
	EraseName
	numChangeKinds
)

var changeKeys = enum.New("a kind of change", numChangeKinds, []string{
	AddUser: "add-user", GiveRole: "give-role", GivePassword: "give-password", EnableUser: "enable-user", IssueToken: "issue-token",
	RemoveFactor: "remove-second-factor", EraseName: "erase-name",
})

// changeWords name the kinds in a sentence.
var changeWords = [numChangeKinds]string{
	AddUser: "a new user", GiveRole: "another role", GivePassword: "somebody else's password",
	EnableUser: "access for a user who was shut out", IssueToken: "a token",
	RemoveFactor: "removal of a second factor", EraseName: "erasure of a name",
}

// changeEvents are the kinds of event that carry the changes out.
var changeEvents = [numChangeKinds]string{
	AddUser: userAdded, GiveRole: roleChanged, GivePassword: passwordSet, EnableUser: userEnabled, IssueToken: tokenAdded,
	RemoveFactor: factorRemoved, EraseName: erasureAgreed,
}

// ChangeKinds lists every kind.
func ChangeKinds() []ChangeKind { return changeKeys.All() }

// String returns the kind's key, such as "give-role".
func (k ChangeKind) String() string { return changeKeys.Key(k) }

// Words names the kind in a sentence, such as "another role".
func (k ChangeKind) Words() string {
	if k == 0 || k >= numChangeKinds {
		return "unknown"
	}
	return changeWords[k]
}

// MarshalText writes the kind's key.
func (k ChangeKind) MarshalText() ([]byte, error) { return changeKeys.Marshal(k) }

// UnmarshalText reads a kind's key.
func (k *ChangeKind) UnmarshalText(text []byte) error { return changeKeys.Unmarshal(k, text) }

// Needs returns the permission to ask for such a change.
func (k ChangeKind) Needs() access.Permission {
	if k == IssueToken {
		return access.ManageTokens
	}
	return access.ManageUsers
}

// Change is a request of one person that a second must approve. A kind uses the fields that it
// needs.
type Change struct {
	Kind ChangeKind
	Name string
	// Role is of a new user, the one to be given, or of a token.
	Role access.Role
	// Password is the first one of a new user, or the new one.
	Password string
	// EndsMs is the time at which a token ends.
	EndsMs int64
}

// PendingChange is a change that waits for a second person.
type PendingChange struct {
	ID     int64         `json:"id"`
	By     access.Person `json:"by"`
	AtMs   int64         `json:"at_ms"`
	Kind   ChangeKind    `json:"kind"`
	Name   string        `json:"name"`
	Role   access.Role   `json:"role,omitzero" doc:"Of a new user, to be given, or of a token."`
	EndsMs int64         `json:"ends_ms,omitempty" doc:"When the token would end."`
	Why    string        `json:"why"`
}

// proposal is a requested change with its decision.
type proposal struct {
	PendingChange
	hash    string
	decided *decision // nil while it waits
}

// decision is the answer of a second person.
type decision struct {
	Approved bool   `json:"approved,omitempty"`
	By       string `json:"by"`
}

func (d *decision) words() sentence.Sentence {
	if d.Approved {
		return sentence.Of("approved by %s", d.By)
	}
	return sentence.Of("declined by %s", d.By)
}

// staffWorld is the part of [Directory] that dual approval uses. p.mu guards it.
type staffWorld struct {
	// proposals are all that were made: there are as many as people made by hand.
	proposals map[int64]*proposal
	last      int64
	// founded reports whether there ever were two people of whom one can approve what
	// the other asks for. From then on nobody manages users alone.
	founded bool
	// makers are, by account, those who could have its password or gave it its role, each
	// until a time; approvers are those who approved that.
	makers, approvers map[string]map[string]int64
}

func newStaffWorld() staffWorld {
	return staffWorld{proposals: map[int64]*proposal{}, makers: map[string]map[string]int64{}, approvers: map[string]map[string]int64{}}
}

// keep notes another account of an account until a time.
func keep(all map[string]map[string]int64, name, other string, untilMs int64) {
	if name == other {
		return
	}
	if all[name] == nil {
		all[name] = map[string]int64{}
	}
	all[name][other] = max(all[name][other], untilMs)
}

// made takes into account who made an account or a token what it is, for how long that
// counts. Whoever made the maker at that time counts too, so that nobody makes
// accounts by accounts of theirs. p.mu is held.
func (p *Directory) made(c *change, kind string, atMs int64) {
	maker, untilMs := cmp.Or(c.AskedBy, c.By), atMs+dayMs
	if maker == founder || kind == passwordSet && maker == c.Name {
		return
	}
	if kind == tokenAdded {
		untilMs = math.MaxInt64 // Whoever asked for a token has it as long as it lasts.
	}
	keep(p.staff.makers, c.Name, maker, untilMs)
	for other, until := range p.staff.makers[maker] {
		if until > atMs {
			keep(p.staff.makers, c.Name, other, untilMs)
		}
	}
	if c.AskedBy != "" {
		keep(p.staff.approvers, c.Name, c.By, untilMs)
	}
}

// founder names the actor who adds the first users, as a configuration lists them.
const founder = "the house"

// Independent returns nil if one of two people may approve what the other asks for, as far as
// that depends on their accounts. Otherwise the error wraps [ErrDependent] or, where the asker
// was shut out or had another role at any time since, [ErrOutdated]. AskedMs is the time at
// which they asked; if it is zero, the request stands whatever has happened to them since.
func (p *Directory) Independent(first access.Person, askedMs int64, second access.Person) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if askedMs != 0 && !p.mayStillAsk(first, askedMs) {
		return sentence.Errorf("%s may not ask for it any more: %s", first.Name, ErrOutdated)
	}
	return p.independent(first.Name, second.Name)
}

// mayStillAsk reports whether somebody could have asked at every moment since they did. Who
// was shut out, and let in again, has lost what they asked for before: nobody looks through
// it when they come back. p.mu is held.
func (p *Directory) mayStillAsk(by access.Person, askedMs int64) bool {
	if p.acts(by) != nil {
		return false
	}
	if !by.Machine {
		u := p.users[by.Name]
		return u == nil || u.lostMs < askedMs
	}
	// Tokens follow upon one another without a gap, or the machine was shut out in it.
	nowMs, coveredMs, revoked := p.world.NowMs(), askedMs, int64(math.MaxInt64)
	for further := true; further && coveredMs <= nowMs; {
		further = false
		for _, t := range p.byNumber {
			before := t.SinceMs < coveredMs || t.SinceMs == coveredMs && t.made < revoked
			if t.Name == by.Name && t.Role == by.Role && before && t.overMs() > coveredMs {
				coveredMs, revoked, further = t.overMs(), t.revoked, true
			}
		}
	}
	return coveredMs > nowMs
}

func (p *Directory) independent(first, second string) error {
	if p.world.OnePerson {
		return nil
	}
	nowMs := p.world.NowMs()
	behind := func(name string) map[string]bool {
		all := map[string]bool{name: true}
		for other, until := range p.staff.makers[name] {
			all[other] = all[other] || until > nowMs
		}
		return all
	}
	one, other := behind(first), behind(second)
	for name, counts := range one {
		if counts && other[name] {
			return sentence.Errorf("%s and %s: %s", first, second, ErrDependent)
		}
	}
	if p.staff.approvers[first][second] > nowMs || p.staff.approvers[second][first] > nowMs {
		return sentence.Errorf("%s and %s: %s", first, second, ErrDependent)
	}
	return nil
}

// found notes whether there are two people by now. p.mu is held.
func (p *Directory) found() {
	if p.staff.founded {
		return
	}
	managers, approvers, same := 0, 0, 0
	for _, u := range p.users {
		manages, approves := !u.Disabled && u.Role.Can(access.ManageUsers), !u.Disabled && u.Role.Can(access.ApproveUser)
		if manages {
			managers++
		}
		if approves {
			approvers++
		}
		if manages && approves {
			same++
		}
	}
	// One who manages and another one who approves.
	p.staff.founded = managers > 0 && approvers > 0 && (managers > 1 || approvers > 1 || same == 0)
}

// oneIsEnough refuses a change that one person does not make. It completes the event of
// one that may be made. p.mu is held.
func (p *Directory) oneIsEnough(kind ChangeKind, role access.Role, c *change) error {
	if p.world.OnePerson {
		return nil
	}
	c.MustChange = kind == AddUser || kind == GivePassword
	switch {
	case !role.TakesTwo() && kind != GivePassword:
		return nil
	case p.staff.founded:
		return sentence.Errorf("%s: %s", sentence.Word(kind.Words()), house.ErrTakesTwo)
	case kind == AddUser && role.Can(access.ApproveUser):
		c.Alone = true // There is nobody yet who could approve it.
		return nil
	}
	return sentence.Errorf("%s: %s", sentence.Word(kind.Words()), ErrFirstSecond)
}

// ProposeChange asks for a change of users or tokens, which is made when somebody else
// approves it. It returns the number to approve it by and, of a token, its text, which
// is shown once and good for nothing until then.
func (p *Directory) ProposeChange(ctx context.Context, o ChangeRequest, asked Change) (id int64, text string, err error) {
	if asked.Kind == 0 || asked.Kind >= numChangeKinds {
		return 0, "", fmt.Errorf("%w: a change has a kind of %q", ErrInvalid, changeKeys.List())
	}
	if err := o.By.Check(asked.Kind.Needs()); err != nil {
		return 0, "", err
	}
	c := change{Name: asked.Name, Change: asked.Kind}
	var again func(change) error
	switch asked.Kind {
	case AddUser, GiveRole, IssueToken:
		c.Role, err = asked.Role, checkMember(asked.Name, asked.Role)
	case GivePassword, EnableUser, RemoveFactor, EraseName: // of a user who is there
	}
	if err != nil {
		return 0, "", err
	}
	switch asked.Kind {
	case AddUser, GivePassword:
		if err := CheckPassword(asked.Name, asked.Password); err != nil {
			return 0, "", err
		}
		if c.Hash, err = p.hasher.hash(ctx, o.By.Name, asked.Password); err != nil {
			return 0, "", err
		}
		again = p.samePassword(ctx, o.By.Name, asked.Password)
	case IssueToken:
		if err := p.checkEnd(asked.EndsMs); err != nil {
			return 0, "", err
		}
		var hash SessionID
		if text, hash, err = newSecret(p.world.Random, machineMark); err != nil {
			return 0, "", err
		}
		c.EndsMs, c.Hash = asked.EndsMs, hex.EncodeToString(hash[:])
		again = func(change) error { text = ""; return nil }
	case GiveRole, EnableUser, RemoveFactor, EraseName: // without a secret
	}
	done, err := p.manage(ctx, o, asked.Kind.Needs(), changeProposed, c, func(c *change) error {
		c.Proposal, c.ByRole, c.ByMachine = p.staff.last+1, o.By.Role, o.By.Machine
		if err := p.notTwice(&asked); err != nil {
			return err
		}
		return p.possible(asked.Kind, o.By, c)
	}, again)
	if err != nil {
		return 0, "", err
	}
	return done.Proposal, text, nil
}

// notTwice refuses to ask for what waits for a second person already. Tokens of one name may
// be several. p.mu is held.
func (p *Directory) notTwice(asked *Change) error {
	for _, other := range p.staff.proposals {
		if other.decided != nil || other.Kind != asked.Kind || other.Name != asked.Name || asked.Kind == IssueToken {
			continue
		}
		if asked.Kind != GiveRole || other.Role == asked.Role {
			return sentence.Errorf("proposal %d by %s waits for a second person: %s", other.ID, other.By.Name, ErrAlready)
		}
	}
	return nil
}

// possible refuses a change that could not be made at this moment for somebody who asks
// for it or approves it. It completes the event. p.mu is held.
func (p *Directory) possible(kind ChangeKind, by access.Person, c *change) error {
	switch kind {
	case AddUser:
		return p.free(c.Name, c.Role, false)
	case IssueToken:
		return p.free(c.Name, c.Role, true)
	case GiveRole, GivePassword, EnableUser, RemoveFactor, EraseName:
	}
	u, err := p.known(ChangeRequest{By: by}, c.Name)
	if err != nil {
		return err
	}
	switch {
	case kind == GiveRole && u.Role == c.Role:
		return sentence.Errorf("%s is %s: %s", c.Name, sentence.Word(c.Role.Words()), ErrAlready)
	case kind == GivePassword && u.Provider != "":
		return sentence.Errorf("%s: %s", c.Name, ErrNoPassword)
	case kind == RemoveFactor && u.factor == nil:
		return sentence.Errorf("%s: %s", c.Name, ErrAlready)
	case kind == EraseName && !u.Disabled:
		return sentence.Errorf("%s: %s", c.Name, ErrNotDisabled)
	case kind == EraseName && u.erasure != nil:
		return sentence.Errorf("%s: %s", c.Name, ErrAlready)
	case kind == EnableUser && !u.Disabled:
		return sentence.Errorf("%s: %s", c.Name, ErrAlready)
	case kind == GiveRole:
		c.From = u.Role
		return p.last(u)
	}
	return nil
}

// proposalOf returns a change that was asked for. p.mu is held.
func (p *Directory) proposalOf(id int64) (*proposal, error) {
	asked := p.staff.proposals[id]
	if asked == nil {
		return nil, sentence.Errorf("proposal %d: %s", id, house.ErrNoProposal)
	}
	return asked, nil
}

// waiting returns a change that waits. p.mu is held.
func (p *Directory) waiting(id int64) (*proposal, error) {
	asked, err := p.proposalOf(id)
	if err == nil && asked.decided != nil {
		err = sentence.Errorf("proposal %d was %s: %s", id, asked.decided.words(), house.ErrDecided)
	}
	return asked, err
}

// ApproveChange makes a change that somebody else asked for. What was possible then and
// is not any more is refused, and the change goes on waiting.
func (p *Directory) ApproveChange(ctx context.Context, o ChangeRequest, id int64) error {
	if err := o.By.CheckSecond(access.ApproveUser); err != nil {
		return err
	}
	p.mu.RLock()
	asked, err := p.proposalOf(id)
	p.mu.RUnlock()
	if err != nil {
		return err
	}
	c := change{
		Name: asked.Name, Role: asked.Role, Hash: asked.hash, EndsMs: asked.EndsMs,
		Proposal: id, AskedBy: asked.By.Name,
	}
	o.Why = asked.Why
	_, err = p.commit(ctx, o, changeEvents[asked.Kind], c, func(c *change) error {
		if _, err := p.waiting(id); err != nil {
			return err
		}
		switch {
		case house.SamePerson(asked.By, o.By):
			return sentence.Errorf("proposal %d is by %s: %s", id, asked.By.Name, house.ErrSamePerson)
		case asked.Name == o.By.Name:
			return sentence.Errorf("%s: %s", asked.Name, ErrOwnAccount)
		}
		if !p.mayStillAsk(asked.By, asked.AtMs) {
			return sentence.Errorf("proposal %d: %s may not ask for it any more: %s", id, asked.By.Name, ErrOutdated)
		}
		if err := p.independent(asked.By.Name, o.By.Name); err != nil {
			return err
		}
		if asked.Kind == IssueToken {
			if err := p.checkEnd(asked.EndsMs); err != nil {
				return err
			}
		}
		c.MustChange = !p.world.OnePerson && (asked.Kind == AddUser || asked.Kind == GivePassword)
		return p.possible(asked.Kind, asked.By, c)
	}, nil)
	return err
}

// ErrOutdated: whoever asked for a change has lost their role or access since, also where
// they have it again.
var ErrOutdated = errors.New("decline this change and have another person propose it")

// DeclineChange puts a change away undone. Whoever asked for it may do so too.
func (p *Directory) DeclineChange(ctx context.Context, o ChangeRequest, id int64) error {
	if err := CheckWhy(o.Why); err != nil {
		return err
	}
	p.mu.RLock()
	asked, err := p.proposalOf(id)
	p.mu.RUnlock()
	if err != nil {
		return err
	}
	if !house.SamePerson(asked.By, o.By) {
		if err := o.By.Check(access.ApproveUser); err != nil {
			return err
		}
	}
	_, err = p.commit(ctx, o, changeDeclined, change{Name: asked.Name, Proposal: id}, func(*change) error {
		_, err := p.waiting(id)
		return err
	}, nil)
	return err
}

// Changes lists the changes that wait for a second person, the oldest first.
func (p *Directory) Changes() []PendingChange {
	p.mu.RLock()
	defer p.mu.RUnlock()
	all := []PendingChange{}
	for _, asked := range p.staff.proposals {
		if asked.decided == nil {
			all = append(all, asked.PendingChange)
		}
	}
	slices.SortFunc(all, func(a, b PendingChange) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// apply takes into account what an event says of changes that take two people. p.mu is
// held, or nobody else has p.
func (p *Directory) apply(kind string, c *change, atMs int64) bool {
	if kind == changeProposed {
		if c.Proposal != p.staff.last+1 || c.Change == 0 {
			return false
		}
		p.staff.last++
		p.staff.proposals[c.Proposal] = &proposal{hash: c.Hash, PendingChange: PendingChange{
			ID: c.Proposal, By: access.Person{Name: c.By, Role: c.ByRole, Machine: c.ByMachine}, AtMs: atMs,
			Kind: c.Change, Name: c.Name, Role: c.Role, EndsMs: c.EndsMs, Why: c.Why,
		}}
		return true
	}
	if c.Proposal != 0 {
		asked, err := p.waiting(c.Proposal)
		if err != nil {
			return false
		}
		if kind != changeDeclined && changeEvents[asked.Kind] != kind {
			return false
		}
		asked.decided = &decision{Approved: kind != changeDeclined, By: c.By}
	}
	switch kind {
	case userAdded, roleChanged, passwordSet, userEnabled, tokenAdded, factorRemoved:
		p.made(c, kind, atMs)
	}
	return true
}
