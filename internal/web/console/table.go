package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/timeup"
	"trey/internal/record"
	"trey/internal/web/felt"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// tableView is a table as a member of the staff sees it.
type tableView struct {
	house.TableStatus
	question *table.OpenQuestion // the open one, nil for none
	person   identity.Session
	picture  felt.Table
	events   []pit.TimedLine
	// flow are the steps of the round that are possible now, hands what can be
	// entered for each box, and orders what the house decides about the table.
	flow   []act
	hands  []handActs
	orders []act
	// incidents are those that can be reported now.
	incidents []rules.Incident
	answers   []answerTo
	// timeUp ends the players' time, nil where nothing is awaited of them; warning is the
	// one that they were given, nil for none. timeKept is the reason why this person may not
	// end it now, nil if they may.
	timeUp   *act
	warning  *timeup.Warning
	timeKept error
	bets     bool
	// found says that chips on the layout can be stated.
	found bool
	// shows are the hands that can be turned or laid up and whose cards are not known.
	shows []keyedHand
	// nextBox is the box that is settled next, and payments what is taken and paid.
	nextBox  int
	payments []payment
	// last are the bets of the last round, while bets are placed.
	last     []table.Bet
	used     card.Set // the cards that everybody sees
	alerts   []pit.Alert
	pending  int
	meter    money.Amount
	hasMeter bool
	draining bool
	nowMs    int64
}

// act is one thing that can be done now.
type act struct {
	kind  string
	label string
	do    table.Action
	// cards is the number of cards that have to be named, and most the largest number that can
	// be.
	cards, most int
	// strong marks what comes next.
	strong bool
}

// body returns the action as the form carries it.
func (a *act) body() string {
	written, err := record.Actions.Write(a.do)
	if err != nil {
		panic(fmt.Sprintf("console: %v", err)) // actions are plain values
	}
	return string(written.Body)
}

// handActs are the possible entries for one player's hand.
type handActs struct {
	box    int
	player string
	acts   []act
}

// answerTo is one answer that the book allows to the open question.
type answerTo struct {
	act
	then   rules.Outcome
	clause string
	order  int // how many cards are to be put in order
	// remedies says that the answer lists what is done.
	remedies bool
}

func (d *handlers) tableOf(v *site.Visit, s identity.Session) (*tableView, error) {
	name := v.Request.PathValue("table")
	status, err := d.House.Status(name)
	if errors.Is(err, house.ErrNoTable) {
		return nil, v.NotFound()
	}
	if err != nil {
		return nil, err
	}
	picture := status.State.View(table.Viewer{})
	t := &tableView{TableStatus: status, question: status.State.Question(s.Actor()), person: s, picture: felt.Of(status.State.Variant(), &picture), draining: d.House.Draining()}
	if status.Jackpot != "" {
		if state, ok := d.House.Jackpot(status.Jackpot); ok {
			t.meter, t.hasMeter = state.Displayed(), true
		}
	}
	if t.events, err = pit.Latest(v.Context(), d.House, d.Record, name); err != nil {
		return nil, err
	}
	for _, faces := range append([][]card.Card{picture.Dealer, picture.Burn}, boxCards(&picture)...) {
		for _, c := range faces {
			if c.Valid() {
				t.used = t.used.With(c)
			}
		}
	}
	if status.Stopped == nil {
		t.possible(v)
	}
	if t.timeUp != nil {
		t.timeKept = d.House.CheckMove(&status, s.Person, t.timeUp.do)
	}
	t.nextBox = picture.SettleNext
	if t.payments, err = d.payments(v, t); err != nil {
		return nil, err
	}
	if t.bets {
		if t.last, err = d.lastBets(v.Context(), t); err != nil {
			return nil, err
		}
	}
	t.nowMs = d.NowMs()
	if w, ok := d.Warnings.At(name, timeup.MomentOf(status.State), t.nowMs); ok && t.timeUp != nil {
		t.warning = &w
	}
	tables, err := pit.Tables(d.House)
	if err != nil {
		return nil, err
	}
	t.alerts = pit.At(name, d.alerts(tables))
	t.pending = len(d.House.Proposals())
	return t, nil
}

