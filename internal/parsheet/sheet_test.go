package parsheet_test

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/parsheet"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

// shapes returns a report as text, page and lines of the CSV by column.
func shapes(t *testing.T, book string, o odds.Options) (text, page string, lines []map[string]string) {
	t.Helper()
	r := report(t, book, o)
	html, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.CSV()
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(table))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		line := map[string]string{}
		for i, column := range records[0] {
			line[column] = record[i]
		}
		lines = append(lines, line)
	}
	return string(r.Text()), string(html), lines
}

// From the ten ranks 2 to J there are (120 - 8) x (64 - 4) = 6,720 hands that do
// not qualify, so 15,380 of 22,100 do: 69.5928 %, once in 1.4369.
func TestSheetNamesTheGame(t *testing.T) {
	text, page, lines := shapes(t, "rws-3cp", odds.Options{Others: 6, Meter: 2_500_000})
	for name, value := range map[string]string{
		"The dealer qualifies": "69.5928 %", "The dealer qualifies, 1 in": "1.4369", "The dealer qualifies with": "Q-3-2",
		"Boxes of the table": "7", "Other boxes in the round": "6", "Cards in the deck": "52",
		"Progressive bet": "$5.00", "Reset value": "$10,000.00", "Part of each bet to the meter": "40 %", "Ceiling": "$1,000,000.00",
		"Meter": "$25,000.00",
	} {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` +` + regexp.QuoteMeta(value) + `$`).MatchString(text) {
			t.Errorf("the text has no %s of %s", name, value)
		}
		if want := "<dt>" + name + "</dt><dd>" + value + "</dd>"; !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	game := map[string]map[string]string{}
	for _, l := range lines {
		if l["kind"] == "game" {
			game[l["item"]] = l
		}
	}
	if q := game["dealer_qualifies"]; q["num"] != "769" || q["den"] != "1105" || game["meter"]["decimal"] != "25000.0000000000" || game["least_qualifying_hand"]["decimal"] != "Q-3-2" {
		t.Errorf("the CSV: %v", game)
	}
	// Limits and tables are those in force; where every hand qualifies nothing is said.
	text, _, _ = shapes(t, "sm-3cp", odds.Options{})
	if !strings.Contains(text, "Bonus: Pay table                   TCPB-03E\n") {
		t.Error("the Bonus bet has no table")
	}
	if text, _, _ = shapes(t, "mbs-3pictures", odds.Options{}); strings.Contains(text, "qualifies") {
		t.Error("nobody qualifies at Royal Three Pictures")
	}
	limited := string(report(t, "us-3cp", odds.Options{}, func(v *rules.Variant) error {
		v.Limits[rules.Ante] = rules.Limit{Min: 1000, Max: 50_000}
		v.CarryLimits()
		return v.Check()
	}).Text())
	if !strings.Contains(limited, "Ante: Limits                       $10.00 - $500.00\n") {
		t.Error("no limits")
	}
}

// Straight flushes are 48 of 22,100 hands, once in 460.417; Pair Plus is paid for
// 5,660, once in 3.9046.
func TestSheetShowsOneIn(t *testing.T) {
	text, page, lines := shapes(t, "rws-3cp", odds.Options{Bets: []odds.Bet{odds.PairPlus}})
	if !strings.Contains(text, "Hit, 1 in                      3.9046") || !strings.Contains(text, "0.2172 % 460.417 ") {
		t.Errorf("the text:\n%s", text)
	}
	if !strings.Contains(page, "<dt>Hit, 1 in</dt><dd>3.9046</dd>") || !strings.Contains(page, "<td>460.4167</td>") {
		t.Error("the page has no 1 in")
	}
	found := false
	for _, l := range lines {
		if l["kind"] == "row" && l["item"] == "Straight flush" {
			found = l["one_in"] == "460.4166666667"
		}
	}
	if !found {
		t.Error("the CSV has no 1 in")
	}
	nothing := string(report(t, "rws-3cp", odds.Options{Bets: []odds.Bet{odds.PairPlus}}, pays(rules.PairPlus, 0, 0, 0, 0, 0)).Text())
	if !strings.Contains(nothing, "Net win, 1 in                   never") {
		t.Errorf("what cannot happen:\n%s", nothing)
	}
}

