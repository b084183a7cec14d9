package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/sealing"
	"trey/internal/store/sqlite"
)

// sealedHouse is the configuration of a house whose record lies in another folder.
func sealedHouse(t *testing.T) (config, record, keys string) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "money.db")
	config = write(t, strings.Replace(quick, "house.db", filepath.ToSlash(record), 1))
	return config, record, filepath.Join(filepath.Dir(config), "house.keys")
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// notOpened opens a house that cannot be opened, and returns why.
func notOpened(t *testing.T, cmd serveCommand) string {
	t.Helper()
	cmd.Listen = "127.0.0.1:0"
	var out, logs bytes.Buffer // mistakes of the configuration are told in the second
	s, flush := newStreams(strings.NewReader(""), &out, &logs)
	signals := make(chan os.Signal, 1)
	signals <- os.Interrupt // in case it is opened all the same
	err := cmd.serve(s, signals)
	flush()
	if err == nil {
		t.Fatalf("it is opened:\n%s", out.String())
	}
	return logs.String() + err.Error()
}

// The keys are made at the first start, beside the configuration, for their owner
// alone. Without them, or with others, the house is refused, and nothing is made anew.
func TestServeNeedsItsKeys(t *testing.T) {
	t.Parallel()
	config, record, path := sealedHouse(t)
	o := start(t, serveCommand{Config: config})
	if !strings.Contains(o.String(), "are new, in "+path) || !strings.Contains(o.String(), "Keys    "+path+"\n") {
		t.Errorf("it does not say where the keys are:\n%s", o)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of keys: %v, %v", info, err)
	}
	good := bytesOf(t, path)
	if got := bytesOf(t, record); bytes.Contains(got, good[bytes.Index(good, []byte("trey-seal-key-1 ")):]) {
		t.Error("the record holds its key")
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if why := notOpened(t, serveCommand{Config: config}); !strings.Contains(why, "there is no file of keys at "+path) {
		t.Errorf("without keys: %s", why)
	}
	if !missing(path) {
		t.Error("another key was made for a record that needs the old one")
	}
	keys, err := sealing.Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	other, err := sealing.New()
	if err == nil {
		err = durable.Create(path, other.Text(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if why := notOpened(t, serveCommand{Config: config}); !strings.Contains(why, keys.Names()[0]) || !strings.Contains(why, "not in "+path) {
		t.Errorf("with another key: %s", why)
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if why := notOpened(t, serveCommand{Config: config, Keys: t.TempDir()}); !strings.Contains(why, "is a directory: name a file in it") || strings.Contains(why, "chmod") {
			t.Errorf("a folder in the place of the keys: %s", why)
		}
		if why := notOpened(t, serveCommand{Config: config}); !strings.Contains(why, "chmod 600") {
			t.Errorf("with keys that others can read: %s", why)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if why := notOpened(t, serveCommand{Config: config, Keys: record}); !strings.Contains(why, "a file of their own") {
		t.Errorf("with one file for both: %s", why)
	}

	// They may lie elsewhere.
	moved := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if err := start(t, serveCommand{Config: config, Keys: moved}).stop(t); err != nil {
		t.Error(err)
	}
}

// A copy by trey backup holds no key, and opens with the keys of the house alone.
func TestACopyNeedsTheKeysToo(t *testing.T) {
	t.Parallel()
	config, record, path := sealedHouse(t)
	interruptedHouse(t, record, config)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if status, _, logs := backup("--config", config, copied); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	key := bytes.TrimSpace(bytesOf(t, path)[bytes.Index(bytesOf(t, path), []byte("trey-seal-key-1 ")):])
	if bytes.Contains(bytesOf(t, copied), key[len("trey-seal-key-1 "):]) {
		t.Error("the copy holds the key")
	}
	if why := notOpened(t, serveCommand{DB: copied, Signing: signingBeside(record)}); !strings.Contains(why, "there is no file of keys at "+strings.TrimSuffix(copied, ".db")+".keys") {
		t.Errorf("without keys: %s", why)
	}
	if err := start(t, serveCommand{Config: config, DB: copied, Signing: signingBeside(record)}).stop(t); err != nil {
		t.Error(err)
	}
}

// The keys are rotated while the house is open: it takes the new one into use, and the
// older one stays readable until nothing is sealed with it.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	config, record, path := sealedHouse(t)
	interruptedHouse(t, record, config) // a round whose seed is sealed with the first key
	before, err := readKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, LogFormat: "json"})
	var out, logs bytes.Buffer
	if status := run([]string{"keys", "rotate", "--config", config}, strings.NewReader(""), &out, &logs); status != 0 {
		t.Fatalf("status %d: %s", status, logs.String())
	}
	after, err := readKeys(path)
	if err != nil || len(after.Names()) != 2 || after.Names()[1] != before.Names()[0] {
		t.Fatalf("the keys are %v, %v", after, err)
	}
	if !strings.Contains(out.String(), "new key, "+after.Names()[0]) || !strings.Contains(out.String(), before.Names()[0]) {
		t.Errorf("it says %s", out.String())
	}
	o.logs.wait(t, `a new key seals from now on","key":"`+after.Names()[0])
	if err := o.stop(t); err != nil { // when the round has ended
		t.Fatal(err)
	}
	if err := start(t, serveCommand{Config: config}).stop(t); err != nil {
		t.Error(err)
	}
	store, err := sqlite.Open(context.Background(), record)
	if err != nil {
		t.Fatal(err)
	}
	needed, err := house.SealedWith(context.Background(), store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil || len(needed.Names()) != 1 {
		t.Errorf("needed are %v, %v", needed, err)
	}
	if status := run([]string{"keys", "rotate", "--keys", filepath.Join(t.TempDir(), "none.keys")}, strings.NewReader(""), &out, &logs); status != exitFound {
		t.Errorf("a file that is not there: status %d", status)
	}
}

// TestNoRecordBeginsWithAnothersKey holds that a house whose folder has the key of another record does
// not open where its own is not there: nothing is written in its place, and it is said what to do.
func TestNoRecordBeginsWithAnothersKey(t *testing.T) {
	t.Parallel()
	other := signedHouse(t)
	signing := signingBeside(other)
	dir := t.TempDir()
	config := filepath.Join(dir, "house.toml")
	if err := os.WriteFile(config, []byte(quick), 0o600); err != nil {
		t.Fatal(err)
	}
	keyless := filepath.Join(t.TempDir(), "keyless")
	copyFolder(t, signing, keyless)
	if err := os.Remove(filepath.Join(keyless, "signing.key")); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "house.db")
	before := textsIn(t, dir)
	for _, file := range []string{"none", "empty"} {
		if file == "empty" {
			if err := os.WriteFile(db, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			before = textsIn(t, dir)
		}
		for _, folder := range []string{signing, keyless} {
			was := textsIn(t, folder)
			why := notOpened(t, serveCommand{Config: config, Signing: folder})
			if !strings.Contains(why, "no record is begun: nothing is in "+db) || !strings.Contains(why, folder) || !strings.Contains(why, "trey restore") {
				t.Errorf("%s file, %s: %s", file, folder, why)
			}
			if now := textsIn(t, dir); now != before {
				t.Errorf("%s file: there was\n%s\nand there is\n%s", file, before, now)
			}
			if textsIn(t, folder) != was {
				t.Errorf("%s has been changed", folder)
			}
		}
	}
	if err := start(t, serveCommand{Config: config}).stop(t); err != nil {
		t.Errorf("with a folder of its own: %v", err)
	}
}

// TestNoRecordBeginsInADatabaseWithAnothersKey holds the same of a database: no table is made.
func TestNoRecordBeginsInADatabaseWithAnothersKey(t *testing.T) {
	t.Parallel()
	database := databases(t)("house")
	signing := signingBeside(signedHouse(t))
	config := write(t, fmt.Sprintf("database = %q\nsigning = %q\n[tables.a]\nbook = \"us-3cp\"\n", database, signing))
	var out, logs bytes.Buffer
	if status := run([]string{"serve", "--config", config, "--listen", "127.0.0.1:0"}, strings.NewReader(""), &out, &logs); status != exitFound || !strings.Contains(logs.String(), "no record is begun: nothing is in ") || !strings.Contains(logs.String(), "trey restore") {
		t.Errorf("status %d: %s%s", status, &out, &logs)
	}
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // it was read
	var tables int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables are there, %v", tables, err)
	}
}
