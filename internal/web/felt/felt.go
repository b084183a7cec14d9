// Package felt draws the cards and chips on a table, and the layout with its boxes. It draws
// what it is handed and knows nobody who looks: whoever calls it has asked table.View what may
// be seen, or shows an example in which all may be.
package felt

import (
	"embed"
	"slices"

	"github.com/a-h/templ"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

//go:embed *.css card-back.svg
var Files embed.FS

// courts are the figures of the picture cards as symbols: the upper half of each, whose
// colours the suit gives. See felt.css.
//
//go:embed courts.svg
var courts string

// Face is a card as it lies on the felt.
type Face struct {
	// Card is card.None where its face is not known.
	Card card.Card
	// Down says that it lies face down all the same: in an example its face is
	// then shown small, on a card that is seen from behind.
	Down bool
}

// Up returns cards that lie face up; those that are not known lie face down.
func Up(cards ...card.Card) []Face {
	faces := make([]Face, len(cards))
	for i, c := range cards {
		faces[i] = Face{c, !c.Valid()}
	}
	return faces
}

// Table is a layout as it is drawn.
type Table struct {
	Book   *rules.Book
	Phase  table.Phase
	Round  int
	Dealer []Face
	Rank   string // the dealer's hand in words, empty while it is not known
	Burn   []Face
	Boxes  []Box
	Said   string // what the dealer says
	Lines  []table.Line
	Offers []table.Offer
	Asked  string // the open question
}

// Box is one box of it.
type Box struct {
	table.BoxPicture
	Faces []Face
	// Areas are the betting areas on it, for each player who bets there.
	Areas []Area
}

// Area is one stake.
type Area struct {
	Player string
	Wager  rules.Wager
	Amount money.Amount
	Chips  []money.Amount
}

// Of draws what somebody may see.
func Of(v *rules.Variant, p *table.Picture) Table {
	t := Table{
		Book: v.Book, Phase: p.Phase, Round: p.Round, Dealer: Up(p.Dealer...), Rank: p.DealerRank, Burn: Up(p.Burn...),
		Lines: p.Lines, Offers: p.Offers, Asked: p.Question,
	}
	for i := range p.Boxes {
		t.Boxes = append(t.Boxes, box(v, &p.Boxes[i]))
	}
	return t
}

// Example draws everything, for a lesson: cards that lie face down there have
// their faces shown all the same.
func Example(s *table.State) Table {
	picture := table.View(*s, table.Viewer{})
	t := Of(s.Variant, &picture)
	t.Dealer, t.Burn = dealerFaces(s), faces(s, table.BurnPile)
	for i := range t.Boxes {
		t.Boxes[i].Faces = faces(s, table.Box(i+1))
		if h, n := s.Hand(table.Box(i + 1)); n == 3 && h.Valid() {
			t.Boxes[i].Rank = s.Variant.Book.Ranking.Describe(h)
		}
	}
	return t
}

// dealerFaces returns the dealer's cards as they lie on the table.
func dealerFaces(s *table.State) []Face {
	out := faces(s, table.DealerHand)
	h, n := s.Hand(table.DealerHand)
	if n != len(h) || slices.ContainsFunc(out, func(f Face) bool { return f.Down }) {
		return out
	}
	for i, c := range table.Arranged(s.Variant.Book, table.DealerHand, h) {
		out[i].Card = c
	}
	return out
}

func faces(s *table.State, at table.Place) []Face {
	var out []Face
	for _, slot := range s.Slots {
		if slot.Place == at {
			out = append(out, Face{slot.Card, !slot.Exposed()})
		}
	}
	return out
}

func box(v *rules.Variant, p *table.BoxPicture) Box {
	b := Box{BoxPicture: *p, Faces: Up(p.Cards...)}
	for _, bettor := range p.Bettors {
		for i := range v.Book.Wagers {
			w := v.Book.Wagers[i].Wager
			if amount := bettor.Stakes[w]; amount != 0 {
				b.Areas = append(b.Areas, Area{bettor.Player, w, amount, Chips(amount, v.Chips)})
			}
		}
	}
	return b
}

// wagerOf is the wager that a line is about.
type wagerOf struct {
	box    int
	player string
	wager  rules.Wager
}

func of(l *table.Line) wagerOf { return wagerOf{l.Box, l.Player, l.Wager} }

// Nets returns the change of a player's money by each of a round's lines, in order. A stake is
// taken from the player once: the first line that settles it has it in its net amount. If the
// wager is settled anew, or goes back after its settlement, the stake lies there already.
func Nets(lines []table.Line) []money.Amount {
	type laid struct {
		// lies is the part of the stake that the player has laid and no line has taken.
		// What is left of it beside a stake that goes back went back too: less was found than
		// had been settled.
		lies money.Amount
		// stake is the amount that lies there again if the settlement is undone. No line says
		// so of a wager that had lost.
		stake  money.Amount
		undone bool
		last   int // the last line with a stake
	}
	nets := make([]money.Amount, len(lines))
	wagers := map[wagerOf]*laid{}
	for i := range lines {
		l := &lines[i]
		w := wagers[of(l)]
		if w == nil {
			w = &laid{}
			wagers[of(l)] = w
		}
		nets[i] = l.Returned - l.Reverses
		if l.Stake == 0 {
			w.undone = w.undone || l.Reverses != 0
			continue
		}
		if w.undone || l.Reverses != 0 {
			if w.lies != 0 {
				nets[w.last] += w.lies
			}
			w.lies, w.undone = w.stake, false
		}
		if l.Result != rules.GivenBack || w.lies < l.Stake {
			// It is all that lay there: what was found to be more was laid too, and what was
			// found to be less has gone back.
			nets[i] -= l.Stake - w.lies
			w.lies = l.Stake
		}
		w.lies -= l.Stake
		w.stake, w.undone = l.Stake, l.Result != rules.GivenBack
		w.last = i
	}
	for _, w := range wagers {
		if w.lies != 0 && !w.undone {
			nets[w.last] += w.lies
		}
	}
	return nets
}

// netsLast returns the net amounts of the last lines of a round: a stake that an earlier line
// has taken is in none of them.
func netsLast(all, last []table.Line) []money.Amount {
	if len(last) > len(all) {
		return Nets(last) // The next round has begun since.
	}
	return Nets(all)[len(all)-len(last):]
}

// standing reports which of a round's lines hold: none that has been undone since, because the
// wager was settled anew or went back, and none that only undoes.
func standing(lines []table.Line) []bool {
	stands := make([]bool, len(lines))
	for i := range lines {
		l := &lines[i]
		var paid []int // earlier lines of the wager that hold, and for which something was paid
		for k := range i {
			earlier := &lines[k]
			switch {
			case !stands[k] || of(earlier) != of(l):
			case l.Stake != 0:
				stands[k] = earlier.Result == rules.GivenBack && earlier.Stake != 0
			case earlier.Returned != 0:
				paid = append(paid, k)
			}
		}
		stands[i] = true
		if l.Stake == 0 && l.Reverses != 0 {
			for _, k := range undone(lines, paid, l.Reverses) {
				stands[k], stands[i] = false, false
			}
		}
	}
	return stands
}

// undone returns the lines whose payments were collected again in one sum; none where it is a
// part of a payment.
func undone(lines []table.Line, paid []int, sum money.Amount) []int {
	for _, k := range slices.Backward(paid) {
		if lines[k].Returned == sum {
			return []int{k}
		}
	}
	for n := range slices.Backward(paid) {
		if sum -= lines[paid[n]].Returned; sum == 0 {
			return paid[n:]
		}
	}
	return nil
}

// Held returns the lines of a round that hold, in order, and what each changed for the player.
// The last one of a wager carries the changes by lines that were revoked.
func Held(lines []table.Line) (held []table.Line, nets []money.Amount) {
	stands, each := standing(lines), Nets(lines)
	rest, last := map[wagerOf]money.Amount{}, map[wagerOf]int{}
	for i := range lines {
		l := &lines[i]
		rest[of(l)] += each[i]
		if !stands[i] {
			continue
		}
		last[of(l)] = len(held)
		net := each[i]
		if l.Result == rules.GivenBack && l.Stake != 0 {
			net = 0
		}
		rest[of(l)] -= net
		held, nets = append(held, *l), append(nets, net)
	}
	for at, i := range last {
		nets[i] += rest[at]
	}
	return held, nets
}

// UsualChips are the denominations that a table has in its rack. A book may permit others,
// such as chips of $2 to $4, for sums that are less than the next one.
var UsualChips = []money.Amount{
	1 * money.Major, 5 * money.Major, 25 * money.Major, 100 * money.Major, 500 * money.Major,
	1000 * money.Major, 5000 * money.Major, 10_000 * money.Major,
}

// house lists the values of chips where a table names no denominations.
var house = UsualChips[:len(UsualChips)-1]

// highest bounds the chips of a stack that are drawn; the amount beside it is exact.
const highest = 6

// Chips returns an amount in chips, the largest first and no more than can be
// drawn. What no chip is small enough for becomes one chip more. A table's chips that are not
// among [UsualChips] are drawn only where its others do not come to the amount.
func Chips(amount money.Amount, denominations []money.Amount) []money.Amount {
	if len(denominations) == 0 {
		denominations = house
	}
	sorted := slices.Clone(denominations)
	slices.Sort(sorted)
	usual := slices.DeleteFunc(slices.Clone(sorted), func(d money.Amount) bool { return !slices.Contains(UsualChips, d) })
	if len(usual) > 0 && amount%usual[0] == 0 {
		sorted = usual
	}
	var chips []money.Amount
	for _, d := range slices.Backward(sorted) {
		for amount >= d && len(chips) < highest {
			chips = append(chips, d)
			amount -= d
		}
	}
	if len(chips) == 0 {
		chips = append(chips, sorted[0])
	}
	return chips
}

// colour returns the class of a chip, by its value.
func colour(a money.Amount) string {
	switch {
	case a < 1*money.Major:
		return "chip-cents"
	case a < 5*money.Major:
		return "chip-1"
	case a < 25*money.Major:
		return "chip-5"
	case a < 100*money.Major:
		return "chip-25"
	case a < 500*money.Major:
		return "chip-100"
	case a < 1000*money.Major:
		return "chip-500"
	case a < 5000*money.Major:
		return "chip-1000"
	}
	return "chip-5000"
}

// short returns the number on a chip.
func short(a money.Amount) string {
	text := a.String()
	if a%money.Major == 0 {
		text = text[:len(text)-3]
	}
	if a >= 1000*money.Major && a%(1000*money.Major) == 0 {
		return text[:len(text)-3] + "K"
	}
	return text
}

// suit returns the class and symbol of a card's suit.
func suit(c card.Card) string {
	switch c.Suit() {
	case card.Clubs:
		return "clubs"
	case card.Diamonds:
		return "diamonds"
	case card.Hearts:
		return "hearts"
	case card.Spades:
		return "spades"
	}
	return "none"
}

// court returns the symbol of a picture card, empty for any other.
func court(c card.Card) string {
	switch c.Rank() {
	case card.King:
		return "king"
	case card.Queen:
		return "queen"
	case card.Jack:
		return "jack"
	default:
		return ""
	}
}

// pips says where on the card its suit stands, for the ranks from two to ten and
// the ace; those in the lower half stand on their heads.
func pips(c card.Card) []pip {
	const left, middle, right = 86, 125, 164
	const top, upper, high, centre = 72, 124, 141, 175
	low, lower, bottom := 2*centre-high, 2*centre-upper, 2*centre-top
	corners := []pip{{left, top}, {right, top}, {left, bottom}, {right, bottom}}
	switch c.Rank() {
	case card.Ace:
		return []pip{{middle, centre}}
	case card.Two:
		return []pip{{middle, top}, {middle, bottom}}
	case card.Three:
		return []pip{{middle, top}, {middle, centre}, {middle, bottom}}
	case card.Four:
		return corners
	case card.Five:
		return append(corners, pip{middle, centre})
	case card.Six:
		return append(corners, pip{left, centre}, pip{right, centre})
	case card.Seven:
		return append(corners, pip{left, centre}, pip{right, centre}, pip{middle, upper})
	case card.Eight:
		return append(corners, pip{left, centre}, pip{right, centre}, pip{middle, upper}, pip{middle, lower})
	case card.Nine:
		return append(corners, pip{left, high}, pip{right, high}, pip{left, low}, pip{right, low}, pip{middle, centre})
	case card.Ten:
		return append(corners, pip{left, high}, pip{right, high}, pip{left, low}, pip{right, low}, pip{middle, (top + high) / 2}, pip{middle, 2*centre - (top+high)/2})
	default:
		return nil
	}
}

type pip struct{ X, Y int }

// narrowed keeps the two signs of a ten within its corner.
func narrowed(c card.Card) templ.Attributes {
	if c.Rank() != card.Ten {
		return nil
	}
	return templ.Attributes{"textLength": "44", "lengthAdjust": "spacingAndGlyphs"}
}

// ColorClass returns the class of the colours of a book's felt, print and rail (see felt.css). A
// book without one has the colours of the site.
func ColorClass(b *rules.Book) string { return colorClasses[b.ID] }

var colorClasses = map[string]string{
	"rws-3cp": "felt-emerald", "us-3cp": "felt-midnight", "sm-3cp": "felt-garnet", "fr-p3c": "felt-petrol", "mbs-3pictures": "felt-violet",
}
