package report

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// tableEvents hands out the events of tables in a transaction that are of certain
// kinds, each with its table.
func tableEvents(e *house.StoredTransaction, kinds map[string]bool, yield func(name string, event table.Event) error) error {
	return eventsOf(e, "table:", func(_, kind string) bool { return kinds[kind] }, record.TableEvents.Read, yield)
}

// eventsOf hands out the events in a transaction of the streams whose names begin alike, each with
// the rest of that name. What is not wanted, by that and its kind, is not read.
func eventsOf[E any](e *house.StoredTransaction, prefix string, wanted func(name, kind string) bool, read func(stored.Event) (E, error), yield func(name string, event E) error) error {
	for i := range e.Parts {
		name, ok := strings.CutPrefix(e.Parts[i].Stream, prefix)
		if !ok {
			continue
		}
		for _, written := range e.Parts[i].Events {
			if !wanted(name, written.Kind) {
				continue
			}
			event, err := read(written)
			if err != nil {
				return house.Corrupt(err, "")
			}
			if err := yield(name, event); err != nil {
				return err
			}
		}
	}
	return nil
}

func kindsOf(events ...table.Event) map[string]bool {
	kinds := map[string]bool{}
	for _, e := range events {
		kinds[record.TableEvents.Name(e)] = true
	}
	return kinds
}

// performance gathers the results of tables and wagers. Handle and rounds come from the
// events of the tables, money from the postings.
type performance struct {
	only   string
	kinds  map[string]bool
	tables map[string]*made
	wagers map[wagerAt]*made
	// risked holds the amount that each wager of a table's round had at risk when it won or
	// lost, ended the tables that have settled their round.
	risked map[string]map[lineAt]money.Amount
	ended  map[string]bool
	chips  map[chipAt]*chipsMoved
	// next, where it is set, is called before the wagers of a table's round make room for
	// those of another one.
	next func(table string, begins int)
	add  adder
}

type wagerAt struct {
	table string
	wager rules.Wager
}

type lineAt struct {
	box    int
	player string
	wager  rules.Wager
}

// made holds the figures of a table or a wager.
type made struct {
	rounds, settled, voided, bets           int64
	drop, handle, win, contributed, jackpot money.Amount
	fills, credits                          money.Amount
}

func newPerformance(q *Query) *performance {
	return &performance{
		only: q.Table,
		kinds: kindsOf(
			table.BetsOpened{}, table.Settled{}, table.RoundVoided{}, table.HandInvalidated{}, table.BetsReturned{},
			table.ForfeitsCollected{}, table.BoxSettled{}, table.SettlementUndone{},
		),
		tables: map[string]*made{}, wagers: map[wagerAt]*made{}, risked: map[string]map[lineAt]money.Amount{}, ended: map[string]bool{}, chips: map[chipAt]*chipsMoved{},
	}
}

// at returns the sums under a key, which begin at nothing.
func at[K comparable, V any](all map[K]*V, key K) *V {
	sums := all[key]
	if sums == nil {
		sums = new(V)
		all[key] = sums
	}
	return sums
}

func (p *performance) see(e *house.StoredTransaction, within bool) error {
	err := tableEvents(e, p.kinds, func(name string, event table.Event) error {
		if p.only == "" || p.only == name {
			p.event(name, event, within)
		}
		return nil
	})
	if err != nil || !within {
		return err
	}
	for i := range e.Postings {
		if post := &e.Postings[i]; p.only == "" || p.only == post.For.Table {
			p.posting(post)
		}
	}
	if err := p.chipsOf(e); err != nil {
		return err
	}
	return p.add.err
}

