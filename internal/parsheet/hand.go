package parsheet

import (
	"math/big"
	"strings"

	"trey/card"
	"trey/odds"
	"trey/rules"
)

// Hand is the advice for one hand, with its reasons.
type Hand struct {
	Head
	*odds.Advice
	SeenDealer []card.Card `json:"seen_dealer"`
	SeenOthers []card.Card `json:"seen_others"`
	// Chances are those of the hand itself against the dealer's, who may fail
	// to qualify.
	Chances Chances `json:"chances"`
	// Pays are the rows of pay tables that the hand itself is paid by.
	Pays []HandPay `json:"pays"`
}

// Chances holds the results of comparing a hand with the dealer's.
type Chances struct {
	Unqualified odds.Fraction `json:"dealer_not_qualified"`
	Win         odds.Fraction `json:"win"`
	StandOff    odds.Fraction `json:"stand_off"`
	Lose        odds.Fraction `json:"lose"`
	// Tie is the chance that the Tie wager wins; nil in books without one.
	Tie *odds.Fraction `json:"tie,omitempty"`
}

// HandPay is a pay-table row that a hand matches.
type HandPay struct {
	Wager rules.Wager `json:"wager"`
	Row   string      `json:"row"`
	Pays  string      `json:"pays"`
}

// NewHand reports on an advice that odds.Advise gave for these seen cards.
func NewHand(v *rules.Variant, a *odds.Advice, seen odds.Seen, version string, remarks []string) (*Hand, error) {
	h := &Hand{
		Head: NewHead(v, version, remarks), Advice: a,
		SeenDealer: append([]card.Card{}, seen.Dealer...), SeenOthers: append([]card.Card{}, seen.Others...),
		Pays: []HandPay{},
	}
	chance := func(n int64) odds.Fraction { return odds.FractionOf(big.NewRat(n, a.DealersHands)) }
	h.Chances = Chances{chance(a.Unqualified), chance(a.Lower), chance(a.Equal), chance(a.Higher), nil}
	if v.Book.Rule(rules.Tie) != nil {
		ties, err := countTies(v, a.Hand, seen)
		if err != nil {
			return nil, err
		}
		tie := chance(ties)
		h.Chances.Tie = &tie
	}
	combos := v.Book.Ranking.Combos(a.Hand)
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		if rule.Contest != rules.OnHand && rule.Contest != rules.Riding || rule.Wager == rules.Progressive && v.Jackpot == nil {
			continue
		}
		if row, ok := v.Pays[rule.Wager].Row(combos); ok {
			h.Pays = append(h.Pays, HandPay{rule.Wager, row.Combo.Name(), row.Pay.String()})
		}
	}
	return h, nil
}

// countTies settles a Tie wager against every hand that the dealer may hold.
func countTies(v *rules.Variant, hand card.Hand, seen odds.Seen) (int64, error) {
	v = v.Clone()
	for w := range v.Limits {
		v.Limits[w] = rules.Limit{} // the stake is only a unit to count in
	}
	known := card.NewSet(seen.Dealer...)
	left := card.Deck().Minus(card.NewSet(hand[:]...)).Minus(card.NewSet(seen.Others...))
	down := rules.Showdown{Player: hand}
	down.Stakes[rules.Tie] = 1
	var ties int64
	var lines []rules.Line
	for dealer := range left.Hands() {
		if card.NewSet(dealer[:]...).Intersect(known) != known {
			continue
		}
		down.Dealer = dealer
		var err error
		if lines, err = v.Settle(lines[:0], &down); err != nil {
			return 0, err
		}
		for i := range lines {
			if lines[i].Wager == rules.Tie && lines[i].Result == rules.Win {
				ties++
			}
		}
	}
	return ties, nil
}

// Text prints the advice for people, in at most 80 columns.
func (h *Hand) Text() []byte {
	p := &page{}
	h.text(p, "One hand")
	p.WriteByte('\n')
	p.line("Your hand      %s   %s", symbols(h.Hand[:]), h.Describes)
	if len(h.SeenDealer) > 0 {
		p.line("Dealer shows   %s", symbols(h.SeenDealer))
	}
	if len(h.SeenOthers) > 0 {
		p.line("Seen besides   %s", symbols(h.SeenOthers))
	}
	p.WriteByte('\n')
	unit := "Main bet"
	if h.Decision {
		unit = "Ante"
		h.choice(p)
	} else {
		p.wrap(0, "There is nothing to decide in this game: the hand stands as it is. The Main bet on it is worth "+
			signed(h.Played, 6)+" of the bet, exactly "+h.Played.String()+".")
	}
	p.heading("Against the dealer", commas(big.NewInt(h.DealersHands).String())+" possible dealer's hands")
	show := func(name string, n int64, f odds.Fraction) {
		p.line("%-34s %15s %14s", name, commas(big.NewInt(n).String()), percent(f, 4))
	}
	if h.Decision {
		show("The dealer does not qualify", h.Unqualified, h.Chances.Unqualified)
	}
	show("The dealer's hand is lower", h.Lower, h.Chances.Win)
	show("The dealer's hand is equal", h.Equal, h.Chances.StandOff)
	show("The dealer's hand is higher", h.Higher, h.Chances.Lose)
	if tie := h.Chances.Tie; tie != nil {
		n := new(big.Rat).Mul(tie.Rat(), big.NewRat(h.DealersHands, 1))
		show("The Tie wager wins", n.Num().Int64(), *tie)
	}
	if len(h.Pays) > 0 {
		p.heading("The hand by itself", "")
		for _, pay := range h.Pays {
			p.line("%-22s %-24s %s", pay.Wager.Name(), pay.Row, pay.Pays)
		}
	}
	p.WriteByte('\n')
	alone := ""
	if h.Decision {
		alone = ", for the Ante alone"
	}
	p.wrap(0, "Results are in units of the "+unit+alone+", and exact. Rulings: "+h.rulingsLine())
	return p.Bytes()
}

// choice prints the two choices and what the mistake costs.
func (h *Hand) choice(p *page) {
	verdict := "FOLD"
	if h.Play {
		verdict = "PLAY"
	}
	switch {
	case h.Mistake.Sign() == 0:
		p.wrap(0, "Play or fold: both are worth exactly the same.")
	case h.Play:
		p.wrap(0, verdict+". Folding would cost "+h.Mistake.Decimal(6)+" of the Ante.")
	default:
		p.wrap(0, verdict+". Playing would cost "+h.Mistake.Decimal(6)+" of the Ante.")
	}
	p.WriteByte('\n')
	p.line("%-10s %14s   %s", "", "expectation", "exactly")
	p.line("%-10s %14s   %s", "Play", signed(h.Played, 6), h.Played)
	p.line("%-10s %14s   %s", "Fold", signed(h.Folded, 6), h.Folded)
	p.line("%-10s %14s   %s", "Mistake", minus(h.Mistake).Decimal(6), minus(h.Mistake))
}

// rulingsLine lists the rulings that are not at their default.
func (h *Head) rulingsLine() string {
	var changed []string
	for _, r := range h.Rulings {
		if !r.Default {
			changed = append(changed, r.Key+" "+r.InForce)
		}
	}
	if len(changed) == 0 {
		return "all at their defaults."
	}
	return strings.Join(changed, "; ") + "; the others at their defaults."
}

func symbols(cards []card.Card) string {
	out := make([]string, len(cards))
	for i, c := range cards {
		out[i] = c.Symbols()
	}
	return strings.Join(out, " ")
}
