package posting_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	_ "trey/internal/steady"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
	"trey/table"
)

var people = []table.Actor{
	{Name: "ann", Role: rules.Player},
	{Name: "ben", Role: rules.Player},
	{Name: "cai", Role: rules.Player},
	{Name: "dan", Role: rules.Dealer},
	{Name: "dan", Role: rules.Dealer},
	{Name: "pat", Role: rules.PitSupervisor},
	{Name: "sue", Role: rules.ShiftManager},
}

// floor is tables on one jackpot, and the books.
type floor struct {
	names  []string
	tables map[string]table.State
	meter  jackpot.State
	// verifyFrom is the amount from which people verify a hit.
	verifyFrom money.Amount
	book       ledger.Book
	// sums are the books once more, from the accounts of the events.
	sums accounts
	// breaks changes the postings of a command before they are made, nil for no change.
	breaks func([]ledger.Posting) []ledger.Posting
	// broken says that something was broken on purpose, and wrong what was found.
	broken bool
	wrong  string
}

const jackpotName = "linked"

// anyFloor draws up to three tables of any books, rulings and devices.
func anyFloor(t *rapid.T) *floor {
	f := newFloor()
	f.verifyFrom = rapid.SampledFrom([]money.Amount{0, 1}).Draw(t, "verify from")
	for range rapid.IntRange(1, 3).Draw(t, "tables") {
		b := rapid.SampledFrom(books.All()).Draw(t, "book")
		v := b.Standard().Clone()
		v.Boxes = rapid.IntRange(b.Boxes.Least(), min(max(3, b.Boxes.Least()), b.Boxes.Max)).Draw(t, "boxes")
		sampled.Rulings(t, "", v)
		f.add(t, v, table.Config{
			Device: rapid.SampledFrom(b.Devices).Draw(t, "device").Device,
			Cards:  rapid.SampledFrom([]table.Sight{table.Virtual, table.Read}).Draw(t, "cards"),
			Chips:  rapid.Bool().Draw(t, "chips"),
		})
	}
	for _, name := range []string{"ann", "ben", "cai"} {
		f.buyIn(t, name, money.Amount(rapid.Int64Range(1, 300).Draw(t, "buy-in"))*money.Major)
	}
	return f
}

func newFloor() *floor {
	return &floor{tables: map[string]table.State{}, book: ledger.Book{}, sums: newAccounts()}
}

// add puts a table on the floor, and opens the jackpot with the first that has one.
func (f *floor) add(t rapid.TB, v *rules.Variant, c table.Config) {
	if v.Jackpot != nil {
		v.Jackpot.RateNum, v.Jackpot.RateDen = 1, 3 // leaves fractions
		v.Jackpot.Ceiling = v.Jackpot.Reset + 3*money.Major
	}
	s, err := table.New(v, c)
	if err != nil {
		t.Fatal(err)
	}
	if v.Jackpot != nil && !f.meter.Opened {
		events, meter, err := linked.Open(v, 0, f.verifyFrom)
		if err != nil {
			t.Fatal(err)
		}
		f.moved(t, meter, events)
	}
	name := string(rune('A' + len(f.names)))
	f.names, f.tables[name] = append(f.names, name), s
}

// buyIn has a player bring money.
func (f *floor) buyIn(t rapid.TB, name string, amount money.Amount) {
	p, err := posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: amount}.Posting()
	if err != nil {
		t.Fatal(err)
	}
	changes, err := ledger.Post(f.book, p)
	if err != nil {
		t.Fatal(err)
	}
	f.book.Apply(changes)
	f.sums.of[ledger.Account{Kind: ledger.Player, Of: name}] += amount
}

// moved posts what happens to the jackpot apart from the tables.
func (f *floor) moved(t rapid.TB, meter jackpot.State, events []jackpot.Event) {
	t.Helper()
	_, changes, err := posting.Moved(jackpotName, meter, events, f.book)
	if err != nil {
		t.Fatal(err)
	}
	f.meter = meter
	f.book.Apply(changes)
	f.sums.moved("", events)
}