func (p *performance) event(name string, event table.Event, within bool) {
	sums := at(p.tables, name)
	one := int64(0)
	if within {
		one = 1
	}
	does := table.EffectOf(event)
	if does.Begins != 0 {
		if p.next != nil {
			p.next(name, does.Begins)
		}
		sums.rounds += one
		p.risked[name], p.ended[name] = map[lineAt]money.Amount{}, false
	}
	switch does.LineUse {
	case table.LinesSettle:
		p.handled(name, does.Lines, within)
	case table.LinesReturn, table.LinesCancel:
		p.takenBack(name, does.Lines, within)
	case table.LinesUndo, table.LinesCorrect: // They move no stake: what lies again is below.
	}
	for _, stake := range does.Relaid {
		p.notRisked(name, lineAt{does.Reopens, stake.Player, stake.Wager}, within)
	}
	// A round that was settled is so no more where a box of it is open again, or where it
	// is voided since.
	if p.ended[name] && (does.Reopens != 0 || does.Ends == table.Voided) {
		sums.settled -= one
		p.ended[name] = false
	}
	switch does.Ends {
	case table.Paid:
		sums.settled += one
		p.ended[name] = true
	case table.Voided:
		sums.voided += one
	default: // It goes on.
	}
}

// handled adds to the handle what the lines win or lose.
func (p *performance) handled(name string, lines []table.Line, within bool) {
	for i := range lines {
		l := &lines[i]
		if l.Result == rules.GivenBack || l.Stake == 0 {
			continue
		}
		risked := l.Stake - l.Excess
		if p.risked[name] == nil {
			p.risked[name] = map[lineAt]money.Amount{}
		}
		p.risked[name][lineAt{l.Box, l.Player, l.Wager}] = risked
		if within {
			wager := at(p.wagers, wagerAt{name, l.Wager})
			wager.bets++
			p.add.to(&wager.handle, risked)
			p.add.to(&at(p.tables, name).handle, risked)
		}
	}
}

// takenBack takes out of the handle what a settlement had put there.
func (p *performance) takenBack(name string, lines []table.Line, within bool) {
	for i := range lines {
		l := &lines[i]
		if l.Stake != 0 {
			p.notRisked(name, lineAt{l.Box, l.Player, l.Wager}, within)
		}
	}
}

// notRisked takes a wager out of the handle.
func (p *performance) notRisked(name string, key lineAt, within bool) {
	risked, ok := p.risked[name][key]
	if !ok {
		return
	}
	delete(p.risked[name], key)
	if within {
		wager := at(p.wagers, wagerAt{name, key.wager})
		wager.bets--
		p.add.less(&wager.handle, risked)
		p.add.less(&at(p.tables, name).handle, risked)
	}
}

func (p *performance) posting(post *ledger.Posting) {
	name := post.For.Table
	switch {
	case post.For.Reason == ledger.Fill:
		p.add.to(&at(p.tables, name).fills, post.Amount)
	case post.For.Reason == ledger.Credit:
		p.add.to(&at(p.tables, name).credits, post.Amount)
	case post.From.Kind == ledger.Player && post.To.Kind == ledger.Layout:
		p.add.to(&at(p.tables, name).drop, post.Amount)
	case post.For.Reason == ledger.JackpotPaid || post.For.Reason == ledger.MadeGood:
		p.add.to(&at(p.tables, name).jackpot, post.Amount)
		p.add.to(&at(p.wagers, wagerAt{name, post.For.Wager}).jackpot, post.Amount)
	case post.For.Reason == ledger.Collected && post.For.Jackpot != "":
		// A jackpot that was paid goes back to where it came from.
		p.add.less(&at(p.tables, name).jackpot, post.Amount)
		p.add.less(&at(p.wagers, wagerAt{name, post.For.Wager}).jackpot, post.Amount)
	}
	if post.From.Kind != ledger.Win && post.To.Kind != ledger.Win {
		return
	}
	into := post.To.Kind == ledger.Win
	put := p.add.to
	if !into {
		put = p.add.less
	}
	switch post.For.Reason {
	case ledger.Contribution, ledger.Overflow, ledger.ContributionReturned:
		sums := at(p.tables, name)
		if into {
			p.add.less(&sums.contributed, post.Amount)
		} else {
			p.add.to(&sums.contributed, post.Amount)
		}
	default:
		put(&at(p.tables, name).win, post.Amount)
		put(&at(p.wagers, wagerAt{name, post.For.Wager}).win, post.Amount)
	}
}

