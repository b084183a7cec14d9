package table_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// restored writes a state down and reads it back.
func restored(t interface{ Fatal(...any) }, s table.State) table.State {
	text, err := table.Snapshot(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Restore(s.Variant, text)
	if err != nil {
		t.Fatal(err, string(text))
	}
	return again
}

// A table that is written down and read back after each command is the same table
// and plays on in the same way, whatever happens at it.
func TestAnyTableIsRestored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyTable(t)
		twin := s
		for n := range rapid.IntRange(10, 60).Draw(t, "commands") {
			twin = restored(t, twin)
			if !reflect.DeepEqual(twin, s) {
				t.Fatalf("restored:\n%s\nwas:\n%s", table.Fingerprint(twin), table.Fingerprint(s))
			}
			by := rapid.SampledFrom(people).Draw(t, "by")
			if !reflect.DeepEqual(table.Legal(s, by), table.Legal(twin, by)) {
				t.Fatalf("%s may do other things at the restored table", by.Name)
			}
			c := table.Command{By: by, AtMs: int64(n), Do: anyLegal(t, &s, by)}
			if c.Do == nil {
				continue
			}
			events, next, err := table.Step(s, c)
			same, after, sameErr := table.Step(twin, c)
			if !reflect.DeepEqual(events, same) || !reflect.DeepEqual(err, sameErr) {
				t.Fatalf("%+v: %+v, %v; restored: %+v, %v", c, events, err, same, sameErr)
			}
			if err == nil {
				s, twin = next, after
			}
		}
	})
}

// Whoever adds to a state adds to what is written down of it. A variant is not
// written; of a slot two fields tell who has seen it, of a box one whether and from
// which line on it is settled.
func TestEverythingIsWrittenDown(t *testing.T) {
	for name, want := range map[string]int{"State": -1, "BoxState": -1, "Bettor": 0, "Slot": 1} {
		got := table.SnapshotFields()[name]
		if got[1]-got[0] != want {
			t.Errorf("%s has %d fields, and what is written of it %d", name, got[0], got[1])
		}
	}
}

// A round of rws-3cp with a bet on each of two boxes, written down in mid-round.
func midRound(t testing.TB) table.State {
	t.Helper()
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.New(b.Standard(), table.Config{Device: rules.Shuffler, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []table.Action{
		table.OpenBets{},
		table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major},
		table.Bet{Box: 3, Player: "ben", Wager: rules.Ante, Amount: 10 * money.Major},
		table.CloseBets{},
		nil,
		table.Report{Incident: rules.Uncovered, Note: "a glass was spilled"},
	} {
		if do == nil {
			deal := table.Deal{}
			for i := range s.ToCome() {
				deal.Cards = append(deal.Cards, table.Drawn{Card: card.FromIndex(i)})
			}
			do = deal
		}
		by := people[3]
		if bet, ok := do.(table.Bet); ok {
			by = table.Actor{Name: bet.Player, Role: rules.Player}
		}
		if _, s, err = table.Step(s, table.Command{By: by, AtMs: 7, Do: do}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestWhatIsNoTableIsNotRestored(t *testing.T) {
	s := midRound(t)
	text, err := table.Snapshot(s)
	if err != nil {
		t.Fatal(err)
	}
	small := s.Variant.Clone()
	small.Boxes--
	if _, err := table.Restore(small, text); err == nil || !strings.Contains(err.Error(), "7 boxes") {
		t.Errorf("by rules with fewer boxes: %v", err)
	}
	for was, now := range map[string]string{
		`"phase":"deciding"`: `"phase":"sleeping"`,
		`"round":1`:          `"lap":1`,
		`"served":9`:         `"served":99`,
		`"laid":9`:           `"laid":-1`,
		`"lines":null`:       `"lines":null,"settled_from":1`,
		`"warned":null`:      `"warned":null,"warned_before":1`,
		`"place":"3"`:        `"place":"17"`,
		`"schedule":["1"`:    `"schedule":["11"`,
		`"question":{`:       `"question":[{`,
		`"device":"`:         `"device":"sleeve `,
	} {
		if !strings.Contains(string(text), was) {
			t.Errorf("%s is not in %s", was, text)
		} else if _, err := table.Restore(s.Variant, []byte(strings.Replace(string(text), was, now, 1))); err == nil {
			t.Errorf("with %s it is a table", now)
		}
	}
	for _, other := range []string{"", "{}", "null", string(text) + "{}"} {
		if _, err := table.Restore(s.Variant, []byte(other)); err == nil {
			t.Errorf("%q is a table", other)
		}
	}
}

func FuzzRestore(f *testing.F) {
	s := midRound(f)
	text, err := table.Snapshot(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		if read, err := table.Restore(s.Variant, text); err == nil && !reflect.DeepEqual(restored(t, read), read) {
			t.Errorf("%s is not restored as it is", text)
		}
	})
}
