package plan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/plan"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// applied brings a house to a plan and tells what was done, a line a table.
func applied(t *testing.T, h *house.House, text string) (report string, err error) {
	t.Helper()
	p, _ := parse(t, text)
	steps, err := p.Apply(context.Background(), h)
	var all strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&all, "%s %s\n", s.Table, s.Did)
	}
	return all.String(), err
}

const two = `
[jackpots.linked]
[tables.a]
book = "us-3cp"
[tables.b]
book = "rws-3cp"
jackpot = "linked"
limits.ante = { min = "5", max = "100" }
`

// A house is brought to its plan, table by table, and again to another.
func TestApply(t *testing.T) {
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := house.Open(context.Background(), store, house.World{NowMs: func() int64 { return 1 }, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh})
	if err != nil {
		t.Fatal(err)
	}
	want := func(text, report, wrong string) {
		t.Helper()
		got, err := applied(t, h, text)
		if got != report || wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("got %s%v\nwant %s%s", got, err, report, wrong)
		}
	}
	drive := func(name string, what table.Action) {
		t.Helper()
		if _, err := h.DoAsHouse(context.Background(), "", name, what); err != nil {
			t.Fatal(err)
		}
	}
	want(two, "a is put on the floor\nb is put on the floor\n", "")
	want(two, "", "")

	drive("a", table.OpenBets{}) // an idle table
	drive("b", table.OpenBets{})
	ann := access.Person{Name: "ann", Role: access.Player}
	cashier := access.Person{Name: "kim", Role: access.Cashier}
	if _, err := h.CageTransfer(context.Background(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100 * money.Major}); err != nil {
		t.Fatal(err)
	}
	bet := table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}
	if _, err := h.Do(context.Background(), house.CommandRequest{Table: "b", By: ann, Do: bet}); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(two, `max = "100"`, `max = "50"`, 1) + "[pace]\nbetting = \"5s\"\n"
	want(other, "a is changed from round 2 on\nb is changed from round 2 on\n", "")
	if s, err := h.Status("a"); err != nil || s.State.Phase() != table.Ready || s.InForce().Pace.BettingMs != 5_000 {
		t.Errorf("an idle table begins anew at once: %+v, %v", s.State.Phase(), err)
	}
	if s, err := h.Status("b"); err != nil || s.State.Phase() != table.Betting || s.InForce().Pace.BettingMs != 20_000 {
		t.Errorf("a round in play is finished as it began: %+v, %v", s.State.Phase(), err)
	}
	want(other, "", "")

	// Both leave the plan; one has a bet on it.
	want("[tables.c]\nbook = \"sm-3cp\"", "c is put on the floor\n"+
		"a is not in the configuration any more: it is closed, and its record stays\n"+
		"b is not in the configuration any more, and has a round in play: it is finished, and then a pit supervisor closes the table\n", "")
	want("[tables.a]\nbook = \"us-3cp\"\npace.betting = \"5s\"\n[tables.c]\nbook = \"sm-3cp\"",
		"a is closed: a pit supervisor opens it\n"+
			"b is not in the configuration any more, and has a round in play: it is finished, and then a pit supervisor closes the table\n", "")

	// What a table keeps.
	for change, wrong := range map[string]string{
		"book = \"sm-3cp\"": "tables.a: it plays us-3cp, and a table keeps its book",
		"book = \"us-3cp\"\nmode = \"dealer\"\ncards = \"read\"": "tables.a: it has other equipment",
	} {
		if _, err := applied(t, h, "[tables.a]\n"+change); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", change, err)
		}
	}
	if err := h.Audit(); err != nil {
		t.Error(err)
	}
}

// A part of the plan that waits for a machine is applied when every machine reads the rules,
// and nothing else then. Changes that people have made meanwhile at other tables stay.
func TestApplyWaiting(t *testing.T) {
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	old := []string{"n2"} // the machines that do not read us-3cp
	h, _, err := house.Open(context.Background(), store, house.World{
		NowMs: func() int64 { return 1 }, Sealer: sealing.Numbered(1), Seed: shuffle.Fresh,
		Unread: func(ref string, _ int) []string {
			if strings.HasPrefix(ref, "us-3cp") {
				return old
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := applied(t, h, "[tables.z]\nbook = \"sm-3cp\""); err != nil {
		t.Fatal(err)
	}
	p, _ := parse(t, two)
	steps, err := p.Apply(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string, waiting bool, want ...string) {
		t.Helper()
		var got []string
		for _, s := range steps {
			got = append(got, s.Table+" "+s.Did)
		}
		if still := plan.Waiting(steps); !slices.Equal(got, want) || still != waiting {
			t.Errorf("%s: %q, waiting: %t; want %q, %t", what, got, still, want, waiting)
		}
	}
	const waits = "a is not brought to the configuration yet: table a: us-3cp, revision 1, is not read by n2: not every machine of the house reads this revision of the book: upgrade the others first"
	expect("at the start", true, waits, "b is put on the floor", "z is not in the configuration any more: it is closed, and its record stays")
	supervisor := access.Person{Name: "sue", Role: access.PitSupervisor}
	manager := access.Person{Name: "max", Role: access.ShiftManager}
	if _, err := h.Do(context.Background(), house.CommandRequest{Table: "z", By: supervisor, Do: table.OpenTable{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Change(context.Background(), "", manager, "b", house.Change{Mode: house.DealerRun}); err != nil {
		t.Fatal(err)
	}
	again := func() {
		t.Helper()
		if steps, err = p.ApplyWaiting(context.Background(), h, steps); err != nil {
			t.Fatal(err)
		}
	}
	again()
	expect("while a machine does not read it", true, waits)
	old = nil
	again()
	expect("when every machine reads it", false, "a is put on the floor")
	again()
	expect("once more", false)
	if s, err := h.Status("b"); err != nil || s.InForce().Mode != house.DealerRun {
		t.Errorf("a table that a shift manager has changed is %v, %v", s.InForce().Mode, err)
	}
	if s, err := h.Status("z"); err != nil || s.State.Phase() == table.Closed {
		t.Errorf("a table that a supervisor has opened is %v, %v", s.State.Phase(), err)
	}
	if err := h.Audit(); err != nil {
		t.Error(err)
	}
}
