package jackpot

// Reader is the kind of reader of an event.
type Reader uint8

// The readers. The zero value is nobody.
const (
	_ Reader = iota
	// Everybody follows what moves the meter, and how it works.
	Everybody
	// LogReader reads the record as well: who waits for whom.
	LogReader
)

// Redact returns what a reader may see of an event, field by field; nil if nothing. A
// new kind of event does not compile before somebody has decided about it.
//
// No event says anything of a hand that lies face down: a hit is registered when the
// whole table has seen it.
func Redact(e Event, to Reader) Event {
	if to != Everybody && to != LogReader {
		return nil
	}
	return e.redacted(to)
}

// Shown returns the jackpot as everybody may see it, field by field: what it displays and
// pays, and not which rounds it waits for or who has won.
func (s State) Shown() State {
	return State{
		Opened: s.Opened, Terms: s.Terms, NextTerms: s.NextTerms, Meter: s.Meter, Reserve: s.Reserve,
		HitsPaid: s.HitsPaid, Undone: s.Undone, Down: s.Down, Registered: s.Registered, Totals: s.Totals,
	}
}

// logOnly returns an event for who reads the record, and nothing for others.
func logOnly(e Event, to Reader) Event {
	if to != LogReader {
		return nil
	}
	return e
}

func (e Opened) redacted(Reader) Event {
	return Opened{Terms: e.Terms, FixedReturn: e.FixedReturn, Meter: e.Meter, Reserve: e.Reserve}
}

func (e Contributed) redacted(Reader) Event {
	return Contributed{
		Round: e.Round, Bets: e.Bets, Stake: e.Stake, ToMeter: e.ToMeter, ToReserve: e.ToReserve,
		After: e.After,
	}
}

func (e ContributionsReversed) redacted(Reader) Event {
	return ContributionsReversed{
		Round: e.Round, Bets: e.Bets, Cause: e.Cause, Stake: e.Stake, FromReserve: e.FromReserve,
		FromMeter: e.FromMeter, FromHouse: e.FromHouse, After: e.After,
	}
}

func (e RoundClosed) redacted(to Reader) Event {
	return logOnly(RoundClosed{Round: e.Round}, to)
}

func (e RoundDealt) redacted(to Reader) Event {
	return logOnly(RoundDealt{Round: e.Round, Place: e.Place}, to)
}

func (e RoundKnown) redacted(to Reader) Event {
	return logOnly(RoundKnown{Round: e.Round}, to)
}

func (e RoundDetermined) redacted(to Reader) Event {
	return logOnly(RoundDetermined{Round: e.Round, Before: e.Before, After: e.After, Approvers: e.Approvers}, to)
}

func (e HitRegistered) redacted(to Reader) Event {
	return logOnly(HitRegistered{Hit: e.Hit, Place: e.Place, Late: e.Late}, to)
}

func (e OrderDetermined) redacted(to Reader) Event {
	return logOnly(OrderDetermined{Hit: e.Hit, Before: e.Before, After: e.After, Approvers: e.Approvers, Late: e.Late}, to)
}

func (e HitConfirmed) redacted(to Reader) Event {
	return logOnly(HitConfirmed{Hit: e.Hit}, to)
}

func (e HitForfeited) redacted(to Reader) Event {
	return logOnly(HitForfeited{Hit: e.Hit, Cause: e.Cause}, to)
}

func (e HitReinstated) redacted(to Reader) Event {
	return logOnly(HitReinstated{Hit: e.Hit}, to)
}

func (e HitPaid) redacted(to Reader) Event {
	public := HitPaid{
		Hit: e.Hit, Place: e.Place, Amount: e.Amount, FromMeter: e.FromMeter, FromHouse: e.FromHouse,
		ResetByHouse: e.ResetByHouse, ResetFromReserve: e.ResetFromReserve,
		KeptRegistered: e.KeptRegistered, NewTerms: e.NewTerms, After: e.After,
	}
	if to == LogReader {
		public.Winner, public.Held = e.Winner, e.Held
	}
	return public
}

func (e HitVerified) redacted(to Reader) Event {
	return logOnly(HitVerified{Hit: e.Hit, Winner: e.Winner, Amount: e.Amount, Held: e.Held, Approvers: e.Approvers}, to)
}

func (e HitReversed) redacted(to Reader) Event {
	public := HitReversed{
		Hit: e.Hit, Cause: e.Cause, Amount: e.Amount, ToMeter: e.ToMeter, ToHouse: e.ToHouse,
		ResetToHouse: e.ResetToHouse, ToReserve: e.ToReserve, After: e.After,
	}
	if to == LogReader {
		public.Payable, public.Clause, public.Approvers = e.Payable, e.Clause, e.Approvers
	}
	return public
}

func (e TermsChanged) redacted(Reader) Event {
	return TermsChanged{Before: e.Before, After: e.After, FixedReturn: e.FixedReturn, Approvers: e.Approvers}
}

func (e Adjusted) redacted(Reader) Event {
	return Adjusted{Pot: e.Pot, Cause: e.Cause, Before: e.Before, After: e.After, Approvers: e.Approvers}
}

func (e SystemWentDown) redacted(Reader) Event {
	return SystemWentDown{Registered: e.Registered}
}

func (e SystemCameUp) redacted(Reader) Event {
	return SystemCameUp{Displayed: e.Displayed}
}
