package identity

import (
	"slices"
	"testing"
)

// Of every kind of event it was decided whether a copy of the record would undo something of an
// account.
func TestEveryKindIsAnAlterationOrNot(t *testing.T) {
	for _, kind := range Events.Names() {
		if _, decided := alterations[kind]; !decided {
			t.Errorf("what %s alters is not decided: add it to alterations", kind)
		}
	}
	for kind := range alterations {
		if !slices.Contains(Events.Names(), kind) {
			t.Errorf("%s is no kind of event", kind)
		}
	}
	for name, test := range map[string]struct {
		kind string
		c    change
		want Alteration
	}{
		"a password":              {passwordSet, change{Name: "#3", Hash: "x", By: "#1"}, Altered},
		"a role":                  {roleChanged, change{Name: "#3", By: "#1"}, RoleAltered},
		"a code of an app":        {factorShown, change{Name: "#3", Method: "code", By: "#3"}, Unaltered},
		"a recovery code":         {factorShown, change{Name: "#3", Method: "recovery-code", Codes: []string{"x"}, By: "#3"}, Altered},
		"a sign-in":               {loggedIn, change{Name: "#3", By: "#3"}, Unaltered},
		"a user who was shut out": {userDisabled, change{Name: "#3", By: "#1"}, ShutOut},
	} {
		e, err := Events.WriteAs(test.kind, test.c)
		if err != nil {
			t.Fatal(err)
		}
		if person, got, err := AlterationBy(e); err != nil || person != "#3" || got != test.want {
			t.Errorf("%s: %q, %d, %v", name, person, got, err)
		}
	}
}
