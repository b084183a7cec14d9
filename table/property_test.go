package table_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
	"trey/table"
)

// people are everybody who gives commands in the tests below.
var people = []table.Actor{
	{Name: "ann", Role: rules.Player},
	{Name: "ben", Role: rules.Player},
	{Name: "cai", Role: rules.Player},
	{Name: "dan", Role: rules.Dealer},
	{Name: "pat", Role: rules.PitSupervisor},
	{Name: "max", Role: rules.PitManager},
	{Name: "sue", Role: rules.ShiftManager},
	{Name: "tom", Role: rules.ShiftManager},
}

// anyTable draws a table: a book under any rulings and limits, any device, any
// way of knowing the cards.
func anyTable(t *rapid.T) table.State {
	book := rapid.SampledFrom(books.All()).Draw(t, "book")
	v := book.Standard()
	v.Boxes = min(max(rapid.SampledFrom([]int{1, 2, 3, 4, 9}).Draw(t, "boxes"), book.Boxes.Least()), book.Boxes.Max)
	sampled.Rulings(t, "", v)
	if rapid.Bool().Draw(t, "limits") {
		for i := range book.Wagers {
			if rule := &book.Wagers[i]; rule.Stake == rules.WithinLimits && rule.Limit.Max == 0 {
				v.Limits[rule.Wager] = rules.Limit{Min: 500, Max: 3000}
			}
		}
	}
	c := table.Config{
		Device: rapid.SampledFrom(book.Devices).Draw(t, "device").Device,
		Cards:  rapid.SampledFrom([]table.Sight{table.Virtual, table.Read, table.Unseen}).Draw(t, "cards"),
		Chips:  rapid.Bool().Draw(t, "chips"),
	}
	s, err := table.New(v, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// unused draws n different cards that no slot of the round holds.
func unused(t *rapid.T, s *table.State, n int) []card.Card {
	free := card.Deck()
	for _, slot := range s.Slots {
		free = free.Without(slot.Card)
	}
	cards := rapid.Permutation(free.Cards()).Draw(t, "cards")
	for len(cards) < n {
		cards = append(cards, card.None)
	}
	return cards[:n]
}

// anyLegal draws something that the actor may do now, each kind of action being
// as likely as any other, with the cards and amounts that are open in it.
func anyLegal(t *rapid.T, s *table.State, by table.Actor) table.Action {
	byKind := map[string][]table.Action{}
	for _, a := range table.Legal(*s, by) {
		byKind[record.Actions.Name(a)] = append(byKind[record.Actions.Name(a)], a)
	}
	if len(byKind) == 0 {
		return nil
	}
	var kinds []string
	for kind := range byKind {
		weight := 2
		switch kind {
		case "close-bets", "deal", "reveal", "settle", "raise", "bet":
			weight = 6 // so that rounds get somewhere
		case "close-table", "restrict-areas", "restrict-player", "withdraw":
			weight = 1
		}
		for range weight {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	a := rapid.SampledFrom(byKind[rapid.SampledFrom(kinds).Draw(t, "kind")]).Draw(t, "action")
	switch a := a.(type) {
	case table.Bet:
		a.Amount *= money.Amount(rapid.IntRange(1, 3).Draw(t, "times"))
		a.Standing = rapid.IntRange(0, 3).Draw(t, "standing") == 0
		return a
	case table.Found:
		a.Amount = money.Amount(rapid.SampledFrom([]int64{0, 100, 500, 1000, 4000}).Draw(t, "found"))
		return a
	case table.Deal:
		return anyDeal(t, s, a)
	case table.LayUp:
		a.Hand = anyHand(t, s, a.Hand)
		return a
	case table.Show:
		a.Hand = anyHand(t, s, a.Hand)
		return a
	case table.Reveal:
		a.Hand = anyHand(t, s, a.Hand)
		return a
	case table.Settle:
		a.Meter = money.Amount(rapid.SampledFrom([]int64{0, 1, 123_456}).Draw(t, "meter"))
		return a
	case table.Report:
		return anyDetail(t, s, a)
	case table.Answer:
		a.Order = rapid.Permutation(a.Order).Draw(t, "order")
		if len(a.Order) == 0 {
			a.Order = nil
		}
		return a
	}
	return a
}

// anyHand puts other cards for those that a hand is listed with.
func anyHand(t *rapid.T, s *table.State, hand []card.Card) []card.Card {
	if hand == nil {
		return nil
	}
	named, fresh := slices.Clone(hand), unused(t, s, len(hand))
	for i := range named {
		if named[i] != card.None {
			named[i] = fresh[i]
		}
	}
	return named
}

// anyTurn draws a person who turns or reports a card, with or without the right to: they
// name cards that nobody knows, and cards that the house knows, rightly, wrongly or not
// at all.
func anyTurn(t *rapid.T, s *table.State) table.Action {
	box := rapid.IntRange(1, len(s.Boxes)).Draw(t, "turned box")
	at := rapid.SampledFrom([]table.Place{table.Box(box), table.DealerHand}).Draw(t, "turned")
	fresh := unused(t, s, 3)
	names := rapid.SampledFrom([]string{"none", "right", "wrong"}).Draw(t, "names")
	hand, n := s.Hand(at)
	for i := range hand {
		switch {
		case hand[i] == card.None, names == "wrong":
			hand[i] = fresh[i]
		case names == "none":
			hand[i] = card.None
		}
	}
	if rapid.Bool().Draw(t, "reported") {
		i := rapid.IntRange(0, 2).Draw(t, "index")
		return table.Report{Incident: rules.CardExposed, Cards: []table.Exposed{{At: at, Index: i + 1, Card: hand[i]}}}
	}
	cards := hand[:min(n, 3)]
	if !slices.ContainsFunc(cards, card.Card.Valid) {
		cards = nil
	}
	switch {
	case at == table.DealerHand:
		return table.Reveal{Hand: cards}
	case rapid.Bool().Draw(t, "by the dealer"):
		return table.Show{Box: box, Hand: cards}
	}
	return table.LayUp{Box: box, Hand: cards}
}

// anyDeal draws how a deal goes: part of it or all, and by hand also wrong.
func anyDeal(t *rapid.T, s *table.State, a table.Deal) table.Action {
	if rapid.Bool().Draw(t, "part") && len(a.Cards) > 1 {
		a.Cards = a.Cards[:rapid.IntRange(1, len(a.Cards)-1).Draw(t, "some")]
	}
	if s.Config.Cards == table.Virtual {
		cards := unused(t, s, len(a.Cards))
		for i := range a.Cards {
			a.Cards[i].Card = cards[i]
		}
		return a
	}
	a.SkipBurn = rapid.IntRange(0, 3).Draw(t, "skip burn") == 0
	if a.SkipBurn && len(a.Cards) > 1 {
		a.Cards = a.Cards[:len(a.Cards)-1]
	}
	wrong := rapid.IntRange(0, 2).Draw(t, "wrong") == 0
	cards := unused(t, s, len(a.Cards))
	for i := range a.Cards {
		c := &a.Cards[i]
		if s.Config.Cards == table.Read {
			c.Card = cards[i]
		}
		if !wrong {
			continue
		}
		switch rapid.IntRange(0, 9).Draw(t, "slip") {
		case 0:
			c.To = table.Place(rapid.IntRange(1, len(s.Boxes)).Draw(t, "to"))
		case 1:
			c.To = rapid.SampledFrom([]table.Place{table.DealerHand, table.BurnPile, table.Out}).Draw(t, "to")
		case 2:
			c.FaceUp, c.Card = true, cards[i]
		}
	}
	return a
}

// anyDetail fills in a report.
func anyDetail(t *rapid.T, s *table.State, a table.Report) table.Action {
	if s.Round > 1 && rapid.IntRange(0, 9).Draw(t, "earlier") == 0 {
		a.Round = rapid.IntRange(1, s.Round).Draw(t, "round")
	}
	switch a.Incident {
	case rules.TechnicalInterruption:
		a.LastedMs = rapid.SampledFrom([]int64{0, 14_999, 15_000, 60_000}).Draw(t, "lasted")
	case rules.DeckCount:
		a.Count = rapid.IntRange(51, 53).Draw(t, "count")
	case rules.DealtIncorrectly, rules.BurnMissed, rules.WrongCount, rules.Misdeal:
		if rapid.IntRange(0, 3).Draw(t, "contradicts the record") == 0 {
			at := rapid.IntRange(1, len(s.Boxes)).Draw(t, "at")
			a.Lies = []table.Lying{{At: table.Box(at), Count: rapid.IntRange(0, 5).Draw(t, "lie")}}
		}
		a.OrderLost = rapid.IntRange(0, 3).Draw(t, "order lost") == 0
		a.BeforeLook = rapid.IntRange(0, 3).Draw(t, "before look") == 0
	case rules.DrawnTogether:
		cards := unused(t, s, len(a.Cards))
		for i := range a.Cards {
			a.Cards[i].Card = cards[i]
		}
		a.Note = "the nine of clubs may have been first"
		a.OrderKnown = rapid.Bool().Draw(t, "order known")
	case rules.CardMisread:
		// Any card that does not lie open, the face-down ones of the round among them.
		for i := range a.Cards {
			hidden := card.Deck()
			for _, c := range s.Slots {
				if c.Exposed() {
					hidden = hidden.Without(c.Card)
				}
			}
			a.Cards[i].Card = rapid.SampledFrom(hidden.Cards()).Draw(t, "misread")
		}
	case rules.Uncovered, rules.DealingError:
		a.Box = rapid.IntRange(0, len(s.Boxes)).Draw(t, "box")
	default:
	}
	return a
}

// anyAction draws an action with no regard to whether it is possible.
func anyAction(t *rapid.T, s *table.State) table.Action {
	box := rapid.IntRange(-1, len(s.Boxes)+1).Draw(t, "box")
	player := rapid.SampledFrom([]string{"", "ann", "ben", "cai", "dee"}).Draw(t, "player")
	wager := rules.Wager(rapid.Uint8Range(0, 12).Draw(t, "wager"))
	amount := money.Amount(rapid.SampledFrom([]int64{-1, 0, 1, 100, 500, 1000, 9999, 1 << 40, 1<<63 - 1}).Draw(t, "amount"))
	yes := rapid.Bool().Draw(t, "yes")
	cards := make([]card.Card, rapid.IntRange(0, 4).Draw(t, "n"))
	for i := range cards {
		cards[i] = card.Card(rapid.Uint8Range(0, 54).Draw(t, "card"))
	}
	var drawn []table.Drawn
	var seen []table.Exposed
	for i, c := range cards {
		to := table.Place(rapid.Uint8Range(0, 21).Draw(t, "to"))
		drawn = append(drawn, table.Drawn{Card: c, To: to, FaceUp: yes})
		seen = append(seen, table.Exposed{Card: c, At: to, Index: i})
	}
	return rapid.SampledFrom([]table.Action{
		table.OpenTable{},
		table.CloseTable{Anew: yes},
		table.OpenBets{},
		table.CloseBets{},
		table.FinishDeal{},
		table.Expire{},
		table.RestoreProgressive{},
		table.Bet{Box: box, Player: player, Wager: wager, Amount: amount, Standing: yes},
		table.Withdraw{Box: box, Player: player, Wager: wager},
		table.Found{Box: box, Player: player, Wager: wager, Amount: amount, AtCall: yes},
		table.Deal{Cards: drawn, SkipBurn: yes},
		table.Examine{Box: box, Player: player},
		table.Raise{Box: box, Player: player},
		table.Fold{Box: box, Player: player},
		table.LayUp{Box: box, Hand: cards},
		table.Show{Box: box, Hand: cards},
		table.Reveal{Hand: cards},
		table.Settle{Meter: amount},
		table.Settle{Box: box, Meter: amount},
		table.Report{
			Incident: rules.Incident(rapid.Uint8Range(0, 24).Draw(t, "incident")), Box: box, Dealer: yes, Player: player,
			Wager: wager, Counted: yes, Cards: seen, Boxes: []int{box}, Count: len(cards), LastedMs: int64(box), Amount: amount, Round: rapid.IntRange(-1, s.Round+1).Draw(t, "round"),
		},
		table.Answer{Answer: rapid.SampledFrom([]string{"", "yes", "no", "void", "order", "continue"}).Draw(t, "answer"), Order: []int{box, 1}},
		table.Choose{Box: box, Player: player, Return: yes},
		table.AskWithdrawal{Box: box, Player: player},
		table.RestrictPlayer{Player: player, Lift: yes},
		table.RestrictAreas{Max: box},
		table.SuspendProgressive{Option: table.DownOption(rapid.Uint8Range(0, 4).Draw(t, "option")), Boxes: []int{box}},
	}).Draw(t, "anything")
}

func TestAnySequenceOfCommands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyTable(t)
		start := s
		var log []table.Event
		w := witness{seen: map[string]card.Set{}}
		for n := range rapid.IntRange(10, 60).Draw(t, "commands") {
			by := rapid.SampledFrom(people).Draw(t, "by")
			if n%7 == 3 {
				checkLegal(t, s, by)
			}
			c := table.Command{By: by, AtMs: int64(n)}
			switch rapid.IntRange(0, 6).Draw(t, "any") {
			case 0:
				c.Do = anyAction(t, &s)
			case 1:
				c.Do = anyTurn(t, &s)
			default:
				c.Do = anyLegal(t, &s, by)
			}
			if c.Do == nil {
				continue
			}
			before := table.Fingerprint(s)
			events, err := table.Decide(s, c)
			checkSameAgain(t, s, c, events, err)
			if err != nil {
				checkRefusal(t, s, c, err)
			} else {
				checkListed(t, s, c)
			}
			checkNoGuess(t, s, c, err)
			next, err := table.Evolve(s, events...)
			if err != nil {
				t.Fatalf("%+v: what was decided cannot happen: %v", c, err)
			}
			if table.Fingerprint(s) != before {
				t.Fatalf("%+v: the old state was written to:\n%s\n%s", c, before, table.Fingerprint(s))
			}
			w.watch(t, s, next, c, events)
			checkRoundTrip(t, c.Do, events)
			log = append(log, events...)
			s = next
			if len(legalOf(s, people)) == 0 {
				t.Fatalf("nobody can do anything any more: %s", before)
			}
		}
		if again, err := table.Evolve(start, log...); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("the log leads elsewhere: %v\n%s\n%s", err, table.Fingerprint(again), table.Fingerprint(s))
		}
	})
}

