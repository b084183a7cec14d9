package rules

import (
	"cmp"
	"fmt"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
	"trey/rank/pictures"
)

// Result is the result of one wager.
type Result uint8

// The results. The zero value is none of them.
const (
	_ Result = iota
	// Win: the wager is paid.
	Win
	// Lose: the stake is collected.
	Lose
	// Push: the wager neither wins nor loses and the stake goes back.
	Push
	// GivenBack: the wager takes no part any more and the stake goes back.
	GivenBack
	numResults
)

var resultKeys = enum.New("a result", numResults, []string{Win: "win", Lose: "lose", Push: "push", GivenBack: "returned"})

// String returns the result's key: win, lose, push or returned.
func (r Result) String() string { return resultKeys.Key(r) }

// MarshalText writes the result's key.
func (r Result) MarshalText() ([]byte, error) { return resultKeys.Marshal(r) }

// UnmarshalText reads a result's key.
func (r *Result) UnmarshalText(text []byte) error { return resultKeys.Unmarshal(r, text) }

// Line is the settlement of one wager. Amounts are in minor units.
type Line struct {
	Wager  Wager        `json:"wager"`
	Stake  money.Amount `json:"stake"`
	Result Result       `json:"result"`
	// Pays is the winnings without the stake.
	Pays money.Amount `json:"pays"`
	// Returned is all that goes to the player: winnings and whatever part of
	// the stake goes back.
	Returned money.Amount `json:"returned"`
	// Clause is the id of the provision, without the book's name.
	Clause string `json:"clause"`
	// Combo is the pay-table row that paid, if one did.
	Combo Combo `json:"combo,omitempty"`
	// Excess is the part of the stake that was never at risk because it lay
	// above what the book lets stand; it is part of Returned.
	Excess money.Amount `json:"excess,omitempty"`
}

// Net returns the change of the player's money by the line, in minor units.
func (l *Line) Net() money.Amount { return l.Returned - l.Stake }

// Other holds what Envy needs of another box of the same round.
type Other struct {
	// Is is everything the other box's hand is.
	Is ComboSet
	// SamePlayer marks another box of the player who is being settled.
	SamePlayer bool
	// Folded marks a hand that was folded.
	Folded bool
	// Stakes shows which wagers the other box holds.
	Stakes *Stakes
}

// Showdown is everything that decides the wagers of one bettor on one box.
type Showdown struct {
	Player, Dealer card.Hand
	Stakes         Stakes
	// Folded says that the hand was folded; its cards then matter only to
	// wagers that survive a fold.
	Folded bool
	// Unrevealed says that the hand was played and its player never showed it:
	// Player is then not looked at.
	Unrevealed bool
	// Meter is the jackpot value displayed at the moment of payment, in minor
	// units; zero means that it is not known.
	Meter money.Amount
	// Others are the other boxes of the round, in any order.
	Others []Other
}

