package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/significant"
	"trey/internal/notary"
	"trey/internal/store/sqlite"
)

// siem is a machine that stores what a house sends.
type siem struct {
	mu     sync.Mutex
	stored bytes.Buffer
	// came says that a request has been stored, and is answered when go on says so; nil
	// for at once.
	came, goOn chan struct{}
	away       bool // answers that it cannot store anything
	*httptest.Server
}

// startSiem starts the machine, and returns the section of a house.toml that names it.
func startSiem(t *testing.T, folder string) (m *siem, section string) {
	t.Helper()
	m = &siem{}
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(m.take))
	m.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	m.StartTLS()
	t.Cleanup(m.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.Certificate().Raw})
	for name, text := range map[string][]byte{"siem.pem": ca, "siem.token": []byte("s3cret\n")} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m, fmt.Sprintf("\n[significant_events]\nurl = %q\nca = \"siem.pem\"\ntoken_file = \"siem.token\"\n", m.URL+"/trey")
}

func (m *siem) take(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	if m.away || r.Header.Get("Authorization") != "Bearer s3cret" {
		m.mu.Unlock()
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, err := io.Copy(&m.stored, r.Body)
	came, goOn := m.came, m.goOn
	m.mu.Unlock()
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
	if came != nil {
		came <- struct{}{}
		<-goOn
	}
}

// events are the events that are stored, each once, in the order in which they came.
func (m *siem) events() (once []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for line := range strings.SplitSeq(m.stored.String(), "\n") {
		if strings.HasPrefix(line, "{") && !slices.Contains(once, line) {
			once = append(once, line)
		}
	}
	return once
}

// wait waits until an event is stored that has a text.
func (m *siem) wait(t *testing.T, text string, count int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		found := 0
		for _, line := range m.events() {
			found += strings.Count(line, text)
		}
		if found >= count {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("stored are\n%s\nwithout %d times %q", strings.Join(m.events(), "\n"), count, text)
		}
	}
}

