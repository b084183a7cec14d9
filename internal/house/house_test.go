package house_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/auditor"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	_ "trey/internal/store/packed/sqltext"
	"trey/internal/store/sqlite"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

var (
	ann        = access.Person{Name: "ann", Role: access.Player}
	ben        = access.Person{Name: "ben", Role: access.Player}
	dealer     = access.Person{Name: "dan", Role: access.Dealer}
	supervisor = access.Person{Name: "pat", Role: access.PitSupervisor}
	manager    = access.Person{Name: "sue", Role: access.ShiftManager}
	cashier    = access.Person{Name: "cat", Role: access.Cashier}
	admin      = access.Person{Name: "ida", Role: access.Administrator}
)

func ctx() context.Context { return context.Background() }

// site is a house on a file, with a clock and decks that the test holds.
type site struct {
	testing.TB
	path  string
	clock atomic.Int64
	all   bool // open from everything that was recorded
	// top are cards that lie on top of every deck; a test that sets them plays
	// at one table only.
	top  []card.Card
	seed func() shuffle.Seed
	// find finds the books that the program declares; nil is this program's own function.
	find func(ref string) (*rules.Book, error)
	// unread is that of [house.World].
	unread func(ref string, revision int) []string
	// sealer has the keys of the sealed seeds.
	sealer house.Sealer
	// established is the ruling outcome_established of tables to come; zero is the
	// default.
	established rules.Choice
	notary      house.Notary // nil: nothing is signed
	// apart says that the test leaves no record behind that can be read beside the house.
	apart bool
	// disk has the record, where it is not a file.
	disk  *memory.Disk
	store interface {
		house.Store
		io.Closer
	}
	*house.House
}

// newSite opens a house in memory: opening files is most of the work of a test that opens one.
func newSite(t testing.TB) *site {
	t.Helper()
	return (&site{TB: t, disk: &memory.Disk{}}).begin()
}

// newSiteOnFile opens a house on a file, for a test that looks at the file, has several people at
// once, or counts what is read of it. What a store keeps of a record is the same in a file and in
// memory (storetest).
func newSiteOnFile(t testing.TB) *site {
	t.Helper()
	return (&site{TB: t, path: filepath.Join(folder(t), "house.db")}).begin()
}

// begin opens the house for the first time.
func (s *site) begin() *site {
	s.Helper()
	s.seed, s.sealer = shuffle.Fresh, sealing.Numbered(1)
	s.clock.Store(1_000_000)
	s.open()
	s.Cleanup(func() { s.store.Close() }) //nolint:errcheck // it may be closed already
	s.Cleanup(s.readApart)
	return s
}

// folder returns a folder in memory where the machine has such a place. These tests open
// hundreds of houses, and the store's own tests prove what survives a power failure.
func folder(t testing.TB) string {
	t.Helper()
	name, err := os.MkdirTemp("/dev/shm", "trey-house-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(name) }) //nolint:errcheck // nobody reads it again
	return name
}

func (s *site) world() house.World {
	return house.World{NowMs: s.clock.Load, PlayMoney: true, Sealer: s.sealer, Seed: s.seed, Software: "trey test", ReplayAll: s.all, Notary: s.notary, FindBook: s.find, Unread: s.unread}
}

func (s *site) deck(seed shuffle.Seed) [52]card.Card {
	deck := shuffle.Shuffle(seed)
	for i, c := range s.top {
		for k := range deck {
			if deck[k] == c {
				deck[i], deck[k] = deck[k], deck[i]
			}
		}
	}
	return deck
}

func (s *site) open() []house.Interruption {
	s.Helper()
	var err error
	if s.disk != nil {
		s.store, err = s.disk.Open(memory.Faults{})
	} else {
		s.store, err = sqlite.Open(ctx(), s.path)
	}
	if err != nil {
		s.Fatal(err)
	}
	var stops []house.Interruption
	if s.House, stops, err = house.Open(ctx(), s.store, s.world()); err != nil {
		s.Fatal(err)
	}
	s.Rig(s.deck)
	return stops
}

// token returns what stands for a person in the record.
func (s *site) token(name string) string {
	s.Helper()
	token, known := s.store.Directory().Token(name)
	if !known {
		s.Fatalf("%s has no number", name)
	}
	return token
}

// restart closes the store and opens house and store again.
func (s *site) restart() []house.Interruption {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Fatal(err)
	}
	return s.open()
}

