package enum

import (
	"slices"
	"testing"
)

type color uint8

const (
	_ color = iota
	red
	blue
	numColors
)

func colors() *Keys[color] { return New("a color", numColors, []string{red: "red", blue: "blue"}) }

func TestKeys(t *testing.T) {
	k := colors()
	for c, want := range map[color]string{0: Unknown, red: "red", blue: "blue", numColors: Unknown, 255: Unknown} {
		known := want != Unknown
		if k.Has(c) != known || k.Key(c) != want {
			t.Errorf("%d: there is one: %t, of the key %q, want %q", c, k.Has(c), k.Key(c), want)
		}
		text, err := k.Marshal(c)
		if known && string(text) != want || known == (err != nil) {
			t.Errorf("%d is written %q, %v", c, text, err)
		}
		read := color(77)
		if err := k.Unmarshal(&read, []byte(want)); known && (err != nil || read != c) || !known && (err == nil || read != 77) {
			t.Errorf("%q is read as %d, %v", want, read, err)
		}
	}
	if all := k.All(); !slices.Equal(all, []color{red, blue}) || !slices.Equal(k.List(), []string{"red", "blue"}) {
		t.Errorf("the members are %v, and their keys %v", all, k.List())
	}
	for _, text := range []string{"", "Red", "green"} {
		if c, err := k.Parse(text); err == nil || c != 0 {
			t.Errorf("%q is read as %d", text, c)
		}
	}
	if _, err := k.Parse("green"); err == nil || err.Error() != `"green" is not a color: choose from red, blue` {
		t.Errorf("the error is %v", err)
	}
}

func TestNone(t *testing.T) {
	k := colors()
	c := red
	if text, err := k.MarshalOrNone(0); err != nil || text == nil || len(text) != 0 {
		t.Errorf("none is written %q, %v", text, err)
	}
	if err := k.UnmarshalOrNone(&c, nil); err != nil || c != 0 {
		t.Errorf("nothing is read as %d, %v", c, err)
	}
	if text, err := k.MarshalOrNone(blue); err != nil || string(text) != "blue" {
		t.Errorf("blue is written %q, %v", text, err)
	}
	if err := k.UnmarshalOrNone(&c, []byte("blue")); err != nil || c != blue {
		t.Errorf("blue is read as %d, %v", c, err)
	}
	if _, err := k.MarshalOrNone(numColors); err == nil {
		t.Error("what is no member is written")
	}
}

// A list in which a member has no key, or not one of its own, does not get into a program.
func TestAMemberWithoutAKey(t *testing.T) {
	for what, keys := range map[string][]string{
		"none for the last": {red: "red"}, "none for one": {blue: "blue"}, "one twice": {"", "red", "red"},
		"one too many": {"", "red", "blue", "green"}, "one for none": {"none", "red", "blue"}, "that of none": {"", "red", Unknown},
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("New takes it")
				}
			}()
			New("a color", numColors, keys)
		})
	}
}
