package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/protection"
	"trey/money"
)

// Play holds the results of a player, and the limits, pauses and exclusions in force.
type Play struct {
	AtMs      int64           `json:"at_ms"`
	Session   PlaySession     `json:"session"`
	Check     RealityCheck    `json:"reality_check"`
	Reserved  money.Amount    `json:"reserved" doc:"What the Plays of your undecided hands may take. Stakes and losses count it too."`
	Limits    []PlayerLimit   `json:"limits" doc:"Every limit that there can be, in order."`
	TimeOutMs int64           `json:"time_out_until_ms,omitempty" doc:"When the pause ends."`
	Excluded  *ExclusionTimes `json:"excluded,omitempty" doc:"The exclusion in force."`
}

// PlaySession is one session of play, from the first bet until 15 minutes have passed
// without a bet or a payment.
type PlaySession struct {
	SinceMs   int64        `json:"since_ms,omitempty" doc:"When it began; absent for somebody who has not played within a month."`
	LastMs    int64        `json:"last_ms,omitempty" doc:"When you last bet or were paid."`
	Open      bool         `json:"open" doc:"It goes on."`
	ElapsedMs int64        `json:"elapsed_ms"`
	Staked    money.Amount `json:"staked" doc:"In minor units."`
	Net       money.Amount `json:"net" doc:"What play has changed. A stake counts as lost until it comes back."`
}

// RealityCheck is the state of a player's reality checks.
type RealityCheck struct {
	EveryMs int64 `json:"every_ms,omitempty" doc:"The interval: the shorter one of the house's and yours. Absent for none."`
	Due     bool  `json:"due" doc:"Answer it before the next bet, by POST /api/v1/account/reality-check."`
	Waits   bool  `json:"waits,omitempty" doc:"You have a hand or an option to decide first."`
	NextMs  int64 `json:"next_ms,omitempty" doc:"When it will be due if you go on."`
}

// PlayerLimit is one limit of a player.
type PlayerLimit struct {
	Kind   string `json:"kind" enum:"deposit,loss,stake,time,reality-check" doc:"What is limited. time and reality-check are in minutes, the others in minor units."`
	Period string `json:"period" enum:"day,week,month,round,session" doc:"The last 24 hours, 7 days or 30 days; a round; a session of play."`
	protection.Setting
	Used int64 `json:"used" doc:"How much of it is used."`
}

// ExclusionTimes are the times at which an exclusion began and ends.
type ExclusionTimes struct {
	FromMs  int64 `json:"from_ms"`
	UntilMs int64 `json:"until_ms,omitempty" doc:"Absent for no end."`
	Own     bool  `json:"own" doc:"The player asked for it."`
}

func playOf(p house.Protection) Play {
	s := &p.Check.Session
	out := Play{
		AtMs: p.AtMs, Reserved: p.Reserved,
		Session: PlaySession{s.SinceMs, s.LastMs, s.Open, s.ElapsedMs, s.Staked, s.Net},
		Check:   RealityCheck{p.Check.EveryMs, p.Check.Due, p.Waits, p.Check.NextMs},
	}
	for _, k := range protection.Keys() {
		out.Limits = append(out.Limits, PlayerLimit{k.Kind.String(), k.Period.String(), p.Limits[k].Standing(p.AtMs), p.Used[k]})
	}
	if p.TimeOutMs > p.AtMs {
		out.TimeOutMs = p.TimeOutMs
	}
	if x := p.Exclusion(p.AtMs); x != nil {
		out.Excluded = &ExclusionTimes{x.FromMs, x.UntilMs, x.Own}
	}
	return out
}

type playOutput struct {
	Replayed
	Body Play
}

// LimitName is a limit in the path of a request.
type LimitName struct {
	Kind   string `path:"kind" enum:"deposit,loss,stake,time,reality-check"`
	Period string `path:"period" enum:"day,week,month,round,session"`
}

