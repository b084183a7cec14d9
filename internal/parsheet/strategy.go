package parsheet

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"trey/card"
	"trey/money"
	"trey/odds"
	"trey/rules"
)

// Strategy is the advice for every hand.
type Strategy struct {
	Head
	strategy *odds.Strategy
	ranking  rules.Ranking
	stakes   string // what it was worked out for, in words
}

// NewStrategy reports on the strategy of a sheet that has Ante and Play.
func NewStrategy(v *rules.Variant, s *odds.Sheet, version string, remarks []string) *Strategy {
	return &Strategy{NewHead(v, version, remarks), s.Wagers[odds.AntePlay].Strategy, v.Book.Ranking, anteAlone}
}

// NewStrategyFor reports on the strategy for stakes on one box beside a number of
// other boxes. Where a stake is on the Progressive, the meter says for which one.
func NewStrategyFor(v *rules.Variant, s *odds.Strategy, stakes map[odds.Bet]money.Amount, others int, meter money.Amount, version string, remarks []string) *Strategy {
	var words []string
	for _, b := range odds.Bets(v) {
		if stakes[b] != 0 {
			words = append(words, b.Name()+" $"+stakes[b].Display())
		}
	}
	text := strings.Join(words, ", ")
	if others > 0 {
		text += " beside " + count(others, "other box", "other boxes")
	}
	if stakes[odds.Progressive] != 0 {
		text += ", with the meter at $" + meter.Display()
	}
	return &Strategy{NewHead(v, version, remarks), s, v.Book.Ranking, text + ","}
}

// For says in words for which stakes, other boxes and meter the strategy holds.
func (s *Strategy) For() string { return strings.TrimSuffix(s.stakes, ",") }

// RankChoice is all hands of one rank: suits make their expectations differ a
// little, for the dealer may hold what they lack.
type RankChoice struct {
	// Strength is the rank, Name it in words, and Example a hand of it. The name of equal
	// hands that differ in more than suits has only what they share, such as "Flush A".
	Strength int
	Name     string
	Example  card.Hand
	// Hands is how many hands have the rank, Plays how many of them are played.
	Hands, Plays int64
	// Low and High are the least and the most that playing one is worth, LowFolded and
	// HighFolded those of folding, in units of the Ante.
	Low, High, LowFolded, HighFolded odds.Fraction

	sum, sumFolded big.Rat
}

// Ranks lists what to do with each rank, the best first.
func (s *Strategy) Ranks() []*RankChoice {
	byStrength := map[int]*RankChoice{}
	for c := range s.strategy.Hands() {
		strength := s.ranking.Strength(c.Hand)
		r := byStrength[strength]
		if r == nil {
			r = &RankChoice{Strength: strength, Name: s.ranking.Describe(c.Hand), Example: c.Hand.Sorted(), Low: c.Played, High: c.Played, LowFolded: c.Folded, HighFolded: c.Folded}
			byStrength[strength] = r
		}
		if r.Hands > 0 && s.ranking.Describe(c.Hand) != r.Name {
			r.Name, _, _ = strings.Cut(r.Name, "-")
		}
		r.Hands++
		if c.Play {
			r.Plays++
		}
		r.sum.Add(&r.sum, c.Played.Rat())
		r.sumFolded.Add(&r.sumFolded, c.Folded.Rat())
		if c.Played.Cmp(r.Low) < 0 {
			r.Low = c.Played
		}
		if c.Played.Cmp(r.High) > 0 {
			r.High = c.Played
		}
		if c.Folded.Cmp(r.LowFolded) < 0 {
			r.LowFolded = c.Folded
		}
		if c.Folded.Cmp(r.HighFolded) > 0 {
			r.HighFolded = c.Folded
		}
	}
	var all []*RankChoice
	for _, r := range byStrength {
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y *RankChoice) int { return cmp.Compare(y.Strength, x.Strength) })
	return all
}

// Mean returns the average value of playing a hand of the rank.
func (r *RankChoice) Mean() odds.Fraction {
	return odds.FractionOf(new(big.Rat).Quo(&r.sum, big.NewRat(r.Hands, 1)))
}

// Folded returns the average value of folding a hand of the rank. Suits make a difference only
// where a side bet is paid after a fold.
func (r *RankChoice) Folded() odds.Fraction {
	return odds.FractionOf(new(big.Rat).Quo(&r.sumFolded, big.NewRat(r.Hands, 1)))
}

// around is the number of ranks on each side of the threshold that the text shows.
const around = 6

