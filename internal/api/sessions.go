package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// CurrentUser is somebody who is signed in.
type CurrentUser struct {
	Name   string      `json:"name" example:"ann"`
	Role   access.Role `json:"role" example:"player"`
	Rights []string    `json:"rights" doc:"What the role may do." example:"[\"see-floor\",\"play\"]"`
	// Recovery are codes that stand for a second factor that was lost.
	Recovery []string `json:"recovery_codes,omitempty" doc:"Once, with a new second factor: each leads to another one if this is lost."`
	// Session is about the session, absent for machines.
	Session *SessionTimes `json:"session,omitempty"`
	// PasswordDue says that nothing else is allowed yet.
	PasswordDue bool `json:"password_due,omitempty" doc:"Somebody else chose the password: change it before anything else, by PUT /api/v1/me/password."`
}

// SessionTimes are the times at which a session began and ends.
type SessionTimes struct {
	SinceMs int64 `json:"since_ms"`
	IdleMs  int64 `json:"idle_ms" doc:"When it ends if it is not used until then."`
	EndsMs  int64 `json:"ends_ms" doc:"When it ends in any case."`
}

func currentUser(p access.Person) CurrentUser {
	user := CurrentUser{Name: p.Name, Role: p.Role, Rights: []string{}}
	for _, right := range access.Permissions() {
		if p.Role.Can(right) {
			user.Rights = append(user.Rights, right.String())
		}
	}
	return user
}

func sessionUser(s identity.Session) CurrentUser {
	user := currentUser(s.Person)
	user.Session, user.PasswordDue = &SessionTimes{s.SinceMs, s.IdleMs, s.EndsMs}, s.PasswordDue
	return user
}

// Keyed is the idempotency key of a request.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"200" doc:"A name of your own for this request. Sent again with the same key and content it is answered and not done again; with other content it is refused."`
}

type signedIn struct {
	Cookies []http.Cookie `header:"Set-Cookie" doc:"The session, and after a sign-in that the person signed in from this device. Scripts cannot read them, and they are sent to this house only."`
	Body    CurrentUser
}

type signedOut struct {
	Cookie http.Cookie `header:"Set-Cookie"`
}

func (d *server) sessions() {
	open := []map[string][]string{{}}
	serve(d, huma.Operation{
		OperationID: "login", Method: http.MethodPost, Path: "/api/v1/sessions", Tags: []string{"Sessions"}, Security: open,
		Summary: "Sign in", Description: "Begins a session with a name and a password. Whoever fails too often has to wait. It takes the place of the session of the cookie, unless that is the last one of somebody who has a hand to decide.", DefaultStatus: http.StatusCreated,
		Errors: []int{http.StatusConflict},
	}, d.login)
	serve(d, huma.Operation{
		OperationID: "login-second", Method: http.MethodPost, Path: "/api/v1/sessions/second", Tags: []string{"Sessions"}, Security: open,
		Summary: "Sign in, second step", Description: "Ends a sign-in that was answered with the problem second-factor: with a code of the second factor or the answer of a passkey; or, if it is lost, with a recovery code. The problems bad-code, bad-passkey and too-many hold the second_step for the next attempt.", DefaultStatus: http.StatusCreated,
		Errors: []int{http.StatusConflict},
	}, d.second)
	serve(d, huma.Operation{
		OperationID: "guest", Method: http.MethodPost, Path: "/api/v1/guests", Tags: []string{"Sessions"}, Security: open,
		Summary: "Play as a guest", Description: "Begins a session for somebody without a name, who plays for play money, where the house takes guests.", DefaultStatus: http.StatusCreated,
		Errors: []int{http.StatusConflict},
	}, d.guest)
	serve(d, huma.Operation{
		OperationID: "me", Method: http.MethodGet, Path: "/api/v1/me", Tags: []string{"Sessions"},
		Summary: "Who am I", Description: "Your name, your role and what it may do.",
	}, d.me)
	serve(d, huma.Operation{
		OperationID: "logout", Method: http.MethodDelete, Path: "/api/v1/sessions/current", Tags: []string{"Sessions"},
		Summary: "Sign out", Description: "Ends the session of the cookie. One that has ended is no error. The last session of a player waits until the player has decided.", DefaultStatus: http.StatusNoContent,
		Errors: []int{http.StatusConflict},
	}, d.logout)
	serve(d, huma.Operation{
		OperationID: "end-sessions", Method: http.MethodDelete, Path: "/api/v1/sessions", Tags: []string{"Sessions"},
		Summary: "Sign out everywhere", Description: "Ends all of your sessions; a machine has none. They wait until you have decided your hands.", DefaultStatus: http.StatusNoContent,
		Errors: []int{http.StatusConflict},
	}, d.endOwnSessions)
	serve(d, huma.Operation{
		OperationID: "own-sessions", Method: http.MethodGet, Path: "/api/v1/account/sessions", Tags: []string{"Sessions"},
		Summary: "See your sign-ins and sessions", Description: "When and from where you signed in lately, and your open sessions, the newest first. A machine has none.",
	}, d.ownSessions)
	serve(d, huma.Operation{
		OperationID: "end-session", Method: http.MethodDelete, Path: "/api/v1/account/sessions/{id}", Tags: []string{"Sessions"},
		Summary: "End one of your sessions", Description: "Ends one session of yours. The last one waits until you have decided your hands.", DefaultStatus: http.StatusNoContent,
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *sessionName) (*struct{}, error) {
		return nil, d.Identity.EndSession(ctx, callOf(ctx).session, in.ID)
	})
	serve(d, huma.Operation{
		OperationID: "change-password", Method: http.MethodPut, Path: "/api/v1/me/password", Tags: []string{"Sessions"},
		Summary: "Change your password", Description: "Sets a new password for yourself and ends all of your sessions: sign in again.", DefaultStatus: http.StatusNoContent,
	}, d.changePassword)
}

