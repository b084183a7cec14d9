package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/load"
	"trey/internal/steady"
	"trey/rules/books"
)

// planOfMany returns the configuration of a house with room for the guests of a hundred loads: those of
// each load stay signed in.
func planOfMany(c load.Config, hash string, pace house.Pace) []byte {
	c.Seats *= 100
	return loadPlan(&c, hash, pace)
}

// Players at tables of each game keep the same accounts as the house, and
// whatever is altered on the way or in the record is found.
func TestLoadComparesEveryAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tables := steady.Share(len(books.All()), 12)
	c := load.Config{Tables: tables, Seats: 2, Duration: 4 * load.MinDuration, Name: watcher, Password: "a-word-for-the-watcher", Seed: 3}
	hash := hashOf(t, c.Password)
	config, record := filepath.Join(dir, "house.toml"), filepath.Join(dir, "house.db")
	if err := os.WriteFile(config, planOfMany(c, hash, unhurried), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, DB: record})
	c.Address = o.address
	r, err := load.Run(context.Background(), c)
	for ; err == nil && (r.Decks == 0 || r.Rounds == 0) && c.Duration < time.Minute; c.Duration *= 2 { // the machine has other things to do
		r, err = load.Run(context.Background(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(r.Differences) > 0:
		t.Errorf("it does not agree: %q", r.Differences)
	case r.Decks == 0:
		t.Errorf("no deck was held against its commitment: %+v", r)
	case r.Tables != tables || r.Seats != 2*tables || r.Compared != 2*tables || r.Jackpots != 1:
		t.Errorf("not all was played at or compared: %+v", r)
	case r.Rounds == 0 || r.Commands == 0 || r.Messages == 0 || r.LatencyMs.P50 <= 0 || r.LatencyMs.P999 < r.LatencyMs.P50:
		t.Errorf("nothing was measured: %+v", r)
	case len(r.Errors) > 0:
		t.Errorf("errors: %v", r.Errors)
	}

	c.Address, c.Seats = altered(t, o.address), 1
	if r, err = load.Run(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) != 1+tables || !strings.Contains(r.Differences[0], "add up to") || !strings.Contains(r.Differences[tables], "by the ledger") {
		t.Errorf("a cent too much in each account is not found: %q", r.Differences)
	}
	r.Differences = nil

	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if err := auditRecord(context.Background(), place(record), r); err != nil || len(r.Differences) != 0 || r.Record.Audited == 0 || r.Record.Rounds == 0 {
		t.Fatalf("the record: %+v, %q, %v", r.Record, r.Differences, err)
	}
	if err := compareBare(context.Background(), place(record), place(filepath.Join(dir, "bare.db")), r); err != nil || r.Record.BarePerSecond <= 0 {
		t.Errorf("the bare store: %+v, %v", r.Record, err)
	}
	alterPosting(t, record)
	if err := auditRecord(context.Background(), place(record), r); err != nil || len(r.Differences) == 0 {
		t.Errorf("a posting that was altered is not found: %v", err)
	}
}

// The boxes of a load are free when its last rounds are over: another load waits for that.
func TestOneLoadAfterTheOther(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c := load.Config{Tables: 2, Seats: 2, Duration: time.Second, Name: watcher, Password: "a-word-for-the-watcher"}
	hash := hashOf(t, c.Password)
	config := write(t, string(planOfMany(c, hash, house.Pace{ShowMs: 1_500})))
	o := start(t, serveCommand{Config: config, DB: filepath.Join(t.TempDir(), "house.db")})
	c.Address = o.address
	for range 2 {
		if r, err := load.Run(t.Context(), c); err != nil || len(r.Differences) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	c.Tables = 3
	if _, err := load.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "and 3 are asked for") {
		t.Errorf("three of two tables: %v", err)
	}
}

// altered is a way to a house on which every account of a player comes to hold a
// cent more.
func altered(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/accounts" {
			proxy.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r)
		var all map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &all); err != nil {
			t.Error(err)
		}
		for _, one := range all["accounts"].([]any) {
			a := one.(map[string]any)
			if strings.HasPrefix(a["account"].(string), "player:") {
				a["balance"] = a["balance"].(float64) + 1
			}
		}
		if err := json.NewEncoder(w).Encode(all); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// alterPosting changes the amount of one bet in a record.
func alterPosting(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	done, err := db.Exec(`UPDATE tx SET line = packed(json_set(unpacked(line), '$.postings[0].amount', (unpacked(line) ->> '$.postings[0].amount') + 1)) WHERE seq = (SELECT max(seq) FROM tx WHERE unpacked(line) LIKE '%"kind":"bet"%')`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d postings altered, %v", n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