func legalOf(s table.State, people []table.Actor) []table.Action {
	var all []table.Action
	for _, by := range people {
		all = append(all, table.Legal(s, by)...)
	}
	return all
}

// checkSameAgain holds Step to what Decide and Evolve say.
func checkSameAgain(t *rapid.T, s table.State, c table.Command, events []table.Event, err error) {
	again, after, stepErr := table.Step(s, c)
	if !reflect.DeepEqual(again, events) || !reflect.DeepEqual(err, stepErr) {
		t.Fatalf("%+v: Decide gives %+v, %v; Step gives %+v, %v", c, events, err, again, stepErr)
	}
	evolved, evolveErr := table.Evolve(s, events...)
	if evolveErr != nil || !reflect.DeepEqual(after, evolved) {
		t.Fatalf("%+v: Step leads to\n%s\nEvolve to\n%s, %v", c, table.Fingerprint(after), table.Fingerprint(evolved), evolveErr)
	}
}

// checkRefusal holds an error to be a refusal that says what is wrong and cites
// nothing but clauses of the book.
func checkRefusal(t *rapid.T, s table.State, c table.Command, err error) {
	var r *table.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%+v: not a refusal: %v", c, err)
	}
	if _, err := r.Reason.MarshalText(); err != nil || r.Detail == "" {
		t.Fatalf("%+v: refused without a reason: %+v", c, r)
	}
	if r.Clause != "" && !registered(s, r.Clause) {
		t.Fatalf("%+v: the refusal cites %s, which is not in the register", c, r.Clause)
	}
	// Nobody learns of a card that lies face down by naming another one.
	var named card.Set
	if c.Do != nil {
		walk(reflect.ValueOf(c.Do), func(n card.Card) { named = named.With(n) })
	}
	for _, slot := range s.Slots {
		if !slot.Exposed() && !named.Has(slot.Card) && slot.Card != card.None && slices.Contains(strings.Fields(strings.Map(spaced, r.Detail)), slot.Card.String()) {
			t.Fatalf("%+v: the refusal tells of %s, which nobody has seen: %s", c, slot.Card, r.Detail)
		}
	}
}