// cookie returns the session cookie with a token; an empty token removes the cookie.
func (d *server) cookie(token string, s identity.Session) http.Cookie {
	seconds := -1
	if token != "" {
		seconds = int((s.EndsMs - d.NowMs()) / 1000)
	}
	return identity.Cookie(d.Secure, token, seconds)
}

type loginInput struct {
	Body struct {
		Name     string `json:"name" minLength:"1" maxLength:"200" example:"ann"`
		Password string `json:"password" minLength:"1" maxLength:"1000" writeOnly:"true"`
	}
}

func (d *server) login(ctx context.Context, in *loginInput) (*signedIn, error) {
	c := callOf(ctx)
	token, s, err := d.Identity.Login(ctx, identity.Credentials{
		Name: in.Body.Name, Password: in.Body.Password, From: c.from, Replaces: c.session, Device: c.device, Origin: c.origin,
	})
	d.metrics.logins.WithLabelValues(loginResult(err)).Inc()
	if err != nil {
		return nil, err
	}
	c.person = s.Person
	return &signedIn{[]http.Cookie{d.cookie(token, s), identity.DeviceCookie(d.Secure, s.Device)}, sessionUser(s)}, nil
}

type secondInput struct {
	Body struct {
		Ticket string `json:"ticket" minLength:"1" maxLength:"200"`
		Code   string `json:"code,omitempty" maxLength:"100" writeOnly:"true" example:"123456"`
		// Passkey is in the place of a code.
		Passkey map[string]any `json:"passkey,omitempty" writeOnly:"true" doc:"In the place of a code: what navigator.credentials answered to passkey or new_passkey, as PublicKeyCredential.toJSON writes it."`
		Label   string         `json:"label,omitempty" maxLength:"200" example:"Office key" doc:"What a new passkey is called."`
	}
}

func (d *server) second(ctx context.Context, in *secondInput) (*signedIn, error) {
	c := callOf(ctx)
	if (in.Body.Code == "") == (in.Body.Passkey == nil) {
		return nil, kindInvalid.problem("send either a code or the answer of a passkey")
	}
	credentials := identity.SecondCredentials{Ticket: in.Body.Ticket, Code: in.Body.Code, Label: in.Body.Label, From: c.from, Replaces: c.session}
	if in.Body.Passkey != nil {
		answer, err := json.Marshal(in.Body.Passkey)
		if err != nil {
			return nil, err
		}
		credentials.Passkey = answer
	}
	token, s, err := d.Identity.Second(ctx, credentials)
	d.metrics.logins.WithLabelValues(loginResult(err)).Inc()
	if err != nil {
		return nil, err
	}
	c.person = s.Person
	out := &signedIn{[]http.Cookie{d.cookie(token, s), identity.DeviceCookie(d.Secure, s.Device)}, sessionUser(s)}
	out.Body.Recovery = strings.Fields(s.Recovery)
	return out, nil
}

