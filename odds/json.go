package odds

import (
	"encoding/json"
	"math/big"

	"trey/money"
	"trey/rules"
)

// MarshalJSON writes {"net", "ways"}, both as strings: the net result as
// [Fraction.Plain] has it.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Net  string `json:"net"`
		Ways string `json:"ways"`
	}{o.Net.Plain(), o.Ways.String()})
}

// MarshalJSON writes the row with its ways as a string. What an Envy Bonus has in
// place of a probability is called "expected_number".
func (r Row) MarshalJSON() ([]byte, error) {
	type plain Row
	if r.Wager == rules.Envy {
		return json.Marshal(struct {
			plain
			Ways        string   `json:"ways"`
			Probability *string  `json:"probability,omitempty"`
			Expected    Fraction `json:"expected_number"`
		}{plain: plain(r), Ways: r.Ways.String(), Expected: r.Probability})
	}
	return json.Marshal(struct {
		plain
		Ways string `json:"ways"`
	}{plain(r), r.Ways.String()})
}

// MarshalJSON writes the analysis with its total as a string and its bet in
// currency.
func (a *Analysis) MarshalJSON() ([]byte, error) {
	type plain Analysis
	return json.Marshal(struct {
		*plain
		Bet   string `json:"bet"`
		Total string `json:"total"`
	}{(*plain)(a), a.Stake.String(), text(a.Total)})
}

// MarshalJSON writes the sheet with its meter in currency, where it has one.
func (s *Sheet) MarshalJSON() ([]byte, error) {
	type plain Sheet
	meter := ""
	if s.Wagers[Progressive] != nil {
		meter = s.Meter.String()
	}
	return json.Marshal(struct {
		*plain
		Meter string `json:"meter,omitempty"`
	}{(*plain)(s), meter})
}

// MarshalJSON writes the progressive's figures, sums of money as fractions of
// the currency unit.
func (j *Jackpot) MarshalJSON() ([]byte, error) {
	type plain Jackpot
	return json.Marshal(struct {
		*plain
		Meter string `json:"meter"`
	}{(*plain)(j), amountText(j.Meter)})
}

// MarshalJSON writes the accrual with its meter in currency.
func (a *Accrual) MarshalJSON() ([]byte, error) {
	type plain Accrual
	return json.Marshal(struct {
		Meter string `json:"meter"`
		*plain
	}{amountText(a.Meter), (*plain)(a)})
}

func amountText(a money.Amount) string { return a.String() }

func text(n *big.Int) string {
	if n == nil {
		return "0"
	}
	return n.String()
}
