package protection

import "trey/money"

// BreakMs is the time without a bet or a payment after which a session of play has ended.
const BreakMs = 15 * minuteMs

// keepMs is the time for which movements are kept: the longest period, and a day for a session
// that began before it.
const keepMs = 31 * dayMs

// Movement is the effect of one transaction on a player's account.
type Movement struct {
	// FromMs is the time of a movement, and ToMs the same: several within a minute are kept as
	// one, from the first to the last.
	FromMs, ToMs int64
	// Deposit is the sum that the player brought in, and Stake the one they bet. Back is the
	// sum they took back or got back unplayed, and Net the one by which play changed.
	Deposit, Stake, Back, Net money.Amount
	// Plays says that it came from play.
	Plays bool
}

// Tally is the movements of one player's account in the order of the record. The
// zero value is empty.
type Tally struct{ moves []Movement }

// Add counts a movement. What happens within the same minute is kept together, and
// leaves a rolling period when the last of it does.
func (t *Tally) Add(m Movement) {
	if m == (Movement{FromMs: m.FromMs, ToMs: m.ToMs}) {
		return
	}
	if n := len(t.moves); n > 0 {
		if last := &t.moves[n-1]; last.Plays == m.Plays && last.FromMs/minuteMs == m.FromMs/minuteMs {
			last.FromMs, last.ToMs = min(last.FromMs, m.FromMs), max(last.ToMs, m.ToMs)
			last.Deposit += m.Deposit
			last.Stake += m.Stake
			last.Back += m.Back
			last.Net += m.Net
			return
		}
	}
	t.moves = append(t.moves, m)
}

// Append adds all movements of another tally behind these.
func (t *Tally) Append(more *Tally) {
	for _, m := range more.moves {
		t.Add(m)
	}
}

// Prune discards what no period reaches any more.
func (t *Tally) Prune(nowMs int64) {
	n := 0
	for n < len(t.moves) && t.moves[n].ToMs < nowMs-keepMs {
		n++
	}
	if n > 0 {
		t.moves = append([]Movement(nil), t.moves[n:]...)
	}
}

// KeptSinceMs returns from when on movements matter at a time.
func KeptSinceMs(nowMs int64) int64 { return nowMs - keepMs }

// takenBackMs is the time at the beginning of a period in which nothing counts as taken back.
// The bet that is taken back may lie before the period, and would otherwise give the player its
// room twice, for stakes as for losses.
const takenBackMs = hourMs

// Sum adds up what happened after a time. What was taken back is never more than the bets.
func (t *Tally) Sum(afterMs int64) (sum Movement) {
	for i := len(t.moves) - 1; i >= 0; i-- {
		m := &t.moves[i]
		if m.ToMs <= afterMs {
			// Times of the record may differ a little from its order.
			if m.ToMs <= afterMs-minuteMs {
				break
			}
			continue
		}
		sum.Deposit += m.Deposit
		sum.Stake += m.Stake
		sum.Net += m.Net
		if m.ToMs > afterMs+takenBackMs {
			sum.Back += m.Back
		} else {
			sum.Net -= m.Back
		}
	}
	sum.Back = min(sum.Back, sum.Stake)
	return sum
}

// Played is one session of play.
type Played struct {
	// SinceMs is the time at which it began, LastMs that of the player's last bet or payment;
	// both are zero for a player who has not played.
	SinceMs, LastMs int64
	// Open says that it goes on, so that ElapsedMs counts until now.
	Open      bool
	ElapsedMs int64
	Staked    money.Amount
	Net       money.Amount
}

// Session returns the latest session of play: from a bet until the player has
// neither bet nor been paid for [BreakMs].
func (t *Tally) Session(nowMs int64) (s Played) {
	for i := len(t.moves) - 1; i >= 0; i-- {
		m := &t.moves[i]
		if !m.Plays {
			continue
		}
		if s.SinceMs != 0 && s.SinceMs-m.ToMs >= BreakMs {
			break
		}
		if s.SinceMs == 0 || m.FromMs < s.SinceMs {
			s.SinceMs = m.FromMs
		}
		s.LastMs = max(s.LastMs, m.ToMs)
		s.Staked += m.Stake - m.Back
		s.Net += m.Net
	}
	if s.SinceMs == 0 {
		return s
	}
	s.Open = nowMs-s.LastMs < BreakMs
	untilMs := s.LastMs
	if s.Open {
		untilMs = max(untilMs, nowMs)
	}
	s.ElapsedMs = untilMs - s.SinceMs
	return s
}

// PlayedMs adds up the time at play after a time: from the beginning to the last
// movement of each session, and until now in one that goes on.
func (t *Tally) PlayedMs(afterMs, nowMs int64) (sumMs int64) {
	var sinceMs, lastMs int64
	count := func(untilMs int64) {
		if sinceMs != 0 {
			sumMs += max(0, untilMs-max(sinceMs, afterMs))
		}
	}
	for i := range t.moves {
		m := &t.moves[i]
		if !m.Plays {
			continue
		}
		if sinceMs == 0 || m.FromMs-lastMs >= BreakMs {
			count(lastMs)
			sinceMs, lastMs = m.FromMs, m.ToMs
		}
		lastMs = max(lastMs, m.ToMs)
	}
	if nowMs-lastMs < BreakMs {
		lastMs = max(lastMs, nowMs)
	}
	count(lastMs)
	return sumMs
}