// A pay does not include the stake, in any form: a line that is not paid shows none, and
// the 15 of a straight is 15 though the house keeps the 5 staked.
func TestPaysAreBesideTheStake(t *testing.T) {
	text, page, lines := shapes(t, "rws-3cp", odds.Options{Bets: []odds.Bet{odds.Progressive}})
	if !regexp.MustCompile(`(?m)^Straight +4\.4 +15 `).MatchString(text) || !regexp.MustCompile(`(?m)^lost +4\.4 {3,}14,080 `).MatchString(text) {
		t.Errorf("the text:\n%s", text)
	}
	if !strings.Contains(page, `<th scope="row">lost</th><td class="clause">4.4</td><td></td>`) {
		t.Error("the page shows a pay of a lost line")
	}
	for _, l := range lines {
		switch {
		case l["kind"] != "row":
		case l["item"] == "Straight" && (l["pays"] != "15" || l["net"] != "10"), l["item"] == "lost" && (l["pays"] != "0" || l["net"] != "-5"):
			t.Errorf("the CSV: %v", l)
		}
	}
}

// An Envy Bonus comes once for each hand that brings it, so that its share of all
// deals is an expected number and not a probability.
func TestEnvyBonusHasAnExpectedNumber(t *testing.T) {
	r := report(t, "rws-3cp", odds.Options{Bets: []odds.Bet{odds.Progressive}, Others: 6})
	text, page, lines := shapes(t, "rws-3cp", odds.Options{Bets: []odds.Bet{odds.Progressive}, Others: 6})
	if !strings.Contains(text, "Envy Bonus for hands of other boxes: expected number, not a probability\n") {
		t.Error("the text calls it a probability")
	}
	if regexp.MustCompile(`(?m)^  AKQ of spades +4\.7 .*%`).MatchString(text) {
		t.Error("the expected number is a percentage")
	}
	if !strings.Contains(page, "Envy Bonus: expected number, not a probability") {
		t.Error("the page calls it a probability")
	}
	seen := 0
	for _, l := range lines {
		if l["line"] == "envy" {
			if seen++; l["one_in"] != "" {
				t.Errorf("the CSV: %v", l)
			}
		}
	}
	if seen == 0 {
		t.Error("the CSV has no Envy Bonus")
	}
	written, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Wagers map[string]struct {
			Rows []map[string]any
		}
	}
	if err := json.Unmarshal(written, &out); err != nil {
		t.Fatal(err)
	}
	for _, row := range out.Wagers["progressive"].Rows {
		_, chance := row["probability"]
		_, number := row["expected_number"]
		if envy := row["wager"] == "envy"; chance == envy || number != envy {
			t.Errorf("%v: probability %t, expected number %t", row["combo"], chance, number)
		}
	}
}

// Main wins in two ways by one clause, and the sheet says which is which, also
// where an odd bet is rounded. No two rows of a wager have one name.
func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	text, page, lines := shapes(t, "mbs-3pictures", odds.Options{})
	for _, want := range []string{`(?m)^won, other hands +4\.1 +1 `, `(?m)^won, six points +4\.1 +0\.5 `} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the text has no %s", want)
		}
	}
	if !strings.Contains(page, ">won, six points<") || !slices.ContainsFunc(lines, func(l map[string]string) bool { return l["item"] == "won, six points" && l["pays"] == "0.5" }) {
		t.Error("the page or the CSV does not tell the rows apart")
	}
	if text, _, _ = shapes(t, "mbs-3pictures", odds.Options{Bets: []odds.Bet{odds.Main}, Stake: 333}); !strings.Contains(text, "won, six points") || !strings.Contains(text, "won, other hands") {
		t.Error("an odd bet has rows of one name")
	}
	for _, b := range books.All() {
		_, _, lines := shapes(t, b.ID, odds.Options{Others: 6})
		seen := map[string]bool{}
		for _, l := range lines {
			key := l["wager"] + " " + l["line"] + " " + l["item"] + " " + l["folded"]
			if l["kind"] == "row" && seen[key] {
				t.Errorf("%s: two rows are %s", b.ID, key)
			}
			seen[key] = true
		}
	}
}

// Where a Bonus bet takes the higher pays from the Ante beside it, the sheet says for whom its
// figures are: the Ante alone is the same under both values.
func TestSheetNamesWhoseAnteItIs(t *testing.T) {
	for choice, want := range map[rules.Choice]bool{rules.Yes: false, rules.No: true} {
		r := report(t, "fr-p3c", odds.Options{}, func(v *rules.Variant) error {
			v.Choices[rules.AnteBesideBonus] = choice
			return nil
		})
		text := string(r.Text())
		if said := strings.Contains(text, "those of a player without a Bonus bet"); said != want || !strings.Contains(text, "7.561333 %") {
			t.Errorf("ante_beside_bonus %s: the sheet says whose Ante it is: %v", choice, said)
		}
	}
}

