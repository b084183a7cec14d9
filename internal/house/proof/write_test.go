package proof_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house/fair"
	"trey/internal/house/proof"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/rules"
	"trey/table"
)

// The head that a leaf commits to is written by hand. It must be what encoding/json writes
// of the type, whatever stands in it, and no field of the type may be missing.
func TestHeadsAreWrittenAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return rapid.String().Draw(t, name) }
		h := proof.Head{
			Type: text("type"), Version: rapid.Int().Draw(t, "version"), Table: text("table"), Round: rapid.Int().Draw(t, "round"),
			Ended: text("ended"), Book: text("book"), Variant: text("variant"), RulesHash: text("rules hash"),
			Declaration: text("declaration"), Terms: text("terms"), Jackpot: text("jackpot"),
			Config:  record.Equipment{Device: rules.Shuffler, Cards: table.Virtual, Chips: rapid.Bool().Draw(t, "chips")},
			Carried: record.Carried{Down: rapid.Bool().Draw(t, "down"), Warned: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "warned")},
		}
		if rapid.Bool().Draw(t, "seed") {
			h.Seed = &proof.Seed{
				Commitment: fair.Hash{1}, Committed: proof.Moment{Seq: 7, AtMs: 8}, Checkpoint: text("checkpoint"),
				Seed: shuffle.Seed{2}, Own: []fair.Own{{Player: text("player")}},
			}
		}
		compareHead(t, &h)
	})
	h := proof.Head{
		Type: "t", Version: 1, Table: "A", Round: 2, Ended: "paid", Book: "b@1", Variant: "v", RulesHash: "h",
		Declaration: `{"a":"<"}`, Terms: `{"b":2}`, Config: record.Equipment{Device: rules.Shoe, Cards: table.Virtual},
		Jackpot: "J", Carried: record.Carried{AreaMax: 3}, Seed: &proof.Seed{},
	}
	for v, i := reflect.ValueOf(h), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("this test leaves %s out", v.Type().Field(i).Name)
		}
	}
	compareHead(t, &h)
}

func compareHead(t interface{ Fatalf(string, ...any) }, h *proof.Head) {
	want, err := json.Marshal(h)
	if err != nil {
		t.Fatalf("%v", err)
	}
	got, err := proof.AppendHead(nil, h, proof.Members(h))
	if want := string(want[:len(want)-1]) + `,"steps":[` + "\n"; err != nil || string(got) != want {
		t.Fatalf("written as\n%s, %v, want\n%s", got, err, want)
	}
}
