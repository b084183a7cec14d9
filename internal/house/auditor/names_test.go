package auditor_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/people"
)

// named is a record of names, of which each line is a transaction with one event, and the
// table of names beside it.
type named struct {
	lines        []string
	withheld     int // the transaction whose events are not shown, 0 for none
	names        []people.Name
	err, missing error
}

func (n *named) Leaves(_ context.Context, _ int64, yield func(house.Leaf) error) error {
	for i, line := range n.lines {
		stream, rest, _ := strings.Cut(line, " ")
		kind, body, _ := strings.Cut(rest, " ")
		text := []byte(body) // an event without a kind cannot be read
		if kind != "" {
			var err error
			if text, err = json.Marshal([]house.Event{{Kind: kind, Body: text}}); err != nil {
				return err
			}
		}
		leaf := house.Leaf{Seq: int64(i + 1)}
		leaf.Line.Parts = []house.LinePart{{Stream: stream, Events: text, Withheld: i+1 == n.withheld}}
		if err := yield(leaf); err != nil {
			return err
		}
	}
	return n.err
}

func (n *named) Names(_ context.Context, _ int64, yield func(people.Name) error) error {
	for _, name := range n.names {
		if err := yield(name); err != nil {
			return err
		}
	}
	return n.missing
}

// numbers returns a record that gives two persons their numbers and erases the name of the
// second.
func numbers() *named {
	ann, ben := people.Name{Number: 1, Text: "ann"}, people.Name{Number: 2, Text: "ben"}
	given := func(n people.Name) string {
		commitment := n.Commitment()
		return fmt.Sprintf(`names person-numbered {"number":%d,"commitment":%q}`, n.Number, hex.EncodeToString(commitment[:]))
	}
	return &named{
		lines: []string{
			given(ann), given(ben),
			`table:T round {}`, // what is not of names is not read
			`people erasure-agreed {"name":"#2","by":"#8","asked_by":"#9"}`,
			`names name-erased {"number":2,"by":{"name":"#9"},"and":{"name":"#8"}}`,
		},
		names: []people.Name{ann, {Number: 2}},
	}
}

