package house_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/proof"
	"trey/money"
	"trey/rules"
	"trey/rules/rws3cp"
	"trey/table"
)

// program finds books as a program does that declares one of them otherwise.
func program(b *rules.Book) func(ref string) (*rules.Book, error) {
	return func(ref string) (*rules.Book, error) {
		if ref != b.Ref() && ref != b.ID {
			return nil, errors.New("this program has one book")
		}
		return b, nil
	}
}

// twoRevisions returns a book as an earlier program declares it and as a later one does:
// with one ruling more, another case of an incident and another pay.
func twoRevisions() (first, second *rules.Book) {
	one, two := *rws3cp.Book(), *rws3cp.Book()
	two.Revision++
	two.Rulings = slices.Clone(two.OpenRulings())
	one.Rulings = slices.DeleteFunc(slices.Clone(two.Rulings), func(r rules.OpenRuling) bool { return r.Ruling == rules.EnvyWhenFolded })
	for i := range two.Rulings {
		if r := &two.Rulings[i]; r.Ruling == rules.EnvyWhenFolded {
			r.Since, r.Older = two.Revision, rules.Kept
		}
	}
	// In the first revision, rounds go on after any interruption.
	one.Incidents = slices.Clone(one.Incidents)
	for i := range one.Incidents {
		if one.Incidents[i].Incident == rules.TechnicalInterruption {
			one.Incidents[i] = rules.Provide(rules.TechnicalInterruption, rules.Then(rules.Continue, "5.7"))
		}
	}
	two.Wagers = slices.Clone(two.Wagers)
	for i := range two.Wagers {
		if two.Wagers[i].Wager == rules.PairPlus {
			table := two.Wagers[i].Pays[0]
			table.Rows = slices.Clone(table.Rows)
			table.Rows[4].Pay = rules.ToOne(2) // a pair, which paid even money
			two.Wagers[i].Pays = []rules.PayTable{table}
		}
	}
	return &one, &two
}

// byProgram returns a site of a program with a book of its own, with a table A of it.
func byProgram(t *testing.T, b *rules.Book) *site {
	t.Helper()
	s := newSite(t)
	s.find = program(b)
	s.restart()
	for _, name := range []string{"A", "B"} {
		v := b.Standard()
		if err := s.Install(ctx(), house.Table{Name: name, Variant: v, Config: table.Config{Device: rules.Shuffler, Cards: table.Virtual}, Jackpot: "linked"}, admin); err != nil {
			t.Fatal(err)
		}
	}
	s.buyIn("ann", 1000*money.Major)
	return s
}

