package proof

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/internal/strict"
	merkle "trey/internal/tree"
	"trey/jackpot"
	"trey/linked"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Verify checks a record from itself alone and reports line by line what it
// found: for each check either that it is proven, or everything that failed. It knows no
// house and no witness.
func Verify(r *Round) *Report { return new(Verifier).Verify(r) }

// Verifier is whoever verifies records, with what they know.
type Verifier struct {
	// Find returns the book of a reference as the program declares it; nil is
	// [books.Find].
	Find func(ref string) (*rules.Book, error)
	// Houses are the keys of houses that may have signed, and Witnesses those of witnesses
	// who must have cosigned.
	Houses    []note.Verifier
	Witnesses []*merkle.CosignatureVerifier
	// Each, unless it is nil, is handed each command that holds, with the table before it.
	Each func(before table.State, done *linked.Outcome)
}

// Verify does what the function [Verify] does, with the verifier's own knowledge.
func (by *Verifier) Verify(r *Round) *Report {
	v := &verification{r: r, by: by, find: by.Find, report: &Report{Table: r.Table, Round: r.Round}}
	if v.find == nil {
		v.find = books.Find
	}
	ruled := false
	v.guarded(Rules, "declaration", func() { ruled = v.rules() })
	if ruled {
		v.course()
		v.commitment()
		v.play()
		v.cards()
		v.end()
	} else {
		v.report.add(Course, Open, "", "without its rules nothing of the round can be checked")
	}
	v.logged()
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int { return cmp.Compare(a.Check, b.Check) })
	v.report.Sound = !slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Result == Failed })
	v.report.Proven = v.report.Sound && len(v.report.Open()) == 0
	return v.report
}

// verification is a record that is being checked.
type verification struct {
	r       *Round
	by      *Verifier
	find    func(ref string) (*rules.Book, error)
	report  *Report
	variant *rules.Variant
	// declaredHere says that the book is declared as this program declares it: then its engine
	// decides as the house's did, or the record is wrong.
	declaredHere bool
	// state and meter are the table and the jackpot after the latest command. lost reports that
	// one of them was not as recorded, so that nothing after it can be decided.
	state table.State
	meter jackpot.State
	lost  bool

	deck  [52]card.Card
	dealt []card.Card
	chips chips
	lines int
	// metered reports whether the record says what the jackpot held. was is its content before
	// the command at hand, paid the sum that moved it so far.
	metered bool
	was     jackpot.State
	paid    jackpotMoves
}

func at(i int, path string) string { return fmt.Sprintf("steps[%d]%s", i, path) }

func (v *verification) fail(c Check, where, format string, args ...any) {
	v.report.add(c, Failed, where, format, args...)
}

func (v *verification) proven(c Check, format string, args ...any) {
	if !v.report.failed(c) {
		v.report.add(c, Proven, "", format, args...)
	}
}

// guarded does what the engine has a part in, and reports whether the engine came through it. A
// record may declare a book that no program has, and say what no table comes to. No check in
// advance can name everything to which that leads the engine. So where the engine breaks off, the
// record is refused there, and this is the only place that does so.
func (v *verification) guarded(c Check, where string, do func()) (held bool) {
	defer func() {
		if fault := recover(); fault != nil {
			v.lost, held = true, false
			v.fail(c, where, "no table comes to this, and the engine breaks off: %v", fault)
		}
	}()
	do()
	return true
}

