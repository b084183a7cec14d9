package jackpot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/record"
	_ "trey/internal/steady"
	"trey/jackpot"
	"trey/money"
)

// auditor keeps the books of a jackpot a second time, from its events alone and
// with big rationals, without looking at the totals in the State.
type auditor struct {
	terms          jackpot.Terms
	next           *jackpot.Terms
	meter, reserve money.Amount
	exact          *big.Rat // contributed and not returned
	rounded        money.Amount
	bets           map[jackpot.RoundID][]*big.Rat // what each held bet contributed, oldest first
	unpaid         map[jackpot.HitID]jackpot.Place
	dealt          map[jackpot.RoundID]jackpot.Place
	displayed      money.Amount // displayed before the event
	down           bool
	paid           map[jackpot.HitID]jackpot.HitPaid
	places         map[jackpot.HitID]jackpot.Place // of all hits, paid or not
	back           map[jackpot.HitID]jackpot.HitReversed
	// What players laid and got back, and what the house added to it: these do not
	// meet in the meter.
	stakes, returned, madeGood, paidByHouse, recovered money.Amount
}

func (a *auditor) see(t *rapid.T, e jackpot.Event) {
	switch e := e.(type) {
	case jackpot.Opened:
		a.terms, a.meter, a.reserve = e.Terms, e.Meter, e.Reserve
	case jackpot.Contributed:
		for range e.Bets {
			part := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(a.terms.Bet)), big.NewRat(a.terms.Rate.Num, a.terms.Rate.Den))
			a.exact.Add(a.exact, part)
			a.bets[e.Round] = append(a.bets[e.Round], part)
		}
		a.meter += e.ToMeter
		a.reserve += e.ToReserve
		a.rounded += e.ToMeter + e.ToReserve
		a.stakes += a.terms.Bet * money.Amount(e.Bets)
		top := a.terms.Ceiling
		if a.down {
			top = min(top, a.displayed) // what was registered does not grow
		}
		if a.meter > top || e.ToReserve > 0 && a.meter != top {
			t.Fatalf("overflow below the ceiling, or none above it: %+v", e)
		}
	case jackpot.ContributionsReversed:
		held := a.bets[e.Round]
		for range e.Bets {
			last := len(held) - 1
			a.exact.Sub(a.exact, held[last])
			held = held[:last]
		}
		a.bets[e.Round] = held
		a.meter -= e.FromMeter
		a.reserve -= e.FromReserve
		a.rounded -= e.FromMeter + e.FromReserve + e.FromHouse
		a.returned += e.Stake
		a.madeGood += e.FromHouse
	case jackpot.RoundClosed:
		delete(a.bets, e.Round)
		maps.DeleteFunc(a.back, func(id jackpot.HitID, _ jackpot.HitReversed) bool { return id.RoundID() == e.Round })
	case jackpot.RoundDealt:
		if a.dealt == nil {
			a.dealt = map[jackpot.RoundID]jackpot.Place{}
		}
		a.dealt[e.Round] = e.Place
	case jackpot.RoundKnown:
		delete(a.dealt, e.Round)
	case jackpot.RoundDetermined:
		a.dealt[e.Round] = e.After
	case jackpot.HitRegistered:
		a.unpaid[e.Hit] = e.Place
		a.places[e.Hit] = e.Place
	case jackpot.OrderDetermined:
		a.unpaid[e.Hit] = e.After
		a.places[e.Hit] = e.After
	case jackpot.HitForfeited:
		delete(a.unpaid, e.Hit)
	case jackpot.HitReinstated:
		a.unpaid[e.Hit] = a.places[e.Hit]
	case jackpot.HitPaid:
		mine := a.unpaid[e.Hit]
		for other, p := range a.unpaid {
			if p.DealtAtMs < mine.DealtAtMs || p.DealtAtMs == mine.DealtAtMs && p.Sequence < mine.Sequence {
				t.Fatalf("%v at %v was paid before %v at %v", e.Hit, mine, other, p)
			}
		}
		for round, p := range a.dealt {
			if round != e.Hit.RoundID() && (p.DealtAtMs < mine.DealtAtMs || p.DealtAtMs == mine.DealtAtMs && p.Sequence < mine.Sequence) {
				t.Fatalf("%v at %v was paid before %v at %v was known", e.Hit, mine, round, p)
			}
		}
		delete(a.unpaid, e.Hit)
		back, again := a.back[e.Hit]
		delete(a.back, e.Hit)
		due := a.displayed
		if again {
			due = back.Amount
		}
		if e.Amount != due {
			t.Fatalf("paid %v, due %v", e.Amount, due)
		}
		a.meter += e.FromHouse - e.Amount
		a.paidByHouse += e.FromHouse
		switch {
		case again && (a.meter < 0 || e.NewTerms != nil || e.ResetByHouse > back.ResetToHouse || e.ResetFromReserve > back.ToReserve):
			t.Fatalf("%+v pays what %+v collected", e, back)
		case !again && a.meter != 0:
			t.Fatalf("%v stays in the meter after a hit", a.meter)
		}
		if a.next != nil && !again {
			a.terms, a.next = *a.next, nil
		}
		a.meter += e.ResetByHouse + e.ResetFromReserve
		a.reserve -= e.ResetFromReserve
		if a.meter < a.terms.Reset && !again {
			t.Fatalf("reset to %v, below %v", a.meter, a.terms.Reset)
		}
		if a.paid == nil {
			a.paid = map[jackpot.HitID]jackpot.HitPaid{}
		}
		a.paid[e.Hit] = e
	case jackpot.HitReversed:
		paid, known := a.paid[e.Hit]
		if !known || e.Amount != paid.Amount || e.ToMeter != paid.FromMeter || e.ToHouse != paid.FromHouse {
			t.Fatalf("%+v collects %+v", e, paid)
		}
		delete(a.paid, e.Hit)
		if e.Clause == "" {
			a.back[e.Hit] = e
		}
		if e.ResetToHouse < 0 || e.ResetToHouse > paid.ResetByHouse || e.ToReserve < 0 {
			t.Fatalf("%+v takes back what %+v put in", e, paid)
		}
		a.meter += e.ToMeter - e.ResetToHouse - e.ToReserve
		a.recovered += e.ToHouse
		a.reserve += e.ToReserve
	case jackpot.TermsChanged:
		next := e.After
		a.next = &next
	case jackpot.Adjusted:
		if e.Pot == jackpot.PotMeter {
			a.meter += e.After - e.Before
		} else {
			a.reserve += e.After - e.Before
		}
	case jackpot.HitVerified:
		if paid := a.paid[e.Hit]; e.Amount != paid.Amount || e.Winner != paid.Winner || e.Held != paid.Held {
			t.Fatalf("%+v verifies %+v", e, paid)
		}
	case jackpot.SystemWentDown:
		a.down = true
	case jackpot.SystemCameUp:
		a.down = false
	case jackpot.HitConfirmed:
	default:
		t.Fatalf("the auditor does not know %T", e)
	}
}