// ownSince lists the kinds of what the house decided about itself since an event.
func (s *site) ownSince(version int) (kinds []string) {
	s.Helper()
	for _, r := range s.read("house")[version:] {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// verified verifies the record of a round by a program, and returns it.
func (s *site) verified(name string, round int, by *rules.Book) *proof.Round {
	s.Helper()
	written, err := s.Round(ctx(), name, round)
	if err != nil {
		s.Fatal(err)
	}
	r, err := proof.Read(bytes.NewReader(written.Text))
	if err != nil {
		s.Fatal(err)
	}
	s.isCommitted(written)
	for _, f := range (&proof.Verifier{Find: program(by)}).Verify(r).Findings {
		if f.Result == proof.Failed || f.Result == proof.Otherwise {
			s.Errorf("round %d: %s %s: %s", round, f.Check, f.Where, f.Text)
		}
	}
	return r
}

// A house that an earlier program recorded opens under a later one whose book has moved
// on. The round that the stop interrupted is ended by the rules by which it was begun. Then the
// tables change over, and the rounds before are proven as they were played.
func TestABookThatHasMovedOn(t *testing.T) {
	first, second := twoRevisions()
	s := byProgram(t, first)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 10 * money.Major})
	s.do("A", dealer, table.CloseBets{})
	before := len(s.read("house"))

	s.find = program(second)
	s.clock.Add(60_000)
	stops := s.restart()
	if len(stops) != 1 || stops[0].Outcome != rules.Continue || stops[0].Phase != table.Dealing {
		t.Fatalf("under the first revision the round goes on, and it came to %+v", stops)
	}
	if kinds := s.ownSince(before); !reflect.DeepEqual(kinds, []string{"book-declared", "terms-stated", "rules-carried-over", "rules-carried-over"}) {
		t.Errorf("the house recorded %v", kinds)
	}
	carried := ownEvents[house.RulesCarriedOver](s)
	if len(carried) != 2 || carried[0].Table != "A" || carried[0].FromRound != 3 || carried[1].FromRound != 1 ||
		carried[0].Before.BookHash != first.Hash() || carried[0].BookHash != second.Hash() || carried[0].Before.RulesHash != first.Standard().Hash() {
		t.Errorf("carried over: %+v", carried)
	}
	status, err := s.Status("A")
	if err != nil || status.State.Variant().Book.Hash() != first.Hash() || status.Next == nil || status.Next.Variant.Book != second {
		t.Fatalf("the round is played by %s, the next by %v, %v", status.State.Variant().Book.Hash(), status.Next, err)
	}
	s.top = cards(t, "Ah", "Ad", "5c", "Kc", "Qs", "2h") // ann has a pair, the dealer a king
	s.Rig(s.deck)
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	r := s.do("A", dealer, table.Settle{})
	for _, l := range r.State.Lines() {
		if l.Wager == rules.PairPlus && l.Pays != 10*money.Major {
			t.Errorf("the pair of the second round is paid %s, as by the first revision", l.Pays)
		}
	}
	s.top = nil
	s.Rig(s.deck)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	if status, err = s.Status("A"); err != nil || status.State.Variant().Book != second || status.State.Variant().Choices[rules.EnvyWhenFolded] != rules.Kept ||
		status.State.Variant().Pays[rules.PairPlus].Rows[4].Pay != rules.ToOne(1) {
		t.Errorf("the third round is played by %s, %v", status.State.Variant().Terms(), err)
	}
	v := second.Standard()
	v.Choices[rules.EnvyWhenFolded] = rules.Lost
	if from, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: v}); err != nil || from != 4 {
		t.Errorf("a shift manager takes over the pays of the second revision from round %d: %v", from, err)
	}

	for _, by := range []*rules.Book{first, second, rws3cp.Book()} {
		for round, book := range map[int]*rules.Book{1: first, 3: second} {
			if r := s.verified("A", round, by); r.Declaration != string(book.Declaration()) {
				t.Errorf("round %d holds the declaration %s", round, r.Declaration)
			}
		}
	}
	recorded := len(s.read("house"))
	for _, s.all = range []bool{true, false} {
		s.restart()
		if n := len(s.read("house")); n != recorded {
			t.Errorf("opened again the house recorded %v", s.ownSince(recorded))
		}
	}
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	for _, f := range audited(s).Findings() {
		t.Errorf("transaction %d: %s", f.Seq, f.What)
	}
}

func audited(s *site) *auditor.Auditor {
	s.Helper()
	a := auditor.New()
	if err := house.Named(s.store).ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { a.Read(e); return nil }); err != nil {
		s.Fatal(err)
	}
	return a
}

// What people only read of a book changes nothing: no rules are recorded again, and no
// table goes over to anything.
func TestAnotherCommaChangesNothing(t *testing.T) {
	first, _ := twoRevisions()
	s := byProgram(t, first)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	before := len(s.read("house"))
	worded := *first
	worded.Title, worded.House = "Three Card Poker", "Sentosa, a resort"
	worded.Clauses = slices.Clone(worded.Clauses)
	worded.Clauses[0].Summary += ","
	s.find = program(&worded)
	s.restart()
	if n := len(s.read("house")); n != before {
		t.Errorf("the house recorded %v", s.ownSince(before))
	}
	if err := s.round("A", ann); err != nil {
		t.Error(err)
	}
	s.verified("A", 1, &worded)
	s.verified("A", 2, &worded)
}