// Settle appends the settlement lines of one bettor on one box to dst, in the
// book's order, and returns it. It is the only place where a wager is decided.
// The error says which payment cannot be made: a sum beyond the money type, a
// jackpot without a meter, or a wager the book does not have.
func (v *Variant) Settle(dst []Line, s *Showdown) ([]Line, error) {
	b := v.Book
	if err := v.checkStakes(&s.Stakes); err != nil {
		return dst, err
	}
	combos := bit(AnyHand)
	if !s.Unrevealed {
		combos = b.Ranking.Combos(s.Player)
	}
	contest := v.contest(s)
	for _, w := range b.Order.Lines {
		rule := b.Rule(w)
		if w == Envy {
			var err error
			if dst, err = v.settleEnvy(dst, s); err != nil {
				return dst, err
			}
			continue
		}
		stake := s.Stakes[w]
		if rule.Contest == Riding {
			stake = s.Stakes[rule.Basis]
		}
		if stake == 0 {
			continue
		}
		atRisk, clause := v.atRisk(rule, &s.Stakes)
		line := Line{Wager: w, Stake: stake, Excess: stake - atRisk}
		var err error
		switch {
		case s.Folded && v.foldForfeits(rule):
			if rule.Contest == Riding {
				continue
			}
			line.Result, line.Clause = Lose, rule.Clauses.Fold
		case s.Unrevealed && !(rule.Contest == AgainstDealer && contest == unqualified):
			if rule.Contest == Riding {
				continue
			}
			v.settleUnrevealed(&line, rule, atRisk)
		default:
			switch rule.Contest {
			case AgainstDealer:
				even := rule.EvenUnqualified && contest == unqualified || v.evenBeside(rule, &s.Stakes, combos)
				err = v.settleAgainstDealer(&line, rule, contest, combos, atRisk, even)
			case EqualPoints:
				err = v.settleEqualPoints(&line, rule, s, combos, atRisk)
			case OnHand:
				err = v.settleOnHand(&line, rule, s, combos, atRisk)
			case Riding:
				line.Stake, line.Excess = 0, 0
				row, ok := v.Pays[w].Row(combos)
				if !ok || (contest == standoff && !v.Is(AnteBonusOnStandoff, Paid)) {
					continue
				}
				err = v.pay(&line, row, 0, atRisk, s.Meter)
			default:
				err = fmt.Errorf("contest %d decides nothing", rule.Contest)
			}
		}
		if err != nil {
			return dst, fmt.Errorf("%s: %w", w, err)
		}
		// A stake whose size was wrong is settled under the clause that says
		// so: that is what the player is told, whatever the hands were.
		if clause != "" && rule.Contest != Riding {
			line.Clause = clause
		}
		if line.Returned, err = line.Returned.Add(line.Excess); err != nil {
			return dst, fmt.Errorf("%s: %w", w, err)
		}
		dst = append(dst, line)
	}
	return dst, nil
}

// checkStakes refuses stakes that no line could answer for: money that the
// book would neither win nor lose must not vanish.
func (v *Variant) checkStakes(stakes *Stakes) error {
	var total money.Amount
	for w := Ante; w < numWagers; w++ {
		stake := stakes[w]
		if stake == 0 {
			continue
		}
		rule := v.Book.Rule(w)
		switch {
		case rule == nil && w != Envy:
			return fmt.Errorf("%s: %s has no such wager", w, v.Book.Ref())
		case rule == nil || rule.Stake == NoStake:
			return fmt.Errorf("%s takes no stake of its own", w)
		case stake < 0:
			return fmt.Errorf("%s: the stake %s is below zero", w, stake)
		}
		var err error
		if total, err = total.Add(stake); err != nil {
			return fmt.Errorf("the stakes together: %w", err)
		}
	}
	return nil
}

// foldForfeits reports whether folding costs the wager.
func (v *Variant) foldForfeits(rule *WagerRule) bool {
	return rule.FoldRuling == 0 || v.Is(rule.FoldRuling, Lost)
}

// atRisk returns the part of a stake that wins or loses, and the clause for its size
// if that was wrong. A Play bet above its Ante is cut to the Ante, any stake to
// the maximum where the book says so; a Play bet below its Ante, as chips on a
// layout may be, counts as it lies.
func (v *Variant) atRisk(rule *WagerRule, stakes *Stakes) (money.Amount, string) {
	b := v.Book
	w := rule.Wager
	if rule.Contest == Riding {
		basis := b.Rule(rule.Basis)
		return v.atRisk(basis, stakes)
	}
	amount, clause := stakes[w], ""
	if rule.Stake == EqualToBasis && b.Bets.RaiseOver != "" && amount > stakes[rule.Basis] {
		amount, clause = stakes[rule.Basis], b.Bets.RaiseOver
	}
	if rule.Stake == EqualToBasis && amount < stakes[rule.Basis] {
		clause = b.Bets.RaiseUnder
	}
	limit := v.Limits[w].Max
	if rule.Stake == EqualToBasis {
		limit = v.Limits[rule.Basis].Max
	}
	if limit > 0 && amount > limit && b.Bets.OverAfter != "" {
		amount = limit
		if clause == "" {
			clause = b.Bets.OverAfter
		}
	}
	return amount, clause
}

// comparison is the result of comparing a hand with the dealer's.
type comparison uint8

const (
	unqualified comparison = iota + 1
	playerHigher
	playerLower
	standoff
)

