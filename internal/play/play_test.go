package play_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/house/posting"
	"trey/internal/house/proof"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/play"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// world provides the needs of a session, on a disk in memory.
type world struct {
	disk  memory.Disk
	store *memory.Store
	// fail says that writes fail; written is called before each.
	fail    bool
	written func()
	// deals are what the hands of rounds to come have to be, in the order in which
	// their seeds are committed to: nobody picks a card, but a seed can be looked for.
	deals  []deal
	seeds  func() shuffle.Seed
	now    int64
	chance uint64
	// records are the records of rounds, each of which was read again and verified.
	records    map[string]*proof.Round
	recordFail error
}

// deal holds the hands that a round is to have: those of the boxes in order, and the
// dealer's last.
type deal struct {
	table string
	round int
	hands []func(a, b, c card.Card) bool
	// found keeps the seed for the next that looks for it.
	found *shuffle.Seed
	// after is how many seeds are known not to fit, where it takes long to find one: if seeds come
	// to lead to other decks, the ones behind them are looked through.
	after int
}

// with is a world in which the first round at the table of a book is dealt so.
func with(book string, hands ...func(a, b, c card.Card) bool) *world {
	return &world{deals: []deal{{table: book, round: 1, hands: hands}}}
}

func (d *deal) fits(seed shuffle.Seed) bool {
	deck := fair.Deck(fair.Commit(d.table, d.round, seed), seed, nil)
	for i, fits := range d.hands {
		if !fits(deck[3*i], deck[3*i+1], deck[3*i+2]) {
			return false
		}
	}
	return true
}

func (w *world) seed() shuffle.Seed {
	seed := w.seeds()
	if len(w.deals) == 0 {
		return seed
	}
	d := w.deals[0]
	w.deals = w.deals[1:]
	if d.found != nil && *d.found != (shuffle.Seed{}) {
		return *d.found
	}
	for range d.after {
		seed = w.seeds()
	}
	for !d.fits(seed) {
		seed = w.seeds()
	}
	if d.found != nil {
		*d.found = seed
	}
	return seed
}

// anyHand takes any hand.
func anyHand(_, _, _ card.Card) bool { return true }

// ranks counts the cards of each rank in a hand, and reports whether they are of one suit.
func ranks(a, b, c card.Card) (n map[card.Rank]int, suited bool) {
	n = map[card.Rank]int{}
	for _, c := range []card.Card{a, b, c} {
		n[c.Rank()]++
	}
	return n, a.Suit() == b.Suit() && b.Suit() == c.Suit()
}

// pairOf takes hands with two cards of a rank.
func pairOf(r card.Rank) func(a, b, c card.Card) bool {
	return func(a, b, c card.Card) bool {
		n, _ := ranks(a, b, c)
		return n[r] == 2
	}
}

// highest takes hands of three ranks and several suits, in which the highest card is of a
// rank and the second at least two below the next: no straight.
func highest(r card.Rank) func(a, b, c card.Card) bool {
	return func(a, b, c card.Card) bool {
		n, suited := ranks(a, b, c)
		if suited || len(n) != 3 || n[r] != 1 {
			return false
		}
		for other := range n {
			if other != r && other > r-2 {
				return false
			}
		}
		return true
	}
}

// royal takes Ace, King and Queen of Spades.
func royal(a, b, c card.Card) bool {
	return card.NewSet(a, b, c) == card.NewSet(card.New(card.Ace, card.Spades), card.New(card.King, card.Spades), card.New(card.Queen, card.Spades))
}

// lower takes hands of three ranks and several suits, none of them above a rank, and no
// straight.
func lower(than card.Rank) func(a, b, c card.Card) bool {
	return func(a, b, c card.Card) bool {
		for top := card.Five; top < than; top++ {
			if highest(top)(a, b, c) {
				return true
			}
		}
		return false
	}
}

