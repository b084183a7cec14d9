// Package signin lets people into the house by its page. It finds the session that a visit
// belongs to, and lets guests in. Sections that show or do more than anybody may see stand on
// it.
package signin

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"trey/internal/admission"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/web/lang"
	"trey/internal/web/site"
)

// People says who somebody is. It is [identity.Directory], or that with something
// around it.
type People interface {
	Guest(ctx context.Context, from netip.Addr, replaces string) (token string, s identity.Session, err error)
	Check(token string) (identity.Session, error)
	Peek(token string) (identity.Session, error)
	Login(ctx context.Context, c identity.Credentials) (token string, s identity.Session, err error)
	Second(ctx context.Context, c identity.SecondCredentials) (token string, s identity.Session, err error)
	LoginBy(ctx context.Context, e identity.External) (token string, s identity.Session, err error)
	Logout(ctx context.Context, token string) error
	IsPlayer(name string) bool
	SignIns(name string) []identity.SignIn
	OpenSessions(token string) ([]identity.OpenSession, error)
	EndSession(ctx context.Context, token, id string) error
	ChangePassword(ctx context.Context, o identity.ChangeRequest, from netip.Addr, old, password string) error
	Factors(name string) identity.Factors
	AskPasskey(token, origin string) (*identity.Addition, error)
	ProvePasskey(ctx context.Context, token string, evidence identity.Proof) (*identity.Addition, error)
	AddPasskey(ctx context.Context, token, label string, answer []byte) (recovery []string, err error)
	AskRemoval(token, origin, passkey string) (*identity.Addition, error)
}

// Authenticator identifies visitors and lets them in.
type Authenticator struct {
	People People
	// NowMs is the house's clock.
	NowMs func() int64
	// Secure says that visitors reach the house by TLS, so that cookies say so too.
	Secure bool
	// Provider lets people in as well, nil for none. ProviderName is the provider's name.
	Provider     Provider
	ProviderName string
	// Admission says from where a visitor comes.
	Admission *admission.Control
	// Guests says that the house lets in people without a name, who then may also
	// look on without being let in.
	Guests bool
	// OnePerson says that the house is a demonstration with play money, in which one person
	// does what takes two elsewhere. Its pages say so.
	OnePerson bool
}

// Session returns the visitor's session, and notes that they are here; ok is false for a visitor
// who was not let in.
func (d *Authenticator) Session(v *site.Visit) (s identity.Session, ok bool) {
	s, err := d.People.Check(d.token(v))
	return s, err == nil
}

// Peek does what Session does, for a page that stays open by itself: it does not keep a session
// from ending.
func (d *Authenticator) Peek(v *site.Visit) (s identity.Session, ok bool) {
	s, err := d.People.Peek(d.token(v))
	return s, err == nil
}

// CheckSeeFloor returns the reason why a visitor may not read the floor, if there is one.
func (d *Authenticator) CheckSeeFloor(v *site.Visit) error {
	if d.passwordDue(v) {
		return dueProblem(v)
	}
	if s, ok := d.Peek(v); ok && s.Role.Can(access.SeeTable) || d.Guests {
		return nil
	}
	return &site.Problem{Status: http.StatusUnauthorized, Text: v.T("entry.members")}
}

// Guest lets the visitor in as a guest, unless they are signed in already.
func (d *Authenticator) Guest(v *site.Visit) (identity.Session, error) {
	s, ok := d.Session(v)
	switch {
	case ok:
		return s, nil
	case d.passwordDue(v):
		return s, dueProblem(v) // a guest's session would take the place of theirs
	}
	token, s, err := d.People.Guest(v.Context(), d.Admission.From(v.Request), d.token(v))
	switch {
	case errors.Is(err, identity.ErrNoGuests):
		return s, &site.Problem{Status: http.StatusForbidden, Text: v.T("entry.members")}
	case errors.Is(err, identity.ErrDeciding):
		return s, &site.Problem{Status: http.StatusConflict, Text: v.T("sign.decide")}
	case errors.Is(err, identity.ErrFull):
		return s, &site.Problem{Status: http.StatusServiceUnavailable, Text: v.T("entry.full")}
	case err != nil:
		return s, err
	}
	d.keep(v, token, int((s.EndsMs-d.NowMs())/1000))
	return s, nil
}

// keep gives the visitor's browser a token for so many seconds; below zero it deletes the token
// there.
func (d *Authenticator) keep(v *site.Visit, token string, seconds int) {
	cookie := identity.Cookie(d.Secure, token, seconds)
	v.SetCookie(&cookie)
}

func (d *Authenticator) token(v *site.Visit) string {
	return v.Cookie(identity.CookieName(d.Secure))
}

// Called returns a name as it fits on a page. Guests have names that nobody can guess, and the
// beginning of the name tells them apart.
func Called(p lang.Printer, name string) string {
	if rest, guest := strings.CutPrefix(name, guestPrefix); guest && len(rest) > shownOfGuest {
		return p.T("tables.guest", "name", strings.ToUpper(rest[:shownOfGuest]))
	}
	return name
}

// guestPrefix begins the names of guests; shownOfGuest is the number of characters shown of the
// rest.
const (
	guestPrefix  = "guest-"
	shownOfGuest = 4
)
