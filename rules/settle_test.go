package rules_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// standard returns the standard variant of a book, free to be changed.
func standard(t testing.TB, book string) *rules.Variant {
	t.Helper()
	b, err := books.Find(book)
	if err != nil {
		t.Fatal(err)
	}
	return b.Standard().Clone()
}

func hand(t testing.TB, s string) card.Hand {
	t.Helper()
	h, err := card.ParseHand(s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func amount(t testing.TB, s string) money.Amount {
	t.Helper()
	a, err := money.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stakes reads stakes written "ante=10 pair-plus=2.50".
func stakes(t testing.TB, s string) rules.Stakes {
	t.Helper()
	var out rules.Stakes
	for field := range strings.FieldsSeq(s) {
		key, value, _ := strings.Cut(field, "=")
		w, err := rules.ParseWager(key)
		if err != nil {
			t.Fatal(err)
		}
		out[w] = amount(t, value)
	}
	return out
}

// other is another box of the round. Its stakes are written as for stakes.
type other struct {
	hand, stakes string
	mine, folded bool
}

// change is the change that a case makes in the standard variant.
type change func(t *testing.T, v *rules.Variant)

func ruling(r rules.Ruling, c rules.Choice) change {
	return func(_ *testing.T, v *rules.Variant) { v.Choices[r] = c }
}

func maximum(w rules.Wager, sum money.Amount) change {
	return func(_ *testing.T, v *rules.Variant) { v.Limits[w].Max = sum }
}

func table(w rules.Wager, name string) change {
	return func(t *testing.T, v *rules.Variant) {
		if err := v.UsePayTable(w, name); err != nil {
			t.Fatal(err)
		}
	}
}

func rounding(unit money.Amount, favour money.Favour) change {
	return func(_ *testing.T, v *rules.Variant) { v.Rounding = money.Rounding{Unit: unit, Favour: favour} }
}

// settlement is one case: what lies on a box, and the lines that the text asks
// for, each as wager, stake, result, pays, returned, clause. The figures are
// worked out by hand from the text, in dollars.
type settlement struct {
	name           string
	player, dealer string
	stakes         string
	folded         bool
	unrevealed     bool
	meter          string
	others         []other
	change         change
	want           []string
}

func (s *settlement) run(t *testing.T, book string) {
	v := standard(t, book)
	if s.change != nil {
		s.change(t, v)
	}
	down := rules.Showdown{Player: hand(t, s.player), Stakes: stakes(t, s.stakes), Folded: s.folded, Unrevealed: s.unrevealed}
	if s.dealer != "" {
		down.Dealer = hand(t, s.dealer)
	}
	if s.meter != "" {
		down.Meter = amount(t, s.meter)
	}
	for _, o := range s.others {
		theirs := stakes(t, o.stakes)
		down.Others = append(down.Others, rules.Other{
			Is: v.Book.Ranking.Combos(hand(t, o.hand)), SamePlayer: o.mine, Folded: o.folded, Stakes: &theirs,
		})
	}
	lines, err := v.Settle(nil, &down)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprintf("%s %s %s %s %s %s", l.Wager, l.Stake, l.Result, l.Pays, l.Returned, l.Clause))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(s.want, "\n"); g != w {
		t.Errorf("%s against %s with %s:\n%s\nwant\n%s", s.player, s.dealer, s.stakes, g, w)
	}
}

func settleAll(t *testing.T, book string, cases []settlement) {
	t.Helper()
	for _, s := range cases {
		t.Run(s.name, func(t *testing.T) { s.run(t, book) })
	}
}

func TestSettleRWS(t *testing.T) {
	settleAll(t, "rws-3cp@3", []settlement{
		{
			name: "3.15.1 the higher hand wins", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1"},
		},
		{
			name: "3.15.2 the lower hand loses", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 pair-plus=5",
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2",
				"pair-plus 5.00 lose 0.00 0.00 1.11",
			},
		},
		{
			name: "3.15.3 a stand-off returns Ante and Play", player: "Qh 6d 4c", dealer: "Qd 6s 4h", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 push 0.00 10.00 3.15.3", "play 10.00 push 0.00 10.00 3.15.3"},
		},
		{
			name: "1.21 a stand-off settles Pair Plus and the Progressive all the same", player: "3c 2h Ad", dealer: "3d 2s Ah",
			stakes: "ante=10 play=10 pair-plus=5 progressive=5", meter: "10000",
			want: []string{
				"ante 10.00 push 0.00 10.00 3.15.3", "play 10.00 push 0.00 10.00 3.15.3", "ante-bonus 0.00 win 10.00 10.00 4.3",
				"pair-plus 5.00 win 25.00 30.00 4.2", "progressive 5.00 win 15.00 15.00 4.4",
			},
		},
		{
			name: "1.16 below: J-10-8 does not qualify", player: "9h 6d 4c", dealer: "Jd Tc 8s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13"},
		},
		{
			name: "1.16 at: Q-3-2 qualifies", player: "9h 6d 4c", dealer: "Qd 3c 2s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2"},
		},
		{
			name: "1.16 above: Q-4-2 qualifies", player: "Kh 6d 4c", dealer: "Qd 4s 2s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1"},
		},
		{
			name: "1.16 a higher ranking without a queen qualifies", player: "Ah 6d 4c", dealer: "2d 2c 3s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2"},
		},
		{
			name: "3.13 equal hands without qualification are no stand-off", player: "Jh Ts 8d", dealer: "Jd Tc 8s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13"},
		},
		{
			name: "3.13 the Progressive is paid irrespective of the dealer", player: "Kc Kh Kd", dealer: "Jd Tc 8s",
			stakes: "ante=10 play=10 progressive=5", meter: "10000",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 40.00 40.00 4.3",
				"progressive 5.00 win 150.00 150.00 4.4",
			},
		},
		{
			name: "3.12.1 folding loses Ante, Pair Plus and the Progressive", player: "Ah Kh Qh", folded: true,
			stakes: "ante=10 pair-plus=5 progressive=5", meter: "10000",
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.12.1", "pair-plus 5.00 lose 0.00 0.00 3.12.1",
				"progressive 5.00 lose 0.00 0.00 3.12.1",
			},
		},
		{
			name: "3.12.1 a folded straight keeps no Ante Bonus", player: "3c 2h Ad", folded: true, stakes: "ante=10",
			want: []string{"ante 10.00 lose 0.00 0.00 3.12.1"},
		},
		{
			name: "3.14 Pair Plus alone is settled without a decision", player: "5c 5d Kh", dealer: "Ah Ac Kd", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 5.00 10.00 4.2"},
		},
		{
			name: "4.2 straight flush 40 to 1", player: "Qc Jc Tc", dealer: "Jd 9h 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 200.00 205.00 4.2"},
		},
		{
			name: "4.2 three of a kind 30 to 1", player: "2c 2d 2h", dealer: "Jd 9h 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 150.00 155.00 4.2"},
		},
		{
			name: "4.2 straight 5 to 1", player: "Tc 9h 8d", dealer: "Jd 9d 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 25.00 30.00 4.2"},
		},
		{
			name: "4.2 flush 4 to 1", player: "Kc Jc 9c", dealer: "Jd 9d 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 20.00 25.00 4.2"},
		},
		{
			name: "4.2 pair 1 to 1", player: "Tc Th Ks", dealer: "Jd 9d 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 win 5.00 10.00 4.2"},
		},
		{
			name: "1.11 less than a pair loses", player: "6s 4h 2d", dealer: "Jd 9d 8s", stakes: "pair-plus=5",
			want: []string{"pair-plus 5.00 lose 0.00 0.00 1.11"},
		},
		{
			name: "4.3 straight flush 5 to 1", player: "Qc Jc Tc", dealer: "Kd 9h 8s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1", "ante-bonus 0.00 win 50.00 50.00 4.3",
			},
		},
		{
			name: "4.3 three of a kind 4 to 1", player: "2c 2d 2h", dealer: "Kd 9h 8s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1", "ante-bonus 0.00 win 40.00 40.00 4.3",
			},
		},
		{
			name: "4.3 straight 1 to 1", player: "Tc 9h 8d", dealer: "Kd 9d 8s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1", "ante-bonus 0.00 win 10.00 10.00 4.3",
			},
		},
		{
			name: "1.2 a flush brings no Ante Bonus", player: "Kc Jc 9c", dealer: "Kd 9d 8s", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 win 10.00 20.00 3.15.1", "play 10.00 win 10.00 20.00 3.15.1"},
		},
		{
			name: "3.16 the Ante Bonus is paid on a lost Ante", player: "3c 2h Ad", dealer: "5h 4d 3s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "ante-bonus 0.00 win 10.00 10.00 4.3",
			},
		},
		{
			name: "ante_bonus_on_standoff paid", player: "3c 2h Ad", dealer: "3d 2s Ah", stakes: "ante=10 play=10",
			change: ruling(rules.AnteBonusOnStandoff, rules.Paid),
			want: []string{
				"ante 10.00 push 0.00 10.00 3.15.3", "play 10.00 push 0.00 10.00 3.15.3", "ante-bonus 0.00 win 10.00 10.00 4.3",
			},
		},
		{
			name: "ante_bonus_on_standoff not paid", player: "3c 2h Ad", dealer: "3d 2s Ah", stakes: "ante=10 play=10",
			change: ruling(rules.AnteBonusOnStandoff, rules.NotPaid),
			want:   []string{"ante 10.00 push 0.00 10.00 3.15.3", "play 10.00 push 0.00 10.00 3.15.3"},
		},
		{
			name: "ante_bonus_on_standoff not paid touches no other outcome", player: "3c 2h Ad", dealer: "5h 4d 3s", stakes: "ante=10 play=10",
			change: ruling(rules.AnteBonusOnStandoff, rules.NotPaid),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "ante-bonus 0.00 win 10.00 10.00 4.3",
			},
		},
		{
			name: "4.4 AKQ of spades takes the displayed meter", player: "Ks As Qs", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			meter: "50000.07",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 50.00 50.00 4.3",
				"progressive 5.00 win 50000.07 50000.07 4.4",
			},
		},
		{
			name: "4.4 another AKQ suited $1,250", player: "Kh Ah Qh", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 50.00 50.00 4.3",
				"progressive 5.00 win 1250.00 1250.00 4.4",
			},
		},
		{
			name: "4.4 straight flush $175", player: "Kh Jh Qh", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 50.00 50.00 4.3",
				"progressive 5.00 win 175.00 175.00 4.4",
			},
		},
		{
			name: "4.4 straight $15", player: "Kh Jc Qh", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 10.00 10.00 4.3",
				"progressive 5.00 win 15.00 15.00 4.4",
			},
		},
		{
			name: "4.4 a flush loses the Progressive", player: "Kh 9h Qh", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13",
				"progressive 5.00 lose 0.00 0.00 4.4",
			},
		},
		{
			name: "jackpot_stake returned", player: "Kh Jc Qh", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			change: ruling(rules.JackpotStake, rules.Returned),
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 10.00 10.00 4.3",
				"progressive 5.00 win 15.00 20.00 4.4",
			},
		},
		{
			name: "jackpot_stake returned with the meter", player: "Ks As Qs", dealer: "Jd 9d 8c", stakes: "ante=10 play=10 progressive=5",
			meter: "10000", change: ruling(rules.JackpotStake, rules.Returned),
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 50.00 50.00 4.3",
				"progressive 5.00 win 10000.00 10005.00 4.4",
			},
		},
		{
			name: "5.1.1 below the maximum", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=99 play=99",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 99.00 win 99.00 198.00 3.15.1", "play 99.00 win 99.00 198.00 3.15.1"},
		},
		{
			name: "5.1.1 at the maximum", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=100 play=100",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 100.00 win 100.00 200.00 3.15.1", "play 100.00 win 100.00 200.00 3.15.1"},
		},
		{
			name: "5.1.1 above the maximum, won", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=150 play=150",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 150.00 win 100.00 250.00 5.1.1", "play 150.00 win 100.00 250.00 5.1.1"},
		},
		{
			name: "5.1.1 above the maximum, lost", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=150 play=150",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 150.00 lose 0.00 50.00 5.1.1", "play 150.00 lose 0.00 50.00 5.1.1"},
		},
		{
			name: "5.1.1 above the maximum, stand-off", player: "Qh 6d 4c", dealer: "Qd 6s 4h", stakes: "ante=150 play=150",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 150.00 push 0.00 150.00 5.1.1", "play 150.00 push 0.00 150.00 5.1.1"},
		},
		{
			name: "5.1.1 above the maximum, folded", player: "Qh 6d 2c", folded: true, stakes: "ante=150",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 150.00 lose 0.00 50.00 5.1.1"},
		},
		{
			name: "5.1.1 the Ante Bonus rides on the maximum", player: "3c 2h Ad", dealer: "Jd 9d 8c", stakes: "ante=150 play=150",
			change: maximum(rules.Ante, 100*money.Major),
			want: []string{
				"ante 150.00 win 100.00 250.00 5.1.1", "play 150.00 push 0.00 150.00 5.1.1", "ante-bonus 0.00 win 100.00 100.00 4.3",
			},
		},
		{
			name: "5.1.1 Pair Plus above its maximum", player: "3c 2h Ad", dealer: "Jd 9d 8c", stakes: "pair-plus=60",
			change: maximum(rules.PairPlus, 50*money.Major),
			want:   []string{"pair-plus 60.00 win 250.00 310.00 5.1.1"},
		},
		{
			name: "5.3.1 Play above the Ante, won", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=10 play=15",
			want: []string{"ante 10.00 win 10.00 20.00 3.15.1", "play 15.00 win 10.00 25.00 5.3.1"},
		},
		{
			name: "5.3.1 Play above the Ante, lost", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=15",
			want: []string{"ante 10.00 lose 0.00 0.00 3.15.2", "play 15.00 lose 0.00 5.00 5.3.1"},
		},
		{
			name: "5.3.1 Play above the Ante and the maximum", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=150 play=200",
			change: maximum(rules.Ante, 100*money.Major),
			want:   []string{"ante 150.00 win 100.00 250.00 5.1.1", "play 200.00 win 100.00 300.00 5.3.1"},
		},
		{
			name: "5.3.2 Play below the Ante, won", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=10 play=5",
			want: []string{"ante 10.00 win 10.00 20.00 3.15.1", "play 5.00 win 5.00 10.00 5.3.2"},
		},
		{
			name: "5.3.2 Play below the Ante, lost", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=5",
			want: []string{"ante 10.00 lose 0.00 0.00 3.15.2", "play 5.00 lose 0.00 0.00 5.3.2"},
		},
		{
			name: "4.7 another box's AKQ of spades brings $250", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10 play=10"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "4.7 another box's other AKQ suited brings $50", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "Ac Kc Qc", stakes: "ante=10 play=10 progressive=5"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 50.00 50.00 4.7",
			},
		},
		{
			name: "4.7 a straight flush is not among the top two hands", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "Qc Kc Jc", stakes: "ante=10 play=10"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
			},
		},
		{
			name: "4.7 no Envy Bonus without a Progressive bet", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10 play=10"}},
			want:   []string{"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2"},
		},
		{
			name: "4.7 no Envy Bonus for one's own hand", player: "Ac Kc Qc", dealer: "Jd 9d 8s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "Qh 6d 4c", stakes: "ante=10 play=10"}},
			want: []string{
				"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13", "ante-bonus 0.00 win 50.00 50.00 4.3",
				"progressive 5.00 win 1250.00 1250.00 4.4",
			},
		},
		{
			name: "4.8 Pair Plus alone brings no Envy Bonus", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "pair-plus=10"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
			},
		},
		{
			name: "envy_per hand", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "Ac Kc Qc", stakes: "ante=10"}, {hand: "As Ks Qs", stakes: "ante=10"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 50.00 50.00 4.7", "envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "envy_per round: the best one, last", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "Ac Kc Qc", stakes: "ante=10"}, {hand: "As Ks Qs", stakes: "ante=10"}},
			change: ruling(rules.EnvyPer, rules.PerRound),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "envy_per round: the best one, first", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10"}, {hand: "Ac Kc Qc", stakes: "ante=10"}},
			change: ruling(rules.EnvyPer, rules.PerRound),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "envy_own_boxes no", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10", mine: true}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
			},
		},
		{
			name: "envy_own_boxes yes", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10", mine: true}},
			change: ruling(rules.EnvyOwnBoxes, rules.Yes),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "envy_from_folded yes", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10", folded: true}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
		{
			name: "envy_from_folded no", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10", folded: true}},
			change: ruling(rules.EnvyFromFolded, rules.No),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.15.2", "play 10.00 lose 0.00 0.00 3.15.2", "progressive 5.00 lose 0.00 0.00 4.4",
			},
		},
		{
			name: "envy_when_folded lost", player: "Qh 6d 2c", folded: true, stakes: "ante=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10"}},
			want:   []string{"ante 10.00 lose 0.00 0.00 3.12.1", "progressive 5.00 lose 0.00 0.00 3.12.1"},
		},
		{
			name: "envy_when_folded kept", player: "Qh 6d 2c", folded: true, stakes: "ante=10 progressive=5",
			others: []other{{hand: "As Ks Qs", stakes: "ante=10"}},
			change: ruling(rules.EnvyWhenFolded, rules.Kept),
			want: []string{
				"ante 10.00 lose 0.00 0.00 3.12.1", "progressive 5.00 lose 0.00 0.00 3.12.1",
				"envy 0.00 win 250.00 250.00 4.7",
			},
		},
	})
}