// points takes hands whose cards count so many points in Royal Three Pictures, with so many
// pictures among them.
func points(want, pictures int) func(a, b, c card.Card) bool {
	return func(a, b, c card.Card) bool {
		sum, pictured := 0, 0
		for _, c := range []card.Card{a, b, c} {
			switch r := c.Rank(); r {
			case card.Jack, card.Queen, card.King:
				pictured++
			case card.Ace:
				sum++
			case card.Ten:
			default:
				sum += int(r-card.Two) + 2
			}
		}
		return sum%10 == want && pictured == pictures
	}
}

// record reads a record as trey verify does.
func (w *world) record(table string, round int, text []byte) (string, error) {
	if w.recordFail != nil {
		return "", w.recordFail
	}
	r, err := proof.Read(bytes.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("%s, round %d: %v in\n%s", table, round, err, text))
	}
	if report := proof.Verify(r); !report.Sound || r.Table != table || r.Round != round {
		panic(fmt.Sprintf("%s, round %d is recorded as %s, %d: %+v", table, round, r.Table, r.Round, report.Findings))
	}
	if w.records == nil {
		w.records = map[string]*proof.Round{}
	}
	name := fmt.Sprintf("%s %d", table, round)
	w.records[name] = r
	return name, nil
}

// open opens the disk of a house that was left or killed.
func (w *world) open() house.Store {
	if w.store != nil {
		_ = w.store.Close()
	}
	var err error
	if w.store, err = w.disk.Open(memory.Faults{Write: func(int, *house.Transaction) memory.Fate {
		if w.written != nil {
			w.written()
		}
		if w.fail {
			return memory.Refused
		}
		return memory.Recorded
	}}); err != nil {
		panic(err)
	}
	return w.store
}

func (w *world) host() play.Host {
	if w.seeds == nil {
		w.seeds = shuffle.Numbered(1)
	}
	return play.Host{
		Store: w.open(), Seed: w.seed,
		NowMs: func() int64 { w.now += 1000; return w.now },
		Below: func(n int) int {
			w.chance = w.chance*6364136223846793005 + 1442695040888963407
			return int(w.chance >> 33 % uint64(n))
		},
		Record: w.record, RecordsIn: "the record room", Software: "trey test",
	}
}

// begin starts a session in which no round goes on.
func begin(t testing.TB, h play.Host) *play.Session {
	t.Helper()
	s, notes, err := play.Start(h)
	if err != nil || len(notes) != 0 {
		t.Fatalf("start: %v %v", notes, err)
	}
	return s
}

func sit(t testing.TB, w *world, book string) *play.Session {
	t.Helper()
	s := begin(t, w.host())
	must(t, s.Sit(book, ""))
	return s
}

// again starts the program once more, hours after it was killed, with other seeds.
func again(t testing.TB, w *world) (*play.Session, []string) {
	t.Helper()
	w.now += 10_000_000
	w.seeds = shuffle.Numbered(99)
	s, notes, err := play.Start(w.host())
	must(t, err)
	return s, notes
}

