package console

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"trey/internal/web/felt"
	"trey/internal/web/site"
	"trey/rules"
	"trey/table"
)

// handCards is the number of cards in a hand.
const handCards = 3

// keying is a step for which cards are keyed in, and where they go.
type keying struct {
	act
	// at lists the hands that may be named, the usual one first; it is empty for a deal.
	at []keyedHand
	// places are the places of the cards, in order.
	places []table.Place
	// folded puts the pad away: cards may be named here and need not be.
	folded bool
}

// keyedHand is a hand whose cards are named.
type keyedHand struct {
	act
	place table.Place
}

// placesText lists places as a form carries them.
func placesText(places []table.Place) string {
	keys := make([]string, len(places))
	for i, p := range places {
		keys[i] = placeKey(p)
	}
	return strings.Join(keys, " ")
}

// keyings returns the steps of the flow for which cards are named, the usual one first.
// Hands at the boxes come before the dealer's, in the order in which they are paid; those of
// which it is recorded that they stay face down come last.
func (t *tableView) keyings() (all []keying) {
	fromRight := t.State.Variant().Book.Order.FromRight
	keptDown := func(h keyedHand) int {
		if h.place.IsBox() && t.State.KeptDown(int(h.place)) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(t.shows, func(a, b keyedHand) int {
		if one, other := keptDown(a), keptDown(b); one != other {
			return one - other
		}
		if fromRight {
			return cmp.Compare(b.place, a.place)
		}
		return cmp.Compare(a.place, b.place)
	})
	for _, kind := range []string{"show", "lay-up"} {
		var at []keyedHand
		for _, h := range t.shows {
			if h.kind == kind {
				at = append(at, h)
			}
		}
		if len(at) > 0 {
			all = append(all, keying{act: at[0].act, at: at, places: slices.Repeat([]table.Place{at[0].place}, at[0].most), folded: kind == "lay-up"})
		}
	}
	for i := range t.flow {
		a := &t.flow[i]
		switch {
		case a.most == 0:
		case a.kind == "deal":
			all = append(all, keying{act: *a, places: t.State.ToCome(), folded: a.cards == 0})
		default:
			all = append(all, keying{act: *a, places: slices.Repeat([]table.Place{table.DealerHand}, a.most)})
		}
	}
	return all
}

// turn returns the place that comes next, zero for none.
func (t *tableView) turn() table.Place {
	if t.question != nil {
		return 0
	}
	if all := t.keyings(); len(all) > 0 && !t.paysNext() && !(all[0].folded && all[0].kind != "deal") {
		return all[0].places[0]
	}
	switch {
	case t.State.Phase() == table.Showing && t.nextBox > 0:
		return table.Box(t.nextBox)
	case t.State.Phase() == table.Deciding && len(t.hands) > 0 && t.hands[0].box > 0:
		return table.Box(t.hands[0].box)
	}
	return 0
}

// slot is the place of a card, dealt or to come.
type slot struct {
	felt.Face
	// todo says that the card has to be keyed in.
	todo, empty bool
}

// slots returns the slots of a place: the cards there, and room for those to come.
func (t *tableView) slots(p table.Place, faces []felt.Face, room int) []slot {
	var all []slot
	known := t.State.Known(p)
	for i, f := range faces {
		all = append(all, slot{Face: f, todo: f.Down && (i >= len(known) || !known[i])})
	}
	for len(all) < room {
		all = append(all, slot{empty: true, todo: true})
	}
	return all
}

// boxSlots returns the slots of a box: room for a hand where one is due.
func (t *tableView) boxSlots(b *felt.Box) []slot {
	room := 0
	if len(b.Faces) > 0 || slices.Contains(t.State.ToCome(), table.Box(b.Box)) {
		room = handCards
	}
	return t.slots(table.Box(b.Box), b.Faces, room)
}

// rise says how far a seat lies from the ends of the table, which are nearest the dealer.
func rise(n, boxes int) string { return "rise-" + strconv.Itoa(min(n-1, boxes-n, 3)) }

// mostNameRunes bounds the length of a player's name at a box.
const mostNameRunes = 9

// shortName returns the name of a player as it stands at a box: long names and those of guests
// are cut.
func shortName(name string) string {
	runes := []rune(name)
	if len(runes) <= mostNameRunes {
		return name
	}
	return string(runes[:mostNameRunes-1]) + "…"
}

// playersAt returns the players who bet at a box, the one who decides first at the front.
func playersAt(b *felt.Box) (all []string) {
	for i := range b.Bettors {
		all = append(all, b.Bettors[i].Player)
	}
	return all
}

// boxName returns a box with the names of its bettors, as the dealer calls it.
func boxName(v *site.Visit, b *felt.Box) string {
	if all := playersAt(b); len(all) > 0 {
		return v.T("console.box-of", "n", b.Box, "player", strings.Join(all, ", "))
	}
	return v.T("felt.box", "n", b.Box)
}

// placeWords names a place with whoever plays there.
func (t *tableView) placeWords(v *site.Visit, p table.Place) string {
	if p.IsBox() {
		for i := range t.picture.Boxes {
			if b := &t.picture.Boxes[i]; table.Box(b.Box) == p {
				return boxName(v, b)
			}
		}
	}
	return placeName(v, p)
}

// wagerShort returns a wager's name for little room: its initials if it has several words.
func wagerShort(v *site.Visit, w rules.Wager) string {
	name := v.Term(w.Name())
	words := strings.Fields(name)
	if len(words) < 2 {
		return name
	}
	short := ""
	for _, word := range words {
		short += string([]rune(word)[0])
	}
	return short
}
