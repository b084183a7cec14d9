package auditor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trey/internal/house"
)

// layout is a table: the stakes on it and the payments for them.
type layout struct {
	name, jackpot, book string
	// atMs is the time of the latest transaction that concerns the table.
	atMs int64
	// rules is the hash of those from the latest round on for which any were named.
	rules   string
	virtual bool

	round int
	// playing from the opening of the bets to the settlement or the void; closed
	// while it is playing and no more bets are taken.
	playing, closed, paid bool
	// done are the boxes that are settled.
	done map[int]bool
	// stakes are the amounts on each wager, or those when the round was settled. won is the
	// payment of the settlement that nobody took back.
	stakes, won map[wager]int64
	// forfeited is the amount of each wager that the house has taken in before the settlement.
	forfeited map[wager]int64
	// slots are the cards of the round in the order of the deal.
	slots []slot
	// leaving are the boxes that a report takes out of the round, until their bets
	// have gone back. questions are those not yet answered, the open one last.
	leaving   []int
	questions []question

	// committed is the round of the commitment, which is empty once it is opened;
	// sealed is the round of the latest seed that the record keeps for the house.
	committed, sealed int
	commitment        string
	// committedIn is the transaction of the commitment; covered says that a checkpoint held it,
	// and relied that somebody has bet or added a seed upon it.
	committedIn     int64
	covered, relied bool
}

// question is a question to the staff, and who reported what led to it.
type question struct{ key, reporter string }

// wager is one wager of one player on one box.
type wager struct {
	Box    int
	Player string
	Wager  string
}

// line is a settlement line.
type line struct {
	wager
	Result                                  string
	Stake, Pays, Returned, Reverses, Excess int64
}

// slot is a card of the deal: where it lies, and its name as soon as anybody has
// recorded it.
type slot struct {
	card, place string
	// open says that the whole table has seen the card.
	open bool
}

// unnamed stands in the record for a card that nobody knows.
const unnamed = "??"

// newLayout returns a table on which nothing lies yet.
func newLayout(name string) *layout {
	return &layout{name: name, stakes: map[wager]int64{}, won: map[wager]int64{}, forfeited: map[wager]int64{}, done: map[int]bool{}}
}

// begin clears the layout for a round.
func (l *layout) begin(round int) {
	l.round, l.playing, l.closed, l.paid = round, true, false, false
	l.stakes, l.won, l.forfeited, l.slots = map[wager]int64{}, map[wager]int64{}, map[wager]int64{}, nil
	l.leaving, l.questions, l.done = nil, nil, map[int]bool{}
}

// lies returns the money on the layout.
func (l *layout) lies() (sum int64) {
	if l.paid || !l.playing {
		return 0
	}
	for w, stake := range l.stakes {
		if !l.done[w.Box] {
			sum += stake
		}
	}
	return sum
}

// wagers counts the wagers of a kind that lie on the layout.
func (l *layout) wagers(kind string) (n int64) {
	for w, stake := range l.stakes {
		if w.Wager == kind && stake != 0 {
			n++
		}
	}
	return n
}

