package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/load"
	"trey/internal/store/sqlite"
)

// playedHouse leaves a record behind of tables of all four books, of people who came and
// were not let in, and of a jackpot, with the keys beside it and a checkpoint of everything.
func playedHouse(t *testing.T) (db string) {
	t.Helper()
	dir := t.TempDir()
	c := load.Config{Tables: 4, Seats: 2, Duration: time.Second, Name: watcher, Password: "a-word-for-the-watcher", Seed: 3}
	hash, err := identity.HashPassword(c.Password, identity.StandardCost, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	config, db := filepath.Join(dir, "house.toml"), filepath.Join(dir, "house.db")
	plan := append(loadPlan(&c, hash, house.Pace{}), fmt.Sprintf("[users.ada]\nrole = \"administrator\"\npassword = %q\n", hash)...)
	if err := os.WriteFile(config, plan, 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, DB: db})
	c.Address = o.address
	if r, err := load.Run(context.Background(), c); err != nil || len(r.Differences) > 0 {
		t.Fatal(r, err)
	}
	visit(t, o).send("POST", "/sign-in", url.Values{"name": {watcher}, "password": {"another word"}, "back": {"/"}})
	for _, role := range []string{"auditor", "surveillance"} {
		if err := os.WriteFile(tokenBeside(db, role), []byte(tokenOf(t, o.address, "ada", c.Password, role)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	return db
}

// tokenBeside is the file with the token of a machine of a role, beside a record.
func tokenBeside(db, role string) string { return filepath.Join(filepath.Dir(db), role+".token") }

// tokenOf has an administrator give a machine a token.
func tokenOf(t *testing.T, address, name, password, role string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	post := func(path string, body any) (answer struct{ Text string }) {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.Post(address+"/api/v1/"+path, "application/json", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close() //nolint:errcheck // it has been read
		text, _ = io.ReadAll(got.Body)
		if err := json.Unmarshal(text, &answer); err != nil || got.StatusCode >= 300 {
			t.Fatalf("%s: %d %s", path, got.StatusCode, text)
		}
		return answer
	}
	post("sessions", map[string]any{"name": name, "password": password})
	return post("tokens", map[string]any{"name": "machine-" + role, "role": role, "ends_ms": time.Now().Add(24 * time.Hour).UnixMilli(), "why": "a test"}).Text
}

// goesOn records one more transaction and signs it.
func goesOn(t *testing.T, db, kind string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if done := <-store.Append(&house.Transaction{AtMs: 4_000_000_000_000, Cause: house.Cause{By: "kim", Role: "cashier", Kind: kind}}); done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	resign(t, db)
}

// forged draws another seed for a round, and writes it and its commitment into the record
// wherever they stand.
func forged(t *testing.T, db string) {
	t.Helper()
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // what it did is looked at
	var table, seed string
	var round int
	if err := file.QueryRow(`SELECT substr(p.value ->> '$.stream', 6), e.value ->> '$.body.round', e.value ->> '$.body.seed'
		FROM tx, json_each(unpacked(line), '$.parts') p, json_each(p.value, '$.events') e
		WHERE e.value ->> '$.kind' = 'seed-revealed' ORDER BY tx.seq DESC LIMIT 1`).Scan(&table, &round, &seed); err != nil {
		t.Fatal(err)
	}
	commitment := func(seed string) string { // docs/fair-dealing.md
		sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", round, seed, table))
		return hex.EncodeToString(sum[:])
	}
	other := strings.Repeat("7e", 32)
	for _, change := range [][2]string{{seed, other}, {commitment(seed), commitment(other)}} {
		done, err := file.Exec(rewrite(change[0], change[1]))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s stands nowhere, %v", change[0], err)
		}
	}
}

// resealed changes what the last snapshot of a table says, and its hash with it.
func resealed(t *testing.T, db string) {
	t.Helper()
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // what it did is looked at
	var id, version int64
	var stream, body string
	if err := file.QueryRow("SELECT snapshot.id, snapshot.version, stream.name, snapshot.body FROM snapshot JOIN stream ON stream.id = snapshot.stream WHERE stream.name LIKE 'table:%' ORDER BY snapshot.id DESC LIMIT 1").Scan(&id, &version, &stream, &body); err != nil {
		t.Fatal(err)
	}
	_, state, _ := strings.Cut(body, "\n")
	other := regexp.MustCompile(`("state":.*?"(?i:round)":)(\d+)`).ReplaceAllString(state, "${1}9${2}")
	if other == state {
		t.Fatalf("no round stands in %s", state)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", stream, version, other))
	if _, err := file.Exec("UPDATE snapshot SET body = ? WHERE id = ?", fmt.Appendf(nil, "%x\n%s", sum, other), id); err != nil {
		t.Fatal(err)
	}
}

// first is a statement that replaces a text in the first transaction that holds it.
func first(old, other string) string {
	return fmt.Sprintf("UPDATE tx SET line = packed(replace(unpacked(line), '%s', '%s')) WHERE seq = (SELECT min(seq) FROM tx WHERE unpacked(line) LIKE '%%%[1]s%%')", old, other)
}

// edit is one of the twenty kinds of edit.
type edit struct {
	name string
	edit func(t *testing.T, db string)
	want string // what is found; "transaction" with its number stands before what concerns one
}

const (
	committed = "what it recorded is not what its leaf committed to"
	unlike    = "is not as it was recorded"
	signed    = "are not those that were signed"
)

// theEdits are the twenty kinds of edit, as whoever owns the machine can make them.
func theEdits() []edit {
	const (
		last   = "(SELECT max(seq) FROM tx)"
		middle = "(SELECT max(seq) / 2 FROM tx)"
	)
	statements := func(edits ...string) func(*testing.T, string) {
		return func(t *testing.T, db string) { t.Helper(); alter(t, db, edits...) }
	}
	return []edit{
		{"time", statements("UPDATE tx SET at_ms = at_ms + 1 WHERE seq = " + middle), unlike},
		{"person", statements(first(`"cause":{"by":"`, `"cause":{"by":"x`)), committed},
		{"role", statements(first(`"role":"guest"`, `"role":"dealer"`)), committed},
		{"amount", statements(first(`"kind":"bet","body":{"box":1,`, `"kind":"bet","body":{"box":2,`), first(`"amount":`, `"amount":1`)), committed},
		{"card", statements(first(`"meant":"1"`, `"meant":"2"`)), committed},
		{"deletion in the middle", statements("DELETE FROM part WHERE id / 16 = "+middle, "DELETE FROM tx WHERE seq = "+middle), "is missing"},
		{"deletion at the end", statements("DELETE FROM part WHERE id / 16 = "+last, "DELETE FROM tx WHERE seq = "+last), "were signed, and it holds"},
		{"insertion", statements(
			"UPDATE tx SET seq = -seq - 1 WHERE seq > 5", "UPDATE tx SET seq = -seq WHERE seq < 0",
			"INSERT INTO tx SELECT 6, at_ms, salt, line, mark FROM tx WHERE seq = 5",
		), unlike},
		{"order", statements("UPDATE tx SET seq = -5 WHERE seq = 5", "UPDATE tx SET seq = 5 WHERE seq = 6", "UPDATE tx SET seq = 6 WHERE seq = -5"), unlike},
		{"older copy", func(t *testing.T, db string) {
			older := filepath.Join(t.TempDir(), "older.db")
			if err := sqlite.Copy(t.Context(), db, older); err != nil {
				t.Fatal(err)
			}
			goesOn(t, db, "more happens")
			replace(t, older, db)
		}, "were signed, and it holds"},
		{"two histories", func(t *testing.T, db string) {
			older := filepath.Join(t.TempDir(), "older.db")
			if err := sqlite.Copy(t.Context(), db, older); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(signingBeside(older), os.DirFS(signingBeside(db))); err != nil {
				t.Fatal(err)
			}
			goesOn(t, db, "more happens")
			goesOn(t, older, "something else happens")
			replace(t, older, db)
		}, signed},
		{"forged round with its commitment worked out anew", forged, committed},
		{"rules", statements(first(`\"form\":\"trey terms 1\"`, `\"form\":\"trey terms 2\"`)), committed},
		{"ruling", statements(first(`\"rulings\":{\"`, `\"rulings\":{\"a\":\"b\",\"`)), committed},
		{"snapshot", statements("UPDATE snapshot SET version = version + 1 WHERE id = (SELECT max(id) FROM snapshot)"), "the snapshot of"},
		{"snapshot with its hash", resealed, "is not what these events come to"},
		{"posting", statements("UPDATE tx SET line = packed(json_set(unpacked(line), '$.postings[0].amount', 1)) WHERE seq = (SELECT max(seq) FROM tx WHERE unpacked(line) LIKE '%\"postings\":[%')"), committed},
		{"balance", statements("UPDATE account SET balance = balance + 1 WHERE name LIKE 'win:%'"), "win:"},
		{"meter", statements(first(`"to_meter":`, `"to_meter":1`)), committed},
		{"password event", statements(first(`"hash":"`, `"hash":"x`)), committed},
		{"significant event", statements(first(`"kind":"login-failed"`, `"kind":"logged-in"`)), committed},
		{"checkpoint", func(t *testing.T, db string) {
			path := filepath.Join(signingBeside(db), "checkpoint")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitN(string(text), "\n", 3)
			if err := os.WriteFile(path, []byte(lines[0]+"\n1"+lines[1]+"\n"+lines[2]), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "checkpoint"},
	}
}

// Twenty kinds of edit, each made to the record of a house and to a copy of it: the audit
// finds each, and says where. What a line recorded is edited as whoever owns the machine
// can, with the leaf's mark left as it is: TestAuditFindsEveryEdit has edits of the mark.
func TestTwentyKindsOfEdits(t *testing.T) {
	played := playedHouse(t)
	if status, _, logs := auditRun("--db", played); status != 0 {
		t.Fatalf("before any edit: status %d: %s", status, logs)
	}
	for _, test := range theEdits() {
		for _, of := range []string{"database", "copy"} {
			t.Run(test.name+" in the "+of, func(t *testing.T) {
				t.Parallel()
				db := filepath.Join(t.TempDir(), of+".db")
				var err error
				if of == "copy" {
					err = sqlite.Copy(t.Context(), played, db)
				} else {
					err = copyFile(played, db)
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(signingBeside(db), os.DirFS(signingBeside(played))); err != nil {
					t.Fatal(err)
				}
				test.edit(t, db)
				status, out, logs := auditRun("--db", db)
				if status != exitFound || !strings.Contains(logs, test.want) {
					t.Errorf("status %d, %q is not said: %s%s", status, test.want, out, logs)
				}
				if test.want == committed && !strings.Contains(logs, "transaction ") {
					t.Errorf("it is not said where: %s", logs)
				}
			})
		}
	}
}

// replace puts one record in the place of another, and leaves the keys beside it.
func replace(t *testing.T, from, to string) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(to + end); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := copyFile(from, to); err != nil {
		t.Fatal(err)
	}
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// segment is a file of an archive, as text and as lines.
func segment(t *testing.T, folder string) (path string, lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.zst"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the archive is %v, %v", files, err)
	}
	packed, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return files[0], strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

// packSegment writes a segment as docs/record.md has it: the header and each tile in a
// frame by itself.
func packSegment(t *testing.T, path string, lines []string) {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // it holds nothing
	last := len(lines) - 1
	lines[last] = strings.TrimSuffix(lines[last], "\n") + "\n"
	packed := e.EncodeAll([]byte(lines[0]), nil)
	for i := 1; i <= last; {
		end := min((i/256+1)*256, last+1)
		packed = e.EncodeAll([]byte(strings.Join(lines[i:end], "")), packed)
		i = end
	}
	if err := os.WriteFile(path, packed, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The same kinds of edit as far as an archive has them, each made to its lines: the audit of
// the archive alone finds each.
func TestEditsOfAnArchive(t *testing.T) {
	db := playedHouse(t)
	archived := filepath.Join(t.TempDir(), "archive")
	if out, err := archiveLater(t, db, archived); err != nil {
		t.Fatal(out, err)
	}
	key, err := os.ReadFile(filepath.Join(signingBeside(db), "signing.pub"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(old, other string) func([]string) []string {
		return func(lines []string) []string {
			for i, l := range lines[1:] {
				if strings.Contains(l, old) {
					lines[i+1] = strings.Replace(l, old, other, 1)
					return lines
				}
			}
			return nil
		}
	}
	for _, test := range []struct {
		name string
		edit func(lines []string) []string // nil where there was nothing to edit
	}{
		{"nothing", func(lines []string) []string { return lines }},
		{"time", text(`"at_ms":1`, `"at_ms":2`)},
		{"person", text(`"cause":{"by":"`, `"cause":{"by":"x`)},
		{"role", text(`"role":"guest"`, `"role":"dealer"`)},
		{"amount", text(`"amount":`, `"amount":1`)},
		{"card", text(`"meant":"1"`, `"meant":"2"`)},
		{"deletion in the middle", func(lines []string) []string { return append(lines[:300:300], lines[301:]...) }},
		{"deletion at the end", func(lines []string) []string { return lines[:len(lines)-1] }},
		{"insertion", func(lines []string) []string { return append(append(lines[:301:301], lines[300]), lines[301:]...) }},
		{"order", func(lines []string) []string { lines[5], lines[6] = lines[6], lines[5]; return lines }},
		{"rules", text(`\"form\":\"trey terms 1\"`, `\"form\":\"trey terms 2\"`)},
		{"ruling", text(`\"rulings\":{\"`, `\"rulings\":{\"a\":\"b\",\"`)},
		{"posting", text(`"postings":[{"from":"`, `"postings":[{"from":"x`)},
		{"meter", text(`"to_meter":`, `"to_meter":1`)},
		{"password event", text(`"hash":"`, `"hash":"x`)},
		{"salt", text(`"salt":"`, `"salt":"AAAA`)},
		{"checkpoint", func(lines []string) []string {
			lines[0] = strings.Replace(lines[0], `"checkpoint":"trey-house/`, `"checkpoint":"trey-house/x`, 1)
			return lines
		}},
		{"the root", func(lines []string) []string {
			lines[0] = regexp.MustCompile(`("root":")...`).ReplaceAllString(lines[0], "${1}AAA")
			return lines
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(archived)); err != nil {
				t.Fatal(err)
			}
			path, lines := segment(t, folder)
			if lines = test.edit(lines); lines == nil {
				t.Fatal("there is nothing to edit")
			}
			packSegment(t, path, lines)
			status, out, logs := auditRun("--archive", folder, "--key", string(key))
			if sound := test.name == "nothing"; sound != (status == 0) || !sound && logs == "" {
				t.Errorf("status %d: %s%s", status, out, logs)
			}
			if status != 0 {
				t.Log(logs)
			}
		})
	}
}
