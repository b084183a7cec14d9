package protection

import (
	"maps"
	"strings"

	"trey/sentence"
)

// Player is the protection of one player: what the player and the house have set.
// The zero value is a player without any.
type Player struct {
	Limits map[Key]Setting
	// TimeOutMs is the time at which the latest pause ends, zero for none.
	TimeOutMs int64
	// Excluded is the exclusion in force or the latest one, nil for none.
	Excluded *Exclusion
	// AnsweredMs is the time at which the latest reality check was answered.
	AnsweredMs int64
	// refusedMs is the time at which a refusal of play was recorded last, by the reason of the
	// refusal.
	refusedMs map[refusedBy]int64
}

// refusedBy names the rule that refused a bet or a deposit.
type refusedBy struct {
	reason Reason
	limit  Key
}

// Exclusion is an exclusion from play.
type Exclusion struct {
	FromMs int64 `json:"from_ms"`
	// UntilMs is the time at which it ends, zero for never.
	UntilMs int64 `json:"until_ms,omitempty"`
	// Own says that the player asked for it.
	Own bool `json:"own,omitempty"`
}

func (x *Exclusion) lasts(nowMs int64) bool {
	return x != nil && (x.UntilMs == 0 || nowMs < x.UntilMs)
}

// Exclusion returns the exclusion in force at a time, nil for none.
func (p *Player) Exclusion(nowMs int64) *Exclusion {
	if p.Excluded.lasts(nowMs) {
		return p.Excluded
	}
	return nil
}

// Evolve returns the player after an event that was recorded at a time.
func (p Player) Evolve(e Event, atMs int64) Player {
	switch e := e.(type) {
	case LimitChanged:
		p.Limits = maps.Clone(p.Limits)
		if p.Limits == nil {
			p.Limits = map[Key]Setting{}
		}
		if e.FromMs > atMs {
			p.Limits[e.Key] = Setting{Most: e.Before, Next: &Change{e.Most, e.FromMs}}
		} else {
			p.Limits[e.Key] = Setting{Most: e.Most}
		}
	case CheckAnswered:
		p.AnsweredMs = atMs
	case TimeOutBegun:
		p.TimeOutMs = e.UntilMs
	case PlayerExcluded:
		p.Excluded = &Exclusion{FromMs: atMs, UntilMs: e.UntilMs, Own: e.By == e.Player}
	case PlayRefused:
		p.refusedMs = maps.Clone(p.refusedMs)
		if p.refusedMs == nil {
			p.refusedMs = map[refusedBy]int64{}
		}
		p.refusedMs[e.by()] = atMs
	}
	return p
}

func (e PlayRefused) by() refusedBy {
	by := refusedBy{reason: e.Reason}
	if e.Limit != nil {
		by.limit = *e.Limit
	}
	return by
}

// Refused returns the event of a refusal of play, and whether it is to be recorded: once
// in 24 hours for each limit, for a pause and for an exclusion.
func (p *Player) Refused(r *Refusal, nowMs int64) (e PlayRefused, records bool) {
	e = PlayRefused{Player: r.Player, Reason: r.Reason}
	switch r.Reason {
	case LimitReached:
		e.Limit = &r.Key
	case TimeOut, Excluded:
	case Invalid, NoChange, CheckDue, DecisionOpen:
		return e, false
	}
	last, known := p.refusedMs[e.by()]
	return e, r.Player != "" && (!known || nowMs-last >= dayMs)
}

// Limit returns a limit in force at a time, nil for none.
func (p *Player) Limit(k Key, nowMs int64) *int64 { return p.Limits[k].At(nowMs) }

// Counts reports whether anything is set that depends on what a player does.
func (p *Player) Counts() bool { return len(p.Limits) > 0 }

// CheckMs returns the interval between two reality checks: the shorter one of the
// house's and the player's own, zero for none.
func (p *Player) CheckMs(houseMs, nowMs int64) int64 {
	chosenMs := p.Limit(Key{Check, Session}, nowMs)
	if chosenMs == nil || houseMs > 0 && houseMs < *chosenMs*minuteMs {
		return houseMs
	}
	return *chosenMs * minuteMs
}