// table reads an event of a table.
func (a *Auditor) table(name string, event house.Event) error {
	l := a.tables[name]
	if l == nil {
		a.find("table %s was never installed", name)
		l = newLayout(name)
		a.tables[name] = l
	}
	switch event.Kind {
	case "bets-opened":
		e, err := read[struct{ Round int }](event.Body)
		if err != nil {
			return err
		}
		if e.Round != l.round+1 {
			a.find("round %d of table %s follows round %d", e.Round, name, l.round)
		}
		if l.playing {
			a.find("round %d of table %s has no end", l.round, name)
		}
		if l.virtual && (l.committed != e.Round || l.commitment == "") {
			a.find("bets of round %d open at table %s, and the seed that is committed to is that of round %d", e.Round, name, l.committed)
		}
		l.begin(e.Round)
	case "bet-placed":
		e, err := read[struct {
			wager
			Amount int64
		}](event.Body)
		if err != nil {
			return err
		}
		if !l.playing || l.closed {
			a.find("a bet on box %d of table %s is placed when none is taken", e.Box, name)
		}
		a.lay(l, e.wager, l.stakes[e.wager]+e.Amount)
		l.relied = l.virtual
	case "hand-raised", "stake-found":
		e, err := read[struct {
			wager
			Amount int64
		}](event.Body)
		if err != nil {
			return err
		}
		a.lay(l, e.wager, e.Amount)
	case "bets-closed":
		l.closed = true
	case "table-closed":
		// Nothing of the last round can be corrected any more; one without a bet ends with it.
		if lies := l.lies(); lies != 0 {
			a.find("table %s is closed with %s on its layout", name, dollars(lies))
		}
		l.playing, l.closed = false, false
	case "cards-dealt", "cards-moved", "cards-exposed", "hand-shown", "dealer-shown":
		return a.cards(l, event)
	case "payment-corrected":
		e, err := read[struct{ Lines []line }](event.Body)
		if err != nil {
			return err
		}
		a.corrected(l, e.Lines)
	case "settlement-undone":
		e, err := read[undone](event.Body)
		if err != nil {
			return err
		}
		a.undone(l, e)
	case "bets-returned", "hand-invalidated", "round-voided", "settled", "box-settled", "decision-restored", "forfeits-collected":
		e, err := read[struct {
			Box   int
			Lines []line
		}](event.Body)
		if err != nil {
			return err
		}
		a.lines(l, event.Kind, e.Box, e.Lines)
		switch event.Kind {
		case "hand-invalidated":
			l.clear(e.Box)
			l.leaving = slices.DeleteFunc(l.leaving, func(box int) bool { return box == e.Box })
		case "round-voided":
			l.leaving, l.questions = nil, nil
		}
	case "question-asked":
		e, err := read[struct {
			Question struct {
				Key string
				By  struct{ Name string }
			}
		}](event.Body)
		if err != nil {
			return err
		}
		l.questions = append(l.questions, question{e.Question.Key, e.Question.By.Name})
	case "question-answered":
		e, err := read[struct {
			Key string
			By  struct{ Name string }
		}](event.Body)
		if err != nil {
			return err
		}
		a.answered(l, e.Key, e.By.Name)
	case "reported":
		e, err := read[struct {
			Report struct {
				Incident string
				Round    int
			}
			Outcome, Clause string
			Boxes           []int
		}](event.Body)
		if err != nil {
			return err
		}
		if len(e.Boxes) > 0 && e.Outcome != "invalidate" {
			a.find("a report at table %s takes boxes out of the round, and its outcome is %s", name, e.Outcome)
		}
		l.leaving = append(l.leaving, e.Boxes...)
		// One of an earlier round has no effect any more.
		if e.Report.Incident == "interruption" && (e.Report.Round == 0 || e.Report.Round == l.round) {
			a.interruption(l, e.Outcome, e.Clause)
		}
	}
	return nil
}

// answered takes the answer to the open question. The facts of a report are
// confirmed by a second person.
func (a *Auditor) answered(l *layout, key, by string) {
	last := len(l.questions) - 1
	if last < 0 || l.questions[last].key != key {
		a.find("table %s has an answer to a question %q that is not open", l.name, key)
		return
	}
	if key == "facts" && l.questions[last].reporter == by {
		a.find("%s reported at table %s, and confirms the report", by, l.name)
	}
	l.questions = l.questions[:last]
}

