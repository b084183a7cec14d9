package house_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A stop in mid-round ends as the round's book says: rws-3cp@3 5.7, mbs-3pictures@2
// 5.13, and the ruling for the books that are silent.
func TestInterruptions(t *testing.T) {
	const long, short = rules.DefaultGraceMs, rules.DefaultGraceMs - 1
	bet := func(s *site, w rules.Wager) {
		s.do("A", dealer, table.OpenBets{})
		s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: w, Amount: 10 * money.Major})
	}
	deal := func(s *site) {
		s.do("A", dealer, table.CloseBets{})
		s.do("A", dealer, table.Deal{})
	}
	tests := []struct {
		name, book string
		first      rules.Wager
		play       func(s *site)
		lasted     int64
		outcome    rules.Outcome
		phase      table.Phase
		back       bool // everything is the player's again
		// established is the ruling outcome_established, zero for the default.
		established rules.Choice
	}{
		{"nothing established", "rws-3cp", rules.Ante, deal, long, rules.Void, table.Voided, true, rules.FirstExposure},
		{"before the deal", "rws-3cp", rules.Ante, func(*site) {}, long, rules.Void, table.Voided, true, 0},
		{"within the grace", "rws-3cp", rules.Ante, deal, short, rules.Continue, table.Deciding, false, 0},
		{"an outcome established", "rws-3cp", rules.Ante, func(s *site) {
			deal(s)
			s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
			s.do("A", dealer, table.Reveal{})
		}, long, rules.Continue, table.Showing, false, rules.FirstExposure},
		{"a book that is silent", "us-3cp", rules.Ante, deal, long, rules.Void, table.Voided, true, rules.FirstExposure},
		{"the other silent book", "sm-3cp", rules.Ante, deal, long, rules.Void, table.Voided, true, rules.FirstExposure},
		{"nobody answers the offer", "mbs-3pictures", rules.Main, deal, long, rules.OfferWithdrawal, table.Deciding, false, rules.FirstExposure},
		{"the player takes the bets back", "mbs-3pictures", rules.Main, deal, long, rules.OfferWithdrawal, table.Deciding, false, rules.FirstExposure},
		{"a hand is with its player", "mbs-3pictures", rules.Main, func(s *site) {
			deal(s)
			s.do("A", ann, table.Examine{Box: 1, Player: "ann"})
		}, long, rules.OfferWithdrawal, table.Deciding, false, rules.FirstExposure},
		{"the deck was committed to", "rws-3cp", rules.Ante, deal, long, rules.Continue, table.Deciding, false, 0},
		{"the deck was committed to", "us-3cp", rules.Ante, deal, long, rules.Continue, table.Deciding, false, 0},
		{"the deck was committed to", "sm-3cp", rules.Ante, deal, long, rules.Continue, table.Deciding, false, 0},
		{"the deck was committed to", "mbs-3pictures", rules.Main, deal, long, rules.Continue, table.Deciding, false, 0},
		{"a bet before the close", "mbs-3pictures", rules.Main, func(*site) {}, long, rules.OfferWithdrawal, table.Betting, false, 0},
	}
	for _, test := range tests {
		t.Run(test.book+", "+test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.established = test.established
			s.install("A", test.book)
			s.install("quiet", test.book)
			s.buyIn("ann", 100*money.Major)
			bet(s, test.first)
			test.play(s)
			s.clock.Add(test.lasted)
			stops := s.restart()
			if len(stops) != 1 {
				t.Fatalf("interrupted: %+v", stops)
			}
			got := stops[0]
			if got.Table != "A" || got.Round != 1 || got.LastedMs != test.lasted || got.Outcome != test.outcome || got.Phase != test.phase || got.Refused != nil {
				t.Errorf("got %+v", got)
			}
			if test.outcome != rules.Continue && got.Clause == "" {
				t.Error("no clause is named")
			}
			if test.back {
				s.has("ann", 100*money.Major)
			}
			reported := 0
			err := house.Named(s.store).Read(ctx(), "table:A", 0, func(r house.StoredEvent) error {
				if r.Kind == "reported" {
					reported++
				}
				return nil
			})
			if err != nil || reported != 1 {
				t.Errorf("the record holds %d reports, %v", reported, err)
			}
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
			if test.name == "the player takes the bets back" {
				s.do("A", ann, table.Choose{Player: "ann", Return: true})
				s.has("ann", 100*money.Major)
			}
			s.conclude("A")
			after, err := housetest.Table(s, "A")
			if err != nil {
				t.Fatal(err)
			}
			if after.Phase != table.Paid && after.Phase != table.Voided {
				t.Errorf("concluded, the round is %s", after.Phase)
			}
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
}

// conclude ends a round that nobody attends, as the house ends those of its own tables.
func (s *site) conclude(name string) {
	s.Helper()
	for {
		state, err := housetest.Table(s, name)
		if err != nil {
			s.Fatal(err)
		}
		if !state.Phase.InRound() || state.Phase == table.Betting && state.OnLayout() == 0 {
			return
		}
		hurried := house.Pace{BettingMs: 1, DecisionMs: 1, OptionMs: 1}
		do, _, ok := autodealer.Due(&state, hurried, 0, func(string) bool { return true })
		if !ok {
			s.Fatalf("table %s, %s, waits for a person", name, state.Phase)
		}
		s.do(name, dealer, do)
	}
}

// failing is a store whose next writes fail, some before and some after they
// were made durable.
type failing struct {
	house.Store
	lost, unheard bool
}

func (f *failing) Append(tx *house.Transaction) <-chan house.AppendResult {
	switch {
	case f.lost:
		done := make(chan house.AppendResult, 1)
		done <- house.AppendResult{Err: house.ErrFailed}
		return done
	case f.unheard:
		<-f.Store.Append(tx)
		done := make(chan house.AppendResult, 1)
		done <- house.AppendResult{Err: house.ErrFailed}
		return done
	}
	return f.Store.Append(tx)
}

// After a write that failed the house takes nothing more. Opened again, it holds what was
// acknowledged; a client that repeats its key learns the rest.
func TestAFailedWriteStopsTheHouse(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*failing)
		kept bool
	}{
		{"lost", func(f *failing) { f.lost = true }, false},
		{"written and not heard of", func(f *failing) { f.unheard = true }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t)
			store := &failing{Store: s.store}
			var err error
			if s.House, _, err = house.Open(ctx(), store, s.world()); err != nil {
				t.Fatal(err)
			}
			s.install("A", "us-3cp")
			s.install("B", "us-3cp")
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			test.set(store)
			order := house.CommandRequest{Key: "k", Table: "A", By: ann, Do: ante(ann, 1, 10*money.Major)}
			if _, err := s.Do(ctx(), order); !errors.Is(err, house.ErrStopped) || !errors.Is(err, house.ErrFailed) {
				t.Fatalf("got %v", err)
			}
			store.lost, store.unheard = false, false
			if _, err := s.Do(ctx(), house.CommandRequest{Table: "B", By: dealer, Do: table.OpenBets{}}); !errors.Is(err, house.ErrStopped) {
				t.Errorf("the other table: %v", err)
			}
			s.restart()
			r, err := s.Do(ctx(), order)
			if err != nil || r.Repeated != test.kept {
				t.Errorf("asked again: %+v, %v", r, err)
			}
			s.has("ann", 90*money.Major)
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
}