// SetLimit decides a player's wish for a limit: nil removes it. A stricter limit
// takes effect at once, a looser one after [LoosenAfterMs].
func (p *Player) SetLimit(name string, k Key, most *int64, nowMs int64) (LimitChanged, error) {
	if !k.valid(most) {
		return LimitChanged{}, &Refusal{Reason: Invalid, Key: k, detail: sentence.Of("there is no such limit, or it cannot have this value")}
	}
	now := p.Limit(k, nowMs)
	e := LimitChanged{Player: name, Key: k, Before: now, Most: most, FromMs: nowMs}
	waits := p.Limits[k].Next
	if waits != nil && nowMs >= waits.FromMs {
		waits = nil
	}
	switch {
	case looser(most, now):
		if waits != nil && same(waits.Most, most) {
			return e, &Refusal{Reason: NoChange, Key: k, detail: sentence.Of("this limit is asked for already and takes effect at %s", when(waits.FromMs))}
		}
		e.FromMs += LoosenAfterMs
	case same(most, now) && waits == nil:
		detail := sentence.Of("this limit is in force already")
		if most == nil {
			detail = sentence.Of("there is no such limit to take away")
		}
		return e, &Refusal{Reason: NoChange, Key: k, detail: detail}
	}
	return e, nil
}

// The bounds of a pause and of a self-exclusion.
const (
	LeastTimeOutMs   = dayMs
	MostTimeOutMs    = 42 * dayMs
	LeastExclusionMs = 182 * dayMs
	mostExclusionMs  = 20 * 366 * dayMs
)

// TimeOut decides a player's wish for a pause. A pause that runs can be made
// longer and not shorter.
func (p *Player) TimeOut(name string, lastsMs, nowMs int64) (TimeOutBegun, error) {
	e := TimeOutBegun{Player: name, UntilMs: nowMs + lastsMs}
	switch {
	case lastsMs < LeastTimeOutMs || lastsMs > MostTimeOutMs:
		return e, &Refusal{Reason: Invalid, detail: sentence.Of("a time-out lasts from 1 to 42 days: for longer, exclude yourself")}
	case e.UntilMs <= p.TimeOutMs:
		return e, &Refusal{Reason: NoChange, detail: sentence.Of("a time-out cannot be shortened: this one ends at %s", when(p.TimeOutMs))}
	}
	return e, nil
}

// Exclude decides an exclusion, by the player or by a member of staff; zero is
// without an end. An exclusion that runs can be made longer and not shorter.
func (p *Player) Exclude(name, by string, lastsMs int64, why string, nowMs int64) (PlayerExcluded, error) {
	e := PlayerExcluded{Player: name, By: by, Why: why}
	if lastsMs != 0 {
		e.UntilMs = nowMs + lastsMs
	}
	running := p.Excluded.lasts(nowMs)
	switch {
	case lastsMs < 0 || lastsMs > mostExclusionMs:
		return e, &Refusal{Reason: Invalid, detail: sentence.Of("an exclusion lasts 20 years at most, or has no end")}
	case by == name && lastsMs != 0 && lastsMs < LeastExclusionMs:
		return e, &Refusal{Reason: Invalid, detail: sentence.Of("a self-exclusion lasts 6 months at least: for less, take a time-out")}
	case by != name && strings.TrimSpace(why) == "":
		return e, &Refusal{Reason: Invalid, detail: sentence.Of("give the reason of the exclusion: it stands in the log")}
	case running && p.Excluded.UntilMs == 0:
		return e, &Refusal{Reason: NoChange, detail: sentence.Of("this player is excluded already, without an end")}
	case running && e.UntilMs != 0 && e.UntilMs <= p.Excluded.UntilMs:
		return e, &Refusal{Reason: NoChange, detail: sentence.Of("an exclusion cannot be shortened: this one ends at %s", when(p.Excluded.UntilMs))}
	}
	return e, nil
}

// Barred refuses whoever may bring in no money and make no bet at a time.
func (p *Player) Barred(name string, nowMs int64) error {
	x := p.Excluded
	switch {
	case x.lasts(nowMs) && x.UntilMs == 0:
		return &Refusal{Reason: Excluded, Player: name, detail: sentence.Of("%s is excluded from play, without an end. Money can be paid out", name)}
	case x.lasts(nowMs):
		return &Refusal{Reason: Excluded, Player: name, detail: sentence.Of("%s is excluded from play until %s. Money can be paid out", name, when(x.UntilMs))}
	case nowMs < p.TimeOutMs:
		return &Refusal{Reason: TimeOut, Player: name, detail: sentence.Of("%s takes a time-out until %s. Money can be paid out", name, when(p.TimeOutMs))}
	}
	return nil
}

// MayDeposit refuses money that a player brings in against a limit.
func (p *Player) MayDeposit(name string, amount int64, t *Tally, nowMs int64) error {
	if err := p.Barred(name, nowMs); err != nil {
		return err
	}
	return p.within(name, Deposit, amount, t, nowMs)
}

