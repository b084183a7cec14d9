package mathematics

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/sentence"
)

// Design is a form of terms and what they come to. Each field is a key of a variant file, so
// docs/variants.md defines its values and the wording of its mistakes.
type Design struct {
	Book    *rules.Book
	Variant *rules.Variant
	Options odds.Options
	Remarks []sentence.Sentence
	Groups  []Group
	// Faults says what is wrong with a field, by its key; the empty key is
	// whatever belongs to none. The variant is made without those fields.
	Faults map[string]sentence.Sentence
	// Query holds what differs from the book, for a link to this design.
	Query url.Values
}

// Group is fields that stand together.
type Group struct {
	Key string
	// Wager is the wager they belong to, zero for none.
	Wager rules.Wager
	Rows  []Row
}

// Row is one line of the form.
type Row struct {
	// Label names it: a message's key, or a name of the rules.
	Label  string
	Term   bool // the label is a name of the rules
	Fields []Field
}

// Field is one thing that can be set.
type Field struct {
	Key string
	// Label is the message that says which of a row's fields it is, empty where
	// the row says enough.
	Label string
	// Value is the form's value, Standard the one that holds if the form has none.
	Value, Standard string
	// Choices are the values it may have, none for any.
	Choices []string
	// Reload says that other fields depend on it.
	Reload bool
}

// Changed reports whether the field says something else than the book.
func (f *Field) Changed() bool { return f.Value != f.Standard }

// ReadDesign reads a form of the book.
func ReadDesign(b *rules.Book, form url.Values) *Design {
	d := &Design{Book: b, Faults: map[string]sentence.Sentence{}, Query: url.Values{}}
	base := b.Standard().Clone()
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		if name := form.Get(tableKey(rule.Wager)); name != "" && len(rule.Pays) > 1 {
			_ = base.UsePayTable(rule.Wager, name) // an unknown name becomes a fault below
		}
	}
	d.Groups = fields(base)
	var lines []line
	d.each(func(f *Field) {
		if text := strings.TrimSpace(form.Get(f.Key)); form.Has(f.Key) && len(text) <= 100 {
			f.Value = text
		}
		if !f.Changed() {
			return
		}
		d.Query.Set(f.Key, f.Value)
		if _, ok := analysis[f.Key]; !ok {
			lines = append(lines, line{f.Key, literal(f)})
		}
	})
	d.make(lines)
	d.readOptions()
	return d
}

// line is one line of the variant file that the form amounts to.
type line struct{ key, value string }

// make reads the file that the lines are. Lines with a mistake are left out, so
// that the rest can be seen.
func (d *Design) make(lines []line) {
	for {
		v, remarks, err := variant.Parse("", file(d.Book, lines), books.Find)
		if err == nil {
			d.Variant = v
			for _, r := range remarks {
				// What a table is worth to the player the sheet says by itself.
				if !strings.HasPrefix(r.Text.Form, "%s favours the player:") {
					d.Remarks = append(d.Remarks, r.Text)
				}
			}
			return
		}
		var wrong variant.Errors
		if !errors.As(err, &wrong) || len(lines) == 0 {
			panic("mathematics: a book cannot be read as a variant of itself: " + err.Error())
		}
		bad := map[string]bool{}
		for _, e := range wrong {
			key := ""
			if n := e.Line - firstLine; n >= 0 && n < len(lines) {
				key = lines[n].key
			}
			d.Fail(key, e.Reason)
			bad[key] = true
		}
		kept := slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return bad[l.key] })
		if len(kept) == len(lines) {
			kept = nil
		}
		lines = kept
	}
}

// Fail notes what is wrong with a field.
func (d *Design) Fail(key string, why sentence.Sentence) {
	if d.Faults[key].IsZero() {
		d.Faults[key] = why
	}
}

