package play

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// UsualBoxes is the number of boxes of a table unless more or fewer are asked for: as
// many as the smallest screen shows side by side.
const UsualBoxes = 5

// equipment is the dealing device of every table here.
var equipment = table.Config{Device: rules.Shuffler, Cards: table.Virtual}

// posted are the limits that this house displays where a book leaves them to
// the table's display. A book's own limits come before them.
var posted = map[rules.Wager]rules.Limit{
	rules.Ante:          {Min: 5 * money.Major, Max: 200 * money.Major},
	rules.PairPlus:      {Min: 5 * money.Major, Max: 200 * money.Major},
	rules.Bonus:         {Min: 1 * money.Major, Max: 10 * money.Major},
	rules.Main:          {Min: 5 * money.Major, Max: 200 * money.Major},
	rules.Tie:           {Min: 1 * money.Major, Max: 50 * money.Major},
	rules.RoyalPictures: {Min: 1 * money.Major, Max: 50 * money.Major},
}

var usualChips = []money.Amount{1 * money.Major, 5 * money.Major, 25 * money.Major, 100 * money.Major}

// Game is a choice of the player: a book, and the choices that this house leaves open.
type Game struct {
	// Book is the reference of the rule book.
	Book string
	// Boxes is the number of boxes on the table; zero is the usual number.
	Boxes int
	// PayTable names one of the pay tables that the book offers for a wager,
	// such as "TCPB-03E"; empty is the first.
	PayTable string
	// By names the operator's variant that is played; empty for the home game.
	By string
}

// homeGame stands behind the reference of the book in the name of a home game.
const homeGame = " (home game)"

// gameOf returns the game of which the rules are in force, which may be none.
func gameOf(v *rules.Variant) Game {
	if v == nil {
		return Game{}
	}
	g := Game{Book: v.Book.Ref(), Boxes: v.Boxes}
	if v.ID != v.Book.Ref()+homeGame {
		g.By = v.ID
	} else if w, _ := Choices(v.Book); w != 0 {
		g.PayTable = v.Pays[w].Name
	}
	return g
}

// Variant returns the home game: the book with limits posted, with usual chips,
// and the one discretion that it uses in the player's favour, two adjacent boxes
// where the book lets a house allow them.
func (g Game) Variant() (*rules.Variant, error) {
	b, err := books.Find(g.Book)
	if err != nil {
		return nil, err
	}
	v := b.Standard().Clone()
	v.ID = b.Ref() + homeGame
	v.Boxes = g.Boxes
	if g.Boxes == 0 {
		v.Boxes = min(UsualBoxes, b.Boxes.Default)
	}
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		if limit := v.Limits[rule.Wager]; rule.Stake == rules.WithinLimits && limit == (rules.Limit{}) {
			v.Limits[rule.Wager] = posted[rule.Wager]
		}
	}
	if len(v.Chips) == 0 {
		v.Chips = usualChips
	}
	if b.OpenRuling(rules.AdjacentBoxes) != nil {
		v.Choices[rules.AdjacentBoxes] = rules.Yes
	}
	if g.PayTable != "" {
		w, names := Choices(b)
		if w == 0 {
			return nil, fmt.Errorf("%s has one pay table for each wager, so there is none to choose", b.Ref())
		}
		if err := v.UsePayTable(w, g.PayTable); err != nil {
			return nil, fmt.Errorf("there is no pay table %q for %s: choose from %s", g.PayTable, w.Name(), strings.Join(names, ", "))
		}
	}
	if v.Boxes < b.Boxes.Least() || v.Boxes > b.Boxes.Max {
		return nil, fmt.Errorf("a table of %s has %d to %d boxes, not %d (%s)", b.Title, b.Boxes.Least(), b.Boxes.Max, v.Boxes, b.ClauseRef(b.Boxes.Clauses.Count))
	}
	return v, v.Check()
}

// variantOf returns the variant in which a book is played: the operator's variant if there is one,
// or else the home game with the requested number of boxes, or that of its layout.
func (s *Session) variantOf(b *rules.Book, payTable string) (*rules.Variant, error) {
	if v := s.host.Variant; v != nil && v.Book.ID == b.ID {
		if payTable != "" {
			return nil, fmt.Errorf("%s is played by the variant %s here, which has its own pay tables", b.Title, v.ID)
		}
		return v, nil
	}
	boxes := min(s.host.Boxes, b.Boxes.Max)
	if boxes > 0 {
		boxes = max(boxes, b.Boxes.Least())
	}
	return Game{Book: b.Ref(), Boxes: boxes, PayTable: payTable}.Variant()
}

