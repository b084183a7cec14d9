package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/proof"
	"trey/internal/steady"
)

// watchBets notes when the page draws each bet on box 1.
const watchBets = `new Promise((ready) => {
	window.drawnMs = [];
	let stake = "";
	const look = () => {
		const now = document.querySelector("#box-1 .stake")?.textContent ?? "";
		if (now === stake) return;
		stake = now;
		requestAnimationFrame(() => requestAnimationFrame(() => { window.drawnMs.push(Date.now()); }));
	};
	new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
	ready(true);
})`

// Five hundred spectators receive each bet, all of them, and one more sees it on the screen.
func TestManySpectatorsReceiveABet(t *testing.T) {
	steady.Detail(t)
	if testing.Short() || slow {
		t.Skip("five hundred connections")
	}
	const many, bets = 500, 5
	f := newFloor(t, unhurried, nil, "classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: many}}
	var begun sync.WaitGroup
	var received [bets]sync.WaitGroup
	begun.Add(many)
	for i := range received {
		received[i].Add(many)
	}
	for range many {
		go func() {
			heard, here := 0, false
			defer func() {
				if !here {
					begun.Done()
				}
				for ; heard < bets; heard++ {
					received[heard].Done()
				}
			}()
			answer, err := client.Get(f.address + "/tables/classic-1/live")
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close() //nolint:errcheck // it has no end
			lines := bufio.NewScanner(answer.Body)
			lines.Buffer(nil, 1<<20)
			for heard < bets && lines.Scan() {
				if !strings.HasPrefix(lines.Text(), "data: {") {
					continue
				}
				if !here {
					here = true
					begun.Done()
				}
				if strings.Contains(lines.Text(), fmt.Sprintf("$%d", 5*(heard+1))) && strings.Contains(lines.Text(), `"box-1"`) && strings.Contains(lines.Text(), "stake") {
					received[heard].Done()
					heard++
				}
			}
			if heard < bets {
				t.Errorf("the connection ended after %d bets: %v", heard, lines.Err())
			}
		}()
	}
	begun.Wait()
	screen := browser != nil
	var ctx context.Context
	if screen {
		ctx = guestTab(t, f)
		var watching bool
		do(t, ctx, atStart(`document.addEventListener("parts", () => { window.connected = true; })`),
			chromedp.Navigate(f.address+"/tables/classic-1"), chromedp.Poll("window.connected", nil),
			chromedp.Evaluate(watchBets, &watching, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	}
	for i := range bets {
		ann.post("/tables/classic-1/do", url.Values{"do": {"bet:1:ante"}, "chip": {"500"}})
		answered := time.Now()
		received[i].Wait()
		t.Logf("bet %d: the last of %d heard of it %v after it was answered", i+1, many, time.Since(answered))
		if screen {
			var drawnMs float64
			do(t, ctx, chromedp.Poll(fmt.Sprintf("window.drawnMs[%d]", i), &drawnMs))
			t.Logf("it was on the screen of one more %v after that", time.UnixMilli(int64(drawnMs)).Sub(answered).Round(time.Millisecond))
		}
	}
}

// firstParts returns the parts that a page with these marks is sent at first.
func (v *visitor) firstParts(path, marks string) []string {
	v.Helper()
	v.received.Reset()
	and := "?"
	if strings.Contains(path, "?") {
		and = "&"
	}
	v.first(path + and + "has=" + marks)
	_, text, _ := strings.Cut(v.received.String(), "data: {")
	var news struct {
		Program string
		Parts   map[string]struct{ Mark, HTML string }
	}
	if err := json.Unmarshal([]byte("{"+text), &news); err != nil || news.Program == "" {
		v.Fatalf("%v: %.200s", err, text)
	}
	return slices.Sorted(maps.Keys(news.Parts))
}

// marks returns those of all parts of a page.
func (v *visitor) marks(path string) string {
	v.Helper()
	v.received.Reset()
	v.get(path)
	var all strings.Builder
	for _, found := range regexp.MustCompile(`data-mark="([^"]+)"`).FindAllStringSubmatch(v.received.String(), -1) {
		all.WriteString(found[1])
	}
	return all.String()
}

// A visitor who comes back is sent what their page lacks, and nothing else: also by a house
// that was killed meanwhile and opened again.
func TestPageIsSentWhatItLacks(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	for _, page := range []struct{ path, live string }{{"/tables/classic-1", "/tables/classic-1/live"}, {"/", "/lobby/live?tables=classic-1"}} {
		if all := ann.firstParts(page.live, ""); len(all) == 0 {
			t.Errorf("%s is sent nothing, and has nothing", page.path)
		}
		if sent := ann.firstParts(page.live, ann.marks(page.path)); len(sent) > 0 {
			t.Errorf("%s is sent %v, and has it", page.path, sent)
		}
	}
	marks := ann.marks("/tables/classic-1")
	f.kill()
	f.open(strings.TrimPrefix(f.address, "http://"))
	f.awaitBets("classic-1")
	// Its clock begins anew.
	if sent := ann.firstParts("/tables/classic-1/live", marks); slices.ContainsFunc(sent, func(id string) bool { return id != "clock" }) {
		t.Errorf("the house was opened again as it was, and sends %v", sent)
	}
	// The first bet takes the box to the middle of the felt, and the others aside.
	ann.act("bet:2:ante", "500")
	marks = ann.marks("/tables/classic-1")
	ann.act("bet:2:ante", "500")
	// The bet is answered when it is recorded; the table is drawn a moment later.
	var sent []string
	for deadline := time.Now().Add(patience); !slices.Contains(sent, "box-2") && time.Now().Before(deadline); {
		sent = ann.firstParts("/tables/classic-1/live", marks)
	}
	if !slices.Contains(sent, "box-2") || !slices.Contains(sent, "purse") || slices.Contains(sent, "box-1") || slices.Contains(sent, "seed") {
		t.Errorf("there is more on box 2, and %v is sent", sent)
	}
}

// follow opens the stream of a page, and returns its lines until the test is over.
func (v *visitor) follow(path string) *bufio.Scanner {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), patience)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.floor.address+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	open, err := v.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() {
		cancel()
		_ = open.Body.Close() // it has no end
	})
	lines := bufio.NewScanner(open.Body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// TestNoPageIsSentAfterTheSession holds that the page of somebody who has signed out is shown
// nothing more of the table, and ends.
func TestNoPageIsSentAfterTheSession(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann, ben := f.visitor(), f.visitor()
	for _, one := range []*visitor{ann, ben} {
		one.post("/tables/classic-1/sit", nil)
	}
	lines := ann.follow("/tables/classic-1/live")
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: {") {
	}
	ann.post("/sign-out", nil)
	ben.post("/tables/classic-1/do", url.Values{"do": {"bet:3:ante"}, "chip": {"500"}})
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"box-3"`) {
			t.Fatalf("the page is sent what happened after it was left: %.200s", lines.Text())
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the stream ends with %v", err)
	}
}

// TestTheBalanceMovesOnEveryPage holds that a page of one table shows what a player has left
// after a bet at another.
func TestTheBalanceMovesOnEveryPage(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1", "vegas-1")
	f.awaitBets("classic-1")
	f.awaitBets("vegas-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	ann.post("/tables/vegas-1/sit", nil)
	lines := ann.follow("/tables/vegas-1/live")
	balance := func() string {
		t.Helper()
		for lines.Scan() {
			if found := regexp.MustCompile(`data-balance=\\"(\d+)\\"`).FindStringSubmatch(lines.Text()); found != nil {
				return found[1]
			}
		}
		t.Fatal("the page is sent no balance: ", lines.Err())
		return ""
	}
	first, err := strconv.Atoi(balance())
	if err != nil {
		t.Fatal(err)
	}
	ann.post("/tables/classic-1/do", url.Values{"do": {"bet:1:ante"}, "chip": {"500"}})
	if got, want := balance(), strconv.Itoa(first-500); got != want {
		t.Errorf("after a bet of 5.00 at another table the balance is %s, want %s", got, want)
	}
}

// TestAStreamThatStandsStillIsGivenUp holds that a page says that it is out of touch, and comes back, where
// its machine says nothing more and the connection stays: no error tells the browser of that.
func TestAStreamThatStandsStillIsGivenUp(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ctx := guestTab(t, f)
	do(
		t, ctx, atStart(`
			const Source = EventSource, wait = setTimeout;
			window.still = true; // the first streams open, and nothing comes
			window.streams = 0;
			window.EventSource = function (address) {
				if (!still) return new Source(address);
				const stream = new EventTarget();
				stream.close = () => {};
				if (streams++ === 0) wait(() => stream.dispatchEvent(new Event("open")));
				return stream;
			};
			window.setTimeout = (then, ms, ...more) => wait(then, ms === 25000 ? 100 : ms, ...more);`),
		chromedp.Navigate(f.address+"/tables/classic-1"),
		shows("[data-live]", "Connecting again"),
		chromedp.Evaluate(`window.setTimeout = wait; window.still = false`, nil),
		chromedp.Poll(`document.querySelector("[data-live]").textContent === ""`, nil, chromedp.WithPollingTimeout(patience)),
	)
}

// TestAnIdleStreamSendsHeartbeats holds that a heartbeat is an event: the script of a page receives no
// comments of a stream.
func TestAnIdleStreamSendsHeartbeats(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	answer, err := http.Get(f.address + "/tables/classic-1/live")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it has no end
	if line, err := bufio.NewReader(answer.Body).ReadString('\n'); err != nil || line != "event: alive\n" {
		t.Errorf("the stream begins with %q, %v", line, err)
	}
}

// A house keeps as many pages alive as its operator lets it, and tells the next one.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.kill()
	f.streams = 1
	f.open(strings.TrimPrefix(f.address, "http://"))
	one, err := http.Get(f.address + "/tables/classic-1/live")
	if err != nil {
		t.Fatal(err)
	}
	defer one.Body.Close() //nolint:errcheck // it has no end
	two, err := http.Get(f.address + "/lobby/live")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Body.Close() //nolint:errcheck // it has been read
	body, err := io.ReadAll(two.Body)
	if err != nil {
		t.Fatal(err)
	}
	if one.StatusCode != http.StatusOK || two.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "cannot keep more pages up to date") {
		t.Errorf("the first is answered with %s, the second with %s: %s", one.Status, two.Status, body)
	}
	_ = one.Body.Close()
	for late := time.Now().Add(patience); time.Now().Before(late); { // until the house has noticed
		three, err := http.Get(f.address + "/lobby/live")
		if err != nil {
			t.Fatal(err)
		}
		_ = three.Body.Close()
		if three.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("nobody is told anything any more, and nobody listens")
}

// The pages that people open first are small, with everything that a browser loads for them.
// That is the page, its styles with the pictures that they name, and its modules with those
// that they import.
func TestFirstPagesAreSmall(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	named := regexp.MustCompile(`(?:<link[^>]*href|<script[^>]*src)="(/assets/[^"]*)"`)
	imported := regexp.MustCompile(`(?m)^import [^;]*"\./([a-z-]+\.js)";`)
	drawn := regexp.MustCompile(`url\("([a-z-]+\.svg)"\)`)
	for _, path := range []string{"/", "/tables/classic-1"} {
		ann.received.Reset()
		ann.get(path)
		page := ann.received.String()
		total := len(page)
		seen := map[string]bool{}
		var load func(address string)
		load = func(address string) {
			if seen[address] {
				return
			}
			seen[address] = true
			ann.received.Reset()
			ann.get(address)
			body := ann.received.String()
			total += len(body)
			for _, m := range append(imported.FindAllStringSubmatch(body, -1), drawn.FindAllStringSubmatch(body, -1)...) {
				load(address[:strings.LastIndexByte(address, '/')+1] + m[1])
			}
		}
		for _, m := range named.FindAllStringSubmatch(page, -1) {
			load(m[1])
		}
		t.Logf("%s: %d bytes before compression, of which the page %d, in %d files", path, total, len(page), len(seen)+1)
		if total >= 210_000 {
			t.Errorf("%s loads %d bytes before compression, not less than 210,000", path, total)
		}
		if len(seen) < 5 { // icon, two style sheets, and modules with what they import
			t.Errorf("%s loads only %v", path, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// How soon the first pages can be used that a browser has never seen.
func TestFirstPagesAreUsableSoon(t *testing.T) {
	steady.Detail(t)
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil)
	for _, path := range []string{"/", "/tables/classic-1"} {
		ctx := guestTab(t, f) // it has nothing in its cache
		var ms, painted float64
		do(
			t, ctx, chromedp.Navigate(f.address+path), chromedp.WaitVisible(`form[action$="/sit"] button`),
			chromedp.Evaluate(`performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`, &ms),
			chromedp.Evaluate(`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`, &painted),
		)
		if ms <= 0 {
			t.Errorf("%s does not say when its modules have run", path)
		}
		t.Logf("%s: painted after %.0f ms, its modules have run after %.0f ms", path, painted, ms)
	}
}

// A page may read the record of its table while something is recorded there, before the house
// shows it. When the house shows it, the page receives what belongs beside the table.
func TestAPageThatBeginsWithinATransactionIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	recorded, gate, added := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	meet := func(tx *house.Transaction) {
		if tx.Cause.Kind == proof.AddSeedKind {
			close(recorded)
			<-gate
		}
	}
	f.line.recorded.Store(&meet)
	add := func() {
		go func() {
			_, err := f.AddSeed(t.Context(), "", access.Person{Name: "bob", Role: access.Player}, "classic-1", 0, "a seed of bob")
			added <- err
		}()
		<-recorded
	}
	f.line.reading.Store(&add)
	lines := f.visitor().follow("/tables/classic-1/live")
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: {") {
	}
	close(gate)
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if strings.Contains(lines.Text(), "a seed of bob") {
			return
		}
	}
	t.Errorf("the page does not hear of the seed: %v", lines.Err())
}