func TestSettleUS(t *testing.T) {
	settleAll(t, "us-3cp", []settlement{
		{
			name: "rules.10 the higher hand wins, in the order of dealing.7", player: "3c 2h Ad", dealer: "Qh 6d 4s", stakes: "ante=10 play=10 pair-plus=2",
			want: []string{
				"play 10.00 win 10.00 20.00 rules.10", "ante-bonus 0.00 win 10.00 10.00 pays.ante-bonus",
				"ante 10.00 win 10.00 20.00 rules.10", "pair-plus 2.00 win 10.00 12.00 pays.pair-plus",
			},
		},
		{
			name: "rules.11 the lower hand loses", player: "Qh 6d 4c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 pair-plus=2",
			want: []string{
				"play 10.00 lose 0.00 0.00 rules.11", "ante 10.00 lose 0.00 0.00 rules.11", "pair-plus 2.00 lose 0.00 0.00 ways.2",
			},
		},
		{
			name: "rules.12 equal hands push", player: "Qh 6d 4c", dealer: "Qd 6s 4h", stakes: "ante=10 play=10",
			want: []string{"play 10.00 push 0.00 10.00 rules.12", "ante 10.00 push 0.00 10.00 rules.12"},
		},
		{
			name: "rules.8 below queen high", player: "Qh 6d 4c", dealer: "Jd Tc 8s", stakes: "ante=10 play=10",
			want: []string{"play 10.00 push 0.00 10.00 rules.8", "ante 10.00 win 10.00 20.00 rules.8"},
		},
		{
			name: "rules.7 at queen high", player: "Qh 6d 4c", dealer: "Qd 3c 2s", stakes: "ante=10 play=10",
			want: []string{"play 10.00 win 10.00 20.00 rules.10", "ante 10.00 win 10.00 20.00 rules.10"},
		},
		{
			name: "rules.4, dealing.4 folding forfeits Ante and Pair Plus", player: "Ah Kh Qh", folded: true, stakes: "ante=10 pair-plus=2",
			want: []string{"ante 10.00 lose 0.00 0.00 rules.4", "pair-plus 2.00 lose 0.00 0.00 dealing.4"},
		},
		{
			name: "rules.12 the Ante Bonus is paid on a push", player: "3c 2h Ad", dealer: "3d 2s Ah", stakes: "ante=10 play=10",
			want: []string{
				"play 10.00 push 0.00 10.00 rules.12", "ante-bonus 0.00 win 10.00 10.00 pays.ante-bonus", "ante 10.00 push 0.00 10.00 rules.12",
			},
		},
		{
			name: "rules.13 the Ante Bonus regardless of the dealer: straight flush 4 to 1", player: "4c 3c 2c", dealer: "Ah Kh Qh", stakes: "ante=10 play=10",
			want: []string{
				"play 10.00 lose 0.00 0.00 rules.11", "ante-bonus 0.00 win 40.00 40.00 pays.ante-bonus", "ante 10.00 lose 0.00 0.00 rules.11",
			},
		},
		{
			name: "rules.13 three of a kind 3 to 1", player: "4c 4d 4h", dealer: "Ah Kh Qh", stakes: "ante=10 play=10",
			want: []string{
				"play 10.00 lose 0.00 0.00 rules.11", "ante-bonus 0.00 win 30.00 30.00 pays.ante-bonus", "ante 10.00 lose 0.00 0.00 rules.11",
			},
		},
		{
			name: "pays.pair-plus straight flush 40 to 1", player: "4c 3c 2c", dealer: "Ah Kh Qh", stakes: "pair-plus=2",
			want: []string{"pair-plus 2.00 win 80.00 82.00 pays.pair-plus"},
		},
		{
			name: "pays.pair-plus three of a kind 30 to 1", player: "4c 4d 4h", dealer: "Ah Kh Qh", stakes: "pair-plus=2",
			want: []string{"pair-plus 2.00 win 60.00 62.00 pays.pair-plus"},
		},
		{
			name: "pays.pair-plus straight 5 to 1", player: "4c 3d 2h", dealer: "Ah Kh Qh", stakes: "pair-plus=2",
			want: []string{"pair-plus 2.00 win 10.00 12.00 pays.pair-plus"},
		},
		{
			name: "pays.pair-plus flush 3 to 1", player: "4c 9c 2c", dealer: "Ah Kh Qh", stakes: "pair-plus=2",
			want: []string{"pair-plus 2.00 win 6.00 8.00 pays.pair-plus"},
		},
		{
			name: "pays.pair-plus pair 1 to 1", player: "4c 4d 2c", dealer: "Ah Kh Qh", stakes: "pair-plus=2",
			want: []string{"pair-plus 2.00 win 2.00 4.00 pays.pair-plus"},
		},
		{
			name: "rules.5 the text cuts no Play bet", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=10 play=12",
			want: []string{"play 12.00 win 12.00 24.00 rules.10", "ante 10.00 win 10.00 20.00 rules.10"},
		},
		{
			name: "amounts.ante the text cuts no high bet found late", player: "Ah Kd 4c", dealer: "Qh 6d 4s", stakes: "ante=15 play=15",
			want: []string{"play 15.00 win 15.00 30.00 rules.10", "ante 15.00 win 15.00 30.00 rules.10"},
		},
	})
}

