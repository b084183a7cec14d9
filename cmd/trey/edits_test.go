package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/load"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
)

// unhurried is the pace of a house whose record is looked at afterwards: at full pace some
// seconds of a load leave thousands of transactions, of which none shows more than hundreds do.
var unhurried = house.Pace{ShowMs: 150}

// playedOnce is the record of playedHouse, made by the first test that needs it.
var playedOnce struct {
	sync.Mutex
	db string
}

// playedHouse returns a record of tables of four books, of people who came and were not
// let in, and of a jackpot, with the keys beside it and a checkpoint of everything. The tests
// share it: whoever writes to it takes a copy, by copyHouse.
func playedHouse(t *testing.T) (db string) {
	t.Helper()
	playedOnce.Lock()
	defer playedOnce.Unlock()
	if playedOnce.db == "" {
		dir, err := os.MkdirTemp("", "trey-played-")
		if err != nil {
			t.Fatal(err)
		}
		atEnd(func() { _ = os.RemoveAll(dir) })
		playedOnce.db = playHouse(t, dir)
	}
	return playedOnce.db
}

func playHouse(t *testing.T, dir string) (db string) {
	t.Helper()
	c := load.Config{Tables: 4, Seats: 1, Duration: load.MinDuration, Name: watcher, Password: "a-word-for-the-watcher", Seed: 3}
	hash := hashOf(t, c.Password)
	config, db := filepath.Join(dir, "house.toml"), filepath.Join(dir, "house.db")
	plan := append(planOfMany(c, hash, unhurried), fmt.Sprintf("[users.ada]\nrole = \"administrator\"\npassword = %q\n", hash)...)
	if err := os.WriteFile(config, plan, 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, DB: db})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	// The middle of the record lies behind the first tile, from which whoever audits an address
	// learns its origin, and in what was played: what fills the first tile has no rounds, which
	// each audit would play again.
	goOn(t, db, "drain", 250)
	o = start(t, serveCommand{Config: config, DB: db})
	c.Address = o.address
	for ; valueOf[int64](t, db, "SELECT max(seq) FROM tx") < 600; c.Seed++ { // however slow the machine is
		if r, err := load.Run(context.Background(), c); err != nil || len(r.Differences) > 0 {
			t.Fatal(r, err)
		}
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
	goOn(t, db, kind, 1)
}

