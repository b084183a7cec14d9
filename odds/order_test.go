package odds_test

import (
	"encoding/json"
	"testing"

	"trey/odds"
	"trey/rules/sm3cp"
)

// A report that is made twice is the same twice: where rows differ only in the
// fold, their order must not be chance.
func TestRowsHaveOneOrder(t *testing.T) {
	v := sm3cp.Book().Standard()
	var first string
	for range 20 {
		s, err := odds.Analyse(v, odds.Options{Bets: []odds.Bet{odds.Bonus}, Others: 2})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		} else if first != string(text) {
			t.Fatalf("two analyses differ:\n%s\n%s", first, text)
		}
	}
}
