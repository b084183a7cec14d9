package play

import (
	"fmt"
	"slices"
	"strings"

	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Player is the name under which the person plays; it stands in announcements
// and refusals as it is.
const Player = "Player"

// UsualBoxes is how many boxes a table has unless more or fewer are asked for:
// as many as the smallest screen shows side by side.
const UsualBoxes = 5

var (
	you   = table.Actor{Name: Player, Role: rules.Player}
	staff = table.Actor{Name: "Dealer", Role: rules.Dealer, Automatic: true}
	boss  = table.Actor{Name: "Supervisor", Role: rules.PitSupervisor}
)

// equipment is what every table here is dealt from.
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

// Game is what a player sits down to: a book, and what this house leaves open.
type Game struct {
	// Book is the reference of the rule book.
	Book string `json:"book"`
	// Boxes is the number of boxes on the table; zero is the usual number.
	Boxes int `json:"boxes"`
	// PayTable names one of the pay tables that the book offers for a wager,
	// such as "TCPB-03E"; empty is the first.
	PayTable string `json:"pay_table,omitempty"`
	// Others is the number of other players at the table.
	Others int `json:"others,omitempty"`
	// By names the operator's variant that is played; empty for the home game.
	By string `json:"variant,omitempty"`
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
	v.ID = b.Ref() + " (home game)"
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
	if b.Boxes.Adjacent {
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
	if v.Boxes < 1 || v.Boxes > b.Boxes.Max {
		return nil, fmt.Errorf("a table of %s has 1 to %d boxes, not %d (%s)", b.Title, b.Boxes.Max, v.Boxes, b.ClauseRef(b.Boxes.Clauses.Count))
	}
	return v, v.Check()
}

// variantOf returns the game that is played of a book: an operator's variant if
// there is one, or else the home game with as many boxes as were asked for, or as
// its layout has.
func (s *Session) variantOf(b *rules.Book, payTable string) (Game, *rules.Variant, error) {
	if v := s.host.Variant; v != nil && v.Book.ID == b.ID {
		if payTable != "" {
			return Game{}, nil, fmt.Errorf("%s is played by the variant %s here, which has its own pay tables", b.Title, v.ID)
		}
		return Game{Book: v.Book.Ref(), Boxes: v.Boxes, Others: min(s.host.Others, v.Boxes-1), By: v.ID}, v, nil
	}
	g := Game{Book: b.Ref(), Boxes: min(s.boxes, b.Boxes.Max), PayTable: payTable}
	v, err := g.Variant()
	if err != nil {
		return Game{}, nil, err
	}
	g.Boxes = v.Boxes
	g.Others = min(s.host.Others, v.Boxes-1)
	return g, v, nil
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
	if s.now.variant == nil || s.now.game.By != "" {
		return 0, nil
	}
	return Choices(s.now.variant.Book)
}

// Wagers lists the wagers that can be placed at the table before the deal, in the
// order of the layout.
func (s *Session) Wagers() []rules.Wager { return s.now.wagers() }

func (m *moment) wagers() []rules.Wager {
	v := m.variant
	return slices.DeleteFunc(Placed(v.Book), func(w rules.Wager) bool {
		return v.Jackpot == nil && v.Book.Rule(w).Stake == rules.Prescribed
	})
}

// Chips are the denominations on the table, ascending.
func (s *Session) Chips() []money.Amount {
	if s.now.variant == nil || len(s.now.variant.Chips) == 0 {
		return usualChips
	}
	return s.now.variant.Chips
}

// OnlyStake returns the one amount of a wager that can only be bet so.
func OnlyStake(v *rules.Variant, w rules.Wager) (money.Amount, bool) {
	limit := v.Limits[w]
	return limit.Max, limit.Max > 0 && limit.Min == limit.Max
}

// LimitWords says what may be bet.
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
