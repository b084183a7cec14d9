package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/house/report"
	"trey/internal/house/sealing"
	"trey/internal/house/significant"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/sentence"
	"trey/table"
)

func ctx() context.Context { return context.Background() }

var (
	dealer     = access.Person{Name: "dan", Role: access.Dealer}
	supervisor = access.Person{Name: "pat", Role: access.PitSupervisor}
	manager    = access.Person{Name: "sue", Role: access.ShiftManager}
	second     = access.Person{Name: "tom", Role: access.ShiftManager}
	cashier    = access.Person{Name: "cat", Role: access.Cashier}
	admin      = access.Person{Name: "ida", Role: access.Administrator}
	guests     = []access.Person{{Name: "ann", Role: access.Player}, {Name: "ben", Role: access.Player}, {Name: "cai", Role: access.Player}}
)

// place is a house at play.
type place struct {
	testing.TB
	*house.House
	store  *memory.Store
	nowMs  int64
	chance *rand.Rand
	handle map[string]money.Amount // what each table settled, by what its rounds came to
	rounds map[string]int64
}

func open(t testing.TB, seed uint64) *place {
	t.Helper()
	p := &place{TB: t, nowMs: 1_000_000, chance: rand.New(rand.NewPCG(seed, 1)), handle: map[string]money.Amount{}, rounds: map[string]int64{}}
	var disk memory.Disk
	var err error
	if p.store, err = disk.Open(memory.Faults{}); err != nil {
		t.Fatal(err)
	}
	world := house.World{NowMs: func() int64 { return p.nowMs }, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Numbered(seed)}
	if p.House, _, err = house.Open(ctx(), p.store, world); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *place) install(name, book string) {
	p.Helper()
	b, err := books.Find(book)
	p.must(err)
	t := house.Table{Name: name, Variant: b.Standard(), Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}}
	if t.Variant.Jackpot != nil {
		t.Jackpot = "linked"
	}
	p.must(p.Install(ctx(), t, admin))
}

func (p *place) cage(reason ledger.Reason, player string, amount money.Amount) {
	p.Helper()
	_, err := p.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: reason, Player: player, Amount: amount})
	p.must(err)
}

func (p *place) byTwo(one, two access.Person, do house.Proposal) {
	p.Helper()
	id, err := p.Propose(ctx(), "", one, do)
	p.must(err)
	_, err = p.Approve(ctx(), "", two, id)
	p.must(err)
}

// play does anything that somebody may do, many times over.
func (p *place) play(names []string, commands int) {
	p.Helper()
	for range commands {
		p.nowMs += 1000
		name := names[p.chance.IntN(len(names))]
		state, err := housetest.Table(p, name)
		p.must(err)
		by := []access.Person{dealer, dealer, supervisor, manager, guests[0], guests[1], guests[2], guests[0]}[p.chance.IntN(8)]
		do := p.any(table.Legal(state, by.Actor()))
		switch a := do.(type) {
		case nil, table.CloseTable, table.RestrictPlayer, table.RestrictAreas:
			continue
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
		_, err = p.Do(ctx(), house.CommandRequest{Table: name, By: by, Do: do})
		if errors.Is(err, house.ErrStopped) {
			p.Fatal(err)
		}
		if err != nil {
			continue
		}
		if _, begins := do.(table.OpenBets); begins {
			p.rounds[name]++
			p.over(name, &state)
		}
	}
}

// any draws an action, each kind of it being as likely as any other.
func (p *place) any(legal []table.Action) table.Action {
	byKind := map[string][]table.Action{}
	for _, a := range legal {
		byKind[record.Actions.Name(a)] = append(byKind[record.Actions.Name(a)], a)
	}
	if len(byKind) == 0 {
		return nil
	}
	kinds := slices.Sorted(maps.Keys(byKind))
	of := byKind[kinds[p.chance.IntN(len(kinds))]]
	return of[p.chance.IntN(len(of))]
}

// over adds up what a round has settled for good, from how it stands at last.
func (p *place) over(name string, s *table.State) {
	for i := range s.Lines {
		l := &s.Lines[i]
		back := slices.ContainsFunc(s.Lines[i+1:], func(later table.Line) bool {
			return later.Box == l.Box && later.Player == l.Player && later.Wager == l.Wager && later.Stake > 0
		})
		if l.Result != rules.GivenBack && !back && s.Boxes[l.Box-1].Settled {
			p.handle[name] += l.Stake - l.Excess
		}
	}
}

func (p *place) report(q report.Query) *report.Report {
	p.Helper()
	r, err := report.Make(ctx(), house.Named(p.store), q, "test", p.nowMs)
	p.must(err)
	for _, finding := range r.Findings {
		p.Errorf("%s: %s", r.Title, finding)
	}
	for i := range r.Sections {
		s := &r.Sections[i]
		for _, row := range append(s.Rows, s.Totals) {
			if wrong := misplaced(s.Columns, row); wrong != "" {
				p.Fatalf("%s, %s: %s: in %v", r.Title, s.Title, wrong, row)
			}
		}
		if wrong := misadded(s); wrong != "" {
			p.Errorf("%s, %s: %s", r.Title, s.Title, wrong)
		}
	}
	return r
}

// misadded says which total of a section is not what its rows come to, if there is one. An average,
// the ends of a band and what is rounded in each row are no sums.
func misadded(s *report.Section) string {
	if s.LeftOut > 0 {
		return ""
	}
	for i, total := range s.Totals {
		column := s.Columns[i]
		if total == nil || column.Unit != report.Count && column.Unit != report.Money || slices.Contains([]string{"average_bet", "theo", "low", "high", "pace"}, column.Key) {
			continue
		}
		sum := int64(0)
		for _, row := range s.Rows {
			switch value := row[i].(type) {
			case int64:
				sum += value
			case money.Amount:
				sum += int64(value)
			}
		}
		if total != any(sum) && total != any(money.Amount(sum)) {
			return fmt.Sprintf("the column %q has the total %v, and its rows come to %d", column.Title, total, sum)
		}
	}
	return ""
}

// misplaced says what in a row is not of the unit of its column, if there is anything.
func misplaced(columns []report.Column, row report.Row) string {
	if row != nil && len(row) != len(columns) {
		return fmt.Sprintf("a row of %d values under %d columns", len(row), len(columns))
	}
	for i, value := range row {
		column, ok := columns[i], value == nil
		switch value := value.(type) {
		case string:
			_, err := strconv.ParseFloat(value, 64)
			ok = column.Unit == report.Text || column.Unit == report.Percent && err == nil || i == 0 && value == "Total"
		case report.Words:
			text, err := json.Marshal(value)
			ok = column.Unit == report.Text && err == nil && string(text) == strconv.Quote(value.String())
		case int64:
			ok = column.Unit == report.Count || column.Unit == report.TimeMs
		case money.Amount:
			ok = column.Unit == report.Money
		}
		if !ok {
			return fmt.Sprintf("column %q has the unit %s, and the value %v is of the type %T", column.Title, column.Unit, value, value)
		}
	}
	return ""
}

func TestMisplacedValuesAreFound(t *testing.T) {
	columns := []report.Column{{"table", "Table", report.Text}, {"rounds", "Rounds", report.Count}, {"win", "Win", report.Money}, {"hold", "Hold", report.Percent}}
	for _, tt := range []struct {
		row  report.Row
		want string
	}{
		{report.Row{"A", int64(3), money.Amount(5), "1.50"}, ""},
		{report.Row{"A", nil, nil, nil}, ""},
		{report.Row{"A", int64(3), money.Amount(5)}, "a row of 3 values under 4 columns"},
		{report.Row{"A", money.Amount(5), money.Amount(5), "1.50"}, `column "Rounds" has the unit count`},
		{report.Row{"A", int64(3), "1.50", money.Amount(5)}, `column "Win" has the unit money`},
		{report.Row{"A", int64(3), money.Amount(5), "A"}, `column "Hold" has the unit percent`},
		{report.Row{"A", 3, money.Amount(5), "1.50"}, "of the type int"},
	} {
		if got := misplaced(columns, tt.row); !strings.HasPrefix(got, tt.want) && !strings.HasSuffix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%v: %q, want %q", tt.row, got, tt.want)
		}
	}
}

// value finds what stands in the row of a name, which is its first text, under a column.
func value(t testing.TB, s *report.Section, name, key string) any {
	t.Helper()
	column := slices.IndexFunc(s.Columns, func(c report.Column) bool { return c.Key == key })
	rows := s.Rows
	if name == "Total" {
		rows = []report.Row{s.Totals}
	}
	for _, row := range rows {
		if column >= 0 && row[0] == name {
			return row[column]
		}
	}
	t.Fatalf("%s has no row %q or no column %q", s.Title, name, key)
	return nil
}

// busy returns a house with one of everything that a report tells.
func busy(t testing.TB, seed uint64) (*place, []string) {
	p := open(t, seed)
	var names []string
	for i, book := range []string{"rws-3cp", "rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		names = append(names, fmt.Sprintf("T%d", i+1))
		p.install(names[i], book)
	}
	for _, guest := range guests {
		p.cage(ledger.BuyIn, guest.Name, 20_000*money.Major)
	}
	p.byTwo(supervisor, cashier, house.Fill{Table: "T1", Amount: 3000 * money.Major})
	p.play(names, 600)
	p.byTwo(supervisor, manager, house.Credit{Table: "T1", Amount: 500 * money.Major})
	p.byTwo(cashier, manager, house.AdjustAccount{Adjustment: posting.Adjustment{Player: "ann", Cause: posting.Goodwill, Change: 40 * money.Major, Note: "waited long"}})
	p.byTwo(supervisor, second, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotReserve, Cause: jackpot.AdjustMalfunction, Change: 70 * money.Major, Note: "counted twice"})
	id, err := p.Propose(ctx(), "", cashier, house.AdjustAccount{Adjustment: posting.Adjustment{Player: "ben", Cause: posting.Dispute, Change: 90 * money.Major, Note: "says he won"}})
	p.must(err)
	p.must(p.Decline(ctx(), "", manager, id, "the recording says he did not"))
	return p, names
}

