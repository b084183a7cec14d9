package card_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	_ "trey/internal/steady"
)

// anyCard draws one of the fifty-two cards.
func anyCard() *rapid.Generator[card.Card] {
	return rapid.Map(rapid.IntRange(0, 51), card.FromIndex)
}

// anySet draws any set of cards.
func anySet() *rapid.Generator[card.Set] {
	return rapid.Map(rapid.Uint64(), func(bits uint64) card.Set { return card.Set(bits) & card.Deck() })
}

func TestIndexRunsThroughRanksAndSuits(t *testing.T) {
	i := 0
	for r := card.Two; r <= card.Ace; r++ {
		for s := card.Clubs; s <= card.Spades; s++ {
			c := card.New(r, s)
			if c.Index() != i || card.FromIndex(i) != c || c.Rank() != r || c.Suit() != s || !c.Valid() {
				t.Errorf("New(%v, %v) = %v: index %d, want %d; rank %v, suit %v", r, s, c, c.Index(), i, c.Rank(), c.Suit())
			}
			i++
		}
	}
	if i != 52 {
		t.Errorf("went through %d cards, want 52", i)
	}
}

func TestOnlyFiftyTwoValuesAreCards(t *testing.T) {
	for v := range 256 {
		c := card.Card(v)
		if want := v >= 1 && v <= 52; c.Valid() != want {
			t.Errorf("Card(%d).Valid() = %v", v, c.Valid())
		}
		if !c.Valid() && (c.Index() != -1 || c.Rank() != 0 || c.Suit() != 0 || card.Deck().Has(c)) {
			t.Errorf("Card(%d) is no card, yet has index %d, rank %v, suit %v", v, c.Index(), c.Rank(), c.Suit())
		}
		_, err := c.MarshalText()
		if refused := err != nil; refused != (v > 52) {
			t.Errorf("Card(%d).MarshalText: error %v", v, err)
		}
	}
}

func TestCardsAreNotMadeFromNonsense(t *testing.T) {
	for name, make := range map[string]func() card.Card{
		"New(1, Clubs)":    func() card.Card { return card.New(1, card.Clubs) },
		"New(Ace+1, ...)":  func() card.Card { return card.New(card.Ace+1, card.Clubs) },
		"New(Two, 0)":      func() card.Card { return card.New(card.Two, 0) },
		"New(Two, Spades+": func() card.Card { return card.New(card.Two, card.Spades+1) },
		"FromIndex(-1)":    func() card.Card { return card.FromIndex(-1) },
		"FromIndex(52)":    func() card.Card { return card.FromIndex(52) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			make()
		})
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		card               string
		symbols            string
		rank, plural, suit string
		letter             byte
	}{
		{"2c", "2♣", "Two", "Twos", "Clubs", '2'},
		{"6d", "6♦", "Six", "Sixes", "Diamonds", '6'},
		{"Th", "10♥", "Ten", "Tens", "Hearts", 'T'},
		{"Js", "J♠", "Jack", "Jacks", "Spades", 'J'},
		{"Qh", "Q♥", "Queen", "Queens", "Hearts", 'Q'},
		{"Kd", "K♦", "King", "Kings", "Diamonds", 'K'},
		{"As", "A♠", "Ace", "Aces", "Spades", 'A'},
	} {
		c, err := card.Parse(tt.card)
		if err != nil {
			t.Fatal(err)
		}
		if c.String() != tt.card || c.Symbols() != tt.symbols || c.Rank().Name() != tt.rank ||
			c.Rank().Plural() != tt.plural || c.Suit().Name() != tt.suit || c.Rank().Byte() != tt.letter {
			t.Errorf("%s: got %v %s %s %s %s %c", tt.card, c, c.Symbols(), c.Rank().Name(), c.Rank().Plural(), c.Suit().Name(), c.Rank().Byte())
		}
	}
	if got := card.None.String() + card.None.Symbols(); got != "????" {
		t.Errorf("None prints %q", got)
	}
}

