package main

import (
	"context"
	crypto "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// commitment is published by the house before a round: the hash of the seed that the deck
// follows from.
type commitment struct {
	Round int
	Hash  string
}

// promise is a commitment as it was before the bot's bet, with the seed that the bot
// added to the round afterwards; an empty text is none.
type promise struct {
	commitment
	text string
}

// record is the part of a round's record that shows which deck it was dealt from.
type record struct {
	Names map[string]string // of people, by their numbers
	Seed  *struct {
		Commitment string
		Seed       string
		Own        []ownSeed
	}
	Steps []struct {
		Kind string
		Body struct{ Cards []struct{ Card string } }
	}
}

type ownSeed struct{ Player, Text string }

// addSeed adds a random seed to the round that the bot has bet in. The house cannot have
// known it when it committed itself, so it could not choose the deck.
func (p *player) addSeed(ctx context.Context, c *commitment) error {
	if c == nil {
		return nil // no deck is committed to: a person deals here
	}
	p.promises = append(p.promises, promise{commitment: *c})
	random := make([]byte, 16)
	crypto.Read(random) //nolint:errcheck // it does not fail
	text := hex.EncodeToString(random)
	err := p.client.post(ctx, "tables/"+p.table+"/seeds", map[string]any{"text": text}, nil)
	if hasKind(err, "refused") || hasKind(err, "not-now") {
		fmt.Fprintf(p.out, "    no seed of mine: %v\n", err)
		return nil // the bets were closed meanwhile
	}
	if err == nil {
		p.promises[len(p.promises)-1].text = text
	}
	return err
}

// checkDecks holds the records of the rounds that have ended against what was promised
// before the bets. A record that the house keeps back for now is asked for again.
func (p *player) checkDecks(ctx context.Context) error {
	var later []promise
	for _, made := range p.promises {
		var r record
		err := p.client.get(ctx, fmt.Sprintf("tables/%s/rounds/%d", p.table, made.Round), &r)
		if hasKind(err, "not-now") {
			later = append(later, made)
			continue
		}
		if err == nil {
			err = made.check(p.table, p.name, &r)
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", made.Round, err)
		}
		if made.text != "" {
			fmt.Fprintf(p.out, "    round %d was dealt from the deck that was committed to, with my seed in it\n", made.Round)
		} else {
			fmt.Fprintf(p.out, "    round %d was dealt from the deck that was committed to, without a seed of mine\n", made.Round)
		}
	}
	p.promises = later
	return nil
}

var (
	errOtherSeed = errors.New("the seed that the house revealed is not the one that it committed itself to before my bet")
	errNoSeed    = errors.New("the house left my seed out of the shuffle")
	errOtherDeck = errors.New("the cards are not those of the deck that follows from the seeds")
)

// check returns the mistakes in the record of a round, by the steps of
// docs/fair-dealing.md.
func (p *promise) check(table, player string, r *record) error {
	s := r.Seed
	if s == nil {
		return errOtherSeed
	}
	if sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", p.Round, s.Seed, table)); s.Commitment != p.Hash || hex.EncodeToString(sum[:]) != p.Hash {
		return errOtherSeed
	}
	// The record has a number where others see the player's name.
	number := ""
	for n, name := range r.Names {
		if name == player {
			number = n
		}
	}
	if p.text != "" && !slices.Contains(s.Own, ownSeed{number, p.text}) {
		return errNoSeed
	}
	text := fmt.Appendf(nil, "trey deck 1\ncommitment %s\nseed %s\n", s.Commitment, s.Seed)
	slices.SortFunc(s.Own, func(a, b ownSeed) int { return strings.Compare(a.Player, b.Player) })
	for _, o := range s.Own {
		text = fmt.Appendf(text, "own %d %s %d %s\n", len(o.Player), o.Player, len(o.Text), o.Text)
	}
	deck, dealt := shuffled(sha256.Sum256(text)), 0
	for _, step := range r.Steps {
		if step.Kind != "deal" {
			continue
		}
		for _, c := range step.Body.Cards {
			if dealt == len(deck) || c.Card != deck[dealt] {
				return errOtherDeck
			}
			dealt++
		}
	}
	return nil
}

// shuffled returns the deck of a seed. It uses the generator of the standard library that
// docs/fair-dealing.md names.
func shuffled(seed [32]byte) (deck []string) {
	for _, rank := range "23456789TJQKA" {
		for _, suit := range "cdhs" {
			deck = append(deck, string(rank)+string(suit))
		}
	}
	numbers := rand.NewChaCha8(seed)
	for n := uint64(len(deck)); n > 1; n-- {
		few := (math.MaxUint64%n + 1) % n // 2^64 modulo n
		x := numbers.Uint64()
		for x < few {
			x = numbers.Uint64()
		}
		deck[x%n], deck[n-1] = deck[n-1], deck[x%n]
	}
	return deck
}