func (p *performance) sections() ([]Section, []Words, error) {
	tables := Section{Title: "Tables", Columns: []Column{
		{"table", "Table", Text},
		{"rounds", "Rounds begun", Count},
		{"settled", "Rounds settled", Count},
		{"voided", "Rounds voided", Count},
		{"drop", "Bets placed", Money},
		{"handle", "Handle", Money},
		{"win", "Win", Money},
		{"hold", "Win % of handle", Percent},
		{"contributed", "To jackpots", Money},
		{"jackpot", "Jackpots paid", Money},
		{"fills", "Fills", Money},
		{"credits", "Credits", Money},
	}}
	var sum made
	for _, name := range slices.Sorted(maps.Keys(p.tables)) {
		sums := p.tables[name]
		if *sums == (made{}) {
			continue
		}
		tables.add(name, sums.rounds, sums.settled, sums.voided, sums.drop, sums.handle, sums.win, percent(sums.win, sums.handle), sums.contributed, sums.jackpot, sums.fills, sums.credits)
		sum.rounds += sums.rounds
		sum.settled += sums.settled
		sum.voided += sums.voided
		for _, pair := range [][2]*money.Amount{
			{&sum.drop, &sums.drop},
			{&sum.handle, &sums.handle},
			{&sum.win, &sums.win},
			{&sum.contributed, &sums.contributed},
			{&sum.jackpot, &sums.jackpot},
			{&sum.fills, &sums.fills},
			{&sum.credits, &sums.credits},
		} {
			p.add.to(pair[0], *pair[1])
		}
	}
	tables.Totals = Row{
		"Total", sum.rounds, sum.settled, sum.voided, sum.drop, sum.handle, sum.win, percent(sum.win, sum.handle),
		sum.contributed, sum.jackpot, sum.fills, sum.credits,
	}
	wagers := Section{Title: "Wagers", Columns: []Column{
		{"table", "Table", Text},
		{"wager", "Wager", Text},
		{"bets", "Bets", Count},
		{"handle", "Handle", Money},
		{"win", "Win", Money},
		{"hold", "Win % of handle", Percent},
		{"jackpot", "Jackpots paid", Money},
	}}
	keys := slices.SortedFunc(maps.Keys(p.wagers), func(a, b wagerAt) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.wager, b.wager))
	})
	var all made
	for _, key := range keys {
		if sums := p.wagers[key]; *sums != (made{}) {
			wagers.add(key.table, key.wager.String(), sums.bets, sums.handle, sums.win, percent(sums.win, sums.handle), sums.jackpot)
			all.bets += sums.bets
			p.add.to(&all.handle, sums.handle)
			p.add.to(&all.win, sums.win)
			p.add.to(&all.jackpot, sums.jackpot)
		}
	}
	wagers.Totals = Row{"Total", nil, all.bets, all.handle, all.win, percent(all.win, all.handle), all.jackpot}
	return append([]Section{tables, wagers}, p.chipSections()...), nil, p.add.err
}

// irregularities lists what went wrong and what was voided.
type irregularities struct {
	only   string
	kinds  map[string]bool
	rounds map[string]int
	// settled are the boxes of the latest round of each table that have been settled, and undone the
	// clause by which the settlement of one was undone.
	settled map[string]table.BoxSet
	undone  map[string]string
	list    Section
	number  map[string]int64
	sums    money.Amount
}

func newIrregularities(q *Query) *irregularities {
	return &irregularities{
		only: q.Table, rounds: map[string]int{}, number: map[string]int64{}, settled: map[string]table.BoxSet{}, undone: map[string]string{},
		kinds: kindsOf(table.BetsOpened{}, table.Settled{}, table.BoxSettled{}, table.Reported{}, table.RoundVoided{}, table.HandInvalidated{},
			table.QuestionAnswered{}, table.DecisionRestored{}, table.PaymentCorrected{}, table.SettlementUndone{},
			table.BetsReturned{}, table.StakeFound{}, table.HandRaised{}),
		list: Section{Title: "Reports, voids and invalid hands", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"table", "Table", Text},
			{"round", "Round", Count},
			{"what", "What", Text},
			{"box", "Box", Count},
			{"outcome", "Outcome", Text},
			{"clause", "Clause", Text},
			{"returned", "Returned", Money},
			{"by", "By", Text},
			{"role", "Role", Text},
			{"note", "Note", Text},
		}},
	}
}

