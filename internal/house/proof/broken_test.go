package proof_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/internal/house/proof"
	"trey/linked"
	"trey/table"
)

// brokenOff returns the finding by which the engine broke off in a record, empty if it did not.
func brokenOff(r *proof.Report) string {
	for _, f := range r.Findings {
		if strings.Contains(f.Text, "the engine breaks off") {
			return f.Where + ": " + f.Text
		}
	}
	return ""
}

// A record that declares its book otherwise may say what no table comes to. It is refused there,
// also where the engine breaks off: by an event that it cannot follow, or by a command later.
func TestWhatNoTableComesTo(t *testing.T) {
	good := string(foreign(t, sample(t, "in-steps")))
	const question = `"report":{"incident":"late-bet","box":3,"player":"#4","wager":"ante","amount":1500,"counted":true},"by":`
	if strings.Count(good, question) != 1 {
		t.Fatalf("the sample asks no question with %s", question)
	}
	for box, test := range map[string]struct{ where, want string }{
		`,"box":-3`:  {"steps[17].events", "box -3 does not exist"},
		`,"box":200`: {"steps[17].events", "box 200 does not exist"},
		"":           {"steps[18]", "the engine breaks off"},
	} {
		altered := strings.Replace(question, `,"box":3`, box, 1)
		report := proof.Verify(read(t, []byte(strings.Replace(good, question, altered, 1))))
		if report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
			return f.Check == proof.Commands && f.Result == proof.Failed && f.Where == test.where && strings.Contains(f.Text, test.want)
		}) {
			t.Errorf("%q: %+v", box, report)
		}
	}
}

// A fault of whoever looks on while a record is verified is no fault of the record.
func TestAFaultOfWhoLooksOnIsTheirs(t *testing.T) {
	fault := errors.New("a fault of the caller")
	defer func() {
		if got := recover(); got != any(fault) {
			t.Errorf("%v", got)
		}
	}()
	by := proof.Verifier{Each: func(table.State, *linked.Outcome) { panic(fault) }}
	report := by.Verify(read(t, sample(t, "settled")))
	t.Errorf("%+v", report)
}
