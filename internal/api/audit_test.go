package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/money"
)

// audited reads all transactions that an auditor gets now, and reports whether others are
// withheld because of a round in play.
func (s *site) audited() (all []AuditTransaction, inPlay bool) {
	s.Helper()
	for after := int64(0); ; {
		var page struct {
			Transactions []AuditTransaction
			InPlay       bool `json:"in_play"`
		}
		s.get("aud", fmt.Sprintf("/api/v1/audit/transactions?limit=7&after=%d", after)).into(s, &page)
		all = append(all, page.Transactions...)
		if len(page.Transactions) == 0 || page.InPlay {
			return all, page.InPlay
		}
		after = all[len(all)-1].Seq
	}
}

// Nobody but an auditor reads the record as its leaves commit to it.
func TestOnlyAnAuditorAudits(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", money.Major)
	for _, what := range []string{"transactions", "balances", "names"} {
		path := "/api/v1/audit/" + what
		for name, person := range staff {
			r := s.get(name, path)
			if person.Role == access.Auditor {
				if r.StatusCode != http.StatusOK {
					t.Errorf("%s: %s %s", path, r.Status, r.text)
				}
				continue
			}
			if r.StatusCode != http.StatusForbidden || !strings.Contains(r.problem(t).Detail, "that takes an auditor") {
				t.Errorf("%s asks for %s: %s %s", name, path, r.Status, r.text)
			}
		}
		if r := s.get("", path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("nobody asks for %s: %s %s", path, r.Status, r.text)
		}
	}
	if r := s.order("aud", "T1", `{"kind":"open-bets"}`); r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusNotFound {
		t.Errorf("an auditor opens bets: %s %s", r.Status, r.text)
	}
}

// An auditor reads a round when it is over, and nothing that comes after the beginning of one
// whose cards are on a table. Bets alone hold nothing up.
func TestAnAuditorReadsNoRoundInPlay(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.install("T2", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	opened := s.done("dan", "T1", `{"kind":"open-bets"}`).Seq
	bet := s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`).Seq
	if all, inPlay := s.audited(); inPlay || all[len(all)-1].Seq < bet {
		t.Errorf("while bets are open: up to %d, in play %t; the bet is %d", all[len(all)-1].Seq, inPlay, bet)
	}
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal"}`)
	s.settled("T2", "ben") // another table goes on meanwhile
	if all, inPlay := s.audited(); !inPlay || all[len(all)-1].Seq != opened-1 {
		t.Errorf("while cards lie face down: up to %d, in play %t; the round began with %d", all[len(all)-1].Seq, inPlay, opened)
	}
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	last := s.done("dan", "T1", `{"kind":"settle"}`).Seq
	all, inPlay := s.audited()
	if inPlay || all[len(all)-1].Seq < last {
		t.Fatalf("after the round: up to %d, in play %t; it ended with %d", all[len(all)-1].Seq, inPlay, last)
	}
	// All of it is there and in order, and every leaf follows: package served builds the tree.
	records := 0
	for i, one := range all {
		if one.Seq != int64(i)+1 {
			t.Fatalf("transaction %d stands in place %d", one.Seq, i+1)
		}
		if one.Record != nil {
			records++
		}
	}
	if records != 2 {
		t.Errorf("%d transactions commit to the record of a round, of 2 rounds", records)
	}
}

// What is secret of users is withheld from an auditor too, and nothing else is but seeds.
func TestWhatAnAuditorDoesNotRead(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.settled("T1", "ann")
	all, _ := s.audited()
	secrets := 0
	err := s.store.ReadAll(t.Context(), 0, "people", func(e house.StoredTransaction) error {
		for i := range e.Parts {
			for _, event := range e.Parts[i].Events {
				if hash, _, ok := strings.Cut(after(string(event.Body), `"hash":"`), `"`); ok && hash != "" {
					secrets++
					if text := s.get("aud", fmt.Sprintf("/api/v1/audit/transactions?limit=1&after=%d", e.Seq-1)).text; strings.Contains(text, hash) {
						t.Errorf("transaction %d shows a hash: %s", e.Seq, text)
					}
				}
			}
		}
		return nil
	})
	if err != nil || secrets == 0 {
		t.Fatalf("%d hashes stand in the record: %v", secrets, err)
	}
	withheld := map[string]int{}
	for _, one := range all {
		for _, section := range one.Sections {
			if section.Commitment == "" {
				continue
			}
			if section.Text != "" || section.Salt != "" {
				t.Errorf("transaction %d withholds %s and shows it", one.Seq, section.Name)
			}
			stream, _, _ := strings.Cut(strings.TrimPrefix(section.Name, "part "), " ")
			withheld[stream]++
		}
	}
	for stream := range withheld {
		if stream != "people" && stream != "cause" && stream != "sealed:T1" {
			t.Errorf("%s is withheld", stream)
		}
	}
	if withheld["people"] == 0 || withheld["sealed:T1"] == 0 {
		t.Errorf("withheld are %v", withheld)
	}
}

// after returns what stands behind the first occurrence of a text, empty if there is none.
func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}
