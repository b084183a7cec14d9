package tables

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/web/felt"
	"trey/internal/web/site"
	"trey/table"
)

// step is a moment of a round that is over.
type step struct {
	layout    felt.Table
	sentences []narrationLine
	lines     []table.Line
	by        string
}

// errEnough ends a reading early.
var errEnough = errors.New("that is enough")

// replay shows a round step by step, as the reader might have seen it.
func (h *handlers) replay(v *site.Visit) error {
	if err := h.Authenticator.CheckSeeFloor(v); err != nil {
		return err
	}
	name := v.Request.PathValue("table")
	round, err := strconv.Atoi(v.Request.PathValue("round"))
	if err != nil || round < 1 {
		return v.NotFound()
	}
	standing, err := h.House.Status(name)
	if err != nil {
		return found(v, err)
	}
	mark, err := h.mark(v, name, round)
	if err != nil {
		return found(v, err)
	}
	r := h.reader(v)
	m := &moment{}
	m.inForce = standing.InForce()
	var steps []step
	err = h.House.EventsSince(v.Context(), house.Topic{Table: name}, mark.Seq-1, func(n *house.Notice) error {
		if n.Round != round {
			return errEnough
		}
		before := len(m.history)
		m.fold(n, name)
		seen := viewOf(m, &r, h)
		s := step{layout: felt.Of(n.State.Variant(), &seen.picture), sentences: seen.tell(m.history[min(before, len(m.history)):]), by: n.Cause.By}
		for i := range s.layout.Boxes {
			for k := range s.layout.Boxes[i].Areas {
				a := &s.layout.Boxes[i].Areas[k]
				a.Player = seen.called(a.Player)
			}
		}
		if before > len(m.history) {
			s.sentences = seen.tell(m.history)
		}
		if len(n.Events) == 0 || len(s.sentences) == 0 && n.State.Phase() == table.Betting && len(seen.picture.Boxes) == 0 {
			return nil
		}
		for _, e := range n.Events {
			does := table.EffectOf(e.For(r.viewer()))
			s.lines = append(s.lines, seen.addressed(does.Lines)...)
			if b := &does.Bet; b.Use == table.BetAdds {
				s.sentences = append(s.sentences, narrationLine{text: v.T("told.bets", "player", seen.called(b.Player), "amount", v.Money(b.Amount), "wager", v.Term(b.Wager.Name()), "box", b.Box)})
			}
		}
		steps = append(steps, s)
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	m.denied = h.House.DeniedJackpots(name)
	last := viewOf(m, &r, h)
	if denied := m.denied.of(round, r.person.Name); denied > 0 && len(steps) > 0 {
		end := &steps[len(steps)-1]
		end.sentences = append(end.sentences, narrationLine{text: v.T("told.denied", "amount", v.Money(denied)), mine: true})
	}
	over := round < standing.State.Round() || !standing.State.Phase().InRound()
	may := over && (last.mayCheck(m.state) || r.person.Role.Can(access.SearchRounds))
	return v.Show(site.Page{
		Title: fmt.Sprintf("%s · %s", name, v.T("tables.round", "round", round)), Description: v.T("tables.replay-about"), Section: "lobby", Modules: []string{"scenario.js"},
		Body: replayed(v, last, name, round, steps, over, may),
	})
}

// addressed returns lines with their players as the page calls them.
func (v *view) addressed(lines []table.Line) []table.Line {
	all := slices.Clone(lines)
	for i := range all {
		all[i].Player = v.called(all[i].Player)
	}
	return all
}

// mark finds where a round begins.
func (h *handlers) mark(v *site.Visit, name string, round int) (mark house.RoundMark, err error) {
	err = h.Record.Rounds(v.Context(), streamOf(name), round+1, 1, func(m house.RoundMark) error {
		mark = m
		return nil
	})
	if err == nil && mark.Round != round {
		err = house.ErrNoRound
	}
	return mark, err
}

// mayCheck reports whether the reader is handed the record of a round that is over.
// The programming interface hands it out, and decides: to those who bet in it,
// where its cards were the house's own.
func (v *view) mayCheck(s house.State) bool {
	_, bet := netOf(s, v.person.Name)
	return v.plays() && bet && v.virtual
}

// checkAddress returns the address at which the reader's own browser checks a round.
func checkAddress(name string, round int) string {
	return "/check?" + url.Values{"table": {name}, "round": {strconv.Itoa(round)}}.Encode()
}

// recordAddress returns the address of a round's record.
func recordAddress(name string, round int) string {
	return "/api/v1" + roundAddress(name, round)
}
