package web_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/internal/house/housetest"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// heldAnswers keeps back the answers to what a page asks for while it is told to: the
// house has done it, and the page's stream says so.
type heldAnswers struct {
	mutex sync.Mutex
	gate  chan struct{}
	asked int
}

func (h *heldAnswers) hold() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.gate = make(chan struct{})
}

func (h *heldAnswers) release() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	close(h.gate)
	h.gate = nil
}

func (h *heldAnswers) count() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.asked
}

func (h *heldAnswers) over(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/do") {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		h.mutex.Lock()
		gate := h.gate
		h.asked++
		h.mutex.Unlock()
		if gate != nil {
			select {
			case <-gate:
			case <-r.Context().Done():
			}
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// reaches waits until the table is as somebody wants it.
func (s *staffed) reaches(t *testing.T, name, what string, want func(*table.State) bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		state, err := housetest.Table(s, name)
		if err != nil {
			t.Fatal(err)
		}
		if want(&state) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not come to where %s: it is %s", name, what, state.Phase)
		}
	}
}

// TestNoPressIsLostBeforeItsAnswer has a dealer go on while the answers to what was pressed
// before are still on their way: each chip, letter and hand counts, and counts once.
func TestNoPressIsLostBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	answers := &heldAnswers{}
	s.server.Config.Handler = answers.over(s.server.Config.Handler)
	hands := []string{"Ac 7d 4h", "8c 6d 3h", "Qh Qs 7c"}
	s.play(dealer, "T2", table.OpenBets{})
	for box := range hands {
		s.play(dealer, "T2", table.Bet{Box: box + 1, Player: "ann", Wager: rules.Ante, Amount: 20 * money.Major})
	}
	dan := s.as(t, "dan")
	do(
		t, dan, chromedp.Navigate(s.address+"/console/T2"), still(), chromedp.WaitVisible("#bet-player"),
		chromedp.SetValue("#bet-player", "ann"), chromedp.Click(`//*[@id="k-bets"]//label[normalize-space(.)="Pair Plus"]`, chromedp.BySearch),
	)

	// The second chip is put down before the first is answered.
	answers.hold()
	do(t, dan, chromedp.Evaluate(`(() => {
		const chip = [...document.querySelectorAll("#k-bets [name=chip]")].find((key) => key.value === "5");
		chip.click();
		chip.click();
	})()`, nil), shows("#k-felt", "$5"))
	answers.release()
	s.reaches(t, "T2", "two chips lie at box 1", func(state *table.State) bool { return state.OnLayout() == 70*money.Major })
	do(t, dan, shows("#k-felt", "$10"), button("No more bets"), shows("#k-flow", "12 cards"), chromedp.Click("#k-flow .keyed > .button"), shows("#k-hands", "ann"))

	// Each letter is for the next hand that nothing was pressed for.
	answers.hold()
	do(t, dan, keyboard("ppp"))
	answers.release()
	do(t, dan, shows("#k-flow [data-to]", "Dealer"))

	// The hand before is turned, as the page's stream says, and not answered yet.
	for i, hand := range append([]string{"Kd 9c 2s"}, hands...) {
		next, place := "Next card to: Dealer", table.DealerHand
		if i > 0 {
			next, place = fmt.Sprintf("Next card to: Box %d", i), table.Box(i)
		}
		do(t, dan, shows("#k-flow [data-to]", next), emptyField())
		do(t, dan, keyboard(strings.ToLower(strings.ReplaceAll(hand, " ", ""))), shows("#k-flow [data-to]", "All cards are keyed in"))
		if i > 0 {
			do(t, dan, keyboard(" "))
			answers.release() // of the hand before: this one waits for it
		}
		answers.hold()
		if i == 0 {
			do(t, dan, keyboard(" "))
		}
		s.reaches(t, "T2", hand+" lies open", func(state *table.State) bool { return state.Open(place) })
	}
	answers.release()
	do(t, dan, shows("#k-pay", "Box 1"))
	if asked := answers.count(); asked != 11 {
		t.Errorf("the page asks for %d things, want 11: two chips, two calls, three decisions and four hands", asked)
	}
}

