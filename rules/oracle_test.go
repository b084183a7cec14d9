package rules_test

import (
	"fmt"
	"slices"
	"testing"

	"trey/card"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
)

// This file settles a second time, slowly, from the words of the rule books and
// with an evaluation of its own, and compares over every dealer hand there is.
// It uses nothing of the packages under rank, nor any declaration.

// outcome is the result of one wager.
type outcome struct {
	result         string
	pays, returned money.Amount
}

// pokerHand is a hand as a dealer reads it: a kind (6 straight flush, 5 three of
// a kind, 4 straight, 3 flush, 2 pair, 1 odd cards) and the cards' values in the
// order in which they decide.
type pokerHand struct {
	kind   int
	values []int
	royal  bool // ace, king and queen of one suit
	spades bool
}

func readPoker(h card.Hand) pokerHand {
	values := []int{int(h[0].Rank()), int(h[1].Rank()), int(h[2].Rank())}
	slices.Sort(values)
	slices.Reverse(values)
	suited := h[0].Suit() == h[1].Suit() && h[1].Suit() == h[2].Suit()
	if values[0] == 14 && values[1] == 3 && values[2] == 2 {
		values = []int{3, 2, 1}
	}
	run := values[0] == values[1]+1 && values[1] == values[2]+1
	switch {
	case run && suited:
		return pokerHand{kind: 6, values: values, royal: values[0] == 14, spades: h[0].Suit() == card.Spades}
	case values[0] == values[2]:
		return pokerHand{kind: 5, values: values}
	case run:
		return pokerHand{kind: 4, values: values}
	case suited:
		return pokerHand{kind: 3, values: values}
	case values[0] == values[1]:
		return pokerHand{kind: 2, values: values}
	case values[1] == values[2]:
		return pokerHand{kind: 2, values: []int{values[1], values[1], values[0]}}
	}
	return pokerHand{kind: 1, values: values}
}

func (p pokerHand) beats(q pokerHand) bool {
	if p.kind != q.kind {
		return p.kind > q.kind
	}
	return slices.Compare(p.values, q.values) > 0
}

func (p pokerHand) hasQueenOrBetter() bool { return p.kind > 1 || p.values[0] >= 12 }

// pokerPays holds the pays that the three poker texts print, by kind of hand; 0 is no
// pay.
type pokerPays struct {
	pairPlus, anteBonus map[int]money.Amount
}

var pokerTexts = map[string]pokerPays{
	"rws-3cp": {
		pairPlus:  map[int]money.Amount{6: 40, 5: 30, 4: 5, 3: 4, 2: 1},
		anteBonus: map[int]money.Amount{6: 5, 5: 4, 4: 1},
	},
	"us-3cp": {
		pairPlus:  map[int]money.Amount{6: 40, 5: 30, 4: 5, 3: 3, 2: 1},
		anteBonus: map[int]money.Amount{6: 4, 5: 3, 4: 1},
	},
	"sm-3cp": {
		pairPlus:  map[int]money.Amount{6: 40, 5: 30, 4: 6, 3: 4, 2: 1},
		anteBonus: map[int]money.Amount{6: 5, 5: 4, 4: 1},
	},
}

const (
	anteStake   = 1000
	pairStake   = 700
	jackpotBet  = 500
	bonusStake  = 300
	meterOfTest = 1_234_567
)

func wonAt(stake, times money.Amount) outcome {
	return outcome{"win", stake * times, stake + stake*times}
}