// spaced puts spaces where a sentence has signs.
func spaced(r rune) rune {
	if r == ',' || r == ':' || r == '.' || r == ';' {
		return ' '
	}
	return r
}

func registered(s table.State, ref string) bool {
	book := s.Variant.Book
	id, ofBook := strings.CutPrefix(ref, book.Ref()+" ")
	return ofBook && book.Provides(id)
}

// checkLegal holds that whatever is listed as legal is accepted, and that of all
// that was considered nothing else is.
func checkLegal(t *rapid.T, s table.State, by table.Actor) {
	legal := table.Legal(s, by)
	next := 0
	for _, a := range table.Candidates(s, by) {
		listed := next < len(legal) && reflect.DeepEqual(legal[next], a)
		_, err := table.Decide(s, table.Command{By: by, Do: a})
		if listed != (err == nil) {
			t.Fatalf("%s: %#v is listed: %t, and decided: %v", by.Name, a, listed, err)
		}
		if listed {
			next++
		} else {
			checkRefusal(t, s, table.Command{By: by, Do: a}, err)
		}
	}
	if next != len(legal) {
		t.Fatalf("%s: %d actions are listed, %d of them were considered", by.Name, len(legal), next)
	}
}

// checkListed holds that something like what was accepted is listed as legal, but
// for what takes a word from outside.
func checkListed(t *rapid.T, s table.State, c table.Command) {
	form := shape(c.Do)
	switch do := c.Do.(type) {
	case table.Bet, table.Found, table.RestrictPlayer:
		if named := nameIn(do); !slices.Contains(playersOf(&s), named) && named != c.By.Name {
			return // Somebody whom the table has not heard of.
		}
	case table.CloseTable:
		form = shape(table.CloseTable{}) // to open it again at once is a way of closing it
	case table.Deal:
		if slices.ContainsFunc(do.Cards, func(d table.Drawn) bool { return d.To != 0 }) || do.SkipBurn {
			return // A mistake of the hand that deals.
		}
	case table.Report:
		if do.Round != 0 && do.Round < s.Round || do.Player != "" && !slices.Contains(playersOf(&s), do.Player) {
			return // The record of this round says nothing of that.
		}
	}
	for _, a := range table.Legal(s, c.By) {
		if shape(a) == form {
			return
		}
	}
	t.Fatalf("%s: %#v is accepted, and nothing like it is listed:\n%s", c.By.Name, c.Do, table.Fingerprint(s))
}

