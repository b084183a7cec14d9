package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// witness knows what everybody may know of the cards of a round, from the record
// alone: it follows what was turned and looked at, not what is shown.
type witness struct {
	cards   []card.Card
	at      []table.Place
	drawn   card.Set // drawn, and in no place yet
	public  card.Set
	private map[string]card.Set
}

func (w *witness) copy() *witness {
	c := *w
	c.cards, c.at = append([]card.Card{}, w.cards...), append([]table.Place{}, w.at...)
	c.private = map[string]card.Set{}
	for name, set := range w.private {
		c.private[name] = set
	}
	return &c
}

func (w *witness) see(e table.Event) {
	switch e := e.(type) {
	case table.BetsOpened:
		*w = witness{private: map[string]card.Set{}}
	case table.CardsDealt:
		for _, d := range e.Cards {
			w.cards, w.at = append(w.cards, d.Card), append(w.at, d.Place)
			if d.FaceUp {
				w.public = w.public.With(d.Card)
			}
		}
	case table.CardsDrawn:
		for _, c := range e.Cards {
			w.drawn = w.drawn.With(c)
		}
	case table.CardsMoved:
		for _, m := range e.Moves {
			w.at[m.Slot] = m.To
		}
	case table.HandExamined:
		for i, at := range w.at {
			if at == table.Box(e.Box) {
				w.private[e.Player] = w.private[e.Player].With(w.cards[i])
			}
		}
	case table.HandShown:
		w.turn(e.Hand[:])
	case table.DealerShown:
		w.turn(e.Hand[:])
	case table.CardsExposed:
		w.turn(e.Cards)
		for i, slot := range e.Slots {
			w.cards[slot] = e.Cards[i]
		}
	}
}

func (w *witness) turn(cards []card.Card) {
	for _, c := range cards {
		w.public = w.public.With(c)
	}
}

// hidden returns the cards of the round that a person may not know.
func (w *witness) hidden(name string) card.Set {
	return card.NewSet(w.cards...).Union(w.drawn).Minus(w.public).Minus(w.private[name])
}

// face finds what reads like a card.
var face = regexp.MustCompile(`\b(10|[2-9TJQKA])([cdhs]\b|[♣♦♥♠])`)

// leaks returns the cards of a set that a text names, in whatever way.
func leaks(text string, hidden card.Set) (found []string) {
	for _, word := range face.FindAllString(text, -1) {
		if c, err := card.Parse(word); err == nil && hidden.Has(c) {
			found = append(found, word)
		}
	}
	if text = strings.ToLower(text); !strings.Contains(text, " of ") {
		return found
	}
	for _, c := range hidden.Cards() {
		if name := strings.ToLower(c.Rank().Name() + " of " + c.Suit().Name()); strings.Contains(text, name) {
			found = append(found, name)
		}
	}
	return found
}

// watcher collects the streams of one table for one person.
type watcher struct {
	person string
	table  bool // and not of the floor, which tells of few things
	mu     sync.Mutex
	seen   []message
}

// upTo returns the last transaction that it received.
func (w *watcher) upTo() int64 {
	if seen := w.all(); len(seen) > 0 {
		return seen[len(seen)-1].id
	}
	return 0
}

func (w *watcher) all() []message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// watched is a table that a property plays at, with those who watch it.
type watched struct {
	*rapid.T
	s          *site
	autodealer *autodealer.Autodealer
	name       string
	guest      string // what gus is called
	follower   *house.Subscription
	now        *witness
	began      int64              // the number of the transaction that began the round
	after      map[int64]*witness // by the number of the transaction
	first      int64              // the transaction that the streams begin after
	last       int64              // the last of the table
	watchers   []*watcher
	asked      int     // how many commands, for their keys
	done       []asked // in this round
	// looked counts the readers of hidden cards, by the phase of the round, and alerted those
	// who meanwhile got an alert that the table needs a person.
	looked, alerted byPhase
}

// byPhase counts for each reader, by the phase of the round.
type byPhase map[table.Phase]map[string]int

func (b byPhase) add(p table.Phase, person string, n int) {
	if b[p] == nil {
		b[p] = map[string]int{}
	}
	b[p][person] += n
}