func (v *Variant) contest(s *Showdown) comparison {
	b := v.Book
	if s.Folded {
		return playerLower
	}
	if !b.Qualifies(s.Dealer) && !(s.Unrevealed && v.Is(UnrevealedUnqualified, NotPaid)) {
		return unqualified
	}
	if s.Unrevealed {
		return playerLower
	}
	player, dealer := b.Ranking.Strength(s.Player), b.Ranking.Strength(s.Dealer)
	switch {
	case player > dealer:
		return playerHigher
	case player < dealer:
		return playerLower
	}
	return standoff
}

// EvenBeside returns the wager beside which a win of the given wager is paid by the row of any
// hand, if both pay for the same hand; zero for none. The ruling has the last word.
func (v *Variant) EvenBeside(rule *WagerRule) Wager {
	if rule.EvenBeside == 0 || v.Is(rule.EvenRuling, Yes) {
		return 0
	}
	return rule.EvenBeside
}

// evenBeside reports whether a win is paid by the row of any hand, because another wager
// is paid for the same hand and the ruling lets only one of them be.
//
//clause:fr-p3c@2007 36
//clause:fr-p3c@2007 43
func (v *Variant) evenBeside(rule *WagerRule, stakes *Stakes, combos ComboSet) bool {
	beside := v.EvenBeside(rule)
	if beside == 0 || stakes[beside] == 0 {
		return false
	}
	_, paid := v.Pays[beside].Row(combos)
	return paid
}

// settleUnrevealed settles a wager that depends on the rank of a hand which its
// player has not established.
//
//clause:rws-3cp@3 4.5
//clause:fr-p3c@2007 49
//clause:fr-p3c@2007 57
func (v *Variant) settleUnrevealed(line *Line, rule *WagerRule, atRisk money.Amount) {
	line.Result, line.Clause = Lose, cmp.Or(rule.Clauses.Unclaimed, v.Book.Examine.Clauses.Unrevealed)
	if v.Is(UnrevealedHand, Returned) {
		line.Result, line.Returned = GivenBack, atRisk
	}
}

func (v *Variant) settleAgainstDealer(line *Line, rule *WagerRule, c comparison, combos ComboSet, atRisk money.Amount, even bool) error {
	if even {
		combos = bit(AnyHand)
	}
	switch c {
	case unqualified:
		line.Clause = rule.Clauses.Unqual
		if !rule.PaidUnqualified {
			line.Result, line.Returned = Push, atRisk
			return nil
		}
	case playerHigher:
		line.Clause = rule.Clauses.Win
	case playerLower:
		line.Result, line.Clause = Lose, rule.Clauses.Lose
		return nil
	case standoff:
		line.Result, line.Clause, line.Returned = Push, rule.Clauses.Push, atRisk
		return nil
	}
	row, ok := v.Pays[rule.Wager].Row(combos)
	if !ok {
		return fmt.Errorf("the pay table has no row for a winning hand")
	}
	clause := line.Clause
	err := v.pay(line, row, atRisk, atRisk, 0)
	line.Clause, line.Combo = cmp.Or(clause, row.Clause), 0
	return err
}

func (v *Variant) settleEqualPoints(line *Line, rule *WagerRule, s *Showdown, combos ComboSet, atRisk money.Amount) error {
	player, dealer := pictures.Of(s.Player), pictures.Of(s.Dealer)
	equal := player.Points() == dealer.Points()
	if v.Is(TiePointTotal, PicturesApart) && (player == pictures.Count || dealer == pictures.Count) {
		equal = player == dealer
	}
	if !equal {
		line.Result, line.Clause = Lose, rule.Clauses.Lose
		return nil
	}
	row, ok := v.Pays[rule.Wager].Row(combos)
	if !ok {
		return fmt.Errorf("the pay table has no row for a tie")
	}
	err := v.pay(line, row, atRisk, atRisk, 0)
	line.Clause, line.Combo = rule.Clauses.Win, 0
	return err
}

func (v *Variant) settleOnHand(line *Line, rule *WagerRule, s *Showdown, combos ComboSet, atRisk money.Amount) error {
	row, ok := v.Pays[rule.Wager].Row(combos)
	if !ok {
		line.Result, line.Clause = Lose, rule.Clauses.Lose
		return nil
	}
	back := atRisk
	if rule.StakeRuling != 0 && v.Is(rule.StakeRuling, KeptByHouse) {
		back = 0
	}
	return v.pay(line, row, back, atRisk, s.Meter)
}