// Wager is the addition of a bet to a player's amount at risk.
type Wager struct {
	// Laid is the money laid, and Reserve what Plays may take that are not laid
	// yet: those for the hands of this bet and of every other undecided one.
	Laid, Reserve int64
	// InRound is the player's sum in the round at this table with the bet, with the Plays that
	// it may take.
	InRound int64
}

// MayBet refuses a bet against a limit, an exclusion or a reality check that is due.
func (p *Player) MayBet(name string, w Wager, t *Tally, houseMs, nowMs int64) error {
	if err := p.Barred(name, nowMs); err != nil {
		return err
	}
	if most := p.Limit(Key{Stake, Round}, nowMs); most != nil && w.InRound > *most {
		return broken(name, Key{Stake, Round}, *most, w.InRound-w.Laid, w.Laid)
	}
	for _, k := range []Kind{Stake, Loss} {
		if err := p.within(name, k, w.Laid+w.Reserve, t, nowMs); err != nil {
			return err
		}
	}
	for _, period := range []Period{Day, Week, Month} {
		k := Key{Time, period}
		most := p.Limit(k, nowMs)
		if most == nil {
			continue
		}
		if played := t.PlayedMs(nowMs-period.ms(), nowMs) / minuteMs; played >= *most {
			return broken(name, k, *most, played, 0)
		}
	}
	if check := p.Check(t, houseMs, nowMs); check.Due {
		return &Refusal{Reason: CheckDue, Player: name, Key: Key{Check, Session}, detail: sentence.Of("%s has played for %d minutes: answer the reality check first", name, int(check.Session.ElapsedMs/minuteMs))}
	}
	return nil
}

// within refuses an amount that would break a limit of a kind.
func (p *Player) within(name string, kind Kind, amount int64, t *Tally, nowMs int64) error {
	for _, period := range []Period{Day, Week, Month} {
		k := Key{kind, period}
		most := p.Limit(k, nowMs)
		if most == nil {
			continue
		}
		if used := p.Used(k, t, nowMs); amount > *most-used {
			return broken(name, k, *most, used, amount)
		}
	}
	return nil
}

// Used returns how much of a limit is used at a time, in minor units or minutes.
func (p *Player) Used(k Key, t *Tally, nowMs int64) int64 {
	sinceMs := nowMs - k.Period.ms()
	switch k.Kind {
	case Deposit:
		return int64(t.Sum(sinceMs).Deposit)
	case Stake:
		sum := t.Sum(sinceMs)
		return int64(sum.Stake - sum.Back)
	case Loss:
		return int64(-t.Sum(sinceMs).Net)
	case Time:
		return t.PlayedMs(sinceMs, nowMs) / minuteMs
	case Check:
		return t.Session(nowMs).ElapsedMs / minuteMs
	}
	return 0
}

// CheckState is the state of a player's reality checks.
type CheckState struct {
	// EveryMs is the interval, zero for none.
	EveryMs int64
	// Due says that it has to be answered before the next bet. Otherwise NextMs is the time at
	// which it will be due if play goes on, zero while nobody plays.
	Due     bool
	NextMs  int64
	Session Played
}

// Check returns where a player's reality checks stand. One that came due stays due
// until it is answered, also when the player has made a break since.
func (p *Player) Check(t *Tally, houseMs, nowMs int64) CheckState {
	c := CheckState{EveryMs: p.CheckMs(houseMs, nowMs), Session: t.Session(nowMs)}
	s := &c.Session
	if c.EveryMs == 0 || s.SinceMs == 0 {
		return c
	}
	sinceMs := max(s.SinceMs, p.AnsweredMs)
	untilMs := s.LastMs
	if s.Open {
		untilMs = nowMs
		c.NextMs = sinceMs + c.EveryMs
	}
	if c.Due = untilMs-sinceMs >= c.EveryMs; c.Due {
		c.NextMs = 0
	}
	return c
}

// Answer decides a player's answer to a reality check.
func (p *Player) Answer(name string, t *Tally, houseMs, nowMs int64) (CheckAnswered, error) {
	c := p.Check(t, houseMs, nowMs)
	if !c.Due {
		return CheckAnswered{}, &Refusal{Reason: NoChange, Player: name, Key: Key{Check, Session}, detail: sentence.Of("no reality check is due")}
	}
	return CheckAnswered{Player: name, SinceMs: c.Session.SinceMs, ElapsedMs: c.Session.ElapsedMs, Staked: c.Session.Staked, Net: c.Session.Net}, nil
}
