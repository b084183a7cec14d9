package register

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"trey/money"
	"trey/odds"
	"trey/rules"
)

// Variant is a rule book as one table plays it, beside the book itself. Amounts
// are in minor units.
type Variant struct {
	ID string `json:"variant"`
	// Base is the book from which it derives. Variants that play alike have the same Hash. Both are
	// recorded with each round.
	Base  string `json:"book"`
	Title string `json:"title"`
	House string `json:"house"`
	Hash  string `json:"hash"`
	// SameAsBook reports that nothing differs from the book but perhaps the name.
	SameAsBook bool `json:"same_as_book"`
	Boxes      int  `json:"boxes"`
	BookBoxes  int  `json:"book_boxes"`
	// Chips are the denominations; without any, each amount can be bet.
	Chips     []money.Amount `json:"chips,omitempty"`
	BookChips []money.Amount `json:"book_chips,omitempty"`
	Wagers    []VariantWager `json:"wagers"`
	// Edges are what the house keeps of each bet, where it can be counted.
	Edges       []Edge              `json:"house_edges"`
	Rulings     []VariantRuling     `json:"rulings"`
	Progressive *rules.JackpotTerms `json:"progressive,omitempty"`
	// Fair is the meter above which the Progressive bet favours the player, nil if
	// the ceiling comes first. It is below zero where the fixed pays do it alone.
	Fair *money.Amount `json:"progressive_fair_at,omitempty"`
}

// VariantWager is one wager with its limits and its pays.
type VariantWager struct {
	Wager string `json:"wager"`
	Name  string `json:"name"`
	// Equals is the wager whose size it always has.
	Equals string `json:"equals,omitempty"`
	// Min and Max bound the stake; zero is no bound. The text's own limits stand
	// beside them, where it has any.
	Min     money.Amount `json:"min,omitempty"`
	Max     money.Amount `json:"max,omitempty"`
	BookMin money.Amount `json:"book_min,omitempty"`
	BookMax money.Amount `json:"book_max,omitempty"`
	// Staked reports that it takes a stake of its own; an Ante Bonus takes none.
	Staked bool `json:"staked"`
	// Table is the text's name of the pay table, or of the one it was made from.
	Table string `json:"table,omitempty"`
	// Changed reports that it differs from the table of the text. Chosen reports that it is, or was
	// made from, another table than the first of the text.
	Changed bool         `json:"changed"`
	Chosen  bool         `json:"chosen"`
	Pays    []VariantPay `json:"pays"`
}

// VariantPay is one row of a pay table, as the variant and as the text's table
// has it; empty words mean that there is no such row.
type VariantPay struct {
	Combo    string       `json:"hand"`
	Name     string       `json:"name"`
	Pays     string       `json:"pays,omitempty"`
	BookPays string       `json:"book_pays,omitempty"`
	Envy     money.Amount `json:"envy,omitempty"`
	BookEnvy money.Amount `json:"book_envy,omitempty"`
	Clause   string       `json:"clause"`
}

// Edge is the house edge of one bet.
type Edge struct {
	Bet       odds.Bet      `json:"bet"`
	Name      string        `json:"name"`
	HouseEdge odds.Fraction `json:"house_edge"`
	// Problem says why there is no figure, where there is none.
	Problem string `json:"problem,omitempty"`
}

// VariantRuling is the value in force of a ruling.
type VariantRuling struct {
	Key      string   `json:"ruling"`
	Question string   `json:"question"`
	InForce  string   `json:"in_force"`
	Default  string   `json:"default"`
	Clauses  []string `json:"clauses,omitempty"`
}

// Differs reports whether the ruling is not the default.
func (r *VariantRuling) Differs() bool { return r.InForce != r.Default }

