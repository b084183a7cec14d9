package house_test

import (
	"errors"
	"testing"

	"trey/internal/house"
)

// A request about the house that has no effect is recorded where it can arrive again, and only
// there. It says where it could not be recorded.
func TestARequestWithoutEffectIsRecordedUnderItsKey(t *testing.T) {
	s := newSite(t)
	if err := s.Undrain(ctx(), "first", manager); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		key   string
		parts int
	}{{"", 0}, {"again", 1}} {
		before, events := s.store.Head().Size, len(s.read("house"))
		if err := s.Undrain(ctx(), step.key, manager); err != nil || s.Draining() {
			t.Errorf("under the key %q it drains: %t, %v", step.key, s.Draining(), err)
		}
		if got := s.store.Head().Size - before; got != int64(step.parts) {
			t.Errorf("under the key %q %d transactions were recorded, want %d", step.key, got, step.parts)
		}
		if got := len(s.read("house")) - events; got != 0 {
			t.Errorf("under the key %q %d events were recorded", step.key, got)
		}
	}
	var concerns []string
	if err := s.store.ReadAll(ctx(), s.store.Head().Size-2, "house", func(e house.StoredTransaction) error {
		for i := range e.Parts {
			concerns = append(concerns, e.Parts[i].Stream)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(concerns) != 1 || concerns[0] != "house" {
		t.Errorf("what had no effect belongs to %q", concerns)
	}
}

// What had no effect and could not be recorded is an error: it may have an effect when it
// arrives again.
func TestARequestWithoutEffectThatIsLost(t *testing.T) {
	s := newSite(t)
	store := &failing{Store: s.store}
	var err error
	if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
		t.Fatal(err)
	}
	store.lost = true
	for range 2 { // the second time the house has stopped
		if err := s.Undrain(ctx(), "k", manager); !errors.Is(err, house.ErrFailed) && !errors.Is(err, house.ErrStopped) {
			t.Errorf("it is lost: %v", err)
		}
	}
}
