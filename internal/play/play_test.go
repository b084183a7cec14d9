package play_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/play"
	"trey/internal/shuffle"
	"trey/money"
	"trey/roundlog"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// world is a host in memory: what was kept, and decks that follow from a number.
type world struct {
	kept   play.Account
	writes int
	fail   error
	decks  []string // decks to come by their first cards, before the numbered ones
	seeds  func() shuffle.Seed
	now    int64
	chance uint64
	// logs are the round logs by round, each of which was read again.
	logs    map[int64]roundlog.Round
	logFail error
}

// log reads a log as trey replay does, and holds it against the account.
func (w *world) log(round int64, text []byte) (string, error) {
	if w.logFail != nil {
		return "", w.logFail
	}
	log, err := roundlog.NewReader(bytes.NewReader(text), books.Find)
	for err == nil {
		_, err = log.Next()
	}
	if !errors.Is(err, io.EOF) {
		panic(fmt.Sprintf("round %d: %v in\n%s", round, err, text))
	}
	got, last := log.Rounds(), w.kept.History[len(w.kept.History)-1]
	if len(got) != 1 || last.Number != round || got[0].Ended != last.Ended || got[0].Nets[play.Player] != last.Net {
		panic(fmt.Sprintf("round %d is logged as %+v and recorded as %+v", round, got, last))
	}
	if w.logs == nil {
		w.logs = map[int64]roundlog.Round{}
	}
	w.logs[round] = got[0]
	return fmt.Sprintf("round %d", round), nil
}

func (w *world) host() play.Host {
	if w.seeds == nil {
		w.seeds = shuffle.Numbered(1)
	}
	return play.Host{
		Keep: func(a play.Account) error {
			if w.fail != nil {
				return w.fail
			}
			// What is kept must be readable again, and say the same.
			text, err := a.Encode()
			if err != nil {
				return err
			}
			if w.kept, err = play.DecodeAccount(text); err != nil {
				return err
			}
			if !reflect.DeepEqual(w.kept, a) {
				again, _ := w.kept.Encode()
				if string(again) != string(text) {
					return errors.New("an account is not read as it was written")
				}
			}
			w.writes++
			return nil
		},
		Deck: func() [52]card.Card {
			if len(w.decks) == 0 {
				return shuffle.Shuffle(w.seeds())
			}
			top, err := card.ParseList(w.decks[0])
			if err != nil {
				panic(err)
			}
			w.decks = w.decks[1:]
			var deck [52]card.Card
			n := copy(deck[:], top)
			copy(deck[n:], card.Deck().Minus(card.NewSet(top...)).Cards())
			return deck
		},
		NowMs: func() int64 { w.now += 1000; return w.now },
		Below: func(n int) int {
			w.chance = w.chance*6364136223846793005 + 1442695040888963407
			return int(w.chance >> 33 % uint64(n))
		},
		Log: w.log, LogsIn: "the log room", Software: "trey test",
	}
}

func start(t testing.TB, w *world, a play.Account, boxes int) *play.Session {
	t.Helper()
	s, told, err := play.Start(a, w.host(), boxes)
	if err != nil || len(told) != 0 {
		t.Fatalf("start: %v %v", told, err)
	}
	return s
}

func sit(t testing.TB, w *world, book string) *play.Session {
	t.Helper()
	s := start(t, w, play.NewAccount(), 0)
	must(t, s.Sit(book, ""))
	return s
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
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
	w := &world{decks: []string{"Kh Kd 4c 9h 8h 2h Qs 7d 5c"}}
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
	// Dealer Q-7-5 plays; a pair of Kings wins Ante, Play and Pair Plus.
	want := money.Amount(10+10+5-5-5) * money.Major
	if s.Net() != want || s.Balance() != 1000*money.Major+want || s.Phase() != table.Paid {
		t.Errorf("net %s, balance %s, %s", s.Net(), s.Balance(), s.Phase())
	}
	if l := line(t, s, 3, rules.Ante); l.Result != rules.Lose || l.Clause != "3.12.1" {
		t.Errorf("folded Ante: %+v", l)
	}
	history := s.History()
	if len(history) != 1 || history[0].Net != want || history[0].Balance != s.Balance() || len(history[0].Lines) != 5 {
		t.Errorf("history %+v", history)
	}
	if len(history[0].Hands) != 2 || history[0].Hands[1].Cards[0] != card.None {
		t.Errorf("the record shows a hand that was folded unseen: %+v", history[0].Hands)
	}
	must(t, s.Rebet())
	if s.Staked() != 25*money.Major || s.Phase() != table.Betting || s.Round() != 2 {
		t.Errorf("staked again %s in round %d", s.Staked(), s.Round())
	}
}

