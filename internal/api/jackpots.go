package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
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

func (d *door) jackpots() {
	tags := []string{"Jackpots"}
	serve(d, huma.Operation{
		OperationID: "list-jackpots", Method: http.MethodGet, Path: "/api/v1/jackpots", Tags: tags,
		Summary: "List the jackpots", Description: "Every linked progressive with what it displays, its terms and its totals.",
	}, func(ctx context.Context, _ *struct{}) (*listedJackpots, error) {
		if _, err := need(ctx, access.SeeFloor); err != nil {
			return nil, err
		}
		out := &listedJackpots{}
		out.Body.Jackpots = []Meter{}
		for _, name := range d.jackpotNames() {
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
		if _, err := need(ctx, access.SeeFloor); err != nil {
			return nil, err
		}
		s, ok := d.House.Jackpot(in.Jackpot)
		if !ok {
			return nil, house.ErrNoJackpot
		}
		return &gotJackpot{meterOf(in.Jackpot, &s)}, nil
	})
}

// jackpotNames are the jackpots that tables play for, in order.
func (d *door) jackpotNames() (names []string) {
	for _, name := range d.House.Tables() {
		if is, err := d.House.Standing(name); err == nil && is.Jackpot != "" && !slices.Contains(names, is.Jackpot) {
			names = append(names, is.Jackpot)
		}
	}
	slices.Sort(names)
	return names
}