// do gives one command, and reports whether it was carried out.
func (f *floor) do(t rapid.TB, name string, c table.Command) bool {
	if f.wrong != "" {
		return false
	}
	before := f.tables[name]
	done, err := linked.Step(name, before, f.meter, c)
	if err != nil {
		var broke *table.Broken
		if errors.As(err, &broke) {
			t.Fatal(err)
		}
		return false
	}
	postings, changes, err := posting.Of(posting.Place{Table: name, Jackpot: jackpotName}, &before, &done, f.book)
	if err != nil {
		var short *ledger.Short
		if errors.As(err, &short) && short.Account.Kind == ledger.Player {
			return false
		}
		t.Fatalf("%s %+v: %v", record.Actions.Name(c.Do), c.Do, err)
	}
	if f.breaks != nil {
		if changes, err = ledger.Post(f.book, f.breaks(postings)...); err != nil {
			f.wrong = err.Error()
			return false
		}
	}
	f.book.Apply(changes)
	f.tables[name], f.meter = done.State, done.Meter
	f.sums.follow(name, done.Events)
	f.sums.moved(name, done.Moved)
	f.wrong = f.audit()
	if f.wrong != "" && !f.broken {
		t.Fatal(f.wrong)
	}
	return true
}

// audit checks the books against the tables, the jackpot and the accounts of the events,
// and returns the first difference, empty if there is none.
func (f *floor) audit() string {
	trial, err := f.book.Trial()
	if err != nil || !trial.Balanced() {
		return fmt.Sprintf("trial balance %+v, %v", trial, err)
	}
	if why := f.sums.differ(f.book); why != "" {
		return why
	}
	for name, s := range f.tables {
		if lies, holds := s.OnLayout(), f.book.Balance(ledger.Account{Kind: ledger.Layout, Of: name}); lies != holds {
			return fmt.Sprintf("%s lies at %s and the books say %s", lies, name, holds)
		}
	}
	for kind, shows := range map[ledger.Kind]money.Amount{ledger.Meter: f.meter.Meter, ledger.Reserve: f.meter.Reserve, ledger.Payable: f.meter.Payable()} {
		if holds := f.book.Balance(ledger.Account{Kind: kind, Of: jackpotName}); holds != shows {
			return fmt.Sprintf("the %s is %s and the books say %s", kind, shows, holds)
		}
	}
	return ""
}

// anyCommand draws something that somebody may do at the table now.
func anyCommand(t *rapid.T, s *table.State) (table.Actor, table.Action) {
	by := rapid.SampledFrom(people).Draw(t, "by")
	legal := map[string][]table.Action{}
	var kinds []string
	for _, do := range table.Legal(*s, by) {
		kind := record.Actions.Name(do)
		if legal[kind] == nil {
			weight := 3
			switch kind {
			case "bet":
				weight = 8
			case "close-table", "restrict-areas", "restrict-player", "withdraw", "report":
				weight = 1
			}
			for range weight {
				kinds = append(kinds, kind)
			}
		}
		legal[kind] = append(legal[kind], do)
	}
	if kinds == nil {
		return by, nil
	}
	slices.Sort(kinds)
	do := rapid.SampledFrom(legal[rapid.SampledFrom(kinds).Draw(t, "kind")]).Draw(t, "action")
	switch a := do.(type) {
	case table.Bet:
		if rule := s.Variant.Book.Rule(a.Wager); rule.Stake == rules.WithinLimits {
			a.Amount *= money.Amount(rapid.IntRange(1, 3).Draw(t, "times"))
		}
		return by, a
	case table.Found:
		a.Amount = money.Amount(rapid.SampledFrom([]int64{0, 100, 500, 1500, 4000}).Draw(t, "found"))
		return by, a
	case table.Deal:
		return by, anyDeal(t, s, a)
	case table.Report:
		switch a.Incident {
		case rules.TechnicalInterruption:
			a.LastedMs = rapid.SampledFrom([]int64{0, 60_000}).Draw(t, "lasted")
		case rules.DeckCount:
			a.Count = rapid.IntRange(51, 53).Draw(t, "count")
		case rules.WrongCount, rules.DealtIncorrectly:
			a.OrderLost = rapid.Bool().Draw(t, "order lost")
		default:
		}
		return by, a
	}
	return by, do
}

