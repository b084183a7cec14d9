package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
)

var (
	crashKills = flag.Int("crash.kills", steady.Tries(4, 20), "how often the crash test kills the house; 200 for a night")
	crashSeed  = flag.Uint64("crash.seed", 0, "the seed of the crash test, 0 for a new one")
)

// crashConfig is a house with a table of every book that runs by itself, as fast as
// it can while people still get a word in, and one that a dealer runs. The jackpot is
// small and hit often enough.
const crashConfig = `
database = "house.db"
money = "play"
[guests]
max = 100
money = "1000"
%s[pace]
betting = "8ms"
decision = "15ms"
option = "8ms"
deal = "0s"
show = "0s"
[jackpots.linked]
bet = "5"
reset = "50"
rate = "40%%"
ceiling = "300"
meter = "60"
[tables.classic-1]
book = "rws-3cp@3"
jackpot = "linked"
[tables.classic-2]
variant = "rws-3cp.toml"
jackpot = "linked"
[tables.vegas]
variant = "us-3cp.toml"
[tables.bonus]
variant = "sm-3cp.toml"
[tables.pictures]
variant = "mbs-3pictures.toml"
[tables.dealt]
book = "rws-3cp@3"
jackpot = "linked"
mode = "dealer"
`

// crashVariants are the books with rulings by which every stop of a house is a long
// one, and does what it does to a round where it is.
var crashVariants = map[string]string{
	"rws-3cp": "", "mbs-3pictures": "", "us-3cp": "interruption = \"conclude-or-void\"", "sm-3cp": "interruption = \"offer-to-withdraw\"",
}

var crashTables = []string{"bonus", "classic-1", "classic-2", "dealt", "pictures", "vegas"}

// crashStaff are those whose roles take two people to give: the configuration names them.
var crashStaff = []struct{ name, role string }{
	{"adm", "administrator"},
	{"dan", "dealer"},
	{"sue", "shift-manager"},
	{"tom", "shift-manager"},
	{"kim", "cashier"},
}

const crashPassword = "correct horse battery staple"

// world is a house in a process of its own, and all who have to do with it over its
// many lives.
type world struct {
	testing.TB
	seed   uint64
	rng    *mathrand.Rand
	folder string
	copies string // of the record, for the auditor
	config string
	args   []string

	house *process
	// lives are those who come as machines or by a session; players are those of
	// them who have an account.
	lives           map[string]*somebody
	players, guests []string
	admin, left     *somebody
	listeners       []*listener

	auditor *auditor.Auditor
	// directory has the names of the record as it was audited last.
	directory *people.Directory
	// interrupted are the rounds in which the last crash found bets, and at is the
	// last transaction before it.
	interrupted map[string]int
	at          int64
	opened      bool
	outcomes    map[string]int
}

