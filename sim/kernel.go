package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	chacha "math/rand/v2"

	"trey/card"
	"trey/rules"
)

// histogram counts the deals of each kind.
type histogram [maxCells]uint64

// kernelBlock is the number of rounds that the kernel plays from one generator. It takes
// a few milliseconds, which is also how soon an interruption is noticed.
const kernelBlock = 1 << 20

// Kernel plays rounds of one box as fast as it can: it draws a hand for the
// player and one for the dealer, finds of which kind the deal is, and counts
// it. Each bet is settled alone, all of them on the same hands; Envy Bonuses
// need other boxes, so they are left to [Engine].
//
// The hands come from ChaCha8, the generator behind Go's own secure randomness:
// it costs no more here than a weaker one. A hand's number is drawn without any
// bias, see draw.
//
// The error is an [Unplayable]. An interruption through the context is no error: the report says how many
// rounds were played, and is the one that this number of rounds would have had.
func Kernel(ctx context.Context, v *rules.Variant, o Options) (*Report, error) {
	p, err := plan(v, &o, false)
	if err != nil {
		return nil, err
	}
	d := newDeals(v.Book, p.plays)
	counts := make([]histogram, o.Workers)
	played, err := share(ctx, &o, kernelBlock, func(worker int, block, rounds int64) error {
		d.play(generator(o.Seed, block), &counts[worker], rounds)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all histogram
	for i := range counts {
		for cell, n := range counts[i] {
			all[cell] += n
		}
	}
	return p.kernelReport(d, &all, played)
}

// generator returns the generator of one block. Its key is a hash, so no two
// blocks or seeds have anything to do with each other.
func generator(seed uint64, block int64) *chacha.ChaCha8 {
	return chacha.NewChaCha8(numbered("trey simulated block\n", seed, block))
}

// numbered returns the SHA-256 of a text and two numbers, 8 bytes each with the
// highest first.
func numbered(text string, seed uint64, n int64) [32]byte {
	key := binary.BigEndian.AppendUint64([]byte(text), seed)
	return sha256.Sum256(binary.BigEndian.AppendUint64(key, uint64(n)))
}

// fourHands is in how many ways four hands can be drawn, each from the whole
// deck; surplus is 2^64 modulo that.
const (
	fourHands = hands * hands * hands * hands
	surplus   = (1<<64 - fourHands) % fourHands
)

// draw takes the numbers of four hands from one number x of 64 bits. Together
// they are the number floor(x F / 2^64) below F = fourHands, written to the base
// of 22,100: its first digit is the high half of x times 22,100, and the low
// half carries on. What is left over in the end is x F modulo 2^64. Some values
// below F are reached by one x more than others; throwing away the x that leave
// less than 2^64 modulo F takes exactly the surplus ones (Lemire's method), one
// in two hundred. So ok must be asked.
func draw(x uint64) (a, b, c, d uint64, ok bool) {
	a, x = bits.Mul64(x, hands)
	b, x = bits.Mul64(x, hands)
	c, x = bits.Mul64(x, hands)
	d, x = bits.Mul64(x, hands)
	return a, b, c, d, x >= surplus
}

// play deals that many rounds and counts them by kind.
//
// Both hands of a round are drawn from the whole deck. Where they have a card in
// common, one time in six, the pair does not count: all pairs are equally
// likely, so those without a common card still are among themselves.
func (d *deals) play(g *chacha.ChaCha8, count *histogram, rounds int64) {
	if d.byRank {
		d.playByRank(g, count, rounds)
	} else {
		d.playCompared(g, count, rounds)
	}
}

func (d *deals) playCompared(g *chacha.ChaCha8, count *histogram, rounds int64) {
	qualify := int64(d.qualify)
	for left := rounds; left > 0; {
		a, b, c, e, ok := draw(g.Uint64())
		if !ok {
			continue
		}
		cell, counts := d.compare(a, b, qualify)
		count[cell] += counts
		if left -= int64(counts); left == 0 {
			return
		}
		cell, counts = d.compare(c, e, qualify)
		count[cell] += counts
		left -= int64(counts)
	}
}

// compare returns the cell of two hands, and 1 if they can be dealt together,
// else 0. Sign bits stand for comparisons, for no branch could be foretold.
func (d *deals) compare(player, dealer uint64, qualify int64) (cell uint16, counts uint64) {
	p, q := d.hand[player&(1<<15-1)], d.hand[dealer&(1<<15-1)]
	if p&q<<(64-valueShift) == 0 {
		counts = 1
	}
	ps, qs := int64(d.strength[p>>valueShift]), int64(d.strength[q>>valueShift])
	higher, lower := uint16(uint64(qs-ps)>>63), uint16(uint64(ps-qs)>>63)
	relation := 1 + higher + lower<<1
	relation &= uint16((qs-qualify)>>63) ^ 0xffff
	return (d.base[p>>valueShift] + relation) & (maxCells - 1), counts
}

func (d *deals) playByRank(g *chacha.ChaCha8, count *histogram, rounds int64) {
	for left := rounds; left > 0; {
		a, b, c, e, ok := draw(g.Uint64())
		if !ok {
			continue
		}
		cell, counts := d.rank(a, b)
		count[cell] += counts
		if left -= int64(counts); left == 0 {
			return
		}
		cell, counts = d.rank(c, e)
		count[cell] += counts
		left -= int64(counts)
	}
}

// rank compares as compare does, for contests where the dealer's rank itself is the relation.
func (d *deals) rank(player, dealer uint64) (cell uint16, counts uint64) {
	p, q := d.hand[player&(1<<15-1)], d.hand[dealer&(1<<15-1)]
	if p&q<<(64-valueShift) == 0 {
		counts = 1
	}
	return (d.base[p>>valueShift] + d.strength[q>>valueShift]) & (maxCells - 1), counts
}

// everyHand plays every hand: it is the strategy of a game without decisions.
func everyHand(card.Hand) bool { return true }
