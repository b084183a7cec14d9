package odds_test

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

// The figures printed in docs/mathematics.md are those that are computed.
func TestDocumentHasWhatIsComputed(t *testing.T) {
	if !odds.Whole {
		t.Skip("the same figures as without the race detector, at ten times the cost")
	}
	text, err := os.ReadFile("../docs/mathematics.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	says := func(what, figure string) {
		t.Helper()
		if !strings.Contains(page, figure) {
			t.Errorf("%s: docs/mathematics.md does not say %s", what, figure)
		}
	}
	for _, b := range books.All() {
		book := b.ID
		s := sheet(t, variant(t, book, nil), odds.Options{})
		for _, bet := range s.Order {
			if bet == odds.Progressive {
				continue
			}
			a := s.Wagers[bet]
			what := book + " " + bet.String()
			says(what, a.HouseEdge.Percent(4)+" %")
			if bet == odds.Bonus {
				continue // the page has it for six others
			}
			says(what, a.HouseEdge.String())
			says(what, string(a.StdDev))
			if a.Strategy != nil {
				says(what, a.ElementOfRisk.Percent(4)+" %")
				for _, rule := range a.Strategy.Alternatives[:2] {
					says(what, rule.HouseEdge.Percent(4)+" %")
				}
			}
		}
	}
	ante := sheet(t, variant(t, "rws-3cp", nil), odds.Options{}).Wagers[odds.AntePlay]
	for _, out := range ante.Distribution {
		says("distribution", fmt.Sprintf("%s: %s", out.Net.Plain(), grouped(out.Ways)))
	}
	for _, name := range []string{"TCPB-01", "TCPB-02", "TCPB-03E", "TCPB-04E"} {
		a := sheet(t, variant(t, "sm-3cp", use(t, rules.Bonus, name)), odds.Options{Others: 6}).Wagers[odds.Bonus]
		says(name, fmt.Sprintf("| %s | %s %% | %s | %s %% |", name, a.HouseEdge.Percent(4), a.StdDev, a.HitFrequency.Percent(4)))
	}
	for _, folded := range []rules.Choice{rules.Lost, rules.Kept} {
		for _, per := range []rules.Choice{rules.PerHand, rules.PerRound} {
			v := variant(t, "rws-3cp", rule(rules.EnvyWhenFolded, folded))
			v.Choices[rules.EnvyPer] = per
			j := sheet(t, v, odds.Options{Others: 6}).Wagers[odds.Progressive].Jackpot
			even := j.BreakEven.Decimal(2)
			says("envy", fmt.Sprintf("| %s | %s | $%s | $%s,%s | %s %% | %s %% |", folded, per, j.Envy.Decimal(6),
				even[:2], even[2:], j.AtReset.Percent(4), j.LongRun.Percent(4)))
		}
	}
	k, err := odds.Know(variant(t, "rws-3cp", nil), odds.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]odds.Worth{
		"one hand of another box": k.OtherHand, "nothing": k.Dealer[0],
		"one card of the dealer": k.Dealer[1], "two cards": k.Dealer[2], "three cards": k.Dealer[3],
	} {
		says("knowledge", fmt.Sprintf("| %s | %s %% | %s %% |", name, w.HouseEdge.Percent(4), w.Played.Percent(4)))
	}
	royal := variant(t, "mbs-3pictures", nil)
	b, err := odds.AgainstOneDealer(royal, map[odds.Bet]money.Amount{odds.Main: 2 * money.Major}, odds.Options{}, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	quarter := odds.FractionOf(new(big.Rat).Mul(b.Covariance.Rat(), big.NewRat(1, 4))) // of two dollars to units
	says("two boxes", fmt.Sprintf("| Royal Three Pictures, Main | %s | %s |", quarter.Decimal(10), b.Correlation))
	for _, pair := range []odds.Bet{odds.Tie, odds.RoyalPictures} {
		j, err := odds.Together(royal, map[odds.Bet]money.Amount{odds.Main: money.Major, pair: money.Major}, odds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		says("joint", string(j.Correlation[0][1]))
	}
}

// grouped writes a number with commas.
func grouped(n *big.Int) string {
	s := n.String()
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
