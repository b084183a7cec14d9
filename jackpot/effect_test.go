package jackpot_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/steady"
	"trey/jackpot"
	"trey/money"
)

// purses knows a jackpot from the accounts of its events alone.
type purses struct {
	holds          map[jackpot.Purse]money.Amount
	meter, reserve money.Amount // as the events state them
	paid           money.Amount
	hits           int64
	odd            string // a movement that cannot be
}

func (p *purses) follow(does *jackpot.Effect) {
	for _, m := range does.Moves {
		winner := m.From == jackpot.WinnerPurse || m.To == jackpot.WinnerPurse
		if m.Amount <= 0 || m.From == m.To || winner && m.Use != jackpot.MovePays && does.Winner != "ann" {
			p.odd = fmt.Sprintf("%d %s from the %s to the %s, of %q", m.Amount, m.Use, m.From, m.To, does.Winner)
		}
		p.holds[m.From] -= m.Amount
		p.holds[m.To] += m.Amount
	}
	if does.ByLines && does.Hits < 0 { // what the lines of the table collect again
		p.holds[jackpot.WinnerPurse] += does.Paid
		p.holds[jackpot.WinPurse] -= does.Paid
	}
	if does.Meter.Known {
		p.meter = does.Meter.Amount
	}
	if does.Reserve.Known {
		p.reserve = does.Reserve.Amount
	}
	p.paid += does.Paid
	p.hits += int64(does.Hits)
}

// differs returns where the state says otherwise than the accounts, empty if nowhere.
func (p *purses) differs(s *jackpot.State) string {
	if p.odd != "" {
		return p.odd
	}
	t := &s.Totals
	paid := t.PaidFromMeter + t.PaidByHouse - t.RecoveredToMeter - t.RecoveredByHouse
	for purse, holds := range map[jackpot.Purse]money.Amount{
		jackpot.MeterPurse:   s.Meter,
		jackpot.ReservePurse: s.Reserve,
		jackpot.PayablePurse: s.Payable(),
		jackpot.WinPurse:     t.TakenFromMeter + t.TakenFromReserve - t.Contributions,
		jackpot.WinnerPurse:  paid - s.Payable(),
		jackpot.HousePurse: t.RecoveredByHouse + t.ResetReturned - t.OpeningMeter - t.OpeningReserve -
			t.ResetByHouse - t.PaidByHouse - t.MeterAdjustments - t.ReserveAdjustments,
	} {
		if p.holds[purse] != holds {
			return fmt.Sprintf("the %s is %d by the accounts, and %d", purse, p.holds[purse], holds)
		}
	}
	if p.meter != s.Meter || p.reserve != s.Reserve {
		return fmt.Sprintf("the events state %d and %d, and the jackpot holds %d and %d", p.meter, p.reserve, s.Meter, s.Reserve)
	}
	if hits := s.HitsPaid - int64(len(s.Undone)); p.paid != paid || p.hits != hits {
		return fmt.Sprintf("%d hits were paid %d by the accounts, and %d were paid %d", p.hits, p.paid, hits, paid)
	}
	return ""
}

// playFollowed gives any commands to a jackpot, each account to purses that follow it, and
// returns the first difference between the two.
func playFollowed(t *rapid.T, account func(jackpot.Event) jackpot.Effect) (why string) {
	terms := drawTerms(t)
	p := purses{holds: map[jackpot.Purse]money.Amount{}}
	var s jackpot.State
	carryOut := func(c jackpot.Command) {
		next, events, err := step(s, c)
		var refusal *jackpot.Refusal
		if errors.As(err, &refusal) || why != "" {
			return
		}
		if err != nil {
			t.Fatalf("%#v: %v", c, err)
		}
		for _, e := range events {
			does := account(e)
			p.follow(&does)
		}
		s = next
		if diff := p.differs(&s); diff != "" {
			why = fmt.Sprintf("after %#v: %s", events, diff)
		}
	}
	carryOut(jackpot.Open{
		Terms: terms, FixedReturn: jackpot.FixedReturn{Den: 1}, Meter: terms.Reset,
		Reserve: money.Amount(rapid.Int64Range(0, 25).Draw(t, "reserve")),
	})
	for range rapid.IntRange(20, 150).Draw(t, "length") {
		carryOut(drawCommand(t))
		if rapid.IntRange(0, 5).Draw(t, "adjust") == 0 {
			carryOut(jackpot.Adjust{
				Pot:    rapid.SampledFrom([]jackpot.Pot{jackpot.PotMeter, jackpot.PotReserve}).Draw(t, "adjusted pot"),
				Change: rapid.SampledFrom([]money.Amount{-1, 1}).Draw(t, "adjusted by"), Cause: jackpot.AdjustMalfunction, Approvers: two,
			})
		}
		if rapid.IntRange(0, 3).Draw(t, "settle") == 0 {
			for _, c := range payable(s) {
				if pay, ok := c.(jackpot.Pay); ok {
					pay.KeepRegistered, pay.Proven = s.Down, rapid.Bool().Draw(t, "proven")
					c = pay
				}
				carryOut(c)
			}
		}
		for _, h := range s.Hits {
			switch rapid.IntRange(0, 9).Draw(t, "then") {
			case 0:
				carryOut(jackpot.Reverse{Hit: h.ID, Cause: jackpot.ForfeitHandInvalidated})
			case 1:
				carryOut(jackpot.CloseRound{Round: h.ID.RoundID()})
			}
		}
		for _, u := range s.Unverified {
			switch rapid.IntRange(0, 3).Draw(t, "by people") {
			case 0:
				carryOut(jackpot.Verify{Hit: u.Hit, Approvers: two})
			case 1:
				carryOut(jackpot.Deny{Hit: u.Hit, Clause: "rws-3cp@3 5.15", Approvers: two})
			}
		}
	}
	return why
}

func TestEffectsAreWhatTheJackpotHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if why := playFollowed(t, jackpot.EffectOf); why != "" {
			t.Fatal(why)
		}
	})
}

// TestWrongEffectIsFound breaks the account of one thing after another: the property above
// has to see each of them.
func TestWrongEffectIsFound(t *testing.T) {
	steady.Inputs(t, 100)
	wrongs := map[string]func(*jackpot.Effect){
		"no hits":                 func(e *jackpot.Effect) { e.Hits = 0 },
		"another sum paid":        func(e *jackpot.Effect) { e.Paid++ },
		"another meter stated":    func(e *jackpot.Effect) { e.Meter.Amount++ },
		"no reserve stated":       func(e *jackpot.Effect) { e.Reserve.Known = false },
		"a denial without lines":  func(e *jackpot.Effect) { e.ByLines = e.Hits != 0 },
		"a reversal by no line":   func(e *jackpot.Effect) { e.ByLines = false },
		"movements turned around": func(e *jackpot.Effect) { turn(e.Moves) },
	}
	// Each movement that there is, left out.
	for _, m := range []jackpot.Move{
		{Use: jackpot.MoveContributes, From: jackpot.WinPurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveContributes, From: jackpot.WinPurse, To: jackpot.ReservePurse},
		{Use: jackpot.MoveReturns, From: jackpot.MeterPurse, To: jackpot.WinPurse},
		{Use: jackpot.MoveReturns, From: jackpot.ReservePurse, To: jackpot.WinPurse},
		{Use: jackpot.MovePays, From: jackpot.MeterPurse, To: jackpot.WinnerPurse},
		{Use: jackpot.MovePays, From: jackpot.HousePurse, To: jackpot.WinnerPurse},
		{Use: jackpot.MoveReseeds, From: jackpot.HousePurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveReseeds, From: jackpot.HousePurse, To: jackpot.ReservePurse},
		{Use: jackpot.MoveReseeds, From: jackpot.ReservePurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveReseeds, From: jackpot.MeterPurse, To: jackpot.HousePurse},
		{Use: jackpot.MoveReseeds, From: jackpot.MeterPurse, To: jackpot.ReservePurse},
		{Use: jackpot.MoveHolds, From: jackpot.WinnerPurse, To: jackpot.PayablePurse},
		{Use: jackpot.MoveReleases, From: jackpot.PayablePurse, To: jackpot.WinnerPurse},
		{Use: jackpot.MoveCollects, From: jackpot.WinPurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveCollects, From: jackpot.WinPurse, To: jackpot.HousePurse},
		{Use: jackpot.MoveCollects, From: jackpot.PayablePurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveAdjusts, From: jackpot.HousePurse, To: jackpot.MeterPurse},
		{Use: jackpot.MoveAdjusts, From: jackpot.MeterPurse, To: jackpot.HousePurse},
		{Use: jackpot.MoveAdjusts, From: jackpot.HousePurse, To: jackpot.ReservePurse},
		{Use: jackpot.MoveAdjusts, From: jackpot.ReservePurse, To: jackpot.HousePurse},
	} {
		wrongs[fmt.Sprintf("another movement than one that %s from the %s to the %s", m.Use, m.From, m.To)] = func(e *jackpot.Effect) {
			for i := range e.Moves {
				if got := e.Moves[i]; got.Use == m.Use && got.From == m.From && got.To == m.To {
					e.Moves[i].From, e.Moves[i].To = jackpot.HousePurse, jackpot.WinPurse
				}
			}
		}
	}
	for name, wrong := range wrongs {
		t.Run(name, func(t *testing.T) {
			found := false
			rapid.Check(t, func(t *rapid.T) {
				found = found || playFollowed(t, func(e jackpot.Event) jackpot.Effect {
					does := jackpot.EffectOf(e)
					wrong(&does)
					return does
				}) != ""
			})
			if !found {
				t.Errorf("no sequence of commands shows that the account has %s", name)
			}
		})
	}
}

func turn(moves []jackpot.Move) {
	for i := range moves {
		moves[i].From, moves[i].To = moves[i].To, moves[i].From
	}
}

// What several readers ask of an account: the sum that it leaves in a purse.
func TestInto(t *testing.T) {
	paid := jackpot.HitPaid{Amount: 90, FromMeter: 70, FromHouse: 20, ResetByHouse: 30, ResetFromReserve: 10, Winner: "ann", Held: true}
	does := jackpot.EffectOf(paid)
	for purse, want := range map[jackpot.Purse]money.Amount{
		jackpot.MeterPurse: -30, jackpot.HousePurse: -50, jackpot.ReservePurse: -10, jackpot.WinnerPurse: 0, jackpot.PayablePurse: 90, jackpot.WinPurse: 0,
	} {
		if got := does.Into(purse); got != want {
			t.Errorf("%d goes to the %s, want %d", got, purse, want)
		}
	}
	for i, name := range []string{"none", "house", "win", "meter", "reserve", "payable", "winner", "none"} {
		if got := jackpot.Purse(i).String(); got != name {
			t.Errorf("purse %d is called %s", i, got)
		}
	}
	for i, name := range []string{"none", "contributes", "returns", "pays", "reseeds", "holds", "releases", "collects", "adjusts", "none"} {
		if got := jackpot.MoveUse(i).String(); got != name {
			t.Errorf("use %d is called %s", i, got)
		}
	}
}