// shape is an action without what is open in it: amounts, cards, details.
func shape(a table.Action) table.Action {
	switch a := a.(type) {
	case table.Bet:
		return table.Bet{Box: a.Box, Player: a.Player, Wager: a.Wager}
	case table.Found:
		return table.Found{Box: a.Box, Player: a.Player, Wager: a.Wager, AtCall: a.AtCall}
	case table.Deal:
		return kindOnly("deal")
	case table.LayUp:
		return table.AskWithdrawal{Box: a.Box, Player: "lay-up"}
	case table.Show:
		return table.AskWithdrawal{Box: a.Box, Player: "show"}
	case table.Reveal:
		return kindOnly("reveal")
	case table.Settle:
		return kindOnly("settle")
	case table.Answer:
		return kindOnly("answer " + a.Answer)
	case table.Report:
		return kindOnly("report " + a.Incident.String())
	case table.SuspendProgressive:
		return kindOnly("suspend-progressive " + a.Option.String())
	}
	return a
}

// kindOnly stands for an action of which nothing but its kind is compared.
func kindOnly(kind string) table.Action { return table.Fold{Player: kind} }

func nameIn(a table.Action) string {
	switch a := a.(type) {
	case table.Bet:
		return a.Player
	case table.Found:
		return a.Player
	case table.RestrictPlayer:
		return a.Player
	}
	return ""
}