// goOn records a number of transactions and signs them.
func goOn(t *testing.T, db, kind string, count int) {
	t.Helper()
	now := valueOf[int64](t, db, "SELECT max(at_ms) FROM tx")
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var last <-chan house.AppendResult
	for range count {
		last = store.Append(&house.Transaction{AtMs: now, Cause: house.Cause{By: "kim", Role: "cashier", Kind: kind, Body: []byte("{}")}})
	}
	if done := <-last; done.Err != nil {
		t.Fatal(done.Err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	resign(t, db)
}

// holding is a condition: a transaction whose line holds a text.
func holding(text string) string { return fmt.Sprintf("unpacked(line) LIKE '%%%s%%'", text) }

// valueOf returns what a query of one row and one column finds in a record.
func valueOf[T any](t *testing.T, db, query string) (found T) {
	t.Helper()
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was read only
	if err := file.QueryRow(query).Scan(&found); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return found
}

// otherSeed takes the place of a seed that was revealed.
var otherSeed = strings.Repeat("7e", 32)

// commitmentTo is the commitment to a seed, as docs/fair-dealing.md has it.
func commitmentTo(table string, round int64, seed string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", round, seed, table))
	return hex.EncodeToString(sum[:])
}

// lastRevealed is the last seed that a record reveals: of which round, and the commitment to it.
func lastRevealed(t *testing.T, db string) (table string, round int64, seed string) {
	t.Helper()
	const last = ` FROM tx, json_each(unpacked(line), '$.parts') p, json_each(p.value, '$.events') e
		WHERE e.value ->> '$.kind' = 'seed-revealed' ORDER BY tx.seq DESC LIMIT 1`
	table = valueOf[string](t, db, "SELECT substr(p.value ->> '$.stream', 6)"+last)
	round = valueOf[int64](t, db, "SELECT e.value ->> '$.body.round'"+last)
	return table, round, valueOf[string](t, db, "SELECT e.value ->> '$.body.seed'"+last)
}

// forged writes another seed for a round, and the commitment to it, into the record wherever
// the two stand.
func forged(t *testing.T, db string) (found []finding) {
	t.Helper()
	table, round, seed := lastRevealed(t, db)
	for _, change := range [][2]string{{seed, otherSeed}, {commitmentTo(table, round, seed), commitmentTo(table, round, otherSeed)}} {
		found = append(found, finding{valueOf[int64](t, db, "SELECT min(seq) FROM tx WHERE "+holding(change[0])), committed})
		alter(t, db, rewrite(change[0], change[1]))
	}
	return found
}

// resealed changes what the last snapshot of a table says, and its hash with it.
func resealed(t *testing.T, db string) []finding {
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
	return []finding{{0, "the snapshot of " + stream}, {0, "is not what these events come to"}}
}

// madeUp puts a snapshot of a stream of the house's own in its place, at its last event: sealed
// as it should be, and with nobody and nothing in it.
func madeUp(stream string, form int) func(t *testing.T, db string) []finding {
	return func(t *testing.T, db string) []finding {
		t.Helper()
		const last = " FROM part JOIN stream ON stream.id = part.stream WHERE part.count > 0 AND stream.name = '%s' ORDER BY part.id DESC LIMIT 1"
		id, of := valueOf[int64](t, db, fmt.Sprintf("SELECT part.id"+last, stream)), valueOf[int64](t, db, fmt.Sprintf("SELECT stream.id"+last, stream))
		version := valueOf[int64](t, db, fmt.Sprintf("SELECT after + count"+last, stream))
		body := house.SealSnapshot(stream, version, fmt.Appendf(nil, `{"form":%d}`, form))
		alter(t, db, fmt.Sprintf("INSERT INTO snapshot (id, stream, version, body) VALUES (%d, %d, %d, x'%x')", id, of, version, body))
		return []finding{{0, fmt.Sprintf("the snapshot of %s after event %d is not what these events come to", stream, version)}}
	}
}

// between puts the last snapshot of a table, sealed for where it then stands, at an event of a round
// that came before it: the next one is as it should be.
func between(t *testing.T, db string) []finding {
	t.Helper()
	const last = " FROM snapshot JOIN stream ON stream.id = snapshot.stream WHERE stream.name LIKE 'table:%' ORDER BY snapshot.id DESC LIMIT 1"
	of, stream, id := valueOf[int64](t, db, "SELECT stream.id"+last), valueOf[string](t, db, "SELECT stream.name"+last), valueOf[int64](t, db, "SELECT snapshot.id"+last)
	body := valueOf[string](t, db, "SELECT CAST(snapshot.body AS TEXT)"+last)
	at := fmt.Sprintf(" FROM part WHERE stream = %d AND id < %d AND count > 0 AND round = 0 ORDER BY id DESC LIMIT 1", of, id)
	version := valueOf[int64](t, db, "SELECT after + count"+at)
	_, state, _ := strings.Cut(body, "\n")
	alter(t, db, fmt.Sprintf("INSERT INTO snapshot (id, stream, version, body) VALUES (%d, %d, %d, x'%x')",
		valueOf[int64](t, db, "SELECT id"+at), of, version, house.SealSnapshot(stream, version, []byte(state))))
	return []finding{{id / house.MaxParts, "the record is corrupt: a snapshot of " + stream + " stands where none is written"}}
}

// finding names what an audit has to say of an edit, and of which transaction; 0 is none.
type finding struct {
	seq  int64
	what string
}

// In a record that keeps its tree, the audit names the transaction that no longer is what its
// leaf committed to, and the tile of 256 transactions with one that has another leaf.
const (
	committed = "what it recorded is not what its leaf committed to"
	unlike    = "is not as it was recorded"
	gone      = "it is missing"
	signed    = "are not those that were signed"
)

// String is the finding as the audit of a database or of a copy says it.
func (f finding) String() string {
	switch {
	case f.what == unlike:
		return fmt.Sprintf("one of the transactions from %d to ", max(1, f.seq/256*256))
	case f.seq > 0:
		return fmt.Sprintf("transaction %d: %s", f.seq, f.what)
	}
	return f.what
}

// The places at which an edit is made.
const (
	ofDatabase = "database" // while the house is stopped
	ofCopy     = "copy"     // of `trey backup`
	ofAddress  = "address"  // while the house runs and an auditor reads it
	ofArchive  = "archive"
	ofRound    = "record of a round"
)

// kind is one of the twenty kinds of edit, with how it is made in each place.
type kind struct {
	name string
	// database edits a record and returns what its audit has to find.
	database func(t *testing.T, db string) []finding
	// address is what the audit over the address finds, where it is another finding than that
	// of the database: it reads leaves and no lines.
	address func(found []finding) []finding
	// archive edits the lines of a segment and returns what its audit has to say besides the
	// file; nil where there was nothing to edit.
	archive func(lines []string) (edited []string, want string)
	// round edits the record of a round; nil where it has nothing to edit. The lines are the
	// beginning with the steps' bracket, each step, and in the last the end of the document.
	round func(lines []string) []string
	// lacks says why there is no such edit in a place.
	lacks map[string]string
}

// inPlace lists the places of a kind.
func (k *kind) inPlace() map[string]bool {
	return map[string]bool{ofDatabase: k.database != nil, ofCopy: k.database != nil, ofAddress: k.lacks[ofAddress] == "" && k.database != nil, ofArchive: k.archive != nil, ofRound: k.round != nil}
}

// editOf edits the first transaction that holds a text.
func editOf(old, other string) func(*testing.T, string) []finding {
	return func(t *testing.T, db string) []finding {
		t.Helper()
		seq := valueOf[int64](t, db, "SELECT min(seq) FROM tx WHERE "+holding(old))
		alter(t, db, fmt.Sprintf("UPDATE tx SET line = packed(replace(unpacked(line), '%s', '%s')) WHERE seq = %d", old, other, seq))
		return []finding{{seq, committed}}
	}
}

// anotherRoot stands in what the audit of an archive says of a line that leads to another leaf,
// behind the name of the file.
const anotherRoot = "another root than "

// lineWith replaces a text in the first transaction of a segment that holds it.
func lineWith(old, other string) func([]string) ([]string, string) {
	return func(lines []string) ([]string, string) {
		for i, l := range lines[1:] {
			if strings.Contains(l, old) {
				lines[i+1] = strings.Replace(l, old, other, 1)
				return lines, anotherRoot
			}
		}
		return nil, ""
	}
}

// step replaces what a pattern finds first in the record of a round.
func step(pattern, by string) func([]string) []string {
	p := regexp.MustCompile(pattern)
	return func(lines []string) []string {
		for i, l := range lines {
			if at := p.FindStringSubmatchIndex(l); at != nil {
				lines[i] = l[:at[0]] + string(p.ExpandString(nil, by, l, at)) + l[at[1]:]
				return lines
			}
		}
		return nil
	}
}

// middle is a transaction of a stream in the middle of a record, and the last of all.
func middle(t *testing.T, db string) (seq, last int64) {
	t.Helper()
	last = valueOf[int64](t, db, "SELECT max(seq) FROM tx")
	return valueOf[int64](t, db, fmt.Sprintf("SELECT max(id / 16) FROM part WHERE id / 16 <= %d", last/2)), last
}

// inTile has an edit found over the address by the tile of 256 transactions alone.
func inTile(found []finding) []finding {
	first := slices.MinFunc(found, func(a, b finding) int { return cmp.Compare(a.seq, b.seq) })
	return []finding{{first.seq, unlike}}
}

const (
	noSnapshot = "snapshots are the house's own, to start faster: they are in no leaf, and nobody else is given one"
	noPeople   = "the record of a round has nothing of users and of significant events"
	noOlder    = "an older record of a round is proven as what it was: its leaf stays in the tree"
)

// theKinds are the twenty kinds of edit, as whoever owns the machine can make them.
func theKinds() []kind {
	remove := func(t *testing.T, db string, seq int64) {
		t.Helper()
		alter(t, db, fmt.Sprintf("DELETE FROM part WHERE id / 16 = %d", seq), fmt.Sprintf("DELETE FROM tx WHERE seq = %d", seq))
	}
	older := func(t *testing.T, db string) string {
		t.Helper()
		older := filepath.Join(t.TempDir(), "older.db")
		if err := sqlite.Copy(t.Context(), db, older); err != nil {
			t.Fatal(err)
		}
		return older
	}
	snapshot := func(edit func(*testing.T, string) []finding) kind {
		return kind{name: "snapshot", database: edit, lacks: map[string]string{ofAddress: noSnapshot, ofArchive: noSnapshot, ofRound: noSnapshot}}
	}
	resealedToo := snapshot(resealed)
	resealedToo.name = "snapshot with its hash"
	putBetween := snapshot(between)
	putBetween.name = "snapshot between two"
	ofHouse, ofUsers := snapshot(madeUp("house", 2)), snapshot(madeUp(identity.Stream, 1))
	ofHouse.name, ofUsers.name = "snapshot of the house's own stream", "snapshot of users"
	return []kind{
		{
			name: "time",
			database: func(t *testing.T, db string) []finding {
				seq, _ := middle(t, db)
				alter(t, db, fmt.Sprintf("UPDATE tx SET at_ms = at_ms + 1 WHERE seq = %d", seq))
				return []finding{{seq, unlike}}
			},
			archive: lineWith(`"at_ms":1`, `"at_ms":2`), round: step(`"at_ms":\d`, `"at_ms":2`),
		},
		{
			name: "person", database: editOf(`"cause":{"by":"`, `"cause":{"by":"x`), address: inTile,
			archive: lineWith(`"cause":{"by":"`, `"cause":{"by":"x`), round: step(`"by":\{"name":"#`, `"by":{"name":"#9`),
		},
		{
			name: "role", database: editOf(`"role":"guest"`, `"role":"dealer"`), address: inTile,
			archive: lineWith(`"role":"guest"`, `"role":"dealer"`), round: step(`"role":"(guest|player)"`, `"role":"dealer"`),
		},
		{
			name: "amount", database: editOf(`"amount":`, `"amount":1`), address: inTile,
			archive: lineWith(`"amount":`, `"amount":1`), round: step(`"kind":"bet","body":\{(.*?)"amount":`, `"kind":"bet","body":{$1"amount":1`),
		},
		{
			name: "card", database: editOf(`"meant":"1"`, `"meant":"2"`), address: inTile,
			archive: lineWith(`"meant":"1"`, `"meant":"2"`), round: step(`"card":"(.)[dhs]"`, `"card":"${1}c"`),
		},
		{
			name: "deletion in the middle",
			database: func(t *testing.T, db string) []finding {
				seq, _ := middle(t, db)
				remove(t, db, seq)
				return []finding{{seq, gone}}
			},
			archive: func(lines []string) ([]string, string) {
				return append(lines[:300:300], lines[301:]...), "transaction 301 stands where 300 belongs"
			},
			round: func(lines []string) []string { return append(lines[:2:2], lines[3:]...) },
		},
		{
			name: "deletion at the end",
			database: func(t *testing.T, db string) []finding {
				_, last := middle(t, db)
				remove(t, db, last)
				return []finding{{0, fmt.Sprintf("%d transactions were signed, and it holds %d", last, last-1)}}
			},
			address: func(found []finding) []finding { return []finding{{0, "leaves and the root"}} },
			archive: func(lines []string) ([]string, string) {
				n := len(lines) - 1
				return lines[:n], fmt.Sprintf("transaction %d of ", n)
			},
			round: func(lines []string) []string {
				n := len(lines) - 1
				end := lines[n][strings.LastIndex(lines[n], `],"names":`):]
				return append(lines[:n-1:n-1], strings.TrimSuffix(lines[n-1], ",")+end)
			},
		},
		{
			name: "insertion",
			database: func(t *testing.T, db string) []finding {
				alter(t, db, "UPDATE tx SET seq = -seq - 1 WHERE seq > 5", "UPDATE tx SET seq = -seq WHERE seq < 0", "INSERT INTO tx SELECT 6, at_ms, salt, line, mark FROM tx WHERE seq = 5")
				return []finding{{6, unlike}}
			},
			archive: func(lines []string) ([]string, string) {
				return append(append(lines[:301:301], lines[300]), lines[301:]...), "transaction 300 stands where 301 belongs"
			},
			round: func(lines []string) []string { return append(append(lines[:3:3], lines[2]), lines[3:]...) },
		},
		{
			name: "order",
			database: func(t *testing.T, db string) []finding {
				alter(t, db, "UPDATE tx SET seq = -5 WHERE seq = 5", "UPDATE tx SET seq = 5 WHERE seq = 6", "UPDATE tx SET seq = 6 WHERE seq = -5")
				return []finding{{5, unlike}}
			},
			archive: func(lines []string) ([]string, string) {
				lines[5], lines[6] = lines[6], lines[5]
				return lines, "transaction 6 stands where 5 belongs"
			},
			round: func(lines []string) []string { lines[1], lines[2] = lines[2], lines[1]; return lines },
		},
		{
			name: "older copy",
			database: func(t *testing.T, db string) []finding {
				_, last := middle(t, db)
				older := older(t, db)
				goesOn(t, db, "more happens")
				replace(t, older, db)
				return []finding{{0, fmt.Sprintf("%d transactions were signed, and it holds %d", last+1, last)}}
			},
			// Held against a checkpoint from after its end: see TestEditsOfAnArchive.
			archive: func(lines []string) ([]string, string) {
				return lines, fmt.Sprintf("transactions were signed, and it holds %d", len(lines)-1)
			},
			lacks: map[string]string{ofRound: noOlder},
		},
		{
			name: "two histories",
			database: func(t *testing.T, db string) []finding {
				_, last := middle(t, db)
				older := older(t, db)
				if err := os.CopyFS(signingBeside(older), os.DirFS(signingBeside(db))); err != nil {
					t.Fatal(err)
				}
				goesOn(t, db, "more happens")
				goesOn(t, older, "something else happens")
				replace(t, older, db)
				return []finding{{0, fmt.Sprintf("its first %d transactions %s", last+1, signed)}}
			},
			// Of the other history than that of the checkpoint: see TestEditsOfAnArchive.
			archive: func(lines []string) ([]string, string) { return lines, signed },
			// Held against the checkpoint of the other one: see TestEditsOfTheRecordOfARound.
			round: func(lines []string) []string { return lines },
		},
		{
			name: "forged round with its commitment worked out anew", database: forged, address: inTile,
			archive: func(lines []string) ([]string, string) {
				revealed := regexp.MustCompile(`"stream":"deal:([^"]+)".*?"kind":"seed-revealed","body":\{"round":(\d+),"seed":"([0-9a-f]+)"`)
				for _, l := range slices.Backward(lines) {
					if seed := revealed.FindStringSubmatch(l); seed != nil {
						return reforged(lines, seed[1], seed[2], seed[3]), anotherRoot
					}
				}
				return nil, ""
			},
			round: func(lines []string) []string {
				seed := regexp.MustCompile(`"table":"([^"]+)","round":(\d+)[^\n]*"seed":"([0-9a-f]{64})"`).FindStringSubmatch(strings.Join(lines, ""))
				if seed == nil {
					return nil
				}
				return reforged(lines, seed[1], seed[2], seed[3])
			},
		},
		{
			name: "rules", database: editOf(`\"form\":\"trey terms 1\"`, `\"form\":\"trey terms 2\"`), address: inTile,
			archive: lineWith(`\"form\":\"trey terms 1\"`, `\"form\":\"trey terms 2\"`), round: step(`"form\\":\\"trey terms 1`, `"form\":\"trey terms 2`),
		},
		{
			name: "ruling", database: editOf(`\"rulings\":{\"`, `\"rulings\":{\"a\":\"b\",\"`), address: inTile,
			archive: lineWith(`\"rulings\":{\"`, `\"rulings\":{\"a\":\"b\",\"`), round: step(`"rulings\\":\{\\"`, `"rulings\":{\"a\":\"b\",\"`),
		},
		snapshot(func(t *testing.T, db string) []finding {
			stream := valueOf[string](t, db, "SELECT stream.name FROM snapshot JOIN stream ON stream.id = snapshot.stream WHERE snapshot.id = (SELECT max(id) FROM snapshot)")
			alter(t, db, "UPDATE snapshot SET version = version + 1 WHERE id = (SELECT max(id) FROM snapshot)")
			return []finding{{0, "the snapshot of " + stream}}
		}),
		resealedToo, putBetween, ofHouse, ofUsers,
		{
			name: "posting",
			database: func(t *testing.T, db string) []finding {
				seq := valueOf[int64](t, db, "SELECT max(seq) FROM tx WHERE "+holding(`"postings":[`))
				alter(t, db, fmt.Sprintf("UPDATE tx SET line = packed(json_set(unpacked(line), '$.postings[0].amount', 1)) WHERE seq = %d", seq))
				return []finding{{seq, committed}}
			},
			address: inTile, archive: lineWith(`"postings":[{"from":"`, `"postings":[{"from":"x`), round: step(`"postings":\[(.*?)"amount":`, `"postings":[$1"amount":1`),
		},
		{
			name: "balance",
			database: func(t *testing.T, db string) []finding {
				account := valueOf[string](t, db, "SELECT min(name) FROM account WHERE name LIKE 'win:%'")
				alter(t, db, fmt.Sprintf("UPDATE account SET balance = balance + 1 WHERE name = '%s'", account))
				return []finding{{0, account + " holds "}}
			},
			lacks: map[string]string{
				ofArchive: "no balance stands in an archive; those that a record keeps for its tiles are in TestEditsOfWhatWasArchived",
				ofRound:   "the record of a round has postings and no balance",
			},
		},
		{
			name: "meter", database: editOf(`"to_meter":`, `"to_meter":1`), address: inTile,
			archive: lineWith(`"to_meter":`, `"to_meter":1`), round: step(`"to_meter":`, `"to_meter":1`),
		},
		{
			name: "password event", database: editOf(`"hash":"`, `"hash":"x`), address: inTile, archive: lineWith(`"hash":"`, `"hash":"x`),
			lacks: map[string]string{ofRound: noPeople},
		},
		{
			name: "significant event", database: editOf(`"kind":"login-failed"`, `"kind":"logged-in"`), address: inTile,
			archive: lineWith(`"kind":"login-failed"`, `"kind":"logged-in"`), lacks: map[string]string{ofRound: noPeople},
		},
		{
			name: "checkpoint",
			database: func(t *testing.T, db string) []finding {
				path := filepath.Join(signingBeside(db), "checkpoint")
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.SplitN(string(text), "\n", 3)
				if err := os.WriteFile(path, []byte(lines[0]+"\n1"+lines[1]+"\n"+lines[2]), 0o600); err != nil {
					t.Fatal(err)
				}
				return []finding{{0, path}, {0, "the checkpoint is not signed by a key that is known"}}
			},
			address: func([]finding) []finding { return []finding{{0, "the checkpoint of the house: "}} },
			archive: func(lines []string) ([]string, string) {
				lines[0] = strings.Replace(lines[0], `"checkpoint":"trey-house/`, `"checkpoint":"trey-house/x`, 1)
				return lines, "the checkpoint in "
			},
			round: step(`("proof":".*\\n\\ntrey-house/[0-9a-f]*\\n)`, "${1}1"),
		},
	}
}

// reforged writes another seed and the commitment to it wherever they stand.
func reforged(lines []string, table, round, seed string) []string {
	n, _ := strconv.ParseInt(round, 10, 64) // it is digits
	change := strings.NewReplacer(seed, otherSeed, commitmentTo(table, n, seed), commitmentTo(table, n, otherSeed))
	for i, l := range lines {
		lines[i] = change.Replace(l)
	}
	return lines
}

// Each kind of edit is made in each place, or the kind says why the place has no such thing:
//
//	kind                     database, copy     address        archive            record of a round
//	time, order, insertion   tile               tile           file, transaction  round
//	deletion in the middle   transaction        transaction    file, transaction  round
//	deletion at the end      number             number         file, transaction  round
//	what a line recorded     transaction        tile           file               round
//	forged round             its transactions   tile           file               round
//	older copy               number             number         number             (proven as what it was)
//	two histories            number             number         number             round
//	snapshot                 stream             (not served)   (not kept)         (not part of it)
//	balance                  account            account        (not kept)         (not part of it)
//	user, significant event  transaction        tile           file               (not part of it)
//	checkpoint               file               it             file               round
//
// `trey audit` finds all of them but those of a round's record, which `trey verify` finds; the
// verifier in another language finds those of archives and of rounds.
func TestEveryKindOfEditIsMadeEverywhere(t *testing.T) {
	names := map[string]bool{}
	for _, k := range theKinds() {
		names[k.name] = true
		for place, made := range k.inPlace() {
			if made == (k.lacks[place] != "") {
				t.Errorf("%s in the %s: an edit is made %t, and the reason against one is %q", k.name, place, made, k.lacks[place])
			}
		}
	}
	for _, name := range []string{
		"time", "person", "role", "amount", "card", "deletion in the middle", "deletion at the end", "insertion", "order", "older copy",
		"two histories", "forged round with its commitment worked out anew", "rules", "ruling", "snapshot", "posting", "balance", "meter",
		"password event", "significant event", "checkpoint",
	} {
		if !names[name] {
			t.Errorf("there is no edit of the kind %s", name)
		}
	}
}

// The kinds of edit made to the record of a house and to a copy of it: the audit finds each,
// and says where. What a line recorded is edited with the leaf's mark left as it is:
// TestAuditFindsEveryEdit has edits of the mark.
func TestTwentyKindsOfEdits(t *testing.T) {
	t.Parallel()
	played := playedHouse(t)
	if status, _, logs := auditRun("--db", played); status != 0 {
		t.Fatalf("before any edit: status %d: %s", status, logs)
	}
	for i, k := range theKinds() {
		for j, of := range []string{ofDatabase, ofCopy} {
			if !steady.Turn(i/2+j, 2) { // by default each kind in one of the two
				continue
			}
			t.Run(k.name+" in the "+of, func(t *testing.T) {
				t.Parallel()
				db := copyHouse(t, played, of)
				found := k.database(t, db)
				status, out, logs := auditRun("--db", db)
				if status != exitFound || len(found) == 0 {
					t.Errorf("status %d: %s%s", status, out, logs)
				}
				for _, f := range found {
					if !strings.Contains(logs, f.String()) {
						t.Errorf("%q is not said: %s", f, logs)
					}
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

// copyFolder copies a folder of a house that may be open: what it signs has another name for a
// moment, and is not there any more when it is to be copied. The copy is for its owner alone.
func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	unlessGone := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return unlessGone(err)
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		}
		return unlessGone(copyFile(name, filepath.Join(to, below)))
	}); err != nil {
		t.Fatal(err)
	}
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

// The kinds of edit made to the lines of an archive: the audit of the archive alone finds each
// and names the file or the transaction, and so does the verifier in another language.
func TestEditsOfAnArchive(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	played := copyHouse(t, playedHouse(t), ofDatabase)
	goOn(t, played, "drain", 300) // so that what was played lies in tiles that are full
	archiveOf := func(db string) (folder string) {
		folder = filepath.Join(t.TempDir(), "archive")
		if out, err := archiveLater(t, db, folder); err != nil {
			t.Fatal(out, err)
		}
		return folder
	}
	// One history goes on with a transaction, which is signed and noted; another one with more of
	// something else, of which whole tiles are archived.
	noted, other := copyHouse(t, played, ofDatabase), copyHouse(t, played, ofDatabase)
	goesOn(t, noted, "more happens")
	goOn(t, other, "something else happens", 600)
	archived, otherArchive := archiveOf(played), archiveOf(other)
	key := strings.TrimSpace(textOf(t, filepath.Join(signingBeside(played), "signing.pub")))
	checkpoint := filepath.Join(signingBeside(noted), "checkpoint")

	salt, root := kind{name: "salt"}, kind{name: "root"}
	salt.archive = func(lines []string) ([]string, string) {
		edited, _ := lineWith(`"salt":"`, `"salt":"AAAA`)(lines)
		return edited, "the salt of transaction 1 is"
	}
	root.archive = func(lines []string) ([]string, string) {
		lines[0] = regexp.MustCompile(`("root":")...`).ReplaceAllString(lines[0], "${1}AAA")
		return lines, anotherRoot
	}
	nothing := kind{name: "nothing", archive: func(lines []string) ([]string, string) { return lines, "" }}
	for _, k := range append(theKinds(), salt, root, nothing) {
		if k.archive == nil {
			continue // TestEveryKindOfEditIsMadeEverywhere wants the reason
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			from, args, older := archived, []string{}, []string{}
			switch k.name {
			case "two histories":
				from = otherArchive
				fallthrough
			case "older copy":
				args, older = []string{"--checkpoint", checkpoint}, []string{"--older", checkpoint}
			}
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			path, lines := segment(t, folder)
			lines, want := k.archive(lines)
			if lines == nil {
				t.Fatal("there is nothing to edit")
			}
			packSegment(t, path, lines)
			status, out, logs := auditRun(append(args, "--archive", folder, "--key", key)...)
			switch {
			case k.name == "nothing":
				if status != 0 {
					t.Errorf("status %d: %s%s", status, out, logs)
				}
			case status != exitFound || want == "" || !strings.Contains(logs, want):
				t.Errorf("status %d, %q is not said: %s%s", status, want, out, logs)
			case args == nil && !strings.Contains(logs, path):
				t.Errorf("the file %s is not named: %s", path, logs)
			}
			second, said := secondProgram(t, append(older, "--archive", write(t, strings.Join(lines, "")), "--key", key)...)
			switch k.name {
			case "nothing":
				if second != 0 {
					t.Errorf("the second program: %d: %s", second, said)
				}
			case "older copy": // nothing of it is false: the second program says what it lacks
				if second != 0 || !strings.Contains(said, "is newer than the archive") {
					t.Errorf("the second program: %d: %s", second, said)
				}
			default:
				if second != 1 || !strings.Contains(said, "archive: FAILED") {
					t.Errorf("the second program: %d: %s", second, said)
				}
			}
		})
	}
}

// The kinds of edit made to the record of a round: `trey verify` and the verifier in another
// language find each, and say in which round.
func TestEditsOfTheRecordOfARound(t *testing.T) {
	t.Parallel()
	db := copyHouse(t, playedHouse(t), ofDatabase)
	other := copyHouse(t, db, ofDatabase) // the house goes on otherwise here
	goesOn(t, other, "something else happens")
	o := start(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml"), DB: db})
	v := visit(t, o)
	v.send(http.MethodPost, "/sign-in", url.Values{"name": {watcher}, "password": {"a-word-for-the-watcher"}, "back": {"/"}})
	var records []string
	for place := 1; place <= 4; place++ {
		got := v.send(http.MethodGet, fmt.Sprintf("/api/v1/tables/load-%04d/rounds/1", place), nil)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("table %d: %s %s", place, got.Status, got.text)
		}
		records = append(records, got.text)
	}
	key := strings.TrimSpace(textOf(t, filepath.Join(signingBeside(db), "signing.pub")))
	verified := func(paths ...string) (status int, out string) {
		var stdout, logs bytes.Buffer
		status = run(append([]string{"verify", "--key", key}, paths...), strings.NewReader(""), &stdout, &logs)
		return status, stdout.String() + logs.String()
	}
	var paths []string
	for _, record := range records {
		paths = append(paths, write(t, record))
	}
	if status, out := verified(paths...); status != 0 {
		t.Errorf("before any edit: %d: %s", status, out)
	}
	if status, out := secondProgram(t, append([]string{"--key", key}, paths...)...); status != 0 {
		t.Errorf("before any edit, the second program: %d: %s", status, out)
	}
	// The second program is started once, for all of them: what it has to say of each file.
	wanted, all := map[string]string{}, t
	for _, k := range theKinds() {
		if k.round == nil {
			continue // TestEveryKindOfEditIsMadeEverywhere wants the reason
		}
		t.Run(k.name, func(t *testing.T) {
			edited, table := "", 0
			for n, record := range records {
				if lines := k.round(strings.Split(strings.TrimSuffix(record, "\n"), "\n")); lines != nil {
					edited, table = strings.Join(lines, "\n"), n+1
					break
				}
			}
			if k.name == "two histories" {
				second, said := secondProgram(t, "--older", filepath.Join(signingBeside(other), "checkpoint"), "--tiles", o.address+"/log", "--key", key, write(t, edited))
				if second != 1 || !strings.Contains(said, "two histories") {
					t.Errorf("the second program: %d: %s", second, said)
				}
				return
			}
			if edited == "" || edited == strings.TrimSuffix(records[table-1], "\n") {
				t.Fatal("there is nothing to edit")
			}
			path := write(all, edited) // it outlives this kind
			wanted[path] = fmt.Sprintf(": \"load-%04d\" 1: FAILED", table)
			status, out := verified(path)
			if status != exitFound || !strings.Contains(out, fmt.Sprintf("table load-%04d, round 1: NOT PROVEN", table)) || !strings.Contains(out, "failed") {
				t.Errorf("status %d: %s", status, out)
			}
		})
	}
	second, said := secondProgram(t, append([]string{"--key", key}, slices.Sorted(maps.Keys(wanted))...)...)
	for path, want := range wanted {
		if !strings.Contains(said, path+want) {
			t.Errorf("the second program does not say %q", path+want)
		}
	}
	if lines := strings.Count(said, "\n"); second != 1 || lines != len(wanted) || lines < 10 {
		t.Errorf("the second program, of %d records: %d, %d lines: %s", len(wanted), second, lines, said)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// textOf returns what stands in a file.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
