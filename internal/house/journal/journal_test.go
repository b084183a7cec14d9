package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/journal"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules/books"
	"trey/table"
)

var (
	dealer  = access.Person{Name: "dan", Role: access.Dealer}
	manager = access.Person{Name: "sue", Role: access.ShiftManager}
	deputy  = access.Person{Name: "tom", Role: access.ShiftManager}
	cashier = access.Person{Name: "cat", Role: access.Cashier}
	admin   = access.Person{Name: "ida", Role: access.Administrator}
	players = []access.Person{{Name: "ann", Role: access.Player}, {Name: "ben", Role: access.Player}, {Name: "Qh", Role: access.Player}}
)

// place is a house at play.
type place struct {
	testing.TB
	*house.House
	journal *journal.Journal
	store   *memory.Store
	nowMs   int64
	chance  *rand.Rand
	names   []string
}

// open opens a house with a table of each of these books.
func open(t testing.TB, seed uint64, ids ...string) *place {
	t.Helper()
	p := &place{TB: t, nowMs: 1_000_000, chance: rand.New(rand.NewPCG(seed, 1))}
	var disk memory.Disk
	var err error
	if p.store, err = disk.Open(memory.Faults{}); err != nil {
		t.Fatal(err)
	}
	world := house.World{NowMs: func() int64 { return p.nowMs }, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Numbered(seed)}
	if p.House, _, err = house.Open(t.Context(), p.store, world); err != nil {
		t.Fatal(err)
	}
	p.journal = &journal.Journal{House: p.House, Record: house.Named(p.store)}
	for _, id := range ids {
		b, err := books.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		config := house.Table{Name: id + " 1", Variant: b.Standard(), Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}}
		if config.Variant.Jackpot != nil {
			config.Jackpot = "linked"
		}
		if err := p.Install(t.Context(), config, admin); err != nil {
			t.Fatal(err)
		}
		p.names = append(p.names, config.Name)
	}
	for _, person := range players {
		if _, err := p.CageTransfer(t.Context(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: person.Name, Amount: 1_000_000 * money.Major}); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// play does anything that somebody may do, many times over.
func (p *place) play(commands int) {
	p.Helper()
	for range commands {
		p.nowMs += 1000
		name := p.names[p.chance.IntN(len(p.names))]
		state, err := housetest.Table(p, name)
		if err != nil {
			p.Fatal(err)
		}
		by := []access.Person{dealer, dealer, manager, players[0], players[1], players[2]}[p.chance.IntN(6)]
		if q := state.Question; q != nil && q.By.Name == manager.Name {
			by = deputy // who reports does not answer
		}
		kinds := map[string][]table.Action{}
		for _, a := range table.Legal(state, by.Actor()) {
			kinds[record.Actions.Name(a)] = append(kinds[record.Actions.Name(a)], a)
		}
		if len(kinds) == 0 {
			continue
		}
		all := slices.Sorted(maps.Keys(kinds))
		of := kinds[all[p.chance.IntN(len(all))]]
		do := of[p.chance.IntN(len(of))]
		switch a := do.(type) {
		case table.CloseTable, table.RestrictPlayer, table.RestrictAreas:
			continue
		case table.Bet:
			a.Amount *= money.Amount(1 + p.chance.IntN(5))
			do = a
		case table.Deal:
			for i := range a.Cards {
				a.Cards[i].Card = card.None
			}
			do = a
		case table.Report:
			if p.chance.IntN(6) > 0 {
				continue
			}
		}
		if _, err = p.Do(p.Context(), house.CommandRequest{Table: name, By: by, Do: do}); errors.Is(err, house.ErrStopped) {
			p.Fatal(err)
		}
	}
}

// written is a round as somebody finds it who reads the record by hand: the texts
// of its events, and nothing of the package.
type written struct {
	table         string
	round         int
	seq, from, to int64
	things        []thing
}

type thing struct {
	player, clause string
	sums           []int64
}

// byHand reads every round out of the record.
func (p *place) byHand() (all []*written) {
	p.Helper()
	now := map[string]*written{}
	err := house.Named(p.store).ReadAll(p.Context(), 0, "", func(e house.StoredTransaction) error {
		for _, part := range e.Parts {
			name, ok := strings.CutPrefix(part.Stream, "table:")
			if !ok {
				continue
			}
			if part.Round > 0 {
				now[name] = &written{table: name, round: part.Round, seq: e.Seq, from: e.AtMs}
				all = append(all, now[name])
			}
			for _, event := range part.Events {
				if r := now[name]; r != nil {
					r.to = e.AtMs
					r.things = append(r.things, thingsOf(p, event)...)
				}
			}
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

func thingsOf(t testing.TB, event house.Event) (all []thing) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(event.Body, &fields); err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{"lines", "offers"} {
		list, _ := fields[inside].([]any)
		for _, one := range list {
			all = append(all, read(one.(map[string]any)))
		}
	}
	if event.Kind == "bets-returned" {
		return all // they are returned to those of the lines
	}
	if question, ok := fields["question"].(map[string]any); ok {
		fields = question
	}
	top := read(fields)
	if report, ok := fields["report"].(map[string]any); ok {
		about := read(report)
		top.player = about.player
		if _, asked := fields["role"]; !asked { // a question is about the report, and brings no sums of its own
			top.sums = about.sums
		}
	}
	return append(all, top)
}

func read(fields map[string]any) (t thing) {
	t.player, _ = fields["player"].(string)
	clause, _ := fields["clause"].(string)
	t.clause = clause[strings.LastIndex(clause, " ")+1:]
	for _, key := range []string{"amount", "minimum", "stake", "pays"} {
		if sum, ok := fields[key].(float64); ok {
			t.sums = append(t.sums, int64(sum))
		}
	}
	return t
}

// fits says what a query means, round by round.
func (r *written) fits(q *journal.Query, refs map[string]string) bool {
	if q.Table != "" && r.table != q.Table || q.FromMs > r.to || q.ToMs != 0 && q.ToMs <= r.from {
		return false
	}
	clause := q.Clause
	if book, id, cut := strings.Cut(clause, " "); cut {
		if clause = id; refs[r.table] != book {
			return false
		}
	}
	takes, fits := q.Player == "", clause == "" && q.AtLeast == 0 && q.AtMost == 0
	for _, item := range r.things {
		takes = takes || item.player == q.Player
		if item.player != "" && q.Player != "" && item.player != q.Player {
			continue
		}
		if clause != "" && item.clause != clause && !strings.HasPrefix(item.clause, clause+".") && !strings.HasPrefix(item.clause, clause+"(") {
			continue
		}
		within := q.AtLeast == 0 && q.AtMost == 0
		for _, sum := range item.sums {
			within = within || sum > 0 && sum >= int64(q.AtLeast) && (q.AtMost == 0 || sum <= int64(q.AtMost))
		}
		fits = fits || within
	}
	return takes && fits
}

// A search finds the same as a person who reads the record by hand, for every query and in
// pages of any size.
func TestRoundsAreFound(t *testing.T) {
	p := open(t, 3, "rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures")
	p.play(3000)
	all := p.byHand()
	if len(all) < 80 {
		t.Fatalf("only %d rounds were played", len(all))
	}
	refs := map[string]string{}
	var clauses []string
	for _, name := range p.names {
		state, err := housetest.Table(p, name)
		if err != nil {
			t.Fatal(err)
		}
		refs[name] = state.Variant.Book.Ref()
	}
	for _, r := range all {
		for _, item := range r.things {
			if item.clause == "" {
				continue
			}
			chapter, _, _ := strings.Cut(item.clause, ".")
			clauses = append(clauses, item.clause, chapter, refs[r.table]+" "+item.clause)
		}
	}
	clauses = slices.Compact(slices.Sorted(slices.Values(clauses)))
	some, none := 0, 0
	for n := range steady.Tries(50, 80) {
		maybe := func() bool { return p.chance.IntN(2) == 0 }
		var q journal.Query
		if maybe() {
			q.Player = append(players, dealer)[p.chance.IntN(4)].Name
		}
		if maybe() {
			q.Table = p.names[p.chance.IntN(len(p.names))]
		}
		if maybe() {
			q.Clause = clauses[p.chance.IntN(len(clauses))]
		}
		if maybe() {
			q.AtLeast = money.Amount(p.chance.IntN(20)) * 500
		}
		if maybe() {
			q.AtMost = q.AtLeast + money.Amount(p.chance.IntN(20))*500
		}
		if maybe() {
			q.FromMs = 1_000_000 + p.chance.Int64N(6_000_000)
		}
		if maybe() {
			q.ToMs = q.FromMs + 1 + p.chance.Int64N(3_000_000)
		}
		var want, got []string
		for _, r := range all {
			if r.fits(&q, refs) {
				want = append(want, fmt.Sprint(r.table, " ", r.round, " ", r.seq))
			}
		}
		q.Limit, q.Most = 1+p.chance.IntN(40), 200+p.chance.IntN(3000)
		for pages := 0; ; pages++ {
			page, err := p.journal.Rounds(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if len(page.Rounds) > q.Limit || pages > 2000 {
				t.Fatalf("%+v: page %d holds %d rounds", q, pages, len(page.Rounds))
			}
			for i := range page.Rounds {
				f := &page.Rounds[i]
				got = append(got, fmt.Sprint(f.Table, " ", f.Round, " ", f.Seq))
				if asked := q.Player != "" || q.Clause != "" || q.AtLeast != 0 || q.AtMost != 0; asked != (len(f.Matches) > 0) {
					t.Errorf("%+v: %s %d says it fits by %+v", q, f.Table, f.Round, f.Matches)
				}
			}
			if page.Next == 0 {
				break
			}
			if page.Next >= q.Before && q.Before != 0 {
				t.Fatalf("%+v: the page after it begins at %d", q, page.Next)
			}
			q.Before = page.Next
		}
		if !slices.Equal(got, want) {
			t.Fatalf("query %d, %+v:\nfound  %v\nshould %v", n, q, got, want)
		}
		if len(want) > 0 {
			some++
		} else {
			none++
		}
	}
	if some < 12 || none < 4 {
		t.Errorf("%d queries find something and %d nothing: the queries show little", some, none)
	}
}

func TestInvalidRoundSearches(t *testing.T) {
	p := open(t, 1, "rws-3cp")
	for _, q := range []journal.Query{{FromMs: 5, ToMs: 5}, {ToMs: -1}, {AtLeast: 10, AtMost: 5}, {AtLeast: -1}} {
		if _, err := p.journal.Rounds(t.Context(), q); !errors.Is(err, journal.ErrQuery) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// The log read backwards is the log, in pages of any size.
func TestTheLogBackwards(t *testing.T) {
	p := open(t, 2, "rws-3cp", "us-3cp")
	p.play(1500)
	for n, q := range []journal.LogQuery{
		{},
		{Stream: "table:rws-3cp 1"},
		{Stream: "house"},
		{Kind: "bet"},
		{Kind: "bet-placed", Person: "ann"},
		{Person: "ida"},
		{Stream: "table:nowhere"},
		{Person: "ben", Stream: "table:us-3cp 1", Kind: "settle"},
	} {
		var want, got []int64
		err := house.Named(p.store).ReadAll(t.Context(), 0, "", func(e house.StoredTransaction) error {
			of, kind, person := q.Stream == "", q.Kind == "" || e.Cause.Kind == q.Kind, q.Person == "" || e.Cause.By == q.Person
			for _, part := range e.Parts {
				of = of || part.Stream == q.Stream
				for _, event := range part.Events {
					kind = kind || event.Kind == q.Kind
					person = person || strings.Contains(string(event.Body), `"`+q.Person+`"`)
				}
			}
			for _, move := range e.Postings {
				person = person || move.From.Of == q.Person || move.To.Of == q.Person
			}
			person = person || strings.Contains(string(e.Cause.Body), `"`+q.Person+`"`)
			if of && kind && person {
				want = append([]int64{e.Seq}, want...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		q.Limit, q.Most = 7+n*20, 100+n*500
		for {
			page, err := p.journal.Log(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Entries) > q.Limit {
				t.Fatalf("%+v: %d entries", q, len(page.Entries))
			}
			for i := range page.Entries {
				got = append(got, page.Entries[i].Seq)
			}
			if q.Before = page.Next; page.Next == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d entries, should be %d", q, len(got), len(want))
		}
		if (len(want) == 0) != (q.Stream == "table:nowhere") {
			t.Errorf("%+v finds %d entries: it shows nothing", q, len(want))
		}
	}
}

// dealt has the players of a table of Three Card Poker lay a bet and get their cards.
func (p *place) dealt(name string) {
	p.Helper()
	if _, err := p.Do(p.Context(), house.CommandRequest{Table: name, By: dealer, Do: table.OpenBets{}}); err != nil {
		p.Fatal(err)
	}
	state, err := housetest.Table(p, name)
	if err != nil {
		p.Fatal(err)
	}
	for _, a := range table.Legal(state, players[0].Actor()) {
		if bet, ok := a.(table.Bet); ok && bet.Wager.String() == "ante" {
			if _, err := p.Do(p.Context(), house.CommandRequest{Table: name, By: players[0], Do: bet}); err != nil {
				p.Fatal(err)
			}
			break
		}
	}
	for _, do := range []table.Action{table.CloseBets{}, table.Deal{}} {
		if _, err := p.Do(p.Context(), house.CommandRequest{Table: name, By: dealer, Do: do}); err != nil {
			p.Fatal(err)
		}
	}
}

// Nobody finds out where a card lies by asking for it, as if it were the name of a
// player or a kind of thing.
func TestNoCardIsFoundByAskingForIt(t *testing.T) {
	p := open(t, 5, "rws-3cp")
	name := p.names[0]
	p.dealt(name)
	state, err := housetest.Table(p, name)
	if err != nil || len(state.Slots) < 6 {
		t.Fatalf("%d cards are dealt, %v", len(state.Slots), err)
	}
	for _, slot := range state.Slots {
		text := slot.Card.String()
		page, err := p.journal.Log(t.Context(), journal.LogQuery{Person: text})
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Entries {
			if page.Entries[i].Cause.Kind == "deal" {
				t.Errorf("who asks for %s is told that it was dealt", text)
			}
		}
		page, err = p.journal.Log(t.Context(), journal.LogQuery{Stream: "table:" + name})
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), `"`+text+`"`) && text != "Qh" {
			t.Errorf("the log tells of %s, which lies face down", text)
		}
		found, err := p.journal.Rounds(context.Background(), journal.Query{Player: text, Table: name})
		if err != nil || len(found.Rounds) > 0 {
			t.Errorf("%s took part in %+v, %v", text, found, err)
		}
	}
}

// A transaction can be read in the record a moment before the house shows what it did at the
// table. The cards of a round that begins in that moment are not read in the log either.
func TestTheLogIsAheadOfTheHouse(t *testing.T) {
	p := open(t, 5, "rws-3cp")
	name := p.names[0]
	behind, err := house.OpenReading(t.Context(), p.store, house.World{NowMs: func() int64 { return p.nowMs }, PlayMoney: true})
	if err != nil {
		t.Fatal(err)
	}
	p.dealt(name)
	state, err := housetest.Table(p, name)
	if err != nil || len(state.Slots) < 6 {
		t.Fatalf("%d cards are dealt, %v", len(state.Slots), err)
	}
	page, err := (&journal.Journal{House: behind, Record: house.Named(p.store)}).Log(t.Context(), journal.LogQuery{})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(page)
	if err != nil || page.Entries[0].Cause.Kind != "deal" {
		t.Fatalf("the log ends with %s, %v", page.Entries[0].Cause.Kind, err)
	}
	for _, slot := range state.Slots {
		if strings.Contains(string(body), `"`+slot.Card.String()+`"`) && slot.Card.String() != "Qh" {
			t.Errorf("the log tells of %s, which lies face down", slot.Card)
		}
	}
}