func TestJackpotIsPaidAndReset(t *testing.T) {
	w := &world{decks: []string{"As Ks Qs 9h 8d 2h Qc 7d 5c"}}
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
	if p := w.kept.Jackpot; p.HitsPaid != 1 || len(p.Rounds) != 0 {
		t.Errorf("progressive %+v", p)
	}
}

func TestJackpotFoldedBlindIsForfeited(t *testing.T) {
	w := &world{decks: []string{"9h 8d 2h As Ks Qs Qc 7d 5c"}}
	s := sit(t, w, "rws-3cp")
	must(
		t,
		s.Bet(1, rules.Ante, 5*money.Major),
		s.Bet(2, rules.Ante, 5*money.Major), s.Bet(2, rules.Progressive, 5*money.Major),
		s.Deal(), s.Fold(1), s.Fold(2), s.Reveal(),
	)
	if w.kept.Jackpot.HitsPaid != 0 || len(w.kept.Jackpot.Hits) != 0 {
		t.Errorf("progressive %+v", w.kept.Jackpot)
	}
	if meter, _ := s.Meter(); meter != 1_000_200 {
		t.Errorf("the meter shows %s", meter)
	}
}

func TestRoyalThreePictures(t *testing.T) {
	w := &world{decks: []string{"Kh Qd 9c 2h 2d 2c Js Th 5c"}}
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
	w := &world{decks: []string{"9h 8d 2h Qc 7d 5c"}}
	s := start(t, w, play.NewAccount(), 0)
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
	if err := start(t, w, play.NewAccount(), 0).Sit("sm-3cp", "TCPB-99"); err == nil || !strings.Contains(err.Error(), "TCPB-03E") {
		t.Errorf("an unknown pay table: %v", err)
	}
}

