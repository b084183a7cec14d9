package drill_test

import (
	"cmp"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/drill"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// answers fills in a sitting as the engine would.
func answers(s *drill.Sitting) url.Values {
	form := url.Values{}
	for n, r := range s.Rounds {
		for i := range r.Tasks {
			task := &r.Tasks[i]
			if task.Due == nil {
				form.Set(drill.Field(n, task, "answer"), task.Answer)
				continue
			}
			form.Set(drill.Field(n, task, "result"), task.Due.Result())
			if task.Due.Pays() > 0 {
				form.Set(drill.Field(n, task, "pays"), task.Due.Pays().String())
			}
		}
	}
	return form
}

// A sitting follows from its seed; its own answers are right, each in a field of its own, and
// every answer that is left out or another is one error of its kind.
func TestSittingsAreSound(t *testing.T) {
	for _, b := range books.All() {
		for n := range 12 {
			seed := fmt.Sprint("s", n)
			s := drill.Sit(b, seed, 2)
			if again := drill.Sit(b, seed, 2); !reflect.DeepEqual(s, again) {
				t.Fatalf("%s, %s is two sittings", b.Ref(), seed)
			}
			if longer := drill.Sit(b, seed, 3); len(longer.Rounds) != 3 || !reflect.DeepEqual(s.Rounds, longer.Rounds[:2]) {
				t.Errorf("%s, %s: a longer sitting begins otherwise", b.Ref(), seed)
			}
			form := answers(s)
			m := s.Grade(form)
			if m.Wrong() != 0 || m.Tasks != len(s.Rounds[0].Tasks)+len(s.Rounds[1].Tasks) {
				t.Errorf("%s, %s: its own answers come to %+v", b.Ref(), seed, m)
			}
			if m := s.Grade(url.Values{}); m.Wrong() != m.Tasks {
				t.Errorf("%s, %s: nothing is answered, and %d of %d are wrong", b.Ref(), seed, m.Wrong(), m.Tasks)
			}
			for n, r := range s.Rounds {
				for i := range r.Tasks {
					breaksOne(t, s, form, n, i, m)
				}
			}
		}
	}
}

// breaksOne changes one answer, and looks for exactly one error of the kind that it is.
func breaksOne(t *testing.T, s *drill.Sitting, form url.Values, n, i int, sound *drill.Marks) {
	t.Helper()
	task := &s.Rounds[n].Tasks[i]
	field, wrong, want := drill.Field(n, task, "answer"), "", drill.ErrorKind(0)
	switch task.Asks {
	case drill.AskedHand:
		want = drill.WrongHand
	case drill.AskedQualified:
		want = drill.WrongQualification
	case drill.AskedFirst:
		want = drill.WrongOrder
	case drill.AskedLine:
		field, wrong, want = drill.Field(n, task, "pays"), (task.Due.Pays() + 1).String(), drill.WrongAmount
		if i%2 == 0 {
			field, wrong, want = drill.Field(n, task, "result"), "misplaced", drill.WrongResult
		}
	}
	if task.Due == nil {
		if !slices.Contains(task.Options, task.Answer) || len(task.Options) < 2 {
			t.Fatalf("%s, %s: %q is not among %q", s.Book.Ref(), task.Key(), task.Answer, task.Options)
		}
		wrong = task.Options[(slices.Index(task.Options, task.Answer)+1)%len(task.Options)]
	}
	before, had := form[field]
	form.Set(field, wrong)
	m := s.Grade(form)
	if m.Wrong() != 1 || m.Errors[want] != 1 || m.Right[n][i] || m.Tasks != sound.Tasks {
		t.Errorf("%s, %s, round %d, %s: %q comes to %+v, want one error %s", s.Book.Ref(), s.Seed, n+1, task.Key(), wrong, m, want)
	}
	if form.Del(field); had {
		form[field] = before
	}
}

// strength orders hands as three-card poker does, written from the text and not from the
// engine: the class first, then the ranks that make it.
func strength(h card.Hand) []int {
	values := make([]int, len(h))
	for i, c := range h {
		values[i] = strings.IndexByte("23456789TJQKA", c.String()[0])
	}
	slices.SortFunc(values, func(a, b int) int { return cmp.Compare(b, a) })
	suited := h[0].Suit() == h[1].Suit() && h[1].Suit() == h[2].Suit()
	straight := values[0]-values[1] == 1 && values[1]-values[2] == 1
	if values[0] == 12 && values[1] == 1 && values[2] == 0 { // ace, three, two
		values, straight = []int{1, 0, -1}, true
	}
	switch {
	case straight && suited:
		return append([]int{5}, values...)
	case values[0] == values[2]:
		return append([]int{4}, values...)
	case straight:
		return append([]int{3}, values...)
	case suited:
		return append([]int{2}, values...)
	case values[0] == values[1]:
		return []int{1, values[0], values[2]}
	case values[1] == values[2]:
		return []int{1, values[1], values[0]}
	}
	return append([]int{0}, values...)
}

// What the lines of rounds come to at the house of the United States, worked out from its text
// (rules 4 to 13, pays) and not by the engine.
func TestRoundsPayByTheText(t *testing.T) {
	b, err := books.Find("us-3cp")
	if err != nil {
		t.Fatal(err)
	}
	pairPlus := []money.Amount{0, 1, 3, 5, 30, 40}
	anteBonus := []money.Amount{0, 0, 0, 1, 3, 4}
	seen := map[string]int{}
	for n := range 120 {
		r := drill.Sit(b, fmt.Sprint("text", n), 1).Rounds[0]
		dealer, _ := r.Table.Hand(table.DealerHand)
		dealers := strength(dealer)
		qualifies := slices.Compare(dealers, []int{0, 10}) >= 0 // a queen
		folded := 0
		for i, box := range r.Table.Boxes {
			if len(box.Bettors) > 0 && box.Decision == table.Folded {
				folded++
				for j := range r.Tasks {
					if r.Tasks[j].Due != nil && r.Tasks[j].Box == i+1 {
						t.Errorf("round %d: box %d was folded and collected, and is asked about", n, i+1)
					}
				}
			}
		}
		last := 100
		for i := range r.Tasks {
			task := &r.Tasks[i]
			if task.Asks == drill.AskedQualified && (task.Answer == drill.Qualified) != qualifies {
				t.Errorf("round %d: %s qualifies: %s", n, dealer, task.Answer)
			}
			if task.Due == nil {
				continue
			}
			if task.Box > last {
				t.Errorf("round %d: box %d is paid after box %d, and the dealer pays from the right", n, task.Box, last)
			}
			last = task.Box
			hand, _ := r.Table.Hand(table.Box(task.Box))
			mine := strength(hand)
			stakes := &r.Table.Boxes[task.Box-1].Bettors[0].Stakes
			result, pays := drill.Nothing, money.Amount(0)
			against := cmp.Compare(slices.Compare(mine, dealers), 0)
			switch task.Due.Wager {
			case rules.PairPlus:
				result, pays = "lose", pairPlus[mine[0]]*stakes[rules.PairPlus]
				if pays > 0 {
					result = "win"
				}
			case rules.AnteBonus:
				if pays = anteBonus[mine[0]] * stakes[rules.Ante]; pays > 0 {
					result = "win"
				}
			case rules.Ante, rules.Play:
				switch {
				case !qualifies && task.Due.Wager == rules.Play:
					result = "push"
				case !qualifies, against > 0:
					result, pays = "win", stakes[rules.Ante]
				case against < 0:
					result = "lose"
				default:
					result = "push"
				}
			default:
				t.Fatalf("round %d: the book has no %s", n, task.Due.Wager)
			}
			if task.Due.Result() != result || task.Due.Pays() != pays {
				t.Errorf("round %d, box %d, %s: %s %s, want %s %s (%s against %s)", n, task.Box, task.Due.Wager, task.Due.Result(), task.Due.Pays(), result, pays, hand, dealer)
			}
			seen[task.Due.Wager.String()+" "+result]++
		}
		seen["folded"] += folded
	}
	for _, want := range []string{"ante win", "ante lose", "play push", "play win", "pair-plus win", "pair-plus lose", "ante-bonus win", "folded"} {
		if seen[want] == 0 {
			t.Errorf("120 rounds have no %s: %v", want, seen)
		}
	}
}

// A result is read as it was written, and nothing else is read as one.
func TestResult(t *testing.T) {
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	s := drill.Sit(b, "abc", 2)
	form := answers(s)
	form.Set(drill.Field(0, &s.Rounds[0].Tasks[0], "answer"), "?")
	r := drill.ResultOf(s, s.Grade(form), 1_795_359_509_258, 61_500)
	r.Person, r.Typed = 17, `Ann "Bo" <Lee>`
	lines := r.Lines()
	again, err := drill.ParseResult(lines)
	if err != nil || !reflect.DeepEqual(r, again) || again.Wrong() != 1 || again.Errors["hand"] != 1 {
		t.Fatalf("%s is read as %+v, %v", lines, again, err)
	}
	for what, change := range map[string][2]string{
		"another form":      {"result v1", "result v2"},
		"an unknown error":  {`"hand"`, `"foot"`},
		"too many errors":   {`{"hand":1}`, `{"hand":1000}`},
		"no error":          {`{"hand":1}`, `{"hand":0}`},
		"no book":           {`"book":"rws-3cp@3"`, `"book":""`},
		"no revision":       {fmt.Sprintf(`"revision":%d`, b.Revision), `"revision":0`},
		"no declaration":    {b.Hash(), "1234"},
		"no seed":           {`"abc"`, `"ABC"`},
		"too many rounds":   {`"rounds":2`, `"rounds":6`},
		"time that ran out": {`"took_ms":61500`, `"took_ms":-1`},
		"no beginning":      {`"began_ms":1795359509258`, `"began_ms":0`},
		"no such person":    {`"person":17`, `"person":-17`},
		"more than a line":  {"}\n", "}\n{}\n"},
		"a space":           {`"rounds":2`, `"rounds": 2`},
		"an unknown member": {`"rounds":2`, `"rounds":2,"mark":"A"`},
		"a long name":       {"<Lee>", strings.Repeat("e", drill.MostTyped)},
		"the end missing":   {"}\n", "}"},
	} {
		changed := strings.Replace(lines, change[0], change[1], 1)
		if changed == lines {
			t.Errorf("%s: %q has no %q", what, lines, change[0])
		}
		if r, err := drill.ParseResult(changed); err == nil {
			t.Errorf("%s is read: %+v", what, r)
		}
	}
}