// rules reads the rules in force; without them nothing else can be checked.
func (v *verification) rules() bool {
	r := v.r
	if hash := rules.HashOf([]byte(r.Terms)); hash != r.RulesHash {
		v.fail(Rules, "terms", "they have the hash %s, and the record says %s", hash, r.RulesHash)
		return false
	}
	book, err := rules.ReadBook([]byte(r.Declaration), v.find)
	if err != nil {
		v.fail(Rules, "declaration", "%v", err)
		return false
	}
	of, err := rules.ReadTerms([]byte(r.Terms), book)
	if err != nil {
		v.fail(Rules, "terms", "%v", err)
		return false
	}
	if book.Ref() != r.Book {
		v.fail(Rules, "book", "the rules are of %s, and the record says %s", book.Ref(), r.Book)
	}
	if (of.Jackpot != nil) != (r.Jackpot != "") {
		v.fail(Rules, "jackpot", "a jackpot is named where the rules have a progressive, and only there")
	}
	current, err := v.find(book.Ref())
	v.declaredHere = err == nil && current.Hash() == book.Hash()
	v.variant = of
	if v.state, err = table.Resume(of, r.Config.Engine(), r.Round, r.Carried.Engine()); err != nil {
		v.fail(Rules, "carried", "no table can begin this round: %v", err)
		return false
	}
	if of.Jackpot != nil {
		// What the jackpot held stands where it first mattered.
		if _, v.meter, err = linked.Open(of, 0, 0); err != nil {
			v.fail(Rules, "rules", "its progressive cannot be opened: %v", err)
			return false
		}
		v.meter = Reduced(v.meter, r.Table)
	}
	whose := "as this program declares it"
	if !v.declaredHere {
		whose = "which this program does not declare so today"
	}
	if !v.declaredHere && !books.Declared(book.Hash()) {
		v.report.add(Rules, Open, "declaration", "no program that this one knows of declares %s, revision %d, with this hash: compare it with that of the rules that were approved", r.Book, book.Revision)
	}
	v.proven(Rules, "%s, revision %d, with the hash %s, %s; variant %s with the hash %s", r.Book, book.Revision, book.Hash(), whose, r.Variant, r.RulesHash)
	return true
}

// course checks that the record is one round from its opening to its end.
func (v *verification) course() {
	r := v.r
	opened, last, first, ms := 0, int64(0), int64(0), int64(0)
	if r.Seed != nil {
		last, ms = r.Seed.Committed.Seq, r.Seed.Committed.AtMs
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.AtMs < ms {
			v.fail(Course, at(i, ".at_ms"), "it is of %d ms and stands behind %d ms: times go on", s.AtMs, ms)
		}
		ms = s.AtMs
		switch {
		case i == len(r.Steps)-1:
			if s.Seq != 0 {
				v.fail(Course, at(i, ".seq"), "the last transaction has no number here: it is that of the leaf which commits to the record")
			}
		case s.Seq <= last:
			v.fail(Course, at(i, ".seq"), "transaction %d stands behind %d", s.Seq, last)
		}
		last = s.Seq
		if s.Kind == AddSeedKind {
			continue
		}
		for k, e := range s.Events {
			if stored.Name(e.Kind) == record.TableEvents.Name(table.BetsOpened{}) {
				if opened++; opened > 1 || k > 0 {
					v.fail(Course, at(i, ".events"), "another round begins")
				}
			}
		}
		if first == 0 {
			if opened == 0 {
				v.fail(Course, at(i, ""), "the round has to begin with the opening of its bets")
			}
			first = s.Seq
		}
	}
	if first == 0 {
		v.fail(Course, "steps", "nothing happens in the round")
	}
}

