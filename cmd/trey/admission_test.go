package main

import (
	"bytes"
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

	"trey/internal/house/plan"
	"trey/internal/steady"
)

// houseText is the text of a house.toml with one table, and lines before it.
func houseText(lines ...string) string {
	return "database = \"house.db\"\nmoney = \"play\"\n" + strings.Join(lines, "\n") + "\n[guests]\nmax = 20\n[tables.one]\nbook = \"us-3cp\"\n"
}

func startConfigured(t *testing.T, text string) *opened {
	t.Helper()
	config := filepath.Join(t.TempDir(), "house.toml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, serveCommand{Config: config})
}

// askBy sends a request to a house by a host name, and returns its status and body.
func (o *opened) askBy(t *testing.T, host, path, from string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	if from != "" {
		r.Header.Set("X-Forwarded-For", from)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestTheLogSharesTheLimiter holds that the tiles of the record are no way around the bound
// on requests of one address: reading them costs the house more than a page.
func TestTheLogSharesTheLimiter(t *testing.T) {
	t.Parallel()
	o := startConfigured(t, houseText("[requests]\naddress = 2\n"))
	const tried = 60
	refused, interval := 0, time.Now()
	for range tried {
		if status, body := o.get(t, "/log/tile/0/000"); status == http.StatusTooManyRequests {
			refused++
		} else if status != http.StatusNotFound && status != http.StatusOK {
			t.Fatalf("a tile: %d %s", status, body)
		}
	}
	if answered, most := tried-refused, 4+2*(int(time.Since(interval).Seconds())+1); answered > most {
		t.Errorf("%d requests of tiles were answered, want at most %d", answered, most)
	}
	// The interface knows of them.
	for refused = 0; refused < 3; refused++ {
		if status, _ := o.get(t, "/api/v1/me"); status == http.StatusTooManyRequests {
			break
		}
	}
	if refused == 3 {
		t.Error("the interface answers an address that was refused a tile just now")
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// A page of another site that has its own name lead to this machine gets no page and no
// answer of the interface; the names of house.toml and the machine's own do.
func TestTheHostIsChecked(t *testing.T) {
	t.Parallel()
	plain := startConfigured(t, houseText())
	named := startConfigured(t, houseText(`hosts = ["trey.example"]`))
	port := plain.address[strings.LastIndex(plain.address, ":"):]
	tests := []struct {
		house *opened
		host  string
		want  int
	}{
		{plain, "127.0.0.1" + port, http.StatusOK},
		{plain, "localhost" + port, http.StatusOK},
		{plain, "[::1]" + port, http.StatusOK},
		{plain, "rebound.example" + port, http.StatusMisdirectedRequest},
		{plain, "rebound.example", http.StatusMisdirectedRequest},
		{plain, "127.0.0.1.rebound.example", http.StatusMisdirectedRequest},
		{plain, "192.0.2.1", http.StatusMisdirectedRequest},
		{named, "trey.example", http.StatusOK},
		{named, "localhost", http.StatusOK},
		{named, "trey.example.rebound.example", http.StatusMisdirectedRequest},
	}
	for _, c := range tests {
		for _, path := range []string{"/", "/sign-in", "/api/v1/tables", "/openapi.json", "/log/key"} {
			want := c.want
			if path == "/api/v1/tables" && want == http.StatusOK {
				want = http.StatusUnauthorized // it was answered, and nobody is signed in
			}
			if status, body := c.house.askBy(t, c.host, path, ""); status != want {
				t.Errorf("%s by %s: %d, want %d: %.200s", path, c.host, status, want, body)
			}
		}
		if status, _ := c.house.askBy(t, c.host, "/healthz", ""); status != http.StatusOK {
			t.Errorf("/healthz by %s: %d", c.host, status)
		}
	}
	for _, o := range []*opened{plain, named} {
		if err := o.stop(t); err != nil {
			t.Error(err)
		}
	}
}

// Everybody who comes through a proxy on this machine comes from loopback, so that
// address opens no door to the metrics; their own address does.
func TestMetricsHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	o := startConfigured(t, houseText(`metrics = "127.0.0.1:0"`))
	if status, body := o.get(t, "/metrics"); status != http.StatusUnauthorized || strings.Contains(body, "trey_") {
		t.Errorf("from loopback without a token: %d %.100s", status, body)
	}
	name := o.wait(t, `Metrics (http://\S+)`)
	answer, err := http.Get(name + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil || !bytes.Contains(text, []byte("trey_http_requests_total")) {
		t.Errorf("at their own address: %s %v %.100s", answer.Status, err, text)
	}
	at := &opened{address: name}
	if status, body := at.askBy(t, "rebound.example", "/metrics", ""); status != http.StatusMisdirectedRequest || strings.Contains(body, "trey_") {
		t.Errorf("at their own address by another name: %d %.100s", status, body)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// A guest who sends the forms of a page faster than people can is refused by the page,
// and then by the interface too: both count together.
func TestPagesAndInterfaceShareOneLimiter(t *testing.T) {
	t.Parallel()
	o := startConfigured(t, houseText("[requests]\nperson = 2\n"))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	send := func(method, path string, form url.Values) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, o.address+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close() //nolint:errcheck // nothing is read
		return answer
	}
	if got := send(http.MethodPost, "/api/v1/guests", nil); got.StatusCode != http.StatusCreated {
		t.Fatalf("a guest: %s", got.Status)
	}
	const tried = 60
	refused, interval := 0, time.Now()
	for range tried {
		got := send(http.MethodPost, "/tables/one/do", url.Values{"act": {"bet"}, "box": {"1"}})
		if got.StatusCode == http.StatusTooManyRequests {
			refused++
			if !regexp.MustCompile(`^[1-9][0-9]*$`).MatchString(got.Header.Get("Retry-After")) {
				t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
			}
		}
	}
	// Four at once and two a second may come, however long the machine took for them.
	if answered, most := tried-refused, 4+2*(int(time.Since(interval).Seconds())+1); answered > most {
		t.Errorf("%d requests of the page were answered, want at most %d", answered, most)
	}
	for refused = 0; refused < 3; refused++ {
		if got := send(http.MethodGet, "/api/v1/me", nil); got.StatusCode == http.StatusTooManyRequests {
			break
		}
	}
	if refused == 3 {
		t.Error("the interface answers a person whom the page has just refused")
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// One address cannot take all places of the guests, also behind a proxy that says from
// where people come.
func TestOneAddressDoesNotTakeAllPlaces(t *testing.T) {
	t.Parallel()
	o := startConfigured(t, houseText(`proxies = ["127.0.0.1"]`))
	come := func(from string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.address+"/api/v1/guests", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", from)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close() //nolint:errcheck // nothing is read
		return answer.StatusCode
	}
	in := 0
	for range 20 { // as many as there are places
		if come("198.51.100.7") == http.StatusCreated {
			in++
		}
	}
	if in != 10 {
		t.Errorf("%d guests of one address are in, want half of the 20 places", in)
	}
	if got := come("203.0.113.9"); got != http.StatusCreated {
		t.Errorf("a guest from elsewhere: %d", got)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

func TestReached(t *testing.T) {
	for listen, want := range map[string]bool{"127.0.0.1:8080": false, "localhost:0": false, "[::1]:1": false, ":8080": true, "0.0.0.0:1": true, "trey.example:1": true} {
		p := &plan.Plan{Listen: listen}
		if _, literals := p.Reached(); literals != want {
			t.Errorf("%s: any address is %v", listen, literals)
		}
		p.Hosts = []string{"trey.example"}
		if _, literals := p.Reached(); literals {
			t.Errorf("%s: any address beside the hosts given", listen)
		}
	}
}

// TestGuessesFromTheMachineItselfCount holds that whoever tries many names from the house's
// own machine has to wait as from elsewhere, and that everybody does not wait for them where
// all people come from there because something stands before the house.
func TestGuessesFromTheMachineItselfCount(t *testing.T) {
	t.Parallel()
	for i, test := range []struct {
		name, lines string
		waits       bool
	}{
		{"nothing stands before", "", true},
		{"a proxy that is named", "https = true\nhosts = [\"localhost\"]\nproxies = [\"127.0.0.1\"]", true},
		{"one that is not named", "https = true\nhosts = [\"localhost\"]", false},
		{"an address says nothing", "[requests]\naddress = 0", false},
	} {
		if !steady.Turn(i, 2) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			text := houseText(test.lines)
			o := startConfigured(t, text)
			waits := false
			for n := range 22 {
				body := fmt.Sprintf(`{"name":"u%d","password":"a wrong guess"}`, n)
				answer, err := http.Post(o.address+"/api/v1/sessions", "application/json", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close() //nolint:errcheck // the status says it
				waits = waits || answer.StatusCode == http.StatusTooManyRequests
			}
			if waits != test.waits {
				t.Errorf("after 22 guesses at 22 names somebody waits: %v", waits)
			}
			if err := o.stop(t); err != nil {
				t.Error(err)
			}
		})
	}
}
