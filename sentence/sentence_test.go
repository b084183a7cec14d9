package sentence_test

import (
	"errors"
	"fmt"
	"testing"

	"trey/sentence"
)

type coins int

func (c coins) Display() string { return fmt.Sprintf("%d coins", int(c)) }

type hat struct{}

func (hat) Name() string { return "hat" }

type place int

func (p place) Sentence() sentence.Sentence { return sentence.Of("shelf %d", int(p)) }

// latin says everything the other way round.
type latin struct{ missed *[]string }

func (l latin) Term(english string) string {
	words := map[string]string{
		"%s buys a %s for %s": "%[2]s pro %[3]s emit %[1]s", "hat": "pilleum", "red": "ruber",
		"shelf %d": "pluteus %d", ", ": " et ", "the shop is closed": "taberna clausa est", "%s: come back": "redi, %s",
	}
	if word, ok := words[english]; ok {
		return word
	}
	*l.missed = append(*l.missed, english)
	return english
}

func (latin) Thing(thing any) any {
	if c, ok := thing.(coins); ok {
		return fmt.Sprintf("%d nummis", int(c))
	}
	return thing
}

func TestSentenceText(t *testing.T) {
	closed := errors.New("the shop is closed")
	tests := []struct {
		said           sentence.Sentence
		english, other string
	}{
		{sentence.Sentence{}, "", ""},
		{sentence.Of("%s buys a %s for %s", "ann", hat{}, coins(3)), "ann buys a hat for 3 coins", "pilleum pro 3 nummis emit ann"},
		{sentence.Of("%s", place(2)), "shelf 2", "pluteus 2"},
		{sentence.Of("%s", sentence.Some(", ", []sentence.Word{"red", "hat"})), "red, hat", "ruber et pilleum"},
		{sentence.Of("%s", sentence.Some(" ", []int{1, 2})), "1 2", "1 2"},
		{sentence.Of("%s%s", "ann", sentence.Sentence{}), "ann", "ann"},
		{sentence.Why(closed), "the shop is closed", "taberna clausa est"},
		{sentence.Why(sentence.Errorf("%s: come back", closed)), "the shop is closed: come back", "redi, taberna clausa est"},
	}
	for _, tt := range tests {
		missed := []string{}
		if got := tt.said.String(); got != tt.english {
			t.Errorf("%q is said as %q", tt.english, got)
		}
		if got := tt.said.In(latin{&missed}); got != tt.other {
			t.Errorf("%q is said as %q, want %q; without words for %q", tt.english, got, tt.other, missed)
		}
	}
	if err := sentence.Errorf("%s: come back", closed); !errors.Is(err, closed) {
		t.Errorf("%v does not hold %v", err, closed)
	}
}

// However a form takes its arguments, it is said as package fmt writes it, with what
// it is wrong about.
func TestFormsAreThoseOfFmt(t *testing.T) {
	for _, tt := range []struct {
		form string
		args []any
	}{
		{"all is well", nil},
		{"%s", []any{"ann"}},
		{"%s has %d of %s.", []any{"ann", 7, "bob"}},
		{"%d%d", []any{1, -2}},
		{"%s", []any{7}},
		{"%d", []any{"ann"}},
		{"%s and %d", []any{[]string{"a"}, uint8(3)}},
		{"%[2]s of %[1]d", []any{1, "b"}},
		{"%q, %.3s", []any{"ann", "robert"}},
		{"100 %% of %s", []any{"it"}},
		{"%s", nil},
		{"nothing", []any{"ann"}},
		{"%s", []any{"ann", "bob"}},
		{"%s at the end %", []any{"ann"}},
		{"%", nil},
		{"%s%", nil},
	} {
		if got, want := sentence.Of(tt.form, tt.args...).String(), fmt.Sprintf(tt.form, tt.args...); got != want {
			t.Errorf("%q of %v is said as %q, want %q", tt.form, tt.args, got, want)
		}
	}
}