// talkative is a house with an autodealer that fails: it refuses the autodealer's commands, or
// has stopped the table, and gives a reason with all the cards that lie there.
type talkative struct{ *house.House }

func (h talkative) why(name string) error {
	status, err := housetest.Table(h, name)
	for _, slot := range status.Slots {
		err = errors.Join(err, fmt.Errorf("%s lies at %s", slot.Card, slot.Place))
	}
	return err
}

func (h talkative) Status(name string) (house.TableStatus, error) {
	status, err := h.House.Status(name)
	status.Mode, status.Next, status.Pace = house.Automatic, nil, house.Pace{BettingMs: 1, DecisionMs: 1, OptionMs: 1}
	if why := h.why(name); status.State.Config().Cards == table.Read && why != nil {
		status.Stopped = why
	}
	return status, err
}

func (h talkative) Drive(_ context.Context, _, name string, _ table.Action) (house.Result, error) {
	return house.Result{}, errors.Join(errors.New("people run this table"), h.why(name))
}

// asked is a command that was carried out.
type asked struct{ by, command, key string }

var readers = []string{"ann", "ben", "gus", "dan", "pat", "sue", "cas", "eye", "adm", "aud"}

// No byte that leaves the house discloses a card to a person who may not know it, whatever is
// played at a table. That holds for answers, refusals, dry runs, lists of moves, and the events
// and pictures of a stream. It also holds for pages of the log, alerts, lines for the operator
// and metrics. It holds where the house deals and where a dealer enters the cards, out of a
// shuffler and out of a shoe. Every role has read in every phase in which cards lie face down.
// By default each book is dealt in one or two of these ways.
func TestNoByteDisclosesAHiddenCard(t *testing.T) {
	steady.Inputs(t, steady.Tries(1, 2)) // for each book and way of dealing
	n := 0
	looked, alerted, examined := byPhase{}, byPhase{}, 0
	for i, dealt := range []struct {
		device rules.Device
		sight  table.Sight
	}{{rules.Shuffler, table.Virtual}, {rules.Shoe, table.Virtual}, {rules.Shuffler, table.Read}, {rules.Shoe, table.Read}} {
		for j, b := range books.All() {
			if _, has := b.Device(dealt.device); !has || !steady.Turn(i+j, 3) {
				continue
			}
			t.Run(dealt.device.String()+", "+dealt.sight.String()+", "+b.ID, func(t *testing.T) {
				var hidden, turned, messages int
				// A house of its own: what people read grows with what was played before.
				s, runs := newWatchedSite(t)
				rapid.Check(t, func(rt *rapid.T) {
					n++
					w := s.watch(rt, fmt.Sprintf("T%d", n), b, table.Config{Device: dealt.device, Cards: dealt.sight, Chips: dealt.sight == table.Read})
					w.autodealer, w.looked, w.alerted = runs, looked, alerted
					defer w.follower.Close()
					w.toTheDealer()
					most := 45
					if steady.Raced {
						most = 26 // what it computes in between has no races
					}
					steps := rapid.IntRange(most-20, most).Draw(rt, "steps")
					for range steps {
						w.step()
						w.look()
					}
					messages += w.checkStreams()
					for _, then := range w.after {
						hidden, turned = hidden+then.hidden("").Len(), turned+then.public.Len()
						for _, of := range then.private {
							examined += of.Len()
						}
					}
				})
				if hidden == 0 || turned == 0 || messages == 0 {
					t.Errorf("%d cards were hidden and %d turned, and %d messages were sent meanwhile: the play shows nothing", hidden, turned, messages)
				}
			})
		}
	}
	if examined == 0 {
		t.Error("nobody looked at a hand")
	}
	for _, phase := range []table.Phase{table.Deciding, table.Showing} {
		for _, person := range readers {
			if looked[phase][person] == 0 {
				t.Errorf("%s looked at nothing while cards lay face down in the phase %s: %v", person, phase, looked[phase])
			}
			if may := person == "gus" || !staff[person].Role.Can(access.SeeProposals); (alerted[phase][person] > 0) == may {
				t.Errorf("%s was told of %d alerts while cards lay face down in the phase %s", person, alerted[phase][person], phase)
			}
		}
	}
}

