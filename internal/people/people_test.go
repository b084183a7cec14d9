package people_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/ledger"
	"trey/internal/people"
	_ "trey/internal/steady"
)

// swap is another name for ann and bob, and none for anybody else.
func swap(name string) string {
	switch name {
	case "ann":
		return "#1"
	case `b"ø`:
		return "#22"
	case "#3":
		return `c"<ü>`
	}
	return name
}

func TestRename(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"player":"ann"}`, `{"player":"#1"}`},
		{`{"box":1,"player":"ann","text":"ann","by":{"name":"b\"ø","role":"dealer"}}`, `{"box":1,"player":"#1","text":"ann","by":{"name":"#22","role":"dealer"}}`},
		{`{"by":"#3"}`, `{"by":"c\"\u003cü\u003e"}`},
		{`{"warned":["ann","zoe","ann"],"boxes":[{"winner":"ann"}],"clause":"ann"}`, `{"warned":["#1","zoe","#1"],"boxes":[{"winner":"#1"}],"clause":"ann"}`},
		{`{"account":"player:ann","from":"owed:ann","to":"layout:ann"}`, `{"account":"player:#1","from":"owed:#1","to":"layout:ann"}`},
		{`{"from":"dealer","player":17,"name":null,"by":true}`, `{"from":"dealer","player":17,"name":null,"by":true}`},
		{`{"declaration":"{\"player\":\"ann\"}"}`, `{"declaration":"{\"player\":\"ann\"}"}`},
		{`{ "player" : "ann" , "by" : [ ] , "first" : { } }`, `{ "player" : "#1" , "by" : [ ] , "first" : { } }`},
		{`{"\u0070layer":"\u0061nn"}`, `{"\u0070layer":"\u0061nn"}`},
		{`{"player":"\u0061nn"}`, `{"player":"#1"}`},
		{`{}`, `{}`},
	} {
		body := []byte(test.body)
		got, err := people.Rename(body, swap)
		if err != nil || string(got) != test.want {
			t.Errorf("%s becomes %s, %v; want %s", test.body, got, err, test.want)
		}
		if string(body) != test.body {
			t.Errorf("%s was changed in place", test.body)
		}
	}
	for _, body := range []string{``, `{`, `{"player"}`, `{"player":`, `{"player":"ann`, `{"player":"ann\`, `["ann"`, `{"player":"ann" "x"}`, `{"player":"\u00"}`} {
		if got, err := people.Rename([]byte(body), swap); err == nil {
			t.Errorf("%q becomes %q", body, got)
		}
	}
}

// Whatever JSON says, renaming there and back is nothing done, and what it renames is
// what a decoder finds under the keys.
func TestRenameThereAndBack(t *testing.T) {
	keys := append(append([]string{"text", "table", "amount"}, people.Keys...), people.AccountKeys...)
	names := []string{"ann", "player:ann", "owed:ann", "rack:ann", "zoe", "dealer", ""}
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			most := 3
			if depth == 0 {
				most = 1
			}
			switch rapid.IntRange(0, most).Draw(t, "kind") {
			case 0:
				return rapid.SampledFrom(names).Draw(t, "name")
			case 1:
				return rapid.IntRange(-5, 5).Draw(t, "number")
			case 2:
				return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list")
			}
			return rapid.MapOfN(rapid.SampledFrom(keys), value(depth-1), 0, 4).Draw(t, "object")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		tree := value(4).Draw(t, "tree")
		body, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		there, err := people.Rename(body, func(name string) string {
			if name == "ann" {
				return "#1"
			}
			return name
		})
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(renamed(tree, ""))
		if err != nil || string(there) != string(want) {
			t.Fatalf("%s becomes %s, want %s (%v)", body, there, want, err)
		}
		back, err := people.Rename(there, func(name string) string {
			if name == "#1" {
				return "ann"
			}
			return name
		})
		if err != nil || string(back) != string(body) {
			t.Fatalf("%s becomes %s and then %s (%v)", body, there, back, err)
		}
	})
}

// renamed renames ann as [people.Rename] should, in decoded JSON.
func renamed(of any, key string) any {
	switch of := of.(type) {
	case string:
		switch {
		case slices.Contains(people.Keys, key) && of == "ann":
			return "#1"
		case slices.Contains(people.AccountKeys, key) && (of == "player:ann" || of == "owed:ann"):
			return strings.Replace(of, "ann", "#1", 1)
		}
		return of
	case []any:
		list := make([]any, len(of))
		for i := range of {
			list[i] = renamed(of[i], key)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for k, v := range of {
			object[k] = renamed(v, k)
		}
		return object
	}
	return of
}

func TestRenameKey(t *testing.T) {
	for _, test := range []struct{ key, want string }{
		{`"ann" 81`, `"#1" 81`},
		{`people "ann" "ann"`, `people "#1" "ann"`},
		{`"b\"ø" k`, `"#22" k`},
		{`ann`, `ann`},
		{`"ann`, `"ann`},
	} {
		if got := people.RenameKey(test.key, swap); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.key, got, test.want)
		}
	}
	if got := people.RenameAccount(ledger.Account{Kind: ledger.Rack, Of: "ann"}, swap); got.Of != "ann" {
		t.Errorf("the rack of table ann is %s", got)
	}
}

func TestNumberOfAToken(t *testing.T) {
	for token, want := range map[string]int64{"#1": 1, "#17": 17, "#9223372036854775807": 1<<63 - 1} {
		if n, ok := people.Number(token); !ok || n != want || people.Token(n) != token {
			t.Errorf("%s is %d, %t", token, n, ok)
		}
	}
	for _, token := range []string{"", "#", "17", "#0", "#01", "#-1", "#+1", "# 1", "#1a", "#9223372036854775808", "ann"} {
		if n, ok := people.Number(token); ok {
			t.Errorf("%q is number %d", token, n)
		}
	}
}

func load(t *testing.T, names ...people.Name) *people.Directory {
	t.Helper()
	d := &people.Directory{}
	err := d.Load(context.Background(), func(_ context.Context, _ int64, yield func(people.Name) error) error {
		for _, n := range names {
			if err := yield(n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Numbers are given once and in order, also after a name was erased.
func TestNumbersAreNeverUsedAgain(t *testing.T) {
	d := load(t, people.Name{Number: 1, Text: "ann"}, people.Name{Number: 2}, people.Name{Number: 3, Text: "cai"})
	var given [][2]int64
	give := func(name string) string {
		return d.Give(name, func(number, after int64) { given = append(given, [2]int64{number, after}) })
	}
	for _, test := range []struct{ name, want string }{
		{"ann", "#1"}, {"the house", "the house"}, {"", ""}, {"#2", "#2"}, {"dan", "#4"}, {"dan", "#4"}, {"bob", "#5"},
	} {
		if got := give(test.name); got != test.want {
			t.Errorf("%q is %s, want %s", test.name, got, test.want)
		}
	}
	d.Forget(4)
	d.Forget(4)
	if got := d.Name("#4"); got != "#4" {
		t.Errorf("number 4 is still %s", got)
	}
	if got := give("dan"); got != "#6" || d.Name("#6") != "dan" {
		t.Errorf("dan is %s after the name was erased", got)
	}
	// Before each there were as many events: a number each, and an event for each erased.
	if want := [][2]int64{{4, 4}, {5, 5}, {6, 7}}; !slices.Equal(given, want) {
		t.Errorf("recorded were %v, want %v", given, want)
	}
	if d.Recorded() != 8 || d.Fault() != nil {
		t.Errorf("%d events, fault %v", d.Recorded(), d.Fault())
	}
}

func TestNamesThatDoNotHoldTogether(t *testing.T) {
	for name, names := range map[string][]people.Name{
		"a gap":     {{Number: 1, Text: "ann"}, {Number: 3, Text: "cai"}},
		"no first":  {{Number: 2, Text: "ann"}},
		"one twice": {{Number: 1, Text: "ann"}, {Number: 2, Text: "ann"}},
	} {
		if load(t, names...).Fault() == nil {
			t.Errorf("%s: no fault", name)
		}
	}
}

func TestCommitment(t *testing.T) {
	n := people.Name{Number: 3, Salt: people.Salt{1, 2, 3}, Text: "änn"}
	text := "trey name v1\n" + "\x01\x02\x03" + strings.Repeat("\x00", 29) + "änn"
	if n.Commitment() != sha256.Sum256([]byte(text)) {
		t.Error("the commitment is not the hash of the line, the salt and the name")
	}
}
