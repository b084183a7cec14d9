package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// heard collects what a house says while it is open.
type heard struct {
	mu    sync.Mutex
	text  bytes.Buffer
	lines chan struct{} // holds one value after something was said
	over  chan struct{} // closed when nothing more will be said; nil is never
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.lines <- struct{}{}:
	default:
	}
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// wait waits until it says something, and returns the first part in brackets of it.
func (h *heard) wait(t *testing.T, pattern string) string {
	t.Helper()
	for over := false; ; {
		if found := regexp.MustCompile(pattern).FindStringSubmatch(h.String()); found != nil {
			return found[len(found)-1]
		}
		if over {
			t.Fatalf("it is over, and nothing like %s was said in\n%s", pattern, h)
		}
		select {
		case <-h.lines:
		case <-h.over:
			over = true
		case <-time.After(time.Minute):
			t.Fatalf("nothing like %s is said in\n%s", pattern, h)
		}
	}
}

// opened is a house that is open in this process.
type opened struct {
	*heard
	logs    *heard
	address string
	signals chan os.Signal
	over    chan error
}

func start(t *testing.T, cmd serveCommand) *opened {
	t.Helper()
	o := &opened{
		heard: &heard{lines: make(chan struct{}, 1), over: make(chan struct{})}, logs: &heard{lines: make(chan struct{}, 1)},
		signals: make(chan os.Signal, 2), over: make(chan error, 1),
	}
	if cmd.Listen == "" {
		cmd.Listen = "127.0.0.1:0"
	}
	go func() {
		s, flush := newStreams(strings.NewReader(""), o.heard, o.logs)
		err := cmd.serve(s, o.signals)
		flush()
		if err != nil {
			fmt.Fprintln(o.heard, err) // so that whoever waits in vain says why
		}
		o.over <- err
		close(o.heard.over)
	}()
	o.address = o.wait(t, `is open at (http://\S+)`)
	o.wait(t, "Ctrl-C finishes")
	return o
}

// stop tells the house to close, and waits until it is.
func (o *opened) stop(t *testing.T) error {
	t.Helper()
	o.signals <- os.Interrupt
	return o.ended(t)
}

func (o *opened) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-o.over:
		return err
	case <-time.After(3 * time.Minute): // the rounds in play are finished first
		t.Fatalf("the house does not close:\n%s", o)
		return nil
	}
}

func (o *opened) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	answer, err := http.Get(o.address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it has been read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// The demonstration opens, answers, closes, and is there again the next time.
func TestServeTheDemonstration(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	o := start(t, serveCommand{})
	for _, want := range []string{
		"A demonstration house with play money", "classic-1, classic-2, vegas-1, bonus-1, pictures-1, paris-1",
		filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "trey", "demonstration.db"),
		filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "trey", "demonstration.keys") + ", beside the record", "$1,000.00 each", "the password of all is ", "/sign-in as dealer, ", "Dealers run classic-2 by hand",
	} {
		if !strings.Contains(o.String(), want) {
			t.Errorf("%q is not said in\n%s", want, o)
		}
	}
	if status, body := o.get(t, "/healthz"); status != http.StatusOK {
		t.Errorf("healthz: %d %s", status, body)
	}
	if status, body := o.get(t, "/"); status != http.StatusOK || !strings.Contains(body, "<html") {
		t.Errorf("the page: %d %.100s", status, body)
	}
	if err := o.stop(t); err != nil || !strings.Contains(o.String(), "every round is finished") {
		t.Errorf("closed with %v:\n%s", err, o)
	}
	first := o.wait(t, `password of all is (\S+)`)
	again := start(t, serveCommand{})
	if second := again.wait(t, `password of all is (\S+)`); first == second {
		t.Errorf("the password is %s for ever", first)
	}
	if strings.Contains(again.String(), "Table ") {
		t.Errorf("the same house is changed:\n%s", again)
	}
	if err := again.stop(t); err != nil {
		t.Error(err)
	}
	if text := o.logs.String() + again.logs.String(); text != "" {
		t.Errorf("the log of quiet houses:\n%s", text)
	}
}

