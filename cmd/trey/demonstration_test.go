package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/house/plan"
	"trey/internal/house/significant"
	"trey/internal/store/sqlite"
)

// TestARealHouseIsNoDemonstration holds that the record of a house with a configuration is not
// opened without it: one person would do there what takes two, with no limits at the cage.
func TestARealHouseIsNoDemonstration(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	config := demonstration(t, "a password of theirs")
	record := filepath.Join(t.TempDir(), "house.db")
	if err := start(t, serveCommand{Config: config, DB: record}).stop(t); err != nil {
		t.Fatal(err)
	}
	if why := notOpened(t, serveCommand{DB: record, Keys: filepath.Join(filepath.Dir(config), "house.keys")}); !strings.Contains(why, "users of its own") || !strings.Contains(why, "--config") {
		t.Error(why)
	}
	if err := start(t, serveCommand{Config: config, DB: record}).stop(t); err != nil {
		t.Error(err)
	}
	// A demonstration is opened again wherever it is.
	for range 2 {
		if err := start(t, serveCommand{DB: record + "-2"}).stop(t); err != nil {
			t.Error(err)
		}
	}
}

// Money that was given away never becomes real by a change of house.toml, nor real money play
// money, under which one person does what takes two. What else is changed there is a significant
// event.
func TestWhatIsChangedInHouseTOML(t *testing.T) {
	t.Parallel()
	text := string(plan.Example())
	for _, name := range staffNames() {
		text += fmt.Sprintf("\n[users.%s]\nrole = %q\npassword = %q\n", name, name, hashOf(t, "a password of theirs"))
	}
	guests := regexp.MustCompile(`(?ms)^\[guests\]\n(^[^\[]*)`)
	real := guests.ReplaceAllString(strings.Replace(text, "money = \"play\"", "money = \"real\"", 1), "")
	limited := strings.Replace(real, "day = \"100000\"", "day = \"900000\"", 1)
	if real == text || limited == real {
		t.Fatal("the example has another form")
	}
	folder := t.TempDir()
	config, keys := filepath.Join(folder, "house.toml"), filepath.Join(folder, "house.keys")
	for name, kinds := range map[string][2]string{"real": {real, text}, "play": {text, real}} {
		record := filepath.Join(folder, name+".db")
		put := func(text string) serveCommand {
			t.Helper()
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return serveCommand{Config: config, DB: record, Keys: keys}
		}
		for range 2 {
			if err := start(t, put(kinds[0])).stop(t); err != nil {
				t.Fatal(err)
			}
		}
		if why := notOpened(t, put(kinds[1])); !strings.Contains(why, "the record of a house with "+name+" money") || !strings.Contains(why, "another record") {
			t.Error(why)
		}
		o := start(t, put(kinds[0]))
		if err := o.stop(t); err != nil {
			t.Error(err)
		}
	}
	record := filepath.Join(folder, "real.db")
	if err := os.WriteFile(config, []byte(limited), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, DB: record, Keys: keys})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was read only
	newest, _, err := significant.Newest(t.Context(), store, 0, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for _, e := range slices.Backward(newest) {
		if e.Event == "software-checked" {
			last = e.Consequence
		}
	}
	if !strings.Contains(last, `setting cage.day`) || !strings.Contains(last, `cage.day is now "90000000"`) {
		t.Errorf("the last check is %q", last)
	}
}
