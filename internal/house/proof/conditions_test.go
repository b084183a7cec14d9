package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/table"
)

// failures lists the findings of a check that failed.
func failures(r *proof.Report, c proof.Check) (found []string) {
	for _, f := range r.Findings {
		if f.Check == c && f.Result == proof.Failed {
			found = append(found, f.Where+": "+f.Text)
		}
	}
	return found
}

// says reports whether a finding says something.
func says(r *proof.Report, c proof.Check, result proof.Result, want string) bool {
	return slices.ContainsFunc(r.Findings, func(f proof.Finding) bool {
		return f.Check == c && f.Result == result && strings.Contains(f.Text, want)
	})
}

// Every line of every settlement is worked out once more: of a box alone, of a round, and of one
// that was settled anew. By another declaration its cards and stakes alone show what is due.
func TestEveryLineOfASettlementIsWorkedOut(t *testing.T) {
	alone, rounds := 0, 0
	for name, text := range samples(t) {
		good := read(t, foreign(t, text))
		for i := range good.Steps {
			for k, e := range good.Steps[i].Events {
				decoded, err := record.TableEvents.Read(e)
				if err != nil {
					t.Fatal(err)
				}
				lines := table.EffectOf(decoded).Lines
				if kind := stored.Name(e.Kind); kind != "settled" && kind != "box-settled" {
					continue
				} else if kind == "box-settled" {
					alone += len(lines)
				} else {
					rounds += len(lines)
				}
				for at := range lines {
					line := slices.Clone(lines)
					line[at].Pays++
					line[at].Returned++
					var other table.Event = table.Settled{Lines: line}
					if alone, ok := decoded.(table.BoxSettled); ok {
						alone.Lines, other = line, nil
						other = alone
					}
					altered := read(t, foreign(t, text))
					if altered.Steps[i].Events[k], err = record.TableEvents.Write(other); err != nil {
						t.Fatal(err)
					}
					want := fmt.Sprintf("steps[%d].events[%d].body.lines[%d]: box", i, k, at)
					if found := failures(proof.Verify(altered), proof.Settlement); len(found) == 0 || !strings.HasPrefix(found[0], want) {
						t.Errorf("%s: a cent more on line %d of step %d: %q, want %s", name, at, i, found, want)
					}
				}
			}
		}
	}
	if alone < 5 || rounds < 20 {
		t.Errorf("%d lines of boxes alone, %d of rounds", alone, rounds)
	}
}

// The first command that does not hold is the only one of which a report says so: nothing after it
// can be decided, and nothing of it counts as worked out.
func TestAfterTheFirstFaultNothingIsDecided(t *testing.T) {
	for name, text := range samples(t) {
		for i := range read(t, text).Steps {
			r := read(t, unsigned(text))
			if r.Steps[i].Kind == proof.AddSeedKind {
				continue
			}
			r.Steps[i].By.Role = "king"
			by := proof.Verifier{Each: func(_ table.State, done *linked.Outcome) {
				if done == nil {
					t.Errorf("%s: at step %d a command is handed on that does not hold", name, i)
				}
			}}
			report := by.Verify(r)
			if dealt := r.Config.Cards == table.Virtual; dealt != says(report, proof.Cards, proof.Open, "where the commands do not hold") {
				t.Errorf("%s: at step %d the cards are %+v", name, i, report.Findings)
			}
			if found := failures(report, proof.Commands); len(found) != 1 || !strings.HasPrefix(found[0], fmt.Sprintf("steps[%d].by.role: ", i)) {
				t.Errorf("%s: at step %d %q", name, i, found)
			}
			if !says(report, proof.Settlement, proof.Open, "where the commands do not hold") || says(report, proof.Settlement, proof.Proven, "") {
				t.Errorf("%s: at step %d the settlement is not open: %+v", name, i, report.Findings)
			}
		}
	}
}

// A report says what was decided, how many events followed, and whether the jackpot moved.
func TestWhatIsProvenIsCounted(t *testing.T) {
	moved, still := 0, 0
	for name, text := range samples(t) {
		r := read(t, unsigned(text))
		commands, events := 0, 0
		for i := range r.Steps {
			if r.Steps[i].Kind != proof.AddSeedKind {
				commands++
			}
			events += len(r.Steps[i].Events) + len(r.Steps[i].Moved)
		}
		report := proof.Verify(r)
		if want := fmt.Sprintf("%d commands are decided once more, and the %d events follow as recorded", commands, events); !says(report, proof.Commands, proof.Proven, want) {
			t.Errorf("%s: nothing says that %s", name, want)
		}
		if report := proof.Verify(read(t, foreign(t, text))); !says(report, proof.Commands, proof.Proven, "") || slices.Contains(report.Open(), proof.Commands) {
			t.Errorf("%s: what this program decides too is open", name)
		}
		if r.Jackpot == "" {
			continue
		}
		// What bets put in and a round without them took out again is nothing.
		into := map[ledger.Kind]money.Amount{}
		for i := range r.Steps {
			for _, p := range r.Steps[i].Postings {
				into[p.From.Kind] -= p.Amount
				into[p.To.Kind] += p.Amount
			}
		}
		want := ", as its events show"
		if into[ledger.Meter] == 0 && into[ledger.Reserve] == 0 {
			still++
			want = "the round did not move linked"
		} else {
			moved++
		}
		if !says(report, proof.Jackpot, proof.Proven, want) {
			t.Errorf("%s: nothing says of the jackpot %q: %+v", name, want, report.Findings)
		}
	}
	if moved < 3 || still < 1 {
		t.Errorf("%d jackpots moved, %d did not", moved, still)
	}
	// What this program would decide otherwise, no report calls permitted.
	good := string(foreign(t, sample(t, "settled")))
	report := proof.Verify(read(t, []byte(strings.Replace(good, `"key":"no-more-bets"`, `"key":"bets-are-closed"`, 1))))
	if !says(report, proof.Commands, proof.Open, "whether the commands were permitted") || says(report, proof.Commands, proof.Proven, "") {
		t.Errorf("%+v", report.Findings)
	}
}