// commitment checks the seed against what was published before.
func (v *verification) commitment() {
	r := v.r
	virtual := r.Config.Cards == table.Virtual
	switch {
	case r.Seed == nil && virtual:
		v.fail(Commitment, "seed", "it is missing: the house dealt these cards itself")
		return
	case r.Seed != nil && !virtual:
		v.fail(Commitment, "seed", "the cards were dealt by hand, and no seed decided about them")
		return
	case r.Seed == nil:
		for i := range r.Steps {
			if len(r.Steps[i].Seeds) > 0 || r.Steps[i].Kind == AddSeedKind {
				v.fail(Commitment, at(i, ".seeds"), "the cards were dealt by hand, and no seed decided about them")
			}
		}
		if !v.report.failed(Commitment) {
			v.report.add(Commitment, Open, "", "the cards were dealt by hand (%s): there is no seed to check", r.Config.Cards)
		}
		return
	}
	s := fair.State{Table: r.Table, Round: r.Round - 1}
	apply := func(where string, e fair.Event) {
		var err error
		if s, err = fair.Evolve(s, e); err != nil {
			v.fail(Commitment, where, "%v", err)
		}
	}
	apply("seed.commitment", fair.Committed{Round: r.Round, Commitment: r.Seed.Commitment})
	closed := false
	for i := range r.Steps {
		for k, e := range r.Steps[i].Seeds {
			where := at(i, fmt.Sprintf(".seeds[%d]", k))
			decoded, err := recorded(fair.Events, e)
			if err != nil {
				v.fail(Commitment, where, "%v", err)
				continue
			}
			switch e := decoded.(type) {
			case fair.Added:
				v.added(i, e, closed)
			case fair.Revealed:
				if e.Seed != r.Seed.Seed {
					v.fail(Commitment, where, "another seed is revealed than the record says")
				}
			}
			apply(where, decoded)
		}
		v.addSeed(i)
		closed = closed || slices.ContainsFunc(r.Steps[i].Events, func(e Event) bool {
			return slices.Contains(closing, stored.Name(e.Kind))
		})
	}
	if s.Open {
		v.fail(Commitment, "steps", "the seed is nowhere revealed")
	}
	if !slices.Equal(s.Own, r.Seed.Own) {
		v.fail(Commitment, "seed.own", "the players added %v, and the record says %v", s.Own, r.Seed.Own)
	}
	if c := fair.Commit(r.Table, r.Round, r.Seed.Seed); c != r.Seed.Commitment {
		v.fail(Commitment, "seed", "the seed has the commitment %s, and %s was published", c, r.Seed.Commitment)
	}
	v.proven(Commitment, "the seed revealed has the commitment %s, published in transaction %d before the bets%s; %s", r.Seed.Commitment, r.Seed.Committed.Seq, v.covered(), counted(len(r.Seed.Own), "player added a seed", "players added seeds"))
	v.deck = fair.Deck(r.Seed.Commitment, r.Seed.Seed, r.Seed.Own)
}

// covered checks the checkpoint that held the commitment: that it holds it, and that
// nobody bet or added a seed before. A record alone cannot show who signed it. It returns what
// is to be said of it.
func (v *verification) covered() string {
	seed := v.r.Seed
	if seed.Checkpoint == "" {
		if v.r.Proof != "" {
			v.report.add(Commitment, Open, "seed.checkpoint", "no checkpoint from before the bets holds it: that it was published before them is the house's word")
		}
		return ""
	}
	name, head, err := merkle.ParseSigned(seed.Checkpoint)
	switch {
	case err != nil:
		v.fail(Commitment, "seed.checkpoint", "it is not a signed checkpoint: %.100q", seed.Checkpoint)
		return ""
	case head.Size <= seed.Committed.Seq:
		v.fail(Commitment, "seed.checkpoint", "it holds %d leaves, and the commitment is leaf %d", head.Size, seed.Committed.Seq)
		return ""
	}
	for i := range v.r.Steps {
		s := &v.r.Steps[i]
		relies := s.Kind == AddSeedKind || s.Kind == record.Actions.Name(table.Bet{}) || s.Kind == record.Actions.Name(table.Found{})
		if last := i == len(v.r.Steps)-1; relies && !last && s.Seq < head.Size {
			v.fail(Commitment, at(i, ".seq"), "%s is leaf %d, and the checkpoint was signed over %d leaves", s.Kind, s.Seq, head.Size)
		}
	}
	return fmt.Sprintf(" and covered by the checkpoint of %s over %d leaves", name, head.Size)
}

// closing are the events after which no seed is added to a round.
var closing = []string{
	record.TableEvents.Name(table.BetsClosed{}), record.TableEvents.Name(table.RoundVoided{}), record.TableEvents.Name(table.TableClosed{}),
}

// added checks a seed against the command that added it.
func (v *verification) added(i int, e fair.Added, closed bool) {
	s := &v.r.Steps[i]
	switch {
	case s.Kind != AddSeedKind:
		v.fail(Commitment, at(i, ".seeds"), "%s adds no seed", s.Kind)
	case e.Player != s.By.Name:
		v.fail(Commitment, at(i, ".by.name"), "%s added a seed for %s", s.By.Name, e.Player)
	case closed:
		v.fail(Commitment, at(i, ""), "%s added a seed when the bets were closed", e.Player)
	}
	if where, why := compare(s.Body, AddSeed{Text: e.Text}); why != "" {
		v.fail(Commitment, at(i, ".body"), "%s: it is not the seed that was added: %s", where, why)
	}
}

