package web_test

import (
	"strings"
	"testing"

	"trey/internal/house/access"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TestAPageTellsARoundThatIsSettledAnew corrects a card of the dealer's hand after the payment.
// What the player's page says of the round is what it changed on the account: a stake is taken
// once, and what was undone is no result.
func TestAPageTellsARoundThatIsSettledAnew(t *testing.T) {
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
	s.play(dealer, "T9", table.OpenBets{})
	says("play", "Rebet $15")
}