// withBalance is a world in which the player has so much left.
func withBalance(t testing.TB, left money.Amount) *world {
	t.Helper()
	w := &world{}
	s := begin(t, w.host())
	h, _, err := house.Open(context.Background(), w.open(), house.World{NowMs: func() int64 { return w.now }, Seed: w.seed, Sealer: sealing.Numbered(1), PlayMoney: true})
	must(t, err)
	_, err = h.CageTransfer(context.Background(), "", house.Lobby, posting.Transfer{Reason: ledger.CashOut, Player: play.Player, Amount: s.Balance() - left})
	must(t, err)
	return w
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func history(t testing.TB, s *play.Session) []play.Summary {
	t.Helper()
	all, err := s.History()
	must(t, err)
	return all
}

func line(t *testing.T, s *play.Session, box int, w rules.Wager) table.Line {
	t.Helper()
	for _, l := range s.Lines() {
		if l.Box == box && l.Wager == w {
			return l
		}
	}
	t.Fatalf("no line for %s on box %d among %+v", w, box, s.Lines())
	return table.Line{}
}

func TestRoundOfThreeCardPoker(t *testing.T) {
	w := with("rws-3cp", pairOf(card.King), anyHand, highest(card.Queen))
	s := sit(t, w, "rws-3cp")
	must(
		t,
		s.Bet(1, rules.Ante, 10*money.Major), s.Bet(1, rules.PairPlus, 5*money.Major),
		s.Bet(1, rules.Progressive, 5*money.Major), s.Bet(3, rules.Ante, 5*money.Major),
	)
	if s.Balance() != 975*money.Major || s.Staked() != 25*money.Major {
		t.Fatalf("balance %s, staked %s", s.Balance(), s.Staked())
	}
	must(t, s.Deal(), s.Look(1))
	if meter, ok := s.Meter(); !ok || meter != 1_000_200 {
		t.Errorf("meter %s after one bet of 5.00 at 40 %%", meter)
	}
	if got := s.Picture().Boxes[2].Cards; got[0] != card.None {
		t.Errorf("box 3 is blind, and shows %v", got)
	}
	var refusal *table.Refusal
	if err := s.Look(3); !errors.As(err, &refusal) || refusal.Clause != "rws-3cp@3 3.7" {
		t.Errorf("a second hand is examined: %v", err)
	}
	if err := s.Reveal(); !errors.As(err, &refusal) || refusal.Clause != "rws-3cp@3 3.12.2" {
		t.Errorf("revealed before the decisions: %v", err)
	}
	must(t, s.Play(1), s.Fold(3), s.Reveal())
	// The dealer plays with a Queen; a pair of Kings wins Ante, Play and Pair Plus.
	want := money.Amount(10+10+5-5-5) * money.Major
	if s.Net() != want || s.Balance() != 1000*money.Major+want || s.Phase() != table.Paid {
		t.Errorf("net %s, balance %s, %s", s.Net(), s.Balance(), s.Phase())
	}
	if l := line(t, s, 3, rules.Ante); l.Result != rules.Lose || l.Clause != "3.12.1" {
		t.Errorf("folded Ante: %+v", l)
	}
	past := history(t, s)
	if len(past) != 1 || past[0].Net != want || past[0].Balance != s.Balance() || len(past[0].Lines) != 5 {
		t.Errorf("history %+v", past)
	}
	if len(past[0].Hands) != 2 || past[0].Hands[1].Cards[0] != card.None {
		t.Errorf("the history shows a hand that was folded unseen: %+v", past[0].Hands)
	}
	if later, _ := again(t, w); !reflect.DeepEqual(history(t, later), past) {
		t.Errorf("read again it is %+v, and was %+v", history(t, later), past)
	}
	s, _ = again(t, w)
	must(t, s.Sit("rws-3cp", ""))
	must(t, s.Rebet())
	if s.Staked() != 25*money.Major || s.Phase() != table.Betting || s.Round() != 2 {
		t.Errorf("staked again %s in round %d", s.Staked(), s.Round())
	}
}

// moved counts what happened to the jackpot in a record.
func moved(r *proof.Round, kind string) (n int) {
	for i := range r.Steps {
		for _, e := range r.Steps[i].Moved {
			if strings.HasPrefix(e.Kind, kind) {
				n++
			}
		}
	}
	return n
}

func TestJackpotIsPaidAndReset(t *testing.T) {
	w := with("rws-3cp", royal)
	w.deals[0].after = 78_468
	s := sit(t, w, "rws-3cp")
	must(
		t,
		s.Bet(1, rules.Ante, 5*money.Major), s.Bet(1, rules.Progressive, 5*money.Major),
		s.Bet(2, rules.Ante, 5*money.Major), s.Bet(2, rules.Progressive, 5*money.Major),
		s.Deal(), s.Look(1), s.Play(1), s.Play(2), s.Reveal(),
	)
	if l := line(t, s, 1, rules.Progressive); l.Pays != 1_000_400 {
		t.Errorf("jackpot %s, want 10,004.00", l.Pays)
	}
	if meter, _ := s.Meter(); meter != 1_000_000 {
		t.Errorf("the meter shows %s after the hit", meter)
	}
	if n := moved(w.records["rws-3cp 1"], "hit-paid"); n != 1 {
		t.Errorf("%d hits are paid in the record", n)
	}
}

func TestJackpotFoldedBlindIsForfeited(t *testing.T) {
	w := with("rws-3cp", anyHand, royal)
	w.deals[0].after = 38_842
	s := sit(t, w, "rws-3cp")
	must(
		t,
		s.Bet(1, rules.Ante, 5*money.Major),
		s.Bet(2, rules.Ante, 5*money.Major), s.Bet(2, rules.Progressive, 5*money.Major),
		s.Deal(), s.Fold(1), s.Fold(2), s.Reveal(),
	)
	if n := moved(w.records["rws-3cp 1"], "hit-paid"); n != 0 {
		t.Errorf("%d hits are paid in the record", n)
	}
	if meter, _ := s.Meter(); meter != 1_000_200 {
		t.Errorf("the meter shows %s", meter)
	}
}

func both(first, second func(a, b, c card.Card) bool) func(a, b, c card.Card) bool {
	return func(a, b, c card.Card) bool { return first(a, b, c) && second(a, b, c) }
}

func TestRoyalThreePictures(t *testing.T) {
	w := with("mbs-3pictures", both(points(9, 2), func(a, b, c card.Card) bool { n, _ := ranks(a, b, c); return n[card.King] == 1 }), points(6, 0), points(5, 1))
	w.deals[0].after = 37_563
	s := sit(t, w, "mbs-3pictures")
	must(
		t,
		s.Bet(1, rules.Main, 10*money.Major), s.Bet(1, rules.RoyalPictures, 5*money.Major),
		s.Bet(2, rules.Main, 5*money.Major), s.Bet(2, rules.Tie, 2*money.Major),
		s.Deal(), s.Look(1),
	)
	if err := s.Reveal(); err == nil || !strings.Contains(err.Error(), "3.15") {
		t.Errorf("revealed before the hand was laid up: %v", err)
	}
	must(t, s.LayUp(1), s.Reveal())
	// Double Picture Nine beats Single Picture Five at evens, Any King pays
	// evens; Six wins at 1 to 2, and the Tie is lost.
	if want := 1000 + 500 + 250 - 200; s.Net() != money.Amount(want) {
		t.Errorf("net %s", s.Net())
	}
}

func TestBonusTableAndLammer(t *testing.T) {
	w := &world{}
	s := begin(t, w.host())
	must(t, s.Sit("sm-3cp", "TCPB-04E"), s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Bonus, 100), s.Deal())
	if !s.Picture().Boxes[0].Lammer {
		t.Error("no lammer beside a bonus bet that may bring an Envy Bonus")
	}
	must(t, s.Fold(1), s.Reveal())
	must(t, s.Sit("sm-3cp", "TCPB-01"), s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Bonus, 100), s.Deal())
	if s.Picture().Boxes[0].Lammer {
		t.Error("a lammer at a table without Envy")
	}
	if err := s.Sit("sm-3cp", "TCPB-02"); err == nil {
		t.Error("the table was changed in mid-round")
	}
	if err := begin(t, (&world{}).host()).Sit("sm-3cp", "TCPB-99"); err == nil || !strings.Contains(err.Error(), "TCPB-03E") {
		t.Errorf("an unknown pay table: %v", err)
	}
}