func TestSettleSM(t *testing.T) {
	bonus := func(name, which, player, want string) settlement {
		return settlement{
			name: name, player: player, dealer: "Jd 9h 8s", stakes: "pair-plus=1 bonus=1", change: table(rules.Bonus, which),
			want: []string{want},
		}
	}
	// The Pair Plus line beside each bonus line is the same in every table.
	pairPlus := map[string]string{
		"As Ks Qs": "pair-plus 1.00 win 40.00 41.00 ways.2", "Ah Kh Qh": "pair-plus 1.00 win 40.00 41.00 ways.2",
		"6c 5c 4c": "pair-plus 1.00 win 40.00 41.00 ways.2", "6c 6d 6h": "pair-plus 1.00 win 30.00 31.00 ways.2",
		"6c 5d 4h": "pair-plus 1.00 win 6.00 7.00 ways.2", "Kc 5c 4c": "pair-plus 1.00 win 4.00 5.00 ways.2",
		"Kc 4d 4c": "pair-plus 1.00 win 1.00 2.00 ways.2", "Kc 4d 2c": "pair-plus 1.00 lose 0.00 0.00 ways.2",
	}
	cases := []settlement{
		bonus("bonus.4 TCPB-01 AKQ spades 4,000 to 1", "TCPB-01", "As Ks Qs", "bonus 1.00 win 4000.00 4001.00 bonus.4.TCPB-01"),
		bonus("bonus.4 TCPB-01 AKQ suited 1,000 to 1", "TCPB-01", "Ah Kh Qh", "bonus 1.00 win 1000.00 1001.00 bonus.4.TCPB-01"),
		bonus("bonus.4 TCPB-01 straight flush 125 to 1", "TCPB-01", "6c 5c 4c", "bonus 1.00 win 125.00 126.00 bonus.4.TCPB-01"),
		bonus("bonus.4 TCPB-01 three of a kind 100 to 1", "TCPB-01", "6c 6d 6h", "bonus 1.00 win 100.00 101.00 bonus.4.TCPB-01"),
		bonus("bonus.4 TCPB-01 straight n/a", "TCPB-01", "6c 5d 4h", "bonus 1.00 lose 0.00 0.00 bonus.9a"),
		bonus("bonus.4 TCPB-02 AKQ spades 4,000 to 1", "TCPB-02", "As Ks Qs", "bonus 1.00 win 4000.00 4001.00 bonus.4.TCPB-02"),
		bonus("bonus.4 TCPB-02 AKQ suited 1,000 to 1", "TCPB-02", "Ah Kh Qh", "bonus 1.00 win 1000.00 1001.00 bonus.4.TCPB-02"),
		bonus("bonus.4 TCPB-02 straight flush 60 to 1", "TCPB-02", "6c 5c 4c", "bonus 1.00 win 60.00 61.00 bonus.4.TCPB-02"),
		bonus("bonus.4 TCPB-02 three of a kind 40 to 1", "TCPB-02", "6c 6d 6h", "bonus 1.00 win 40.00 41.00 bonus.4.TCPB-02"),
		bonus("bonus.4 TCPB-02 straight 7 to 1", "TCPB-02", "6c 5d 4h", "bonus 1.00 win 7.00 8.00 bonus.4.TCPB-02"),
		bonus("bonus.4 TCPB-02 flush loses", "TCPB-02", "Kc 5c 4c", "bonus 1.00 lose 0.00 0.00 bonus.9a"),
		bonus("bonus.3 TCPB-03E AKQ spades 4,000 to 1", "TCPB-03E", "As Ks Qs", "bonus 1.00 win 4000.00 4001.00 bonus.3.TCPB-03E"),
		bonus("bonus.3 TCPB-03E AKQ suited 1,000 to 1", "TCPB-03E", "Ah Kh Qh", "bonus 1.00 win 1000.00 1001.00 bonus.3.TCPB-03E"),
		bonus("bonus.3 TCPB-03E straight flush 100 to 1", "TCPB-03E", "6c 5c 4c", "bonus 1.00 win 100.00 101.00 bonus.3.TCPB-03E"),
		bonus("bonus.3 TCPB-03E three of a kind 75 to 1", "TCPB-03E", "6c 6d 6h", "bonus 1.00 win 75.00 76.00 bonus.3.TCPB-03E"),
		bonus("bonus.3 TCPB-03E straight n/a", "TCPB-03E", "6c 5d 4h", "bonus 1.00 lose 0.00 0.00 bonus.9a"),
		bonus("bonus.3 TCPB-04E AKQ spades 3,000 to 1", "TCPB-04E", "As Ks Qs", "bonus 1.00 win 3000.00 3001.00 bonus.3.TCPB-04E"),
		bonus("bonus.3 TCPB-04E AKQ suited 1,000 to 1", "TCPB-04E", "Ah Kh Qh", "bonus 1.00 win 1000.00 1001.00 bonus.3.TCPB-04E"),
		bonus("bonus.3 TCPB-04E straight flush 50 to 1", "TCPB-04E", "6c 5c 4c", "bonus 1.00 win 50.00 51.00 bonus.3.TCPB-04E"),
		bonus("bonus.3 TCPB-04E three of a kind 40 to 1", "TCPB-04E", "6c 6d 6h", "bonus 1.00 win 40.00 41.00 bonus.3.TCPB-04E"),
		bonus("bonus.3 TCPB-04E straight 6 to 1", "TCPB-04E", "6c 5d 4h", "bonus 1.00 win 6.00 7.00 bonus.3.TCPB-04E"),
		bonus("bonus.3 TCPB-04E pair loses", "TCPB-04E", "Kc 4d 4c", "bonus 1.00 lose 0.00 0.00 bonus.9a"),
		bonus("ways.2 less than a pair loses both", "TCPB-04E", "Kc 4d 2c", "bonus 1.00 lose 0.00 0.00 bonus.9a"),
	}
	for i := range cases {
		cases[i].want = append([]string{pairPlus[cases[i].player]}, cases[i].want...)
	}
	envy := func(name, which, theirs string, mine bool, want ...string) settlement {
		return settlement{
			name: name, player: "Kc 4d 2c", dealer: "Jd 9h 8s", stakes: "pair-plus=1 bonus=5", change: table(rules.Bonus, which),
			others: []other{{hand: theirs, stakes: "pair-plus=1", mine: mine}},
			want:   append([]string{"pair-plus 1.00 lose 0.00 0.00 ways.2", "bonus 5.00 lose 0.00 0.00 bonus.9a"}, want...),
		}
	}
	cases = append(
		cases,
		envy("bonus.10c AKQ spades brings $100 whatever the bet", "TCPB-03E", "As Ks Qs", false, "envy 0.00 win 100.00 100.00 bonus.10c"),
		envy("bonus.10c AKQ suited brings $25", "TCPB-04E", "Ah Kh Qh", false, "envy 0.00 win 25.00 25.00 bonus.10c"),
		envy("bonus.10c straight flush brings $5", "TCPB-04E", "6c 5c 4c", false, "envy 0.00 win 5.00 5.00 bonus.10c"),
		envy("bonus.10c three of a kind brings nothing", "TCPB-04E", "6c 6d 6h", false),
		envy("bonus.4 a table without Envy brings nothing", "TCPB-02", "As Ks Qs", false),
		envy("bonus.10d no Envy for a hand of one's own", "TCPB-03E", "As Ks Qs", true),
		settlement{
			name: "envy_own_boxes yes", player: "Kc 4d 2c", dealer: "Jd 9h 8s", stakes: "bonus=1 pair-plus=1",
			others: []other{{hand: "6c 5c 4c", stakes: "ante=1", mine: true}}, change: ruling(rules.EnvyOwnBoxes, rules.Yes),
			want: []string{
				"pair-plus 1.00 lose 0.00 0.00 ways.2", "bonus 1.00 lose 0.00 0.00 bonus.9a", "envy 0.00 win 5.00 5.00 bonus.10c",
			},
		},
		settlement{
			name: "bonus.10d the dealer's hand brings no Envy", player: "Kc 4d 2c", dealer: "As Ks Qs", stakes: "pair-plus=1 bonus=1",
			others: []other{{hand: "Jd 9h 8s", stakes: "ante=1"}},
			want:   []string{"pair-plus 1.00 lose 0.00 0.00 ways.2", "bonus 1.00 lose 0.00 0.00 bonus.9a"},
		},
		settlement{
			name: "bonus.10e several hands bring several payments", player: "Kc 4d 2c", dealer: "Jd 9h 8s", stakes: "pair-plus=1 bonus=1",
			others: []other{{hand: "As Ks Qs", stakes: "ante=1"}, {hand: "6c 5c 4c", stakes: "ante=1"}, {hand: "9d 8d 7d", stakes: "ante=1", folded: true}},
			want: []string{
				"pair-plus 1.00 lose 0.00 0.00 ways.2", "bonus 1.00 lose 0.00 0.00 bonus.9a",
				"envy 0.00 win 100.00 100.00 bonus.10c", "envy 0.00 win 5.00 5.00 bonus.10c", "envy 0.00 win 5.00 5.00 bonus.10c",
			},
		},
		settlement{
			name: "bonus_after_fold kept", player: "6c 5d 4h", folded: true, stakes: "ante=10 pair-plus=1 bonus=1", change: table(rules.Bonus, "TCPB-04E"),
			others: []other{{hand: "As Ks Qs", stakes: "ante=1"}},
			want: []string{
				"ante 10.00 lose 0.00 0.00 ways.1", "pair-plus 1.00 lose 0.00 0.00 ways.3",
				"bonus 1.00 win 6.00 7.00 bonus.3.TCPB-04E", "envy 0.00 win 100.00 100.00 bonus.10c",
			},
		},
		settlement{
			name: "bonus_after_fold lost", player: "6c 5d 4h", folded: true, stakes: "ante=10 pair-plus=1 bonus=1",
			others: []other{{hand: "As Ks Qs", stakes: "ante=1"}}, change: ruling(rules.BonusAfterFold, rules.Lost),
			want: []string{
				"ante 10.00 lose 0.00 0.00 ways.1", "pair-plus 1.00 lose 0.00 0.00 ways.3", "bonus 1.00 lose 0.00 0.00 ways.3",
			},
		},
		settlement{
			name: "ways.1 the dealer does not play", player: "6c 5d 4h", dealer: "Jd Tc 8s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 win 10.00 20.00 ways.1", "play 10.00 push 0.00 10.00 ways.1", "ante-bonus 0.00 win 10.00 10.00 ways.1",
			},
		},
		settlement{
			name: "ways.1 the higher hand wins: straight flush 5 to 1", player: "6c 5c 4c", dealer: "Qd Tc 8s", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 win 10.00 20.00 ways.1", "play 10.00 win 10.00 20.00 ways.1", "ante-bonus 0.00 win 50.00 50.00 ways.1",
			},
		},
		settlement{
			name: "ways.1 the lower hand loses: three of a kind 4 to 1", player: "6c 6h 6d", dealer: "5c 4c 3c", stakes: "ante=10 play=10",
			want: []string{
				"ante 10.00 lose 0.00 0.00 ways.1", "play 10.00 lose 0.00 0.00 ways.1", "ante-bonus 0.00 win 40.00 40.00 ways.1",
			},
		},
		settlement{
			name: "ways.1 equal hands push", player: "Qh 6d 4c", dealer: "Qd 6s 4h", stakes: "ante=10 play=10",
			want: []string{"ante 10.00 push 0.00 10.00 ways.1", "play 10.00 push 0.00 10.00 ways.1"},
		},
	)
	settleAll(t, "sm-3cp", cases)
}