func playersOf(s *table.State) (all []string) {
	for _, b := range s.Boxes {
		for i := range b.Bettors {
			all = append(all, b.Bettors[i].Player)
		}
	}
	return all
}

// checkNoGuess holds that naming cards answers no guess: with another card in the
// place of one that lies face down, the same command is refused in the same words
// or accepted as before. A card that is dealt is in the round already or not, which
// whoever names it is told where nothing else is wrong: then the others are dealt.
func checkNoGuess(t *rapid.T, s table.State, c table.Command, err error) {
	var named card.Set
	free := card.Deck()
	walk(reflect.ValueOf(c.Do), func(n card.Card) { named = named.With(n) })
	brings := false // cards into the round
	switch do := c.Do.(type) {
	case table.LayUp, table.Show, table.Reveal:
	case table.Report:
		brings = do.Incident == rules.DrawnTogether
	case table.Deal:
		brings = s.Config.Cards != table.Virtual
	default:
		return
	}
	if s.Config.Cards == table.Unseen {
		return // Whoever turns a card says what it is.
	}
	for _, slot := range s.Slots {
		free = free.Without(slot.Card)
	}
	other := s
	other.Slots = slices.Clone(s.Slots)
	free = free.Minus(named)
	for i := range other.Slots {
		// At a full table more cards lie face down than the deck has left for them.
		if slot := &other.Slots[i]; !slot.Exposed() && free.Len() > 0 {
			slot.Card = free.Cards()[0]
			free = free.Without(slot.Card)
		}
	}
	_, otherErr := table.Decide(other, c)
	if brings && otherErr == nil {
		return
	}
	if fmt.Sprint(otherErr) != fmt.Sprint(err) {
		t.Fatalf("%s: %#v is answered %v, and with other cards face down %v", c.By.Name, c.Do, err, otherErr)
	}
}

