package scenario

import (
	"fmt"
	"reflect"
	"slices"

	"trey/card"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// check makes the checks that follow every command, whatever a scenario asserts.
func (r *run) check(before table.State, result Result) error {
	s := r.at
	for _, e := range result.Events {
		if err := cites(&s.state, e); err != nil {
			return err
		}
		if err := s.books.note(e); err != nil {
			return err
		}
		if err := s.cards.note(e); err != nil {
			return err
		}
	}
	if err := s.books.balance(&s.state); err != nil {
		return err
	}
	if err := s.cards.agree(&s.state); err != nil {
		return err
	}
	if err := s.cards.nobodySeesMore(&s.state, result.Events); err != nil {
		return err
	}
	if err := s.legal.offered(before, result.Command); err != nil {
		return err
	}
	s.legal = options{}
	if err := s.legal.areAccepted(s.state, result.Command.AtMs); err != nil {
		return err
	}
	if err := s.legal.goOn(s.state); err != nil {
		return err
	}
	return r.meterAgrees(result)
}

// cites checks that what the dealer says or the table displays is what a provision of the
// book wants said, or a ruling.
func cites(s *table.State, e table.Event) error {
	said, ok := e.(table.Announced)
	if !ok {
		return nil
	}
	if book := s.Variant.Book; !book.Provides(said.Clause) {
		return unsound("an announcement by a provision of "+book.Ref(), "%s by %q", said.Key, said.Clause)
	}
	return nil
}

// stakeKey names one stake: whose, where and on what.
type stakeKey struct {
	box    int
	player string
	wager  rules.Wager
}

// ledger follows the money of one round from its events alone.
type ledger struct {
	placed, left map[stakeKey]money.Amount // stakes in, stakes out
	net          map[stakeKey]money.Amount // what the lines paid, less what they collected again
	done         table.BoxSet              // boxes that are settled
	corrected    map[int]bool              // boxes corrected after the settlement
	returned     map[stakeKey]bool         // wagers given back after it
}

func (b *ledger) note(e table.Event) error {
	does := table.EffectOf(e)
	if does.Begins != 0 {
		*b = ledger{
			placed: map[stakeKey]money.Amount{}, left: map[stakeKey]money.Amount{},
			net:       map[stakeKey]money.Amount{},
			corrected: map[int]bool{}, returned: map[stakeKey]bool{},
		}
	}
	if bet := &does.Bet; bet.Use != 0 {
		k := stakeKey{bet.Box, bet.Player, bet.Wager}
		b.placed[k] += bet.More(b.placed[k] - b.left[k])
	}
	for _, l := range does.Lines {
		k := stakeKey{l.Box, l.Player, l.Wager}
		if does.LineUse != table.LinesUndo {
			if err := plausible(&l); err != nil {
				return err
			}
		}
		b.net[k] += l.Net()
		if !b.done.Has(l.Box) {
			b.left[k] += l.Stake
			continue
		}
		switch does.LineUse {
		case table.LinesReturn:
			b.returned[k] = true
		case table.LinesCancel, table.LinesSettle:
			// An Envy Bonus that is collected again leaves all else of its box.
			if l.Wager != rules.Envy {
				b.corrected[l.Box] = true
			}
		case table.LinesUndo, table.LinesCorrect:
			// The box is settled anew, or a difference leaves it uneven.
		default:
			return unsound("a line to settle, return, cancel, undo or correct", "%+v", l)
		}
	}
	for _, l := range does.Relaid {
		b.left[stakeKey{does.Reopens, l.Player, l.Wager}] -= l.Amount
	}
	b.done = (b.done | does.Clears).Without(does.Reopens)
	return nil
}

// plausible checks one line by itself.
func plausible(l *table.Line) error {
	ok := l.Stake >= 0 && l.Pays >= 0 && l.Reverses >= 0
	switch l.Result {
	case rules.Win:
		ok = ok && l.Returned >= l.Pays && l.Returned <= l.Pays+l.Stake
	case rules.Lose:
		ok = ok && l.Pays == 0 && l.Returned == l.Excess && l.Excess < l.Stake
	case rules.Push, rules.GivenBack:
		ok = ok && l.Pays == 0 && l.Returned == l.Stake
	}
	if !ok || l.Clause == "" {
		return unsound("a settlement line that adds up and names its clause", "%+v", *l)
	}
	return nil
}

func (b *ledger) placedBy(player string) money.Amount {
	var sum money.Amount
	for k, amount := range b.placed {
		if k.player == player {
			sum += amount
		}
	}
	return sum
}

// balance compares what was placed with what lies on the layout and what has
// left it by a line.
func (b *ledger) balance(s *table.State) error {
	if s.Phase == table.Ready || s.Phase == table.Closed {
		return nil
	}
	onLayout := map[stakeKey]money.Amount{}
	if s.Phase.InRound() {
		for i := range s.Boxes {
			if s.Boxes[i].Settled {
				continue
			}
			for j := range s.Boxes[i].Bettors {
				bettor := &s.Boxes[i].Bettors[j]
				for w, amount := range bettor.Stakes {
					if amount != 0 {
						onLayout[stakeKey{i + 1, bettor.Player, rules.Wager(w)}] += amount
					}
				}
			}
		}
	}
	for k, placed := range b.placed {
		if placed != b.left[k]+onLayout[k] {
			return unsound("money conserved", "%s placed %s as %s on box %d: %s left by settlement lines and %s lies there",
				k.player, placed, k.wager, k.box, b.left[k], onLayout[k])
		}
	}
	for k := range onLayout {
		if b.placed[k] == 0 {
			return unsound("money conserved", "a stake of %s that nobody placed: %+v", onLayout[k], k)
		}
	}
	for k, left := range b.left {
		if left != b.placed[k] && b.placed[k] == 0 {
			return unsound("money conserved", "%s left that nobody placed: %+v", left, k)
		}
	}
	for k := range b.returned {
		if b.placed[k] != b.net[k] {
			return unsound("a wager given back to come out even", "%s placed %s as %s on box %d and has %s", k.player, b.placed[k], k.wager, k.box, b.net[k])
		}
	}
	for box := range b.corrected {
		var placed, net money.Amount
		for k, amount := range b.placed {
			if k.box == box {
				placed += amount
			}
		}
		for k, amount := range b.net {
			if k.box == box {
				net += amount
			}
		}
		if placed != net {
			return unsound("a corrected box to come out even", "box %d placed %s and has %s", box, placed, net)
		}
	}
	return nil
}

// sight follows where each card lies and who has seen it, from events alone.
type sight struct {
	cards    []lying
	examiner map[table.Place]string
	players  []string
}

type lying struct {
	card card.Card
	at   table.Place
	all  bool     // the whole table has seen it
	by   []string // players who have
}

func (s *sight) note(e table.Event) error {
	does := table.EffectOf(e)
	if does.Begins != 0 {
		*s = sight{examiner: map[table.Place]string{}}
	}
	if b := &does.Bet; b.Use == table.BetAdds && !slices.Contains(s.players, b.Player) {
		s.players = append(s.players, b.Player)
	}
	cards := &does.Cards
	for _, c := range cards.Dealt {
		l := lying{card: c.Card, at: c.Place, all: c.FaceUp}
		if player := s.examiner[c.Place]; player != "" {
			l.by = append(l.by, player)
		}
		s.cards = append(s.cards, l)
	}
	if cards.Corrected {
		return s.corrected(cards)
	}
	for i, at := range cards.Exposed {
		s.cards[at].all = true
		if err := s.name(at, cards.Faces[i]); err != nil {
			return err
		}
	}
	for _, m := range cards.Moved {
		s.cards[m.Slot].at = m.To
	}
	for i := range s.cards {
		at := s.cards[i].at
		if at == cards.Examined {
			s.cards[i].by = append(s.cards[i].by, cards.Examiner)
		}
		if at == cards.Removed {
			s.cards[i].at = table.Out
		}
	}
	if cards.Examined != 0 {
		s.examiner[cards.Examined] = cards.Examiner
	}
	if cards.Turned != 0 {
		return s.see(cards.Turned, cards.Hand)
	}
	return nil
}

// corrected gives cards that lie open the faces that they have; whatever had one of
// these faces elsewhere is not known any more.
func (s *sight) corrected(e *table.CardEffect) error {
	for i := range s.cards {
		if slices.Contains(e.Faces, s.cards[i].card) {
			s.cards[i].card = card.None
		}
	}
	for i, at := range e.Exposed {
		if !s.cards[at].all {
			return unsound("only cards that lie open to be corrected", "card %d lies face down", at+1)
		}
		s.cards[at].card = e.Faces[i]
	}
	return nil
}

// name gives a card the face by which an event calls it: once known it does not
// change.
func (s *sight) name(at int, c card.Card) error {
	if c == card.None {
		return nil
	}
	if was := s.cards[at].card; was != card.None && was != c {
		return unsound("a card to keep its face", "%s became %s", was, c)
	}
	s.cards[at].card = c
	return nil
}

func (s *sight) see(p table.Place, h card.Hand) error {
	n := 0
	for i := range s.cards {
		if s.cards[i].at != p {
			continue
		}
		if n == len(h) {
			return unsound("three cards at the "+p.String(), "more")
		}
		s.cards[i].all = true
		if err := s.name(i, h[n]); err != nil {
			return err
		}
		n++
	}
	return nil
}

// agree compares the cards with those of the state: the same ones at the same
// places, and none twice.
func (s *sight) agree(state *table.State) error {
	if len(s.cards) != len(state.Slots) || len(s.cards) > card.Deck().Len() {
		return unsound("cards conserved", "%d were dealt and %d lie there", len(s.cards), len(state.Slots))
	}
	var seen card.Set
	for i, c := range s.cards {
		slot := state.Slots[i]
		if slot.Place != c.at || slot.Card != c.card {
			return unsound("cards conserved", "card %d of the deal is %s at the %s, and was last %s at the %s", i+1, slot.Card, slot.Place, c.card, c.at)
		}
		if c.card == card.None {
			continue
		}
		if seen.Has(c.card) {
			return unsound("cards conserved", "%s is there twice", c.card)
		}
		seen = seen.With(c.card)
	}
	return nil
}

// mayKnow returns the set of cards that a viewer has had a chance to see.
func (s *sight) mayKnow(viewer string) card.Set {
	var set card.Set
	for _, c := range s.cards {
		if c.all || viewer != "" && slices.Contains(c.by, viewer) {
			set = set.With(c.card)
		}
	}
	return set
}

func (s *sight) nobodySeesMore(state *table.State, events []table.Event) error {
	for _, viewer := range append([]string{"", "a stranger"}, s.players...) {
		may := s.mayKnow(viewer)
		v := table.Viewer{Player: viewer}
		if c := cardBeyond(reflect.ValueOf(table.View(*state, v)), may); c != card.None {
			return unsound("that nobody sees more than they may", "the picture for %q holds %s", viewer, c)
		}
		for _, e := range events {
			if c := cardBeyond(reflect.ValueOf(table.Redact(e, *state, v)), may); c != card.None {
				return unsound("that nobody sees more than they may", "the event %s for %q holds %s", record.TableEvents.Name(e), viewer, c)
			}
		}
	}
	return nil
}

var cardType = reflect.TypeFor[card.Card]()

// cardBeyond finds a card anywhere in a value that is not in the set.
func cardBeyond(v reflect.Value, may card.Set) card.Card {
	if !v.IsValid() {
		return card.None
	}
	if v.Type() == cardType {
		if c := card.Card(v.Uint()); c.Valid() && !may.Has(c) {
			return c
		}
		return card.None
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return cardBeyond(v.Elem(), may)
	case reflect.Struct:
		for i := range v.NumField() {
			if c := cardBeyond(v.Field(i), may); c != card.None {
				return c
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if c := cardBeyond(v.Index(i), may); c != card.None {
				return c
			}
		}
	default:
	}
	return card.None
}

// options caches the actions that are legal for a person in one state: the checks ask for the same
// people several times, and listing all actions is most of their work.
type options map[table.Actor][]table.Action

func (o options) of(s table.State, by table.Actor) []table.Action {
	legal, known := o[by]
	if !known {
		legal = table.Legal(s, by)
		o[by] = legal
	}
	return legal
}

// everyRole has the checks ask for each role of the staff. Without it they ask for the lowest and
// the highest: those between may do what the one may, and nothing that the other may not.
var everyRole = true

// areAccepted checks that each action that is legal for a person at the table would
// be accepted.
func (o options) areAccepted(s table.State, atMs int64) error {
	actors := []table.Actor{player("newcomer"), staff(rules.Dealer), staff(rules.ShiftManager)}
	if everyRole {
		actors = append(actors, staff(rules.PitSupervisor), staff(rules.PitManager))
	}
	for i := range s.Boxes {
		for j := range s.Boxes[i].Bettors {
			if by := player(s.Boxes[i].Bettors[j].Player); !slices.Contains(actors, by) {
				actors = append(actors, by)
			}
		}
	}
	for _, by := range actors {
		for _, do := range o.of(s, by) {
			if _, err := table.Decide(s, table.Command{By: by, AtMs: atMs, Do: do}); err != nil {
				return unsound("what is legal to be accepted", "%s by %s %+v: %v", record.Actions.Name(do), by.Role, do, err)
			}
		}
	}
	return nil
}

// goOn checks that a round is never stuck: somebody can do what takes it
// nearer to its end. It says nothing where a hand has not its three cards, which
// has to be reported first.
func (o options) goOn(s table.State) error {
	if !s.Phase.InRound() || s.Phase == table.Betting {
		return nil
	}
	if s.Phase != table.Dealing {
		places := []table.Place{table.DealerHand}
		for i := range s.Boxes {
			if s.Boxes[i].Staked() && !s.Boxes[i].Invalid {
				places = append(places, table.Box(i+1))
			}
		}
		for _, p := range places {
			if _, n := s.Hand(p); n != 3 {
				return nil
			}
		}
	}
	actors := []table.Actor{staff(rules.ShiftManager)}
	for i := range s.Boxes {
		for j := range s.Boxes[i].Bettors {
			actors = append(actors, player(s.Boxes[i].Bettors[j].Player))
		}
	}
	for _, by := range actors {
		for _, do := range o.of(s, by) {
			switch do := do.(type) {
			case table.Report:
				if s.Counting && do.Incident == rules.DeckCount {
					return nil
				}
			case table.Deal, table.FinishDeal, table.Examine, table.Raise, table.Fold, table.LayUp, table.Show, table.KeepDown,
				table.Reveal, table.Settle, table.Answer, table.Choose, table.Expire:
				return nil
			}
		}
	}
	return unsound("that the round can go on", "nobody can do anything but report, with the table %s", s.Phase)
}

// offered checks that what was accepted had been listed as legal, by kind, for
// actions that take no word from outside.
func (o options) offered(before table.State, c table.Command) error {
	switch c.Do.(type) {
	case table.Bet, table.Withdraw, table.Found, table.Deal, table.FinishDeal, table.Report, table.RestrictPlayer:
		// Amounts, names, incidents and where a hand deals come from outside.
		return nil
	}
	for _, do := range o.of(before, c.By) {
		if record.Actions.Name(do) == record.Actions.Name(c.Do) {
			return nil
		}
	}
	return unsound("what is accepted to be listed as legal", "%s by %s was not", record.Actions.Name(c.Do), c.By.Role)
}

// meterAgrees checks the progressive: its own audit, and that what a settlement
// pays out of the meter is what the meter paid.
func (r *run) meterAgrees(result Result) error {
	j, ok := r.engine.Progressive()
	if !ok {
		return nil
	}
	if err := j.Audit(); err != nil {
		return unsound("the meter to add up", "%v", err)
	}
	var paid, lines money.Amount
	for _, e := range result.Jackpot {
		if does := jackpot.EffectOf(e); does.Hits > 0 {
			paid += does.Paid
		}
	}
	for _, e := range result.Events {
		if does := table.EffectOf(e); does.LineUse == table.LinesSettle {
			lines += meterPaid(result.State.Variant, does.Lines)
		}
	}
	if paid != lines {
		return unsound("the meter to pay what the settlement pays of it", "%s by the meter, %s by the settlement", paid, lines)
	}
	return nil
}

// replay plays the log of commands again, reads the log of events as it would
// be stored, and compares both with what the engine had.
func (s *seat) replay() error {
	byCommand, byEvent := s.start, s.start
	for i := range s.log {
		logged := &s.log[i]
		command, err := rewritten(logged.Command)
		if err != nil {
			return err
		}
		events, next, err := table.Step(byCommand, command)
		if err != nil {
			return unsound("the log of commands to replay", "command %d: %v", i+1, err)
		}
		if !alike(reflect.ValueOf(events), reflect.ValueOf(logged.Events)) {
			return unsound("the log of commands to give the same events", "command %d, %s: %+v instead of %+v", i+1, record.Actions.Name(command.Do), events, logged.Events)
		}
		byCommand = next
		for _, e := range logged.Events {
			stored, err := restored(e)
			if err != nil {
				return err
			}
			if byEvent, err = table.Evolve(byEvent, stored); err != nil {
				return unsound("the log of events to replay", "%s: %v", record.TableEvents.Name(e), err)
			}
		}
	}
	for what, state := range map[string]table.State{"commands": byCommand, "events": byEvent} {
		if !alike(reflect.ValueOf(state), reflect.ValueOf(s.state)) {
			return unsound("the log of "+what+" to lead to the same state", "%+v instead of %+v", state, s.state)
		}
	}
	return nil
}

// restored writes an event, reads it back and returns it.
func restored(e table.Event) (table.Event, error) {
	written, err := record.TableEvents.Write(e)
	if err != nil {
		return nil, unsound("an event that can be written", "%v", err)
	}
	read, err := record.TableEvents.Read(written)
	if err != nil {
		return nil, unsound("an event that can be read", "%s: %v", written.Body, err)
	}
	return read, nil
}

// rewritten writes the action of a command, reads it back and returns the command with it.
func rewritten(c table.Command) (table.Command, error) {
	written, err := record.Actions.Write(c.Do)
	if err != nil {
		return c, unsound("an action that can be written", "%v", err)
	}
	if c.Do, err = record.Actions.Read(written); err != nil {
		return c, unsound("an action that can be read", "%s: %v", written.Body, err)
	}
	return c, nil
}

// replayProgressive replays the jackpot's events.
func (r *run) replayProgressive() error {
	j, ok := r.engine.Progressive()
	if !ok {
		return nil
	}
	state := *r.first
	for _, e := range r.moved {
		var err error
		if state, err = jackpot.Evolve(state, e); err != nil {
			return unsound("the log of the progressive to replay", "%v", err)
		}
	}
	if !alike(reflect.ValueOf(state), reflect.ValueOf(j)) {
		return unsound("the log of the progressive to lead to the same state", "%+v instead of %+v", state, j)
	}
	return nil
}

// alike compares values deeply, and takes a slice that is nil for one that is
// empty: which of them a state holds says how it came about, not what it is.
func alike(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			return true
		}
		if a.IsNil() || b.IsNil() {
			return false
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Interface:
		return alike(a.Elem(), b.Elem())
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, k := range a.MapKeys() {
			if !alike(a.MapIndex(k), b.MapIndex(k)) {
				return false
			}
		}
		return true
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return a.Uint() == b.Uint()
	default:
		panic(fmt.Sprintf("scenario: a state holds a %s", a.Kind()))
	}
}
