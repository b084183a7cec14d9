// Package fair lets everybody check that the cards of a round were not chosen
// after its bets were known. A secret seed of 32 bytes is drawn for the round,
// and its hash, the commitment, is published before the bets open. Players may
// add seeds of their own until the bets close. The deck follows from all of them, and after the
// round the secret seed is revealed. Its reader can repeat every step with nothing but SHA-256
// and the shuffle described at [shuffle.Shuffle].
//
// What is hashed is plain text, given at [Commit] and [DeckSeed], so that the
// common tools of any computer can hash it too; docs/fair-dealing.md says how.
//
// The package is pure: it draws no seed, and it keeps none secret. Of the events
// only [Sealed] holds a seed before its round has ended, and nothing in [State]
// does.
package fair

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"trey/card"
	"trey/internal/shuffle"
)

// Hash is a commitment. It is written as 64 hexadecimal digits.
type Hash [sha256.Size]byte

// String returns the digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes the digits.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (h *Hash) UnmarshalText(text []byte) error {
	seed := (*shuffle.Seed)(h)
	if err := seed.UnmarshalText(text); err != nil {
		return fmt.Errorf("%.80q is not a commitment: it has 64 digits from 0 to 9 and a to f", text)
	}
	return nil
}

// Commit returns the commitment to the seed of a round: the SHA-256 of
//
//	trey commitment 1
//	round 7
//	seed 8c5d0f… (64 hexadecimal digits)
//	table A
//
// with a line feed after every line, the last one too. The table's name stands
// last, so that no name can be mistaken for another line.
func Commit(table string, round int, seed shuffle.Seed) Hash {
	return sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %x\ntable %s\n", round, seed[:], table))
}

// Own is a player's own seed.
type Own struct {
	Player string `json:"player"`
	Text   string `json:"text"`
}

// DeckSeed returns the seed that shuffles the deck: the SHA-256 of
//
//	trey deck 1
//	commitment 52fd… (64 hexadecimal digits)
//	seed 8c5d0f… (64 hexadecimal digits)
//	own 3 ann 12 lucky number
//
// with a line feed after every line, and a line for each player's own seed, in the order of the
// bytes of their names. Such a line holds the number of bytes of the name, the name, the number
// of bytes of the seed, and the seed.
func DeckSeed(commitment Hash, seed shuffle.Seed, playerSeeds []Own) shuffle.Seed {
	text := fmt.Appendf(nil, "trey deck 1\ncommitment %x\nseed %x\n", commitment[:], seed[:])
	for _, o := range slices.SortedFunc(slices.Values(playerSeeds), byPlayer) {
		text = fmt.Appendf(text, "own %d %s %d %s\n", len(o.Player), o.Player, len(o.Text), o.Text)
	}
	return sha256.Sum256(text)
}

func byPlayer(a, b Own) int { return cmp.Compare(a.Player, b.Player) }

// Deck returns the deck of a round, the first card first.
func Deck(commitment Hash, seed shuffle.Seed, playerSeeds []Own) [52]card.Card {
	return shuffle.Shuffle(DeckSeed(commitment, seed, playerSeeds))
}

// Next returns the next n cards of a deck: in its order, without those that have
// been dealt. There may be fewer.
func Next(deck [52]card.Card, dealt card.Set, n int) []card.Card {
	next := make([]card.Card, 0, max(0, min(n, len(deck))))
	for _, c := range deck {
		if len(next) < n && !dealt.Has(c) {
			next = append(next, c)
		}
	}
	return next
}

// The limits of what players add to a round.
const (
	// MaxText is the longest seed of a player, in bytes.
	MaxText = 64
	// MaxPlayers is the number of players who can add a seed to one round.
	MaxPlayers = 64
	// MaxChanges is the number of times that one player can set their seed in one round.
	MaxChanges = 8
)

// The errors of [State.Add].
var (
	// ErrText: a seed that cannot be a player's.
	ErrText = errors.New("a seed of your own is 1 to 64 bytes of letters, digits, signs and spaces as they come from a keyboard")
	// ErrFull: as many players as possible have added a seed.
	ErrFull = errors.New("64 players have added a seed to this round: bet first, for those who have bet have a place before those who have not")
	// ErrChanges: the player has set their seed too often.
	ErrChanges = errors.New("you have set your seed 8 times in this round: the last one counts")
	// ErrNoCommitment: no seed is committed to that is not revealed.
	ErrNoCommitment = errors.New("no seed is committed to")
)

// CheckText refuses a text that cannot be a player's seed, with ErrText. It refuses an empty
// one, one that is too long or not UTF-8, and one with characters that do not print, which
// nobody could copy from a record.
func CheckText(text string) error {
	if text == "" || len(text) > MaxText || !utf8.ValidString(text) {
		return ErrText
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return ErrText
		}
	}
	return nil
}
