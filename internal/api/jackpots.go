package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
)

type jackpotName struct {
	Jackpot string `path:"jackpot" example:"linked" maxLength:"200" doc:"The jackpot's name."`
}

type listedJackpots struct {
	Body struct {
		Jackpots []Meter `json:"jackpots"`
	}
}

type gotJackpot struct{ Body Meter }

// PendingHit is a hand that waits to be paid the jackpot.
type PendingHit struct {
	Hit    jackpot.HitID     `json:"hit" doc:"Which hand it is."`
	Place  jackpot.Place     `json:"place" doc:"Its place in the order of payment: when the hand was dealt, in milliseconds, and a number for those dealt at one instant."`
	Status jackpot.HitStatus `json:"status" doc:"open: the hand was dealt; confirmed: it will be paid in its turn."`
	Hand   []card.Card       `json:"hand,omitempty" doc:"Its cards, as long as they lie on the table."`
	Rank   string            `json:"rank,omitempty" doc:"What the hand is called."`
}

// DealtRound is a round that hits of later hands wait for.
type DealtRound struct {
	Table string        `json:"table"`
	Round string        `json:"round"`
	Place jackpot.Place `json:"place" doc:"When its first hand was dealt, in milliseconds, and a number for those dealt at one instant."`
}

// PaidHit is a hand that was paid the jackpot.
type PaidHit struct {
	Hit    jackpot.HitID `json:"hit"`
	AtMs   int64         `json:"at_ms"`
	Amount money.Amount  `json:"amount" doc:"What the winner was paid, in minor units."`
	Anew   money.Amount  `json:"anew" doc:"What the meter started again with, in minor units."`
	Combo  rules.Combo   `json:"combo" doc:"The combination that it was paid for."`
}

// UnverifiedHit is a paid hit that two people have to verify.
type UnverifiedHit struct {
	Hit    jackpot.HitID `json:"hit"`
	Winner string        `json:"winner"`
	Amount money.Amount  `json:"amount" doc:"What it was paid, in minor units."`
	Held   bool          `json:"held" doc:"The sum is payable and not the winner's before it is verified; otherwise a committed deck proves the hand, and the winner has it."`
}

type listedHits struct {
	Body struct {
		Displayed  money.Amount    `json:"displayed" doc:"What the first in the order of payment is paid, in minor units."`
		Pending    []PendingHit    `json:"pending" doc:"Those not paid yet in the order of payment: a hit is registered when its hand has been shown."`
		Dealt      []DealtRound    `json:"dealt" doc:"The rounds with Progressive bets that have been dealt and in which a hand is not known, whatever it is, in the order of their deals. A hit that was dealt later waits for them."`
		Unverified []UnverifiedHit `json:"unverified" doc:"Paid hits that two people have to verify: propose verify-jackpot or deny-jackpot. They are listed for those who see proposals or read the log, and for the winner. The oldest first."`
		Paid       []PaidHit       `json:"paid" doc:"The latest that were paid, the latest first."`
	}
}

func (d *server) hits(ctx context.Context, in *jackpotName) (*listedHits, error) {
	person, err := requirePermission(ctx, access.SeeFloor)
	if err != nil {
		return nil, err
	}
	status, ok := d.House.Jackpot(in.Jackpot)
	if !ok {
		return nil, house.ErrNoJackpot
	}
	pending, err := d.House.PendingHits(in.Jackpot)
	if err != nil {
		return nil, err
	}
	paid, err := d.House.PaidHits(ctx, in.Jackpot)
	if err != nil {
		return nil, err
	}
	out := &listedHits{}
	out.Body.Displayed, out.Body.Pending, out.Body.Paid = status.Displayed(), []PendingHit{}, []PaidHit{}
	out.Body.Dealt = []DealtRound{}
	for _, h := range pending {
		out.Body.Pending = append(out.Body.Pending, PendingHit{h.ID, h.Place, h.Status, h.Hand, h.Rank})
	}
	for _, r := range status.Dealt() {
		out.Body.Dealt = append(out.Body.Dealt, DealtRound{r.ID.Table, r.ID.Round, *r.Dealt})
	}
	out.Body.Unverified = []UnverifiedHit{}
	for i := range status.Unverified {
		u := &status.Unverified[i]
		if !seesWinner(person, u) {
			continue
		}
		out.Body.Unverified = append(out.Body.Unverified, UnverifiedHit{u.Hit, u.Winner, u.Amount, u.Held})
	}
	for _, h := range paid {
		out.Body.Paid = append(out.Body.Paid, PaidHit(h))
	}
	return out, nil
}

// seesWinner reports whether a person is shown a hit that has to be verified. It names the
// winner, and only those who read the log get that from the events of a jackpot.
func seesWinner(person access.Person, u *jackpot.Unverified) bool {
	return person.Role.Can(access.SeeProposals) || person.Role.Can(access.ReadLog) || u.Winner == person.Name
}