// interruptedHouse leaves a record behind in which a round at the table was
// interrupted when a bet had been placed.
func interruptedHouse(t *testing.T, path, config string) {
	t.Helper()
	p, _, err := readPlan(config)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	keys, _, err := openKeys(context.Background(), store, p.SealKeys)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := notary.Open(context.Background(), signingBeside(path), store)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := house.Open(context.Background(), store, house.World{NowMs: newClock().nowMs, Sealer: keys, Seed: shuffle.Fresh, Notary: signed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Apply(context.Background(), h); err != nil {
		t.Fatal(err)
	}
	ctx, kim, ann := context.Background(), access.Person{Name: "kim", Role: access.Cashier}, access.Person{Name: "ann", Role: access.Player}
	_, err = h.CageTransfer(ctx, "", kim, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100 * money.Major})
	if err == nil {
		_, err = h.DoAsHouse(ctx, "", p.Tables[0].Name, table.OpenBets{})
	}
	if err == nil {
		_, err = h.Do(ctx, house.CommandRequest{Key: "ann's first", Table: p.Tables[0].Name, By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

const quick = `
database = "house.db"
[pace]
betting = "50ms"
decision = "50ms"
deal = "0s"
show = "0s"
[tables.a]
book = "us-3cp"
`

func write(t *testing.T, text string) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "house.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A round that was interrupted is told of, and played to its end by the clock;
// told to close meanwhile, the house waits for it.
func TestServeFinishesRounds(t *testing.T) {
	t.Parallel()
	config := write(t, quick)
	interruptedHouse(t, filepath.Join(filepath.Dir(config), "house.db"), config)
	o := start(t, serveCommand{Config: config})
	if output := o.String(); !strings.Contains(output, "Table a: round 1 was interrupted for ") || !strings.Contains(output, ", and goes on (us-3cp ruling.interruption).") {
		t.Errorf("nothing is said of the round:\n%s", o)
	}
	if err := o.stop(t); err != nil || !strings.Contains(o.String(), "every round is finished") {
		t.Errorf("closed with %v:\n%s", err, o)
	}
}

// A second signal stops at once; the round is interrupted.
func TestServeStopsAtOnce(t *testing.T) {
	t.Parallel()
	config := write(t, strings.Replace(quick, `betting = "50ms"`, `betting = "1h"`, 1))
	interruptedHouse(t, filepath.Join(filepath.Dir(config), "house.db"), config)
	o := start(t, serveCommand{Config: config})
	o.signals <- os.Interrupt
	o.wait(t, "First the round at a is finished; Ctrl-C again stops at once")
	o.signals <- os.Interrupt
	if err := o.ended(t); !errors.Is(err, errInterrupted) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(o.String(), "the round at a is interrupted. The next start applies the rule of the book") {
		t.Errorf("it says\n%s", o)
	}
}

// What was changed in the file is told and takes place.
func TestServeFollowsItsFile(t *testing.T) {
	config := write(t, quick)
	if err := start(t, serveCommand{Config: config}).stop(t); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(quick, "[tables.a]\nbook = \"us-3cp\"", "[tables.b]\nbook = \"sm-3cp\"", 1)
	if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config})
	for _, want := range []string{"Table b is put on the floor.", "Table a is not in the configuration any more: it is closed, and its record stays."} {
		if !strings.Contains(o.String(), want) {
			t.Errorf("%q is not said in\n%s", want, o)
		}
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// A guest plays a round over HTTP at the pace of the guest's requests, and the autodealer goes on
// when the guest is ready.
func TestAGuestPlays(t *testing.T) {
	t.Parallel()
	config := write(t, `
database = "house.db"
money = "play"
[guests]
max = 5
[pace]
betting = "0s"
decision = "0s"
deal = "0s"
show = "0s"
[tables.a]
book = "us-3cp"
`)
	o := start(t, serveCommand{Config: config})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar}
	post := func(path, body string, want int) (answer string) {
		t.Helper()
		r, err := client.Post(o.address+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close() //nolint:errcheck // it has been read
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != want {
			t.Fatalf("%s %s: %d %s, %v", path, body, r.StatusCode, text, err)
		}
		return string(text)
	}
	until := func(what string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			r, err := client.Get(o.address + "/api/v1/tables/a")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r.Body)
			if err = errors.Join(err, r.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), what) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s does not come: %s", what, text)
			}
		}
	}
	name := regexp.MustCompile(`"name":"([^"]+)"`).FindStringSubmatch(post("/api/v1/guests", "{}", http.StatusCreated))[1]
	for range 2 {
		until(`"for":"first-bet"`)
		post("/api/v1/tables/a/commands", `{"kind":"bet","body":{"box":1,"player":"`+name+`","wager":"ante","amount":1000}}`, http.StatusOK)
		until(`"for":"bets"`)
		post("/api/v1/tables/a/ready", "{}", http.StatusNoContent)
		until(`"for":"decisions"`)
		post("/api/v1/tables/a/commands", `{"kind":"fold","body":{"box":1,"player":"`+name+`"}}`, http.StatusOK)
	}
	until(`"for":"first-bet"`)
	if r, err := client.Get(o.address + "/api/v1/account"); err != nil {
		t.Error(err)
	} else if text, _ := io.ReadAll(r.Body); !strings.Contains(string(text), `"balance":98000`) || r.Body.Close() != nil {
		t.Errorf("after two antes of $10: %s", text)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// What cannot be opened is refused with a reason and a status that says whose
// fault it is.
func TestServeRefuses(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := file("bad.toml", "lissten = \":80\"\n[tables.a]\nbook = \"us-3pc\"\n")
	nowhere := file("nowhere.toml", "[tables.a]\nbook = \"us-3cp\"\n")
	noise := file("noise.db", strings.Repeat("this is no database. ", 100))
	used := filepath.Join(dir, "used.db")
	o := start(t, serveCommand{DB: used})
	defer o.stop(t) //nolint:errcheck // this house is not what is tested
	busy := strings.TrimPrefix(o.address, "http://")
	trial := filepath.Join(dir, "trial.db")
	tests := []struct {
		name, args string
		want       int
		stderr     string
	}{
		{"beyond this machine", "--listen :0", exitUsage, "the demonstration has no real users"},
		{"beyond, by a file without users", "--config " + nowhere + " --listen 0.0.0.0:0 --db " + trial, exitUsage, "names no administrator in [users]"},
		{"no address", "--listen localhost", exitUsage, `"localhost" is no address to listen at`},
		{"an address in use", "--listen " + busy + " --db " + trial, exitFound, "choose another address with --listen"},
		{"a database server", "--db postgres://db.example/trey", exitUsage, "a house whose record is in a database has a configuration"},
		{"no such configuration", "--config " + filepath.Join(dir, "none.toml"), exitUsage, "no such file"},
		{"mistakes in the configuration", "--config " + bad, exitUsage, "bad.toml:1:1: there is no key \"lissten\": did you mean listen?"},
		{"no place for the record", "--config " + nowhere, exitUsage, "where is the record kept?"},
		{"a record in use", "--listen 127.0.0.1:0 --db " + used, exitFound, "Another trey has it open"},
		{"a file of something else", "--listen 127.0.0.1:0 --db " + noise, exitFound, "name another file with --db"},
		{"a folder that is not there", "--listen 127.0.0.1:0 --db " + filepath.Join(dir, "no", "house.db"), exitFound, "--db: there is no folder " + filepath.Join(dir, "no") + ": create it"},
		{"a log of another form", "--log-format xml", exitUsage, `must be one of "text","json"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			got := run(append([]string{"serve"}, strings.Fields(test.args)...), strings.NewReader(""), &stdout, &stderr)
			if got != test.want || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("status %d, %s\nwant %d, %s", got, stderr.String(), test.want, test.stderr)
			}
			if stdout.Len() > 0 {
				t.Errorf("it says %s", stdout.String())
			}
		})
	}
}

// A disk that is full has room for the name of the file that says so, and for nothing in it: the
// failure has the time of the file, and not that of nothing.
func TestAFailureOnAFullDiskHasItsTime(t *testing.T) {
	for text, want := range map[string]int64{"": 1_795_000_000_000, `{"at_ms":17`: 1_795_000_000_000, `{"at_ms":1794999999000,"found":"a test"}`: 1_794_999_999_000} {
		folder := t.TempDir()
		path := filepath.Join(folder, failureFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if at := time.UnixMilli(1_795_000_000_000); os.Chtimes(path, at, at) != nil {
			t.Fatal("the file keeps no time")
		}
		if f, err := keptFailure(folder); err != nil || f.AtMs != want {
			t.Errorf("%q: %+v, %v", text, f, err)
		}
	}
}
