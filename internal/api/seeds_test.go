package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/money"
)

// 64 guests without a bet take all places for players' seeds. Whoever has bet still
// finds one, and the record of the round is proven with it.
func TestGuestsCannotLockABettorOut(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	for _, person := range []string{"ann", "ben"} {
		s.buyIn(person, 100*money.Major)
	}
	s.done("dan", "T1", `{"kind":"open-bets","body":{}}`)
	add := func(person, text string) *reply {
		return s.ask(person, http.MethodPost, "/api/v1/tables/T1/seeds", fmt.Sprintf(`{"text":%q}`, text))
	}
	for n := range 64 {
		if r := add(s.guest(), fmt.Sprint("grief ", n)); r.StatusCode != http.StatusOK {
			t.Fatalf("guest %d: %s %s", n, r.Status, r.text)
		}
	}
	if r := add("ann", "before the bet"); r.StatusCode < 400 {
		t.Errorf("the 65th without a bet: %s %s", r.Status, r.text)
	}
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"wager":"ante","amount":500}}`)
	if r := add("ann", "after the bet"); r.StatusCode != http.StatusOK {
		t.Fatalf("with a bet: %s %s", r.Status, r.text)
	}
	// A bet that is taken back keeps no place.
	s.done("ben", "T1", `{"kind":"bet","body":{"box":2,"wager":"ante","amount":500}}`)
	if r := add("ben", "for now"); r.StatusCode != http.StatusOK {
		t.Fatalf("with a bet: %s %s", r.Status, r.text)
	}
	s.done("ben", "T1", `{"kind":"withdraw","body":{"box":2,"wager":"ante"}}`)
	s.done("dan", "T1", `{"kind":"close-bets","body":{}}`)
	s.done("dan", "T1", `{"kind":"deal","body":{}}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1}}`)
	s.done("dan", "T1", `{"kind":"reveal","body":{}}`)
	s.done("dan", "T1", `{"kind":"settle","body":{}}`)
	r := s.get("pat", "/api/v1/tables/T1/rounds/1")
	if r.StatusCode != http.StatusOK {
		t.Fatalf("the record: %s", r.text)
	}
	round, err := proof.Read(strings.NewReader(r.text))
	if err != nil {
		t.Fatal(err)
	}
	if report := proof.Verify(round); !report.Sound {
		t.Errorf("%+v", report)
	}
	tokens := map[string]string{}
	for token, name := range round.Names {
		tokens[name] = token
	}
	seeds := map[string]string{}
	for _, seed := range round.Seed.Own {
		seeds[seed.Player] = seed.Text
	}
	if len(seeds) != 64 || seeds[tokens["ann"]] != "after the bet" || seeds[tokens["ben"]] != "for now" {
		t.Errorf("counted were %v", seeds)
	}
	// A place that is taken from one who has bet is found out.
	at := slices.IndexFunc(round.Steps, func(step proof.Step) bool {
		return step.By.Name == tokens["ben"] && step.Kind == proof.AddSeedKind
	})
	if at < 0 {
		t.Fatal("the record does not have the seed of ben")
	}
	var added fair.Added
	if err := json.Unmarshal(round.Steps[at].Seeds[0].Body, &added); err != nil || added.Instead == "" {
		t.Fatalf("%s, %v", round.Steps[at].Seeds[0].Body, err)
	}
	added.Instead = tokens["ann"]
	if round.Steps[at].Seeds[0].Body, err = json.Marshal(added); err != nil {
		t.Fatal(err)
	}
	where := fmt.Sprintf("steps[%d].seeds[0]", at)
	if report := proof.Verify(round); report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
		return f.Check == proof.Commands && f.Result == proof.Failed && f.Where == where
	}) {
		t.Errorf("%+v", report)
	}
}
