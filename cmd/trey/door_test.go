//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var doorReconnects = flag.Int("doors.reconnects", 300, "how often streams are resumed at another machine")

// copyKeys gives a machine the keys of another.
func copyKeys(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"house.keys", filepath.Join("signing", machinesFile)} {
		if err := os.Chmod(filepath.Join(to, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// machines starts a machine that writes, and others with copies of its keys, each at the
// address of the database that is named for it.
func (w *world) machines(databases ...string) (all []*node) {
	w.Helper()
	var first string
	for i, database := range databases {
		folder := w.TempDir()
		if i == 0 {
			first = folder
		} else {
			copyKeys(w, first, folder)
		}
		n := w.node(database, folder)
		if i == 0 && !n.opened() {
			w.Fatalf("the house does not open:\n%s", n.logs)
		}
		if i > 0 {
			n.becomes("door")
		}
		all = append(all, n)
	}
	return all
}

// guest lets a guest in at a machine, and returns them and the name of their account.
func (w *world) guest(at *node, place int) (guest *somebody, name string) {
	w.Helper()
	guest = newSomebody("guest", "guest", place, mathrand.New(mathrand.NewPCG(w.seed, uint64(place)+20)))
	guest.cookie = true
	var answer struct{ Name string }
	if got := guest.insist(w, at.url, http.MethodPost, "/api/v1/guests", ""); json.Unmarshal([]byte(got.text), &answer) != nil || answer.Name == "" {
		w.Fatalf("no guest: %d %s", got.status, got.text)
	}
	return guest, answer.Name
}

// becomes waits until a machine says of itself that it is ready, and what it is.
func (n *node) becomes(machine string) (state readiness) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, err := http.Get(n.url + "/readyz")
		text := []byte(nil)
		if err == nil {
			text, err = io.ReadAll(got.Body)
			_ = got.Body.Close()
		}
		state = readiness{}
		if err == nil && json.Unmarshal(text, &state) == nil && state.Status == "ready" && state.Machine == machine && state.Seq > 0 {
			return state
		}
		if time.Now().After(deadline) {
			n.Fatalf("it is no %s: %s %v\n%s\n%s", machine, text, err, n.out, n.logs)
		}
	}
}

// seqOf returns the number of an answer.
func (r *reply) seqOf(t testing.TB) int64 {
	t.Helper()
	seq, err := strconv.ParseInt(r.header.Get("Trey-Seq"), 10, 64)
	if err != nil {
		t.Fatalf("an answer with status %d and no number: %v", r.status, r.header)
	}
	return seq
}

// Whoever has been answered reads at every machine what that did, and a door answers by
// itself: also while the writer says nothing.
func TestADoorAnswersReads(t *testing.T) {
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	w.house = nodes[0].process
	kim := newSomebody("kim", "cashier", 0, mathrand.New(mathrand.NewPCG(w.seed, 1)))
	w.login(kim)
	_, player := w.guest(nodes[1], 1)
	account := "/api/v1/accounts/player:" + player
	balance := func(at *node, headers ...string) (int64, *reply) {
		t.Helper()
		got := kim.insist(t, at.url, http.MethodGet, account, "", headers...)
		var found struct{ Balance int64 }
		if err := json.Unmarshal([]byte(got.text), &found); err != nil || got.status != http.StatusOK {
			t.Fatalf("the account at %s: %d %s", at.url, got.status, got.text)
		}
		return found.Balance, got
	}
	want := int64(100_000) // with which a guest comes in
	for i := range 60 {
		got := kim.insist(t, nodes[i%3].url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, player, 100), "Idempotency-Key", strconv.Itoa(i))
		if got.status >= 300 {
			t.Fatalf("a buy-in: %d %s", got.status, got.text)
		}
		want += 100
		said := got.seqOf(t)
		// Browsers carry the number back as a cookie.
		if cookies := strings.Join(got.header.Values("Set-Cookie"), "; "); !strings.Contains(cookies, fmt.Sprintf("trey-seq=%d;", said)) {
			t.Fatalf("the cookies are %q, and the number %d", cookies, said)
		}
		at := nodes[(i+1+i/3%2)%3]
		has, read := balance(at, "Trey-Seq", strconv.FormatInt(said, 10))
		if has != want {
			t.Fatalf("after buy-in %d, which was answered with %d, a machine shows %d as of %d, and not %d", i, said, has, read.seqOf(t), want)
		}
		if read.seqOf(t) < said {
			t.Errorf("who was answered with %d reads as of %d", said, read.seqOf(t))
		}
	}
	// A number that is still to come is waited for a moment, and not answered without it.
	if got := kim.insist(t, nodes[1].url, http.MethodGet, account, "", "Trey-Seq", "1000000000"); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("what is still to come is answered %d %s", got.status, got.text)
	}
	if got := kim.insist(t, nodes[1].url, http.MethodGet, account, "", "Cookie", "trey-seq=1000000000; trey="+kim.token); got.status != http.StatusServiceUnavailable {
		t.Errorf("what is still to come, by a cookie, is answered %d %s", got.status, got.text)
	}

	// The writer hangs. Both doors go on showing what is recorded; nobody waits for it.
	state := nodes[1].becomes("door")
	if state.Writer == "" || state.Behind != 0 {
		t.Errorf("a door says of itself %+v", state)
	}
	if state := nodes[0].becomes("writer"); state.Epoch == 0 || state.LeaseMs == 0 {
		t.Errorf("the writer says of itself %+v", state)
	}
	nodes[0].signal(syscall.SIGSTOP)
	for _, at := range nodes[1:] {
		if has, _ := balance(at); has != want {
			t.Errorf("beside a writer that hangs a door shows %d, and not %d", has, want)
		}
	}
	// Then one of them takes its place.
	next := nodes[1]
	select {
	case <-w.saysOne(nodes[1:], regexp.MustCompile(`(Ctrl-C finishes)`), &next):
	case <-time.After(patience):
		t.Fatal("no door has become the writer")
	}
	got := kim.insist(t, next.url, http.MethodPost, "/api/v1/cage", fmt.Sprintf(`{"reason":"buy-in","player":%q,"amount":%d}`, player, 100), "Idempotency-Key", "again")
	if want += 100; got.status >= 300 {
		t.Fatalf("a buy-in at the new writer: %d %s", got.status, got.text)
	}
	nodes[0].signal(syscall.SIGCONT)
	nodes[0].becomes("door")
	for _, at := range nodes {
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			read := kim.insist(t, at.url, http.MethodGet, account, "", "Trey-Seq", strconv.FormatInt(got.seqOf(t), 10))
			if read.status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
				continue // the house opens again
			}
			if !strings.Contains(read.text, fmt.Sprintf(`"balance":%d`, want)) {
				t.Errorf("after the takeover a machine shows %d %s, and not %d", read.status, read.text, want)
			}
			break
		}
	}

	// Who signs out is out at every machine.
	if got := kim.insist(t, next.url, http.MethodDelete, "/api/v1/sessions/current", ""); got.status >= 300 {
		t.Fatalf("signing out: %d %s", got.status, got.text)
	}
	for _, at := range nodes {
		for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			got := kim.insist(t, at.url, http.MethodGet, account, "")
			if got.status == http.StatusUnauthorized {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("a session that has ended is answered %d %s", got.status, got.text)
			}
		}
	}
}