// newWatchedSite opens a house in which a guest and players have money, and its autodealer.
func newWatchedSite(t *testing.T) (*site, *autodealer.Autodealer) {
	t.Helper()
	var runs *autodealer.Autodealer
	s := newSite(t, func(c *Config) {
		// Its clock is ahead: what would be due is due at once.
		runs = autodealer.New(talkative{c.House}, func() int64 { return nowMs() + 1000 }, c.Log)
		c.Autodealer = runs
	})
	s.tokens["gus"] = s.guest()
	for _, person := range []string{"ann", "ben", s.guestName()} {
		s.buyIn(person, 1_000_000*money.Major)
	}
	return s, runs
}

// guest begins a guest's session.
func (s *site) guest() string {
	s.Helper()
	r := s.ask("", http.MethodPost, "/api/v1/guests", "")
	if r.StatusCode != http.StatusCreated || len(r.Cookies()) != 1 {
		s.Fatal(r.Status, r.text)
	}
	return r.Cookies()[0].Value
}

func (s *site) guestName() string {
	var me CurrentUser
	s.get("gus", "/api/v1/me").into(s, &me)
	return me.Name
}

func (s *site) watch(rt *rapid.T, name string, b *rules.Book, dealt table.Config) *watched {
	s.install(name, b.ID, func(t *house.Table) {
		t.Variant.Boxes, t.Config = max(3, b.Boxes.Least()), dealt
	})
	w := &watched{
		T: rt, s: s, name: name, guest: s.guestName(), follower: s.Subscribe(house.Topic{Table: name}, 10_000),
		now: &witness{private: map[string]card.Set{}}, after: map[int64]*witness{},
	}
	at := "/api/v1/tables/" + name + "/events"
	for _, person := range readers {
		// A stream without pictures is written once for all: another way.
		w.follow(person, at+"?picture=true", 0)
		w.follow(person, at, 0)
	}
	w.follow("eye", "/api/v1/floor/events", 0)
	w.follow("ann", "/api/v1/floor/events", 0)
	return w
}

// follow opens a stream and collects what comes.
func (w *watched) follow(person, path string, last int64) {
	watch := &watcher{person: person, table: strings.HasPrefix(path, "/api/v1/tables/")}
	r := w.s.listen(person, path, last)
	w.Cleanup(r.close)
	if last == 0 {
		m, ok := r.next()
		if !ok || m.event != "standing" {
			w.Fatalf("%s: %+v", person, m)
		}
		w.scan(person, "what a stream begins with", m.data, "")
		if watch.table {
			w.first = m.id
		}
	}
	w.watchers = append(w.watchers, watch)
	go func() {
		for {
			m, ok := r.next()
			if !ok {
				return
			}
			watch.mu.Lock()
			watch.seen = append(watch.seen, m)
			watch.mu.Unlock()
		}
	}()
}

// actors returns the persons who act, with their names at the table.
func (w *watched) actors() map[string]access.Person {
	return map[string]access.Person{
		"ann": staff["ann"], "ben": staff["ben"], "gus": {Name: w.guest, Role: access.Guest},
		"dan": staff["dan"], "pat": staff["pat"], "sue": staff["sue"],
	}
}

// step lets a person send a command that they may send, and now and then one that they
// may not. The answer is scanned.
func (w *watched) step() {
	state, err := housetest.Table(w.s, w.name)
	if err != nil {
		w.Fatal(err)
	}
	if name, action := w.choose(&state); action != nil {
		w.carryOut(name, action)
	}
}

// toTheDealer plays a first round until the dealer's hand is shown, and has everybody
// look while players decide and before they are paid: every play has both.
func (w *watched) toTheDealer() {
	w.firstOf("dan open-bets")
	w.firstOf("ann bet")
	w.firstOf("ben bet")
	w.firstOf("dan close-bets")
	for w.phase() == table.Dealing {
		w.firstOf("dan deal", "dan finish-deal")
	}
	w.firstOf("ann examine")
	w.look()
	for w.phase() == table.Deciding {
		w.firstOf("ann raise", "ben raise", "ann lay-up", "ben lay-up", "dan show", "dan reveal")
	}
	if phase := w.phase(); phase != table.Showing {
		w.Fatalf("the dealer's hand is turned and the table is %s", phase)
	}
	w.look()
}

