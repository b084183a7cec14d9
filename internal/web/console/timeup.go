package console

import (
	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/timeup"
	"trey/internal/web/site"
	"trey/table"
)

// moment returns the state of the table for which a warning holds.
func moment(s house.State) timeup.Moment { return timeup.Moment{Round: s.Round(), Phase: s.Phase()} }

// endTime ends the players' time in two steps, because it forfeits hands: the first order
// warns the players, and one that comes five seconds later or more carries it out. Until
// then the warning can be taken back.
func (d *handlers) endTime(v *site.Visit, s identity.Session, o house.CommandRequest) (*answer, error) {
	status, err := d.House.Status(o.Table)
	if err != nil {
		return refused(v, err)
	}
	nowMs := d.NowMs()
	given, warned := d.Warnings.At(o.Table, moment(status.State), nowMs)
	if !warned {
		if _, err := d.House.DryRun(v.Context(), o); err != nil {
			return refused(v, err) // nobody is warned of what would not happen
		}
		d.Warnings.Give(o.Table, timeup.Warning{Moment: moment(status.State), By: s.Name, AtMs: nowMs})
		return done(v, v.T("console.warned")), nil
	}
	if leftMs := given.DueMs() - nowMs; leftMs > 0 {
		return &answer{status: 409, title: v.T("console.refused"), text: v.N("console.warned-wait", int((leftMs+999)/1000))}, nil
	}
	if _, err = d.House.Do(v.Context(), o); err != nil {
		return refused(v, err)
	}
	d.Warnings.TakeBack(o.Table)
	return done(v, v.T("console.done")), nil
}

// takeBackTime takes a warning back before the time has ended.
func (d *handlers) takeBackTime(v *site.Visit) error {
	s, ok, err := d.staff(v)
	if !ok {
		return err
	}
	name := v.Request.PathValue("table")
	status, err := d.House.Status(name)
	if err != nil {
		return v.NotFound()
	}
	if err := s.CheckAction(table.Expire{}); err != nil {
		said, err := refused(v, err)
		if err != nil {
			return err
		}
		return d.answer(v, s, said)
	}
	said := done(v, v.T("console.warning-gone"))
	if _, warned := d.Warnings.At(name, moment(status.State), d.NowMs()); !warned {
		said = &answer{status: 409, title: v.T("console.refused"), text: v.T("console.no-warning")}
	}
	d.Warnings.TakeBack(name)
	return d.answer(v, s, said)
}