// Where the rules of a table cannot go over, the house opens all the same. The round that
// was begun is ended; none begins, and what is said of that names the ruling, until
// somebody chooses rules that the book has.
func TestRulesThatCannotGoOver(t *testing.T) {
	first, second := twoRevisions()
	second.Rulings = slices.DeleteFunc(second.Rulings, func(r rules.OpenRuling) bool { return r.Ruling == rules.EnvyPer })
	s := byProgram(t, first)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	before := len(s.read("house"))
	s.find = program(second)
	s.restart()
	if kinds := s.ownSince(before); len(kinds) != 0 {
		t.Errorf("the house recorded %v", kinds)
	}
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
	for _, name := range []string{"A", "B"} {
		_, err := s.Do(ctx(), house.CommandRequest{Table: name, By: dealer, Do: table.OpenBets{}})
		if !errors.Is(err, house.ErrOldRules) || !strings.Contains(err.Error(), "the ruling envy_per is gone") {
			t.Errorf("table %s: %v", name, err)
		}
	}
	if _, err := s.DryRun(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrOldRules) {
		t.Errorf("tried: %v", err)
	}
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: first.Standard()}); err == nil {
		// The table has it.
		t.Error("rules of the declaration that is gone were chosen")
	}
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: second.Standard()}); err != nil {
		t.Fatal(err)
	}
	if err := s.round("A", ann); err != nil {
		t.Error(err)
	}
	s.verified("A", 1, second)
	s.verified("A", 2, second)
	for _, f := range audited(s).Findings() {
		t.Errorf("transaction %d: %s", f.Seq, f.What)
	}
}

