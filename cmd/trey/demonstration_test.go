package main

import (
	"path/filepath"
	"strings"
	"testing"
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