// anyDeal draws cards; often the first hand is the one that wins the jackpot.
func anyDeal(t *rapid.T, s *table.State, a table.Deal) table.Action {
	free := card.Deck()
	for _, slot := range s.Slots {
		free = free.Without(slot.Card)
	}
	cards := rapid.Permutation(free.Cards()).Draw(t, "cards")
	if rapid.Bool().Draw(t, "royal") {
		royal := []card.Card{}
		for _, text := range []string{"As", "Ks", "Qs"} {
			c, err := card.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			royal = append(royal, c)
		}
		at := rapid.SampledFrom([]int{0, 0, 3, 1}).Draw(t, "where")
		rest := slices.DeleteFunc(slices.Clone(cards), func(c card.Card) bool { return slices.Contains(royal, c) })
		cards = slices.Concat(rest[:at], royal, rest[at:])
	}
	for i := range a.Cards {
		a.Cards[i].Card = cards[i]
	}
	if s.Config.Cards == table.Read && rapid.IntRange(0, 5).Draw(t, "slip") == 0 {
		a.Cards[0].To = rapid.SampledFrom([]table.Place{1, table.DealerHand}).Draw(t, "to")
	}
	return a
}

// royalRound tries to play a round, from wherever the table stands, in which box
// 1 is dealt the jackpot. Any part of it may be refused.
func (f *floor) royalRound(t *rapid.T, name string, at int64) {
	dealer := people[3]
	better := rapid.SampledFrom(people[:3]).Draw(t, "who")
	give := func(by table.Actor, do table.Action) bool {
		return f.do(t, name, table.Command{By: by, AtMs: at, Do: do})
	}
	give(dealer, table.OpenBets{})
	give(better, table.Bet{Box: 1, Player: better.Name, Wager: rules.Ante, Amount: 10 * money.Major})
	give(better, table.Bet{Box: 1, Player: better.Name, Wager: rules.Progressive, Amount: 5 * money.Major})
	if !give(dealer, table.CloseBets{}) {
		return
	}
	s := f.tables[name]
	coming := s.ToCome()
	deal := table.Deal{Cards: make([]table.Drawn, len(coming))}
	royal := []string{"As", "Ks", "Qs"}
	free := card.Deck()
	for _, text := range royal {
		c, err := card.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		free = free.Without(c)
	}
	others := free.Cards()
	for i, p := range coming {
		if p == table.Box(1) && len(royal) > 0 {
			deal.Cards[i].Card, _ = card.Parse(royal[0])
			royal = royal[1:]
			continue
		}
		deal.Cards[i].Card = others[0]
		others = others[1:]
	}
	give(dealer, deal)
	if rapid.Bool().Draw(t, "play on") {
		give(better, table.Raise{Box: 1, Player: better.Name})
		give(dealer, table.Reveal{})
		give(dealer, table.Settle{})
	}
}

// Random rounds of all books on one jackpot: whatever happens, the money that moves is
// the money that is shown, and the money of the accounts of the events.
func TestTheLinesAreTheMoney(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { anyFloor(t).play(t) })
}

