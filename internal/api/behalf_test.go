package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Whoever enters bets for a player learns that one is too much, and neither what the player
// holds nor what the player has set and used. The player learns it, and who sees accounts.
func TestARefusalKeepsWhatIsThePlayers(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.buyIn("ann", 789)
	s.buyIn("ben", 1000*money.Major)
	s.status(http.StatusOK, "", "ben", http.MethodPut, "/api/v1/account/limits/stake/day", `{"most":770}`)
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	const path = "/api/v1/tables/T1/commands"
	bet := func(person, player, box string) []string {
		var said []string
		for _, query := range []string{"", "?dry_run=true"} {
			r := s.ask(person, http.MethodPost, path+query, `{"kind":"bet","body":{"box":`+box+`,"player":"`+player+`","wager":"ante","amount":1000}}`)
			if p := r.problem(t); p.Status != http.StatusConflict {
				t.Errorf("%s for %s: %s %s", person, player, r.Status, r.text)
			}
			said = append(said, r.text)
		}
		return said
	}
	for person, sees := range map[string]bool{"dan": false, "pat": false, "sue": true, "ann": true} {
		for _, text := range bet(person, "ann", "1") {
			if !strings.Contains(text, `"short"`) || strings.Contains(text, "7.89") != sees || !strings.Contains(text, "10.00") {
				t.Errorf("%s reads: %s", person, text)
			}
		}
	}
	for person, sees := range map[string]bool{"dan": false, "pat": true, "sue": true, "ben": true} {
		for _, text := range bet(person, "ben", "2") {
			if !strings.Contains(text, `"limit-reached"`) || strings.Contains(text, "7.70") != sees || !strings.Contains(text, "ben") {
				t.Errorf("%s reads: %s", person, text)
			}
		}
	}
}

// At an automatic table no member of the staff acts for a player, whatever their rank:
// no bet, no decision, no end of the player's time. The player does, and the clock.
func TestNobodyActsForAPlayerAtAnAutomaticTable(t *testing.T) {
	for _, test := range []struct {
		book, wager string
		behalf      string // the clause under which staff place a bet at a player's request
	}{
		{"rws-3cp", "ante", "5.22"},
		{"us-3cp", "ante", ""},
		{"sm-3cp", "ante", ""},
		{"mbs-3pictures", "main", "3.6"},
	} {
		t.Run(test.book, func(t *testing.T) {
			s := newSite(t)
			s.install("T1", test.book, func(t *house.Table) {
				t.Mode, t.Pace = house.Automatic, house.Pace{BettingMs: 60_000, DecisionMs: 60_000, OptionMs: 60_000}
			})
			s.buyIn("ann", 1000*money.Major)
			drive := func(do table.Action) {
				t.Helper()
				if _, err := s.DoAsHouse(t.Context(), "", "T1", do); err != nil {
					t.Fatal(err)
				}
			}
			staff := []string{"dan", "pat", "sue"}
			refused := func(commands ...string) {
				t.Helper()
				for _, person := range staff {
					for _, command := range commands {
						for _, query := range []string{"", "?dry_run=true"} {
							r := s.ask(person, http.MethodPost, "/api/v1/tables/T1/commands"+query, command)
							if r.StatusCode < 400 || !strings.Contains(r.text, "automatic table") && !strings.Contains(r.text, "the clock of this table") {
								t.Errorf("%s %s %s: %s %s", person, command, query, r.Status, r.text)
							}
						}
					}
					if moves := s.get(person, "/api/v1/tables/T1/moves").text; strings.Contains(moves, `"expire"`) || strings.Contains(moves, `"fold"`) ||
						strings.Contains(moves, `"raise"`) || strings.Contains(moves, `"examine"`) || strings.Contains(moves, `"withdraw"`) || strings.Contains(moves, "walked-away") {
						t.Errorf("%s is offered %s", person, moves)
					}
				}
			}
			drive(table.OpenBets{})
			bet := `{"kind":"bet","body":{"box":1,"player":"ann","wager":"` + test.wager + `","amount":1000}}`
			if test.behalf == "" {
				refused(bet)
				s.done("ann", "T1", bet)
			} else {
				s.done("pat", "T1", bet) // at the player's request
				if placed := s.placed("T1"); placed != test.behalf {
					t.Errorf("the bet is placed under clause %q, want %s", placed, test.behalf)
				}
			}
			refused(`{"kind":"withdraw","body":{"box":1,"player":"ann","wager":"` + test.wager + `"}}`)
			drive(table.CloseBets{})
			drive(table.Deal{})
			refused(
				`{"kind":"examine","body":{"box":1,"player":"ann"}}`, `{"kind":"raise","body":{"box":1,"player":"ann"}}`,
				`{"kind":"fold","body":{"box":1,"player":"ann"}}`, `{"kind":"lay-up","body":{"box":1}}`, `{"kind":"expire"}`,
				`{"kind":"choose","body":{"player":"ann","return":true}}`, `{"kind":"report","body":{"incident":"walked-away","player":"ann"}}`,
			)
			// The clock folds what is left undecided, and settles.
			if s.state("T1").Variant.Book.Decision != nil {
				drive(table.Expire{})
				if s.state("T1").Boxes[0].Decision != table.Folded {
					t.Error("the clock did not fold the hand")
				}
			}
			drive(table.Reveal{})
			drive(table.Settle{})
			if at := s.state("T1"); at.Phase != table.Paid {
				t.Errorf("the round is %s", at.Phase)
			}
		})
	}
}

func (s *site) state(name string) table.State {
	s.Helper()
	at, err := s.Status(name)
	if err != nil {
		s.Fatal(err)
	}
	return housetest.State(at.State)
}