func variant(t testing.TB, id string) *rules.Variant {
	t.Helper()
	b, err := books.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return b.Standard().Clone()
}

func (s *site) install(name, book string) {
	s.Helper()
	v := variant(s, book)
	if s.established != 0 {
		v.Choices[rules.OutcomeEstablished] = s.established
	}
	t := house.Table{Name: name, Variant: v, Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Virtual}}
	if v.Jackpot != nil {
		t.Jackpot = "linked"
	}
	if err := s.Install(ctx(), t, admin); err != nil {
		s.Fatal(err)
	}
}

// readTable installs table A for rws-3cp with its linked jackpot, where cards are read, with any
// changes.
func (s *site) readTable(changes ...func(*house.Table)) {
	s.Helper()
	v := variant(s, "rws-3cp")
	t := house.Table{Name: "A", Variant: v, Jackpot: "linked", Config: table.Config{Device: v.Book.Devices[0].Device, Cards: table.Read}}
	for _, change := range changes {
		change(&t)
	}
	if err := s.Install(ctx(), t, admin); err != nil {
		s.Fatal(err)
	}
}

// dealOf deals cards that are read as they are drawn.
func dealOf(t testing.TB, faces ...string) (deal table.Deal) {
	t.Helper()
	for _, c := range cards(t, faces...) {
		deal.Cards = append(deal.Cards, table.Drawn{Card: c})
	}
	return deal
}

// annPlays closes the bets at table A, deals these cards, and settles the hand that ann plays.
func (s *site) annPlays(faces ...string) {
	s.Helper()
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, dealOf(s, faces...))
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
}

func (s *site) buyIn(name string, amount money.Amount) {
	s.Helper()
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: amount}); err != nil {
		s.Fatal(err)
	}
}

func (s *site) do(name string, by access.Person, do table.Action) house.Result {
	s.Helper()
	r, err := s.Do(ctx(), house.CommandRequest{Table: name, By: by, Do: do})
	if err != nil {
		s.Fatalf("%s at %s: %v", record.Actions.Name(do), name, err)
	}
	return r
}

// A player need not name the player for whom they bet and decide. Staff have to, and are
// refused otherwise.
func TestAPlayerNeedNotNameHimself(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	bet := table.Bet{Box: 1, Wager: rules.Ante, Amount: 10 * money.Major}
	for _, try := range []func(context.Context, house.CommandRequest) (house.Result, error){s.DryRun, s.Do} {
		_, err := try(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: bet})
		if !errors.Is(err, house.ErrBadName) || !strings.Contains(err.Error(), "player") {
			t.Errorf("a dealer who does not say for whom: %v", err)
		}
		r, err := try(ctx(), house.CommandRequest{Table: "A", By: ann, Do: bet})
		if err != nil {
			t.Fatal(err)
		}
		if placed, ok := housetest.Events(r.Events)[0].(table.BetPlaced); !ok || placed.Player != ann.Name {
			t.Errorf("it was placed as %+v", r.Events[0])
		}
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Fold{Box: 1})
}

func (s *site) has(name string, want money.Amount) {
	s.Helper()
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: name}); got != want {
		s.Errorf("%s has %s, want %s", name, got, want)
	}
}

func ante(person access.Person, box int, amount money.Amount) table.Bet {
	return table.Bet{Box: box, Player: person.Name, Wager: rules.Ante, Amount: amount}
}

