package site_test

import (
	"testing"
	"time"
	_ "time/tzdata" // zones, also on a machine without them

	"trey/internal/web/site"
)

// The zone of a field is that at the moment in it: what is asked for in winter about summer is read by
// the clocks of summer.
func TestZoneOfAField(t *testing.T) {
	here := time.Local
	t.Cleanup(func() { time.Local = here })
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	time.Local = paris
	winter := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli()
	for text, want := range map[string]string{"2026-07-01T00:00": "UTC+02:00", "2026-01-01": "UTC+01:00", "": "UTC+01:00", "tomorrow": "UTC+01:00", "2026-10-25T02:30": "UTC+02:00"} {
		if got := site.ZoneOf(text, winter); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A moment that the clocks skip is the one at which they are set forward. A day that has no
// midnight begins then, and not in the hour before, which is of the day before.
func TestMomentsThatClocksSkip(t *testing.T) {
	here := time.Local
	t.Cleanup(func() { time.Local = here })
	for _, c := range []struct{ zone, text, want string }{
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"}, // from 23:59:59 -04:00 to 01:00:00 -03:00
		{"America/Santiago", "2026-09-06T00:30", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-09-05T23:59", "2026-09-06T03:59:00Z"},
		{"America/Santiago", "2026-09-06T01:00", "2026-09-06T04:00:00Z"},
		{"America/Santiago", "2026-09-07", "2026-09-07T03:00:00Z"},
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"}, // midnight comes twice: the first
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"},
		{"Africa/Cairo", "2026-04-24 00:59:59", "2026-04-23T22:00:00Z"},
		{"America/New_York", "2026-03-08T02:30", "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00Z"},
		{"Europe/London", "2026-10-25T01:30", "2026-10-25T00:30:00Z"},
		{"Europe/Paris", "2026-10-25T02:30", "2026-10-25T00:30:00Z"},
		{"Australia/Sydney", "2026-04-05T02:30", "2026-04-04T15:30:00Z"},
		{"Asia/Singapore", "2026-09-06", "2026-09-05T16:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		time.Local = zone
		ms, ok := site.ParseMoment(c.text)
		if got := time.UnixMilli(ms).UTC().Format(time.RFC3339); !ok || got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.text, c.zone, got, c.want)
		}
		if now := time.Date(2026, 9, 6, 12, 0, 0, 0, zone); c.text == "2026-09-06" {
			if ms := site.DayBegan(now.UnixMilli()); time.UnixMilli(ms).UTC().Format(time.RFC3339) != c.want {
				t.Errorf("the day in %s began at %s, want %s", c.zone, site.Moment(ms), c.want)
			}
		}
	}
}