func boxCards(p *table.Picture) (all [][]card.Card) {
	for i := range p.Boxes {
		all = append(all, p.Boxes[i].Cards)
	}
	return all
}

// playersRead reports whether whoever bets in a round here can have its record, and reads in it
// what the staff write: they can where its cards are the house's own.
func (t *tableView) playersRead() bool { return t.Config.Cards == table.Virtual }

// possible sorts what the engine says is legal into what the page shows.
func (t *tableView) possible(v *site.Visit) {
	s := t.State
	for _, do := range s.Legal(t.person.Actor()) {
		if t.person.CheckAction(do) != nil || t.CheckBehalf(t.person.Person, do) != nil {
			continue
		}
		kind := record.Actions.Name(do)
		a := act{kind: kind, do: do}
		switch do := do.(type) {
		case table.FinishDeal:
			if endsSoon(s) {
				a.label = v.T("console.do-" + kind)
				t.flow = append(t.flow, a)
			}
		case table.OpenTable, table.OpenBets, table.CloseBets, table.CloseTable, table.RestoreProgressive:
			a.label = v.T("console.do-" + kind)
			t.flow = append(t.flow, a)
		case table.Expire:
			a.label = v.T("console.do-expire")
			t.timeUp = &a
		case table.Settle:
			a.do, a.label = table.Settle{Box: do.Box}, v.T("console.do-settle")
			switch some := s.PaysInSteps(); {
			case do.Box != 0 && s.Config().Cards == table.Virtual:
				continue // The program pays; there is nothing to do one after the other.
			case do.Box != 0:
				a.label = v.T("console.do-settle-box", "box", do.Box)
			case some, t.State.Config().Cards != table.Virtual:
				a.label = v.T("console.do-settle-rest")
			}
			t.flow = append(t.flow, a)
		case table.Deal:
			a.do, a.label, a.most = table.Deal{}, v.T("console.do-deal"), len(do.Cards)
			if s.Config().Cards == table.Read {
				a.cards = 1
			}
			t.flow = append(t.flow, a)
		case table.Reveal:
			a.label = v.T("console.do-reveal")
			a.do, a.cards = table.Reveal{}, unknown(s, table.DealerHand)
			a.most = a.cards
			t.flow = append(t.flow, a)
		case table.LayUp:
			a.do, a.label, a.cards = table.LayUp{Box: do.Box}, v.T("console.do-lay-up"), unknown(s, table.Box(do.Box))
			a.most = a.cards
			t.show(table.Box(do.Box), a)
		case table.Show:
			a.do, a.label, a.cards = table.Show{Box: do.Box}, v.T("console.do-show"), unknown(s, table.Box(do.Box))
			a.most = a.cards
			t.show(table.Box(do.Box), a)
		case table.KeepDown:
			a.label = v.T("console.do-keep-down")
			t.hand(do.Box, "", a)
		case table.Examine:
			a.label = v.T("console.do-examine")
			t.hand(do.Box, do.Player, a)
		case table.Raise:
			a.label = v.T("console.do-raise")
			t.hand(do.Box, do.Player, a)
		case table.Fold:
			a.label = v.T("console.do-fold")
			t.hand(do.Box, do.Player, a)
		case table.Choose:
			a.label = v.T("console.do-go-on")
			if do.Return {
				a.label = v.T("console.do-take-back")
			}
			t.hand(do.Box, do.Player, a)
		case table.AskWithdrawal:
			a.label = v.T("console.do-ask-withdrawal")
			t.hand(do.Box, do.Player, a)
		case table.Withdraw:
			a.label = v.T("console.do-withdraw", "wager", v.Term(do.Wager.Name()))
			t.hand(do.Box, do.Player, a)
		case table.RestrictPlayer:
			a.label = v.T("console.do-restrict", "player", do.Player)
			if do.Lift {
				a.label = v.T("console.do-lift", "player", do.Player)
			}
			t.orders = append(t.orders, a)
		case table.RestrictAreas:
			a.label = v.T("console.do-areas", "n", do.Max)
			if do.Max == 0 {
				a.label = v.T("console.do-areas-book")
			}
			t.orders = append(t.orders, a)
		case table.SuspendProgressive:
			a.label = v.T("console.do-suspend-" + do.Option.String())
			if len(do.Boxes) > 0 {
				a.label += ": " + v.T("felt.box", "n", do.Boxes[0])
			}
			t.orders = append(t.orders, a)
		case table.Answer:
			t.answer(v, a, do)
		case table.Report:
			if !slices.Contains(t.incidents, do.Incident) {
				t.incidents = append(t.incidents, do.Incident)
			}
		case table.Bet:
			t.bets = true
		}
	}
	t.bets = s.Phase() == table.Betting && t.question == nil && t.person.Role.Can(access.EnterBets)
	switch s.Phase() {
	case table.Betting, table.Dealing, table.Deciding, table.Showing:
		t.found = s.Config().Chips && t.question == nil && t.person.CheckAction(table.Found{}) == nil
	default:
	}
	slices.Sort(t.incidents)
	// Hands are shown and paid in the order of the book.
	if s.Phase() == table.Showing && s.Variant().Book.Order.FromRight {
		slices.SortStableFunc(t.hands, func(a, b handActs) int { return b.box - a.box })
	}
	// Whoever has to decide comes before those who may still look.
	decides := func(h handActs) int {
		if slices.ContainsFunc(h.acts, func(a act) bool { return a.kind == "raise" || a.kind == "fold" || a.kind == "choose" }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(t.hands, func(a, b handActs) int { return decides(a) - decides(b) })
	t.next()
}

// show offers a hand to be turned or laid up: among those whose cards are named, or by a
// button where the house knows them.
func (t *tableView) show(p table.Place, a act) {
	if a.cards == 0 {
		box, _ := strconv.Atoi(placeKey(p))
		for i := range t.hands {
			if t.hands[i].box == box && slices.ContainsFunc(t.hands[i].acts, func(other act) bool { return other.kind == a.kind }) {
				return // the engine lists a second one for a folded hand that counts
			}
		}
		t.hand(box, "", a)
		return
	}
	if !slices.ContainsFunc(t.shows, func(h keyedHand) bool { return h.place == p && h.kind == a.kind }) {
		t.shows = append(t.shows, keyedHand{a, p})
	}
}

func (t *tableView) hand(box int, player string, a act) {
	for i := range t.hands {
		if t.hands[i].box == box && (t.hands[i].player == player || player == "") {
			t.hands[i].acts = append(t.hands[i].acts, a)
			return
		}
	}
	t.hands = append(t.hands, handActs{box, player, []act{a}})
	slices.SortStableFunc(t.hands, func(a, b handActs) int { return a.box - b.box })
}

func (t *tableView) answer(v *site.Visit, a act, do table.Answer) {
	reply := answerTo{act: a}
	for _, allowed := range t.question.Answers {
		if allowed.Key == do.Answer {
			reply.then, reply.clause = allowed.Then, allowed.Clause
		}
	}
	if len(t.question.Answers) == 0 || do.Answer == "order" {
		reply.order = len(do.Order)
	}
	if reply.then == rules.Remedy {
		// The engine lists one answer for each thing that could be done; the form
		// has room for several.
		if slices.ContainsFunc(t.answers, func(a answerTo) bool { return a.then == rules.Remedy }) {
			return
		}
		reply.remedies = true
	}
	reply.do = table.Answer{Answer: do.Answer}
	reply.label = v.T("console.answer-" + do.Answer)
	if t.question.Key == table.ConfirmFacts {
		reply.label = v.T("console.answer-facts-" + do.Answer)
	}
	t.answers = append(t.answers, reply)
}

// effect says what follows an answer. After a card that was entered wrongly, or a stake that
// was found, the round goes on, also where money moves for it: the person who confirms it reads
// that.
func (t *tableView) effect(v *site.Visit, a *answerTo) string {
	if reply, ok := a.do.(table.Answer); ok && reply.Answer == "yes" {
		switch {
		case t.question.Found != (table.Found{}):
			return v.T("console.answer-found-yes")
		case t.question.Report.Incident == rules.CardMisread:
			return v.T("console.answer-misread-yes")
		}
	}
	return v.T("outcome." + a.then.String())
}

// order lists the steps as they are offered; the first possible one is usually the next.
var order = []string{"open-table", "open-bets", "close-bets", "deal", "reveal", "settle", "finish-deal", "restore-progressive", "close-table"}

func (t *tableView) next() {
	if len(t.shows) > 0 && t.State.Phase() == table.Showing && !t.paysNext() {
		return // a hand is turned first
	}
	slices.SortStableFunc(t.flow, func(a, b act) int {
		if one, other := settlesOne(&a), settlesOne(&b); a.kind == b.kind && one != other {
			return map[bool]int{true: -1, false: 1}[one]
		}
		return slices.Index(order, a.kind) - slices.Index(order, b.kind)
	})
	for i := range t.flow {
		a := &t.flow[i]
		if a.kind == "close-table" || a.kind == "finish-deal" {
			continue
		}
		a.strong = true
		return
	}
}

// paysNext reports whether a box is settled before another hand is turned. That is so where the
// book has the dealer turn and pay one hand after the other.
func (t *tableView) paysNext() bool {
	return t.State.Variant().Book.Order.OneByOne != "" && slices.ContainsFunc(t.flow, func(a act) bool { return settlesOne(&a) })
}

// burnsNow reports whether the cards that are left are burnt now: by hand, when all are dealt
// and before anybody has decided.
func (t *tableView) burnsNow() bool {
	device, ok := t.State.Variant().Book.Device(t.Config.Device)
	return ok && device.StubClause != "" && t.Config.Cards != table.Virtual && t.State.Phase() == table.Deciding &&
		!slices.ContainsFunc(t.picture.Boxes, func(b felt.Box) bool { return b.Decision == table.Played || b.Decision == table.Folded })
}

// settlesOne reports whether a step settles a single box: dealers pay one after the other.
func settlesOne(a *act) bool {
	settle, ok := a.do.(table.Settle)
	return ok && settle.Box != 0
}

// unknown returns the number of cards at a place that the house does not know.
func unknown(s house.State, at table.Place) (n int) {
	for _, known := range s.Known(at) {
		if !known {
			n++
		}
	}
	return n
}

// parts returns the parts of the page that change as the table does.
func (t *tableView) parts(v *site.Visit) []live.Part {
	return []live.Part{
		{ID: "k-head", Body: tableHead(v, t)},
		{ID: "k-felt", Body: dealerFelt(v, t)},
		{ID: "k-flow", Body: tableFlow(v, t)},
		{ID: "k-ask", Body: tableQuestion(v, t)},
		{ID: "k-hands", Body: tableHands(v, t)},
		{ID: "k-bets", Body: tableBets(v, t)},
		{ID: "k-incidents", Body: tableIncidents(v, t)},
		{ID: "k-orders", Body: tableOrders(v, t)},
		{ID: "k-told", Body: pit.TimedLines(v, t.events)},
		{ID: "k-found", Body: tableFound(v, t)},
		{ID: "k-time", Body: tableTime(v, t)},
		{ID: "k-pay", Body: tablePay(v, t)},
		{ID: "k-links", Body: tableLinks(v, t)},
		{ID: "k-lines", Body: tableLines(v, t)},
	}
}

// do carries out what a button or a form of the page stands for.
func (d *handlers) do(v *site.Visit) error {
	s, ok, err := d.staff(v)
	if !ok {
		return err
	}
	form, err := v.Form(16 << 10)
	if err != nil {
		return err
	}
	if form.Get("kind") == "again" {
		said, err := d.betAgain(v, s, form)
		if err != nil {
			return err
		}
		return d.answer(v, s, said)
	}
	action, said := d.read(v, form)
	if said == nil {
		o := house.CommandRequest{Key: key(form.Get("key")), Table: v.Request.PathValue("table"), By: s.Person, Do: action}
		if _, ends := action.(table.Expire); ends {
			if said, err = d.endTime(v, o); err != nil {
				return err
			}
		} else if _, err = d.House.Do(v.Context(), o); err == nil {
			said = done(v.T("console.done"))
		} else if said, err = refused(v, err); err != nil {
			return err
		}
	}
	return d.answer(v, s, said)
}

// answer shows the outcome of a request at a table.
func (d *handlers) answer(v *site.Visit, s identity.Session, said *answer) error {
	home := "/console/" + url.PathEscape(v.Request.PathValue("table"))
	return said.give(v, home, func() error { return d.showTable(v, s, said, nil) })
}

// read reads an action out of a form: its kind and body, and beside them what
// people type.
func (d *handlers) read(v *site.Visit, form url.Values) (table.Action, *answer) {
	body := form.Get("body")
	if body == "" {
		body = "{}"
	}
	do, err := record.Actions.Parse(form.Get("kind"), []byte(body))
	if err != nil {
		return nil, malformed(v, v.T("problem.form"))
	}
	var cards []table.Drawn
	if text := form.Get("cards"); text != "" {
		if cards, err = parseCards(text); err != nil {
			return nil, malformed(v, v.T("console.cards-wrong", "text", err.Error()))
		}
	}
	hand := func(at table.Place) []card.Card { return d.turned(v.Request.PathValue("table"), at, cards) }
	switch action := do.(type) {
	case table.Deal:
		action.Cards, action.SkipBurn = cards, form.Get("skip-burn") != ""
		if n, err := strconv.Atoi(form.Get("unseen")); err == nil && len(cards) == 0 && n > 0 && n <= 52 {
			action.Cards = make([]table.Drawn, n)
		}
		return action, nil
	case table.Reveal:
		action.Hand = hand(table.DealerHand)
		return action, nil
	case table.Show:
		action.Hand = hand(table.Box(action.Box))
		return action, nil
	case table.LayUp:
		action.Hand = hand(table.Box(action.Box))
		return action, nil
	case table.Bet:
		bet, wrong := readBet(v, form)
		if wrong != nil {
			return nil, wrong
		}
		return bet, nil
	case table.Found:
		bet, wrong := readBet(v, form)
		if wrong != nil {
			return nil, wrong
		}
		return table.Found{Box: bet.Box, Player: bet.Player, Wager: bet.Wager, Amount: bet.Amount, AtCall: form.Get("at-call") != ""}, nil
	case table.Answer:
		for _, word := range strings.Fields(form.Get("order")) {
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil, malformed(v, v.T("console.order-wrong"))
			}
			action.Order = append(action.Order, n)
		}
		if action.Answer == answerOfRemedies {
			var wrong *answer
			if action.Remedies, wrong = readRemedies(v, form); wrong != nil {
				return nil, wrong
			}
		}
		return action, nil
	default:
		return do, nil
	}
}

// turned returns a hand as the form names it: people key in the cards that they turn, but not
// those that the house knows already.
func (d *handlers) turned(name string, at table.Place, keyed []table.Drawn) (hand []card.Card) {
	s, err := d.House.Table(name)
	if err == nil && len(keyed) > 0 && len(keyed) == unknown(s, at) {
		for _, known := range s.Known(at) {
			if known {
				hand = append(hand, card.None)
				continue
			}
			hand, keyed = append(hand, keyed[0].Card), keyed[1:]
		}
	}
	for _, c := range keyed {
		hand = append(hand, c.Card)
	}
	return hand
}

func readBet(v *site.Visit, form url.Values) (table.Bet, *answer) {
	box, err := strconv.Atoi(form.Get("box"))
	if err != nil {
		return table.Bet{}, malformed(v, v.T("problem.form"))
	}
	wager, err := rules.ParseWager(form.Get("wager"))
	if err != nil {
		return table.Bet{}, malformed(v, v.T("problem.form"))
	}
	text := form.Get("chip") // a chip of the rack that was touched
	if text == "" {
		text = form.Get("amount")
	}
	amount, err := money.Parse(strings.TrimSpace(text))
	if err != nil {
		return table.Bet{}, malformed(v, v.T("console.amount-wrong"))
	}
	return table.Bet{
		Box: box, Player: strings.TrimSpace(form.Get("player")), Wager: wager, Amount: amount, Standing: form.Get("standing") != "",
	}, nil
}

// parseCards reads cards as they are typed: "Qh", "10s", "qH" or "??" for one
// that is not seen, with ">3", ">dealer" or ">out" behind one that was dealt to
// another place than the next, and "!" behind one that lay face up.
func parseCards(text string) ([]table.Drawn, error) {
	var cards []table.Drawn
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' || r == '\r' }) {
		var c table.Drawn
		face, to, moved := strings.Cut(word, ">")
		if moved {
			place, err := table.ParsePlace(strings.TrimSuffix(to, "!"))
			if err != nil || place == 0 {
				return nil, fmt.Errorf("%q", word)
			}
			c.To = place
		}
		c.FaceUp = strings.HasSuffix(word, "!")
		face = strings.TrimSuffix(face, "!")
		if face != "??" {
			known, err := typed(face)
			if err != nil {
				return nil, fmt.Errorf("%q", word)
			}
			c.Card = known
		}
		cards = append(cards, c)
	}
	if len(cards) > 52 {
		return nil, errors.New("> 52")
	}
	return cards, nil
}

