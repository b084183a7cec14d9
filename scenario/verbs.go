package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// verbs holds the commands of a scenario. It is filled in init because want and the
// commands look at each other.
var verbs map[string]func(*run, *line) error

func init() {
	verbs = map[string]func(*run, *line) error{
		"open":       (*run).open,
		"table":      (*run).table,
		"round":      simple(rules.Dealer, table.OpenBets{}),
		"open-table": simple(rules.PitSupervisor, table.OpenTable{}), "close-table": simple(rules.PitSupervisor, table.CloseTable{}),
		"bet": (*run).bet, "withdraw": (*run).withdraw, "found": (*run).found,
		"close": simple(rules.Dealer, table.CloseBets{}),
		"deal":  (*run).deal, "draw": (*run).draw, "finish-deal": simple(rules.Dealer, table.FinishDeal{}),
		"examine": (*run).examine, "play": (*run).play, "fold": (*run).fold, "lay-up": (*run).layUp,
		"show": (*run).show, "keep-down": (*run).keepDown, "reveal": (*run).reveal, "settle": (*run).settle,
		"report": (*run).report, "answer": (*run).answer, "choose": (*run).choose,
		"ask-withdrawal": (*run).askWithdrawal, "expire": simple(rules.Dealer, table.Expire{}),
		"restrict-player": (*run).restrictPlayer, "restrict-areas": (*run).restrictAreas,
		"suspend-progressive": (*run).suspend,
		"restore-progressive": simple(rules.PitSupervisor, table.RestoreProgressive{}),
		"want":                (*run).want,
	}
}

func verbNames() []string { return slices.Sorted(maps.Keys(verbs)) }

func staff(role rules.Role) table.Actor { return table.Actor{Name: role.String(), Role: role} }

func player(name string) table.Actor { return table.Actor{Name: name, Role: rules.Player} }

// simple returns the function of a verb that takes no words.
func simple(role rules.Role, do table.Action) func(*run, *line) error {
	return func(r *run, l *line) error { return r.send(l, newArgs(l), staff(role), do) }
}

func (r *run) open(l *line) error {
	o, err := r.readOpening(l)
	if err != nil {
		return err
	}
	if r.tables[o.table] != nil {
		return fmt.Errorf("table %s is open already: call the next one table=B", o.table)
	}
	s, err := r.engine.Open(o.table, o.variant, o.config, o.meter)
	if err != nil {
		return err
	}
	if len(r.tables) == 0 {
		if err := r.script.checkHead(o.variant.Book); err != nil {
			return err
		}
	}
	r.at = &seat{name: o.table, start: s, state: s, legal: options{}}
	r.tables[o.table] = r.at
	if j, ok := r.engine.Progressive(); ok && r.first == nil {
		r.first = &j
	}
	if o.waiting {
		return nil
	}
	r.clock += 1000
	return r.command(l, table.Command{By: staff(rules.Dealer), AtMs: r.clock, Do: table.OpenBets{}})
}

func (r *run) table(l *line) error {
	a := newArgs(l)
	name, err := a.bare("which table")
	if err != nil {
		return err
	}
	if r.tables[name] == nil {
		return fmt.Errorf("table %s has not been opened", name)
	}
	r.at = r.tables[name]
	return a.rest()
}

// boxAndPlayer reads box= and player=; without player= it is the box's own.
func (r *run) boxAndPlayer(a *args) (box int, name string, err error) {
	box, given, err := a.number("box")
	if err != nil {
		return 0, "", err
	}
	if !given {
		return 0, "", errors.New("say which box: box=1")
	}
	if name = a.text("player"); name == "" && box >= 1 && box <= len(r.state().Boxes) {
		name = r.state().Boxes[box-1].Player()
	}
	return box, name, nil
}

// stakes takes the wagers with their amounts, in the order of the line.
func stakes(a *args) (wagers []rules.Wager, amounts []money.Amount, err error) {
	for i, w := range a.words {
		wager, err := rules.ParseWager(w.Key)
		if err != nil || a.taken[i] {
			continue
		}
		a.taken[i] = true
		amount, err := money.Parse(w.Value)
		if err != nil {
			return nil, nil, err
		}
		wagers, amounts = append(wagers, wager), append(amounts, amount)
	}
	if wagers == nil {
		for i, w := range a.words {
			if _, err := money.Parse(w.Value); w.Key != "" && !a.taken[i] && err == nil {
				_, err := rules.ParseWager(w.Key)
				return nil, nil, err
			}
		}
		return nil, nil, errors.New("say how much on what: ante=10")
	}
	return wagers, amounts, nil
}

