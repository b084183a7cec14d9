package tomldoc_test

import (
	"fmt"
	"strings"
	"testing"

	"trey/internal/tomldoc"
)

const text = "\ufeff# a house\n" +
	"name = \"Ä\" # its name\n" +
	"[tables.\"High Limit\"]\n" +
	"  limits.ante = { min = \"5\", max = 500 }\n" +
	"chips = [1, \"5\",\n  2.5]\n" +
	"open = true\n"

func TestEverythingHasItsPlace(t *testing.T) {
	d := tomldoc.Scan([]byte(text))
	if d.Mistakes != nil {
		t.Fatalf("mistakes: %v", d.Mistakes)
	}
	for _, test := range []struct {
		path       string
		key, value tomldoc.Pos
		kind       tomldoc.Kind
		text       string
	}{
		{"name", tomldoc.Pos{Line: 2, Column: 1}, tomldoc.Pos{Line: 2, Column: 8}, tomldoc.Text, "Ä"},
		{"tables.High Limit", tomldoc.Pos{Line: 3, Column: 9}, tomldoc.Pos{Line: 3, Column: 9}, tomldoc.Table, ""},
		{"tables.High Limit.limits.ante", tomldoc.Pos{Line: 4, Column: 10}, tomldoc.Pos{Line: 4, Column: 17}, tomldoc.Table, ""},
		{"tables.High Limit.limits.ante.min", tomldoc.Pos{Line: 4, Column: 19}, tomldoc.Pos{Line: 4, Column: 25}, tomldoc.Text, "5"},
		{"tables.High Limit.limits.ante.max", tomldoc.Pos{Line: 4, Column: 30}, tomldoc.Pos{Line: 4, Column: 36}, tomldoc.Whole, "500"},
		{"tables.High Limit.open", tomldoc.Pos{Line: 7, Column: 1}, tomldoc.Pos{Line: 7, Column: 8}, tomldoc.Truth, "true"},
	} {
		e := d.Get(test.path)
		if e == nil {
			t.Errorf("%s is missing", test.path)
			continue
		}
		if e.Pos != test.key || e.Value.Pos != test.value || e.Value.Kind != test.kind || e.Value.Text != test.text {
			t.Errorf("%s: %+v", test.path, *e)
		}
	}
	list := d.Get("tables.High Limit.chips").Value
	if list.Kind != tomldoc.List || len(list.List) != 3 || list.List[0].Kind != tomldoc.Whole || list.List[2].Kind != tomldoc.Foreign {
		t.Errorf("chips: %+v", list)
	}
	if at := list.List[2].Pos; at != (tomldoc.Pos{Line: 6, Column: 3}) {
		t.Errorf("the last chip stands at %v", at)
	}
}

func TestBreachesAreReportedTogether(t *testing.T) {
	d := tomldoc.Scan([]byte("a = 1\na = 2\n[[b]]\n[c]\n[c]\nd = \n"))
	var reasons []string
	for _, m := range d.Mistakes {
		reasons = append(reasons, m.Reason)
	}
	for i, want := range []string{"a stands twice: it was given in line 1", "write [b]", "[c] stands twice", "not TOML"} {
		if i >= len(reasons) || !strings.Contains(reasons[i], want) {
			t.Errorf("mistake %d of %q, want %q", i+1, reasons, want)
		}
	}
}

func TestFind(t *testing.T) {
	d := tomldoc.Scan([]byte("[a]\n[a.b]\nc = 1\n[d]\n"))
	for path, line := range map[string]int{"a": 3, "a.b": 3, "a.b.c": 3, "d": 4, "e": 0} {
		if got := d.Line(path); got != line {
			t.Errorf("%s is in line %d, want %d", path, got, line)
		}
	}
}

// Whatever is read, every place lies in the text.
func FuzzScan(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte("a.b.c = {d = [1, {e = 2}]}\n\"\" = ''\n"))
	f.Add([]byte("x = \"\"\"\nä\n\"\"\"\ny = 1979-05-27"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		d := tomldoc.Scan(doc)
		lines := 1 + strings.Count(string(doc), "\n")
		check := func(p tomldoc.Pos) {
			if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Column > len(doc)+1 {
				t.Errorf("%v is outside of %q", p, doc)
			}
		}
		for _, e := range d.Entries {
			check(e.Pos)
			check(e.Value.Pos)
			if len(e.Path) == 0 {
				t.Errorf("a key without a path in %q", doc)
			}
		}
		for _, m := range d.Mistakes {
			check(m.Pos)
		}
	})
}