// checkRoundTrip writes and reads an action and its events.
func checkRoundTrip(t *rapid.T, a table.Action, events []table.Event) {
	for i := range events {
		written, err := record.TableEvents.Write(events[i])
		if err != nil {
			t.Fatal(err)
		}
		back, err := record.TableEvents.Read(written)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, events[i]) {
			t.Fatalf("written as %s, the event %#v is read as %#v", written.Body, events[i], back)
		}
	}
	if len(events) == 0 {
		return
	}
	written, err := record.Actions.Write(a)
	if err != nil {
		t.Fatal(err)
	}
	back, err := record.Actions.Read(written)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := record.Actions.Write(back); err != nil || string(again.Body) != string(written.Body) {
		t.Fatalf("written as %s, the action %#v is read as %#v", written.Body, a, back)
	}
}

// stakeOf is one wager of one player on one box.
type stakeOf struct {
	box    int
	player string
	wager  rules.Wager
}

// witness follows a table from its events alone: which stakes lie where, which
// cards lie where and who has seen them.
type witness struct {
	// done are the boxes whose bets have left the layout.
	done map[int]bool
	// staked is what has been put on each wager in the round, gone what lines
	// have taken off it before the settlement was over, back what the player
	// was given, less what was collected again.
	staked, gone, back map[stakeOf]money.Amount
	// cards are the round's cards by slot, with the place of each.
	cards []card.Card
	at    []table.Place
	// seen are the cards that each person has seen; everybody is "".
	seen map[string]card.Set
	// examiner is who examined at each box.
	examiner map[table.Place]string
}

func (w *witness) watch(t *rapid.T, before, after table.State, c table.Command, events []table.Event) {
	s := before
	for _, e := range events {
		was := s
		var err error
		if s, err = table.Evolve(s, e); err != nil {
			t.Fatal(err)
		}
		if s.Phase != was.Phase && !follows(was.Phase, s.Phase) {
			t.Fatalf("%+v leads from %s to %s", c, was.Phase, s.Phase)
		}
		if s.Phase == table.Closed && was.OnLayout() != 0 {
			t.Fatalf("the table was closed over bets")
		}
		w.see(t, s, e)
		w.checkStakes(t, s, e)
		w.checkRedacted(t, s, e)
		if table.Text(e, s) == "" && record.TableEvents.Name(e) != "bets-returned" {
			t.Fatalf("%#v is not told", e)
		}
	}
	w.checkCards(t, after)
	w.checkViews(t, after)
}

// follows reports whether one command may lead from phase to phase.
func follows(from, to table.Phase) bool {
	next := map[table.Phase][]table.Phase{
		table.Ready:   {table.Betting, table.Closed},
		table.Betting: {table.Dealing, table.Voided, table.Closed},
		// Cards may be the last ones of a hand, or shown when all leave.
		table.Dealing:  {table.Deciding, table.Voided, table.Paid},
		table.Deciding: {table.Dealing, table.Showing, table.Voided, table.Paid},
		// A card moved into a hand shown makes it be shown again.
		table.Showing: {table.Deciding, table.Dealing, table.Paid, table.Voided},
		// What was settled by something wrong is settled anew.
		table.Paid:   {table.Betting, table.Closed, table.Voided, table.Showing},
		table.Voided: {table.Betting, table.Closed},
		table.Closed: {table.Ready},
	}
	return slices.Contains(next[from], to)
}

