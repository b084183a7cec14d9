package storetest

import (
	"errors"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/people"
)

// testNames: names are kept and erased with their transactions and are in no leaf; what
// was refused gives none.
func testNames(t *testing.T, s *suite) {
	ann := people.Name{Number: 1, Salt: people.Salt{1, 31: 9}, Text: "änn"}
	ben := people.Name{Number: 2, Salt: people.Salt{2}, Text: `b"en`}
	hold := func(when string, want ...people.Name) {
		t.Helper()
		var got []people.Name
		if err := s.store.Names(ctx(), 0, func(n people.Name) error { got = append(got, n); return nil }); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s the names are %v, %v; want %v", when, got, err, want)
		}
	}
	hold("at first")
	first := tx(part("names", 0, "one"))
	first.Names = []people.Name{ann}
	s.add(first)
	refused := tx(part("names", 0, "another"))
	refused.Names = []people.Name{ben}
	refused.Erase = []int64{1}
	if done := <-s.store.Append(refused); !errors.Is(done.Err, house.ErrConflict) {
		t.Fatalf("the stream moved on, and the answer is %v", done.Err)
	}
	hold("after a conflict", ann)
	second := tx(part("names", 1, "two"))
	second.Names = []people.Name{ben}
	s.add(second)
	hold("with two", ann, ben)
	s.again()
	hold("opened again", ann, ben)
	d := s.store.Directory()
	if token, known := d.Token("änn"); token != "#1" || !known || d.Name("#2") != `b"en` || d.Recorded() != 2 || d.Fault() != nil {
		t.Errorf("änn is %s, %t, and #2 is %s; %d events, fault %v", token, known, d.Name("#2"), d.Recorded(), d.Fault())
	}
	gone := tx(part("names", 2, "three"))
	gone.Erase = []int64{1}
	s.add(gone)
	hold("with one erased", people.Name{Number: 1}, ben)
	s.again()
	hold("opened again with one erased", people.Name{Number: 1}, ben)
	if d := s.store.Directory(); d.Name("#1") != "#1" || d.Recorded() != 3 || d.Fault() != nil {
		t.Errorf("#1 is %s; %d events, fault %v", d.Name("#1"), d.Recorded(), d.Fault())
	}
}
