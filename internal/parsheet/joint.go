package parsheet

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"trey/odds"
	"trey/rules"
)

// Joint is several bets on one box together, and several boxes where they were
// asked for.
type Joint struct {
	Head
	*odds.Joint
	Boxes *odds.Boxes `json:"boxes,omitempty"`
	// Meter is the displayed jackpot in currency, empty without a Progressive bet.
	Meter string `json:"meter,omitempty"`

	variant *rules.Variant
}

// NewJoint reports on bets together; boxes may be nil.
func NewJoint(v *rules.Variant, j *odds.Joint, boxes *odds.Boxes, version string, remarks []string) *Joint {
	if j.Sum.HouseEdge.Sign() < 0 {
		remarks = append([]string{"These bets together favour the player by " + percent(minus(j.Sum.HouseEdge), 2)}, remarks...)
	}
	return &Joint{Head: NewHead(v, version, remarks), Joint: j, Boxes: boxes, Meter: meterOf(j), variant: v}
}

// meterOf returns the displayed jackpot by which bets were worked out, or an empty
// text where none of them is a Progressive bet.
func meterOf(j *odds.Joint) string {
	if j.Accrual == nil {
		return ""
	}
	return j.Accrual.Meter.String()
}

// meterNote says in a sentence for which meter the figures hold.
func meterNote(j *odds.Joint) string {
	if j.Accrual == nil {
		return ""
	}
	return " The meter displays $" + j.Accrual.Meter.Display() + " in every round."
}

// withoutEnvy returns the note that Envy Bonuses are left out, where one of the bets can bring any.
func withoutEnvy(v *rules.Variant, j *odds.Joint, note string) string {
	carrier, ok := v.EnvyCarrier()
	if ok && slices.ContainsFunc(j.Bets, func(b odds.Bet) bool { return b.Wager() == carrier }) {
		return note
	}
	return ""
}

// Text prints the joint results for people, in at most 80 columns.
func (j *Joint) Text() []byte {
	p := &page{}
	j.text(p, "Bets together")
	p.heading("One box", "all sums in $")
	p.line("%-22s %12s %14s %14s %13s", "", "stake", "expectation", "deviation", "house edge")
	for i, b := range j.Bets {
		deviation := rootOf(j.Covariance[i][i])
		p.line("%-22s %12s %14s %14s %13s", b.Name(), sum(j.Stakes[i]), signed(j.Expectation[i], 4), deviation, percent(minus(over(j.Expectation[i], j.Stakes[i])), 4))
	}
	p.line("%-22s %12s %14s %14s %13s", "Together", "$"+j.Sum.Stake.Display(), signed(j.Sum.Expectation, 4), short(j.Sum.StdDev, 4), percent(j.Sum.HouseEdge, 4))
	p.WriteByte('\n')
	if j.Accrual != nil {
		p.wrap(0, strings.TrimSpace(meterNote(j.Joint))+" "+accrualNote(j.Accrual))
		p.WriteByte('\n')
	}
	text := fmt.Sprintf("A round ends above even in %s of all deals and below in %s.", percent(j.Sum.NetWin, 4), percent(j.Sum.NetLoss, 4))
	if len(j.Bets) > 1 {
		text += fmt.Sprintf(" The variance of the sum is %s, of which %s is covariance.", j.Sum.Variance.Decimal(4), j.shared())
	}
	p.wrap(0, text)
	if len(j.Bets) > 1 {
		p.heading("Covariance", "correlation below the diagonal")
		head := fmt.Sprintf("%-22s", "")
		for _, b := range j.Bets {
			head += fmt.Sprintf(" %18s", b.String())
		}
		p.line("%s", head)
		for i, b := range j.Bets {
			row := fmt.Sprintf("%-22s", b.Name())
			for k := range j.Bets {
				cell := j.Covariance[i][k].Decimal(6)
				if k < i {
					cell = "r " + short(j.Correlation[i][k], 6)
				}
				row += fmt.Sprintf(" %18s", cell)
			}
			p.line("%s", row)
		}
	}
	if s := j.Sum.Strategy; s != nil {
		p.heading("Strategy for the sum", "")
		// It counts in currency.
		p.wrap(0, strategyText(s, "these bets alone at the table", over(s.Cost, j.Stakes[slices.Index(j.Bets, odds.AntePlay)])))
	}
	p.heading("Distribution of the sum", "in $")
	p.distribution(j.Sum)
	if b := j.Boxes; b != nil {
		j.boxes(p, b)
	}
	p.WriteByte('\n')
	p.wrap(0, "All figures are exact"+withoutEnvy(j.variant, j.Joint, ", without Envy Bonuses")+". Rulings: "+j.rulingsLine())
	return p.Bytes()
}

