package site

import "time"

// Minute is the form in which a browser sends a moment, as of [time.Time.Format].
const Minute = "2006-01-02T15:04"

// ParseMoment reads a moment of the house's own zone, as a browser sends it or as people write
// it: 2026-11-21 18:30, with seconds or without a time. It returns milliseconds of the Unix clock.
// Of a time that comes twice it returns the first moment, and for one that the clocks skip the
// moment at which they are set forward.
func ParseMoment(text string) (ms int64, ok bool) {
	for _, form := range []string{Minute, Minute + ":05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		read, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if at := local(read); at.UnixMilli() > 0 {
			return at.UnixMilli(), true
		}
	}
	return 0, false
}

// local returns the first moment at which the clocks of the house's own zone show what a time
// says, or pass it where they are set forward.
func local(says time.Time) time.Time {
	at := time.Date(says.Year(), says.Month(), says.Day(), says.Hour(), says.Minute(), says.Second(), says.Nanosecond(), time.Local)
	begins, ends := at.ZoneBounds()
	switch shows := clockSeconds(at); {
	case shows < says.Unix(): // They skip it, and at is before that.
		return ends
	case shows > says.Unix(): // They skip it, and at is behind that.
		return begins
	case begins.IsZero():
		return at
	}
	// Clocks that were set back may have shown it before.
	_, before := begins.Add(-time.Second).Zone()
	_, now := at.Zone()
	if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(begins) {
		return earlier
	}
	return at
}

// clockSeconds returns what clocks show at a moment, as if it were seconds of the Unix clock.
func clockSeconds(at time.Time) int64 {
	_, offset := at.Zone()
	return at.Unix() + int64(offset)
}

// DayBegan returns the moment at which the day of another moment began in the house's own zone.
func DayBegan(ms int64) int64 {
	year, month, day := time.UnixMilli(ms).Date()
	return local(time.Date(year, month, day, 0, 0, 0, 0, time.UTC)).UnixMilli()
}

// Clock returns the time of the day in the house's own zone.
func Clock(ms int64) string { return time.UnixMilli(ms).Format("15:04:05") }

// Zone names the house's own zone by its distance from UTC at a moment, such as UTC+08:00.
func Zone(ms int64) string { return time.UnixMilli(ms).Format("UTC-07:00") }

// ZoneOf names the house's own zone at the moment that a person wrote into a field, as
// [ParseMoment] reads it. Without a moment it names the present zone. The zone in summer may be
// another than in winter.
func ZoneOf(text string, nowMs int64) string {
	if ms, ok := ParseMoment(text); ok {
		return Zone(ms)
	}
	return Zone(nowMs)
}

// Moment returns a time in the house's own zone, to the second, with the zone: what is exported
// and printed has UTC.
func Moment(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04:05 -07:00") }
