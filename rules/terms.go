package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"trey/internal/strict"
	"trey/money"
)

// Terms are what one table has in force, as bytes: they name the book by the hash of
// its declaration, and their own hash is the one by which records name rules. The types
// of this file are their form, apart from those that the engine plays by.

// termsForm is the form in which this program writes and reads terms.
const termsForm = "trey terms 1"

// statedTerms is the form of terms. As in a declaration, a key that is added later must
// mean, left out, what terms without it mean today.
type statedTerms struct {
	Form string `json:"form"`
	// Book, Revision and BookHash name the declaration.
	Book     string            `json:"book"`
	Revision int               `json:"revision"`
	BookHash string            `json:"book_hash"`
	Boxes    int               `json:"boxes"`
	Chips    []money.Amount    `json:"chips,omitempty"`
	Wagers   []statedWager     `json:"wagers"`
	Rulings  map[string]string `json:"rulings"`
	Rounding statedRounding    `json:"rounding"`
	GraceMs  int64             `json:"grace_ms"`
	Jackpot  *statedJackpot    `json:"jackpot,omitempty"`
}

type statedWager struct {
	Wager string       `json:"wager"`
	Limit statedLimit  `json:"limit"`
	Pays  *statedTable `json:"pays,omitempty"`
}

type statedRounding struct {
	Unit   money.Amount `json:"unit"`
	Favour string       `json:"favour"`
}

type statedJackpot struct {
	Bet     money.Amount `json:"bet"`
	Reset   money.Amount `json:"reset"`
	RateNum int64        `json:"rate_num"`
	RateDen int64        `json:"rate_den"`
	Ceiling money.Amount `json:"ceiling"`
}

// The keys of those whom a rounding favours.
const (
	favourPlayer = "player"
	favourHouse  = "house"
)

// Terms returns everything that can change how a round is played or paid, as bytes;
// the name of the variant cannot. [ReadTerms] reads them.
func (v *Variant) Terms() []byte {
	t := statedTerms{
		Form: termsForm, Book: v.Book.Ref(), Revision: v.Book.Revision, BookHash: v.Book.Hash(),
		Boxes: v.Boxes, Chips: v.Chips, Wagers: []statedWager{}, Rulings: map[string]string{},
		Rounding: statedRounding{v.Rounding.Unit, favourPlayer}, GraceMs: v.GraceMs,
	}
	if t.Rounding.Unit == 0 {
		t.Rounding.Unit = money.Minor // the same, said otherwise
	}
	if v.Rounding.Favour == money.House {
		t.Rounding.Favour = favourHouse
	}
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		out := statedWager{keyOf(w, wagerKeys), statedLimit(v.Limits[w]), nil}
		if v.Pays[w] != nil {
			pays := stateTable(v.Pays[w])
			out.Pays = &pays
		}
		t.Wagers = append(t.Wagers, out)
	}
	for _, r := range v.Book.OpenRulings() {
		t.Rulings[keyOf(r.Ruling, rulingKeys)] = keyOf(v.Choices[r.Ruling], choiceKeys)
	}
	if j := v.Jackpot; j != nil {
		stated := statedJackpot(*j)
		t.Jackpot = &stated
	}
	return canonical(&t)
}

// Hash returns the hash of the terms, 64 hexadecimal digits. Two variants with the
// same hash play alike.
func (v *Variant) Hash() string { return HashOf(v.Terms()) }

// ReadTerms reads what [Variant.Terms] writes, of the book that was declared for them.
// The variant has no name: whoever recorded the terms knows it.
//
// A point that the declaration does not leave open and the program's book does has the
// value that older records mean. Terms that are missing, unknown or unplayable are an
// error.
func ReadTerms(text []byte, declared *Book) (*Variant, error) {
	var form struct{ Form string }
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, fmt.Errorf("the terms are no JSON: %w", err)
	}
	if form.Form != termsForm {
		return nil, fmt.Errorf("the terms have the form %q, and this program reads %q: %w", form.Form, termsForm, ErrUnreadable)
	}
	var t statedTerms
	if err := strict.Read(text, &t); err != nil {
		return nil, fmt.Errorf("the terms: %w: %w", err, ErrUnreadable)
	}
	if t.Book != declared.Ref() || t.Revision != declared.Revision || t.BookHash != declared.Hash() {
		return nil, fmt.Errorf("the terms are of %s, revision %d, with the hash %s, and the declaration is %s, revision %d, with the hash %s",
			t.Book, t.Revision, t.BookHash, declared.Ref(), declared.Revision, declared.Hash())
	}
	v, err := t.variant(declared)
	if err != nil {
		return nil, fmt.Errorf("the terms: %w", err)
	}
	if err := v.CheckRecorded(); err != nil {
		return nil, fmt.Errorf("the terms: %w", err)
	}
	if !bytes.Equal(v.Terms(), text) {
		return nil, fmt.Errorf("the terms are not written in the one form that there is: %w", ErrUnreadable)
	}
	return v, nil
}

