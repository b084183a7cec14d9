package drill

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Round is a whole round at a table, from the dealer's hand to the last Envy Bonus, with all
// that its dealer is asked. The engine has dealt it and settled it.
type Round struct {
	Book *rules.Book
	// Table is the table when it is about to be paid: every hand has been turned.
	Table table.State
	// Meter is the displayed jackpot, zero where nobody bets on one.
	Meter money.Amount
	// Tasks lists what is asked, in the order of the book.
	Tasks []Task
}

// Asked names the task that a round asks for.
type Asked uint8

// What tasks ask. The zero value is none of them.
const (
	_ Asked = iota
	// AskedHand asks what the dealer's hand is.
	AskedHand
	// AskedQualified asks whether the dealer's hand qualifies.
	AskedQualified
	// AskedFirst asks which box is paid first.
	AskedFirst
	// AskedLine asks for a line of a box.
	AskedLine
	numAsked
)

var askedKeys = enum.New("what a task asks", numAsked, []string{AskedHand: "hand", AskedQualified: "qualified", AskedFirst: "first", AskedLine: "line"})

// String returns the key, such as "hand".
func (a Asked) String() string { return askedKeys.Key(a) }

// Task is one thing that the dealer of a round is asked.
type Task struct {
	Asks Asked
	// Box is the box of a line.
	Box int
	// Due is the line, nil for any other task.
	Due *Due
	// Options are the answers to choose from, and Answer is the right one.
	Options []string
	Answer  string
	// Clause is the provision by which that is the answer, empty where none is named.
	Clause string
}

// Key returns the name of the task in the form of its round.
func (t *Task) Key() string {
	if t.Due != nil {
		return strconv.Itoa(t.Box) + "." + t.Due.Key()
	}
	return t.Asks.String()
}

// The answers to whether the dealer qualifies.
const (
	Qualified    = "yes"
	NotQualified = "no"
)

// names are those of the players who sit at the table, one at each box that is bet on.
var names = []string{"Ann", "Ben", "Cai", "Dan", "Eve", "Fay"}

// The fewest and the most boxes that are bet on.
const (
	leastBoxes = 3
	mostBoxes  = 5
)

// drawRound plays a round. What was drawn is drawn anew where the book does not take the bets
// as they are, and where two hands share in the jackpot: what is displayed for the second one
// follows from the first, and no form has room for that.
func drawRound(b *rules.Book, r *rand.Rand) *Round {
	for {
		if round := playRound(b, r); round != nil {
			return round
		}
	}
}

// playRound plays a round as it is drawn; nil where it cannot be asked about.
func playRound(b *rules.Book, r *rand.Rand) *Round {
	v := b.Standard()
	state, err := table.New(v, table.Config{Device: b.Devices[r.IntN(len(b.Devices))].Device, Cards: table.Virtual})
	if err != nil {
		panic("drill: " + err.Error()) // the standard rules of a book have a device
	}
	p := &play{state: state}
	p.do(staff, table.OpenBets{})
	boxes := r.Perm(v.Boxes)[:min(leastBoxes+r.IntN(mostBoxes-leastBoxes+1), v.Boxes)]
	slices.Sort(boxes)
	at := map[int]string{}
	for n, i := range boxes {
		at[i+1] = names[n]
		placed := stakes(r, v)
		for j := range v.Book.Wagers {
			rule := &v.Book.Wagers[j]
			if placed[rule.Wager] != 0 && rule.Stake != rules.EqualToBasis {
				p.do(player(names[n]), table.Bet{Box: i + 1, Player: names[n], Wager: rule.Wager, Amount: placed[rule.Wager]})
			}
		}
	}
	p.do(staff, table.CloseBets{})
	p.deal(r, boxes)
	for _, i := range boxes {
		p.decide(r, i+1, at[i+1])
	}
	collected := len(p.state.Lines)
	p.do(staff, table.Reveal{})
	if p.failed || p.state.Phase != table.Showing {
		return nil
	}
	round := &Round{Book: b, Table: p.state}
	if v.Jackpot != nil && p.stakedOn(rules.Progressive) {
		round.Meter = v.Jackpot.Reset + money.Amount(r.IntN(50_000))*money.Major
	}
	var order []int
	for next := p.state.NextToSettle(); next != 0; next = p.state.NextToSettle() {
		order = append(order, next)
		p.do(staff, table.Settle{Box: next, Meter: round.Meter})
		if p.failed {
			return nil
		}
	}
	if p.state.Phase != table.Paid || shares(p.state.Lines) > 1 {
		return nil
	}
	round.ask(p.state.Lines[collected:], order)
	return round
}

// play is a table that is played on until something is refused.
type play struct {
	state  table.State
	failed bool
}

func (p *play) do(by table.Actor, a table.Action) {
	if p.failed {
		return
	}
	_, next, err := table.Step(p.state, table.Command{By: by, AtMs: 1000, Do: a})
	if err != nil {
		p.failed = true
		return
	}
	p.state = next
}

func player(name string) table.Actor { return table.Actor{Name: name, Role: rules.Player} }

// deal deals the round. Most hands are nothing much, so it looks for cards with which two
// boxes have something.
func (p *play) deal(r *rand.Rand, boxes []int) {
	if p.failed {
		return
	}
	const tries, enough = 24, 2
	var dealt table.State
	for range tries {
		cards := deck(r)
		next := *p
		for i := 0; !next.failed && next.state.Phase == table.Dealing; {
			n := len(next.state.ToCome())
			if n == 0 {
				next.do(staff, table.FinishDeal{})
				continue
			}
			deal := table.Deal{}
			for range n {
				deal.Cards = append(deal.Cards, table.Drawn{Card: cards[i]})
				i++
			}
			next.do(staff, deal)
		}
		if next.failed {
			p.failed = true
			return
		}
		dealt = next.state
		something := 0
		for _, i := range boxes {
			if h, n := dealt.Hand(table.Box(i + 1)); n == len(h) && pays(dealt.Variant, h) {
				something++
			}
		}
		if something >= enough {
			break
		}
	}
	p.state = dealt
}

