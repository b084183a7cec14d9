package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// users lists the users and the machines' tokens for an administrator.
func (d *server) users() {
	tag := []string{"People"}
	serve(d, huma.Operation{
		OperationID: "list-users", Method: http.MethodGet, Path: "/api/v1/users", Tags: tag,
		Summary: "List the users", Description: "Everybody who can sign in, with role and whether they are shut out.",
	}, d.listUsers)
	serve(d, huma.Operation{
		OperationID: "add-user", Method: http.MethodPost, Path: "/api/v1/users", Tags: tag, DefaultStatus: http.StatusCreated,
		Summary: "Add a user", Description: "Adds somebody who can sign in with a password. A cashier adds players, an administrator everybody.",
		Errors: []int{http.StatusConflict},
	}, d.addUser)
	serve(d, huma.Operation{
		OperationID: "change-user", Method: http.MethodPatch, Path: "/api/v1/users/{name}", Tags: tag,
		Summary: "Change a user", Description: "Gives a user another role, disables or enables the user, or sets a new password: one of these at a time. The user's sessions end. Nobody can change their own account this way.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.changeUser)
	serve(d, huma.Operation{
		OperationID: "end-user-sessions", Method: http.MethodDelete, Path: "/api/v1/users/{name}/sessions", Tags: tag, DefaultStatus: http.StatusNoContent,
		Summary: "End a user's sessions", Description: "Signs a user out everywhere.",
		Errors: []int{http.StatusNotFound},
	}, d.endSessions)
	serve(d, huma.Operation{
		OperationID: "list-tokens", Method: http.MethodGet, Path: "/api/v1/tokens", Tags: tag,
		Summary: "List the machines' tokens", Description: "All tokens, also those that have ended or were revoked, without their texts.",
	}, d.listTokens)
	serve(d, huma.Operation{
		OperationID: "add-token", Method: http.MethodPost, Path: "/api/v1/tokens", Tags: tag, DefaultStatus: http.StatusCreated,
		Summary: "Make a token for a machine", Description: "Makes a bearer token. Its text is told in this answer and never again, also not when the request is repeated.",
		Errors: []int{http.StatusConflict},
	}, d.addToken)
	serve(d, huma.Operation{
		OperationID: "revoke-token", Method: http.MethodDelete, Path: "/api/v1/tokens/{id}", Tags: tag,
		Summary: "Revoke a token", Description: "Ends a machine's token at once.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.revokeToken)
}

// changeRequest returns a change to people as a person asks for it.
func (d *server) changeRequest(ctx context.Context, key, why string) (identity.ChangeRequest, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return identity.ChangeRequest{}, err
	}
	return identity.ChangeRequest{Key: key, By: person, Why: why}, nil
}

// replayedText returns the header Idempotency-Replayed; empty is none.
func replayedText(was bool) string {
	if was {
		return "true"
	}
	return ""
}

// Replayed is the header of an answer that was given before. [serve] sets it.
type Replayed struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true where it was done before, under this key."`
}

func (r *Replayed) setReplayed(was bool) { r.Replayed = replayedText(was) }

type listedUsers struct {
	Body struct {
		Users []identity.User `json:"users"`
	}
}

func (d *server) listUsers(ctx context.Context, _ *struct{}) (*listedUsers, error) {
	if _, err := requirePermission(ctx, access.ManageUsers); err != nil {
		return nil, err
	}
	out := &listedUsers{}
	out.Body.Users = d.Identity.Users()
	return out, nil
}

type addUserInput struct {
	Keyed
	Body struct {
		Name     string      `json:"name" minLength:"1" maxLength:"64" example:"ann"`
		Role     access.Role `json:"role" example:"player"`
		Password string      `json:"password" minLength:"1" maxLength:"1000" writeOnly:"true"`
		Why      string      `json:"why" maxLength:"500" doc:"The reason, for the log." example:"new dealer, night shift"`
	}
}

type gotUser struct {
	Replayed
	Body identity.User
}

func (d *server) addUser(ctx context.Context, in *addUserInput) (*gotUser, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Body.Why)
	if err != nil {
		return nil, err
	}
	u, err := d.Identity.AddUser(ctx, o, in.Body.Name, in.Body.Role, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return &gotUser{Body: u}, nil
}

type changeUserInput struct {
	Keyed
	Name string `path:"name" maxLength:"64"`
	Body struct {
		Role     *access.Role `json:"role,omitempty" example:"dealer"`
		Disabled *bool        `json:"disabled,omitempty"`
		Password string       `json:"password,omitempty" maxLength:"1000" writeOnly:"true"`
		Why      string       `json:"why" maxLength:"500" doc:"The reason, for the log."`
	}
}

func (d *server) changeUser(ctx context.Context, in *changeUserInput) (*gotUser, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Body.Why)
	if err != nil {
		return nil, err
	}
	var changes []func() (identity.User, error)
	if in.Body.Role != nil {
		changes = append(changes, func() (identity.User, error) { return d.Identity.SetRole(ctx, o, in.Name, *in.Body.Role) })
	}
	if in.Body.Disabled != nil {
		change := d.Identity.Enable
		if *in.Body.Disabled {
			change = d.Identity.Disable
		}
		changes = append(changes, func() (identity.User, error) { return change(ctx, o, in.Name) })
	}
	if in.Body.Password != "" {
		changes = append(changes, func() (identity.User, error) {
			if err := d.Identity.SetPassword(ctx, o, in.Name, in.Body.Password); err != nil {
				return identity.User{}, err
			}
			return d.Identity.User(in.Name)
		})
	}
	if len(changes) != 1 {
		return nil, kindInvalid.problem("change one thing at a time: role, disabled or password")
	}
	u, err := changes[0]()
	if err != nil {
		return nil, err
	}
	return &gotUser{Body: u}, nil
}

type endSessionsInput struct {
	Keyed
	Name string `path:"name" maxLength:"64"`
	Why  string `query:"why" maxLength:"500" doc:"The reason, for the log."`
}

type nothing struct{ Replayed }

func (d *server) endSessions(ctx context.Context, in *endSessionsInput) (*nothing, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Why)
	if err != nil {
		return nil, err
	}
	return &nothing{}, d.Identity.EndSessions(ctx, o, in.Name)
}

