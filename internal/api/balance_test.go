package api

import (
	"net/http"
	"strings"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/report"
)

// TestBalancesOfPlayersAreForThoseWhoSeeAccounts holds that no account, report or proposal tells
// what a player has to somebody who may not see accounts.
func TestBalancesOfPlayersAreForThoseWhoSeeAccounts(t *testing.T) {
	s := newSite(t)
	// Ann's balance is neither a sum over players nor a sum that a player brought in.
	s.buyIn("ann", 8_000_000)
	s.buyIn("ben", 1_111)
	s.status(http.StatusOK, "", "cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":345679}`)
	const before, after = "7654321", "7654821"
	ids := make([]int64, 2) // one is approved and one waits
	for i := range ids {
		var proposed struct{ ID int64 }
		s.status(http.StatusCreated, "", "cas", http.MethodPost, "/api/v1/proposals",
			`{"kind":"adjust-account","body":{"player":"ann","cause":"goodwill","change":500,"note":"a test"}}`).into(t, &proposed)
		ids[i] = proposed.ID
	}
	if _, err := s.Approve(t.Context(), "", staff["sue"], ids[0]); err != nil {
		t.Fatal(err)
	}
	paths := []string{"/api/v1/accounts", "/api/v1/accounts/player:ann", "/api/v1/accounts/player:ann/movements", "/api/v1/proposals", "/api/v1/players/ann/play"}
	for _, k := range report.Kinds() {
		paths = append(paths, "/api/v1/reports/"+k.String())
	}
	shownBy := map[string]bool{}
	for name, person := range staff {
		for _, path := range paths {
			text := s.ask(name, http.MethodGet, path, "").text
			if !strings.Contains(text, before) && !strings.Contains(text, after) {
				continue
			}
			shownBy[path] = true
			if !person.Role.Can(access.SeeAccounts) {
				t.Errorf("%s, %s, is told what ann has by %s: %.400s", name, person.Role, path, text)
			}
		}
	}
	for _, path := range []string{"/api/v1/accounts/player:ann", "/api/v1/proposals", "/api/v1/reports/player-accounts", "/api/v1/reports/adjustments"} {
		if !shownBy[path] {
			t.Errorf("%s tells nobody what ann has", path)
		}
	}
}

// TestAPlayerReadsNoNotesOfTheStaff holds that a player's own history has every movement, and none
// of the words that the staff wrote beside it.
func TestAPlayerReadsNoNotesOfTheStaff(t *testing.T) {
	s := newSite(t)
	const cage, adjustment = "looks drunk to me", "as ben has said"
	s.status(http.StatusOK, "", "cas", http.MethodPost, "/api/v1/cage", `{"reason":"buy-in","player":"ann","amount":5000,"note":"`+cage+`"}`)
	var proposed struct{ ID int64 }
	s.status(http.StatusCreated, "", "cas", http.MethodPost, "/api/v1/proposals",
		`{"kind":"adjust-account","body":{"player":"ann","cause":"goodwill","change":500,"note":"`+adjustment+`"}}`).into(t, &proposed)
	if _, err := s.Approve(t.Context(), "", staff["sue"], proposed.ID); err != nil {
		t.Fatal(err)
	}
	for person, path := range map[string]string{"ann": "/api/v1/account/movements", "cas": "/api/v1/accounts/player:ann/movements"} {
		var history struct{ Movements []Movement }
		r := s.ask(person, http.MethodGet, path, "")
		r.into(t, &history)
		if len(history.Movements) != 2 || len(history.Movements[0].Postings) != 1 {
			t.Errorf("%s reads %s", person, r.text)
		}
		for _, note := range []string{cage, adjustment} {
			if strings.Contains(r.text, note) != (person == "cas") {
				t.Errorf("%s reads %s", person, r.text)
			}
		}
	}
}