// cards reads an event about cards: they come from the device, somebody turns
// them or puts them elsewhere. No card is in a round twice, wherever its name
// comes from, and none changes its name, unless one that lies open is corrected.
func (a *Auditor) cards(l *layout, event house.Event) error {
	switch event.Kind {
	case "cards-dealt":
		e, err := read[struct {
			Cards []struct {
				Card, Place string
				FaceUp      bool `json:"face_up"`
			}
		}](event.Body)
		if err != nil {
			return err
		}
		for _, c := range e.Cards {
			l.slots = append(l.slots, slot{unnamed, c.Place, c.FaceUp})
			a.name(l, len(l.slots)-1, c.Card)
			if l.virtual && l.slots[len(l.slots)-1].card == unnamed {
				a.find("table %s deals a card that nobody knows", l.name)
			}
		}
	case "cards-moved":
		e, err := read[struct {
			Moves []struct {
				Slot int
				To   string
			}
		}](event.Body)
		if err != nil {
			return err
		}
		for _, m := range e.Moves {
			if a.isDealt(l, m.Slot) {
				l.slots[m.Slot].place = m.To
			}
		}
	case "cards-exposed":
		e, err := read[struct {
			Slots     []int
			Cards     []string
			Corrected bool
		}](event.Body)
		if err != nil {
			return err
		}
		if e.Corrected {
			a.misread(l, e.Slots, e.Cards)
			return nil
		}
		for i := range min(len(e.Slots), len(e.Cards)) {
			if a.isDealt(l, e.Slots[i]) {
				a.name(l, e.Slots[i], e.Cards[i])
				l.slots[e.Slots[i]].open = true
			}
		}
	case "hand-shown", "dealer-shown":
		e, err := read[struct {
			Place string
			Hand  []string
		}](event.Body)
		if err != nil {
			return err
		}
		if event.Kind == "dealer-shown" {
			e.Place = "dealer"
		}
		a.turn(l, e.Place, e.Hand)
	}
	return nil
}

// name gives a card of the deal its name.
func (a *Auditor) name(l *layout, at int, card string) {
	switch known := l.slots[at].card; {
	case card == unnamed || card == "" || card == known:
		return
	case known != unnamed:
		a.find("card %d of round %d of table %s is %s, and then %s", at+1, l.round, l.name, known, card)
	}
	if slices.ContainsFunc(l.slots, func(s slot) bool { return s.card == card }) {
		a.find("%s is dealt twice in round %d of table %s", card, l.round, l.name)
	}
	l.slots[at].card = card
}

// misread gives cards that lie open their right names. One that has such a name face
// down elsewhere is not known any more.
func (a *Auditor) misread(l *layout, slots []int, cards []string) {
	if l.virtual {
		a.find("table %s deals its own cards, and one of round %d is corrected", l.name, l.round)
	}
	for i := range l.slots {
		switch {
		case !slices.Contains(cards, l.slots[i].card) || slices.Contains(slots, i):
		case l.slots[i].open:
			a.find("%s lies open twice in round %d of table %s", l.slots[i].card, l.round, l.name)
		default:
			l.slots[i].card = unnamed
		}
	}
	for i := range min(len(slots), len(cards)) {
		if !a.isDealt(l, slots[i]) {
			continue
		}
		if !l.slots[slots[i]].open {
			a.find("card %d of round %d of table %s lies face down, and is corrected", slots[i]+1, l.round, l.name)
		}
		l.slots[slots[i]].card = cards[i]
	}
}

// turn holds a hand that is turned to the cards that lie there, in the order in
// which they were dealt.
func (a *Auditor) turn(l *layout, place string, hand []string) {
	n := 0
	for at := range l.slots {
		if l.slots[at].place != place {
			continue
		}
		if n < len(hand) {
			a.name(l, at, hand[n])
			l.slots[at].open = true
		}
		n++
	}
	if n != len(hand) {
		a.find("a hand of %d cards is turned on table %s at place %s, where %d lie", len(hand), l.name, place, n)
	}
}

// isDealt reports, and finds, whether there is such a card in the deal.
func (a *Auditor) isDealt(l *layout, at int) bool {
	if at < 0 || at >= len(l.slots) {
		a.find("card %d of round %d of table %s was never dealt", at+1, l.round, l.name)
		return false
	}
	return true
}