func (a *auditor) agree(t *rapid.T, s jackpot.State) {
	if s.Meter != a.meter || s.Reserve != a.reserve {
		t.Fatalf("the State holds %v and %v, the auditor %v and %v", s.Meter, s.Reserve, a.meter, a.reserve)
	}
	if s.Meter < 0 || s.Reserve < 0 || s.Meter > a.terms.Ceiling {
		t.Fatalf("meter %v or reserve %v out of bounds", s.Meter, s.Reserve)
	}
	held := new(big.Rat).Add(new(big.Rat).SetInt64(int64(a.rounded)), big.NewRat(s.Remainder, s.Denominator))
	if held.Cmp(a.exact) != 0 {
		t.Fatalf("contributions come to %v, exactly they are %v", held, a.exact)
	}
	if sums := s.Totals; sums.Stakes != a.stakes || sums.StakesReturned != a.returned || sums.MadeGoodByHouse != a.madeGood ||
		sums.PaidByHouse != a.paidByHouse || sums.RecoveredByHouse != a.recovered {
		t.Fatalf("the totals are %+v, and the auditor has %v of stakes, %v returned, %v made good, %v paid and %v recovered by the house",
			sums, a.stakes, a.returned, a.madeGood, a.paidByHouse, a.recovered)
	}
	queue := s.Queue()
	if len(queue) != len(a.unpaid) {
		t.Fatalf("%+v wait to be paid, and the auditor has %v", queue, a.unpaid)
	}
	for i, h := range queue {
		if place, waits := a.unpaid[h.ID]; !waits || place != h.Place || i > 0 && queue[i-1].Place.Compare(h.Place) >= 0 {
			t.Fatalf("%+v wait to be paid, and the auditor has %v", queue, a.unpaid)
		}
	}
	if err := s.Audit(); err != nil {
		t.Fatal(err)
	}
}

