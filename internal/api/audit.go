package api

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/money"
)

// Evidence is the record as its leaves commit to it, with what stands beside it. Persons stand
// in it by their numbers. A [house.Store] is one.
type Evidence interface {
	Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error
	Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (seq int64, err error)
	Names(ctx context.Context, after int64, yield func(people.Name) error) error
}

// AuditSection is one thing to which the leaf of a transaction commits.
type AuditSection struct {
	Name       string `json:"name" doc:"Which section it is: cause, key, postings, part STREAM AFTER ROUND, or record STREAM ROUND."`
	Salt       string `json:"salt,omitempty" doc:"The salt of the section, in base64."`
	Text       string `json:"text,omitempty" doc:"Its text, as the bytes that the leaf commits to."`
	Commitment string `json:"commitment,omitempty" doc:"The commitment to the section, in base64, where its text is withheld."`
}

// AuditTransaction is a transaction as its leaf commits to it.
type AuditTransaction struct {
	Seq      int64          `json:"seq"`
	AtMs     int64          `json:"at_ms"`
	Sections []AuditSection `json:"sections" doc:"All sections but that of a round's record, in their order."`
	Record   *AuditSection  `json:"record,omitempty" doc:"The section that commits to the record of a round."`
}

// AuditBalance is the balance of an account.
type AuditBalance struct {
	Account string       `json:"account" example:"player:#17" doc:"The account as postings name it."`
	Holds   money.Amount `json:"holds"`
}

// AuditName is the name of a person.
type AuditName struct {
	Number int64  `json:"number"`
	Salt   string `json:"salt,omitempty" doc:"The salt of the commitment to the name, in base64."`
	Name   string `json:"name,omitempty" doc:"Absent where it was erased."`
}

type auditPage struct {
	After int64 `query:"after" minimum:"0" doc:"Only what comes after this number."`
	Limit int   `query:"limit" minimum:"1" maximum:"1000" default:"256" doc:"How many at most. A page ends earlier if it would exceed a few megabytes."`
}

type auditTransactions struct {
	Body struct {
		Transactions []AuditTransaction `json:"transactions"`
		InPlay       bool               `json:"in_play,omitempty" doc:"The transaction that follows is withheld, because a round in play began with it or before it. Ask again later."`
	}
}

type auditBalances struct {
	Body struct {
		Seq      int64          `json:"seq" doc:"The transaction after which the accounts hold this."`
		Balances []AuditBalance `json:"balances"`
	}
}

type auditNames struct {
	Body struct {
		Names []AuditName `json:"names" doc:"In the order of the numbers; the last page is empty."`
	}
}

func (d *server) audits() {
	op := func(id, path, summary, description string) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodGet, Path: "/api/v1/audit/" + path, Tags: []string{"House"}, Summary: summary, Description: description}
	}
	serve(d, op("audit-transactions", "transactions", "Read transactions as their leaves commit to them",
		"Transactions in order, each as the sections to which its leaf in the tree under /log/ commits. A transaction comes when no round is dealt or being played that began with it or before it. Of seeds that are kept and of what is secret of users comes the commitment alone."), d.auditTransactions)
	serve(d, op("audit-balances", "balances", "Read all balances", "What every account holds after one transaction."), d.auditBalances)
	serve(d, op("audit-names", "names", "Read the names of persons", "The names of the persons who stand in the record by a number, with the salts of the commitments to them."), d.auditNames)
}

// maxAuditBytes bounds the text of a page of transactions.
const maxAuditBytes = 4 << 20

func (d *server) auditTransactions(ctx context.Context, in *auditPage) (*auditTransactions, error) {
	if _, err := requirePermission(ctx, access.AuditRecord); err != nil {
		return nil, err
	}
	var read []house.Leaf
	size := 0
	err := d.Evidence.Leaves(ctx, in.After, func(leaf house.Leaf) error {
		read = append(read, leaf)
		size += len(leaf.Line.Append(nil))
		if len(read) >= in.Limit || size > maxAuditBytes {
			return errPageFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return nil, err
	}
	through, err := d.House.EndedThrough(ctx, read)
	if err != nil {
		return nil, err
	}
	out := &auditTransactions{}
	out.Body.Transactions = []AuditTransaction{}
	for i := range read {
		if read[i].Seq > through {
			out.Body.InPlay = true
			break
		}
		out.Body.Transactions = append(out.Body.Transactions, auditTransaction(journal.Open(&read[i])))
	}
	return out, nil
}

func auditTransaction(o journal.Opened) AuditTransaction {
	t := AuditTransaction{Seq: o.Seq, AtMs: o.AtMs}
	for i := range o.Sections {
		t.Sections = append(t.Sections, auditSection(&o.Sections[i]))
	}
	if o.Record != nil {
		record := auditSection(o.Record)
		t.Record = &record
	}
	return t
}

func auditSection(s *journal.OpenedSection) AuditSection {
	if s.Withheld {
		return AuditSection{Name: s.Name, Commitment: s.Commitment.String()}
	}
	return AuditSection{Name: s.Name, Salt: base64.StdEncoding.EncodeToString(s.Salt[:]), Text: string(s.Text)}
}

func (d *server) auditBalances(ctx context.Context, _ *struct{}) (*auditBalances, error) {
	if _, err := requirePermission(ctx, access.AuditRecord); err != nil {
		return nil, err
	}
	out := &auditBalances{}
	out.Body.Balances = []AuditBalance{}
	var err error
	out.Body.Seq, err = d.Evidence.Balances(ctx, func(a ledger.Account, held money.Amount) error {
		out.Body.Balances = append(out.Body.Balances, AuditBalance{Account: a.String(), Holds: held})
		return nil
	})
	return out, err
}

func (d *server) auditNames(ctx context.Context, in *auditPage) (*auditNames, error) {
	if _, err := requirePermission(ctx, access.AuditRecord); err != nil {
		return nil, err
	}
	out := &auditNames{}
	out.Body.Names = []AuditName{}
	err := d.Evidence.Names(ctx, in.After, func(n people.Name) error {
		name := AuditName{Number: n.Number, Name: n.Text}
		if n.Text != "" {
			name.Salt = base64.StdEncoding.EncodeToString(n.Salt[:])
		}
		out.Body.Names = append(out.Body.Names, name)
		if len(out.Body.Names) >= in.Limit {
			return errPageFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errPageFull) {
		return nil, err
	}
	return out, nil
}
