package table_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/table"
)

// A round that is begun with what it takes over, written down and read back, is
// the round that was begun at the table itself, and goes on like it.
func TestAnyRoundIsResumed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyTable(t)
		var two *table.State
		for n := range rapid.IntRange(20, 120).Draw(t, "commands") {
			by := rapid.SampledFrom(people).Draw(t, "by")
			do := anyLegal(t, &s, by)
			if do == nil {
				continue
			}
			c := table.Command{By: by, AtMs: int64(n), Do: do}
			events, after, err := table.Step(s, c)
			if err != nil {
				continue
			}
			s = after
			if _, ok := do.(table.OpenBets); ok {
				text, err := json.Marshal(s.Carried())
				if err != nil {
					t.Fatal(err)
				}
				var carried table.Carried
				if err := json.Unmarshal(text, &carried); err != nil {
					t.Fatal(err)
				}
				again, err := table.Resume(s.Variant, s.Config, s.Round, carried)
				if err != nil {
					t.Fatal(err)
				}
				two = &again
			}
			if two == nil {
				continue
			}
			same, resumed, err := table.Step(*two, c)
			if err != nil || !reflect.DeepEqual(same, events) {
				t.Fatalf("resumed, %+v leads to %+v, %v; at the table to %+v", c, same, err, events)
			}
			*two = resumed
		}
	})
}

func TestWhatNoRoundTakesOver(t *testing.T) {
	c := table.Config{Device: rules.Shuffler, Cards: table.Virtual}
	rws, mbs := rws3cp.Book().Standard(), mbs3pictures.Book().Standard()
	for name, test := range map[string]struct {
		v     *rules.Variant
		round int
		from  table.Carried
	}{
		"round 0":                {rws, 0, table.Carried{}},
		"no choice":              {rws, 1, table.Carried{Down: true}},
		"a choice for nothing":   {rws, 1, table.Carried{DownOption: table.WithoutProgressive}},
		"out of use for nothing": {rws, 1, table.Carried{Suspended: []int{1}}},
		"no progressive":         {mbs, 1, table.Carried{Down: true, DownOption: table.WithoutProgressive}},
		"no such box":            {rws, 1, table.Carried{Down: true, DownOption: table.WithoutBoxes, Suspended: []int{8}}},
		"box 0":                  {rws, 1, table.Carried{Down: true, DownOption: table.WithoutBoxes, Suspended: []int{0}}},
		"a box twice":            {rws, 1, table.Carried{Down: true, DownOption: table.WithoutBoxes, Suspended: []int{2, 2}}},
		"less than no wager":     {mbs, 1, table.Carried{AreaMax: -1}},
		"no rules":               {nil, 1, table.Carried{}},
	} {
		if s, err := table.Resume(test.v, c, test.round, test.from); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
