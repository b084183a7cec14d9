package proof_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/table"
)

// meterOf returns a jackpot as a record has it.
func meterOf(m jackpot.State) *record.Meter {
	stored := record.MeterOf(m)
	return &stored
}

// contributed returns the contribution of the bets of the jackpot's sample.
func contributed(t testing.TB, r *proof.Round) jackpot.Event {
	t.Helper()
	e, err := record.JackpotEvents.Read(r.Steps[3].Moved[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Each guard of Verify finds its one fault, and reports it in its own words. Several guards
// find most faults of a record, so it is not enough that one does.
func TestEachGuardOfVerifyBites(t *testing.T) {
	body := func(e *json.RawMessage, from, to string) {
		changed := bytes.Replace(*e, []byte(from), []byte(to), 1)
		if bytes.Equal(changed, *e) {
			t.Fatalf("%s is not in %s", from, *e)
		}
		*e = changed
	}
	event := func(r *proof.Round, step int, kind string) *json.RawMessage {
		for _, list := range [][]proof.Event{r.Steps[step].Events, r.Steps[step].Moved, r.Steps[step].Seeds} {
			for k := range list {
				if strings.HasPrefix(list[k].Kind, kind) {
					return &list[k].Body
				}
			}
		}
		t.Fatalf("step %d has no %s", step, kind)
		return nil
	}
	last := func(r *proof.Round) *proof.Step { return &r.Steps[len(r.Steps)-1] }
	// A line without a stake: a settlement balances with and without it.
	bonus := func(l table.Line) bool { return l.Stake == 0 }
	lines := func(r *proof.Round, change func([]table.Line) []table.Line) {
		at := slices.IndexFunc(last(r).Events, func(e proof.Event) bool { return strings.HasPrefix(e.Kind, "settled") })
		e, err := record.TableEvents.Read(last(r).Events[at])
		if err != nil {
			t.Fatal(err)
		}
		settled, ok := e.(table.Settled)
		if !ok || len(settled.Lines) < 2 {
			t.Fatalf("it settles %+v", e)
		}
		settled.Lines = change(settled.Lines)
		if last(r).Events[at], err = record.TableEvents.Write(settled); err != nil {
			t.Fatal(err)
		}
	}
	other := jackpot.RoundID{Table: "Z", Round: "1"}
	// The first posting of a step that the reserve of the jackpot has a part in.
	reserve := func(r *proof.Round, step int) *ledger.Posting {
		all := r.Steps[step].Postings
		i := slices.IndexFunc(all, func(p ledger.Posting) bool { return p.From.Kind == ledger.Reserve || p.To.Kind == ledger.Reserve })
		if i < 0 {
			t.Fatalf("step %d moves nothing of a reserve", step)
		}
		return &all[i]
	}

	for _, c := range []struct {
		sample string
		alter  func(r *proof.Round)
		check  proof.Check
		want   string
	}{
		{"settled", func(r *proof.Round) { r.Terms += " " }, proof.Rules, "they have the hash"},
		{"settled", func(r *proof.Round) { r.Declaration = "{}" }, proof.Rules, ""},
		{"settled", func(r *proof.Round) { r.Book = "us-3cp@9" }, proof.Rules, "the rules are of"},
		{"settled", func(r *proof.Round) { r.Jackpot = "linked" }, proof.Rules, "a jackpot is named where the rules have a progressive"},
		{"jackpot", func(r *proof.Round) { r.Jackpot = "" }, proof.Rules, "a jackpot is named where the rules have a progressive"},
		{"settled", func(r *proof.Round) { r.Round = -1 }, proof.Rules, "no table can begin this round"},

		{"settled", func(r *proof.Round) { last(r).Seq = 99 }, proof.Course, "the last transaction has no number here"},
		{"settled", func(r *proof.Round) { r.Steps[2].Seq = r.Steps[1].Seq }, proof.Course, "stands behind"},
		{"settled", func(r *proof.Round) {
			r.Steps[2].Events = append(slices.Clone(r.Steps[2].Events), r.Steps[1].Events[0])
		}, proof.Course, "another round begins"},
		{"settled", func(r *proof.Round) {
			r.Steps[2].Events = append([]proof.Event{r.Steps[1].Events[0]}, r.Steps[2].Events...)
		}, proof.Course, "another round begins"},
		{"settled", func(r *proof.Round) {
			r.Steps[1].Events = append([]proof.Event{r.Steps[2].Events[0]}, r.Steps[1].Events...)
		}, proof.Course, "another round begins"},
		{"settled", func(r *proof.Round) { r.Steps[2].AtMs = r.Steps[1].AtMs - 1 }, proof.Course, "times go on"},
		{"settled", func(r *proof.Round) { r.Seed.Committed.AtMs = r.Steps[0].AtMs + 1 }, proof.Course, "times go on"},
		{"settled", func(r *proof.Round) { r.Steps = r.Steps[2:] }, proof.Course, "has to begin with the opening of its bets"},
		{"settled", func(r *proof.Round) { r.Steps = r.Steps[:1] }, proof.Course, "nothing happens in the round"},
		{"settled", func(r *proof.Round) { r.Steps = r.Steps[:5] }, proof.Course, "the round does not end"},
		{"settled", func(r *proof.Round) { r.Ended = "void" }, proof.Course, "the round is settled, and the record says void"},

		{"settled", func(r *proof.Round) { r.Seed = nil }, proof.Commitment, "it is missing"},
		{"by-hand", func(r *proof.Round) { r.Seed = &proof.Seed{} }, proof.Commitment, "no seed decided about them"},
		{"by-hand", func(r *proof.Round) {
			r.Steps[1].Seeds = read(t, sample(t, "settled")).Steps[0].Seeds
		}, proof.Commitment, "no seed decided about them"},
		{"by-hand", func(r *proof.Round) { r.Steps[1].Kind = proof.AddSeedKind }, proof.Commitment, "no seed decided about them"},
		{"settled", func(r *proof.Round) { r.Steps[0].Seeds[0].Kind = "seed-lost" }, proof.Commitment, "seed-lost"},
		// Other programs read the name as it stands there, or take the first of two.
		{"settled", func(r *proof.Round) { body(event(r, 0, "seed-added"), `"text"`, `"TEXT"`) }, proof.Commitment, "TEXT: there is no such field"},
		{"settled", func(r *proof.Round) { body(event(r, 0, "seed-added"), `"text"`, `"TEXT":"other","text"`) }, proof.Commitment, "TEXT: there is no such field"},
		{"settled", func(r *proof.Round) { r.Seed.Seed[0]++ }, proof.Commitment, "another seed is revealed than the record says"},
		{"settled", func(r *proof.Round) { r.Seed.Seed[0]++ }, proof.Commitment, "the seed has the commitment"},
		{"settled", func(r *proof.Round) { last(r).Seeds = nil }, proof.Commitment, "the seed is nowhere revealed"},
		{"settled", func(r *proof.Round) { r.Seed.Own = r.Seed.Own[1:] }, proof.Commitment, "the players added"},
		{"settled", func(r *proof.Round) { r.Seed.Checkpoint = "none" }, proof.Commitment, "it is not a signed checkpoint"},
		{"settled", func(r *proof.Round) { r.Seed.Committed.Seq = 8 }, proof.Commitment, "and the commitment is leaf 8"},
		{"settled", func(r *proof.Round) { r.Steps[0].Seq = 7 }, proof.Commitment, "is leaf 7, and the checkpoint was signed over 8 leaves"},
		{"settled", func(r *proof.Round) { r.Steps[1].Seeds = r.Steps[0].Seeds }, proof.Commitment, "open-bets adds no seed"},
		{"settled", func(r *proof.Round) { r.Steps[0].By.Name = "#9" }, proof.Commitment, "#9 added a seed for"},
		{"settled", func(r *proof.Round) {
			late := r.Steps[6]
			late.Seq = r.Steps[7].Seq
			r.Steps[6], r.Steps[7] = r.Steps[7], late
		}, proof.Commitment, "added a seed when the bets were closed"},
		{"settled", func(r *proof.Round) { body(&r.Steps[0].Body, "lucky", "other") }, proof.Commitment, "it is not the seed that was added"},
		{"settled", func(r *proof.Round) { r.Steps[0].By.Role = "dealer" }, proof.Commitment, `who is "dealer" adds no seed`},
		{"settled", func(r *proof.Round) { r.Steps[0].By.Role = "king" }, proof.Commitment, `who is "king" adds no seed`},
		{"settled", func(r *proof.Round) { r.Steps[0].Events = r.Steps[1].Events }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) { r.Steps[0].Moved = r.Steps[1].Events }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) { r.Steps[0].Postings = r.Steps[2].Postings }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) { r.Steps[0].Meter = read(t, sample(t, "jackpot")).Steps[3].Meter }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) { r.Steps[0].Seeds = nil }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) { r.Steps[0].Seeds = last(r).Seeds }, proof.Commitment, "something else follows from it"},
		{"settled", func(r *proof.Round) {
			r.Steps[3].Seeds, last(r).Seeds = last(r).Seeds, nil
		}, proof.Commitment, "is revealed with the command that ends the round"},

		{"settled", func(r *proof.Round) {
			added := fair.Added{}
			if err := json.Unmarshal(r.Steps[5].Seeds[0].Body, &added); err != nil {
				t.Fatal(err)
			}
			added.Instead = "#3" // who has a bet by then
			text, err := json.Marshal(added)
			if err != nil {
				t.Fatal(err)
			}
			r.Steps[5].Seeds[0].Body = text
		}, proof.Commands, "only a player without a bet gives way"},
		{"settled", func(r *proof.Round) { r.Steps[2].Events[0].Kind = "bet-lost" }, proof.Commands, "bet-lost"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Moved[0].Kind = "stolen" }, proof.Commands, "stolen"},
		{"settled", func(r *proof.Round) { r.Steps[2].By.Role = "cashier" }, proof.Commands, "gives no commands at a table"},
		{"settled", func(r *proof.Round) { r.Steps[2].Kind = "bet-more" }, proof.Commands, "bet-more"},
		{"settled", func(r *proof.Round) { body(event(r, 2, "bet-placed"), "1000", "2000") }, proof.Commands, ""},
		// A number that no box has is wrong, and nothing worse.
		{"settled", func(r *proof.Round) { body(event(r, 11, "forfeits-collected"), `"box":2`, `"box":-2`) }, proof.Commands, "-2"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Meter = nil }, proof.Commands, "what the jackpot held is missing"},
		{"settled", func(r *proof.Round) { r.Steps[7].Meter = read(t, sample(t, "jackpot")).Steps[3].Meter }, proof.Commands, "the table plays for no jackpot"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Meter.Opened = false }, proof.Commands, "the jackpot is not open"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Meter.Meter++ }, proof.Commands, "it cannot hold this"},
		{"jackpot", func(r *proof.Round) {
			m := r.Steps[3].Meter.Engine()
			m.Totals.OpeningMeter -= 2
			m.Totals.Contributions += 2
			r.Steps[3].Meter = meterOf(m)
		}, proof.Commands, "it says more than concerns the table"},
		{"jackpot", func(r *proof.Round) {
			m := r.Steps[3].Meter.Engine()
			m.Rounds = append(slices.Clone(m.Rounds), jackpot.Round{ID: other})
			r.Steps[3].Meter = meterOf(m)
		}, proof.Commands, "it says more than concerns the table"},
		{"jackpot", func(r *proof.Round) {
			again := r.Steps[3].Meter.Engine()
			again, err := jackpot.Evolve(again, contributed(t, r))
			if err != nil {
				t.Fatal(err)
			}
			r.Steps[4].Meter = meterOf(proof.Reduced(again, r.Table))
		}, proof.Commands, "the jackpot had not moved"},
		{"jackpot", func(r *proof.Round) { r.Steps[4].Meter = r.Steps[3].Meter }, proof.Commands, "the bets of this table changed without it"},

		{"settled", func(r *proof.Round) { body(&r.Steps[8].Body, `"4d"`, `"4c"`) }, proof.Cards, "and the next card of the deck is"},

		{"settled", func(r *proof.Round) { body(event(r, 12, "settled"), `"pays":1000`, `"pays":2000`) }, proof.Settlement, "and due is"},
		{"settled", func(r *proof.Round) { body(event(r, 12, "settled"), `"player":"#3"`, `"player":"#9"`) }, proof.Settlement, "has no wager on box"},
		{"jackpot", func(r *proof.Round) {
			lines(r, func(all []table.Line) []table.Line { return slices.DeleteFunc(all, bonus) })
		}, proof.Settlement, "is due and not settled"},
		{"jackpot", func(r *proof.Round) {
			lines(r, func(all []table.Line) []table.Line { return append(all, all[slices.IndexFunc(all, bonus)]) })
		}, proof.Settlement, "is settled without being due"},

		{"settled", func(r *proof.Round) { body(event(r, 12, "settled"), `"pays":1000`, `"pays":-1000`) }, proof.Money, "pays less than nothing"},
		{"settled", func(r *proof.Round) { body(event(r, 12, "settled"), `"stake":1000`, `"stake":9000`) }, proof.Money, "is taken from the layout than lies there"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].Amount++ }, proof.Money, "more than the postings move"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].Amount++ }, proof.Money, "was posted to it"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].Amount++ }, proof.Money, "this is not what the rules of the books post"},
		{"settled", func(r *proof.Round) {
			r.Steps[2].Postings = append(slices.Clone(r.Steps[2].Postings), r.Steps[2].Postings[0])
		}, proof.Money, "there are 2, and the rules of the books make 1"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].Amount = 0 }, proof.Money, "it moves nothing"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].To = r.Steps[2].Postings[0].From }, proof.Money, "it moves nothing"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].For.Table = "B" }, proof.Money, "it is for round 1 of table B"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].For.Round = 2 }, proof.Money, "it is for round 2 of table A"},
		{"settled", func(r *proof.Round) {
			r.Steps[2].Postings[0].To = ledger.Account{Kind: ledger.Payable, Of: "linked"}
		}, proof.Money, "and nothing is held or released"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].To = ledger.Account{Kind: ledger.Cash} }, proof.Money, "no round moves money of"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].To.Of = "B" }, proof.Money, "has no part in this round"},
		{"settled", func(r *proof.Round) {
			r.Steps[2].Postings[0].To = ledger.Account{Kind: ledger.Win, Of: "B"}
		}, proof.Money, "has no part in this round"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Postings[0].To.Of = "other" }, proof.Money, "has no part in this round"},
		{"jackpot", func(r *proof.Round) {
			r.Steps[3].Postings[0].To = ledger.Account{Kind: ledger.Reserve, Of: "other"}
		}, proof.Money, "has no part in this round"},
		{"settled", func(r *proof.Round) { last(r).Postings = nil }, proof.Money, "and its account holds"},
		{"settled", func(r *proof.Round) { r.Steps[2].Postings[0].Amount++ }, proof.Money, "and the postings move"},
		{"jackpot", func(r *proof.Round) { r.Steps[3].Postings[0].Amount++ }, proof.Jackpot, "and the postings"},
		// What lies above the ceiling goes to the reserve, and what the reserve gives comes back.
		{"ceiling", func(r *proof.Round) { reserve(r, 5).Amount++ }, proof.Jackpot, "in the meter and 3.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) { reserve(r, 10).Amount++ }, proof.Jackpot, "and -1.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) { reserve(r, 12).Amount++ }, proof.Jackpot, "and -2.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) { body(event(r, 5, "contributed"), `"to_reserve":300`, `"to_reserve":200`) }, proof.Jackpot, "in the meter and 2.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) {
			body(event(r, 10, "hit-paid"), `"reset_from_reserve":100`, `"reset_from_reserve":200`)
		}, proof.Jackpot, "and -2.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) { body(event(r, 12, "hit-reversed"), `"to_reserve":100`, `"to_reserve":200`) }, proof.Jackpot, "and -1.00 in the reserve, with"},
		{"ceiling", func(r *proof.Round) {
			body(event(r, 12, "contributions-reversed"), `"from_reserve":300`, `"from_reserve":200`)
		}, proof.Jackpot, "and -1.00 in the reserve, with"},
	} {
		r := read(t, unsigned(sample(t, c.sample)))
		if c.check == proof.Settlement { // by its own declaration the events would be refused before
			r = read(t, foreign(t, sample(t, c.sample)))
		}
		c.alter(r)
		report := proof.Verify(r)
		if report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
			return f.Result == proof.Failed && f.Check == c.check && strings.Contains(f.Text, c.want)
		}) {
			t.Errorf("%s: %s says nothing of %q", c.sample, c.check, c.want)
			for _, f := range report.Findings {
				if f.Result == proof.Failed {
					t.Logf("  %s %s: %s", f.Check, f.Where, f.Text)
				}
			}
		}
	}
}