// Reports and the house come to the same by different ways.
func TestReportsAgreeWithTheHouse(t *testing.T) {
	for seed := range uint64(2) {
		p, names := busy(t, seed)
		middle := p.nowMs + 1
		p.play(names, 600)
		p.cage(ledger.CashOut, "ben", min(100*money.Major, p.Balance(ledger.Account{Kind: ledger.Player, Of: "ben"})))
		p.must(p.Audit())
		live := p.Book()

		trial := p.report(report.Query{Kind: report.TrialBalance}).Sections[0]
		var players money.Amount
		for _, a := range live.Accounts() {
			held := live.Balance(a)
			switch a.Kind {
			case ledger.Player:
				players += held
			case ledger.Cash:
				if got := value(t, &trial, a.String(), "debit"); got != held {
					t.Errorf("%s: %v, and it holds %s", a, got, held)
				}
			case ledger.Owed:
			default:
				if got := value(t, &trial, a.String(), "credit"); got != held {
					t.Errorf("%s: %v, and it holds %s", a, got, held)
				}
			}
		}
		if got := value(t, &trial, "player, all", "credit"); got != players {
			t.Errorf("players: %v, and they hold %s", got, players)
		}
		sides, err := live.Trial()
		p.must(err)
		if value(t, &trial, "Total", "debit") != sides.Debits || value(t, &trial, "Total", "credit") != sides.Credits {
			t.Errorf("the totals are %v", trial.Totals)
		}

		accounts := p.report(report.Query{Kind: report.PlayerAccounts}).Sections[0]
		for _, guest := range guests {
			a := ledger.Account{Kind: ledger.Player, Of: guest.Name}
			if got := value(t, &accounts, guest.Name, "closing"); got != live.Balance(a) {
				t.Errorf("%s: %v, and it holds %s", a, got, live.Balance(a))
			}
			if got := value(t, &accounts, guest.Name, "bought_in"); got != 20_000*money.Major {
				t.Errorf("%s bought in for %v", guest.Name, got)
			}
		}
		if got := value(t, &accounts, "ann", "adjusted").(money.Amount); got < 40*money.Major {
			t.Errorf("ann was adjusted by %s", got)
		}

		pots := p.report(report.Query{Kind: report.Jackpots})
		state, _ := p.Jackpot("linked")
		for i, want := range []money.Amount{state.Meter, state.Reserve} {
			s := &pots.Sections[i]
			if got := value(t, s, "linked", "closing"); got != want {
				t.Errorf("%s: %v, and %s is shown", s.Title, got, want)
			}
		}
		if got := value(t, &pots.Sections[1], "linked", "adjusted"); got != 70*money.Major {
			t.Errorf("the reserve was adjusted by %v", got)
		}

		owed := p.report(report.Query{Kind: report.Liability}).Sections[0]
		var due money.Amount
		for _, a := range live.Accounts() {
			switch a.Kind {
			case ledger.Player, ledger.Layout, ledger.Meter, ledger.Reserve:
				due += live.Balance(a)
			default:
			}
		}
		if got := value(t, &owed, "Total", "amount"); got != due {
			t.Errorf("owed: %v, and it is %s", got, due)
		}
		p.comparePeriods(names, middle)
	}
}

// What is read of one stream only says the same as what is read of everything.
func TestNarrowedReportsAreTheSame(t *testing.T) {
	p, names := busy(t, 12)
	column := func(s *report.Section, key string) int {
		return slices.IndexFunc(s.Columns, func(c report.Column) bool { return c.Key == key })
	}
	for _, q := range []report.Query{
		{Kind: report.Irregularities}, {Kind: report.LargeWins, Threshold: money.Major}, {Kind: report.Jackpots}, {Kind: report.SignificantEvents},
	} {
		all := p.report(q)
		of, narrowed := names, "table"
		switch q.Kind {
		case report.Jackpots:
			of, narrowed = []string{"linked"}, "jackpot"
		case report.SignificantEvents:
			narrowed = "where"
		default:
		}
		listed := 0
		for _, name := range of {
			one := q
			if one.Table = name; narrowed == "jackpot" {
				one.Table, one.Jackpot = "", name
			}
			r := p.report(one)
			for i := range r.Sections {
				at := column(&r.Sections[i], narrowed)
				if at < 0 {
					continue
				}
				want := []report.Row{}
				for _, row := range all.Sections[i].Rows {
					if row[at] == name {
						want = append(want, row)
					}
				}
				listed += len(want)
				if !reflect.DeepEqual(r.Sections[i].Rows, want) {
					t.Errorf("%s of %s: %v, want %v", q.Kind, name, r.Sections[i].Rows, want)
				}
			}
		}
		if listed == 0 {
			t.Errorf("%s: nothing was compared", q.Kind)
		}
	}
}

// reading counts the transactions that are read of a record.
type reading struct {
	*memory.Store
	n int
}

func (r *reading) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return r.Store.ReadAll(ctx, after, stream, func(e house.StoredTransaction) error { r.n++; return yield(e) })
}

// A report for which its period alone counts reads nothing from before the last round that began
// before it, and says what it says where all is read.
func TestReportsOfAPeriodAlone(t *testing.T) {
	t.Parallel()
	p, names := busy(t, 3)
	middle := p.nowMs
	p.play(names, 300)
	p.cage(ledger.BuyIn, "ann", 70*money.Major)
	for _, kind := range []report.Kind{report.Cash, report.SignificantEvents} {
		for _, from := range []int64{middle, p.nowMs} {
			q := report.Query{Kind: kind, FromMs: from, ToMs: p.nowMs + 1, Rules: p}
			some, all := &reading{Store: p.store}, &reading{Store: p.store}
			made, err := report.Make(ctx(), some, q, "test", p.nowMs)
			p.must(err)
			q.Rules = nil
			want, err := report.Make(ctx(), all, q, "test", p.nowMs)
			p.must(err)
			if !reflect.DeepEqual(made, want) || from == middle && want.NoActivity {
				t.Errorf("%s from %d on:\n%v\nwant\n%v", kind, from, made, want)
			}
			if some.n == 0 || some.n > all.n*3/4 {
				t.Errorf("%s from %d on: %d of %d transactions are read", kind, from, some.n, all.n)
			}
		}
	}
}

// comparePeriods checks two periods against the whole: what one closes with the
// other opens with, and what happened adds up.
func (p *place) comparePeriods(names []string, middle int64) {
	p.Helper()
	sections := func(kind report.Kind, q report.Query) []report.Section {
		q.Kind = kind
		return p.report(q).Sections
	}
	full, early, late := report.Query{}, report.Query{ToMs: middle}, report.Query{FromMs: middle}
	for _, a := range []string{"house", "cash", "win:T1", "meter:linked"} {
		side := "credit"
		if a == "cash" {
			side = "debit"
		}
		one, two := sections(report.TrialBalance, early), sections(report.TrialBalance, late)
		if closed, opened := value(p, &one[0], a, side), value(p, &two[0], a, "opening"); closed != opened {
			p.Errorf("%s closes with %v and opens with %v", a, closed, opened)
		}
	}
	all, one, two := sections(report.TablePerformance, full), sections(report.TablePerformance, early), sections(report.TablePerformance, late)
	for _, name := range names {
		for _, key := range []string{"drop", "handle", "win", "contributed", "jackpot", "fills", "credits"} {
			sum := value(p, &one[0], name, key).(money.Amount) + value(p, &two[0], name, key).(money.Amount)
			if got := value(p, &all[0], name, key); got != sum {
				p.Errorf("%s, %s: %v, and the parts come to %s", name, key, got, sum)
			}
		}
		table := func(key string) money.Amount { return value(p, &all[0], name, key).(money.Amount) }
		win, rack := p.Balance(ledger.Account{Kind: ledger.Win, Of: name}), p.Balance(ledger.Account{Kind: ledger.Rack, Of: name})
		if table("win")-table("contributed") != win || table("fills")-table("credits") != rack {
			p.Errorf("%s: won %s less %s, filled %s less %s; it holds %s and %s", name, table("win"), table("contributed"), table("fills"), table("credits"), win, rack)
		}
		if got := value(p, &all[0], name, "rounds"); got != p.rounds[name] {
			p.Errorf("%s began %v rounds, not %d", name, got, p.rounds[name])
		}
		var handle, won money.Amount
		for _, row := range all[1].Rows {
			if row[0] == name {
				handle += row[3].(money.Amount)
				won += row[4].(money.Amount)
			}
		}
		if handle != table("handle") || won != table("win") {
			p.Errorf("%s: its wagers come to %s and %s, and it to %s and %s", name, handle, won, table("handle"), table("win"))
		}
	}
}

// The handle is the sum that rounds settled for good, as their last state shows it.
func TestHandleIsWhatRoundsCameTo(t *testing.T) {
	p := open(t, 7)
	names := []string{"T1", "T2", "T3", "T4"}
	for i, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		p.install(names[i], book)
	}
	for _, guest := range guests {
		p.cage(ledger.BuyIn, guest.Name, 50_000*money.Major)
	}
	p.play(names, 1600)
	all := p.report(report.Query{Kind: report.TablePerformance}).Sections[0]
	for _, name := range names {
		state, err := housetest.Table(p, name)
		p.must(err)
		p.over(name, &state)
		if got := value(t, &all, name, "handle"); got != p.handle[name] || p.handle[name] == 0 {
			t.Errorf("%s: a handle of %v, and its rounds came to %s (it is %s)", name, got, p.handle[name], state.Phase)
		}
	}
}

