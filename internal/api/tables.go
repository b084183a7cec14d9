package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/timeup"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
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

func (d *server) tables() {
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
	tags := []string{"Tables"}
	serve(d, huma.Operation{
		OperationID: "add-seed", Method: http.MethodPost, Path: "/api/v1/tables/{table}/seeds", Tags: tags,
		Summary: "Add a seed of your own", Description: "Mixes a text of yours into the shuffle of the round, before its bets are closed: nobody can have known the deck before. The last one that you send counts.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.addSeed)
	serve(d, huma.Operation{
		OperationID: "be-ready", Method: http.MethodPost, Path: "/api/v1/tables/{table}/ready", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Say that you are ready", Description: "At an automatic table: you bet no more in this round, or look at no more hands. When all who have bet are ready, the house goes on at once.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.markReady)
	serve(d, huma.Operation{
		OperationID: "list-rounds", Method: http.MethodGet, Path: "/api/v1/tables/{table}/rounds", Tags: tags,
		Summary: "List the rounds", Description: "The rounds of a table, the newest first.",
		Errors: []int{http.StatusNotFound},
	}, d.rounds)
	serve(d, huma.Operation{
		OperationID: "change-rules", Method: http.MethodPut, Path: "/api/v1/tables/{table}/rules", Tags: []string{"House"},
		Summary: "Change the rules of a table", Description: "Other limits, pay tables or rulings, another pace, or another way in which the table is run: from its next round on.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.changeRules)
	serve(d, huma.Operation{
		OperationID: "release-table", Method: http.MethodPost, Path: "/api/v1/tables/{table}/release", Tags: []string{"House"},
		Summary: "Release a table", Description: "Lets a table play on that was stopped by a fault, after it was looked into. A round that was in play ends as its book says for an interruption.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, d.release)
}

type listedTables struct {
	Body struct {
		Tables []ListedTable `json:"tables"`
	}
}

func (d *server) listTables(ctx context.Context, _ *struct{}) (*listedTables, error) {
	if _, err := requirePermission(ctx, access.SeeFloor); err != nil {
		return nil, err
	}
	out := &listedTables{}
	out.Body.Tables = d.listed()
	return out, nil
}

// listed returns all tables in the order of their names.
func (d *server) listed() []ListedTable {
	all := []ListedTable{}
	for _, name := range d.House.Tables() {
		if status, err := d.House.Status(name); err == nil {
			all = append(all, lineOf(&status))
		}
	}
	return all
}

func lineOf(status *house.TableStatus) ListedTable {
	s := status.State
	v := s.Variant()
	line := ListedTable{
		Name: status.Name, Book: v.Book.Ref(), Game: v.Book.Title, Mode: status.Mode, Phase: s.Phase(),
		Round: s.Round(), Boxes: s.Boxes(), Jackpot: status.Jackpot, Limits: map[rules.Wager]StakeLimit{},
	}
	for box := 1; box <= s.Boxes(); box++ {
		if s.Staked(box) {
			line.Taken++
		}
	}
	for _, w := range rules.Wagers() {
		if l := v.Limits[w]; l != (rules.Limit{}) {
			line.Limits[w] = StakeLimit(l)
		}
	}
	return line
}

type gotTable struct {
	ETag string `header:"ETag" doc:"The table's version, in quotation marks."`
	Body Table
}

func (d *server) getTable(ctx context.Context, in *TableName) (*gotTable, error) {
	person, err := requirePermission(ctx, access.SeeTable)
	if err != nil {
		return nil, err
	}
	status, err := d.House.Status(in.Table)
	if err != nil {
		return nil, err
	}
	return &gotTable{etag(status.Version), d.tableFor(&status, person)}, nil
}

// tableFor returns a table as a person may see it.
func (d *server) tableFor(status *house.TableStatus, person access.Person) Table {
	v := status.State.Variant()
	t := Table{
		Name: status.Name, Book: v.Book.Ref(), Game: v.Book.Title, Mode: status.Mode, Pace: status.Pace, Equipment: status.Config,
		Jackpot: status.Jackpot, Version: status.Version, Seq: status.Seq, Rules: v, RulesHash: v.Hash(), Stopped: status.Stopped != nil,
		Picture: status.State.View(viewer(person)),
	}
	if n := status.Next; n != nil {
		t.Next = &NextRules{n.Mode, n.Pace, n.Variant, n.Variant.Hash()}
	}
	if d.Autodealer != nil {
		if a, ok := d.Autodealer.Awaited(status.Name); ok {
			t.Awaited = &Awaited{a.Wait, a.SinceMs, a.DueMs, a.Ready}
		}
	}
	if w, ok := d.TimeUp.At(status.Name, timeup.MomentOf(status.State), d.NowMs()); ok {
		t.Warning = &TimeWarning{w.AtMs, w.DueMs()}
	}
	if round, hash, seeds, ok := d.House.Commitment(status.Name); ok {
		t.Commitment = &Commitment{round, hash, seeds}
	}
	return t
}

type seedInput struct {
	TableName
	Keyed
	Body struct {
		Text  string `json:"text" minLength:"1" maxLength:"64" example:"my lucky number is 7" doc:"At most 64 bytes that print."`
		Round int    `json:"round,omitempty" minimum:"0" doc:"The round whose deck the seed is for: it is refused when that is no longer the next one. Left out, it is for the round whose deck comes next."`
	}
}

type recorded struct {
	Replayed
	Body struct {
		Seq int64 `json:"seq" doc:"The number of the transaction: it is durable."`
	}
}

// recordedBy carries out what a person asks of the house, and answers with the number of its
// transaction.
func (d *server) recordedBy(ctx context.Context, key string, do func(access.Person) (seq int64, err error)) (*recorded, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	out := &recorded{}
	if out.Body.Seq, err = do(person); err != nil {
		return nil, err
	}
	return out, nil
}

func (d *server) addSeed(ctx context.Context, in *seedInput) (*recorded, error) {
	return d.recordedBy(ctx, in.Key, func(person access.Person) (int64, error) {
		return d.House.AddSeed(ctx, in.Key, person, in.Table, in.Body.Round, in.Body.Text)
	})
}

func (d *server) markReady(ctx context.Context, in *TableName) (*struct{}, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	if d.Autodealer == nil {
		return nil, autodealer.ErrNotDriven
	}
	return nil, d.Autodealer.Ready(person, in.Table)
}

type rulesInput struct {
	TableName
	Keyed
	Body struct {
		Variant string      `json:"variant,omitempty" maxLength:"60000" doc:"A variant of the table's book as a file (TOML), as docs/variants.md describes it and trey variant init writes it; left out, the rules stay."`
		Mode    *house.Mode `json:"mode,omitempty" doc:"Who runs it; left out, that stays."`
		Pace    *house.Pace `json:"pace,omitempty" doc:"The clock of an automatic table; left out, it stays."`
	}
}

type rulesOutput struct {
	Replayed
	Body struct {
		FromRound int `json:"from_round" doc:"The first round that is played so."`
	}
}

func (d *server) changeRules(ctx context.Context, in *rulesInput) (*rulesOutput, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	if err := person.Check(access.ChangeRules); err != nil {
		return nil, err
	}
	var c house.Change
	if in.Body.Variant != "" {
		v, _, err := variant.Parse("variant", []byte(in.Body.Variant), books.Find)
		if err != nil {
			return nil, variantProblem(err)
		}
		c.Variant = v
	}
	if in.Body.Mode != nil {
		c.Mode = *in.Body.Mode
	}
	c.Pace = in.Body.Pace
	from, err := d.House.Change(ctx, in.Key, person, in.Table, c)
	if err != nil {
		return nil, err
	}
	out := &rulesOutput{}
	out.Body.FromRound = from
	return out, nil
}

// variantProblem lists every mistake of a variant file with its line.
func variantProblem(err error) error {
	var all variant.Errors
	if !errors.As(err, &all) {
		return err
	}
	p := kindInvalid.problem("the variant cannot be played: every mistake is listed")
	for _, e := range all {
		p.Errors = append(p.Errors, Fault{"body.variant line " + strconv.Itoa(e.Line), e.Reason.String()})
	}
	return p
}

type whyInput struct {
	TableName
	Keyed
	Body struct {
		Why string `json:"why" minLength:"1" maxLength:"500" doc:"What was found and put right, for the log."`
	}
}

type releaseOutput struct {
	Replayed
	Body struct {
		Interruption *Interruption `json:"interruption,omitempty" doc:"What became of the round that the stop interrupted."`
	}
}

// Interruption is the end of a round that a stop interrupted.
type Interruption struct {
	Round    int           `json:"round"`
	LastedMs int64         `json:"lasted_ms"`
	Outcome  rules.Outcome `json:"outcome"`
	Clause   string        `json:"clause"`
	Phase    table.Phase   `json:"phase"`
}

func (d *server) release(ctx context.Context, in *whyInput) (*releaseOutput, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	stop, err := d.House.Release(ctx, in.Key, person, in.Table, in.Body.Why)
	if err != nil {
		return nil, err
	}
	out := &releaseOutput{}
	if stop != nil {
		out.Body.Interruption = &Interruption{stop.Round, stop.LastedMs, stop.Outcome, stop.Clause, stop.Phase}
	}
	return out, nil
}

// Page is which part of a long list is asked for.
type Page struct {
	Before int64 `query:"before" minimum:"0" doc:"Only what comes before this number, as next of the page before gives it; left out, the newest."`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"How many at most."`
}

type roundsInput struct {
	TableName
	Before int `query:"before" minimum:"0" doc:"Only rounds before this one; left out, the newest."`
	Limit  int `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"How many at most."`
}

// RoundLine is a round in the list.
type RoundLine struct {
	Round int   `json:"round"`
	Seq   int64 `json:"seq" doc:"The number of the transaction that began it."`
	AtMs  int64 `json:"at_ms" doc:"When it began."`
	Ended bool  `json:"ended"`
}

type listedRounds struct {
	Body struct {
		Rounds []RoundLine `json:"rounds"`
	}
}

func (d *server) rounds(ctx context.Context, in *roundsInput) (*listedRounds, error) {
	if _, err := requirePermission(ctx, access.SeeTable); err != nil {
		return nil, err
	}
	status, err := d.House.Status(in.Table)
	if err != nil {
		return nil, err
	}
	before := in.Before
	if before == 0 {
		before = math.MaxInt32
	}
	out := &listedRounds{}
	out.Body.Rounds = []RoundLine{}
	err = d.Record.Rounds(ctx, "table:"+in.Table, before, in.Limit, func(m house.RoundMark) error {
		if m.Round > status.State.Round() {
			return nil // It began after the table was read.
		}
		ended := m.Round < status.State.Round() || !status.State.Phase().InRound()
		out.Body.Rounds = append(out.Body.Rounds, RoundLine{m.Round, m.Seq, m.AtMs, ended})
		return nil
	})
	return out, err
}

type legalMoves struct {
	ETag string `header:"ETag" doc:"The version of the table that the moves are for."`
	Body struct {
		Version int64  `json:"version"`
		Moves   []Move `json:"moves"`
	}
}

func (d *server) moves(ctx context.Context, in *TableName) (*legalMoves, error) {
	person, err := requirePermission(ctx, access.SeeTable)
	if err != nil {
		return nil, err
	}
	status, err := d.House.Status(in.Table)
	if err != nil {
		return nil, err
	}
	out := &legalMoves{ETag: etag(status.Version)}
	out.Body.Version = status.Version
	var may []table.Action
	if actor := person.Actor(); actor.Role != 0 {
		for _, a := range status.State.Legal(actor) {
			if person.CheckAction(a) == nil && d.House.CheckMove(&status, person, a) == nil {
				may = append(may, a)
			}
		}
	}
	out.Body.Moves = movesOf(may)
	return out, nil
}