// addSeed checks that a command to add a seed did that and nothing else.
func (v *verification) addSeed(i int) {
	s := &v.r.Steps[i]
	if s.Kind != AddSeedKind {
		return
	}
	if len(s.Events) > 0 || len(s.Moved) > 0 || len(s.Postings) > 0 || s.Meter != nil || len(s.Seeds) != 1 || s.Seeds[0].Kind != (fair.Added{}).Kind() {
		v.fail(Commitment, at(i, ""), "a player adds a seed, and something else follows from it")
	}
	if role, err := access.ParseRole(s.By.Role); err != nil || !role.Can(access.Play) {
		v.fail(Commitment, at(i, ".by.role"), "who is %q adds no seed", s.By.Role)
	}
}

// actor returns the person who gave a command, as the table knows them.
func actor(by By) (table.Actor, error) {
	if by.Role == KeeperRole {
		return table.Actor{Name: by.Name, Role: rules.Dealer, Automatic: true}, nil
	}
	role, err := access.ParseRole(by.Role)
	if err == nil && role.AtTable() == 0 {
		err = fmt.Errorf("%s gives no commands at a table", role)
	}
	return table.Actor{Name: by.Name, Role: role.AtTable()}, err
}

// play goes through the round.
func (v *verification) play() {
	v.chips = newChips()
	commands, events := 0, 0
	for i := range v.r.Steps {
		s := &v.r.Steps[i]
		if s.Kind == AddSeedKind {
			v.gaveWay(i)
			continue
		}
		commands++
		events += len(s.Events) + len(s.Moved)
		logged, ok := v.decode(i)
		if !ok {
			v.lost = true
			continue
		}
		before := v.state
		var done *linked.Outcome
		held := v.guarded(Commands, at(i, ""), func() {
			done = v.decide(i, logged)
			v.money(i, logged, &before, done)
			v.reveal(i, done, &before)
		})
		if held && done != nil && v.by.Each != nil {
			v.by.Each(before, done)
		}
	}
	if v.report.otherwise(Commands) {
		v.report.add(Commands, Open, "", "whether the commands were permitted, the program knows that declares the book so")
	} else {
		v.proven(Commands, "%s decided once more, and the %s follow as recorded", counted(commands, "command is", "commands are"), counted(events, "event", "events"))
	}
	switch {
	case v.report.failed(Settlement):
	case v.lost:
		v.report.add(Settlement, Open, "", "it cannot be told where the commands do not hold")
	case v.lines > 0:
		v.proven(Settlement, "%s worked out once more from the rules and the cards", counted(v.lines, "line is", "lines are"))
	default:
		v.proven(Settlement, "no wager was left to settle by the cards")
	}
}

// gaveWay checks that a seed took the place of another only by the right of a bet.
func (v *verification) gaveWay(i int) {
	for k, e := range v.r.Steps[i].Seeds {
		decoded, err := recorded(fair.Events, e)
		added, ok := decoded.(fair.Added)
		if err != nil || !ok || added.Instead == "" {
			continue // what is wrong with it, commitment has said
		}
		if !v.state.HasBet(added.Player) || v.state.HasBet(added.Instead) {
			v.fail(Commands, at(i, fmt.Sprintf(".seeds[%d]", k)), "the seed of %s gave way to one of %s: only a player without a bet gives way, to one with a bet", added.Instead, added.Player)
		}
	}
}

// events are those of a step as they are read.
type events struct {
	events []table.Event
	moved  []jackpot.Event
}

// decode reads the events of a step. Where one cannot be read, none of them counts.
func (v *verification) decode(i int) (logged events, ok bool) {
	s := &v.r.Steps[i]
	ok = true
	for k, e := range s.Events {
		decoded, err := recorded(record.TableEvents, e)
		if err != nil {
			v.fail(Commands, at(i, fmt.Sprintf(".events[%d]", k)), "%v", err)
			ok = false
		}
		logged.events = append(logged.events, decoded)
	}
	for k, e := range s.Moved {
		decoded, err := recorded(record.JackpotEvents, e)
		if err != nil {
			v.fail(Commands, at(i, fmt.Sprintf(".moved[%d]", k)), "%v", err)
			ok = false
		}
		logged.moved = append(logged.moved, decoded)
	}
	return logged, ok
}

