// Package drill makes the exercises of the dealer school and grades them: single questions,
// whole rounds at a table, and sittings of several rounds with a result. The engine deals,
// settles and rules; an answer is right where it says the same. A number or a seed determines
// what is asked. The package reads no clock, keeps nothing, and knows no person and no page.
package drill

import (
	"crypto/sha256"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
	"trey/rank/pictures"
	"trey/rank/threecard"
	"trey/rules"
	"trey/sentence"
	"trey/table"
)

// Kind is a kind of exercise.
type Kind uint8

// The kinds of exercise. The zero value is none of them.
const (
	_ Kind = iota
	// Name asks what a hand is.
	Name
	// Compare asks who wins with two hands.
	Compare
	// Pay asks for every line of a box.
	Pay
	// Rule asks what the book provides for an irregularity.
	Rule
	numKinds
)

var kindKeys = enum.New("a kind of exercise", numKinds, []string{Name: "name", Compare: "compare", Pay: "pay", Rule: "rule"})

// String returns the kind as it stands in an address.
func (k Kind) String() string { return kindKeys.Key(k) }

// Kinds lists the kinds of exercise.
func Kinds() []Kind { return kindKeys.All() }

// ParseKind reads a kind as it stands in an address.
func ParseKind(text string) (Kind, error) { return kindKeys.Parse(text) }

// Exercise is one question with its answer.
type Exercise struct {
	Book *rules.Book
	Kind Kind
	ID   string

	// Player and Dealer are the hands of Name, Compare and Pay.
	Player, Dealer card.Hand
	// Options are the answers to choose from, Answer the right one, in all kinds
	// but Pay.
	Options []string
	Answer  string

	// Down is the box of Pay, and Due its lines: one for each payment that the
	// box might get. Beside are the other boxes of the round, where those matter.
	Down   rules.Showdown
	Due    []Due
	Beside []Beside

	// Incident is the irregularity of Rule.
	Incident *Incident
}

// Beside is another box of the round, whose hand may bring the box that is to be
// paid an Envy Bonus.
type Beside struct {
	Box  int
	Hand card.Hand
	// Same says that it is the same player's, Folded that the hand was folded.
	Same, Folded bool
	Stakes       rules.Stakes
}

// Due is one line of a box that is to be paid.
type Due struct {
	Wager rules.Wager
	Stake money.Amount
	// Box is the box whose hand might bring it, zero for the box's own.
	Box int
	// Line is what the wager comes to, nil where nothing is paid or collected.
	Line *rules.Line
	// Clause is the provision of a payment that does not come about, where one
	// says why.
	Clause string
}

// Key returns the name of the line in the form.
func (d *Due) Key() string {
	if d.Box == 0 {
		return d.Wager.String()
	}
	return d.Wager.String() + "." + strconv.Itoa(d.Box)
}

// Result returns the line's result as the form has it.
func (d *Due) Result() string {
	if d.Line == nil {
		return Nothing
	}
	return d.Line.Result.String()
}

// Pays returns the winnings of the line, without the stake.
func (d *Due) Pays() money.Amount {
	if d.Line == nil {
		return 0
	}
	return d.Line.Pays
}

// Nothing is the result of a payment that does not come about.
const Nothing = "nothing"

// Verdict is an answer, graded.
type Verdict struct {
	Right bool
	// Given is what was answered, by the names of the form.
	Given url.Values
	// Lines says of each line of Pay whether it is right.
	Lines []bool
	// Errors lists the kinds of errors, one for each wrong field.
	Errors []ErrorKind
}

// ErrorKind is a kind of error in an answer.
type ErrorKind uint8

// The kinds of errors. The zero value is none of them.
const (
	_ ErrorKind = iota
	// WrongHand is a hand that was named wrongly.
	WrongHand
	// WrongWinner is a wrong outcome of two hands.
	WrongWinner
	// WrongResult is a line that was won, lost or returned against the book.
	WrongResult
	// WrongAmount is a line with the right result and a wrong payment.
	WrongAmount
	// WrongRuling is a wrong decision about an irregularity.
	WrongRuling
	// WrongQualification is a dealer's hand that qualifies and is said not to, or the other
	// way round.
	WrongQualification
	// WrongOrder is a box that is not the first to be paid.
	WrongOrder
	numErrorKinds
)

var errorKeys = enum.New("a kind of error", numErrorKinds, []string{
	WrongHand: "hand", WrongWinner: "winner", WrongResult: "result", WrongAmount: "amount", WrongRuling: "ruling",
	WrongQualification: "qualification", WrongOrder: "order",
})