// see updates the witness by an event.
func (w *witness) see(t *rapid.T, s table.State, e table.Event) {
	show := func(p table.Place, hand card.Hand) {
		n := 0
		for i := range w.cards {
			if w.at[i] == p {
				w.cards[i] = hand[n]
				w.seen[""] = w.seen[""].With(hand[n])
				n++
			}
		}
	}
	switch e := e.(type) {
	case table.BetsOpened:
		w.done = map[int]bool{}
		w.staked, w.gone, w.back = map[stakeOf]money.Amount{}, map[stakeOf]money.Amount{}, map[stakeOf]money.Amount{}
		w.cards, w.at = nil, nil
		w.seen, w.examiner = map[string]card.Set{}, map[table.Place]string{}
	case table.BetPlaced:
		w.staked[stakeOf{e.Box, e.Player, e.Wager}] += e.Amount
	case table.StakeFound:
		k := stakeOf{e.Box, e.Player, e.Wager}
		w.staked[k] = w.gone[k] + e.Amount
	case table.HandRaised:
		w.staked[stakeOf{e.Box, e.Player, e.Wager}] += e.Amount
	case table.BetsReturned:
		w.lines(e.Lines)
	case table.ForfeitsCollected:
		w.lines(e.Lines)
		for _, l := range e.Lines {
			w.done[l.Box] = true
		}
	case table.HandInvalidated:
		w.lines(e.Lines)
		for i := range w.at {
			if w.at[i] == table.Box(e.Box) {
				w.at[i] = table.Out
			}
		}
	case table.RoundVoided:
		w.lines(e.Lines)
		w.checkWhole(t, e)
	case table.Settled:
		w.lines(e.Lines)
		for i := range s.Boxes {
			w.done[i+1] = true
		}
	case table.BoxSettled:
		w.lines(e.Lines)
		w.done[e.Box] = true
	case table.SettlementUndone:
		w.lines(e.Lines)
		w.done[e.Box] = false
		for _, l := range e.Stakes {
			w.gone[stakeOf{e.Box, l.Player, l.Wager}] -= l.Amount
		}
	case table.CardsDealt:
		for _, c := range e.Cards {
			w.cards, w.at = append(w.cards, c.Card), append(w.at, c.Place)
			if c.FaceUp {
				w.seen[""] = w.seen[""].With(c.Card)
			}
			if by := w.examiner[c.Place]; by != "" {
				w.seen[by] = w.seen[by].With(c.Card)
			}
		}
	case table.HandExamined:
		w.examiner[table.Box(e.Box)] = e.Player
		for i := range w.at {
			if w.at[i] == table.Box(e.Box) {
				w.seen[e.Player] = w.seen[e.Player].With(w.cards[i])
			}
		}
	case table.HandShown:
		show(e.Place, e.Hand)
	case table.DealerShown:
		show(table.DealerHand, e.Hand)
	case table.CardsExposed:
		for i := range w.cards {
			if e.Corrected && slices.Contains(e.Cards, w.cards[i]) {
				w.cards[i] = card.None // It lies open elsewhere.
			}
		}
		for i, at := range e.Slots {
			w.cards[at] = e.Cards[i]
			w.seen[""] = w.seen[""].With(e.Cards[i])
		}
	case table.CardsMoved:
		for _, m := range e.Moves {
			w.at[m.Slot] = m.To
		}
	}
	_ = s
}

// lines books settlement lines: what takes a stake off the layout, and what goes
// to the player.
func (w *witness) lines(lines []table.Line) {
	for _, l := range lines {
		k := stakeOf{l.Box, l.Player, l.Wager}
		if !w.done[l.Box] {
			w.gone[k] += l.Stake
		}
		w.back[k] += l.Returned - l.Reverses
	}
}

// checkStakes holds the stakes on the layout to what was put there and taken
// away, and a settled round to have taken everything away.
func (w *witness) checkStakes(t *rapid.T, s table.State, e table.Event) {
	for k, staked := range w.staked {
		lies := money.Amount(0)
		for _, b := range s.Boxes[k.box-1].Bettors {
			if b.Player == k.player && !s.Boxes[k.box-1].Settled {
				lies = b.Stakes[k.wager]
			}
		}
		switch {
		case s.Phase.InRound() && lies != staked-w.gone[k]:
			t.Fatalf("after %#v: %s of %s on box %d lies as %s, %s was staked and %s taken away", e, k.wager, k.player, k.box, lies, staked, w.gone[k])
		case !s.Phase.InRound() && staked != w.gone[k]:
			t.Fatalf("after %#v: %s of %s on box %d: %s was staked, %s left by a line", e, k.wager, k.player, k.box, staked, w.gone[k])
		}
	}
	for k, gone := range w.gone {
		if gone > w.staked[k] {
			t.Fatalf("after %#v: %s of %s on box %d: lines take %s, %s was staked", e, k.wager, k.player, k.box, gone, w.staked[k])
		}
	}
}