func TestNonsensePrintsAsSuch(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{card.Rank(0).String(), "Rank(0)"},
		{card.Rank(1).Name(), "Rank(1)"},
		{card.Rank(15).Plural(), "Rank(15)"},
		{string(card.Rank(1).Byte()), "?"},
		{card.Suit(0).String(), "Suit(0)"},
		{card.Suit(5).Symbol(), "Suit(5)"},
		{card.Suit(5).Name(), "Suit(5)"},
		{card.Card(53).String(), "Card(53)"},
		{card.Card(53).Symbols(), "Card(53)"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	queen, ten := card.New(card.Queen, card.Hearts), card.New(card.Ten, card.Hearts)
	for s, want := range map[string]card.Card{
		"Qh": queen, "qH": queen, "QH": queen, "qh": queen, "Q♥": queen, "q♥": queen, "Q♥\uFE0F": queen,
		"Th": ten, "th": ten, "10h": ten, "10H": ten, "10♥": ten, "T♥": ten,
		"2c": card.FromIndex(0), "As": card.FromIndex(51), "A♠": card.FromIndex(51),
	} {
		if got, err := card.Parse(s); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "Q", "h", "hQ", "1h", "0h", "11h", "14h", "010h", "Qx", "Qhh", "Q h", " Qh", "Qh ", "QQh", ".h", "..h",
		"??", "?h", "Q?", "Q♥♥", "♥", "\uFE0F", "Q\uFE0F", "Q\xe2\x99", "-2h", "+2h", "２h", "Card(1)",
	} {
		if got, err := card.Parse(s); err == nil || got != card.None {
			t.Errorf("Parse(%q) = %v, %v; want a refusal", s, got, err)
		}
	}
	_, err := card.Parse("1h")
	if want := `"1h" is not a card: write rank and suit such as Qh, 10s or 2♦`; err == nil || err.Error() != want {
		t.Errorf("Parse(1h): %v; want %s", err, want)
	}
}

func TestParseListAndFaces(t *testing.T) {
	for _, tt := range []struct{ in, list, faces string }{
		{"", "", ""},
		{" , ", "", ""},
		{"Qh", "Qh", "Qh"},
		{"Qh 6d 4c", "Qh 6d 4c", "Qh 6d 4c"},
		{"Qh,6d,4c", "Qh 6d 4c", "Qh 6d 4c"},
		{" q♥,  10d,\tTC\n", "Qh Td Tc", "Qh Td Tc"},
		{"?? ??", "error", "?? ??"},
		{"Qh ?? 4c ??", "error", "Qh ?? 4c ??"},
		{"Qh 6d Qh", "error", "error"},
		{"Qh ?? q♥", "error", "error"},
		{"Qh6d", "error", "error"},
		{"Qh;6d", "error", "error"},
		{"Qh ?", "error", "error"},
	} {
		for _, p := range []struct {
			name  string
			parse func(string) ([]card.Card, error)
			want  string
		}{{"ParseList", card.ParseList, tt.list}, {"ParseFaces", card.ParseFaces, tt.faces}} {
			cards, err := p.parse(tt.in)
			got := strings.TrimSpace(join(cards))
			if err != nil {
				got = "error"
			}
			if got != p.want {
				t.Errorf("%s(%q) = %s, %v; want %s", p.name, tt.in, got, err, p.want)
			}
		}
	}
	_, err := card.ParseList("Qh 6d Q♥")
	if want := `Qh appears twice in "Qh 6d Q♥": a deck has each card once`; err == nil || err.Error() != want {
		t.Errorf("duplicate: %v; want %s", err, want)
	}
}

func join(cards []card.Card) string {
	var b strings.Builder
	for _, c := range cards {
		b.WriteString(c.String() + " ")
	}
	return b.String()
}

func TestHand(t *testing.T) {
	h, err := card.ParseHand("4c Qh 10d")
	if err != nil {
		t.Fatal(err)
	}
	if h != card.NewHand(h[0], h[1], h[2]) || !h.Valid() {
		t.Errorf("%v: not the hand of its cards", h)
	}
	for _, tt := range []struct{ got, want string }{
		{h.String(), "4c Qh Td"},
		{h.Symbols(), "4♣ Q♥ 10♦"},
		{h.Sorted().String(), "Qh Td 4c"},
		{h.String(), "4c Qh Td"}, // sorting left it as it was
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
	for _, s := range []string{"", "Qh", "Qh 6d", "Qh 6d 4c 2s", "Qh 6d Qh", "Qh 6d ??", "Qh 6d 4x"} {
		if h, err := card.ParseHand(s); err == nil || h != (card.Hand{}) {
			t.Errorf("ParseHand(%q) = %v, %v; want a refusal", s, h, err)
		}
	}
	for _, h := range []card.Hand{{}, {1, 2, 0}, {1, 1, 2}, {1, 2, 53}, {255, 1, 2}} {
		if h.Valid() {
			t.Errorf("%v is valid", h)
		}
	}
	if got := (card.Hand{0, 1, 52}).Sorted().String(); got != "As 2c ??" {
		t.Errorf("sorted: %s; want the unknown card last", got)
	}
}

func TestHandsAreAllDifferentAndValid(t *testing.T) {
	seen := make(map[card.Set]bool, 22_100)
	for h := range card.Hands() {
		s := card.NewSet(h[:]...)
		if !h.Valid() || seen[s] {
			t.Fatalf("%v: not valid, or a second time", h)
		}
		seen[s] = true
	}
	if len(seen) != 22_100 {
		t.Errorf("%d hands, want 22,100", len(seen))
	}
}

func TestHandsStopsWhenAsked(t *testing.T) {
	n := 0
	for range card.Hands() {
		if n++; n == 60 {
			break
		}
	}
	if n != 60 {
		t.Errorf("went on to %d", n)
	}
}

func TestHandsOfASet(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 2: 0, 3: 1, 4: 4, 49: 18_424, 52: 22_100} {
		var s card.Set
		for i := range n {
			s = s.With(card.FromIndex(i))
		}
		if got := len(slices.Collect(s.Hands())); got != want {
			t.Errorf("%d cards make %d hands, want %d", n, got, want)
		}
	}
}

func TestSetLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, u := anySet().Draw(t, "s"), anySet().Draw(t, "u")
		c := anyCard().Draw(t, "c")

		if !s.With(c).Has(c) || s.Without(c).Has(c) {
			t.Fatalf("%v: %v is not where it was put", s, c)
		}
		if s.Has(c) && s.Without(c).With(c) != s || !s.Has(c) && s.With(c).Without(c) != s {
			t.Fatalf("%v: taking and giving back %v changed it", s, c)
		}
		if s.Union(u).Len()+s.Intersect(u).Len() != s.Len()+u.Len() {
			t.Fatalf("%v and %v: sizes do not add up", s, u)
		}
		if s.Minus(u).Union(s.Intersect(u)) != s || s.Minus(u).Intersect(u) != 0 {
			t.Fatalf("%v minus %v is %v", s, u, s.Minus(u))
		}
		if card.NewSet(s.Cards()...) != s || len(s.Cards()) != s.Len() || !slices.IsSorted(s.Cards()) {
			t.Fatalf("%v lists as %v", s, s.Cards())
		}
		if parsed, err := card.ParseList(s.String()); err != nil || card.NewSet(parsed...) != s {
			t.Fatalf("%v reads back as %v, %v", s, parsed, err)
		}
		if s.With(card.None) != s || s.Without(card.None) != s || s.Has(card.None) {
			t.Fatalf("%v takes None for a card", s)
		}
	})
}