func (l LimitName) key() (k protection.Key, err error) {
	if err := k.Kind.UnmarshalText([]byte(l.Kind)); err != nil {
		return k, kindInvalid.problem(err.Error())
	}
	if err := k.Period.UnmarshalText([]byte(l.Period)); err != nil {
		return k, kindInvalid.problem(err.Error())
	}
	return k, nil
}

type setLimitInput struct {
	Keyed
	LimitName
	Body struct {
		Most int64 `json:"most" minimum:"0" maximum:"576460752303423488" example:"5000" doc:"In minor units, or in minutes for time and reality-check."`
	}
}

type removeLimitInput struct {
	Keyed
	LimitName
}

type timeOutInput struct {
	Keyed
	Body struct {
		Days int64 `json:"days" minimum:"1" maximum:"42" example:"7"`
	}
}

type ownExclusionInput struct {
	Keyed
	Body struct {
		Days *int64 `json:"days" required:"true" nullable:"true" minimum:"182" maximum:"7300" doc:"How long it lasts; null for no end."`
	}
}

// PlayerName is a player in the path of a request.
type PlayerName struct {
	Name string `path:"name" maxLength:"200" example:"ann"`
}

type exclusionInput struct {
	Keyed
	PlayerName
	Body struct {
		Days *int64 `json:"days" required:"true" nullable:"true" minimum:"1" maximum:"7300" doc:"How long it lasts; null for no end."`
		Why  string `json:"why" minLength:"1" maxLength:"500" doc:"The reason, for the log."`
	}
}

const dayMs = 24 * 60 * 60 * 1000

// lastsMs returns how long an exclusion lasts, 0 for no end. No end is asked for by null: it cannot be
// taken back, and a field that got lost would ask for it too.
func lastsMs(days *int64) int64 {
	if days == nil {
		return 0
	}
	return *days * dayMs
}