// saysOne waits until one of some machines has said something.
func (w *world) saysOne(of []*node, pattern *regexp.Regexp, found **node) <-chan struct{} {
	said := make(chan struct{})
	go func() {
		defer close(said)
		for w.Context().Err() == nil {
			for _, n := range of {
				if pattern.MatchString(n.out.String()) {
					*found = n
					return
				}
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return said
}

// events reads messages of a stream behind a number, until it ends or take returns false.
func (s *somebody) events(ctx context.Context, at, path string, after int64, take func(id int64, text string) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, http.NoBody)
	if err != nil {
		return err
	}
	r.AddCookie(&http.Cookie{Name: "trey", Value: s.token})
	r.Header.Set("Accept", "text/event-stream")
	if after > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatInt(after, 10))
	}
	got, err := (&http.Client{Transport: s.client.Transport}).Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is answered %d", path, got.StatusCode)
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	var id int64
	for lines.Scan() {
		if number, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if id, err = strconv.ParseInt(number, 10, 64); err != nil {
				return err
			}
		}
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok && !take(id, text) {
			return nil
		}
	}
	return lines.Err()
}

// A stream that is resumed at another machine misses nothing and repeats nothing, and says
// the same of a transaction at each, while rounds are played at all of them.
func TestStreamsGoOnAtAnotherMachine(t *testing.T) {
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	w.house = nodes[0].process
	people := make([]*somebody, 6)
	for i := range people {
		people[i], _ = w.guest(nodes[i%3], i)
	}
	const table = "vegas"
	ctx, cancel := context.WithCancel(t.Context())
	var playing sync.WaitGroup
	for i, s := range people[:3] {
		playing.Go(func() {
			for ctx.Err() == nil {
				if err := s.play(ctx, nodes[i].url, []string{table}); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	type told struct {
		ids   []int64
		texts map[int64]string
	}
	heard := make([]told, 3)
	var listening sync.WaitGroup
	for i, s := range people[3:] {
		heard[i].texts = map[int64]string{}
		listening.Go(func() {
			for n := range *doorReconnects / 3 {
				left := 1 + s.rng.IntN(5)
				last := int64(0)
				if len(heard[i].ids) > 0 {
					last = heard[i].ids[len(heard[i].ids)-1]
				}
				at := nodes[s.rng.IntN(3)]
				err := s.events(ctx, at.url, "/api/v1/tables/"+table+"/events", last, func(id int64, text string) bool {
					if last == 0 {
						// How the table stands: what comes after it counts.
						heard[i].ids, last = append(heard[i].ids, id), id
						return true
					}
					heard[i].ids, heard[i].texts[id] = append(heard[i].ids, id), text
					left--
					return left > 0
				})
				if err != nil && ctx.Err() == nil {
					t.Errorf("reconnect %d at %s: %v", n, at.url, err)
					return
				}
			}
		})
	}
	listening.Wait()
	cancel()
	playing.Wait()
	recorded := concerning(t, database, table)
	for i := range heard {
		ids := heard[i].ids
		if len(ids) < *doorReconnects/3 {
			t.Fatalf("only %d messages were heard", len(ids))
		}
		var want []int64
		for _, seq := range recorded {
			if seq > ids[0] && seq <= ids[len(ids)-1] {
				want = append(want, seq)
			}
		}
		if !slices.Equal(ids[1:], want) {
			t.Fatalf("behind %d were heard\n%v\nand are recorded\n%v", ids[0], ids[1:], want)
		}
		for id, text := range heard[i].texts {
			for k := range heard[:i] {
				if other, ok := heard[k].texts[id]; ok && other != text {
					t.Fatalf("transaction %d is told as\n%s\nand as\n%s", id, text, other)
				}
			}
		}
	}
	for _, n := range nodes {
		n.sound()
	}
}

// concerning returns the transactions that concern a table, from the database.
func concerning(t *testing.T, database, table string) (all []int64) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // it was read
	rows, err := conn.Query(context.Background(), "SELECT DISTINCT part.id / 16 FROM part JOIN stream ON stream.id = part.stream WHERE stream.name IN ('table:' || $1, 'deal:' || $1) ORDER BY 1", table)
	if err != nil {
		t.Fatal(err)
	}
	if all, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		t.Fatal(err)
	}
	return all
}

// wire passes connections on to a server, and bytes of one side or both get lost at will.
type wire struct {
	net.Listener
	address     string
	there, back atomic.Bool // whether bytes get lost on the way there and back
	delay       atomic.Int64
	mu          sync.Mutex
	passing     []net.Conn
}

// wireTo returns a wire to a database.
func wireTo(t *testing.T, database string) *wire {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	u.Host = listener.Addr().String()
	l := &wire{Listener: listener, address: u.String()}
	t.Cleanup(func() {
		_ = listener.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, c := range l.passing {
			_ = c.Close()
		}
	})
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			l.mu.Lock()
			l.passing = append(l.passing, in, out)
			l.mu.Unlock()
			go l.pass(in, out, &l.there)
			go l.pass(out, in, &l.back)
		}
	}()
	return l
}