// A round played by hand, and every figure of it.
func TestAKnownRound(t *testing.T) {
	p := open(t, 3)
	p.install("A", "us-3cp")
	p.cage(ledger.BuyIn, "ann", 100*money.Major)
	ann := guests[0]
	do := func(by access.Person, a table.Action) {
		t.Helper()
		p.nowMs += 1000
		_, err := p.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: a})
		p.must(err)
	}
	bets := func() {
		t.Helper()
		do(dealer, table.OpenBets{})
		do(ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
	}
	bets()
	do(dealer, table.CloseBets{})
	do(dealer, table.Deal{})
	do(ann, table.Fold{Box: 1, Player: "ann"})
	do(dealer, table.Reveal{})
	do(dealer, table.Settle{})
	bets()
	do(supervisor, table.Report{Incident: rules.Uncovered, Note: "=HYPERLINK(1)"})
	do(manager, table.Answer{Answer: "void"})
	made := p.report(report.Query{Kind: report.TablePerformance, Table: "A"}).Sections
	for key, want := range map[string]any{
		"rounds": int64(2), "settled": int64(1), "voided": int64(1), "drop": 20 * money.Major, "handle": 10 * money.Major,
		"win": 10 * money.Major, "hold": "100.00", "fills": money.Amount(0),
	} {
		if got := value(t, &made[0], "A", key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	// The house sees bets, not the chips that players buy: a column says what it is
	// a share of, and a number says what it counts. Its key is part of the interface and stays.
	titles := map[string]string{
		"rounds": "Rounds begun", "settled": "Rounds settled", "voided": "Rounds voided",
		"drop": "Bets placed", "handle": "Handle", "hold": "Win % of handle",
	}
	for i := range made {
		for _, c := range made[i].Columns {
			if want := titles[c.Key]; want != "" && c.Title != want {
				t.Errorf("%s: the column %s is called %q, want %q", made[i].Title, c.Key, c.Title, want)
			}
		}
	}
	wrong := p.report(report.Query{Kind: report.Irregularities})
	if rows := wrong.Sections[1].Rows; len(rows) != 2 || rows[0][4] != "uncovered" || rows[1][4] != "round-voided" || rows[1][8] != 10*money.Major || rows[1][9] != "sue" || rows[1][3] != int64(2) {
		t.Errorf("what went wrong: %v", rows)
	}
	var csv bytes.Buffer
	p.must(wrong.CSV(&csv))
	for _, want := range []string{"title,Voids and irregularities\n", "version,test\n", "uncovered", ",'=HYPERLINK(1)\n", ",10.00,"} {
		if !strings.Contains(csv.String(), want) {
			t.Errorf("the CSV has no %q:\n%s", want, csv.String())
		}
	}
	// By what it is narrowed is written by whoever asks.
	odd := p.report(report.Query{Kind: report.Irregularities, Table: "=1+1"})
	csv.Reset()
	p.must(odd.CSV(&csv))
	if !strings.Contains(csv.String(), "\ntable,'=1+1\n") {
		t.Errorf("a filter is a formula:\n%s", csv.String())
	}
	// Fills and credits by what of them is known: chips, or the amount alone.
	p.install("U", "us-3cp")
	at := p.nowMs + 1
	p.nowMs = at
	p.byTwo(supervisor, cashier, house.Fill{Table: "A", Amount: 1000 * money.Major, Chips: []posting.ChipCount{{Chip: 5 * money.Major, Count: 100}, {Chip: 25 * money.Major, Count: 20}}})
	p.byTwo(supervisor, cashier, house.Fill{Table: "A", Amount: 50 * money.Major, Chips: []posting.ChipCount{{Chip: 25 * money.Major, Count: 2}}})
	p.byTwo(supervisor, cashier, house.Fill{Table: "A", Amount: 30 * money.Major})
	p.byTwo(supervisor, manager, house.Credit{Table: "A", Amount: 10 * money.Major, Chips: []posting.ChipCount{{Chip: 5 * money.Major, Count: 2}}})
	p.byTwo(supervisor, manager, house.Credit{Table: "A", Amount: 7 * money.Major})
	p.byTwo(supervisor, cashier, house.Fill{Table: "U", Amount: 25 * money.Major, Chips: []posting.ChipCount{{Chip: 25 * money.Major, Count: 1}}})
	none := money.Amount(0)
	unknown := []any{nil, nil, 30 * money.Major, nil, 7 * money.Major}
	fives := []any{5 * money.Major, int64(100), 500 * money.Major, int64(2), 10 * money.Major}
	named := func(table string, row []any) report.Row { return append(report.Row{table}, row...) }
	ofA := []report.Row{named("A", unknown), named("A", fives), {"A", 25 * money.Major, int64(22), 550 * money.Major, int64(0), none}}
	ofU := report.Row{"U", 25 * money.Major, int64(1), 25 * money.Major, int64(0), none}
	for _, kind := range []report.Kind{report.TablePerformance, report.Pit} {
		all := p.report(report.Query{Kind: kind, Rules: p}).Sections
		chips := all[len(all)-2:]
		if want := append(ofA[:3:3], ofU); !reflect.DeepEqual(chips[0].Rows, want) || !reflect.DeepEqual(chips[0].Totals, report.Row{"Total", nil, nil, 1105 * money.Major, nil, 17 * money.Major}) {
			t.Errorf("%s: of each table %v, %v, want %v", kind, chips[0].Rows, chips[0].Totals, want)
		}
		if want := []report.Row{unknown, fives, {25 * money.Major, int64(23), 575 * money.Major, int64(0), none}}; !reflect.DeepEqual(chips[1].Rows, want) || !reflect.DeepEqual(chips[1].Totals, report.Row{nil, nil, 1105 * money.Major, nil, 17 * money.Major}) {
			t.Errorf("%s: of all tables %v, %v, want %v", kind, chips[1].Rows, chips[1].Totals, want)
		}
		if got := value(t, &all[0], "A", "fills"); got != 1080*money.Major {
			t.Errorf("%s: fills of %v", kind, got)
		}
		one := p.report(report.Query{Kind: kind, Rules: p, Table: "A"}).Sections
		if got := one[len(one)-2].Rows; !reflect.DeepEqual(got, ofA) {
			t.Errorf("%s of one table: %v", kind, got)
		}
		if before := p.report(report.Query{Kind: kind, Rules: p, ToMs: at}).Sections; len(before[len(before)-2].Rows) != 0 {
			t.Errorf("%s before it: %v", kind, before)
		}
	}
	if other := p.report(report.Query{Kind: report.TablePerformance, Table: "B"}); !other.NoActivity {
		t.Errorf("another table: %+v", other.Sections)
	}
	if later := p.report(report.Query{Kind: report.Irregularities, FromMs: p.nowMs + 1, ToMs: p.nowMs + 2}); !later.NoActivity {
		t.Errorf("later: %+v", later.Sections)
	}
}

func TestAdjustmentsAndEventsAreReported(t *testing.T) {
	p, names := busy(t, 5)
	adjustments := p.report(report.Query{Kind: report.Adjustments})
	done, declined := adjustments.Sections[0], adjustments.Sections[1]
	var accounts []string
	for _, row := range done.Rows {
		accounts = append(accounts, fmt.Sprint(row[7]))
		if before, after := row[8].(money.Amount), row[9].(money.Amount); after-before != row[6].(money.Amount) && row[7] != "house" {
			t.Errorf("before and after: %v", row)
		}
	}
	if want := []string{"house", "player:ann", "reserve:linked", "house"}; !slices.Equal(accounts, want) {
		t.Errorf("adjusted were %v, want %v", accounts, want)
	}
	if len(declined.Rows) != 1 || declined.Rows[0][4] != "ben" || declined.Rows[0][6] != "sue" {
		t.Errorf("declined: %v", declined.Rows)
	}
	for player, want := range map[string]bool{"ann": true, "ben": true, "cai": false} {
		if r := p.report(report.Query{Kind: report.Adjustments, Player: player}); r.NoActivity == want {
			t.Errorf("of %s: %+v", player, r.Sections)
		}
	}
	p.must(p.Drain(ctx(), "", manager))
	p.must(p.Undrain(ctx(), "", manager))
	_, err := p.Change(ctx(), "", manager, "T3", house.Change{Mode: house.Automatic})
	p.must(err)
	counted := map[string]int{}
	for _, row := range p.report(report.Query{Kind: report.SignificantEvents}).Sections[0].Rows {
		counted[row[4].(string)]++
	}
	for what, want := range map[string]int{"table-installed": len(names), "drained": 1, "resumed": 1, "rules-changed": 1} {
		if counted[what] != want {
			t.Errorf("%s is told %d times, want %d: %v", what, counted[what], want, slices.Sorted(maps.Keys(counted)))
		}
	}
	large := p.report(report.Query{Kind: report.LargeWins, Threshold: 1})
	if len(large.Sections[0].Rows) == 0 || large.Filters[0].Value != "0.01" {
		t.Errorf("nobody won anything: %+v", large)
	}
	if huge := p.report(report.Query{Kind: report.LargeWins, Threshold: 1_000_000_000 * money.Major}); !huge.NoActivity {
		t.Errorf("huge wins: %+v", huge.Sections)
	}
}

// Buy-ins and cash-outs are listed by person, and their sum is the change of the cash account,
// period by period.
func TestCashByPerson(t *testing.T) {
	p := open(t, 3)
	other := access.Person{Name: "eve", Role: access.Cashier}
	move := func(by access.Person, reason ledger.Reason, amount money.Amount) {
		t.Helper()
		p.nowMs += 1000
		_, err := p.CageTransfer(ctx(), "", by, posting.Transfer{Reason: reason, Player: "ann", Amount: amount * money.Major})
		p.must(err)
	}
	move(cashier, ledger.BuyIn, 100)
	move(other, ledger.BuyIn, 50)
	cut := p.nowMs + 1
	move(cashier, ledger.CashOut, 30)
	move(other, ledger.CashOut, 20)
	move(other, ledger.CashOut, 5)
	for _, c := range []struct {
		fromMs, toMs int64
		want         map[string][5]int64 // buy-ins, bought in, cash-outs, cashed out, cash
	}{
		{0, 0, map[string][5]int64{"cat": {1, 100, 1, 30, 70}, "eve": {1, 50, 2, 25, 25}, "Total": {2, 150, 3, 55, 95}}},
		{0, cut, map[string][5]int64{"cat": {1, 100, 0, 0, 100}, "eve": {1, 50, 0, 0, 50}, "Total": {2, 150, 0, 0, 150}}},
		{cut, 0, map[string][5]int64{"cat": {0, 0, 1, 30, -30}, "eve": {0, 0, 2, 25, -25}, "Total": {0, 0, 3, 55, -55}}},
	} {
		s := p.report(report.Query{Kind: report.Cash, FromMs: c.fromMs, ToMs: c.toMs}).Sections[0]
		got := map[string][5]int64{}
		for _, row := range append(s.Rows, s.Totals) {
			var values [5]int64
			for i, v := range row[1:] {
				switch v := v.(type) {
				case int64:
					values[i] = v
				case money.Amount:
					values[i] = int64(v / money.Major)
				}
			}
			got[row[0].(string)] = values
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.fromMs, c.toMs, got, c.want)
		}
	}
	if held := p.Book().Balance(ledger.Account{Kind: ledger.Cash}); held != 95*money.Major {
		t.Errorf("the account of cash holds %s", held)
	}
}

// What a second person approved lies in the drawer of the cashier who asked for it.
func TestApprovedCashIsTheAskersDrawer(t *testing.T) {
	p := open(t, 3)
	move := func(approver access.Person, reason ledger.Reason, amount money.Amount) {
		t.Helper()
		p.byTwo(cashier, approver, house.MoveCash{Reason: reason, Player: "ann", Amount: amount * money.Major})
	}
	move(manager, ledger.BuyIn, 100)
	move(access.Person{Name: "eve", Role: access.Cashier}, ledger.CashOut, 40)
	s := p.report(report.Query{Kind: report.Cash}).Sections[0]
	want := report.Row{cashier.Name, int64(1), 100 * money.Major, int64(1), 40 * money.Major, 60 * money.Major}
	if len(s.Rows) != 1 || !reflect.DeepEqual(s.Rows[0], want) {
		t.Errorf("%v, want %v", s.Rows, want)
	}
}

// Every report can be made of a house in which nothing happened, and says so.
func TestNoActivity(t *testing.T) {
	p := open(t, 1)
	for _, kind := range report.Kinds() {
		r := p.report(report.Query{Kind: kind, Rules: p})
		if !r.NoActivity || r.Title == "" || r.Version != "test" || r.GeneratedMs != p.nowMs || r.ToMs != p.nowMs {
			t.Errorf("%s: %+v", kind, r)
		}
		var csv bytes.Buffer
		p.must(r.CSV(&csv))
		if !strings.Contains(csv.String(), "No activity\n") {
			t.Errorf("%s: %s", kind, csv.String())
		}
		text, err := json.Marshal(r)
		p.must(err)
		var again report.Report
		if err := json.Unmarshal(text, &again); err != nil || again.Kind != kind || bytes.Contains(text, []byte("null")) { // lists are empty, not missing
			t.Errorf("%s: %s, %v", kind, text, err)
		}
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	p := open(t, 1)
	for name, q := range map[string]report.Query{
		"no kind":                      {},
		"a kind beyond":                {Kind: slices.Max(report.Kinds()) + 1},
		"the trial balance of a table": {Kind: report.TrialBalance, Table: "A"},
		"jackpots of a player":         {Kind: report.Jackpots, Player: "ann"},
		"a period that ends before":    {Kind: report.Liability, FromMs: 5, ToMs: 5},
		"a period before all time":     {Kind: report.Liability, FromMs: -1},
		"a period that is to come":     {Kind: report.Liability, FromMs: p.nowMs + 1},
		"a threshold of something":     {Kind: report.Liability, Threshold: 1},
		"one kind of liability":        {Kind: report.Liability, Event: significant.Void},
		"a threshold below zero":       {Kind: report.LargeWins, Threshold: -1},
	} {
		if _, err := report.Make(ctx(), house.Named(p.store), q, "test", p.nowMs); !errors.Is(err, report.ErrQuery) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := report.Make(ctx(), house.Named(p.store), report.Query{Kind: report.Pit}, "test", p.nowMs); !errors.Is(err, report.ErrQuery) {
		t.Errorf("theoretical wins without rules: %v", err)
	}
	for _, kind := range report.Kinds() {
		if again, err := report.ParseKind(kind.String()); err != nil || again != kind {
			t.Errorf("%s came back as %s, %v", kind, again, err)
		}
	}
	if _, err := report.ParseKind("weather"); !errors.Is(err, report.ErrQuery) || !strings.Contains(err.Error(), "trial-balance") {
		t.Error(err)
	}
	over, cancel := context.WithCancel(ctx())
	cancel()
	p.install("A", "us-3cp")
	if _, err := report.Make(over, house.Named(p.store), report.Query{Kind: report.Liability}, "test", p.nowMs); !errors.Is(err, context.Canceled) {
		t.Errorf("for somebody who left: %v", err)
	}
}

// entries is a record that was written down by hand.
type entries []house.StoredTransaction

func (e entries) ReadAll(_ context.Context, _ int64, _ string, yield func(house.StoredTransaction) error) error {
	for _, one := range e {
		if err := yield(one); err != nil {
			return err
		}
	}
	return nil
}

// A hit by hand, in figures that can be added up in the head; and a record in which
// one of them is wrong.
func TestAHitAndAFindingAboutIt(t *testing.T) {
	meter, reserve := ledger.Account{Kind: ledger.Meter, Of: "j"}, ledger.Account{Kind: ledger.Reserve, Of: "j"}
	win, bank, ann := ledger.Account{Kind: ledger.Win, Of: "A"}, ledger.Account{Kind: ledger.House}, ledger.Account{Kind: ledger.Player, Of: "ann"}
	move := func(from, to ledger.Account, amount money.Amount, why ledger.Reason) ledger.Posting {
		return ledger.Posting{From: from, To: to, Amount: amount, For: ledger.Reference{Reason: why, Table: "A", Round: 1, Jackpot: "j"}}
	}
	part := func(e jackpot.Event) []house.StreamAppend { return []house.StreamAppend{jackpotPart(t, e)} }
	record := func(paid money.Amount) entries {
		terms := jackpot.Demonstration()
		return entries{
			{Seq: 1, AtMs: 10, Parts: part(jackpot.Opened{Terms: terms, Meter: 10_000_00}), Postings: []ledger.Posting{move(bank, meter, 10_000_00, ledger.Reseed)}},
			{Seq: 2, AtMs: 20, Parts: part(jackpot.Contributed{Bets: 3, ToMeter: 6_00, ToReserve: 1_00, After: jackpot.Balance{Meter: 10_006_00, Reserve: 1_00}}), Postings: []ledger.Posting{
				move(win, meter, 6_00, ledger.Contribution), move(win, reserve, 1_00, ledger.Overflow),
			}},
			{Seq: 3, AtMs: 30, Parts: part(jackpot.ContributionsReversed{Bets: 1, FromMeter: 2_00, After: jackpot.Balance{Meter: 10_004_00, Reserve: 1_00}}), Postings: []ledger.Posting{
				move(meter, win, 2_00, ledger.ContributionReturned),
			}},
			{Seq: 4, AtMs: 40, Parts: part(jackpot.HitPaid{
				Hit: jackpot.HitID{Table: "A", Round: "1", Box: 2}, Amount: 10_004_00, FromMeter: 10_004_00,
				ResetByHouse: 9_999_00, ResetFromReserve: 1_00, After: jackpot.Balance{Meter: 10_000_00},
			}), Postings: []ledger.Posting{
				move(meter, ann, paid, ledger.JackpotPaid), move(bank, meter, 9_999_00, ledger.Reseed), move(reserve, meter, 1_00, ledger.Reseed),
			}},
		}
	}
	r, err := report.Make(ctx(), record(10_004_00), report.Query{Kind: report.Jackpots, FromMs: 20}, "test", 50)
	if err != nil || len(r.Findings) != 0 || r.ThroughSeq != 4 {
		t.Fatal(r.Findings, err)
	}
	for i, want := range []map[string]money.Amount{
		{"opening": 10_000_00, "contributed": 6_00, "returned": 2_00, "reseeded": 10_000_00, "passed": 0, "paid": 10_004_00, "closing": 10_000_00},
		{"opening": 0, "contributed": 1_00, "returned": 0, "reseeded": 0, "passed": 1_00, "paid": 0, "closing": 0},
	} {
		for key, amount := range want {
			if got := value(t, &r.Sections[i], "j", key); got != amount {
				t.Errorf("%s, %s: %v, want %s", r.Sections[i].Title, key, got, amount)
			}
		}
	}
	if hits := r.Sections[2]; len(hits.Rows) != 1 || hits.Totals[6] != money.Amount(10_004_00) || hits.Rows[0][3] != "A" {
		t.Errorf("hits: %+v", hits)
	}
	// The opening balance is the sum of the movements before the period.
	for fromMs, want := range map[int64][2]money.Amount{30: {10_006_00, 1_00}, 40: {10_004_00, 1_00}, 41: {10_000_00, 0}} {
		later, err := report.Make(ctx(), record(10_004_00), report.Query{Kind: report.Jackpots, FromMs: fromMs}, "test", 50)
		if err != nil || len(later.Findings) != 0 {
			t.Fatal(later, err)
		}
		for i, opening := range want {
			if got := value(t, &later.Sections[i], "j", "opening"); got != opening {
				t.Errorf("%s opens with %v at %d ms, want %s", later.Sections[i].Title, got, fromMs, opening)
			}
		}
		if got := value(t, &later.Sections[0], "j", "hits"); got != int64(len(later.Sections[2].Rows)) || got != int64(1) && fromMs <= 40 || got != int64(0) && fromMs > 40 {
			t.Errorf("%v hits from %d ms on, with the rows %v", got, fromMs, later.Sections[2].Rows)
		}
	}
	r, err = report.Make(ctx(), record(10_003_00), report.Query{Kind: report.Jackpots}, "test", 50)
	if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].String(), "10,001.00") || r.Findings[0].Args[0] != sentence.Word("meter") { // which is said in other languages
		t.Errorf("a dollar too little was paid: %v, %v", r.Findings, err)
	}
	damaged := record(10_004_00)
	damaged[1].Parts[0].Events[0].Body = []byte(`{"bets":"one"}`)
	if _, err := report.Make(ctx(), damaged, report.Query{Kind: report.Jackpots}, "test", 50); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("an event that cannot be read: %v", err)
	}
}