// remarks returns the remarks in English, as a par sheet holds them.
func (d *Design) remarks() []string {
	all := make([]string, len(d.Remarks))
	for i := range d.Remarks {
		all[i] = d.Remarks[i].String()
	}
	return all
}

// firstLine is the line of a file on which the form's own lines begin.
const firstLine = 3

func file(b *rules.Book, lines []line) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "base = %q\nid = %q\n", b.Ref(), b.ID+"-variant")
	for _, l := range lines {
		out.WriteString(l.key + " = " + l.value + "\n")
	}
	return []byte(out.String())
}

// literal writes a field's value as TOML.
func literal(f *Field) string {
	switch f.Key {
	case "boxes":
		if _, err := strconv.Atoi(f.Value); err == nil && !strings.HasPrefix(f.Value, "0") && !strings.HasPrefix(f.Value, "+") {
			return f.Value
		}
	case "chips":
		parts := []string{}
		for part := range strings.SplitSeq(f.Value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, quoted(part))
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	if f.Value == "" {
		return quoted("none")
	}
	return quoted(f.Value)
}

// quoted writes a text as TOML and JSON both have it.
func quoted(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	out, err := json.Marshal(text)
	if err != nil {
		panic("mathematics: " + err.Error()) // a text can always be written
	}
	return string(out)
}

// analysis are the fields that say what is analysed and not what is played.
var analysis = map[string]bool{"others": true, "meter": true, "stake": true}

func (d *Design) readOptions() {
	d.each(func(f *Field) {
		if !analysis[f.Key] || !f.Changed() {
			return
		}
		if f.Key == "others" {
			n, err := strconv.Atoi(f.Value)
			if err != nil || n < 0 || n > d.Variant.Boxes-1 {
				d.Fail(f.Key, sentence.Of("write a whole number from 0 to %d", d.Variant.Boxes-1))
				return
			}
			d.Options.Others = n
			return
		}
		sum, err := money.Parse(f.Value)
		switch {
		case err != nil:
			d.Fail(f.Key, sentence.Why(err))
		case sum <= 0 || sum > rules.MaxStake:
			d.Fail(f.Key, sentence.Of("write an amount from $0.01 to $%s", rules.MaxStake.Display()))
		case f.Key == "meter":
			d.Options.Meter = sum
		default:
			d.Options.Stake = sum
		}
	})
	if d.Variant.Jackpot == nil {
		d.Options.Meter = 0
	}
}

func (d *Design) each(do func(*Field)) {
	for g := range d.Groups {
		for r := range d.Groups[g].Rows {
			for f := range d.Groups[g].Rows[r].Fields {
				do(&d.Groups[g].Rows[r].Fields[f])
			}
		}
	}
}

func tableKey(w rules.Wager) string { return "pays." + w.String() + ".table" }

// fields returns the form of a variant with its present values.
func fields(v *rules.Variant) []Group {
	b := v.Book
	one := func(key, standard string) []Field { return []Field{{Key: key, Value: standard, Standard: standard}} }
	round := Group{Key: "round"}
	if slices.ContainsFunc(b.Wagers, func(w rules.WagerRule) bool { return w.Envy }) {
		round.Rows = append(round.Rows, Row{Label: "others", Fields: one("others", "0")})
	}
	if v.Jackpot != nil {
		round.Rows = append(round.Rows, Row{Label: "meter", Fields: one("meter", plain(v.Jackpot.Reset))})
	}
	round.Rows = append(round.Rows, Row{Label: "stake", Fields: one("stake", "")})
	all := []Group{round}
	for i := range b.Wagers {
		if g := wagerFields(v, &b.Wagers[i]); len(g.Rows) > 0 {
			all = append(all, g)
		}
	}
	if j := v.Jackpot; j != nil {
		all = append(all, Group{Key: "progressive", Rows: []Row{
			{Label: "bet", Fields: one("progressive.bet", plain(j.Bet))},
			{Label: "reset", Fields: one("progressive.reset", plain(j.Reset))},
			{Label: "rate", Fields: one("progressive.rate", fmt.Sprintf("%d/%d", j.RateNum, j.RateDen))},
			{Label: "ceiling", Fields: one("progressive.ceiling", plain(j.Ceiling))},
		}})
	}
	var chips []string
	for _, c := range v.Chips {
		chips = append(chips, plain(c))
	}
	all = append(all, Group{Key: "table", Rows: []Row{
		{Label: "boxes", Fields: one("boxes", strconv.Itoa(v.Boxes))},
		{Label: "chips", Fields: one("chips", strings.Join(chips, ", "))},
	}})
	rulings := Group{Key: "rulings"}
	for _, r := range b.Open() {
		f := Field{Key: "rulings." + r.String(), Value: v.Choices[r].String(), Standard: v.Choices[r].String()}
		for _, c := range r.Rule().Choices {
			f.Choices = append(f.Choices, c.String())
		}
		rulings.Rows = append(rulings.Rows, Row{Label: r.Rule().Question, Term: true, Fields: []Field{f}})
	}
	for _, r := range b.Readings {
		if r.Key == "six_pays_half_rounding" {
			f := Field{Key: "rulings." + r.Key, Value: v.Rounding.Favour.String(), Standard: v.Rounding.Favour.String()}
			f.Choices = []string{money.Player.String(), money.House.String()}
			rulings.Rows = append(rulings.Rows, Row{Label: r.Question, Term: true, Fields: []Field{f}})
		}
	}
	return append(all, rulings)
}

func wagerFields(v *rules.Variant, rule *rules.WagerRule) Group {
	w := rule.Wager
	g := Group{Key: "wager", Wager: w}
	table := v.Pays[w]
	if table == nil || rule.Stake == rules.EqualToBasis {
		return g // a Play bet follows its Ante
	}
	if len(rule.Pays) > 1 {
		f := Field{Key: tableKey(w), Value: table.Name, Standard: rule.Pays[0].Name, Reload: true}
		for i := range rule.Pays {
			f.Choices = append(f.Choices, rule.Pays[i].Name)
		}
		g.Rows = append(g.Rows, Row{Label: "table", Fields: []Field{f}})
	}
	for _, row := range table.Rows {
		text := pay(row.Pay)
		r := Row{Label: row.Combo.Name(), Term: true, Fields: []Field{
			{Key: "pays." + w.String() + "." + row.Combo.String(), Label: "pays", Value: text, Standard: text},
		}}
		if row.Envy != 0 {
			sum := "$" + plain(row.Envy)
			r.Fields = append(r.Fields, Field{Key: "envy." + row.Combo.String(), Label: "envy", Value: sum, Standard: sum})
		}
		g.Rows = append(g.Rows, r)
	}
	if rule.Stake == rules.WithinLimits {
		limit := v.Limits[w]
		g.Rows = append(g.Rows, Row{Label: "limits", Fields: []Field{
			{Key: "limits." + w.String() + ".min", Label: "min", Value: bound(limit.Min), Standard: bound(limit.Min)},
			{Key: "limits." + w.String() + ".max", Label: "max", Value: bound(limit.Max), Standard: bound(limit.Max)},
		}})
	}
	return g
}

// pay writes a pay as a variant file has it, odds "to 1" as the number alone.
func pay(p rules.Pay) string {
	switch {
	case p.MeterPercent != 0:
		return fmt.Sprintf("%d%% of the meter", p.MeterPercent)
	case p.Fixed != 0:
		return "$" + plain(p.Fixed)
	case p.Odds.For == 1:
		return strconv.FormatInt(p.Odds.To, 10)
	}
	return p.Odds.String()
}

// plain writes an amount without cents where there are none.
func plain(a money.Amount) string { return strings.TrimSuffix(a.String(), ".00") }

// bound writes a limit; none is empty.
func bound(a money.Amount) string {
	if a == 0 {
		return ""
	}
	return plain(a)
}