// loginResult returns the label of the result of a sign-in in the metrics.
func loginResult(err error) string {
	var throttled *identity.Throttled
	var second *identity.SecondStep
	switch {
	case err == nil:
		return "in"
	case errors.As(err, &throttled):
		return "throttled"
	case errors.As(err, &second) && second.Wrong == nil:
		return "second-step"
	case errors.Is(err, identity.ErrBadLogin), errors.Is(err, identity.ErrBadCode), errors.Is(err, identity.ErrBadPasskey), errors.Is(err, identity.ErrNoTicket):
		return "wrong"
	}
	return "failed"
}

func (d *server) guest(ctx context.Context, _ *struct{}) (*signedIn, error) {
	c := callOf(ctx)
	token, s, err := d.Identity.Guest(ctx, c.from, c.session)
	if err != nil {
		return nil, err
	}
	c.person = s.Person
	return &signedIn{[]http.Cookie{d.cookie(token, s)}, sessionUser(s)}, nil
}

type meOutput struct{ Body CurrentUser }

// knownOrDue does what authenticated does, also for a person who has to change their password
// first.
func knownOrDue(ctx context.Context) (access.Person, error) {
	person, err := authenticated(ctx)
	if errors.Is(err, identity.ErrPasswordDue) {
		err = nil
	}
	return person, err
}

func (d *server) me(ctx context.Context, _ *struct{}) (*meOutput, error) {
	person, err := knownOrDue(ctx)
	if err != nil {
		return nil, err
	}
	if c := callOf(ctx); c.session != "" {
		if s, err := d.Identity.Peek(c.session); (err == nil || s.PasswordDue) && s.Person == person {
			return &meOutput{sessionUser(s)}, nil
		}
	}
	return &meOutput{currentUser(person)}, nil
}

func (d *server) logout(ctx context.Context, _ *struct{}) (*signedOut, error) {
	if c := callOf(ctx); c.session != "" {
		if err := d.Identity.Logout(ctx, c.session); err != nil {
			return nil, err
		}
	}
	return &signedOut{d.cookie("", identity.Session{})}, nil
}

func (d *server) endOwnSessions(ctx context.Context, _ *struct{}) (*signedOut, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	if callOf(ctx).machine != "" {
		return &signedOut{d.cookie("", identity.Session{})}, nil // a machine has none
	}
	if d.House.Deciding(person.Name) {
		return nil, identity.ErrDeciding
	}
	if err := d.Identity.EndSessions(ctx, identity.ChangeRequest{By: person}, person.Name); err != nil {
		return nil, err
	}
	return &signedOut{d.cookie("", identity.Session{})}, nil
}

type sessionName struct {
	ID string `path:"id" maxLength:"32" doc:"As own-sessions lists it."`
}

type ownSessions struct {
	Body struct {
		SignIns  []identity.SignIn      `json:"sign_ins" doc:"The latest sign-ins; the first is the one of the newest session."`
		Sessions []identity.OpenSession `json:"sessions"`
	}
}

func (d *server) ownSessions(ctx context.Context, _ *struct{}) (*ownSessions, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	out := &ownSessions{}
	out.Body.SignIns, out.Body.Sessions = d.Identity.SignIns(person.Name), []identity.OpenSession{}
	if out.Body.SignIns == nil {
		out.Body.SignIns = []identity.SignIn{}
	}
	c := callOf(ctx)
	if c.session == "" {
		return out, nil
	}
	out.Body.Sessions, err = d.Identity.OpenSessions(c.session)
	return out, err
}

type passwordInput struct {
	Keyed
	Body struct {
		Old string `json:"old" minLength:"1" maxLength:"1000" writeOnly:"true"`
		New string `json:"new" minLength:"1" maxLength:"1000" writeOnly:"true"`
	}
}

func (d *server) changePassword(ctx context.Context, in *passwordInput) (*signedOut, error) {
	person, err := knownOrDue(ctx)
	if err != nil {
		return nil, err
	}
	o := identity.ChangeRequest{Key: in.Key, By: person}
	if err := d.Identity.ChangePassword(ctx, o, callOf(ctx).from, in.Body.Old, in.Body.New); err != nil {
		return nil, err
	}
	return &signedOut{d.cookie("", identity.Session{})}, nil
}
