package protection_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house/protection"
	_ "trey/internal/steady"
	"trey/internal/stored"
	"trey/money"
)

const (
	minuteMs = 60_000
	dayMs    = 24 * 60 * minuteMs
)

// TestTheTallyAgreesWithItsMovements checks sums, sessions and times at play against
// the movements one by one.
func TestTheTallyAgreesWithItsMovements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var moves []protection.Movement
		var tally protection.Tally
		atMs := int64(1_800_000_000_000)
		for range rapid.IntRange(0, 60).Draw(t, "moves") {
			// In whole minutes, where keeping those of a minute together changes nothing.
			atMs += minuteMs * rapid.SampledFrom([]int64{0, 0, 1, 3, 14, 15, 16, 600, 9000}).Draw(t, "minutes")
			m := protection.Movement{FromMs: atMs, ToMs: atMs, Plays: rapid.Bool().Draw(t, "plays")}
			if m.Plays {
				m.Stake = money.Amount(rapid.IntRange(0, 500).Draw(t, "stake"))
				m.Back = money.Amount(rapid.IntRange(0, 500).Draw(t, "back"))
				m.Net = money.Amount(rapid.IntRange(-500, 500).Draw(t, "net"))
			} else {
				m.Deposit = money.Amount(rapid.IntRange(1, 500).Draw(t, "deposit"))
			}
			moves = append(moves, m)
			tally.Add(m)
		}
		nowMs := atMs + minuteMs*rapid.SampledFrom([]int64{0, 1, 14, 15, 100}).Draw(t, "since")
		afterMs := nowMs - rapid.SampledFrom([]int64{dayMs, 7 * dayMs, 30 * dayMs}).Draw(t, "period")
		var want protection.Movement
		for _, m := range moves {
			if m.ToMs > afterMs {
				want.Deposit, want.Net = want.Deposit+m.Deposit, want.Net+m.Net
				want.Stake += m.Stake
				if m.ToMs > afterMs+60*minuteMs { // A bet that was taken back early makes no room.
					want.Back += m.Back
				} else {
					want.Net -= m.Back
				}
			}
		}
		want.Back = min(want.Stake, want.Back)
		if got := tally.Sum(afterMs); got != want {
			t.Fatalf("the sum is %+v, want %+v", got, want)
		}
		// Minute by minute: one is played where a movement lies at its beginning or
		// before, less than 15 minutes from the next one, or from now.
		var played []int64
		for _, m := range moves {
			if m.Plays {
				played = append(played, m.FromMs)
			}
		}
		var sumMs, sinceMs int64
		for i, fromMs := range played {
			if i == 0 || fromMs-played[i-1] >= 15*minuteMs {
				sinceMs = fromMs
			}
			untilMs := nowMs
			if i+1 < len(played) {
				untilMs = played[i+1]
			}
			if untilMs-fromMs < 15*minuteMs {
				sumMs += max(0, untilMs-max(fromMs, afterMs))
			}
		}
		if got := tally.PlayedMs(afterMs, nowMs); got != sumMs {
			t.Fatalf("%d ms are played, want %d", got, sumMs)
		}
		s := tally.Session(nowMs)
		if len(played) > 0 {
			last := played[len(played)-1]
			if open := nowMs-last < 15*minuteMs; s.SinceMs != sinceMs || s.LastMs != last || s.Open != open {
				t.Fatalf("the session is %+v, want one from %d to %d, open %t", s, sinceMs, last, open)
			}
		} else if s != (protection.Played{}) {
			t.Fatalf("a session without play: %+v", s)
		}
	})
}