type listedTokens struct {
	Body struct {
		Tokens []identity.Token `json:"tokens"`
	}
}

func (d *server) listTokens(ctx context.Context, _ *struct{}) (*listedTokens, error) {
	if _, err := requirePermission(ctx, access.ManageTokens); err != nil {
		return nil, err
	}
	out := &listedTokens{}
	out.Body.Tokens = d.Identity.Tokens()
	return out, nil
}

type addTokenInput struct {
	Keyed
	Body struct {
		Name   string      `json:"name" minLength:"1" maxLength:"64" example:"shuffler-3"`
		Role   access.Role `json:"role" example:"dealer"`
		EndsMs int64       `json:"ends_ms" minimum:"1" doc:"When it ends, in milliseconds of the Unix clock."`
		Why    string      `json:"why" maxLength:"500" doc:"The reason, for the log."`
	}
}

type madeToken struct {
	Replayed
	Body struct {
		identity.Token
		Text string `json:"text,omitempty" doc:"The token itself, told this once."`
	}
}

func (d *server) addToken(ctx context.Context, in *addTokenInput) (*madeToken, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Body.Why)
	if err != nil {
		return nil, err
	}
	token, text, err := d.Identity.AddToken(ctx, o, in.Body.Name, in.Body.Role, in.Body.EndsMs)
	if err != nil {
		return nil, err
	}
	out := &madeToken{}
	out.Body.Token, out.Body.Text = token, text
	return out, nil
}

type revokeTokenInput struct {
	Keyed
	ID  string `path:"id" maxLength:"200"`
	Why string `query:"why" maxLength:"500" doc:"The reason, for the log."`
}

type gotToken struct {
	Replayed
	Body identity.Token
}

func (d *server) revokeToken(ctx context.Context, in *revokeTokenInput) (*gotToken, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Why)
	if err != nil {
		return nil, err
	}
	t, err := d.Identity.RevokeToken(ctx, o, in.ID)
	if err != nil {
		return nil, err
	}
	return &gotToken{Body: t}, nil
}