// recorded reads an event as it was recorded, and refuses one that was written in
// another way.
func recorded[E any](t *stored.Table[E], e Event) (E, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.Body); err != nil {
		return *new(E), err
	}
	decoded, err := t.Read(Event{Kind: e.Kind, Body: compact.Bytes()})
	if !errors.Is(err, stored.ErrForm) {
		return decoded, err
	}
	again, failed := t.Parse(e.Kind, e.Body)
	if unknown, found := errors.AsType[*strict.UnknownField](failed); found {
		err = fmt.Errorf("%s: there is no such field", unknown.Key)
	} else if failed == nil {
		if where, why := compare(e.Body, t.Stored(again)); why != "" {
			err = fmt.Errorf("%s: %s", where, why)
		}
	}
	return decoded, err
}

// decide has the engine decide a command anew and compares. It returns nil where
// that cannot be done, or does not come to what is recorded. Where the book is declared
// otherwise than by this program, the logged events count, and what the engine makes of
// the command is reported only.
func (v *verification) decide(i int, logged events) *linked.Outcome {
	if v.lost {
		return nil
	}
	v.lost = true // unless all goes well
	s := &v.r.Steps[i]
	if s.Meter != nil {
		if !v.takeMeter(i) {
			return nil
		}
	}
	by, err := actor(s.By)
	if err != nil {
		v.fail(Commands, at(i, ".by.role"), "%v", err)
		return nil
	}
	do, err := record.Actions.Parse(s.Kind, s.Body)
	if err != nil {
		v.fail(Commands, at(i, ".body"), "%v", err)
		return nil
	}
	v.drawn(i, do)
	v.was = v.meter
	c := table.Command{By: by, AtMs: s.AtMs, Do: do}
	done, err := linked.Step(v.r.Table, v.state, v.meter, c)
	if err == nil && done.Read && !v.metered {
		v.fail(Commands, at(i, ".meter"), "what the jackpot held is missing, and the command depends on it")
		return nil
	}
	if where, why := v.differs(i, &done, err); why != "" {
		if v.declaredHere {
			v.fail(Commands, where, "%s", why)
			return nil
		}
		if why := cmp.Or(contradicted(do, by, logged.events), unfounded(do, &v.state, logged.events), misplaced(do, &v.state, logged.events)); why != "" {
			v.fail(Commands, at(i, ""), "%s", why)
			return nil
		}
		v.report.add(Commands, Otherwise, where, "this program would decide otherwise today: %s", why)
		if done, err = v.followed(c, logged); err != nil {
			v.fail(Commands, at(i, ".events"), "%v", err)
			return nil
		}
	}
	v.state, v.meter, v.lost = done.State, Reduced(done.Meter, v.r.Table), false
	return &done
}

// differs returns where, and how, a step differs from what the engine makes of its
// command.
func (v *verification) differs(i int, done *linked.Outcome, err error) (where, why string) {
	s := &v.r.Steps[i]
	if err != nil {
		return at(i, ""), fmt.Sprintf("the engine does not accept %s: %v", s.Kind, err)
	}
	if place, why := compare(s.Body, record.Actions.Stored(done.Command.Do)); why != "" {
		return at(i, below(".body", place)), "this is not the command that was carried out: " + why
	}
	if where, why = unlike(at(i, ".events"), record.TableEvents, s.Events, done.Events); why != "" {
		return where, why
	}
	return unlike(at(i, ".moved"), record.JackpotEvents, s.Moved, done.Moved)
}

