package lobby

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"trey/internal/house"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// fiveHundred returns tables of two games. Every tenth is full, every fourth takes bets from
// $25, and one in seven is run by a dealer who has not come.
func fiveHundred() (all []line) {
	of := books.All()
	for i := range 500 {
		l := line{name: fmt.Sprintf("t%03d", i), book: of[i%2], boxes: 7, mode: house.Automatic, phase: table.Betting, limits: rules.Limit{Min: 5 * money.Major}}
		if i%10 == 0 {
			l.taken = 7
		}
		if i%4 == 0 {
			l.limits.Min = 25 * money.Major
		}
		if i%7 == 0 {
			l.mode, l.phase = house.DealerRun, table.Ready
		}
		all = append(all, l)
	}
	return all
}

// TestChoiceAmongFiveHundred counts by hand what a choice leaves of 500 tables.
func TestChoiceAmongFiveHundred(t *testing.T) {
	all := fiveHundred()
	for query, want := range map[string]int{
		"":                       500,
		"least=500":              375, // three of four
		"least=2500":             500,
		"free=on":                450, // nine of ten
		"least=500&free=on":      350, // of 20 in a row 5 take more and 2 are full, of which one (0) is both: 14
		"game=nonsense":          0,
		"least=x&free=maybe":     500,
		"least=-5":               500,
		"game=" + all[0].book.ID: 250,
	} {
		from, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(chosen(from).of(all)); got != want {
			t.Errorf("%q leaves %d tables, want %d", query, got, want)
		}
	}
	if minima := minimaOf(all); !slices.Equal(minima, []money.Amount{5 * money.Major, 25 * money.Major}) {
		t.Errorf("the least bets are %v", minima)
	}
}

// TestMoreTablesWhenAsked follows "more" through 500 tables: each page has those before and 48
// more, the choice stays, and the last page has no such link. Whatever an address says, at least
// 48 are shown.
func TestMoreTablesWhenAsked(t *testing.T) {
	all := fiveHundred()
	query, most, pages := "least=500", 48, 0
	for ; ; pages++ {
		from, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		c := chosen(from)
		got := c.first(c.of(all))
		if want := min(most, 375); len(got) != want || got[len(got)-1].name != c.of(all)[want-1].name {
			t.Errorf("%q shows %d tables, want the first %d of 375", query, len(got), want)
		}
		to, n := c.more(375)
		if n == 0 {
			break
		}
		address, err := url.Parse(to)
		if want := min(48, 375-most); err != nil || n != want || address.Path != "/" || address.Fragment != "from-"+strconv.Itoa(most) {
			t.Errorf("%q leads on to %s and %d more, want table %d and %d more", query, to, n, most, want)
		}
		query, most = address.RawQuery, most+48
	}
	if pages != 7 {
		t.Errorf("375 tables are %d pages", pages+1)
	}
	for _, text := range []string{"-1", "0", "x", "99999999999999999999"} {
		if c := chosen(url.Values{"shown": {text}}); c.visible != 48 {
			t.Errorf("with shown=%s %d tables are shown", text, c.visible)
		}
	}
}

// TestOrderOfTables has the flagship first, and a table without its dealer last, which says so.
func TestOrderOfTables(t *testing.T) {
	all := []line{
		{name: "a", mode: house.DealerRun, phase: table.Ready},
		{name: "b", mode: house.DealerRun, phase: table.Betting},
		{name: "c", mode: house.Automatic, phase: table.Ready},
		{name: "d", mode: house.Automatic, phase: table.Ready, jackpot: "linked"},
	}
	inOrder(all)
	var names string
	p := lang.Printer{Language: lang.English}
	for i := range all {
		names += all[i].name
		if says := all[i].paceWords(p) == "waits for its dealer"; says != (all[i].name == "a") {
			t.Errorf("table %s says %q", all[i].name, all[i].paceWords(p))
		}
	}
	if names != "dcba" {
		t.Errorf("the tables stand as %s", names)
	}
}

// TestGamesHaveTheirLine finds what each game is, in one line of each language.
func TestGamesHaveTheirLine(t *testing.T) {
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		p := lang.Printer{Language: l}
		seen := map[string]bool{}
		for _, b := range books.All() {
			words := p.T("lobby.line-" + b.ID)
			if len(words) < 20 || seen[words] {
				t.Errorf("%s in %v is %q", b.ID, l, words)
			}
			seen[words] = true
		}
	}
}