// checkWhole holds that a void round gives all players exactly their stakes back.
func (w *witness) checkWhole(t *rapid.T, e table.Event) {
	stakes := map[string]money.Amount{}
	for k, staked := range w.staked {
		stakes[k.player] += staked
	}
	for k, back := range w.back {
		stakes[k.player] -= back
	}
	for player, missing := range stakes {
		if missing != 0 {
			t.Fatalf("%#v: %s is short of %s", e, player, missing)
		}
	}
}

// checkCards holds that no card is there twice and that slots are where the
// events say.
func (w *witness) checkCards(t *rapid.T, s table.State) {
	var all card.Set
	if len(s.Slots) != len(w.at) {
		t.Fatalf("%d slots, %d cards were dealt", len(s.Slots), len(w.at))
	}
	for i, slot := range s.Slots {
		if slot.Card != card.None && all.Has(slot.Card) {
			t.Fatalf("%s is there twice", slot.Card)
		}
		all = all.With(slot.Card)
		if slot.Place != w.at[i] || slot.Card != w.cards[i] {
			t.Fatalf("card %d is %s at %s, the events say %s at %s", i+1, slot.Card, slot.Place, w.cards[i], w.at[i])
		}
	}
}

func (w *witness) may(viewer string, c card.Card) bool {
	return c == card.None || w.seen[""].Has(c) || viewer != "" && w.seen[viewer].Has(c)
}

// asDealt holds the dealer's cards to lie from the highest down, an ace below 3-2,
// and returns them in the order in which they were dealt.
func (w *witness) asDealt(t *rapid.T, faces []card.Card) []card.Card {
	value := func(c card.Card) int {
		if c.Rank() == card.Ace && faces[0].Rank() == card.Three && faces[1].Rank() == card.Two {
			return 1
		}
		return int(c.Rank())
	}
	if value(faces[0]) < value(faces[1]) || value(faces[1]) < value(faces[2]) {
		t.Fatalf("the dealer's cards lie as %v, and not from the highest down", faces)
	}
	if faces[0].Rank() == card.Ace && faces[1].Rank() == card.Three && faces[2].Rank() == card.Two {
		t.Fatalf("the dealer's cards lie as %v, where the ace is low", faces)
	}
	var dealt []card.Card
	for i, c := range w.cards {
		if w.at[i] == table.DealerHand && slices.Contains(faces, c) {
			dealt = append(dealt, c)
		}
	}
	return dealt
}

// checkViews holds the picture of each viewer to the cards that they may know, no more
// and no less.
func (w *witness) checkViews(t *rapid.T, s table.State) {
	for _, viewer := range []string{"", "ann", "ben", "cai", "dan"} {
		p := table.View(s, table.Viewer{Player: viewer})
		check := func(at table.Place, faces []card.Card) {
			if at == table.DealerHand && s.Variant.Book.Announce.DealerSorted+s.Variant.Book.Announce.DealerGrouped != "" && len(faces) == 3 && !slices.Contains(faces, card.None) {
				faces = w.asDealt(t, faces)
			}
			n := 0
			for i := range w.at {
				if w.at[i] != at {
					continue
				}
				want := w.cards[i]
				if !w.may(viewer, want) {
					want = card.None
				}
				if n >= len(faces) || faces[n] != want {
					t.Fatalf("%q sees %v at the %s, where card %d should be %s", viewer, faces, at, n+1, want)
				}
				n++
			}
			if n != len(faces) {
				t.Fatalf("%q sees %d cards at the %s, where %d lie", viewer, len(faces), at, n)
			}
		}
		check(table.DealerHand, p.Dealer)
		check(table.BurnPile, p.Burn)
		for i := range p.Boxes {
			check(table.Box(i+1), p.Boxes[i].Cards)
		}
	}
}

// checkRedacted looks for cards anywhere in what a viewer is sent of an event.
func (w *witness) checkRedacted(t *rapid.T, s table.State, e table.Event) {
	for _, viewer := range []string{"", "ann", "ben", "cai", "dan"} {
		redacted := table.Redact(e, s, table.Viewer{Player: viewer})
		walk(reflect.ValueOf(redacted), func(c card.Card) {
			if !w.may(viewer, c) {
				t.Fatalf("%q is sent %s in %#v", viewer, c, redacted)
			}
		})
	}
}

func walk(v reflect.Value, found func(card.Card)) {
	if v.Type() == reflect.TypeFor[card.Card]() {
		found(card.Card(v.Uint()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), found)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), found)
		}
	default:
	}
}
