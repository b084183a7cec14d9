package proof_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
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

// What stands behind the names and is not software or proof, no leaf commits to: whoever
// signs the head alone could write the rest when the cards are known. Such a document is read,
// for its members are all there, and its log fails whatever leaf it names.
func TestWhatStandsBehindTheNamesIsNotCommittedTo(t *testing.T) {
	document := string(sample(t, "settled"))
	at := func(mark string) int {
		i := strings.LastIndex(document, mark)
		if i < 0 {
			t.Fatalf("there is no %s", mark)
		}
		return i
	}
	steps, names, software := at(`,"steps":[`), at(`,"names":{`), at(`,"software":`)
	seed, proved := at(`,"seed":{`), at(`,"proof":`)
	for name, forged := range map[string]string{
		"the steps":            document[:steps] + document[names:len(document)-2] + document[steps:names] + "}\n",
		"the seed and steps":   document[:seed] + document[names:len(document)-2] + document[seed:names] + "}\n",
		"the steps in between": document[:steps] + document[names:software] + document[steps:names] + document[software:],
		"proof and software":   document[:software] + document[proved:len(document)-2] + document[software:proved] + "}\n",
		"the seed, at the end": document[:seed] + document[steps:len(document)-2] + document[seed:steps] + "}\n",
	} {
		r := read(t, []byte(forged))
		report := knowing(t).Verify(r)
		if report.Sound || !slices.ContainsFunc(report.Findings, func(f proof.Finding) bool {
			return f.Result == proof.Failed && f.Check == proof.Log && strings.Contains(f.Text, "was written anew")
		}) {
			t.Errorf("%s: it is held against a leaf: %+v", name, report.Findings)
		}
	}
}
