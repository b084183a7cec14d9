package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// usual are the actions of the usual course of a round. Every other action, also a future one,
// is tried by one person alone below.
var usual = []string{
	"open-table", "close-table", "open-bets", "bet", "withdraw", "close-bets", "deal", "finish-deal",
	"examine", "raise", "fold", "lay-up", "show", "keep-down", "reveal", "settle", "expire",
}

// scene is a table that a person runs, at a moment after a card has been seen.
type scene struct {
	*site
	book  string
	sight table.Sight
	steps []string
	made  int
}

// table makes a table and plays it up to the scene, by HTTP.
func (s *scene) table() (name string) {
	s.Helper()
	s.made++
	name = fmt.Sprintf("%s-%s-%s-%d", s.book, s.sight, s.steps[len(s.steps)-1], s.made)
	s.install(name, s.book, func(t *house.Table) {
		t.Config.Cards, t.Config.Chips = s.sight, s.sight != table.Virtual
		if _, ok := t.Variant.Book.Device(rules.Shoe); ok && s.sight == table.Read {
			t.Config.Device = rules.Shoe // a card is burnt, and some can come out together
		}
		t.Variant.Jackpot, t.Jackpot = nil, ""
		if t.Variant.Book.Rule(rules.Progressive) != nil {
			t.Variant.Limits[rules.Progressive] = rules.Limit{}
		}
	})
	for _, step := range s.steps {
		s.step(name, step)
	}
	return name
}

// step does a step of the usual course.
func (s *scene) step(name, step string) {
	s.Helper()
	switch step {
	case "bets":
		s.legal("dan", name, "open-bets")
		for i, person := range []string{"ann", "ben"} {
			taken := 0
			for k := range s.state(name).Variant.Book.Wagers {
				w := s.state(name).Variant.Book.Wagers[k].Wager
				if s.send(person, name, table.Bet{Box: i + 1, Player: person, Wager: w, Amount: 10 * money.Major}).StatusCode == http.StatusOK {
					taken++
				}
			}
			if taken == 0 {
				s.Fatalf("%s cannot bet at %s", person, name)
			}
		}
		s.legal("dan", name, "close-bets")
	case "half":
		deal, _ := s.find("dan", name, "deal").(table.Deal)
		deal.Cards = deal.Cards[:len(deal.Cards)/2]
		last := &deal.Cards[len(deal.Cards)-1]
		last.FaceUp = true
		if last.Card == card.None {
			last.Card = card.Deck().Cards()[0]
		}
		s.act("dan", name, deal)
	case "deal":
		if s.sight == table.Virtual {
			s.act("dan", name, table.Deal{})
			return
		}
		s.legal("dan", name, "deal")
	case "examine":
		s.legal("ann", name, "examine")
	case "decide":
		for s.state(name).Phase == table.Deciding && s.decides(name) {
		}
	case "settle":
		for s.state(name).Phase == table.Showing {
			// Where the house does not see the cards, hands are shown first.
			a := s.find("dan", name, "settle")
			for _, kind := range []string{"show", "keep-down"} {
				if a == nil {
					a = s.find("dan", name, kind)
				}
			}
			if a == nil {
				s.Fatalf("nobody can settle at %s", name)
			}
			s.act("dan", name, a)
		}
	default:
		s.legal("dan", name, step)
	}
}

// decides has the next hand played or laid up, and reports whether there was one.
func (s *scene) decides(name string) bool {
	s.Helper()
	for _, kind := range []string{"raise", "lay-up", "show"} {
		for _, person := range []string{"ann", "ben", "dan"} {
			if a := s.find(person, name, kind); a != nil {
				s.act(person, name, a)
				return true
			}
		}
	}
	return false
}

// find returns a legal action of a kind, nil if there is none.
func (s *scene) find(person, name, kind string) table.Action {
	s.Helper()
	for _, a := range table.Legal(s.state(name), staff[person].Actor()) {
		if record.Actions.Name(a) == kind {
			return a
		}
	}
	return nil
}

func (s *scene) legal(person, name, kind string) {
	s.Helper()
	a := s.find(person, name, kind)
	if a == nil {
		s.Fatalf("%s cannot %s at %s, which is %s", person, kind, name, s.state(name).Phase)
	}
	s.act(person, name, a)
}

