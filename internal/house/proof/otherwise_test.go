package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/house/proof"
	"trey/rules"
)

// foreign returns a record as a program wrote it that declares the book as another
// revision: what this program's engine makes of a command, it may have made otherwise.
func foreign(t testing.TB, text []byte) []byte {
	t.Helper()
	r := read(t, text)
	revision := regexp.MustCompile(`"revision":\d+,`).FindString(r.Declaration)
	declaration := strings.Replace(r.Declaration, revision, `"revision":99,`, 1)
	r.Terms = strings.NewReplacer(revision, `"revision":99,`, rules.HashOf([]byte(r.Declaration)), rules.HashOf([]byte(declaration))).Replace(r.Terms)
	r.Declaration, r.RulesHash, r.Proof = declaration, rules.HashOf([]byte(r.Terms)), ""
	again, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A different decision of this program is reported where the record declares its book
// otherwise, and the round is proven all the same. By this program's own declaration it is a
// failure. What moves money fails in both.
func TestWhatWouldBeDecidedOtherwise(t *testing.T) {
	for name, text := range samples(t) {
		report := proof.Verify(read(t, foreign(t, text)))
		if !report.Sound || slices.ContainsFunc(report.Findings, func(f proof.Finding) bool { return f.Result == proof.Otherwise }) {
			t.Errorf("%s: %+v", name, report)
		}
	}
	declaredHere(t, "settled", sample(t, "settled"))
	good := string(unsigned(sample(t, "settled")))
	for _, test := range []struct {
		name, old, new string
		proven         bool
		check          proof.Check // that fails where the round is not proven
	}{
		{"an announcement", `"key":"no-more-bets"`, `"key":"bets-are-closed"`, true, 0},
		{"the clause of an event", `"kind":"hand-folded",`, `"kind":"hand-folded" ,`, true, 0},
		{"the stake of a command", `"amount":1000`, `"amount":1001`, false, proof.Commands},
		{"a hand that is folded by keeping it down", `"kind":"fold","body":{"box":2,"player":"#4"}`, `"kind":"keep-down","body":{"box":2}`, false, proof.Commands},
		{"what a line pays", `"pays":1000`, `"pays":2000`, false, proof.Settlement},
		{"how a line ends", `"result":"win"`, `"result":"push"`, false, proof.Settlement},
		{"to whom money went", `"from":"win:A","to":"player:#3"`, `"from":"win:A","to":"player:#4"`, false, proof.Money},
		{"a card", `"card":"Qd"`, `"card":"Qh"`, false, proof.Cards},
	} {
		text := strings.Replace(good, test.old, test.new, 1)
		if text == good {
			t.Fatalf("%s: %s is not in the sample", test.name, test.old)
		}
		if report := proof.Verify(read(t, []byte(text))); report.Sound && test.name != "the clause of an event" {
			t.Errorf("%s: by its own declaration this program proves it", test.name)
		}
		report := proof.Verify(read(t, foreign(t, []byte(text))))
		if report.Sound != test.proven || !test.proven && !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool { return f.Check == test.check && f.Result == proof.Failed }) {
			t.Errorf("%s: %+v", test.name, report)
		}
	}
}

// onlyReported lists the findings that this program reports and does not fail where a record
// declares its book otherwise. Only a program with that declaration can know what followed from
// a command.
var onlyReported = []string{
	// Commands and events that move no money: what was announced, asked, offered, looked at
	// or shown, under which clause, and what a person reported or decided about it.
	`.*: steps\[\d+\], left out`,
	`.*: steps\[\d+\]\.(events|moved)(\[\d+\])?, (left out|doubled|swapped with the one before)`,
	`.*: steps\[\d+\]\.events\[\d+\]\.body\.(clause|key|player|at_ms|meter|qualifies|return|unanswered|lift|place|max|option|was|outcome|due|corrected|ruled|box)(\[\d+\])?, .*`,
	`.*: steps\[\d+\]\.events\[\d+\]\.body\.(by|boxes|hand|cards|question|report|offers|answer|remedies|slots|moves|order|players)[\[.,].*`,
	`.*: steps\[\d+\]\.body\.(box|boxes|player|players|hand|count|counted|cards|amount|at_call|meter|meters|incident|wager|lies|note|looked|lasted_ms|order|round|dealer|max|option|lift|return|anew|standing|skip_burn|before_look|order_lost)[\[., ].*`,
	`.*: steps\[\d+\]\.moved\[\d+\]\.body\.dealt\..*`,
	`(held|ceiling|failed): steps\[\d+\]\.meter\.terms\.(ceiling|reset), .*`,
	// What a jackpot had registered when it failed, of which nothing is paid in the round.
	`failed: steps\[\d+\]\.events\[\d+\]\.body\.registered, .*`,
	// What a line of a correction says that it pays, beside what it returns.
	`(held|void|collected|withdrawn|remedies|ceiling): steps\[\d+\]\.events\[\d+\]\.body\.lines(, something|\[\d+\]\.pays, .*)`,
	`in-steps: config\.chips, left out`,
}

// Each value of a sample that declares its book otherwise is altered. The alteration is found,
// or no record proves the value, or it is reported as decided otherwise and is in the list
// above.
func TestAlterationsByAnotherDeclaration(t *testing.T) {
	var excepted []*regexp.Regexp
	for _, u := range unprovable {
		excepted = append(excepted, regexp.MustCompile("^"+u.what+"$"))
	}
	for _, what := range onlyReported {
		excepted = append(excepted, regexp.MustCompile("^"+what+"$"))
	}
	for name, text := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := 8 * *every
			if *every == 1 {
				step = 1
			}
			altered, _ := changes(t, foreign(t, text), step)
			for i := range altered {
				c := &altered[i]
				r, err := proof.Read(bytes.NewReader(c.text))
				if err != nil || !proof.Verify(r).Sound {
					continue
				}
				finding := fmt.Sprintf("%s: %s, %s", name, c.path, c.what)
				if !slices.ContainsFunc(excepted, func(e *regexp.Regexp) bool { return e.MatchString(finding) }) {
					t.Errorf("%s: nobody noticed", finding)
				}
			}
		})
	}
}
