// Package card is the deck: fifty-two cards, hands of three of them, and sets
// of them; how they are written, read and gone through.
//
// It will never know a game. Which hand beats which is in the packages under
// rank, and what a card is worth to a bet is in the books under rules. It never
// shuffles: it draws no randomness and keeps no state, so that whatever is
// built on it can be replayed.
package card

import (
	"fmt"
	"strings"
)

// Card is one card of the deck, or [None].
//
// The fifty-two cards are the values 1 to 52, ordered by rank and within a rank
// by suit; see [Card.Index]. A Card is a byte so that a hand fits in three of
// them and a recorded round stays small.
type Card uint8

// None is the zero Card: no card at all, or a card whose face is not known, as
// when it lies face down on a table without an electronic shoe. It is written
// "??".
const None Card = 0

// count is the number of cards in a deck.
const count = 52

// unknown is the written form of None.
const unknown = "??"

// New returns the card of that rank and suit. It panics if either is invalid:
// a card made from nonsense must not be taken for one whose face is unknown.
// Cards that people type go through [Parse] instead.
func New(r Rank, s Suit) Card {
	if !r.Valid() || !s.Valid() {
		panic(fmt.Sprintf("card: no card has rank %v and suit %v", r, s))
	}
	return Card(r-Two)*4 + Card(s)
}

// FromIndex returns the card at position i of the deck in index order, 0 to 51.
// It panics if i is outside that range.
func FromIndex(i int) Card {
	if i < 0 || i >= count {
		panic(fmt.Sprintf("card: no card has index %d", i))
	}
	return Card(i + 1)
}

// Index returns the card's position in the deck, 0 to 51: four times the number
// of ranks below it, plus the number of suits before its own. For [None] and
// any other value that is not a card it returns -1.
func (c Card) Index() int {
	if !c.Valid() {
		return -1
	}
	return int(c) - 1
}

// Rank returns the card's rank, or 0 for [None].
func (c Card) Rank() Rank {
	if !c.Valid() {
		return 0
	}
	return Rank(c-1)/4 + Two
}

// Suit returns the card's suit, or 0 for [None].
func (c Card) Suit() Suit {
	if !c.Valid() {
		return 0
	}
	return Suit(c-1)%4 + Clubs
}

// Valid reports whether c is one of the fifty-two cards. [None] is not.
func (c Card) Valid() bool { return c >= 1 && c <= count }

// String returns the card in two letters, such as "Qh", with "Th" for the ten
// of hearts, and "??" for [None]. [Parse] and [ParseFaces] read it back.
func (c Card) String() string {
	switch {
	case c == None:
		return unknown
	case !c.Valid():
		return fmt.Sprintf("Card(%d)", uint8(c))
	}
	return string([]byte{c.Rank().Byte(), c.Suit().String()[0]})
}

// Symbols returns the card as it is shown to people, such as "Q♥" or "10♥",
// and "??" for [None].
func (c Card) Symbols() string {
	if !c.Valid() {
		return c.String()
	}
	return c.Rank().String() + c.Suit().Symbol()
}

// MarshalText writes the card as [Card.String] does. A value that is neither a
// card nor [None] is an error, so that a corrupt card is never stored.
func (c Card) MarshalText() ([]byte, error) {
	if c != None && !c.Valid() {
		return nil, fmt.Errorf("card: %v is neither a card nor %s", c, unknown)
	}
	return []byte(c.String()), nil
}

// UnmarshalText reads a card as [Parse] does, and "??" as [None].
func (c *Card) UnmarshalText(text []byte) error {
	parsed, err := parseFace(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}

// Parse reads one card: a rank (2 to 10, T, J, Q, K, A) and directly after it a
// suit (c, d, h, s, or its sign), letters in either case. So "Qh", "qH", "Th",
// "10h" and "Q♥" are cards. It refuses "??"; [ParseFaces] takes that.
func Parse(s string) (Card, error) {
	if rank, suit, ok := cutSuit(s); ok {
		if r, err := ParseRank(rank); err == nil {
			return New(r, suit), nil
		}
	}
	return None, fmt.Errorf("%q is not a card: write rank and suit such as Qh, 10s or 2♦", s)
}

// cutSuit splits s before the suit that it ends with.
func cutSuit(s string) (rank string, suit Suit, ok bool) {
	// Telephones add U+FE0F to a suit's sign to ask for its coloured picture.
	s = strings.TrimSuffix(s, "\uFE0F")
	for suit := Clubs; suit <= Spades; suit++ {
		for _, form := range [...]string{suitLetters[suit], strings.ToUpper(suitLetters[suit]), suitSymbols[suit]} {
			if rank, ok := strings.CutSuffix(s, form); ok {
				return rank, suit, true
			}
		}
	}
	return "", 0, false
}

// ParseList reads any number of cards separated by spaces, commas or both. A
// card that appears twice is an error, for a deck has it only once. An empty
// text is a list of no cards.
func ParseList(s string) ([]Card, error) { return parseEach(s, Parse) }

// ParseFaces reads a list as [ParseList] does, and takes "??" for a card whose
// face is not known; that one may appear any number of times.
func ParseFaces(s string) ([]Card, error) { return parseEach(s, parseFace) }

// parseFace reads one card, or "??" as None.
func parseFace(s string) (Card, error) {
	if s == unknown {
		return None, nil
	}
	return Parse(s)
}

func parseEach(s string, parse func(string) (Card, error)) ([]Card, error) {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return r == ' ' || r == ',' || r == '\t' || r == '\n' || r == '\r'
	})
	cards := make([]Card, 0, len(words))
	var seen Set
	for _, word := range words {
		c, err := parse(word)
		if err != nil {
			return nil, err
		}
		if seen.Has(c) {
			return nil, fmt.Errorf("%v appears twice in %q: a deck has each card once", c, s)
		}
		seen = seen.With(c)
		cards = append(cards, c)
	}
	return cards, nil
}