func drawTerms(t *rapid.T) jackpot.Terms {
	reset := money.Amount(rapid.Int64Range(1, 30).Draw(t, "reset"))
	den := rapid.SampledFrom([]int64{1, 2, 3, 7, 10, 13, 100}).Draw(t, "den")
	return jackpot.Terms{
		Bet:      money.Amount(rapid.Int64Range(1, 9).Draw(t, "bet")),
		Reset:    reset,
		Rate:     jackpot.Rate{Num: rapid.Int64Range(1, den).Draw(t, "num"), Den: den},
		Ceiling:  reset + money.Amount(rapid.Int64Range(0, 20).Draw(t, "room")),
		Overflow: rapid.SampledFrom([]jackpot.Overflow{jackpot.OverflowOnTop, jackpot.OverflowFirst}).Draw(t, "overflow"),

		VerifyFrom: rapid.SampledFrom([]money.Amount{0, 1, 20}).Draw(t, "verify from"),
	}
}

// drawCommand draws from few tables, boxes and times, so that commands meet.
func drawCommand(t *rapid.T) jackpot.Command {
	round := jackpot.RoundID{
		Table: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "table"),
		Round: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "round"),
	}
	hit := jackpot.HitID{Table: round.Table, Round: round.Round, Box: rapid.IntRange(1, 2).Draw(t, "box")}
	place := at(rapid.Int64Range(1, 6).Draw(t, "dealt"), rapid.Int64Range(0, 2).Draw(t, "sequence"))
	bets := rapid.Int64Range(1, 5).Draw(t, "bets")
	switch rapid.IntRange(0, 30).Draw(t, "command") {
	case 0, 1, 2, 3:
		return jackpot.Contribute{Round: round, Bets: bets, AtCall: rapid.Bool().Draw(t, "at the call")}
	case 4, 5:
		return jackpot.ReverseContributions{Round: round, Bets: bets, Cause: jackpot.ReversedRoundVoided}
	case 6:
		return jackpot.CloseRound{Round: round}
	case 7, 8, 9:
		return jackpot.HandDealt{Hit: hit, Place: place}
	case 22, 23:
		return jackpot.DealRound{Round: round, Place: place}
	case 24:
		return jackpot.KnowRound{Round: round}
	case 25:
		return jackpot.DetermineRound{Round: round, Place: place, Approvers: two}
	case 26:
		return jackpot.Reinstate{Hit: hit}
	case 27, 28:
		return jackpot.Verify{Hit: hit, Approvers: two}
	case 29, 30:
		return jackpot.Deny{Hit: hit, Clause: "rws-3cp@3 5.15", Approvers: two}
	case 10:
		return jackpot.DetermineOrder{Hit: hit, Place: place, Approvers: two}
	case 11, 12:
		return jackpot.Confirm{Hit: hit}
	case 13:
		return jackpot.Forfeit{Hit: hit, Cause: jackpot.ForfeitFolded}
	case 14, 15:
		return jackpot.Pay{Hit: hit, KeepRegistered: rapid.Bool().Draw(t, "keep registered"), Winner: "ann", Proven: rapid.Bool().Draw(t, "proven")}
	case 20, 21:
		return jackpot.Reverse{Hit: hit, Cause: jackpot.ForfeitHandInvalidated}
	case 16:
		return jackpot.ChangeTerms{Terms: drawTerms(t), FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two}
	case 17:
		return jackpot.Adjust{
			Pot:       rapid.SampledFrom([]jackpot.Pot{jackpot.PotMeter, jackpot.PotReserve}).Draw(t, "pot"),
			Change:    money.Amount(rapid.Int64Range(-20, 20).Draw(t, "change")),
			Cause:     jackpot.AdjustMalfunction,
			Approvers: two,
		}
	case 18:
		return jackpot.SystemDown{}
	default:
		return jackpot.SystemUp{}
	}
}