// play gives any commands, until something is found to be wrong.
func (f *floor) play(t *rapid.T) {
	at := int64(1_000)
	for range rapid.IntRange(20, 150).Draw(t, "commands") {
		name := rapid.SampledFrom(f.names).Draw(t, "table")
		s := f.tables[name]
		if s.Variant.Jackpot != nil && rapid.IntRange(0, 3).Draw(t, "royal round") == 0 {
			f.royalRound(t, name, at)
		}
		s = f.tables[name]
		by, do := anyCommand(t, &s)
		if do != nil {
			at += rapid.Int64Range(0, 2).Draw(t, "ms")
			f.do(t, name, table.Command{By: by, AtMs: at, Do: do})
		}
		if f.wrong == "" && f.meter.Opened && rapid.IntRange(0, 9).Draw(t, "office") == 0 {
			f.office(t)
		}
		if f.wrong != "" {
			return
		}
	}
}

// office decides about the jackpot apart from any table, as two people do.
func (f *floor) office(t *rapid.T) {
	both := jackpot.Approvers{First: "pat", Second: "sue"}
	commands := []jackpot.Command{jackpot.Adjust{
		Pot:    rapid.SampledFrom([]jackpot.Pot{jackpot.PotMeter, jackpot.PotReserve}).Draw(t, "pot"),
		Change: money.Amount(rapid.Int64Range(-300, 300).Draw(t, "change")), Cause: jackpot.AdjustMalfunction, Approvers: both,
	}}
	for _, u := range f.meter.Unverified {
		commands = append(commands, jackpot.Verify{Hit: u.Hit, Approvers: both}, jackpot.Deny{Hit: u.Hit, Clause: "rws-3cp@3 5.15", Approvers: both})
	}
	meter := f.meter
	events, err := jackpot.Decide(meter, rapid.SampledFrom(commands).Draw(t, "decision"))
	if err != nil {
		return
	}
	for _, e := range events {
		if meter, err = jackpot.Evolve(meter, e); err != nil {
			t.Fatal(err)
		}
	}
	f.moved(t, meter, events)
	if f.wrong = f.audit(); f.wrong != "" && !f.broken {
		t.Fatal(f.wrong)
	}
}

// The same is true of rounds that contain everything that moves money: a bet that is found to
// be another, a settlement, a jackpot where the book has one, and a void.
func TestTheLinesOfEveryBookAreTheMoney(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			f, v := newFloor(), b.Standard().Clone()
			v.Boxes = b.Boxes.Least()
			f.add(t, v, table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true})
			f.buyIn(t, "ann", 1000*money.Major)
			ann, dan, sue := people[0], people[3], people[6]
			do := func(by table.Actor, a table.Action) {
				t.Helper()
				if !f.do(t, "A", table.Command{By: by, AtMs: 1000, Do: a}) {
					t.Fatalf("%s cannot %s: %+v", by.Name, record.Actions.Name(a), a)
				}
			}
			deal := func() {
				cards, err := card.ParseList("As Ks Qs 9h 7d 4c")
				if err != nil {
					t.Fatal(err)
				}
				a := table.Deal{}
				for _, c := range cards {
					a.Cards = append(a.Cards, table.Drawn{Card: c})
				}
				do(dan, a)
			}
			main := b.Wagers[0].Wager
			do(dan, table.OpenBets{})
			do(ann, table.Bet{Box: 1, Player: "ann", Wager: main, Amount: 10 * money.Major})
			if v.Jackpot != nil {
				do(ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: v.Jackpot.Bet})
			}
			do(dan, table.CloseBets{})
			do(dan, table.Found{Box: 1, Player: "ann", Wager: main, Amount: 20 * money.Major, AtCall: true})
			deal()
			if b.Decision != nil {
				do(ann, table.Raise{Box: 1, Player: "ann"})
			}
			do(dan, table.Reveal{})
			do(dan, table.Settle{})
			if f.tables["A"].Phase != table.Paid || f.sums.of[player("ann")] <= 1000*money.Major || v.Jackpot != nil && f.meter.HitsPaid != 1 {
				t.Fatalf("ann holds %s after %d jackpots, and the round is %s", f.sums.of[player("ann")], f.meter.HitsPaid, f.tables["A"].Phase)
			}
			held := f.sums.of[player("ann")]
			do(dan, table.OpenBets{})
			do(ann, table.Bet{Box: 1, Player: "ann", Wager: main, Amount: 10 * money.Major})
			do(dan, table.CloseBets{})
			deal()
			do(dan, table.Report{Incident: rules.ForeignCard})
			if f.tables["A"].Question != nil { // A book that does not say.
				do(sue, table.Answer{Answer: "void"})
			}
			if f.tables["A"].Phase != table.Voided || f.sums.of[player("ann")] != held {
				t.Fatalf("ann holds %s, and %s before the round, which is %s", f.sums.of[player("ann")], held, f.tables["A"].Phase)
			}
		})
	}
}

