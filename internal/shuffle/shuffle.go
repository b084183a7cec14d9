// Package shuffle puts a deck of cards into a random order that can be checked
// afterwards: a seed of 32 bytes gives one order, always the same, by the steps
// written down at [Shuffle]. Whoever has the seed can repeat them in any language.
//
// It will never know a game, a table or a round. What is drawn, and when, is for
// its callers; so is keeping a seed secret until the cards of its deck are out.
package shuffle

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	chacha "math/rand/v2"

	"trey/card"
)

// Seed decides the order of one deck. Its 256 bits are more than the 226 that
// it takes for every order of 52 cards to be possible.
type Seed [32]byte

// errNoSeed does not repeat what it is about, which may be a secret.
var errNoSeed = errors.New("a seed is 64 digits from 0 to 9 and a to f, and this is not")

// MarshalText writes the seed as 64 hexadecimal digits.
func (s Seed) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (s *Seed) UnmarshalText(text []byte) error {
	var read Seed
	if len(text) != hex.EncodedLen(len(read)) || bytes.ContainsAny(text, "ABCDEF") {
		return errNoSeed
	}
	if _, err := hex.Decode(read[:], text); err != nil {
		return errNoSeed
	}
	*s = read
	return nil
}

// Fresh returns a seed from the operating system's source of randomness, which
// nobody can foretell. If that source fails the program stops, as it should:
// no card may be dealt from anything weaker.
func Fresh() Seed {
	var s Seed
	_, _ = rand.Read(s[:]) // documented never to return an error
	return s
}

// Numbered returns a source of seeds that follow from a number alone, for a session that is to be
// repeated. Each seed is the SHA-256 of a fixed text, the number and the count of seeds drawn
// before, the last two as 8 bytes in big-endian order. The number determines every card, so no
// money may depend on it.
func Numbered(n uint64) func() Seed {
	var drawn uint64
	return func() Seed {
		text := append(make([]byte, 0, 64), "trey numbered deck\n"...)
		text = binary.BigEndian.AppendUint64(text, n)
		text = binary.BigEndian.AppendUint64(text, drawn)
		drawn++
		return sha256.Sum256(text)
	}
}

// Shuffle returns the deck in the order of the seed; the first card is dealt
// first. The steps are these, and no others, so that anybody can repeat them:
//
//  1. The cards lie in index order: 2♣ 2♦ 2♥ 2♠ 3♣ and so on to A♠.
//  2. The seed starts the ChaCha8 generator of the C2SP specification, as Go's
//     math/rand/v2 has it; each draw is its next 64-bit number.
//  3. For n = 52, 51 and so on to 2, an index from 0 to n-1 is taken, and the
//     card at that place changes places with the card at place n-1.
//  4. The index is the draw modulo n. The lowest 2^64 modulo n of all draws
//     would favour some indexes over others: they are thrown away, and the next
//     draw is used.
func Shuffle(seed Seed) [52]card.Card {
	var deck [52]card.Card
	for i := range deck {
		deck[i] = card.FromIndex(i)
	}
	source := chacha.NewChaCha8(seed)
	permute(deck[:], func(n uint64) uint64 { return below(n, source.Uint64) })
	return deck
}

// permute changes the order of the items by the indexes that it is given: each
// list of indexes leads to another order, and every order to one list. So if
// the indexes are evenly spread and independent, the orders are too.
func permute[T any](items []T, index func(n uint64) uint64) {
	for n := len(items); n > 1; n-- {
		i := index(uint64(n))
		items[i], items[n-1] = items[n-1], items[i]
	}
}

// below returns an index from 0 to n-1, each equally likely if all draws are.
func below(n uint64, draw func() uint64) uint64 {
	for {
		// The surplus is less than n, so it is hardly ever worth working out.
		if x := draw(); x >= n || x >= surplus(n) {
			return x % n
		}
	}
}

// surplus returns 2^64 modulo n: the number of draws left over when all 2^64 are shared out evenly
// among n indexes.
func surplus(n uint64) uint64 { return -n % n }