// ErrorKinds lists every kind of error in the order of declaration.
func ErrorKinds() []ErrorKind { return errorKeys.All() }

// String returns the key, such as "amount".
func (k ErrorKind) String() string { return errorKeys.Key(k) }

// ErrorKinds lists the kinds of errors of a kind of exercise.
func (k Kind) ErrorKinds() []ErrorKind {
	switch k {
	case Name:
		return []ErrorKind{WrongHand}
	case Compare:
		return []ErrorKind{WrongWinner}
	case Pay:
		return []ErrorKind{WrongResult, WrongAmount}
	case Rule:
		return []ErrorKind{WrongRuling}
	}
	return nil
}

// Draw makes the exercise of that number. The same number gives the same
// exercise for ever.
func Draw(b *rules.Book, kind Kind, id string) *Exercise {
	e := &Exercise{Book: b, Kind: kind, ID: id}
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("trey school exercise\n" + b.Ref() + "\n" + kind.String() + "\n" + id))))
	switch kind {
	case Name:
		e.name(r)
	case Compare:
		e.compare(r)
	case Pay:
		e.pay(r)
	case Rule:
		e.irregularity(r)
	}
	return e
}

// deck returns the cards in an order that the exercise's number determines.
func deck(r *rand.Rand) []card.Card {
	cards := card.Deck().Cards()
	r.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

func hand(cards []card.Card) card.Hand { return card.NewHand(cards[0], cards[1], cards[2]) }

// hands draws a hand of the player and one of the dealer. Two thirds of all hands
// are nothing much, so half the time it looks for one that pays or is close.
func (e *Exercise) hands(r *rand.Rand, wanted func(player, dealer card.Hand) bool) {
	for try := 0; ; try++ {
		cards := deck(r)
		e.Player, e.Dealer = hand(cards), hand(cards[3:])
		if try >= 3000 || wanted(e.Player, e.Dealer) {
			return
		}
	}
}

// shape returns the name of a hand, without its ranks where the name has them.
func shape(b *rules.Book, h card.Hand) string {
	name := b.Ranking.Describe(h)
	if b.Ranking != rules.PictureOrder {
		name = name[:strings.LastIndexByte(name, ' ')]
	}
	return name
}

func (e *Exercise) name(r *rand.Rand) {
	all := shapes(e.Book)
	e.Answer = all[r.IntN(len(all))]
	e.hands(r, func(player, _ card.Hand) bool { return shape(e.Book, player) == e.Answer })
	e.Answer = shape(e.Book, e.Player)
	at := slices.Index(all, e.Answer)
	from := max(min(at-r.IntN(6), len(all)-6), 0)
	e.Options = all[from:min(from+6, len(all))]
}

// shapes lists the names that a hand can have, the best first.
func shapes(b *rules.Book) []string {
	var names []string
	if b.Ranking == rules.PictureOrder {
		for r := pictures.Rank(pictures.Count); r.Valid(); r-- {
			names = append(names, r.String())
		}
		return names
	}
	for c := threecard.StraightFlush; c.Valid(); c-- {
		names = append(names, c.String())
	}
	return names
}

// The answers of Compare.
const (
	playerWins = "player"
	dealerWins = "dealer"
	standOff   = "stand-off"
	// Unqualified is the answer that the dealer's hand does not qualify.
	Unqualified = "unqualified"
)

func (e *Exercise) compare(r *rand.Rand) {
	e.Options = []string{playerWins, dealerWins, standOff}
	if e.Book.Qualify != nil {
		e.Options = append(e.Options, Unqualified)
	}
	target := e.Options[r.IntN(len(e.Options))]
	e.hands(r, func(player, dealer card.Hand) bool {
		return e.outcome(player, dealer) == target && alike(e.Book, player, dealer)
	})
	e.Answer = e.outcome(e.Player, e.Dealer)
}

func (e *Exercise) outcome(player, dealer card.Hand) string {
	mine, dealers := e.Book.Ranking.Strength(player), e.Book.Ranking.Strength(dealer)
	switch {
	case !e.Book.Qualifies(dealer):
		return Unqualified
	case mine > dealers:
		return playerWins
	case mine < dealers:
		return dealerWins
	}
	return standOff
}

// alike reports whether two hands are alike enough to make somebody think.
func alike(b *rules.Book, player, dealer card.Hand) bool {
	return b.Ranking == rules.PictureOrder || !b.Qualifies(dealer) || shape(b, player) == shape(b, dealer)
}

// usual are stakes that people make.
var usual = []money.Amount{2, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 75, 100, 125, 200}

// stake draws a stake within the limits of a wager.
func stake(r *rand.Rand, v *rules.Variant, w rules.Wager) money.Amount {
	limit := v.Limits[w]
	var fit []money.Amount
	for _, dollars := range usual {
		a := dollars * money.Major
		if a >= limit.Min && (limit.Max == 0 || a <= limit.Max) && v.Payable(a) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 {
		return max(limit.Min, limit.Max)
	}
	return fit[r.IntN(len(fit))]
}

// stakes draws the wagers of one bettor.
func stakes(r *rand.Rand, v *rules.Variant) rules.Stakes {
	var all rules.Stakes
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		first := i == 0
		switch rule.Stake {
		case rules.WithinLimits:
			if first || r.IntN(3) > 0 {
				all[rule.Wager] = stake(r, v, rule.Wager)
			}
		case rules.Prescribed:
			if v.Jackpot != nil && r.IntN(2) > 0 {
				all[rule.Wager] = v.Jackpot.Bet
			}
		case rules.EqualToBasis, rules.NoStake:
		}
	}
	return all
}

func (e *Exercise) pay(r *rand.Rand) {
	v := e.Book.Standard()
	folded := v.Book.Decision != nil && r.IntN(6) == 0
	plain := r.IntN(3) == 0
	e.hands(r, func(player, _ card.Hand) bool {
		if plain {
			return true
		}
		combos := v.Book.Ranking.Combos(player)
		for i := range v.Book.Wagers {
			rule := &v.Book.Wagers[i]
			if rule.Contest != rules.OnHand && rule.Contest != rules.Riding {
				continue
			}
			if _, ok := v.Pays[rule.Wager].Row(combos); ok {
				return r.IntN(3) == 0 || !combos.Has(rules.Pair)
			}
		}
		return false
	})
	e.Down = rules.Showdown{Player: e.Player, Dealer: e.Dealer, Stakes: stakes(r, v), Folded: folded}
	if d := v.Book.Decision; d != nil && !folded {
		e.Down.Stakes[d.Raise] = e.Down.Stakes[d.On]
	}
	if v.Jackpot != nil {
		e.Down.Meter = v.Jackpot.Reset + money.Amount(r.IntN(50_000))*money.Major
	}
	lines, err := v.Settle(nil, &e.Down)
	if err != nil {
		panic("drill: " + err.Error()) // every stake was drawn within the limits
	}
	e.Due = dues(v.Book, &e.Down.Stakes, lines)
	e.envy(r, v)
}

// dues lists what a box may come to, in the order of the book: each wager on it, and each
// payment that rides on one. An Envy Bonus is none of them.
func dues(b *rules.Book, stakes *rules.Stakes, lines []rules.Line) (all []Due) {
	for _, w := range b.Order.Lines {
		rule := b.Rule(w)
		if rule == nil || w == rules.Envy {
			continue
		}
		due := Due{Wager: w, Stake: stakes[w]}
		if i := slices.IndexFunc(lines, func(l rules.Line) bool { return l.Wager == w }); i >= 0 {
			due.Line = &lines[i]
		}
		if due.Stake == 0 && (rule.Contest != rules.Riding || stakes[rule.Basis] == 0) && due.Line == nil {
			continue
		}
		all = append(all, due)
	}
	return all
}

// PaidBox is the box of Pay that is to be paid, where the others are beside it.
const PaidBox = 2

// envy puts other boxes beside the one that is to be paid, where the book has an
// Envy Bonus, and asks for what each of their hands brings it.
func (e *Exercise) envy(r *rand.Rand, v *rules.Variant) {
	at := slices.IndexFunc(v.Book.Wagers, func(w rules.WagerRule) bool { return w.Envy })
	if at < 0 || r.IntN(4) == 0 {
		return
	}
	rule := &v.Book.Wagers[at]
	left := slices.DeleteFunc(deck(r), func(c card.Card) bool {
		return slices.Contains(e.Player[:], c) || slices.Contains(e.Dealer[:], c)
	})
	for n := range 1 + r.IntN(2) {
		beside := Beside{Box: PaidBox + 1 + n, Same: r.IntN(5) == 0, Folded: v.Book.Decision != nil && r.IntN(5) == 0, Stakes: stakes(r, v)}
		if r.IntN(6) == 0 { // a bet that needs nothing beside it, and brings nothing
			if other := v.Book.Rule(rules.PairPlus); other != nil {
				beside.Stakes = rules.Stakes{}
				beside.Stakes[rules.PairPlus] = stake(r, v, rules.PairPlus)
			}
		}
		if d := v.Book.Decision; d != nil && beside.Stakes[d.On] == 0 {
			beside.Folded = false // nothing to play or fold
		}
		if suited := courts(left); len(suited) > 0 && r.IntN(3) > 0 {
			beside.Hand = suited[r.IntN(len(suited))]
		} else {
			beside.Hand = hand(left)
		}
		left = slices.DeleteFunc(left, func(c card.Card) bool { return slices.Contains(beside.Hand[:], c) })
		alone := e.Down
		alone.Others = []rules.Other{beside.other(v)}
		lines, err := v.Settle(nil, &alone)
		if err != nil {
			panic("drill: " + err.Error()) // the same box was settled without it
		}
		due := Due{Wager: rules.Envy, Box: beside.Box, Clause: rule.Clauses.EnvyWin}
		if i := slices.IndexFunc(lines, func(l rules.Line) bool { return l.Wager == rules.Envy }); i >= 0 {
			due.Line = &lines[i]
		}
		e.Beside, e.Due = append(e.Beside, beside), append(e.Due, due)
		e.Down.Others = append(e.Down.Others, alone.Others[0])
	}
}

// other returns the box as the settlement of another one sees it.
func (b *Beside) other(v *rules.Variant) rules.Other {
	return rules.Other{Is: v.Book.Ranking.Combos(b.Hand), SamePlayer: b.Same, Folded: b.Folded, Stakes: &b.Stakes}
}

// courts returns the ace, king and queen of each suit that has them all.
func courts(cards []card.Card) []card.Hand {
	var all []card.Hand
	for s := card.Clubs; s.Valid(); s++ {
		h := card.NewHand(card.New(card.Ace, s), card.New(card.King, s), card.New(card.Queen, s))
		if slices.Contains(cards, h[0]) && slices.Contains(cards, h[1]) && slices.Contains(cards, h[2]) {
			all = append(all, h)
		}
	}
	return all
}

// Grade compares an answer with what the engine says.
func (e *Exercise) Grade(form url.Values) *Verdict {
	verdict := &Verdict{Given: form, Right: true}
	if e.Kind != Pay {
		if verdict.Right = form.Get("answer") == e.Answer; !verdict.Right {
			verdict.Errors = e.Kind.ErrorKinds()
		}
		return verdict
	}
	for i := range e.Due {
		due := &e.Due[i]
		kind := due.grade(form.Get("result."+due.Key()), form.Get("pays."+due.Key()))
		right := kind == 0
		if !right {
			verdict.Errors = append(verdict.Errors, kind)
		}
		verdict.Lines = append(verdict.Lines, right)
		verdict.Right = verdict.Right && right
	}
	return verdict
}

// Incident is an irregularity with the table at which it happens.
type Incident struct {
	Before, After table.State
	Report        table.Report
	// Swapped are two boxes whose hands went to each other, none if zero.
	Swapped [2]int
	Events  []table.Event
	Clause  string
}

// staff is the person who reports: the engine asks for the dealer at least.
var staff = table.Actor{Name: "dealer", Role: rules.Dealer}

func (e *Exercise) irregularity(r *rand.Rand) {
	for {
		if in := e.incident(r); in != nil {
			e.Incident = in
			break
		}
	}
	options := map[string]bool{e.Answer: true}
	var others []string
	for i := range e.Book.Incidents {
		for _, c := range e.Book.Incidents[i].Cases {
			if key := c.Then.String(); !options[key] {
				options[key] = true
				others = append(others, key)
			}
		}
	}
	r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	e.Options = append([]string{e.Answer}, others[:min(3, len(others))]...)
	r.Shuffle(len(e.Options), func(i, j int) { e.Options[i], e.Options[j] = e.Options[j], e.Options[i] })
}

// incident plays a round to somewhere and lets something go wrong; nil if what
// was drawn cannot happen there.
func (e *Exercise) incident(r *rand.Rand) *Incident {
	v := e.Book.Standard()
	device := v.Book.Devices[r.IntN(len(v.Book.Devices))].Device
	state, err := table.New(v, table.Config{Device: device, Cards: table.Read})
	if err != nil {
		return nil
	}
	failed := false
	do := func(by table.Actor, a table.Action) {
		if failed {
			return
		}
		_, next, err := table.Step(state, table.Command{By: by, AtMs: 1000, Do: a})
		if err != nil {
			failed = true
			return
		}
		state = next
	}
	players := []string{"Ann", "Ben", "Cai"}[:2+r.IntN(2)]
	do(staff, table.OpenBets{})
	for i, name := range players {
		placed := stakes(r, v)
		for j := range v.Book.Wagers {
			rule := &v.Book.Wagers[j]
			if placed[rule.Wager] != 0 && rule.Stake != rules.EqualToBasis {
				do(table.Actor{Name: name, Role: rules.Player}, table.Bet{Box: i + 1, Player: name, Wager: rule.Wager, Amount: placed[rule.Wager]})
			}
		}
	}
	do(staff, table.CloseBets{})
	in := &Incident{}
	cards := deck(r)
	to := state.ToCome()
	n := len(to)
	if r.IntN(4) == 0 {
		n = r.IntN(n) // in the middle of the deal
	}
	swap := n == len(to) && r.IntN(4) == 0
	deal := table.Deal{}
	for i := range n {
		d := table.Drawn{Card: cards[i]}
		if swap {
			switch to[i] {
			case table.Box(1):
				d.To = table.Box(2)
			case table.Box(2):
				d.To = table.Box(1)
			default:
			}
		}
		deal.Cards = append(deal.Cards, d)
	}
	if n > 0 {
		do(staff, deal)
	}
	if n == len(to) {
		for i, name := range players {
			if r.IntN(3) == 0 {
				_, next, err := table.Step(state, table.Command{By: table.Actor{Name: name, Role: rules.Player}, AtMs: 2000, Do: table.Examine{Box: i + 1, Player: name}})
				if err == nil {
					state = next
				}
			}
		}
	}
	if failed {
		return nil
	}
	report, ok := e.report(r, &state, swap)
	if !ok {
		return nil
	}
	events, after, err := table.Step(state, table.Command{By: staff, AtMs: 3000, Do: report})
	if err != nil {
		return nil
	}
	for _, event := range events {
		if reported, ok := event.(table.Reported); ok {
			in.Before, in.After, in.Report, in.Events, in.Clause = state, after, report, events, reported.Clause
			e.Answer = reported.Outcome.String()
			if swap {
				in.Swapped = [2]int{1, 2}
			}
			return in
		}
	}
	return nil
}

// report draws something that can be reported now: first what, so that what can
// happen in many places does not happen more often.
func (e *Exercise) report(r *rand.Rand, s *table.State, swapped bool) (table.Report, bool) {
	if swapped {
		return table.Report{Incident: rules.DealtIncorrectly}, true
	}
	byIncident := map[rules.Incident][]table.Report{}
	for _, a := range table.Legal(*s, staff) {
		report, ok := a.(table.Report)
		if !ok {
			continue
		}
		switch report.Incident {
		case rules.LateBet:
			report.Wager, report.Amount = s.Variant.Book.Wagers[0].Wager, stake(r, s.Variant, s.Variant.Book.Wagers[0].Wager)
		case rules.DeckCount:
			report.Count = 50 + r.IntN(4)
		case rules.TechnicalInterruption:
			report.LastedMs = int64(5+r.IntN(60)) * 1000
		case rules.ProgressiveDown:
			report.Meter = s.Variant.Limits[rules.Progressive].Max * 3000
		case rules.Uncovered, rules.DealingError, rules.DealtIncorrectly:
			continue // nobody could tell from the picture what is meant
		default:
		}
		byIncident[report.Incident] = append(byIncident[report.Incident], report)
	}
	if exposed := exposure(r, s); exposed != nil {
		byIncident[rules.CardExposed] = append(byIncident[rules.CardExposed], *exposed)
	}
	var kinds []rules.Incident
	for _, i := range rules.Incidents() {
		if len(byIncident[i]) > 0 {
			kinds = append(kinds, i)
		}
	}
	if len(kinds) == 0 {
		return table.Report{}, false
	}
	all := byIncident[kinds[r.IntN(len(kinds))]]
	return all[r.IntN(len(all))], true
}

// exposure returns a report of two cards of one hand that were turned over by mistake.
func exposure(r *rand.Rand, s *table.State) *table.Report {
	places := map[table.Place][]table.Exposed{}
	var order []table.Place
	for _, slot := range s.Slots {
		if !slot.Exposed() && slot.Card != card.None {
			if len(places[slot.Place]) == 0 {
				order = append(order, slot.Place)
			}
			places[slot.Place] = append(places[slot.Place], table.Exposed{At: slot.Place, Index: len(places[slot.Place]) + 1, Card: slot.Card})
		}
	}
	if len(order) == 0 {
		return nil
	}
	at := order[r.IntN(len(order))]
	if len(places[at]) < 2 {
		return nil
	}
	return &table.Report{Incident: rules.CardExposed, Cards: places[at][:2]}
}

// Told returns the sentences about what followed.
func (in *Incident) Told() []sentence.Sentence {
	var all []sentence.Sentence
	for _, e := range in.Events {
		all = append(all, table.Sentences(e, in.After)...)
	}
	return all
}