func (g *irregularities) see(e *house.StoredTransaction, within bool) error {
	return tableEvents(e, g.kinds, func(name string, event table.Event) error {
		does := table.EffectOf(event)
		if does.Begins != 0 {
			g.rounds[name], g.settled[name] = does.Begins, table.BoxSet(0)
			delete(g.undone, name)
			return nil
		}
		again := g.again(name, &does)
		if !within || g.only != "" && g.only != name {
			return nil
		}
		round := int64(g.rounds[name])
		put := func(what string, box int, outcome, clause string, returned any, note string) {
			var number any
			if box != 0 {
				number = int64(box)
			}
			g.number[what]++
			g.list.add(e.AtMs, e.Seq, name, round, what, number, outcome, clause, returned, e.Cause.By, e.Cause.Role, note)
		}
		if does.LineUse == table.LinesCorrect {
			for i := range does.Lines {
				l := &does.Lines[i]
				what := "awarded"
				if l.Reverses != 0 {
					what = "collected"
				}
				moved, err := g.returned(does.Lines[i : i+1])
				if err != nil {
					return err
				}
				put(what, l.Box, l.Wager.String(), l.Clause, moved, l.Player)
			}
			return nil
		}
		if bet := &does.Bet; bet.Use == table.BetFound || bet.Use == table.BetRaises && stored.Name(e.Cause.Kind) == answers {
			what, more := "stake-found", found(e, name, bet)
			if bet.Use == table.BetRaises {
				what, more = "hand-raised", bet.Amount
			}
			var add adder
			add.less(&g.sums, more)
			put(what, bet.Box, bet.Wager.String(), bet.Clause, -more, bet.Player)
			return add.err
		}
		returns := func(what string, box int, clause string) error {
			returned, err := g.returned(does.Lines)
			put(what, box, "", clause, returned, "")
			return err
		}
		switch event := event.(type) { // what it is called
		case table.Reported:
			put(event.Report.Incident.String(), event.Report.Box, event.Outcome.String(), event.Clause, nil, event.Report.Note)
		case table.RoundVoided:
			return returns("round-voided", 0, event.Clause)
		case table.HandInvalidated:
			return returns("hand-invalidated", event.Box, event.Clause)
		case table.QuestionAnswered:
			for i := range event.Remedies {
				put("remedy", event.Remedies[i].Box, event.Remedies[i].Do.String(), event.Clause, nil, event.Remedies[i].Reason)
			}
		case table.DecisionRestored:
			return returns("decision-restored", event.Box, event.Clause)
		case table.SettlementUndone:
			return returns("settlement-undone", event.Box, event.Clause)
		case table.Settled, table.BoxSettled:
			for _, lines := range again {
				paid, err := g.returned(lines)
				if err != nil {
					return err
				}
				put("box-settled", lines[0].Box, "", g.undone[name], paid, "")
			}
		case table.BetsReturned:
			if takesBack[stored.Name(e.Cause.Kind)] {
				return nil
			}
			for i := range event.Lines {
				l := &event.Lines[i]
				returned, err := g.returned(event.Lines[i : i+1])
				if err != nil {
					return err
				}
				put("bets-returned", l.Box, l.Wager.String(), l.Clause, returned, l.Player)
			}
		}
		return nil
	})
}

