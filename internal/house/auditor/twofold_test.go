package auditor_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
)

// A decision of two people about a jackpot was asked for by one of them and approved by the
// other, and each had the role for it. The record of a house that leaves one of them out, or
// has them ask for something else, is wrong at that transaction.
func TestWhatTwoPeopleDecideIsWhatTheyAskedFor(t *testing.T) {
	records := map[string][]string{
		"an adjustment": with(floor, `jackpot:J adjusted {"pot":"meter","before":1000,"after":1100,"approvers":{"first":"#2","second":"#3"}}
			=> house>meter:J 100`),
		"terms": with(floor, `jackpot:J terms-changed {"after":{"bet":500,"reset":900,"ceiling":2000,"verify_from":1500,"rate":{"num":1,"den":5}},"approvers":{"first":"#2","second":"#3"}}`),
		"the place of a round": with(wholeDeal[:13],
			`jackpot:J round-determined {"round":{"table":"T","round":"1"},"after":{"at_ms":9},"approvers":{"first":"#2","second":"#3"}}`),
		"the place of a hit": with(wholeDeal,
			`jackpot:J order-determined {"hit":{"table":"T","round":"1","box":1},"after":{"at_ms":9},"approvers":{"first":"#2","second":"#3"}}`),
		"a verification": wholeVerified,
		"a denial":       wholeRecords["a payment from the reserve that is denied"][:17],
	}
	replace := func(from, to string) func(*house.Event) {
		return func(e *house.Event) { e.Body = bytes.ReplaceAll(e.Body, []byte(from), []byte(to)) }
	}
	const none, nothing = "is no proposal of the one that the other has approved", "is approved, and does nothing"
	for _, test := range []struct {
		what string
		of   string // of which records; "" for all
		// proposed and approved change the events of the last transaction; parts changes all of it.
		proposed, approved func(*house.Event)
		parts              func(*house.StoredTransaction)
		want               string
	}{
		{what: "as it is"},
		{what: "it was never approved", parts: without("house"), want: none},
		{what: "it is approved only", parts: without("jackpot:J"), want: nothing},
		{what: "of another jackpot", proposed: replace(`"jackpot":"J"`, `"jackpot":"K"`), approved: replace(`"jackpot":"J"`, `"jackpot":"K"`), want: none},
		{what: "of another kind", proposed: replace(`"kind":"`, `"kind":"x-`), approved: replace(`"kind":"`, `"kind":"x-`), want: none},
		{what: "asked for by somebody else", proposed: replace(`"#2"`, `"#7"`), approved: replace(`"#2"`, `"#7"`), want: none},
		{what: "approved by somebody else", approved: replace(`"#3"`, `"#7"`), want: none},
		{what: "asked for by a dealer", proposed: replace("administrator", "dealer"), approved: replace("administrator", "dealer"), want: "a dealer, who may not ask for it"},
		{what: "approved by a cashier", approved: replace("shift-manager", "cashier"), want: "a cashier, who may not approve it"},
		{what: "approved by a machine", approved: replace(`"shift-manager"`, `"shift-manager","machine":true`), want: "is approved by a machine of #3"},
		{what: "another sum", of: "an adjustment", proposed: replace("100", "101"), approved: replace("100", "101"), want: none},
		{what: "another pot", of: "an adjustment", proposed: replace("meter", "reserve"), approved: replace("meter", "reserve"), want: none},
		{what: "another reset", of: "terms", proposed: replace("900", "901"), approved: replace("900", "901"), want: none},
		{what: "what is verified stays as it was", of: "terms", proposed: replace(`"verify_from":1500`, `"verify_from":0`), approved: replace(`"verify_from":1500`, `"verify_from":0`)},
		{what: "another place", of: "the place of a round", proposed: replace(`"at_ms":9`, `"at_ms":8`), approved: replace(`"at_ms":9`, `"at_ms":8`), want: none},
		{what: "another round", of: "the place of a round", proposed: replace(`"round":"1"`, `"round":"2"`), approved: replace(`"round":"1"`, `"round":"2"`), want: none},
		{what: "a hit of it", of: "the place of a round", proposed: replace(`"round":"1"`, `"round":"1","box":1`), approved: replace(`"round":"1"`, `"round":"1","box":1`), want: none},
		{what: "another place", of: "the place of a hit", proposed: replace(`"at_ms":9`, `"at_ms":8`), approved: replace(`"at_ms":9`, `"at_ms":8`), want: none},
		{what: "another hit", of: "the place of a hit", proposed: replace(`"box":1`, `"box":2`), approved: replace(`"box":1`, `"box":2`), want: none},
		{what: "another hit", of: "a verification", proposed: replace(`"box":1`, `"box":2`), approved: replace(`"box":1`, `"box":2`), want: none},
		{what: "another hit", of: "a denial", proposed: replace(`"box":1`, `"box":2`), approved: replace(`"box":1`, `"box":2`), want: none},
		{what: "the payment that stood", of: "a verification", proposed: replace(`"jackpot":"J"`, `"jackpot":"J","payment":1`), approved: replace(`"jackpot":"J"`, `"jackpot":"J","payment":1`)},
		{what: "another payment", of: "a verification", proposed: replace(`"jackpot":"J"`, `"jackpot":"J","payment":2`), approved: replace(`"jackpot":"J"`, `"jackpot":"J","payment":2`), want: none},
		{what: "the payment that stood", of: "a denial", proposed: replace(`"jackpot":"J"`, `"jackpot":"J","payment":1`), approved: replace(`"jackpot":"J"`, `"jackpot":"J","payment":1`)},
		{what: "another payment", of: "a denial", proposed: replace(`"jackpot":"J"`, `"jackpot":"J","payment":2`), approved: replace(`"jackpot":"J"`, `"jackpot":"J","payment":2`), want: none},
		{what: "another clause", of: "a denial", proposed: replace("4.9", "5.15"), approved: replace("4.9", "5.15"), want: none},
		{what: "no clause", of: "a denial", proposed: replace("4.9", ""), approved: replace("4.9", ""), want: none},
	} {
		for name, lines := range records {
			if test.of != "" && test.of != name {
				continue
			}
			altered := false
			found := follow(t, lines, func(e *house.StoredTransaction) {
				if e.Seq != int64(len(lines)) {
					return
				}
				before := len(e.Parts)
				if test.parts != nil {
					test.parts(e)
				}
				altered = len(e.Parts) != before
				for i := range e.Parts {
					for k := range e.Parts[i].Events {
						event := &e.Parts[i].Events[k]
						was := string(event.Body)
						if event.Kind == "proposed" && test.proposed != nil {
							test.proposed(event)
						}
						if event.Kind == "approved" && test.approved != nil {
							test.approved(event)
						}
						altered = altered || was != string(event.Body)
					}
				}
			}).Findings()
			found = slices.DeleteFunc(found, func(f auditor.Finding) bool { return f.Seq != int64(len(lines)) })
			if test.what != "as it is" && !altered {
				t.Errorf("%s, %s: nothing is altered", name, test.what)
			}
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.ContainsFunc(found, func(f auditor.Finding) bool { return strings.Contains(f.What, test.want) }) {
				t.Errorf("%s, %s: found %v, want %q", name, test.what, found, test.want)
			}
		}
	}
}

// without returns a change that takes the part of a stream out of a transaction.
func without(stream string) func(*house.StoredTransaction) {
	return func(e *house.StoredTransaction) {
		e.Parts = slices.DeleteFunc(slices.Clone(e.Parts), func(p house.StreamAppend) bool { return p.Stream == stream })
	}
}
