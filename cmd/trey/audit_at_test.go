package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/internal/api"
	"trey/internal/notary"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/table"
)

// copyHouse copies a record with its keys, its plan and its tokens, as database or, by the
// program's own way, as a copy.
func copyHouse(t *testing.T, played, of string) (db string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "house.db")
	var err error
	if of == "copy" {
		err = sqlite.Copy(t.Context(), played, db)
	} else {
		err = copyFile(played, db)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []func(string) string{signingBeside, keysBeside} {
		from, to := folder(played), folder(db)
		if info, err := os.Stat(from); err != nil {
			t.Fatal(err)
		} else if !info.IsDir() {
			err = copyFile(from, to)
			if err != nil {
				t.Fatal(err)
			}
		} else if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"house.toml", "auditor.token", "surveillance.token"} {
		if err := copyFile(filepath.Join(filepath.Dir(played), name), filepath.Join(filepath.Dir(db), name)); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// auditAt audits a house over its address.
func auditAt(db, address string, args ...string) (status int, stdout, stderr string) {
	return auditRun(append([]string{"--at", address, "--token-file", tokenBeside(db, "auditor"), "--wait=1m"}, args...)...)
}

// A running house is audited over its address as its database is, by a token of the role
// alone; what was read is kept, and the next audit holds the house to it.
func TestAuditOfAnAddress(t *testing.T) {
	t.Parallel()
	db := copyHouse(t, playedHouse(t), "database")
	o := start(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml"), DB: db})
	kept := filepath.Join(t.TempDir(), "kept")
	status, out, logs := auditAt(db, o.address, "--kept", kept)
	if status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	for _, want := range []string{
		"money        proven", "people       proven", "tree         proven", "rounds       proven", "checkpoint   proven",
		"balances     proven", "Signed by trey-house/", "learnt from the house itself",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	if pages, err := filepath.Glob(filepath.Join(kept, "*", "*.json")); err != nil || len(pages) == 0 {
		t.Errorf("nothing is kept of what was read: %v, %v", pages, err)
	}
	key, err := os.ReadFile(filepath.Join(kept, "house.pub"))
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"from what was kept":   {"--kept", kept},
		"from a checkpoint":    {"--key", string(key), "--from", filepath.Join(kept, "checkpoint")},
		"by a file with a key": {"--key", filepath.Join(kept, "house.pub"), "--checkpoint", filepath.Join(kept, "checkpoint")},
		"by the key it learns": {"--from", filepath.Join(kept, "checkpoint")},
	} {
		status, out, logs := auditAt(db, o.address, args...)
		if status != 0 || !strings.Contains(out, "earlier      proven") {
			t.Errorf("%s: status %d: %s%s", name, status, out, logs)
		}
	}
	if status, out, logs := auditRun("--at", o.address, "--token-file", tokenBeside(db, "surveillance")); status != exitUsage || !strings.Contains(logs, "may not audit the record of the house: that takes an auditor") {
		t.Errorf("surveillance: status %d: %s%s", status, out, logs)
	}
	if err := os.WriteFile(tokenBeside(db, "no"), []byte("no token"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := auditRun("--at", o.address, "--token-file", tokenBeside(db, "no")); status != exitUsage {
		t.Errorf("without a token: status %d: %s%s", status, out, logs)
	}
	for name, test := range map[string]struct {
		at, token, want string
		status          int
	}{
		"no scheme":                 {strings.TrimPrefix(o.address, "http://"), "t0ken", "is not the address of a house", exitUsage},
		"no host":                   {"http:///log", "t0ken", "is not the address of a house", exitUsage},
		"another page of the house": {o.address + "/rules", "t0ken", "is not the address of a house: there is nothing at", exitFound},
		"a token of two lines":      {o.address, "t0ken\nt0ken", "holds no token", exitUsage},
		"a token that is no text":   {o.address, "t0ken\x1b[31m", "holds no token", exitUsage},
		"an empty file":             {o.address, "\n", "holds no token", exitUsage},
	} {
		if err := os.WriteFile(tokenBeside(db, "no"), []byte(test.token), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, logs := auditRun("--at", test.at, "--token-file", tokenBeside(db, "no")); status != test.status || !strings.Contains(logs, test.want) {
			t.Errorf("%s: status %d, %q is not said: %s%s", name, status, test.want, out, logs)
		}
	}
	if status, _, logs := auditRun("--at", o.address, "--db", db, "--token-file", tokenBeside(db, "auditor")); status != exitUsage {
		t.Errorf("two records: status %d: %s", status, logs)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}

	// The key that the house has named in the place of the one that was kept is kept from now on:
	// whoever has the former one signs nothing more that this auditor takes.
	now, err := notary.Rotate(signingBeside(db))
	if err != nil {
		t.Fatal(err)
	}
	o = start(t, serveCommand{Config: filepath.Join(filepath.Dir(db), "house.toml"), DB: db})
	status, out, logs = auditAt(db, o.address, "--kept", kept)
	if status != 0 || !strings.Contains(out, "earlier      proven") || !strings.Contains(out, "Signed by "+now) {
		t.Errorf("with another key: status %d: %s%s", status, out, logs)
	}
	if key, err := os.ReadFile(filepath.Join(kept, "house.pub")); err != nil || strings.TrimSpace(string(key)) != now {
		t.Errorf("of %s the key %s is kept: %v", now, key, err)
	}
	if status, out, logs := auditAt(db, o.address, "--kept", kept); status != 0 || !strings.Contains(out, "earlier      proven") {
		t.Errorf("by the key that was kept: status %d: %s%s", status, out, logs)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
}

// The kinds of edit through the address of a house whose record is edited while it runs: the
// audit finds each, and says where. It reads leaves and no lines, so it names the tile of 256
// transactions in which one has another leaf.
func TestEditsThroughTheAddress(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	played := playedHouse(t)
	for _, k := range theKinds() {
		if k.lacks[ofAddress] != "" {
			continue // TestEveryKindOfEditIsMadeEverywhere wants the reason
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			db := copyHouse(t, played, ofDatabase)
			config := filepath.Join(filepath.Dir(db), "house.toml")
			var args []string
			var found []finding
			switch k.name {
			case "older copy", "two histories":
				// The house opens from the older copy with the keys of that time, so nothing in
				// its folder tells. The auditor has noted what came after the copy.
				noted := copyHouse(t, db, ofDatabase)
				if _, last := middle(t, noted); k.name == "two histories" {
					goesOn(t, noted, "more happens")
					goesOnHonestly(t, db, config)
					found = []finding{{0, fmt.Sprintf("its first %d transactions %s", last+1, signed)}}
				} else {
					goOn(t, noted, "more happens", 10) // more than the house itself adds when it opens
					found = []finding{{0, fmt.Sprintf("%d transactions were signed, and it holds ", last+10)}}
				}
				args = []string{"--from", filepath.Join(signingBeside(noted), "checkpoint")}
			}
			o := start(t, serveCommand{Config: config, DB: db})
			address := o.address
			switch k.name {
			case "older copy", "two histories":
			case "checkpoint":
				address = otherCheckpoint(t, o.address)
			default:
				awaitBets(t, db, o.address)
				// An audit knows nothing of what no checkpoint covers yet.
				_, last := middle(t, db)
				covering := "\n" + strconv.FormatInt(last+1, 10) + "\n"
				o.until(t, "/log/checkpoint", func(status int, text string) bool { return status == http.StatusOK && strings.Contains(text, covering) })
				found = k.database(t, db)
			}
			if k.address != nil {
				found = k.address(found)
			}
			if k.name == "insertion" { // the house signs nothing of it, however long one waits
				args = []string{"--wait", "3s"}
			}
			status, out, logs := auditAt(db, address, args...)
			if status != exitFound || len(found) == 0 {
				t.Errorf("status %d: %s%s", status, out, logs)
			}
			for _, f := range found {
				if !strings.Contains(logs, f.String()) {
					t.Errorf("%q is not said: %s", f, logs)
				}
			}
			_ = o.stop(t) // an edited record may be found out at any time
		})
	}
}

// awaitBets waits until a house has opened the bets at all of its automatic tables: it adds nothing
// more by itself, so the last transaction stays the last.
func awaitBets(t *testing.T, db, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/tables", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(textOf(t, tokenBeside(db, "surveillance"))))
	steady.Await(t, "the bets are open at all tables", func() bool {
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close() //nolint:errcheck // it is read
		var got struct{ Tables []api.ListedTable }
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return len(got.Tables) > 0 && !slices.ContainsFunc(got.Tables, func(at api.ListedTable) bool { return at.Phase != table.Betting })
	})
}

// goesOnHonestly has a house go on by itself, by somebody who is not let in.
func goesOnHonestly(t *testing.T, db, config string) {
	t.Helper()
	o := start(t, serveCommand{Config: config, DB: db})
	for range 3 {
		visit(t, o).send("POST", "/sign-in", url.Values{"name": {watcher}, "password": {"another word"}, "back": {"/"}})
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
}

// otherCheckpoint returns the address of a door before a house that alters the size in its
// checkpoint.
func otherCheckpoint(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.URL.Path != "/log/checkpoint" {
			return nil
		}
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		lines := strings.SplitN(string(text), "\n", 3)
		text = []byte(lines[0] + "\n1" + lines[1] + "\n" + lines[2])
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}
