package web_test

import (
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
)

// The approver of other terms of a jackpot sees that hits are verified as before where the
// proposal leaves out the threshold. The page does not say that nobody verifies them any more.
func TestTermsLeaveTheVerificationAsItIs(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	state, _ := s.House.Jackpot("linked")
	pat, sue := access.Person{Name: "pat", Role: access.PitSupervisor}, access.Person{Name: "sue", Role: access.ShiftManager}
	terms := state.Terms
	terms.VerifyFrom = 12_345_67
	id, err := s.House.Propose(t.Context(), "", pat, house.ChangeTerms{Jackpot: "linked", Terms: terms})
	if err == nil {
		_, err = s.House.Approve(t.Context(), "", sue, id)
	}
	if err != nil {
		t.Fatal(err)
	}
	terms.VerifyFrom, terms.Reset = 0, 2*terms.Reset
	if _, err := s.House.Propose(t.Context(), "", pat, house.ChangeTerms{Jackpot: "linked", Terms: terms}); err != nil {
		t.Fatal(err)
	}
	manager := newSurfer(t, s.address)
	manager.signIn("sue", password)
	_, _, page := manager.open("/console", nil)
	_, asked, found := strings.Cut(page, "Hits are verified from")
	row, _, _ := strings.Cut(asked, "</tr>")
	if !found || strings.Count(row, "12,345.67") != 2 { // as it waits and as it is asked for
		t.Errorf("the page says %q", row)
	}
}