// A text that would take the parser minutes, or its whole stack, is refused at once,
// with what stands before it read.
func TestDepthIsBounded(t *testing.T) {
	deepKey := strings.Repeat("a.", 100_000) + "a"
	for _, tt := range []struct {
		name, deep string
		column     int
		want       string
	}{
		{"a dotted key", deepKey + " = 1", 64, "the key has more than 32 parts"},
		{"a table's head", "[" + deepKey + "]", 65, "the key has more than 32 parts"},
		{"a key of an inline table", "x = {" + deepKey + " = 1}", 69, "the key has more than 32 parts"},
		{"lists", "x = " + strings.Repeat("[", 400_000) + strings.Repeat("]", 400_000), 37, "more than 32 deep"},
		{"lists that are not closed", "x = " + strings.Repeat("[", 900_000), 37, "more than 32 deep"},
		{"inline tables", "x = " + strings.Repeat("{a=", 200_000) + "1" + strings.Repeat("}", 200_000), 5 + 3*32, "more than 32 deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := tomldoc.Scan([]byte("base = \"ä\"\n" + tt.deep + "\nafter = 1\n"))
			if len(d.Mistakes) != 1 || !strings.Contains(d.Mistakes[0].Reason, tt.want) {
				t.Fatalf("mistakes %.300v", d.Mistakes)
			}
			if at := d.Mistakes[0].Pos; at != (tomldoc.Pos{Line: 2, Column: tt.column}) {
				t.Errorf("it stands at %v", at)
			}
			if d.Get("base") == nil || d.Get("after") != nil {
				t.Errorf("%d entries are read", len(d.Entries))
			}
		})
	}
}

// What looks deep inside a text or a comment is not.
func TestDepthCountsNoTexts(t *testing.T) {
	deep := strings.Repeat("a.[{", 100)
	for _, text := range []string{
		"# " + deep + "\nx = 1\n",
		"x = \"" + deep + "\\\"" + deep + "\"\n",
		"x = '" + deep + "\\'\n",
		"x = \"\"\"\n" + deep + "\\\"\"\"\"\"\n",
		"x = '''\n" + deep + "''\n'''\n",
		strings.Repeat("[a]\nx.y = [1.5, { b = 2.5 }]\n", 1),
		"x = [\n" + strings.Repeat("[1.5, 2.5],\n", 1000) + "]\n",
		strings.Repeat("a.", 31) + "a = 1\n",
		"x = " + strings.Repeat("[", 32) + strings.Repeat("]", 32) + "\n",
	} {
		if d := tomldoc.Scan([]byte(text)); d.Mistakes != nil {
			t.Errorf("%.60q: %v", text, d.Mistakes)
		}
	}
}

// A line of many keys is read with the place of each.
func TestALongLine(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "k%d=1,", i)
	}
	d := tomldoc.Scan([]byte("x = {" + strings.TrimSuffix(b.String(), ",") + "}\n"))
	if len(d.Entries) != 2001 || d.Mistakes != nil {
		t.Fatalf("%d entries, %v", len(d.Entries), d.Mistakes)
	}
	// 5 characters before the first; ten keys of 5, ninety of 6, nine hundred of 7.
	if at := d.Entries[1001].Pos; at != (tomldoc.Pos{Line: 1, Column: 1 + 5 + 10*5 + 90*6 + 900*7}) {
		t.Errorf("k1000 stands at %v", at)
	}
}

// More keys than any house has are refused, wherever they stand.
func TestKeysAreBounded(t *testing.T) {
	for name, line := range map[string]string{
		"keys": "k%d = 1\n", "heads": " [k%d]\n", "the same key": "k = %d\n", "keys of one line": "x%d.y={a=1}\n",
	} {
		var b strings.Builder
		for i := range 30_000 {
			fmt.Fprintf(&b, line, i)
		}
		d := tomldoc.Scan([]byte(b.String()))
		if n := len(d.Mistakes); n == 0 || !strings.Contains(d.Mistakes[0].Reason, "more than 20000 keys") {
			t.Errorf("%s: %d mistakes", name, n)
		}
	}
}
