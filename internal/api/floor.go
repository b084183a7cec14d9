package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/journal"
	"trey/rules"
	"trey/rules/books"
)

// House is the state of the house as a whole.
type House struct {
	Draining bool `json:"draining" doc:"Rounds in play are finished, and no new ones begin."`
	Stopped  bool `json:"stopped" doc:"The house has stopped: nothing is recorded until the server has opened the record again."`
}

// Alert is a table at which a person has to do something.
type Alert struct {
	Table   string `json:"table"`
	Round   int    `json:"round"`
	SinceMs int64  `json:"since_ms"`
	Why     string `json:"why"`
}

// Book is a rule book.
type Book struct {
	Ref     string   `json:"book" example:"rws-3cp@3"`
	Title   string   `json:"title" example:"Three Card Poker"`
	House   string   `json:"house" doc:"Whose rules they are."`
	Clauses []Clause `json:"clauses,omitempty"`
}

// Clause is a provision of a rule book in words of our own.
type Clause struct {
	Clause  string `json:"clause" example:"rws-3cp@3 5.8.6"`
	Kind    string `json:"kind" doc:"What it asks of the software: executable, display, procedure or definition."`
	Summary string `json:"summary"`
	Where   string `json:"where,omitempty" doc:"Where people are shown it, or what helps the hands that do it."`
}

type keyedInput struct{ Keyed }

func (d *server) houseRoutes() {
	tags := []string{"House"}
	serve(d, huma.Operation{
		OperationID: "get-house", Method: http.MethodGet, Path: "/api/v1/house", Tags: tags,
		Summary: "See whether the house is open", Description: "Whether new rounds begin, and whether commands are taken at all.",
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body House }, error) {
		if _, err := requirePermission(ctx, access.SeeFloor); err != nil {
			return nil, err
		}
		return &struct{ Body House }{House{d.House.Draining(), d.House.Fault() != nil}}, nil
	})
	drain := func(id, path, summary, description string, do func(context.Context, string, access.Person) error) {
		serve(d, huma.Operation{
			OperationID: id, Method: http.MethodPost, Path: path, Tags: tags, DefaultStatus: http.StatusNoContent, Summary: summary, Description: description,
		}, func(ctx context.Context, in *keyedInput) (*nothing, error) {
			person, err := authenticated(ctx)
			if err != nil {
				return nil, err
			}
			return &nothing{}, do(ctx, in.Key, person)
		})
	}
	drain("drain", "/api/v1/house/drain", "Begin no new rounds", "Rounds in play are finished, and no new ones begin, until the house is resumed.", d.House.Drain)
	drain("resume", "/api/v1/house/resume", "Begin rounds again", "Ends what drain began.", d.House.Undrain)
	serve(d, huma.Operation{
		OperationID: "list-alerts", Method: http.MethodGet, Path: "/api/v1/alerts", Tags: tags,
		Summary: "List where somebody is needed", Description: "Automatic tables that wait for a decision of the staff, or cannot go on.",
	}, d.alerts)
	open := []map[string][]string{{}}
	serve(d, huma.Operation{
		OperationID: "list-books", Method: http.MethodGet, Path: "/api/v1/books", Tags: []string{"Rules"}, Security: open,
		Summary: "List the rule books", Description: "Every game that the house can play, by whose rules.",
	}, func(context.Context, *struct{}) (*listedBooks, error) {
		out := &listedBooks{}
		for _, b := range books.All() {
			out.Body.Books = append(out.Body.Books, Book{Ref: b.Ref(), Title: b.Title, House: b.House})
		}
		return out, nil
	})
	serve(d, huma.Operation{
		OperationID: "get-book", Method: http.MethodGet, Path: "/api/v1/books/{book}", Tags: []string{"Rules"}, Security: open,
		Summary: "Read a rule book", Description: "Every clause of the text in words of our own, with what the software does about it. Clauses are cited in events, settlement lines and refusals.",
		Errors: []int{http.StatusNotFound},
	}, d.book)
}

type listedBooks struct {
	Body struct {
		Books []Book `json:"books"`
	}
}

type bookInput struct {
	Book string `path:"book" example:"rws-3cp@3" maxLength:"100" doc:"The book, with or without its edition."`
}

func (d *server) book(_ context.Context, in *bookInput) (*struct{ Body Book }, error) {
	b, err := books.Find(in.Book)
	if err != nil {
		return nil, kindNotFound.problem(err.Error())
	}
	return &struct{ Body Book }{bookOf(b)}, nil
}

func bookOf(b *rules.Book) Book {
	out := Book{Ref: b.Ref(), Title: b.Title, House: b.House}
	for i := range b.Clauses {
		c := &b.Clauses[i]
		out.Clauses = append(out.Clauses, Clause{b.ClauseRef(c.ID), c.Kind.String(), c.Summary, c.Where})
	}
	return out
}

type listedAlerts struct {
	Body struct {
		Alerts []Alert `json:"alerts"`
	}
}

func (d *server) alerts(ctx context.Context, _ *struct{}) (*listedAlerts, error) {
	if _, err := requirePermission(ctx, access.SeeProposals); err != nil {
		return nil, err
	}
	out := &listedAlerts{}
	out.Body.Alerts = []Alert{}
	if d.Autodealer == nil {
		return out, nil
	}
	for _, a := range d.Autodealer.Alerts() {
		out.Body.Alerts = append(out.Body.Alerts, Alert{a.Table, a.Round, a.SinceMs, journal.WithoutCards(a.Why.String())})
	}
	return out, nil
}

var (
	_ Autodealer = (*autodealer.Autodealer)(nil)
	_ Record     = house.Store(nil)
)