func cards(t testing.TB, texts ...string) []card.Card {
	t.Helper()
	all := make([]card.Card, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = card.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A round of each book: the money is with the player again or with the house,
// and after a restart everything is as it was.
func TestARoundOfEachBook(t *testing.T) {
	for _, b := range books.All() {
		t.Run(b.ID, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.install("A", b.ID)
			s.buyIn("ann", 1000*money.Major)
			s.do("A", dealer, table.OpenBets{})
			first := rules.Ante
			if b.Rule(first) == nil {
				first = rules.Main
			}
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: first, Amount: 10 * money.Major})
			s.has("ann", 990*money.Major)
			s.do("A", dealer, table.CloseBets{})
			s.do("A", dealer, table.Deal{})
			if b.Decision != nil {
				s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
			}
			s.do("A", dealer, table.Reveal{})
			r := s.do("A", dealer, table.Settle{})
			net := 1000 * money.Major
			for i := range r.State.Lines() {
				net += r.State.Lines()[i].Line.Net()
			}
			s.has("ann", net)
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
			before, book := housetest.State(r.State), s.Book()
			if stops := s.restart(); len(stops) != 0 {
				t.Errorf("a round that was settled is interrupted: %+v", stops)
			}
			after, err := housetest.Table(s, "A")
			if err != nil {
				t.Fatal(err)
			}
			if after.Phase != before.Phase || after.Round != before.Round || !reflect.DeepEqual(after.Slots, before.Slots) || !reflect.DeepEqual(after.Lines, before.Lines) {
				t.Errorf("opened again the table is %+v, and was %+v", after, before)
			}
			if !reflect.DeepEqual(s.Book(), book) {
				t.Errorf("opened again the books are %v, and were %v", s.Book(), book)
			}
			s.do("A", dealer, table.OpenBets{})
		})
	}
}

func TestWhatIsNotCoveredIsRefused(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 15*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	for range 2 {
		var short *ledger.Short
		if _, err := s.Do(ctx(), house.CommandRequest{Key: "k", Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}); !errors.As(err, &short) {
			t.Fatalf("got %v", err)
		}
		if short.Balance != 5*money.Major || short.Needed != 10*money.Major {
			t.Errorf("got %+v", short)
		}
	}
	s.has("ann", 5*money.Major)
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 10 * money.Major}); err == nil {
		t.Error("money on the table was cashed out")
	}
	s.do("A", ann, ante(ann, 1, 5*money.Major))
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

func TestAKeyIsOneCommand(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	cage := posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100 * money.Major}
	for range 3 {
		if seq, err := s.CageTransfer(ctx(), "in", cashier, cage); err != nil || seq == 0 {
			t.Fatal(seq, err)
		}
	}
	s.has("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	order := house.CommandRequest{Key: "k", Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}
	first, err := s.Do(ctx(), order)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		again, err := s.Do(ctx(), order)
		if err != nil {
			t.Fatal(err)
		}
		if !again.Repeated || again.Seq != first.Seq || again.AtMs != first.AtMs || !reflect.DeepEqual(again.Events, first.Events) {
			t.Errorf("the answer was %+v and is now %+v", first, again)
		}
		other := order
		other.Do = ante(ann, 1, 20*money.Major)
		if _, err := s.Do(ctx(), other); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("the key with another amount: %v", err)
		}
		theirs := house.CommandRequest{Key: "k", Table: "A", By: ben, Do: ante(ben, 2, 10*money.Major)}
		var short *ledger.Short
		if r, err := s.Do(ctx(), theirs); !errors.As(err, &short) {
			t.Errorf("the key of somebody else: %+v, %v", r, err)
		}
		if round > 0 {
			continue
		}
		s.do("A", supervisor, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante})
		s.has("ann", 100*money.Major)
		s.restart()
	}
}