// judgePoker returns the result by the text for a box that played on.
func judgePoker(book string, player, dealer pokerHand) map[string]outcome {
	lost, pushed := outcome{"lose", 0, 0}, outcome{"push", 0, anteStake}
	got := map[string]outcome{}
	switch {
	case !dealer.hasQueenOrBetter():
		got["ante"], got["play"] = wonAt(anteStake, 1), pushed
	case player.beats(dealer):
		got["ante"], got["play"] = wonAt(anteStake, 1), wonAt(anteStake, 1)
	case dealer.beats(player):
		got["ante"], got["play"] = lost, lost
	default:
		got["ante"], got["play"] = pushed, pushed
	}
	pays := pokerTexts[book]
	if times := pays.anteBonus[player.kind]; times > 0 {
		got["ante-bonus"] = outcome{"win", anteStake * times, anteStake * times}
	}
	got["pair-plus"] = lost
	if times := pays.pairPlus[player.kind]; times > 0 {
		got["pair-plus"] = wonAt(pairStake, times)
	}
	switch book {
	case "rws-3cp":
		sum := money.Amount(0)
		switch {
		case player.royal && player.spades:
			sum = meterOfTest
		case player.royal:
			sum = 125_000
		case player.kind == 6:
			sum = 17_500
		case player.kind == 5:
			sum = 15_000
		case player.kind == 4:
			sum = 1_500
		}
		got["progressive"] = lost
		if sum > 0 {
			got["progressive"] = outcome{"win", sum, sum}
		}
	case "sm-3cp": // TCPB-03E
		times := money.Amount(0)
		switch {
		case player.royal && player.spades:
			times = 4000
		case player.royal:
			times = 1000
		case player.kind == 6:
			times = 100
		case player.kind == 5:
			times = 75
		}
		got["bonus"] = lost
		if times > 0 {
			got["bonus"] = wonAt(bonusStake, times)
		}
	}
	return got
}

// pictureHand is a hand of Royal Three Pictures as a dealer reads it.
type pictureHand struct {
	points, pictures     int
	jacks, queens, kings int
}

func readPictures(h card.Hand) pictureHand {
	var p pictureHand
	for _, c := range h {
		switch c.Rank() {
		case card.Jack:
			p.jacks++
		case card.Queen:
			p.queens++
		case card.King:
			p.kings++
		case card.Ace:
			p.points++
		case card.Ten:
		default:
			p.points += int(c.Rank())
		}
	}
	p.pictures = p.jacks + p.queens + p.kings
	p.points %= 10
	return p
}

func (p pictureHand) beats(q pictureHand) bool {
	switch {
	case p.pictures == 3 || q.pictures == 3:
		return p.pictures == 3 && q.pictures != 3
	case p.points != q.points:
		return p.points > q.points
	}
	return p.pictures > q.pictures
}

func judgePictures(player, dealer pictureHand) map[string]outcome {
	const mainStake, tieStake, royalStake = 1001, 200, 300
	lost := outcome{"lose", 0, 0}
	got := map[string]outcome{"main": {"push", 0, mainStake}, "tie": lost, "royal-pictures": lost}
	switch {
	case player.beats(dealer) && player.points == 6:
		got["main"] = outcome{"win", 501, mainStake + 501} // half of 10.01, the half cent to the player
	case player.beats(dealer):
		got["main"] = wonAt(mainStake, 1)
	case dealer.beats(player):
		got["main"] = lost
	}
	if player.points == dealer.points {
		got["tie"] = wonAt(tieStake, 8)
	}
	times := money.Amount(0)
	switch {
	case player.kings == 3:
		times = 188
	case player.queens == 3:
		times = 128
	case player.jacks == 3:
		times = 88
	case player.pictures == 3:
		times = 18
	case player.kings == 2 || player.queens == 2 || player.jacks == 2:
		times = 8
	case player.kings == 1:
		times = 1
	}
	if times > 0 {
		got["royal-pictures"] = wonAt(royalStake, times)
	}
	return got
}