func (t *statedTerms) variant(b *Book) (*Variant, error) {
	var r keyReader
	v := &Variant{
		Book: b, ID: b.Ref(), Boxes: t.Boxes, Chips: t.Chips, Choices: b.choices(), GraceMs: t.GraceMs,
		Rounding: money.Rounding{Unit: t.Rounding.Unit},
	}
	if v.Rounding.Unit == money.Minor {
		v.Rounding.Unit = 0 // the same, as books and variant files say it
	}
	switch t.Rounding.Favour {
	case favourPlayer:
		v.Rounding.Favour = money.Player
	case favourHouse:
		v.Rounding.Favour = money.House
	default:
		r.unknown("favour", t.Rounding.Favour)
	}
	for i := range t.Wagers {
		w := keyed(&r, "wager", t.Wagers[i].Wager, wagerKeys)
		if b.Rule(w) == nil {
			r.unknown("wager of "+b.Ref(), t.Wagers[i].Wager)
			break
		}
		v.Limits[w] = Limit(t.Wagers[i].Limit)
		if t.Wagers[i].Pays != nil {
			pays := t.Wagers[i].Pays.table(&r)
			v.Pays[w] = &pays
		}
	}
	for _, open := range b.OpenRulings() {
		key := keyOf(open.Ruling, rulingKeys)
		stated, ok := t.Rulings[key]
		if !ok {
			return nil, fmt.Errorf("%s leaves %s open, and they do not settle it", b.Ref(), key)
		}
		v.Choices[open.Ruling] = keyed(&r, "value of "+key, stated, choiceKeys)
	}
	for key := range t.Rulings {
		if !slices.ContainsFunc(b.OpenRulings(), func(o OpenRuling) bool { return keyOf(o.Ruling, rulingKeys) == key }) {
			r.unknown("ruling that "+b.Ref()+" leaves open", key)
		}
	}
	if j := t.Jackpot; j != nil {
		terms := JackpotTerms(*j)
		v.Jackpot = &terms
	}
	return v, r.err
}

// ErrNotCarried is wrapped where a table's terms cannot go over to another revision of
// its book.
var ErrNotCarried = errors.New("choose other rules for the table")

// CarriedTo returns the variant under another declaration of its book, such as a later revision. It
// keeps its limits, pays, rulings and terms; rulings that were added have the values by which
// earlier rounds were played. An error wraps [ErrNotCarried] and names what cannot be kept.
func (v *Variant) CarriedTo(to *Book) (*Variant, error) {
	no := func(format string, args ...any) (*Variant, error) {
		return nil, fmt.Errorf("%s, revision %d, cannot go over to revision %d: %w: %w", v.Book.Ref(), v.Book.Revision, to.Revision, fmt.Errorf(format, args...), ErrNotCarried)
	}
	if v.Book.Ref() != to.Ref() {
		return no("this program has %s in its place", to.Ref())
	}
	c := v.Clone()
	c.Book, c.Choices = to, to.choices()
	for i := range to.Wagers {
		w := to.Wagers[i].Wager
		if v.Book.Rule(w) == nil {
			return no("the wager %s was added", w)
		}
		if v.Pays[w] != nil {
			pays := to.Wagers[i].keep(v.Pays[w])
			c.Pays[w] = &pays
		}
	}
	for i := range v.Book.Wagers {
		if w := v.Book.Wagers[i].Wager; to.Rule(w) == nil {
			return no("the wager %s is gone", w)
		}
	}
	for _, r := range to.OpenRulings() {
		switch {
		case v.Book.Values(r.Ruling) != nil:
			c.Choices[r.Ruling] = v.Choices[r.Ruling]
			if !slices.Contains(r.Values, v.Choices[r.Ruling]) {
				return no("the ruling %s no longer has the value %s", r.Ruling, v.Choices[r.Ruling])
			}
		case r.Older == 0:
			return no("the ruling %s was added, and nothing says what was played before", r.Ruling)
		default:
			c.Choices[r.Ruling] = r.Older
		}
	}
	for _, r := range v.Book.OpenRulings() {
		if to.Values(r.Ruling) == nil {
			return no("the ruling %s is gone", r.Ruling)
		}
	}
	if err := c.CheckRecorded(); err != nil {
		return no("%w", err)
	}
	return c, nil
}

// keep returns a pay table of another declaration for the wager: its pays stay, its
// rows cite the clauses of this one, and it has a name only where this one has that
// table under it.
func (r *WagerRule) keep(t *PayTable) PayTable {
	kept := PayTable{Rows: slices.Clone(t.Rows)}
	for i := range kept.Rows {
		kept.Rows[i].Clause = r.clauseOf(t.Name, &kept.Rows[i])
	}
	for k := range r.Pays {
		if offered := &r.Pays[k]; offered.Name == t.Name && slices.Equal(offered.Rows, kept.Rows) {
			kept.Name = t.Name
		}
	}
	return kept
}

// clauseOf returns the clause that a row of the table with that name cites. A text that
// offers several tables has each under a clause of its own: the row stays with its own, if
// the text still has it, or else follows its table.
func (r *WagerRule) clauseOf(name string, row *PayRow) string {
	clause := row.Clause
	for k := range r.Pays {
		for n := range r.Pays[k].Rows {
			switch at := &r.Pays[k].Rows[n]; {
			case at.Combo != row.Combo:
			case at.Clause == row.Clause:
				return row.Clause
			case clause == row.Clause, r.Pays[k].Name == name:
				clause = at.Clause
			}
		}
	}
	return clause
}