// pays reports whether a pay table has a row for a hand.
func pays(v *rules.Variant, h card.Hand) bool {
	combos := v.Book.Ranking.Combos(h)
	for i := range v.Book.Wagers {
		if t := v.Pays[v.Book.Wagers[i].Wager]; t != nil {
			if _, ok := t.Row(combos); ok {
				return true
			}
		}
	}
	return false
}

// decide has a player look, and play or fold. Most decide as the best strategy does, nearly:
// they fold what is below a queen.
func (p *play) decide(r *rand.Rand, box int, name string) {
	rule := p.state.Variant.Book.Decision
	if p.failed || p.state.Phase != table.Deciding {
		return
	}
	by := player(name)
	odd := r.IntN(8) == 0
	if rule != nil && p.state.Boxes[box-1].Decision == table.Undecided && p.stakes(box)[rule.On] != 0 {
		p.do(by, table.Examine{Box: box, Player: name})
		h, _ := p.state.Hand(table.Box(box))
		weak := p.state.Variant.Book.Ranking.Strength(h) < p.state.Variant.Book.Ranking.Strength(leastPlayed)
		if weak != odd {
			p.do(by, table.Fold{Box: box, Player: name})
		} else {
			p.do(by, table.Raise{Box: box, Player: name})
		}
	}
	if b := p.state.Boxes[box-1]; !p.failed && p.state.Variant.Book.Examine.ReturnFaceUp && b.Examiner != "" && !b.Up && b.Decision != table.Folded {
		p.do(staff, table.LayUp{Box: box})
	}
}

// leastPlayed is the worst hand that is worth playing.
var leastPlayed = card.NewHand(card.New(card.Queen, card.Spades), card.New(card.Six, card.Hearts), card.New(card.Four, card.Clubs))

// stakes returns the stakes of the player at a box.
func (p *play) stakes(box int) *rules.Stakes {
	if b := p.state.Boxes[box-1]; len(b.Bettors) > 0 {
		return &b.Bettors[0].Stakes
	}
	return &rules.Stakes{}
}

// stakedOn reports whether somebody has bet on a wager.
func (p *play) stakedOn(w rules.Wager) bool {
	for i := range p.state.Boxes {
		if p.stakes(i + 1)[w] != 0 {
			return true
		}
	}
	return false
}

// shares returns how many lines take a share of the jackpot.
func shares(lines []table.Line) (n int) {
	for i := range lines {
		if lines[i].Wager == rules.Progressive && lines[i].Result == rules.Win {
			n++
		}
	}
	return n
}

// ask makes the tasks from how the engine has settled the round: boxes in that order, and of
// each its lines in the order of the book. Bets of folded hands that are collected before the
// dealer's hand is turned are no part of it.
func (r *Round) ask(settled []table.Line, order []int) {
	b := r.Book
	dealer, _ := r.Table.Hand(table.DealerHand)
	r.Tasks = append(r.Tasks, Task{Asks: AskedHand, Options: shapes(b), Answer: shape(b, dealer)})
	if b.Qualify != nil {
		answer := NotQualified
		if b.Qualifies(dealer) {
			answer = Qualified
		}
		r.Tasks = append(r.Tasks, Task{Asks: AskedQualified, Options: []string{Qualified, NotQualified}, Answer: answer, Clause: b.Qualify.Clause})
	}
	if len(order) > 1 {
		first := Task{Asks: AskedFirst, Answer: strconv.Itoa(order[0]), Clause: b.Order.Clause}
		for _, box := range slices.Sorted(slices.Values(order)) {
			first.Options = append(first.Options, strconv.Itoa(box))
		}
		r.Tasks = append(r.Tasks, first)
	}
	for _, box := range order {
		ofBox := lines(settled, box, false)
		due := dues(b, &r.Table.Boxes[box-1].Bettors[0].Stakes, ofBox)
		for i := range due {
			r.Tasks = append(r.Tasks, Task{Asks: AskedLine, Box: box, Due: &due[i]})
		}
	}
	// The Envy Bonus takes all hands to know, so it comes last.
	v := r.Table.Variant
	carrier, has := v.EnvyCarrier()
	if !has || !r.anyEnvy() {
		return
	}
	for _, box := range order {
		if r.Table.Boxes[box-1].Bettors[0].Stakes[carrier] == 0 {
			continue
		}
		due := &Due{Wager: rules.Envy, Clause: b.Rule(carrier).Clauses.EnvyWin}
		for _, l := range lines(settled, box, true) {
			if due.Line == nil {
				due.Line = &l
			} else {
				due.Line.Pays += l.Pays
			}
		}
		r.Tasks = append(r.Tasks, Task{Asks: AskedLine, Box: box, Due: due})
	}
}

// anyEnvy reports whether a hand of the round brings others an Envy Bonus.
func (r *Round) anyEnvy() bool {
	v := r.Table.Variant
	for i, b := range r.Table.Boxes {
		if h, n := r.Table.Hand(table.Box(i + 1)); len(b.Bettors) > 0 && n == len(h) && v.BringsEnvy(v.Book.Ranking.Combos(h)) {
			return true
		}
	}
	return false
}

// lines returns the settlement lines of a box: either its Envy Bonuses or all others.
func lines(settled []table.Line, box int, envy bool) (all []rules.Line) {
	for i := range settled {
		if l := &settled[i]; l.Box == box && (l.Wager == rules.Envy) == envy {
			all = append(all, l.Line)
		}
	}
	return all
}