// A table goes over to a later revision of its book, and another begins by it, when every
// machine of the house reads that revision, and not before. It never goes back: an earlier
// program begins no round by a revision that it does not have.
func TestABookBeginsWhenEveryMachineReadsIt(t *testing.T) {
	first, second := twoRevisions()
	s := byProgram(t, first)
	before := len(s.read("house"))
	old := []string{"n2"}
	s.unread = func(ref string, revision int) []string {
		if ref != first.Ref() || revision < second.Revision {
			return nil
		}
		return old
	}
	s.find = program(second)
	s.restart()
	if kinds := s.ownSince(before); len(kinds) != 0 {
		t.Errorf("while a machine reads the first revision the house recorded %v", kinds)
	}
	if err := s.round("A", ann); err != nil {
		t.Errorf("while a machine reads the first revision no round is played by it: %v", err)
	}
	install := house.Table{Name: "C", Variant: second.Standard(), Config: table.Config{Device: rules.Shuffler, Cards: table.Virtual}, Jackpot: "linked"}
	if err := s.Install(ctx(), install, admin); !errors.Is(err, house.ErrUnread) || !strings.Contains(err.Error(), fmt.Sprintf("revision %d, is not read by n2", second.Revision)) {
		t.Errorf("a table is put on the floor: %v", err)
	}
	if _, err := s.Change(ctx(), "", manager, "A", house.Change{Variant: second.Standard()}); !errors.Is(err, house.ErrUnread) {
		t.Errorf("a table is changed: %v", err)
	}
	if waits, err := s.CarryOver(ctx()); err != nil || !errors.Is(waits, house.ErrUnread) {
		t.Errorf("the tables go over: %v, %v", waits, err)
	}
	if kinds := s.ownSince(before); len(kinds) != 0 {
		t.Errorf("while a machine reads the first revision the house recorded %v", kinds)
	}
	v := first.Standard()
	v.GraceMs++
	if _, err := s.Change(ctx(), "", manager, "B", house.Change{Variant: v}); err != nil {
		t.Errorf("a table keeps its book and is changed: %v", err)
	}

	before = len(s.read("house"))
	old = nil
	if waits, err := s.CarryOver(ctx()); err != nil || waits != nil {
		t.Fatalf("the tables go over: %v, %v", waits, err)
	}
	if kinds := s.ownSince(before); !reflect.DeepEqual(kinds, []string{"book-declared", "terms-stated", "rules-carried-over", "terms-stated", "rules-carried-over"}) {
		t.Errorf("when every machine reads the second revision the house recorded %v", kinds)
	}
	before = len(s.read("house"))
	if waits, err := s.CarryOver(ctx()); err != nil || waits != nil || len(s.ownSince(before)) != 0 {
		t.Errorf("once more: %v, %v, %v", waits, err, s.ownSince(before))
	}
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	if status, err := s.Status("A"); err != nil || status.State.Variant().Book.Hash() != second.Hash() {
		t.Errorf("the round is played by another book, %v", err)
	}
	old = []string{"n2"}
	if err := s.Install(ctx(), install, admin); err != nil {
		t.Errorf("what has begun goes on: %v", err)
	}

	before = len(s.read("house"))
	if err := s.LaterBook(); err != nil {
		t.Error(err)
	}
	s.find = program(first)
	s.restart()
	if err := s.LaterBook(); !errors.Is(err, house.ErrOldProgram) {
		t.Errorf("of an earlier program: %v", err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrOldProgram) {
		t.Errorf("an earlier program begins a round: %v", err)
	}
	if kinds := s.ownSince(before); len(kinds) != 0 {
		t.Errorf("an earlier program recorded %v", kinds)
	}
	s.find = program(second)
	s.restart()
	if err := s.round("A", ann); err != nil {
		t.Error(err)
	}
	for _, f := range audited(s).Findings() {
		t.Errorf("transaction %d: %s", f.Seq, f.What)
	}
}

// What is altered in recorded rules, the audit finds, whatever else was made to fit.
func TestAlteredRulesAreAudited(t *testing.T) {
	first, second := twoRevisions()
	s := byProgram(t, first)
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	s.find = program(second)
	s.restart()
	var entries []house.StoredTransaction
	if err := house.Named(s.store).ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { entries = append(entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	revision := func(n int) string { return fmt.Sprintf(`"revision":%d,"book_hash"`, n) }
	for name, alter := range map[string]struct{ kind, old, new, want string }{
		"a pay in the declaration":  {"book-declared", `\"to\":40`, `\"to\":41`, "and is recorded under"},
		"a comma in it":             {"book-declared", `,\"ranking\":`, ` ,\"ranking\":`, "and is recorded under"},
		"the name of it":            {"book-declared", revision(first.Revision), revision(second.Revision + 1), "is declared as"},
		"a limit in the terms":      {"terms-stated", `\"boxes\":7`, `\"boxes\":6`, "are recorded under"},
		"of which book they are":    {"terms-stated", `"book_hash":"` + first.Hash()[:4], `"book_hash":"0000`, "not recorded before them"},
		"what a table is played by": {"table-installed", `"rules_hash":"` + first.Standard().Hash()[:4], `"rules_hash":"0000`, "which are not recorded before"},
		"what was in force":         {"rules-carried-over", `"before":{"book_hash":"` + first.Hash() + `","rules_hash":"`, `"before":{"book_hash":"` + first.Hash() + `","rules_hash":"0`, "and those in force are"},
		"what it was declared by":   {"rules-carried-over", `"before":{"book_hash":"` + first.Hash()[:4], `"before":{"book_hash":"0000`, "the rules are of others"},
		"from when it goes over":    {"rules-carried-over", `"from_round":2`, `"from_round":1`, "round 1 has begun"},
	} {
		a, altered := auditor.New(), false
		for _, e := range entries {
			e.Parts = slices.Clone(e.Parts)
			for i := range e.Parts {
				e.Parts[i].Events = slices.Clone(e.Parts[i].Events)
				for k := range e.Parts[i].Events {
					event := &e.Parts[i].Events[k]
					if body := strings.Replace(string(event.Body), alter.old, alter.new, 1); event.Kind == alter.kind && body != string(event.Body) && !altered {
						event.Body, altered = []byte(body), true
					}
				}
			}
			a.Read(e)
		}
		if !altered || !slices.ContainsFunc(a.Findings(), func(f auditor.Finding) bool { return strings.Contains(f.What, alter.want) }) {
			t.Errorf("%s: altered %t, found %v", name, altered, a.Findings())
		}
	}
	if found := audited(s).Findings(); len(found) != 0 {
		t.Errorf("nothing was altered: %v", found)
	}
}
