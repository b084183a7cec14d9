package site

import "time"

// Minute is the form in which a browser sends a moment, as of [time.Time.Format].
const Minute = "2006-01-02T15:04"

// ParseMoment reads a moment of the house's own zone, as a browser sends it or as people write
// it: 2026-11-21 18:30, with seconds or without a time. It returns milliseconds of the Unix clock.
func ParseMoment(text string) (ms int64, ok bool) {
	for _, form := range []string{Minute, Minute + ":05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil && at.UnixMilli() > 0 {
			return at.UnixMilli(), true
		}
	}
	return 0, false
}

// Clock returns the time of the day in the house's own zone.
func Clock(ms int64) string { return time.UnixMilli(ms).Format("15:04:05") }

// Zone names the house's own zone by its distance from UTC at a moment, such as UTC+08:00.
func Zone(ms int64) string { return time.UnixMilli(ms).Format("UTC-07:00") }

// Moment returns a time in the house's own zone, to the second, with the zone: what is exported
// and printed has UTC.
func Moment(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05 -07:00") }