func newWorld(t testing.TB, folder string) *world {
	t.Helper()
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	w := &world{
		TB: t, seed: seed, rng: mathrand.New(mathrand.NewPCG(seed, 4)), folder: folder, copies: quickFolder(t),
		lives: map[string]*somebody{}, auditor: auditor.New(), outcomes: map[string]int{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the seed was %d: -crash.seed %d kills at moments as near to these as a machine allows", seed, seed)
		}
	})
	hash := hashOf(t, crashPassword)
	w.config = filepath.Join(folder, "house.toml")
	var users strings.Builder
	for _, u := range crashStaff {
		fmt.Fprintf(&users, "[users.%s]\nrole = %q\npassword = %q\n", u.name, u.role, hash)
	}
	if err := os.WriteFile(w.config, fmt.Appendf(nil, crashConfig, users.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for book, ruling := range crashVariants {
		text := fmt.Sprintf("base = %q\nid = %q\n[rulings]\ninterruption_grace = \"1ms\"\n%s\n", book, book+"-hasty", ruling)
		if err := os.WriteFile(filepath.Join(folder, book+".toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) record() string { return filepath.Join(w.folder, "house.db") }

func (w *world) launch() {
	w.Helper()
	w.house = launch(w, append([]string{"--config", w.config}, w.args...)...)
	w.opened = false
}

// start opens the house, and holds what it found of the last life against what
// everybody knows.
func (w *world) start() {
	w.Helper()
	w.launch()
	if !w.house.opened() {
		w.Fatalf("the house does not open:\n%s\n%s", w.house.out, w.house.logs)
	}
	w.opened = true
	if len(w.lives) == 0 {
		w.admit()
	}
	w.again()
	w.settle()
	w.sessions()
	w.jackpot()
}

// admit makes everybody known to a new house.
func (w *world) admit() {
	w.Helper()
	somebody := func(name, role string) *somebody {
		s := newSomebody(name, role, len(w.lives), mathrand.New(mathrand.NewPCG(w.seed, uint64(len(w.lives)+10))))
		w.lives[name] = s
		return s
	}
	for _, member := range crashStaff {
		w.login(somebody(member.name, member.role))
	}
	w.admin = w.lives["adm"]
	for _, member := range []struct{ name, role string }{
		{"ann", "player"},
		{"ben", "player"},
		{"cem", "player"},
		{"dot", "player"},
		{"eva", "player"},
		{"eye", "surveillance"},
	} {
		s := somebody(member.name, member.role)
		body, err := json.Marshal(map[string]any{"name": member.name, "role": member.role, "ends_ms": time.Now().Add(24 * time.Hour).UnixMilli(), "why": "a test"})
		if err != nil {
			w.Fatal(err)
		}
		got := w.admin.insist(w, w.house.url, http.MethodPost, "/api/v1/tokens", string(body))
		var said struct{ Text string }
		if err := json.Unmarshal([]byte(got.text), &said); err != nil || said.Text == "" {
			w.Fatalf("no token: %d %s", got.status, got.text)
		}
		s.token = said.Text
		if member.role == "player" {
			w.players = append(w.players, member.name)
		}
	}
	for range 2 {
		g := somebody(fmt.Sprint("guest ", len(w.guests)), "guest")
		g.cookie = true
		got := g.insist(w, w.house.url, http.MethodPost, "/api/v1/guests", "")
		var said struct{ Name string }
		if err := json.Unmarshal([]byte(got.text), &said); err != nil || said.Name == "" {
			w.Fatalf("no guest: %d %s", got.status, got.text)
		}
		delete(w.lives, g.name)
		g.name = said.Name
		w.lives[g.name] = g
		w.guests, w.players = append(w.guests, g.name), append(w.players, g.name)
	}
	// One who has signed out stays out.
	w.left = somebody("the one who left", "administrator")
	w.loginAs(w.left, "adm")
	delete(w.lives, w.left.name)
	token := w.left.token
	if got := w.left.insist(w, w.house.url, http.MethodDelete, "/api/v1/sessions/current", ""); got.status != http.StatusNoContent {
		w.Fatalf("signing out: %d %s", got.status, got.text)
	}
	w.left.token = token
	for _, table := range crashTables {
		l := &listener{somebody: somebody("ear at "+table, "surveillance"), table: table, moved: map[string]int64{}, stakes: map[string]int64{}}
		delete(w.lives, l.name)
		l.token = w.lives["eye"].token
		l.client.Timeout = 0
		w.listeners = append(w.listeners, l)
	}
}

func (w *world) login(s *somebody) {
	w.Helper()
	w.loginAs(s, s.name)
}

func (w *world) loginAs(s *somebody, name string) {
	w.Helper()
	s.cookie = true
	body := fmt.Sprintf(`{"name":%q,"password":%q}`, name, crashPassword)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got := s.insist(w, w.house.url, http.MethodPost, "/api/v1/sessions", body)
		if got.status == http.StatusCreated {
			return
		}
		// On a busy machine a house on many machines is without a writer for a moment.
		if got.status != http.StatusServiceUnavailable || time.Now().After(deadline) {
			w.Fatalf("signing in: %d %s", got.status, got.text)
		}
	}
}

// again asks again for what nobody answered, and for some of what was answered:
// everything has exactly one outcome, and the record knew it before.
func (w *world) again() {
	w.Helper()
	for _, name := range slices.Sorted(maps.Keys(w.lives)) {
		s := w.lives[name]
		from := max(0, len(s.asked)-20)
		for i, r := range s.asked {
			if r.fate == unheard || r.fate == carriedOut && (i >= from || w.rng.IntN(len(s.asked)) < 3) {
				w.once(r)
			}
		}
	}
}

func (w *world) once(r *request) {
	w.Helper()
	seq, recorded := w.auditor.Transaction(w.stored(r))
	switch {
	case r.fate == carriedOut && !recorded:
		w.Fatalf("%s: it was acknowledged as transaction %d, and the record does not have it", r, r.seq)
	case recorded && r.seq != 0 && r.seq != seq:
		w.Fatalf("%s: it was acknowledged as transaction %d, and is recorded as %d", r, r.seq, seq)
	}
	ask := func() *reply {
		return r.by.insist(w, w.house.url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key)
	}
	got := ask()
	if recorded {
		w.repeated(r, got)
	}
	if r.fate == carriedOut {
		w.outcomes["acknowledged, and there"]++
		return
	}
	if got.header.Get("Idempotency-Replayed") != "" && !recorded {
		w.Fatalf("%s: it is answered as if it had been carried out, and the record does not have it", r)
	}
	there, err := r.hear(got)
	if err != nil || !there || r.fate == unheard {
		w.Fatalf("%s: asked again after a crash, it is answered %d %s %v", r, got.status, got.text, err)
	}
	switch {
	case recorded:
		w.outcomes["unheard, and carried out"]++
	case r.fate == carriedOut:
		w.outcomes["unheard, and carried out when asked again"]++
		w.repeated(r, ask())
	default:
		w.outcomes["unheard, and refused when asked again"]++
	}
}

// repeated holds an answer against the first one.
func (w *world) repeated(r *request, got *reply) {
	w.Helper()
	if got.status >= 300 || got.header.Get("Idempotency-Replayed") != "true" {
		w.Fatalf("%s: it was carried out, and is answered %d %v %s", r, got.status, got.header, got.text)
	}
	if r.fate == carriedOut && got.text != r.text {
		w.Fatalf("%s: it was answered\n%s\nand is now\n%s", r, r.text, got.text)
	}
}

// owns returns a player's money as they know it: from the cage, from those who put the
// account right, and by the tables.
func (w *world) owns(player string) (sum int64) {
	if slices.Contains(w.guests, player) {
		sum = 1000 * int64(money.Major)
	}
	for _, s := range w.lives {
		for _, r := range s.asked {
			if r.fate == carriedOut && r.player == player {
				sum += r.amount
			}
		}
	}
	for _, l := range w.listeners {
		sum += l.movedOf(player)
	}
	return sum
}

// settle lets all players read what they missed, and compares each player's account.
func (w *world) settle() {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	var ears sync.WaitGroup
	for _, l := range w.listeners {
		ears.Go(func() { l.listen(ctx, w.house.url) })
	}
	defer ears.Wait()
	defer cancel()
	deadline := time.Now().Add(patience)
	for _, name := range w.players {
		for {
			w.ears()
			var account struct{ Balance int64 }
			w.lives[name].get(w, w.house.url, "/api/v1/account", &account)
			owns := w.owns(name)
			if account.Balance == owns {
				break
			}
			if time.Now().After(deadline) {
				w.Fatalf("%s was told of %d, and the account holds %d", name, owns, account.Balance)
			}
			time.Sleep(time.Millisecond)
		}
	}
	var all struct {
		Debits, Credits int64
		Accounts        []struct {
			Account string
			Balance int64
		}
	}
	w.lives["eye"].get(w, w.house.url, "/api/v1/accounts", &all)
	if all.Debits != all.Credits || len(all.Accounts) == 0 {
		w.Fatalf("the trial balance: %d and %d", all.Debits, all.Credits)
	}
}

// ears reports what a listener found wrong.
func (w *world) ears() {
	w.Helper()
	for _, l := range w.listeners {
		l.mu.Lock()
		fault := l.fault
		l.mu.Unlock()
		if fault != nil {
			w.Fatal(fault)
		}
	}
}

// sessions holds that who was in is in, and who left is out.
func (w *world) sessions() {
	w.Helper()
	for _, name := range append([]string{"adm"}, w.guests...) {
		var me struct{ Name string }
		w.lives[name].get(w, w.house.url, "/api/v1/me", &me)
		if me.Name != name {
			w.Fatalf("%s is taken for %s", name, me.Name)
		}
	}
	if got := w.left.insist(w, w.house.url, http.MethodGet, "/api/v1/me", ""); got.status != http.StatusUnauthorized {
		w.Fatalf("who signed out is in again: %d %s", got.status, got.text)
	}
}

// jackpot holds that the meter is what came in less what went out.
func (w *world) jackpot() {
	w.Helper()
	var pot struct {
		Meter, Reserve int64
		Totals         map[string]int64
	}
	w.lives["eye"].get(w, w.house.url, "/api/v1/jackpots/linked", &pot)
	t := pot.Totals
	meter := t["opening_meter"] + t["contributions"] - t["overflow"] - t["taken_from_meter"] + t["reset_by_house"] + t["reset_from_reserve"] - t["paid_from_meter"] + t["meter_adjustments"] +
		t["recovered_to_meter"] - t["reset_returned"] - t["meter_to_reserve"]
	reserve := t["opening_reserve"] + t["overflow"] - t["taken_from_reserve"] - t["reset_from_reserve"] + t["reserve_adjustments"] + t["meter_to_reserve"]
	if meter != pot.Meter || reserve != pot.Reserve || t["opening_meter"] == 0 {
		w.Fatalf("the jackpot shows %d and %d, and its totals come to %d and %d: %v", pot.Meter, pot.Reserve, meter, reserve, t)
	}
}

// crowd has everybody busy until the house is gone or the function returned is
// called.
func (w *world) crowd() (leave func()) {
	ctx, cancel := context.WithCancel(w.Context())
	var busy sync.WaitGroup
	url := w.house.url
	faults := make(chan error, 32)
	person := func(do func() error) {
		busy.Go(func() {
			if err := do(); err != nil {
				faults <- err
			}
		})
	}
	for i, name := range w.players {
		s := w.lives[name]
		tables := []string{crashTables[i%len(crashTables)], crashTables[(i+1)%len(crashTables)]}
		person(func() error { return s.play(ctx, url, tables) })
	}
	person(func() error { return w.lives["dan"].deal(ctx, url, "dealt") })
	person(func() error { return w.lives["kim"].cage(ctx, url, w.players) })
	person(func() error { return w.lives["sue"].propose(ctx, url, w.players) })
	person(func() error { return w.lives["tom"].approve(ctx, url) })
	for _, l := range w.listeners {
		person(func() error { l.listen(ctx, url); return nil })
	}
	return func() {
		w.Helper()
		cancel()
		busy.Wait()
		select {
		case err := <-faults:
			w.Fatal(err)
		default:
		}
		w.ears()
	}
}

// ended waits for the end of the house, looks at the record as it lies there then, and holds it
// against what was acknowledged.
func (w *world) ended() {
	w.Helper()
	w.house.status()
	w.house.sound()
	file := filepath.Join(w.copies, "house.db")
	if !copyRecord(w, w.record(), file) {
		return // it was killed before it wrote anything
	}
	store, err := sqlite.Open(w.Context(), file)
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it is a copy
	w.directory = store.Directory()
	stops := len(w.auditor.Stops())
	first := map[string]string{}
	draining := false // since it was opened, and then to the end
	err = store.ReadAll(w.Context(), w.auditor.Seq(), "", func(e house.StoredTransaction) error {
		w.auditor.Read(e)
		for _, p := range e.Parts {
			if table, ok := strings.CutPrefix(p.Stream, "table:"); ok && first[table] == "" {
				first[table] = e.Cause.By + " " + e.Cause.Kind
			}
			for _, event := range p.Events {
				draining = draining || event.Kind == "drained"
				if draining && event.Kind == "bets-opened" {
					w.Errorf("transaction %d begins a round at %s when the house closes", e.Seq, p.Stream)
				}
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	stored := map[string]int64{}
	if _, err := store.Balances(w.Context(), func(a ledger.Account, held money.Amount) error {
		stored[a.String()] = int64(held)
		return nil
	}); err != nil {
		w.Fatal(err)
	}
	w.auditor.Compare("the store", stored)
	for _, f := range w.auditor.Findings() {
		w.Errorf("the auditor: %v", f)
	}
	w.stops(w.auditor.Stops()[stops:], first)
	w.acknowledged()
	w.interrupted, w.at = w.auditor.Interrupted(), w.auditor.Seq()
	if w.Failed() {
		w.FailNow()
	}
}

// stops holds that the house dealt with each round that the crash before this life
// interrupted, first of all, and with no other.
func (w *world) stops(found []auditor.Stop, first map[string]string) {
	w.Helper()
	dealt := map[string]bool{}
	for _, s := range found {
		dealt[s.Table] = true
		w.outcomes["interrupted: "+s.Outcome+" by "+s.Clause]++
		if w.interrupted[s.Table] != s.Round {
			w.Errorf("round %d of table %s is reported as interrupted, and there were no bets in it", s.Round, s.Table)
		}
	}
	if !w.opened {
		return // it did not come as far as to open
	}
	for table, round := range w.interrupted {
		switch {
		case strings.Contains(w.house.out.String(), fmt.Sprintf("Table %s: round %d was interrupted", table, round)) && !dealt[table]:
			w.outcomes["interrupted: it waits"]++
		case !dealt[table]:
			w.Errorf("round %d of table %s was interrupted, and nothing was done", round, table)
		case first[table] != "the house report":
			w.Errorf("round %d of table %s was interrupted, and first came %s", round, table, first[table])
		}
	}
}

// stored returns under which key a request is recorded.
func (w *world) stored(r *request) string {
	return people.RenameKey(r.stored(), func(name string) string {
		token, _ := w.directory.Token(name)
		return token
	})
}

// acknowledged holds that everything that was acknowledged is recorded, under its
// number, and that the tables told of it.
func (w *world) acknowledged() {
	w.Helper()
	for _, s := range w.lives {
		for _, r := range s.asked {
			seq, recorded := w.auditor.Transaction(w.stored(r))
			switch {
			case r.fate == carriedOut && !recorded:
				w.Errorf("%s: it was acknowledged as transaction %d, and the record does not have it", r, r.seq)
			case r.fate == carriedOut && r.seq != 0 && r.seq != seq:
				w.Errorf("%s: it was acknowledged as transaction %d, and is recorded as %d", r, r.seq, seq)
			case r.fate == refused && recorded:
				w.Errorf("%s: it was refused, and is recorded as %d", r, seq)
			}
		}
	}
}

// streams holds what each listener heard, over all lives, against the record.
func (w *world) streams() {
	w.Helper()
	store, err := sqlite.Open(w.Context(), w.record())
	if err != nil {
		w.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it is only read
	for _, l := range w.listeners {
		var seqs []int64
		var causes []string
		if err := house.Named(store).ReadAll(w.Context(), 0, "table:"+l.table, func(e house.StoredTransaction) error {
			seqs, causes = append(seqs, e.Seq), append(causes, e.Cause.By+" "+e.Cause.Kind)
			return nil
		}); err != nil {
			w.Fatal(err)
		}
		n := len(l.seqs) // the last may not have come any more
		if n > len(seqs) || n < len(seqs)-50 || !slices.Equal(l.seqs, seqs[:n]) || !slices.Equal(l.heard, causes[:n]) {
			w.Errorf("table %s: %d transactions were heard of, and %d are recorded, or others", l.table, n, len(seqs))
		}
		w.outcomes["heard of at tables"] += n
	}
}

// end names the way in which a life of the house ends.
type end string

const (
	killedAtWork       end = "killed at work"
	killedAtStart      end = "killed at the start"
	killedWhileClosing end = "killed while it closed"
	closed             end = "closed"
	closedAtOnce       end = "closed at once"
)

// ends draws how the lives end: so many by being killed, and some by being asked.
func (w *world) ends(kills int) []end {
	// Of each kind at least one.
	all := []end{killedAtStart, killedAtWork, killedWhileClosing, closed, closedAtOnce}
	for n := 3; n < kills; n++ {
		switch k := w.rng.IntN(10); {
		case k < 3:
			all = append(all, killedAtStart)
		case k < 9:
			all = append(all, killedAtWork)
		default:
			all = append(all, killedWhileClosing, closed)
		}
		if w.rng.IntN(20) == 0 {
			all = append(all, closedAtOnce)
		}
	}
	w.rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return append([]end{killedAtStart}, all...) // the very first start as well
}

// upTo is a random time.
func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

// live is one life of the house, from its start to its end.
func (w *world) live(how end, startsIn time.Duration) {
	w.Helper()
	if how == killedAtStart {
		w.launch()
		time.Sleep(w.upTo(startsIn + startsIn/8))
		w.house.kill()
		return
	}
	w.start()
	leave := w.crowd()
	time.Sleep(5*time.Millisecond + w.upTo(200*time.Millisecond))
	switch how {
	case killedAtWork:
		w.house.kill()
	case killedWhileClosing:
		w.house.signal(syscall.SIGTERM)
		time.Sleep(w.upTo(30 * time.Millisecond))
		w.house.kill()
	case closed:
		w.house.signal(syscall.SIGTERM)
		if status := w.house.status(); status != 0 || !strings.Contains(w.house.out.String(), "every round is finished") {
			w.Fatalf("closed with %d:\n%s\n%s", status, w.house.out, w.house.logs)
		}
	case closedAtOnce:
		w.house.signal(syscall.SIGTERM)
		w.house.signal(os.Interrupt)
		if status := w.house.status(); status != exitInterrupted && status != 0 {
			w.Fatalf("stopped at once with %d:\n%s\n%s", status, w.house.out, w.house.logs)
		}
	default:
	}
	leave()
}

// tear leaves behind what a write leaves that the power cut off.
func (w *world) tear() {
	w.Helper()
	log, err := os.OpenFile(w.record()+"-wal", os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		noise := make([]byte, 1+w.rng.IntN(9000))
		_, _ = rand.Read(noise)
		_, err = log.Write(noise)
		err = errors.Join(err, log.Close())
	}
	if err != nil {
		w.Fatal(err)
	}
}

// TestCrash kills the real program under load, again and again over one record, and
// holds each time that nothing acknowledged is lost, that nothing happens twice, that
// all money is where it was, and that every interrupted round ended as its book says.
func TestCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quickFolder(t))
	startsIn := 150 * time.Millisecond
	for i, how := range w.ends(*crashKills) {
		w.live(how, startsIn)
		w.outcomes["lives: "+string(how)]++
		if how == killedAtStart && strings.Contains(w.house.out.String(), "was interrupted") {
			w.outcomes["lives: killed between the interruptions and the opening"]++
		}
		w.ended()
		if how == closed && len(w.interrupted) > 0 {
			t.Fatalf("end %d: it was closed, and rounds were left behind: %v", i, w.interrupted)
		}
		if w.rng.IntN(4) == 0 {
			w.tear()
		}
	}
	w.live(closed, startsIn)
	w.ended()
	w.streams()
	for _, what := range slices.Sorted(maps.Keys(w.outcomes)) {
		t.Logf("%6d %s", w.outcomes[what], what)
	}
	t.Logf("%6d transactions, %d rounds, %d hits paid", w.auditor.Seq(), w.auditor.Rounds(), w.auditor.Paid())
}
