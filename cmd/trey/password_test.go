package main

import (
	"strings"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/plan"
)

// What the help says to write into a house.toml is what a house.toml takes.
func TestTheHelpOfPasswordShowsAUser(t *testing.T) {
	var lines strings.Builder
	for line := range strings.Lines(passwordCommand{}.Help()) {
		if printed, ok := strings.CutPrefix(line, "    "); ok && !strings.HasPrefix(printed, "$ ") {
			lines.WriteString(printed)
		}
	}
	hash := hashOf(t, "correct horse battery")
	text := strings.ReplaceAll(lines.String(), "$argon2id$v=19$m=19456,t=2,p=1$...", hash)
	p, _, err := plan.Parse("house.toml", []byte(text+"[tables.one]\nbook = \"us-3cp\"\n"), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(p.Users) != 1 || p.Users[0] != (plan.User{Name: "ann", Role: access.Administrator, Hash: hash}) {
		t.Errorf("got %+v of\n%s", p.Users, text)
	}
}