// Each guard of names sees its one thing that is wrong, in the transaction that it is wrong in,
// or in the one that gave the number.
func TestEachGuardOfNamesBites(t *testing.T) {
	for name, test := range map[string]struct {
		alter func(*named)
		seq   int64
		want  string // empty if nothing is wrong
	}{
		"as it is": {func(*named) {}, 0, ""},

		"a number is left out":           {func(n *named) { n.lines[1] = strings.Replace(n.lines[1], `"number":2`, `"number":3`, 1) }, 2, "the number 3 is given to a person where 2 is next"},
		"a number is given twice":        {func(n *named) { n.lines[1] = n.lines[0] }, 2, "the number 1 is given to a person where 2 is next"},
		"an event of no names":           {func(n *named) { n.lines[2] = `names other {}` }, 3, "other is no event of names"},
		"events that cannot be read":     {func(n *named) { n.lines[2] = `names  no JSON` }, 3, "cannot be read"},
		"a number that cannot be read":   {func(n *named) { n.lines[2] = `names person-numbered []` }, 3, "cannot be read"},
		"an erasure that cannot be read": {func(n *named) { n.lines[2] = `names name-erased []` }, 3, "cannot be read"},
		"an agreement that is no object": {func(n *named) { n.lines[2] = `people erasure-agreed []` }, 3, "cannot be read"},
		"another event of users":         {func(n *named) { n.lines[2] = `people user-added []` }, 0, ""},
		"nobody agreed":                  {func(n *named) { n.lines[3] = `people user-added {}` }, 5, "is erased by #9 and #8, and no two people agreed so"},
		"others agreed":                  {func(n *named) { n.lines[3] = strings.Replace(n.lines[3], "#9", "#7", 1) }, 5, "no two people agreed so"},
		"it was agreed about another":    {func(n *named) { n.lines[3] = strings.Replace(n.lines[3], "#2", "#1", 1) }, 5, "no two people agreed so"},
		"one person agreed": {func(n *named) {
			n.lines[3], n.lines[4] = strings.Replace(n.lines[3], "#8", "#9", 1), strings.Replace(n.lines[4], "#8", "#9", 1)
		}, 5, "no two people agreed so"},
		"it was let in again":      {func(n *named) { n.lines = slices.Insert(n.lines, 4, `people user-enabled {"name":"#2"}`) }, 6, "no two people agreed so"},
		"another was let in again": {func(n *named) { n.lines = slices.Insert(n.lines, 4, `people user-enabled {"name":"#1"}`) }, 0, ""},
		"who let it in again erases it alone": {func(n *named) {
			n.lines[3], n.lines[4] = `people user-enabled {"name":"#2","by":"#8"}`, strings.Replace(n.lines[4], "#9", "", 1)
		}, 5, "no two people agreed so"},
		"it was agreed at a table": {func(n *named) {
			n.lines = slices.Insert(n.lines, 4, strings.Replace(n.lines[3], "people", "table:T", 1))
			n.lines[3] = `table:T round {}`
		}, 6, "no two people agreed so"},
		"events that are none, behind one": {func(n *named) { n.lines[2] = `names  [{"kind":"other","body":{}},5]` }, 3, "cannot be read"},
		"the agreement is not shown":       {func(n *named) { n.withheld = 4 }, 5, "no two people agreed so"},
		"a name that there is not":         {func(n *named) { n.lines[4] = strings.Replace(n.lines[4], `"number":2`, `"number":3`, 1) }, 5, "the name of number 3 is erased, and there is none"},
		"the name of number 0":             {func(n *named) { n.lines[4] = strings.Replace(n.lines[4], `"number":2`, `"number":0`, 1) }, 5, "the name of number 0 is erased, and there is none"},
		"a name is erased twice":           {func(n *named) { n.lines = append(n.lines, n.lines[4]) }, 6, "the name of number 2 is erased, and there is none"},
		"the name of the first is erased": {func(n *named) {
			n.lines[3], n.lines[4] = strings.Replace(n.lines[3], "#2", "#1", 1), strings.Replace(n.lines[4], `"number":2`, `"number":1`, 1)
			n.names = []people.Name{{Number: 1}, {Number: 2, Text: "ben"}}
		}, 0, ""},

		"a name of nobody":           {func(n *named) { n.names = append(n.names, people.Name{Number: 3, Text: "cai"}) }, 0, `the table of names has "cai" as #3, which the record gives to nobody`},
		"a name of number 0":         {func(n *named) { n.names = append(n.names, people.Name{Text: "cai"}) }, 0, `the table of names has "cai" as #0, which the record gives to nobody`},
		"a name that nobody erased":  {func(n *named) { n.names[0].Text = "" }, 1, "the name of #1 is not in the table of names, and nobody erased it"},
		"a name that was erased":     {func(n *named) { n.names[1].Text = "ben" }, 2, `the name of #2 was erased, and the table of names has "ben"`},
		"the salt of an erased name": {func(n *named) { n.names[1].Salt[9] = 1 }, 2, "the name of #2 was erased, and the table of names has its salt"},
		"another name":               {func(n *named) { n.names[0].Text = "dan" }, 1, `the table of names has "dan" as #1, and that is not the name to which the number was given`},
		"a name with two numbers": {func(n *named) {
			again := people.Name{Number: 3, Text: "ann"}
			commitment := again.Commitment()
			n.lines = append(n.lines, fmt.Sprintf(`names person-numbered {"number":3,"commitment":%q}`, hex.EncodeToString(commitment[:])))
			n.names = append(n.names, again)
		}, 0, `the table of names has "ann" as #1 and as #3: nobody has two numbers`},
		"another salt":                 {func(n *named) { n.names[0].Salt[0]++ }, 1, "and that is not the name to which the number was given"},
		"a number without a name":      {func(n *named) { n.names = n.names[1:] }, 1, "the table of names does not have #1"},
		"the last number without one":  {func(n *named) { n.names = n.names[:1] }, 2, "the table of names does not have #2"},
		"no number and no name at all": {func(n *named) { n.lines, n.names = nil, nil }, 0, ""},
	} {
		n := numbers()
		test.alter(n)
		found, err := auditor.CheckNames(t.Context(), n)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		at := slices.IndexFunc(found, func(f auditor.Finding) bool { return f.Seq == test.seq && strings.Contains(f.What, test.want) })
		if test.want == "" && len(found) > 0 || test.want != "" && at < 0 {
			t.Errorf("%s: found %v, want %q in transaction %d", name, found, test.want, test.seq)
		}
	}
	for what, fail := range map[string]func(*named, error){
		"the record": func(n *named, err error) { n.err = err }, "the table of names": func(n *named, err error) { n.missing = err },
	} {
		n, cause := numbers(), errors.New("the disk is gone")
		fail(n, cause)
		if found, err := auditor.CheckNames(t.Context(), n); !errors.Is(err, cause) || found != nil {
			t.Errorf("%s cannot be read: %v, %v", what, found, err)
		}
	}
}
