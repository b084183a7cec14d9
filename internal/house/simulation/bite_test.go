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
	entries  []house.StoredTransaction
	accounts ledger.Book
}

func (r *altered) ReadAll(_ context.Context, after int64, _ string, yield func(house.StoredTransaction) error) error {
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

func (r *altered) Balances(_ context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	for _, a := range r.accounts.Accounts() {
		if err := yield(a, r.accounts[a]); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// wholeRecord reads a whole disk.
func wholeRecord(t *testing.T, d *memory.Disk) *altered {
	t.Helper()
	r := &altered{accounts: d.Accounts()}
	if err := d.Entries(0, func(e house.StoredTransaction) error { r.entries = append(r.entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return r
}

// event finds the first event of a kind whose body holds a text; there may be
// none.
func (r *altered) event(kind, holds string) (*house.StoredTransaction, *house.Event) {
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

// edit changes the body of the first event of a kind that the change has
// something to do in: it says whether it has.
func (r *altered) edit(kind string, change func(body map[string]any) bool) bool {
	for i := range r.entries {
		for k := range r.entries[i].Parts {
			events := r.entries[i].Parts[k].Events
			for j := range events {
				if events[j].Kind != kind {
					continue
				}
				var body map[string]any
				d := json.NewDecoder(bytes.NewReader(events[j].Body))
				d.UseNumber()
				if d.Decode(&body) != nil || !change(body) {
					continue
				}
				text, err := json.Marshal(body)
				events[j].Body = text
				return err == nil
			}
		}
	}
	return false
}

// all lists the objects of a list in a body.
func all(body map[string]any, list string) (objects []map[string]any) {
	listed, _ := body[list].([]any)
	for _, o := range listed {
		objects = append(objects, o.(map[string]any))
	}
	return objects
}

// inLine changes the first line of a kind of event that fits.
func (r *altered) inLine(kind string, fits func(line map[string]any) bool, change func(line map[string]any)) bool {
	return r.edit(kind, func(body map[string]any) bool {
		for _, line := range all(body, "lines") {
			if fits(line) {
				change(line)
				return true
			}
		}
		return false
	})
}

func staked(line map[string]any) bool { return line["stake"] != json.Number("0") }

// result fits lines with a stake of more than a few cents and that result: a cent
// more is not the whole stake then.
func result(want string) func(line map[string]any) bool {
	return func(line map[string]any) bool {
		n, err := line["stake"].(json.Number).Int64()
		return err == nil && n > 5 && line["result"] == want
	}
}

// corrects fits lines of a correction with that result.
func corrects(want string) func(line map[string]any) bool {
	return func(line map[string]any) bool { return line["result"] == want }
}

// centMore pays a cent more on a line.
func centMore(line map[string]any) { line["returned"] = add(line["returned"], 1) }

// named lists the cards of a deal that have names.
func named(body map[string]any) (cards []map[string]any) {
	for _, c := range all(body, "cards") {
		if c["card"] != "??" {
			cards = append(cards, c)
		}
	}
	return cards
}

func add(number any, cents int64) json.Number {
	n, err := number.(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return json.Number(strconv.FormatInt(n+cents, 10))
}

// The auditor finds what anybody could do to a record, or a fault of the house
// could do to it: each of these is one change. Not every house offers a place for
// each, so they are made to the records of as many houses as it takes.
func TestTheAuditorBites(t *testing.T) {
	t.Parallel()
	// These two houses have a place for every change. Where a new house plays differently, and
	// they have none any more, others follow, and the log says which.
	seeds := []uint64{12, 37}
	if *oneSeed > 0 {
		seeds = []uint64{*oneSeed}
	}
	const most = 120
	var worlds []*world
	untouched := map[int]*altered{} // records in which nothing was changed
	// changed returns the record of a house with a change, nil if there is no place for it.
	changed := func(i int, change func(r *altered) bool) *altered {
		for len(worlds) <= i {
			if len(worlds) == len(seeds) {
				seeds = append(seeds, seeds[len(seeds)-1]+1)
			}
			w := newWorld(t, seeds[len(worlds)])
			w.play(60) // and no proof of each round: TestWholeHouse has that
			untouched[len(worlds)] = wholeRecord(t, &w.disk)
			if a, err := auditor.Check(ctx(), untouched[len(worlds)]); err != nil || len(a.Findings()) > 0 {
				t.Fatalf("the record as it is: %v, %v", a.Findings(), err)
			}
			worlds = append(worlds, w)
		}
		r := untouched[i]
		if r == nil {
			r = wholeRecord(t, &worlds[i].disk)
		}
		if untouched[i] = r; !change(r) {
			return nil
		}
		delete(untouched, i)
		return r
	}
	for name, test := range map[string]struct {
		want   string
		change func(r *altered) bool
	}{
		"a posting is dropped": {"and the postings", func(r *altered) bool {
			e, _ := r.event("settled", `"result":"win"`)
			if e == nil || len(e.Postings) == 0 {
				return false
			}
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
			return r.edit("settled", func(body map[string]any) bool {
				for _, line := range all(body, "lines") {
					if staked(line) {
						body["lines"] = append(body["lines"].([]any), line)
						return true
					}
				}
				return false
			})
		}},
		"a line that wins pays one cent more": {"goes back", func(r *altered) bool {
			return r.inLine("settled", result("win"), centMore)
		}},
		"a line that loses pays one cent": {"goes back", func(r *altered) bool {
			return r.inLine("settled", result("lose"), centMore)
		}},
		"a line that pushes pays one cent more": {"goes back", func(r *altered) bool {
			return r.inLine("settled", result("push"), centMore)
		}},
		"a line without a stake pays one cent more": {"goes back", func(r *altered) bool {
			return r.inLine("settled", func(line map[string]any) bool { return !staked(line) }, centMore)
		}},
		"a line is paid and wins one cent more": {"and the postings", func(r *altered) bool {
			return r.inLine("settled", result("win"), func(line map[string]any) {
				line["pays"] = add(line["pays"], 1)
				centMore(line)
			})
		}},
		"a cent is on another line of the same player": {"goes back", func(r *altered) bool {
			return r.edit("settled", func(body map[string]any) bool {
				for _, from := range all(body, "lines") {
					for _, to := range all(body, "lines") {
						if from["player"] == to["player"] && result("win")(from) && result("lose")(to) {
							from["returned"] = add(from["returned"], -1)
							centMore(to)
							return true
						}
					}
				}
				return false
			})
		}},
		"a line that loses wins": {"says lose and pays", func(r *altered) bool {
			return r.inLine("settled", result("lose"), func(line map[string]any) {
				line["pays"] = add(line["pays"], 1)
				centMore(line)
			})
		}},
		"a line is missing": {"0 lines settle", func(r *altered) bool {
			return r.edit("settled", func(body map[string]any) bool {
				for i, line := range all(body, "lines") {
					if staked(line) {
						body["lines"] = slices.Delete(body["lines"].([]any), i, i+1)
						return true
					}
				}
				return false
			})
		}},
		"a stake does not go back whole": {"arrives", func(r *altered) bool {
			return r.inLine("round-voided", staked, func(line map[string]any) { line["returned"] = add(line["returned"], -1) })
		}},
		"a card is dealt twice": {"is dealt twice", func(r *altered) bool {
			return r.edit("cards-dealt", func(body map[string]any) bool {
				cards := named(body)
				if len(cards) < 2 {
					return false
				}
				cards[len(cards)-1]["card"] = cards[0]["card"]
				return true
			})
		}},
		"a card that lies face down is corrected": {"lies face down, and is corrected", func(r *altered) bool {
			return r.edit("cards-exposed", func(body map[string]any) bool {
				changed := body["corrected"] != true
				body["corrected"] = true
				return changed
			})
		}},
		"a card is dealt again later": {"is dealt twice", func(r *altered) bool {
			before := map[string]any{} // of each table, a card of the round
			for i := range r.entries {
				for _, p := range r.entries[i].Parts {
					for j := range p.Events {
						switch p.Events[j].Kind {
						case "bets-opened":
							delete(before, p.Stream)
						case "cards-dealt":
							var body map[string]any
							if err := json.Unmarshal(p.Events[j].Body, &body); err != nil {
								return false
							}
							cards := named(body)
							if len(cards) == 0 {
								continue
							}
							if before[p.Stream] == nil {
								before[p.Stream] = cards[0]["card"]
								continue
							}
							cards[0]["card"] = before[p.Stream]
							text, err := json.Marshal(body)
							p.Events[j].Body = text
							return err == nil
						}
					}
				}
			}
			return false
		}},
		"a hand holds a card twice that nobody saw dealt": {"is dealt twice", func(r *altered) bool {
			unseen := map[string]bool{} // by table
			for i := range r.entries {
				for _, p := range r.entries[i].Parts {
					for j := range p.Events {
						e := &p.Events[j]
						switch e.Kind {
						case "cards-dealt":
							unseen[p.Stream] = strings.Contains(string(e.Body), `"??"`)
						case "dealer-shown":
							var body map[string]any
							if err := json.Unmarshal(e.Body, &body); err != nil || !unseen[p.Stream] {
								continue
							}
							hand := body["hand"].([]any)
							hand[2] = hand[0]
							text, err := json.Marshal(body)
							e.Body = text
							return err == nil
						}
					}
				}
			}
			return false
		}},
		"a hand is turned that was not dealt": {", and then ", func(r *altered) bool {
			return r.edit("hand-shown", func(body map[string]any) bool {
				hand := body["hand"].([]any)
				hand[0], hand[1] = hand[1], hand[0]
				return true
			})
		}},
		"a contribution is one cent less": {"was moved", func(r *altered) bool {
			return r.edit("contributed", func(body map[string]any) bool {
				if body["to_meter"] == nil {
					return false
				}
				body["to_meter"] = add(body["to_meter"], -1)
				return true
			})
		}},
		"a meter says one cent more": {"and its event says", func(r *altered) bool {
			return r.edit("contributed", func(body map[string]any) bool {
				balance := body["balance"].(map[string]any)
				balance["meter"] = add(balance["meter"], 1)
				return true
			})
		}},
		"a hit is paid one cent more": {"and pays", func(r *altered) bool {
			return r.edit("hit-paid", func(body map[string]any) bool {
				body["amount"] = add(body["amount"], 1)
				return true
			})
		}},
		"a jackpot was never opened": {"was never opened", func(r *altered) bool {
			e, _ := r.event("opened", `"terms"`)
			if e == nil {
				return false
			}
			e.Parts = slices.DeleteFunc(e.Parts, func(p house.StreamAppend) bool { return strings.HasPrefix(p.Stream, "jackpot:") })
			return true
		}},
		"an interruption ends under another clause": {"was interrupted", func(r *altered) bool {
			return r.edit("reported", func(body map[string]any) bool {
				report := body["report"].(map[string]any)
				// One of an earlier round has no effect any more.
				if report["incident"] != "interruption" || report["round"] != nil {
					return false
				}
				body["clause"] = "5.99"
				return true
			})
		}},
		"somebody confirms their own report": {"and confirms the report", func(r *altered) bool {
			var reporter any
			return r.edit("question-asked", func(body map[string]any) bool {
				asked := body["question"].(map[string]any)
				if asked["key"] == "facts" {
					reporter = asked["by"].(map[string]any)["name"]
				}
				return asked["key"] == "facts"
			}) && r.edit("question-answered", func(body map[string]any) bool {
				body["by"].(map[string]any)["name"] = reporter
				return body["key"] == "facts"
			})
		}},
		"an answer to another question": {"that is not open", func(r *altered) bool {
			return r.edit("question-answered", func(body map[string]any) bool {
				body["key"] = "order-of-cards"
				return true
			})
		}},
		"a report takes out a hand whose bets stay": {"whose bets did not go back", func(r *altered) bool {
			return r.edit("reported", func(body map[string]any) bool {
				if body["outcome"] != "continue" {
					return false
				}
				body["outcome"], body["boxes"] = "invalidate", []int{6}
				return true
			})
		}},
		"a report takes out hands without saying so": {"takes boxes out of the round", func(r *altered) bool {
			return r.edit("reported", func(body map[string]any) bool {
				body["boxes"] = []int{1}
				return body["outcome"] == "continue"
			})
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
		"bets were never opened": {"when none is taken", func(r *altered) bool {
			for i := range r.entries {
				for k := range r.entries[i].Parts {
					p := &r.entries[i].Parts[k]
					p.Events = slices.DeleteFunc(p.Events, func(e house.Event) bool { return e.Kind == "bets-opened" })
				}
			}
			return true
		}},
		"another seed is revealed": {"is not the one committed to", func(r *altered) bool {
			return r.edit("seed-revealed", func(body map[string]any) bool {
				seed := []byte(body["seed"].(string))
				seed[5] ^= 1
				body["seed"] = string(seed)
				return true
			})
		}},
		"a commitment comes late": {"is not the one committed to", func(r *altered) bool {
			e, _ := r.event("seed-committed", "")
			if e == nil {
				return false
			}
			for k := range e.Parts {
				if strings.HasPrefix(e.Parts[k].Stream, "deal:") {
					e.Parts[k].Events = nil
				}
			}
			return true
		}},
		"an award returns a cent more than it pays": {"corrects no payment", func(r *altered) bool {
			return r.inLine("payment-corrected", corrects("win"), centMore)
		}},
		"a box that is settled alone is paid a cent more": {"goes back", func(r *altered) bool {
			return r.inLine("box-settled", result("win"), centMore)
		}},
		"a settlement that is undone leaves a cent": {"is undone, and", func(r *altered) bool {
			return r.inLine("settlement-undone", corrects("returned"), func(line map[string]any) { line["reverses"] = add(line["reverses"], -1) })
		}},
		"a cent more lies on the layout when a settlement is undone": {"again, where", func(r *altered) bool {
			return r.edit("settlement-undone", func(body map[string]any) bool {
				stakes := all(body, "stakes")
				if len(stakes) > 0 {
					stakes[0]["amount"] = add(stakes[0]["amount"], 1)
				}
				return len(stakes) > 0
			})
		}},
		"an award is a cent more": {"by the store", func(r *altered) bool {
			return r.inLine("payment-corrected", corrects("win"), func(line map[string]any) {
				line["pays"], line["returned"] = add(line["pays"], 1), add(line["returned"], 1)
			})
		}},
		"more is collected than was paid": {"where", func(r *altered) bool {
			return r.inLine("payment-corrected", corrects("returned"), func(line map[string]any) {
				line["reverses"] = add(line["reverses"], 1_000_000_000)
			})
		}},
		"an award goes to somebody who did not bet": {"has nothing", func(r *altered) bool {
			return r.inLine("payment-corrected", corrects("win"), func(line map[string]any) { line["player"] = "zoe" })
		}},
		"a decision restored keeps a part of its bet": {"arrives", func(r *altered) bool {
			return r.inLine("decision-restored", staked, func(line map[string]any) { line["returned"] = add(line["returned"], -1) })
		}},
		"one person asks and approves": {"who asked for it", func(r *altered) bool {
			_, e := r.event("approved", "")
			if e == nil {
				return false
			}
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
			e, _ := r.event("bets-opened", "")
			r.entries = slices.DeleteFunc(r.entries, func(other house.StoredTransaction) bool { return other.Seq == e.Seq })
			return true
		}},
		"a transaction is there twice": {"follows transaction", func(r *altered) bool {
			r.entries = slices.Insert(r.entries, 40, r.entries[40])
			return true
		}},
		"two transactions changed places": {"follows transaction", func(r *altered) bool {
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
			var r *altered
			for i := 0; r == nil; i++ {
				if i == most {
					t.Fatalf("the records of %d houses have nothing to change so", most)
				}
				r = changed(i, test.change)
				if i > 1 && r != nil {
					t.Logf("the first house that has a place for it is that of seed %d", seeds[i])
				}
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

// A fault of the house or its store in play is found during play. Such faults are a store that
// loses what it has acknowledged, and postings that go astray on their way to it.
func TestTheSimulationBites(t *testing.T) {
	t.Parallel()
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
			tx.Parts = slices.DeleteFunc(slices.Clone(tx.Parts), func(p house.StreamAppend) bool { return strings.HasPrefix(p.Stream, "jackpot:") })
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
