package web_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/card"
	"trey/table"
)

// TestCoachSpeaksBeforeOrAfter has a player fold Q-6-4, which is played by the published best
// strategy: playing it is worth about -0.993 of the Ante and folding it -1. A coach who speaks
// after the decision says nothing before it, then what the mistake has cost, and counts it; one
// who speaks before it gives both figures.
func TestCoachSpeaksBeforeOrAfter(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, seedWhere(t, "classic-1", func(deck []card.Card) bool {
		ranks := []card.Rank{deck[0].Rank(), deck[1].Rank(), deck[2].Rank()}
		slices.Sort(ranks)
		return slices.Equal(ranks, []card.Rank{card.Four, card.Six, card.Queen}) && deck[0].Suit() != deck[1].Suit()
	}), "classic-1")
	f.awaitBets("classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	page := func(until string) string {
		t.Helper()
		for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			ann.received.Reset()
			ann.get("/tables/classic-1")
			if text := ann.received.String(); strings.Contains(text, until) {
				return text
			}
			if time.Now().After(late) {
				t.Fatalf("the page does not come to say %q", until)
			}
		}
	}
	ann.post("/tables/classic-1/trainer", url.Values{"on": {"after"}})
	ann.act("bet:1:ante", "500")
	ann.act("ready", "")
	f.await("classic-1", table.Deciding)
	ann.act("examine:1", "")
	if text := page(`value="raise:1"`); strings.Contains(text, "Fold −1.0000") || strings.Contains(text, "Decisions in the last") {
		t.Error("a coach who is to speak after the decision speaks before it")
	}
	ann.act("fold:1", "")
	f.await("classic-1", table.Paid)
	text := page("Decisions in the last rounds here: 1. Mistakes: 1.")
	for _, want := range []string{`A mistake: it cost 0\.006\d of the Ante`, `They cost 0\.006\d of the Ante\.`, `Play −0\.993\d`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("after Q-6-4 was folded the coach does not say %s", want)
		}
	}
	ann.post("/tables/classic-1/trainer", url.Values{"on": {"on"}})
	ann.act("deal-again", "")
	f.await("classic-1", table.Deciding)
	ann.act("examine:1", "")
	page("Fold −1.0000")
	ann.post("/tables/classic-1/trainer", url.Values{"on": {"nonsense"}})
	if text := page(`value="raise:1"`); strings.Contains(text, "Fold −1.0000") || strings.Contains(text, "Decisions in the last") {
		t.Error("a coach who was switched off speaks")
	}
}

// TestDrawerAsksNoDecisionWhereThereIsNone has the game without a decision: its drawer names no
// key for one, and a coach who says what a hand is worth.
func TestDrawerAsksNoDecisionWhereThereIsNone(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1", "pictures-1")
	ann := f.visitor()
	for name, decides := range map[string]bool{"classic-1": true, "pictures-1": false} {
		ann.post("/tables/"+name+"/sit", nil)
		ann.post("/tables/"+name+"/trainer", url.Values{"on": {"after"}})
		ann.received.Reset()
		ann.get("/tables/" + name)
		text := ann.received.String()
		for _, words := range []string{"P plays it, F folds it", "After I have decided", "what a mistake cost"} {
			if strings.Contains(text, words) != decides {
				t.Errorf("%s: %q is on the page: %v", name, words, !decides)
			}
		}
		for _, words := range []string{"L lays it face up", "This game asks for no decision", `value="on" aria-pressed="true"`} {
			if strings.Contains(text, words) == decides {
				t.Errorf("%s: %q is on the page: %v", name, words, decides)
			}
		}
	}
}