// typed reads one card however somebody in a hurry writes it.
func typed(text string) (card.Card, error) {
	text = strings.Replace(text, "10", "T", 1)
	if len(text) == 2 {
		text = strings.ToUpper(text[:1]) + strings.ToLower(text[1:])
	}
	return card.Parse(text)
}

// wagers returns the wagers that can be entered.
func (t *tableView) wagers() (all []rules.Wager) {
	b := t.State.Variant().Book
	for i := range b.Wagers {
		if w := &b.Wagers[i]; w.Stake != rules.EqualToBasis && w.Stake != rules.NoStake {
			all = append(all, w.Wager)
		}
	}
	return all
}

// offered returns the wagers on which bets are taken: none on the Progressive while the table
// plays on without it.
func (t *tableView) offered() []rules.Wager {
	b := t.State.Variant().Book
	return slices.DeleteFunc(t.wagers(), func(w rules.Wager) bool {
		return b.Rule(w).Stake == rules.Prescribed && t.State.DownOption() == table.WithoutProgressive
	})
}

// areas returns the betting areas of the layout, Play's among them.
func (t *tableView) areas() (all []rules.Wager) {
	b := t.State.Variant().Book
	for i := range b.Wagers {
		if w := &b.Wagers[i]; w.Stake != rules.NoStake {
			all = append(all, w.Wager)
		}
	}
	return all
}

// endsSoon reports whether a deal can be at its end although the record still expects cards.
// Either a card lies elsewhere than it was meant to, or the last hand alone lacks some.
func endsSoon(s house.State) bool {
	if s.Misplaced() {
		return true
	}
	left := s.ToCome()
	return !slices.ContainsFunc(left, func(p table.Place) bool { return p != left[0] })
}

// players returns those who have bet, for the field in which a name is typed.
func (t *tableView) players() (all []string) {
	for box := 1; box <= t.State.Boxes(); box++ {
		for _, bettor := range t.State.Bettors(box) {
			if p := bettor.Player; !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// playerOf returns who bets at a box: now, else in the last round, else nobody.
func (t *tableView) playerOf(box int) string {
	if all := t.State.Bettors(box); len(all) > 0 {
		return all[0].Player
	}
	for _, bet := range t.last {
		if bet.Box == box {
			return bet.Player
		}
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }

// path returns an address of the table's console.
func (t *tableView) path(rest string) string { return "/console/" + url.PathEscape(t.Name) + rest }

func tablePath(name, rest string) templ.SafeURL {
	return templ.SafeURL("/console/" + url.PathEscape(name) + rest)
}
