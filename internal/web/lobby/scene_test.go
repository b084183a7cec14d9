package lobby

import (
	"strings"
	"testing"

	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
)

// A scene is settled by the books. A flush that beats a qualifying pair of kings pays 1 to 1 on
// Ante and Play. In Royal Three Pictures three pictures pay 1 to 1, without a decision.
func TestScenesAreSettledByTheRules(t *testing.T) {
	t.Parallel()
	won := map[string]money.Amount{"rws-3cp": 5000, "us-3cp": 5000, "sm-3cp": 5000, "fr-p3c": 5000, "mbs-3pictures": 2500}
	for _, b := range books.All() {
		s, err := sceneOf(b)
		if err != nil {
			t.Errorf("%s: %v", b.ID, err)
			continue
		}
		if s.won() != won[b.ID] {
			t.Errorf("%s: the player wins %s, want %s: a book of its own has a line in this table", b.ID, s.won(), won[b.ID])
		}
		if decides := len(s.wagers) == 2; decides != (b.Decision != nil) {
			t.Errorf("%s: the player lays %d bets", b.ID, len(s.wagers))
		}
		for _, l := range s.lines {
			if l.Result != rules.Win || s.wonOn(l.Wager) != l.Net() {
				t.Errorf("%s: %s ends as %s", b.ID, l.Wager, l.Result)
			}
		}
	}
	s, err := sceneOf(books.All()[0])
	if err != nil {
		t.Fatal(err)
	}
	const want = "You lay $25 on Ante. Three cards for you, three for the dealer. You look at yours, and play with $25 more. The dealer shows: Pair K-K-6. Yours is better: Flush 9-5-2. You win $50."
	if steps := strings.Join(s.steps(lang.Printer{Language: lang.English}), " "); steps != want {
		t.Errorf("the scene says\n%s, want\n%s", steps, want)
	}
}
