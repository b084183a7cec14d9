package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TableName is a table in the path of a request.
type TableName struct {
	Table string `path:"table" example:"T1" maxLength:"200" doc:"The table's name."`
}

// ListedTable is a table in the list.
type ListedTable struct {
	Name    string                     `json:"name" example:"T1"`
	Book    string                     `json:"book" example:"rws-3cp@3"`
	Game    string                     `json:"game" example:"Three Card Poker"`
	Mode    house.Mode                 `json:"mode"`
	Phase   table.Phase                `json:"phase"`
	Round   int                        `json:"round"`
	Boxes   int                        `json:"boxes" doc:"How many boxes the layout has."`
	Taken   int                        `json:"taken" doc:"On how many of them somebody bets."`
	Limits  map[rules.Wager]StakeLimit `json:"limits"`
	Jackpot string                     `json:"jackpot,omitempty"`
}

// StakeLimit is the permitted range of one stake.
type StakeLimit struct {
	Min money.Amount `json:"min" doc:"In minor units; zero is any."`
	Max money.Amount `json:"max" doc:"In minor units; zero is none."`
}

func (d *door) tables() {
	serve(d, huma.Operation{
		OperationID: "list-tables", Method: http.MethodGet, Path: "/api/v1/tables", Tags: []string{"Tables"},
		Summary: "List the tables", Description: "Every table on the floor with its game, where its round stands, and its limits, in the order of the names.",
	}, d.listTables)
	serve(d, huma.Operation{
		OperationID: "get-table", Method: http.MethodGet, Path: "/api/v1/tables/{table}", Tags: []string{"Tables"},
		Summary: "Look at a table", Description: "The table as you may see it: what lies on the boxes, the cards that you may know, the rules in force, and when the house acts next. The ETag is its version, for If-Match on a command.",
		Errors: []int{http.StatusNotFound},
	}, d.getTable)
	serve(d, huma.Operation{
		OperationID: "legal-moves", Method: http.MethodGet, Path: "/api/v1/tables/{table}/moves", Tags: []string{"Tables"},
		Summary: "List what you may do now", Description: "Every command that the table would accept from you at this moment, ready to be sent. A bet carries the least amount; cards are ?? for you to name where you deal them by hand. The list and the refusals come from the same rules.",
		Errors: []int{http.StatusNotFound},
	}, d.moves)
}

type listedTables struct {
	Body struct {
		Tables []ListedTable `json:"tables"`
	}
}

func (d *door) listTables(ctx context.Context, _ *struct{}) (*listedTables, error) {
	if _, err := need(ctx, access.SeeFloor); err != nil {
		return nil, err
	}
	out := &listedTables{}
	out.Body.Tables = []ListedTable{}
	for _, name := range d.House.Tables() {
		is, err := d.House.Standing(name)
		if err != nil {
			continue // It has left the floor since the names were listed.
		}
		out.Body.Tables = append(out.Body.Tables, lineOf(&is))
	}
	return out, nil
}

func lineOf(is *house.Standing) ListedTable {
	s := &is.State
	line := ListedTable{
		Name: is.Name, Book: s.Variant.Book.Ref(), Game: s.Variant.Book.Title, Mode: is.Mode, Phase: s.Phase,
		Round: s.Round, Boxes: len(s.Boxes), Jackpot: is.Jackpot, Limits: map[rules.Wager]StakeLimit{},
	}
	for i := range s.Boxes {
		if s.Boxes[i].Staked() {
			line.Taken++
		}
	}
	for _, w := range rules.Wagers() {
		if l := s.Variant.Limits[w]; l != (rules.Limit{}) {
			line.Limits[w] = StakeLimit(l)
		}
	}
	return line
}

type gotTable struct {
	ETag string `header:"ETag" doc:"The table's version, in quotation marks."`
	Body Table
}

func (d *door) getTable(ctx context.Context, in *TableName) (*gotTable, error) {
	who, err := need(ctx, access.SeeTable)
	if err != nil {
		return nil, err
	}
	is, err := d.House.Standing(in.Table)
	if err != nil {
		return nil, err
	}
	return &gotTable{etag(is.Version), d.tableFor(&is, who)}, nil
}

// tableFor is a table as a person may see it.
func (d *door) tableFor(is *house.Standing, who access.Person) Table {
	v := is.State.Variant
	return Table{
		Name: is.Name, Book: v.Book.Ref(), Game: v.Book.Title, Mode: is.Mode, Pace: is.Pace, Equipment: is.Config,
		Jackpot: is.Jackpot, Version: is.Version, Seq: is.Seq, Rules: v, RulesHash: v.Hash(),
		Picture: table.View(is.State, viewer(who)),
	}
}

type legalMoves struct {
	ETag string `header:"ETag" doc:"The version of the table that the moves are for."`
	Body struct {
		Version int64  `json:"version"`
		Moves   []Move `json:"moves"`
	}
}

func (d *door) moves(ctx context.Context, in *TableName) (*legalMoves, error) {
	who, err := need(ctx, access.SeeTable)
	if err != nil {
		return nil, err
	}
	is, err := d.House.Standing(in.Table)
	if err != nil {
		return nil, err
	}
	out := &legalMoves{ETag: etag(is.Version)}
	out.Body.Version = is.Version
	var may []table.Action
	if actor := who.Actor(); actor.Role != 0 {
		for _, a := range table.Legal(is.State, actor) {
			if who.CheckAction(a) == nil {
				may = append(may, a)
			}
		}
	}
	out.Body.Moves = movesOf(may)
	return out, nil
}