func (d *server) jackpots() {
	tags := []string{"Jackpots"}
	serve(d, huma.Operation{
		OperationID: "list-jackpots", Method: http.MethodGet, Path: "/api/v1/jackpots", Tags: tags,
		Summary: "List the jackpots", Description: "Every linked progressive with what it displays, its terms and its totals.",
	}, func(ctx context.Context, _ *struct{}) (*listedJackpots, error) {
		if _, err := requirePermission(ctx, access.SeeFloor); err != nil {
			return nil, err
		}
		out := &listedJackpots{}
		out.Body.Jackpots = []Meter{}
		for _, name := range d.House.Jackpots() {
			if s, ok := d.House.Jackpot(name); ok {
				out.Body.Jackpots = append(out.Body.Jackpots, meterOf(name, &s))
			}
		}
		return out, nil
	})
	serve(d, huma.Operation{
		OperationID: "get-jackpot", Method: http.MethodGet, Path: "/api/v1/jackpots/{jackpot}", Tags: tags,
		Summary: "Look at a jackpot", Description: "What it displays, its terms, and its totals since the opening: meter = opening + contributions - overflow - taken back + resets - paid + adjustments.",
		Errors: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *jackpotName) (*gotJackpot, error) {
		if _, err := requirePermission(ctx, access.SeeFloor); err != nil {
			return nil, err
		}
		s, ok := d.House.Jackpot(in.Jackpot)
		if !ok {
			return nil, house.ErrNoJackpot
		}
		return &gotJackpot{meterOf(in.Jackpot, &s)}, nil
	})
	serve(d, huma.Operation{
		OperationID: "list-hits", Method: http.MethodGet, Path: "/api/v1/jackpots/{jackpot}/hits", Tags: tags,
		Summary: "List the hits of a jackpot", Description: "Those that wait to be paid, in the order of payment, and the latest that were paid. A hit says which cards its hand holds: it is listed when the hand has been shown.",
		Errors: []int{http.StatusNotFound},
	}, d.hits)
	serve(d, huma.Operation{
		OperationID: "report-jackpot-down", Method: http.MethodPost, Path: "/api/v1/jackpots/{jackpot}/down", Tags: tags,
		Summary:     "Report that a jackpot's system has failed",
		Description: "Once for all of its tables, each by the state of its own round: void where no player has looked, else paid by what was registered. A table that is out of order already says so and holds up no other. The failure of a single device is a report at its table.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, d.reportDown)
	serve(d, huma.Operation{
		OperationID: "restore-jackpot", Method: http.MethodPost, Path: "/api/v1/jackpots/{jackpot}/up", Tags: tags,
		Summary:     "Put a jackpot back into service",
		Description: "At every table of the jackpot at which the progressive is out of order: at once between two rounds, later when the round in play is over. While a round of any table is paid what was registered, all wait for its end. A table that plays on without the boxes of failed devices is left as it is: restore-progressive at that table puts it back.",
		Errors:      []int{http.StatusNotFound, http.StatusConflict},
	}, d.restoreJackpot)
}

type downInput struct {
	Jackpot string `path:"jackpot" example:"linked" maxLength:"200" doc:"The jackpot's name."`
	Keyed
	Body struct {
		Note string `json:"note,omitempty" maxLength:"500" doc:"What happened, for the record."`
	}
}

// DownAt is the result of reporting a jackpot's failure at one table.
type DownAt struct {
	Table    string        `json:"table"`
	Seq      int64         `json:"seq,omitempty" doc:"The number of the transaction: it is durable."`
	Outcome  rules.Outcome `json:"outcome,omitempty" doc:"What it led to: void, keep-registered or continue; nothing where a second person has to confirm the facts first."`
	Clause   string        `json:"clause,omitempty" doc:"The clause of the book by which."`
	Question bool          `json:"question,omitempty" doc:"A question about it is open."`
	Refused  string        `json:"refused,omitempty" doc:"Why the table took no report."`
}

type reportedDown struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true where it was done before, under this key."`
	Body     struct {
		Tables []DownAt `json:"tables"`
	}
}

func (d *server) reportDown(ctx context.Context, in *downInput) (*reportedDown, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := d.House.ReportJackpotDown(ctx, in.Key, person, in.Jackpot, in.Body.Note)
	if err != nil {
		return nil, err
	}
	out := &reportedDown{}
	out.Body.Tables, out.Replayed = atTables(reports, func(r *house.TableReport, refused string) DownAt {
		at := DownAt{Table: r.Table, Seq: r.Result.Seq, Refused: refused}
		var clause string
		at.Outcome, clause = r.Outcome()
		if clause != "" {
			at.Clause = r.Result.State.Variant().Book.ClauseRef(clause)
		}
		at.Question = at.Refused == "" && at.Outcome == 0
		return at
	})
	return out, nil
}

type upInput struct {
	Jackpot string `path:"jackpot" example:"linked" maxLength:"200" doc:"The jackpot's name."`
	Keyed
}

// UpAt is the result of putting a jackpot back into service at one table.
type UpAt struct {
	Table   string `json:"table"`
	Seq     int64  `json:"seq,omitempty" doc:"The number of the transaction: it is durable."`
	Later   bool   `json:"later,omitempty" doc:"It follows when the round in play is over, here or at another table of the jackpot. It is not remembered if the house starts again before that."`
	Refused string `json:"refused,omitempty" doc:"Why the table was not put back."`
}

type restored struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true where it was done before, under this key."`
	Body     struct {
		Tables []UpAt `json:"tables"`
	}
}

func (d *server) restoreJackpot(ctx context.Context, in *upInput) (*restored, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := d.House.RestoreJackpot(ctx, in.Key, person, in.Jackpot)
	if err != nil {
		return nil, err
	}
	out := &restored{}
	out.Body.Tables, out.Replayed = atTables(reports, func(r *house.TableReport, refused string) UpAt {
		return UpAt{Table: r.Table, Seq: r.Result.Seq, Later: r.Later, Refused: refused}
	})
	return out, nil
}

// atTables writes the effect of an act at each table of a jackpot, and whether every table answers
// what it has answered before.
func atTables[T any](reports []house.TableReport, write func(r *house.TableReport, refused string) T) ([]T, string) {
	tables := make([]T, len(reports))
	again := len(reports) > 0
	for i := range reports {
		r := &reports[i]
		refused := ""
		if r.Refused != nil {
			refused = r.Refused.Error()
		}
		again = again && (r.Refused != nil || r.Result.Repeated)
		tables[i] = write(r, refused)
	}
	return tables, replayedText(again)
}
