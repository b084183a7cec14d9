package web_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/internal/steady"
	"trey/table"
)

// playRound bets at a table of rws-3cp or us-3cp, waits for the browser's seed, and
// folds. It returns the seed that the house holds for the round.
func playRound(t *testing.T, ctx context.Context, f *floor, name string) (text string) {
	t.Helper()
	sit(t, ctx, f, name)
	do(t, ctx, press("a-3-ante"))
	for end := time.Now().Add(patience); text == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the browser adds no seed")
		}
		if _, _, playerSeeds, _ := f.Commitment(name); len(playerSeeds) == 1 {
			text = playerSeeds[0].Text
		}
	}
	do(t, ctx, press("do-ready"), phaseOf(f, name, table.Deciding), press("do-fold:3"))
	return text
}

// verdict waits until the page shows the result of the check of a round's commitment.
func verdict(t *testing.T, ctx context.Context) (result, words string) {
	t.Helper()
	do(
		t, ctx, chromedp.Poll(`document.getElementById("seed-check").dataset.result`, &result, chromedp.WithPollingTimeout(patience)),
		chromedp.Text("#seed-check", &words),
	)
	return result, words
}

// The browser adds a random seed after the first bet of a round, and when the round has
// ended it holds the record against the commitment that it saw before.
func TestTheBrowserAddsASeed(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil)
	ctx := guestTab(t, f)
	heard := listen(ctx, f.address)
	text := playRound(t, ctx, f, "vegas-1")
	if !regexp.MustCompile("^[0-9a-f]{32}$").MatchString(text) {
		t.Errorf("the seed is %q", text)
	}
	if result, words := verdict(t, ctx); result != "kept" || !strings.Contains(words, "Round 1") {
		t.Errorf("it says %s: %s", result, words)
	}
	// The round is in the signed record of the house, which the browser looks at as well.
	var line string
	do(
		t, ctx, chromedp.Poll(`/Round 1 is entry [0-9]+ of it/.exec(document.getElementById("log-check").textContent)?.input`, &line, chromedp.WithPollingTimeout(patience)),
	)
	if !strings.Contains(line, "goes on from what this browser saw of it before") {
		t.Errorf("of the record it says: %s", line)
	}
	if complaints := heard(); len(complaints) > 0 {
		t.Errorf("the browser complains: %q", complaints)
	}
}

// TestALateSeedIsNobodysFault holds the seed of a browser back until the next round, and has another
// one typed in when the bets are closed. Neither comes into a deck, and the page does not say that the
// house left one out.
func TestALateSeedIsNobodysFault(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	f := newFloor(t, unhurried, nil, "vegas-1")
	ctx := guestTab(t, f)
	do(t, ctx, atStart(`const ask = window.fetch;
		window.held = new Promise((go) => { window.release = go; });
		window.fetch = async (address, options) => {
			if (String(options?.body).includes("do=seed%3A1")) {
				await window.held;
				const answer = await ask(address, options);
				window.refused = await answer.clone().text();
				return answer;
			}
			return ask(address, options);
		};`))
	sit(t, ctx, f, "vegas-1")
	do(t, ctx, press("a-3-ante"), press("do-ready"), phaseOf(f, "vegas-1", table.Deciding), press("do-fold:3"))
	if result, words := verdict(t, ctx); result != "without" || !strings.Contains(words, "Round 1") {
		t.Errorf("of a seed that did not arrive it says %s: %s", result, words)
	}
	var refused string
	do(
		t, ctx, press("do-ready"), press("a-3-ante"), chromedp.WaitReady(".has > #a-3-ante"), chromedp.Evaluate("release()", nil),
		chromedp.Poll("window.refused", &refused, chromedp.WithPollingTimeout(patience)),
	)
	if strings.TrimSpace(refused) == "" {
		t.Error("a seed for the round before is not refused")
	}
	steady.Await(t, "the seed of the second round", func() bool {
		_, _, playerSeeds, _ := f.Commitment("vegas-1")
		return len(playerSeeds) == 1
	})
	do(
		t, ctx, press("do-ready"), phaseOf(f, "vegas-1", table.Deciding),
		chromedp.SetValue("#seed-text", "too late"), chromedp.Evaluate(`document.querySelector(".seed-form button").click()`, nil),
		chromedp.Poll(`document.getElementById("refusal").innerText`, nil, chromedp.WithPollingTimeout(patience)),
		press("do-fold:3"), chromedp.Poll(`document.getElementById("seed-check").dataset.round === "2"`, nil, chromedp.WithPollingTimeout(patience)),
	)
	if result, words := verdict(t, ctx); result != "kept" {
		t.Errorf("of the seed that was added in time it says %s: %s", result, words)
	}
}

// A house that deals from another seed than it committed itself to is found out, also where
// everything in its record fits together. So is one that leaves a seed out.
func TestTheBrowserNoticesAnotherCommitment(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	const other = "00000000000000000000000000000000000000000000000000000000000000ff"
	fits := fmt.Sprintf("%x", sha256.Sum256([]byte("trey commitment 1\nround 1\nseed "+other+"\ntable vegas-1\n")))
	for want, alter := range map[string]string{
		"changed": fmt.Sprintf("r.seed.seed = %q; r.seed.commitment = %q;", other, fits),
		"missing": "r.seed.own = [];",
		"deck":    "r.steps.find((s) => s.kind === 'deal').body.cards.reverse();",
	} {
		t.Run(want, func(t *testing.T) {
			f := newFloor(t, unhurried, nil, "vegas-1")
			ctx := guestTab(t, f)
			do(t, ctx, atStart(`const asked = window.fetch;
				window.fetch = async (address, options) => {
					const answer = await asked(address, options);
					if (!String(address).includes("/rounds/") || !answer.ok) return answer;
					const r = await answer.json();
					`+alter+`
					return new Response(JSON.stringify(r), { headers: { "Content-Type": "application/json" } });
				};`))
			playRound(t, ctx, f, "vegas-1")
			if result, words := verdict(t, ctx); result != want || !strings.Contains(words, "Round 1") {
				t.Errorf("it says %s: %s", result, words)
			}
		})
	}
}
