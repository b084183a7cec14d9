package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/timeup"
	"trey/table"
)

// do carries out a command. One that ends the players' time ends nothing the first time, and warns the
// players: the error says so. One that was carried out under its key needs no warning.
func (d *server) do(ctx context.Context, o house.CommandRequest) (house.Result, error) {
	if _, ends := o.Do.(table.Expire); !ends {
		return d.House.Do(ctx, o)
	}
	if recorded, err := d.House.Recorded(ctx, o.By.Name, o.Key); err != nil {
		return house.Result{}, err
	} else if recorded {
		return d.House.Do(ctx, o)
	}
	done, notice, err := d.TimeUp.End(ctx, d.House, o, d.NowMs)
	if err != nil || notice.WaitS == 0 {
		return done, err
	}
	p := kindWarned.problem(fmt.Sprintf("%s has warned the players that their time ends: send the command again after the seconds in Retry-After, or take the warning back", notice.By))
	p.retryAfterS = notice.WaitS
	return done, p
}

type warningInput struct {
	Table string `path:"table"`
}

func (d *server) timeWarnings() {
	serve(d, huma.Operation{
		OperationID: "take-warning-back", Method: http.MethodDelete, Path: "/api/v1/tables/{table}/warning", Tags: []string{"Tables"}, DefaultStatus: http.StatusNoContent,
		Summary: "Take a warning back", Description: "Takes back the warning that the players' time ends, which the first expire gave. Nothing ends until another expire has warned them.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *warningInput) (*struct{}, error) {
		person, err := authenticated(ctx)
		if err != nil {
			return nil, err
		}
		if err := person.CheckAction(table.Expire{}); err != nil {
			return nil, err
		}
		status, err := d.House.Status(in.Table)
		if err != nil {
			return nil, err
		}
		if _, warned := d.TimeUp.At(in.Table, timeup.MomentOf(status.State), d.NowMs()); !warned {
			return nil, kindNotNow.problem("there is no warning to take back: the time has ended, or nobody has warned the players")
		}
		d.TimeUp.TakeBack(in.Table)
		return nil, nil
	})
}
