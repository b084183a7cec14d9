package card_test

import (
	"slices"
	"testing"

	"trey/card"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{"Qh", "10♦", "tC", "??", "", "A♠\uFE0F", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := card.Parse(s)
		if (err == nil) != c.Valid() {
			t.Fatalf("Parse(%q) = %v, %v", s, c, err)
		}
		if err != nil {
			return
		}
		for _, form := range []string{c.String(), c.Symbols()} {
			if again, err := card.Parse(form); again != c || err != nil {
				t.Errorf("%q, written from %v, reads as %v, %v", form, c, again, err)
			}
		}
	})
}

func FuzzParseRank(f *testing.F) {
	for _, s := range []string{"2", "10", "T", "t", "q", ".", "1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := card.ParseRank(s)
		if (err == nil) != r.Valid() {
			t.Fatalf("ParseRank(%q) = %v, %v", s, r, err)
		}
		if err != nil {
			return
		}
		for _, form := range []string{r.String(), string(r.Byte())} {
			if again, err := card.ParseRank(form); again != r || err != nil {
				t.Errorf("%q, written from %v, reads as %v, %v", form, r, again, err)
			}
		}
	})
}

func FuzzParseList(f *testing.F) {
	for _, s := range []string{"", "Qh 6d 4c", "Qh,Qh", "?? ??", ",,10s", "2c\t3c\n4c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, listErr := card.ParseList(s)
		faces, facesErr := card.ParseFaces(s)
		if listErr == nil && (facesErr != nil || !slices.Equal(list, faces)) {
			t.Fatalf("%q lists as %v, and as faces %v, %v", s, list, faces, facesErr)
		}
		if listErr == nil && card.NewSet(list...).Len() != len(list) {
			t.Fatalf("%q lists as %v: not all of them different cards", s, list)
		}
		if facesErr != nil {
			return
		}
		if again, err := card.ParseFaces(join(faces)); err != nil || !slices.Equal(again, faces) {
			t.Errorf("%v reads back as %v, %v", faces, again, err)
		}
	})
}

func FuzzParseHand(f *testing.F) {
	for _, s := range []string{"Qh 6d 4c", "Qh 6d", "Qh 6d Qh", "?? 2c 3c", "10♥,J♥,Q♥"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, err := card.ParseHand(s)
		if (err == nil) != h.Valid() {
			t.Fatalf("ParseHand(%q) = %v, %v", s, h, err)
		}
		if err != nil {
			return
		}
		for _, form := range []string{h.String(), h.Symbols()} {
			if again, err := card.ParseHand(form); again != h || err != nil {
				t.Errorf("%q, written from %v, reads as %v, %v", form, h, again, err)
			}
		}
	})
}

func FuzzUnmarshalText(f *testing.F) {
	f.Add([]byte("Qh"))
	f.Add([]byte("??"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		var c card.Card
		if c.UnmarshalText(text) != nil {
			return
		}
		written, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again card.Card
		if err := again.UnmarshalText(written); err != nil || again != c {
			t.Errorf("%v is written %q and reads as %v, %v", c, written, again, err)
		}
	})
}
