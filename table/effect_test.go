package table_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// follower knows a table from the accounts of its events alone.
type follower struct {
	lies     map[stakeOf]money.Amount
	settled  table.BoxSet
	slots    []followed
	examiner map[table.Place]string
	round    int
}

// followed is a card by the accounts, and who has seen it: everybody, or those who have
// examined at one of these boxes.
type followed struct {
	card     card.Card
	at       table.Place
	everyone bool
	boxes    table.BoxSet
}

func (f *follower) follow(does *table.Effect) {
	if does.Begins != 0 {
		*f = follower{lies: map[stakeOf]money.Amount{}, examiner: map[table.Place]string{}, round: does.Begins}
	}
	if b := &does.Bet; b.Use != 0 {
		k := stakeOf{b.Box, b.Player, b.Wager}
		f.lies[k] += b.More(f.lies[k])
	}
	for i := range does.Lines {
		if l := &does.Lines[i]; !f.settled.Has(l.Box) {
			f.lies[stakeOf{l.Box, l.Player, l.Wager}] -= l.Stake
		}
	}
	f.settled = (f.settled | does.Clears).Without(does.Reopens)
	for _, l := range does.Relaid {
		f.lies[stakeOf{does.Reopens, l.Player, l.Wager}] += l.Amount
	}
	f.cards(&does.Cards)
}

func (f *follower) cards(does *table.CardEffect) {
	for _, c := range does.Dealt {
		next := followed{card: c.Card, at: c.Place, everyone: c.FaceUp}
		if f.examiner[c.Place] != "" {
			next.boxes = next.boxes.With(int(c.Place))
		}
		f.slots = append(f.slots, next)
	}
	if does.Corrected {
		for i := range f.slots {
			if slices.Contains(does.Faces, f.slots[i].card) {
				f.slots[i].card = card.None
			}
		}
	}
	for i, at := range does.Exposed {
		f.slots[at].everyone = true
		if does.Faces[i] != card.None {
			f.slots[at].card = does.Faces[i]
		}
	}
	for _, m := range does.Moved {
		f.slots[m.Slot].at = m.To
	}
	if does.Examined != 0 {
		f.examiner[does.Examined] = does.Examiner
	}
	n := 0
	for i := range f.slots {
		slot := &f.slots[i]
		if does.Examined != 0 && slot.at == does.Examined {
			slot.boxes = slot.boxes.With(int(does.Examined))
		}
		if does.Removed != 0 && slot.at == does.Removed {
			slot.at = table.Out
		}
		if does.Turned != 0 && slot.at == does.Turned {
			slot.card, slot.everyone = does.Hand[n], true
			n++
		}
	}
}

// knows returns what a person may know of the cards at a place, those withheld as none.
func (f *follower) knows(p table.Place, player string) (cards []card.Card) {
	for _, slot := range f.slots {
		if slot.at != p {
			continue
		}
		known := slot.everyone
		for at, by := range f.examiner {
			known = known || player != "" && by == player && slot.boxes.Has(int(at))
		}
		if !known {
			slot.card = card.None
		}
		cards = append(cards, slot.card)
	}
	return cards
}

// differs returns where the state says otherwise than the accounts, empty if nowhere.
func (f *follower) differs(s *table.State) string {
	if s.Round != f.round {
		return fmt.Sprintf("round %d by the accounts is round %d", f.round, s.Round)
	}
	var sum money.Amount
	lies := map[stakeOf]money.Amount{}
	for i, b := range s.Boxes {
		for _, bettor := range b.Bettors {
			for w, amount := range bettor.Stakes {
				if amount != 0 && s.Phase.InRound() && !b.Settled {
					lies[stakeOf{i + 1, bettor.Player, rules.Wager(w)}] = amount
				}
			}
		}
	}
	by := maps.Clone(f.lies)
	maps.DeleteFunc(by, func(_ stakeOf, amount money.Amount) bool { return amount == 0 })
	for _, amount := range by {
		sum += amount
	}
	if sum != s.OnLayout() || !maps.Equal(by, lies) {
		return fmt.Sprintf("the accounts lay %v, and %v lies there", by, lies)
	}
	if len(f.slots) != len(s.Slots) {
		return fmt.Sprintf("the accounts deal %d cards, and %d lie there", len(f.slots), len(s.Slots))
	}
	for i, slot := range s.Slots {
		if slot.Place != f.slots[i].at || slot.Card != f.slots[i].card {
			return fmt.Sprintf("card %d is %s at %s by the accounts, and %s at %s", i, f.slots[i].card, f.slots[i].at, slot.Card, slot.Place)
		}
	}
	for _, player := range []string{"", "ann", "ben", "cai", "dee"} {
		seen := table.View(*s, table.Viewer{Player: player})
		at := map[table.Place][]card.Card{table.DealerHand: seen.Dealer, table.BurnPile: seen.Burn}
		for i := range seen.Boxes {
			at[table.Box(i+1)] = seen.Boxes[i].Cards
		}
		for p, cards := range at {
			known := f.knows(p, player)
			slices.Sort(known) // Some books lay the dealer's cards out by rank.
			cards = slices.Sorted(slices.Values(cards))
			if !slices.Equal(known, cards) {
				return fmt.Sprintf("%q may know %v of the %s by the accounts, and is shown %v", player, known, p, cards)
			}
		}
	}
	return ""
}

