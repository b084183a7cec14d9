package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/ledger"
	"trey/money"
)

// RecordPath is the path of a round's record. The house signs for it.
const RecordPath = "/api/v1/tables/{table}/rounds/{round}"

// roundNumber is a round in the path of a request.
type roundNumber struct {
	TableName
	Round int `path:"round" minimum:"1" example:"7" doc:"The number of the round."`
}

// writtenRound is a record of a round as the bytes that the house commits to. Their form
// is described apart from this interface: programs check them that know nothing of it.
type writtenRound struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// roundSchema says where the form of a record is described.
var roundSchema = huma.Schema{Type: huma.TypeObject, Description: "A round record: docs/round-record.md describes it, and docs/round-record.schema.json is its schema. Keep the bytes as they are: its proof is of them."}

func (d *server) records() {
	serve(d, huma.Operation{
		OperationID: "get-round", Method: http.MethodGet, Path: RecordPath, Tags: []string{"Tables"},
		Summary: "Have the record of a round", Description: "Everything of a round that has ended, for trey verify: rules, commitment and seeds, every command with what followed, and the money that moved. It is for whoever bet in it, where its cards came from the house's own shuffler, and for the pit and surveillance.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
		Responses: map[string]*huma.Response{"200": {
			Description: "OK", Content: map[string]*huma.MediaType{"application/json": {Schema: &roundSchema}},
		}},
	}, func(ctx context.Context, in *roundNumber) (*writtenRound, error) {
		r, err := d.recordOf(ctx, in.Table, in.Round)
		if err != nil {
			return nil, err
		}
		return &writtenRound{"application/json", r.Text}, nil
	})
}

type searchInput struct {
	FromMs  int64        `query:"from_ms" minimum:"0" doc:"From when on something happened in it, in milliseconds of the Unix clock."`
	ToMs    int64        `query:"to_ms" minimum:"0" doc:"Before when it began."`
	Table   string       `query:"table" maxLength:"200" doc:"Where it was played."`
	Player  string       `query:"player" maxLength:"200" doc:"Who took part in it."`
	Clause  string       `query:"clause" maxLength:"200" example:"5.8.6" doc:"A provision that was applied in it: 5.8.6; 5.8 with all below it; or rws-3cp@3 5.8.6 for that book alone."`
	AtLeast money.Amount `query:"at_least" minimum:"0" doc:"The least that was staked on a wager, or won with it, in minor units."`
	AtMost  money.Amount `query:"at_most" minimum:"0" doc:"The most, in minor units."`
	Before  int64        `query:"before" minimum:"0" doc:"Where to go on: next of the page before."`
	Limit   int          `query:"limit" minimum:"1" maximum:"200" default:"25" doc:"How many at most."`
}

func (d *server) search() {
	serve(d, huma.Operation{
		OperationID: "search-rounds", Method: http.MethodGet, Path: "/api/v1/rounds", Tags: []string{"Tables"},
		Summary: "Look for rounds", Description: "Rounds at all tables, the latest first, by any of the time, the table, a player, a clause that was applied and an amount; everything that is asked for has to hold, and one bet, line or ruling has to fit the clause and the amount. Each says what fits. A page may hold fewer rounds than the limit, or none, and still have a next one.",
	}, func(ctx context.Context, in *searchInput) (*struct{ Body *journal.Found }, error) {
		if _, err := requirePermission(ctx, access.SearchRounds); err != nil {
			return nil, err
		}
		found, err := d.read().Rounds(ctx, journal.Query{
			FromMs: in.FromMs, ToMs: in.ToMs, Table: in.Table, Player: in.Player, Clause: in.Clause,
			AtLeast: in.AtLeast, AtMost: in.AtMost, Before: in.Before, Limit: in.Limit,
		})
		return &struct{ Body *journal.Found }{found}, err
	})
}

func (d *server) recordOf(ctx context.Context, name string, n int) (*house.RoundRecord, error) {
	person, err := requirePermission(ctx, access.SeeTable)
	if err != nil {
		return nil, err
	}
	all := person.Role.Can(access.SearchRounds)
	if !all {
		// To make a record takes the reading of the whole round: not for whoever may not
		// have it.
		played, err := d.playedIn(ctx, person, roundKey{name, n})
		if err != nil {
			return nil, err
		}
		if !played {
			return nil, kindNotYours.problem("the record of a round is for those who bet in it, for the pit and for surveillance")
		}
	}
	r, err := d.House.Round(ctx, name, n)
	if err != nil {
		return nil, err
	}
	if !all && r.Seed == nil {
		// Its cards are known to those who held them, and to nobody by a seed.
		return nil, kindNotYours.problem("the cards of this round were not the house's: its record, with hands that were never shown, is for the pit and for surveillance")
	}
	return r, d.checkNoHandsWait(ctx, r)
}

// playedIn reports whether somebody's money moved in a round. It also returns true for a round
// that does not exist, so that the caller answers 404, not 403.
func (d *server) playedIn(ctx context.Context, person access.Person, key roundKey) (bool, error) {
	if !person.Role.Can(access.Play) {
		return false, nil
	}
	begin, end, _, err := d.spanOf(ctx, key)
	if err != nil || begin == 0 {
		return begin == 0, err
	}
	return d.movedLater(ctx, ledger.Account{Kind: ledger.Player, Of: person.Name}, key, begin, end)
}

// checkNoHandsWait refuses the record of a round that includes the jackpot meter while a round dealt
// at a linked table is in play that began before this one ended. One of its hands may have hit
// the jackpot, and the record would disclose it. Whether one has does not matter here, or the
// refusal would say it.
func (d *server) checkNoHandsWait(ctx context.Context, r *house.RoundRecord) error {
	if r.Jackpot == "" {
		return nil
	}
	for _, name := range d.House.Tables() {
		status, err := d.House.Status(name)
		if err != nil {
			return err
		}
		if name == r.Table || status.Jackpot != r.Jackpot || !status.State.Phase().InRound() || status.State.Dealt() == 0 {
			continue
		}
		var began int64
		err = d.Record.Rounds(ctx, "table:"+name, status.State.Round()+1, 1, func(m house.RoundMark) error {
			began = m.Seq
			return nil
		})
		if err != nil {
			return err
		}
		if began < r.Seq {
			p := kindNotNow.problem("the record tells how the jackpot stood, and at table " + name + " a round is in play that began before this one ended: ask again when it has ended")
			p.retryAfterS = 10
			return p
		}
	}
	return nil
}
