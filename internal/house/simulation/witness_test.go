package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"trey/card"
	"trey/internal/house"
	"trey/internal/people"
	"trey/internal/record"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// witness follows one table by the record alone: which cards lie where and who
// has seen them; and replays it.
type witness struct {
	state table.State
	next  map[int]*rules.Variant // the rules from a round on
	cards []card.Card
	at    []table.Place
	// seen are the cards that each person has seen, everybody under "".
	seen     map[string]card.Set
	examiner map[table.Place]string
}

// witness reads a transaction, and looks at what each person is sent of it.
func (w *world) witness(e house.StoredTransaction) error {
	for _, p := range e.Parts {
		name, ok := strings.CutPrefix(p.Stream, "table:")
		if !ok {
			if err := w.otherPart(p); err != nil {
				return err
			}
			continue
		}
		is := w.seen[name]
		if is == nil {
			start, err := w.start(name)
			if err != nil {
				return err
			}
			is = &witness{state: start, next: map[int]*rules.Variant{1: w.early[name]}}
			w.seen[name] = is
		}
		for _, stored := range p.Events {
			event, err := record.TableEvents.Parse(stored.Kind, stored.Body)
			if err != nil {
				return err
			}
			w.told["event: "+stored.Kind]++
			if answered, ok := event.(table.QuestionAnswered); ok && answered.Key == table.ConfirmFacts {
				w.told["facts: "+answered.Answer]++
			}
			if opened, ok := event.(table.BetsOpened); ok && is.next[opened.Round] != nil {
				if is.state, err = is.state.Under(is.next[opened.Round]); err != nil {
					return err
				}
			}
			if is.state, err = table.Evolve(is.state, event); err != nil {
				return fmt.Errorf("%s of %s cannot follow: %w", stored.Kind, p.Stream, err)
			}
			is.follow(event)
			if err := w.sentEvent(is, event); err != nil {
				return fmt.Errorf("table %s: %w", name, err)
			}
		}
		// While there are no cards, there is nothing to be seen too early.
		if len(is.cards) == 0 {
			continue
		}
		if err := w.sentView(is); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	return nil
}

// otherPart counts what happens apart from tables, and keeps the rules that a
// table gets from a round on.
func (w *world) otherPart(p house.StreamAppend) error {
	kind, _, _ := strings.Cut(p.Stream, ":")
	for _, e := range p.Events {
		w.told[kind+": "+e.Kind]++
		body := string(e.Body)
		switch e.Kind {
		case "contributed":
			if !strings.Contains(body, `"to_reserve":0`) {
				w.told["jackpot: overflow"]++
			}
		case "hit-paid":
			if !strings.Contains(body, `"reset_from_reserve":0`) {
				w.told["jackpot: reset from the reserve"]++
			}
		case "book-declared", "terms-stated", "rules-changed":
			own, err := house.DecodeOwn(e)
			if err != nil {
				return err
			}
			if own, ok := own.(house.BookDeclared); ok {
				w.books[own.BookHash] = own.Declaration
			}
			if own, ok := own.(house.TermsStated); ok {
				if w.terms[own.RulesHash], err = rules.ReadRules("", []byte(w.books[own.BookHash]), []byte(own.Terms), books.Find); err != nil {
					return err
				}
			}
			change, ok := own.(house.RulesChanged)
			if !ok {
				continue
			}
			v := w.terms[change.RulesHash].Clone()
			v.ID = change.Variant
			if is := w.seen[change.Table]; is != nil {
				is.next[change.FromRound] = v
			} else {
				w.early[change.Table] = v // before the first event of the table
			}
		}
	}
	return nil
}

// start is a table as it stood on the floor before its first event.
func (w *world) start(name string) (table.State, error) {
	for _, f := range w.floor {
		if f.name == name {
			return table.New(f.variant, f.config)
		}
	}
	return table.State{}, fmt.Errorf("table %s is not on the floor", name)
}

// follow takes note of who sees which cards.
func (is *witness) follow(e table.Event) {
	see := func(who string, c card.Card) { is.seen[who] = is.seen[who].With(c) }
	show := func(p table.Place, hand card.Hand) {
		n := 0
		for i := range is.cards {
			if is.at[i] == p && n < len(hand) {
				is.cards[i] = hand[n]
				see("", hand[n])
				n++
			}
		}
	}
	switch e := e.(type) {
	case table.BetsOpened:
		is.cards, is.at = nil, nil
		is.seen, is.examiner = map[string]card.Set{}, map[table.Place]string{}
	case table.HandInvalidated:
		for i := range is.at {
			if is.at[i] == table.Box(e.Box) {
				is.at[i] = table.Out
			}
		}
	case table.CardsDealt:
		for _, c := range e.Cards {
			is.cards, is.at = append(is.cards, c.Card), append(is.at, c.Place)
			if c.FaceUp {
				see("", c.Card)
			}
			if who := is.examiner[c.Place]; who != "" {
				see(who, c.Card)
			}
		}
	case table.HandExamined:
		is.examiner[table.Box(e.Box)] = e.Player
		for i := range is.at {
			if is.at[i] == table.Box(e.Box) {
				see(e.Player, is.cards[i])
			}
		}
	case table.HandShown:
		show(e.Place, e.Hand)
	case table.DealerShown:
		show(table.DealerHand, e.Hand)
	case table.CardsExposed:
		for i, at := range e.Slots {
			is.cards[at] = e.Cards[i]
			see("", e.Cards[i])
		}
	case table.CardsMoved:
		for _, m := range e.Moves {
			is.at[m.Slot] = m.To
		}
	}
}

// sentEvent looks for cards in what each person is sent of an event.
func (w *world) sentEvent(is *witness, e table.Event) error {
	for _, who := range is.viewers() {
		sent := table.Redact(e, is.state, table.Viewer{Player: who})
		if err := is.unseen(who, record.TableEvents.Stored(sent)); err != nil {
			return err
		}
	}
	return nil
}

// sentView looks for cards in each person's picture of the table.
func (w *world) sentView(is *witness) error {
	for _, who := range is.viewers() {
		if err := is.unseen(who, table.View(is.state, table.Viewer{Player: who})); err != nil {
			return err
		}
	}
	return nil
}

// viewers are anybody, the dealer, and everybody with bets.
func (is *witness) viewers() []string {
	who := []string{"", dealer.Name}
	for _, b := range is.state.Boxes {
		for i := range b.Bettors {
			if name := b.Bettors[i].Player; !slices.Contains(who, name) {
				who = append(who, name)
			}
		}
	}
	return who
}

// unseen looks through the text that goes over the wire for cards that its
// reader has not seen: strings that are a card, or cards with spaces between.
func (is *witness) unseen(who string, sent any) error {
	text, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	for i := 0; i+3 < len(text); i++ {
		if text[i] != '"' && text[i] != ' ' || text[i+3] != '"' && text[i+3] != ' ' {
			continue
		}
		c, err := card.Parse(string(text[i+1 : i+3]))
		if err != nil || c == card.None || c.String() != string(text[i+1:i+3]) {
			continue
		}
		if !is.seen[""].Has(c) && (who == "" || !is.seen[who].Has(c)) {
			return fmt.Errorf("%q is sent %s, which he has not seen: %s", who, c, text)
		}
	}
	return nil
}

// replayed holds a table of the house to what its record makes of it.
func (w *world) replayed(name string, s *table.State) {
	w.Helper()
	is := w.seen[name]
	if is == nil {
		return
	}
	a, err := table.Snapshot(*s)
	if err == nil {
		a, err = people.Rename(a, w.token)
	}
	if err != nil {
		w.fail("write table %s down: %v", name, err)
	}
	if b, err := table.Snapshot(is.state); err != nil || !bytes.Equal(a, b) {
		w.fail("table %s is\n%s\nand by its record\n%s, %v", name, a, b, err)
	}
}