func TestSortedKeepsTheCards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := card.NewHand(anyCard().Draw(t, "a"), anyCard().Draw(t, "b"), anyCard().Draw(t, "c"))
		s := h.Sorted()
		if card.NewSet(s[:]...) != card.NewSet(h[:]...) || s[0].Rank() < s[1].Rank() || s[1].Rank() < s[2].Rank() {
			t.Fatalf("%v sorted is %v", h, s)
		}
	})
}

func TestJSON(t *testing.T) {
	type record struct {
		Card  card.Card   `json:"card"`
		Hand  card.Hand   `json:"hand"`
		Cards []card.Card `json:"cards"` // a slice of bytes, yet not base64
	}
	in := record{Card: 52, Hand: card.Hand{1, 0, 36}, Cards: []card.Card{0, 13}}
	text, err := json.Marshal(in)
	if want := `{"card":"As","hand":["2c","??","Ts"],"cards":["??","5c"]}`; string(text) != want || err != nil {
		t.Errorf("marshalled %s, %v; want %s", text, err, want)
	}
	var out record
	if err := json.Unmarshal(text, &out); err != nil || out.Card != in.Card || out.Hand != in.Hand || !slices.Equal(out.Cards, in.Cards) {
		t.Errorf("read back %v, %v; want %v", out, err, in)
	}
	c := card.FromIndex(7)
	if err := c.UnmarshalText([]byte("1h")); err == nil || c != card.FromIndex(7) {
		t.Errorf("UnmarshalText(1h): %v, and the card is now %v", err, c)
	}
}
