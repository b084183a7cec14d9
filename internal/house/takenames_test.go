package house_test

import (
	"encoding/json"
	"errors"
	"testing"

	"trey/internal/house"
)

// Whoever reads takes no transaction in which persons cannot be found, as its text is no JSON.
func TestATextWithoutPersonsIsNotTaken(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(1)
	r := s.readFromNothing()
	learnt(t, s, r)
	for i := range all {
		if e := all[i]; len(e.Cause.Body) > 0 {
			e.Cause.Body = json.RawMessage(`{"player":`)
			if err := r.Take(&e); !errors.Is(err, house.ErrCorrupt) {
				t.Fatalf("transaction %d: %v", e.Seq, err)
			}
		}
		e := all[i]
		if err := r.Take(&e); err != nil {
			t.Fatal(err)
		}
	}
}
