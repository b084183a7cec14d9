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
func TestConfigCheckLooksForTheDatabase(t *testing.T) {
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
func TestConfigCheckLooksAtTheOtherPlaces(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "house.toml")
	for _, tt := range []struct{ keys, signing, archive, want string }{
		{"none", "none", "none", ""},
		{"file", "folder", "folder", ""},
		{"folder", "file", "file/inside", "FILE:1:13: seal_keys: DIR/folder is a folder: name a file\n" +
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
