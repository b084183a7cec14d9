package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/internal/store/memory"
	"trey/money"
)

// altered is a record in which one transaction is not what the house wrote. The
// simulation plays a house to the end, and then somebody changes its record.
type altered struct {
	entries  []house.Entry
	accounts ledger.Book
}

func (r *altered) ReadAll(_ context.Context, after int64, _ string, yield func(house.Entry) error) error {
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

func (r *altered) Balances(_ context.Context, yield func(ledger.Account, money.Amount) error) error {
	for _, a := range r.accounts.Accounts() {
		if err := yield(a, r.accounts[a]); err != nil {
			return err
		}
	}
	return nil
}

// record reads a whole disk.
func record(t *testing.T, d *memory.Disk) *altered {
	t.Helper()
	r := &altered{accounts: d.Accounts()}
	if err := d.Entries(0, func(e house.Entry) error { r.entries = append(r.entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

// event finds the first event of a kind whose body holds a text.
func (r *altered) event(kind, holds string) (*house.Entry, *house.Event) {
	for i := range r.entries {
		for k := range r.entries[i].Parts {
			events := r.entries[i].Parts[k].Events
			for j := range events {
				if events[j].Kind == kind && strings.Contains(string(events[j].Body), holds) {
					return &r.entries[i], &events[j]
				}
			}
		}
	}
	return nil, nil
}

// edit changes the body of the first event of a kind.
func (r *altered) edit(kind, holds string, change func(body map[string]any)) bool {
	_, e := r.event(kind, holds)
	if e == nil {
		return false
	}
	var body map[string]any
	d := json.NewDecoder(bytes.NewReader(e.Body))
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		return false
	}
	change(body)
	text, err := json.Marshal(body)
	e.Body = text
	return err == nil
}

func add(number any, cents int64) json.Number {
	n, err := number.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return json.Number(strconv.FormatInt(n+cents, 10))
}

// The auditor finds what anybody could do to a record, or a fault of the house
// could do to it: each of these is one change.
func TestTheAuditorBites(t *testing.T) {
	w := play(t, 14, 60)
	if a, err := auditor.Check(ctx(), record(t, &w.disk)); err != nil || len(a.Findings()) > 0 {
		t.Fatalf("the record as it is: %v, %v", a.Findings(), err)
	}
	first := func(body map[string]any, list string) map[string]any {
		return body[list].([]any)[0].(map[string]any)
	}
	for name, test := range map[string]struct {
		want   string
		change func(r *altered) bool
	}{
		"a posting is dropped": {"and the postings", func(r *altered) bool {
			e, _ := r.event("settled", `"result":"win"`)
			e.Postings = e.Postings[1:]
			return true
		}},
		"a posting is one cent more": {"and the postings", func(r *altered) bool {
			e, _ := r.event("bet-placed", "")
			e.Postings = slices.Clone(e.Postings)
			e.Postings[0].Amount++
			return true
		}},
		"a line is paid twice": {"2 lines settle", func(r *altered) bool {
			return r.edit("settled", `"result":"win"`, func(body map[string]any) {
				lines := body["lines"].([]any)
				body["lines"] = append(lines, lines[0])
			})
		}},
		"a line pays one cent more": {"goes back", func(r *altered) bool {
			return r.edit("settled", `"result":"win"`, func(body map[string]any) {
				line := first(body, "lines")
				line["returned"] = add(line["returned"], 1)
			})
		}},
		"a line is missing": {"0 lines settle", func(r *altered) bool {
			return r.edit("settled", "", func(body map[string]any) { body["lines"] = body["lines"].([]any)[1:] })
		}},
		"a stake does not go back whole": {"arrives", func(r *altered) bool {
			return r.edit("round-voided", `"stake"`, func(body map[string]any) {
				line := first(body, "lines")
				line["returned"] = add(line["returned"], -1)
			})
		}},
		"a card is dealt twice": {"is dealt twice", func(r *altered) bool {
			return r.edit("cards-dealt", "", func(body map[string]any) {
				cards := body["cards"].([]any)
				cards[1].(map[string]any)["card"] = cards[0].(map[string]any)["card"]
			})
		}},
		"a contribution is one cent less": {"was moved", func(r *altered) bool {
			return r.edit("contributed", "", func(stored map[string]any) {
				body := stored["body"].(map[string]any)
				body["to_meter"] = add(body["to_meter"], -1)
			})
		}},
		"a meter says one cent more": {"and its event says", func(r *altered) bool {
			return r.edit("contributed", "", func(stored map[string]any) {
				after := stored["body"].(map[string]any)["after"].(map[string]any)
				after["meter"] = add(after["meter"], 1)
			})
		}},
		"a hit is paid one cent more": {"and pays", func(r *altered) bool {
			return r.edit("hit-paid", "", func(stored map[string]any) {
				body := stored["body"].(map[string]any)
				body["amount"] = add(body["amount"], 1)
			})
		}},
		"an interruption ends under another clause": {"was interrupted", func(r *altered) bool {
			return r.edit("reported", `"incident":"interruption"`, func(body map[string]any) { body["clause"] = "5.99" })
		}},
		"a bet after the close": {"when none is taken", func(r *altered) bool {
			e, _ := r.event("bet-placed", "")
			_, closed := r.event("bets-opened", "")
			moved := *closed
			moved.Kind, moved.Body = "bets-closed", []byte("{}")
			for k := range e.Parts {
				if strings.HasPrefix(e.Parts[k].Stream, "table:") {
					e.Parts[k].Events = append([]house.Event{moved}, e.Parts[k].Events...)
				}
			}
			return true
		}},
		"another seed is revealed": {"is not the one committed to", func(r *altered) bool {
			return r.edit("seed-revealed", "", func(body map[string]any) {
				seed := []byte(body["seed"].(string))
				seed[5] ^= 1
				body["seed"] = string(seed)
			})
		}},
		"a commitment comes late": {"is not the one committed to", func(r *altered) bool {
			e, _ := r.event("seed-committed", "")
			for k := range e.Parts {
				if strings.HasPrefix(e.Parts[k].Stream, "deal:") {
					e.Parts[k].Events = nil
				}
			}
			return true
		}},
		"one person approves what he asked for": {"who asked for it", func(r *altered) bool {
			_, e := r.event("approved", "")
			var body map[string]json.RawMessage
			if err := json.Unmarshal(e.Body, &body); err != nil {
				t.Fatal(err)
			}
			body["by"] = body["of"]
			text, err := json.Marshal(body)
			e.Body = text
			return err == nil
		}},
		"a transaction is missing": {"and it follows", func(r *altered) bool {
			r.entries = slices.Delete(r.entries, 40, 41)
			return true
		}},
		"a transaction is there twice": {"it stands after", func(r *altered) bool {
			r.entries = slices.Insert(r.entries, 40, r.entries[40])
			return true
		}},
		"two transactions changed places": {"it stands after", func(r *altered) bool {
			r.entries[40], r.entries[41] = r.entries[41], r.entries[40]
			return true
		}},
		"a balance is one cent more": {"out of balance", func(r *altered) bool {
			r.accounts[ledger.Account{Kind: ledger.Player, Of: "ann"}]++
			return true
		}},
		"a cent is with somebody else": {"by the store", func(r *altered) bool {
			r.accounts[ledger.Account{Kind: ledger.Player, Of: "ann"}]++
			r.accounts[ledger.Account{Kind: ledger.Player, Of: "ben"}]--
			return true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, &w.disk)
			if !test.change(r) {
				t.Fatal("the record has nothing to change so")
			}
			a, err := auditor.Check(ctx(), r)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(a.Findings(), func(f auditor.Finding) bool { return strings.Contains(f.What, test.want) }) {
				t.Errorf("the auditor finds %v, and nothing like %q", a.Findings(), test.want)
			}
		})
	}
}

// fallen takes the failure of a simulation that is meant to fail.
type fallen struct {
	testing.TB
	why string
}

func (f *fallen) Helper() {}

func (f *fallen) Fatalf(format string, args ...any) {
	f.why = format
	panic(f)
}

// What the house or its store does wrong while it plays is found as it plays: a
// house whose store forgets what it has acknowledged, or whose postings go astray
// on their way to it.
func TestTheSimulationBites(t *testing.T) {
	drop := func(kind string, change func(tx *house.Transaction)) func(*house.Transaction) {
		n := 0
		return func(tx *house.Transaction) {
			for _, p := range tx.Parts {
				for _, e := range p.Events {
					if n++; e.Kind == kind && n > 200 {
						change(tx)
						return
					}
				}
			}
		}
	}
	for name, sabotage := range map[string]func(*house.Transaction){
		"a posting is lost": drop("settled", func(tx *house.Transaction) {
			if len(tx.Postings) > 0 {
				tx.Postings = tx.Postings[1:]
			}
		}),
		"a balance is not written": drop("bet-placed", func(tx *house.Transaction) {
			if len(tx.Changes) > 0 {
				tx.Changes = tx.Changes[1:]
			}
		}),
		"acknowledged before it is written": drop("bet-placed", func(tx *house.Transaction) {
			// The store says that it is there, and keeps nothing of it.
			tx.Key, tx.Parts, tx.Postings, tx.Changes = "", nil, nil, nil
		}),
		"the events of a jackpot are lost": drop("contributed", func(tx *house.Transaction) {
			tx.Parts = slices.DeleteFunc(slices.Clone(tx.Parts), func(p house.Part) bool { return strings.HasPrefix(p.Stream, "jackpot:") })
		}),
	} {
		t.Run(name, func(t *testing.T) {
			trap := &fallen{TB: t}
			defer func() {
				if r := recover(); r != nil && r != any(trap) {
					panic(r)
				}
				if trap.why == "" {
					t.Error("nobody noticed")
				}
			}()
			w := newWorld(trap, 3)
			w.sabotage = sabotage
			w.play(60)
		})
	}
}