// again returns the lines of an event that settle boxes anew, box by box: those that were settled
// before the settlement of one was undone.
func (g *irregularities) again(name string, does *table.Effect) (boxes [][]table.Line) {
	if does.LineUse == table.LinesUndo {
		g.undone[name] = does.RelaidBy
	}
	if does.LineUse != table.LinesSettle {
		return nil
	}
	before, of := g.settled[name], map[int]int{}
	for i := range does.Lines {
		l := &does.Lines[i]
		if l.Wager != rules.Envy { // which a box is paid for another one's hand too
			g.settled[name] = g.settled[name].With(l.Box)
		}
		if _, undone := g.undone[name]; !undone || !before.Has(l.Box) {
			continue
		}
		if _, known := of[l.Box]; !known {
			of[l.Box] = len(boxes)
			boxes = append(boxes, nil)
		}
		boxes[of[l.Box]] = append(boxes[of[l.Box]], *l)
	}
	return boxes
}

// answers is the command by which a person decides, and takesBack those by which bets go back
// though nothing went wrong.
var (
	answers   = record.Actions.Name(table.Answer{})
	takesBack = map[string]bool{record.Actions.Name(table.Withdraw{}): true, record.Actions.Name(table.CloseBets{}): true}
)

// returned returns the sum that lines give back, less what they collect again.
func (g *irregularities) returned(lines []table.Line) (sum money.Amount, err error) {
	var add adder
	for i := range lines {
		add.to(&sum, lines[i].Net())
	}
	add.to(&g.sums, sum)
	return sum, add.err
}

func (g *irregularities) sections() ([]Section, []Words, error) {
	g.list.Totals = Row{"Total", nil, nil, nil, nil, nil, nil, nil, g.sums, nil, nil, nil}
	number := Section{Title: "By kind", Columns: []Column{{"what", "What", Text}, {"number", "Number", Count}}}
	for _, what := range slices.Sorted(maps.Keys(g.number)) {
		number.add(what, g.number[what])
	}
	return []Section{number, g.list}, nil, nil
}

// largeWins lists wagers that were paid a threshold or more.
type largeWins struct {
	table, player string
	threshold     money.Amount // a cent at least
	kinds         map[string]bool
	rounds        map[string]int
	// latest holds the wins of the latest round of each table, of any amount: they may still be
	// collected again or put right.
	latest map[string][]*wonWager
	list   Section
	// large holds the wins that are listed, and of those beyond the room of a list the jackpots:
	// they may still be denied. number and paid count all.
	large  []*wonWager
	number int
	paid   money.Amount
}

// wonWager is a wager that was paid something in the period.
type wonWager struct {
	atMs, seq, round int64
	table            string
	line             table.Line
	pays             money.Amount
}

func newLargeWins(q *Query) *largeWins {
	return &largeWins{
		table: q.Table, player: q.Player, threshold: q.Threshold,
		kinds: kindsOf(table.BetsOpened{}, table.Settled{}, table.BoxSettled{}, table.SettlementUndone{}, table.PaymentCorrected{},
			table.BetsReturned{}, table.RoundVoided{}, table.HandInvalidated{}), rounds: map[string]int{}, latest: map[string][]*wonWager{},
		list: Section{Title: "Wins", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"table", "Table", Text},
			{"round", "Round", Count},
			{"box", "Box", Count},
			{"player", "Player", Text},
			{"wager", "Wager", Text},
			{"hand", "Hand", Text},
			{"stake", "Stake", Money},
			{"pays", "Pays", Money},
			{"clause", "Clause", Text},
		}},
	}
}

func (g *largeWins) see(e *house.StoredTransaction, within bool) error {
	if err := g.denied(e); err != nil {
		return err
	}
	var add adder
	err := tableEvents(e, g.kinds, func(name string, event table.Event) error {
		does := table.EffectOf(event)
		if does.Begins != 0 {
			g.close(name, &add)
			g.rounds[name] = does.Begins
		}
		corrects := does.LineUse == table.LinesCorrect
		asked := within && (corrects || does.LineUse == table.LinesSettle) && (g.table == "" || g.table == name)
		for i := range does.Lines {
			l := &does.Lines[i]
			if !corrects {
				g.collected(name, l)
			}
			if !asked || g.player != "" && g.player != l.Player {
				continue
			}
			if corrects && g.putRight(name, l, &add) || l.Pays == 0 {
				continue
			}
			g.latest[name] = append(g.latest[name], &wonWager{e.AtMs, e.Seq, int64(g.rounds[name]), name, *l, l.Pays})
		}
		return nil
	})
	return errors.Join(err, add.err)
}

