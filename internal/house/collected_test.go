package house_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// alteredRecord is a record in which one event is not what the house wrote.
type alteredRecord struct {
	entries  []house.StoredTransaction
	accounts func(context.Context, func(ledger.Account, money.Amount) error) (int64, error)
}

func (r *alteredRecord) ReadAll(_ context.Context, after int64, _ string, yield func(house.StoredTransaction) error) error {
	for _, e := range r.entries {
		if e.Seq <= after {
			continue
		}
		if err := yield(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *alteredRecord) Balances(ctx context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	return r.accounts(ctx, yield)
}

// The auditor finds every alteration of the event by which a paid jackpot is collected
// again: what it collects, from whom, for which pot, and that it happened once.
func TestTheAuditorBitesOnACollectedJackpot(t *testing.T) {
	s := collectedJackpot(t)
	for name, test := range map[string]struct {
		want   string
		change func(body map[string]any)
	}{
		"a cent less is collected":         {"and collects", func(b map[string]any) { b["amount"], b["to_meter"] = 1_000_199, 1_000_199 }},
		"a cent goes to the house":         {"and collects", func(b map[string]any) { b["to_meter"], b["to_house"] = 1_000_199, 1 }},
		"a cent stays away from the meter": {"and collects", func(b map[string]any) { b["to_meter"] = 1_000_199 }},
		"from another box":                 {"which it has not paid", func(b map[string]any) { b["hit"].(map[string]any)["box"] = 2 }},
		"of another round":                 {"which it has not paid", func(b map[string]any) { b["hit"].(map[string]any)["round"] = "2" }},
		"more than it was reset with":      {"takes", func(b map[string]any) { b["reset_to_house"] = 1_000_001 }},
		"of a sum that was never held":     {"and holds it for", func(b map[string]any) { b["payable"] = "ben" }},
		"another meter is said":            {"and its event says", func(b map[string]any) { b["balance"].(map[string]any)["meter"] = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			if findings := auditAltered(t, s, func(e house.Event) []house.Event {
				var stored map[string]any
				if err := json.Unmarshal(e.Body, &stored); err != nil {
					t.Fatal(err)
				}
				test.change(stored)
				text, err := json.Marshal(stored)
				if err != nil {
					t.Fatal(err)
				}
				e.Body = text
				return []house.Event{e}
			}); !strings.Contains(findings, test.want) {
				t.Errorf("found %s, want %q", findings, test.want)
			}
		})
	}
	if findings := auditAltered(t, s, func(e house.Event) []house.Event { return []house.Event{e, e} }); !strings.Contains(findings, "which it has not paid") {
		t.Errorf("collected twice: %s", findings)
	}
	if findings := auditAltered(t, s, func(house.Event) []house.Event { return nil }); !strings.Contains(findings, "the postings") {
		t.Errorf("collected without its event: %s", findings)
	}
}

// auditAltered changes the only event hit-reversed of a record, and returns what the
// auditor finds.
func auditAltered(t *testing.T, s *site, change func(house.Event) []house.Event) string {
	t.Helper()
	r := &alteredRecord{accounts: s.store.Balances}
	altered := 0
	err := house.Named(s.store).ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error {
		e.Parts = slices.Clone(e.Parts)
		for k := range e.Parts {
			events := e.Parts[k].Events
			e.Parts[k].Events = nil
			for _, event := range events {
				if event.Kind != "hit-reversed" {
					e.Parts[k].Events = append(e.Parts[k].Events, event)
					continue
				}
				altered++
				e.Parts[k].Events = append(e.Parts[k].Events, change(event)...)
			}
		}
		r.entries = append(r.entries, e)
		return nil
	})
	if err != nil || altered != 1 {
		t.Fatalf("%d events hit-reversed, %v", altered, err)
	}
	a, err := auditor.Check(ctx(), r)
	if err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, f := range a.Findings() {
		all.WriteString(f.What + "\n")
	}
	return all.String()
}

// A person awards a bonus, which has no stake of its own, on a box whose bets the dealer has
// taken in already: the auditor holds it against those.
func TestAnAwardBesideCollectedBetsIsAudited(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.buyIn("ben", 1000*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ben, ante(ben, 2, 5*money.Major))
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", ben, table.Fold{Box: 2, Player: "ben"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Report{Incident: rules.Uncovered})
	s.do("A", manager, table.Answer{Answer: "remedy", Remedies: []table.Remedy{
		{Do: table.AwardAmount, Box: 2, Player: "ben", Wager: rules.AnteBonus, Amount: 5 * money.Major, Reason: "the hand was a straight"},
	}})
	s.has("ben", 1000*money.Major)
	a, err := auditor.Check(ctx(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings() {
		t.Errorf("%+v", f)
	}
}
