package identity_test

import (
	"errors"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// twoDesk returns a house with its people, of whom pat is shut out, and ann and ben play.
func twoDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, func(w *identity.World) { w.OnePerson = false })
	hash, err := identity.HashPassword(secret, cheap, d.world.Random)
	if err != nil {
		t.Fatal(err)
	}
	first := []identity.Initial{}
	for name, role := range map[string]access.Role{
		"ida": access.Administrator, "sue": access.ShiftManager, "dan": access.Dealer, "pat": access.PitSupervisor, "ann": access.Player, "ben": access.Player,
	} {
		first = append(first, identity.Initial{Name: name, Role: role, Hash: hash})
	}
	if _, _, err := d.Ensure(t.Context(), "the test", first); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pat", "ben"} {
		if _, err := d.Disable(t.Context(), identity.ChangeRequest{By: ida, Why: "a test"}, name); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

var ida = access.Person{Name: "ida", Role: access.Administrator}

// TestAChangeIsProposedOnce holds that what waits for a second person is not proposed again
// until it is decided, whoever asks; a machine may have several tokens.
func TestAChangeIsProposedOnce(t *testing.T) {
	t.Parallel()
	d := twoDesk(t)
	o := identity.ChangeRequest{By: ida, Why: "a test"}
	add := identity.Change{Kind: identity.AddUser, Name: "kim", Role: access.Cashier, Password: secret}
	propose := func(c identity.Change) (int64, error) {
		t.Helper()
		id, _, err := d.ProposeChange(t.Context(), o, c)
		return id, err
	}
	id, err := propose(add)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := propose(add); !errors.Is(err, identity.ErrAlready) || len(d.Changes()) != 1 {
		t.Errorf("once more: %v", err)
	}
	add.Role = access.Dealer
	if _, err := propose(add); !errors.Is(err, identity.ErrAlready) {
		t.Errorf("in another role: %v", err)
	}
	if err := d.DeclineChange(t.Context(), o, id); err != nil {
		t.Fatal(err)
	}
	if _, err := propose(add); err != nil {
		t.Errorf("after it was declined: %v", err)
	}
	for range 2 {
		if _, err := propose(identity.Change{Kind: identity.IssueToken, Name: "shoe", Role: access.Dealer, EndsMs: d.now.Load() + minuteMs}); err != nil {
			t.Errorf("tokens of one name: %v", err)
		}
	}
	for _, role := range []access.Role{access.Cashier, access.PitSupervisor} {
		if _, err := propose(identity.Change{Kind: identity.GiveRole, Name: "dan", Role: role}); err != nil {
			t.Errorf("another role: %v", err)
		}
	}
}