func (w *watched) phase() table.Phase {
	state, err := housetest.Table(w.s, w.name)
	if err != nil {
		w.Fatal(err)
	}
	return state.Phase
}

// firstOf carries out the first of the commands, each written as somebody and what they
// do, that is legal.
func (w *watched) firstOf(commands ...string) {
	state, err := housetest.Table(w.s, w.name)
	if err != nil {
		w.Fatal(err)
	}
	for _, command := range commands {
		by, kind, _ := strings.Cut(command, " ")
		for _, do := range table.Legal(state, w.actors()[by].Actor()) {
			if record.Actions.Name(do) == kind {
				w.carryOut(by, w.made(&state, do))
				return
			}
		}
	}
	w.Fatalf("none of %q can be done while the table is %s", commands, state.Phase)
}

// carryOut has somebody do something that they may do. What comes back is scanned.
func (w *watched) carryOut(name string, action table.Action) {
	kind := record.Actions.Name(action)
	body, err := json.Marshal(record.Actions.Stored(action))
	if err != nil {
		w.Fatal(err)
	}
	command := fmt.Sprintf(`{"kind":%q,"body":%s}`, kind, body)
	path := "/api/v1/tables/" + w.name + "/commands"
	w.scan(name, "a dry run", w.s.ask(name, http.MethodPost, path+"?dry_run=true", command).text, "")
	if rapid.IntRange(0, 5).Draw(w.T, "wrong") == 0 {
		w.wrong(name, path)
	}
	w.asked++
	key := fmt.Sprint(w.name, " ", w.asked)
	r := w.s.ask(name, http.MethodPost, path+"?picture=true", command, "Idempotency-Key", key)
	var answer struct{ Seq int64 }
	if r.StatusCode == http.StatusOK {
		r.into(w.s, &answer)
	}
	w.catchUp(answer.Seq)
	if r.StatusCode == http.StatusOK {
		if kind == "open-bets" {
			w.done = nil // What was told of an earlier round is no secret.
		}
		w.done = append(w.done, asked{name, command, key})
	}
	if len(w.done) > 0 && rapid.IntRange(0, 2).Draw(w.T, "again") == 0 {
		// What was answered is answered again when the table knows more.
		old := rapid.SampledFrom(w.done).Draw(w.T, "asked again")
		again := w.s.ask(old.by, http.MethodPost, path+"?picture=true", old.command, "Idempotency-Key", old.key)
		w.scan(old.by, "the answer once more to "+old.command, again.text, "")
	}
	typed := ""
	if r.StatusCode != http.StatusOK {
		typed = command
	}
	w.scan(name, "the answer to "+command, r.text, typed)
}

// ways are the kinds of commands by which a round goes on.
var ways = map[string]bool{
	"open-bets": true, "bet": true, "close-bets": true, "deal": true, "examine": true, "raise": true, "lay-up": true,
	"fold": true, "reveal": true, "settle": true, "answer": true, "choose": true, "finish-deal": true,
}

// choose says who does what: mostly something by which the round goes on, and now
// and then anything else that is legal.
func (w *watched) choose(s *table.State) (name string, a table.Action) {
	type deed struct {
		by string
		do table.Action
	}
	onward := rapid.IntRange(0, 9).Draw(w.T, "onward") > 0
	byKind := map[string][]deed{}
	var kinds []string
	actors := w.actors()
	for _, by := range []string{"ann", "ben", "dan", "gus", "pat", "sue"} {
		for _, do := range table.Legal(*s, actors[by].Actor()) {
			kind := record.Actions.Name(do)
			if actors[by].CheckAction(do) != nil || ways[kind] != onward {
				continue
			}
			if byKind[kind] == nil {
				kinds = append(kinds, kind)
			}
			byKind[kind] = append(byKind[kind], deed{by, do})
		}
	}
	if len(kinds) == 0 {
		return "", nil
	}
	slices.Sort(kinds)
	kind := rapid.SampledFrom(kinds).Draw(w.T, "kind")
	drawn := rapid.SampledFrom(byKind[kind]).Draw(w.T, "deed")
	return drawn.by, w.made(s, drawn.do)
}