// DescribeVariant says what a table plays by a variant.
func DescribeVariant(v *rules.Variant) Variant {
	b, book := v.Book, v.Book.Standard()
	out := Variant{
		ID: v.ID, Base: b.Ref(), Title: b.Title, House: b.House,
		Hash: v.Hash(), SameAsBook: v.Hash() == book.Hash(),
		Boxes: v.Boxes, BookBoxes: book.Boxes, Chips: v.Chips, BookChips: book.Chips,
		Progressive: v.Jackpot,
	}
	for i := range b.Wagers {
		out.Wagers = append(out.Wagers, describeWager(v, &b.Wagers[i]))
	}
	for _, open := range b.OpenRulings() {
		r, rule := open.Ruling, open.Ruling.Rule()
		out.Rulings = append(out.Rulings, VariantRuling{
			Key: rule.Key, Question: rule.Question, InForce: v.Choices[r].String(), Default: open.Values[0].String(),
			Clauses: open.Clauses,
		})
	}
	out.Rulings = append(out.Rulings,
		VariantRuling{
			Key: "interruption_grace", Question: "How long must a stop last to affect the round?",
			InForce: graceWords(v.GraceMs), Default: graceWords(book.GraceMs), Clauses: reading(b, "interruption_grace"),
		},
		VariantRuling{
			Key: "six_pays_half_rounding", Question: "To whom goes what cannot be paid exactly?",
			InForce: roundingWords(v.Rounding), Default: roundingWords(book.Rounding), Clauses: reading(b, "six_pays_half_rounding"),
		},
	)
	for _, bet := range odds.Bets(v) {
		a, err := analyse(v, bet, 0)
		if err != nil {
			out.Edges = append(out.Edges, Edge{Bet: bet, Name: bet.Name(), Problem: err.Error()})
			continue
		}
		out.Edges = append(out.Edges, Edge{Bet: bet, Name: bet.Name(), HouseEdge: a.HouseEdge})
		if a.Jackpot != nil && a.Jackpot.BreakEven != nil {
			if fair := wholeCents(a.Jackpot.BreakEven.Rat()); fair < v.Jackpot.Ceiling {
				out.Fair = &fair
			}
		}
	}
	return out
}

func analyse(v *rules.Variant, bet odds.Bet, others int) (*odds.Analysis, error) {
	sheet, err := odds.Analyse(v, odds.Options{Bets: []odds.Bet{bet}, Others: others})
	if err != nil {
		return nil, err
	}
	return sheet.Wagers[bet], nil
}

// wholeCents cuts a sum in currency units to whole minor units; what is too large
// for any meter becomes the largest sum.
func wholeCents(sum *big.Rat) money.Amount {
	cents := new(big.Rat).Mul(sum, big.NewRat(int64(money.Major), 1))
	units := new(big.Int).Quo(cents.Num(), cents.Denom())
	if !units.IsInt64() || units.Int64() > int64(rules.MaxStake) {
		return rules.MaxStake
	}
	return money.Amount(units.Int64())
}

// reading returns the clauses of the book that leave the point open.
func reading(b *rules.Book, key string) []string {
	for _, r := range b.Readings {
		if r.Key == key {
			return r.Clauses
		}
	}
	return nil
}

