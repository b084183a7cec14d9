package web_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/card"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
	"trey/table"
)

// partText returns the text of a part of a page without its marks, its white space single.
func partText(page, id string) string {
	_, part, _ := strings.Cut(page, `id="`+id+`"`)
	part, _, _ = strings.Cut(part, `</section>`)
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<i"+part, " ")), " ")
}

// TestStatisticsOfSession folds one hand and plays the next, and compares the statistics with
// the player's account and with the dealer's cards, counted here by hand. A house that is
// opened anew shows the same from its record, and another visitor none of the player's figures.
func TestStatisticsOfSession(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	f.awaitBets("classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	stats := func(v *visitor, wanted string) string {
		t.Helper()
		for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			v.received.Reset()
			v.get("/tables/classic-1")
			if text := partText(v.received.String(), "stats"); strings.Contains(text, wanted) {
				return text
			} else if time.Now().After(late) {
				t.Fatalf("the statistics do not say %q: %s", wanted, text)
			}
		}
	}
	stats(ann, "Your rounds 0 Staked $0 Returned $0 Net $0 Best round $0 The last 0 rounds here. The dealer qualified in 0 of 0: –. Expected: 69.6 %.")

	// The dealer qualifies with a Queen or better: any pair, flush or straight is better.
	qualified, pairs, dealt := 0, 0, 0
	look := func() {
		t.Helper()
		s, err := housetest.Table(f, "classic-1")
		if err != nil {
			t.Fatal(err)
		}
		dealer, _ := s.Hand(table.DealerHand)
		ranks := []int{int(dealer[0].Rank()), int(dealer[1].Rank()), int(dealer[2].Rank())}
		slices.Sort(ranks)
		flush := dealer[0].Suit() == dealer[1].Suit() && dealer[1].Suit() == dealer[2].Suit()
		straight := ranks[1] == ranks[0]+1 && ranks[2] == ranks[1]+1
		pair := ranks[0] == ranks[1] || ranks[1] == ranks[2]
		if seen := table.View(s, table.Viewer{}); len(seen.Dealer) != 3 || !seen.Dealer[0].Valid() {
			return // nobody played against it
		}
		dealt++
		if flush || straight || pair || ranks[2] >= int(card.Queen) {
			qualified++
		}
		if pair && ranks[0] != ranks[2] {
			pairs++
		}
	}
	purse := ledger.Account{Kind: ledger.Player}
	for account, held := range f.Book() {
		if account.Kind == ledger.Player && held == 1000*money.Major {
			purse = account
		}
	}
	before := f.Balance(purse)
	var nets []money.Amount
	round := func(first, then string) {
		t.Helper()
		ann.act(first, "500")
		if first != "deal-again" {
			ann.act("ready", "")
		}
		f.await("classic-1", table.Deciding)
		ann.act("examine:1", "")
		ann.act(then, "")
		f.await("classic-1", table.Paid)
		nets = append(nets, f.Balance(purse)-before)
		before = f.Balance(purse)
		look()
	}
	round("bet:1:ante", "fold:1")
	if nets[0] != -5*money.Major {
		t.Fatalf("a folded Ante of $5 changes the account by %s", nets[0])
	}
	text := stats(ann, "Your rounds 1 Staked $5 Returned $0 Net −$5 Best round $0 The last round here.")
	for _, want := range []string{"Straight flush 0.0 %", "100.0 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("after one hand the statistics do not say %q: %s", want, text)
		}
	}
	round("deal-again", "raise:1")
	sum := func(a money.Amount) string { // whole dollars: the bets are of $5
		sign := map[bool]string{true: "−", false: ""}[a < 0]
		return fmt.Sprintf("%s$%d", sign, max(a, -a)/money.Major)
	}
	plus := func(a money.Amount) string { return map[bool]string{true: "+", false: ""}[a > 0] + sum(a) }
	net := nets[0] + nets[1]
	want := fmt.Sprintf(
		"Your rounds 2 Staked $15 Returned %s Net %s Best round %s The last 2 rounds here. The dealer qualified in %d of %d: ",
		sum(15*money.Major+net), plus(net), plus(max(0, nets[1])), qualified, dealt,
	)
	text = stats(ann, want)
	// Of 22,100 hands 48 are straight flushes, 52 prials, 720 straights, 1,096 flushes and
	// 3,744 pairs.
	for _, row := range []string{"Straight flush", "Three of a kind", "Straight", "Flush", "Pair", "High card"} {
		expected := map[string]string{"Straight flush": "0.2", "Three of a kind": "0.2", "Straight": "3.3", "Flush": "5.0", "Pair": "16.9", "High card": "74.4"}[row]
		if !regexp.MustCompile(row + ` [0-9.]+ % [0-9.–]+( %)? ` + regexp.QuoteMeta(expected) + ` %`).MatchString(text) {
			t.Errorf("the statistics do not expect %s %% of %s: %s", expected, row, text)
		}
	}
	if dealt > 0 && !regexp.MustCompile(`Pair [0-9.]+ % `+regexp.QuoteMeta(fmt.Sprintf("%.1f %%", 100*float64(pairs)/float64(dealt)))).MatchString(text) {
		t.Errorf("the dealer had %d pairs in %d hands, and the statistics say %s", pairs, dealt, text)
	}

	f.kill()
	f.open(strings.TrimPrefix(f.address, "http://"))
	stats(ann, want)
	if text := stats(f.visitor(), "The last 2 rounds here."); strings.Contains(text, "Staked") {
		t.Errorf("a visitor who only looks on sees %s", text)
	}
	bob := f.visitor()
	bob.post("/tables/classic-1/sit", nil)
	stats(bob, "Your rounds 0 Staked $0")
}

// TestStatisticsInTheDrawer opens the statistics of a game of points on a telephone, after a
// round, by taps.
func TestStatisticsInTheDrawer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "pictures-1")
	ctx := guestTab(t, f)
	heard := listen(ctx, f.address)
	do(t, ctx, chromedp.EmulateViewport(390, 844))
	sit(t, ctx, f, "pictures-1")
	do(
		t, ctx, press("a-2-main"), chromedp.WaitReady(".has > #a-2-main"), press("do-ready"), phaseOf(f, "pictures-1", table.Deciding),
		press("do-examine:2"), press("do-lay-up:2"), phaseOf(f, "pictures-1", table.Paid),
		chromedp.Click("#menu"), chromedp.Click(`#drawer a[href="#stats-title"]`), shows("#stats", "Your rounds"),
		shows("#stats", "The last round here."), shows("#stats", "9 points"), shows("#stats", "Three Pictures"),
	)
	var inside bool
	do(t, ctx, chromedp.Evaluate(`(() => {
		const { top, bottom, left, right } = document.getElementById("stats-title").getBoundingClientRect();
		return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth && document.getElementById("stats").scrollWidth <= document.getElementById("drawer").clientWidth;
	})()`, &inside))
	if !inside {
		t.Error("the statistics are not in sight")
	}
	for _, complaint := range heard() {
		t.Error(complaint)
	}
}