// made fills in the cards that a dealing device would give.
func (w *watched) made(s *table.State, a table.Action) table.Action {
	deal, ok := a.(table.Deal)
	if !ok {
		return a
	}
	if s.Config.Cards == table.Virtual {
		return table.Deal{}
	}
	var used card.Set
	for _, slot := range s.Slots {
		used = used.With(slot.Card)
	}
	var free []card.Card
	for i := range 52 {
		if c := card.FromIndex(i); !used.Has(c) {
			free = append(free, c)
		}
	}
	free = rapid.Permutation(free).Draw(w.T, "deck")
	for i := range deal.Cards {
		deal.Cards[i].Card = free[i]
	}
	return deal
}

// wrong asks for something with cards that are guessed.
func (w *watched) wrong(name, path string) {
	guess := func() string { return card.FromIndex(rapid.IntRange(0, 51).Draw(w.T, "guess")).String() }
	command := rapid.SampledFrom([]string{
		`{"kind":"report","body":{"incident":"card-exposed","cards":[{"place":"1","index":1,"card":"` + guess() + `"}]}}`,
		`{"kind":"reveal","body":{"hand":["` + guess() + `","` + guess() + `","` + guess() + `"]}}`,
		`{"kind":"show","body":{"box":1,"hand":["` + guess() + `","` + guess() + `","` + guess() + `"]}}`,
		`{"kind":"deal","body":{"cards":[{"card":"` + guess() + `"}]}}`,
		`{"kind":"lay-up","body":{"box":1,"hand":["` + guess() + `","` + guess() + `","` + guess() + `"]}}`,
	}).Draw(w.T, "wrong command")
	r := w.s.ask(name, http.MethodPost, path+"?dry_run=true", command)
	w.scan(name, "a guess "+command, r.text, command)
}

// catchUp takes into account what was recorded, up to this transaction at least: it
// may be answered before those who follow are told.
func (w *watched) catchUp(upTo int64) {
	patience := time.After(time.Minute)
	for w.last < upTo {
		n, open := w.follower.Next()
		switch {
		case !open:
			w.Fatal(w.follower.Err())
		case n == nil:
			select {
			case <-w.follower.Ready():
			case <-patience:
				w.Fatalf("transaction %d is answered, and nobody is told of it", upTo)
			}
		default:
			for _, e := range housetest.Events(n.Events) {
				if _, ok := e.(table.BetsOpened); ok {
					w.began = n.Seq
				}
				w.now.see(e)
			}
			w.after[n.Seq], w.last = w.now.copy(), n.Seq
		}
	}
}

// scan searches a text that a person received for hidden cards. Cards that this person
// typed reveal nothing by being repeated.
func (w *watched) scan(name, what, text, typed string) {
	w.Helper()
	hidden := w.now.hidden(w.as(name))
	for _, word := range face.FindAllString(typed, -1) {
		if c, err := card.Parse(word); err == nil {
			hidden = hidden.Without(c)
		}
	}
	if found := leaks(text, hidden); len(found) > 0 {
		w.Fatalf("%s is told of %v by %s:\n%s", name, found, what, text)
	}
}

func (w *watched) as(name string) string { return w.actors()[name].Name }