// reset returns a statement that sets something in the first part of a stream that has events.
// The line keeps its form, and what the file says of its events beside it with it.
func reset(stream, path, value string) string {
	return fmt.Sprintf(`UPDATE tx SET line = (
		SELECT packed(json_set(unpacked(line), '$.parts[' || p.key || ']%s', %s))
		FROM json_each(unpacked(line), '$.parts') AS p WHERE p.value ->> 'stream' = '%s'
	) WHERE seq = (SELECT min(id) / 16 FROM part WHERE count > 0 AND stream = (SELECT id FROM stream WHERE name = '%[3]s'))`,
		strings.TrimPrefix(path, "$"), value, stream)
}

// forget returns a statement that deletes all events of a stream.
func forget(stream string) string {
	return fmt.Sprintf("DELETE FROM part WHERE stream = (SELECT id FROM stream WHERE name = '%s')", stream)
}

// A record that was changed by another hand is not gone on with.
func TestADamagedRecordIsRefused(t *testing.T) {
	steady.Sequential(t)
	for name, statement := range map[string]string{
		"a player's money":      "UPDATE account SET balance = balance + 1 WHERE name LIKE 'player:#%'",
		"both sides":            "UPDATE account SET balance = balance + 1 WHERE name IN ('layout:A', 'cash')",
		"a meter":               "UPDATE account SET balance = balance + 1 WHERE name IN ('meter:linked', 'cash')",
		"an event":              "UPDATE tx SET line = packed(replace(unpacked(line), '\"amount\":1000', '\"amount\":1001'))",
		"a missing event":       "DELETE FROM part WHERE stream = (SELECT id FROM stream WHERE name = 'table:A') AND after = 0",
		"the terms":             `UPDATE tx SET line = packed(replace(unpacked(line), '\"boxes\":7', '\"boxes\":6'))`,
		"the declaration":       `UPDATE tx SET line = packed(replace(unpacked(line), '\"per_area\":1', '\"per_area\":2'))`,
		"the name of the terms": `UPDATE tx SET line = packed(replace(unpacked(line), '"variant":"rws-3cp@3","rules_hash":"', '"variant":"rws-3cp@3","rules_hash":"0'))`,
		"an account of no use":  "UPDATE account SET name = 'wallet:#2' WHERE name LIKE 'player:#%'",
		"another sealed seed":   reset("sealed:A", "$.events[0].body.cipher", "'"+strings.Repeat("AAAA", 24)+"'"),
		"one in clear":          reset("sealed:A", "$.events", `json('[{"kind":"seed-sealed","body":{"round":1,"seed":"`+strings.Repeat("00", 32)+`"}}]')`),
		"no sealed seed":        forget("sealed:A"),
		"another commitment":    reset("deal:A", "$.events[0].body.commitment", "'"+strings.Repeat("00", 32)+"'"),
		"no commitment":         forget("deal:A"),
		"a seed of no round":    reset("deal:A", "$.events[0].body.round", "2"),
		"a seed known too soon": reset("deal:A", "$.events[1]", `json('{"kind":"seed-revealed","body":{"round":1,"seed":"`+
			strings.Repeat("00", 32)+`"}}')`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSiteOnFile(t)
			s.apart = true
			s.install("A", "rws-3cp")
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, ante(ann, 1, 10*money.Major))
			if s.edit(statement) == 0 {
				t.Fatal("nothing was damaged")
			}
			defer func() {
				if recovered := recover(); recovered != nil {
					t.Errorf("the house fell over it: %v", recovered)
				}
			}()
			store, err := reopen(s.path)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close() //nolint:errcheck // the test is over
			if _, _, err := house.Open(context.Background(), store, s.world()); !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// An open question does not bar an emergency: the interruption is ruled on at once,
// and a question that the round still has comes back.
func TestAnInterruptionPassesAnOpenQuestion(t *testing.T) {
	s := newSite(t)
	s.established = rules.FirstExposure // so that the round is void
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.do("A", dealer, table.Report{Incident: rules.Uncovered, Note: "a glass was spilled over the layout"})
	s.clock.Add(60_000)
	stops := s.restart()
	if len(stops) != 1 || stops[0].Refused != nil || stops[0].Outcome != rules.Void || stops[0].Clause != "5.7.2" {
		t.Fatalf("got %+v", stops)
	}
	if held := s.Balance(ledger.Account{Kind: ledger.Layout, Of: "A"}); held != 0 {
		t.Errorf("the layout holds %s", held)
	}
	if at, err := s.Status("A"); err != nil || housetest.State(at.State).Question != nil {
		t.Errorf("a question about a void round is open: %+v, %v", housetest.State(at.State).Question, err)
	}
}

// A clock that was set back is put on before anything happens by it: the stop is
// recorded behind what it interrupted, not before it.
func TestTheRecordGoesOnFromItsOwnTime(t *testing.T) {
	s := newSiteOnFile(t)
	s.install("A", "us-3cp")
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.clock.Add(3_600_000)
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.clock.Add(60_000) // and then somebody goes to the cage, which is the last that is written
	s.buyIn("ben", 100*money.Major)
	wrote := s.clock.Load()
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.store, err = sqlite.Open(ctx(), s.path); err != nil {
		t.Fatal(err)
	}
	s.clock.Store(1_000_000)
	w, seqs := s.world(), []int64(nil)
	w.NotBefore = func(ms int64) {
		seqs = append(seqs, ms)
		s.clock.Store(max(s.clock.Load(), ms))
	}
	stops := []house.Interruption(nil)
	if s.House, stops, err = house.Open(ctx(), s.store, w); err != nil {
		t.Fatal(err)
	}
	if len(seqs) != 1 || seqs[0] != wrote || len(stops) != 1 || stops[0].LastedMs != 0 {
		t.Errorf("told %v, interrupted %+v", seqs, stops)
	}
	last := int64(0)
	if err := house.Named(s.store).ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error {
		if e.AtMs < last {
			t.Errorf("transaction %d, %s, is of %d, and the one before of %d", e.Seq, e.Cause.Kind, e.AtMs, last)
		}
		last = e.AtMs
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// If the time is known until which another process ran the house, a stop since then counts. One
// that is shorter than the grace is not recorded, however long nothing had happened before.
func TestAShortChangeOfTheWriterInterruptsNothing(t *testing.T) {
	for _, test := range []struct {
		name           string
		idleMs, stopMs int64
		known          bool
		reports        int
		outcome        rules.Outcome
	}{
		{"short", 60_000, rules.DefaultGraceMs - 1, true, 0, 0},
		{"as long as the grace", 60_000, rules.DefaultGraceMs, true, 1, rules.Void},
		{"nothing is known", 60_000, 1_000, false, 1, rules.Void},
		{"nothing is known, and short", 0, 1_000, false, 1, rules.Continue},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t)
			s.established = rules.FirstExposure
			s.install("A", "rws-3cp")
			s.buyIn("ann", 100*money.Major)
			s.do("A", dealer, table.OpenBets{})
			s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
			s.clock.Add(test.idleMs)
			aliveMs := s.clock.Load()
			s.clock.Add(test.stopMs)
			w := s.world()
			if test.known {
				w.AliveMs = aliveMs
			}
			var stops []house.Interruption
			var err error
			if s.House, stops, err = house.Open(ctx(), s.store, w); err != nil {
				t.Fatal(err)
			}
			if len(stops) != test.reports || test.reports > 0 && stops[0].Outcome != test.outcome {
				t.Errorf("interrupted: %+v", stops)
			}
			reported := 0
			if err := house.Named(s.store).Read(ctx(), "table:A", 0, func(r house.StoredEvent) error {
				if r.Kind == "reported" {
					reported++
				}
				return nil
			}); err != nil || reported != test.reports {
				t.Errorf("the record holds %d reports, %v", reported, err)
			}
		})
	}
}
