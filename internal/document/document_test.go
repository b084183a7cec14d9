package document_test

import (
	"strings"
	"testing"

	"trey/internal/document"
)

const text = "\ufeff# a house\n" +
	"name = \"Ä\" # its name\n" +
	"[tables.\"High Limit\"]\n" +
	"  limits.ante = { min = \"5\", max = 500 }\n" +
	"chips = [1, \"5\",\n  2.5]\n" +
	"open = true\n"

func TestEverythingHasItsPlace(t *testing.T) {
	d := document.Scan([]byte(text))
	if d.Mistakes != nil {
		t.Fatalf("mistakes: %v", d.Mistakes)
	}
	for _, test := range []struct {
		path       string
		key, value document.Pos
		kind       document.Kind
		text       string
	}{
		{"name", document.Pos{Line: 2, Column: 1}, document.Pos{Line: 2, Column: 8}, document.Text, "Ä"},
		{"tables.High Limit", document.Pos{Line: 3, Column: 9}, document.Pos{Line: 3, Column: 9}, document.Table, ""},
		{"tables.High Limit.limits.ante", document.Pos{Line: 4, Column: 10}, document.Pos{Line: 4, Column: 17}, document.Table, ""},
		{"tables.High Limit.limits.ante.min", document.Pos{Line: 4, Column: 19}, document.Pos{Line: 4, Column: 25}, document.Text, "5"},
		{"tables.High Limit.limits.ante.max", document.Pos{Line: 4, Column: 30}, document.Pos{Line: 4, Column: 36}, document.Whole, "500"},
		{"tables.High Limit.open", document.Pos{Line: 7, Column: 1}, document.Pos{Line: 7, Column: 8}, document.Truth, "true"},
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
	if list.Kind != document.List || len(list.List) != 3 || list.List[0].Kind != document.Whole || list.List[2].Kind != document.Foreign {
		t.Errorf("chips: %+v", list)
	}
	if at := list.List[2].Pos; at != (document.Pos{Line: 6, Column: 3}) {
		t.Errorf("the last chip stands at %v", at)
	}
}

func TestBreachesAreToldTogether(t *testing.T) {
	d := document.Scan([]byte("a = 1\na = 2\n[[b]]\n[c]\n[c]\nd = \n"))
	var told []string
	for _, m := range d.Mistakes {
		told = append(told, m.Reason)
	}
	for i, want := range []string{"a stands twice: it was given in line 1", "write [b]", "[c] stands twice", "not TOML"} {
		if i >= len(told) || !strings.Contains(told[i], want) {
			t.Errorf("mistake %d of %q, want %q", i+1, told, want)
		}
	}
}

func TestFind(t *testing.T) {
	d := document.Scan([]byte("[a]\n[a.b]\nc = 1\n[d]\n"))
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
		d := document.Scan(doc)
		lines := 1 + strings.Count(string(doc), "\n")
		check := func(p document.Pos) {
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
