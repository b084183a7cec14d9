package web_test

import (
	"regexp"
	"strings"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// part returns a part of a page of the console as words, with "next:" before the button that
// comes next.
func (s *surfer) part(path, id string) string {
	_, _, page := s.open(path, nil)
	_, from, _ := strings.Cut(page, `id="`+id+`"`)
	inside, _, _ := strings.Cut(from, `id="k-`)
	inside = regexp.MustCompile(`(?s)<div class="pad".*?<small`).ReplaceAllString(inside, "<small")
	inside = regexp.MustCompile(` data-next([ >])`).ReplaceAllString(inside, `>next:<i$1`)
	inside = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(inside, " ")
	return strings.Join(strings.Fields(inside), " ")
}

// seated opens a table of a book at which ann, ben and cai have played boxes 1 to 3.
func (s *staffed) seated(book string) {
	s.Helper()
	o := identity.ChangeRequest{By: access.Person{Name: "the test", Role: access.Administrator}, Why: "a test"}
	for _, name := range []string{"ben", "cai"} {
		if _, err := s.people.AddUser(s.Context(), o, name, access.Player, password); err != nil {
			s.Fatal(err)
		}
		if _, err := s.CageTransfer(s.Context(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: 1000 * money.Major}); err != nil {
			s.Fatal(err)
		}
	}
	s.putBook("T9", book, table.Unseen)
	s.play(dealer, "T9", table.OpenBets{})
	for i, name := range []string{"ann", "ben", "cai"} {
		s.play(dealer, "T9", table.Bet{Box: i + 1, Player: name, Wager: rules.Ante, Amount: 10 * money.Major})
		s.play(dealer, "T9", table.Bet{Box: i + 1, Player: name, Wager: rules.PairPlus, Amount: 5 * money.Major})
	}
	s.play(dealer, "T9", table.CloseBets{})
	s.play(dealer, "T9", table.Deal{Cards: make([]table.Drawn, 12)})
}

// played has the three players go on.
func (s *staffed) played() {
	s.Helper()
	for i, name := range []string{"ann", "ben", "cai"} {
		s.play(dealer, "T9", table.Raise{Box: i + 1, Player: name})
	}
}

// TestTheConsoleLeadsHandByHand holds that where a book has the dealer turn and pay one hand
// after the other, from the right, the console leads to that (us-3cp dealing.7).
func TestTheConsoleLeadsHandByHand(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.seated("us-3cp")
	s.played()
	dan := newSurfer(t, s.address)
	dan.signIn("dan", password)
	s.play(dealer, "T9", table.Reveal{Hand: namedCards("Qd 4s 2h")})
	for _, step := range []struct {
		do         table.Action
		next, paid string
	}{
		{table.Show{Box: 3, Hand: namedCards("Kd 9s 3h")}, "next: Settle box 3", "3 Box 3, cai Take $5, pay $20"},
		{table.Settle{Box: 3}, "next: Turn the hand", ""},
		{table.Show{Box: 2, Hand: namedCards("8d 8s 3c")}, "next: Settle box 2", "2 Box 2, ben Pay $25"},
		{table.Settle{Box: 2}, "next: Turn the hand", ""},
		{table.Show{Box: 1, Hand: namedCards("Jd 9c 3s")}, "next: Settle box 1", "1 Box 1, ann Take $25"},
	} {
		s.play(dealer, "T9", step.do)
		if flow := dan.part("/console/T9", "k-flow"); !strings.Contains(flow, step.next) {
			t.Errorf("after %T the console goes on with %q, want %q", step.do, flow, step.next)
		}
		if pay := dan.part("/console/T9", "k-pay"); !strings.Contains(pay, step.paid) {
			t.Errorf("after %T the console pays %q, want %q", step.do, pay, step.paid)
		}
	}
}

// TestTheConsoleLeadsThroughClaims holds that the console leads a dealer who has no hand
// through the players' claims, from the right. It never leads to a hand that stays face down by
// the record (fr-p3c@2007 31, 49, 57).
func TestTheConsoleLeadsThroughClaims(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.seated("fr-p3c")
	dan := newSurfer(t, s.address)
	dan.signIn("dan", password)
	const burnt, claims = "Burn the cards that are left", "whose player announces aloud"
	if flow := dan.part("/console/T9", "k-flow"); !strings.Contains(flow, burnt) {
		t.Errorf("when the cards are dealt the console says %q", flow)
	}
	s.played()
	if flow := dan.part("/console/T9", "k-flow"); strings.Contains(flow, burnt) || strings.Contains(flow, claims) {
		t.Errorf("when all have decided the console says %q", flow)
	}
	s.play(dealer, "T9", table.Reveal{Hand: namedCards("Jd 4s 2h")})
	if flow := dan.part("/console/T9", "k-flow"); !strings.Contains(flow, claims) || !strings.Contains(flow, "The next goes to: Box 3, cai. Cards Box 3, cai Box 2, ben Box 1, ann") {
		t.Errorf("the dealer has no hand, and the console says %q", flow)
	}
	if hands := dan.part("/console/T9", "k-hands"); !strings.Contains(hands, "3 Box 3 Keep the hand face down 2 Box 2 Keep the hand face down 1 Box 1") {
		t.Errorf("the console lists %q, not from the right", hands)
	}
	s.play(dealer, "T9", table.KeepDown{Box: 3})
	if flow := dan.part("/console/T9", "k-flow"); !strings.Contains(flow, "next: Settle box 3") || !strings.Contains(flow, "The next goes to: Box 2, ben. Cards Box 2, ben Box 1, ann Box 3, cai") {
		t.Errorf("nothing is announced at box 3, and the console says %q", flow)
	}
	if pay := dan.part("/console/T9", "k-pay"); !strings.Contains(pay, "3 Box 3, cai Take $5, pay $10") {
		t.Errorf("nothing is announced at box 3, and the console pays %q", pay)
	}
	s.play(dealer, "T9", table.Settle{Box: 3})
	s.play(dealer, "T9", table.Show{Box: 2, Hand: namedCards("9h 9d 3s")})
	if pay := dan.part("/console/T9", "k-pay"); !strings.Contains(pay, "2 Box 2, ben Pay $15") {
		t.Errorf("a pair is announced at box 2, and the console pays %q", pay)
	}
}