func (r *run) bet(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	standing := a.flag("standing")
	wagers, amounts, err := stakes(a)
	if err != nil {
		return err
	}
	var actions []table.Action
	for i := range wagers {
		actions = append(actions, table.Bet{Box: box, Player: name, Wager: wagers[i], Amount: amounts[i], Standing: standing})
	}
	return r.send(l, a, player(name), actions...)
}

func (r *run) found(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	atCall := a.flag("at-call")
	wagers, amounts, err := stakes(a)
	if err != nil {
		return err
	}
	var actions []table.Action
	for i := range wagers {
		actions = append(actions, table.Found{Box: box, Player: name, Wager: wagers[i], Amount: amounts[i], AtCall: atCall})
	}
	return r.send(l, a, staff(rules.Dealer), actions...)
}

func (r *run) withdraw(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	var actions []table.Action
	for _, text := range a.bares() {
		w, err := rules.ParseWager(text)
		if err != nil {
			return err
		}
		actions = append(actions, table.Withdraw{Box: box, Player: name, Wager: w})
	}
	if actions == nil {
		return errors.New("say what is taken back: withdraw box=1 pair-plus")
	}
	return r.send(l, a, player(name), actions...)
}

// used returns the cards of the round whose faces the house has.
func (r *run) used() card.Set {
	var set card.Set
	for _, c := range r.state().Slots {
		set = set.With(c.Card)
	}
	return set
}

// deal deals all cards that are still to come: the hands given, the others
// filled in.
func (r *run) deal(l *line) error {
	a := newArgs(l)
	skip := a.flag("skip-burn")
	given := map[table.Place][]card.Card{}
	var all card.Set
	add := func(p table.Place, text string) error {
		cards, err := card.ParseFaces(text)
		if err != nil {
			return err
		}
		if given[p] != nil {
			return fmt.Errorf("%s is given cards twice", named(p))
		}
		given[p] = cards
		all = all.Union(card.NewSet(cards...))
		return nil
	}
	for i, w := range a.words {
		if a.taken[i] {
			continue
		}
		switch w.Key {
		case "box", "dealer", "burn":
			a.taken[i] = true
			p, text := w.Key, w.Value
			if w.Key == "box" {
				if i+1 == len(a.words) || a.words[i+1].Key != "" || a.taken[i+1] {
					return fmt.Errorf("after box=%s stands its hand: box=%s 'Qh 6d 4c'", w.Value, w.Value)
				}
				a.taken[i+1] = true
				p, text = w.Value, a.words[i+1].Value
			}
			place, err := table.ParsePlace(p)
			if err != nil {
				return err
			}
			if err := add(place, text); err != nil {
				return err
			}
		}
	}
	places := r.state().ToCome()
	if skip && len(places) > 0 {
		places = places[1:]
	}
	count := map[table.Place]int{}
	for _, p := range places {
		count[p]++
	}
	used := r.used().Union(all)
	for _, p := range slices.Sorted(maps.Keys(given)) {
		if r.state().Phase != table.Dealing { // the engine says why not now
			places = append(places, slices.Repeat([]table.Place{p}, len(given[p]))...)
		} else if len(given[p]) != count[p] {
			return fmt.Errorf("%s is still to get %d cards, and %d are given", named(p), count[p], len(given[p]))
		}
	}
	for _, p := range places {
		if given[p] == nil {
			given[p] = r.open3(count[p], used)
			used = used.Union(card.NewSet(given[p]...))
		}
	}
	do := table.Deal{SkipBurn: skip}
	for _, p := range places {
		do.Cards = append(do.Cards, table.Drawn{Card: given[p][0]})
		given[p] = given[p][1:]
	}
	return r.send(l, a, staff(rules.Dealer), do)
}

// named writes a place as it stands in a sentence.
func named(p table.Place) string {
	if p.IsBox() {
		return p.String()
	}
	return "the " + p.String()
}

// open3 fills in cards that the script leaves open.
func (r *run) open3(n int, used card.Set) []card.Card {
	if r.state().Config.Cards == table.Unseen {
		return make([]card.Card, n)
	}
	return fill(n, used, r.mentioned)
}

