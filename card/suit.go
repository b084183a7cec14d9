package card

import "fmt"

// Suit is one of the four suits. No book here ranks them; their numbers only
// fix the order in which cards are indexed and listed. The zero value is no
// suit.
type Suit uint8

// The four suits, in the order of the index.
const (
	Clubs Suit = iota + 1
	Diamonds
	Hearts
	Spades
)

// The three ways of writing a suit, each at the suit's own number.
var (
	suitLetters = [...]string{Clubs: "c", Diamonds: "d", Hearts: "h", Spades: "s"}
	suitSymbols = [...]string{Clubs: "♣", Diamonds: "♦", Hearts: "♥", Spades: "♠"}
	suitNames   = [...]string{Clubs: "Clubs", Diamonds: "Diamonds", Hearts: "Hearts", Spades: "Spades"}
)

// Valid reports whether s is one of the four suits.
func (s Suit) Valid() bool { return s >= Clubs && s <= Spades }

// String returns the suit as one letter: "c", "d", "h" or "s". A value that is
// no suit prints as "Suit(0)".
func (s Suit) String() string {
	if !s.Valid() {
		return fmt.Sprintf("Suit(%d)", uint8(s))
	}
	return suitLetters[s]
}

// Symbol returns the suit's sign: "♣", "♦", "♥" or "♠".
func (s Suit) Symbol() string {
	if !s.Valid() {
		return s.String()
	}
	return suitSymbols[s]
}

// Name returns the suit in words: "Clubs", "Diamonds", "Hearts" or "Spades".
func (s Suit) Name() string {
	if !s.Valid() {
		return s.String()
	}
	return suitNames[s]
}
