package rules

import (
	"encoding/json"

	"trey/money"
)

// variantJSON is a variant as the interface for programs shows it. It is no record:
// records hold [Variant.Terms]. Amounts are in minor units.
type variantJSON struct {
	Book     string              `json:"book"`
	ID       string              `json:"id"`
	Boxes    int                 `json:"boxes"`
	Limits   map[Wager]limitJSON `json:"limits"`
	Pays     map[Wager]tableJSON `json:"pays"`
	Chips    []money.Amount      `json:"chips,omitempty"`
	Rulings  map[string]string   `json:"rulings"`
	Rounding roundingJSON        `json:"rounding"`
	GraceMs  int64               `json:"grace_ms"`
	Jackpot  *JackpotTerms       `json:"jackpot,omitempty"`
}

type limitJSON struct {
	Min money.Amount `json:"min"`
	Max money.Amount `json:"max"`
}

type tableJSON struct {
	Name string    `json:"name,omitempty"`
	Rows []rowJSON `json:"rows"`
}

// rowJSON pays odds, a fixed sum or part of the meter: the one that it has.
type rowJSON struct {
	Combo        Combo        `json:"combo"`
	To           *int64       `json:"to,omitempty"`
	For          int64        `json:"for,omitempty"`
	Fixed        money.Amount `json:"fixed,omitempty"`
	MeterPercent int          `json:"meter_percent,omitempty"`
	Envy         money.Amount `json:"envy,omitempty"`
	Clause       string       `json:"clause"`
}

type roundingJSON struct {
	Unit   money.Amount `json:"unit"`
	Favour string       `json:"favour"`
}

// MarshalJSON writes the variant for programs that look at a table.
func (v *Variant) MarshalJSON() ([]byte, error) {
	out := variantJSON{
		Book: v.Book.Ref(), ID: v.ID, Boxes: v.Boxes,
		Limits: map[Wager]limitJSON{}, Pays: map[Wager]tableJSON{}, Chips: v.Chips,
		Rulings:  map[string]string{},
		Rounding: roundingJSON{v.Rounding.Unit, v.Rounding.Favour.String()},
		GraceMs:  v.GraceMs, Jackpot: v.Jackpot,
	}
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		out.Limits[w] = limitJSON(v.Limits[w])
		if table := v.Pays[w]; table != nil {
			out.Pays[w] = tableToJSON(table)
		}
	}
	for _, r := range v.Book.Open() {
		out.Rulings[r.String()] = v.Choices[r].String()
	}
	return json.Marshal(out)
}

func tableToJSON(t *PayTable) tableJSON {
	out := tableJSON{Name: t.Name, Rows: make([]rowJSON, len(t.Rows))}
	for i := range t.Rows {
		row := &t.Rows[i]
		out.Rows[i] = rowJSON{
			Combo: row.Combo, For: row.Pay.Odds.For, Fixed: row.Pay.Fixed,
			MeterPercent: row.Pay.MeterPercent, Envy: row.Envy, Clause: row.Clause,
		}
		if row.Pay.Odds != (money.Odds{}) {
			out.Rows[i].To = &row.Pay.Odds.To
		}
	}
	return out
}