// draw deals the next cards, one by one.
func (r *run) draw(l *line) error {
	a := newArgs(l)
	do := table.Deal{SkipBurn: a.flag("skip-burn")}
	up, rest := a.flag("face-up"), a.flag("rest")
	var to table.Place
	if text := a.text("to"); text != "" {
		var err error
		if to, err = table.ParsePlace(text); err != nil {
			return err
		}
	}
	var cards []card.Card
	for _, text := range a.bares() {
		some, err := card.ParseFaces(text)
		if err != nil {
			return err
		}
		cards = append(cards, some...)
	}
	more, _, err := a.number("next")
	if err != nil {
		return err
	}
	if rest {
		more = len(r.state().ToCome()) - len(cards)
		if do.SkipBurn {
			more--
		}
	}
	if more > 52 {
		return errors.New("a deck has 52 cards")
	}
	if more > 0 {
		cards = append(cards, r.open3(more, r.used().Union(card.NewSet(cards...)))...)
	}
	for _, c := range cards {
		do.Cards = append(do.Cards, table.Drawn{Card: c, To: to, FaceUp: up})
	}
	return r.send(l, a, staff(rules.Dealer), do)
}

func (r *run) examine(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	return r.send(l, a, player(name), table.Examine{Box: box, Player: name})
}

func (r *run) play(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	return r.send(l, a, player(name), table.Raise{Box: box, Player: name})
}

func (r *run) fold(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	return r.send(l, a, player(name), table.Fold{Box: box, Player: name})
}

// hand takes the hand that stands as a bare word, if there is one.
func (a *args) hand() ([]card.Card, error) {
	for i, w := range a.words {
		if w.Key == "" && !a.taken[i] {
			if cards, err := card.ParseFaces(w.Value); err == nil {
				a.taken[i] = true
				return cards, nil
			}
		}
	}
	return nil, nil
}

func (r *run) layUp(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	hand, err := a.hand()
	if err != nil {
		return err
	}
	if !a.has("player") && box >= 1 && box <= len(r.state().Boxes) && r.state().Boxes[box-1].Examiner != "" {
		name = r.state().Boxes[box-1].Examiner
	}
	return r.send(l, a, player(name), table.LayUp{Box: box, Hand: hand})
}

func (r *run) show(l *line) error {
	a := newArgs(l)
	box, _, err := a.number("box")
	if err != nil {
		return err
	}
	hand, err := a.hand()
	if err != nil {
		return err
	}
	return r.send(l, a, staff(rules.Dealer), table.Show{Box: box, Hand: hand})
}

func (r *run) keepDown(l *line) error {
	a := newArgs(l)
	box, _, err := a.number("box")
	if err != nil {
		return err
	}
	by := staff(rules.Dealer)
	// What costs a player bets takes more than the dealer.
	if box >= 1 && box <= len(r.state().Boxes) && r.state().Boxes[box-1].Decision == table.Played {
		by = staff(rules.PitSupervisor)
	}
	return r.send(l, a, by, table.KeepDown{Box: box})
}

func (r *run) reveal(l *line) error {
	a := newArgs(l)
	hand, err := a.hand()
	if err != nil {
		return err
	}
	return r.send(l, a, staff(rules.Dealer), table.Reveal{Hand: hand})
}

func (r *run) settle(l *line) error {
	a := newArgs(l)
	meter, _, err := a.amount("meter")
	if err != nil {
		return err
	}
	box, _, err := a.number("box")
	if err != nil {
		return err
	}
	return r.send(l, a, staff(rules.Dealer), table.Settle{Box: box, Meter: meter})
}

func (r *run) report(l *line) error {
	a := newArgs(l)
	key, err := a.bare("what happened")
	if err != nil {
		return err
	}
	do := table.Report{Player: a.text("player"), Note: a.text("note")}
	if do.Incident, err = rules.ParseIncident(key); err != nil {
		return err
	}
	do.Dealer, do.OrderLost, do.Turned = a.flag("dealer"), a.flag("order-lost"), a.flag("turned-later")
	do.OrderKnown, do.BeforeLook, do.Looked = a.flag("order-known"), a.flag("before-look"), a.flag("looked")
	do.Counted = a.flag("counted")
	if do.Box, _, err = a.number("box"); err != nil {
		return err
	}
	switch do.Incident {
	case rules.LateBet, rules.LateWithdrawal, rules.Mispaid, rules.HandTouched:
		if do.Player == "" && do.Box >= 1 && do.Box <= len(r.state().Boxes) {
			do.Player = r.state().Boxes[do.Box-1].Player()
		}
	default:
	}
	if do.Boxes, err = a.numbers("boxes"); err != nil {
		return err
	}
	if do.Count, _, err = a.number("count"); err != nil {
		return err
	}
	if do.Round, _, err = a.number("round"); err != nil {
		return err
	}
	if text := a.text("lasted"); text != "" {
		if do.LastedMs, err = parseSeconds(text); err != nil {
			return err
		}
	}
	if do.Wager, err = a.wager("wager"); err != nil {
		return err
	}
	if do.Amount, _, err = a.amount("amount"); err != nil {
		return err
	}
	if do.Meter, _, err = a.amount("meter"); err != nil {
		return err
	}
	cards, err := a.cards("cards")
	if err != nil {
		return err
	}
	for _, c := range cards {
		do.Cards = append(do.Cards, table.Exposed{Card: c})
	}
	for text := a.text("card"); text != ""; text = a.text("card") {
		e, err := parseExposed(text)
		if err != nil {
			return err
		}
		do.Cards = append(do.Cards, e)
	}
	if text := a.text("lies"); text != "" {
		if do.Lies, err = parseLies(text); err != nil {
			return err
		}
	}
	return r.send(l, a, staff(rules.Dealer), do)
}

