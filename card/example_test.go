package card_test

import (
	"fmt"

	"trey/card"
)

func ExampleParse() {
	for _, s := range []string{"Qh", "10♦", "1h"} {
		c, err := card.Parse(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(c, c.Symbols(), c.Rank().Name(), "of", c.Suit().Name())
	}
	// Output:
	// Qh Q♥ Queen of Hearts
	// Td 10♦ Ten of Diamonds
	// "1h" is not a card: write rank and suit such as Qh, 10s or 2♦
}

func ExampleParseFaces() {
	cards, err := card.ParseFaces("Qh ?? ??")
	fmt.Println(cards, err)
	// Output: [Qh ?? ??] <nil>
}

func ExampleHand_Sorted() {
	h, err := card.ParseHand("4c Qh 10d")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Sorted().Symbols())
	// Output: Q♥ 10♦ 4♣
}

func ExampleSet_Hands() {
	mine, err := card.ParseHand("Qh 6d 4c")
	if err != nil {
		fmt.Println(err)
		return
	}
	rest := card.Deck().Minus(card.NewSet(mine[:]...))
	n := 0
	for range rest.Hands() {
		n++
	}
	fmt.Println(rest.Len(), "cards left, from which the dealer can have", n, "hands")
	// Output: 49 cards left, from which the dealer can have 18424 hands
}
