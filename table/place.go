package table

import (
	"fmt"
	"strconv"

	"trey/card"
	"trey/internal/enum"
	"trey/rules"
	"trey/sentence"
)

// Place is where a card lies: on a box, before the dealer, on the burn pile, or
// out of the round. Box places are the box numbers from 1, box 1 at the
// dealer's left. The zero value is no place.
type Place uint8

// The places that are not boxes.
const (
	// DealerHand is before the dealer.
	DealerHand Place = rules.MaxBoxes + 1 + iota
	// BurnPile holds the burnt card.
	BurnPile
	// Out is out of the round: surplus cards and hands removed from it.
	Out
)

// Box returns the place of a box.
func Box(number int) Place { return Place(number) }

// IsBox reports whether the place is a betting box.
func (p Place) IsBox() bool { return p >= 1 && p <= rules.MaxBoxes }

// String returns "box 3", "dealer", "burn" or "out".
func (p Place) String() string {
	switch {
	case p.IsBox():
		return "box " + strconv.Itoa(int(p))
	case p == DealerHand:
		return "dealer"
	case p == BurnPile:
		return "burn"
	case p == Out:
		return "out"
	}
	return "nowhere"
}

// Sentence names the place in a sentence.
func (p Place) Sentence() sentence.Sentence {
	switch {
	case p.IsBox():
		return sentence.Of("box %d", int(p))
	case p == DealerHand:
		return sentence.Of("the dealer")
	case p == BurnPile:
		return sentence.Of("the burn pile")
	case p == Out:
		return sentence.Of("no hand")
	}
	return sentence.Of("nowhere")
}

// MarshalText writes a box as its number and other places by name; no place is
// empty text.
func (p Place) MarshalText() ([]byte, error) {
	switch {
	case p == 0:
		return nil, nil
	case p.IsBox():
		return strconv.AppendInt(nil, int64(p), 10), nil
	case p <= Out:
		return []byte(p.String()), nil
	}
	return nil, fmt.Errorf("place %d does not exist", p)
}

// UnmarshalText reads what MarshalText writes.
func (p *Place) UnmarshalText(text []byte) error {
	parsed, err := ParsePlace(string(text))
	*p = parsed
	return err
}

// ParsePlace reads a box number, "dealer", "burn" or "out"; empty text is no
// place.
func ParsePlace(s string) (Place, error) {
	switch s {
	case "":
		return 0, nil
	case "dealer":
		return DealerHand, nil
	case "burn":
		return BurnPile, nil
	case "out":
		return Out, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > rules.MaxBoxes {
		return 0, fmt.Errorf("%q is not a place: write a box number from 1 to %d, dealer, burn or out", s, rules.MaxBoxes)
	}
	return Place(n), nil
}

// seen is the set of those who have seen a card: the whole table, or the
// players who examined at given boxes. The zero value is nobody.
type seen uint32

const seenByTable seen = 1

func seenAt(box int) seen { return 1 << box }

// Slot is one card of the round, in the order in which the cards were drawn.
type Slot struct {
	// Card is card.None while the house does not know it.
	Card card.Card
	// Place is where the card lies, Meant where the order of the deal sends it.
	Place, Meant Place
	// mistaken says that the dealer turned the card over by mistake, which is
	// not the same as a card that lay face up in the device.
	mistaken bool
	// ruled says that the book has been applied to the card where it lies, turnRuled that
	// it has been to its having been turned over: no second report changes that. Each is
	// an error of its own, and either can come after the other.
	ruled, turnRuled bool
	// turnedLate says that a player had looked when the card was turned over by mistake.
	turnedLate bool
	// counted is how many cards lay in the hand when the book was applied to their wrong
	// number; zero where it was not. What was ruled on with another number of cards there,
	// or on where they lie or their having been turned, decides nothing about it.
	counted uint8
	seen    seen
	// dealtAtMs is when the card was dealt, in milliseconds as the commands give them.
	dealtAtMs int64
}

// Exposed reports whether the whole table has seen the card.
func (s Slot) Exposed() bool { return s.seen&seenByTable != 0 }

// Phase is where a table stands in its round.
type Phase uint8

// The phases. The zero value is none of them.
const (
	_ Phase = iota
	// Ready: the table is open and no round is in progress.
	Ready
	// Betting: from "Place your bets, please" to "No more bets".
	Betting
	// Dealing: cards are being dealt.
	Dealing
	// Deciding: players examine, play or fold; or view and lay up.
	Deciding
	// Showing: the dealer's hand is shown and the round is to be settled.
	Showing
	// Paid: the round is settled; errors of it can still be found until the
	// next one begins.
	Paid
	// Voided: the round is void.
	Voided
	// Closed: the table takes no rounds.
	Closed
	numPhases
)

var phaseKeys = enum.New("a phase of a table", numPhases, []string{
	Ready: "ready", Betting: "betting", Dealing: "dealing", Deciding: "deciding",
	Showing: "showing", Paid: "settled", Voided: "void", Closed: "closed",
})

// String returns the phase's key, such as "betting".
func (p Phase) String() string { return phaseKeys.Key(p) }

// MarshalText writes the phase's key.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the phase's key.
func (p *Phase) UnmarshalText(text []byte) error { return phaseKeys.Unmarshal(p, text) }

// InRound reports whether a round of play is in progress: from the call that opens
// the bets until all are settled.
//
//clause:rws-3cp@3 1.18
//clause:mbs-3pictures@2 1.1.3
func (p Phase) InRound() bool { return p >= Betting && p <= Showing }

// Decision is the decision for a box.
type Decision uint8

// The decisions. The zero value is a box that is undecided.
const (
	Undecided Decision = iota
	Played
	Folded
)

// String returns the decision's key.
func (d Decision) String() string {
	switch d {
	case Undecided:
		return "undecided"
	case Played:
		return "played"
	case Folded:
		return "folded"
	}
	return "unknown"
}

// MarshalText writes the decision's key.
func (d Decision) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the decision's key.
func (d *Decision) UnmarshalText(text []byte) error {
	for _, known := range []Decision{Undecided, Played, Folded} {
		if known.String() == string(text) {
			*d = known
			return nil
		}
	}
	return fmt.Errorf("%q is no decision", text)
}
