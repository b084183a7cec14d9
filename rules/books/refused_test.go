package books_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
)

// edited returns a declaration with a value in the place of that at a path, such as
// wagers/0/stake. Nil leaves the member out; a path that ends in + appends to a list.
func edited(t *testing.T, text []byte, path string, value any) []byte {
	t.Helper()
	var declared any
	if err := json.Unmarshal(text, &declared); err != nil {
		t.Fatal(err)
	}
	var change func(at any, path []string) any
	change = func(at any, path []string) any {
		if len(path) == 0 {
			return value
		}
		switch at := at.(type) {
		case map[string]any:
			at = maps.Clone(at)
			if at[path[0]] = change(at[path[0]], path[1:]); at[path[0]] == nil {
				delete(at, path[0])
			}
			return at
		case []any:
			if path[0] == "+" {
				return append(slices.Clone(at), value)
			}
			i, err := strconv.Atoi(path[0])
			if err != nil || i >= len(at) {
				t.Fatalf("%s is no place in a list of %d", path[0], len(at))
			}
			at = slices.Clone(at)
			at[i] = change(at[i], path[1:])
			return at
		}
		if len(path) > 1 {
			t.Fatalf("there is nothing at %v", path)
		}
		return change(map[string]any{}, path)
	}
	out, err := json.Marshal(change(declared, strings.Split(path, "/")))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A declaration whose parts do not fit together is no book: nothing is played by it, and no
// money is settled.
func TestBooksThatCannotBePlayed(t *testing.T) {
	good := map[string][]byte{}
	for _, b := range books.All() {
		good[b.ID] = b.Declaration()
	}
	question := map[string]any{"question": "q", "role": "dealer", "answers": []any{map[string]any{"answer": "yes", "then": "void"}}}
	asking := func(path string, value any) map[string]any {
		text, err := json.Marshal(question)
		if err != nil {
			t.Fatal(err)
		}
		var q map[string]any
		if err := json.Unmarshal(edited(t, text, path, value), &q); err != nil {
			t.Fatal(err)
		}
		return q
	}
	later := func(since int, older string) map[string]any {
		return map[string]any{"ruling": "ante_bonus_on_standoff", "values": []any{"paid", "not-paid"}, "since": since, "older": older}
	}
	for _, test := range []struct {
		name, book, path string
		value            any
		want             string
	}{
		{"no name", "rws-3cp", "book", "", "a book, a revision and a ranking"},
		{"no ranking", "rws-3cp", "ranking", nil, "a book, a revision and a ranking"},
		{"no boxes", "rws-3cp", "boxes/max", 0, "cannot be played"},
		{"fewer than no boxes", "rws-3cp", "boxes/min", -1, "cannot be played"},
		{"more boxes than there are", "rws-3cp", "boxes/default", 17, "cannot be played"},
		{"fewer boxes than the least", "fr-p3c", "boxes/default", 4, "cannot be played"},
		{"none at first", "rws-3cp", "boxes/default", 0, "cannot be played"},
		{"no wagers on an area", "rws-3cp", "boxes/per_area", 0, "cannot be played"},
		{"no wager", "rws-3cp", "wagers/0/wager", nil, "wager 1 is none, or stands twice"},
		{"Envy as a wager", "rws-3cp", "wagers/0/wager", "envy", "wager 1 is none, or stands twice"},
		{"a wager twice", "rws-3cp", "wagers/1/wager", "ante", "wager 2 is none, or stands twice"},
		{"no contest", "rws-3cp", "wagers/0/contest", nil, "ante needs a contest, a stake and a pay table"},
		{"no stake", "rws-3cp", "wagers/0/stake", nil, "ante needs a contest, a stake and a pay table"},
		{"no pays", "rws-3cp", "wagers/0/pays", nil, "ante needs a contest, a stake and a pay table"},
		{"a stake on what rides", "rws-3cp", "wagers/0/contest", "riding", "ante needs a contest, a stake and a pay table"},
		{"no stake on what does not ride", "rws-3cp", "wagers/0/stake", "none", "ante needs a contest, a stake and a pay table"},
		{"a basis that it does not need", "rws-3cp", "wagers/0/basis", "play", "ante rests on a wager that is not there"},
		{"no basis", "rws-3cp", "wagers/1/basis", nil, "play rests on a wager that is not there"},
		{"a basis of another book", "rws-3cp", "wagers/1/basis", "main", "play rests on a wager that is not there"},
		{"a need of another book", "rws-3cp", "wagers/1/needs/wager", "main", "play rests on a wager that is not there"},
		{"another need of another book", "rws-3cp", "wagers/1/needs/or", "main", "play rests on a wager that is not there"},
		{"a need of nobody", "rws-3cp", "wagers/1/needs/scope", nil, "play rests on a wager that is not there"},
		{"nobody's need", "rws-3cp", "wagers/1/needs/wager", nil, "play rests on a wager that is not there"},
		{"even beside another book's", "fr-p3c", "wagers/0/even_beside", "main", "ante rests on a wager that is not there"},
		{"even beside, by no ruling", "fr-p3c", "wagers/0/even_ruling", nil, "ante rests on a wager that is not there"},
		{"by a ruling, and beside nothing", "fr-p3c", "wagers/0/even_beside", nil, "ante rests on a wager that is not there"},
		{"a prescribed Ante", "rws-3cp", "wagers/0/stake", "prescribed", "ante has a prescribed stake"},
		{"a pay for no hand", "rws-3cp", "wagers/0/pays/0/rows/0/combo", nil, "ante pays for no hand in row 1"},
		{"a pay of nothing", "rws-3cp", "wagers/0/pays/0/rows/0/for", 0, "ante pays for"},
		{"no wagers", "rws-3cp", "wagers", []any{}, "it needs wagers"},
		{"to look, a wager of another book", "rws-3cp", "examine/needs", "main", "only names those that it has"},
		{"for Envy, a wager of another book", "rws-3cp", "envy/needs", "main", "only names those that it has"},
		{"a decision on another book's", "rws-3cp", "decision/on", "main", "the decision needs the wagers"},
		{"a raise of another book's", "rws-3cp", "decision/raise", "main", "the decision needs the wagers"},
		{"the order has one twice", "rws-3cp", "order/wagers/+", "ante", "names a wager twice, or one that is not there"},
		{"the order has another book's", "rws-3cp", "order/wagers/+", "main", "names a wager twice, or one that is not there"},
		{"the order has none", "rws-3cp", "order/wagers/+", "", `knows no wager ""`},
		{"one that is not paid", "rws-3cp", "order/wagers", []any{"play", "ante-bonus", "pair-plus", "progressive", "envy"}, "ante is never paid"},
		{"Envy that is not paid", "rws-3cp", "order/wagers", []any{"ante", "play", "ante-bonus", "pair-plus", "progressive"}, "the Envy Bonus is never paid"},
		{"a device twice", "rws-3cp", "devices/0/device", "shoe", "a dealing device is none, or stands twice"},
		{"a device that is none", "rws-3cp", "devices/0/device", nil, "a dealing device is none, or stands twice"},
		{"no devices", "rws-3cp", "devices", []any{}, "it needs a dealing device"},
		{"a chip of nothing", "rws-3cp", "chips", []any{0}, "its chips are not ascending"},
		{"chips that fall", "rws-3cp", "chips", []any{500, 100}, "its chips are not ascending"},
		{"a chip twice", "rws-3cp", "chips", []any{500, 500}, "its chips are not ascending"},
		{"a ruling that is none", "rws-3cp", "rulings/0/ruling", nil, "a ruling is none, stands twice or has no values"},
		{"a ruling twice", "rws-3cp", "rulings/+", map[string]any{"ruling": "ante_bonus_on_standoff", "values": []any{"paid"}}, "a ruling is none, stands twice or has no values"},
		{"a ruling without values", "rws-3cp", "rulings/0/values", []any{}, "a ruling is none, stands twice or has no values"},
		{"a value twice", "rws-3cp", "rulings/0/values", []any{"paid", "paid"}, "has the value paid twice"},
		{"since before the first revision", "rws-3cp", "rulings/0/since", -1, "says neither plainly"},
		{"since the first revision", "rws-3cp", "rulings/0/since", 1, "says neither plainly"},
		{"since a revision to come", "rws-3cp", "rulings/0/since", 99, "says neither plainly"},
		{"what older rounds mean, since always", "rws-3cp", "rulings/0/older", "paid", "says neither plainly"},
		{"what older rounds mean, since the first revision", "rws-3cp", "rulings/0", later(1, "paid"), "says neither plainly"},
		{"what older rounds mean, since a revision to come", "rws-3cp", "rulings/0", later(99, "paid"), "says neither plainly"},
		{"an incident that is none", "rws-3cp", "incidents/0/incident", nil, "an incident is none, or stands twice"},
		{"an incident twice", "rws-3cp", "incidents/0/incident", "deck-count", "an incident is none, or stands twice"},
		{"an incident without cases", "rws-3cp", "incidents/0/cases", []any{}, "the last case has to catch what is left"},
		{"a last case with a condition", "rws-3cp", "incidents/0/cases/1/when", []any{"no-round"}, "the last case has to catch what is left"},
		{"a last case by a ruling", "rws-3cp", "incidents/0/cases/1", map[string]any{"ruling": "found_after_payment", "value": "stands", "then": "void", "clause": "5.8.1"}, "the last case has to catch what is left"},
		{"asking without a key", "rws-3cp", "incidents/0/cases/1", map[string]any{"then": "ask", "question": asking("question", ""), "clause": "5.8.1"}, "a question needs a key, a role and answers"},
		{"a case without an outcome", "rws-3cp", "incidents/0/cases/1/then", nil, "case 2 is not complete"},
		{"a question that is not asked", "rws-3cp", "incidents/0/cases/1/question", question, "case 2 is not complete"},
		{"asking nothing", "rws-3cp", "incidents/0/cases/1/then", "ask", "case 2 is not complete"},
		{"a ruling without its value", "rws-3cp", "incidents/0/cases/0/value", nil, "case 1 is not complete"},
		{"a question without a key", "rws-3cp", "bets/earlier_question", asking("question", ""), "a question needs a key, a role and answers"},
		{"a question of nobody", "rws-3cp", "bets/earlier_question", asking("role", nil), "a question needs a key, a role and answers"},
		{"a question without answers", "rws-3cp", "bets/earlier_question", asking("answers", []any{}), "a question needs a key, a role and answers"},
		{"an answer without a key", "rws-3cp", "bets/earlier_question", asking("answers/0/answer", ""), "needs a key and an outcome"},
		{"an answer without an outcome", "rws-3cp", "bets/earlier_question", asking("answers/0/then", nil), "needs a key and an outcome"},
		{"an answer that asks", "rws-3cp", "bets/earlier_question", asking("answers/0/then", "ask"), "needs a key and an outcome"},
	} {
		b, err := rules.ReadBook(edited(t, good[test.book], test.path, test.value), books.Find)
		if err == nil || b != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	// A ruling of this revision says what older rounds were played by: one of its values.
	second := edited(t, good["rws-3cp"], "revision", 2)
	for older, want := range map[string]string{"paid": "not written in the one form", "yes": "says neither plainly"} {
		if _, err := rules.ReadBook(edited(t, second, "rulings/0", later(2, older)), books.Find); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("older rounds were played by %s: %v, want %q", older, err, want)
		}
	}
	bare := good["us-3cp"]
	for _, path := range []string{"wagers", "order/wagers"} {
		bare = edited(t, bare, path, []any{})
	}
	for _, path := range []string{"examine/needs", "decision", "envy"} {
		bare = edited(t, bare, path, nil)
	}
	if _, err := rules.ReadBook(bare, books.Find); err == nil || !strings.Contains(err.Error(), "it needs wagers") {
		t.Errorf("a book without wagers: %v", err)
	}
	// What is provided for an incident may stand anywhere, but something is provided for all.
	var declared map[string]any
	if err := json.Unmarshal(good["rws-3cp"], &declared); err != nil {
		t.Fatal(err)
	}
	incidents := slices.DeleteFunc(declared["incidents"].([]any), func(i any) bool { return i.(map[string]any)["incident"] == "uncovered" })
	if _, err := rules.ReadBook(edited(t, good["rws-3cp"], "incidents", incidents), books.Find); err == nil || !strings.Contains(err.Error(), "what the text does not cover") {
		t.Errorf("a book that provides for no other incident: %v", err)
	}
}