// The spreads are choices of player hands: the ends of every kind, the thresholds of
// the decision and the qualification, and every Royal Pictures combination.
var (
	pokerSpread = []string{
		"5c 3d 2h", "Jc Td 8h", "Qc 3d 2h", "Qc 6d 3h", "Qc 6d 4h", "Kc Ah 2d", "2c 2d 3h", "Ac Ad Kh", "5s 3s 2s",
		"As Ks Js", "3c 2h Ad", "Ac Kd Qh", "2c 2d 2h", "Ac Ad Ah", "3d 2d Ad", "Kc Qc Jc", "Ah Kh Qh", "As Ks Qs",
	}
	pictureSpread = []string{
		"Kc Kd Kh", "Qc Qd Qh", "Jc Jd Jh", "Kc Qd Jh", "Kc Kd 9h", "Qc Jd 9h", "Kc Qd 6h", "Kc Jd Th", "Kc 4d 2h",
		"4c Ad As", "6c 9d Ah", "Tc Td Th", "9c 9d 9h", "Jc 5d Ah", "Qc Jd 6h", "Ac 4d 4h", "Qc Td Th",
	}
)

func TestSettleOverEveryDealerHand(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"} {
		t.Run(book, func(t *testing.T) {
			v := standard(t, book)
			down := rules.Showdown{Meter: meterOfTest}
			switch book {
			case "mbs-3pictures":
				down.Stakes = rules.Stakes{rules.Main: 1001, rules.Tie: 200, rules.RoyalPictures: 300}
			case "rws-3cp":
				down.Stakes = rules.Stakes{rules.Ante: anteStake, rules.Play: anteStake, rules.PairPlus: pairStake, rules.Progressive: jackpotBet}
			case "sm-3cp":
				down.Stakes = rules.Stakes{rules.Ante: anteStake, rules.Play: anteStake, rules.PairPlus: pairStake, rules.Bonus: bonusStake}
			default:
				down.Stakes = rules.Stakes{rules.Ante: anteStake, rules.Play: anteStake, rules.PairPlus: pairStake}
			}
			spread := pokerSpread
			if book == "mbs-3pictures" {
				spread = pictureSpread
			}
			var lines []rules.Line
			for _, text := range spread {
				down.Player = hand(t, text)
				dealers := 0
				for dealer := range card.Hands() {
					if !disjoint(down.Player, dealer) {
						continue
					}
					if dealers++; !steady.Turn(dealers, 3) {
						continue
					}
					down.Dealer = dealer
					var want map[string]outcome
					if book == "mbs-3pictures" {
						want = judgePictures(readPictures(down.Player), readPictures(dealer))
					} else {
						want = judgePoker(book, readPoker(down.Player), readPoker(dealer))
					}
					var err error
					if lines, err = v.Settle(lines[:0], &down); err != nil {
						t.Fatal(err)
					}
					if err := same(lines, want); err != nil {
						t.Fatalf("%v against %v: %v", down.Player, dealer, err)
					}
				}
				if dealers != 18_424 {
					t.Fatalf("%v met %d dealer hands, want C(49,3) = 18,424", down.Player, dealers)
				}
			}
		})
	}
}

func disjoint(a, b card.Hand) bool {
	for _, c := range a {
		if slices.Contains(b[:], c) {
			return false
		}
	}
	return true
}

func same(lines []rules.Line, want map[string]outcome) error {
	if len(lines) != len(want) {
		return fmt.Errorf("%d lines, want %d: %v", len(lines), len(want), lines)
	}
	for _, l := range lines {
		if got := (outcome{l.Result.String(), l.Pays, l.Returned}); got != want[l.Wager.String()] {
			return fmt.Errorf("%s is %v, want %v", l.Wager, got, want[l.Wager.String()])
		}
	}
	return nil
}

// TestDealerQualifies counts over the deck, and finds the least qualifying hand.
func TestDealerQualifies(t *testing.T) {
	for _, book := range []string{"rws-3cp", "us-3cp", "sm-3cp"} {
		b := standard(t, book).Book
		qualify := 0
		for h := range card.Hands() {
			got := b.Qualifies(h)
			if got != readPoker(h).hasQueenOrBetter() {
				t.Fatalf("%s: %v qualifies: %t", book, h, got)
			}
			if got {
				qualify++
			}
		}
		if qualify != 15_380 {
			t.Errorf("%s: the dealer qualifies with %d hands, want 15,380", book, qualify)
		}
	}
}
