package parsheet

import (
	"bytes"
	"encoding/csv"
	"fmt"

	"trey/odds"
	"trey/rules"
)

// Designs are the pay tables that meet a target.
type Designs struct {
	Head
	Wager rules.Wager `json:"wager"`
	// Rows names the rows of the table, best hand first.
	Rows    []string      `json:"rows"`
	MinEdge odds.Fraction `json:"min_edge"`
	MaxEdge odds.Fraction `json:"max_edge"`
	Tables  []odds.Design `json:"tables"`
	// Command prints the par sheet of the first table, empty where none was
	// found.
	Command string `json:"command,omitempty"`

	most int
}

// NewDesigns reports on a search. The caller sets Command: what was typed
// decides which flags it needs.
func NewDesigns(v *rules.Variant, t *odds.Target, found []odds.Design, version string, remarks []string) *Designs {
	d := &Designs{
		Head: NewHead(v, version, remarks), Wager: t.Wager,
		MinEdge: t.MinEdge, MaxEdge: t.MaxEdge, Tables: append([]odds.Design{}, found...), most: t.Most,
	}
	for i := range t.Rows {
		d.Rows = append(d.Rows, v.Pays[t.Wager].Rows[i].Combo.String())
	}
	return d
}

// PaysText writes a table as the flag --pay takes it.
func PaysText(pays []int64) string {
	s := ""
	for i, n := range pays {
		if i > 0 {
			s += "/"
		}
		s += fmt.Sprint(n)
	}
	return s
}

// Text prints the tables for people, in at most 80 columns.
func (d *Designs) Text() []byte {
	p := &page{}
	d.text(p, "Pay tables for "+d.Wager.Name())
	p.WriteByte('\n')
	if len(d.Tables) == 0 {
		p.wrap(0, fmt.Sprintf("No table within the ranges has a house edge from %s to %s: widen the ranges or the target.", percent(d.MinEdge, 2), percent(d.MaxEdge, 2)))
		return p.Bytes()
	}
	rows := "Rows: "
	for i, row := range d.Rows {
		if i > 0 {
			rows += " / "
		}
		rows += row
	}
	p.wrap(0, rows)
	p.WriteByte('\n')
	p.line("%-34s %12s %15s %14s", "pays", "house edge", "hit frequency", "deviation")
	for _, t := range d.Tables {
		p.line("%-34s %12s %15s %14s", PaysText(t.Pays), percent(t.HouseEdge, 4), percent(t.HitFrequency, 4), short(t.StdDev, 4))
	}
	p.WriteByte('\n')
	text := "The nearest to the middle of the target comes first."
	if len(d.Tables) == d.most {
		text += " There may be more: --top lists them."
	}
	p.wrap(0, text)
	if d.Command != "" {
		p.WriteByte('\n')
		// The command stays on one line, so that it can be copied.
		p.line("The par sheet of the first:")
		p.line("    %s", d.Command)
	}
	return p.Bytes()
}

// CSV writes the tables, one a line.
func (d *Designs) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{append(append([]string{"book", "variant", "hash", "version", "wager"}, d.Rows...), "pays", "house_edge_num", "house_edge_den", "house_edge", "hit_frequency", "std_dev")}
	for _, t := range d.Tables {
		record := []string{d.Book, d.Variant, d.Hash, d.Version, d.Wager.String()}
		for _, n := range t.Pays {
			record = append(record, fmt.Sprint(n))
		}
		edge := t.HouseEdge.Rat()
		records = append(records, append(record, PaysText(t.Pays), edge.Num().String(), edge.Denom().String(), t.HouseEdge.Decimal(10), t.HitFrequency.Decimal(10), string(t.StdDev)))
	}
	err := w.WriteAll(records)
	return b.Bytes(), err
}