// The report on a jackpot names the terms that two people changed, also where that is only the
// sum from which on they verify a hit. Collections are listed among the hits, so that they add
// up to their total.
func TestAJackpotsTermsAndWhatWasCollectedAgain(t *testing.T) {
	part := func(e jackpot.Event) []house.StreamAppend { return []house.StreamAppend{jackpotPart(t, e)} }
	meter, bank := ledger.Account{Kind: ledger.Meter, Of: "j"}, ledger.Account{Kind: ledger.House}
	payable := ledger.Account{Kind: ledger.Payable, Of: "j"}
	move := func(from, to ledger.Account, amount money.Amount, why ledger.Reason) ledger.Posting {
		return ledger.Posting{From: from, To: to, Amount: amount, For: ledger.Reference{Reason: why, Jackpot: "j"}}
	}
	before := jackpot.Demonstration()
	before.VerifyFrom = 1
	after := before
	after.VerifyFrom = 25_000_00
	hit, full := jackpot.HitID{Table: "A", Round: "1", Box: 2}, jackpot.Balance{Meter: 10_000_00}
	r, err := report.Make(ctx(), entries{
		{Seq: 1, AtMs: 10, Parts: part(jackpot.Opened{Terms: before, Meter: 10_000_00}), Postings: []ledger.Posting{move(bank, meter, 10_000_00, ledger.Reseed)}},
		{Seq: 2, AtMs: 20, Parts: part(jackpot.TermsChanged{Before: before, After: after, Approvers: jackpot.Approvers{First: "pat", Second: "sue"}})},
		{Seq: 3, AtMs: 30, Parts: part(jackpot.HitPaid{Hit: hit, Amount: 10_050_00, FromMeter: 10_000_00, FromHouse: 50_00, ResetByHouse: 10_000_00, After: full, Winner: "ann", Held: true}), Postings: []ledger.Posting{
			move(meter, payable, 10_000_00, ledger.JackpotPaid), move(bank, payable, 50_00, ledger.MadeGood), move(bank, meter, 10_000_00, ledger.Reseed),
		}},
		{Seq: 4, AtMs: 40, Parts: part(jackpot.HitReversed{
			Hit: hit, Cause: jackpot.ForfeitMisreported, Amount: 10_050_00, ToMeter: 10_000_00, ToHouse: 50_00, ResetToHouse: 10_000_00, After: full,
			Clause: "rws-3cp@3 5.15", Approvers: jackpot.Approvers{First: "pat", Second: "sue"},
		}), Postings: []ledger.Posting{
			move(payable, meter, 10_000_00, ledger.Collected), move(payable, bank, 50_00, ledger.Collected), move(meter, bank, 10_000_00, ledger.Reseed),
		}},
	}, report.Query{Kind: report.Jackpots}, "test", 50)
	if err != nil || len(r.Findings) != 0 {
		t.Fatal(r.Findings, err)
	}
	hits, other := r.Sections[2], r.Sections[3]
	var sums [2]money.Amount
	for _, row := range hits.Rows {
		sums[0], sums[1] = sums[0]+row[6].(money.Amount), sums[1]+row[7].(money.Amount)
	}
	if len(hits.Rows) != 2 || sums != [2]money.Amount{} || hits.Totals[6] != sums[0] {
		t.Errorf("the hits are %v, in all %v", hits.Rows, hits.Totals)
	}
	const rest = "bet 5.00, reset 10,000.00, rate 40/100, ceiling 1,000,000.00, overflow on-top, verified from "
	if changed := other.Rows[1]; fmt.Sprint(changed[4]) != rest+"0.01" || fmt.Sprint(changed[5]) != rest+"25,000.00" {
		t.Errorf("the terms changed from %q to %q", changed[4], changed[5])
	}
}