// TestEventsAreReadAsTheyAreWritten holds the stored form of each kind, and that what
// names nobody is not read.
func TestEventsAreReadAsTheyAreWritten(t *testing.T) {
	texts := map[string]struct {
		body string
		want protection.Event
	}{
		"limit-changed": {
			`{"player":"ann","kind":"loss","period":"week","before":null,"most":500,"from_ms":7}`,
			protection.LimitChanged{Player: "ann", Key: protection.Key{Kind: protection.Loss, Period: protection.Week}, Most: new(int64(500)), FromMs: 7},
		},
		"reality-check-answered": {
			`{"player":"ann","since_ms":1,"elapsed_ms":2,"staked":3,"net":-4}`,
			protection.CheckAnswered{Player: "ann", SinceMs: 1, ElapsedMs: 2, Staked: 3, Net: -4},
		},
		"time-out-begun": {`{"player":"ann","until_ms":9}`, protection.TimeOutBegun{Player: "ann", UntilMs: 9}},
		"play-refused": {
			`{"player":"ann","reason":"limit-reached","limit":{"kind":"loss","period":"week"}}`,
			protection.PlayRefused{Player: "ann", Reason: protection.LimitReached, Limit: &protection.Key{Kind: protection.Loss, Period: protection.Week}},
		},
		"player-excluded": {`{"player":"ann","by":"sue","why":"x"}`, protection.PlayerExcluded{Player: "ann", By: "sue", Why: "x"}},
	}
	for _, kind := range protection.Events.Names() {
		s, ok := texts[kind]
		if !ok {
			t.Errorf("nothing is known here of %s", kind)
			continue
		}
		if got, err := protection.Read(stored.Event{Kind: kind, Body: []byte(s.body)}); err != nil || !reflect.DeepEqual(got, s.want) {
			t.Errorf("%s was read as %+v, %v", s.body, got, err)
		}
		for _, bad := range []string{`{}`, `{"player":"ann","more":1}`, `[]`} {
			if _, err := protection.Read(stored.Event{Kind: kind, Body: []byte(bad)}); err == nil {
				t.Errorf("%s was read as %s", bad, kind)
			}
		}
	}
	if _, err := protection.Read(stored.Event{Kind: "unknown", Body: []byte(`{"player":"ann"}`)}); err == nil {
		t.Error("an unknown kind was read")
	}
}

// TestALimitThatIsNone holds that who takes away a limit that does not hold is not told that it
// holds.
func TestALimitThatIsNone(t *testing.T) {
	var p protection.Player
	key := protection.Key{Kind: protection.Loss, Period: protection.Month}
	var refused *protection.Refusal
	if _, err := p.SetLimit("ann", key, nil, 0); !errors.As(err, &refused) || refused.Reason != protection.NoChange || !strings.Contains(refused.Error(), "no such limit") {
		t.Errorf("a limit that is none was taken away: %v", err)
	}
}

// TestWhatNobodyCanSet holds the bounds of limits, pauses and exclusions, below, at
// and above each.
func TestWhatNobodyCanSet(t *testing.T) {
	var p protection.Player
	limit := func(k protection.Kind, period protection.Period, most int64) error {
		_, err := p.SetLimit("ann", protection.Key{Kind: k, Period: period}, &most, 0)
		return err
	}
	timeOut := func(days int64) error { _, err := p.TimeOut("ann", days*dayMs, 0); return err }
	exclude := func(by string, days int64, why string) error {
		_, err := p.Exclude("ann", by, days*dayMs, why, 0)
		return err
	}
	for name, test := range map[string]struct {
		err  error
		fine bool
	}{
		"nothing to lose":            {limit(protection.Loss, protection.Day, 0), true},
		"less than nothing":          {limit(protection.Loss, protection.Day, -1), false},
		"a deposit of a round":       {limit(protection.Deposit, protection.Round, 1), false},
		"a day of time":              {limit(protection.Time, protection.Day, 1440), true},
		"more than a day":            {limit(protection.Time, protection.Day, 1441), false},
		"minutes beyond an amount":   {limit(protection.Time, protection.Day, 1<<59), false},
		"a check after 5 minutes":    {limit(protection.Check, protection.Session, 5), true},
		"a check after 4 minutes":    {limit(protection.Check, protection.Session, 4), false},
		"no kind":                    {limit(0, protection.Day, 1), false},
		"a time-out of no day":       {timeOut(0), false},
		"a time-out of a day":        {timeOut(1), true},
		"a time-out of 42 days":      {timeOut(42), true},
		"a time-out of 43 days":      {timeOut(43), false},
		"a self-exclusion of 181":    {exclude("ann", 181, ""), false},
		"a self-exclusion of 182":    {exclude("ann", 182, ""), true},
		"a self-exclusion for good":  {exclude("ann", 0, ""), true},
		"by the house":               {exclude("sue", 1, "why"), true},
		"by the house, without why":  {exclude("sue", 1, " "), false},
		"an exclusion into the past": {exclude("sue", -1, "why"), false},
	} {
		var refusal *protection.Refusal
		if (test.err == nil) != test.fine || !test.fine && (!errors.As(test.err, &refusal) || refusal.Reason != protection.Invalid) {
			t.Errorf("%s: %v", name, test.err)
		}
	}
}
