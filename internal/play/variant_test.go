package play_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/play"
	"trey/internal/shuffle"
	_ "trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
	"trey/table"
)

// operators returns a book as an operator's tables play it: a pair on Pair Plus
// pays 7 to 1, and the jackpot has terms of its own.
func operators(t testing.TB) *rules.Variant {
	t.Helper()
	v, err := play.Game{Book: "rws-3cp"}.Variant()
	must(t, err)
	v.ID, v.Boxes = "generous", 3
	pays := *v.Pays[rules.PairPlus]
	pays.Rows = append([]rules.PayRow(nil), pays.Rows...)
	for i := range pays.Rows {
		if pays.Rows[i].Combo == rules.Pair {
			pays.Rows[i].Pay.Odds = money.Odds{To: 7, For: 1}
		}
	}
	v.Pays[rules.PairPlus] = &pays
	terms := *v.Jackpot
	terms.Reset = 5_000 * money.Major
	v.Jackpot = &terms
	must(t, v.Check(), play.Fits(v))
	return v
}

// A round that goes on keeps the terms it was dealt under, with the variant known
// or forgotten.
func TestVariantIsPlayedAndRecovered(t *testing.T) {
	for name, forgotten := range map[string]bool{"known": false, "forgotten": true} {
		w := with("rws-3cp", pairOf(card.King), anyHand, highest(card.Queen))
		w.deals = append([]deal{{table: "us-3cp", round: 1}}, w.deals...)
		host := w.host()
		host.Variant = operators(t)
		s := begin(t, host)
		must(t, s.Sit("us-3cp", ""), s.Sit("rws-3cp", ""))
		if g := s.Game(); g.By != "generous" || g.Boxes != 3 || s.Variant().Hash() != host.Variant.Hash() {
			t.Errorf("the game is %+v", g)
		}
		if err := s.Sit("rws-3cp", "TCPB-01"); err == nil {
			t.Error("the pay tables of a variant are another's to choose")
		}
		must(
			t,
			s.Bet(1, rules.Ante, 1000), s.Bet(1, rules.PairPlus, 500), s.Bet(1, rules.Progressive, 500), s.Bet(3, rules.Ante, 500),
			s.Deal(), s.Play(1), s.Fold(3),
		)
		// Ante and Play win 10 each, Pair Plus 35; 5 each of the folded Ante and the
		// Progressive are lost.
		const want = 1000 + 1000 + 3500 - 500 - 500
		later := w.host()
		if !forgotten {
			later.Variant = host.Variant
		}
		s, notes, err := play.Start(later)
		must(t, err, s.Reveal())
		if s.Balance() != 100_000+want {
			t.Errorf("%s: balance %s, want a net of %s: %q", name, s.Balance(), money.Amount(want), notes)
		}
		if meter, _ := s.Meter(); meter != 500_200 || history(t, s)[0].By != "generous" {
			t.Errorf("%s: history %+v, meter %s", name, history(t, s), meter)
		}
	}
}

func TestEachTermsHaveTheirJackpot(t *testing.T) {
	w := &world{}
	s := sit(t, w, "rws-3cp")
	bet := func(s *play.Session) {
		must(t, s.Bet(1, rules.Ante, 500), s.Bet(1, rules.Progressive, 500), s.Deal(), s.Fold(1), s.Reveal())
	}
	bet(s)
	host := w.host()
	host.Variant = operators(t)
	s = begin(t, host)
	book := host.Variant.Book
	if _, ok := s.MeterAt(book); ok {
		t.Error("a jackpot that nobody has opened displays something")
	}
	must(t, s.Sit("rws-3cp", ""))
	bet(s)
	if displayed, ok := s.MeterAt(book); !ok || displayed != 500_200 {
		t.Errorf("the variant's meter shows %s", displayed)
	}
	// Other boxes are another table, with the jackpot of the same terms.
	host = w.host()
	host.Boxes = 3
	s = begin(t, host)
	if displayed, ok := s.MeterAt(book); !ok || displayed != 1_000_200 {
		t.Errorf("the home game's meter shows %s", displayed)
	}
	must(t, s.Sit("rws-3cp", ""))
	bet(s)
	if displayed, ok := s.Meter(); !ok || displayed != 1_000_400 || s.Round() != 1 {
		t.Errorf("in round %d the home game's meter shows %s", s.Round(), displayed)
	}
	v := operators(t)
	rows := *v.Pays[rules.Progressive]
	rows.Rows = append([]rules.PayRow(nil), rows.Rows...)
	rows.Rows[1].Pay = rules.Pay{MeterPercent: 10}
	v.Pays[rules.Progressive] = &rows
	if err := play.Fits(v); err == nil || !strings.Contains(err.Error(), "10 % of the meter") {
		t.Errorf("a part of the meter: %v", err)
	}
}

func TestHighLimitsGetEnoughPlayMoney(t *testing.T) {
	v := operators(t)
	v.Limits[rules.Ante] = rules.Limit{Min: 100_000}
	v.Chips = nil
	host := (&world{}).host()
	host.Variant = v
	s := begin(t, host)
	if s.Broke() {
		t.Error("broke before a table is chosen")
	}
	must(t, s.Sit("rws-3cp", ""))
	if !s.Broke() || len(s.Chips()) == 0 {
		t.Fatalf("not broke with %s at a table from 1,000.00", s.Balance())
	}
	must(t, s.Refill(), s.Bet(1, rules.Ante, 100_000), s.Deal(), s.Play(1), s.Reveal())
}

// Under whatever rulings, a round that is left comes to its end.
func TestEveryRulingIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books.All()
		book := all[rapid.IntRange(0, len(all)-1).Draw(t, "book")]
		v, err := play.Game{Book: book.ID}.Variant()
		if err != nil {
			t.Fatal(err)
		}
		sampled.Rulings(t, "", v)
		w := &world{seeds: shuffle.Numbered(rapid.Uint64().Draw(t, "seed"))}
		host := w.host()
		host.Variant = v
		s, _, err := play.Start(host)
		if err != nil {
			t.Fatal(err)
		}
		steps := []func() error{
			func() error { return s.Sit(book.ID, "") },
			func() error { return s.Bet(1, s.Wagers()[0], 500) },
			func() error { return s.Bet(2, s.Wagers()[0], 500) },
			s.Deal,
			func() error { return s.Look(1) },
			func() error { return s.Fold(1) },
			func() error { return s.LayUp(1) },
			func() error { return s.Play(2) },
		}
		for _, step := range steps[:rapid.IntRange(3, len(steps)).Draw(t, "steps")] {
			var refusal *table.Refusal
			if err := step(); err != nil && !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
		staked, dealt := s.Staked(), s.Phase() != table.Betting
		if s, _, err = play.Start(w.host()); err != nil || s.Staked() != staked {
			t.Fatalf("taken up: %v", err)
		}
		waits := s.IfLeft().Waits
		notes, err := s.Leave()
		if err != nil || (len(notes) == 0) != (staked == 0 && !dealt) || !waits && s.Staked() != 0 || waits && s.Staked() != staked {
			t.Fatalf("left with %s on the table: %v %q", s.Staked(), err, notes)
		}
		if waits && !v.Is(rules.AbsentPlayer, rules.WaitForPlayer) {
			t.Fatal("the table waits under another ruling")
		}
	})
}