// Whatever else was done about a jackpot is told with what it was before and after, and by whom;
// before the period it is not, and of another jackpot neither.
func TestWhatElseWasDoneAboutAJackpot(t *testing.T) {
	hit, two := jackpot.HitID{Table: "A", Round: "7", Box: 2}, jackpot.Approvers{First: "pat", Second: "sue"}
	early, late := jackpot.Place{DealtAtMs: 1_000, Sequence: 1}, jackpot.Place{DealtAtMs: 1_000, Sequence: 2}
	terms := jackpot.Demonstration()
	terms.Bet = 1_00
	const first, second = "1970-01-01T00:00:01.000Z, 1", "1970-01-01T00:00:01.000Z, 2"
	const written = "bet 1.00, reset 10,000.00, rate 40/100, ceiling 1,000,000.00, overflow on-top"
	for _, c := range []struct {
		event                   jackpot.Event
		what, before, after, by string
	}{
		{jackpot.Opened{Terms: terms}, "opened", "", written, "rosa"},
		{jackpot.HitPaid{Hit: hit, NewTerms: &terms}, "terms in force", "", written, "rosa"},
		{jackpot.HitVerified{Hit: hit, Amount: 5_00, Approvers: two}, "hit of box 2, round 7 of table A verified", "", "5.00", "pat, sue"},
		{
			jackpot.HitReversed{Hit: hit, Cause: jackpot.ForfeitMisreported, Amount: 5_00, Clause: "5.15", Approvers: two},
			"hit of box 2, round 7 of table A denied by 5.15", "5.00", "", "pat, sue",
		},
		{
			jackpot.HitReversed{Hit: hit, Cause: jackpot.ForfeitMisreported, Amount: 5_00},
			"hit of box 2, round 7 of table A collected again: misreported", "5.00", "", "rosa",
		},
		{jackpot.Adjusted{Pot: jackpot.PotReserve, Cause: jackpot.AdjustRegulator, Before: 1_00, After: 2_00, Approvers: two}, "reserve adjusted: regulator", "1.00", "2.00", "pat, sue"},
		{jackpot.RoundDetermined{Round: hit.RoundID(), Before: late, After: early, Approvers: two}, "order of round 7 of table A", second, first, "pat, sue"},
		{jackpot.OrderDetermined{Hit: hit, Before: early, After: late, Approvers: two}, "order of box 2, round 7 of table A", first, second, "pat, sue"},
		{jackpot.SystemWentDown{Registered: 7_00}, "out of order", "", "7.00", "rosa"},
		{jackpot.SystemCameUp{Displayed: 8_00}, "in order again", "", "8.00", "rosa"},
	} {
		e := transaction(1, jackpotPart(t, c.event))
		e.Cause.By = "rosa"
		for query, rows := range map[*report.Query]int{
			{Kind: report.Jackpots}: 1, {Kind: report.Jackpots, Jackpot: "j"}: 1, {Kind: report.Jackpots, Jackpot: "k"}: 0, {Kind: report.Jackpots, FromMs: 11}: 0,
		} {
			r, err := report.Make(ctx(), entries{e}, *query, "test", 100)
			if err != nil {
				t.Fatal(err)
			}
			other := r.Sections[3].Rows
			if len(other) != rows {
				t.Errorf("%s: %d rows, want %d: %v", c.what, len(other), rows, other)
			}
			if got := fmt.Sprint(slices.Concat(other...)); rows == 1 && got != fmt.Sprint(report.Row{int64(10), int64(1), "j", c.what, c.before, c.after, c.by}) {
				t.Errorf("%s: %s", c.what, got)
			}
		}
	}
}