// protection adds the routes by which players see and limit their own play, and the house
// excludes a player.
func (d *server) protection() {
	tags := []string{"Player protection"}
	conflict := []int{http.StatusConflict}
	serve(d, huma.Operation{
		OperationID: "own-play", Method: http.MethodGet, Path: "/api/v1/account/play", Tags: tags,
		Summary: "See your play and limits", Description: "How long you have played, what came of it, whether a reality check is due, your limits with what is used of each, and your pauses. All of it follows from the record.",
	}, func(ctx context.Context, _ *struct{}) (*playOutput, error) {
		person, err := requirePermission(ctx, access.SeeOwnAccount)
		if err != nil {
			return nil, err
		}
		return d.playAnswer(ctx, person.Name)
	})
	serve(d, huma.Operation{
		OperationID: "set-limit", Method: http.MethodPut, Path: "/api/v1/account/limits/{kind}/{period}", Tags: tags,
		Summary: "Set a limit", Description: "Limits your deposits, losses, stakes or time at play, or sets the interval of your reality checks. A stricter limit takes effect at once, a looser one after 24 hours.",
		Errors: conflict,
	}, func(ctx context.Context, in *setLimitInput) (*playOutput, error) {
		return d.setLimit(ctx, in.Key, in.LimitName, &in.Body.Most)
	})
	serve(d, huma.Operation{
		OperationID: "remove-limit", Method: http.MethodDelete, Path: "/api/v1/account/limits/{kind}/{period}", Tags: tags,
		Summary: "Remove a limit", Description: "Removes a limit of yours, after 24 hours.",
		Errors: conflict,
	}, func(ctx context.Context, in *removeLimitInput) (*playOutput, error) {
		return d.setLimit(ctx, in.Key, in.LimitName, nil)
	})
	serve(d, huma.Operation{
		OperationID: "answer-reality-check", Method: http.MethodPost, Path: "/api/v1/account/reality-check", Tags: tags,
		Summary: "Answer a reality check", Description: "Says that you have seen how long you have played and what came of it, and go on. It waits for your open decisions.",
		Errors: conflict,
	}, func(ctx context.Context, in *keyedInput) (*playOutput, error) {
		return d.ownProtection(ctx, in.Key, func(person access.Person) error {
			return d.House.AnswerCheck(ctx, in.Key, person)
		})
	})
	serve(d, huma.Operation{
		OperationID: "take-time-out", Method: http.MethodPost, Path: "/api/v1/account/time-out", Tags: tags,
		Summary: "Take a time-out", Description: "Lets you make no bet and bring in no money for 1 to 42 days. It cannot be shortened. A round with a bet in it is played out.",
		Errors: conflict,
	}, func(ctx context.Context, in *timeOutInput) (*playOutput, error) {
		return d.ownProtection(ctx, in.Key, func(person access.Person) error {
			return d.House.TakeTimeOut(ctx, in.Key, person, in.Body.Days*dayMs)
		})
	})
	serve(d, huma.Operation{
		OperationID: "exclude-yourself", Method: http.MethodPost, Path: "/api/v1/account/exclusion", Tags: tags,
		Summary: "Exclude yourself", Description: "Excludes you from play for 182 days at least, or without an end. It cannot be shortened. Your money can be paid out.",
		Errors: conflict,
	}, func(ctx context.Context, in *ownExclusionInput) (*playOutput, error) {
		return d.ownProtection(ctx, in.Key, func(person access.Person) error {
			return d.House.Exclude(ctx, in.Key, person, person.Name, lastsMs(in.Body.Days), "")
		})
	})
	serve(d, huma.Operation{
		OperationID: "player-play", Method: http.MethodGet, Path: "/api/v1/players/{name}/play", Tags: tags,
		Summary: "See a player's play and limits", Description: "The same of another, for those who may exclude players.",
		Errors: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *PlayerName) (*playOutput, error) {
		if _, err := requirePermission(ctx, access.ExcludePlayer); err != nil {
			return nil, err
		}
		if err := d.player(in.Name); err != nil {
			return nil, err
		}
		return d.playAnswer(ctx, in.Name)
	})
	serve(d, huma.Operation{
		OperationID: "exclude-player", Method: http.MethodPost, Path: "/api/v1/players/{name}/exclusion", Tags: tags,
		Summary: "Exclude a player", Description: "Excludes a player from play, from the next bet on and at every table. A round with a bet in it is played out. It can be made longer and not shorter.",
		Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *exclusionInput) (*playOutput, error) {
		person, err := authenticated(ctx)
		if err != nil {
			return nil, err
		}
		if err := person.Check(access.ExcludePlayer); err != nil {
			return nil, err
		}
		if err := d.player(in.Name); err != nil {
			return nil, err
		}
		if err := d.House.Exclude(ctx, in.Key, person, in.Name, lastsMs(in.Body.Days), in.Body.Why); err != nil {
			return nil, err
		}
		return d.playAnswer(ctx, in.Name)
	})
}

// player refuses a name of which the house knows no player.
func (d *server) player(name string) error {
	if d.Identity.IsPlayer(name) {
		return nil
	}
	return kindNotFound.problem("there is no player of this name: check the spelling")
}

func (d *server) setLimit(ctx context.Context, key string, name LimitName, most *int64) (*playOutput, error) {
	k, err := name.key()
	if err != nil {
		return nil, err
	}
	return d.ownProtection(ctx, key, func(person access.Person) error {
		return d.House.SetLimit(ctx, key, person, k, most)
	})
}

// ownProtection carries out what somebody asks for their own protection.
func (d *server) ownProtection(ctx context.Context, key string, do func(access.Person) error) (*playOutput, error) {
	person, err := authenticated(ctx)
	if err != nil {
		return nil, err
	}
	if err := do(person); err != nil {
		return nil, err
	}
	return d.playAnswer(ctx, person.Name)
}

func (d *server) playAnswer(ctx context.Context, name string) (*playOutput, error) {
	p, err := d.House.Protection(ctx, name)
	if err != nil {
		return nil, err
	}
	return &playOutput{Body: playOf(p)}, nil
}
