package fair_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/fair"
	"trey/internal/shuffle"
	"trey/internal/stored"
)

// The seed of the known answers: the bytes 0 to 31.
const seedDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func seed(t *testing.T, digits string) (s shuffle.Seed) {
	t.Helper()
	if err := s.UnmarshalText([]byte(digits)); err != nil {
		t.Fatal(err)
	}
	return s
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// The answers come from sha256sum of the GNU core utilities.
func TestKnownAnswers(t *testing.T) {
	const commitment = "96b0351fa548f1636286e113b3d05e4f3bfa7b4dbe2ea996573a866ca9009a5b"
	s := seed(t, seedDigits)
	c := fair.Commit("A", 7, s)
	if c.String() != commitment || c.String() != sum("trey commitment 1\nround 7\nseed "+seedDigits+"\ntable A\n") {
		t.Errorf("the commitment is %s", c)
	}
	playerSeeds := []fair.Own{{"ben", "zwölf!"}, {"Åsa", "7"}, {"ann", "lucky number"}}
	for _, test := range []struct {
		name, want, lines string
		playerSeeds       []fair.Own
	}{
		{"no player", "528108c09d1744b83680930f701485b5e51ebaf18ce96894d0445155ddc61376", "", nil},
		{"three players", "7ffd636023c4b26ca91a8434a4504103a13f03f15731b34b03a2ca06c23335ce", "own 3 ann 12 lucky number\nown 3 ben 7 zwölf!\nown 4 Åsa 1 7\n", playerSeeds},
	} {
		got := fair.DeckSeed(c, s, test.playerSeeds)
		digits := hex.EncodeToString(got[:])
		if digits != test.want || digits != sum("trey deck 1\ncommitment "+commitment+"\nseed "+seedDigits+"\n"+test.lines) {
			t.Errorf("%s: the deck's seed is %s, want %s", test.name, digits, test.want)
		}
		if fair.Deck(c, s, test.playerSeeds) != shuffle.Shuffle(seed(t, test.want)) {
			t.Errorf("%s: the deck is not the one of its seed", test.name)
		}
	}
	if playerSeeds[0].Player != "ben" {
		t.Error("the list that was given is in another order now")
	}
}

// Whatever differs leads to another commitment and another deck, also where a
// name or a text looks like the next line.
func TestNoTwoAreAlike(t *testing.T) {
	s, other := seed(t, seedDigits), seed(t, strings.Repeat("00", 32))
	commitments := map[fair.Hash]string{}
	for _, at := range []struct {
		table string
		round int
		seed  shuffle.Seed
	}{
		{"A", 7, s},
		{"A", 8, s},
		{"B", 7, s},
		{"A", 7, other},
		{"A", 77, s},
		{"A\nround 7", 7, s},
		{"A\nseed " + seedDigits, 7, s},
		{"7", 7, s},
	} {
		c := fair.Commit(at.table, at.round, at.seed)
		if was, ok := commitments[c]; ok {
			t.Errorf("%+v has the commitment of %s", at, was)
		}
		commitments[c] = fmt.Sprintf("%+v", at)
	}
	c, d := fair.Commit("A", 7, s), fair.Commit("A", 8, s)
	decks := map[[52]card.Card]string{}
	for i, of := range []struct {
		commitment  fair.Hash
		seed        shuffle.Seed
		playerSeeds []fair.Own
	}{
		{c, s, nil},
		{d, s, nil},
		{c, other, nil},
		{c, s, []fair.Own{{"ann", "x"}}},
		{c, s, []fair.Own{{"ann", "y"}}},
		{c, s, []fair.Own{{"ben", "x"}}},
		{c, s, []fair.Own{{"ann", "x"}, {"ben", "x"}}},
		{c, s, []fair.Own{{"ann", "x\nown 3 ben 1 x"}}},
		{c, s, []fair.Own{{"ann 1", "x"}}},
		{c, s, []fair.Own{{"ann", "1 x"}}},
	} {
		deck := fair.Deck(of.commitment, of.seed, of.playerSeeds)
		if was, ok := decks[deck]; ok {
			t.Errorf("case %d has the deck of %s", i, was)
		}
		decks[deck] = fmt.Sprint("case ", i)
	}
}

func TestNext(t *testing.T) {
	deck := shuffle.Shuffle(seed(t, seedDigits))
	first := fair.Next(deck, 0, 9)
	if !reflect.DeepEqual(first, deck[:9]) {
		t.Errorf("first come %v, want %v", first, deck[:9])
	}
	dealt := card.NewSet(first...)
	if second := fair.Next(deck, dealt, 3); !reflect.DeepEqual(second, deck[9:12]) {
		t.Errorf("then come %v, want %v", second, deck[9:12])
	}
	// A card that was dealt out of its turn does not come again.
	gap := fair.Next(deck, card.NewSet(deck[1]), 2)
	if gap[0] != deck[0] || gap[1] != deck[2] {
		t.Errorf("around a gap come %v of %v", gap, deck[:3])
	}
	if all := fair.Next(deck, dealt, 1000); len(all) != 52-9 {
		t.Errorf("%d cards are left after 9", len(all))
	}
	if none := fair.Next(deck, dealt, -1); len(none) != 0 {
		t.Errorf("%d cards are fewer than none", len(none))
	}
}

func evolve(t *testing.T, s fair.State, events ...fair.Event) fair.State {
	t.Helper()
	for _, e := range events {
		var err error
		if s, err = fair.Evolve(s, e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestARoundOfASeed(t *testing.T) {
	secret := seed(t, seedDigits)
	s := fair.State{Table: "A"}
	if _, err := s.Add("ann", "x", nobody); !errors.Is(err, fair.ErrNoCommitment) {
		t.Errorf("a seed without a commitment: %v", err)
	}
	s = evolve(t, s, fair.Committed{Round: 1, Commitment: fair.Commit("A", 1, secret)})
	for _, add := range []fair.Own{{"ben", "first"}, {"ann", "x"}, {"ben", "second"}} {
		e, err := s.Add(add.Player, add.Text, nobody)
		if err != nil {
			t.Fatal(err)
		}
		before := append([]fair.Own{}, s.Own...)
		after := evolve(t, s, e)
		if !reflect.DeepEqual(append([]fair.Own{}, s.Own...), before) {
			t.Error("the state before was changed")
		}
		s = after
	}
	if want := []fair.Own{{"ann", "x"}, {"ben", "second"}}; !reflect.DeepEqual(s.Own, want) {
		t.Errorf("the seeds are %v, want %v", s.Own, want)
	}
	for _, bad := range []fair.Event{
		fair.Committed{Round: 2},
		fair.Added{Round: 2, Own: fair.Own{Player: "ann", Text: "x"}},
		fair.Added{Round: 1, Own: fair.Own{Text: "x"}},
		fair.Revealed{Round: 1},
		fair.Revealed{Round: 2, Seed: secret},
		fair.Sealed{Round: 1, Seed: secret},
	} {
		if after, err := fair.Evolve(s, bad); err == nil || !reflect.DeepEqual(after, s) {
			t.Errorf("%+v happened: %v", bad, err)
		}
	}
	s = evolve(t, s, fair.Revealed{Round: 1, Seed: secret})
	for _, bad := range []fair.Event{fair.Revealed{Round: 1, Seed: secret}, fair.Committed{Round: 1}, fair.Committed{Round: 3}} {
		if _, err := fair.Evolve(s, bad); err == nil {
			t.Errorf("after the end %+v happened", bad)
		}
	}
	if s = evolve(t, s, fair.Committed{Round: 2}); len(s.Own) != 0 {
		t.Errorf("the next round begins with %v", s.Own)
	}
	// What was set in the round before does not count in this one.
	evolve(t, s, fair.Added{Round: 2, Own: fair.Own{Player: "ben", Text: "third"}})
}

// nobody has a bet.
func nobody(string) bool { return false }

// Where all places are taken, a player with a bet takes the first of one without.
func TestPlacesAreKeptForThoseWhoHaveBet(t *testing.T) {
	s := evolve(t, fair.State{Table: "A"}, fair.Committed{Round: 1})
	for n := range fair.MaxPlayers {
		s = evolve(t, s, fair.Added{Round: 1, Own: fair.Own{Player: fmt.Sprintf("guest %02d", n), Text: "x"}})
	}
	bets := func(names ...string) func(string) bool {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	if _, err := s.Add("ann", "x", nobody); !errors.Is(err, fair.ErrFull) {
		t.Errorf("without a bet: %v", err)
	}
	if e, err := s.Add("guest 07", "y", nobody); err != nil || e.Instead != "" {
		t.Errorf("who has a place changes a seed: %+v, %v", e, err)
	}
	e, err := s.Add("ann", "x", bets("ann", "guest 00", "guest 02"))
	if err != nil || e.Instead != "guest 01" {
		t.Fatalf("with a bet: %+v, %v", e, err)
	}
	after := evolve(t, s, e)
	has := func(name string) bool {
		return slices.ContainsFunc(after.Own, func(o fair.Own) bool { return o.Player == name })
	}
	if len(after.Own) != fair.MaxPlayers || !has("ann") || has("guest 01") || !has("guest 00") {
		t.Errorf("then the seeds are %v", after.Own)
	}
	if _, err := s.Add("ann", "x", func(string) bool { return true }); !errors.Is(err, fair.ErrFull) {
		t.Errorf("where everybody has bet: %v", err)
	}
	// Nobody gives way without need, and nobody who is not there.
	for name, bad := range map[string]struct {
		state fair.State
		event fair.Added
	}{
		"nobody of that name": {s, fair.Added{Round: 1, Own: fair.Own{Player: "ann", Text: "x"}, Instead: "zoe"}},
		"it has a place":      {s, fair.Added{Round: 1, Own: fair.Own{Player: "guest 07", Text: "x"}, Instead: "guest 01"}},
		"there is room": {
			evolve(t, fair.State{Table: "A"}, fair.Committed{Round: 1}, fair.Added{Round: 1, Own: fair.Own{Player: "ben", Text: "x"}}),
			fair.Added{Round: 1, Own: fair.Own{Player: "ann", Text: "x"}, Instead: "ben"},
		},
	} {
		if _, err := fair.Evolve(bad.state, bad.event); err == nil {
			t.Errorf("%s, and it happened", name)
		}
	}
}

func TestLimitsOfOwnSeeds(t *testing.T) {
	s := evolve(t, fair.State{Table: "A"}, fair.Committed{Round: 1})
	for text, fits := range map[string]bool{
		"x": true, strings.Repeat("x", 64): true, strings.Repeat("ö", 32): true, "lucky number 7 ♣": true,
		"": false, strings.Repeat("x", 65): false, strings.Repeat("ö", 33): false, "a\nb": false, "a\tb": false,
		"\xff": false, "a\x00": false, "a\u2028b": false, "a\u200bb": false, "a\u00a0b": false,
	} {
		if _, err := s.Add("ann", text, nobody); (err == nil) != fits || err != nil && !errors.Is(err, fair.ErrText) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for n := range fair.MaxChanges {
		e, err := s.Add("ann", fmt.Sprint(n), nobody)
		if err != nil {
			t.Fatal(err)
		}
		s = evolve(t, s, e)
	}
	if _, err := s.Add("ann", "once more", nobody); !errors.Is(err, fair.ErrChanges) {
		t.Errorf("one change too many: %v", err)
	}
	for n := 1; n < fair.MaxPlayers; n++ {
		s = evolve(t, s, fair.Added{Round: 1, Own: fair.Own{Player: fmt.Sprint(n), Text: "x"}})
	}
	if _, err := s.Add("zoe", "x", nobody); !errors.Is(err, fair.ErrFull) {
		t.Errorf("one player too many: %v", err)
	}
	s = evolve(t, s, fair.Added{Round: 1, Own: fair.Own{Player: "7", Text: "y"}})
	if len(s.Own) != fair.MaxPlayers {
		t.Errorf("%d players", len(s.Own))
	}
}

// An event is the same after it was written and read back.
func TestEventsAreReadBack(t *testing.T) {
	s := seed(t, seedDigits)
	for _, e := range []fair.Event{
		fair.Committed{Round: 3, Commitment: fair.Commit("A", 3, s)},
		fair.Added{Round: 3, Own: fair.Own{Player: "ann", Text: "\"x\" <y>"}},
		fair.Added{Round: 3, Own: fair.Own{Player: "ann", Text: "x"}, Instead: "ben"},
		fair.Revealed{Round: 3, Seed: s},
		fair.Sealed{Round: 3, Seed: s},
	} {
		written, err := fair.Events.Write(e)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := fair.Events.Read(written); err != nil || again != e || written.Kind != e.Kind() {
			t.Errorf("%s is read as %+v, %v", written.Body, again, err)
		}
		written.Body = append(written.Body, written.Body...)
		if _, err := fair.Events.Read(written); err == nil {
			t.Errorf("%s: two were read as one", e.Kind())
		}
	}
	for kind, body := range map[string]string{
		"seed-lost":      `{}`,
		"seed-committed": `{"round":1,"commitment":"` + strings.ToUpper(fair.Commit("A", 1, s).String()) + `"}`,
		"seed-revealed":  `{"round":1,"seed":"00"}`,
		"seed-added":     `{"round":1,"player":"ann","text":"x","more":1}`,
		"seed-sealed":    `{"round":1,"seed":"` + strings.Repeat("g", 64) + `"}`,
	} {
		if e, err := fair.Events.Read(stored.Event{Kind: kind, Body: []byte(body)}); err == nil {
			t.Errorf("%s %s is read as %+v", kind, body, e)
		}
	}
}