// pay makes the line a win by the row: stakeBack goes back beside winnings
// reckoned on basis.
func (v *Variant) pay(line *Line, row *PayRow, stakeBack, basis, meter money.Amount) error {
	switch {
	case row.Pay.MeterPercent != 0:
		if meter <= 0 {
			return fmt.Errorf("%s takes %s, so the displayed meter must be given", row.Combo.Name(), row.Pay)
		}
		line.Pays = money.Amount(int64(meter) / 100 * int64(row.Pay.MeterPercent))
		line.Pays += money.Amount(int64(meter) % 100 * int64(row.Pay.MeterPercent) / 100)
	case row.Pay.Fixed != 0:
		line.Pays = row.Pay.Fixed
	default:
		pays, err := row.Pay.Odds.Pay(basis, v.Rounding)
		if err != nil {
			return err
		}
		line.Pays = pays
	}
	line.Result, line.Clause, line.Combo = Win, row.Clause, row.Combo
	var err error
	line.Returned, err = stakeBack.Add(line.Pays)
	return err
}

// settleEnvy pays the Envy Bonus: to each holder of the wager that carries it, for the
// hands of other boxes, never for the holder's own and never for the dealer's.
//
//clause:rws-3cp@3 4.7
//clause:rws-3cp@3 4.8
//clause:sm-3cp bonus.10c
//clause:sm-3cp bonus.10d
//clause:sm-3cp bonus.10e
func (v *Variant) settleEnvy(dst []Line, s *Showdown) ([]Line, error) {
	envy := &v.Book.Envy
	rule := v.envyWager()
	if rule == nil || len(s.Others) == 0 || !v.ClaimsEnvy(&s.Stakes, s.Folded) || s.Unrevealed && v.Is(UnrevealedEnvy, Lost) {
		return dst, nil
	}
	first := len(dst)
	for i := range s.Others {
		other := &s.Others[i]
		if other.SamePlayer && !v.Is(EnvyOwnBoxes, Yes) {
			continue
		}
		if envy.Needs != 0 && other.Stakes != nil && other.Stakes[envy.Needs] == 0 {
			continue
		}
		if other.Folded && envy.FromFolded != 0 && !v.Is(envy.FromFolded, Yes) {
			continue
		}
		row, ok := v.Pays[rule.Wager].Row(other.Is)
		if !ok || row.Envy == 0 {
			continue
		}
		line := Line{
			Wager: Envy, Result: Win, Pays: row.Envy, Returned: row.Envy,
			Clause: rule.Clauses.EnvyWin, Combo: row.Combo,
		}
		if envy.PerRuling != 0 && v.Is(envy.PerRuling, PerRound) && len(dst) > first {
			if line.Pays > dst[first].Pays {
				dst[first] = line
			}
			continue
		}
		dst = append(dst, line)
	}
	return dst, nil
}

// ClaimsEnvy reports whether a bettor with these stakes on a box is paid an Envy
// Bonus for the hands of others.
func (v *Variant) ClaimsEnvy(stakes *Stakes, folded bool) bool {
	rule, lost := v.envyWager(), v.Book.Envy.WhenFolded
	return rule != nil && stakes[rule.Wager] != 0 && !(folded && lost != 0 && v.Is(lost, Lost))
}

// envyWager returns the wager whose holders receive the Envy Bonus, or nil.
func (v *Variant) envyWager() *WagerRule {
	for i := range v.Book.Wagers {
		if v.Book.Wagers[i].Envy {
			return &v.Book.Wagers[i]
		}
	}
	return nil
}

// EnvyCarrier returns the wager whose holders receive an Envy Bonus; ok is false
// where no hand of the pay table brings one.
func (v *Variant) EnvyCarrier() (w Wager, ok bool) {
	rule := v.envyWager()
	if rule == nil || !v.Pays[rule.Wager].HasEnvy() {
		return 0, false
	}
	return rule.Wager, true
}

// BringsEnvy reports whether a hand brings an Envy Bonus to other boxes.
func (v *Variant) BringsEnvy(combos ComboSet) bool {
	rule := v.envyWager()
	if rule == nil {
		return false
	}
	row, ok := v.Pays[rule.Wager].Row(combos)
	return ok && row.Envy != 0
}