// placed returns the clause of the last bet at a table.
func (s *site) placed(name string) (clause string) {
	s.Helper()
	if err := s.store.Read(s.Context(), "table:"+name, 0, func(r house.StoredEvent) error {
		e, err := record.TableEvents.Parse(r.Kind, r.Body)
		if bet, ok := e.(table.BetPlaced); ok && err == nil {
			clause = bet.Clause
		}
		return err
	}); err != nil {
		s.Fatal(err)
	}
	return clause
}

// A table without staff takes no rules under which only a supervisor could go on.
func TestAnAutomaticTableWaitsForNobody(t *testing.T) {
	s := newSite(t)
	wait := func(t *house.Table) { t.Variant.Choices[rules.AbsentPlayer] = rules.WaitForPlayer }
	s.install("T1", "us-3cp", wait) // run by a dealer
	clocks := house.Pace{BettingMs: 5000, DecisionMs: 5000, OptionMs: 5000}
	s.install("T2", "us-3cp", func(t *house.Table) { t.Mode, t.Pace = house.Automatic, clocks })
	waiting, err := s.Status("T1")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]house.Change{
		"T1": {Mode: house.Automatic, Pace: &clocks},
		"T2": {Variant: waiting.Variant},
	} {
		if _, err := s.Change(t.Context(), "", staff["sue"], name, change); err == nil || !strings.Contains(err.Error(), "absent_player") {
			t.Errorf("%s: %v", name, err)
		}
	}
	at := waiting.Table
	at.Name, at.Mode = "T3", house.Automatic
	// With play money a table without a clock waits for every decision, and may.
	for _, test := range []struct {
		playMoney  bool
		decisionMs int64
		want       error
	}{{false, 0, house.ErrUnattended}, {false, 5000, house.ErrUnattended}, {true, 5000, house.ErrUnattended}, {true, 0, nil}} {
		s := newSiteWith(t, func(w *house.World) { w.PlayMoney = test.playMoney })
		at.Pace = house.Pace{BettingMs: 5000, DecisionMs: test.decisionMs, OptionMs: 5000}
		if err := s.Install(t.Context(), at, staff["adm"]); !errors.Is(err, test.want) {
			t.Errorf("play money %t, %d ms: %v", test.playMoney, test.decisionMs, err)
		}
	}
}

// Where the money is real, no automatic table comes to be without a clock for what it
// waits for: neither installed so, nor by a change of its rules.
func TestAnAutomaticTableHasAClock(t *testing.T) {
	clocks := house.Pace{BettingMs: 1000, DecisionMs: 1000, OptionMs: 1000}
	for _, playMoney := range []bool{false, true} {
		s := newSiteWith(t, func(w *house.World) { w.PlayMoney = playMoney })
		s.install("T1", "us-3cp") // run by a dealer
		s.install("T2", "us-3cp", func(t *house.Table) { t.Mode, t.Pace = house.Automatic, clocks })
		at, err := s.Status("T2")
		if err != nil {
			t.Fatal(err)
		}
		without := at.Table
		without.Name, without.Pace.DecisionMs = "T3", 0
		if err := s.Install(t.Context(), without, staff["adm"]); playMoney != (err == nil) || err != nil && !strings.Contains(err.Error(), "needs a clock") {
			t.Errorf("play money %t: installed without a clock: %v", playMoney, err)
		}
		for _, test := range []struct {
			name, change string
			fits         bool
		}{
			{"T2", `{"pace":{"betting_ms":0,"decision_ms":1000,"option_ms":1000,"deal_ms":0,"show_ms":0}}`, false},
			{"T2", `{"pace":{"betting_ms":1000,"decision_ms":0,"option_ms":1000,"deal_ms":0,"show_ms":0}}`, false},
			{"T2", `{"pace":{"betting_ms":1000,"decision_ms":1000,"option_ms":0,"deal_ms":0,"show_ms":0}}`, false},
			{"T2", `{"pace":{"betting_ms":5000,"decision_ms":4999,"option_ms":5000,"deal_ms":0,"show_ms":0}}`, false},
			{"T2", `{"pace":{"betting_ms":5000,"decision_ms":5000,"option_ms":5000,"deal_ms":0,"show_ms":0}}`, true},
			// A table that a dealer runs has no pace, and gets none by changing hands.
			{"T1", `{"mode":"automatic"}`, false},
			{"T1", `{"mode":"automatic","pace":{"betting_ms":1,"decision_ms":1,"option_ms":1,"deal_ms":0,"show_ms":0}}`, false},
			{"T1", `{"mode":"automatic","pace":{"betting_ms":5000,"decision_ms":5000,"option_ms":5000,"deal_ms":0,"show_ms":0}}`, true},
		} {
			before, err := s.Status(test.name)
			if err != nil {
				t.Fatal(err)
			}
			r := s.ask("sue", http.MethodPut, "/api/v1/tables/"+test.name+"/rules", test.change)
			if r.StatusCode == http.StatusOK != (test.fits || playMoney) {
				t.Errorf("play money %t: %s %s: %s %s", playMoney, test.name, test.change, r.Status, r.text)
			}
			after, err := s.Status(test.name)
			if err != nil {
				t.Fatal(err)
			}
			if r.StatusCode == http.StatusOK {
				continue
			}
			if p := r.problem(t); p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Detail, "needs a clock") && !strings.Contains(p.Detail, "less than 5 seconds") {
				t.Errorf("%s %s: %+v", test.name, test.change, p)
			}
			if before.InForce() != after.InForce() {
				t.Errorf("%s %s: it was refused, and %+v became %+v", test.name, test.change, before.InForce(), after.InForce())
			}
		}
	}
}
