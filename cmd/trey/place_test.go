package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Every command that works on the files of a house finds the same ones.
func TestFilesOfAHouse(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	const tables = "money = \"play\"\n[tables.a]\nbook = \"us-3cp\"\n"
	plain := write("plain.toml", "database = \"the.db\"\n"+tables)
	full := write("full.toml", "database = \"the.db\"\nseal_keys = \"k\"\nsigning = \"/s\"\narchive = \"old\"\n"+tables)
	nowhere := write("nowhere.toml", tables)
	s := &streams{out: io.Discard, err: io.Discard}
	for name, test := range map[string]struct {
		place recordPlace
		want  recordFiles
		fails bool
	}{
		"beside the record": {recordPlace{DB: "/d/x.db"}, recordFiles{"/d/x.db", "/d/x.signing", "/d/x.keys", "/d/x.archive"}, false},
		// The keys of a configuration lie beside it, the rest beside the record.
		"a configuration": {recordPlace{Config: plain}, recordFiles{at("the.db"), at("the.signing"), at("plain.keys"), at("the.archive")}, false},
		"all in it":       {recordPlace{Config: full}, recordFiles{at("the.db"), "/s", at("k"), at("old")}, false},
		"flags before it": {recordPlace{full, "/f.db", "/fs", "/fk", "/fa"}, recordFiles{"/f.db", "/fs", "/fk", "/fa"}, false},
		"another record":  {recordPlace{Config: full, DB: "/f.db"}, recordFiles{"/f.db", "/s", at("k"), at("old")}, false},
		"no record":       {recordPlace{Config: nowhere}, recordFiles{}, true},
		"no such file":    {recordPlace{Config: at("none.toml"), DB: "/f.db"}, recordFiles{}, true},
		"one for both":    {recordPlace{DB: "/f.db", Keys: "/f.db"}, recordFiles{}, true},
	} {
		got, err := test.place.find(s)
		if got != test.want || (err != nil) != test.fails {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
