package rules_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// percent rounds a fraction to the two decimals of a printed figure.
func percent(r *big.Rat) string {
	return new(big.Rat).Mul(r, big.NewRat(100, 1)).FloatString(2)
}

// edgeOnHand settles a wager that looks at the player's hand alone over all
// 22,100 hands, and returns the house's exact part of each unit staked and how
// many hands win.
func edgeOnHand(t *testing.T, v *rules.Variant, w rules.Wager, stake money.Amount) (edge *big.Rat, wins int) {
	t.Helper()
	var net money.Amount
	down := rules.Showdown{Dealer: hand(t, "Qh 6d 4c"), Meter: 1}
	down.Stakes[w] = stake
	var lines []rules.Line
	for h := range card.Hands() {
		down.Player = h
		var err error
		if lines, err = v.Settle(lines[:0], &down); err != nil {
			t.Fatal(err)
		}
		if len(lines) != 1 {
			t.Fatalf("%v: %d lines", h, len(lines))
		}
		net += lines[0].Net()
		if lines[0].Result == rules.Win {
			wins++
		}
	}
	return big.NewRat(int64(-net), 22_100*int64(stake)), wins
}

func TestPublishedPairPlusEdges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(v *rules.Variant) error
		exact  *big.Rat
		want   string
	}{
		{"40-30-6-4-1", func(v *rules.Variant) error {
			return v.OverridePays(rules.PairPlus, []int64{40, 30, 6, 4, 1})
		}, big.NewRat(512, 22_100), "2.32"},
		{"40-30-6-3-1", func(v *rules.Variant) error {
			return v.OverridePays(rules.PairPlus, []int64{40, 30, 6, 3, 1})
		}, big.NewRat(1608, 22_100), "7.28"},
		{"50 on AKQ suited, else 40-30-6-3-1", func(v *rules.Variant) error {
			if err := v.OverridePays(rules.PairPlus, []int64{40, 30, 6, 3, 1}); err != nil {
				return err
			}
			royal := rules.PayRow{Combo: rules.AKQSuited, Pay: rules.ToOne(50), Clause: "4.2"}
			v.Pays[rules.PairPlus] = &rules.PayTable{Rows: append([]rules.PayRow{royal}, v.Pays[rules.PairPlus].Rows...)}
			return nil
		}, big.NewRat(1568, 22_100), "7.10"},
		// Not published with the texts, but they follow from their tables.
		{"rws-3cp@3 4.2 as printed", func(*rules.Variant) error { return nil }, big.NewRat(1232, 22_100), "5.57"},
	} {
		v := standard(t, "rws-3cp")
		if err := tt.change(v); err != nil {
			t.Fatal(err)
		}
		edge, wins := edgeOnHand(t, v, rules.PairPlus, money.Major)
		if edge.Cmp(tt.exact) != 0 || percent(edge) != tt.want || wins != 5660 {
			t.Errorf("%s: house edge %s (%s %%), %d winning hands; want %s (%s %%), 5,660", tt.name, edge, percent(edge), wins, tt.exact, tt.want)
		}
	}
}

func TestPublishedBonusTables(t *testing.T) {
	for _, tt := range []struct {
		table      string
		exact      *big.Rat
		house, hit string
	}{
		{"TCPB-01", big.NewRat(4300, 22_100), "19.46", "0.45"},
		{"TCPB-02", big.NewRat(4520, 22_100), "20.45", "3.71"},
		{"TCPB-03E", big.NewRat(4330, 22_100), "19.59", "0.45"},
		{"TCPB-04E", big.NewRat(4310, 22_100), "19.50", "3.71"},
	} {
		v := standard(t, "sm-3cp")
		if err := v.UsePayTable(rules.Bonus, tt.table); err != nil {
			t.Fatal(err)
		}
		edge, wins := edgeOnHand(t, v, rules.Bonus, money.Major)
		// Each of six other players' hands is any of the 22,100 alike, so the six
		// bring six times what one brings.
		one := envyFromOther(t, v)
		edge.Sub(edge, one.Mul(one, big.NewRat(6, 1)))
		hit := big.NewRat(int64(wins), 22_100)
		if edge.Cmp(tt.exact) != 0 || percent(edge) != tt.house || percent(hit) != tt.hit {
			t.Errorf("%s: house advantage %s (%s %%), hit frequency %s %%; want %s (%s %%), %s %%",
				tt.table, edge, percent(edge), percent(hit), tt.exact, tt.house, tt.hit)
		}
	}
}

// envyFromOther is the average that one other player's hand brings a one-dollar bonus
// bet, in dollars.
func envyFromOther(t *testing.T, v *rules.Variant) *big.Rat {
	t.Helper()
	var sum money.Amount
	down := rules.Showdown{
		Player: hand(t, "9h 6d 4c"), Dealer: hand(t, "Qh 6d 4s"), Stakes: rules.Stakes{rules.Bonus: money.Major},
		Others: make([]rules.Other, 1),
	}
	for h := range card.Hands() {
		down.Others[0] = rules.Other{Is: v.Book.Ranking.Combos(h)}
		lines, err := v.Settle(nil, &down)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if l.Wager == rules.Envy {
				sum += l.Returned
			}
		}
	}
	return big.NewRat(int64(sum), 22_100*int64(money.Major))
}