func TestSettleMBS(t *testing.T) {
	six := func(name, stake, pays, returned string, c change) settlement {
		return settlement{
			name: name, player: "Qh Jh 6d", dealer: "3h 2d As", stakes: "main=" + stake, change: c,
			want: []string{"main " + stake + " win " + pays + " " + returned + " 4.1"},
		}
	}
	royal := func(name, player, want string) settlement {
		return settlement{
			name: name, player: player, dealer: "8h Td Ts", stakes: "royal-pictures=2",
			want: []string{"royal-pictures 2.00 " + want},
		}
	}
	settleAll(t, "mbs-3pictures@2", []settlement{
		{
			name: "4.1 a win on other points 1 to 1", player: "Qd 7c 2d", dealer: "6h 9h 4c", stakes: "main=10 tie=2 royal-pictures=2",
			want: []string{
				"main 10.00 win 10.00 20.00 4.1", "tie 2.00 win 16.00 18.00 3.19", "royal-pictures 2.00 lose 0.00 0.00 1.1.4",
			},
		},
		{
			name: "3.16 the lower hand loses", player: "6h 9h 4c", dealer: "Qd 7c 2d", stakes: "main=10",
			want: []string{"main 10.00 lose 0.00 0.00 3.16"},
		},
		{
			name: "3.16 a lower hand on six loses whole", player: "6h 9h Ac", dealer: "Qd 7c 2d", stakes: "main=10",
			want: []string{"main 10.00 lose 0.00 0.00 3.16"},
		},
		{
			name: "1.1.5 same points and pictures are a stand-off", player: "Qd 7c 2d", dealer: "Jd 5c 4d", stakes: "main=10 tie=2",
			want: []string{"main 10.00 push 0.00 10.00 1.1.5", "tie 2.00 win 16.00 18.00 3.19"},
		},
		{
			name: "1.1.6 other points lose the Tie", player: "Qd 7c 2d", dealer: "Jd 5c 3d", stakes: "main=10 tie=2",
			want: []string{"main 10.00 win 10.00 20.00 4.1", "tie 2.00 lose 0.00 0.00 1.1.6"},
		},
		six("4.1 six points 1 to 2 on an even sum", "10.00", "5.00", "15.00", nil),
		six("4.1 six points on an odd cent, to the player", "1.25", "0.63", "1.88", nil),
		six("six_pays_half_rounding house", "1.25", "0.62", "1.87", rounding(money.Minor, money.House)),
		six("six_pays_half_rounding chip 0.50, to the player", "1.25", "1.00", "2.25", rounding(50, money.Player)),
		six("six_pays_half_rounding chip 0.50, to the house", "1.25", "0.50", "1.75", rounding(50, money.House)),
		six("six_pays_half_rounding chip 0.50 leaves an even sum", "5.00", "2.50", "7.50", rounding(50, money.House)),
		six("six_pays_half_rounding a cent, to the player", "0.01", "0.01", "0.02", nil),
		six("six_pays_half_rounding a cent, to the house", "0.01", "0.00", "0.01", rounding(0, money.House)),
		{
			name: "4.1 Three Pictures is no six", player: "Kh Jh Qd", dealer: "Qh Jd 9s", stakes: "main=10",
			want: []string{"main 10.00 win 10.00 20.00 4.1"},
		},
		{
			name: "tie_point_total zero", player: "Kh Jh Qd", dealer: "4h 7h 9c", stakes: "main=10 tie=2",
			want: []string{"main 10.00 win 10.00 20.00 4.1", "tie 2.00 win 16.00 18.00 3.19"},
		},
		{
			name: "tie_point_total apart", player: "Kh Jh Qd", dealer: "4h 7h 9c", stakes: "main=10 tie=2",
			change: ruling(rules.TiePointTotal, rules.PicturesApart),
			want:   []string{"main 10.00 win 10.00 20.00 4.1", "tie 2.00 lose 0.00 0.00 1.1.6"},
		},
		{
			name: "tie_point_total apart, the dealer's pictures", player: "4h 7h 9c", dealer: "Kh Jh Qd", stakes: "main=10 tie=2",
			change: ruling(rules.TiePointTotal, rules.PicturesApart),
			want:   []string{"main 10.00 lose 0.00 0.00 3.16", "tie 2.00 lose 0.00 0.00 1.1.6"},
		},
		{
			name: "tie_point_total apart, pictures on both sides", player: "Kc Jc Qc", dealer: "Kh Jh Qd", stakes: "main=10 tie=2",
			change: ruling(rules.TiePointTotal, rules.PicturesApart),
			want:   []string{"main 10.00 push 0.00 10.00 1.1.5", "tie 2.00 win 16.00 18.00 3.19"},
		},
		{
			name: "tie_point_total apart leaves other ties", player: "Qd 7c 2d", dealer: "6h 9h 4c", stakes: "tie=2",
			change: ruling(rules.TiePointTotal, rules.PicturesApart),
			want:   []string{"tie 2.00 win 16.00 18.00 3.19"},
		},
		royal("4.2 Three Kings 188 to 1", "Kh Kd Kc", "win 376.00 378.00 4.2"),
		royal("4.2 Three Queens 128 to 1", "Qh Qd Qc", "win 256.00 258.00 4.2"),
		royal("4.2 Three Jacks 88 to 1", "Jh Jd Jc", "win 176.00 178.00 4.2"),
		royal("4.2 Three Pictures 18 to 1", "Jh Jd Kc", "win 36.00 38.00 4.2"),
		royal("4.2 a pair of Kings is a Picture Pair", "Kh Kd 5c", "win 16.00 18.00 4.2"),
		royal("4.2 a pair of Jacks 8 to 1", "Jh Jd 5c", "win 16.00 18.00 4.2"),
		royal("1.1.4.2.1 a King and two tens", "Kh Tc Th", "win 2.00 4.00 4.2"),
		royal("1.1.4.2.2 a King, a Queen and another", "Kh Qc 4h", "win 2.00 4.00 4.2"),
		royal("1.1.4.2.3 a King, a Jack and another", "Kh Jc 4h", "win 2.00 4.00 4.2"),
		royal("1.1.4 a Queen, a Jack and another", "Qh Jc 4h", "lose 0.00 0.00 1.1.4"),
		royal("1.1.4 a Queen alone", "Qh 5c 4h", "lose 0.00 0.00 1.1.4"),
		royal("1.1.4 a pair of tens is no picture pair", "Th Tc 4h", "lose 0.00 0.00 1.1.4"),
		{
			name: "5.11 below the maximum", player: "Qd 7c 2d", dealer: "6h 9h 3c", stakes: "main=99", change: maximum(rules.Main, 100*money.Major),
			want: []string{"main 99.00 win 99.00 198.00 4.1"},
		},
		{
			name: "5.11 at the maximum", player: "Qd 7c 2d", dealer: "6h 9h 3c", stakes: "main=100", change: maximum(rules.Main, 100*money.Major),
			want: []string{"main 100.00 win 100.00 200.00 4.1"},
		},
		{
			name: "5.11 above the maximum, won", player: "Qd 7c 2d", dealer: "6h 9h 3c", stakes: "main=101", change: maximum(rules.Main, 100*money.Major),
			want: []string{"main 101.00 win 100.00 201.00 5.11"},
		},
		{
			name: "5.11 above the maximum, lost", player: "6h 9h 3c", dealer: "Qd 7c 2d", stakes: "main=101", change: maximum(rules.Main, 100*money.Major),
			want: []string{"main 101.00 lose 0.00 1.00 5.11"},
		},
		{
			name: "5.11 above the maximum, won on six", player: "Qh Jh 6d", dealer: "3h 2d As", stakes: "main=130", change: maximum(rules.Main, 100*money.Major),
			want: []string{"main 130.00 win 50.00 180.00 5.11"},
		},
		{
			name: "5.11 a Tie above its maximum", player: "Qd 7c 2d", dealer: "6h 9h 4c", stakes: "tie=12", change: maximum(rules.Tie, 10*money.Major),
			want: []string{"tie 12.00 win 80.00 92.00 5.11"},
		},
	})
}