// followed applies the recorded events of a step where this program would decide otherwise.
func (v *verification) followed(c table.Command, logged events) (linked.Outcome, error) {
	done := linked.Outcome{Command: c, Events: logged.events, Moved: logged.moved, State: v.state, Meter: v.meter, Read: len(logged.moved) > 0}
	var err error
	for _, e := range logged.events {
		if done.State, err = table.Evolve(done.State, e); err != nil {
			return done, err
		}
	}
	for _, e := range logged.moved {
		if done.Meter, err = jackpot.Evolve(done.Meter, e); err != nil {
			return done, err
		}
	}
	return done, nil
}

// marshal writes a value of the engine, all of which can be written.
func marshal(e any) json.RawMessage {
	text, err := json.Marshal(e)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// unlike returns where, and how, the events recorded differ from those that follow.
func unlike[E any](where string, t *stored.Table[E], recorded []Event, decided []E) (at, why string) {
	for k := range min(len(recorded), len(decided)) {
		path := fmt.Sprintf("%s[%d]", where, k)
		should, err := t.Write(decided[k])
		if err != nil {
			return path, err.Error()
		}
		reread := newest(t, recorded[k])
		if reread.Kind != should.Kind {
			return path, fmt.Sprintf("it is %s, and %s follows", reread.Kind, should.Kind)
		}
		if place, why := compare(reread.Body, should.Body); why != "" {
			return below(path+".body", place), why
		}
	}
	if len(recorded) != len(decided) {
		return where, fmt.Sprintf("there are %d, and %d follow", len(recorded), len(decided))
	}
	return "", ""
}

// newest returns an event of an older version as it would be written today.
func newest[E any](t *stored.Table[E], e Event) Event {
	if decoded, err := t.Parse(e.Kind, e.Body); err == nil {
		if again, err := t.Write(decoded); err == nil && again.Kind != e.Kind {
			return again
		}
	}
	return e
}

// takeMeter takes over what the jackpot held before a command.
func (v *verification) takeMeter(i int) bool {
	given := v.r.Steps[i].Meter.Engine()
	where := at(i, ".meter")
	switch {
	case v.variant.Jackpot == nil:
		v.fail(Commands, where, "the table plays for no jackpot")
		return false
	case !given.Opened:
		v.fail(Commands, where, "the jackpot is not open")
		return false
	}
	first := !v.metered
	v.metered = true
	if err := given.Audit(); err != nil {
		v.fail(Commands, where, "it cannot hold this: %v", err)
		return false
	}
	if place, why := compare(marshal(given), Reduced(given, v.r.Table)); why != "" {
		v.fail(Commands, below(where, place), "it says more than concerns the table: %s", why)
		return false
	}
	if _, why := compare(marshal(given), v.meter); why == "" && !first {
		v.fail(Commands, where, "the jackpot had not moved")
		return false
	}
	if err := linked.Check(v.variant, given); err != nil {
		v.fail(Commands, where, "%v", err)
		return false
	}
	if !first && !v.ours(given) {
		v.fail(Commands, where, "the bets of this table changed without it")
		return false
	}
	if why := unexplained(v.meter, given); why != "" && !first {
		v.report.add(Jackpot, Open, where, "%s since the step before, and the record does not say why: that of the jackpot does", why)
	}
	v.meter = given
	return true
}

// unexplained describes a change of the meter that other tables cannot have made, and returns
// an empty text if they can explain it. They contribute, and a hit that they pay starts the meter
// again at its reset value. It falls otherwise where bets go back at another table or where
// people adjust it, which no record of a round shows.
func unexplained(was, now jackpot.State) string {
	switch {
	case now.HitsPaid < was.HitsPaid:
		return fmt.Sprintf("the jackpot has paid %d hits, and had paid %d", now.HitsPaid, was.HitsPaid)
	case now.HitsPaid == was.HitsPaid && now.Meter < was.Meter:
		return fmt.Sprintf("the jackpot fell from %s to %s without a hit", was.Meter.Display(), now.Meter.Display())
	case now.HitsPaid > was.HitsPaid && now.Meter < now.Terms.Reset:
		return fmt.Sprintf("the jackpot was hit and holds %s, less than the %s of its reset", now.Meter.Display(), now.Terms.Reset.Display())
	}
	return ""
}

// ours reports whether the jackpot holds the bets of this table as the steps
// before left them: others can change what it holds in all, but not those. Two people may
// have determined another place for a round that was dealt.
func (v *verification) ours(given jackpot.State) bool {
	of := func(m jackpot.State) (rounds []jackpot.Round) {
		for _, r := range m.Rounds {
			if r.ID.Table != v.r.Table {
				continue
			}
			if now, _ := given.Round(r.ID); r.Dealt != nil && now.Dealt != nil && now.Determined {
				r.Dealt, r.Determined = now.Dealt, true
			}
			rounds = append(rounds, r)
		}
		return rounds
	}
	_, why := compare(marshal(of(given)), of(v.meter))
	return why == ""
}

// drawn notes the cards of a deal.
func (v *verification) drawn(i int, do table.Action) {
	deal, ok := do.(table.Deal)
	if !ok || v.r.Seed == nil {
		return
	}
	var used card.Set
	for _, c := range v.dealt {
		used = used.With(c)
	}
	next := fair.Next(v.deck, used, len(deal.Cards))
	for k := range deal.Cards {
		drawn := deal.Cards[k].Card
		v.dealt = append(v.dealt, drawn)
		if k >= len(next) || drawn != next[k] {
			v.fail(Cards, at(i, fmt.Sprintf(".body.cards[%d]", k)), "it is %s, and the next card of the deck is %s", drawn, upTo(next, k))
			return
		}
	}
}

func upTo(cards []card.Card, i int) card.Card {
	if i < len(cards) {
		return cards[i]
	}
	return card.None
}

// cards compares the dealt cards with the deck, and says so where it cannot.
func (v *verification) cards() {
	switch {
	case v.r.Seed == nil && v.r.Config.Cards == table.Virtual:
		v.report.add(Cards, Open, "", "without the seed the deck is not known")
	case v.r.Seed == nil:
		v.report.add(Cards, Open, "", "they came from the hands of a dealer: their order is what the record says")
	case v.lost:
		v.report.add(Cards, Open, "", "it cannot be told where the commands do not hold")
	default:
		for i := range v.state.Slots {
			if i >= len(v.dealt) || v.state.Slots[i].Card != v.dealt[i] {
				v.fail(Cards, "steps", "a card lies on the table that was not dealt from the deck")
				return
			}
		}
		v.proven(Cards, "the %s dealt come from the top of the deck of these seeds, in its order", counted(len(v.dealt), "card", "cards"))
	}
}

// reveal checks that the seed is revealed where the round ends, and there only.
func (v *verification) reveal(i int, done *linked.Outcome, before *table.State) {
	if done == nil || v.r.Seed == nil {
		return
	}
	revealed := slices.ContainsFunc(v.r.Steps[i].Seeds, func(e Event) bool { return e.Kind == (fair.Revealed{}).Kind() })
	ends := before.Phase.InRound() && !done.State.Phase.InRound()
	if revealed != ends {
		v.fail(Commitment, at(i, ".seeds"), "the seed is revealed with the command that ends the round, and with no other")
	}
}

// end checks how the round ended, and what is left on the layout.
func (v *verification) end() {
	switch ended := v.outcome(); {
	case ended == 0 || !v.lost && v.state.Phase.InRound():
		v.fail(Course, "steps", "the round does not end")
	case ended.String() != v.r.Ended:
		v.fail(Course, "ended", "the round is %s, and the record says %s", ended, v.r.Ended)
	}
	v.proven(Course, "round %d of table %s, %s from its opening to its end: %s", v.r.Round, v.r.Table, counted(len(v.r.Steps), "transaction", "transactions"), v.r.Ended)
	v.settleUp()
}

// outcome returns the end of the round, also where the table was closed after it; zero
// if it did not.
func (v *verification) outcome() (outcome table.Phase) {
	for i := range v.r.Steps {
		for _, e := range v.r.Steps[i].Events {
			switch stored.Name(e.Kind) {
			case record.TableEvents.Name(table.Settled{}):
				outcome = table.Paid
			case record.TableEvents.Name(table.RoundVoided{}):
				outcome = table.Voided
			case record.TableEvents.Name(table.TableClosed{}):
				if outcome == 0 { // nobody had bet
					outcome = table.Closed
				}
			}
		}
	}
	return outcome
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
