package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/notary"
	"trey/internal/steady"
	"trey/internal/tree"
)

// rotateKey has the key that signs replaced, and returns what is said.
func rotateKey(args ...string) (status int, out, logs string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"keys", "rotate-signing"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// rotated has the key that signs replaced, and returns the lines of the key before and the new one.
func rotated(t *testing.T, db string) (before, key string) {
	t.Helper()
	before = keyThere(t, signingBeside(db))
	status, out, logs := rotateKey("--db", db)
	key = keyThere(t, signingBeside(db))
	if status != 0 || key == before || !strings.Contains(out, "Key     "+key) || !strings.Contains(out, "Before  "+before) {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	return before, key
}

// keyThere returns the line of the key in a folder.
func keyThere(t *testing.T, folder string) string {
	t.Helper()
	key, err := notary.KeyIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// recordedKey returns which key a record says to sign, and how many transactions it has.
func recordedKey(t *testing.T, db string) (key string, size int64) {
	t.Helper()
	store := recordAt(t, db)
	defer store.Close() //nolint:errcheck // it was only read
	at, err := house.FindWhereabouts(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return at.SigningKey, store.Head().Size
}

// keptFolder copies a folder of a key, with its permissions.
func keptFolder(t *testing.T, folder string) string {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "kept")
	copyFolder(t, folder, kept)
	return kept
}

// The key is replaced while the house is stopped. What was signed before is verified by the key
// before, what comes by the new one, and both by the key before and the succession.
func TestTheSigningKeyIsReplaced(t *testing.T) {
	t.Parallel()
	db := signedHouse(t)
	config, signing := filepath.Join(filepath.Dir(db), "house.toml"), signingBeside(db)
	noted := filepath.Join(t.TempDir(), "noted.txt")
	if err := os.WriteFile(noted, bytesOf(t, filepath.Join(signing, "checkpoint")), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "before.db")
	if status, _, logs := backup("--config", config, copied); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	before, key := rotated(t, db)
	if got, _ := recordedKey(t, db); got != key {
		t.Errorf("the record says that %q signs", got)
	}

	o := start(t, serveCommand{Config: config})
	if _, got := o.get(t, "/log/key"); strings.TrimSpace(got) != key {
		t.Errorf("the house shows the key %s", got)
	}
	_, succession := o.get(t, "/log/succession")
	if keys, err := notary.Successors(before, []byte(succession)); err != nil || len(keys) != 2 || keys[1] != key {
		t.Errorf("from the key before follow %q, %v", keys, err)
	}
	_, checkpoint := o.get(t, "/log/checkpoint")
	if _, err := notary.Read([]byte(checkpoint), key); err != nil {
		t.Errorf("the new key has not signed %s: %v", checkpoint, err)
	}
	if status, _, logs := rotateKey("--config", config); status != exitFound || !strings.Contains(logs, "Another trey has it open") || keyThere(t, signing) != key {
		t.Errorf("while the house is open: status %d: %s", status, logs)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	rotated(t, db)
	key = keyThere(t, signing)

	// The folder has what verifies each of them; so do the first key and the succession.
	follow := filepath.Join(signing, "succession")
	for name, test := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"by the folder":                        {[]string{"--config", config}, 0, "checkpoint   proven"},
		"an old copy":                          {[]string{"--db", copied, "--signing", signing}, exitFound, "were signed, and it holds"},
		"an old copy by what lies beside":      {[]string{"--db", copied, "--checkpoint", copied + ".checkpoint", "--key", before}, 0, "checkpoint   proven"},
		"from what was noted":                  {[]string{"--config", config, "--checkpoint", noted, "--key", before}, 0, "checkpoint   proven"},
		"from what was noted, by what follows": {[]string{"--config", config, "--checkpoint", noted, "--key", before, "--succession", follow}, 0, "checkpoint   proven"},
		"the last by what follows":             {[]string{"--config", config, "--checkpoint", filepath.Join(signing, "checkpoint"), "--key", before, "--succession", follow}, 0, "checkpoint   proven"},
		"the last by the first key":            {[]string{"--config", config, "--checkpoint", filepath.Join(signing, "checkpoint"), "--key", before}, exitFound, "not signed by a key that is known"},
		"what was noted by the new key":        {[]string{"--config", config, "--checkpoint", noted, "--key", key}, exitFound, "not signed by a key that is known"},
		"a succession of another key":          {[]string{"--config", config, "--checkpoint", noted, "--key", key, "--succession", follow}, exitUsage, "no note there is signed by a key that --key gives"},
	} {
		if status, out, logs := auditRun(test.args...); status != test.status || !strings.Contains(out+logs, test.want) || test.status == 0 && strings.Contains(out, "have no signature of a key") && !strings.Contains(name, "noted") {
			t.Errorf("%s: status %d: %s%s", name, status, out, logs)
		}
	}
	// A copy that was made after it opens with the folder as it is now, and no other.
	after := filepath.Join(t.TempDir(), "after.db")
	if status, out, logs := backup("--config", config, after); status != 0 || !strings.Contains(out, "A house opens from it.") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
}

// A folder that does not belong to the record, or does not go on from what it signed, is left as
// it is; so is the record.
func TestTheSigningKeyIsNotReplaced(t *testing.T) {
	t.Parallel()
	db, other := signedHouse(t), signedHouse(t)
	signing := signingBeside(db)
	older := filepath.Join(t.TempDir(), "older.db")
	if status, _, logs := backup("--db", db, older); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	o := start(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml")})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	old := keptFolder(t, signing)
	rotated(t, db)
	noCheckpoint, noKey := keptFolder(t, signing), keptFolder(t, signing)
	if err := os.Remove(filepath.Join(noCheckpoint, "checkpoint")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(noKey, "signing.key")); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		db, signing string
		status      int
		want        string
	}{
		"of another house":           {db, signingBeside(other), exitFound, notary.ErrOtherRecord.Error()},
		"without a checkpoint":       {db, noCheckpoint, exitFound, "there is no " + filepath.Join(noCheckpoint, "checkpoint")},
		"without a key":              {db, noKey, exitFound, notary.ErrNoKey.Error()},
		"of an older copy":           {older, signing, exitFound, notary.ErrNotContinued.Error()},
		"a key that was replaced":    {db, old, exitFound, notary.ErrReplaced.Error()},
		"a folder that is not there": {db, filepath.Join(t.TempDir(), "none"), exitUsage, "there is no "},
	} {
		_, size := recordedKey(t, test.db)
		before := ""
		if !missing(test.signing) {
			before = textsIn(t, test.signing)
		}
		if status, out, logs := rotateKey("--db", test.db, "--signing", test.signing); status != test.status || !strings.Contains(logs, test.want) || out != "" {
			t.Errorf("%s: status %d: %s%s", name, status, out, logs)
		}
		if _, now := recordedKey(t, test.db); now != size || before != "" && textsIn(t, test.signing) != before {
			t.Errorf("%s: something was changed", name)
		}
	}
	// A house opens with the new key, and with no other.
	if why := notOpened(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml"), Signing: old}); !strings.Contains(why, notary.ErrReplaced.Error()) || !strings.Contains(why, "Copy the folder of the key") {
		t.Errorf("by a key that was replaced: %s", why)
	}
}

// textsIn returns the files of a folder with what they hold.
func textsIn(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&all, "%s: %q\n", e.Name(), bytesOf(t, filepath.Join(folder, e.Name())))
	}
	return all.String()
}

// A rotation that is killed between its steps leaves a house that opens, with the key before or the
// new one, which the record then names; and it can be run again.
func TestARotationIsKilled(t *testing.T) {
	t.Parallel()
	for i, step := range []string{"opened", "signed", "replaced", "recorded", "nothing"} {
		if !steady.Turn(i, 2) {
			continue
		}
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			db := signedHouse(t)
			signing := signingBeside(db)
			config := filepath.Join(filepath.Dir(db), "house.toml")
			first := keyThere(t, signing)
			if out, err := killAfter(t, step, "", "keys", "rotate-signing", "--db", db); (err == nil) != (step == "nothing") {
				t.Fatalf("%v: %s", err, out)
			}
			old := keyThere(t, signing) == first
			if old != (step == "opened" || step == "signed") {
				t.Fatalf("the key before is in use: %t", old)
			}
			again := filepath.Join(t.TempDir(), "again")
			copyFolder(t, filepath.Dir(db), again)
			if err := start(t, serveCommand{Config: config}).stop(t); err != nil {
				t.Fatal(err)
			}
			if got, _ := recordedKey(t, db); (got == "") != old || !old && got != keyThere(t, signing) {
				t.Errorf("the record of the house says that %q signs", got)
			}
			db = filepath.Join(again, "house.db")
			rotated(t, db)
			for _, place := range []string{filepath.Dir(signing), again} {
				status, out, logs := auditRun("--config", filepath.Join(place, "house.toml"))
				if status != 0 || !strings.Contains(out, "checkpoint   proven") {
					t.Errorf("status %d: %s%s", status, out, logs)
				}
			}
			if keys, err := notary.KeysIn(signingBeside(db)); err != nil || keys[len(keys)-1] != first {
				t.Errorf("the keys are %q, %v", keys, err)
			}
		})
	}
}