// Text prints the rule and the hands around its threshold.
func (s *Strategy) Text() []byte {
	p := &page{}
	s.text(p, "Strategy")
	p.heading("What to do", "in units of the Ante")
	p.strategy(s.strategy, s.stakes)
	ranks := s.Ranks()
	last := slices.IndexFunc(ranks, func(r *RankChoice) bool { return r.Plays < r.Hands })
	if last < 0 {
		last = len(ranks)
	}
	p.heading("Around the threshold", "each rank with all its suits")
	ranks = ranks[max(last-around, 0):min(last+around, len(ranks))]
	fold := "fold"
	if slices.ContainsFunc(ranks, func(r *RankChoice) bool { return !r.LowFolded.Equal(r.HighFolded) }) {
		fold = "fold, mean"
	}
	p.line("%-26s %6s %7s %12s %12s %10s", "", "hands", "", "play, least", "play, most", fold)
	for _, r := range ranks {
		do := "fold"
		switch r.Plays {
		case r.Hands:
			do = "play"
		case 0:
		default:
			do = fmt.Sprintf("%d play", r.Plays)
		}
		p.line("%-26s %6d %7s %12s %12s %10s", r.Name, r.Hands, do, signed(r.Low, 6), signed(r.High, 6), signed(r.Folded(), 4))
	}
	p.WriteByte('\n')
	p.wrap(0, "`--format csv` lists all 22,100 hands, `--format csv --by rank` the ranks. Rulings: "+s.rulingsLine())
	return p.Bytes()
}

// CSV writes every hand, or every rank, a line each, the best first.
func (s *Strategy) CSV(byRank bool) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	var records [][]string
	fraction := func(f odds.Fraction) []string {
		r := f.Rat()
		return []string{r.Num().String(), r.Denom().String(), f.Decimal(10)}
	}
	if byRank {
		records = append(records, []string{"strength", "describes", "example", "hands", "played_hands", "play_mean", "play_least", "play_most", "fold_mean", "fold_least", "fold_most"})
		for _, r := range s.Ranks() {
			records = append(records, []string{
				fmt.Sprint(r.Strength), r.Name, r.Example.String(), fmt.Sprint(r.Hands), fmt.Sprint(r.Plays),
				r.Mean().Decimal(10), r.Low.Decimal(10), r.High.Decimal(10),
				r.Folded().Decimal(10), r.LowFolded.Decimal(10), r.HighFolded.Decimal(10),
			})
		}
		err := w.WriteAll(records)
		return b.Bytes(), err
	}
	type row struct {
		strength int
		record   []string
	}
	var rows []row
	for c := range s.strategy.Hands() {
		do := "fold"
		if c.Play {
			do = "play"
		}
		strength := s.ranking.Strength(c.Hand)
		record := []string{c.Hand.Sorted().String(), s.ranking.Describe(c.Hand), fmt.Sprint(strength), do}
		record = append(record, fraction(c.Played)...)
		record = append(record, c.Folded.Decimal(10), c.Mistake().Decimal(10))
		rows = append(rows, row{strength, record})
	}
	slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(y.strength, x.strength) })
	records = append(records, []string{"hand", "describes", "strength", "decision", "play_num", "play_den", "play", "fold", "mistake"})
	for _, r := range rows {
		records = append(records, r.record)
	}
	err := w.WriteAll(records)
	return b.Bytes(), err
}

// Seen is the value of knowing cards.
type Seen struct {
	Head
	*odds.Knowledge
}

// NewSeen reports on the worth of knowledge.
func NewSeen(v *rules.Variant, k *odds.Knowledge, version string, remarks []string) *Seen {
	return &Seen{NewHead(v, version, remarks), k}
}

// Text prints the worth of knowledge for people, in at most 80 columns.
func (s *Seen) Text() []byte {
	p := &page{}
	s.text(p, "Cards seen")
	p.heading("What knowing more is worth", "of the Ante")
	p.line("%-32s %14s %14s %14s", "", "house edge", "gain", "hands played")
	names := []string{"Nothing but the own hand", "One card of the dealer", "Two cards of the dealer", "The dealer's whole hand"}
	show := func(name string, w odds.Worth) {
		p.line("%-32s %14s %14s %14s", name, percent(w.HouseEdge, 4), percent(w.Gain, 4), percent(w.Played, 2))
	}
	show(names[0], s.Dealer[0])
	show("One hand of another box", s.OtherHand)
	for i, w := range s.Dealer[1:] {
		show(names[i+1], w)
	}
	p.heading("One card of the dealer is shown", "best play by the strength of the hand")
	p.line("%-8s %-22s %14s %12s %18s", "card", "play", "house edge", "gain", "the rule costs")
	for i := len(s.Shown) - 1; i >= 0; i-- {
		c := &s.Shown[i]
		cost := "nothing, optimal"
		if !c.Exact {
			cost = percent(c.Cost, 6)
		}
		p.line("%-8s %-22s %14s %12s %18s", c.Rank, c.Rule, percent(c.Worth.HouseEdge, 4), percent(c.Worth.Gain, 4), cost)
	}
	p.WriteByte('\n')
	p.wrap(0, "The gain is over a player who sees the same cards and does not look. All of it is exact. Rulings: "+s.rulingsLine())
	return p.Bytes()
}