// accrualNote returns a note on the win of the house without the meter's share.
func accrualNote(a *odds.Accrual) string {
	return "The bet adds " + sum(a.ToMeter) + " to it, which the house owes: its win is " + change(a.HouseWin, 4) + " a round in the long run."
}

// shared returns the part of the variance of the sum that comes from covariances.
func (j *Joint) shared() string {
	product := new(big.Rat)
	for i := range j.Bets {
		product.Add(product, j.Covariance[i][i].Rat())
	}
	return odds.FractionOf(new(big.Rat).Sub(j.Sum.Variance.Rat(), product)).Decimal(4)
}

func (j *Joint) boxes(p *page, b *odds.Boxes) {
	note := ""
	if b.Blind > 0 {
		note = fmt.Sprintf("%d of them blind, always played", b.Blind)
	}
	p.heading(count(b.N, "box", "boxes")+" against one dealer", note)
	p.line("%-34s %16s %14s", "", "expectation $", "deviation $")
	p.line("%-34s %16s %14s", "One examined box", signed(b.Examined.Expectation, 6), short(b.Examined.StdDev, 6))
	if b.Blind > 0 {
		p.line("%-34s %16s %14s", "One blind box", signed(b.Unseen.Expectation, 6), short(b.Unseen.StdDev, 6))
	}
	p.line("%-34s %16s %14s", count(b.N, "box", "boxes")+" together", signed(b.Sum.Expectation, 6), short(b.Sum.StdDev, 6))
	p.WriteByte('\n')
	p.line("%-34s %16s", "Covariance of two examined boxes", b.Covariance.Decimal(6))
	p.line("%-34s %16s", "Correlation of two examined boxes", short(b.Correlation, 6))
	if b.Blind > 0 {
		p.line("%-34s %16s", "Covariance of one of each kind", b.Mixed.Decimal(6))
		p.line("%-34s %16s", "Covariance of two blind boxes", b.BlindCovariance.Decimal(6))
	}
}

// rootOf returns the root of a variance to four decimals.
func rootOf(f odds.Fraction) string {
	x := new(big.Float).SetPrec(128).SetRat(f.Rat())
	return x.Sqrt(x).Text('f', 4)
}

// Session is the result of a number of rounds.
type Session struct {
	Head
	*odds.Session
	// Stakes are what is staked each round, by bet.
	Stakes map[odds.Bet]odds.Fraction `json:"stakes"`
	// Bankroll is zero for none, Pace in rounds an hour zero if not given.
	Bankroll odds.Fraction `json:"bankroll"`
	Pace     odds.Fraction `json:"pace"`
	Boxes    int           `json:"boxes"`
	// Percentiles are results that the session stays at or below with that
	// chance.
	Percentiles []Percentile `json:"percentiles"`
	// Meter is the displayed jackpot in currency, the same in every round; empty
	// without a Progressive bet.
	Meter string `json:"meter,omitempty"`
	// LossPerHour is the expected loss of one box in currency at this meter, and
	// TableWin the expected win of the table an hour in the long run; nil without a
	// pace. Contributions to the meter are a liability and no win: with a Progressive
	// bet TableWin is BoxesLose less ToMeter plus FromMeter.
	LossPerHour *odds.Fraction `json:"loss_per_hour,omitempty"`
	TableWin    *odds.Fraction `json:"table_win_per_hour,omitempty"`
	// BoxesLose is the expected loss of all boxes an hour at this meter, ToMeter
	// their contributions to it, and FromMeter the mean payment of hits above the
	// reset value; nil without a pace or a Progressive bet.
	BoxesLose *odds.Fraction `json:"boxes_lose_per_hour,omitempty"`
	ToMeter   *odds.Fraction `json:"to_meter_per_hour,omitempty"`
	FromMeter *odds.Fraction `json:"from_meter_per_hour,omitempty"`

	joint   *odds.Joint
	variant *rules.Variant
}

// Percentile is the least result that is not exceeded with a chance.
type Percentile struct {
	Percent int           `json:"percent"`
	Net     odds.Fraction `json:"net"`
}

// NewSession reports on a session of the bets of a joint result. A zero
// bankroll is none and a zero pace is none.
func NewSession(v *rules.Variant, j *odds.Joint, s *odds.Session, version string, remarks []string) *Session {
	if j.Sum.HouseEdge.Sign() < 0 {
		remarks = append([]string{"These bets favour the player by " + percent(minus(j.Sum.HouseEdge), 2)}, remarks...)
	}
	r := &Session{Head: NewHead(v, version, remarks), Session: s, Stakes: map[odds.Bet]odds.Fraction{}, Boxes: 1, Meter: meterOf(j), joint: j, variant: v}
	for i, b := range j.Bets {
		r.Stakes[b] = j.Stakes[i]
	}
	passed := new(big.Rat)
	at := []int{1, 5, 25, 50, 75, 95, 99}
	for _, end := range s.Ends {
		passed.Add(passed, end.Chance.Low.Rat())
		for len(at) > 0 && passed.Cmp(big.NewRat(int64(at[0]), 100)) >= 0 {
			r.Percentiles = append(r.Percentiles, Percentile{at[0], end.Net})
			at = at[1:]
		}
	}
	return r
}