// of reports whether a line is of the same wager.
func (w *wonWager) of(l *table.Line) bool {
	return w.line.Box == l.Box && w.line.Player == l.Player && w.line.Wager == l.Wager
}

// putRight adds what is awarded on a wager to what it was paid, and takes away what is collected;
// false where it was paid nothing in the period.
func (g *largeWins) putRight(name string, l *table.Line, add *adder) bool {
	i := slices.IndexFunc(g.latest[name], func(w *wonWager) bool { return w.of(l) })
	if i < 0 {
		return false
	}
	add.to(&g.latest[name][i].pays, l.Net())
	return true
}

// close takes the wins of the latest round of a table that are large.
func (g *largeWins) close(name string, add *adder) {
	for _, w := range g.latest[name] {
		if !g.isLarge(w) {
			continue
		}
		g.number++
		add.to(&g.paid, w.pays)
		if len(g.large) < MaxRows || w.line.Wager == rules.Progressive {
			g.large = append(g.large, w)
		}
	}
	delete(g.latest, name)
}

func (g *largeWins) isLarge(w *wonWager) bool { return w.pays >= g.threshold }

// denied takes out the jackpot that was held for its winner and does not stand.
func (g *largeWins) denied(e *house.StoredTransaction) error {
	reversed := record.JackpotEvents.Name(jackpot.HitReversed{})
	return eventsOf(e, "jackpot:", func(_, kind string) bool { return kind == reversed }, record.JackpotEvents.Read, func(_ string, event jackpot.Event) error {
		hit, ok := event.(jackpot.HitReversed)
		if !ok || hit.Clause == "" {
			return nil
		}
		same := func(w *wonWager) bool {
			return w.table == hit.Hit.Table && strconv.FormatInt(w.round, 10) == hit.Hit.Round && w.line.Box == hit.Hit.Box &&
				w.line.Wager == rules.Progressive && w.line.Pays == hit.Amount
		}
		for _, w := range g.latest[hit.Hit.Table] {
			if same(w) {
				w.pays -= hit.Amount
			}
		}
		g.large = slices.DeleteFunc(g.large, func(w *wonWager) bool {
			if !same(w) {
				return false
			}
			w.pays -= hit.Amount
			g.paid -= hit.Amount
			if g.isLarge(w) {
				return false
			}
			g.number--
			g.paid -= w.pays
			return true
		})
		return nil
	})
}

// collected takes out the win that was collected again: the settlement of its box is undone, or
// its hand or round is out. A box has an Envy Bonus for each hand that brings one, and each is
// collected by a line of its own.
func (g *largeWins) collected(name string, l *table.Line) {
	if l.Reverses == 0 {
		return
	}
	gone := false
	g.latest[name] = slices.DeleteFunc(g.latest[name], func(w *wonWager) bool {
		same := w.of(l)
		if same && l.Wager == rules.Envy {
			same = !gone && w.pays == l.Reverses
		}
		gone = gone || same
		return same
	})
}

func (g *largeWins) sections() ([]Section, []Words, error) {
	var add adder
	for _, name := range slices.Sorted(maps.Keys(g.latest)) {
		g.close(name, &add)
	}
	slices.SortStableFunc(g.large, func(a, b *wonWager) int { return cmp.Compare(a.seq, b.seq) })
	for _, w := range g.large[:min(len(g.large), MaxRows)] {
		l, hand := &w.line, ""
		if l.Combo != 0 {
			hand = l.Combo.String()
		}
		g.list.add(w.atMs, w.seq, w.table, w.round, int64(l.Box), l.Player, l.Wager.String(), hand, l.Stake, w.pays, l.Clause)
	}
	g.list.LeftOut = g.number - len(g.list.Rows)
	g.list.Totals = Row{"Total", nil, nil, nil, nil, nil, nil, nil, nil, g.paid, nil}
	return []Section{g.list}, nil, add.err
}