// So does each guard of the proof that a record carries, for those who know its house and its
// witness.
func TestEachGuardOfTheLogBites(t *testing.T) {
	good := knowing(t)
	const origin = "trey-house/0c296256385d3764f8946c171d6133d1"
	// another is a key of the same name that has not signed.
	private, another, err := note.GenerateKey(nil, origin)
	if err != nil {
		t.Fatal(err)
	}
	strangers, err := proof.Houses(another)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		by    *proof.Verifier
		alter func(r *proof.Round)
		want  string
	}{
		{"no proof", good, func(r *proof.Round) { r.Proof = "proof" }, "not a proof"},
		{"a proof that was taken away", good, func(r *proof.Round) { r.Proof = "" }, "the record carries no proof"},
		{"no checkpoint in it", good, func(r *proof.Round) { r.Proof = cut(t, r.Proof, "\ntrey-house", "") + "\nnone\n" }, ""},
		{"a document written anew", good, func(r *proof.Round) {
			*r = proof.Round{Head: r.Head, Steps: r.Steps, Names: r.Names, Software: r.Software, Proof: r.Proof}
		}, "the document was written anew"},
		{"no salt", good, func(r *proof.Round) { r.Proof = cut(t, r.Proof, "extra ", "\n") }, "its extra data is not that of a round record"},
		{"no steps", good, func(r *proof.Round) { r.Steps = nil }, "its extra data is not that of a round record"},
		{"a step behind the leaf", good, func(r *proof.Round) { r.Steps[3].Seq = 21 }, "and this step is transaction 21"},
		{"another table", good, func(r *proof.Round) { r.Table = "B" }, "does not commit to this record"},
		{"another round", good, func(r *proof.Round) { r.Round = 2 }, "does not commit to this record"},
		{"another time of its end", good, func(r *proof.Round) { r.Steps[len(r.Steps)-1].AtMs++ }, "does not commit to this record"},
		{"a false signature", good, func(r *proof.Round) { r.Proof = forged(t, r.Proof, origin) }, "is not one of the key that you know"},
		{"a house that is not known", &proof.Verifier{Houses: strangers}, func(*proof.Round) {}, "not signed by a house that you know"},
		{"nothing of the witness", good, func(r *proof.Round) { r.Proof = cut(t, r.Proof, "— witness.example", "\n") }, "the witness witness.example/w1 has not cosigned"},
		{"a false signature before the bets", good, func(r *proof.Round) {
			r.Seed.Checkpoint = forged(t, r.Seed.Checkpoint, origin)
		}, "the checkpoint from before the bets is not signed"},
		{"a strange signature before the bets", good, func(r *proof.Round) {
			signer, err := note.NewSigner(private)
			if err != nil {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(r.Seed.Checkpoint, "\n\n")
			signed, err := note.Sign(&note.Note{Text: text + "\n"}, signer)
			if err != nil {
				t.Fatal(err)
			}
			r.Seed.Checkpoint = string(signed)
		}, "the checkpoint from before the bets is not signed"},
		{"a false word of the witness before the bets", good, func(r *proof.Round) {
			r.Seed.Checkpoint = forged(t, r.Seed.Checkpoint, "witness.example/w1")
		}, "what stands there as the word of the witness witness.example/w1 is not signed by it"},
		{"a strange tree before the bets", good, func(r *proof.Round) {
			r.Seed.Checkpoint = strings.Replace(r.Seed.Checkpoint, origin, "trey-house/other", 1)
		}, "the checkpoint from before the bets is not signed by trey-house/other"},
	} {
		r := read(t, sample(t, "settled"))
		c.alter(r)
		report := c.by.Verify(r)
		if report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
			return f.Result == proof.Failed && f.Check == proof.Log && strings.Contains(f.Text, c.want)
		}) {
			t.Errorf("%s: the log says nothing of %q: %+v", c.name, c.want, report.Findings)
		}
	}
	// A witness's cosignature of the checkpoint from before the bets is no signature of the
	// house. If it is missing, the time of the signature is open, and a false one fails.
	unseen := read(t, sample(t, "settled"))
	unseen.Seed.Checkpoint = cut(t, unseen.Seed.Checkpoint, "— witness.example", "\n")
	if report := good.Verify(unseen); !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
		return f.Result == proof.Open && f.Check == proof.Log && strings.Contains(f.Text, "has not cosigned the checkpoint from before the bets")
	}) {
		t.Errorf("no witness before the bets: %+v", report.Findings)
	}
	other := read(t, sample(t, "settled"))
	other.Seed.Checkpoint = strings.Replace(other.Seed.Checkpoint, origin, "trey-house/other", 1)
	if report := proof.Verify(other); !report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
		return f.Result == proof.Open && f.Check == proof.Log && strings.Contains(f.Text, "is one of trey-house/other")
	}) {
		t.Errorf("a checkpoint of another tree before the bets is taken for one of this: %+v", report.Findings)
	}
	for _, line := range []string{"", "trey-house", another + "x"} {
		if houses, err := proof.Houses(line); err == nil {
			t.Errorf("%q is read as the key of %v", line, houses)
		}
	}
}

// forged returns a signed note in which one byte of a signer's signature is altered.
func forged(t testing.TB, text, signer string) string {
	t.Helper()
	before, signature, ok := strings.Cut(text, "— "+signer+" ")
	if !ok {
		t.Fatalf("%s has not signed %s", signer, text)
	}
	const at = 20 // behind the hash of the key and the time of a cosignature
	other := "A"
	if signature[at] == 'A' {
		other = "B"
	}
	return before + "— " + signer + " " + signature[:at] + other + signature[at+1:]
}

// cut returns a text without what stands from one mark on up to the next other one, or to its
// end.
func cut(t testing.TB, text, from, to string) string {
	t.Helper()
	i := strings.Index(text, from)
	if i < 0 {
		t.Fatalf("%q is not in %s", from, text)
	}
	if to == "" {
		return text[:i]
	}
	n := strings.Index(text[i:], to)
	if n < 0 {
		t.Fatalf("%q does not follow %q in %s", to, from, text)
	}
	return text[:i] + text[i+n+len(to):]
}