// look has everybody ask for everything that there is.
func (w *watched) look() {
	at := "/api/v1/tables/" + w.name
	status, err := housetest.Table(w.s, w.name)
	if err != nil {
		w.Fatal(err)
	}
	if _, _, err := w.autodealer.Step(w.s.Context()); err != nil {
		w.Fatal(err)
	}
	if rapid.IntRange(0, 7).Draw(w.T, "comes in") == 0 {
		person := rapid.SampledFrom(readers).Draw(w.T, "reader")
		r := w.s.listen(person, at+"/events?picture=true", 0)
		m, ok := r.next()
		if r.close(); !ok || m.event != "standing" {
			w.Fatalf("%+v", m)
		}
		w.scan(person, "what a stream begins with", m.data, "")
	}
	for _, name := range readers {
		hidden := w.now.hidden(w.as(name)).Len()
		w.looked.add(status.Phase, name, hidden)
		alerts := w.s.get(name, "/api/v1/alerts").text
		if w.scan(name, "the alerts", alerts, ""); hidden > 0 {
			w.alerted.add(status.Phase, name, strings.Count(alerts, fmt.Sprintf(`"table":%q`, w.name)))
		}
		path := rapid.SampledFrom([]string{
			at, at + "/moves", at + "/rounds", "/api/v1/rounds?at_least=1", "/api/v1/rounds?player=ann&limit=3", "/api/v1/jackpots", "/api/v1/jackpots/linked/hits", "/api/v1/proposals",
			"/api/v1/log?limit=500&stream=sealed:" + w.name, "/api/v1/log?limit=500&stream=deal:" + w.name, "/api/v1/log?limit=500&stream=table:" + w.name, "/api/v1/log?stream=jackpot:linked&limit=500",
			"/api/v1/account/movements", "/api/v1/account/rounds", "/api/v1/reports/irregularities?table=" + w.name, "/api/v1/reports/significant-events", at + "/nothing", "/metrics", fmt.Sprintf("/api/v1/audit/transactions?limit=1000&after=%d", max(0, w.began-1)),
		}).Draw(w.T, "look")
		text := w.s.get(name, path).text
		switch {
		case strings.HasPrefix(path, "/api/v1/log"):
			text = w.inPlay(text)
		case !strings.HasPrefix(path, "/api/v1/audit/"):
		case w.inRound():
			text = random.ReplaceAllString(text, "")
		default: // the auditor reads a finished round whole, its burn card too
			text = ""
		}
		w.scan(name, "GET "+path, text, "")
	}
	log := w.s.log.take()
	if found := leaks(log, w.now.hidden("")); len(found) > 0 {
		w.Fatalf("the operator's log tells of %v:\n%s", found, log)
	}
}

// inPlay returns the part of a page of the log that belongs to a round in play. The cards of
// earlier rounds are no secret any more.
func (w *watched) inPlay(page string) string {
	var log struct{ Entries []json.RawMessage }
	if err := json.Unmarshal([]byte(page), &log); err != nil {
		w.Fatal(err)
	}
	if !w.inRound() {
		return ""
	}
	var text strings.Builder
	for _, one := range log.Entries {
		var e struct{ Seq int64 }
		if err := json.Unmarshal(one, &e); err != nil {
			w.Fatal(err)
		}
		if e.Seq >= w.began {
			text.Write(one)
		}
	}
	return text.String()
}

// inRound reports whether the table is between the opening of bets and the settlement.
func (w *watched) inRound() bool {
	status, err := housetest.Table(w.s, w.name)
	return err == nil && status.Phase.InRound()
}

// random finds salts and commitments. They are bytes in base64, of which some read like
// a card by chance.
var random = regexp.MustCompile(`"(salt|commitment)":"[^"]*"`)

// checkStreams checks every message of every stream against what its reader might know at
// that time, also when the reader comes back and receives all of it again. It returns the
// number of messages sent while cards lay face down.
func (w *watched) checkStreams() (messages int) {
	for _, person := range []string{"ann", "ben", "gus", "eye"} {
		w.follow(person, "/api/v1/tables/"+w.name+"/events?picture=true", w.first)
		w.follow(person, "/api/v1/tables/"+w.name+"/events", w.first)
	}
	for _, watch := range w.watchers {
		for deadline := time.Now().Add(time.Minute); watch.table && watch.upTo() < w.last; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				w.Fatalf("%s is told of %d, and the last transaction is %d", watch.person, watch.upTo(), w.last)
			}
		}
		for _, m := range watch.all() {
			then := w.after[m.id]
			if then == nil {
				continue // nothing that moved cards
			}
			hidden := then.hidden(w.as(watch.person))
			if hidden.Len() > 0 {
				messages++
			}
			if found := leaks(m.data, hidden); len(found) > 0 {
				w.Fatalf("%s is told of %v by the stream: %s", watch.person, found, m.data)
			}
		}
	}
	return messages
}
