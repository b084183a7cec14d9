package rules

import (
	"encoding/json"
	"fmt"

	"trey/internal/strict"
	"trey/money"
)

// variantJSON is a variant as a round log holds it: all its terms, so that the
// round replays under the rules it was played by, whatever the files of the
// house have become since. Amounts are in minor units.
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

// MarshalJSON writes all terms of the variant; [ParseVariantJSON] reads them.
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

// ParseVariantJSON reads what [Variant.MarshalJSON] writes. The book is looked
// up with find, such as books.Find, because this package knows none. Terms that
// are missing, unknown or unplayable are an error.
func ParseVariantJSON(text []byte, find func(ref string) (*Book, error)) (*Variant, error) {
	var in variantJSON
	if err := strict.Read(text, &in); err != nil {
		return nil, fmt.Errorf("the terms of the variant: %w", err)
	}
	book, err := find(in.Book)
	if err != nil {
		return nil, err
	}
	v := &Variant{
		Book: book, ID: in.ID, Boxes: in.Boxes, Chips: in.Chips, Choices: DefaultChoices(),
		GraceMs: in.GraceMs, Jackpot: in.Jackpot, Rounding: money.Rounding{Unit: in.Rounding.Unit},
	}
	switch in.Rounding.Favour {
	case money.Player.String():
		v.Rounding.Favour = money.Player
	case money.House.String():
		v.Rounding.Favour = money.House
	default:
		return nil, fmt.Errorf("rounding cannot be in favour of %q", in.Rounding.Favour)
	}
	if err := v.takeWagers(&in); err != nil {
		return nil, err
	}
	open := book.Open()
	if len(in.Rulings) != len(open) {
		return nil, fmt.Errorf("%s leaves %d points open, and the variant settles %d", book.Ref(), len(open), len(in.Rulings))
	}
	for _, r := range open {
		if v.Choices[r], err = r.ParseChoice(in.Rulings[r.String()]); err != nil {
			return nil, err
		}
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	return v, nil
}

// takeWagers takes over the limits and pay tables, which must be those of the
// book's wagers and no others.
func (v *Variant) takeWagers(in *variantJSON) error {
	for w, limit := range in.Limits {
		if v.Book.Rule(w) == nil {
			return fmt.Errorf("%s has no wager %s to limit", v.Book.Ref(), w)
		}
		v.Limits[w] = Limit(limit)
	}
	for w, table := range in.Pays {
		if v.Book.Rule(w) == nil {
			return fmt.Errorf("%s has no wager %s to pay", v.Book.Ref(), w)
		}
		out := &PayTable{Name: table.Name, Rows: make([]PayRow, len(table.Rows))}
		for i, row := range table.Rows {
			out.Rows[i] = PayRow{
				Combo: row.Combo, Pay: Pay{Fixed: row.Fixed, MeterPercent: row.MeterPercent},
				Envy: row.Envy, Clause: row.Clause,
			}
			if row.To != nil {
				out.Rows[i].Pay.Odds = money.Odds{To: *row.To, For: row.For}
			}
		}
		v.Pays[w] = out
	}
	return nil
}
