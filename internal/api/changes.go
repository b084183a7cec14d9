package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

type listedChanges struct {
	Body struct {
		Changes []identity.PendingChange `json:"changes"`
	}
}

type changeInput struct {
	Keyed
	Body struct {
		Kind     string      `json:"kind" enum:"add-user,give-role,give-password,enable-user,issue-token,remove-second-factor,erase-name" doc:"What is to be done."`
		Name     string      `json:"name" minLength:"1" maxLength:"64" example:"sam"`
		Role     access.Role `json:"role,omitempty" example:"cashier" doc:"For add-user, give-role and issue-token."`
		Password string      `json:"password,omitempty" maxLength:"1000" writeOnly:"true" doc:"For add-user and give-password. Its holder changes it before anything else."`
		EndsMs   int64       `json:"ends_ms,omitempty" doc:"For issue-token: when it ends, in milliseconds of the Unix clock."`
		Why      string      `json:"why" maxLength:"500" doc:"The reason, for the log."`
	}
}

type askedChange struct {
	Replayed
	Body struct {
		ID   int64  `json:"id" doc:"Its number, for whoever approves it."`
		Text string `json:"text,omitempty" doc:"The text of a token, shown this once. It is good for nothing until the change is approved."`
	}
}

// ChangeNumber is a change of users in the path of a request.
type ChangeNumber struct {
	ID int64 `path:"id" minimum:"1" doc:"The number of the change."`
}

type approveChangeInput struct {
	Keyed
	ChangeNumber
}

type declineChangeInput struct {
	Keyed
	ChangeNumber
	Body struct {
		Why string `json:"why" minLength:"1" maxLength:"500"`
	}
}

// userChanges lists the changes of users and tokens that take two people.
func (d *server) userChanges() {
	tag := []string{"People"}
	serve(d, huma.Operation{
		OperationID: "list-user-changes", Method: http.MethodGet, Path: "/api/v1/user-changes", Tags: tag,
		Summary: "List the changes of users that wait for a second person", Description: "Users, roles, passwords and tokens that one person has proposed and another has to approve, without passwords and texts.",
	}, d.listChanges)
	serve(d, huma.Operation{
		OperationID: "propose-user-change", Method: http.MethodPost, Path: "/api/v1/user-changes", Tags: tag, DefaultStatus: http.StatusCreated,
		Summary: "Propose a change of users", Description: "Asks for a user, role, password or token that takes two people. Nothing is changed before somebody else has approved it.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.proposeChange)
	serve(d, huma.Operation{
		OperationID: "approve-user-change", Method: http.MethodPost, Path: "/api/v1/user-changes/{id}/approve", Tags: tag, DefaultStatus: http.StatusNoContent,
		Summary: "Approve a change of users", Description: "Has it made. A person approves it who did not propose it, whose account does not depend on the proposer's, and whom it does not concern; a token approves nothing.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *approveChangeInput) (*nothing, error) {
		o, err := d.changeRequest(ctx, in.Key, "")
		if err != nil {
			return nil, err
		}
		return &nothing{}, d.Identity.ApproveChange(ctx, o, in.ID)
	})
	serve(d, huma.Operation{
		OperationID: "decline-user-change", Method: http.MethodPost, Path: "/api/v1/user-changes/{id}/decline", Tags: tag, DefaultStatus: http.StatusNoContent,
		Summary: "Decline a change of users", Description: "Puts it away undone; whoever proposed it may do so too.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *declineChangeInput) (*nothing, error) {
		o, err := d.changeRequest(ctx, in.Key, in.Body.Why)
		if err != nil {
			return nil, err
		}
		return &nothing{}, d.Identity.DeclineChange(ctx, o, in.ID)
	})
}

func (d *server) listChanges(ctx context.Context, _ *struct{}) (*listedChanges, error) {
	if _, err := requirePermission(ctx, access.SeeProposals); err != nil {
		return nil, err
	}
	out := &listedChanges{}
	out.Body.Changes = d.Identity.Changes()
	return out, nil
}

func (d *server) proposeChange(ctx context.Context, in *changeInput) (*askedChange, error) {
	o, err := d.changeRequest(ctx, in.Key, in.Body.Why)
	if err != nil {
		return nil, err
	}
	asked := identity.Change{Name: in.Body.Name, Role: in.Body.Role, Password: in.Body.Password, EndsMs: in.Body.EndsMs}
	if err := asked.Kind.UnmarshalText([]byte(in.Body.Kind)); err != nil {
		return nil, kindInvalid.problem(err.Error())
	}
	id, text, err := d.Identity.ProposeChange(ctx, o, asked)
	if err != nil {
		return nil, err
	}
	out := &askedChange{}
	out.Body.ID, out.Body.Text = id, text
	return out, nil
}