func graceWords(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

// roundingWords says it as a variant file does.
func roundingWords(r money.Rounding) string {
	if r.Unit <= money.Minor {
		return r.Favour.String()
	}
	return "chip " + r.Unit.String() + " " + r.Favour.String()
}

func describeWager(v *rules.Variant, rule *rules.WagerRule) VariantWager {
	w := rule.Wager
	table, text := v.Pays[w], origin(rule, v.Pays[w])
	limit := v.Limits[w]
	out := VariantWager{
		Wager: w.String(), Name: w.Name(), Min: limit.Min, Max: limit.Max,
		BookMin: rule.Limit.Min, BookMax: rule.Limit.Max,
		Staked:  rule.Stake != rules.NoStake && (rule.Stake != rules.Prescribed || v.Jackpot != nil),
		Table:   text.Name,
		Changed: !slices.Equal(table.Rows, text.Rows), Chosen: text != &rule.Pays[0],
	}
	if rule.Stake == rules.EqualToBasis {
		out.Equals, out.Min, out.Max = rule.Basis.String(), v.Limits[rule.Basis].Min, v.Limits[rule.Basis].Max
	}
	clauseRef := v.Book.ClauseRef
	for i := range table.Rows {
		row := &table.Rows[i]
		pay := VariantPay{Combo: row.Combo.String(), Name: row.Combo.Name(), Pays: row.Pay.String(), Envy: row.Envy, Clause: clauseRef(row.Clause)}
		if at := rowOf(text, row.Combo); at >= 0 {
			pay.BookPays, pay.BookEnvy = text.Rows[at].Pay.String(), text.Rows[at].Envy
		}
		out.Pays = append(out.Pays, pay)
	}
	for i := range text.Rows {
		if row := &text.Rows[i]; rowOf(table, row.Combo) < 0 {
			out.Pays = append(out.Pays, VariantPay{
				Combo: row.Combo.String(), Name: row.Combo.Name(), BookPays: row.Pay.String(), BookEnvy: row.Envy, Clause: clauseRef(row.Clause),
			})
		}
	}
	return out
}

// origin returns the table of the text from which one was made: the first that
// has its clause.
func origin(rule *rules.WagerRule, table *rules.PayTable) *rules.PayTable {
	for i := range rule.Pays {
		if rule.Pays[i].Rows[0].Clause == table.Rows[0].Clause {
			return &rule.Pays[i]
		}
	}
	return &rule.Pays[0]
}

// rowOf finds the row of a combination, or returns -1.
func rowOf(t *rules.PayTable, c rules.Combo) int {
	return slices.IndexFunc(t.Rows, func(row rules.PayRow) bool { return row.Combo == c })
}

// Favour is a way in which a variant favours the player that its pay tables alone do not
// show: by the strategy, or by the meter.
type Favour struct {
	// Fields are the keys of a variant file that may be the cause, the likeliest
	// first.
	Fields []string
	Text   string
}

// Favours says where a variant favours the player who decides best, and where
// its progressive does so at the reset value already. What the hands alone decide
// is remarked on by package variant.
func Favours(v *rules.Variant) []Favour {
	var out []Favour
	for _, bet := range odds.Bets(v) {
		switch {
		case bet == odds.AntePlay && v.Book.Decision != nil:
			if a, err := analyse(v, bet, 0); err == nil && a.HouseEdge.Sign() < 0 {
				out = append(out, Favour{
					[]string{"pays.ante-bonus", "pays.ante", "pays.play", "rulings"},
					fmt.Sprintf("Ante and Play favour the player who plays best: %s %% of each Ante", gain(a.HouseEdge)),
				})
			}
		case bet == odds.Progressive:
			out = append(out, favoursAtReset(v)...)
		}
	}
	return out
}

// favoursAtReset looks at the progressive at its reset value, alone and then with
// the Envy Bonuses of a full table.
func favoursAtReset(v *rules.Variant) []Favour {
	a, err := analyse(v, odds.Progressive, 0)
	if err != nil {
		return nil
	}
	name, reset := odds.Progressive.Name(), v.Jackpot.Reset.Display()
	if a.HouseEdge.Sign() < 0 {
		return []Favour{{
			[]string{"progressive.reset", "pays.progressive", "progressive.bet", "rulings.jackpot_stake", "progressive"},
			fmt.Sprintf("%s favours the player at the reset value $%s already: %s %% of each bet", name, reset, gain(a.HouseEdge)),
		}}
	}
	others := v.Boxes - 1
	if a, err = analyse(v, odds.Progressive, others); err != nil || a.HouseEdge.Sign() >= 0 {
		return nil
	}
	return []Favour{{
		[]string{"envy", "progressive.reset", "pays.progressive", "progressive.bet", "progressive"},
		fmt.Sprintf("%s favours the player at the reset value $%s beside %d other boxes: with the Envy Bonus, %s %% of each bet", name, reset, others, gain(a.HouseEdge)),
	}}
}

// gain writes a negative house edge as what the player gains.
func gain(edge odds.Fraction) string {
	return "+" + strings.TrimPrefix(edge.Percent(2), "-")
}

// Text prints what a table plays by a variant. Short leaves out what is as in the
// book.
func (v *Variant) Text(short bool) []byte {
	var b bytes.Buffer
	if v.ID == v.Base {
		fmt.Fprintf(&b, "%s  %s, %s\n", v.Base, v.Title, v.House)
	} else {
		wrap(&b, 0, fmt.Sprintf("%s, a variant of %s (%s, %s)", v.ID, v.Base, v.Title, v.House))
	}
	fmt.Fprintf(&b, "Hash %s", rules.ShortHash(v.Hash))
	if v.SameAsBook && v.ID != v.Base {
		b.WriteString(", which is that of the book: nothing differs")
	}
	fmt.Fprintf(&b, "\n\nBoxes: %d%s\n", v.Boxes, beside(fmt.Sprint(v.Boxes), fmt.Sprint(v.BookBoxes)))
	wrap(&b, 0, "Chips: "+chipWords(v.Chips)+beside(chipWords(v.Chips), chipWords(v.BookChips)))
	b.WriteString("\nLimits\n")
	for i := range v.Wagers {
		if w := &v.Wagers[i]; w.Staked || w.Wager == rules.Progressive.String() {
			fmt.Fprintf(&b, "    %-20s%s\n", w.Name, w.limits())
		}
	}
	b.WriteString("\nPays\n")
	v.payText(&b, short)
	if len(v.Edges) > 0 {
		heading := "House edge"
		if v.envy() {
			heading += ", Envy Bonuses apart"
		}
		fmt.Fprintf(&b, "\n%s\n", heading)
		for _, e := range v.Edges {
			if e.Problem != "" {
				wrap(&b, 4, e.Name+": not to be reckoned, "+e.Problem)
				continue
			}
			at := ""
			if e.Bet == odds.Progressive && v.Progressive != nil {
				at = "  at the reset value"
			}
			fmt.Fprintf(&b, "    %-20s%s %%%s\n", e.Name, e.HouseEdge.Percent(2), at)
		}
	}
	v.progressiveText(&b)
	v.rulingText(&b, short)
	return b.Bytes()
}

// beside says what the book has, where that is something else.
func beside(ours, books string) string {
	if ours == books {
		return ""
	}
	return " (the book: " + books + ")"
}

// envy reports whether any hand brings an Envy Bonus.
func (v *Variant) envy() bool {
	return slices.ContainsFunc(v.Wagers, func(w VariantWager) bool {
		return slices.ContainsFunc(w.Pays, func(p VariantPay) bool { return p.Envy != 0 })
	})
}

func chipWords(chips []money.Amount) string {
	if len(chips) == 0 {
		return "any amount"
	}
	words := make([]string, len(chips))
	for i, chip := range chips {
		words[i] = "$" + chip.Display()
	}
	return strings.Join(words, ", ")
}

func (w *VariantWager) limits() string {
	switch {
	case !w.Staked:
		return "not offered"
	case w.Equals != "":
		return "always equal to the " + w.Equals
	case w.BookMin != 0 || w.BookMax != 0:
		ours := limitWords(w.Min, w.Max)
		return ours + beside(ours, limitWords(w.BookMin, w.BookMax))
	}
	return limitWords(w.Min, w.Max)
}

func limitWords(least, most money.Amount) string {
	switch {
	case least == 0 && most == 0:
		return "none"
	case least == 0:
		return "up to $" + most.Display()
	case most == 0:
		return "from $" + least.Display()
	case least == most:
		return "$" + least.Display()
	}
	return "$" + least.Display() + " to $" + most.Display()
}

// payText prints the pay tables: short, those alone that are not the book's and
// of them the rows that differ.
func (v *Variant) payText(b *bytes.Buffer, short bool) {
	var same []string
	for i := range v.Wagers {
		w := &v.Wagers[i]
		if short && !w.Changed && !w.Chosen {
			same = append(same, w.Name)
			continue
		}
		title := w.Name
		switch {
		case w.Table != "" && w.Changed:
			title += ", made from table " + w.Table
		case w.Table != "":
			title += ", table " + w.Table
		}
		fmt.Fprintf(b, "    %s\n", title)
		for k := range w.Pays {
			if p := &w.Pays[k]; !short || p.Pays != p.BookPays || p.Envy != p.BookEnvy {
				wrap(b, 8, p.Name+": "+p.words())
			}
		}
	}
	if len(same) > 0 {
		wrap(b, 4, "As in the book: "+strings.Join(same, ", ")+".")
	}
}

// words says what the row pays, and what the book's pays if that differs.
func (p *VariantPay) words() string {
	ours, books := payWords(p.Pays, p.Envy), payWords(p.BookPays, p.BookEnvy)
	return ours + beside(ours, books)
}

func payWords(pays string, envy money.Amount) string {
	switch {
	case pays == "":
		return "no row"
	case envy != 0:
		return pays + ", Envy Bonus $" + envy.Display()
	}
	return pays
}

func (v *Variant) progressiveText(b *bytes.Buffer) {
	t := v.Progressive
	if t == nil {
		return
	}
	b.WriteString("\nProgressive\n")
	rate := fmt.Sprintf("%d/%d of each bet", t.RateNum, t.RateDen)
	if t.RateDen == 100 {
		rate = fmt.Sprintf("%d %% of each bet", t.RateNum)
	}
	fair := "at no meter up to the ceiling"
	switch {
	case v.Fair != nil && *v.Fair < t.Reset:
		fair = "from the reset value on"
	case v.Fair != nil:
		fair = "above a meter of $" + v.Fair.Display()
	}
	for _, line := range [...][2]string{
		{"Bet", "$" + t.Bet.Display()},
		{"Reset value", "$" + t.Reset.Display()},
		{"To the meter", rate},
		{"Ceiling", "$" + t.Ceiling.Display()},
		{"Favours the player", fair},
	} {
		fmt.Fprintf(b, "    %-20s%s\n", line[0], line[1])
	}
}

// rulingText prints the rulings: short, those alone that are not at the default.
func (v *Variant) rulingText(b *bytes.Buffer, short bool) {
	listed := v.Rulings
	if short {
		b.WriteString("\nRulings that differ from the default\n")
		listed = slices.DeleteFunc(slices.Clone(listed), func(r VariantRuling) bool { return !r.Differs() })
		if len(listed) == 0 {
			b.WriteString("    none\n")
		}
	} else {
		b.WriteString("\nRulings\n")
	}
	for i := range listed {
		r := &listed[i]
		text := r.Key + ": " + r.InForce
		if r.Differs() {
			text += " (default: " + r.Default + ")"
		}
		wrap(b, 4, text)
		if !short {
			wrap(b, 8, r.Question+clauseList(r.Clauses))
		}
	}
}

func clauseList(clauses []string) string {
	if len(clauses) == 0 {
		return ""
	}
	return " (" + strings.Join(clauses, ", ") + ")"
}
