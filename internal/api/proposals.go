package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
)

// Proposal is a proposal of a person: its kind, and its fields in body.
type Proposal struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// UnmarshalJSON reads it strictly.
func (p *Proposal) UnmarshalJSON(text []byte) error {
	type plain Proposal
	return readJSON(text, (*plain)(p))
}

// Schema lists the proposals, each with its fields.
func (Proposal) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "Proposal", house.ProposalKinds(), func(kind string) (string, reflect.Type) {
		p, err := house.DecodeProposal(kind, []byte("{}"))
		if err != nil {
			panic(err)
		}
		return "body", reflect.TypeOf(p)
	}, nil)
}

// Pending is a proposal that waits for a second person.
type Pending struct {
	ID       int64          `json:"id"`
	By       access.Person  `json:"by"`
	AtMs     int64          `json:"at_ms"`
	Proposal Proposal       `json:"proposal"`
	Before   []house.Figure `json:"before" doc:"What the accounts concerned held when it was proposed; those of players only for whoever may see accounts."`
	Now      []house.Figure `json:"now" doc:"What they hold now; it is decided upon what they hold then."`
}

type proposalInput struct {
	Keyed
	Body Proposal
}

type proposed struct {
	Replayed
	Body struct {
		ID int64 `json:"id" doc:"Its number, for whoever approves it."`
	}
}

type listedProposals struct {
	Body struct {
		Proposals []Pending `json:"proposals"`
	}
}

// ProposalNumber is a proposal in the path of a request.
type ProposalNumber struct {
	ID int64 `path:"id" minimum:"1" doc:"The number of the proposal."`
}

type decideInput struct {
	Keyed
	ProposalNumber
}

type declineInput struct {
	Keyed
	ProposalNumber
	Body struct {
		Why string `json:"why" minLength:"1" maxLength:"500"`
	}
}

func (d *server) proposals() {
	tags := []string{"House"}
	serve(d, huma.Operation{
		OperationID: "list-proposals", Method: http.MethodGet, Path: "/api/v1/proposals", Tags: tags,
		Summary: "List what waits for a second person", Description: "Fills, credits, adjustments and changes of jackpots that one person has proposed and another has to approve.",
	}, d.listProposals)
	serve(d, huma.Operation{
		OperationID: "propose", Method: http.MethodPost, Path: "/api/v1/proposals", Tags: tags, DefaultStatus: http.StatusCreated, SkipValidateBody: true,
		Summary: "Propose something", Description: "Asks for what takes two people. Nothing is done before somebody else has approved it.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.propose)
	serve(d, huma.Operation{
		OperationID: "approve", Method: http.MethodPost, Path: "/api/v1/proposals/{id}/approve", Tags: tags,
		Summary: "Approve a proposal", Description: "Has it done, by somebody else than who proposed it.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *decideInput) (*recorded, error) {
		return d.recordedBy(ctx, in.Key, func(person access.Person) (int64, error) {
			return d.House.Approve(ctx, in.Key, person, in.ID)
		})
	})
	serve(d, huma.Operation{
		OperationID: "decline", Method: http.MethodPost, Path: "/api/v1/proposals/{id}/decline", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Decline a proposal", Description: "Puts it away undone; whoever proposed it may do so too.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *declineInput) (*nothing, error) {
		person, err := authenticated(ctx)
		if err != nil {
			return nil, err
		}
		return &nothing{}, d.House.Decline(ctx, in.Key, person, in.ID, in.Body.Why)
	})
}

func (d *server) listProposals(ctx context.Context, _ *struct{}) (*listedProposals, error) {
	person, err := requirePermission(ctx, access.SeeProposals)
	if err != nil {
		return nil, err
	}
	out := &listedProposals{}
	out.Body.Proposals = []Pending{}
	for _, p := range d.House.ProposalsFor(person) {
		written, err := house.Proposals.Write(p.Proposal)
		if err != nil {
			return nil, err
		}
		out.Body.Proposals = append(out.Body.Proposals, Pending{
			ID: p.ID, By: p.By, AtMs: p.AtMs, Before: p.Before, Now: p.Now,
			Proposal: Proposal{house.ProposalKind(p.Proposal), written.Body},
		})
	}
	return out, nil
}

func (d *server) propose(ctx context.Context, in *proposalInput) (*proposed, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	body := in.Body.Body
	if len(body) == 0 {
		body = []byte("{}")
	}
	p, err := house.DecodeProposal(in.Body.Kind, body)
	if err != nil {
		return nil, unreadable(err, "body.body")
	}
	id, err := d.House.Propose(ctx, in.Key, person, p)
	if err != nil {
		return nil, err
	}
	out := &proposed{}
	out.Body.ID = id
	return out, nil
}