// clear takes the cards of a hand out of the round, in which they stay used.
func (l *layout) clear(box int) {
	for i := range l.slots {
		if l.slots[i].place == fmt.Sprint(box) {
			l.slots[i].place = "out"
		}
	}
}

// lay sets the stake of a wager; the player pays the difference.
func (a *Auditor) lay(l *layout, w wager, stake int64) {
	if stake < 0 || !l.playing || l.done[w.Box] {
		a.find("%s is laid on box %d of table %s", dollars(stake), w.Box, l.name)
	}
	a.move("player:"+w.Player, "layout:"+l.name, stake-l.stakes[w])
	l.stakes[w] = stake
}

// lines reads settlement lines. In a round, a stake leaves the layout by them:
// part of it to the player, the rest to the house, and winnings come from the
// house. After the settlement they undo it.
func (a *Auditor) lines(l *layout, kind string, box int, lines []line) {
	layout, win := "layout:"+l.name, "win:"+l.name
	for _, each := range lines {
		w, player := each.wager, "player:"+each.Player
		if each.Stake < 0 || each.Pays < 0 || each.Returned < 0 || each.Reverses < 0 || each.Excess < 0 {
			a.find("a line on box %d of table %s has a negative amount", w.Box, l.name)
		}
		if part := each.Returned - each.Pays; !each.givesBack(part) {
			a.find("of a stake of %s on box %d of table %s %s goes back on a line that says %s", dollars(each.Stake), w.Box, l.name, dollars(part), each.Result)
		}
		if each.Pays != 0 && each.Result != "win" {
			a.find("a line on box %d of table %s says %s and pays %s", w.Box, l.name, each.Result, dollars(each.Pays))
		}
		back := kind != "settled" && kind != "box-settled" && kind != "forfeits-collected"
		if lies := l.stakes[w] + l.forfeited[w]; each.Stake > lies || !back && each.Stake > l.stakes[w] {
			a.find("a line takes %s of %s from box %d of table %s, where %s lies", dollars(each.Stake), w.Wager, w.Box, l.name, dollars(l.stakes[w]))
		}
		switch {
		case kind == "forfeits-collected":
			a.move(layout, win, each.Stake)
			a.move(win, player, each.Returned)
			if each.Result != "lose" || each.Stake != l.stakes[w] {
				a.find("%s of %s is collected from box %d of table %s, where %s lies", dollars(each.Stake), w.Wager, w.Box, l.name, dollars(l.stakes[w]))
			}
			l.won[w] += each.Returned
			l.forfeited[w] += each.Stake
			l.stakes[w] -= each.Stake
		case kind == "settled", kind == "box-settled":
			a.move(layout, win, each.Stake)
			a.move(win, player, each.Returned)
			// The stakes stay known until the next round: an error may yet be found.
			l.won[w] += each.Returned
			switch lies := l.stakes[w]; {
			case kind == "box-settled" && w.Box != box:
				a.find("box %d of table %s is settled, with a line of box %d", box, l.name, w.Box)
			case l.done[w.Box] && each.Stake > 0:
				a.find("box %d of table %s is settled twice", w.Box, l.name)
			case !l.done[w.Box] && each.Stake != lies:
				a.find("%s lies on box %d of table %s, and its line takes %s", dollars(lies), w.Box, l.name, dollars(each.Stake))
			}
		case l.forfeited[w] > 0:
			// The house had taken it in, and gives it back.
			if each.Reverses > l.won[w] {
				a.find("%s is taken back on box %d of table %s, where %s was given", dollars(each.Reverses), w.Box, l.name, dollars(l.won[w]))
			}
			a.collected[each.Player] = a.collected[each.Player] || each.Reverses > 0
			a.move(win, player, each.Returned-each.Reverses)
			l.won[w] -= each.Reverses
			l.forfeited[w] -= each.Stake
		case l.paid || l.done[w.Box]:
			if each.Reverses > l.won[w] {
				a.find("%s is taken back on box %d of table %s, where %s was given", dollars(each.Reverses), w.Box, l.name, dollars(l.won[w]))
			}
			a.move(win, player, each.Returned-each.Reverses)
			l.won[w] -= each.Reverses
			l.stakes[w] -= each.Stake
			a.collected[each.Player] = a.collected[each.Player] || each.Reverses > 0
		default:
			a.move(layout, player, each.Returned)
			l.stakes[w] -= each.Stake
		}
		if back && each.Returned != each.Stake {
			a.find("of %s given back on box %d of table %s %s arrives", dollars(each.Stake), w.Box, l.name, dollars(each.Returned))
		}
	}
	switch kind {
	case "settled":
		a.once(l, lines, 0)
		l.paid, l.playing = true, false
		for w := range l.stakes {
			l.done[w.Box] = true
		}
	case "box-settled":
		a.once(l, lines, box)
		l.done[box] = true
	case "round-voided":
		a.nothing(l, "the round", func(wager) bool { return true })
		l.playing, l.closed = false, false
	case "hand-invalidated":
		a.nothing(l, "the hand", func(w wager) bool { return w.Box == box })
	}
}

