package opaque

import "trey/jackpot"

// JackpotEvent is something that happened to a jackpot.
type JackpotEvent struct{ e jackpot.Event }

// JackpotEventsOf puts events of a jackpot out of reach.
func JackpotEventsOf(events []jackpot.Event) []JackpotEvent {
	return each(events, func(e jackpot.Event) JackpotEvent { return JackpotEvent{e} })
}

// RawJackpotEvents returns events as they are.
func RawJackpotEvents(events []JackpotEvent) []jackpot.Event {
	return each(events, func(e JackpotEvent) jackpot.Event { return e.e })
}

// For returns the event as a reader may see it, nil if the reader sees nothing of it.
func (e JackpotEvent) For(to jackpot.Reader) jackpot.Event { return jackpot.Redact(e.e, to) }

// Meter is a jackpot at one moment. The zero value is none.
type Meter struct{ s *jackpot.State }

// MeterOf puts a jackpot out of reach. It must not be changed any more.
func MeterOf(s *jackpot.State) Meter { return Meter{s} }

// RawMeter returns the jackpot as it is, nil for none.
func RawMeter(m Meter) *jackpot.State { return m.s }

// Shown returns the jackpot as everybody may see it.
func (m Meter) Shown() jackpot.State {
	if m.s == nil {
		return jackpot.State{}
	}
	return m.s.Shown()
}