// Duplicates at the same moment: one is carried out, and the others are told so
// or asked to come again.
func TestOneKeyFromManySides(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.install("B", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("B", dealer, table.OpenBets{})
	var all sync.WaitGroup
	var placed, other, busy atomic.Int64
	for i := range 40 {
		all.Go(func() {
			r, err := s.Do(ctx(), house.CommandRequest{Key: "k", Table: string(rune('A' + i%2)), By: ann, Do: ante(ann, 1, 10*money.Major)})
			switch {
			case err == nil && !r.Repeated:
				placed.Add(1)
			case err == nil:
			case errors.Is(err, house.ErrKeyBusy):
				busy.Add(1)
			case errors.Is(err, house.ErrKeyReused):
				other.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if placed.Load() != 1 {
		t.Errorf("placed %d times, %d times busy, %d times the other table", placed.Load(), busy.Load(), other.Load())
	}
	s.has("ann", 990*money.Major)
}

// Many tables of all books play at once, two of them on one jackpot, with players at all of
// them. At the end every account is right, before and after a restart.
func TestManyTablesAtOnce(t *testing.T) {
	s := newSiteOnFile(t)
	people := []access.Person{ann, ben, {Name: "cai", Role: access.Player}}
	for _, person := range people {
		s.buyIn(person.Name, 400*money.Major)
	}
	var mu sync.Mutex
	balances := map[string]money.Amount{}
	var all sync.WaitGroup
	for i, book := range []string{"rws-3cp", "rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures", "rws-3cp"} {
		name := fmt.Sprintf("T%d", i)
		s.install(name, book)
		all.Go(func() {
			chance := rand.New(rand.NewPCG(7, uint64(i)))
			for range 1000 {
				before, err := housetest.Table(s, name)
				if err != nil {
					t.Error(err)
					return
				}
				by, do := anything(chance, &before, people)
				if do == nil {
					continue
				}
				s.clock.Add(1)
				r, err := s.Do(ctx(), house.CommandRequest{Table: name, By: by, Do: do})
				if err != nil {
					if errors.Is(err, house.ErrStopped) {
						t.Error(err)
						return
					}
					continue
				}
				mu.Lock()
				for name, amount := range posting.Shown(&before, housetest.Events(r.Events)) {
					balances[name] += amount
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for range 2 {
		if err := s.Audit(); err != nil {
			t.Fatal(err)
		}
		for _, person := range people {
			debt := s.Balance(ledger.Account{Kind: ledger.Owed, Of: person.Name})
			s.has(person.Name, 400*money.Major+balances[person.Name]+debt)
		}
		s.recount()
		if n := s.provenAll(); n == 0 {
			t.Error("no round has ended")
		}
		before, _ := s.Jackpot("linked")
		s.clock.Add(1)
		s.restart() // within the grace: rounds go on
		if after, ok := s.Jackpot("linked"); !ok || !reflect.DeepEqual(before, after) {
			t.Errorf("opened again the jackpot is %+v, and was %+v", after, before)
		}
	}
}

// edit closes the record and carries out a statement on its file. It returns how many rows it
// changed.
func (s *site) edit(statement string, args ...any) (changed int64) {
	s.Helper()
	if err := s.store.Close(); err != nil {
		s.Fatal(err)
	}
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		s.Fatal(err)
	}
	done, err := db.Exec(statement, args...)
	if err == nil {
		changed, err = done.RowsAffected()
	}
	if err := errors.Join(err, db.Close()); err != nil {
		s.Fatal(err)
	}
	return changed
}

// recount adds up every posting in the record, past the house and the ledger,
// and compares with the balances that are stored beside them.
func (s *site) recount() {
	s.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was only read
	rows, err := db.Query(`
		SELECT name, balance, coalesce(sum(moved), 0) FROM account LEFT JOIN (
			SELECT p.value ->> 'to' AS of, p.value ->> 'amount' AS moved FROM tx, json_each(unpacked(tx.line), '$.postings') AS p
			UNION ALL
			SELECT p.value ->> 'from', -(p.value ->> 'amount') FROM tx, json_each(unpacked(tx.line), '$.postings') AS p
		) ON of = name GROUP BY name, balance`)
	if err != nil {
		s.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	accounts := 0
	for rows.Next() {
		var name string
		var held, moved int64
		if err := rows.Scan(&name, &held, &moved); err != nil {
			s.Fatal(err)
		}
		if name == "cash" || strings.HasPrefix(name, "owed:") {
			moved = -moved
		}
		if accounts++; held != moved {
			s.Errorf("the record says that %s holds %d, and its postings come to %d", name, held, moved)
		}
	}
	if err := rows.Err(); err != nil || accounts < 5 {
		s.Fatalf("%d accounts: %v", accounts, err)
	}
}

// anything chooses something that somebody may do.
func anything(chance *rand.Rand, s *table.State, players []access.Person) (access.Person, table.Action) {
	by := dealer
	switch chance.IntN(8) {
	case 0, 1, 2, 3:
		by = players[chance.IntN(len(players))]
	case 4:
		by = supervisor
	}
	legal := table.Legal(*s, by.Actor())
	if len(legal) == 0 {
		return by, nil
	}
	do := legal[chance.IntN(len(legal))]
	switch a := do.(type) {
	case table.CloseTable:
		return by, nil
	case table.Deal:
		for i := range a.Cards {
			a.Cards[i].Card = card.None
		}
		return by, a
	case table.Report:
		if chance.IntN(4) > 0 {
			return by, nil
		}
	}
	return by, do
}

func TestTheHouseDealsAtVirtualTables(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", dealer, table.CloseBets{})
	chosen := table.Deal{Cards: []table.Drawn{{Card: cards(t, "As")[0]}}}
	var refusal *table.Refusal
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: chosen}); !errors.As(err, &refusal) {
		t.Errorf("a dealer chose a card: %v", err)
	}
	s.do("A", dealer, table.Deal{Cards: make([]table.Drawn, 2)})
	r := s.do("A", dealer, table.Deal{})
	var seen card.Set
	for _, slot := range housetest.State(r.State).Slots {
		if !slot.Card.Valid() || seen.Has(slot.Card) {
			t.Errorf("dealt: %v", housetest.State(r.State).Slots)
		}
		seen = seen.With(slot.Card)
	}
	if seen.Len() != 6 && seen.Len() != 7 {
		t.Errorf("%d cards were dealt", seen.Len())
	}
}

// Two linked tables: the jackpot is paid from its own account, and the next
// winner starts from the reset value.
func TestALinkedJackpotIsPaid(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	for _, name := range []string{"B", "A"} {
		s.clock.Add(10)
		s.do(name, dealer, table.OpenBets{})
		s.do(name, ann, ante(ann, 1, 10*money.Major))
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do(name, dealer, table.CloseBets{})
		v := variant(t, "rws-3cp")
		s.top = cards(t, "As", "Ks", "Qs", "2c", "5d", "9h")
		if v.Book.Devices[0].Device == rules.Shoe {
			s.top = cards(t, "3c", "As", "2c", "Ks", "5d", "Qs", "9h")
		}
		s.do(name, dealer, table.Deal{})
		s.do(name, ann, table.Raise{Box: 1, Player: "ann"})
		s.do(name, dealer, table.Reveal{})
	}
	if turned := s.do("A", dealer, table.Settle{}); turned.State.Phase() != table.Showing {
		t.Fatalf("A was dealt later and is paid first: %+v", turned.Moved)
	}
	var refusal *jackpot.Refusal
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.Settle{}}); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonEarlierRound {
		t.Fatalf("A was dealt later and is paid first: %v", err)
	}
	before := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"})
	for _, want := range []struct {
		table   string
		jackpot money.Amount
	}{{"B", 10_004 * money.Major}, {"A", 10_000 * money.Major}} {
		r := s.do(want.table, dealer, table.Settle{})
		var paid money.Amount
		for i := range r.State.Lines() {
			before += r.State.Lines()[i].Net()
			if r.State.Lines()[i].Wager == rules.Progressive {
				paid = r.State.Lines()[i].Pays
			}
		}
		if paid != want.jackpot {
			t.Errorf("%s pays %s, want %s", want.table, paid, want.jackpot)
		}
		s.has("ann", before)
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	s.restart()
	s.has("ann", before)
}

// A jackpot that was paid for a hand of four cards is collected again. It comes from the
// account of the winner, as a debt for what has left it, and goes into the meter. The record is
// proven and audited, also when it is opened again.
func TestAPaidJackpotIsCollectedAgain(t *testing.T) {
	collectedJackpot(t)
}

// collectedJackpot returns a house that has paid a jackpot and collected it again.
func collectedJackpot(t *testing.T) *site {
	t.Helper()
	s := newSiteOnFile(t)
	s.readTable()
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.annPlays("As", "Ks", "Qs", "2c", "5d", "9h")
	// The Ante wins 10, its bonus 50, the meter pays 10,002, the Progressive stake stays.
	s.has("ann", 10_157*money.Major)
	// All but 50 is cashed out before anybody counts the cards.
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 10_107 * money.Major}); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
	r := s.do("A", supervisor, table.Answer{Answer: "yes"})
	state, _ := s.Jackpot("linked")
	if state.Meter != 10_000*money.Major || state.Totals.RecoveredToMeter != 10_002*money.Major || len(r.Moved) == 0 {
		t.Errorf("the meter holds %s, with %s recovered", state.Meter, state.Totals.RecoveredToMeter)
	}
	// The account is back at its beginning, less the money in hand: 100 - 10,107.
	s.has("ann", 0)
	if owed := s.Balance(ledger.Account{Kind: ledger.Owed, Of: "ann"}); owed != 10_007*money.Major {
		t.Errorf("ann owes %s", owed)
	}
	if hits, err := s.PaidHits(ctx(), "linked"); err != nil || len(hits) != 0 {
		t.Errorf("hits that were paid: %+v, %v", hits, err)
	}
	for range 2 {
		if err := s.Audit(); err != nil {
			t.Error(err)
		}
		s.recount()
		s.proven("A", 1)
		a, err := auditor.Check(ctx(), s.store)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Findings() {
			t.Errorf("the auditor: %+v", f)
		}
		s.restart()
	}
	return s
}

func TestInstall(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("A", "rws-3cp") // the same once more is nothing
	s.restart()
	s.install("A", "rws-3cp")
	rws, us := variant(t, "rws-3cp"), variant(t, "us-3cp")
	virtual := table.Config{Device: rules.Shuffler, Cards: table.Virtual}
	other := rws.Clone()
	other.Jackpot.Bet *= 2
	other.Limits[rules.Progressive] = rules.Limit{Min: other.Jackpot.Bet, Max: other.Jackpot.Bet}
	strange := *rws.Book
	strange.Boxes.Default = 6
	for name, bad := range map[string]house.Table{
		"a book of no program":   {Name: "B", Variant: strange.Standard(), Config: virtual, Jackpot: "linked"},
		"another book":           {Name: "A", Variant: us, Config: virtual},
		"other equipment":        {Name: "A", Variant: rws, Jackpot: "linked", Config: table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true}},
		"no name":                {Name: "", Variant: us, Config: virtual},
		"a name with an end":     {Name: "B ", Variant: us, Config: virtual},
		"no equipment":           {Name: "B", Variant: us},
		"no jackpot":             {Name: "B", Variant: rws, Config: virtual},
		"a jackpot for nothing":  {Name: "B", Variant: us, Config: virtual, Jackpot: "linked"},
		"another bet":            {Name: "B", Variant: other, Config: virtual, Jackpot: "linked"},
		"a meter below its base": {Name: "B", Variant: rws, Config: virtual, Jackpot: "second", Meter: 1},
	} {
		if err := s.Install(ctx(), bad, admin); err == nil {
			t.Errorf("%s: a table was installed", name)
		}
	}
	if got := s.Tables(); !reflect.DeepEqual(got, []string{"A"}) {
		t.Errorf("tables: %v", got)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "B", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrNoTable) {
		t.Errorf("a table that is not there: %v", err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer}); err == nil {
		t.Error("nothing was done")
	}
}

func reopen(path string) (*sqlite.Store, error) { return sqlite.Open(ctx(), path) }

// Names and keys that cannot be written down are refused before they can do harm
// to a table.
func TestNamesThatCannotBe(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.do("A", dealer, table.OpenBets{})
	long := strings.Repeat("x", 201)
	for name, order := range map[string]house.CommandRequest{
		"nobody":                  {By: access.Person{Role: access.Player}, Do: ante(ann, 1, 10*money.Major)},
		"a player too long":       {By: dealer, Do: table.Bet{Box: 1, Player: long, Wager: rules.Ante, Amount: 10 * money.Major}},
		"a player who is no text": {By: dealer, Do: table.Bet{Box: 1, Player: "\xff", Wager: rules.Ante, Amount: 10 * money.Major}},
		"a player as the house":   {By: dealer, Do: ante(access.Person{Name: "the house"}, 1, 10*money.Major)},
		"a player with a blank":   {By: dealer, Do: ante(access.Person{Name: "ann "}, 1, 10*money.Major)},
		"a player with a break":   {By: dealer, Do: ante(access.Person{Name: "ann\nsue"}, 1, 10*money.Major)},
		"a player with a zero":    {By: dealer, Do: ante(access.Person{Name: "ann\x00"}, 1, 10*money.Major)},
		"a player from the right": {By: dealer, Do: ante(access.Person{Name: "\u202eann"}, 1, 10*money.Major)},
		"a player as a number":    {By: dealer, Do: ante(access.Person{Name: "#1"}, 1, 10*money.Major)},
		"a restricted number":     {By: manager, Do: table.RestrictPlayer{Player: "#1"}},
		"a report of a number":    {By: dealer, Do: table.Report{Incident: rules.LateBet, Box: 1, Player: "#1", Wager: rules.Ante, Amount: 10 * money.Major}},
		"chips of nobody":         {By: dealer, Do: table.Found{Box: 1, Wager: rules.Ante, Amount: 10 * money.Major}},
	} {
		order.Table = "A"
		if _, err := s.Do(ctx(), order); !errors.Is(err, house.ErrBadName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, key := range []string{long, "\xff"} {
		order := house.CommandRequest{Table: "A", Key: key, By: ann, Do: ante(ann, 1, 10*money.Major)}
		if _, err := s.Do(ctx(), order); !errors.Is(err, house.ErrBadKey) {
			t.Errorf("%q is a key: %v", key, err)
		}
	}
	for _, name := range []string{"", "the house", " ann", "ann\t", "a\u200bnn", long} {
		in := posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: 10 * money.Major}
		if _, err := s.CageTransfer(ctx(), "", cashier, in); !errors.Is(err, house.ErrBadName) {
			t.Errorf("%q buys in: %v", name, err)
		}
	}
	over, cancel := context.WithCancel(ctx())
	cancel()
	if _, err := s.Do(over, house.CommandRequest{Table: "A", By: dealer, Do: table.CloseBets{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("for somebody who left: %v", err)
	}
	s.buyIn("ann", 10*money.Major)
	s.do("A", ann, ante(ann, 1, 10*money.Major)) // the table goes on
}

// A table whose money does not follow what it shows stops, and only that table.
func TestAFaultStopsItsTable(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.install("B", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("B", dealer, table.OpenBets{})
	s.Tamper(ledger.Account{Kind: ledger.Layout, Of: "A"}, 1)
	var mismatch *posting.Mismatch
	order := house.CommandRequest{Key: "k", Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}
	for range 2 {
		if _, err := s.Do(ctx(), order); !errors.Is(err, house.ErrStopped) || !errors.As(err, &mismatch) {
			t.Fatalf("got %v", err)
		}
	}
	s.has("ann", 100*money.Major)
	s.do("B", ann, ante(ann, 1, 10*money.Major))
	if err := s.Audit(); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("the audit finds %v", err)
	}
	s.restart() // what was wrong was in memory alone
	s.has("ann", 90*money.Major)
}

func TestAnOrderMayExpectAVersion(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("T1", dealer, table.OpenBets{})
	at := func() int64 {
		status, err := s.Status("T1")
		if err != nil {
			t.Fatal(err)
		}
		return status.Version
	}
	version := at()
	bet := house.CommandRequest{
		Key: "k", Table: "T1", By: ann, Expect: &version,
		Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major},
	}
	first, err := s.Do(ctx(), bet)
	if err != nil || first.Version != at() || first.Version != version+int64(len(first.Events)) {
		t.Fatalf("version %d after %d events on %d, %v", first.Version, len(first.Events), version, err)
	}
	// The table has moved, by this very order: repeated it is answered all the same.
	again, err := s.Do(ctx(), bet)
	if err != nil || !again.Repeated || again.Version != first.Version {
		t.Fatalf("repeated: version %d, %v", again.Version, err)
	}
	bet.Key = "other"
	if _, err := s.Do(ctx(), bet); !errors.Is(err, house.ErrVersionMismatch) {
		t.Fatalf("an order upon an old version: %v", err)
	}
	s.has("ann", 90*money.Major)
	// The key of an order that was refused is free.
	now := at()
	bet.Expect, bet.Do = &now, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante}
	if _, err := s.Do(ctx(), bet); err != nil {
		t.Fatal(err)
	}
}

// A command that asked the jackpot and moved nothing is answered again as it was.
func TestAnAnswerThatMovedNothingIsTheSameAgain(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	for range 2 {
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, ante(ann, 1, 10*money.Major))
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
		s.do("A", ann, table.Fold{Box: 1, Player: "ann"})
		s.do("A", dealer, table.Reveal{})
		s.do("A", dealer, table.Settle{})
	}
	earlier := house.CommandRequest{Key: "k", Table: "A", By: supervisor, Do: table.Report{Incident: rules.ProgressiveDown, Round: 1}}
	first, err := s.Do(ctx(), earlier)
	if err != nil || len(first.Events) == 0 || len(first.Moved) > 0 {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := s.Do(ctx(), earlier)
	if err != nil || !again.Repeated || !reflect.DeepEqual(again.Events, first.Events) || !reflect.DeepEqual(again.Moved, first.Moved) {
		t.Errorf("asked again: %#v and %#v instead of %#v and %#v, %v", again.Events, again.Moved, first.Events, first.Moved, err)
	}
}