// A witness that does not know the new key cosigns nothing that it alone signs, and the house goes
// on; when its operator has added the key, it goes on from what it saw.
func TestAWitnessOfARotatedHouse(t *testing.T) {
	t.Parallel()
	w := startWitness(t, filepath.Join(t.TempDir(), "witness"), "127.0.0.1:0")
	defer w.stop()
	folder := t.TempDir()
	config, db := filepath.Join(folder, "house.toml"), filepath.Join(folder, "house.db")
	text := fmt.Sprintf("%s\n[witnesses.w]\nurl = %q\nkey = %q\n", quick, w.address, w.key)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := tree.ParseCosignatureVerifier(w.key)
	if err != nil {
		t.Fatal(err)
	}
	cosigned := func(key string) func(int, string) bool {
		house, err := note.NewVerifier(key)
		if err != nil {
			t.Fatal(err)
		}
		return func(status int, body string) bool {
			opened, err := note.Open([]byte(body), note.VerifierList(v, house))
			return status == http.StatusOK && err == nil && len(opened.Sigs) == 2
		}
	}
	o := start(t, serveCommand{Config: config})
	first := keyThere(t, signingBeside(db))
	w.knows(t, first)
	o.until(t, "/log/witnessed", cosigned(first))
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	_, key := rotated(t, db)
	o = start(t, serveCommand{Config: config})
	o.logs.wait(t, `goes on without a witness.*403`)
	// What it saw before is signed by the new key too, with its cosignature.
	_, seen := o.get(t, "/log/witnessed")
	if !cosigned(key)(http.StatusOK, seen) {
		t.Errorf("cosigned is %s", seen)
	}
	w.knows(t, first+"\n"+key+"\n")
	_, now := o.get(t, "/log/checkpoint")
	o.until(t, "/log/witnessed", func(status int, body string) bool {
		return cosigned(key)(status, body) && leaves(t, body) >= leaves(t, now)
	})
	o.logs.wait(t, `the witness cosigns again`)
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--config", config); status != 0 {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
}