// playFollowed plays any commands at a table of any book, gives each account to follow,
// and returns the first difference between a follower and the table.
func playFollowed(t *rapid.T, account func(table.Event) table.Effect) string {
	s := anyTable(t)
	f := follower{lies: map[stakeOf]money.Amount{}, examiner: map[table.Place]string{}}
	for n := range rapid.IntRange(10, 60).Draw(t, "commands") {
		by := rapid.SampledFrom(people).Draw(t, "by")
		c := table.Command{By: by, AtMs: int64(n), Do: anyLegal(t, &s, by)}
		if c.Do == nil {
			continue
		}
		events, err := table.Decide(s, c)
		if err != nil {
			continue
		}
		for _, e := range events {
			if s, err = table.Evolve(s, e); err != nil {
				t.Fatal(err)
			}
			does := account(e)
			f.follow(&does)
			if why := f.differs(&s); why != "" {
				return fmt.Sprintf("after %#v: %s", e, why)
			}
			var ends table.Phase
			switch e.(type) {
			case table.Settled:
				ends = table.Paid
			case table.RoundVoided:
				ends = table.Voided
			}
			if does.Ends != ends || ends != 0 && s.Phase != ends {
				return fmt.Sprintf("%#v ends the round %s, and it is %s", e, does.Ends, s.Phase)
			}
		}
	}
	return ""
}

func TestEffectsAreWhatTheTableIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if why := playFollowed(t, table.EffectOf); why != "" {
			t.Fatal(why)
		}
	})
}

// TestWrongEffectIsFound breaks the account of one thing after another: the property
// above has to see each of them.
func TestWrongEffectIsFound(t *testing.T) {
	for name, wrong := range map[string]func(*table.Effect){
		"a bet of another amount": func(e *table.Effect) { e.Bet.Amount++ },
		"a raise on another box": func(e *table.Effect) {
			if e.Bet.Use == table.BetRaises {
				e.Bet.Box++
			}
		},
		"lines left out":               func(e *table.Effect) { e.Lines = nil },
		"a box cleared early":          func(e *table.Effect) { e.Clears = table.AllBoxes },
		"a card left out":              func(e *table.Effect) { e.Cards.Dealt = e.Cards.Dealt[:len(e.Cards.Dealt)/2] },
		"a card seen by nobody":        func(e *table.Effect) { e.Cards.Turned = 0 },
		"a hand that nobody looked at": func(e *table.Effect) { e.Cards.Examined = 0 },
		"a hand that all looked at": func(e *table.Effect) {
			e.Cards.Dealt = slices.Clone(e.Cards.Dealt)
			for i := range e.Cards.Dealt {
				e.Cards.Dealt[i].FaceUp = true
			}
		},
		"another round": func(e *table.Effect) { e.Begins *= 2 },
		"no end":        func(e *table.Effect) { e.Ends = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			found := 0
			rapid.Check(t, func(t *rapid.T) {
				if playFollowed(t, func(e table.Event) table.Effect {
					does := table.EffectOf(e)
					wrong(&does)
					return does
				}) != "" {
					found++
				}
			})
			if found == 0 {
				t.Errorf("no round of any book shows that the account has %s", name)
			}
		})
	}
}

// A number that is no box's is in no set, whatever is done with it: an event of a record that
// somebody else wrote may have any.
func TestSetsHoldBoxesOnly(t *testing.T) {
	for _, box := range []int{-64, -1, 32, 64} {
		if s := table.BoxSet(0).With(box); s != 0 {
			t.Errorf("the empty set with %d is %b", box, s)
		}
		if s := table.AllBoxes.Without(box); s != table.AllBoxes {
			t.Errorf("the set of all boxes without %d is %b", box, s)
		}
		if table.AllBoxes.Has(box) {
			t.Errorf("%d is in the set of all boxes", box)
		}
	}
	for box := range 32 {
		if s := table.BoxSet(0).With(box); !s.Has(box) || s.Without(box) != 0 || table.AllBoxes.Without(box).Has(box) {
			t.Errorf("the set with %d is %b", box, s)
		}
	}
}