func TestEveryGameHasItsBoxes(t *testing.T) {
	for asked, want := range map[int][2]int{0: {5, 5}, 1: {1, 1}, 8: {8, 8}, 9: {9, 8}, 16: {16, 8}} {
		h := (&world{}).host()
		h.Boxes = asked
		s := begin(t, h)
		for i, book := range []string{"rws-3cp", "mbs-3pictures"} {
			must(t, s.Sit(book, ""))
			if got := len(s.Picture().Boxes); got != want[i] {
				t.Errorf("%s: %d boxes of %d asked for, want %d", book, got, asked, want[i])
			}
		}
	}
	if _, err := (play.Game{Book: "mbs-3pictures", Boxes: 9}).Variant(); err == nil || !strings.Contains(err.Error(), "appendix.A") {
		t.Errorf("a layout of nine boxes: %v", err)
	}
}

func TestMoneyIsNeverOverdrawn(t *testing.T) {
	s := begin(t, withBalance(t, 20*money.Major).host())
	must(t, s.Sit("rws-3cp", ""))
	var short *play.Short
	if err := s.Bet(1, rules.Ante, 15*money.Major); !errors.As(err, &short) {
		t.Errorf("an Ante that leaves no Play bet: %v", err)
	}
	must(t, s.Bet(1, rules.Ante, 10*money.Major))
	if err := s.Bet(1, rules.PairPlus, 5*money.Major); !errors.As(err, &short) {
		t.Errorf("a Pair Plus out of the Play bet: %v", err)
	}
	if s.Balance() != 10*money.Major || s.Staked() != 10*money.Major {
		t.Errorf("refusals moved money: %s and %s", s.Balance(), s.Staked())
	}
	must(t, s.Deal(), s.Look(1), s.Play(1), s.Reveal())
}

