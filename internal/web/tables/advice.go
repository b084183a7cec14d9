package tables

import (
	"fmt"
	"math/big"
	"strings"
	"sync"

	"trey/card"
	"trey/internal/house"
	"trey/odds"
	"trey/rules"
	"trey/table"
)

// advice holds the exact value of each choice about a hand, for somebody who knows what the
// reader knows, in units of the main wager.
type advice struct {
	// blind says that the hand is not known, so that the figures are those over
	// all deals.
	blind bool
	// decision says that there is a choice.
	decision     bool
	played, fold odds.Fraction
	play         bool
	// taken is the choice, once it was made, and cost the cost of the mistake in the same
	// units, zero for none.
	taken table.Decision
	cost  odds.Fraction
}

// trainer works out and keeps what hands are worth.
type trainer struct {
	mu     sync.Mutex
	worth  map[string]*advice
	sheets map[string]*odds.Sheet
}

// mostAdvice bounds the cache; what was dropped is computed again.
const mostAdvice = 4096

// advise puts advice at the reader's own boxes. It uses the reader's view, and for a decision
// that was taken the view of that moment.
func (h *handlers) advise(m *moment, v *view) {
	for i := range v.seats {
		s := &v.seats[i]
		if !s.mine {
			continue
		}
		box := i + 1
		hand := v.variant.Book.Decision == nil // what it is worth, as nothing is decided about it
		if s.mayPlay || v.picture.Phase == table.Deciding && hand {
			if v.coach == coachBefore || v.coach == coachAfter && hand {
				s.advice = h.trainer.of(v.variant, &v.picture, box)
			}
			continue
		}
		for _, d := range m.decided {
			if d.box == box && d.player == v.person.Name {
				s.advice = h.trainer.judge(v, &d, m.state)
			}
		}
	}
}

// judge returns the advice about a decision that was taken, with what a mistake has cost; nil
// if too little is known of it. It uses what the player knew then. The state is one of the
// round after the decision.
func (t *trainer) judge(v *view, d *decided, after house.State) *advice {
	then := d.before.View(v.viewer())
	worth := t.of(after.Variant(), &then, d.box)
	if worth == nil {
		return nil
	}
	judged := *worth
	judged.taken = after.View(v.viewer()).Boxes[d.box-1].Decision
	if wrong := worth.played.Cmp(worth.fold); wrong != 0 && (wrong > 0) != (judged.taken == table.Played) {
		cost := new(big.Rat).Sub(worth.played.Rat(), worth.fold.Rat())
		judged.cost = odds.FractionOf(cost.Abs(cost))
	}
	return &judged
}

// score adds up the value of a player's decisions in the rounds that a page shows.
type score struct {
	decisions, mistakes int
	// cost is the cost of the mistakes, in units of the main wager.
	cost odds.Fraction
}

func (h *handlers) score(m *moment, v *view) (s score) {
	if v.coach == uncoached {
		return s
	}
	cost := new(big.Rat)
	count := func(all []decided, after house.State) {
		for i := range all {
			if all[i].player != v.person.Name {
				continue
			}
			if judged := h.trainer.judge(v, &all[i], after); judged != nil {
				s.decisions++
				if judged.cost.Sign() > 0 {
					s.mistakes++
					cost.Add(cost, judged.cost.Rat())
				}
			}
		}
	}
	count(m.decided, m.state)
	for i := range m.past {
		count(m.past[i].decided, m.past[i].state)
	}
	s.cost = odds.FractionOf(cost)
	return s
}

// of returns the advice about a hand in a picture.
func (t *trainer) of(v *rules.Variant, p *table.Picture, box int) *advice {
	hand := p.Boxes[box-1].Cards
	if len(hand) != 3 {
		return nil
	}
	known := card.Hand{hand[0], hand[1], hand[2]}
	if !known.Valid() {
		return t.unseen(v)
	}
	var seen odds.Seen
	seen.Dealer = valid(p.Dealer)
	seen.Others = valid(p.Burn)
	for i := range p.Boxes {
		if i+1 != box {
			seen.Others = append(seen.Others, valid(p.Boxes[i].Cards)...)
		}
	}
	key := fmt.Sprint(v.Hash(), known, seen)
	return t.keep(key, func() *advice {
		a, err := odds.Advise(v, known, seen)
		if err != nil {
			return nil // too much is known for there to be a choice
		}
		return &advice{decision: a.Decision, played: a.Played, fold: a.Folded, play: a.Play}
	})
}

// unseen returns the value of a hand that its player has not seen.
func (t *trainer) unseen(v *rules.Variant) *advice {
	return t.keep("blind "+v.Hash(), func() *advice {
		bet, decision := odds.Bets(v)[0], v.Book.Decision != nil
		o := odds.Options{}
		if decision {
			o.Rule = odds.Always()
		}
		sheet, err := odds.Analyse(v, o)
		if err != nil || sheet.Wagers[bet] == nil {
			return nil
		}
		// Folding without a look loses the Ante.
		return &advice{blind: true, decision: decision, played: sheet.Wagers[bet].Expectation, fold: odds.FractionOf(big.NewRat(-1, 1)), play: true}
	})
}

func (t *trainer) keep(key string, work func() *advice) *advice {
	t.mu.Lock()
	a, ok := t.worth[key]
	t.mu.Unlock()
	if ok {
		return a
	}
	a = work()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.worth == nil || len(t.worth) >= mostAdvice {
		t.worth = map[string]*advice{}
	}
	t.worth[key] = a
	return a
}

func valid(cards []card.Card) (all []card.Card) {
	for _, c := range cards {
		if c.Valid() {
			all = append(all, c)
		}
	}
	return all
}

// edges returns the house edge of each bet of a variant, for the trainer.
func (t *trainer) edges(v *rules.Variant) *odds.Sheet {
	hash := v.Hash()
	t.mu.Lock()
	sheet, ok := t.sheets[hash]
	t.mu.Unlock()
	if ok {
		return sheet
	}
	sheet, err := odds.Analyse(v, odds.Options{})
	if err != nil {
		sheet = nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sheets == nil || len(t.sheets) >= mostAdvice {
		t.sheets = map[string]*odds.Sheet{}
	}
	t.sheets[hash] = sheet
	return sheet
}

// signed writes a worth in units of the wager, such as −0.4321.
func signed(f odds.Fraction) string {
	text := f.Decimal(4)
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return "−" + rest
	}
	return "+" + text
}
