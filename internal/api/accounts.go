package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
)

// Account is an account and what it holds.
type Account struct {
	Account ledger.Account `json:"account" example:"player:ann"`
	Balance money.Amount   `json:"balance" doc:"In minor units."`
}

// OwnAccount is a player's account.
type OwnAccount struct {
	Account
	Owed money.Amount `json:"owed,omitempty" doc:"The debt of the player to the house because a settled round was reversed."`
}

// Movement is the change of an account by one transaction.
type Movement struct {
	Seq      int64            `json:"seq"`
	AtMs     int64            `json:"at_ms"`
	Delta    money.Amount     `json:"delta" doc:"By how much it changed."`
	After    money.Amount     `json:"after" doc:"What it held then."`
	By       string           `json:"by" doc:"Who did it."`
	Command  string           `json:"command" doc:"The kind of command that it was."`
	Postings []ledger.Posting `json:"postings" doc:"Each amount with its reason: round, box, wager, settlement line and clause."`
}

// AccountName is an account in the path of a request.
type AccountName struct {
	Account string `path:"account" example:"player:ann" doc:"The account as it is written: its kind, and whose it is."`
}

// accountPage is a part of an account's history. What it embeds has exported
// names, or huma would not fill it in.
type accountPage struct {
	AccountName
	Page
}

type movements struct {
	Body struct {
		Account   ledger.Account `json:"account"`
		Movements []Movement     `json:"movements"`
		Next      int64          `json:"next,omitempty" doc:"Ask with before= this for the page before; absent on the last."`
	}
}

// removeNotes takes out what the staff wrote beside a movement: it is for those who see accounts,
// and may be about somebody else.
func (m *movements) removeNotes() {
	for i := range m.Body.Movements {
		postings := m.Body.Movements[i].Postings
		for k := range postings {
			postings[k].For.Note = ""
		}
	}
}