func TestRefill(t *testing.T) {
	s := begin(t, withBalance(t, 3*money.Major).host())
	must(t, s.Sit("us-3cp", ""))
	if !s.Broke() {
		t.Fatal("3.00 is not broke")
	}
	must(t, s.Refill())
	if s.Balance() != 1000*money.Major || s.Broke() {
		t.Errorf("balance %s", s.Balance())
	}
	if err := s.Refill(); err == nil {
		t.Error("given twice")
	}
}

func TestNothingHappensThatIsNotRecorded(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	must(t, s.Bet(1, rules.Ante, 1000))
	w.fail = true
	for name, do := range map[string]func() error{
		"bet":  func() error { return s.Bet(2, rules.Ante, 1000) },
		"deal": s.Deal,
	} {
		if err := do(); !errors.Is(err, house.ErrStopped) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Staked() != 1000 || s.Phase() != table.Betting {
		t.Errorf("staked %s, %s", s.Staked(), s.Phase())
	}
	w.fail = false
	s, _ = again(t, w)
	if s.Balance() != 99_000 || s.Staked() != 1000 {
		t.Errorf("started again with %s, and %s staked", s.Balance(), s.Staked())
	}
	must(t, s.Deal())
}

// A record that cannot be written is said, and costs nobody anything.
func TestRecordTrouble(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	if words := s.WhereRecorded(); !strings.Contains(words, "the record room") {
		t.Errorf("before the first round: %s", words)
	}
	round := func() {
		t.Helper()
		before := s.Balance()
		must(t, s.Bet(1, rules.Ante, 1000), s.Deal(), s.Fold(1), s.Reveal())
		if s.Balance() != before-1000 || s.Staked() != 0 {
			t.Errorf("balance %s, staked %s", s.Balance(), s.Staked())
		}
	}
	w.recordFail = errors.New("disk full")
	round()
	for _, words := range []string{s.RecordTrouble(), s.WhereRecorded()} {
		if !strings.Contains(words, "round 1 ") || !strings.Contains(words, "disk full") {
			t.Errorf("it is said: %q", words)
		}
	}
	must(t, s.Bet(1, rules.Ante, 1000), s.Deal())
	if notes, err := s.Leave(); err != nil || !strings.Contains(strings.Join(notes, " "), "disk full") {
		t.Errorf("left with %q, %v", notes, err)
	}
	w.recordFail = nil
	must(t, s.Sit("rws-3cp", ""))
	round()
	if s.RecordTrouble() != "" || !strings.Contains(s.WhereRecorded(), "trey replay rws-3cp 3") || len(w.records) != 1 {
		t.Errorf("after it: %q, %+v", s.WhereRecorded(), w.records)
	}
}

// A house that is opened again has the tables, jackpots and bets that it had.
func TestTheHouseIsThereAgain(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	must(t, s.Bet(2, rules.Ante, 500), s.Bet(2, rules.Progressive, 500), s.TakeBack(2, rules.Ante),
		s.Bet(1, rules.Ante, 700), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Fold(1), s.Reveal())
	must(t, s.Sit("us-3cp", ""), s.Bet(3, rules.Ante, 1000), s.Deal(), s.Fold(3), s.Reveal())
	balance := s.Balance()
	s, notes := again(t, w)
	if len(notes) != 0 || s.Balance() != balance || s.Variant() != nil {
		t.Errorf("%q, balance %s of %s", notes, s.Balance(), balance)
	}
	must(t, s.Sit("rws-3cp", ""))
	if meter, _ := s.Meter(); meter != 1_000_200 || s.Round() != 2 {
		t.Errorf("round %d, and the meter shows %s", s.Round(), meter)
	}
	if bets := s.Again(); !reflect.DeepEqual(bets, []play.Stake{{Box: 1, Wager: rules.Ante, Amount: 700}, {Box: 1, Wager: rules.Progressive, Amount: 500}}) {
		t.Errorf("the bets of the last round are %+v", bets)
	}
	must(t, s.Rebet())
	if s.Staked() != 1200 {
		t.Errorf("staked again %s", s.Staked())
	}
}

// Whatever a player does, the money is on the table or in the balance, every state can be
// kept and recovered, and it all adds up.
func TestMoneyIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books.All()
		w := &world{seeds: shuffle.Numbered(rapid.Uint64().Draw(t, "seed"))}
		host := w.host()
		host.Others = rapid.IntRange(0, 4).Draw(t, "others")
		host.Boxes = rapid.IntRange(0, 8).Draw(t, "boxes")
		s, _, err := play.Start(host)
		if err != nil {
			t.Fatal(err)
		}
		book := all[rapid.IntRange(0, len(all)-1).Draw(t, "book")]
		if err := s.Sit(book.ID, ""); err != nil {
			t.Fatal(err)
		}
		before := s.Balance() // when the round began
		for range rapid.IntRange(1, 60).Draw(t, "moves") {
			box := rapid.IntRange(0, 6).Draw(t, "box")
			wagers := play.Placed(book)
			wager := wagers[rapid.IntRange(0, len(wagers)-1).Draw(t, "wager")]
			amount := rapid.SampledFrom([]money.Amount{-500, 0, 100, 150, 500, 500, 500, 1000, 2500, 90_000}).Draw(t, "amount")
			balance, phase := s.Balance(), s.Phase()
			move := rapid.IntRange(0, 13).Draw(t, "move")
			var err error
			switch move {
			case 0, 1, 2:
				err = s.Bet(box, wager, amount)
			case 3:
				err = s.TakeBack(box, wager)
			case 4, 5:
				err = s.Deal()
			case 6:
				err = s.Look(box)
			case 7, 8:
				err = s.Play(box)
			case 9:
				err = s.Fold(box)
			case 10:
				err = s.LayUp(box)
			case 11:
				err = s.Reveal()
			case 12:
				err = s.Rebet()
			case 13:
				err = s.Next()
			}
			if err != nil && (s.Balance() != balance || s.Phase() != phase) {
				t.Fatalf("a refused move changed something: %v", err)
			}
			if errors.Is(err, house.ErrStopped) {
				t.Fatal(err)
			}
			if phase == table.Paid && s.Phase() == table.Betting {
				before = balance
			}
			switch {
			case s.Phase().InRound():
				if s.Balance()+s.Staked() != before {
					t.Fatalf("%s and %s on the table, of %s", s.Balance(), s.Staked(), before)
				}
			case s.Balance() != before+s.Net():
				t.Fatalf("%s after %s and a net of %s", s.Balance(), before, s.Net())
			}
			if s.Balance() < 0 {
				t.Fatalf("overdrawn: %s", s.Balance())
			}
		}
		// The program is lost here: the next one goes on where it was.
		balance, left := s.Balance(), s.Staked()
		again, _, err := play.Start(w.host())
		if err != nil {
			t.Fatal(err)
		}
		if again.Balance() != balance || again.Staked() != left {
			t.Fatalf("taken up with %s and %s on the table, of %s and %s", again.Balance(), again.Staked(), balance, left)
		}
	})
}