// payable pays whatever stands first, so that long runs see many hits.
func payable(s jackpot.State) []jackpot.Command {
	queue := s.Queue()
	if len(queue) == 0 {
		return nil
	}
	for _, r := range s.Dealt() {
		if r.Dealt.Compare(queue[0].Place) < 0 && r.ID != queue[0].ID.RoundID() {
			return []jackpot.Command{jackpot.KnowRound{Round: r.ID}}
		}
	}
	if queue[0].Status == jackpot.StatusOpen {
		return []jackpot.Command{jackpot.Confirm{Hit: queue[0].ID}, jackpot.Pay{Hit: queue[0].ID, Winner: "ann"}}
	}
	return []jackpot.Command{jackpot.Pay{Hit: queue[0].ID, Winner: "ann"}}
}

func TestAnySequenceOfCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		books := auditor{exact: new(big.Rat), bets: map[jackpot.RoundID][]*big.Rat{}, unpaid: map[jackpot.HitID]jackpot.Place{}, places: map[jackpot.HitID]jackpot.Place{}, back: map[jackpot.HitID]jackpot.HitReversed{}}
		var s jackpot.State
		var log []jackpot.Event
		closed := map[jackpot.RoundID]bool{} // whose names are never used again
		carryOut := func(c jackpot.Command) {
			if bets, ok := c.(jackpot.Contribute); ok && closed[bets.Round] {
				return
			}
			before, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			books.displayed = s.Displayed()
			next, events, err := step(s, c)
			if unchanged, _ := json.Marshal(s); string(unchanged) != string(before) {
				t.Fatalf("%#v changed the State it was given", c)
			}
			var refusal *jackpot.Refusal
			if errors.As(err, &refusal) {
				return
			}
			if err != nil {
				t.Fatalf("%#v: %v", c, err)
			}
			for _, e := range events {
				books.see(t, e)
				if end, ok := e.(jackpot.RoundClosed); ok {
					closed[end.Round] = true
				}
			}
			log = append(log, events...)
			s = next
			books.agree(t, s)
		}
		carryOut(jackpot.Open{
			Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: terms.Reset,
			Reserve: money.Amount(rapid.Int64Range(0, 25).Draw(t, "reserve")),
		})
		for range rapid.IntRange(0, 60).Draw(t, "length") {
			carryOut(drawCommand(t))
			if rapid.IntRange(0, 5).Draw(t, "settle") == 0 {
				for _, c := range payable(s) {
					carryOut(c)
				}
			}
		}

		// The log goes through JSON, as a store would keep it, and replays to the
		// same State; so does the State itself.
		var read []jackpot.Event
		for _, e := range log {
			written, err := record.JackpotEvents.Write(e)
			if err != nil {
				t.Fatal(err)
			}
			again, err := record.JackpotEvents.Read(written)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, again)
		}
		if replayed, err := jackpot.Replay(read...); err != nil || !reflect.DeepEqual(replayed, s) {
			t.Fatalf("replayed to %+v, %v; want %+v", replayed, err, s)
		}
		text, err := jackpot.Snapshot(s)
		if err != nil {
			t.Fatal(err)
		}
		if restored, err := jackpot.Restore(text); err != nil || !reflect.DeepEqual(restored, s) {
			t.Fatalf("stored as %s, %v", text, err)
		}
	})
}

// As long as the jackpot is not hit, a returned bet leaves no trace: the money is
// as if it had never been placed.
func TestReturnedBetLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		open := jackpot.Open{
			Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: terms.Reset,
			Reserve: money.Amount(rapid.Int64Range(0, 5).Draw(t, "reserve")),
		}
		with, _, err := step(jackpot.State{}, open)
		if err != nil {
			t.Fatal(err)
		}
		without := with
		voided := map[jackpot.RoundID]int64{}
		for i := range rapid.IntRange(1, 12).Draw(t, "rounds") {
			c := jackpot.Contribute{
				Round: jackpot.RoundID{Table: "A", Round: fmt.Sprint(i)},
				Bets:  rapid.Int64Range(1, 9).Draw(t, "bets"),
			}
			if with, _, err = step(with, c); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "void") {
				voided[c.Round] = c.Bets
			} else if without, _, err = step(without, c); err != nil {
				t.Fatal(err)
			}
		}
		for round, bets := range voided {
			if with, _, err = step(with, jackpot.ReverseContributions{Round: round, Bets: bets, Cause: jackpot.ReversedRoundVoided}); err != nil {
				t.Fatal(err)
			}
		}
		if with.Meter != without.Meter || with.Reserve != without.Reserve || with.Remainder != without.Remainder {
			t.Fatalf("with returned bets %v, %v, %d; without them %v, %v, %d",
				with.Meter, with.Reserve, with.Remainder, without.Meter, without.Reserve, without.Remainder)
		}
	})
}