// That Envy Bonuses are left out is said of bets that can bring some, and of no others.
func TestEnvyBonusesAreMissedWhereThereAreSome(t *testing.T) {
	tests := []struct {
		book, bonus string
		bet         odds.Bet
		want        bool
	}{
		{"rws-3cp", "", odds.AntePlay, false},
		{"rws-3cp", "", odds.Progressive, true},
		{"us-3cp", "", odds.PairPlus, false},
		{"sm-3cp", "TCPB-03E", odds.Bonus, true},
		{"sm-3cp", "TCPB-01", odds.Bonus, false},
		{"fr-p3c", "", odds.Bonus, false},
	}
	for _, test := range tests {
		b, err := books.Find(test.book)
		if err != nil {
			t.Fatal(err)
		}
		v := b.Standard()
		if test.bonus != "" {
			if err := v.UsePayTable(rules.Bonus, test.bonus); err != nil {
				t.Fatal(err)
			}
		}
		stakes := map[odds.Bet]money.Amount{odds.AntePlay: 10 * money.Major}
		if test.bet != odds.AntePlay {
			stakes[test.bet] = 5 * money.Major
		}
		joint, err := odds.Together(v, stakes, odds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		session, err := joint.Sum.Session(2, odds.Fraction{})
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{
			"joint":   parsheet.NewJoint(v, joint, nil, testVersion, nil).Text(),
			"session": parsheet.NewSession(v, joint, session, testVersion, nil).Text(),
		} {
			if said := strings.Contains(strings.ToLower(string(text)), "without envy"); said != test.want {
				t.Errorf("%s %s with %s: %s says that Envy Bonuses are left out: %v", test.book, test.bonus, test.bet, name, said)
			}
		}
	}
}

// A rule that costs something costs the same part of the Ante whoever says so.
func TestCostOfARuleIsOfTheAnte(t *testing.T) {
	b, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard().Clone()
	if err := pays(rules.Play, 2)(v); err != nil {
		t.Fatal(err)
	}
	joint, err := odds.Together(v, map[odds.Bet]money.Amount{odds.AntePlay: 10 * money.Major}, odds.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sheet := report(t, "us-3cp", odds.Options{}, pays(rules.Play, 2))
	for name, text := range map[string][]byte{"sheet": sheet.Text(), "joint": parsheet.NewJoint(v, joint, nil, testVersion, nil).Text()} {
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), "this costs 0.000074 % of the Ante") {
			t.Errorf("the %s names another cost:\n%s", name, text)
		}
	}
}

// Hands of one rank that are worth different sums once they are folded are shown so.
func TestFoldedHandsOfOneRank(t *testing.T) {
	b, err := books.Find("sm-3cp")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard()
	stakes := map[odds.Bet]money.Amount{odds.AntePlay: 10 * money.Major, odds.Bonus: money.Major}
	s, err := odds.StrategyFor(v, stakes, odds.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := parsheet.NewStrategyFor(v, s, stakes, 0, 0, testVersion, nil).CSV(true)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	best := map[string]string{}
	for i, name := range records[0] {
		best[name] = records[1][i]
	}
	// Three of A-K-Q bring 1,000 of the Bonus, that of spades 4,000: less the Ante, 99 and 399 Antes.
	for name, want := range map[string]string{"hands": "4", "fold_mean": "174.0000000000", "fold_least": "99.0000000000", "fold_most": "399.0000000000"} {
		if best[name] != want {
			t.Errorf("%s of A-K-Q is %q, want %s", name, best[name], want)
		}
	}
}

// A rank of equal flushes is not called by the name of one of them.
func TestEqualFlushesOfTheFrenchBook(t *testing.T) {
	b, err := books.Find("fr-p3c")
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard()
	s, err := odds.Analyse(v, odds.Options{Bets: []odds.Bet{odds.AntePlay}})
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range parsheet.NewStrategy(v, s, testVersion, nil).Ranks() {
		// The fewest are those with a five: 5-4-2 and 5-3-2.
		if strings.HasPrefix(rank.Name, "Flush") && strings.Contains(rank.Name, "-") {
			t.Errorf("%d hands are called %s", rank.Hands, rank.Name)
		}
	}
}