// An unsigned record carries no checkpoint either, and nothing more is said of that.
func TestAnUnsignedRecordMissesNoCheckpoint(t *testing.T) {
	r := read(t, unsigned(sample(t, "settled")))
	r.Seed.Checkpoint = ""
	if report := proof.Verify(r); !report.Sound || slices.Contains(report.Open(), proof.Commitment) {
		t.Errorf("%+v", report.Findings)
	}
}

// A card that is another than the next of the deck is reported with that one, and a field that is
// written in another way with its name.
func TestFindingsSayWhatShouldStandThere(t *testing.T) {
	r := read(t, unsigned(sample(t, "settled")))
	var deal record.Deal
	if err := json.Unmarshal(r.Steps[8].Body, &deal); err != nil || len(deal.Cards) < 2 {
		t.Fatal(deal, err)
	}
	next := deal.Cards[1].Card
	r.Steps[8].Body = bytes.Replace(r.Steps[8].Body, []byte(next.String()), []byte("2s"), 1)
	if report, want := proof.Verify(r), "it is 2s, and the next card of the deck is "+next.String(); !says(report, proof.Cards, proof.Failed, want) {
		t.Errorf("nothing says that %s: %q", want, failures(report, proof.Cards))
	}
	r = read(t, unsigned(sample(t, "settled")))
	r.Steps[2].Events[0].Body = append(bytes.TrimSuffix(bytes.Clone(r.Steps[2].Events[0].Body), []byte("}")), `,"standing":false}`...)
	if found := failures(proof.Verify(r), proof.Commands); len(found) != 1 || !strings.HasPrefix(found[0], "steps[2].events[0]: standing: there is no such field, or it is left out where it says nothing") {
		t.Errorf("a field that says nothing: %q", found)
	}
}

// A seed takes the place of another by the right of a bet, of a player who has one from one who
// has none. Whoever has none takes no place, and from whoever has one none is taken.
func TestWhichSeedGivesWay(t *testing.T) {
	for _, test := range []struct {
		player, instead string
		holds           bool
	}{
		{"#3", "#8", true},
		{"#8", "#3", false},
		{"#3", "#4", false},
		{"#7", "#8", false},
	} {
		r := read(t, unsigned(sample(t, "settled")))
		text, err := json.Marshal(fair.Added{Round: r.Round, Own: fair.Own{Player: test.player, Text: "mine"}, Instead: test.instead})
		if err != nil {
			t.Fatal(err)
		}
		r.Steps[5].Seeds[0].Body = text
		gave := slices.ContainsFunc(failures(proof.Verify(r), proof.Commands), func(f string) bool { return strings.Contains(f, "only a player without a bet gives way") })
		if gave == test.holds {
			t.Errorf("%s in the place of %s: %t", test.player, test.instead, !gave)
		}
	}
}

// A jackpot for which the table cannot play is no jackpot of the round.
func TestAJackpotOfAnotherBet(t *testing.T) {
	for name, text := range samples(t) {
		good := read(t, unsigned(text))
		for i := range good.Steps {
			if good.Steps[i].Meter == nil {
				continue
			}
			r := read(t, unsigned(text))
			r.Steps[i].Meter.Terms.Bet++
			found := failures(proof.Verify(r), proof.Commands)
			if len(found) != 1 || !strings.Contains(found[0], "this table cannot play for this jackpot") {
				t.Errorf("%s: the meter of step %d is of another bet: %q", name, i, found)
			}
		}
	}
}

// The reduced jackpot names the hits of its own table that wait to be verified, and no other's.
func TestReducedNamesTheUnverifiedOfItsTable(t *testing.T) {
	at := func(name string, box int) jackpot.Unverified {
		return jackpot.Unverified{Hit: jackpot.HitID{Table: name, Round: "1", Box: box}}
	}
	s := jackpot.State{Opened: true, Unverified: []jackpot.Unverified{at("A", 1), at("B", 1), at("A", 2)}}
	for name, want := range map[string][]jackpot.Unverified{
		"A": {at("A", 1), at("A", 2)}, "B": {at("B", 1)}, "C": nil,
	} {
		if got := proof.Reduced(s, name).Unverified; !slices.Equal(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