func (l *wire) pass(from, to net.Conn, lost *atomic.Bool) {
	defer to.Close() //nolint:errcheck // the other side is gone
	text := make([]byte, 32<<10)
	for {
		n, err := from.Read(text)
		if err != nil {
			return
		}
		time.Sleep(time.Duration(l.delay.Load()))
		if lost.Load() {
			continue
		}
		if _, err := to.Write(text[:n]); err != nil {
			return
		}
	}
}

// A door that is cut off from the database shows nothing of tables or people, ends its
// streams and says that it is not ready, while the others go on; and comes back.
func TestADoorThatIsCutOff(t *testing.T) {
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	line := wireTo(t, database)
	nodes := w.machines(database, line.address)
	door := nodes[1]
	load := w.buyIns(nodes[0])
	account := "/api/v1/accounts/player:" + load.player
	guest, _ := w.guest(nodes[0], 2)
	for _, cut := range []struct {
		what       string
		set, clear func()
	}{
		{"nothing comes back", func() { line.back.Store(true) }, func() { line.back.Store(false) }},
		{"nothing goes there", func() { line.there.Store(true) }, func() { line.there.Store(false) }},
		{"everything takes too long", func() { line.delay.Store(int64(5 * time.Second)) }, func() { line.delay.Store(0) }},
	} {
		ended := make(chan error, 1)
		began := make(chan struct{})
		go func() {
			once := sync.OnceFunc(func() { close(began) })
			ended <- guest.events(t.Context(), door.url, "/api/v1/tables/vegas/events", 0, func(int64, string) bool { once(); return true })
		}()
		select {
		case <-began:
		case err := <-ended:
			t.Fatalf("%s: no stream begins: %v", cut.what, err)
		case <-time.After(patience):
			t.Fatalf("%s: no stream begins", cut.what)
		}
		cut.set()
		door.refuses("/readyz")
		door.refuses(account)
		door.refuses("/api/v1/tables")
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s: a stream goes on", cut.what)
		}
		load.more(20) // elsewhere the house goes on
		cut.clear()
		door.becomes("door")
		got := load.kim.insist(t, nodes[0].url, http.MethodGet, account, "")
		load.read(door, account, &struct{}{})
		at := load.kim.insist(t, door.url, http.MethodGet, account, "", "Trey-Seq", got.header.Get("Trey-Seq"))
		if at.status != http.StatusOK || at.seqOf(t) < got.seqOf(t) {
			t.Errorf("%s: back in touch it answers %d as of %s, and the writer was at %d", cut.what, at.status, at.header.Get("Trey-Seq"), got.seqOf(t))
		}
	}
	load.targets.Store(&[]*node{nodes[0], door})
	load.more(20)
	load.finish()
}

// A door answers everything that reads, but for what only the writer has.
func TestWhatADoorAnswers(t *testing.T) {
	for _, test := range []struct {
		method, path string
		want         bool
	}{
		{http.MethodGet, "/", true},
		{http.MethodHead, "/api/v1/house", true},
		{http.MethodGet, "/api/v1/tables/A", true},
		{http.MethodGet, "/api/v1/alerts", true},
		{http.MethodGet, "/tables/A/live", true},
		{http.MethodGet, "/console", true},
		{http.MethodGet, "/sign-in", true},
		{http.MethodGet, "/what/comes/some/day", true},
		{http.MethodPost, "/api/v1/tables/A/commands", false},
		{http.MethodDelete, "/api/v1/sessions/current", false},
		{http.MethodPost, "/console/A/do", false},
		{http.MethodGet, "/sign-in/provider", false},
		{http.MethodGet, "/sign-in/provider/done", false},
		{http.MethodGet, "/log/checkpoint", false},
	} {
		if got := reads(httptest.NewRequest(test.method, test.path, http.NoBody)); got != test.want {
			t.Errorf("%s %s: %t", test.method, test.path, got)
		}
	}
}
