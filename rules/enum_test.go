package rules_test

import (
	"encoding"
	"strings"
	"testing"

	"trey/rules"
)

// closed is the interface of every closed list of the package.
type closed interface {
	~uint8
	String() string
	MarshalText() ([]byte, error)
}

// checkKeys goes through a closed list: each value has a key of its own that
// reads back, and what is outside the list has none.
func checkKeys[T closed, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, name string, empty bool,
) {
	t.Helper()
	seen := map[string]bool{"unknown": true}
	n := T(1)
	for ; n.String() != "unknown"; n++ {
		text, err := n.MarshalText()
		if err != nil || string(text) != n.String() || seen[n.String()] || n.String() == "" {
			t.Errorf("%s %d: key %q, written %q, %v", name, n, n, text, err)
		}
		seen[n.String()] = true
		var back T
		if err := P(&back).UnmarshalText(text); err != nil || back != n {
			t.Errorf("%s: %q reads back as %d, %v", name, text, back, err)
		}
	}
	if n < 3 {
		t.Errorf("%s: only %d values", name, n-1)
	}
	if _, err := n.MarshalText(); err == nil {
		t.Errorf("%s: a value outside the list is written", name)
	}
	var zero T
	if _, err := zero.MarshalText(); (err == nil) != empty || zero.String() != "unknown" {
		t.Errorf("%s: the zero value is %q, %v", name, zero, err)
	}
	for _, wrong := range []string{"unknown", "nothing such", "Ante "} {
		err := P(&zero).UnmarshalText([]byte(wrong))
		if err == nil || !strings.Contains(err.Error(), "choose from") {
			t.Errorf("%s: %q reads as %d, %v", name, wrong, zero, err)
		}
	}
	if err := P(&zero).UnmarshalText(nil); (err == nil) != empty {
		t.Errorf("%s: nothing reads with %v", name, err)
	}
}

func TestKeys(t *testing.T) {
	checkKeys[rules.Wager](t, "wager", false)
	checkKeys[rules.Combo](t, "combination", true)
	checkKeys[rules.Device](t, "device", false)
	checkKeys[rules.Role](t, "role", false)
	checkKeys[rules.Incident](t, "incident", false)
	checkKeys[rules.Outcome](t, "outcome", false)
	checkKeys[rules.Result](t, "result", false)
}

func TestNames(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, w := range rules.Wagers() {
		if seen[w.Name()] || w.Name() == "Unknown wager" {
			t.Errorf("%s has the name %q", w, w.Name())
		}
		seen[w.Name()] = true
	}
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		if seen[c.Name()] || c.Name() == "Unknown" {
			t.Errorf("%s has the name %q", c, c.Name())
		}
		seen[c.Name()] = true
	}
	if n := len(rules.Incidents()); n != 24 {
		t.Errorf("%d incidents are listed, want 24", n)
	}
}

func TestAuthority(t *testing.T) { // rws-3cp@3 1.13, mbs-3pictures@2 6.2
	order := []rules.Role{rules.Player, rules.Dealer, rules.PitSupervisor, rules.PitManager, rules.ShiftManager}
	for i, a := range order {
		for k, b := range order {
			if a.AtLeast(b) != (i >= k) {
				t.Errorf("%s has the authority of %s: %t", a, b, a.AtLeast(b))
			}
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"boxes", "base", "chips", "limits"}
	for wrote, want := range map[string]string{
		"bokses": "boxes", "Boxes": "boxes", "chip": "chips", "limit": "limits", "baccarat": "", "": "", "bas": "base",
	} {
		if got := rules.Nearest(wrote, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", wrote, got, want)
		}
	}
}
