package calculator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// seat is a box of a line with "boxes": its hand, and what it is to the others.
type seat struct {
	hand   card.Hand
	cards  card.Set
	combos rules.ComboSet
}

// settleTable decides a line with "boxes": each box against the one dealer, and each
// with the other boxes as those that bring it an Envy Bonus.
func (c *Calculator) settleTable(dst []byte) ([]byte, error) {
	r := &c.line
	dealer, err := c.tableHands()
	if err != nil {
		return dst, err
	}
	if c.limits && len(r.boxes) > c.variant.Boxes {
		return dst, fmt.Errorf("there are %d boxes, and the table has %d", len(r.boxes), c.variant.Boxes)
	}
	for i := range r.boxes {
		if err := c.check(&r.boxes[i]); err != nil {
			return dst, fmt.Errorf("box %d: %w", i+1, err)
		}
	}
	variant, err := c.pays()
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	dst = appendIDField(dst, r.id)
	dst = c.appendDealer(dst, dealer)
	dst = append(dst, `,"boxes":[`...)
	var total money.Amount
	metered := 0 // the box that has won a part of the meter
	for i := range r.boxes {
		b := &r.boxes[i]
		c.showdown = rules.Showdown{Player: c.seats[i].hand, Dealer: dealer, Others: c.othersOf(i)}
		net, err := c.decide(variant, b)
		if err == nil {
			total, err = total.Add(net)
		}
		if err != nil {
			return dst, fmt.Errorf("box %d: %w", i+1, err)
		}
		if c.wonMeter(variant) {
			if metered > 0 {
				return dst, fmt.Errorf("boxes %d and %d both win a part of the meter: what it displays after the first is paid does not stand here; settle one of them on a line of its own, with that as its meter", metered, i+1)
			}
			metered = i + 1
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		dst = appendIDField(dst, b.id)
		dst = c.appendRank(dst, "player_rank", c.seats[i].hand)
		dst = append(dst, ',')
		dst = c.appendLines(dst, net)
		dst = append(dst, '}')
	}
	dst = append(dst, `],"net":`...)
	dst = appendAmount(dst, total)
	return append(dst, '}'), nil
}

// tableHands reads the cards of a line with "boxes" into c.seats, makes sure that one
// deck holds them, and returns the dealer's.
func (c *Calculator) tableHands() (dealer card.Hand, err error) {
	r := &c.line
	if r.seen&dealerField == 0 {
		return dealer, errNoDealer
	}
	if dealer, err = parseHand(r.dealer); err != nil {
		return dealer, fmt.Errorf("dealer: %w", err)
	}
	dealers := card.NewSet(dealer[:]...)
	c.seats = c.seats[:0]
	for i := range r.boxes {
		b := &r.boxes[i]
		if b.seen&playerField == 0 {
			return dealer, fmt.Errorf(`box %d: "player" is missing: give its three cards, such as "player":"Qh 6d 4c"`, i+1)
		}
		hand, err := parseHand(b.player)
		if err != nil {
			return dealer, fmt.Errorf("box %d: player: %w", i+1, err)
		}
		set := card.NewSet(hand[:]...)
		if both := set.Intersect(dealers); both != 0 {
			return dealer, doubled(both, boxName(i), "the dealer's hand")
		}
		for j := range c.seats {
			if both := set.Intersect(c.seats[j].cards); both != 0 {
				return dealer, doubled(both, boxName(i), boxName(j))
			}
		}
		c.seats = append(c.seats, seat{hand, set, c.variant.Book.Ranking.Combos(hand)})
	}
	return dealer, nil
}

func boxName(at int) string { return fmt.Sprintf("box %d", at+1) }

// othersOf lists the other boxes of a box, as the settlement of its Envy Bonus asks
// for them.
func (c *Calculator) othersOf(at int) []rules.Other {
	boxes := c.line.boxes
	others := c.others[:0]
	for i := range boxes {
		if i == at {
			continue
		}
		others = append(others, rules.Other{
			Is:         c.seats[i].combos,
			SamePlayer: len(boxes[at].owner) > 0 && bytes.Equal(boxes[at].owner, boxes[i].owner),
			Folded:     boxes[i].folded,
			Stakes:     &boxes[i].stakes,
		})
	}
	return others
}

// wonMeter reports whether a line settled last won a part of the meter.
func (c *Calculator) wonMeter(v *rules.Variant) bool {
	return slices.ContainsFunc(c.settled, func(l rules.Line) bool {
		if l.Result != rules.Win || l.Combo == 0 || l.Wager == rules.Envy {
			return false
		}
		return slices.ContainsFunc(v.Pays[l.Wager].Rows, func(row rules.PayRow) bool {
			return row.Combo == l.Combo && row.Pay.MeterPercent != 0
		})
	})
}

// ErrNoLimits is the error of [Calculator.CheckLimits] for a variant that limits
// nothing.
var ErrNoLimits = errors.New("no limits to check")

// CheckLimits makes the calculator refuse a stake that the table would not have accepted: above the
// maximum, below the minimum, not the one size of its wager, or not payable in chips. Without it
// stakes are settled as they are given.
func (c *Calculator) CheckLimits() error {
	v := c.variant
	found := len(v.Chips) > 0
	for _, rule := range c.stakes {
		found = found || v.Limits[rule.Wager] != (rules.Limit{})
	}
	if !found {
		return fmt.Errorf("%w: %s states no limits of its own; name a variant that does", ErrNoLimits, v.ID)
	}
	c.limits = true
	return nil
}

// checkLimits refuses what the table would have refused when the bet was placed. A
// Play bet is limited by its Ante.
func (c *Calculator) checkLimits(b *box) error {
	v := c.variant
	bets := &v.Book.Bets
	for _, rule := range c.stakes {
		w, stake := rule.Wager, b.stakes[rule.Wager]
		if stake == 0 || rule.Stake == rules.EqualToBasis {
			continue
		}
		limit, clause := v.Limits[w], rule.Clauses.Size
		says := ""
		switch {
		case rule.Stake == rules.Prescribed && limit.Max > 0 && stake != limit.Max:
			says = fmt.Sprintf("the bet has one size, %d", limit.Max)
		case limit.Max > 0 && stake > limit.Max:
			says, clause = fmt.Sprintf("the maximum is %d", limit.Max), cmp.Or(bets.OverBefore, clause)
		case stake < limit.Min:
			says, clause = fmt.Sprintf("the minimum is %d", limit.Min), cmp.Or(bets.UnderBefore, clause)
		case !v.Payable(stake):
			says = "the chips in use cannot make it"
		default:
			continue
		}
		if clause != "" {
			says += " (" + v.Book.ClauseRef(clause) + ")"
		}
		return fmt.Errorf("%s is %d: %s", w, stake, says)
	}
	return nil
}