// collectedFrom reports whether the house has taken in bets of the player on the box of a wager: a
// bonus has no stake of its own that could be.
func (l *layout) collectedFrom(w wager) bool {
	for other, amount := range l.forfeited {
		if amount > 0 && other.Box == w.Box && other.Player == w.Player {
			return true
		}
	}
	return false
}

// corrected reads lines that award or collect a difference, which happens only
// after a settlement, on a wager that lay there: no more is collected than was given.
func (a *Auditor) corrected(l *layout, lines []line) {
	win := "win:" + l.name
	for _, each := range lines {
		w, player := each.wager, "player:"+each.Player
		award := each.Result == "win" && each.Pays > 0 && each.Reverses == 0
		collection := each.Result == "returned" && each.Pays == 0 && each.Reverses > 0
		if !l.done[w.Box] && !l.collectedFrom(w) || each.Stake != 0 || each.Excess != 0 || each.Returned != each.Pays || !award && !collection {
			a.find("a line on box %d of table %s corrects no payment", w.Box, l.name)
		}
		if !l.bets(w) {
			a.find("%s is awarded or collected on box %d of table %s, where %s has nothing", dollars(each.Pays+each.Reverses), w.Box, l.name, w.Player)
		}
		if each.Reverses > l.won[w] {
			a.find("%s is collected on box %d of table %s, where %s was given", dollars(each.Reverses), w.Box, l.name, dollars(l.won[w]))
		}
		a.move(win, player, each.Pays-each.Reverses)
		l.won[w] += each.Pays - each.Reverses
	}
}

// bets reports whether a player had a stake on the box of a wager.
func (l *layout) bets(w wager) bool {
	for _, all := range []map[wager]int64{l.stakes, l.forfeited} {
		for at, stake := range all {
			if at.Box == w.Box && at.Player == w.Player && stake > 0 {
				return true
			}
		}
	}
	return false
}

// givesBack reports whether a line of its result can return so much of its stake. It can return
// all of it. Where the stake is lost or kept for what it won, it can return the part that was
// never at risk.
func (e *line) givesBack(back int64) bool {
	kept := back == e.Excess && back <= e.Stake
	switch e.Result {
	case "win":
		return back == e.Stake || kept
	case "lose":
		return kept
	}
	return back == e.Stake
}

// undone is a settlement that is taken back, with what lies on its box again.
type undone struct {
	Box    int
	Lines  []line
	Stakes []struct {
		Player, Wager string
		Amount        int64
	}
}