func TestWaysOfEachRow(t *testing.T) {
	for _, tt := range []struct {
		book  string
		wager rules.Wager
		table string
		want  []int
	}{
		{"rws-3cp", rules.Ante, "", []int{22_100}},
		{"rws-3cp", rules.Play, "", []int{22_100}},
		{"rws-3cp", rules.PairPlus, "", []int{48, 52, 720, 1096, 3744}},
		{"us-3cp", rules.PairPlus, "", []int{48, 52, 720, 1096, 3744}},
		{"sm-3cp", rules.PairPlus, "", []int{48, 52, 720, 1096, 3744}},
		{"rws-3cp", rules.AnteBonus, "", []int{48, 52, 720}},
		{"us-3cp", rules.AnteBonus, "", []int{48, 52, 720}},
		{"sm-3cp", rules.AnteBonus, "", []int{48, 52, 720}},
		{"rws-3cp", rules.Progressive, "", []int{1, 3, 44, 52, 720}},
		{"sm-3cp", rules.Bonus, "TCPB-01", []int{1, 3, 44, 52}},
		{"sm-3cp", rules.Bonus, "TCPB-02", []int{1, 3, 44, 52, 720}},
		{"sm-3cp", rules.Bonus, "TCPB-03E", []int{1, 3, 44, 52}},
		{"sm-3cp", rules.Bonus, "TCPB-04E", []int{1, 3, 44, 52, 720}},
		// A row after the six-point one pays for whatever is left.
		{"mbs-3pictures", rules.Main, "", []int{sixes(), 22_100 - sixes()}},
		{"mbs-3pictures", rules.Tie, "", []int{22_100}},
		// Three of one rank 4 ways each; the 220 sets of three pictures less 12;
		// 3 ranks x 6 pairs x 40; one King with 40 x 39 / 2 pairs of others, or
		// with 8 Queens and Jacks x 40.
		{"mbs-3pictures", rules.RoyalPictures, "", []int{4, 4, 4, 220 - 12, 3 * 6 * 40, 4*780 + 4*8*40}},
	} {
		v := standard(t, tt.book)
		if tt.table != "" {
			if err := v.UsePayTable(tt.wager, tt.table); err != nil {
				t.Fatal(err)
			}
		}
		if got := v.Pays[tt.wager].Ways(v.Book.Ranking); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s %s: ways %v, want %v", tt.book, tt.wager, tt.table, got, tt.want)
		}
	}
}

// sixes counts the hands of six points, Three Pictures having none.
func sixes() int {
	n := 0
	for h := range card.Hands() {
		if p := readPictures(h); p.points == 6 {
			n++
		}
	}
	return n
}

func TestFixedReturn(t *testing.T) {
	v := standard(t, "rws-3cp")
	got := v.Pays[rules.Progressive].FixedReturn(v.Book.Ranking)
	if want := big.NewRat(3_005_000, 22_100); got.Cmp(want) != 0 {
		t.Fatalf("the fixed pays return %s cents a bet, want %s", got, want)
	}
	if dollars := got.Quo(got, big.NewRat(100, 1)).FloatString(4); dollars != "1.3597" {
		t.Errorf("the fixed pays return $%s a bet, want $1.3597", dollars)
	}
}

// TestJackpotBet holds the threshold between $1.35 and $1.36, and what is said
// of a $1 bet.
func TestJackpotBet(t *testing.T) {
	for _, tt := range []struct {
		bet   money.Amount
		stake rules.Choice
		want  string
	}{
		{100, rules.KeptByHouse, "progressive.bet: a bet of $1.00 favours the player at an empty meter, because the fixed pays alone return $1.3597 for each bet (rws-3cp@3 4.4); prescribe a larger bet"},
		{135, rules.KeptByHouse, "$1.3597"},
		{136, rules.KeptByHouse, ""},
		// With the stake returned, 820 bets in 22,100 come back besides:
		// 1.3597 + 1.41 x 820 / 22,100 = 1.4120.
		{141, rules.Returned, "because the fixed pays and the stakes that come back alone return $1.4120"},
		{142, rules.Returned, ""},
		{0, rules.KeptByHouse, "progressive.bet: $0.00 is outside"},
		{-500, rules.KeptByHouse, "progressive.bet: $-5.00 is outside"},
	} {
		v := standard(t, "rws-3cp")
		v.Jackpot.Bet = tt.bet
		v.Limits[rules.Progressive] = rules.Limit{Min: tt.bet, Max: tt.bet}
		v.Choices[rules.JackpotStake] = tt.stake
		err := v.Check()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("a bet of %s, stake %s: %v", tt.bet, tt.stake, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("a bet of %s, stake %s: %v; want %q", tt.bet, tt.stake, err, tt.want)
		}
	}
}
