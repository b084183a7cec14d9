package house_test

import (
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/record"
	"trey/rules"
	"trey/table"
)

// Rules are read from the record under the hash of their text alone, and terms after the
// declaration that they are of. A table is played by rules that were read.
func TestRecordedRulesAreHeldToTheirHashes(t *testing.T) {
	book, _ := twoRevisions()
	v := book.Standard()
	declared := house.BookDeclared{Book: book.Ref(), Revision: book.Revision, BookHash: book.Hash(), Declaration: string(book.Declaration())}
	stated := house.TermsStated{BookHash: book.Hash(), RulesHash: v.Hash(), Terms: string(v.Terms())}
	installed := house.TableInstalled{
		Name: "A", Variant: v.ID, RulesHash: v.Hash(), Config: record.Equipment{Device: rules.Shuffler, Cards: table.Virtual},
		Jackpot: "linked", Mode: house.DealerRun,
	}
	s := newSite(t)
	s.apart = true // nothing of it is recorded
	s.find = program(book)
	s.restart()
	refuses := func(what string, e house.OwnEvent, want string) {
		t.Helper()
		if err := s.Apply(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	takes := func(e house.OwnEvent) {
		t.Helper()
		if err := s.Apply(e); err != nil {
			t.Fatalf("%T: %v", e, err)
		}
	}
	refuses("terms before their book", stated, "nowhere recorded")
	other := declared
	other.Declaration += " "
	refuses("a declaration with a blank more", other, "has the hash")
	other.BookHash = rules.HashOf([]byte(other.Declaration))
	refuses("a declaration that is not written so", other, "")
	other = declared
	other.Revision++
	refuses("a declaration of another revision", other, "is declared, and the declaration is of")
	other = declared
	other.Book = "us-3cp"
	refuses("a declaration of another book", other, "is declared, and the declaration is of")
	refuses("terms whose book was refused", stated, "nowhere recorded")
	takes(declared)
	takes(declared)

	refuses("a table before its rules", installed, "nowhere recorded")
	terms := stated
	terms.Terms += " "
	refuses("terms with a blank more", terms, "have the hash")
	terms.RulesHash = rules.HashOf([]byte(terms.Terms))
	refuses("terms that are not written so", terms, "")
	terms = stated
	terms.BookHash = "0000"
	refuses("terms of another declaration", terms, "nowhere recorded")
	refuses("a table whose rules were refused", installed, "nowhere recorded")
	takes(stated)
	takes(stated)
	takes(installed)

	// A table changes to rules that were read, and never in a round that has others already.
	changed := house.RulesChanged{Table: "A", FromRound: 3, By: admin, Variant: "mild", RulesHash: v.Hash(), Mode: house.DealerRun}
	strange := changed
	strange.RulesHash = "0000"
	refuses("rules that were never read", strange, "nowhere recorded")
	strange = changed
	strange.Table = "B"
	refuses("rules of no table", strange, house.ErrNoTable.Error())
	takes(changed)
	for round, want := range map[int]string{0: v.ID, 2: v.ID, 3: "mild", 4: "mild"} {
		if at, err := s.RulesAt("A", round); err != nil || at.ID != want {
			t.Errorf("round %d is played by %s, %v", round, at.ID, err)
		}
	}
	changed.FromRound = 2
	refuses("rules of a round before", changed, "has other rules already")
	refuses("a declaration of a round before", house.RulesCarriedOver{Table: "A", FromRound: 2, Variant: "mild", BookHash: book.Hash(), RulesHash: v.Hash()}, "has other rules already")
	takes(house.RulesCarriedOver{Table: "A", FromRound: 3, Variant: "new", BookHash: book.Hash(), RulesHash: v.Hash()})
	if at, err := s.RulesAt("A", 3); err != nil || at.ID != "new" {
		t.Errorf("of two changes before a round the later does not count: %s, %v", at.ID, err)
	}
}
