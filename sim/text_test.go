package sim_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"trey/internal/steady"
	"trey/odds"
	"trey/rules/books"
	"trey/sim"
)

// The text of every book fits 80 columns and says what it must.
func TestText(t *testing.T) {
	for _, b := range books.All() {
		v := b.Standard()
		o := sim.Options{Rounds: 300, Seed: 1, Boxes: v.Boxes}
		engine, err := sim.Engine(t.Context(), v, shuffler, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Boxes, o.Rounds = 1, int64(steady.Share(250_000, steady.Tries(500_000, 5_000_000)))
		if b.Decision != nil {
			o.Rule = odds.AtLeast(b.QualifyingStrength())
		}
		kernel, err := sim.Kernel(t.Context(), v, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*sim.Report{engine, kernel} {
			text := string(r.Text())
			for line := range strings.Lines(text) {
				if utf8.RuneCountInString(line) > 81 || strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
					t.Errorf("%s: a line of %d columns: %q", b.ID, len(line)-1, line)
				}
			}
			for _, want := range []string{b.Ref() + ", the ", " rounds, seed 1\n", "95 %", "exact", "CONSISTENT"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: nothing is said of %q:\n%s", b.ID, want, text)
				}
			}
		}
	}
}

func TestVerdictInWords(t *testing.T) {
	for _, tt := range []struct {
		v      sim.Verdict
		rounds int64
		want   string
	}{
		{sim.Verdict{Consistent: true}, 0, "No round was played"},
		{sim.Verdict{Consistent: true}, 9, "only one result"},
		{sim.Verdict{Consistent: true, Tests: 8, LeastP: 0.25, Bound: 0.000125}, 9, "CONSISTENT with the exact figures. Of 8 tests"},
		{sim.Verdict{Tests: 8, LeastP: 1e-9, Bound: 0.000125, Where: "lines of Ante"}, 9, "NOT CONSISTENT with the exact figures: the lines of Ante\nwould come out so with a chance of 1.0e-09"},
		{sim.Verdict{Tests: 8, Where: "lines of Ante"}, 9, "chance of nought"},
	} {
		r := sim.Report{Rounds: tt.rounds, Asked: 9, Verdict: tt.v}
		if got := string(r.Text()); !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q; want %q in it", tt.v, got, tt.want)
		}
	}
}