func TestEveryGameHasItsBoxes(t *testing.T) {
	for asked, want := range map[int][2]int{0: {5, 5}, 1: {1, 1}, 8: {8, 8}, 9: {9, 8}, 16: {16, 8}} {
		s := start(t, &world{}, play.NewAccount(), asked)
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
	a := play.NewAccount()
	a.Balance = 20 * money.Major
	w := &world{}
	s := start(t, w, a, 0)
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
	a := play.NewAccount()
	a.Balance = 3 * money.Major
	s := start(t, &world{}, a, 0)
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

func TestNothingHappensThatIsNotKept(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	must(t, s.Bet(1, rules.Ante, 1000))
	w.fail = errors.New("disk full")
	for name, do := range map[string]func() error{
		"bet":  func() error { return s.Bet(2, rules.Ante, 1000) },
		"deal": s.Deal,
	} {
		if err := do(); !errors.Is(err, w.fail) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s.Balance() != 99_000 || s.Staked() != 1000 || s.Phase() != table.Betting {
		t.Errorf("balance %s, staked %s, %s", s.Balance(), s.Staked(), s.Phase())
	}
	w.fail = nil
	must(t, s.Deal())
}

// A log that cannot be written is said, and costs nobody anything.
func TestLogTrouble(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	if words := s.LogWords(); !strings.Contains(words, "the log room") {
		t.Errorf("before the first round: %s", words)
	}
	round := func() {
		t.Helper()
		before := s.Balance()
		must(t, s.Bet(1, rules.Ante, 1000), s.Deal(), s.Fold(1), s.Reveal())
		if s.Balance() != before-1000 || w.kept.Balance != s.Balance() || w.kept.Journal != nil {
			t.Errorf("balance %s, kept %s", s.Balance(), w.kept.Balance)
		}
	}
	w.logFail = errors.New("disk full")
	round()
	for _, words := range []string{s.LogTrouble(), s.LogWords()} {
		if !strings.Contains(words, "round 1 ") || !strings.Contains(words, "disk full") {
			t.Errorf("it is said: %q", words)
		}
	}
	must(t, s.Bet(1, rules.Ante, 1000), s.Deal())
	if told, err := s.Leave(); err != nil || !strings.Contains(strings.Join(told, " "), "disk full") {
		t.Errorf("left with %q, %v", told, err)
	}
	w.logFail = nil
	must(t, s.Sit("rws-3cp", ""))
	round()
	if s.LogTrouble() != "" || !strings.Contains(s.LogWords(), "trey replay round 3") || len(w.logs) != 1 {
		t.Errorf("after it: %q, %+v", s.LogWords(), w.logs)
	}
}

func TestBadAccounts(t *testing.T) {
	good := play.NewAccount()
	text, err := good.Encode()
	must(t, err)
	for name, bad := range map[string]string{
		"empty":            "",
		"not JSON":         "balance: 5",
		"cut":              string(text[:len(text)/2]),
		"twice":            string(text) + string(text),
		"negative":         strings.Replace(string(text), "100000", "-1", 1),
		"immense":          strings.Replace(string(text), "100000", "900000000000000000", 1),
		"not whole":        strings.Replace(string(text), "100000", "12.5", 1),
		"unknown field":    strings.Replace(string(text), `"rounds"`, `"wounds"`, 1),
		"form 0":           strings.Replace(string(text), `"version": 2`, `"version": 0`, 1),
		"broken jackpot":   strings.Replace(string(text), `"rounds": 0`, `"rounds": 0, "jackpot": {"opened": false, "meter": 5}`, 1),
		"balance twice":    strings.Replace(string(text), `"rounds": 0`, `"rounds": 0, "balance": 99999900`, 1),
		"in capitals":      strings.Replace(string(text), `"rounds": 0`, `"rounds": 0, "Balance": 99999900`, 1),
		"twice within":     strings.Replace(string(text), `"rounds": 0`, `"rounds": 0, "bets": {"us-3cp": [{"box": 1, "box": 2}]}`, 1),
		"money from where": strings.Replace(string(text), `"rounds": 0`, `"rounds": 0, "journal": {"before": 5}`, 1),
	} {
		if _, err := play.DecodeAccount([]byte(bad)); err == nil || errors.Is(err, play.ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer := strings.Replace(string(text), `"version": 2`, `"version": 3, "gems": 7`, 1)
	if _, err := play.DecodeAccount([]byte(newer)); !errors.Is(err, play.ErrNewer) {
		t.Errorf("newer: %v", err)
	}
}

func FuzzDecodeAccount(f *testing.F) {
	w := &world{}
	s := sit(f, w, "rws-3cp")
	must(f, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Play(1), s.Reveal(), s.Rebet())
	text, err := w.kept.Encode()
	must(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := play.DecodeAccount(text)
		if err != nil {
			return
		}
		// Whatever is taken for an account can be started with, and kept.
		w := &world{}
		s, _, err := play.Start(a, w.host(), 0)
		if err == nil && s.Balance() < 0 {
			t.Errorf("a balance of %s", s.Balance())
		}
	})
}

// Whatever a player does, the money is on the table or in his balance, every
// state can be kept and recovered, and it all adds up.
func TestMoneyIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books.All()
		w := &world{seeds: shuffle.Numbered(rapid.Uint64().Draw(t, "seed"))}
		host := w.host()
		host.Others = rapid.IntRange(0, 4).Draw(t, "others")
		s, _, err := play.Start(play.NewAccount(), host, rapid.IntRange(0, 8).Draw(t, "boxes"))
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
			if err != nil && strings.Contains(err.Error(), "fault of the program") {
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
			if w.kept.Balance != s.Balance() {
				t.Fatalf("kept %s of %s", w.kept.Balance, s.Balance())
			}
		}
		// The program is lost here: the next one goes on where it was.
		lost := &world{seeds: shuffle.Numbered(2)}
		again, _, err := play.Start(w.kept, lost.host(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if again.Balance() != s.Balance() || again.Staked() != s.Staked() {
			t.Fatalf("taken up with %s and %s on the table, of %s and %s", again.Balance(), again.Staked(), s.Balance(), s.Staked())
		}
	})
}