// oneTable returns a table of rws-3cp with ann at box 1.
func oneTable(t *testing.T) (*table.State, ledger.Book) {
	t.Helper()
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.New(b.Standard(), table.Config{Device: rules.Shuffler, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = table.Evolve(s, table.BetsOpened{Round: 1}); err != nil {
		t.Fatal(err)
	}
	return &s, ledger.Book{{Kind: ledger.Player, Of: "ann"}: 100}
}

// What is collected of a jackpot, the meter takes back, and nothing else of it: lines
// without the jackpot's event and an event without lines both stop the table.
func TestACollectedJackpotIsHeldToItsLines(t *testing.T) {
	paid := table.Line{Box: 1, Player: "ann"}
	paid.Line = rules.Line{Wager: rules.Progressive, Stake: 5, Pays: 90, Returned: 90, Result: rules.Win, Clause: "4.4", Combo: rules.AKQSpades}
	back := table.Line{Box: 1, Player: "ann", Reverses: 90}
	back.Line = rules.Line{Wager: rules.Progressive, Stake: 5, Returned: 5, Result: rules.GivenBack, Clause: "5.15"}
	lines := []table.Event{table.HandInvalidated{Box: 1, Clause: "5.15", Lines: []table.Line{back}}}
	reversed := func(at string, amount money.Amount) []jackpot.Event {
		return []jackpot.Event{jackpot.HitReversed{Hit: jackpot.HitID{Table: at, Round: "1", Box: 1}, Amount: amount, ToMeter: amount}}
	}
	for _, test := range []struct {
		name   string
		events []table.Event
		moved  []jackpot.Event
		want   string
	}{
		{"lines alone", lines, nil, "what the meter takes back: 0.90 is shown and 0.00 moves"},
		{"another amount", lines, reversed("A", 80), "what the meter takes back: 0.10 is shown and 0.00 moves"},
		{"an event alone", nil, reversed("A", 90), "what the meter takes back: -0.90 is shown and 0.00 moves"},
		{"of another table", lines, reversed("B", 90), "a jackpot collected again without its lines: 0.00 is shown and 0.90 moves"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, book := oneTable(t)
			s.Phase, s.Lines, s.Boxes[0] = table.Paid, []table.Line{paid}, &table.BoxState{Settled: true}
			done := linked.Outcome{Events: test.events, State: *s, Moved: test.moved}
			_, _, err := posting.Of(posting.Place{Table: "A", Jackpot: "linked"}, s, &done, book)
			var mismatch *posting.Mismatch
			if !errors.As(err, &mismatch) || mismatch.Error() != "table A must stop: "+test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// What was reversed after it was spent is owed, and the player is not below zero.
func TestWhatWasSpentIsOwed(t *testing.T) {
	s, book := oneTable(t)
	s.Phase, s.Boxes[0] = table.Paid, &table.BoxState{Settled: true}
	line := table.Line{Box: 1, Player: "ann", Reverses: 250}
	line.Line = rules.Line{Wager: rules.Ante, Stake: 100, Returned: 100, Result: rules.GivenBack, Clause: "5.21"}
	void := table.RoundVoided{Clause: "5.21", Lines: []table.Line{line}}
	after := *s
	after.Phase = table.Voided
	done := linked.Outcome{Events: []table.Event{void}, State: after}
	_, changes, err := posting.Of(posting.Place{Table: "A"}, s, &done, book)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(changes)
	if want := "[{player:ann -1.00 0.00} {win:A 1.50 1.50} {owed:ann 0.50 0.50}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A fault on either side stops the table: the interlock is tested on events that
// the engine would never emit.
func TestMismatchesAreFound(t *testing.T) {
	bet := table.BetPlaced{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 50}
	jackpotLine := table.Line{Box: 1, Player: "ann"}
	jackpotLine.Line = rules.Line{Wager: rules.Progressive, Stake: 0, Pays: 90, Returned: 90, Result: rules.Win, Clause: "4.4", Combo: rules.AKQSpades}
	tests := []struct {
		name   string
		events []table.Event
		moved  []jackpot.Event
		want   string
	}{
		{"a layout that holds something else", []table.Event{bet}, nil, "what lies on the layout: 0.00 is shown and 0.50 moves"},
		{"a jackpot that no meter pays", []table.Event{table.Settled{Lines: []table.Line{jackpotLine}}}, nil, "the jackpot of box 1: 0.90 is shown and 0.00 moves"},
		{
			"a jackpot of another size",
			[]table.Event{table.Settled{Lines: []table.Line{jackpotLine}}},
			[]jackpot.Event{jackpot.HitPaid{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Amount: 80, FromMeter: 80}},
			"the jackpot of box 1: 0.90 is shown and 0.80 moves",
		},
		{
			"a jackpot paid to nobody", nil,
			[]jackpot.Event{jackpot.HitPaid{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Amount: 80, FromMeter: 80}},
			"what the meter pays: 0.80 is shown and 0.00 moves",
		},
		{
			"a jackpot of another table", nil,
			[]jackpot.Event{jackpot.HitPaid{Hit: jackpot.HitID{Table: "B", Round: "1", Box: 1}, Amount: 80, FromMeter: 80}},
			"a jackpot paid without its settlement: 0.00 is shown and 0.80 moves",
		},
		{
			"a meter that shows something else", nil,
			[]jackpot.Event{jackpot.Contributed{ToMeter: 30}},
			"the meter of linked: 0.00 is shown and 0.30 moves",
		},
		{
			"a reserve that holds something else", nil,
			[]jackpot.Event{jackpot.Contributed{ToReserve: 30}},
			"the reserve of linked: 0.00 is shown and 0.30 moves",
		},
		{
			"something held of which the jackpot knows nothing", nil,
			[]jackpot.Event{jackpot.HitVerified{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Winner: "ann", Amount: 80, Held: true}},
			"what is held of linked: 0.00 is shown and 0.40 moves",
		},
		{
			"a line that shows what does not move",
			[]table.Event{table.PaymentCorrected{Lines: []table.Line{{Box: 1, Player: "ann", Line: rules.Line{Returned: 90}}}}},
			nil, "the money of ann: 0.90 is shown and 0.00 moves",
		},
		{
			"money that moves and is not shown",
			[]table.Event{table.PaymentCorrected{Lines: []table.Line{{Box: 1, Player: "ann", Line: rules.Line{Pays: 90}}}}},
			nil, "the money of ann: 0.00 is shown and 0.90 moves",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, book := oneTable(t)
			book[ledger.Account{Kind: ledger.Payable, Of: "linked"}] = 120
			done := linked.Outcome{Events: test.events, State: *s, Moved: test.moved}
			_, _, err := posting.Of(posting.Place{Table: "A", Jackpot: "linked"}, s, &done, book)
			var mismatch *posting.Mismatch
			if !errors.As(err, &mismatch) || mismatch.Error() != "table A must stop: "+test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestTransfers(t *testing.T) {
	for amount, fits := range map[money.Amount]bool{posting.MaxTransfer: true, posting.MaxTransfer + 1: false} {
		_, err := posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: amount}.Posting()
		if fits != (err == nil) || !fits && !errors.Is(err, ledger.ErrMalformed) {
			t.Errorf("the cage takes in %s at once: %v", amount.Display(), err)
		}
	}
	for _, why := range []ledger.Reason{ledger.Bet, ledger.Winnings, 0} {
		if p, err := (posting.Transfer{Reason: why, Player: "ann", Amount: 1}).Posting(); !errors.Is(err, ledger.ErrMalformed) {
			t.Errorf("the cage moves money as %s: %+v, %v", why, p, err)
		}
	}
	for name, test := range map[string]struct {
		amount money.Amount
		chips  []posting.ChipCount
		fits   bool
	}{
		"no chips":                {1205, nil, true},
		"the chips of the amount": {1205, []posting.ChipCount{{Chip: 5, Count: 1}, {Chip: 100, Count: 2}, {Chip: 500, Count: 2}}, true},
		"one chip of it":          {1205, []posting.ChipCount{{Chip: 1205, Count: 1}}, true},
		"less":                    {1206, []posting.ChipCount{{Chip: 5, Count: 1}, {Chip: 100, Count: 2}, {Chip: 500, Count: 2}}, false},
		"more":                    {1204, []posting.ChipCount{{Chip: 5, Count: 1}, {Chip: 100, Count: 2}, {Chip: 500, Count: 2}}, false},
		"one kind more":           {1205, []posting.ChipCount{{Chip: 5, Count: 1}, {Chip: 100, Count: 12}, {Chip: 500, Count: 1}}, false},
		"another order":           {1205, []posting.ChipCount{{Chip: 100, Count: 2}, {Chip: 5, Count: 1}, {Chip: 500, Count: 2}}, false},
		"one denomination twice":  {1205, []posting.ChipCount{{Chip: 5, Count: 1}, {Chip: 100, Count: 1}, {Chip: 100, Count: 1}, {Chip: 500, Count: 2}}, false},
		"none of one":             {1200, []posting.ChipCount{{Chip: 5, Count: 0}, {Chip: 100, Count: 2}, {Chip: 500, Count: 2}}, false},
		"below none":              {1100, []posting.ChipCount{{Chip: 100, Count: -4}, {Chip: 500, Count: 3}}, false},
		"chips worth nothing":     {1000, []posting.ChipCount{{Chip: 0, Count: 4}, {Chip: 500, Count: 2}}, false},
		"chips below nothing":     {1000, []posting.ChipCount{{Chip: -500, Count: 2}, {Chip: 1000, Count: 2}}, false},
		"so many that they wrap":  {1 << 32, []posting.ChipCount{{Chip: 1 << 32, Count: 1<<32 + 1}}, false},
	} {
		for _, why := range []ledger.Reason{ledger.Fill, ledger.Credit} {
			_, err := posting.Transfer{Reason: why, Table: "A", Amount: test.amount, Chips: test.chips}.Posting()
			if test.fits != (err == nil) || !test.fits && !errors.Is(err, ledger.ErrMalformed) {
				t.Errorf("%s of %s in %s: %v", why, test.amount.Display(), name, err)
			}
		}
	}
	if _, err := (posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 5, Chips: []posting.ChipCount{{Chip: 5, Count: 1}}}).Posting(); !errors.Is(err, ledger.ErrMalformed) {
		t.Errorf("a player's money has chips: %v", err)
	}
	book := ledger.Book{}
	for _, tr := range []posting.Transfer{
		{Reason: ledger.BuyIn, Player: "ann", Amount: 100},
		{Reason: ledger.CashOut, Player: "ann", Amount: 30},
		{Reason: ledger.Fill, Table: "A", Amount: 500},
		{Reason: ledger.Credit, Table: "A", Amount: 200},
	} {
		p, err := tr.Posting()
		if err != nil {
			t.Fatal(err)
		}
		changes, err := ledger.Post(book, p)
		if err != nil {
			t.Fatal(err)
		}
		book.Apply(changes)
	}
	want := "map[player:ann:0.70 rack:A:3.00 house:-3.00 cash:0.70]"
	if got := fmt.Sprint(book); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