// What two people put into jackpots and took out of them stands by its cause, so that money which
// left one jackpot and did not come to another is seen.
func TestAdjustmentsOfJackpotsByCause(t *testing.T) {
	adjusted := func(seq int64, name string, cause jackpot.AdjustmentCause, before, after money.Amount) house.StoredTransaction {
		part := jackpotPart(t, jackpot.Adjusted{Pot: jackpot.PotMeter, Cause: cause, Before: before, After: after, Approvers: jackpot.Approvers{First: "pat", Second: "sue"}})
		part.Stream = "jackpot:" + name
		return transaction(seq, part)
	}
	all := entries{
		adjusted(1, "j", jackpot.AdjustTransferOut, 100_00, 40_00), adjusted(2, "j", jackpot.AdjustTransferOut, 40_00, 0),
		adjusted(3, "k", jackpot.AdjustTransferIn, 0, 99_99), adjusted(4, "k", jackpot.AdjustMalfunction, 99_99, 100_00), adjusted(5, "k", jackpot.AdjustMalfunction, 100_00, 99_98),
	}
	row := func(cause string, number int64, in, out money.Amount) string {
		return fmt.Sprint(report.Row{cause, number, in, out})
	}
	for name, c := range map[string]struct {
		query report.Query
		want  []string
		total string
	}{
		"all":       {report.Query{}, []string{row("malfunction", 2, 1, 2), row("transfer-in", 1, 99_99, 0), row("transfer-out", 2, 0, 100_00)}, row("Total", 5, 100_00, 100_02)},
		"one":       {report.Query{Jackpot: "j"}, []string{row("transfer-out", 2, 0, 100_00)}, row("Total", 2, 0, 100_00)},
		"a period":  {report.Query{FromMs: 20, ToMs: 31}, []string{row("transfer-in", 1, 99_99, 0), row("transfer-out", 1, 0, 40_00)}, row("Total", 2, 99_99, 40_00)},
		"afterward": {report.Query{FromMs: 51}, nil, "[]"},
	} {
		c.query.Kind = report.Jackpots
		r, err := report.Make(ctx(), all, c.query, "test", 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, cells := range r.Sections[4].Rows {
			got = append(got, fmt.Sprint(cells))
		}
		if total := fmt.Sprint(r.Sections[4].Totals); !slices.Equal(got, c.want) || total != c.total {
			t.Errorf("%s: %q in all %s, want %q in all %s", name, got, total, c.want, c.total)
		}
	}
}

// A large win that was collected again is none, however it came to that; of several Envy
// Bonuses of a box the one that was collected.
func TestAWinThatIsCollectedAgainIsNone(t *testing.T) {
	part := func(events ...table.Event) []house.StreamAppend {
		return []house.StreamAppend{tablePart(t, "A", events...)}
	}
	win := func(box int, w rules.Wager, stake, pays money.Amount) table.Line {
		return table.Line{Box: box, Player: "ann", Line: rules.Line{Wager: w, Stake: stake, Result: rules.Win, Pays: pays, Returned: pays + stake}}
	}
	back := func(box int, w rules.Wager, stake, reverses money.Amount) table.Line {
		return table.Line{Box: box, Player: "ann", Line: rules.Line{Wager: w, Stake: stake, Result: rules.GivenBack, Returned: stake}, Reverses: reverses}
	}
	right := func(box int, w rules.Wager, pays, reverses money.Amount) table.Event {
		result := rules.Win
		if reverses > 0 {
			result = rules.GivenBack
		}
		return table.PaymentCorrected{Lines: []table.Line{{
			Box: box, Player: "ann", Line: rules.Line{Wager: w, Result: result, Pays: pays, Returned: pays}, Reverses: reverses,
		}}}
	}
	settled := part(table.BetsOpened{Round: 1}, table.Settled{Lines: []table.Line{
		win(1, rules.Progressive, 500, 125_000), win(2, rules.Envy, 0, 5_000), win(2, rules.Envy, 0, 100_000), win(2, rules.Ante, 1_000, 1_000),
	}})
	envy := back(2, rules.Envy, 0, 5_000)
	denial, err := record.JackpotEvents.Write(jackpot.HitReversed{
		Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Cause: jackpot.ForfeitMisreported, Amount: 125_000, ToHouse: 125_000, Clause: "5.15",
		Approvers: jackpot.Approvers{First: "pat", Second: "sue"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Make(ctx(), entries{
		{Seq: 1, AtMs: 10, Parts: settled}, {Seq: 2, AtMs: 20, Parts: []house.StreamAppend{{Stream: "jackpot:j", Events: []house.Event{denial}}}},
	}, report.Query{Kind: report.LargeWins, Threshold: 1_000, Table: "A"}, "test", 50)
	if err != nil || len(r.Sections[0].Rows) != 3 || r.Sections[0].Totals[9] != money.Amount(106_000) {
		t.Errorf("a jackpot that was denied: %v, %v", r, err)
	}
	for name, c := range map[string]struct {
		events []table.Event
		want   money.Amount
	}{
		"a hand that is invalid":       {[]table.Event{table.HandInvalidated{Box: 1, Lines: []table.Line{back(1, rules.Progressive, 500, 125_500), envy}}}, 101_000},
		"a wager that is given back":   {[]table.Event{table.BetsReturned{Lines: []table.Line{back(1, rules.Progressive, 500, 125_500)}}}, 106_000},
		"a round that is void":         {[]table.Event{table.RoundVoided{Lines: []table.Line{back(1, rules.Progressive, 500, 125_500), envy, back(2, rules.Envy, 0, 100_000), back(2, rules.Ante, 1_000, 2_000)}}}, 0},
		"a settlement that is undone":  {[]table.Event{table.SettlementUndone{Box: 1, Lines: []table.Line{back(1, rules.Progressive, 0, 125_500), envy}}}, 101_000},
		"a wager that was not paid":    {[]table.Event{table.BetsReturned{Lines: []table.Line{back(1, rules.Progressive, 500, 0)}}}, 231_000},
		"a part that is collected":     {[]table.Event{right(2, rules.Envy, 0, 1_000)}, 230_000},
		"below the threshold":          {[]table.Event{right(2, rules.Ante, 0, 1)}, 230_000},
		"more that is awarded":         {[]table.Event{right(2, rules.Ante, 1, 0)}, 231_001},
		"awarded and collected":        {[]table.Event{right(2, rules.Ante, 1, 0), right(2, rules.Ante, 0, 1)}, 231_000},
		"an award below, by itself":    {[]table.Event{right(2, rules.PairPlus, 999, 0)}, 231_000},
		"two awards, at the threshold": {[]table.Event{right(2, rules.PairPlus, 999, 0), right(2, rules.PairPlus, 1, 0)}, 232_000},
		"one of two that are alike": {
			[]table.Event{table.BetsOpened{Round: 2}, table.Settled{Lines: []table.Line{
				win(1, rules.Envy, 0, 5_000), win(2, rules.Envy, 0, 3_000), win(2, rules.Envy, 0, 5_000), win(2, rules.Envy, 0, 5_000),
			}}, table.HandInvalidated{Box: 3, Lines: []table.Line{envy}}}, 231_000 + 5_000 + 3_000 + 5_000,
		},
		"put right, then the next round": {
			[]table.Event{right(2, rules.Ante, 1, 0), table.BetsOpened{Round: 2}, table.Settled{Lines: []table.Line{win(2, rules.Ante, 1_000, 1_000)}}, right(2, rules.Ante, 0, 1)}, 231_001,
		},
	} {
		r, err := report.Make(ctx(), entries{{Seq: 1, AtMs: 10, Parts: settled}, {Seq: 2, AtMs: 20, Parts: part(c.events...)}}, report.Query{Kind: report.LargeWins, Threshold: 1_000}, "test", 50)
		if err != nil {
			t.Fatal(err)
		}
		list := r.Sections[0]
		sum := money.Amount(0)
		for _, row := range list.Rows {
			sum += row[9].(money.Amount)
		}
		if len(list.Totals) > 0 && list.Totals[9] != sum || sum != c.want {
			t.Errorf("%s: wins of %s, in all %v, want %s: %v", name, sum, list.Totals, c.want, list.Rows)
		}
	}
}

// The performance of a table counts the results that are final in the period. A box that is
// open again, a wager that is given back and a round that is void leave it, in the period in
// which that happens, and never twice.
func TestPerformanceCountsWhatIsSettledForGood(t *testing.T) {
	line := func(box int, player string, w rules.Wager, result rules.Result, stake, excess money.Amount) table.Line {
		return table.Line{Box: box, Player: player, Line: rules.Line{Wager: w, Stake: stake, Result: result, Excess: excess}}
	}
	settled := table.Settled{Lines: []table.Line{
		line(1, "ann", rules.Ante, rules.Win, 1_000, 0), line(1, "ann", rules.PairPlus, rules.Lose, 500, 0),
		line(2, "ben", rules.Ante, rules.GivenBack, 700, 0), line(3, "cat", rules.Ante, rules.Push, 300, 100),
		line(3, "cat", rules.Envy, rules.Win, 0, 0),
	}}
	undone := table.SettlementUndone{Box: 1, Stakes: []table.LaidStake{
		{Player: "ann", Wager: rules.Ante, Amount: 1_000}, {Player: "ann", Wager: rules.PairPlus, Amount: 500},
	}}
	again := table.BoxSettled{Box: 1, Lines: []table.Line{line(1, "ann", rules.Ante, rules.Lose, 1_000, 0), line(1, "ann", rules.PairPlus, rules.Lose, 500, 0)}}
	void := table.RoundVoided{Lines: []table.Line{
		line(1, "ann", rules.Ante, rules.GivenBack, 1_000, 0), line(1, "ann", rules.PairPlus, rules.GivenBack, 500, 0), line(3, "cat", rules.Ante, rules.GivenBack, 300, 0),
		line(3, "cat", rules.Envy, rules.GivenBack, 0, 0),
	}}
	returned := table.BetsReturned{Lines: []table.Line{line(3, "cat", rules.Ante, rules.GivenBack, 300, 0)}}
	invalid := table.HandInvalidated{Box: 1, Lines: []table.Line{line(1, "ann", rules.Ante, rules.GivenBack, 1_000, 0), line(1, "ann", rules.PairPlus, rules.GivenBack, 500, 0)}}
	second := table.BetsOpened{Round: 2}
	type figures struct {
		rounds, settled, voided, bets int64
		handle                        money.Amount
	}
	for name, c := range map[string]struct {
		events []table.Event
		// all is the result of the complete record, and later that of the events after the
		// first settlement.
		all, later figures
	}{
		"settled":                          {nil, figures{1, 1, 0, 3, 1_700}, figures{}},
		"settled to its end":               {[]table.Event{table.Settled{}, second}, figures{2, 2, 0, 3, 1_700}, figures{1, 1, 0, 0, 0}},
		"a box is open again":              {[]table.Event{undone}, figures{1, 0, 0, 1, 200}, figures{0, -1, 0, -2, -1_500}},
		"a second box is open again":       {[]table.Event{undone, table.SettlementUndone{Box: 3, Stakes: []table.LaidStake{{Player: "cat", Wager: rules.Ante, Amount: 300}}}}, figures{1, 0, 0, 0, 0}, figures{0, -1, 0, -3, -1_700}},
		"settled anew":                     {[]table.Event{undone, again, table.Settled{}}, figures{1, 1, 0, 3, 1_700}, figures{}},
		"void after it was settled":        {[]table.Event{void}, figures{1, 0, 1, 0, 0}, figures{0, -1, 1, -3, -1_700}},
		"void, then the next round":        {[]table.Event{void, second, settled}, figures{2, 1, 1, 3, 1_700}, figures{1, 0, 1, 0, 0}},
		"void before it is settled":        {[]table.Event{second, table.RoundVoided{}}, figures{2, 1, 1, 3, 1_700}, figures{1, 0, 1, 0, 0}},
		"open again, then void":            {[]table.Event{undone, void}, figures{1, 0, 1, 0, 0}, figures{0, -1, 1, -3, -1_700}},
		"a wager is given back":            {[]table.Event{returned}, figures{1, 1, 0, 2, 1_500}, figures{0, 0, 0, -1, -200}},
		"given back twice":                 {[]table.Event{returned, returned}, figures{1, 1, 0, 2, 1_500}, figures{0, 0, 0, -1, -200}},
		"a hand is invalid":                {[]table.Event{invalid}, figures{1, 1, 0, 1, 200}, figures{0, 0, 0, -2, -1_500}},
		"given back in the round after it": {[]table.Event{second, returned}, figures{2, 1, 0, 3, 1_700}, figures{1, 0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			all := entries{transaction(1, tablePart(t, "A", table.BetsOpened{Round: 1}, settled))}
			for i, e := range c.events {
				all = append(all, transaction(2+int64(i), tablePart(t, "A", e)))
			}
			for fromMs, want := range map[int64]figures{0: c.all, 11: c.later} {
				r, err := report.Make(ctx(), all, report.Query{Kind: report.TablePerformance, FromMs: fromMs}, "test", 1_000)
				if err != nil {
					t.Fatal(err)
				}
				var got figures
				for _, row := range r.Sections[0].Rows {
					got = figures{row[1].(int64), row[2].(int64), row[3].(int64), got.bets, row[5].(money.Amount)}
				}
				handle := money.Amount(0)
				for _, row := range r.Sections[1].Rows {
					got.bets += row[2].(int64)
					handle += row[3].(money.Amount)
				}
				if got != want || handle != want.handle {
					t.Errorf("from %d ms on: %+v with wagers of %s, want %+v", fromMs, got, handle, want)
				}
				for i := range r.Sections {
					if wrong := misadded(&r.Sections[i]); wrong != "" {
						t.Error(wrong)
					}
				}
			}
		})
	}
}

// tablePart returns events as a transaction appends them to the stream of a table.
func tablePart(t *testing.T, name string, events ...table.Event) house.StreamAppend {
	t.Helper()
	p := house.StreamAppend{Stream: "table:" + name}
	for _, e := range events {
		written, err := record.TableEvents.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		p.Events = append(p.Events, written)
	}
	return p
}

// jackpotPart returns an event as a transaction appends it to the stream of the jackpot "j".
func jackpotPart(t *testing.T, e jackpot.Event) house.StreamAppend {
	t.Helper()
	written, err := record.JackpotEvents.Write(e)
	if err != nil {
		t.Fatal(err)
	}
	return house.StreamAppend{Stream: "jackpot:j", Events: []house.Event{written}}
}

// transaction returns a transaction with its number, and a time that goes with it.
func transaction(seq int64, parts ...house.StreamAppend) house.StoredTransaction {
	return house.StoredTransaction{Seq: seq, AtMs: 10 * seq, Parts: parts}
}

// Large wins are those of the table, the player and the period that are asked for, from the
// threshold on, in the order of the record. A jackpot that is denied rounds later goes, the ones
// of other boxes, rounds, tables and amounts stay.
func TestLargeWinsAreThoseAskedFor(t *testing.T) {
	line := func(box int, player string, w rules.Wager, combo rules.Combo, pays money.Amount) table.Line {
		return table.Line{Box: box, Player: player, Line: rules.Line{
			Wager: w, Stake: 500, Result: rules.Win, Combo: combo, Pays: pays, Returned: pays + 500, Clause: "4.2",
		}}
	}
	atTable := func(name string, events ...table.Event) house.StreamAppend { return tablePart(t, name, events...) }
	reversed := func(hit jackpot.HitID, amount money.Amount, clause string) house.StreamAppend {
		return jackpotPart(t, jackpot.HitReversed{
			Hit: hit, Cause: jackpot.ForfeitMisreported, Amount: amount, ToHouse: amount, Clause: clause, Approvers: jackpot.Approvers{First: "pat", Second: "sue"},
		})
	}
	before := entries{
		transaction(1, atTable("B", table.BetsOpened{Round: 1})),
		transaction(2, atTable("A", table.BetsOpened{Round: 1}, table.Settled{Lines: []table.Line{
			line(1, "ann", rules.Progressive, rules.AKQSuited, 125_000), line(2, "ben", rules.Ante, 0, 999), line(3, "ben", rules.PairPlus, rules.Flush, 1_000),
			line(3, "ben", rules.Ante, 0, 0), line(1, "ann", rules.PairPlus, rules.StraightFlush, 125_000),
		}})),
		transaction(3, atTable("B", table.Settled{Lines: []table.Line{line(1, "ann", rules.Progressive, rules.AKQSuited, 125_000)}})),
		transaction(4, atTable("A", table.BetsOpened{Round: 2}, table.Settled{Lines: []table.Line{line(1, "ann", rules.Progressive, rules.AKQSuited, 125_000)}}), atTable("B", table.BetsOpened{Round: 2})),
	}
	const (
		hitA1 = "2 A 1 1 ann progressive akq-suited 1250.00"
		flush = "2 A 1 3 ben pair-plus flush 10.00"
		above = "2 A 1 1 ann pair-plus straight-flush 1250.00"
		hitB1 = "3 B 1 1 ann progressive akq-suited 1250.00"
		hitA2 = "4 A 2 1 ann progressive akq-suited 1250.00"
	)
	award := func(amount money.Amount) house.StreamAppend {
		t.Helper()
		return atTable("A", table.PaymentCorrected{Lines: []table.Line{{
			Box: 1, Player: "ann", Line: rules.Line{Wager: rules.Progressive, Result: rules.Win, Pays: amount, Returned: amount},
		}}})
	}
	next := atTable("A", table.BetsOpened{Round: 3})
	for name, c := range map[string]struct {
		query report.Query
		later []house.StreamAppend
		want  []string
	}{
		"all":                       {report.Query{Threshold: 1_000}, nil, []string{hitA1, flush, above, hitB1, hitA2}},
		"a cent above the smallest": {report.Query{Threshold: 1_001}, nil, []string{hitA1, above, hitB1, hitA2}},
		"a table":                   {report.Query{Threshold: 1_000, Table: "A"}, nil, []string{hitA1, flush, above, hitA2}},
		"a player":                  {report.Query{Threshold: 1_000, Player: "ben"}, nil, []string{flush}},
		"a period":                  {report.Query{Threshold: 1_000, FromMs: 30, ToMs: 40}, nil, []string{hitB1}},
		"denied a round later":      {report.Query{Threshold: 1_000}, []house.StreamAppend{reversed(jackpot.HitID{Table: "A", Round: "1", Box: 1}, 125_000, "5.15")}, []string{flush, above, hitB1, hitA2}},
		"denied in its round":       {report.Query{Threshold: 1_000}, []house.StreamAppend{reversed(jackpot.HitID{Table: "A", Round: "2", Box: 1}, 125_000, "5.15")}, []string{hitA1, flush, above, hitB1}},
		"another box is denied":     {report.Query{Threshold: 1_000}, []house.StreamAppend{reversed(jackpot.HitID{Table: "A", Round: "1", Box: 3}, 125_000, "5.15")}, []string{hitA1, flush, above, hitB1, hitA2}},
		"another amount is denied":  {report.Query{Threshold: 1_000}, []house.StreamAppend{reversed(jackpot.HitID{Table: "A", Round: "1", Box: 1}, 1_000, "5.15")}, []string{hitA1, flush, above, hitB1, hitA2}},
		"put back and not denied":   {report.Query{Threshold: 1_000}, []house.StreamAppend{reversed(jackpot.HitID{Table: "A", Round: "1", Box: 1}, 125_000, "")}, []string{hitA1, flush, above, hitB1, hitA2}},
		"more is awarded on it":     {report.Query{Threshold: 1_000}, []house.StreamAppend{award(5_000)}, []string{hitA1, flush, above, hitB1, "4 A 2 1 ann progressive akq-suited 1300.00"}},
		"awarded, then denied": {
			report.Query{Threshold: 1_000},
			[]house.StreamAppend{award(1_000), next, reversed(jackpot.HitID{Table: "A", Round: "2", Box: 1}, 125_000, "5.15")},
			[]string{hitA1, flush, above, hitB1, "4 A 2 1 ann progressive akq-suited 10.00"},
		},
		"awarded too little, then denied": {
			report.Query{Threshold: 1_000},
			[]house.StreamAppend{award(999), next, reversed(jackpot.HitID{Table: "A", Round: "2", Box: 1}, 125_000, "5.15")},
			[]string{hitA1, flush, above, hitB1},
		},
		"an award at another table":  {report.Query{Threshold: 1_000, Table: "A"}, []house.StreamAppend{atTable("B", table.PaymentCorrected{Lines: []table.Line{line(1, "ann", rules.PairPlus, 0, 5_000)}})}, []string{hitA1, flush, above, hitA2}},
		"an award to another player": {report.Query{Threshold: 1_000, Player: "ben"}, []house.StreamAppend{atTable("A", table.PaymentCorrected{Lines: []table.Line{line(1, "ann", rules.PairPlus, 0, 5_000)}})}, []string{flush}},
		"an award after the period":  {report.Query{Threshold: 1_000, ToMs: 50}, []house.StreamAppend{atTable("A", table.PaymentCorrected{Lines: []table.Line{line(2, "ann", rules.PairPlus, 0, 5_000)}})}, []string{hitA1, flush, above, hitB1, hitA2}},
	} {
		t.Run(name, func(t *testing.T) {
			query := c.query
			query.Kind = report.LargeWins
			all := slices.Clone(before)
			for i, part := range c.later {
				all = append(all, transaction(5+int64(i), part))
			}
			r, err := report.Make(ctx(), all, query, "test", 100)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			sum := money.Amount(0)
			for _, row := range r.Sections[0].Rows {
				got = append(got, fmt.Sprint(row[1], " ", row[2], " ", row[3], " ", row[4], " ", row[5], " ", row[6], " ", row[7], " ", row[9]))
				sum += row[9].(money.Amount)
				if row[8] != money.Amount(500) || row[10] != "4.2" || row[0] != 10*row[1].(int64) {
					t.Errorf("%v", row)
				}
			}
			if !slices.Equal(got, c.want) || r.Sections[0].Totals[9] != sum || r.Sections[0].LeftOut != 0 {
				t.Errorf("%q, in all %v, %d left out, want %q", got, r.Sections[0].Totals, r.Sections[0].LeftOut, c.want)
			}
		})
	}
	damaged := entries{transaction(1, atTable("A", table.BetsOpened{Round: 1})), transaction(2, reversed(jackpot.HitID{Table: "A", Round: "1", Box: 1}, 1, "5.15"))}
	damaged[1].Parts[0].Events[0].Body = []byte(`{"amount":"one"}`)
	if _, err := report.Make(ctx(), damaged, report.Query{Kind: report.LargeWins, Threshold: 1}, "test", 100); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("a denial that cannot be read: %v", err)
	}
	large := entries{transaction(1, atTable("A", table.BetsOpened{Round: 1}, table.Settled{Lines: []table.Line{line(1, "ann", rules.Ante, 0, math.MaxInt64-500), line(2, "ann", rules.Ante, 0, 1_000)}}))}
	if _, err := report.Make(ctx(), large, report.Query{Kind: report.LargeWins, Threshold: 1}, "test", 100); err == nil {
		t.Error("a sum that no amount can hold was added")
	}
}

// A list has an end, and says what it leaves out.
func TestListsHaveAnEnd(t *testing.T) {
	settled, err := record.TableEvents.Write(table.Settled{Lines: []table.Line{{Box: 1, Player: "ann", Line: rules.Line{Wager: rules.Ante, Stake: 1, Result: rules.Win, Pays: 1, Returned: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	one := house.StoredTransaction{Parts: []house.StreamAppend{{Stream: "table:A", Events: []house.Event{settled}}}}
	r, err := report.Make(ctx(), entries(slices.Repeat([]house.StoredTransaction{one}, report.MaxRows+5)), report.Query{Kind: report.LargeWins, Threshold: 1}, "test", 50)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Sections[0]; len(s.Rows) != report.MaxRows || s.LeftOut != 5 || s.Totals[9] != money.Amount(report.MaxRows+5) {
		t.Errorf("%d rows, %d left out, total %v", len(s.Rows), s.LeftOut, s.Totals)
	}
	// What is collected again of the latest round is not counted either, beyond the rows as among them.
	begins, err := record.TableEvents.Write(table.BetsOpened{Round: 2})
	if err != nil {
		t.Fatal(err)
	}
	void, err := record.TableEvents.Write(table.RoundVoided{Lines: []table.Line{{
		Box: 1, Player: "ann", Line: rules.Line{Wager: rules.Ante, Stake: 1, Result: rules.GivenBack, Returned: 1}, Reverses: 2,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	last := house.StoredTransaction{Parts: []house.StreamAppend{{Stream: "table:A", Events: []house.Event{begins, settled, void}}}}
	all := append(entries(slices.Repeat([]house.StoredTransaction{one}, report.MaxRows+5)), last)
	if r, err = report.Make(ctx(), all, report.Query{Kind: report.LargeWins, Threshold: 1}, "test", 50); err != nil {
		t.Fatal(err)
	}
	if s := r.Sections[0]; len(s.Rows) != report.MaxRows || s.LeftOut != 5 || s.Totals[9] != money.Amount(report.MaxRows+5) {
		t.Errorf("with a void round: %d rows, %d left out, total %v", len(s.Rows), s.LeftOut, s.Totals)
	}
}

// Stops, and what was changed about users, are told; what nobody may read is not.
func TestStopsAndUsersAreReported(t *testing.T) {
	entry := func(stream, kind string, body any) house.StoredTransaction {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return house.StoredTransaction{
			Seq: 1, AtMs: 10, Cause: house.Cause{By: "ida", Role: "administrator", Kind: kind},
			Parts: []house.StreamAppend{{Stream: stream, Events: []house.Event{{Kind: kind, Body: text}}}},
		}
	}
	all := entries{
		entry("people", "user-added", map[string]string{"name": "zoe", "role": "dealer", "hash": "$argon2id$secret", "by": "ida", "why": "she is new"}),
		entry("people", "role-changed", map[string]string{"name": "zoe", "role": "pit-supervisor", "from": "dealer", "by": "ida", "why": "promoted"}),
		entry("people", "login-failed", map[string]string{"address": "192.0.2.7", "by": "the house", "because": "unknown-name"}),
		entry("people", "logged-in", map[string]string{"name": "zoe", "role": "dealer", "address": "192.0.2.7", "by": "zoe"}),
		entry("house", "rules-changed", house.RulesChanged{
			Table: "A", FromRound: 3, By: manager, Variant: "v", RulesHash: "h", Mode: house.Automatic, Pace: house.Pace{BettingMs: 5000},
			Before: house.Played{Variant: "v", RulesHash: "h", Mode: house.Automatic},
		}),
		entry("house", "table-stopped", house.TableStopped{Table: "A", Round: 7, Fault: house.MoneyFault, During: house.Cause{Kind: "bet"}}),
		entry("house", "table-released", house.TableReleased{Table: "A", By: manager, Why: "looked into"}),
		entry("table:A", "reported", record.Reported{Report: record.Report{Incident: rules.TechnicalInterruption}, Outcome: rules.Void, Clause: "us-3cp x"}),
		entry("table:A", "reported", record.Reported{Report: record.Report{Incident: rules.Uncovered}, Outcome: rules.Void}),
	}
	r, err := report.Make(ctx(), all, report.Query{Kind: report.SignificantEvents}, "test", 50)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range r.Sections[0].Rows {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s", row[3], row[4], row[5])))
	}
	if want := []string{
		"user-added: zoe, dealer: she is new",
		"role-changed: zoe, pit-supervisor, before dealer: promoted",
		"login-failed: from 192.0.2.7: there is no user of the name that was given",
		"logged-in: zoe, dealer, from 192.0.2.7",
		"A rules-changed: from round 3: v (h), automatic, betting 5000 ms, decisions 0 ms, options 0 ms, deal 0 ms, show 0 ms; before: v (h), automatic, betting 0 ms, decisions 0 ms, options 0 ms, deal 0 ms, show 0 ms",
		"A table-stopped: in round 7, during bet: the money that would have moved is not what was shown",
		"A table-released: looked into",
		"A reported: " + rules.TechnicalInterruption.String() + ": " + rules.Void.String() + " (us-3cp x)",
	}; !slices.Equal(lines, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	only, err := report.Make(ctx(), all, report.Query{Kind: report.SignificantEvents, Event: significant.RoleGiven}, "test", 50)
	if err != nil || len(only.Sections[0].Rows) != 2 || only.Filters[0] != (report.Filter{Name: "event", Value: "role-given"}) {
		t.Errorf("roles that were given: %+v, %v", only, err)
	}
	text, err := json.Marshal(r)
	if err != nil || bytes.Contains(text, []byte("argon2id")) {
		t.Errorf("%s, %v", text, err)
	}
}

// A record in which an approval does not say what every account came to is damaged,
// and no report is made of it.
func TestAnApprovalWithoutItsEndIsRefused(t *testing.T) {
	body := []byte(`{"id":1,"by":{"name":"sue","role":"shift-manager"},"of":{"name":"cat","role":"cashier"},"kind":"adjust-account",` +
		`"body":{"player":"ann","cause":"dispute","change":100,"note":"a dispute"},"before":[{"account":"player:ann","holds":0}]}`)
	damaged := entries{{Seq: 1, AtMs: 10, Parts: []house.StreamAppend{{Stream: "house", Events: []house.Event{{Kind: "approved", Body: body}}}}}}
	if _, err := report.Make(ctx(), damaged, report.Query{Kind: report.Adjustments}, "test", 50); !errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), "proposal 1") {
		t.Errorf("got %v", err)
	}
}