// TestAPressOnAPageHalfDrawn presses the place for a bet as soon as it is there, while the
// chips are not drawn yet. Everything that belongs to a button is drawn before the house gets
// its request.
func TestAPressOnAPageHalfDrawn(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "mbs-3pictures", table.Read)
	ctx := s.as(t, "ann")
	do(t, ctx, atStart(`(() => {
		// Each look at the clock is ten milliseconds after the last, so that a frame draws one place.
		const now = performance.now.bind(performance), frame = requestAnimationFrame.bind(window), frames = [];
		let looks = 0, held = false;
		performance.now = () => now() + 10 * looks++;
		window.requestAnimationFrame = (f) => held ? frames.push(f) : frame(f);
		window.hold = () => { held = true; };
		window.next = () => frames.shift()?.(performance.now());
		window.release = () => { held = false; while (frames.length > 0) frame(frames.shift()); };
	})()`), chromedp.Navigate(s.address+"/tables/T3"), chromedp.Poll(`document.querySelector("[data-live]").textContent === ""`, nil), still(), chromedp.Evaluate(`hold()`, nil))
	s.play(dealer, "T3", table.OpenBets{})
	var chips bool
	do(t, ctx, chromedp.Evaluate(`(async () => {
		const button = () => document.getElementById("a-1-main");
		while (button()?.getAttribute("aria-disabled") !== "false") {
			next();
			await new Promise((done) => { setTimeout(done, 5) });
		}
		const chips = document.querySelector("[name=chip]") !== null;
		button().click();
		release();
		return chips;
	})()`, &chips, await))
	if chips {
		t.Error("the page is drawn whole before the press")
	}
	do(t, ctx, chromedp.Poll(`document.querySelector(".has > #a-1-main") !== null`, nil, chromedp.WithPollingTimeout(patience)))
}

// awayAfter answers the first form of a table as a server does that does not get the outcome,
// after the house has carried it out. It notes the keys of all forms.
type awayAfter struct {
	mutex sync.Mutex
	keys  []string
}

func (a *awayAfter) over(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
		form, _ := url.ParseQuery(string(text))
		if err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/do") || strings.HasPrefix(form.Get("do"), "seed:") {
			next.ServeHTTP(w, r)
			return
		}
		a.mutex.Lock()
		a.keys = append(a.keys, form.Get("key"))
		first := len(a.keys) == 1
		a.mutex.Unlock()
		if !first {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(httptest.NewRecorder(), r)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"type":"urn:trey:problem:stopped"}`)
	})
}

func (a *awayAfter) sent() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Clone(a.keys)
}

// TestAPressWithoutAnAnswerIsOneRequest presses a button while the house does not return the
// outcome. The page takes that for no answer, and what it sends again, or the same press of a
// cashier, is the same request: it is done once.
func TestAPressWithoutAnAnswerIsOneRequest(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	t.Run("at the cage", func(t *testing.T) {
		t.Parallel()
		s := openStaffed(t)
		cat := s.as(t, "cat")
		take := chromedp.Evaluate(`(() => {
			const form = document.querySelector("form[action='/staff/cage']");
			form.elements.player.value = "ann";
			form.elements.amount.value = "120";
			form.requestSubmit();
		})()`, nil)
		var keys []string
		do(
			t, cat, chromedp.Navigate(s.address+"/console"), still(),
			// A browser complains of the status itself.
			chromedp.Evaluate(`{
				const real = globalThis.fetch.bind(globalThis);
				globalThis.keys = [];
				globalThis.fetch = async (...request) => {
					const answer = await real(...request);
					if (request[1]?.method !== "POST") {
						return answer;
					}
					keys.push(request[1].body.get("key"));
					return keys.length === 1 ? new Response('{"type":"urn:trey:problem:stopped"}', { status: 503 }) : answer;
				};
			}`, nil),
			take, shows("#answer", "Press again"), take, shows("#answer", "$120"), chromedp.Evaluate("keys", &keys),
		)
		if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
			t.Errorf("the keys of a press that was repeated are %q", keys)
		}
	})
	t.Run("at a table", func(t *testing.T) {
		t.Parallel()
		f := newFloor(t, unhurried, nil, "vegas-1")
		away := &awayAfter{}
		f.server.Config.Handler = away.over(f.server.Config.Handler)
		ctx := guestTab(t, f)
		sit(t, ctx, f, "vegas-1")
		var refusal string
		do(t, ctx, press("a-3-ante"), chromedp.WaitReady(".has > #a-3-ante"))
		steady.Await(t, "the press is sent again", func() bool { return len(away.sent()) == 2 })
		do(t, ctx, chromedp.Text("#refusal", &refusal, chromedp.AtLeast(0)))
		state, err := housetest.Table(f, "vegas-1")
		if err != nil {
			t.Fatal(err)
		}
		if keys := away.sent(); keys[0] != keys[1] || keys[0] == "" || strings.Contains(refusal, "urn:") || state.OnLayout() != 5*money.Major {
			t.Errorf("the keys are %q, the page says %q, and %v lie on the layout", keys, refusal, state.OnLayout())
		}
	})
}
