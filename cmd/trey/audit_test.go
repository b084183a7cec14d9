package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/notary"
	_ "trey/internal/store/packed/sqltext" // edits are made in SQL
	"trey/internal/store/sqlite"
)

func auditRun(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(append([]string{"audit"}, args...), strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

// signedHouse leaves a record with a round in play behind, and its keys beside it with
// a checkpoint of everything.
func signedHouse(t *testing.T) (db string) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "house.toml")
	if err := os.WriteFile(config, []byte(quick), 0o600); err != nil {
		t.Fatal(err)
	}
	db = filepath.Join(dir, "house.db")
	interruptedHouse(t, db, config)
	resign(t, db)
	return db
}

// appendSigned records one more transaction in a record, and signs it.
func appendSigned(t *testing.T, db string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if done := <-store.Append(&house.Transaction{Cause: house.Cause{By: "kim", Role: "cashier", Kind: "drain", Body: []byte("{}")}}); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	resign(t, db)
}

// resign signs what a record holds now with its own key.
func resign(t *testing.T, db string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	n, err := notary.Open(t.Context(), signingBeside(db), store)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Sign(); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// alter changes a record as whoever owns the machine could.
func alter(t *testing.T, db string, statements ...string) {
	t.Helper()
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // what it did is looked at
	for _, statement := range statements {
		done, err := file.ExecContext(context.Background(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s changed %d rows, %v", statement, n, err)
		}
	}
}

func TestAudit(t *testing.T) {
	db := signedHouse(t)
	status, out, logs := auditRun("--db", db)
	if status != 0 || logs != "" {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	for _, want := range []string{"money        proven", "tree         proven", "rounds       proven", "checkpoint   proven", ": 1 round.", "Its tree is trey-house/"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said in\n%s", want, out)
		}
	}
	// A stranger who noted a checkpoint needs no folder.
	noted := filepath.Join(t.TempDir(), "noted.txt")
	text, err := os.ReadFile(filepath.Join(signingBeside(db), "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(signingBeside(db), "signing.pub"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(noted, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--db", db, "--signing", t.TempDir()); status != 0 || !strings.Contains(out, "checkpoint   open") {
		t.Errorf("without a checkpoint: status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--db", db, "--signing", noted+".none"); status != exitUsage || !strings.Contains(logs, "name the folder of the house's key") {
		t.Errorf("a folder that is not there: status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--db", db, "--signing", t.TempDir(), "--checkpoint", noted, "--key", string(key)); status != 0 || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("with one that was noted: status %d: %s%s", status, out, logs)
	}
	if status, _, logs := auditRun("--db", db, "--checkpoint", noted); status != exitUsage || !strings.Contains(logs, "belong together") {
		t.Errorf("a checkpoint without a key: status %d: %s", status, logs)
	}
	if status, _, logs := auditRun("--db", filepath.Join(t.TempDir(), "none.db")); status != exitUsage || !strings.Contains(logs, "there is no record at") {
		t.Errorf("no record: status %d: %s", status, logs)
	}
	if status, _, logs := auditRun("--db", db, "--checkpoint", noted, "--key", strings.Replace(string(key), "A", "B", 1)); status != exitFound || logs == "" {
		t.Errorf("another key: status %d: %s", status, logs)
	}
}

// rewrite is a statement that replaces a text in every transaction that holds it.
func rewrite(old, other string) string {
	return fmt.Sprintf("UPDATE tx SET line = packed(replace(unpacked(line), '%s', '%s')) WHERE unpacked(line) LIKE '%%%[1]s%%'", old, other)
}

// Whoever owns the machine can write anything into the file. What was signed cannot be
// taken back: each of these is found, by the audit and, where the tree shows it, when
// a house is to open from the file.
func TestAuditFindsEveryEdit(t *testing.T) {
	t.Parallel()
	const (
		last      = "(SELECT max(seq) FROM tx)"
		committed = "what it recorded is not what its leaf committed to"
	)
	for _, test := range []struct {
		name  string
		edits []string
		want  string // what the audit says
		opens bool   // the tree alone does not show it
	}{
		{"a time", []string{"UPDATE tx SET at_ms = at_ms + 1 WHERE seq = 3"}, "are not those that were signed", false},
		{"a person", []string{rewrite(`"role":"cashier"`, `"role":"player"`)}, committed, false},
		{"an amount", []string{rewrite("10000", "20000")}, committed, false},
		{"a bet", []string{rewrite(`"amount":1000`, `"amount":9000`)}, committed, false},
		{"a commitment to a seed", []string{rewrite(`"commitment":"`, `"commitment":"0`)}, committed, false},
		{"the rules of a table", []string{rewrite("min", "max")}, committed, false},
		{"an idempotency key", []string{rewrite("ann''s first", "ann''s second")}, committed, false},
		{"another input of a key", []string{rewrite("first\"", "first\",\"input\":\"1:"+strings.Repeat("00", 32)+"\"")}, committed, false},
		{"the index of keys", []string{"UPDATE key SET seq = seq + 1 WHERE seq = (SELECT max(seq) FROM key)"}, "under its idempotency key stands transaction", true},
		{"a key of nothing", []string{"INSERT INTO key VALUES (zeroblob(16), 1)"}, "idempotency keys", true},
		{"a balance", []string{"UPDATE account SET balance = balance + 1 WHERE name LIKE 'player:#%'"}, "player:#", true},
		{"the last change of an account", []string{"UPDATE account SET seq = seq + 1 WHERE name LIKE 'layout:%'"}, "was the last to change layout:", true},
		{"an account put in", []string{"INSERT INTO account VALUES (999, 'player:#999', 0, 0)"}, "and 0 is kept as that", true},
		{"an account taken away", []string{"DELETE FROM account WHERE name LIKE 'layout:%'"}, "accounts were changed", true},
		{"a movement", []string{"UPDATE movement SET delta = -delta, balance = balance + 500 WHERE seq = (SELECT max(seq) FROM movement)"}, "and its movements say by", true},
		{"a movement taken away", []string{"DELETE FROM movement WHERE seq = (SELECT min(seq) FROM movement)"}, "that is not among its movements", true},
		{"a movement put in", []string{"INSERT INTO movement SELECT min(id), -1, 5, 5 FROM account"}, "movements of accounts were recorded", true},
		{"a name before the first", []string{"INSERT INTO name VALUES (-1, NULL, 'who comes tomorrow')"}, "0 names without a number were recorded, and 1 are kept", true},
		{"a node of leaves to come", []string{"INSERT INTO node VALUES (1, 7, randomblob(32))"}, "0 nodes of the tree were recorded, and 1 are kept", true},
		{"a name", []string{"UPDATE name SET name = 'tom' WHERE name = 'ann'"}, `has "tom" as #`, true},
		{"a salt of a name with more behind it", []string{"UPDATE name SET salt = CAST(salt || x'00' AS BLOB) WHERE name = 'ann'"}, "that is not the name to which the number was given", true},
		{"a deletion at the end", []string{"DELETE FROM part WHERE id / 16 = " + last, "DELETE FROM tx WHERE seq = " + last}, "were signed, and it holds", false},
		{"a deletion in the middle", []string{"DELETE FROM part WHERE id / 16 = 1", "DELETE FROM tx WHERE seq = 1"}, "transaction 1 is missing", false},
		{"a part taken away", []string{"DELETE FROM part WHERE id = (SELECT max(id) FROM part)"}, "it does not stand in the stream", true},
		{"a part put in", []string{"INSERT INTO part SELECT 1, (seq * 16) + 9, 99, 0, 0 FROM tx WHERE seq = 2"}, "parts of streams were recorded", true},
		{"a part in another stream", []string{"UPDATE part SET stream = 1 WHERE id = (SELECT max(id) FROM part WHERE stream > 1)"}, "it does not stand in the stream", true},
		{"the order of two", []string{"UPDATE tx SET seq = 100 WHERE seq = 1", "UPDATE tx SET seq = 1 WHERE seq = 2", "UPDATE tx SET seq = 2 WHERE seq = 100"}, "are not those that were signed", false},
		{"a leaf with its mark", []string{rewrite(`"role":"cashier"`, `"role":"player"`), "UPDATE tx SET mark = zeroblob(8)"}, "are not those that were signed", false},
		{"a salt", []string{"UPDATE tx SET salt = randomblob(32) WHERE seq = 2"}, committed, false},
		{"a line that is none", []string{"UPDATE tx SET line = randomblob(80) WHERE seq = 2"}, "cannot be unpacked", false},
		{"leaf 0", []string{"UPDATE origin SET leaf = CAST('trey origin v1' AS BLOB)"}, "the checkpoint is one of", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := signedHouse(t)
			alter(t, db, test.edits...)
			status, out, logs := auditRun("--db", db)
			if status != exitFound || !strings.Contains(logs, test.want) {
				t.Errorf("status %d, %q is not said: %s%s", status, test.want, out, logs)
			}
			store, err := sqlite.Open(t.Context(), db)
			if err != nil {
				if test.opens {
					t.Errorf("it does not open: %v", err)
				}
				return
			}
			defer store.Close() //nolint:errcheck // nothing was written
			if _, err := notary.Open(t.Context(), signingBeside(db), store); (err == nil) != test.opens {
				t.Errorf("signing goes on: %v", err)
			}
		})
	}
}

// An older copy that is put in the place of the record is not gone on with, by
// whatever name, and neither is another house's record.
func TestOlderCopyIsNotGoneOnWith(t *testing.T) {
	db := signedHouse(t)
	older, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	appendSigned(t, db)
	newer, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(db, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want string, args ...string) {
		t.Helper()
		var out, logs bytes.Buffer
		if status := run(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), &out, &logs); status != exitFound || !strings.Contains(logs.String(), want) {
			t.Errorf("status %d, %q is not said: %s%s", status, want, out.String(), logs.String())
		}
	}
	config := filepath.Join(filepath.Dir(db), "house.toml")
	put(older)
	refused("the record does not continue what was signed last", "--config", config)
	refused("the key that signs for this record is not here", "--config", config, "--signing", t.TempDir())
	copied := filepath.Join(t.TempDir(), "copy.db")
	if status, out, logs := backup("--config", config, copied); status != exitFound || !strings.Contains(logs, "does not continue") || !missing(copied) {
		t.Errorf("a copy of the older one: status %d: %s%s", status, out, logs)
	}
	if status, out, logs := backup("--config", config, "--signing", t.TempDir(), copied); status != 0 || !strings.Contains(out, "was not held against that and has no checkpoint beside it") {
		t.Errorf("a copy where no key is at hand: status %d: %s%s", status, out, logs)
	}
	put(newer)
	if status, out, logs := backup("--config", config, copied+"2"); status != 0 {
		t.Errorf("a copy of the newest: status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--config", config); status != 0 {
		t.Errorf("the newest: status %d: %s%s", status, out, logs)
	}
	other := signedHouse(t)
	refused("the key signs for another record", "--config", config, "--db", other, "--signing", signingBeside(db))
}

// TestAnAuditRemovesWhatAnotherLeft holds that the copy of an audit that was killed is removed by a later
// one, and that of one which may be going on is not.
func TestAnAuditRemovesWhatAnotherLeft(t *testing.T) {
	db, folder := signedHouse(t), t.TempDir()
	t.Setenv("TMPDIR", folder)
	long := time.Now().Add(-leftAfter - time.Minute)
	for name, old := range map[string]bool{"trey-audit-1": true, "trey-audit-2": false, "trey-audits": true, "another-1": true} {
		place := filepath.Join(folder, name)
		text := filepath.Join(place, "copy.db")
		err := os.Mkdir(place, 0o700)
		if err == nil {
			err = os.WriteFile(text, []byte("what people did"), 0o600)
		}
		if err == nil && old {
			err = os.Chtimes(text, long, long)
		}
		if err == nil {
			err = os.Chtimes(place, long, long)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if status, out, logs := auditRun("--db", db); status != 0 || logs != "" {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
	if got := folderFiles(t, folder); got != "another-1 trey-audit-2 trey-audits" {
		t.Errorf("there is %s", got)
	}
}