// AtPace adds what the session costs an hour at so many rounds an hour, with so
// many such boxes at the table.
func (s *Session) AtPace(rounds odds.Fraction, boxes int) {
	loss := odds.FractionOf(new(big.Rat).Neg(new(big.Rat).Mul(s.joint.Sum.Expectation.Rat(), rounds.Rat())))
	win := times(loss, int64(boxes))
	s.Pace, s.Boxes, s.LossPerHour, s.TableWin = rounds, boxes, &loss, &win
	a := s.joint.Accrual
	if a == nil {
		return
	}
	hour := func(f odds.Fraction) *odds.Fraction {
		all := times(odds.FractionOf(new(big.Rat).Mul(f.Rat(), rounds.Rat())), int64(boxes))
		return &all
	}
	s.BoxesLose, s.TableWin, s.ToMeter, s.FromMeter = &win, hour(a.HouseWin), hour(a.ToMeter), hour(a.FromMeter)
}

// Text prints the session for people, in at most 80 columns.
func (s *Session) Text() []byte {
	p := &page{}
	s.text(p, "Session")
	var staked []string
	for i, b := range s.joint.Bets {
		staked = append(staked, b.Name()+" "+sum(s.joint.Stakes[i]))
	}
	note := "no bankroll given, so no ruin"
	if s.Bankroll.Sign() > 0 {
		note = "bankroll " + sum(s.Bankroll)
	}
	p.heading(count(s.Rounds, "round", "rounds"), note)
	p.wrap(0, "Each round: "+strings.Join(staked, ", ")+"."+meterNote(s.joint))
	p.WriteByte('\n')
	p.line("%-30s %18s", "Expected result", change(s.Expectation, 2))
	p.line("%-30s %18s", "Standard deviation", money2(s.StdDev))
	if s.Bankroll.Sign() > 0 {
		p.wrap(2, "(both for a player who never stops)")
		p.line("%-30s %18s   after %s rounds, mean", "Expected result, stopped", bounds(*s.Stopped), s.Played.Low.Decimal(1))
	}
	p.line("%-30s %18s", "Ends ahead", chance(s.Ahead))
	p.line("%-30s %18s", "Ends even", chance(s.Even))
	p.line("%-30s %18s", "Ends behind", chance(s.Behind))
	if s.Bankroll.Sign() > 0 {
		p.line("%-30s %18s", "Is ruined on the way", chance(s.Ruin))
	}
	p.WriteByte('\n')
	p.line("%-30s %18s", "With this chance ...", "... at most")
	for _, q := range s.Percentiles {
		p.line("%-30s %18s", fmt.Sprintf("  %d %%", q.Percent), change(q.Net, 2))
	}
	if s.LossPerHour != nil {
		p.WriteByte('\n')
		p.line("%-30s %18s   at %s rounds an hour", "Expected loss an hour", sum(*s.LossPerHour), s.Pace.Plain())
		switch such := fmt.Sprintf("with %s", count(s.Boxes, "box", "boxes")); {
		case s.BoxesLose != nil:
			p.line("%-30s %18s   %s at this meter", "The boxes lose an hour", sum(*s.BoxesLose), such)
			p.line("%-30s %18s   a liability, not win", "  less what goes to the meter", sum(*s.ToMeter))
			if s.FromMeter.Sign() != 0 {
				p.line("%-30s %18s   out of what it holds", "  plus what the meter pays", sum(*s.FromMeter))
			}
			p.line("%-30s %18s   long run, at any meter", "Win of the table an hour", sum(*s.TableWin))
		case s.Boxes > 1:
			p.line("%-30s %18s   %s", "Win of the table an hour", sum(*s.TableWin), such)
		}
	}
	p.WriteByte('\n')
	how := "Chances are exact."
	if !s.Ahead.Exact() {
		width := new(big.Rat).Sub(s.Ahead.High.Rat(), s.Ahead.Low.Rat())
		how = "Chances are lower bounds, at most " + new(big.Float).SetRat(width).Text('e', 1) + " below the true ones."
	}
	p.wrap(0, how+withoutEnvy(s.variant, s.joint, " Without Envy Bonuses.")+" Rulings: "+s.rulingsLine())
	return p.Bytes()
}

// bounds writes a mean as money, and both ends of it where they differ in cents.
func bounds(b odds.Bounds) string {
	low, high := change(b.Low, 2), change(b.High, 2)
	if low == high {
		return low
	}
	return low + " to " + high
}

func chance(c odds.Chance) string { return percent(c.Low, 6) }
