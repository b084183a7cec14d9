package parsheet

import (
	"math/big"
	"strconv"
	"strings"

	"trey/money"
	"trey/odds"
	"trey/rules"
)

// Parameter is one of the terms of the game that the figures follow from. Whoever
// checks a sheet needs them beside it.
type Parameter struct {
	// Key names it to programs, such as "reset_value" or "ante_limits".
	Key string `json:"key"`
	// Of is the wager that it belongs to, empty for the whole game; Name says what
	// it is.
	Of   string `json:"wager,omitempty"`
	Name string `json:"name"`
	// Value is for people; Figure is the same as a number, nil where it is none.
	Value  string         `json:"value"`
	Figure *odds.Fraction `json:"figure,omitempty"`
}

// Label returns the name with its wager.
func (p *Parameter) Label() string {
	if p.Of == "" {
		return p.Name
	}
	return p.Of + ": " + p.Name
}

// game lists the parameters of a variant as a sheet analysed it.
func game(v *rules.Variant, s *odds.Sheet) []Parameter {
	var all []Parameter
	add := func(p Parameter, figure *big.Rat) {
		if figure != nil {
			f := odds.FractionOf(figure)
			p.Figure = &f
		}
		all = append(all, p)
	}
	number := func(key, name string, n int) {
		add(Parameter{Key: key, Name: name, Value: strconv.Itoa(n)}, big.NewRat(int64(n), 1))
	}
	dollars := func(key, name string, a money.Amount) {
		add(Parameter{Key: key, Name: name, Value: "$" + a.Display()}, units(a).Rat())
	}
	number("cards", "Cards in the deck", 52)
	number("boxes", "Boxes of the table", v.Boxes)
	number("other_boxes", "Other boxes in the round", s.Others)
	if least, chance, ok := odds.Qualification(v.Book); ok {
		add(Parameter{Key: "least_qualifying_hand", Name: "The dealer qualifies with", Value: least}, nil)
		add(Parameter{Key: "dealer_qualifies", Name: "The dealer qualifies", Value: percent(chance, 4)}, chance.Rat())
		once := new(big.Rat).Inv(chance.Rat())
		add(Parameter{Key: "dealer_qualifies_one_in", Name: "The dealer qualifies, 1 in", Value: once.FloatString(4)}, once)
	}
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		w := rule.Wager
		key := strings.ReplaceAll(w.String(), "-", "_")
		if w == rules.Progressive && v.Jackpot == nil {
			continue
		}
		if rule.Stake == rules.WithinLimits && v.Limits[w] != (rules.Limit{}) {
			add(Parameter{Key: key + "_limits", Of: w.Name(), Name: "Limits", Value: limits(v.Limits[w])}, nil)
		}
		if len(rule.Pays) > 1 && v.Pays[w] != nil {
			add(Parameter{Key: key + "_table", Of: w.Name(), Name: "Pay table", Value: v.Pays[w].Name}, nil)
		}
	}
	if terms := v.Jackpot; terms != nil {
		rate := big.NewRat(terms.RateNum, terms.RateDen)
		dollars("progressive_bet", "Progressive bet", terms.Bet)
		dollars("reset_value", "Reset value", terms.Reset)
		add(Parameter{Key: "contribution_rate", Name: "Part of each bet to the meter", Value: odds.FractionOf(new(big.Rat).Mul(rate, big.NewRat(100, 1))).Plain() + " %"}, rate)
		dollars("ceiling", "Ceiling", terms.Ceiling)
		if s.Wagers[odds.Progressive] != nil {
			dollars("meter", "Meter", s.Meter)
		}
	}
	return all
}

// limits writes limits without a word of any language.
func limits(l rules.Limit) string {
	switch {
	case l.Max == 0:
		return "≥ $" + l.Min.Display()
	case l.Min == 0:
		return "≤ $" + l.Max.Display()
	}
	return "$" + l.Min.Display() + " - $" + l.Max.Display()
}

// oneIn writes a chance as the N of "1 in N", empty where it cannot happen.
func oneIn(width int, f odds.Fraction) string {
	if f.Sign() <= 0 {
		return ""
	}
	n := odds.FractionOf(new(big.Rat).Inv(f.Rat()))
	return fit(width, 4, func(decimals int) string {
		digits, rest, dot := strings.Cut(n.Decimal(decimals), ".")
		digits = commas(digits)
		if dot && strings.Trim(rest, "0") != "" {
			digits += "." + strings.TrimRight(rest, "0")
		}
		return digits
	}, func() string { return tiny(n) })
}