// undone reads what takes a settlement back: all that the box was given goes back to
// the house, and exactly what was settled lies there again. Of a settled round all the
// Envy Bonuses go back too.
func (a *Auditor) undone(l *layout, e undone) {
	win := "win:" + l.name
	if !l.done[e.Box] {
		a.find("box %d of table %s is not settled, and its settlement is undone", e.Box, l.name)
	}
	for _, each := range e.Lines {
		w := each.wager
		if each.Result != "returned" || each.Stake != 0 || each.Pays != 0 || each.Returned != 0 || each.Excess != 0 || each.Reverses <= 0 || each.Reverses > l.won[w] {
			a.find("%s is taken back on box %d of table %s, where %s was given", dollars(each.Reverses), w.Box, l.name, dollars(l.won[w]))
		}
		a.move("player:"+w.Player, win, each.Reverses)
		a.collected[w.Player] = true
		l.won[w] -= each.Reverses
	}
	laid := map[wager]int64{}
	for _, s := range e.Stakes {
		laid[wager{e.Box, s.Player, s.Wager}] += s.Amount
		a.move(win, "layout:"+l.name, s.Amount)
	}
	for _, w := range slices.SortedFunc(maps.Keys(union(l.won, l.stakes)), compareWagers) {
		if (w.Box == e.Box || l.paid && w.Wager == "envy") && l.won[w] != 0 {
			a.find("the settlement of box %d of table %s is undone, and %s of %s on box %d stays", e.Box, l.name, dollars(l.won[w]), w.Wager, w.Box)
		}
		if w.Box == e.Box && laid[w] != l.stakes[w] {
			a.find("%s of %s lies on box %d of table %s again, where %s was settled", dollars(laid[w]), w.Wager, w.Box, l.name, dollars(l.stakes[w]))
		}
	}
	if l.paid {
		l.paid, l.playing = false, true
	}
	l.done[e.Box] = false
}

// once holds that a settlement of a box, or of all that are left for box zero, has one
// line for every stake, and no other line that takes one.
func (a *Auditor) once(l *layout, lines []line, box int) {
	count := map[wager]int{}
	for _, each := range lines {
		if each.Stake > 0 {
			count[each.wager]++
		}
	}
	for _, w := range slices.SortedFunc(maps.Keys(l.stakes), compareWagers) {
		want := 0
		if l.stakes[w] > 0 && !l.done[w.Box] && (box == 0 || w.Box == box) {
			want = 1
		}
		if count[w] != want {
			a.find("%d lines settle %s of %s on box %d of table %s, where %s lies", count[w], w.Wager, w.Player, w.Box, l.name, dollars(l.stakes[w]))
		}
	}
}

// nothing holds that what was given up has gone back whole.
func (a *Auditor) nothing(l *layout, what string, of func(wager) bool) {
	for _, w := range slices.SortedFunc(maps.Keys(l.stakes), compareWagers) {
		if of(w) && (l.stakes[w] != 0 || l.won[w] != 0 || l.forfeited[w] != 0) {
			a.find("%s on table %s is given up, and %s of %s on box %d stays, with %s paid", what, l.name, dollars(l.stakes[w]+l.forfeited[w]), w.Wager, w.Box, dollars(l.won[w]))
		}
	}
}

func compareWagers(x, y wager) int {
	if x.Box != y.Box {
		return x.Box - y.Box
	}
	return strings.Compare(x.Player+x.Wager, y.Player+y.Wager)
}

// interruption holds that a round goes on or ends after a technical interruption as its
// book declares it: with that outcome, under that provision.
func (a *Auditor) interruption(l *layout, outcome, clause string) {
	_, number, cited := strings.Cut(clause, " ")
	if !cited {
		number = clause
	}
	if !slices.Contains(a.ends[a.terms[l.rules].bookHash], end{outcome, number}) {
		a.find("round %d of table %s was interrupted, and %s knows no outcome %s under %q", l.round, l.name, l.book, outcome, clause)
	}
	a.stops = append(a.stops, Stop{Seq: a.seq, Table: l.name, Round: l.round, Outcome: outcome, Clause: clause})
}