// tableOf returns the table of the house at which certain rules are in force, and puts it
// on the floor if there is none. Tables whose progressives have the same terms share one.
func (s *Session) tableOf(v *rules.Variant) (string, error) {
	names, jackpots := map[string]bool{}, map[string]bool{}
	for _, name := range s.house.Tables() {
		standing, err := s.house.Status(name)
		if err != nil {
			return "", err
		}
		inForce := standing.InForce()
		if inForce.Variant.ID == v.ID && inForce.Variant.Hash() == v.Hash() {
			return name, nil
		}
		names[name], jackpots[inForce.Jackpot] = true, true
	}
	t := house.Table{Name: unused(v.Book.ID, names), Variant: v, Config: equipment, Jackpot: s.jackpotOf(v), Mode: house.Automatic}
	if v.Jackpot != nil && t.Jackpot == "" {
		t.Jackpot = unused("jackpot", jackpots)
	}
	return t.Name, s.house.Install(context.Background(), t, operator)
}

// unused returns a name that nothing has yet.
func unused(name string, used map[string]bool) string {
	found := name
	for n := 2; used[found]; n++ {
		found = name + "-" + strconv.Itoa(n)
	}
	return found
}

// jackpotOf returns the jackpot of the house that has the terms of a variant, empty if
// none has.
func (s *Session) jackpotOf(v *rules.Variant) string {
	terms, ok := linked.Terms(v)
	if !ok {
		return ""
	}
	for _, name := range s.house.Tables() {
		standing, err := s.house.Status(name)
		if err != nil {
			continue
		}
		if has, ok := linked.Terms(standing.Variant); ok && has == terms {
			return standing.Jackpot
		}
	}
	return ""
}

// MeterAt returns the displayed value of the jackpot for which a book is played in this
// session; ok is false if there is none, or it has never been opened.
func (s *Session) MeterAt(b *rules.Book) (displayed money.Amount, ok bool) {
	v, err := s.variantOf(b, "")
	if err != nil {
		return 0, false
	}
	m, ok := s.house.Jackpot(s.jackpotOf(v))
	return m.Displayed(), ok
}

// Meter returns the displayed value of the table's jackpot; ok is false at a table
// without one.
func (s *Session) Meter() (displayed money.Amount, ok bool) {
	if s.state.Variant == nil {
		return 0, false
	}
	m, ok := s.house.Jackpot(s.jackpotOf(s.state.Variant))
	return m.Displayed(), ok
}

// Fits refuses a variant that cannot be played at home.
func Fits(v *rules.Variant) error {
	if v.Jackpot == nil {
		return v.Check()
	}
	_, m, err := linked.Open(v, 0, 0)
	if err != nil {
		return err
	}
	return linked.Check(v, m)
}

// By returns the name of the operator's variant by which a book is played in this
// session, empty where it is the home game.
func (s *Session) By(b *rules.Book) string {
	if v := s.host.Variant; v != nil && v.Book.ID == b.ID {
		return v.ID
	}
	return ""
}

// PayTables returns the wager whose pay table the player may choose at the table,
// and the names; no wager where there is nothing to choose.
func (s *Session) PayTables() (rules.Wager, []string) {
	if g := s.Game(); g.Book == "" || g.By != "" {
		return 0, nil
	}
	return Choices(s.state.Variant.Book)
}

// Wagers lists the wagers that can be placed at the table before the deal, in the
// order of the layout.
func (s *Session) Wagers() []rules.Wager {
	v := s.state.Variant
	return slices.DeleteFunc(Placed(v.Book), func(w rules.Wager) bool {
		return v.Jackpot == nil && v.Book.Rule(w).Stake == rules.Prescribed
	})
}

// Chips returns the denominations on the table, ascending.
func (s *Session) Chips() []money.Amount {
	if s.state.Variant == nil || len(s.state.Variant.Chips) == 0 {
		return usualChips
	}
	return s.state.Variant.Chips
}

// OnlyStake returns the one amount of a wager that can only be bet so.
func OnlyStake(v *rules.Variant, w rules.Wager) (money.Amount, bool) {
	limit := v.Limits[w]
	return limit.Max, limit.Max > 0 && limit.Min == limit.Max
}

// LimitWords returns the limits of a bet in words.
func LimitWords(l rules.Limit) string {
	switch {
	case l == rules.Limit{}:
		return "any amount"
	case l.Min == l.Max:
		return "$" + Chips(l.Max)
	case l.Max == 0:
		return "from $" + Chips(l.Min)
	case l.Min == 0:
		return "up to $" + Chips(l.Max)
	}
	return "$" + Chips(l.Min) + " to $" + Chips(l.Max)
}

// Choices returns the wager for which a book offers several pay tables, and
// their names; no wager where there is nothing to choose.
func Choices(b *rules.Book) (rules.Wager, []string) {
	for i := range b.Wagers {
		rule := &b.Wagers[i]
		if len(rule.Pays) < 2 {
			continue
		}
		names := make([]string, len(rule.Pays))
		for k := range rule.Pays {
			names[k] = rule.Pays[k].Name
		}
		return rule.Wager, names
	}
	return 0, nil
}

// Placed lists the wagers of a book that are placed before the deal, in the
// order of the layout.
func Placed(b *rules.Book) []rules.Wager {
	var placed []rules.Wager
	for i := range b.Wagers {
		if s := b.Wagers[i].Stake; s == rules.WithinLimits || s == rules.Prescribed {
			placed = append(placed, b.Wagers[i].Wager)
		}
	}
	return placed
}