// What the French text says of the Bonus and of hands that nobody claims, with the values
// that a house may choose (docs/rulings.md).
func TestSettleFR(t *testing.T) {
	both, even := ruling(rules.AnteBesideBonus, rules.Yes), ruling(rules.AnteBesideBonus, rules.No)
	settleAll(t, "fr-p3c", []settlement{
		{
			name: "37 47 three of a kind: Ante and Bonus at 4", player: "7h 7d 7c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 bonus=5", change: both,
			want: []string{"ante 10.00 win 40.00 50.00 37", "play 10.00 win 10.00 20.00 39", "bonus 5.00 win 20.00 25.00 47"},
		},
		{
			name: "36 47 beside a Bonus that is paid, the Ante is even", player: "7h 7d 7c", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 bonus=5", change: even,
			want: []string{"ante 10.00 win 10.00 20.00 36", "play 10.00 win 10.00 20.00 39", "bonus 5.00 win 20.00 25.00 47"},
		},
		{
			name: "38 without a Bonus the straight flush is paid 5", player: "9h 8h 7h", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 pair-plus=5", change: even,
			want: []string{"ante 10.00 win 50.00 60.00 38", "play 10.00 win 10.00 20.00 39", "pair-plus 5.00 win 200.00 205.00 55"},
		},
		{
			name: "36 43 a flush is even, and no straight", player: "Kh 8h 7h", dealer: "Kd 9c 2s", stakes: "ante=10 play=10 bonus=5", change: even,
			want: []string{"ante 10.00 win 10.00 20.00 36", "play 10.00 win 10.00 20.00 39", "bonus 5.00 lose 0.00 0.00 43"},
		},
		{
			name: "30 43 not qualified: Ante even, Bonus paid", player: "7h 7d 7c", dealer: "Jd 9c 2s", stakes: "ante=10 play=10 bonus=5", change: both,
			want: []string{"ante 10.00 win 10.00 20.00 30", "play 10.00 push 0.00 10.00 30", "bonus 5.00 win 20.00 25.00 47"},
		},
		{
			name: "44 a beaten straight is paid the Bonus", player: "4h 3d 2c", dealer: "Kd Qc Js", stakes: "ante=10 play=10 bonus=5", change: both,
			want: []string{"ante 10.00 lose 0.00 0.00 32", "play 10.00 lose 0.00 0.00 32", "bonus 5.00 win 5.00 10.00 46"},
		},
		{
			name: "49 57 a hand that is not claimed loses what depends on it", player: "7h 7d 7c", dealer: "Jd 9c 2s", stakes: "ante=10 play=10 pair-plus=5 bonus=5",
			unrevealed: true, change: ruling(rules.UnrevealedHand, rules.Lost),
			want: []string{
				"ante 10.00 win 10.00 20.00 30", "play 10.00 push 0.00 10.00 30",
				"pair-plus 5.00 lose 0.00 0.00 57", "bonus 5.00 lose 0.00 0.00 49",
			},
		},
		{
			name: "49 57 or has it back", player: "7h 7d 7c", dealer: "Jd 9c 2s", stakes: "ante=10 play=10 pair-plus=5 bonus=5",
			unrevealed: true, change: ruling(rules.UnrevealedHand, rules.Returned),
			want: []string{
				"ante 10.00 win 10.00 20.00 30", "play 10.00 push 0.00 10.00 30",
				"pair-plus 5.00 returned 0.00 5.00 57", "bonus 5.00 returned 0.00 5.00 49",
			},
		},
	})
	// Nothing rides on a hand that nobody has seen: no Ante Bonus is paid for it.
	settleAll(t, "rws-3cp", []settlement{{
		name: "4.5 a hand that is not shown has no Ante Bonus", player: "9h 8h 7h", dealer: "Jd 9c 2s", stakes: "ante=10 play=10", unrevealed: true,
		want: []string{"ante 10.00 win 10.00 20.00 3.13", "play 10.00 push 0.00 10.00 3.13"},
	}})
}

func TestSettleRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, book string
		stakes     rules.Stakes
		change     change
		want       string
	}{
		{"a wager of another book", "rws-3cp", rules.Stakes{rules.Main: 100}, nil, "rws-3cp@3 has no such wager"},
		{"a stake on what rides", "rws-3cp", rules.Stakes{rules.AnteBonus: 100}, nil, "ante-bonus takes no stake"},
		{"a stake on Envy", "rws-3cp", rules.Stakes{rules.Envy: 100}, nil, "envy takes no stake"},
		{"a stake on Envy where there is none", "us-3cp", rules.Stakes{rules.Envy: 100}, nil, "envy takes no stake"},
		{"a stake below zero", "rws-3cp", rules.Stakes{rules.Ante: -100}, nil, "below zero"},
		{"stakes that do not add up", "rws-3cp", rules.Stakes{rules.Ante: math.MaxInt64, rules.Play: 1}, nil, "the stakes together: "},
		{"a payment too large", "sm-3cp", rules.Stakes{rules.Bonus: math.MaxInt64 / 3000}, nil, "bonus: "},
		{"winnings and stake too large together", "rws-3cp", rules.Stakes{rules.Ante: math.MaxInt64/2 + 1}, nil, "ante: "},
		{"winnings and excess too large together", "rws-3cp", rules.Stakes{rules.Ante: math.MaxInt64}, maximum(rules.Ante, 1), "ante: "},
		{"the jackpot without a meter", "rws-3cp", rules.Stakes{rules.Progressive: 500}, nil, "the displayed meter must be given"},
		{
			"a table without a row for the hand", "rws-3cp",
			rules.Stakes{rules.Ante: 500},
			func(_ *testing.T, v *rules.Variant) { v.Pays[rules.Ante] = nil }, "no row for a winning hand",
		},
		{
			"a contest that nothing decides", "us-3cp",
			rules.Stakes{rules.PairPlus: 500},
			func(_ *testing.T, v *rules.Variant) {
				book := *v.Book
				book.Wagers = slices.Clone(book.Wagers)
				book.Rule(rules.PairPlus).Contest = 99
				v.Book = &book
			}, "pair-plus: contest 99 decides nothing",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := standard(t, tt.book)
			if tt.change != nil {
				tt.change(t, v)
			}
			s := rules.Showdown{Player: hand(t, "As Ks Qs"), Dealer: hand(t, "Qh 6d 4s"), Stakes: tt.stakes}
			lines, err := v.Settle(nil, &s)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("settled as %v, %v; want an error with %q", lines, err, tt.want)
			}
		})
	}
}

// TestSettleAppends holds the promise that lines are added to what is there.
func TestSettleAppends(t *testing.T) {
	v := standard(t, "rws-3cp")
	s := rules.Showdown{Player: hand(t, "Qh 6d 4c"), Dealer: hand(t, "Kd 9c 2s"), Stakes: stakes(t, "ante=10 play=10")}
	lines := []rules.Line{{Wager: rules.Tie}}
	lines, err := v.Settle(lines, &s)
	if err != nil || len(lines) != 3 || lines[0].Wager != rules.Tie {
		t.Errorf("got %v, %v", lines, err)
	}
	if net := lines[1].Net() + lines[2].Net(); net != -2000 {
		t.Errorf("net %s, want -20.00", net)
	}
}
