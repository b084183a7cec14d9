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
		wit := w.seen[name]
		if wit == nil {
			start, err := w.start(name)
			if err != nil {
				return err
			}
			wit = &witness{state: start, next: map[int]*rules.Variant{1: w.early[name]}}
			w.seen[name] = wit
		}
		for _, stored := range p.Events {
			event, err := record.TableEvents.Parse(stored.Kind, stored.Body)
			if err != nil {
				return err
			}
			w.outcomes["event: "+stored.Kind]++
			if answered, ok := event.(table.QuestionAnswered); ok && answered.Key == table.ConfirmFacts {
				w.outcomes["facts: "+answered.Answer]++
			}
			if opened, ok := event.(table.BetsOpened); ok && wit.next[opened.Round] != nil {
				if wit.state, err = wit.state.Under(wit.next[opened.Round]); err != nil {
					return err
				}
			}
			if wit.state, err = table.Evolve(wit.state, event); err != nil {
				return fmt.Errorf("%s of %s cannot follow: %w", stored.Kind, p.Stream, err)
			}
			wit.follow(event)
			if err := w.sentEvent(wit, event); err != nil {
				return fmt.Errorf("table %s: %w", name, err)
			}
		}
		// While there are no cards, there is nothing to be seen too early.
		if len(wit.cards) == 0 {
			continue
		}
		if err := w.sentView(wit); err != nil {
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
		w.outcomes[kind+": "+e.Kind]++
		body := string(e.Body)
		switch e.Kind {
		case "contributed":
			if !strings.Contains(body, `"to_reserve":0`) {
				w.outcomes["jackpot: overflow"]++
			}
		case "hit-paid":
			if !strings.Contains(body, `"reset_from_reserve":0`) {
				w.outcomes["jackpot: reset from the reserve"]++
			}
		case "book-declared", "terms-stated", "rules-changed":
			decoded, err := house.DecodeOwn(e)
			if err != nil {
				return err
			}
			if event, ok := decoded.(house.BookDeclared); ok {
				w.books[event.BookHash] = event.Declaration
			}
			if event, ok := decoded.(house.TermsStated); ok {
				book, err := rules.ReadBook([]byte(w.books[event.BookHash]), books.Find)
				if err != nil {
					return err
				}
				if w.terms[event.RulesHash], err = rules.ReadTerms([]byte(event.Terms), book); err != nil {
					return err
				}
			}
			change, ok := decoded.(house.RulesChanged)
			if !ok {
				continue
			}
			v := w.terms[change.RulesHash].Clone()
			v.ID = change.Variant
			if seen := w.seen[change.Table]; seen != nil {
				seen.next[change.FromRound] = v
			} else {
				w.early[change.Table] = v // before the first event of the table
			}
		}
	}
	return nil
}

// start returns a table in its state before its first event.
func (w *world) start(name string) (table.State, error) {
	for _, f := range w.floor {
		if f.name == name {
			return table.New(f.variant, f.config)
		}
	}
	return table.State{}, fmt.Errorf("table %s is not on the floor", name)
}

// follow takes note of who sees which cards.
func (wit *witness) follow(e table.Event) {
	see := func(viewer string, c card.Card) { wit.seen[viewer] = wit.seen[viewer].With(c) }
	show := func(p table.Place, hand card.Hand) {
		n := 0
		for i := range wit.cards {
			if wit.at[i] == p && n < len(hand) {
				wit.cards[i] = hand[n]
				see("", hand[n])
				n++
			}
		}
	}
	switch e := e.(type) {
	case table.BetsOpened:
		wit.cards, wit.at = nil, nil
		wit.seen, wit.examiner = map[string]card.Set{}, map[table.Place]string{}
	case table.HandInvalidated:
		for i := range wit.at {
			if wit.at[i] == table.Box(e.Box) {
				wit.at[i] = table.Out
			}
		}
	case table.CardsDealt:
		for _, c := range e.Cards {
			wit.cards, wit.at = append(wit.cards, c.Card), append(wit.at, c.Place)
			if c.FaceUp {
				see("", c.Card)
			}
			if viewer := wit.examiner[c.Place]; viewer != "" {
				see(viewer, c.Card)
			}
		}
	case table.HandExamined:
		wit.examiner[table.Box(e.Box)] = e.Player
		for i := range wit.at {
			if wit.at[i] == table.Box(e.Box) {
				see(e.Player, wit.cards[i])
			}
		}
	case table.HandShown:
		show(e.Place, e.Hand)
	case table.DealerShown:
		show(table.DealerHand, e.Hand)
	case table.CardsExposed:
		for i, at := range e.Slots {
			wit.cards[at] = e.Cards[i]
			see("", e.Cards[i])
		}
	case table.CardsMoved:
		for _, m := range e.Moves {
			wit.at[m.Slot] = m.To
		}
	}
}

// sentEvent looks for cards in what each person is sent of an event.
func (w *world) sentEvent(wit *witness, e table.Event) error {
	for _, viewer := range wit.viewers() {
		sent := table.Redact(e, wit.state, table.Viewer{Player: viewer})
		if err := wit.unseen(viewer, record.TableEvents.Stored(sent)); err != nil {
			return err
		}
	}
	return nil
}

// sentView looks for cards in each person's picture of the table.
func (w *world) sentView(wit *witness) error {
	for _, viewer := range wit.viewers() {
		if err := wit.unseen(viewer, table.View(wit.state, table.Viewer{Player: viewer})); err != nil {
			return err
		}
	}
	return nil
}

// viewers returns anybody, the dealer, and everybody with bets.
func (wit *witness) viewers() []string {
	names := []string{"", dealer.Name}
	for _, b := range wit.state.Boxes {
		for i := range b.Bettors {
			if name := b.Bettors[i].Player; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unseen looks through the text that goes over the wire for cards that its
// reader has not seen: strings that are a card, or cards with spaces between.
func (wit *witness) unseen(viewer string, sent any) error {
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
		if !wit.seen[""].Has(c) && (viewer == "" || !wit.seen[viewer].Has(c)) {
			return fmt.Errorf("%q is sent %s, which this viewer has not seen: %s", viewer, c, text)
		}
	}
	return nil
}

// replayed holds a table of the house to what its record makes of it.
func (w *world) replayed(name string, s *table.State) {
	w.Helper()
	wit := w.seen[name]
	if wit == nil {
		return
	}
	a, err := table.Snapshot(*s)
	if err == nil {
		a, err = people.Rename(a, w.token)
	}
	if err != nil {
		w.fail("write table %s down: %v", name, err)
	}
	if b, err := table.Snapshot(wit.state); err != nil || !bytes.Equal(a, b) {
		w.fail("table %s is\n%s\nand by its record\n%s, %v", name, a, b, err)
	}
}
