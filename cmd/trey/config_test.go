package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A house whose record cannot be kept is found before it is opened.
func TestConfigCheckReportsTheDatabase(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"there", "shut"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file", "there/read-only.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"shut": 0o500, "there/read-only.db": 0o400} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	privileged := os.Geteuid() == 0 // whom no permission stops
	for _, tt := range []struct {
		name, database, want string
		permissions          bool
	}{
		{"beside the file", "house.db", "", false},
		{"in a folder", "there/house.db", "", false},
		{"a record that is there", "file", "", false},
		{"no database", "", "", false},
		{"no folder", "none/house.db", "there is no folder ", false},
		{"a file in the place of the folder", "file/house.db", "file is no folder", false},
		{"a folder in the place of the file", "there", "there is a folder: name a file in it, such as", false},
		{"a name that is too long", strings.Repeat("x", 300), "there can be no such file: ", false},
		{"a folder that takes no files", "shut/house.db", "shut cannot be written to by this user", true},
		{"a folder that takes files from nobody", "/proc/house.db", "/proc cannot be written to by this user", false},
		{"a file that takes no writes", "there/read-only.db", "the file cannot be written to by this user", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.permissions && privileged {
				t.Skip("no permission stops this user")
			}
			if strings.HasPrefix(tt.database, "/proc") && runtime.GOOS != "linux" {
				t.Skip("there is no such folder here")
			}
			text := "[tables.a]\nbook = \"us-3cp\"\n"
			if tt.database != "" {
				text = "database = \"" + tt.database + "\"\n" + text
			}
			file := filepath.Join(dir, "house.toml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			got := run([]string{"config", "check", file}, nil, &stdout, &stderr)
			if tt.want == "" {
				if got != 0 || stderr.Len() > 0 {
					t.Errorf("status %d: %s", got, stderr.String())
				}
			} else if where := file + ":1:12: database: "; got != exitFound || !strings.HasPrefix(stderr.String(), where) || !strings.Contains(stderr.String(), tt.want) {
				t.Errorf("status %d: %s\nwant %s%s", got, stderr.String(), where, tt.want)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != "kept" {
		t.Errorf("the record that is there holds %q, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".trey-check-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// The places beside the record are looked at too, all in one reading: a file in the place of a
// folder is said where it is written. What is not there yet is no mistake.
func TestConfigCheckReportsTheOtherPlaces(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "open"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "house.toml")
	for _, tt := range []struct{ keys, signing, archive, want string }{
		{"none", "none", "none", ""},
		{"open", "folder", "folder", "FILE:1:13: seal_keys: others than its owner can read or change the seal keys in DIR/open"},
		{"file", "folder", "folder", "FILE:1:13: seal_keys: DIR/file: "},
		{"folder", "file", "file/inside", "FILE:1:13: seal_keys: the seal keys cannot be read: DIR/folder is a directory: name a file in it\n" +
			"FILE:2:11: signing: DIR/file is no folder: name one, or a place where nothing is\n" +
			"FILE:3:11: archive: DIR/file/inside cannot be looked at: "},
	} {
		text := fmt.Sprintf("seal_keys = %q\nsigning = %q\narchive = %q\n[tables.a]\nbook = \"us-3cp\"\n", tt.keys, tt.signing, tt.archive)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		got := run([]string{"config", "check", file}, nil, &stdout, &stderr)
		want := strings.NewReplacer("FILE", file, "DIR", dir).Replace(tt.want)
		if status := map[bool]int{true: 0, false: exitFound}[want == ""]; got != status || !strings.HasPrefix(stderr.String(), want) || want == "" && stderr.Len() > 0 {
			t.Errorf("status %d: %s\nwant %d: %s", got, stderr.String(), status, want)
		}
	}
}

// What config check finds beyond the text, trey serve finds too, before it opens or listens to
// anything: in the same words, with a status that says whether another start may find it mended.
func TestServeFindsWhatConfigCheckFinds(t *testing.T) {
	const tables, file = "[tables.a]\nbook = \"us-3cp\"\n", "database = \"house.db\"\n"
	for _, tt := range []struct {
		name, text string
		status     int
		want       []string
	}{
		{"no port", "database = \"postgres://trey:secret@db:99999/trey\"\nsigning = \"s\"\n" + tables, exitUsage, []string{":1:12: database: this is no address of a database: "}},
		{"a certificate that is not there", "database = \"postgres://db/trey?sslmode=verify-full&sslrootcert=/none\"\nsigning = \"s\"\n" + tables, exitFound, []string{":1:12: database: ", "open /none"}},
		{"metrics where the house listens", file + "listen = \"127.0.0.1:18399\"\nmetrics = \"localhost:18399\"\n" + tables, exitUsage, []string{":3:11: metrics: localhost:18399 is taken by the house, which listens at 127.0.0.1:18399"}},
		{"files of significant events", file + tables + "[significant_events]\nurl = \"https://siem.example/\"\nca = \"none.pem\"\ntoken_file = \"none\"\n", exitFound, []string{":6:6: significant_events.ca: ", ":7:14: significant_events.token_file: "}},
		{"a folder in the place of a file", file + "signing = \"house.toml\"\n" + tables, exitFound, []string{":2:11: signing: ", "is no folder"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := write(t, tt.text)
			for _, args := range [][]string{{"config", "check", config}, {"serve", "--config", config}} {
				var stdout, stderr bytes.Buffer
				status := tt.status
				if args[0] == "config" {
					status = exitFound
				}
				if got := run(args, strings.NewReader(""), &stdout, &stderr); got != status {
					t.Errorf("%s: status %d, want %d", args[0], got, status)
				}
				for _, want := range tt.want {
					if !strings.Contains(stderr.String(), want) {
						t.Errorf("%s: %q is not said: %s", args[0], want, stderr.String())
					}
				}
				if strings.Contains(stderr.String(), "secret") || stdout.Len() > 0 {
					t.Errorf("%s says %s%s", args[0], stdout.String(), stderr.String())
				}
			}
			if !missing(filepath.Join(filepath.Dir(config), "house.db")) {
				t.Error("a record was begun")
			}
		})
	}
	for _, text := range []string{"database = \"postgres://db/trey\"\n", file + "seal_keys = \"house.db\"\n"} { // serve has words with its flags for these
		config := write(t, text+tables)
		for _, args := range [][]string{{"config", "check", config}, {"serve", "--config", config}} {
			var stdout, stderr bytes.Buffer
			if got := run(args, strings.NewReader(""), &stdout, &stderr); got == 0 {
				t.Errorf("%q is taken by %s", text, args[0])
			}
		}
	}
}
