package web_test

import (
	"regexp"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// TestAPageShowsARoundThatIsSettledAnew corrects a card of the dealer's hand after the payment.
// The player's page shows the changes of the round on the account: a stake is taken once, and
// what was undone is no result.
func TestAPageShowsARoundThatIsSettledAnew(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	before := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"})
	s.seated("us-3cp")
	s.played()
	page := newSurfer(t, s.address)
	page.signIn("ann", password)
	says := func(id string, wanted ...string) {
		t.Helper()
		_, _, received := page.open("/tables/T9", nil)
		text := partText(received, id)
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not say %q: %s", want, text)
			}
		}
	}
	s.play(dealer, "T9", table.Reveal{Hand: namedCards("Kc Qs 3d")})
	for _, at := range []struct {
		box  int
		hand string
	}{{3, "Jd 7s 2c"}, {2, "Ah 8c 5d"}, {1, "9h 9c 4d"}} {
		s.play(dealer, "T9", table.Show{Box: at.box, Hand: namedCards(at.hand)})
	}
	s.play(dealer, "T9", table.Settle{})
	// A pair against King high: $10 on Ante and Play each, $5 on Pair Plus.
	says("stats", "Staked $25 Returned $50 Net +$25 Best round +$25")
	s.play(dealer, "T9", table.Report{Incident: rules.CardMisread, Cards: []table.Exposed{{At: table.DealerHand, Index: 2, Card: namedCards("Ks")[0]}}})
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T9", table.Answer{Answer: "yes"})
	s.play(dealer, "T9", table.Settle{})
	// The dealer has a pair of Kings: Ante and Play are lost, and Pair Plus is paid.
	if net := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}) - before; net != -15*money.Major {
		t.Fatalf("the round changed ann's account by %s", net)
	}
	says("result", "−$15", "Pair K-K-3 beats Pair 9-9-4")
	says("stats", "Staked $25 Returned $10 Net −$15 Best round $0")
	says("lines", "Ante collected again $0 −$20")
	// Step by step the stake is taken once as well.
	_, _, steps := page.open("/tables/T9/rounds/1", nil)
	if text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(steps, " ")), " "); !strings.Contains(text, "Box 1, You Ante $10 lost $0 $0 rules.11") {
		t.Errorf("the settlement anew takes the stake again: %s", text[strings.LastIndex(text, "Settlement"):])
	}
	s.play(dealer, "T9", table.OpenBets{})
	says("play", "Rebet $15")
}

// TestAPageShowsWhatIsFoundOfABet has the dealer find other chips than were entered, at a table
// of Royal Three Pictures. The bettor reads what was found, what to do about it and what follows
// from it in later rounds (mbs-3pictures@2 3.4, 5.10); others read no advice to somebody else.
func TestAPageShowsWhatIsFoundOfABet(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	book, err := books.Find("mbs-3pictures")
	if err != nil {
		t.Fatal(err)
	}
	of := house.Table{
		Name: "T9", Variant: book.Standard().Clone(), Mode: house.DealerRun,
		Config: table.Config{Device: rules.Shoe, Cards: table.Unseen, Chips: true},
	}
	of.Variant.ID = "pictures-limited"
	of.Variant.Limits[rules.Main] = rules.Limit{Min: 5 * money.Major, Max: 100 * money.Major}
	if err := s.Install(s.Context(), of, admin); err != nil {
		t.Fatal(err)
	}
	page, others := newSurfer(t, s.address), newSurfer(t, s.address)
	page.signIn("ann", password)
	others.signIn("sam", password)
	found := table.Found{Box: 1, Player: "ann", Wager: rules.Main, Amount: 3 * money.Major}
	s.play(dealer, "T9", table.OpenBets{})
	s.play(dealer, "T9", table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 10 * money.Major})
	s.play(dealer, "T9", found)
	found.Amount = 5 * money.Major
	s.play(dealer, "T9", found)
	s.play(dealer, "T9", table.CloseBets{})
	found.Amount, found.AtCall = 3*money.Major, true
	s.play(dealer, "T9", found)
	s.play(dealer, "T9", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T9", table.Show{Box: 1, Hand: namedCards("Kh 9c Td")})
	s.play(dealer, "T9", table.Reveal{Hand: namedCards("2d 3d Th")})
	s.play(dealer, "T9", table.Settle{})
	_, _, received := page.open("/tables/T9", nil)
	story := partText(received, "told")
	for _, want := range []string{
		"Box 1, You, Main: $3 is found there. 3.4 Box 1: your Main bet is below the minimum of $5. Raise it or take it back, or it goes back when the bets are closed. 3.4 Box 1, You, Main: $5 is found there.",
		"Box 1, You, Main: $3 is found there. 5.10",
		"6 cards are dealt.",
		"A bet of yours below the minimum was settled this once. Later ones go back, whatever the result. 5.10",
	} {
		if !strings.Contains(story, want) {
			t.Errorf("the bettor does not read %q: %s", want, story)
		}
	}
	_, _, received = others.open("/tables/T9", nil)
	story = partText(received, "told")
	if !strings.Contains(story, "Box 1, ann, Main: $3 is found there. 5.10") || strings.Contains(story, "below the minimum") || strings.Contains(story, "settled this once") {
		t.Errorf("somebody else reads %s", story)
	}
	// A card that the record lacks is found at a hand.
	s.play(dealer, "T9", table.OpenBets{})
	s.play(dealer, "T9", table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 10 * money.Major})
	s.play(dealer, "T9", table.CloseBets{})
	s.play(dealer, "T9", table.Deal{Cards: make([]table.Drawn, 6)})
	s.play(dealer, "T9", table.Report{Incident: rules.WrongCount, Box: 1, Count: 4})
	s.play(access.Person{Name: "pat", Role: access.PitSupervisor}, "T9", table.Answer{Answer: "yes"})
	_, _, received = page.open("/tables/T9", nil)
	if story = partText(received, "told"); !strings.Contains(story, "1 card is found that was not recorded.") {
		t.Errorf("of a card that the record lacked the page says %s", story)
	}
}

// TestAPageShowsWhatToAnnounce holds that a player whose cards nobody knows reads which payments
// depend on their word when the dealer does not qualify (fr-p3c@2007 49, 57).
func TestAPageShowsWhatToAnnounce(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.seated("fr-p3c")
	s.played()
	s.play(dealer, "T9", table.Reveal{Hand: namedCards("Jh 9c 3d")})
	const want = "Box 1: if your hand is paid on Pair Plus, announce it aloud now. It is turned and paid only then. 57"
	for name, reads := range map[string]bool{"ann": true, "sam": false} {
		page := newSurfer(t, s.address)
		page.signIn(name, password)
		_, _, received := page.open("/tables/T9", nil)
		if story := partText(received, "told"); strings.Contains(story, want) != reads || strings.Contains(story, "Box 2: if") {
			t.Errorf("%s reads %s", name, story)
		}
	}
}