// A record of a round is verified by the key before and the succession, whichever key signed what
// proves it; and an auditor who has kept a checkpoint of the key before goes on from that.
func TestRoundsAndAuditsOfARotatedHouse(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	db := copyHouse(t, playedHouse(t), "rotated")
	config := filepath.Join(filepath.Dir(db), "house.toml")
	round := func(o *opened) string {
		t.Helper()
		v := visit(t, o)
		v.send(http.MethodPost, "/sign-in", url.Values{"name": {watcher}, "password": {"a-word-for-the-watcher"}, "back": {"/"}})
		got := v.send(http.MethodGet, "/api/v1/tables/load-0001/rounds/1", nil)
		if got.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", got.Status, got.text)
		}
		return write(t, got.text)
	}
	o := start(t, serveCommand{Config: config, DB: db})
	old, kept, noted := round(o), filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "noted.txt")
	if status, out, logs := auditAt(db, o.address, "--kept", kept); status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	_, checkpoint := o.get(t, "/log/checkpoint")
	if err := os.WriteFile(noted, []byte(checkpoint), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	before, key := rotated(t, db)
	o = start(t, serveCommand{Config: config, DB: db})
	_, notes := o.get(t, "/log/succession")
	succession := write(t, notes)
	now := round(o)
	for name, test := range map[string]struct {
		args   []string
		status int
	}{
		"old by the key before":                  {[]string{"--key", before, old}, 0},
		"old by the key before and what follows": {[]string{"--key", before, "--succession", succession, old}, 0},
		"now by the key before and what follows": {[]string{"--key", before, "--succession", succession, now}, 0},
		"now by both keys":                       {[]string{"--key", before, "--key", key, now, old}, 0},
		"now by the key before alone":            {[]string{"--key", before, now}, exitFound},
		"old by the new key alone":               {[]string{"--key", key, old}, exitFound},
		"a succession that follows from no key":  {[]string{"--key", key, "--succession", succession, now}, exitUsage},
	} {
		if status, out, logs := verifyRun(test.args...); status != test.status {
			t.Errorf("%s: status %d: %s%s", name, status, out, logs)
		}
	}
	// What was signed by the key before stays proven to who audits again and again.
	for _, test := range []struct {
		name string
		args []string
	}{
		{"from what was kept", []string{"--kept", kept}},
		{"from what was noted, by its key", []string{"--key", before, "--from", noted}},
		{"again from what was kept", []string{"--kept", kept}},
		{"from what was noted before, with what was kept", []string{"--kept", kept, "--from", noted}},
	} {
		status, out, logs := auditAt(db, o.address, test.args...)
		if status != 0 || !strings.Contains(out, "earlier      proven") || strings.Contains(out, "have no signature of a key") {
			t.Errorf("%s: status %d: %s%s", test.name, status, out, logs)
		}
	}
	if got := strings.TrimSpace(textOf(t, filepath.Join(kept, "house.pub"))); got != key {
		t.Errorf("the auditor keeps %s", got)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--config", config, "--db", db); status != 0 || strings.Contains(out, "have no signature of a key") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
}

// A checkpoint that cannot be kept beside the key, as when its disk is full, ends nothing, but an
// older copy of the record could be gone on from meanwhile: /readyz warns of it.
func TestACheckpointThatIsNotKept(t *testing.T) {
	t.Parallel()
	db := copyHouse(t, playedHouse(t), "unkept")
	o := start(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml"), DB: db})
	file := filepath.Join(signingBeside(db), "checkpoint")
	warns := func(want bool) func(int, string) bool {
		return func(status int, body string) bool {
			return status == http.StatusOK && strings.Contains(body, "cannot be signed, or its checkpoint not kept") == want
		}
	}
	o.until(t, "/readyz", warns(false))
	if err := errors.Join(os.Rename(file, file+".away"), os.MkdirAll(filepath.Join(file, "full"), 0o700)); err != nil {
		t.Fatal(err)
	}
	visit(t, o).send(http.MethodPost, "/sign-in", url.Values{"name": {watcher}, "password": {"a-word-for-the-watcher"}, "back": {"/"}})
	o.until(t, "/readyz", warns(true))
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
	o.until(t, "/readyz", warns(false))
	o.logs.wait(t, `what is recorded is signed again`)
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
}

// verifyRun verifies records of rounds.
func verifyRun(args ...string) (status int, out, logs string) {
	var stdout, stderr bytes.Buffer
	status = run(append([]string{"verify"}, args...), strings.NewReader(""), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// What was archived before the key was replaced is proven by the folder, and by the key before.
func TestTheArchiveOfARotatedHouse(t *testing.T) {
	t.Parallel()
	db := played(t)
	folder := filepath.Join(t.TempDir(), "archive")
	if _, err := archiveLater(t, db, folder); err != nil {
		t.Fatal(err)
	}
	first := keyThere(t, signingBeside(db))
	if status, _, logs := rotateKey("--db", db, "--archive", folder); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	for name, args := range map[string][]string{
		"by the folder":     {"--archive", folder, "--signing", signingBeside(db)},
		"by the key before": {"--archive", folder, "--key", first},
		"by what follows":   {"--archive", folder, "--key", first, "--succession", filepath.Join(signingBeside(db), "succession")},
		"with the record":   {"--db", db, "--archive", folder},
	} {
		if status, out, logs := auditRun(args...); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("%s: status %d: %s%s", name, status, out, logs)
		}
	}
}

// A copy that was made before the key was replaced is gone on from as any other: it is proven by
// what the key before signed.
func TestACopyOfBeforeTheRotationIsGoneOnWith(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	signing := signingBeside(l.db)
	if status, _, logs := rotateKey("--db", l.db+".lost", "--signing", signing); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	if status, out, logs := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed"); status != 0 || !strings.Contains(out, "The copy is what the house had signed up to transaction ") {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if got, _ := recordedKey(t, l.db); got != "" {
		t.Errorf("under its own tree the record says that %q signs", got)
	}
	key := keyThere(t, signing)
	if status, out, logs := rotateKey("--db", l.db); status != 0 || !strings.Contains(out, "Before  "+key) {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--config", l.config); status != 0 || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
}

// A rotated house moves into a database, where its key is replaced again; what it has left is
// still held against what was signed then.
func TestARotatedHouseMoves(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	to := databases(t)("house")
	db := signedHouse(t)
	signing := signingBeside(db)
	old := keptFolder(t, signing)
	rotated(t, db)
	if status, out := moved("--from", "sqlite:"+db, "--to", to, "--signing", old); status != exitFound || !strings.Contains(out, notary.ErrReplaced.Error()) {
		t.Errorf("with the key before: status %d: %s", status, out)
	}
	if status, out := moved("--from", "sqlite:"+db, "--to", to, "--signing", signing); status != 0 {
		t.Fatalf("status %d: %s", status, out)
	}
	if status, _, logs := rotateKey("--db", db); status != exitFound || !strings.Contains(logs, house.ErrElsewhere.Error()) {
		t.Errorf("where it has left: status %d: %s", status, logs)
	}
	if status, _, logs := rotateKey("--db", to, "--signing", signing); status != 0 {
		t.Fatalf("status %d: %s", status, logs)
	}
	for _, place := range []string{db, to} {
		if status, out, logs := auditRun("--db", place, "--signing", signing); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("%s: status %d: %s%s", place, status, out, logs)
		}
	}
	if got, _ := recordedKey(t, to); got != keyThere(t, signing) {
		t.Errorf("the record says that %q signs", got)
	}
}