// parseLies reads PLACE:COUNT,..., each with :PLACE for where the cards were meant
// to lie.
func parseLies(text string) ([]table.Lying, error) {
	var lies []table.Lying
	for _, part := range strings.Split(text, ",") {
		words := strings.Split(part, ":")
		if len(words) < 2 || len(words) > 3 {
			return nil, fmt.Errorf("%q does not say how many cards lie where: write 1:4, or 1:3:2 for three cards meant for box 2", part)
		}
		var l table.Lying
		var err error
		if l.At, err = table.ParsePlace(words[0]); err != nil {
			return nil, err
		}
		if l.Count, err = parseCount(words[1]); err != nil {
			return nil, err
		}
		if len(words) == 3 {
			if l.Meant, err = table.ParsePlace(words[2]); err != nil {
				return nil, err
			}
		}
		lies = append(lies, l)
	}
	return lies, nil
}

// parseExposed reads PLACE, PLACE/INDEX, and either with :CARD.
func parseExposed(text string) (table.Exposed, error) {
	where, face, named := strings.Cut(text, ":")
	where, index, numbered := strings.Cut(where, "/")
	at, err := table.ParsePlace(where)
	if err != nil {
		return table.Exposed{}, err
	}
	e := table.Exposed{At: at}
	if numbered {
		if e.Index, err = parseCount(index); err != nil {
			return table.Exposed{}, err
		}
	}
	if named {
		e.Card, err = card.Parse(face)
	}
	return e, err
}

func (r *run) answer(l *line) error {
	a := newArgs(l)
	key, err := a.bare("the answer")
	if err != nil {
		return err
	}
	do := table.Answer{Answer: key}
	if do.Order, err = a.numbers("order"); err != nil {
		return err
	}
	if key == rules.Remedy.String() {
		if do.Remedies, err = r.remedies(a); err != nil {
			return err
		}
	}
	by := staff(rules.Dealer)
	if q := r.state().Question; q != nil {
		by = staff(q.Role)
	}
	return r.send(l, a, by, do)
}

func (r *run) choose(l *line) error {
	a := newArgs(l)
	key, err := a.bare("continue or return")
	if err != nil {
		return err
	}
	if key != "continue" && key != "return" {
		return fmt.Errorf("%q is no choice: say continue or return", key)
	}
	do := table.Choose{Player: a.text("player"), Return: key == "return"}
	if do.Box, _, err = a.number("box"); err != nil {
		return err
	}
	// What is left open follows from the offers, where only one fits.
	var fits []table.Offer
	for _, o := range r.state().Offers {
		if (do.Player == "" || o.Player == do.Player) && (do.Box == 0 || o.Box == do.Box) {
			fits = append(fits, o)
		}
	}
	if len(fits) == 1 {
		do.Box, do.Player = fits[0].Box, fits[0].Player
	}
	return r.send(l, a, player(do.Player), do)
}

func (r *run) askWithdrawal(l *line) error {
	a := newArgs(l)
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	return r.send(l, a, player(name), table.AskWithdrawal{Box: box, Player: name})
}

func (r *run) restrictPlayer(l *line) error {
	a := newArgs(l)
	do := table.RestrictPlayer{Player: a.text("player"), Lift: a.flag("lift")}
	return r.send(l, a, staff(rules.PitManager), do)
}

func (r *run) restrictAreas(l *line) error {
	a := newArgs(l)
	n, _, err := a.number("max")
	if err != nil {
		return err
	}
	return r.send(l, a, staff(rules.PitManager), table.RestrictAreas{Max: n})
}

func (r *run) suspend(l *line) error {
	a := newArgs(l)
	key, err := a.bare("close, boxes or without")
	if err != nil {
		return err
	}
	do := table.SuspendProgressive{}
	if do.Option, err = table.ParseDownOption(key); err != nil {
		return err
	}
	if do.Boxes, err = a.numbers("boxes"); err != nil {
		return err
	}
	return r.send(l, a, staff(rules.PitSupervisor), do)
}