func (s *scene) act(person, name string, a table.Action) {
	s.Helper()
	if r := s.send(person, name, a); r.StatusCode != http.StatusOK {
		s.Fatalf("%s: %s at %s: %s %s", person, record.Actions.Name(a), name, r.Status, r.text)
	}
}

func (s *scene) send(person, name string, a table.Action) *reply {
	s.Helper()
	body, err := json.Marshal(record.Actions.Stored(a))
	if err != nil {
		s.Fatal(err)
	}
	return s.order(person, name, fmt.Sprintf(`{"kind":%q,"body":%s}`, record.Actions.Name(a), body))
}

// worth holds the facts on which the money of a round depends: stakes, decisions, lines,
// options, and which card lies where.
func worth(s *table.State) string {
	type box struct {
		Stakes                                map[string]rules.Stakes
		Decision                              table.Decision
		KeptDown, Collected, Settled, Invalid bool
	}
	var all struct {
		Round  int
		Void   bool
		Boxes  []box
		Back   map[string]money.Amount
		Offers []table.Offer
		Places []string
	}
	laid := false
	all.Back = map[string]money.Amount{}
	for i := range s.Lines {
		l := &s.Lines[i]
		all.Back[fmt.Sprint(l.Box, " ", l.Player, " ", l.Wager)] += l.Net()
	}
	maps.DeleteFunc(all.Back, func(_ string, sum money.Amount) bool { return sum == 0 })
	for _, b := range s.Boxes {
		stakes := map[string]rules.Stakes{}
		for i := range b.Bettors {
			if st := b.Bettors[i].Stakes; !st.None() {
				stakes[b.Bettors[i].Player], laid = st, true
			}
		}
		all.Boxes = append(all.Boxes, box{stakes, b.Decision, b.KeptDown, b.Collected, b.Settled, b.Invalid})
	}
	all.Round, all.Void, all.Offers = s.Round, laid && s.Phase == table.Voided, s.Offers
	for i := range s.Slots {
		all.Places = append(all.Places, s.Slots[i].Place.String())
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// differs reports whether the money of a round depends on more than before, given what it
// depended on. It then depends also on another face of a card that lay open.
func differs(before *table.State, depended string, after *table.State) bool {
	for i := range before.Slots {
		was := &before.Slots[i]
		if i < len(after.Slots) && was.Exposed() && was.Card != card.None && after.Slots[i].Card != was.Card {
			return true
		}
	}
	return worth(after) != depended
}

// statements returns reports of every incident, and statements about chips, in many forms.
func statements(s *table.State) (all []table.Action) {
	somewhere := []table.Place{table.Box(1), table.Box(2), table.DealerHand}
	free := card.Deck()
	for i := range s.Slots {
		free = free.Without(s.Slots[i].Card)
	}
	news := free.Cards()[10]
	details := []func(*table.Report){
		func(*table.Report) {},
		func(r *table.Report) { r.Dealer = true },
		func(r *table.Report) { r.Dealer, r.Count = true, 2 },
		func(r *table.Report) { r.Dealer, r.Count = true, 4 },
		func(r *table.Report) { r.Count = 2 },
		func(r *table.Report) { r.Count = 4 },
		func(r *table.Report) { r.Count = 51 },
		func(r *table.Report) { r.Count = 52 },
		func(r *table.Report) { r.OrderLost = true },
		func(r *table.Report) { r.BeforeLook = true },
		func(r *table.Report) { r.Looked = true },
		func(r *table.Report) { r.LastedMs = 1000 },
		func(r *table.Report) { r.Meter = 100 * money.Major },
		func(r *table.Report) { r.Boxes = []int{1} },
		func(r *table.Report) { r.Boxes, r.BeforeLook = []int{1, 2}, true },
		func(r *table.Report) {
			r.Lies = []table.Lying{{At: table.Box(1), Count: 4}, {At: table.Box(2), Count: 2}}
		},
		func(r *table.Report) { r.Lies = []table.Lying{{At: table.Box(2), Count: 4}} },
	}
	for k := range s.Variant.Book.Wagers {
		w := s.Variant.Book.Wagers[k].Wager
		for _, amount := range []money.Amount{0, 5 * money.Major, 1000 * money.Major} {
			if amount > 0 {
				details = append(details, func(r *table.Report) { r.Wager, r.Amount = w, amount }, func(r *table.Report) { r.Wager, r.Amount, r.Counted = w, amount, true })
			}
			for box, player := range map[int]string{1: "ann", 2: "ben"} {
				for _, atCall := range []bool{false, true} {
					all = append(all, table.Found{Box: box, Player: player, Wager: w, Amount: amount, AtCall: atCall})
				}
			}
		}
	}
	for _, at := range somewhere {
		details = append(details,
			func(r *table.Report) { r.Cards = []table.Exposed{{At: at}} },
			func(r *table.Report) { r.Cards = []table.Exposed{{At: at, Index: 1, Card: news}} },
			func(r *table.Report) { r.Cards, r.Turned = []table.Exposed{{At: at, Index: 1}}, true },
			func(r *table.Report) { r.Cards, r.Turned = []table.Exposed{{At: at, Index: 1, Card: news}}, true },
			func(r *table.Report) { r.Cards, r.BeforeLook = []table.Exposed{{At: at, Index: 2, Card: news}}, true })
	}
	for _, incident := range rules.Incidents() {
		for _, about := range []table.Report{{}, {Player: "ann"}, {Box: 1}, {Box: 1, Player: "ann"}, {Box: 2, Player: "ben"}} {
			for _, detail := range details {
				r := about
				r.Incident, r.Note = incident, "so they say"
				detail(&r)
				all = append(all, r)
				if s.Round > 1 {
					r.Round = s.Round - 1
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// answerers hold the remedies and choices of one person by the question and by what the
// money depends on. Finding them takes longer than all the rest, and many statements lead
// to the same question.
type answerers map[string][]table.Action

// of returns what a person may answer to the question of a state, and every answer that
// the question names.
func (a answerers) of(s *table.State, by table.Actor) []table.Action {
	key := fmt.Sprint(by.Name, s.Phase, s.Question.Key, s.Question.By.Name, s.Question.Confirmed, s.Question.Answers, worth(s))
	answers, known := a[key]
	if !known {
		answers = slices.DeleteFunc(table.Legal(*s, by), func(do table.Action) bool {
			switch do.(type) {
			case table.Answer, table.Choose:
				return false
			}
			return true
		})
		for _, named := range s.Question.Answers {
			answers = append(answers, table.Answer{Answer: named.Key})
		}
		a[key] = answers
	}
	return answers
}

// alone returns how the money of a round changes from what it depended on by what one person
// states and answers, empty if it does not. The first of several things is the statement.
func alone(s table.State, depended string, by table.Actor, do table.Action, answers answerers) (events []table.Event, found string) {
	events, after, err := table.Step(s, table.Command{By: by, AtMs: 1, Do: do})
	if err != nil {
		return nil, ""
	}
	if differs(&s, depended, &after) {
		return events, "by itself"
	}
	if after.Question == nil {
		return events, ""
	}
	for _, answer := range answers.of(&after, by) {
		if _, then, err := table.Step(after, table.Command{By: by, AtMs: 1, Do: answer}); err == nil && differs(&s, depended, &then) {
			return events, fmt.Sprintf("with %+v", answer)
		}
	}
	return events, ""
}

// voidAtOnce holds the clauses by which a round is void at once while cards are being dealt.
// Nobody has to confirm what everybody sees before a player has touched a hand.
var voidAtOnce = []string{"5.8.2", "5.8.1"}

// Everything that moves money after a card has been seen takes a second person who did not
// report it. The test tries every report and statement in every book, with every source of
// cards, at each stage of a round, by a dealer and by a shift manager.
func TestNobodyMovesMoneyAlone(t *testing.T) {
	steady.Sequential(t)
	courses := []struct {
		moment string
		steps  []string
	}{
		{"dealing", []string{"bets", "half"}},
		{"examined", []string{"bets", "deal", "examine"}},
		{"shown", []string{"bets", "deal", "examine", "decide", "reveal"}},
		{"paid", []string{"bets", "deal", "examine", "decide", "reveal", "settle"}},
		{"next-bets", []string{"bets", "deal", "examine", "decide", "reveal", "settle", "open-bets"}},
	}
	reported, tried := map[rules.Incident]bool{}, map[string]bool{}
	confirmed := 0
	for i, b := range books.All() {
		// Every table has the same cards.
		s := newSiteWith(t, func(w *house.World) { w.Seed = func() shuffle.Seed { return shuffle.Seed{1} } })
		s.buyIn("ann", 50_000*money.Major)
		s.buyIn("ben", 50_000*money.Major)
		for j, sight := range []table.Sight{table.Virtual, table.Read, table.Unseen} {
			for k, course := range courses {
				moment := course.moment
				if !steady.Turn(i+j+k, 5) {
					continue // which leaves the deals in which each incident can be reported
				}
				if moment == "dealing" && sight == table.Virtual {
					continue // all cards are dealt at once
				}
				at := &scene{site: s, book: b.Ref(), sight: sight, steps: course.steps}
				name := at.table()
				state := s.state(name)
				depended := worth(&state)
				for _, person := range []string{"dan", "sue"} {
					if person == "dan" && sight != table.Read || person == "sue" && state.Question != nil {
						continue // dan put that question, so sue is the second person
					}
					by := staff[person].Actor()
					all, answers := statements(&state), answerers{}
					for _, a := range table.Legal(state, by) {
						if !slices.Contains(usual, record.Actions.Name(a)) {
							all = append(all, a)
						}
					}
					for _, do := range all {
						events, how := alone(state, depended, by, do, answers)
						if events == nil {
							continue
						}
						kinds := []string{b.ID, person, fmt.Sprintf("%T", do)}
						if r, ok := do.(table.Report); ok {
							reported[r.Incident] = true
							kinds = append(kinds, r.Incident.String())
						}
						asked := false
						_, chips := do.(table.Found)
						exempt := chips && state.Phase == table.Betting // a bet is entered by it
						for _, e := range events {
							kinds = append(kinds, record.TableEvents.Name(e))
							switch e := e.(type) {
							case table.RoundVoided:
								exempt = exempt || moment == "dealing" && slices.Contains(voidAtOnce, e.Clause)
							case table.QuestionAsked:
								asked = true
								kinds = append(kinds, e.Question.Key)
								if e.Question.Key == table.ConfirmFacts {
									confirmed++
								}
							}
						}
						if kind := strings.Join(kinds, " ") + how; how != "" && !exempt && !tried[kind] {
							tried[kind] = true
							t.Errorf("%s, %s cards, %s: %s alone moves money %s: %+v: %v", b.Ref(), sight, moment, person, how, do, kinds)
						}
						// One of each kind that leads to a question by HTTP, by the higher one, who
						// may answer more.
						if kind := strings.Join(kinds, " "); asked && person == "sue" && !tried[kind] {
							tried[kind] = true
							at.alone(person, name, do)
							name = at.table()
						}
					}
				}
			}
		}
	}
	for _, incident := range rules.Incidents() {
		if !reported[incident] && incident != rules.ProgressiveDown {
			t.Errorf("%s is never reported: the statements of this test have no form of it that is taken", incident)
		}
	}
	if confirmed == 0 {
		t.Error("no statement takes a second person")
	}
}

// alone has one person state something by HTTP and give every answer that there is.
func (s *scene) alone(person, name string, do table.Action) {
	s.Helper()
	holds := func() string {
		state := s.state(name)
		text := worth(&state)
		for _, player := range []string{"ann", "ben"} {
			text += fmt.Sprint(" ", s.Balance(ledger.Account{Kind: ledger.Player, Of: player}), s.Balance(ledger.Account{Kind: ledger.Owed, Of: player}))
		}
		return text
	}
	before := holds()
	if r := s.send(person, name, do); r.StatusCode != http.StatusOK {
		s.Errorf("%s at %s: %+v: %s %s", person, name, do, r.Status, r.text)
		return
	}
	said := ""
	for range 2 { // a question can lead to another one
		state := s.state(name)
		if state.Question == nil {
			break
		}
		for _, answer := range state.Question.Answers {
			said = answer.Key
			s.order(person, name, fmt.Sprintf(`{"kind":"answer","body":{"answer":%q}}`, answer.Key))
			if holds() != before {
				break
			}
		}
	}
	if now := holds(); now != before {
		s.Errorf("%s at %s alone moves money by HTTP: %+v, %s:\n%s\n%s", person, name, do, said, before, now)
	}
}
