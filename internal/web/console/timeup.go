package console

import (
	"trey/internal/house"
	"trey/internal/house/timeup"
	"trey/internal/web/site"
	"trey/table"
)

// endTime ends the players' time in the two steps of package timeup.
func (d *handlers) endTime(v *site.Visit, o house.CommandRequest) (*answer, error) {
	_, notice, err := d.Warnings.End(v.Context(), d.House, o, d.NowMs)
	switch {
	case err != nil:
		return refused(v, err)
	case notice.First:
		return done(v.T("console.warned")), nil
	case notice.WaitS > 0:
		return &answer{status: 409, title: v.T("console.refused"), text: v.N("console.warned-wait", notice.WaitS)}, nil
	}
	return done(v.T("console.done")), nil
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
	said := done(v.T("console.warning-gone"))
	if _, warned := d.Warnings.At(name, timeup.MomentOf(status.State), d.NowMs()); !warned {
		said = &answer{status: 409, title: v.T("console.refused"), text: v.T("console.no-warning")}
	}
	d.Warnings.TakeBack(name)
	return d.answer(v, s, said)
}
