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

// warned returns the problem with ending the players' time at once, nil if the command may
// be carried out: the first one warns the players, and ends nothing. A command of another
// kind, and one that was carried out under its key, needs no warning.
func (d *server) warned(ctx context.Context, o *house.CommandRequest) error {
	if _, ends := o.Do.(table.Expire); !ends {
		return nil
	}
	if done, err := d.House.Recorded(ctx, o.By.Name, o.Key); done || err != nil {
		return err
	}
	status, err := d.House.Status(o.Table)
	if err != nil {
		return err
	}
	nowMs := d.NowMs()
	now := timeup.Moment{Round: status.State.Round(), Phase: status.State.Phase()}
	given, warned := d.TimeUp.At(o.Table, now, nowMs)
	if !warned {
		if _, err := d.House.DryRun(ctx, *o); err != nil {
			return err // nobody is warned of what would not happen
		}
		given = timeup.Warning{Moment: now, By: o.By.Name, AtMs: nowMs}
		d.TimeUp.Give(o.Table, given)
	}
	leftMs := given.DueMs() - nowMs
	if leftMs <= 0 {
		return nil
	}
	p := kindWarned.problem(fmt.Sprintf("%s has warned the players that their time ends: send the command again after the seconds in Retry-After, or take the warning back", given.By))
	p.retryAfterS = int((leftMs + 999) / 1000)
	return p
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
		if _, warned := d.TimeUp.At(in.Table, timeup.Moment{Round: status.State.Round(), Phase: status.State.Phase()}, d.NowMs()); !warned {
			return nil, kindNotNow.problem("there is no warning to take back: the time has ended, or nobody has warned the players")
		}
		d.TimeUp.TakeBack(in.Table)
		return nil, nil
	})
}