// Bets reported together and one by one come to the same.
func TestBetsTogetherOrOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := drawTerms(t)
		open, _, err := step(jackpot.State{}, jackpot.Open{Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: terms.Reset})
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.Int64Range(1, 50).Draw(t, "bets")
		together, _, err := step(open, jackpot.Contribute{Round: roundA, Bets: n})
		if err != nil {
			t.Fatal(err)
		}
		oneByOne := open
		for range n {
			if oneByOne, _, err = step(oneByOne, jackpot.Contribute{Round: roundA, Bets: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(together, oneByOne) {
			t.Fatalf("together %+v, one by one %+v", together, oneByOne)
		}
	})
}

// FuzzEvolve feeds stored texts to the decoder and what it reads to Evolve:
// neither may panic, what is read is written back the same, and an event that
// fits leaves a State that adds up.
func FuzzEvolve(f *testing.F) {
	s := after(f, opened(f, small()), jackpot.Contribute{Round: roundA, Bets: 30}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	var states []jackpot.State
	for _, c := range []jackpot.Command{
		jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.ReverseContributions{Round: roundA, Bets: 2, Cause: jackpot.ReversedRoundVoided},
		jackpot.HandDealt{Hit: hitB, Place: at(6, 0)},
		jackpot.DetermineOrder{Hit: hitB, Place: at(4, 0), Approvers: two},
		jackpot.Forfeit{Hit: hitB, Cause: jackpot.ForfeitFolded},
		jackpot.CloseRound{Round: roundB},
		jackpot.ChangeTerms{Terms: jackpot.Demonstration(), FixedReturn: fixed, Approvers: two},
		jackpot.Adjust{Pot: jackpot.PotMeter, Change: -1, Cause: jackpot.AdjustMalfunction, Approvers: two},
		jackpot.SystemDown{},
		jackpot.Confirm{Hit: hitA},
		jackpot.Pay{Hit: hitA},
		jackpot.SystemUp{},
	} {
		states = append(states, s)
		next, events, err := step(s, c)
		if err != nil {
			f.Fatalf("%#v: %v", c, err)
		}
		written, err := record.JackpotEvents.Write(events[0])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(written.Kind, []byte(written.Body))
		s = next
	}
	f.Add("opened", []byte(`null`))
	f.Add("opened", []byte(`{"terms":{"rate":{"num":1,"den":0}}}`))
	states = append(states, s, jackpot.State{})

	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		e, err := record.JackpotEvents.Parse(kind, body)
		if err != nil {
			return
		}
		written, err := record.JackpotEvents.Write(e)
		if err != nil {
			t.Fatalf("%#v was read and cannot be written: %v", e, err)
		}
		if again, err := record.JackpotEvents.Read(written); err != nil || !reflect.DeepEqual(again, e) {
			t.Fatalf("%#v came back as %#v, %v", e, again, err)
		}
		for _, s := range states {
			next, err := jackpot.Evolve(s, e)
			if err == nil {
				err = next.Audit()
			} else if errors.Is(err, jackpot.ErrCorrupt) {
				err = nil
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzRestore feeds texts to what reads a State back: what it takes adds up and is
// written back the same.
func FuzzRestore(f *testing.F) {
	s := after(f, opened(f, small()), jackpot.Contribute{Round: roundA, Bets: 30}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	text, err := jackpot.Snapshot(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(strings.Replace(string(text), `"meter":`, `"meter":1`, 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := jackpot.Restore(text)
		if err != nil {
			if !errors.Is(err, jackpot.ErrCorrupt) {
				t.Fatalf("%v is not ErrCorrupt", err)
			}
			return
		}
		if err := read.Audit(); err != nil {
			t.Fatal(err)
		}
		written, err := jackpot.Snapshot(read)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := jackpot.Restore(written); err != nil || !reflect.DeepEqual(again, read) {
			t.Fatalf("%+v came back as %+v, %v", read, again, err)
		}
	})
}