func (d *server) accounts() {
	tags := []string{"Accounts"}
	serve(d, huma.Operation{
		OperationID: "own-account", Method: http.MethodGet, Path: "/api/v1/account", Tags: tags,
		Summary: "See your money", Description: "What the house holds for you, and is not at stake.",
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body OwnAccount }, error) {
		person, err := requirePermission(ctx, access.SeeOwnAccount)
		if err != nil {
			return nil, err
		}
		return &struct{ Body OwnAccount }{d.accountOf(person.Name)}, nil
	})
	serve(d, huma.Operation{
		OperationID: "own-movements", Method: http.MethodGet, Path: "/api/v1/account/movements", Tags: tags,
		Summary: "See your history", Description: "Everything that changed your account since it was opened, the newest first, page by page: bets, winnings, buy-ins, each with the round, the settlement line and the clause it came by. Nothing is ever dropped from it but notes of the staff.",
	}, func(ctx context.Context, in *Page) (*movements, error) {
		person, err := requirePermission(ctx, access.SeeOwnAccount)
		if err != nil {
			return nil, err
		}
		out, err := d.movementsOf(ctx, ledger.Account{Kind: ledger.Player, Of: person.Name}, in)
		if err != nil {
			return nil, err
		}
		out.removeNotes()
		return out, nil
	})
	serve(d, huma.Operation{
		OperationID: "own-rounds", Method: http.MethodGet, Path: "/api/v1/account/rounds", Tags: tags,
		Summary: "See your rounds", Description: "A statement of the rounds that you bet in, the newest first: what you staked, what came back, and what you won or lost.",
	}, func(ctx context.Context, in *Page) (*statement, error) {
		person, err := requirePermission(ctx, access.SeeOwnAccount)
		if err != nil {
			return nil, err
		}
		return d.statementOf(ctx, ledger.Account{Kind: ledger.Player, Of: person.Name}, in)
	})
	serve(d, huma.Operation{
		OperationID: "list-accounts", Method: http.MethodGet, Path: "/api/v1/accounts", Tags: tags,
		Summary: "List the accounts", Description: "Every account of the house with what it holds, and the trial balance over all of them.",
	}, d.listAccounts)
	serve(d, huma.Operation{
		OperationID: "get-account", Method: http.MethodGet, Path: "/api/v1/accounts/{account}", Tags: tags,
		Summary: "See an account", Description: "What an account holds.",
	}, func(ctx context.Context, in *AccountName) (*struct{ Body Account }, error) {
		a, err := d.otherAccount(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		return &struct{ Body Account }{Account{a, d.House.Balance(a)}}, nil
	})
	serve(d, huma.Operation{
		OperationID: "list-movements", Method: http.MethodGet, Path: "/api/v1/accounts/{account}/movements", Tags: tags,
		Summary: "See an account's history", Description: "Everything that changed an account, the newest first. Layouts, wins, meters and reserves change with every round: what moved them stands in the log.",
	}, func(ctx context.Context, in *accountPage) (*movements, error) {
		a, err := d.otherAccount(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		return d.movementsOf(ctx, a, &in.Page)
	})
	serve(d, huma.Operation{
		OperationID: "cage", Method: http.MethodPost, Path: "/api/v1/cage", Tags: tags,
		Summary: "Move money at the cage", Description: "A buy-in brings a player's money into the house, a cash-out takes it out again. The player must be registered first.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.cage)
}

func (d *server) accountOf(name string) OwnAccount {
	a := ledger.Account{Kind: ledger.Player, Of: name}
	return OwnAccount{Account{a, d.House.Balance(a)}, d.House.Balance(ledger.Account{Kind: ledger.Owed, Of: name})}
}

// otherAccount returns another person's account to those who may see accounts.
func (d *server) otherAccount(ctx context.Context, text string) (ledger.Account, error) {
	if _, err := requirePermission(ctx, access.SeeAccounts); err != nil {
		return ledger.Account{}, err
	}
	a, err := ledger.ParseAccount(text)
	if err != nil {
		return a, kindInvalid.problem(err.Error())
	}
	return a, nil
}

func (d *server) movementsOf(ctx context.Context, a ledger.Account, in *Page) (*movements, error) {
	if !house.Traced(a.Kind) {
		return nil, kindInvalid.problem("this account changes with every round: what moved it stands in the log")
	}
	out := &movements{}
	out.Body.Account, out.Body.Movements = a, []Movement{}
	err := d.Record.Movements(ctx, a, in.Before, in.Limit+1, func(m house.Movement) error {
		if len(out.Body.Movements) == in.Limit {
			out.Body.Next = out.Body.Movements[in.Limit-1].Seq
			return nil
		}
		out.Body.Movements = append(out.Body.Movements, Movement{m.Seq, m.AtMs, m.Delta, m.After, m.Cause.By, m.Cause.Kind, house.Touching(a, m.Postings)})
		return nil
	})
	return out, err
}

type listedAccounts struct {
	Body struct {
		Accounts []Account `json:"accounts"`
		// Debits and Credits are equal.
		Debits  money.Amount `json:"debits"`
		Credits money.Amount `json:"credits"`
	}
}

func (d *server) listAccounts(ctx context.Context, _ *struct{}) (*listedAccounts, error) {
	if _, err := requirePermission(ctx, access.SeeAccounts); err != nil {
		return nil, err
	}
	book := d.House.Book()
	out := &listedAccounts{}
	out.Body.Accounts = []Account{}
	for _, a := range book.Accounts() {
		out.Body.Accounts = append(out.Body.Accounts, Account{a, book.Balance(a)})
	}
	trial, err := book.Trial()
	out.Body.Debits, out.Body.Credits = trial.Debits, trial.Credits
	return out, err
}

type cageInput struct {
	Keyed
	Body struct {
		Reason ledger.Reason `json:"reason" example:"buy-in" doc:"buy-in or cash-out."`
		Player string        `json:"player" minLength:"1" maxLength:"200" example:"ann"`
		Amount money.Amount  `json:"amount" minimum:"1" maximum:"100000000000" example:"10000" doc:"In minor units."`
		Note   string        `json:"note,omitempty" maxLength:"500"`
	}
}

func (d *server) cage(ctx context.Context, in *cageInput) (*recorded, error) {
	return d.recordedBy(ctx, in.Key, func(person access.Person) (int64, error) {
		b := &in.Body
		return d.House.CageTransfer(ctx, in.Key, person, posting.Transfer{Reason: b.Reason, Player: b.Player, Amount: b.Amount, Note: b.Note})
	})
}
