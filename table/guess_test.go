package table_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"trey/card"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// TestWhatIsRefusedAnywayAnswersNoGuess holds that a dealer finds out no card that lies face down
// by actions that are refused whatever lies there: nobody would hear of them, so that one could
// try card after card.
func TestWhatIsRefusedAnywayAnswersNoGuess(t *testing.T) {
	for _, book := range books.All() {
		for _, device := range book.Devices {
			g := play(t, book, device.Device, table.Read)
			g.bets("ann")
			g.do("dan", table.CloseBets{})
			deck := card.Deck().Cards()
			var deal table.Deal
			for i := range g.s.ToCome() {
				deal.Cards = append(deal.Cards, table.Drawn{Card: deck[5*i]})
			}
			asked := 0
			guess := func() {
				t.Helper()
				for i, c := range deck {
					z := deck[(i+1)%len(deck)]
					for what, do := range map[string]table.Action{
						"deal to a box":  table.Deal{Cards: []table.Drawn{{Card: c, To: 1}, {Card: z, To: 1}, {Card: z, To: 1}}},
						"deal in order":  table.Deal{Cards: []table.Drawn{{Card: c}, {Card: z}, {Card: z}}},
						"deal, no burn":  table.Deal{Cards: []table.Drawn{{Card: c, To: 1}}, SkipBurn: true},
						"deal, too many": table.Deal{Cards: append([]table.Drawn{{Card: c, To: 1}}, make([]table.Drawn, 60)...)},
						"drawn together": table.Report{Incident: rules.DrawnTogether, Cards: []table.Exposed{{Card: c}, {Card: z}, {Card: z}}},
						"of a box that there is not": table.Report{
							Incident: rules.DrawnTogether, Box: 99, Cards: []table.Exposed{{Card: c}, {Card: z}},
						},
					} {
						_, err := table.Decide(g.s, table.Command{By: person("dan"), Do: do})
						var r *table.Refusal
						if !errors.As(err, &r) {
							t.Fatalf("%s: %s: %s: %v, want a refusal", book.Ref(), what, c, err)
						}
						asked++
						if strings.HasPrefix(r.Detail, c.String()+" ") {
							t.Errorf("%s from a %s: %s: the refusal tells of %s: %s", book.Ref(), device.Device, what, c, r.Detail)
						}
					}
				}
			}
			// Who names nearly all cards is not told which of them lie there.
			all := func() {
				t.Helper()
				_, err := table.Decide(g.s, table.Command{By: person("dan"), Do: toBox(deck)})
				var r *table.Refusal
				if !errors.As(err, &r) {
					t.Fatalf("%s: the whole deck: %v, want a refusal", book.Ref(), err)
				}
				for _, c := range deck {
					if strings.Contains(r.Detail, c.String()) {
						t.Errorf("%s from a %s: the whole deck: the refusal tells of %s: %s", book.Ref(), device.Device, c, r.Detail)
					}
				}
			}
			first := deal
			first.Cards = deal.Cards[:3]
			g.do("dan", first)
			guess()
			all()
			rest := deal
			rest.Cards = deal.Cards[3:]
			g.do("dan", rest)
			guess()
			all()
			if asked == 0 {
				t.Errorf("%s: nothing was asked", book.Ref())
			}
		}
	}
}

// toBox deals cards to box 1, one after the other.
func toBox(cards []card.Card) (d table.Deal) {
	for _, c := range cards {
		d.Cards = append(d.Cards, table.Drawn{Card: c, To: 1})
	}
	return d
}

// TestACardOfTheRoundIsDealtNotTwice holds that a card which lies face down already is refused
// where the deal is right otherwise, in its place in the order.
func TestACardOfTheRoundIsDealtNotTwice(t *testing.T) {
	for _, book := range books.All() {
		g := play(t, book, book.Devices[0].Device, table.Read)
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3c 4c"))
		g.refused("dan", dealt("9h 3c 10h"), table.WrongCards)
		once, twice := dealt("9h 3c 10h"), dealt("9h 10h")
		twice.Cards = append(twice.Cards, twice.Cards[0])
		for want, do := range map[string]table.Action{
			"one of these cards is already in the round": once, "9h is already in the round": twice,
		} {
			if _, err := table.Decide(g.s, table.Command{By: person("dan"), Do: do}); !strings.HasPrefix(fmt.Sprint(err), want) {
				t.Errorf("%s: %v, want %s", book.Ref(), err, want)
			}
		}
	}
}