// registerOf returns the register of a closed house's record, a line for each entry.
func registerOf(t *testing.T, db string) (all []string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it is only read
	err = store.ReadAll(t.Context(), 0, "", func(e house.StoredTransaction) error {
		events, err := significant.Of(&e)
		for i := range events {
			line, err := json.Marshal(&events[i])
			if err != nil {
				return err
			}
			all = append(all, string(line))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// checkStored runs the command over what a machine has stored.
func (m *siem) checkStored(t *testing.T, key string, args ...string) (status int, out, complaint string) {
	t.Helper()
	m.mu.Lock()
	text := m.stored.String()
	m.mu.Unlock()
	var stdout, stderr bytes.Buffer
	status = run(append(append([]string{"significant", "--key", key}, args...), "-"), strings.NewReader(text), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// keyOf is the key of a house, as it lies beside its record.
func keyOf(t *testing.T, db string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(signingBeside(db), "signing.pub"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A house that is killed after the other machine has stored a batch, and before the
// house knows of it, goes on at its next start without a gap.
func TestAKillLosesNoSignificantEvent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	m, section := startSiem(t, folder)
	m.came, m.goOn = make(chan struct{}), make(chan struct{})
	config := filepath.Join(folder, "house.toml")
	if err := os.WriteFile(config, []byte(quick+section), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p := launch(t, "--config", config)
		if !p.opened() {
			t.Fatalf("the house is not opened:\n%s\n%s", p.out, p.logs)
		}
		select {
		case <-m.came:
		case <-time.After(patience):
			t.Fatalf("nothing is sent:\n%s", p.logs)
		}
		p.kill()
		m.goOn <- struct{}{}
	}
	m.mu.Lock()
	m.came = nil
	m.mu.Unlock()
	p := launch(t, "--config", config)
	m.wait(t, `"event":"software-checked"`, 4)
	p.signal(syscall.SIGTERM)
	if status := p.status(); status != 0 {
		t.Fatalf("it ends with %d:\n%s", status, p.logs)
	}
	p.sound()
	db := filepath.Join(folder, "house.db")
	stored, register := m.events(), registerOf(t, db)
	if len(stored) < 5 || len(stored) > len(register) || !slices.Equal(stored, register[:len(stored)]) {
		t.Fatalf("stored is\n%s\nand the register is\n%s", strings.Join(stored, "\n"), strings.Join(register, "\n"))
	}
	key := keyOf(t, db)
	status, out, complaint := m.checkStored(t, key)
	if status != 0 || !strings.Contains(out, fmt.Sprintf(": %d events in ", len(stored))) || !strings.Contains(out, "nothing is missing") {
		t.Errorf("the check ends with %d:\n%s%s", status, out, complaint)
	}
	// Files that hold nothing after --after prove nothing.
	if status, out, complaint := m.checkStored(t, key, "--after", "99999"); status != exitUsage || !strings.Contains(complaint, "the files hold nothing after transaction 99999") {
		t.Errorf("after what is stored the check ends with %d:\n%s%s", status, out, complaint)
	}
	// The checkpoint of the stream is one of the house's record.
	name, err := os.ReadFile(filepath.Join(signingBeside(db), "checkpoint"))
	if err != nil || !strings.HasPrefix(out, strings.SplitN(string(name), "\n", 2)[0]) {
		t.Errorf("the check says %s of the house of\n%s", out, name)
	}
	m.mu.Lock()
	text := strings.Replace(m.stored.String(), `"event":"software-checked"`, `"event":"software-chosen"`, 1)
	m.stored.Reset()
	m.stored.WriteString(text)
	m.mu.Unlock()
	if status, _, complaint := m.checkStored(t, key); status != exitFound || !strings.Contains(complaint, "-:1: this batch does not hold") {
		t.Errorf("altered, the check ends with %d:\n%s", status, complaint)
	}
}

// A house goes on while the other machine is away, says how far behind it is, records it
// once, and sends everything in the end.
func TestAMachineThatIsAway(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	m, section := startSiem(t, folder)
	m.away = true
	config := filepath.Join(folder, "house.toml")
	if err := os.WriteFile(config, []byte("metrics = \"127.0.0.1:0\"\n"+quick+section+"late_after = \"1ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	metrics := func(o *opened) string {
		t.Helper()
		answer, err := http.Get(o.wait(t, `Metrics (http://\S+)`) + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close() //nolint:errcheck // it has been read
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	late := func(of []string) (n int) {
		for _, line := range of {
			n += strings.Count(line, `"event":"stream-late"`)
		}
		return n
	}
	db := filepath.Join(folder, "house.db")
	for range 2 { // it stays away over a stop
		o := start(t, serveCommand{Config: config})
		o.logs.wait(t, "cannot be sent: the house goes on")
		o.logs.wait(t, "wait for long to be sent.*behind=")
		if text := metrics(o); strings.Contains(text, "trey_significant_behind_seconds 0\n") || !strings.Contains(text, "trey_significant_behind_seconds ") || !strings.Contains(text, "trey_significant_sent_total 0\n") {
			t.Errorf("the metrics are\n%s", text)
		}
		if err := o.stop(t); err != nil {
			t.Fatal(err)
		}
		if n := late(registerOf(t, db)); n != 1 {
			t.Errorf("the delay is recorded %d times, want once", n)
		}
	}
	m.mu.Lock()
	m.away = false
	m.mu.Unlock()
	o := start(t, serveCommand{Config: config})
	m.wait(t, `"event":"software-checked"`, 3)
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if n := late(m.events()); n != 1 {
		t.Errorf("sent are\n%s", strings.Join(m.events(), "\n"))
	}
	// The key is another one from now on, and names the one before.
	key := keyOf(t, db)
	if _, err := notary.Rotate(signingBeside(db)); err != nil {
		t.Fatal(err)
	}
	o = start(t, serveCommand{Config: config})
	m.wait(t, `"event":"software-checked"`, 4)
	succession := filepath.Join(folder, "succession")
	_, text := o.get(t, "/log/succession")
	if err := os.WriteFile(succession, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	if status, _, complaint := m.checkStored(t, key); status != exitFound || !strings.Contains(complaint, "not signed by a key that is known") {
		t.Errorf("without the succession the check ends with %d:\n%s", status, complaint)
	}
	if status, out, complaint := m.checkStored(t, key, "--succession", succession); status != 0 {
		t.Errorf("the check ends with %d:\n%s%s", status, out, complaint)
	}
}

// What makes no sense for the check is said, and what cannot be sent is no house.
func TestSignificantMisuse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	letter := filepath.Join(folder, "letter")
	if err := os.WriteFile(letter, []byte("Dear Ann"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := houseKey(t)
	const key = "witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--key", "key", empty}, `"key" is neither a key nor a file with one`},
		{[]string{empty}, "--key"},
		{[]string{"--key", name, filepath.Join(folder, "none")}, "no such file"},
		{[]string{"--key", name, "--after=-1", empty}, "--after is -1"},
		{[]string{"--key", name, empty}, "hold no batch"},
		{[]string{"--key", key, empty}, "--key: "},
		{[]string{"--key", empty, empty}, "has no key: it is empty"},
		{[]string{"--key", folder, empty}, "is a directory: name a key in it"},
		{[]string{"--key", name, folder}, "is a directory: name the files in it"},
		{[]string{"--key", name, "--succession", letter, empty}, "--succession: no note there is signed by a key"},
	} {
		var out, complaint bytes.Buffer
		if status := run(append([]string{"significant"}, test.args...), strings.NewReader(""), &out, &complaint); status != exitUsage || !strings.Contains(complaint.String(), test.says) {
			t.Errorf("%q: %d, %s", test.args, status, complaint.String())
		}
	}
	for section, says := range map[string]string{
		"url = \"https://siem.example/\"\nca = \"none.pem\"":       "house.toml:13:6: significant_events.ca: ",
		"url = \"https://siem.example/\"\ntoken_file = \"none\"":   "house.toml:13:14: significant_events.token_file: ",
		"url = \"http://siem.example/\"\nlate_after = \"a while\"": "2 mistakes",
	} {
		config := write(t, strings.Replace(quick, "database", "money = \"play\"\ndatabase", 1)+"[significant_events]\n"+section+"\n")
		var out, complaint bytes.Buffer
		if status := run([]string{"config", "check", config}, strings.NewReader(""), &out, &complaint); status != exitFound || !strings.Contains(complaint.String(), says) {
			t.Errorf("%q: %d, %s", section, status, complaint.String())
		}
	}
}

// houseKey is a key as houses have them.
func houseKey(t *testing.T) string {
	t.Helper()
	db := filepath.Join(t.TempDir(), "house.db")
	o := start(t, serveCommand{DB: db})
	if err := o.stop(t); err != nil {
		t.Fatal(err)
	}
	return keyOf(t, db)
}
